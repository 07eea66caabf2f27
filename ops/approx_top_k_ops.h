// ApproxTopK.
#ifndef FLOWLATCH_OPS_APPROX_TOP_K_OPS_H_
#define FLOWLATCH_OPS_APPROX_TOP_K_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterApproxTopKOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_APPROX_TOP_K_OPS_H_
