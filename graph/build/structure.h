// Finds the conds and loops of a graph by its Switch, Merge, Enter and Exit nodes, so that a graph from elsewhere is known as well as
// one that was built here.
#ifndef FLOWLATCH_GRAPH_BUILD_STRUCTURE_H_
#define FLOWLATCH_GRAPH_BUILD_STRUCTURE_H_

#include "graph/build/builder_graph.h"

namespace flowlatch {

// Gives the nodes [first, end of graph) their contexts, below `base`. What has no regular structure (a Merge of values that no
// Switch made, a cycle without Merge) is in the innermost context that all its inputs are in. Linear time.
void RecogniseContexts(BuilderGraph* graph, NodeId first, ContextId base);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_BUILD_STRUCTURE_H_
