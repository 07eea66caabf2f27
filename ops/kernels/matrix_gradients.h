// Matrix algebra for gradient functions: all work on the last two dimensions, whatever is before them.
#ifndef FLOWLATCH_OPS_KERNELS_MATRIX_GRADIENTS_H_
#define FLOWLATCH_OPS_KERNELS_MATRIX_GRADIENTS_H_

#include <cstdint>

#include "graph/build/grad_context.h"

namespace flowlatch {

// op(x) op(y), where op is the adjoint (the conjugate transpose) on demand.
Output MatrixProduct(GradContext& c, const Output& x, const Output& y, bool adjoint_x = false, bool adjoint_y = false);
Output MatrixTranspose(GradContext& c, const Output& x);
Output MatrixAdjoint(GradContext& c, const Output& x);
// x with everything above or below its diagonal set to zero.
Output LowerTriangle(GradContext& c, const Output& x);
Output UpperTriangle(GradContext& c, const Output& x);
// Identity matrices in the shape of the square matrices x.
Output IdentityLike(GradContext& c, const Output& x);
// Columns [begin, end) of x; end < 0: all from `begin` on.
Output MatrixColumns(GradContext& c, const Output& x, int64_t begin, int64_t end);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_MATRIX_GRADIENTS_H_
