// Linear systems and inverses, for batches of matrices (the last two dimensions).
//   MatrixInverse: a [.., n, n] -> its inverse, or that of its adjoint
//   MatrixSolve: a [.., n, n], b [.., n, k] -> x [.., n, k], a x = b, or adjoint(a) x = b
//   MatrixTriangularSolve: the same where only the lower or upper triangle of a counts; batches broadcast. Divides by
//     zero where the diagonal has one, as TensorFlow does
//   MatrixSolveLs: a [.., m, n], b [.., m, k], l2 -> x [.., n, k] of least |a x - b|^2 + l2 |x|^2, by the normal
//     equations; not fast: without l2 and of least |x|, by a complete orthogonal decomposition
//   The Batch forms are older names of the same ops.
// float32, float64 and complex types; MatrixInverse also float16, computed in float32. A singular matrix is an error.
#include "ops/matrix_solve_ops.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "ops/kernels/matrices.h"
#include "ops/kernels/matrix_gradients.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kInverseTypes = kMatrixTypes | DTypeSet{DType::kFloat16};

absl::Status NotInvertible() {
  return absl::InvalidArgumentError("matrix: expected one that is invertible, got a singular one");
}

// Factors the n x n matrix in `a`; false if it is singular or has NaN.
template <typename T>
bool FactorInvertible(int n, T* a, std::vector<int>& pivots) {
  pivots.resize(n);
  if (lapack::Getrf(n, n, a, pivots.data()) != 0) return false;
  for (int i = 0; i < n; ++i) {
    if (!(std::abs(a[int64_t{i} * n + i]) > 0)) return false;
  }
  return true;
}

struct AdjointState final : KernelState {
  bool adjoint = false;
};

struct TriangularState final : KernelState {
  bool adjoint = false, lower = true;
};

// ---- Inverse

// W is what is computed in. LAPACK sees the transpose, and the inverse of a transpose is the transpose of the inverse.
template <typename T, typename W = std::conditional_t<kIsSmallFloat<T>, float, T>>
absl::Status Inverse(KernelCall& c) {
  const bool adjoint = c.state<AdjointState>().adjoint;
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const Matrices m, SquareMatricesOf(input, "input"));
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, input.dtype(), input.dims()));
  const T* from = input.data<T>();
  T* to = output->mutable_data<T>();
  const int n = m.rows;
  return ForEachMatrix(c, m.count, 3 * m.Cost(), [=](int64_t i) -> absl::Status {
    std::vector<W> a(from + i * m.size(), from + (i + 1) * m.size());
    std::vector<int> pivots;
    if (!FactorInvertible(n, a.data(), pivots) || lapack::Getri(n, a.data(), pivots.data()) != 0) {
      return NotInvertible();
    }
    T* inverse = to + i * m.size();
    for (int64_t row = 0; row < n; ++row) {
      for (int64_t col = 0; col < n; ++col) {
        inverse[row * n + col] =
            static_cast<T>(adjoint ? Conjugated(a[col * n + row]) : a[row * n + col]);
      }
    }
    return absl::OkStatus();
  });
}

absl::Status InverseGrad(GradContext& c) {
  const Output inverse = c.output(0);
  const bool adjoint = c.Bool("adjoint");
  const Output right = MatrixProduct(c, c.grad(), inverse, adjoint, !adjoint);
  c.Set(0, -MatrixProduct(c, inverse, right, !adjoint, false));
  return absl::OkStatus();
}

// ---- Square systems

absl::Status ExpectRows(const Matrices& a, const Matrices& b, const Tensor& lhs, const Tensor& rhs) {
  if (a.rows == b.rows) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("rhs: expected as many rows as matrix has, got shapes ",
                                                 rhs.ShapeString(), " and ", lhs.ShapeString()));
}

template <typename T>
absl::Status Solve(KernelCall& c) {
  const bool adjoint = c.state<AdjointState>().adjoint;
  const Tensor& matrix = c.input(0);
  const Tensor& rhs = c.input(1);
  ASSIGN_OR_RETURN(const Matrices a, SquareMatricesOf(matrix, "matrix"));
  ASSIGN_OR_RETURN(const Matrices b, MatricesOf(rhs, "rhs"));
  RETURN_IF_ERROR(ExpectEqualBatches(matrix, rhs, "matrix and rhs"));
  RETURN_IF_ERROR(ExpectRows(a, b, matrix, rhs));
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, rhs.dtype(), rhs.dims()));
  const T* lhs_data = matrix.data<T>();
  const T* rhs_data = rhs.data<T>();
  T* to = output->mutable_data<T>();
  return ForEachMatrix(c, b.count, a.Cost() + b.Cost(), [=](int64_t i) -> absl::Status {
    // What LAPACK sees is the transpose; its system is the one of conjugates where the adjoint is asked for.
    std::vector<T> factors(lhs_data + i * a.size(), lhs_data + (i + 1) * a.size());
    std::vector<int> pivots;
    if (!FactorInvertible(a.rows, factors.data(), pivots)) return NotInvertible();
    std::vector<T> x(b.size());
    TransposeMatrix(rhs_data + i * b.size(), b.rows, b.cols, x.data());
    if (adjoint) std::transform(x.begin(), x.end(), x.begin(), Conjugated<T>);
    lapack::Getrs(adjoint ? 'N' : 'T', a.rows, b.cols, factors.data(), pivots.data(), x.data());
    if (adjoint) std::transform(x.begin(), x.end(), x.begin(), Conjugated<T>);
    TransposeMatrix(x.data(), b.cols, b.rows, to + i * b.size());
    return absl::OkStatus();
  });
}

// Solved systems a x = b have db = solve(adjoint(a), dx) and da = -db x^H, which is turned if a was.
absl::Status SolveGrad(GradContext& c) {
  const bool adjoint = c.Bool("adjoint");
  const Output rhs_grad = c.Op("MatrixSolve", {c.input(0), c.grad()}, {{"adjoint", !adjoint}});
  c.Set(1, rhs_grad);
  if (!c.needs(0)) return absl::OkStatus();
  const Output x = c.output(0);
  c.Set(0, -(adjoint ? MatrixProduct(c, x, rhs_grad, false, true) : MatrixProduct(c, rhs_grad, x, false, true)));
  return absl::OkStatus();
}

absl::Status SolveShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const MatrixShape a, SquareShapeOf(c, 0));
  ASSIGN_OR_RETURN(const MatrixShape b, MatrixShapeOf(c, 1));
  ASSIGN_OR_RETURN(const PartialShape batch, a.batch.MergeWith(b.batch));
  ASSIGN_OR_RETURN(const int64_t rows, MergeDims(a.rows, b.rows, "rows of matrix and rhs"));
  c.SetOutput(0, MatrixShape{batch}.With({rows, b.cols}));
  return absl::OkStatus();
}

// ---- Triangular systems

template <typename T>
absl::Status TriangularSolve(KernelCall& c) {
  const TriangularState& state = c.state<TriangularState>();
  const Tensor& matrix = c.input(0);
  const Tensor& rhs = c.input(1);
  ASSIGN_OR_RETURN(const Matrices a, SquareMatricesOf(matrix, "matrix"));
  ASSIGN_OR_RETURN(const Matrices b, MatricesOf(rhs, "rhs"));
  RETURN_IF_ERROR(ExpectRows(a, b, matrix, rhs));
  ASSIGN_OR_RETURN(const Shape batch, BroadcastShapes(matrix.dims().first(matrix.rank() - 2),
                                                      rhs.dims().first(rhs.rank() - 2)));
  Dims dims(batch.dims().begin(), batch.dims().end());
  dims.insert(dims.end(), {b.rows, b.cols});
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, rhs.dtype(), dims));
  if (output->num_elements() == 0) return absl::OkStatus();
  const BatchIndex a_index(matrix.dims(), dims), b_index(rhs.dims(), dims);
  const T* lhs_data = matrix.data<T>();
  const T* rhs_data = rhs.data<T>();
  T* to = output->mutable_data<T>();
  return ForEachMatrix(c, batch.num_elements(), b.Cost(), [&](int64_t i) {
    T* x = to + i * b.size();
    std::copy_n(rhs_data + b_index.At(i) * b.size(), b.size(), x);
    SolveTriangular(state.lower, state.adjoint ? Op::kAdjoint : Op::kNone, b.rows, b.cols,
                    lhs_data + a_index.At(i) * a.size(), x);
    return absl::OkStatus();
  });
}

absl::Status TriangularSolveGrad(GradContext& c) {
  const bool adjoint = c.Bool("adjoint"), lower = c.Bool("lower");
  const Output rhs_grad =
      c.Op("MatrixTriangularSolve", {c.input(0), c.grad()}, {{"lower", lower}, {"adjoint", !adjoint}});
  if (c.needs(1)) c.Set(1, SumToShapeOf(c, rhs_grad, 1));
  if (!c.needs(0)) return absl::OkStatus();
  const Output x = c.output(0);
  const Output grad =
      -(adjoint ? MatrixProduct(c, x, rhs_grad, false, true) : MatrixProduct(c, rhs_grad, x, false, true));
  c.Set(0, SumToShapeOf(c, lower ? LowerTriangle(c, grad) : UpperTriangle(c, grad), 0));
  return absl::OkStatus();
}

absl::Status TriangularSolveShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const MatrixShape a, SquareShapeOf(c, 0));
  ASSIGN_OR_RETURN(const MatrixShape b, MatrixShapeOf(c, 1));
  ASSIGN_OR_RETURN(const PartialShape batch, BroadcastPartialShapes(a.batch, b.batch));
  ASSIGN_OR_RETURN(const int64_t rows, MergeDims(a.rows, b.rows, "rows of matrix and rhs"));
  c.SetOutput(0, MatrixShape{batch}.With({rows, b.cols}));
  return absl::OkStatus();
}

// ---- Least squares

struct LeastSquaresState final : KernelState {
  bool fast = true;
};

// gram = a^H a + l2 (a a^H + l2 if a has less rows than columns) is l l^H, and x = gram^-1 a^H b (a^H gram^-1 b).
template <typename T>
absl::Status SolveNormalEquations(const Matrices& m, int cols, const T* a, const T* b, double l2, T* x) {
  const bool tall = m.rows >= m.cols;
  const int n = std::min(m.rows, m.cols), long_side = std::max(m.rows, m.cols);
  std::vector<T> gram(static_cast<size_t>(n) * n);
  RETURN_IF_ERROR(SerialGemm(GemmArgs<T>::Dense(a, tall ? Op::kAdjoint : Op::kNone, a, tall ? Op::kNone : Op::kAdjoint,
                                                gram.data(), n, n, long_side)));
  for (int64_t i = 0; i < n; ++i) gram[i * n + i] += static_cast<RealOf<T>>(l2);
  if (!CholeskyInPlace(n, gram.data())) {
    return absl::InvalidArgumentError(
        "matrix: expected one of full rank, got one that is rank deficient or ill-conditioned; fast=false or a larger "
        "l2_regularizer can help");
  }
  const auto solve = [&](T* y) {
    SolveTriangular(true, Op::kNone, n, cols, gram.data(), y);
    SolveTriangular(true, Op::kAdjoint, n, cols, gram.data(), y);
  };
  if (tall) {
    RETURN_IF_ERROR(SerialGemm(GemmArgs<T>::Dense(a, Op::kAdjoint, b, Op::kNone, x, n, cols, m.rows)));
    solve(x);
    return absl::OkStatus();
  }
  std::vector<T> y(b, b + int64_t{n} * cols);
  solve(y.data());
  return SerialGemm(GemmArgs<T>::Dense(a, Op::kAdjoint, y.data(), Op::kNone, x, m.cols, cols, n));
}

template <typename T>
absl::Status SolveByOrthogonalFactors(const Matrices& m, int cols, const T* a, const T* b, T* x) {
  const int64_t rows = std::max(m.rows, m.cols);
  std::vector<T> factors(m.size()), padded(rows * cols);
  TransposeMatrix(a, m.rows, m.cols, factors.data());
  for (int64_t i = 0; i < m.rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) padded[j * rows + i] = b[i * cols + j];
  }
  const RealOf<T> rcond = std::numeric_limits<RealOf<T>>::epsilon() * static_cast<RealOf<T>>(std::min(m.rows, m.cols));
  if (lapack::Gelsy(m.rows, m.cols, cols, factors.data(), padded.data(), rcond) != 0) {
    return absl::InvalidArgumentError("matrix: expected one that can be factored, got another");
  }
  for (int64_t i = 0; i < m.cols; ++i) {
    for (int64_t j = 0; j < cols; ++j) x[i * cols + j] = padded[j * rows + i];
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status LeastSquares(KernelCall& c) {
  const bool fast = c.state<LeastSquaresState>().fast;
  const Tensor& matrix = c.input(0);
  const Tensor& rhs = c.input(1);
  const Tensor& l2_input = c.input(2);
  ASSIGN_OR_RETURN(const Matrices a, MatricesOf(matrix, "matrix"));
  ASSIGN_OR_RETURN(const Matrices b, MatricesOf(rhs, "rhs"));
  RETURN_IF_ERROR(ExpectEqualBatches(matrix, rhs, "matrix and rhs"));
  RETURN_IF_ERROR(ExpectRows(a, b, matrix, rhs));
  if (!l2_input.is_scalar()) {
    return absl::InvalidArgumentError(
        absl::StrCat("l2_regularizer: expected a scalar, got shape ", l2_input.ShapeString()));
  }
  const double l2 = l2_input.scalar<double>();
  if (!(l2 >= 0)) return absl::InvalidArgumentError(absl::StrCat("l2_regularizer: expected a value >= 0, got ", l2));
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, rhs.dtype(), BatchDims(rhs, {a.cols, b.cols})));
  T* to = output->mutable_data<T>();
  if (a.count == 0 || b.count == 0) {  // nothing to fit
    std::fill_n(to, output->num_elements(), T(0));
    return absl::OkStatus();
  }
  const T* lhs_data = matrix.data<T>();
  const T* rhs_data = rhs.data<T>();
  return ForEachMatrix(c, a.count, 2 * a.Cost(), [=](int64_t i) {
    const T* lhs = lhs_data + i * a.size();
    const T* values = rhs_data + i * b.size();
    T* x = to + i * a.cols * b.cols;
    return fast ? SolveNormalEquations(a, b.cols, lhs, values, l2, x)
                : SolveByOrthogonalFactors(a, b.cols, lhs, values, x);
  });
}

// z = (a^H a + l2)^-1 y, or with a a^H.
Output SolveGram(GradContext& c, const Output& a, bool tall, const Output& y) {
  const Output gram = MatrixProduct(c, a, a, tall, !tall);
  const Output l2 = c.Op("Cast", {c.input(2)}, {{"DstT", a.dtype()}});
  const Output diagonal = c.Op("MatrixDiagPart", {gram}) + l2;
  const Output factor = c.Op("Cholesky", {c.Op("MatrixSetDiag", {gram, diagonal})});
  const Output half = c.Op("MatrixTriangularSolve", {factor, y});
  return c.Op("MatrixTriangularSolve", {factor, half}, {{"adjoint", true}});
}

absl::Status LeastSquaresGrad(GradContext& c) {
  if (!c.Bool("fast")) return absl::UnimplementedError("gradient of MatrixSolveLs: expected fast = true, got false");
  const PartialShape& shape = c.input_shape(0);
  if (!shape.has_rank() || !shape.has_dim(shape.rank() - 2) || !shape.has_dim(shape.rank() - 1)) {
    return absl::UnimplementedError(
        absl::StrCat("gradient of MatrixSolveLs: expected a matrix of known size, got shape ", shape.ToString()));
  }
  const bool tall = shape.dim(shape.rank() - 2) >= shape.dim(shape.rank() - 1);
  const Output a = c.input(0), b = c.input(1);
  if (tall) {
    const Output z = SolveGram(c, a, true, c.grad());
    c.Set(1, MatrixProduct(c, a, z));
    if (!c.needs(0)) return absl::OkStatus();
    const Output xz = MatrixProduct(c, c.output(0), z, false, true);
    c.Set(0, MatrixProduct(c, b, z, false, true) - MatrixProduct(c, a, xz + MatrixAdjoint(c, xz)));
    return absl::OkStatus();
  }
  const Output rhs_grad = SolveGram(c, a, false, MatrixProduct(c, a, c.grad()));
  c.Set(1, rhs_grad);
  if (!c.needs(0)) return absl::OkStatus();
  const Output y = SolveGram(c, a, false, b);
  const Output left = MatrixProduct(c, rhs_grad, MatrixProduct(c, y, a, true));
  const Output rest = c.grad() - MatrixProduct(c, a, rhs_grad, true);
  c.Set(0, MatrixProduct(c, y, rest, false, true) - left);
  return absl::OkStatus();
}

absl::Status LeastSquaresShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(2));
  ASSIGN_OR_RETURN(const MatrixShape a, MatrixShapeOf(c, 0));
  ASSIGN_OR_RETURN(const MatrixShape b, MatrixShapeOf(c, 1));
  ASSIGN_OR_RETURN(const PartialShape batch, a.batch.MergeWith(b.batch));
  RETURN_IF_ERROR(MergeDims(a.rows, b.rows, "rows of matrix and rhs").status());
  c.SetOutput(0, MatrixShape{batch}.With({a.cols, b.cols}));
  return absl::OkStatus();
}

// ---- Registration

template <typename State, DTypeSet kTypes, typename Choose>
absl::StatusOr<Kernel> MakeKernel(const NodeInfo& node, std::shared_ptr<const State> state, Choose choose) {
  const KernelFn fn = DispatchDType<kTypes>(node.input_dtype(0), KernelFn{}, choose);
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::move(state)};
}

absl::StatusOr<Kernel> InverseKernel(const NodeInfo& node) {
  auto state = std::make_shared<AdjointState>();
  ASSIGN_OR_RETURN(state->adjoint, node.Bool("adjoint"));
  return MakeKernel<AdjointState, kInverseTypes>(node, std::move(state),
                                                 []<typename T>() -> KernelFn { return &RunKernel<Inverse<T>>; });
}

absl::StatusOr<Kernel> SolveKernel(const NodeInfo& node) {
  auto state = std::make_shared<AdjointState>();
  ASSIGN_OR_RETURN(state->adjoint, node.Bool("adjoint"));
  return MakeKernel<AdjointState, kMatrixTypes>(node, std::move(state),
                                                []<typename T>() -> KernelFn { return &RunKernel<Solve<T>>; });
}

absl::StatusOr<Kernel> TriangularSolveKernel(const NodeInfo& node) {
  auto state = std::make_shared<TriangularState>();
  ASSIGN_OR_RETURN(state->adjoint, node.Bool("adjoint"));
  ASSIGN_OR_RETURN(state->lower, node.Bool("lower"));
  return MakeKernel<TriangularState, kMatrixTypes>(
      node, std::move(state), []<typename T>() -> KernelFn { return &RunKernel<TriangularSolve<T>>; });
}

absl::StatusOr<Kernel> LeastSquaresKernel(const NodeInfo& node) {
  auto state = std::make_shared<LeastSquaresState>();
  ASSIGN_OR_RETURN(state->fast, node.Bool("fast"));
  return MakeKernel<LeastSquaresState, kMatrixTypes>(
      node, std::move(state), []<typename T>() -> KernelFn { return &RunKernel<LeastSquares<T>>; });
}

}  // namespace

absl::Status RegisterMatrixSolveOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel,
                       DTypeSet dtypes, GradFunction gradient) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .dtypes = dtypes,
                        .gradient = gradient});
  };
  const DTypeSet real = kMatrixTypes - kComplexTypes;
  RETURN_IF_ERROR(add("MatrixInverse", "Inverses of square matrices or of their adjoints", SquareLikeInput,
                      InverseKernel, kInverseTypes, InverseGrad));
  RETURN_IF_ERROR(add("BatchMatrixInverse", "MatrixInverse by its older name", SquareLikeInput, InverseKernel,
                      real, nullptr));
  RETURN_IF_ERROR(add("MatrixSolve", "Solutions x of a x = b for square matrices a", SolveShape, SolveKernel,
                      kMatrixTypes, SolveGrad));
  RETURN_IF_ERROR(
      add("BatchMatrixSolve", "MatrixSolve by its older name", SolveShape, SolveKernel, real, nullptr));
  RETURN_IF_ERROR(add("MatrixTriangularSolve", "Solutions x of a x = b for triangular matrices a",
                      TriangularSolveShape, TriangularSolveKernel, kMatrixTypes, TriangularSolveGrad));
  RETURN_IF_ERROR(add("BatchMatrixTriangularSolve", "MatrixTriangularSolve by its older name", TriangularSolveShape,
                      TriangularSolveKernel, real, nullptr));
  RETURN_IF_ERROR(add("MatrixSolveLs", "Least squares solutions x of a x = b", LeastSquaresShape, LeastSquaresKernel,
                      kMatrixTypes, LeastSquaresGrad));
  return add("BatchMatrixSolveLs", "MatrixSolveLs by its older name", LeastSquaresShape, LeastSquaresKernel, real,
             nullptr);
}

}  // namespace flowlatch
