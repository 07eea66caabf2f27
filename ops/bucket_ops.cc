// Finding the ranges that numbers fall into.
//   Bucketize: input -> for each element how many boundaries are not above it, int32; NaN counts as above all
//   HistogramFixedWidth: values, value_range [2], nbins -> how many values fall into each of nbins equal ranges; those outside
//     count for the first or last one
//   LowerBound, UpperBound: sorted_inputs [rows, n], values [rows, m] -> for each value how many inputs of its row are below it
//     (not above it)
#include "ops/bucket_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/step_context.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kBucketTypes = kIndexTypes | DTypeSet{DType::kFloat32, DType::kFloat64};

// ---- Bucketize

struct BoundariesState final : KernelState {
  std::vector<float> boundaries;
};

template <typename T>
absl::Status Bucketize(KernelCall& c) {
  const std::vector<float>& boundaries = c.state<BoundariesState>().boundaries;
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, DType::kInt32, input.dims()));
  const T* from = input.data<T>();
  int32_t* to = output->mutable_data<int32_t>();
  RunLoop(c, input.num_elements(), 10, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      to[i] = static_cast<int32_t>(std::upper_bound(boundaries.begin(), boundaries.end(), from[i]) - boundaries.begin());
    }
  });
  return absl::OkStatus();
}

absl::StatusOr<Kernel> BucketizeKernel(const NodeInfo& node) {
  auto state = std::make_shared<BoundariesState>();
  ASSIGN_OR_RETURN(state->boundaries, node.AttrAs<std::vector<float>>("boundaries"));
  if (!std::is_sorted(state->boundaries.begin(), state->boundaries.end())) {
    return absl::InvalidArgumentError("boundaries: expected ascending values, got others");
  }
  const KernelFn fn = DispatchDType<kBucketTypes>(node.input_dtype(0), KernelFn{},
                                                  []<typename T>() -> KernelFn { return &RunKernel<Bucketize<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::move(state)};
}

// ---- Histograms

template <typename T, typename Count>
absl::Status Histogram(KernelCall& c) {
  const Tensor& values = c.input(0);
  const Tensor& range = c.input(1);
  if (!range.is_vector() || range.dim(0) != 2) {
    return absl::InvalidArgumentError(absl::StrCat("value_range: expected 2 values, got shape ", range.ShapeString()));
  }
  ASSIGN_OR_RETURN(const int64_t bins, ReadIntScalar(c.input(2), "nbins"));
  if (bins <= 0) return absl::InvalidArgumentError(absl::StrCat("nbins: expected a value > 0, got ", bins));
  const double first = static_cast<double>(range.data<T>()[0]), last = static_cast<double>(range.data<T>()[1]);
  if (!(first < last)) {
    return absl::InvalidArgumentError(
        absl::StrCat("value_range: expected the first value to be the smaller one, got ", first, " and ", last));
  }
  const T* from = values.data<T>();
  if constexpr (std::is_floating_point_v<T>) {
    if (std::any_of(from, from + values.num_elements(), [](T v) { return std::isnan(v); })) {
      return absl::InvalidArgumentError("values: expected numbers, got NaN");
    }
  }
  ASSIGN_OR_RETURN(c.output(0), Tensor::Zeros(kDTypeOf<Count>, Shape::Of({bins}), c.step().services().allocator));
  Count* counts = c.output(0).mutable_data<Count>();
  const double step = (last - first) / static_cast<double>(bins);
  for (int64_t i = 0; i < values.num_elements(); ++i) {
    const double bin = (std::max(static_cast<double>(from[i]), first) - first) / step;
    // Not a number where an infinite value meets an infinite range.
    ++counts[bin < static_cast<double>(bins) ? static_cast<int64_t>(bin) : std::isnan(bin) ? 0 : bins - 1];
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> HistogramKernel(const NodeInfo& node) {
  const bool wide = node.output_dtype(0) == DType::kInt64;
  const KernelFn fn = DispatchDType<kBucketTypes>(node.input_dtype(0), KernelFn{}, [&]<typename T>() -> KernelFn {
    return wide ? &RunKernel<Histogram<T, int64_t>> : &RunKernel<Histogram<T, int32_t>>;
  });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

absl::Status HistogramShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectVector(1));
  RETURN_IF_ERROR(c.ExpectScalar(2));
  ASSIGN_OR_RETURN(const std::optional<int64_t> bins, c.ConstantInt(2));
  if (bins.has_value() && *bins <= 0) {
    return absl::InvalidArgumentError(absl::StrCat("nbins: expected a value > 0, got ", *bins));
  }
  c.SetOutput(0, PartialShape::Of({bins.value_or(-1)}));
  return absl::OkStatus();
}

// ---- Bounds

template <typename T, typename Index, bool kUpper>
absl::Status Bound(KernelCall& c) {
  const Tensor& sorted = c.input(0);
  const Tensor& values = c.input(1);
  if (sorted.rank() != 2 || values.rank() != 2 || sorted.dim(0) != values.dim(0)) {
    return absl::InvalidArgumentError(absl::StrCat("sorted_inputs and values: expected matrices of as many rows, got shapes ",
                                                   sorted.ShapeString(), " and ", values.ShapeString()));
  }
  const int64_t n = sorted.dim(1), m = values.dim(1);
  if (n > static_cast<int64_t>(std::numeric_limits<Index>::max())) {
    return absl::InvalidArgumentError(absl::StrCat("sorted_inputs: expected rows that out_type can count, got shape ", sorted.ShapeString()));
  }
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, kDTypeOf<Index>, values.dims()));
  if (output->num_elements() == 0) return absl::OkStatus();
  const T* inputs = sorted.data<T>();
  const T* from = values.data<T>();
  Index* to = output->mutable_data<Index>();
  RunLoop(c, values.num_elements(), 20, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* row = inputs + i / m * n;
      const T* at = kUpper ? std::upper_bound(row, row + n, from[i]) : std::lower_bound(row, row + n, from[i]);
      to[i] = static_cast<Index>(at - row);
    }
  });
  return absl::OkStatus();
}

template <bool kUpper>
absl::StatusOr<Kernel> BoundKernel(const NodeInfo& node) {
  const bool wide = node.output_dtype(0) == DType::kInt64;
  const KernelFn fn = DispatchDType<kRealTypes>(node.input_dtype(0), KernelFn{}, [&]<typename T>() -> KernelFn {
    return wide ? &RunKernel<Bound<T, int64_t, kUpper>> : &RunKernel<Bound<T, int32_t, kUpper>>;
  });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

absl::Status BoundShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape sorted, c.WithRank(0, 2));
  ASSIGN_OR_RETURN(const PartialShape values, c.WithRank(1, 2));
  ASSIGN_OR_RETURN(PartialShape output, values.MergeWith(PartialShape::Of({sorted.dim(0), -1})));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterBucketOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel, DTypeSet dtypes) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .dtypes = dtypes,
                        .gradient = gradients::None});
  };
  RETURN_IF_ERROR(add("Bucketize", "Which range between boundaries each element falls into", shapes::SameAsInput,
                      BucketizeKernel, kBucketTypes));
  RETURN_IF_ERROR(add("HistogramFixedWidth", "How many values fall into each of equal ranges", HistogramShape,
                      HistogramKernel, kBucketTypes));
  RETURN_IF_ERROR(add("LowerBound", "How many sorted inputs are below each value", BoundShape, BoundKernel<false>, kRealTypes));
  return add("UpperBound", "How many sorted inputs are not above each value", BoundShape, BoundKernel<true>, kRealTypes);
}

}  // namespace flowlatch
