// Images of another size: ResizeBilinear, ResizeNearestNeighbor, ResizeBicubic and their gradients, ResizeArea.
#ifndef FLOWLATCH_OPS_RESIZE_OPS_H_
#define FLOWLATCH_OPS_RESIZE_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterResizeOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_RESIZE_OPS_H_
