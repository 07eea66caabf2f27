#include "runtime/threads/cancellation.h"

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

TEST(CancellationTest, CallbacksRunOnceInTheCancellingThread) {
  CancellationManager manager;
  EXPECT_FALSE(manager.cancelled());
  EXPECT_TRUE(manager.status().ok());
  int called = 0;
  EXPECT_NE(manager.Register([&] { ++called; }), 0);
  EXPECT_NE(manager.Register([&] {
    ++called;
    EXPECT_TRUE(manager.cancelled());
    EXPECT_EQ(manager.status().message(), "first");
  }),
            0);
  manager.Cancel(absl::DeadlineExceededError("first"));
  manager.Cancel(absl::CancelledError("second"));
  EXPECT_EQ(called, 2);
  EXPECT_EQ(manager.status(), absl::DeadlineExceededError("first"));
}

TEST(CancellationTest, OkMeansCancelled) {
  CancellationManager manager;
  manager.Cancel(absl::OkStatus());
  EXPECT_EQ(manager.status().code(), absl::StatusCode::kCancelled);
}

TEST(CancellationTest, RegisterAfterwardsIsRefused) {
  CancellationManager manager;
  manager.Cancel(absl::CancelledError());
  bool called = false;
  EXPECT_EQ(manager.Register([&] { called = true; }), 0);
  EXPECT_FALSE(called);
}

TEST(CancellationTest, Deregister) {
  CancellationManager manager;
  bool called = false;
  const int64_t id = manager.Register([&] { called = true; });
  const int64_t other = manager.Register([] {});
  EXPECT_TRUE(manager.Deregister(id));
  manager.Cancel(absl::CancelledError());
  EXPECT_FALSE(called);
  EXPECT_FALSE(manager.Deregister(other));
}

// After Deregister the callback does not run, and is not running: its memory may go.
TEST(CancellationTest, DeregisterWaitsForTheCallback) {
  for (int i = 0; i < 200; ++i) {
    CancellationManager manager;
    auto memory = std::make_unique<int>(0);
    const int64_t id = manager.Register([&] { ++*memory; });
    std::thread cancel([&] { manager.Cancel(absl::CancelledError()); });
    const bool removed = manager.Deregister(id);
    const int calls = *memory;
    memory.reset();
    cancel.join();
    EXPECT_EQ(calls, removed ? 0 : 1);
  }
}

// Callbacks of two managers that take each other back, in two threads.
TEST(CancellationTest, CallbacksDoNotWaitForEachOther) {
  for (int i = 0; i < 200; ++i) {
    CancellationManager a, b;
    int64_t of_a = 0, of_b = 0;
    of_a = a.Register([&] { b.Deregister(of_b); });
    of_b = b.Register([&] { a.Deregister(of_a); });
    std::thread cancel([&] { a.Cancel(absl::CancelledError()); });
    b.Cancel(absl::CancelledError());
    cancel.join();
  }
}

TEST(CancellationTest, DeregisterFromACallbackDoesNotWait) {
  CancellationManager manager;
  int called = 0;
  std::vector<int64_t> ids;
  for (int i = 0; i < 3; ++i) {
    ids.push_back(manager.Register([&] {
      ++called;
      for (const int64_t id : ids) EXPECT_FALSE(manager.Deregister(id));
    }));
  }
  const int64_t other = manager.Register([&] { ++called; });
  EXPECT_TRUE(manager.Deregister(other));
  EXPECT_FALSE(manager.Deregister(other));
  manager.Cancel(absl::CancelledError());
  EXPECT_EQ(called, 3);
}

TEST(CancellationTest, ChildrenFollowTheirParent) {
  CancellationManager parent;
  CancellationManager child(&parent);
  std::optional<CancellationManager> gone(std::in_place, &parent);
  gone.reset();
  CancellationManager grandchild(&child);
  bool called = false;
  EXPECT_NE(grandchild.Register([&] { called = true; }), 0);
  parent.Cancel(absl::AbortedError("all"));
  EXPECT_TRUE(called);
  EXPECT_EQ(grandchild.status(), absl::AbortedError("all"));
  CancellationManager late(&parent);
  EXPECT_EQ(late.status(), absl::AbortedError("all"));
}

TEST(CancellationTest, ChildrenDoNotCancelTheirParent) {
  CancellationManager parent;
  CancellationManager child(&parent);
  child.Cancel(absl::CancelledError());
  EXPECT_FALSE(parent.cancelled());
}

TEST(CancellationTest, ManyThreads) {
  CancellationManager manager;
  std::atomic<int> registered{0}, called{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      while (!manager.cancelled()) {
        const int64_t id = manager.Register([&] { ++called; });
        if (id == 0) break;
        ++registered;
        if (registered % 2 == 0 && manager.Deregister(id)) --registered;
      }
    });
  }
  while (registered < 100) std::this_thread::yield();
  manager.Cancel(absl::CancelledError());
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(called, registered);
}

}  // namespace
}  // namespace flowlatch
