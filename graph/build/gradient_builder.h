// GradientBuilder: what builds the gradients of one call of Gradients. For the parts of graph/build alone.
//
// A loop is one unit of the graph around it: its inputs are those of its Enters, its outputs the Exits. Its gradient is a loop in
// which the units of its body are handled in turn. Forward values that the backward loop needs are pushed on lists, which the
// forward loop carries as further variables.
#ifndef FLOWLATCH_GRAPH_BUILD_GRADIENT_BUILDER_H_
#define FLOWLATCH_GRAPH_BUILD_GRADIENT_BUILDER_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "graph/build/builder_graph.h"
#include "graph/build/gradients.h"

namespace flowlatch {

class LoopBuilder;

// Whether gradients flow through values of this dtype.
bool HasGradient(DType dtype);

class GradientBuilder {
 public:
  GradientBuilder(GraphBuilder* b, const GradientOptions& options, std::source_location at);

  std::vector<Grad> Build(const Outputs& ys, const Outputs& xs);

  // A value of the forward pass as the backward pass sees it: the value itself, or in a loop what it was in the iteration.
  Output Value(Port port);
  // Its shape, a vector of `dtype`; a constant where it is known.
  Output ShapeOf(Port port, DType dtype);
  // Zeros like the value.
  Output ZerosLike(Port port);

 private:
  struct Piece {
    Output dense;
    std::optional<IndexedSlices> slices;
    ContextId context = kRootContext;  // where it was made
    bool exists() const { return static_cast<bool>(dense) || slices.has_value(); }
  };
  struct BackwardLoop {
    ContextId context;
    absl::flat_hash_map<Port, Output> values;  // of the forward loop
  };

  BuilderGraph& g() { return b_.current(); }
  Output At(Port port) { return Output(&b_, b_.state().graph, port); }
  const Node& node(NodeId id) { return g().graph.node(id); }

  // Marks the nodes between xs and ys.
  void Mark(const std::vector<Port>& ys, const std::vector<Port>& xs);
  // Sorts the nodes that are marked by the loop that they are in.
  void GroupByLevel();
  // The unit that makes `port` at the level of `loop`: a node's id, num_nodes + context of a loop, or -1 where it comes from outside.
  int UnitOf(Port port, ContextId loop);
  template <typename Visit>
  void ForEachInput(int unit, Visit&& visit);
  void AddPiece(Port port, Piece piece);
  // What arrives at a port, added up in the context where its gradient belongs.
  Piece Sum(Port port);
  Output DenseSum(Port port);
  Piece Lift(Piece piece, Port port);
  // All units of a level in an order that ends at those nearest to xs.
  void RunLevel(ContextId loop);
  void RunNode(NodeId id);
  void RunSwitch(NodeId id);
  void RunMerge(NodeId id);
  void RunLoop(ContextId loop);
  // The context in which gradients of nodes of `forward` are made.
  ContextId GradientContext(ContextId forward);
  BuilderScope EnterGradientContext(ContextId forward);
  Output MergeValues(const Outputs& values);
  Output ZerosOfVariable(Port port, DType dtype);
  Port LoopExit(ContextId loop, const LoopVariable& variable);
  bool AddSlicesOfIterations(LoopBuilder* back, NodeId enter, ContextId parent);
  Output Accumulate(Port port);
  Output TripCount(ContextId loop);
  // In each branch between `outer` and `inner`, `value` merged with what the other branches make of it.
  Output MergeOut(Output value, ContextId inner, ContextId outer, const std::function<Output()>& other);
  std::string Reason(Port x, const std::vector<Port>& ys);

  GraphBuilder& b_;
  const GradientOptions& options_;
  const std::source_location at_;
  std::string scope_;  // the name scope of all that is made here
  ContextId base_ = kRootContext;  // the context of the call
  ContextId base_loop_ = -1;
  std::vector<bool> between_, stopped_;
  absl::flat_hash_map<ContextId, std::vector<NodeId>> levels_;  // nodes between, by the loop that they are in
  absl::flat_hash_map<ContextId, std::vector<ContextId>> inner_loops_;
  int num_nodes_ = 0;                     // of the graph before gradients were added
  std::vector<ContextId> structure_of_;   // the loop whose Enter, Merge, Switch, NextIteration, Exit or LoopCond a node is, or -1
  std::vector<int> pending_;              // by unit: consumers between that were not handled yet
  absl::flat_hash_map<Port, absl::InlinedVector<Piece, 2>> pieces_;
  absl::flat_hash_map<ContextId, BackwardLoop> backward_;
  absl::flat_hash_map<ContextId, ContextId> gradient_contexts_;
  absl::flat_hash_map<ContextId, Output> trip_counts_;
  absl::flat_hash_set<NodeId> cut_;  // nodes at which a gradient ended though its inputs lead to xs

  friend class NodeGradContext;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_BUILD_GRADIENT_BUILDER_H_
