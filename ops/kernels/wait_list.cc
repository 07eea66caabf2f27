#include "ops/kernels/wait_list.h"

#include <algorithm>
#include <utility>

namespace flowlatch {

void WaitableResource::Run(CancellationManager& cancellation, Attempt attempt, Done done) {
  auto waiter = std::make_shared<Waiter>();
  waiter->attempt = std::move(attempt);
  waiter->done = std::move(done);
  waiter->cancellation = &cancellation;
  std::vector<Finished> finished;
  {
    std::lock_guard<std::mutex> lock(mu_);
    if (std::optional<absl::Status> status = waiter->attempt()) {
      finished.push_back({waiter, *std::move(status)});
      TryWaiters(finished);
    }
  }
  if (!finished.empty()) return Report(finished);
  // Registered before anybody can find the waiter, so that whoever finds it can take the callback back.
  waiter->cancellation_id =
      cancellation.Register([self = RefPtr<WaitableResource>::Share(this), waiter] { self->Cancel(waiter); });
  {
    std::lock_guard<std::mutex> lock(mu_);
    if (waiter->cancellation_id == 0 || waiter->cancelled) {
      finished.push_back({waiter, absl::OkStatus()});
    } else if (std::optional<absl::Status> status = waiter->attempt()) {
      finished.push_back({waiter, *std::move(status)});
      TryWaiters(finished);
    } else {
      waiters_.push_back(waiter);
      return;
    }
    if (waiter->cancellation_id == 0 || waiter->cancelled) finished[0].status = cancellation.status();
  }
  Report(finished);
}

absl::Status WaitableResource::RunNow(const std::function<absl::Status()>& call) {
  std::vector<Finished> finished;
  absl::Status status;
  {
    std::lock_guard<std::mutex> lock(mu_);
    status = call();
    if (status.ok()) TryWaiters(finished);
  }
  Report(finished);
  return status;
}

void WaitableResource::TryWaiters(std::vector<Finished>& finished) {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto at = waiters_.begin(); at != waiters_.end();) {
      std::optional<absl::Status> status = (*at)->attempt();
      if (!status.has_value()) {
        ++at;
        continue;
      }
      finished.push_back({std::move(*at), *std::move(status)});
      at = waiters_.erase(at);
      changed = true;
    }
  }
}

void WaitableResource::Report(std::vector<Finished>& finished) {
  for (Finished& f : finished) {
    // The step may be over as soon as it knows, and its manager gone.
    if (f.waiter->cancellation_id != 0) f.waiter->cancellation->Deregister(f.waiter->cancellation_id);
    f.waiter->done(std::move(f.status));
  }
}

void WaitableResource::Cancel(const std::shared_ptr<Waiter>& waiter) {
  {
    std::lock_guard<std::mutex> lock(mu_);
    waiter->cancelled = true;
    const auto at = std::find(waiters_.begin(), waiters_.end(), waiter);
    if (at == waiters_.end()) return;  // somebody has finished it, or is about to put it on the list
    waiters_.erase(at);
  }
  waiter->done(waiter->cancellation->status());
}

}  // namespace flowlatch
