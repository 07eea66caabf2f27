#include "runtime/threads/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/threads/float_mode.h"

namespace flowlatch {
namespace {

// Below this much work a wake-up (8-35 us for a parked thread) costs more than it brings.
constexpr double kMinParallelNs = 40e3;
constexpr double kMinChunkNs = 10e3;
constexpr int kChunksPerThread = 8;
// How long a helper looks for more work before it parks: loops of one step, and of steps in a row, follow each other faster.
constexpr std::chrono::microseconds kLookout(50);

int ProcessorsAllowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

// Whether this thread is inside a ParallelFor body: nested loops then run whole.
thread_local bool in_parallel_for = false;

// One loop that several threads share. Counted by shared_ptr: a helper may look at it after the caller has left.
struct Loop {
  int64_t n = 0, chunk = 0;
  const std::function<void(int64_t, int64_t)>* body = nullptr;
  std::atomic<int64_t> next{0};
  std::atomic<int64_t> finished{0};  // items whose body has returned
  std::atomic<bool> threw{false};
  std::exception_ptr exception;  // the first; for the caller, once all items are finished

  // Takes chunks until none is left.
  void Work() {
    in_parallel_for = true;
    for (int64_t begin = next.fetch_add(chunk); begin < n; begin = next.fetch_add(chunk)) {
      const int64_t end = std::min(n, begin + chunk);
      try {
        (*body)(begin, end);
      } catch (...) {
        if (!threw.exchange(true)) exception = std::current_exception();
      }
      finished.fetch_add(end - begin, std::memory_order_acq_rel);
    }
    in_parallel_for = false;
  }
};

}  // namespace

struct ThreadPool::Impl {
  std::mutex mu;
  std::condition_variable wake;
  std::deque<std::function<void()>> tasks;  // guarded by mu
  int parked = 0;                           // guarded by mu
  bool stopping = false;                    // guarded by mu
  std::vector<std::thread> threads;         // guarded by mu
  // What helpers that look out for work see without mu.
  std::atomic<size_t> num_tasks{0};
  std::atomic<size_t> lookouts{0};

  void Main() {
    const FloatMode mode;
    std::unique_lock<std::mutex> lock(mu);
    for (;;) {
      ++parked;
      wake.wait(lock, [this] { return stopping || !tasks.empty(); });
      --parked;
      while (!tasks.empty()) {
        std::function<void()> task = std::move(tasks.front());
        tasks.pop_front();
        num_tasks.store(tasks.size(), std::memory_order_relaxed);
        lock.unlock();
        task();
        task = nullptr;
        LookOut();
        lock.lock();
      }
      if (stopping) return;
    }
  }

  // Returns when there is a task, or after kLookout.
  void LookOut() {
    lookouts.fetch_add(1);
    const auto end = std::chrono::steady_clock::now() + kLookout;
    while (num_tasks.load(std::memory_order_relaxed) == 0 && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();  // others may need the processor more
    }
    lookouts.fetch_sub(1);
  }

  void Enqueue(std::function<void()> task, int num_helpers) {
    bool must_wake = false;
    {
      std::lock_guard<std::mutex> lock(mu);
      tasks.push_back(std::move(task));
      num_tasks.store(tasks.size(), std::memory_order_relaxed);
      if (static_cast<int>(threads.size()) < num_helpers) threads.emplace_back([this] { Main(); });
      // Helpers that look out, and busy ones, see the task before they park.
      must_wake = parked > 0 && tasks.size() > lookouts.load();
    }
    if (must_wake) wake.notify_one();
  }
};

ThreadPool::ThreadPool(int num_threads)
    : num_threads_(num_threads > 0 ? num_threads : ProcessorsAllowed()), impl_(std::make_unique<Impl>()) {}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(impl_->mu);
    impl_->stopping = true;
  }
  impl_->wake.notify_all();
  for (std::thread& t : impl_->threads) t.join();
}

void ThreadPool::ParallelFor(int64_t n, double cost_per_item, const std::function<void(int64_t, int64_t)>& body) {
  if (n <= 0) return;
  const double cost = static_cast<double>(n) * cost_per_item;
  if (num_threads_ == 1 || n == 1 || in_parallel_for || cost < kMinParallelNs) {
    body(0, n);
    return;
  }
  auto loop = std::make_shared<Loop>();
  loop->n = n;
  const int64_t by_threads = (n + num_threads_ * kChunksPerThread - 1) / (num_threads_ * kChunksPerThread);
  loop->chunk = std::max(by_threads, static_cast<int64_t>(kMinChunkNs / std::max(cost_per_item, 1e-3)) + 1);
  loop->body = &body;
  const int64_t chunks = (n + loop->chunk - 1) / loop->chunk;
  const int helpers = static_cast<int>(std::min<int64_t>(num_threads_ - 1, chunks - 1));
  for (int i = 0; i < helpers; ++i) impl_->Enqueue([loop] { loop->Work(); }, num_threads_ - 1);
  loop->Work();
  // What is left is in the hands of running helpers, each with one chunk.
  while (loop->finished.load(std::memory_order_acquire) < n) std::this_thread::yield();
  if (loop->threw) std::rethrow_exception(loop->exception);
}

void ThreadPool::Schedule(std::function<void()> task) {
  if (num_threads_ == 1) {
    task();
    return;
  }
  impl_->Enqueue(std::move(task), num_threads_ - 1);
}

}  // namespace flowlatch
