#include "ops/matrix_function_ops.h"

#include "tests/ops/matrix_checks.h"

namespace flowlatch {
namespace {

class MatrixFunctionOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterMatrixFunctionOps(library_).ok()); }
  OpTester Op(const std::string& name, DType dtype) { return OpTester(library_, name, {{"T", dtype}}); }
  OpLibrary library_;
};

template <typename T>
Tensor Scaled(const Tensor& x, double factor) {
  Tensor y = *x.Clone();
  for (T& v : y.mutable_values<T>()) v *= static_cast<RealOf<T>>(factor);
  return y;
}

// exp(a) exp(-a) = 1, and the sum of the series for a small a.
TEST_F(MatrixFunctionOpsTest, Exponential) {
  ForMatrixTypes([&]<typename T>(double tolerance) {
    OpTester op = Op("MatrixExponential", kDTypeOf<T>);
    for (const double size : {0.01, 1.0, 4.0}) {
      const Tensor a = Scaled<T>(MadeUp<T>({2, 4, 4}), size);
      const Tensor y = op.Run({a}).value()[0], inverse = op.Run({Scaled<T>(a, -1)}).value()[0];
      double largest = 0;  // of what is added up in the product
      for (const T& v : y.values<T>()) {
        for (const T& w : inverse.values<T>()) largest = std::max<double>(largest, std::abs(v) * std::abs(w));
      }
      EXPECT_EQ(Difference(Product<T>(y, inverse), Identities<T>({2, 4, 4}), tolerance * (1 + largest)), "") << size;
    }
    const Tensor a = Scaled<T>(MadeUp<T>({4, 4}), 0.1);
    Tensor term = Identities<T>({4, 4}), sum = *term.Clone();
    for (int k = 1; k < 20; ++k) {
      term = Scaled<T>(Product<T>(term, a), 1.0 / k);
      for (int i = 0; i < 16; ++i) sum.mutable_data<T>()[i] += term.data<T>()[i];
    }
    EXPECT_EQ(Difference(op.Run({a}).value()[0], sum, tolerance), "");
    ExpectOutput(op, {MadeUp<T>({2, 0, 0})}, MadeUp<T>({2, 0, 0}));
    ExpectInvalid(op, {MadeUp<T>({1, 2})}, "square");
  });
  OpTester op = Op("MatrixExponential", DType::kFloat64);
  ExpectOutput(op, {Of<double>({2, 2}, {0, 30, -30, 0})}, Of<double>({2, 2}, {std::cos(30), std::sin(30), -std::sin(30), std::cos(30)}), 1e-12);
  ExpectOutput(op, {Of<double>({1, 1}, {INFINITY})}, Of<double>({1, 1}, {NAN}));
}

TEST_F(MatrixFunctionOpsTest, Logarithm) {
  const auto check = [&]<typename T>(double tolerance) {
    OpTester log = Op("MatrixLogarithm", kDTypeOf<T>), exp = Op("MatrixExponential", kDTypeOf<T>);
    for (const Tensor& a : {MadeUp<T>({2, 4, 4}, 3), Scaled<T>(MadeUp<T>({2, 4, 4}, 3), 1e-4), Scaled<T>(MadeUp<T>({2, 4, 4}, 3), 1e4)}) {
      EXPECT_EQ(Difference(exp.Run({log.Run({a}).value()[0]}).value()[0], a, 30 * tolerance), "");
    }
    ExpectOutput(log, {Of<T>({2, 2}, {T(-2), T(0), T(0), T(3)})},
                 Of<T>({2, 2}, {T(std::log(2.0), std::acos(-1.0)), T(0), T(0), T(std::log(3.0))}), tolerance);
    const T nan = T(NAN, NAN);
    ExpectOutput(log, {Of<T>({2, 2}, {T(0), T(0), T(0), T(0)})}, Of<T>({2, 2}, {nan, nan, nan, nan}));
    ExpectOutput(log, {MadeUp<T>({2, 0, 0})}, MadeUp<T>({2, 0, 0}));
  };
  check.operator()<std::complex<float>>(2e-5);
  check.operator()<std::complex<double>>(1e-12);
}

// Squares of the elements do not fit their type, so that eigenvalues do not converge.
TEST_F(MatrixFunctionOpsTest, Overflow) {
  using C = std::complex<float>;
  const C nan(NAN, NAN);
  for (const char* name : {"MatrixLogarithm", "MatrixSquareRoot"}) {
    OpTester op = Op(name, DType::kComplex64);
    const Tensor a = Of<C>({2, 2}, {C(2, 1e10f), C(2, 1e10f), C(1e10f, -1e38f), C(2, 1e10f)});
    ExpectOutput(op, {a}, Of<C>({2, 2}, {nan, nan, nan, nan}));
  }
}

TEST_F(MatrixFunctionOpsTest, SquareRoot) {
  ForMatrixTypes([&]<typename T>(double tolerance) {
    OpTester op = Op("MatrixSquareRoot", kDTypeOf<T>);
    const Tensor a = MadeUp<T>({2, 4, 4}, 4), x = op.Run({a}).value()[0];
    EXPECT_EQ(Difference(Product<T>(x, x), a, 10 * tolerance), "");
    ExpectOutput(op, {Of<T>({2, 2}, {T(1), T(2), T(2), T(4)})},
                 Of<T>({2, 2}, {T(std::sqrt(0.2)), T(2 * std::sqrt(0.2)), T(2 * std::sqrt(0.2)), T(4 * std::sqrt(0.2))}), 1e-6);
    ExpectOutput(op, {MadeUp<T>({2, 0, 0})}, MadeUp<T>({2, 0, 0}));
    ExpectInvalid(op, {MadeUp<T>({2, 1})}, "square");
  });
  // A rotation has a real root, but a matrix with one negative eigenvalue has none.
  OpTester real = Op("MatrixSquareRoot", DType::kFloat64), complex = Op("MatrixSquareRoot", DType::kComplex128);
  ExpectOutput(real, {Of<double>({2, 2}, {0, -1, 1, 0})}, Of<double>({2, 2}, {std::sqrt(0.5), -std::sqrt(0.5), std::sqrt(0.5), std::sqrt(0.5)}), 1e-14);
  ExpectOutput(real, {Of<double>({2, 2}, {-2, 0, 0, 3})}, Of<double>({2, 2}, {NAN, NAN, NAN, NAN}));
  ExpectOutput(real, {Of<double>({2, 2}, {NAN, 0, 0, 3})}, Of<double>({2, 2}, {NAN, NAN, NAN, NAN}));
  using C = std::complex<double>;
  ExpectOutput(complex, {Of<C>({2, 2}, {C(-2), C(0, 1), C(0), C(3)})},
               Of<C>({2, 2}, {C(0, std::sqrt(2)), C(0.28284271, 0.34641016), C(0), C(std::sqrt(3))}), 1e-7);
}

TEST_F(MatrixFunctionOpsTest, Shapes) {
  EXPECT_EQ((*InferShapes(library_, "MatrixSquareRoot", {{"T", DType::kFloat32}}, {PartialShape::Of({-1, 2, -1})}))[0], PartialShape::Of({-1, 2, 2}));
  EXPECT_EQ((*InferShapes(library_, "MatrixLogarithm", {{"T", DType::kComplex64}}, {PartialShape()}))[0], PartialShape());
  EXPECT_FALSE(InferShapes(library_, "MatrixExponential", {{"T", DType::kFloat32}}, {PartialShape::Of({2, 3})}).ok());
}

TEST(MatrixFunctionGradients, OfSquareRoot) {
  const auto root = [](GraphBuilder& g, const Outputs& x) { return g.Op("MatrixSquareRoot", {x[0]}).output(); };
  ExpectGradients({MadeUp<double>({2, 3, 3}, 4)}, root);
  ExpectGradients({MadeUp<std::complex<double>>({3, 3}, 4)}, root);
}

}  // namespace
}  // namespace flowlatch
