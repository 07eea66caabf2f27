// A corpus case: a folder with case.json, a graph and data.npz, which say what a graph does when TensorFlow runs it.
#ifndef FLOWLATCH_TOOLS_CORPUS_CASE_H_
#define FLOWLATCH_TOOLS_CORPUS_CASE_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/tensor/dtype.h"

namespace flowlatch {

enum class GraphKind { kGraphDef, kGraphDefText, kMetaGraph, kSavedModel, kCheckpoint };

// How results are compared with the recorded ones.
enum class CompareMode { kValues, kShapes, kError, kNone };

// An error that a case expects.
struct ExpectedError {
  std::string code;       // "INVALID_ARGUMENT", or "ANY"
  bool optional = false;  // success is right too
};

// A value by its key in data.npz; no key: nothing to compare with.
struct RecordedTensor {
  std::string name;
  std::optional<DType> dtype;
  std::optional<std::string> key;
};

struct CaseStep {
  std::vector<RecordedTensor> feeds;
  std::vector<std::string> targets;
  std::vector<RecordedTensor> fetches;
  std::optional<ExpectedError> error;
  bool repeat = false;  // the step that benchmarks time
};

// How variables get the values of a checkpoint before the first step.
struct CaseRestore {
  std::string prefix;
  std::string op, filename_tensor;  // empty: those that the file's saver names
};

// The gradient with respect to one x: a tensor, or rows of one.
struct RecordedGradient {
  RecordedTensor dense;                    // no name: none, or `slices`
  std::vector<RecordedTensor> slices;      // values, indices and dense_shape
  bool exists = false;
};

// What the graph's author asked of TensorFlow, to be asked of the gradient builder.
struct CaseGradients {
  std::vector<std::string> ys, xs, stop_gradients;
  std::vector<std::string> grad_ys;  // "": ones
  bool zero_if_unconnected = false;
  std::vector<RecordedGradient> results;  // one for each x
  int step = -1;                          // in which they were fetched; -1: in none
};

struct Case {
  std::string folder;
  std::string graph;  // path, below the folder
  GraphKind graph_kind = GraphKind::kGraphDef;
  std::vector<std::string> tags;  // of a SavedModel
  std::optional<CaseRestore> restore;
  std::vector<std::string> empty_folders;  // must be there, and empty, before the first step
  bool run_in_folder = false;              // paths in the graph are relative to the case's folder
  std::optional<ExpectedError> load_error;
  bool load_error_may_come_later = false;  // in the last step instead
  bool is_hostile = false;                 // made to break its reader: little time and memory for it
  std::vector<CaseStep> steps;
  std::vector<RecordedTensor> probes;   // of a checkpoint: what to read, whatever comes of it
  std::vector<RecordedTensor> tensors;  // of a checkpoint: what must come of it
  std::vector<CaseGradients> gradients;
  CompareMode compare = CompareMode::kValues;
  double rtol = 0, atol = 0;
  std::vector<std::string> ops;  // op types that its steps reach
  bool measures_load = false;    // benchmarks time loading and the first run
};

// Errors: those of reading case.json; InvalidArgument for one that is not as the format says.
absl::StatusOr<Case> LoadCase(const std::string& folder);

// All folders below `root`, itself included, that have a case.json; sorted. Errors: NotFound for a root that is no
// folder.
absl::StatusOr<std::vector<std::string>> FindCases(const std::string& root);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_CORPUS_CASE_H_
