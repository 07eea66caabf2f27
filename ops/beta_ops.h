// The incomplete beta function: Betainc.
#ifndef FLOWLATCH_OPS_BETA_OPS_H_
#define FLOWLATCH_OPS_BETA_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterBetaOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_BETA_OPS_H_
