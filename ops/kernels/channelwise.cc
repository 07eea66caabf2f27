#include "ops/kernels/channelwise.h"

#include <algorithm>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/channelwise.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flowlatch {
namespace HWY_NAMESPACE {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// What a loop needs to know of each channel; null is read as 0.
struct Parameters {
  const float* mean = nullptr;
  const float* a = nullptr;
  const float* b = nullptr;
  const float* shift = nullptr;
};

struct ParameterVectors {
  V mean, a, b, shift;
};

// Rows of few channels are taken several at a time, as rows of whole vectors whose parameters repeat.
struct FewChannels {
  int64_t rows_at_a_time, channels;  // of the wide rows
  Units wide, rest;                  // the wide rows, as of a tensor that begins at the units; rows that are left
};

// Rows at a time: 1 if there are enough channels, or too few rows.
FewChannels SplitRows(const ChannelShape& shape, Units units) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(D())), rows = units.end - units.begin;
  const bool few = shape.inner == 1 && shape.channels > 0 && shape.channels < lanes && rows >= 2 * lanes;
  const int64_t together = few ? lanes : 1, wide = few ? rows / lanes : 0;
  return {together, shape.channels * together, {0, wide}, {units.begin + wide * together, units.end}};
}

constexpr int64_t kMaxFew = static_cast<int64_t>(hn::MaxLanes(D())) * static_cast<int64_t>(hn::MaxLanes(D()));

// A parameter repeated for wide rows, in `repeated`; null stays null.
const float* Repeat(const float* parameter, const ChannelShape& shape, const FewChannels& few, float* repeated) {
  if (parameter == nullptr) return nullptr;
  for (int64_t i = 0; i < few.channels; ++i) repeated[i] = parameter[i % shape.channels];
  return repeated;
}

// y[i] = f(x[i], z[i], the parameters of i's channel) over units; a null z is read as x.
template <class F>
void MapChannels(const ChannelShape& shape, Units units, const float* x, const float* z, const Parameters& p, float* y,
                 F f) {
  const D d;
  const V zero = hn::Zero(d);
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), size = shape.unit_size();
  const auto all = [&](auto load) { return ParameterVectors{load(p.mean), load(p.a), load(p.b), load(p.shift)}; };
  if (z == nullptr) z = x;
  if (const FewChannels few = SplitRows(shape, units); few.rows_at_a_time > 1) {
    float mean[kMaxFew], a[kMaxFew], b[kMaxFew], shift[kMaxFew];
    const Parameters wide{.mean = Repeat(p.mean, shape, few, mean),
                          .a = Repeat(p.a, shape, few, a),
                          .b = Repeat(p.b, shape, few, b),
                          .shift = Repeat(p.shift, shape, few, shift)};
    const int64_t at = units.begin * size;
    MapChannels({.outer = few.wide.end, .channels = few.channels}, few.wide, x + at, z + at, wide, y + at, f);
    units = few.rest;
  }
  // The first `count` elements at `i` of one unit.
  const auto map = [&](int64_t i, int64_t count, const ParameterVectors& v) {
    if (count == lanes) return hn::StoreU(f(hn::LoadU(d, x + i), hn::LoadU(d, z + i), v), d, y + i);
    StoreFirst(d, f(LoadFirst(d, x + i, count, 0.0f), LoadFirst(d, z + i, count, 0.0f), v), y + i, count);
  };
  if (shape.inner > 1) {
    for (int64_t u = units.begin; u < units.end; ++u) {
      const int64_t channel = u % shape.channels;
      const ParameterVectors v = all([&](const float* q) { return q != nullptr ? hn::Set(d, q[channel]) : zero; });
      for (int64_t i = 0; i < size; i += lanes) map(u * size + i, std::min(lanes, size - i), v);
    }
    return;
  }
  // Some rows at a time, that stay in the first-level cache, so that parameters are loaded once for all of them.
  constexpr int64_t kElements = 2048;
  const int64_t rows = std::max<int64_t>(1, kElements / size);
  for (int64_t begin = units.begin; begin < units.end; begin += rows) {
    const int64_t end = std::min(units.end, begin + rows);
    for (int64_t i = 0; i < size; i += lanes) {
      const int64_t count = std::min(lanes, size - i);
      const ParameterVectors v = all([&](const float* q) {
        if (q == nullptr) return zero;
        return count == lanes ? hn::LoadU(d, q + i) : LoadFirst(d, q + i, count, 0.0f);
      });
      for (int64_t r = begin; r < end; ++r) map(r * size + i, count, v);
    }
  }
}

// sums[c] += sum of f(x[i], z[i], mean[c]); a null z or mean is read as 0. Up to kRun elements are added in float.
constexpr int64_t kRun = 64;

template <class F>
void SumRows(const ChannelShape& shape, Units units, const float* x, const float* z, const float* mean, double* sums,
             F f) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), channels = shape.channels;
  if (const FewChannels few = SplitRows(shape, units); few.rows_at_a_time > 1) {
    float means[kMaxFew];
    double wide_sums[kMaxFew] = {};
    const int64_t at = units.begin * channels;
    SumRows({.outer = few.wide.end, .channels = few.channels}, few.wide, x + at, z != nullptr ? z + at : nullptr,
            Repeat(mean, shape, few, means), wide_sums, f);
    for (int64_t i = 0; i < few.channels; ++i) sums[i % channels] += wide_sums[i];
    units = few.rest;
  }
  const auto load = [&](const float* p, int64_t at, int64_t count) {
    if (p == nullptr) return hn::Zero(d);
    return count == lanes ? hn::LoadU(d, p + at) : LoadFirst(d, p + at, count, 0.0f);
  };
  HWY_ALIGN float total[hn::MaxLanes(d)];
  for (int64_t begin = units.begin; begin < units.end; begin += kRun) {
    const int64_t end = std::min(units.end, begin + kRun);
    for (int64_t c = 0; c < channels; c += lanes) {
      const int64_t count = std::min(lanes, channels - c);
      const V m = load(mean, c, count);
      V sum = hn::Zero(d), odd = hn::Zero(d);  // two chains of additions
      const auto at = [&](int64_t r) { return f(load(x, r * channels + c, count), load(z, r * channels + c, count), m); };
      int64_t r = begin;
      for (; r + 2 <= end; r += 2) {
        sum = hn::Add(sum, at(r));
        odd = hn::Add(odd, at(r + 1));
      }
      if (r < end) sum = hn::Add(sum, at(r));
      sum = hn::Add(sum, odd);
      hn::Store(sum, d, total);
      for (int64_t i = 0; i < count; ++i) sums[c + i] += static_cast<double>(total[i]);
    }
  }
}

template <class F>
void SumPlanes(const ChannelShape& shape, Units units, const float* x, const float* z, const float* mean, double* sums,
               F f) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), run = kRun * lanes;
  for (int64_t u = units.begin; u < units.end; ++u) {
    const int64_t channel = u % shape.channels, base = u * shape.inner;
    const V m = mean != nullptr ? hn::Set(d, mean[channel]) : hn::Zero(d);
    for (int64_t begin = 0; begin < shape.inner; begin += run) {
      const int64_t end = std::min(shape.inner, begin + run);
      V sum = hn::Zero(d);
      int64_t i = begin;
      for (; i + lanes <= end; i += lanes) {
        sum = hn::Add(sum, f(hn::LoadU(d, x + base + i), z != nullptr ? hn::LoadU(d, z + base + i) : hn::Zero(d), m));
      }
      if (i < end) {
        const V v = f(LoadFirst(d, x + base + i, end - i, 0.0f),
                      z != nullptr ? LoadFirst(d, z + base + i, end - i, 0.0f) : hn::Zero(d), m);
        sum = hn::Add(sum, hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(end - i)), v));
      }
      sums[channel] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
    }
  }
}

template <class F>
void Sum(const ChannelShape& shape, Units units, const float* x, const float* z, const float* mean, double* sums, F f) {
  shape.inner == 1 ? SumRows(shape, units, x, z, mean, sums, f) : SumPlanes(shape, units, x, z, mean, sums, f);
}

void AddBiasImpl(const ChannelShape& shape, Units units, const float* x, const float* bias, float* y) {
  MapChannels(shape, units, x, nullptr, {.shift = bias}, y,
              [](V v, V, const ParameterVectors& p) { return hn::Add(v, p.shift); });
}

void NormalizeImpl(const ChannelShape& shape, Units units, const float* x, const float* mean, const float* scale,
                   const float* shift, float* y) {
  MapChannels(shape, units, x, nullptr, {.mean = mean, .a = scale, .shift = shift}, y,
              [](V v, V, const ParameterVectors& p) { return hn::MulAdd(hn::Sub(v, p.mean), p.a, p.shift); });
}

void NormalizeAndAddImpl(const ChannelShape& shape, Units units, const float* x, const float* a, const float* z,
                         const float* mean, const float* b, const float* shift, float* y) {
  MapChannels(shape, units, x, z, {.mean = mean, .a = a, .b = b, .shift = shift}, y,
              [](V v, V w, const ParameterVectors& p) {
                return hn::MulAdd(v, p.a, hn::MulAdd(hn::Sub(w, p.mean), p.b, p.shift));
              });
}

void AddSumsImpl(const ChannelShape& shape, Units units, const float* x, double* sums) {
  Sum(shape, units, x, nullptr, nullptr, sums, [](V v, V, V) { return v; });
}

void AddSquaredDifferencesImpl(const ChannelShape& shape, Units units, const float* x, const float* mean,
                               double* sums) {
  Sum(shape, units, x, nullptr, mean, sums, [](V v, V, V m) {
    const V difference = hn::Sub(v, m);
    return hn::Mul(difference, difference);
  });
}

void AddProductsImpl(const ChannelShape& shape, Units units, const float* z, const float* x, const float* mean,
                     double* sums) {
  Sum(shape, units, x, z, mean, sums, [](V v, V w, V m) { return hn::Mul(w, hn::Sub(v, m)); });
}

}  // namespace HWY_NAMESPACE
}  // namespace flowlatch
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flowlatch {

HWY_EXPORT(AddBiasImpl);
HWY_EXPORT(NormalizeImpl);
HWY_EXPORT(NormalizeAndAddImpl);
HWY_EXPORT(AddSumsImpl);
HWY_EXPORT(AddSquaredDifferencesImpl);
HWY_EXPORT(AddProductsImpl);

void AddBias(const ChannelShape& shape, Units units, const float* x, const float* bias, float* y) {
  HWY_DYNAMIC_DISPATCH(AddBiasImpl)(shape, units, x, bias, y);
}
void Normalize(const ChannelShape& shape, Units units, const float* x, const float* mean, const float* scale,
               const float* shift, float* y) {
  HWY_DYNAMIC_DISPATCH(NormalizeImpl)(shape, units, x, mean, scale, shift, y);
}
void NormalizeAndAdd(const ChannelShape& shape, Units units, const float* x, const float* a, const float* z,
                     const float* mean, const float* b, const float* shift, float* y) {
  HWY_DYNAMIC_DISPATCH(NormalizeAndAddImpl)(shape, units, x, a, z, mean, b, shift, y);
}
void AddSums(const ChannelShape& shape, Units units, const float* x, double* sums) {
  HWY_DYNAMIC_DISPATCH(AddSumsImpl)(shape, units, x, sums);
}
void AddSquaredDifferences(const ChannelShape& shape, Units units, const float* x, const float* mean, double* sums) {
  HWY_DYNAMIC_DISPATCH(AddSquaredDifferencesImpl)(shape, units, x, mean, sums);
}
void AddProducts(const ChannelShape& shape, Units units, const float* z, const float* x, const float* mean,
                 double* sums) {
  HWY_DYNAMIC_DISPATCH(AddProductsImpl)(shape, units, z, x, mean, sums);
}

}  // namespace flowlatch
#endif  // HWY_ONCE
