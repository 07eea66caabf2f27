// graph-runner bench: how long a step takes.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_BENCH_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_BENCH_H_

#include "absl/status/statusor.h"
#include "tools/graph_runner/options.h"
#include "tools/graph_runner/reports.h"

namespace flowlatch {

// Times a prepared step of a model, or the last step of a corpus case after those before it ran once. Loading and the
// first run, which makes the plan, are timed apart.
absl::StatusOr<BenchReport> Bench(const BenchOptions& options, const GlobalOptions& global);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_BENCH_H_
