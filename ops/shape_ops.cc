// Shapes as values, and the same elements under another shape or dtype.
//   Shape, ShapeN, Size, Rank: what a tensor's dimensions are, as integers.
//   Reshape: tensor, shape with at most one -1 -> the elements in that shape. For the -1, dimensions of 0 are left out
//   of
//            both products: [0,3] as [0,-1] is [0,3]. A scalar shape counts as a vector of one value.
//   QuantizedReshape: the same, with the ends of a range that pass through.
//   ExpandDims, Squeeze: a dimension of 1 more or fewer.     EnsureShape: checks, changes nothing.
//   Bitcast: the same bytes as another dtype. To smaller elements a last dimension is added, to larger ones taken away.
//   BroadcastArgs, BroadcastGradientArgs: shape vectors -> the shape they broadcast to; the axes to sum a gradient
//   over.
// All share their input's memory where elements pass through, and take every dtype.
#include "ops/shape_ops.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/quantized.h"

namespace flowlatch {
namespace {

// The kernel for int32 or for int64, as attr `attr` says.
template <KernelFn kInt32, KernelFn kInt64>
KernelFactory IndexTypeKernel(const char* attr) {
  return [attr](const NodeInfo& node) -> absl::StatusOr<Kernel> {
    ASSIGN_OR_RETURN(const DType dtype, node.Type(attr));
    return Kernel{.fn = dtype == DType::kInt32 ? kInt32 : kInt64};
  };
}

template <typename T>
absl::Status CheckFits(int64_t value, const char* what) {
  if (value <= std::numeric_limits<T>::max()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": expected a value that fits ", std::string(DTypeName(kDTypeOf<T>)), ", got ", value));
}

// Output i: a vector of values.
template <typename T>
absl::Status SetVector(KernelCall& c, int i, absl::Span<const int64_t> values) {
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(i, kDTypeOf<T>, {static_cast<int64_t>(values.size())}));
  T* to = output->mutable_data<T>();
  for (size_t k = 0; k < values.size(); ++k) to[k] = static_cast<T>(values[k]);
  return absl::OkStatus();
}

// ---- Shape, ShapeN, Size, Rank

template <typename T>
absl::Status ComputeShape(KernelCall& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    const absl::Span<const int64_t> dims = c.input(i).dims();
    for (const int64_t d : dims) RETURN_IF_ERROR(CheckFits<T>(d, "dimension"));
    RETURN_IF_ERROR(SetVector<T>(c, i, dims));
  }
  return absl::OkStatus();
}

absl::Status ShapeOfShape(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.SetOutput(i, PartialShape::Of({c.input(i).rank()}));
  return absl::OkStatus();
}

template <typename T>
absl::Status ComputeSize(KernelCall& c) {
  const int64_t size = c.input(0).num_elements();
  RETURN_IF_ERROR(CheckFits<T>(size, "number of elements"));
  c.output(0).SetScalar(static_cast<T>(size));
  return absl::OkStatus();
}

absl::Status ComputeRank(KernelCall& c) {
  c.output(0).SetScalar(int32_t{c.input(0).rank()});
  return absl::OkStatus();
}

// ---- Reshape

// Replaces the -1 in dims, if there is one, for a tensor of these dimensions.
absl::Status CompleteReshape(absl::Span<const int64_t> from, int64_t num_elements, Dims& dims) {
  int64_t* inferred = nullptr;
  int64_t known = 1;  // product of the other dimensions but zeros
  bool has_zero = false;
  for (int64_t& d : dims) {
    if (d == -1 && inferred == nullptr) {
      inferred = &d;
    } else if (d == 0) {
      has_zero = true;
    } else {
      const std::optional<int64_t> product = d < 0 ? std::nullopt : CheckedMul(known, d);
      if (!product.has_value()) {
        return absl::InvalidArgumentError(
            absl::StrCat("shape: expected dimensions that are valid and at most one -1, got ", d));
      }
      known = *product;
    }
  }
  if (inferred == nullptr) return absl::OkStatus();
  int64_t available = num_elements;
  if (has_zero) {
    available = 1;
    for (const int64_t d : from) available *= std::max<int64_t>(d, 1);
  }
  if (available % known != 0) {
    return absl::InvalidArgumentError(absl::StrCat("reshape of ", DimsToString(from), " to ", DimsToString(dims),
                                                   ": expected a multiple of ", known, " elements, got ", available));
  }
  *inferred = available / known;
  return absl::OkStatus();
}

absl::Status ComputeReshape(KernelCall& c) {
  const Tensor& tensor = c.input(0);
  ASSIGN_OR_RETURN(Dims dims, ReadIntVectorOrScalar(c.input(1), "shape"));
  RETURN_IF_ERROR(CompleteReshape(tensor.dims(), tensor.num_elements(), dims));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  ASSIGN_OR_RETURN(c.output(0), tensor.Reshaped(shape));
  return absl::OkStatus();
}

absl::Status ComputeQuantizedReshape(KernelCall& c) {
  ASSIGN_OR_RETURN(const QuantizedRange range, ReadRange(c, 2, "tensor"));
  SetRange(c, 1, range);
  return ComputeReshape(c);
}

absl::Status ReshapeShape(ShapeContext& c) {
  PartialShape target;
  if (c.input(1).rank() == 0) {
    ASSIGN_OR_RETURN(const std::optional<int64_t> size, c.ConstantInt(1));
    ASSIGN_OR_RETURN(target, PartialShape::Make({size.value_or(-1)}));
  } else {
    ASSIGN_OR_RETURN(target, c.InputAsShape(1));
  }
  const PartialShape& input = c.input(0);
  // Beside a 0, what the -1 stands for is left to the run: many graphs reshape empty tensors that never come to be.
  const absl::Span<const int64_t> dims_known = target.dims();
  const bool is_open = absl::c_linear_search(dims_known, -1) && absl::c_linear_search(dims_known, 0);
  if (c.constant(1) != nullptr && input.fully_defined() && !is_open) {
    ASSIGN_OR_RETURN(const Shape from, Shape::Make(input.dims()));
    Dims dims(target.dims().begin(), target.dims().end());
    RETURN_IF_ERROR(CompleteReshape(from.dims(), from.num_elements(), dims));
    ASSIGN_OR_RETURN(const Shape to, Shape::Make(dims));
    if (to.num_elements() != from.num_elements()) {
      return absl::InvalidArgumentError(absl::StrCat("reshape of ", from.ToString(), ": expected ", from.num_elements(),
                                                     " elements, got shape ", to.ToString()));
    }
    target = to;
  }
  c.SetOutput(0, std::move(target));
  return absl::OkStatus();
}

absl::Status QuantizedReshapeShape(ShapeContext& c) {
  RETURN_IF_ERROR(ExpectRanges(c, 2));
  RETURN_IF_ERROR(ReshapeShape(c));
  return SetRangeShapes(c);
}

// ---- ExpandDims, Squeeze

absl::Status ComputeExpandDims(KernelCall& c) {
  const Tensor& input = c.input(0);
  const Tensor& dim = c.input(1);
  if (dim.num_elements() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("dim: expected one value, got shape ", dim.ShapeString()));
  }
  const int64_t value = dim.dtype() == DType::kInt32 ? *dim.data<int32_t>() : *dim.data<int64_t>();
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(value, input.rank() + 1, "dim"));
  Dims dims(input.dims().begin(), input.dims().end());
  dims.insert(dims.begin() + axis, 1);
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  c.SetOutput(0, input.BitcastTo(input.dtype(), shape));
  return absl::OkStatus();
}

absl::Status ExpandDimsShape(ShapeContext& c) {
  const PartialShape& input = c.input(0);
  ASSIGN_OR_RETURN(const std::optional<int64_t> value, c.ConstantInt(1));
  if (!input.has_rank()) return absl::OkStatus();
  if (!value.has_value()) {
    ASSIGN_OR_RETURN(PartialShape output,
                     PartialShape::UnknownOfRank(input.rank()).Concatenate(PartialShape::Of({-1})));
    c.SetOutput(0, std::move(output));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(*value, input.rank() + 1, "dim"));
  Dims dims(input.dims().begin(), input.dims().end());
  dims.insert(dims.begin() + axis, 1);
  ASSIGN_OR_RETURN(PartialShape output, PartialShape::Make(dims));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

struct SqueezeState : KernelState {
  explicit SqueezeState(std::vector<int64_t> a) : axes(std::move(a)) {}
  const std::vector<int64_t> axes;  // empty: every dimension of 1
};

// The dimensions without those that are squeezed; nullopt if unknown dimensions decide which.
absl::StatusOr<std::optional<Dims>> SqueezedDims(absl::Span<const int64_t> dims, absl::Span<const int64_t> axes) {
  absl::InlinedVector<bool, 8> squeezed(dims.size(), false);
  for (const int64_t value : axes) {
    ASSIGN_OR_RETURN(const int axis, NormalizeAxis(value, static_cast<int>(dims.size()), "squeeze_dims"));
    if (dims[axis] >= 0 && dims[axis] != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("dimension ", axis, " to squeeze: expected 1, got ", dims[axis], " in ", DimsToString(dims)));
    }
    squeezed[axis] = true;
  }
  Dims rest;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (axes.empty() && dims[d] < 0) return std::optional<Dims>();
    if (axes.empty() ? dims[d] != 1 : !squeezed[d]) rest.push_back(dims[d]);
  }
  return std::optional<Dims>(std::move(rest));
}

absl::Status ComputeSqueeze(KernelCall& c) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const std::optional<Dims> dims, SqueezedDims(input.dims(), c.state<SqueezeState>().axes));
  c.SetOutput(0, input.BitcastTo(input.dtype(), Shape::FromValid(*dims)));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> SqueezeKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(std::vector<int64_t> axes, node.Ints("squeeze_dims"));
  return Kernel{.fn = &RunKernel<ComputeSqueeze>, .state = std::make_shared<const SqueezeState>(std::move(axes))};
}

absl::Status SqueezeShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> axes, c.Ints("squeeze_dims"));
  if (!c.input(0).has_rank()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::optional<Dims> dims, SqueezedDims(c.input(0).dims(), axes));
  if (dims.has_value()) c.SetOutput(0, PartialShape::FromValid(*dims));
  return absl::OkStatus();
}

// ---- EnsureShape

struct EnsureShapeState : KernelState {
  explicit EnsureShapeState(PartialShape s) : shape(std::move(s)) {}
  const PartialShape shape;
};

absl::Status ComputeEnsureShape(KernelCall& c) {
  const Tensor& input = c.input(0);
  const PartialShape& shape = c.state<EnsureShapeState>().shape;
  bool fits = !shape.has_rank() || shape.rank() == input.rank();
  for (int d = 0; fits && d < shape.rank(); ++d) fits = !shape.has_dim(d) || shape.dim(d) == input.dim(d);
  if (!fits) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape of input: expected ", shape.ToString(), ", got ", input.ShapeString()));
  }
  c.SetOutput(0, input);
  return absl::OkStatus();
}

absl::StatusOr<Kernel> EnsureShapeKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(PartialShape shape, node.AttrAs<PartialShape>("shape"));
  return Kernel{.fn = &RunKernel<ComputeEnsureShape>,
                .state = std::make_shared<const EnsureShapeState>(std::move(shape))};
}

absl::Status EnsureShapeShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape shape, c.AttrAs<PartialShape>("shape"));
  ASSIGN_OR_RETURN(PartialShape output, c.input(0).MergeWith(shape));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

// ---- Bitcast

// The dimensions after a change of the element size.
absl::StatusOr<Dims> BitcastDims(absl::Span<const int64_t> dims, DType from, DType to) {
  const int64_t from_size = static_cast<int64_t>(DTypeSize(from));
  const int64_t to_size = static_cast<int64_t>(DTypeSize(to));
  Dims result(dims.begin(), dims.end());
  if (from_size > to_size) {
    result.push_back(from_size / to_size);
  } else if (from_size < to_size) {
    const int64_t ratio = to_size / from_size;
    if (dims.empty() || (dims.back() >= 0 && dims.back() != ratio)) {
      return absl::InvalidArgumentError(absl::StrCat("last dimension for a bitcast from ", std::string(DTypeName(from)),
                                                     " to ", std::string(DTypeName(to)), ": expected ", ratio,
                                                     ", got shape ", DimsToString(dims)));
    }
    result.pop_back();
  }
  return result;
}

struct BitcastState : KernelState {
  explicit BitcastState(DType t) : to(t) {}
  const DType to;
};

absl::Status ComputeBitcast(KernelCall& c) {
  const Tensor& input = c.input(0);
  const DType to = c.state<BitcastState>().to;
  ASSIGN_OR_RETURN(const Dims dims, BitcastDims(input.dims(), input.dtype(), to));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  // A row of small elements may begin where larger ones must not.
  const bool aligned = reinterpret_cast<uintptr_t>(input.raw_data()) % std::min<size_t>(DTypeSize(to), 8) == 0;
  if (aligned && (input.rank() > 0) == (shape.rank() > 0)) {
    c.SetOutput(0, input.BitcastTo(to, shape));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, to, shape));
  if (input.num_elements() > 0) std::memcpy(output->raw_mutable_data(), input.raw_data(), input.size_bytes());
  return absl::OkStatus();
}

absl::StatusOr<Kernel> BitcastKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const DType to, node.Type("type"));
  return Kernel{.fn = &RunKernel<ComputeBitcast>, .state = std::make_shared<const BitcastState>(to)};
}

absl::Status BitcastShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const DType from, c.AttrAs<DType>("T"));
  ASSIGN_OR_RETURN(const DType to, c.AttrAs<DType>("type"));
  if (!c.input(0).has_rank()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Dims dims, BitcastDims(c.input(0).dims(), from, to));
  ASSIGN_OR_RETURN(PartialShape output, PartialShape::Make(dims));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

// ---- BroadcastArgs, BroadcastGradientArgs

// Two shapes that broadcast, seen in their common rank.
struct ShapePair {
  Dims x, y;
  bool equal;  // also in rank
};

absl::StatusOr<ShapePair> ReadShapePair(const KernelCall& c) {
  ShapePair pair;
  ASSIGN_OR_RETURN(pair.x, ReadIntVector(c.input(0), "s0"));
  ASSIGN_OR_RETURN(pair.y, ReadIntVector(c.input(1), "s1"));
  pair.equal = pair.x == pair.y;
  const size_t rank = std::max(pair.x.size(), pair.y.size());
  pair.x.insert(pair.x.begin(), rank - pair.x.size(), 1);
  pair.y.insert(pair.y.begin(), rank - pair.y.size(), 1);
  for (size_t d = 0; d < rank; ++d) {
    if (pair.x[d] != pair.y[d] && pair.x[d] != 1 && pair.y[d] != 1) {
      return absl::InvalidArgumentError(absl::StrCat("shapes: expected to broadcast, got incompatible ",
                                                     DimsToString(pair.x), " and ", DimsToString(pair.y)));
    }
  }
  return pair;
}

template <typename T>
absl::Status ComputeBroadcastArgs(KernelCall& c) {
  ASSIGN_OR_RETURN(ShapePair pair, ReadShapePair(c));
  for (size_t d = 0; d < pair.x.size(); ++d) {
    if (pair.x[d] == 1) pair.x[d] = pair.y[d];
  }
  return SetVector<T>(c, 0, pair.x);
}

absl::Status BroadcastArgsShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(0, 1));
  ASSIGN_OR_RETURN(const PartialShape y, c.WithRank(1, 1));
  const bool known = x.has_dim(0) && y.has_dim(0);
  c.SetOutput(0, PartialShape::Of({known ? std::max(x.dim(0), y.dim(0)) : -1}));
  return absl::OkStatus();
}

// The axes along which each of two broadcast operands was repeated, or has size 1: a gradient is summed over them.
template <typename T>
absl::Status ComputeBroadcastGradientArgs(KernelCall& c) {
  ASSIGN_OR_RETURN(const ShapePair pair, ReadShapePair(c));
  Dims x_axes, y_axes;
  for (size_t d = 0; d < pair.x.size() && !pair.equal; ++d) {
    if (pair.x[d] == 1) x_axes.push_back(static_cast<int64_t>(d));
    if (pair.y[d] == 1) y_axes.push_back(static_cast<int64_t>(d));
  }
  RETURN_IF_ERROR(SetVector<T>(c, 0, x_axes));
  return SetVector<T>(c, 1, y_axes);
}

absl::Status BroadcastGradientArgsShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectVector(0));
  RETURN_IF_ERROR(c.ExpectVector(1));
  for (int i = 0; i < 2; ++i) c.SetOutput(i, PartialShape::UnknownOfRank(1));
  return absl::OkStatus();
}

// ---- Gradients

absl::Status ReshapeGrad(GradContext& c) {
  c.Set(0, ReshapeToInput(c, c.grad(), 0));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterShapeOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "Shape(input: T) -> (output: out_type); T: type; out_type: {int32, int64} = int32",
      .doc = "The dimensions of input as a vector",
      .shape = ShapeOfShape,
      .kernel = IndexTypeKernel<&RunKernel<ComputeShape<int32_t>>, &RunKernel<ComputeShape<int64_t>>>("out_type"),
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "ShapeN(input: N * T) -> (output: N * out_type); N: int >= 1; T: type; out_type: {int32, int64} = int32",
      .doc = "The dimensions of each input as a vector",
      .shape = ShapeOfShape,
      .kernel = IndexTypeKernel<&RunKernel<ComputeShape<int32_t>>, &RunKernel<ComputeShape<int64_t>>>("out_type"),
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Size(input: T) -> (output: out_type); T: type; out_type: {int32, int64} = int32",
      .doc = "The number of elements of input",
      .shape = shapes::Scalar,
      .kernel = IndexTypeKernel<&RunKernel<ComputeSize<int32_t>>, &RunKernel<ComputeSize<int64_t>>>("out_type"),
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Rank(input: T) -> (output: int32); T: type",
      .doc = "The number of dimensions of input",
      .shape = shapes::Scalar,
      .kernel = PlainKernel<ComputeRank>,
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Reshape(tensor: T, shape: Tshape) -> (output: T); T: type; Tshape: {int32, int64} = int32",
      .doc = "The elements of tensor in another shape; one dimension may be -1 for whatever is left",
      .shape = ReshapeShape,
      .kernel = PlainKernel<ComputeReshape>,
      .gradient = ReshapeGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "QuantizedReshape(tensor: T, shape: Tshape, input_min: float32, input_max: float32) -> (output: T, "
                   "output_min: float32, output_max: float32); T: type; Tshape: {int32, int64} = int32",
      .doc = "Reshape of integers that stand for a range, which stays",
      .shape = QuantizedReshapeShape,
      .kernel = PlainKernel<ComputeQuantizedReshape>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "ExpandDims(input: T, dim: Tdim) -> (output: T); T: type; Tdim: {int32, int64} = int32",
      .doc = "The input with a dimension of 1 more, which stands at dim",
      .shape = ExpandDimsShape,
      .kernel = PlainKernel<ComputeExpandDims>,
      .gradient = ReshapeGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Squeeze(input: T) -> (output: T); T: type; squeeze_dims: list(int) >= 0 = []",
      .doc = "The input without the given dimensions, which must be 1, or without all that are 1",
      .shape = SqueezeShape,
      .kernel = SqueezeKernel,
      .gradient = ReshapeGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "EnsureShape(input: T) -> (output: T); shape: shape; T: type",
      .doc = "The input, if its shape fits the given one; else an error",
      .shape = EnsureShapeShape,
      .kernel = EnsureShapeKernel,
      .gradient = gradients::Identity,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "Bitcast(input: T) -> (output: type); T: {bfloat16, float16, float32, float64, int64, int32, uint8, "
          "uint16, uint32, uint64, int8, int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}; "
          "type: {bfloat16, float16, float32, float64, int64, int32, uint8, uint16, uint32, uint64, int8, int16, "
          "complex64, complex128, qint8, quint8, qint16, quint16, qint32}",
      .doc = "The bytes of input as elements of another dtype; a last dimension makes up for the difference in size",
      .shape = BitcastShape,
      .kernel = BitcastKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "BroadcastArgs(s0: T, s1: T) -> (r0: T); T: {int32, int64} = int32",
      .doc = "The shape that two shapes broadcast to",
      .shape = BroadcastArgsShape,
      .kernel =
          IndexTypeKernel<&RunKernel<ComputeBroadcastArgs<int32_t>>, &RunKernel<ComputeBroadcastArgs<int64_t>>>("T"),
      .gradient = gradients::None,
  }));
  return library.Add({
      .signature = "BroadcastGradientArgs(s0: T, s1: T) -> (r0: T, r1: T); T: {int32, int64} = int32",
      .doc = "The axes over which to sum the gradient of a broadcast operation for operands of two shapes",
      .shape = BroadcastGradientArgsShape,
      .kernel = IndexTypeKernel<&RunKernel<ComputeBroadcastGradientArgs<int32_t>>,
                                &RunKernel<ComputeBroadcastGradientArgs<int64_t>>>("T"),
      .gradient = gradients::None,
  });
}

}  // namespace flowlatch
