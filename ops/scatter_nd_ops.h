#ifndef FLOWLATCH_OPS_SCATTER_ND_OPS_H_
#define FLOWLATCH_OPS_SCATTER_ND_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterScatterNdOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SCATTER_ND_OPS_H_
