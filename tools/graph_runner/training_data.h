// The data of graph-runner train: from files on the command line to batches that a model takes.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_TRAINING_DATA_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_TRAINING_DATA_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/data/dataset.h"
#include "tools/graph_runner/options.h"
#include "tools/graph_runner/reports.h"

namespace flowlatch {

// Batches, and which input takes each of their columns.
struct TrainingData {
  std::vector<std::string> inputs;
  std::unique_ptr<Dataset> batches;
};

enum class Rows { kTraining, kHeldBack };  // as DataOptions::holdout parts them

// Opens .npz, .csv, record files of Examples or a folder of record files. `model_inputs`: the placeholders that nothing else
// feeds. What options.feeds do not name goes to the input of its name; columns are cast, divided and reshaped to what their
// input takes. Batches for training are shuffled and read ahead.
// Errors: InvalidArgument for feeds and columns that do not fit (kUsage), those of reading (kFiles).
absl::StatusOr<TrainingData> OpenTrainingData(const DataOptions& options, const std::vector<PortReport>& model_inputs, Rows rows);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_TRAINING_DATA_H_
