#include "graph/build/literal.h"

#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

template <typename T>
inline constexpr bool kIsComplex = false;
template <typename T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

template <typename T>
inline constexpr bool kIsNumber = std::is_arithmetic_v<T> || kIsComplex<T> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

// Whether integer type T holds `value`, which is whole.
template <typename T>
bool Holds(double value) {
  return value >= static_cast<double>(std::numeric_limits<T>::min()) && value < std::ldexp(1.0, std::numeric_limits<T>::digits);
}

// False if `to` cannot hold it.
template <typename From, typename To>
bool Convert(From from, To* to) {
  if constexpr (std::is_same_v<From, To>) {
    *to = from;
  } else if constexpr (std::is_same_v<From, bool> || std::is_same_v<To, bool>) {
    return false;
  } else if constexpr (kIsComplex<From>) {
    if constexpr (!kIsComplex<To>) return false;
    else *to = To(from.real(), from.imag());
  } else if constexpr (kIsComplex<To>) {
    *to = To(static_cast<typename To::value_type>(static_cast<double>(from)));
  } else if constexpr (std::is_integral_v<To>) {
    if constexpr (std::is_integral_v<From>) {
      *to = static_cast<To>(from);
      return static_cast<From>(*to) == from && (*to < To{}) == (from < From{});
    } else {
      const double value = static_cast<double>(static_cast<float>(from));
      const double exact = std::is_same_v<From, double> ? static_cast<double>(from) : value;
      if (exact != std::trunc(exact) || !Holds<To>(exact)) return false;
      *to = static_cast<To>(exact);
    }
  } else if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
    *to = To(static_cast<float>(from));
  } else {
    *to = static_cast<To>(from);
  }
  return true;
}

template <typename From, typename To>
absl::StatusOr<Tensor> Cast(const Tensor& literal) {
  ASSIGN_OR_RETURN(Tensor result, Tensor::Make(kDTypeOf<To>, literal.shape()));
  for (int64_t i = 0; i < literal.num_elements(); ++i) {
    if (!Convert(literal.data<From>()[i], &result.mutable_data<To>()[i])) {
      return absl::InvalidArgumentError(absl::StrCat("constant ", literal.DebugString(4), ": expected values that ",
                                                     std::string(DTypeName(kDTypeOf<To>)), " holds"));
    }
  }
  return result;
}

// Calls f.operator()<T>() with the C++ type of a dtype that numbers may have; false for others.
template <typename F>
bool WithNumber(DType dtype, F&& f) {
  switch (dtype) {
#define FLOWLATCH_X(enumerator, number, name, type) \
  case DType::enumerator:                           \
    if constexpr (kIsNumber<type>) {                \
      f.template operator()<type>();                \
      return true;                                  \
    } else {                                        \
      return false;                                 \
    }
    FLOWLATCH_DTYPES(FLOWLATCH_X)
#undef FLOWLATCH_X
    default:
      return false;
  }
}

}  // namespace

absl::StatusOr<Tensor> CastLiteral(const Tensor& literal, DType dtype) {
  if (literal.dtype() == dtype) return literal;
  absl::StatusOr<Tensor> result = absl::InvalidArgumentError(absl::StrCat(
      "constant ", literal.DebugString(4), ": expected ", std::string(DTypeName(dtype)), ", got ", std::string(DTypeName(literal.dtype()))));
  WithNumber(literal.dtype(), [&]<typename From>() {
    WithNumber(dtype, [&]<typename To>() { result = Cast<From, To>(literal); });
  });
  return result;
}

}  // namespace flowlatch
