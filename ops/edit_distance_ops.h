#ifndef FLOWLATCH_OPS_EDIT_DISTANCE_OPS_H_
#define FLOWLATCH_OPS_EDIT_DISTANCE_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// EditDistance.
absl::Status RegisterEditDistanceOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_EDIT_DISTANCE_OPS_H_
