// Reductions of chosen rows in segments; see ops/sparse_segment_ops.cc.
#ifndef FLOWLATCH_OPS_SPARSE_SEGMENT_OPS_H_
#define FLOWLATCH_OPS_SPARSE_SEGMENT_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterSparseSegmentOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SPARSE_SEGMENT_OPS_H_
