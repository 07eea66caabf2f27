// ThreadPool: helpers of the threads that run steps. The caller always takes part, so a pool of one creates no thread.
#ifndef FLOWLATCH_RUNTIME_THREADS_THREAD_POOL_H_
#define FLOWLATCH_RUNTIME_THREADS_THREAD_POOL_H_

#include <cstdint>
#include <functional>
#include <memory>

namespace flowlatch {

// Thread-safe; may be shared by sessions. Threads are made on first use.
class ThreadPool {
 public:
  // `num_threads` counts the caller: helpers are num_threads - 1. 0: as many as the process may use.
  explicit ThreadPool(int num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const { return num_threads_; }

  // Runs body(begin, end) over [0, n) in chunks that caller and helpers take from a counter; returns when all are done.
  // `cost_per_item`: rough nanoseconds. Small work runs whole in the caller. Nested calls run in the caller.
  void ParallelFor(int64_t n, double cost_per_item, const std::function<void(int64_t, int64_t)>& body);

  // Runs `task` on a helper, or in the caller when there is none. It must not wait for other tasks.
  void Schedule(std::function<void()> task);

 private:
  struct Impl;
  const int num_threads_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_THREADS_THREAD_POOL_H_
