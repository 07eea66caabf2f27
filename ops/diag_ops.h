// Tensors that are zero but for their diagonal: Diag, DiagPart.
#ifndef FLOWLATCH_OPS_DIAG_OPS_H_
#define FLOWLATCH_OPS_DIAG_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterDiagOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_DIAG_OPS_H_
