// The Schur form of one matrix, by Eigen: see docs/decisions/0011_rounding_by_eigen.md.
#ifndef FLOWLATCH_OPS_KERNELS_SCHUR_H_
#define FLOWLATCH_OPS_KERNELS_SCHUR_H_

#include <complex>

namespace flowlatch {

// a = z t z^H with z unitary and t upper triangular, computed in a's precision. a [n,n] by rows; t and z [n,n], which have
// memory already, by columns. False, and garbage, if a has no finite values or the iteration does not converge.
bool SchurForm(int n, const std::complex<float>* a, std::complex<double>* t, std::complex<double>* z);
bool SchurForm(int n, const std::complex<double>* a, std::complex<double>* t, std::complex<double>* z);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_SCHUR_H_
