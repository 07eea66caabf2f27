#include "ops/unique_ops.h"

#include <limits>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class UniqueOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterUniqueOps(library_).ok()); }
  OpTester Op(const std::string& name, DType dtype = DType::kInt32, DType index = DType::kInt32) {
    return OpTester(library_, name, {{"T", dtype}, {"out_idx", index}, {"Taxis", DType::kInt32}});
  }
  OpLibrary library_;
};

TEST_F(UniqueOpsTest, FirstOccurrencesInOrder) {
  OpTester ints = Op("UniqueWithCounts"), longs = Op("UniqueWithCounts", DType::kInt8, DType::kInt64),
           strings = Op("Unique", DType::kString), bools = Op("Unique", DType::kBool),
           halves = Op("Unique", DType::kFloat16);
  ExpectOutputs(ints, {Ints({6}, {3, 1, 3, 2, 1, 3})},
                {Ints({3}, {3, 1, 2}), Ints({6}, {0, 1, 0, 2, 1, 0}), Ints({3}, {3, 2, 1})});
  ExpectOutputs(longs, {Of<int8_t>({2}, {-1, -1})}, {Of<int8_t>({1}, {-1}), Longs({2}, {0, 0}), Longs({1}, {2})});
  ExpectOutputs(strings, {Strings({4}, {"b", "", "b", "a string that is not small"})},
                {Strings({3}, {"b", "", "a string that is not small"}), Ints({4}, {0, 1, 0, 2})});
  ExpectOutputs(bools, {Bools({3}, {true, false, true})}, {Bools({2}, {true, false}), Ints({3}, {0, 1, 0})});
  ExpectOutputs(halves, {Of<Half, float>({3}, {1.5, 0.0, -0.0})}, {Of<Half, float>({2}, {1.5, 0.0}), Ints({3}, {0, 1, 1})});
  ExpectOutputs(ints, {Ints({0}, {})}, {Ints({0}, {}), Ints({0}, {}), Ints({0}, {})});
}

TEST_F(UniqueOpsTest, NanEqualsNothingAndZerosAreEqual) {
  OpTester unique = Op("Unique", DType::kFloat32), diff = Op("ListDiff", DType::kFloat32);
  ExpectOutputs(unique, {Floats({4}, {kNan, kNan, 0, -0.0f})}, {Floats({3}, {kNan, kNan, 0}), Ints({4}, {0, 1, 2, 2})});
  ExpectOutputs(diff, {Floats({3}, {kNan, 1, -0.0f}), Floats({2}, {kNan, 0})},
                {Floats({2}, {kNan, 1}), Ints({2}, {0, 1})});
}

TEST_F(UniqueOpsTest, Slices) {
  OpTester v2 = Op("UniqueWithCountsV2");
  const Tensor x = Ints({2, 3}, {1, 2, 1, 3, 4, 3});
  ExpectOutputs(v2, {x, Ints({1}, {1})}, {Ints({2, 2}, {1, 2, 3, 4}), Ints({3}, {0, 1, 0}), Ints({2}, {2, 1})});
  ExpectOutputs(v2, {x, Ints({1}, {-2})}, {x, Ints({2}, {0, 1}), Ints({2}, {1, 1})});
  ExpectOutputs(v2, {Ints({3}, {5, 6, 5}), Ints({0}, {})},
                {Ints({2}, {5, 6}), Ints({3}, {0, 1, 0}), Ints({2}, {2, 1})});
  ExpectOutputs(v2, {Ints({3, 0}, {}), Ints({1}, {0})}, {Ints({1, 0}, {}), Ints({3}, {0, 0, 0}), Ints({1}, {3})});
  ExpectOutputs(v2, {Ints({0, 3}, {}), Ints({1}, {0})}, {Ints({0, 3}, {}), Ints({0}, {}), Ints({0}, {})});
  ExpectInvalid(v2, {x, Ints({1}, {2})}, "axis: expected a value in [-2,2), got 2");
  ExpectInvalid(v2, {x, Ints({2}, {0, 1})}, "axis: expected at most one value, got 2");
  ExpectInvalid(v2, {x, Tensor::Scalar(0)}, "axis: expected a vector");
  ExpectInvalid(v2, {x, Ints({0}, {})}, "x: expected a vector, got shape [2,3]");
  ExpectInvalid(v2, {Tensor::Scalar(1), Ints({1}, {0})}, "axis: expected a value in [0,0), got 0");
}

TEST_F(UniqueOpsTest, ListDiff) {
  OpTester ints = Op("ListDiff"), strings = Op("ListDiff", DType::kString, DType::kInt64);
  ExpectOutputs(ints, {Ints({6}, {1, 2, 3, 4, 5, 1}), Ints({3}, {1, 3, 5})}, {Ints({2}, {2, 4}), Ints({2}, {1, 3})});
  ExpectOutputs(ints, {Ints({3}, {2, 2, 1}), Ints({0}, {})}, {Ints({3}, {2, 2, 1}), Ints({3}, {0, 1, 2})});
  ExpectOutputs(ints, {Ints({0}, {}), Ints({1}, {1})}, {Ints({0}, {}), Ints({0}, {})});
  ExpectOutputs(strings, {Strings({2}, {"a", "b"}), Strings({1}, {"a"})}, {Strings({1}, {"b"}), Longs({1}, {1})});
  ExpectInvalid(ints, {Ints({1, 1}, {1}), Ints({1}, {1})}, "x: expected a vector, got shape [1,1]");
  ExpectInvalid(ints, {Ints({1}, {1}), Tensor::Scalar(1)}, "y: expected a vector, got shape []");
  OpTester complex = Op("ListDiff", DType::kComplex64);
  const Tensor z = Of<std::complex<float>>({1}, {1});
  EXPECT_EQ(complex.Run({z, z}).status().code(), absl::StatusCode::kUnimplemented);
}

TEST_F(UniqueOpsTest, Shapes) {
  const AttrMap attrs = {{"T", DType::kInt32}, {"out_idx", DType::kInt32}, {"Taxis", DType::kInt32}};
  const PartialShape unknown, any_vector = PartialShape::UnknownOfRank(1);
  const Tensor axis = Ints({1}, {-1});
  EXPECT_EQ(InferShapes(library_, "UniqueWithCounts", attrs, {PartialShape::Of({5})}).value(),
            (std::vector<PartialShape>{any_vector, PartialShape::Of({5}), any_vector}));
  EXPECT_EQ(InferShapes(library_, "UniqueV2", attrs, {PartialShape::Of({4, 5}), any_vector}, {nullptr, &axis}).value(),
            (std::vector<PartialShape>{PartialShape::Of({4, -1}), PartialShape::Of({5})}));
  EXPECT_EQ(InferShapes(library_, "UniqueV2", attrs, {PartialShape::Of({4, 5}), any_vector}).value()[0],
            PartialShape::UnknownOfRank(2));
  EXPECT_EQ(InferShapes(library_, "UniqueV2", attrs, {unknown, unknown}).value()[0], unknown);
  ExpectInvalid(InferShapes(library_, "Unique", attrs, {PartialShape::Of({1, 1})}).status(), "expected rank 1");
  EXPECT_EQ(InferShapes(library_, "ListDiff", attrs, {unknown, unknown}).value()[1], any_vector);
  ExpectInvalid(InferShapes(library_, "ListDiff", attrs, {unknown, PartialShape::Of({})}).status(), "expected rank 1");
}

}  // namespace
}  // namespace flowlatch
