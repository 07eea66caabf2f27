#include "ops/kernels/wait_list.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

// A number of things that calls add to and take from.
class Stock final : public WaitableResource {
 public:
  std::string TypeName() const override { return "Stock"; }
  void Take(CancellationManager& cancellation, int n, Done done) {
    Run(
        cancellation,
        [this, n]() -> std::optional<absl::Status> {
          if (n < 0) return absl::InvalidArgumentError("negative");
          if (have_ < n) return std::nullopt;
          have_ -= n;
          return absl::OkStatus();
        },
        std::move(done));
  }
  absl::Status Add(int n) {
    return RunNow([&]() -> absl::Status {
      have_ += n;
      return absl::OkStatus();
    });
  }

 private:
  int have_ = 0;
};

TEST(WaitListTest, EndsAtOnceWhenItCan) {
  RefPtr<Stock> stock = MakeRef<Stock>();
  CancellationManager cancellation;
  ASSERT_TRUE(stock->Add(1).ok());
  int ended = 0;
  stock->Take(cancellation, 1, [&](absl::Status s) { ended += s.ok(); });
  EXPECT_EQ(ended, 1);
  stock->Take(cancellation, -1, [&](absl::Status s) { ended += absl::IsInvalidArgument(s); });
  EXPECT_EQ(ended, 2);
}

TEST(WaitListTest, WaitersAreTriedInOrderAndAgainAfterEachOther) {
  RefPtr<Stock> stock = MakeRef<Stock>();
  CancellationManager cancellation;
  std::vector<int> ended;
  for (const int n : {3, 1, 1}) stock->Take(cancellation, n, [&ended, n](absl::Status) { ended.push_back(n); });
  ASSERT_TRUE(stock->Add(2).ok());
  EXPECT_EQ(ended, (std::vector<int>{1, 1}));
  ASSERT_TRUE(stock->Add(3).ok());
  EXPECT_EQ(ended, (std::vector<int>{1, 1, 3}));
}

TEST(WaitListTest, CancellationReachesOnlyItsOwnCalls) {
  RefPtr<Stock> stock = MakeRef<Stock>();
  CancellationManager first, second;
  absl::Status a, b;
  int ended = 0;
  stock->Take(first, 1, [&](absl::Status s) {
    a = s;
    ++ended;
  });
  stock->Take(second, 1, [&](absl::Status s) {
    b = s;
    ++ended;
  });
  first.Cancel(absl::DeadlineExceededError("time is up"));
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(a.code(), absl::StatusCode::kDeadlineExceeded);
  ASSERT_TRUE(stock->Add(1).ok());
  EXPECT_EQ(ended, 2);
  EXPECT_TRUE(b.ok());
  stock->Take(first, 1, [&](absl::Status s) {
    a = s;
    ++ended;
  });
  EXPECT_EQ(ended, 3);
  EXPECT_EQ(a.code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(WaitListTest, AResourceThatIsGoneStillEndsItsCalls) {
  CancellationManager cancellation;
  int ended = 0;
  {
    RefPtr<Stock> stock = MakeRef<Stock>();
    stock->Take(cancellation, 1, [&](absl::Status) { ++ended; });
  }
  cancellation.Cancel(absl::CancelledError());
  EXPECT_EQ(ended, 1);
}

// Takes, additions and cancellation meet in all orders; every call ends once, and nothing is lost.
TEST(WaitListTest, EveryCallEndsOnce) {
  for (int round = 0; round < 50; ++round) {
    RefPtr<Stock> stock = MakeRef<Stock>();
    constexpr int kThreads = 4, kCalls = 20;
    std::atomic<int> taken{0}, cancelled{0};
    CancellationManager patient;
    std::vector<std::unique_ptr<CancellationManager>> managers;
    for (int t = 0; t < kThreads; ++t) managers.push_back(std::make_unique<CancellationManager>(&patient));
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kCalls; ++i) {
          stock->Take(*managers[t], 1, [&](absl::Status s) { s.ok() ? ++taken : ++cancelled; });
        }
      });
      threads.emplace_back([&, t] {
        for (int i = 0; i < kCalls / 2; ++i) EXPECT_TRUE(stock->Add(1).ok());
        if (t % 2 == 0) managers[t]->Cancel(absl::CancelledError("enough"));
      });
    }
    for (std::thread& thread : threads) thread.join();
    patient.Cancel(absl::CancelledError("closed"));
    EXPECT_EQ(taken + cancelled, kThreads * kCalls);
    EXPECT_EQ(taken, kThreads * kCalls / 2);  // as many as were added: half of the calls wait until the end
  }
}

}  // namespace
}  // namespace flowlatch
