// Ragged tensors: values, and for each ragged dimension row splits that say where its rows end.
//   RaggedRange(starts, limits, deltas), scalars or vectors of one length: a row start, start + delta, .. below limit for
//     each -> row splits, values.
//   RaggedTensorToSparse(splits.., values [n, d..]): the values as entries of a sparse tensor [rows, longest.., d..].
// Splits begin with 0, do not decrease, and end with what there is to split.
#include "ops/ragged_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/combine.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/sparse.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

// ---- RaggedRange

constexpr DTypeSet kRangeTypes{DType::kBFloat16, DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64};

// How many numbers a row has; nullopt if an int64 cannot say.
template <typename T>
std::optional<int64_t> RowLength(T start, T limit, T delta) {
  if (delta > T(0) ? start >= limit : start <= limit) return 0;
  if constexpr (std::is_integral_v<T>) {
    const auto magnitude = [](T from, T to) { return static_cast<uint64_t>(to) - static_cast<uint64_t>(from); };
    const uint64_t distance = delta > 0 ? magnitude(start, limit) : magnitude(limit, start);
    const uint64_t step = delta > 0 ? static_cast<uint64_t>(delta) : uint64_t{0} - static_cast<uint64_t>(delta);
    const uint64_t length = distance / step + (distance % step != 0);
    if (length > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
    return static_cast<int64_t>(length);
  } else {
    using W = combine::Wide<T>;
    const double length = std::ceil(std::abs(static_cast<double>((W(limit) - W(start)) / W(delta))));
    if (!(length < 0x1p63)) return std::nullopt;
    return static_cast<int64_t>(length);
  }
}

template <typename T, typename Split>
absl::Status RaggedRange(KernelCall& c) {
  int64_t rows = 1;
  bool vectors = false;
  for (int i = 0; i < 3; ++i) {
    const Tensor& input = c.input(i);
    if (input.rank() > 1 || (vectors && input.is_vector() && input.dim(0) != rows)) {
      return absl::InvalidArgumentError(
          absl::StrCat("starts, limits and deltas: expected scalars or vectors of one length, got shapes ",
                       c.input(0).ShapeString(), ", ", c.input(1).ShapeString(), " and ", c.input(2).ShapeString()));
    }
    if (input.is_scalar()) continue;
    vectors = true;
    rows = input.dim(0);
  }
  const auto at = [&c](int input, int64_t row) { return c.input(input).data<T>()[c.input(input).is_scalar() ? 0 : row]; };
  ASSIGN_OR_RETURN(Tensor * splits, c.AllocateOutput(0, kDTypeOf<Split>, {rows + 1}));
  Split* ends = splits->mutable_data<Split>();
  ends[0] = 0;
  for (int64_t row = 0; row < rows; ++row) {
    if (at(2, row) == T(0)) return absl::InvalidArgumentError(absl::StrCat("deltas[", row, "]: expected another number, got 0"));
    const std::optional<int64_t> length = RowLength<T>(at(0, row), at(1, row), at(2, row));
    const std::optional<int64_t> end = length.has_value() ? CheckedAdd(ends[row], *length) : std::nullopt;
    if (!end.has_value() || *end > std::numeric_limits<Split>::max()) {
      return absl::InvalidArgumentError(absl::StrCat("row ", row, ": expected as many numbers as Tsplits can count, got more"));
    }
    ends[row + 1] = static_cast<Split>(*end);
  }
  ASSIGN_OR_RETURN(Tensor * values, c.AllocateOutput(1, kDTypeOf<T>, {ends[rows]}));
  for (int64_t row = 0; row < rows; ++row) {
    combine::Wide<T> value = at(0, row);
    for (int64_t i = ends[row]; i < ends[row + 1]; ++i) {
      values->mutable_data<T>()[i] = T(value);
      value = T(combine::Sum::Apply<combine::Wide<T>>(T(value), at(2, row)));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> RaggedRangeKernel(const NodeInfo& node) {
  const bool wide = node.output_dtype(0) == DType::kInt64;
  const KernelFn fn = DispatchDType<kRangeTypes>(node.input_dtype(0), KernelFn{}, [wide]<typename T>() -> KernelFn {
    return wide ? &RunKernel<RaggedRange<T, int64_t>> : &RunKernel<RaggedRange<T, int32_t>>;
  });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

absl::Status RaggedRangeShape(ShapeContext& c) {
  int64_t rows = 1;  // -1: unknown
  for (int i = 0; i < 3; ++i) {
    const PartialShape& input = c.input(i);
    if (!input.has_rank()) {
      if (rows == 1) rows = -1;
      continue;
    }
    if (input.rank() > 1) return c.WithRank(i, 1).status();
    if (input.rank() == 1) rows = input.dim(0);
  }
  c.SetOutput(0, PartialShape::Of({rows >= 0 ? rows + 1 : -1}));
  c.SetOutput(1, PartialShape::Of({-1}));
  return absl::OkStatus();
}

// ---- RaggedTensorToSparse

// Row splits of a dimension with `n` items below it.
absl::StatusOr<Dims> ReadSplits(const Tensor& t, int64_t n) {
  ASSIGN_OR_RETURN(Dims splits, ReadIntVector(t, "rt_nested_splits"));
  if (!splits.empty() && splits.front() == 0 && splits.back() == n && std::is_sorted(splits.begin(), splits.end())) return splits;
  return absl::InvalidArgumentError(
      absl::StrCat("rt_nested_splits: expected values from 0 to ", n, " that do not decrease, got ", DimsToString(splits)));
}

absl::Status RaggedTensorToSparse(KernelCall& c) {
  const int ragged = c.num_inputs() - 1;
  const Tensor& values = c.input(ragged);
  if (values.rank() < 1) return absl::InvalidArgumentError("rt_dense_values: expected at least 1 dimension, got shape []");
  std::vector<Dims> splits(ragged);
  for (int d = ragged - 1; d >= 0; --d) {
    const int64_t below = d == ragged - 1 ? values.dim(0) : static_cast<int64_t>(splits[d + 1].size()) - 1;
    ASSIGN_OR_RETURN(splits[d], ReadSplits(c.input(d), below));
  }
  const int inner = values.rank() - 1;
  Dims dims{static_cast<int64_t>(splits[0].size()) - 1};
  for (const Dims& ends : splits) {
    int64_t longest = 0;
    for (size_t i = 0; i + 1 < ends.size(); ++i) longest = std::max(longest, ends[i + 1] - ends[i]);
    dims.push_back(longest);
  }
  dims.insert(dims.end(), values.dims().begin() + 1, values.dims().end());
  if (dims.size() > static_cast<size_t>(kMaxRank)) return absl::InvalidArgumentError("rt_nested_splits: expected fewer dimensions");
  // Row numbers of the items of each dimension, from the outermost down: a prefix of indices for each.
  IndexRows prefixes{.rank = 1, .numbers = {}};
  for (int64_t i = 0; i < dims[0]; ++i) prefixes.numbers.push_back(i);
  for (const Dims& ends : splits) {
    IndexRows next{.rank = prefixes.rank + 1, .numbers = {}};
    for (size_t i = 0; i + 1 < ends.size(); ++i) {
      for (int64_t k = ends[i]; k < ends[i + 1]; ++k) {
        next.Append(prefixes.row(static_cast<int64_t>(i)));
        next.numbers.push_back(k - ends[i]);
      }
    }
    prefixes = std::move(next);
  }
  IndexRows rows{.rank = static_cast<int>(dims.size()), .numbers = {}};
  const int64_t n = values.num_elements(), size = values.dim(0) > 0 ? n / values.dim(0) : 0;
  Dims place(inner);
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = i % size;
    for (int d = inner - 1; d >= 0; --d) {
      place[d] = rest % values.dim(d + 1);
      rest /= values.dim(d + 1);
    }
    rows.Append(prefixes.row(i / size));
    rows.Append(place);
  }
  RETURN_IF_ERROR(SetIndexRows(c, 0, rows, n));
  ASSIGN_OR_RETURN(const Shape flat, Shape::Make({n}));
  ASSIGN_OR_RETURN(Tensor vector, values.Reshaped(flat));
  c.SetOutput(1, std::move(vector));
  return SetInts(c, 2, dims);
}

absl::Status ToSparseShape(ShapeContext& c) {
  const int ragged = c.num_inputs() - 1;
  for (int d = 0; d < ragged; ++d) RETURN_IF_ERROR(c.ExpectVector(d));
  ASSIGN_OR_RETURN(const PartialShape values, c.WithRankAtLeast(ragged, 1));
  const std::optional<Shape> known = values.has_rank() ? values.ToShape() : std::nullopt;
  SetSparseOutput(c, 0, known.has_value() ? known->num_elements() : -1, values.has_rank() ? ragged + values.rank() : -1);
  return absl::OkStatus();
}

// The gradient of each value is that of its entry.
absl::Status ToSparseGrad(GradContext& c) {
  c.Set(c.num_inputs() - 1, ReshapeToInput(c, c.grad(1), c.num_inputs() - 1));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterRaggedOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("RaggedRange"),
                               .doc = "Rows of numbers from starts to limits",
                               .shape = RaggedRangeShape,
                               .kernel = RaggedRangeKernel,
                               .dtypes = kRangeTypes,
                               .gradient = gradients::None}));
  return library.Add({.signature = TensorFlowSignature("RaggedTensorToSparse"),
                      .doc = "A ragged tensor as a sparse one",
                      .shape = ToSparseShape,
                      .kernel = PlainKernel<RaggedTensorToSparse>,
                      .gradient = ToSparseGrad});
}

}  // namespace flowlatch
