// Encoded NodeDefs -> nodes of a Graph: what the reader of graphs and the function library share.
//
// A graph's bytes are read in place. Attributes, which are most of them, are only looked at once for each distinct set:
// nodes with equal attributes share one AttrMap.
#ifndef FLOWLATCH_GRAPH_IR_NODE_DEF_H_
#define FLOWLATCH_GRAPH_IR_NODE_DEF_H_

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/ir/graph.h"

namespace flowlatch {

// What the bytes of a NodeDef say; views into them.
struct NodeView {
  std::string_view name, op, device;
  std::string_view attrs;    // the encoded fields of its attributes: a NodeDef that has nothing else
  uint32_t first_input = 0;  // into NodeDefs::inputs
  uint32_t num_inputs = 0;
};

// NodeDefs in the order of their file.
class NodeDefs {
 public:
  // `bytes` must outlive this object.
  // Errors: InvalidArgument for bytes that are no NodeDef.
  absl::Status Add(std::string_view bytes);

  const std::vector<NodeView>& nodes() const { return nodes_; }
  absl::Span<const std::string_view> inputs(const NodeView& node) const {
    return {inputs_.data() + node.first_input, node.num_inputs};
  }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }

 private:
  std::vector<NodeView> nodes_;
  std::vector<std::string_view> inputs_;
  std::deque<std::string> gathered_;  // attributes of nodes that do not have them in one piece
};

// Adds the nodes of one file or function to `graph`.
class NodeAdder {
 public:
  // Changes the attributes of a node before they are used, once for each distinct set.
  using Rewrite = std::function<absl::StatusOr<AttrMap>(const OpSchema& schema, AttrMap attrs)>;
  explicit NodeAdder(Graph* graph, Rewrite rewrite = nullptr) : graph_(graph), rewrite_(std::move(rewrite)) {}

  // The schema of an op: registered, TensorFlow's, or a function of the library; else null.
  const OpSchema* FindSchema(std::string_view op);
  // Errors: InvalidArgument for an empty or taken name, or attributes that do not fit the schema.
  absl::StatusOr<NodeId> Add(const NodeView& node, const OpSchema* schema);

  // Each distinct pair of schema and attributes, with the first node that has it.
  struct Distinct {
    const OpSchema* schema;
    AttrMap attrs;
    NodeId node;
  };
  const std::vector<Distinct>& distinct() const { return distinct_; }

 private:
  struct Found {
    AttrMap attrs;
    bool is_new;
  };
  absl::StatusOr<Found> Attrs(const OpSchema* schema, std::string_view bytes);
  absl::StatusOr<Found> SortedAttrs(const OpSchema* schema, std::string_view bytes);
  absl::StatusOr<AttrMap> ParseAttrs(const OpSchema* schema, std::string_view bytes) const;

  struct Key {
    const OpSchema* schema;
    std::string_view attrs;
    bool operator==(const Key&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const Key& key) {
      return H::combine(std::move(h), key.schema, key.attrs);
    }
  };

  Graph* graph_;
  Rewrite rewrite_;
  absl::flat_hash_map<std::string_view, const OpSchema*> schemas_;
  absl::flat_hash_map<Key, AttrMap> attrs_;  // by the bytes as they are in the file
  absl::flat_hash_map<std::pair<const OpSchema*, std::string>, AttrMap>
      sorted_;  // by the bytes with the attributes sorted
  std::vector<Distinct> distinct_;
};

// Errors: InvalidArgument unless `name` is [A-Za-z0-9.][A-Za-z0-9_./>-]*, or begins with `_`.
// `strict`: what begins with `_`, as nodes do that TensorFlow's optimizer made, is an error.
absl::Status CheckNodeName(std::string_view name, bool strict);

// "node 7 'a/b' (MatMul): " in front of the message.
absl::Status AnnotateNode(const absl::Status& status, size_t index, const NodeView& node);

// One input as a NodeDef of a graph writes it: `name`, `name:2`, or the control input `^name`, whose index is -1.
struct InputName {
  std::string_view node;
  int32_t index = 0;
};
InputName ParseInputName(std::string_view text);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_IR_NODE_DEF_H_
