#include "graph/ir/graph.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "graph/base/near_names.h"
#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }

bool IsOp(const Node& node, std::string_view op, std::string_view ref_op) { return node.op() == op || node.op() == ref_op; }
bool IsNextIteration(const Node& node) { return IsOp(node, "NextIteration", "RefNextIteration"); }
bool IsMerge(const Node& node) { return IsOp(node, "Merge", "RefMerge"); }

std::string TypeText(const PortType& type) {
  return absl::StrCat(std::string(DTypeName(type.dtype)), type.is_ref ? " reference" : "");
}

}  // namespace

Graph::Graph(const OpRegistry& registry)
    : registry_(&registry),
      arena_(std::make_shared<StringArena>()),
      devices_(1),
      types_(std::make_shared<std::deque<SharedTypes>>()),
      library_(std::make_shared<FunctionLibrary>(registry)) {
  device_index_.emplace("", 0);
}

Graph Graph::Clone() const {
  Graph copy(*registry_);
  copy.arena_ = std::make_shared<StringArena>();
  copy.nodes_ = nodes_;
  copy.inputs_ = inputs_;
  copy.devices_ = devices_;
  copy.device_index_ = device_index_;
  copy.by_name_.reserve(by_name_.size());
  for (NodeId id = 0; id < copy.num_nodes(); ++id) {
    Node& node = copy.nodes_[id];
    node.name = copy.arena_->Add(node.name);
    copy.by_name_.emplace(node.name, id);
  }
  for (const SharedTypes& shared : *types_) {
    copy.types_->push_back(shared);
  }
  // Types move with their table: the copies stand at the same positions.
  absl::flat_hash_map<const NodeTypes*, const NodeTypes*> moved;
  auto from = types_->begin();
  for (const SharedTypes& shared : *copy.types_) moved.emplace(&(from++)->types, &shared.types);
  for (Node& node : copy.nodes_) node.types = moved.at(node.types);
  for (const auto& [key, types] : types_index_) copy.types_index_.emplace(key, moved.at(types));
  copy.library_ = library_;
  copy.producer = producer;
  copy.min_consumer = min_consumer;
  copy.bad_consumers = bad_consumers;
  return copy;
}

absl::StatusOr<const NodeTypes*> Graph::TypesOf(const OpSchema* schema, const AttrMap& attrs) {
  const void* identity = attrs.empty() ? nullptr : static_cast<const void*>(&attrs.entries());
  const auto at = types_index_.find({schema, identity});
  if (at != types_index_.end()) return at->second;
  RETURN_IF_ERROR(schema->ValidateAttrs(attrs));
  NodeTypes types;
  ASSIGN_OR_RETURN(types.inputs, schema->InputTypes(attrs));
  ASSIGN_OR_RETURN(types.outputs, schema->OutputTypes(attrs));
  types_->push_back({std::move(types), attrs});
  const NodeTypes* shared = &types_->back().types;
  types_index_.emplace(TypesKey{schema, identity}, shared);
  return shared;
}

absl::StatusOr<NodeId> Graph::AddNode(std::string_view name, const OpSchema* schema, AttrMap attrs, std::string_view device) {
  ASSIGN_OR_RETURN(const NodeTypes* types, TypesOf(schema, attrs));
  const std::string_view kept = arena_->Add(name);
  const NodeId id = static_cast<NodeId>(nodes_.size());
  if (!by_name_.emplace(kept, id).second) {
    return absl::AlreadyExistsError(absl::StrCat("node '", Absl(name), "': expected a new name, got one that is taken"));
  }
  int32_t device_number = 0;
  if (!device.empty()) {
    const auto [at, inserted] = device_index_.try_emplace(std::string(device), static_cast<int32_t>(devices_.size()));
    if (inserted) devices_.emplace_back(device);
    device_number = at->second;
  }
  Node& node = nodes_.emplace_back();
  node.name = kept;
  node.schema = schema;
  node.types = types;
  node.attrs = std::move(attrs);
  node.device = device_number;
  return id;
}

void Graph::SetInputs(NodeId id, absl::Span<const Port> data, absl::Span<const NodeId> controls) {
  Node& node = nodes_[id];
  const size_t count = data.size() + controls.size();
  if (count > size_t{node.num_inputs} + node.num_controls) {
    node.first_input = static_cast<uint32_t>(inputs_.size());
    inputs_.resize(inputs_.size() + count);
  }
  node.num_inputs = static_cast<uint32_t>(data.size());
  node.num_controls = static_cast<uint32_t>(controls.size());
  auto at = std::copy(data.begin(), data.end(), inputs_.begin() + node.first_input);
  for (NodeId control : controls) *at++ = {control, -1};
}

void Graph::AddControlInput(NodeId id, NodeId from) {
  const absl::Span<const Port> old_data = inputs(id);
  const std::vector<Port> data(old_data.begin(), old_data.end());
  std::vector<NodeId> controls;
  for (const Port& p : control_inputs(id)) controls.push_back(p.node);
  controls.push_back(from);
  SetInputs(id, data, controls);
}

absl::Status Graph::ReplaceOp(NodeId id, const OpSchema* schema, AttrMap attrs) {
  ASSIGN_OR_RETURN(const NodeTypes* types, TypesOf(schema, attrs));
  Node& node = nodes_[id];
  if (types->outputs != node.types->outputs) {
    return absl::InvalidArgumentError(
        absl::StrCat("node '", Absl(node.name), "': expected an op with the same outputs as ", node.op(), ", got ", schema->name()));
  }
  node.schema = schema;
  node.types = types;
  node.attrs = std::move(attrs);
  return absl::OkStatus();
}

void Graph::Reserve(int num_nodes, int num_inputs) {
  nodes_.reserve(num_nodes);
  by_name_.reserve(num_nodes);
  inputs_.reserve(num_inputs);
}

std::optional<NodeId> Graph::FindNode(std::string_view name) const {
  const auto at = by_name_.find(name);
  if (at == by_name_.end()) return std::nullopt;
  return at->second;
}

std::string Graph::PortName(Port port) const {
  const absl::string_view name = Absl(nodes_[port.node].name);
  return port.index < 0 ? absl::StrCat("^", name) : absl::StrCat(name, ":", port.index);
}

absl::StatusOr<Port> Graph::ParsePort(std::string_view text) const {
  Port port;
  std::string_view name = text;
  const size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && absl::SimpleAtoi(Absl(text.substr(colon + 1)), &port.index)) name = text.substr(0, colon);
  const std::optional<NodeId> node = FindNode(name);
  if (!node.has_value()) {
    NearNames near(name);
    for (const Node& n : nodes_) near.Consider(n.name);
    return absl::NotFoundError(absl::StrCat("node '", Absl(name), "': not in the graph", near.Hint()));
  }
  port.node = *node;
  const int num_outputs = nodes_[*node].num_outputs();
  if (port.index < 0 || port.index >= num_outputs) {
    return absl::InvalidArgumentError(absl::StrCat("output '", Absl(text), "': expected one of the ", num_outputs, " outputs of node '",
                                                   Absl(name), "' (", nodes_[*node].op(), "), got ", port.index));
  }
  return port;
}

absl::Status Verify(const Graph& graph) {
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node& node = graph.node(id);
    const auto error = [&](const std::string& what) {
      return absl::InvalidArgumentError(absl::StrCat("node '", Absl(node.name), "' (", node.op(), "): ", what));
    };
    const std::vector<PortType>& want = node.types->inputs;
    if (want.size() != node.num_inputs) {
      return error(absl::StrCat("expected ", want.size(), " inputs, got ", node.num_inputs));
    }
    const absl::Span<const Port> inputs = graph.inputs(id);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Node& from = graph.node(inputs[i].node);
      if (inputs[i].index < 0 || inputs[i].index >= from.num_outputs()) {
        return error(absl::StrCat("input ", i, ": expected one of the ", from.num_outputs(), " outputs of node '", Absl(from.name), "', got ",
                                  inputs[i].index));
      }
      const PortType& got = from.types->outputs[inputs[i].index];
      // Ports of ops that nobody knows fit everything.
      if (got.dtype == DType::kInvalid || want[i].dtype == DType::kInvalid) continue;
      // A reference may serve as a value, never the other way.
      if (got.dtype != want[i].dtype || (want[i].is_ref && !got.is_ref)) {
        return error(absl::StrCat("input ", i, ": expected ", TypeText(want[i]), ", got ", TypeText(got), " from '",
                                  graph.PortName(inputs[i]), "'"));
      }
    }
  }
  return TopologicalOrder(graph).status();
}

absl::StatusOr<std::vector<NodeId>> TopologicalOrder(const Graph& graph) {
  const int n = graph.num_nodes();
  // Consumers in one array, by counting sort.
  std::vector<uint32_t> pending(n, 0), first(n + 1, 0);
  const auto for_each_edge = [&](auto&& visit) {
    for (NodeId id = 0; id < n; ++id) {
      const bool is_merge = IsMerge(graph.node(id));
      for (const Port& p : graph.inputs(id)) {
        if (!(is_merge && IsNextIteration(graph.node(p.node)))) visit(p.node, id);
      }
      for (const Port& p : graph.control_inputs(id)) visit(p.node, id);
    }
  };
  for_each_edge([&](NodeId from, NodeId to) {
    ++first[from + 1];
    ++pending[to];
  });
  for (int i = 0; i < n; ++i) first[i + 1] += first[i];
  std::vector<NodeId> consumers(first[n]);
  std::vector<uint32_t> at(first.begin(), first.end() - 1);
  for_each_edge([&](NodeId from, NodeId to) { consumers[at[from]++] = to; });

  std::vector<NodeId> order;
  order.reserve(n);
  for (NodeId id = 0; id < n; ++id) {
    if (pending[id] == 0) order.push_back(id);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    const NodeId id = order[i];
    for (uint32_t e = first[id]; e < first[id + 1]; ++e) {
      if (--pending[consumers[e]] == 0) order.push_back(consumers[e]);
    }
  }
  if (static_cast<int>(order.size()) == n) return order;
  std::string names;
  int count = 0;
  for (NodeId id = 0; id < n; ++id) {
    if (pending[id] == 0) continue;
    if (++count <= 5) absl::StrAppend(&names, count > 1 ? ", '" : "'", Absl(graph.node(id).name), "'");
  }
  return absl::InvalidArgumentError(absl::StrCat("graph: expected no cycle but from NextIteration to Merge, got ", count,
                                                 " nodes in or after one: ", names, count > 5 ? ", ..." : ""));
}

}  // namespace flowlatch
