// IsotonicRegression: input [.., n] -> along the last dimension, the nearest values by least squares that never rise,
// and `segments`, the numbers of the stretches in which they are one. By pooling adjacent violators (Ayer et al.,
// 1955). float16, bfloat16, float32, float64; int8 and int16 to float32, int32 and int64 to float64. Means are computed
// in double.
#include "ops/isotonic_ops.h"

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/parallel.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kIsotonicTypes{DType::kInt8,    DType::kInt16,    DType::kInt32,   DType::kInt64,
                                  DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64};

// The dtype of the output for an input of T.
template <typename T>
using OutputOf = std::conditional_t<std::is_integral_v<T>, std::conditional_t<sizeof(T) <= 2, float, double>, T>;

struct Stretch {
  double sum;
  int64_t count;

  double mean() const { return sum / static_cast<double>(count); }
};

// A stretch that rises above the one before is joined with it.
template <typename T>
void FitRow(const T* x, int64_t n, std::vector<Stretch>& stretches, OutputOf<T>* y, int32_t* segments) {
  stretches.clear();
  for (int64_t i = 0; i < n; ++i) {
    Stretch last{static_cast<double>(x[i]), 1};
    while (!stretches.empty() && last.mean() > stretches.back().mean()) {
      last = {last.sum + stretches.back().sum, last.count + stretches.back().count};
      stretches.pop_back();
    }
    stretches.push_back(last);
  }
  int64_t at = 0;
  for (size_t s = 0; s < stretches.size(); ++s) {
    const OutputOf<T> mean = static_cast<OutputOf<T>>(stretches[s].mean());
    for (int64_t i = 0; i < stretches[s].count; ++i, ++at) {
      y[at] = mean;
      segments[at] = static_cast<int32_t>(s);
    }
  }
}

template <typename T>
absl::Status IsotonicRegression(KernelCall& c) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, kDTypeOf<OutputOf<T>>, input.shape()));
  ASSIGN_OR_RETURN(Tensor * segments, c.AllocateOutput(1, DType::kInt32, input.shape()));
  if (input.num_elements() == 0) return absl::OkStatus();
  const int64_t n = input.is_scalar() ? 1 : input.dim(input.rank() - 1);
  if (n > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat("input: expected rows in int32, got shape ", input.ShapeString()));
  }
  const T* x = input.data<T>();
  OutputOf<T>* y = output->mutable_data<OutputOf<T>>();
  int32_t* segment = segments->mutable_data<int32_t>();
  RunLoop(c, input.num_elements() / n, 15 * static_cast<double>(n), [&](int64_t begin, int64_t end) {
    std::vector<Stretch> stretches;
    for (int64_t row = begin; row < end; ++row) FitRow(x + row * n, n, stretches, y + row * n, segment + row * n);
  });
  return absl::OkStatus();
}

// Within a stretch the gradients take their mean, as the values did.
absl::Status IsotonicGradient(GradContext& c) {
  const Output shape = c.ShapeOfInput(0), count = c.Op("Prod", {shape, 0});
  const Output last = c.Op("StridedSlice", {c.Op("ConcatV2", {{1}, shape, 0}), {-1}, {0}, {1}},
                           {{"shrink_axis_mask", int64_t{1}}});  // 1 for a scalar
  // Segments are counted row by row: element e of row e / last.
  const Output flat = c.Op("Reshape", {c.output(1), {-1}});
  const Output elements = c.Op("Range", {0, count, 1});
  const Output numbers = flat + elements - elements % c.Op("Maximum", {last, 1});
  const Output grad = c.Op("Reshape", {c.grad(), {-1}});
  const Output sums = c.Op("UnsortedSegmentSum", {grad, numbers, count});
  const Output sizes = c.Op("UnsortedSegmentSum", {c.Op("OnesLike", {grad}), numbers, count});
  c.Set(0, ReshapeToInput(c, c.Op("GatherV2", {c.Op("DivNoNan", {sums, sizes}), numbers, 0}), 0));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> IsotonicKernel(const NodeInfo& node) {
  const DType wanted = node.output_dtype(0);
  const KernelFn fn = DispatchDType<kIsotonicTypes>(node.input_dtype(0), KernelFn{}, [&]<typename T>() -> KernelFn {
    return wanted == kDTypeOf<OutputOf<T>> ? &RunKernel<IsotonicRegression<T>> : KernelFn{};
  });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

}  // namespace

absl::Status RegisterIsotonicOps(OpLibrary& library) {
  return library.Add({.signature = TensorFlowSignature("IsotonicRegression"),
                      .doc = "The nearest values that never rise, row by row",
                      .shape = shapes::SameAsInput,
                      .kernel = IsotonicKernel,
                      .dtypes = kIsotonicTypes,
                      .gradient = IsotonicGradient});
}

}  // namespace flowlatch
