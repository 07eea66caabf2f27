#include "ops/set_ops.h"

#include "tests/ops/numbers.h"
#include "tests/ops/sparse_tensors.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kIntElements{DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8, DType::kUInt16};

class SetOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterSetOps(library_).ok()); }
  OpTester Op(const char* op, const char* operation = "union", DType dtype = DType::kInt32, bool validate = true) {
    return OpTester(library_, op, {{"set_operation", operation}, {"T", dtype}, {"validate_indices", validate}});
  }
  OpTester Size(DType dtype = DType::kInt32, bool validate = true) {
    return OpTester(library_, "SetSize", {{"T", dtype}, {"validate_indices", validate}});
  }
  std::string Infer(const char* op, const std::vector<PartialShape>& inputs, AttrMap attrs, const std::vector<const Tensor*>& constants = {}) {
    const auto shapes = InferShapes(library_, op, attrs, inputs, constants);
    if (!shapes.ok()) return std::string(absl::StatusCodeToString(shapes.status().code()));
    std::string text;
    for (const PartialShape& shape : *shapes) text += shape.ToString();
    return text;
  }

  OpLibrary library_;
};

TEST_F(SetOpsTest, DenseAndDense) {
  const struct {
    const char* operation;
    Tensor indices;
    std::vector<double> values;
    Tensor shape;
  } cases[] = {
      {"intersection", Rows({{0, 0}, {1, 0}}), {1, 6}, Dense({2, 1})},
      {"Union", Rows({{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}), {1, 3, 9, 5, 6, 7}, Dense({2, 3})},
      {"a-b", Rows({{0, 0}, {1, 0}, {1, 1}}), {3, 5, 7}, Dense({2, 2})},
      {"b-a", Rows({{0, 0}}), {9}, Dense({2, 1})},
  };
  for (const auto& [operation, indices, values, shape] : cases) {
    for (const DType dtype : DTypesIn(kIntElements)) {
      SCOPED_TRACE(std::string(operation) + " " + std::string(DTypeName(dtype)));
      OpTester op = Op("DenseToDenseSetOperation", operation, dtype);
      ExpectOutputs(op, {Numbers(dtype, {2, 3}, {3, 1, 1, 5, 6, 7}), Numbers(dtype, {2, 2}, {1, 9, 6, 6})},
                    {indices, Numbers(dtype, {static_cast<int64_t>(values.size())}, values), shape});
    }
  }
  OpTester strings = Op("DenseToDenseSetOperation", "union", DType::kString), ints = Op("DenseToDenseSetOperation");
  ExpectOutputs(strings, {Strings({1, 2}, {"b", "a"}), Strings({1, 1}, {"b"})}, {Rows({{0, 0}, {0, 1}}), Strings({2}, {"a", "b"}), Dense({1, 2})});
  ExpectOutputs(ints, {Ints({1, 2, 1}, {1, 2}), Ints({1, 2, 1}, {2, 2})},
                {Rows({{0, 0, 0}, {0, 0, 1}, {0, 1, 0}}), Ints({3}, {1, 2, 2}), Dense({1, 2, 2})});
  ExpectOutputs(ints, {Ints({2, 0}, {}), Ints({2, 0}, {})}, {Rows({}), Ints({0}, {}), Dense({2, 0})});
  ExpectInvalid(ints, {Ints({2, 1}, {1, 2}), Ints({1, 1}, {2})}, "expected the same, got [2] and [1]");
  OpTester bogus = Op("DenseToDenseSetOperation", "bogus");
  ExpectInvalid(bogus, {Ints({1, 1}, {1}), Ints({1, 1}, {2})}, "set_operation: expected a-b, b-a, intersection or union, got 'bogus'");
  ExpectInvalid(ints, {Ints({2}, {1, 2}), Ints({2}, {2, 3})}, "sets: expected at least 2 dimensions, got 1");
}

TEST_F(SetOpsTest, SparseSets) {
  const Tensor dense = Ints({2, 2}, {3, 1, 5, 6}), places = Rows({{0, 0}, {1, 0}, {1, 1}}), values = Ints({3}, {1, 6, 9});
  OpTester mixed = Op("DenseToSparseSetOperation"), sparse = Op("SparseToSparseSetOperation"), minus = Op("SparseToSparseSetOperation", "a-b");
  ExpectOutputs(mixed, {dense, places, values, Dense({2, 2})},
                {Rows({{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}}), Ints({5}, {1, 3, 5, 6, 9}), Dense({2, 3})});
  const Tensor other = Rows({{0, 0}, {2, 0}}), others = Ints({2}, {1, 2});
  ExpectOutputs(sparse, {other, others, Dense({3, 1}), places, values, Dense({3, 2})},
                {Rows({{0, 0}, {1, 0}, {1, 1}, {2, 0}}), Ints({4}, {1, 6, 9, 2}), Dense({3, 2})});
  ExpectOutputs(minus, {other, others, Dense({3, 1}), places, values, Dense({3, 2})}, {Rows({{2, 0}}), Ints({1}, {2}), Dense({3, 1})});
  const Tensor unsorted = Rows({{1, 0}, {0, 0}, {1, 1}});
  ExpectInvalid(mixed, {dense, unsorted, values, Dense({2, 2})}, "set_indices[1]: expected one after that before it");
  ExpectInvalid(mixed, {dense, Rows({{0, 0}, {0, 0}, {1, 1}}), values, Dense({2, 2})}, "set_indices[1]: expected one after that before it");
  OpTester any_order = Op("DenseToSparseSetOperation", "union", DType::kInt32, false);
  ExpectOutputs(any_order, {dense, unsorted, Ints({3}, {6, 1, 9}), Dense({2, 2})},
                {Rows({{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}}), Ints({5}, {1, 3, 5, 6, 9}), Dense({2, 3})});
  ExpectInvalid(any_order, {dense, Rows({{7, 0}}), Ints({1}, {1}), Dense({2, 2})}, "set_indices[0]: expected a place in shape [2,2]");
  ExpectInvalid(mixed, {dense, places, values, Dense({3, 2})}, "expected the same, got [2] and [3]");
  ExpectInvalid(mixed, {dense, Rows({{0}}), Ints({1}, {1}), Dense({2})}, "sets: expected ");
}

TEST_F(SetOpsTest, Size) {
  OpTester op = Size(), any_order = Size(DType::kInt32, false), strings = Size(DType::kString);
  ExpectOutput(op, {Rows({{0, 0}, {0, 1}, {0, 2}, {2, 0}}), Ints({4}, {1, 1, 2, 5}), Dense({3, 3})}, Ints({3}, {2, 0, 1}));
  ExpectOutput(op, {Rows({{0, 1, 0}, {0, 1, 1}}), Ints({2}, {1, 2}), Dense({1, 2, 3})}, Ints({1, 2}, {0, 2}));
  ExpectOutput(strings, {Rows({{0, 0}, {0, 1}}), Strings({2}, {"a", "a"}), Dense({1, 2})}, Ints({1}, {1}));
  ExpectOutput(any_order, {Rows({{1, 0}, {0, 0}, {1, 1}}), Ints({3}, {1, 1, 2}), Dense({2, 2})}, Ints({2}, {1, 2}));
  ExpectInvalid(op, {Rows({{1, 0}, {0, 0}}), Ints({2}, {1, 1}), Dense({2, 2})}, "set_indices[1]: expected one after that before it");
  ExpectInvalid(op, {Rows({{0}}), Ints({1}, {1}), Dense({3})}, "sets: expected at least 2 dimensions");
  ExpectInvalid(op, {Rows({{0, 0}}), Ints({1}, {1}), Longs({1, 2}, {3, 3})}, "");
}

TEST_F(SetOpsTest, Shapes) {
  const AttrMap attrs{{"set_operation", "union"}, {"T", DType::kInt32}};
  const PartialShape unknown;
  EXPECT_EQ(Infer("DenseToDenseSetOperation", {PartialShape::Of({2, 3}), unknown}, attrs), "[?,2][?][2]");
  EXPECT_EQ(Infer("DenseToDenseSetOperation", {unknown, unknown}, attrs), "[?,?][?][?]");
  EXPECT_EQ(Infer("DenseToDenseSetOperation", {PartialShape::Of({2}), unknown}, attrs), "INVALID_ARGUMENT");
  EXPECT_EQ(Infer("DenseToSparseSetOperation", {PartialShape::Of({2, 3}), unknown, unknown, PartialShape::Of({3})}, attrs), "INVALID_ARGUMENT");
  EXPECT_EQ(Infer("SparseToSparseSetOperation", {unknown, unknown, unknown, PartialShape::Of({-1, 3}), unknown, unknown}, attrs), "[?,3][?][3]");
  const Tensor dense = Dense({3, 4, 2});
  EXPECT_EQ(Infer("SetSize", {unknown, unknown, unknown}, {{"T", DType::kInt32}}, {nullptr, nullptr, &dense}), "[3,4]");
  EXPECT_EQ(Infer("SetSize", {unknown, unknown, unknown}, {{"T", DType::kInt32}}), "?");
}

}  // namespace
}  // namespace flowlatch
