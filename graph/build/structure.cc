#include "graph/build/structure.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace flowlatch {
namespace {

using Kind = ControlFlowContext::Kind;

class Recogniser {
 public:
  Recogniser(BuilderGraph* graph, NodeId first, ContextId base) : g_(*graph), first_(first), end_(graph->graph.num_nodes()), base_(base) {}

  void Run() {
    for (NodeId id = first_; id < end_; ++id) {
      g_.context[id] = base_;
      if (IsEnter(id)) frames_[FrameName(id)].enters.push_back(id);
    }
    if (frames_.empty() && !HasSwitch()) return;
    Visit();
    for (NodeId id = first_; id < end_; ++id) AddToLoop(id);
    for (auto& [name, frame] : frames_) {
      if (frame.context < 0) continue;
      // A variable that is never used after its Merge has no gradient.
      auto& variables = g_.contexts[frame.context].variables;
      std::erase_if(variables, [](const LoopVariable& v) { return v.loop_switch < 0; });
    }
  }

 private:
  struct Frame {
    std::vector<NodeId> enters;
    ContextId context = -1;
    int pending = 0;  // inputs of its Enters whose context is not known yet
  };

  const Node& node(NodeId id) const { return g_.graph.node(id); }
  bool Is(NodeId id, std::string_view op, std::string_view ref_op) const { return node(id).op() == op || node(id).op() == ref_op; }
  bool IsEnter(NodeId id) const { return Is(id, "Enter", "RefEnter"); }
  bool IsSwitch(NodeId id) const { return Is(id, "Switch", "RefSwitch") || node(id).op() == "_SwitchN"; }
  bool IsMerge(NodeId id) const { return Is(id, "Merge", "RefMerge"); }
  bool IsNextIteration(NodeId id) const { return Is(id, "NextIteration", "RefNextIteration"); }
  bool IsLoopSwitch(NodeId id) const { return IsSwitch(id) && node(g_.Source(g_.graph.inputs(id)[1]).node).op() == "LoopCond"; }
  bool HasSwitch() const {
    for (NodeId id = first_; id < end_; ++id) {
      if (IsSwitch(id)) return true;
    }
    return false;
  }
  std::string FrameName(NodeId id) const {
    const Attr* name = node(id).attrs.Find("frame_name");
    return name != nullptr && name->Get<std::string>() != nullptr ? *name->Get<std::string>() : "";
  }

  // Nodes after what they wait for; the Enters of a frame after all that enters it.
  void Visit() {
    const int n = end_ - first_;
    std::vector<int> pending(n, 0);
    std::vector<std::vector<NodeId>> consumers(n);
    const auto for_each_input = [&](NodeId id, auto&& visit) {
      for (const Port p : g_.graph.inputs(id)) {
        if (p.node >= first_ && !(IsMerge(id) && IsNextIteration(p.node))) visit(p.node);
      }
      for (const Port p : g_.graph.control_inputs(id)) {
        if (p.node >= first_) visit(p.node);
      }
    };
    std::vector<NodeId> ready;
    for (NodeId id = first_; id < end_; ++id) {
      for_each_input(id, [&](NodeId from) {
        consumers[from - first_].push_back(id);
        ++pending[id - first_];
        if (IsEnter(id)) ++frames_[FrameName(id)].pending;
      });
      if (pending[id - first_] == 0 && !IsEnter(id)) ready.push_back(id);
    }
    const auto start_frame = [&](Frame& frame) {
      ContextId parent = base_;
      for (const NodeId enter : frame.enters) parent = Deeper(parent, ContextByInputs(enter));
      const NodeId first = frame.enters[0];
      const Attr* parallel = node(first).schema->AttrOrDefault(node(first).attrs, "parallel_iterations");
      const int64_t* iterations = parallel != nullptr ? parallel->Get<int64_t>() : nullptr;
      frame.context = g_.Loop(FrameName(first), iterations != nullptr ? *iterations : 10, parent, -1);
      for (const NodeId enter : frame.enters) {
        g_.context[enter] = frame.context;
        ready.push_back(enter);
      }
    };
    for (auto& [name, frame] : frames_) {
      if (frame.pending == 0) start_frame(frame);
    }
    for (size_t i = 0; i < ready.size(); ++i) {
      const NodeId id = ready[i];
      if (!IsEnter(id)) Place(id);
      for (const NodeId to : consumers[id - first_]) {
        if (IsEnter(to)) {
          Frame& frame = frames_[FrameName(to)];
          if (--frame.pending == 0) start_frame(frame);
        } else if (--pending[to - first_] == 0) {
          ready.push_back(to);
        }
      }
    }
  }

  ContextId Deeper(ContextId a, ContextId b) const { return g_.contexts[b].depth > g_.contexts[a].depth ? b : a; }
  ContextId Common(ContextId a, ContextId b) const {
    while (a != b) (g_.contexts[a].depth > g_.contexts[b].depth ? a : b) = g_.contexts[g_.contexts[a].depth > g_.contexts[b].depth ? a : b].parent;
    return a;
  }
  ContextId ContextByInputs(NodeId id) {
    ContextId c = base_;
    for (const Port p : g_.graph.inputs(id)) c = Deeper(c, g_.ContextOf(p));
    for (const Port p : g_.graph.control_inputs(id)) c = Deeper(c, g_.context[p.node]);
    return c;
  }

  void Place(NodeId id) {
    const auto inputs = g_.graph.inputs(id);
    if (IsMerge(id)) {
      ContextId c = -1;
      for (const Port p : inputs) {
        if (IsNextIteration(p.node)) continue;
        const ContextId from = g_.ContextOf(p);
        c = c < 0 ? from : Common(c, from);
      }
      g_.context[id] = c < 0 ? base_ : c;
    } else if (Is(id, "Exit", "RefExit")) {
      const ContextId loop = g_.LoopOf(g_.ContextOf(inputs[0]));
      g_.context[id] = loop >= 0 ? g_.contexts[loop].parent : base_;
    } else if (IsSwitch(id)) {
      g_.context[id] = ContextByInputs(id);
      if (!IsLoopSwitch(id)) {
        // Identities of one value choose alike.
        BuilderGraph::SwitchBranches& branches = g_.switch_branches[id];
        branches.selector = g_.Source(inputs[1]);
        branches.contexts.assign(node(id).num_outputs(), -1);
      }
    } else {
      g_.context[id] = ContextByInputs(id);
    }
  }

  // Enters a node of a loop's structure in the loop's context. Nodes come in any order.
  void AddToLoop(NodeId id) {
    const auto inputs = g_.graph.inputs(id);
    if (IsEnter(id)) {
      const Attr* constant = node(id).attrs.Find("is_constant");
      if (constant == nullptr || constant->Get<bool>() == nullptr || !*constant->Get<bool>()) return;
      ControlFlowContext& loop = g_.contexts[g_.context[id]];
      if (loop.kind != Kind::kLoop) return;
      loop.invariants.push_back(id);
      loop.values.emplace(inputs[0], Port{id, 0});
    } else if (node(id).op() == "LoopCond") {
      const ContextId loop = g_.LoopOf(g_.context[id]);
      if (loop >= 0) g_.contexts[loop].loop_cond = id;
    } else if (IsMerge(id)) {
      if (LoopVariable* v = VariableOf(id)) v->merge = id;
    } else if (IsSwitch(id) && IsMerge(inputs[0].node) && IsLoopSwitch(id)) {
      LoopVariable* v = VariableOf(inputs[0].node);
      if (v == nullptr || v->loop_switch >= 0) return;
      v->loop_switch = id;
      v->body = {id, 1};
      for (const NodeId exit : exits_[id]) v->exit = exit;
    } else if (Is(id, "Exit", "RefExit") && IsSwitch(inputs[0].node)) {
      const NodeId loop_switch = inputs[0].node;
      exits_[loop_switch].push_back(id);
      LoopVariable* v = IsMerge(g_.graph.inputs(loop_switch)[0].node) ? VariableOf(g_.graph.inputs(loop_switch)[0].node) : nullptr;
      if (v != nullptr && v->loop_switch == loop_switch) v->exit = id;
    }
  }

  // The variable whose Merge this is: of an Enter and a NextIteration.
  LoopVariable* VariableOf(NodeId merge) {
    const auto inputs = g_.graph.inputs(merge);
    if (inputs.size() != 2) return nullptr;
    const int back = IsNextIteration(inputs[1].node) ? 1 : 0;
    if (!IsNextIteration(inputs[back].node) || !IsEnter(inputs[1 - back].node)) return nullptr;
    const NodeId enter = inputs[1 - back].node;
    ControlFlowContext& loop = g_.contexts[g_.context[enter]];
    if (loop.kind != Kind::kLoop) return nullptr;
    const auto [at, is_new] = variable_of_.try_emplace(merge, loop.variables.size());
    if (is_new) {
      LoopVariable v;
      v.enter = enter;
      v.merge = merge;
      v.next_iteration = inputs[back].node;
      loop.variables.push_back(v);
    }
    return &loop.variables[at->second];
  }

  BuilderGraph& g_;
  const NodeId first_, end_;
  const ContextId base_;
  absl::flat_hash_map<std::string, Frame> frames_;
  absl::flat_hash_map<NodeId, size_t> variable_of_;  // by Merge
  absl::flat_hash_map<NodeId, std::vector<NodeId>> exits_;  // by Switch
};

}  // namespace

void RecogniseContexts(BuilderGraph* graph, NodeId first, ContextId base) { Recogniser(graph, first, base).Run(); }

}  // namespace flowlatch
