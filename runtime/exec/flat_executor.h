// The executor of flat plans: a list of instructions in the calling thread.
#ifndef FLOWLATCH_RUNTIME_EXEC_FLAT_EXECUTOR_H_
#define FLOWLATCH_RUNTIME_EXEC_FLAT_EXECUTOR_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/kernel/step_context.h"
#include "runtime/plan/plan.h"

namespace flowlatch {

// Runs `plan` on `slots` (plan.num_slots of them, empty before and after). `feeds` are taken over; `results` gets the fetches.
absl::Status RunFlat(const Plan& plan, const StepServices& services, int call_depth, const std::string& prefix, Tensor* slots,
                     absl::Span<Tensor> feeds, absl::Span<Tensor> results);

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_EXEC_FLAT_EXECUTOR_H_
