#include "ops/sparse_segment_ops.h"

#include <cmath>

#include "tests/ops/numbers.h"

namespace flowlatch {
namespace {

class SparseSegmentOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterSparseSegmentOps(library_).ok()); }
  OpTester Op(const std::string& op, DType t = DType::kFloat32) { return OpTester(library_, op, {{"T", t}}); }
  std::string Infer(const char* op, const std::vector<PartialShape>& inputs) {
    const auto shapes = InferShapes(library_, op, {{"T", DType::kFloat32}}, inputs);
    return shapes.ok() ? (*shapes)[0].ToString() : std::string(absl::StatusCodeToString(shapes.status().code()));
  }

  OpLibrary library_;
  const Tensor data_ = Floats({3, 2}, {1, 2, 3, 4, 5, 6});
};

TEST_F(SparseSegmentOpsTest, Forward) {
  const Tensor indices = Ints({3}, {0, 2, 1}), ids = Ints({3}, {0, 0, 2});
  const float root = std::sqrt(2.0f);
  const std::vector<std::pair<std::string, Tensor>> cases = {
      {"SparseSegmentSum", Floats({3, 2}, {6, 8, 0, 0, 3, 4})},
      {"SparseSegmentMean", Floats({3, 2}, {3, 4, 0, 0, 3, 4})},
      {"SparseSegmentSqrtN", Floats({3, 2}, {6 / root, 8 / root, 0, 0, 3, 4})},
  };
  for (const auto& [name, want] : cases) {
    SCOPED_TRACE(name);
    OpTester op = Op(name), sized = Op(name + "WithNumSegments");
    ExpectOutput(op, {data_, indices, ids}, want);
    ExpectOutput(sized, {data_, indices, ids, Tensor::Scalar(3)}, want);
    ExpectOutput(op, {data_, Ints({0}, {}), Ints({0}, {})}, Floats({0, 2}, {}));
    ExpectOutput(sized, {data_, Ints({0}, {}), Ints({0}, {}), Tensor::Scalar(1)}, Floats({1, 2}, {0, 0}));
  }
  for (const DType dtype : DTypesIn(kRealTypes)) {
    OpTester op = Op("SparseSegmentSum", dtype);
    ExpectOutput(op, {Numbers(dtype, {2}, {3, 4}), Ints({3}, {1, 1, 0}), Ints({3}, {0, 1, 1})},
                 Numbers(dtype, {2}, {4, 7}));
  }
}

TEST_F(SparseSegmentOpsTest, ManyColumns) {
  std::vector<double> row(1000);
  for (size_t i = 0; i < row.size(); ++i) row[i] = static_cast<double>(i % 50);
  std::vector<double> twice(row);
  for (double& x : twice) x *= 2;
  OpTester op = Op("SparseSegmentSum");
  ExpectOutput(op, {Numbers(DType::kFloat32, {1, 1000}, row), Ints({2}, {0, 0}), Ints({2}, {0, 0})},
               Numbers(DType::kFloat32, {1, 1000}, twice));
}

TEST_F(SparseSegmentOpsTest, Gradients) {
  const Tensor grad = Floats({3, 2}, {1, 2, 0, 0, 3, 4});
  OpTester mean = Op("SparseSegmentMeanGrad");
  ExpectOutput(mean, {grad, Ints({3}, {0, 2, 1}), Ints({3}, {0, 0, 2}), Tensor::Scalar(4)},
               Floats({4, 2}, {0.5, 1, 3, 4, 0.5, 1, 0, 0}));
  OpTester rows = Op("SparseSegmentMeanGradV2");
  ExpectOutputs(rows, {grad, Ints({3}, {3, 1, 3}), Ints({3}, {0, 0, 2}), Tensor::Scalar(4)},
                {Floats({2, 2}, {0.5, 1, 3.5, 5}), Ints({2}, {1, 3})});
  OpTester sum = Op("SparseSegmentSumGrad");
  ExpectOutput(sum, {grad, Ints({2}, {1, 1}), Ints({2}, {0, 2}), Tensor::Scalar(2)}, Floats({2, 2}, {0, 0, 4, 6}));
}

TEST_F(SparseSegmentOpsTest, Errors) {
  OpTester op = Op("SparseSegmentSum"), sized = Op("SparseSegmentSumWithNumSegments"),
           grad = Op("SparseSegmentSumGrad");
  ExpectInvalid(op, {data_, Ints({1}, {3}), Ints({1}, {0})}, "indices[0]");
  ExpectInvalid(op, {data_, Ints({1}, {-1}), Ints({1}, {0})}, "indices[0]");
  ExpectInvalid(op, {data_, Ints({2}, {1, 1}), Ints({2}, {1, 0})}, "segment_ids[1]");
  ExpectInvalid(op, {data_, Ints({1}, {1}), Ints({1}, {-1})}, "segment_ids[0]");
  ExpectInvalid(op, {data_, Ints({2}, {1, 1}), Ints({1}, {0})}, "vectors of one length");
  ExpectInvalid(op, {Floats({}, {1}), Ints({1}, {0}), Ints({1}, {0})}, "at least 1 dimension");
  ExpectInvalid(sized, {data_, Ints({1}, {0}), Ints({1}, {2}), Tensor::Scalar(2)}, "segment_ids[0]");
  ExpectInvalid(sized, {data_, Ints({1}, {0}), Ints({1}, {0}), Tensor::Scalar(-1)}, "num_segments");
  ExpectInvalid(grad, {data_, Ints({1}, {4}), Ints({1}, {0}), Tensor::Scalar(4)}, "indices[0]");
  ExpectInvalid(grad, {data_, Ints({1}, {0}), Ints({1}, {3}), Tensor::Scalar(4)}, "segment_ids[0]");
}

TEST_F(SparseSegmentOpsTest, Shapes) {
  const PartialShape unknown, list = PartialShape::Of({-1}), rows = PartialShape::Of({-1, 4});
  EXPECT_EQ(Infer("SparseSegmentSum", {rows, list, list}), "[?,4]");
  EXPECT_EQ(Infer("SparseSegmentSum", {unknown, list, list}), "?");
  EXPECT_EQ(Infer("SparseSegmentSum", {rows, PartialShape::Of({2}), PartialShape::Of({3})}), "INVALID_ARGUMENT");
  EXPECT_EQ(Infer("SparseSegmentSumGrad", {rows, list, list, Shape()}), "[?,4]");
  EXPECT_EQ(Infer("SparseSegmentSumGradV2", {rows, list, list, list}), "INVALID_ARGUMENT");
}

}  // namespace
}  // namespace flowlatch
