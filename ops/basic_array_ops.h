// Where tensors come from and how they pass through: constants, placeholders, identities, fills and ranges.
#ifndef FLOWLATCH_OPS_BASIC_ARRAY_OPS_H_
#define FLOWLATCH_OPS_BASIC_ARRAY_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterBasicArrayOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_BASIC_ARRAY_OPS_H_
