#include "ops/kernels/small_floats.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

void ExpectSameFloat(float got, float want, uint32_t from) {
  if (std::isnan(want)) {
    EXPECT_TRUE(std::isnan(got)) << from;
    EXPECT_EQ(std::signbit(got), std::signbit(want)) << from;
  } else {
    EXPECT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(want)) << from;
  }
}

template <typename T>
class SmallFloatsTest : public testing::Test {};
using Types = testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(SmallFloatsTest, Types);

TYPED_TEST(SmallFloatsTest, WidensAllNumbers) {
  std::vector<TypeParam> x;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) x.push_back(TypeParam::FromBits(static_cast<uint16_t>(bits)));
  std::vector<float> y(x.size());
  WidenFloats(x.data(), y.data(), static_cast<int64_t>(x.size()));
  for (uint32_t i = 0; i < x.size(); ++i) ExpectSameFloat(y[i], static_cast<float>(x[i]), i);
}

// Each number of T, what lies halfway to the next, the floats beside both, and others.
template <typename T>
std::vector<float> HardFloats() {
  std::vector<float> x;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float number = static_cast<float>(T::FromBits(static_cast<uint16_t>(bits)));
    const float next = static_cast<float>(T::FromBits(static_cast<uint16_t>(bits + 1)));
    for (const float y : {number, number / 2 + next / 2}) {
      for (const uint32_t step : {-1, 0, 1}) x.push_back(std::bit_cast<float>(std::bit_cast<uint32_t>(y) + step));
    }
  }
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 40013) x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return x;
}

TYPED_TEST(SmallFloatsTest, NarrowsAsTheTypeItself) {
  const std::vector<float> x = HardFloats<TypeParam>();
  std::vector<TypeParam> y(x.size());
  NarrowFloats(x.data(), y.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    ExpectSameFloat(static_cast<float>(y[i]), static_cast<float>(TypeParam(x[i])), std::bit_cast<uint32_t>(x[i]));
  }
}

TYPED_TEST(SmallFloatsTest, TouchesNoMoreThanItShould) {
  for (int64_t n = 0; n < 40; ++n) {
    const std::vector<TypeParam> x(static_cast<size_t>(n), TypeParam(1.5f));
    std::vector<float> y(static_cast<size_t>(n) + 1, 7);
    WidenFloats(x.data(), y.data(), n);
    for (int64_t i = 0; i <= n; ++i) EXPECT_EQ(y[static_cast<size_t>(i)], i < n ? 1.5f : 7.0f) << n;
    std::vector<TypeParam> z(static_cast<size_t>(n) + 1, TypeParam(7.0f));
    NarrowFloats(y.data(), z.data(), n);
    for (int64_t i = 0; i <= n; ++i) EXPECT_EQ(static_cast<float>(z[static_cast<size_t>(i)]), i < n ? 1.5f : 7.0f) << n;
  }
}

TEST(SmallFloatsRoundingTest, RoundsToHalfWithoutBranches) {
  for (const float x : HardFloats<Half>()) {
    ExpectSameFloat(RoundedToHalf(x), static_cast<float>(Half(x)), std::bit_cast<uint32_t>(x));
  }
}

TEST(SmallFloatsPiecesTest, CoverAll) {
  for (const int64_t n : {int64_t{0}, int64_t{1}, kFloatPiece, kFloatPiece + 1, 3 * kFloatPiece}) {
    int64_t next = 0;
    ForEachFloatPiece(n, [&](int64_t begin, int64_t count) {
      EXPECT_EQ(begin, next);
      EXPECT_TRUE(count > 0 && count <= kFloatPiece) << count;
      next += count;
    });
    EXPECT_EQ(next, n);
  }
}

}  // namespace
}  // namespace flowlatch
