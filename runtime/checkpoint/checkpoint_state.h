// The file `checkpoint` of a directory: which checkpoint is the latest, and which others there are.
#ifndef FLOWLATCH_RUNTIME_CHECKPOINT_CHECKPOINT_STATE_H_
#define FLOWLATCH_RUNTIME_CHECKPOINT_CHECKPOINT_STATE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/checkpoint/file_system.h"

namespace flowlatch {

// Paths are prefixes; those that are not absolute are in `directory`.
struct CheckpointState {
  std::string latest;
  std::vector<std::string> all;  // oldest first
};

// Relative paths are completed with `directory`. Errors: NotFound without the file, DataLoss for one that is no such
// file.
absl::StatusOr<CheckpointState> ReadCheckpointState(const std::string& directory,
                                                    FileSystem& files = FileSystem::Default());
// Durable and at once. Paths inside `directory` are written relative to it, so that it can be moved.
absl::Status WriteCheckpointState(const std::string& directory, const CheckpointState& state,
                                  FileSystem& files = FileSystem::Default());
// The prefix of the latest checkpoint. Errors: those of ReadCheckpointState, NotFound when it names none that exists.
absl::StatusOr<std::string> LatestCheckpoint(const std::string& directory, FileSystem& files = FileSystem::Default());

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_CHECKPOINT_CHECKPOINT_STATE_H_
