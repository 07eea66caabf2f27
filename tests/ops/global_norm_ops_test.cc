#include "ops/global_norm_ops.h"

#include <cmath>

#include "tests/ops/matrix_checks.h"
#include "tests/ops/numbers.h"

namespace flowlatch {
namespace {

class GlobalNormOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterGlobalNormOps(library_).ok()); }
  OpTester Op(const std::string& suffix, bool scale, DType dtype = DType::kFloat32, float epsilon = 0.5f) {
    return OpTester(library_, "BatchNormWithGlobalNormalization" + suffix,
                    {{"T", dtype}, {"variance_epsilon", epsilon}, {"scale_after_normalization", scale}});
  }
  OpLibrary library_;
};

// With variances 3.5 and 0.75 plus the epsilon, the divisors are 2 and sqrt(1.25).
TEST_F(GlobalNormOpsTest, Normalizes) {
  const double half = 1 / std::sqrt(1.25);
  for (const auto& [dtype, tolerance] :
       {std::pair{DType::kFloat16, 2e-3}, {DType::kFloat32, 1e-6}, {DType::kFloat64, 1e-12}}) {
    SCOPED_TRACE(std::string(DTypeName(dtype)));
    const std::vector<Tensor> inputs = {Numbers(dtype, {1, 1, 2, 2}, {1, 2, 5, -3}), Numbers(dtype, {2}, {1, 0.5}),
                                        Numbers(dtype, {2}, {3.5, 0.75}), Numbers(dtype, {2}, {10, 20}),
                                        Numbers(dtype, {2}, {2, -4})};
    OpTester scaled = Op("", true, dtype), plain = Op("", false, dtype);
    ExpectOutput(scaled, inputs, Numbers(dtype, {1, 1, 2, 2}, {10, 20 - 6 * half, 14, 20 + 14 * half}), tolerance);
    ExpectOutput(plain, inputs, Numbers(dtype, {1, 1, 2, 2}, {10, 20 + 1.5 * half, 12, 20 - 3.5 * half}), tolerance);
  }
}

TEST_F(GlobalNormOpsTest, Gradients) {
  OpTester scaled = Op("Grad", true), plain = Op("Grad", false);
  const std::vector<Tensor> inputs = {Floats({2, 1, 1, 1}, {1, 5}), Floats({1}, {2}), Floats({1}, {3.5}),
                                      Floats({1}, {3}), Floats({2, 1, 1, 1}, {10, 4})};
  // Sums of dy and of dy (t - m): 14 and 2.
  ExpectOutputs(
      scaled, inputs,
      {Floats({2, 1, 1, 1}, {15, 6}), Floats({1}, {-21}), Floats({1}, {-0.375}), Floats({1}, {14}), Floats({1}, {1})},
      1e-6);
  ExpectOutputs(
      plain, inputs,
      {Floats({2, 1, 1, 1}, {5, 2}), Floats({1}, {-7}), Floats({1}, {-0.125}), Floats({1}, {14}), Floats({1}, {0})},
      1e-6);
}

TEST_F(GlobalNormOpsTest, Empty) {
  OpTester op = Op("", true), grad = Op("Grad", true);
  const Tensor none = Floats({0, 1, 1, 2}, {}), two = Floats({2}, {1, 2}), zero = Floats({2}, {0, 0});
  ExpectOutput(op, {none, two, two, two, two}, none);
  ExpectOutputs(grad, {none, two, two, two, none}, {none, zero, zero, zero, zero});
}

TEST_F(GlobalNormOpsTest, Errors) {
  OpTester op = Op("", true), grad = Op("Grad", true);
  const Tensor t = Floats({1, 1, 1, 2}, {1, 2}), two = Floats({2}, {1, 2}), one = Floats({1}, {1});
  ExpectInvalid(op, {two, two, two, two, two}, "t: expected 4 dimensions, got shape [2]");
  ExpectInvalid(op, {t, one, two, two, two}, "m: expected shape [2], got [1]");
  ExpectInvalid(op, {t, two, t, two, two}, "v: expected shape [2], got [1,1,1,2]");
  ExpectInvalid(op, {t, two, two, one, two}, "beta: expected shape [2]");
  ExpectInvalid(op, {t, two, two, two, one}, "gamma: expected shape [2]");
  ExpectInvalid(grad, {t, two, two, two, two}, "backprop: expected shape [1,1,1,2], got [2]");
}

TEST_F(GlobalNormOpsTest, Shapes) {
  const AttrMap attrs{{"T", DType::kFloat32}, {"variance_epsilon", 0.5f}, {"scale_after_normalization", true}};
  const PartialShape two = PartialShape::Of({2}), unknown;
  EXPECT_EQ((*InferShapes(library_, "BatchNormWithGlobalNormalization", attrs,
                          {PartialShape::Of({3, -1, 4, -1}), unknown, two, unknown, unknown}))[0],
            PartialShape::Of({3, -1, 4, 2}));
  const auto grads = *InferShapes(library_, "BatchNormWithGlobalNormalizationGrad", attrs,
                                  {unknown, unknown, two, unknown, PartialShape::Of({3, -1, 4, -1})});
  EXPECT_EQ(grads, (std::vector<PartialShape>{PartialShape::Of({3, -1, 4, 2}), two, two, two, two}));
  EXPECT_FALSE(InferShapes(library_, "BatchNormWithGlobalNormalization", attrs,
                           {PartialShape::Of({3, 1, 4, 3}), unknown, two, unknown, unknown})
                   .ok());
}

TEST(GlobalNormGradients, AgreeWithDifferences) {
  for (const bool scale : {false, true}) {
    Tensor variance = MadeUp<double>({3});
    for (double& v : variance.mutable_values<double>()) v = std::abs(v) + 0.5;
    ExpectGradients(
        {MadeUp<double>({2, 2, 1, 3}), MadeUp<double>({3}), variance, MadeUp<double>({3}), MadeUp<double>({3})},
        [&](GraphBuilder& g, const Outputs& x) {
          return g
              .Op("BatchNormWithGlobalNormalization", {x[0], x[1], x[2], x[3], x[4]},
                  {{"variance_epsilon", 0.5f}, {"scale_after_normalization", scale}})
              .output();
        });
  }
}

}  // namespace
}  // namespace flowlatch
