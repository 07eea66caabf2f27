#include "graph/passes/infer_shapes.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/shape_context.h"

namespace flowlatch {
namespace {

// The value of a constant node, or null.
const Tensor* ConstantValue(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.op() != "Const") return nullptr;
  const Attr* value = node.attrs.Find("value");
  return value != nullptr ? value->Get<Tensor>() : nullptr;
}

absl::Status AtNode(const Node& node, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("node '", absl::string_view(node.name.data(), node.name.size()), "' (", node.op(), "): ",
                                                  status.message()));
}

absl::Status AddDeclaredShapes(const Node& node, std::vector<PartialShape>* outputs) {
  const Attr* attr = node.attrs.Find("_output_shapes");
  const auto* declared = attr != nullptr ? attr->Get<std::vector<PartialShape>>() : nullptr;
  if (declared == nullptr) return absl::OkStatus();
  for (size_t i = 0; i < outputs->size() && i < declared->size(); ++i) {
    absl::StatusOr<PartialShape> merged = (*outputs)[i].MergeWith((*declared)[i]);
    if (!merged.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("_output_shapes of output ", i, ": expected ", (*outputs)[i].ToString(), ", got ",
                                                     (*declared)[i].ToString()));
    }
    (*outputs)[i] = *std::move(merged);
  }
  return absl::OkStatus();
}

// What is known of what handles and lists hold, by the output that they come from.
using HandleTable = absl::flat_hash_map<Port, HandleData>;

std::vector<const HandleData*> FindHandles(const Graph& graph, NodeId id, const HandleTable& handles) {
  std::vector<const HandleData*> found;
  if (handles.empty()) return found;
  for (const Port port : graph.inputs(id)) {
    const auto it = handles.find(port);
    found.push_back(it != handles.end() ? &it->second : nullptr);
  }
  return found;
}

void AddHandles(NodeId id, std::vector<std::optional<HandleData>>& found, HandleTable* handles) {
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].has_value()) (*handles)[Port{id, static_cast<int32_t>(i)}] = *std::move(found[i]);
  }
}

}  // namespace

absl::StatusOr<ShapeTable> InferShapes(const Graph& graph) {
  ASSIGN_OR_RETURN(const std::vector<NodeId> order, TopologicalOrder(graph));
  ShapeTable shapes(graph.num_nodes());
  HandleTable handles;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) shapes[id].resize(graph.node(id).num_outputs());
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    if (node.schema->shape_function() != nullptr) {
      std::vector<PartialShape> inputs;
      std::vector<const Tensor*> constants;
      for (const Port port : graph.inputs(id)) {
        inputs.push_back(shapes[port.node][port.index]);
        constants.push_back(ConstantValue(graph, port.node));
      }
      ShapeContext context(*node.schema, node.attrs, std::move(inputs), std::move(constants), node.num_outputs());
      context.SetInputHandles(FindHandles(graph, id, handles));
      if (absl::Status status = node.schema->shape_function()(context); !status.ok()) return AtNode(node, status);
      shapes[id] = context.outputs();
      AddHandles(id, context.output_handles(), &handles);
    }
    if (absl::Status status = AddDeclaredShapes(node, &shapes[id]); !status.ok()) return AtNode(node, status);
  }
  return shapes;
}

}  // namespace flowlatch
