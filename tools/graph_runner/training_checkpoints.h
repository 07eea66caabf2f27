// The checkpoints of graph-runner train: saved every so many steps, and gone on from.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_TRAINING_CHECKPOINTS_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_TRAINING_CHECKPOINTS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "runtime/checkpoint/saver.h"
#include "tools/graph_runner/options.h"

namespace flowlatch {

class TrainingCheckpoints {
 public:
  // Null if none are wanted. With options.resume, restores the latest that is whole, if there is one. `session` must outlive it.
  // Errors: InvalidArgument for --resume without a folder, FailedPrecondition for a folder with checkpoints without --resume
  // (both kUsage), those of Saver (kFiles).
  static absl::StatusOr<std::unique_ptr<TrainingCheckpoints>> Open(const TrainOptions& options, Session& session);

  const std::string& restored() const { return restored_; }  // "" if nothing was
  int64_t saved_step() const { return saved_step_; }         // of the last checkpoint; 0 if there is none
  // The checkpoint of this step, which is written if it is not there. Errors: those of Saver (kFiles).
  absl::StatusOr<std::string> Save(int64_t step);

 private:
  TrainingCheckpoints(std::string folder, std::unique_ptr<Saver> saver) : folder_(std::move(folder)), saver_(std::move(saver)) {}
  absl::Status GoOn(const std::string& checkpoint);

  const std::string folder_;
  const std::unique_ptr<Saver> saver_;
  std::string restored_, saved_;
  int64_t saved_step_ = 0;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_TRAINING_CHECKPOINTS_H_
