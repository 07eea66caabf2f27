#include "ops/kernels/schur.h"

#include <eigen3/Eigen/Eigenvalues>

namespace flowlatch {
namespace {

template <typename T>
bool Compute(int n, const T* a, std::complex<double>* t, std::complex<double>* z) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Matrix> matrix(a, n, n);
  if (!matrix.allFinite()) return false;
  const Eigen::ComplexSchur<Matrix> schur(matrix);
  if (schur.info() != Eigen::Success) return false;
  Eigen::Map<Eigen::MatrixXcd>(t, n, n) = schur.matrixT().template cast<std::complex<double>>();
  Eigen::Map<Eigen::MatrixXcd>(z, n, n) = schur.matrixU().template cast<std::complex<double>>();
  return true;
}

}  // namespace

bool SchurForm(int n, const std::complex<float>* a, std::complex<double>* t, std::complex<double>* z) {
  return Compute(n, a, t, z);
}
bool SchurForm(int n, const std::complex<double>* a, std::complex<double>* t, std::complex<double>* z) {
  return Compute(n, a, t, z);
}

}  // namespace flowlatch
