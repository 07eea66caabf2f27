#include "ops/kernels/small_floats.h"

#include <cstring>

#include "ops/kernels/loop_macros.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/small_floats.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flowlatch {
namespace HWY_NAMESPACE {

// Processors with AVX2 convert Half; Highway's own way for others is not exact everywhere.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
void WidenHalf(const Half* x, float* y, int64_t n) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> d16;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto* from = reinterpret_cast<const hwy::float16_t*>(x);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::PromoteTo(d, hn::LoadU(d16, from + i)), d, y + i);
  for (; i < n; ++i) y[i] = static_cast<float>(x[i]);
}

void NarrowHalf(const float* x, Half* y, int64_t n) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> d16;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto* to = reinterpret_cast<hwy::float16_t*>(y);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::DemoteTo(d16, hn::LoadU(d, x + i)), d16, to + i);
  for (; i < n; ++i) y[i] = Half(x[i]);
}
#else
void WidenHalf(const Half* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(x[i]);
}
void NarrowHalf(const float* x, Half* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = Half(x[i]);
}
#endif

void WidenBFloat16(const BFloat16* x, float* y, int64_t n) {
  FLOWLATCH_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(x[i]);
}
void NarrowBFloat16(const float* x, BFloat16* y, int64_t n) {
  FLOWLATCH_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < n; ++i) y[i] = BFloat16(x[i]);
}

}  // namespace HWY_NAMESPACE
}  // namespace flowlatch
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flowlatch {

HWY_EXPORT(WidenHalf);
HWY_EXPORT(NarrowHalf);
HWY_EXPORT(WidenBFloat16);
HWY_EXPORT(NarrowBFloat16);

void WidenFloats(const Half* x, float* y, int64_t n) { HWY_DYNAMIC_DISPATCH(WidenHalf)(x, y, n); }
void WidenFloats(const BFloat16* x, float* y, int64_t n) { HWY_DYNAMIC_DISPATCH(WidenBFloat16)(x, y, n); }
void NarrowFloats(const float* x, Half* y, int64_t n) { HWY_DYNAMIC_DISPATCH(NarrowHalf)(x, y, n); }
void NarrowFloats(const float* x, BFloat16* y, int64_t n) { HWY_DYNAMIC_DISPATCH(NarrowBFloat16)(x, y, n); }

}  // namespace flowlatch
#endif  // HWY_ONCE
