// graph-runner ops: the ops that can run here.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_OPS_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_OPS_H_

#include "absl/status/statusor.h"
#include "tools/graph_runner/options.h"
#include "tools/graph_runner/reports.h"

namespace flowlatch {

// Errors: kUsage for a bad regular expression; NotFound, with the nearest, when nothing matches.
absl::StatusOr<OpsReport> ListOps(const OpsOptions& options);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_OPS_H_
