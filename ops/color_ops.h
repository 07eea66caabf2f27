// Colours of images: contrast, hue, saturation, RGB to HSV and back.
#ifndef FLOWLATCH_OPS_COLOR_OPS_H_
#define FLOWLATCH_OPS_COLOR_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterColorOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_COLOR_OPS_H_
