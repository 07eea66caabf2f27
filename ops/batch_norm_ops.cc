// Batch normalisation: y = (x - mean) / sqrt(variance + epsilon) * scale + offset, channel by channel.
//   FusedBatchNorm(V2, V3): x [batch, .., channels] or [batch, channels, ..] of 4 dimensions (V3: or 5); scale, offset,
//     mean, variance [channels] -> y, batch_mean, batch_variance, and what the gradient needs (reserve_space_*).
//     In training, mean and variance are those of the batch; the outputs batch_mean and batch_variance (with Bessel's
//     correction) move the inputs mean and variance by exponential_avg_factor, and with factor 1 do not read them.
//     In inference, mean and variance are inputs and are passed on.
//   FusedBatchNormGrad(V2, V3): y_backprop, x, scale, and the mean and variance of the forward op (its reserve spaces) ->
//     gradients of x, scale and offset. Two more outputs are empty.
// x: half, bfloat16, float; everything else float. Sums add in double. An x without elements has NaN as batch mean.
#include "ops/batch_norm_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/build/gradients.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/activations.h"
#include "ops/kernels/channelwise.h"
#include "ops/kernels/images.h"
#include "ops/kernels/parallel.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/plan/chain.h"

namespace flowlatch {
namespace {

struct BatchNormState final : KernelState {
  float epsilon = 0;
  float average_factor = 1;
  bool training = true;
  bool channels_first = false;
  int max_rank = 4;
};

constexpr DTypeSet kTypes{DType::kFloat16, DType::kBFloat16, DType::kFloat32};

absl::Status CheckRank(const PartialShape& x, int max_rank, absl::string_view what) {
  if (!x.has_rank() || (x.rank() >= 4 && x.rank() <= max_rank)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected 4", max_rank == 5 ? " or 5" : "",
                                                 " dimensions, got shape ", x.ToString()));
}

absl::StatusOr<ChannelShape> ChannelsOf(const Tensor& x, const BatchNormState& state) {
  RETURN_IF_ERROR(CheckRank(x.shape(), state.max_rank, "x"));
  const int dim = state.channels_first ? 1 : x.rank() - 1;
  ChannelShape shape{.outer = 1, .channels = x.dim(dim), .inner = 1};
  for (int i = 0; i < dim; ++i) shape.outer *= x.dim(i);
  for (int i = dim + 1; i < x.rank(); ++i) shape.inner *= x.dim(i);
  return shape;
}

absl::Status CheckPerChannel(const Tensor& t, const char* what, int64_t channels) {
  if (t.rank() == 1 && t.dim(0) == channels) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected shape [", channels, "], got ", t.ShapeString()));
}

// A float vector output of [channels], filled with `value`.
absl::StatusOr<float*> PerChannelOutput(KernelCall& c, int i, int64_t channels, float value) {
  ASSIGN_OR_RETURN(Tensor* t, c.AllocateOutput(i, DType::kFloat32, {channels}));
  float* data = t->mutable_data<float>();
  std::fill(data, data + channels, value);
  return data;
}

struct Moments {
  std::vector<float> mean, variance;
};

// Of a batch with elements, in one pass when channels are last: the squares of each block are those of differences from the
// block's own mean, and afterwards move to the mean of all.
Moments MomentsOf(const KernelCall& c, const ChannelShape& shape, const float* x) {
  const int64_t channels = shape.channels;
  const double n = static_cast<double>(shape.per_channel());
  Moments m{std::vector<float>(channels), std::vector<float>(channels)};
  if (shape.inner > 1) {
    std::vector<double> sums(channels);
    SumPerChannel(c, shape, sums, [&](Units units, double* s) { AddSums(shape, units, x, s); });
    for (int64_t i = 0; i < channels; ++i) m.mean[i] = static_cast<float>(sums[i] / n);
    SumPerChannel(c, shape, sums,
                  [&](Units units, double* s) { AddSquaredDifferences(shape, units, x, m.mean.data(), s); });
    for (int64_t i = 0; i < channels; ++i) m.variance[i] = static_cast<float>(sums[i] / n);
    return m;
  }
  const int64_t width = 2 * channels;
  const auto mean_of_block = [](double sum, int64_t rows) { return static_cast<float>(sum / static_cast<double>(rows)); };
  const std::vector<double> blocks = SumBlocks(c, shape, width, [&](Units units, double* s) {
    AddSums(shape, units, x, s);
    std::vector<float> means(channels);
    for (int64_t i = 0; i < channels; ++i) means[i] = mean_of_block(s[i], units.end - units.begin);
    AddSquaredDifferences(shape, units, x, means.data(), s + channels);
  });
  for (int64_t i = 0; i < channels; ++i) {
    double sum = 0, squares = 0;
    for (size_t b = 0; b < blocks.size(); b += width) sum += blocks[b + i];
    const double mean = sum / n;
    int64_t row = 0;
    for (size_t b = 0; b < blocks.size(); b += width, row += shape.units_per_block()) {
      const int64_t rows = std::min(shape.units_per_block(), shape.num_units() - row);
      const double of_block = static_cast<double>(mean_of_block(blocks[b + i], rows)), distance = of_block - mean;
      const double rest = blocks[b + i] - static_cast<double>(rows) * of_block;
      squares += blocks[b + channels + i] + distance * (2 * rest + static_cast<double>(rows) * distance);
    }
    m.mean[i] = static_cast<float>(mean);
    m.variance[i] = static_cast<float>(std::max(squares, 0.0) / n);
  }
  return m;
}

std::vector<float> InverseDeviation(const float* variance, int64_t channels, float epsilon) {
  std::vector<float> v(channels);
  for (int64_t i = 0; i < channels; ++i) v[i] = 1.0f / std::sqrt(variance[i] + epsilon);
  return v;
}

// The forward op's outputs beside y.
struct NormOutputs {
  float *batch_mean, *batch_variance, *saved_mean, *saved_variance;
};

// They are outputs `first`, ...
absl::StatusOr<NormOutputs> AllocateNormOutputs(KernelCall& c, int first, int64_t channels) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  NormOutputs out;
  ASSIGN_OR_RETURN(out.batch_mean, PerChannelOutput(c, first, channels, kNan));
  ASSIGN_OR_RETURN(out.batch_variance, PerChannelOutput(c, first + 1, channels, kNan));
  ASSIGN_OR_RETURN(out.saved_mean, PerChannelOutput(c, first + 2, channels, 0));
  ASSIGN_OR_RETURN(out.saved_variance, PerChannelOutput(c, first + 3, channels, 0));
  if (c.num_outputs() == 6) c.output(first + 4).SetScalar(0.0f);
  return out;
}

// Moves the running moments `mean` and `variance` (which factor 1 does not read) towards those of the batch.
void UpdateRunning(const ChannelShape& shape, float factor, const Moments& batch, const float* mean,
                   const float* variance, const NormOutputs& out) {
  const float n = static_cast<float>(shape.per_channel()), correction = n / std::max(n - 1, 1.0f);
  for (int64_t i = 0; i < shape.channels; ++i) {
    out.batch_mean[i] = factor == 1 ? batch.mean[i] : (1 - factor) * mean[i] + factor * batch.mean[i];
    out.batch_variance[i] = factor == 1 ? batch.variance[i] * correction
                                        : (1 - factor) * variance[i] + factor * batch.variance[i] * correction;
  }
}

// kRelu: with the Relu of a chain, whose output comes last.
template <typename T, bool kRelu>
absl::Status BatchNorm(KernelCall& c) {
  constexpr int kFirst = kRelu ? 0 : 1, kY = kRelu ? 5 : 0;
  const auto& state = c.state<BatchNormState>();
  const Tensor &x = c.input(0), &scale = c.input(1), &offset = c.input(2), &mean = c.input(3), &variance = c.input(4);
  ASSIGN_OR_RETURN(const ChannelShape shape, ChannelsOf(x, state));
  RETURN_IF_ERROR(CheckPerChannel(scale, "scale", shape.channels));
  RETURN_IF_ERROR(CheckPerChannel(offset, "offset", shape.channels));
  if (!state.training || state.average_factor != 1) {
    RETURN_IF_ERROR(CheckPerChannel(mean, "mean", shape.channels));
    RETURN_IF_ERROR(CheckPerChannel(variance, "variance", shape.channels));
  }
  ASSIGN_OR_RETURN(const NormOutputs out, AllocateNormOutputs(c, kFirst, shape.channels));
  if (x.num_elements() == 0) return c.AllocateOutput(kY, kDTypeOf<T>, x.shape()).status();

  ASSIGN_OR_RETURN(const Tensor wide, (ConvertedTo<T, float>(x)));
  const float* from = wide.data<float>();
  const float *mean_used, *variance_used;
  if (state.training) {
    const Moments batch = MomentsOf(c, shape, from);
    std::copy(batch.mean.begin(), batch.mean.end(), out.saved_mean);
    std::copy(batch.variance.begin(), batch.variance.end(), out.saved_variance);
    UpdateRunning(shape, state.average_factor, batch, mean.data<float>(), variance.data<float>(), out);
    mean_used = out.saved_mean;
    variance_used = out.saved_variance;
  } else {
    mean_used = mean.data<float>();
    variance_used = variance.data<float>();
    for (float* to : {out.batch_mean, out.saved_mean}) std::copy(mean_used, mean_used + shape.channels, to);
    for (float* to : {out.batch_variance, out.saved_variance}) {
      std::copy(variance_used, variance_used + shape.channels, to);
    }
  }
  std::vector<float> factor = InverseDeviation(variance_used, shape.channels, state.epsilon);
  for (int64_t i = 0; i < shape.channels; ++i) factor[i] *= scale.data<float>()[i];
  const float* shift = offset.data<float>();
  const auto normalize = [&](float* y) {
    MapFromTheEnd(c, shape, [&](Units units) {
      Normalize(shape, units, from, mean_used, factor.data(), shift, y);
      float* const block = y + units.begin * shape.unit_size();
      if (kRelu) Activate<float>(Activation::kRelu, block, block, (units.end - units.begin) * shape.unit_size(), 0);
    });
    return absl::OkStatus();
  };
  if constexpr (std::is_same_v<T, float>) {
    ASSIGN_OR_RETURN(Tensor* y, c.ForwardOrAllocate(kY, 0, DType::kFloat32, x.shape()));
    return normalize(y->mutable_data<float>());
  } else {
    return ComputeImages<T, float>(c, kY, x.dims(), false, normalize);
  }
}

template <typename T>
absl::Status BatchNormGrad(KernelCall& c) {
  const auto& state = c.state<BatchNormState>();
  const Tensor &dy = c.input(0), &x = c.input(1), &scale = c.input(2), &mean = c.input(3), &variance = c.input(4);
  ASSIGN_OR_RETURN(const ChannelShape shape, ChannelsOf(x, state));
  if (dy.dims() != x.dims()) {
    return absl::InvalidArgumentError(
        absl::StrCat("y_backprop: expected the shape of x ", x.ShapeString(), ", got ", dy.ShapeString()));
  }
  RETURN_IF_ERROR(CheckPerChannel(scale, "scale", shape.channels));
  RETURN_IF_ERROR(CheckPerChannel(mean, "reserve_space_1", shape.channels));
  RETURN_IF_ERROR(CheckPerChannel(variance, "reserve_space_2", shape.channels));
  ASSIGN_OR_RETURN(float* scale_grad, PerChannelOutput(c, 1, shape.channels, 0));
  ASSIGN_OR_RETURN(float* offset_grad, PerChannelOutput(c, 2, shape.channels, 0));
  for (const int i : {3, 4}) RETURN_IF_ERROR(c.AllocateOutput(i, DType::kFloat32, {0}).status());
  if (x.num_elements() == 0) return c.AllocateOutput(0, kDTypeOf<T>, x.shape()).status();

  ASSIGN_OR_RETURN(const Tensor wide_x, (ConvertedTo<T, float>(x)));
  ASSIGN_OR_RETURN(const Tensor wide_dy, (ConvertedTo<T, float>(dy)));
  const float *xs = wide_x.data<float>(), *dys = wide_dy.data<float>(), *means = mean.data<float>();
  const std::vector<float> deviation = InverseDeviation(variance.data<float>(), shape.channels, state.epsilon);
  std::vector<double> sums(2 * shape.channels);
  SumPerChannel(c, shape, sums, [&](Units units, double* s) {
    AddSums(shape, units, dys, s);
    AddProducts(shape, units, dys, xs, means, s + shape.channels);
  });
  const double *dy_sums = sums.data(), *products = dy_sums + shape.channels;

  // dx = scale / deviation * (dy - mean of dy - (x - mean) / deviation^2 * mean of dy * (x - mean)); in inference, where
  // mean and variance do not depend on x, only the first term.
  std::vector<float> dy_factor(shape.channels), x_factor(shape.channels), shift(shape.channels);
  const double n = static_cast<double>(shape.per_channel());
  for (int64_t i = 0; i < shape.channels; ++i) {
    const double d = static_cast<double>(deviation[i]), factor = static_cast<double>(scale.data<float>()[i]) * d;
    offset_grad[i] = static_cast<float>(dy_sums[i]);
    scale_grad[i] = static_cast<float>(products[i] * d);
    dy_factor[i] = static_cast<float>(factor);
    x_factor[i] = static_cast<float>(-factor * d * d * products[i] / n);
    shift[i] = static_cast<float>(-factor * dy_sums[i] / n);
  }
  return ComputeImages<T, float>(c, 0, x.dims(), false, [&](float* dx) {
    MapFromTheEnd(c, shape, [&](Units units) {
      if (state.training) {
        NormalizeAndAdd(shape, units, dys, dy_factor.data(), xs, means, x_factor.data(), shift.data(), dx);
      } else {
        Normalize(shape, units, dys, nullptr, dy_factor.data(), nullptr, dx);
      }
    });
    return absl::OkStatus();
  });
}

// ---- Schemas

absl::StatusOr<BatchNormState> DecodeState(const auto& node) {
  BatchNormState state;
  ASSIGN_OR_RETURN(state.epsilon, node.template AttrAs<float>("epsilon"));
  ASSIGN_OR_RETURN(state.training, node.Bool("is_training"));
  ASSIGN_OR_RETURN(const std::string format, node.Str("data_format"));
  state.channels_first = format.rfind("NC", 0) == 0;
  if (node.schema().FindAttr("exponential_avg_factor") != nullptr) {
    ASSIGN_OR_RETURN(state.average_factor, node.template AttrAs<float>("exponential_avg_factor"));
  }
  const std::string& op = node.schema().name();
  state.max_rank = op.size() > 2 && op.substr(op.size() - 2) == "V3" ? 5 : 4;
  return state;
}

template <bool kGrad>
absl::StatusOr<Kernel> BatchNormKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const BatchNormState state, DecodeState(node));
  if (node.output_dtype(1) != DType::kFloat32) return NoKernelFor(node, node.output_dtype(1));
  if (!kGrad && IsChainOf(node, {"FusedBatchNormV3", "Relu"})) {
    if (node.output_dtype(5) != DType::kFloat32) return NoKernelFor(node, node.output_dtype(5));
    return Kernel{.fn = &RunKernel<BatchNorm<float, true>>, .state = std::make_shared<BatchNormState>(state)};
  }
  const KernelFn fn = DispatchDType<kTypes>(node.output_dtype(0), KernelFn{}, []<typename T>() -> KernelFn {
    if constexpr (kGrad) return &RunKernel<BatchNormGrad<T>>;
    else return &RunKernel<BatchNorm<T, false>>;
  });
  if (fn == nullptr) return NoKernelFor(node, node.output_dtype(0));
  return Kernel{.fn = fn, .state = std::make_shared<BatchNormState>(state)};
}

// The channels of x merged with those of per-channel inputs [first, last), which must be vectors.
absl::StatusOr<PartialShape> ChannelVector(const ShapeContext& c, const PartialShape& x, bool channels_first, int first,
                                           int last) {
  PartialShape channels = PartialShape::UnknownOfRank(1);
  if (x.has_rank()) channels = PartialShape::Of({x.dim(channels_first ? 1 : x.rank() - 1)});
  for (int i = first; i < last; ++i) {
    ASSIGN_OR_RETURN(const PartialShape vector, c.WithRank(i, 1));
    ASSIGN_OR_RETURN(channels, channels.MergeWith(vector));
  }
  return channels;
}

// x with its channels known from `channels`.
PartialShape WithChannels(const PartialShape& x, const PartialShape& channels, bool channels_first) {
  if (!x.has_rank()) return x;
  Dims dims(x.dims().begin(), x.dims().end());
  dims[channels_first ? 1 : x.rank() - 1] = channels.dim(0);
  return PartialShape::FromValid(dims);
}

absl::Status BatchNormShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const BatchNormState state, DecodeState(c));
  RETURN_IF_ERROR(CheckRank(c.input(0), state.max_rank, "x"));
  const bool reads_moments = !state.training || state.average_factor != 1;
  ASSIGN_OR_RETURN(const PartialShape channels,
                   ChannelVector(c, c.input(0), state.channels_first, 1, reads_moments ? 5 : 3));
  c.SetOutput(0, WithChannels(c.input(0), channels, state.channels_first));
  for (int i = 1; i < 5; ++i) c.SetOutput(i, channels);
  if (c.num_outputs() == 6) c.SetOutput(5, Shape());
  return absl::OkStatus();
}

absl::Status BatchNormGradShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const BatchNormState state, DecodeState(c));
  ASSIGN_OR_RETURN(const PartialShape x, c.input(0).MergeWith(c.input(1)));
  RETURN_IF_ERROR(CheckRank(x, state.max_rank, "x"));
  ASSIGN_OR_RETURN(const PartialShape channels, ChannelVector(c, x, state.channels_first, 2, 5));
  c.SetOutput(0, WithChannels(x, channels, state.channels_first));
  c.SetOutput(1, channels);
  c.SetOutput(2, channels);
  c.SetOutput(3, PartialShape::Of({0}));
  c.SetOutput(4, PartialShape::Of({0}));
  return absl::OkStatus();
}

// ---- Gradients

absl::Status BatchNormGradient(GradContext& c) {
  const int moments = c.Bool("is_training") ? 3 : 0;  // the batch's own, or those that were given
  const auto moment = [&](int i) { return moments == 3 ? c.output(i) : c.input(i); };
  std::vector<Input> inputs{c.grad(0), c.input(0), c.input(1), moment(3), moment(4)};
  if (c.num_outputs() == 6) inputs.push_back(c.output(5));
  const std::string op = absl::StrCat("FusedBatchNormGrad", absl::StripPrefix(c.op(), "FusedBatchNorm"));
  const Operation grads = c.MultiOp(op, inputs, c.CopyAttrs({"epsilon", "data_format", "is_training"}));
  for (int i = 0; i < 3; ++i) c.Set(i, grads.output(i));
  return absl::OkStatus();
}

// What FusedBatchNormGrad computes, in ops that have gradients: those of x, scale and offset.
Outputs ElementaryGrads(GradContext& c, const Output& y_backprop, const Output& x_input, const Output& scale_input) {
  const std::string& format = c.Str("data_format");
  std::vector<int32_t> axes, per_channel;  // all dimensions but the channels, and the shape of what each channel has
  for (size_t i = 0; i < format.size(); ++i) {
    per_channel.push_back(format[i] == 'C' ? -1 : 1);
    if (format[i] != 'C') axes.push_back(static_cast<int32_t>(i));
  }
  const auto wide = [&](const Output& t) {
    return t.dtype() == DType::kFloat32 ? t : c.Op("Cast", {t}, {{"DstT", DType::kFloat32}});
  };
  const auto channels = [&](const Output& t) { return c.Op("Reshape", {t, per_channel}); };
  const auto mean_of = [&](const Output& t) { return c.Op("Mean", {t, axes}, {{"keep_dims", true}}); };
  const auto sum_of = [&](const Output& t) { return c.Op("Sum", {t, axes}); };

  const bool training = c.Bool("is_training");
  const Output dy = wide(y_backprop), x = wide(x_input), scale = channels(scale_input);
  const Output mean = training ? mean_of(x) : channels(c.input(3));
  const Output centered = x - mean;
  const Output variance = (training ? mean_of(c.Op("Square", {centered})) : channels(c.input(4))) + c.Float("epsilon");
  const Output factor = c.Op("Rsqrt", {variance});
  Output dx = dy;
  if (training) dx = dy - mean_of(dy) - centered * mean_of(dy * centered) / variance;
  dx = dx * (scale * factor);
  if (y_backprop.dtype() != DType::kFloat32) dx = c.Op("Cast", {dx}, {{"DstT", y_backprop.dtype()}});
  return {dx, sum_of(dy * centered * factor), sum_of(dy)};
}

absl::Status BatchNormGradGradient(GradContext& c) {
  const Outputs xs{c.input(0), c.input(1), c.input(2)};
  const Outputs all = ElementaryGrads(c, xs[0], xs[1], xs[2]);
  Outputs ys;
  GradientOptions options{.stop_gradients = xs};
  for (int i = 0; i < 3; ++i) {
    if (!c.has_grad(i)) continue;
    ys.push_back(all[i]);
    options.grad_ys.push_back(c.grad(i));
  }
  const std::vector<Grad> grads = Gradients(c.builder(), ys, xs, options);
  for (int i = 0; i < 3; ++i) {
    if (grads[i].exists()) c.Set(i, grads[i].dense());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterBatchNormOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature =
          "FusedBatchNorm(x: T, scale: T, offset: T, mean: T, variance: T) -> (y: T, batch_mean: T, "
          "batch_variance: T, reserve_space_1: T, reserve_space_2: T); T: {float32}; epsilon: float = 1e-04; "
          "exponential_avg_factor: float = 1.0; data_format: {\"NHWC\", \"NCHW\"} = \"NHWC\"; is_training: bool "
          "= true",
      .doc = "Normalises each channel of a batch of images",
      .shape = BatchNormShape,
      .kernel = BatchNormKernel<false>,
      .dtypes = {DType::kFloat32},
      .gradient = BatchNormGradient,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "FusedBatchNormV2(x: T, scale: U, offset: U, mean: U, variance: U) -> (y: T, batch_mean: U, "
                   "batch_variance: U, reserve_space_1: U, reserve_space_2: U); T: {float16, bfloat16, float32}; U: "
                   "{float32}; epsilon: float = 1e-04; exponential_avg_factor: float = 1.0; data_format: {\"NHWC\", "
                   "\"NCHW\"} = \"NHWC\"; is_training: bool = true",
      .doc = "Normalises each channel of a batch of images, which may be of 16 bits",
      .shape = BatchNormShape,
      .kernel = BatchNormKernel<false>,
      .dtypes = kTypes,
      .gradient = BatchNormGradient,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "FusedBatchNormV3(x: T, scale: U, offset: U, mean: U, variance: U) -> (y: T, batch_mean: U, "
          "batch_variance: U, reserve_space_1: U, reserve_space_2: U, reserve_space_3: U); T: {float16, "
          "bfloat16, float32}; U: {bfloat16, float32}; epsilon: float = 1e-04; exponential_avg_factor: float = "
          "1.0; data_format: {\"NHWC\", \"NCHW\", \"NDHWC\", \"NCDHW\"} = \"NHWC\"; is_training: bool = true",
      .doc = "Normalises each channel of a batch of images or volumes",
      .shape = BatchNormShape,
      .kernel = BatchNormKernel<false>,
      .dtypes = kTypes,
      .gradient = BatchNormGradient,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "FusedBatchNormGrad(y_backprop: T, x: T, scale: T, reserve_space_1: T, reserve_space_2: T) -> "
          "(x_backprop: T, scale_backprop: T, offset_backprop: T, reserve_space_3: T, reserve_space_4: T); T: "
          "{float32}; epsilon: float = 1e-04; data_format: {\"NHWC\", \"NCHW\"} = \"NHWC\"; is_training: bool = "
          "true",
      .doc = "The gradients of FusedBatchNorm",
      .shape = BatchNormGradShape,
      .kernel = BatchNormKernel<true>,
      .dtypes = {DType::kFloat32},
      .gradient = BatchNormGradGradient,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "FusedBatchNormGradV2(y_backprop: T, x: T, scale: float32, reserve_space_1: U, reserve_space_2: U) -> "
          "(x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_3: U, reserve_space_4: U); T: "
          "{float16, bfloat16, float32}; U: {float32}; epsilon: float = 1e-04; data_format: {\"NHWC\", \"NCHW\"} "
          "= \"NHWC\"; is_training: bool = true",
      .doc = "The gradients of FusedBatchNormV2",
      .shape = BatchNormGradShape,
      .kernel = BatchNormKernel<true>,
      .dtypes = kTypes,
      .gradient = BatchNormGradGradient,
  }));
  return library.Add({
      .signature = "FusedBatchNormGradV3(y_backprop: T, x: T, scale: float32, reserve_space_1: U, reserve_space_2: U, "
                   "reserve_space_3: U) -> (x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_4: U, "
                   "reserve_space_5: U); T: {float16, bfloat16, float32}; U: {float32}; epsilon: float = 1e-04; "
                   "data_format: {\"NHWC\", \"NCHW\", \"NDHWC\", \"NCDHW\"} = \"NHWC\"; is_training: bool = true",
      .doc = "The gradients of FusedBatchNormV3",
      .shape = BatchNormGradShape,
      .kernel = BatchNormKernel<true>,
      .dtypes = kTypes,
      .gradient = BatchNormGradGradient,
  });
}

}  // namespace flowlatch
