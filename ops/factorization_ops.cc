// Factors of matrices (the last two dimensions).
//   Cholesky: a [.., n, n], Hermitian and positive definite -> lower triangular l, a = l l^H. Only a's lower triangle
//     is read. NaN where a is not positive definite, as TensorFlow has it
//   CholeskyGrad: l, gradients of l -> gradients of a, symmetric
//   Lu: a [.., n, n] -> lu, p: row p[i] of a is row i of l u; lu is u in the upper triangle and l, whose diagonal is 1,
//     below
//   Qr: a [.., m, n] -> q, r, a = q r; q [.., m, k], r [.., k, n], k = min(m, n), or m if full_matrices
//   The Batch forms are older names of the same ops.
// float32, float64 and complex types, CholeskyGrad real ones; Qr also float16, computed in float32.
#include "ops/factorization_ops.h"

#include <algorithm>
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
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kRealMatrixTypes = kMatrixTypes - kComplexTypes;
constexpr DTypeSet kQrTypes = kMatrixTypes | DTypeSet{DType::kFloat16};

// ---- Cholesky

template <typename T>
absl::Status Cholesky(KernelCall& c) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const Matrices m, SquareMatricesOf(input, "input"));
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, input.dtype(), input.dims()));
  const T* from = input.data<T>();
  T* to = output->mutable_data<T>();
  return ForEachMatrix(c, m.count, m.Cost() / 2, [=](int64_t k) {
    const int64_t n = m.rows;
    T* l = to + k * m.size();
    std::copy_n(from + k * m.size(), m.size(), l);
    const bool positive = CholeskyInPlace(m.rows, l);
    for (int64_t i = 0; i < n; ++i) {
      if (!positive) std::fill(l + i * n, l + i * n + i + 1, T(std::numeric_limits<RealOf<T>>::quiet_NaN()));
      std::fill(l + i * n + i + 1, l + (i + 1) * n, T(0));
    }
    return absl::OkStatus();
  });
}

// l^-H p l^-1, made symmetric, where p is the lower triangle of l^H dl with its diagonal halved.
absl::Status CholeskyGrad(GradContext& c) {
  const Output l = c.output(0);
  const Output inverse = c.Op("MatrixTriangularSolve", {l, IdentityLike(c, l)});
  const Output product = MatrixProduct(c, l, c.grad(), true);
  const Output halved = c.Op("MatrixSetDiag", {product, c.Op("MatrixDiagPart", {product}) * 0.5});
  const Output grad = MatrixProduct(c, MatrixProduct(c, inverse, LowerTriangle(c, halved), true), inverse);
  c.Set(0, (grad + MatrixAdjoint(c, grad)) * 0.5);
  return absl::OkStatus();
}

// The same in a kernel, for graphs that have it as an op.
template <typename T>
absl::Status CholeskyGradient(KernelCall& c) {
  const Tensor& factor = c.input(0);
  const Tensor& grad = c.input(1);
  ASSIGN_OR_RETURN(const Matrices m, SquareMatricesOf(factor, "l"));
  if (grad.dims() != factor.dims()) {
    return absl::InvalidArgumentError(
        absl::StrCat("grad: expected the shape of l, ", factor.ShapeString(), ", got ", grad.ShapeString()));
  }
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, factor.dtype(), factor.dims()));
  const T* factors = factor.data<T>();
  const T* grads = grad.data<T>();
  T* to = output->mutable_data<T>();
  return ForEachMatrix(c, m.count, 4 * m.Cost(), [=](int64_t k) -> absl::Status {
    const int n = m.rows;
    std::vector<T> l(m.size(), T(0)), lower_grad(m.size(), T(0)), p(m.size()), turned(m.size());
    for (int64_t i = 0; i < n; ++i) {  // what is above the diagonals does not count
      std::copy_n(factors + k * m.size() + i * n, i + 1, l.begin() + i * n);
      std::copy_n(grads + k * m.size() + i * n, i + 1, lower_grad.begin() + i * n);
    }
    RETURN_IF_ERROR(
        SerialGemm(GemmArgs<T>::Dense(l.data(), Op::kTranspose, lower_grad.data(), Op::kNone, p.data(), n, n, n)));
    for (int64_t i = 0; i < n; ++i) {
      p[i * n + i] *= T(0.5);
      std::fill(p.begin() + i * n + i + 1, p.begin() + (i + 1) * n, T(0));
    }
    SolveTriangular(true, Op::kTranspose, n, n, l.data(), p.data());
    TransposeMatrix(p.data(), n, n, turned.data());
    SolveTriangular(true, Op::kTranspose, n, n, l.data(), turned.data());  // the transpose of what is wanted
    T* a = to + k * m.size();
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) a[i * n + j] = (turned[i * n + j] + turned[j * n + i]) * T(0.5);
    }
    return absl::OkStatus();
  });
}

absl::Status CholeskyGradShape(ShapeContext& c) {
  RETURN_IF_ERROR(SquareShapeOf(c, 1).status());
  ASSIGN_OR_RETURN(const MatrixShape l, SquareShapeOf(c, 0));
  c.SetOutput(0, l.With({l.rows, l.cols}));
  return absl::OkStatus();
}

// ---- LU

template <typename T, typename Index>
absl::Status Lu(KernelCall& c) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const Matrices m, SquareMatricesOf(input, "input"));
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, input.dtype(), input.dims()));
  ASSIGN_OR_RETURN(Tensor* order, c.AllocateOutput(1, kDTypeOf<Index>, BatchDims(input, {m.rows})));
  const T* from = input.data<T>();
  T* to = output->mutable_data<T>();
  Index* rows = order->mutable_data<Index>();
  return ForEachMatrix(c, m.count, m.Cost(), [=](int64_t k) -> absl::Status {
    const int n = m.rows;
    std::vector<T> a(m.size());
    std::vector<int> pivots(n);
    TransposeMatrix(from + k * m.size(), n, n, a.data());
    lapack::Getrf(n, n, a.data(), pivots.data());
    for (int64_t i = 0; i < n; ++i) {
      if (!(std::abs(a[i * n + i]) > 0)) {
        return absl::InvalidArgumentError("input: expected a matrix that is invertible, got a singular one");
      }
    }
    TransposeMatrix(a.data(), n, n, to + k * m.size());
    Index* p = rows + k * n;
    std::iota(p, p + n, Index{0});
    for (int i = 0; i < n; ++i) std::swap(p[i], p[pivots[i] - 1]);
    return absl::OkStatus();
  });
}

absl::Status LuShape(ShapeContext& c) {
  RETURN_IF_ERROR(SquareLikeInput(c));
  ASSIGN_OR_RETURN(const MatrixShape a, SquareShapeOf(c, 0));
  c.SetOutput(1, a.With({a.rows}));
  return absl::OkStatus();
}

// ---- QR

struct QrState final : KernelState {
  bool full = false;
};

template <typename T, typename W = std::conditional_t<kIsSmallFloat<T>, float, T>>
absl::Status Qr(KernelCall& c) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const Matrices a, MatricesOf(input, "input"));
  const int m = a.rows, n = a.cols, reflections = std::min(m, n);
  const int k = c.state<QrState>().full ? m : reflections;
  ASSIGN_OR_RETURN(Tensor* q_output, c.AllocateOutput(0, input.dtype(), BatchDims(input, {m, k})));
  ASSIGN_OR_RETURN(Tensor* r_output, c.AllocateOutput(1, input.dtype(), BatchDims(input, {k, n})));
  const T* from = input.data<T>();
  T* q_data = q_output->mutable_data<T>();
  T* r_data = r_output->mutable_data<T>();
  const int64_t q_size = int64_t{m} * k, r_size = int64_t{k} * n;
  const int64_t count = std::max(a.count, q_size == 0 ? 0 : q_output->num_elements() / q_size);
  return ForEachMatrix(c, count, 4 * a.Cost(), [=](int64_t i) -> absl::Status {
    std::vector<W> work(int64_t{m} * std::max(n, k)), tau(reflections);
    TransposeMatrix(from + i * a.size(), m, n, work.data());
    if (reflections > 0) lapack::Geqrf(m, n, work.data(), tau.data());
    T* r = r_data + i * r_size;
    for (int64_t row = 0; row < k; ++row) {
      for (int64_t col = 0; col < n; ++col) r[row * n + col] = static_cast<T>(row <= col ? work[col * m + row] : W(0));
    }
    lapack::Orgqr(m, k, reflections, work.data(), tau.data());
    TransposeMatrix(work.data(), k, m, q_data + i * q_size);
    return absl::OkStatus();
  });
}

absl::Status QrShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const MatrixShape a, MatrixShapeOf(c, 0));
  ASSIGN_OR_RETURN(const bool full, c.Bool("full_matrices"));
  const bool known = a.rows >= 0 && a.cols >= 0;
  const int64_t k = full ? a.rows : known ? std::min(a.rows, a.cols) : -1;
  c.SetOutput(0, a.With({a.rows, k}));
  c.SetOutput(1, a.With({k, a.cols}));
  return absl::OkStatus();
}

// x r^-H for upper triangular r.
Output DivideByAdjoint(GradContext& c, const Output& x, const Output& r) {
  return MatrixAdjoint(c, c.Op("MatrixTriangularSolve", {r, MatrixAdjoint(c, x)}, {{"lower", false}}));
}

// For at least as many rows as columns; arXiv:2009.10071.
Output TallQrGrad(GradContext& c, const Output& q, const Output& r, const Output& dq, const Output& dr) {
  const Output qdq = MatrixProduct(c, q, dq, true), rdr = MatrixProduct(c, r, dr, false, true);
  const Output skew = (qdq - MatrixAdjoint(c, qdq)) + (rdr - MatrixAdjoint(c, rdr));
  Output grad = MatrixProduct(c, q, dr + DivideByAdjoint(c, LowerTriangle(c, skew), r)) +
                DivideByAdjoint(c, dq - MatrixProduct(c, q, qdq), r);
  if (IsComplex(q.dtype())) {  // the diagonal of r is real
    const Output diagonal = c.Op("MatrixDiagPart", {rdr - MatrixAdjoint(c, qdq)});
    const DType part = q.dtype() == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
    const Output imaginary = c.Op("Imag", {diagonal}, {{"Tout", part}});
    const Output conjugate = c.Op("Complex", {c.Op("ZerosLike", {imaginary}), -imaginary}, {{"Tout", q.dtype()}});
    const Output correction = c.Op("MatrixDiag", {conjugate});
    grad = grad + DivideByAdjoint(c, MatrixProduct(c, q, correction), r);
  }
  return grad;
}

absl::Status QrGrad(GradContext& c) {
  const PartialShape& shape = c.input_shape(0);
  const int rank = shape.rank();
  if (!shape.has_rank() || !shape.has_dim(rank - 2) || !shape.has_dim(rank - 1)) {
    return absl::UnimplementedError(
        absl::StrCat("gradient of Qr: expected a matrix of known size, got shape ", shape.ToString()));
  }
  const int64_t m = shape.dim(rank - 2), n = shape.dim(rank - 1);
  if (m > n && c.Bool("full_matrices")) {
    return absl::UnimplementedError(absl::StrCat(
        "gradient of Qr with full_matrices: expected no more rows than columns, got shape ", shape.ToString()));
  }
  const Output q = c.output(0), r = c.output(1), dq = c.grad(0), dr = c.grad(1);
  if (m >= n) {
    c.Set(0, TallQrGrad(c, q, r, dq, dr));
    return absl::OkStatus();
  }
  // a = [x, y], r = [u, v]: x = q u as above, and y = q v.
  const Output y = MatrixColumns(c, c.input(0), m, -1), u = MatrixColumns(c, r, 0, m);
  const Output du = MatrixColumns(c, dr, 0, m), dv = MatrixColumns(c, dr, m, -1);
  const Output dx = TallQrGrad(c, q, u, dq + MatrixProduct(c, y, dv, false, true), du);
  c.Set(0, c.Op("ConcatV2", {dx, MatrixProduct(c, q, dv), -1}));
  return absl::OkStatus();
}

// ---- Registration

template <DTypeSet kTypes, typename Choose>
KernelFactory FactoryOf(Choose choose) {
  return [choose](const NodeInfo& node) -> absl::StatusOr<Kernel> {
    const KernelFn fn = DispatchDType<kTypes>(node.input_dtype(0), KernelFn{}, choose);
    if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
    return Kernel{.fn = fn};
  };
}

absl::StatusOr<Kernel> LuKernel(const NodeInfo& node) {
  const bool wide = node.output_dtype(1) == DType::kInt64;
  const KernelFn fn = DispatchDType<kMatrixTypes>(node.input_dtype(0), KernelFn{}, [&]<typename T>() -> KernelFn {
    return wide ? &RunKernel<Lu<T, int64_t>> : &RunKernel<Lu<T, int32_t>>;
  });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

absl::StatusOr<Kernel> QrKernel(const NodeInfo& node) {
  auto state = std::make_shared<QrState>();
  ASSIGN_OR_RETURN(state->full, node.Bool("full_matrices"));
  const KernelFn fn = DispatchDType<kQrTypes>(node.input_dtype(0), KernelFn{},
                                              []<typename T>() -> KernelFn { return &RunKernel<Qr<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::move(state)};
}

}  // namespace

absl::Status RegisterFactorizationOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel,
                       DTypeSet dtypes, GradFunction gradient) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .dtypes = dtypes,
                        .gradient = gradient});
  };
  const auto cholesky = FactoryOf<kMatrixTypes>([]<typename T>() -> KernelFn { return &RunKernel<Cholesky<T>>; });
  const auto gradient =
      FactoryOf<kRealMatrixTypes>([]<typename T>() -> KernelFn { return &RunKernel<CholeskyGradient<T>>; });
  RETURN_IF_ERROR(add("Cholesky", "The lower triangular l of a = l l^H", SquareLikeInput, cholesky, kMatrixTypes,
                      CholeskyGrad));
  RETURN_IF_ERROR(add("BatchCholesky", "Cholesky by its older name", SquareLikeInput, cholesky, kRealMatrixTypes,
                      nullptr));
  RETURN_IF_ERROR(add("CholeskyGrad", "The gradient of Cholesky's input", CholeskyGradShape, gradient,
                      kRealMatrixTypes, nullptr));
  RETURN_IF_ERROR(add("BatchCholeskyGrad", "CholeskyGrad by its older name", CholeskyGradShape, gradient,
                      kRealMatrixTypes, nullptr));
  RETURN_IF_ERROR(add("Lu", "Triangular factors of square matrices with exchanged rows", LuShape, LuKernel,
                      kMatrixTypes, nullptr));
  return add("Qr", "Factors q with orthonormal columns and r, upper triangular", QrShape, QrKernel, kQrTypes, QrGrad);
}

}  // namespace flowlatch
