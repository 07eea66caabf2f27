#include "tools/graph_runner/json.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tools/arrays/json_array.h"

namespace flowlatch {
namespace {

using nlohmann::json;

std::string Dump(const json& document) { return document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"; }

json ShapeJson(const PartialShape& shape) {
  if (!shape.has_rank()) return nullptr;
  json dims = json::array();
  for (const int64_t dim : shape.dims()) dims.push_back(dim < 0 ? json(nullptr) : json(dim));
  return dims;
}

json PortsJson(const std::vector<PortReport>& ports) {
  json list = json::array();
  for (const PortReport& port : ports) {
    json entry = {{"name", port.name}, {"dtype", std::string(DTypeName(port.dtype))}, {"shape", ShapeJson(port.shape)}};
    if (!port.key.empty()) entry["key"] = port.key;
    list.push_back(std::move(entry));
  }
  return list;
}

json StatsJson(const StepStats& stats) {
  json nodes = json::array(), frames = json::array();
  for (const NodeStats& node : stats.nodes) {
    nodes.push_back({{"node", node.node},
                     {"op", node.op},
                     {"executions", node.executions},
                     {"dead", node.dead},
                     {"time_ns", node.time_ns}});
  }
  for (const FrameStats& frame : stats.frames) {
    frames.push_back({{"name", frame.name},
                      {"parent", frame.parent},
                      {"instances", frame.instances},
                      {"iterations", frame.iterations}});
  }
  return {{"nodes", std::move(nodes)}, {"frames", std::move(frames)}, {"wall_ns", stats.wall_ns}};
}

}  // namespace

std::string ShowJson(const ShowReport& report) {
  if (report.is_checkpoint)
    return Dump({{"path", report.path}, {"kind", report.kind}, {"tensors", PortsJson(report.tensors)}});
  json document = {
      {"path", report.path},
      {"kind", report.kind},
      {"nodes", report.num_nodes},
      {"versions", {{"producer", report.producer}, {"min_consumer", report.min_consumer}}},
      {"tags", report.tags},
      {"tensorflow_version", report.tensorflow_version},
      {"devices", report.devices},
      {"constants", {{"elements", report.const_elements}, {"bytes", report.const_bytes}}},
      {"warnings", report.warnings},
  };
  document["inputs"] = PortsJson(report.inputs);
  document["outputs"] = PortsJson(report.outputs);
  document["variables"] = PortsJson(report.variables);
  document["signatures"] = json::object();
  for (const SignatureReport& signature : report.signatures) {
    document["signatures"][signature.name] = {{"method", signature.method},
                                              {"inputs", PortsJson(signature.inputs)},
                                              {"outputs", PortsJson(signature.outputs)}};
  }
  document["ops"] = json::object();
  for (const auto& [op, count] : report.ops) document["ops"][op] = count;
  document["functions"] = json::object();
  for (const FunctionReport& function : report.functions) document["functions"][function.name] = function.signature;
  if (!report.nodes.empty()) {
    json nodes = json::array();
    for (const NodeReport& node : report.nodes)
      nodes.push_back({{"name", node.name}, {"op", node.op}, {"text", node.text}});
    document["node_list"] = std::move(nodes);
  }
  if (report.unsupported.has_value()) {
    json list = json::array();
    for (const UnsupportedReport& row : *report.unsupported) {
      list.push_back({{"op", row.op}, {"reason", row.reason}, {"nodes", row.nodes}, {"first_node", row.first_node}});
    }
    document["unsupported"] = std::move(list);
  }
  return Dump(document);
}

std::string RunJson(const RunReport& report) {
  json outputs = json::object();
  for (const OutputReport& output : report.outputs) {
    json entry = {{"dtype", std::string(DTypeName(output.value.dtype()))}, {"shape", ShapeJson(output.value.shape())}};
    if (output.file.empty()) {
      entry["value"] = TensorToJson(output.value);
    } else {
      entry["file"] = output.file;
    }
    outputs[output.name] = std::move(entry);
  }
  json document = {{"outputs", std::move(outputs)}, {"steps", report.steps}, {"wall_ns", report.wall_ns}};
  if (report.stats.has_value()) document["stats"] = StatsJson(*report.stats);
  return Dump(document);
}

std::string BenchJson(const BenchReport& report) {
  return Dump({{"load_ns", report.load_ns},
               {"first_run_ns", report.first_run_ns},
               {"runs", report.runs},
               {"min_ns", report.min_ns},
               {"p50_ns", report.p50_ns},
               {"p90_ns", report.p90_ns},
               {"p95_ns", report.p95_ns},
               {"p99_ns", report.p99_ns},
               {"max_ns", report.max_ns},
               {"mean_ns", report.mean_ns},
               {"stddev_ns", report.stddev_ns},
               {"threads", report.threads},
               {"concurrency", report.concurrency},
               {"nodes", report.num_nodes},
               {"seconds", report.seconds},
               {"peak_rss_bytes", report.peak_rss_bytes},
               {"notes", report.notes}});
}

std::string OpsJson(const OpsReport& report) {
  json list = json::array();
  for (const OpReport& op : report.ops) {
    json dtypes = json::array();
    for (const DType dtype : op.dtypes) dtypes.push_back(std::string(DTypeName(dtype)));
    list.push_back({{"name", op.name}, {"signature", op.signature}, {"doc", op.doc}, {"dtypes", std::move(dtypes)}});
  }
  return Dump({{"ops", std::move(list)}});
}

std::string CompareJson(const CompareReport& report) {
  json list = json::array();
  for (const CompareRow& row : report.rows) {
    list.push_back({{"name", row.name},
                    {"same", row.reason.empty()},
                    {"reason", row.reason},
                    {"max_error", row.max_error},
                    {"elements", row.elements}});
  }
  return Dump({{"arrays", std::move(list)}, {"differing", report.differing}});
}

std::string CkptJson(const CkptReport& report) {
  json list = json::array();
  for (const CkptRow& row : report.rows) {
    json entry = {{"name", row.name},
                  {"dtype", std::string(DTypeName(row.dtype))},
                  {"shape", ShapeJson(PartialShape(row.shape))}};
    if (row.num_slices > 0) entry["slices"] = row.num_slices;
    if (row.bytes >= 0) entry["bytes"] = row.bytes;
    if (!row.variable.empty()) entry["variable"] = row.variable;
    if (!row.problem.empty()) entry["problem"] = row.problem;
    if (row.stats.has_value()) {
      const CkptRow::Stats& stats = *row.stats;
      entry["stats"] = {{"min", stats.min}, {"max", stats.max}, {"mean", stats.mean}, {"nan", stats.num_nan}};
    }
    if (row.value.has_value()) entry["value"] = TensorToJson(row.value);
    list.push_back(std::move(entry));
  }
  return Dump({{"checkpoint", report.path},
               {"tensors", std::move(list)},
               {"elements", report.num_elements},
               {"damage", report.damage},
               {"bad", report.num_bad}});
}

std::string GradJson(const GradReport& report) {
  json list = json::array();
  for (const GradRow& row : report.rows) {
    json entry = {{"name", row.name}, {"exists", row.value.has_value()}};
    if (row.value.has_value()) {
      entry["value"] = TensorToJson(row.value);
    } else {
      entry["reason"] = row.reason;
    }
    if (report.checked && row.value.has_value()) {
      entry["agrees"] = row.agrees;
      entry["max_error"] = row.max_error;
      entry["elements"] = row.elements;
    }
    list.push_back(std::move(entry));
  }
  return Dump({{"of", report.of}, {"y", TensorToJson(report.y)}, {"gradients", std::move(list)}, {"differing", report.differing}});
}

std::string DoctorJson(const DoctorReport& report) {
  json rows = json::object();
  for (const DoctorRow& row : report.rows) rows[row.topic] = {{"finding", row.finding}, {"ok", row.ok}};
  return Dump(rows);
}

std::string ErrorJson(const absl::Status& status, const std::string& hint) {
  json error = {{"code", absl::StatusCodeToString(status.code())}, {"message", std::string(status.message())}};
  if (!hint.empty()) error["hint"] = hint;
  return Dump({{"error", std::move(error)}});
}

}  // namespace flowlatch
