#include "ops/factorization_ops.h"

#include "tests/ops/matrix_checks.h"

namespace flowlatch {
namespace {

class FactorizationOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterFactorizationOps(library_).ok()); }
  OpTester Op(const std::string& name, DType dtype, const AttrMap& attrs = {}) {
    return OpTester(library_, name, attrs.With("T", dtype));
  }
  OpLibrary library_;
};

template <typename T>
bool IsTriangle(const Tensor& t, bool lower) {
  const int64_t rows = t.dim(t.rank() - 2), cols = t.dim(t.rank() - 1);
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    const int64_t row = i / cols % rows, col = i % cols;
    if ((lower ? col > row : col < row) && t.data<T>()[i] != T(0)) return false;
  }
  return true;
}

TEST_F(FactorizationOpsTest, Cholesky) {
  ForMatrixTypes([&]<typename T>(double tolerance) {
    OpTester op = Op("Cholesky", kDTypeOf<T>);
    const Tensor b = MadeUp<T>({3, 5, 5}, 2), a = Product<T>(b, b, false, true);
    Tensor upper_differs = *a.Clone();
    upper_differs.mutable_data<T>()[4] = T(99);
    for (const Tensor& input : {a, upper_differs}) {
      const Tensor l = op.Run({input}).value()[0];
      EXPECT_TRUE(IsTriangle<T>(l, true));
      EXPECT_EQ(Difference(Product<T>(l, l, false, true), a, 10 * tolerance), "");
    }
    ExpectOutput(op, {MadeUp<T>({2, 0, 0})}, MadeUp<T>({2, 0, 0}));
    ExpectInvalid(op, {MadeUp<T>({0, 2, 3})}, "input: expected square matrices, got shape [0,2,3]");
    ExpectInvalid(op, {Of<T>({1}, {T(1)})}, "at least 2 dimensions");
  });
}

TEST_F(FactorizationOpsTest, NotPositiveDefinite) {
  OpTester op = Op("Cholesky", DType::kFloat32), old = Op("BatchCholesky", DType::kFloat32);
  const Tensor a = Floats({2, 2, 2}, {1, 2, 2, 1, 4, 2, 2, 5}), l = Floats({2, 2, 2}, {NAN, 0, NAN, NAN, 2, 0, 1, 2});
  ExpectOutput(op, {a}, l);
  ExpectOutput(old, {a}, l);
}

TEST_F(FactorizationOpsTest, CholeskyGrad) {
  OpTester op = Op("CholeskyGrad", DType::kFloat32), old = Op("BatchCholeskyGrad", DType::kFloat64);
  ExpectOutput(op, {Floats({2, 2}, {1, 99, 2, 3}), Floats({2, 2}, {1, 2, 3, 4})}, Floats({2, 2}, {1.0f / 6, 1.0f / 6, 1.0f / 6, 2.0f / 3}), 1e-6);
  ExpectOutput(old, {Of<double>({1, 1, 1}, {2}), Of<double>({1, 1, 1}, {8})}, Of<double>({1, 1, 1}, {2}));
  ExpectInvalid(op, {Floats({2, 2}, {1, 0, 2, 3}), Floats({2, 3}, {1, 2, 3, 4, 5, 6})}, "grad: expected the shape of l, [2,2], got [2,3]");
}

TEST_F(FactorizationOpsTest, Lu) {
  ForMatrixTypes([&]<typename T>(double tolerance) {
    for (const DType index : {DType::kInt32, DType::kInt64}) {
      OpTester op = Op("Lu", kDTypeOf<T>, {{"output_idx_type", index}});
      const Tensor a = MadeUp<T>({3, 4, 4});
      const auto out = op.Run({a}).value();
      Tensor l = Identities<T>({3, 4, 4}), u = *Tensor::Zeros(kDTypeOf<T>, Shape::Of({3, 4, 4}));
      Tensor exchanged = *Tensor::Zeros(kDTypeOf<T>, Shape::Of({3, 4, 4}));
      for (int64_t i = 0; i < 48; ++i) {
        const int64_t row = i / 4 % 4, col = i % 4;
        (col < row ? l : u).mutable_data<T>()[i] = out[0].data<T>()[i];
        const int64_t p = index == DType::kInt32 ? out[1].data<int32_t>()[i / 4] : out[1].data<int64_t>()[i / 4];
        exchanged.mutable_data<T>()[i] = a.data<T>()[i / 16 * 16 + p * 4 + col];
      }
      EXPECT_EQ(Difference(Product<T>(l, u), exchanged, tolerance), "");
    }
  });
  OpTester op = Op("Lu", DType::kFloat32);
  ExpectOutputs(op, {Floats({2, 2}, {1, 2, 3, 4})}, {Floats({2, 2}, {3, 4, 1.0f / 3, 2.0f / 3}), Ints({2}, {1, 0})}, 1e-6);
  ExpectOutputs(op, {Floats({2, 0, 0}, {})}, {Floats({2, 0, 0}, {}), Ints({2, 0}, {})});
  ExpectInvalid(op, {Floats({2, 2}, {1, 2, 2, 4})}, "invertible");
  ExpectInvalid(op, {Floats({2, 2}, {NAN, 2, 2, 4})}, "invertible");
  ExpectInvalid(op, {Floats({1, 2}, {1, 2})}, "square");
}

TEST_F(FactorizationOpsTest, Qr) {
  ForMatrixTypes([&]<typename T>(double tolerance) {
    for (const auto& [m, n] : {std::pair<int64_t, int64_t>{5, 3}, {3, 5}, {4, 4}, {1, 3}, {3, 1}}) {
      for (const bool full : {false, true}) {
        SCOPED_TRACE(testing::Message() << m << " x " << n << (full ? ", full" : ""));
        OpTester op = Op("Qr", kDTypeOf<T>, {{"full_matrices", full}});
        const Tensor a = MadeUp<T>({2, m, n});
        const auto out = op.Run({a}).value();
        const int64_t k = full ? m : std::min(m, n);
        EXPECT_EQ(out[0].ShapeString(), DimsToString({2, m, k}));
        EXPECT_TRUE(IsTriangle<T>(out[1], false));
        EXPECT_EQ(Difference(Product<T>(out[0], out[1]), a, tolerance), "");
        EXPECT_EQ(Difference(Product<T>(out[0], out[0], true), Identities<T>({2, k, k}), tolerance), "");
      }
    }
  });
}

// What TensorFlow gives, signs included.
TEST_F(FactorizationOpsTest, SignsOfQr) {
  OpTester op = Op("Qr", DType::kFloat32), half = Op("Qr", DType::kFloat16), complex = Op("Qr", DType::kComplex64);
  ExpectOutputs(op, {Floats({3, 2}, {1, 2, 3, 4, 5, 6})},
                {Floats({3, 2}, {-0.16903079, 0.897085, -0.50709248, 0.2760267, -0.84515423, -0.34503305}),
                 Floats({2, 2}, {-5.91608, -7.437357, 0, 0.82807848})}, 1e-5);
  ExpectOutputs(op, {Floats({1, 1}, {-2})}, {Floats({1, 1}, {1}), Floats({1, 1}, {-2})});
  ExpectOutputs(half, {Of<Half, float>({1, 1}, {-2})}, {Of<Half, float>({1, 1}, {1}), Of<Half, float>({1, 1}, {-2})});
  using C = std::complex<float>;
  ExpectOutputs(complex, {Of<C>({1, 1}, {C(0, 1)})}, {Of<C>({1, 1}, {C(0, -1)}), Of<C>({1, 1}, {C(-1)})}, 1e-6);
}

TEST_F(FactorizationOpsTest, QrWithoutElements) {
  OpTester thin = Op("Qr", DType::kFloat32), full = Op("Qr", DType::kFloat32, {{"full_matrices", true}});
  ExpectOutputs(thin, {Floats({2, 3, 0}, {})}, {Floats({2, 3, 0}, {}), Floats({2, 0, 0}, {})});
  ExpectOutputs(thin, {Floats({0, 3}, {})}, {Floats({0, 0}, {}), Floats({0, 3}, {})});
  ExpectOutputs(full, {Floats({2, 3, 0}, {})}, {Identities<float>({2, 3, 3}), Floats({2, 3, 0}, {})});
  ExpectOutputs(full, {Floats({0, 2, 3}, {})}, {Floats({0, 2, 2}, {}), Floats({0, 2, 3}, {})});
}

TEST_F(FactorizationOpsTest, Shapes) {
  const AttrMap attrs{{"T", DType::kFloat32}}, full = attrs.With("full_matrices", true);
  const auto qr = InferShapes(library_, "Qr", attrs, {PartialShape::Of({-1, 3, 5})});
  EXPECT_EQ((*qr)[0], PartialShape::Of({-1, 3, 3}));
  EXPECT_EQ((*qr)[1], PartialShape::Of({-1, 3, 5}));
  EXPECT_EQ((*InferShapes(library_, "Qr", attrs, {PartialShape::Of({3, -1})}))[0], PartialShape::Of({3, -1}));
  EXPECT_EQ((*InferShapes(library_, "Qr", full, {PartialShape::Of({3, -1})}))[0], PartialShape::Of({3, 3}));
  EXPECT_EQ((*InferShapes(library_, "Lu", attrs, {PartialShape::Of({2, 3, -1})}))[1], PartialShape::Of({2, 3}));
  EXPECT_EQ((*InferShapes(library_, "Cholesky", attrs, {PartialShape()}))[0], PartialShape());
  EXPECT_FALSE(InferShapes(library_, "Cholesky", attrs, {PartialShape::Of({3, 2})}).ok());
  EXPECT_EQ((*InferShapes(library_, "CholeskyGrad", attrs, {PartialShape::Of({3, -1}), PartialShape()}))[0], PartialShape::Of({3, 3}));
}

TEST(FactorizationGradients, OfCholesky) {
  // Made symmetric first: the gradient is that of both triangles.
  const auto cholesky = [](GraphBuilder& g, const Outputs& x) {
    const Output product = g.Op("BatchMatMulV2", {x[0], x[0]}, {{"adj_y", true}}).output();
    return g.Op("Cholesky", {product}).output();
  };
  ExpectGradients({MadeUp<double>({2, 3, 3}, 3)}, cholesky);
  ExpectGradients({MadeUp<std::complex<double>>({3, 3}, 3)}, cholesky);
}

TEST(FactorizationGradients, OfQr) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{4, 3}, {3, 3}, {3, 5}}) {
    for (const bool full : {false, true}) {
      if (full && m > n) continue;
      for (const int output : {0, 1}) {
        const auto qr = [&](GraphBuilder& g, const Outputs& x) { return g.Op("Qr", {x[0]}, {{"full_matrices", full}}).output(output); };
        ExpectGradients({MadeUp<double>({2, m, n}, 2)}, qr, false);
        ExpectGradients({MadeUp<std::complex<double>>({m, n}, 2)}, qr, false);
      }
    }
  }
}

}  // namespace
}  // namespace flowlatch
