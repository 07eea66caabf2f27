#include "ops/beta_ops.h"

#include <cmath>

#include "tests/ops/matrix_checks.h"
#include "tests/ops/numbers.h"

namespace flowlatch {
namespace {

class BetaOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterBetaOps(library_).ok()); }
  OpLibrary library_;
};

// For whole a and b it is a sum of binomial probabilities; for a = b = 1/2 the arcsine distribution.
TEST_F(BetaOpsTest, KnownValues) {
  for (const auto& [dtype, tolerance] : {std::pair{DType::kFloat32, 1e-6}, {DType::kFloat64, 1e-13}}) {
    OpTester op(library_, "Betainc", {{"T", dtype}});
    const double x = dtype == DType::kFloat32 ? static_cast<double>(0.3f) : 0.3;
    ExpectOutput(op,
                 {Numbers(dtype, {5}, {1, 2, 3, 0.5, 1}), Numbers(dtype, {5}, {1, 1, 2, 0.5, 4}),
                  Numbers(dtype, {5}, {x, x, x, x, x})},
                 Numbers(dtype, {5},
                         {x, x * x, 4 * std::pow(x, 3) * (1 - x) + std::pow(x, 4),
                          2 / std::acos(-1.0) * std::asin(std::sqrt(x)), 1 - std::pow(1 - x, 4)}),
                 tolerance);
    ExpectOutput(op,
                 {Numbers(dtype, {3}, {500, 500, 2}), Numbers(dtype, {3}, {500, 500, 1000}),
                  Numbers(dtype, {3}, {0.5, 0.75, 1})},
                 Numbers(dtype, {3}, {0.5, 1, 1}), 100 * tolerance);
  }
}

TEST_F(BetaOpsTest, EdgesAndScalars) {
  OpTester op(library_, "Betainc", {{"T", DType::kFloat64}});
  const double nan = NAN;
  ExpectOutput(op,
               {Of<double>({7}, {1, 1, 1, 0, -1, 1, nan}), Of<double>({7}, {2, 2, 2, 1, 1, nan, 1}),
                Of<double>({7}, {0, 1, 1.5, 0.5, 0.5, 0.5, 0.5})},
               Of<double>({7}, {0, 1, nan, nan, nan, nan, nan}));
  ExpectOutput(op, {Tensor::Scalar(1.0), Tensor::Scalar(1.0), Of<double>({2}, {0.25, 0.5})},
               Of<double>({2}, {0.25, 0.5}), 1e-14);
  ExpectOutput(op, {Of<double>({1, 1}, {1}), Tensor::Scalar(1.0), Tensor::Scalar(0.5)}, Of<double>({1, 1}, {0.5}),
               1e-14);
  ExpectOutput(op, {Of<double>({0}, {}), Tensor::Scalar(1.0), Tensor::Scalar(0.5)}, Of<double>({0}, {}));
  ExpectInvalid(op, {Of<double>({2}, {1, 2}), Tensor::Scalar(1.0), Of<double>({3}, {0.1, 0.2, 0.3})},
                "a, b and x: expected one shape or scalars, got [2], [] and [3]");
  ExpectInvalid(op, {Of<double>({1}, {1}), Tensor::Scalar(1.0), Of<double>({1, 1}, {0.1})},
                "expected one shape or scalars");
}

TEST_F(BetaOpsTest, Shapes) {
  const AttrMap attrs{{"T", DType::kFloat32}};
  EXPECT_EQ((*InferShapes(library_, "Betainc", attrs,
                          {PartialShape::Of({}), PartialShape::Of({-1, 3}), PartialShape::Of({2, -1})}))[0],
            PartialShape::Of({2, 3}));
  EXPECT_EQ((*InferShapes(library_, "Betainc", attrs, {PartialShape::Of({}), PartialShape(), PartialShape::Of({})}))[0],
            PartialShape());
  EXPECT_FALSE(
      InferShapes(library_, "Betainc", attrs, {PartialShape::Of({2}), PartialShape::Of({3}), PartialShape()}).ok());
}

TEST(BetaGradients, ByX) {
  for (const bool scalar : {false, true}) {
    const Tensor x = scalar ? Tensor::Scalar(0.3) : Of<double>({3}, {0.1, 0.5, 0.8});
    ExpectGradients({x}, [](GraphBuilder& g, const Outputs& in) {
      return g.Op("Betainc", {Of<double>({3}, {1.5, 2, 3}), Tensor::Scalar(2.5), in[0]}).output();
    });
  }
}

}  // namespace
}  // namespace flowlatch
