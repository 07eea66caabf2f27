#include "runtime/checkpoint/saved_model.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "graph/base/near_names.h"
#include "graph/base/status_macros.h"
#include "graph/io/model_writer.h"
#include "runtime/checkpoint/object_graph.h"
#include "runtime/checkpoint/save_nodes.h"
#include "runtime/checkpoint/saved_variables.h"

namespace flowlatch {
namespace {

constexpr char kInitOp[] = "__saved_model_init_op";
constexpr int64_t kMaxAssetBytes = int64_t{4} << 30;

// "restore: ..." before the message of an error.
absl::Status Annotate(std::string_view what, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(std::string(what), ": ", status.message()));
}

Feeds FilenameFeed(const Model& model, const std::string& prefix) {
  return {{model.saver->filename_tensor, Tensor::Scalar(std::string_view(prefix))}};
}

bool HasObjects(const std::string& prefix) {
  const absl::StatusOr<std::unique_ptr<CheckpointReader>> reader = CheckpointReader::Open(prefix);
  if (!reader.ok()) return false;
  const absl::StatusOr<CheckpointNames> names = CheckpointNames::Make(**reader);
  return names.ok() && names->has_objects();
}

absl::Status SaveModelVariables(const std::string& folder, Session& session, FileSystem& files, Model& model) {
  const std::string prefix = JoinPath(folder, "variables/variables");
  if (model.saver.has_value()) {
    RETURN_IF_ERROR(files.CreateDirectory(DirectoryOf(prefix)));
    return Annotate("save '" + prefix + "'",
                    session.Run(FilenameFeed(model, prefix), {model.saver->save_tensor}, {}).status());
  }
  ASSIGN_OR_RETURN(const std::vector<SavedVariable> variables, SavedVariables(model.graph, model.collections));
  if (variables.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::unique_ptr<BundleWriter> writer, BundleWriter::Create(prefix, files));
  RETURN_IF_ERROR(AddVariables(variables, session.resources(), *writer));
  RETURN_IF_ERROR(writer->Finish());
  ASSIGN_OR_RETURN(model.saver, AddSaveNodes(variables, model.graph));
  return absl::OkStatus();
}

absl::Status CopyAssets(const std::string& folder, FileSystem& files, Model& model) {
  if (model.assets.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(files.CreateDirectory(JoinPath(folder, "assets")));
  for (Asset& asset : model.assets) {
    if (asset.file_name.empty()) asset.file_name = BaseName(asset.path);
    const std::string& name = asset.file_name;
    if (name.empty() || name == "." || name == ".." ||
        name.find_first_of(std::string_view("/\0", 2)) != std::string::npos) {
      return absl::InvalidArgumentError(absl::StrCat("asset '", name, "': expected the name of a file"));
    }
    ASSIGN_OR_RETURN(const std::string bytes, ReadFile(files, asset.path, kMaxAssetBytes));
    RETURN_IF_ERROR(WriteFileAtomically(files, JoinPath(JoinPath(folder, "assets"), name), bytes));
  }
  return absl::OkStatus();
}

// Files name the init op in a signature; old ones in a collection.
void NameInitOp(Model& model) {
  const bool is_named = model.signatures.count(kInitOp) > 0 || model.collections.count("saved_model_main_op") > 0 ||
                        model.collections.count("legacy_init_op") > 0;
  if (model.init_op.empty() || is_named) return;
  model.signatures[kInitOp].outputs[kInitOp].name = model.init_op;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Session>> OpenSession(Model& model, const OpLibrary& library, SessionOptions options,
                                                     bool initialize) {
  if (!model.variables_prefix.empty() || !model.assets.empty()) options.allow_files = true;
  ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                   Session::Create(std::move(model.graph), library, std::move(options)));
  if (!initialize) return session;
  if (!model.variables_prefix.empty()) RETURN_IF_ERROR(RestoreCheckpoint(*session, model, model.variables_prefix));
  if (!model.init_op.empty()) {
    Feeds feeds;
    for (const Asset& asset : model.assets)
      feeds.emplace_back(asset.tensor, Tensor::Scalar(std::string_view(asset.path)));
    RETURN_IF_ERROR(Annotate("init op", session->Run(feeds, {}, {model.init_op}).status()));
  }
  return session;
}

absl::StatusOr<LoadedModel> LoadSavedModel(const std::string& folder, const OpLibrary& library, const LoadOptions& load,
                                           SessionOptions options) {
  ASSIGN_OR_RETURN(Model model, LoadModel(folder, library.registry(), load));
  LoadedModel loaded{std::move(model), nullptr};
  ASSIGN_OR_RETURN(loaded.session, OpenSession(loaded.model, library, std::move(options)));
  return loaded;
}

absl::Status RestoreCheckpoint(Session& session, const Model& model, const std::string& prefix) {
  const std::string what = "restore '" + prefix + "'";
  if (model.saver.has_value()) {
    const absl::Status status = session.Run(FilenameFeed(model, prefix), {}, {model.saver->restore_op}).status();
    if (!absl::IsNotFound(status) || !HasObjects(prefix)) return Annotate(what, status);
  }
  const absl::StatusOr<std::vector<SavedVariable>> variables = SavedVariables(session.graph(), model.collections);
  if (!variables.ok()) return Annotate(what, variables.status());
  const absl::StatusOr<std::unique_ptr<CheckpointReader>> reader = CheckpointReader::Open(prefix);
  if (!reader.ok()) return Annotate(what, reader.status());
  return Annotate(what, RestoreVariables(*variables, **reader, session.resources()).status());
}

absl::StatusOr<SignatureCall> PrepareSignature(Session& session, const Model& model, const std::string& name) {
  const auto signature = model.signatures.find(name);
  if (signature == model.signatures.end()) {
    NearNames near(name);
    for (const auto& [other, unused] : model.signatures) near.Consider(other);
    return absl::NotFoundError(absl::StrCat("signature '", name, "': the model has none of this name", near.Hint()));
  }
  SignatureCall call;
  std::vector<std::string> feeds, fetches;
  const auto add = [&](const std::map<std::string, SignatureTensor>& tensors, std::vector<std::string>* keys,
                       std::vector<std::string>* ports) -> absl::Status {
    for (const auto& [key, tensor] : tensors) {
      if (tensor.name.empty()) {
        return absl::UnimplementedError(
            absl::StrCat("signature '", name, "': '", key, "': expected a dense tensor, got one of components"));
      }
      keys->push_back(key);
      ports->push_back(tensor.name);
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(add(signature->second.inputs, &call.inputs_, &feeds));
  RETURN_IF_ERROR(add(signature->second.outputs, &call.outputs_, &fetches));
  call.defaults_ = signature->second.defaults;
  ASSIGN_OR_RETURN(call.callable_, session.Prepare(feeds, fetches, {}));
  return call;
}

absl::StatusOr<std::map<std::string, Tensor>> SignatureCall::Run(const std::map<std::string, Tensor>& inputs) const {
  std::vector<Tensor> values;
  size_t given = 0;
  for (const std::string& key : inputs_) {
    auto value = inputs.find(key);
    if (value != inputs.end()) {
      ++given;
    } else if (value = defaults_.find(key); value == defaults_.end()) {
      return absl::InvalidArgumentError(absl::StrCat("input '", key, "': expected a value, got none"));
    }
    values.push_back(value->second);
  }
  if (given < inputs.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("inputs: expected keys of the signature, got ", inputs.size() - given, " others"));
  }
  std::vector<Tensor> results;
  RETURN_IF_ERROR(callable_.Run(values, &results));
  std::map<std::string, Tensor> outputs;
  for (size_t i = 0; i < results.size(); ++i) outputs.emplace(outputs_[i], std::move(results[i]));
  return outputs;
}

absl::Status SaveSavedModel(const std::string& folder, Model model, Session& session, FileSystem& files) {
  for (const char* name : {"saved_model.pb", "saved_model.pbtxt"}) {
    const std::string path = JoinPath(folder, name);
    if (files.Open(path).ok()) {
      return absl::AlreadyExistsError(absl::StrCat("folder of a SavedModel: expected a new one, got '", path, "'"));
    }
  }
  model.graph = session.graph().Clone();
  if (model.tags.empty()) model.tags = {"serve"};
  NameInitOp(model);
  RETURN_IF_ERROR(files.CreateDirectory(folder));
  RETURN_IF_ERROR(SaveModelVariables(folder, session, files, model));
  RETURN_IF_ERROR(CopyAssets(folder, files, model));
  ASSIGN_OR_RETURN(const std::string bytes, WriteSavedModel(model));
  return WriteFileAtomically(files, JoinPath(folder, "saved_model.pb"), bytes);
}

}  // namespace flowlatch
