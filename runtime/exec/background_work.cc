#include "runtime/exec/background_work.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace flowlatch {
namespace {

// All work there is, for StopAllOf.
struct Registry {
  std::mutex mu;
  std::set<BackgroundWork*> all;  // guarded by mu
};
Registry& Works() {
  static Registry* const registry = new Registry;
  return *registry;
}

// The work whose task this thread runs.
thread_local BackgroundWork* current = nullptr;

class TaskStep final : public StepContext {
 public:
  explicit TaskStep(const StepServices& services) : StepContext(services_), services_(services) {
    services_.step_resources = &resources_;
  }
  void Fail(uint32_t, absl::Status) override {}  // the functions that a task calls keep their own failures

 private:
  StepServices services_;
  ResourceManager resources_;
};

absl::Status DeadlineExceeded() {
  return absl::DeadlineExceededError("step: expected to end before its deadline, got interrupted");
}

}  // namespace

BackgroundWork::BackgroundWork(const StepContext& step)
    : services_(step.services()), origin_(current != nullptr ? current->origin_ : &step.services()) {
  services_.step_resources = nullptr;
  services_.cancellation = &cancellation_;
  services_.has_deadline = false;
  services_.loop = nullptr;
  services_.recorder = nullptr;
  if (services_.pool != nullptr) num_threads_ = services_.pool->num_threads() - 1;
}

std::shared_ptr<BackgroundWork> BackgroundWork::Create(const StepContext& step) {
  std::shared_ptr<BackgroundWork> work(new BackgroundWork(step));
  if (current != nullptr && current->stopped()) work->cancellation_.Cancel(current->cancellation_.status());
  Registry& works = Works();
  std::lock_guard<std::mutex> lock(works.mu);
  works.all.insert(work.get());
  return work;
}

BackgroundWork::~BackgroundWork() {
  Registry& works = Works();
  std::lock_guard<std::mutex> lock(works.mu);
  works.all.erase(this);
}

bool BackgroundWork::Enter() {
  std::lock_guard<std::mutex> lock(mu_);
  if (stopped()) return false;
  ++running_;
  return true;
}

void BackgroundWork::Leave() {
  std::lock_guard<std::mutex> lock(mu_);
  if (--running_ == 0) idle_.notify_all();
}

bool BackgroundWork::ended() {
  std::lock_guard<std::mutex> lock(mu_);
  return stopped() && running_ == 0;
}

void BackgroundWork::Schedule(std::function<void(StepContext&)> task) {
  services_.pool->Schedule([self = shared_from_this(), task = std::move(task)]() mutable {
    if (!self->Enter()) return;
    BackgroundWork* const outer = std::exchange(current, self.get());
    {
      TaskStep step(self->services_);
      task(step);
      task = nullptr;  // what it holds goes while the work still counts as running
    }
    current = outer;
    self->Leave();
  });
}

void BackgroundWork::Stop() {
  cancellation_.Cancel(absl::CancelledError("work in the background: expected to go on, got stopped"));
  if (current != nullptr) return;
  std::unique_lock<std::mutex> lock(mu_);
  idle_.wait(lock, [this] { return running_ == 0; });
}

void BackgroundWork::StopAllOf(const StepServices& services) {
  Registry& works = Works();
  // Tasks may create work until they end.
  for (;;) {
    std::vector<std::shared_ptr<BackgroundWork>> found;
    {
      std::lock_guard<std::mutex> lock(works.mu);
      for (BackgroundWork* work : works.all) {
        if (work->origin_ != &services || work->ended()) continue;
        if (std::shared_ptr<BackgroundWork> alive = work->weak_from_this().lock()) found.push_back(std::move(alive));
      }
    }
    if (found.empty()) return;
    for (const std::shared_ptr<BackgroundWork>& work : found) work->Stop();
  }
}

absl::Status CheckInterrupted(const StepContext& step) {
  const StepServices& services = step.services();
  if (services.cancellation != nullptr && services.cancellation->cancelled()) return services.cancellation->status();
  if (services.has_deadline && std::chrono::steady_clock::now() >= services.deadline) return DeadlineExceeded();
  return absl::OkStatus();
}

absl::Status WaitFor(const StepContext& step, std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                     const std::function<bool()>& ready) {
  if (ready()) return absl::OkStatus();
  const StepServices& services = step.services();
  CancellationManager& cancellation = *services.cancellation;
  std::mutex& mu = *lock.mutex();
  lock.unlock();
  const int64_t id = cancellation.Register([&mu, &changed] {
    std::lock_guard<std::mutex> notify_lock(mu);
    changed.notify_all();
  });
  lock.lock();
  const auto go_on = [&] { return ready() || cancellation.cancelled(); };
  bool in_time = true;
  if (services.has_deadline) {
    in_time = changed.wait_until(lock, services.deadline, go_on);
  } else {
    changed.wait(lock, go_on);
  }
  lock.unlock();
  if (id != 0) cancellation.Deregister(id);
  lock.lock();
  if (ready()) return absl::OkStatus();
  if (cancellation.cancelled()) return cancellation.status();
  return in_time ? absl::OkStatus() : DeadlineExceeded();
}

}  // namespace flowlatch
