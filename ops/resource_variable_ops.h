// Resource variables: VarHandleOp and the ops that read, assign, update, gather from and scatter into them.
#ifndef FLOWLATCH_OPS_RESOURCE_VARIABLE_OPS_H_
#define FLOWLATCH_OPS_RESOURCE_VARIABLE_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterResourceVariableOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_RESOURCE_VARIABLE_OPS_H_
