// The k largest elements of each row, and the one that sorting would put at place n (NthElement: [rows.., columns] ->
// [rows..]; NaN is larger than every number).
//   input [rows.., columns] -> values [rows.., k], indices [rows.., k]; k <= columns.
// Largest first, or with sorted=false in the order in which a heap of the k best leaves them (as in TensorFlow, where
// the standard library keeps heaps alike). Of equal elements the one with the lower index comes first. NaN counts as
// larger than every number, except that a single largest element (k = 1) is found as ArgMax does, without regard to
// NaN.
#include "ops/top_k_ops.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/combine.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

class TopKState : public KernelState {
 public:
  TopKState(int64_t k, bool sorted) : k(k), sorted(sorted) {}
  const int64_t k;  // of TopK; TopKV2 has an input for it
  const bool sorted;
};

// `columns` -1: unknown.
absl::Status CheckK(int64_t k, int64_t columns) {
  if (k < 0) return absl::InvalidArgumentError(absl::StrCat("k: expected a value >= 0, got ", k));
  if (columns < 0 || k <= columns) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("last dimension of input: expected at least k = ", k, " elements, got ", columns));
}

absl::Status TopKShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRankAtLeast(0, 1));
  std::optional<int64_t> k;
  if (c.num_inputs() == 2) {
    RETURN_IF_ERROR(c.ExpectScalar(1));
    if (c.constant(1) != nullptr) {
      ASSIGN_OR_RETURN(k, ReadIntScalar(*c.constant(1), "k"));
    }
  } else {
    ASSIGN_OR_RETURN(k, c.Int("k"));
  }
  if (k.has_value()) RETURN_IF_ERROR(CheckK(*k, input.has_rank() ? input.dim(input.rank() - 1) : -1));
  if (!input.has_rank()) return absl::OkStatus();
  Dims dims(input.dims().begin(), input.dims().end());
  dims.back() = k.value_or(-1);
  ASSIGN_OR_RETURN(const PartialShape output, PartialShape::Make(dims));
  c.SetOutput(0, output);
  c.SetOutput(1, output);
  return absl::OkStatus();
}

// Fills the first k of `order`, which has room for all columns, with the indices of the k largest elements.
template <typename T>
void SelectLargest(const T* row, int64_t columns, int64_t k, bool sorted, int64_t* order) {
  using W = combine::Wide<T>;
  if (k == 1) {
    *order = 0;
    W best = combine::Max::Identity<W>();
    for (int64_t i = 0; i < columns; ++i) {
      if (const W x = row[i]; x > best) {
        best = x;
        *order = i;
      }
    }
    return;
  }
  std::iota(order, order + columns, 0);
  const auto before = [row](int64_t i, int64_t j) {
    const W a = row[i], b = row[j];
    const bool a_is_nan = a != a, b_is_nan = b != b;
    if (a_is_nan != b_is_nan) return a_is_nan;
    if (!a_is_nan && a != b) return a > b;
    return i < j;
  };
  if (!sorted && k < columns) {
    std::make_heap(order, order + k + 1, before);  // the worst of the first k + 1 is on top, and goes
    std::pop_heap(order, order + k + 1, before);
    for (int64_t i = k + 1; i < columns; ++i) {
      if (!before(i, order[0])) continue;
      std::pop_heap(order, order + k, before);
      order[k - 1] = i;
      std::push_heap(order, order + k, before);
    }
    return;
  }
  if (k < columns) std::nth_element(order, order + k, order + columns, before);
  std::sort(order, order + k, before);
}

template <typename T, typename Index>
absl::Status TopK(KernelCall& c) {
  const Tensor& input = c.input(0);
  if (input.rank() == 0) return absl::InvalidArgumentError("input: expected at least one dimension, got shape []");
  const int64_t columns = input.dims().back();
  int64_t k = c.state<TopKState>().k;
  if (c.num_inputs() == 2) {
    ASSIGN_OR_RETURN(k, ReadIntScalar(c.input(1), "k"));
  }
  RETURN_IF_ERROR(CheckK(k, columns));
  if (columns - 1 > static_cast<int64_t>(std::numeric_limits<Index>::max())) {
    return absl::InvalidArgumentError(absl::StrCat("last dimension of input: expected indices that fit ",
                                                   std::string(DTypeName(kDTypeOf<Index>)), ", got ", columns));
  }
  Dims dims(input.dims().begin(), input.dims().end());
  dims.back() = k;
  ASSIGN_OR_RETURN(Tensor * values, c.AllocateOutput(0, input.dtype(), dims));
  ASSIGN_OR_RETURN(Tensor * indices, c.AllocateOutput(1, kDTypeOf<Index>, dims));
  if (values->num_elements() == 0) return absl::OkStatus();
  const bool sorted = c.state<TopKState>().sorted;
  const T* from = input.data<T>();
  T* values_to = values->mutable_data<T>();
  Index* indices_to = indices->mutable_data<Index>();
  const double cost = k == 1 ? columns : columns * 10.0 + k * 20.0;
  RunLoop(c, values->num_elements() / k, cost, [&](int64_t begin, int64_t end) {
    std::vector<int64_t> order(k == 1 ? 1 : columns);
    for (int64_t r = begin; r < end; ++r) {
      const T* row = from + r * columns;
      SelectLargest(row, columns, k, sorted, order.data());
      for (int64_t i = 0; i < k; ++i) {
        values_to[r * k + i] = row[order[i]];
        indices_to[r * k + i] = static_cast<Index>(order[i]);
      }
    }
  });
  return absl::OkStatus();
}

absl::StatusOr<Kernel> TopKKernel(const NodeInfo& node) {
  int64_t k = 0;
  if (node.num_inputs() == 1) {
    ASSIGN_OR_RETURN(k, node.Int("k"));
  }
  ASSIGN_OR_RETURN(const bool sorted, node.Bool("sorted"));
  const DType index_dtype = node.output_dtype(1);
  const KernelFn fn = DispatchDType<kRealTypes>(node.input_dtype(0), KernelFn{}, [&]<typename T>() {
    switch (index_dtype) {
      case DType::kInt16: return KernelFn{&RunKernel<TopK<T, int16_t>>};
      case DType::kInt32: return KernelFn{&RunKernel<TopK<T, int32_t>>};
      case DType::kInt64: return KernelFn{&RunKernel<TopK<T, int64_t>>};
      default: return KernelFn{};
    }
  });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::make_shared<TopKState>(k, sorted)};
}

// Each value's gradient goes to where the value came from: element indices[r, i] of row r.
absl::Status TopKGrad(GradContext& c) {
  const Output shape = c.ShapeOfInput(0);
  const Output row = c.Op("StridedSlice", {shape, {-1}, {0}, {1}}, {{"end_mask", 1}});
  const Output rows = c.Op("Prod", {c.Op("StridedSlice", {shape, {0}, {-1}, {1}}, {{"begin_mask", 1}}), 0});
  const Output columns = c.Op("Reshape", {row, Input(std::vector<int32_t>())});
  const Output k = c.Op("StridedSlice", {ShapeOf(c, c.grad()), {-1}, {0}, {1}}, {{"end_mask", 1}});
  Output indices = c.output(1);
  if (indices.dtype() != DType::kInt32) indices = c.Op("Cast", {indices}, {{"DstT", DType::kInt32}});
  const Output begin = c.Op("ExpandDims", {c.Op("Range", {0, rows * columns, columns}), 1});
  const Output at = c.Op("Reshape", {indices, c.Op("ConcatV2", {c.Op("Reshape", {rows, {1}}), k, 0})}) + begin;
  const Output sum =
      c.Op("UnsortedSegmentSum", {c.Op("Reshape", {c.grad(), {-1}}), c.Op("Reshape", {at, {-1}}), rows * columns});
  c.Set(0, ReshapeToInput(c, sum, 0));
  return absl::OkStatus();
}

// ---- NthElement

// `columns` -1: unknown.
absl::Status CheckN(int64_t n, int64_t columns) {
  if (n >= 0 && (columns < 0 || n < columns)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("n: expected a value in [0,", columns < 0 ? "columns" : absl::StrCat(columns), "), got ", n));
}

absl::Status NthElementShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRankAtLeast(0, 1));
  RETURN_IF_ERROR(c.ExpectScalar(1));
  if (c.constant(1) != nullptr) {
    ASSIGN_OR_RETURN(const int64_t n, ReadIntScalar(*c.constant(1), "n"));
    RETURN_IF_ERROR(CheckN(n, input.has_rank() ? input.dim(input.rank() - 1) : -1));
  }
  if (input.has_rank()) c.SetOutput(0, PartialShape::FromValid(Dims(input.dims().begin(), input.dims().end() - 1)));
  return absl::OkStatus();
}

struct NthElementState final : KernelState {
  explicit NthElementState(bool r) : reverse(r) {}
  const bool reverse;
};

template <typename T>
absl::Status NthElement(KernelCall& c) {
  const Tensor& input = c.input(0);
  if (input.rank() == 0) return absl::InvalidArgumentError("input: expected at least one dimension, got shape []");
  const int64_t columns = input.dims().back();
  ASSIGN_OR_RETURN(int64_t n, ReadIntScalar(c.input(1), "n"));
  RETURN_IF_ERROR(CheckN(n, columns));
  if (c.state<NthElementState>().reverse) n = columns - 1 - n;
  ASSIGN_OR_RETURN(Tensor * values,
                   c.AllocateOutput(0, input.dtype(), Dims(input.dims().begin(), input.dims().end() - 1)));
  const T* from = input.data<T>();
  T* to = values->mutable_data<T>();
  const auto less = [](const T& a, const T& b) { return a < b || (b != b && a == a); };
  RunLoop(c, values->num_elements(), static_cast<double>(columns) * 3, [&](int64_t begin, int64_t end) {
    std::vector<T> row(columns);
    for (int64_t r = begin; r < end; ++r) {
      std::copy_n(from + r * columns, columns, row.begin());
      std::nth_element(row.begin(), row.begin() + n, row.end(), less);
      to[r] = row[n];
    }
  });
  return absl::OkStatus();
}

absl::StatusOr<Kernel> NthElementKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const bool reverse, node.Bool("reverse"));
  const KernelFn fn = DispatchDType<kRealTypes>(node.input_dtype(0), KernelFn{},
                                                []<typename T>() { return KernelFn{&RunKernel<NthElement<T>>}; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::make_shared<NthElementState>(reverse)};
}

// The elements that equal the result share its gradient.
absl::Status NthElementGrad(GradContext& c) {
  const Output chosen =
      c.Op("Cast", {c.Op("Equal", {c.Op("ExpandDims", {c.output(0), -1}), c.input(0)})}, {{"DstT", c.input_dtype(0)}});
  const Output count = c.Op("Sum", {chosen, -1}, {{"keep_dims", true}});
  c.Set(0, chosen / count * c.Op("ExpandDims", {c.grad(), -1}));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterTopKOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "TopK(input: T) -> (values: T, indices: int32); k: int >= 0; sorted: bool = true; T: {float32, "
                   "float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64}; "
                   "deprecated 7 \"Use TopKV2 instead\"",
      .doc = "the k largest elements of each row and their indices",
      .shape = TopKShape,
      .kernel = TopKKernel,
      .dtypes = kRealTypes,
      .gradient = TopKGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "TopKV2(input: T, k: Tk) -> (values: T, indices: index_type); sorted: bool = true; T: {float32, "
                   "float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64}; "
                   "Tk: {int16, int32, int64} = int32; index_type: {int16, int32, int64} = int32",
      .doc = "the k largest elements of each row and their indices",
      .shape = TopKShape,
      .kernel = TopKKernel,
      .dtypes = kRealTypes,
      .gradient = TopKGrad,
  }));
  return library.Add({
      .signature = TensorFlowSignature("NthElement"),
      .doc = "the element of each row that sorting would put at place n",
      .shape = NthElementShape,
      .kernel = NthElementKernel,
      .dtypes = kRealTypes,
      .gradient = NthElementGrad,
  });
}

}  // namespace flowlatch
