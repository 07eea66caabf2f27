// Tensors that are zero but for their diagonal.
//   Diag:     [d0, .., dk] -> [d0, .., dk, d0, .., dk] with element [i.., i..] that of the input at [i..], zeros
//   elsewhere DiagPart: [d0, .., dk, d0, .., dk] -> [d0, .., dk], the way back
// Seen flat, both are about the diagonal of a square matrix.
#include "ops/diag_ops.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/moving_kernel.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kDiagTypes = kFloatTypes | kComplexTypes | DTypeSet{DType::kInt32, DType::kInt64};

absl::Status DiagShape(ShapeContext& c) {
  const PartialShape& diagonal = c.input(0);
  if (diagonal.has_rank() && diagonal.rank() == 0) {
    return absl::InvalidArgumentError("diagonal: expected at least one dimension, got shape []");
  }
  ASSIGN_OR_RETURN(PartialShape square, diagonal.Concatenate(diagonal));
  c.SetOutput(0, std::move(square));
  return absl::OkStatus();
}

// The first half of the dimensions, which the second half repeats.
absl::StatusOr<PartialShape> HalfOf(const PartialShape& square) {
  if (!square.has_rank()) return PartialShape();
  const int half = square.rank() / 2;
  const PartialShape first = PartialShape::FromValid(square.dims().first(half));
  const PartialShape second = PartialShape::FromValid(square.dims().subspan(half));
  if (square.rank() == 0 || !first.CompatibleWith(second)) {
    return absl::InvalidArgumentError(
        absl::StrCat("input: expected dimensions and then the same ones again, got shape ", square.ToString()));
  }
  return first.MergeWith(second);
}

absl::Status DiagPartShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape half, HalfOf(c.input(0)));
  c.SetOutput(0, std::move(half));
  return absl::OkStatus();
}

template <typename E>
absl::Status Diag(KernelCall& c) {
  const Tensor& diagonal = c.input(0);
  if (diagonal.rank() == 0)
    return absl::InvalidArgumentError("diagonal: expected at least one dimension, got shape []");
  Dims dims(diagonal.dims().begin(), diagonal.dims().end());
  dims.insert(dims.end(), diagonal.dims().begin(), diagonal.dims().end());
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, diagonal.dtype(), dims));
  const int64_t n = diagonal.num_elements();
  if (n == 0) return absl::OkStatus();
  const E* from = Elements<E>(diagonal);
  E* to = MutableElements<E>(*output);
  ParallelMove<E>(c, n * n, [&](int64_t begin, int64_t end) {
    std::fill(to + begin, to + end, E{});
    for (int64_t i = (begin + n) / (n + 1); i * (n + 1) < end; ++i) to[i * (n + 1)] = from[i];
  });
  return absl::OkStatus();
}

template <typename E>
absl::Status DiagPart(KernelCall& c) {
  const Tensor& input = c.input(0);
  RETURN_IF_ERROR(HalfOf(input.shape()).status());
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, input.dtype(), input.dims().first(input.rank() / 2)));
  const int64_t n = output->num_elements();
  const E* from = Elements<E>(input);
  E* to = MutableElements<E>(*output);
  for (int64_t i = 0; i < n; ++i) to[i] = from[i * (n + 1)];
  return absl::OkStatus();
}

absl::Status DiagGrad(GradContext& c) {
  c.Set(0, c.Op("DiagPart", {c.grad()}));
  return absl::OkStatus();
}

absl::Status DiagPartGrad(GradContext& c) {
  c.Set(0, c.Op("Diag", {c.grad()}));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterDiagOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("Diag"),
                               .doc = "Zeros but for the input on the diagonal",
                               .shape = DiagShape,
                               .kernel = MovingKernel([]<typename E>() -> KernelFn { return &RunKernel<Diag<E>>; }),
                               .dtypes = kDiagTypes,
                               .gradient = DiagGrad}));
  return library.Add({.signature = TensorFlowSignature("DiagPart"),
                      .doc = "The diagonal of the input",
                      .shape = DiagPartShape,
                      .kernel = MovingKernel([]<typename E>() -> KernelFn { return &RunKernel<DiagPart<E>>; }),
                      .dtypes = kDiagTypes,
                      .gradient = DiagPartGrad});
}

}  // namespace flowlatch
