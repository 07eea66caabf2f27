// GraphDef <-> Graph.
#ifndef FLOWLATCH_GRAPH_IO_GRAPH_DEF_H_
#define FLOWLATCH_GRAPH_IO_GRAPH_DEF_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/ir/graph.h"

namespace flowlatch {

class GraphDef;  // proto/graph.proto

// The version of graphs that we write and can read: TensorFlow 2.21's.
inline constexpr int kGraphVersion = 2474;

struct ReadOptions {
  std::string source = "graph";  // name in messages, such as the file's
  // Also refuses what only newer TensorFlow forgives, or only we: attributes that the op does not have, names that
  // begin with `_`, and (NotFound) ops that nobody knows.
  bool strict = false;
  // Accepts names that begin with `_`, as TensorFlow's optimizer makes them and its import refuses.
  bool internal_names = true;
  std::vector<std::string>* warnings = nullptr;  // where to put what is odd but not wrong; may be null
};

// Reads and checks a whole graph. `registry` must outlive it. Ops that neither the registry nor TensorFlow nor the
// graph's library has become opaque nodes: their inputs and outputs are those that the graph shows, of any dtype.
//
// Errors, which name source, node and op: InvalidArgument for what is no GraphDef; bad, missing or repeated names;
// inputs that name nothing, come after control inputs, or do not fit the op in number or dtype; attributes that are
// missing, of another kind or not allowed; `_class` that names an unknown node; cycles but from NextIteration to Merge;
// malformed functions; versions that do not fit. NotFound for an unknown op in a function that a node calls, or in a
// graph that has other errors. Unimplemented for ops that are gone in the graph's version. ResourceExhausted without
// memory.
absl::StatusOr<Graph> ReadGraphDef(std::string_view bytes, const OpRegistry& registry, const ReadOptions& options = {});
// As ReadGraphDef. Errors: also InvalidArgument for text outside protobuf's text format, with line and column.
absl::StatusOr<Graph> ReadGraphDefText(std::string_view text, const OpRegistry& registry,
                                       const ReadOptions& options = {});
absl::StatusOr<Graph> GraphFromProto(const GraphDef& proto, const OpRegistry& registry,
                                     const ReadOptions& options = {});

// Nodes in the graph's order, functions by name; attributes as they are, without defaults. Deterministic, and a fixed
// point: what is read back and written again is the same.
// Errors: Unimplemented for variants that files cannot hold, ResourceExhausted beyond the 2 GiB of a GraphDef.
absl::StatusOr<GraphDef> GraphToProto(const Graph& graph);
absl::StatusOr<std::string> WriteGraphDef(const Graph& graph);
absl::StatusOr<std::string> WriteGraphDefText(const Graph& graph);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_IO_GRAPH_DEF_H_
