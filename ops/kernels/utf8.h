// Characters of UTF-8 text. Bytes that are no valid text count as characters of their own, so every string has an answer.
#ifndef FLOWLATCH_OPS_KERNELS_UTF8_H_
#define FLOWLATCH_OPS_KERNELS_UTF8_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace flowlatch {

inline bool IsUtf8Continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Characters, counted by their first bytes.
inline int64_t CountUtf8Chars(std::string_view s) {
  int64_t n = 0;
  for (const char c : s) n += !IsUtf8Continuation(c);
  return n;
}

// The place `n` >= 0 characters after byte `at`, or nothing past the end: then `n` is how many were left to go.
inline size_t ForwardUtf8Chars(std::string_view s, size_t at, int64_t& n) {
  for (; n > 0 && at < s.size(); --n) {
    do ++at;
    while (at < s.size() && IsUtf8Continuation(s[at]));
  }
  return at;
}

// Takes one character off the front: its code point, or U+FFFD for a byte that starts no valid character.
inline char32_t TakeUtf8Char(std::string_view& s) {
  constexpr char32_t kReplacement = 0xfffd;
  const unsigned char first = static_cast<unsigned char>(s[0]);
  const size_t length = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : (first & 0xf0) == 0xe0 ? 3
                        : first >= 0xf0 && first < 0xf5 ? 4 : 0;
  char32_t code = length == 1 ? first : first & (0x7f >> length);
  bool valid = length > 0 && length <= s.size();
  for (size_t i = 1; valid && i < length; ++i) {
    valid = IsUtf8Continuation(s[i]);
    code = code << 6 | (static_cast<unsigned char>(s[i]) & 0x3f);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  valid = valid && code >= kSmallest[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  s.remove_prefix(valid ? length : 1);
  return valid ? code : kReplacement;
}

inline void AppendUtf8Char(std::string& out, char32_t code) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_UTF8_H_
