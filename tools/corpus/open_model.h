// From a loaded model to a session that is ready to run: its variables restored, its init op done.
#ifndef FLOWLATCH_TOOLS_CORPUS_OPEN_MODEL_H_
#define FLOWLATCH_TOOLS_CORPUS_OPEN_MODEL_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/io/model.h"
#include "runtime/session/session.h"

namespace flowlatch {

// Takes the model's graph and leaves the rest. For a SavedModel also restores the variables from the files in it and
// runs its init op, if `initialize`. Errors: those of Session::Create and Run.
absl::StatusOr<std::unique_ptr<Session>> OpenSession(Model& model, const OpLibrary& library, SessionOptions options,
                                                     bool initialize = true);

// Restores variables from the checkpoint with this prefix, by the nodes that the model's saver names.
// Errors: FailedPrecondition for a model without a saver; those of Session::Run.
absl::Status RestoreCheckpoint(Session& session, const Model& model, const std::string& prefix);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_CORPUS_OPEN_MODEL_H_
