#include "tools/corpus/open_model.h"

#include <string_view>
#include <utility>

#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

// "restore: ..." before the message of an error.
absl::Status Annotate(std::string_view what, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), std::string(what) + ": " + std::string(status.message()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Session>> OpenSession(Model& model, const OpLibrary& library, SessionOptions options,
                                                     bool initialize) {
  // Its variables and assets are files.
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

absl::Status RestoreCheckpoint(Session& session, const Model& model, const std::string& prefix) {
  if (!model.saver.has_value()) {
    return absl::FailedPreconditionError("restore '" + prefix + "': expected a model with a saver, got one without");
  }
  const Feeds feeds = {{model.saver->filename_tensor, Tensor::Scalar(std::string_view(prefix))}};
  return Annotate("restore '" + prefix + "'", session.Run(feeds, {}, {model.saver->restore_op}).status());
}

}  // namespace flowlatch
