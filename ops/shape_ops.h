// Shapes as values, and the same elements under another shape or dtype.
#ifndef FLOWLATCH_OPS_SHAPE_OPS_H_
#define FLOWLATCH_OPS_SHAPE_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterShapeOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SHAPE_OPS_H_
