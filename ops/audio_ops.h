// Sound: DecodeWav, EncodeWav, AudioSpectrogram, Mfcc.
#ifndef FLOWLATCH_OPS_AUDIO_OPS_H_
#define FLOWLATCH_OPS_AUDIO_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterAudioOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_AUDIO_OPS_H_
