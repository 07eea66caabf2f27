// Shape inference over a whole graph: what is known of every output before a run.
#ifndef FLOWLATCH_GRAPH_PASSES_INFER_SHAPES_H_
#define FLOWLATCH_GRAPH_PASSES_INFER_SHAPES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "graph/ir/graph.h"

namespace flowlatch {

// Shapes of the outputs of each node, by node id.
using ShapeTable = std::vector<std::vector<PartialShape>>;

// Runs the shape functions from inputs to outputs. Nothing is known of what a loop carries, of opaque ops and of functions. An
// attribute `_output_shapes` adds what it knows.
// Errors: InvalidArgument naming the node whose inputs can never work, or whose `_output_shapes` contradicts what is inferred.
absl::StatusOr<ShapeTable> InferShapes(const Graph& graph);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_PASSES_INFER_SHAPES_H_
