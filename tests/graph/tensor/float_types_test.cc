#include "graph/tensor/float_types.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

// Formats with infinity end in its pattern; the others in their largest number, after which there is NaN.
template <typename T, uint32_t kFirstBeyond>
struct Format {
  using Type = T;
  static constexpr uint32_t kBeyond = kFirstBeyond;
};

template <typename F>
class FloatFormatTest : public testing::Test {};
using Formats =
    testing::Types<Format<Half, 0x7c00>, Format<BFloat16, 0x7f80>, Format<Float8E5M2, 0x7c>, Format<Float8E4M3FN, 0x7f>,
                   Format<Float8E4M3FNUZ, 0x80>, Format<Float8E4M3B11FNUZ, 0x80>, Format<Float8E5M2FNUZ, 0x80>>;
TYPED_TEST_SUITE(FloatFormatTest, Formats);

TYPED_TEST(FloatFormatTest, EveryPatternComesBack) {
  using T = typename TypeParam::Type;
  using Bits = decltype(T::bits);
  for (uint32_t bits = 0; bits <= std::numeric_limits<Bits>::max(); ++bits) {
    const T x = T::FromBits(static_cast<Bits>(bits));
    const float value = x;
    const T back(value);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(back))) << bits;
    } else {
      EXPECT_EQ(back.bits, bits);
    }
  }
}

// To nearest, ties to even, on both sides of each middle between neighbours.
TYPED_TEST(FloatFormatTest, Rounding) {
  using T = typename TypeParam::Type;
  using Bits = decltype(T::bits);
  const auto value = [](uint32_t bits) { return static_cast<float>(T::FromBits(static_cast<Bits>(bits))); };
  for (uint32_t low = 0; low + 1 < TypeParam::kBeyond; ++low) {
    const uint32_t high = low + 1;
    ASSERT_LT(value(low), value(high)) << low;
    const float middle = static_cast<float>((static_cast<double>(value(low)) + value(high)) / 2);
    EXPECT_EQ(T(middle).bits, low % 2 == 0 ? low : high) << middle;
    EXPECT_EQ(T(std::nextafter(middle, 0.f)).bits, low) << middle;
    EXPECT_EQ(T(std::nextafter(middle, INFINITY)).bits, high) << middle;
    EXPECT_EQ(static_cast<float>(T(-value(high))), -value(high));
  }
}

TYPED_TEST(FloatFormatTest, Beyond) {
  using T = typename TypeParam::Type;
  using Bits = decltype(T::bits);
  const auto value = [](uint32_t bits) { return static_cast<float>(T::FromBits(static_cast<Bits>(bits))); };
  const float largest = value(TypeParam::kBeyond - 1), before = value(TypeParam::kBeyond - 2);
  const float middle = largest + (largest - before) / 2;
  EXPECT_EQ(static_cast<float>(T(std::nextafter(middle, 0.f))), largest);
  const float beyond = T(std::nextafter(middle, INFINITY));
  EXPECT_TRUE(std::isnan(beyond) || std::isinf(beyond)) << beyond;
  for (const float huge : {std::numeric_limits<float>::max(), std::numeric_limits<float>::infinity()}) {
    if (std::isinf(beyond)) {
      EXPECT_EQ(static_cast<float>(T(huge)), INFINITY);
      EXPECT_EQ(static_cast<float>(T(-huge)), -INFINITY);
    } else {
      EXPECT_TRUE(std::isnan(static_cast<float>(T(huge))) && std::isnan(static_cast<float>(T(-huge))));
    }
  }
  EXPECT_TRUE(std::isnan(static_cast<float>(T(NAN))) && std::isnan(static_cast<float>(T(-NAN))));
  EXPECT_EQ(static_cast<float>(T(std::numeric_limits<float>::denorm_min() / 2)), 0);
}

TEST(FloatTypesTest, KnownNumbers) {
  EXPECT_EQ(Half(65504.f).bits, 0x7bff);
  EXPECT_EQ(Half(65519.99f).bits, 0x7bff);
  EXPECT_EQ(Half(65520.f).bits, 0x7c00);
  EXPECT_EQ(Half(5.9604645e-8f).bits, 1);
  EXPECT_EQ(Half(-0.f).bits, 0x8000);
  EXPECT_EQ(Half(1.f / 3).bits, 0x3555);
  EXPECT_EQ(BFloat16(3.1415927f).bits, 0x4049);
  EXPECT_EQ(BFloat16(1e-40f).bits, 1);  // denormals are kept
  EXPECT_EQ(static_cast<float>(Float8E4M3FN::FromBits(0x7e)), 448);
  EXPECT_EQ(Float8E4M3FN(464.f).bits, 0x7e);
  EXPECT_EQ(Float8E4M3FN(465.f).bits, 0x7f);
  EXPECT_EQ(static_cast<float>(Float8E5M2::FromBits(0x7b)), 57344);
  EXPECT_EQ(static_cast<float>(Float8E4M3FNUZ::FromBits(0x7f)), 240);
  EXPECT_EQ(static_cast<float>(Float8E4M3B11FNUZ::FromBits(0x7f)), 30);
  EXPECT_EQ(static_cast<float>(Float8E5M2FNUZ::FromBits(0x7f)), 57344);
  EXPECT_EQ(Float8E4M3FNUZ(-1e-20f).bits, 0);  // there is no -0: its pattern is NaN
  EXPECT_EQ(Float8E4M3FNUZ(-1e9f).bits, 0x80);
}

TEST(FloatTypesTest, Float4HasNumbersOnly) {
  const float values[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  for (int bits = 0; bits < 8; ++bits) {
    EXPECT_EQ(static_cast<float>(Float4E2M1FN::FromBits(static_cast<uint8_t>(bits))), values[bits]);
    EXPECT_EQ(static_cast<float>(Float4E2M1FN::FromBits(static_cast<uint8_t>(bits | 8))), -values[bits]);
    EXPECT_EQ(Float4E2M1FN(values[bits]).bits, bits);
  }
  const std::pair<float, int> kCases[] = {{5.f, 6},       {5.1f, 7},      {100.f, 7}, {-100.f, 15}, {INFINITY, 7},
                                          {-INFINITY, 15}, {0.25f, 0},     {0.26f, 1}, {-0.1f, 8},   {NAN, 8},
                                          {-NAN, 0}};
  for (const auto& [value, bits] : kCases) EXPECT_EQ(Float4E2M1FN(value).bits, bits) << value;
}

TEST(SmallIntTest, ValuesWrap) {
  for (int v = -40; v < 40; ++v) {
    EXPECT_EQ(static_cast<int>(UInt4(v)), v & 15);
    EXPECT_EQ(static_cast<int>(UInt2(v)), v & 3);
    EXPECT_EQ(static_cast<int>(Int4(v)), ((v + 8) & 15) - 8);
    EXPECT_EQ(static_cast<int>(Int2(v)), ((v + 2) & 3) - 2);
  }
}

}  // namespace
}  // namespace flowlatch
