// GIF files, by giflib. Its own reading of whole files takes memory for frames before it has read them, hence not used.
#include <gif_lib.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "ops/kernels/image_codecs.h"

namespace flowlatch {
namespace {

constexpr int64_t kMaxFrames = 1 << 16;

struct Frame {
  int64_t left = 0, top = 0, width = 0, height = 0;
  int transparent = NO_TRANSPARENT_COLOR;  // the colour that leaves what was there
  std::vector<GifColorType> colors;
  std::vector<GifPixelType> pixels;
};

struct Unread {
  std::string_view bytes;
};

int ReadBytes(GifFileType* gif, GifByteType* to, int count) {
  auto* unread = static_cast<Unread*>(gif->UserData);
  const size_t size = std::min(unread->bytes.size(), static_cast<size_t>(std::max(count, 0)));
  std::memcpy(to, unread->bytes.data(), size);
  unread->bytes.remove_prefix(size);
  return static_cast<int>(size);
}

struct CloseGif {
  void operator()(GifFileType* gif) const {
    int error;
    DGifCloseFile(gif, &error);
  }
};

absl::Status Broken(const char* what, int error = 0) {
  const char* reason = error != 0 ? GifErrorString(error) : nullptr;
  return absl::InvalidArgumentError(absl::StrCat("GIF file: ", what, reason != nullptr ? ": " : "", reason != nullptr ? reason : ""));
}

// Reads a frame whose record has begun. num_pixels: of all frames so far.
absl::StatusOr<Frame> ReadFrame(GifFileType* gif, int64_t& num_pixels) {
  if (DGifGetImageDesc(gif) != GIF_OK) return Broken("expected a frame", gif->Error);
  const GifImageDesc& desc = gif->Image;
  Frame frame{.left = desc.Left, .top = desc.Top, .width = desc.Width, .height = desc.Height};
  if (frame.width < 1 || frame.height < 1) return Broken("expected frames that are not empty");
  num_pixels += frame.width * frame.height;
  if (num_pixels * 3 > kMaxImageNumbers) return Broken("expected fewer pixels");
  const ColorMapObject* map = desc.ColorMap != nullptr ? desc.ColorMap : gif->SColorMap;
  if (map != nullptr) frame.colors.assign(map->Colors, map->Colors + map->ColorCount);
  // Row by row: memory grows with what the file really has.
  constexpr int64_t kStarts[] = {0, 4, 2, 1}, kSteps[] = {8, 8, 4, 2};
  std::vector<int64_t> order;
  for (int pass = 0; desc.Interlace && pass < 4; ++pass) {
    for (int64_t y = kStarts[pass]; y < frame.height; y += kSteps[pass]) order.push_back(y);
  }
  std::vector<GifPixelType> rows;
  for (int64_t y = 0; y < frame.height; ++y) {
    rows.resize((y + 1) * frame.width);
    if (DGifGetLine(gif, &rows[y * frame.width], static_cast<int>(frame.width)) != GIF_OK) {
      return Broken("expected more pixels", gif->Error);
    }
  }
  if (order.empty()) {
    frame.pixels = std::move(rows);
    return frame;
  }
  frame.pixels.resize(rows.size());
  for (int64_t y = 0; y < frame.height; ++y) {
    std::copy_n(&rows[y * frame.width], frame.width, &frame.pixels[order[y] * frame.width]);
  }
  return frame;
}

// Reads an extension; one that is about the next frame changes `transparent`.
absl::Status ReadExtension(GifFileType* gif, int& transparent) {
  int code;
  GifByteType* block;
  if (DGifGetExtension(gif, &code, &block) != GIF_OK) return Broken("expected an extension", gif->Error);
  while (block != nullptr) {
    GraphicsControlBlock control;
    if (code == GRAPHICS_EXT_FUNC_CODE && DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK) {
      transparent = control.TransparentColor;
    }
    if (DGifGetExtensionNext(gif, &block) != GIF_OK) return Broken("expected the rest of an extension", gif->Error);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Frame>> ReadFrames(GifFileType* gif) {
  std::vector<Frame> frames;
  int64_t num_pixels = 0;
  int transparent = NO_TRANSPARENT_COLOR;
  while (true) {
    GifRecordType type;
    absl::Status status = absl::OkStatus();
    if (DGifGetRecordType(gif, &type) != GIF_OK) {
      status = Broken("expected a record", gif->Error);
    } else if (type == TERMINATE_RECORD_TYPE) {
      break;
    } else if (type == EXTENSION_RECORD_TYPE) {
      status = ReadExtension(gif, transparent);
    } else if (type == IMAGE_DESC_RECORD_TYPE) {
      absl::StatusOr<Frame> frame = ReadFrame(gif, num_pixels);
      status = frame.status();
      if (frame.ok()) {
        frame->transparent = transparent;
        transparent = NO_TRANSPARENT_COLOR;
        frames.push_back(*std::move(frame));
        if (static_cast<int64_t>(frames.size()) > kMaxFrames) return Broken("expected fewer frames");
      }
    }
    if (!status.ok() && frames.empty()) return status;
    if (!status.ok()) break;
  }
  if (frames.empty()) return Broken("expected a frame, got none");
  return frames;
}

// Draws the frame on `canvas`, which holds what was there before.
absl::Status Draw(const Frame& frame, const ImageSize& size, uint8_t* canvas) {
  if (frame.colors.empty()) return Broken("expected colours, got none");
  const int64_t bottom = std::min(frame.top + frame.height, size.height), right = std::min(frame.left + frame.width, size.width);
  for (int64_t y = frame.top; y < bottom; ++y) {
    for (int64_t x = frame.left; x < right; ++x) {
      const GifPixelType index = frame.pixels[(y - frame.top) * frame.width + x - frame.left];
      if (index == frame.transparent) continue;
      if (index >= frame.colors.size()) return Broken("expected colours that it has");
      const GifColorType& color = frame.colors[index];
      uint8_t* pixel = canvas + y * size.row() + x * 3;
      pixel[0] = color.Red;
      pixel[1] = color.Green;
      pixel[2] = color.Blue;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status DecodeGif(std::string_view file, bool all_frames, const AllocateImage& allocate) {
  Unread unread{file};
  int error = 0;
  const std::unique_ptr<GifFileType, CloseGif> gif(DGifOpen(&unread, &ReadBytes, &error));
  if (gif == nullptr) return Broken("expected a header", error);
  ASSIGN_OR_RETURN(const std::vector<Frame> frames, ReadFrames(gif.get()));
  ImageSize size{.frames = all_frames ? static_cast<int64_t>(frames.size()) : 1, .channels = 3};
  for (const Frame& frame : frames) {
    size.height = std::max(size.height, frame.height);
    size.width = std::max(size.width, frame.width);
  }
  if (size.height * size.width > kMaxImageNumbers / 3 / size.frames) return Broken("expected fewer pixels");
  auto* to = static_cast<uint8_t*>(allocate(size));
  if (to == nullptr) return Broken("expected memory for its pixels, got none");
  const int64_t canvas = size.height * size.row();
  std::fill_n(to, canvas, 0);
  for (int64_t i = 0; i < size.frames; ++i, to += canvas) {
    if (i > 0) std::copy_n(to - canvas, canvas, to);
    RETURN_IF_ERROR(Draw(frames[i], size, to));
  }
  return absl::OkStatus();
}

}  // namespace flowlatch
