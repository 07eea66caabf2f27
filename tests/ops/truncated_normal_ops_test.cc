#include "ops/truncated_normal_ops.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "graph/build/gradients.h"
#include "graph/build/graph_builder.h"
#include "tests/ops/numbers.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();

class TruncatedNormalOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterTruncatedNormalOps(library_).ok()); }
  OpTester Seeded(DType dtype = DType::kFloat32) {
    return OpTester(library_, "ParameterizedTruncatedNormal", {{"dtype", dtype}, {"T", DType::kInt32}, {"seed", int64_t{1}}, {"seed2", int64_t{2}}});
  }
  OpTester Stateless(DType dtype = DType::kFloat32) {
    return OpTester(library_, "StatelessParameterizedTruncatedNormal", {{"dtype", dtype}, {"S", DType::kInt32}, {"Tseed", DType::kInt32}});
  }
  static std::vector<Tensor> Scalars(DType dtype, const Tensor& shape, double mean, double deviation, double low, double high) {
    std::vector<Tensor> inputs{shape};
    for (const double value : {mean, deviation, low, high}) inputs.push_back(Numbers(dtype, {}, {value}));
    return inputs;
  }
  static std::vector<Tensor> StatelessScalars(DType dtype, const Tensor& shape, const Tensor& seed, double mean, double deviation,
                                              double low, double high) {
    std::vector<Tensor> inputs = Scalars(dtype, shape, mean, deviation, low, high);
    inputs.insert(inputs.begin() + 1, seed);
    return inputs;
  }

  OpLibrary library_;
  const Tensor five_ = Ints({1}, {5}), seed_ = Ints({2}, {1, 2});
};

// Each of the values here is what TensorFlow 2.21 gives. Bounds that are close take uniform numbers, wide ones normal
// numbers, tails exponential ones.
TEST_F(TruncatedNormalOpsTest, SeededAsTensorFlow) {
  const struct {
    DType dtype;
    double low, high;
    std::vector<double> want;
  } cases[] = {
      {DType::kFloat32, -1, 1, {-0.18720650672912598, 0.7151992321014404, -0.8892083168029785, -0.8282554149627686, 0.7381794452667236}},
      {DType::kFloat64, -1, 1, {-0.4976510038316264, -0.11366645959812294, 0.9054362365686415, 0.6583375827894797, 0.5821079254779122}},
      {DType::kFloat16, -1, 1, {-0.595703125, -0.087890625, -0.068359375, 0.166015625, -0.86328125}},
      {DType::kFloat32, -10, 10, {-1.0467792749404907, 0.8397045731544495, 1.235836386680603, 2.0637853145599365, 0.3037427067756653}},
      {DType::kFloat32, 3, 10, {3.2726268768310547, 3.8760058879852295, 3.2683680057525635, 3.127089023590088, 3.0424821376800537}},
      {DType::kFloat32, 30, 100, {30.02998161315918, 30.09633445739746, 30.029512405395508, 30.013975143432617, 30.004671096801758}},
      {DType::kFloat32, -10, -3, {-3.2726268768310547, -3.8760058879852295, -3.2683680057525635, -3.127089023590088, -3.0424821376800537}},
      {DType::kFloat32, 3, 3.1, {3.040639638900757, 3.0857598781585693, 3.005539655685425, 3.008587121963501, 3.0869088172912598}},
      {DType::kFloat32, 2, kInf, {2.3729684352874756, 3.1984236240386963, 2.3671419620513916, 2.1738648414611816, 2.0581178665161133}},
      {DType::kFloat32, -kInf, -2, {-2.3729684352874756, -3.1984236240386963, -2.3671419620513916, -2.1738648414611816, -2.0581178665161133}},
  };
  for (const auto& [dtype, low, high, want] : cases) {
    SCOPED_TRACE(testing::Message() << DTypeName(dtype) << " from " << low << " to " << high);
    OpTester op = Seeded(dtype);
    ExpectOutput(op, Scalars(dtype, five_, 0, 1, low, high), Numbers(dtype, {5}, want));
  }
  OpTester op = Seeded();
  ExpectOutput(op, Scalars(DType::kFloat32, five_, 10, 1, -1, 1),
               Floats({5}, {0.901158332824707f, 0.6824016571044922f, 0.9027023315429688f, 0.953923225402832f, 0.9845981597900391f}));
  ExpectOutput(op, {Ints({2}, {2, 3}), Floats({2}, {0, 10}), Tensor::Scalar(1.0f), Floats({1}, {-1}), Tensor::Scalar(20.0f)},
               Floats({2, 3}, {0.8397045731544495f, 1.235836386680603f, 2.0637853145599365f, 10.303742408752441f, 11.296324729919434f, 10.480193138122559f}));
  ExpectOutput(op, Scalars(DType::kFloat32, Ints({2}, {2, 0}), 0, 1, -1, 1), Floats({2, 0}, {}));
}

// Samples of the same parameters begin anew after a hundred, and runs go on where the last one reserved numbers up to.
TEST_F(TruncatedNormalOpsTest, PlacesInTheSequence) {
  OpTester op = Seeded();
  const auto many = op.Run(Scalars(DType::kFloat32, Ints({1}, {1000}), 0, 1, -1, 1));
  ASSERT_TRUE(many.ok()) << many.status();
  const float* samples = (*many)[0].data<float>();
  const float middle[] = {0.693589448928833f, -0.4729287624359131f, 0.7836933135986328f, 0.5527408123016357f, 0.2939293384552002f};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(samples[98 + i], middle[i]);
  EXPECT_EQ(samples[999], -0.21585631370544434f);
  BuiltGraph g;
  const Output same = g.b.Op("ParameterizedTruncatedNormal", {five_, 0.0f, 1.0f, -1.0f, 1.0f}, {{"seed", int64_t{1}}, {"seed2", int64_t{2}}}).output();
  const Output rows = g.b.Op("ParameterizedTruncatedNormal", {Ints({2}, {2, 3}), Floats({2}, {0, 1}), 1.0f, -1.0f, 1.0f},
                             {{"seed", int64_t{1}}, {"seed2", int64_t{2}}}).output();
  auto session = g.NewSession();
  ASSERT_TRUE(session.ok()) << session.status();
  const Tensor wanted[][2] = {
      {Floats({5}, {-0.18720650672912598f, 0.7151992321014404f, -0.8892083168029785f, -0.8282554149627686f, 0.7381794452667236f}),
       Floats({2, 3}, {-0.18720650672912598f, 0.7151992321014404f, -0.8892083168029785f, 0.259144127368927f, 0.5991109609603882f, 0.12238311767578125f})},
      {Floats({5}, {-0.2551915645599365f, -0.26569533348083496f, -0.01978278160095215f, -0.5818483829498291f, 0.41721010208129883f}),
       Floats({2, 3}, {-0.6562485694885254f, 0.5635626316070557f, 0.8203392028808594f, 0.43264394998550415f, -0.8737980127334595f, -0.8903770446777344f})}};
  for (const auto& want : wanted) {
    const auto got = (*session)->Run({}, {same.name(), rows.name()}, {});
    ASSERT_TRUE(got.ok()) << got.status();
    for (int i = 0; i < 2; ++i) EXPECT_EQ(Difference((*got)[i], want[i]), "");
  }
}

TEST_F(TruncatedNormalOpsTest, StatelessAsTensorFlow) {
  const struct {
    DType dtype;
    double low, high;
    std::vector<double> want;
  } cases[] = {
      {DType::kFloat32, -1, 1, {0.6881208419799805, -0.6159093379974365, 0.9924464225769043, -0.6792252063751221, -0.12129712104797363}},
      {DType::kFloat32, -1.25, 1.25, {0.8601510524749756, -0.7698866724967957, 1.24055814743042, -0.8490315079689026, -0.15162134170532227}},
      {DType::kFloat32, -1.35, 1.2, {0.544110119342804, 0.20738030970096588, 0.0735643208026886, 0.04643455147743225, -1.301589846611023}},
      {DType::kFloat32, 3, 10, {3.0513298511505127, 3.001145601272583, 3.3942105770111084, 3.6768383979797363, 3.2490196228027344}},
      {DType::kFloat32, 3, 3.1, {3.0844058990478516, 3.019204616546631, 3.0996222496032715, 3.016038656234741, 3.0439350605010986}},
      {DType::kFloat64, -1, 1, {0.5049675076903601, 0.029623743462444008, 0.21549009956124543, 0.6794961107024462, 0.6423004058828998}},
      {DType::kFloat64, -1.6, 1, {-0.1423118100189212, 0.7406072461585091, -1.469047669443883, -0.7218813856153005, -0.898217540706226}},
      {DType::kFloat64, 3, 10, {3.0861020860508575, 3.5261370516429893, 3.2010290178599714, 3.057472045221024, 3.052880784345263}},
      {DType::kFloat16, -1, 1, {0.0859375, -0.529296875, -0.87890625, -0.158203125, -0.33984375}},
      {DType::kFloat16, -2, 10, {0.5439453125, 0.2073974609375, 0.07354736328125, 0.04644775390625, -1.3017578125}},
      {DType::kFloat16, 3, 10, {3.185546875, 3.587890625, 3.732421875, 3.54296875, 3.3359375}},
  };
  for (const auto& [dtype, low, high, want] : cases) {
    SCOPED_TRACE(testing::Message() << DTypeName(dtype) << " from " << low << " to " << high);
    OpTester op = Stateless(dtype);
    ExpectOutput(op, StatelessScalars(dtype, five_, seed_, 0, 1, low, high), Numbers(dtype, {5}, want));
  }
  OpTester op = Stateless();
  ExpectOutput(op, {Ints({2}, {2, 2}), Ints({2}, {5, 6}), Floats({2}, {0, 10}), Floats({2, 1}, {1, 2}), Floats({2}, {-1, 12}), Tensor::Scalar(20.0f)},
               Floats({2, 2}, {1.023984432220459f, 12.174647331237793f, 0.01584543287754059f, 12.370595932006836f}));
  ExpectOutput(op, {Ints({2}, {2, 3}), seed_, Floats({3}, {0, 1, 2}), Tensor::Scalar(1.0f), Tensor::Scalar(-1.0f), Tensor::Scalar(1.0f)},
               Floats({2, 3}, {0.6881208419799805f, 0.5356727242469788f, 0.674573540687561f, -0.6159093379974365f, 0.20988404750823975f, 0.94989013671875f}));
  const auto many = op.Run(StatelessScalars(DType::kFloat32, Ints({1}, {20000}), seed_, 0, 1, -1, 1));
  ASSERT_TRUE(many.ok()) << many.status();
  const float* samples = (*many)[0].data<float>();
  EXPECT_EQ(samples[299], 0.07131242752075195f);
  EXPECT_EQ(samples[999], 0.343170166015625f);
  ExpectOutput(op, StatelessScalars(DType::kFloat32, Ints({2}, {0, 3}), seed_, 0, 1, -1, 1), Floats({0, 3}, {}));
}

TEST_F(TruncatedNormalOpsTest, Errors) {
  OpTester seeded = Seeded(), stateless = Stateless();
  const struct {
    double mean, deviation, low, high;
    const char* text;
  } cases[] = {{0, 1, 1, -1, "parameters: expected stdevs > 0 and minvals < maxvals, one of them finite, got 1, 1 and -1"},
               {0, 1, 1, 1, "parameters"},
               {0, 0, -1, 1, "parameters"},
               {0, -1, -1, 1, "parameters"},
               {0, kNaN, -1, 1, "parameters"},
               {0, 1, -1, kNaN, "parameters"},
               {0, 1, -kInf, kInf, "parameters"},
               {kNaN, 1, -1, 1, "parameters: expected bounds that some samples fit, got none in 1000"}};
  for (const auto& [mean, deviation, low, high, text] : cases) {
    ExpectInvalid(seeded, Scalars(DType::kFloat32, five_, mean, deviation, low, high), text);
    ExpectInvalid(stateless, StatelessScalars(DType::kFloat32, five_, seed_, mean, deviation, low, high), text);
  }
  const Tensor one = Tensor::Scalar(1.0f), zero = Tensor::Scalar(0.0f), two = Tensor::Scalar(2.0f);
  ExpectInvalid(seeded, {Ints({2}, {2, 3}), Floats({3}, {0, 10, 3}), one, zero, two}, "means: expected one element or shape [2], got shape [3]");
  ExpectInvalid(seeded, {five_, zero, one, zero, Floats({1, 1}, {2})}, "");
  ExpectInvalid(seeded, {Tensor::Scalar(5), zero, one, zero, two}, "shape");
  ExpectInvalid(seeded, {Ints({0}, {}), zero, one, zero, two}, "shape: expected at least 1 dimension, got none");
  ExpectInvalid(seeded, {Ints({1}, {-1}), zero, one, zero, two}, "");
  ExpectInvalid(stateless, {Ints({2}, {2, 3}), seed_, Floats({2}, {0, 1}), one, zero, two}, "shape: expected one that ends with [2] of the parameters, got [2,3]");
  ExpectInvalid(stateless, {Ints({1}, {2}), seed_, Floats({2, 1}, {0, 1}), one, zero, two}, "shape: expected one that ends with [2,1] of the parameters, got [2]");
  ExpectInvalid(stateless, {five_, Ints({3}, {1, 2, 3}), zero, one, zero, two}, "seed");
  EXPECT_FALSE(stateless.Run({five_, seed_, Floats({2}, {0, 1}), Floats({3}, {1, 1, 1}), zero, two}).ok());
}

TEST_F(TruncatedNormalOpsTest, Shapes) {
  const PartialShape unknown, scalar = PartialShape::Of({});
  const Tensor shape = Ints({2}, {2, 3});
  const AttrMap seeded{{"dtype", DType::kFloat32}, {"T", DType::kInt32}}, stateless{{"dtype", DType::kFloat32}, {"S", DType::kInt32}};
  EXPECT_EQ((*InferShapes(library_, "ParameterizedTruncatedNormal", seeded, {PartialShape::Of({2}), unknown, scalar, scalar, scalar}, {&shape}))[0],
            PartialShape::Of({2, 3}));
  EXPECT_EQ((*InferShapes(library_, "ParameterizedTruncatedNormal", seeded, {unknown, unknown, unknown, unknown, unknown}))[0], unknown);
  EXPECT_FALSE(InferShapes(library_, "ParameterizedTruncatedNormal", seeded, {unknown, PartialShape::Of({1, 1}), unknown, unknown, unknown}).ok());
  EXPECT_EQ((*InferShapes(library_, "StatelessParameterizedTruncatedNormal", stateless, {PartialShape::Of({2}), unknown, scalar, unknown, scalar, scalar}))[0],
            PartialShape::UnknownOfRank(2));
  EXPECT_FALSE(InferShapes(library_, "StatelessParameterizedTruncatedNormal", stateless,
                           {unknown, unknown, PartialShape::Of({2}), PartialShape::Of({3}), scalar, scalar}).ok());
}

// The gradients are what TensorFlow gives.
TEST_F(TruncatedNormalOpsTest, Gradients) {
  BuiltGraph g;
  const Output mean = g.b.Constant(Input(Floats({2}, {0.5f, 1}))), deviation = g.b.Constant(Input(Floats({2}, {1, 2})));
  const Output low = g.b.Constant(Input(Tensor::Scalar(-1.0f))), high = g.b.Constant(Input(Floats({1}, {2})));
  const Output y = g.b.Op("StatelessParameterizedTruncatedNormal", {Ints({2}, {3, 2}), seed_, mean, deviation, low, high}).output();
  const Output weights = g.b.Constant(Input(Floats({3, 2}, {1, 2, 3, 4, 5, 6})));
  Outputs grads;
  for (const Grad& grad : Gradients(g.b, {y * weights}, {mean, deviation, low, high})) grads.push_back(grad.dense());
  const auto got = g.Values({}, grads);
  ASSERT_TRUE(got.ok()) << got.status();
  const Tensor want[] = {Floats({2}, {9, 12}), Floats({2}, {1.5340723991394043f, -6.325453281402588f}), Tensor::Scalar(8.073863983154297f),
                         Floats({1}, {4.9918670654296875f})};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(Difference((*got)[i], want[i], 1e-5), "") << i;
}

}  // namespace
}  // namespace flowlatch
