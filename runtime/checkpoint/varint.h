// Integers of variable length, seven bits a byte, lowest first.
#ifndef FLOWLATCH_RUNTIME_CHECKPOINT_VARINT_H_
#define FLOWLATCH_RUNTIME_CHECKPOINT_VARINT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flowlatch {

// Takes a number off the front; nullopt when the bytes end before it or it has more than 64 bits.
inline std::optional<uint64_t> ReadVarint(std::string_view& bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const uint64_t byte = static_cast<uint8_t>(bytes[i]);
    if (i == 9 && byte > 1) return std::nullopt;
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

inline void AppendVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_CHECKPOINT_VARINT_H_
