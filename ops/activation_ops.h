// Activation functions and their gradients: Relu, Relu6, Elu, Selu, LeakyRelu, Softplus, Softsign.
#ifndef FLOWLATCH_OPS_ACTIVATION_OPS_H_
#define FLOWLATCH_OPS_ACTIVATION_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterActivationOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_ACTIVATION_OPS_H_
