// PlanBuilder, frames: edges, the frame of each node, and counts and slots of an iteration.
#include <algorithm>
#include <numeric>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "runtime/plan/plan_builder.h"

namespace flowlatch {
namespace {

absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }

}  // namespace

absl::Status PlanBuilder::LayOutFrames() {
  AddFeedAndFetchNodes();
  CollectEdges();
  RETURN_IF_ERROR(AssignFrames());
  RETURN_IF_ERROR(CheckFrames());
  FillFrames();
  return absl::OkStatus();
}

void PlanBuilder::AddFeedAndFetchNodes() {
  Plan& plan = *plan_;
  plan.frame_nodes.resize(plan.instructions.size());
  for (uint32_t i = 0; i < plan.instructions.size(); ++i) {
    plan.frame_nodes[i].kind = kinds_[i];
    if (!async_fns_.empty()) plan.frame_nodes[i].async_fn = async_fns_[i];
    plan.instructions[i].forwardable = ~uint64_t{0};
  }
  for (uint32_t i = 0; i < request_.feeds.size(); ++i) {
    feed_nodes_.push_back(static_cast<uint32_t>(plan.instructions.size()));
    Instruction feed;
    feed.num_outputs = 1;
    plan.instructions.push_back(feed);
    FrameNode node;
    node.kind = NodeKind::kFeed;
    node.number = i;
    plan.frame_nodes.push_back(node);
  }
  plan.max_outputs = std::max(plan.max_outputs, 1u);
  for (uint32_t i = 0; i < request_.fetches.size(); ++i) {
    Instruction fetch;
    fetch.num_inputs = 1;
    plan.instructions.push_back(fetch);
    FrameNode node;
    node.kind = NodeKind::kFetch;
    node.number = i;
    plan.frame_nodes.push_back(node);
  }
}

void PlanBuilder::CollectEdges() {
  Plan& plan = *plan_;
  const auto source = [&](Port port) {
    return IsFed(port) ? feed_nodes_[feed_of_.at(port)] : static_cast<uint32_t>(instruction_of_[port.node]);
  };
  const auto source_port = [&](Port port) { return IsFed(port) ? 0 : port.index; };
  std::vector<RawEdge> edges;
  for (uint32_t i = 0; i < needed_.size(); ++i) {
    const absl::Span<const Port> inputs = graph_.inputs(needed_[i]);
    for (uint32_t k = 0; k < inputs.size(); ++k) edges.push_back({source(inputs[k]), i, source_port(inputs[k]), k});
    for (const Port control : graph_.control_inputs(needed_[i])) {
      const uint32_t from = ControlMovesToFeed(control.node) ? feed_nodes_[feed_of_.at(Port{control.node, 0})]
                                                             : static_cast<uint32_t>(instruction_of_[control.node]);
      edges.push_back({from, i, -1, 0});
    }
  }
  const uint32_t first_fetch = static_cast<uint32_t>(plan.instructions.size() - request_.fetches.size());
  for (uint32_t i = 0; i < request_.fetches.size(); ++i) {
    const Port port = request_.fetches[i];
    edges.push_back({source(port), first_fetch + i, source_port(port), 0});
    // A fetched reference is read when the fetch runs.
    if (!IsFed(port) && graph_.node(port.node).types->outputs[port.index].is_ref) {
      plan.reference_checks.push_back({{0}, {0}});
      plan.instructions[first_fetch + i].reference_check = static_cast<uint32_t>(plan.reference_checks.size());
    }
  }
  // By source; within one, what was built last comes first, and fetches before all: the executor runs the newest ready
  // node, so of nodes that become ready together those run first that were built first, as their author wrote them
  // down.
  first_raw_edge_.assign(plan.instructions.size() + 1, 0);
  for (const RawEdge& e : edges) ++first_raw_edge_[e.from + 1];
  for (size_t i = 0; i + 1 < first_raw_edge_.size(); ++i) first_raw_edge_[i + 1] += first_raw_edge_[i];
  raw_edges_.resize(edges.size());
  std::vector<uint32_t> at(first_raw_edge_.begin(), first_raw_edge_.end() - 1);
  for (const RawEdge& e : edges) raw_edges_[at[e.from]++] = e;
  for (size_t i = 0; i + 1 < first_raw_edge_.size(); ++i) {
    std::stable_sort(raw_edges_.begin() + first_raw_edge_[i], raw_edges_.begin() + first_raw_edge_[i + 1],
                     [&](const RawEdge& a, const RawEdge& b) { return BuildOrder(a.to) > BuildOrder(b.to); });
  }
}

// Position in the graph; feeds come before all nodes and fetches after them.
int64_t PlanBuilder::BuildOrder(uint32_t i) const {
  const NodeId id = plan_->instructions[i].node;
  if (id >= 0) return id;
  return plan_->frame_nodes[i].kind == NodeKind::kFeed ? -1 : graph_.num_nodes();
}

std::string PlanBuilder::FrameNodeName(uint32_t i) const {
  const NodeId id = plan_->instructions[i].node;
  if (id >= 0) return absl::StrCat("'", Absl(graph_.node(id).name), "'");
  return plan_->frame_nodes[i].kind == NodeKind::kFeed
             ? absl::StrCat("feed '", plan_->feed_names[plan_->frame_nodes[i].number], "'")
             : absl::StrCat("fetch '", plan_->fetch_names[plan_->frame_nodes[i].number], "'");
}

std::string PlanBuilder::FrameName(uint32_t enter) const {
  const Node& node = graph_.node(plan_->instructions[enter].node);
  const Attr* name = node.schema->AttrOrDefault(node.attrs, "frame_name");
  return name != nullptr && name->Get<std::string>() != nullptr ? *name->Get<std::string>() : "";
}

// Finds or makes the frame that an Enter opens.
absl::Status PlanBuilder::EnterFrame(uint32_t enter) {
  Plan& plan = *plan_;
  const NodeId id = plan.instructions[enter].node;
  const Node& node = graph_.node(id);
  const Attr* parallel = node.schema->AttrOrDefault(node.attrs, "parallel_iterations");
  const Attr* constant = node.schema->AttrOrDefault(node.attrs, "is_constant");
  const std::string frame_name = FrameName(enter);
  if (frame_name.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("node '", Absl(node.name), "' (", node.op(), "): expected a frame_name, got an empty one"));
  }
  if (constant != nullptr && constant->Get<bool>() != nullptr && *constant->Get<bool>()) {
    plan.frame_nodes[enter].kind = NodeKind::kConstantEnter;
  }
  const int parent = frame_of_[enter];
  auto frame =
      std::find_if(plan.frames.begin(), plan.frames.end(), [&](const FramePlan& f) { return f.name == frame_name; });
  if (frame == plan.frames.end()) {
    FramePlan made;
    made.name = frame_name;
    made.parent = parent;
    plan.frames.push_back(std::move(made));
    first_enter_.push_back(id);
    frame = plan.frames.end() - 1;
  } else if (frame->parent != parent) {
    return absl::InternalError(absl::StrCat("loop '", frame_name, "': expected one parent frame, got '",
                                            plan.frames[frame->parent].name, "' and '", plan.frames[parent].name,
                                            "' (node '", Absl(node.name), "')"));
  }
  NodeId& first = first_enter_[frame - plan.frames.begin()];
  first = std::min(first, id);
  if (first == id) {
    const int64_t p = parallel != nullptr && parallel->Get<int64_t>() != nullptr ? *parallel->Get<int64_t>() : 10;
    if (p < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("node '", Absl(node.name), "' (", node.op(), "): expected parallel_iterations >= 1, got ", p));
    }
    frame->parallel_iterations = static_cast<int>(std::min<int64_t>(p, 1 << 20));
  }
  ++frame->num_enters;
  plan.frame_nodes[enter].child_frame = static_cast<uint32_t>(frame - plan.frames.begin());
  return absl::OkStatus();
}

int PlanBuilder::FrameAfter(uint32_t i) const {
  const FrameNode& node = plan_->frame_nodes[i];
  if (node.kind == NodeKind::kEnter || node.kind == NodeKind::kConstantEnter) return static_cast<int>(node.child_frame);
  // An Exit in the root frame is one that nothing reaches.
  if (node.kind == NodeKind::kExit) return std::max(0, plan_->frames[frame_of_[i]].parent);
  return frame_of_[i];
}

absl::Status PlanBuilder::AssignFrames() {
  Plan& plan = *plan_;
  const uint32_t n = static_cast<uint32_t>(plan.instructions.size());
  plan.frames.emplace_back();
  first_enter_.push_back(-1);
  frame_of_.assign(n, -1);
  std::vector<uint32_t> num_inputs(n, 0);
  for (const RawEdge& e : raw_edges_) ++num_inputs[e.to];
  std::vector<uint32_t> queue;
  for (uint32_t i = 0; i < n; ++i) {
    if (num_inputs[i] != 0) continue;
    frame_of_[i] = 0;
    queue.push_back(i);
  }
  for (size_t head = 0; head < queue.size(); ++head) {
    const uint32_t i = queue[head];
    const NodeKind kind = plan.frame_nodes[i].kind;
    if (kind == NodeKind::kEnter) RETURN_IF_ERROR(EnterFrame(i));
    if (kind == NodeKind::kExit && frame_of_[i] == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("node ", FrameNodeName(i), " (Exit): expected an Enter before it, got none"));
    }
    const int out = FrameAfter(i);
    for (uint32_t e = first_raw_edge_[i]; e < first_raw_edge_[i + 1]; ++e) {
      const uint32_t to = raw_edges_[e].to;
      if (frame_of_[to] >= 0) continue;
      frame_of_[to] = out;
      queue.push_back(to);
    }
  }
  for (uint32_t i = 0; i < n; ++i) {
    if (frame_of_[i] >= 0) continue;
    frame_of_[i] = 0;  // unreachable: never becomes ready
    if (plan.frame_nodes[i].kind != NodeKind::kEnter) continue;
    // The loop of that name waits for this Enter all the same (1.5).
    const std::string name = FrameName(i);
    for (FramePlan& frame : plan.frames) frame.num_enters += !name.empty() && frame.name == name;
  }
  return absl::OkStatus();
}

// Every node's inputs come from one frame, and a frame has one loop condition (1.4).
absl::Status PlanBuilder::CheckFrames() {
  Plan& plan = *plan_;
  std::vector<int32_t> first_input(plan.instructions.size(), -1);
  for (const RawEdge& e : raw_edges_) {
    int32_t& first = first_input[e.to];
    if (first < 0) {
      first = static_cast<int32_t>(e.from);
      continue;
    }
    if (FrameAfter(e.from) != FrameAfter(first)) {
      return absl::InvalidArgumentError(
          absl::StrCat("node ", FrameNodeName(e.to), ": expected all inputs from one frame, got ", FrameNodeName(first),
                       " from frame '", plan.frames[FrameAfter(first)].name, "' and ", FrameNodeName(e.from),
                       " from frame '", plan.frames[FrameAfter(e.from)].name, "'"));
    }
  }
  std::vector<int32_t> condition(plan.frames.size(), -1);
  for (uint32_t i = 0; i < plan.instructions.size(); ++i) {
    if (plan.frame_nodes[i].kind != NodeKind::kLoopCond || absl::StrContains(FrameNodeName(i), "LoopCounter")) continue;
    int32_t& other = condition[frame_of_[i]];
    if (other >= 0) {
      return absl::InvalidArgumentError(absl::StrCat("loop '", plan.frames[frame_of_[i]].name,
                                                     "': expected one LoopCond, got ", FrameNodeName(other), " and ",
                                                     FrameNodeName(i), "; two loops may not share a frame_name"));
    }
    other = static_cast<int32_t>(i);
  }
  return absl::OkStatus();
}

void PlanBuilder::FillFrames() {
  Plan& plan = *plan_;
  const uint32_t n = static_cast<uint32_t>(plan.instructions.size());
  for (uint32_t i = 0; i < n; ++i) {
    FrameNode& node = plan.frame_nodes[i];
    FramePlan& frame = plan.frames[frame_of_[i]];
    node.frame = static_cast<uint32_t>(frame_of_[i]);
    node.position = static_cast<uint32_t>(frame.nodes.size());
    if (node.kind == NodeKind::kExit) node.number = frame.num_exits++;
    frame.nodes.push_back(i);
    frame.pending.push_back({node.kind == NodeKind::kMerge ? 1u : 0u, 0});
    plan.instructions[i].first_input = frame.num_slots;
    // A Merge takes one value, whichever comes first, and its index.
    frame.num_slots += node.kind == NodeKind::kMerge ? 2 : plan.instructions[i].num_inputs;
  }
  std::vector<uint32_t> num_inputs(n, 0);
  std::vector<bool> port_seen;
  plan.edges.reserve(raw_edges_.size());
  for (uint32_t i = 0; i < n; ++i) {
    FrameNode& from = plan.frame_nodes[i];
    from.first_edge = static_cast<uint32_t>(plan.edges.size());
    from.num_edges = first_raw_edge_[i + 1] - first_raw_edge_[i];
    for (uint32_t e = first_raw_edge_[i]; e < first_raw_edge_[i + 1]; ++e) {
      const RawEdge& raw = raw_edges_[e];
      const FrameNode& to = plan.frame_nodes[raw.to];
      FrameEdge edge;
      edge.node = to.position;
      edge.instruction = raw.to;
      edge.port = raw.port;
      edge.input = raw.input;
      edge.to_merge = to.kind == NodeKind::kMerge;
      edge.to_next = to.kind == NodeKind::kNextIteration;
      edge.slot = plan.instructions[raw.to].first_input + (edge.to_merge ? 0 : raw.input);
      edge.enter_to_merge = edge.to_merge && (from.kind == NodeKind::kEnter || from.kind == NodeKind::kConstantEnter);
      plan.edges.push_back(edge);
      ++num_inputs[raw.to];
      PendingCount& pending = plan.frames[to.frame].pending[to.position];
      if (edge.to_merge) {
        if (raw.port < 0) pending.pending += 2;
      } else {
        ++pending.pending;
      }
    }
    port_seen.assign(plan.instructions[i].num_outputs, false);
    for (uint32_t e = from.num_edges; e-- > 0;) {
      FrameEdge& edge = plan.edges[from.first_edge + e];
      if (edge.port < 0) continue;
      edge.last_of_port = !port_seen[edge.port];
      port_seen[edge.port] = true;
    }
  }
  for (uint32_t i = 0; i < n; ++i) {
    if (num_inputs[i] == 0) plan.roots.push_back(i);
  }
  std::stable_sort(plan.roots.begin(), plan.roots.end(),
                   [&](uint32_t a, uint32_t b) { return BuildOrder(a) < BuildOrder(b); });
  uint32_t max_slots = 0;
  for (const FramePlan& frame : plan.frames) max_slots = std::max(max_slots, frame.num_slots);
  plan.iota.resize(max_slots + 1);
  std::iota(plan.iota.begin(), plan.iota.end(), 0);
}

}  // namespace flowlatch
