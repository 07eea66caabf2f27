#include "ops/sparse_math_ops.h"

#include <cmath>
#include <limits>

#include "tests/ops/numbers.h"
#include "tests/ops/sparse_tensors.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kSumTypes = kComplexTypes | DTypeSet{DType::kFloat32, DType::kFloat64, DType::kInt64, DType::kInt32,
                                                        DType::kInt16, DType::kInt8};

class SparseMathOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterSparseMathOps(library_).ok()); }
  OpTester Op(const std::string& op, DType dtype = DType::kFloat32) { return OpTester(library_, op, {{"T", dtype}}); }
  std::string Infer(const char* op, const std::vector<PartialShape>& inputs, AttrMap attrs = {{"T", DType::kFloat32}},
                    const std::vector<const Tensor*>& constants = {}) {
    const auto shapes = InferShapes(library_, op, attrs, inputs, constants);
    if (!shapes.ok()) return std::string(absl::StatusCodeToString(shapes.status().code()));
    std::string text;
    for (const PartialShape& shape : *shapes) text += shape.ToString();
    return text;
  }

  OpLibrary library_;
  const Tensor indices_ = Rows({{0, 0}, {1, 2}}), values_ = Floats({2}, {1, 2}), shape_ = Dense({2, 3});
  const PartialShape unknown_;
};

TEST_F(SparseMathOpsTest, Add) {
  for (const DType dtype : DTypesIn(kSumTypes)) {
    const DType real = dtype == DType::kComplex64 ? DType::kFloat32 : dtype == DType::kComplex128 ? DType::kFloat64 : dtype;
    SCOPED_TRACE(std::string(DTypeName(dtype)));
    OpTester op(library_, "SparseAdd", {{"T", dtype}, {"Treal", real}});
    const std::vector<Tensor> a{indices_, Numbers(dtype, {2}, {1, 2}), shape_};
    const std::vector<Tensor> b{Rows({{0, 0}, {0, 1}, {1, 2}}), Numbers(dtype, {3}, {-1, -5, 3}), shape_};
    std::vector<Tensor> inputs(a);
    inputs.insert(inputs.end(), b.begin(), b.end());
    inputs.push_back(Numbers(real, {}, {0}));
    ExpectOutputs(op, inputs, {Rows({{0, 0}, {0, 1}, {1, 2}}), Numbers(dtype, {3}, {0, -5, 5}), shape_});
    inputs[6] = Numbers(real, {}, {1});
    ExpectOutputs(op, inputs, {Rows({{0, 1}, {1, 2}}), Numbers(dtype, {2}, {-5, 5}), shape_});
  }
  OpTester op(library_, "SparseAdd", {{"T", DType::kFloat32}, {"Treal", DType::kFloat32}});
  const Tensor zero = Tensor::Scalar(0.0f), nan = Floats({1}, {std::nanf("")});
  ExpectOutputs(op, {Rows({{0, 0}}), nan, shape_, Rows({}), Floats({0}, {}), shape_, zero}, {Rows({}), Floats({0}, {}), shape_});
  ExpectInvalid(op, {indices_, values_, shape_, indices_, values_, Dense({2, 4}), zero}, "dense shapes of two sparse tensors");
  ExpectInvalid(op, {indices_, values_, shape_, Rows({{0}, {1}}), values_, Dense({2}), zero}, "dense shapes of two sparse tensors");
  ExpectInvalid(op, {indices_, values_, shape_, indices_, Floats({1}, {1}), shape_, zero}, "b_values: expected shape [2]");
  ExpectInvalid(op, {indices_, values_, shape_, indices_, values_, shape_, values_}, "thresh: expected a scalar float32");
  EXPECT_EQ(Infer("SparseAdd", {unknown_, unknown_, PartialShape::Of({3}), unknown_, unknown_, unknown_, unknown_},
                  {{"T", DType::kFloat32}, {"Treal", DType::kFloat32}}), "[?,3][?][3]");
}

TEST_F(SparseMathOpsTest, AddGrad) {
  OpTester op = Op("SparseAddGrad");
  const Tensor a = Rows({{0, 0}, {1, 2}}), b = Rows({{0, 0}, {0, 1}}), sum = Rows({{0, 1}, {1, 2}});
  ExpectOutputs(op, {Floats({2}, {5, 6}), a, b, sum}, {Floats({2}, {0, 6}), Floats({2}, {0, 5})});
  ExpectInvalid(op, {Floats({1}, {5}), a, b, sum}, "backprop_val_grad: expected shape [2], got shape [1]");
  ExpectInvalid(op, {Floats({2}, {5, 6}), a, Rows({{0}}), sum}, "indices: expected rows of 2, got 1");
  EXPECT_EQ(Infer("SparseAddGrad", {unknown_, PartialShape::Of({4, 2}), unknown_, unknown_}), "[4][?]");
}

TEST_F(SparseMathOpsTest, Extremes) {
  for (const DType dtype : DTypesIn(kRealTypes)) {
    OpTester max = Op("SparseSparseMaximum", dtype), min = Op("SparseSparseMinimum", dtype);
    const std::vector<Tensor> inputs{indices_, Numbers(dtype, {2}, {1, 2}), shape_,
                                     Rows({{0, 0}, {0, 1}}), Numbers(dtype, {2}, {7, 8}), shape_};
    const Tensor places = Rows({{0, 0}, {0, 1}, {1, 2}});
    ExpectOutputs(max, inputs, {places, Numbers(dtype, {3}, {7, 8, 2})});
    ExpectOutputs(min, inputs, {places, Numbers(dtype, {3}, {1, 0, 0})});
  }
  OpTester max = Op("SparseSparseMaximum");
  ExpectInvalid(max, {indices_, values_, shape_, indices_, values_, Dense({3, 3})}, "expected the same, got [2,3] and [3,3]");
  EXPECT_EQ(Infer("SparseSparseMaximum", {PartialShape::Of({2, 3}), unknown_, unknown_, unknown_, unknown_, unknown_}), "[?,3][?]");
}

TEST_F(SparseMathOpsTest, TensorDenseAdd) {
  for (const DType dtype : DTypesIn(kNumberTypes)) {
    for (const DType index : {DType::kInt32, DType::kInt64}) {
      OpTester op(library_, "SparseTensorDenseAdd", {{"T", dtype}, {"Tindices", index}});
      ExpectOutput(op, {Numbers(index, {3, 2}, {0, 0, 1, 2, 0, 0}), Numbers(dtype, {3}, {1, 2, 3}), Numbers(index, {2}, {2, 3}),
                        Numbers(dtype, {2, 3}, {1, 2, 3, 4, 5, 6})},
                   Numbers(dtype, {2, 3}, {5, 2, 3, 4, 5, 8}));
    }
  }
  OpTester op(library_, "SparseTensorDenseAdd", {{"T", DType::kFloat32}, {"Tindices", DType::kInt64}});
  const Tensor b = Floats({2, 3}, {1, 2, 3, 4, 5, 6});
  ExpectOutput(op, {Rows({}), Floats({0}, {}), shape_, b}, b);
  ExpectInvalid(op, {Rows({{0, 0}, {-1, 2}}), values_, shape_, b}, "a_indices[1]: expected a place in shape [2,3], got [-1,2]");
  ExpectInvalid(op, {Rows({{0, 0}, {0, 3}}), values_, shape_, b}, "a_indices[1]: expected a place in shape [2,3], got [0,3]");
  ExpectInvalid(op, {indices_, values_, Dense({2, 4}), b}, "expected");
  ExpectInvalid(op, {Longs({1, 0}, {}), Floats({1}, {1}), Dense({}), Tensor::Scalar(1.0f)}, "expected at least 1 dimension");
  EXPECT_EQ(Infer("SparseTensorDenseAdd", {unknown_, unknown_, PartialShape::Of({2}), PartialShape::Of({-1, 4})},
                  {{"T", DType::kFloat32}, {"Tindices", DType::kInt64}}), "[?,4]");
}

TEST_F(SparseMathOpsTest, DenseCwise) {
  const struct {
    const char* op;
    std::vector<double> row, column, scalar;
  } cases[] = {
      {"SparseDenseCwiseAdd", {8, 7}, {8, 6}, {8, 10}},
      {"SparseDenseCwiseMul", {12, 6}, {12, 0}, {12, 24}},
      {"SparseDenseCwiseDiv", {3, 6}, {3, 6}, {3, 6}},
  };
  for (const auto& [name, row, column, scalar] : cases) {
    const bool divides = std::string(name) == "SparseDenseCwiseDiv";
    for (const DType dtype : DTypesIn(kNumberTypes)) {
      SCOPED_TRACE(std::string(name) + " " + std::string(DTypeName(dtype)));
      OpTester op = Op(name, dtype);
      const Tensor x = Numbers(dtype, {2}, divides ? std::vector<double>{6, 12} : std::vector<double>{6, 6});
      const double second = divides ? 2 : 1;
      ExpectOutput(op, {indices_, x, shape_, Numbers(dtype, {3}, {2, 9, second})},
                   Numbers(dtype, {2}, row));
      ExpectOutput(op, {indices_, x, shape_, Numbers(dtype, {2, 1}, {2, divides ? 2.0 : 0.0})}, Numbers(dtype, {2}, column));
      const Tensor y = Numbers(dtype, {2}, divides ? std::vector<double>{6, 12} : std::vector<double>{6, std::string(name) == "SparseDenseCwiseAdd" ? 8.0 : 12.0});
      ExpectOutput(op, {indices_, y, shape_, Numbers(dtype, {}, {2})}, Numbers(dtype, {2}, scalar));
    }
  }
  OpTester add = Op("SparseDenseCwiseAdd"), div = Op("SparseDenseCwiseDiv", DType::kInt32);
  ExpectInvalid(add, {indices_, values_, shape_, Floats({2}, {1, 2})}, "dense: expected a shape that stretches to [2,3], got [2]");
  ExpectInvalid(add, {indices_, values_, shape_, Floats({1, 1, 1}, {1})}, "dense: expected a shape that stretches to [2,3]");
  ExpectInvalid(add, {Rows({{0, 0}, {5, 0}}), values_, shape_, Tensor::Scalar(1.0f)}, "sp_indices[1]: expected a place in shape [2,3]");
  ExpectInvalid(div, {indices_, Ints({2}, {1, 2}), shape_, Tensor::Scalar(0)}, "dense: expected no 0");
  ExpectOutput(div, {indices_, Ints({2}, {std::numeric_limits<int32_t>::min(), 2}), shape_, Tensor::Scalar(-1)},
               Ints({2}, {std::numeric_limits<int32_t>::min(), -2}));
  EXPECT_EQ(Infer("SparseDenseCwiseAdd", {unknown_, PartialShape::Of({4}), unknown_, unknown_}), "[4]");
}

TEST_F(SparseMathOpsTest, Reduce) {
  const Tensor entries = Rows({{1, 0}, {0, 0}, {1, 1}});
  const Tensor shape = Dense({3, 2});
  const struct {
    const char* op;
    Tensor axes;
    bool keep_dims;
    std::vector<int64_t> dims;
    std::vector<double> want;
  } cases[] = {
      {"SparseReduceSum", Ints({1}, {1}), false, {3}, {2, 4, 0}},   {"SparseReduceSum", Ints({1}, {-2}), true, {1, 2}, {3, 3}},
      {"SparseReduceSum", Ints({2}, {0, 1}), false, {}, {6}},       {"SparseReduceSum", Ints({2}, {1, -1}), true, {3, 1}, {2, 4, 0}},
      {"SparseReduceSum", Tensor::Scalar(0), false, {2}, {3, 3}},   {"SparseReduceSum", Ints({0}, {}), false, {3, 2}, {2, 0, 1, 3, 0, 0}},
      {"SparseReduceMax", Ints({1}, {1}), false, {3}, {2, 3, 0}},   {"SparseReduceMax", Ints({2}, {0, 1}), true, {1, 1}, {3}},
  };
  for (const auto& [name, axes, keep_dims, dims, want] : cases) {
    SCOPED_TRACE(std::string(name) + " " + axes.DebugString());
    for (const DType dtype : DTypesIn(std::string(name) == "SparseReduceMax" ? kRealTypes : kNumberTypes)) {
      OpTester op(library_, name, {{"T", dtype}, {"keep_dims", keep_dims}});
      ExpectOutput(op, {entries, Numbers(dtype, {3}, {1, 2, 3}), shape, axes}, Numbers(dtype, dims, want));
    }
  }
  const Tensor values = Floats({3}, {1, 2, 3});
  OpTester sum = Op("SparseReduceSum"), max = Op("SparseReduceMax");
  ExpectOutput(max, {entries, Floats({3}, {-1, -2, -3}), shape, Tensor::Scalar(1)}, Floats({3}, {-2, -1, 0}));
  ExpectOutput(sum, {Rows({}), Floats({0}, {}), shape, Ints({2}, {0, 1})}, Tensor::Scalar(0.0f));
  ExpectInvalid(sum, {entries, values, shape, Tensor::Scalar(2)}, "reduction_axes");
  ExpectInvalid(sum, {entries, values, shape, Ints({1, 1}, {0})}, "reduction_axes");
  ExpectInvalid(sum, {Rows({{0, 0}, {5, 2}}), values_, shape, Tensor::Scalar(1)}, "input_indices[1]: expected a place in shape [3,2]");
  ExpectInvalid(sum, {Rows({}), Floats({0}, {}), Dense({int64_t{1} << 40, int64_t{1} << 40}), Ints({0}, {})}, "shape");
  const Tensor dense = Dense({3, 2}), axes = Ints({1}, {0});
  const PartialShape two = PartialShape::Of({2});
  EXPECT_EQ(Infer("SparseReduceSum", {unknown_, unknown_, two, unknown_}, {{"T", DType::kFloat32}}, {nullptr, nullptr, &dense, &axes}), "[2]");
  EXPECT_EQ(Infer("SparseReduceSum", {unknown_, unknown_, two, unknown_}), "?");
  EXPECT_EQ(Infer("SparseReduceSum", {unknown_, unknown_, two, unknown_}, {{"T", DType::kFloat32}, {"keep_dims", true}}), "[?,?]");
}

TEST_F(SparseMathOpsTest, ReduceToSparse) {
  const Tensor entries = Rows({{0, 2}, {0, 0}, {1, 0}}), values = Floats({3}, {1, 2, 3});
  const auto reduce = [&](const char* op, bool keep_dims) {
    return OpTester(library_, op, {{"T", DType::kFloat32}, {"keep_dims", keep_dims}});
  };
  OpTester sum = reduce("SparseReduceSumSparse", true), max = reduce("SparseReduceMaxSparse", false);
  ExpectOutputs(sum, {entries, values, shape_, Tensor::Scalar(0)}, {Rows({{0, 0}, {0, 2}}), Floats({2}, {5, 1}), Dense({1, 3})});
  ExpectOutputs(max, {entries, values, shape_, Tensor::Scalar(1)}, {Rows({{0}, {1}}), Floats({2}, {2, 3}), Dense({2})});
  ExpectOutputs(max, {entries, values, shape_, Ints({2}, {0, 1})}, {Longs({1, 0}, {}), Floats({1}, {3}), Dense({})});
  ExpectOutputs(max, {Rows({}), Floats({0}, {}), shape_, Ints({2}, {0, 1})}, {Longs({0, 0}, {}), Floats({0}, {}), Dense({})});
  EXPECT_EQ(Infer("SparseReduceSumSparse", {unknown_, unknown_, PartialShape::Of({2}), unknown_},
                  {{"T", DType::kFloat32}, {"keep_dims", true}}), "[?,2][?][2]");
}

TEST_F(SparseMathOpsTest, Softmax) {
  for (const DType dtype : {DType::kFloat16, DType::kFloat32, DType::kFloat64}) {
    OpTester op = Op("SparseSoftmax", dtype);
    const double tolerance = dtype == DType::kFloat16 ? 1e-3 : 1e-6;
    ExpectOutput(op, {Rows({{0, 0}, {0, 2}, {1, 0}}), Numbers(dtype, {3}, {1, 2, 3}), shape_},
                 Numbers(dtype, {3}, {0.26894142, 0.73105858, 1}), tolerance);
    ExpectOutput(op, {Rows({{1, 0}, {0, 2}, {1, 1}}), Numbers(dtype, {3}, {1000, 2, 1000}), shape_},
                 Numbers(dtype, {3}, {1, 0.5, 0.5}), tolerance);
  }
  OpTester op = Op("SparseSoftmax");
  ExpectOutput(op, {Rows({}), Floats({0}, {}), shape_}, Floats({0}, {}));
  ExpectInvalid(op, {Rows({{0}, {1}}), values_, Dense({3})}, "sp_shape: expected at least 2 dimensions, got 1");
  EXPECT_EQ(Infer("SparseSoftmax", {unknown_, PartialShape::Of({3}), unknown_}), "[3]");
}

}  // namespace
}  // namespace flowlatch
