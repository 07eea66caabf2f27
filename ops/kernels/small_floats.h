// Runs of 16-bit floats to and from float32, vectorised: what loops over such elements are made of. The values are those of the
// types' own conversions (graph/tensor/float_types.h), but for the payload of NaN.
#ifndef FLOWLATCH_OPS_KERNELS_SMALL_FLOATS_H_
#define FLOWLATCH_OPS_KERNELS_SMALL_FLOATS_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "graph/tensor/float_types.h"

namespace flowlatch {

template <typename T>
inline constexpr bool kIs16BitFloat = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

void WidenFloats(const Half* x, float* y, int64_t n);
void WidenFloats(const BFloat16* x, float* y, int64_t n);
void NarrowFloats(const float* x, Half* y, int64_t n);
void NarrowFloats(const float* x, BFloat16* y, int64_t n);

// How many elements loops convert at a time, to memory on the stack that stays in the first-level cache.
inline constexpr int64_t kFloatPiece = 512;

// Calls body(begin, count) for pieces of [0, n).
template <typename Body>
inline void ForEachFloatPiece(int64_t n, Body&& body) {
  for (int64_t begin = 0; begin < n; begin += kFloatPiece) body(begin, std::min(kFloatPiece, n - begin));
}

// float(Half(x)) without branches, so that loops with such steps are vectorised.
inline float RoundedToHalf(float x) {
  constexpr int32_t kSmallestNormal = 0x38800000, kTooLarge = 0x47800000, kInfinity = 0x7f800000;
  const int32_t bits = std::bit_cast<int32_t>(x), magnitude = bits & 0x7fffffff;
  // Numbers in [0.5, 1) are as far apart as the smallest ones of Half.
  const int32_t small = std::bit_cast<int32_t>((std::bit_cast<float>(magnitude) + 0.5f) - 0.5f);
  // Wraps for some NaN.
  const int32_t nearest = static_cast<int32_t>(static_cast<uint32_t>(magnitude) + 0xfff + ((magnitude >> 13) & 1)) & ~0x1fff;
  const int32_t large = nearest >= kTooLarge ? kInfinity : nearest;
  const int32_t number = magnitude < kSmallestNormal ? small : large;
  return std::bit_cast<float>((bits & ~0x7fffffff) | (magnitude > kInfinity ? magnitude : number));
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_SMALL_FLOATS_H_
