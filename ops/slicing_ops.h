// Parts of tensors: Slice, StridedSlice and its gradient and update, Reverse.
#ifndef FLOWLATCH_OPS_SLICING_OPS_H_
#define FLOWLATCH_OPS_SLICING_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterSlicingOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SLICING_OPS_H_
