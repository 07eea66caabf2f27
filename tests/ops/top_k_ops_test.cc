#include "ops/top_k_ops.h"

#include <limits>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class TopKOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterTopKOps(library_).ok()); }
  OpTester TopK(DType t, DType k = DType::kInt32, DType index = DType::kInt32, bool sorted = true) {
    return OpTester(library_, "TopKV2", {{"T", t}, {"Tk", k}, {"index_type", index}, {"sorted", sorted}});
  }

  OpLibrary library_;
};

TEST_F(TopKOpsTest, LargestFirstAndEarlierOfEquals) {
  const Tensor input = Floats({2, 4}, {1, 5, 5, 2, 9, 8, 7, 6});
  OpTester top = TopK(DType::kFloat32);
  ExpectOutputs(top, {input, Tensor::Scalar(2)}, {Floats({2, 2}, {5, 5, 9, 8}), Ints({2, 2}, {1, 2, 0, 1})});
  ExpectOutputs(top, {input, Tensor::Scalar(1)}, {Floats({2, 1}, {5, 9}), Ints({2, 1}, {1, 0})});
  ExpectOutputs(top, {input, Tensor::Scalar(4)}, {Floats({2, 4}, {5, 5, 2, 1, 9, 8, 7, 6}), Ints({2, 4}, {1, 2, 3, 0, 0, 1, 2, 3})});
  ExpectOutputs(top, {input, Tensor::Scalar(0)}, {Floats({2, 0}, {}), Ints({2, 0}, {})});
  ExpectOutputs(top, {Floats({0, 3}, {}), Tensor::Scalar(2)}, {Floats({0, 2}, {}), Ints({0, 2}, {})});
}

// Recorded from TensorFlow 2.21.
TEST_F(TopKOpsTest, UnsortedIsTheOrderOfAHeap) {
  OpTester top = TopK(DType::kFloat32, DType::kInt32, DType::kInt32, false);
  ExpectOutputs(top, {Floats({6}, {1, 5, 3, 2, 9, 4}), Tensor::Scalar(3)}, {Floats({3}, {4, 9, 5}), Ints({3}, {5, 4, 1})});
  ExpectOutputs(top, {Floats({4}, {1, 5, 3, 2}), Tensor::Scalar(3)}, {Floats({3}, {2, 5, 3}), Ints({3}, {3, 1, 2})});
  ExpectOutputs(top, {Floats({4}, {1, 5, 3, 2}), Tensor::Scalar(4)}, {Floats({4}, {5, 3, 2, 1}), Ints({4}, {1, 2, 3, 0})});
  ExpectOutputs(top, {Floats({10}, {2, 3, 9, 5, 1, 4, 8, 6, 0, 7}), Tensor::Scalar(4)},
                {Floats({4}, {6, 7, 9, 8}), Ints({4}, {7, 9, 2, 6})});
  ExpectOutputs(top, {Floats({20}, {11, 15, 6, 17, 19, 9, 2, 8, 3, 13, 4, 12, 0, 10, 5, 14, 16, 7, 18, 1}), Tensor::Scalar(6)},
                {Floats({6}, {14, 15, 16, 17, 19, 18}), Ints({6}, {15, 1, 16, 3, 4, 18})});
}

TEST_F(TopKOpsTest, OtherTypes) {
  OpTester wide = TopK(DType::kInt8, DType::kInt64, DType::kInt64);
  ExpectOutputs(wide, {Of<int8_t>({3}, {-1, -3, 4}), Tensor::Scalar(int64_t{2})}, {Of<int8_t>({2}, {4, -1}), Longs({2}, {2, 0})});
  OpTester narrow = TopK(DType::kFloat16, DType::kInt16, DType::kInt16);
  ExpectOutputs(narrow, {Of<Half, float>({2}, {1, 2}), Tensor::Scalar(int16_t{1})}, {Of<Half, float>({1}, {2}), Of<int16_t>({1}, {1})});
  OpTester first(library_, "TopK", {{"T", DType::kUInt64}, {"k", 1}});
  ExpectOutputs(first, {Of<uint64_t>({2}, {1, ~uint64_t{0}})}, {Of<uint64_t>({1}, {~uint64_t{0}}), Ints({1}, {1})});
}

TEST_F(TopKOpsTest, Nan) {
  OpTester top = TopK(DType::kFloat32);
  ExpectOutputs(top, {Floats({4}, {kNan, 1, 3, 2}), Tensor::Scalar(1)}, {Floats({1}, {3}), Ints({1}, {2})});
  ExpectOutputs(top, {Floats({4}, {1, kNan, 3, 2}), Tensor::Scalar(2)}, {Floats({2}, {kNan, 3}), Ints({2}, {1, 2})});
  ExpectOutputs(top, {Floats({2}, {kNan, kNan}), Tensor::Scalar(2)}, {Floats({2}, {kNan, kNan}), Ints({2}, {0, 1})});
}

TEST_F(TopKOpsTest, AgreesWithSortingOnLongRows) {
  std::vector<int32_t> values(5000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i * 7919 % 5003);
  const Tensor input = *Tensor::FromValues<int32_t>(Shape::Of({5, 1000}), values);
  OpTester top = TopK(DType::kInt32);
  const auto got = top.Run({input, Tensor::Scalar(100)});
  ASSERT_TRUE(got.ok()) << got.status();
  for (int r = 0; r < 5; ++r) {
    std::vector<int32_t> row(values.begin() + r * 1000, values.begin() + (r + 1) * 1000);
    std::sort(row.rbegin(), row.rend());
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ((*got)[0].data<int32_t>()[r * 100 + i], row[i]);
      EXPECT_EQ(values[r * 1000 + (*got)[1].data<int32_t>()[r * 100 + i]], row[i]);
    }
  }
}

TEST_F(TopKOpsTest, NthElement) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  OpTester nth(library_, "NthElement", {{"T", DType::kFloat32}});
  ExpectOutput(nth, {Floats({2, 3}, {3, 1, 2, 6, 5, 4}), Tensor::Scalar(1)}, Floats({2}, {2, 5}));
  ExpectOutput(nth, {Floats({3}, {3, 1, 2}), Tensor::Scalar(2)}, Floats({}, {3}));
  ExpectOutput(nth, {Floats({4}, {nan, 7, nan, 2}), Tensor::Scalar(1)}, Floats({}, {7}));
  ExpectOutput(nth, {Floats({0, 3}, {}), Tensor::Scalar(1)}, Floats({0}, {}));
  ExpectInvalid(nth, {Floats({2}, {1, 2}), Tensor::Scalar(2)}, "n: expected a value in [0,2), got 2");
  ExpectInvalid(nth, {Floats({2}, {1, 2}), Tensor::Scalar(-1)}, "n: expected");
  ExpectInvalid(nth, {Floats({}, {1}), Tensor::Scalar(0)}, "at least one dimension");
  OpTester reverse(library_, "NthElement", {{"T", DType::kInt32}, {"reverse", true}});
  ExpectOutput(reverse, {Ints({4}, {3, 1, 4, 2}), Tensor::Scalar(0)}, Ints({}, {4}));
  const auto shapes = InferShapes(library_, "NthElement", {{"T", DType::kFloat32}},
                                  {PartialShape::Of({2, -1, 5}), PartialShape::Of({})});
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  EXPECT_EQ((*shapes)[0], PartialShape::Of({2, -1}));
}

TEST_F(TopKOpsTest, Rejects) {
  OpTester top = TopK(DType::kFloat32);
  ExpectInvalid(top, {Floats({2}, {1, 2}), Tensor::Scalar(3)}, "expected at least k = 3 elements, got 2");
  ExpectInvalid(top, {Floats({2}, {1, 2}), Tensor::Scalar(-1)}, "k: expected a value >= 0, got -1");
  ExpectInvalid(top, {Floats({2}, {1, 2}), Ints({1}, {1})}, "k: expected a scalar");
  ExpectInvalid(top, {Tensor::Scalar(1.0f), Tensor::Scalar(0)}, "input: expected at least one dimension");
  OpTester narrow = TopK(DType::kUInt8, DType::kInt32, DType::kInt16);
  ExpectInvalid(narrow, {*Tensor::Zeros(DType::kUInt8, Shape::Of({40000})), Tensor::Scalar(1)}, "indices that fit int16");
}

TEST_F(TopKOpsTest, Shape) {
  const AttrMap attrs{{"T", DType::kFloat32}};
  const Tensor k = Tensor::Scalar(3);
  const PartialShape scalar = PartialShape::Of({});
  auto shapes = InferShapes(library_, "TopKV2", attrs, {PartialShape::Of({2, -1, 5}), scalar}, {nullptr, &k});
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  EXPECT_EQ((*shapes)[0], PartialShape::Of({2, -1, 3}));
  EXPECT_EQ((*shapes)[1], PartialShape::Of({2, -1, 3}));
  shapes = InferShapes(library_, "TopKV2", attrs, {PartialShape::Of({2, 5}), scalar});
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  EXPECT_EQ((*shapes)[0], PartialShape::Of({2, -1}));
  shapes = InferShapes(library_, "TopKV2", attrs, {PartialShape(), scalar}, {nullptr, &k});
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  EXPECT_EQ((*shapes)[0], PartialShape());
  ExpectInvalid(InferShapes(library_, "TopKV2", attrs, {PartialShape::Of({2, 2}), scalar}, {nullptr, &k}).status(), "k = 3");
}

}  // namespace
}  // namespace flowlatch
