#include "graph/passes/freeze_variables.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

class Freezer {
 public:
  Freezer(const Graph& graph, const std::map<std::string, Tensor>& values)
      : graph_(graph), values_(values), needed_(static_cast<size_t>(graph.num_nodes())), result_(graph.registry()) {}

  absl::StatusOr<Graph> Freeze(const std::vector<Port>& outputs) {
    Need(outputs);
    FindHandles();
    result_.set_library(graph_.shared_library());
    result_.producer = graph_.producer;
    result_.min_consumer = graph_.min_consumer;
    result_.bad_consumers = graph_.bad_consumers;
    std::vector<NodeId> places(static_cast<size_t>(graph_.num_nodes()), -1);
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      if (!needed_[id]) continue;
      ASSIGN_OR_RETURN(places[id], Add(id));
    }
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      if (!needed_[id]) continue;
      std::vector<Port> data;
      std::vector<NodeId> controls;
      for (const Port& input : graph_.inputs(id)) data.push_back({places[input.node], input.index});
      for (const Port& input : graph_.control_inputs(id)) controls.push_back(places[input.node]);
      result_.SetInputs(places[id], data, controls);
    }
    RETURN_IF_ERROR(Verify(result_));
    return std::move(result_);
  }

 private:
  void Need(const std::vector<Port>& outputs) {
    std::vector<NodeId> next;
    const auto need = [&](NodeId id) {
      if (!needed_[id]) next.push_back(id);
      needed_[id] = true;
    };
    for (const Port& output : outputs) need(output.node);
    while (!next.empty()) {
      const NodeId id = next.back();
      next.pop_back();
      for (const Port& input : graph_.inputs(id)) need(input.node);
      for (const Port& input : graph_.control_inputs(id)) need(input.node);
    }
  }

  static bool IsVariable(const std::string& op) {
    return op == "VariableV2" || op == "Variable" || op == "VarHandleOp";
  }
  // Ops that hand on a handle as it is.
  static bool PassesOn(const std::string& op) { return op == "Identity" || op == "Enter" || op == "Switch"; }

  // handles_[id]: the dtype of the variable whose handle, or later value, all outputs of the node are.
  void FindHandles() {
    handles_.assign(static_cast<size_t>(graph_.num_nodes()), DType::kInvalid);
    bool changed = true;
    while (changed) {
      changed = false;
      for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
        const Node& node = graph_.node(id);
        if (!needed_[id] || handles_[id] != DType::kInvalid) continue;
        if (node.op() == "VarHandleOp") {
          const Attr* dtype = node.attrs.Find("dtype");
          handles_[id] = dtype != nullptr && dtype->Get<DType>() != nullptr ? *dtype->Get<DType>() : DType::kInvalid;
        } else if (PassesOn(node.op())) {
          handles_[id] = handles_[graph_.inputs(id)[0].node];
        }
        changed = changed || handles_[id] != DType::kInvalid;
      }
    }
  }

  absl::StatusOr<NodeId> AddAs(const Node& node, const char* op, AttrMap attrs) {
    return result_.AddNode(node.name, result_.registry().Find(op), std::move(attrs), graph_.device_name(node));
  }

  absl::StatusOr<NodeId> Add(NodeId id) {
    const Node& node = graph_.node(id);
    const std::string& op = node.op();
    if (IsVariable(op)) {
      const auto value = values_.find(std::string(node.name));
      if (value == values_.end()) {
        return absl::NotFoundError(
            absl::StrCat("variable '", std::string(node.name), "': expected a value for it, got none"));
      }
      return AddAs(node, "Const", {{"dtype", value->second.dtype()}, {"value", value->second}});
    }
    DType handle = DType::kInvalid;  // of what comes in as a handle
    for (const Port& input : graph_.inputs(id)) {
      if (handles_[input.node] != DType::kInvalid) handle = handles_[input.node];
      const Node& from = graph_.node(input.node);
      const bool is_ref = node.types->inputs[&input - graph_.inputs(id).data()].is_ref;
      if (is_ref && from.types->outputs[input.index].is_ref && op != "RefIdentity") return Refuse(node);
    }
    if (op == "RefIdentity") return AddAs(node, "Identity", {{"T", node.types->outputs[0].dtype}});
    if (handle == DType::kInvalid) return result_.AddNode(node.name, node.schema, node.attrs, graph_.device_name(node));
    if (PassesOn(op))
      return result_.AddNode(node.name, node.schema, node.attrs.With("T", handle), graph_.device_name(node));
    if (op == "ReadVariableOp") return AddAs(node, "Identity", {{"T", handle}});
    if (op == "VariableShape") {
      return AddAs(node, "Shape", {{"T", handle}, {"out_type", node.types->outputs[0].dtype}});
    }
    const Attr* batch_dims = node.attrs.Find("batch_dims");
    const bool is_batched =
        batch_dims != nullptr && batch_dims->Get<int64_t>() != nullptr && *batch_dims->Get<int64_t>() != 0;
    if (op == "ResourceGather" && !is_batched) {
      return AddAs(node, "Gather", {{"Tparams", handle}, {"Tindices", node.types->inputs[1].dtype}});
    }
    return Refuse(node);
  }

  static absl::Status Refuse(const Node& node) {
    return absl::InvalidArgumentError(absl::StrCat("node '", std::string(node.name), "' (", node.op(),
                                                   "): expected variables that are only read, got one that is not"));
  }

  const Graph& graph_;
  const std::map<std::string, Tensor>& values_;
  std::vector<bool> needed_;
  std::vector<DType> handles_;
  Graph result_;
};

}  // namespace

absl::StatusOr<Graph> FreezeVariables(const Graph& graph, const std::vector<Port>& outputs,
                                      const std::map<std::string, Tensor>& values) {
  return Freezer(graph, values).Freeze(outputs);
}

}  // namespace flowlatch
