#include "tools/graph_runner/training_checkpoints.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "runtime/checkpoint/checkpoint_state.h"
#include "runtime/checkpoint/file_system.h"
#include "tools/graph_runner/errors.h"

namespace flowlatch {

absl::StatusOr<std::unique_ptr<TrainingCheckpoints>> TrainingCheckpoints::Open(const TrainOptions& options, Session& session) {
  const std::string& folder = options.checkpoints;
  if (folder.empty()) {
    if (!options.resume) return std::unique_ptr<TrainingCheckpoints>();
    return WithExit(ExitCode::kUsage, absl::InvalidArgumentError("--resume: expected --ckpt DIR"));
  }
  RETURN_IF_ERROR(WithExit(ExitCode::kFiles, FileSystem::Default().CreateDirectory(folder)));
  SaverOptions saver_options;
  saver_options.max_to_keep = options.keep;
  ASSIGN_OR_RETURN(std::unique_ptr<Saver> saver, Saver::Create(session, std::move(saver_options)));
  std::unique_ptr<TrainingCheckpoints> checkpoints(new TrainingCheckpoints(folder, std::move(saver)));
  const absl::StatusOr<std::string> latest = LatestValidCheckpoint(folder);
  if (absl::IsNotFound(latest.status())) return checkpoints;
  RETURN_IF_ERROR(WithExit(ExitCode::kFiles, latest.status()));
  if (!options.resume) {
    return WithExit(ExitCode::kUsage,
                    absl::FailedPreconditionError(absl::StrCat("--ckpt: expected a folder without checkpoints, got one with '", *latest,
                                                               "'; --resume goes on from it")));
  }
  RETURN_IF_ERROR(WithExit(ExitCode::kFiles, checkpoints->GoOn(*latest)));
  return checkpoints;
}

absl::Status TrainingCheckpoints::GoOn(const std::string& checkpoint) {
  const size_t dash = checkpoint.rfind('-');
  if (dash == std::string::npos || !absl::SimpleAtoi(checkpoint.substr(dash + 1), &saved_step_) || saved_step_ < 0) {
    return absl::InvalidArgumentError(absl::StrCat("checkpoint '", checkpoint, "': expected a name that ends in -STEP"));
  }
  restored_ = saved_ = checkpoint;
  return saver_->Restore(checkpoint).status();
}

absl::StatusOr<std::string> TrainingCheckpoints::Save(int64_t step) {
  if (!saved_.empty() && saved_step_ == step) return saved_;
  absl::StatusOr<std::string> saved = saver_->Save(JoinPath(folder_, "model"), step);
  if (!saved.ok()) return WithExit(ExitCode::kFiles, saved.status());
  saved_ = *std::move(saved);
  saved_step_ = step;
  return saved_;
}

}  // namespace flowlatch
