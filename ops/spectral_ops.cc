// Singular values and eigenvalues of matrices (the last two dimensions).
//   Svd: a [.., m, n] -> s [.., k], u [.., m, k], v [.., n, k], a = u diag(s) v^H, s descending, k = min(m, n);
//     full_matrices: u [.., m, m] and v [.., n, n]. NaN (complex types: 0, as in TensorFlow) for matrices that have NaN
//     or infinities
//   SelfAdjointEigV2: a [.., n, n], of which only the lower triangle is read -> e [.., n] ascending, v [.., n, n],
//     a v = v diag(e)
//   SelfAdjointEig: the older form, e in the first row above v, [.., n + 1, n]
//   Eig: a [.., n, n], any -> complex e, v; complex a: e by absolute value, ascending; real a: the order is the
//     algorithm's
//   Without compute_uv, compute_v: the vectors' outputs are empty. The Batch forms are older names of the same ops.
// float32, float64 and complex types. Signs (phases) of vectors are the algorithm's.
#include "ops/spectral_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "ops/kernels/matrices.h"
#include "ops/kernels/matrix_gradients.h"
#include "ops/kernels/svd.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kRealMatrixTypes = kMatrixTypes - kComplexTypes;

struct SpectralState final : KernelState {
  bool vectors = true, full = false;
};

template <typename T>
bool AllFinite(const T* x, int64_t n) {
  return std::all_of(x, x + n, [](T v) { return std::isfinite(std::abs(v)); });
}

// The empty output of vectors that nobody asked for.
absl::Status SetEmpty(KernelCall& c, int i, DType dtype) {
  return c.AllocateOutput(i, dtype, absl::Span<const int64_t>({0})).status();
}

// ---- Singular values

template <typename T>
absl::Status Svd(KernelCall& c) {
  const SpectralState& state = c.state<SpectralState>();
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const Matrices a, MatricesOf(input, "input"));
  const int m = a.rows, n = a.cols, k = std::min(m, n);
  const int u_cols = state.full ? m : k, v_cols = state.full ? n : k;
  ASSIGN_OR_RETURN(Tensor* s_output, c.AllocateOutput(0, input.dtype(), BatchDims(input, {k})));
  T* s_data = s_output->mutable_data<T>();
  T *u_data = nullptr, *v_data = nullptr;
  if (state.vectors) {
    ASSIGN_OR_RETURN(Tensor* u_output, c.AllocateOutput(1, input.dtype(), BatchDims(input, {m, u_cols})));
    ASSIGN_OR_RETURN(Tensor* v_output, c.AllocateOutput(2, input.dtype(), BatchDims(input, {n, v_cols})));
    u_data = u_output->mutable_data<T>();
    v_data = v_output->mutable_data<T>();
    if (a.count == 0) {  // full_matrices: identities stand for the vectors of a matrix without elements
      for (Tensor* t : {u_output, v_output}) {
        T* to = t->mutable_data<T>();
        const int64_t size = t->dim(t->rank() - 1);
        for (int64_t i = 0; i < t->num_elements(); ++i) to[i] = T(i / size % size == i % size ? 1 : 0);
      }
    }
  } else {
    RETURN_IF_ERROR(SetEmpty(c, 1, input.dtype()));
    RETURN_IF_ERROR(SetEmpty(c, 2, input.dtype()));
  }
  const T* from = input.data<T>();
  const int64_t u_size = int64_t{m} * u_cols, v_size = int64_t{n} * v_cols;
  return ForEachMatrix(c, a.count, 20 * a.Cost(), [=, full = state.full](int64_t i) {
    T *s = s_data + i * k, *u = nullptr, *v = nullptr;
    if (u_data != nullptr) {
      u = u_data + i * u_size;
      v = v_data + i * v_size;
    }
    if (!SingularValues(m, n, from + i * a.size(), full, s, u, v)) {
      // TensorFlow's NaN of a complex type, by the same template, is 0.
      const T nan = std::numeric_limits<T>::quiet_NaN();
      std::fill_n(s, k, nan);
      if (u == nullptr) return absl::OkStatus();
      std::fill_n(u, u_size, nan);
      std::fill_n(v, v_size, nan);
    }
    return absl::OkStatus();
  });
}

absl::Status SvdShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const MatrixShape a, MatrixShapeOf(c, 0));
  ASSIGN_OR_RETURN(const bool vectors, c.Bool("compute_uv"));
  ASSIGN_OR_RETURN(const bool full, c.Bool("full_matrices"));
  const bool known = a.rows >= 0 && a.cols >= 0;
  const int64_t k = known ? std::min(a.rows, a.cols) : -1;
  c.SetOutput(0, a.With({k}));
  c.SetOutput(1, vectors ? a.With({a.rows, full ? a.rows : k}) : PartialShape::Of({0}));
  c.SetOutput(2, vectors ? a.With({a.cols, full ? a.cols : k}) : PartialShape::Of({0}));
  return absl::OkStatus();
}

// 1 / x, but 0 where x is 0.
Output SafeReciprocal(GradContext& c, const Output& x) {
  return x * c.Op("Reciprocal", {x * x + 1e-20});
}

// f[i, j] = 1 / (e[j] - e[i]), and 0 on the diagonal: infinite where two values are equal, whose vectors are not
// determined.
Output InverseGaps(GradContext& c, const Output& e) {
  const Output gaps = SafeReciprocal(c, c.Op("ExpandDims", {e, -2}) - c.Op("ExpandDims", {e, -1}));
  return c.Op("MatrixSetDiag", {gaps, c.Op("ZerosLike", {e})});
}

Output Diagonal(GradContext& c, const Output& x) { return c.Op("MatrixDiag", {x}); }

// For a with no more rows than columns. Singular values are a's, cast to its dtype.
struct SvdParts {
  Output s, u, v, ds, du, dv;
  int64_t m, n;
  bool full;
};
Output WideSvdGrad(GradContext& c, const SvdParts& p) {
  const auto product = [&](const Output& x, const Output& y) { return MatrixProduct(c, x, y); };
  const bool square = p.m == p.n;
  const Output v1 = square ? p.v : MatrixColumns(c, p.v, 0, p.m);
  const Output dv1 = square ? p.dv : MatrixColumns(c, p.dv, 0, p.m);
  const Output s_mat = Diagonal(c, p.s), s_inverse = Diagonal(c, SafeReciprocal(c, p.s));
  const Output f = InverseGaps(c, p.s * p.s);
  const Output v_dv = MatrixProduct(c, v1, dv1, true);
  const Output f_u = f * MatrixProduct(c, p.u, p.du, true), f_v = f * v_dv;
  Output middle = Diagonal(c, p.ds) + product(f_u + MatrixAdjoint(c, f_u), s_mat) +
                  product(s_mat, f_v + MatrixAdjoint(c, f_v));
  if (IsComplex(p.u.dtype())) {  // the phases of u and v are tied to each other
    const Output phase = Diagonal(c, c.Op("MatrixDiagPart", {v_dv}));
    middle = middle + product(s_inverse, c.Op("Conj", {phase}) - phase) * 0.5;
  }
  Output grad = product(p.u, MatrixProduct(c, middle, v1, false, true));
  if (square) return grad;
  // What of dv leaves the space of v1.
  Output outside = MatrixAdjoint(c, dv1) - MatrixProduct(c, MatrixProduct(c, dv1, v1, true), v1, false, true);
  if (p.full) {
    const Output v2 = MatrixColumns(c, p.v, p.m, p.n), dv2 = MatrixColumns(c, p.dv, p.m, p.n);
    outside = outside - MatrixProduct(c, MatrixProduct(c, v1, dv2, true), v2, false, true);
  }
  return grad + product(product(p.u, s_inverse), outside);
}

absl::Status SvdGrad(GradContext& c) {
  const Output a = c.input(0);
  if (!c.Bool("compute_uv")) {
    const Operation svd = c.MultiOp("Svd", {a}, {{"compute_uv", true}, {"full_matrices", false}});
    c.Set(0, MatrixProduct(c, svd.output(1), MatrixProduct(c, Diagonal(c, c.grad(0)), svd.output(2), false, true)));
    return absl::OkStatus();
  }
  const PartialShape& shape = c.input_shape(0);
  const int rank = shape.rank();
  if (!shape.has_rank() || !shape.has_dim(rank - 2) || !shape.has_dim(rank - 1)) {
    return absl::UnimplementedError(
        absl::StrCat("gradient of Svd: expected a matrix of known size, got shape ", shape.ToString()));
  }
  const bool full = c.Bool("full_matrices");
  SvdParts p{.s = c.output(0), .u = c.output(1), .v = c.output(2), .ds = c.grad(0), .du = c.grad(1), .dv = c.grad(2),
             .m = shape.dim(rank - 2), .n = shape.dim(rank - 1), .full = full};
  if (full && std::abs(p.m - p.n) > 1) {
    return absl::UnimplementedError(absl::StrCat(
        "gradient of Svd with full_matrices: expected sizes that differ by at most 1, got shape ", shape.ToString()));
  }
  const bool tall = p.m > p.n;  // then by a^H = v s u^H
  if (tall) {
    std::swap(p.m, p.n);
    std::swap(p.u, p.v);
    std::swap(p.du, p.dv);
  }
  const Output grad = WideSvdGrad(c, p);
  c.Set(0, tall ? MatrixAdjoint(c, grad) : grad);
  return absl::OkStatus();
}

// ---- Hermitian matrices

absl::Status NoEigenvalues() {
  return absl::InvalidArgumentError("input: expected a matrix whose eigenvalues can be found, got another");
}

// Eigenvalues, and eigenvectors as columns of the row-major v unless that is null.
template <typename T>
absl::Status HermitianEigen(int n, const T* a, RealOf<T>* e, T* v) {
  std::vector<T> work(int64_t{n} * n);
  TransposeMatrix(a, n, n, work.data());
  for (int64_t i = 0; i < n; ++i) {
    if (!AllFinite(a + i * n, i + 1)) return NoEigenvalues();
  }
  if (lapack::Heevd(v != nullptr ? 'V' : 'N', 'L', n, work.data(), e) != 0) return NoEigenvalues();
  if (v != nullptr) TransposeMatrix(work.data(), n, n, v);
  return absl::OkStatus();
}

// LAPACK counts its workspace of 2 n^2 in 32 bits.
absl::StatusOr<Matrices> EigenMatricesOf(const Tensor& t) {
  constexpr int kMax = 30000;
  ASSIGN_OR_RETURN(const Matrices m, SquareMatricesOf(t, "input"));
  if (m.rows > kMax && m.count > 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("input: expected matrices of at most ", kMax, " rows, got shape ", t.ShapeString()));
  }
  return m;
}

template <typename T>
absl::Status SelfAdjointEig(KernelCall& c) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const Matrices m, EigenMatricesOf(input));
  ASSIGN_OR_RETURN(Tensor* e_output, c.AllocateOutput(0, input.dtype(), BatchDims(input, {m.rows})));
  T* v_data = nullptr;
  if (c.state<SpectralState>().vectors) {
    ASSIGN_OR_RETURN(Tensor* v_output, c.AllocateOutput(1, input.dtype(), input.dims()));
    v_data = v_output->mutable_data<T>();
  } else {
    RETURN_IF_ERROR(SetEmpty(c, 1, input.dtype()));
  }
  const T* from = input.data<T>();
  T* e_data = e_output->mutable_data<T>();
  return ForEachMatrix(c, m.count, 10 * m.Cost(), [=](int64_t i) -> absl::Status {
    std::vector<RealOf<T>> e(m.rows);
    RETURN_IF_ERROR(HermitianEigen(m.rows, from + i * m.size(), e.data(),
                                   v_data != nullptr ? v_data + i * m.size() : nullptr));
    std::copy(e.begin(), e.end(), e_data + i * m.rows);
    return absl::OkStatus();
  });
}

template <typename T>
absl::Status SelfAdjointEigV1(KernelCall& c) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const Matrices m, EigenMatricesOf(input));
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, input.dtype(), BatchDims(input, {int64_t{m.rows} + 1, m.cols})));
  const T* from = input.data<T>();
  T* to = output->mutable_data<T>();
  return ForEachMatrix(c, m.count, 10 * m.Cost(), [=](int64_t i) {
    T* e = to + i * (m.size() + m.cols);
    return HermitianEigen(m.rows, from + i * m.size(), e, e + m.cols);
  });
}

absl::Status EigShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const MatrixShape a, SquareShapeOf(c, 0));
  ASSIGN_OR_RETURN(const bool vectors, c.Bool("compute_v"));
  c.SetOutput(0, a.With({a.rows}));
  c.SetOutput(1, vectors ? a.With({a.rows, a.rows}) : PartialShape::Of({0}));
  return absl::OkStatus();
}

absl::Status SelfAdjointEigV1Shape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const MatrixShape a, SquareShapeOf(c, 0));
  c.SetOutput(0, a.With({a.rows >= 0 ? a.rows + 1 : -1, a.rows}));
  return absl::OkStatus();
}

absl::Status SelfAdjointEigGrad(GradContext& c) {
  Output v, middle = Diagonal(c, c.grad(0));
  if (c.Bool("compute_v")) {
    v = c.output(1);
    middle = middle + InverseGaps(c, c.output(0)) * MatrixProduct(c, v, c.grad(1), true);
  } else {
    v = c.MultiOp("SelfAdjointEigV2", {c.input(0)}, {{"compute_v", true}}).output(1);
  }
  const Output grad = MatrixProduct(c, v, MatrixProduct(c, middle, v, false, true));
  // Only the lower triangle is read, and stands for both.
  const Output lower = LowerTriangle(c, grad + MatrixAdjoint(c, grad));
  c.Set(0, c.Op("MatrixSetDiag", {lower, c.Op("MatrixDiagPart", {lower}) * 0.5}));
  return absl::OkStatus();
}

// ---- Any square matrices

// Eigenvalues by absolute value, ascending, as TensorFlow has them for complex matrices. v: columns to go with them.
template <typename C>
void SortByAbs(int64_t n, C* e, std::vector<C>& v) {
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [e](int64_t i, int64_t j) { return std::abs(e[i]) < std::abs(e[j]); });
  const std::vector<C> values(e, e + n), vectors = v;
  for (int64_t i = 0; i < n; ++i) {
    e[i] = values[order[i]];
    if (!v.empty()) std::copy_n(vectors.begin() + order[i] * n, n, v.begin() + i * n);
  }
}

template <typename T>
absl::Status Eig(KernelCall& c) {
  using C = ComplexOf<T>;
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const Matrices m, EigenMatricesOf(input));
  ASSIGN_OR_RETURN(Tensor* e_output, c.AllocateOutput(0, kDTypeOf<C>, BatchDims(input, {m.rows})));
  C* v_data = nullptr;
  if (c.state<SpectralState>().vectors) {
    ASSIGN_OR_RETURN(Tensor* v_output, c.AllocateOutput(1, kDTypeOf<C>, input.dims()));
    v_data = v_output->mutable_data<C>();
  } else {
    RETURN_IF_ERROR(SetEmpty(c, 1, kDTypeOf<C>));
  }
  const T* from = input.data<T>();
  C* e_data = e_output->mutable_data<C>();
  return ForEachMatrix(c, m.count, 30 * m.Cost(), [=](int64_t i) -> absl::Status {
    std::vector<T> work(m.size());
    std::vector<C> v(v_data != nullptr ? m.size() : 0);
    TransposeMatrix(from + i * m.size(), m.rows, m.cols, work.data());
    if (!AllFinite(work.data(), m.size()) ||
        lapack::Geev(m.rows, work.data(), e_data + i * m.rows, v_data != nullptr ? v.data() : nullptr) != 0) {
      return NoEigenvalues();
    }
    if constexpr (kIsComplexNumber<T>) SortByAbs(m.rows, e_data + i * m.rows, v);
    if (v_data != nullptr) TransposeMatrix(v.data(), m.rows, m.cols, v_data + i * m.size());
    return absl::OkStatus();
  });
}

// arXiv:1701.00392, equation 4.77; for distinct eigenvalues.
absl::Status EigGrad(GradContext& c) {
  Output v, middle = Diagonal(c, c.grad(0));
  if (c.Bool("compute_v")) {
    v = c.output(1);
    const Output f = c.Op("Conj", {InverseGaps(c, c.output(0))});
    const Output v_dv = MatrixProduct(c, v, c.grad(1), true);
    const DType part = v.dtype() == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
    const Output real =
        c.Op("Cast", {c.Op("Real", {c.Op("MatrixDiagPart", {v_dv})}, {{"Tout", part}})}, {{"DstT", v.dtype()}});
    const Output lengths = MatrixProduct(c, MatrixProduct(c, v, v, true), Diagonal(c, real));
    middle = middle + f * (v_dv - lengths);
  } else {
    v = c.MultiOp("Eig", {c.input(0)}, {{"compute_v", true}, {"Tout", c.output_dtype(0)}}).output(1);
  }
  const Output vh = MatrixAdjoint(c, v);
  const Output grad = c.Op("MatrixSolve", {vh, MatrixProduct(c, middle, vh)});
  const DType dtype = c.input_dtype(0);
  c.Set(0, grad.dtype() == dtype ? grad : c.Op("Cast", {grad}, {{"DstT", dtype}}));
  return absl::OkStatus();
}

// ---- Registration

template <DTypeSet kTypes, typename Choose>
KernelFactory FactoryOf(Choose choose) {
  return [choose](const NodeInfo& node) -> absl::StatusOr<Kernel> {
    auto state = std::make_shared<SpectralState>();
    if (node.schema().FindAttr("compute_uv") != nullptr) {
      ASSIGN_OR_RETURN(state->vectors, node.Bool("compute_uv"));
      ASSIGN_OR_RETURN(state->full, node.Bool("full_matrices"));
    } else if (node.schema().FindAttr("compute_v") != nullptr) {
      ASSIGN_OR_RETURN(state->vectors, node.Bool("compute_v"));
    }
    const KernelFn fn = DispatchDType<kTypes>(node.input_dtype(0), KernelFn{}, choose);
    if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
    return Kernel{.fn = fn, .state = std::move(state)};
  };
}

absl::StatusOr<Kernel> EigKernel(const NodeInfo& node) {
  const bool wide = node.input_dtype(0) == DType::kFloat64 || node.input_dtype(0) == DType::kComplex128;
  const DType want = wide ? DType::kComplex128 : DType::kComplex64;
  if (node.output_dtype(0) != want) {
    return absl::InvalidArgumentError(absl::StrCat("Tout: expected ", std::string(DTypeName(want)), " for T = ",
                                                   std::string(DTypeName(node.input_dtype(0))), ", got ",
                                                   std::string(DTypeName(node.output_dtype(0)))));
  }
  return FactoryOf<kMatrixTypes>([]<typename T>() -> KernelFn { return &RunKernel<Eig<T>>; })(node);
}

}  // namespace

absl::Status RegisterSpectralOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel,
                       DTypeSet dtypes, GradFunction gradient) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .dtypes = dtypes,
                        .gradient = gradient});
  };
  const auto svd = FactoryOf<kMatrixTypes>([]<typename T>() -> KernelFn { return &RunKernel<Svd<T>>; });
  const auto hermitian =
      FactoryOf<kMatrixTypes>([]<typename T>() -> KernelFn { return &RunKernel<SelfAdjointEig<T>>; });
  const auto old_hermitian =
      FactoryOf<kRealMatrixTypes>([]<typename T>() -> KernelFn { return &RunKernel<SelfAdjointEigV1<T>>; });
  RETURN_IF_ERROR(add("Svd", "Singular values and vectors", SvdShape, svd, kMatrixTypes, SvdGrad));
  RETURN_IF_ERROR(add("BatchSvd", "Svd by its older name", SvdShape, svd, kMatrixTypes, nullptr));
  RETURN_IF_ERROR(add("SelfAdjointEigV2", "Eigenvalues and eigenvectors of Hermitian matrices", EigShape, hermitian,
                      kMatrixTypes, SelfAdjointEigGrad));
  RETURN_IF_ERROR(add("BatchSelfAdjointEigV2", "SelfAdjointEigV2 by its older name", EigShape, hermitian,
                      kRealMatrixTypes, nullptr));
  RETURN_IF_ERROR(add("SelfAdjointEig", "Eigenvalues of symmetric matrices, with the eigenvectors below",
                      SelfAdjointEigV1Shape, old_hermitian, kRealMatrixTypes, nullptr));
  RETURN_IF_ERROR(add("BatchSelfAdjointEig", "SelfAdjointEig by its older name", SelfAdjointEigV1Shape, old_hermitian,
                      kRealMatrixTypes, nullptr));
  return add("Eig", "Eigenvalues and eigenvectors of any square matrices", EigShape, EigKernel, kMatrixTypes, EigGrad);
}

}  // namespace flowlatch
