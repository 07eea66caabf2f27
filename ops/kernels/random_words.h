// A generator's words one by one, and numbers made of them, the same as TensorFlow's.
#ifndef FLOWLATCH_OPS_KERNELS_RANDOM_WORDS_H_
#define FLOWLATCH_OPS_KERNELS_RANDOM_WORDS_H_

#include <cstdint>
#include <type_traits>

#include "ops/kernels/philox.h"
#include "ops/kernels/random_distributions.h"

namespace flowlatch {

class RandomWords {
 public:
  // From word `first` of the generator on.
  explicit RandomWords(const Philox& generator, uint64_t first = 0) : generator_(generator) {
    generator_.Skip(first / 4);
    for (uint64_t i = 0; i < first % 4; ++i) Next();
  }

  uint32_t Next() {
    if (at_ == 4) {
      words_ = generator_.Next();
      at_ = 0;
    }
    return words_[at_++];
  }
  // In [0, 1).
  float Float() { return random::UniformFloat(Next()); }
  double Double() {
    const uint32_t high = Next(), low = Next();
    return random::UniformDouble(high, low);
  }
  // In [0, n), evenly: what is left over at the lower end of the words is drawn again. Requires: n > 0.
  template <typename Unsigned>
  Unsigned Below(Unsigned n) {
    if ((n & (n - 1)) == 0) return Bits<Unsigned>() & (n - 1);
    const Unsigned uneven = static_cast<Unsigned>(~Unsigned{0}) % n + 1;
    Unsigned bits;
    do {
      bits = Bits<Unsigned>();
    } while (bits < uneven);
    return bits % n;
  }

 private:
  template <typename Unsigned>
  Unsigned Bits() {
    const uint32_t low = Next();
    if constexpr (std::is_same_v<Unsigned, uint32_t>) return low;
    else return low | static_cast<Unsigned>(Next()) << 32;
  }

  Philox generator_;
  Philox::Words words_{};
  int at_ = 4;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_RANDOM_WORDS_H_
