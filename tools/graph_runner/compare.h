// graph-runner compare: arrays, checkpoints, or the outputs of two models.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_COMPARE_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_COMPARE_H_

#include "absl/status/statusor.h"
#include "tools/graph_runner/options.h"
#include "tools/graph_runner/reports.h"

namespace flowlatch {

// Two npz or npy files, two checkpoints, or two models, which both run with the same inputs and outputs. `b` is right.
absl::StatusOr<CompareReport> CompareFiles(const CompareOptions& options, const GlobalOptions& global);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_COMPARE_H_
