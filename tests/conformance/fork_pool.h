// ForkPool: runs many small jobs, each in a child of this process, so that none can harm another.
#ifndef FLOWLATCH_TESTS_CONFORMANCE_FORK_POOL_H_
#define FLOWLATCH_TESTS_CONFORMANCE_FORK_POOL_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace flowlatch {

// What a job may use. Where address space cannot be limited (under sanitizers) resident memory is watched instead.
struct JobLimits {
  double seconds = 20;
  int64_t memory_mib = 4096;
};

// How a job ended.
struct JobEnd {
  bool answered = false;  // whether the job gave an answer; else `problem` says what happened
  std::string answer;     // up to a few KiB
  std::string problem;    // "killed by signal 11 (Segmentation fault)", "still running after 20 s", ...
  double seconds = 0;
};

// Runs job(0) ... job(n - 1), `parallel` at a time, each in a fork; `done(i, end)` is called here as each ends.
// A job calls `limit` once, before anything that might hang; then the clock starts. What it writes to standard error
// goes to `problem`. Requires: this process has no threads.
void RunForked(int n, int parallel,
               const std::function<std::string(int, const std::function<void(JobLimits)>& limit)>& job,
               const std::function<void(int, JobEnd)>& done);

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_CONFORMANCE_FORK_POOL_H_
