#include "runtime/resource/mutex.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace flowlatch {

struct Mutex::Waiter {
  CancellationManager* cancellation;
  Done done;
  int64_t registration = 0;
  bool waits = true;  // in the list
  std::list<std::shared_ptr<Waiter>>::iterator place = {};
};

absl::Status Mutex::Cancelled() const {
  return absl::CancelledError(absl::StrCat("mutex '", name_, "': expected a step that goes on, got one that was cancelled"));
}

void Mutex::Acquire(CancellationManager& cancellation, Done done) {
  bool cancelled = cancellation.cancelled();
  if (!cancelled) {
    std::lock_guard<std::mutex> lock(mu_);
    if (held_) {
      auto waiter = std::make_shared<Waiter>(Waiter{.cancellation = &cancellation, .done = done});
      waiter->place = waiters_.insert(waiters_.end(), waiter);
      // The callback comes to the lock, which is held here, before it looks for the waiter.
      waiter->registration =
          cancellation.Register([mutex = RefPtr<Mutex>::Share(this), waiter] { mutex->Cancel(waiter); });
      if (waiter->registration != 0) return;
      waiters_.erase(waiter->place);
      cancelled = true;
    } else {
      held_ = true;
    }
  }
  if (cancelled) return done(Cancelled());
  done(MakeRef<Lock>(RefPtr<Mutex>::Share(this)));
}

void Mutex::Release() {
  std::shared_ptr<Waiter> next;
  {
    std::lock_guard<std::mutex> lock(mu_);
    if (waiters_.empty()) {
      held_ = false;
      return;
    }
    next = std::move(waiters_.front());
    waiters_.pop_front();
    next->waits = false;
  }
  next->cancellation->Deregister(next->registration);
  next->done(MakeRef<Lock>(RefPtr<Mutex>::Share(this)));
}

void Mutex::Cancel(const std::shared_ptr<Waiter>& waiter) {
  {
    std::lock_guard<std::mutex> lock(mu_);
    if (!waiter->waits) return;
    waiter->waits = false;
    waiters_.erase(waiter->place);
  }
  waiter->done(Cancelled());
}

}  // namespace flowlatch
