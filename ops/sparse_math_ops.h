#ifndef FLOWLATCH_OPS_SPARSE_MATH_OPS_H_
#define FLOWLATCH_OPS_SPARSE_MATH_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// SparseAdd, SparseAddGrad, SparseSparseMaximum, SparseSparseMinimum, SparseTensorDenseAdd, SparseDenseCwiseAdd,
// SparseDenseCwiseMul, SparseDenseCwiseDiv, SparseReduceSum, SparseReduceSumSparse, SparseReduceMax,
// SparseReduceMaxSparse, SparseSoftmax.
absl::Status RegisterSparseMathOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SPARSE_MATH_OPS_H_
