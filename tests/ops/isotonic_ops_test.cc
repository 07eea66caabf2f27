#include "ops/isotonic_ops.h"

#include <cmath>

#include "tests/ops/matrix_checks.h"
#include "tests/ops/numbers.h"

namespace flowlatch {
namespace {

class IsotonicOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterIsotonicOps(library_).ok()); }
  OpTester Op(DType in, DType out) {
    return OpTester(library_, "IsotonicRegression", {{"T", in}, {"output_dtype", out}});
  }
  OpLibrary library_;
};

TEST_F(IsotonicOpsTest, DTypes) {
  const struct {
    DType in, out;
    double tolerance;
  } cases[] = {{DType::kInt8, DType::kFloat32, 1e-6},    {DType::kInt16, DType::kFloat32, 1e-6},
               {DType::kInt32, DType::kFloat64, 1e-12},  {DType::kInt64, DType::kFloat64, 1e-12},
               {DType::kFloat16, DType::kFloat16, 1e-3}, {DType::kBFloat16, DType::kBFloat16, 1e-2},
               {DType::kFloat32, DType::kFloat32, 1e-6}, {DType::kFloat64, DType::kFloat64, 1e-12}};
  for (const auto& [in, out, tolerance] : cases) {
    SCOPED_TRACE(std::string(DTypeName(in)));
    OpTester op = Op(in, out);
    ExpectOutputs(
        op, {Numbers(in, {2, 4}, {3, 1, 2, 4, 4, 3, 2, 1})},
        {Numbers(out, {2, 4}, {3, 7.0 / 3, 7.0 / 3, 7.0 / 3, 4, 3, 2, 1}), Ints({2, 4}, {0, 1, 1, 1, 0, 1, 2, 3})},
        tolerance);
    ExpectOutputs(op, {Numbers(in, {}, {3})}, {Numbers(out, {}, {3}), Ints({}, {0})});
    ExpectOutputs(op, {Numbers(in, {2, 0}, {})}, {Numbers(out, {2, 0}, {}), Ints({2, 0}, {})});
  }
  EXPECT_EQ(Op(DType::kInt8, DType::kFloat64).Run({Of<int8_t>({1}, {1})}).status().code(),
            absl::StatusCode::kUnimplemented);
}

// The answers are TensorFlow's.
TEST_F(IsotonicOpsTest, Values) {
  OpTester op = Op(DType::kFloat32, DType::kFloat32);
  ExpectOutputs(op, {Floats({3}, {1, 1, 1})}, {Floats({3}, {1, 1, 1}), Ints({3}, {0, 1, 2})});
  ExpectOutputs(op, {Floats({6}, {5, 5, 3, 4, 4, 1})},
                {Floats({6}, {5, 5, 3.6666667, 3.6666667, 3.6666667, 1}), Ints({6}, {0, 1, 2, 2, 2, 3})}, 1e-6);
  ExpectOutputs(op, {Floats({1, 1, 6}, {0, 0, 1, 1, 2, 0})},
                {Floats({1, 1, 6}, {0.8, 0.8, 0.8, 0.8, 0.8, 0}), Ints({1, 1, 6}, {0, 0, 0, 0, 0, 1})}, 1e-6);
  ExpectOutputs(op, {Floats({4}, {3, NAN, 2, 5})}, {Floats({4}, {3, NAN, 3.5, 3.5}), Ints({4}, {0, 1, 2, 2})});
  ExpectOutputs(op, {Floats({4}, {3, INFINITY, 2, 5})},
                {Floats({4}, {INFINITY, INFINITY, 3.5, 3.5}), Ints({4}, {0, 0, 1, 1})});
}

TEST_F(IsotonicOpsTest, Large) {
  OpTester op = Op(DType::kFloat32, DType::kFloat32);
  Tensor x = *Tensor::Make(DType::kFloat32, Shape::Of({200, 100}));
  for (int64_t i = 0; i < x.num_elements(); ++i) x.mutable_data<float>()[i] = static_cast<float>(i * 7919 % 1000);
  const auto out = op.Run({x});
  ASSERT_TRUE(out.ok()) << out.status();
  for (int64_t i = 1; i < x.num_elements(); ++i) {
    const float* y = (*out)[0].data<float>() + i;
    if (i % 100 != 0) EXPECT_LE(y[0], y[-1] * 1.000001f) << i;
  }
}

TEST(IsotonicGradients, AgreeWithDifferences) {
  const auto regression = [](GraphBuilder& g, const Outputs& x) {
    return g.Op("IsotonicRegression", {x[0]}, {{"output_dtype", DType::kFloat64}}).output();
  };
  ExpectGradients({Of<double>({2, 4}, {3, 1, 2.5, 4, 4, 3, 2, 2.5})}, regression);
  ExpectGradients({Of<double>({3}, {1, 3, 1.5})}, regression);
  ExpectGradients({Of<double>({}, {1})}, regression);
}

}  // namespace
}  // namespace flowlatch
