// Matrix products with operands that are mostly zeros.
//   SparseTensorDenseMatMul: a, a sparse matrix of entries (indices [e, 2], values [e], shape [2]), times b [k, n] ->
//     [m, n]; adjoint_a and adjoint_b transpose and conjugate. Entries need no order, and may share a place.
//   SparseMatMul: a [m, k], b [k, n], dense float32 or bfloat16, -> float32 [m, n]; transpose_a, transpose_b.
// Products of 16-bit floats are added in float and rounded once. Over no elements (k = 0) the product is zero.
#include "ops/sparse_matmul_ops.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/combine.h"
#include "ops/kernels/gemm.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/sparse.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kProductTypes = kFloatTypes | kComplexTypes | DTypeSet{DType::kInt32};

struct ProductState final : KernelState {
  bool adjoint_a = false, adjoint_b = false;
};

absl::Status ExpectMatrix(const char* what, const Tensor& t) {
  if (t.rank() == 2) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected a matrix, got shape ", t.ShapeString()));
}

absl::Status ExpectInner(int64_t a, int64_t b) {
  if (a == b) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("inner dimensions of the product: expected equal ones, got ", a, " and ", b));
}

template <typename W>
W Conjugate(const W& x) {
  if constexpr (requires { x.imag(); }) return std::conj(x);
  else return x;
}

// ---- SparseTensorDenseMatMul

template <typename T>
absl::Status SparseDenseProduct(KernelCall& c) {
  using W = combine::Wide<T>;
  const ProductState& state = c.state<ProductState>();
  ASSIGN_OR_RETURN(const SparseInput a, ReadSparse(c.input(0), c.input(1), c.input(2), "a_"));
  const Tensor& b = c.input(3);
  RETURN_IF_ERROR(ExpectMatrix("b", b));
  if (a.rank() != 2) return absl::InvalidArgumentError(absl::StrCat("a_shape: expected 2 values, got ", a.rank()));
  const int64_t m = a.dims[state.adjoint_a], k = a.dims[!state.adjoint_a];
  const int64_t n = b.dim(!state.adjoint_b);
  RETURN_IF_ERROR(ExpectInner(k, b.dim(state.adjoint_b)));
  RETURN_IF_ERROR(CheckPlaces(a, "a_"));
  ASSIGN_OR_RETURN(Tensor * product, c.AllocateOutput(0, kDTypeOf<T>, {m, n}));
  if (product->num_elements() == 0) return absl::OkStatus();
  // Where sums are wider than the elements they need a place of their own.
  Tensor wide;
  if constexpr (!std::is_same_v<W, T>) {
    ASSIGN_OR_RETURN(wide, Tensor::Make(kDTypeOf<W>, product->shape()));
  }
  W* sums = static_cast<W*>(std::is_same_v<W, T> ? product->raw_mutable_data() : wide.raw_mutable_data());
  std::fill_n(sums, product->num_elements(), W(0));
  const T* right = b.data<T>();
  RunLoop(c, n, static_cast<double>(a.n + m), [&](int64_t begin, int64_t end) {
    for (int64_t i = 0; i < a.n; ++i) {
      const int64_t row = a.indices[i][state.adjoint_a], inner = a.indices[i][!state.adjoint_a];
      const W value = state.adjoint_a ? Conjugate<W>(a.data<T>()[i]) : static_cast<W>(a.data<T>()[i]);
      W* sum = sums + row * n;
      for (int64_t column = begin; column < end; ++column) {
        const W factor = state.adjoint_b ? Conjugate<W>(right[column * k + inner]) : static_cast<W>(right[inner * n + column]);
        sum[column] = combine::Sum::Apply<W>(sum[column], combine::Prod::Apply<W>(value, factor));
      }
    }
  });
  if constexpr (!std::is_same_v<W, T>) {
    std::transform(sums, sums + product->num_elements(), product->mutable_data<T>(), [](W x) { return T(x); });
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> SparseDenseKernel(const NodeInfo& node) {
  auto state = std::make_shared<ProductState>();
  ASSIGN_OR_RETURN(state->adjoint_a, node.Bool("adjoint_a"));
  ASSIGN_OR_RETURN(state->adjoint_b, node.Bool("adjoint_b"));
  const KernelFn fn = DispatchDType<kProductTypes>(node.input_dtype(3), KernelFn{},
                                                   []<typename T>() { return &RunKernel<SparseDenseProduct<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(3));
  return Kernel{.fn = fn, .state = std::move(state)};
}

absl::Status SparseDenseShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const int64_t rank, ExpectSparse(c, 0));
  if (rank >= 0 && rank != 2) return absl::InvalidArgumentError(absl::StrCat("a_shape: expected 2 values, got ", rank));
  ASSIGN_OR_RETURN(const PartialShape a, c.InputAsShape(2));
  ASSIGN_OR_RETURN(const PartialShape b, c.WithRank(3, 2));
  ASSIGN_OR_RETURN(const bool adjoint_a, c.Bool("adjoint_a"));
  ASSIGN_OR_RETURN(const bool adjoint_b, c.Bool("adjoint_b"));
  const auto dim = [](const PartialShape& shape, int i) { return shape.has_rank() ? shape.dim(i) : -1; };
  const int64_t a_inner = dim(a, !adjoint_a), b_inner = dim(b, adjoint_b);
  if (a_inner >= 0 && b_inner >= 0) RETURN_IF_ERROR(ExpectInner(a_inner, b_inner));
  c.SetOutput(0, PartialShape::Of({dim(a, adjoint_a), dim(b, !adjoint_b)}));
  return absl::OkStatus();
}

// With op(a) [m, k] and op(b) [k, n]: op(a)'s entry at (i, j) has the gradient grad[i] . conj(op(b)[j]).
absl::Status SparseDenseGrad(GradContext& c) {
  const bool adjoint_a = c.Bool("adjoint_a"), adjoint_b = c.Bool("adjoint_b");
  const auto adjoint = [&](const Output& x) { return c.Op("ConjugateTranspose", {x, {1, 0}}); };
  if (c.needs(1)) {
    const auto numbers = [&](int32_t column) { return c.Op("GatherV2", {c.input(0), column, 1}); };
    const Output rows = c.Op("GatherV2", {c.grad(), numbers(adjoint_a ? 1 : 0), 0});
    const Output right = adjoint_b ? adjoint(c.input(3)) : c.input(3);
    const Output columns = c.Op("GatherV2", {right, numbers(adjoint_a ? 0 : 1), 0});
    const Output grad = c.Op("Sum", {rows * ConjIfComplex(c, columns), 1});
    c.Set(1, adjoint_a ? ConjIfComplex(c, grad) : grad);
  }
  if (c.needs(3)) {
    const Output grad = c.Op("SparseTensorDenseMatMul", {c.input(0), c.input(1), c.input(2), c.grad()},
                             {{"adjoint_a", !adjoint_a}});
    c.Set(3, adjoint_b ? adjoint(grad) : grad);
  }
  return absl::OkStatus();
}

// ---- SparseMatMul

absl::StatusOr<Tensor> AsFloat(const Tensor& t) {
  if (t.dtype() == DType::kFloat32) return t;
  ASSIGN_OR_RETURN(Tensor wide, Tensor::Make(DType::kFloat32, t.shape()));
  std::copy_n(t.data<BFloat16>(), t.num_elements(), wide.mutable_data<float>());
  return wide;
}

absl::Status SparseMatMul(KernelCall& c) {
  const ProductState& state = c.state<ProductState>();
  RETURN_IF_ERROR(ExpectMatrix("a", c.input(0)));
  RETURN_IF_ERROR(ExpectMatrix("b", c.input(1)));
  ASSIGN_OR_RETURN(const Tensor a, AsFloat(c.input(0)));
  ASSIGN_OR_RETURN(const Tensor b, AsFloat(c.input(1)));
  const int64_t m = a.dim(state.adjoint_a), k = a.dim(!state.adjoint_a), n = b.dim(!state.adjoint_b);
  RETURN_IF_ERROR(ExpectInner(k, b.dim(state.adjoint_b)));
  ASSIGN_OR_RETURN(Tensor * product, c.AllocateOutput(0, DType::kFloat32, {m, n}));
  if (product->num_elements() == 0) return absl::OkStatus();
  const auto op = [](bool transpose) { return transpose ? Op::kTranspose : Op::kNone; };
  return Gemm(c, GemmArgs<float>::Dense(a.data<float>(), op(state.adjoint_a), b.data<float>(), op(state.adjoint_b),
                                        product->mutable_data<float>(), m, n, k));
}

absl::StatusOr<Kernel> SparseMatMulKernel(const NodeInfo& node) {
  auto state = std::make_shared<ProductState>();
  ASSIGN_OR_RETURN(state->adjoint_a, node.Bool("transpose_a"));
  ASSIGN_OR_RETURN(state->adjoint_b, node.Bool("transpose_b"));
  return Kernel{.fn = &RunKernel<SparseMatMul>, .state = std::move(state)};
}

absl::Status SparseMatMulShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape a, c.WithRank(0, 2));
  ASSIGN_OR_RETURN(const PartialShape b, c.WithRank(1, 2));
  ASSIGN_OR_RETURN(const bool transpose_a, c.Bool("transpose_a"));
  ASSIGN_OR_RETURN(const bool transpose_b, c.Bool("transpose_b"));
  const auto dim = [](const PartialShape& shape, int i) { return shape.has_rank() ? shape.dim(i) : -1; };
  const int64_t a_inner = dim(a, !transpose_a), b_inner = dim(b, transpose_b);
  if (a_inner >= 0 && b_inner >= 0) RETURN_IF_ERROR(ExpectInner(a_inner, b_inner));
  c.SetOutput(0, PartialShape::Of({dim(a, transpose_a), dim(b, !transpose_b)}));
  return absl::OkStatus();
}

absl::Status SparseMatMulGrad(GradContext& c) {
  const bool transpose_a = c.Bool("transpose_a"), transpose_b = c.Bool("transpose_b");
  const auto product = [&](int i, const Output& left, bool transpose_left, const Output& right, bool transpose_right) {
    const Output grad = c.Op("SparseMatMul", {left, right},
                             {{"transpose_a", transpose_left}, {"transpose_b", transpose_right}});
    c.Set(i, grad.dtype() == c.input_dtype(i) ? grad : c.Op("Cast", {grad}, {{"DstT", c.input_dtype(i)}}));
  };
  const Output grad = c.grad();
  if (c.needs(0)) {
    if (transpose_a) product(0, c.input(1), transpose_b, grad, true);
    else product(0, grad, false, c.input(1), !transpose_b);
  }
  if (c.needs(1)) {
    if (transpose_b) product(1, grad, true, c.input(0), transpose_a);
    else product(1, c.input(0), !transpose_a, grad, false);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterSparseMatMulOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("SparseTensorDenseMatMul"),
                               .doc = "The product of a sparse and a dense matrix",
                               .shape = SparseDenseShape,
                               .kernel = SparseDenseKernel,
                               .dtypes = kProductTypes,
                               .gradient = SparseDenseGrad}));
  return library.Add({.signature = TensorFlowSignature("SparseMatMul"),
                      .doc = "The product of two dense matrices that may have many zeros",
                      .shape = SparseMatMulShape,
                      .kernel = SparseMatMulKernel,
                      .gradient = SparseMatMulGrad});
}

}  // namespace flowlatch
