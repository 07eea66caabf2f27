#include "ops/ragged_variant_ops.h"

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class RaggedVariantOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterRaggedVariantOps(library_).ok()); }
  OpTester To(int64_t ragged, bool batched, DType splits = DType::kInt64) {
    return OpTester(library_, "RaggedTensorToVariant",
                    {{"RAGGED_RANK", ragged}, {"Tvalues", DType::kInt32}, {"Tsplits", splits}, {"batched_input", batched}});
  }
  OpTester From(int64_t input_rank, int64_t output_rank, DType splits = DType::kInt64, DType values = DType::kInt32) {
    return OpTester(library_, "RaggedTensorFromVariant",
                    {{"input_ragged_rank", input_rank}, {"output_ragged_rank", output_rank}, {"Tvalues", values}, {"Tsplits", splits}});
  }
  // The variants of a ragged tensor.
  Tensor Encoded(OpTester to, const std::vector<Tensor>& inputs) {
    const absl::StatusOr<std::vector<Tensor>> got = to.Once().Run(inputs);
    EXPECT_TRUE(got.ok()) << got.status();
    return got.ok() ? (*got)[0] : Tensor();
  }

  OpLibrary library_;
  const Tensor values_ = Ints({3}, {1, 2, 3});
  const Tensor splits_ = Longs({4}, {0, 2, 2, 3});
};

TEST_F(RaggedVariantOpsTest, OneVariantHoldsAll) {
  const Tensor whole = Encoded(To(1, false), {splits_, values_});
  EXPECT_EQ(whole.rank(), 0);
  OpTester from = From(1, 1), inferred = From(-1, 1);
  ExpectOutputs(from, {whole}, {splits_, values_});
  ExpectOutputs(inferred, {whole}, {splits_, values_});

  const Tensor narrow = Encoded(To(1, false, DType::kInt32), {Ints({2}, {0, 3}), values_});
  OpTester from_narrow = From(1, 1, DType::kInt32);
  ExpectOutputs(from_narrow, {narrow}, {Ints({2}, {0, 3}), values_});
  ExpectInvalid(from, {narrow}, "row splits of ragged tensor 0: expected int64, got int32");

  const Tensor dense = Encoded(To(0, false), {values_});
  OpTester from_dense = From(0, 0);
  ExpectOutputs(from_dense, {dense}, {values_});
}

TEST_F(RaggedVariantOpsTest, OneVariantForEachRow) {
  const Tensor rows = Encoded(To(1, true), {splits_, values_});
  EXPECT_EQ(rows.shape(), Shape::Of({3}));
  OpTester one = From(0, 1), inferred = From(-1, 1);
  ExpectOutputs(one, {rows}, {splits_, values_});
  ExpectOutputs(inferred, {rows}, {splits_, values_});

  const std::vector<Tensor> deep = {Longs({3}, {0, 2, 3}), Longs({4}, {0, 1, 1, 3}), values_};
  OpTester two = From(1, 2);
  ExpectOutputs(two, {Encoded(To(2, true), deep)}, deep);

  const Tensor none = Encoded(To(1, true), {Longs({1}, {0}), Ints({0}, {})});
  EXPECT_EQ(none.shape(), Shape::Of({0}));
  ExpectOutputs(one, {none}, {Longs({1}, {0}), Ints({0}, {})});

  const Tensor wide = Ints({2, 2}, {1, 2, 3, 4});
  const Tensor dense_rows = Encoded(To(0, true), {wide});
  EXPECT_EQ(dense_rows.shape(), Shape::Of({2}));
  OpTester stacked = From(0, 0);
  ExpectOutputs(stacked, {dense_rows}, {wide});
}

TEST_F(RaggedVariantOpsTest, DimensionsOfVariantsAreRagged) {
  const Tensor rows = Encoded(To(1, true), {Longs({5}, {0, 2, 2, 3, 3}), values_});
  absl::StatusOr<Tensor> square = rows.Reshaped(Shape::Of({2, 2}));
  ASSERT_TRUE(square.ok()) << square.status();
  OpTester from = From(0, 2);
  ExpectOutputs(from, {*square}, {Longs({3}, {0, 2, 4}), Longs({5}, {0, 2, 2, 3, 3}), values_});
}

TEST_F(RaggedVariantOpsTest, ErrorsOfSplitsAndRanks) {
  OpTester to = To(1, true), flat = To(1, false);
  for (OpTester* op : {&to, &flat}) {
    for (const Tensor& bad : {Longs({2}, {0, 4}), Longs({2}, {1, 3}), Longs({3}, {0, 5, 3}), Longs({0}, {})}) {
      ExpectInvalid(*op, {bad, values_}, "rt_nested_splits: expected values from 0 to 3 that do not decrease");
    }
    ExpectInvalid(*op, {splits_, Tensor::Scalar(1)}, "");
  }
  const Tensor rows = Encoded(To(1, true), {splits_, values_}), whole = Encoded(To(1, false), {splits_, values_});
  OpTester floats = From(0, 1, DType::kInt64, DType::kFloat32), deep = From(1, 1), wrong = From(1, 2);
  ExpectInvalid(floats, {rows}, "values of ragged tensor 0: expected float32, got int32");
  ExpectInvalid(deep, {rows}, "output_ragged_rank: expected 1 + 1, got 1");
  ExpectInvalid(wrong, {rows}, "ragged rank of ragged tensor 0: expected 1, got 0");
  const absl::StatusOr<Tensor> empty = Tensor::Make(DType::kVariant, Shape::Of({1}));
  OpTester one = From(0, 1);
  ExpectInvalid(one, {*empty}, "encoded ragged tensor 0: expected a ragged tensor");
}

TEST_F(RaggedVariantOpsTest, GradientOfRows) {
  OpTester op(library_, "RaggedTensorToVariantGradient", {{"Tvalues", DType::kInt32}, {"Tsplits", DType::kInt64}});
  const Tensor rows = Encoded(To(1, true), {splits_, values_});
  ExpectOutput(op, {rows, splits_, Ints({1}, {3})}, values_);
  ExpectInvalid(op, {rows, splits_, Ints({1}, {4})}, "gradients of values: expected shape [4], got [3]");
  const absl::StatusOr<Tensor> none = Tensor::Make(DType::kVariant, Shape::Of({3}));
  ExpectOutput(op, {*none, splits_, Ints({1}, {3})}, Ints({3}, {0, 0, 0}));
  ExpectInvalid(op, {*none, Longs({2}, {0, 3}), Ints({1}, {3})}, "row_splits: expected 4 values, got shape [2]");
}

TEST_F(RaggedVariantOpsTest, Shapes) {
  const AttrMap batched = {{"RAGGED_RANK", int64_t{1}}, {"Tvalues", DType::kInt32}, {"batched_input", true}};
  EXPECT_EQ((*InferShapes(library_, "RaggedTensorToVariant", batched, {PartialShape::Of({4}), PartialShape::Of({-1})}))[0],
            PartialShape::Of({3}));
  EXPECT_EQ((*InferShapes(library_, "RaggedTensorToVariant", batched, {PartialShape(), PartialShape()}))[0], PartialShape::Of({-1}));
}

}  // namespace
}  // namespace flowlatch
