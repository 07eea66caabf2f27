#include "graph/io/model.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "flowlatch/proto/meta_graph.pb.h"
#include "flowlatch/proto/saved_model.pb.h"
#include "graph/base/status_macros.h"
#include "graph/io/proto_io.h"
#include "graph/ir/wire_reader.h"
#include "graph/tensor/tensor_proto.h"

namespace flowlatch {
namespace {

constexpr std::string_view kInitOp = "__saved_model_init_op";  // both a signature and its output

absl::Status Annotate(const absl::Status& status, const std::string& where) {
  return absl::Status(status.code(), absl::StrCat(where, ": ", status.message()));
}

// A MetaGraphDef without its graph, which stays encoded.
struct MetaGraph {
  proto::MetaGraphDef rest;
  std::string_view graph;
  std::set<std::string> tags() const {
    return {rest.meta_info_def().tags().begin(), rest.meta_info_def().tags().end()};
  }
};

absl::StatusOr<MetaGraph> SplitMetaGraph(std::string_view bytes) {
  MetaGraph meta;
  std::string rest;
  WireReader in(bytes);
  while (in.NextField()) {
    if (in.IsBytes(2)) {
      meta.graph = in.bytes();
    } else if (!in.IsBytes(7)) {  // objects of Python: nothing here needs them
      rest.append(in.whole());
    }
  }
  if (!in.ok() || !meta.rest.ParsePartialFromString(rest))
    return absl::InvalidArgumentError("expected an encoded MetaGraphDef");
  return meta;
}

absl::StatusOr<SignatureTensor> ReadSignatureTensor(const proto::TensorInfo& info) {
  SignatureTensor tensor;
  tensor.name = info.name();
  if (info.has_coo_sparse()) {
    const proto::TensorInfo::CooSparse& sparse = info.coo_sparse();
    tensor.components = {sparse.values_tensor_name(), sparse.indices_tensor_name(), sparse.dense_shape_tensor_name()};
  }
  if (info.has_composite_tensor()) {
    for (const proto::TensorInfo& part : info.composite_tensor().components()) tensor.components.push_back(part.name());
    ASSIGN_OR_RETURN(tensor.type_spec, EncodeMessage(info.composite_tensor().type_spec()));
  }
  tensor.dtype = DTypeFromNumber(info.dtype()).value_or(DType::kInvalid);
  ASSIGN_OR_RETURN(tensor.shape, PartialShapeFromProto(info.tensor_shape()));
  return tensor;
}

absl::StatusOr<Signature> ReadSignature(const proto::SignatureDef& def) {
  Signature signature;
  signature.method_name = def.method_name();
  const auto read = [](const auto& infos, std::map<std::string, SignatureTensor>* out) -> absl::Status {
    for (const auto& [key, info] : infos) {
      absl::StatusOr<SignatureTensor> tensor = ReadSignatureTensor(info);
      if (!tensor.ok()) return Annotate(tensor.status(), absl::StrCat("'", key, "'"));
      out->emplace(key, *std::move(tensor));
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(read(def.inputs(), &signature.inputs));
  RETURN_IF_ERROR(read(def.outputs(), &signature.outputs));
  for (const auto& [key, value] : def.defaults()) {
    absl::StatusOr<Tensor> tensor = TensorFromProto(value);
    if (!tensor.ok()) return Annotate(tensor.status(), absl::StrCat("default of '", key, "'"));
    signature.defaults.emplace(key, *std::move(tensor));
  }
  return signature;
}

Collection ReadCollection(const proto::CollectionDef& def) {
  Collection c;
  const auto take_strings = [&](Collection::Kind kind, const auto& values) {
    c.kind = kind;
    c.strings.assign(values.begin(), values.end());
  };
  switch (def.kind_case()) {
    case proto::CollectionDef::kNodeList:
      take_strings(Collection::Kind::kNodes, def.node_list().value());
      break;
    case proto::CollectionDef::kBytesList:
      take_strings(Collection::Kind::kBytes, def.bytes_list().value());
      break;
    case proto::CollectionDef::kInt64List:
      c.kind = Collection::Kind::kInts;
      c.ints.assign(def.int64_list().value().begin(), def.int64_list().value().end());
      break;
    case proto::CollectionDef::kFloatList:
      c.kind = Collection::Kind::kFloats;
      c.floats.assign(def.float_list().value().begin(), def.float_list().value().end());
      break;
    case proto::CollectionDef::kAnyList:
      c.kind = Collection::Kind::kMessages;
      for (const google::protobuf::Any& any : def.any_list().value()) {
        c.strings.push_back(any.value());
        c.type_urls.push_back(any.type_url());
      }
      break;
    case proto::CollectionDef::KIND_NOT_SET:
      break;
  }
  return c;
}

// All but the graph.
absl::Status ReadDescription(const proto::MetaGraphDef& def, Model* model) {
  const auto& info = def.meta_info_def();
  model->tags.assign(info.tags().begin(), info.tags().end());
  model->tensorflow_version = info.tensorflow_version();
  for (const auto& [name, signature_def] : def.signature_def()) {
    absl::StatusOr<Signature> signature = ReadSignature(signature_def);
    if (!signature.ok()) return Annotate(signature.status(), absl::StrCat("signature '", name, "'"));
    model->signatures.emplace(name, *std::move(signature));
  }
  for (const auto& [name, collection] : def.collection_def())
    model->collections.emplace(name, ReadCollection(collection));
  if (def.has_saver_def()) {
    const proto::SaverDef& saver = def.saver_def();
    model->saver = SaverNames{saver.filename_tensor_name(), saver.save_tensor_name(), saver.restore_op_name()};
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> FindInitOp(const Model& model) {
  const auto signature = model.signatures.find(std::string(kInitOp));
  if (signature != model.signatures.end()) {
    const auto output = signature->second.outputs.find(std::string(kInitOp));
    if (output != signature->second.outputs.end()) return output->second.name;
    return absl::InvalidArgumentError(
        absl::StrCat("signature '", std::string(kInitOp), "': expected an output of the same name"));
  }
  for (const char* name : {"saved_model_main_op", "legacy_init_op"}) {
    const auto collection = model.collections.find(name);
    if (collection == model.collections.end()) continue;
    const std::vector<std::string>& ops = collection->second.strings;
    if (collection->second.kind == Collection::Kind::kNodes && ops.size() == 1) return ops[0];
    return absl::FailedPreconditionError(
        absl::StrCat("collection '", name, "': expected the name of one node, got ", ops.size()));
  }
  return "";
}

// Old files have the assets in a collection.
absl::StatusOr<std::vector<proto::AssetFileDef>> FindAssets(const proto::MetaGraphDef& def) {
  std::vector<proto::AssetFileDef> assets(def.asset_file_def().begin(), def.asset_file_def().end());
  const auto collection = def.collection_def().find("saved_model_assets");
  if (!assets.empty() || collection == def.collection_def().end()) return assets;
  for (const google::protobuf::Any& any : collection->second.any_list().value()) {
    proto::AssetFileDef& asset = assets.emplace_back();
    const std::string& type = any.type_url();
    if (type.substr(std::min(type.rfind('.'), type.size())) != ".AssetFileDef" ||
        !asset.ParsePartialFromString(any.value())) {
      return absl::FailedPreconditionError(
          absl::StrCat("collection 'saved_model_assets': expected AssetFileDefs, got '", type, "'"));
    }
  }
  return assets;
}

absl::Status AddAssets(const proto::MetaGraphDef& def, const std::string& folder, Model* model) {
  ASSIGN_OR_RETURN(const std::vector<proto::AssetFileDef> assets, FindAssets(def));
  for (const proto::AssetFileDef& asset : assets) {
    const std::string& tensor = asset.tensor_info().name();
    if (absl::Status status = model->graph.ParsePort(tensor).status(); !status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("asset '", asset.filename(), "': ", status.message()));
    }
    // A file name from a file must not lead out of the folder.
    const std::filesystem::path name(asset.filename());
    const bool leads_out = name.is_absolute() || std::find(name.begin(), name.end(), "..") != name.end() ||
                           asset.filename().find('\0') != std::string::npos;
    if (leads_out)
      return absl::NotFoundError(absl::StrCat("asset '", asset.filename(), "': expected a file of the folder assets"));
    model->assets.push_back({tensor, absl::StrCat(folder, "/assets/", asset.filename()), asset.filename()});
  }
  return absl::OkStatus();
}

// ---- SavedModels.

absl::StatusOr<std::string> ReadSavedModelFile(const std::string& folder) {
  const std::string binary = folder + "/saved_model.pb";
  std::error_code ignored;
  if (std::filesystem::exists(binary, ignored)) return ReadFile(binary);
  const std::string text = folder + "/saved_model.pbtxt";
  ASSIGN_OR_RETURN(const std::string content, ReadFile(text));
  proto::SavedModel proto;
  if (absl::Status status = ParseText(content, &proto); !status.ok()) return Annotate(status, text);
  return EncodeMessage(proto);
}

std::string TagsText(const std::set<std::string>& tags) { return absl::StrCat("{", absl::StrJoin(tags, ", "), "}"); }

// The encoded MetaGraphDefs.
absl::StatusOr<std::vector<MetaGraph>> SplitSavedModel(std::string_view bytes) {
  std::vector<MetaGraph> graphs;
  WireReader in(bytes);
  while (in.NextField()) {
    if (!in.IsBytes(2)) continue;
    absl::StatusOr<MetaGraph> graph = SplitMetaGraph(in.bytes());
    if (!graph.ok()) return absl::DataLossError(graph.status().message());
    graphs.push_back(*std::move(graph));
  }
  if (in.truncated()) return absl::OutOfRangeError("expected an encoded SavedModel, got one that ends early");
  if (!in.ok()) return absl::DataLossError("expected an encoded SavedModel");
  return graphs;
}

absl::StatusOr<MetaGraph> FindMetaGraph(std::vector<MetaGraph> graphs, const std::vector<std::string>& tags) {
  std::set<std::string> wanted(tags.begin(), tags.end());
  if (wanted.empty()) {
    if (graphs.size() == 1) return std::move(graphs[0]);
    wanted = {"serve"};
  }
  std::vector<std::string> available;
  for (MetaGraph& graph : graphs) {
    if (graph.tags() == wanted) return std::move(graph);
    available.push_back(TagsText(graph.tags()));
  }
  return absl::NotFoundError(absl::StrCat(
      "tags: expected ", available.empty() ? "a graph" : absl::StrJoin(available, " or "), ", got ", TagsText(wanted)));
}

class ModelLoader {
 public:
  ModelLoader(const std::string& path, const OpRegistry& registry, const LoadOptions& options)
      : path_(path),
        registry_(registry),
        options_(options),
        read_options_{.source = path,
                      .strict = options.strict,
                      .internal_names = options.internal_names,
                      .warnings = options.warnings} {}

  absl::StatusOr<Model> Load(ModelFile file) {
    switch (file.kind) {
      case ModelKind::kGraphDef:
        return FromGraph(file.kind, ReadGraphDef(file.content, registry_, read_options_));
      case ModelKind::kGraphDefText:
        return FromGraph(file.kind, ReadGraphDefText(file.content, registry_, read_options_));
      case ModelKind::kMetaGraph:
        return LoadMetaGraph(file.kind, file.content);
      case ModelKind::kMetaGraphText: {
        proto::MetaGraphDef proto;
        if (absl::Status status = ParseText(file.content, &proto); !status.ok()) return Annotate(status, path_);
        ASSIGN_OR_RETURN(const std::string bytes, EncodeMessage(proto));
        return LoadMetaGraph(file.kind, bytes);
      }
      case ModelKind::kSavedModel:
        return LoadSavedModel();
      case ModelKind::kCheckpoint:
        return absl::InvalidArgumentError(
            absl::StrCat(path_, ": expected a graph, got a checkpoint, which has none; ", path_, ".meta may have it"));
      case ModelKind::kEvents:
        return LoadEvents(file.content);
    }
    return absl::InvalidArgumentError(absl::StrCat(path_, ": expected a model"));
  }

 private:
  absl::StatusOr<Model> FromGraph(ModelKind kind, absl::StatusOr<Graph> graph) {
    RETURN_IF_ERROR(graph.status());
    return Model{.kind = kind, .graph = *std::move(graph)};
  }

  absl::StatusOr<Model> FromMetaGraph(ModelKind kind, const MetaGraph& meta) {
    ASSIGN_OR_RETURN(Graph graph, ReadGraphDef(meta.graph, registry_, read_options_));
    Model model{.kind = kind, .graph = std::move(graph)};
    if (absl::Status status = ReadDescription(meta.rest, &model); !status.ok()) return Annotate(status, path_);
    return model;
  }

  absl::StatusOr<Model> LoadMetaGraph(ModelKind kind, std::string_view bytes) {
    const absl::StatusOr<MetaGraph> meta = SplitMetaGraph(bytes);
    if (!meta.ok()) return Annotate(meta.status(), path_);
    return FromMetaGraph(kind, *meta);
  }

  absl::StatusOr<Model> LoadSavedModel() {
    ASSIGN_OR_RETURN(const std::string bytes, ReadSavedModelFile(path_));
    absl::StatusOr<std::vector<MetaGraph>> graphs = SplitSavedModel(bytes);
    if (!graphs.ok()) return Annotate(graphs.status(), path_ + "/saved_model.pb");
    const absl::StatusOr<MetaGraph> meta = FindMetaGraph(*std::move(graphs), options_.tags);
    if (!meta.ok()) return Annotate(meta.status(), path_);
    ASSIGN_OR_RETURN(Model model, FromMetaGraph(ModelKind::kSavedModel, *meta));
    absl::StatusOr<std::string> init_op = FindInitOp(model);
    if (!init_op.ok()) return Annotate(init_op.status(), path_);
    model.init_op = *std::move(init_op);
    if (absl::Status status = AddAssets(meta->rest, path_, &model); !status.ok()) return Annotate(status, path_);
    const std::string prefix = path_ + "/variables/variables";
    std::error_code ignored;
    if (std::filesystem::exists(prefix + ".index", ignored)) model.variables_prefix = prefix;
    return model;
  }

  // The last graph of a log of records: length, checksum of the length, data, checksum of the data.
  absl::StatusOr<Model> LoadEvents(std::string_view log) {
    std::string_view graph, meta_graph;
    constexpr size_t kHeaderBytes = 12, kFooterBytes = 4;
    while (log.size() >= kHeaderBytes) {
      uint64_t size;
      std::memcpy(&size, log.data(), sizeof size);
      log.remove_prefix(kHeaderBytes);
      if (size > log.size() || log.size() - size < kFooterBytes) break;  // somebody still writes it
      WireReader event(log.substr(0, size));
      while (event.NextField()) {
        if (event.IsBytes(4)) graph = event.bytes();
        if (event.IsBytes(9)) meta_graph = event.bytes();
      }
      log.remove_prefix(size + kFooterBytes);
    }
    if (!meta_graph.empty()) return LoadMetaGraph(ModelKind::kEvents, meta_graph);
    if (!graph.empty()) return FromGraph(ModelKind::kEvents, ReadGraphDef(graph, registry_, read_options_));
    return absl::InvalidArgumentError(absl::StrCat(path_, ": expected a graph, got an event file without one"));
  }

  const std::string& path_;
  const OpRegistry& registry_;
  const LoadOptions& options_;
  const ReadOptions read_options_;
};

}  // namespace

absl::StatusOr<Model> LoadModel(const std::string& path, const OpRegistry& registry, const LoadOptions& options) {
  ModelFile file;
  if (!options.kind.has_value()) {
    ASSIGN_OR_RETURN(file, OpenModelFile(path));
  } else {
    file.kind = *options.kind;
    if (file.kind != ModelKind::kSavedModel && file.kind != ModelKind::kCheckpoint) {
      ASSIGN_OR_RETURN(file.content, ReadFile(path));
    }
  }
  return ModelLoader(path, registry, options).Load(std::move(file));
}

absl::StatusOr<Graph> LoadGraph(const std::string& path, const OpRegistry& registry, const LoadOptions& options) {
  ASSIGN_OR_RETURN(Model model, LoadModel(path, registry, options));
  return std::move(model.graph);
}

}  // namespace flowlatch
