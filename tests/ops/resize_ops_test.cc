#include "ops/resize_ops.h"

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

constexpr double kTolerance = 1e-5;

struct Corners {
  bool align, half_pixel;
};

class ResizeOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterResizeOps(library_).ok()); }
  OpTester Op(const std::string& name, Corners corners = {false, false}, DType dtype = DType::kFloat32) {
    return OpTester(library_, name,
                    {{"T", dtype}, {"align_corners", corners.align}, {"half_pixel_centers", corners.half_pixel}});
  }
  // The gradient of the images for grads_, and what they become in shape [3,4]; the answers are TensorFlow's.
  void Check(const std::string& op, Corners corners, const Tensor& resized, const Tensor& gradient) {
    OpTester forward = Op(op, corners), backward = Op(op + "Grad", corners);
    ExpectOutputs(forward, {images_, Ints({2}, {3, 4})}, {resized}, kTolerance);
    const Tensor second = op == "ResizeNearestNeighbor" ? Ints({2}, {2, 3}) : images_;
    ExpectOutputs(backward, {grads_, second}, {gradient}, kTolerance);
  }
  static Tensor Resized(std::initializer_list<float> values) { return Floats({1, 3, 4, 1}, values); }
  static Tensor Gradient(std::initializer_list<float> values) { return Floats({1, 2, 3, 1}, values); }

  OpLibrary library_;
  const Tensor images_ = Floats({1, 2, 3, 1}, {1, 5, 2, 8, 3, 9});
  const Tensor grads_ = Floats({1, 3, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
};

TEST_F(ResizeOpsTest, Bilinear) {
  Check("ResizeBilinear", {false, false},
        Resized({1, 4, 3.5, 2, 5.666667, 4.1666665, 5.166667, 6.666667, 8, 4.25, 6, 9}),
        Gradient({3.6666665, 5.6666665, 9.333333, 15.833333, 18.333334, 25.166668}));
  Check("ResizeBilinear", {true, false}, Resized({1, 3.6666667, 4, 2, 4.5, 4.1666665, 4.5, 5.5, 8, 4.6666665, 5, 9}),
        Gradient({5.1666665, 7.666666, 10.166667, 15.833333, 18.333332, 20.833334}));
  Check("ResizeBilinear", {false, true}, Resized({1, 3.5, 3.875, 2, 4.5, 4.1875, 4.5625, 5.5, 8, 4.875, 5.25, 9}),
        Gradient({5.375, 7.1875, 10.4375, 16.375, 17.187498, 21.4375}));
}

TEST_F(ResizeOpsTest, Bicubic) {
  Check("ResizeBicubic", {false, false},
        Resized({1, 4.4101562, 3.875, 1.6835938, 5.7987647, 3.78621, 5.010422, 7.133085, 8.777778, 3.3988714, 5.7152777,
                 10.516059}),
        Gradient({1.8281403, 4.2555094, 7.425705, 15.281236, 21.502304, 27.70711}));
  Check("ResizeBicubic", {true, false},
        Resized({1, 4.0754848, 4.5010576, 2, 4.5, 3.9905648, 4.4161377, 5.5, 8, 3.9056447, 4.331218, 9}),
        Gradient({4.350089, 9.161462, 9.488449, 13.976899, 21.907845, 19.11526}));
  Check("ResizeBicubic", {false, true},
        Resized({0.2988453, 3.66954, 4.112945, 1.351084, 4.526119, 4.081384, 4.52479, 5.578358, 8.753393, 4.4932284,
                 4.936633, 9.805631}),
        Gradient({4.3786254, 6.734124, 9.778807, 16.650043, 18.40817, 22.050226}));
}

TEST_F(ResizeOpsTest, NearestNeighbor) {
  Check("ResizeNearestNeighbor", {false, false}, Resized({1, 1, 5, 2, 1, 1, 5, 2, 8, 8, 3, 9}),
        Gradient({14, 10, 12, 19, 11, 12}));
  Check("ResizeNearestNeighbor", {true, false}, Resized({1, 5, 5, 2, 8, 3, 3, 9, 8, 3, 3, 9}),
        Gradient({1, 5, 4, 14, 34, 20}));
  Check("ResizeNearestNeighbor", {false, true}, Resized({1, 5, 5, 2, 8, 3, 3, 9, 8, 3, 3, 9}),
        Gradient({1, 5, 4, 14, 34, 20}));
}

TEST_F(ResizeOpsTest, Area) {
  const auto area = [&](bool align) {
    return OpTester(library_, "ResizeArea", {{"T", DType::kFloat32}, {"align_corners", align}});
  };
  OpTester plain = area(false), aligned = area(true);
  const auto expect = [&](OpTester& op, int32_t height, int32_t width, std::initializer_list<float> values) {
    ExpectOutputs(op, {images_, Ints({2}, {height, width})}, {Floats({1, height, width, 1}, values)}, kTolerance);
  };
  expect(plain, 3, 4, {1, 3.6666667, 4, 2, 4.5, 4.1666667, 4.5, 5.5, 8, 4.6666667, 5, 9});
  expect(plain, 1, 2, {4.3333333, 5});
  expect(plain, 1, 1, {4.6666667});
  expect(aligned, 3, 4, {1, 3, 5, 2, 1, 3, 5, 2, 8, 5.5, 3, 9});
  expect(aligned, 1, 2, {4.25, 5.5});
  OpTester ints(library_, "ResizeArea", {{"T", DType::kInt32}});
  ExpectOutputs(ints, {Ints({1, 1, 3, 2}, {0, 1, 2, 3, 4, 5}), Ints({2}, {2, 1})}, {Floats({1, 2, 1, 2}, {2, 3, 2, 3})}, kTolerance);
  ExpectOutputs(plain, {Floats({0, 2, 3, 1}, {}), Ints({2}, {1, 1})}, {Floats({0, 1, 1, 1}, {})});
  ExpectInvalid(plain, {images_, Ints({2}, {0, 1})}, "size: expected two positive values, got [0,1]");
  ExpectInvalid(plain, {Floats({1, 0, 3, 1}, {}), Ints({2}, {1, 1})}, "images: expected pixels and channels");
}

TEST_F(ResizeOpsTest, OtherDTypesChannelsAndNoImages) {
  OpTester ints = Op("ResizeBilinear", {false, false}, DType::kInt32);
  ExpectOutputs(ints, {Ints({1, 2, 3, 1}, {1, 5, 2, 8, 3, 9}), Ints({2}, {1, 2})}, {Floats({1, 1, 2, 1}, {1, 3.5})});
  OpTester nearest = Op("ResizeNearestNeighbor", {false, false}, DType::kInt32);
  ExpectOutputs(nearest, {Ints({2, 1, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), Ints({2}, {2, 1})},
                {Ints({2, 2, 1, 2}, {1, 2, 1, 2, 5, 6, 5, 6})});
  OpTester bilinear = Op("ResizeBilinear");
  ExpectOutputs(bilinear, {Floats({0, 2, 3, 1}, {}), Ints({2}, {3, 4})}, {Floats({0, 3, 4, 1}, {})});
}

TEST_F(ResizeOpsTest, Errors) {
  OpTester op = Op("ResizeBilinear"), grad = Op("ResizeBilinearGrad");
  ExpectInvalid(op, {Floats({2, 3, 1}, {1, 2, 3, 4, 5, 6}), Ints({2}, {1, 1})},
                "images: expected 4 dimensions, got shape [2,3,1]");
  ExpectInvalid(op, {Floats({1, 0, 3, 1}, {}), Ints({2}, {1, 1})},
                "images: expected pixels and channels, got shape [1,0,3,1]");
  ExpectInvalid(op, {images_, Ints({2}, {0, 1})}, "size: expected two positive values, got [0,1]");
  ExpectInvalid(op, {images_, Ints({3}, {1, 1, 1})}, "size: expected two positive values, got [1,1,1]");
  ExpectInvalid(grad, {grads_, Floats({2, 1, 1, 1}, {0, 0})},
                "grads: expected the batch and channels of images of shape [2,1,1,1]");
  OpTester both = Op("ResizeBilinear", {true, true});
  ExpectInvalid(both, {images_, Ints({2}, {3, 4})}, "half_pixel_centers: expected false with align_corners, got true");
}

TEST_F(ResizeOpsTest, Shapes) {
  const AttrMap attrs{{"T", DType::kFloat32}};
  const Tensor size = Ints({2}, {3, 4});
  const auto shape = [&](const PartialShape& images, const Tensor* constant) {
    return InferShapes(library_, "ResizeBilinear", attrs, {images, PartialShape::Of({2})}, {nullptr, constant});
  };
  EXPECT_EQ((*shape(PartialShape::Of({-1, 2, 3, 5}), &size))[0], PartialShape::Of({-1, 3, 4, 5}));
  EXPECT_EQ((*shape(PartialShape::Of({7, 2, 3, 5}), nullptr))[0], PartialShape::Of({7, -1, -1, 5}));
  EXPECT_EQ((*shape(PartialShape(), &size))[0], PartialShape::Of({-1, 3, 4, -1}));
  EXPECT_FALSE(shape(PartialShape::Of({2, 3}), &size).ok());
}

}  // namespace
}  // namespace flowlatch
