// Sorting numbers into ranges: Bucketize, HistogramFixedWidth, LowerBound, UpperBound.
#ifndef FLOWLATCH_OPS_BUCKET_OPS_H_
#define FLOWLATCH_OPS_BUCKET_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterBucketOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_BUCKET_OPS_H_
