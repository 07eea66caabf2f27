// Grey-scale dilation: Dilation2D and its gradients.
#ifndef FLOWLATCH_OPS_DILATION_OPS_H_
#define FLOWLATCH_OPS_DILATION_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterDilationOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_DILATION_OPS_H_
