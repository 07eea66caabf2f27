// What the verbs of graph-runner found out, before it is printed as text or as JSON.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_REPORTS_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_REPORTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/tensor/dtype.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tensor.h"
#include "runtime/profile/step_stats.h"

namespace flowlatch {

// A named value that a graph takes or gives.
struct PortReport {
  std::string name;  // "x:0", "w"
  DType dtype = DType::kInvalid;
  PartialShape shape;
  std::string key;  // in a signature
};

struct SignatureReport {
  std::string name;
  std::string method;
  std::vector<PortReport> inputs, outputs;
};

struct NodeReport {
  std::string name, op, text;  // `text`: the line of the dump
};

struct FunctionReport {
  std::string name;
  std::string signature;
};

// Something that a graph needs and that does not exist here.
struct UnsupportedReport {
  std::string op;
  std::string reason;  // "no kernel", or which dtypes there are
  int64_t nodes = 0;
  std::string first_node;
};

struct ShowReport {
  std::string path;
  std::string kind;
  std::vector<std::string> tags;
  std::string tensorflow_version;
  int producer = 0, min_consumer = 0;
  int64_t num_nodes = 0;
  std::vector<SignatureReport> signatures;
  std::vector<PortReport> inputs, outputs, variables;
  int64_t const_elements = 0, const_bytes = 0;
  std::vector<std::pair<std::string, int64_t>> ops;  // most frequent first
  std::vector<std::string> devices;
  std::vector<FunctionReport> functions;
  std::vector<NodeReport> nodes;  // those asked for
  std::vector<std::string> warnings;
  std::optional<std::vector<UnsupportedReport>> unsupported;  // if asked for
  std::vector<std::string> next;                              // command lines to try
  bool is_checkpoint = false;                                 // then it has tensors, and nothing else
  std::vector<PortReport> tensors;
};

struct OutputReport {
  std::string name;
  Tensor value;
  std::string file;  // where it was written, or ""
};

struct RunReport {
  std::vector<OutputReport> outputs;
  int64_t steps = 0;
  int64_t wall_ns = 0;             // of the last step
  std::optional<StepStats> stats;  // of the last step
};

struct BenchReport {
  int64_t load_ns = 0, first_run_ns = 0;
  int64_t runs = 0;
  int64_t min_ns = 0, p50_ns = 0, p90_ns = 0, p95_ns = 0, p99_ns = 0, max_ns = 0;
  double mean_ns = 0, stddev_ns = 0;
  int64_t threads = 0, concurrency = 1;
  int64_t num_nodes = 0;
  int64_t peak_rss_bytes = 0;
  double seconds = 0;               // of all timed runs
  std::vector<int64_t> samples_ns;  // sorted; not printed, but drawn
  std::vector<std::string> notes;   // what was assumed
};

struct OpReport {
  std::string name;
  std::string signature;
  std::string doc;
  std::vector<DType> dtypes;  // empty: all that the signature allows
  bool has_gradient = false;
};

struct OpsReport {
  std::vector<OpReport> ops;
};

struct CompareRow {
  std::string name;
  std::string reason;  // "" when they agree
  double max_error = 0;
  int64_t elements = 0;
};

struct CompareReport {
  std::vector<CompareRow> rows;
  int64_t differing = 0;
};

// One tensor of a checkpoint.
struct CkptRow {
  struct Stats {
    int64_t count = 0;  // of numbers
    double min = 0, max = 0, mean = 0;
    int64_t num_nan = 0;
  };
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;
  int64_t num_slices = 0;
  int64_t bytes = -1;     // in memory; -1 if it was not read
  std::string variable;   // that it was, in a checkpoint of objects
  std::string problem;    // why it cannot be read, or ""
  std::optional<Stats> stats;
  Tensor value;  // if asked for
};

struct CkptReport {
  std::string path;
  std::vector<CkptRow> rows;
  int64_t num_elements = 0;
  bool verified = false;  // all were read
  std::string damage;     // of the index, or ""
  int64_t num_bad = 0;
};

struct GradRow {
  std::string name;
  Tensor value;        // none: there is no gradient
  std::string reason;  // why
  int64_t elements = 0;  // compared with differences
  double max_error = 0;
  bool agrees = true;
};

struct GradReport {
  std::string of;
  Tensor y;
  std::vector<GradRow> rows;
  bool checked = false;
  int64_t differing = 0;
};

struct DoctorRow {
  std::string topic, finding;
  bool ok = true;
};

struct DoctorReport {
  std::vector<DoctorRow> rows;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_REPORTS_H_
