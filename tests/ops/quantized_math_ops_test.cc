#include "ops/quantized_math_ops.h"

#include <cmath>

#include "tests/ops/quantized_tensors.h"

namespace flowlatch {
namespace {

constexpr DType kByte = DType::kQUInt8, kWord = DType::kQInt32;

// The answers are TensorFlow's.
class QuantizedMathOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterQuantizedMathOps(library_).ok()); }
  OpTester Op(const std::string& op, AttrMap more = {}) {
    return OpTester(library_, op, more.With("T1", kByte).With("T2", kByte).With("Toutput", kWord));
  }
  OpTester BiasAdd(DType dtype) {
    return OpTester(library_, "QuantizedBiasAdd", {{"T1", dtype}, {"T2", dtype}, {"out_type", kWord}});
  }
  OpTester Relu(const std::string& op, DType dtype) {
    return OpTester(library_, op, {{"Tinput", dtype}, {"out_type", dtype}});
  }

  OpLibrary library_;
  const Tensor a_ = Bytes({2, 3}, {0, 10, 128, 200, 255, 7});
};

TEST_F(QuantizedMathOpsTest, MatMul) {
  const Tensor b = Bytes({3, 2}, {1, 255, 30, 99, 128, 4}), low = End(-264204.094f), high = End(264204.094f);
  OpTester plain = Op("QuantizedMatMul"), first = Op("QuantizedMatMul", {{"transpose_a", true}});
  OpTester second = Op("QuantizedMatMul", {{"transpose_b", true}});
  ExpectOutputs(plain, {a_, b, End(-1), End(1), End(0), End(4)}, {Words({2, 2}, {-3668, -44322, -11606, 30449}), low, high});
  ExpectOutputs(first, {a_, Bytes({2, 2}, {1, 255, 30, 99}), End(-1), End(1), End(0), End(4)},
                {Words({3, 2}, {2032, -25512, 3692, -17517, -3630, -11979}), low, high});
  ExpectOutputs(second, {a_, Bytes({2, 3}, {1, 255, 30, 99, 128, 4}), End(-1), End(1), End(1), End(4)},
                {Words({2, 2}, {-51128, -48686, 35457, 29530}), End(-198153.062f), End(198153.062f)});
  ExpectOutput(plain, {Bytes({2, 0}, {}), Bytes({0, 1}, {}), End(0), End(1), End(0), End(1)}, Words({2, 1}, {0, 0}));
  ExpectInvalid(plain, {a_, a_, End(0), End(1), End(0), End(1)}, "expected equal inner sizes, got 3 and 2");
  ExpectInvalid(plain, {a_, Bytes({3}, {1, 2, 3}), End(0), End(1), End(0), End(1)}, "expected matrices");
  ExpectInvalid(plain, {a_, b, End(1), End(1), End(0), End(1)}, "range of a: expected min < max, got [1, 1]");
  ExpectInvalid(plain, {a_, b, End(0), End(1), End(0), End(NAN)}, "range of b: expected min < max");
  ExpectInvalid(plain, {a_, b, Floats({0}, {}), End(1), End(0), End(1)}, "range of a: expected one element");
}

TEST_F(QuantizedMathOpsTest, AddAndMul) {
  OpTester add = Op("QuantizedAdd"), mul = Op("QuantizedMul");
  const std::vector<Tensor> ranges = {End(-1), End(1), End(0), End(4)};
  struct {
    Tensor x, y, sum, product;
  } const cases[] = {
      {Bytes({4}, {0, 10, 128, 255}), Bytes({4}, {255, 7, 100, 1}), Words({4}, {98431, -26471, 51657, 33410}),
       Words({4}, {-32640, -826, 0, 127})},
      {Bytes({2, 2}, {0, 10, 128, 255}), Bytes({2}, {255, 7}), Words({2, 2}, {98431, -26471, 131327, 36494}),
       Words({2, 2}, {-32640, -826, 0, 889})},
      {Bytes({}, {5}), Bytes({2}, {255, 7}), Words({2}, {99716, -27756}), Words({2}, {-31365, -861})},
      {Bytes({0, 3}, {}), Bytes({3}, {1, 2, 3}), Words({0, 3}, {}), Words({0, 3}, {})},
  };
  for (const auto& c : cases) {
    ExpectOutputs(add, {c.x, c.y, ranges[0], ranges[1], ranges[2], ranges[3]}, {c.sum, End(-65536), End(65536)});
    ExpectOutputs(mul, {c.x, c.y, ranges[0], ranges[1], ranges[2], ranges[3]}, {c.product, End(-264204.094f), End(264204.094f)});
  }
  // Unlike TensorFlow's, of any rank.
  ExpectOutput(mul, {Bytes({1, 2, 1}, {1, 2}), Bytes({2, 1, 2}, {3, 4, 5, 6}), End(0), End(1), End(0), End(1)},
               Words({2, 2, 2}, {3, 4, 6, 8, 5, 6, 10, 12}));
  for (OpTester* op : {&add, &mul}) {
    ExpectInvalid(*op, {Bytes({2}, {1, 2}), Bytes({3}, {1, 2, 3}), End(0), End(1), End(0), End(1)}, "");
    ExpectInvalid(*op, {Bytes({}, {1}), Bytes({}, {1}), End(2), End(1), End(0), End(1)}, "range of x: expected min < max");
    ExpectInvalid(*op, {Bytes({}, {1}), Bytes({}, {1}), End(0), End(1), End(1), End(1)}, "range of y: expected min < max");
  }
}

TEST_F(QuantizedMathOpsTest, BiasAdd) {
  OpTester bytes = BiasAdd(kByte), signed_bytes = BiasAdd(DType::kQInt8);
  ExpectOutputs(bytes, {Bytes({2, 2}, {0, 10, 128, 255}), Bytes({2}, {255, 7}), End(-1), End(1), End(0), End(4)},
                {Words({2, 2}, {12304, -3309, 16416, 4562}), End(-524288), End(524288)});
  ExpectOutputs(signed_bytes, {SignedBytes({2, 2}, {0, 10, 127, -128}), SignedBytes({2}, {-5, 7}), End(-1), End(1), End(-3), End(4)},
                {Words({2, 2}, {1606, 3276, 5686, -1157}), End(-524288), End(524288)});
  ExpectOutput(bytes, {Bytes({0, 2}, {}), Bytes({2}, {1, 2}), End(0), End(1), End(0), End(1)}, Words({0, 2}, {}));
  ExpectInvalid(bytes, {a_, Bytes({2}, {1, 2}), End(0), End(1), End(0), End(1)}, "bias: expected shape [3], got [2]");
  ExpectInvalid(bytes, {Bytes({2}, {1, 2}), Bytes({2}, {1, 2}), End(0), End(1), End(0), End(1)}, "input: expected a matrix");
  ExpectInvalid(bytes, {Bytes({2, 0}, {}), Bytes({0}, {}), End(0), End(1), End(0), End(1)}, "bias: expected elements");
}

TEST_F(QuantizedMathOpsTest, Relu) {
  OpTester bytes = Relu("QuantizedRelu", kByte), words = Relu("QuantizedRelu", kWord);
  const Tensor x = Bytes({5}, {0, 60, 64, 100, 255}), w = Words({4}, {-2147483648, -1500000000, 0, 2000000000});
  ExpectOutputs(bytes, {x, End(-3), End(9)}, {Bytes({5}, {64, 64, 64, 100, 255}), End(-3), End(9)});
  ExpectOutputs(words, {w, End(-3), End(9)}, {Words({4}, {-1073741824, -1073741824, 0, 2000000000}), End(-3), End(9)});
  OpTester six = Relu("QuantizedRelu6", kByte), wide_six = Relu("QuantizedRelu6", kWord);
  ExpectOutputs(six, {x, End(-3), End(9)}, {Bytes({5}, {64, 64, 64, 100, 192}), End(-3), End(9)});
  ExpectOutputs(wide_six, {w, End(-3), End(9)}, {Words({4}, {-1073741824, -1073741824, 0, 1073741824}), End(-3), End(9)});
  ExpectInvalid(six, {x, Floats({2}, {1, 2}), End(9)}, "range of features: expected one element");
  EXPECT_TRUE(six.Run({x, End(NAN), End(NAN)}).ok());
}

TEST_F(QuantizedMathOpsTest, BatchNorm) {
  const auto op = [&](bool scales) {
    return OpTester(library_, "QuantizedBatchNormWithGlobalNormalization",
                    {{"Tinput", kByte}, {"out_type", kWord}, {"variance_epsilon", .001f}, {"scale_after_normalization", scales}});
  };
  std::vector<Tensor> in = {Bytes({1, 1, 2, 2}, {0, 10, 128, 255}), End(-1), End(1), Bytes({2}, {9, 200}), End(-1), End(2),
                            Bytes({2}, {40, 250}), End(0), End(4), Bytes({2}, {128, 3}), End(-1), End(1),
                            Bytes({2}, {5, 255}), End(0), End(2)};
  OpTester scaled = op(true), plain = op(false);
  ExpectOutputs(scaled, in, {Words({1, 1, 2, 2}, {7, -6687, 107, -2714}), End(-1048576), End(1048576)});
  ExpectOutputs(plain, in, {Words({1, 1, 2, 2}, {-246, -4339, 2346, -2353}), End(-1048576), End(1048576)});
  in[6] = Bytes({1}, {4});
  ExpectInvalid(plain, in, "variance: expected shape [2], got [1]");
  in[0] = a_;
  ExpectInvalid(plain, in, "input: expected 4 dimensions");
}

TEST_F(QuantizedMathOpsTest, InstanceNorm) {
  const auto op = [&](AttrMap more = {}) { return OpTester(library_, "QuantizedInstanceNorm", more.With("T", kByte)); };
  const auto given = [](float min, float max) {
    return AttrMap{{"output_range_given", true}, {"given_y_min", min}, {"given_y_max", max}};
  };
  OpTester plain = op(), fixed = op(given(-1, 2)), bad = op(given(3, 2));
  const Tensor x = Bytes({1, 2, 2, 2}, {0, 10, 128, 255, 30, 40, 1, 2});
  ExpectOutputs(plain, {x, End(-1), End(1)},
                {Bytes({1, 2, 2, 2}, {0, 12, 252, 255, 59, 42, 2, 4}), End(-0.759197712f), End(1.71585894f)}, 1e-6);
  ExpectOutputs(fixed, {x, End(-1), End(1)}, {Bytes({1, 2, 2, 2}, {20, 30, 228, 231, 69, 55, 22, 24}), End(-1), End(2)});
  ExpectOutputs(plain, {Bytes({1, 2, 2, 1}, {7, 7, 7, 7}), End(-1), End(1)}, {Bytes({1, 2, 2, 1}, {0, 0, 0, 0}), End(0), End(.001f)});
  ExpectOutput(plain, {Bytes({1, 0, 2, 1}, {}), End(-1), End(1)}, Bytes({1, 0, 2, 1}, {}));
  ExpectInvalid(plain, {a_, End(-1), End(1)}, "x: expected 4 dimensions");
  ExpectInvalid(plain, {x, End(1), End(1)}, "range of x: expected min < max");
  ExpectInvalid(bad, {x, End(-1), End(1)}, "range of y: expected min < max, got [3, 2]");
}

TEST_F(QuantizedMathOpsTest, Shapes) {
  const PartialShape s = Shape(), any, matrix = PartialShape::Of({2, -1});
  const auto infer = [&](const std::string& op, const std::vector<PartialShape>& in, AttrMap more = {}) {
    for (const char* t : {"T1", "T2", "Tinput", "T"}) more = more.With(t, kByte);
    for (const char* t : {"Toutput", "out_type"}) more = more.With(t, kWord);
    return InferShapes(library_, op, more.With("variance_epsilon", 0.f).With("scale_after_normalization", true), in);
  };
  EXPECT_EQ((*infer("QuantizedMatMul", {matrix, any, s, s, s, s}))[0], PartialShape::Of({2, -1}));
  EXPECT_EQ((*infer("QuantizedMatMul", {matrix, PartialShape::Of({2, 4}), s, s, s, s}, {{"transpose_a", true}}))[0],
            PartialShape::Of({-1, 4}));
  EXPECT_EQ((*infer("QuantizedAdd", {matrix, PartialShape::Of({1}), s, s, s, s}))[0], matrix);
  EXPECT_EQ((*infer("QuantizedMul", {any, matrix, s, s, s, s}))[1], s);
  EXPECT_EQ((*infer("QuantizedBiasAdd", {matrix, any, s, s, s, s}))[0], matrix);
  EXPECT_EQ((*infer("QuantizedRelu6", {matrix, any, s}))[0], matrix);
  EXPECT_EQ((*infer("QuantizedInstanceNorm", {any, s, s}))[0], PartialShape::UnknownOfRank(4));
  const PartialShape images = PartialShape::Of({1, 2, 3, -1}), five = PartialShape::Of({5});
  EXPECT_EQ((*infer("QuantizedBatchNormWithGlobalNormalization", {images, s, s, any, s, s, five, s, s, any, s, s, any, s, s}))[0],
            PartialShape::Of({1, 2, 3, 5}));
  ExpectInvalid(infer("QuantizedAdd", {matrix, matrix, s, five, s, s}).status(), "rank");
  ExpectInvalid(infer("QuantizedBatchNormWithGlobalNormalization",
                      {images, s, s, any, s, s, five, s, s, PartialShape::Of({4}), s, s, any, s, s})
                    .status(),
                "");
}

}  // namespace
}  // namespace flowlatch
