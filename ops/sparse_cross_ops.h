#ifndef FLOWLATCH_OPS_SPARSE_CROSS_OPS_H_
#define FLOWLATCH_OPS_SPARSE_CROSS_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// SparseCross, SparseCrossV2, SparseCrossHashed, RaggedCross.
absl::Status RegisterSparseCrossOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SPARSE_CROSS_OPS_H_
