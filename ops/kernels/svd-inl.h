// The definition for svd*.cc, each of which instantiates it for some types: compiling one takes long.
#ifndef FLOWLATCH_OPS_KERNELS_SVD_INL_H_
#define FLOWLATCH_OPS_KERNELS_SVD_INL_H_

#include <algorithm>
#include <cmath>
#include <eigen3/Eigen/QR>
#include <eigen3/Eigen/SVD>

#include "ops/kernels/lapack.h"
#include "ops/kernels/svd.h"

namespace flowlatch {
namespace svd_internal {

template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// BDCSVD leaves matrices of fewer columns to Jacobi rotations.
inline constexpr int kMinColumns = 16;

template <typename T>
void SetValues(const Eigen::BDCSVD<Matrix<T>>& svd, RealOf<T> scale, T* s) {
  const auto& values = svd.singularValues();
  Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>(s, values.size()) = (values * scale).template cast<T>();
}

// For a with many more rows than columns, or the reverse: a, or its adjoint, is Q R, and R takes its place. The Eigen
// that TensorFlow has does so by itself, Debian's does not.
template <typename T>
bool LongSingularValues(const Eigen::Map<const Matrix<T>>& a, bool full, T* s, T* u, T* v) {
  const bool tall = a.rows() > a.cols();
  const Eigen::Index k = std::min(a.rows(), a.cols()), length = std::max(a.rows(), a.cols());
  RealOf<T> scale = a.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
  if (!std::isfinite(scale)) return false;
  if (scale == 0) scale = 1;
  Matrix<T> scaled = a / scale;
  if (!tall) scaled.adjointInPlace();
  const Eigen::HouseholderQR<Matrix<T>> qr(scaled);
  Matrix<T> triangle = qr.matrixQR().topRows(k).template triangularView<Eigen::Upper>();
  if (!tall) triangle.adjointInPlace();
  triangle.conservativeResizeLike(Matrix<T>::Zero(k, std::max<Eigen::Index>(k, kMinColumns)));
  const Eigen::BDCSVD<Matrix<T>> svd(triangle, u == nullptr ? 0 : Eigen::ComputeThinU | Eigen::ComputeThinV);
  if (svd.info() != Eigen::Success) return false;
  SetValues(svd, scale, s);
  if (u == nullptr) return true;
  Eigen::Map<Matrix<T>> longer(tall ? u : v, length, full ? length : k), shorter(tall ? v : u, k, k);
  shorter = tall ? svd.matrixV() : svd.matrixU();
  longer.setIdentity();
  longer.topLeftCorner(k, k) = (tall ? svd.matrixU() : svd.matrixV()).topRows(k);
  longer.applyOnTheLeft(qr.householderQ());
  return true;
}

}  // namespace svd_internal

template <typename T>
bool SingularValues(int m, int n, const T* a, bool full, T* s, T* u, T* v) {
  using svd_internal::Matrix;
  const Eigen::Map<const Matrix<T>> matrix(a, m, n);
  if (n >= svd_internal::kMinColumns && (m / 4 > n || n / 4 > m)) {
    return svd_internal::LongSingularValues<T>(matrix, full, s, u, v);
  }
  unsigned vectors = 0;
  if (u != nullptr) {
    vectors = full ? Eigen::ComputeFullU | Eigen::ComputeFullV : Eigen::ComputeThinU | Eigen::ComputeThinV;
  }
  const Eigen::BDCSVD<Matrix<T>> svd(matrix, vectors);
  if (svd.info() != Eigen::Success) return false;
  svd_internal::SetValues(svd, RealOf<T>(1), s);
  if (u != nullptr) {
    Eigen::Map<Matrix<T>>(u, m, svd.matrixU().cols()) = svd.matrixU();
    Eigen::Map<Matrix<T>>(v, n, svd.matrixV().cols()) = svd.matrixV();
  }
  return true;
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_SVD_INL_H_
