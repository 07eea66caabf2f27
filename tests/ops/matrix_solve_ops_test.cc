#include "ops/matrix_solve_ops.h"

#include "tests/ops/matrix_checks.h"

namespace flowlatch {
namespace {

class MatrixSolveOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterMatrixSolveOps(library_).ok()); }
  OpTester Op(const std::string& name, DType dtype, const AttrMap& attrs = {}) {
    return OpTester(library_, name, attrs.With("T", dtype));
  }
  OpLibrary library_;
};

TEST_F(MatrixSolveOpsTest, Inverse) {
  ForMatrixTypes([&]<typename T>(double tolerance) {
    const Tensor a = MadeUp<T>({3, 5, 5}, 3);
    OpTester inverse = Op("MatrixInverse", kDTypeOf<T>, {{"adjoint", false}}), of_adjoint = Op("MatrixInverse", kDTypeOf<T>, {{"adjoint", true}});
    const Tensor x = inverse.Run({a}).value()[0], y = of_adjoint.Run({a}).value()[0];
    EXPECT_EQ(Difference(Product<T>(a, x), Identities<T>({3, 5, 5}), tolerance), "");
    EXPECT_EQ(Difference(Product<T>(a, y, true), Identities<T>({3, 5, 5}), tolerance), "");
    ExpectOutput(inverse, {MadeUp<T>({2, 0, 0})}, MadeUp<T>({2, 0, 0}));
    ExpectInvalid(inverse, {Identities<T>({2, 3, 2})}, "input: expected square matrices, got shape [2,3,2]");
    ExpectInvalid(inverse, {*Tensor::Zeros(kDTypeOf<T>, Shape::Of({2, 2}))}, "invertible");
  });
  OpTester half = Op("MatrixInverse", DType::kFloat16), old = Op("BatchMatrixInverse", DType::kFloat32);
  ExpectOutput(half, {Of<Half, float>({2, 2}, {1, 2, 3, 4})}, Of<Half, float>({2, 2}, {-2, 1, 1.5, -0.5}), 1e-3);
  ExpectOutput(old, {Floats({1, 2, 2}, {1, 2, 3, 4})}, Floats({1, 2, 2}, {-2, 1, 1.5, -0.5}), 1e-6);
}

TEST_F(MatrixSolveOpsTest, NaNIsNotInvertible) {
  OpTester inverse = Op("MatrixInverse", DType::kFloat32), solve = Op("MatrixSolve", DType::kFloat32);
  const Tensor a = Floats({2, 2}, {NAN, 2, 3, 4});
  ExpectInvalid(inverse, {a}, "invertible");
  ExpectInvalid(solve, {a, Floats({2, 1}, {1, 2})}, "invertible");
}

TEST_F(MatrixSolveOpsTest, Solve) {
  ForMatrixTypes([&]<typename T>(double tolerance) {
    const Tensor a = MadeUp<T>({2, 4, 4}, 3), b = MadeUp<T>({2, 4, 3}, 0, 2);
    for (const bool adjoint : {false, true}) {
      OpTester solve = Op("MatrixSolve", kDTypeOf<T>, {{"adjoint", adjoint}});
      const Tensor x = solve.Run({a, b}).value()[0];
      EXPECT_EQ(Difference(Product<T>(a, x, adjoint), b, tolerance), "");
      ExpectOutput(solve, {MadeUp<T>({0, 0}), MadeUp<T>({0, 3})}, MadeUp<T>({0, 3}));
      ExpectOutput(solve, {MadeUp<T>({2, 2}), MadeUp<T>({2, 0})}, MadeUp<T>({2, 0}));
    }
  });
}

// The rows of a must be exchanged, or 0 would be divided by.
TEST_F(MatrixSolveOpsTest, SolvePivots) {
  OpTester solve = Op("MatrixSolve", DType::kFloat64);
  ExpectOutput(solve, {Of<double>({2, 2}, {0, 2, 4, 1}), Of<double>({2, 1}, {2, 9})}, Of<double>({2, 1}, {2, 1}), 1e-15);
}

TEST_F(MatrixSolveOpsTest, SolveErrors) {
  OpTester solve = Op("MatrixSolve", DType::kFloat32);
  const Tensor a = Floats({2, 2}, {1, 2, 3, 4});
  ExpectInvalid(solve, {a, Floats({1, 1}, {1})}, "rhs: expected as many rows as matrix has, got shapes [1,1] and [2,2]");
  ExpectInvalid(solve, {a, Floats({2}, {1, 2})}, "rhs: expected matrices of at least 2 dimensions, got shape [2]");
  ExpectInvalid(solve, {a, Floats({1, 2, 1}, {1, 2})}, "expected equal dimensions before the last two, got shapes [2,2] and [1,2,1]");
  ExpectInvalid(solve, {Floats({1, 2}, {1, 2}), Floats({1, 1}, {1})}, "matrix: expected square matrices, got shape [1,2]");
  ExpectInvalid(solve, {Floats({2, 2}, {1, 2, 2, 4}), Floats({2, 1}, {1, 2})}, "invertible");
}

TEST_F(MatrixSolveOpsTest, TriangularSolve) {
  ForMatrixTypes([&]<typename T>(double tolerance) {
    for (const bool lower : {false, true}) {
      for (const bool adjoint : {false, true}) {
        const Tensor a = MadeUp<T>({2, 4, 4}, 3), b = MadeUp<T>({2, 4, 3}, 0, 2);
        Tensor triangle = *a.Clone();  // the other one holds something that is not read
        for (int64_t i = 0; i < a.num_elements(); ++i) {
          const int64_t row = i / 4 % 4, col = i % 4;
          if (lower ? col > row : col < row) triangle.mutable_data<T>()[i] = T(0);
        }
        OpTester solve = Op("MatrixTriangularSolve", kDTypeOf<T>, {{"lower", lower}, {"adjoint", adjoint}});
        const Tensor x = solve.Run({a, b}).value()[0];
        EXPECT_EQ(Difference(Product<T>(triangle, x, adjoint), b, tolerance), "");
      }
    }
  });
}

TEST_F(MatrixSolveOpsTest, TriangularSolveBroadcasts) {
  OpTester solve = Op("MatrixTriangularSolve", DType::kFloat32);
  ExpectOutput(solve, {Floats({2, 1, 1, 1}, {2, 4}), Floats({3, 1, 2}, {4, 8, 12, 16, 20, 24})},
               Floats({2, 3, 1, 2}, {2, 4, 6, 8, 10, 12, 1, 2, 3, 4, 5, 6}));
  ExpectOutput(solve, {Floats({0, 1, 1, 1}, {}), Floats({3, 1, 2}, {4, 8, 12, 16, 20, 24})}, Floats({0, 3, 1, 2}, {}));
  ExpectInvalid(solve, {Floats({2, 1, 1}, {2, 4}), Floats({3, 1, 1}, {1, 2, 3})}, "");
  ExpectInvalid(solve, {Floats({1, 1}, {2}), Floats({3, 1}, {1, 2, 3})}, "rhs: expected as many rows as matrix has");
}

TEST_F(MatrixSolveOpsTest, SingularTriangleDividesByZero) {
  OpTester solve = Op("MatrixTriangularSolve", DType::kFloat32);
  ExpectOutput(solve, {Floats({2, 2}, {1, 9, 2, 0}), Floats({2, 1}, {1, 2})}, Floats({2, 1}, {1, NAN}));
}

TEST_F(MatrixSolveOpsTest, LeastSquares) {
  const Tensor tall = Of<double>({3, 2}, {1, 2, 3, 4, 5, 7}), wide = Of<double>({2, 3}, {1, 3, 5, 2, 4, 7});
  const Tensor three = Of<double>({3, 1}, {1, 2, 3}), two = Of<double>({2, 1}, {1, 2});
  const Tensor none = Tensor::Scalar(0.0), some = Tensor::Scalar(0.1);
  for (const bool fast : {true, false}) {
    OpTester op = Op("MatrixSolveLs", DType::kFloat64, {{"fast", fast}});
    ExpectOutput(op, {tall, three, none}, Of<double>({2, 1}, {-1.0 / 14, 0.5}), 1e-9);
    ExpectOutput(op, {wide, two, none}, Of<double>({3, 1}, {0.92857142857, -0.21428571428, 0.14285714286}), 1e-9);
    ExpectOutput(op, {Of<double>({0, 2}, {}), Of<double>({0, 1}, {}), none}, Of<double>({2, 1}, {0, 0}));
    ExpectOutput(op, {Of<double>({2, 0}, {}), two, none}, Of<double>({0, 1}, {}));
  }
  OpTester fast = Op("MatrixSolveLs", DType::kFloat64), slow = Op("MatrixSolveLs", DType::kFloat64, {{"fast", false}});
  ExpectOutput(fast, {tall, three, some}, Of<double>({2, 1}, {1.2 / 24.41, 10.1 / 24.41}), 1e-9);
  ExpectOutput(fast, {wide, two, some}, Of<double>({3, 1}, {13.5 / 24.41, -1.9 / 24.41, 3.9 / 24.41}), 1e-9);
  ExpectOutput(slow, {tall, three, some}, Of<double>({2, 1}, {-1.0 / 14, 0.5}), 1e-9);
  const Tensor singular = Of<double>({2, 2}, {1, 2, 2, 4});
  ExpectInvalid(fast, {singular, two, none}, "full rank");
  ExpectOutput(slow, {singular, two, none}, Of<double>({2, 1}, {0.2, 0.4}), 1e-9);
}

// The rest of a solution of least squares is orthogonal to the columns.
TEST_F(MatrixSolveOpsTest, LeastSquaresOfAllTypes) {
  ForMatrixTypes([&]<typename T>(double tolerance) {
    const Tensor a = MadeUp<T>({2, 5, 3}, 1), b = MadeUp<T>({2, 5, 2}, 0, 2);
    for (const bool fast : {true, false}) {
      OpTester op = Op("MatrixSolveLs", kDTypeOf<T>, {{"fast", fast}});
      const Tensor x = op.Run({a, b, Tensor::Scalar(0.0)}).value()[0];
      EXPECT_EQ(Difference(Product<T>(a, Product<T>(a, x), true), Product<T>(a, b, true), 20 * tolerance), "");
    }
  });
}

TEST_F(MatrixSolveOpsTest, LeastSquaresErrors) {
  OpTester op = Op("MatrixSolveLs", DType::kFloat32);
  const Tensor a = Floats({2, 1}, {1, 2}), b = Floats({2, 1}, {1, 1});
  ExpectInvalid(op, {a, b, Tensor::Scalar(-1.0)}, "l2_regularizer: expected a value >= 0, got -1");
  ExpectInvalid(op, {a, b, Of<double>({1}, {1})}, "");
  ExpectInvalid(op, {a, Floats({1, 1}, {1}), Tensor::Scalar(0.0)}, "rhs: expected as many rows as matrix has");
}

TEST_F(MatrixSolveOpsTest, Shapes) {
  const AttrMap attrs{{"T", DType::kFloat32}};
  const auto infer = [&](const char* op, const std::vector<PartialShape>& inputs) { return InferShapes(library_, op, attrs, inputs); };
  EXPECT_EQ((*infer("MatrixInverse", {PartialShape::Of({-1, 3, -1})}))[0], PartialShape::Of({-1, 3, 3}));
  EXPECT_EQ((*infer("MatrixInverse", {PartialShape()}))[0], PartialShape());
  EXPECT_FALSE(infer("MatrixInverse", {PartialShape::Of({2, 3})}).ok());
  EXPECT_FALSE(infer("MatrixInverse", {PartialShape::Of({2})}).ok());
  EXPECT_EQ((*infer("MatrixSolve", {PartialShape::Of({-1, 3, -1}), PartialShape::Of({2, -1, 5})}))[0], PartialShape::Of({2, 3, 5}));
  EXPECT_FALSE(infer("MatrixSolve", {PartialShape::Of({3, 3}), PartialShape::Of({2, 5})}).ok());
  EXPECT_FALSE(infer("MatrixSolve", {PartialShape::Of({3, 3}), PartialShape::Of({1, 3, 5})}).ok());
  EXPECT_EQ((*infer("MatrixTriangularSolve", {PartialShape::Of({4, 1, 3, 3}), PartialShape::Of({2, -1, 5})}))[0], PartialShape::Of({4, 2, 3, 5}));
  EXPECT_EQ((*infer("MatrixSolveLs", {PartialShape::Of({-1, 3, 4}), PartialShape::Of({2, 3, 5}), PartialShape::Of({})}))[0], PartialShape::Of({2, 4, 5}));
}

TEST(MatrixSolveGradients, AgreeWithDifferences) {
  const Tensor a = MadeUp<double>({2, 3, 3}, 3), b = MadeUp<double>({2, 3, 2}, 0, 2);
  const Tensor ca = MadeUp<std::complex<double>>({3, 3}, 3), cb = MadeUp<std::complex<double>>({3, 2}, 0, 2);
  for (const bool adjoint : {false, true}) {
    SCOPED_TRACE(adjoint);
    const auto inverse = [&](GraphBuilder& g, const Outputs& x) { return g.Op("MatrixInverse", {x[0]}, {{"adjoint", adjoint}}).output(); };
    const auto solve = [&](GraphBuilder& g, const Outputs& x) { return g.Op("MatrixSolve", {x[0], x[1]}, {{"adjoint", adjoint}}).output(); };
    ExpectGradients({a}, inverse);
    ExpectGradients({ca}, inverse);
    ExpectGradients({a, b}, solve);
    ExpectGradients({ca, cb}, solve);
    for (const bool lower : {false, true}) {
      const auto triangular = [&](GraphBuilder& g, const Outputs& x) {
        return g.Op("MatrixTriangularSolve", {x[0], x[1]}, {{"adjoint", adjoint}, {"lower", lower}}).output();
      };
      ExpectGradients({a, b}, triangular);
      ExpectGradients({ca, cb}, triangular);
      ExpectGradients({MadeUp<double>({3, 3}, 3), b}, triangular);
      ExpectGradients({a, MadeUp<double>({1, 3, 2})}, triangular);
    }
  }
}

TEST(MatrixSolveGradients, OfLeastSquares) {
  const auto solve = [](GraphBuilder& g, const Outputs& x) { return g.Op("MatrixSolveLs", {x[0], x[1], Tensor::Scalar(0.1)}).output(); };
  ExpectGradients({MadeUp<double>({2, 4, 3}, 1), MadeUp<double>({2, 4, 2}, 0, 2)}, solve, false);
  ExpectGradients({MadeUp<double>({2, 3, 4}, 1), MadeUp<double>({2, 3, 2}, 0, 2)}, solve, false);
}

}  // namespace
}  // namespace flowlatch
