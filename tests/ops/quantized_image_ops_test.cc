#include "ops/quantized_image_ops.h"

#include "tests/ops/quantized_tensors.h"

namespace flowlatch {
namespace {

constexpr DType kByte = DType::kQUInt8, kSignedByte = DType::kQInt8, kWord = DType::kQInt32;

// The answers are TensorFlow's.
class QuantizedImageOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterQuantizedImageOps(library_).ok()); }
  OpTester Conv(DType filter, const std::string& padding) {
    return OpTester(library_, "QuantizedConv2D", ConvAttrs(filter, padding));
  }
  static AttrMap ConvAttrs(DType filter, const std::string& padding) {
    return {{"Tinput", kByte},
            {"Tfilter", filter},
            {"out_type", kWord},
            {"strides", std::vector<int64_t>{1, 1, 1, 1}},
            {"padding", padding}};
  }
  static AttrMap PoolAttrs(DType dtype, std::vector<int64_t> ksize, std::vector<int64_t> strides, const std::string& padding) {
    return {{"T", dtype}, {"ksize", ksize}, {"strides", strides}, {"padding", padding}};
  }
  OpTester Resize(DType dtype, bool align_corners, bool half_pixel_centers) {
    return OpTester(library_, "QuantizedResizeBilinear",
                    {{"T", dtype}, {"align_corners", align_corners}, {"half_pixel_centers", half_pixel_centers}});
  }

  OpLibrary library_;
  const Tensor x_ = Bytes({1, 3, 3, 1}, {0, 10, 128, 255, 30, 40, 1, 2, 77});
  const Tensor filter_ = Bytes({2, 2, 1, 1}, {0, 100, 200, 255});
};

TEST_F(QuantizedImageOpsTest, ConvWithUnsignedFilter) {
  OpTester same = Conv(kByte, "SAME"), valid = Conv(kByte, "VALID");
  const Tensor low = End(-264204.094f), high = End(264204.094f);
  ExpectOutputs(same, {x_, filter_, End(-1), End(1), End(0), End(4)},
                {Words({1, 3, 3, 1}, {-11390, -42040, -17600, -67330, -47005, -10200, -12600, -5100, 0}), low, high});
  ExpectOutputs(valid, {x_, filter_, End(-1), End(1), End(0), End(4)},
                {Words({1, 2, 2, 1}, {-11390, -42040, -67330, -47005}), low, high});
  // A range without 0.
  ExpectOutputs(same, {x_, filter_, End(1), End(3), End(0), End(4)},
                {Words({1, 3, 3, 1}, {130690, 100040, 33600, 74750, 95075, 41000, 13000, 20500, 0}), low, high});
  ExpectOutput(valid, {Bytes({0, 3, 3, 1}, {}), filter_, End(0), End(1), End(0), End(1)}, Words({0, 2, 2, 1}, {}));
}

TEST_F(QuantizedImageOpsTest, ConvWithSignedFilter) {
  OpTester same = Conv(kSignedByte, "SAME"), valid = Conv(kSignedByte, "VALID");
  const Tensor filter = SignedBytes({2, 2, 1, 1}, {0, 100, -128, 127});
  ExpectOutputs(valid, {x_, filter, End(0), End(1), End(-4), End(4)},
                {Words({1, 2, 2, 1}, {-27830, 14040, 3126, 13523}), End(-265244.25f), End(265244.25f)}, 1e-6);
  ExpectOutputs(same, {x_, filter, End(-1), End(1), End(-2), End(4)},
                {Words({1, 3, 3, 1}, {-27830, 14040, -5120, 3126, 13523, -9856, 200, 7700, 0}), End(-397866.375f), End(397866.375f)},
                1e-6);
}

TEST_F(QuantizedImageOpsTest, Pools) {
  const std::vector<int64_t> window = {1, 2, 2, 1}, ones = {1, 1, 1, 1};
  OpTester max(library_, "QuantizedMaxPool", PoolAttrs(kByte, window, ones, "SAME"));
  ExpectOutputs(max, {x_, End(-1), End(1)}, {Bytes({1, 3, 3, 1}, {255, 128, 128, 255, 77, 77, 2, 77, 77}), End(-1), End(1)});
  OpTester mean(library_, "QuantizedAvgPool", PoolAttrs(kByte, window, ones, "SAME"));
  ExpectOutputs(mean, {x_, End(-1), End(1)}, {Bytes({1, 3, 3, 1}, {74, 52, 84, 72, 37, 58, 2, 40, 77}), End(-1), End(1)});
  const Tensor y = SignedBytes({1, 3, 3, 1}, {0, 10, 127, -128, -30, 40, 1, 2, 77});
  OpTester signed_max(library_, "QuantizedMaxPool", PoolAttrs(kSignedByte, window, window, "SAME"));
  ExpectOutput(signed_max, {y, End(-1), End(1)}, SignedBytes({1, 2, 2, 1}, {10, 127, 2, 77}));
  OpTester signed_mean(library_, "QuantizedAvgPool", PoolAttrs(kSignedByte, window, window, "SAME"));
  ExpectOutput(signed_mean, {y, End(-1), End(1)}, SignedBytes({1, 2, 2, 1}, {-37, 84, 2, 77}));
  ExpectOutput(mean, {Bytes({2, 3, 3, 0}, {}), End(-1), End(1)}, Bytes({2, 3, 3, 0}, {}));
  OpTester valid(library_, "QuantizedMaxPool", PoolAttrs(kByte, window, ones, "VALID"));
  ExpectOutput(valid, {Bytes({1, 2, 3, 2}, {1, 9, 2, 8, 3, 7, 4, 6, 5, 5, 6, 4}), End(-1), End(1)}, Bytes({1, 1, 2, 2}, {5, 9, 6, 8}));
}

TEST_F(QuantizedImageOpsTest, Resize) {
  const Tensor size = Ints({2}, {2, 5}), low = End(-1), high = End(1);
  OpTester plain = Resize(kByte, false, false), aligned = Resize(kByte, true, false), centred = Resize(kByte, false, true);
  ExpectOutputs(plain, {x_, size, low, high}, {Bytes({1, 2, 5, 1}, {0, 6, 33, 104, 128, 128, 62, 24, 49, 59}), low, high});
  ExpectOutput(aligned, {x_, size, low, high}, Bytes({1, 2, 5, 1}, {0, 5, 10, 69, 128, 1, 2, 2, 40, 77}));
  ExpectOutput(centred, {x_, size, low, high}, Bytes({1, 2, 5, 1}, {64, 44, 15, 69, 106, 65, 43, 9, 43, 68}));
  OpTester both = Resize(kByte, true, true);
  ExpectOutput(both, {x_, size, low, high}, Bytes({1, 2, 5, 1}, {128, 101, 47, 36, 68, 1, 1, 2, 21, 58}));
  const Tensor words = Words({1, 2, 2, 1}, {-2000000000, 7, 1000000000, 123456789}), row = Ints({2}, {1, 3});
  OpTester wide = Resize(kWord, false, false), wide_centred = Resize(kWord, false, true);
  ExpectOutput(wide, {words, row, low, high}, Words({1, 1, 3, 1}, {-1999999999, -666666621, 7}));
  ExpectOutput(wide_centred, {words, row, low, high}, Words({1, 1, 3, 1}, {-499999999, -219135800, 61728400}));
  OpTester floats = Resize(DType::kFloat32, false, false);
  ExpectOutput(floats, {Floats({1, 1, 2, 1}, {1, 2}), Ints({2}, {1, 4}), low, high}, Floats({1, 1, 4, 1}, {1, 1.5, 2, 2}));
  ExpectOutput(plain, {Bytes({0, 2, 2, 1}, {}), size, low, high}, Bytes({0, 2, 5, 1}, {}));
}

TEST_F(QuantizedImageOpsTest, WhatDoesNotFit) {
  OpTester conv = Conv(kByte, "VALID"), resize = Resize(kByte, false, false);
  ExpectInvalid(conv, {filter_, x_, End(0), End(1), End(0), End(1)}, "expected the input's 1 channels, got 3");
  ExpectInvalid(conv, {x_, Bytes({0, 2, 1, 1}, {}), End(0), End(1), End(0), End(1)}, "filter: expected a window");
  ExpectInvalid(conv, {x_, Bytes({5, 2, 1, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), End(0), End(1), End(0), End(1)}, "");
  ExpectInvalid(conv, {x_, Bytes({1}, {1}), End(0), End(1), End(0), End(1)}, "filter: expected 4 dimensions");
  ExpectInvalid(conv, {x_, filter_, Floats({0}, {}), End(1), End(0), End(1)}, "range of input: expected one element");
  ExpectInvalid(resize, {Bytes({1}, {1}), Ints({2}, {1, 1}), End(0), End(1)}, "images: expected 4 dimensions");
  ExpectInvalid(resize, {Bytes({1, 0, 1, 1}, {}), Ints({2}, {1, 1}), End(0), End(1)}, "images: expected rows and columns");
  ExpectInvalid(resize, {x_, Ints({2}, {0, 1}), End(0), End(1)}, "size: expected two positive values");
  ExpectInvalid(resize, {x_, Ints({3}, {1, 1, 1}), End(0), End(1)}, "size: expected two positive values");
  ExpectInvalid(resize, {x_, Ints({2}, {1, 1}), Floats({0}, {}), End(1)}, "range of images");
  for (const char* op : {"QuantizedMaxPool", "QuantizedAvgPool"}) {
    OpTester over_channels(library_, op, PoolAttrs(kByte, {1, 1, 1, 2}, {1, 1, 1, 2}, "VALID"));
    EXPECT_EQ(over_channels.Run({x_, End(0), End(1)}).status().code(), absl::StatusCode::kUnimplemented);
    OpTester nothing(library_, op, PoolAttrs(kByte, {1, 0, 1, 1}, {1, 1, 1, 1}, "VALID"));
    ExpectInvalid(nothing, {x_, End(0), End(1)}, "ksize: expected values above 0");
    OpTester few(library_, op, PoolAttrs(kByte, {1, 2}, {1, 1, 1, 1}, "VALID"));
    ExpectInvalid(few, {x_, End(0), End(1)}, "ksize: expected 4 values, got 2");
    OpTester plain(library_, op, PoolAttrs(kByte, {1, 2, 2, 1}, {1, 1, 1, 1}, "VALID"));
    ExpectInvalid(plain, {Bytes({2}, {1, 2}), End(0), End(1)}, "input: expected 4 dimensions");
    ExpectInvalid(plain, {x_, Floats({2}, {0, 1}), End(1)}, "range of input");
  }
}

TEST_F(QuantizedImageOpsTest, Shapes) {
  const PartialShape s = Shape(), any, images = PartialShape::Of({-1, 5, -1, 3});
  const auto conv = InferShapes(library_, "QuantizedConv2D", ConvAttrs(kByte, "VALID"),
                                {images, PartialShape::Of({2, 2, 3, -1}), s, s, s, s});
  EXPECT_THAT(*conv, testing::ElementsAre(PartialShape::Of({-1, 4, -1, -1}), s, s));
  const AttrMap pool = PoolAttrs(kByte, {1, 2, 2, 1}, {1, 2, 2, 1}, "SAME");
  EXPECT_EQ((*InferShapes(library_, "QuantizedAvgPool", pool, {images, s, s}))[0], PartialShape::Of({-1, 3, -1, 3}));
  EXPECT_EQ((*InferShapes(library_, "QuantizedMaxPool", pool, {any, s, s}))[0], PartialShape::UnknownOfRank(4));
  const Tensor size = Ints({2}, {7, 8}), bad = Ints({2}, {7, -8});
  const auto resize = [&](const Tensor* t) {
    return InferShapes(library_, "QuantizedResizeBilinear", {{"T", kByte}}, {images, PartialShape::Of({2}), s, s},
                       {nullptr, t, nullptr, nullptr});
  };
  EXPECT_EQ((*resize(&size))[0], PartialShape::Of({-1, 7, 8, 3}));
  EXPECT_EQ((*resize(nullptr))[0], PartialShape::Of({-1, -1, -1, 3}));
  ExpectInvalid(resize(&bad).status(), "size: expected two positive values");
  ExpectInvalid(InferShapes(library_, "QuantizedMaxPool", pool, {images, PartialShape::Of({1}), s}).status(), "rank");
}

}  // namespace
}  // namespace flowlatch
