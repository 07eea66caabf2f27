// Runs a group of elementwise nodes piece by piece. Internal to runtime/exec.
#ifndef FLOWLATCH_RUNTIME_EXEC_FUSED_ELEMENTWISE_H_
#define FLOWLATCH_RUNTIME_EXEC_FUSED_ELEMENTWISE_H_

#include "runtime/kernel/step_context.h"
#include "runtime/plan/plan.h"

namespace flowlatch {

// Tries to run `group`: its outputs are in their slots and what died is released. False, with nothing changed, when the operands
// are small, do not have one shape, or memory is short: then the nodes are to be run one by one.
bool RunFused(const FusedGroup& group, const StepServices& services, Tensor* slots);

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_EXEC_FUSED_ELEMENTWISE_H_
