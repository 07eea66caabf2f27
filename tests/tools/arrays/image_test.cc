#include "tools/arrays/image.h"

#include <jpeglib.h>
#include <png.h>
#include <stdio.h>  // jpeglib.h needs FILE

#include <cstdlib>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

std::string Png(int width, int height, int format, const std::vector<uint8_t>& pixels) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = static_cast<png_uint_32>(format);
  png_alloc_size_t size = 0;
  EXPECT_TRUE(png_image_write_to_memory(&image, nullptr, &size, 0, pixels.data(), 0, nullptr));
  std::string bytes(size, '\0');
  EXPECT_TRUE(png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr));
  bytes.resize(size);
  return bytes;
}

std::string GreyJpeg(int width, int height, uint8_t grey) {
  jpeg_compress_struct info = {};
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* buffer = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &buffer, &size);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = 1;
  info.in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(&info);
  jpeg_start_compress(&info, TRUE);
  std::vector<uint8_t> row(static_cast<size_t>(width), grey);
  JSAMPROW rows[] = {row.data()};
  for (int i = 0; i < height; ++i) jpeg_write_scanlines(&info, rows, 1);
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string bytes(reinterpret_cast<char*>(buffer), size);
  std::free(buffer);
  return bytes;
}

TEST(ImageTest, PngKeepsItsPixels) {
  const Tensor colour = *ParseImage(Png(2, 1, PNG_FORMAT_RGB, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(colour.ShapeString(), "[1,2,3]");
  EXPECT_EQ(colour.data<uint8_t>()[5], 6);
  const Tensor grey = *ParseImage(Png(1, 2, PNG_FORMAT_GRAY, {7, 8}));
  EXPECT_EQ(grey.ShapeString(), "[2,1,1]");
  EXPECT_EQ(grey.data<uint8_t>()[1], 8);
}

TEST(ImageTest, JpegIsCloseToItsPixels) {
  const Tensor grey = *ParseImage(GreyJpeg(9, 7, 100));
  EXPECT_EQ(grey.ShapeString(), "[7,9,1]");
  for (const uint8_t value : grey.values<uint8_t>()) EXPECT_NEAR(value, 100, 2);
}

TEST(ImageTest, DamagedFilesGiveAnAnswer) {
  EXPECT_EQ(ParseImage("GIF89a").status().message(), "image: expected PNG or JPEG, got other bytes");
  EXPECT_FALSE(ParseImage("\x89PNG").ok());
  EXPECT_FALSE(ParseImage("\xff\xd8\xff").ok());
  for (const std::string& whole : {Png(5, 5, PNG_FORMAT_RGB, std::vector<uint8_t>(75, 9)), GreyJpeg(8, 8, 3)}) {
    for (size_t i = 0; i < whole.size(); ++i) {
      ParseImage(whole.substr(0, i)).status().IgnoreError();
      std::string damaged = whole;
      damaged[i] = static_cast<char>(~damaged[i]);
      ParseImage(damaged).status().IgnoreError();
    }
    EXPECT_TRUE(ParseImage(whole).ok());
  }
}

}  // namespace
}  // namespace flowlatch
