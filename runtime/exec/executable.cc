#include "runtime/exec/executable.h"

#include <utility>

#include "runtime/exec/flat_executor.h"

namespace flowlatch {

Executable::~Executable() { Trim(); }

void Executable::Trim() {
  delete[] slots_.exchange(nullptr);
  std::lock_guard<std::mutex> lock(mu_);
  memories_.clear();
}

Tensor* Executable::TakeSlots() {
  Tensor* slots = slots_.exchange(nullptr, std::memory_order_acquire);
  return slots != nullptr ? slots : new Tensor[plan_->num_slots];
}

void Executable::GiveSlots(Tensor* slots) { delete[] slots_.exchange(slots, std::memory_order_acq_rel); }

Executable::Memory Executable::TakeMemory() {
  {
    std::lock_guard<std::mutex> lock(mu_);
    if (!memories_.empty()) {
      Memory memory = std::move(memories_.back());
      memories_.pop_back();
      return memory;
    }
  }
  return MakeFrameMemory(*plan_);
}

void Executable::GiveMemory(Memory memory) {
  std::lock_guard<std::mutex> lock(mu_);
  memories_.push_back(std::move(memory));
}

absl::Status Executable::Run(const StepServices& services, int call_depth, const std::string& prefix, absl::Span<Tensor> feeds,
                             absl::Span<Tensor> results) {
  if (plan_->flat) {
    Tensor* slots = TakeSlots();
    absl::Status status = RunFlat(*plan_, services, call_depth, prefix, slots, feeds, results);
    GiveSlots(slots);
    return status;
  }
  absl::Status end;
  Start(services, call_depth, prefix, feeds, results, [&end](absl::Status status) { end = std::move(status); });
  return end;
}

void Executable::Start(const StepServices& services, int call_depth, const std::string& prefix, absl::Span<Tensor> feeds,
                       absl::Span<Tensor> results, Done done) {
  if (plan_->flat) {
    done(Run(services, call_depth, prefix, feeds, results));
    return;
  }
  Memory memory = TakeMemory();
  FrameMemory& frames = *memory;
  StartFrames(*plan_, services, call_depth, prefix, frames, feeds, results,
              [this, kept = std::make_shared<Memory>(std::move(memory)), done = std::move(done)](absl::Status status) {
                GiveMemory(std::move(*kept));
                done(std::move(status));
              });
}

}  // namespace flowlatch
