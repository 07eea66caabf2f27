#include "runtime/exec/frame_executor.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/exec/frame_memory.h"
#include "runtime/exec/run_context.h"
#include "runtime/exec/step_loop.h"

namespace flowlatch {
namespace {

constexpr uint32_t kNodesPerCheck = 64;

// A node whose inputs have all arrived.
struct ReadyNode {
  Iteration* iteration;
  uint32_t instruction;
  uint32_t dead;
};

class ReadyStack {
 public:
  void Push(uint32_t instruction, Iteration* iteration, bool dead) {
    if (size_ == nodes_.size()) nodes_.resize(size_ * 2);
    // Field by field: a copy of the whole struct would wait for these stores.
    ReadyNode& node = nodes_[size_++];
    node.iteration = iteration;
    node.instruction = instruction;
    node.dead = dead;
  }
  ReadyNode Pop() {
    const ReadyNode& node = nodes_[--size_];
    return {node.iteration, node.instruction, node.dead};
  }
  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }

 private:
  std::vector<ReadyNode> nodes_ = std::vector<ReadyNode>(64);
  size_t size_ = 0;
};

// The newest ready node runs first: its inputs are still in the cache, and memory stays bounded. Loops go on when
// nothing else is left to do, so that iterations overlap only where kernels wait.
class LifoQueue {
 public:
  void Push(uint32_t instruction, Iteration* iteration, bool dead, bool goes_on) {
    (goes_on ? next_iterations_ : nodes_).Push(instruction, iteration, dead);
  }
  ReadyNode Pop() { return nodes_.empty() ? next_iterations_.Pop() : nodes_.Pop(); }
  bool empty() const { return nodes_.empty() && next_iterations_.empty(); }
  void clear() {
    nodes_.clear();
    next_iterations_.clear();
  }

 private:
  ReadyStack nodes_, next_iterations_;
};

// One run. Lives on the heap until done_ was called, since kernels that wait may outlive the caller's stack frame.
// ReadyQueue decides which ready node runs next; every choice is a legal schedule.
template <typename ReadyQueue>
class FrameRun final : public RunContext {
 public:
  FrameRun(const Plan& plan, const StepServices& services, int call_depth, const std::string& prefix,
           FrameMemory& memory, absl::Span<Tensor> feeds, absl::Span<Tensor> results, Done done)
      : RunContext(plan, services, call_depth, prefix),
        memory_(memory),
        feeds_(feeds),
        results_(results),
        done_(std::move(done)),
        instructions_(plan.instructions.data()),
        frame_nodes_(plan.frame_nodes.data()),
        edges_(plan.edges.data()),
        outputs_(plan.max_outputs) {}

  void Start() {
    FrameInstance* root = memory_.NewFrame(0, nullptr);
    root->pending_enters = 0;
    root_ = StartIteration(root, 0);
    CountFrame(root);
    for (auto root_node = plan_.roots.rbegin(); root_node != plan_.roots.rend(); ++root_node)
      MakeReady(*root_node, root_, false);
    GoOn();
  }
  std::string FrameTag() const override {
    std::string tag;
    for (const Iteration* it = current_; it != nullptr && it->frame->parent_iteration != nullptr;
         it = it->frame->parent_iteration) {
      absl::StrAppend(&tag, "/", it->frame->plan->name, ";", it->number);
    }
    return tag;
  }

 private:
  // A kernel that has started and may report later, from any thread. Kept for the next one.
  struct AsyncCall {
    explicit AsyncCall(FrameRun* owner) : run(owner), outputs(owner->plan_.max_outputs) {}
    // Called by the kernel's return and by its report; the second goes on with the step.
    bool IsSecond() { return reached.exchange(true, std::memory_order_acq_rel); }

    FrameRun* const run;
    uint32_t instruction = 0;
    Iteration* iteration = nullptr;
    std::vector<Tensor> outputs;
    std::optional<KernelCall> call;
    std::atomic<bool> reached{false};
    // The report. Code and text apart: copies of one Status in two threads look like races to TSan.
    absl::StatusCode code = absl::StatusCode::kOk;
    std::string text;
  };

  // Runs ready nodes; ends the run when nothing is ready and nothing waits.
  void GoOn() {
    while (!ready_.empty() && !failed()) {
      const ReadyNode next = ready_.Pop();
      if (++processed_ % kNodesPerCheck == 0 && !CheckInterrupted(next.instruction)) break;
      Process(next);
    }
    if (failed()) {
      ready_.clear();
      // Whatever waits shall stop waiting; what it reports is dropped.
      if (waiting_ > 0) services().cancellation->Cancel(status());
    }
    if (waiting_ > 0) return;
    Finish();
  }

  void Finish() {
    if (!failed()) {
      for (size_t i = 0; i < results_.size(); ++i) {
        if (results_[i].has_value()) continue;
        FailFetch(i, absl::InvalidArgumentError(
                         "expected a value, got a dead or never computed tensor: it is on a branch that was not taken, "
                         "or in a loop that did not get there"));
        break;
      }
    }
    memory_.Reset();
    Done done = std::move(done_);
    const absl::Status end = status();
    delete this;
    done(end);
  }

  void Process(const ReadyNode& ready) {
    const uint32_t i = ready.instruction;
    const Instruction& ins = instructions_[i];
    const FrameNode& node = frame_nodes_[i];
    Iteration* const it = ready.iteration;
    Tensor* const in = it->slots + ins.first_input;
    if (ABSL_PREDICT_FALSE(ready.dead)) {
      if (record_ != nullptr) ++record_->nodes[i].dead;
      for (uint32_t k = 0; k < NumSlots(ins, node); ++k) in[k].Clear();
      PropagateDead(i, it);
      return;
    }
    Tensor* outputs = outputs_.data();
    switch (node.kind) {
      case NodeKind::kKernel:
        if (!RunKernelOf(i, ins, it, in)) return;
        break;
      case NodeKind::kAsyncKernel:
        StartAsync(i, ins, node, it, in);
        return;
      case NodeKind::kSwitch:
        if (!RunSwitch(i, ins, in)) return;
        break;
      case NodeKind::kSwitchN:
        if (!RunSwitchN(i, ins, in)) return;
        break;
      // What passes values on gives them from where they are.
      case NodeKind::kMerge:
        outputs = in;  // the value and its index
        break;
      case NodeKind::kLoopCond:
        if (!CheckInterrupted(i)) return;
        [[fallthrough]];
      case NodeKind::kEnter:
      case NodeKind::kConstantEnter:
      case NodeKind::kExit:
      case NodeKind::kNextIteration:
        if (!Dereference(i, ins, in)) return;
        outputs = in;
        break;
      case NodeKind::kControlTrigger:
        break;
      case NodeKind::kFeed:
        outputs_[0] = std::move(feeds_[node.number]);
        break;
      case NodeKind::kFetch:
        if (!Fetch(node.number, in[0])) return;
        break;
    }
    if (record_ != nullptr && node.kind != NodeKind::kKernel && ins.node >= 0) {
      services().recorder->Executed(record_->nodes[i], 0, {outputs, ins.num_outputs});
    }
    Propagate(i, it, outputs);
  }

  static uint32_t NumSlots(const Instruction& ins, const FrameNode& node) {
    return node.kind == NodeKind::kMerge ? 2 : ins.num_inputs;
  }

  bool RunKernelOf(uint32_t i, const Instruction& ins, Iteration* it, Tensor* in) {
    const int64_t start_ns = record_ != nullptr ? StepRecorder::NowNs() : 0;
    const uint32_t* const positions = plan_.iota.data() + ins.first_input;
    current_ = it;
    KernelStatus status = KernelStatus::kError;
    try {
      if (ABSL_PREDICT_TRUE(ins.reference_check == 0)) {
        KernelCall call(this, it->slots, positions, outputs_.data(), ins.state, ins.num_inputs, ins.num_outputs,
                        ins.forwardable, i);
        status = ins.fn(call);
      } else {
        status = CallWithReferences(ins, i, it->slots, positions, outputs_.data());
      }
    } catch (...) {
      FailByException(i);
    }
    if (ABSL_PREDICT_FALSE(status != KernelStatus::kOk)) return false;
    if (record_ != nullptr) {
      services().recorder->Executed(record_->nodes[i], StepRecorder::NowNs() - start_ns, {outputs_.data(), ins.num_outputs});
    }
    for (uint32_t k = 0; k < ins.num_inputs; ++k) in[k].Clear();
    return true;
  }

  // Reads a reference that arrives at a value input of a node without kernel.
  bool Dereference(uint32_t i, const Instruction& ins, Tensor* in) {
    return ABSL_PREDICT_TRUE(ins.reference_check == 0) || DereferenceChecked(i, ins, in);
  }
  bool DereferenceChecked(uint32_t i, const Instruction& ins, Tensor* in) {
    const ReferenceCheck& check = plan_.reference_checks[ins.reference_check - 1];
    for (const uint32_t input : check.initialized) {
      if (in[input].has_value()) continue;  // fed in place of the reference
      Variable* variable = ReferencedVariable(in[input]);
      Tensor value = variable != nullptr ? variable->Read() : Tensor();
      if (!value.has_value()) {
        Fail(i, Uninitialized(variable));
        return false;
      }
      const auto& values = check.dereference;
      if (std::find(values.begin(), values.end(), input) != values.end()) in[input] = std::move(value);
    }
    return true;
  }

  bool RunSwitch(uint32_t i, const Instruction& ins, Tensor* in) {
    if (!Dereference(i, ins, in)) return false;
    if (in[1].rank() != 0 || in[1].dtype() != DType::kBool) {
      Fail(i, absl::InvalidArgumentError(absl::StrCat("predicate: expected a scalar bool, got ",
                                                      std::string(DTypeName(in[1].dtype())), in[1].ShapeString())));
      return false;
    }
    const int taken = in[1].scalar<bool>() ? 1 : 0;
    outputs_[taken] = std::move(in[0]);
    outputs_[1 - taken].SetDead();
    in[1].Clear();
    return true;
  }

  bool RunSwitchN(uint32_t i, const Instruction& ins, Tensor* in) {
    if (!Dereference(i, ins, in)) return false;
    if (in[1].rank() != 0 || in[1].dtype() != DType::kInt32) {
      Fail(i, absl::InvalidArgumentError(absl::StrCat("branch index: expected a scalar int32, got ",
                                                      std::string(DTypeName(in[1].dtype())), in[1].ShapeString())));
      return false;
    }
    // Out of range, below zero too, means the last (5.22).
    const uint32_t taken = std::min(static_cast<uint32_t>(in[1].scalar<int32_t>()), ins.num_outputs - 1);
    for (uint32_t k = 0; k < ins.num_outputs; ++k) {
      if (k != taken) outputs_[k].SetDead();
    }
    outputs_[taken] = std::move(in[0]);
    in[1].Clear();
    return true;
  }

  bool Fetch(uint32_t fetch, Tensor& value) {
    Tensor read;
    if (value.kind() == Tensor::Kind::kRef) {
      if (!ReadFetchedReference(fetch, value, &read)) return false;
      value = std::move(read);
    }
    if (results_[fetch].has_value()) {
      FailFetch(fetch, absl::InvalidArgumentError(
                           "expected one value, got one in each iteration of a loop; fetch the loop's Exit"));
      return false;
    }
    results_[fetch] = std::move(value);
    return true;
  }

  // What has been reported when the kernel returns is handled at once, without the step's loop.
  void StartAsync(uint32_t i, const Instruction& ins, const FrameNode& node, Iteration* it, Tensor* in) {
    if (!Dereference(i, ins, in)) return;
    AsyncCall* const call = TakeAsyncCall();
    call->instruction = i;
    call->iteration = it;
    // Inputs stay in their slots, to which nobody writes while the node runs.
    call->call.emplace(this, it->slots, plan_.iota.data() + ins.first_input, call->outputs.data(), ins.state,
                       ins.num_inputs, ins.num_outputs, ins.forwardable, i);
    ++waiting_;
    current_ = it;
    const auto done = [call](const absl::Status& status) {  // small enough for a Done without memory of its own
      if (ABSL_PREDICT_FALSE(!status.ok())) {
        call->code = status.code();
        call->text = std::string(status.message());
      }
      if (!call->IsSecond()) return;
      call->run->services().loop->Post([call] {
        FrameRun* const run = call->run;
        run->Ended(call);
        run->GoOn();
      });
    };
    try {
      node.async_fn(*call->call, done);
    } catch (...) {
      done(StatusOfException());
    }
    if (call->IsSecond()) Ended(call);
  }

  void Ended(AsyncCall* call) {
    --waiting_;
    const uint32_t i = call->instruction;
    if (call->code != absl::StatusCode::kOk) {
      Fail(i, absl::Status(call->code, call->text));
      call->code = absl::StatusCode::kOk;
    } else if (!failed()) {
      if (record_ != nullptr) {
        services().recorder->Executed(record_->nodes[i], 0, {call->outputs.data(), instructions_[i].num_outputs});
      }
      Tensor* const in = call->iteration->slots + instructions_[i].first_input;
      for (uint32_t k = 0; k < instructions_[i].num_inputs; ++k) in[k].Clear();
      Propagate(i, call->iteration, call->outputs.data());
    }
    if (failed()) {
      for (Tensor& output : call->outputs) output.Clear();
    }
    idle_calls_.push_back(call);
  }

  AsyncCall* TakeAsyncCall() {
    if (idle_calls_.empty()) {
      async_calls_.push_back(std::make_unique<AsyncCall>(this));
      idle_calls_.push_back(async_calls_.back().get());
    }
    AsyncCall* const call = idle_calls_.back();
    idle_calls_.pop_back();
    call->reached.store(false, std::memory_order_relaxed);
    return call;
  }

  // --- Where outputs go (1.12-1.18)
  // -----------------------------------------------------------------------------------

  void MakeReady(uint32_t instruction, Iteration* it, bool dead, bool goes_on = false) {
    ++it->ready;
    ++it->started;
    ready_.Push(instruction, it, dead, goes_on);
  }

  void Propagate(uint32_t i, Iteration* it, Tensor* outputs) {
    const FrameNode& node = frame_nodes_[i];
    FrameInstance* const frame = it->frame;
    switch (node.kind) {
      case NodeKind::kEnter:
      case NodeKind::kConstantEnter:
        Enter(i, node, it, std::move(outputs[0]));
        break;
      case NodeKind::kExit:
        // One way out of a frame: what it leads to counts on one value.
        if (std::exchange(frame->exited[node.number], 1) != 0) {
          Fail(i, absl::InvalidArgumentError("expected one value, got another one in a later iteration: the Exit is "
                                             "not behind the loop's Switch"));
          return;
        }
        Deliver(i, frame->parent_iteration, outputs, false);
        break;
      case NodeKind::kNextIteration:
        if (frame->parent_iteration == nullptr) {  // in the root frame it passes through (12.2)
          Deliver(i, it, outputs, false);
        } else if (it->number < frame->highest) {
          Deliver(i, frame->iteration(it->number + 1), outputs, false);
        } else {
          frame->parked.push_back({i, std::move(outputs[0])});
          if (frame->outstanding() < frame->plan->parallel_iterations) NextIteration(frame);
        }
        break;
      default:
        Deliver(i, it, outputs, false);
    }
    NodeDone(it);
  }

  void PropagateDead(uint32_t i, Iteration* it) {
    const FrameNode& node = frame_nodes_[i];
    FrameInstance* const frame = it->frame;
    switch (node.kind) {
      case NodeKind::kEnter:
      case NodeKind::kConstantEnter:
        Enter(i, node, it, Tensor::Dead());
        break;
      case NodeKind::kExit:
        if (it->number == frame->highest) frame->dead_exits.push_back(i);
        break;
      case NodeKind::kNextIteration:
        if (frame->parent_iteration == nullptr) Deliver(i, it, nullptr, true);
        break;
      case NodeKind::kFetch:
        break;
      default:
        Deliver(i, it, nullptr, true);
    }
    NodeDone(it);
  }

  // Gives the outputs of a node to their consumers in iteration `to`. `dead`: the node was dead, and `outputs` is null.
  void Deliver(uint32_t i, Iteration* to, Tensor* outputs, bool dead) {
    const FrameNode& node = frame_nodes_[i];
    const FrameEdge* const edges = edges_ + node.first_edge;
    for (uint32_t e = 0; e < node.num_edges; ++e) {
      const FrameEdge& edge = edges[e];
      PendingCount& count = to->pending[edge.node];
      const bool is_dead = dead || (edge.port >= 0 && outputs[edge.port].is_dead());
      if (ABSL_PREDICT_FALSE(edge.to_merge)) {
        DeliverToMerge(edge, to, outputs, is_dead);
        continue;
      }
      if (is_dead) {
        ++count.dead;
      } else if (edge.port >= 0) {
        Store(edge, to, outputs);
      }
      if (--count.pending == 0) {
        const uint32_t instruction = edge.instruction;
        MakeReady(instruction, to, count.dead > 0 && frame_nodes_[instruction].kind != NodeKind::kControlTrigger,
                  edge.to_next != 0);
      }
    }
    if (dead) return;
    // Outputs that nobody takes, or that were dead, make room for the next node's.
    for (uint32_t p = 0; p < instructions_[i].num_outputs; ++p) outputs[p].Clear();
  }

  // Puts a value into a slot, which is empty: what was in it went when its node ran.
  static void Store(const FrameEdge& edge, Iteration* to, Tensor* outputs) {
    Tensor* const slot = &to->slots[edge.slot];
    if (edge.last_of_port) {
      new (slot) Tensor(std::move(outputs[edge.port]));
    } else {
      new (slot) Tensor(outputs[edge.port]);
    }
  }

  void DeliverToMerge(const FrameEdge& edge, Iteration* to, Tensor* outputs, bool is_dead) {
    PendingCount& count = to->pending[edge.node];
    const uint32_t instruction = edge.instruction;
    const uint32_t num_inputs = instructions_[instruction].num_inputs;
    if (edge.port < 0) {  // dead or not, a control edge only counts as arrived (1.30)
      count.pending -= 2;
      const bool all_dead = count.dead >= num_inputs;
      if (count.pending == 0) {
        MakeReady(instruction, to, false);
      } else if (count.pending == 1 && all_dead) {
        MakeMergeDead(instruction, to, count);
      }
    } else if (!is_dead) {
      if ((count.pending & 1) == 0) return;  // another input came first (1.32)
      Store(edge, to, outputs);
      to->slots[edge.slot + 1].SetScalar(static_cast<int32_t>(edge.input));
      if (--count.pending == 0) MakeReady(instruction, to, false);
    } else {
      if (count.dead >= num_inputs) return;
      count.dead = edge.enter_to_merge ? num_inputs : count.dead + 1;
      if (count.dead >= num_inputs && count.pending == 1) MakeMergeDead(instruction, to, count);
    }
  }

  // Dead by a dead Enter, it takes no value that comes later: it fires once (1.32).
  void MakeMergeDead(uint32_t instruction, Iteration* to, PendingCount& count) {
    count.pending = 0;
    MakeReady(instruction, to, true);
  }

  // --- Frames and iterations (1.10, 1.20-1.22)
  // ------------------------------------------------------------------------

  Iteration* StartIteration(FrameInstance* frame, int64_t number) {
    Iteration* it = memory_.NewIteration(frame, number);
    frame->highest = number;
    const size_t needed = static_cast<size_t>(frame->outstanding());
    if (frame->ring.size() < needed) {
      std::vector<Iteration*> larger(std::max<size_t>(4, 2 * needed));
      for (int64_t k = frame->lowest; k < number; ++k) larger[k % larger.size()] = frame->ring[k % frame->ring.size()];
      frame->ring = std::move(larger);
    }
    frame->ring[number % frame->ring.size()] = it;
    if (record_ != nullptr) ++record_->frames[frame->index].iterations;
    return it;
  }

  void CountFrame(const FrameInstance* frame) {
    if (record_ != nullptr) ++record_->frames[frame->index].instances;
  }

  FrameInstance* ChildFrame(Iteration* parent, uint32_t index) {
    for (FrameInstance* child = parent->children; child != nullptr; child = child->next_sibling) {
      if (child->index == index) return child;
    }
    FrameInstance* child = memory_.NewFrame(index, parent);
    child->next_sibling = parent->children;
    parent->children = child;
    ++parent->child_frames;
    StartIteration(child, 0);
    CountFrame(child);
    return child;
  }

  void Enter(uint32_t i, const FrameNode& node, Iteration* it, Tensor value) {
    FrameInstance* child = ChildFrame(it, node.child_frame);
    --child->pending_enters;
    if (node.kind == NodeKind::kConstantEnter) {
      child->invariants.push_back({i, value});
      for (int64_t k = child->lowest; k < child->highest; ++k) DeliverOne(i, child->iteration(k), value);
    }
    DeliverOne(i, child->iteration(node.kind == NodeKind::kConstantEnter ? child->highest : child->lowest),
               std::move(value));
    RetireFrom(child);
  }

  void DeliverOne(uint32_t i, Iteration* to, Tensor value) {
    const bool dead = value.is_dead();
    Deliver(i, to, dead ? nullptr : &value, dead);
  }

  // Starts iteration highest + 1 with the parked values, then the invariants.
  void NextIteration(FrameInstance* frame) {
    Iteration* it = StartIteration(frame, frame->highest + 1);
    frame->dead_exits.clear();
    parked_.swap(frame->parked);
    for (FrameInstance::Kept& kept : parked_) DeliverOne(kept.instruction, it, std::move(kept.value));
    parked_.clear();
    for (const FrameInstance::Kept& kept : frame->invariants) DeliverOne(kept.instruction, it, kept.value);
  }

  // A node of this iteration is done.
  void NodeDone(Iteration* it) {
    if (--it->ready == 0 && it->child_frames == 0 && it->frame->parent_iteration != nullptr) RetireFrom(it->frame);
  }

  // Retires iterations from the oldest on, then the frame, then perhaps its parents.
  void RetireFrom(FrameInstance* frame) {
    while (frame->parent_iteration != nullptr) {
      while (frame->lowest <= frame->highest) {
        Iteration* it = frame->iteration(frame->lowest);
        if (it->ready > 0 || it->child_frames > 0 || (frame->lowest == 0 && frame->pending_enters > 0)) return;
        ++frame->lowest;
        memory_.RetireIteration(it);
        if (!frame->parked.empty()) NextIteration(frame);
      }
      if (frame->pending_enters > 0) return;
      // The frame is done: its last dead exits are dead in the parent.
      Iteration* parent = frame->parent_iteration;
      for (const uint32_t exit : frame->dead_exits) {
        if (frame->exited[frame_nodes_[exit].number] == 0) Deliver(exit, parent, nullptr, true);
      }
      FrameInstance** link = &parent->children;
      while (*link != frame) link = &(*link)->next_sibling;
      *link = frame->next_sibling;
      memory_.FreeFrame(frame);
      --parent->child_frames;
      frame = parent->frame;
      if (parent->ready > 0 || parent->child_frames > 0) return;
    }
  }

  FrameMemory& memory_;
  const absl::Span<Tensor> feeds_;
  const absl::Span<Tensor> results_;
  Done done_;
  // Of the plan, at one step's distance: every node needs them.
  const Instruction* const instructions_;
  const FrameNode* const frame_nodes_;
  const FrameEdge* const edges_;
  std::vector<Tensor> outputs_;  // of the node that runs
  ReadyQueue ready_;
  Iteration* root_ = nullptr;
  Iteration* current_ = nullptr;
  std::vector<FrameInstance::Kept> parked_;  // being delivered
  int64_t waiting_ = 0;                      // kernels that have started and not reported
  std::vector<std::unique_ptr<AsyncCall>> async_calls_;
  std::vector<AsyncCall*> idle_calls_;
  uint32_t processed_ = 0;
};

}  // namespace

void FrameMemoryDeleter::operator()(FrameMemory* memory) const { delete memory; }

std::unique_ptr<FrameMemory, FrameMemoryDeleter> MakeFrameMemory(const Plan& plan) {
  return std::unique_ptr<FrameMemory, FrameMemoryDeleter>(new FrameMemory(plan));
}

void StartFrames(const Plan& plan, const StepServices& services, int call_depth, const std::string& prefix,
                 FrameMemory& memory, absl::Span<Tensor> feeds, absl::Span<Tensor> results, Done done) {
  auto* run = new FrameRun<LifoQueue>(plan, services, call_depth, prefix, memory, feeds, results, std::move(done));
  run->Start();
}

}  // namespace flowlatch
