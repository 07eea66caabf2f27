// CRC-32C (Castagnoli), and the masked form in which checkpoints and record files store it.
#ifndef FLOWLATCH_RUNTIME_CHECKPOINT_CRC32C_H_
#define FLOWLATCH_RUNTIME_CHECKPOINT_CRC32C_H_

#include <cstdint>
#include <string_view>

namespace flowlatch {

// The checksum of a + b, where `crc` is that of a; 0 for an empty a.
uint32_t ExtendCrc32c(uint32_t crc, std::string_view b);
inline uint32_t Crc32c(std::string_view bytes) { return ExtendCrc32c(0, bytes); }

// A checksum of bytes that contain checksums is weak, so files hold them masked.
inline uint32_t MaskCrc(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }
inline uint32_t UnmaskCrc(uint32_t masked) {
  const uint32_t rotated = masked - 0xa282ead8u;
  return (rotated >> 17) | (rotated << 15);
}

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_CHECKPOINT_CRC32C_H_
