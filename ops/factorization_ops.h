// Factors of matrices: Cholesky, CholeskyGrad, Lu, Qr.
#ifndef FLOWLATCH_OPS_FACTORIZATION_OPS_H_
#define FLOWLATCH_OPS_FACTORIZATION_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterFactorizationOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_FACTORIZATION_OPS_H_
