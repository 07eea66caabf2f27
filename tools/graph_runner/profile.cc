#include "tools/graph_runner/profile.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "flowlatch/proto/config.pb.h"
#include "graph/base/status_macros.h"
#include "graph/io/graph_def.h"
#include "runtime/events/event_writer.h"
#include "runtime/profile/run_metadata.h"
#include "tools/arrays/files.h"
#include "tools/graph_runner/errors.h"
#include "tools/graph_runner/opened_model.h"
#include "tools/graph_runner/table.h"
#include "tools/graph_runner/text.h"

namespace flowlatch {
namespace {

using nlohmann::json;

std::string Dump(const json& document) { return document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"; }

// For TensorBoard: the graph, and what its nodes took, which colours it.
absl::Status WriteEvents(const std::string& folder, const Graph& graph, const proto::RunMetadata& metadata, std::string* path) {
  ASSIGN_OR_RETURN(const std::unique_ptr<EventWriter> events, EventWriter::Create(FileSystem::Default(), folder, {}));
  *path = events->path();
  ASSIGN_OR_RETURN(std::string bytes, WriteGraphDef(graph));
  RETURN_IF_ERROR(events->WriteGraph(0, std::move(bytes)));
  RETURN_IF_ERROR(events->WriteRunMetadata(0, "profile", metadata));
  return events->Close();
}

absl::Status WriteFiles(const ProfileOptions& options, const Graph& graph, ProfileReport* report) {
  proto::RunMetadata metadata;
  StatsToRunMetadata(report->stats, &metadata);
  if (!options.trace.empty()) {
    RETURN_IF_ERROR(WriteBytes(options.trace, ChromeTrace(report->stats)));
    report->files.push_back(options.trace);
  }
  if (!options.step_stats.empty()) {
    RETURN_IF_ERROR(WriteBytes(options.step_stats, metadata.SerializeAsString()));
    report->files.push_back(options.step_stats);
  }
  if (options.events.empty()) return absl::OkStatus();
  report->files.emplace_back();
  return WriteEvents(options.events, graph, metadata, &report->files.back());
}

}  // namespace

std::vector<ProfileRow> ProfileRows(const StepStats& stats, const std::string& by) {
  std::map<std::string, ProfileRow> rows;
  for (const NodeStats& node : stats.nodes) {
    const std::string type = node.dtype == DType::kInvalid ? "none" : std::string(DTypeName(node.dtype));
    const std::string& name = by == "op" ? node.op : by == "node" ? node.node : type;
    ProfileRow& row = rows[name];
    row.name = name;
    if (by == "node") row.op = node.op;
    ++row.nodes;
    row.executions += node.executions;
    row.time_ns += node.time_ns;
    row.output_bytes += node.output_bytes;
  }
  std::vector<ProfileRow> sorted;
  for (auto& [name, row] : rows) sorted.push_back(std::move(row));
  std::stable_sort(sorted.begin(), sorted.end(), [](const ProfileRow& a, const ProfileRow& b) { return a.time_ns > b.time_ns; });
  return sorted;
}

std::string ChromeTrace(const StepStats& stats) {
  json events = json::array();
  events.push_back({{"ph", "M"}, {"pid", 0}, {"name", "process_name"}, {"args", {{"name", "step"}}}});
  for (const NodeExecution& execution : stats.timeline) {
    const NodeStats& node = stats.nodes[static_cast<size_t>(execution.node)];
    events.push_back({{"ph", "X"},
                      {"pid", 0},
                      {"tid", 0},
                      {"name", node.op},
                      {"cat", "op"},
                      {"ts", static_cast<double>(execution.start_ns) / 1e3},
                      {"dur", static_cast<double>(execution.time_ns) / 1e3},
                      {"args", {{"node", node.node}, {"dtype", std::string(DTypeName(node.dtype))}}}});
  }
  return Dump({{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}});
}

absl::StatusOr<ProfileReport> Profile(const ProfileOptions& options, const GlobalOptions& global) {
  ASSIGN_OR_RETURN(const OpenedModel opened, OpenForRun(options.model, !global.quiet));
  ASSIGN_OR_RETURN(const StepRequest step, ResolveStep(opened, options.model, true));
  ASSIGN_OR_RETURN(const Callable callable, opened.session->Prepare(step.feeds, step.fetches, step.targets));
  std::vector<Tensor> outputs;
  for (int64_t i = 0; i < options.warmup; ++i) RETURN_IF_ERROR(callable.Run(step.inputs, &outputs));
  RunOptions run;
  run.trace = true;
  RunMetadata metadata;
  RETURN_IF_ERROR(callable.Run(step.inputs, &outputs, run, &metadata));
  ProfileReport report;
  report.stats = std::move(metadata.stats);
  report.rows = ProfileRows(report.stats, options.by);
  report.notes = step.notes;
  RETURN_IF_ERROR(WithExit(ExitCode::kFiles, WriteFiles(options, opened.session->graph(), &report)));
  return report;
}

std::string ProfileText(const ProfileReport& report, const ProfileOptions& options, const GlobalOptions& global) {
  std::string text;
  for (const std::string& note : report.notes) absl::StrAppend(&text, Dim("note: " + note, global), "\n");
  ProfileRow all;
  for (const ProfileRow& row : report.rows) {
    all.nodes += row.nodes;
    all.executions += row.executions;
    all.time_ns += row.time_ns;
  }
  absl::StrAppend(&text,
                  Bold(absl::StrFormat("%d nodes ran %d times, %s in kernels, %s in all", all.nodes, all.executions,
                                       DurationText(static_cast<double>(all.time_ns)), DurationText(static_cast<double>(report.stats.wall_ns))),
                       global),
                  "\n");
  const bool by_node = options.by == "node";
  Table table({false, !by_node, true, true, true, true, true});
  table.Add({options.by, by_node ? "op" : "nodes", "runs", "time", "%", "sum %", "output"});
  const double total = static_cast<double>(std::max<int64_t>(1, all.time_ns));
  int64_t so_far = 0;
  const size_t shown = std::min(report.rows.size(), static_cast<size_t>(options.top));
  for (size_t i = 0; i < shown; ++i) {
    const ProfileRow& row = report.rows[i];
    so_far += row.time_ns;
    table.Add({row.name, by_node ? row.op : absl::StrCat(row.nodes), absl::StrCat(row.executions),
               DurationText(static_cast<double>(row.time_ns)), absl::StrFormat("%.1f", 100 * static_cast<double>(row.time_ns) / total),
               absl::StrFormat("%.1f", 100 * static_cast<double>(so_far) / total), BytesText(row.output_bytes)});
  }
  text += table.Text();
  if (report.rows.size() > shown) absl::StrAppend(&text, "  ... and ", report.rows.size() - shown, " more (--top)\n");
  for (const std::string& file : report.files) absl::StrAppend(&text, "Wrote ", file, "\n");
  return text;
}

std::string ProfileJson(const ProfileReport& report) {
  json rows = json::array();
  for (const ProfileRow& row : report.rows) {
    json entry = {{"name", row.name}, {"nodes", row.nodes}, {"executions", row.executions}, {"time_ns", row.time_ns}, {"output_bytes", row.output_bytes}};
    if (!row.op.empty()) entry["op"] = row.op;
    rows.push_back(std::move(entry));
  }
  return Dump({{"rows", std::move(rows)}, {"wall_ns", report.stats.wall_ns}, {"files", report.files}});
}

}  // namespace flowlatch
