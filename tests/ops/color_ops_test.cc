#include "ops/color_ops.h"

#include <limits>
#include <string>
#include <vector>

#include "graph/build/gradients.h"
#include "graph/build/graph_builder.h"
#include "tests/ops/tensors.h"
#include "tests/testing/built_graph.h"
#include "tools/gradients/check_gradients.h"

namespace flowlatch {
namespace {

constexpr double kTolerance = 2e-6;

class ColorOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterColorOps(library_).ok()); }
  OpTester Op(const std::string& name, DType dtype = DType::kFloat32) { return OpTester(library_, name, {{"T", dtype}}); }

  OpLibrary library_;
  // The answers are TensorFlow's.
  const Tensor images_ = Floats({1, 2, 2, 3}, {.1, .5, .9, .8, .2, .3, .4, .4, .4, 0, 1, .25});
  // Outside [0, 1], and black.
  const Tensor odd_ = Floats({1, 4, 3}, {-.1, .5, .9, 2, .2, .3, 0, 0, 0, 3, 1, 7});
};

TEST_F(ColorOpsTest, Contrast) {
  OpTester op = Op("AdjustContrastv2"), half = Op("AdjustContrastv2", DType::kFloat16);
  const Tensor two = Tensor::Scalar(2.0f);
  ExpectOutput(op, {images_, two},
               Floats({1, 2, 2, 3}, {-.125, .475, 1.3375, 1.275, -.125, .1375, .475, .275, .3375, -.325, 1.475, .0375}),
               kTolerance);
  // Each image has its own means; there may be more dimensions, or no image.
  ExpectOutput(op, {Floats({2, 1, 1, 2, 1}, {1, 3, 10, 20}), two}, Floats({2, 1, 1, 2, 1}, {0, 4, 5, 25}));
  ExpectOutput(op, {Floats({1, 5, 1}, {1, 2, 3, 4, 10}), two}, Floats({1, 5, 1}, {-2, 0, 2, 4, 16}));
  ExpectOutput(half, {Of<Half, float>({1, 2, 1}, {1, 3}), two}, Of<Half, float>({1, 2, 1}, {0, 4}));
  ExpectOutput(op, {Floats({2, 0, 3, 1}, {}), two}, Floats({2, 0, 3, 1}, {}));
}

TEST_F(ColorOpsTest, Hue) {
  OpTester op = Op("AdjustHue");
  const auto turned = [](float green_of_last) {
    return Floats({1, 2, 2, 3}, {.9, .1, .66, .42, .8, .2, .4, .4, .4, green_of_last, 0, 1});
  };
  ExpectOutput(op, {images_, Tensor::Scalar(.3f)}, turned(.05f), kTolerance);
  ExpectOutput(op, {images_, Tensor::Scalar(-1.7f)}, turned(.05f), kTolerance);
  ExpectOutput(op, {odd_, Tensor::Scalar(.3f)},
               Floats({1, 4, 3}, {.9, -.1, .69999969, .65999925, 2, .2, 0, 0, 0, 7, 1.8, 1}), kTolerance);
  // A delta without end gives no hue, and ends.
  EXPECT_TRUE(op.Run({images_, Tensor::Scalar(std::numeric_limits<float>::infinity())}).ok());
  EXPECT_TRUE(op.Run({images_, Tensor::Scalar(-1e30f)}).ok());
}

TEST_F(ColorOpsTest, Saturation) {
  OpTester op = Op("AdjustSaturation");
  ExpectOutput(op, {images_, Tensor::Scalar(.5f)},
               Floats({1, 2, 2, 3}, {.5, .7, .9, .8, .5, .55, .4, .4, .4, .5, 1, .625}), kTolerance);
  ExpectOutput(op, {odd_, Tensor::Scalar(3.0f)},
               Floats({1, 4, 3}, {0, .5399999, .9, 2, 0, .1111116, 0, 0, 0, 2.3333311, 0, 7}), kTolerance);
}

template <typename T>
void CheckConversions(const OpLibrary& library, double tolerance) {
  OpTester to_hsv(library, "RGBToHSV", {{"T", kDTypeOf<T>}}), to_rgb(library, "HSVToRGB", {{"T", kDTypeOf<T>}});
  const Tensor images = Of<T, double>({2, 2, 3}, {.1, .5, .9, .8, .2, .3, .4, .4, .4, 0, 1, .25});
  ExpectOutput(to_hsv, {images},
               Of<T, double>({2, 2, 3}, {.58333333, .88888889, .9, .97222222, .75, .8, 0, 0, .4, .375, 1, 1}), tolerance);
  ExpectOutput(to_rgb, {images},
               Of<T, double>({2, 2, 3}, {.9, .72, .45, .288, .24, .3, .24, .4, .304, .25, 0, 0}), tolerance);
  ExpectOutput(to_hsv, {Of<T, double>({0, 3}, {})}, Of<T, double>({0, 3}, {}));
}

TEST_F(ColorOpsTest, RgbAndHsv) {
  CheckConversions<Half>(library_, 2e-3);
  CheckConversions<BFloat16>(library_, 2e-2);
  CheckConversions<float>(library_, 1e-6);
  CheckConversions<double>(library_, 1e-8);
  OpTester to_hsv = Op("RGBToHSV"), to_rgb = Op("HSVToRGB");
  ExpectOutput(to_hsv, {odd_},
               Floats({1, 4, 3}, {.56666666, 1.1111112, .9, .9907407, .9, 2, 0, 0, 0, .7222223, .8571429, 7}), kTolerance);
  ExpectOutput(to_rgb, {odd_}, Floats({1, 4, 3}, {.9, .45, .45, .3, .24, .24, 0, 0, 0, 7, 0, 0}), kTolerance);
  ExpectOutput(to_rgb, {Floats({3}, {.5, 1, 2})}, Floats({3}, {0, 2, 2}), kTolerance);
}

TEST_F(ColorOpsTest, GradientOfHsv) {
  BuiltGraph g;
  const Output x = g.b.Placeholder(DType::kFloat64, PartialShape(), "x");
  const auto added = AddCheckedGradients(g.b, g.b.Op("RGBToHSV", {x}).output(), {x});
  ASSERT_TRUE(added.ok()) << added.status();
  auto session = g.NewSession();
  ASSERT_TRUE(session.ok()) << session.status();
  // Each channel as the largest and as the smallest.
  const Tensor colors = Of<double>({3, 2, 3}, {.1, .5, .9, .8, .2, .3, .8, .3, .2, .2, .9, .4, .4, .9, .2, .5, .1, .9});
  const auto checks = CheckGradients(**session, *added, {{x.name(), colors}});
  ASSERT_TRUE(checks.ok()) << checks.status();
  EXPECT_EQ((*checks)[0].reason, "");
  EXPECT_TRUE((*checks)[0].Agrees(1e-6)) << "element " << (*checks)[0].worst;
}

TEST_F(ColorOpsTest, GradientOfTies) {
  BuiltGraph g;
  const Output x = g.b.Constant(Floats({5, 3}, {.4, .4, .4, .5, .5, .2, .7, .1, .7, .1, .6, .6, 0, 0, 0}));
  const Output y = g.b.Op("RGBToHSV", {x}).output() * g.b.Constant(Floats({3}, {1, 2, 3}));
  const std::vector<Grad> grads = Gradients(g.b, {y}, {x});
  const auto got = g.Values({}, {grads[0].dense()});
  ASSERT_TRUE(got.ok()) << got.status();
  const Tensor want = Floats({5, 3}, {8, 0, -5, 4.0444444, .55555556, -4, 3.6859412, -2.8571429, -.27777778, -3.3333333,
                                      3.2222222, .33333333, 3, 0, 0});
  EXPECT_EQ(Difference((*got)[0], want, 1e-5), "");
}

TEST_F(ColorOpsTest, Errors) {
  const Tensor one = Tensor::Scalar(1.0f), gray = Floats({1, 1, 2}, {1, 2});
  for (const char* name : {"AdjustContrastv2", "AdjustHue", "AdjustSaturation"}) {
    OpTester op = Op(name);
    ExpectInvalid(op, {Floats({1, 3}, {1, 2, 3}), one}, "images: expected at least 3 dimensions, got shape [1,3]");
    ExpectInvalid(op, {images_, Floats({1}, {1})}, "expected a scalar, got shape [1]");
  }
  for (const char* name : {"AdjustHue", "AdjustSaturation"}) {
    OpTester op = Op(name);
    ExpectInvalid(op, {gray, one}, "images: expected 3 channels, got shape [1,1,2]");
    ExpectInvalid(op, {Floats({0, 3, 2}, {}), one}, "images: expected 3 channels, got shape [0,3,2]");
  }
  for (const char* name : {"RGBToHSV", "HSVToRGB"}) {
    OpTester op = Op(name);
    ExpectInvalid(op, {one}, "images: expected at least 1 dimensions, got shape []");
    EXPECT_EQ(op.Run({gray}).status().code(), absl::StatusCode::kFailedPrecondition);
  }
}

TEST_F(ColorOpsTest, Shapes) {
  const AttrMap attrs{{"T", DType::kFloat32}};
  const auto adjusted = [&](const PartialShape& images, const PartialShape& factor) {
    return InferShapes(library_, "AdjustHue", attrs, {images, factor});
  };
  EXPECT_EQ((*adjusted(PartialShape::Of({2, -1, 3}), PartialShape()))[0], PartialShape::Of({2, -1, 3}));
  EXPECT_EQ((*adjusted(PartialShape(), PartialShape::Of({})))[0], PartialShape());
  EXPECT_FALSE(adjusted(PartialShape::Of({2, 3}), PartialShape()).ok());
  EXPECT_FALSE(adjusted(PartialShape(), PartialShape::Of({1})).ok());
  const auto converted = [&](const PartialShape& images) { return InferShapes(library_, "RGBToHSV", attrs, {images}); };
  EXPECT_EQ((*converted(PartialShape::Of({2, -1})))[0], PartialShape::Of({2, 3}));
  EXPECT_EQ((*converted(PartialShape()))[0], PartialShape());
  ExpectInvalid(converted(PartialShape::Of({2, 4})).status(), "images: expected 3 channels, got shape [2,4]");
}

}  // namespace
}  // namespace flowlatch
