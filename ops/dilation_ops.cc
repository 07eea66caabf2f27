// Grey-scale morphological dilation of images.
//   Dilation2D: input [batch, height, width, depth], filter [rows, columns, depth] -> [batch, .., depth]: the largest sum of a
//     window's element and the filter's; elements are rates[i] apart, those outside of the image do not count
//   Dilation2DBackpropInput, Dilation2DBackpropFilter: input, filter, gradients of the output -> gradients of input or
//     filter; each goes to the first largest sum of its window
// All real types; integers wrap. NaN loses to any number.
#include "ops/dilation_ops.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/combine.h"
#include "ops/kernels/window.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

struct DilationState final : KernelState {
  WindowAttrs window;
};

// Node: NodeInfo or ShapeContext.
template <typename Node>
absl::StatusOr<WindowAttrs> DecodeAttrs(const Node& node) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> strides, node.Ints("strides"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> rates, node.Ints("rates"));
  ASSIGN_OR_RETURN(const std::string padding, node.Str("padding"));
  return MakeWindowAttrs(strides, padding, {}, "NHWC", rates);
}

struct Geometry {
  Window rows, cols;
  int64_t batch, depth;
  Dims output;
};

// Dimensions may be -1 (unknown).
absl::StatusOr<Geometry> PlanDilation(const WindowAttrs& attrs, absl::Span<const int64_t> input, absl::Span<const int64_t> filter) {
  if (input.size() != 4 || filter.size() != 3) {
    return absl::InvalidArgumentError(absl::StrCat("input and filter: expected 4 and 3 dimensions, got shapes ",
                                                   DimsToString(input), " and ", DimsToString(filter)));
  }
  if (input[3] >= 0 && filter[2] >= 0 && input[3] != filter[2]) {
    return absl::InvalidArgumentError(absl::StrCat("input and filter: expected one depth, got shapes ",
                                                   DimsToString(input), " and ", DimsToString(filter)));
  }
  if (filter[0] == 0 || filter[1] == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("filter: expected at least one row and column, got shape ", DimsToString(filter)));
  }
  Geometry g{.rows = {}, .cols = {}, .batch = input[0], .depth = std::max(input[3], filter[2]), .output = {}};
  ASSIGN_OR_RETURN(g.rows, MakeWindow(attrs, 0, input[1], filter[0]));
  ASSIGN_OR_RETURN(g.cols, MakeWindow(attrs, 1, input[2], filter[1]));
  g.output = {g.batch, g.rows.output, g.cols.output, g.depth};
  return g;
}

// The largest sum of a window, and where it was: offsets in one image and in the filter, of channel 0.
template <typename T>
struct Largest {
  combine::Wide<T> value = std::numeric_limits<combine::Wide<T>>::lowest();
  int64_t input = 0, filter = 0;
};

template <typename T>
T Add(T a, T b) {
  using W = combine::Wide<T>;
  return static_cast<T>(combine::Sum::Apply(static_cast<W>(a), static_cast<W>(b)));
}

template <typename T>
Largest<T> FindLargest(const Geometry& g, int64_t row, int64_t col, const T* image, const T* filter) {
  Largest<T> best;
  const int64_t top = row * g.rows.stride - g.rows.pad_before, left = col * g.cols.stride - g.cols.pad_before;
  best.input = (std::clamp<int64_t>(top, 0, g.rows.input - 1) * g.cols.input + std::clamp<int64_t>(left, 0, g.cols.input - 1)) * g.depth;
  for (int64_t y = 0; y < g.rows.size; ++y) {
    const int64_t in_y = top + y * g.rows.dilation;
    if (in_y < 0) continue;
    if (in_y >= g.rows.input) break;
    for (int64_t x = 0; x < g.cols.size; ++x) {
      const int64_t in_x = left + x * g.cols.dilation;
      if (in_x < 0) continue;
      if (in_x >= g.cols.input) break;
      const int64_t input_at = (in_y * g.cols.input + in_x) * g.depth, filter_at = (y * g.cols.size + x) * g.depth;
      const auto value = static_cast<combine::Wide<T>>(Add(image[input_at], filter[filter_at]));
      if (value > best.value) best = {value, input_at, filter_at};
    }
  }
  return best;
}

template <typename T>
absl::Status Dilate(KernelCall& c) {
  const Tensor& input = c.input(0);
  const Tensor& filter = c.input(1);
  ASSIGN_OR_RETURN(const Geometry g, PlanDilation(c.state<DilationState>().window, input.dims(), filter.dims()));
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, input.dtype(), g.output));
  if (output->num_elements() == 0) return absl::OkStatus();
  const T* x = input.data<T>();
  const T* f = filter.data<T>();
  T* y = output->mutable_data<T>();
  const int64_t image = g.rows.input * g.cols.input * g.depth;
  const double cost = static_cast<double>(g.cols.output * g.depth) * static_cast<double>(g.rows.size * g.cols.size);
  c.ParallelFor(g.batch * g.rows.output, cost, [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      const T* own = x + line / g.rows.output * image;
      T* to = y + line * g.cols.output * g.depth;
      for (int64_t col = 0; col < g.cols.output; ++col) {
        for (int64_t d = 0; d < g.depth; ++d) {
          *to++ = static_cast<T>(FindLargest(g, line % g.rows.output, col, own + d, f + d).value);
        }
      }
    }
  });
  return absl::OkStatus();
}

// Adds each gradient where its window's largest sum was: in the input, or in the filter.
template <typename T, bool kOfInput>
absl::Status Backprop(KernelCall& c) {
  const Tensor& input = c.input(0);
  const Tensor& filter = c.input(1);
  const Tensor& grads = c.input(2);
  ASSIGN_OR_RETURN(const Geometry g, PlanDilation(c.state<DilationState>().window, input.dims(), filter.dims()));
  if (grads.dims() != absl::Span<const int64_t>(g.output)) {
    return absl::InvalidArgumentError(
        absl::StrCat("out_backprop: expected shape ", DimsToString(g.output), ", got ", grads.ShapeString()));
  }
  ASSIGN_OR_RETURN(c.output(0), Tensor::Zeros(input.dtype(), (kOfInput ? input : filter).shape()));
  if (grads.num_elements() == 0 || input.num_elements() == 0) return absl::OkStatus();
  const T* x = input.data<T>();
  const T* f = filter.data<T>();
  const T* dy = grads.data<T>();
  T* to = c.output(0).mutable_data<T>();
  const int64_t image = g.rows.input * g.cols.input * g.depth;
  const double cost = static_cast<double>(grads.num_elements() / g.depth) * static_cast<double>(g.rows.size * g.cols.size);
  c.ParallelFor(g.depth, cost, [&](int64_t begin, int64_t end) {  // channels meet nowhere
    for (int64_t line = 0; line < g.batch * g.rows.output; ++line) {
      const int64_t own = line / g.rows.output * image;
      for (int64_t col = 0; col < g.cols.output; ++col) {
        for (int64_t d = begin; d < end; ++d) {
          const Largest<T> best = FindLargest(g, line % g.rows.output, col, x + own + d, f + d);
          T& sum = to[(kOfInput ? own + best.input : best.filter) + d];
          sum = Add(sum, dy[(line * g.cols.output + col) * g.depth + d]);
        }
      }
    }
  });
  return absl::OkStatus();
}

absl::Status DilationGrad(GradContext& c) {
  for (int i = 0; i < 2; ++i) {
    if (!c.needs(i)) continue;
    c.Set(i, c.Op(i == 0 ? "Dilation2DBackpropInput" : "Dilation2DBackpropFilter", {c.input(0), c.input(1), c.grad()},
                  c.CopyAttrs({"strides", "rates", "padding"})));
  }
  return absl::OkStatus();
}

absl::Status DilationShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const WindowAttrs attrs, DecodeAttrs(c));
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  ASSIGN_OR_RETURN(const PartialShape filter, c.WithRank(1, 3));
  ASSIGN_OR_RETURN(const Geometry g, PlanDilation(attrs, input.dims(), filter.dims()));
  c.SetOutput(0, PartialShape::FromValid(g.output));
  return absl::OkStatus();
}

template <int kInput>
absl::Status LikeInput(ShapeContext& c) {
  c.SetOutput(0, c.input(kInput));
  return absl::OkStatus();
}

template <typename Choose>
KernelFactory FactoryOf(Choose choose) {
  return [choose](const NodeInfo& node) -> absl::StatusOr<Kernel> {
    auto state = std::make_shared<DilationState>();
    ASSIGN_OR_RETURN(state->window, DecodeAttrs(node));
    const KernelFn fn = DispatchDType<kRealTypes>(node.input_dtype(0), KernelFn{}, choose);
    if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
    return Kernel{.fn = fn, .state = std::move(state)};
  };
}

}  // namespace

absl::Status RegisterDilationOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel, GradFunction gradient) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .dtypes = kRealTypes,
                        .gradient = gradient});
  };
  RETURN_IF_ERROR(add("Dilation2D", "The largest sums of windows and a filter", DilationShape,
                      FactoryOf([]<typename T>() -> KernelFn { return &RunKernel<Dilate<T>>; }), DilationGrad));
  RETURN_IF_ERROR(add("Dilation2DBackpropInput", "The gradient of Dilation2D's input", LikeInput<0>,
                      FactoryOf([]<typename T>() -> KernelFn { return &RunKernel<Backprop<T, true>>; }), nullptr));
  return add("Dilation2DBackpropFilter", "The gradient of Dilation2D's filter", LikeInput<1>,
             FactoryOf([]<typename T>() -> KernelFn { return &RunKernel<Backprop<T, false>>; }), nullptr);
}

}  // namespace flowlatch
