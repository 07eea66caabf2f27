// Files of images of each format: whatever the bytes, pixels or an error. The first byte says how to decode them.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ops/kernels/image_codecs.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flowlatch;
  if (size == 0) return 0;
  const int choice = data[0];
  const std::string_view file(reinterpret_cast<const char*>(data + 1), size - 1);
  constexpr int64_t kMaxBytes = 1 << 24;  // larger images take too long to be of use
  std::vector<uint8_t> pixels;
  const AllocateImage allocate = [&](const ImageSize& image) -> void* {
    const int64_t bytes = 2 * image.num_numbers();
    if (image.num_numbers() < 1 || image.num_numbers() > kMaxImageNumbers) __builtin_trap();
    if (bytes > kMaxBytes) return nullptr;
    pixels.assign(bytes, 0);
    return pixels.data();
  };
  constexpr int kChannels[] = {0, 1, 3, 4};
  switch (FindImageFormat(file)) {
    case ImageFormat::kJpeg: {
      JpegDecoding options{.channels = choice & 1 ? choice & 2 ? 1 : 3 : 0,
                           .ratio = 1 << (choice >> 2 & 3),
                           .fancy_upscaling = (choice & 16) != 0,
                           .recover_truncated = (choice & 32) != 0,
                           .acceptable_fraction = 0.5f};
      if (choice & 64) options.window = JpegWindow{.top = 1, .left = 2, .height = 3, .width = 4};
      DecodeJpeg(file, options, allocate).IgnoreError();
      ReadJpegSize(file).status().IgnoreError();
      return 0;
    }
    case ImageFormat::kPng:
      DecodePng(file, kChannels[choice & 3], (choice & 4) != 0, allocate).IgnoreError();
      return 0;
    case ImageFormat::kGif:
      DecodeGif(file, (choice & 1) != 0, allocate).IgnoreError();
      return 0;
    case ImageFormat::kBmp:
      DecodeBmp(file, kChannels[choice & 3], allocate).IgnoreError();
      return 0;
    case ImageFormat::kUnknown:
      return 0;
  }
  return 0;
}
