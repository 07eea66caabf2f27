#include "ops/kernels/fast_math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

// The largest error over a sample of all floats whose result is a normal number, in units of the last place.
template <typename Fast, typename Exact>
double WorstUlp(Fast fast, Exact exact) {
  constexpr uint32_t kStep = 4099;  // prime: mantissas and exponents both vary
  double worst = 0;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += kStep) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    const double want = exact(static_cast<double>(x));
    const float got = fast(x);
    if (std::isnan(want) || std::isnan(got)) {
      EXPECT_EQ(std::isnan(want), std::isnan(got)) << x;
    } else if (std::isinf(static_cast<float>(want)) || std::isinf(got)) {
      EXPECT_EQ(static_cast<float>(want), got) << x;
    } else if (std::abs(want) >= 0x1p-126) {
      worst = std::max(worst, std::abs(got - want) / std::ldexp(1.0, std::ilogb(want) - 23));
    } else {
      EXPECT_LE(std::abs(got), 0x1p-126) << x;
    }
  }
  return worst;
}

TEST(FastMathTest, Exp) {
  EXPECT_LT(WorstUlp(FastExp, [](double x) { return std::exp(x); }), 1.2);
}
TEST(FastMathTest, Expm1) {
  EXPECT_LT(WorstUlp(FastExpm1, [](double x) { return std::expm1(x); }), 4);
}
TEST(FastMathTest, Log) {
  EXPECT_LT(WorstUlp(FastLog, [](double x) { return std::log(x); }), 1);
}
TEST(FastMathTest, Log1p) {
  EXPECT_LT(WorstUlp(FastLog1p, [](double x) { return std::log1p(x); }), 3);
}
TEST(FastMathTest, Tanh) {
  EXPECT_LT(WorstUlp(FastTanh, [](double x) { return std::tanh(x); }), 6);
}
TEST(FastMathTest, Erf) {
  EXPECT_LT(WorstUlp(FastErf, [](double x) { return std::erf(x); }), 7);
}
TEST(FastMathTest, Atan) {
  EXPECT_LT(WorstUlp(FastAtan, [](double x) { return std::atan(x); }), 3);
}
TEST(FastMathTest, Sigmoid) {
  EXPECT_LT(WorstUlp(FastSigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }), 2.5);
}

TEST(FastMathTest, SaturatesAtOne) {
  for (float x = 3.0f; x < 20.0f; x += 0.01f) {
    EXPECT_LE(FastTanh(x), 1.0f) << x;
    EXPECT_GE(FastTanh(-x), -1.0f) << x;
    EXPECT_LE(FastErf(x), 1.0f) << x;
  }
  EXPECT_EQ(FastTanh(20.0f), 1.0f);
  EXPECT_EQ(FastErf(-10.0f), -1.0f);
}

TEST(FastMathTest, SignsOfZero) {
  EXPECT_TRUE(std::signbit(FastTanh(-0.0f)));
  EXPECT_FALSE(std::signbit(FastTanh(0.0f)));
  EXPECT_TRUE(std::signbit(FastErf(-0.0f)));
  EXPECT_TRUE(std::signbit(FastAtan(-0.0f)));
  EXPECT_TRUE(std::signbit(FastExpm1(-0.0f)));
  EXPECT_TRUE(std::signbit(FastLog1p(-0.0f)));
  EXPECT_FALSE(std::signbit(FastLog(1.0f)));
}

}  // namespace
}  // namespace flowlatch
