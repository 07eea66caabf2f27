// PNG files, by libpng. It reports errors by longjmp: what it calls, and what calls it, holds no objects that need
// destructors.
#include <png.h>

#include <csetjmp>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "ops/kernels/image_codecs.h"

namespace flowlatch {
namespace {

// A libpng structure for reading or writing, and what it said went wrong.
class PngFile {
 public:
  explicit PngFile(bool is_reader) : is_reader_(is_reader) {
    png_ = is_reader ? png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &OnError, &OnWarning)
                     : png_create_write_struct(PNG_LIBPNG_VER_STRING, this, &OnError, &OnWarning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  ~PngFile() {
    if (png_ == nullptr) return;
    if (is_reader_) png_destroy_read_struct(&png_, &info_, nullptr);
    else png_destroy_write_struct(&png_, &info_);
  }
  PngFile(const PngFile&) = delete;
  PngFile& operator=(const PngFile&) = delete;

  // Runs f(png, info), whose objects are plain, until it ends or libpng fails.
  template <typename F>
  absl::Status Guard(const F& f) {
    if (png_ == nullptr || info_ == nullptr) return absl::InvalidArgumentError("PNG file: expected memory, got none");
    if (setjmp(png_jmpbuf(png_)) != 0) return absl::InvalidArgumentError(absl::StrCat("PNG file: ", message_));
    f(png_, info_);
    return absl::OkStatus();
  }

 private:
  static void OnError(png_structp png, png_const_charp message) {
    auto* file = static_cast<PngFile*>(png_get_error_ptr(png));
    std::strncpy(file->message_, message, sizeof file->message_ - 1);
    longjmp(png_jmpbuf(png), 1);
  }
  static void OnWarning(png_structp, png_const_charp) {}

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  const bool is_reader_;
  char message_[128] = {};
};

void ReadBytes(png_structp png, png_bytep to, png_size_t count) {
  auto* unread = static_cast<std::string_view*>(png_get_io_ptr(png));
  if (count > unread->size()) png_error(png, "expected more bytes");
  std::memcpy(to, unread->data(), count);
  unread->remove_prefix(count);
}

void WriteBytes(png_structp png, png_bytep from, png_size_t count) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(from), count);
}
void Flush(png_structp) {}

// Asks libpng for pixels of `channels` (0: as the file has) of 8 or 16 bits. Returns how many channels that is.
int Convert(png_structp png, png_infop info, int channels, bool is_16_bit) {
  const int color = png_get_color_type(png, info);
  const bool has_palette = color == PNG_COLOR_TYPE_PALETTE, has_transparency = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  if (channels == 0) channels = has_palette ? (has_transparency ? 4 : 3) : png_get_channels(png, info);
  const bool wants_color = channels > 2, wants_opacity = channels % 2 == 0;
  if (has_palette) png_set_palette_to_rgb(png);
  if (color == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(png, info) < 8) png_set_expand_gray_1_2_4_to_8(png);
  const bool has_opacity = (color & PNG_COLOR_MASK_ALPHA) != 0;
  if (!has_opacity && wants_opacity && has_transparency) png_set_tRNS_to_alpha(png);
  else if (!has_opacity && wants_opacity) png_set_add_alpha(png, is_16_bit ? 0xffff : 0xff, PNG_FILLER_AFTER);
  if ((has_opacity || has_transparency) && !wants_opacity) png_set_strip_alpha(png);
  if (png_get_bit_depth(png, info) > 8 && !is_16_bit) png_set_strip_16(png);
  if (png_get_bit_depth(png, info) <= 8 && is_16_bit) png_set_expand_16(png);
  if (is_16_bit) png_set_swap(png);
  const bool has_color = (color & PNG_COLOR_MASK_COLOR) != 0;
  if (has_color && !wants_color) png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, 0.299, 0.587);
  if (!has_color && wants_color) png_set_gray_to_rgb(png);
  return channels;
}

}  // namespace

absl::Status DecodePng(std::string_view file, int channels, bool is_16_bit, const AllocateImage& allocate) {
  PngFile png(true);
  ImageSize size;
  int passes = 1;
  png_size_t row_bytes = 0;
  absl::Status status = png.Guard([&](png_structp p, png_infop info) {
    png_set_read_fn(p, &file, &ReadBytes);
    png_read_info(p, info);
    size.width = png_get_image_width(p, info);
    size.height = png_get_image_height(p, info);
    size.channels = Convert(p, info, channels, is_16_bit);
    passes = png_set_interlace_handling(p);
    png_read_update_info(p, info);
    row_bytes = png_get_rowbytes(p, info);
  });
  if (!status.ok()) return status;
  if (size.width > kMaxImageNumbers || size.height > kMaxImageNumbers / size.width / size.channels) {
    return absl::InvalidArgumentError(absl::StrCat("size of a PNG file: expected a sane one, got ", size.width, " x ", size.height));
  }
  if (static_cast<int64_t>(row_bytes) != size.row() * (is_16_bit ? 2 : 1)) {
    return absl::InvalidArgumentError(absl::StrCat("row of a PNG file: expected ", size.row(), " numbers, got ", row_bytes, " bytes"));
  }
  auto* const to = static_cast<png_bytep>(allocate(size));
  if (to == nullptr) return absl::InvalidArgumentError("PNG file: expected memory for its pixels, got none");
  return png.Guard([&](png_structp p, png_infop info) {
    for (int pass = 0; pass < passes; ++pass) {
      for (int64_t y = 0; y < size.height; ++y) png_read_row(p, to + y * static_cast<int64_t>(row_bytes), nullptr);
    }
    png_read_end(p, info);
  });
}

absl::StatusOr<std::string> EncodePng(const void* pixels, const ImageSize& size, bool is_16_bit, int compression) {
  constexpr int64_t kMaxSide = 1'000'000;  // libpng's own
  constexpr int kColors[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  if (size.height < 1 || size.width < 1 || size.height > kMaxSide || size.width > kMaxSide || size.channels < 1 || size.channels > 4) {
    return absl::InvalidArgumentError(absl::StrCat("image: expected sides of 1 to ", kMaxSide, " and 1 to 4 channels, got [",
                                                   size.height, ",", size.width, ",", size.channels, "]"));
  }
  std::string bytes;
  PngFile png(false);
  const absl::Status status = png.Guard([&](png_structp p, png_infop info) {
    png_set_write_fn(p, &bytes, &WriteBytes, &Flush);
    png_set_compression_level(p, compression);
    png_set_compression_mem_level(p, 9);
    png_set_IHDR(p, info, static_cast<png_uint_32>(size.width), static_cast<png_uint_32>(size.height), is_16_bit ? 16 : 8,
                 kColors[size.channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(p, info);
    if (is_16_bit) png_set_swap(p);
    const int64_t row_bytes = size.row() * (is_16_bit ? 2 : 1);
    for (int64_t y = 0; y < size.height; ++y) png_write_row(p, static_cast<png_const_bytep>(pixels) + y * row_bytes);
    png_write_end(p, nullptr);
  });
  if (!status.ok()) return status;
  return bytes;
}

}  // namespace flowlatch
