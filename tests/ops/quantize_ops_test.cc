#include "ops/quantize_ops.h"

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

template <typename Q>
Tensor Quantized(std::initializer_list<int64_t> dims, std::initializer_list<int> values) {
  Tensor t = *Tensor::Make(kDTypeOf<Q>, Shape::Of(dims));
  int64_t i = 0;
  for (int v : values) t.mutable_data<Q>()[i++].value = static_cast<decltype(Q::value)>(v);
  return t;
}

class QuantizeOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterQuantizeOps(library_).ok()); }
  OpTester Quantize(DType t, const std::string& mode, AttrMap more = {}) {
    more = more.With("T", t).With("mode", mode);
    return OpTester(library_, "QuantizeV2", more);
  }
  OpTester Dequantize(DType t, const std::string& mode, AttrMap more = {}) {
    return OpTester(library_, "Dequantize", more.With("T", t).With("mode", mode));
  }

  OpLibrary library_;
  // The answers below are TensorFlow's for this input and the range [-2, 4].
  const Tensor x_ = Floats({8}, {-3.0, -1.0, -0.26, 0.0, 0.4, 1.5, 2.49, 5.0});
  const Tensor min_ = Tensor::Scalar(-2.f), max_ = Tensor::Scalar(4.f);
};

TEST_F(QuantizeOpsTest, EachModeAndSign) {
  OpTester combined = Quantize(DType::kQInt8, "MIN_COMBINED");
  ExpectOutputs(combined, {x_, min_, max_}, {Quantized<QInt8>({8}, {-128, -86, -54, -43, -26, 21, 63, 127}), min_, max_});
  OpTester combined_unsigned = Quantize(DType::kQUInt8, "MIN_COMBINED");
  ExpectOutputs(combined_unsigned, {x_, min_, max_}, {Quantized<QUInt8>({8}, {0, 43, 74, 85, 102, 149, 191, 255}), min_, max_});
  OpTester first = Quantize(DType::kQInt8, "MIN_FIRST");
  ExpectOutputs(first, {x_, min_, max_}, {Quantized<QInt8>({8}, {-128, -86, -54, -43, -26, 21, 63, 127}), min_, max_});
  OpTester first_unsigned = Quantize(DType::kQUInt8, "MIN_FIRST");
  ExpectOutputs(first_unsigned, {x_, min_, max_}, {Quantized<QUInt8>({8}, {0, 42, 74, 85, 102, 149, 191, 255}), min_, max_});
  OpTester scaled = Quantize(DType::kQInt8, "SCALED");
  ExpectOutputs(scaled, {x_, min_, max_},
                {Quantized<QInt8>({8}, {-95, -32, -8, 0, 13, 48, 79, 127}), Tensor::Scalar(-4.031496f), Tensor::Scalar(4.f)}, 1e-6);
}

TEST_F(QuantizeOpsTest, OneRangeForEachIndexOfAnAxis) {
  OpTester tester = Quantize(DType::kQInt8, "SCALED",
                             {{"round_mode", "HALF_TO_EVEN"}, {"narrow_range", true}, {"axis", 0}});
  ExpectOutputs(tester, {*x_.Reshaped(Shape::Of({2, 4})), Floats({2}, {-2, -1}), Floats({2}, {1, 4})},
                {Quantized<QInt8>({2, 4}, {-127, -64, -17, 0, 13, 48, 79, 127}), Floats({2}, {-2, -4}), Floats({2}, {2, 4})});
}

TEST_F(QuantizeOpsTest, EmptyInputStillHasARange) {
  OpTester tester = Quantize(DType::kQInt32, "MIN_COMBINED");
  ExpectOutputs(tester, {Floats({0, 3}, {}), Tensor::Scalar(1.f), Tensor::Scalar(2.f)},
                {Quantized<QInt32>({0, 3}, {}), Tensor::Scalar(0.f), Tensor::Scalar(2.f)});
}

TEST_F(QuantizeOpsTest, Back) {
  OpTester combined = Dequantize(DType::kQUInt8, "MIN_COMBINED");
  ExpectOutput(combined, {Quantized<QUInt8>({3}, {0, 85, 255}), min_, max_}, Floats({3}, {-2, 0, 4}));
  OpTester first = Dequantize(DType::kQInt8, "MIN_FIRST");
  ExpectOutput(first, {Quantized<QInt8>({4}, {-86, -54, -26, 127}), min_, max_},
               Floats({4}, {-1.01176476f, -0.258823514f, 0.400000036f, 4}));
  OpTester scaled = Dequantize(DType::kQInt8, "SCALED");
  ExpectOutput(scaled, {Quantized<QInt8>({3}, {-95, 13, 127}), Tensor::Scalar(-4.031496f), max_},
               Floats({3}, {-2.99212599f, 0.409448802f, 4}), 1e-6);
  OpTester narrow = Dequantize(DType::kQUInt8, "MIN_COMBINED", {{"dtype", DType::kBFloat16}});
  ExpectOutput(narrow, {Quantized<QUInt8>({2}, {0, 255}), min_, max_}, Of<BFloat16, float>({2}, {-2, 4}));
}

TEST_F(QuantizeOpsTest, WhatDoesNotFit) {
  OpTester tester = Quantize(DType::kQInt8, "MIN_COMBINED");
  ExpectInvalid(tester.Run({x_, max_, min_}).status(), "expected min <= max");
  ExpectInvalid(tester.Run({x_, Tensor::Scalar(NAN), max_}).status(), "expected min <= max");
  ExpectInvalid(tester.Run({x_, Floats({2}, {0, 0}), max_}).status(), "expected one element each");
  OpTester by_axis = Quantize(DType::kQInt8, "SCALED", {{"axis", 1}});
  ExpectInvalid(by_axis.Run({x_, Floats({2}, {0, 0}), Floats({2}, {1, 1})}).status(), "axis: expected a value below the rank");
  ExpectInvalid(by_axis.Run({Floats({1, 3}, {1, 2, 3}), Floats({2}, {0, 0}), Floats({2}, {1, 1})}).status(), "a vector of 3 elements");
  OpTester bad_axis = Quantize(DType::kQInt8, "SCALED", {{"axis", -7}});
  ExpectInvalid(bad_axis.Run({x_, min_, max_}).status(), "expected a value >= -1");
  OpTester rounding = Quantize(DType::kQInt8, "MIN_FIRST", {{"round_mode", "HALF_TO_EVEN"}});
  ExpectInvalid(rounding.Run({x_, min_, max_}).status(), "HALF_AWAY_FROM_ZERO");
  OpTester narrow = Dequantize(DType::kQUInt8, "SCALED", {{"dtype", DType::kBFloat16}});
  ExpectInvalid(narrow.Run({Quantized<QUInt8>({1}, {0}), min_, max_}).status(), "expected float32");
}

TEST_F(QuantizeOpsTest, Shapes) {
  const AttrMap attrs = {{"T", DType::kQInt8}, {"axis", 1}};
  auto shapes = InferShapes(library_, "QuantizeV2", attrs, {PartialShape::Of({-1, 3}), PartialShape(), PartialShape()});
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  EXPECT_EQ((*shapes)[0], PartialShape::Of({-1, 3}));
  EXPECT_EQ((*shapes)[1], PartialShape::Of({3}));
  shapes = InferShapes(library_, "QuantizeV2", attrs, {PartialShape(), PartialShape(), PartialShape()});
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  EXPECT_FALSE((*shapes)[0].has_rank());
  ExpectInvalid(InferShapes(library_, "QuantizeV2", attrs, {PartialShape::Of({2}), PartialShape(), PartialShape()}).status(), "rank");
}

}  // namespace
}  // namespace flowlatch
