#include "ops/spectral_ops.h"

#include "tests/ops/matrix_checks.h"

namespace flowlatch {
namespace {

class SpectralOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterSpectralOps(library_).ok()); }
  OpTester Op(const std::string& name, DType dtype, const AttrMap& attrs = {}) {
    return OpTester(library_, name, attrs.With("T", dtype));
  }
  OpLibrary library_;
};

// x with column j times factors[j], for batches of matrices and of vectors.
template <typename T>
Tensor ScaleColumns(const Tensor& x, const Tensor& factors) {
  Tensor y = *x.Clone();
  const int64_t cols = x.dim(x.rank() - 1), rows = x.dim(x.rank() - 2), given = factors.dim(factors.rank() - 1);
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const int64_t col = i % cols;
    y.mutable_data<T>()[i] *= col < given ? factors.data<T>()[i / (rows * cols) * given + col] : T(0);
  }
  return y;
}

template <typename T>
Tensor FirstColumns(const Tensor& x, int64_t count) {
  const int64_t cols = x.dim(x.rank() - 1);
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  dims.back() = count;
  Tensor y = *Tensor::Make(kDTypeOf<T>, dims);
  for (int64_t i = 0; i < y.num_elements(); ++i) y.mutable_data<T>()[i] = x.data<T>()[i / count * cols + i % count];
  return y;
}

TEST_F(SpectralOpsTest, Svd) {
  ForMatrixTypes([&]<typename T>(double tolerance) {
    for (const auto& [m, n] : {std::pair<int64_t, int64_t>{5, 3}, {3, 5}, {4, 4}, {1, 3}, {3, 1}, {40, 30}}) {
      for (const bool full : {false, true}) {
        SCOPED_TRACE(testing::Message() << m << " x " << n << (full ? ", full" : ""));
        OpTester op = Op("Svd", kDTypeOf<T>, {{"full_matrices", full}}), values = Op("Svd", kDTypeOf<T>, {{"compute_uv", false}});
        const Tensor a = MadeUp<T>({2, m, n});
        const auto out = op.Run({a}).value(), alone = values.Run({a}).value();
        const int64_t k = std::min(m, n);
        EXPECT_EQ(Difference(alone[0], out[0], tolerance), "");
        EXPECT_EQ(alone[1].ShapeString(), "[0]");
        for (int64_t i = 1; i < 2 * k; ++i) {
          if (i == k) continue;
          EXPECT_LE(std::real(out[0].data<T>()[i]), std::real(out[0].data<T>()[i - 1]));
        }
        const Tensor us = ScaleColumns<T>(FirstColumns<T>(out[1], k), out[0]);
        EXPECT_EQ(Difference(Product<T>(us, FirstColumns<T>(out[2], k), false, true), a, 10 * tolerance), "");
        const int64_t u_cols = full ? m : k, v_cols = full ? n : k;
        EXPECT_EQ(Difference(Product<T>(out[1], out[1], true), Identities<T>({2, u_cols, u_cols}), tolerance), "");
        EXPECT_EQ(Difference(Product<T>(out[2], out[2], true), Identities<T>({2, v_cols, v_cols}), tolerance), "");
      }
    }
  });
}

TEST_F(SpectralOpsTest, SvdOfOddMatrices) {
  OpTester thin = Op("Svd", DType::kFloat32), full = Op("Svd", DType::kFloat32, {{"full_matrices", true}});
  ExpectOutputs(thin, {Floats({2, 3, 0}, {})}, {Floats({2, 0}, {}), Floats({2, 3, 0}, {}), Floats({2, 0, 0}, {})});
  ExpectOutputs(full, {Floats({2, 3, 0}, {})}, {Floats({2, 0}, {}), Identities<float>({2, 3, 3}), Floats({2, 0, 0}, {})});
  ExpectOutputs(full, {Floats({0, 3}, {})}, {Floats({0}, {}), Floats({0, 0}, {}), Identities<float>({3, 3})});
  const Tensor nan = Floats({2, 2}, {NAN, NAN, NAN, NAN});
  for (const float bad : {NAN, INFINITY}) {
    ExpectOutputs(thin, {Floats({2, 2}, {1, 2, bad, 4})}, {Floats({2}, {NAN, NAN}), nan, nan});
  }
  ExpectInvalid(thin, {Floats({2}, {1, 2})}, "input: expected matrices of at least 2 dimensions, got shape [2]");
}

TEST_F(SpectralOpsTest, SelfAdjointEig) {
  ForMatrixTypes([&]<typename T>(double tolerance) {
    OpTester op = Op("SelfAdjointEigV2", kDTypeOf<T>), values = Op("SelfAdjointEigV2", kDTypeOf<T>, {{"compute_v", false}});
    const Tensor b = MadeUp<T>({3, 5, 5}), a = Product<T>(b, b, false, true);
    Tensor upper_differs = *a.Clone();
    upper_differs.mutable_data<T>()[4] = T(99);
    for (const Tensor& input : {a, upper_differs}) {
      const auto out = op.Run({input}).value();
      EXPECT_EQ(Difference(Product<T>(a, out[1]), ScaleColumns<T>(out[1], out[0]), 20 * tolerance), "");
      EXPECT_EQ(Difference(Product<T>(out[1], out[1], true), Identities<T>({3, 5, 5}), tolerance), "");
      EXPECT_EQ(Difference(values.Run({input}).value()[0], out[0], 10 * tolerance), "");
      for (int i = 1; i < 5; ++i) EXPECT_LE(std::real(out[0].data<T>()[i - 1]), std::real(out[0].data<T>()[i]));
    }
    ExpectOutputs(op, {MadeUp<T>({2, 0, 0})}, {MadeUp<T>({2, 0}), MadeUp<T>({2, 0, 0})});
    ExpectInvalid(op, {Of<T>({1, 1}, {T(NAN)})}, "eigenvalues");
    ExpectInvalid(op, {MadeUp<T>({1, 2})}, "square");
  });
  OpTester old = Op("SelfAdjointEig", DType::kFloat32), batch = Op("BatchSelfAdjointEig", DType::kFloat64);
  ExpectOutput(old, {Floats({1, 1}, {3})}, Floats({2, 1}, {3, 1}));
  ExpectOutput(batch, {Of<double>({2, 1, 1}, {3, 4})}, Of<double>({2, 2, 1}, {3, 1, 4, 1}));
}

TEST_F(SpectralOpsTest, Eig) {
  ForMatrixTypes([&]<typename T>(double tolerance) {
    using C = ComplexOf<T>;
    const AttrMap attrs{{"Tout", kDTypeOf<C>}};
    OpTester op = Op("Eig", kDTypeOf<T>, attrs), values = Op("Eig", kDTypeOf<T>, attrs.With("compute_v", false));
    const Tensor a = MadeUp<T>({3, 5, 5});
    Tensor wide = *Tensor::Make(kDTypeOf<C>, a.dims());
    std::copy(a.data<T>(), a.data<T>() + a.num_elements(), wide.mutable_data<C>());
    const auto out = op.Run({a}).value();
    EXPECT_EQ(Difference(Product<C>(wide, out[1]), ScaleColumns<C>(out[1], out[0]), 10 * tolerance), "");
    if constexpr (kIsComplexNumber<T>) {
      for (int i = 1; i < 5; ++i) EXPECT_LE(std::abs(out[0].template data<C>()[i - 1]), std::abs(out[0].template data<C>()[i]));
    }
    const Tensor lengths = Product<C>(out[1], out[1], true);
    for (int64_t i = 0; i < 75; i += i % 25 == 24 ? 1 : 6) EXPECT_NEAR(lengths.data<C>()[i].real(), 1, tolerance);
    EXPECT_EQ(values.Run({a}).value()[1].ShapeString(), "[0]");
    ExpectOutputs(op, {MadeUp<T>({2, 0, 0})}, {MadeUp<C>({2, 0}), MadeUp<C>({2, 0, 0})});
    ExpectInvalid(op, {Of<T>({1, 1}, {T(NAN)})}, "eigenvalues");
  });
  OpTester mixed = Op("Eig", DType::kFloat32, {{"Tout", DType::kComplex128}});
  ExpectInvalid(mixed, {Floats({1, 1}, {1})}, "Tout: expected complex64 for T = float32, got complex128");
}

TEST_F(SpectralOpsTest, Shapes) {
  const AttrMap attrs{{"T", DType::kFloat32}};
  const auto svd = InferShapes(library_, "Svd", attrs, {PartialShape::Of({-1, 3, 5})});
  EXPECT_EQ((*svd)[0], PartialShape::Of({-1, 3}));
  EXPECT_EQ((*svd)[1], PartialShape::Of({-1, 3, 3}));
  EXPECT_EQ((*svd)[2], PartialShape::Of({-1, 5, 3}));
  EXPECT_EQ((*InferShapes(library_, "Svd", attrs.With("full_matrices", true), {PartialShape::Of({3, -1})}))[1], PartialShape::Of({3, 3}));
  EXPECT_EQ((*InferShapes(library_, "Svd", attrs.With("compute_uv", false), {PartialShape()}))[1], PartialShape::Of({0}));
  EXPECT_EQ((*InferShapes(library_, "SelfAdjointEigV2", attrs, {PartialShape::Of({2, -1, 4})}))[0], PartialShape::Of({2, 4}));
  EXPECT_EQ((*InferShapes(library_, "SelfAdjointEig", attrs, {PartialShape::Of({2, -1, 4})}))[0], PartialShape::Of({2, 5, 4}));
  EXPECT_FALSE(InferShapes(library_, "Eig", attrs.With("Tout", DType::kComplex64), {PartialShape::Of({2, 4})}).ok());
}

// Functions of vectors must not see their signs: so these are of products.
TEST(SpectralGradients, OfSvd) {
  const auto values = [](GraphBuilder& g, const Outputs& x) { return g.Op("Svd", {x[0]}, {{"compute_uv", false}}).output(); };
  ExpectGradients({MadeUp<double>({2, 4, 3})}, values);
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{4, 3}, {3, 3}, {3, 4}, {2, 4}}) {
    for (const bool full : {false, true}) {
      if (full && std::abs(m - n) > 1) continue;
      for (const int side : {1, 2}) {
        const auto projector = [&](GraphBuilder& g, const Outputs& x) {
          const Operation svd = g.Op("Svd", {x[0]}, {{"full_matrices", full}});
          const Output first = g.Op("StridedSlice", {svd.output(side), {0, 0}, {0, 1}, {1, 1}}, {{"ellipsis_mask", int64_t{1}}}).output();
          return g.Op("BatchMatMulV2", {first, first}, {{"adj_y", true}}).output();
        };
        ExpectGradients({MadeUp<double>({2, m, n})}, projector, false);
        if (!full) ExpectGradients({MadeUp<std::complex<double>>({m, n})}, projector, false);
      }
    }
  }
}

TEST(SpectralGradients, OfEigenvalues) {
  for (const char* op : {"SelfAdjointEigV2", "Eig"}) {
    SCOPED_TRACE(op);
    const bool hermitian = op[0] == 'S';
    for (const bool vectors : {false, true}) {
      const auto function = [&](GraphBuilder& g, const Outputs& x) {
        // A Hermitian matrix by construction, or x itself.
        const Output a = hermitian ? g.Op("BatchMatMulV2", {x[0], x[0]}, {{"adj_y", true}}).output() : x[0];
        const Operation eig = hermitian ? g.Op(op, {a}, {{"compute_v", vectors}}) : g.Op(op, {a}, {{"compute_v", vectors}, {"Tout", DType::kComplex128}});
        if (!vectors) return hermitian ? eig.output(0) : g.Op("Abs", {g.Op("Real", {eig.output(0)}, {{"Tout", DType::kFloat64}}).output()}).output();
        const Output first = g.Op("StridedSlice", {eig.output(1), {0, 0}, {0, 1}, {1, 1}}, {{"ellipsis_mask", int64_t{1}}}).output();
        return g.Op("BatchMatMulV2", {first, first}, {{"adj_y", true}}).output();
      };
      if (hermitian) ExpectGradients({MadeUp<double>({2, 3, 3})}, function);
      ExpectGradients({MadeUp<std::complex<double>>({3, 3})}, function);
    }
  }
}

}  // namespace
}  // namespace flowlatch
