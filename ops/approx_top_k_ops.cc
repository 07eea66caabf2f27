// ApproxTopK: input, k -> the k largest (is_max_k) or smallest elements along one dimension and their indices, the best
// first, of equal ones the lower index first. Hardware that the op was made for may miss some; here none is missed,
// whatever recall_target. NaN loses to any number. float16, bfloat16, float32.
#include "ops/approx_top_k_ops.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/combine.h"
#include "ops/kernels/inputs.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kTopKTypes{DType::kFloat16, DType::kBFloat16, DType::kFloat32};

struct ApproxTopKState final : KernelState {
  int64_t k = 0, axis = -1;
  bool largest = true;
};

// The axis of an input with these dimensions (-1: unknown), which must have k elements there.
absl::StatusOr<int> CheckAxis(int64_t axis, int64_t k, absl::Span<const int64_t> dims) {
  ASSIGN_OR_RETURN(const int normal, NormalizeAxis(axis, static_cast<int>(dims.size()), "reduction_dimension"));
  if (dims[normal] >= 0 && k > dims[normal]) {
    return absl::InvalidArgumentError(absl::StrCat("input: expected at least k = ", k, " elements in dimension ",
                                                   normal, ", got shape ", DimsToString(dims)));
  }
  if (dims[normal] > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(
        absl::StrCat("input: expected int32 indices in dimension ", normal, ", got shape ", DimsToString(dims)));
  }
  return normal;
}

template <typename T>
absl::Status ApproxTopK(KernelCall& c) {
  using W = combine::Wide<T>;
  const ApproxTopKState& state = c.state<ApproxTopKState>();
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const int axis, CheckAxis(state.axis, state.k, input.dims()));
  Dims dims(input.dims().begin(), input.dims().end());
  const int64_t n = dims[axis], k = state.k;
  dims[axis] = k;
  ASSIGN_OR_RETURN(Tensor * values, c.AllocateOutput(0, input.dtype(), dims));
  ASSIGN_OR_RETURN(Tensor * indices, c.AllocateOutput(1, DType::kInt32, dims));
  if (values->num_elements() == 0) return absl::OkStatus();
  int64_t inner = 1;
  for (int d = axis + 1; d < input.rank(); ++d) inner *= input.dim(d);
  const T* from = input.data<T>();
  T* values_to = values->mutable_data<T>();
  int32_t* indices_to = indices->mutable_data<int32_t>();
  c.ParallelFor(input.num_elements() / n, 10.0 * static_cast<double>(n), [&](int64_t begin, int64_t end) {
    std::vector<W> line(n);
    std::vector<int32_t> order(n);
    for (int64_t l = begin; l < end; ++l) {
      const int64_t first = l / inner * n * inner + l % inner, out = l / inner * k * inner + l % inner;
      for (int64_t i = 0; i < n; ++i) line[i] = static_cast<W>(from[first + i * inner]);
      std::iota(order.begin(), order.end(), 0);
      std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int32_t i, int32_t j) {
        const W a = line[i], b = line[j];
        if ((a != a) != (b != b)) return b != b;
        if (a == a && a != b) return state.largest ? a > b : a < b;
        return i < j;
      });
      for (int64_t i = 0; i < k; ++i) {
        values_to[out + i * inner] = from[first + order[i] * inner];
        indices_to[out + i * inner] = order[i];
      }
    }
  });
  return absl::OkStatus();
}

// Each gradient goes to the element that its value was.
absl::Status ApproxTopKGrad(GradContext& c) {
  const int64_t axis = c.Int("reduction_dimension");
  const Output shape = c.ShapeOfInput(0);
  const auto product = [&](const Output& sizes) { return c.Op("Reshape", {c.Op("Prod", {sizes, 0}), {1}}); };
  const Output rank = c.Op("Size", {shape});
  const Output at = axis < 0 ? rank + axis : c.ScalarLike(static_cast<double>(axis), rank);
  const Output dims = c.Op("Range", {0, rank, 1});
  const Output one = c.Op("OnesLike", {shape});
  const auto select = [&](const char* compare) {
    return product(c.Op("SelectV2", {c.Op(compare, {dims, at}), shape, one}));
  };
  const Output outer = select("Less"), inner = select("Greater"), n = select("Equal");
  const Output minus = c.builder().Constant(Input({-1}), DType::kInt32),
               unit = c.builder().Constant(Input({1}), DType::kInt32);
  const auto range = [&](const Output& count) { return c.Op("Range", {0, c.Op("Squeeze", {count}), 1}); };
  const Output indices = c.Op("Reshape", {c.output(1), c.Op("ConcatV2", {outer, minus, inner, 0})});
  const Output rows = c.Op("Reshape", {range(outer), c.Op("ConcatV2", {minus, unit, unit, 0})});
  const Output places = (rows * n + indices) * inner + range(inner);
  const Output count = c.Op("Squeeze", {outer * n * inner});
  const Output sums =
      c.Op("UnsortedSegmentSum", {c.Op("Reshape", {c.grad(), {-1}}), c.Op("Reshape", {places, {-1}}), count});
  c.Set(0, ReshapeToInput(c, sums, 0));
  return absl::OkStatus();
}

absl::Status ApproxTopKShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRankAtLeast(0, 1));
  if (!input.has_rank()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int64_t k, c.Int("k"));
  ASSIGN_OR_RETURN(const int64_t reduction, c.Int("reduction_dimension"));
  ASSIGN_OR_RETURN(const bool aggregate, c.Bool("aggregate_to_topk"));
  ASSIGN_OR_RETURN(const int axis, CheckAxis(reduction, k, input.dims()));
  Dims dims(input.dims().begin(), input.dims().end());
  dims[axis] = aggregate ? k : -1;
  for (int i = 0; i < 2; ++i) c.SetOutput(i, PartialShape::FromValid(dims));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> ApproxTopKKernel(const NodeInfo& node) {
  auto state = std::make_shared<ApproxTopKState>();
  ASSIGN_OR_RETURN(state->k, node.Int("k"));
  ASSIGN_OR_RETURN(state->axis, node.Int("reduction_dimension"));
  ASSIGN_OR_RETURN(state->largest, node.Bool("is_max_k"));
  ASSIGN_OR_RETURN(const bool aggregate, node.Bool("aggregate_to_topk"));
  if (!aggregate) return absl::UnimplementedError("kernel of ApproxTopK: expected aggregate_to_topk = true, got false");
  const KernelFn fn = DispatchDType<kTopKTypes>(node.input_dtype(0), KernelFn{},
                                                []<typename T>() -> KernelFn { return &RunKernel<ApproxTopK<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::move(state)};
}

}  // namespace

absl::Status RegisterApproxTopKOps(OpLibrary& library) {
  return library.Add({.signature = TensorFlowSignature("ApproxTopK"),
                      .doc = "The k largest or smallest elements along a dimension and their indices",
                      .shape = ApproxTopKShape,
                      .kernel = ApproxTopKKernel,
                      .dtypes = kTopKTypes,
                      .gradient = ApproxTopKGrad});
}

}  // namespace flowlatch
