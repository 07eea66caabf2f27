#include "graph/build/grad_context.h"

#include <algorithm>

namespace flowlatch {

std::vector<AttrMap::Entry> GradContext::CopyAttrs(std::initializer_list<std::string_view> names) const {
  std::vector<AttrMap::Entry> copied;
  for (const std::string_view name : names) {
    if (const Attr* attr = node_.schema->AttrOrDefault(node_.attrs, name)) copied.push_back({std::string(name), *attr});
  }
  return copied;
}

namespace gradients {

absl::Status None(GradContext&) { return absl::OkStatus(); }

absl::Status Identity(GradContext& c) {
  if (const IndexedSlices* slices = c.sparse_grad()) {
    c.Set(0, *slices);
  } else {
    c.Set(0, c.grad());
  }
  return absl::OkStatus();
}

}  // namespace gradients

Output SumToShapeOf(GradContext& c, const Output& grad, int i, int other) {
  const PartialShape& shape = c.input_shape(i);
  if (shape.fully_defined() && grad.shape() == shape) return grad;
  const Output target = c.ShapeOfInput(i);
  Output axes;
  if (shape.has_rank() && grad.shape().fully_defined() && shape.fully_defined()) {
    // Which dimensions were stretched is known: no need to find out in each step.
    std::vector<int32_t> stretched;
    const int lead = grad.shape().rank() - shape.rank();
    for (int d = 0; d < grad.shape().rank(); ++d) {
      if (d < lead || (shape.dim(d - lead) == 1 && grad.shape().dim(d) != 1)) stretched.push_back(d);
    }
    axes = c.builder().Constant(Input(stretched));
  } else {
    axes = c.MultiOp("BroadcastGradientArgs", {target, c.ShapeOfInput(other)}).output(0);
  }
  return c.Op("Reshape", {c.Op("Sum", {grad, axes}), target});
}

Output ConjIfComplex(GradContext& c, const Output& x) { return IsComplex(x.dtype()) ? c.Op("Conj", {x}) : x; }

Output ToDense(GraphBuilder& b, const IndexedSlices& slices) {
  // Rows of the result: dense_shape[0].
  if (!slices.dense_shape) {
    b.Fail(absl::InvalidArgumentError("IndexedSlices: expected a dense_shape to make them dense, got none"));
    return {};
  }
  const Output rows = b.Op("StridedSlice", {slices.dense_shape, {0}, {1}, {1}}, {{"shrink_axis_mask", int64_t{1}}}).output();
  return b.Op("UnsortedSegmentSum", {slices.values, slices.indices, rows}).output();
}

}  // namespace flowlatch
