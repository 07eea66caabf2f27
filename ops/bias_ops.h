// BiasAdd, BiasAddV1, BiasAddGrad, L2Loss.
#ifndef FLOWLATCH_OPS_BIAS_OPS_H_
#define FLOWLATCH_OPS_BIAS_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterBiasOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_BIAS_OPS_H_
