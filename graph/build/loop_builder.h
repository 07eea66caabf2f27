// LoopBuilder: one loop of Enter, Merge, Switch, NextIteration and Exit, variable by variable. While uses it, and gradients, which
// add variables to loops that exist.
#ifndef FLOWLATCH_GRAPH_BUILD_LOOP_BUILDER_H_
#define FLOWLATCH_GRAPH_BUILD_LOOP_BUILDER_H_

#include <source_location>
#include <string>

#include "graph/build/builder_graph.h"
#include "graph/build/graph_builder.h"

namespace flowlatch {

// What is wrong with the number of variables or the options of a while loop of either form, or "".
std::string LoopProblem(size_t num_variables, const WhileOptions& options);

// Of the builder's current graph. After the builder's first error everything does nothing.
class LoopBuilder {
 public:
  // A new loop in the current context. `frame` is made unique.
  static LoopBuilder Begin(GraphBuilder* b, std::string_view frame, int64_t parallel_iterations, std::source_location at);
  // A loop that exists, the current context being outside of it.
  LoopBuilder(GraphBuilder* b, ContextId context, std::source_location at) : b_(*b), context_(context), at_(at) {}

  ContextId context() const { return context_; }
  // Enters the loop: what is made inside belongs to its body (or, before SetPredicate, to its predicate).
  BuilderScope Enter() { return b_.EnterContext(context_); }
  // A variable with an initial value from outside; `shape` must hold in every iteration. Gives its number.
  int AddVariable(const Output& initial, const PartialShape& shape);
  // What the predicate sees. Requires: a variable.
  Output merged(int variable);
  // Ends the predicate: the body runs while this bool scalar of the loop is true.
  void SetPredicate(const Output& predicate);
  // What the body sees. Requires: SetPredicate was called, or the loop existed.
  Output body(int variable);
  void SetNext(int variable, const Output& next);
  // The last value, outside of the loop.
  Output exit(int variable);

 private:
  ControlFlowContext& loop() { return b_.current().contexts[context_]; }
  Output At(Port port) { return Output(&b_, b_.state().graph, port); }
  void AddSwitch(int variable);

  GraphBuilder& b_;
  ContextId context_;
  std::source_location at_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_BUILD_LOOP_BUILDER_H_
