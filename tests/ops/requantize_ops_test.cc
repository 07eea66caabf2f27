#include "ops/requantize_ops.h"

#include <limits>

#include "tests/ops/quantized_tensors.h"

namespace flowlatch {
namespace {

// The answers are TensorFlow's.
class RequantizeOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterRequantizeOps(library_).ok()); }
  OpTester Op(const std::string& op, DType out = DType::kQUInt8) {
    return OpTester(library_, op, {{"Tinput", DType::kQInt32}, {"out_type", out}});
  }
  OpTester PerChannel(DType out) {
    return OpTester(library_, "RequantizePerChannel", {{"T", DType::kQInt32}, {"out_type", out}});
  }
  OpTester RangePerChannel(float clip) {
    return OpTester(library_, "RequantizationRangePerChannel", {{"T", DType::kQInt32}, {"clip_value_max", clip}});
  }

  OpLibrary library_;
  const Tensor x_ = Words({7}, {-2147483648, -1000000000, -1, 0, 1, 123456789, 2147483647});
  const Tensor images_ = Words({1, 1, 3, 2}, {-1000000000, 5, 2000000000, 7, -8, 1500000000});
  const Tensor mins_ = Floats({2}, {-1, -4}), maxes_ = Floats({2}, {2, 3});
};

TEST_F(RequantizeOpsTest, ToAnotherRange) {
  OpTester to_unsigned = Op("Requantize"), to_signed = Op("Requantize", DType::kQInt8);
  ExpectOutputs(to_unsigned, {x_, End(-8), End(8), End(-2), End(4)},
                {Bytes({7}, {0, 0, 85, 85, 85, 105, 255}), End(-2), End(4)});
  ExpectOutputs(to_signed, {x_, End(-8), End(8), End(-2), End(4)},
                {SignedBytes({7}, {-128, -128, -43, -43, -43, -23, 127}), End(-2), End(4)});
  ExpectOutputs(to_unsigned, {Words({0, 2}, {}), End(-8), End(8), End(-2), End(4)}, {Bytes({0, 2}, {}), End(-2), End(4)});
  ExpectOutputs(to_unsigned, {Words({}, {0}), End(-8), End(8), End(-2), End(4)}, {Bytes({}, {85}), End(-2), End(4)});
}

TEST_F(RequantizeOpsTest, RangesThatAreNoneDoNoHarm) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const DType dtype : {DType::kQUInt8, DType::kQInt8}) {
    OpTester op = Op("Requantize", dtype);
    for (const auto& [min, max] : {std::pair{0.f, 0.f}, {3.f, -3.f}, {-inf, inf}, {NAN, NAN}, {0.f, 1e-45f}, {-3e38f, 3e38f}}) {
      EXPECT_TRUE(op.Run({x_, End(min), End(max), End(0), End(0)}).ok());
      EXPECT_TRUE(op.Run({x_, End(min), End(max), End(-1e-45f), End(1e-45f)}).ok());
    }
  }
}

TEST_F(RequantizeOpsTest, ToTheRangeOfTheValues) {
  OpTester range(library_, "RequantizationRange", {{"Tinput", DType::kQInt32}}), down = Op("QuantizeDownAndShrinkRange");
  const Tensor x = Words({3}, {-1000000000, 5, 2000000000});
  ExpectOutputs(range, {x, End(-8), End(8)}, {End(-3.7252903f), End(7.4505806f)});
  ExpectOutputs(range, {Words({3}, {1000000000, 5, 2000000000}), End(-8), End(8)}, {End(0), End(7.4505806f)});
  ExpectInvalid(range, {Words({0}, {}), End(-8), End(8)}, "input: expected elements, got none");
  ExpectOutputs(down, {x, End(-8), End(8)}, {Bytes({3}, {0, 85, 255}), End(-3.7252903f), End(7.4505806f)});
  ExpectOutputs(down, {Words({0}, {}), End(-8), End(8)}, {Bytes({0}, {}), End(0), End(-8)});
}

TEST_F(RequantizeOpsTest, OneRangeForEachChannel) {
  OpTester wide = RangePerChannel(1e30f), clipped = RangePerChannel(2);
  ExpectOutputs(wide, {images_, mins_, maxes_}, {End(-2.79396772f), End(2.79396772f)});
  ExpectOutputs(clipped, {images_, mins_, maxes_}, {End(-2), End(2)});
  ExpectOutputs(clipped, {Words({1, 1, 1, 2}, {1 << 30, 1 << 30}), mins_, maxes_}, {End(0), End(2)});
  OpTester to_unsigned = PerChannel(DType::kQUInt8), to_signed = PerChannel(DType::kQInt8);
  ExpectOutputs(to_unsigned, {images_, mins_, maxes_, End(-3), End(3)},
                {Bytes({1, 1, 3, 2}, {0, 0, 158, 0, 0, 237}), End(-3), End(3)});
  ExpectOutputs(to_signed, {images_, mins_, maxes_, End(-3), End(3)},
                {SignedBytes({1, 1, 3, 2}, {-39, 0, 79, 0, 0, 118}), End(-3), End(3)});
  ExpectOutputs(to_signed, {images_, Floats({1}, {-1}), Floats({1}, {2}), End(-3), End(3)},
                {SignedBytes({1, 1, 3, 2}, {-39, 0, 79, 0, 0, 59}), End(-3), End(3)});
}

TEST_F(RequantizeOpsTest, WhatDoesNotFit) {
  OpTester requantize = Op("Requantize");
  ExpectInvalid(requantize, {x_, End(-8), End(8), End(1), End(4)}, "requested_output_min: expected a value <= 0, got 1");
  ExpectInvalid(requantize, {x_, End(-8), End(8), End(-1), End(-4)}, "requested_output_max: expected a value >= -1, got -4");
  ExpectInvalid(requantize, {x_, Floats({0}, {}), End(8), End(-1), End(4)}, "expected one element at each end, got shape [0]");
  OpTester wide = RangePerChannel(1), per_channel = PerChannel(DType::kQInt8);
  ExpectInvalid(wide, {x_, mins_, maxes_}, "input: expected 4 dimensions");
  ExpectInvalid(wide, {images_, mins_, Floats({1}, {1})}, "input_max: expected shape [2], got [1]");
  ExpectInvalid(wide, {Words({1, 1, 0, 2}, {}), mins_, maxes_}, "input: expected elements");
  ExpectInvalid(per_channel, {images_, Floats({3}, {1, 2, 3}), maxes_, End(-1), End(1)}, "input_min: expected shape [2], got [3]");
  ExpectInvalid(per_channel, {images_, mins_, maxes_, End(0), End(1)}, "expected a negative value for qint8, got 0");
  OpTester other(library_, "Requantize", {{"Tinput", DType::kQInt16}, {"out_type", DType::kQUInt8}});
  EXPECT_EQ(other.Run({Quantized<QInt16>({1}, {1}), End(-8), End(8), End(-1), End(4)}).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST_F(RequantizeOpsTest, Shapes) {
  const AttrMap attrs{{"Tinput", DType::kQInt32}, {"out_type", DType::kQUInt8}};
  const PartialShape scalar = Shape(), some = PartialShape::Of({2, -1}), vector = PartialShape::UnknownOfRank(1);
  const auto infer = [&](const std::string& op, const std::vector<PartialShape>& in) { return InferShapes(library_, op, attrs, in); };
  EXPECT_THAT(*infer("Requantize", {some, scalar, scalar, scalar, PartialShape()}), testing::ElementsAre(some, scalar, scalar));
  EXPECT_THAT(*infer("QuantizeDownAndShrinkRange", {PartialShape(), scalar, scalar}),
              testing::ElementsAre(PartialShape(), scalar, scalar));
  EXPECT_THAT(*infer("RequantizationRange", {some, scalar, scalar}), testing::ElementsAre(scalar, scalar));
  ExpectInvalid(infer("Requantize", {some, scalar, vector, scalar, scalar}).status(), "rank");
  const AttrMap channels{{"T", DType::kQInt32}, {"out_type", DType::kQUInt8}, {"clip_value_max", 1.0f}};
  EXPECT_THAT(*InferShapes(library_, "RequantizePerChannel", channels, {some, vector, vector, scalar, scalar}),
              testing::ElementsAre(some, scalar, scalar));
  EXPECT_THAT(*InferShapes(library_, "RequantizationRangePerChannel", channels, {some, vector, vector}),
              testing::ElementsAre(scalar, scalar));
}

}  // namespace
}  // namespace flowlatch
