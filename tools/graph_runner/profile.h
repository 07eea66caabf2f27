// graph-runner profile: what a step spends its time on.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_PROFILE_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_PROFILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/profile/step_stats.h"
#include "tools/graph_runner/options.h"

namespace flowlatch {

// Nodes that have something in common, or one node.
struct ProfileRow {
  std::string name;
  std::string op;  // of a row for one node
  int64_t nodes = 0, executions = 0, time_ns = 0, output_bytes = 0;
};

struct ProfileReport {
  std::vector<ProfileRow> rows;  // by time
  StepStats stats;
  std::vector<std::string> files;  // that were written
  std::vector<std::string> notes;
};

// The rows of a step by "op", "node" or "type" (the dtype of the first output), those that took longest first.
std::vector<ProfileRow> ProfileRows(const StepStats& stats, const std::string& by);
// The timeline in the JSON of Chrome's trace viewer. Nodes of called functions lie in the time of the node that calls.
std::string ChromeTrace(const StepStats& stats);

// Also writes the files that were asked for.
absl::StatusOr<ProfileReport> Profile(const ProfileOptions& options, const GlobalOptions& global);

std::string ProfileText(const ProfileReport& report, const ProfileOptions& options, const GlobalOptions& global);
std::string ProfileJson(const ProfileReport& report);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_PROFILE_H_
