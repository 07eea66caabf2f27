#include "tools/arrays/difference.h"

#include <cmath>
#include <complex>
#include <limits>
#include <string>

#include "graph/tensor/string.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(DifferenceTest, ToleranceIsRelativeToWhatIsWanted) {
  const Tensor want = Tensor::Vector<float>({100, 0.001f});
  EXPECT_EQ(Compare(Tensor::Vector<float>({100.9f, 0.001f}), want, {0.01, 0}).reason, "");
  const Difference difference = Compare(Tensor::Vector<float>({100.9f, 0.002f}), want, {0.01, 0});
  EXPECT_EQ(difference.count, 1);
  EXPECT_EQ(difference.first, 1);
  EXPECT_NEAR(difference.max_error, 0.9, 1e-5);
  EXPECT_EQ(difference.reason, "1 of 2 values differ, by up to 0.900002; at [1]: expected 0.001, got 0.002");
}

TEST(DifferenceTest, NanAgreesWithNanAndInfinitiesWithThemselves) {
  const Tensor special = Tensor::Vector<float>({kNan, kInfinity, -kInfinity});
  EXPECT_EQ(Compare(special, special, {1, 1}).reason, "");
  EXPECT_EQ(Compare(Tensor::Vector<float>({1, 1, 1}), special, {1, 1}).count, 3);
  EXPECT_EQ(Compare(special, Tensor::Vector<float>({1, 1, kInfinity}), {1, 1}).count, 3);
}

TEST(DifferenceTest, OthersAreCompared) {
  EXPECT_EQ(Compare(Tensor::Scalar(int64_t{1} << 62), Tensor::Scalar((int64_t{1} << 62) + 1), {1, 1}).count, 1);
  EXPECT_EQ(Compare(Tensor::Scalar(uint64_t{1} << 63), Tensor::Scalar(uint64_t{1} << 63), {}).reason, "");
  EXPECT_EQ(Compare(Tensor::Scalar("a"), Tensor::Scalar("b"), {}).reason,
            "1 of 1 values differ; at []: expected \"b\", got \"a\"");
  EXPECT_EQ(Compare(Tensor::Scalar(true), Tensor::Scalar(false), {}).count, 1);
  EXPECT_EQ(
      Compare(Tensor::Scalar(std::complex<float>(1, 2)), Tensor::Scalar(std::complex<float>(1, 2.1f)), {0, 0.2}).reason,
      "");
  EXPECT_EQ(Compare(Tensor::Scalar(Half(1.f)), Tensor::Scalar(Half(1.f)), {}).reason, "");
}

TEST(DifferenceTest, DtypesAndShapesMustBeTheSame) {
  EXPECT_EQ(Compare(Tensor::Scalar(1.f), Tensor::Scalar(1), {}).reason, "dtype: expected int32, got float32");
  EXPECT_EQ(Compare(Tensor::Scalar(1), Tensor::Vector<int32_t>({1}), {}).reason, "shape: expected [1], got []");
}

}  // namespace
}  // namespace flowlatch
