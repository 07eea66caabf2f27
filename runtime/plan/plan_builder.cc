#include "runtime/plan/plan_builder.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "runtime/plan/chain.h"

namespace flowlatch {
namespace {

absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }

// Bounds of a fused group: its scratch memory must stay in the first-level cache.
constexpr uint32_t kMaxFused = 32;

bool IsControlFlow(NodeKind kind) {
  return kind != NodeKind::kKernel && kind != NodeKind::kControlTrigger && kind != NodeKind::kLoopCond;
}

// Ops that may see a reference to a variable without a value (7.2).
bool AllowsUninitialized(std::string_view op) {
  return op == "Assign" || op == "IsVariableInitialized" || op == "RefSwitch" || op == "RefIdentity" ||
         op == "RefEnter" || op == "RefMerge" || op == "RefExit" || op == "RefNextIteration" || op == "RefSelect";
}

bool IsPlaceholder(std::string_view op) {
  return op == "Placeholder" || op == "PlaceholderV2" || op == "PlaceholderWithDefault";
}

bool CallsFunctions(const Graph& graph, const OpSchema& schema) {
  const auto holds_function = [](const AttrSpec& attr) { return attr.kind == "func" || attr.kind == "list(func)"; };
  return graph.library().FindSchema(schema.name()) == &schema ||
         std::any_of(schema.attrs().begin(), schema.attrs().end(), holds_function);
}

}  // namespace

NodeKind KindOf(const OpSchema& schema) {
  const std::string& op = schema.name();
  if (op == "Switch" || op == "RefSwitch") return NodeKind::kSwitch;
  if (op == "_SwitchN") return NodeKind::kSwitchN;
  if (op == "Merge" || op == "RefMerge") return NodeKind::kMerge;
  if (op == "Enter" || op == "RefEnter") return NodeKind::kEnter;
  if (op == "Exit" || op == "RefExit") return NodeKind::kExit;
  if (op == "NextIteration" || op == "RefNextIteration") return NodeKind::kNextIteration;
  if (op == "LoopCond") return NodeKind::kLoopCond;
  if (op == "ControlTrigger") return NodeKind::kControlTrigger;
  return NodeKind::kKernel;
}

std::string Plan::NodeText(uint32_t instruction) const {
  const NodeId id = instruction < instructions.size() ? instructions[instruction].node : -1;
  if (id < 0) return "step";
  const Node& node = graph_->node(id);
  return absl::StrCat("node '", Absl(node.name), "' (", node.op(), ")");
}

absl::StatusOr<std::shared_ptr<const Plan>> Plan::Build(std::shared_ptr<const Graph> graph, const PlanRequest& request,
                                                        const PlanOptions& options) {
  ASSIGN_OR_RETURN(std::optional<ExpandedFunctions> expanded, ExpandFunctions(*graph, request, options.functional));
  if (!expanded.has_value()) return PlanBuilder(std::move(graph), request, options).Build();
  return PlanBuilder(std::make_shared<const Graph>(std::move(expanded->graph)), expanded->step, options).Build();
}

absl::StatusOr<std::shared_ptr<const Plan>> PlanBuilder::Build() {
  for (uint32_t i = 0; i < request_.feeds.size(); ++i) {
    const Port port = request_.feeds[i];
    feed_of_.emplace(port, i);
    plan_->feed_dtypes.push_back(graph_.node(port.node).types->outputs[port.index].dtype);
    plan_->feed_names.push_back(graph_.PortName(port));
  }
  any_feed_ = !feed_of_.empty();
  for (const Port port : request_.fetches) plan_->fetch_names.push_back(graph_.PortName(port));
  Prune();
  MoveConstantsToTheFront();
  RETURN_IF_ERROR(ChooseKernels());
  plan_->flat = !needs_frames_ && !options_.force_frames;
  if (plan_->flat) {
    if (options_.drop_unread) DropUnread();
    if (options_.fuse) {
      FormChains();
      FormSiblings();
    }
    LayOutFlat();
  } else {
    RETURN_IF_ERROR(LayOutFrames());
  }
  return std::shared_ptr<const Plan>(std::move(plan_));
}

bool PlanBuilder::ControlMovesToFeed(NodeId node) const {
  if (!any_feed_ || !feed_of_.contains(Port{node, 0})) return false;
  const std::string& op = graph_.node(node).op();
  return op == "Placeholder" || op == "PlaceholderV2" || op == "_Arg";
}

void PlanBuilder::Prune() {
  instruction_of_.assign(graph_.num_nodes(), -1);
  constexpr int32_t kOnStack = -2;
  struct Visit {
    NodeId node;
    uint32_t next_input;  // data inputs, then control inputs
  };
  std::vector<Visit> stack;
  const auto push = [&](NodeId node) {
    if (instruction_of_[node] != -1) return;
    instruction_of_[node] = kOnStack;
    stack.push_back({node, 0});
  };
  const auto drain = [&] {
    while (!stack.empty()) {
      Visit& top = stack.back();
      const NodeId node = top.node;
      const absl::Span<const Port> data = graph_.inputs(node);
      const absl::Span<const Port> controls = graph_.control_inputs(node);
      if (top.next_input < data.size()) {
        const Port port = data[top.next_input++];
        if (!IsFed(port)) push(port.node);
      } else if (top.next_input < data.size() + controls.size()) {
        const NodeId control = controls[top.next_input++ - data.size()].node;
        if (!ControlMovesToFeed(control)) push(control);
      } else {
        instruction_of_[node] = static_cast<int32_t>(needed_.size());
        needed_.push_back(node);
        stack.pop_back();
      }
    }
  };
  for (const Port port : request_.fetches) {
    if (!IsFed(port)) push(port.node);
    drain();
  }
  for (const NodeId target : request_.targets) {
    push(target);
    drain();
  }
}

// Constants wait for nothing; out of the way, they do not part nodes that could run together.
void PlanBuilder::MoveConstantsToTheFront() {
  std::stable_partition(needed_.begin(), needed_.end(), [&](NodeId id) {
    const Node& node = graph_.node(id);
    return node.num_inputs + node.num_controls == 0 && node.op() == "Const";
  });
  for (uint32_t i = 0; i < needed_.size(); ++i) instruction_of_[needed_[i]] = static_cast<int32_t>(i);
}

absl::Status PlanBuilder::ChooseKernels() {
  Plan& plan = *plan_;
  plan.instructions.resize(needed_.size());
  kinds_.resize(needed_.size());
  struct Traits {
    NodeKind kind = NodeKind::kKernel;
    bool shares_kernel = false;
  };
  absl::flat_hash_map<const OpSchema*, Traits> traits_of;
  // Nodes with the same schema and attributes share a kernel, unless it has, or calls what has, a state of its own.
  absl::flat_hash_map<const NodeTypes*, Kernel> kernel_cache;
  std::string missing;
  int num_missing = 0, num_loop_conds = 0;
  for (uint32_t i = 0; i < needed_.size(); ++i) {
    const Node& node = graph_.node(needed_[i]);
    const auto [traits, is_new] = traits_of.try_emplace(node.schema);
    if (is_new)
      traits->second = {KindOf(*node.schema), !node.schema->is_stateful() && !CallsFunctions(graph_, *node.schema)};
    kinds_[i] = traits->second.kind;
    Instruction& instruction = plan.instructions[i];
    instruction.node = needed_[i];
    instruction.num_inputs = node.num_inputs;
    instruction.num_outputs = static_cast<uint32_t>(node.num_outputs());
    plan.max_outputs = std::max(plan.max_outputs, instruction.num_outputs);
    CheckReferences(needed_[i], instruction);
    if (IsControlFlow(kinds_[i])) {
      needs_frames_ = true;
      continue;
    }
    // Whether two may be in one frame, CheckFrames knows.
    if (kinds_[i] == NodeKind::kLoopCond && ++num_loop_conds > 1) needs_frames_ = true;
    const bool shares_kernel = traits->second.shares_kernel;
    const Kernel* kernel = nullptr;
    if (shares_kernel) {
      const auto at = kernel_cache.find(node.types);
      if (at != kernel_cache.end()) kernel = &at->second;
    }
    Kernel made;
    if (kernel == nullptr) {
      // Only a plan asks for kernels of chains.
      const AttrMap attrs = node.attrs.contains(kChainAttr) ? node.attrs.Without(kChainAttr) : node.attrs;
      absl::StatusOr<Kernel> choice = options_.make_kernel(
          NodeInfo(node.name, *node.schema, attrs, node.types->inputs, node.types->outputs, options_.functions));
      if (choice.status().code() == absl::StatusCode::kUnimplemented) {
        if (++num_missing <= 20)
          absl::StrAppend(&missing, "\n  node '", Absl(node.name), "': ", choice.status().message());
        continue;
      }
      if (!choice.ok()) {
        return absl::Status(choice.status().code(), absl::StrCat("node '", Absl(node.name), "' (", node.op(),
                                                                 "): ", choice.status().message()));
      }
      made = *std::move(choice);
      if (made.state != nullptr) plan.states_.push_back(made.state);
      kernel = shares_kernel ? &kernel_cache.emplace(node.types, made).first->second : &made;
    }
    instruction.fn = kernel->fn;
    instruction.state = kernel->state.get();
    if (kernel->tile != nullptr && options_.fuse && instruction.reference_check == 0) {
      tiles_.resize(needed_.size(), nullptr);
      tiles_[i] = kernel->tile;
    }
    if (kernel->async_fn != nullptr) {
      kinds_[i] = NodeKind::kAsyncKernel;
      plan.is_async = needs_frames_ = true;
      async_fns_.resize(needed_.size(), nullptr);
      async_fns_[i] = kernel->async_fn;
    }
  }
  if (num_missing == 0) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("unsupported ops: expected kernels for all nodes of the step, got none for ", num_missing, ":",
                   missing, num_missing > 20 ? "\n  ..." : ""));
}

void PlanBuilder::CheckReferences(NodeId id, Instruction& instruction) {
  const Node& node = graph_.node(id);
  ReferenceCheck check;
  const absl::Span<const Port> inputs = graph_.inputs(id);
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    const Node& from = graph_.node(inputs[i].node);
    if (!from.types->outputs[inputs[i].index].is_ref || IsFed(inputs[i])) continue;
    if (!node.types->inputs[i].is_ref) check.dereference.push_back(i);
    if (!AllowsUninitialized(node.op())) check.initialized.push_back(i);
  }
  if (check.dereference.empty() && check.initialized.empty()) return;
  plan_->reference_checks.push_back(std::move(check));
  instruction.reference_check = static_cast<uint32_t>(plan_->reference_checks.size());
}

bool PlanBuilder::HasNoEffect(NodeId id) const {
  const Node& node = graph_.node(id);
  const auto is_ref = [](const PortType& port) { return port.is_ref; };
  return !node.schema->is_stateful() && !CallsFunctions(graph_, *node.schema) && !IsPlaceholder(node.op()) &&
         std::none_of(node.types->inputs.begin(), node.types->inputs.end(), is_ref) &&
         std::none_of(node.types->outputs.begin(), node.types->outputs.end(), is_ref);
}

void PlanBuilder::DropUnread() {
  std::vector<bool> keep(needed_.size(), false);
  const auto need = [&](Port port) {
    if (!IsFed(port)) keep[instruction_of_[port.node]] = true;
  };
  for (const Port port : request_.fetches) need(port);
  for (const NodeId target : request_.targets) keep[instruction_of_[target]] = true;
  for (size_t i = needed_.size(); i-- > 0;) {
    keep[i] = keep[i] || plan_->instructions[i].reference_check != 0 || !HasNoEffect(needed_[i]);
    if (!keep[i]) continue;
    for (const Port port : graph_.inputs(needed_[i])) need(port);
  }
  const auto compact = [&](auto& list) {
    size_t kept = 0;
    for (size_t i = 0; i < list.size(); ++i) {
      if (keep[i]) list[kept++] = list[i];
    }
    list.resize(std::min(kept, list.size()));
  };
  compact(plan_->instructions);
  compact(kinds_);
  compact(tiles_);
  for (const NodeId id : needed_) instruction_of_[id] = -1;
  compact(needed_);
  for (uint32_t i = 0; i < needed_.size(); ++i) instruction_of_[needed_[i]] = static_cast<int32_t>(i);
}

void PlanBuilder::LayOutFlat() {
  Plan& plan = *plan_;
  const uint32_t n = static_cast<uint32_t>(plan.instructions.size());
  // The last instruction that reads each output, by (instruction, port).
  std::vector<uint32_t> first_port(n + 1, 0);
  for (uint32_t i = 0; i < n; ++i) first_port[i + 1] = first_port[i] + plan.instructions[i].num_outputs;
  constexpr uint32_t kNobody = UINT32_MAX, kForever = UINT32_MAX - 1;
  std::vector<uint32_t> last_reader(first_port[n], kNobody);
  std::vector<uint32_t> last_feed_reader(request_.feeds.size(), kNobody);
  const auto reader_of = [&](const Port port) -> uint32_t& {
    if (IsFed(port)) return last_feed_reader[feed_of_.at(port)];
    return last_reader[first_port[instruction_of_[port.node]] + port.index];
  };
  for (uint32_t i = 0; i < n; ++i) {
    for (const Port port : graph_.inputs(needed_[i])) reader_of(port) = i;
  }
  for (const Port port : request_.fetches) reader_of(port) = kForever;

  // Feeds keep slots of their own, which no output gets; but a value in one that nobody else holds may be changed in place.
  uint32_t num_slots = static_cast<uint32_t>(request_.feeds.size());
  plan.feed_slots.resize(num_slots);
  std::iota(plan.feed_slots.begin(), plan.feed_slots.end(), 0);

  // Outputs of one node stand side by side. A block is free again when each of its outputs is dead.
  std::vector<uint32_t> slot_of(n);
  std::vector<uint32_t> live_outputs(n);  // outputs of the block that are not dead yet
  std::vector<std::vector<uint32_t>> free_blocks(std::min<uint32_t>(plan.max_outputs, 8) + 1);
  const auto free_block = [&](uint32_t i) {
    const uint32_t size = plan.instructions[i].num_outputs;
    if (size > 0 && size < free_blocks.size()) free_blocks[size].push_back(slot_of[i]);
  };
  for (uint32_t i = 0; i < n; ++i) {
    Instruction& ins = plan.instructions[i];
    const absl::Span<const Port> inputs = graph_.inputs(needed_[i]);
    // Outputs must not lie on inputs: the block is taken before the inputs' blocks are given back.
    if (ins.num_outputs > 0) {
      if (ins.num_outputs < free_blocks.size() && !free_blocks[ins.num_outputs].empty()) {
        slot_of[i] = free_blocks[ins.num_outputs].back();
        free_blocks[ins.num_outputs].pop_back();
      } else {
        slot_of[i] = num_slots;
        num_slots += ins.num_outputs;
      }
    }
    ins.first_output = slot_of[i];
    live_outputs[i] = ins.num_outputs;
    ins.first_input = static_cast<uint32_t>(plan.input_slots.size());
    for (uint32_t k = 0; k < inputs.size(); ++k) {
      const Port port = inputs[k];
      const bool is_fed = IsFed(port);
      const uint32_t from = is_fed ? 0 : static_cast<uint32_t>(instruction_of_[port.node]);
      plan.input_slots.push_back(is_fed ? plan.feed_slots[feed_of_.at(port)] : slot_of[from] + port.index);
      if (reader_of(port) != i || k >= 64) continue;
      const bool again_later = std::find(inputs.begin() + k + 1, inputs.end(), port) != inputs.end();
      if (again_later) continue;
      ins.release |= uint64_t{1} << k;
      const bool once = std::find(inputs.begin(), inputs.begin() + k, port) == inputs.begin() + k;
      if (once) ins.forwardable |= uint64_t{1} << k;
      if (!is_fed && --live_outputs[from] == 0) free_block(from);
    }
    // Outputs that nobody reads stay until the block is overwritten, or the run ends.
    for (uint32_t p = 0; p < ins.num_outputs; ++p) {
      if (last_reader[first_port[i] + p] == kNobody && --live_outputs[i] == 0) free_block(i);
    }
  }
  plan.num_slots = num_slots;
  for (const Port port : request_.fetches) {
    plan.fetch_slots.push_back(IsFed(port) ? plan.feed_slots[feed_of_.at(port)]
                                           : slot_of[instruction_of_[port.node]] + port.index);
  }
  for (const Chain& chain : chains_) AddChainGroup(chain);
  if (!tiles_.empty()) FuseElementwise(first_port, last_reader);
}

void PlanBuilder::FuseElementwise(const std::vector<uint32_t>& first_port, const std::vector<uint32_t>& last_reader) {
  const uint32_t n = static_cast<uint32_t>(needed_.size());
  for (uint32_t begin = 0; begin < n;) {
    uint32_t end = begin;
    while (end < n && end - begin < kMaxFused && tiles_[end] != nullptr) ++end;
    if (end - begin >= 2) AddFusedGroup(begin, end, first_port, last_reader);
    begin = std::max(end, begin + 1);
  }
}

void PlanBuilder::AddFusedGroup(uint32_t begin, uint32_t end, const std::vector<uint32_t>& first_port,
                                const std::vector<uint32_t>& last_reader) {
  Plan& plan = *plan_;
  FusedGroup group;
  group.num_instructions = end - begin;
  const auto operand = [&](Port port, uint32_t slot) {
    FusedGroup::Operand result;
    const int32_t from = IsFed(port) ? -1 : instruction_of_[port.node];
    if (from >= static_cast<int32_t>(begin)) {
      result.member = from - static_cast<int32_t>(begin);
      return result;
    }
    const auto at = std::find(group.external_slots.begin(), group.external_slots.end(), slot);
    result.external = static_cast<uint32_t>(at - group.external_slots.begin());
    if (at == group.external_slots.end()) {
      group.external_slots.push_back(slot);
      group.external_dtypes.push_back(graph_.node(port.node).types->outputs[port.index].dtype);
    }
    return result;
  };
  std::vector<int32_t> free_scratch;
  for (uint32_t i = begin; i < end; ++i) {
    const Instruction& ins = plan.instructions[i];
    const uint32_t* slots = plan.input_slots.data() + ins.first_input;
    const absl::Span<const Port> inputs = graph_.inputs(needed_[i]);
    FusedGroup::Member member;
    member.tile = tiles_[i];
    member.state = ins.state;
    member.x = operand(inputs[0], slots[0]);
    member.has_y = ins.num_inputs == 2;
    if (member.has_y) member.y = operand(inputs[1], slots[1]);
    member.dtype = graph_.node(needed_[i]).types->outputs[0].dtype;
    member.slot = ins.first_output;
    if (last_reader[first_port[i]] < end) {  // only the group reads it
      if (free_scratch.empty()) free_scratch.push_back(group.num_scratch++);
      member.scratch = free_scratch.back();
      free_scratch.pop_back();
    }
    // Scratch of values that die here is free for the next member; not for this one, whose operands may step
    // differently.
    for (uint32_t k = 0; k < ins.num_inputs; ++k) {
      if (((ins.release >> k) & 1) == 0) continue;
      group.release.push_back(slots[k]);
      const FusedGroup::Operand& from = k == 0 ? member.x : member.y;
      if (from.member >= 0 && group.members[from.member].scratch >= 0)
        free_scratch.push_back(group.members[from.member].scratch);
    }
    group.members.push_back(member);
  }
  if (group.num_scratch > kMaxFusedScratch) return;
  plan.fused_groups.push_back(std::move(group));
  plan.instructions[begin].fused = static_cast<uint32_t>(plan.fused_groups.size());
}

}  // namespace flowlatch
