#ifndef FLOWLATCH_OPS_GLOBAL_NORM_OPS_H_
#define FLOWLATCH_OPS_GLOBAL_NORM_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

// BatchNormWithGlobalNormalization and its gradient, of graphs older than FusedBatchNorm.
absl::Status RegisterGlobalNormOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_GLOBAL_NORM_OPS_H_
