// Quantisation.
//   QuantizeV2: input: float32[...], min_range, max_range: one range, or one for each index of `axis`
//     -> output: T[...], and the ranges that the output really stands for.
//   Dequantize: the inverse, to float32 or (MIN_COMBINED only) bfloat16.
// lo and hi are the limits of T. Modes:
//   MIN_COMBINED: the range [min, max] is spread over [lo, hi]
//   MIN_FIRST:    as before, with min rounded to a multiple of the step, so that zero is exact
//   SCALED:       one factor, chosen so that both ends fit; narrow_range leaves out lo
// The range of QuantizeV2 is first widened to hold 0 and to be no smaller than ensure_minimum_range asks for. All arithmetic is
// float32 with double scales, as in TensorFlow, so that results agree bit for bit. NaN becomes what x86 truncation makes of it.
#include "ops/quantize_ops.h"

#include <cfloat>
#include <cmath>
#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/loop_macros.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

enum class Mode { kMinCombined, kMinFirst, kScaled };

class QuantizeState final : public KernelState {
 public:
  Mode mode = Mode::kMinCombined;
  bool half_to_even = false;
  bool narrow_range = false;
  int64_t axis = -1;
  float ensure_minimum_range = 0;
};

template <typename Q>
using Stored = decltype(Q::value);
template <typename Q>
constexpr double kLowest = std::numeric_limits<Stored<Q>>::min();
template <typename Q>
constexpr double kHighest = std::numeric_limits<Stored<Q>>::max();
template <typename Q>
constexpr bool kSigned = std::is_signed_v<Stored<Q>>;
// Added to move a signed value to the unsigned range.
template <typename Q>
constexpr double kOffset = kSigned<Q> ? (kHighest<Q> - kLowest<Q> + 1) / 2 : 0;

// float to int32 as x86 truncates: what does not fit, and NaN, is INT32_MIN; the caller keeps the low bits.
template <typename Q>
Stored<Q> Truncate(float x) {
  const bool fits = x >= -2147483648.f && x < 2147483648.f;
  const int32_t whole = static_cast<int32_t>(fits ? x : 0.f);
  return static_cast<Stored<Q>>(fits ? whole : std::numeric_limits<int32_t>::min());
}

// std::round, which compilers do not vectorise, by the largest number below 1/2.
float Round(float x) { return std::trunc(x + std::copysign(0.49999997f, x)); }

struct Range {
  float min, max;
};

absl::StatusOr<Range> WidenedRange(float in_min, float in_max, float ensure_minimum_range) {
  if (!(in_min <= in_max)) {
    return absl::InvalidArgumentError(absl::StrCat("quantization range: expected min <= max, got [", in_min, ", ", in_max, "]"));
  }
  Range r;
  r.min = std::min(0.f, in_min);
  const float epsilon = std::max(1.f, std::max(std::fabs(in_min), std::fabs(in_max))) * ensure_minimum_range;
  r.max = std::max(0.f, std::max(in_max, r.min + epsilon));
  return r;
}

// Quantises n values of one range; *range becomes the range that the result stands for.
template <typename Q>
void QuantizeRun(const QuantizeState& state, const float* x, Q* y, int64_t n, Range* range) {
  const float lo = static_cast<float>(kLowest<Q>), hi = static_cast<float>(kHighest<Q>);
  const float a = range->min, b = range->max;
  switch (state.mode) {
    case Mode::kMinCombined: {
      const float scale = static_cast<float>((kHighest<Q> - kLowest<Q>) / (static_cast<double>(b) - static_cast<double>(a)));
      FLOWLATCH_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < n; ++i) {
        const float y_unsigned = (std::min(std::max(x[i], a), b) - a) * scale;
        y[i].value = kSigned<Q> ? Truncate<Q>(Round(y_unsigned - static_cast<float>(kOffset<Q>))) : Truncate<Q>(y_unsigned + 0.5f);
      }
      return;
    }
    case Mode::kMinFirst: {
      const double steps = kHighest<Q> - kLowest<Q> + 1;
      const float scale = a == b ? 0.f : static_cast<float>((steps - 1.0) / static_cast<double>(b - a));
      const float offset = std::round(a * scale) - lo;
      const float lower = std::max(lo, -2147483648.f), upper = std::min(hi, 2147483520.f);
      FLOWLATCH_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < n; ++i) {
        const float q = Round(x[i] * scale) - offset;
        y[i].value = Truncate<Q>(std::min(std::max(q, lower), upper));
      }
      return;
    }
    case Mode::kScaled: {
      const float lowest = lo + (state.narrow_range ? 1.f : 0.f);
      const float by_min = lowest * a > 0 ? lowest / a : FLT_MAX;
      const float by_max = hi * b > 0 ? hi / b : FLT_MAX;
      const float scale = std::min(by_min, by_max);
      const float lower = lowest / scale, upper = hi / scale;
      *range = {lower, upper};
      FLOWLATCH_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < n; ++i) {
        const float q = std::min(std::max(x[i], lower), upper) * scale;
        y[i].value = Truncate<Q>(state.half_to_even ? std::nearbyint(q) : Round(q));
      }
      return;
    }
  }
}

// How a tensor falls into runs of one range each: outer x ranges x inner elements.
struct Runs {
  int64_t outer = 1, ranges = 1, inner = 1;
};

absl::StatusOr<Runs> FindRuns(const Tensor& x, const Tensor& min_range, const Tensor& max_range, int64_t axis) {
  Runs runs;
  if (axis < 0) {
    if (min_range.num_elements() != 1 || max_range.num_elements() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("quantization range: expected one element each, got shapes ", min_range.ShapeString(), " and ", max_range.ShapeString()));
    }
    runs.inner = x.num_elements();
    return runs;
  }
  if (axis >= x.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("axis: expected a value below the rank of input, ", x.rank(), ", got ", axis));
  }
  runs.ranges = x.dim(static_cast<int>(axis));
  for (const Tensor* range : {&min_range, &max_range}) {
    if (range->rank() != 1 || range->dim(0) != runs.ranges) {
      return absl::InvalidArgumentError(
          absl::StrCat("quantization range: expected a vector of ", runs.ranges, " elements, got shape ", range->ShapeString()));
    }
  }
  for (int i = 0; i < axis; ++i) runs.outer *= x.dim(i);
  for (int i = static_cast<int>(axis) + 1; i < x.rank(); ++i) runs.inner *= x.dim(i);
  return runs;
}

template <typename Q>
absl::Status Quantize(KernelCall& c) {
  const QuantizeState& state = c.state<QuantizeState>();
  const Tensor& x = c.input(0);
  ASSIGN_OR_RETURN(const Runs runs, FindRuns(x, c.input(1), c.input(2), state.axis));
  ASSIGN_OR_RETURN(Tensor * y, c.AllocateOutput(0, kDTypeOf<Q>, x.shape()));
  const Shape range_shape = state.axis < 0 ? Shape() : Shape::Of({runs.ranges});
  ASSIGN_OR_RETURN(Tensor * out_min, c.AllocateOutput(1, DType::kFloat32, range_shape));
  ASSIGN_OR_RETURN(Tensor * out_max, c.AllocateOutput(2, DType::kFloat32, range_shape));
  for (int64_t r = 0; r < runs.ranges; ++r) {
    ASSIGN_OR_RETURN(const Range widened, WidenedRange(c.input(1).data<float>()[r], c.input(2).data<float>()[r], state.ensure_minimum_range));
    Range range = widened;
    if (runs.outer == 0) QuantizeRun<Q>(state, nullptr, nullptr, 0, &range);
    for (int64_t o = 0; o < runs.outer; ++o) {
      range = widened;
      const int64_t at = (o * runs.ranges + r) * runs.inner;
      QuantizeRun<Q>(state, x.data<float>() + at, y->mutable_data<Q>() + at, runs.inner, &range);
    }
    out_min->mutable_data<float>()[r] = range.min;
    out_max->mutable_data<float>()[r] = range.max;
  }
  return absl::OkStatus();
}

// y = (q + before) * scale + after
struct Linear {
  float before, scale, after;
};

template <typename Q>
Linear DequantizeFormula(const QuantizeState& state, float min, float max) {
  const float lo = static_cast<float>(kLowest<Q>), hi = static_cast<float>(kHighest<Q>);
  switch (state.mode) {
    case Mode::kMinCombined:
      return {static_cast<float>(kOffset<Q>), (max - min) / (hi - lo), min};
    case Mode::kMinFirst: {
      const float scale = static_cast<float>(static_cast<double>(max - min) / (kHighest<Q> - kLowest<Q>));
      const float rounded_min = max == min ? min : std::round(min / scale) * scale;
      return {0.f, scale, rounded_min - lo * scale};
    }
    case Mode::kScaled: {
      const float lowest = lo + (state.narrow_range ? 1.f : 0.f);
      return {0.f, lo == 0 ? max / hi : std::fmax(min / lowest, max / hi), 0.f};
    }
  }
  return {};
}

template <typename Q, typename Out>
absl::Status Dequantize(KernelCall& c) {
  const QuantizeState& state = c.state<QuantizeState>();
  const Tensor& q = c.input(0);
  ASSIGN_OR_RETURN(const Runs runs, FindRuns(q, c.input(1), c.input(2), state.axis));
  ASSIGN_OR_RETURN(Tensor * y, c.AllocateOutput(0, kDTypeOf<Out>, q.shape()));
  const bool scaled = state.mode == Mode::kScaled;
  for (int64_t o = 0; o < runs.outer; ++o) {
    for (int64_t r = 0; r < runs.ranges; ++r) {
      const Linear f = DequantizeFormula<Q>(state, c.input(1).data<float>()[r], c.input(2).data<float>()[r]);
      const int64_t at = (o * runs.ranges + r) * runs.inner;
      const Q* from = q.data<Q>() + at;
      Out* to = y->mutable_data<Out>() + at;
      for (int64_t i = 0; i < runs.inner; ++i) {
        const float value = static_cast<float>(from[i].value);
        // SCALED goes through int once more, which the largest int32 does not survive.
        to[i] = Out(scaled ? static_cast<float>(std::is_same_v<Q, QInt32> ? Truncate<QInt32>(value) : from[i].value) * f.scale
                           : (value + f.before) * f.scale + f.after);
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<QuantizeState>> DecodeState(const NodeInfo& node) {
  auto state = std::make_shared<QuantizeState>();
  ASSIGN_OR_RETURN(const std::string mode, node.Str("mode"));
  state->mode = mode == "MIN_FIRST" ? Mode::kMinFirst : mode == "SCALED" ? Mode::kScaled : Mode::kMinCombined;
  ASSIGN_OR_RETURN(state->narrow_range, node.Bool("narrow_range"));
  ASSIGN_OR_RETURN(state->axis, node.Int("axis"));
  if (state->axis < -1) return absl::InvalidArgumentError(absl::StrCat("axis: expected a value >= -1, got ", state->axis));
  return state;
}

absl::StatusOr<Kernel> QuantizeKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(std::shared_ptr<QuantizeState> state, DecodeState(node));
  ASSIGN_OR_RETURN(const std::string round_mode, node.Str("round_mode"));
  ASSIGN_OR_RETURN(state->ensure_minimum_range, node.Float("ensure_minimum_range"));
  state->half_to_even = round_mode == "HALF_TO_EVEN";
  if (state->half_to_even && state->mode != Mode::kScaled) {
    return absl::InvalidArgumentError("round_mode: expected HALF_AWAY_FROM_ZERO in this mode, got HALF_TO_EVEN");
  }
  if (state->axis >= 0 && state->mode == Mode::kMinFirst) {
    return absl::UnimplementedError("mode: expected MIN_COMBINED or SCALED with an axis, got MIN_FIRST");
  }
  const KernelFn fn = DispatchDType<kQuantizedTypes>(node.output_dtype(0), KernelFn{}, []<typename Q>() { return &RunKernel<Quantize<Q>>; });
  if (fn == nullptr) return NoKernelFor(node, node.output_dtype(0));
  return Kernel{.fn = fn, .state = std::move(state)};
}

absl::StatusOr<Kernel> DequantizeKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(std::shared_ptr<QuantizeState> state, DecodeState(node));
  const bool to_bfloat16 = node.output_dtype(0) == DType::kBFloat16;
  if (to_bfloat16 && state->mode != Mode::kMinCombined) {
    return absl::InvalidArgumentError("dtype: expected float32 in this mode, got bfloat16");
  }
  const KernelFn fn = DispatchDType<kQuantizedTypes>(node.input_dtype(0), KernelFn{}, [&]<typename Q>() -> KernelFn {
    return to_bfloat16 ? &RunKernel<Dequantize<Q, BFloat16>> : &RunKernel<Dequantize<Q, float>>;
  });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::move(state)};
}

// Ranges are scalars, or vectors of the axis's dimension.
absl::Status CheckRanges(ShapeContext& c, int64_t axis) {
  for (int i : {1, 2}) {
    if (axis < 0) {
      if (c.input(i).has_rank() && c.input(i).rank() > 1) return c.WithRank(i, 0).status();
    } else {
      RETURN_IF_ERROR(c.ExpectVector(i));
    }
  }
  return absl::OkStatus();
}

absl::Status QuantizeShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const int64_t axis, c.Int("axis"));
  RETURN_IF_ERROR(CheckRanges(c, axis));
  c.SetOutput(0, c.input(0));
  PartialShape range = axis < 0 ? PartialShape(Shape()) : PartialShape::UnknownOfRank(1);
  if (axis >= 0 && c.input(0).has_rank()) {
    if (axis >= c.input(0).rank()) return c.WithRankAtLeast(0, static_cast<int>(std::min<int64_t>(axis, kMaxRank)) + 1).status();
    range = PartialShape::Of({c.input(0).dim(static_cast<int>(axis))});
  }
  c.SetOutput(1, range);
  c.SetOutput(2, range);
  return absl::OkStatus();
}

absl::Status DequantizeShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const int64_t axis, c.Int("axis"));
  RETURN_IF_ERROR(CheckRanges(c, axis));
  return shapes::SameAsInput(c);
}

}  // namespace

absl::Status RegisterQuantizeOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "QuantizeV2(input: float32, min_range: float32, max_range: float32) -> "
                   "(output: T, output_min: float32, output_max: float32); T: {qint8, quint8, qint32, qint16, quint16}; "
                   "mode: {\"MIN_COMBINED\", \"MIN_FIRST\", \"SCALED\"} = \"MIN_COMBINED\"; "
                   "round_mode: {\"HALF_AWAY_FROM_ZERO\", \"HALF_TO_EVEN\"} = \"HALF_AWAY_FROM_ZERO\"; narrow_range: bool = false; "
                   "axis: int = -1; ensure_minimum_range: float = 0.01",
      .doc = "Integers that stand for values in a range, and the range that they really stand for",
      .shape = QuantizeShape,
      .kernel = QuantizeKernel,
  }));
  return library.Add({
      .signature = "Dequantize(input: T, min_range: float32, max_range: float32) -> (output: dtype); "
                   "T: {qint8, quint8, qint32, qint16, quint16}; mode: {\"MIN_COMBINED\", \"MIN_FIRST\", \"SCALED\"} = \"MIN_COMBINED\"; "
                   "narrow_range: bool = false; axis: int = -1; dtype: {bfloat16, float32} = float32",
      .doc = "The values that quantised integers stand for",
      .shape = DequantizeShape,
      .kernel = DequantizeKernel,
  });
}

}  // namespace flowlatch
