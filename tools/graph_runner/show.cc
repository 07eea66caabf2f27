#include "tools/graph_runner/show.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/base/near_names.h"
#include "graph/base/status_macros.h"
#include "graph/io/dot.h"
#include "graph/io/graph_def.h"
#include "graph/io/text_dump.h"
#include "graph/passes/expand_functions.h"
#include "graph/passes/infer_shapes.h"
#include "ops/default_ops.h"
#include "re2/re2.h"
#include "runtime/checkpoint/checkpoint_reader.h"
#include "tools/graph_runner/errors.h"
#include "tools/graph_runner/graph_facts.h"
#include "tools/graph_runner/opened_model.h"

namespace flowlatch {
namespace {

std::vector<PortReport> Describe(const std::map<std::string, SignatureTensor>& tensors) {
  std::vector<PortReport> ports;
  for (const auto& [key, tensor] : tensors) {
    ports.push_back(
        {tensor.name.empty() ? absl::StrJoin(tensor.components, ", ") : tensor.name, tensor.dtype, tensor.shape, key});
  }
  return ports;
}

absl::Status AddSignatures(const Model& model, const std::string& wanted, ShowReport* report) {
  NearNames near(wanted);
  for (const auto& [name, signature] : model.signatures) {
    near.Consider(name);
    if (!wanted.empty() && name != wanted) continue;
    report->signatures.push_back(
        {name, signature.method_name, Describe(signature.inputs), Describe(signature.outputs)});
  }
  if (wanted.empty() || !report->signatures.empty()) return absl::OkStatus();
  return WithExit(ExitCode::kUsage, absl::NotFoundError(absl::StrCat(
                                        "signature '", wanted, "': the model has none of this name", near.Hint())));
}

void AddOps(const Graph& graph, ShowReport* report) {
  std::map<std::string, int64_t> counts;
  std::map<std::string, bool> devices;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node& node = graph.node(id);
    ++counts[node.op()];
    if (!graph.device_name(node).empty()) devices[graph.device_name(node)] = true;
    if (node.op() != "Const") continue;
    const Attr* value = node.attrs.Find("value");
    if (value == nullptr || value->Get<Tensor>() == nullptr) continue;
    report->const_elements += value->Get<Tensor>()->num_elements();
    report->const_bytes += value->Get<Tensor>()->size_bytes();
  }
  report->ops.assign(counts.begin(), counts.end());
  std::stable_sort(report->ops.begin(), report->ops.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [device, used] : devices) report->devices.push_back(device);
}

// The graph at the stage that was asked for.
absl::StatusOr<Graph> AtStage(Graph graph, const std::string& stage) {
  if (stage != "lowered") return graph;
  StepPorts step;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) step.targets.push_back(id);
  absl::StatusOr<std::optional<ExpandedFunctions>> expanded = ExpandFunctions(graph, step, FunctionalForm::kLowered);
  if (!expanded.ok()) return WithExit(ExitCode::kBadModel, expanded.status());
  if (!expanded->has_value()) return graph;
  return std::move((*expanded)->graph);
}

absl::Status AddNodes(const Graph& graph, const ShowOptions& options, ShowReport* report) {
  if (!options.list_nodes && options.nodes.empty()) return absl::OkStatus();
  const re2::RE2 pattern(options.nodes, re2::RE2::Quiet);
  if (!pattern.ok()) return WithExit(ExitCode::kUsage, absl::InvalidArgumentError("--nodes: " + pattern.error()));
  const absl::StatusOr<ShapeTable> shapes = InferShapes(graph);
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node& node = graph.node(id);
    const std::string name(node.name);
    if (!re2::RE2::PartialMatch(name, pattern)) continue;
    const absl::Span<const PartialShape> known =
        shapes.ok() ? absl::MakeSpan((*shapes)[static_cast<size_t>(id)]) : absl::Span<const PartialShape>();
    report->nodes.push_back({name, node.op(), NodeText(graph, id, true, known)});
  }
  return absl::OkStatus();
}

// A command line that runs the model, as far as its names tell one.
std::string RunCommand(const ShowReport& report, const std::string& signature) {
  std::string command = absl::StrCat("graph-runner run ", report.path);
  const std::vector<PortReport>*inputs = &report.inputs, *outputs = &report.outputs;
  for (const SignatureReport& candidate : report.signatures) {
    if (candidate.name != signature) continue;
    inputs = &candidate.inputs;
    outputs = &candidate.outputs;
    absl::StrAppend(&command, " --signature ", signature);
  }
  const auto name = [](const PortReport& port) { return port.key.empty() ? port.name : port.key; };
  for (const PortReport& input : *inputs) absl::StrAppend(&command, " -i ", name(input), "=zeros:", SpecType(input));
  constexpr size_t kShown = 4;
  for (size_t i = 0; i < std::min(outputs->size(), kShown); ++i) absl::StrAppend(&command, " -o ", name((*outputs)[i]));
  return command;
}

absl::StatusOr<ShowReport> ShowCheckpoint(const std::string& path) {
  absl::StatusOr<std::unique_ptr<CheckpointReader>> reader = CheckpointReader::Open(path);
  if (!reader.ok())
    return WithExit(absl::IsNotFound(reader.status()) ? ExitCode::kFiles : ExitCode::kBadModel, reader.status());
  if (!(*reader)->damage().ok()) return WithExit(ExitCode::kBadModel, (*reader)->damage());
  ShowReport report;
  report.path = path;
  report.kind = ModelKindName(ModelKind::kCheckpoint);
  report.is_checkpoint = true;
  for (const CheckpointReader::TensorInfo& tensor : (*reader)->tensors()) {
    report.tensors.push_back({tensor.name, tensor.dtype, tensor.shape, ""});
    report.const_elements += tensor.shape.num_elements();
  }
  return report;
}

}  // namespace

absl::StatusOr<ShowReport> Show(const ShowOptions& options) {
  const absl::StatusOr<ModelFile> file = OpenModelFile(options.path);
  if (file.ok() && file->kind == ModelKind::kCheckpoint) return ShowCheckpoint(options.path);
  ShowReport report;
  ASSIGN_OR_RETURN(Model model, LoadForTool(options.path, options.tags, &report.warnings));
  ASSIGN_OR_RETURN(const Graph graph, AtStage(std::move(model.graph), options.stage));
  report.path = options.path;
  report.kind = ModelKindName(model.kind);
  report.tags = model.tags;
  report.tensorflow_version = model.tensorflow_version;
  report.producer = graph.producer;
  report.min_consumer = graph.min_consumer;
  report.num_nodes = graph.num_nodes();
  RETURN_IF_ERROR(AddSignatures(model, options.signature, &report));
  report.inputs = GraphInputs(graph);
  report.outputs = GraphOutputs(graph);
  report.variables = GraphVariables(graph);
  AddOps(graph, &report);
  for (const std::string& name : graph.library().Names()) {
    report.functions.push_back({name, graph.library().FindSchema(name)->ToString()});
  }
  RETURN_IF_ERROR(AddNodes(graph, options, &report));
  if (options.unsupported) report.unsupported = FindUnsupported(graph, DefaultOps());
  report.next = {RunCommand(report, options.signature.empty() ? DefaultSignature(model) : options.signature),
                 absl::StrCat("graph-runner bench ", report.path),
                 absl::StrCat("graph-runner show --unsupported ", report.path)};
  return report;
}

absl::StatusOr<std::string> ShowAs(const ShowOptions& options) {
  std::vector<std::string> warnings;
  ASSIGN_OR_RETURN(Model model, LoadForTool(options.path, options.tags, &warnings));
  ASSIGN_OR_RETURN(const Graph graph, AtStage(std::move(model.graph), options.stage));
  return options.format == "dot" ? GraphToDot(graph) : WriteGraphDefText(graph);
}

}  // namespace flowlatch
