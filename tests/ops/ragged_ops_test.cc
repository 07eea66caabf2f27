#include "ops/ragged_ops.h"

#include <limits>

#include "tests/ops/numbers.h"
#include "tests/ops/sparse_tensors.h"

namespace flowlatch {
namespace {

class RaggedOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterRaggedOps(library_).ok()); }
  OpTester Range(DType dtype, DType splits = DType::kInt64) { return OpTester(library_, "RaggedRange", {{"T", dtype}, {"Tsplits", splits}}); }
  OpTester ToSparse(int64_t ragged, DType dtype = DType::kInt32) {
    return OpTester(library_, "RaggedTensorToSparse", {{"RAGGED_RANK", ragged}, {"T", dtype}});
  }

  OpLibrary library_;
};

TEST_F(RaggedOpsTest, Range) {
  for (const DType dtype : {DType::kBFloat16, DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64}) {
    SCOPED_TRACE(std::string(DTypeName(dtype)));
    OpTester op = Range(dtype), narrow = Range(dtype, DType::kInt32);
    const auto one = [&](double x) { return Numbers(dtype, {}, {x}); };
    ExpectOutputs(op, {Numbers(dtype, {3}, {0, 5, 8}), Numbers(dtype, {3}, {3, 5, 12}), one(1)},
                  {Longs({4}, {0, 3, 3, 7}), Numbers(dtype, {7}, {0, 1, 2, 8, 9, 10, 11})});
    ExpectOutputs(narrow, {Numbers(dtype, {2}, {0, 5}), one(10), Numbers(dtype, {2}, {2, 3})},
                  {Ints({3}, {0, 5, 7}), Numbers(dtype, {7}, {0, 2, 4, 6, 8, 5, 8})});
    ExpectOutputs(op, {one(5), one(0), one(-2)}, {Longs({2}, {0, 3}), Numbers(dtype, {3}, {5, 3, 1})});
    ExpectOutputs(op, {one(5), one(0), one(2)}, {Longs({2}, {0, 0}), Numbers(dtype, {0}, {})});
    ExpectOutputs(op, {Numbers(dtype, {0}, {}), one(0), one(2)}, {Longs({1}, {0}), Numbers(dtype, {0}, {})});
    ExpectInvalid(op, {one(5), one(0), one(0)}, "deltas[0]: expected another number, got 0");
  }
  OpTester floats = Range(DType::kFloat32), longs = Range(DType::kInt64, DType::kInt32);
  ExpectOutputs(floats, {Tensor::Scalar(0.0f), Tensor::Scalar(1.0f), Tensor::Scalar(0.3f)},
                {Longs({2}, {0, 4}), Floats({4}, {0, 0.3f, 0.6f, 0.90000004f})});
  const float inf = std::numeric_limits<float>::infinity();
  ExpectInvalid(floats, {Tensor::Scalar(0.0f), Tensor::Scalar(inf), Tensor::Scalar(0.3f)}, "row 0: expected as many numbers");
  ExpectInvalid(longs, {Tensor::Scalar<int64_t>(0), Tensor::Scalar(int64_t{1} << 60), Tensor::Scalar<int64_t>(1)}, "row 0: expected as many numbers");
  OpTester ints = Range(DType::kInt32);
  ExpectInvalid(ints, {Ints({2}, {0, 1}), Ints({3}, {1, 2, 3}), Tensor::Scalar(1)}, "expected scalars or vectors of one length");
  ExpectInvalid(ints, {Ints({1, 1}, {0}), Tensor::Scalar(3), Tensor::Scalar(1)}, "");
  const auto shapes = InferShapes(library_, "RaggedRange", {}, {PartialShape::Of({4}), PartialShape(), PartialShape::Of({})});
  EXPECT_EQ((*shapes)[0], PartialShape::Of({5}));
  EXPECT_EQ((*InferShapes(library_, "RaggedRange", {}, {PartialShape(), PartialShape(), PartialShape::Of({})}))[0], PartialShape::Of({-1}));
}

TEST_F(RaggedOpsTest, ToSparse) {
  OpTester one = ToSparse(1), two = ToSparse(2), strings = ToSparse(1, DType::kString);
  const Tensor values = Ints({3}, {1, 2, 3});
  ExpectOutputs(one, {Longs({4}, {0, 2, 2, 3}), values}, {Rows({{0, 0}, {0, 1}, {2, 0}}), values, Dense({3, 2})});
  ExpectOutputs(two, {Longs({3}, {0, 2, 3}), Longs({4}, {0, 1, 1, 3}), values},
                {Rows({{0, 0, 0}, {1, 0, 0}, {1, 0, 1}}), values, Dense({2, 2, 2})});
  ExpectOutputs(one, {Longs({3}, {0, 2, 3}), Ints({3, 2}, {1, 2, 3, 4, 5, 6})},
                {Rows({{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0}, {1, 0, 1}}), Ints({6}, {1, 2, 3, 4, 5, 6}), Dense({2, 2, 2})});
  ExpectOutputs(one, {Longs({1}, {0}), Ints({0}, {})}, {Rows({}), Ints({0}, {}), Dense({0, 0})});
  ExpectOutputs(strings, {Longs({2}, {0, 1}), Strings({1}, {"a"})}, {Rows({{0, 0}}), Strings({1}, {"a"}), Dense({1, 1})});
  for (const Tensor& bad : {Longs({3}, {0, 2, 4}), Longs({3}, {1, 2, 3}), Longs({4}, {0, 2, 1, 3}), Longs({0}, {})}) {
    ExpectInvalid(one, {bad, values}, "rt_nested_splits: expected values from 0 to 3 that do not decrease");
  }
  ExpectInvalid(two, {Longs({3}, {0, 2, 5}), Longs({4}, {0, 1, 1, 3}), values}, "rt_nested_splits: expected values from 0 to 3");
  ExpectInvalid(one, {Longs({2}, {0, 1}), Tensor::Scalar(1)}, "");
  const auto shapes = InferShapes(library_, "RaggedTensorToSparse", {{"RAGGED_RANK", 2}, {"T", DType::kInt32}},
                                  {PartialShape(), PartialShape(), PartialShape::Of({4, 2})});
  EXPECT_EQ((*shapes)[0], PartialShape::Of({8, 4}));
}

}  // namespace
}  // namespace flowlatch
