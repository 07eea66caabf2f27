// PlanBuilder: from a graph and a request to a plan, in steps: prune, choose kernels, then lay out flat or in frames.
#ifndef FLOWLATCH_RUNTIME_PLAN_PLAN_BUILDER_H_
#define FLOWLATCH_RUNTIME_PLAN_PLAN_BUILDER_H_

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "runtime/plan/plan.h"

namespace flowlatch {

// Which outputs of a node of a chain may be read outside.
enum class Visible { kNone, kAllButFirst, kAll };

// Used once, by Plan::Build.
class PlanBuilder {
 public:
  PlanBuilder(std::shared_ptr<const Graph> graph, const PlanRequest& request, const PlanOptions& options)
      : graph_(*graph), request_(request), options_(options), plan_(std::make_shared<Plan>()) {
    plan_->graph_ = std::move(graph);
  }
  absl::StatusOr<std::shared_ptr<const Plan>> Build();

 private:
  // Marks the nodes that feeds, fetches and targets need; fills needed_ in depth-first order, inputs first.
  void Prune();
  bool IsFed(Port port) const { return any_feed_ && feed_of_.contains(port); }
  bool ControlMovesToFeed(NodeId node) const;  // rule 2.4
  absl::Status ChooseKernels();
  void CheckReferences(NodeId node, Instruction& instruction);
  void MoveConstantsToTheFront();
  // Leaves out nodes that only order others: in a flat plan the order stays without them.
  void DropUnread();
  bool HasNoEffect(NodeId node) const;
  void LayOutFlat();

  // Chains, of flat plans: nodes in a row, or siblings.
  struct Chain {
    std::vector<NodeId> nodes;
    std::vector<Visible> visible;  // by node
    Kernel kernel;                 // of all together
  };
  // Finds chains that have a kernel and makes their instructions neighbours.
  void FormChains();
  // Finds siblings that stand together, or would but for nodes that may as well come before them.
  void FormSiblings();
  bool MayBeSibling(uint32_t i) const;
  bool AreSiblings(uint32_t i, uint32_t k) const;
  bool PassesOn(NodeId node) const;
  void FindReaders();
  int32_t NextInChain(NodeId node, Visible visible, std::string_view op) const;
  bool MayChain(uint32_t i) const;
  uint32_t FirstVisible(const Chain& chain, size_t k) const;  // output
  std::vector<Port> ChainInputs(const Chain& chain) const;
  bool ReadsItself(const Chain& chain) const;
  bool StaysWhileHeld(Port port) const;
  bool MakeChainKernel(Chain& chain);
  bool DependsOn(NodeId node, uint32_t begin, uint32_t end) const;
  void MoveInstruction(uint32_t from, uint32_t to);
  bool BringTogether(const Chain& chain);
  void AddChainGroup(const Chain& chain);

  // Finds groups in a flat plan whose slots are assigned. `last_reader`: of each output, by first_port[instruction] +
  // port.
  void FuseElementwise(const std::vector<uint32_t>& first_port, const std::vector<uint32_t>& last_reader);
  // Makes [begin, end) a group if it is worth it.
  void AddFusedGroup(uint32_t begin, uint32_t end, const std::vector<uint32_t>& first_port,
                     const std::vector<uint32_t>& last_reader);
  absl::Status LayOutFrames();

  // Frames.
  void AddFeedAndFetchNodes();
  void CollectEdges();
  absl::Status AssignFrames();
  absl::Status CheckFrames();
  absl::Status EnterFrame(uint32_t enter);
  // The name of the frame that an Enter opens; "" without one.
  std::string FrameName(uint32_t enter) const;
  int FrameAfter(uint32_t instruction) const;
  void FillFrames();
  int64_t BuildOrder(uint32_t instruction) const;
  std::string FrameNodeName(uint32_t instruction) const;

  struct RawEdge {
    uint32_t from, to;
    int32_t port;    // -1: control
    uint32_t input;  // of `to`
  };

  const Graph& graph_;
  const PlanRequest& request_;
  const PlanOptions& options_;
  std::shared_ptr<Plan> plan_;

  bool any_feed_ = false;
  absl::flat_hash_map<Port, uint32_t> feed_of_;
  std::vector<NodeId> needed_;            // instruction i executes needed_[i]
  std::vector<int32_t> instruction_of_;   // by node, -1: pruned
  std::vector<NodeKind> kinds_;           // by instruction
  std::vector<AsyncKernelFn> async_fns_;  // by instruction; only of framed plans
  std::vector<TileFn> tiles_;             // by instruction; empty if there are none
  bool needs_frames_ = false;
  absl::flat_hash_map<Port, std::vector<NodeId>> readers_;  // for chains; -1: a fetch
  std::vector<Chain> chains_;

  std::vector<uint32_t> feed_nodes_;      // instruction of each feed
  std::vector<RawEdge> raw_edges_;        // sorted by `from`
  std::vector<uint32_t> first_raw_edge_;  // by `from`
  std::vector<int32_t> frame_of_;         // by instruction, -1: not reached
  std::vector<NodeId> first_enter_;       // by frame: the Enter that tells parallel_iterations (1.6)
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_PLAN_PLAN_BUILDER_H_
