// graph-runner ckpt: looks into checkpoints, checks them and puts them together.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_CKPT_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_CKPT_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/graph_runner/options.h"
#include "tools/graph_runner/reports.h"

namespace flowlatch {

// A checkpoint is named by its prefix, one of its files, or its directory, of which the latest is meant.
// Errors of all: kFiles when it is not there, kBadModel when it cannot be read, kUsage for a bad --filter.

// ls, cat and verify: the tensors whose names have a match of the filter; verify reads all.
absl::StatusOr<CkptReport> InspectCheckpoint(const CkptOptions& options);
// diff: exactly, unless there are tolerances.
absl::StatusOr<CompareReport> DiffCheckpoints(const CkptOptions& options);
// merge: one checkpoint with the tensors of several, which stay; slices of one tensor come together.
// Errors also: InvalidArgument for a tensor that is in two.
absl::Status MergeCheckpoints(const CkptOptions& options);
absl::Status CheckpointToNpz(const CkptOptions& options);

// The prefix of a checkpoint that is named in one of these ways.
absl::StatusOr<std::string> ResolveCheckpoint(const std::string& path);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_CKPT_H_
