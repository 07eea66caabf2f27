#include "ops/bincount_ops.h"

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class BincountOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterBincountOps(library_).ok()); }
  OpTester Plain(DType dtype = DType::kFloat32) { return OpTester(library_, "Bincount", {{"T", dtype}}); }
  OpTester Dense(DType dtype = DType::kFloat32, bool binary = false, DType index = DType::kInt32) {
    return OpTester(library_, "DenseBincount", {{"T", dtype}, {"Tidx", index}, {"binary_output", binary}});
  }
  OpLibrary library_;
  const Tensor four_ = Tensor::Scalar(4), none_ = Floats({0}, {});
  const Tensor matrix_ = Ints({2, 2}, {1, 1, 2, 7});
};

TEST_F(BincountOpsTest, Bincount) {
  OpTester floats = Plain(), ints = Plain(DType::kInt32);
  ExpectOutput(floats, {matrix_, four_, none_}, Floats({4}, {0, 2, 1, 0}));
  ExpectOutput(floats, {matrix_, four_, Floats({4}, {1, 2, 3, 4})}, Floats({4}, {0, 3, 3, 0}));
  ExpectOutput(ints, {Ints({}, {1}), four_, Ints({0}, {})}, Ints({4}, {0, 1, 0, 0}));
  ExpectOutput(ints, {Ints({0}, {}), Tensor::Scalar(0), Ints({0}, {})}, Ints({0}, {}));
  ExpectInvalid(floats, {Ints({2}, {1, -1}), four_, none_}, "arr[1]: expected no negative number, got -1");
  ExpectInvalid(floats, {Ints({2}, {1, 1}), four_, Floats({1}, {1})},
                "weights: expected shape [2] or no elements, got [1]");
  ExpectInvalid(floats, {Ints({1}, {1}), Tensor::Scalar(-4), none_}, "size: expected no negative number, got -4");
  ExpectInvalid(floats, {Ints({1}, {1}), Ints({1}, {4}), none_}, "size");
}

TEST_F(BincountOpsTest, DenseBincount) {
  OpTester floats = Dense(), binary = Dense(DType::kFloat32, true), longs = Dense(DType::kInt64, false, DType::kInt64);
  ExpectOutput(floats, {matrix_, four_, none_}, Floats({2, 4}, {0, 2, 0, 0, 0, 0, 1, 0}));
  ExpectOutput(floats, {matrix_, four_, Floats({2, 2}, {1, 2, 3, 4})}, Floats({2, 4}, {0, 3, 0, 0, 0, 0, 3, 0}));
  ExpectOutput(binary, {matrix_, four_, Floats({2, 2}, {1, 2, 3, 4})}, Floats({2, 4}, {0, 1, 0, 0, 0, 0, 1, 0}));
  ExpectOutput(floats, {Ints({3}, {0, 3, 0}), four_, none_}, Floats({4}, {2, 0, 0, 1}));
  ExpectOutput(longs, {Longs({}, {1}), Tensor::Scalar(int64_t{2}), Longs({0}, {})}, Longs({2}, {0, 1}));
  ExpectOutput(floats, {Ints({0}, {}), four_, none_}, Floats({4}, {0, 0, 0, 0}));
  ExpectOutput(floats, {Ints({0, 3}, {}), four_, none_}, Floats({0, 4}, {}));
  ExpectInvalid(floats, {Ints({1, 2}, {1, -1}), four_, none_}, "input[0,1]: expected no negative number, got -1");
  ExpectInvalid(floats, {matrix_, four_, Floats({4}, {1, 2, 3, 4})},
                "weights: expected shape [2,2] or no elements, got [4]");
  ExpectInvalid(floats, {Ints({1, 1, 1}, {1}), four_, none_}, "input: expected rank <= 2, got shape [1,1,1]");
}

TEST_F(BincountOpsTest, Shapes) {
  const AttrMap attrs = {{"T", DType::kFloat32}, {"Tidx", DType::kInt32}};
  const PartialShape unknown, scalar = PartialShape::Of({});
  const Tensor negative = Tensor::Scalar(-1);
  EXPECT_EQ(InferShapes(library_, "Bincount", attrs, {unknown, scalar, unknown}, {nullptr, &four_}).value()[0],
            PartialShape::Of({4}));
  EXPECT_EQ(InferShapes(library_, "Bincount", attrs, {unknown, scalar, unknown}).value()[0], PartialShape::Of({-1}));
  EXPECT_EQ(
      InferShapes(library_, "DenseBincount", attrs, {PartialShape::Of({-1, 3}), scalar, unknown}, {nullptr, &four_})
          .value()[0],
      PartialShape::Of({-1, 4}));
  EXPECT_EQ(InferShapes(library_, "DenseBincount", attrs, {unknown, scalar, unknown}).value()[0], unknown);
  ExpectInvalid(InferShapes(library_, "Bincount", attrs, {unknown, scalar, unknown}, {nullptr, &negative}).status(),
                "got -1");
  EXPECT_FALSE(InferShapes(library_, "DenseBincount", attrs, {PartialShape::UnknownOfRank(3), scalar, unknown}).ok());
}

}  // namespace
}  // namespace flowlatch
