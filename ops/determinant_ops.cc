// Determinants of square matrices (the last two dimensions).
//   MatrixDeterminant: a [.., n, n] -> its determinant [..]
//   LogMatrixDeterminant: a -> sign (of absolute value 1, or 0) and the logarithm of the determinant's absolute value,
//     which does not overflow
//   BatchMatrixDeterminant is an older name of MatrixDeterminant.
// float32, float64 and complex types. The determinant of a matrix without elements is 1.
#include "ops/determinant_ops.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "ops/kernels/matrices.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

// Factors the matrix and calls visit(pivot) for each; returns the sign of the row exchanges.
template <typename T, typename Visit>
T ForEachPivot(int n, const T* matrix, const Visit& visit) {
  std::vector<T> a(matrix, matrix + int64_t{n} * n);  // LAPACK sees the transpose, of the same determinant
  std::vector<int> pivots(n);
  lapack::Getrf(n, n, a.data(), pivots.data());
  T sign = T(1);
  for (int i = 0; i < n; ++i) {
    if (pivots[i] != i + 1) sign = -sign;
    visit(a[int64_t{i} * n + i]);
  }
  return sign;
}

template <typename T>
absl::Status Determinant(KernelCall& c) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const Matrices m, SquareMatricesOf(input, "input"));
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, input.dtype(), BatchDims(input, {})));
  T* to = output->mutable_data<T>();
  if (m.count == 0) {
    std::fill_n(to, output->num_elements(), T(1));
    return absl::OkStatus();
  }
  const T* from = input.data<T>();
  return ForEachMatrix(c, m.count, m.Cost(), [=](int64_t i) {
    T product = T(1);
    const T sign = ForEachPivot(m.rows, from + i * m.size(), [&](T pivot) { product *= pivot; });
    to[i] = sign * product;
    return absl::OkStatus();
  });
}

template <typename T>
absl::Status LogDeterminant(KernelCall& c) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const Matrices m, SquareMatricesOf(input, "input"));
  ASSIGN_OR_RETURN(Tensor* sign_output, c.AllocateOutput(0, input.dtype(), BatchDims(input, {})));
  ASSIGN_OR_RETURN(Tensor* log_output, c.AllocateOutput(1, input.dtype(), BatchDims(input, {})));
  T* signs = sign_output->mutable_data<T>();
  T* logs = log_output->mutable_data<T>();
  if (m.count == 0) {
    std::fill_n(signs, sign_output->num_elements(), T(1));
    std::fill_n(logs, log_output->num_elements(), T(0));
    return absl::OkStatus();
  }
  const T* from = input.data<T>();
  return ForEachMatrix(c, m.count, m.Cost(), [=](int64_t i) {
    T sign = T(1);
    RealOf<T> log = 0;
    const T exchanges = ForEachPivot(m.rows, from + i * m.size(), [&](T pivot) {
      const RealOf<T> size = std::abs(pivot);
      sign *= size == 0 ? T(0) : pivot / size;
      log += std::log(size);
    });
    signs[i] = exchanges * sign;
    logs[i] = T(log);
    return absl::OkStatus();
  });
}

// dy a^-H, times the determinant if dy is its gradient.
absl::Status DeterminantGrad(GradContext& c) {
  const bool log = c.op() == "LogMatrixDeterminant";
  const Output inverse = c.Op("MatrixInverse", {c.input(0)}, {{"adjoint", true}});
  const Output factor = log ? c.grad(1) : c.grad() * ConjIfComplex(c, c.output(0));
  c.Set(0, c.Op("ExpandDims", {c.Op("ExpandDims", {factor, -1}), -1}) * inverse);
  return absl::OkStatus();
}

absl::Status DeterminantShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const MatrixShape a, SquareShapeOf(c, 0));
  for (int i = 0; i < c.num_outputs(); ++i) c.SetOutput(i, a.batch);
  return absl::OkStatus();
}

template <typename Choose>
absl::Status Add(OpLibrary& library, std::string_view name, std::string_view doc, GradFunction gradient,
                 Choose choose) {
  return library.Add({.signature = TensorFlowSignature(name),
                      .doc = doc,
                      .shape = DeterminantShape,
                      .kernel = [choose](const NodeInfo& node) -> absl::StatusOr<Kernel> {
                        const KernelFn fn = DispatchDType<kMatrixTypes>(node.input_dtype(0), KernelFn{}, choose);
                        if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
                        return Kernel{.fn = fn};
                      },
                      .dtypes = kMatrixTypes,
                      .gradient = gradient});
}

}  // namespace

absl::Status RegisterDeterminantOps(OpLibrary& library) {
  const auto determinant = []<typename T>() -> KernelFn { return &RunKernel<Determinant<T>>; };
  RETURN_IF_ERROR(Add(library, "MatrixDeterminant", "Determinants of square matrices", DeterminantGrad, determinant));
  RETURN_IF_ERROR(
      Add(library, "BatchMatrixDeterminant", "MatrixDeterminant by its older name", nullptr, determinant));
  return Add(library, "LogMatrixDeterminant", "Signs of determinants and logarithms of their absolute values",
             DeterminantGrad, []<typename T>() -> KernelFn { return &RunKernel<LogDeterminant<T>>; });
}

}  // namespace flowlatch
