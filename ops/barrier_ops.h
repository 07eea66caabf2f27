#ifndef FLOWLATCH_OPS_BARRIER_OPS_H_
#define FLOWLATCH_OPS_BARRIER_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterBarrierOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_BARRIER_OPS_H_
