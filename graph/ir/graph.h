// Graph: nodes and edges in flat arrays with integer ids.
#ifndef FLOWLATCH_GRAPH_IR_GRAPH_H_
#define FLOWLATCH_GRAPH_IR_GRAPH_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/base/string_arena.h"
#include "graph/ir/function_library.h"
#include "graph/schema/op_registry.h"

namespace flowlatch {

using NodeId = int32_t;

// One output of a node.
struct Port {
  NodeId node = -1;
  int32_t index = 0;
  bool operator==(const Port&) const = default;
  template <typename H>
  friend H AbslHashValue(H h, const Port& p) {
    return H::combine(std::move(h), p.node, p.index);
  }
};

// Dtypes of a node's ports; nodes with the same schema and attributes share one.
struct NodeTypes {
  std::vector<PortType> inputs, outputs;
};

// What a node is. Handed out by reference; stays valid until the graph changes.
struct Node {
  std::string_view name;            // in the graph's arena
  const OpSchema* schema = nullptr;  // never null
  const NodeTypes* types = nullptr;  // never null
  AttrMap attrs;
  int32_t device = 0;       // index into Graph::device_name
  uint32_t first_input = 0;  // into the graph's flat list of inputs: data inputs, then control inputs
  uint32_t num_inputs = 0;
  uint32_t num_controls = 0;

  const std::string& op() const { return schema->name(); }
  int num_outputs() const { return static_cast<int>(types->outputs.size()); }
};

// A dataflow graph: main graph or function body. Movable; immutable once a session has it (Extend makes a new version).
// Nodes are added first and wired afterwards, since real graphs name nodes before they define them, and loops must.
class Graph {
 public:
  // `registry` must outlive the graph.
  explicit Graph(const OpRegistry& registry);
  Graph(Graph&&) = default;
  Graph& operator=(Graph&&) = default;
  // Nodes, edges and library are copied; names stay in the shared arena.
  Graph Clone() const;

  const OpRegistry& registry() const { return *registry_; }

  // Adds a node without inputs. `schema` is of the registry or of the library and must outlive the graph.
  // Errors: AlreadyExists for a taken name, InvalidArgument when attributes do not fit the schema.
  absl::StatusOr<NodeId> AddNode(std::string_view name, const OpSchema* schema, AttrMap attrs, std::string_view device = "");
  // Sets all inputs of a node. Dtypes are not checked here but by Verify. Requires: valid ids.
  void SetInputs(NodeId node, absl::Span<const Port> data, absl::Span<const NodeId> controls);
  // Makes the node wait for `from` too. Requires: valid ids.
  void AddControlInput(NodeId node, NodeId from);
  // Turns a node into one of another op with the same dtypes of outputs, so that its consumers stay; name, device and inputs too,
  // until SetInputs. Errors: InvalidArgument when attributes or outputs do not fit.
  absl::Status ReplaceOp(NodeId node, const OpSchema* schema, AttrMap attrs);
  void Reserve(int num_nodes, int num_inputs);

  int num_nodes() const { return static_cast<int>(nodes_.size()); }
  const Node& node(NodeId id) const { return nodes_[id]; }
  absl::Span<const Port> inputs(NodeId id) const {
    const Node& n = nodes_[id];
    return {inputs_.data() + n.first_input, n.num_inputs};
  }
  // The nodes that `id` waits for by control edges. Element i is control_inputs(id)[i].node.
  absl::Span<const Port> control_inputs(NodeId id) const {
    const Node& n = nodes_[id];
    return {inputs_.data() + n.first_input + n.num_inputs, n.num_controls};
  }
  std::optional<NodeId> FindNode(std::string_view name) const;
  const std::string& device_name(const Node& node) const { return devices_[node.device]; }
  // "name:0" of a port.
  std::string PortName(Port port) const;
  // From "name", "name:1". Errors: NotFound with the nearest names, InvalidArgument for an output it does not have.
  absl::StatusOr<Port> ParsePort(std::string_view text) const;

  FunctionLibrary& library() { return *library_; }
  const FunctionLibrary& library() const { return *library_; }
  std::shared_ptr<FunctionLibrary> shared_library() const { return library_; }
  void set_library(std::shared_ptr<FunctionLibrary> library) { library_ = std::move(library); }

  // GraphDef versions.
  int producer = 0;
  int min_consumer = 0;
  std::vector<int> bad_consumers;

 private:
  absl::StatusOr<const NodeTypes*> TypesOf(const OpSchema* schema, const AttrMap& attrs);

  const OpRegistry* registry_;
  std::shared_ptr<StringArena> arena_;
  std::vector<Node> nodes_;
  std::vector<Port> inputs_;
  absl::flat_hash_map<std::string_view, NodeId> by_name_;
  std::vector<std::string> devices_;
  absl::flat_hash_map<std::string, int32_t> device_index_;
  // Keyed by schema and the identity of the shared attributes, which `types_` keeps alive.
  struct TypesKey {
    const OpSchema* schema;
    const void* attrs;
    bool operator==(const TypesKey&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const TypesKey& k) {
      return H::combine(std::move(h), k.schema, k.attrs);
    }
  };
  struct SharedTypes {
    NodeTypes types;
    AttrMap attrs;
  };
  std::shared_ptr<std::deque<SharedTypes>> types_;
  absl::flat_hash_map<TypesKey, const NodeTypes*> types_index_;
  std::shared_ptr<FunctionLibrary> library_;
};

// Checks the whole graph: input counts and dtypes of each edge, and that only NextIteration -> Merge closes a cycle.
// Errors: InvalidArgument naming the nodes.
absl::Status Verify(const Graph& graph);

// Node ids so that each stands after its inputs, data and control; edges out of NextIteration do not count.
// Errors: InvalidArgument naming nodes of a cycle.
absl::StatusOr<std::vector<NodeId>> TopologicalOrder(const Graph& graph);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_IR_GRAPH_H_
