// The small number formats of tensors: half, bfloat16, the float8 family and 4-bit integers, as storage types that
// convert to and from float. Rounding is to nearest, ties to even.
#ifndef FLOWLATCH_GRAPH_TENSOR_FLOAT_TYPES_H_
#define FLOWLATCH_GRAPH_TENSOR_FLOAT_TYPES_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace flowlatch {
namespace float_internal {

// What a format does above its largest finite value.
enum class Overflow { kInfinity, kNan, kSaturate };

// Packs `value` into sign, `exponent_bits` and `mantissa_bits`. With kNan the all-ones exponent holds numbers (only the
// all-ones pattern is NaN, or for `negative_zero_is_nan` the pattern of -0); with kSaturate all patterns are numbers, and NaN
// becomes the zero of the other sign; else it holds infinity and NaN.
constexpr uint32_t Pack(float value, int exponent_bits, int mantissa_bits, int bias, Overflow overflow,
                        bool negative_zero_is_nan) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 31) << (exponent_bits + mantissa_bits);
  const uint32_t all_ones = (1u << (exponent_bits + mantissa_bits)) - 1;
  const uint32_t infinity = all_ones & ~((1u << mantissa_bits) - 1);
  const uint32_t sign_bit = 1u << (exponent_bits + mantissa_bits);
  const uint32_t nan = negative_zero_is_nan               ? sign_bit
                       : overflow == Overflow::kSaturate ? sign ^ sign_bit
                       : overflow == Overflow::kInfinity ? sign | infinity | (1u << (mantissa_bits - 1))
                                                          : sign | all_ones;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return nan;
  const uint32_t too_large = overflow == Overflow::kInfinity   ? sign | infinity
                             : overflow == Overflow::kSaturate ? sign | all_ones
                                                               : nan;
  if (magnitude == 0x7f800000u) return too_large;
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  const int shift_for_subnormal = exponent < 1 - bias ? (1 - bias) - exponent : 0;
  const int shift = 23 - mantissa_bits + shift_for_subnormal;
  uint64_t mantissa = (magnitude & 0x7fffffu) | (magnitude >> 23 != 0 ? 0x800000u : 0u);
  if (magnitude >> 23 == 0) mantissa <<= 1;  // a float32 subnormal has the exponent of the smallest normal
  if (shift > 40) return negative_zero_is_nan ? 0 : sign;
  const uint64_t half = 1ull << (shift - 1);
  uint64_t rounded = mantissa >> shift;
  const uint64_t rest = mantissa & ((1ull << shift) - 1);
  if (rest > half || (rest == half && (rounded & 1))) ++rounded;
  // `rounded` has the implicit bit at mantissa_bits for normals; a carry moves into the exponent by itself.
  const uint32_t base = shift_for_subnormal > 0 ? 0u : static_cast<uint32_t>(exponent + bias - 1) << mantissa_bits;
  const uint32_t result = base + static_cast<uint32_t>(rounded);
  const bool all_numbers = negative_zero_is_nan || overflow == Overflow::kSaturate;
  const uint32_t largest = overflow == Overflow::kInfinity ? infinity - 1 : all_numbers ? all_ones : all_ones - 1;
  if (result > largest) return too_large;
  if (result == 0 && negative_zero_is_nan) return 0;
  return sign | result;
}

constexpr float Unpack(uint32_t bits, int exponent_bits, int mantissa_bits, int bias, Overflow overflow,
                       bool negative_zero_is_nan) {
  const bool negative = (bits >> (exponent_bits + mantissa_bits)) & 1;
  const uint32_t all_ones = (1u << (exponent_bits + mantissa_bits)) - 1;
  const uint32_t magnitude = bits & all_ones;
  const uint32_t infinity = all_ones & ~((1u << mantissa_bits) - 1);
  const uint32_t sign32 = negative ? 0x80000000u : 0u;
  const float nan = std::bit_cast<float>(sign32 | 0x7fc00000u);
  if (negative_zero_is_nan) {
    if (negative && magnitude == 0) return nan;
  } else if (overflow == Overflow::kNan) {
    if (magnitude == all_ones) return nan;
  } else if (overflow == Overflow::kInfinity && magnitude >= infinity) {
    return magnitude == infinity
               ? std::bit_cast<float>(sign32 | 0x7f800000u)
               : std::bit_cast<float>(sign32 | 0x7f800000u | 0x400000u |
                                      ((magnitude & ((1u << mantissa_bits) - 1)) << (23 - mantissa_bits)));
  }
  const uint32_t exponent = magnitude >> mantissa_bits;
  uint32_t mantissa = magnitude & ((1u << mantissa_bits) - 1);
  if (exponent == 0) {
    if (mantissa == 0) return std::bit_cast<float>(sign32);
    int e = 1 - bias;
    while (!(mantissa >> mantissa_bits)) {
      mantissa <<= 1;
      --e;
    }
    mantissa &= (1u << mantissa_bits) - 1;
    return std::bit_cast<float>(sign32 | (static_cast<uint32_t>(e + 127) << 23) | (mantissa << (23 - mantissa_bits)));
  }
  return std::bit_cast<float>(sign32 | ((exponent + 127 - static_cast<uint32_t>(bias)) << 23) |
                              (mantissa << (23 - mantissa_bits)));
}

}  // namespace float_internal

// A float format of `Storage` bits; see Pack for the meaning of the parameters.
template <typename Storage, int kExponentBits, int kMantissaBits, int kBias,
          float_internal::Overflow kOverflow = float_internal::Overflow::kInfinity, bool kNegativeZeroIsNan = false>
struct SmallFloat {
  Storage bits = 0;

  SmallFloat() = default;
  explicit SmallFloat(float value) : bits(Round(value)) {}
  explicit SmallFloat(double value) : SmallFloat(static_cast<float>(value)) {}
  template <typename Int>
    requires std::is_integral_v<Int>
  explicit SmallFloat(Int value) : SmallFloat(static_cast<float>(value)) {}

  static SmallFloat FromBits(Storage bits) {
    SmallFloat x;
    x.bits = bits;
    return x;
  }
  operator float() const {  // NOLINT: arithmetic on small floats happens in float
    if constexpr (kExponentBits == 8) return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
    return float_internal::Unpack(bits, kExponentBits, kMantissaBits, kBias, kOverflow, kNegativeZeroIsNan);
  }

 private:
  static Storage Round(float value) {
    if constexpr (kExponentBits == 8) {  // bfloat16 is the upper half of a float32
      const uint32_t wide = std::bit_cast<uint32_t>(value);
      if (value != value) return static_cast<Storage>((wide >> 16) | 0x40);
      return static_cast<Storage>((wide + 0x7fff + ((wide >> 16) & 1)) >> 16);
    }
    return static_cast<Storage>(
        float_internal::Pack(value, kExponentBits, kMantissaBits, kBias, kOverflow, kNegativeZeroIsNan));
  }
};

using Half = SmallFloat<uint16_t, 5, 10, 15>;
using BFloat16 = SmallFloat<uint16_t, 8, 7, 127>;
using Float8E5M2 = SmallFloat<uint8_t, 5, 2, 15>;
using Float8E4M3FN = SmallFloat<uint8_t, 4, 3, 7, float_internal::Overflow::kNan>;
using Float8E4M3FNUZ = SmallFloat<uint8_t, 4, 3, 8, float_internal::Overflow::kNan, true>;
using Float8E4M3B11FNUZ = SmallFloat<uint8_t, 4, 3, 11, float_internal::Overflow::kNan, true>;
using Float8E5M2FNUZ = SmallFloat<uint8_t, 5, 2, 16, float_internal::Overflow::kNan, true>;
using Float4E2M1FN = SmallFloat<uint8_t, 2, 1, 1, float_internal::Overflow::kSaturate>;

// A small integer that occupies a whole byte in memory, as TensorFlow keeps them.
template <int kBits, bool kSigned>
struct SmallInt {
  using Value = std::conditional_t<kSigned, int8_t, uint8_t>;
  Value value = 0;

  SmallInt() = default;
  explicit SmallInt(int64_t v) : value(Wrap(v)) {}
  operator int() const { return value; }  // NOLINT: arithmetic on small integers happens in int

 private:
  static Value Wrap(int64_t v) {
    const uint8_t low = static_cast<uint8_t>(v) & ((1u << kBits) - 1);
    if (kSigned && (low >> (kBits - 1))) return static_cast<Value>(low | static_cast<uint8_t>(~((1u << kBits) - 1)));
    return static_cast<Value>(low);
  }
};

using Int4 = SmallInt<4, true>;
using UInt4 = SmallInt<4, false>;
using Int2 = SmallInt<2, true>;
using UInt2 = SmallInt<2, false>;

// Storage of the quantised dtypes; they are integers with a meaning of their own.
struct QInt8 { int8_t value = 0; };
struct QUInt8 { uint8_t value = 0; };
struct QInt16 { int16_t value = 0; };
struct QUInt16 { uint16_t value = 0; };
struct QInt32 { int32_t value = 0; };

template <typename T>
inline constexpr bool kIsSmallFloat = false;
template <typename S, int E, int M, int B, float_internal::Overflow O, bool N>
inline constexpr bool kIsSmallFloat<SmallFloat<S, E, M, B, O, N>> = true;

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_TENSOR_FLOAT_TYPES_H_
