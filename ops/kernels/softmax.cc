#include "ops/kernels/softmax.h"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/softmax.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flowlatch {
namespace HWY_NAMESPACE {

template <typename T>
T LargestOf(const T* x, int64_t n) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const T lowest = -std::numeric_limits<T>::infinity();
  auto largest = hn::Set(d, lowest);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) largest = hn::Max(largest, hn::LoadU(d, x + i));
  if (i < n) largest = hn::Max(largest, LoadFirst(d, x + i, n - i, lowest));
  return hn::GetLane(hn::MaxOfLanes(d, largest));
}

// y[i] = exp(x[i] - shift); returns their sum.
template <typename T>
T ExpAndSum(const T* x, T shift, T* y, int64_t n) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto s = hn::Set(d, shift);
  auto sum = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto e = ExpOfAny(d, hn::Sub(hn::LoadU(d, x + i), s));
    sum = hn::Add(sum, e);
    hn::StoreU(e, d, y + i);
  }
  if (i < n) {
    const auto e = ExpOfAny(d, hn::Sub(LoadFirst(d, x + i, n - i, shift), s));
    sum = hn::Add(sum, hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(n - i)), e));
    StoreFirst(d, e, y + i, n - i);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// The sum of exp(x[i] - shift).
template <typename T>
T SumOfExp(const T* x, T shift, int64_t n) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto s = hn::Set(d, shift);
  auto sum = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) sum = hn::Add(sum, ExpOfAny(d, hn::Sub(hn::LoadU(d, x + i), s)));
  if (i < n) {
    const auto e = ExpOfAny(d, hn::Sub(LoadFirst(d, x + i, n - i, shift), s));
    sum = hn::Add(sum, hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(n - i)), e));
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

template <typename T>
void Softmax(const T* x, T* y, int64_t n) {
  const hn::ScalableTag<T> d;
  const T sum = ExpAndSum(x, LargestOf(x, n), y, n);
  const auto factor = hn::Set(d, T(1) / sum);
  Map(d, y, y, n, [factor](auto v) { return hn::Mul(v, factor); });
}

template <typename T>
void LogSoftmax(const T* x, T* y, int64_t n) {
  const hn::ScalableTag<T> d;
  const T largest = LargestOf(x, n);
  const auto shift = hn::Set(d, largest), log_sum = hn::Set(d, std::log(SumOfExp(x, largest, n)));
  Map(d, x, y, n, [=](auto v) { return hn::Sub(hn::Sub(v, shift), log_sum); });
}

// As many rows of n as a vector has lanes, one in each lane.
template <bool kLog, typename T>
void RowsInLanes(const T* x, T* y, int64_t n) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto index = hn::Mul(hn::Iota(di, 0), hn::Set(di, static_cast<hn::TFromD<decltype(di)>>(n)));
  const auto column = [&](int64_t c) { return hn::GatherIndex(d, x + c, index); };
  auto largest = column(0);
  for (int64_t c = 1; c < n; ++c) largest = hn::Max(largest, column(c));
  auto sum = hn::Zero(d);
  for (int64_t c = 0; c < n; ++c) sum = hn::Add(sum, ExpOfAny(d, hn::Sub(column(c), largest)));
  HWY_ALIGN T logs[hn::MaxLanes(d)];
  if (kLog) {  // Highway's logarithm is less exact, and does not know NaN
    hn::Store(sum, d, logs);
    for (T& log : logs) log = std::log(log);
  }
  const auto scale = kLog ? hn::Load(d, logs) : hn::Div(Number(d, 1), sum);
  for (int64_t c = 0; c < n; ++c) {
    const auto shifted = hn::Sub(column(c), largest);
    const auto result = kLog ? hn::Sub(shifted, scale) : hn::Mul(ExpOfAny(d, shifted), scale);
    hn::ScatterIndex(result, d, y + c, index);
  }
}

constexpr int64_t kShortRow = 4;  // longer ones are summed up pairwise, as by TensorFlow, which is nearer to the truth

template <bool kLog, typename T>
void Rows(const T* x, T* y, int64_t rows, int64_t n) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  if (n > kShortRow) {
    for (int64_t r = 0; r < rows; ++r) kLog ? LogSoftmax(x + r * n, y + r * n, n) : Softmax(x + r * n, y + r * n, n);
    return;
  }
  int64_t r = 0;
  for (; r + lanes <= rows; r += lanes) RowsInLanes<kLog>(x + r * n, y + r * n, n);
  if (r == rows) return;
  HWY_ALIGN T rest[kShortRow * hn::MaxLanes(d)] = {};
  std::memcpy(rest, x + r * n, (rows - r) * n * sizeof(T));
  RowsInLanes<kLog>(rest, rest, n);
  std::memcpy(y + r * n, rest, (rows - r) * n * sizeof(T));
}

template <typename T>
T CrossEntropy(const T* x, const T* labels, T* backprop, int64_t n) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const T largest = LargestOf(x, n), sum = SumOfExp(x, largest, n);
  const auto shift = hn::Set(d, largest), log_sum = hn::Set(d, std::log(sum)), factor = hn::Set(d, T(1) / sum);
  auto loss = hn::Zero(d);
  // Elements beyond the row have label 0 and logit `largest`, which adds 0.
  const auto step = [&](auto logit, auto label) {
    const auto shifted = hn::Sub(logit, shift);
    loss = hn::Add(loss, hn::Mul(label, hn::Sub(log_sum, shifted)));
    return hn::Sub(hn::Mul(ExpOfAny(d, shifted), factor), label);
  };
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(step(hn::LoadU(d, x + i), hn::LoadU(d, labels + i)), d, backprop + i);
  if (i < n) {
    const auto out = step(LoadFirst(d, x + i, n - i, largest), LoadFirst(d, labels + i, n - i, T(0)));
    StoreFirst(d, out, backprop + i, n - i);
  }
  return hn::GetLane(hn::SumOfLanes(d, loss));
}

template <typename T>
T SparseCrossEntropy(const T* x, int64_t label, T* backprop, int64_t n) {
  const hn::ScalableTag<T> d;
  const T largest = LargestOf(x, n), shifted = x[label] - largest;
  const T sum = ExpAndSum(x, largest, backprop, n);
  const auto factor = hn::Set(d, T(1) / sum);
  Map(d, backprop, backprop, n, [factor](auto v) { return hn::Mul(v, factor); });
  backprop[label] -= T(1);
  return std::log(sum) - shifted;
}

#define FLOWLATCH_ROWS(T, Name)                                                                           \
  void SoftmaxRows##Name(const T* x, T* y, int64_t rows, int64_t n, bool log) {                           \
    log ? Rows<true>(x, y, rows, n) : Rows<false>(x, y, rows, n);                                         \
  }                                                                                                       \
  T CrossEntropy##Name(const T* x, const T* labels, T* b, int64_t n) { return CrossEntropy(x, labels, b, n); } \
  T SparseCrossEntropy##Name(const T* x, int64_t label, T* b, int64_t n) { return SparseCrossEntropy(x, label, b, n); }
FLOWLATCH_ROWS(float, Float)
FLOWLATCH_ROWS(double, Double)
#undef FLOWLATCH_ROWS

}  // namespace HWY_NAMESPACE
}  // namespace flowlatch
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flowlatch {

#define FLOWLATCH_ROWS(T, Name)                                                    \
  HWY_EXPORT(SoftmaxRows##Name);                                                   \
  HWY_EXPORT(CrossEntropy##Name);                                                  \
  HWY_EXPORT(SparseCrossEntropy##Name);                                            \
  template <>                                                                      \
  void SoftmaxRows(const T* x, T* y, int64_t rows, int64_t n, bool log) {          \
    HWY_DYNAMIC_DISPATCH(SoftmaxRows##Name)(x, y, rows, n, log);                   \
  }                                                                                \
  template <>                                                                      \
  T CrossEntropyRow(const T* x, const T* labels, T* backprop, int64_t n) {         \
    return HWY_DYNAMIC_DISPATCH(CrossEntropy##Name)(x, labels, backprop, n);       \
  }                                                                                \
  template <>                                                                      \
  T SparseCrossEntropyRow(const T* x, int64_t label, T* backprop, int64_t n) {     \
    return HWY_DYNAMIC_DISPATCH(SparseCrossEntropy##Name)(x, label, backprop, n);  \
  }
FLOWLATCH_ROWS(float, Float)
FLOWLATCH_ROWS(double, Double)
#undef FLOWLATCH_ROWS

}  // namespace flowlatch
#endif  // HWY_ONCE
