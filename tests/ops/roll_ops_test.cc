#include "ops/roll_ops.h"

#include <limits>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class RollOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterRollOps(library_).ok()); }
  OpTester Op(DType dtype = DType::kInt32, DType shift = DType::kInt32) {
    return OpTester(library_, "Roll", {{"T", dtype}, {"Tshift", shift}, {"Taxis", DType::kInt32}});
  }
  OpLibrary library_;
};

TEST_F(RollOpsTest, Rolls) {
  OpTester op = Op(), longs = Op(DType::kInt32, DType::kInt64), strings = Op(DType::kString);
  const Tensor x = Ints({2, 3}, {1, 2, 3, 4, 5, 6});
  ExpectOutput(op, {x, Tensor::Scalar(1), Tensor::Scalar(1)}, Ints({2, 3}, {3, 1, 2, 6, 4, 5}));
  ExpectOutput(op, {x, Tensor::Scalar(-1), Tensor::Scalar(-1)}, Ints({2, 3}, {2, 3, 1, 5, 6, 4}));
  ExpectOutput(op, {x, Tensor::Scalar(1), Tensor::Scalar(0)}, Ints({2, 3}, {4, 5, 6, 1, 2, 3}));
  ExpectOutput(op, {x, Ints({2}, {1, -1}), Ints({2}, {0, 1})}, Ints({2, 3}, {5, 6, 4, 2, 3, 1}));
  ExpectOutput(op, {x, Ints({2}, {1, 1}), Ints({2}, {1, 1})}, Ints({2, 3}, {2, 3, 1, 5, 6, 4}));
  ExpectOutput(op, {x, Ints({2}, {4, -4}), Ints({2}, {1, 1})}, x);
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();  // -2 modulo 3
  ExpectOutput(longs, {x, Longs({1}, {kLeast}), Ints({1}, {1})}, Ints({2, 3}, {3, 1, 2, 6, 4, 5}));
  ExpectOutput(strings, {Strings({2}, {"a", "a string that is not small"}), Tensor::Scalar(1), Tensor::Scalar(0)},
               Strings({2}, {"a string that is not small", "a"}));
  ExpectOutput(op, {Ints({0, 3}, {}), Tensor::Scalar(1), Tensor::Scalar(0)}, Ints({0, 3}, {}));
  ExpectOutput(op, {x, Ints({0}, {}), Ints({0}, {})}, x);
}

TEST_F(RollOpsTest, ManyRows) {
  absl::StatusOr<Tensor> x = Tensor::Make(DType::kInt32, {300, 4, 50});
  ASSERT_TRUE(x.ok());
  for (int64_t i = 0; i < x->num_elements(); ++i) x->mutable_data<int32_t>()[i] = static_cast<int32_t>(i);
  OpTester op = Op();
  const Tensor y = op.Run({*x, Ints({3}, {7, 1, -3}), Ints({3}, {0, 1, 2})}).value()[0];
  for (int64_t a = 0; a < 300; ++a) {
    for (int64_t b = 0; b < 4; ++b) {
      for (int64_t c = 0; c < 50; ++c) {
        const int64_t to = ((a + 7) % 300 * 4 + (b + 1) % 4) * 50 + (c + 47) % 50;
        ASSERT_EQ(y.data<int32_t>()[to], x->data<int32_t>()[(a * 4 + b) * 50 + c]);
      }
    }
  }
}

TEST_F(RollOpsTest, Errors) {
  OpTester op = Op();
  const Tensor x = Ints({2}, {1, 2});
  ExpectInvalid(op, {Tensor::Scalar(1), Tensor::Scalar(1), Tensor::Scalar(0)}, "input: expected rank >= 1");
  ExpectInvalid(op, {x, Ints({2}, {1, 2}), Ints({1}, {0})}, "axis: expected the shape of shift, [2], got [1]");
  ExpectInvalid(op, {x, Tensor::Scalar(1), Ints({1}, {0})}, "axis: expected the shape of shift, [], got [1]");
  ExpectInvalid(op, {x, Ints({1}, {1}), Ints({1}, {1})}, "axis: expected a value in [-1,1), got 1");
  ExpectInvalid(op, {x, Ints({1, 1}, {1}), Ints({1, 1}, {0})}, "shift: expected a vector");
  const AttrMap attrs = {{"T", DType::kInt32}, {"Tshift", DType::kInt32}, {"Taxis", DType::kInt32}};
  const PartialShape scalar = PartialShape::Of({});
  EXPECT_EQ(InferShapes(library_, "Roll", attrs, {PartialShape::Of({-1, 3}), scalar, scalar}).value()[0],
            PartialShape::Of({-1, 3}));
  EXPECT_FALSE(InferShapes(library_, "Roll", attrs, {scalar, scalar, scalar}).ok());
  EXPECT_FALSE(InferShapes(library_, "Roll", attrs, {PartialShape::Of({3}), PartialShape::Of({2}), scalar}).ok());
  EXPECT_FALSE(
      InferShapes(library_, "Roll", attrs, {PartialShape::Of({3}), PartialShape::Of({1, 1}), PartialShape()}).ok());
}

}  // namespace
}  // namespace flowlatch
