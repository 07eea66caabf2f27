#ifndef FLOWLATCH_OPS_UNRAVEL_INDEX_OPS_H_
#define FLOWLATCH_OPS_UNRAVEL_INDEX_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

// Flat indices as coordinates.
absl::Status RegisterUnravelIndexOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_UNRAVEL_INDEX_OPS_H_
