#include "runtime/checkpoint/save_nodes.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

class NodeAdder {
 public:
  explicit NodeAdder(Graph& graph) : graph_(graph), scope_("save") {
    for (int i = 1; graph.FindNode(Name("restore_all")).has_value() || graph.FindNode(Name("Const")).has_value(); ++i)
      scope_ = absl::StrCat("save_", i);
  }

  std::string Name(const std::string& name) const { return absl::StrCat(scope_, "/", name); }

  absl::StatusOr<NodeId> Add(const std::string& name, const char* op, AttrMap attrs,
                             const std::vector<Port>& inputs = {}, const std::vector<NodeId>& controls = {}) {
    const OpSchema* schema = graph_.registry().Find(op);
    if (schema == nullptr) return absl::NotFoundError(absl::StrCat("op ", op, ": expected it to be known"));
    ASSIGN_OR_RETURN(const NodeId id, graph_.AddNode(Name(name), schema, std::move(attrs)));
    graph_.SetInputs(id, inputs, controls);
    return id;
  }
  absl::StatusOr<Port> Constant(const std::string& name, Tensor value) {
    ASSIGN_OR_RETURN(const NodeId id, Add(name, "Const", {{"dtype", value.dtype()}, {"value", std::move(value)}}));
    return Port{id, 0};
  }
  absl::StatusOr<Port> Strings(const std::string& name, const std::vector<std::string>& strings) {
    ASSIGN_OR_RETURN(Tensor value,
                     Tensor::Make(DType::kString, Shape::FromValid({static_cast<int64_t>(strings.size())})));
    for (size_t i = 0; i < strings.size(); ++i) value.mutable_data<String>()[i] = std::string_view(strings[i]);
    return Constant(name, std::move(value));
  }

 private:
  Graph& graph_;
  std::string scope_;
};

std::string SliceText(const SavedVariable& variable) {
  if (!variable.slice.has_value()) return "";
  return absl::StrCat(absl::StrJoin(variable.slice->shape.dims(), " "), " ", variable.slice->slice.ToString());
}

}  // namespace

absl::StatusOr<SaverNames> AddSaveNodes(absl::Span<const SavedVariable> variables, Graph& graph) {
  NodeAdder nodes(graph);
  std::vector<std::string> names, slices;
  std::vector<DType> dtypes;
  std::vector<Port> targets;  // references and handles
  for (const SavedVariable& variable : variables) {
    names.push_back(variable.name);
    slices.push_back(SliceText(variable));
    dtypes.push_back(variable.dtype);
    ASSIGN_OR_RETURN(targets.emplace_back(), graph.ParsePort(variable.node));
  }
  ASSIGN_OR_RETURN(const Port default_name, nodes.Constant("filename", Tensor::Scalar("model")));
  ASSIGN_OR_RETURN(const NodeId filename,
                   nodes.Add("Const", "PlaceholderWithDefault",
                             {{"dtype", DType::kString}, {"shape", PartialShape(Shape())}}, {default_name}));
  ASSIGN_OR_RETURN(const Port tensor_names, nodes.Strings("tensor_names", names));
  ASSIGN_OR_RETURN(const Port shape_and_slices, nodes.Strings("shape_and_slices", slices));

  std::vector<Port> saved = {{filename, 0}, tensor_names, shape_and_slices};
  for (size_t i = 0; i < variables.size(); ++i) {
    saved.push_back(targets[i]);
    if (variables[i].is_reference) continue;
    ASSIGN_OR_RETURN(const NodeId read,
                     nodes.Add(absl::StrCat("Read_", i), "ReadVariableOp", {{"dtype", dtypes[i]}}, {targets[i]}));
    saved.back() = {read, 0};
  }
  ASSIGN_OR_RETURN(const NodeId save, nodes.Add("SaveV2", "SaveV2", {{"dtypes", dtypes}}, saved));
  RETURN_IF_ERROR(
      nodes.Add("control_dependency", "Identity", {{"T", DType::kString}}, {{filename, 0}}, {save}).status());

  ASSIGN_OR_RETURN(const NodeId restore, nodes.Add("RestoreV2", "RestoreV2", {{"dtypes", dtypes}},
                                                   {{filename, 0}, tensor_names, shape_and_slices}));
  std::vector<NodeId> assigned;
  for (size_t i = 0; i < variables.size(); ++i) {
    const bool is_reference = variables[i].is_reference;
    ASSIGN_OR_RETURN(
        assigned.emplace_back(),
        nodes.Add(absl::StrCat("Assign_", i), is_reference ? "Assign" : "AssignVariableOp",
                  {{is_reference ? "T" : "dtype", dtypes[i]}}, {targets[i], {restore, static_cast<int32_t>(i)}}));
  }
  RETURN_IF_ERROR(nodes.Add("restore_all", "NoOp", {}, {}, assigned).status());
  return SaverNames{nodes.Name("Const:0"), nodes.Name("control_dependency:0"), nodes.Name("restore_all")};
}

}  // namespace flowlatch
