#include "ops/image_codec_ops.h"

#include <zlib.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

uint32_t Sum(const void* bytes, size_t size) { return static_cast<uint32_t>(crc32(0, static_cast<const Bytef*>(bytes), static_cast<uInt>(size))); }
uint32_t Sum(const Tensor& t) { return Sum(t.raw_data(), static_cast<size_t>(t.size_bytes())); }

// The sums are those of what TensorFlow makes.
class ImageCodecOpsTest : public testing::Test {
 protected:
  static constexpr int kHeight = 10, kWidth = 18;

  void SetUp() override { ASSERT_TRUE(RegisterImageCodecOps(library_).ok()); }
  // A picture of 1 to 6 channels, times `factor`.
  template <typename T>
  static Tensor Picture(int channels, int factor = 1) {
    Tensor t = *Tensor::Make(kDTypeOf<T>, {kHeight, kWidth, channels});
    T* to = t.mutable_data<T>();
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        for (int c = 0; c < channels; ++c) *to++ = static_cast<T>((x * x * 3 + y * y * 5 + x * y * 2 + c % 3 * 40) % 256 * factor);
      }
    }
    return t;
  }
  std::string Encode(const Tensor& image, const std::string& op, const AttrMap& attrs) {
    OpTester tester(library_, op, attrs);
    const auto got = tester.Run({image});
    EXPECT_TRUE(got.ok()) << got.status();
    return got.ok() ? std::string((*got)[0].scalar<String>().view()) : "";
  }
  std::string Jpeg(int channels = 3, const AttrMap& attrs = {}) { return Encode(Picture<uint8_t>(channels), "EncodeJpeg", attrs); }
  std::string Png(const Tensor& image) { return Encode(image, "EncodePng", {{"T", image.dtype()}}); }
  // Decodes; `window` is DecodeAndCropJpeg's.
  Tensor Decoded(const std::string& op, const std::string& file, const AttrMap& attrs = {}, const std::vector<int32_t>& window = {}) {
    OpTester tester(library_, op, attrs);
    std::vector<Tensor> inputs = {Tensor::Scalar(std::string_view(file))};
    if (!window.empty()) inputs.push_back(Tensor::Vector<int32_t>(window));
    const auto got = tester.Run(inputs);
    EXPECT_TRUE(got.ok()) << op << ": " << got.status();
    return got.ok() ? (*got)[0] : Tensor::Scalar(0);
  }
  void ExpectFails(const std::string& op, const std::string& file, const std::string& text, const AttrMap& attrs = {},
                   const std::vector<int32_t>& window = {}) {
    OpTester tester(library_, op, attrs);
    std::vector<Tensor> inputs = {Tensor::Scalar(std::string_view(file))};
    if (!window.empty()) inputs.push_back(Tensor::Vector<int32_t>(window));
    ExpectInvalid(tester, inputs, text);
  }

  OpLibrary library_;
};

// Files of 8 colours: frames [left, top, width, height] of one byte a pixel.
struct GifFrame {
  int left, top, width, height;
  std::string pixels;
  int transparent = -1;
  bool interlaced = false;
};
std::string Word(int value) { return {static_cast<char>(value & 255), static_cast<char>(value >> 8 & 255)}; }
std::string Gif(int width, int height, const std::vector<GifFrame>& frames) {
  std::string file = "GIF89a" + Word(width) + Word(height) + std::string("\xf2\0\0", 3);
  for (int i = 0; i < 8; ++i) file += {static_cast<char>(i), static_cast<char>(10 * i), static_cast<char>(20 * i)};
  for (const GifFrame& frame : frames) {
    file += std::string("\x21\xf9\x04", 3) + static_cast<char>(frame.transparent >= 0) + Word(0) +
            static_cast<char>(std::max(frame.transparent, 0)) + '\0';
    file += ',' + Word(frame.left) + Word(frame.top) + Word(frame.width) + Word(frame.height) + (frame.interlaced ? '\x40' : '\0');
    // Codes of 8 bits, the table cleared before it grows: 128 clears, 129 ends.
    file += '\x07';
    for (const char pixel : frame.pixels) file += std::string("\x02\x80", 2) + pixel;
    file += std::string("\x01\x81\0", 3);
  }
  return file + ';';
}

std::string Bmp(int width, int height, int bits, const std::string& pixels) {
  std::string file(54, '\0');
  const auto set = [&file](size_t at, int value) { std::memcpy(&file[at], &value, 4); };
  file[0] = 'B';
  file[1] = 'M';
  set(10, 54);
  set(14, 40);
  set(18, width);
  set(22, height);
  set(26, 1 | bits << 16);
  return file + pixels;
}

TEST_F(ImageCodecOpsTest, EncodesJpeg) {
  struct {
    int channels;
    AttrMap attrs;
    size_t size;
    uint32_t sum;
  } const cases[] = {
      {3, {}, 1062, 0xbe44b130},
      {1, {}, 684, 0xd6bc1b23},
      {3, {{"quality", int64_t{40}}, {"chroma_downsampling", false}}, 842, 0xd76eb3e5},
      {3, {{"progressive", true}}, 965, 0xde00b040},
      {3, {{"optimize_size", true}}, 712, 0xdb86f7a8},
      {1, {{"density_unit", "cm"}, {"x_density", int64_t{7}}, {"y_density", int64_t{9}}, {"xmp_metadata", "meta"}}, 721, 0x0a854370},
  };
  for (const auto& c : cases) {
    const std::string file = Jpeg(c.channels, c.attrs);
    EXPECT_EQ(file.size(), c.size);
    EXPECT_EQ(Sum(file.data(), file.size()), c.sum);
  }
  OpTester variable(library_, "EncodeJpegVariableQuality", {});
  const auto got = variable.Run({Picture<uint8_t>(3), Tensor::Scalar(95)});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)[0].scalar<String>().view(), std::string_view(Jpeg()));
}

TEST_F(ImageCodecOpsTest, EncodesPng) {
  const std::pair<size_t, uint32_t> bytes[] = {{240, 0xaf3c9c46}, {381, 0xbe7a7f14}, {531, 0x922f0495}, {691, 0x128ee49f}};
  const std::pair<size_t, uint32_t> words[] = {{389, 0x73938cf4}, {642, 0xae16976f}, {800, 0xe8c5d207}, {854, 0xfdb91b23}};
  for (int channels = 1; channels <= 4; ++channels) {
    const std::string narrow = Png(Picture<uint8_t>(channels)), wide = Png(Picture<uint16_t>(channels, 257));
    EXPECT_EQ(std::pair(narrow.size(), Sum(narrow.data(), narrow.size())), bytes[channels - 1]);
    EXPECT_EQ(std::pair(wide.size(), Sum(wide.data(), wide.size())), words[channels - 1]);
  }
  const std::string stored = Encode(Picture<uint8_t>(1), "EncodePng", {{"T", DType::kUInt8}, {"compression", int64_t{0}}});
  EXPECT_EQ(Sum(stored.data(), stored.size()), 0xb5acf75a);
  OpTester several(library_, "EncodePng", {{"T", DType::kUInt8}});
  const auto got = several.Run({*Picture<uint8_t>(1).Reshaped(Shape::Of({2, 5, 18, 1}))});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)[0].ShapeString(), "[2]");
  ExpectOutput(several, {*Tensor::Make(DType::kUInt8, {0, 5, 18, 1})}, Strings({0}, {}));
}

TEST_F(ImageCodecOpsTest, DecodesJpeg) {
  struct {
    AttrMap attrs;
    const char* shape;
    uint32_t sum;
  } const cases[] = {
      {{}, "[10,18,3]", 0x6a1102a5},
      {{{"ratio", int64_t{2}}}, "[5,9,3]", 0xba06862e},
      {{{"ratio", int64_t{8}}}, "[2,3,3]", 0xaaec221b},
      {{{"fancy_upscaling", false}}, "[10,18,3]", 0x9a27d0ed},
      {{{"dct_method", "INTEGER_FAST"}}, "[10,18,3]", 0x6a1102a5},
      {{{"dct_method", "INTEGER_ACCURATE"}}, "[10,18,3]", 0x405b7f07},
      {{{"channels", int64_t{1}}}, "[10,18,1]", 0xee07646b},
  };
  const std::string file = Jpeg();
  for (const auto& c : cases) {
    const Tensor pixels = Decoded("DecodeJpeg", file, c.attrs);
    EXPECT_EQ(pixels.ShapeString(), c.shape);
    EXPECT_EQ(Sum(pixels), c.sum);
  }
  EXPECT_EQ(Sum(Decoded("DecodeJpeg", Jpeg(1))), 0xa797f96c);
  EXPECT_EQ(Sum(Decoded("DecodeJpeg", Jpeg(1), {{"channels", int64_t{3}}})), 0xc4db8470);
  EXPECT_EQ(Sum(Decoded("DecodeJpeg", Jpeg(3, {{"progressive", true}}))), 0x6a1102a5);
  EXPECT_EQ(Sum(Decoded("DecodeJpeg", Jpeg(3, {{"quality", int64_t{40}}, {"chroma_downsampling", false}}))), 0x025dd64b);
  EXPECT_EQ(Sum(Decoded("DecodeAndCropJpeg", file, {}, {2, 3, 4, 5})), 0x793eac9e);
  EXPECT_EQ(Sum(Decoded("DecodeAndCropJpeg", file, {}, {0, 0, 10, 18})), 0x6a1102a5);
  EXPECT_EQ(Sum(Decoded("DecodeAndCropJpeg", file, {}, {9, 17, 1, 1})), 0x7d22fe3f);
  const Tensor in_frames = Decoded("DecodeGif", file);
  EXPECT_EQ(in_frames.ShapeString(), "[1,10,18,3]");
  EXPECT_EQ(Sum(in_frames), 0x6a1102a5);
  EXPECT_EQ(Sum(Decoded("DecodeImage", file, {{"dtype", DType::kUInt16}})), 0x81998dca);
  EXPECT_EQ(Sum(Decoded("DecodeImage", file, {{"dtype", DType::kFloat32}})), 0x59058e98);
  for (const DType dtype : {DType::kInt32, DType::kInt64}) {
    OpTester shape(library_, "ExtractJpegShape", {{"output_type", dtype}});
    const Tensor want = dtype == DType::kInt32 ? Ints({3}, {10, 18, 3}) : Longs({3}, {10, 18, 3});
    ExpectOutput(shape, {Tensor::Scalar(std::string_view(file))}, want);
  }
}

// The second block of 16 columns is broken; what becomes of it differs between versions of libjpeg, as does the column at its
// edge, which is smoothed.
TEST_F(ImageCodecOpsTest, JpegThatEndsEarly) {
  const std::string file = Jpeg();
  const Tensor whole = Decoded("DecodeJpeg", file);
  for (const int missing : {30, 100}) {
    const std::string cut = file.substr(0, file.size() - missing);
    ExpectFails("DecodeJpeg", cut, "JPEG file: expected 10 rows, got 0");
    const Tensor recovered = Decoded("DecodeJpeg", cut, {{"try_recover_truncated", true}});
    ASSERT_EQ(recovered.shape(), whole.shape());
    for (int64_t i = 0; i < whole.num_elements(); ++i) {
      if (i / 3 % kWidth < 15) ASSERT_EQ(recovered.data<uint8_t>()[i], whole.data<uint8_t>()[i]) << i;
    }
    EXPECT_EQ(Sum(Decoded("DecodeJpeg", cut, {{"acceptable_fraction", 0.0f}})), 0xcab5ece6);
  }
}

TEST_F(ImageCodecOpsTest, DecodesPng) {
  struct {
    Tensor image;
    uint32_t bytes[4], words[4];  // with 0, 1, 3 and 4 channels
  } const cases[] = {
      {Picture<uint8_t>(1), {0x204f1b0a, 0x204f1b0a, 0xb721f90c, 0xe9bca871}, {0xc0ca533e, 0xc0ca533e, 0x7ec375e8, 0x7cdd960b}},
      {Picture<uint8_t>(4), {0x8da40ef1, 0x5a1fd6ed, 0x50c7b0bc, 0x8da40ef1}, {0xf86d3206, 0x25551788, 0x1a042314, 0xf86d3206}},
      {Picture<uint16_t>(3, 257), {0x50c7b0bc, 0x76f5b15e, 0x50c7b0bc, 0x7db56f96}, {0x1a042314, 0x2489814f, 0x1a042314, 0xad5b11c8}},
  };
  for (const auto& c : cases) {
    const std::string file = Png(c.image);
    const int64_t channels[] = {0, 1, 3, 4};
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(Sum(Decoded("DecodePng", file, {{"channels", channels[i]}, {"dtype", DType::kUInt8}})), c.bytes[i]) << i;
      EXPECT_EQ(Sum(Decoded("DecodePng", file, {{"channels", channels[i]}, {"dtype", DType::kUInt16}})), c.words[i]) << i;
    }
  }
  EXPECT_EQ(Sum(Decoded("DecodeImage", Png(Picture<uint16_t>(3, 257)), {{"dtype", DType::kFloat32}})), 0x58bf8ab9);
}

TEST_F(ImageCodecOpsTest, DecodesGif) {
  const auto color = [](int i) { return std::vector<uint8_t>{static_cast<uint8_t>(i), static_cast<uint8_t>(10 * i), static_cast<uint8_t>(20 * i)}; };
  const auto colors = [&](std::initializer_list<int64_t> dims, std::initializer_list<int> indices) {
    std::vector<uint8_t> all;
    for (const int i : indices) {
      const std::vector<uint8_t> one = color(i);
      all.insert(all.end(), one.begin(), one.end());
    }
    return *Tensor::FromValues<uint8_t>(Shape::Of(dims), all);
  };
  const std::string one = Gif(2, 2, {{0, 0, 2, 2, {1, 2, 3, 4}}});
  EXPECT_EQ(Difference(Decoded("DecodeGif", one), colors({1, 2, 2, 3}, {1, 2, 3, 4})), "");
  EXPECT_EQ(Difference(Decoded("DecodePng", one, {{"dtype", DType::kUInt8}}), colors({2, 2, 3}, {1, 2, 3, 4})), "");
  // The second covers a part, and leaves what is below colour 5.
  const std::string two = Gif(2, 2, {{0, 0, 2, 2, {1, 2, 3, 4}}, {0, 1, 2, 1, {6, 5}, 5}});
  EXPECT_EQ(Difference(Decoded("DecodeGif", two), colors({2, 2, 2, 3}, {1, 2, 3, 4, 1, 2, 6, 4})), "");
  EXPECT_EQ(Difference(Decoded("DecodeImage", two), colors({2, 2, 2, 3}, {1, 2, 3, 4, 1, 2, 6, 4})), "");
  EXPECT_EQ(Difference(Decoded("DecodeImage", two, {{"expand_animations", false}}), colors({2, 2, 3}, {1, 2, 3, 4})), "");
  ExpectFails("DecodePng", two, "frames of a GIF file: expected one", {{"dtype", DType::kUInt8}});
  const std::string lines = Gif(1, 5, {{0, 0, 1, 5, {0, 1, 2, 3, 4}, -1, true}});
  EXPECT_EQ(Difference(Decoded("DecodeGif", lines), colors({1, 5, 1, 3}, {0, 3, 2, 4, 1})), "");
  ExpectFails("DecodeGif", Gif(2, 2, {}), "expected a frame, got none");
  ExpectFails("DecodeGif", Gif(2, 2, {{0, 0, 2, 2, {1, 2}}}), "expected more pixels");
  ExpectFails("DecodeGif", Gif(2, 2, {{0, 0, 2, 1, {1, 9}}}), "expected colours that it has");
  ExpectFails("DecodeGif", Gif(2, 2, {{0, 0, 65535, 65535, {1, 2}}}), "expected fewer pixels");
  ExpectFails("DecodeGif", one.substr(0, 8), "GIF file");
}

TEST_F(ImageCodecOpsTest, DecodesBmp) {
  const Tensor pixels = Of<uint8_t, int>({2, 1, 3}, {3, 2, 1, 6, 5, 4});
  EXPECT_EQ(Difference(Decoded("DecodeBmp", Bmp(1, 2, 24, {4, 5, 6, 0, 1, 2, 3, 0})), pixels), "");
  EXPECT_EQ(Difference(Decoded("DecodeImage", Bmp(1, -2, 24, {1, 2, 3, 0, 4, 5, 6, 0})), pixels), "");
  EXPECT_EQ(Difference(Decoded("DecodeBmp", Bmp(1, 1, 32, {1, 2, 3, 4})), Of<uint8_t, int>({1, 1, 4}, {3, 2, 1, 4})), "");
  EXPECT_EQ(Difference(Decoded("DecodeBmp", Bmp(1, 1, 8, {9, 0, 0, 0})), Of<uint8_t, int>({1, 1, 1}, {9})), "");
  ExpectFails("DecodeBmp", Bmp(2, 2, 24, {1, 2, 3}), "pixels of a BMP file: expected 14 bytes from position 54, got 3");
  ExpectFails("DecodeBmp", Bmp(1 << 30, 1 << 30, 24, {1, 2, 3}), "size of a BMP file: expected a sane one");
  ExpectFails("DecodeBmp", Bmp(-1, 1, 24, {1, 2, 3}), "size of a BMP file: expected a sane one");
  ExpectFails("DecodeBmp", Bmp(1, std::numeric_limits<int>::min(), 24, {1, 2, 3}), "size of a BMP file: expected a sane one");
  ExpectFails("DecodeBmp", Bmp(1, 1, 4, {1, 2, 3}), "expected 8, 24 or 32, got 4");
  EXPECT_EQ(Difference(Decoded("DecodeBmp", Bmp(1, 1, 24, {1, 2, 3}), {{"channels", int64_t{4}}}), Of<uint8_t, int>({1, 1, 4}, {3, 2, 1, 255})), "");
  EXPECT_EQ(Difference(Decoded("DecodeBmp", Bmp(1, 1, 32, {1, 2, 3, 4}), {{"channels", int64_t{3}}}), Of<uint8_t, int>({1, 1, 3}, {3, 2, 1})), "");
  ExpectFails("DecodeBmp", Bmp(1, 1, 24, {1, 2, 3}), "channels of a BMP file: expected 1, got 3", {{"channels", int64_t{1}}});
  ExpectFails("DecodeBmp", "BM", "expected at least 32 bytes, got 2");
}

TEST_F(ImageCodecOpsTest, FilesOfOtherFormats) {
  ExpectFails("DecodeJpeg", "", "expected JPEG, PNG or GIF, got unknown");
  ExpectFails("DecodeImage", "hello", "expected JPEG, PNG, GIF or BMP, got unknown");
  ExpectFails("DecodeBmp", Jpeg(), "expected BMP, got JPEG");
  ExpectFails("DecodePng", Bmp(1, 1, 24, {1, 2, 3}), "expected JPEG, PNG or GIF, got BMP", {{"dtype", DType::kUInt8}});
  ExpectFails("DecodeAndCropJpeg", Png(Picture<uint8_t>(1)), "expected JPEG, got PNG", {}, {0, 0, 1, 1});
  ExpectFails("ExtractJpegShape", Png(Picture<uint8_t>(1)), "JPEG file", {{"output_type", DType::kInt32}});
  ExpectFails("DecodeJpeg", Jpeg(), "channels of a JPEG file", {{"channels", int64_t{4}}});
  ExpectFails("DecodeImage", Gif(1, 1, {{0, 0, 1, 1, {1}}}), "channels of a GIF file", {{"channels", int64_t{1}}});
}

TEST_F(ImageCodecOpsTest, WhatDoesNotFit) {
  ExpectFails("DecodeJpeg", Jpeg(), "channels: expected 0, 1, 3 or 4, got 2", {{"channels", int64_t{2}}});
  ExpectFails("DecodeJpeg", Jpeg(), "ratio: expected 1, 2, 4 or 8, got 3", {{"ratio", int64_t{3}}});
  ExpectFails("DecodeJpeg", Jpeg(), "dct_method: expected", {{"dct_method", "X"}});
  for (const std::vector<int32_t>& window : {std::vector<int32_t>{0, 0, 11, 1}, {-1, 0, 1, 1}, {0, 0, 0, 0}, {2147483647, 0, 2147483647, 1}}) {
    ExpectFails("DecodeAndCropJpeg", Jpeg(), "crop window of a JPEG file of 10 x 18: expected one inside", {}, window);
  }
  ExpectFails("DecodeAndCropJpeg", Jpeg(), "crop_window: expected 4 values, got 3", {}, {0, 0, 1});
  OpTester decode(library_, "DecodeJpeg", {}), encode(library_, "EncodeJpeg", {});
  ExpectInvalid(decode, {Strings({1}, {"x"})}, "contents: expected 0 dimensions");
  ExpectInvalid(encode, {Picture<uint8_t>(2)}, "expected 1 or 3, got 2");
  ExpectInvalid(encode, {*Tensor::Make(DType::kUInt8, {0, 4, 3})}, "image: expected sides of 1 to");
  ExpectInvalid(encode, {*Tensor::Make(DType::kUInt8, {4, 3})}, "image: expected 3 dimensions");
  OpTester rgb(library_, "EncodeJpeg", {{"format", "rgb"}}), fine(library_, "EncodeJpeg", {{"quality", int64_t{101}}});
  ExpectInvalid(rgb, {Picture<uint8_t>(1)}, "expected 3, got 1");
  ExpectInvalid(fine, {Picture<uint8_t>(1)}, "quality: expected a value in [0,100], got 101");
  OpTester variable(library_, "EncodeJpegVariableQuality", {});
  ExpectInvalid(variable, {Picture<uint8_t>(3), Tensor::Scalar(-1)}, "quality: expected a value in [0,100], got -1");
  OpTester png(library_, "EncodePng", {{"T", DType::kUInt8}}), strong(library_, "EncodePng", {{"T", DType::kUInt8}, {"compression", int64_t{10}}});
  ExpectInvalid(png, {Picture<uint8_t>(5)}, "1 to 4 channels, got [10,18,5]");
  ExpectInvalid(png, {*Tensor::Make(DType::kUInt8, {4, 0, 3})}, "image: expected sides of 1");
  ExpectInvalid(png, {*Tensor::Make(DType::kUInt8, {4, 3})}, "image: expected at least 3 dimensions");
  ExpectInvalid(strong, {Picture<uint8_t>(1)}, "compression: expected a value in [-1,9], got 10");
}

// Every byte of a file cut off or changed: an image or an error, and nothing else.
TEST_F(ImageCodecOpsTest, BrokenFiles) {
  const std::string files[] = {Jpeg(), Jpeg(3, {{"progressive", true}}), Png(Picture<uint8_t>(3)), Gif(2, 2, {{0, 0, 2, 2, {1, 2, 3, 4}}, {0, 1, 2, 1, {6, 5}, 5}}),
                               Bmp(1, 2, 24, {4, 5, 6, 0, 1, 2, 3, 0})};
  OpTester decode(library_, "DecodeImage", {}), crop(library_, "DecodeAndCropJpeg", {{"try_recover_truncated", true}});
  decode.Once();
  crop.Once();
  for (const std::string& file : files) {
    int failed = 0;
    for (size_t i = 0; i < file.size(); i += file.size() / 100 + 1) {
      std::string changed = file;
      changed[i] ^= static_cast<char>(0x55 + i % 3);
      for (const std::string& broken : {file.substr(0, i), changed}) {
        failed += decode.Run({Tensor::Scalar(std::string_view(broken))}).ok() ? 0 : 1;
        crop.Run({Tensor::Scalar(std::string_view(broken)), Ints({4}, {1, 2, 3, 4})}).status().IgnoreError();
      }
    }
    EXPECT_GT(failed, 10);
  }
}

TEST_F(ImageCodecOpsTest, Shapes) {
  const PartialShape s = Shape(), any;
  const auto infer = [&](const std::string& op, const AttrMap& attrs, const std::vector<PartialShape>& in,
                         const std::vector<const Tensor*>& constants = {}) { return InferShapes(library_, op, attrs, in, constants); };
  EXPECT_EQ((*infer("DecodeJpeg", {{"channels", int64_t{3}}}, {s}))[0], PartialShape::Of({-1, -1, 3}));
  EXPECT_EQ((*infer("DecodePng", {}, {any}))[0], PartialShape::UnknownOfRank(3));
  EXPECT_EQ((*infer("DecodeGif", {}, {s}))[0], PartialShape::Of({-1, -1, -1, 3}));
  EXPECT_EQ((*infer("DecodeImage", {}, {s}))[0], any);
  EXPECT_EQ((*infer("DecodeImage", {{"expand_animations", false}}, {s}))[0], PartialShape::UnknownOfRank(3));
  const Tensor window = Ints({4}, {1, 2, 3, 4});
  EXPECT_EQ((*infer("DecodeAndCropJpeg", {}, {s, PartialShape::Of({4})}, {nullptr, &window}))[0], PartialShape::Of({3, 4, -1}));
  EXPECT_EQ((*infer("DecodeAndCropJpeg", {}, {s, any}))[0], PartialShape::UnknownOfRank(3));
  EXPECT_EQ((*infer("ExtractJpegShape", {}, {s}))[0], PartialShape::Of({3}));
  EXPECT_EQ((*infer("EncodeJpeg", {}, {any}))[0], s);
  EXPECT_EQ((*infer("EncodePng", {}, {PartialShape::Of({7, -1, -1, 3})}))[0], PartialShape::Of({7}));
  EXPECT_EQ((*infer("EncodePng", {}, {any}))[0], any);
  ExpectInvalid(infer("DecodeJpeg", {{"channels", int64_t{-1}}}, {s}).status(), "channels: expected a value >= 0, got -1");
  ExpectInvalid(infer("DecodeGif", {}, {PartialShape::Of({1})}).status(), "rank");
  ExpectInvalid(infer("EncodeJpeg", {}, {PartialShape::Of({1, 2})}).status(), "rank");
}

}  // namespace
}  // namespace flowlatch
