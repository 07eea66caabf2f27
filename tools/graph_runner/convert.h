// graph-runner convert: a model in another form.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_CONVERT_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_CONVERT_H_

#include "absl/status/status.h"
#include "tools/graph_runner/options.h"

namespace flowlatch {

// Writes a GraphDef (.pb, or .pbtxt as text), a MetaGraphDef (.meta), a SavedModel with its variables (a folder) or a
// drawing for Graphviz (.dot). With `freeze`, variables become constants, functions are inlined, and what the
// outputs do not need is left out; outputs keep their names.
// Errors: those of loading, restoring and freezing; kUsage for another ending; kFiles when it cannot be written.
absl::Status Convert(const ConvertOptions& options, const GlobalOptions& global);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_CONVERT_H_
