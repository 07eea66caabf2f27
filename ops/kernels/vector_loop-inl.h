// Loops over contiguous elements for files that Highway compiles once per target: whole vectors, then the rest through a
// vector on the stack. An output may be the same memory as an input.
#if defined(FLOWLATCH_OPS_KERNELS_VECTOR_LOOP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FLOWLATCH_OPS_KERNELS_VECTOR_LOOP_INL_H_
#undef FLOWLATCH_OPS_KERNELS_VECTOR_LOOP_INL_H_
#else
#define FLOWLATCH_OPS_KERNELS_VECTOR_LOOP_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace flowlatch {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
inline hn::Vec<D> Number(D d, double x) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(x));
}

// exp of any x: Highway's knows only what does not overflow, and makes 0 of NaN.
template <class D, class V>
inline V ExpOfAny(D d, V x) {
  const V largest = Number(d, sizeof(hn::TFromD<D>) == 4 ? 104 : 706);
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Exp(d, hn::Min(x, largest)));
}

// The first n elements of a vector, n less than its lanes; the others are `fill`.
template <class D, typename T>
inline hn::Vec<D> LoadFirst(D d, const T* x, int64_t n, T fill) {
  HWY_ALIGN T lanes[hn::MaxLanes(d)];
  hn::Store(hn::Set(d, fill), d, lanes);
  std::memcpy(lanes, x, n * sizeof(T));
  return hn::Load(d, lanes);
}

template <class D, class V, typename T>
inline void StoreFirst(D d, V v, T* y, int64_t n) {
  HWY_ALIGN T lanes[hn::MaxLanes(d)];
  hn::Store(v, d, lanes);
  std::memcpy(y, lanes, n * sizeof(T));
}

// y[i] = f(x[i]) on vectors.
template <class D, typename T, class F>
inline void Map(D d, const T* x, T* y, int64_t n, F f) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(hn::LoadU(d, x + i)), d, y + i);
  if (i < n) StoreFirst(d, f(LoadFirst(d, x + i, n - i, T(0))), y + i, n - i);
}

// z[i] = f(x[i], y[i]) on vectors.
template <class D, typename T, class F>
inline void Map2(D d, const T* x, const T* y, T* z, int64_t n, F f) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, z + i);
  if (i < n) {
    StoreFirst(d, f(LoadFirst(d, x + i, n - i, T(0)), LoadFirst(d, y + i, n - i, T(0))), z + i, n - i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace flowlatch
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
