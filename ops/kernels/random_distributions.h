// Random numbers from a Philox generator, the same bits as TensorFlow's.
//
// Which words an element consumes depends on its place alone: group g of the elements (2 for types of 8 bytes, 4 otherwise)
// begins at draw g, for Truncated at 64 draws per element. So threads may fill any part.
#ifndef FLOWLATCH_OPS_KERNELS_RANDOM_DISTRIBUTIONS_H_
#define FLOWLATCH_OPS_KERNELS_RANDOM_DISTRIBUTIONS_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "graph/tensor/dtype.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/philox.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {
namespace random {

inline constexpr double kTwoPi = 2 * 3.14159265358979323846;

// How many elements of T one draw makes.
template <typename T>
inline constexpr int64_t kGroup = sizeof(T) == 8 ? 2 : 4;

// [0, 1): random mantissa bits below the exponent of 1.
inline float UniformFloat(uint32_t x) { return std::bit_cast<float>(127u << 23 | (x & 0x7fffff)) - 1.0f; }

inline double UniformDouble(uint32_t high, uint32_t low) {
  return std::bit_cast<double>(uint64_t{1023} << 52 | uint64_t{high & 0xfffff} << 32 | low) - 1.0;
}

template <typename Unsigned>
Unsigned IntBits(const Philox::Words& x, int64_t i) {
  if constexpr (sizeof(Unsigned) == 8) return x[2 * i] | Unsigned{x[2 * i + 1]} << 32;
  else return x[i];
}

// Two normal numbers from two uniform ones, by the transform of Box and Muller. The angle is rounded to float only after
// the product, and the functions are those of the C library: results depend on it to the last bit.
inline void BoxMuller(uint32_t a, uint32_t b, float* f0, float* f1) {
  const float u1 = std::max(UniformFloat(a), 1e-7f);
  const float angle = static_cast<float>(kTwoPi * static_cast<double>(UniformFloat(b)));
  const float radius = std::sqrt(-2.0f * std::log(u1));
  *f0 = std::sin(angle) * radius;
  *f1 = std::cos(angle) * radius;
}

inline void BoxMuller(const Philox::Words& x, double* f0, double* f1) {
  const double u1 = std::max(UniformDouble(x[0], x[1]), 1e-7);
  const double angle = kTwoPi * UniformDouble(x[2], x[3]);
  const double radius = std::sqrt(-2.0 * std::log(u1));
  *f0 = std::sin(angle) * radius;
  *f1 = std::cos(angle) * radius;
}

// ---- Distributions. Each fills a group of elements from the words at its place in the sequence.

struct Uniform {
  static constexpr double kCost = 3;     // nanoseconds of one element, roughly
  static constexpr uint64_t kDraws = 0;  // what an element has for itself; 0: a group has one draw
  template <typename T>
  static void Fill(Philox& random, T* out) {
    const Philox::Words x = random.Next();
    if constexpr (std::is_same_v<T, double>) {
      out[0] = UniformDouble(x[0], x[1]);
      out[1] = UniformDouble(x[2], x[3]);
    } else {
      for (int i = 0; i < 4; ++i) {
        if constexpr (std::is_same_v<T, Half>) out[i] = T(Half::FromBits(15 << 10 | (x[i] & 0x3ff)) - 1.0f);
        else if constexpr (std::is_same_v<T, BFloat16>) out[i] = T(BFloat16::FromBits(127 << 7 | (x[i] & 0x7f)) - 1.0f);
        else out[i] = UniformFloat(x[i]);
      }
    }
  }
};

struct Normal {
  static constexpr double kCost = 15;
  static constexpr uint64_t kDraws = 0;
  template <typename T>
  static void Fill(Philox& random, T* out) {
    const Philox::Words x = random.Next();
    if constexpr (std::is_same_v<T, double>) {
      BoxMuller(x, &out[0], &out[1]);
    } else {
      float f[4];
      BoxMuller(x[0], x[1], &f[0], &f[1]);
      BoxMuller(x[2], x[3], &f[2], &f[3]);
      std::transform(f, f + 4, out, [](float value) { return T(value); });
    }
  }
};

struct Truncated {
  static constexpr double kCost = 20;
  static constexpr uint64_t kDraws = 64;
  template <typename T>
  static void Fill(Philox& random, T* out) {
    int64_t filled = 0;
    const auto keep = [&](auto value) {
      if (filled < kGroup<T> && std::abs(value) < 2) out[filled++] = T(value);
    };
    while (filled < kGroup<T>) {
      const Philox::Words x = random.Next();
      if constexpr (std::is_same_v<T, double>) {
        double f0, f1;
        BoxMuller(x, &f0, &f1);
        keep(f0);
        keep(f1);
      } else {
        for (int i = 0; i < 4; i += 2) {
          float f0, f1;
          BoxMuller(x[i], x[i + 1], &f0, &f1);
          keep(f0);
          keep(f1);
        }
      }
    }
  }
};

// The whole range of T.
template <typename T>
struct AnyInt {
  static constexpr double kCost = 3;
  static constexpr uint64_t kDraws = 0;
  static void Fill(Philox& random, T* out) {
    const Philox::Words x = random.Next();
    for (int64_t i = 0; i < kGroup<T>; ++i) out[i] = static_cast<T>(IntBits<std::make_unsigned_t<T>>(x, i));
  }
};

template <typename T>
struct UniformInt {
  using Unsigned = std::make_unsigned_t<T>;
  static constexpr double kCost = 4;
  static constexpr uint64_t kDraws = 0;
  T low;
  Unsigned range;

  // [min, max), by remainder, hence slightly uneven for large ranges. Requires: min < max.
  UniformInt(T min, T max) : low(min), range(static_cast<Unsigned>(max) - static_cast<Unsigned>(min)) {}
  void Fill(Philox& random, T* out) const {
    const Philox::Words x = random.Next();
    for (int64_t i = 0; i < kGroup<T>; ++i) {
      out[i] = static_cast<T>(static_cast<Unsigned>(low) + IntBits<Unsigned>(x, i) % range);
    }
  }
};

}  // namespace random

// Sets out[0, n) from the sequence that begins at `start`. The last group may be cut.
template <typename T, typename Distribution>
void FillRandom(KernelCall& c, const Philox& start, const Distribution& distribution, int64_t n, T* out) {
  constexpr int64_t kGroup = random::kGroup<T>;
  constexpr uint64_t kDraws = Distribution::kDraws == 0 ? 1 : Distribution::kDraws * kGroup;
  RunLoop(c, (n + kGroup - 1) / kGroup, Distribution::kCost * kGroup, [&](int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
      Philox generator = start;
      generator.Skip(static_cast<uint64_t>(group) * kDraws);
      const int64_t first = group * kGroup;
      if (first + kGroup <= n) {
        distribution.Fill(generator, out + first);
      } else {
        T last[kGroup];
        distribution.Fill(generator, last);
        std::copy_n(last, n - first, out + first);
      }
    }
  });
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_RANDOM_DISTRIBUTIONS_H_
