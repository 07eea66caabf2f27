// Quantisation that is undone at once, so that a graph feels its loss of precision.
//   FakeQuantWithMinMaxArgs, ..Vars: float32[..] -> the nearest of 2^num_bits steps of [min, max] (one step fewer with
//   narrow_range),
//     a range that is first moved so that 0 is a step. ..VarsPerChannel: a range for each index of the last dimension.
//   QuantizeAndDequantizeV2, V3, V4: floats[..] -> the nearest multiple of one factor, which is chosen so that both
//   ends of the range
//     fit. The range is that of the input's elements, unless it is given. `axis` >= 0: a range for each index of that
//     dimension.
// Gradients pass through where the input is inside of the range; those of a FakeQuant range's ends are the sums of what
// is cut off.
#include "ops/fake_quant_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

// A tensor as [outer, channels, inner]; each channel has a range of its own.
struct Channels {
  int64_t outer = 1, count = 1, inner = 1;

  // Calls body(channel, position of the first of `inner` elements) for all runs of elements.
  template <typename Body>
  void ForEachRun(const Body& body) const {
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t k = 0; k < count; ++k) body(k, (o * count + k) * inner);
    }
  }
};

// `axis` -1: one channel.
absl::StatusOr<Channels> FindChannels(const Tensor& input, int64_t axis) {
  Channels channels;
  if (axis < 0) {
    channels.inner = input.num_elements();
    return channels;
  }
  if (axis >= input.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("axis: expected a value below ", input.rank(), ", the rank of the input, got ", axis));
  }
  for (int d = 0; d < input.rank(); ++d)
    (d < axis ? channels.outer : d == axis ? channels.count : channels.inner) *= input.dim(d);
  return channels;
}

// The ends of ranges are scalars, or with an axis vectors.
absl::Status CheckEnds(const Channels& channels, int64_t axis, const Tensor& min, const Tensor& max) {
  for (const Tensor* end : {&min, &max}) {
    if (axis < 0 ? end->is_scalar() : end->is_vector() && end->dim(0) == channels.count) continue;
    return absl::InvalidArgumentError(absl::StrCat(end == &min ? "min" : "max", ": expected shape ",
                                                   axis < 0 ? "[]" : absl::StrCat("[", channels.count, "]"), ", got ",
                                                   end->ShapeString()));
  }
  return absl::OkStatus();
}

// ---- FakeQuant

class FakeQuantState final : public KernelState {
 public:
  bool per_channel = false;
  float lowest = 0, highest = 0;  // steps
  Tensor min, max;                // from attributes; empty if they are inputs
};

absl::StatusOr<Kernel> MakeFakeQuant(const NodeInfo& node, KernelFn fn, bool per_channel, bool from_attrs) {
  auto state = std::make_shared<FakeQuantState>();
  ASSIGN_OR_RETURN(const int64_t num_bits, node.Int("num_bits"));
  if (num_bits < 2 || num_bits > 16) {
    return absl::InvalidArgumentError(absl::StrCat("num_bits: expected a value in [2,16], got ", num_bits));
  }
  ASSIGN_OR_RETURN(const bool narrow_range, node.Bool("narrow_range"));
  state->per_channel = per_channel;
  state->lowest = narrow_range ? 1 : 0;
  state->highest = static_cast<float>((int64_t{1} << num_bits) - 1);
  if (from_attrs) {
    ASSIGN_OR_RETURN(const float min, node.Float("min"));
    ASSIGN_OR_RETURN(const float max, node.Float("max"));
    if (!(min < max))
      return absl::InvalidArgumentError(absl::StrCat("min: expected a value below max, ", max, ", got ", min));
    state->min = Tensor::Scalar(min);
    state->max = Tensor::Scalar(max);
  }
  return Kernel{.fn = fn, .state = std::move(state)};
}

struct StepRange {
  float min, max, scale;
  bool empty = false;  // [0, 0]: everything becomes 0
};

// [min, max], moved so that one of the steps is 0.
StepRange MoveToZero(const FakeQuantState& state, float min, float max) {
  if (min == 0 && max == 0) return {0, 0, 0, true};
  StepRange r;
  r.scale = (max - min) / (state.highest - state.lowest);
  const float zero = state.lowest - min / r.scale;
  const float step = zero < state.lowest ? state.lowest : zero > state.highest ? state.highest : std::round(zero);
  r.min = (state.lowest - step) * r.scale;
  r.max = (state.highest - step) * r.scale;
  return r;
}

// What a kernel works on: the input, its channels, and the ends of their ranges.
struct FakeQuantInput {
  const Tensor& input;
  const Tensor& min;
  const Tensor& max;
  Channels channels;

  StepRange Range(const FakeQuantState& state, int64_t channel) const {
    return MoveToZero(state, min.data<float>()[channel], max.data<float>()[channel]);
  }
};

absl::StatusOr<FakeQuantInput> ReadFakeQuant(const KernelCall& c, int input) {
  const FakeQuantState& state = c.state<FakeQuantState>();
  const Tensor& x = c.input(input);
  const Tensor& min = state.min.has_value() ? state.min : c.input(input + 1);
  const Tensor& max = state.max.has_value() ? state.max : c.input(input + 2);
  if (state.per_channel && x.rank() == 0) {
    return absl::InvalidArgumentError("inputs: expected at least one dimension, got shape []");
  }
  const int64_t axis = state.per_channel ? x.rank() - 1 : -1;
  ASSIGN_OR_RETURN(const Channels channels, FindChannels(x, axis));
  RETURN_IF_ERROR(CheckEnds(channels, axis, min, max));
  return FakeQuantInput{x, min, max, channels};
}

absl::Status FakeQuant(KernelCall& c) {
  const FakeQuantState& state = c.state<FakeQuantState>();
  ASSIGN_OR_RETURN(const FakeQuantInput in, ReadFakeQuant(c, 0));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kFloat32, in.input.dims()));
  const float* from = in.input.data<float>();
  float* to = output->mutable_data<float>();
  in.channels.ForEachRun([&](int64_t channel, int64_t at) {
    const StepRange r = in.Range(state, channel);
    const float inverse = 1.0f / r.scale;
    const float zero = std::floor(-r.min * inverse + 0.5f);
    for (int64_t i = at; i < at + in.channels.inner; ++i) {
      const float shifted = std::max(std::min(from[i], r.max), r.min) - r.min;
      to[i] = r.empty ? 0.0f : std::floor(shifted * inverse - zero + 0.5f) * r.scale;
    }
  });
  return absl::OkStatus();
}

// Inputs: gradients, inputs[, min, max]. Outputs: the gradient of inputs[, min, max].
absl::Status FakeQuantGradient(KernelCall& c) {
  const FakeQuantState& state = c.state<FakeQuantState>();
  ASSIGN_OR_RETURN(const FakeQuantInput in, ReadFakeQuant(c, 1));
  const Tensor& gradients = c.input(0);
  if (gradients.dims() != in.input.dims()) {
    return absl::InvalidArgumentError(absl::StrCat("gradients: expected the shape of inputs, ", in.input.ShapeString(),
                                                   ", got ", gradients.ShapeString()));
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kFloat32, in.input.dims()));
  std::vector<float> below(in.channels.count, 0.0f), above(in.channels.count, 0.0f);
  const float* x = in.input.data<float>();
  const float* dy = gradients.data<float>();
  float* dx = output->mutable_data<float>();
  in.channels.ForEachRun([&](int64_t channel, int64_t at) {
    const StepRange r = in.Range(state, channel);
    for (int64_t i = at; i < at + in.channels.inner; ++i) {
      const bool inside = r.empty || (x[i] >= r.min && x[i] <= r.max);
      dx[i] = inside ? dy[i] : 0.0f;
      if (r.empty) continue;
      below[channel] += x[i] < r.min ? dy[i] : 0.0f;
      above[channel] += x[i] > r.max ? dy[i] : 0.0f;
    }
  });
  if (c.num_outputs() == 1) return absl::OkStatus();
  for (const int i : {1, 2}) {
    ASSIGN_OR_RETURN(Tensor * end, c.AllocateOutput(i, DType::kFloat32, in.min.dims()));
    std::copy_n(i == 1 ? below.data() : above.data(), end->num_elements(), end->mutable_data<float>());
  }
  return absl::OkStatus();
}

// Whether input i is a scalar, or a vector with a range's end for each channel.
template <bool kPerChannel, int kInput>
absl::Status FakeQuantShape(ShapeContext& c) {
  PartialShape input = c.input(kInput);
  if (kInput > 0) {
    ASSIGN_OR_RETURN(input, input.MergeWith(c.input(0)));
  }
  for (int i = kInput + 1; i < c.num_inputs(); ++i) {
    if (!kPerChannel) {
      RETURN_IF_ERROR(c.ExpectScalar(i));
    } else {
      ASSIGN_OR_RETURN(const PartialShape end, c.WithRank(i, 1));
      if (input.rank() > 0 && end.has_rank()) {
        RETURN_IF_ERROR(end.MergeWith(PartialShape::FromValid(input.dims().subspan(input.rank() - 1))).status());
      }
    }
    if (kInput > 0 && c.num_outputs() > 1) c.SetOutput(i - 1, c.input(i));
  }
  c.SetOutput(0, std::move(input));
  return absl::OkStatus();
}

template <const char* kGradient>
absl::Status FakeQuantGrad(GradContext& c) {
  std::vector<Input> inputs{c.grad()};
  for (int i = 0; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
  const Operation grads = c.MultiOp(kGradient, inputs, c.CopyAttrs({"min", "max", "num_bits", "narrow_range"}));
  for (int i = 0; i < c.num_inputs(); ++i) c.Set(i, grads.output(i));
  return absl::OkStatus();
}
constexpr char kArgsGradient[] = "FakeQuantWithMinMaxArgsGradient";
constexpr char kVarsGradient[] = "FakeQuantWithMinMaxVarsGradient";
constexpr char kPerChannelGradient[] = "FakeQuantWithMinMaxVarsPerChannelGradient";

// ---- QuantizeAndDequantize

class FactorState final : public KernelState {
 public:
  bool signed_input = true, range_given = false, narrow_range = false, half_up = false;
  int64_t num_bits = -1;  // -1: in input 3
  int64_t axis = -1;
};

absl::StatusOr<int64_t> DecodeAxis(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const int64_t axis, node.Int("axis"));
  if (axis < -1) return absl::InvalidArgumentError(absl::StrCat("axis: expected a value >= -1, got ", axis));
  return axis;
}

absl::Status CheckBits(int64_t num_bits, bool signed_input) {
  const int64_t limit = signed_input ? 61 : 62;
  if (num_bits >= 1 && num_bits <= limit) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("num_bits: expected a value in [1,", limit, "], got ", num_bits));
}

// The range [min, max], widened on one side so that both sides have the factor `scale`.
template <typename T>
struct FactorRange {
  T min, max, scale, inverse;
};

template <typename T>
FactorRange<T> ChooseFactor(const FactorState& state, int64_t num_bits, T min, T max) {
  const int64_t half = state.signed_input ? int64_t{1} << (num_bits - 1) : 0;
  const T lowest =
      static_cast<T>(static_cast<float>(state.signed_input ? (state.narrow_range ? -half + 1 : -half) : 0));
  const T highest = static_cast<T>(static_cast<float>(state.signed_input ? half - 1 : (int64_t{1} << num_bits) - 1));
  const T zero(0.0f), most = std::numeric_limits<T>::max();
  const T from_min = lowest * min > zero ? T(lowest / min) : most;
  const T from_max = highest * max > zero ? T(highest / max) : most;
  FactorRange<T> r{min, max, from_min, zero};
  if (from_min < from_max) {
    r.inverse = T(min / lowest);
    r.max = T(highest * r.inverse);
  } else {
    r.scale = from_max;
    r.inverse = T(max / highest);
    r.min = T(lowest * r.inverse);
  }
  return r;
}

template <typename T>
T RoundFactor(T x, bool half_up) {
  using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const Wide wide = static_cast<Wide>(x);
  return static_cast<T>(half_up ? std::floor(wide + Wide(0.5)) : std::nearbyint(wide));
}

template <typename T>
absl::Status QuantizeAndDequantize(KernelCall& c) {
  const FactorState& state = c.state<FactorState>();
  const Tensor& input = c.input(0);
  int64_t num_bits = state.num_bits;
  if (num_bits < 0) {
    ASSIGN_OR_RETURN(num_bits, ReadIntScalar(c.input(3), "num_bits"));
    RETURN_IF_ERROR(CheckBits(num_bits, state.signed_input));
  }
  ASSIGN_OR_RETURN(const Channels channels, FindChannels(input, state.axis));
  if (state.range_given) RETURN_IF_ERROR(CheckEnds(channels, state.axis, c.input(1), c.input(2)));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, input.dtype(), input.dims()));
  if (input.num_elements() == 0) return absl::OkStatus();
  const T* from = input.data<T>();
  std::vector<T> min(channels.count), max(channels.count);
  for (int64_t k = 0; k < channels.count; ++k) {
    min[k] = state.range_given ? c.input(1).data<T>()[k] : from[k * channels.inner];
    max[k] = state.range_given ? c.input(2).data<T>()[k] : from[k * channels.inner];
    if (state.range_given && !(min[k] <= max[k])) {
      return absl::InvalidArgumentError(absl::StrCat("input_min: expected a value of at most input_max, ",
                                                     static_cast<float>(max[k]), ", got ", static_cast<float>(min[k])));
    }
  }
  if (!state.range_given) {
    channels.ForEachRun([&](int64_t k, int64_t at) {
      for (int64_t i = at; i < at + channels.inner; ++i) {
        min[k] = from[i] < min[k] ? from[i] : min[k];
        max[k] = from[i] > max[k] ? from[i] : max[k];
      }
    });
  }
  T* to = output->mutable_data<T>();
  channels.ForEachRun([&](int64_t k, int64_t at) {
    const FactorRange<T> r = ChooseFactor(state, num_bits, min[k], max[k]);
    for (int64_t i = at; i < at + channels.inner; ++i) {
      T x = from[i];
      if (state.range_given) x = x > r.max ? r.max : x < r.min ? r.min : x;
      to[i] = T(RoundFactor(T(x * r.scale), state.half_up) * r.inverse);
    }
  });
  return absl::OkStatus();
}

template <typename T>
absl::Status QuantizeAndDequantizeGradient(KernelCall& c) {
  const Tensor& gradients = c.input(0);
  const Tensor& input = c.input(1);
  const int64_t axis = c.state<FactorState>().axis;
  ASSIGN_OR_RETURN(const Channels channels, FindChannels(input, axis));
  RETURN_IF_ERROR(CheckEnds(channels, axis, c.input(2), c.input(3)));
  if (gradients.dims() != input.dims()) {
    return absl::InvalidArgumentError(absl::StrCat("gradients: expected the shape of input, ", input.ShapeString(),
                                                   ", got ", gradients.ShapeString()));
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, input.dtype(), input.dims()));
  const T* dy = gradients.data<T>();
  const T* x = input.data<T>();
  T* dx = output->mutable_data<T>();
  channels.ForEachRun([&](int64_t k, int64_t at) {
    const T min = c.input(2).data<T>()[k], max = c.input(3).data<T>()[k];
    for (int64_t i = at; i < at + channels.inner; ++i) dx[i] = x[i] >= min && x[i] <= max ? dy[i] : T(0.0f);
  });
  for (const int i : {1, 2}) {
    ASSIGN_OR_RETURN(Tensor zeros, Tensor::Zeros(input.dtype(), c.input(i + 1).shape()));
    c.SetOutput(i, std::move(zeros));
  }
  return absl::OkStatus();
}

template <typename Choose>
absl::StatusOr<Kernel> FloatKernel(const NodeInfo& node, std::shared_ptr<FactorState> state, const Choose& choose) {
  const KernelFn fn = DispatchDType<kFloatTypes>(node.output_dtype(0), KernelFn{}, choose);
  if (fn == nullptr) return NoKernelFor(node, node.output_dtype(0));
  return Kernel{.fn = fn, .state = std::move(state)};
}

absl::StatusOr<Kernel> QuantizeAndDequantizeKernel(const NodeInfo& node) {
  auto state = std::make_shared<FactorState>();
  ASSIGN_OR_RETURN(state->signed_input, node.Bool("signed_input"));
  ASSIGN_OR_RETURN(state->range_given, node.Bool("range_given"));
  ASSIGN_OR_RETURN(state->narrow_range, node.Bool("narrow_range"));
  ASSIGN_OR_RETURN(state->axis, DecodeAxis(node));
  if (node.num_inputs() == 3) {
    ASSIGN_OR_RETURN(state->num_bits, node.Int("num_bits"));
    RETURN_IF_ERROR(CheckBits(state->num_bits, state->signed_input));
    ASSIGN_OR_RETURN(const std::string round_mode, node.Str("round_mode"));
    state->half_up = round_mode == "HALF_UP";
  }
  return FloatKernel(node, std::move(state),
                     []<typename T>() -> KernelFn { return &RunKernel<QuantizeAndDequantize<T>>; });
}

absl::StatusOr<Kernel> QuantizeAndDequantizeGradKernel(const NodeInfo& node) {
  auto state = std::make_shared<FactorState>();
  ASSIGN_OR_RETURN(state->axis, DecodeAxis(node));
  return FloatKernel(node, std::move(state),
                     []<typename T>() -> KernelFn { return &RunKernel<QuantizeAndDequantizeGradient<T>>; });
}

// The ends of ranges are inputs kInput + 1 and kInput + 2.
template <int kInput>
absl::Status FactorShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const int64_t axis, c.Int("axis"));
  PartialShape input = c.input(kInput);
  if (kInput > 0) {
    ASSIGN_OR_RETURN(input, input.MergeWith(c.input(0)));
  }
  if (axis >= 0 && input.has_rank() && axis >= input.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("axis: expected a value below ", input.rank(), ", the rank of the input, got ", axis));
  }
  for (const int i : {kInput + 1, kInput + 2}) {
    RETURN_IF_ERROR(c.WithRank(i, axis < 0 ? 0 : 1).status());
    if (kInput > 0) c.SetOutput(i - 1, c.input(i));
  }
  c.SetOutput(0, std::move(input));
  return absl::OkStatus();
}

absl::Status QuantizeAndDequantizeV4Grad(GradContext& c) {
  const Operation grads =
      c.MultiOp("QuantizeAndDequantizeV4Grad", {c.grad(), c.input(0), c.input(1), c.input(2)}, c.CopyAttrs({"axis"}));
  for (int i = 0; i < c.num_inputs(); ++i) c.Set(i, grads.output(i));
  return absl::OkStatus();
}

absl::Status RegisterFakeQuants(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFn fn, bool per_channel,
                       bool from_attrs, GradFunction gradient) {
    return library.Add(
        {.signature = TensorFlowSignature(name),
         .doc = doc,
         .shape = shape,
         .kernel = [=](const NodeInfo& node) { return MakeFakeQuant(node, fn, per_channel, from_attrs); },
         .gradient = gradient});
  };
  constexpr KernelFn kForward = &RunKernel<FakeQuant>, kGradient = &RunKernel<FakeQuantGradient>;
  RETURN_IF_ERROR(add("FakeQuantWithMinMaxArgs", "The inputs, rounded to the steps of a range",
                      FakeQuantShape<false, 0>, kForward, false, true, FakeQuantGrad<kArgsGradient>));
  RETURN_IF_ERROR(add("FakeQuantWithMinMaxVars", "The inputs, rounded to the steps of a range",
                      FakeQuantShape<false, 0>, kForward, false, false, FakeQuantGrad<kVarsGradient>));
  RETURN_IF_ERROR(add("FakeQuantWithMinMaxVarsPerChannel",
                      "The inputs, rounded to the steps of a range for each channel", FakeQuantShape<true, 0>, kForward,
                      true, false, FakeQuantGrad<kPerChannelGradient>));
  RETURN_IF_ERROR(add(kArgsGradient, "The gradient of FakeQuantWithMinMaxArgs", FakeQuantShape<false, 1>, kGradient,
                      false, true, gradients::None));
  RETURN_IF_ERROR(add(kVarsGradient, "The gradients of FakeQuantWithMinMaxVars", FakeQuantShape<false, 1>, kGradient,
                      false, false, gradients::None));
  return add(kPerChannelGradient, "The gradients of FakeQuantWithMinMaxVarsPerChannel", FakeQuantShape<true, 1>,
             kGradient, true, false, gradients::None);
}

}  // namespace

absl::Status RegisterFakeQuantOps(OpLibrary& library) {
  RETURN_IF_ERROR(RegisterFakeQuants(library));
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel,
                       GradFunction gradient) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .dtypes = kFloatTypes,
                        .gradient = gradient});
  };
  const std::string_view doc = "The input, rounded to multiples of a factor that suits its range";
  RETURN_IF_ERROR(
      add("QuantizeAndDequantizeV2", doc, FactorShape<0>, QuantizeAndDequantizeKernel, gradients::Identity));
  RETURN_IF_ERROR(
      add("QuantizeAndDequantizeV3", doc, FactorShape<0>, QuantizeAndDequantizeKernel, gradients::Identity));
  RETURN_IF_ERROR(
      add("QuantizeAndDequantizeV4", doc, FactorShape<0>, QuantizeAndDequantizeKernel, QuantizeAndDequantizeV4Grad));
  return add("QuantizeAndDequantizeV4Grad", "The gradients of QuantizeAndDequantizeV4", FactorShape<1>,
             QuantizeAndDequantizeGradKernel, QuantizeAndDequantizeV4Grad);
}

}  // namespace flowlatch
