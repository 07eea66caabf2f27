#ifndef FLOWLATCH_OPS_ISOTONIC_OPS_H_
#define FLOWLATCH_OPS_ISOTONIC_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

// Isotonic regression.
absl::Status RegisterIsotonicOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_ISOTONIC_OPS_H_
