// Linear systems: MatrixInverse, MatrixSolve, MatrixTriangularSolve, MatrixSolveLs.
#ifndef FLOWLATCH_OPS_MATRIX_SOLVE_OPS_H_
#define FLOWLATCH_OPS_MATRIX_SOLVE_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterMatrixSolveOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_MATRIX_SOLVE_OPS_H_
