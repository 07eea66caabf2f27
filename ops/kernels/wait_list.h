// WaitList: the calls that wait for a resource to change, none of which holds a thread.
#ifndef FLOWLATCH_OPS_KERNELS_WAIT_LIST_H_
#define FLOWLATCH_OPS_KERNELS_WAIT_LIST_H_

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "runtime/kernel/kernel.h"
#include "runtime/resource/resource_manager.h"
#include "runtime/threads/cancellation.h"

namespace flowlatch {

// A resource whose calls may have to wait for each other. Its state is guarded by mu().
class WaitableResource : public Resource {
 public:
  // One call, tried with mu() held: does its work, or returns nullopt when it has to wait.
  using Attempt = std::function<std::optional<absl::Status>()>;

  // Calls `done` once `attempt` has done its work, in this call or in a later one of any thread, or with the reason
  // once `cancellation` is cancelled. Whenever a call has done its work, those that wait are tried again in their
  // order. Requires: what `attempt` uses is there until `done` is called.
  void Run(CancellationManager& cancellation, Attempt attempt, Done done);
  // The same for a call that never waits.
  absl::Status RunNow(const std::function<absl::Status()>& call);

 protected:
  std::mutex& mu() { return mu_; }

 private:
  struct Waiter {
    Attempt attempt;
    Done done;
    CancellationManager* cancellation = nullptr;
    int64_t cancellation_id = 0;
    bool cancelled = false;  // guarded by mu_
  };
  struct Finished {
    std::shared_ptr<Waiter> waiter;
    absl::Status status;
  };
  // Requires: mu_ is held.
  void TryWaiters(std::vector<Finished>& finished);
  static void Report(std::vector<Finished>& finished);  // without mu_
  void Cancel(const std::shared_ptr<Waiter>& waiter);

  std::mutex mu_;
  std::list<std::shared_ptr<Waiter>> waiters_;  // guarded by mu_, in order of arrival
};

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_WAIT_LIST_H_
