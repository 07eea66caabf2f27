// ArgMax, ArgMin: where the largest or smallest element is along one dimension.
//   input: T[outer.., n, inner..], dimension: integer scalar, negative from the end -> output: [outer.., inner..].
// The first of equal elements; NaN is passed over, and 0 is the answer where nothing else is left. n must not be 0.
#include "ops/arg_ops.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/combine.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

absl::Status ArgShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(1));
  if (!c.input(0).has_rank()) return absl::OkStatus();
  const int rank = c.input(0).rank();
  if (c.constant(1) == nullptr) {
    if (rank > 0) c.SetOutput(0, PartialShape::UnknownOfRank(rank - 1));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const int64_t given, ReadIntScalar(*c.constant(1), "dimension"));
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(given, rank, "dimension"));
  Dims dims(c.input(0).dims().begin(), c.input(0).dims().end());
  dims.erase(dims.begin() + axis);
  c.SetOutput(0, PartialShape::FromValid(dims));
  return absl::OkStatus();
}

struct Larger {
  template <typename T>
  static T Worst() { return combine::Max::Identity<T>(); }
  template <typename T>
  static bool Beats(T a, T b) { return a > b; }
};

struct Smaller {
  template <typename T>
  static T Worst() { return combine::Min::Identity<T>(); }
  template <typename T>
  static bool Beats(T a, T b) { return a < b; }
};

template <typename Better, typename T>
int64_t BestInRow(const T* x, int64_t n) {
  using W = combine::Wide<T>;
  W value = Better::template Worst<W>();
  int64_t best = 0, i = 0;
  const auto look_until = [&](int64_t end) {
    for (; i < end; ++i) {
      const W candidate = x[i];
      if (Better::Beats(candidate, value)) {
        value = candidate;
        best = i;
      }
    }
  };
  // Most blocks hold nothing better, which vectors see faster.
  constexpr int64_t kLanes = 16, kBlock = 16 * kLanes;
  while (i + kBlock <= n) {
    W lanes[kLanes];
    std::fill_n(lanes, kLanes, value);
    for (int64_t k = i; k < i + kBlock; k += kLanes) {
      for (int64_t j = 0; j < kLanes; ++j) {
        const W candidate = x[k + j];
        lanes[j] = Better::Beats(candidate, lanes[j]) ? candidate : lanes[j];
      }
    }
    if (std::any_of(lanes, lanes + kLanes, [&](W lane) { return Better::Beats(lane, value); })) look_until(i + kBlock);
    else i += kBlock;
  }
  look_until(n);
  return best;
}

constexpr int64_t kMaxColumns = 128;

// The best of `n` rows in each of `columns` <= kMaxColumns columns; rows lie `stride` apart.
template <typename Better, typename T>
void BestInColumns(const T* x, int64_t n, int64_t stride, int64_t columns, int64_t* best) {
  using W = combine::Wide<T>;
  W value[kMaxColumns];
  std::fill_n(value, columns, Better::template Worst<W>());
  std::fill_n(best, columns, 0);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      const W candidate = x[i * stride + j];
      const bool better = Better::Beats(candidate, value[j]);
      value[j] = better ? candidate : value[j];
      best[j] = better ? i : best[j];
    }
  }
}

template <typename Better, typename T, typename Index>
absl::Status FindBest(KernelCall& c) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const int64_t given, ReadIntScalar(c.input(1), "dimension"));
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(given, input.rank(), "dimension"));
  const int64_t n = input.dim(axis);
  if (n == 0 || n - 1 > static_cast<int64_t>(std::numeric_limits<Index>::max())) {
    return absl::InvalidArgumentError(absl::StrCat("dimension ", axis, " of input: expected at least one element and "
                                                   "indices that fit ", std::string(DTypeName(kDTypeOf<Index>)),
                                                   ", got shape ", input.ShapeString()));
  }
  Dims dims(input.dims().begin(), input.dims().end());
  dims.erase(dims.begin() + axis);
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, kDTypeOf<Index>, dims));
  if (output->num_elements() == 0) return absl::OkStatus();
  const T* x = input.data<T>();
  Index* y = output->mutable_data<Index>();
  int64_t inner = 1;
  for (int i = axis + 1; i < input.rank(); ++i) inner *= input.dim(i);
  const int64_t outer = output->num_elements() / inner;
  if (inner == 1) {
    RunLoop(c, outer, 2 + static_cast<double>(n), [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) y[o] = static_cast<Index>(BestInRow<Better>(x + o * n, n));
    });
    return absl::OkStatus();
  }
  const int64_t blocks = (inner + kMaxColumns - 1) / kMaxColumns;
  const double cost = static_cast<double>(n) * static_cast<double>(std::min(inner, kMaxColumns));
  RunLoop(c, outer * blocks, cost, [&](int64_t begin, int64_t end) {
    int64_t best[kMaxColumns];
    for (int64_t task = begin; task < end; ++task) {
      const int64_t o = task / blocks, column = task % blocks * kMaxColumns;
      const int64_t columns = std::min(kMaxColumns, inner - column);
      BestInColumns<Better>(x + o * n * inner + column, n, inner, columns, best);
      for (int64_t j = 0; j < columns; ++j) y[o * inner + column + j] = static_cast<Index>(best[j]);
    }
  });
  return absl::OkStatus();
}

constexpr DTypeSet kArgTypes = kRealTypes | DTypeSet{DType::kBool};
constexpr DTypeSet kArgOutputTypes{DType::kInt16, DType::kUInt16, DType::kInt32, DType::kInt64};

template <typename Better>
absl::StatusOr<Kernel> ArgKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kArgTypes>(node.input_dtype(0), KernelFn{}, [&]<typename T>() {
    return DispatchDType<kArgOutputTypes>(node.output_dtype(0), KernelFn{}, []<typename Index>() {
      return KernelFn{&RunKernel<FindBest<Better, T, Index>>};
    });
  });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

}  // namespace

absl::Status RegisterArgOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "ArgMax(input: T, dimension: Tidx) -> (output: output_type); T: {float32, float64, int32, uint8, "
                   "int16, int8, int64, bfloat16, uint16, float16, uint32, uint64, qint8, quint8, qint32, qint16, "
                   "quint16, bool}; Tidx: {int16, int32, int64} = int32; output_type: {int16, uint16, int32, int64} = "
                   "int64",
      .doc = "index of the largest element along a dimension",
      .shape = ArgShape,
      .kernel = ArgKernel<Larger>,
      .dtypes = kArgTypes,
      .gradient = gradients::None,
  }));
  return library.Add({
      .signature = "ArgMin(input: T, dimension: Tidx) -> (output: output_type); T: {float32, float64, int32, uint8, "
                   "int16, int8, int64, bfloat16, uint16, float16, uint32, uint64, qint8, quint8, qint32, qint16, "
                   "quint16, bool}; Tidx: {int32, int64} = int32; output_type: {int32, int64} = int64",
      .doc = "index of the smallest element along a dimension",
      .shape = ArgShape,
      .kernel = ArgKernel<Smaller>,
      .dtypes = kArgTypes,
      .gradient = gradients::None,
  });
}

}  // namespace flowlatch
