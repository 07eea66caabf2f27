#include "graph/build/grad_context.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

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

namespace {

// The dimensions of a gradient in which an input of shape `input` was stretched, if that is known before a run. A dimension of 1
// may be summed in any case: where the gradient has 1 too, that changes nothing.
std::optional<std::vector<int32_t>> StretchedDims(const PartialShape& grad, const PartialShape& input, const PartialShape* other) {
  if (!grad.has_rank() || !input.has_rank() || grad.rank() < input.rank()) return std::nullopt;
  std::vector<int32_t> stretched;
  const int lead = grad.rank() - input.rank();
  for (int d = 0; d < grad.rank(); ++d) {
    const int64_t size = grad.dim(d), own = d < lead ? 1 : input.dim(d - lead);
    if (d < lead || (own == 1 && size != 1)) {
      stretched.push_back(d);
    } else if (own < 0 && size != 1) {
      // The input's size may be 1 where the gradient's is not, unless there is nothing else that could have stretched it.
      if (other == nullptr || !other->has_rank()) return std::nullopt;
      const int at = d - (grad.rank() - other->rank());
      if (at >= 0 && other->dim(at) != 1) return std::nullopt;
    }
  }
  return stretched;
}

}  // namespace

Output SumToShapeOf(GradContext& c, const Output& grad, int i, int other) {
  const PartialShape& shape = c.input_shape(i);
  const auto stretched = StretchedDims(grad.shape(), shape, other >= 0 ? &c.input_shape(other) : nullptr);
  if (stretched.has_value() && stretched->empty()) return grad;
  const Output target = c.ShapeOfInput(i);
  const Output axes = stretched.has_value() ? c.builder().Constant(Input(*stretched))
                                            : c.MultiOp("BroadcastGradientArgs", {target, ShapeOf(c, grad)}).output(0);
  return c.Op("Reshape", {c.Op("Sum", {grad, axes}), target});
}

Output ShapeOf(GradContext& c, const Output& x) {
  if (!x.shape().fully_defined()) return c.Op("Shape", {x});
  std::vector<int32_t> dims;
  for (const int64_t size : x.shape().dims()) {
    if (size > std::numeric_limits<int32_t>::max()) return c.Op("Shape", {x});
    dims.push_back(static_cast<int32_t>(size));
  }
  return c.builder().Constant(Input(dims));
}

Output ConjIfComplex(GradContext& c, const Output& x) { return IsComplex(x.dtype()) ? c.Op("Conj", {x}) : x; }

Output ReshapeToInput(GradContext& c, const Output& grad, int i) {
  const PartialShape& shape = c.input_shape(i);
  if (shape.fully_defined() && grad.shape() == shape) return grad;
  if (shape.has_rank()) {
    // One unknown dimension follows from the others, unless one of them is 0.
    const std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    if (std::count(dims.begin(), dims.end(), -1) == 1 && std::count(dims.begin(), dims.end(), 0) == 0) {
      return c.Op("Reshape", {grad, dims});
    }
  }
  return c.Op("Reshape", {grad, c.ShapeOfInput(i)});
}

Output ZerosLikeInput(GradContext& c, int i) {
  return c.Op("Fill", {c.ShapeOfInput(i), c.builder().Constant(Input(0), c.input_dtype(i))});
}

Output RowShapeOfInput(GradContext& c, int i) {
  const PartialShape& shape = c.input_shape(i);
  if (shape.rank() > 0) {
    std::vector<int32_t> row;
    for (const int64_t size : shape.dims().subspan(1)) {
      if (size >= 0 && size <= std::numeric_limits<int32_t>::max()) row.push_back(static_cast<int32_t>(size));
    }
    if (static_cast<int>(row.size()) == shape.rank() - 1) return c.builder().Constant(Input(row));
  }
  return c.Op("StridedSlice", {c.ShapeOfInput(i), {1}, {0}, {1}}, {{"end_mask", 1}});
}

IndexedSlices GatheredRows(GradContext& c, const Output& params_shape) {
  const Output indices = c.input(1);
  const PartialShape& shape = c.input_shape(1);
  if (shape.has_rank() && shape.rank() == 1) return {c.grad(), indices, params_shape};
  const Output flat = c.Op("Reshape", {indices, {-1}});
  const Output row = c.Op("StridedSlice", {params_shape, {1}, {0}, {1}}, {{"end_mask", 1}});
  const Output values_shape = c.Op("ConcatV2", {c.Op("Shape", {flat}, {{"out_type", params_shape.dtype()}}), row, 0});
  return {c.Op("Reshape", {c.grad(), values_shape}), flat, params_shape};
}

std::optional<std::vector<int64_t>> ConstantInts(GradContext& c, int i) {
  const Tensor* value = c.constant_input(i);
  if (value == nullptr) return std::nullopt;
  std::vector<int64_t> ints(value->num_elements());
  for (size_t k = 0; k < ints.size(); ++k) {
    if (value->dtype() == DType::kInt32) {
      ints[k] = value->data<int32_t>()[k];
    } else if (value->dtype() == DType::kInt64) {
      ints[k] = value->data<int64_t>()[k];
    } else {
      return std::nullopt;
    }
  }
  return ints;
}

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
