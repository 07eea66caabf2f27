#include "ops/kernels/string_hash.h"

#include <farmhash.h>

#include <bit>
#include <cstddef>
#include <cstring>

namespace flowlatch {
namespace {

uint64_t LoadLittleEndian(const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// The last, fewer than eight bytes, with zeros above.
uint64_t LoadTail(const char* bytes, size_t n) {
  uint64_t word = 0;
  if (n > 0) std::memcpy(&word, bytes, n);
  return word;
}

class SipState {
 public:
  explicit SipState(const SipKey& key)
      : a_(key.low ^ 0x736f6d6570736575),
        b_(key.high ^ 0x646f72616e646f6d),
        c_(key.low ^ 0x6c7967656e657261),
        d_(key.high ^ 0x7465646279746573) {}
  void Add(uint64_t word) {
    d_ ^= word;
    Rounds(2);
    a_ ^= word;
  }
  uint64_t Finish() {
    c_ ^= 0xff;
    Rounds(4);
    return a_ ^ b_ ^ c_ ^ d_;
  }

 private:
  void Rounds(int n) {
    for (; n > 0; --n) {
      a_ += b_;
      c_ += d_;
      b_ = std::rotl(b_, 13) ^ a_;
      d_ = std::rotl(d_, 16) ^ c_;
      a_ = std::rotl(a_, 32) + d_;
      c_ += b_;
      d_ = std::rotl(d_, 21) ^ a_;
      b_ = std::rotl(b_, 17) ^ c_;
      c_ = std::rotl(c_, 32);
    }
  }

  uint64_t a_, b_, c_, d_;
};

}  // namespace

static_assert(std::endian::native == std::endian::little);

uint64_t FingerprintOf(std::string_view s) { return util::Fingerprint64(s.data(), s.size()); }

uint64_t MurmurHashOf(std::string_view s) {
  constexpr uint64_t kSeed = 0xDECAFCAFFE;
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995;
  constexpr int kShift = 47;
  uint64_t hash = kSeed ^ (s.size() * kFactor);
  size_t i = 0;
  for (; i + 8 <= s.size(); i += 8) {
    uint64_t word = LoadLittleEndian(s.data() + i) * kFactor;
    word ^= word >> kShift;
    hash = (hash ^ (word * kFactor)) * kFactor;
  }
  if (i < s.size()) hash = (hash ^ LoadTail(s.data() + i, s.size() - i)) * kFactor;
  hash = (hash ^ (hash >> kShift)) * kFactor;
  return hash ^ (hash >> kShift);
}

uint64_t SipHashOf(const SipKey& key, std::string_view s) {
  SipState state(key);
  size_t i = 0;
  for (; i + 8 <= s.size(); i += 8) state.Add(LoadLittleEndian(s.data() + i));
  state.Add(LoadTail(s.data() + i, s.size() - i) | static_cast<uint64_t>(s.size()) << 56);
  return state.Finish();
}

}  // namespace flowlatch
