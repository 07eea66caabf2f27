// Numbers from text, as ops read them.
#ifndef FLOWLATCH_OPS_KERNELS_NUMBER_TEXT_H_
#define FLOWLATCH_OPS_KERNELS_NUMBER_TEXT_H_

#include <system_error>
#include <type_traits>

#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace flowlatch {

// Digits after 0x, with a sign before it.
inline bool ParseHexFloat(absl::string_view s, double& value) {
  const bool negative = absl::ConsumePrefix(&s, "-");
  if (!negative) absl::ConsumePrefix(&s, "+");
  if (!absl::ConsumePrefix(&s, "0x") && !absl::ConsumePrefix(&s, "0X")) return false;
  const absl::from_chars_result result = absl::from_chars(s.data(), s.data() + s.size(), value, absl::chars_format::hex);
  if (s.empty() || s[0] == '-' || result.ec == std::errc::invalid_argument || result.ptr != s.data() + s.size()) return false;
  if (negative) value = -value;
  return true;
}

// The whole of `s` as an int32, int64, uint32, uint64, float or double; false if it is none or does not fit. Floats may be
// hexadecimal, inf or nan, and are infinite or zero out of range. Spaces around do not matter.
template <typename T>
bool ParseNumber(absl::string_view s, T& value) {
  s = absl::StripAsciiWhitespace(s);
  if constexpr (std::is_integral_v<T>) {
    return absl::SimpleAtoi(s, &value);
  } else {
    double hex;
    if (ParseHexFloat(s, hex)) {
      value = static_cast<T>(hex);
      return true;
    }
    if constexpr (std::is_same_v<T, float>) return absl::SimpleAtof(s, &value);
    else return absl::SimpleAtod(s, &value);
  }
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_NUMBER_TEXT_H_
