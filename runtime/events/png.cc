#include "runtime/events/png.h"

#include <png.h>

#include "absl/strings/str_cat.h"

namespace flowlatch {

absl::StatusOr<std::string> EncodePng(int64_t height, int64_t width, int64_t channels, absl::Span<const uint8_t> pixels) {
  constexpr int64_t kMaxSide = 1'000'000;  // libpng's own
  if (height < 1 || width < 1 || height > kMaxSide || width > kMaxSide || (channels != 1 && channels != 3 && channels != 4) ||
      static_cast<int64_t>(pixels.size()) != height * width * channels) {
    return absl::InvalidArgumentError(absl::StrCat("image: expected sides of 1 to ", kMaxSide, " and 1, 3 or 4 channels, got [",
                                                   height, ",", width, ",", channels, "]"));
  }
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = channels == 1 ? PNG_FORMAT_GRAY : channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &size, /*convert_to_8_bit=*/0, pixels.data(), /*row_stride=*/0,
                                /*colormap=*/nullptr) == 0) {
    return absl::InvalidArgumentError(absl::StrCat("image: ", image.message));
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace flowlatch
