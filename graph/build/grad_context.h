// GradContext: what a gradient function sees of a node, and where it puts the gradients of the node's inputs.
//
//   absl::Status MulGrad(GradContext& c) {
//     c.Set(0, SumToShapeOf(c, c.grad() * Conj(c.input(1)), 0));
//     c.Set(1, SumToShapeOf(c, c.grad() * Conj(c.input(0)), 1));
//     return absl::OkStatus();
//   }
//
// A gradient function builds nodes with c.Op and the operators of Output. It is called where those nodes belong: in the backward
// loop of a forward loop, in the branch of a cond. Values of the forward pass are seen from there: input(i) and output(i) do what is
// needed, which may be to keep them for each iteration; so a function asks for them only if it uses them, and asks for a shape
// rather than for a value where that serves.
#ifndef FLOWLATCH_GRAPH_BUILD_GRAD_CONTEXT_H_
#define FLOWLATCH_GRAPH_BUILD_GRAD_CONTEXT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "graph/build/graph_builder.h"

namespace flowlatch {

class GradContext {
 public:
  virtual ~GradContext() = default;
  GradContext(const GradContext&) = delete;
  GradContext& operator=(const GradContext&) = delete;

  GraphBuilder& builder() const { return builder_; }
  const Node& node() const { return node_; }
  const std::string& op() const { return node_.op(); }
  int num_inputs() const { return static_cast<int>(node_.num_inputs); }
  int num_outputs() const { return node_.num_outputs(); }
  DType input_dtype(int i) const { return node_.types->inputs[i].dtype; }
  DType output_dtype(int i) const { return node_.types->outputs[i].dtype; }
  // What is known of the shapes before a run.
  virtual const PartialShape& input_shape(int i) const = 0;
  virtual const PartialShape& output_shape(int i) const = 0;
  // The value of a constant input, or null.
  virtual const Tensor* constant_input(int i) const = 0;

  // Values of the forward pass.
  virtual Output input(int i) = 0;
  virtual Output output(int i) = 0;
  // The shape of an input as an int32 or int64 vector: a constant where it is known.
  virtual Output ShapeOfInput(int i, DType dtype = DType::kInt32) = 0;
  virtual Output ShapeOfOutput(int i, DType dtype = DType::kInt32) = 0;

  // The gradient that arrives at output i. Zeros if none does and the dtype has gradients, else empty.
  virtual Output grad(int i = 0) = 0;
  bool has_grad(int i) const { return has_grad_[i]; }
  // The gradient as IndexedSlices if it came so (grad() makes it dense), else null.
  virtual const IndexedSlices* sparse_grad(int i = 0) = 0;

  // Whether somebody wants the gradient of input i. Setting others is allowed and has no effect.
  bool needs(int i) const { return needs_[i]; }
  // The gradient of input i; an input that is not set has none. Empty outputs are ignored.
  void Set(int i, const Output& grad) { grads_[i] = {grad, std::nullopt}; }
  void Set(int i, const IndexedSlices& grad) { grads_[i] = {{}, grad}; }

  // The attribute or its default. Requires: the schema has it with this kind (a registered op's node was checked).
  template <typename T>
  const T& attr(std::string_view name) const {
    return *node_.schema->AttrOrDefault(node_.attrs, name)->Get<T>();
  }
  bool Bool(std::string_view name) const { return attr<bool>(name); }
  int64_t Int(std::string_view name) const { return attr<int64_t>(name); }
  float Float(std::string_view name) const { return attr<float>(name); }
  const std::string& Str(std::string_view name) const { return attr<std::string>(name); }
  // The node's own attributes by these names, to pass them on to another op.
  std::vector<AttrMap::Entry> CopyAttrs(std::initializer_list<std::string_view> names) const;

  // The name scope of the call of Gradients, without the slash at its end: different calls in one graph have different ones.
  virtual const std::string& scope() const = 0;

  // An op of the gradient; its first output.
  Output Op(std::string_view op, absl::Span<const Input> inputs, Attrs attrs = {}) {
    return builder_.Op(op, inputs, attrs).output();
  }
  Operation MultiOp(std::string_view op, absl::Span<const Input> inputs, Attrs attrs = {}) { return builder_.Op(op, inputs, attrs); }
  // A scalar of the dtype of `like`, to be used beside it.
  Output ScalarLike(double value, const Output& like) { return builder_.Constant(Input(value), like.dtype()); }

 protected:
  GradContext(GraphBuilder& builder, const Node& node)
      : builder_(builder), node_(node), has_grad_(node.num_outputs()), needs_(node.num_inputs), grads_(node.num_inputs) {}

  struct InputGrad {
    Output dense;
    std::optional<IndexedSlices> sparse;
  };
  GraphBuilder& builder_;
  const Node node_;  // a copy: nodes move while others are made
  std::vector<bool> has_grad_, needs_;
  std::vector<InputGrad> grads_;
};

// Gradient functions that many ops share.
namespace gradients {
// The op has no gradient: nothing flows through it, which is not an error.
absl::Status None(GradContext& c);
// input 0's gradient is output 0's.
absl::Status Identity(GradContext& c);
}  // namespace gradients

// Helpers of gradient functions.
// `grad`, whose shape is that of input i broadcast with others, summed to the shape of input i. Input `other` is what i was
// broadcast with; -1 if there is more than one. `grad` itself where nothing can have been stretched.
Output SumToShapeOf(GradContext& c, const Output& grad, int i, int other = -1);
// The shape of a value of the backward pass as an int32 vector: a constant where it is known.
Output ShapeOf(GradContext& c, const Output& x);
// conj(x) for complex dtypes, else x itself.
Output ConjIfComplex(GradContext& c, const Output& x);
// `grad`, which has as many elements as input i, in the shape of input i.
Output ReshapeToInput(GradContext& c, const Output& grad, int i);
// Zeros in the shape of input i.
Output ZerosLikeInput(GradContext& c, int i);
// The dimensions of input i after the first, as an int32 vector: a constant where they are known.
Output RowShapeOfInput(GradContext& c, int i);
// The gradient of params where output 0 is the rows of params (of shape `params_shape`, a vector) at the indices in input 1.
IndexedSlices GatheredRows(GradContext& c, const Output& params_shape);
// The values of an integer vector or scalar that is known when the graph is built.
std::optional<std::vector<int64_t>> ConstantInts(GradContext& c, int i);
// The rows that slices stand for, added up in a dense tensor.
Output ToDense(GraphBuilder& b, const IndexedSlices& slices);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_BUILD_GRAD_CONTEXT_H_
