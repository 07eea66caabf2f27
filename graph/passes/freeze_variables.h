// Variables become constants.
#ifndef FLOWLATCH_GRAPH_PASSES_FREEZE_VARIABLES_H_
#define FLOWLATCH_GRAPH_PASSES_FREEZE_VARIABLES_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/ir/graph.h"

namespace flowlatch {

// The part of a graph that `outputs` need, in which variables are constants. `values`: by the names of the nodes that
// make the variables or their handles. All other nodes keep their names; functions stay as they are.
// Errors: NotFound for a variable that the outputs need and that has no value; InvalidArgument where they need a node
// that changes a variable, or takes a handle in another way than to read it (functions: expand them first).
absl::StatusOr<Graph> FreezeVariables(const Graph& graph, const std::vector<Port>& outputs,
                                      const std::map<std::string, Tensor>& values);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_PASSES_FREEZE_VARIABLES_H_
