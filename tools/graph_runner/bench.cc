#include "tools/graph_runner/bench.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "graph/base/status_macros.h"
#include "ops/default_ops.h"
#include "tools/arrays/files.h"
#include "tools/corpus/replay.h"
#include "tools/graph_runner/errors.h"
#include "tools/graph_runner/opened_model.h"

namespace flowlatch {
namespace {

using Clock = std::chrono::steady_clock;

int64_t NanosSince(Clock::time_point start) { return std::chrono::nanoseconds(Clock::now() - start).count(); }

// Enough to see the spread of the fastest steps, and no more memory than a tool should take.
constexpr size_t kMinRuns = 5;
constexpr size_t kMaxRuns = 1'000'000;

struct Warmup {
  int64_t runs = 0;
  double seconds = 0;
};

absl::StatusOr<Warmup> ParseWarmup(const std::string& text) {
  Warmup warmup;
  absl::string_view number = text;
  const bool ok = absl::ConsumeSuffix(&number, "s") ? absl::SimpleAtod(number, &warmup.seconds)
                                                    : absl::SimpleAtoi(number, &warmup.runs);
  if (ok && warmup.seconds >= 0 && warmup.runs >= 0) return warmup;
  return WithExit(ExitCode::kUsage,
                  absl::InvalidArgumentError(absl::StrCat(
                      "--warmup: expected a number of runs or seconds such as 10 or 2s, got '", text, "'")));
}

// Calls until there are `runs` samples, or, when that is 0, until `min_time` has passed.
absl::Status Sample(const Callable& callable, absl::Span<const Tensor> inputs, const BenchOptions& options,
                    std::vector<int64_t>* samples) {
  std::vector<Tensor> outputs;
  const size_t runs = options.runs > 0 ? static_cast<size_t>(options.runs) : kMaxRuns;
  const Clock::time_point start = Clock::now();
  Clock::time_point before = start;
  while (samples->size() < runs) {
    RETURN_IF_ERROR(callable.Run(inputs, &outputs));
    const Clock::time_point after = Clock::now();
    samples->push_back(std::chrono::nanoseconds(after - before).count());
    const double passed = std::chrono::duration<double>(after - start).count();
    if (passed > options.max_time) break;
    if (options.runs == 0 && samples->size() >= kMinRuns && passed > options.min_time) break;
    before = Clock::now();
  }
  return absl::OkStatus();
}

absl::Status WarmUp(const Callable& callable, absl::Span<const Tensor> inputs, const Warmup& warmup) {
  std::vector<Tensor> outputs;
  const Clock::time_point start = Clock::now();
  for (int64_t i = 0; i < warmup.runs || static_cast<double>(NanosSince(start)) * 1e-9 < warmup.seconds; ++i) {
    RETURN_IF_ERROR(callable.Run(inputs, &outputs));
  }
  return absl::OkStatus();
}

void Summarize(std::vector<int64_t> samples, BenchReport* report) {
  std::sort(samples.begin(), samples.end());
  const auto percentile = [&](double q) {
    return samples[std::min(samples.size() - 1, static_cast<size_t>(q * static_cast<double>(samples.size())))];
  };
  report->runs = static_cast<int64_t>(samples.size());
  report->min_ns = samples.front();
  report->max_ns = samples.back();
  report->p50_ns = percentile(0.5);
  report->p90_ns = percentile(0.9);
  report->p95_ns = percentile(0.95);
  report->p99_ns = percentile(0.99);
  double sum = 0, squares = 0;
  for (const int64_t sample : samples) sum += static_cast<double>(sample);
  report->mean_ns = sum / static_cast<double>(samples.size());
  for (const int64_t sample : samples) squares += std::pow(static_cast<double>(sample) - report->mean_ns, 2);
  report->stddev_ns = std::sqrt(squares / static_cast<double>(samples.size()));
  report->samples_ns = std::move(samples);
}

absl::Status TimeSteps(const Callable& callable, absl::Span<const Tensor> inputs, const BenchOptions& options,
                       BenchReport* report) {
  ASSIGN_OR_RETURN(const Warmup warmup, ParseWarmup(options.warmup));
  RETURN_IF_ERROR(WarmUp(callable, inputs, warmup));
  report->num_nodes = callable.num_nodes();
  report->threads = options.model.threads;
  report->concurrency = options.concurrency;
  std::vector<std::vector<int64_t>> samples(static_cast<size_t>(options.concurrency));
  std::vector<absl::Status> statuses(samples.size());
  const Clock::time_point start = Clock::now();
  std::vector<std::thread> others;
  for (size_t i = 1; i < samples.size(); ++i) {
    others.emplace_back([&, i] { statuses[i] = Sample(callable, inputs, options, &samples[i]); });
  }
  statuses[0] = Sample(callable, inputs, options, &samples[0]);
  for (std::thread& other : others) other.join();
  report->seconds = static_cast<double>(NanosSince(start)) * 1e-9;
  for (const absl::Status& status : statuses) RETURN_IF_ERROR(status);
  for (size_t i = 1; i < samples.size(); ++i) samples[0].insert(samples[0].end(), samples[i].begin(), samples[i].end());
  if (!options.csv.empty()) {
    RETURN_IF_ERROR(
        WithExit(ExitCode::kFiles, WriteBytes(options.csv, "ns\n" + absl::StrJoin(samples[0], "\n") + "\n")));
  }
  Summarize(std::move(samples[0]), report);
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  report->peak_rss_bytes = int64_t{usage.ru_maxrss} * 1024;
  return absl::OkStatus();
}

// Makes the plan and runs it once.
absl::Status FirstRun(absl::StatusOr<Callable> prepared, absl::Span<const Tensor> inputs, Callable* callable) {
  ASSIGN_OR_RETURN(*callable, std::move(prepared));
  std::vector<Tensor> outputs;
  return callable->Run(inputs, &outputs);
}

absl::StatusOr<BenchReport> BenchModel(const BenchOptions& options, const GlobalOptions& global) {
  BenchReport report;
  ASSIGN_OR_RETURN(const OpenedModel opened, OpenForRun(options.model, !global.quiet));
  report.load_ns = opened.load_ns;
  ASSIGN_OR_RETURN(const StepRequest step, ResolveStep(opened, options.model, true));
  report.notes = step.notes;
  const Clock::time_point start = Clock::now();
  Callable callable;
  RETURN_IF_ERROR(FirstRun(opened.session->Prepare(step.feeds, step.fetches, step.targets), step.inputs, &callable));
  report.first_run_ns = NanosSince(start);
  RETURN_IF_ERROR(TimeSteps(callable, step.inputs, options, &report));
  return report;
}

absl::StatusOr<BenchReport> BenchCase(const BenchOptions& options) {
  BenchReport report;
  ASSIGN_OR_RETURN(Case c, LoadCase(options.model.case_folder));
  if (c.steps.empty())
    return WithExit(ExitCode::kUsage, absl::InvalidArgumentError(
                                          absl::StrCat("case '", c.folder, "': expected a step to time, got none")));
  ASSIGN_OR_RETURN(Replay replay, Replay::Open(std::move(c)));
  const Clock::time_point load_start = Clock::now();
  RETURN_IF_ERROR(WithExit(ExitCode::kBadModel, replay.Load(DefaultOps(), SessionOptionsFor(options.model))));
  report.load_ns = NanosSince(load_start);
  const std::vector<CaseStep>& steps = replay.spec().steps;
  for (size_t i = 0; i + 1 < steps.size(); ++i) RETURN_IF_ERROR(replay.Run(steps[i]).status());
  ASSIGN_OR_RETURN(const std::vector<Tensor> inputs, replay.Inputs(steps.back()));
  const Clock::time_point start = Clock::now();
  Callable callable;
  RETURN_IF_ERROR(FirstRun(replay.Prepare(steps.back()), inputs, &callable));
  report.first_run_ns = NanosSince(start);
  RETURN_IF_ERROR(TimeSteps(callable, inputs, options, &report));
  return report;
}

}  // namespace

absl::StatusOr<BenchReport> Bench(const BenchOptions& options, const GlobalOptions& global) {
  return options.model.case_folder.empty() ? BenchModel(options, global) : BenchCase(options);
}

}  // namespace flowlatch
