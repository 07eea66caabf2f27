// JPEG files, by libjpeg-turbo. It reports errors by longjmp: what it calls, and what calls it, holds no objects that need
// destructors.
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include <jpeglib.h>
#include <jerror.h>

#include "absl/strings/str_cat.h"
#include "ops/kernels/image_codecs.h"

namespace flowlatch {
namespace {

constexpr int kMaxScans = 500;  // a file of many scans of nothing takes hours

// What to do when libjpeg fails, and what it said.
struct Errors {
  jpeg_error_mgr base;
  jmp_buf jump;
  char message[JMSG_LENGTH_MAX];

  jpeg_error_mgr* Init() {
    jpeg_std_error(&base);
    message[0] = 0;
    base.error_exit = [](j_common_ptr file) {
      auto* errors = reinterpret_cast<Errors*>(file->err);
      errors->base.format_message(file, errors->message);
      longjmp(errors->jump, 1);
    };
    base.output_message = [](j_common_ptr) {};
    return &base;
  }
};

// The bytes of a file, all of which are there from the beginning.
struct Source {
  jpeg_source_mgr base;
  bool recover_truncated = false, has_ended = false;

  jpeg_source_mgr* Init(std::string_view file, bool recover) {
    recover_truncated = recover;
    base.next_input_byte = reinterpret_cast<const JOCTET*>(file.data());
    base.bytes_in_buffer = file.size();
    base.init_source = [](j_decompress_ptr) {};
    base.fill_input_buffer = &AtEnd;
    base.skip_input_data = [](j_decompress_ptr file, long count) {
      if (count <= 0) return;
      jpeg_source_mgr* const source = file->src;
      const size_t skipped = std::min(source->bytes_in_buffer, static_cast<size_t>(count));
      source->next_input_byte += skipped;
      source->bytes_in_buffer -= skipped;
    };
    base.resync_to_restart = &jpeg_resync_to_restart;
    base.term_source = [](j_decompress_ptr) {};
    return &base;
  }
  // A file that ends early gets the end that is missing, if that is wanted.
  static boolean AtEnd(j_decompress_ptr file) {
    static constexpr JOCTET kEndOfImage[] = {0xff, JPEG_EOI};
    auto* source = reinterpret_cast<Source*>(file->src);
    if (!source->recover_truncated || source->has_ended) ERREXIT(file, JERR_FILE_READ);
    WARNMS(file, JWRN_JPEG_EOF);
    source->has_ended = true;
    source->base.next_input_byte = kEndOfImage;
    source->base.bytes_in_buffer = sizeof kEndOfImage;
    return TRUE;
  }
};

class JpegReader {
 public:
  JpegReader(std::string_view file, bool recover_truncated) {
    file_.err = errors_.Init();
    status_ = Guard([&](j_decompress_ptr jpeg) {
      jpeg_create_decompress(jpeg);
      jpeg->src = source_.Init(file, recover_truncated);
      progress_.progress_monitor = [](j_common_ptr jpeg) {
        if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number > kMaxScans) ERREXIT(jpeg, JERR_BAD_LENGTH);
      };
      jpeg->progress = &progress_;
      jpeg_read_header(jpeg, TRUE);
    });
  }
  ~JpegReader() { jpeg_destroy_decompress(&file_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  // Whether the header was read.
  const absl::Status& status() const { return status_; }
  jpeg_decompress_struct& file() { return file_; }

  // Runs f(file), whose objects are plain, until it ends or libjpeg fails.
  template <typename F>
  absl::Status Guard(const F& f) {
    if (setjmp(errors_.jump) != 0) return absl::InvalidArgumentError(absl::StrCat("JPEG file: ", errors_.message));
    f(&file_);
    return absl::OkStatus();
  }

 private:
  jpeg_decompress_struct file_ = {};
  Errors errors_ = {};
  Source source_ = {};
  jpeg_progress_mgr progress_ = {};
  absl::Status status_;
};

// One row of cyan, magenta, yellow and black as red, green and blue; or as their grey.
void FromCmyk(const uint8_t* from, int64_t pixels, bool is_inverted, bool to_grey, uint8_t* to) {
  for (int64_t i = 0; i < pixels; ++i, from += 4) {
    int rgb[3];
    for (int k = 0; k < 3; ++k) {
      rgb[k] = is_inverted ? from[3] * from[k] / 255 : (255 - from[3]) * (255 - from[k]) / 255;
    }
    if (to_grey) {
      *to++ = static_cast<uint8_t>((rgb[0] * 299 + rgb[1] * 587 + rgb[2] * 114 + 500) / 1000);
    } else {
      for (int k = 0; k < 3; ++k) *to++ = static_cast<uint8_t>(rgb[k]);
    }
  }
}

absl::Status CheckSize(int64_t height, int64_t width, int64_t channels) {
  if (width > 0 && height > 0 && height <= kMaxImageNumbers / width / channels) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("size of a JPEG file: expected a sane one, got ", width, " x ", height));
}

}  // namespace

absl::Status DecodeJpeg(std::string_view file, const JpegDecoding& options, const AllocateImage& allocate) {
  JpegReader reader(file, options.recover_truncated);
  if (!reader.status().ok()) return reader.status();
  jpeg_decompress_struct& jpeg = reader.file();
  const int channels = options.channels != 0 ? options.channels : std::min(jpeg.num_components, 3);
  if (channels != 1 && channels != 3) {
    return absl::InvalidArgumentError(absl::StrCat("channels of a JPEG file: expected 1 or 3, got ", channels));
  }
  const bool is_cmyk = jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK;
  jpeg.out_color_space = is_cmyk ? JCS_CMYK : channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg.do_fancy_upsampling = options.fancy_upscaling ? TRUE : FALSE;
  jpeg.scale_num = 1;
  jpeg.scale_denom = static_cast<unsigned>(options.ratio);
  jpeg.dct_method = options.accurate_transform ? JDCT_ISLOW : JDCT_IFAST;
  if (absl::Status status = reader.Guard([](j_decompress_ptr f) { jpeg_calc_output_dimensions(f); }); !status.ok()) return status;
  if (absl::Status status = CheckSize(jpeg.output_height, jpeg.output_width, channels); !status.ok()) return status;
  // Progressive files are held whole while they are read.
  if (absl::Status status = CheckSize(jpeg.image_height, jpeg.image_width, jpeg.num_components); !status.ok()) return status;
  JpegWindow window{.height = jpeg.output_height, .width = jpeg.output_width};
  if (options.window.has_value()) window = *options.window;
  if (window.top < 0 || window.left < 0 || window.height < 1 || window.width < 1 ||
      window.height > jpeg.output_height || window.top > jpeg.output_height - window.height ||
      window.width > jpeg.output_width || window.left > jpeg.output_width - window.width) {
    return absl::InvalidArgumentError(absl::StrCat("crop window of a JPEG file of ", jpeg.output_height, " x ", jpeg.output_width,
                                                   ": expected one inside, got [", window.top, ",", window.left, ",",
                                                   window.height, ",", window.width, "]"));
  }
  const ImageSize size{.height = window.height, .width = window.width, .channels = channels};
  if (absl::Status status = reader.Guard([](j_decompress_ptr f) { jpeg_start_decompress(f); }); !status.ok()) return status;
  auto* const to = static_cast<uint8_t*>(allocate(size));
  if (to == nullptr) return absl::InvalidArgumentError("JPEG file: expected memory for its pixels, got none");

  // libjpeg cuts out columns that begin at a block's edge; the window's are within them.
  JDIMENSION left = static_cast<JDIMENSION>(window.left), columns = static_cast<JDIMENSION>(window.width);
  const bool is_cut = options.window.has_value();
  int64_t first_column = 0, rows_read = 0;
  std::vector<uint8_t> wide_row;
  if (is_cut || is_cmyk) wide_row.resize(size_t{jpeg.output_width} * 4);
  const absl::Status status = reader.Guard([&](j_decompress_ptr f) {
    if (is_cut) {
      jpeg_crop_scanline(f, &left, &columns);
      first_column = window.left - left;
      if (window.top > 0) jpeg_skip_scanlines(f, static_cast<JDIMENSION>(window.top));
    }
    for (; rows_read < window.height; ++rows_read) {
      uint8_t* const row = to + rows_read * size.row();
      JSAMPROW read_to = is_cut || is_cmyk ? wide_row.data() : row;
      if (jpeg_read_scanlines(f, &read_to, 1) == 0) return;
      if (is_cmyk) FromCmyk(read_to + first_column * 4, window.width, f->saw_Adobe_marker != 0, channels == 1, row);
      else if (is_cut) std::memcpy(row, read_to + first_column * channels, static_cast<size_t>(size.row()));
    }
  });
  if (rows_read == window.height) return absl::OkStatus();
  if (status.ok() && options.recover_truncated) {
    for (; rows_read < window.height; ++rows_read) {
      uint8_t* const row = to + rows_read * size.row();
      if (rows_read == 0) std::memset(row, 0, static_cast<size_t>(size.row()));
      else std::memcpy(row, row - size.row(), static_cast<size_t>(size.row()));
    }
    return absl::OkStatus();
  }
  if (static_cast<float>(rows_read) / static_cast<float>(window.height) < std::min(options.acceptable_fraction, 1.0f)) {
    return absl::InvalidArgumentError(absl::StrCat("JPEG file: expected ", window.height, " rows, got ", rows_read,
                                                   status.ok() ? "" : ": ", status.message()));
  }
  std::memset(to + rows_read * size.row(), 0, static_cast<size_t>((window.height - rows_read) * size.row()));
  return absl::OkStatus();
}

absl::StatusOr<ImageSize> ReadJpegSize(std::string_view file) {
  JpegReader reader(file, false);
  if (!reader.status().ok()) return reader.status();
  const jpeg_decompress_struct& jpeg = reader.file();
  return ImageSize{.height = jpeg.image_height, .width = jpeg.image_width, .channels = jpeg.num_components};
}

absl::StatusOr<std::string> EncodeJpeg(const uint8_t* pixels, const ImageSize& size, const JpegEncoding& options) {
  if (size.height < 1 || size.width < 1 || size.height > JPEG_MAX_DIMENSION || size.width > JPEG_MAX_DIMENSION) {
    return absl::InvalidArgumentError(absl::StrCat("image: expected sides of 1 to ", JPEG_MAX_DIMENSION, ", got [", size.height,
                                                   ",", size.width, "]"));
  }
  constexpr std::string_view kXmpName("http://ns.adobe.com/xap/1.0/\0", 29);
  constexpr size_t kMaxMarker = 65533;
  std::string xmp;
  if (!options.xmp_metadata.empty()) xmp = std::string(kXmpName) + options.xmp_metadata;
  if (xmp.size() > kMaxMarker) {
    return absl::InvalidArgumentError(
        absl::StrCat("xmp_metadata: expected at most ", kMaxMarker - kXmpName.size(), " bytes, got ", options.xmp_metadata.size()));
  }
  jpeg_compress_struct jpeg = {};
  Errors errors;
  jpeg.err = errors.Init();
  unsigned char* bytes = nullptr;
  unsigned long num_bytes = 0;
  struct Cleanup {
    ~Cleanup() {
      jpeg_destroy_compress(&jpeg);
      std::free(bytes);
    }
    jpeg_compress_struct& jpeg;
    unsigned char*& bytes;
  } cleanup{jpeg, bytes};
  const auto compress = [&]() {
    if (setjmp(errors.jump) != 0) return false;
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &bytes, &num_bytes);
    jpeg.image_height = static_cast<JDIMENSION>(size.height);
    jpeg.image_width = static_cast<JDIMENSION>(size.width);
    jpeg.input_components = static_cast<int>(size.channels);
    jpeg.in_color_space = size.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&jpeg);
    if (options.optimize_size) jpeg.optimize_coding = TRUE;
    jpeg.density_unit = options.density_in_cm ? 2 : 1;
    jpeg.X_density = static_cast<UINT16>(options.x_density);
    jpeg.Y_density = static_cast<UINT16>(options.y_density);
    jpeg_set_quality(&jpeg, options.quality, TRUE);
    if (options.progressive) jpeg_simple_progression(&jpeg);
    if (!options.chroma_downsampling) {
      for (int i = 0; i < jpeg.num_components; ++i) jpeg.comp_info[i].h_samp_factor = jpeg.comp_info[i].v_samp_factor = 1;
    }
    jpeg_start_compress(&jpeg, TRUE);
    if (!xmp.empty()) {
      jpeg_write_marker(&jpeg, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(xmp.data()), static_cast<unsigned>(xmp.size()));
    }
    while (jpeg.next_scanline < jpeg.image_height) {
      JSAMPROW row = const_cast<JSAMPROW>(pixels + jpeg.next_scanline * size.row());
      jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    return true;
  };
  if (!compress()) return absl::InvalidArgumentError(absl::StrCat("image: ", errors.message));
  return std::string(reinterpret_cast<const char*>(bytes), num_bytes);
}

}  // namespace flowlatch
