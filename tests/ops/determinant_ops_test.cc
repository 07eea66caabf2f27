#include "ops/determinant_ops.h"

#include <limits>

#include "tests/ops/matrix_checks.h"

namespace flowlatch {
namespace {

class DeterminantOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterDeterminantOps(library_).ok()); }
  OpLibrary library_;
};

TEST_F(DeterminantOpsTest, Determinants) {
  ForMatrixTypes([&]<typename T>(double tolerance) {
    OpTester det(library_, "MatrixDeterminant", {{"T", kDTypeOf<T>}});
    ExpectOutput(det, {Of<T, double>({3, 2, 2}, {1, 2, 3, 4, 0, 1, 1, 0, 2, 0, 0, 3})}, Of<T, double>({3}, {-2, -1, 6}), tolerance);
    ExpectOutput(det, {Of<T, double>({3, 3}, {0, 0, 2, 3, 0, 0, 0, 5, 0})}, Of<T, double>({}, {30}), tolerance);
    ExpectOutput(det, {Of<T, double>({2, 0, 0}, {})}, Of<T, double>({2}, {1, 1}));
    ExpectOutput(det, {Of<T, double>({0, 2, 2}, {})}, Of<T, double>({0}, {}));
    ExpectInvalid(det, {Of<T, double>({1, 2}, {1, 2})}, "input: expected square matrices, got shape [1,2]");
  });
  using C = std::complex<float>;
  OpTester det(library_, "MatrixDeterminant", {{"T", DType::kComplex64}});
  ExpectOutput(det, {Of<C>({2, 2}, {C(0, 1), C(2), C(2), C(4)})}, Tensor::Scalar(C(-4, 4)), 1e-6);
}

TEST_F(DeterminantOpsTest, LogarithmsAndSigns) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  ForMatrixTypes([&]<typename T>(double tolerance) {
    OpTester det(library_, "LogMatrixDeterminant", {{"T", kDTypeOf<T>}});
    ExpectOutputs(det, {Of<T, double>({2, 2, 2}, {1, 2, 3, 4, 1e30, 0, 0, 1e30})},
                  {Of<T, double>({2}, {-1, 1}), Of<T, double>({2}, {std::log(2.0), 60 * std::log(10.0)})}, tolerance);
    ExpectOutputs(det, {Of<T, double>({2, 2}, {1, 2, 2, 4})}, {Of<T, double>({}, {0}), Of<T, double>({}, {-kInf})});
    ExpectOutputs(det, {Of<T, double>({2, 0, 0}, {})}, {Of<T, double>({2}, {1, 1}), Of<T, double>({2}, {0, 0})});
  });
  using C = std::complex<double>;
  OpTester det(library_, "LogMatrixDeterminant", {{"T", DType::kComplex128}});
  ExpectOutputs(det, {Of<C>({2, 2}, {C(0, 1), C(2), C(2), C(4)})},
                {Tensor::Scalar(C(-std::sqrt(0.5), std::sqrt(0.5))), Tensor::Scalar(C(std::log(std::sqrt(32.0))))}, 1e-12);
}

TEST_F(DeterminantOpsTest, NaNStays) {
  OpTester det(library_, "BatchMatrixDeterminant", {{"T", DType::kFloat32}});
  ExpectOutput(det, {Floats({1, 2, 2}, {NAN, 1, 2, 3})}, Floats({1}, {NAN}));
}

TEST_F(DeterminantOpsTest, Shapes) {
  const AttrMap attrs{{"T", DType::kFloat32}};
  EXPECT_EQ((*InferShapes(library_, "MatrixDeterminant", attrs, {PartialShape::Of({-1, 2, 3, 3})}))[0], PartialShape::Of({-1, 2}));
  EXPECT_EQ((*InferShapes(library_, "LogMatrixDeterminant", attrs, {PartialShape()}))[1], PartialShape());
  EXPECT_FALSE(InferShapes(library_, "MatrixDeterminant", attrs, {PartialShape::Of({2, 3})}).ok());
}

TEST(DeterminantGradients, AgreeWithDifferences) {
  const auto det = [](GraphBuilder& g, const Outputs& x) { return g.Op("MatrixDeterminant", {x[0]}).output(); };
  const auto log = [](GraphBuilder& g, const Outputs& x) { return g.Op("LogMatrixDeterminant", {x[0]}).output(1); };
  ExpectGradients({MadeUp<double>({2, 3, 3}, 2)}, det);
  ExpectGradients({MadeUp<double>({2, 3, 3}, 2)}, log);
  ExpectGradients({MadeUp<double>({3, 3}, 2)}, det);
  // The logarithm is real in either case, and so is what is made of it.
  ExpectGradients({MadeUp<std::complex<double>>({2, 2}, 2)}, [&](GraphBuilder& g, const Outputs& x) {
    return g.Op("Real", {log(g, x)}, {{"Tout", DType::kFloat64}}).output();
  });
  ExpectGradients({MadeUp<std::complex<double>>({2, 2}, 2)}, det);
}

}  // namespace
}  // namespace flowlatch
