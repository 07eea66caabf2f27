// Convolution and pooling of volumes: Conv3D, AvgPool3D, MaxPool3D and what their gradients need.
#ifndef FLOWLATCH_OPS_VOLUME_OPS_H_
#define FLOWLATCH_OPS_VOLUME_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterVolumeOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_VOLUME_OPS_H_
