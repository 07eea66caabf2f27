#include "tools/arrays/image.h"

#include <jpeglib.h>
#include <png.h>
#include <stdio.h>  // jpeglib.h needs FILE

#include <csetjmp>
#include <cstdint>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

constexpr int64_t kMaxPixels = int64_t{1} << 28;

absl::Status Malformed(std::string_view kind, std::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat(std::string(kind), " image: ", std::string(problem)));
}

absl::StatusOr<Tensor> MakePixels(std::string_view kind, int64_t height, int64_t width, int64_t channels) {
  if (height <= 0 || width <= 0 || height > kMaxPixels / width) {
    return Malformed(kind, absl::StrCat("expected at most ", kMaxPixels, " pixels, got ", width, " times ", height));
  }
  return Tensor::Make(DType::kUInt8, Shape::Of({height, width, channels}));
}

absl::StatusOr<Tensor> ParsePng(std::string_view bytes) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  const absl::Cleanup free_image = [&image] { png_image_free(&image); };
  if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) return Malformed("PNG", image.message);
  const bool colour = image.format & PNG_FORMAT_FLAG_COLOR;
  image.format = colour ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  ASSIGN_OR_RETURN(Tensor pixels, MakePixels("PNG", image.height, image.width, colour ? 3 : 1));
  const png_color black = {};  // what shows through
  if (!png_image_finish_read(&image, &black, pixels.raw_mutable_data(), 0, nullptr))
    return Malformed("PNG", image.message);
  return pixels;
}

// libjpeg reports errors by a call that must not return.
struct JpegErrors {
  jpeg_error_mgr manager;
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

void JumpOut(j_common_ptr info) {
  JpegErrors* errors = reinterpret_cast<JpegErrors*>(info->err);
  (*info->err->format_message)(info, errors->message);
  std::longjmp(errors->jump, 1);
}

absl::Status MakeJpegPixels(const jpeg_decompress_struct& info, Tensor* pixels) {
  ASSIGN_OR_RETURN(*pixels, MakePixels("JPEG", info.output_height, info.output_width, info.output_components));
  return absl::OkStatus();
}

// Only plain variables live across the jump: `pixels` belongs to the caller.
bool DecodeJpeg(std::string_view bytes, jpeg_decompress_struct* info, JpegErrors* errors, Tensor* pixels,
                absl::Status* status) {
  if (setjmp(errors->jump) != 0) return false;
  jpeg_create_decompress(info);
  jpeg_mem_src(info, reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<unsigned long>(bytes.size()));
  jpeg_read_header(info, TRUE);
  info->out_color_space = info->num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_calc_output_dimensions(info);
  *status = MakeJpegPixels(*info, pixels);
  if (!status->ok()) return true;
  jpeg_start_decompress(info);
  const size_t row_bytes = static_cast<size_t>(info->output_width) * static_cast<size_t>(info->output_components);
  while (info->output_scanline < info->output_height) {
    JSAMPROW row = pixels->mutable_data<uint8_t>() + info->output_scanline * row_bytes;
    jpeg_read_scanlines(info, &row, 1);
  }
  return true;
}

absl::StatusOr<Tensor> ParseJpeg(std::string_view bytes) {
  jpeg_decompress_struct info = {};
  JpegErrors errors = {};
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = JumpOut;
  errors.manager.output_message = [](j_common_ptr) {};
  Tensor pixels;
  absl::Status status;
  const bool decoded = DecodeJpeg(bytes, &info, &errors, &pixels, &status);
  jpeg_destroy_decompress(&info);
  if (!decoded) return Malformed("JPEG", errors.message);
  RETURN_IF_ERROR(status);
  return pixels;
}

}  // namespace

absl::StatusOr<Tensor> ParseImage(std::string_view bytes) {
  if (bytes.substr(0, 4) == "\x89PNG") return ParsePng(bytes);
  if (bytes.substr(0, 2) == "\xff\xd8") return ParseJpeg(bytes);
  return absl::InvalidArgumentError("image: expected PNG or JPEG, got other bytes");
}

}  // namespace flowlatch
