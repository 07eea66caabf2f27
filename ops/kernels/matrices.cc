#include "ops/kernels/matrices.h"

#include <cblas.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <type_traits>

#include "absl/strings/str_cat.h"

namespace flowlatch {

absl::StatusOr<Matrices> MatricesOf(const Tensor& t, const char* what) {
  if (t.rank() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": expected matrices of at least 2 dimensions, got shape ", t.ShapeString()));
  }
  const int64_t rows = t.dim(t.rank() - 2), cols = t.dim(t.rank() - 1);
  if (std::max(rows, cols) > std::numeric_limits<int>::max()) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": expected less than 2^31 rows and columns, got shape ", t.ShapeString()));
  }
  Matrices m{.rows = static_cast<int>(rows), .cols = static_cast<int>(cols)};
  if (t.num_elements() > 0) m.count = t.num_elements() / m.size();
  return m;
}

absl::StatusOr<Matrices> SquareMatricesOf(const Tensor& t, const char* what) {
  ASSIGN_OR_RETURN(const Matrices m, MatricesOf(t, what));
  if (m.rows != m.cols) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": expected square matrices, got shape ", t.ShapeString()));
  }
  return m;
}

Dims BatchDims(const Tensor& t, std::initializer_list<int64_t> last) {
  Dims dims(t.dims().begin(), t.dims().end() - 2);
  dims.insert(dims.end(), last.begin(), last.end());
  return dims;
}

absl::Status ExpectEqualBatches(const Tensor& a, const Tensor& b, const char* what) {
  if (a.rank() == b.rank() && a.dims().first(a.rank() - 2) == b.dims().first(b.rank() - 2)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected equal dimensions before the last two, got shapes ",
                                                 a.ShapeString(), " and ", b.ShapeString()));
}

BatchIndex::BatchIndex(absl::Span<const int64_t> operand, absl::Span<const int64_t> output) {
  const int rank = static_cast<int>(output.size()) - 2, skip = static_cast<int>(output.size() - operand.size());
  dims_.assign(output.begin(), output.begin() + rank);
  strides_.assign(rank, 0);
  for (int d = rank - 1; d >= skip; --d) {
    if (operand[d - skip] != 1) strides_[d] = count_;
    count_ *= operand[d - skip];
  }
}

template <typename T>
void SolveTriangular(bool lower, Op op, int n, int cols, const T* a, T* b) {
  const auto run = [&](auto* trsm, auto one) {
    trsm(CblasRowMajor, CblasLeft, lower ? CblasLower : CblasUpper,
         op == Op::kNone        ? CblasNoTrans
         : op == Op::kTranspose ? CblasTrans
                                : CblasConjTrans,
         CblasNonUnit, n, cols, one, a, n, b, cols);
  };
  const T one = T(1);
  if constexpr (std::is_same_v<T, float>) run(&cblas_strsm, one);
  if constexpr (std::is_same_v<T, double>) run(&cblas_dtrsm, one);
  if constexpr (std::is_same_v<T, std::complex<float>>) run(&cblas_ctrsm, &one);
  if constexpr (std::is_same_v<T, std::complex<double>>) run(&cblas_ztrsm, &one);
}

template void SolveTriangular(bool, Op, int, int, const float*, float*);
template void SolveTriangular(bool, Op, int, int, const double*, double*);
template void SolveTriangular(bool, Op, int, int, const std::complex<float>*, std::complex<float>*);
template void SolveTriangular(bool, Op, int, int, const std::complex<double>*, std::complex<double>*);

PartialShape MatrixShape::With(std::initializer_list<int64_t> last) const {
  if (!batch.has_rank()) return PartialShape();
  Dims dims(batch.dims().begin(), batch.dims().end());
  dims.insert(dims.end(), last.begin(), last.end());
  return PartialShape::FromValid(dims);
}

absl::StatusOr<MatrixShape> MatrixShapeOf(const ShapeContext& c, int input) {
  ASSIGN_OR_RETURN(const PartialShape shape, c.WithRankAtLeast(input, 2));
  if (!shape.has_rank()) return MatrixShape();
  const int rank = shape.rank();
  return MatrixShape{PartialShape::FromValid(shape.dims().first(rank - 2)), shape.dim(rank - 2), shape.dim(rank - 1)};
}

absl::StatusOr<MatrixShape> SquareShapeOf(const ShapeContext& c, int input) {
  ASSIGN_OR_RETURN(MatrixShape shape, MatrixShapeOf(c, input));
  ASSIGN_OR_RETURN(shape.rows, MergeDims(shape.rows, shape.cols, "rows and columns of a square matrix"));
  shape.cols = shape.rows;
  return shape;
}

absl::StatusOr<int64_t> MergeDims(int64_t a, int64_t b, const char* what) {
  if (a >= 0 && b >= 0 && a != b) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": expected equal sizes, got ", a, " and ", b));
  }
  return std::max(a, b);
}

absl::Status SquareLikeInput(ShapeContext& c) {
  ASSIGN_OR_RETURN(const MatrixShape shape, SquareShapeOf(c, 0));
  c.SetOutput(0, shape.With({shape.rows, shape.cols}));
  return absl::OkStatus();
}

}  // namespace flowlatch
