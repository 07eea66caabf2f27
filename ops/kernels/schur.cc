#include "ops/kernels/schur.h"

#include <eigen3/Eigen/Eigenvalues>

namespace flowlatch {
namespace {

// The matrix stands below and right of a zero, which changes nothing: Eigen 3.4 looks at the element left of the first one
// when the last two eigenvalues do not converge.
template <typename T>
bool Compute(int n, const T* a, std::complex<double>* t, std::complex<double>* z) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Matrix> matrix(a, n, n);
  if (!matrix.allFinite()) return false;
  Matrix framed = Matrix::Zero(n + 1, n + 1);
  framed.bottomRightCorner(n, n) = matrix;
  const Eigen::ComplexSchur<Matrix> schur(framed);
  if (schur.info() != Eigen::Success) return false;
  Eigen::Map<Eigen::MatrixXcd>(t, n, n) = schur.matrixT().bottomRightCorner(n, n).template cast<std::complex<double>>();
  Eigen::Map<Eigen::MatrixXcd>(z, n, n) = schur.matrixU().bottomRightCorner(n, n).template cast<std::complex<double>>();
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
