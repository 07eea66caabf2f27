// The file `checkpoint` of a directory: which checkpoint is the latest, and which others there are.
#ifndef FLOWLATCH_RUNTIME_CHECKPOINT_CHECKPOINT_STATE_H_
#define FLOWLATCH_RUNTIME_CHECKPOINT_CHECKPOINT_STATE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/checkpoint/file_system.h"

namespace flowlatch {

// Paths are prefixes; those that are not absolute are in `directory`.
struct CheckpointState {
  std::string latest;
  std::vector<std::string> all;  // oldest first
  std::vector<double> times;     // when each of `all` was saved, in seconds since 1970; empty if the file does not say
  double last_preserved = 0;     // when the last of those was saved that are not in `all` and stay for ever
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
// The prefix of the latest checkpoint that is whole: those that the file names from the latest on, then all others in
// the directory, the highest step first. Reads them, as VerifyCheckpoint. Errors: NotFound when none is whole, with
// what is wrong with the latest.
absl::StatusOr<std::string> LatestValidCheckpoint(const std::string& directory,
                                                  FileSystem& files = FileSystem::Default());

// Reads every tensor of a checkpoint, so that all checksums are computed. Errors: the first of CheckpointReader's.
absl::Status VerifyCheckpoint(std::string_view path, FileSystem& files = FileSystem::Default());
// Removes the files of a checkpoint, the index first. OK if there is none.
absl::Status RemoveCheckpoint(const std::string& prefix, FileSystem& files = FileSystem::Default());

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_CHECKPOINT_CHECKPOINT_STATE_H_
