// Batches of matrices: the last two dimensions of tensors, row-major, and what linear algebra does with them in place.
#ifndef FLOWLATCH_OPS_KERNELS_MATRICES_H_
#define FLOWLATCH_OPS_KERNELS_MATRICES_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/base/status_macros.h"
#include "graph/schema/shape_context.h"
#include "graph/tensor/tensor.h"
#include "ops/kernels/gemm.h"
#include "ops/kernels/lapack.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

inline constexpr DTypeSet kMatrixTypes{DType::kFloat32, DType::kFloat64, DType::kComplex64, DType::kComplex128};

// ---- Kernels

struct Matrices {
  int64_t count = 0;  // 0 if there are no elements
  int rows = 0, cols = 0;
  int64_t size() const { return int64_t{rows} * cols; }
  // What an op of about rows * cols * cols steps takes.
  double Cost() const { return 100 + 2.0 * rows * cols * cols; }
};
// Errors: InvalidArgument for less than two dimensions, and for rows or columns beyond what LAPACK can count.
absl::StatusOr<Matrices> MatricesOf(const Tensor& t, const char* what);
absl::StatusOr<Matrices> SquareMatricesOf(const Tensor& t, const char* what);

// The dimensions of t but for the last two, and then `last`.
Dims BatchDims(const Tensor& t, std::initializer_list<int64_t> last);
// Errors: InvalidArgument unless a and b have equal dimensions but for the last two.
absl::Status ExpectEqualBatches(const Tensor& a, const Tensor& b, const char* what);

// Runs body(i) for i in [0, count), from several threads if there is enough to do. `cost`: rough nanoseconds of one.
// Returns the error of the lowest i that has one.
template <typename Body>
absl::Status ForEachMatrix(const KernelCall& c, int64_t count, double cost, const Body& body) {
  if (count == 1) return body(int64_t{0});
  std::vector<absl::Status> statuses(count);
  c.ParallelFor(count, cost, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) statuses[i] = body(i);
  });
  for (const absl::Status& status : statuses) RETURN_IF_ERROR(status);
  return absl::OkStatus();
}

// For operands whose batch dimensions broadcast: which matrix of an operand belongs to number i of the output.
class BatchIndex {
 public:
  // Requires: `operand` without its last two dimensions broadcasts to `output` without those.
  BatchIndex(absl::Span<const int64_t> operand, absl::Span<const int64_t> output);
  int64_t count() const { return count_; }  // matrices that the operand has
  int64_t At(int64_t i) const {
    int64_t at = 0;
    for (int d = static_cast<int>(dims_.size()) - 1; d >= 0; --d) {
      at += i % dims_[d] * strides_[d];
      i /= dims_[d];
    }
    return at;
  }

 private:
  Dims dims_, strides_;
  int64_t count_ = 1;
};

// to[j * rows + i] = from[i * cols + j]: row-major to column-major and, with rows and cols exchanged, back.
template <typename From, typename To>
void TransposeMatrix(const From* from, int64_t rows, int64_t cols, To* to) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) to[j * rows + i] = static_cast<To>(from[i * cols + j]);
  }
}

// The lower triangle of a becomes that of L, a = L L^H; only that triangle is read. False if a is not positive definite.
// Row-major n x n.
template <typename T>
bool CholeskyInPlace(int n, T* a) {
  return lapack::Potrf('U', n, a) == 0;  // the upper triangle of the transpose
}

// b becomes op(a)^-1 b; a is n x n, and only its lower or upper triangle is read, b is n x cols, both row-major. Divides
// by zero where the diagonal is.
template <typename T>
void SolveTriangular(bool lower, Op op, int n, int cols, const T* a, T* b);

// ---- Shape functions

// What is known of an input that is a batch of matrices.
struct MatrixShape {
  PartialShape batch;
  int64_t rows = -1, cols = -1;
  PartialShape With(std::initializer_list<int64_t> last) const;  // batch dimensions, then `last`
};
// Errors: InvalidArgument for less than two dimensions.
absl::StatusOr<MatrixShape> MatrixShapeOf(const ShapeContext& c, int input);
// rows = cols, from whichever is known. Errors: also where they differ.
absl::StatusOr<MatrixShape> SquareShapeOf(const ShapeContext& c, int input);
// The one of a and b that is known. Errors: InvalidArgument where both are and differ.
absl::StatusOr<int64_t> MergeDims(int64_t a, int64_t b, const char* what);
// Output 0 is like input 0, a batch of square matrices.
absl::Status SquareLikeInput(ShapeContext& c);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_MATRICES_H_
