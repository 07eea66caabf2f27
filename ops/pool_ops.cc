// Pooling of images: one number for each window and channel.
//   MaxPool(V2): input [batch, height, width, channels] (NHWC) or [batch, channels, height, width] (NCHW) -> the same rank;
//     V2 takes window and strides as inputs. A window over channels (of their own stride, dividing them) is possible too.
//     NaN loses to any number; a window of nothing but NaN or -infinity gives the lowest finite number.
//   AvgPool: the mean of what lies inside the image.
//   MaxPoolGrad(V2): input, output, gradients of the output -> gradients of the input: each goes to the first largest
//     element of its window. MaxPoolGradGrad(V2) is the reverse: it picks from there.
//   MaxPoolWithArgmax: also where it was, (y * width + x) * channels + c, plus the images before if asked for.
//   MaxPoolGradWithArgmax: input, gradients of the output, argmax -> gradients of the input, by what argmax says;
//     MaxPoolGradGradWithArgmax is the reverse.
//   AvgPoolGrad: sizes of the input, gradients of the output -> gradients of the input.
// MaxPool: all real number types. AvgPool: floating types; 16-bit ones add in float.
#include "ops/pool_ops.h"

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/activations.h"
#include "ops/kernels/channelwise.h"
#include "ops/kernels/combine.h"
#include "ops/kernels/images.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/pool.h"
#include "ops/kernels/window.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/plan/chain.h"

namespace flowlatch {
namespace {

// What attributes (or the inputs of V2) say.
struct PoolSpec {
  WindowAttrs window;
  int64_t height = 1, width = 1, channels = 1;  // of the window

  bool across_channels() const { return channels > 1; }
};

struct PoolState final : KernelState {
  std::string padding, format;
  std::vector<int64_t> explicit_paddings;
  PoolSpec spec;                  // unless window and strides are inputs
  bool batch_in_argmax = false;
};

absl::StatusOr<PoolSpec> MakeSpec(const PoolState& state, absl::Span<const int64_t> ksize,
                                  absl::Span<const int64_t> strides) {
  if (ksize.size() != 4) return absl::InvalidArgumentError(absl::StrCat("ksize: expected 4 values, got ", ksize.size()));
  if (strides.size() != 4) {
    return absl::InvalidArgumentError(absl::StrCat("strides: expected 4 values, got ", strides.size()));
  }
  for (const int64_t k : ksize) {
    if (k < 1) {
      return absl::InvalidArgumentError(absl::StrCat("ksize: expected values above 0, got ", DimsToString(ksize)));
    }
  }
  PoolSpec spec;
  const int channel = state.format == "NCHW" ? 1 : 3;
  if (ksize[0] != 1) return absl::UnimplementedError(absl::StrCat("ksize: expected 1 for batch, got ", ksize[0]));
  spec.channels = ksize[channel];
  Dims spatial_strides(strides.begin(), strides.end());
  if (spec.across_channels()) {
    if (strides[channel] != spec.channels) {
      return absl::UnimplementedError(absl::StrCat("stride over channels: expected the window's ", spec.channels,
                                                   ", got ", strides[channel]));
    }
    spatial_strides[channel] = 1;
  }
  ASSIGN_OR_RETURN(spec.window, MakeWindowAttrs(spatial_strides, state.padding, state.explicit_paddings, state.format,
                                                {1, 1, 1, 1}));
  spec.height = ksize[spec.window.spatial_dim(0)];
  spec.width = ksize[spec.window.spatial_dim(1)];
  if (spec.across_channels() && (spec.height != 1 || spec.width != 1)) {
    return absl::UnimplementedError(
        absl::StrCat("ksize: expected a window over channels or over space, got ", DimsToString(ksize)));
  }
  for (int i = 0; i < 2; ++i) {
    const int64_t size = i == 0 ? spec.height : spec.width;
    const int64_t padding = std::max(spec.window.pad_before[i], spec.window.pad_after[i]);
    if (padding >= size) {
      return absl::InvalidArgumentError(
          absl::StrCat("explicit_paddings: expected less than the window's ", size, ", got ", padding));
    }
  }
  return spec;
}

struct PoolPlan {
  PoolShape shape;
  Dims output;  // as data_format orders it
};

// Dimensions may be -1 (unknown), so that shape functions and kernels judge alike.
absl::StatusOr<PoolPlan> PlanPool(const PoolSpec& spec, absl::Span<const int64_t> input, const char* what = "input") {
  if (input.size() != 4) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": expected 4 dimensions, got shape ", DimsToString(input)));
  }
  const WindowAttrs& window = spec.window;
  PoolPlan plan;
  plan.shape.batch = input[0];
  plan.shape.channels = input[window.channel_dim()];
  int64_t channels = plan.shape.channels;
  if (spec.across_channels() && channels >= 0) {
    if (channels % spec.channels != 0) {
      return absl::UnimplementedError(
          absl::StrCat("channels: expected a multiple of the window's ", spec.channels, ", got ", channels));
    }
    channels /= spec.channels;
  }
  ASSIGN_OR_RETURN(plan.shape.height, MakeWindow(window, 0, input[window.spatial_dim(0)], spec.height));
  ASSIGN_OR_RETURN(plan.shape.width, MakeWindow(window, 1, input[window.spatial_dim(1)], spec.width));
  plan.output.assign(4, plan.shape.batch);
  plan.output[window.channel_dim()] = channels;
  plan.output[window.spatial_dim(0)] = plan.shape.height.output;
  plan.output[window.spatial_dim(1)] = plan.shape.width.output;
  return plan;
}

// The spec of a call; inputs `first` and `first + 1` are window and strides, if there are as many.
absl::StatusOr<PoolSpec> SpecOf(const KernelCall& c, int first) {
  const auto& state = c.state<PoolState>();
  if (c.num_inputs() <= first) return state.spec;
  ASSIGN_OR_RETURN(const Dims ksize, ReadIntVector(c.input(first), "ksize"));
  ASSIGN_OR_RETURN(const Dims strides, ReadIntVector(c.input(first + 1), "strides"));
  return MakeSpec(state, ksize, strides);
}

absl::Status RefuseChannelWindow(const PoolSpec& spec) {
  if (!spec.across_channels()) return absl::OkStatus();
  return absl::UnimplementedError("ksize: expected 1 for channels, got more");
}

absl::Status CheckShape(const Tensor& t, absl::Span<const int64_t> dims, const char* what) {
  if (t.dims() == dims) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected shape ", DimsToString(dims), ", got ", t.ShapeString()));
}

template <typename T>
absl::StatusOr<Tensor> Images(const Tensor& t, const PoolSpec& spec) {
  return ChannelsLast<T, T>(t, spec.window.channels_first);
}

// Channel windows are those of an image of one channel whose columns are channels.
PoolShape AcrossChannels(const PoolShape& s, int64_t size) {
  const int64_t columns = s.channels;
  PoolShape shape{.batch = s.batch * s.height.input * s.width.input, .channels = 1, .height = {}, .width = {}};
  shape.height = Window{.input = 1, .output = 1};
  shape.width = Window{.input = columns, .output = columns / size, .size = size, .stride = size};
  return shape;
}

template <typename T>
absl::Status MaxPoolKernel(KernelCall& c) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const PoolSpec spec, SpecOf(c, 1));
  ASSIGN_OR_RETURN(const PoolPlan plan, PlanPool(spec, input.dims()));
  ASSIGN_OR_RETURN(const Shape output, Shape::Make(plan.output));
  if (output.num_elements() == 0) return SetZeros(c, 0, kDTypeOf<T>, output);
  const PoolShape shape = spec.across_channels() ? AcrossChannels(plan.shape, spec.channels) : plan.shape;
  ASSIGN_OR_RETURN(const Tensor images, Images<T>(input, spec));
  return ComputeImages<T, T>(c, 0, output.dims(), spec.window.channels_first, [&](T* out) {
    MaxPool(c, shape, images.data<T>(), out);
    return absl::OkStatus();
  });
}

template <typename T>
absl::Status AvgPoolKernel(KernelCall& c) {
  const Tensor& input = c.input(0);
  const PoolSpec& spec = c.state<PoolState>().spec;
  RETURN_IF_ERROR(RefuseChannelWindow(spec));
  ASSIGN_OR_RETURN(const PoolPlan plan, PlanPool(spec, input.dims()));
  ASSIGN_OR_RETURN(const Shape output, Shape::Make(plan.output));
  if (output.num_elements() == 0) return SetZeros(c, 0, kDTypeOf<T>, output);
  ASSIGN_OR_RETURN(const Tensor images, Images<T>(input, spec));
  return ComputeImages<T, T>(c, 0, output.dims(), spec.window.channels_first, [&](T* out) {
    AvgPool(c, plan.shape, images.data<T>(), out);
    return absl::OkStatus();
  });
}

template <typename T>
absl::Status MaxPoolGradKernel(KernelCall& c) {
  const Tensor &input = c.input(0), &grad = c.input(2);
  ASSIGN_OR_RETURN(const PoolSpec spec, SpecOf(c, 3));
  RETURN_IF_ERROR(RefuseChannelWindow(spec));
  ASSIGN_OR_RETURN(const PoolPlan plan, PlanPool(spec, input.dims(), "orig_input"));
  RETURN_IF_ERROR(CheckShape(c.input(1), plan.output, "orig_output"));
  RETURN_IF_ERROR(CheckShape(grad, plan.output, "grad"));
  if (input.num_elements() == 0) return SetZeros(c, 0, kDTypeOf<T>, input.shape());
  ASSIGN_OR_RETURN(const Tensor images, Images<T>(input, spec));
  ASSIGN_OR_RETURN(const Tensor grads, Images<T>(grad, spec));
  return ComputeImages<T, T>(c, 0, input.dims(), spec.window.channels_first, [&](T* out) {
    MaxPoolGrad(c, plan.shape, images.data<T>(), grads.data<T>(), out);
    return absl::OkStatus();
  });
}

// The chain of MaxPoolGrad, ReluGrad and BiasAddGrad in float, channels last: orig_input, orig_output, grad, and the Relu's
// features -> the gradients of what went into the Relu, and their sum for each channel. Image by image.
absl::Status MaxPoolReluBiasGrad(KernelCall& c) {
  const Tensor &input = c.input(0), &grad = c.input(2), &features = c.input(3);
  const PoolSpec& spec = c.state<PoolState>().spec;
  RETURN_IF_ERROR(RefuseChannelWindow(spec));
  ASSIGN_OR_RETURN(const PoolPlan plan, PlanPool(spec, input.dims(), "orig_input"));
  RETURN_IF_ERROR(CheckShape(c.input(1), plan.output, "orig_output"));
  RETURN_IF_ERROR(CheckShape(grad, plan.output, "grad"));
  RETURN_IF_ERROR(CheckShape(features, input.dims(), "features"));
  const PoolShape& s = plan.shape;
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, DType::kFloat32, input.shape()));
  ASSIGN_OR_RETURN(Tensor* sum, c.AllocateOutput(1, DType::kFloat32, {s.channels}));
  std::fill_n(sum->mutable_data<float>(), s.channels, 0.0f);
  if (input.num_elements() == 0) return absl::OkStatus();
  std::vector<double> sums(s.batch * s.channels);
  const ChannelShape pixels{.outer = s.height.input * s.width.input, .channels = s.channels};
  MaxPoolGrad<float>(c, s, input.data<float>(), grad.data<float>(), output->mutable_data<float>(),
                     [&](int64_t image, float* gradients) {
                       const float* from = features.data<float>() + image * s.input_image();
                       ActivateGrad<float>(Activation::kRelu, gradients, from, gradients, s.input_image(), 0);
                       AddSums(pixels, {0, pixels.outer}, gradients, sums.data() + image * s.channels);
                     });
  for (int64_t i = 0; i < s.channels; ++i) {
    double total = 0;
    for (int64_t b = 0; b < s.batch; ++b) total += sums[b * s.channels + i];
    sum->mutable_data<float>()[i] = static_cast<float>(total);
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status MaxPoolGradGradKernel(KernelCall& c) {
  const Tensor &input = c.input(0), &grad = c.input(2);
  ASSIGN_OR_RETURN(const PoolSpec spec, SpecOf(c, 3));
  RETURN_IF_ERROR(RefuseChannelWindow(spec));
  ASSIGN_OR_RETURN(const PoolPlan plan, PlanPool(spec, input.dims(), "orig_input"));
  RETURN_IF_ERROR(CheckShape(c.input(1), plan.output, "orig_output"));
  RETURN_IF_ERROR(CheckShape(grad, input.dims(), "grad"));
  ASSIGN_OR_RETURN(const Shape output, Shape::Make(plan.output));
  if (output.num_elements() == 0) return SetZeros(c, 0, kDTypeOf<T>, output);
  ASSIGN_OR_RETURN(const Tensor images, Images<T>(input, spec));
  ASSIGN_OR_RETURN(const Tensor grads, Images<T>(grad, spec));
  return ComputeImages<T, T>(c, 0, output.dims(), spec.window.channels_first, [&](T* out) {
    const PoolShape& s = plan.shape;
    const T* from = grads.data<T>();
    VisitLargest(c, s, images.data<T>(), [&](int64_t image, int64_t pixel, int64_t channel, int64_t where) {
      out[image * s.output_image() + pixel * s.channels + channel] = from[image * s.input_image() + where];
    });
    return absl::OkStatus();
  });
}

template <typename T, typename Index>
absl::Status MaxPoolWithArgmaxKernel(KernelCall& c) {
  const Tensor& input = c.input(0);
  const auto& state = c.state<PoolState>();
  RETURN_IF_ERROR(RefuseChannelWindow(state.spec));
  ASSIGN_OR_RETURN(const PoolPlan plan, PlanPool(state.spec, input.dims()));
  ASSIGN_OR_RETURN(Tensor* values, c.AllocateOutput(0, kDTypeOf<T>, plan.output));
  ASSIGN_OR_RETURN(Tensor* argmax, c.AllocateOutput(1, kDTypeOf<Index>, plan.output));
  if (values->num_elements() == 0) return absl::OkStatus();
  const PoolShape& s = plan.shape;
  const T* from = input.data<T>();
  T* largest = values->mutable_data<T>();
  Index* index = argmax->mutable_data<Index>();
  VisitLargest(c, s, from, [&](int64_t image, int64_t pixel, int64_t channel, int64_t where) {
    const int64_t to = image * s.output_image() + pixel * s.channels + channel, base = image * s.input_image();
    largest[to] = from[base + where];
    index[to] = static_cast<Index>(state.batch_in_argmax ? base + where : where);
  });
  return absl::OkStatus();
}

// The places in `argmax`, [batch, ..], are inside the images that they belong to.
template <typename Index>
absl::Status CheckArgmax(const PoolState& state, const PoolShape& s, const Tensor& argmax) {
  const Index* where = argmax.data<Index>();
  for (int64_t i = 0; i < argmax.num_elements(); ++i) {
    const int64_t first = state.batch_in_argmax ? i / s.output_image() * s.input_image() : 0;
    if (where[i] < first || where[i] >= first + s.input_image()) {
      return absl::InvalidArgumentError(absl::StrCat("argmax", ElementName(i, argmax.dims()), ": expected a value in [",
                                                     first, ",", first + s.input_image(), "), got ", where[i]));
    }
  }
  return absl::OkStatus();
}

// Back: from the outputs to the inputs, else the other way.
template <typename T, typename Index, bool kBack>
absl::Status ByArgmaxKernel(KernelCall& c) {
  const auto& state = c.state<PoolState>();
  const Tensor &input = c.input(0), &grad = c.input(1), &argmax = c.input(2);
  RETURN_IF_ERROR(RefuseChannelWindow(state.spec));
  ASSIGN_OR_RETURN(const PoolPlan plan, PlanPool(state.spec, input.dims()));
  ASSIGN_OR_RETURN(const Shape pooled, Shape::Make(plan.output));
  RETURN_IF_ERROR(CheckShape(grad, kBack ? pooled.dims() : input.dims(), "grad"));
  RETURN_IF_ERROR(CheckShape(argmax, pooled.dims(), "argmax"));
  RETURN_IF_ERROR(CheckArgmax<Index>(state, plan.shape, argmax));
  ASSIGN_OR_RETURN(c.output(0), Tensor::Zeros(kDTypeOf<T>, kBack ? input.shape() : pooled));
  if (pooled.num_elements() == 0) return absl::OkStatus();
  const PoolShape& s = plan.shape;
  const Index* where = argmax.data<Index>();
  const T* from = grad.data<T>();
  T* to = c.output(0).mutable_data<T>();
  c.ParallelFor(s.batch, 3 * static_cast<double>(s.output_image()), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * s.output_image(); i < end * s.output_image(); ++i) {
      const int64_t base = state.batch_in_argmax ? 0 : i / s.output_image() * s.input_image();
      if constexpr (kBack) {
        T& sum = to[base + where[i]];
        sum = static_cast<T>(combine::Sum::Apply<combine::Wide<T>>(sum, from[i]));
      } else {
        to[i] = from[base + where[i]];
      }
    }
  });
  return absl::OkStatus();
}

template <typename T>
absl::Status AvgPoolGradKernel(KernelCall& c) {
  const PoolSpec& spec = c.state<PoolState>().spec;
  const Tensor& grad = c.input(1);
  RETURN_IF_ERROR(RefuseChannelWindow(spec));
  ASSIGN_OR_RETURN(const Dims sizes, ReadIntVector(c.input(0), "orig_input_shape"));
  ASSIGN_OR_RETURN(const Shape input, Shape::Make(sizes));
  ASSIGN_OR_RETURN(const PoolPlan plan, PlanPool(spec, input.dims(), "orig_input_shape"));
  RETURN_IF_ERROR(CheckShape(grad, plan.output, "grad"));
  if (input.num_elements() == 0) return SetZeros(c, 0, kDTypeOf<T>, input);
  using Sum = std::conditional_t<kIsSmallFloat<T>, float, T>;
  ASSIGN_OR_RETURN(const Tensor grads, Images<T>(grad, spec));
  return ComputeImages<T, Sum>(c, 0, input.dims(), spec.window.channels_first, [&](Sum* out) {
    const PoolShape& s = plan.shape;
    std::fill(out, out + input.num_elements(), Sum(0));
    const double cost = 2 * s.window_cost() * static_cast<double>(s.output_pixels());
    c.ParallelFor(s.batch, cost, [&](int64_t begin, int64_t end) {
      std::vector<int64_t> offsets;
      for (int64_t b = begin; b < end; ++b) {
        const T* from = grads.data<T>() + b * s.output_image();
        for (int64_t p = 0; p < s.output_pixels(); ++p, from += s.channels) {
          PixelsInWindow(s, p, offsets);
          const Sum share = Sum(1) / static_cast<Sum>(offsets.size());
          for (const int64_t offset : offsets) {
            Sum* to = out + b * s.input_image() + offset;
            for (int64_t i = 0; i < s.channels; ++i) to[i] += static_cast<Sum>(from[i]) * share;
          }
        }
      }
    });
    return absl::OkStatus();
  });
}

// ---- Schemas

absl::StatusOr<PoolState> DecodeState(const auto& node) {
  PoolState state;
  ASSIGN_OR_RETURN(state.padding, node.Str("padding"));
  state.format = "NHWC";
  if (node.schema().FindAttr("data_format") != nullptr) {
    ASSIGN_OR_RETURN(state.format, node.Str("data_format"));
  }
  if (node.schema().FindAttr("explicit_paddings") != nullptr) {
    ASSIGN_OR_RETURN(state.explicit_paddings, node.Ints("explicit_paddings"));
  }
  if (node.schema().FindAttr("include_batch_in_index") != nullptr) {
    ASSIGN_OR_RETURN(state.batch_in_argmax, node.Bool("include_batch_in_index"));
  }
  if (node.schema().FindAttr("ksize") != nullptr) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> ksize, node.Ints("ksize"));
    ASSIGN_OR_RETURN(const std::vector<int64_t> strides, node.Ints("strides"));
    ASSIGN_OR_RETURN(state.spec, MakeSpec(state, ksize, strides));
  }
  return state;
}

template <typename T>
struct MaxOp {
  static absl::Status Run(KernelCall& c) { return MaxPoolKernel<T>(c); }
};
template <typename T>
struct MaxGradOp {
  static absl::Status Run(KernelCall& c) { return MaxPoolGradKernel<T>(c); }
};
template <typename T>
struct MaxGradGradOp {
  static absl::Status Run(KernelCall& c) { return MaxPoolGradGradKernel<T>(c); }
};
template <typename T>
struct ArgmaxOp {
  static absl::Status Run(KernelCall& c) { return MaxPoolWithArgmaxKernel<T, int64_t>(c); }
};
template <typename T>
struct NarrowArgmaxOp {
  static absl::Status Run(KernelCall& c) { return MaxPoolWithArgmaxKernel<T, int32_t>(c); }
};
template <typename Index, bool kBack>
struct ByArgmax {
  template <typename T>
  struct Op {
    static absl::Status Run(KernelCall& c) { return ByArgmaxKernel<T, Index, kBack>(c); }
  };
};
template <typename T>
struct AvgOp {
  static absl::Status Run(KernelCall& c) { return AvgPoolKernel<T>(c); }
};
template <typename T>
struct AvgGradOp {
  static absl::Status Run(KernelCall& c) { return AvgPoolGradKernel<T>(c); }
};

template <template <typename> class Op, DTypeSet kTypes>
absl::StatusOr<Kernel> PoolKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const PoolState state, DecodeState(node));
  const KernelFn fn = DispatchDType<kTypes>(node.output_dtype(0), KernelFn{},
                                            []<typename T>() -> KernelFn { return &RunKernel<Op<T>::Run>; });
  if (fn == nullptr) return NoKernelFor(node, node.output_dtype(0));
  return Kernel{.fn = fn, .state = std::make_shared<PoolState>(state)};
}

absl::StatusOr<Kernel> MaxPoolGradOrChainKernel(const NodeInfo& node) {
  if (!IsChainOf(node, {"MaxPoolGrad", "ReluGrad", "BiasAddGrad"})) return PoolKernel<MaxGradOp, kRealTypes>(node);
  ASSIGN_OR_RETURN(const PoolState state, DecodeState(node));
  if (node.num_inputs() != 4 || node.output_dtype(0) != DType::kFloat32 || state.spec.window.channels_first) {
    return absl::UnimplementedError("chain: expected float and channels last");
  }
  return Kernel{.fn = &RunKernel<MaxPoolReluBiasGrad>, .state = std::make_shared<PoolState>(state)};
}

absl::StatusOr<Kernel> ArgmaxKernel(const NodeInfo& node) {
  if (node.output_dtype(1) == DType::kInt64) return PoolKernel<ArgmaxOp, kRealTypes>(node);
  return PoolKernel<NarrowArgmaxOp, kRealTypes>(node);
}

template <bool kBack>
absl::StatusOr<Kernel> ByArgmaxFactory(const NodeInfo& node) {
  if (node.input_dtype(2) == DType::kInt64) return PoolKernel<ByArgmax<int64_t, kBack>::template Op, kRealTypes>(node);
  return PoolKernel<ByArgmax<int32_t, kBack>::template Op, kRealTypes>(node);
}

// The spec of a node whose window and strides are known, by attributes or as constant inputs `first`, `first + 1`.
absl::StatusOr<std::optional<PoolSpec>> KnownSpec(const ShapeContext& c, int first) {
  ASSIGN_OR_RETURN(const PoolState state, DecodeState(c));
  if (c.num_inputs() <= first) return std::optional<PoolSpec>(state.spec);
  ASSIGN_OR_RETURN(const std::optional<Dims> ksize, c.ConstantInts(first));
  ASSIGN_OR_RETURN(const std::optional<Dims> strides, c.ConstantInts(first + 1));
  if (!ksize.has_value() || !strides.has_value()) return std::optional<PoolSpec>();
  ASSIGN_OR_RETURN(PoolSpec spec, MakeSpec(state, *ksize, *strides));
  return std::optional<PoolSpec>(std::move(spec));
}

// Outputs have the shape of a pooled input 0; `first` as for KnownSpec.
template <int kFirst>
absl::Status PooledShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  ASSIGN_OR_RETURN(const std::optional<PoolSpec> spec, KnownSpec(c, kFirst));
  PartialShape output = PartialShape::UnknownOfRank(4);
  if (spec.has_value()) {
    ASSIGN_OR_RETURN(const PoolPlan plan, PlanPool(*spec, input.dims()));
    ASSIGN_OR_RETURN(output, PartialShape::Make(plan.output));
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.SetOutput(i, output);
  return absl::OkStatus();
}

absl::Status MaxPoolGradShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape input, c.WithRank(0, 4));
  RETURN_IF_ERROR(c.WithRank(1, 4).status());
  RETURN_IF_ERROR(c.WithRank(2, 4).status());
  RETURN_IF_ERROR(KnownSpec(c, 3).status());
  c.SetOutput(0, std::move(input));
  return absl::OkStatus();
}

absl::Status ArgmaxGradShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape input, c.WithRank(0, 4));
  RETURN_IF_ERROR(DecodeState(c).status());
  c.SetOutput(0, std::move(input));
  return absl::OkStatus();
}

absl::Status AvgPoolGradShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.WithRank(1, 4).status());
  RETURN_IF_ERROR(DecodeState(c).status());
  ASSIGN_OR_RETURN(PartialShape input, c.InputAsShape(0));
  if (!input.has_rank()) input = PartialShape::UnknownOfRank(4);
  if (input.rank() != 4) {
    return absl::InvalidArgumentError(absl::StrCat("orig_input_shape: expected 4 values, got ", input.rank()));
  }
  c.SetOutput(0, std::move(input));
  return absl::OkStatus();
}

// ---- Gradients

std::vector<AttrMap::Entry> PoolAttrs(GradContext& c) {
  return c.CopyAttrs({"ksize", "strides", "padding", "explicit_paddings", "data_format"});
}

absl::Status MaxPoolGradient(GradContext& c) {
  c.Set(0, c.Op("MaxPoolGrad", {c.input(0), c.output(0), c.grad()}, PoolAttrs(c)));
  return absl::OkStatus();
}

absl::Status MaxPoolWithArgmaxGradient(GradContext& c) {
  c.Set(0, c.Op("MaxPoolGradWithArgmax", {c.input(0), c.grad(), c.output(1)},
                c.CopyAttrs({"ksize", "strides", "padding", "include_batch_in_index"})));
  return absl::OkStatus();
}

absl::Status MaxPoolV2Gradient(GradContext& c) {
  c.Set(0, c.Op("MaxPoolGradV2", {c.input(0), c.output(0), c.grad(), c.input(1), c.input(2)}, PoolAttrs(c)));
  return absl::OkStatus();
}

// Gradient of an op (input, output, grad, ..) that is linear in grad: `kOther` is its transpose. Where the largest
// value stands does not change with small changes of the input.
template <const char* kOther>
absl::Status MaxPoolTransposed(GradContext& c) {
  for (const int i : {0, 1}) {
    if (c.needs(i)) c.Set(i, ZerosLikeInput(c, i));
  }
  if (!c.needs(2)) return absl::OkStatus();
  std::vector<Input> inputs{c.input(0), c.input(1), c.grad()};
  for (int i = 3; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
  std::vector<AttrMap::Entry> attrs = c.CopyAttrs({"ksize", "strides", "padding", "data_format"});
  c.Set(2, c.Op(kOther, inputs, attrs));
  return absl::OkStatus();
}
constexpr char kMaxPoolGrad[] = "MaxPoolGrad";
constexpr char kMaxPoolGradV2[] = "MaxPoolGradV2";
constexpr char kMaxPoolGradGrad[] = "MaxPoolGradGrad";
constexpr char kMaxPoolGradGradV2[] = "MaxPoolGradGradV2";

absl::Status AvgPoolGradient(GradContext& c) {
  c.Set(0, c.Op("AvgPoolGrad", {c.ShapeOfInput(0), c.grad()}, PoolAttrs(c)));
  return absl::OkStatus();
}

absl::Status AvgPoolGradGradient(GradContext& c) {
  c.Set(1, c.Op("AvgPool", {c.grad()}, PoolAttrs(c)));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterPoolOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "MaxPool(input: T) -> (output: T); T: {float16, bfloat16, float32, float64, int32, int64, uint8, "
                   "int16, int8, uint16, qint8} = float32; ksize: list(int) >= 4; strides: list(int) >= 4; padding: "
                   "{\"SAME\", \"VALID\", \"EXPLICIT\"}; explicit_paddings: list(int) = []; data_format: {\"NHWC\", "
                   "\"NCHW\", \"NCHW_VECT_C\"} = \"NHWC\"",
      .doc = "The largest element of each window",
      .shape = PooledShape<1>,
      .kernel = PoolKernel<MaxOp, kRealTypes>,
      .dtypes = kRealTypes,
      .gradient = MaxPoolGradient,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "MaxPoolV2(input: T, ksize: int32, strides: int32) -> (output: T); T: {float16, bfloat16, float32, "
          "float64, int32, int64, uint8, int16, int8, uint16, qint8} = float32; padding: {\"SAME\", \"VALID\"}; "
          "data_format: {\"NHWC\", \"NCHW\", \"NCHW_VECT_C\"} = \"NHWC\"",
      .doc = "The largest element of each window, whose size is an input",
      .shape = PooledShape<1>,
      .kernel = PoolKernel<MaxOp, kRealTypes>,
      .dtypes = kRealTypes,
      .gradient = MaxPoolV2Gradient,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "MaxPoolGrad(orig_input: T, orig_output: T, grad: T) -> (output: T); ksize: list(int) >= 4; strides: "
          "list(int) >= 4; padding: {\"SAME\", \"VALID\", \"EXPLICIT\"}; explicit_paddings: list(int) = []; "
          "data_format: {\"NHWC\", \"NCHW\"} = \"NHWC\"; T: {float32, float64, int32, uint8, int16, int8, int64, "
          "bfloat16, uint16, float16, uint32, uint64} = float32",
      .doc = "The gradient of MaxPool: each goes to the first largest element of its window",
      .shape = MaxPoolGradShape,
      .kernel = MaxPoolGradOrChainKernel,
      .dtypes = kRealTypes,
      .gradient = MaxPoolTransposed<kMaxPoolGradGrad>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "MaxPoolGradV2(orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32) -> (output: T); "
          "padding: {\"SAME\", \"VALID\"}; data_format: {\"NHWC\", \"NCHW\"} = \"NHWC\"; T: {float32, float64, "
          "int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64} = float32",
      .doc = "The gradient of MaxPoolV2",
      .shape = MaxPoolGradShape,
      .kernel = PoolKernel<MaxGradOp, kRealTypes>,
      .dtypes = kRealTypes,
      .gradient = MaxPoolTransposed<kMaxPoolGradGradV2>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "MaxPoolGradGrad(orig_input: T, orig_output: T, grad: T) -> (output: T); ksize: list(int) >= 4; "
          "strides: list(int) >= 4; padding: {\"SAME\", \"VALID\"}; data_format: {\"NHWC\", \"NCHW\"} = "
          "\"NHWC\"; T: {float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, "
          "uint64}",
      .doc = "The gradient of MaxPoolGrad with respect to its gradient",
      .shape = PooledShape<3>,
      .kernel = PoolKernel<MaxGradGradOp, kRealTypes>,
      .dtypes = kRealTypes,
      .gradient = MaxPoolTransposed<kMaxPoolGrad>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "MaxPoolGradGradV2(orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32) -> (output: "
          "T); padding: {\"SAME\", \"VALID\"}; data_format: {\"NHWC\", \"NCHW\"} = \"NHWC\"; T: {float32, "
          "float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64}",
      .doc = "The gradient of MaxPoolGradV2 with respect to its gradient",
      .shape = PooledShape<3>,
      .kernel = PoolKernel<MaxGradGradOp, kRealTypes>,
      .dtypes = kRealTypes,
      .gradient = MaxPoolTransposed<kMaxPoolGradV2>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "MaxPoolWithArgmax(input: T) -> (output: T, argmax: Targmax); ksize: list(int) >= 4; strides: "
                   "list(int) >= 4; Targmax: {int32, int64} = int64; padding: {\"SAME\", \"VALID\"}; "
                   "include_batch_in_index: bool = false; T: {float32, float64, int32, uint8, int16, int8, int64, "
                   "bfloat16, uint16, float16, uint32, uint64}",
      .doc = "The largest element of each window, and where it was",
      .shape = PooledShape<1>,
      .kernel = ArgmaxKernel,
      .dtypes = kRealTypes,
      .gradient = MaxPoolWithArgmaxGradient,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = TensorFlowSignature("MaxPoolGradWithArgmax"),
      .doc = "The gradient of MaxPoolWithArgmax's input",
      .shape = ArgmaxGradShape,
      .kernel = ByArgmaxFactory<true>,
      .dtypes = kRealTypes,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = TensorFlowSignature("MaxPoolGradGradWithArgmax"),
      .doc = "The gradient of MaxPoolGradWithArgmax with respect to its gradient",
      .shape = PooledShape<3>,
      .kernel = ByArgmaxFactory<false>,
      .dtypes = kRealTypes,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "AvgPool(value: T) -> (output: T); ksize: list(int) >= 4; strides: list(int) >= 4; padding: {\"SAME\", "
          "\"VALID\"}; data_format: {\"NHWC\", \"NCHW\"} = \"NHWC\"; T: {float16, bfloat16, float32, float64}",
      .doc = "The mean of each window, without padding",
      .shape = PooledShape<1>,
      .kernel = PoolKernel<AvgOp, kFloatTypes>,
      .dtypes = kFloatTypes,
      .gradient = AvgPoolGradient,
  }));
  return library.Add({
      .signature = "AvgPoolGrad(orig_input_shape: int32, grad: T) -> (output: T); ksize: list(int) >= 4; strides: "
                   "list(int) >= 4; padding: {\"SAME\", \"VALID\"}; data_format: {\"NHWC\", \"NCHW\"} = \"NHWC\"; T: "
                   "{float16, bfloat16, float32, float64}",
      .doc = "The gradient of AvgPool: each is shared by the elements of its window",
      .shape = AvgPoolGradShape,
      .kernel = PoolKernel<AvgGradOp, kFloatTypes>,
      .dtypes = kFloatTypes,
      .gradient = AvgPoolGradGradient,
  });
}

}  // namespace flowlatch
