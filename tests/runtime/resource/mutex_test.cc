#include "runtime/resource/mutex.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;

class MutexTest : public testing::Test {
 protected:
  // Writes down who gets the lock, which is kept in locks_.
  void Acquire(const std::string& name, CancellationManager* step = nullptr) {
    mutex_->Acquire(step != nullptr ? *step : step_, [this, name](absl::StatusOr<RefPtr<Mutex::Lock>> lock) {
      log_.push_back(lock.ok() ? name : absl::StrCat(name, " ", absl::StatusCodeToString(lock.status().code())));
      if (lock.ok()) locks_.push_back(*std::move(lock));
    });
  }
  // Drops the lock that was got first.
  void Release() {
    RefPtr<Mutex::Lock> lock = std::move(locks_.front());
    locks_.erase(locks_.begin());
  }

  CancellationManager step_;
  RefPtr<Mutex> mutex_ = MakeRef<Mutex>("m");
  std::vector<std::string> log_;
  std::vector<RefPtr<Mutex::Lock>> locks_;
};

TEST_F(MutexTest, InTheOrderOfArrival) {
  Acquire("a");
  Acquire("b");
  Acquire("c");
  EXPECT_THAT(log_, ElementsAre("a"));
  Release();
  EXPECT_THAT(log_, ElementsAre("a", "b"));
  Release();
  Release();
  EXPECT_THAT(log_, ElementsAre("a", "b", "c"));
  Acquire("d");
  EXPECT_THAT(log_, ElementsAre("a", "b", "c", "d"));
}

TEST_F(MutexTest, HeldAsLongAsAnyoneHoldsTheLock) {
  Acquire("a");
  locks_.push_back(locks_[0]);
  Acquire("b");
  Release();
  EXPECT_THAT(log_, ElementsAre("a"));
  Release();
  EXPECT_THAT(log_, ElementsAre("a", "b"));
}

TEST_F(MutexTest, WhoIsCancelledDoesNotGetIt) {
  CancellationManager other;
  Acquire("a");
  Acquire("b", &other);
  Acquire("c");
  other.Cancel(absl::DeadlineExceededError("late"));
  EXPECT_THAT(log_, ElementsAre("a", "b CANCELLED"));
  Release();
  EXPECT_THAT(log_, ElementsAre("a", "b CANCELLED", "c"));
  Release();
  Acquire("d", &other);
  EXPECT_THAT(log_, ElementsAre("a", "b CANCELLED", "c", "d CANCELLED"));
}

TEST_F(MutexTest, LocksOutliveTheReferenceToTheirMutex) {
  Acquire("a");
  Acquire("b");
  mutex_ = RefPtr<Mutex>();
  Release();
  EXPECT_THAT(log_, ElementsAre("a", "b"));
}

TEST(MutexThreadsTest, OneAtATime) {
  const RefPtr<Mutex> mutex = MakeRef<Mutex>("m");
  int64_t count = 0;  // guarded by the mutex
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i) {
        CancellationManager step;
        std::atomic<bool> ended{false};
        mutex->Acquire(step, [&](absl::StatusOr<RefPtr<Mutex::Lock>> lock) {
          if (lock.ok()) {
            ++count;
            *lock = RefPtr<Mutex::Lock>();
          }
          ended = true;
        });
        if (t == 3) step.Cancel(absl::CancelledError());
        while (!ended) std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(count, 900);
}

}  // namespace
}  // namespace flowlatch
