// OptimizerRule: what is particular to one optimizer. Most are their Apply and SparseApply ops, whose inputs the rule names.
#ifndef FLOWLATCH_GRAPH_TRAIN_OPTIMIZER_RULE_H_
#define FLOWLATCH_GRAPH_TRAIN_OPTIMIZER_RULE_H_

#include <string>
#include <string_view>
#include <vector>

#include "graph/build/graph_builder.h"
#include "graph/build/variable.h"

namespace flowlatch {

// A step on some rows of one variable: what its nodes are made of.
struct SparseStep {
  GraphBuilder& b;
  const GraphVariable& variable;
  Output rows, indices;  // of the gradient; each index once
  bool use_locking;
  std::function<GraphVariable(std::string_view name)> slot;
  std::function<Output(std::string_view input)> number;  // in the variable's dtype
  std::source_location at;
};

struct OptimizerRule {
  struct Slot {
    std::string input;  // of the op
    std::string name;   // for Optimizer::slot
    double initial = 0;
    std::string variable_name = {};  // after "w/"; "": the optimizer's name
  };
  struct Number {
    std::string input;
    std::string node;  // name of the constant
    Input value;
  };
  // A variable that begins as a number and is multiplied with it after each step.
  struct Power {
    std::string input;
    std::string number;  // the input of the number
  };

  std::string name;  // of its steps
  bool use_locking = false;
  std::string op;  // as in ApplyMomentum
  std::vector<Slot> slots = {};
  std::vector<Number> numbers = {};
  std::vector<Power> powers = {};
  std::vector<AttrMap::Entry> attrs = {};
  GraphVariable global_step = {};  // an input of the op too
  // Steps on some rows: by the SparseApply op, by nodes of their own, or by the dense op.
  enum class Sparse { kOp, kNodes, kDense } sparse = Sparse::kOp;
  Operation (*sparse_nodes)(const SparseStep& step) = nullptr;
  bool adds_duplicates = true;  // before a sparse step
  std::string error = {};       // why its options cannot be
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_TRAIN_OPTIMIZER_RULE_H_
