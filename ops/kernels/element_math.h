// Arithmetic on elements of any dtype, as elementwise kernels mean it: integers wrap, small floats compute in float32.
#ifndef FLOWLATCH_OPS_KERNELS_ELEMENT_MATH_H_
#define FLOWLATCH_OPS_KERNELS_ELEMENT_MATH_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <string_view>
#include <type_traits>

#include "graph/base/checked_math.h"
#include "graph/tensor/dtype.h"
#include "graph/tensor/string.h"
#include "ops/kernels/small_floats.h"

namespace flowlatch::element {

template <typename T>
inline constexpr bool kIsComplex = false;
template <typename T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

// The type in which elements of type T are computed with: float for the small formats.
template <typename T>
using Wide =
    std::conditional_t<kIsSmallFloat<T>, float, std::conditional_t<std::is_same_v<T, String>, std::string_view, T>>;

// An intermediate result with the precision of T: small formats round after each step, not only at the end.
template <typename T>
inline Wide<T> Rounded(Wide<T> x) {
  if constexpr (std::is_same_v<T, Half>) return RoundedToHalf(x);
  if constexpr (kIsSmallFloat<T>) return static_cast<float>(T(x));
  return x;
}

template <typename T>
inline std::complex<T> ComplexMul(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Scaled by the divisor's larger part against overflow; NaN for a zero divisor.
template <typename T>
inline std::complex<T> ComplexDiv(std::complex<T> a, std::complex<T> b) {
  const T scale = std::max(std::abs(b.real()), std::abs(b.imag()));
  const T re = b.real() / scale, im = b.imag() / scale;
  const T norm = (re * re + im * im) * scale;
  return {(a.real() * re + a.imag() * im) / norm, (a.imag() * re - a.real() * im) / norm};
}

template <typename T>
inline T Times(T a, T b) {
  if constexpr (kIsComplex<T>)
    return ComplexMul(a, b);
  else if constexpr (std::is_integral_v<T>)
    return WrapMul(a, b);
  else
    return a * b;
}

template <typename T>
inline T Minus(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return WrapSub(a, b);
  else
    return a - b;
}

// Requires: b != 0 for integers; the smallest integer divided by -1 is itself.
template <typename T>
inline T Quotient(T a, T b) {
  if constexpr (kIsComplex<T>)
    return ComplexDiv(a, b);
  else if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return WrapSub(T{0}, a);
    }
    return static_cast<T>(a / b);
  } else
    return a / b;
}

// The element type of an op's result, when its functor returns `Returned` for operands of type T: a computed value is
// stored as T, anything else (a bool, the real part of a complex number) as it is.
template <typename T, typename Returned>
using Stored =
    std::conditional_t<std::is_same_v<Returned, Wide<T>> || std::is_same_v<Returned, std::string>, T, Returned>;

}  // namespace flowlatch::element

#endif  // FLOWLATCH_OPS_KERNELS_ELEMENT_MATH_H_
