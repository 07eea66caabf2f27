// Gradients: new nodes that compute d(sum of ys)/dx, on any graph of a builder: what was built here, and what was imported.
//
// They go through conds and while loops of Switch and Merge (of any nesting), through function calls, If, Case and While (whose
// bodies are put in the graph in place of the op first), and through gradients themselves, so that every order of derivative exists.
#ifndef FLOWLATCH_GRAPH_BUILD_GRADIENTS_H_
#define FLOWLATCH_GRAPH_BUILD_GRADIENTS_H_

#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "graph/build/graph_builder.h"

namespace flowlatch {

struct GradientOptions {
  // What arrives at each y; an empty one stands for ones. Empty: ones for all.
  Outputs grad_ys = {};
  std::vector<std::optional<IndexedSlices>> sparse_grad_ys = {};  // in place of entries of grad_ys, where set
  // Nothing flows through the nodes that make these, though gradients with respect to them exist.
  Outputs stop_gradients = {};
  // An x that no y depends on: no gradient, or zeros.
  enum class Unconnected { kNone, kZero } unconnected = Unconnected::kNone;
  // How several gradients of one value are added: at once, or pair by pair, which needs less memory at a time.
  enum class Aggregation { kAddN, kTree } aggregation = Aggregation::kAddN;
  // Whether an op's input gradients are used only when all of them are computed.
  bool gate = false;
  bool colocate = false;  // gradients on the devices of their ops
  std::string_view name = "gradients";
};

// The gradient with respect to one x. It may not exist, which is not zero: it then says why, and using it is an error.
class Grad {
 public:
  Grad() = default;
  explicit Grad(const Output& dense) : dense_(dense) {}
  explicit Grad(const IndexedSlices& slices) : slices_(slices) {}
  Grad(GraphBuilder* builder, std::string reason) : builder_(builder), reason_(std::move(reason)) {}

  bool exists() const { return static_cast<bool>(dense_) || slices_.has_value(); }
  // Only some rows of x have a gradient; null if it is dense.
  const IndexedSlices* slices() const { return slices_.has_value() ? &*slices_ : nullptr; }
  // The dense gradient, made from slices if need be. Errors (of the builder): InvalidArgument with the reason if there is none.
  Output dense() const;
  operator Output() const { return dense(); }  // NOLINT
  operator Input() const { return dense(); }   // NOLINT
  // Which op cut the way from x to the ys; "" if the gradient exists.
  const std::string& reason() const { return reason_; }

 private:
  GraphBuilder* builder_ = nullptr;
  Output dense_;
  std::optional<IndexedSlices> slices_;
  std::string reason_;
};

// One Grad for each x, in the current context of `b`. All ys and xs must be usable there.
// Errors (of the builder): InvalidArgument for counts and dtypes of grad_ys that do not fit, a complex y without one, gradient
// functions whose results do not fit their inputs, a PreventGradient that is reached (with its message); Unimplemented for an op
// without gradient, named.
std::vector<Grad> Gradients(GraphBuilder& b, const Outputs& ys, const Outputs& xs, const GradientOptions& options = {},
                            std::source_location at = std::source_location::current());

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_BUILD_GRADIENTS_H_
