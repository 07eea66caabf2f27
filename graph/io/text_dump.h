// A graph as lines to read, for people and for golden files.
#ifndef FLOWLATCH_GRAPH_IO_TEXT_DUMP_H_
#define FLOWLATCH_GRAPH_IO_TEXT_DUMP_H_

#include <string>

#include "graph/ir/graph.h"

namespace flowlatch {

struct DumpOptions {
  bool attrs = true;
  bool functions = true;
};

// One node a line, in the graph's order, then the functions by name. The same for equal graphs.
//
//   y = MatMul(x, w, ^init) -> float32 {T=float32, transpose_a=false} @/cpu:0
//   function F(a: float32) -> (r: float32)
//     n = Neg(a) {T=float32}
//     return r = n:y:0
std::string TextDump(const Graph& graph, const DumpOptions& options = {});
// The line of one node. `shapes`: of its outputs, to stand behind their dtypes where something is known of them:
// float32[2,?].
std::string NodeText(const Graph& graph, NodeId id, bool attrs = true, absl::Span<const PartialShape> shapes = {});

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_IO_TEXT_DUMP_H_
