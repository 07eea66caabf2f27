#include "runtime/threads/cancellation.h"

#include <utility>

namespace flowlatch {
namespace {

// Calls of callbacks that this thread is in. Whoever is in one must not wait for others: they may wait for it.
thread_local int callbacks_here = 0;

}  // namespace

CancellationManager::CancellationManager(CancellationManager* parent) : parent_(parent) {
  if (parent_ == nullptr) return;
  parent_id_ = parent_->Register([this] { Cancel(parent_->status()); });
  if (parent_id_ == 0) Cancel(parent_->status());
}

CancellationManager::~CancellationManager() {
  if (parent_ != nullptr && parent_id_ != 0) parent_->Deregister(parent_id_);
}

void CancellationManager::Cancel(absl::Status why) {
  std::map<int64_t, std::function<void()>> callbacks;
  {
    std::lock_guard<std::mutex> lock(mu_);
    if (code_ != absl::StatusCode::kOk) return;
    code_ = why.ok() ? absl::StatusCode::kCancelled : why.code();
    message_ = std::string(why.message());
    cancelled_.store(true, std::memory_order_release);
    callbacks.swap(callbacks_);
    running_callbacks_ = true;
  }
  ++callbacks_here;
  for (auto& [id, callback] : callbacks) callback();
  --callbacks_here;
  {
    std::lock_guard<std::mutex> lock(mu_);
    running_callbacks_ = false;
    idle_.notify_all();  // under the lock: a waiter may destroy this object once it has it
  }
}

absl::Status CancellationManager::status() const {
  std::lock_guard<std::mutex> lock(mu_);
  return absl::Status(code_, message_);
}

int64_t CancellationManager::Register(std::function<void()> callback) {
  std::lock_guard<std::mutex> lock(mu_);
  if (code_ != absl::StatusCode::kOk) return 0;
  const int64_t id = next_id_++;
  callbacks_.emplace(id, std::move(callback));
  return id;
}

// From a callback it does not wait: then a callback that is under way may still run, and must own what it touches.
bool CancellationManager::Deregister(int64_t id) {
  std::function<void()> callback;  // dies without the lock, as may what it owns
  std::unique_lock<std::mutex> lock(mu_);
  const auto at = callbacks_.find(id);
  if (at != callbacks_.end()) {
    callback = std::move(at->second);
    callbacks_.erase(at);
    lock.unlock();
    return true;
  }
  if (callbacks_here > 0) return false;
  idle_.wait(lock, [this] { return !running_callbacks_; });
  return false;
}

}  // namespace flowlatch
