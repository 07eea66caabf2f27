// Boxes found in images: choosing among those that overlap, and drawing them.
#ifndef FLOWLATCH_OPS_DETECTION_OPS_H_
#define FLOWLATCH_OPS_DETECTION_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterDetectionOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_DETECTION_OPS_H_
