// Quantised numbers: integers of type Q that stand for the values of a range, the lowest for its min, the highest for its
// max. TensorFlow has two roads between them and float, which differ in the last step, and ops agree with it bit for bit
// only on the right one: single values go in double (QuantizeOne, DequantizeOne), arrays in float (ArrayQuantizer,
// ArrayDequantizer).
#ifndef FLOWLATCH_OPS_KERNELS_QUANTIZED_H_
#define FLOWLATCH_OPS_KERNELS_QUANTIZED_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/shape_context.h"
#include "graph/tensor/tensor.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

template <typename Q>
using StoredAs = decltype(Q::value);
template <typename Q>
constexpr int64_t kLowestOf = std::numeric_limits<StoredAs<Q>>::min();
template <typename Q>
constexpr int64_t kHighestOf = std::numeric_limits<StoredAs<Q>>::max();
// The number of steps between the two.
template <typename Q>
constexpr double kStepsOf = static_cast<double>(kHighestOf<Q> - kLowestOf<Q>);

struct QuantizedRange {
  bool is_empty() const { return min == max; }
  bool operator==(const QuantizedRange&) const = default;
  float min = 0, max = 0;
};

// Inputs `i` and `i + 1` as the ends of a range. Errors: InvalidArgument unless both have one element.
inline absl::StatusOr<QuantizedRange> ReadRange(const KernelCall& c, int i, const char* what) {
  for (const Tensor* end : {&c.input(i), &c.input(i + 1)}) {
    if (end->num_elements() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("range of ", what, ": expected one element at each end, got shape ", end->ShapeString()));
    }
  }
  return QuantizedRange{*c.input(i).data<float>(), *c.input(i + 1).data<float>()};
}

inline absl::Status ExpectWiderThanZero(const QuantizedRange& range, const char* what) {
  if (range.min < range.max) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("range of ", what, ": expected min < max, got [", range.min, ", ", range.max, "]"));
}

inline void SetRange(KernelCall& c, int i, const QuantizedRange& range) {
  c.output(i).SetScalar(range.min);
  c.output(i + 1).SetScalar(range.max);
}

// The low bits of a double as x86 makes it an int64.
inline int64_t TruncateToInt64(double x) {
  return x >= -0x1p63 && x < 0x1p63 ? static_cast<int64_t>(x) : std::numeric_limits<int64_t>::min();
}
inline int64_t AddWrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

// The integer for x, which may lie outside what Q holds.
template <typename Q>
int64_t QuantizeUnclamped(float x, const QuantizedRange& range) {
  if (range.is_empty()) return kLowestOf<Q>;
  constexpr double kCount = kStepsOf<Q> + 1;
  const double scale = kCount / (static_cast<double>(range.max - range.min) * (kCount / kStepsOf<Q>));
  return AddWrapping(TruncateToInt64(std::round(x * scale) - std::round(range.min * scale)), kLowestOf<Q>);
}

template <typename Q>
StoredAs<Q> QuantizeOne(float x, const QuantizedRange& range) {
  return static_cast<StoredAs<Q>>(std::clamp(QuantizeUnclamped<Q>(x, range), kLowestOf<Q>, kHighestOf<Q>));
}

template <typename Q>
float DequantizeOne(Q q, const QuantizedRange& range) {
  if (range.is_empty()) return range.min;
  constexpr double kCount = kStepsOf<Q> + 1;
  const double scale = static_cast<double>(range.max - range.min) * (kCount / kStepsOf<Q>) / kCount;
  const float step = static_cast<float>(scale);
  const double rounded_min = std::round(range.min / step) * step;
  return static_cast<float>(rounded_min + static_cast<double>(int64_t{q.value} - kLowestOf<Q>) * scale);
}

template <typename Q>
class ArrayDequantizer {
 public:
  explicit ArrayDequantizer(const QuantizedRange& range)
      : step_(static_cast<float>(static_cast<double>(range.max - range.min) / kStepsOf<Q>)) {
    const float rounded_min = range.is_empty() ? range.min : std::round(range.min / step_) * step_;
    offset_ = rounded_min - static_cast<float>(kLowestOf<Q>) * step_;
  }
  float operator()(Q q) const { return offset_ + static_cast<float>(q.value) * step_; }

 private:
  float step_, offset_;
};

template <typename Q>
class ArrayQuantizer {
 public:
  explicit ArrayQuantizer(const QuantizedRange& range)
      : scale_(range.is_empty() ? 0 : static_cast<float>(kStepsOf<Q> / static_cast<double>(range.max - range.min))),
        offset_(std::round(range.min * scale_) - static_cast<float>(kLowestOf<Q>)) {}
  StoredAs<Q> operator()(float x) const {
    // Not all that int32 holds: the largest float in it.
    constexpr float kLow = static_cast<float>(kLowestOf<Q>);
    constexpr float kHigh = kHighestOf<Q> > (1 << 24) ? 2147483520.f : static_cast<float>(kHighestOf<Q>);
    const float q = std::round(x * scale_) - offset_;
    return static_cast<StoredAs<Q>>(q >= kLow ? std::min(q, kHigh) : kLow);  // kLow for NaN
  }

 private:
  float scale_, offset_;
};

// ---- Products

// q - zero, as int32 with wrapping. Errors: ResourceExhausted.
template <typename Q>
absl::StatusOr<Tensor> ZeroBased(const Tensor& t, int64_t zero) {
  ASSIGN_OR_RETURN(Tensor wide, Tensor::Make(DType::kInt32, t.shape()));
  std::transform(t.data<Q>(), t.data<Q>() + t.num_elements(), wide.mutable_data<int32_t>(), [zero](Q q) {
    return static_cast<int32_t>(static_cast<uint32_t>(q.value) - static_cast<uint32_t>(zero));
  });
  return wide;
}
// The integer that stands for 0.
template <typename Q>
int64_t ZeroOf(const QuantizedRange& range) {
  return QuantizeUnclamped<Q>(0, range);
}

// What one step of an operand is worth. The range of signed operands is that of [-127, 127].
template <typename Q>
float StepOf(const QuantizedRange& range) {
  return (range.max - range.min) / static_cast<float>(kHighestOf<Q> - kLowestOf<Q> - (kLowestOf<Q> < 0 ? 1 : 0));
}

// The range of qint32 in which one step is the product of one step of each operand.
template <typename A, typename B>
QuantizedRange ProductRange(const QuantizedRange& a, const QuantizedRange& b) {
  const float step = StepOf<A>(a) * StepOf<B>(b);
  return {step * static_cast<float>(kLowestOf<QInt32>), step * static_cast<float>(kHighestOf<QInt32>)};
}

// ---- What shape functions of these ops have in common.

// Inputs [first, num_inputs) are ends of ranges.
inline absl::Status ExpectRanges(ShapeContext& c, int first) {
  for (int i = first; i < c.num_inputs(); ++i) RETURN_IF_ERROR(c.ExpectScalar(i));
  return absl::OkStatus();
}
// Outputs 1 and 2 are the ends of output 0's range.
inline absl::Status SetRangeShapes(ShapeContext& c) {
  c.SetOutput(1, Shape());
  c.SetOutput(2, Shape());
  return absl::OkStatus();
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_QUANTIZED_H_
