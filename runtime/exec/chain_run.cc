#include "runtime/exec/chain_run.h"

#include <utility>

#include "absl/container/inlined_vector.h"

namespace flowlatch {
namespace {

// A step in which failures do not count: the nodes will find them again one by one.
class Trial final : public StepContext {
 public:
  explicit Trial(const StepContext& step) : StepContext(step.services(), step.call_depth()) {}
  void Fail(uint32_t, absl::Status) override {}
};

}  // namespace

bool RunChain(const FusedGroup& chain, const StepContext& step, Tensor* slots) {
  Trial trial(step);
  // Slots of outputs may be those of inputs that die.
  absl::InlinedVector<Tensor, 8> outputs(chain.output_slots.size());
  KernelCall call(&trial, slots, chain.external_slots.data(), outputs.data(), chain.state,
                  static_cast<uint32_t>(chain.external_slots.size()), static_cast<uint32_t>(outputs.size()),
                  chain.forwardable, /*node=*/0);
  if (chain.fn(call) != KernelStatus::kOk) return false;
  for (const uint32_t slot : chain.release) slots[slot].Clear();
  for (size_t i = 0; i < outputs.size(); ++i) slots[chain.output_slots[i]] = std::move(outputs[i]);
  return true;
}

}  // namespace flowlatch
