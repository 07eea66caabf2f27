// Convolutions of images: Conv2D, DepthwiseConv2dNative and their gradients.
#ifndef FLOWLATCH_OPS_CONV_OPS_H_
#define FLOWLATCH_OPS_CONV_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterConvOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_CONV_OPS_H_
