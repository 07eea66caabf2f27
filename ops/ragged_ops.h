#ifndef FLOWLATCH_OPS_RAGGED_OPS_H_
#define FLOWLATCH_OPS_RAGGED_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// RaggedRange, RaggedTensorToSparse.
absl::Status RegisterRaggedOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_RAGGED_OPS_H_
