// The scalar meaning of the binary elementwise ops, as functors, and the types in which they compute. Vector loops and
// scalar kernels apply the same functors, so a result does not depend on a tensor's size.
#ifndef FLOWLATCH_OPS_KERNELS_BINARY_FUNCTORS_H_
#define FLOWLATCH_OPS_KERNELS_BINARY_FUNCTORS_H_

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "ops/kernels/element_math.h"
#include "ops/kernels/fast_math.h"

namespace flowlatch::binary {

using namespace element;  // NOLINT: the vocabulary of this file

// Each functor has `template <typename T> static Result Apply(Wide<T> a, Wide<T> b)`. Those with kFails take a third
// argument and set it to true where the operands have no result; the value returned then does not matter.

struct Add {
  template <typename T>
  static auto Apply(Wide<T> a, Wide<T> b) {
    if constexpr (std::is_same_v<T, String>)
      return std::string(a).append(b);
    else if constexpr (std::is_integral_v<T>)
      return WrapAdd(a, b);
    else
      return a + b;
  }
};

struct Sub {
  template <typename T>
  static Wide<T> Apply(Wide<T> a, Wide<T> b) {
    return Minus(a, b);
  }
};

struct Mul {
  template <typename T>
  static Wide<T> Apply(Wide<T> a, Wide<T> b) {
    return Times(a, b);
  }
};

// Division of floats and complex numbers; of integers towards zero.
struct Div {
  static constexpr bool kFails = true;
  template <typename T>
  static Wide<T> Apply(Wide<T> a, Wide<T> b, bool& failed) {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) return failed = true, T{0};
    }
    return Quotient(a, b);
  }
};

struct RealDiv {
  template <typename T>
  static Wide<T> Apply(Wide<T> a, Wide<T> b) {
    return Quotient(a, b);
  }
};

struct TruncateDiv {
  static constexpr bool kFails = true;
  template <typename T>
  static Wide<T> Apply(Wide<T> a, Wide<T> b, bool& failed) {
    if constexpr (std::is_integral_v<T>)
      return Div::Apply<T>(a, b, failed);
    else
      return std::trunc(Rounded<T>(a / b));
  }
};

struct FloorDiv {
  static constexpr bool kFails = true;
  template <typename T>
  static Wide<T> Apply(Wide<T> a, Wide<T> b, bool& failed) {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) return failed = true, T{0};
      const T q = Quotient(a, b);
      if constexpr (std::is_signed_v<T>) {
        if ((a < 0) != (b < 0) && WrapMul(q, b) != a) return static_cast<T>(q - 1);
      }
      return q;
    } else {
      return std::floor(Rounded<T>(a / b));
    }
  }
};

// The remainder with the dividend's sign, as fmod.
struct TruncateMod {
  static constexpr bool kFails = true;
  template <typename T>
  static Wide<T> Apply(Wide<T> a, Wide<T> b, bool& failed) {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) return failed = true, T{0};
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) return T{0};
      }
      return static_cast<T>(a % b);
    } else {
      return std::fmod(a, b);
    }
  }
};

// The remainder with the divisor's sign.
struct FloorMod {
  static constexpr bool kFails = true;
  template <typename T>
  static Wide<T> Apply(Wide<T> a, Wide<T> b, bool& failed) {
    const Wide<T> r = TruncateMod::Apply<T>(a, b, failed);
    return r != 0 && (r < 0) != (b < 0) ? static_cast<Wide<T>>(r + b) : r;
  }
};

// Integers wrap; a negative exponent of an integer has no result.
struct Pow {
  static constexpr bool kFails = true;
  template <typename T>
  static Wide<T> Apply(Wide<T> a, Wide<T> b, bool& failed) {
    if constexpr (std::is_integral_v<T>) {
      if (b < 0) return failed = true, T{0};
      T result = 1;
      for (std::make_unsigned_t<T> rest = b; rest != 0; rest >>= 1, a = WrapMul(a, a)) {
        if (rest & 1) result = WrapMul(result, a);
      }
      return result;
    } else {
      return std::pow(a, b);
    }
  }
};

// NaN if either operand is.
struct Maximum {
  template <typename T>
  static Wide<T> Apply(Wide<T> a, Wide<T> b) {
    return ((a < b) | (b != b)) ? b : a;
  }
};

struct Minimum {
  template <typename T>
  static Wide<T> Apply(Wide<T> a, Wide<T> b) {
    return ((b < a) | (b != b)) ? b : a;
  }
};

// (a - b)^2; of complex numbers the squared distance.
struct SquaredDifference {
  template <typename T>
  static Wide<T> Apply(Wide<T> a, Wide<T> b) {
    const Wide<T> d = Rounded<T>(Minus(a, b));
    if constexpr (kIsComplex<T>)
      return Times(d, std::conj(d));
    else
      return Times(d, d);
  }
};

struct DivNoNan {
  template <typename T>
  static Wide<T> Apply(Wide<T> a, Wide<T> b) {
    return b == Wide<T>(0) ? Wide<T>(0) : Quotient(a, b);
  }
};

struct MulNoNan {
  template <typename T>
  static Wide<T> Apply(Wide<T> a, Wide<T> b) {
    return b == Wide<T>(0) ? Wide<T>(0) : Times(a, b);
  }
};

struct Xdivy {
  template <typename T>
  static Wide<T> Apply(Wide<T> a, Wide<T> b) {
    return a == Wide<T>(0) ? Wide<T>(0) : Quotient(a, b);
  }
};

struct Xlogy {
  template <typename T>
  static Wide<T> Apply(Wide<T> a, Wide<T> b) {
    if constexpr (std::is_same_v<Wide<T>, float>)
      return a == 0 ? 0 : a * Rounded<T>(FastLog(b));
    else
      return a == Wide<T>(0) ? Wide<T>(0) : Times(a, Rounded<T>(std::log(b)));
  }
};

struct Xlog1py {
  template <typename T>
  static Wide<T> Apply(Wide<T> a, Wide<T> b) {
    if constexpr (std::is_same_v<Wide<T>, float>)
      return a == 0 ? 0 : a * Rounded<T>(FastLog1p(b));
    else if constexpr (kIsComplex<T>)
      return a == Wide<T>(0) ? Wide<T>(0) : Times(a, std::log(Wide<T>(1) + b));
    else
      return a == 0 ? 0 : a * std::log1p(b);
  }
};

struct Atan2 {
  template <typename T>
  static Wide<T> Apply(Wide<T> y, Wide<T> x) {
    return std::atan2(y, x);
  }
};

struct NextAfter {
  template <typename T>
  static T Apply(T from, T to) {
    return std::nextafter(from, to);
  }
};

struct BitwiseAnd {
  template <typename T>
  static T Apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};

struct BitwiseOr {
  template <typename T>
  static T Apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};

struct BitwiseXor {
  template <typename T>
  static T Apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

// Shifts by less than 0 count as 0, by the width or more as the width minus 1.
template <typename T>
inline int ShiftCount(T count) {
  constexpr int kLast = std::numeric_limits<std::make_unsigned_t<T>>::digits - 1;
  if constexpr (std::is_signed_v<T>) {
    if (count < 0) return 0;
  }
  return count > kLast ? kLast : static_cast<int>(count);
}

struct LeftShift {
  template <typename T>
  static T Apply(T a, T b) {
    using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;  // 32 bits shift faster
    return static_cast<T>(static_cast<Bits>(a) << ShiftCount(b));
  }
};

struct RightShift {
  template <typename T>
  static T Apply(T a, T b) {
    return static_cast<T>(a >> ShiftCount(b));
  }
};

struct LogicalAnd {
  template <typename T>
  static T Apply(T a, T b) {
    return a & b;
  }
};

struct LogicalOr {
  template <typename T>
  static T Apply(T a, T b) {
    return a | b;
  }
};

struct Equal {
  template <typename T>
  static bool Apply(Wide<T> a, Wide<T> b) {
    return a == b;
  }
};

struct NotEqual {
  template <typename T>
  static bool Apply(Wide<T> a, Wide<T> b) {
    return a != b;
  }
};

struct Less {
  template <typename T>
  static bool Apply(Wide<T> a, Wide<T> b) {
    return a < b;
  }
};

struct LessEqual {
  template <typename T>
  static bool Apply(Wide<T> a, Wide<T> b) {
    return a <= b;
  }
};

struct Greater {
  template <typename T>
  static bool Apply(Wide<T> a, Wide<T> b) {
    return a > b;
  }
};

struct GreaterEqual {
  template <typename T>
  static bool Apply(Wide<T> a, Wide<T> b) {
    return a >= b;
  }
};

// Gradients in terms of the forward result y. For complex numbers the first three conjugate y; the callers of the other
// two do.
// z = dy / (2 y)
struct SqrtGrad {
  template <typename T>
  static Wide<T> Apply(Wide<T> y, Wide<T> dy) {
    if constexpr (kIsComplex<T>) y = std::conj(y);
    return Quotient(Rounded<T>(dy * Wide<T>(0.5f)), y);
  }
};

// z = -dy y^3 / 2
struct RsqrtGrad {
  template <typename T>
  static Wide<T> Apply(Wide<T> y, Wide<T> dy) {
    if constexpr (kIsComplex<T>) y = std::conj(y);
    return Times(Rounded<T>(Times(Rounded<T>(dy * Wide<T>(-0.5f)), y)), Rounded<T>(Times(y, y)));
  }
};

// z = -dy y^2
struct ReciprocalGrad {
  template <typename T>
  static Wide<T> Apply(Wide<T> y, Wide<T> dy) {
    if constexpr (kIsComplex<T>) y = std::conj(y);
    return Times(-dy, Rounded<T>(Times(y, y)));
  }
};

// z = dy y (1 - y)
struct SigmoidGrad {
  template <typename T>
  static Wide<T> Apply(Wide<T> y, Wide<T> dy) {
    return Times(Rounded<T>(Times(dy, y)), Rounded<T>(Wide<T>(1) - y));
  }
};

// z = dy (1 - y^2)
struct TanhGrad {
  template <typename T>
  static Wide<T> Apply(Wide<T> y, Wide<T> dy) {
    return Times(dy, Rounded<T>(Wide<T>(1) - Rounded<T>(Times(y, y))));
  }
};

// One element of the result, whatever the functor's form. Operand: T or Wide<T>.
template <typename Op, typename T, typename Operand>
inline auto ApplyTo(const Operand& a, const Operand& b, bool& failed) {
  if constexpr (requires { Op::kFails; })
    return Op::template Apply<T>(a, b, failed);
  else
    return Op::template Apply<T>(a, b);
}

// The element type of the result: T, or bool for comparisons.
template <typename Op, typename T>
using ResultOf =
    Stored<T, decltype(ApplyTo<Op, T>(std::declval<const T&>(), std::declval<const T&>(), std::declval<bool&>()))>;

}  // namespace flowlatch::binary

#endif  // FLOWLATCH_OPS_KERNELS_BINARY_FUNCTORS_H_
