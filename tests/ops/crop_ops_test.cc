#include "ops/crop_ops.h"

#include <limits>
#include <string>
#include <vector>

#include "graph/build/graph_builder.h"
#include "tests/ops/tensors.h"
#include "tests/testing/built_graph.h"
#include "tools/gradients/check_gradients.h"

namespace flowlatch {
namespace {

constexpr double kTolerance = 2e-6;

class CropOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterCropOps(library_).ok()); }
  OpTester Crop(const std::string& method, DType dtype = DType::kFloat32) {
    return OpTester(library_, "CropAndResize", {{"T", dtype}, {"method", method}, {"extrapolation_value", -1.0f}});
  }
  OpTester GradImage(const std::string& method, DType dtype = DType::kFloat32) {
    return OpTester(library_, "CropAndResizeGradImage", {{"T", dtype}, {"method", method}});
  }
  OpTester GradBoxes() { return OpTester(library_, "CropAndResizeGradBoxes", {{"T", DType::kFloat32}}); }
  // first, first + step, ...
  static Tensor Count(std::initializer_list<int64_t> dims, float step) {
    const Shape shape = Shape::Of(dims);
    std::vector<float> values(shape.num_elements());
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) * step;
    return *Tensor::FromValues<float>(shape, values);
  }

  OpLibrary library_;
  // The answers are TensorFlow's.
  const Tensor image_ = Count({2, 3, 4, 2}, 1), grads_ = Count({4, 2, 3, 2}, .1f);
  // All of an image, a part, one that is partly outside, a flipped one.
  const Tensor boxes_ = Floats({4, 4}, {0, 0, 1, 1, .1, .2, .7, .9, -.5, .5, 1.5, 1.2, .8, .8, .2, .1});
  const Tensor index_ = Ints({4}, {0, 1, 0, 1});
  const Tensor size_ = Ints({2}, {2, 3}), image_size_ = Ints({4}, {2, 3, 4, 2});
};

TEST_F(CropOpsTest, Bilinear) {
  OpTester op = Crop("bilinear");
  ExpectOutput(op, {image_, boxes_, index_, size_},
               Floats({4, 2, 3, 2},
                      {0,    1,    3,    4,    6,    7,    16,   17,   19,   20,   22,   23,   26.8, 27.8, 28.9, 29.9,
                       31,   32,   36.4, 37.4, 38.5, 39.5, 40.6, 41.6, -1,   -1,   -1,   -1,   -1,   -1,   -1,   -1,
                       -1,   -1,   -1,   -1,   41.6, 42.6, 39.5, 40.5, 37.4, 38.4, 32,   33,   29.9, 30.9, 27.8, 28.8}),
               kTolerance);
  ExpectOutput(op, {image_, boxes_, index_, Ints({2}, {1, 1})},
               Floats({4, 1, 1, 2}, {11, 12, 33.7, 34.7, 13.1, 14.1, 34.7, 35.7}), kTolerance);
}

TEST_F(CropOpsTest, Nearest) {
  OpTester op = Crop("nearest");
  ExpectOutput(op, {image_, boxes_, index_, size_},
               Floats({4, 2, 3, 2}, {0,  1,  4,  5,  6,  7,  16, 17, 20, 21, 22, 23, 26, 27, 28, 29, 30, 31, 34, 35, 36, 37, 38, 39,
                                     -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 44, 45, 42, 43, 40, 41, 28, 29, 26, 27, 24, 25}));
}

template <typename T>
void CropsPixels(const OpLibrary& library) {
  OpTester op(library, "CropAndResize", {{"T", kDTypeOf<T>}});
  ExpectOutput(op, {Of<T, float>({1, 1, 2, 1}, {2, 5}), Floats({1, 4}, {0, 0, 0, 1}), Ints({1}, {0}), Ints({2}, {1, 3})},
               Floats({1, 1, 3, 1}, {2, 3.5, 5}));
}

TEST_F(CropOpsTest, OtherDTypesAndNothing) {
  CropsPixels<uint8_t>(library_);
  CropsPixels<uint16_t>(library_);
  CropsPixels<int8_t>(library_);
  CropsPixels<int16_t>(library_);
  CropsPixels<int32_t>(library_);
  CropsPixels<int64_t>(library_);
  CropsPixels<Half>(library_);
  CropsPixels<double>(library_);
  OpTester op = Crop("bilinear");
  ExpectOutput(op, {image_, Floats({0, 4}, {}), Ints({0}, {}), size_}, Floats({0, 2, 3, 2}, {}));
  ExpectOutput(op, {Floats({1, 1, 1, 0}, {}), Floats({1, 4}, {0, 0, 1, 1}), Ints({1}, {0}), size_}, Floats({1, 2, 3, 0}, {}));
  // Finite, but too large for what is between the corners: outside.
  ExpectOutput(op, {Floats({1, 1, 1, 1}, {7}), Floats({1, 4}, {-3e38, 0, 3e38, 1}), Ints({1}, {0}), Ints({2}, {2, 1})},
               Floats({1, 2, 1, 1}, {-1, -1}));
}

TEST_F(CropOpsTest, GradientOfImage) {
  OpTester bilinear = GradImage("bilinear"), nearest = GradImage("nearest");
  ExpectOutput(bilinear, {grads_, boxes_, index_, image_size_},
               Floats({2, 3, 4, 2},
                      {0,         .1,        .1,        .15,       .1,        .15,       .4,        .5,
                       0,         0,         0,         0,         0,         0,         0,         0,
                       .6,        .7,        .4,        .45,       .4,        .45,       1,         1.1,
                       2.3159995, 2.3899994, 3.5120003, 3.6450002, 3.5480006, 3.6810005, 1.904,     1.984,
                       2.9359992, 3.0239992, 4.473998,  4.6259999, 4.4740005, 4.6260004, 2.3959999, 2.4839997,
                       1.9679996, 2.0259955, 2.91400,   3.0090003, 2.8780003, 2.97300,   1.48,      1.532}),
               5e-6);
  const Tensor want = Floats({2, 3, 4, 2}, {0,   .1,  0,   0,   .2,  .3,  .4,  .5,  0,   0,   0,   0,   0,   0,   0,   0,
                                            .6,  .7,  0,   0,   .8,  .9,  1,   1.1, 4.6, 4.7, 5.6, 5.8, 5.6, 5.8, 1.6, 1.7,
                                            0,   0,   1.8, 1.9, 2,   2.1, 2.2, 2.3, 4,   4.1, 3.8, 3.9, 3.6, 3.7, 0,   0});
  ExpectOutput(nearest, {grads_, boxes_, index_, image_size_}, want, kTolerance);
  OpTester half = GradImage("nearest", DType::kFloat16), wide = GradImage("nearest", DType::kFloat64);
  const std::vector<Tensor> one = {Floats({1, 1, 1, 1}, {2.5}), Floats({1, 4}, {0, 0, 0, 0}), Ints({1}, {0}), Ints({4}, {1, 1, 2, 1})};
  ExpectOutput(half, one, Of<Half, float>({1, 1, 2, 1}, {2.5, 0}));
  ExpectOutput(wide, one, Of<double>({1, 1, 2, 1}, {2.5, 0}));
}

TEST_F(CropOpsTest, GradientOfBoxes) {
  OpTester op = GradBoxes();
  ExpectOutput(op, {grads_, image_, boxes_, index_},
               Floats({4, 4}, {0, 6.6, 0, 6.6, 139.2, 58.2, 196.8, 67.8, 0, 0, 0, 0, 369.6, 144.6, 427.2, 154.2}), 5e-6);
}

TEST_F(CropOpsTest, Differences) {
  for (const bool of_boxes : {false, true}) {
    BuiltGraph g;
    const Output x = g.b.Placeholder(DType::kFloat32, PartialShape(), "x");
    const Output image = of_boxes ? g.b.Constant(image_) : x, boxes = of_boxes ? x : g.b.Constant(boxes_);
    const Output y = g.b.Op("CropAndResize", {image * image, boxes, index_, size_}).output();
    const auto added = AddCheckedGradients(g.b, y, {x});
    ASSERT_TRUE(added.ok()) << added.status();
    auto session = g.NewSession();
    ASSERT_TRUE(session.ok()) << session.status();
    // No place of these boxes is a pixel, where the slope changes.
    const Tensor inside = Floats({4, 4}, {.12, .13, .81, .84, .1, .2, .7, .9, .21, .55, .7, .6, .8, .8, .2, .1});
    const Tensor value = of_boxes ? inside : Count({2, 3, 4, 2}, .1f);
    const auto checks = CheckGradients(**session, *added, {{x.name(), value}});
    ASSERT_TRUE(checks.ok()) << checks.status();
    EXPECT_EQ((*checks)[0].reason, "");
    EXPECT_TRUE((*checks)[0].Agrees(2e-2)) << "element " << (*checks)[0].worst << ": " << (*checks)[0].gradient << ", "
                                           << (*checks)[0].difference;
  }
}

TEST_F(CropOpsTest, Errors) {
  OpTester op = Crop("bilinear"), image = GradImage("bilinear"), boxes = GradBoxes();
  const Tensor three = Floats({3, 4}, {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1}), none = Floats({2, 0, 4, 2}, {});
  const auto expect_range = [&](OpTester& tester, const std::vector<Tensor>& inputs) {
    const absl::Status status = tester.Run(inputs).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange) << status;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr("box_ind[3]: expected a value in [0,2), got "));
  };
  ExpectInvalid(op, {grads_, Floats({4, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), index_, size_}, "boxes: expected shape [?,4], got [4,3]");
  ExpectInvalid(op, {Floats({1, 1, 1}, {0}), boxes_, index_, size_}, "image: expected 4 dimensions, with rows and columns, got shape [1,1,1]");
  ExpectInvalid(op, {none, boxes_, index_, size_}, "image: expected 4 dimensions, with rows and columns, got shape [2,0,4,2]");
  ExpectInvalid(op, {image_, three, index_, size_}, "box_ind: expected shape [3], got [4]");
  ExpectInvalid(op, {image_, boxes_, index_, Ints({2}, {0, 2})}, "crop_size: expected two positive values, got [0,2]");
  ExpectInvalid(op, {image_, boxes_, index_, Ints({3}, {1, 1, 1})}, "crop_size: expected two positive values, got [1,1,1]");
  const float inf = std::numeric_limits<float>::infinity();
  ExpectInvalid(op, {image_, Floats({1, 4}, {0, inf, 0, 0}), Ints({1}, {0}), size_}, "boxes[0,1]: expected a finite number, got inf");
  expect_range(op, {image_, boxes_, Ints({4}, {0, 1, 0, 2}), size_});
  expect_range(op, {image_, boxes_, Ints({4}, {0, 1, 0, -1}), size_});
  expect_range(image, {grads_, boxes_, Ints({4}, {0, 1, 0, 2}), image_size_});
  expect_range(boxes, {grads_, image_, boxes_, Ints({4}, {0, 1, 0, 2})});
  ExpectInvalid(image, {grads_, boxes_, index_, Ints({4}, {2, 3, 4, 3})}, "grads: expected 4 crops of 3 channels");
  ExpectInvalid(image, {grads_, boxes_, index_, Ints({4}, {-2, 3, 4, 2})}, "dimension");
  ExpectInvalid(image, {grads_, boxes_, index_, Ints({4}, {2, 0, 4, 2})}, "image_size: expected 4 dimensions");
  ExpectInvalid(boxes, {grads_, Floats({2, 1, 1, 1}, {0, 0}), boxes_, index_}, "grads: expected 4 crops of 1 channels");
  ExpectInvalid(boxes, {none, image_, boxes_, index_}, "grads: expected 4 dimensions, with rows and columns");
}

TEST_F(CropOpsTest, Shapes) {
  const PartialShape any;
  const AttrMap attrs{{"T", DType::kFloat32}};
  const auto crop = [&](const PartialShape& image, const PartialShape& boxes, const Tensor* size) {
    return InferShapes(library_, "CropAndResize", attrs, {image, boxes, any, any}, {nullptr, nullptr, nullptr, size});
  };
  EXPECT_EQ((*crop(PartialShape::Of({2, 3, 4, 5}), PartialShape::Of({7, 4}), &size_))[0], PartialShape::Of({7, 2, 3, 5}));
  EXPECT_EQ((*crop(any, any, nullptr))[0], PartialShape::UnknownOfRank(4));
  EXPECT_FALSE(crop(PartialShape::Of({2, 3}), any, nullptr).ok());
  EXPECT_FALSE(crop(any, PartialShape::Of({7, 3}), nullptr).ok());
  EXPECT_EQ((*InferShapes(library_, "CropAndResizeGradImage", attrs, {any, any, any, PartialShape::Of({4})},
                          {nullptr, nullptr, nullptr, &image_size_}))[0],
            PartialShape::Of({2, 3, 4, 2}));
  EXPECT_EQ((*InferShapes(library_, "CropAndResizeGradBoxes", attrs, {any, any, any, PartialShape::Of({6})}))[0],
            PartialShape::Of({6, 4}));
}

}  // namespace
}  // namespace flowlatch
