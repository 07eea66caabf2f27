#include "ops/banded_solve_ops.h"

#include "tests/ops/matrix_checks.h"

namespace flowlatch {
namespace {

class BandedSolveOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterBandedSolveOps(library_).ok()); }
  OpTester Op(const std::string& name, DType dtype, const AttrMap& attrs = {}) {
    return OpTester(library_, name, attrs.With("T", dtype));
  }
  OpLibrary library_;
};

TEST_F(BandedSolveOpsTest, BandedTriangularSolve) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    OpTester lower = Op("BandedTriangularSolve", dtype), lower_adjoint = Op("BandedTriangularSolve", dtype, {{"adjoint", true}});
    OpTester upper = Op("BandedTriangularSolve", dtype, {{"lower", false}});
    OpTester upper_adjoint = Op("BandedTriangularSolve", dtype, {{"lower", false}, {"adjoint", true}});
    const auto of = [&](std::initializer_list<int64_t> dims, std::initializer_list<double> v) {
      return dtype == DType::kFloat32 ? Of<float, double>(dims, v) : Of<double>(dims, v);
    };
    const Tensor b = of({3, 1}, {1, 2, 3}), low = of({2, 3}, {1, 2, 3, 99, 1, 1}), high = of({2, 3}, {1, 2, 99, 1, 1, 1});
    ExpectOutput(lower, {low, b}, of({3, 1}, {1, 0.5, 5.0 / 6}), 1e-6);
    ExpectOutput(lower_adjoint, {low, b}, of({3, 1}, {0.5, 0.5, 1}), 1e-6);
    ExpectOutput(upper, {high, b}, of({3, 1}, {5, -4, 3}), 1e-6);
    ExpectOutput(upper_adjoint, {high, b}, of({3, 1}, {1, 1, 1}), 1e-6);
    ExpectOutput(lower, {of({3, 3}, {1, 1, 1, 0, 2, 3, 0, 0, 4}), b}, of({3, 1}, {1, 0, -1}), 1e-6);
    ExpectOutput(upper, {of({3, 3}, {4, 0, 0, 2, 3, 0, 1, 1, 1}), b}, of({3, 1}, {3, -7, 3}), 1e-6);
    ExpectOutput(lower, {of({3, 1}, {1, 2, 3}), of({1, 1}, {1})}, of({1, 1}, {1}));  // more bands than rows
  }
  using C = std::complex<float>;
  OpTester complex = Op("BandedTriangularSolve", DType::kComplex64, {{"adjoint", true}});
  ExpectOutput(complex, {Of<C>({1, 1}, {C(0, 1)}), Of<C>({1, 1}, {C(1)})}, Of<C>({1, 1}, {C(0, 1)}));
}

TEST_F(BandedSolveOpsTest, BandsBroadcast) {
  OpTester solve = Op("BandedTriangularSolve", DType::kFloat32);
  ExpectOutput(solve, {Floats({2, 1, 1, 1}, {2, 4}), Floats({2, 1, 1}, {4, 8})}, Floats({2, 2, 1, 1}, {2, 4, 1, 2}));
  ExpectOutput(solve, {Floats({0, 1, 1, 1}, {}), Floats({2, 1, 1}, {4, 8})}, Floats({0, 2, 1, 1}, {}));
}

TEST_F(BandedSolveOpsTest, BandedErrors) {
  OpTester solve = Op("BandedTriangularSolve", DType::kFloat32);
  ExpectInvalid(solve, {Floats({0, 2}, {}), Floats({2, 1}, {1, 2})}, "matrix: expected at least one band");
  ExpectInvalid(solve, {Floats({1, 3}, {1, 2, 3}), Floats({2, 1}, {1, 2})}, "got shape [1,3]");
  ExpectInvalid(solve, {Floats({3}, {1, 2, 3}), Floats({3, 1}, {1, 2, 3})}, "at least 2 dimensions");
  ExpectInvalid(solve, {Floats({1, 2}, {1, 0}), Floats({2, 1}, {1, 2})}, "invertible");
}

// diagonals [3, n] as a full matrix, times x.
template <typename T>
Tensor TridiagonalProduct(const Tensor& diagonals, const Tensor& x) {
  const int64_t n = diagonals.dim(1);
  Tensor a = *Tensor::Zeros(kDTypeOf<T>, Shape::Of({n, n}));
  for (int64_t i = 0; i < n; ++i) {
    a.mutable_data<T>()[i * n + i] = diagonals.data<T>()[n + i];
    if (i + 1 < n) a.mutable_data<T>()[i * n + i + 1] = diagonals.data<T>()[i];
    if (i > 0) a.mutable_data<T>()[i * n + i - 1] = diagonals.data<T>()[2 * n + i];
  }
  return Product<T>(a, x);
}

TEST_F(BandedSolveOpsTest, TridiagonalSolve) {
  ForMatrixTypes([&]<typename T>(double tolerance) {
    const Tensor b = MadeUp<T>({6, 2}, 0, 2);
    for (const bool pivoting : {true, false}) {
      OpTester solve = Op("TridiagonalSolve", kDTypeOf<T>, {{"partial_pivoting", pivoting}});
      Tensor a = MadeUp<T>({3, 6});
      for (int64_t i = 6; i < 12; ++i) a.mutable_data<T>()[i] += T(3);
      EXPECT_EQ(Difference(TridiagonalProduct<T>(a, solve.Run({a, b}).value()[0]), b, tolerance), "");
    }
    OpTester pivoting = Op("TridiagonalSolve", kDTypeOf<T>);
    const Tensor a = MadeUp<T>({3, 6});  // its main diagonal is not the largest
    EXPECT_EQ(Difference(TridiagonalProduct<T>(a, pivoting.Run({a, b}).value()[0]), b, 20 * tolerance), "");
  });
}

TEST_F(BandedSolveOpsTest, SingularTridiagonalSystems) {
  OpTester pivoting = Op("TridiagonalSolve", DType::kFloat32), plain = Op("TridiagonalSolve", DType::kFloat32, {{"partial_pivoting", false}});
  OpTester perturbed = Op("TridiagonalSolve", DType::kFloat32, {{"perturb_singular", true}});
  const Tensor singular = Floats({3, 2}, {2, 0, 1, 4, 0, 2}), zero_pivot = Floats({3, 2}, {1, 0, 0, 4, 0, 2});
  const Tensor b = Floats({2, 1}, {1, 2}), nan = Floats({2, 1}, {NAN, NAN});
  ExpectOutput(pivoting, {singular, b}, nan);
  ExpectOutput(perturbed, {singular, b}, Floats({2, 1}, {1, 0}));
  ExpectOutput(pivoting, {zero_pivot, b}, Floats({2, 1}, {-1, 1}));
  ExpectOutput(plain, {zero_pivot, b}, nan);
  ExpectOutput(pivoting, {Floats({3, 1}, {7, 2, 7}), Floats({1, 1}, {4})}, Floats({1, 1}, {2}));
  ExpectOutput(pivoting, {Floats({3, 0}, {}), Floats({0, 1}, {})}, Floats({0, 1}, {}));
}

TEST_F(BandedSolveOpsTest, TridiagonalErrors) {
  OpTester solve = Op("TridiagonalSolve", DType::kFloat32);
  const Tensor b = Floats({2, 1}, {1, 2});
  ExpectInvalid(solve, {Floats({2, 2}, {1, 1, 1, 1}), b}, "diagonals: expected 3");
  ExpectInvalid(solve, {Floats({3, 1}, {1, 1, 1}), b}, "got shape [3,1]");
  ExpectInvalid(solve, {Floats({3, 2}, {1, 1, 1, 1, 1, 1}), Floats({2}, {1, 2})}, "at least 2 dimensions");
  ExpectInvalid(solve, {Floats({1, 3, 2}, {1, 1, 1, 1, 1, 1}), b}, "equal dimensions before the last two");
  OpTester both = Op("TridiagonalSolve", DType::kFloat32, {{"partial_pivoting", false}, {"perturb_singular", true}});
  ExpectInvalid(both, {Floats({3, 2}, {1, 1, 1, 1, 1, 1}), b}, "partial_pivoting");
}

TEST_F(BandedSolveOpsTest, TridiagonalMatMul) {
  OpTester multiply = Op("TridiagonalMatMul", DType::kFloat32);
  const Tensor x = Floats({3, 2}, {1, 2, 3, 4, 5, 6}), main = Floats({1, 3}, {1, 2, 3});
  ExpectOutput(multiply, {Floats({1, 3}, {1, 2, 99}), main, Floats({1, 3}, {99, 4, 5}), x}, Floats({3, 2}, {4, 6, 20, 28, 30, 38}));
  ExpectOutput(multiply, {Floats({1, 0}, {}), Floats({1, 0}, {}), Floats({1, 0}, {}), Floats({0, 2}, {})}, Floats({0, 2}, {}));
  ExpectInvalid(multiply, {Floats({1, 2}, {1, 2}), main, main, x}, "superdiag: expected one row");
  ExpectInvalid(multiply, {main, main, Floats({2, 3}, {1, 2, 3, 4, 5, 6}), x}, "subdiag: expected one row");
  ExpectInvalid(multiply, {main, Floats({1, 1, 3}, {1, 2, 3}), main, x}, "maindiag: expected equal dimensions");
  ForMatrixTypes([&]<typename T>(double tolerance) {
    const Tensor diagonals = MadeUp<T>({3, 4}), rhs = MadeUp<T>({4, 2});
    OpTester op = Op("TridiagonalMatMul", kDTypeOf<T>);
    ExpectOutput(op, {diagonals.Rows(0, 1), diagonals.Rows(1, 1), diagonals.Rows(2, 1), rhs}, TridiagonalProduct<T>(diagonals, rhs), tolerance);
  });
}

TEST_F(BandedSolveOpsTest, Shapes) {
  const AttrMap attrs{{"T", DType::kFloat32}};
  const auto infer = [&](const char* op, const std::vector<PartialShape>& inputs) { return InferShapes(library_, op, attrs, inputs); };
  EXPECT_EQ((*infer("BandedTriangularSolve", {PartialShape::Of({2, 1, -1, 5}), PartialShape::Of({3, -1, 2})}))[0], PartialShape::Of({2, 3, 5, 2}));
  EXPECT_EQ((*infer("TridiagonalSolve", {PartialShape::Of({-1, 3, 5}), PartialShape::Of({2, -1, 2})}))[0], PartialShape::Of({2, 5, 2}));
  EXPECT_FALSE(infer("TridiagonalSolve", {PartialShape::Of({2, 5}), PartialShape::Of({5, 2})}).ok());
  EXPECT_EQ((*infer("TridiagonalMatMul", {PartialShape::Of({2, 1, -1}), PartialShape(), PartialShape::Of({-1, 1, 4}), PartialShape::Of({-1, -1, 3})}))[0],
            PartialShape::Of({2, 4, 3}));
}

TEST(BandedSolveGradients, AgreeWithDifferences) {
  for (const bool adjoint : {false, true}) {
    for (const bool lower : {false, true}) {
      const auto solve = [&](GraphBuilder& g, const Outputs& x) {
        return g.Op("BandedTriangularSolve", {x[0], x[1]}, {{"adjoint", adjoint}, {"lower", lower}}).output();
      };
      const double main = lower ? 0 : 1;
      Tensor bands = MadeUp<double>({2, 2, 3});
      for (int64_t i = 0; i < 12; ++i) {
        if (static_cast<double>(i / 3 % 2) == main) bands.mutable_data<double>()[i] += 3;
      }
      ExpectGradients({bands, MadeUp<double>({2, 3, 2}, 0, 2)}, solve);
      ExpectGradients({bands, MadeUp<double>({1, 3, 2}, 0, 2)}, solve);
    }
  }
}

TEST(BandedSolveGradients, OfTridiagonalMatrices) {
  const auto solve = [](GraphBuilder& g, const Outputs& x) { return g.Op("TridiagonalSolve", {x[0], x[1]}).output(); };
  const auto multiply = [](GraphBuilder& g, const Outputs& x) { return g.Op("TridiagonalMatMul", {x[0], x[1], x[2], x[3]}).output(); };
  Tensor diagonals = MadeUp<double>({2, 3, 4});
  for (int64_t i = 0; i < 24; ++i) diagonals.mutable_data<double>()[i] += i / 4 % 3 == 1 ? 3 : 0;
  ExpectGradients({diagonals, MadeUp<double>({2, 4, 2}, 0, 2)}, solve);
  using C = std::complex<double>;
  ExpectGradients({MadeUp<double>({2, 1, 4}), MadeUp<double>({2, 1, 4}, 0, 2), MadeUp<double>({2, 1, 4}, 0, 3), MadeUp<double>({2, 4, 3})}, multiply);
  ExpectGradients({MadeUp<C>({1, 4}), MadeUp<C>({1, 4}, 0, 2), MadeUp<C>({1, 4}, 0, 3), MadeUp<C>({4, 3})}, multiply);
}

}  // namespace
}  // namespace flowlatch
