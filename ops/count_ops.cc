// How often numbers occur in the rows of sparse, ragged and dense tensors.
//   SparseBincount(indices, values, dense_shape, size, weights), RaggedBincount(splits, values, size, weights) -> bins
//     [rows, size], of a sparse vector [size]. Numbers from size on do not count.
//   DenseCountSparseOutput(values, weights), SparseCountSparseOutput(indices, values, dense_shape, weights) and
//   RaggedCountSparseOutput(splits, values, weights) -> the same as a sparse tensor of what occurs: [rows, n], of a vector
//     [n]. n is maxlength if that is given (larger numbers do not count), else one more than the largest number, and at
//     least minlength.
// Rows are the first dimension. Negative numbers are errors. Instead of counts there are sums of weights, if there are
// any; binary_output says only that a number occurs.
#include "ops/count_ops.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/combine.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/sparse.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kWeightTypes{DType::kInt32, DType::kInt64, DType::kFloat32, DType::kFloat64};

enum class Layout { kDense, kSparse, kRagged };

class CountState : public KernelState {
 public:
  Layout layout = Layout::kDense;
  bool binary = false;
  int64_t min_length = -1, max_length = -1;  // of outputs that are sparse
};

// Numbers and the rows that they are in.
struct Numbers {
  const Tensor* values = nullptr;
  std::vector<int64_t> rows;        // of each number
  std::optional<int64_t> num_rows;  // none: one row that makes no dimension
};

// ---- Inputs

absl::StatusOr<Numbers> DenseNumbers(const Tensor& values) {
  Numbers numbers{.values = &values, .rows = std::vector<int64_t>(values.num_elements()), .num_rows = std::nullopt};
  if (values.rank() < 1 || values.rank() > 2) {
    return absl::InvalidArgumentError(absl::StrCat("values: expected a vector or a matrix, got shape ", values.ShapeString()));
  }
  if (values.rank() == 1) return numbers;
  numbers.num_rows = values.dim(0);
  if (values.dim(0) == 0) return absl::InvalidArgumentError("values: expected at least 1 row, got none");
  for (int64_t i = 0; i < values.num_elements(); ++i) numbers.rows[i] = i / values.dim(1);
  return numbers;
}

absl::StatusOr<Numbers> SparseNumbers(const Tensor& indices, const Tensor& values, const Tensor& dense_shape) {
  ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(indices, values, dense_shape));
  if (sparse.rank() == 0) return absl::InvalidArgumentError("dense_shape: expected at least 1 dimension, got none");
  RETURN_IF_ERROR(CheckPlaces(sparse));
  Numbers numbers{.values = &values, .rows = std::vector<int64_t>(sparse.n), .num_rows = std::nullopt};
  if (sparse.rank() == 1) return numbers;
  numbers.num_rows = sparse.dims[0];
  for (int64_t i = 0; i < sparse.n; ++i) numbers.rows[i] = sparse.indices[i][0];
  return numbers;
}

absl::StatusOr<Numbers> RaggedNumbers(const Tensor& splits, const Tensor& values, size_t fewest_splits) {
  if (!values.is_vector()) {
    return absl::InvalidArgumentError(absl::StrCat("values: expected a vector, got shape ", values.ShapeString()));
  }
  ASSIGN_OR_RETURN(const Dims ends, ReadIntVector(splits, "splits"));
  const int64_t n = values.num_elements();
  if (ends.size() < fewest_splits || ends.front() != 0 || ends.back() != n || !std::is_sorted(ends.begin(), ends.end())) {
    return absl::InvalidArgumentError(absl::StrCat("splits: expected at least ", fewest_splits, " values from 0 to ", n,
                                                   " that do not decrease, got ", DimsToString(ends)));
  }
  Numbers numbers{.values = &values, .rows = std::vector<int64_t>(n), .num_rows = static_cast<int64_t>(ends.size()) - 1};
  for (size_t row = 0; row + 1 < ends.size(); ++row) {
    std::fill(numbers.rows.begin() + ends[row], numbers.rows.begin() + ends[row + 1], static_cast<int64_t>(row));
  }
  return numbers;
}

// The numbers in the first inputs. `next`: the input after them.
absl::StatusOr<Numbers> ReadNumbers(const KernelCall& c, Layout layout, size_t fewest_splits, int& next) {
  next = layout == Layout::kDense ? 1 : layout == Layout::kSparse ? 3 : 2;
  if (layout == Layout::kDense) return DenseNumbers(c.input(0));
  if (layout == Layout::kSparse) return SparseNumbers(c.input(0), c.input(1), c.input(2));
  return RaggedNumbers(c.input(0), c.input(1), fewest_splits);
}

// Calls add(row, number, weight or 1) for each number. Errors: InvalidArgument for negative ones and weights that do not
// fit.
template <typename Index, typename T, typename Add>
absl::Status ForEachNumber(const Numbers& numbers, const Tensor& weights, bool binary, const Add& add) {
  const int64_t n = numbers.values->num_elements();
  if (weights.num_elements() != 0 && weights.dims() != numbers.values->dims()) {
    return absl::InvalidArgumentError(absl::StrCat("weights: expected shape ", numbers.values->ShapeString(),
                                                   " or no elements, got shape ", weights.ShapeString()));
  }
  const T* weight = weights.num_elements() > 0 && !binary ? weights.data<T>() : nullptr;
  for (int64_t i = 0; i < n; ++i) {
    const Index number = numbers.values->data<Index>()[i];
    if (number < 0) {
      return absl::InvalidArgumentError(absl::StrCat("values", ElementName(i, numbers.values->dims()),
                                                     ": expected no negative number, got ", number));
    }
    add(numbers.rows[i], number, weight != nullptr ? weight[i] : T(1));
  }
  return absl::OkStatus();
}

// ---- Bins

template <typename Index, typename T>
absl::Status CountInBins(KernelCall& c) {
  const CountState& state = c.state<CountState>();
  int next;
  ASSIGN_OR_RETURN(const Numbers numbers, ReadNumbers(c, state.layout, 1, next));
  ASSIGN_OR_RETURN(const int64_t size, ReadIntScalar(c.input(next), "size"));
  if (size < 0) return absl::InvalidArgumentError(absl::StrCat("size: expected no negative number, got ", size));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, kDTypeOf<T>, numbers.num_rows.has_value() ? Dims{*numbers.num_rows, size} : Dims{size}));
  T* bins = output->mutable_data<T>();
  std::fill_n(bins, output->num_elements(), T(0));
  return ForEachNumber<Index, T>(numbers, c.input(next + 1), state.binary, [&](int64_t row, Index number, T weight) {
    if (number >= size) return;
    T& bin = bins[row * size + number];
    bin = state.binary ? T(1) : combine::Sum::Apply<T>(bin, weight);
  });
}

absl::StatusOr<int64_t> KnownSize(const ShapeContext& c, int i) {
  RETURN_IF_ERROR(c.ExpectScalar(i));
  ASSIGN_OR_RETURN(const std::optional<int64_t> size, c.ConstantInt(i));
  if (!size.has_value()) return -1;
  if (*size >= 0) return *size;
  return absl::InvalidArgumentError(absl::StrCat("size: expected no negative number, got ", *size));
}

absl::Status SparseBincountShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const int64_t rank, ExpectSparse(c, 0));
  ASSIGN_OR_RETURN(const PartialShape dense, c.InputAsShape(2));
  ASSIGN_OR_RETURN(const int64_t size, KnownSize(c, 3));
  if (rank == 1) c.SetOutput(0, PartialShape::Of({size}));
  if (rank > 1) c.SetOutput(0, PartialShape::Of({dense.has_rank() ? dense.dim(0) : -1, size}));
  return absl::OkStatus();
}

absl::Status RaggedBincountShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape splits, c.WithRank(0, 1));
  ASSIGN_OR_RETURN(const int64_t size, KnownSize(c, 2));
  c.SetOutput(0, PartialShape::Of({splits.has_rank() && splits.dim(0) > 0 ? splits.dim(0) - 1 : -1, size}));
  return absl::OkStatus();
}

// ---- Sparse outputs

template <typename Index, typename T>
absl::Status CountToSparse(KernelCall& c) {
  const CountState& state = c.state<CountState>();
  int next;
  ASSIGN_OR_RETURN(const Numbers numbers, ReadNumbers(c, state.layout, 2, next));
  std::map<std::pair<int64_t, Index>, T> counts;
  int64_t largest = 0;
  RETURN_IF_ERROR((ForEachNumber<Index, T>(numbers, c.input(next), state.binary, [&](int64_t row, Index number, T weight) {
    if (state.max_length >= 0 && number >= state.max_length) return;
    largest = std::max(largest, static_cast<int64_t>(number));
    T& count = counts[{row, number}];
    count = state.binary ? T(1) : combine::Sum::Apply<T>(count, weight);
  })));
  const std::optional<int64_t> more = CheckedAdd(largest, 1);
  if (!more.has_value()) return absl::InvalidArgumentError(absl::StrCat("values: expected smaller numbers, got ", largest));
  const bool rows = numbers.num_rows.has_value();
  IndexRows indices{.rank = rows ? 2 : 1, .numbers = {}};
  for (const auto& [key, count] : counts) {
    if (rows) indices.numbers.push_back(key.first);
    indices.numbers.push_back(key.second);
  }
  const int64_t n = static_cast<int64_t>(counts.size());
  RETURN_IF_ERROR(SetIndexRows(c, 0, indices, n));
  ASSIGN_OR_RETURN(Tensor * values, c.AllocateOutput(1, kDTypeOf<T>, {n}));
  T* to = values->mutable_data<T>();
  for (const auto& [key, count] : counts) *to++ = count;
  const int64_t length = state.max_length >= 0 ? state.max_length : std::max(*more, state.min_length);
  return SetInts(c, 2, rows ? Dims{*numbers.num_rows, length} : Dims{length});
}

absl::Status CountShape(ShapeContext& c) {
  const bool dense = c.schema().name() == "DenseCountSparseOutput", ragged = c.schema().name() == "RaggedCountSparseOutput";
  int64_t rank = ragged ? 2 : -1;
  if (dense && c.input(0).has_rank()) rank = c.input(0).rank();
  if (!dense && !ragged) {
    ASSIGN_OR_RETURN(const int64_t input_rank, ExpectSparse(c, 0));
    rank = std::min(input_rank, int64_t{2});
  }
  if (ragged) RETURN_IF_ERROR(c.ExpectVector(0));
  if (rank == 0 || rank > 2) return absl::InvalidArgumentError(absl::StrCat("values: expected 1 or 2 dimensions, got ", rank));
  SetSparseOutput(c, 0, -1, rank);
  return absl::OkStatus();
}

// ---- Kernels

template <Layout kLayout, bool kToSparse>
absl::StatusOr<Kernel> CountKernel(const NodeInfo& node) {
  auto state = std::make_shared<CountState>();
  state->layout = kLayout;
  ASSIGN_OR_RETURN(state->binary, node.Bool("binary_output"));
  if (kToSparse) {
    ASSIGN_OR_RETURN(state->min_length, node.Int("minlength"));
    ASSIGN_OR_RETURN(state->max_length, node.Int("maxlength"));
  }
  const DType weights = node.input_dtype(node.num_inputs() - 1);
  const bool wide = node.input_dtype(kLayout == Layout::kDense ? 0 : 1) == DType::kInt64;
  const KernelFn fn = DispatchDType<kWeightTypes>(weights, KernelFn{}, [wide]<typename T>() -> KernelFn {
    if constexpr (kToSparse) return wide ? &RunKernel<CountToSparse<int64_t, T>> : &RunKernel<CountToSparse<int32_t, T>>;
    else return wide ? &RunKernel<CountInBins<int64_t, T>> : &RunKernel<CountInBins<int32_t, T>>;
  });
  if (fn == nullptr) return NoKernelFor(node, weights);
  return Kernel{.fn = fn, .state = std::move(state)};
}

template <Layout kLayout, bool kToSparse>
absl::Status AddCount(OpLibrary& library, const char* op, ShapeFunction shape) {
  return library.Add({.signature = TensorFlowSignature(op),
                      .doc = "How often each number occurs in each row, or the sum of its weights",
                      .shape = shape,
                      .kernel = CountKernel<kLayout, kToSparse>});
}

}  // namespace

absl::Status RegisterCountOps(OpLibrary& library) {
  RETURN_IF_ERROR((AddCount<Layout::kSparse, false>(library, "SparseBincount", SparseBincountShape)));
  RETURN_IF_ERROR((AddCount<Layout::kRagged, false>(library, "RaggedBincount", RaggedBincountShape)));
  RETURN_IF_ERROR((AddCount<Layout::kDense, true>(library, "DenseCountSparseOutput", CountShape)));
  RETURN_IF_ERROR((AddCount<Layout::kSparse, true>(library, "SparseCountSparseOutput", CountShape)));
  return AddCount<Layout::kRagged, true>(library, "RaggedCountSparseOutput", CountShape);
}

}  // namespace flowlatch
