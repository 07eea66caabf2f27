// Functions of matrices: MatrixExponential, MatrixLogarithm, MatrixSquareRoot.
#ifndef FLOWLATCH_OPS_MATRIX_FUNCTION_OPS_H_
#define FLOWLATCH_OPS_MATRIX_FUNCTION_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterMatrixFunctionOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_MATRIX_FUNCTION_OPS_H_
