// Files of images to pixels and back.
//   DecodeJpeg, DecodePng, DecodeGif, DecodeBmp, DecodeImage, DecodeAndCropJpeg: the bytes of a file -> pixels [height, width,
//     channels], or [frames, height, width, 3] from DecodeGif, and from DecodeImage when expand_animations says so. Whatever
//     its name, each of the first three and DecodeImage reads JPEG, PNG and GIF files; BMP files are for DecodeBmp and
//     DecodeImage, which may also want other numbers: uint16, or float32 in [0, 1].
//   ExtractJpegShape: the bytes of a JPEG file -> [height, width, channels]
//   EncodeJpeg, EncodeJpegVariableQuality: pixels [height, width, 1 or 3] -> the bytes of a file
//   EncodePng: pixels [.., height, width, 1 to 4] -> the bytes of as many files
#include "ops/image_codec_ops.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/image_codecs.h"
#include "ops/kernels/inputs.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

absl::Status ExpectRank(const Tensor& t, int rank, const char* what) {
  if (t.rank() == rank) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected ", rank, " dimensions, got shape ", t.ShapeString()));
}

// ---- Decoding

enum class Decoder : uint8_t { kJpeg, kCroppedJpeg, kPng, kGif, kBmp, kImage };

struct DecodeState final : KernelState {
  Decoder op = Decoder::kImage;
  JpegDecoding jpeg;
  int channels = 0;
  DType dtype = DType::kUInt8;
  bool expand_animations = true;
};

// Whether the op reads files of that format.
absl::Status CheckFormat(Decoder op, ImageFormat format) {
  const bool is_bmp = format == ImageFormat::kBmp;
  const bool fits = op == Decoder::kCroppedJpeg ? format == ImageFormat::kJpeg
                    : op == Decoder::kBmp       ? is_bmp
                    : op == Decoder::kImage     ? format != ImageFormat::kUnknown
                                                : format != ImageFormat::kUnknown && !is_bmp;
  if (fits) return absl::OkStatus();
  const char* expected = op == Decoder::kCroppedJpeg ? "JPEG"
                         : op == Decoder::kBmp       ? "BMP"
                         : op == Decoder::kImage     ? "JPEG, PNG, GIF or BMP"
                                                     : "JPEG, PNG or GIF";
  return absl::InvalidArgumentError(
      absl::StrCat("format of the image: expected ", expected, ", got ", ImageFormatName(format)));
}

absl::Status CheckChannels(int channels, ImageFormat format) {
  const bool fits = format == ImageFormat::kJpeg  ? channels != 4
                    : format == ImageFormat::kGif ? channels == 0 || channels == 3
                                                  : true;
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("channels of a ", ImageFormatName(format), " file: expected those that it can have, got ", channels));
}

absl::StatusOr<JpegWindow> ReadWindow(const Tensor& t) {
  ASSIGN_OR_RETURN(const Dims window, ReadIntVector(t, "crop_window"));
  if (window.size() != 4) {
    return absl::InvalidArgumentError(absl::StrCat("crop_window: expected 4 values, got ", window.size()));
  }
  return JpegWindow{.top = window[0], .left = window[1], .height = window[2], .width = window[3]};
}

template <typename From, typename To>
void Rescale(const Tensor& from, Tensor& to, float factor) {
  std::transform(from.data<From>(), from.data<From>() + from.num_elements(), to.mutable_data<To>(),
                 [factor](From v) { return static_cast<To>(static_cast<float>(v) * factor); });
}

absl::Status Decode(KernelCall& c) {
  const DecodeState& state = c.state<DecodeState>();
  RETURN_IF_ERROR(ExpectRank(c.input(0), 0, "contents"));
  const String contents = c.input(0).scalar<String>();
  const std::string_view file = contents.view();
  const ImageFormat format = FindImageFormat(file);
  RETURN_IF_ERROR(CheckFormat(state.op, format));
  RETURN_IF_ERROR(CheckChannels(state.channels, format));
  JpegDecoding jpeg = state.jpeg;
  if (state.op == Decoder::kCroppedJpeg) {
    ASSIGN_OR_RETURN(jpeg.window, ReadWindow(c.input(1)));
  }
  const bool all_frames = state.op != Decoder::kImage || state.expand_animations;
  const bool has_frames = state.op == Decoder::kGif ||
                          (state.op == Decoder::kImage && format == ImageFormat::kGif && state.expand_animations);
  const bool is_16_bit = format == ImageFormat::kPng && state.dtype != DType::kUInt8;
  const DType stored = is_16_bit ? DType::kUInt16 : DType::kUInt8;

  absl::Status allocation = absl::OkStatus();
  const AllocateImage allocate = [&](const ImageSize& size) -> void* {
    Dims dims{size.height, size.width, size.channels};
    if (has_frames) {
      dims.insert(dims.begin(), size.frames);
    } else if (size.frames > 1) {
      allocation = absl::InvalidArgumentError(
          absl::StrCat("frames of a GIF file: expected one (DecodeGif and DecodeImage give more), got ", size.frames));
      return nullptr;
    }
    const absl::StatusOr<Tensor*> output = c.AllocateOutput(0, stored, dims);
    allocation = output.status();
    return output.ok() ? (*output)->raw_mutable_data() : nullptr;
  };
  absl::Status status;
  switch (format) {
    case ImageFormat::kJpeg: status = DecodeJpeg(file, jpeg, allocate); break;
    case ImageFormat::kPng: status = DecodePng(file, state.channels, is_16_bit, allocate); break;
    case ImageFormat::kGif: status = DecodeGif(file, all_frames, allocate); break;
    default: status = DecodeBmp(file, state.channels, allocate); break;
  }
  RETURN_IF_ERROR(allocation);
  RETURN_IF_ERROR(status);
  if (stored == state.dtype) return absl::OkStatus();
  const Tensor pixels = c.output(0);
  ASSIGN_OR_RETURN(Tensor * converted, c.AllocateOutput(0, state.dtype, pixels.shape()));
  if (state.dtype == DType::kUInt16) Rescale<uint8_t, uint16_t>(pixels, *converted, 256);
  else if (is_16_bit) Rescale<uint16_t, float>(pixels, *converted, 1.0f / 65535);
  else Rescale<uint8_t, float>(pixels, *converted, 1.0f / 255);
  return absl::OkStatus();
}

// The attributes that the op has.
absl::StatusOr<Kernel> DecodeKernel(const NodeInfo& node, Decoder op) {
  auto state = std::make_shared<DecodeState>();
  state->op = op;
  const auto has = [&](std::string_view attr) { return node.schema().FindAttr(attr) != nullptr; };
  if (op == Decoder::kGif) state->channels = state->jpeg.channels = 3;
  if (has("channels")) {
    ASSIGN_OR_RETURN(const int64_t channels, node.Int("channels"));
    if (channels != 0 && channels != 1 && channels != 3 && channels != 4) {
      return absl::InvalidArgumentError(absl::StrCat("channels: expected 0, 1, 3 or 4, got ", channels));
    }
    state->channels = state->jpeg.channels = static_cast<int>(channels);
  }
  if (has("dtype")) {
    ASSIGN_OR_RETURN(state->dtype, node.Type("dtype"));
  }
  if (has("expand_animations")) {
    ASSIGN_OR_RETURN(state->expand_animations, node.Bool("expand_animations"));
  }
  if (has("dct_method")) {
    ASSIGN_OR_RETURN(const int64_t ratio, node.Int("ratio"));
    if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8) {
      return absl::InvalidArgumentError(absl::StrCat("ratio: expected 1, 2, 4 or 8, got ", ratio));
    }
    state->jpeg.ratio = static_cast<int>(ratio);
    ASSIGN_OR_RETURN(state->jpeg.fancy_upscaling, node.Bool("fancy_upscaling"));
    ASSIGN_OR_RETURN(state->jpeg.recover_truncated, node.Bool("try_recover_truncated"));
    ASSIGN_OR_RETURN(state->jpeg.acceptable_fraction, node.Float("acceptable_fraction"));
    ASSIGN_OR_RETURN(const std::string method, node.Str("dct_method"));
    if (!method.empty() && method != "INTEGER_FAST" && method != "INTEGER_ACCURATE") {
      return absl::InvalidArgumentError(
          absl::StrCat("dct_method: expected '', 'INTEGER_FAST' or 'INTEGER_ACCURATE', got '", method, "'"));
    }
    state->jpeg.accurate_transform = method == "INTEGER_ACCURATE";
  }
  return Kernel{.fn = &RunKernel<Decode>, .state = std::move(state)};
}

template <Decoder kOp>
absl::StatusOr<Kernel> DecoderKernel(const NodeInfo& node) {
  return DecodeKernel(node, kOp);
}

template <typename T>
absl::Status ExtractJpegShape(KernelCall& c) {
  RETURN_IF_ERROR(ExpectRank(c.input(0), 0, "contents"));
  const String contents = c.input(0).scalar<String>();
  ASSIGN_OR_RETURN(const ImageSize size, ReadJpegSize(contents.view()));
  ASSIGN_OR_RETURN(Tensor * shape, c.AllocateOutput(0, kDTypeOf<T>, {3}));
  T* to = shape->mutable_data<T>();
  to[0] = static_cast<T>(size.height);
  to[1] = static_cast<T>(size.width);
  to[2] = static_cast<T>(size.channels);
  return absl::OkStatus();
}

absl::StatusOr<Kernel> ExtractShapeKernel(const NodeInfo& node) {
  return Kernel{.fn = node.output_dtype(0) == DType::kInt64 ? &RunKernel<ExtractJpegShape<int64_t>>
                                                            : &RunKernel<ExtractJpegShape<int32_t>>};
}

// ---- Encoding

struct EncodeJpegState final : KernelState {
  JpegEncoding jpeg;
  int channels = 0;  // 0: those of the image
};

absl::Status CheckQuality(int64_t quality) {
  if (quality >= 0 && quality <= 100) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("quality: expected a value in [0,100], got ", quality));
}

absl::Status EncodeJpegImage(KernelCall& c) {
  const EncodeJpegState& state = c.state<EncodeJpegState>();
  const Tensor& image = c.input(0);
  RETURN_IF_ERROR(ExpectRank(image, 3, "image"));
  JpegEncoding jpeg = state.jpeg;
  if (c.num_inputs() > 1) {
    ASSIGN_OR_RETURN(const int64_t quality, ReadIntScalar(c.input(1), "quality"));
    RETURN_IF_ERROR(CheckQuality(quality));
    jpeg.quality = static_cast<int>(quality);
  }
  const ImageSize size{.height = image.dim(0), .width = image.dim(1), .channels = image.dim(2)};
  const bool fits = state.channels == 0 ? size.channels == 1 || size.channels == 3 : size.channels == state.channels;
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat("channels of the image: expected ",
                                                   state.channels == 0 ? "1 or 3" : state.channels == 1 ? "1" : "3", ", got ",
                                                   size.channels));
  }
  ASSIGN_OR_RETURN(const std::string bytes, EncodeJpeg(image.data<uint8_t>(), size, jpeg));
  c.SetOutput(0, Tensor::Scalar(std::string_view(bytes)));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> EncodeJpegKernel(const NodeInfo& node) {
  auto state = std::make_shared<EncodeJpegState>();
  JpegEncoding& jpeg = state->jpeg;
  ASSIGN_OR_RETURN(const std::string format, node.Str("format"));
  state->channels = format == "grayscale" ? 1 : format == "rgb" ? 3 : 0;
  ASSIGN_OR_RETURN(const int64_t quality, node.Int("quality"));
  RETURN_IF_ERROR(CheckQuality(quality));
  jpeg.quality = static_cast<int>(quality);
  ASSIGN_OR_RETURN(jpeg.progressive, node.Bool("progressive"));
  ASSIGN_OR_RETURN(jpeg.optimize_size, node.Bool("optimize_size"));
  ASSIGN_OR_RETURN(jpeg.chroma_downsampling, node.Bool("chroma_downsampling"));
  ASSIGN_OR_RETURN(const std::string unit, node.Str("density_unit"));
  jpeg.density_in_cm = unit == "cm";
  for (auto [name, density] : {std::pair{"x_density", &jpeg.x_density}, {"y_density", &jpeg.y_density}}) {
    ASSIGN_OR_RETURN(const int64_t value, node.Int(name));
    *density = static_cast<int>(value & 0xffff);  // what the file has room for
  }
  ASSIGN_OR_RETURN(jpeg.xmp_metadata, node.Str("xmp_metadata"));
  return Kernel{.fn = &RunKernel<EncodeJpegImage>, .state = std::move(state)};
}

absl::StatusOr<Kernel> EncodeJpegVariableQualityKernel(const NodeInfo&) {
  return Kernel{.fn = &RunKernel<EncodeJpegImage>, .state = std::make_shared<EncodeJpegState>()};
}

struct EncodePngState final : KernelState {
  int compression = -1;
};

template <typename T>
absl::Status EncodePngImages(KernelCall& c) {
  const Tensor& images = c.input(0);
  if (images.rank() < 3) {
    return absl::InvalidArgumentError(absl::StrCat("image: expected at least 3 dimensions, got shape ", images.ShapeString()));
  }
  const int batch_rank = images.rank() - 3;
  const ImageSize size{.height = images.dim(batch_rank), .width = images.dim(batch_rank + 1), .channels = images.dim(batch_rank + 2)};
  ASSIGN_OR_RETURN(Tensor * files, c.AllocateOutput(0, DType::kString, images.dims().subspan(0, batch_rank)));
  const int64_t numbers = files->num_elements() == 0 ? 0 : images.num_elements() / files->num_elements();
  for (int64_t i = 0; i < files->num_elements(); ++i) {
    ASSIGN_OR_RETURN(const std::string bytes, EncodePng(images.data<T>() + i * numbers, size, sizeof(T) == 2,
                                                        c.state<EncodePngState>().compression));
    files->mutable_data<String>()[i] = std::string_view(bytes);
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> EncodePngKernel(const NodeInfo& node) {
  auto state = std::make_shared<EncodePngState>();
  ASSIGN_OR_RETURN(const int64_t compression, node.Int("compression"));
  if (compression < -1 || compression > 9) {
    return absl::InvalidArgumentError(absl::StrCat("compression: expected a value in [-1,9], got ", compression));
  }
  state->compression = static_cast<int>(compression);
  return Kernel{.fn = node.input_dtype(0) == DType::kUInt16 ? &RunKernel<EncodePngImages<uint16_t>>
                                                            : &RunKernel<EncodePngImages<uint8_t>>,
                .state = std::move(state)};
}

// ---- Schemas

// Channels of the output: -1 if the file has them. Errors: InvalidArgument for negative ones.
absl::StatusOr<int64_t> ChannelsAttr(const ShapeContext& c) {
  ASSIGN_OR_RETURN(const int64_t channels, c.Int("channels"));
  if (channels < 0) return absl::InvalidArgumentError(absl::StrCat("channels: expected a value >= 0, got ", channels));
  return channels == 0 ? -1 : channels;
}

absl::Status DecodeShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  ASSIGN_OR_RETURN(const int64_t channels, ChannelsAttr(c));
  c.SetOutput(0, PartialShape::Of({-1, -1, channels}));
  return absl::OkStatus();
}

absl::Status DecodeGifShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  c.SetOutput(0, PartialShape::Of({-1, -1, -1, 3}));
  return absl::OkStatus();
}

// Whether there are frames shows in the file.
absl::Status DecodeImageShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  ASSIGN_OR_RETURN(const int64_t channels, ChannelsAttr(c));
  ASSIGN_OR_RETURN(const bool expand_animations, c.Bool("expand_animations"));
  c.SetOutput(0, expand_animations ? PartialShape() : PartialShape::Of({-1, -1, channels}));
  return absl::OkStatus();
}

absl::Status DecodeAndCropShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  RETURN_IF_ERROR(c.ExpectVector(1));
  ASSIGN_OR_RETURN(const int64_t channels, ChannelsAttr(c));
  ASSIGN_OR_RETURN(const std::optional<Dims> window, c.ConstantInts(1));
  const bool is_known = window.has_value() && window->size() == 4 && (*window)[2] >= 0 && (*window)[3] >= 0;
  c.SetOutput(0, PartialShape::Of({is_known ? (*window)[2] : -1, is_known ? (*window)[3] : -1, channels}));
  return absl::OkStatus();
}

absl::Status ExtractShapeShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  c.SetOutput(0, PartialShape::Of({3}));
  return absl::OkStatus();
}

absl::Status EncodeJpegShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.WithRank(0, 3).status());
  for (int i = 1; i < c.num_inputs(); ++i) RETURN_IF_ERROR(c.ExpectScalar(i));
  return shapes::Scalar(c);
}

absl::Status EncodePngShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape images, c.WithRankAtLeast(0, 3));
  if (images.has_rank()) c.SetOutput(0, PartialShape::FromValid(images.dims().subspan(0, images.rank() - 3)));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterImageCodecOps(OpLibrary& library) {
  struct Op {
    const char* name;
    const char* doc;
    absl::Status (*shape)(ShapeContext&);
    absl::StatusOr<Kernel> (*kernel)(const NodeInfo&);
  };
  constexpr Op kOps[] = {
      {"DecodeJpeg", "The pixels of a JPEG, PNG or GIF file", DecodeShape, DecoderKernel<Decoder::kJpeg>},
      {"DecodeAndCropJpeg", "The pixels of a part of a JPEG file", DecodeAndCropShape, DecoderKernel<Decoder::kCroppedJpeg>},
      {"DecodePng", "The pixels of a PNG, JPEG or GIF file", DecodeShape, DecoderKernel<Decoder::kPng>},
      {"DecodeGif", "The pixels of all frames of a GIF file", DecodeGifShape, DecoderKernel<Decoder::kGif>},
      {"DecodeBmp", "The pixels of a BMP file", DecodeShape, DecoderKernel<Decoder::kBmp>},
      {"DecodeImage", "The pixels of a JPEG, PNG, GIF or BMP file", DecodeImageShape, DecoderKernel<Decoder::kImage>},
      {"ExtractJpegShape", "Height, width and channels of a JPEG file", ExtractShapeShape, ExtractShapeKernel},
      {"EncodeJpeg", "Pixels as a JPEG file", EncodeJpegShape, EncodeJpegKernel},
      {"EncodeJpegVariableQuality", "Pixels as a JPEG file of a quality from 0 to 100", EncodeJpegShape,
       EncodeJpegVariableQualityKernel},
      {"EncodePng", "Pixels as a PNG file", EncodePngShape, EncodePngKernel},
  };
  for (const Op& op : kOps) {
    RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature(op.name), .doc = op.doc, .shape = op.shape, .kernel = op.kernel}));
  }
  return absl::OkStatus();
}

}  // namespace flowlatch
