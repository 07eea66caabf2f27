#include "ops/approx_top_k_ops.h"

#include "tests/ops/matrix_checks.h"
#include "tests/ops/numbers.h"

namespace flowlatch {
namespace {

class ApproxTopKOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterApproxTopKOps(library_).ok()); }
  OpTester Op(int64_t k, int64_t axis = -1, bool largest = true, DType dtype = DType::kFloat32) {
    return OpTester(library_, "ApproxTopK",
                    {{"T", dtype}, {"k", k}, {"reduction_dimension", axis}, {"is_max_k", largest}});
  }
  OpLibrary library_;
};

TEST_F(ApproxTopKOpsTest, LargestAndSmallest) {
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat32}) {
    OpTester largest = Op(3, -1, true, dtype), smallest = Op(2, 1, false, dtype), columns = Op(1, 0, true, dtype),
             none = Op(0, -1, true, dtype);
    const Tensor x = Numbers(dtype, {2, 6}, {3, 1, 3, 2, 9, 3, 0, -1, 5, 5, 2, 7});
    ExpectOutputs(largest, {x}, {Numbers(dtype, {2, 3}, {9, 3, 3, 7, 5, 5}), Ints({2, 3}, {4, 0, 2, 5, 2, 3})});
    ExpectOutputs(smallest, {x}, {Numbers(dtype, {2, 2}, {1, 2, -1, 0}), Ints({2, 2}, {1, 3, 1, 0})});
    ExpectOutputs(columns, {x}, {Numbers(dtype, {1, 6}, {3, 1, 5, 5, 9, 7}), Ints({1, 6}, {0, 0, 1, 1, 0, 1})});
    ExpectOutputs(none, {x}, {Numbers(dtype, {2, 0}, {}), Ints({2, 0}, {})});
    ExpectOutputs(largest, {Numbers(dtype, {0, 4}, {})}, {Numbers(dtype, {0, 3}, {}), Ints({0, 3}, {})});
  }
  OpTester nan = Op(4), smallest = Op(4, -1, false);
  ExpectOutputs(nan, {Floats({4}, {NAN, 1, 3, 2})}, {Floats({4}, {3, 2, 1, NAN}), Ints({4}, {2, 3, 1, 0})});
  ExpectOutputs(smallest, {Floats({4}, {NAN, 1, 3, 2})}, {Floats({4}, {1, 2, 3, NAN}), Ints({4}, {1, 3, 2, 0})});
}

TEST_F(ApproxTopKOpsTest, Errors) {
  const Tensor x = Floats({2, 3}, {1, 2, 3, 4, 5, 6});
  OpTester many = Op(4), far = Op(1, 2), low = Op(1, -3);
  ExpectInvalid(many, {x}, "input: expected at least k = 4 elements in dimension 1, got shape [2,3]");
  ExpectInvalid(far, {x}, "reduction_dimension");
  ExpectInvalid(low, {x}, "reduction_dimension");
  ExpectInvalid(many, {Tensor::Scalar(1.0f)}, "");
  OpTester parts(library_, "ApproxTopK", {{"T", DType::kFloat32}, {"k", int64_t{1}}, {"aggregate_to_topk", false}});
  EXPECT_EQ(parts.Run({x}).status().code(), absl::StatusCode::kUnimplemented);
}

TEST_F(ApproxTopKOpsTest, Shapes) {
  const AttrMap attrs{{"T", DType::kFloat32}, {"k", int64_t{2}}, {"reduction_dimension", int64_t{-2}}};
  const auto out = InferShapes(library_, "ApproxTopK", attrs, {PartialShape::Of({-1, 3, 4})});
  EXPECT_EQ((*out)[0], PartialShape::Of({-1, 2, 4}));
  EXPECT_EQ((*out)[1], PartialShape::Of({-1, 2, 4}));
  EXPECT_EQ((*InferShapes(library_, "ApproxTopK", attrs, {PartialShape()}))[0], PartialShape());
  EXPECT_FALSE(InferShapes(library_, "ApproxTopK", attrs, {PartialShape::Of({3})}).ok());
}

TEST(ApproxTopKGradients, AgreeWithDifferences) {
  for (const int64_t axis : {0, 1, -1, -2}) {
    SCOPED_TRACE(axis);
    const auto top = [axis](GraphBuilder& g, const Outputs& x) {
      return g.Op("ApproxTopK", {x[0]}, {{"k", int64_t{2}}, {"reduction_dimension", axis}}).output();
    };
    ExpectGradients({MadeUp<float>({3, 4, 2})}, top, true, 1e-2);
  }
}

}  // namespace
}  // namespace flowlatch
