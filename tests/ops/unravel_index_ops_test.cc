#include "ops/unravel_index_ops.h"

#include "tests/ops/numbers.h"

namespace flowlatch {
namespace {

class UnravelIndexOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterUnravelIndexOps(library_).ok()); }
  OpTester Op(DType dtype) { return OpTester(library_, "UnravelIndex", {{"Tidx", dtype}}); }
  OpLibrary library_;
};

TEST_F(UnravelIndexOpsTest, Coordinates) {
  for (const DType dtype : {DType::kInt32, DType::kInt64}) {
    OpTester op = Op(dtype);
    const Tensor dims = Numbers(dtype, {3}, {3, 4, 5});
    ExpectOutput(op, {Numbers(dtype, {3}, {22, 0, 59}), dims}, Numbers(dtype, {3, 3}, {1, 0, 2, 0, 0, 3, 2, 0, 4}));
    ExpectOutput(op, {Numbers(dtype, {}, {22}), dims}, Numbers(dtype, {3}, {1, 0, 2}));
    ExpectOutput(op, {Numbers(dtype, {1}, {-1}), dims}, Numbers(dtype, {3, 1}, {0, 0, -1}));
    ExpectOutput(op, {Numbers(dtype, {1}, {0}), Numbers(dtype, {0}, {})}, Numbers(dtype, {0, 1}, {}));
    ExpectOutput(op, {Numbers(dtype, {}, {0}), Numbers(dtype, {0}, {})}, Numbers(dtype, {0}, {}));
  }
}

TEST_F(UnravelIndexOpsTest, Errors) {
  OpTester op = Op(DType::kInt32), wide = Op(DType::kInt64);
  const Tensor dims = Ints({3}, {3, 4, 5});
  ExpectInvalid(op, {Ints({1, 1}, {2}), dims}, "indices: expected a scalar or vector, got shape [1,1]");
  ExpectInvalid(op, {Ints({0}, {}), dims}, "indices: expected elements, got shape [0]");
  ExpectInvalid(op, {Ints({2}, {0, 60}), dims}, "indices[1]: expected a value in [0,60), got 60");
  ExpectInvalid(op, {Ints({1}, {0}), Ints({}, {5})}, "dims");
  ExpectInvalid(op, {Ints({1}, {0}), Ints({2}, {3, 0})}, "dims[1]: expected a value > 0, got 0");
  ExpectInvalid(op, {Ints({1}, {0}), Ints({2}, {-3, -4})}, "dims[0]: expected a value > 0, got -3");
  ExpectInvalid(op, {Ints({1}, {5}), Ints({2}, {65536, 65536})},
                "dims: expected a product in int32, got [65536,65536]");
  const int64_t big = int64_t{1} << 40;
  ExpectInvalid(wide, {Longs({1}, {5}), Longs({2}, {big, big})}, "dims: expected a product in int64");
}

TEST_F(UnravelIndexOpsTest, Shapes) {
  const auto shape = [&](const PartialShape& indices, const PartialShape& dims) {
    return (*InferShapes(library_, "UnravelIndex", {}, {indices, dims}))[0];
  };
  EXPECT_EQ(shape(PartialShape::Of({7}), PartialShape::Of({3})), PartialShape::Of({3, 7}));
  EXPECT_EQ(shape(PartialShape::Of({}), PartialShape()), PartialShape::Of({-1}));
  EXPECT_EQ(shape(PartialShape(), PartialShape::Of({3})), PartialShape());
  EXPECT_FALSE(InferShapes(library_, "UnravelIndex", {}, {PartialShape::Of({7, 1}), PartialShape()}).ok());
}

}  // namespace
}  // namespace flowlatch
