// Hashes of strings whose values graphs and checkpoints rely on: TensorFlow's three, bit for bit.
#ifndef FLOWLATCH_OPS_KERNELS_STRING_HASH_H_
#define FLOWLATCH_OPS_KERNELS_STRING_HASH_H_

#include <cstdint>
#include <string_view>

namespace flowlatch {

// FarmHash's Fingerprint64.
uint64_t FingerprintOf(std::string_view s);

// MurmurHash64A with the seed that TensorFlow uses: where strings go in its tables, and its oldest hash op.
uint64_t MurmurHashOf(std::string_view s);

// SipHash-2-4: who does not know the key cannot make strings collide.
struct SipKey {
  uint64_t low = 0;
  uint64_t high = 0;
};
uint64_t SipHashOf(const SipKey& key, std::string_view s);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_STRING_HASH_H_
