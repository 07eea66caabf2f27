#include "runtime/threads/cancellation.h"

#include <utility>

namespace flowlatch {

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
  for (auto& [id, callback] : callbacks) callback();
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

bool CancellationManager::Deregister(int64_t id) {
  std::unique_lock<std::mutex> lock(mu_);
  if (callbacks_.erase(id) > 0) return true;
  idle_.wait(lock, [this] { return !running_callbacks_; });
  return false;
}

}  // namespace flowlatch
