// graph-runner train: a train op, step by step over data.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_TRAIN_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_TRAIN_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/graph_runner/options.h"

namespace flowlatch {

struct EpochReport {
  int64_t epoch = 0;  // from 1
  int64_t steps = 0;
  std::vector<double> means;       // of TrainReport::columns, over the epoch's rows
  std::vector<double> eval_means;  // of TrainReport::eval_columns, over the rows held back
};

struct TrainReport {
  std::vector<std::string> columns, eval_columns;  // the loss and -o, --eval
  std::vector<EpochReport> epochs;
  std::vector<double> losses;  // of each step
  int64_t first_step = 0;      // the steps of before, when training was resumed
  int64_t steps = 0, rows = 0;
  double seconds = 0;
  std::string restored, checkpoint, events;  // paths, or ""
};

// Also writes checkpoints and events. After an error of a step what was saved before it is there.
absl::StatusOr<TrainReport> Train(const TrainOptions& options, const GlobalOptions& global);

std::string TrainText(const TrainReport& report, const GlobalOptions& global);
std::string TrainJson(const TrainReport& report);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_TRAIN_H_
