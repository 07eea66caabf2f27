// Pooling with regions of varying size: FractionalAvgPool, FractionalMaxPool and their gradients.
#ifndef FLOWLATCH_OPS_FRACTIONAL_POOL_OPS_H_
#define FLOWLATCH_OPS_FRACTIONAL_POOL_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterFractionalPoolOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_FRACTIONAL_POOL_OPS_H_
