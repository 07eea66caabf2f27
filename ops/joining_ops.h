// Tensors into one and one into several: Concat, Pack, Split, Unpack.
#ifndef FLOWLATCH_OPS_JOINING_OPS_H_
#define FLOWLATCH_OPS_JOINING_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterJoiningOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_JOINING_OPS_H_
