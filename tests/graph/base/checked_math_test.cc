#include "graph/base/checked_math.h"

#include <limits>

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

TEST(CheckedMathTest, Add) {
  EXPECT_EQ(CheckedAdd(2, -3), -1);
  EXPECT_EQ(CheckedAdd(kMax, 0), kMax);
  EXPECT_EQ(CheckedAdd(kMax, 1), std::nullopt);
  EXPECT_EQ(CheckedAdd(kMin, -1), std::nullopt);
  EXPECT_EQ(CheckedAdd(kMin, kMax), -1);
}

TEST(CheckedMathTest, Mul) {
  EXPECT_EQ(CheckedMul(-4, 5), -20);
  EXPECT_EQ(CheckedMul(int64_t{1} << 31, int64_t{1} << 31), int64_t{1} << 62);
  EXPECT_EQ(CheckedMul(int64_t{1} << 32, int64_t{1} << 31), std::nullopt);
  EXPECT_EQ(CheckedMul(kMin, -1), std::nullopt);
  EXPECT_EQ(CheckedMul(kMax, 0), 0);
}

TEST(CheckedMathTest, WrappingArithmetic) {
  EXPECT_EQ(WrapAdd(kMax, int64_t{1}), kMin);
  EXPECT_EQ(WrapSub(std::numeric_limits<int32_t>::min(), 1), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(WrapMul<int32_t>(1 << 30, 4), 0);
  EXPECT_EQ(WrapMul<int16_t>(-300, 300), static_cast<int16_t>(-90000));
  EXPECT_EQ(WrapMul<uint16_t>(65535, 65535), 1);
  EXPECT_EQ(WrapAdd<uint8_t>(255, 2), 1);
  EXPECT_EQ(WrapSub<uint8_t>(1, 2), 255);
  EXPECT_EQ(WrapMul<int8_t>(-128, -1), -128);
}

}  // namespace
}  // namespace flowlatch
