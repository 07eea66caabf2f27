// Tensors made larger.
//   Pad(V2):   input [d..], paddings [rank, 2] >= 0 -> [before + d + after ..]; the border is zero, or a scalar's
//   value. MirrorPad: the same with a border that mirrors the input: SYMMETRIC repeats the edge (paddings <= d),
//   REFLECT does
//              not (paddings < d). MirrorPadGrad adds the border back to where it came from.
//   Tile:      input [d..], multiples [rank] >= 0 -> [d * multiple ..]
//   BroadcastTo: input -> shape, dimensions of 1 and missing ones repeated.
// Every dtype, except MirrorPadGrad, which adds numbers (integers wrap). What changes nothing shares the input's
// memory.
#include "ops/padding_ops.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/moving_kernel.h"
#include "ops/kernels/small_floats.h"
#include "ops/kernels/strided_copy.h"
#include "ops/kernels/strided_slice.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

// ---- Paddings

struct Padding {
  int64_t before;
  int64_t after;
};
using Paddings = absl::InlinedVector<Padding, 6>;

absl::StatusOr<Paddings> ReadPaddings(const Tensor& t, int rank) {
  if (t.rank() != 2 || t.dim(0) != rank || t.dim(1) != 2) {
    return absl::InvalidArgumentError(absl::StrCat("paddings: expected shape [", rank, ",2], got ", t.ShapeString()));
  }
  Paddings paddings(rank);
  for (int d = 0; d < rank; ++d) {
    const auto read = [&](auto values) { paddings[d] = {values[2 * d], values[2 * d + 1]}; };
    if (t.dtype() == DType::kInt32) {
      read(t.values<int32_t>());
    } else {
      read(t.values<int64_t>());
    }
    if (paddings[d].before < 0 || paddings[d].after < 0) {
      return absl::InvalidArgumentError(absl::StrCat("paddings[", d, "]: expected values >= 0, got ",
                                                     paddings[d].before, " and ", paddings[d].after));
    }
  }
  return paddings;
}

bool AddNothing(const Paddings& paddings) {
  for (const Padding& p : paddings) {
    if (p.before != 0 || p.after != 0) return false;
  }
  return true;
}

// The dimensions with padding; unknown ones stay unknown.
absl::StatusOr<Dims> PaddedDims(absl::Span<const int64_t> dims, const Paddings& paddings) {
  Dims padded(dims.begin(), dims.end());
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] < 0) continue;
    const std::optional<int64_t> with_before = CheckedAdd(dims[d], paddings[d].before);
    const std::optional<int64_t> size =
        with_before.has_value() ? CheckedAdd(*with_before, paddings[d].after) : std::nullopt;
    if (!size.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat("paddings[", d, "]: expected a padded size that fits int64, got ",
                                                     paddings[d].before, " + ", dims[d], " + ", paddings[d].after));
    }
    padded[d] = *size;
  }
  return padded;
}

// Dimensions of an op that pads input 0 by input 1, as `resize(dims, paddings)` computes them.
template <typename Resize>
absl::Status ShapeWithPaddings(ShapeContext& c, Resize resize) {
  ASSIGN_OR_RETURN(PartialShape table, c.WithRank(1, 2));
  ASSIGN_OR_RETURN(table, table.MergeWith(PartialShape::Of({c.input(0).rank(), 2})));
  if (!table.has_dim(0)) return absl::OkStatus();
  if (table.dim(0) > kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("paddings: expected at most ", kMaxRank, " rows, got ", table.dim(0)));
  }
  const int rank = static_cast<int>(table.dim(0));
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, rank));
  PartialShape output = PartialShape::UnknownOfRank(rank);
  if (c.constant(1) != nullptr) {
    ASSIGN_OR_RETURN(const Paddings paddings, ReadPaddings(*c.constant(1), rank));
    ASSIGN_OR_RETURN(const Dims dims, resize(input.dims(), paddings));
    ASSIGN_OR_RETURN(output, PartialShape::Make(dims));
  }
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

absl::Status PadShape(ShapeContext& c) { return ShapeWithPaddings(c, PaddedDims); }

// ---- Pad, PadV2

// Fills the border slab by slab: along dimension d, what lies inside of the input's range in all earlier dimensions.
template <typename E>
void FillBorder(const KernelCall& c, const E& value, const Paddings& paddings, absl::Span<const int64_t> dims, E* to) {
  absl::InlinedVector<DimSlice, 6> slab;
  for (const int64_t size : dims) slab.push_back({0, 1, size});
  const auto fill = [&] {
    int64_t count = 1;
    for (const DimSlice& s : slab) count *= s.size;
    const StridedView view = ViewOfSlice(slab, dims);
    ParallelMove<E>(c, count, [&](int64_t begin, int64_t end) { FillView(view, value, to, begin, end); });
  };
  for (size_t d = 0; d < dims.size(); ++d) {
    slab[d] = {0, 1, paddings[d].before};
    fill();
    slab[d] = {dims[d] - paddings[d].after, 1, paddings[d].after};
    fill();
    slab[d] = {paddings[d].before, 1, dims[d] - paddings[d].before - paddings[d].after};
  }
}

template <typename E>
absl::Status PadInput(KernelCall& c, const E& value) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const Paddings paddings, ReadPaddings(c.input(1), input.rank()));
  if (AddNothing(paddings)) {
    c.SetOutput(0, input);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const Dims dims, PaddedDims(input.dims(), paddings));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, input.dtype(), dims));
  if (output->num_elements() == 0) return absl::OkStatus();
  const E* from = Elements<E>(input);
  E* to = MutableElements<E>(*output);
  FillBorder(c, value, paddings, dims, to);
  absl::InlinedVector<DimSlice, 6> inside;
  for (int d = 0; d < input.rank(); ++d) inside.push_back({paddings[d].before, 1, input.dim(d)});
  const StridedView view = ViewOfSlice(inside, dims);
  ParallelMove<E>(c, input.num_elements(), [&](int64_t begin, int64_t end) { CopyToView(view, from, to, begin, end); });
  return absl::OkStatus();
}

template <typename E>
absl::Status ComputePad(KernelCall& c) {
  return PadInput<E>(c, E{});
}

template <typename E>
absl::Status ComputePadV2(KernelCall& c) {
  const Tensor& value = c.input(2);
  if (!value.is_scalar()) {
    return absl::InvalidArgumentError(
        absl::StrCat("constant_values: expected a scalar, got shape ", value.ShapeString()));
  }
  return PadInput<E>(c, *Elements<E>(value));
}

absl::Status PadV2Shape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(2));
  return PadShape(c);
}

// ---- MirrorPad, MirrorPadGrad

struct MirrorState : KernelState {
  explicit MirrorState(bool r) : reflect(r) {}
  const bool reflect;  // the edge itself is not repeated
};

absl::StatusOr<std::shared_ptr<const KernelState>> MakeMirrorState(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const std::string mode, node.Str("mode"));
  return std::make_shared<const MirrorState>(mode == "REFLECT");
}

absl::Status CheckMirror(absl::Span<const int64_t> inner, const Paddings& paddings, bool reflect) {
  for (size_t d = 0; d < inner.size(); ++d) {
    const int64_t limit = reflect ? inner[d] - 1 : inner[d];
    if (inner[d] >= 0 && (paddings[d].before > limit || paddings[d].after > limit)) {
      return absl::InvalidArgumentError(absl::StrCat("paddings[", d, "]: expected values ",
                                                     reflect ? "< " : "<= ", inner[d], ", got ", paddings[d].before,
                                                     " and ", paddings[d].after));
    }
  }
  return absl::OkStatus();
}

// Where the elements of a mirror-padded tensor come from. Requires: at least one dimension is padded.
class MirrorMap {
 public:
  MirrorMap(absl::Span<const int64_t> inner, const Paddings& paddings, bool reflect) {
    const Dims strides = StridesOf(inner);
    size_t last = inner.size() - 1;  // the last padded dimension: inside of it runs are contiguous
    while (paddings[last].before == 0 && paddings[last].after == 0) --last;
    run_ = strides[last];
    middle_ = paddings[last].before;
    middle_size_ = inner[last];
    const int64_t skipped = reflect ? 1 : 0;
    for (size_t d = 0; d <= last; ++d) {
      std::vector<int64_t>& places = places_.emplace_back();
      for (int64_t i = paddings[d].before; i > 0; --i) places.push_back((i - 1 + skipped) * strides[d]);
      for (int64_t i = 0; d < last && i < inner[d]; ++i) places.push_back(i * strides[d]);
      for (int64_t i = 1; i <= paddings[d].after; ++i) places.push_back((inner[d] - i - skipped) * strides[d]);
      if (d < last) num_rows_ *= static_cast<int64_t>(places.size());
    }
  }

  int64_t num_rows() const { return num_rows_; }
  int64_t row_size() const { return (static_cast<int64_t>(places_.back().size()) + middle_size_) * run_; }

  // Calls visit(padded, inner, count) for runs that cover the rows [begin, end) of the padded tensor: `count` elements
  // from offset `padded` on are those of the inner tensor from `inner` on.
  template <typename Visit>
  void ForEachRun(int64_t begin, int64_t end, Visit&& visit) const {
    const std::vector<int64_t>& border = places_.back();
    const int64_t size = static_cast<int64_t>(border.size()) + middle_size_;
    for (int64_t row = begin; row < end; ++row) {
      int64_t base = 0;
      int64_t rest = row;
      for (size_t d = places_.size() - 1; d-- > 0;) {
        const int64_t dim = static_cast<int64_t>(places_[d].size());
        base += places_[d][rest % dim];
        rest /= dim;
      }
      const int64_t at = row * size;
      for (int64_t i = 0; i < middle_; ++i) visit((at + i) * run_, base + border[i], run_);
      visit((at + middle_) * run_, base, middle_size_ * run_);
      for (int64_t i = middle_ + middle_size_; i < size; ++i) visit((at + i) * run_, base + border[i - middle_size_], run_);
    }
  }

 private:
  // Of each index of each dimension up to the last padded one: the inner tensor's index, times the dimension's stride. Of the
  // last one only the border, before and after what is the inner tensor's own.
  std::vector<std::vector<int64_t>> places_;
  int64_t run_;                   // elements that belong to one index of the last padded dimension
  int64_t middle_, middle_size_;  // which of its indices are the inner tensor's own
  int64_t num_rows_ = 1;          // of all dimensions before it
};

template <typename E>
absl::Status ComputeMirrorPad(KernelCall& c) {
  const Tensor& input = c.input(0);
  const bool reflect = c.state<MirrorState>().reflect;
  ASSIGN_OR_RETURN(const Paddings paddings, ReadPaddings(c.input(1), input.rank()));
  RETURN_IF_ERROR(CheckMirror(input.dims(), paddings, reflect));
  if (AddNothing(paddings)) {
    c.SetOutput(0, input);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const Dims dims, PaddedDims(input.dims(), paddings));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, input.dtype(), dims));
  if (output->num_elements() == 0) return absl::OkStatus();
  const MirrorMap map(input.dims(), paddings, reflect);
  const E* from = Elements<E>(input);
  E* to = MutableElements<E>(*output);
  RunLoop(c, map.num_rows(), static_cast<double>(map.row_size()) * 0.1 * sizeof(E), [&](int64_t begin, int64_t end) {
    map.ForEachRun(begin, end,
                   [&](int64_t padded, int64_t inner, int64_t n) { CopyRun(from + inner, to + padded, n); });
  });
  return absl::OkStatus();
}

absl::Status MirrorPadShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const std::string mode, c.Str("mode"));
  return ShapeWithPaddings(c, [&](absl::Span<const int64_t> dims, const Paddings& paddings) -> absl::StatusOr<Dims> {
    RETURN_IF_ERROR(CheckMirror(dims, paddings, mode == "REFLECT"));
    return PaddedDims(dims, paddings);
  });
}

// The dimensions without the padding, which must be possible.
absl::StatusOr<Dims> UnpaddedDims(absl::Span<const int64_t> dims, const Paddings& paddings, bool reflect) {
  Dims inner(dims.begin(), dims.end());
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] < 0) continue;
    const std::optional<int64_t> border = CheckedAdd(paddings[d].before, paddings[d].after);
    if (!border.has_value() || *border > dims[d]) {
      return absl::InvalidArgumentError(absl::StrCat("paddings[", d, "]: expected a sum of at most ", dims[d], ", got ",
                                                     paddings[d].before, " and ", paddings[d].after));
    }
    inner[d] -= *border;
  }
  RETURN_IF_ERROR(CheckMirror(inner, paddings, reflect));
  return inner;
}

// to[i] += from[i]
template <typename T>
void AddRun(const T* from, T* to, int64_t n) {
  if constexpr (kIs16BitFloat<T>) {
    ForEachFloatPiece(n, [=](int64_t begin, int64_t count) {
      float sums[kFloatPiece], added[kFloatPiece];
      WidenFloats(to + begin, sums, count);
      WidenFloats(from + begin, added, count);
      for (int64_t i = 0; i < count; ++i) sums[i] += added[i];
      NarrowFloats(sums, to + begin, count);
    });
  } else if constexpr (IsInteger(kDTypeOf<T>)) {
    for (int64_t i = 0; i < n; ++i) to[i] = WrapAdd(to[i], from[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] += from[i];
  }
}

template <typename T>
absl::Status ComputeMirrorPadGrad(KernelCall& c) {
  const Tensor& input = c.input(0);
  const bool reflect = c.state<MirrorState>().reflect;
  ASSIGN_OR_RETURN(const Paddings paddings, ReadPaddings(c.input(1), input.rank()));
  ASSIGN_OR_RETURN(const Dims dims, UnpaddedDims(input.dims(), paddings, reflect));
  if (AddNothing(paddings)) {
    c.SetOutput(0, input);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, input.dtype(), dims));
  if (input.num_elements() == 0) return absl::OkStatus();  // the border of nothing is nothing
  const T* from = input.data<T>();
  T* to = output->mutable_data<T>();
  std::fill_n(to, output->num_elements(), T(0));
  const MirrorMap map(dims, paddings, reflect);
  map.ForEachRun(0, map.num_rows(), [&](int64_t padded, int64_t inner, int64_t n) {
    AddRun(from + padded, to + inner, n);
  });
  return absl::OkStatus();
}

absl::StatusOr<Kernel> MirrorPadGradKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const DType dtype, node.Type("T"));
  ASSIGN_OR_RETURN(std::shared_ptr<const KernelState> state, MakeMirrorState(node));
  const KernelFn fn = DispatchDType<kNumberTypes>(
      dtype, KernelFn{}, []<typename T>() -> KernelFn { return &RunKernel<ComputeMirrorPadGrad<T>>; });
  if (fn == nullptr) return NoKernelFor(node, dtype);
  return Kernel{.fn = fn, .state = std::move(state)};
}

absl::Status MirrorPadGradShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const std::string mode, c.Str("mode"));
  return ShapeWithPaddings(c, [&](absl::Span<const int64_t> dims, const Paddings& paddings) {
    return UnpaddedDims(dims, paddings, mode == "REFLECT");
  });
}

// ---- Tile

absl::StatusOr<Dims> TiledDims(absl::Span<const int64_t> dims, absl::Span<const int64_t> multiples) {
  if (multiples.size() != dims.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("multiples: expected ", dims.size(), " values, got ", multiples.size()));
  }
  Dims tiled(dims.begin(), dims.end());
  for (size_t d = 0; d < dims.size(); ++d) {
    const std::optional<int64_t> size =
        multiples[d] < 0 ? std::nullopt : CheckedMul(std::max<int64_t>(dims[d], 0), multiples[d]);
    if (!size.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("multiples[", d, "]: expected a value >= 0 and a size that fits int64, got ", multiples[d]));
    }
    if (dims[d] >= 0) tiled[d] = *size;
  }
  return tiled;
}

template <typename E>
absl::Status ComputeTile(KernelCall& c) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const Dims multiples, ReadIntVector(c.input(1), "multiples"));
  ASSIGN_OR_RETURN(const Dims dims, TiledDims(input.dims(), multiples));
  if (absl::MakeConstSpan(dims) == input.dims()) {
    c.SetOutput(0, input);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, input.dtype(), dims));
  const Dims strides = StridesOf(input.dims());
  StridedView view;
  for (int d = 0; d < input.rank() && output->num_elements() > 0; ++d) {
    view.Add(multiples[d], 0);
    view.Add(input.dim(d), strides[d]);
  }
  const E* from = Elements<E>(input);
  E* to = MutableElements<E>(*output);
  ParallelMove<E>(c, output->num_elements(),
                  [&](int64_t begin, int64_t end) { CopyFromView(view, from, to, begin, end); });
  return absl::OkStatus();
}

absl::Status TileShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape length, c.WithRank(1, 1));
  ASSIGN_OR_RETURN(length, length.MergeWith(PartialShape::Of({c.input(0).rank()})));
  if (!length.has_dim(0)) return absl::OkStatus();
  if (length.dim(0) > kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("multiples: expected at most ", kMaxRank, " values, got ", length.dim(0)));
  }
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, static_cast<int>(length.dim(0))));
  ASSIGN_OR_RETURN(const std::optional<Dims> multiples, c.ConstantInts(1));
  PartialShape output = PartialShape::UnknownOfRank(input.rank());
  if (multiples.has_value()) {
    ASSIGN_OR_RETURN(const Dims dims, TiledDims(input.dims(), *multiples));
    ASSIGN_OR_RETURN(output, PartialShape::Make(dims));
  }
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

// ---- BroadcastTo

template <typename E>
absl::Status ComputeBroadcastTo(KernelCall& c) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(c.input(1), "shape"));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  const absl::StatusOr<Shape> common = BroadcastShapes(input.dims(), dims);
  if (!common.ok() || !(*common == shape)) {
    return absl::InvalidArgumentError(absl::StrCat("shape: expected one that input of shape ", input.ShapeString(),
                                                   " broadcasts to, got ", shape.ToString()));
  }
  if (input.dims() == shape.dims()) {
    c.SetOutput(0, input);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, input.dtype(), shape));
  const StridedView view = ViewOfBroadcast(input.dims(), dims);
  const E* from = Elements<E>(input);
  E* to = MutableElements<E>(*output);
  ParallelMove<E>(c, shape.num_elements(),
                  [&](int64_t begin, int64_t end) { CopyFromView(view, from, to, begin, end); });
  return absl::OkStatus();
}

absl::Status BroadcastToShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape output, c.InputAsShape(1));
  if (output.has_rank() && c.input(0).rank() > output.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape: expected at least ", c.input(0).rank(), " dimensions, got ", output.ToString()));
  }
  RETURN_IF_ERROR(BroadcastPartialShapes(c.input(0), output).status());
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

// ---- Gradients

absl::Status PadGrad(GradContext& c) {
  const Output paddings = c.input(1);
  const Output before =
      c.Op("StridedSlice", {paddings, {0, 0}, {0, 1}, {1, 1}}, {{"end_mask", 1}, {"shrink_axis_mask", 2}});
  c.Set(0, c.Op("Slice", {c.grad(), before, c.ShapeOfInput(0, paddings.dtype())}));
  return absl::OkStatus();
}

template <const char* kOther>
absl::Status MirrorGrad(GradContext& c) {
  c.Set(0, c.Op(kOther, {c.grad(), c.input(1)}, c.CopyAttrs({"mode"})));
  return absl::OkStatus();
}
constexpr char kMirrorPad[] = "MirrorPad";
constexpr char kMirrorPadGrad[] = "MirrorPadGrad";

// Each dimension as a pair (copies, size), summed over the copies.
absl::Status TileGrad(GradContext& c) {
  const Output multiples = c.input(1);
  const Output pairs = c.Op("Pack", {multiples, c.ShapeOfInput(0, multiples.dtype())}, {{"axis", 1}});
  const Output pair_shape = c.Op("Reshape", {pairs, {-1}});
  const Output axes = c.Op("Range", {0, c.Op("Size", {pair_shape}), 2});
  c.Set(0, ReshapeToInput(c, c.Op("Sum", {c.Op("Reshape", {c.grad(), pair_shape}), axes}), 0));
  return absl::OkStatus();
}

absl::Status BroadcastToGrad(GradContext& c) {
  c.Set(0, SumToShapeOf(c, c.grad(), 0));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterPaddingOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "Pad(input: T, paddings: Tpaddings) -> (output: T); T: type; Tpaddings: {int32, int64} = int32",
      .doc = "The input with a border of zeros, paddings[d] = (before, after) wide",
      .shape = PadShape,
      .kernel = MovingKernel([]<typename E>() { return &RunKernel<ComputePad<E>>; }),
      .gradient = PadGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "PadV2(input: T, paddings: Tpaddings, constant_values: T) -> (output: T); T: type; "
                   "Tpaddings: {int32, int64} = int32",
      .doc = "The input with a border of constant_values, paddings[d] = (before, after) wide",
      .shape = PadV2Shape,
      .kernel = MovingKernel([]<typename E>() { return &RunKernel<ComputePadV2<E>>; }),
      .gradient = PadGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "MirrorPad(input: T, paddings: Tpaddings) -> (output: T); T: type; Tpaddings: {int32, int64} = int32; "
          "mode: {\"REFLECT\", \"SYMMETRIC\"}",
      .doc = "The input with a border that mirrors it, without (REFLECT) or with (SYMMETRIC) its edge",
      .shape = MirrorPadShape,
      .kernel = MovingKernel([]<typename E>() { return &RunKernel<ComputeMirrorPad<E>>; }, MakeMirrorState),
      .gradient = MirrorGrad<kMirrorPadGrad>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "MirrorPadGrad(input: T, paddings: Tpaddings) -> (output: T); T: type; "
                   "Tpaddings: {int32, int64} = int32; mode: {\"REFLECT\", \"SYMMETRIC\"}",
      .doc = "The gradient of MirrorPad: the inside of input plus its border, added where it was mirrored from",
      .shape = MirrorPadGradShape,
      .kernel = MirrorPadGradKernel,
      .dtypes = kNumberTypes,
      .gradient = MirrorGrad<kMirrorPad>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Tile(input: T, multiples: Tmultiples) -> (output: T); T: type; Tmultiples: {int32, int64} = int32",
      .doc = "The input repeated multiples[d] times along each dimension d",
      .shape = TileShape,
      .kernel = MovingKernel([]<typename E>() { return &RunKernel<ComputeTile<E>>; }),
      .gradient = TileGrad,
  }));
  return library.Add({
      .signature = "BroadcastTo(input: T, shape: Tidx) -> (output: T); T: type; Tidx: {int32, int64} = int32",
      .doc = "The input repeated along missing dimensions and dimensions of 1 until it has the given shape",
      .shape = BroadcastToShape,
      .kernel = MovingKernel([]<typename E>() { return &RunKernel<ComputeBroadcastTo<E>>; }),
      .gradient = BroadcastToGrad,
  });
}

}  // namespace flowlatch
