// Cast between dtypes, and LinSpace.
#ifndef FLOWLATCH_OPS_CAST_OPS_H_
#define FLOWLATCH_OPS_CAST_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterCastOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_CAST_OPS_H_
