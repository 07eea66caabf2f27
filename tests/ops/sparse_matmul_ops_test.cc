#include "ops/sparse_matmul_ops.h"

#include <complex>

#include "tests/ops/numbers.h"
#include "tests/ops/sparse_tensors.h"

namespace flowlatch {
namespace {

class SparseMatMulOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterSparseMatMulOps(library_).ok()); }
  OpTester Product(DType dtype, bool adjoint_a = false, bool adjoint_b = false) {
    return OpTester(library_, "SparseTensorDenseMatMul", {{"T", dtype}, {"adjoint_a", adjoint_a}, {"adjoint_b", adjoint_b}});
  }
  std::string Infer(const char* op, const std::vector<PartialShape>& inputs, AttrMap attrs,
                    const std::vector<const Tensor*>& constants = {}) {
    const auto shapes = InferShapes(library_, op, attrs, inputs, constants);
    return shapes.ok() ? (*shapes)[0].ToString() : std::string(absl::StatusCodeToString(shapes.status().code()));
  }

  OpLibrary library_;
  const Tensor indices_ = Rows({{0, 0}, {1, 2}, {0, 2}}), shape_ = Dense({2, 3});
};

TEST_F(SparseMatMulOpsTest, SparseTimesDense) {
  for (const DType dtype : DTypesIn(kFloatTypes | kComplexTypes | DTypeSet{DType::kInt32})) {
    SCOPED_TRACE(std::string(DTypeName(dtype)));
    const Tensor values = Numbers(dtype, {3}, {1, 2, 3});  // [[1 0 3] [0 0 2]]
    const Tensor b = Numbers(dtype, {3, 2}, {1, 2, 3, 4, 5, 6}), bt = Numbers(dtype, {2, 3}, {1, 3, 5, 2, 4, 6});
    const Tensor want = Numbers(dtype, {2, 2}, {16, 20, 10, 12});
    OpTester plain = Product(dtype), adjoint_b = Product(dtype, false, true), adjoint_a = Product(dtype, true);
    ExpectOutput(plain, {indices_, values, shape_, b}, want);
    ExpectOutput(adjoint_b, {indices_, values, shape_, bt}, want);
    ExpectOutput(adjoint_a, {indices_, values, shape_, Numbers(dtype, {2, 1}, {1, 10})}, Numbers(dtype, {3, 1}, {1, 0, 23}));
  }
  using C = std::complex<float>;
  OpTester adjoint = Product(DType::kComplex64, true, true);
  ExpectOutput(adjoint, {Rows({{0, 0}}), Of<C>({1}, {C(1, 2)}), Dense({1, 1}), Of<C>({1, 1}, {C(0, 1)})}, Of<C>({1, 1}, {C(-2, -1)}));
  OpTester narrow(library_, "SparseTensorDenseMatMul", {{"T", DType::kFloat32}, {"Tindices", DType::kInt32}});
  ExpectOutput(narrow, {Ints({1, 2}, {1, 0}), Floats({1}, {2}), Dense({2, 1}), Floats({1, 1}, {3})}, Floats({2, 1}, {0, 6}));
}

TEST_F(SparseMatMulOpsTest, LargeAndEmpty) {
  OpTester op = Product(DType::kFloat32);
  std::vector<double> row(20000);
  for (size_t i = 0; i < row.size(); ++i) row[i] = static_cast<double>(i % 100);
  std::vector<double> thrice(row);
  for (double& x : thrice) x *= 3;
  ExpectOutput(op, {Rows({{0, 0}, {0, 0}}), Floats({2}, {1, 2}), Dense({1, 1}), Numbers(DType::kFloat32, {1, 20000}, row)},
               Numbers(DType::kFloat32, {1, 20000}, thrice));
  ExpectOutput(op, {Rows({}), Floats({0}, {}), Dense({2, 0}), Floats({0, 1}, {})}, Floats({2, 1}, {0, 0}));
  ExpectOutput(op, {Rows({}), Floats({0}, {}), Dense({0, 1}), Floats({1, 1}, {1})}, Floats({0, 1}, {}));
}

TEST_F(SparseMatMulOpsTest, Errors) {
  OpTester op = Product(DType::kFloat32);
  const Tensor values = Floats({3}, {1, 2, 3}), b = Floats({3, 1}, {1, 2, 3});
  ExpectInvalid(op, {Rows({{0, 0}, {5, 0}, {0, 1}}), values, shape_, b}, "a_indices[1]: expected a place in shape [2,3], got [5,0]");
  ExpectInvalid(op, {indices_, values, shape_, Floats({2, 1}, {1, 2})}, "inner dimensions of the product: expected equal ones, got 3 and 2");
  ExpectInvalid(op, {indices_, values, shape_, Floats({3}, {1, 2, 3})}, "expected");
  ExpectInvalid(op, {Longs({1, 3}, {0, 0, 0}), Floats({1}, {1}), Dense({1, 3, 1}), b}, "a_shape: expected 2 values, got 3");
}

TEST_F(SparseMatMulOpsTest, Shapes) {
  const PartialShape unknown;
  const AttrMap attrs{{"T", DType::kFloat32}, {"adjoint_a", true}};
  EXPECT_EQ(Infer("SparseTensorDenseMatMul", {unknown, unknown, unknown, PartialShape::Of({2, 5})}, attrs, {nullptr, nullptr, &shape_, nullptr}), "[3,5]");
  EXPECT_EQ(Infer("SparseTensorDenseMatMul", {unknown, unknown, unknown, PartialShape::Of({4, 5})}, attrs, {nullptr, nullptr, &shape_, nullptr}), "INVALID_ARGUMENT");
  EXPECT_EQ(Infer("SparseTensorDenseMatMul", {unknown, unknown, unknown, unknown}, attrs), "[?,?]");
  EXPECT_EQ(Infer("SparseTensorDenseMatMul", {unknown, unknown, PartialShape::Of({3}), unknown}, attrs), "INVALID_ARGUMENT");
  EXPECT_EQ(Infer("SparseMatMul", {PartialShape::Of({2, -1}), PartialShape::Of({4, 3})}, {{"transpose_b", true}}), "[2,4]");
  EXPECT_EQ(Infer("SparseMatMul", {PartialShape::Of({2, 5}), PartialShape::Of({4, 3})}, {}), "INVALID_ARGUMENT");
  EXPECT_EQ(Infer("SparseMatMul", {unknown, PartialShape::Of({4})}, {}), "INVALID_ARGUMENT");
}

TEST_F(SparseMatMulOpsTest, DenseTimesDense) {
  const std::vector<double> a{1, 2, 3, 0, 0, 4}, at{1, 0, 2, 0, 3, 4}, b{1, 0, 0, 1, 2, 0}, bt{1, 0, 2, 0, 1, 0};
  const Tensor want = Floats({2, 2}, {7, 2, 8, 0});
  for (const DType ta : {DType::kFloat32, DType::kBFloat16}) {
    for (const DType tb : {DType::kFloat32, DType::kBFloat16}) {
      const AttrMap attrs{{"Ta", ta}, {"Tb", tb}};
      OpTester plain(library_, "SparseMatMul", attrs);
      OpTester transposed(library_, "SparseMatMul", attrs.With("transpose_a", true).With("transpose_b", true));
      ExpectOutput(plain, {Numbers(ta, {2, 3}, a), Numbers(tb, {3, 2}, b)}, want);
      ExpectOutput(transposed, {Numbers(ta, {3, 2}, at), Numbers(tb, {2, 3}, bt)}, want);
    }
  }
  OpTester op(library_, "SparseMatMul", {});
  ExpectOutput(op, {Floats({2, 0}, {}), Floats({0, 1}, {})}, Floats({2, 1}, {0, 0}));
  ExpectInvalid(op, {Floats({2, 1}, {1, 2}), Floats({2, 1}, {1, 2})}, "inner dimensions");
  ExpectInvalid(op, {Floats({2}, {1, 2}), Floats({2, 1}, {1, 2})}, "expected");
}

}  // namespace
}  // namespace flowlatch
