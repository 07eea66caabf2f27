// Tensors into one and one into several.
//   Concat(V2):   [d.., k0, d..], [d.., k1, d..], ..  along axis -> [d.., k0 + k1 + .., d..]
//   Split(V):     the way back, into equal parts or into parts of given sizes, of which one may be -1: the rest
//   Pack, Unpack: N tensors [d..] <-> one [d.., N, d..], N standing at axis
//   ParallelConcat: N tensors [1, d..] -> [N, d..], which attr shape has to say
//   ConcatOffset: where along axis each of several shapes begins in their concatenation
// Every dtype. Parts along dimension 0 share the whole's memory, and a whole of one part shares the part's.
#include "ops/joining_ops.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/moving_kernel.h"
#include "ops/kernels/strided_copy.h"

namespace flowlatch {
namespace {

// ---- The layout of a joined tensor: rows of one chunk of each part in turn. A part holds its chunks row by row.

struct Joint {
  absl::InlinedVector<int64_t, 8> chunks;  // elements of a chunk of each part
  int64_t row = 0;                         // their sum
};

// Calls move(part, offset in the part, offset in the whole, count, rows) for pieces that make up the whole's elements
// [begin, end): `count` elements of each of `rows` rows one after another. Rows are taken in blocks that fit the cache.
template <typename Move>
void ForEachChunk(const Joint& joint, int64_t begin, int64_t end, Move&& move) {
  constexpr int64_t kBlock = 4096;
  while (begin < end) {
    const int64_t row = begin / joint.row;
    const int64_t first = begin % joint.row;
    const bool whole_rows = first == 0 && end - begin >= joint.row;
    const int64_t rows = whole_rows ? std::min((end - begin) / joint.row, std::max<int64_t>(kBlock / joint.row, 1)) : 1;
    const int64_t last = whole_rows ? joint.row : std::min(joint.row, first + end - begin);
    int64_t column = 0;
    for (size_t part = 0; part < joint.chunks.size() && column < last; ++part) {
      const int64_t chunk = joint.chunks[part];
      const int64_t from = std::max(column, first);
      const int64_t to = std::min(column + chunk, last);
      if (from < to) move(part, row * chunk + from - column, row * joint.row + from, to - from, rows);
      column += chunk;
    }
    begin += whole_rows ? rows * joint.row : last - first;
  }
}

int64_t Product(absl::Span<const int64_t> dims) {
  int64_t product = 1;
  for (const int64_t d : dims) product *= d;
  return product;
}

// Output 0 of `shape`: inputs [first, first + joint.chunks.size()) joined.
template <typename E>
absl::Status JoinInputs(KernelCall& c, int first, const Joint& joint, const Shape& shape) {
  ASSIGN_OR_RETURN(Tensor * whole, c.AllocateOutput(0, c.input(first).dtype(), shape));
  absl::InlinedVector<const E*, 8> parts;
  for (size_t i = 0; i < joint.chunks.size(); ++i) parts.push_back(Elements<E>(c.input(first + static_cast<int>(i))));
  E* to = MutableElements<E>(*whole);
  ParallelMove<E>(c, shape.num_elements(), [&](int64_t begin, int64_t end) {
    ForEachChunk(joint, begin, end, [&](size_t part, int64_t from, int64_t at, int64_t count, int64_t rows) {
      CopyRuns(parts[part] + from, joint.chunks[part], to + at, joint.row, count, rows);
    });
  });
  return absl::OkStatus();
}

// All outputs, which are allocated: the parts of `whole`.
template <typename E>
void SplitIntoOutputs(KernelCall& c, const Tensor& whole, const Joint& joint) {
  absl::InlinedVector<E*, 8> parts;
  for (int i = 0; i < c.num_outputs(); ++i) parts.push_back(MutableElements<E>(c.output(i)));
  const E* from = Elements<E>(whole);
  ParallelMove<E>(c, whole.num_elements(), [&](int64_t begin, int64_t end) {
    ForEachChunk(joint, begin, end, [&](size_t part, int64_t to, int64_t at, int64_t count, int64_t rows) {
      CopyRuns(from + at, joint.row, parts[part] + to, joint.chunks[part], count, rows);
    });
  });
}

// A single value that may come as a vector of one.
absl::StatusOr<int64_t> ReadAxis(const Tensor& t, const char* what) {
  ASSIGN_OR_RETURN(const Dims values, ReadIntVectorOrScalar(t, what));
  if (values.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": expected one value, got shape ", t.ShapeString()));
  }
  return values[0];
}

Dims WithDim(absl::Span<const int64_t> dims, int axis, int64_t size) {
  Dims result(dims.begin(), dims.end());
  result[axis] = size;
  return result;
}

Dims WithoutDim(absl::Span<const int64_t> dims, int axis) {
  Dims result(dims.begin(), dims.end());
  result.erase(result.begin() + axis);
  return result;
}

Dims WithNewDim(absl::Span<const int64_t> dims, int axis, int64_t size) {
  Dims result(dims.begin(), dims.end());
  result.insert(result.begin() + axis, size);
  return result;
}

// ---- Concat, ConcatV2

// Whether the shape called `what`[index] is like the first one but for dimension `axis`.
absl::Status CheckJoinable(const char* what, int index, absl::Span<const int64_t> first,
                           absl::Span<const int64_t> other, int axis) {
  bool fits = first.size() == other.size();
  for (size_t d = 0; fits && d < first.size(); ++d) fits = static_cast<int>(d) == axis || first[d] == other[d];
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, "[", index, "]: expected ", DimsToString(first),
                                                 " but for dimension ", axis, ", got ", DimsToString(other)));
}

template <typename E>
absl::Status ConcatInputs(KernelCall& c, int first, int axis_input) {
  const int num_values = c.num_inputs() - 1;
  const absl::Span<const int64_t> dims = c.input(first).dims();
  ASSIGN_OR_RETURN(const int64_t axis_value, ReadAxis(c.input(axis_input), "axis"));
  if (dims.empty()) return absl::InvalidArgumentError("values[0]: expected a rank of at least 1, got a scalar");
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(axis_value, static_cast<int>(dims.size())));
  const int64_t inner = Product(dims.subspan(axis + 1));
  Joint joint;
  int64_t size = 0;
  int num_filled = 0;
  int filled = first;
  for (int i = 0; i < num_values; ++i) {
    const Tensor& value = c.input(first + i);
    RETURN_IF_ERROR(CheckJoinable("shape of values", i, dims, value.dims(), axis));
    const std::optional<int64_t> sum = CheckedAdd(size, value.dim(axis));
    if (!sum.has_value()) return absl::InvalidArgumentError("values: expected sizes whose sum fits int64, got more");
    size = *sum;
    joint.chunks.push_back(value.dim(axis) * inner);
    if (value.num_elements() > 0) {
      ++num_filled;
      filled = first + i;
    }
  }
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(WithDim(dims, axis, size)));
  // The others have no size along axis. What a variable holds is copied: it may change.
  if (num_filled == 1 && c.CanForward(filled)) {
    c.SetOutput(0, c.input(filled));
    return absl::OkStatus();
  }
  joint.row = size * inner;
  return JoinInputs<E>(c, first, joint, shape);
}

template <typename E>
absl::Status ComputeConcat(KernelCall& c) {
  return ConcatInputs<E>(c, 1, 0);
}

template <typename E>
absl::Status ComputeConcatV2(KernelCall& c) {
  return ConcatInputs<E>(c, 0, c.num_inputs() - 1);
}

// The shape of inputs [first, first + num_inputs - 1) joined along the axis in input `axis_input`.
absl::Status ConcatInputsShape(ShapeContext& c, int first, int axis_input) {
  if (c.input(axis_input).rank() > 1) RETURN_IF_ERROR(c.ExpectScalar(axis_input));
  ASSIGN_OR_RETURN(const std::optional<int64_t> axis_value, c.ConstantInt(axis_input));
  const int num_values = c.num_inputs() - 1;
  int rank = -1;
  for (int i = first; i < first + num_values; ++i) {
    RETURN_IF_ERROR(c.WithRankAtLeast(i, 1).status());
    if (rank < 0) rank = c.input(i).rank();
    if (rank >= 0) RETURN_IF_ERROR(c.WithRank(i, rank).status());
  }
  if (rank < 0) return absl::OkStatus();
  if (!axis_value.has_value()) {
    c.SetOutput(0, PartialShape::UnknownOfRank(rank));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(*axis_value, rank));
  PartialShape merged = PartialShape::UnknownOfRank(rank);
  std::optional<int64_t> size = 0;
  for (int i = first; i < first + num_values; ++i) {
    ASSIGN_OR_RETURN(const PartialShape value, c.WithRank(i, rank));
    size = size.has_value() && value.has_dim(axis) ? CheckedAdd(*size, value.dim(axis)) : std::nullopt;
    ASSIGN_OR_RETURN(merged, merged.MergeWith(PartialShape::FromValid(WithDim(value.dims(), axis, -1))));
  }
  ASSIGN_OR_RETURN(merged, PartialShape::Make(WithDim(merged.dims(), axis, size.value_or(-1))));
  c.SetOutput(0, std::move(merged));
  return absl::OkStatus();
}

absl::Status ConcatShape(ShapeContext& c) { return ConcatInputsShape(c, 1, 0); }
absl::Status ConcatV2Shape(ShapeContext& c) { return ConcatInputsShape(c, 0, c.num_inputs() - 1); }

// ---- ParallelConcat

struct ShapeState : KernelState {
  explicit ShapeState(Shape s) : shape(std::move(s)) {}
  const Shape shape;
};

// Attr shape of a ParallelConcat of `num_values` tensors.
absl::StatusOr<Shape> ParallelConcatOutput(const PartialShape& shape, int num_values) {
  const std::optional<Shape> complete = shape.ToShape();
  if (!complete.has_value() || complete->rank() == 0 || complete->dim(0) != num_values) {
    return absl::InvalidArgumentError(absl::StrCat("attr 'shape': expected a complete shape that begins with ",
                                                   num_values, ", got ", shape.ToString()));
  }
  return *complete;
}

template <typename E>
absl::Status ComputeParallelConcat(KernelCall& c) {
  const Shape& shape = c.state<ShapeState>().shape;
  const Dims row = WithDim(shape.dims(), 0, 1);
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (c.input(i).dims() != absl::MakeConstSpan(row)) {
      return absl::InvalidArgumentError(
          absl::StrCat("values[", i, "]: expected shape ", DimsToString(row), ", got ", c.input(i).ShapeString()));
    }
  }
  const int64_t chunk = Product(row);
  Joint joint{.chunks = absl::InlinedVector<int64_t, 8>(c.num_inputs(), chunk), .row = shape.num_elements()};
  return JoinInputs<E>(c, 0, joint, shape);
}

absl::StatusOr<std::shared_ptr<const KernelState>> MakeParallelConcatState(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const PartialShape shape, node.AttrAs<PartialShape>("shape"));
  ASSIGN_OR_RETURN(Shape output, ParallelConcatOutput(shape, node.num_inputs()));
  return std::make_shared<const ShapeState>(std::move(output));
}

absl::Status ParallelConcatShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape shape, c.AttrAs<PartialShape>("shape"));
  ASSIGN_OR_RETURN(const Shape output, ParallelConcatOutput(shape, c.num_inputs()));
  const PartialShape row = PartialShape::FromValid(WithDim(output.dims(), 0, 1));
  for (int i = 0; i < c.num_inputs(); ++i) RETURN_IF_ERROR(c.input(i).MergeWith(row).status());
  c.SetOutput(0, output);
  return absl::OkStatus();
}

// ---- Pack, Unpack

struct AxisState : KernelState {
  explicit AxisState(int64_t a) : axis(a) {}
  const int64_t axis;
};

absl::StatusOr<std::shared_ptr<const KernelState>> MakeAxisState(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const int64_t axis, node.Int("axis"));
  return std::make_shared<const AxisState>(axis);
}

template <typename E>
absl::Status ComputePack(KernelCall& c) {
  const int num_values = c.num_inputs();
  const Tensor& first = c.input(0);
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(c.state<AxisState>().axis, first.rank() + 1));
  for (int i = 1; i < num_values; ++i) {
    if (c.input(i).dims() != first.dims()) {
      return absl::InvalidArgumentError(absl::StrCat("values[", i, "]: expected the shape of values[0], ",
                                                     first.ShapeString(), ", got ", c.input(i).ShapeString()));
    }
  }
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(WithNewDim(first.dims(), axis, num_values)));
  if (num_values == 1 && c.CanForward(0)) {
    c.SetOutput(0, first.BitcastTo(first.dtype(), shape));
    return absl::OkStatus();
  }
  const int64_t chunk = Product(first.dims().subspan(axis));
  Joint joint{.chunks = absl::InlinedVector<int64_t, 8>(num_values, chunk), .row = chunk * num_values};
  return JoinInputs<E>(c, 0, joint, shape);
}

absl::Status PackShape(ShapeContext& c) {
  PartialShape value;
  for (int i = 0; i < c.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(value, value.MergeWith(c.input(i)));
  }
  if (!value.has_rank()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int64_t axis_value, c.Int("axis"));
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(axis_value, value.rank() + 1));
  ASSIGN_OR_RETURN(PartialShape output, PartialShape::Make(WithNewDim(value.dims(), axis, c.num_inputs())));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

template <typename E>
absl::Status ComputeUnpack(KernelCall& c) {
  const Tensor& value = c.input(0);
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(c.state<AxisState>().axis, value.rank()));
  if (value.dim(axis) != c.num_outputs()) {
    return absl::InvalidArgumentError(absl::StrCat("dimension ", axis, " of value of shape ", value.ShapeString(),
                                                   ": expected ", c.num_outputs(), ", got ", value.dim(axis)));
  }
  const Shape shape = Shape::FromValid(WithoutDim(value.dims(), axis));
  if (axis == 0 && shape.rank() > 0) {
    for (int i = 0; i < c.num_outputs(); ++i) c.SetOutput(i, value.Rows(i, 1).BitcastTo(value.dtype(), shape));
    return absl::OkStatus();
  }
  for (int i = 0; i < c.num_outputs(); ++i) RETURN_IF_ERROR(c.AllocateOutput(i, value.dtype(), shape).status());
  if (value.num_elements() == 0) return absl::OkStatus();
  const int64_t chunk = Product(value.dims().subspan(axis + 1));
  SplitIntoOutputs<E>(c, value, {absl::InlinedVector<int64_t, 8>(c.num_outputs(), chunk), chunk * c.num_outputs()});
  return absl::OkStatus();
}

absl::Status UnpackShape(ShapeContext& c) {
  PartialShape value = c.input(0);
  if (!value.has_rank()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int64_t axis_value, c.Int("axis"));
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(axis_value, value.rank()));
  if (value.has_dim(axis) && value.dim(axis) != c.num_outputs()) {
    return absl::InvalidArgumentError(absl::StrCat("dimension ", axis, " of value of shape ", value.ToString(),
                                                   ": expected ", c.num_outputs(), ", got ", value.dim(axis)));
  }
  ASSIGN_OR_RETURN(const PartialShape output, PartialShape::Make(WithoutDim(value.dims(), axis)));
  for (int i = 0; i < c.num_outputs(); ++i) c.SetOutput(i, output);
  return absl::OkStatus();
}

// ---- Split, SplitV

// The outputs: consecutive pieces of `value` along axis. Requires: sizes, one for each output, add up to the dimension.
template <typename E>
absl::Status SplitAlong(KernelCall& c, const Tensor& value, int axis, absl::Span<const int64_t> sizes) {
  const int num_outputs = c.num_outputs();
  if (num_outputs == 1) {
    c.SetOutput(0, value);
    return absl::OkStatus();
  }
  if (axis == 0) {
    int64_t begin = 0;
    for (int i = 0; i < num_outputs; ++i) {
      c.SetOutput(i, value.Rows(begin, sizes[i]));
      begin += sizes[i];
    }
    return absl::OkStatus();
  }
  const int64_t inner = Product(value.dims().subspan(axis + 1));
  Joint joint{.chunks = {}, .row = value.dim(axis) * inner};
  for (int i = 0; i < num_outputs; ++i) {
    RETURN_IF_ERROR(
        c.AllocateOutput(i, value.dtype(), Shape::FromValid(WithDim(value.dims(), axis, sizes[i]))).status());
    joint.chunks.push_back(sizes[i] * inner);
  }
  if (value.num_elements() > 0) SplitIntoOutputs<E>(c, value, joint);
  return absl::OkStatus();
}

absl::StatusOr<int64_t> EqualPart(int64_t dim, int num_parts) {
  if (dim % num_parts == 0) return dim / num_parts;
  return absl::InvalidArgumentError(
      absl::StrCat("dimension to split: expected a multiple of num_split ", num_parts, ", got ", dim));
}

template <typename E>
absl::Status ComputeSplit(KernelCall& c) {
  const Tensor& value = c.input(1);
  ASSIGN_OR_RETURN(const int64_t axis_value, ReadIntScalar(c.input(0), "split_dim"));
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(axis_value, value.rank(), "split_dim"));
  ASSIGN_OR_RETURN(const int64_t part, EqualPart(value.dim(axis), c.num_outputs()));
  return SplitAlong<E>(c, value, axis, absl::InlinedVector<int64_t, 8>(c.num_outputs(), part));
}

// Replaces the -1 in sizes, if there is one. dim -1: unknown, and then the -1 stays.
absl::Status CompleteSizes(int64_t dim, Dims& sizes) {
  int64_t sum = 0;
  int64_t* rest = nullptr;
  for (int64_t& size : sizes) {
    if (size == -1 && rest == nullptr) {
      rest = &size;
      continue;
    }
    const std::optional<int64_t> next = size < 0 ? std::nullopt : CheckedAdd(sum, size);
    if (!next.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat("size_splits: expected sizes and at most one -1, got ", size));
    }
    sum = *next;
  }
  if (dim < 0) return absl::OkStatus();
  if (rest != nullptr ? sum > dim : sum != dim) {
    return absl::InvalidArgumentError(
        absl::StrCat("sum of size_splits: expected ", rest != nullptr ? "at most " : "", dim, ", got ", sum));
  }
  if (rest != nullptr) *rest = dim - sum;
  return absl::OkStatus();
}

template <typename E>
absl::Status ComputeSplitV(KernelCall& c) {
  const Tensor& value = c.input(0);
  ASSIGN_OR_RETURN(Dims sizes, ReadIntVector(c.input(1), "size_splits"));
  if (static_cast<int>(sizes.size()) != c.num_outputs()) {
    return absl::InvalidArgumentError(
        absl::StrCat("size_splits: expected ", c.num_outputs(), " values, got ", sizes.size()));
  }
  ASSIGN_OR_RETURN(const int64_t axis_value, ReadAxis(c.input(2), "split_dim"));
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(axis_value, value.rank(), "split_dim"));
  RETURN_IF_ERROR(CompleteSizes(value.dim(axis), sizes));
  return SplitAlong<E>(c, value, axis, sizes);
}

// Input `value` as split along the axis in input `axis_input`: nullopt if the axis or the rank is unknown, and then all
// outputs are set as far as known.
absl::StatusOr<std::optional<int>> SplitAxis(ShapeContext& c, int value, int axis_input) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> axis_value, c.ConstantInt(axis_input));
  RETURN_IF_ERROR(c.WithRankAtLeast(value, 1).status());
  const int rank = c.input(value).rank();
  if (rank < 0) return std::optional<int>();
  if (axis_value.has_value()) {
    ASSIGN_OR_RETURN(const int axis, NormalizeAxis(*axis_value, rank, "split_dim"));
    return std::optional<int>(axis);
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.SetOutput(i, PartialShape::UnknownOfRank(rank));
  return std::optional<int>();
}

absl::Status SplitShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  ASSIGN_OR_RETURN(const std::optional<int> axis, SplitAxis(c, 1, 0));
  if (!axis.has_value()) return absl::OkStatus();
  const PartialShape& value = c.input(1);
  int64_t part = -1;
  if (value.has_dim(*axis)) {
    ASSIGN_OR_RETURN(part, EqualPart(value.dim(*axis), c.num_outputs()));
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.SetOutput(i, PartialShape::FromValid(WithDim(value.dims(), *axis, part)));
  return absl::OkStatus();
}

absl::Status SplitVShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.WithRank(1, 1).status());
  if (c.input(1).has_rank() && c.input(1).has_dim(0) && c.input(1).dim(0) != c.num_outputs()) {
    return absl::InvalidArgumentError(
        absl::StrCat("size_splits: expected ", c.num_outputs(), " values, got ", c.input(1).dim(0)));
  }
  ASSIGN_OR_RETURN(const std::optional<int> axis, SplitAxis(c, 0, 2));
  if (!axis.has_value()) return absl::OkStatus();
  const PartialShape& value = c.input(0);
  Dims sizes(c.num_outputs(), -1);
  if (c.constant(1) != nullptr) {
    ASSIGN_OR_RETURN(sizes, ReadIntVector(*c.constant(1), "size_splits"));
    RETURN_IF_ERROR(CompleteSizes(value.dim(*axis), sizes));
  }
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.SetOutput(i, PartialShape::FromValid(WithDim(value.dims(), *axis, sizes[i])));
  }
  return absl::OkStatus();
}

// ---- ConcatOffset

template <typename T>
absl::Status ComputeConcatOffset(KernelCall& c) {
  ASSIGN_OR_RETURN(const int64_t axis_value, ReadIntScalar(c.input(0), "concat_dim"));
  ASSIGN_OR_RETURN(const Dims first, ReadIntVector(c.input(1), "shape[0]"));
  const int rank = static_cast<int>(std::min<size_t>(first.size(), std::numeric_limits<int>::max()));
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(axis_value, rank, "concat_dim"));
  int64_t offset = 0;
  for (int i = 0; i < c.num_outputs(); ++i) {
    ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(c.input(i + 1), "shape"));
    RETURN_IF_ERROR(CheckJoinable("shape", i, first, dims, axis));
    ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(i, kDTypeOf<T>, c.input(i + 1).dims()));
    std::fill_n(output->mutable_data<T>(), dims.size(), T{0});
    output->mutable_data<T>()[axis] = static_cast<T>(offset);
    const std::optional<int64_t> next = CheckedAdd(offset, dims[axis]);
    if (!next.has_value() || *next > std::numeric_limits<T>::max() || *next < std::numeric_limits<T>::min()) {
      return absl::InvalidArgumentError(absl::StrCat("sum of dimension ", axis,
                                                     " of the shapes: expected a value that fits ",
                                                     std::string(DTypeName(kDTypeOf<T>)), ", got more"));
    }
    offset = *next;
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> ConcatOffsetKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const DType dtype, node.Type("shape_type"));
  return Kernel{.fn = dtype == DType::kInt32 ? &RunKernel<ComputeConcatOffset<int32_t>>
                                             : &RunKernel<ComputeConcatOffset<int64_t>>};
}

absl::Status ConcatOffsetShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  PartialShape length = PartialShape::UnknownOfRank(1);
  for (int i = 1; i < c.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(length, length.MergeWith(c.input(i)));
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.SetOutput(i, length);
  return absl::OkStatus();
}

// ---- Gradients

// Inputs from `first` on were joined along the axis in input `axis_input`.
struct Joined {
  int axis_input;
  int first;
  int count;
};

// The axis counted from the front, if it is known when the graph is built.
std::optional<int64_t> KnownAxis(GradContext& c, const Joined& joined) {
  const std::optional<std::vector<int64_t>> axis = ConstantInts(c, joined.axis_input);
  if (!axis.has_value() || axis->size() != 1) return std::nullopt;
  if ((*axis)[0] >= 0) return (*axis)[0];
  for (int i = joined.first; i < joined.first + joined.count; ++i) {
    if (c.input_shape(i).has_rank()) return (*axis)[0] + c.input_shape(i).rank();
  }
  return std::nullopt;
}

// Where each input begins in the result, as vectors.
Outputs Offsets(GradContext& c, const Joined& joined) {
  Output axis = c.input(joined.axis_input);
  if (axis.dtype() != DType::kInt32) axis = c.Op("Cast", {axis}, {{"DstT", DType::kInt32}});
  std::vector<Input> inputs{axis};
  for (int i = joined.first; i < joined.first + joined.count; ++i) inputs.push_back(c.ShapeOfInput(i));
  return c.MultiOp("ConcatOffset", inputs).outputs();
}

// Slices of rows that were joined along an axis other than 0: every input gets all indices.
void SplitRowsAcross(GradContext& c, const IndexedSlices& grad, const Joined& joined) {
  const Outputs offsets = Offsets(c, joined);
  for (int k = 0; k < joined.count; ++k) {
    const int i = joined.first + k;
    if (!c.needs(i)) continue;
    const Output shape = c.ShapeOfInput(i);
    const Output row = c.Op("StridedSlice", {shape, {1}, {0}, {1}}, {{"end_mask", 1}});
    const Output size = c.Op("ConcatV2", {{-1}, row, 0});
    c.Set(i, IndexedSlices{c.Op("Slice", {grad.values, offsets[k], size}), grad.indices, shape});
  }
}

// Slices of rows that were joined along axis 0: an input gets the indices that fall on it.
void SplitRowsAlong(GradContext& c, const IndexedSlices& grad, const Joined& joined) {
  const DType dtype = grad.indices.dtype();
  Output start = c.builder().Constant(Input(0), dtype);
  for (int i = joined.first; i < joined.first + joined.count; ++i) {
    const Output shape = c.ShapeOfInput(i);
    Output rows = c.Op("StridedSlice", {shape, {0}, {1}, {1}}, {{"shrink_axis_mask", 1}});
    if (rows.dtype() != dtype) rows = c.Op("Cast", {rows}, {{"DstT", dtype}});
    const Output end = start + rows;
    if (c.needs(i)) {
      const Output here = c.Op("LogicalAnd", {grad.indices >= start, grad.indices < end});
      const Output chosen = c.Op("Reshape", {c.Op("Where", {here}), {-1}});
      c.Set(i, IndexedSlices{c.Op("GatherV2", {grad.values, chosen, 0}),
                             c.Op("GatherV2", {grad.indices, chosen, 0}) - start, shape});
    }
    start = end;
  }
}

absl::Status JoinGrad(GradContext& c, const Joined& joined) {
  const std::optional<int64_t> axis = KnownAxis(c, joined);
  if (const IndexedSlices* slices = c.sparse_grad(); slices != nullptr && axis.has_value()) {
    (*axis == 0 ? SplitRowsAlong : SplitRowsAcross)(c, *slices, joined);
    return absl::OkStatus();
  }
  const Outputs offsets = Offsets(c, joined);
  for (int k = 0; k < joined.count; ++k) {
    const int i = joined.first + k;
    if (c.needs(i)) c.Set(i, c.Op("Slice", {c.grad(), offsets[k], c.ShapeOfInput(i)}));
  }
  return absl::OkStatus();
}

absl::Status ConcatGrad(GradContext& c) {
  return JoinGrad(c, {.axis_input = 0, .first = 1, .count = c.num_inputs() - 1});
}

absl::Status ConcatV2Grad(GradContext& c) {
  return JoinGrad(c, {.axis_input = c.num_inputs() - 1, .first = 0, .count = c.num_inputs() - 1});
}

absl::Status PackGrad(GradContext& c) {
  const Operation rows = c.MultiOp("Unpack", {c.grad()}, {{"num", int64_t{c.num_inputs()}}, {"axis", c.Int("axis")}});
  for (int i = 0; i < c.num_inputs(); ++i) c.Set(i, rows.output(i));
  return absl::OkStatus();
}

std::vector<Input> GradsOfOutputs(GradContext& c) {
  std::vector<Input> grads;
  for (int i = 0; i < c.num_outputs(); ++i) grads.push_back(c.grad(i));
  return grads;
}

absl::Status UnpackGrad(GradContext& c) {
  c.Set(0, c.Op("Pack", GradsOfOutputs(c), {{"axis", c.Int("axis")}}));
  return absl::OkStatus();
}

template <int kValue, int kAxis>
absl::Status SplitGrad(GradContext& c) {
  std::vector<Input> grads = GradsOfOutputs(c);
  if (grads.size() == 1) {
    c.Set(kValue, c.grad());
  } else {
    grads.push_back(c.input(kAxis));
    c.Set(kValue, c.Op("ConcatV2", grads));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterJoiningOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "Concat(concat_dim: int32, values: N * T) -> (output: T); N: int >= 2; T: type",
      .doc = "The values one after another along dimension concat_dim",
      .shape = ConcatShape,
      .kernel = MovingKernel([]<typename E>() { return &RunKernel<ComputeConcat<E>>; }),
      .gradient = ConcatGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "ConcatV2(values: N * T, axis: Tidx) -> (output: T); N: int >= 2; T: type; Tidx: {int32, int64} = int32",
      .doc = "The values one after another along axis",
      .shape = ConcatV2Shape,
      .kernel = MovingKernel([]<typename E>() { return &RunKernel<ComputeConcatV2<E>>; }),
      .gradient = ConcatV2Grad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "ConcatOffset(concat_dim: int32, shape: N * shape_type) -> (offset: N * shape_type); N: int >= 2; "
                   "shape_type: {int32, int64} = int32",
      .doc = "Where each tensor of the given shapes begins in their concatenation along concat_dim",
      .shape = ConcatOffsetShape,
      .kernel = ConcatOffsetKernel,
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "ParallelConcat(values: N * T) -> (output: T); N: int >= 1; T: type; shape: shape",
      .doc = "The values, each with a first dimension of 1, one after another along it",
      .shape = ParallelConcatShape,
      .kernel =
          MovingKernel([]<typename E>() { return &RunKernel<ComputeParallelConcat<E>>; }, MakeParallelConcatState),
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Pack(values: N * T) -> (output: T); N: int >= 1; T: type; axis: int = 0",
      .doc = "The values side by side along a new dimension axis",
      .shape = PackShape,
      .kernel = MovingKernel([]<typename E>() { return &RunKernel<ComputePack<E>>; }, MakeAxisState),
      .gradient = PackGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Unpack(value: T) -> (output: num * T); num: int >= 0; T: type; axis: int = 0",
      .doc = "The num slices of value along axis, without that dimension",
      .shape = UnpackShape,
      .kernel = MovingKernel([]<typename E>() { return &RunKernel<ComputeUnpack<E>>; }, MakeAxisState),
      .gradient = UnpackGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Split(split_dim: int32, value: T) -> (output: num_split * T); num_split: int >= 1; T: type",
      .doc = "The value in num_split equal parts along split_dim",
      .shape = SplitShape,
      .kernel = MovingKernel([]<typename E>() { return &RunKernel<ComputeSplit<E>>; }),
      .gradient = SplitGrad<1, 0>,
  }));
  return library.Add({
      .signature =
          "SplitV(value: T, size_splits: Tlen, split_dim: int32) -> (output: num_split * T); num_split: int >= 1; "
          "T: type; Tlen: {int8, int32, int64} = int64",
      .doc = "The value in parts of the given sizes along split_dim; one size may be -1 for the rest",
      .shape = SplitVShape,
      .kernel = MovingKernel([]<typename E>() { return &RunKernel<ComputeSplitV<E>>; }),
      .gradient = SplitGrad<0, 2>,
  });
}

}  // namespace flowlatch
