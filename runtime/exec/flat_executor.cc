#include "runtime/exec/flat_executor.h"

#include <bit>

#include "runtime/exec/chain_run.h"
#include "runtime/exec/fused_elementwise.h"
#include "runtime/exec/run_context.h"

namespace flowlatch {
namespace {

constexpr uint32_t kInstructionsPerCheck = 64;

class FlatRun final : public RunContext {
 public:
  using RunContext::RunContext;

  // kRecorded: with statistics, for steps that ask for them; then every node runs by itself.
  template <bool kRecorded>
  void Execute(Tensor* slots) {
    const Instruction* const instructions = plan_.instructions.data();
    const uint32_t* const input_slots = plan_.input_slots.data();
    const uint32_t n = static_cast<uint32_t>(plan_.instructions.size());
    // Also when there is nothing to do: a loop may call this again and again.
    if (n == 0) CheckInterrupted(0);
    uint32_t i = 0;
    try {
      while (i < n) {
        if (!CheckInterrupted(i)) return;
        const uint32_t end = std::min(n, i + kInstructionsPerCheck);
        while (i < end) {
          const Instruction& ins = instructions[i];
          if constexpr (!kRecorded) {
            if (ABSL_PREDICT_FALSE(ins.fused != 0)) {
              const FusedGroup& group = plan_.fused_groups[ins.fused - 1];
              if (group.fn != nullptr ? RunChain(group, *this, slots) : RunFused(group, services(), slots)) {
                i += group.num_instructions;
                continue;
              }
            }
          }
          const uint32_t* const inputs = input_slots + ins.first_input;
          Tensor* const outputs = slots + ins.first_output;
          const int64_t start_ns = kRecorded ? StepRecorder::NowNs() : 0;
          KernelStatus status;
          if (ABSL_PREDICT_TRUE(ins.reference_check == 0)) {
            KernelCall call(this, slots, inputs, outputs, ins.state, ins.num_inputs, ins.num_outputs, ins.forwardable, i);
            status = ins.fn(call);
          } else {
            status = CallWithReferences(ins, i, slots, inputs, outputs);
          }
          if (ABSL_PREDICT_FALSE(status != KernelStatus::kOk)) return;
          if constexpr (kRecorded) {
            services().recorder->Executed(record_->nodes[i], StepRecorder::NowNs() - start_ns, {outputs, ins.num_outputs});
          }
          for (uint64_t release = ins.release; release != 0; release &= release - 1) {
            slots[inputs[std::countr_zero(release)]].Clear();
          }
          ++i;
        }
      }
    } catch (...) {
      FailByException(i);
    }
  }
};

}  // namespace

absl::Status RunFlat(const Plan& plan, const StepServices& services, int call_depth, const std::string& prefix, Tensor* slots,
                     absl::Span<Tensor> feeds, absl::Span<Tensor> results) {
  FlatRun run(plan, services, call_depth, prefix);
  for (size_t i = 0; i < feeds.size(); ++i) slots[plan.feed_slots[i]] = std::move(feeds[i]);
  if (services.recorder != nullptr) {
    run.Execute<true>(slots);
  } else {
    run.Execute<false>(slots);
  }
  if (!run.failed()) {
    for (size_t i = 0; i < results.size(); ++i) {
      const Tensor& slot = slots[plan.fetch_slots[i]];
      if (slot.has_value()) {
        results[i] = slot;
      } else if (slot.kind() != Tensor::Kind::kRef) {
        run.FailFetch(i, absl::InternalError("expected a value, got none from its kernel"));
        break;
      } else if (!run.ReadFetchedReference(i, slot, &results[i])) {
        break;
      }
    }
  }
  for (uint32_t i = 0; i < plan.num_slots; ++i) slots[i].Clear();
  return run.status();
}

}  // namespace flowlatch
