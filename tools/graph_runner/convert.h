// graph-runner convert: a graph in another form.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_CONVERT_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_CONVERT_H_

#include "absl/status/status.h"
#include "tools/graph_runner/options.h"

namespace flowlatch {

// Writes a GraphDef (.pb, or .pbtxt as text) or a drawing for Graphviz (.dot).
// Errors: those of loading; kUsage for another ending; kFiles when it cannot be written.
absl::Status Convert(const ConvertOptions& options);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_CONVERT_H_
