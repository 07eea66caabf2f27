// graph-runner show: what a model is made of, and how to run it.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_SHOW_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_SHOW_H_

#include <string>

#include "absl/status/statusor.h"
#include "graph/io/model.h"
#include "tools/graph_runner/options.h"
#include "tools/graph_runner/reports.h"

namespace flowlatch {

// Checkpoints too. Errors: those of loading; kUsage for a bad regular expression or an unknown signature.
absl::StatusOr<ShowReport> Show(const ShowOptions& options);

// The whole graph in a language of its own: "dot" or "pbtxt".
absl::StatusOr<std::string> ShowAs(const ShowOptions& options);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_SHOW_H_
