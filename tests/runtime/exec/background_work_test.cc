#include "runtime/exec/background_work.h"

#include <atomic>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

class TestStep final : public StepContext {
 public:
  explicit TestStep(ThreadPool* pool = nullptr) : StepContext(services_) {
    services_.pool = pool;
    services_.cancellation = &cancellation_;
    services_.resources = &resources_;
    services_.step_id = 7;
  }
  void Fail(uint32_t, absl::Status) override {}
  StepServices& services() { return services_; }
  CancellationManager& cancellation() { return cancellation_; }

 private:
  StepServices services_;
  ResourceManager resources_;
  CancellationManager cancellation_;
};

class Flag {
 public:
  void Set() {
    std::lock_guard<std::mutex> lock(mu_);
    set_ = true;
    changed_.notify_all();
  }
  void Wait() {
    std::unique_lock<std::mutex> lock(mu_);
    changed_.wait(lock, [this] { return set_; });
  }
  std::mutex mu_;
  std::condition_variable changed_;
  bool set_ = false;
};

TEST(BackgroundWorkTest, TasksRunWithStepsOfTheirOwn) {
  ThreadPool pool(2);
  TestStep step(&pool);
  step.services().has_deadline = true;  // a task has none
  const std::shared_ptr<BackgroundWork> work = BackgroundWork::Create(step);
  EXPECT_EQ(work->num_threads(), 1);
  Flag ended;
  work->Schedule([&](StepContext& task) {
    EXPECT_EQ(task.services().resources, step.services().resources);
    EXPECT_NE(task.services().cancellation, step.services().cancellation);
    EXPECT_NE(task.services().step_resources, nullptr);
    EXPECT_FALSE(task.services().has_deadline);
    EXPECT_TRUE(CheckInterrupted(task).ok());
    ended.Set();
  });
  ended.Wait();
  work->Stop();
  EXPECT_TRUE(work->stopped());
}

TEST(BackgroundWorkTest, NoThreads) {
  TestStep step;
  EXPECT_EQ(BackgroundWork::Create(step)->num_threads(), 0);
  ThreadPool one(1);
  TestStep alone(&one);
  EXPECT_EQ(BackgroundWork::Create(alone)->num_threads(), 0);
}

TEST(BackgroundWorkTest, StopCancelsAndWaits) {
  ThreadPool pool(2);
  TestStep step(&pool);
  const std::shared_ptr<BackgroundWork> work = BackgroundWork::Create(step);
  Flag started;
  std::atomic<bool> ended{false}, second{false};
  work->Schedule([&](StepContext& task) {
    started.Set();
    std::mutex mu;
    std::condition_variable never;
    std::unique_lock<std::mutex> lock(mu);
    EXPECT_EQ(WaitFor(task, lock, never, [] { return false; }).code(), absl::StatusCode::kCancelled);
    ended = true;
  });
  work->Schedule([&](StepContext&) { second = true; });  // behind the first on the only thread
  started.Wait();
  work->Stop();
  EXPECT_TRUE(ended);
  EXPECT_FALSE(second);
}

TEST(BackgroundWorkTest, ATaskMayStopItsOwnWork) {
  ThreadPool pool(2);
  TestStep step(&pool);
  std::shared_ptr<BackgroundWork> work = BackgroundWork::Create(step);
  Flag ended;
  work->Schedule([&](StepContext&) {
    work->Stop();
    ended.Set();
  });
  ended.Wait();
  work->Stop();
}

TEST(BackgroundWorkTest, StopAllOfASession) {
  ThreadPool pool(3);
  TestStep step(&pool), other(&pool);
  const std::shared_ptr<BackgroundWork> work = BackgroundWork::Create(step), others = BackgroundWork::Create(other);
  std::shared_ptr<BackgroundWork> nested;
  Flag made;
  work->Schedule([&](StepContext& task) {
    nested = BackgroundWork::Create(task);  // in the name of the same session
    made.Set();
  });
  made.Wait();
  BackgroundWork::StopAllOf(step.services());
  EXPECT_TRUE(work->stopped());
  EXPECT_TRUE(nested->stopped());
  EXPECT_FALSE(others->stopped());
  BackgroundWork::StopAllOf(step.services());
}

TEST(BackgroundWorkTest, Waits) {
  TestStep step;
  std::mutex mu;
  std::condition_variable changed;
  bool ready = false;
  std::unique_lock<std::mutex> lock(mu);
  std::thread setter([&] {
    std::lock_guard<std::mutex> set_lock(mu);
    ready = true;
    changed.notify_all();
  });
  EXPECT_TRUE(WaitFor(step, lock, changed, [&] { return ready; }).ok());
  setter.join();
  step.services().has_deadline = true;
  step.services().deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
  EXPECT_EQ(WaitFor(step, lock, changed, [] { return false; }).code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(CheckInterrupted(step).code(), absl::StatusCode::kDeadlineExceeded);
  step.cancellation().Cancel(absl::CancelledError("stop"));
  EXPECT_EQ(WaitFor(step, lock, changed, [] { return false; }).message(), "stop");
  EXPECT_EQ(CheckInterrupted(step).message(), "stop");
}

}  // namespace
}  // namespace flowlatch
