#include "ops/fake_quant_ops.h"

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

constexpr double kTolerance = 1e-6;

class FakeQuantOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterFakeQuantOps(library_).ok()); }
  OpTester Op(const std::string& name, AttrMap attrs) { return OpTester(library_, name, std::move(attrs)); }
  OpTester Dequantized(AttrMap more, DType dtype = DType::kFloat32) {
    return OpTester(library_, "QuantizeAndDequantizeV2", more.With("T", dtype));
  }

  OpLibrary library_;
  // The answers below are TensorFlow's for these.
  const Tensor x_ = Floats({8}, {-7, -1.03, -0.01, 0, 0.3, 2.51, 5.9, 8});
  const Tensor grads_ = Floats({8}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor x42_ = *x_.Reshaped(Shape::Of({4, 2}));
  const Tensor grads42_ = *grads_.Reshaped(Shape::Of({4, 2}));
  const Tensor min_ = Tensor::Scalar(-1.f), max_ = Tensor::Scalar(3.f), zero_ = Tensor::Scalar(0.f);
};

TEST_F(FakeQuantOpsTest, RangeFromAttributes) {
  OpTester op = Op("FakeQuantWithMinMaxArgs", {{"min", -1.f}, {"max", 3.f}, {"num_bits", 4}});
  ExpectOutputs(op, {x_}, {Floats({8}, {-1.0666667, -1.0666667, 0, 0, 0.26666668, 2.4, 2.9333334, 2.9333334})},
                kTolerance);
  OpTester narrow =
      Op("FakeQuantWithMinMaxArgs", {{"min", -1.f}, {"max", 3.f}, {"num_bits", 4}, {"narrow_range", true}});
  ExpectOutputs(narrow, {x_}, {Floats({8}, {-1.1428572, -1.1428572, 0, 0, 0.2857143, 2.5714288, 2.857143, 2.857143})},
                kTolerance);
  OpTester above_zero = Op("FakeQuantWithMinMaxArgs", {{"min", 1.f}, {"max", 3.f}, {"num_bits", 3}});
  ExpectOutputs(above_zero, {x_}, {Floats({8}, {0, 0, 0, 0, 0.2857143, 2, 2, 2})}, kTolerance);
  OpTester gradient = Op("FakeQuantWithMinMaxArgsGradient", {{"min", -1.f}, {"max", 3.f}, {"num_bits", 4}});
  ExpectOutputs(gradient, {grads_, x_}, {Floats({8}, {0, 2, 3, 4, 5, 6, 0, 0})});
}

TEST_F(FakeQuantOpsTest, RangeFromInputs) {
  OpTester op = Op("FakeQuantWithMinMaxVars", {{"num_bits", 4}});
  ExpectOutputs(op, {x_, min_, max_},
                {Floats({8}, {-1.0666667, -1.0666667, 0, 0, 0.26666668, 2.4, 2.9333334, 2.9333334})}, kTolerance);
  ExpectOutputs(op, {x_, zero_, zero_}, {Floats({8}, {0, 0, 0, 0, 0, 0, 0, 0})});
  ExpectOutputs(op, {Floats({0, 2}, {}), min_, max_}, {Floats({0, 2}, {})});
  OpTester gradient = Op("FakeQuantWithMinMaxVarsGradient", {{"num_bits", 4}});
  ExpectOutputs(gradient, {grads_, x_, min_, max_},
                {Floats({8}, {0, 2, 3, 4, 5, 6, 0, 0}), Tensor::Scalar(1.f), Tensor::Scalar(15.f)});
  ExpectOutputs(gradient, {grads_, x_, zero_, zero_}, {grads_, zero_, zero_});
}

TEST_F(FakeQuantOpsTest, RangeOfEachChannel) {
  const Tensor min = Floats({2}, {-1, 0}), max = Floats({2}, {3, 6});
  OpTester op = Op("FakeQuantWithMinMaxVarsPerChannel", {{"num_bits", 3}});
  ExpectOutputs(op, {x42_, min, max}, {Floats({4, 2}, {-1.1428572, 0, 0, 0, 0.5714286, 2.5714285, 2.857143, 6})},
                kTolerance);
  OpTester gradient = Op("FakeQuantWithMinMaxVarsPerChannelGradient", {{"num_bits", 3}});
  ExpectOutputs(gradient, {grads42_, x42_, min, max},
                {Floats({4, 2}, {0, 0, 3, 4, 5, 6, 0, 0}), Floats({2}, {1, 2}), Floats({2}, {7, 8})});
}

TEST_F(FakeQuantOpsTest, FakeQuantErrors) {
  OpTester vars = Op("FakeQuantWithMinMaxVars", {{"num_bits", 4}});
  ExpectInvalid(vars, {x_, Floats({1}, {0}), max_}, "min: expected shape [], got [1]");
  OpTester channels = Op("FakeQuantWithMinMaxVarsPerChannel", {});
  ExpectInvalid(channels, {x42_, Floats({2}, {0, 0}), Floats({3}, {1, 1, 1})}, "max: expected shape [2], got [3]");
  ExpectInvalid(channels, {zero_, Floats({1}, {0}), Floats({1}, {1})}, "inputs: expected at least one dimension");
  OpTester gradient = Op("FakeQuantWithMinMaxVarsGradient", {});
  ExpectInvalid(gradient, {x42_, x_, min_, max_}, "gradients: expected the shape of inputs, [8], got [4,2]");
  OpTester bits = Op("FakeQuantWithMinMaxArgs", {{"num_bits", 17}});
  ExpectInvalid(bits, {x_}, "num_bits: expected a value in [2,16], got 17");
  OpTester order = Op("FakeQuantWithMinMaxArgs", {{"min", 2.f}, {"max", 2.f}});
  ExpectInvalid(order, {x_}, "min: expected a value below max, 2, got 2");
}

TEST_F(FakeQuantOpsTest, OneFactor) {
  OpTester free = Dequantized({{"num_bits", 4}});
  ExpectOutputs(free, {x_, zero_, zero_}, {Floats({8}, {-6.857143, -1.1428572, -0.0, 0, 0, 2.2857144, 5.714286, 8})},
                kTolerance);
  ExpectOutputs(free, {Floats({2}, {0, 0}), zero_, zero_}, {Floats({2}, {0, 0})});
  ExpectOutputs(free, {Floats({0}, {}), zero_, zero_}, {Floats({0}, {})});
  OpTester given = Dequantized({{"num_bits", 4}, {"range_given", true}});
  ExpectOutputs(given, {x_, min_, max_}, {Floats({8}, {-3.4285715, -0.85714287, -0.0, 0, 0.42857143, 2.5714285, 3, 3})},
                kTolerance);
  OpTester half_up =
      Dequantized({{"num_bits", 3}, {"range_given", true}, {"signed_input", false}, {"round_mode", "HALF_UP"}});
  ExpectOutputs(half_up, {x_, min_, max_}, {Floats({8}, {0, 0, 0, 0, 0.42857143, 2.5714285, 3, 3})}, kTolerance);
  OpTester narrow = Dequantized({{"num_bits", 3}, {"range_given", true}, {"narrow_range", true}});
  ExpectOutputs(narrow, {x_, Tensor::Scalar(-4.f), max_}, {Floats({8}, {-4, -1.3333334, -0.0, 0, 0, 2.6666667, 4, 4})},
                kTolerance);
  OpTester bits_as_input = Op("QuantizeAndDequantizeV3", {{"T", DType::kFloat32}});
  ExpectOutputs(bits_as_input, {x_, min_, max_, Tensor::Scalar(5)}, {Floats({8}, {-3.2, -1, -0.0, 0, 0.4, 2.6, 3, 3})},
                kTolerance);
}

TEST_F(FakeQuantOpsTest, FactorOfEachIndexOfAnAxis) {
  OpTester free = Dequantized({{"num_bits", 4}, {"axis", 1}});
  ExpectOutputs(free, {x42_, Floats({2}, {0, 0}), Floats({2}, {0, 0})},
                {Floats({4, 2}, {-7, -1.1428572, -0.0, 0, 0, 2.2857144, 6.125, 8})}, kTolerance);
  OpTester gradient = Op("QuantizeAndDequantizeV4Grad", {{"T", DType::kFloat32}, {"axis", 1}});
  ExpectOutputs(gradient, {grads42_, x42_, Floats({2}, {-1, 0}), Floats({2}, {3, 6})},
                {Floats({4, 2}, {0, 0, 3, 4, 5, 6, 0, 0}), Floats({2}, {0, 0}), Floats({2}, {0, 0})});
}

TEST_F(FakeQuantOpsTest, FactorErrors) {
  OpTester given = Dequantized({{"num_bits", 4}, {"range_given", true}});
  ExpectInvalid(given, {x_, max_, min_}, "input_min: expected a value of at most input_max, -1, got 3");
  ExpectInvalid(given, {x_, Floats({1}, {0}), max_}, "min: expected shape [], got [1]");
  OpTester bits = Dequantized({{"num_bits", 62}});
  ExpectInvalid(bits, {x_, zero_, zero_}, "num_bits: expected a value in [1,61], got 62");
  OpTester bits_as_input = Op("QuantizeAndDequantizeV3", {{"T", DType::kFloat32}});
  ExpectInvalid(bits_as_input, {x_, min_, max_, Tensor::Scalar(0)}, "num_bits: expected a value in [1,61], got 0");
  OpTester axis = Dequantized({{"axis", 1}});
  ExpectInvalid(axis, {x_, zero_, zero_}, "axis: expected a value below 1, the rank of the input, got 1");
}

TEST_F(FakeQuantOpsTest, Shapes) {
  const auto shapes = [&](const std::string& op, const AttrMap& attrs, const std::vector<PartialShape>& inputs) {
    return InferShapes(library_, op, attrs, inputs);
  };
  const PartialShape scalar = PartialShape::Of({}), unknown;
  EXPECT_EQ((*shapes("FakeQuantWithMinMaxVars", {}, {PartialShape::Of({2, -1}), scalar, unknown}))[0],
            PartialShape::Of({2, -1}));
  EXPECT_FALSE(shapes("FakeQuantWithMinMaxVars", {}, {unknown, PartialShape::Of({1}), unknown}).ok());
  EXPECT_FALSE(
      shapes("FakeQuantWithMinMaxVarsPerChannel", {}, {PartialShape::Of({2, 3}), PartialShape::Of({2}), unknown}).ok());
  const auto grads = shapes("FakeQuantWithMinMaxVarsGradient", {},
                            {PartialShape::Of({2, -1}), PartialShape::Of({-1, 3}), scalar, scalar});
  ASSERT_TRUE(grads.ok());
  EXPECT_EQ((*grads)[0], PartialShape::Of({2, 3}));
  EXPECT_EQ((*grads)[2], scalar);
}

}  // namespace
}  // namespace flowlatch
