// Reductions over a set of axes: Sum, Mean, Prod, Max, Min, EuclideanNorm of numbers; All, Any of bools.
//   input: T[d..], reduction_indices: integers; a negative one counts from the end, repeats are an error.
//   output: input's shape without the reduced dimensions, or with 1 there if keep_dims.
// Nothing to reduce gives Sum 0, Prod 1, Max the lowest and Min the highest value (infinite for floats), Mean NaN or 0,
// All true, Any false. A NaN makes the result NaN. Integers wrap; those below 64 bits have an exact Mean, cut towards
// zero. Sums and means of floats add in double beyond blocks of some thousand elements, small formats in float.
#include "ops/reduce_ops.h"

#include <algorithm>
#include <bitset>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/reduce.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

using AxisSet = std::bitset<kMaxRank + 1>;

// Axes may be a tensor of any shape.
absl::StatusOr<AxisSet> ReadAxes(const Tensor& axes, int rank) {
  AxisSet set;
  for (int64_t i = 0; i < axes.num_elements(); ++i) {
    const int64_t given = axes.dtype() == DType::kInt32 ? axes.data<int32_t>()[i] : axes.data<int64_t>()[i];
    ASSIGN_OR_RETURN(const int axis, NormalizeAxis(given, rank, "reduction_indices"));
    if (set[axis]) {
      return absl::InvalidArgumentError(absl::StrCat("reduction_indices: expected each dimension once, got ", axis, " twice"));
    }
    set[axis] = true;
  }
  return set;
}

Dims ReducedDims(absl::Span<const int64_t> dims, const AxisSet& axes, bool keep_dims) {
  Dims reduced;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!axes[i]) reduced.push_back(dims[i]);
    else if (keep_dims) reduced.push_back(1);
  }
  return reduced;
}

absl::Status ReduceShape(ShapeContext& c) {
  const PartialShape &input = c.input(0), &axes = c.input(1);
  if (!input.has_rank()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const bool keep_dims, c.Bool("keep_dims"));
  if (c.constant(1) != nullptr) {
    ASSIGN_OR_RETURN(const AxisSet set, ReadAxes(*c.constant(1), input.rank()));
    c.SetOutput(0, PartialShape::FromValid(ReducedDims(input.dims(), set, keep_dims)));
  } else if (keep_dims) {
    c.SetOutput(0, PartialShape::UnknownOfRank(input.rank()));
  } else if (const std::optional<Shape> known = axes.ToShape(); known.has_value()) {
    const int64_t rank = input.rank() - known->num_elements();
    if (rank < 0) {
      return absl::InvalidArgumentError(absl::StrCat("reduction_indices: expected at most ", input.rank(),
                                                     " dimensions, got ", known->num_elements()));
    }
    c.SetOutput(0, PartialShape::UnknownOfRank(static_cast<int>(rank)));
  }
  return absl::OkStatus();
}

// ---- What each op combines

template <typename T>
using SumReduction = Reduction<combine::Sum, T>;
template <typename T>
using ProdReduction = Reduction<combine::Prod, T>;
template <typename T>
using MaxReduction = Reduction<combine::Max, T>;
template <typename T>
using MinReduction = Reduction<combine::Min, T>;

template <typename T>
inline constexpr bool kIsComplex = false;
template <typename T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

struct And {
  template <typename T>
  static T Identity() { return true; }
  template <typename T>
  static T Apply(T a, T b) { return a & b; }
};
struct Or {
  template <typename T>
  static T Identity() { return false; }
  template <typename T>
  static T Apply(T a, T b) { return a | b; }
};
template <typename T>
using AllReduction = Reduction<And, T>;
template <typename T>
using AnyReduction = Reduction<Or, T>;

// The root of the sum of squared magnitudes: of numbers in double, of integers in their own type, where it wraps.
template <typename T>
using NormAcc = std::conditional_t<std::is_integral_v<T>, T, double>;

template <typename T>
struct NormReduction : Reduction<combine::Sum, T, NormAcc<T>, NormAcc<T>> {
  using Base = Reduction<combine::Sum, T, NormAcc<T>, NormAcc<T>>;
  using Acc = NormAcc<T>;
  static Acc Square(T x) {
    if constexpr (std::is_integral_v<T>) {
      return WrapMul(x, x);
    } else if constexpr (kIsComplex<T>) {
      return std::norm(std::complex<double>(x));
    } else {
      return static_cast<double>(x) * static_cast<double>(x);
    }
  }
  static Acc Row(const T* x, int64_t n) { return Base::template RowOf<combine::Sum>(x, n, Square); }
  static void Columns(const T* x, int64_t rows, int64_t stride, int64_t width, Acc* acc) {
    Base::template ColumnsOf<combine::Sum>(x, rows, stride, width, acc, Square);
  }
  static T Finish(Acc total, int64_t) {
    if constexpr (std::is_integral_v<T>) {
      if (total < 0) return sizeof(T) < 4 ? T{0} : std::numeric_limits<T>::min();  // it wrapped: no root
    }
    return static_cast<T>(std::sqrt(static_cast<double>(total)));
  }
};

// ---- Kernel

class ReduceState : public KernelState {
 public:
  explicit ReduceState(bool keep_dims) : keep_dims(keep_dims) {}
  const bool keep_dims;
};

template <typename T>
inline constexpr bool kChangesSingleElements = false;
template <typename T>
inline constexpr bool kChangesSingleElements<NormReduction<T>> = true;

template <template <typename> typename R, typename T>
absl::Status ReduceTensor(KernelCall& c) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const AxisSet axes, ReadAxes(c.input(1), input.rank()));
  const Dims dims = ReducedDims(input.dims(), axes, c.state<ReduceState>().keep_dims);
  if (input.num_elements() == 0) {
    ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, input.dtype(), dims));
    std::fill_n(output->mutable_data<T>(), output->num_elements(), R<T>::Finish(R<T>::Start(), 0));
    return absl::OkStatus();
  }
  const ReducePlan plan = MakeReducePlan(input.dims(), [&](int i) { return axes[i]; });
  if (plan.elements_per_output() == 1 && !kChangesSingleElements<R<T>>) {
    ASSIGN_OR_RETURN(c.output(0), input.Reshaped(Shape::FromValid(dims)));
    return absl::OkStatus();
  }
  const T* x = input.data<T>();
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, input.dtype(), dims));
  Reduce<R<T>>(c, plan, x, output->mutable_data<T>());
  return absl::OkStatus();
}

template <template <typename> typename R, DTypeSet kTypes>
absl::StatusOr<Kernel> ReduceKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const bool keep_dims, node.Bool("keep_dims"));
  const KernelFn fn = DispatchDType<kTypes>(node.input_dtype(0), KernelFn{},
                                            []<typename T>() { return &RunKernel<ReduceTensor<R, T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::make_shared<ReduceState>(keep_dims)};
}

// ---- Gradients

// Which dimensions are reduced, if that is known before a run.
std::optional<AxisSet> KnownAxes(GradContext& c) {
  const PartialShape& shape = c.input_shape(0);
  if (!shape.has_rank() || c.constant_input(1) == nullptr) return std::nullopt;
  const absl::StatusOr<AxisSet> axes = ReadAxes(*c.constant_input(1), shape.rank());
  return axes.ok() ? std::optional(*axes) : std::nullopt;
}

// An int32 vector with 1 for each dimension that is reduced, else 0.
Output ReducedMask(GradContext& c) {
  if (const std::optional<AxisSet> axes = KnownAxes(c)) {
    std::vector<int32_t> mask(c.input_shape(0).rank());
    for (size_t i = 0; i < mask.size(); ++i) mask[i] = (*axes)[i];
    return c.builder().Constant(Input(mask));
  }
  const Output rank = c.Op("Size", {c.ShapeOfInput(0)});
  const Output axes = (c.Op("Cast", {c.input(1)}, {{"DstT", DType::kInt32}}) + rank) % rank;
  return c.Op("UnsortedSegmentSum", {c.Op("OnesLike", {axes}), axes, rank});
}

// An output, or its gradient, with a dimension of 1 for each reduced one.
Output Kept(GradContext& c, const Output& x) {
  if (c.Bool("keep_dims")) return x;
  if (const std::optional<AxisSet> axes = KnownAxes(c)) {
    const Dims kept = ReducedDims(c.input_shape(0).dims(), *axes, true);
    const auto unknown = std::count(kept.begin(), kept.end(), -1);
    if (unknown == 0 || (unknown == 1 && std::count(kept.begin(), kept.end(), 0) == 0)) {  // then Reshape can tell it
      return c.Op("Reshape", {x, std::vector<int64_t>(kept.begin(), kept.end())});
    }
  }
  const Output mask = ReducedMask(c);
  return c.Op("Reshape", {x, c.ShapeOfInput(0) * (1 - mask) + mask});
}

// Every element of the input gets the gradient of the output that it went into.
Output Spread(GradContext& c) { return c.Op("BroadcastTo", {Kept(c, c.grad()), c.ShapeOfInput(0)}); }

absl::Status SumGrad(GradContext& c) {
  c.Set(0, Spread(c));
  return absl::OkStatus();
}

// The product of the sizes of the dimensions that `mask` chooses.
Output SizeOf(GradContext& c, const Output& mask) { return c.Op("Prod", {c.ShapeOfInput(0) * mask + (1 - mask), 0}); }

// How many elements were reduced to one, if that is known before a run.
std::optional<double> KnownReduction(GradContext& c) {
  const std::optional<AxisSet> axes = KnownAxes(c);
  if (!axes.has_value()) return std::nullopt;
  double count = 1;
  const PartialShape& shape = c.input_shape(0);
  for (int i = 0; i < shape.rank(); ++i) {
    if (!(*axes)[i]) continue;
    if (!shape.has_dim(i)) return std::nullopt;
    count *= static_cast<double>(shape.dim(i));
  }
  return count;
}

absl::Status MeanGrad(GradContext& c) {
  const Output grad = Spread(c);
  const std::optional<double> count = KnownReduction(c);
  c.Set(0, grad / (count.has_value() ? c.ScalarLike(std::max(*count, 1.0), grad)
                                     : c.Op("Cast", {SizeOf(c, ReducedMask(c))}, {{"DstT", grad.dtype()}})));
  return absl::OkStatus();
}

// Max, Min: the elements that equal the result share its gradient.
absl::Status ExtremeGrad(GradContext& c) {
  const Output chosen = c.Op("Cast", {c.Op("Equal", {Kept(c, c.output(0)), c.input(0)})}, {{"DstT", c.input_dtype(0)}});
  const Output count = c.Op("Sum", {chosen, c.input(1)}, {{"keep_dims", true}});
  c.Set(0, chosen / count * Kept(c, c.grad()));
  return absl::OkStatus();
}

// Every element's derivative is the product of all others: of those before it and those after it, so that zeros do no
// harm.
absl::Status ProdGrad(GradContext& c) {
  const Output mask = ReducedMask(c);
  // Rows of what is reduced: the reduced dimensions come first, in their order, as the largest of the mask do.
  const Output order = c.MultiOp("TopKV2", {mask, c.Op("Size", {mask})}).output(1);
  const Output moved = c.Op("Transpose", {c.input(0), order});
  const Output rows = c.Op("Reshape", {moved, c.Op("Pack", {SizeOf(c, mask), SizeOf(c, 1 - mask)})});
  const Output before = c.Op("Cumprod", {rows, 0}, {{"exclusive", true}});
  const Output after = c.Op("Cumprod", {rows, 0}, {{"exclusive", true}, {"reverse", true}});
  const Output others = c.Op("Reshape", {ConjIfComplex(c, before) * ConjIfComplex(c, after), ShapeOf(c, moved)});
  const Output grad = Spread(c) * c.Op("Transpose", {others, c.Op("InvertPermutation", {order})});
  c.Set(0, c.Op("Reshape", {grad, c.ShapeOfInput(0)}));
  return absl::OkStatus();
}

absl::Status EuclideanNormGrad(GradContext& c) {
  c.Set(0, c.input(0) / (Kept(c, c.output(0)) / Kept(c, c.grad())));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterReduceOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature =
          "Sum(input: T, reduction_indices: Tidx) -> (output: T); keep_dims: bool = false; T: {float32, float64, "
          "int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, "
          "uint16, complex128, float16, uint32, uint64}; Tidx: {int32, int64} = int32",
      .doc = "sums over dimensions",
      .shape = ReduceShape,
      .kernel = ReduceKernel<SumReduction, kNumberTypes>,
      .dtypes = kNumberTypes,
      .gradient = SumGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "Mean(input: T, reduction_indices: Tidx) -> (output: T); keep_dims: bool = false; T: {float32, float64, "
          "int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, "
          "uint16, complex128, float16, uint32, uint64}; Tidx: {int32, int64} = int32",
      .doc = "means over dimensions",
      .shape = ReduceShape,
      .kernel = ReduceKernel<MeanReduction, kNumberTypes>,
      .dtypes = kNumberTypes,
      .gradient = MeanGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "Prod(input: T, reduction_indices: Tidx) -> (output: T); keep_dims: bool = false; T: {float32, float64, "
          "int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, "
          "uint16, complex128, float16, uint32, uint64}; Tidx: {int32, int64} = int32",
      .doc = "products over dimensions",
      .shape = ReduceShape,
      .kernel = ReduceKernel<ProdReduction, kNumberTypes>,
      .dtypes = kNumberTypes,
      .gradient = ProdGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "EuclideanNorm(input: T, reduction_indices: Tidx) -> (output: T); keep_dims: bool = false; T: "
                   "{float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
                   "qint16, quint16, uint16, complex128, float16, uint32, uint64}; Tidx: {int32, int64} = int32",
      .doc = "roots of the sums of squares over dimensions",
      .shape = ReduceShape,
      .kernel = ReduceKernel<NormReduction, kNumberTypes>,
      .dtypes = kNumberTypes,
      .gradient = EuclideanNormGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Max(input: T, reduction_indices: Tidx) -> (output: T); keep_dims: bool = false; T: "
                   "{float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, "
                   "uint64, qint8, quint8, qint32, qint16, quint16}; Tidx: {int32, int64} = int32",
      .doc = "largest elements over dimensions",
      .shape = ReduceShape,
      .kernel = ReduceKernel<MaxReduction, kRealTypes>,
      .dtypes = kRealTypes,
      .gradient = ExtremeGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Min(input: T, reduction_indices: Tidx) -> (output: T); keep_dims: bool = false; T: "
                   "{float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, "
                   "uint64, qint8, quint8, qint32, qint16, quint16}; Tidx: {int32, int64} = int32",
      .doc = "smallest elements over dimensions",
      .shape = ReduceShape,
      .kernel = ReduceKernel<MinReduction, kRealTypes>,
      .dtypes = kRealTypes,
      .gradient = ExtremeGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "All(input: bool, reduction_indices: Tidx) -> (output: bool); keep_dims: bool = false; "
                   "Tidx: {int32, int64} = int32",
      .doc = "whether all elements over dimensions are true",
      .shape = ReduceShape,
      .kernel = ReduceKernel<AllReduction, DTypeSet{DType::kBool}>,
      .gradient = gradients::None,
  }));
  return library.Add({
      .signature = "Any(input: bool, reduction_indices: Tidx) -> (output: bool); keep_dims: bool = false; "
                   "Tidx: {int32, int64} = int32",
      .doc = "whether any element over dimensions is true",
      .shape = ReduceShape,
      .kernel = ReduceKernel<AnyReduction, DTypeSet{DType::kBool}>,
      .gradient = gradients::None,
  });
}

}  // namespace flowlatch
