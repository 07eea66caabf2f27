// Windows of images and volumes: ExtractImagePatches, ExtractVolumePatches.
#ifndef FLOWLATCH_OPS_PATCH_OPS_H_
#define FLOWLATCH_OPS_PATCH_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterPatchOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_PATCH_OPS_H_
