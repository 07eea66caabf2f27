// StepLoop: where work from other threads comes back to the thread that runs a step.
#ifndef FLOWLATCH_RUNTIME_EXEC_STEP_LOOP_H_
#define FLOWLATCH_RUNTIME_EXEC_STEP_LOOP_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace flowlatch {

// One per step that has asynchronous kernels. Post may be called from any thread, the rest from the step's.
class StepLoop {
 public:
  void Post(std::function<void()> work) {
    std::lock_guard<std::mutex> lock(mu_);
    queue_.push_back(std::move(work));
    wake_.notify_one();  // under the lock: the loop may be gone once its owner has seen the work
  }
  // Runs what was posted, waiting for the first piece at most until `deadline` (null: without limit). Returns false when
  // the time was up.
  bool RunSome(const std::chrono::steady_clock::time_point* deadline) {
    {
      std::unique_lock<std::mutex> lock(mu_);
      const auto ready = [this] { return !queue_.empty(); };
      if (deadline == nullptr) {
        wake_.wait(lock, ready);
      } else if (!wake_.wait_until(lock, *deadline, ready)) {
        return false;
      }
      running_.swap(queue_);
    }
    for (std::function<void()>& piece : running_) piece();
    running_.clear();
    return true;
  }

 private:
  std::mutex mu_;
  std::condition_variable wake_;
  std::vector<std::function<void()>> queue_;    // guarded by mu_
  std::vector<std::function<void()>> running_;  // only the step's thread sees it
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_EXEC_STEP_LOOP_H_
