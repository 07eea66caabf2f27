#include "tools/arrays/difference.h"

#include <cmath>
#include <complex>
#include <limits>
#include <string_view>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "graph/tensor/string.h"

namespace flowlatch {
namespace {

// The type in which elements are compared.
template <typename T>
auto Wide(const T& value) {
  constexpr DType kDType = kDTypeOf<T>;
  if constexpr (IsComplex(kDType)) {
    return std::complex<double>(value.real(), value.imag());
  } else if constexpr (IsFloating(kDType)) {
    return static_cast<double>(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(value));
  } else if constexpr (IsQuantized(kDType)) {
    return static_cast<int64_t>(value.value);
  } else if constexpr (std::is_same_v<T, String>) {
    return value.view();
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    return value;
  } else {
    return static_cast<int64_t>(value);
  }
}

template <typename W>
bool IsNan(const W& value) {
  if constexpr (std::is_same_v<W, double>) return std::isnan(value);
  if constexpr (std::is_same_v<W, std::complex<double>>) return std::isnan(value.real()) || std::isnan(value.imag());
  return false;
}

template <typename W>
bool Agree(const W& got, const W& want, Tolerance tolerance, double* error) {
  *error = 0;
  if (got == want) return true;
  if constexpr (std::is_same_v<W, std::string_view>) {
    return false;
  } else if constexpr (std::is_integral_v<W>) {
    *error = std::abs(static_cast<double>(got) - static_cast<double>(want));
    return false;
  } else {
    if (IsNan(got) && IsNan(want)) return true;
    *error = std::abs(got - want);
    // An infinite `want` would allow anything.
    return std::isfinite(std::abs(want)) && *error <= tolerance.atol + tolerance.rtol * std::abs(want);
  }
}

template <typename W>
std::string Text(const W& value) {
  if constexpr (std::is_same_v<W, std::complex<double>>) {
    return absl::StrCat(value.real(), value.imag() < 0 ? "" : "+", value.imag(), "j");
  } else if constexpr (std::is_same_v<W, std::string_view>) {
    return absl::StrCat("\"", std::string(value.substr(0, 60)), value.size() > 60 ? "...\"" : "\"");
  } else {
    return absl::StrCat(value);
  }
}

std::string IndexText(int64_t flat, absl::Span<const int64_t> dims) {
  std::string text;
  for (size_t i = dims.size(); i-- > 0;) {
    text = absl::StrCat(flat % dims[i], text.empty() ? "" : ",", text);
    flat /= dims[i];
  }
  return absl::StrCat("[", text, "]");
}

template <typename T>
Difference CompareElements(const Tensor& got, const Tensor& want, Tolerance tolerance) {
  Difference difference;
  const auto got_values = got.values<T>(), want_values = want.values<T>();
  for (size_t i = 0; i < got_values.size(); ++i) {
    double error;
    const bool agree = Agree(Wide(got_values[i]), Wide(want_values[i]), tolerance, &error);
    if (error > difference.max_error || std::isnan(error)) difference.max_error = error;
    if (!agree && difference.count++ == 0) difference.first = static_cast<int64_t>(i);
  }
  if (difference.count > 0) {
    const size_t first = static_cast<size_t>(difference.first);
    difference.reason = absl::StrCat(difference.count, " of ", got_values.size(), " values differ");
    if (!std::is_same_v<T, String>) absl::StrAppend(&difference.reason, ", by up to ", difference.max_error);
    absl::StrAppend(&difference.reason, "; at ", IndexText(difference.first, want.dims()), ": expected ",
                    Text(Wide(want_values[first])), ", got ", Text(Wide(got_values[first])));
  }
  return difference;
}

}  // namespace

Difference Compare(const Tensor& got, const Tensor& want, Tolerance tolerance) {
  const auto mismatch = [](std::string_view what, std::string_view expected, std::string_view actual) {
    Difference difference;
    difference.reason =
        absl::StrCat(std::string(what), ": expected ", std::string(expected), ", got ", std::string(actual));
    return difference;
  };
  if (got.dtype() != want.dtype()) return mismatch("dtype", DTypeName(want.dtype()), DTypeName(got.dtype()));
  if (got.dims() != want.dims()) return mismatch("shape", want.ShapeString(), got.ShapeString());
  switch (got.dtype()) {
#define FLOWLATCH_X(enumerator, number, name, type)                                                \
  case DType::enumerator:                                                                          \
    if constexpr (DType::enumerator == DType::kResource || DType::enumerator == DType::kVariant) { \
      return {};                                                                                   \
    } else {                                                                                       \
      return CompareElements<type>(got, want, tolerance);                                          \
    }
    FLOWLATCH_DTYPES(FLOWLATCH_X)
#undef FLOWLATCH_X
    case DType::kInvalid:
      break;
  }
  return {};
}

}  // namespace flowlatch
