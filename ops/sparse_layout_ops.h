#ifndef FLOWLATCH_OPS_SPARSE_LAYOUT_OPS_H_
#define FLOWLATCH_OPS_SPARSE_LAYOUT_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// SparseReorder, SparseReshape, SparseSlice, SparseSliceGrad, SparseConcat, SparseSplit, SparseFillEmptyRows,
// SparseFillEmptyRowsGrad, RaggedFillEmptyRows, RaggedFillEmptyRowsGrad.
absl::Status RegisterSparseLayoutOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SPARSE_LAYOUT_OPS_H_
