// Executable: a plan with the memory of its past runs. What sessions and function calls run.
#ifndef FLOWLATCH_RUNTIME_EXEC_EXECUTABLE_H_
#define FLOWLATCH_RUNTIME_EXEC_EXECUTABLE_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/exec/frame_executor.h"
#include "runtime/kernel/step_context.h"
#include "runtime/plan/plan.h"

namespace flowlatch {

// Thread-safe: each run takes memory of its own.
class Executable {
 public:
  explicit Executable(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}
  ~Executable();
  const Plan& plan() const { return *plan_; }

  // Runs to the end in this thread. `feeds` are taken over: values that nobody else holds may be changed in place.
  // Requires: !plan().is_async, and as many feeds and results as the plan has.
  absl::Status Run(const StepServices& services, int call_depth, const std::string& prefix, absl::Span<Tensor> feeds,
                   absl::Span<Tensor> results);
  // As StartFrames; flat plans have ended when this returns.
  void Start(const StepServices& services, int call_depth, const std::string& prefix, absl::Span<Tensor> feeds,
             absl::Span<Tensor> results, Done done);
  // Drops the memory of past runs.
  void Trim();

 private:
  using Memory = std::unique_ptr<FrameMemory, FrameMemoryDeleter>;
  Tensor* TakeSlots();
  void GiveSlots(Tensor* slots);
  Memory TakeMemory();
  void GiveMemory(Memory memory);

  const std::shared_ptr<const Plan> plan_;
  std::atomic<Tensor*> slots_{nullptr};  // of the last flat run
  std::mutex mu_;
  std::vector<Memory> memories_;  // guarded by mu_
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_EXEC_EXECUTABLE_H_
