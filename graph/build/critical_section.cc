#include "graph/build/critical_section.h"

#include <algorithm>
#include <utility>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "graph/build/builder_graph.h"

namespace flowlatch {
namespace {

// The sections of this thread, where their builders are too.
thread_local std::vector<CriticalSection*> sections_here;

// The value that `value` stands for: through Switch, Enter and Identity, and out of functions that captured it.
Output SourceOf(GraphBuilder& b, const Output& value) {
  int index = value.graph();
  Port port = value.port();
  for (;;) {
    const BuilderGraph& g = b.graph_at(index);
    const std::string& op = g.graph.node(port.node).op();
    if (op == "Enter" || op == "RefEnter" || op == "Switch" || op == "RefSwitch" || op == "_SwitchN" || op == "Identity") {
      port = g.graph.inputs(port.node)[0];
      continue;
    }
    const auto captured = std::find_if(g.captured.begin(), g.captured.end(), [&](const auto& c) { return c.second == port; });
    if (captured == g.captured.end()) return Output(&b, index, port);
    index = captured->first.graph();
    port = captured->first.port();
  }
}

}  // namespace

// The nodes of the current graph that were made under one set of control dependencies since this was made.
class CriticalSection::Body {
 public:
  explicit Body(GraphBuilder& b)
      : b_(b),
        g_(b.current()),
        graph_(b.state().graph),
        context_(b.state().context),
        controller_(b.state().controller),
        first_node_(g_.graph.num_nodes()),
        first_context_(static_cast<ContextId>(g_.contexts.size())) {}
  // Nothing more belongs to it.
  void End() {
    for (NodeId node = first_node_; node < g_.graph.num_nodes(); ++node) nodes_.push_back(IsMadeInside(node));
  }
  // Requires: End was called.
  bool Contains(NodeId node) const { return node >= first_node_ && node < end_node() && nodes_[node - first_node_]; }
  // Calls visit(port), which leaves the graph as it is, for each data input (index >= 0) and control input (index < 0) from
  // outside.
  template <typename Visit>
  void ForEachOutsideInput(const Visit& visit) const {
    for (NodeId node = first_node_; node < end_node(); ++node) {
      if (!Contains(node)) continue;
      for (const Port port : g_.graph.inputs(node)) {
        if (!Contains(port.node)) visit(port);
      }
      for (const Port port : g_.graph.control_inputs(node)) {
        if (!Contains(port.node)) visit(Port{port.node, -1});
      }
    }
  }
  // The nodes on which no other of the body depends, as far as others can wait for them.
  std::vector<Operation> Ends() const {
    absl::flat_hash_set<NodeId> used;
    for (NodeId node = first_node_; node < end_node(); ++node) {
      if (!Contains(node)) continue;
      for (const Port port : g_.graph.inputs(node)) used.insert(port.node);
      for (const Port port : g_.graph.control_inputs(node)) used.insert(port.node);
    }
    std::vector<Operation> ends;
    for (NodeId node = first_node_; node < end_node(); ++node) {
      if (Contains(node) && g_.context[node] == context_ && !used.contains(node)) ends.emplace_back(&b_, graph_, node);
    }
    return ends;
  }
  Output OutputOf(Port port) const { return Output(&b_, graph_, port); }
  bool IsResource(Port port) const {
    return port.index >= 0 && g_.graph.node(port.node).types->outputs[port.index].dtype == DType::kResource;
  }

 private:
  NodeId end_node() const { return first_node_ + static_cast<NodeId>(nodes_.size()); }
  // Whether it is in a branch or loop of the body, or under the control dependencies, or takes something from such a node. What
  // brings values from outside into branches and loops around the body is no part of it, though it was made meanwhile.
  bool IsMadeInside(NodeId node) const {
    if (g_.context[node] >= first_context_) return true;
    for (int32_t c = g_.controller[node]; c >= 0; c = g_.controllers[c].parent) {
      if (c == controller_) return true;
    }
    const auto is_new = [&](ContextId context) { return context >= first_context_; };
    const auto into = g_.switch_branches.find(node);
    if (into != g_.switch_branches.end() && std::any_of(into->second.contexts.begin(), into->second.contexts.end(), is_new)) {
      return true;
    }
    const auto inputs = g_.graph.inputs(node);
    return std::any_of(inputs.begin(), inputs.end(), [&](Port port) { return Contains(port.node); });
  }

  GraphBuilder& b_;
  BuilderGraph& g_;
  const int graph_;
  const ContextId context_;
  const int32_t controller_;
  const NodeId first_node_;
  const ContextId first_context_;
  std::vector<bool> nodes_;  // from first_node_ on: whether they belong to it
};

CriticalSection::CriticalSection(GraphBuilder& b, std::string_view name, const CriticalSectionOptions& options,
                                 std::source_location at)
    : b_(b), name_(name) {
  BuilderScope init = b.InitScope();
  BuilderScope scope = b.NameScope(name);
  std::string shared_name(options.shared_name);
  if (shared_name.empty() && b.ok()) {
    shared_name = b.state().name_scope;
    if (!shared_name.empty()) shared_name.pop_back();  // the slash
  }
  mutex_ = b.Op("MutexV2", {}, {{"shared_name", shared_name}}, "mutex", at).output();
  sections_here.push_back(this);
}

CriticalSection::~CriticalSection() { std::erase(sections_here, this); }

Output CriticalSection::Execute(const std::function<Output()>& body, const ExecuteOptions& options, std::source_location at) {
  return Execute([&] { return Outputs{body()}; }, options, at)[0];
}

Outputs CriticalSection::Execute(const std::function<Outputs()>& body, const ExecuteOptions& options, std::source_location at) {
  if (!b_.ok()) return {};
  if (executing_) {
    b_.Fail(absl::InvalidArgumentError(absl::StrCat("critical section '", name_,
                                                    "': expected bodies that do not execute the section again, got one that does")),
            at);
    return {};
  }
  BuilderScope scope = b_.NameScope(options.name);
  const Operation ready = b_.Op("NoOp", {}, {}, "ready", at);
  Output lock;
  {
    BuilderScope when_ready = b_.ControlDependencies({ready}, at);
    lock = b_.Op("MutexLock", {mutex_}, {}, "lock", at).output();
  }
  if (!lock) return {};
  Outputs results;
  std::vector<Operation> ends;
  {
    BuilderScope locked = b_.ControlDependencies({lock}, at);
    Body inside(b_);
    executing_ = true;
    results = body();
    executing_ = false;
    // References are read here, not when somebody uses the result.
    for (Output& result : results) result = b_.Op("Identity", {result}, {}, "result", at).output();
    if (!b_.ok()) return {};
    inside.End();
    if (!CheckResources(inside, options.exclusive_resource_access, at)) return {};
    ends = inside.Ends();
    absl::btree_set<NodeId> awaited;
    inside.ForEachOutsideInput([&](Port port) { awaited.insert(port.node); });
    awaited.erase(lock.port().node);
    for (const NodeId node : awaited) b_.current().graph.AddControlInput(ready.node(), node);
  }
  const Operation release = [&] {
    BuilderScope done = b_.ControlDependencies(ends, at);
    return b_.Op("ConsumeMutexLock", {lock}, {}, "release", at);
  }();
  if (!release) return {};
  BuilderScope released = b_.ControlDependencies({release}, at);
  for (Output& result : results) result = b_.Op("Identity", {result}, {}, "output", at).output();
  return results;
}

// Sees to the rules about the resources that a body uses, and keeps them for bodies to come.
bool CriticalSection::CheckResources(const Body& body, bool exclusive, std::source_location at) {
  const Output mutex = SourceOf(b_, mutex_);
  std::vector<Output> sources;
  body.ForEachOutsideInput([&](Port port) {
    if (!body.IsResource(port)) return;
    const Output source = SourceOf(b_, body.OutputOf(port));
    if (std::find(sources.begin(), sources.end(), source) == sources.end()) sources.push_back(source);
  });
  for (const Output& source : sources) {
    if (source == mutex) {
      b_.Fail(absl::InvalidArgumentError(absl::StrCat(
                  "critical section '", name_, "': expected bodies that do not use its mutex, got one that passes it to a function")),
              at);
      return false;
    }
    for (const CriticalSection* other : sections_here) {
      if (other == this || &other->b_ != &b_) continue;
      for (const UsedResource& used : other->used_) {
        if (used.source != source || !(used.exclusive || exclusive)) continue;
        b_.Fail(absl::InvalidArgumentError(absl::StrCat(
                    "critical section '", name_, "': expected resources that no other section uses, got '", source.name(), "', which '",
                    other->name_, "' uses; both may with exclusive_resource_access = false")),
                at);
        return false;
      }
    }
    used_.push_back({source, exclusive});
  }
  return true;
}

}  // namespace flowlatch
