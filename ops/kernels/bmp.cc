// BMP files, uncompressed.
#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "ops/kernels/image_codecs.h"

namespace flowlatch {
namespace {

constexpr size_t kHeaderBytes = 32;  // as far as this reader looks

int32_t NumberAt(std::string_view file, size_t at) {
  int32_t value;
  std::memcpy(&value, file.data() + at, sizeof value);
  return value;
}

}  // namespace

absl::Status DecodeBmp(std::string_view file, int channels, const AllocateImage& allocate) {
  if (file.size() < kHeaderBytes) {
    return absl::InvalidArgumentError(absl::StrCat("BMP file: expected at least 32 bytes, got ", file.size()));
  }
  const int64_t first_pixel = NumberAt(file, 10), width = NumberAt(file, 18), signed_height = NumberAt(file, 22);
  const int bits = NumberAt(file, 28) & 0xffff;
  const bool is_top_down = signed_height < 0;
  const int64_t height = is_top_down ? -signed_height : signed_height;
  if (bits != 8 && bits != 24 && bits != 32) {
    return absl::InvalidArgumentError(absl::StrCat("bits of a pixel of a BMP file: expected 8, 24 or 32, got ", bits));
  }
  const int stored_channels = bits / 8;
  if (channels == 0) channels = stored_channels;
  if ((channels == 1) != (stored_channels == 1)) {
    return absl::InvalidArgumentError(absl::StrCat("channels of a BMP file: expected ", channels, ", got ", stored_channels));
  }
  const ImageSize size{.frames = 1, .height = height, .width = width, .channels = channels};
  if (width < 1 || height < 1 || width > kMaxImageNumbers || height > kMaxImageNumbers / width / 4) {
    return absl::InvalidArgumentError(absl::StrCat("size of a BMP file: expected a sane one, got ", width, " x ", signed_height));
  }
  const int64_t row = width * stored_channels, stored_row = (row + 3) / 4 * 4;
  const int64_t available = static_cast<int64_t>(file.size()) - first_pixel;
  // The last row may lack its padding.
  const int64_t needed = stored_row * (height - 1) + row;
  if (first_pixel < 0 || available < needed) {
    return absl::InvalidArgumentError(
        absl::StrCat("pixels of a BMP file: expected ", needed, " bytes from position ", first_pixel, ", got ", available));
  }
  uint8_t* to = static_cast<uint8_t*>(allocate(size));
  if (to == nullptr) return absl::InvalidArgumentError("BMP file: expected memory for its pixels, got none");
  for (int64_t y = 0; y < height; ++y, to += size.row()) {
    const char* from = file.data() + first_pixel + (is_top_down ? y : height - 1 - y) * stored_row;
    if (channels == 1) {
      std::memcpy(to, from, row);
      continue;
    }
    const auto* pixel = reinterpret_cast<const uint8_t*>(from);
    for (int64_t x = 0; x < size.row(); x += channels, pixel += stored_channels) {
      to[x] = pixel[2];  // blue comes first
      to[x + 1] = pixel[1];
      to[x + 2] = pixel[0];
      if (channels == 4) to[x + 3] = stored_channels == 4 ? pixel[3] : 255;
    }
  }
  return absl::OkStatus();
}

}  // namespace flowlatch
