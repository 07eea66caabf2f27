// Einsum; see ops/einsum_ops.cc.
#ifndef FLOWLATCH_OPS_EINSUM_OPS_H_
#define FLOWLATCH_OPS_EINSUM_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterEinsumOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_EINSUM_OPS_H_
