#include "runtime/checkpoint/object_graph.h"

#include "absl/strings/str_cat.h"
#include "flowlatch/proto/trackable_object_graph.pb.h"
#include "graph/base/near_names.h"
#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

constexpr char kObjectGraph[] = "_CHECKPOINTABLE_OBJECT_GRAPH";  // a tensor
constexpr char kVariableSuffix[] = "/.ATTRIBUTES/VARIABLE_VALUE";

}  // namespace

absl::StatusOr<CheckpointNames> CheckpointNames::Make(const CheckpointReader& reader) {
  CheckpointNames names(&reader);
  if (reader.Find(kObjectGraph) == nullptr) return names;
  names.has_objects_ = true;
  ASSIGN_OR_RETURN(const Tensor encoded, reader.Read(kObjectGraph));
  proto::TrackableObjectGraph graph;
  const bool is_text = encoded.dtype() == DType::kString && encoded.num_elements() == 1;
  if (!is_text ||
      !graph.ParseFromArray(encoded.data<String>()->data(), static_cast<int>(encoded.data<String>()->size()))) {
    return absl::DataLossError(
        absl::StrCat("checkpoint '", reader.path(), "': expected a graph of objects in '", kObjectGraph, "'"));
  }
  for (const proto::TrackableObjectGraph::TrackableObject& object : graph.nodes()) {
    for (const auto& tensor : object.attributes()) {
      if (tensor.full_name().empty() || tensor.checkpoint_key().empty()) continue;
      names.variables_.emplace(tensor.checkpoint_key(), tensor.full_name());
      const auto [known, added] = names.tensors_.emplace(tensor.full_name(), tensor.checkpoint_key());
      if (!added && known->second != tensor.checkpoint_key()) names.ambiguous_.insert(tensor.full_name());
    }
  }
  return names;
}

absl::StatusOr<std::string> CheckpointNames::Find(std::string_view name) const {
  const std::string text(name);
  if (reader_->Find(name) != nullptr) return text;
  if (ambiguous_.count(name) > 0) {
    return absl::InvalidArgumentError(absl::StrCat("variable '", text, "': expected one object of checkpoint '",
                                                   reader_->path(), "' to have a variable of this name, got several"));
  }
  if (const auto found = tensors_.find(name); found != tensors_.end()) return found->second;
  if (const std::string place = text + kVariableSuffix; reader_->Find(place) != nullptr) return place;
  NearNames near(name);
  for (const CheckpointReader::TensorInfo& tensor : reader_->tensors()) near.Consider(tensor.name);
  for (const auto& [variable, tensor] : tensors_) near.Consider(variable);
  return absl::NotFoundError(absl::StrCat("variable '", text, "': expected its value in checkpoint '", reader_->path(),
                                          "', got none", near.Hint()));
}

std::string_view CheckpointNames::VariableName(std::string_view tensor) const {
  const auto found = variables_.find(tensor);
  return found != variables_.end() ? std::string_view(found->second) : std::string_view();
}

}  // namespace flowlatch
