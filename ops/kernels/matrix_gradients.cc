#include "ops/kernels/matrix_gradients.h"

#include <vector>

namespace flowlatch {

Output MatrixProduct(GradContext& c, const Output& x, const Output& y, bool adjoint_x, bool adjoint_y) {
  return c.Op("BatchMatMulV2", {x, y}, {{"adj_x", adjoint_x}, {"adj_y", adjoint_y}});
}

Output MatrixTranspose(GradContext& c, const Output& x) {
  return c.Op("Einsum", {x}, {{"equation", "...ij->...ji"}});
}

Output MatrixAdjoint(GradContext& c, const Output& x) { return ConjIfComplex(c, MatrixTranspose(c, x)); }

Output LowerTriangle(GradContext& c, const Output& x) { return c.Op("MatrixBandPart", {x, int64_t{-1}, int64_t{0}}); }

Output UpperTriangle(GradContext& c, const Output& x) { return c.Op("MatrixBandPart", {x, int64_t{0}, int64_t{-1}}); }

Output IdentityLike(GradContext& c, const Output& x) {
  return c.Op("MatrixDiag", {c.Op("OnesLike", {c.Op("MatrixDiagPart", {x})})});
}

Output MatrixColumns(GradContext& c, const Output& x, int64_t begin, int64_t end) {
  // x[..., begin:end]: the first of the two ranges is the ellipsis.
  return c.Op("StridedSlice", {x, std::vector<int64_t>{0, begin}, std::vector<int64_t>{0, end < 0 ? 0 : end},
                               std::vector<int64_t>{1, 1}},
              {{"ellipsis_mask", int64_t{1}}, {"end_mask", end < 0 ? int64_t{2} : int64_t{0}}});
}

}  // namespace flowlatch
