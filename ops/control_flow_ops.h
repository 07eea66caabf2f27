// Switch, Merge, Enter, Exit, NextIteration, LoopCond, ControlTrigger, their Ref forms, and RefSelect and RefIdentity.
#ifndef FLOWLATCH_OPS_CONTROL_FLOW_OPS_H_
#define FLOWLATCH_OPS_CONTROL_FLOW_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterControlFlowOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_CONTROL_FLOW_OPS_H_
