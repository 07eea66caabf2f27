#include "ops/image_transform_ops.h"

#include <limits>
#include <string>
#include <vector>

#include "graph/build/gradients.h"
#include "graph/build/graph_builder.h"
#include "tests/ops/numbers.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

class ImageTransformOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterImageTransformOps(library_).ok()); }
  static AttrMap Attrs(const std::string& interpolation, const std::string& mode, DType dtype = DType::kFloat32) {
    return {{"dtype", dtype}, {"interpolation", interpolation}, {"fill_mode", mode}};
  }
  OpTester V2(const std::string& interpolation, const std::string& mode, DType dtype = DType::kFloat32) {
    return OpTester(library_, "ImageProjectiveTransformV2", Attrs(interpolation, mode, dtype));
  }
  OpTester V3(const std::string& interpolation, const std::string& mode, DType dtype = DType::kFloat32) {
    return OpTester(library_, "ImageProjectiveTransformV3", Attrs(interpolation, mode, dtype));
  }

  OpLibrary library_;
  const Tensor image_ = Floats({1, 3, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), size_ = Ints({2}, {3, 4});
  const Tensor shift_ = Floats({1, 8}, {1, 0, -1.5f, 0, 1, 0.5f, 0, 0}), rot_ = Floats({1, 8}, {0.8f, -0.6f, 1, 0.6f, 0.8f, -2, 0, 0});
  const Tensor proj_ = Floats({1, 8}, {1, 0.2f, -3, 0.1f, 1, 2, 0.05f, -0.1f}), far_ = Floats({1, 8}, {1, 0, -20.25f, 0, 1, 17.5f, 0, 0});
};

// What TensorFlow 2.21 gives.
TEST_F(ImageTransformOpsTest, AsTensorFlow) {
  const struct {
    const char *mode, *interpolation;
    const Tensor& transform;
    std::initializer_list<float> want;
  } cases[] = {
      {"CONSTANT", "BILINEAR", shift_, {0, 1.5f, 3.5f, 0, 3.5f, 7.5f}},
      {"CONSTANT", "BILINEAR", rot_, {0, 0, 0.720000147819519f, 0, 0.8800002336502075f, 3}},
      {"CONSTANT", "BILINEAR", proj_, {0, 0, 0.818182110786438f, 0, 0, 0}},
      {"CONSTANT", "BILINEAR", far_, {0, 0, 0, 0, 0, 0}},
      {"CONSTANT", "NEAREST", shift_, {0, 0, 6, 0, 0, 10}},
      {"CONSTANT", "NEAREST", rot_, {0, 0, 0, 0, 0, 3}},
      {"CONSTANT", "NEAREST", proj_, {0, 0, 0, 0, 0, 0}},
      {"CONSTANT", "NEAREST", far_, {0, 0, 0, 0, 0, 0}},
      {"REFLECT", "BILINEAR", shift_, {3.5f, 3, 3.5f, 7.5f, 7, 7.5f}},
      {"REFLECT", "BILINEAR", rot_, {6, 4.399999618530273f, 3.5999999046325684f, 2.200000047683716f, 2.200000047683716f, 3}},
      {"REFLECT", "BILINEAR", proj_, {11, 9.904762268066406f, 9, 9.777776718139648f, 8.842105865478516f, 8.199999809265137f}},
      {"REFLECT", "BILINEAR", far_, {4, 3.25f, 2.25f, 6, 5.25f, 4.25f}},
      {"REFLECT", "NEAREST", shift_, {6, 5, 6, 10, 9, 10}},
      {"REFLECT", "NEAREST", rot_, {6, 3, 4, 1, 2, 3}},
      {"REFLECT", "NEAREST", proj_, {11, 10, 9, 11, 10, 9}},
      {"REFLECT", "NEAREST", far_, {4, 3, 2, 8, 7, 6}},
      {"WRAP", "BILINEAR", shift_, {5.5f, 6, 3.5f, 9.5f, 10, 7.5f}},
      {"WRAP", "BILINEAR", rot_, {10, 9.199999809265137f, 11.600000381469727f, 8.59999942779541f, 10.199999809265137f, 3}},
      {"WRAP", "BILINEAR", proj_, {12, 11.095237731933594f, 12, 5.333333969116211f, 4.157894611358643f, 4.800000190734863f}},
      {"WRAP", "BILINEAR", far_, {4, 4, 4, 4, 4, 4}},
      {"WRAP", "NEAREST", shift_, {8, 8, 6, 12, 12, 10}},
      {"WRAP", "NEAREST", rot_, {10, 11, 12, 9, 10, 3}},
      {"WRAP", "NEAREST", proj_, {12, 11, 12, 4, 3, 4}},
      {"WRAP", "NEAREST", far_, {4, 4, 4, 4, 4, 4}},
      {"NEAREST", "BILINEAR", shift_, {3, 3, 3.5f, 7, 7, 7.5f}},
      {"NEAREST", "BILINEAR", rot_, {2, 2.799999952316284f, 3.5999999046325684f, 1.399999976158142f, 2.200000047683716f, 3}},
      {"NEAREST", "BILINEAR", proj_, {9, 9, 9, 9, 9, 9}},
      {"NEAREST", "BILINEAR", far_, {9, 9, 9, 9, 9, 9}},
      {"NEAREST", "NEAREST", shift_, {5, 5, 6, 9, 9, 10}},
      {"NEAREST", "NEAREST", rot_, {2, 3, 4, 1, 2, 3}},
      {"NEAREST", "NEAREST", proj_, {9, 9, 9, 9, 9, 9}},
      {"NEAREST", "NEAREST", far_, {9, 9, 9, 9, 9, 9}},
  };
  for (const auto& [mode, interpolation, transform, want] : cases) {
    SCOPED_TRACE(std::string(mode) + " " + interpolation + " " + transform.DebugString());
    OpTester op = V2(interpolation, mode);
    ExpectOutput(op, {image_, transform, Ints({2}, {2, 3})}, Floats({1, 2, 3, 1}, want), 1e-6);
  }
}

TEST_F(ImageTransformOpsTest, FillValuesAndDTypes) {
  OpTester floats = V3("BILINEAR", "CONSTANT"), bytes = V3("BILINEAR", "CONSTANT", DType::kUInt8), longs = V2("NEAREST", "CONSTANT", DType::kInt64);
  ExpectOutput(floats, {image_, shift_, size_, Tensor::Scalar(7.5f)},
               Floats({1, 3, 4, 1}, {7.5f, 5.25f, 3.5f, 4.5f, 7.5f, 7.25f, 7.5f, 8.5f, 7.5f, 7.875f, 8.5f, 9}));
  ExpectOutput(bytes, {Of<uint8_t>({1, 3, 4, 1}, {20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220, 240}), rot_, size_, Tensor::Scalar(-1.0f)},
               Of<uint8_t>({1, 3, 4, 1}, {255, 255, 218, 171, 255, 170, 60, 124, 142, 48, 112, 176}));
  OpTester ints = V3("BILINEAR", "CONSTANT", DType::kInt32);
  ExpectOutput(ints, {Ints({1, 3, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), rot_, size_, Tensor::Scalar(7.9f)},
               Ints({1, 3, 4, 1}, {7, 7, 6, 5, 7, 5, 3, 6, 4, 2, 5, 8}));
  const int64_t large = int64_t{1} << 60;
  ExpectOutput(longs, {Longs({1, 1, 2, 1}, {large + 1, large + 3}), Floats({1, 8}, {-1, 0, 1, 0, 1, 0, 0, 0}), Ints({2}, {1, 2})},
               Longs({1, 1, 2, 1}, {large + 3, large + 1}));
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat64}) {
    OpTester op = V2("BILINEAR", "CONSTANT", dtype);
    ExpectOutput(op, {Numbers(dtype, {1, 1, 2, 1}, {1, 2}), Floats({1, 8}, {1, 0, 0.5f, 0, 1, 0, 0, 0}), Ints({2}, {1, 2})},
                 Numbers(dtype, {1, 1, 2, 1}, {1.5, 1}));
  }
}

TEST_F(ImageTransformOpsTest, Batches) {
  OpTester op = V2("NEAREST", "CONSTANT");
  const Tensor two = Floats({2, 1, 2, 2}, {1, -1, 2, -2, 3, -3, 4, -4}), size = Ints({2}, {1, 2});
  const Tensor back = Floats({1, 8}, {-1, 0, 1, 0, 1, 0, 0, 0});
  ExpectOutput(op, {two, back, size}, Floats({2, 1, 2, 2}, {2, -2, 1, -1, 4, -4, 3, -3}));
  ExpectOutput(op, {two, Floats({2, 8}, {1, 0, 0, 0, 1, 0, 0, 0, -1, 0, 1, 0, 1, 0, 0, 0}), size}, Floats({2, 1, 2, 2}, {1, -1, 2, -2, 4, -4, 3, -3}));
  ExpectOutput(op, {Floats({0, 3, 4, 1}, {}), shift_, size_}, Floats({0, 3, 4, 1}, {}));
  for (const char* mode : {"CONSTANT", "REFLECT", "WRAP", "NEAREST"}) {
    OpTester empty = V2("BILINEAR", mode), single = V2("BILINEAR", mode);
    ExpectOutput(empty, {Floats({1, 0, 4, 1}, {}), shift_, Ints({2}, {1, 2})}, Floats({1, 1, 2, 1}, {0, 0}));
    ExpectOutput(single, {Floats({1, 1, 1, 1}, {5}), far_, Ints({2}, {1, 1})}, Floats({1, 1, 1, 1}, {std::string(mode) == "CONSTANT" ? 0.0f : 5.0f}));
  }
  const Tensor large = *Tensor::Zeros(DType::kFloat32, Shape::Of({4, 200, 300, 3}));
  ExpectOutput(op, {large, rot_, Ints({2}, {300, 200})}, *Tensor::Zeros(DType::kFloat32, Shape::Of({4, 300, 200, 3})));
}

TEST_F(ImageTransformOpsTest, NumbersThatAreNoPlaces) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  OpTester constant = V3("NEAREST", "CONSTANT");
  ExpectOutput(constant, {image_, Floats({1, 8}, {1, 0, 0, 0, 1, 0, -1, 0}), Ints({2}, {1, 2}), Tensor::Scalar(9.0f)}, Floats({1, 1, 2, 1}, {1, 9}));
  for (const char* mode : {"CONSTANT", "REFLECT", "WRAP", "NEAREST"}) {
    OpTester nearest = V2("NEAREST", mode), ints = V2("BILINEAR", mode, DType::kInt32);
    ExpectOutput(nearest, {image_, Floats({1, 8}, {nan, nan, nan, nan, nan, nan, nan, nan}), Ints({2}, {1, 2})}, Floats({1, 1, 2, 1}, {0, 0}));
    for (const float value : {nan, inf, -inf, 1e38f, -1e38f}) {
      EXPECT_TRUE(ints.Run({Ints({1, 1, 1, 1}, {1}), Floats({1, 8}, {1, 0, value, value, 1, 0, 0, value}), size_}).ok());
      EXPECT_TRUE(nearest.Run({image_, Floats({1, 8}, {1, 0, value, value, 1, 0, 0, value}), size_}).ok());
    }
  }
}

TEST_F(ImageTransformOpsTest, Errors) {
  OpTester op = V2("NEAREST", "CONSTANT"), v3 = V3("NEAREST", "CONSTANT");
  ExpectInvalid(op, {Floats({3, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), shift_, size_}, "");
  ExpectInvalid(op, {image_, Floats({8}, {1, 0, 0, 0, 1, 0, 0, 0}), size_}, "");
  ExpectInvalid(op, {image_, Floats({1, 7}, {1, 0, 0, 0, 1, 0, 0}), size_}, "");
  ExpectInvalid(op, {image_, Floats({0, 8}, {}), size_}, "transforms: expected shape [1,8] or [1,8], got [0,8]");
  ExpectInvalid(op, {image_, shift_, Ints({1}, {3})}, "output_shape");
  ExpectInvalid(op, {image_, shift_, Ints({2}, {0, 3})}, "output_shape: expected 2 values > 0, got [0,3]");
  ExpectInvalid(op, {image_, shift_, Ints({2}, {-1, 3})}, "");
  ExpectInvalid(v3, {image_, shift_, size_, Floats({1}, {1})}, "");
  OpTester lower = V2("bilinear", "CONSTANT"), mode = V2("NEAREST", "X");
  ExpectInvalid(lower, {image_, shift_, size_}, "interpolation: expected NEAREST or BILINEAR, got 'bilinear'");
  ExpectInvalid(mode, {image_, shift_, size_}, "fill_mode: expected CONSTANT, REFLECT, WRAP or NEAREST, got 'X'");
  EXPECT_FALSE(op.Run({image_, shift_, Ints({2}, {2147483647, 2147483647})}).ok());
}

TEST_F(ImageTransformOpsTest, Shapes) {
  const PartialShape unknown;
  const auto infer = [&](const PartialShape& images, const PartialShape& transforms, const Tensor* size) {
    return InferShapes(library_, "ImageProjectiveTransformV2", Attrs("NEAREST", "CONSTANT"), {images, transforms, PartialShape::Of({2})}, {nullptr, nullptr, size});
  };
  EXPECT_EQ((*infer(PartialShape::Of({-1, 5, 6, 3}), unknown, &size_))[0], PartialShape::Of({-1, 3, 4, 3}));
  EXPECT_EQ((*infer(unknown, unknown, nullptr))[0], PartialShape::UnknownOfRank(4));
  EXPECT_FALSE(infer(PartialShape::Of({5, 6, 3}), unknown, &size_).ok());
  EXPECT_FALSE(infer(unknown, PartialShape::Of({1, 7}), &size_).ok());
}

TEST_F(ImageTransformOpsTest, GradientsAsTensorFlow) {
  BuiltGraph g;
  const Output image = g.b.Constant(Input(image_));
  const Output y = g.b.Op("ImageProjectiveTransformV2", {image, rot_, size_}, {{"interpolation", "BILINEAR"}}).output();
  const Output weights = g.b.Constant(Input(Floats({1, 3, 4, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})));
  const auto got = g.Values({}, {Gradients(g.b, {y * weights}, {image})[0].dense()});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(Difference((*got)[0], Floats({1, 3, 4, 1}, {6.72f, 7.6f, 6, 4.4f, 0, 5.88f, 9.8f, 4.68f, 0, 0, 3.52f, 0}), 1e-5), "");
}

}  // namespace
}  // namespace flowlatch
