// Saver: saves the variables of a session again and again, keeps the latest checkpoints, and restores them.
//
//   ASSIGN_OR_RETURN(const std::unique_ptr<Saver> saver, Saver::Create(*session, {.max_to_keep = 3}));
//   ASSIGN_OR_RETURN(const std::string prefix, saver->Save("train/model", step));     // train/model-1000
//   ASSIGN_OR_RETURN(const std::string latest, LatestValidCheckpoint("train"));       // checkpoint_state.h
//   RETURN_IF_ERROR(saver->Restore(latest).status());
#ifndef FLOWLATCH_RUNTIME_CHECKPOINT_SAVER_H_
#define FLOWLATCH_RUNTIME_CHECKPOINT_SAVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/checkpoint/checkpoint_state.h"
#include "runtime/checkpoint/file_system.h"
#include "runtime/checkpoint/saved_variables.h"
#include "runtime/session/session.h"

namespace flowlatch {

struct SaverOptions {
  std::vector<SavedVariable> variables;  // none: all of the session's graph
  int max_to_keep = 5;                   // checkpoints; 0: all
  double keep_every_n_hours = 0;         // of those that would go, one in so many hours stays for ever; 0: none
  int num_shards = 1;                    // data files of a checkpoint
  FileSystem* files = nullptr;           // null: the system's
  std::function<double()> now;           // seconds since 1970; null: the system's clock
};

// Knows nothing but its options: which checkpoints there are stands in the file `checkpoint` beside them, so that a
// process that starts again, or another one, goes on where the last one ended. Thread-safe. Must not outlive its
// session.
class Saver {
 public:
  // Errors: InvalidArgument for negative options or a session without variables.
  static absl::StatusOr<std::unique_ptr<Saver>> Create(Session& session, SaverOptions options = {});

  // Saves "<prefix>-<step>", or "<prefix>" without a step, while steps may run; returns that name. When it returns, the
  // checkpoint is durable, and the file `checkpoint` names it as the latest. Then checkpoints of this prefix that are
  // too many go, and what others that died have left; what cannot be removed stays, and is no error. Errors: those of
  // AddVariables and BundleWriter. Then the checkpoints of before are there as they were.
  absl::StatusOr<std::string> Save(const std::string& prefix, std::optional<int64_t> step = std::nullopt);

  // As RestoreVariables; `path` is what CheckpointReader opens. Must not run while steps do that use the variables.
  absl::StatusOr<std::vector<std::string>> Restore(const std::string& path, const RestoreOptions& options = {});

  const std::vector<SavedVariable>& variables() const { return options_.variables; }

 private:
  Saver(Session& session, SaverOptions options) : session_(session), options_(std::move(options)) {}
  absl::Status WriteVariables(const std::string& path) const;
  // Makes `path` the latest, and removes those that are too many.
  absl::Status UpdateDirectory(const std::string& prefix, const std::string& path) const;
  // The state in which `path` is the latest; adds to `unwanted` those that are too many.
  CheckpointState NextState(const CheckpointState& state, const std::string& prefix, const std::string& path,
                            std::vector<std::string>* unwanted) const;

  Session& session_;
  const SaverOptions options_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_CHECKPOINT_SAVER_H_
