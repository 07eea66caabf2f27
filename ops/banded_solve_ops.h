// Systems of few diagonals: BandedTriangularSolve, TridiagonalSolve, TridiagonalMatMul.
#ifndef FLOWLATCH_OPS_BANDED_SOLVE_OPS_H_
#define FLOWLATCH_OPS_BANDED_SOLVE_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterBandedSolveOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_BANDED_SOLVE_OPS_H_
