#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "flowlatch/proto/function.pb.h"
#include "graph/base/status_macros.h"
#include "graph/build/builder_graph.h"
#include "graph/build/graph_builder.h"
#include "graph/build/structure.h"

namespace flowlatch {
namespace {

absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }

bool IsEnter(const Node& node) { return node.op() == "Enter" || node.op() == "RefEnter"; }

// Shapes of the nodes that stand for those of `source`. A graph from elsewhere may hold nodes that can never work but that nobody runs:
// their shapes stay unknown.
absl::Status InferImported(const Graph& source, const std::vector<NodeId>& placed, BuilderGraph* g) {
  ASSIGN_OR_RETURN(const std::vector<NodeId> order, TopologicalOrder(source));
  for (const NodeId original : order) {
    const NodeId id = placed[original];
    if (id < 0) continue;
    g->InferShapes(id).IgnoreError();
    const Attr* attr = g->graph.node(id).attrs.Find("_output_shapes");
    const auto* declared = attr != nullptr ? attr->Get<std::vector<PartialShape>>() : nullptr;
    for (int i = 0; declared != nullptr && i < g->graph.node(id).num_outputs() && i < static_cast<int>(declared->size()); ++i) {
      const absl::StatusOr<PartialShape> merged = g->shape(Port{id, i}).MergeWith((*declared)[i]);
      if (merged.ok()) g->shape(Port{id, i}) = *merged;
    }
  }
  return absl::OkStatus();
}

}  // namespace

// The schema that a node of another graph has in this one. Null after Fail.
const OpSchema* GraphBuilder::SchemaHere(const Node& node, std::source_location at) {
  if (const OpSchema* schema = registry_.Find(node.op())) return schema;
  FunctionLibrary& library = current().graph.library();
  if (const OpSchema* schema = library.FindSchema(node.op())) return schema;
  if (node.schema->is_opaque()) return library.OpaqueSchema(node.op(), static_cast<int>(node.num_inputs), node.num_outputs());
  Fail(absl::NotFoundError(absl::StrCat("Import: node '", Absl(node.name), "': op ", node.op(), " is neither of this builder's registry nor a function")), at);
  return nullptr;
}

bool GraphBuilder::ImportFunctions(const FunctionLibrary& from, std::source_location at) {
  FunctionLibrary& library = current().graph.library();
  for (const std::string& name : from.Names()) {
    if (absl::Status status = library.Add(*from.FindDefinition(name)); !status.ok()) return Fail(status, at), false;
  }
  for (const auto& [function, gradient] : from.gradients()) {
    if (absl::Status status = library.AddGradient(function, gradient); !status.ok()) return Fail(status, at), false;
  }
  return true;
}

Outputs GraphBuilder::Import(const Graph& graph, const ImportOptions& options, std::source_location at) {
  return ImportBody(graph, options, {}, nullptr, at);
}

// As Import; arguments of a function that input_map replaces are left out. `nodes` of the graph come back as `operations`.
Outputs GraphBuilder::ImportBody(const Graph& graph, const ImportOptions& options, absl::Span<const NodeId> nodes, std::vector<Operation>* operations,
                                 std::source_location at) {
  Outputs returned(options.return_outputs.size());
  if (!Ready() || !ImportFunctions(graph.library(), at)) return returned;
  const BuilderScope scope = options.prefix.empty() ? BuilderScope(this) : NameScope(options.prefix);
  if (!ok()) return returned;

  // What stands in for outputs and nodes of the imported graph.
  absl::flat_hash_map<Port, Port> replaced;
  absl::flat_hash_map<NodeId, NodeId> replaced_nodes;
  for (const auto& [name, value] : options.input_map) {
    if (!name.empty() && name[0] == '^') {
      const std::optional<NodeId> node = graph.FindNode(std::string_view(name).substr(1));
      if (!value || value.builder() != this || value.graph() != state_->graph) {
        return Fail(absl::InvalidArgumentError(absl::StrCat("Import: input_map '", name, "': expected an output of this graph")), at), returned;
      }
      if (!node.has_value()) return Fail(absl::NotFoundError(absl::StrCat("Import: input_map '", name, "': no such node")), at), returned;
      replaced_nodes[*node] = value.port().node;
      continue;
    }
    const absl::StatusOr<Port> port = graph.ParsePort(name);
    if (!port.ok()) return Fail(absl::Status(port.status().code(), absl::StrCat("Import: input_map: ", port.status().message())), at), returned;
    if (!value || value.builder() != this) return Fail(absl::InvalidArgumentError(absl::StrCat("Import: input_map '", name, "': expected an output of this builder")), at), returned;
    const DType want = graph.node(port->node).types->outputs[port->index].dtype;
    if (want != value.dtype() && want != DType::kInvalid) {
      return Fail(absl::InvalidArgumentError(absl::StrCat("Import: input_map '", name, "': expected ", std::string(DTypeName(want)), ", got ",
                                                          std::string(DTypeName(value.dtype())), " from '", value.name(), "'")),
                  at),
             returned;
    }
    const std::optional<Port> here = ToPort(value, name, at);
    if (!here.has_value()) return returned;
    replaced[*port] = *here;
  }
  // What is imported waits for the control dependencies in force, and for those of the options.
  BuilderScope deps = ControlDependencies(options.control_dependencies, at);
  if (!ok()) return returned;
  BuilderGraph& g = current();
  absl::InlinedVector<NodeId, 4> waits;
  for (int32_t c = state_->controller; c >= 0 && c != g.contexts[state_->context].outer_controller; c = g.controllers[c].parent) {
    waits.insert(waits.end(), g.controllers[c].ops.begin(), g.controllers[c].ops.end());
  }

  const NodeId first = g.graph.num_nodes();
  absl::flat_hash_map<std::string, std::string> frames;  // of the imported graph -> here
  std::vector<NodeId> placed(graph.num_nodes(), -1);
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node& node = graph.node(id);
    if (node.op() == "_Arg" && replaced.contains(Port{id, 0})) continue;
    const OpSchema* schema = SchemaHere(node, at);
    if (schema == nullptr) return returned;
    AttrMap attrs = node.attrs;
    if (IsEnter(node)) {
      const Attr* name = attrs.Find("frame_name");
      const std::string* frame = name != nullptr ? name->Get<std::string>() : nullptr;
      if (frame != nullptr) {
        const auto [place, is_new] = frames.try_emplace(*frame);
        if (is_new) place->second = g.UniqueFrame(absl::StrCat(state_->name_scope, *frame));
        if (place->second != *frame) attrs = attrs.With("frame_name", place->second);
      }
    }
    if (!state_->name_scope.empty()) {
      const Attr* groups = attrs.Find("_class");
      if (groups != nullptr && groups->Get<std::vector<std::string>>() != nullptr) {
        std::vector<std::string> renamed = *groups->Get<std::vector<std::string>>();
        for (std::string& group : renamed) {
          if (group.rfind("loc:@", 0) == 0) group.insert(5, state_->name_scope);
        }
        attrs = attrs.With("_class", renamed);
      }
    }
    const std::string name = absl::StrCat(state_->name_scope, Absl(node.name));
    const std::string& device = graph.device_name(node);
    absl::StatusOr<NodeId> added = g.graph.AddNode(name, schema, std::move(attrs), device.empty() ? state_->device : device);
    if (!added.ok()) return Fail(absl::Status(added.status().code(), absl::StrCat("Import: ", added.status().message())), at), returned;
    g.names.try_emplace(NameHash(name), 1);
    g.AddRecord(state_->context, state_->controller);
    placed[id] = *added;
  }
  const NodeId count = g.graph.num_nodes() - first;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (placed[id] < 0) continue;
    std::vector<Port> inputs;
    absl::InlinedVector<NodeId, 4> controls;
    bool inherits = false;  // from an input, what all wait for
    for (const Port p : graph.inputs(id)) {
      const auto at_port = replaced.find(p);
      inherits |= at_port == replaced.end();
      inputs.push_back(at_port != replaced.end() ? at_port->second : Port{placed[p.node], p.index});
    }
    for (const Port p : graph.control_inputs(id)) {
      const auto at_node = replaced_nodes.find(p.node);
      const auto at_port = replaced.find(Port{p.node, 0});
      inherits |= at_node == replaced_nodes.end() && placed[p.node] >= 0;
      controls.push_back(at_node != replaced_nodes.end() ? at_node->second : placed[p.node] >= 0 ? placed[p.node] : at_port->second.node);
    }
    if (!inherits) controls.insert(controls.end(), waits.begin(), waits.end());
    g.graph.SetInputs(placed[id], inputs, controls);
  }
  RecogniseContexts(&g, first, state_->context);
  // In a branch or loop, what nothing else starts waits for the pivot.
  for (NodeId id = first; state_->context != kRootContext && id < first + count; ++id) {
    const bool enters = IsEnter(g.graph.node(id)) && g.contexts[g.context[id]].parent == state_->context;
    if (g.context[id] != state_->context && !enters) continue;
    const auto inputs = g.graph.inputs(id);
    const std::vector<Port> data(inputs.begin(), inputs.end());
    absl::InlinedVector<NodeId, 4> controls;
    for (const Port p : g.graph.control_inputs(id)) controls.push_back(p.node);
    if (!FitControls(g.graph.node(id).op(), data, &controls, at)) return returned;
    g.graph.SetInputs(id, data, controls);
  }
  for (const NodeId node : nodes) operations->push_back(Operation(this, state_->graph, placed[node]));
  if (const absl::Status status = InferImported(graph, placed, &g); !status.ok()) return Fail(status, at), returned;
  for (size_t i = 0; i < options.return_outputs.size(); ++i) {
    const absl::StatusOr<Port> port = graph.ParsePort(options.return_outputs[i]);
    if (!port.ok()) return Fail(absl::Status(port.status().code(), absl::StrCat("Import: return_outputs: ", port.status().message())), at), returned;
    const auto at_port = replaced.find(*port);
    returned[i] = Output(this, state_->graph, at_port != replaced.end() ? at_port->second : Port{placed[port->node], port->index});
  }
  return returned;
}

}  // namespace flowlatch
