// Parts of tensors.
//   Slice:        input [d..], begin and size: one value a dimension, size -1 reaches to the end -> [size..].
//   StridedSlice: as Python's x[a:b:c, .., i, newaxis] (see ops/kernels/strided_slice.h). A slice of whole rows shares
//   the
//                 input's memory; all others are copies.
//   StridedSliceGrad: dy [sliced..] -> zeros of `shape` with dy where the slice of it is.
//   TensorStridedSliceUpdate: input with `value`, broadcast to the slice's shape, where the slice is.
//   Reverse(V2):  input [d..] -> [d..], backwards along the chosen dimensions; a scalar is its own reverse.
//   ReverseSequence: of each index of batch_dim, the first seq_lengths[index] slices along seq_dim backwards.
// Elements are moved, not looked at: every dtype works that the signatures allow. Ranges are clamped to their
// dimension; indices, begin and size must lie inside.
#include "ops/slicing_ops.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/moving_kernel.h"
#include "ops/kernels/strided_copy.h"
#include "ops/kernels/strided_slice.h"

namespace flowlatch {
namespace {

struct SliceState : KernelState {
  explicit SliceState(const SliceMasks& m) : masks(m) {}
  const SliceMasks masks;
};

// Output 0 of `shape`: the elements of input 0 at the view's places.
template <typename E>
absl::Status CopyViewOfInput(KernelCall& c, const StridedView& view, const Shape& shape) {
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, c.input(0).dtype(), shape));
  const E* from = Elements<E>(c.input(0));
  E* to = MutableElements<E>(*output);
  ParallelMove<E>(c, shape.num_elements(),
                  [&](int64_t begin, int64_t end) { CopyFromView(view, from, to, begin, end); });
  return absl::OkStatus();
}

bool IsWholeRows(absl::Span<const DimSlice> slice, absl::Span<const int64_t> dims) {
  if (slice.empty() || slice[0].stride != 1) return false;
  for (size_t d = 1; d < slice.size(); ++d) {
    if (slice[d].stride != 1 || slice[d].size != dims[d]) return false;
  }
  return true;
}

// Output 0: the slice of input 0, seen as `dims`.
template <typename E>
absl::Status SliceInput(KernelCall& c, absl::Span<const DimSlice> slice, absl::Span<const int64_t> dims) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  if (shape.rank() > 0 && IsWholeRows(slice, input.dims())) {
    c.SetOutput(0, input.Rows(slice[0].begin, slice[0].size).BitcastTo(input.dtype(), shape));
    return absl::OkStatus();
  }
  return CopyViewOfInput<E>(c, ViewOfSlice(slice, input.dims()), shape);
}

// ---- Slice

absl::StatusOr<DimSlice> ResolveBeginAndSize(int64_t begin, int64_t size, int64_t dim, int d) {
  if (begin < 0 || (dim >= 0 && begin > dim)) {
    const std::string range = dim < 0 ? ">= 0" : absl::StrCat("in [0,", dim, "]");
    return absl::InvalidArgumentError(absl::StrCat("begin[", d, "]: expected a value ", range, ", got ", begin));
  }
  if (dim < 0 && size == -1) return DimSlice{begin, 1, -1};
  const int64_t rest = dim - begin;
  if (size < -1 || (dim >= 0 && size > rest)) {
    return absl::InvalidArgumentError(
        absl::StrCat("size[", d, "]: expected -1 or a value in [0,", rest, "], got ", size));
  }
  return DimSlice{begin, 1, size == -1 ? rest : size};
}

template <typename E>
absl::Status ComputeSlice(KernelCall& c) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const Dims begin, ReadIntVector(c.input(1), "begin"));
  ASSIGN_OR_RETURN(const Dims size, ReadIntVector(c.input(2), "size"));
  const size_t rank = static_cast<size_t>(input.rank());
  if (begin.size() != rank || size.size() != rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("begin and size: expected ", rank, " values each, got ", begin.size(), " and ", size.size()));
  }
  absl::InlinedVector<DimSlice, 6> slice(rank);
  Dims dims(rank);
  for (size_t d = 0; d < rank; ++d) {
    ASSIGN_OR_RETURN(slice[d],
                     ResolveBeginAndSize(begin[d], size[d], input.dim(static_cast<int>(d)), static_cast<int>(d)));
    dims[d] = slice[d].size;
  }
  return SliceInput<E>(c, slice, dims);
}

absl::Status SliceShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape length, c.WithRank(1, 1));
  ASSIGN_OR_RETURN(const PartialShape size_length, c.WithRank(2, 1));
  ASSIGN_OR_RETURN(length, length.MergeWith(size_length));
  PartialShape input = c.input(0);
  if (input.has_rank()) {
    RETURN_IF_ERROR(length.MergeWith(PartialShape::Of({input.rank()})).status());
  } else if (length.has_dim(0)) {
    if (length.dim(0) > kMaxRank) {
      return absl::InvalidArgumentError(
          absl::StrCat("begin: expected at most ", kMaxRank, " values, got ", length.dim(0)));
    }
    input = PartialShape::UnknownOfRank(static_cast<int>(length.dim(0)));
  } else {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::optional<Dims> begin, c.ConstantInts(1));
  ASSIGN_OR_RETURN(const std::optional<Dims> size, c.ConstantInts(2));
  Dims dims(static_cast<size_t>(input.rank()), -1);
  for (int d = 0; d < input.rank() && size.has_value(); ++d) {
    if (begin.has_value()) {
      ASSIGN_OR_RETURN(const DimSlice slice, ResolveBeginAndSize((*begin)[d], (*size)[d], input.dim(d), d));
      dims[d] = slice.size;
    } else {
      dims[d] = std::max<int64_t>((*size)[d], -1);
    }
  }
  ASSIGN_OR_RETURN(PartialShape output, PartialShape::Make(dims));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

// ---- StridedSlice, StridedSliceGrad, TensorStridedSliceUpdate

template <typename E>
absl::Status ComputeStridedSlice(KernelCall& c) {
  ASSIGN_OR_RETURN(const SliceEntries entries, ReadSliceEntries(c.input(1), c.input(2), c.input(3)));
  ASSIGN_OR_RETURN(const ResolvedSlice slice, ResolveSlice(c.state<SliceState>().masks, c.input(0).dims(), entries));
  return SliceInput<E>(c, slice.dims, slice.output);
}

absl::Status StridedSliceShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const SliceMasks masks, SliceMasks::FromAttrs(c));
  ASSIGN_OR_RETURN(const std::optional<SliceEntries> entries, SliceEntriesOf(c, 1));
  if (!entries.has_value() || !c.input(0).has_rank()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const ResolvedSlice slice, ResolveSlice(masks, c.input(0).dims(), *entries));
  ASSIGN_OR_RETURN(PartialShape output, PartialShape::Make(slice.output));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

template <typename E>
absl::Status ComputeStridedSliceGrad(KernelCall& c) {
  const Tensor& dy = c.input(4);
  ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(c.input(0), "shape"));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  ASSIGN_OR_RETURN(const SliceEntries entries, ReadSliceEntries(c.input(1), c.input(2), c.input(3)));
  ASSIGN_OR_RETURN(const ResolvedSlice slice, ResolveSlice(c.state<SliceState>().masks, dims, entries));
  if (dy.dims() != absl::MakeConstSpan(slice.output)) {
    return absl::InvalidArgumentError(
        absl::StrCat("dy: expected shape ", DimsToString(slice.output), ", got ", dy.ShapeString()));
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, dy.dtype(), shape));
  E* to = MutableElements<E>(*output);
  if constexpr (std::is_trivially_copyable_v<E>) {  // new objects are empty by themselves
    ParallelMove<E>(c, shape.num_elements(), [&](int64_t begin, int64_t end) { std::fill(to + begin, to + end, E{}); });
  }
  const StridedView view = ViewOfSlice(slice.dims, dims);
  const E* from = Elements<E>(dy);
  ParallelMove<E>(c, dy.num_elements(), [&](int64_t begin, int64_t end) { CopyToView(view, from, to, begin, end); });
  return absl::OkStatus();
}

absl::Status StridedSliceGradShape(ShapeContext& c) {
  RETURN_IF_ERROR(SliceEntriesOf(c, 1).status());
  ASSIGN_OR_RETURN(PartialShape output, c.InputAsShape(0));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

template <typename E>
absl::Status ComputeTensorStridedSliceUpdate(KernelCall& c) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const SliceEntries entries, ReadSliceEntries(c.input(1), c.input(2), c.input(3)));
  ASSIGN_OR_RETURN(const ResolvedSlice slice, ResolveSlice(c.state<SliceState>().masks, input.dims(), entries));
  ASSIGN_OR_RETURN(const Shape sliced, Shape::Make(slice.output));
  ASSIGN_OR_RETURN(const Tensor value, BroadcastToSlice(c.input(4), sliced));
  const E* old = Elements<E>(input);
  ASSIGN_OR_RETURN(Tensor * output, c.ForwardOrAllocate(0, 0, input.dtype(), input.shape()));
  E* to = MutableElements<E>(*output);
  if (to != old) {
    ParallelMove<E>(c, input.num_elements(),
                    [&](int64_t begin, int64_t end) { CopyRun(old + begin, to + begin, end - begin); });
  }
  const StridedView view = ViewOfSlice(slice.dims, input.dims());
  const E* from = Elements<E>(value);
  ParallelMove<E>(c, value.num_elements(), [&](int64_t begin, int64_t end) { CopyToView(view, from, to, begin, end); });
  return absl::OkStatus();
}

absl::Status UpdateShape(ShapeContext& c) {
  RETURN_IF_ERROR(SliceEntriesOf(c, 1).status());
  return shapes::SameAsInput(c);
}

// ---- Reverse, ReverseV2

using DimFlags = absl::InlinedVector<bool, 8>;

template <typename E>
absl::Status ReverseAlong(KernelCall& c, const DimFlags& reversed) {
  const Tensor& input = c.input(0);
  const Dims strides = StridesOf(input.dims());
  StridedView view;
  bool changes = false;
  for (int d = 0; d < input.rank(); ++d) {
    const int64_t size = input.dim(d);
    const bool backwards = reversed[d] && size > 1;
    changes |= backwards;
    if (backwards) view.offset += (size - 1) * strides[d];
    view.Add(size, backwards ? -strides[d] : strides[d]);
  }
  if (changes) return CopyViewOfInput<E>(c, view, input.shape());
  c.SetOutput(0, input);
  return absl::OkStatus();
}

absl::StatusOr<DimFlags> ReversedDims(const Dims& axes, int rank) {
  DimFlags reversed(rank);
  for (const int64_t axis : axes) {
    ASSIGN_OR_RETURN(const int d, NormalizeAxis(axis, rank));
    if (reversed[d]) {
      return absl::InvalidArgumentError(absl::StrCat("axis: expected distinct values, got ", d, " twice"));
    }
    reversed[d] = true;
  }
  return reversed;
}

template <typename E>
absl::Status ComputeReverseV2(KernelCall& c) {
  ASSIGN_OR_RETURN(const Dims axes, ReadIntVector(c.input(1), "axis"));
  if (c.input(0).is_scalar()) return ReverseAlong<E>(c, {});
  ASSIGN_OR_RETURN(const DimFlags reversed, ReversedDims(axes, c.input(0).rank()));
  return ReverseAlong<E>(c, reversed);
}

absl::Status ReverseV2Shape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectVector(1));
  ASSIGN_OR_RETURN(const std::optional<Dims> axes, c.ConstantInts(1));
  if (axes.has_value() && c.input(0).rank() > 0) RETURN_IF_ERROR(ReversedDims(*axes, c.input(0).rank()).status());
  return shapes::SameAsInput(c);
}

template <typename E>
absl::Status ComputeReverse(KernelCall& c) {
  const Tensor& input = c.input(0);
  const Tensor& dims = c.input(1);
  if (!dims.is_vector()) {
    return absl::InvalidArgumentError(absl::StrCat("dims: expected a vector, got shape ", dims.ShapeString()));
  }
  if (!input.is_scalar() && dims.dim(0) != input.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("dims: expected ", input.rank(), " values, got ", dims.dim(0)));
  }
  return ReverseAlong<E>(c, DimFlags(dims.values<bool>().begin(), dims.values<bool>().end()));
}

absl::Status ReverseShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape dims, c.WithRank(1, 1));
  const PartialShape& input = c.input(0);
  if (input.rank() > 0) {
    RETURN_IF_ERROR(dims.MergeWith(PartialShape::Of({input.rank()})).status());
    c.SetOutput(0, input);
  } else if (!input.has_rank() && dims.has_dim(0) && dims.dim(0) > kMaxRank) {
    return absl::InvalidArgumentError(absl::StrCat("dims: expected at most ", kMaxRank, " values, got ", dims.dim(0)));
  }
  return absl::OkStatus();
}

// ---- ReverseSequence

struct SequenceState : KernelState {
  int64_t seq_dim = 0, batch_dim = 0;
};

absl::StatusOr<std::shared_ptr<const KernelState>> MakeSequenceState(const NodeInfo& node) {
  auto state = std::make_shared<SequenceState>();
  ASSIGN_OR_RETURN(state->seq_dim, node.Int("seq_dim"));
  ASSIGN_OR_RETURN(state->batch_dim, node.Int("batch_dim"));
  return state;
}

absl::Status CheckSequenceDims(int64_t seq_dim, int64_t batch_dim, int rank) {
  for (const auto& [name, dim] : {std::pair{"seq_dim", seq_dim}, std::pair{"batch_dim", batch_dim}}) {
    if (dim < 0 || dim >= rank) {
      return absl::InvalidArgumentError(absl::StrCat(name, ": expected a value in [0,", rank, "), got ", dim));
    }
  }
  if (seq_dim != batch_dim) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("seq_dim: expected another value than batch_dim, got ", seq_dim));
}

// The input is [outer, first, middle, second, slice]; first and second are batch_dim and seq_dim, whichever comes
// first.
template <typename E>
absl::Status ComputeReverseSequence(KernelCall& c) {
  const SequenceState& state = c.state<SequenceState>();
  const Tensor& input = c.input(0);
  const Tensor& seq_lengths = c.input(1);
  RETURN_IF_ERROR(CheckSequenceDims(state.seq_dim, state.batch_dim, input.rank()));
  const int batch_dim = static_cast<int>(state.batch_dim), seq_dim = static_cast<int>(state.seq_dim);
  ASSIGN_OR_RETURN(const Dims lengths, ReadIntVector(seq_lengths, "seq_lengths"));
  if (static_cast<int64_t>(lengths.size()) != input.dim(batch_dim)) {
    return absl::InvalidArgumentError(absl::StrCat("seq_lengths: expected ", input.dim(batch_dim),
                                                   " values, the size of dimension ", batch_dim, " of the input, got ",
                                                   lengths.size()));
  }
  const int64_t limit = input.dim(seq_dim);
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 0 || lengths[i] > limit) {
      return absl::InvalidArgumentError(
          absl::StrCat("seq_lengths[", i, "]: expected a value in [0,", limit, "], got ", lengths[i]));
    }
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, input.dtype(), input.dims()));
  if (input.num_elements() == 0) return absl::OkStatus();
  const int second = std::max(batch_dim, seq_dim);
  int64_t slice = 1, seq_stride = 1, batch_stride = 1;  // strides in slices
  for (int d = second + 1; d < input.rank(); ++d) slice *= input.dim(d);
  for (int d = seq_dim + 1; d <= second; ++d) seq_stride *= input.dim(d);
  for (int d = batch_dim + 1; d <= second; ++d) batch_stride *= input.dim(d);
  const E* from = Elements<E>(input);
  E* to = MutableElements<E>(*output);
  ParallelMove<E>(c, input.num_elements() / slice, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t length = lengths[i / batch_stride % input.dim(batch_dim)];
      const int64_t at = i / seq_stride % limit;
      const int64_t source = at < length ? i + (length - 1 - 2 * at) * seq_stride : i;
      CopyRun(from + source * slice, to + i * slice, slice);
    }
  });
  return absl::OkStatus();
}

absl::Status ReverseSequenceShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape lengths, c.WithRank(1, 1));
  ASSIGN_OR_RETURN(const int64_t seq_dim, c.Int("seq_dim"));
  ASSIGN_OR_RETURN(const int64_t batch_dim, c.Int("batch_dim"));
  PartialShape input = c.input(0);
  if (input.has_rank()) {
    RETURN_IF_ERROR(CheckSequenceDims(seq_dim, batch_dim, input.rank()));
    const PartialShape batch = PartialShape::FromValid(input.dims().subspan(batch_dim, 1));
    RETURN_IF_ERROR(batch.MergeWith(lengths).status());
  }
  c.SetOutput(0, std::move(input));
  return absl::OkStatus();
}

// ---- Gradients

absl::Status SliceGrad(GradContext& c) {
  const Output begin = c.input(1);
  const Output after = c.ShapeOfInput(0, begin.dtype()) - c.ShapeOfOutput(0, begin.dtype()) - begin;
  c.Set(0, c.Op("Pad", {c.grad(), c.Op("Pack", {begin, after}, {{"axis", 1}})}));
  return absl::OkStatus();
}

std::vector<AttrMap::Entry> MaskAttrs(GradContext& c) {
  return c.CopyAttrs({"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"});
}

// An input of the slice's position: int16 is not for gradients.
Output Position(GradContext& c, int i) {
  const Output value = c.input(i);
  return value.dtype() == DType::kInt16 ? c.Op("Cast", {value}, {{"DstT", DType::kInt32}}) : value;
}

absl::Status StridedSliceGradient(GradContext& c) {
  const Output begin = Position(c, 1);
  c.Set(0, c.Op("StridedSliceGrad", {c.ShapeOfInput(0, begin.dtype()), begin, Position(c, 2), Position(c, 3), c.grad()},
                MaskAttrs(c)));
  return absl::OkStatus();
}

absl::Status StridedSliceGradGrad(GradContext& c) {
  c.Set(4, c.Op("StridedSlice", {c.grad(), c.input(1), c.input(2), c.input(3)}, MaskAttrs(c)));
  return absl::OkStatus();
}

// The value may have been stretched to the shape of the slice.
absl::Status TensorStridedSliceUpdateGrad(GradContext& c) {
  const Output slice = c.Op("StridedSlice", {c.grad(), c.input(1), c.input(2), c.input(3)}, MaskAttrs(c));
  if (c.needs(0)) {
    c.Set(0, c.Op("TensorStridedSliceUpdate",
                  {c.grad(), c.input(1), c.input(2), c.input(3), c.Op("ZerosLike", {slice})}, MaskAttrs(c)));
  }
  if (c.needs(4)) c.Set(4, SumToShapeOf(c, slice, 4));
  return absl::OkStatus();
}

absl::Status ReverseGrad(GradContext& c) {
  c.Set(0, c.Op(c.op(), {c.grad(), c.input(1)}));
  return absl::OkStatus();
}

absl::Status ReverseSequenceGrad(GradContext& c) {
  c.Set(0, c.Op("ReverseSequence", {c.grad(), c.input(1)}, c.CopyAttrs({"seq_dim", "batch_dim"})));
  return absl::OkStatus();
}

// ---- Registration

absl::StatusOr<std::shared_ptr<const KernelState>> MakeSliceState(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const SliceMasks masks, SliceMasks::FromAttrs(node));
  return std::make_shared<const SliceState>(masks);
}

}  // namespace

absl::Status RegisterSlicingOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "Slice(input: T, begin: Index, size: Index) -> (output: T); T: type; Index: {int32, int64}",
      .doc = "The block of input that begins at begin and has the given size; a size of -1 reaches to the end",
      .shape = SliceShape,
      .kernel = MovingKernel([]<typename E>() { return &RunKernel<ComputeSlice<E>>; }),
      .gradient = SliceGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "StridedSlice(input: T, begin: Index, end: Index, strides: Index) -> (output: T); T: type; "
                   "Index: {int16, int32, int64}; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; "
                   "new_axis_mask: int = 0; shrink_axis_mask: int = 0",
      .doc = "The slice that input[begin:end:strides] is in Python; the masks say where an entry is something else",
      .shape = StridedSliceShape,
      .kernel = MovingKernel([]<typename E>() { return &RunKernel<ComputeStridedSlice<E>>; }, MakeSliceState),
      .gradient = StridedSliceGradient,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "StridedSliceGrad(shape: Index, begin: Index, end: Index, strides: Index, dy: T) -> (output: T); "
                   "T: type; Index: {int32, int64}; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; "
                   "new_axis_mask: int = 0; shrink_axis_mask: int = 0",
      .doc = "Zeros of the given shape with dy at the places that StridedSlice would take from it",
      .shape = StridedSliceGradShape,
      .kernel = MovingKernel([]<typename E>() { return &RunKernel<ComputeStridedSliceGrad<E>>; }, MakeSliceState),
      .gradient = StridedSliceGradGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "TensorStridedSliceUpdate(input: T, begin: Index, end: Index, strides: Index, value: T) -> "
                   "(output: T); T: type; Index: {int32, int64}; begin_mask: int = 0; end_mask: int = 0; "
                   "ellipsis_mask: int = 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0",
      .doc = "A copy of input in which the slice holds value, broadcast to the slice's shape",
      .shape = UpdateShape,
      .kernel =
          MovingKernel([]<typename E>() { return &RunKernel<ComputeTensorStridedSliceUpdate<E>>; }, MakeSliceState),
      .gradient = TensorStridedSliceUpdateGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Reverse(tensor: T, dims: bool) -> (output: T); T: {uint8, int8, uint16, int16, uint32, int32, "
                   "uint64, int64, bool, bfloat16, float16, float32, float64, complex64, complex128, string}",
      .doc = "The tensor backwards along every dimension whose flag is true",
      .shape = ReverseShape,
      .kernel = MovingKernel([]<typename E>() { return &RunKernel<ComputeReverse<E>>; }),
      .gradient = ReverseGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "ReverseSequence(input: T, seq_lengths: Tlen) -> (output: T); seq_dim: int; batch_dim: int = 0; T: type; "
          "Tlen: {int32, int64} = int64",
      .doc = "The input with the beginning of each sequence backwards",
      .shape = ReverseSequenceShape,
      .kernel = MovingKernel([]<typename E>() { return &RunKernel<ComputeReverseSequence<E>>; }, MakeSequenceState),
      .gradient = ReverseSequenceGrad,
  }));
  return library.Add({
      .signature = "ReverseV2(tensor: T, axis: Tidx) -> (output: T); Tidx: {int32, int64} = int32; T: {uint8, int8, "
                   "uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, float16, float32, float64, complex64, "
                   "complex128, string}",
      .doc = "The tensor backwards along the given axes",
      .shape = ReverseV2Shape,
      .kernel = MovingKernel([]<typename E>() { return &RunKernel<ComputeReverseV2<E>>; }),
      .gradient = ReverseGrad,
  });
}

}  // namespace flowlatch
