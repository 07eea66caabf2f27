// Singular values and eigenvalues: Svd, SelfAdjointEigV2, Eig.
#ifndef FLOWLATCH_OPS_SPECTRAL_OPS_H_
#define FLOWLATCH_OPS_SPECTRAL_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterSpectralOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SPECTRAL_OPS_H_
