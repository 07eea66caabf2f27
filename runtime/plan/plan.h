// Plan: what one step executes, made once for its feeds, fetches and targets, and shared by all its runs.
//
// A flat plan is a list of instructions for the calling thread; slots are reused as values die. Plans with Switch,
// Merge, Enter, Exit or kernels that wait are framed: nodes with pending counts, grouped by the frame that they run in
// (semantics.md, section 1).
#ifndef FLOWLATCH_RUNTIME_PLAN_PLAN_H_
#define FLOWLATCH_RUNTIME_PLAN_PLAN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/ir/graph.h"
#include "graph/passes/expand_functions.h"
#include "runtime/kernel/callee.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

// What the executor does with a node beside, or instead of, calling its kernel.
enum class NodeKind : uint8_t {
  kKernel,
  kAsyncKernel,
  kSwitch,
  kSwitchN,
  kMerge,
  kEnter,
  kConstantEnter,
  kExit,
  kNextIteration,
  kLoopCond,
  kControlTrigger,
  kFeed,   // a root whose output is fed
  kFetch,  // takes a fetched value
};
NodeKind KindOf(const OpSchema& schema);

// One executed node; small, since plans are walked from front to back.
struct Instruction {
  KernelFn fn = nullptr;
  const KernelState* state = nullptr;
  uint64_t forwardable = 0;   // flat: bit i says that input i dies here and nobody else reads it; framed: all ones
  uint64_t release = 0;       // flat: bit i says that the slot of input i is emptied after this
  uint32_t first_input = 0;   // flat: into Plan::input_slots; framed: slot within the iteration
  uint32_t first_output = 0;  // flat: slot
  uint32_t num_inputs = 0;
  uint32_t num_outputs = 0;
  NodeId node = -1;              // in the graph
  uint32_t reference_check = 0;  // 0, or 1 + index into Plan::reference_checks
  uint32_t fused = 0;            // flat: 0, or 1 + index of the group in Plan::fused_groups that starts here
};
static_assert(sizeof(Instruction) == 64);

// For a node with inputs that come from reference ports.
struct ReferenceCheck {
  std::vector<uint32_t> dereference;  // inputs to be read before the kernel runs
  std::vector<uint32_t> initialized;  // inputs whose variable must be initialised
};

inline constexpr int kMaxFusedScratch = 6;  // pieces of scratch memory that a group may use at once

// Consecutive instructions of a flat plan that run together if they can, and one by one otherwise. Values that only the
// group reads never get to memory. Either a chain (chain.h), or elementwise nodes, which run on pieces of the data if their operands
// turn out to have one shape (or one element).
struct FusedGroup {
  struct Operand {
    int32_t member = -1;    // its result; -1: an external
    uint32_t external = 0;  // index into external_slots
  };
  struct Member {
    TileFn tile = nullptr;
    const KernelState* state = nullptr;
    Operand x, y;
    bool has_y = false;
    DType dtype = DType::kInvalid;  // of the result
    int32_t scratch = -1;           // the piece of scratch memory that holds the result; -1: it is an output
    uint32_t slot = 0;              // of an output
  };
  uint32_t num_instructions = 0;
  // A chain's.
  KernelFn fn = nullptr;
  const KernelState* state = nullptr;
  uint64_t forwardable = 0;  // as an instruction's
  std::vector<uint32_t> output_slots;
  // Of elementwise nodes.
  std::vector<Member> members;
  std::vector<uint32_t> external_slots;
  std::vector<DType> external_dtypes;
  std::vector<uint32_t> release;  // slots to be emptied
  int num_scratch = 0;
};

struct FrameEdge {
  uint32_t node = 0;         // position in its frame
  uint32_t instruction = 0;  // the same node's
  uint32_t slot = 0;         // in the iteration
  int32_t port = -1;         // -1: control edge
  uint8_t last_of_port = 0;  // the value may be moved
  uint8_t to_merge = 0;
  uint8_t enter_to_merge = 0;  // a dead value kills the Merge at once (1.31)
  uint8_t to_next = 0;         // to a NextIteration
  uint32_t input = 0;          // of the node; 0 for control edges
};

// The part of a node that only framed plans need.
struct FrameNode {
  NodeKind kind = NodeKind::kKernel;
  AsyncKernelFn async_fn = nullptr;
  uint32_t frame = 0;        // that it runs in
  uint32_t position = 0;     // among the nodes of its frame
  uint32_t child_frame = 0;  // of an Enter
  uint32_t first_edge = 0, num_edges = 0;
  uint32_t number = 0;  // among the feeds, fetches, or Exits of its frame
};

struct PendingCount {
  uint32_t pending = 0;  // Merge: 1 + 2 * control edges (1.2)
  uint32_t dead = 0;
};

struct FramePlan {
  std::string name;
  int parent = -1;
  int parallel_iterations = 1;
  int num_enters = 0;
  uint32_t num_exits = 0;
  uint32_t num_slots = 0;
  std::vector<uint32_t> nodes;        // instruction of each position
  std::vector<PendingCount> pending;  // a new iteration's counts, by position
};

using PlanRequest = StepPorts;

// Gives a node its kernel; the session keeps those of stateful nodes.
using KernelMaker = std::function<absl::StatusOr<Kernel>(const NodeInfo&)>;

struct PlanOptions {
  KernelMaker make_kernel;
  CalleeResolver* functions = nullptr;
  bool force_frames = false;  // also plans that could run flat: for tests
  bool fuse = true;           // whether nodes may run together
  FunctionalForm functional = FunctionalForm::kAsMarked;
  bool drop_unread = false;   // whether flat plans leave out nodes without effects whose values nobody reads
};

class Plan {
 public:
  // `functions` of the options is kept in the kernels' states and must outlive the plan.
  // Errors: Unimplemented naming every node without a kernel, InvalidArgument for malformed loops and attributes.
  static absl::StatusOr<std::shared_ptr<const Plan>> Build(std::shared_ptr<const Graph> graph,
                                                           const PlanRequest& request, const PlanOptions& options);

  const Graph& graph() const { return *graph_; }
  std::string NodeText(uint32_t instruction) const;  // "node 'a/b' (MatMul)"

  bool flat = true;
  bool is_async = false;
  std::vector<Instruction> instructions;
  std::vector<ReferenceCheck> reference_checks;
  std::vector<DType> feed_dtypes;
  std::vector<std::string> feed_names, fetch_names;

  // Flat.
  std::vector<uint32_t> input_slots;
  uint32_t num_slots = 0;
  std::vector<uint32_t> feed_slots;   // one for each feed
  std::vector<uint32_t> fetch_slots;  // one for each fetch
  std::vector<FusedGroup> fused_groups;

  // Framed.
  std::vector<FrameNode> frame_nodes;  // one for each instruction
  std::vector<FrameEdge> edges;
  std::vector<FramePlan> frames;  // 0 is the root
  std::vector<uint32_t> roots;    // instructions without inputs
  std::vector<uint32_t> iota;     // 0, 1, 2, ...: the input slots of a node at slot s start at iota[s]
  uint32_t max_outputs = 0;

 private:
  friend class PlanBuilder;
  std::shared_ptr<const Graph> graph_;
  std::vector<std::shared_ptr<const KernelState>> states_;  // keeps them alive
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_PLAN_PLAN_H_
