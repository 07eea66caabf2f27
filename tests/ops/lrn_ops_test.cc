#include "ops/lrn_ops.h"

#include <limits>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class LrnOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterLrnOps(library_).ok()); }
  OpTester Op(const std::string& name, int64_t radius) {
    return OpTester(
        library_, name,
        {{"T", DType::kFloat32}, {"depth_radius", radius}, {"bias", 1.5f}, {"alpha", 0.5f}, {"beta", 0.75f}});
  }

  OpLibrary library_;
  // The answers are TensorFlow's.
  const Tensor x_ = Floats({1, 1, 2, 3}, {1, -2, 3, 0.5, 2, 4});
  const Tensor y_ = Floats({1, 1, 2, 3}, {0.35355338, -0.40175918, 0.63067234, 0.190322, 0.31767663, 0.64052576});
};

TEST_F(LrnOpsTest, Normalises) {
  OpTester op = Op("LRN", 1), grad = Op("LRNGrad", 1);
  ExpectOutputs(op, {x_}, {y_}, 1e-6);
  ExpectOutputs(grad, {Floats({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}), x_, y_},
                {Floats({1, 1, 2, 3}, {0.35816082, 0.7472975, 0.31123859, 1.3925838, -0.22705781, -0.45167866})}, 1e-5);
  ExpectOutputs(op, {Floats({1, 2, 0, 3}, {})}, {Floats({1, 2, 0, 3}, {})});
}

TEST_F(LrnOpsTest, AnyRadius) {
  OpTester all = Op("LRN", 2), more = Op("LRN", std::numeric_limits<int64_t>::max());
  ExpectOutputs(more, {x_}, {all.Run({x_}).value()[0]});
  OpTester negative = Op("LRN", -1);
  ExpectInvalid(negative, {x_}, "depth_radius: expected a value >= 0, got -1");
}

TEST_F(LrnOpsTest, Errors) {
  OpTester op = Op("LRN", 1), grad = Op("LRNGrad", 1);
  ExpectInvalid(op, {Floats({1, 2, 3}, {1, 2, 3, 4, 5, 6})}, "input: expected 4 dimensions, got shape [1,2,3]");
  ExpectInvalid(grad, {Floats({1, 1, 1, 1}, {1}), x_, y_},
                "expected the shape of input_image, [1,1,2,3], got [1,1,1,1]");
}

TEST_F(LrnOpsTest, Shapes) {
  const AttrMap attrs{{"T", DType::kFloat32}};
  EXPECT_EQ((*InferShapes(library_, "LRN", attrs, {PartialShape()}))[0], PartialShape::UnknownOfRank(4));
  EXPECT_FALSE(InferShapes(library_, "LRN", attrs, {PartialShape::Of({1, 2})}).ok());
  EXPECT_EQ((*InferShapes(library_, "LRNGrad", attrs,
                          {PartialShape::Of({1, -1, 2, 3}), PartialShape::Of({-1, 4, 2, 3}), PartialShape()}))[0],
            PartialShape::Of({1, 4, 2, 3}));
}

}  // namespace
}  // namespace flowlatch
