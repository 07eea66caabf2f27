// Ops that choose between values element by element: Select, SelectV2, ClipByValue.
#ifndef FLOWLATCH_OPS_SELECT_OPS_H_
#define FLOWLATCH_OPS_SELECT_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterSelectOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SELECT_OPS_H_
