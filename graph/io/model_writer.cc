#include "graph/io/model_writer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "flowlatch/proto/meta_graph.pb.h"
#include "flowlatch/proto/saved_model.pb.h"
#include "graph/base/status_macros.h"
#include "graph/io/proto_io.h"
#include "graph/tensor/tensor_proto.h"

namespace flowlatch {
namespace {

constexpr int kSavedModelVersion = 1;

// Of components, files keep dtypes, which the graph knows.
absl::Status WriteComposite(const SignatureTensor& tensor, const Graph& graph,
                            proto::TensorInfo::CompositeTensor* out) {
  if (!out->mutable_type_spec()->ParseFromString(tensor.type_spec)) {
    return absl::InvalidArgumentError("type_spec: expected an encoded TypeSpecProto");
  }
  for (const std::string& name : tensor.components) {
    const absl::StatusOr<Port> port = graph.ParsePort(name);
    if (!port.ok()) return absl::InvalidArgumentError(port.status().message());
    proto::TensorInfo* part = out->add_components();
    part->set_name(name);
    part->set_dtype(static_cast<DataType>(graph.node(port->node).types->outputs[port->index].dtype));
    part->mutable_tensor_shape()->set_unknown_rank(true);
  }
  return absl::OkStatus();
}

absl::Status WriteTensor(const SignatureTensor& tensor, const Graph& graph, proto::TensorInfo* out) {
  out->set_dtype(static_cast<DataType>(tensor.dtype));
  ShapeToProto(tensor.shape, out->mutable_tensor_shape());
  if (tensor.components.empty()) {
    out->set_name(tensor.name);
  } else if (tensor.components.size() == 3 && tensor.type_spec.empty()) {
    out->mutable_coo_sparse()->set_values_tensor_name(tensor.components[0]);
    out->mutable_coo_sparse()->set_indices_tensor_name(tensor.components[1]);
    out->mutable_coo_sparse()->set_dense_shape_tensor_name(tensor.components[2]);
  } else {
    return WriteComposite(tensor, graph, out->mutable_composite_tensor());
  }
  return absl::OkStatus();
}

absl::Status WriteSignature(const Signature& signature, const Graph& graph, proto::SignatureDef* out) {
  out->set_method_name(signature.method_name);
  for (const auto& [key, tensor] : signature.inputs) {
    RETURN_IF_ERROR(WriteTensor(tensor, graph, &(*out->mutable_inputs())[key]));
  }
  for (const auto& [key, tensor] : signature.outputs) {
    RETURN_IF_ERROR(WriteTensor(tensor, graph, &(*out->mutable_outputs())[key]));
  }
  for (const auto& [key, value] : signature.defaults) {
    RETURN_IF_ERROR(TensorToProto(value, &(*out->mutable_defaults())[key]));
  }
  return absl::OkStatus();
}

void WriteCollection(const Collection& collection, proto::CollectionDef* out) {
  const auto& strings = collection.strings;
  switch (collection.kind) {
    case Collection::Kind::kNone:
      break;
    case Collection::Kind::kNodes:
      out->mutable_node_list()->mutable_value()->Add(strings.begin(), strings.end());
      break;
    case Collection::Kind::kBytes:
      out->mutable_bytes_list()->mutable_value()->Add(strings.begin(), strings.end());
      break;
    case Collection::Kind::kInts:
      out->mutable_int64_list()->mutable_value()->Add(collection.ints.begin(), collection.ints.end());
      break;
    case Collection::Kind::kFloats:
      out->mutable_float_list()->mutable_value()->Add(collection.floats.begin(), collection.floats.end());
      break;
    case Collection::Kind::kMessages:
      out->mutable_any_list();
      for (size_t i = 0; i < strings.size(); ++i) {
        google::protobuf::Any* any = out->mutable_any_list()->add_value();
        any->set_value(strings[i]);
        if (i < collection.type_urls.size()) any->set_type_url(collection.type_urls[i]);
      }
      break;
  }
}

absl::Status ToProto(const Model& model, proto::MetaGraphDef* out) {
  proto::MetaGraphDef::MetaInfoDef* info = out->mutable_meta_info_def();
  info->mutable_tags()->Add(model.tags.begin(), model.tags.end());
  info->set_tensorflow_version(model.tensorflow_version);
  ASSIGN_OR_RETURN(*out->mutable_graph_def(), GraphToProto(model.graph));
  if (model.saver.has_value()) {
    proto::SaverDef* saver = out->mutable_saver_def();
    saver->set_filename_tensor_name(model.saver->filename_tensor);
    saver->set_save_tensor_name(model.saver->save_tensor);
    saver->set_restore_op_name(model.saver->restore_op);
    saver->set_version(proto::SaverDef::V2);
  }
  for (const auto& [name, signature] : model.signatures) {
    absl::Status status = WriteSignature(signature, model.graph, &(*out->mutable_signature_def())[name]);
    if (!status.ok()) return absl::Status(status.code(), absl::StrCat("signature '", name, "': ", status.message()));
  }
  for (const auto& [name, collection] : model.collections) {
    WriteCollection(collection, &(*out->mutable_collection_def())[name]);
  }
  for (const Asset& asset : model.assets) {
    proto::AssetFileDef* def = out->add_asset_file_def();
    def->mutable_tensor_info()->set_name(asset.tensor);
    def->set_filename(asset.file_name);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> WriteMetaGraph(const Model& model) {
  proto::MetaGraphDef def;
  RETURN_IF_ERROR(ToProto(model, &def));
  return EncodeMessage(def);
}

absl::StatusOr<std::string> WriteSavedModel(const Model& model) {
  proto::SavedModel def;
  def.set_saved_model_schema_version(kSavedModelVersion);
  RETURN_IF_ERROR(ToProto(model, def.add_meta_graphs()));
  return EncodeMessage(def);
}

}  // namespace flowlatch
