// Convolutions of images (no flipping of the filter).
//   Conv2D: input [batch, height, width, channels] (NHWC) or [batch, channels, height, width] (NCHW), filter [height,
//     width, channels / groups, outputs] -> [batch, .., outputs]. The number of groups follows from the shapes.
//   DepthwiseConv2dNative: filter [height, width, channels, multiplier] -> channels * multiplier outputs; output c *
//     multiplier + m is channel c with filter [.., c, m].
//   <Op>BackpropInput: sizes of the input, filter, gradients of the output -> gradients of the input.
//   <Op>BackpropFilter: input, sizes of the filter, gradients of the output -> gradients of the filter.
// Padding SAME, VALID or EXPLICIT; any strides and dilations. half, bfloat16 (computed in float), float, double, and int32
// for Conv2D and its input's gradient. NCHW is turned into NHWC and back.
#include "ops/conv_ops.h"

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/activations.h"
#include "ops/kernels/channelwise.h"
#include "ops/kernels/conv.h"
#include "ops/kernels/filter_cache.h"
#include "ops/kernels/images.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/window.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/plan/chain.h"

namespace flowlatch {
namespace {

struct ConvState final : KernelState {
  WindowAttrs window;
  bool depthwise = false;
};

struct ConvPlan {
  ConvShape shape;
  Dims output;  // as the op's data_format orders it
};

absl::Status CheckRank4(absl::Span<const int64_t> dims, const char* what) {
  if (dims.size() == 4) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected 4 dimensions, got shape ", DimsToString(dims)));
}

// Groups and outputs from the channels of input and filter; -1 where unknown.
absl::Status PlanChannels(int64_t filter_channels, int64_t last, bool depthwise, ConvShape& shape) {
  if (filter_channels == 0) {
    return absl::InvalidArgumentError("filter: expected at least one input channel, got 0");
  }
  shape.outputs = shape.groups = -1;
  if (depthwise) {
    if (shape.channels >= 0 && filter_channels >= 0 && shape.channels != filter_channels) {
      return absl::InvalidArgumentError(absl::StrCat("filter: expected the input's ", shape.channels,
                                                     " channels, got ", filter_channels));
    }
    shape.channels = shape.groups = std::max(shape.channels, filter_channels);
    if (shape.channels >= 0 && last >= 0) {
      const absl::StatusOr<Shape> outputs = Shape::Make({shape.channels, last});
      if (!outputs.ok()) return outputs.status();
      shape.outputs = outputs->num_elements();
    }
    return absl::OkStatus();
  }
  shape.outputs = last;
  if (shape.channels < 0 || filter_channels < 0) return absl::OkStatus();
  if (shape.channels == 0 || shape.channels % filter_channels != 0) {
    return absl::InvalidArgumentError(absl::StrCat("input channels: expected a multiple of the filter's ",
                                                   filter_channels, ", got ", shape.channels));
  }
  shape.groups = shape.channels / filter_channels;
  if (last >= 0 && last % shape.groups != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("outputs of the filter: expected a multiple of ", shape.groups, " groups, got ", last));
  }
  return absl::OkStatus();
}

// Dimensions may be -1 (unknown), so that shape functions and kernels judge alike.
absl::StatusOr<ConvPlan> PlanConv(const ConvState& state, absl::Span<const int64_t> input,
                                  absl::Span<const int64_t> filter) {
  RETURN_IF_ERROR(CheckRank4(input, "input"));
  RETURN_IF_ERROR(CheckRank4(filter, "filter"));
  if (filter[0] == 0 || filter[1] == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("filter: expected a window of at least one element, got shape ", DimsToString(filter)));
  }
  const WindowAttrs& window = state.window;
  ConvPlan plan;
  plan.shape.batch = input[0];
  plan.shape.channels = input[window.channel_dim()];
  RETURN_IF_ERROR(PlanChannels(filter[2], filter[3], state.depthwise, plan.shape));
  ASSIGN_OR_RETURN(plan.shape.height, MakeWindow(window, 0, input[window.spatial_dim(0)], filter[0]));
  ASSIGN_OR_RETURN(plan.shape.width, MakeWindow(window, 1, input[window.spatial_dim(1)], filter[1]));
  plan.output.assign(4, plan.shape.batch);
  plan.output[window.channel_dim()] = plan.shape.outputs;
  plan.output[window.spatial_dim(0)] = plan.shape.height.output;
  plan.output[window.spatial_dim(1)] = plan.shape.width.output;
  return plan;
}

// The type that convolutions of T are computed in.
template <typename T>
using Wide = std::conditional_t<kIsSmallFloat<T>, float, T>;

template <typename T>
absl::StatusOr<Tensor> WideImages(const Tensor& t, bool channels_first) {
  return ChannelsLast<T, Wide<T>>(t, channels_first);
}
template <typename T>
absl::StatusOr<Tensor> Widened(const Tensor& t) {
  return ConvertedTo<T, Wide<T>>(t);
}

// ---- Kernels

template <typename T>
absl::Status Conv(KernelCall& c) {
  const auto& state = c.state<ConvState>();
  const Tensor &input = c.input(0), &filter = c.input(1);
  ASSIGN_OR_RETURN(const ConvPlan plan, PlanConv(state, input.dims(), filter.dims()));
  ASSIGN_OR_RETURN(const Shape output, Shape::Make(plan.output));
  if (input.num_elements() == 0 || output.num_elements() == 0) return SetZeros(c, 0, kDTypeOf<T>, output);
  const bool channels_first = state.window.channels_first;
  ASSIGN_OR_RETURN(const Tensor images, WideImages<T>(input, channels_first));
  ASSIGN_OR_RETURN(const Tensor weights, Widened<T>(filter));
  return ComputeImages<T, Wide<T>>(c, 0, output.dims(), channels_first, [&](Wide<T>* out) {
    return ConvForward(c, plan.shape, images.data<Wide<T>>(), weights.data<Wide<T>>(), out);
  });
}

// Chains of a convolution, a bias or a batch normalisation in inference, and an activation, in float with channels last.
struct ConvChainState final : KernelState {
  ConvState conv;
  bool norm = false;  // inputs scale, offset, mean, variance; else: bias
  float epsilon = 0;
  std::optional<Activation> activation;
  bool filter_is_held = false;
  mutable FilterCache filters;
};

// x -> (x - mean[c]) * scale[c] + shift[c] for each output c; null without a normalisation.
struct ConvFinish {
  const float* mean = nullptr;
  std::vector<float> scale;
  const float* shift = nullptr;
  std::optional<Activation> activation;

  void operator()(float* pixels, int64_t n, int64_t outputs) const {
    constexpr int64_t kElements = 4096;  // that stay in the first-level cache
    const int64_t rows = std::max<int64_t>(1, kElements / outputs);
    for (int64_t i = 0; i < n; i += rows) {
      const ChannelShape shape{.outer = std::min(rows, n - i), .channels = outputs};
      const Units all{0, shape.outer};
      float* const x = pixels + i * outputs;
      mean != nullptr ? Normalize(shape, all, x, mean, scale.data(), shift, x) : AddBias(shape, all, x, shift, x);
      if (activation.has_value()) Activate<float>(*activation, x, x, shape.outer * outputs, 0);
    }
  }
};

absl::StatusOr<ConvFinish> FinishOf(const KernelCall& c, const ConvChainState& state, int64_t outputs) {
  for (int i = 2; i < c.num_inputs(); ++i) {
    if (c.input(i).rank() != 1 || c.input(i).dim(0) != outputs) {
      return absl::InvalidArgumentError(absl::StrCat("expected shape [", outputs, "], got ", c.input(i).ShapeString()));
    }
  }
  ConvFinish finish{.activation = state.activation};
  if (!state.norm) {
    finish.shift = c.input(2).data<float>();
    return finish;
  }
  const float *scale = c.input(2).data<float>(), *variance = c.input(5).data<float>();
  finish.shift = c.input(3).data<float>();
  finish.mean = c.input(4).data<float>();
  for (int64_t i = 0; i < outputs; ++i) finish.scale.push_back(scale[i] / std::sqrt(variance[i] + state.epsilon));
  return finish;
}

absl::Status ConvChain(KernelCall& c) {
  const auto& state = c.state<ConvChainState>();
  const Tensor &input = c.input(0), &filter = c.input(1);
  ASSIGN_OR_RETURN(const ConvPlan plan, PlanConv(state.conv, input.dims(), filter.dims()));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(plan.output));
  if (input.num_elements() == 0 || shape.num_elements() == 0) return absl::UnimplementedError("expected elements");
  const int64_t outputs = plan.shape.outputs;
  ASSIGN_OR_RETURN(const ConvFinish finish, FinishOf(c, state, outputs));
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, DType::kFloat32, shape));
  ConvExtras extras;
  extras.finish = [&](float* pixels, int64_t n) { finish(pixels, n, outputs); };
  if (state.filter_is_held) {
    extras.filter = &filter;
    extras.cache = &state.filters;
  }
  return ConvForward(c, plan.shape, input.data<float>(), filter.data<float>(), output->mutable_data<float>(), extras);
}

absl::Status CheckOutputGrad(const Tensor& grad, const ConvPlan& plan) {
  if (grad.dims() == absl::MakeConstSpan(plan.output)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("out_backprop: expected shape ", DimsToString(plan.output), ", got ", grad.ShapeString()));
}

// The shape that input_sizes stands for; [height, width] alone takes the rest from filter and gradient.
absl::StatusOr<Shape> InputShape(const Tensor& sizes, const Tensor& filter, const Tensor& grad, const ConvState& state) {
  ASSIGN_OR_RETURN(Dims dims, ReadIntVector(sizes, "input_sizes"));
  if (dims.size() == 2) {
    RETURN_IF_ERROR(CheckRank4(filter.dims(), "filter"));
    RETURN_IF_ERROR(CheckRank4(grad.dims(), "out_backprop"));
    Dims full(4, grad.dim(0));
    full[state.window.channel_dim()] = filter.dim(2);
    full[state.window.spatial_dim(0)] = dims[0];
    full[state.window.spatial_dim(1)] = dims[1];
    dims = std::move(full);
  }
  return Shape::Make(dims);
}

template <typename T>
absl::Status ConvInputGrad(KernelCall& c) {
  const auto& state = c.state<ConvState>();
  const Tensor &filter = c.input(1), &grad = c.input(2);
  ASSIGN_OR_RETURN(const Shape input, InputShape(c.input(0), filter, grad, state));
  ASSIGN_OR_RETURN(const ConvPlan plan, PlanConv(state, input.dims(), filter.dims()));
  RETURN_IF_ERROR(CheckOutputGrad(grad, plan));
  if (input.num_elements() == 0 || grad.num_elements() == 0) return SetZeros(c, 0, kDTypeOf<T>, input);
  const bool channels_first = state.window.channels_first;
  ASSIGN_OR_RETURN(const Tensor grads, WideImages<T>(grad, channels_first));
  ASSIGN_OR_RETURN(const Tensor weights, Widened<T>(filter));
  return ComputeImages<T, Wide<T>>(c, 0, input.dims(), channels_first, [&](Wide<T>* out) {
    return ConvBackpropInput(c, plan.shape, weights.data<Wide<T>>(), grads.data<Wide<T>>(), out);
  });
}

template <typename T>
absl::Status ConvFilterGrad(KernelCall& c) {
  const auto& state = c.state<ConvState>();
  const Tensor &input = c.input(0), &grad = c.input(2);
  ASSIGN_OR_RETURN(const Dims sizes, ReadIntVector(c.input(1), "filter_sizes"));
  ASSIGN_OR_RETURN(const Shape filter, Shape::Make(sizes));
  ASSIGN_OR_RETURN(const ConvPlan plan, PlanConv(state, input.dims(), filter.dims()));
  RETURN_IF_ERROR(CheckOutputGrad(grad, plan));
  if (input.num_elements() == 0 || grad.num_elements() == 0) return SetZeros(c, 0, kDTypeOf<T>, filter);
  const bool channels_first = state.window.channels_first;
  ASSIGN_OR_RETURN(const Tensor images, WideImages<T>(input, channels_first));
  ASSIGN_OR_RETURN(const Tensor grads, WideImages<T>(grad, channels_first));
  return ComputeImages<T, Wide<T>>(c, 0, filter.dims(), false, [&](Wide<T>* out) {
    return ConvBackpropFilter(c, plan.shape, images.data<Wide<T>>(), grads.data<Wide<T>>(), out);
  });
}

// ---- Schemas

absl::StatusOr<ConvState> DecodeState(const auto& node) {
  ConvState state;
  ASSIGN_OR_RETURN(state.window, DecodeWindowAttrs(node));
  state.depthwise = node.schema().name().rfind("Depthwise", 0) == 0;
  return state;
}

// A node may ask for a kernel by its label. TensorFlow's labels for the gradients mean the same numbers.
absl::Status CheckLabel(const NodeInfo& node) {
  const Attr* attr = node.attrs().Find("_kernel");
  const std::string* label = attr != nullptr ? attr->Get<std::string>() : nullptr;
  if (label == nullptr || label->empty()) return absl::OkStatus();
  const bool is_gradient = node.num_inputs() == 3;
  if (is_gradient && (*label == "custom" || *label == "eigen_tensor")) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("label of a kernel of ", node.schema().name(), ": expected a known one, got '", *label, "'"));
}

template <template <typename> class Compute>
absl::StatusOr<Kernel> ConvKernel(const NodeInfo& node) {
  RETURN_IF_ERROR(CheckLabel(node));
  ASSIGN_OR_RETURN(const ConvState state, DecodeState(node));
  constexpr DTypeSet kTypes = kFloatTypes | DTypeSet{DType::kInt32};
  const KernelFn fn = DispatchDType<kTypes>(node.output_dtype(0), KernelFn{},
                                            []<typename T>() -> KernelFn { return &RunKernel<Compute<T>::Run>; });
  if (fn == nullptr) return NoKernelFor(node, node.output_dtype(0));
  return Kernel{.fn = fn, .state = std::make_shared<ConvState>(state)};
}

template <typename T>
struct Forward {
  static absl::Status Run(KernelCall& c) { return Conv<T>(c); }
};
template <typename T>
struct InputGrad {
  static absl::Status Run(KernelCall& c) { return ConvInputGrad<T>(c); }
};
template <typename T>
struct FilterGrad {
  static absl::Status Run(KernelCall& c) { return ConvFilterGrad<T>(c); }
};

absl::StatusOr<Kernel> ConvChainKernel(const NodeInfo& node) {
  auto state = std::make_shared<ConvChainState>();
  ASSIGN_OR_RETURN(state->conv, DecodeState(node));
  state->norm = node.num_inputs() == 6;
  if (state->norm) {
    ASSIGN_OR_RETURN(const bool training, node.Bool("is_training"));
    if (training) return absl::UnimplementedError("chain: expected inference");
    ASSIGN_OR_RETURN(state->epsilon, node.Float("epsilon"));
  }
  if ((!state->norm && node.num_inputs() != 3) || node.output_dtype(0) != DType::kFloat32 ||
      state->conv.window.channels_first) {
    return absl::UnimplementedError("chain: expected float and channels last");
  }
  if (ChainEndsWith(node, "Relu")) state->activation = Activation::kRelu;
  if (ChainEndsWith(node, "Relu6")) state->activation = Activation::kRelu6;
  state->filter_is_held = IsHeld(node, 1);
  return Kernel{.fn = &RunKernel<ConvChain>, .state = std::move(state)};
}

absl::StatusOr<Kernel> ForwardKernel(const NodeInfo& node) {
  return IsChain(node) ? ConvChainKernel(node) : ConvKernel<Forward>(node);
}

absl::Status ConvOutputShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const ConvState state, DecodeState(c));
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  ASSIGN_OR_RETURN(const PartialShape filter, c.WithRank(1, 4));
  ASSIGN_OR_RETURN(const ConvPlan plan, PlanConv(state, input.dims(), filter.dims()));
  ASSIGN_OR_RETURN(PartialShape output, PartialShape::Make(plan.output));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

// The output has the shape that an input of sizes says.
template <int kSizes>
absl::Status GradShape(ShapeContext& c) {
  RETURN_IF_ERROR(DecodeState(c).status());
  ASSIGN_OR_RETURN(const PartialShape grad, c.WithRank(2, 4));
  RETURN_IF_ERROR(c.WithRank(1 - kSizes, 4).status());
  ASSIGN_OR_RETURN(PartialShape sizes, c.InputAsShape(kSizes));
  const bool may_be_short = kSizes == 0;  // [height, width] alone
  if (!sizes.has_rank() || (may_be_short && sizes.rank() == 2)) sizes = PartialShape::UnknownOfRank(4);
  if (sizes.rank() != 4) {
    return absl::InvalidArgumentError(absl::StrCat("sizes: expected 4 values, got ", sizes.rank()));
  }
  c.SetOutput(0, std::move(sizes));
  return absl::OkStatus();
}

// ---- Gradients. A convolution is linear in its input, its filter and what comes back: each op's gradients are the
// other two.

// The ops of one kind of convolution, and the attributes that all of them have.
template <bool kDepthwise>
struct ConvOps {
  static constexpr const char* kForward = kDepthwise ? "DepthwiseConv2dNative" : "Conv2D";
  static constexpr const char* kInput = kDepthwise ? "DepthwiseConv2dNativeBackpropInput" : "Conv2DBackpropInput";
  static constexpr const char* kFilter = kDepthwise ? "DepthwiseConv2dNativeBackpropFilter" : "Conv2DBackpropFilter";
  static std::vector<AttrMap::Entry> Attrs(GradContext& c) {
    return c.CopyAttrs({"strides", "padding", "explicit_paddings", "data_format", "dilations"});
  }
};

template <bool kDepthwise>
absl::Status ConvGrad(GradContext& c) {
  using Ops = ConvOps<kDepthwise>;
  if (c.needs(0)) c.Set(0, c.Op(Ops::kInput, {c.ShapeOfInput(0), c.input(1), c.grad()}, Ops::Attrs(c)));
  if (c.needs(1)) c.Set(1, c.Op(Ops::kFilter, {c.input(0), c.ShapeOfInput(1), c.grad()}, Ops::Attrs(c)));
  return absl::OkStatus();
}

template <bool kDepthwise>
absl::Status ConvBackpropInputGrad(GradContext& c) {
  using Ops = ConvOps<kDepthwise>;
  if (c.needs(1)) c.Set(1, c.Op(Ops::kFilter, {c.grad(), c.ShapeOfInput(1), c.input(2)}, Ops::Attrs(c)));
  if (c.needs(2)) c.Set(2, c.Op(Ops::kForward, {c.grad(), c.input(1)}, Ops::Attrs(c)));
  return absl::OkStatus();
}

template <bool kDepthwise>
absl::Status ConvBackpropFilterGrad(GradContext& c) {
  using Ops = ConvOps<kDepthwise>;
  if (c.needs(0)) c.Set(0, c.Op(Ops::kInput, {c.ShapeOfInput(0), c.grad(), c.input(2)}, Ops::Attrs(c)));
  if (c.needs(2)) c.Set(2, c.Op(Ops::kForward, {c.input(0), c.grad()}, Ops::Attrs(c)));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterConvOps(OpLibrary& library) {
  constexpr DTypeSet kWithInt32 = kFloatTypes | DTypeSet{DType::kInt32};
  RETURN_IF_ERROR(library.Add({
      .signature = "Conv2D(input: T, filter: T) -> (output: T); T: {float16, bfloat16, float32, float64, int32}; "
                   "strides: list(int); use_cudnn_on_gpu: bool = true; padding: {\"SAME\", \"VALID\", \"EXPLICIT\"}; "
                   "explicit_paddings: list(int) = []; data_format: {\"NHWC\", \"NCHW\"} = \"NHWC\"; dilations: "
                   "list(int) = [1, 1, 1, 1]",
      .doc = "Slides a filter over images",
      .shape = ConvOutputShape,
      .kernel = ForwardKernel,
      .dtypes = kWithInt32,
      .gradient = ConvGrad<false>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Conv2DBackpropInput(input_sizes: int32, filter: T, out_backprop: T) -> (output: T); T: {float16, "
                   "bfloat16, float32, float64, int32}; strides: list(int); use_cudnn_on_gpu: bool = true; padding: "
                   "{\"SAME\", \"VALID\", \"EXPLICIT\"}; explicit_paddings: list(int) = []; data_format: {\"NHWC\", "
                   "\"NCHW\"} = \"NHWC\"; dilations: list(int) = [1, 1, 1, 1]",
      .doc = "The gradient of Conv2D with respect to its input; also a transposed convolution",
      .shape = GradShape<0>,
      .kernel = ConvKernel<InputGrad>,
      .dtypes = kWithInt32,
      .gradient = ConvBackpropInputGrad<false>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "Conv2DBackpropFilter(input: T, filter_sizes: int32, out_backprop: T) -> (output: T); T: {float16, "
          "bfloat16, float32, float64}; strides: list(int); use_cudnn_on_gpu: bool = true; padding: {\"SAME\", "
          "\"VALID\", \"EXPLICIT\"}; explicit_paddings: list(int) = []; data_format: {\"NHWC\", \"NCHW\"} = "
          "\"NHWC\"; dilations: list(int) = [1, 1, 1, 1]",
      .doc = "The gradient of Conv2D with respect to its filter",
      .shape = GradShape<1>,
      .kernel = ConvKernel<FilterGrad>,
      .dtypes = kFloatTypes,
      .gradient = ConvBackpropFilterGrad<false>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "DepthwiseConv2dNative(input: T, filter: T) -> (output: T); T: {float16, bfloat16, float32, float64}; "
          "strides: list(int); padding: {\"SAME\", \"VALID\", \"EXPLICIT\"}; explicit_paddings: list(int) = []; "
          "data_format: {\"NHWC\", \"NCHW\"} = \"NHWC\"; dilations: list(int) = [1, 1, 1, 1]",
      .doc = "Slides a filter of its own over each channel of images",
      .shape = ConvOutputShape,
      .kernel = ForwardKernel,
      .dtypes = kFloatTypes,
      .gradient = ConvGrad<true>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "DepthwiseConv2dNativeBackpropInput(input_sizes: int32, filter: T, out_backprop: T) -> (output: T); T: "
          "{float16, bfloat16, float32, float64}; strides: list(int); padding: {\"SAME\", \"VALID\", "
          "\"EXPLICIT\"}; explicit_paddings: list(int) = []; data_format: {\"NHWC\", \"NCHW\"} = \"NHWC\"; "
          "dilations: list(int) = [1, 1, 1, 1]",
      .doc = "The gradient of DepthwiseConv2dNative with respect to its input",
      .shape = GradShape<0>,
      .kernel = ConvKernel<InputGrad>,
      .dtypes = kFloatTypes,
      .gradient = ConvBackpropInputGrad<true>,
  }));
  return library.Add({
      .signature =
          "DepthwiseConv2dNativeBackpropFilter(input: T, filter_sizes: int32, out_backprop: T) -> (output: T); T: "
          "{float16, bfloat16, float32, float64}; strides: list(int); padding: {\"SAME\", \"VALID\", "
          "\"EXPLICIT\"}; explicit_paddings: list(int) = []; data_format: {\"NHWC\", \"NCHW\"} = \"NHWC\"; "
          "dilations: list(int) = [1, 1, 1, 1]",
      .doc = "The gradient of DepthwiseConv2dNative with respect to its filter",
      .shape = GradShape<1>,
      .kernel = ConvKernel<FilterGrad>,
      .dtypes = kFloatTypes,
      .gradient = ConvBackpropFilterGrad<true>,
  });
}

}  // namespace flowlatch
