#ifndef FLOWLATCH_OPS_SPARSE_MATMUL_OPS_H_
#define FLOWLATCH_OPS_SPARSE_MATMUL_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// SparseTensorDenseMatMul, SparseMatMul.
absl::Status RegisterSparseMatMulOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SPARSE_MATMUL_OPS_H_
