// SavedModels in sessions: from a folder to a session that is ready to run, and back.
//
//   ASSIGN_OR_RETURN(const LoadedModel loaded, LoadSavedModel("folder", DefaultOps()));
//   ASSIGN_OR_RETURN(const SignatureCall call, PrepareSignature(*loaded.session, loaded.model, "serving_default"));
//   ASSIGN_OR_RETURN(const auto outputs, call.Run({{"x", x}}));                         // outputs.at("y")
#ifndef FLOWLATCH_RUNTIME_CHECKPOINT_SAVED_MODEL_H_
#define FLOWLATCH_RUNTIME_CHECKPOINT_SAVED_MODEL_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/io/model.h"
#include "runtime/checkpoint/file_system.h"
#include "runtime/session/session.h"

namespace flowlatch {

struct LoadedModel {
  Model model;  // without its graph, which the session has
  std::unique_ptr<Session> session;
};

// Loads, restores the variables and runs the init op. Errors: those of LoadModel and OpenSession.
absl::StatusOr<LoadedModel> LoadSavedModel(const std::string& folder, const OpLibrary& library,
                                           const LoadOptions& load = {}, SessionOptions options = {});

// Takes the model's graph and leaves the rest. For a SavedModel also restores the variables from the files in it and
// runs its init op, if `initialize`; ops may use files if the model comes with variables or assets. Errors: those of
// Session::Create and Run.
absl::StatusOr<std::unique_ptr<Session>> OpenSession(Model& model, const OpLibrary& library, SessionOptions options,
                                                     bool initialize = true);

// Restores variables from a checkpoint: by the nodes that the model's saver names, or without a saver, or if these do
// not find their tensors in a checkpoint of objects, by the names of the variables (RestoreVariables).
// Errors: those of Session::Run and RestoreVariables.
absl::Status RestoreCheckpoint(Session& session, const Model& model, const std::string& prefix);

// A signature, prepared. Copyable; must not outlive its session.
class SignatureCall {
 public:
  // Inputs and outputs by their keys; inputs with defaults may be left out. Thread-safe. Errors: InvalidArgument for
  // inputs that are missing or that the signature does not have, and those of Callable::Run.
  absl::StatusOr<std::map<std::string, Tensor>> Run(const std::map<std::string, Tensor>& inputs) const;

 private:
  friend absl::StatusOr<SignatureCall> PrepareSignature(Session&, const Model&, const std::string&);
  Callable callable_;
  std::vector<std::string> inputs_, outputs_;  // keys, in the order of the callable's feeds and fetches
  std::map<std::string, Tensor> defaults_;
};

// Errors: NotFound for a signature that the model does not have, Unimplemented for one with composite tensors, and
// those of Session::Prepare.
absl::StatusOr<SignatureCall> PrepareSignature(Session& session, const Model& model, const std::string& signature);

// Writes a folder that TensorFlow loads: the session's graph and the values of its variables, and of `model` all but
// the graph: tags (none: "serve"), signatures, collections, assets, which are copied from their paths, and the init op.
// A model without a saver gets nodes that save and restore the variables; one with a saver saves by it, for which the
// session must allow files. The file saved_model.pb is written last, so that a folder without it is not finished.
// Errors: AlreadyExists for a folder that has a SavedModel; InvalidArgument for an asset whose name leads out of the
// folder; NotFound for assets that are missing; those of WriteSavedModel, AddVariables and the file system.
absl::Status SaveSavedModel(const std::string& folder, Model model, Session& session,
                            FileSystem& files = FileSystem::Default());

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_CHECKPOINT_SAVED_MODEL_H_
