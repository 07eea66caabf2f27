// Batch normalisation: FusedBatchNorm, V2, V3 and their gradients.
#ifndef FLOWLATCH_OPS_BATCH_NORM_OPS_H_
#define FLOWLATCH_OPS_BATCH_NORM_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterBatchNormOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_BATCH_NORM_OPS_H_
