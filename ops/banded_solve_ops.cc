// Systems of matrices with few diagonals, which are given row by row.
//   BandedTriangularSolve: bands [.., k, n], b [.., n, m] -> x, a x = b; batches broadcast. lower: band d is the d-th diagonal
//     below the main one, a[i, i - d] = bands[d, i]; else the last band is the main one and a[i, i + k - 1 - d] = bands[d, i]
//   TridiagonalSolve: diagonals [.., 3, n] (above, main, below), b [.., n, m] -> x. Superdiagonal i is a[i, i + 1],
//     subdiagonal i is a[i, i - 1]. Singular: NaN, or moved away from that (perturb_singular)
//   TridiagonalMatMul: superdiag, maindiag, subdiag [.., 1, n], b [.., n, m] -> a b
// float32, float64 and complex types. Elements of the diagonals that fall outside of the matrix are not read.
#include "ops/banded_solve_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
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

// ---- Triangular bands

struct BandedState final : KernelState {
  bool adjoint = false, lower = true;
};

// Row i of the matrix: its band element at column j is band[(main + i - j) * n + i], where main is the main diagonal's
// band. Columns run over [i - below, i + above].
template <typename T>
void SolveBanded(const BandedState& state, int64_t k, int64_t n, int64_t m, const T* bands, T* x) {
  const int64_t main = state.lower ? 0 : k - 1;
  const auto at = [&](int64_t i, int64_t j) { return bands[(main + i - j) * n + i]; };
  // Solves for the rows from one end to the other; the adjoint of a lower matrix is an upper one.
  const bool forward = state.lower != state.adjoint;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = forward ? step : n - 1 - step;
    const int64_t begin = forward ? std::max<int64_t>(0, i - (k - 1)) : i + 1;
    const int64_t end = forward ? i : std::min(n, i + k);
    T* row = x + i * m;
    for (int64_t j = begin; j < end; ++j) {
      const T factor = state.adjoint ? Conjugated(at(j, i)) : at(i, j);
      for (int64_t col = 0; col < m; ++col) row[col] -= factor * x[j * m + col];
    }
    const T diagonal = state.adjoint ? Conjugated(at(i, i)) : at(i, i);
    for (int64_t col = 0; col < m; ++col) row[col] /= diagonal;
  }
}

template <typename T>
absl::Status BandedSolve(KernelCall& c) {
  const BandedState& state = c.state<BandedState>();
  const Tensor& bands = c.input(0);
  const Tensor& rhs = c.input(1);
  ASSIGN_OR_RETURN(const Matrices a, MatricesOf(bands, "matrix"));
  ASSIGN_OR_RETURN(const Matrices b, MatricesOf(rhs, "rhs"));
  if (a.rows == 0 || a.cols != b.rows) {
    return absl::InvalidArgumentError(absl::StrCat("matrix: expected at least one band with an element for each row of rhs ",
                                                   rhs.ShapeString(), ", got shape ", bands.ShapeString()));
  }
  ASSIGN_OR_RETURN(const Shape batch,
                   BroadcastShapes(bands.dims().first(bands.rank() - 2), rhs.dims().first(rhs.rank() - 2)));
  Dims dims(batch.dims().begin(), batch.dims().end());
  dims.insert(dims.end(), {b.rows, b.cols});
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, rhs.dtype(), dims));
  if (output->num_elements() == 0) return absl::OkStatus();
  const BatchIndex a_index(bands.dims(), dims), b_index(rhs.dims(), dims);
  const T* band_data = bands.data<T>();
  const T* rhs_data = rhs.data<T>();
  T* to = output->mutable_data<T>();
  const double cost = 100 + 2.0 * static_cast<double>(b.size()) * a.rows;
  return ForEachMatrix(c, batch.num_elements(), cost, [&](int64_t i) -> absl::Status {
    const T* band = band_data + a_index.At(i) * a.size();
    const T* main = band + (state.lower ? 0 : int64_t{a.rows - 1} * a.cols);
    if (std::any_of(main, main + a.cols, [](T v) { return !(std::abs(v) > 0); })) {
      return absl::InvalidArgumentError("matrix: expected one that is invertible, got a zero in its main diagonal");
    }
    T* x = to + i * b.size();
    std::copy_n(rhs_data + b_index.At(i) * b.size(), b.size(), x);
    SolveBanded(state, a.rows, b.rows, b.cols, band, x);
    return absl::OkStatus();
  });
}

// The gradient by the whole matrix, of which the bands are taken; those outside of the matrix have none.
absl::Status BandedSolveGrad(GradContext& c) {
  const bool adjoint = c.Bool("adjoint"), lower = c.Bool("lower");
  const Output rhs_grad =
      c.Op("BandedTriangularSolve", {c.input(0), c.grad()}, {{"lower", lower}, {"adjoint", !adjoint}});
  if (c.needs(1)) c.Set(1, SumToShapeOf(c, rhs_grad, 1));
  if (!c.needs(0)) return absl::OkStatus();
  const Output x = c.output(0);
  const Output grad =
      -(adjoint ? MatrixProduct(c, x, rhs_grad, false, true) : MatrixProduct(c, rhs_grad, x, false, true));
  const Output count = c.Op("StridedSlice", {c.ShapeOfInput(0), {-2}, {-1}, {1}}, {{"shrink_axis_mask", int64_t{1}}});
  const Output zero = c.ScalarLike(0, count);
  const Output diagonals =
      lower ? c.Op("Pack", {1 - count, zero}) : c.Op("Pack", {zero, count - 1});
  const Output bands = c.Op("MatrixDiagPartV3", {grad, diagonals, c.ScalarLike(0, grad)}, {{"align", "LEFT_RIGHT"}});
  c.Set(0, SumToShapeOf(c, bands, 0));
  return absl::OkStatus();
}

absl::Status BandedSolveShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const MatrixShape a, MatrixShapeOf(c, 0));
  ASSIGN_OR_RETURN(const MatrixShape b, MatrixShapeOf(c, 1));
  ASSIGN_OR_RETURN(const PartialShape batch, BroadcastPartialShapes(a.batch, b.batch));
  ASSIGN_OR_RETURN(const int64_t rows, MergeDims(a.cols, b.rows, "columns of matrix and rows of rhs"));
  c.SetOutput(0, MatrixShape{batch}.With({rows, b.cols}));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> BandedSolveKernel(const NodeInfo& node) {
  auto state = std::make_shared<BandedState>();
  ASSIGN_OR_RETURN(state->adjoint, node.Bool("adjoint"));
  ASSIGN_OR_RETURN(state->lower, node.Bool("lower"));
  const KernelFn fn = DispatchDType<kMatrixTypes>(node.input_dtype(0), KernelFn{},
                                                  []<typename T>() -> KernelFn { return &RunKernel<BandedSolve<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::move(state)};
}

// ---- Tridiagonal systems

struct TridiagonalState final : KernelState {
  bool pivoting = true, perturb = false;
};

// Elimination down, substitution up. With row exchanges a row may get a second element right of the diagonal.
template <typename T>
class TridiagonalSolver {
 public:
  TridiagonalSolver(const TridiagonalState& state, int64_t n, int64_t m, const T* diagonals)
      : state_(state), n_(n), m_(m), upper_(diagonals, diagonals + n), main_(diagonals + n, diagonals + 2 * n),
        lower_(diagonals + 2 * n, diagonals + 3 * n), second_(n, T(0)) {
    upper_[n - 1] = T(0);
    if (state.perturb) smallest_ = SmallestPivot();
  }

  // False if a pivot is zero. x: the right sides, then the solution.
  bool Run(T* x) {
    for (int64_t i = 0; i + 1 < n_; ++i) {
      T below = lower_[i + 1];
      if (state_.pivoting && std::abs(below) > std::abs(main_[i])) {
        std::swap(main_[i], below);
        std::swap(upper_[i], main_[i + 1]);
        std::swap(second_[i], upper_[i + 1]);
        std::swap_ranges(x + i * m_, x + (i + 1) * m_, x + (i + 1) * m_);
      }
      if (!FixPivot(i)) return false;
      const T factor = below / main_[i];
      main_[i + 1] -= factor * upper_[i];
      upper_[i + 1] -= factor * second_[i];
      for (int64_t col = 0; col < m_; ++col) x[(i + 1) * m_ + col] -= factor * x[i * m_ + col];
    }
    if (!FixPivot(n_ - 1)) return false;
    for (int64_t i = n_ - 1; i >= 0; --i) {
      for (int64_t col = 0; col < m_; ++col) {
        T value = x[i * m_ + col];
        if (i + 1 < n_) value -= upper_[i] * x[(i + 1) * m_ + col];
        if (i + 2 < n_) value -= second_[i] * x[(i + 2) * m_ + col];
        x[i * m_ + col] = value / main_[i];
      }
    }
    return true;
  }

 private:
  // A rounding error of the largest element.
  RealOf<T> SmallestPivot() const {
    RealOf<T> largest = 0;
    for (int64_t i = 0; i < n_; ++i) {
      largest = std::max(largest, std::abs(main_[i]));
      if (i + 1 < n_) largest = std::max({largest, std::abs(upper_[i]), std::abs(lower_[i + 1])});
    }
    using Limits = std::numeric_limits<RealOf<T>>;
    return std::max(Limits::epsilon() * largest, Limits::min());
  }
  bool FixPivot(int64_t i) {
    if (state_.perturb && std::abs(main_[i]) < smallest_) main_[i] = std::real(main_[i]) < 0 ? T(-smallest_) : T(smallest_);
    return main_[i] != T(0);
  }

  const TridiagonalState& state_;
  const int64_t n_, m_;
  std::vector<T> upper_, main_, lower_, second_;
  RealOf<T> smallest_ = 0;
};

template <typename T>
absl::Status TridiagonalSolve(KernelCall& c) {
  const TridiagonalState& state = c.state<TridiagonalState>();
  const Tensor& diagonals = c.input(0);
  const Tensor& rhs = c.input(1);
  ASSIGN_OR_RETURN(const Matrices a, MatricesOf(diagonals, "diagonals"));
  ASSIGN_OR_RETURN(const Matrices b, MatricesOf(rhs, "rhs"));
  RETURN_IF_ERROR(ExpectEqualBatches(diagonals, rhs, "diagonals and rhs"));
  if (a.rows != 3 || a.cols != b.rows) {
    return absl::InvalidArgumentError(absl::StrCat("diagonals: expected 3 with an element for each row of rhs ",
                                                   rhs.ShapeString(), ", got shape ", diagonals.ShapeString()));
  }
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, rhs.dtype(), rhs.dims()));
  const T* from = diagonals.data<T>();
  const T* rhs_data = rhs.data<T>();
  T* to = output->mutable_data<T>();
  return ForEachMatrix(c, b.count, 100 + 10.0 * static_cast<double>(b.size()), [=, &state](int64_t i) {
    T* x = to + i * b.size();
    std::copy_n(rhs_data + i * b.size(), b.size(), x);
    TridiagonalSolver<T> solver(state, b.rows, b.cols, from + i * a.size());
    if (!solver.Run(x)) std::fill_n(x, b.size(), T(std::numeric_limits<RealOf<T>>::quiet_NaN()));
    return absl::OkStatus();
  });
}

// x moved up or down by one row, with zeros in the row that becomes free.
Output ShiftRows(GradContext& c, const Output& x, bool up) {
  const Output rank = c.Op("Rank", {x});
  const Output none = c.Op("Fill", {c.Op("Pack", {rank - 2, c.ScalarLike(2, rank)}), c.ScalarLike(0, rank)});
  const Output rows = c.builder().Constant(up ? Input({{0, 1}, {0, 0}}) : Input({{1, 0}, {0, 0}}), DType::kInt32);
  const Output paddings = c.Op("ConcatV2", {none, rows, 0});
  // x[..., 1:, :] or x[..., :-1, :].
  const Output part =
      c.Op("StridedSlice", {x, {0, up ? 1 : 0, 0}, {0, up ? 0 : -1, 0}, {1, 1, 1}},
           {{"ellipsis_mask", int64_t{1}}, {"begin_mask", up ? int64_t{4} : int64_t{6}}, {"end_mask", up ? int64_t{6} : int64_t{4}}});
  return c.Op("Pad", {part, paddings});
}

Output SumOverColumns(GradContext& c, const Output& x) { return c.Op("Sum", {x, -1}); }

// Row r of the three diagonals [.., 3, n], as [.., n].
Output Diagonal(GradContext& c, const Output& diagonals, int32_t r) {
  return c.Op("StridedSlice", {diagonals, {0, r, 0}, {0, r + 1, 0}, {1, 1, 1}},
              {{"ellipsis_mask", int64_t{1}}, {"begin_mask", int64_t{4}}, {"end_mask", int64_t{4}}, {"shrink_axis_mask", int64_t{2}}});
}

// [.., n] moved by one element, as ShiftRows.
Output ShiftElements(GradContext& c, const Output& x, bool up) {
  return c.Op("Squeeze", {ShiftRows(c, c.Op("ExpandDims", {x, -1}), up)}, {{"squeeze_dims", std::vector<int64_t>{-1}}});
}

// The transposed matrix has the diagonals above and below exchanged, each moved to where its elements now stand.
absl::Status TridiagonalSolveGrad(GradContext& c) {
  const Output diagonals = c.input(0);
  const Output transposed =
      c.Op("Pack", {ShiftElements(c, Diagonal(c, diagonals, 2), true), Diagonal(c, diagonals, 1), ShiftElements(c, Diagonal(c, diagonals, 0), false)},
           {{"axis", int64_t{-2}}});
  const Output rhs_grad = c.Op("TridiagonalSolve", {ConjIfComplex(c, transposed), c.grad()},
                               c.CopyAttrs({"partial_pivoting", "perturb_singular"}));
  c.Set(1, rhs_grad);
  if (!c.needs(0)) return absl::OkStatus();
  const Output x = ConjIfComplex(c, c.output(0));
  c.Set(0, -c.Op("Pack", {SumOverColumns(c, rhs_grad * ShiftRows(c, x, true)), SumOverColumns(c, rhs_grad * x), SumOverColumns(c, rhs_grad * ShiftRows(c, x, false))},
                 {{"axis", int64_t{-2}}}));
  return absl::OkStatus();
}

absl::Status TridiagonalSolveShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const MatrixShape a, MatrixShapeOf(c, 0));
  ASSIGN_OR_RETURN(const MatrixShape b, MatrixShapeOf(c, 1));
  ASSIGN_OR_RETURN(const PartialShape batch, a.batch.MergeWith(b.batch));
  RETURN_IF_ERROR(MergeDims(a.rows, 3, "rows of diagonals and 3").status());
  ASSIGN_OR_RETURN(const int64_t rows, MergeDims(a.cols, b.rows, "columns of diagonals and rows of rhs"));
  c.SetOutput(0, MatrixShape{batch}.With({rows, b.cols}));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> TridiagonalSolveKernel(const NodeInfo& node) {
  auto state = std::make_shared<TridiagonalState>();
  ASSIGN_OR_RETURN(state->pivoting, node.Bool("partial_pivoting"));
  ASSIGN_OR_RETURN(state->perturb, node.Bool("perturb_singular"));
  if (state->perturb && !state->pivoting) {
    return absl::InvalidArgumentError("perturb_singular: expected partial_pivoting = true beside it, got false");
  }
  const KernelFn fn = DispatchDType<kMatrixTypes>(
      node.input_dtype(0), KernelFn{}, []<typename T>() -> KernelFn { return &RunKernel<TridiagonalSolve<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::move(state)};
}

// ---- Tridiagonal products

template <typename T>
absl::Status TridiagonalMatMul(KernelCall& c) {
  const Tensor& rhs = c.input(3);
  ASSIGN_OR_RETURN(const Matrices b, MatricesOf(rhs, "rhs"));
  static constexpr const char* kNames[] = {"superdiag", "maindiag", "subdiag"};
  for (int d = 0; d < 3; ++d) {
    const Tensor& diagonal = c.input(d);
    ASSIGN_OR_RETURN(const Matrices a, MatricesOf(diagonal, kNames[d]));
    RETURN_IF_ERROR(ExpectEqualBatches(diagonal, rhs, kNames[d]));
    if (a.rows != 1 || a.cols != b.rows) {
      return absl::InvalidArgumentError(absl::StrCat(kNames[d], ": expected one row with an element for each row of rhs ",
                                                     rhs.ShapeString(), ", got shape ", diagonal.ShapeString()));
    }
  }
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, rhs.dtype(), rhs.dims()));
  const T* upper = c.input(0).data<T>();
  const T* main = c.input(1).data<T>();
  const T* lower = c.input(2).data<T>();
  const T* rhs_data = rhs.data<T>();
  T* to = output->mutable_data<T>();
  return ForEachMatrix(c, b.count, 100 + 2.0 * static_cast<double>(b.size()), [=](int64_t k) {
    const int64_t n = b.rows, m = b.cols;
    for (int64_t i = 0; i < n; ++i) {
      const T* x = rhs_data + k * b.size() + i * m;
      T* y = to + k * b.size() + i * m;
      for (int64_t col = 0; col < m; ++col) {
        T sum = main[k * n + i] * x[col];
        if (i > 0) sum += lower[k * n + i] * x[col - m];
        if (i + 1 < n) sum += upper[k * n + i] * x[col + m];
        y[col] = sum;
      }
    }
    return absl::OkStatus();
  });
}

absl::Status TridiagonalMatMulGrad(GradContext& c) {
  const Output dy = c.grad(), x = ConjIfComplex(c, c.input(3));
  const auto diagonal_grad = [&](const Output& rows) {
    return c.Op("ExpandDims", {SumOverColumns(c, rows * dy), -2});
  };
  if (c.needs(0)) c.Set(0, diagonal_grad(ShiftRows(c, x, true)));
  if (c.needs(1)) c.Set(1, diagonal_grad(x));
  if (c.needs(2)) c.Set(2, diagonal_grad(ShiftRows(c, x, false)));
  if (c.needs(3)) {
    const auto scaled = [&](int i) { return MatrixAdjoint(c, c.input(i)) * dy; };
    c.Set(3, ShiftRows(c, scaled(0), false) + scaled(1) + ShiftRows(c, scaled(2), true));
  }
  return absl::OkStatus();
}

absl::Status TridiagonalMatMulShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(MatrixShape b, MatrixShapeOf(c, 3));
  for (int d = 0; d < 3; ++d) {
    ASSIGN_OR_RETURN(const MatrixShape a, MatrixShapeOf(c, d));
    ASSIGN_OR_RETURN(b.batch, b.batch.MergeWith(a.batch));
    RETURN_IF_ERROR(MergeDims(a.rows, 1, "rows of a diagonal and 1").status());
    ASSIGN_OR_RETURN(b.rows, MergeDims(a.cols, b.rows, "columns of a diagonal and rows of rhs"));
  }
  c.SetOutput(0, b.With({b.rows, b.cols}));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> TridiagonalMatMulKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kMatrixTypes>(
      node.input_dtype(0), KernelFn{}, []<typename T>() -> KernelFn { return &RunKernel<TridiagonalMatMul<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

}  // namespace

absl::Status RegisterBandedSolveOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("BandedTriangularSolve"),
                               .doc = "Solutions x of a x = b for triangular matrices given by their diagonals",
                               .shape = BandedSolveShape,
                               .kernel = BandedSolveKernel,
                               .dtypes = kMatrixTypes,
                               .gradient = BandedSolveGrad}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("TridiagonalSolve"),
                               .doc = "Solutions x of a x = b for matrices given by three diagonals",
                               .shape = TridiagonalSolveShape,
                               .kernel = TridiagonalSolveKernel,
                               .dtypes = kMatrixTypes,
                               .gradient = TridiagonalSolveGrad}));
  return library.Add({.signature = TensorFlowSignature("TridiagonalMatMul"),
                      .doc = "The product of matrices given by three diagonals with others",
                      .shape = TridiagonalMatMulShape,
                      .kernel = TridiagonalMatMulKernel,
                      .dtypes = kMatrixTypes,
                      .gradient = TridiagonalMatMulGrad});
}

}  // namespace flowlatch
