#include "ops/ragged_layout_ops.h"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "graph/build/graph_builder.h"
#include "tests/ops/numbers.h"
#include "tests/testing/built_graph.h"
#include "tools/gradients/check_gradients.h"

namespace flowlatch {
namespace {

using Names = std::vector<std::string>;

class RaggedLayoutOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterRaggedLayoutOps(library_).ok()); }
  AttrMap ToTensorAttrs(const Names& types, DType dtype = DType::kFloat32, DType index = DType::kInt64, DType shape = DType::kInt32) {
    return {{"T", dtype}, {"Tindex", index}, {"Tshape", shape}, {"num_row_partition_tensors", static_cast<int64_t>(types.size())},
            {"row_partition_types", types}};
  }
  OpTester ToTensor(const Names& types, DType dtype = DType::kFloat32, DType index = DType::kInt64, DType shape = DType::kInt32) {
    return OpTester(library_, "RaggedTensorToTensor", ToTensorAttrs(types, dtype, index, shape));
  }
  AttrMap GatherAttrs(int64_t params, int64_t output, DType dtype = DType::kFloat32, DType indices = DType::kInt32,
                      DType splits = DType::kInt64) {
    return {{"Tvalues", dtype}, {"Tindices", indices}, {"Tsplits", splits}, {"PARAMS_RAGGED_RANK", params}, {"OUTPUT_RAGGED_RANK", output}};
  }
  OpTester Gather(int64_t params, int64_t output, DType dtype = DType::kFloat32, DType indices = DType::kInt32,
                  DType splits = DType::kInt64) {
    return OpTester(library_, "RaggedGather", GatherAttrs(params, output, dtype, indices, splits));
  }

  OpLibrary library_;
  const Tensor any_ = Tensor::Scalar(-1), zero_ = Tensor::Scalar(0.0f);
  const Tensor values_ = Floats({5}, {1, 2, 3, 4, 5}), pairs_ = Floats({5, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const Tensor splits_ = Longs({4}, {0, 2, 2, 5}), outer_ = Longs({3}, {0, 2, 3}), ids_ = Longs({5}, {0, 0, 2, 2, 2});
  const Names by_splits_{"ROW_SPLITS"}, by_two_{"ROW_SPLITS", "ROW_SPLITS"}, by_ids_{"FIRST_DIM_SIZE", "VALUE_ROWIDS"};
};

// ---- RaggedTensorToTensor

TEST_F(RaggedLayoutOpsTest, SplitsToTensor) {
  OpTester op = ToTensor(by_splits_), two = ToTensor(by_two_);
  const Tensor whole = Floats({3, 3}, {1, 2, 0, 0, 0, 0, 3, 4, 5});
  ExpectOutput(op, {any_, values_, zero_, splits_}, whole);
  ExpectOutput(op, {Ints({2}, {-1, -1}), values_, zero_, splits_}, whole);
  ExpectOutput(op, {Ints({2}, {2, 2}), values_, zero_, splits_}, Floats({2, 2}, {1, 2, 0, 0}));
  ExpectOutput(op, {Ints({2}, {4, 4}), values_, Tensor::Scalar(9.0f), splits_},
               Floats({4, 4}, {1, 2, 9, 9, 9, 9, 9, 9, 3, 4, 5, 9, 9, 9, 9, 9}));
  ExpectOutput(op, {Ints({2}, {0, 2}), values_, zero_, splits_}, Floats({0, 2}, {}));
  ExpectOutput(op, {any_, Floats({0}, {}), zero_, Longs({1}, {0})}, Floats({0, 0}, {}));
  ExpectOutput(two, {any_, values_, zero_, outer_, splits_}, Floats({2, 2, 3}, {1, 2, 0, 0, 0, 0, 3, 4, 5, 0, 0, 0}));
  ExpectOutput(two, {Ints({3}, {2, 3, 2}), values_, zero_, outer_, splits_}, Floats({2, 3, 2}, {1, 2, 0, 0, 0, 0, 3, 4, 0, 0, 0, 0}));
}

// Values that no row has are left out, and rows may have more items than there are.
TEST_F(RaggedLayoutOpsTest, SplitsThatDoNotEndWithTheValues) {
  OpTester op = ToTensor(by_splits_), two = ToTensor(by_two_);
  ExpectOutput(op, {any_, values_, zero_, Longs({4}, {0, 2, 2, 4})}, Floats({3, 2}, {1, 2, 0, 0, 3, 4}));
  ExpectOutput(op, {any_, values_, zero_, Longs({4}, {0, 2, 2, 6})}, Floats({3, 4}, {1, 2, 0, 0, 0, 0, 0, 0, 3, 4, 5, 0}));
  ExpectOutput(op, {Ints({2}, {2, 2}), values_, zero_, Longs({3}, {0, 2, int64_t{1} << 60})}, Floats({2, 2}, {1, 2, 3, 4}));
  ExpectOutput(two, {Ints({3}, {1, 2, 2}), values_, zero_, Longs({2}, {0, int64_t{1} << 60}), splits_}, Floats({1, 2, 2}, {1, 2, 0, 0}));
}

TEST_F(RaggedLayoutOpsTest, RowIdsToTensor) {
  OpTester op = ToTensor(by_ids_), first = ToTensor({"FIRST_DIM_SIZE"}), mixed = ToTensor({"ROW_SPLITS", "VALUE_ROWIDS"});
  OpTester sized = ToTensor({"FIRST_DIM_SIZE", "ROW_SPLITS"});
  const Tensor three = Tensor::Scalar(int64_t{3}), whole = Floats({3, 3}, {1, 2, 0, 0, 0, 0, 3, 4, 5});
  ExpectOutput(op, {any_, values_, zero_, three, ids_}, whole);
  ExpectOutput(op, {any_, values_, zero_, Longs({1}, {3}), ids_}, whole);
  ExpectOutput(op, {any_, values_, zero_, three, Longs({3}, {0, 0, 2})}, Floats({3, 2}, {1, 2, 0, 0, 3, 0}));
  ExpectOutput(op, {any_, values_, zero_, three, Longs({6}, {0, 0, 2, 2, 2, 2})}, Floats({3, 4}, {1, 2, 0, 0, 0, 0, 0, 0, 3, 4, 5, 0}));
  ExpectOutput(op, {any_, Floats({0}, {}), zero_, three, Longs({0}, {})}, Floats({3, 0}, {}));
  ExpectOutput(op, {any_, values_, zero_, Tensor::Scalar(int64_t{0}), ids_}, Floats({0, 3}, {}));
  ExpectOutput(op, {Ints({2}, {1, 1}), values_, zero_, Tensor::Scalar(int64_t{1} << 60), ids_}, Floats({1, 1}, {1}));
  ExpectOutput(first, {any_, values_, zero_, three}, Floats({3}, {1, 2, 3}));
  ExpectOutput(first, {Ints({1}, {7}), values_, zero_, three}, Floats({7}, {1, 2, 3, 0, 0, 0, 0}));
  ExpectOutput(mixed, {any_, values_, zero_, outer_, ids_}, Floats({2, 2, 3}, {1, 2, 0, 0, 0, 0, 3, 4, 5, 0, 0, 0}));
  ExpectOutput(sized, {any_, values_, zero_, Tensor::Scalar(int64_t{4}), splits_}, Floats({4, 3}, {1, 2, 0, 0, 0, 0, 3, 4, 5, 0, 0, 0}));
  ExpectInvalid(op, {any_, values_, zero_, Tensor::Scalar(int64_t{2}), ids_}, "row ids of values[2]: expected a value in [0,2), got 2");
  ExpectInvalid(op, {any_, values_, zero_, three, Longs({5}, {-1, 0, 2, 2, 2})}, "row ids of values[0]: expected a value in [0,3), got -1");
  ExpectInvalid(op, {any_, values_, zero_, three, Longs({5}, {2, 0, 0, 1, 2})}, "row ids of values: expected values that do not decrease");
  ExpectInvalid(op, {any_, values_, zero_, Tensor::Scalar(int64_t{-3}), ids_}, "first dimension: expected a size of at least 0, got -3");
  ExpectInvalid(op, {any_, values_, zero_, Longs({0}, {}), ids_}, "first dimension: expected one number, got shape [0]");
  ExpectInvalid(sized, {any_, values_, zero_, Tensor::Scalar(int64_t{2}), splits_}, "row splits: expected those of 2 rows, got 3");
}

TEST_F(RaggedLayoutOpsTest, DefaultsOfItems) {
  OpTester op = ToTensor(by_splits_), strings = ToTensor(by_splits_, DType::kString);
  ExpectOutput(op, {any_, pairs_, Floats({2}, {70, 80}), splits_},
               Floats({3, 3, 2}, {1, 2, 3, 4, 70, 80, 70, 80, 70, 80, 70, 80, 5, 6, 7, 8, 9, 10}));
  ExpectOutput(op, {any_, pairs_, Floats({1}, {7}), Longs({3}, {0, 1, 3})}, Floats({2, 2, 2}, {1, 2, 7, 7, 3, 4, 5, 6}));
  const Tensor blocks = Floats({1, 2, 3}, {1, 2, 3, 4, 5, 6});
  ExpectOutput(op, {Ints({4}, {1, 2, -1, -1}), blocks, Floats({2, 1}, {7, 8}), Longs({2}, {0, 1})},
               Floats({1, 2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 7, 7, 8, 8, 8}));
  ExpectOutput(op, {Ints({4}, {1, 2, -1, -1}), blocks, Floats({1, 3}, {7, 8, 9}), Longs({2}, {0, 1})},
               Floats({1, 2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 7, 8, 9}));
  ExpectOutput(op, {any_, Floats({5, 0}, {}), zero_, splits_}, Floats({3, 3, 0}, {}));
  ExpectOutput(strings, {any_, Strings({2}, {"a", "b"}), Tensor::Scalar("x"), Longs({3}, {0, 2, 2})}, Strings({2, 2}, {"a", "b", "x", "x"}));
  const std::string text = "default_value: expected a shape that broadcasts to items of values ";
  ExpectInvalid(op, {any_, pairs_, Floats({3}, {7, 8, 9}), splits_}, text + "[5,2], got [3]");
  ExpectInvalid(op, {any_, pairs_, Floats({1, 2}, {7, 8}), splits_}, text + "[5,2], got [1,2]");
  ExpectInvalid(op, {any_, blocks, Floats({3}, {7, 8, 9}), splits_}, text + "[1,2,3], got [3]");
  ExpectInvalid(op, {any_, blocks, Floats({2}, {7, 8}), splits_}, text + "[1,2,3], got [2]");
}

TEST_F(RaggedLayoutOpsTest, ToTensorOfEveryDType) {
  for (const DType dtype : DTypesIn(kNumberTypes)) {
    SCOPED_TRACE(std::string(DTypeName(dtype)));
    OpTester op = ToTensor(by_splits_, dtype, DType::kInt32, DType::kInt64);
    ExpectOutput(op, {Tensor::Scalar(int64_t{-1}), Numbers(dtype, {3}, {1, 2, 3}), Numbers(dtype, {}, {7}), Ints({3}, {0, 2, 3})},
                 Numbers(dtype, {2, 2}, {1, 2, 3, 7}));
  }
}

TEST_F(RaggedLayoutOpsTest, LargeToTensor) {
  const int64_t rows = 3000;
  std::vector<int64_t> splits{0};
  std::vector<int32_t> values;
  while (static_cast<int64_t>(splits.size()) <= rows) {
    const int64_t length = static_cast<int64_t>(splits.size()) % 60;
    for (int64_t i = 0; i < length; ++i) values.push_back(static_cast<int32_t>(values.size()));
    splits.push_back(splits.back() + length);
  }
  std::vector<int32_t> want(rows * 59, -1);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = splits[row]; i < splits[row + 1]; ++i) want[row * 59 + i - splits[row]] = values[i];
  }
  OpTester op = ToTensor(by_splits_, DType::kInt32);
  ExpectOutput(op, {any_, *Tensor::FromValues<int32_t>(Shape::Of({splits.back()}), values), Tensor::Scalar(-1),
                    *Tensor::FromValues<int64_t>(Shape::Of({rows + 1}), splits)},
               *Tensor::FromValues<int32_t>(Shape::Of({rows, 59}), want));
}

TEST_F(RaggedLayoutOpsTest, ToTensorErrors) {
  OpTester op = ToTensor(by_splits_), two = ToTensor(by_two_);
  for (const Tensor& shape : {Ints({3}, {2, 2, 2}), Ints({1}, {2}), Ints({0}, {})}) {
    ExpectInvalid(op, {shape, values_, zero_, splits_}, "shape: expected one that fits [?,?], got [");
  }
  ExpectInvalid(op, {Ints({3}, {-1, -1, 3}), pairs_, zero_, splits_}, "shape: expected one that fits [?,?,2], got [?,?,3]");
  ExpectInvalid(op, {Tensor::Scalar(5), values_, zero_, splits_}, "shape: expected a vector or the scalar -1, got the scalar 5");
  ExpectInvalid(op, {Ints({2}, {-2, 2}), values_, zero_, splits_}, "");
  ExpectInvalid(op, {Ints({1, 2}, {1, 2}), values_, zero_, splits_}, "shape");
  ExpectInvalid(op, {any_, Tensor::Scalar(1.0f), zero_, splits_}, "values: expected at least 1 dimension, got shape []");
  for (const Tensor& splits : {Longs({4}, {1, 2, 2, 5}), Longs({4}, {0, 3, 2, 5}), Longs({4}, {0, -3, 2, 5}), Longs({0}, {})}) {
    ExpectInvalid(op, {any_, values_, zero_, splits}, "row splits: expected values from 0 on that do not decrease");
  }
  ExpectInvalid(op, {any_, values_, zero_, Tensor::Scalar(int64_t{0})}, "row splits");
  ExpectInvalid(op, {any_, values_, zero_, Longs({2, 2}, {0, 2, 2, 5})}, "row splits");
  ExpectInvalid(two, {any_, values_, zero_, Longs({2}, {0, 2}), splits_}, "row splits: expected those of 2 rows, got 3");
  EXPECT_FALSE(op.Run({Ints({2}, {1 << 30, 1 << 30}), values_, zero_, splits_}).ok());
  for (const auto& [types, text] : std::vector<std::pair<Names, std::string>>{
           {{"VALUE_ROWIDS"}, "row_partition_types[0]: expected FIRST_DIM_SIZE or ROW_SPLITS, got 'VALUE_ROWIDS'"},
           {{"ROW_SPLITS", "FIRST_DIM_SIZE"}, "row_partition_types[1]: expected VALUE_ROWIDS or ROW_SPLITS, got 'FIRST_DIM_SIZE'"},
           {{"ROW_LENGTHS"}, "got 'ROW_LENGTHS'"}}) {
    OpTester bad = ToTensor(types);
    std::vector<Tensor> inputs{any_, values_, zero_};
    inputs.resize(3 + types.size(), splits_);
    ExpectInvalid(bad, inputs, text);
  }
  OpTester other_number(library_, "RaggedTensorToTensor",
                        {{"T", DType::kFloat32}, {"Tindex", DType::kInt64}, {"Tshape", DType::kInt32}, {"num_row_partition_tensors", int64_t{1}},
                         {"row_partition_types", by_two_}});
  ExpectInvalid(other_number, {any_, values_, zero_, splits_}, "row_partition_types: expected 1 types, got 2");
}

TEST_F(RaggedLayoutOpsTest, ToTensorShapes) {
  const AttrMap attrs = ToTensorAttrs(by_splits_);
  const PartialShape unknown, scalar = PartialShape::Of({}), vector = PartialShape::Of({2});
  const Tensor known = Ints({2}, {4, -1});
  const auto infer = [&](const PartialShape& shape, const PartialShape& values, const PartialShape& value, const Tensor* constant) {
    return InferShapes(library_, "RaggedTensorToTensor", attrs, {shape, values, value, unknown}, {constant});
  };
  EXPECT_EQ((*infer(scalar, PartialShape::Of({-1, 2}), scalar, &any_))[0], PartialShape::Of({-1, -1, 2}));
  EXPECT_EQ((*infer(vector, PartialShape::Of({5}), scalar, &known))[0], PartialShape::Of({4, -1}));
  EXPECT_EQ((*infer(vector, unknown, scalar, nullptr))[0], PartialShape::Of({-1, -1}));
  EXPECT_EQ((*infer(scalar, unknown, unknown, nullptr))[0], unknown);
  EXPECT_FALSE(infer(vector, PartialShape::Of({5, 1}), scalar, &known).ok());
  EXPECT_FALSE(infer(scalar, PartialShape::Of({5, 2}), PartialShape::Of({3}), nullptr).ok());
  EXPECT_FALSE(infer(scalar, scalar, unknown, nullptr).ok());
}

// ---- RaggedGather

TEST_F(RaggedLayoutOpsTest, Gather) {
  OpTester one = Gather(1, 1), two = Gather(2, 2), row = Gather(1, 0), inner = Gather(2, 1), matrix = Gather(1, 2), cube = Gather(1, 3);
  ExpectOutputs(one, {splits_, values_, Ints({3}, {2, 0, 2})}, {Longs({4}, {0, 3, 5, 8}), Floats({8}, {3, 4, 5, 1, 2, 3, 4, 5})});
  ExpectOutputs(one, {splits_, pairs_, Ints({2}, {2, 0})}, {Longs({3}, {0, 3, 5}), Floats({5, 2}, {5, 6, 7, 8, 9, 10, 1, 2, 3, 4})});
  ExpectOutputs(row, {splits_, values_, Tensor::Scalar(2)}, {Floats({3}, {3, 4, 5})});
  ExpectOutputs(inner, {outer_, splits_, values_, Tensor::Scalar(1)}, {Longs({2}, {0, 3}), Floats({3}, {3, 4, 5})});
  ExpectOutputs(matrix, {splits_, values_, Ints({2, 2}, {2, 0, 1, 1})},
                {Longs({3}, {0, 2, 4}), Longs({5}, {0, 3, 5, 5, 5}), Floats({5}, {3, 4, 5, 1, 2})});
  ExpectOutputs(two, {outer_, splits_, values_, Ints({2}, {1, 0})},
                {Longs({3}, {0, 1, 3}), Longs({4}, {0, 3, 5, 5}), Floats({5}, {3, 4, 5, 1, 2})});
  ExpectOutputs(cube, {splits_, values_, Ints({1, 2, 1}, {2, 0})},
                {Longs({2}, {0, 2}), Longs({3}, {0, 1, 2}), Longs({3}, {0, 3, 5}), Floats({5}, {3, 4, 5, 1, 2})});
  ExpectOutputs(cube, {splits_, values_, Ints({2, 0, 3}, {})}, {Longs({3}, {0, 0, 0}), Longs({1}, {0}), Longs({1}, {0}), Floats({0}, {})});
  ExpectOutputs(one, {splits_, values_, Ints({0}, {})}, {Longs({1}, {0}), Floats({0}, {})});
  ExpectOutputs(one, {splits_, Floats({5, 0}, {}), Ints({1}, {2})}, {Longs({2}, {0, 3}), Floats({3, 0}, {})});
  ExpectOutputs(one, {Longs({4}, {1, 2, 2, 4}), values_, Ints({1}, {0})}, {Longs({2}, {0, 1}), Floats({1}, {2})});
}

TEST_F(RaggedLayoutOpsTest, GatherOfEveryDType) {
  for (const DType dtype : DTypesIn(kNumberTypes)) {
    SCOPED_TRACE(std::string(DTypeName(dtype)));
    OpTester op = Gather(1, 1, dtype, DType::kInt64, DType::kInt32);
    ExpectOutputs(op, {Ints({3}, {0, 2, 3}), Numbers(dtype, {3}, {1, 2, 3}), Longs({2}, {1, 0})},
                  {Ints({3}, {0, 1, 3}), Numbers(dtype, {3}, {3, 1, 2})});
  }
  OpTester strings = Gather(1, 1, DType::kString);
  ExpectOutputs(strings, {Longs({3}, {0, 1, 2}), Strings({2}, {"a", "b"}), Ints({1}, {1})}, {Longs({2}, {0, 1}), Strings({1}, {"b"})});
}

TEST_F(RaggedLayoutOpsTest, GatherErrors) {
  OpTester one = Gather(1, 1), two = Gather(2, 2), matrix = Gather(1, 2), scalar = Gather(1, 0);
  ExpectInvalid(matrix, {splits_, values_, Ints({1, 2}, {2, 3})}, "indices[0,1]: expected a value in [0,3), got 3");
  ExpectInvalid(one, {splits_, values_, Ints({1}, {-1})}, "indices[0]: expected a value in [0,3), got -1");
  for (const Tensor& splits : {Longs({4}, {0, 2, 2, 9}), Longs({4}, {0, 3, 2, 5}), Longs({2}, {-1, 5}), Longs({0}, {})}) {
    ExpectInvalid(one, {splits, values_, Ints({1}, {0})}, "params_nested_splits: expected values in [0,5] that do not decrease");
  }
  ExpectInvalid(two, {Longs({2}, {0, 4}), splits_, values_, Ints({1}, {0})}, "params_nested_splits: expected values in [0,3]");
  ExpectInvalid(one, {Longs({1, 2}, {0, 5}), values_, Ints({1}, {0})}, "");
  ExpectInvalid(one, {splits_, Tensor::Scalar(1.0f), Ints({1}, {0})}, "");
  ExpectInvalid(scalar, {splits_, values_, Ints({1}, {0})}, "");
  ExpectInvalid(one, {splits_, values_, Tensor::Scalar(0)}, "");
  OpTester cube = Gather(1, 3);
  EXPECT_FALSE(cube.Run({splits_, values_, *Tensor::Make(DType::kInt32, {int64_t{1} << 45, 0, 1})}).ok());
}

TEST_F(RaggedLayoutOpsTest, GatherShapes) {
  const PartialShape unknown;
  const auto shapes = InferShapes(library_, "RaggedGather", GatherAttrs(1, 2), {unknown, PartialShape::Of({5, 2}), PartialShape::Of({-1, 3})});
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  EXPECT_EQ(*shapes, (std::vector<PartialShape>{PartialShape::Of({-1}), PartialShape::Of({-1}), PartialShape::Of({-1, 2})}));
  EXPECT_EQ((*InferShapes(library_, "RaggedGather", GatherAttrs(1, 1), {unknown, unknown, unknown}))[1], unknown);
  EXPECT_FALSE(InferShapes(library_, "RaggedGather", GatherAttrs(1, 1), {unknown, unknown, PartialShape::Of({})}).ok());
  EXPECT_FALSE(InferShapes(library_, "RaggedGather", GatherAttrs(3, 1), {unknown, unknown, unknown, unknown, unknown}).ok());
}

// ---- Gradients

using Function = std::function<Output(GraphBuilder&, const Output&)>;

void CheckGradient(const Shape& shape, const Function& f) {
  for (const PartialShape& known : {PartialShape(shape), PartialShape()}) {
    SCOPED_TRACE(known.ToString());
    BuiltGraph g;
    const Output x = g.b.Placeholder(DType::kFloat64, known, "x");
    const auto added = AddCheckedGradients(g.b, f(g.b, x), {x});
    ASSERT_TRUE(added.ok()) << added.status();
    const auto session = g.NewSession();
    ASSERT_TRUE(session.ok()) << session.status();
    Tensor value = *Tensor::Make(DType::kFloat64, shape);
    for (int64_t i = 0; i < value.num_elements(); ++i) value.mutable_data<double>()[i] = std::sin(3.0 * static_cast<double>(i) + 1);
    const auto checks = CheckGradients(**session, *added, {{x.name(), value}});
    ASSERT_TRUE(checks.ok()) << checks.status();
    EXPECT_EQ((*checks)[0].reason, "");
    EXPECT_EQ((*checks)[0].elements, shape.num_elements());
    EXPECT_TRUE((*checks)[0].Agrees(1e-6)) << "element " << (*checks)[0].worst;
  }
}

Output AsTensor(GraphBuilder& b, const Input& shape, const Output& values, const Output& value, const std::vector<Input>& partitions,
                const Names& types) {
  std::vector<Input> inputs{shape, values, value};
  inputs.insert(inputs.end(), partitions.begin(), partitions.end());
  return b.Op("RaggedTensorToTensor", inputs, {{"row_partition_types", types}}).output();
}

TEST_F(RaggedLayoutOpsTest, ToTensorGradients) {
  const Tensor values = *Tensor::FromValues<double>(Shape::Of({5, 2}), std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const Tensor cut = Ints({3}, {3, 2, -1});
  CheckGradient(Shape::Of({5, 2}), [&](GraphBuilder& b, const Output& x) {
    return AsTensor(b, any_, x, b.Constant(Input(Tensor::Scalar(0.5))), {splits_}, by_splits_);
  });
  CheckGradient(Shape::Of({5, 2}), [&](GraphBuilder& b, const Output& x) {
    return AsTensor(b, cut, x, b.Constant(Input(Tensor::Scalar(0.5))), {Tensor::Scalar(int64_t{3}), ids_}, by_ids_);
  });
  for (const Shape& shape : {Shape(), Shape::Of({1}), Shape::Of({2})}) {
    CheckGradient(shape, [&](GraphBuilder& b, const Output& x) {
      return AsTensor(b, any_, b.Constant(Input(values)), x, {outer_, splits_}, by_two_);
    });
  }
}

TEST_F(RaggedLayoutOpsTest, GatherGradients) {
  for (const Tensor& indices : {Ints({3}, {2, 0, 2}), Tensor::Scalar(2), Ints({2, 2}, {0, 1, 2, 2})}) {
    CheckGradient(Shape::Of({5, 2}), [&](GraphBuilder& b, const Output& x) {
      return b.Op("RaggedGather", {splits_, x, indices}, {{"OUTPUT_RAGGED_RANK", int64_t{indices.rank()}}}).output(indices.rank());
    });
  }
  CheckGradient(Shape::Of({5}), [&](GraphBuilder& b, const Output& x) {
    return b.Op("RaggedGather", {outer_, splits_, x, Ints({2}, {1, 1})}, {{"OUTPUT_RAGGED_RANK", int64_t{2}}}).output(2);
  });
}

}  // namespace
}  // namespace flowlatch
