// mutation: runs mutated calls of every op and looks for what crashes, hangs, takes too much memory or answers nonsense.
//
//   mutation [--cases N] [--seed N] [--filter REGEX] [--seeds DIR] [--calls DIR] [--jobs N]
//   mutation --repro CALL:NUMBER      prints one case and runs it in this process
//
// The valid calls are those of tests/mutation/calls and, with --seeds, of a folder of cases. Cases are shared out among the
// calls. The last line is `N passed, N failed, N skipped`; exit code 1 if any failed.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/tensor/buffer.h"
#include "ops/default_ops.h"
#include "re2/re2.h"
#include "tests/conformance/fork_pool.h"
#include "tests/mutation/call.h"
#include "tests/mutation/mutations.h"
#include "tests/mutation/run_call.h"
#include "tools/corpus/case.h"

namespace flowlatch {
namespace {

namespace fs = std::filesystem;

constexpr JobLimits kCaseLimits = {2, 1024};
constexpr int64_t kTensorBytes = int64_t{256} << 20;

struct Options {
  std::string calls, seeds, filter, repro;
  int64_t cases = 20000;
  uint64_t seed = 1;
  int jobs = 0;
};

// A stretch of the cases of one call, run in one process.
struct Stretch {
  const Call* call;
  int begin, end;
};

// Where the processes say how far they are.
struct Progress {
  std::atomic<int> number, ok;
};

uint64_t SeedOf(const Options& options, const Call& call) {
  uint64_t hash = 14695981039346656037u ^ options.seed;  // FNV-1a
  for (const char c : call.name) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211u;
  return hash;
}

// Runs case `number` of a call. Odd and even pairs of numbers feed their constants or not.
CallEnd RunNumbered(const Options& options, const Call& call, int number, std::string* how) {
  const Call mutated = MutatedCall(DefaultOps().registry(), call, SeedOf(options, call), number, how);
  return RunCall(DefaultOps(), mutated, (number / 2) % 2 == 1);
}

// In a process of its own. Its answer: a line for each finding.
std::string RunStretch(const Options& options, const Stretch& stretch, Progress& progress,
                       const std::function<void(JobLimits)>& limit) {
  PoolAllocator::Get().set_limit_bytes(kTensorBytes);
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error) / absl::StrCat("flowlatch-mutation.", getpid());
  fs::create_directories(folder, error);
  fs::current_path(folder, error);  // files that ops write are not left behind
  std::string findings;
  for (int number = stretch.begin; number < stretch.end; ++number) {
    limit(kCaseLimits);
    progress.number = number;
    std::string how;
    const CallEnd end = RunNumbered(options, *stretch.call, number, &how);
    if (end.status.ok()) ++progress.ok;
    if (!end.finding.empty()) {
      absl::StrAppend(&findings, stretch.call->name, ":", number, ": ", end.finding, " (", how, ")\n");
    }
  }
  fs::current_path("/", error);
  fs::remove_all(folder, error);
  return findings.substr(0, 7000);
}

int Repro(const Options& options, const std::vector<Call>& calls) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(options.repro, absl::MaxSplits(':', 1));
  int number = 0;
  for (const Call& call : calls) {
    if (call.name != parts.first || !absl::SimpleAtoi(parts.second, &number)) continue;
    PoolAllocator::Get().set_limit_bytes(kTensorBytes);
    std::string how;
    const Call mutated = MutatedCall(DefaultOps().registry(), call, SeedOf(options, call), number, &how);
    std::printf("%s\n%s\n", mutated.graph.DebugString().substr(0, 20000).c_str(), how.c_str());
    std::fflush(stdout);
    const CallEnd end = RunNumbered(options, call, number, &how);
    std::printf("%s\n%s\n", end.status.ToString().substr(0, 2000).c_str(), end.finding.c_str());
    return end.finding.empty() ? 0 : 1;
  }
  std::fprintf(stderr, "mutation: '%s': expected CALL:NUMBER\n", options.repro.c_str());
  return 2;
}

int Run(const Options& options, const std::vector<Call>& calls) {
  const int per_call = static_cast<int>(std::max<int64_t>(2, options.cases / std::max<int64_t>(1, static_cast<int64_t>(calls.size()))));
  std::vector<Stretch> todo;
  for (const Call& call : calls) todo.push_back({&call, 0, per_call});
  int64_t cases = 0, ok = 0, failed = 0;
  const int jobs = options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  while (!todo.empty()) {
    const size_t bytes = todo.size() * sizeof(Progress);
    auto* progress = static_cast<Progress*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (progress == MAP_FAILED) {
      std::perror("mutation");
      return 2;
    }
    std::vector<Stretch> rest;
    RunForked(
        static_cast<int>(todo.size()), jobs,
        [&](int i, const std::function<void(JobLimits)>& limit) { return RunStretch(options, todo[i], progress[i], limit); },
        [&](int i, JobEnd end) {
          const Stretch& stretch = todo[i];
          ok += progress[i].ok;
          if (end.answered) {
            cases += stretch.end - stretch.begin;
            failed += std::count(end.answer.begin(), end.answer.end(), '\n');
            std::fputs(end.answer.c_str(), stdout);
          } else {
            const int number = progress[i].number;
            cases += number + 1 - stretch.begin;
            ++failed;
            std::string how;
            MutatedCall(DefaultOps().registry(), *stretch.call, SeedOf(options, *stretch.call), number, &how);
            std::printf("%s:%d: %s (%s)\n", stretch.call->name.c_str(), number, end.problem.c_str(), how.c_str());
            if (number + 1 < stretch.end) rest.push_back({stretch.call, number + 1, stretch.end});
          }
          std::fflush(stdout);
        });
    munmap(progress, bytes);
    todo = std::move(rest);
  }
  std::printf("%zu calls, %lld cases, of which %lld gave an answer\n", calls.size(), static_cast<long long>(cases),
              static_cast<long long>(ok));
  std::printf("%lld passed, %lld failed, 0 skipped\n", static_cast<long long>(cases - failed), static_cast<long long>(failed));
  return failed == 0 ? 0 : 1;
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app{"runs mutated calls of every op"};
  std::error_code error;
  options.calls = fs::read_symlink("/proc/self/exe", error).string() + ".runfiles/flowlatch/tests/mutation/calls";
  app.add_option("--calls", options.calls, "folder of tables of valid calls");
  app.add_option("--seeds", options.seeds, "folder of cases, each of one op");
  app.add_option("--filter", options.filter, "regular expression for names of calls");
  app.add_option("--repro", options.repro, "CALL:NUMBER, one case, in this process");
  app.add_option("--cases", options.cases, "cases in all");
  app.add_option("--seed", options.seed, "of the mutations");
  app.add_option("--jobs", options.jobs, "processes at once; 0: one for each processor");
  CLI11_PARSE(app, argc, argv);

  absl::StatusOr<std::vector<Call>> calls = ReadCalls(options.calls);
  if (!calls.ok()) {
    std::fprintf(stderr, "mutation: %s\n", calls.status().ToString().c_str());
    return 2;
  }
  if (!options.seeds.empty()) {
    const absl::StatusOr<std::vector<std::string>> folders = FindCases(options.seeds);
    if (!folders.ok()) {
      std::fprintf(stderr, "mutation: %s\n", folders.status().ToString().c_str());
      return 2;
    }
    for (const std::string& folder : *folders) {
      absl::StatusOr<Call> call = CallFromCase(folder);
      if (!call.ok()) {
        std::fprintf(stderr, "mutation: left out: %s\n", call.status().ToString().c_str());
      } else if (DefaultOps().registry().FindRegistered(call->target().op()) != nullptr) {
        calls->push_back(*std::move(call));
      }
    }
  }
  if (!options.repro.empty()) return Repro(options, *calls);
  const RE2 filter(options.filter);
  if (!filter.ok()) {
    std::fprintf(stderr, "mutation: --filter: %s\n", filter.error().c_str());
    return 2;
  }
  calls->erase(std::remove_if(calls->begin(), calls->end(), [&](const Call& call) { return !RE2::PartialMatch(call.name, filter); }),
               calls->end());
  return Run(options, *calls);
}

}  // namespace
}  // namespace flowlatch

int main(int argc, char** argv) { return flowlatch::Main(argc, argv); }
