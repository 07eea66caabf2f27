#include "runtime/checkpoint/saved_variables.h"

#include <set>
#include <shared_mutex>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "flowlatch/proto/variable.pb.h"
#include "graph/base/status_macros.h"
#include "runtime/checkpoint/object_graph.h"
#include "runtime/resource/variable.h"

namespace flowlatch {
namespace {

constexpr std::string_view kAnonymousName = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

std::string StringAttr(const Node& node, std::string_view name) {
  const Attr* attr = node.attrs.Find(name);
  const std::string* text = attr != nullptr ? attr->Get<std::string>() : nullptr;
  return text != nullptr ? *text : "";
}

// The variable that a node makes or has the handle of; nullopt for other nodes.
std::optional<SavedVariable> VariableOf(const Node& node) {
  const bool is_reference = node.op() == "VariableV2" || node.op() == "Variable";
  if (!is_reference && node.op() != "VarHandleOp") return std::nullopt;
  const Attr* dtype = node.attrs.Find("dtype");
  const Attr* shape = node.attrs.Find("shape");
  SavedVariable variable;
  variable.name = variable.node = std::string(node.name);
  variable.container = StringAttr(node, "container");
  variable.resource = StringAttr(node, "shared_name");
  if (variable.resource == kAnonymousName || dtype == nullptr || dtype->Get<DType>() == nullptr) return std::nullopt;
  if (is_reference && variable.resource.empty()) variable.resource = variable.node;
  variable.dtype = *dtype->Get<DType>();
  if (shape != nullptr && shape->Get<PartialShape>() != nullptr) variable.shape = *shape->Get<PartialShape>();
  // In graphs that still use Variable, the shape [] also stands for an unknown one.
  if (node.op() == "Variable" && variable.shape.rank() == 0) variable.shape = PartialShape();
  variable.is_reference = is_reference;
  return variable;
}

absl::StatusOr<ShapeAndSlice> SliceOf(const proto::SaveSliceInfoDef& info) {
  const int rank = info.full_shape_size();
  if (info.var_offset_size() != rank || info.var_shape_size() != rank) {
    return absl::InvalidArgumentError(absl::StrCat("part of variable '", info.full_name(), "': expected ", rank,
                                                   " offsets and sizes, got ", info.var_offset_size(), " and ",
                                                   info.var_shape_size()));
  }
  ShapeAndSlice slice;
  ASSIGN_OR_RETURN(slice.shape, Shape::Make({info.full_shape().data(), static_cast<size_t>(rank)}));
  for (int d = 0; d < rank; ++d) slice.slice.ranges.push_back({info.var_offset(d), info.var_shape(d)});
  ASSIGN_OR_RETURN(slice.slice, slice.slice.Within(slice.shape));
  return slice;
}

// The VariableDefs of a collection by the names of their variables, without ":0".
absl::StatusOr<std::map<std::string, proto::VariableDef>> VariableDefs(
    const std::map<std::string, Collection>& collections, const char* name) {
  std::map<std::string, proto::VariableDef> defs;
  const auto collection = collections.find(name);
  if (collection == collections.end() || collection->second.kind != Collection::Kind::kBytes) return defs;
  for (const std::string& bytes : collection->second.strings) {
    proto::VariableDef def;
    if (!def.ParseFromString(bytes)) {
      return absl::InvalidArgumentError(
          absl::StrCat("collection '", name, "': expected VariableDefs, got other bytes"));
    }
    const std::string node = def.variable_name().substr(0, def.variable_name().find(':'));
    defs[node] = std::move(def);
  }
  return defs;
}

struct Restored {
  const SavedVariable* variable;
  Tensor value;
};

absl::StatusOr<Tensor> ReadFor(const SavedVariable& variable, const std::string& tensor,
                               const CheckpointReader& reader) {
  ASSIGN_OR_RETURN(const CheckpointReader::TensorInfo* info, reader.Expect(tensor, variable.dtype));
  const auto refuse = [&](const std::string& expected) {
    return absl::InvalidArgumentError(absl::StrCat("variable '", variable.node, "' from tensor '", tensor,
                                                   "' in checkpoint '", reader.path(), "': expected shape ", expected,
                                                   ", got ", info->shape.ToString()));
  };
  if (variable.slice.has_value()) {
    if (info->shape != variable.slice->shape) return refuse(variable.slice->shape.ToString());
    return reader.ReadSlice(tensor, variable.slice->slice);
  }
  if (!variable.shape.CompatibleWith(info->shape)) return refuse(variable.shape.ToString());
  return reader.Read(tensor);
}

}  // namespace

absl::StatusOr<std::vector<SavedVariable>> SavedVariables(const Graph& graph,
                                                          const std::map<std::string, Collection>& collections) {
  ASSIGN_OR_RETURN(const auto global, VariableDefs(collections, "variables"));
  ASSIGN_OR_RETURN(const auto local, VariableDefs(collections, "local_variables"));
  std::vector<SavedVariable> variables;
  std::set<std::pair<std::string, std::string>> seen;  // several handles may be of one variable
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    std::optional<SavedVariable> variable = VariableOf(graph.node(id));
    if (!variable.has_value() || local.count(variable->node) > 0) continue;
    if (!seen.emplace(variable->container, variable->resource).second) continue;
    const auto def = global.find(variable->node);
    if (def != global.end() && def->second.has_save_slice_info_def()) {
      variable->name = def->second.save_slice_info_def().full_name();
      ASSIGN_OR_RETURN(variable->slice, SliceOf(def->second.save_slice_info_def()));
    }
    variables.push_back(*std::move(variable));
  }
  return variables;
}

absl::StatusOr<Tensor> SnapshotOf(const SavedVariable& saved, const ResourceManager& resources) {
  const absl::StatusOr<RefPtr<Variable>> found = resources.Lookup<Variable>(saved.container, saved.resource);
  const absl::Status uninitialized = absl::FailedPreconditionError(
      absl::StrCat("variable '", saved.node, "': expected a value, got an uninitialized one"));
  if (!found.ok()) return uninitialized;
  Variable& variable = **found;
  std::shared_lock<std::shared_mutex> lock(variable.mu);
  if (!variable.value.has_value()) return uninitialized;
  if (variable.dtype() != saved.dtype) {
    return absl::InvalidArgumentError(absl::StrCat("variable '", saved.node, "': expected ",
                                                   std::string(DTypeName(saved.dtype)), ", got ",
                                                   std::string(DTypeName(variable.dtype()))));
  }
  // Updates copy the elements of a resource variable that somebody shares.
  if (!saved.is_reference) return variable.value;
  return variable.value.Clone(nullptr);
}

absl::Status AddVariables(absl::Span<const SavedVariable> variables, const ResourceManager& resources,
                          BundleWriter& writer) {
  for (const SavedVariable& variable : variables) {
    ASSIGN_OR_RETURN(const Tensor value, SnapshotOf(variable, resources));
    if (variable.slice.has_value()) {
      RETURN_IF_ERROR(writer.AddSlice(variable.name, variable.slice->shape, variable.slice->slice, value));
    } else {
      RETURN_IF_ERROR(writer.Add(variable.name, value));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> RestoreVariables(absl::Span<const SavedVariable> variables,
                                                          const CheckpointReader& reader, ResourceManager& resources,
                                                          const RestoreOptions& options) {
  ASSIGN_OR_RETURN(const CheckpointNames names, CheckpointNames::Make(reader));
  std::vector<Restored> restored;
  std::vector<std::string> missing;
  for (const SavedVariable& variable : variables) {
    const auto renamed = options.names.find(variable.name);
    const absl::StatusOr<std::string> tensor =
        names.Find(renamed != options.names.end() ? renamed->second : variable.name);
    if (options.allow_missing && absl::IsNotFound(tensor.status())) {
      missing.push_back(variable.name);
      continue;
    }
    RETURN_IF_ERROR(tensor.status());
    Restored& value = restored.emplace_back();
    value.variable = &variable;
    ASSIGN_OR_RETURN(value.value, ReadFor(variable, *tensor, reader));
  }
  std::vector<RefPtr<Variable>> targets;
  for (const Restored& value : restored) {
    const SavedVariable& saved = *value.variable;
    const RefPtr<ResourceKey> key = MakeRef<ResourceKey>();
    key->container = saved.container;
    key->name = saved.resource;
    key->type_name = "Var";
    ASSIGN_OR_RETURN(targets.emplace_back(), LookupOrCreateVariable(resources, *key, saved.dtype, saved.shape));
  }
  for (size_t i = 0; i < restored.size(); ++i) {
    const std::unique_lock<std::shared_mutex> lock(targets[i]->mu);
    targets[i]->value = std::move(restored[i].value);
  }
  return missing;
}

}  // namespace flowlatch
