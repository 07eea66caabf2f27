// Quantised tensors of 32 bits brought to a range that fits their values, and to 8 bits.
//   RequantizationRange: qint32[...] and its range -> the range, zero included, that its values fill
//   Requantize: qint32[...], its range, the wanted range -> (q)uint8 or qint8[...], the wanted range
//   QuantizeDownAndShrinkRange: both at once
//   RequantizationRangePerChannel, RequantizePerChannel: the same for images [batch, height, width, channels] with one
//     range for each channel. Ranges are symmetric here: zero is zero.
#include "ops/requantize_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/quantized.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kNarrowTypes{DType::kQInt8, DType::kQUInt8};

// ---- Elements

// qint32 to quint8 goes in integers of 16 fractional bits.
class FixedPointRequantizer {
 public:
  FixedPointRequantizer(const QuantizedRange& from, const QuantizedRange& to) {
    constexpr double kOne = 1 << kFractionBits;
    const float from_size = from.max - from.min, to_size = to.max - to.min;
    const float steps_per_unit = to_size == 0 ? 0 : static_cast<float>(255.0 / to_size);
    const float middle = static_cast<float>((from.min + from.max) / 2.0);
    scale_ = to_size == 0 ? 0 : TruncateToInt64(255.0 * kOne * from_size / to_size);
    const int64_t from_offset = TruncateToInt64(middle * steps_per_unit * static_cast<float>(kOne));
    const int64_t to_offset = to_size == 0 ? 0 : TruncateToInt64(kOne * (to.min * 255.0) / to_size);
    offset_ = AddWrapping(AddWrapping(from_offset, (1 << kFractionBits) / 2), static_cast<int64_t>(-static_cast<uint64_t>(to_offset)));
  }
  uint8_t operator()(QInt32 q) const {
    const uint64_t product = static_cast<uint64_t>(int64_t{q.value}) * static_cast<uint64_t>(scale_);
    const int64_t value = AddWrapping(static_cast<int64_t>(product) >> 32, offset_) >> kFractionBits;
    return static_cast<uint8_t>(std::clamp<int64_t>(value, 0, 255));
  }

 private:
  static constexpr int kFractionBits = 16;
  int64_t scale_, offset_;
};

class FloatRequantizer {
 public:
  FloatRequantizer(const QuantizedRange& from, const QuantizedRange& to) : dequantize_(from), quantize_(to) {}
  int8_t operator()(QInt32 q) const { return quantize_(dequantize_(q)); }

 private:
  ArrayDequantizer<QInt32> dequantize_;
  ArrayQuantizer<QInt8> quantize_;
};

template <typename Q>
absl::Status RequantizeTo(KernelCall& c, const QuantizedRange& from, const QuantizedRange& to) {
  using Requantizer = std::conditional_t<std::is_same_v<Q, QUInt8>, FixedPointRequantizer, FloatRequantizer>;
  const Tensor& x = c.input(0);
  ASSIGN_OR_RETURN(Tensor * y, c.AllocateOutput(0, kDTypeOf<Q>, x.shape()));
  const Requantizer requantize(from, to);
  const QInt32* in = x.data<QInt32>();
  Q* out = y->mutable_data<Q>();
  RunLoop(c, x.num_elements(), 2, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i].value = requantize(in[i]);
  });
  SetRange(c, 1, to);
  return absl::OkStatus();
}

// The range that the values fill, zero included.
QuantizedRange FilledRange(const Tensor& x, const QuantizedRange& range) {
  QInt32 least{std::numeric_limits<int32_t>::max()}, most{std::numeric_limits<int32_t>::min()};
  for (const QInt32 q : x.values<QInt32>()) {
    least.value = std::min(least.value, q.value);
    most.value = std::max(most.value, q.value);
  }
  return {std::min(0.f, DequantizeOne(least, range)), DequantizeOne(most, range)};
}

// ---- One range

absl::Status QuantizeDown(KernelCall& c) {
  ASSIGN_OR_RETURN(const QuantizedRange range, ReadRange(c, 1, "input"));
  return RequantizeTo<QUInt8>(c, range, FilledRange(c.input(0), range));
}

absl::Status ComputeRequantizationRange(KernelCall& c) {
  ASSIGN_OR_RETURN(const QuantizedRange range, ReadRange(c, 1, "input"));
  if (c.input(0).num_elements() == 0) return absl::InvalidArgumentError("input: expected elements, got none");
  SetRange(c, 0, FilledRange(c.input(0), range));
  return absl::OkStatus();
}

template <typename Q>
absl::Status Requantize(KernelCall& c) {
  ASSIGN_OR_RETURN(const QuantizedRange range, ReadRange(c, 1, "input"));
  ASSIGN_OR_RETURN(const QuantizedRange wanted, ReadRange(c, 3, "output"));
  if (!(wanted.min <= 0)) {
    return absl::InvalidArgumentError(absl::StrCat("requested_output_min: expected a value <= 0, got ", wanted.min));
  }
  if (!(wanted.max >= wanted.min)) {
    return absl::InvalidArgumentError(
        absl::StrCat("requested_output_max: expected a value >= ", wanted.min, ", got ", wanted.max));
  }
  return RequantizeTo<Q>(c, range, wanted);
}

// ---- One range for each channel

struct ClipState final : KernelState {
  float max = 0;
};

absl::Status CheckImages(const Tensor& x) {
  if (x.rank() == 4) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("input: expected 4 dimensions, got shape ", x.ShapeString()));
}

// Inputs 1 and 2: one end each of the ranges of `channels` channels, or of one for all of them.
absl::Status CheckChannelRanges(const KernelCall& c, int64_t channels, bool allow_one) {
  for (int i : {1, 2}) {
    const Tensor& ends = c.input(i);
    const bool is_one = allow_one && c.input(1).num_elements() == 1;
    if (ends.rank() != 1 || ends.dim(0) != (is_one ? 1 : channels)) {
      return absl::InvalidArgumentError(absl::StrCat(i == 1 ? "input_min" : "input_max", ": expected shape [", channels,
                                                     "], got ", ends.ShapeString()));
    }
  }
  return absl::OkStatus();
}

float LargestEnd(const KernelCall& c, int64_t channel) {
  return std::max(std::fabs(c.input(1).data<float>()[channel]), std::fabs(c.input(2).data<float>()[channel]));
}

absl::Status RangePerChannel(KernelCall& c) {
  const Tensor& x = c.input(0);
  RETURN_IF_ERROR(CheckImages(x));
  if (x.num_elements() == 0) return absl::InvalidArgumentError("input: expected elements, got none");
  const int64_t channels = x.dim(3);
  RETURN_IF_ERROR(CheckChannelRanges(c, channels, false));
  float max = std::numeric_limits<float>::min();
  bool has_negative = false;
  for (int64_t k = 0; k < channels; ++k) {
    int64_t largest = 0;
    for (int64_t i = k; i < x.num_elements(); i += channels) {
      const int64_t value = x.data<QInt32>()[i].value;
      has_negative |= value < 0;
      largest = std::max(largest, std::abs(value));
    }
    max = std::max(max, LargestEnd(c, k) * static_cast<float>(largest) / 0x1p31f);
  }
  max = std::min(max, c.state<ClipState>().max);
  SetRange(c, 0, {has_negative ? -max : 0, max});
  return absl::OkStatus();
}

template <typename Q>
absl::Status RequantizePerChannel(KernelCall& c) {
  const Tensor& x = c.input(0);
  RETURN_IF_ERROR(CheckImages(x));
  const int64_t channels = x.dim(3);
  RETURN_IF_ERROR(CheckChannelRanges(c, channels, true));
  ASSIGN_OR_RETURN(const QuantizedRange wanted, ReadRange(c, 3, "output"));
  if (std::is_same_v<Q, QInt8> && !(wanted.min < 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("requested_output_min: expected a negative value for qint8, got ", wanted.min));
  }
  ASSIGN_OR_RETURN(Tensor * y, c.AllocateOutput(0, kDTypeOf<Q>, x.shape()));
  const float wanted_end = std::max(std::fabs(wanted.min), std::fabs(wanted.max));
  const bool is_one = c.input(1).num_elements() == 1;
  const QInt32* in = x.data<QInt32>();
  Q* out = y->mutable_data<Q>();
  const float lowest = static_cast<float>(kLowestOf<Q>), highest = static_cast<float>(kHighestOf<Q>);
  for (int64_t k = 0; k < channels; ++k) {
    const float scale = highest * (LargestEnd(c, is_one ? 0 : k) / wanted_end / 0x1p31f);
    for (int64_t i = k; i < x.num_elements(); i += channels) {
      const float value = static_cast<float>(in[i].value) * scale;
      out[i].value = static_cast<StoredAs<Q>>(std::nearbyint(value >= lowest ? std::min(value, highest) : lowest));
    }
  }
  SetRange(c, 1, wanted);
  return absl::OkStatus();
}

// ---- Choice of kernels

template <typename Choose>
KernelFactory To(Choose choose) {
  return [choose](const NodeInfo& node) -> absl::StatusOr<Kernel> {
    if (node.input_dtype(0) != DType::kQInt32) return NoKernelFor(node, node.input_dtype(0));
    const KernelFn fn = DispatchDType<kNarrowTypes>(node.output_dtype(0), KernelFn{}, choose);
    if (fn == nullptr) return NoKernelFor(node, node.output_dtype(0));
    return Kernel{.fn = fn};
  };
}

absl::StatusOr<Kernel> QuantizeDownKernel(const NodeInfo& node) {
  if (node.input_dtype(0) != DType::kQInt32) return NoKernelFor(node, node.input_dtype(0));
  if (node.output_dtype(0) != DType::kQUInt8) return NoKernelFor(node, node.output_dtype(0));
  return Kernel{.fn = &RunKernel<QuantizeDown>};
}

absl::StatusOr<Kernel> RangeKernel(const NodeInfo& node) {
  if (node.input_dtype(0) != DType::kQInt32) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = &RunKernel<ComputeRequantizationRange>};
}

absl::StatusOr<Kernel> RangePerChannelKernel(const NodeInfo& node) {
  if (node.input_dtype(0) != DType::kQInt32) return NoKernelFor(node, node.input_dtype(0));
  auto state = std::make_shared<ClipState>();
  ASSIGN_OR_RETURN(state->max, node.Float("clip_value_max"));
  return Kernel{.fn = &RunKernel<RangePerChannel>, .state = std::move(state)};
}

// ---- Schemas

absl::Status RequantizeShape(ShapeContext& c) {
  RETURN_IF_ERROR(ExpectRanges(c, 1));
  c.SetOutput(0, c.input(0));
  return SetRangeShapes(c);
}

absl::Status RangeShape(ShapeContext& c) {
  RETURN_IF_ERROR(ExpectRanges(c, 1));
  return shapes::Scalar(c);
}

absl::Status RangePerChannelShape(ShapeContext& c) {
  for (int i : {1, 2}) RETURN_IF_ERROR(c.ExpectVector(i));
  return shapes::Scalar(c);
}

absl::Status RequantizePerChannelShape(ShapeContext& c) {
  for (int i : {1, 2}) RETURN_IF_ERROR(c.ExpectVector(i));
  RETURN_IF_ERROR(ExpectRanges(c, 3));
  c.SetOutput(0, c.input(0));
  return SetRangeShapes(c);
}

}  // namespace

absl::Status RegisterRequantizeOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = TensorFlowSignature("QuantizeDownAndShrinkRange"),
      .doc = "qint32 as quint8, in the range that its values fill",
      .shape = RequantizeShape,
      .kernel = QuantizeDownKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = TensorFlowSignature("RequantizationRange"),
      .doc = "The range that the values of a qint32 tensor fill",
      .shape = RangeShape,
      .kernel = RangeKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = TensorFlowSignature("Requantize"),
      .doc = "qint32 as 8 bits in another range",
      .shape = RequantizeShape,
      .kernel = To([]<typename Q>() -> KernelFn { return &RunKernel<Requantize<Q>>; }),
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = TensorFlowSignature("RequantizationRangePerChannel"),
      .doc = "The range that the values of qint32 images fill, which have a range for each channel",
      .shape = RangePerChannelShape,
      .kernel = RangePerChannelKernel,
  }));
  return library.Add({
      .signature = TensorFlowSignature("RequantizePerChannel"),
      .doc = "qint32 images, which have a range for each channel, as 8 bits in one range",
      .shape = RequantizePerChannelShape,
      .kernel = To([]<typename Q>() -> KernelFn { return &RunKernel<RequantizePerChannel<Q>>; }),
  });
}

}  // namespace flowlatch
