// The associative operations of reductions, segment sums and scans: what they start from and how two values combine.
#ifndef FLOWLATCH_OPS_KERNELS_COMBINE_H_
#define FLOWLATCH_OPS_KERNELS_COMBINE_H_

#include <complex>
#include <limits>
#include <type_traits>

#include "graph/base/checked_math.h"
#include "graph/tensor/float_types.h"

namespace flowlatch::combine {

// Where values of T are combined: float for the small formats, T otherwise.
template <typename T>
using Wide = std::conditional_t<kIsSmallFloat<T>, float, T>;

template <typename T>
inline constexpr bool kHasInfinity = std::numeric_limits<T>::has_infinity;

// Integers wrap.
struct Sum {
  template <typename T>
  static constexpr T Identity() { return T(0); }
  template <typename T>
  static constexpr T Apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) return WrapAdd(a, b);
    else return a + b;
  }
};

struct Prod {
  template <typename T>
  static constexpr T Identity() { return T(1); }
  template <typename T>
  static constexpr T Apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) return WrapMul(a, b);
    else return a * b;
  }
};

// NaN if one is NaN.
struct Max {
  template <typename T>
  static constexpr T Identity() {
    if constexpr (kHasInfinity<T>) return -std::numeric_limits<T>::infinity();
    else return std::numeric_limits<T>::lowest();
  }
  template <typename T>
  static constexpr T Apply(T a, T b) { return a > b || a != a ? a : b; }
};

struct Min {
  template <typename T>
  static constexpr T Identity() {
    if constexpr (kHasInfinity<T>) return std::numeric_limits<T>::infinity();
    else return std::numeric_limits<T>::max();
  }
  template <typename T>
  static constexpr T Apply(T a, T b) { return a < b || a != a ? a : b; }
};

}  // namespace flowlatch::combine

#endif  // FLOWLATCH_OPS_KERNELS_COMBINE_H_
