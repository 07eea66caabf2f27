// CancellationManager: tells everything that waits in a step, or a session, to stop.
#ifndef FLOWLATCH_RUNTIME_THREADS_CANCELLATION_H_
#define FLOWLATCH_RUNTIME_THREADS_CANCELLATION_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "absl/status/status.h"

namespace flowlatch {

// Thread-safe. A child is cancelled with its parent.
class CancellationManager {
 public:
  explicit CancellationManager(CancellationManager* parent = nullptr);
  ~CancellationManager();
  CancellationManager(const CancellationManager&) = delete;
  CancellationManager& operator=(const CancellationManager&) = delete;

  // Runs every registered callback, in this thread. The first call counts; later ones do nothing.
  void Cancel(absl::Status why);
  // One relaxed load: for loops and long kernels.
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // Why; OK before Cancel.
  absl::Status status() const;

  // Calls `callback` on Cancel. Returns 0 without registering when already cancelled.
  int64_t Register(std::function<void()> callback);
  // After this the callback will not run, and is not running unless this is called from a callback. Returns false if it has run.
  bool Deregister(int64_t id);

 private:
  CancellationManager* parent_;
  int64_t parent_id_ = 0;
  std::atomic<bool> cancelled_{false};
  mutable std::mutex mu_;
  std::condition_variable idle_;
  // All guarded by mu_. Code and text apart: copies of one Status in two threads look like races to TSan.
  bool running_callbacks_ = false;
  absl::StatusCode code_ = absl::StatusCode::kOk;
  std::string message_;
  int64_t next_id_ = 1;
  std::map<int64_t, std::function<void()>> callbacks_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_THREADS_CANCELLATION_H_
