// Runs a chain of nodes by its one kernel. Internal to runtime/exec.
#ifndef FLOWLATCH_RUNTIME_EXEC_CHAIN_RUN_H_
#define FLOWLATCH_RUNTIME_EXEC_CHAIN_RUN_H_

#include "runtime/kernel/step_context.h"
#include "runtime/plan/plan.h"

namespace flowlatch {

// Tries to run `chain`: its outputs are in their slots and what died is released. False, with nothing changed, when its
// kernel fails: then the nodes are to be run one by one.
bool RunChain(const FusedGroup& chain, const StepContext& step, Tensor* slots);

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_EXEC_CHAIN_RUN_H_
