// Singular values and vectors of one matrix, by Eigen: see docs/decisions/0011_rounding_by_eigen.md.
#ifndef FLOWLATCH_OPS_KERNELS_SVD_H_
#define FLOWLATCH_OPS_KERNELS_SVD_H_

namespace flowlatch {

// a = u diag(s) v^H for the m x n matrix a, s descending; k = min(m, n). s: k values. u: m x k, v: n x k or, if `full`,
// u: m x m, v: n x n; null for both: singular values alone. All are row-major. False if a has NaN or infinities, or if
// there is no convergence; then the results are not set. Runs in the calling thread.
// Requires: m, n > 0. For float, double and their complex types.
template <typename T>
bool SingularValues(int m, int n, const T* a, bool full, T* s, T* u, T* v);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_SVD_H_
