#include "ops/count_ops.h"

#include "tests/ops/numbers.h"
#include "tests/ops/sparse_tensors.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kWeightTypes{DType::kInt32, DType::kInt64, DType::kFloat32, DType::kFloat64};

class CountOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterCountOps(library_).ok()); }
  OpTester Bins(const char* op, DType index, DType weight, bool binary = false) {
    return OpTester(library_, op, {{"Tidx", index}, {"T", weight}, {"binary_output", binary}});
  }
  OpTester Counts(const char* op, bool binary = false, int64_t min = -1, int64_t max = -1, DType weight = DType::kInt64) {
    return OpTester(library_, op, {{"T", DType::kInt32}, {"output_type", weight}, {"binary_output", binary}, {"minlength", min}, {"maxlength", max}});
  }
  std::string Infer(const char* op, const std::vector<PartialShape>& inputs, AttrMap attrs, const std::vector<const Tensor*>& constants = {}) {
    const auto shapes = InferShapes(library_, op, attrs, inputs, constants);
    if (!shapes.ok()) return std::string(absl::StatusCodeToString(shapes.status().code()));
    std::string text;
    for (const PartialShape& shape : *shapes) text += shape.ToString();
    return text;
  }

  OpLibrary library_;
  const Tensor places_ = Rows({{0, 0}, {0, 1}, {2, 0}}), shape_ = Dense({3, 2}), splits_ = Longs({4}, {0, 2, 2, 3});
};

TEST_F(CountOpsTest, Bins) {
  for (const DType index : {DType::kInt32, DType::kInt64}) {
    for (const DType weight : DTypesIn(kWeightTypes)) {
      const Tensor values = Numbers(index, {3}, {3, 3, 1}), size = Numbers(index, {}, {4}), none = Numbers(weight, {0}, {});
      const Tensor weights = Numbers(weight, {3}, {1, 2, 3});
      const Tensor counts = Numbers(weight, {3, 4}, {0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0});
      OpTester sparse = Bins("SparseBincount", index, weight), ragged = Bins("RaggedBincount", index, weight);
      ExpectOutput(sparse, {places_, values, shape_, size, none}, counts);
      ExpectOutput(ragged, {splits_, values, size, none}, counts);
      ExpectOutput(sparse, {places_, values, shape_, size, weights}, Numbers(weight, {3, 4}, {0, 0, 0, 3, 0, 0, 0, 0, 0, 3, 0, 0}));
      ExpectOutput(sparse, {Rows({{0}, {1}, {3}}), values, Dense({4}), Numbers(index, {}, {2}), none}, Numbers(weight, {2}, {0, 1}));
      OpTester binary = Bins("RaggedBincount", index, weight, true);
      ExpectOutput(binary, {splits_, values, size, weights}, Numbers(weight, {3, 4}, {0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0}));
    }
  }
  OpTester ragged = Bins("RaggedBincount", DType::kInt32, DType::kFloat32);
  ExpectOutput(ragged, {Longs({1}, {0}), Ints({0}, {}), Tensor::Scalar(4), Floats({0}, {})}, Floats({0, 4}, {}));
  ExpectOutput(ragged, {Longs({2}, {0, 1}), Ints({1}, {0}), Tensor::Scalar(0), Floats({0}, {})}, Floats({1, 0}, {}));
}

TEST_F(CountOpsTest, BinErrors) {
  OpTester sparse = Bins("SparseBincount", DType::kInt32, DType::kFloat32), ragged = Bins("RaggedBincount", DType::kInt32, DType::kFloat32);
  const Tensor values = Ints({3}, {3, 3, 1}), none = Floats({0}, {}), four = Tensor::Scalar(4);
  ExpectInvalid(sparse, {places_, Ints({3}, {3, -3, 1}), shape_, four, none}, "values[1]: expected no negative number, got -3");
  ExpectInvalid(sparse, {places_, values, shape_, Tensor::Scalar(-1), none}, "size: expected no negative number, got -1");
  ExpectInvalid(sparse, {Rows({{0, 0}, {7, 0}, {0, 0}}), values, shape_, four, none}, "indices[1]: expected a place in shape [3,2]");
  ExpectInvalid(sparse, {places_, values, shape_, four, Floats({1}, {1})}, "weights: expected shape [3] or no elements, got shape [1]");
  ExpectInvalid(sparse, {Longs({1, 0}, {}), Ints({1}, {1}), Dense({}), four, none}, "dense_shape: expected at least 1 dimension");
  for (const Tensor& splits : {Longs({4}, {1, 2, 2, 3}), Longs({3}, {0, 2, 2}), Longs({3}, {0, 2, 9}), Longs({4}, {0, 2, 1, 3}), Longs({0}, {})}) {
    ExpectInvalid(ragged, {splits, values, four, none}, "splits: expected at least 1 values from 0 to 3 that do not decrease");
  }
  ExpectInvalid(ragged, {splits_, Ints({1, 3}, {3, 3, 1}), four, none}, "values: expected a vector");
}

TEST_F(CountOpsTest, CountsOfDense) {
  const Tensor vector = Ints({3}, {3, 1, 1}), none = Longs({0}, {});
  OpTester op = Counts("DenseCountSparseOutput"), binary = Counts("DenseCountSparseOutput", true);
  ExpectOutputs(op, {vector, none}, {Rows({{1}, {3}}), Longs({2}, {2, 1}), Longs({1}, {4})});
  ExpectOutputs(binary, {vector, Longs({3}, {5, 6, 7})}, {Rows({{1}, {3}}), Longs({2}, {1, 1}), Longs({1}, {4})});
  ExpectOutputs(op, {Ints({2, 3}, {3, 1, 1, 0, 5, 5}), none},
                {Rows({{0, 1}, {0, 3}, {1, 0}, {1, 5}}), Longs({4}, {2, 1, 1, 2}), Longs({2}, {2, 6})});
  ExpectOutputs(op, {Ints({0}, {}), none}, {Rows({}, 1), Longs({0}, {}), Longs({1}, {1})});
  ExpectOutputs(op, {Ints({2, 0}, {}), none}, {Rows({}), Longs({0}, {}), Longs({2}, {2, 1})});
  OpTester least = Counts("DenseCountSparseOutput", false, 8), most = Counts("DenseCountSparseOutput", false, -1, 2);
  OpTester nothing = Counts("DenseCountSparseOutput", false, -1, 0);
  ExpectOutputs(least, {vector, none}, {Rows({{1}, {3}}), Longs({2}, {2, 1}), Longs({1}, {8})});
  ExpectOutputs(most, {vector, none}, {Rows({{1}}), Longs({1}, {2}), Longs({1}, {2})});
  ExpectOutputs(nothing, {vector, none}, {Rows({}, 1), Longs({0}, {}), Longs({1}, {0})});
  for (const DType weight : DTypesIn(kWeightTypes)) {
    OpTester weighted = Counts("DenseCountSparseOutput", false, -1, -1, weight);
    ExpectOutputs(weighted, {vector, Numbers(weight, {3}, {1, 2, 3})}, {Rows({{1}, {3}}), Numbers(weight, {2}, {5, 1}), Longs({1}, {4})});
  }
  ExpectInvalid(op, {Ints({3}, {3, -1, 1}), none}, "values[1]: expected no negative number, got -1");
  ExpectInvalid(op, {vector, Longs({2}, {1, 2})}, "weights: expected shape [3] or no elements");
  ExpectInvalid(op, {Ints({0, 2}, {}), none}, "values: expected at least 1 row, got none");
  ExpectInvalid(op, {Tensor::Scalar(3), none}, "");
}

TEST_F(CountOpsTest, CountsOfSparseAndRagged) {
  const Tensor values = Ints({3}, {3, 3, 1}), none = Longs({0}, {});
  const std::vector<Tensor> want{Rows({{0, 3}, {2, 1}}), Longs({2}, {2, 1}), Longs({2}, {3, 4})};
  OpTester sparse = Counts("SparseCountSparseOutput"), ragged = Counts("RaggedCountSparseOutput");
  ExpectOutputs(sparse, {places_, values, shape_, none}, want);
  ExpectOutputs(ragged, {splits_, values, none}, want);
  ExpectOutputs(sparse, {Rows({{2, 0}, {0, 1}, {2, 1}}), values, shape_, Longs({3}, {1, 2, 3})},
                {Rows({{0, 3}, {2, 1}, {2, 3}}), Longs({3}, {2, 3, 1}), Longs({2}, {3, 4})});
  ExpectOutputs(sparse, {Rows({{0}, {1}, {3}}), values, Dense({4}), none}, {Rows({{1}, {3}}), Longs({2}, {1, 2}), Longs({1}, {4})});
  ExpectOutputs(sparse, {Rows({}), Ints({0}, {}), shape_, none}, {Rows({}), Longs({0}, {}), Longs({2}, {3, 1})});
  ExpectInvalid(sparse, {Rows({{0, 0}, {0, 9}, {0, 0}}), values, shape_, none}, "indices[1]: expected a place in shape [3,2], got [0,9]");
  ExpectInvalid(ragged, {Longs({1}, {0}), Ints({0}, {}), none}, "splits: expected at least 2 values from 0 to 0");
  ExpectInvalid(ragged, {Longs({2}, {0, 7}), values, none}, "splits: expected at least 2 values from 0 to 3");
}

TEST_F(CountOpsTest, Shapes) {
  const AttrMap bins{{"Tidx", DType::kInt32}, {"T", DType::kFloat32}};
  const Tensor four = Tensor::Scalar(4), negative = Tensor::Scalar(-4);
  const PartialShape unknown;
  const std::vector<PartialShape> sparse{unknown, unknown, PartialShape::Of({2}), unknown, unknown};
  EXPECT_EQ(Infer("SparseBincount", sparse, bins, {nullptr, nullptr, &shape_, &four, nullptr}), "[3,4]");
  EXPECT_EQ(Infer("SparseBincount", sparse, bins), "[?,?]");
  EXPECT_EQ(Infer("SparseBincount", sparse, bins, {nullptr, nullptr, nullptr, &negative, nullptr}), "INVALID_ARGUMENT");
  EXPECT_EQ(Infer("RaggedBincount", {PartialShape::Of({4}), unknown, unknown, unknown}, bins, {nullptr, nullptr, &four, nullptr}), "[3,4]");
  const AttrMap counts{{"T", DType::kInt32}, {"output_type", DType::kInt64}, {"binary_output", false}};
  EXPECT_EQ(Infer("DenseCountSparseOutput", {PartialShape::Of({4, -1}), unknown}, counts), "[?,2][?][2]");
  EXPECT_EQ(Infer("DenseCountSparseOutput", {PartialShape::Of({}), unknown}, counts), "INVALID_ARGUMENT");
  EXPECT_EQ(Infer("SparseCountSparseOutput", {unknown, unknown, PartialShape::Of({3}), unknown}, counts), "[?,2][?][2]");
  EXPECT_EQ(Infer("RaggedCountSparseOutput", {unknown, unknown, unknown}, counts), "[?,2][?][2]");
}

}  // namespace
}  // namespace flowlatch
