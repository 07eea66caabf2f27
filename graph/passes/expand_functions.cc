#include "graph/passes/expand_functions.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graph/base/status_macros.h"
#include "graph/passes/inline_functions.h"
#include "graph/passes/lower_control_flow.h"
#include "graph/passes/unused_effects.h"

namespace flowlatch {
namespace {

// What is nested deeper, or would add more nodes, stays a call. Each level copies the graph once.
constexpr int kMaxDepth = 64;
constexpr int64_t kMaxGrowth = 1 << 17;

class Expander {
 public:
  Expander(const Graph& graph, const StepPorts& step, FunctionalForm form)
      : form_(form),
        max_nodes_(graph.num_nodes() + kMaxGrowth),
        graph_(&graph),
        step_(step),
        origin_(graph.num_nodes(), 0),
        origins_(1),
        made_for_(graph.num_nodes(), MadeFor::kNothing) {}

  // Level by level, since what a body needs of those that it calls is known when it stands in the graph.
  absl::StatusOr<std::optional<ExpandedFunctions>> Run() {
    if (!HasCandidates()) return std::nullopt;
    while (true) {
      FindNeeded();
      const bool any_op = ChooseOps();
      if (any_op) {
        RETURN_IF_ERROR(Lower());
        FindNeeded();
      }
      const bool any_call = ChooseCalls();
      if (any_call) RETURN_IF_ERROR(Inline());
      if (!any_op && !any_call) break;
    }
    if (!made_.has_value()) return std::nullopt;
    return ExpandedFunctions{*std::move(made_), std::move(step_)};
  }

 private:
  // The functions that a node stands in. The first is the main graph.
  struct Origin {
    std::string function;
    int outer = -1;
    int depth = 0;
  };
  enum class MadeFor : uint8_t { kNothing, kBranch, kBranchWithEffects };

  bool IsCandidate(NodeId node) const;
  bool HasCandidates() const;
  // Marks what the step needs: needed_; and, feeds or not, everything that stands before its fetches and targets:
  // kept_.
  void FindNeeded();
  std::vector<bool> Ancestors(bool behind_feeds, const std::vector<UnusedParts>* parts_of_marked) const;
  // Decide what to do next; false if it is nothing.
  bool ChooseOps();
  bool CanLower(NodeId node) const;
  bool ChooseCalls();
  void ChooseMarkedOps();
  std::vector<OpUse> UsesOfMarked() const;
  bool MayInline(NodeId node, int64_t* num_nodes) const;
  absl::Status Lower();
  absl::Status Inline();
  void MoveTo(RewrittenGraph rewritten, const absl::flat_hash_map<NodeId, int>& origin_of_inlined);

  const FunctionalForm form_;
  const int64_t max_nodes_;
  const Graph* graph_;  // the given one, or made_
  std::optional<Graph> made_;
  StepPorts step_;
  std::vector<int> origin_;  // by node, into origins_
  std::vector<Origin> origins_;
  std::vector<MadeFor> made_for_;  // by node: calls that lowering made

  absl::flat_hash_set<Port> fed_;
  absl::flat_hash_set<NodeId> fed_nodes_;
  std::vector<bool> needed_, kept_;
  std::vector<NodeId> marked_;     // ops that may be lowered if that can be noticed
  std::vector<int> marked_index_;  // by node, into marked_; -1: none
  std::vector<Lowering> lowering_;
  std::vector<Inlining> inlining_;
};

// Whether the form asks to look at the node at all.
bool Expander::IsCandidate(NodeId id) const {
  const Node& node = graph_->node(id);
  if (FunctionalKindOf(*node.schema) != FunctionalKind::kNone)
    return form_ == FunctionalForm::kLowered || IsMarkedForLowering(node);
  return form_ == FunctionalForm::kLowered && AsFunctionCall(*graph_, id).has_value();
}

bool Expander::HasCandidates() const {
  absl::flat_hash_map<const NodeTypes*, bool> known;  // nodes with the same schema and attributes share their types
  for (NodeId id = 0; id < graph_->num_nodes(); ++id) {
    const auto [at, is_new] = known.try_emplace(graph_->node(id).types, false);
    if (is_new) at->second = IsCandidate(id);
    if (at->second) return true;
  }
  return false;
}

// `parts_of_marked`: marked ops need no more than these say.
std::vector<bool> Expander::Ancestors(bool behind_feeds, const std::vector<UnusedParts>* parts_of_marked) const {
  std::vector<bool> seen(graph_->num_nodes());
  std::vector<NodeId> stack;
  const auto push = [&](NodeId id) {
    if (seen[id]) return;
    seen[id] = true;
    stack.push_back(id);
  };
  const auto push_port = [&](Port port) {
    if (behind_feeds || !fed_.contains(port)) push(port.node);
  };
  for (const Port port : step_.fetches) push_port(port);
  for (const NodeId target : step_.targets) push(target);
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    const std::vector<bool>* needed = nullptr;
    if (parts_of_marked != nullptr && marked_index_[id] >= 0)
      needed = &(*parts_of_marked)[marked_index_[id]].inputs_needed;
    const absl::Span<const Port> inputs = graph_->inputs(id);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (needed == nullptr || (*needed)[i]) push_port(inputs[i]);
    }
    for (const Port port : graph_->control_inputs(id)) push(port.node);
  }
  return seen;
}

void Expander::FindNeeded() {
  fed_.clear();
  fed_nodes_.clear();
  for (const Port port : step_.feeds) {
    fed_.insert(port);
    fed_nodes_.insert(port.node);
  }
  needed_ = Ancestors(false, nullptr);
  // What is fed is kept with its inputs, so that the graph stays whole.
  std::vector<NodeId> targets = step_.targets;
  for (const Port port : step_.feeds) step_.targets.push_back(port.node);
  kept_ = Ancestors(true, nullptr);
  step_.targets = std::move(targets);
}

// Ops whose functions do not exist are left to tell so themselves.
bool Expander::CanLower(NodeId id) const {
  const Node& node = graph_->node(id);
  if (!needed_[id] || FunctionalKindOf(*node.schema) == FunctionalKind::kNone || fed_nodes_.contains(id) ||
      origins_[origin_[id]].depth >= kMaxDepth || graph_->num_nodes() >= max_nodes_)
    return false;
  const std::vector<FunctionRef> functions = FunctionsOf(node);
  return !functions.empty() && std::all_of(functions.begin(), functions.end(), [&](const FunctionRef& function) {
    return FunctionLibrary::Instantiate(graph_->shared_library(), function.name, function.attrs).ok();
  });
}

bool Expander::ChooseOps() {
  lowering_.assign(graph_->num_nodes(), Lowering::kLeaveOut);
  marked_.clear();
  marked_index_.assign(graph_->num_nodes(), -1);
  bool any = false;
  for (NodeId id = 0; id < graph_->num_nodes(); ++id) {
    if (kept_[id]) lowering_[id] = Lowering::kCopy;
    const Node& node = graph_->node(id);
    if (!CanLower(id)) continue;
    const bool is_marked = IsMarkedForLowering(node);
    if (form_ == FunctionalForm::kLowered) {
      lowering_[id] = is_marked ? Lowering::kLower : Lowering::kLowerWithEffects;
      any = true;
    } else if (is_marked) {
      marked_index_[id] = static_cast<int>(marked_.size());
      marked_.push_back(id);
    }
  }
  if (marked_.empty()) return any;
  ChooseMarkedOps();
  return std::any_of(marked_.begin(), marked_.end(), [&](NodeId id) { return lowering_[id] == Lowering::kLower; });
}

std::vector<OpUse> Expander::UsesOfMarked() const {
  std::vector<OpUse> uses(marked_.size());
  for (size_t i = 0; i < marked_.size(); ++i) uses[i].outputs.resize(graph_->node(marked_[i]).num_outputs());
  for (NodeId id = 0; id < graph_->num_nodes(); ++id) {
    if (!needed_[id]) continue;
    for (const Port port : graph_->inputs(id)) {
      if (marked_index_[port.node] >= 0) uses[marked_index_[port.node]].outputs[port.index] = true;
    }
    for (const Port port : graph_->control_inputs(id)) {
      if (marked_index_[port.node] >= 0) uses[marked_index_[port.node]].is_awaited = true;
    }
  }
  const auto use_all = [&](NodeId node) {
    if (marked_index_[node] >= 0) uses[marked_index_[node]].as_a_whole = true;
  };
  for (const Port port : step_.fetches) use_all(port.node);
  for (const NodeId target : step_.targets) use_all(target);
  return uses;
}

// A called op costs less than a lowered one, so an op is lowered only for what is left out then: in its functions, or
// before it.
void Expander::ChooseMarkedOps() {
  const std::vector<OpUse> uses = UsesOfMarked();
  std::vector<UnusedParts> parts;
  for (size_t i = 0; i < marked_.size(); ++i) {
    parts.push_back(FindUnusedParts(*graph_, marked_[i], uses[i]));
    if (parts[i].matters) lowering_[marked_[i]] = Lowering::kLower;
  }
  const std::vector<bool> still_needed = Ancestors(false, &parts);
  bool loss_matters = false;
  for (NodeId id = 0; id < graph_->num_nodes() && !loss_matters; ++id)
    loss_matters = needed_[id] && !still_needed[id] && !IsUnnoticed(*graph_, id);
  if (!loss_matters) return;
  for (const NodeId id : marked_) {
    const absl::Span<const Port> inputs = graph_->inputs(id);
    if (std::any_of(inputs.begin(), inputs.end(),
                    [&](Port port) { return needed_[port.node] && !still_needed[port.node]; }))
      lowering_[id] = Lowering::kLower;
  }
}

// `num_nodes`: of the graph so far; grows by the body's.
bool Expander::MayInline(NodeId id, int64_t* num_nodes) const {
  const std::optional<FunctionCall> call = AsFunctionCall(*graph_, id);
  if (!call.has_value() || fed_nodes_.contains(id) || IsNoInline(*graph_, call->function)) return false;
  const Origin* origin = &origins_[origin_[id]];
  if (origin->depth >= kMaxDepth) return false;
  for (; origin->outer >= 0; origin = &origins_[origin->outer]) {
    if (origin->function == call->function.name) return false;  // recursive
  }
  const auto body = FunctionLibrary::Instantiate(graph_->shared_library(), call->function.name, call->function.attrs);
  if (!body.ok()) return false;  // the call tells why
  *num_nodes += (*body)->graph->num_nodes();
  return *num_nodes <= max_nodes_;
}

bool Expander::ChooseCalls() {
  inlining_.assign(graph_->num_nodes(), Inlining::kLeaveOut);
  int64_t num_nodes = graph_->num_nodes();
  bool any = false;
  for (NodeId id = 0; id < graph_->num_nodes(); ++id) {
    if (!kept_[id]) continue;
    inlining_[id] = Inlining::kCopy;
    const bool is_wanted = form_ == FunctionalForm::kLowered || made_for_[id] != MadeFor::kNothing;
    if (!needed_[id] || !is_wanted || !MayInline(id, &num_nodes)) continue;
    inlining_[id] = made_for_[id] == MadeFor::kBranch ? Inlining::kInlineBranch : Inlining::kInline;
    any = true;
  }
  return any;
}

absl::Status Expander::Lower() {
  ASSIGN_OR_RETURN(LoweredControlFlow lowered, LowerControlFlow(*graph_, lowering_));
  MoveTo(std::move(lowered.rewritten), {});
  for (const NodeId call : lowered.branches) made_for_[call] = MadeFor::kBranch;
  for (const NodeId call : lowered.branches_with_effects) made_for_[call] = MadeFor::kBranchWithEffects;
  return absl::OkStatus();
}

absl::Status Expander::Inline() {
  ASSIGN_OR_RETURN(InlinedFunctions inlined, InlineFunctions(*graph_, inlining_));
  absl::flat_hash_map<NodeId, int> origins;
  for (NodeId id = 0; id < graph_->num_nodes(); ++id) {
    if (inlining_[id] == Inlining::kLeaveOut || inlining_[id] == Inlining::kCopy) continue;
    origins.emplace(id, static_cast<int>(origins_.size()));
    origins_.push_back({AsFunctionCall(*graph_, id)->function.name, origin_[id], origins_[origin_[id]].depth + 1});
  }
  MoveTo(std::move(inlined.rewritten), origins);
  step_.targets.insert(step_.targets.end(), inlined.effects.begin(), inlined.effects.end());
  return absl::OkStatus();
}

void Expander::MoveTo(RewrittenGraph rewritten, const absl::flat_hash_map<NodeId, int>& origin_of_inlined) {
  const size_t n = rewritten.stem.size();
  std::vector<int> origin(n);
  std::vector<MadeFor> made_for(n, MadeFor::kNothing);
  for (size_t id = 0; id < n; ++id) {
    const NodeId stem = rewritten.stem[id];
    const auto inlined = origin_of_inlined.find(stem);
    origin[id] = inlined != origin_of_inlined.end() ? inlined->second : origin_[stem];
    if (rewritten.node_of[stem] == static_cast<NodeId>(id)) {
      origin[id] = origin_[stem];
      made_for[id] = made_for_[stem];
    }
  }
  origin_ = std::move(origin);
  made_for_ = std::move(made_for);
  for (Port& port : step_.feeds) port.node = rewritten.node_of[port.node];
  for (Port& port : step_.fetches) port.node = rewritten.node_of[port.node];
  for (NodeId& target : step_.targets) target = rewritten.node_of[target];
  made_ = std::move(rewritten.graph);
  graph_ = &*made_;
}

}  // namespace

absl::StatusOr<std::optional<ExpandedFunctions>> ExpandFunctions(const Graph& graph, const StepPorts& step,
                                                                 FunctionalForm form) {
  if (form == FunctionalForm::kCalled || graph.library().empty()) return std::nullopt;
  return Expander(graph, step, form).Run();
}

}  // namespace flowlatch
