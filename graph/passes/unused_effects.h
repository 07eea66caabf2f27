// Whether it can be noticed that a functional op, instead of being called as a whole, leaves out what nobody needs.
#ifndef FLOWLATCH_GRAPH_PASSES_UNUSED_EFFECTS_H_
#define FLOWLATCH_GRAPH_PASSES_UNUSED_EFFECTS_H_

#include <vector>

#include "graph/ir/graph.h"

namespace flowlatch {

// Who uses a functional op in a step.
struct OpUse {
  std::vector<bool> outputs;
  bool is_awaited = false;  // by a control edge
  bool as_a_whole = false;  // fetched, or a target
};

// What lowering an op would leave out.
struct UnusedParts {
  bool matters = false;             // of its functions: something that has effects, may fail or may take time
  std::vector<bool> inputs_needed;  // by input of the op
};

// For an If, Case or While. Functions that cannot be had count as used: their errors belong to who calls them.
UnusedParts FindUnusedParts(const Graph& graph, NodeId op, const OpUse& use);

// Whether nobody can tell whether this node ran: no state, no error, little time.
bool IsUnnoticed(const Graph& graph, NodeId node);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_PASSES_UNUSED_EFFECTS_H_
