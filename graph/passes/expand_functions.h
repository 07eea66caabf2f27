// Functional ops of a step -> a graph without those that are to be lowered or inlined: the passes, as often as it
// takes.
#ifndef FLOWLATCH_GRAPH_PASSES_EXPAND_FUNCTIONS_H_
#define FLOWLATCH_GRAPH_PASSES_EXPAND_FUNCTIONS_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/ir/graph.h"

namespace flowlatch {

enum class FunctionalForm {
  kCalled,    // all functional ops call
  kAsMarked,  // ops that are marked for lowering leave out what nobody needs; lowered only where this can be noticed
  kLowered,   // all that can be is lowered and inlined
};

// What a step asks of a graph.
struct StepPorts {
  std::vector<Port> feeds;
  std::vector<Port> fetches;
  std::vector<NodeId> targets;
};

struct ExpandedFunctions {
  Graph graph;
  StepPorts step;  // the same in this graph; targets may be more, for effects of functions
};

// Nodes that the step does not need are left out. Calls stay that are recursive, whose function says _noinline, whose
// outputs are fed, or that would make the graph too deep or too large. nullopt if nothing is to be done. Errors:
// InvalidArgument and NotFound for functions that do not exist or do not fit, naming the node.
absl::StatusOr<std::optional<ExpandedFunctions>> ExpandFunctions(const Graph& graph, const StepPorts& step,
                                                                 FunctionalForm form);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_PASSES_EXPAND_FUNCTIONS_H_
