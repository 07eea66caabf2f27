#ifndef FLOWLATCH_OPS_RAGGED_LAYOUT_OPS_H_
#define FLOWLATCH_OPS_RAGGED_LAYOUT_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// RaggedTensorToTensor, RaggedGather.
absl::Status RegisterRaggedLayoutOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_RAGGED_LAYOUT_OPS_H_
