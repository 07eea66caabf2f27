// graph-runner run: one or several steps of a model or of a corpus case.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_RUN_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_RUN_H_

#include "absl/status/statusor.h"
#include "tools/graph_runner/options.h"
#include "tools/graph_runner/reports.h"

namespace flowlatch {

// Also writes the outputs that go to files.
absl::StatusOr<RunReport> RunModel(const RunVerbOptions& options, const GlobalOptions& global);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_RUN_H_
