// Files of images in memory: JPEG, PNG, GIF and BMP, to pixels and (the first two) back. Bytes come from anywhere: whatever
// they are, the answer is an image or an error, and no memory is taken before the size of the image is known to be sane.
#ifndef FLOWLATCH_OPS_KERNELS_IMAGE_CODECS_H_
#define FLOWLATCH_OPS_KERNELS_IMAGE_CODECS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace flowlatch {

enum class ImageFormat : uint8_t { kUnknown, kJpeg, kPng, kGif, kBmp };

// The format that the first bytes say.
ImageFormat FindImageFormat(std::string_view file);
const char* ImageFormatName(ImageFormat format);

// Frames, one below the other, of rows from the top, of pixels of `channels` numbers.
struct ImageSize {
  int64_t frames = 1, height = 0, width = 0, channels = 0;

  int64_t num_numbers() const { return frames * height * width * channels; }
  int64_t row() const { return width * channels; }
  bool operator==(const ImageSize&) const = default;
};
// No image has more numbers than this.
inline constexpr int64_t kMaxImageNumbers = int64_t{1} << 29;

// Called once, with a size of at most kMaxImageNumbers; gives memory for as many numbers, or null, which ends the decoding.
using AllocateImage = std::function<void*(const ImageSize&)>;

struct JpegWindow {
  int64_t top = 0, left = 0, height = 0, width = 0;
};

struct JpegDecoding {
  int channels = 0;  // 0: as the file has, 1: grey, 3: colour
  int ratio = 1;     // 1, 2, 4, 8: how many times smaller
  bool fancy_upscaling = true;
  bool recover_truncated = false;  // repeats the last row that is there
  float acceptable_fraction = 1;   // of the rows; what is missing is black
  bool accurate_transform = false;   // slower, and not what TensorFlow does unless asked
  std::optional<JpegWindow> window;  // decodes this part alone
};

// All of these: errors are InvalidArgument for what is not such a file, or broken, or too large, or when `allocate` gave
// nothing. What was written until then means nothing.
absl::Status DecodeJpeg(std::string_view file, const JpegDecoding& options, const AllocateImage& allocate);
// Without reading pixels.
absl::StatusOr<ImageSize> ReadJpegSize(std::string_view file);
// channels: 0 as the file has, 1 grey, 2 with opacity, 3 colour, 4 with opacity. 16-bit numbers are uint16_t.
absl::Status DecodePng(std::string_view file, int channels, bool is_16_bit, const AllocateImage& allocate);
// Every frame as it looks on the canvas of the largest one, in colour; or the first frame alone. Frames after which the file
// is broken are left out.
absl::Status DecodeGif(std::string_view file, bool all_frames, const AllocateImage& allocate);
// 8, 24 or 32 bits a pixel: 1, 3 or 4 channels. channels: 0 as the file has; opacity is added or left out.
absl::Status DecodeBmp(std::string_view file, int channels, const AllocateImage& allocate);

struct JpegEncoding {
  int quality = 95;  // 0 to 100
  bool progressive = false, optimize_size = false, chroma_downsampling = true;
  bool density_in_cm = false;  // else in inches
  int x_density = 300, y_density = 300;
  std::string xmp_metadata;
};

// Pixels of 1 or 3 channels. Errors: InvalidArgument for sides outside [1, 65500] and metadata that does not fit.
absl::StatusOr<std::string> EncodeJpeg(const uint8_t* pixels, const ImageSize& size, const JpegEncoding& options);
// Pixels of 1 to 4 channels of 8 or 16 bits. compression: zlib's, -1 to 9. Errors: InvalidArgument for sides outside
// [1, 1000000].
absl::StatusOr<std::string> EncodePng(const void* pixels, const ImageSize& size, bool is_16_bit, int compression);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_IMAGE_CODECS_H_
