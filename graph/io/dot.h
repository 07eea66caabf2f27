// A graph as a drawing, in the language of Graphviz.
#ifndef FLOWLATCH_GRAPH_IO_DOT_H_
#define FLOWLATCH_GRAPH_IO_DOT_H_

#include <string>

#include "graph/ir/graph.h"

namespace flowlatch {

struct DotOptions {
  enum class Clusters {
    kNone,
    kScopes,  // boxes around the parts of names before each `/`
    kFrames,  // boxes around loops, from Enter to Exit
  };
  Clusters clusters = Clusters::kScopes;
};

// Data edges are solid, with the number of the output if it is not 0; control edges are dashed; edges back to a Merge
// do not rank. The same for equal graphs.
std::string GraphToDot(const Graph& graph, const DotOptions& options = {});

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_IO_DOT_H_
