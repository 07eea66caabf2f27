// DecodeJpeg, DecodePng, DecodeGif, DecodeBmp, DecodeImage and their opposites: files of images to pixels and back.
#ifndef FLOWLATCH_OPS_IMAGE_CODEC_OPS_H_
#define FLOWLATCH_OPS_IMAGE_CODEC_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterImageCodecOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_IMAGE_CODEC_OPS_H_
