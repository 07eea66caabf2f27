#include "tools/graph_runner/convert.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/io/dot.h"
#include "graph/io/graph_def.h"
#include "graph/io/model_writer.h"
#include "graph/passes/expand_functions.h"
#include "graph/passes/freeze_variables.h"
#include "ops/default_ops.h"
#include "runtime/checkpoint/saved_model.h"
#include "runtime/checkpoint/saved_variables.h"
#include "tools/arrays/files.h"
#include "tools/graph_runner/errors.h"
#include "tools/graph_runner/opened_model.h"

namespace flowlatch {
namespace {

enum class Form { kGraphDef, kText, kDot, kMetaGraph, kSavedModel };

std::optional<Form> FormOf(const ConvertOptions& options) {
  if (options.saved_model || absl::EndsWith(options.to, "/")) return Form::kSavedModel;
  if (options.text || absl::EndsWith(options.to, ".pbtxt")) return Form::kText;
  if (absl::EndsWith(options.to, ".pb")) return Form::kGraphDef;
  if (absl::EndsWith(options.to, ".dot")) return Form::kDot;
  if (absl::EndsWith(options.to, ".meta")) return Form::kMetaGraph;
  return std::nullopt;
}

// Names of ports need not be the same after functions are inlined: nodes of the old names hand on what they gave.
absl::StatusOr<std::vector<Port>> KeepNames(const std::vector<Port>& outputs, const std::vector<std::string>& names,
                                            Graph& graph) {
  std::vector<Port> kept = outputs;
  for (size_t i = 0; i < names.size(); ++i) {
    if (graph.PortName(outputs[i]) == names[i]) continue;
    const size_t colon = names[i].find(':');
    const std::string node = names[i].substr(0, colon);
    const std::string index = names[i].substr(colon + 1);
    const std::string name = index == "0" ? node : absl::StrCat(node, "_", index);
    const DType dtype = graph.node(outputs[i].node).types->outputs[outputs[i].index].dtype;
    ASSIGN_OR_RETURN(kept[i].node, graph.AddNode(name, graph.registry().Find("Identity"), {{"T", dtype}}));
    kept[i].index = 0;
    graph.SetInputs(kept[i].node, {outputs[i]}, {});
  }
  return kept;
}

absl::StatusOr<Graph> Freeze(const OpenedModel& opened, const ModelOptions& options) {
  const Graph& graph = opened.session->graph();
  ASSIGN_OR_RETURN(const StepRequest request, ResolveStep(opened, options, false));
  StepPorts step;
  std::vector<std::string> names;
  for (const std::string& fetch : request.fetches) {
    ASSIGN_OR_RETURN(step.fetches.emplace_back(), graph.ParsePort(fetch));
    names.push_back(graph.PortName(step.fetches.back()));
  }
  ASSIGN_OR_RETURN(std::optional<ExpandedFunctions> expanded, ExpandFunctions(graph, step, FunctionalForm::kLowered));
  Graph whole = expanded.has_value() ? std::move(expanded->graph) : graph.Clone();
  ASSIGN_OR_RETURN(const std::vector<Port> outputs,
                   KeepNames(expanded.has_value() ? expanded->step.fetches : step.fetches, names, whole));
  ASSIGN_OR_RETURN(const std::vector<SavedVariable> variables, SavedVariables(whole));
  std::map<std::string, Tensor> values;
  for (const SavedVariable& variable : variables) {
    const absl::StatusOr<Tensor> value = SnapshotOf(variable, opened.session->resources());
    if (value.ok()) values.emplace(variable.node, *value);
  }
  return FreezeVariables(whole, outputs, values);
}

absl::StatusOr<std::string> Write(const Model& model, Form form) {
  switch (form) {
    case Form::kText:
      return WriteGraphDefText(model.graph);
    case Form::kDot:
      return GraphToDot(model.graph);
    case Form::kMetaGraph:
      return WriteMetaGraph(model);
    default:
      return WriteGraphDef(model.graph);
  }
}

}  // namespace

absl::Status Convert(const ConvertOptions& options, const GlobalOptions& global) {
  const std::optional<Form> form = FormOf(options);
  const bool can_freeze = form == Form::kGraphDef || form == Form::kText || form == Form::kDot;
  if (!form.has_value() || (options.freeze && !can_freeze)) {
    return WithExit(ExitCode::kUsage,
                    absl::InvalidArgumentError(absl::StrCat(
                        "'", options.to, "': expected a name that ends in .pb, .pbtxt or .dot, or --text",
                        options.freeze ? ", for a frozen graph" : "; or in .meta or /, or --saved-model")));
  }
  if (*form == Form::kSavedModel) {
    ASSIGN_OR_RETURN(OpenedModel opened, OpenForRun(options.model, !global.quiet));
    return SaveSavedModel(options.to, std::move(opened.model), *opened.session);
  }
  std::string bytes;
  if (options.freeze) {
    ASSIGN_OR_RETURN(const OpenedModel opened, OpenForRun(options.model, !global.quiet));
    ASSIGN_OR_RETURN(Graph frozen, Freeze(opened, options.model));
    ASSIGN_OR_RETURN(bytes, Write(Model{.graph = std::move(frozen)}, *form));
  } else {
    std::vector<std::string> warnings;
    ASSIGN_OR_RETURN(const Model model, LoadForTool(options.model.path, options.model.tags, &warnings));
    ASSIGN_OR_RETURN(bytes, Write(model, *form));
  }
  return WithExit(ExitCode::kFiles, WriteBytes(options.to, bytes));
}

}  // namespace flowlatch
