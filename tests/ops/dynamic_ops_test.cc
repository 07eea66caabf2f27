#include "ops/dynamic_ops.h"

#include <limits>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class DynamicOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterDynamicOps(library_).ok()); }
  OpTester Partition(int64_t n, DType dtype = DType::kFloat32) {
    return OpTester(library_, "DynamicPartition", {{"T", dtype}, {"num_partitions", n}});
  }
  OpTester Stitch(int64_t n, DType dtype = DType::kFloat32, const char* op = "DynamicStitch") {
    return OpTester(library_, op, {{"T", dtype}, {"N", n}});
  }
  OpLibrary library_;
};

TEST_F(DynamicOpsTest, Partition) {
  OpTester two = Partition(2), three = Partition(3, DType::kString);
  ExpectOutputs(two, {Floats({4}, {1, 2, 3, 4}), Ints({4}, {1, 0, 1, 1})}, {Floats({1}, {2}), Floats({3}, {1, 3, 4})});
  ExpectOutputs(two, {Floats({2, 2}, {1, 2, 3, 4}), Ints({2}, {1, 0})},
                {Floats({1, 2}, {3, 4}), Floats({1, 2}, {1, 2})});
  ExpectOutputs(two, {Floats({1, 2}, {1, 2}), Ints({1, 2}, {1, 0})}, {Floats({1}, {2}), Floats({1}, {1})});
  ExpectOutputs(two, {Floats({2}, {1, 2}), Tensor::Scalar(1)}, {Floats({0, 2}, {}), Floats({1, 2}, {1, 2})});
  ExpectOutputs(two, {Floats({0}, {}), Ints({0}, {})}, {Floats({0}, {}), Floats({0}, {})});
  ExpectOutputs(two, {Floats({2, 0}, {}), Ints({2}, {0, 0})}, {Floats({2, 0}, {}), Floats({0, 0}, {})});
  ExpectOutputs(three, {Strings({2}, {"a", "a string that is not small"}), Ints({2}, {2, 0})},
                {Strings({1}, {"a string that is not small"}), Strings({0}, {}), Strings({1}, {"a"})});
  ExpectInvalid(two, {Floats({2}, {1, 2}), Ints({2}, {0, 2})}, "partitions[1]: expected a value in [0,2), got 2");
  ExpectInvalid(two, {Floats({2}, {1, 2}), Ints({2}, {-1, 0})}, "partitions[0]");
  ExpectInvalid(two, {Floats({2}, {1, 2}), Ints({1}, {0})}, "data: expected a shape that begins with [1], got [2]");
  ExpectInvalid(two, {Tensor::Scalar(1.0f), Ints({1}, {0})}, "data: expected a shape that begins with [1], got []");
}

TEST_F(DynamicOpsTest, Stitch) {
  for (const char* op : {"DynamicStitch", "ParallelDynamicStitch"}) {
    OpTester one = Stitch(1, DType::kFloat32, op), two = Stitch(2, DType::kFloat32, op);
    ExpectOutput(two, {Ints({2}, {3, 1}), Ints({}, {0}), Floats({2, 2}, {1, 2, 3, 4}), Floats({2}, {5, 6})},
                 Floats({4, 2}, {5, 6, 3, 4, 0, 0, 1, 2}));
    ExpectOutput(two, {Ints({2}, {0, 0}), Ints({}, {0}), Floats({2}, {1, 2}), Floats({}, {3})}, Floats({1}, {3}));
    ExpectOutput(one, {Ints({0}, {}), Floats({0, 2}, {})}, Floats({0, 2}, {}));
    ExpectOutput(one, {Ints({1}, {1}), Floats({1, 0}, {})}, Floats({2, 0}, {}));
  }
  OpTester strings = Stitch(1, DType::kString), one = Stitch(1), two = Stitch(2);
  ExpectOutput(strings, {Ints({1}, {1}), Strings({1}, {"a"})}, Strings({2}, {"", "a"}));
  ExpectInvalid(one, {Ints({1}, {-1}), Floats({1}, {1})}, "indices[0][0]: expected a value in");
  ExpectInvalid(one, {Ints({2}, {0, 1}), Floats({1}, {1})}, "data[0]: expected a shape that begins with [2], got [1]");
  ExpectInvalid(two, {Ints({1}, {0}), Ints({1}, {1}), Floats({1, 2}, {1, 2}), Floats({1, 1}, {1})},
                "data[1]: expected slices of shape [2], got [1]");
}

TEST_F(DynamicOpsTest, Shapes) {
  const AttrMap partition = {{"T", DType::kFloat32}, {"num_partitions", 2}},
                stitch = {{"T", DType::kFloat32}, {"N", 2}};
  const PartialShape unknown;
  EXPECT_EQ(InferShapes(library_, "DynamicPartition", partition, {PartialShape::Of({4, 3}), PartialShape::Of({-1})})
                .value()[1],
            PartialShape::Of({-1, 3}));
  EXPECT_EQ(InferShapes(library_, "DynamicPartition", partition, {unknown, PartialShape::Of({4})}).value()[0], unknown);
  EXPECT_FALSE(
      InferShapes(library_, "DynamicPartition", partition, {PartialShape::Of({4}), PartialShape::Of({3})}).ok());
  const Tensor first = Ints({2}, {0, 4}), second = Ints({1}, {7});
  const std::vector<PartialShape> inputs = {PartialShape::Of({2}), PartialShape::Of({1}), PartialShape::Of({2, 3}),
                                            PartialShape::Of({1, -1})};
  EXPECT_EQ(InferShapes(library_, "DynamicStitch", stitch, inputs, {&first, &second}).value()[0],
            PartialShape::Of({8, 3}));
  EXPECT_EQ(InferShapes(library_, "DynamicStitch", stitch, inputs, {&first}).value()[0], PartialShape::Of({-1, 3}));
  EXPECT_EQ(InferShapes(library_, "DynamicStitch", stitch, {unknown, unknown, unknown, unknown}).value()[0], unknown);
}

}  // namespace
}  // namespace flowlatch
