#include "ops/sparse_layout_ops.h"

#include <limits>
#include <numeric>

#include "tests/ops/numbers.h"
#include "tests/ops/sparse_tensors.h"

namespace flowlatch {
namespace {

class SparseLayoutOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterSparseLayoutOps(library_).ok()); }
  OpTester Op(const std::string& op, AttrMap attrs = {{"T", DType::kFloat32}}) { return OpTester(library_, op, std::move(attrs)); }
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
};

TEST_F(SparseLayoutOpsTest, Reorder) {
  OpTester op = Op("SparseReorder");
  ExpectOutputs(op, {indices_, values_, shape_}, {indices_, values_});
  ExpectOutputs(op, {Rows({{1, 0}, {0, 2}, {0, 0}, {0, 2}}), Floats({4}, {1, 2, 3, 4}), shape_},
                {Rows({{0, 0}, {0, 2}, {0, 2}, {1, 0}}), Floats({4}, {3, 2, 4, 1})});
  ExpectOutputs(op, {Rows({}), Floats({0}, {}), shape_}, {Rows({}), Floats({0}, {})});
  ExpectOutputs(op, {Longs({2, 0}, {}), values_, Dense({})}, {Longs({2, 0}, {}), values_});
  OpTester strings = Op("SparseReorder", {{"T", DType::kString}});
  ExpectOutputs(strings, {Rows({{1, 0}, {0, 2}}), Strings({2}, {"a", "b"}), shape_},
                {Rows({{0, 2}, {1, 0}}), Strings({2}, {"b", "a"})});
  EXPECT_EQ(Infer("SparseReorder", {PartialShape(), PartialShape::Of({-1}), PartialShape()}), "?[?]");
}

TEST_F(SparseLayoutOpsTest, TriplesAreChecked) {
  const struct {
    Tensor indices, values, shape;
    const char* error;
  } cases[] = {
      {Longs({2}, {0, 0}), values_, shape_, "input_indices: expected a matrix of indices, got shape [2]"},
      {indices_, Floats({3}, {1, 2, 3}), shape_, "input_values: expected shape [2], one for each index, got shape [3]"},
      {indices_, Floats({2, 1}, {1, 2}), shape_, "input_values: expected shape [2]"},
      {indices_, values_, Dense({2}), "input_shape: expected shape [2], as long as an index, got shape [1]"},
      {indices_, values_, Longs({1, 2}, {2, 3}), "input_shape: expected shape [2]"},
      {indices_, values_, Dense({2, -3}), "input_shape: expected no negative dimension, got -3"},
  };
  OpTester op = Op("SparseReorder");
  for (const auto& [indices, values, shape, error] : cases) ExpectInvalid(op, {indices, values, shape}, error);
  const PartialShape n2 = PartialShape::Of({-1, 2}), n = PartialShape::Of({3});
  EXPECT_EQ(Infer("SparseReorder", {n, n, n}), "INVALID_ARGUMENT");
  EXPECT_EQ(Infer("SparseReorder", {n2, n, n}), "INVALID_ARGUMENT");
  EXPECT_EQ(Infer("SparseReorder", {PartialShape::Of({2, 3}), n, n}), "INVALID_ARGUMENT");
}

TEST_F(SparseLayoutOpsTest, Reshape) {
  OpTester op = Op("SparseReshape", {});
  const Tensor indices = Rows({{0, 1}, {1, 2}});
  ExpectOutputs(op, {indices, shape_, Dense({3, -1})}, {Rows({{0, 1}, {2, 1}}), Dense({3, 2})});
  ExpectOutputs(op, {indices, shape_, Dense({2, 3})}, {indices, shape_});
  ExpectOutputs(op, {indices, shape_, Dense({-1})}, {Rows({{1}, {5}}), Dense({6})});
  ExpectOutputs(op, {indices, shape_, Dense({1, 2, 3})}, {Rows({{0, 0, 1}, {0, 1, 2}}), Dense({1, 2, 3})});
  ExpectOutputs(op, {Rows({{0, 0}}), Dense({1, 1}), Dense({})}, {Longs({1, 0}, {}), Dense({})});
  ExpectOutputs(op, {Rows({}), Dense({0, 3}), Dense({3, 0})}, {Rows({}), Dense({3, 0})});
  ExpectOutputs(op, {Rows({}), Dense({0, 3}), Dense({3, -1})}, {Rows({}), Dense({3, 0})});
  constexpr int64_t kBig = int64_t{1} << 32;
  const struct {
    Tensor from, to;
    const char* error;
  } cases[] = {
      {shape_, Dense({4, -1}), "expected one of 6 elements, got [4,?]"},
      {shape_, Dense({7}), "expected one of 6 elements, got [7]"},
      {shape_, Dense({-1, -1}), "at most one -1"},
      {shape_, Dense({-2, -3}), "expected dimensions >= 0"},
      {shape_, Dense({kBig, kBig}), "a product that fits int64"},
      {Dense({0, 3}), Dense({0, -1}), "expected one of 0 elements"},
      {Dense({kBig, kBig}), Dense({1}), "shape"},
      {Dense({-1, 3}), Dense({1}), "shape"},
      {Dense({6}), Dense({6}), "input_shape: expected 2 values, got 1"},
      {shape_, Longs({1, 1}, {6}), "new_shape"},
      {Dense({1, 6}), Dense({6}), "input_indices[1,0]: expected a value in [0,1), got 1"},
  };
  for (const auto& [from, to, error] : cases) ExpectInvalid(op, {indices, from, to}, error);
  EXPECT_EQ(Infer("SparseReshape", {PartialShape::Of({4, 2}), PartialShape::Of({2}), PartialShape::Of({3})}, {}), "[4,3][3]");
  EXPECT_EQ(Infer("SparseReshape", {PartialShape(), PartialShape(), PartialShape()}, {}), "[?,?][?]");
  EXPECT_EQ(Infer("SparseReshape", {PartialShape::Of({4}), PartialShape(), PartialShape()}, {}), "INVALID_ARGUMENT");
}

TEST_F(SparseLayoutOpsTest, Slice) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max(), kMin = std::numeric_limits<int64_t>::min();
  const struct {
    Tensor start, size;
    std::vector<Tensor> want;
  } cases[] = {
      {Dense({0, 0}), Dense({2, 3}), {indices_, values_, shape_}},
      {Dense({1, 1}), Dense({1, 2}), {Rows({{0, 1}}), Floats({1}, {2}), Dense({1, 2})}},
      {Dense({1, 1}), Dense({kMax, kMax}), {Rows({{0, 1}}), Floats({1}, {2}), Dense({1, 2})}},
      {Dense({5, 0}), Dense({2, 3}), {Rows({}), Floats({0}, {}), Dense({0, 3})}},
      {Dense({-1, 0}), Dense({2, 3}), {Rows({{1, 0}}), Floats({1}, {1}), shape_}},
      {Dense({kMin, 0}), Dense({2, 3}), {Rows({}), Floats({0}, {}), shape_}},
      {Dense({0, 0}), Dense({0, 3}), {Rows({}), Floats({0}, {}), Dense({0, 3})}},
  };
  OpTester op = Op("SparseSlice");
  for (const auto& [start, size, want] : cases) {
    SCOPED_TRACE(start.DebugString());
    ExpectOutputs(op, {indices_, values_, shape_, start, size}, want);
  }
  ExpectInvalid(op, {indices_, values_, shape_, Dense({0, 0}), Dense({1, -1})}, "size: expected no negative value, got -1");
  ExpectInvalid(op, {indices_, values_, shape_, Dense({0}), Dense({1, 1})}, "start: expected 2 values, got 1");
  ExpectInvalid(op, {indices_, values_, shape_, Dense({0, 0}), Dense({1})}, "size: expected 2 values, got 1");
  const PartialShape unknown;
  EXPECT_EQ(Infer("SparseSlice", {unknown, unknown, PartialShape::Of({3}), unknown, unknown}), "[?,3][?][3]");
  EXPECT_EQ(Infer("SparseSlice", {unknown, unknown, unknown, PartialShape::Of({}), unknown}), "INVALID_ARGUMENT");
}

TEST_F(SparseLayoutOpsTest, SliceGrad) {
  const Tensor from = Rows({{0, 0}, {1, 1}, {1, 2}});
  for (const DType dtype : DTypesIn(kNumberTypes)) {
    OpTester op = Op("SparseSliceGrad", {{"T", dtype}});
    ExpectOutput(op, {Numbers(dtype, {2}, {5, 6}), from, Dense({1, 1}), Rows({{0, 0}, {0, 1}})}, Numbers(dtype, {3}, {0, 5, 6}));
  }
  OpTester op = Op("SparseSliceGrad");
  ExpectInvalid(op, {values_, from, Dense({1, 1}), Rows({{0, 0}})}, "backprop_val_grad: expected shape [1]");
  ExpectInvalid(op, {values_, from, Dense({1}), Rows({{0, 0}, {0, 1}})}, "input_start: expected 2 values");
  ExpectInvalid(op, {values_, from, Dense({1, 1}), Rows({{0}, {1}})}, "rows of output_indices");
  ExpectInvalid(op, {values_, from, Dense({1, 1}), Rows({{0, 0}, {0, 2}})}, "output_indices[1]: expected one of input_indices");
  EXPECT_EQ(Infer("SparseSliceGrad", {PartialShape(), PartialShape::Of({3, 2}), PartialShape(), PartialShape()}), "[3]");
}

TEST_F(SparseLayoutOpsTest, Concat) {
  const auto concat = [&](int64_t dim) { return Op("SparseConcat", {{"T", DType::kFloat32}, {"N", 2}, {"concat_dim", dim}}); };
  const Tensor other = Rows({{1, 0}, {0, 1}}), others = Floats({2}, {3, 4});
  for (const int64_t dim : {0, -2}) {
    OpTester op = concat(dim);
    ExpectOutputs(op, {indices_, other, values_, others, shape_, Dense({2, 3})},
                  {Rows({{0, 0}, {1, 2}, {2, 1}, {3, 0}}), Floats({4}, {1, 2, 4, 3}), Dense({4, 3})});
  }
  OpTester op = concat(1);
  ExpectOutputs(op, {indices_, other, values_, others, shape_, Dense({2, 5})},
                {Rows({{0, 0}, {0, 4}, {1, 2}, {1, 3}}), Floats({4}, {1, 4, 2, 3}), Dense({2, 8})});
  ExpectOutputs(op, {indices_, Rows({}), values_, Floats({0}, {}), shape_, Dense({2, 0})}, {indices_, values_, shape_});
  ExpectInvalid(op, {indices_, other, values_, others, shape_, Dense({3, 3})}, "input 1: expected a shape as input 0 has");
  ExpectInvalid(op, {indices_, Rows({{0}, {1}}), values_, others, shape_, Dense({3})}, "input 1: expected a shape as input 0 has");
  ExpectInvalid(op, {indices_, other, values_, Floats({1}, {3}), shape_, shape_}, "input 1: values: expected shape [2]");
  ExpectInvalid(op, {indices_, Rows({{0, 0}, {0, 9}}), values_, others, shape_, shape_}, "input 1: indices[1]: expected a place in shape [2,3]");
  OpTester far = concat(2);
  ExpectInvalid(far, {indices_, other, values_, others, shape_, shape_}, "concat_dim");
  const AttrMap attrs{{"T", DType::kFloat32}, {"N", 2}, {"concat_dim", 0}};
  const PartialShape unknown;
  EXPECT_EQ(Infer("SparseConcat", {PartialShape::Of({2, -1}), PartialShape::Of({3, 2}), unknown, unknown, unknown, unknown}, attrs),
            "[5,2][5][2]");
  EXPECT_EQ(Infer("SparseConcat", {unknown, unknown, unknown, unknown, unknown, unknown}, attrs), "[?,?][?][?]");
  EXPECT_EQ(Infer("SparseConcat", {PartialShape::Of({2, 1}), PartialShape::Of({3, 2}), unknown, unknown, unknown, unknown}, attrs),
            "INVALID_ARGUMENT");
}

TEST_F(SparseLayoutOpsTest, ConcatOfMorePlacesThanCount) {
  OpTester op = Op("SparseConcat", {{"T", DType::kFloat32}, {"N", 2}, {"concat_dim", 0}});
  for (const Tensor& huge : {Dense({int64_t{1} << 32, int64_t{1} << 32}), Dense({2, std::numeric_limits<int64_t>::max()})}) {
    const absl::Status status = op.Run({indices_, indices_, values_, values_, huge, huge}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
  }
  // Each may be counted, and their joined dimension not.
  const Tensor long_one = Dense({std::numeric_limits<int64_t>::max(), 1});
  ExpectInvalid(op, {Rows({{0, 0}}), Rows({{0, 0}}), Floats({1}, {1}), Floats({1}, {2}), long_one, long_one}, "a sum that fits int64");
}

TEST_F(SparseLayoutOpsTest, Split) {
  const auto split = [&](int64_t n) { return Op("SparseSplit", {{"T", DType::kFloat32}, {"num_split", n}}); };
  OpTester two = split(2), four = split(4);
  for (const int64_t dim : {1, -1}) {
    ExpectOutputs(two, {Tensor::Scalar(dim), indices_, values_, shape_},
                  {Rows({{0, 0}}), Rows({{1, 0}}), Floats({1}, {1}), Floats({1}, {2}), Dense({2, 2}), Dense({2, 1})});
  }
  const Tensor one = Tensor::Scalar<int64_t>(1);
  ExpectInvalid(four, {one, indices_, values_, shape_}, "num_split: expected a value in [1,3], got 4");
  ExpectInvalid(two, {one, indices_, values_, Dense({int64_t{1} << 32, int64_t{1} << 32})}, "dense_shape: expected fewer than 2^63 places");
  ExpectInvalid(two, {Tensor::Scalar<int64_t>(2), indices_, values_, shape_}, "split_dim");
  ExpectInvalid(two, {Dense({1}), indices_, values_, shape_}, "split_dim");
  ExpectInvalid(two, {one, Rows({{0, 0}, {1, 3}}), values_, shape_}, "indices[1]: expected a place in shape [2,3], got [1,3]");
  ExpectInvalid(two, {one, Rows({{-1, 0}, {1, 1}}), values_, shape_}, "indices[0]: expected a place in shape [2,3], got [-1,0]");
  const PartialShape unknown;
  EXPECT_EQ(Infer("SparseSplit", {unknown, unknown, unknown, PartialShape::Of({3})}, {{"T", DType::kFloat32}, {"num_split", 2}}),
            "[?,3][?,3][?][?][3][3]");
}

TEST_F(SparseLayoutOpsTest, FillEmptyRows) {
  OpTester op = Op("SparseFillEmptyRows");
  const Tensor nine = Tensor::Scalar(9.0f);
  ExpectOutputs(op, {Rows({{2, 1}, {0, 1}, {2, 0}}), Floats({3}, {1, 2, 3}), Dense({4, 2}), nine},
                {Rows({{0, 1}, {1, 0}, {2, 1}, {2, 0}, {3, 0}}), Floats({5}, {2, 9, 1, 3, 9}),
                 Bools({4}, {false, true, false, true}), Longs({3}, {2, 0, 3})});
  ExpectOutputs(op, {Rows({}), Floats({0}, {}), Dense({0, 2}), nine},
                {Rows({}), Floats({0}, {}), Bools({0}, {}), Longs({0}, {})});
  OpTester strings = Op("SparseFillEmptyRows", {{"T", DType::kString}});
  ExpectOutputs(strings, {Rows({{1}}), Strings({1}, {"a"}), Dense({2}), Tensor::Scalar("-")},
                {Rows({{0}, {1}}), Strings({2}, {"-", "a"})});
  ExpectInvalid(op, {Rows({{4, 1}}), Floats({1}, {1}), Dense({4, 2}), nine}, "indices[0]: expected a row in [0,4), got 4");
  ExpectInvalid(op, {Rows({{0, 1}}), Floats({1}, {1}), Dense({0, 2}), nine}, "indices[0]: expected a row in [0,0), got 0");
  ExpectInvalid(op, {Longs({1, 0}, {}), Floats({1}, {1}), Dense({}), nine}, "dense_shape: expected at least 1 dimension");
  ExpectInvalid(op, {indices_, values_, shape_, values_}, "default_value: expected a scalar, got shape [2]");
  EXPECT_EQ(op.Run({Rows({}), Floats({0}, {}), Dense({int64_t{1} << 60, 2}), nine}).status().code(), absl::StatusCode::kResourceExhausted);
  const PartialShape unknown;
  const Tensor dense = Dense({4, 2});
  EXPECT_EQ(Infer("SparseFillEmptyRows", {PartialShape::Of({3, 2}), unknown, unknown, unknown}, {{"T", DType::kFloat32}},
                  {nullptr, nullptr, &dense, nullptr}), "[?,2][?][4][3]");
}

TEST_F(SparseLayoutOpsTest, RaggedFillEmptyRows) {
  OpTester op = Op("RaggedFillEmptyRows");
  const Tensor nine = Tensor::Scalar(9.0f), four = Tensor::Scalar<int64_t>(4);
  ExpectOutputs(op, {Longs({3}, {2, 0, 2}), Floats({3}, {1, 2, 3}), four, nine},
                {Longs({5}, {0, 1, 2, 2, 3}), Floats({5}, {2, 9, 1, 3, 9}), Bools({4}, {false, true, false, true}),
                 Longs({3}, {2, 0, 3})});
  ExpectInvalid(op, {Longs({1}, {4}), Floats({1}, {1}), four, nine}, "value_rowids[0]: expected a row in [0,4), got 4");
  ExpectInvalid(op, {Longs({1}, {0}), Floats({2}, {1, 1}), four, nine}, "values: expected shape [1], got shape [2]");
  ExpectInvalid(op, {Longs({1}, {0}), Floats({1}, {1}), Tensor::Scalar<int64_t>(-1), nine}, "nrows: expected no negative value");
  const PartialShape unknown;
  EXPECT_EQ(Infer("RaggedFillEmptyRows", {PartialShape::Of({3}), unknown, unknown, unknown}, {{"T", DType::kFloat32}},
                  {nullptr, nullptr, &four, nullptr}), "[?][?][4][3]");
}

TEST_F(SparseLayoutOpsTest, FillEmptyRowsGrad) {
  for (const char* name : {"SparseFillEmptyRowsGrad", "RaggedFillEmptyRowsGrad"}) {
    for (const DType dtype : DTypesIn(kNumberTypes)) {
      OpTester op = Op(name, {{"T", dtype}});
      ExpectOutputs(op, {Longs({2}, {3, 0}), Numbers(dtype, {4}, {1, 2, 3, 4})}, {Numbers(dtype, {2}, {4, 1}), Numbers(dtype, {}, {5})});
    }
    OpTester op = Op(name);
    ExpectOutputs(op, {Longs({0}, {}), Floats({0}, {})}, {Floats({0}, {}), Tensor::Scalar(0.0f)});
    ExpectInvalid(op, {Longs({1}, {-1}), Floats({0}, {})}, "reverse_index_map[0]: expected a value in [0,0), got -1");
    ExpectInvalid(op, {Longs({1}, {0}), Tensor::Scalar(1.0f)}, "grad_values: expected a vector");
    EXPECT_EQ(Infer(name, {PartialShape::Of({3}), PartialShape()}), "[3][]");
  }
}

}  // namespace
}  // namespace flowlatch
