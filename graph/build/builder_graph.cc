#include "graph/build/builder_graph.h"

#include <cctype>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "graph/schema/shape_context.h"

namespace flowlatch {

uint64_t NameHash(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return absl::Hash<std::string>()(lower);
}

void BuilderGraph::AddRecord(ContextId node_context, int32_t node_controller) {
  context.push_back(node_context);
  controller.push_back(node_controller);
  first_output.push_back(static_cast<uint32_t>(shapes.size()));
  shapes.resize(shapes.size() + graph.node(graph.num_nodes() - 1).num_outputs());
}

absl::Status BuilderGraph::InferShapes(NodeId id) {
  const Node& node = graph.node(id);
  if (node.schema->shape_function() == nullptr) return absl::OkStatus();
  std::vector<PartialShape> inputs;
  std::vector<const Tensor*> constants;
  std::vector<const HandleData*> input_handles;
  inputs.reserve(node.num_inputs);
  constants.reserve(node.num_inputs);
  for (const Port port : graph.inputs(id)) {
    inputs.push_back(shape(port));
    constants.push_back(ConstantValue(port));
    if (handles.empty()) continue;
    const auto handle = handles.find(port);
    input_handles.push_back(handle != handles.end() ? &handle->second : nullptr);
  }
  ShapeContext c(*node.schema, node.attrs, std::move(inputs), std::move(constants), node.num_outputs());
  c.SetInputHandles(std::move(input_handles));
  if (const absl::Status status = node.schema->shape_function()(c); !status.ok()) {
    return absl::Status(status.code(), absl::StrCat("node '", absl::string_view(node.name.data(), node.name.size()), "' (", node.op(), "): ",
                                                    status.message()));
  }
  for (int i = 0; i < node.num_outputs(); ++i) shapes[first_output[id] + i] = c.outputs()[i];
  for (size_t i = 0; i < c.output_handles().size(); ++i) {
    if (c.output_handles()[i].has_value()) handles[Port{id, static_cast<int32_t>(i)}] = *std::move(c.output_handles()[i]);
  }
  return absl::OkStatus();
}

const Tensor* BuilderGraph::ConstantValue(Port p) const {
  const Node& node = graph.node(p.node);
  if (node.op() != "Const") return nullptr;
  const Attr* value = node.attrs.Find("value");
  return value != nullptr ? value->Get<Tensor>() : nullptr;
}

Port BuilderGraph::Source(Port p) const {
  while (graph.node(p.node).op() == "Identity") p = graph.inputs(p.node)[0];
  return p;
}

ContextId BuilderGraph::ContextOf(Port p) {
  const auto branches_of = switch_branches.find(p.node);
  if (branches_of == switch_branches.end()) return context[p.node];
  const SwitchBranches& of = branches_of->second;
  if (of.contexts[p.index] >= 0) return of.contexts[p.index];
  const ContextId made = Branch(of.selector, p.index, static_cast<int>(of.contexts.size()), context[p.node]);
  return switch_branches[p.node].contexts[p.index] = made;
}

bool BuilderGraph::Encloses(ContextId outer, ContextId inner) const {
  while (contexts[inner].depth > contexts[outer].depth) inner = contexts[inner].parent;
  return inner == outer;
}

ContextId BuilderGraph::LoopOf(ContextId c) const {
  while (c >= 0 && contexts[c].kind != ControlFlowContext::Kind::kLoop) c = contexts[c].parent;
  return c;
}

ContextId BuilderGraph::Branch(Port selector, int branch, int num_branches, ContextId parent) {
  const auto [at, is_new] = branches.try_emplace({selector, branch, parent}, static_cast<ContextId>(contexts.size()));
  if (is_new) {
    ControlFlowContext c;
    c.kind = ControlFlowContext::Kind::kBranch;
    c.parent = parent;
    c.depth = contexts[parent].depth + 1;
    c.selector = selector;
    c.branch = branch;
    c.num_branches = num_branches;
    contexts.push_back(std::move(c));
  }
  return at->second;
}

absl::flat_hash_set<std::string>& BuilderGraph::VariableKeys() {
  const auto text = [](const Node& node, std::string_view attr) {
    const Attr* value = node.attrs.Find(attr);
    return value != nullptr && value->Get<std::string>() != nullptr ? *value->Get<std::string>() : std::string();
  };
  for (; nodes_read < graph.num_nodes(); ++nodes_read) {
    const Node& node = graph.node(nodes_read);
    const bool is_ref = node.op() == "VariableV2" || node.op() == "Variable";
    if (!is_ref && node.op() != "VarHandleOp") continue;
    std::string name = text(node, "shared_name");
    if (name.empty() && is_ref) name = std::string(node.name);
    variable_keys.insert(absl::StrCat(text(node, "container"), "/", name));
  }
  return variable_keys;
}

std::string BuilderGraph::UniqueFrame(std::string_view frame) {
  std::string name(frame);
  for (int number = 1; !frames.insert(name).second; ++number) name = absl::StrCat(absl::string_view(frame.data(), frame.size()), "_", number);
  return name;
}

ContextId BuilderGraph::Loop(std::string frame, int64_t parallel_iterations, ContextId parent, int32_t outer_controller) {
  ControlFlowContext c;
  c.kind = ControlFlowContext::Kind::kLoop;
  c.parent = parent;
  c.depth = contexts[parent].depth + 1;
  c.frame = std::move(frame);
  c.parallel_iterations = parallel_iterations;
  c.outer_controller = outer_controller;
  contexts.push_back(std::move(c));
  return static_cast<ContextId>(contexts.size() - 1);
}

}  // namespace flowlatch
