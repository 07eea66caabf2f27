// The scalar meaning of the unary elementwise ops, as functors; see binary_functors.h.
#ifndef FLOWLATCH_OPS_KERNELS_UNARY_FUNCTORS_H_
#define FLOWLATCH_OPS_KERNELS_UNARY_FUNCTORS_H_

#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <utility>

#include "ops/kernels/element_math.h"
#include "ops/kernels/fast_math.h"

namespace flowlatch::unary {

using namespace element;  // NOLINT: the vocabulary of this file

// Each functor has `template <typename T> static Result Apply(Wide<T> x)`. kApproximate marks those whose last bits
// depend on how their vector loops are compiled.

struct Neg {
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    if constexpr (std::is_integral_v<T>)
      return WrapSub(T{0}, x);
    else
      return -x;
  }
};

// The smallest integer is its own magnitude.
struct Abs {
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    if constexpr (std::is_integral_v<T>)
      return x < 0 ? WrapSub(T{0}, x) : x;
    else
      return std::abs(x);
  }
};

// -1, 0, 1, or NaN; of a complex number the number of magnitude 1 in its direction.
struct Sign {
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    if constexpr (kIsComplex<T>)
      return x == T(0) ? x : x / std::abs(x);
    else
      return x > 0 ? Wide<T>(1) : x < 0 ? Wide<T>(-1) : x == 0 ? Wide<T>(0) : x;
  }
};

struct Square {
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    return Times(x, x);
  }
};

struct Sqrt {
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    return std::sqrt(x);
  }
};

struct Rsqrt {
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    return Quotient(Wide<T>(1), std::sqrt(x));
  }
};

struct Reciprocal {
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    return Quotient(Wide<T>(1), x);
  }
};

struct Exp {
  static constexpr bool kApproximate = true;
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    if constexpr (std::is_same_v<Wide<T>, float>)
      return FastExp(x);
    else
      return std::exp(x);
  }
};

struct Expm1 {
  static constexpr bool kApproximate = true;
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    if constexpr (std::is_same_v<Wide<T>, float>)
      return FastExpm1(x);
    else if constexpr (kIsComplex<T>)
      return std::exp(x) - T(1);
    else
      return std::expm1(x);
  }
};

struct Log {
  static constexpr bool kApproximate = true;
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    if constexpr (std::is_same_v<Wide<T>, float>)
      return FastLog(x);
    else
      return std::log(x);
  }
};

struct Log1p {
  static constexpr bool kApproximate = true;
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    if constexpr (std::is_same_v<Wide<T>, float>)
      return FastLog1p(x);
    else if constexpr (kIsComplex<T>)
      return std::log(T(1) + x);
    else
      return std::log1p(x);
  }
};

struct Tanh {
  static constexpr bool kApproximate = true;
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    if constexpr (std::is_same_v<Wide<T>, float>)
      return FastTanh(x);
    else
      return std::tanh(x);
  }
};

struct Sigmoid {
  static constexpr bool kApproximate = true;
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    if constexpr (std::is_same_v<Wide<T>, float>)
      return FastSigmoid(x);
    else
      return Quotient(Wide<T>(1), Wide<T>(1) + std::exp(-x));
  }
};

struct Floor {
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    return std::floor(x);
  }
};

struct Ceil {
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    return std::ceil(x);
  }
};

// To the nearest integer, halves to even ones. Integers stay.
struct Round {
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    if constexpr (std::is_integral_v<T>)
      return x;
    else if constexpr (kIsComplex<T>)
      return {std::nearbyint(x.real()), std::nearbyint(x.imag())};
    else
      return std::nearbyint(x);
  }
};

// Functions that libm has for all their dtypes.
#define FLOWLATCH_LIBM_FUNCTOR(Name, function) \
  struct Name {                                \
    template <typename T>                      \
    static Wide<T> Apply(Wide<T> x) {          \
      return std::function(x);                 \
    }                                          \
  };
FLOWLATCH_LIBM_FUNCTOR(Sin, sin)
FLOWLATCH_LIBM_FUNCTOR(Cos, cos)
FLOWLATCH_LIBM_FUNCTOR(Tan, tan)
FLOWLATCH_LIBM_FUNCTOR(Asin, asin)
FLOWLATCH_LIBM_FUNCTOR(Acos, acos)
FLOWLATCH_LIBM_FUNCTOR(Sinh, sinh)
FLOWLATCH_LIBM_FUNCTOR(Cosh, cosh)
FLOWLATCH_LIBM_FUNCTOR(Asinh, asinh)
FLOWLATCH_LIBM_FUNCTOR(Acosh, acosh)
FLOWLATCH_LIBM_FUNCTOR(Atanh, atanh)
FLOWLATCH_LIBM_FUNCTOR(Erfc, erfc)
#undef FLOWLATCH_LIBM_FUNCTOR

struct Atan {
  static constexpr bool kApproximate = true;
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    if constexpr (std::is_same_v<Wide<T>, float>)
      return FastAtan(x);
    else
      return std::atan(x);
  }
};

struct Erf {
  static constexpr bool kApproximate = true;
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    if constexpr (std::is_same_v<Wide<T>, float>)
      return FastErf(x);
    else
      return std::erf(x);
  }
};

// The logarithm of the absolute value of the gamma function.
struct Lgamma {
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    int sign;  // std::lgamma would write it to a global
    if constexpr (std::is_same_v<Wide<T>, float>)
      return ::lgammaf_r(x, &sign);
    else
      return ::lgamma_r(x, &sign);
  }
};

// The derivative of Lgamma: reflection below 1/2, then the recurrence up to where the asymptotic series holds.
struct Digamma {
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    return static_cast<Wide<T>>(OfDouble(x));
  }
  static double OfDouble(double x) {
    constexpr double kPi = 3.141592653589793;
    if (std::isnan(x) || x == std::numeric_limits<double>::infinity()) return x;
    if (x <= 0 && x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
    double result = 0;
    if (x < 0.5) {
      result -= kPi / std::tan(kPi * (x - std::floor(x)));
      x = 1 - x;
    }
    for (; x < 10; ++x) result -= 1 / x;
    const double z = 1 / (x * x);
    const double series =
        z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * 691.0 / 32760)))));
    return result + std::log(x) - 0.5 / x - series;
  }
};

struct LogicalNot {
  template <typename T>
  static bool Apply(T x) {
    return !x;
  }
};

struct Invert {
  template <typename T>
  static T Apply(T x) {
    return static_cast<T>(~x);
  }
};

struct PopulationCount {
  template <typename T>
  static uint8_t Apply(T x) {
    return static_cast<uint8_t>(std::popcount(static_cast<std::make_unsigned_t<T>>(x)));
  }
};

struct IsNan {
  template <typename T>
  static bool Apply(Wide<T> x) {
    return x != x;
  }
};

struct IsInf {
  template <typename T>
  static bool Apply(Wide<T> x) {
    return std::abs(x) == std::numeric_limits<Wide<T>>::infinity();
  }
};

struct IsFinite {
  template <typename T>
  static bool Apply(Wide<T> x) {
    return std::abs(x) < std::numeric_limits<Wide<T>>::infinity();
  }
};

struct Conj {
  template <typename T>
  static T Apply(T x) {
    return std::conj(x);
  }
};

struct Real {
  template <typename T>
  static typename T::value_type Apply(T x) {
    return x.real();
  }
};

struct Imag {
  template <typename T>
  static typename T::value_type Apply(T x) {
    return x.imag();
  }
};

struct ComplexAbs {
  template <typename T>
  static typename T::value_type Apply(T x) {
    return std::abs(x);
  }
};

// The angle of a complex number from the positive real axis.
struct Angle {
  template <typename T>
  static typename T::value_type Apply(T x) {
    return std::arg(x);
  }
};

// The element type of the result of Op for elements of type T.
template <typename Op, typename T>
using ResultOf = Stored<T, decltype(Op::template Apply<T>(std::declval<const T&>()))>;

}  // namespace flowlatch::unary

#endif  // FLOWLATCH_OPS_KERNELS_UNARY_FUNCTORS_H_
