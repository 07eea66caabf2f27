#include "runtime/events/png.h"

#include <png.h>

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

std::vector<uint8_t> Decode(const std::string& bytes, int64_t channels) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()), 0) << image.message;
  image.format = channels == 1 ? PNG_FORMAT_GRAY : channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
  std::vector<uint8_t> pixels(PNG_IMAGE_SIZE(image));
  EXPECT_NE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr), 0) << image.message;
  return pixels;
}

TEST(PngTest, PixelsComeBack) {
  for (const int64_t channels : {1, 3, 4}) {
    std::vector<uint8_t> pixels;
    for (int64_t i = 0; i < 5 * 7 * channels; ++i) pixels.push_back(static_cast<uint8_t>(i * 37));
    const absl::StatusOr<std::string> png = EncodePng(5, 7, channels, pixels);
    ASSERT_TRUE(png.ok()) << png.status();
    EXPECT_EQ(Decode(*png, channels), pixels) << channels;
  }
}

TEST(PngTest, WhatIsNoImageIsRefused) {
  const struct {
    int64_t height, width, channels;
    size_t bytes;
  } cases[] = {{0, 1, 1, 0}, {1, 0, 1, 0}, {2, 2, 2, 8}, {2, 2, 1, 5}, {2'000'000, 1, 1, 2'000'000}, {-1, -1, 1, 1}};
  for (const auto& c : cases) {
    const std::vector<uint8_t> pixels(c.bytes);
    const absl::Status status = EncodePng(c.height, c.width, c.channels, pixels).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr("image: expected sides of 1 to"));
  }
}

}  // namespace
}  // namespace flowlatch
