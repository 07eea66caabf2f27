#include "ops/bucket_ops.h"

#include <limits>

#include "tests/ops/numbers.h"

namespace flowlatch {
namespace {

class BucketOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterBucketOps(library_).ok()); }
  OpTester Bucketize(DType dtype, const std::vector<float>& boundaries) {
    return OpTester(library_, "Bucketize", {{"T", dtype}, {"boundaries", boundaries}});
  }
  OpLibrary library_;
};

TEST_F(BucketOpsTest, Bucketize) {
  for (const DType dtype : {DType::kInt32, DType::kInt64, DType::kFloat32, DType::kFloat64}) {
    OpTester op = Bucketize(dtype, {0, 1, 2.5});
    ExpectOutput(op, {Numbers(dtype, {2, 3}, {-1, 0, 1, 2, 3, 100})}, Ints({2, 3}, {0, 1, 2, 2, 3, 3}));
    ExpectOutput(op, {Numbers(dtype, {}, {1})}, Tensor::Scalar(2));
    ExpectOutput(op, {Numbers(dtype, {0}, {})}, Ints({0}, {}));
  }
  OpTester nan = Bucketize(DType::kFloat32, {0, 1}), none = Bucketize(DType::kFloat32, {}), equal = Bucketize(DType::kFloat32, {1, 1}), falling = Bucketize(DType::kFloat32, {3, 1});
  ExpectOutput(nan, {Floats({2}, {NAN, INFINITY})}, Ints({2}, {2, 2}));
  ExpectOutput(none, {Floats({1}, {1})}, Ints({1}, {0}));
  ExpectOutput(equal, {Floats({1}, {1})}, Ints({1}, {2}));
  ExpectInvalid(falling, {Floats({1}, {1})}, "boundaries: expected ascending values");
}

TEST_F(BucketOpsTest, Histogram) {
  const Tensor five = Tensor::Scalar(5);
  for (const DType out : {DType::kInt32, DType::kInt64}) {
    for (const DType dtype : {DType::kInt32, DType::kInt64, DType::kFloat32, DType::kFloat64}) {
      OpTester op(library_, "HistogramFixedWidth", {{"T", dtype}, {"dtype", out}});
      const Tensor range = Numbers(dtype, {2}, {0, 5});
      ExpectOutput(op, {Numbers(dtype, {2, 3}, {-1, 0, 1, 2, 5, 15}), range, five}, Numbers(out, {5}, {2, 1, 1, 0, 2}));
      ExpectOutput(op, {Numbers(dtype, {6}, {0, 1, 2, 3, 4, 9}), range, Tensor::Scalar(3)}, Numbers(out, {3}, {2, 2, 2}));
      ExpectOutput(op, {Numbers(dtype, {0}, {}), range, five}, Numbers(out, {5}, {0, 0, 0, 0, 0}));
    }
  }
  OpTester op(library_, "HistogramFixedWidth", {{"T", DType::kFloat32}});
  const Tensor range = Floats({2}, {0, 5}), one = Floats({1}, {1});
  ExpectOutput(op, {Floats({2}, {INFINITY, -INFINITY}), range, five}, Ints({5}, {1, 0, 0, 0, 1}));
  ExpectOutput(op, {Floats({2}, {1, INFINITY}), Floats({2}, {0, INFINITY}), five}, Ints({5}, {2, 0, 0, 0, 0}));
  ExpectInvalid(op, {Floats({1}, {NAN}), range, five}, "values: expected numbers, got NaN");
  ExpectInvalid(op, {one, Floats({2}, {5, 5}), five}, "value_range: expected the first value to be the smaller one, got 5 and 5");
  ExpectInvalid(op, {one, Floats({2}, {NAN, 5}), five}, "value_range");
  ExpectInvalid(op, {one, Floats({3}, {0, 5, 6}), five}, "value_range: expected 2 values, got shape [3]");
  ExpectInvalid(op, {one, range, Tensor::Scalar(0)}, "nbins: expected a value > 0, got 0");
  ExpectInvalid(op, {one, range, Ints({1}, {3})}, "nbins");
}

TEST_F(BucketOpsTest, Bounds) {
  for (const DType out : {DType::kInt32, DType::kInt64}) {
    for (const DType dtype : DTypesIn(kRealTypes)) {
      OpTester lower(library_, "LowerBound", {{"T", dtype}, {"out_type", out}}), upper(library_, "UpperBound", {{"T", dtype}, {"out_type", out}});
      const Tensor sorted = Numbers(dtype, {2, 4}, {1, 2, 2, 3, 0, 5, 6, 7}), values = Numbers(dtype, {2, 3}, {2, 0, 5, 5, 8, 0});
      ExpectOutput(lower, {sorted, values}, Numbers(out, {2, 3}, {1, 0, 4, 1, 4, 0}));
      ExpectOutput(upper, {sorted, values}, Numbers(out, {2, 3}, {3, 0, 4, 2, 4, 1}));
      ExpectOutput(upper, {Numbers(dtype, {1, 0}, {}), Numbers(dtype, {1, 1}, {1})}, Numbers(out, {1, 1}, {0}));
      ExpectOutput(lower, {Numbers(dtype, {0, 3}, {}), Numbers(dtype, {0, 2}, {})}, Numbers(out, {0, 2}, {}));
    }
  }
  OpTester lower(library_, "LowerBound", {{"T", DType::kFloat32}}), upper(library_, "UpperBound", {{"T", DType::kFloat32}});
  ExpectOutput(lower, {Floats({1, 2}, {1, 2}), Floats({1, 1}, {NAN})}, Ints({1, 1}, {0}));
  ExpectOutput(upper, {Floats({1, 2}, {1, 2}), Floats({1, 1}, {NAN})}, Ints({1, 1}, {2}));
  ExpectInvalid(upper, {Floats({1, 2}, {1, 2}), Floats({2, 1}, {1, 2})}, "expected matrices of as many rows, got shapes [1,2] and [2,1]");
  ExpectInvalid(upper, {Floats({2}, {1, 2}), Floats({1}, {1})}, "");
}

TEST_F(BucketOpsTest, Shapes) {
  const AttrMap attrs{{"T", DType::kFloat32}};
  const Tensor bins = Tensor::Scalar(7), none = Tensor::Scalar(0);
  const std::vector<PartialShape> inputs{PartialShape(), PartialShape::Of({2}), PartialShape::Of({})};
  EXPECT_EQ((*InferShapes(library_, "HistogramFixedWidth", attrs, inputs, {nullptr, nullptr, &bins}))[0], PartialShape::Of({7}));
  EXPECT_EQ((*InferShapes(library_, "HistogramFixedWidth", attrs, inputs))[0], PartialShape::Of({-1}));
  EXPECT_FALSE(InferShapes(library_, "HistogramFixedWidth", attrs, inputs, {nullptr, nullptr, &none}).ok());
  EXPECT_EQ((*InferShapes(library_, "UpperBound", attrs, {PartialShape::Of({4, 3}), PartialShape::Of({-1, 2})}))[0], PartialShape::Of({4, 2}));
  EXPECT_FALSE(InferShapes(library_, "UpperBound", attrs, {PartialShape::Of({4, 3}), PartialShape::Of({3, 2})}).ok());
}

}  // namespace
}  // namespace flowlatch
