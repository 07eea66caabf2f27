#include "ops/quantized_concat_ops.h"

#include "tests/ops/quantized_tensors.h"

namespace flowlatch {
namespace {

// The answers are TensorFlow's.
class QuantizedConcatOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterQuantizedConcatOps(library_).ok()); }
  OpTester Op(const std::string& op, DType dtype) { return OpTester(library_, op, {{"N", int64_t{2}}, {"T", dtype}}); }

  OpLibrary library_;
  const Tensor x_ = Bytes({2, 2}, {0, 128, 255, 3}), y_ = Bytes({2, 1}, {10, 255});
};

TEST_F(QuantizedConcatOpsTest, BytesInACommonRange) {
  OpTester first = Op("QuantizedConcat", DType::kQUInt8), second = Op("QuantizedConcatV2", DType::kQUInt8);
  ExpectOutputs(first, {Ints({}, {1}), x_, y_, End(-1), End(0), End(1), End(4)},
                {Bytes({2, 3}, {0, 51, 59, 102, 1, 255}), End(-1), End(4)});
  ExpectOutputs(second, {x_, y_, Ints({}, {-1}), End(-1), End(0), End(1), End(4)},
                {Bytes({2, 3}, {0, 0, 10, 64, 0, 255}), End(0), End(4)});
  // One range: copied, whatever it is.
  ExpectOutputs(first, {Ints({}, {0}), x_, x_, End(-1), End(-1), End(1), End(1)},
                {Bytes({4, 2}, {0, 128, 255, 3, 0, 128, 255, 3}), End(-1), End(1)});
  ExpectOutputs(first, {Ints({}, {0}), Bytes({0, 2}, {}), Bytes({0, 2}, {}), End(-1), End(-1), End(1), End(1)},
                {Bytes({0, 2}, {}), End(-1), End(1)});
}

TEST_F(QuantizedConcatOpsTest, SignedIntegersAreAboutZero) {
  OpTester words = Op("QuantizedConcat", DType::kQInt32), bytes = Op("QuantizedConcatV2", DType::kQInt8);
  ExpectOutputs(words, {Ints({}, {0}), Words({3}, {-2147483648, 0, 1000000}), Words({2}, {5, 2147483647}), End(-1), End(0), End(1), End(4)},
                {Words({5}, {-536870912, 0, 250000, 1073741824, 2147483520}), End(-4), End(4)});
  ExpectOutputs(bytes, {SignedBytes({2, 2}, {0, -128, 127, 3}), SignedBytes({2, 1}, {10, -7}), Ints({}, {1}), End(-1), End(0), End(1), End(4)},
                {SignedBytes({2, 3}, {0, -32, 69, 32, 1, 61}), End(-4), End(4)});
}

TEST_F(QuantizedConcatOpsTest, WhatDoesNotFit) {
  OpTester op = Op("QuantizedConcat", DType::kQUInt8);
  ExpectInvalid(op, {Ints({}, {2}), x_, y_, End(0), End(0), End(1), End(1)}, "axis");
  ExpectInvalid(op, {Ints({1}, {0}), x_, x_, End(0), End(0), End(1), End(1)}, "axis");
  ExpectInvalid(op, {Ints({}, {0}), x_, y_, End(0), End(0), End(1), End(1)}, "values[1]: expected shape [2,2] but for dimension 0, got [2,1]");
  ExpectInvalid(op, {Ints({}, {0}), Bytes({}, {1}), Bytes({}, {1}), End(0), End(0), End(1), End(1)}, "axis");
  ExpectInvalid(op, {Ints({}, {1}), x_, y_, End(0), Floats({0}, {}), End(1), End(1)}, "ends of ranges: expected one element each");
}

TEST_F(QuantizedConcatOpsTest, Shapes) {
  const PartialShape s = Shape(), any, two = PartialShape::Of({2, 3}), open = PartialShape::Of({-1, 4});
  const Tensor axis = Ints({}, {1});
  const auto infer = [&](const PartialShape& x, const PartialShape& y, const Tensor* at) {
    return InferShapes(library_, "QuantizedConcat", {{"N", int64_t{2}}, {"T", DType::kQUInt8}}, {s, x, y, s, s, s, s},
                       {at, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr});
  };
  EXPECT_THAT(*infer(two, open, &axis), testing::ElementsAre(PartialShape::Of({2, 7}), s, s));
  EXPECT_EQ((*infer(any, two, &axis))[0], PartialShape::Of({2, -1}));
  EXPECT_EQ((*infer(two, open, nullptr))[0], PartialShape::UnknownOfRank(2));
  EXPECT_EQ((*infer(any, any, &axis))[0], any);
  ExpectInvalid(infer(two, PartialShape::Of({3, 3}), &axis).status(), "");
  ExpectInvalid(infer(two, PartialShape::Of({3}), nullptr).status(), "");
}

}  // namespace
}  // namespace flowlatch
