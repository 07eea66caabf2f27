#include "runtime/threads/thread_pool.h"

#include <dirent.h>
#include <xmmintrin.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/threads/float_mode.h"

namespace flowlatch {
namespace {

constexpr double kMuch = 1e6;  // nanoseconds of one item, so that every loop pays

int ThreadsOfProcess() {
  DIR* dir = opendir("/proc/self/task");
  int count = 0;
  while (const dirent* entry = readdir(dir)) count += entry->d_name[0] != '.';
  closedir(dir);
  return count;
}

// The caller gets what a body throws, on whatever thread, once no body runs any more.
TEST(ThreadPoolTest, ExceptionsReachTheCaller) {
  ThreadPool pool(4);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> running{0};
    EXPECT_THROW(pool.ParallelFor(64, kMuch,
                                  [&](int64_t begin, int64_t) {
                                    ++running;
                                    std::this_thread::yield();
                                    --running;
                                    if (begin % 3 == 0) throw std::bad_alloc();
                                  }),
                 std::bad_alloc);
    EXPECT_EQ(running, 0);
    std::atomic<int64_t> items{0};
    pool.ParallelFor(64, kMuch, [&](int64_t begin, int64_t end) { items += end - begin; });
    EXPECT_EQ(items, 64);
  }
}

TEST(ThreadPoolTest, OneThreadIsTheCallers) {
  const int before = ThreadsOfProcess();
  ThreadPool pool(1);
  EXPECT_EQ(pool.num_threads(), 1);
  const std::thread::id self = std::this_thread::get_id();
  int64_t items = 0;
  pool.ParallelFor(1000, kMuch, [&](int64_t begin, int64_t end) {
    EXPECT_EQ(std::this_thread::get_id(), self);
    items += end - begin;
  });
  EXPECT_EQ(items, 1000);
  bool ran = false;
  pool.Schedule([&] { ran = std::this_thread::get_id() == self; });
  EXPECT_TRUE(ran);
  EXPECT_EQ(ThreadsOfProcess(), before);
}

TEST(ThreadPoolTest, ThreadsAreMadeOnFirstUseAndNotBeyond) {
  const int before = ThreadsOfProcess();
  {
    ThreadPool pool(3);
    EXPECT_EQ(ThreadsOfProcess(), before);
    for (int i = 0; i < 100; ++i) pool.ParallelFor(1000, kMuch, [](int64_t, int64_t) {});
    EXPECT_LE(ThreadsOfProcess(), before + 2);
  }
  EXPECT_EQ(ThreadsOfProcess(), before);
}

TEST(ThreadPoolTest, SeveralThreadsTakePart) {
  ThreadPool pool(4);
  std::mutex mu;
  std::condition_variable changed;
  std::set<std::thread::id> seen;
  // Each chunk waits until a second thread has come.
  pool.ParallelFor(64, kMuch, [&](int64_t, int64_t) {
    std::unique_lock<std::mutex> lock(mu);
    seen.insert(std::this_thread::get_id());
    changed.notify_all();
    changed.wait(lock, [&] { return seen.size() >= 2; });
  });
  EXPECT_GE(seen.size(), 2u);
}

TEST(ThreadPoolTest, EachItemOnce) {
  ThreadPool pool(4);
  for (const int64_t n : {0, 1, 2, 3, 7, 64, 1000, 4097}) {
    for (const double cost : {0.0, 1.0, 100.0, kMuch}) {
      std::vector<std::atomic<int>> times(n);
      pool.ParallelFor(n, cost, [&](int64_t begin, int64_t end) {
        ASSERT_LE(0, begin);
        ASSERT_LE(end, n);
        ASSERT_LT(begin, end);
        for (int64_t i = begin; i < end; ++i) ++times[i];
      });
      for (int64_t i = 0; i < n; ++i) ASSERT_EQ(times[i].load(), 1) << i << " of " << n;
    }
  }
}

TEST(ThreadPoolTest, NestedLoopsRunWhole) {
  ThreadPool pool(4);
  std::atomic<int64_t> items{0};
  pool.ParallelFor(100, kMuch, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const std::thread::id self = std::this_thread::get_id();
      int calls = 0;
      pool.ParallelFor(100, kMuch, [&](int64_t b, int64_t e) {
        EXPECT_EQ(std::this_thread::get_id(), self);
        ++calls;
        items += e - b;
      });
      EXPECT_EQ(calls, 1);
    }
  });
  EXPECT_EQ(items.load(), 10000);
  // The caller is no longer inside a loop afterwards.
  std::atomic<int> chunks{0};
  pool.ParallelFor(100, kMuch, [&](int64_t, int64_t) { ++chunks; });
  EXPECT_GT(chunks.load(), 1);
}

TEST(ThreadPoolTest, SharedByManyCallers) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  std::atomic<int64_t> items{0};
  for (int t = 0; t < 6; ++t) {
    callers.emplace_back([&] {
      for (int i = 0; i < 200; ++i)
        pool.ParallelFor(50, kMuch, [&](int64_t begin, int64_t end) { items += end - begin; });
    });
  }
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(items.load(), 6 * 200 * 50);
}

TEST(ThreadPoolTest, ScheduledTasksRunBeforeThePoolGoes) {
  std::atomic<int> ran{0};
  {
    ThreadPool pool(3);
    for (int i = 0; i < 100; ++i) pool.Schedule([&] { ++ran; });
  }
  EXPECT_EQ(ran.load(), 100);
}

TEST(ThreadPoolTest, ZeroMeansTheProcessors) { EXPECT_GE(ThreadPool(0).num_threads(), 1); }

// volatile: at run time, in the mode of the moment.
float SmallestNormalHalved() {
  volatile float x = 1.17549435e-38f;
  volatile float y = 0.5f;
  return x * y;
}

TEST(FloatModeTest, DenormalsAreZeroWhileItLives) {
  EXPECT_GT(SmallestNormalHalved(), 0);
  {
    const FloatMode mode;
    EXPECT_EQ(SmallestNormalHalved(), 0);
    const FloatMode again;
    EXPECT_EQ(SmallestNormalHalved(), 0);
  }
  EXPECT_GT(SmallestNormalHalved(), 0);
}

TEST(FloatModeTest, CallersRoundingComesBack) {
  const unsigned int before = _mm_getcsr();
  _MM_SET_ROUNDING_MODE(_MM_ROUND_UP);
  {
    const FloatMode mode;
    EXPECT_EQ(_MM_GET_ROUNDING_MODE(), static_cast<unsigned>(_MM_ROUND_NEAREST));
  }
  EXPECT_EQ(_MM_GET_ROUNDING_MODE(), static_cast<unsigned>(_MM_ROUND_UP));
  _mm_setcsr(before);
}

TEST(FloatModeTest, HelpersHaveIt) {
  ThreadPool pool(2);
  std::mutex mu;
  std::condition_variable changed;
  float result = -1;
  pool.Schedule([&] {
    std::lock_guard<std::mutex> lock(mu);
    result = SmallestNormalHalved();
    changed.notify_all();
  });
  std::unique_lock<std::mutex> lock(mu);
  changed.wait(lock, [&] { return result >= 0; });
  EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace flowlatch
