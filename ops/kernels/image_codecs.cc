#include "ops/kernels/image_codecs.h"

namespace flowlatch {

ImageFormat FindImageFormat(std::string_view file) {
  const auto begins_with = [file](std::string_view magic) { return file.substr(0, magic.size()) == magic; };
  if (begins_with("\xff\xd8\xff")) return ImageFormat::kJpeg;
  if (begins_with("\x89PNG\r\n\x1a\n")) return ImageFormat::kPng;
  if (begins_with("GIF8")) return ImageFormat::kGif;
  if (begins_with("BM")) return ImageFormat::kBmp;
  return ImageFormat::kUnknown;
}

const char* ImageFormatName(ImageFormat format) {
  switch (format) {
    case ImageFormat::kJpeg: return "JPEG";
    case ImageFormat::kPng: return "PNG";
    case ImageFormat::kGif: return "GIF";
    case ImageFormat::kBmp: return "BMP";
    case ImageFormat::kUnknown: break;
  }
  return "unknown";
}

}  // namespace flowlatch
