#ifndef FLOWLATCH_OPS_COUNT_OPS_H_
#define FLOWLATCH_OPS_COUNT_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// SparseBincount, RaggedBincount, DenseCountSparseOutput, SparseCountSparseOutput, RaggedCountSparseOutput.
absl::Status RegisterCountOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_COUNT_OPS_H_
