// Philox 4x32-10: a random generator that is a function of a counter and a key, so that any part of its sequence can be
// had at once (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3").
#ifndef FLOWLATCH_OPS_KERNELS_PHILOX_H_
#define FLOWLATCH_OPS_KERNELS_PHILOX_H_

#include <array>
#include <cstdint>

namespace flowlatch {

class Philox {
 public:
  using Words = std::array<uint32_t, 4>;

  // The sequence that two seeds name: one is the key, the other the upper half of the counter.
  Philox(uint64_t seed, uint64_t seed2) : key_(seed), high_(seed2) {}

  // The sequence of a key from a counter on, which is given as its lower and upper half.
  Philox(uint64_t key, uint64_t low, uint64_t high) : key_(key), low_(low), high_(high) {}

  // The next four words.
  Words Next() {
    const Words words = Rounds();
    Skip(1);
    return words;
  }
  // Passes over `n` calls of Next.
  void Skip(uint64_t n) {
    low_ += n;
    if (low_ < n) ++high_;
  }

 private:
  Words Rounds() const {
    Words c{static_cast<uint32_t>(low_), static_cast<uint32_t>(low_ >> 32), static_cast<uint32_t>(high_),
            static_cast<uint32_t>(high_ >> 32)};
    uint32_t k0 = static_cast<uint32_t>(key_), k1 = static_cast<uint32_t>(key_ >> 32);
    for (int round = 0; round < 10; ++round) {
      const uint64_t p0 = uint64_t{0xD2511F53} * c[0], p1 = uint64_t{0xCD9E8D57} * c[2];
      c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
           static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    return c;
  }

  uint64_t key_;
  uint64_t low_ = 0, high_;  // the counter
};

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_PHILOX_H_
