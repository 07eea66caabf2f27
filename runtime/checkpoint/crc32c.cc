#include "runtime/checkpoint/crc32c.h"

#include <array>
#include <cstring>

#ifdef __SSE4_2__
#include <nmmintrin.h>
#endif

namespace flowlatch {

#ifdef __SSE4_2__

uint32_t ExtendCrc32c(uint32_t crc, std::string_view b) {
  uint64_t state = ~crc;
  const char* p = b.data();
  size_t n = b.size();
  for (; n >= sizeof(uint64_t); p += sizeof(uint64_t), n -= sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, p, sizeof word);
    state = _mm_crc32_u64(state, word);
  }
  uint32_t state32 = static_cast<uint32_t>(state);
  for (; n > 0; ++p, --n) state32 = _mm_crc32_u8(state32, static_cast<uint8_t>(*p));
  return ~state32;
}

#else

namespace {

constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0u);
    table[byte] = crc;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kTable = MakeTable();

}  // namespace

uint32_t ExtendCrc32c(uint32_t crc, std::string_view b) {
  uint32_t state = ~crc;
  for (const char c : b) state = (state >> 8) ^ kTable[(state ^ static_cast<uint8_t>(c)) & 0xff];
  return ~state;
}

#endif

}  // namespace flowlatch
