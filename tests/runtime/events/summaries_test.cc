#include "runtime/events/summaries.h"

#include <png.h>

#include <cfloat>
#include <cmath>
#include <limits>
#include <vector>

#include "flowlatch/proto/summary.pb.h"
#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

using testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// What TensorFlow 2.21 answers is in the comments: the values are its own.

TEST(SummariesTest, Scalars) {
  const struct {
    Tensor value;
    float want;
  } cases[] = {{Floats({}, {2.5f}), 2.5f},
               {Ints({1}, {-3}), -3},
               {Of<Half, float>({}, {0.5f}), 0.5f},
               {Of<BFloat16, float>({}, {2}), 2},
               {Of<double>({}, {1e300}), kInf},
               {Of<uint64_t>({}, {1}), 1},
               {Tensor::Scalar(true), 1}};
  for (const auto& c : cases) {
    proto::Summary summary;
    ASSERT_TRUE(AddScalar("t", c.value, &summary).ok());
    EXPECT_EQ(summary.value(0).tag(), "t");
    EXPECT_EQ(summary.value(0).simple_value(), c.want) << c.value.DebugString();
  }
  proto::Summary summary;
  ExpectInvalid(AddScalar("t", Floats({2}, {1, 2}), &summary), "summary 't': expected one number, got float32[2]");
  ExpectInvalid(AddScalar("t", Floats({0}, {}), &summary), "float32[0]");
  ExpectInvalid(AddScalar("t", Tensor::Scalar("a"), &summary), "string[]");
  EXPECT_EQ(summary.value_size(), 0);
}

proto::HistogramProto Histogram(const Tensor& values) {
  proto::Summary summary;
  EXPECT_TRUE(AddHistogram("t", values, &summary).ok());
  return summary.value(0).histo();
}

TEST(SummariesTest, HistogramsAreTensorFlows) {
  const proto::HistogramProto some = Histogram(Floats({5}, {1, 2, -3, 0, 0}));
  EXPECT_EQ(some.min(), -3);
  EXPECT_EQ(some.max(), 2);
  EXPECT_EQ(some.num(), 5);
  EXPECT_EQ(some.sum(), 0);
  EXPECT_EQ(some.sum_squares(), 14);
  EXPECT_THAT(some.bucket_limit(), ElementsAre(-3.1665833053880363, -2.8787120958073054, 0, 1e-12, 0.917246389039776,
                                               1.0089710279437536, 1.9661990955585713, 2.1628190051144287, DBL_MAX));
  EXPECT_THAT(some.bucket(), ElementsAre(0, 1, 0, 2, 0, 1, 0, 1, 0));

  const proto::HistogramProto ends = Histogram(Of<double>({6}, {1e-13, 1e-12, 1e20, 1e21, 1e300, -1e300}));
  EXPECT_THAT(ends.bucket_limit(), ElementsAre(-DBL_MAX, -9.9207756218597835e+19, 0, 1e-12, 1.1000000000000002e-12,
                                               9.9207756218597835e+19, DBL_MAX));
  EXPECT_THAT(ends.bucket(), ElementsAre(0, 1, 0, 1, 1, 0, 3));
  EXPECT_EQ(ends.sum_squares(), std::numeric_limits<double>::infinity());

  const proto::HistogramProto none = Histogram(Floats({0}, {}));
  EXPECT_EQ(none.min(), DBL_MAX);
  EXPECT_EQ(none.max(), -DBL_MAX);
  EXPECT_EQ(none.num(), 0);
  EXPECT_THAT(none.bucket_limit(), ElementsAre(DBL_MAX));
  EXPECT_THAT(none.bucket(), ElementsAre(0));

  EXPECT_EQ(Histogram(Bools({2}, {true, false})).sum(), 1);
  EXPECT_EQ(Histogram(Of<uint8_t>({2}, {200, 100})).sum(), 300);
}

TEST(SummariesTest, HistogramsOfWhatIsNoNumber) {
  proto::Summary summary;
  ExpectInvalid(AddHistogram("t", Floats({2}, {1, kNan}), &summary), "summary 't': expected finite values, got NaN");
  ExpectInvalid(AddHistogram("t", Floats({2}, {1, -kInf}), &summary), "got infinity");
  ExpectInvalid(AddHistogram("t", Strings({1}, {"a"}), &summary), "expected numbers, got string[1]");
  EXPECT_EQ(summary.value_size(), 0);
}

const Tensor kRed = Of<uint8_t>({4}, {255, 0, 0, 255});

std::vector<int> Pixels(const Tensor& image) {
  proto::Summary summary;
  const absl::Status status = AddImages("t", image, 1, kRed, &summary);
  EXPECT_TRUE(status.ok()) << status;
  const std::string& bytes = summary.value(0).image().encoded_image_string();
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()), 0);
  png.format = image.dim(3) == 1 ? PNG_FORMAT_GRAY : image.dim(3) == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
  std::vector<uint8_t> pixels(PNG_IMAGE_SIZE(png));
  EXPECT_NE(png_image_finish_read(&png, nullptr, pixels.data(), 0, nullptr), 0);
  return {pixels.begin(), pixels.end()};
}

TEST(SummariesTest, PixelsAreScaledAsTensorFlows) {
  const struct {
    std::vector<float> pixels;
    std::vector<int> want;
  } cases[] = {
      {{0, 0.5f, 1, 2}, {0, 63, 127, 255}},
      {{-1, 0, 1, 2}, {64, 128, 191, 255}},
      {{-3, 0.1f, 0.2f, 0.3f}, {1, 132, 136, 140}},
      {{1e-7f, 0, 0, 0}, {0, 0, 0, 0}},
      {{-1e-7f, 0, 0, 0}, {128, 128, 128, 128}},
      {{kNan, 1, 2, 3}, {255, 85, 170, 255}},
      {{kNan, kNan, kNan, kNan}, {255, 255, 255, 255}},
  };
  for (const auto& c : cases) {
    const Shape shape = Shape::Of({1, 2, 2, 1});
    EXPECT_EQ(Pixels(*Tensor::FromValues<float>(shape, c.pixels)), c.want);
    std::vector<double> doubles(c.pixels.begin(), c.pixels.end());
    EXPECT_EQ(Pixels(*Tensor::FromValues<double>(shape, doubles)), c.want);
    std::vector<Half> halves;
    for (const float pixel : c.pixels) halves.push_back(static_cast<Half>(pixel));
    EXPECT_EQ(Pixels(*Tensor::FromValues<Half>(shape, halves)), c.want);
  }
  // The dtype's own arithmetic decides.
  EXPECT_EQ(Pixels(Floats({1, 2, 2, 1}, {kInf, -1, 2, 3})), (std::vector<int>{255, 85, 212, 255}));
  EXPECT_EQ(Pixels(Of<double>({1, 2, 2, 1}, {kInf, -1, 2, 3})), (std::vector<int>{255, 85, 212, 254}));
  EXPECT_EQ(Pixels(Floats({1, 2, 1, 3}, {kNan, 1, 2, 3, 4, 5})), (std::vector<int>{255, 0, 0, 153, 204, 255}));
  EXPECT_EQ(Pixels(Floats({1, 2, 1, 4}, {kNan, 1, 2, 3, 4, 5, 6, 7})), (std::vector<int>{255, 0, 0, 255, 145, 182, 218, 254}));
  EXPECT_EQ(Pixels(Of<uint8_t>({1, 2, 2, 1}, {0, 1, 200, 255})), (std::vector<int>{0, 1, 200, 255}));
}

TEST(SummariesTest, NamesOfImages) {
  const Tensor images = *Tensor::Zeros(DType::kUInt8, Shape::Of({3, 2, 5, 3}));
  proto::Summary several, one, none;
  ASSERT_TRUE(AddImages("t", images, 2, kRed, &several).ok());
  ASSERT_EQ(several.value_size(), 2);
  EXPECT_EQ(several.value(1).tag(), "t/image/1");
  EXPECT_EQ(several.value(1).image().height(), 2);
  EXPECT_EQ(several.value(1).image().width(), 5);
  EXPECT_EQ(several.value(1).image().colorspace(), 3);
  ASSERT_TRUE(AddImages("t", images, 1, kRed, &one).ok());
  ASSERT_EQ(one.value_size(), 1);
  EXPECT_EQ(one.value(0).tag(), "t/image");
  ASSERT_TRUE(AddImages("t", *Tensor::Zeros(DType::kFloat32, Shape::Of({0, 2, 2, 1})), 3, kRed, &none).ok());
  EXPECT_EQ(none.value_size(), 0);
}

TEST(SummariesTest, WhatIsNoImageIsRefused) {
  const auto zeros = [](std::initializer_list<int64_t> dims, DType dtype = DType::kFloat32) { return *Tensor::Zeros(dtype, Shape::Of(dims)); };
  proto::Summary summary;
  ExpectInvalid(AddImages("t", zeros({1, 2, 2, 2}), 1, kRed, &summary), "expected images [n,height,width,1, 3 or 4], got float32[1,2,2,2]");
  ExpectInvalid(AddImages("t", zeros({2, 2, 1}), 1, kRed, &summary), "got float32[2,2,1]");
  ExpectInvalid(AddImages("t", zeros({1, 2, 2, 1}, DType::kInt32), 1, kRed, &summary), "got int32[1,2,2,1]");
  ExpectInvalid(AddImages("t", zeros({1, 0, 2, 1}), 1, kRed, &summary), "image: expected sides");
  ExpectInvalid(AddImages("t", zeros({1, 2, 2, 3}), 1, Of<uint8_t>({2}, {1, 2}), &summary), "bad colour uint8[3] or longer, got uint8[2]");
  ExpectInvalid(AddImages("t", zeros({1, 2, 2, 3}), 1, Of<uint8_t>({1, 3}, {1, 2, 3}), &summary), "got uint8[1,3]");
  ExpectInvalid(AddImages("t", zeros({1, 2, 2, 3}), 1, Ints({3}, {1, 2, 3}), &summary), "got int32[3]");
  EXPECT_EQ(summary.value_size(), 0);
}

std::string Hex(const std::string& bytes) {
  std::string hex;
  for (const unsigned char byte : bytes) {
    hex += "0123456789abcdef"[byte / 16];
    hex += "0123456789abcdef"[byte % 16];
  }
  return hex;
}

TEST(SummariesTest, SoundsAreTensorFlows) {
  proto::Summary summary;
  ASSERT_TRUE(AddAudio("t", Floats({1, 7}, {0, 0.5f, -1, 1, 2, 1e-5f, 1.6e-5f}), 44100, 3, &summary).ok());
  ASSERT_TRUE(AddAudio("u", Floats({3, 2, 2}, {0, 0.5f, -1, 1, 0, 0.5f, -1, 1, 0, 0.5f, -1, 1}), 8000.5f, 1, &summary).ok());
  ASSERT_EQ(summary.value_size(), 2);
  EXPECT_EQ(summary.value(0).tag(), "t/audio/0");
  EXPECT_EQ(Hex(summary.value(0).audio().encoded_audio_string()),
            "524946463200000057415645666d7420100000000100010044ac00008858010002001000646174610e000000000000400080ff7fff7f00000100");
  EXPECT_EQ(summary.value(1).tag(), "u/audio");
  EXPECT_EQ(summary.value(1).audio().sample_rate(), 8000.5f);
  EXPECT_EQ(summary.value(1).audio().num_channels(), 2);
  EXPECT_EQ(summary.value(1).audio().length_frames(), 2);
  EXPECT_EQ(summary.value(1).audio().content_type(), "audio/wav");
  EXPECT_EQ(Hex(summary.value(1).audio().encoded_audio_string()),
            "524946462c00000057415645666d74201000000001000200401f0000007d0000040010006461746108000000000000400080ff7f");
  proto::Summary odd;
  ASSERT_TRUE(AddAudio("t", Floats({1, 3}, {kNan, kInf, -kInf}), 8000, 1, &odd).ok());
  EXPECT_EQ(Hex(odd.value(0).audio().encoded_audio_string()).substr(88), "0000ff7f0080");
  ASSERT_TRUE(AddAudio("t", Floats({1, 0}, {}), 8, 1, &odd).ok());
  EXPECT_EQ(odd.value(1).audio().length_frames(), 0);
  ExpectInvalid(AddAudio("t", Floats({1}, {0}), 8, 1, &odd), "expected sounds float32[n,frames]");
  ExpectInvalid(AddAudio("t", Floats({1, 1}, {0}), 0, 1, &odd), "a sample_rate of 1 to 1e9, got 0");
  ExpectInvalid(AddAudio("t", Floats({1, 1}, {0}), kNan, 1, &odd), "a sample_rate");
  ExpectInvalid(AddAudio("t", Floats({1, 3, 0}, {}), 8, 1, &odd), "1 to 1024 channels");
}

TEST(SummariesTest, Tensors) {
  proto::SummaryMetadata metadata;
  metadata.set_display_name("d");
  proto::Summary summary;
  ASSERT_TRUE(AddTensor("t", Ints({2}, {1, 2}), metadata.SerializeAsString(), &summary).ok());
  EXPECT_EQ(summary.value(0).tag(), "t");
  EXPECT_EQ(summary.value(0).metadata().display_name(), "d");
  EXPECT_EQ(summary.value(0).tensor().tensor_shape().dim(0).size(), 2);
  ExpectInvalid(AddTensor("t", Ints({2}, {1, 2}), "\xff", &summary), "expected serialized SummaryMetadata");
  EXPECT_EQ(summary.value_size(), 1);
}

}  // namespace
}  // namespace flowlatch
