// Chains of nodes that one kernel computes in one pass over memory (docs/decisions/0009_chains_have_one_kernel.md,
// 0014_siblings_change_a_variable_together.md).
#include <algorithm>
#include <array>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "runtime/plan/chain.h"
#include "runtime/plan/plan_builder.h"
#include "runtime/resource/racy_access.h"

namespace flowlatch {
namespace {

constexpr size_t kMaxChain = 3;
constexpr uint32_t kMaxSiblings = 64;  // a step looks after so many nodes whether it was cancelled
// How far a node may move to join the others, so that planning stays linear.
constexpr uint32_t kMaxMove = 1024;

// Ops in a row, each of which reads the first output of the one before. Longer ones stand first.
struct ChainPattern {
  std::array<std::string_view, kMaxChain> ops;
  std::array<Visible, kMaxChain> visible;

  size_t size() const { return ops.size() - static_cast<size_t>(std::count(ops.begin(), ops.end(), "")); }
};

constexpr Visible kNone = Visible::kNone, kAllButFirst = Visible::kAllButFirst, kAll = Visible::kAll;

constexpr ChainPattern kPatterns[] = {
    {{"Conv2D", "BiasAdd", "Relu"}, {kNone, kNone, kAll}},
    {{"Conv2D", "BiasAdd"}, {kNone, kAll}},
    {{"Conv2D", "FusedBatchNormV3", "Relu"}, {kNone, kNone, kAll}},
    {{"Conv2D", "FusedBatchNormV3", "Relu6"}, {kNone, kNone, kAll}},
    {{"DepthwiseConv2dNative", "FusedBatchNormV3", "Relu"}, {kNone, kNone, kAll}},
    {{"DepthwiseConv2dNative", "FusedBatchNormV3", "Relu6"}, {kNone, kNone, kAll}},
    {{"FusedBatchNormV3", "Relu"}, {kAllButFirst, kAll}},
    {{"MaxPoolGrad", "ReluGrad", "BiasAddGrad"}, {kNone, kAll, kAll}},
};

// Ops that change the variable of their first input, by element; siblings may be of several ops of a family.
constexpr std::array<std::string_view, 2> kSiblings[] = {
    {"AssignAdd", "AssignSub"},
    {"AssignAddVariableOp", "AssignSubVariableOp"},
};

bool IsVariable(std::string_view op) { return op == "VariableV2" || op == "Variable" || op == "VarHandleOp"; }

// Null: nodes of the op have no siblings.
const std::array<std::string_view, 2>* FamilyOf(std::string_view op) {
  const auto holds = [op](const auto& family) { return std::count(family.begin(), family.end(), op) > 0; };
  const auto at = std::find_if(std::begin(kSiblings), std::end(kSiblings), holds);
  return at != std::end(kSiblings) ? at : nullptr;
}

}  // namespace

// The position of the node with that op that reads the first output of `node` through its first input; -1 if there is none, or
// if others read what is not visible.
int32_t PlanBuilder::NextInChain(NodeId node, Visible visible, std::string_view op) const {
  for (int32_t i = 1; visible == Visible::kNone && i < graph_.node(node).num_outputs(); ++i) {
    if (readers_.contains(Port{node, i})) return -1;
  }
  const auto readers = readers_.find(Port{node, 0});
  if (readers == readers_.end() || (visible != Visible::kAll && readers->second.size() != 1)) return -1;
  for (const NodeId reader : readers->second) {
    if (reader < 0 || graph_.node(reader).op() != op || graph_.inputs(reader)[0] != Port{node, 0}) continue;
    return instruction_of_[reader];
  }
  return -1;
}

bool PlanBuilder::MayChain(uint32_t i) const {
  return kinds_[i] == NodeKind::kKernel && plan_->instructions[i].reference_check == 0 && HasNoEffect(needed_[i]);
}

void PlanBuilder::FindReaders() {
  if (!readers_.empty()) return;
  constexpr NodeId kFetch = -1;
  for (const NodeId id : needed_) {
    for (const Port port : graph_.inputs(id)) {
      if (!IsFed(port)) readers_[port].push_back(id);
    }
  }
  for (const Port port : request_.fetches) readers_[port].push_back(kFetch);
}

void PlanBuilder::FormChains() {
  absl::flat_hash_set<const OpSchema*> heads;
  for (const ChainPattern& pattern : kPatterns) heads.insert(graph_.registry().FindRegistered(pattern.ops[0]));
  const auto is_head = [&](NodeId id) { return heads.contains(graph_.node(id).schema); };
  if (std::none_of(needed_.begin(), needed_.end(), is_head)) return;
  FindReaders();
  absl::flat_hash_set<NodeId> taken;
  const std::vector<NodeId> order = needed_;  // which changes
  for (const NodeId head : order) {
    if (!is_head(head) || taken.contains(head)) continue;
    for (const ChainPattern& pattern : kPatterns) {
      if (pattern.ops[0] != graph_.node(head).op()) continue;
      Chain chain;
      for (size_t k = 0; k < pattern.size(); ++k) {
        const int32_t at = k == 0 ? instruction_of_[head]
                                  : NextInChain(chain.nodes[k - 1], pattern.visible[k - 1], pattern.ops[k]);
        if (at < 0 || !MayChain(static_cast<uint32_t>(at)) || taken.contains(needed_[at])) break;
        chain.nodes.push_back(needed_[at]);
        chain.visible.push_back(pattern.visible[k]);
      }
      if (chain.nodes.size() < pattern.size() || ReadsItself(chain) || !MakeChainKernel(chain) || !BringTogether(chain)) continue;
      taken.insert(chain.nodes.begin(), chain.nodes.end());
      for (const NodeId id : chain.nodes) {
        if (!tiles_.empty()) tiles_[instruction_of_[id]] = nullptr;
      }
      chains_.push_back(std::move(chain));
      break;
    }
  }
}

// Whether a node only hands on a variable or memory, so that it may as well do so before others change elements. A reader of a
// variable shares its memory, but for dtypes that only change under a lock (racy_access.h), and small temporary variables.
bool PlanBuilder::PassesOn(NodeId id) const {
  const Node& node = graph_.node(id);
  if (IsVariable(node.op())) return true;
  if (node.op() != "Identity" || !MayRace(node.types->outputs[0].dtype)) return false;
  const Port from = graph_.inputs(id)[0];
  const Node& source = graph_.node(from.node);
  return IsFed(from) || !source.types->outputs[from.index].is_ref || IsVariable(source.op());
}

bool PlanBuilder::MayBeSibling(uint32_t i) const {
  const NodeId id = needed_[i];
  const uint32_t check = plan_->instructions[i].reference_check;
  return FamilyOf(graph_.node(id).op()) != nullptr && !IsFed(graph_.inputs(id)[0]) && !readers_.contains(Port{id, 0}) &&
         (check == 0 || plan_->reference_checks[check - 1].dereference.empty());
}

bool PlanBuilder::AreSiblings(uint32_t i, uint32_t k) const {
  const NodeId a = needed_[i], b = needed_[k];
  const Node &first = graph_.node(a), &second = graph_.node(b);
  if (FamilyOf(first.op()) != FamilyOf(second.op()) || graph_.inputs(a)[0] != graph_.inputs(b)[0]) return false;
  return std::all_of(first.schema->attrs().begin(), first.schema->attrs().end(), [&](const AttrSpec& spec) {
    const Attr* x = first.schema->AttrOrDefault(first.attrs, spec.name);
    const Attr* y = second.schema->AttrOrDefault(second.attrs, spec.name);
    return x != nullptr && y != nullptr && *x == *y;
  });
}

void PlanBuilder::FormSiblings() {
  const auto has_family = [&](NodeId id) { return FamilyOf(graph_.node(id).op()) != nullptr; };
  if (std::count_if(needed_.begin(), needed_.end(), has_family) < 2) return;
  FindReaders();
  const uint32_t n = static_cast<uint32_t>(needed_.size());
  uint32_t end = 0;
  for (uint32_t begin = 0; begin < n; begin = end) {
    end = begin + 1;
    if (!MayBeSibling(begin)) continue;
    for (uint32_t i = end; i < n && end - begin < kMaxSiblings && !DependsOn(needed_[i], begin, end); ++i) {
      if (MayBeSibling(i) && AreSiblings(begin, i)) {
        for (; end < i; ++begin, ++end) MoveInstruction(end, begin);
        ++end;
      } else if (!PassesOn(needed_[i])) {
        break;
      }
    }
    if (end - begin < 2) continue;
    Chain chain;
    chain.nodes.assign(needed_.begin() + begin, needed_.begin() + end);
    chain.visible.assign(chain.nodes.size(), kNone);
    if (MakeChainKernel(chain)) chains_.push_back(std::move(chain));
  }
}

uint32_t PlanBuilder::FirstVisible(const Chain& chain, size_t k) const {
  if (chain.visible[k] == Visible::kNone) return static_cast<uint32_t>(graph_.node(chain.nodes[k]).num_outputs());
  return chain.visible[k] == Visible::kAll ? 0 : 1;
}

std::vector<Port> PlanBuilder::ChainInputs(const Chain& chain) const {
  std::vector<Port> ports;
  for (size_t k = 0; k < chain.nodes.size(); ++k) {
    const absl::Span<const Port> inputs = graph_.inputs(chain.nodes[k]);
    ports.insert(ports.end(), inputs.begin() + (k == 0 ? 0 : 1), inputs.end());
  }
  return ports;
}

// Whether a node reads more of the chain than the first output of the one before.
bool PlanBuilder::ReadsItself(const Chain& chain) const {
  for (const Port port : ChainInputs(chain)) {
    if (std::count(chain.nodes.begin(), chain.nodes.end(), port.node) > 0) return true;
  }
  return false;
}

// Whether the elements behind a port stay what they are while somebody holds the tensor: constants, and values of resource
// variables, which copy what is shared before they change it.
bool PlanBuilder::StaysWhileHeld(Port port) const {
  while (!IsFed(port) && graph_.node(port.node).op() == "Identity") port = graph_.inputs(port.node)[0];
  if (IsFed(port)) return false;
  const std::string& op = graph_.node(port.node).op();
  return op == "Const" || op == "ReadVariableOp";
}

// Asks the factory of the first op for a kernel of all. False if it has none.
bool PlanBuilder::MakeChainKernel(Chain& chain) {
  std::vector<PortType> inputs, outputs;
  std::vector<std::string> ops;
  std::vector<int64_t> held;
  const Node& node = graph_.node(chain.nodes[0]);
  AttrMap attrs = node.attrs;
  for (size_t k = 0; k < chain.nodes.size(); ++k) {
    const Node& member = graph_.node(chain.nodes[k]);
    ops.push_back(member.op());
    for (const AttrSpec& spec : member.schema->attrs()) {
      const Attr* attr = member.schema->AttrOrDefault(member.attrs, spec.name);
      const Attr* known = node.schema->AttrOrDefault(attrs, spec.name);
      if (attr == nullptr || (known != nullptr && !(*known == *attr))) return false;
      if (known == nullptr) attrs = attrs.With(spec.name, *attr);
    }
    const auto& types = member.types->outputs;
    outputs.insert(outputs.end(), types.begin() + FirstVisible(chain, k), types.end());
  }
  for (const Port port : ChainInputs(chain)) {
    if (!IsFed(port) && StaysWhileHeld(port)) held.push_back(static_cast<int64_t>(inputs.size()));
    inputs.push_back(graph_.node(port.node).types->outputs[port.index]);
  }
  attrs = attrs.With(kChainAttr, Attr(ops)).With(kHeldAttr, Attr(held));
  absl::StatusOr<Kernel> kernel =
      options_.make_kernel(NodeInfo(node.name, *node.schema, attrs, inputs, outputs, options_.functions));
  if (!kernel.ok() || kernel->fn == nullptr) return false;
  chain.kernel = *std::move(kernel);
  return true;
}

// Whether an instruction in [begin, end) has to run before the node.
bool PlanBuilder::DependsOn(NodeId node, uint32_t begin, uint32_t end) const {
  // Nodes that only order others are not in the plan, but what they order is.
  std::vector<NodeId> left_out{node};
  absl::flat_hash_set<NodeId> seen;
  while (!left_out.empty()) {
    const NodeId at = left_out.back();
    left_out.pop_back();
    const auto look = [&](NodeId from) {
      const int32_t position = instruction_of_[from];
      if (position < 0 && seen.insert(from).second) left_out.push_back(from);
      return position >= static_cast<int32_t>(begin) && position < static_cast<int32_t>(end);
    };
    for (const Port port : graph_.inputs(at)) {
      if (!IsFed(port) && look(port.node)) return true;
    }
    for (const Port port : graph_.control_inputs(at)) {
      if (look(port.node)) return true;
    }
  }
  return false;
}

void PlanBuilder::MoveInstruction(uint32_t from, uint32_t to) {
  const auto move = [&](auto& list) {
    if (list.empty()) return;
    if (from < to) std::rotate(list.begin() + from, list.begin() + from + 1, list.begin() + to + 1);
    else std::rotate(list.begin() + to, list.begin() + from, list.begin() + from + 1);
  };
  move(plan_->instructions);
  move(kinds_);
  move(tiles_);
  move(needed_);
  for (uint32_t i = std::min(from, to); i <= std::max(from, to); ++i) {
    instruction_of_[needed_[i]] = static_cast<int32_t>(i);
  }
}

// Makes the chain's instructions neighbours: those before the first one that others read move down to it, the rest up.
// False if something in between depends on them, or they on it.
bool PlanBuilder::BringTogether(const Chain& chain) {
  const auto position = [&](size_t k) { return static_cast<uint32_t>(instruction_of_[chain.nodes[k]]); };
  size_t fixed = 0;
  while (chain.visible[fixed] == Visible::kNone) ++fixed;
  for (size_t k = fixed; k-- > 0;) {
    const uint32_t from = position(k), to = position(k + 1) - 1;
    if (to - from > kMaxMove) return false;
    for (uint32_t i = from + 1; i <= to; ++i) {
      if (DependsOn(needed_[i], from, from + 1)) return false;
    }
    MoveInstruction(from, to);
  }
  for (size_t k = fixed + 1; k < chain.nodes.size(); ++k) {
    const uint32_t from = position(k), to = position(k - 1) + 1;
    if (from - to > kMaxMove || DependsOn(chain.nodes[k], to, from)) return false;
    MoveInstruction(from, to);
  }
  return true;
}

// Lays out a chain as a group that begins at its first instruction.
void PlanBuilder::AddChainGroup(const Chain& chain) {
  Plan& plan = *plan_;
  FusedGroup group;
  group.num_instructions = static_cast<uint32_t>(chain.nodes.size());
  group.fn = chain.kernel.fn;
  group.state = chain.kernel.state.get();
  if (chain.kernel.state != nullptr) plan.states_.push_back(chain.kernel.state);
  const uint32_t begin = static_cast<uint32_t>(instruction_of_[chain.nodes[0]]);
  std::vector<bool> dies;
  for (size_t k = 0; k < chain.nodes.size(); ++k) {
    const Instruction& ins = plan.instructions[begin + k];
    for (uint32_t i = 0; i < ins.num_inputs; ++i) {
      const uint32_t slot = plan.input_slots[ins.first_input + i];
      const bool last = ((ins.release >> i) & 1) != 0;
      if (last) group.release.push_back(slot);
      if (k > 0 && i == 0) continue;
      group.external_slots.push_back(slot);
      dies.push_back(last);
    }
    for (uint32_t p = FirstVisible(chain, k); p < ins.num_outputs; ++p) group.output_slots.push_back(ins.first_output + p);
  }
  for (size_t i = 0; i < std::min<size_t>(dies.size(), 64); ++i) {
    const auto& slots = group.external_slots;
    if (dies[i] && std::count(slots.begin(), slots.end(), slots[i]) == 1) group.forwardable |= uint64_t{1} << i;
  }
  plan.fused_groups.push_back(std::move(group));
  plan.instructions[begin].fused = static_cast<uint32_t>(plan.fused_groups.size());
}

}  // namespace flowlatch
