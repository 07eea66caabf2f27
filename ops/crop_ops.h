// Boxes cut out of images and resized: CropAndResize and its gradients.
#ifndef FLOWLATCH_OPS_CROP_OPS_H_
#define FLOWLATCH_OPS_CROP_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterCropOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_CROP_OPS_H_
