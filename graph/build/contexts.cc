// How values and control dependencies cross into branches, loops and function bodies.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph/build/builder_graph.h"
#include "graph/build/graph_builder.h"

namespace flowlatch {
namespace {

using Kind = ControlFlowContext::Kind;

constexpr int64_t kCopiedConstantBytes = 64;  // constants up to this size are copied into functions rather than passed

bool CallsFunction(std::string_view op, const OpRegistry& registry) {
  return op == "PartitionedCall" || op == "StatefulPartitionedCall" || op == "SymbolicGradient" || registry.Find(op) == nullptr;
}

}  // namespace

// The port of `value` in the current graph and context. nullopt after Fail.
std::optional<Port> GraphBuilder::ToPort(const Output& value, std::string_view what, std::source_location at) {
  if (!value || value.builder() != this) {
    Fail(absl::InvalidArgumentError(absl::StrCat(absl::string_view(what.data(), what.size()), ": expected an output of this builder, got ",
                                                 value ? "one of another builder" : "an empty one")),
         at);
    return std::nullopt;
  }
  const std::optional<Output> here = Capture(value, state_->graph, at);
  if (!here.has_value()) return std::nullopt;
  return ResolvePort(here->port(), state_->context, what, at);
}

Output GraphBuilder::Resolve(const Output& value, std::source_location at) {
  if (!Ready()) return {};
  const std::optional<Port> port = ToPort(value, "Resolve", at);
  return port.has_value() ? Output(this, state_->graph, *port) : Output();
}

// `value` as a value of graph `index`: itself, or the argument of the function that stands for it.
std::optional<Output> GraphBuilder::Capture(const Output& value, int index, std::source_location at) {
  if (value.graph() == index) return value;
  std::vector<int> path;  // from `index` outwards to the value's graph
  for (int g = index; g != value.graph(); g = graphs_[g]->parent) {
    if (g < 0 || graphs_[g]->parent < 0) {
      Fail(absl::InvalidArgumentError(absl::StrCat("'", value.name(), "': expected a value of this graph or one around it, got one from inside a "
                                                   "function; return it from the function to use it here")),
           at);
      return std::nullopt;
    }
    path.push_back(g);
  }
  Output at_level = value;
  for (auto g = path.rbegin(); g != path.rend(); ++g) {
    BuilderGraph& graph = *graphs_[*g];
    // A function sees values as its place does: inside the branch or loop where it is defined.
    BuilderGraph& outer = *graphs_[graph.parent];
    BuilderScope scope(this);
    state_->graph = graph.parent;
    state_->context = graph.outer_context;
    state_->controller = -1;
    state_->colocation.clear();
    state_->colocated_device.clear();
    state_->name_scope.clear();
    const std::optional<Port> seen = ResolvePort(at_level.port(), graph.outer_context, at_level.name(), at);
    if (!seen.has_value()) return std::nullopt;
    const Output outside(this, graph.parent, *seen);
    const auto known = graph.captured.find(outside);
    if (known != graph.captured.end()) {
      at_level = Output(this, *g, known->second);
      continue;
    }
    const Tensor* constant = outer.ConstantValue(*seen);
    // A constant that waits for more than its branch or loop is passed, so that what uses it waits too.
    const auto waits = outer.graph.control_inputs(seen->node);
    const bool copy = constant != nullptr && constant->size_bytes() <= kCopiedConstantBytes &&
                      std::all_of(waits.begin(), waits.end(), [&](Port p) { return p.node == outer.contexts[outer.context[seen->node]].pivot; });
    state_->graph = *g;
    state_->context = kRootContext;
    const Operation made =
        copy ? AddResolved("Const", {}, outer.graph.node(seen->node).attrs, outer.graph.node(seen->node).name, {}, at)
             : AddResolved("_Arg", {}, AttrMap{{"T", outside.dtype()}, {"index", static_cast<int64_t>(graph.args.size())}},
                           outer.graph.node(seen->node).name, {}, at);
    if (!made) return std::nullopt;
    if (!copy) {
      graph.args.push_back(made.node());
      graph.capture_order.push_back(outside);
      graph.shape({made.node(), 0}) = outer.shape(*seen);
      const auto handle = outer.handles.find(*seen);
      if (handle != outer.handles.end()) graph.handles[{made.node(), 0}] = handle->second;
    }
    graph.captured.emplace(outside, Port{made.node(), 0});
    at_level = made.output();
  }
  return at_level;
}

// `port` of the current graph as `context` sees it.
std::optional<Port> GraphBuilder::ResolvePort(Port port, ContextId context, std::string_view user, std::source_location at) {
  BuilderGraph& g = current();
  const ContextId from = g.ContextOf(port);
  if (from == context) return port;
  if (g.Encloses(context, from)) {
    // From inside a branch it is a value that is only there if the branch runs; from inside a loop it is none.
    const ContextId loop = g.LoopOf(from);
    if (loop >= 0 && loop != context && g.Encloses(context, loop)) {
      Fail(absl::InvalidArgumentError(absl::StrCat("cannot use '", g.graph.PortName(port), "' as input of '", absl::string_view(user.data(), user.size()),
                                                   "': it is inside of a while loop; make it a loop variable to use its last value")),
           at);
      return std::nullopt;
    }
    return port;
  }
  // The contexts that the value has to enter, from inner to outer.
  std::vector<ContextId> entered;
  ContextId c = context;
  while (!g.Encloses(c, from)) {
    const auto known = g.contexts[c].values.find(port);
    if (known != g.contexts[c].values.end()) break;
    entered.push_back(c);
    c = g.contexts[c].parent;
  }
  Port seen = port;
  if (!g.Encloses(c, from)) {
    seen = g.contexts[c].values.at(port);
  } else if (const ContextId loop = g.LoopOf(from); loop >= 0 && loop != c && g.Encloses(c, loop)) {
    Fail(absl::InvalidArgumentError(absl::StrCat("cannot use '", g.graph.PortName(port), "' as input of '", absl::string_view(user.data(), user.size()),
                                                 "': they are in different while loops")),
         at);
    return std::nullopt;
  }
  for (auto next = entered.rbegin(); next != entered.rend(); ++next) {
    const ContextId into = *next;
    const PartialShape shape = g.shape(seen);
    const auto handle = g.handles.find(seen);
    const std::optional<HandleData> held = handle != g.handles.end() ? std::optional(handle->second) : std::nullopt;
    const DType dtype = g.graph.node(seen.node).types->outputs[seen.index].dtype;
    const bool is_ref = g.graph.node(seen.node).types->outputs[seen.index].is_ref;
    Operation made;
    Port inside;
    if (g.contexts[into].kind == Kind::kLoop) {
      BuilderScope scope = EnterContext(into);
      made = AddResolved(is_ref ? "RefEnter" : "Enter", {seen},
                         AttrMap{{"T", dtype}, {"frame_name", g.contexts[into].frame}, {"is_constant", true},
                                 {"parallel_iterations", g.contexts[into].parallel_iterations}},
                         is_ref ? "RefEnter" : "Enter", {}, at);
      if (!made) return std::nullopt;
      inside = {made.node(), 0};
      g.contexts[into].invariants.push_back(made.node());
    } else {
      BuilderScope scope = EnterContext(g.contexts[into].parent);
      const int count = g.contexts[into].num_branches;
      const int branch = g.contexts[into].branch;
      AttrMap attrs = count == 2 ? AttrMap{{"T", dtype}} : AttrMap{{"T", dtype}, {"num_outs", count}};
      const char* op = count != 2 ? "_SwitchN" : is_ref ? "RefSwitch" : "Switch";
      made = AddResolved(op, {seen, g.contexts[into].selector}, std::move(attrs), op, {}, at);
      if (!made) return std::nullopt;
      auto& branches = g.switch_branches[made.node()];
      branches.selector = g.contexts[into].selector;
      branches.contexts.assign(count, -1);
      branches.contexts[branch] = into;
      inside = {made.node(), branch};
    }
    g.shape(inside) = shape;
    if (held.has_value()) g.handles[inside] = *held;
    g.contexts[into].values.emplace(port, inside);
    seen = inside;
  }
  return seen;
}

// The node that nodes without inputs of `context` wait for.
NodeId GraphBuilder::Pivot(ContextId context, std::source_location at) {
  BuilderGraph& g = current();
  if (g.contexts[context].pivot >= 0 || g.contexts[context].kind == Kind::kRoot) return g.contexts[context].pivot;
  if (g.contexts[context].kind == Kind::kLoop) {
    // A loop that was recognised.
    if (g.contexts[context].variables.empty()) return -1;
    const Port body = g.contexts[context].variables[0].body;
    BuilderScope scope = EnterContext(context);
    const Operation made = AddResolved("Identity", {body}, AttrMap{{"T", g.graph.node(body.node).types->outputs[body.index].dtype}}, "pivot", {}, at);
    return g.contexts[context].pivot = made.node();
  }
  const Port selector = g.contexts[context].selector;
  const int branch = g.contexts[context].branch;
  const int count = g.contexts[context].num_branches;
  const DType dtype = g.graph.node(selector.node).types->outputs[selector.index].dtype;
  Operation made;
  {
    BuilderScope scope = EnterContext(g.contexts[context].parent);
    const std::optional<Port> seen = ResolvePort(selector, g.contexts[context].parent, "pivot", at);
    if (!seen.has_value()) return -1;
    made = AddResolved(count == 2 ? "Switch" : "_SwitchN", {*seen, *seen},
                       count == 2 ? AttrMap{{"T", dtype}} : AttrMap{{"T", dtype}, {"num_outs", count}},
                       "pivot_switch", {}, at);
    if (!made) return -1;
    auto& branches = g.switch_branches[made.node()];
    branches.selector = selector;
    branches.contexts.assign(count, -1);
    branches.contexts[branch] = context;
  }
  BuilderScope scope = EnterContext(context);
  const Operation pivot =
      AddResolved("Identity", {Port{made.node(), branch}}, AttrMap{{"T", dtype}}, "pivot", {}, at);
  if (!pivot) return -1;
  return g.contexts[context].pivot = pivot.node();
}

// Fits the control inputs of a node that is made in a branch or loop: those from outside of a loop are replaced by what the loop can
// wait for, and a node that nothing of its context would start waits for the pivot. False after Fail.
bool GraphBuilder::FitControls(std::string_view op, absl::Span<const Port> inputs, absl::InlinedVector<NodeId, 4>* controls,
                               std::source_location at) {
  BuilderGraph& g = current();
  const ContextId context = state_->context;
  const ContextId loop = g.LoopOf(context);
  if (loop >= 0) {
    for (NodeId& control : *controls) {
      if (g.Encloses(loop, g.context[control])) continue;
      // An outside node: a constant outside waits for it, and enters.
      auto anchor = g.anchors.find(control);
      if (anchor == g.anchors.end()) {
        BuilderScope scope = EnterContext(g.context[control]);
        const Operation made = AddResolved("Const", {}, AttrMap{{"value", Tensor::Scalar(true)}, {"dtype", DType::kBool}},
                                           absl::StrCat(absl::string_view(g.graph.node(control).name.data(), g.graph.node(control).name.size()), "/done"),
                                           {control}, at);
        if (!made) return false;
        anchor = g.anchors.emplace(control, Port{made.node(), 0}).first;
      }
      const std::optional<Port> seen = ResolvePort(anchor->second, context, op, at);
      if (!seen.has_value()) return false;
      control = seen->node;
    }
  }
  const auto starts = [&](NodeId node) {
    return g.context[node] == context && !(g.graph.node(node).op() == "Enter" || g.graph.node(node).op() == "RefEnter");
  };
  // In a branch every data input comes through a Switch of it, or from within it; in a loop constant Enters start nothing.
  const bool is_loop = g.contexts[context].kind == Kind::kLoop;
  bool started = std::any_of(controls->begin(), controls->end(), starts);
  for (const Port& p : inputs) {
    started |= !is_loop || starts(p.node) || g.ContextOf(p) != context;
  }
  if (!started || (CallsFunction(op, registry_) && g.contexts[context].pivot >= 0)) {
    const NodeId pivot = Pivot(context, at);
    if (pivot < 0) return status_.ok();
    if (std::find(controls->begin(), controls->end(), pivot) == controls->end()) controls->push_back(pivot);
  }
  return status_.ok();
}

}  // namespace flowlatch
