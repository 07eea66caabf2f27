#ifndef FLOWLATCH_OPS_IMAGE_TRANSFORM_OPS_H_
#define FLOWLATCH_OPS_IMAGE_TRANSFORM_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// ImageProjectiveTransformV2, ImageProjectiveTransformV3.
absl::Status RegisterImageTransformOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_IMAGE_TRANSFORM_OPS_H_
