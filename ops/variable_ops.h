// Reference variables: VariableV2, Variable, TemporaryVariable and the ops that read, assign and update them.
#ifndef FLOWLATCH_OPS_VARIABLE_OPS_H_
#define FLOWLATCH_OPS_VARIABLE_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterVariableOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_VARIABLE_OPS_H_
