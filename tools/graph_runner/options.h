// The command line of graph-runner, parsed.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_OPTIONS_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_OPTIONS_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "graph/passes/expand_functions.h"

namespace flowlatch {

enum class Verb { kNone, kShow, kRun, kBench, kOps, kConvert, kCompare, kDoctor, kGrad, kCkpt, kTrain, kProfile, kRec };

struct GlobalOptions {
  bool json = false;
  bool quiet = false;
  int verbose = 0;
  bool color = false;
};

// How a model is found and opened.
struct ModelOptions {
  std::string path;
  std::string case_folder;  // a corpus case instead
  std::vector<std::string> tags;
  std::string signature;
  std::string init = "auto";  // auto, none or the name of an op
  std::string restore;        // prefix of a checkpoint
  int threads = 0;
  std::chrono::milliseconds timeout{0};
  bool optimize = true;
  FunctionalForm functional = FunctionalForm::kAsMarked;
  bool allow_files = false;
  uint64_t seed = 0;
  std::vector<std::string> inputs;   // NAME=SPEC
  std::vector<std::string> outputs;  // NAME or NAME=FILE
  std::vector<std::string> targets;
};

struct ShowOptions {
  std::string path;
  std::vector<std::string> tags;
  std::string signature;
  std::string format = "text";
  std::string stage = "read";  // or lowered
  bool ops = false, functions = false, variables = false, unsupported = false, list_nodes = false;
  std::string nodes;  // regular expression
};

struct RunVerbOptions {
  ModelOptions model;
  int64_t steps = 1;
  bool stats = false;
  bool check_numerics = false;
  std::string save;          // prefix of a checkpoint to write after the last step
  int shards = 1;            // of it
  std::string outputs_file;  // npz of all outputs
};

struct BenchOptions {
  ModelOptions model;
  int64_t runs = 0;     // 0: as many as min_time takes
  double min_time = 1;  // seconds
  double max_time = 60;
  std::string warmup = "1";  // runs, or "2s"
  int concurrency = 1;
  std::string csv;
};

struct OpsOptions {
  std::string pattern;
  bool markdown = false;
  bool cpp = false;  // as a C++ header
};

struct ConvertOptions {
  ModelOptions model;  // what to convert; its outputs are those that a frozen graph keeps
  std::string to;
  bool text = false;
  bool saved_model = false;
  bool freeze = false;
};

enum class CkptAction { kLs, kCat, kDiff, kVerify, kMerge, kToNpz };

struct CkptOptions {
  CkptAction action = CkptAction::kLs;
  std::vector<std::string> paths;
  std::vector<std::string> names;  // of tensors; none: all
  std::string filter;              // regular expression
  bool stats = false;
  double rtol = 0, atol = 0;
  std::string to;
  int shards = 1;
};

struct CompareOptions {
  std::string a, b;
  double rtol = 1e-5, atol = 1e-6;
  ModelOptions model;  // how to run both, if they are models
};

struct GradOptions {
  ModelOptions model;
  std::string of;                // y
  std::vector<std::string> wrt;  // xs
  std::vector<std::string> stop;
  bool check = false;
  bool second = false;
  double tolerance = 1e-2;
};

// Where training gets its rows from.
struct DataOptions {
  std::string path;
  std::vector<std::string> feeds;  // NAME=KEY[,KEY...][:DTYPE][/DIVISOR]
  int64_t batch = 32;
  bool drop_remainder = false;
  bool pad = false;
  int64_t shuffle = 10'000;  // rows to draw the next one from; 0: as they come
  uint64_t seed = 0;
  int64_t holdout = 0;  // hold back each row i where i % holdout == holdout - 1; 0: none
};

struct TrainOptions {
  ModelOptions model;  // `outputs` are shown beside the loss
  DataOptions data;
  int64_t epochs = 1;
  int64_t max_steps = 0;  // 0: all
  std::string train_op;
  std::string loss;
  std::vector<std::string> eval;         // fetched for the rows that are held back
  std::vector<std::string> eval_inputs;  // NAME=SPEC
  std::string summary;                   // folder of events
  std::string checkpoints;               // folder
  int64_t save_every = 1000;             // steps
  int keep = 5;
  bool resume = false;
};

struct ProfileOptions {
  ModelOptions model;
  std::string by = "op";  // or node, type
  int64_t top = 20;
  int64_t warmup = 3;     // steps before
  std::string trace;      // file for Chrome's trace viewer
  std::string step_stats;  // file for a RunMetadata
  std::string events;     // folder for TensorBoard
};

struct RecOptions {
  std::string action;  // ls, cat, verify or write
  std::vector<std::string> files;
  std::string as = "auto";  // example, event or raw
  std::string from;         // lines of JSON to write
  std::string compression = "none";
  int64_t first = 0;  // records to show; 0: all
};

struct CommandLine {
  Verb verb = Verb::kNone;
  GlobalOptions global;
  ShowOptions show;
  RunVerbOptions run;
  BenchOptions bench;
  OpsOptions ops;
  ConvertOptions convert;
  CompareOptions compare;
  GradOptions grad;
  CkptOptions ckpt;
  TrainOptions train;
  ProfileOptions profile;
  RecOptions rec;
};

// Parses the arguments, and prints help or the complaint where that is all there is to do. Returns whether to go on; if
// not, `exit_code` is set.
bool ParseCommandLine(int argc, char** argv, CommandLine* command, int* exit_code);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_OPTIONS_H_
