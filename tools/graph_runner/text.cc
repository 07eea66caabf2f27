#include "tools/graph_runner/text.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "graph/tensor/string.h"
#include "tools/graph_runner/table.h"

namespace flowlatch {
namespace {

std::string TypeText(const PortReport& port) {
  return absl::StrCat(std::string(DTypeName(port.dtype)), port.shape.ToString());
}

void AddPorts(const std::string& title, const std::vector<PortReport>& ports, size_t limit, const GlobalOptions& global,
              std::string* text, const char* indent = "  ") {
  if (ports.empty()) return;
  absl::StrAppend(text, Bold(title, global), "\n");
  Table table({false, false, false});
  for (size_t i = 0; i < std::min(limit, ports.size()); ++i) {
    const PortReport& port = ports[i];
    table.Add({port.key.empty() ? port.name : port.key, TypeText(port), port.key.empty() ? "" : port.name});
  }
  absl::StrAppend(text, table.Text(indent));
  if (ports.size() > limit) absl::StrAppend(text, indent, "... and ", ports.size() - limit, " more\n");
}

std::string UnsupportedText(const std::vector<UnsupportedReport>& unsupported, const GlobalOptions& global) {
  if (unsupported.empty()) return "Everything in this graph can run here.\n";
  std::string text = Bold("Unsupported", global) + "\n";
  Table table({false, true, false, false});
  for (const UnsupportedReport& row : unsupported) {
    table.Add(
        {row.op, absl::StrCat(row.nodes, row.nodes == 1 ? " node" : " nodes"), row.reason, "first: " + row.first_node});
  }
  return text + table.Text();
}

template <typename T>
std::string ElementText(const T& value) {
  constexpr DType kDType = kDTypeOf<T>;
  if constexpr (std::is_same_v<T, String>) {
    std::string text = absl::Utf8SafeCEscape(absl::string_view(value.data(), std::min<size_t>(value.size(), 200)));
    return absl::StrCat("\"", text, value.size() > 200 ? "...\"" : "\"");
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (IsComplex(kDType)) {
    return absl::StrFormat("%.6g%+.6gj", value.real(), value.imag());
  } else if constexpr (kDType == DType::kFloat64) {
    return absl::StrFormat("%.10g", value);
  } else if constexpr (IsFloating(kDType)) {
    return absl::StrFormat("%.6g", static_cast<float>(value));
  } else if constexpr (IsQuantized(kDType)) {
    return absl::StrCat(value.value);
  } else if constexpr (kDType == DType::kResource) {
    return value ? absl::StrCat("resource '", value->name, "'") : "resource";
  } else if constexpr (kDType == DType::kVariant) {
    return value ? value.get()->DebugString() : "variant";
  } else if constexpr (sizeof(T) == 1) {
    return absl::StrCat(static_cast<int>(value));
  } else {
    return absl::StrCat(value);
  }
}

constexpr int64_t kEdge = 4;         // shown at either end of a dimension that is too long
constexpr int64_t kLongVector = 12;  // longest vector that is shown whole
constexpr int64_t kLongOuter = 12;

// The values of one block of `tensor`: from element `offset` on, dimensions from `dimension` on.
template <typename T>
void AppendBlock(const Tensor& tensor, int dimension, int64_t offset, const std::string& indent, std::string* text) {
  if (dimension == tensor.rank()) {
    absl::StrAppend(text, ElementText(tensor.data<T>()[offset]));
    return;
  }
  const int64_t size = tensor.dim(dimension);
  const bool innermost = dimension + 1 == tensor.rank();
  const bool elide = size > (innermost ? kLongVector : kLongOuter);
  int64_t stride = 1;
  for (int i = dimension + 1; i < tensor.rank(); ++i) stride *= tensor.dim(i);
  absl::StrAppend(text, "[");
  for (int64_t i = 0; i < size; ++i) {
    if (i > 0) absl::StrAppend(text, innermost ? " " : "\n" + indent + " ");
    if (elide && i == kEdge) {
      absl::StrAppend(text, "...");
      i = size - kEdge - 1;
      continue;
    }
    AppendBlock<T>(tensor, dimension + 1, offset + i * stride, indent + " ", text);
  }
  absl::StrAppend(text, "]");
}

std::string Values(const Tensor& tensor) {
  if (tensor.num_elements() == 0) return "[]";
  std::string text;
  switch (tensor.dtype()) {
#define FLOWLATCH_X(enumerator, number, name, type) \
  case DType::enumerator:                           \
    AppendBlock<type>(tensor, 0, 0, "  ", &text);   \
    break;
    FLOWLATCH_DTYPES(FLOWLATCH_X)
#undef FLOWLATCH_X
    case DType::kInvalid:
      break;
  }
  return text;
}

// How often a step took how long, in rows of equal ratio from the fastest to the 99th percentile.
std::string Histogram(const std::vector<int64_t>& sorted) {
  constexpr int kRows = 10, kWidth = 44;
  const double low = static_cast<double>(std::max<int64_t>(1, sorted.front()));
  const double high = std::max(
      low * 1.01, static_cast<double>(sorted[static_cast<size_t>(0.99 * static_cast<double>(sorted.size() - 1))]));
  const double ratio = std::pow(high / low, 1.0 / kRows);
  std::vector<int64_t> counts(kRows);
  int64_t slower = 0;
  for (const int64_t sample : sorted) {
    const int row = static_cast<int>(std::log(std::max(1.0, static_cast<double>(sample) / low)) / std::log(ratio));
    ++(row < kRows ? counts[static_cast<size_t>(row)] : slower);
  }
  const int64_t most = *std::max_element(counts.begin(), counts.end());
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  std::string text;
  for (int row = 0; row < kRows; ++row) {
    const int64_t count = counts[static_cast<size_t>(row)];
    const int eighths = static_cast<int>(
        std::ceil(8.0 * kWidth * static_cast<double>(count) / static_cast<double>(std::max<int64_t>(1, most))));
    std::string bar;
    for (int i = 0; i < eighths / 8; ++i) bar += "█";
    bar += kEighths[eighths % 8];
    absl::StrAppend(&text, absl::StrFormat("  %9s  ", DurationText(low * std::pow(ratio, row))), bar,
                    count > 0 ? absl::StrCat(" ", count) : "", "\n");
  }
  if (slower > 0) absl::StrAppend(&text, absl::StrFormat("  %9s  ", "slower"), slower, "\n");
  return text;
}

}  // namespace

std::string DurationText(double ns) {
  if (ns < 1e3) return absl::StrFormat("%.0f ns", ns);
  if (ns < 1e6) return absl::StrFormat("%.3g us", ns / 1e3);
  if (ns < 1e9) return absl::StrFormat("%.3g ms", ns / 1e6);
  return absl::StrFormat("%.3g s", ns / 1e9);
}

std::string TensorText(const Tensor& tensor) {
  const std::string type = absl::StrCat(std::string(DTypeName(tensor.dtype())), tensor.ShapeString());
  return absl::StrCat(type, tensor.rank() > 1 ? "\n  " : " ", Values(tensor));
}

namespace {

// What comes after the lines on the model and its ports.
std::string ContentsText(const ShowReport& report, const ShowOptions& options, const GlobalOptions& global) {
  std::string text;
  if (report.const_elements > 0) {
    absl::StrAppend(&text, Bold("Constants", global), "\n  ", report.const_elements, " elements, ",
                    BytesText(report.const_bytes), "\n");
  }
  if (options.functions) {
    absl::StrAppend(&text, Bold("Functions", global), "\n");
    for (const FunctionReport& function : report.functions) absl::StrAppend(&text, "  ", function.signature, "\n");
  }
  absl::StrAppend(&text, Bold("Ops", global), "\n");
  if (options.ops) {
    Table table({true, false});
    for (const auto& [op, count] : report.ops) table.Add({absl::StrCat(count), op});
    absl::StrAppend(&text, table.Text());
  } else {
    constexpr size_t kShown = 12;
    std::vector<std::string> most;
    for (size_t i = 0; i < std::min(report.ops.size(), kShown); ++i) {
      most.push_back(absl::StrCat(report.ops[i].first, " ", report.ops[i].second));
    }
    absl::StrAppend(&text, "  ", absl::StrJoin(most, ", "), report.ops.size() > kShown ? ", ... (--ops)" : "", "\n");
  }
  if (!report.devices.empty()) {
    absl::StrAppend(&text, Bold("Devices", global), " (not used)\n  ", absl::StrJoin(report.devices, "\n  "), "\n");
  }
  absl::StrAppend(&text, Bold("Next", global), "\n");
  for (const std::string& next : report.next) absl::StrAppend(&text, Dim("  " + next, global), "\n");
  return text;
}

}  // namespace

std::string ShowText(const ShowReport& report, const ShowOptions& options, const GlobalOptions& global) {
  std::string text = absl::StrCat(Bold(report.path, global), ": ", report.kind);
  if (report.is_checkpoint) {
    absl::StrAppend(&text, ", ", report.tensors.size(), " tensors, ", report.const_elements, " elements\n");
    AddPorts("Tensors", report.tensors, report.tensors.size(), global, &text);
    return text;
  }
  absl::StrAppend(&text, ", ", report.num_nodes, " nodes, ", report.ops.size(), " ops");
  if (!report.functions.empty()) absl::StrAppend(&text, ", ", report.functions.size(), " functions");
  if (report.producer > 0) absl::StrAppend(&text, ", producer ", report.producer);
  if (!report.tensorflow_version.empty()) absl::StrAppend(&text, ", TensorFlow ", report.tensorflow_version);
  if (!report.tags.empty()) absl::StrAppend(&text, ", tags ", absl::StrJoin(report.tags, ","));
  absl::StrAppend(&text, "\n");
  if (!global.quiet) {
    for (const std::string& warning : report.warnings) absl::StrAppend(&text, "warning: ", warning, "\n");
  }
  if (report.unsupported.has_value()) return text + UnsupportedText(*report.unsupported, global);
  if (!report.nodes.empty() || options.list_nodes || !options.nodes.empty()) {
    for (const NodeReport& node : report.nodes) absl::StrAppend(&text, "  ", node.text, "\n");
    return text;
  }
  for (const SignatureReport& signature : report.signatures) {
    absl::StrAppend(&text, Bold("Signature " + signature.name, global),
                    signature.method.empty() ? "" : " (" + signature.method + ")", "\n");
    AddPorts("  takes", signature.inputs, 50, global, &text, "    ");
    AddPorts("  gives", signature.outputs, 50, global, &text, "    ");
  }
  AddPorts("Inputs", report.inputs, 20, global, &text);
  AddPorts("Outputs", report.outputs, 20, global, &text);
  AddPorts("Variables", report.variables, options.variables ? report.variables.size() : 10, global, &text);
  return text + ContentsText(report, options, global);
}

std::string RunText(const RunReport& report, const GlobalOptions& global) {
  std::string text;
  for (const OutputReport& output : report.outputs) {
    absl::StrAppend(&text, Bold(output.name, global), ": ",
                    output.file.empty() ? TensorText(output.value)
                                        : absl::StrCat(std::string(DTypeName(output.value.dtype())),
                                                       output.value.ShapeString(), " -> ", output.file),
                    "\n");
  }
  if (report.stats.has_value()) absl::StrAppend(&text, StatsText(*report.stats, global));
  if (global.verbose > 0)
    absl::StrAppend(&text,
                    Dim(absl::StrCat(report.steps, report.steps == 1 ? " step" : " steps", ", the last took ",
                                     DurationText(static_cast<double>(report.wall_ns))),
                        global),
                    "\n");
  return text;
}

std::string StatsText(const StepStats& stats, const GlobalOptions& global) {
  struct Sum {
    int64_t nodes = 0, executions = 0, dead = 0, time_ns = 0;
  };
  std::map<std::string, Sum> sums;
  Sum total;
  for (const NodeStats& node : stats.nodes) {
    for (Sum* sum : {&sums[node.op], &total}) {
      ++sum->nodes;
      sum->executions += node.executions;
      sum->dead += node.dead;
      sum->time_ns += node.time_ns;
    }
  }
  std::vector<std::pair<std::string, Sum>> sorted(sums.begin(), sums.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.time_ns > b.second.time_ns; });
  std::string text = absl::StrCat(Bold("Ops by time", global),
                                  absl::StrFormat(" (%d nodes ran %d times, %s in kernels, %s in all)\n", total.nodes,
                                                  total.executions, DurationText(static_cast<double>(total.time_ns)),
                                                  DurationText(static_cast<double>(stats.wall_ns))));
  Table table({false, true, true, true, true, true, true});
  table.Add({"op", "nodes", "runs", "dead", "time", "%", "sum %"});
  int64_t so_far = 0;
  constexpr size_t kShown = 20;
  for (size_t i = 0; i < std::min(kShown, sorted.size()); ++i) {
    const auto& [op, sum] = sorted[i];
    so_far += sum.time_ns;
    const double all = static_cast<double>(std::max<int64_t>(1, total.time_ns));
    table.Add({op, absl::StrCat(sum.nodes), absl::StrCat(sum.executions), absl::StrCat(sum.dead),
               DurationText(static_cast<double>(sum.time_ns)),
               absl::StrFormat("%.1f", 100 * static_cast<double>(sum.time_ns) / all),
               absl::StrFormat("%.1f", 100 * static_cast<double>(so_far) / all)});
  }
  absl::StrAppend(&text, table.Text());
  if (sorted.size() > kShown) absl::StrAppend(&text, "  ... and ", sorted.size() - kShown, " more ops\n");
  bool any_frame = false;
  Table frames({false, false, true, true});
  frames.Add({"frame", "in", "entered", "iterations"});
  for (const FrameStats& frame : stats.frames) {
    if (frame.name.empty()) continue;
    any_frame = true;
    frames.Add({frame.name, frame.parent.empty() ? "the step" : frame.parent, absl::StrCat(frame.instances),
                absl::StrCat(frame.iterations)});
  }
  if (any_frame) absl::StrAppend(&text, Bold("Frames", global), "\n", frames.Text());
  return text;
}

std::string BenchText(const BenchReport& report, const GlobalOptions& global) {
  std::string text;
  for (const std::string& note : report.notes) absl::StrAppend(&text, Dim("note: " + note, global), "\n");
  Table table({false, true, false, true, false, true});
  const auto cell = [](double ns) { return DurationText(ns); };
  table.Add({"min", cell(static_cast<double>(report.min_ns)), "p90", cell(static_cast<double>(report.p90_ns)), "mean",
             cell(report.mean_ns)});
  table.Add({"p50", cell(static_cast<double>(report.p50_ns)), "p95", cell(static_cast<double>(report.p95_ns)), "stddev",
             cell(report.stddev_ns)});
  table.Add({"max", cell(static_cast<double>(report.max_ns)), "p99", cell(static_cast<double>(report.p99_ns)), "load",
             cell(static_cast<double>(report.load_ns))});
  const double rate = report.seconds > 0 ? static_cast<double>(report.runs) / report.seconds : 0;
  absl::StrAppend(&text,
                  Bold(absl::StrFormat("%d runs of %d nodes in %.3g s: %.4g steps/s", report.runs, report.num_nodes,
                                       report.seconds, rate),
                       global),
                  "\n", table.Text(), "  first run ", DurationText(static_cast<double>(report.first_run_ns)),
                  ", peak memory ", BytesText(report.peak_rss_bytes), "\n");
  if (report.samples_ns.size() >= 10) absl::StrAppend(&text, Histogram(report.samples_ns));
  return text;
}

std::string OpsText(const OpsReport& report, const OpsOptions& options, const GlobalOptions& global) {
  const auto dtypes = [](const OpReport& op) {
    return absl::StrJoin(op.dtypes, ", ",
                         [](std::string* out, DType dtype) { absl::StrAppend(out, std::string(DTypeName(dtype))); });
  };
  std::string text;
  if (options.markdown) {
    absl::StrAppend(&text, "# Ops\n\nThe ", report.ops.size(),
                    " ops that run here, as `graph-runner ops --markdown` lists them; `graph-runner ops -v NAME` also shows ports and "
                    "attributes.\n\n| op | what it does | dtypes of its kernels | gradient |\n|---|---|---|---|\n");
  }
  for (const OpReport& op : report.ops) {
    const std::string types = op.dtypes.empty() ? "all that it allows" : dtypes(op);
    if (options.markdown) {
      absl::StrAppend(&text, "| `", op.name, "` | ", op.doc, " | ", types, " | ", op.has_gradient ? "yes" : "", " |\n");
    } else if (report.ops.size() <= 3 || global.verbose > 0) {
      absl::StrAppend(&text, Bold(op.name, global), ": ", op.doc, "\n  ", op.signature, "\n  kernels for ", types,
                      "\n");
    } else {
      absl::StrAppend(&text, absl::StrFormat("%-32s %s\n", op.name, op.doc));
    }
  }
  return text;
}

std::string CompareText(const CompareReport& report, const GlobalOptions& global) {
  std::string text;
  for (const CompareRow& row : report.rows) {
    if (row.reason.empty() && global.quiet) continue;
    absl::StrAppend(
        &text, row.reason.empty() ? Paint("32", "same     ", global) : Paint("31", "differs  ", global), row.name,
        row.reason.empty() ? absl::StrFormat(" (%d values, largest error %.3g)", row.elements, row.max_error)
                           : ": " + row.reason,
        "\n");
  }
  absl::StrAppend(&text, report.differing, " of ", report.rows.size(), " differ\n");
  return text;
}

std::string CkptText(const CkptReport& report, const GlobalOptions& global) {
  std::string text;
  Table table({false, false, true, false, false});
  for (const CkptRow& row : report.rows) {
    if (row.value.has_value()) {
      absl::StrAppend(&text, Bold(row.name, global), ": ", TensorText(row.value), "\n");
      continue;
    }
    std::string notes = row.problem;
    if (row.problem.empty() && row.stats.has_value() && row.stats->count + row.stats->num_nan > 0) {
      notes = absl::StrFormat("%.6g to %.6g, mean %.6g", row.stats->min, row.stats->max, row.stats->mean);
      if (row.stats->num_nan > 0) absl::StrAppend(&notes, ", ", row.stats->num_nan, " NaN");
    }
    table.Add({row.name, absl::StrCat(std::string(DTypeName(row.dtype)), row.shape.ToString()),
               row.num_slices > 1 ? absl::StrCat(row.num_slices, " slices") : "", row.variable, notes});
  }
  if (!table.empty()) absl::StrAppend(&text, table.Text(""));
  if (!report.damage.empty()) absl::StrAppend(&text, Paint("31", "broken index: ", global), report.damage, "\n");
  if (report.verified && report.num_bad > 0) {
    absl::StrAppend(&text, Paint("31", "broken", global), ": ", report.num_bad, " of ", report.rows.size(),
                    " tensors\n");
  } else if (!global.quiet) {
    absl::StrAppend(&text, report.rows.size(), " tensors, ", report.num_elements, " elements",
                    report.verified ? Paint("32", ", all checksums right", global) : "", "\n");
  }
  return text;
}

std::string GradText(const GradReport& report, const GlobalOptions& global) {
  std::string text = absl::StrCat(report.of, ": ", TensorText(report.y), "\n");
  for (const GradRow& row : report.rows) {
    absl::StrAppend(&text, "d/d ", row.name, ": ", row.value.has_value() ? TensorText(row.value) : Paint("33", "none, ", global) + row.reason, "\n");
    if (!report.checked || !row.value.has_value()) continue;
    absl::StrAppend(&text, row.agrees ? Paint("32", "  agrees ", global) : Paint("31", "  differs ", global),
                    absl::StrFormat("with differences of %d elements, largest error %.3g\n", row.elements, row.max_error));
  }
  return text;
}

std::string DoctorText(const DoctorReport& report, const GlobalOptions& global) {
  std::string text;
  for (const DoctorRow& row : report.rows) {
    absl::StrAppend(&text, row.ok ? "  " : Paint("31", "! ", global), absl::StrFormat("%-16s ", row.topic), row.finding,
                    "\n");
  }
  return text;
}

}  // namespace flowlatch
