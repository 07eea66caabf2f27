// BackgroundWork: what goes on between the steps of a session, such as reading ahead of an iterator's consumer.
#ifndef FLOWLATCH_RUNTIME_EXEC_BACKGROUND_WORK_H_
#define FLOWLATCH_RUNTIME_EXEC_BACKGROUND_WORK_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "runtime/kernel/step_context.h"

namespace flowlatch {

// Tasks on the threads of a session's pool, with the services of the session's steps but a cancellation of their own.
// Thread-safe.
class BackgroundWork : public std::enable_shared_from_this<BackgroundWork> {
 public:
  // Work in the name of the session that runs `step`, or of the one whose task it belongs to.
  static std::shared_ptr<BackgroundWork> Create(const StepContext& step);
  ~BackgroundWork();
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;

  // How many tasks may run beside the threads that run steps; 0: there are no threads for them.
  int num_threads() const { return num_threads_; }
  // Runs `task` with a step of its own, unless Stop is called before. It may wait for tasks that are running, but not for
  // those that are yet to start. Requires: num_threads() > 0.
  void Schedule(std::function<void(StepContext&)> task);
  // Cancels the tasks and starts no more; returns when none runs, or at once if a task calls this.
  void Stop();
  bool stopped() const { return cancellation_.cancelled(); }
  // Stops all that was created in the name of the session that these services are of, which runs no step any more.
  static void StopAllOf(const StepServices& services);

 private:
  explicit BackgroundWork(const StepContext& step);
  bool Enter();
  void Leave();
  bool ended();

  CancellationManager cancellation_;
  StepServices services_;
  const StepServices* origin_;  // of the session's step; only compared
  int num_threads_ = 0;
  std::mutex mu_;
  std::condition_variable idle_;
  int running_ = 0;  // guarded by mu_
};

// Errors: the reason once the step is cancelled; DeadlineExceeded past its deadline.
absl::Status CheckInterrupted(const StepContext& step);

// Waits on `changed` until `ready`, which is called with `lock` held. Errors: as CheckInterrupted.
absl::Status WaitFor(const StepContext& step, std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                     const std::function<bool()>& ready);

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_EXEC_BACKGROUND_WORK_H_
