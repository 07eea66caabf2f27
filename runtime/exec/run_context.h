// RunContext: the state that both executors keep for one run of a plan.
#ifndef FLOWLATCH_RUNTIME_EXEC_RUN_CONTEXT_H_
#define FLOWLATCH_RUNTIME_EXEC_RUN_CONTEXT_H_

#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "runtime/kernel/step_context.h"
#include "runtime/plan/plan.h"
#include "runtime/profile/step_recorder.h"
#include "runtime/resource/variable.h"

namespace flowlatch {

class RunContext : public StepContext {
 public:
  // `prefix` stands before node names in statistics: "" or "call/".
  RunContext(const Plan& plan, const StepServices& services, int call_depth, const std::string& prefix)
      : StepContext(services, call_depth), plan_(plan) {
    if (services.recorder != nullptr) record_ = &Record(prefix);
  }

  void Fail(uint32_t node, absl::Status status) override;
  // Fails the run because of the exception that is being handled: memory that libraries did not get, or a user's kernel.
  void FailByException(uint32_t node);
  static absl::Status StatusOfException();
  // Fails the run because of what fetch `fetch` got.
  void FailFetch(size_t fetch, absl::Status status);
  // Reads a reference, as value of fetch `fetch`. False: the variable has no value, and the run failed.
  bool ReadFetchedReference(size_t fetch, const Tensor& reference, Tensor* value);
  bool failed() const { return failed_; }
  // The first failure, naming its node.
  absl::Status status() const { return failed_ ? absl::Status(code_, message_) : absl::OkStatus(); }
  // Fails the run when the step was cancelled or is past its deadline. Returns whether to go on.
  bool CheckInterrupted(uint32_t node);

 protected:
  static absl::Status Uninitialized(const Variable* variable);
  // Runs the kernel of a node that has inputs from reference ports.
  KernelStatus CallWithReferences(const Instruction& instruction, uint32_t node, Tensor* slots,
                                  const uint32_t* input_slots, Tensor* outputs);

  const Plan& plan_;
  StepRecorder::PlanRecord* record_ = nullptr;  // null: nobody asked

 private:
  StepRecorder::PlanRecord& Record(const std::string& prefix);
  void KeepFirst(const std::string& what, const absl::Status& status);

  std::mutex mu_;
  std::atomic<bool> failed_{false};
  absl::StatusCode code_ = absl::StatusCode::kOk;  // guarded by mu_ until the run ends, like message_
  std::string message_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_EXEC_RUN_CONTEXT_H_
