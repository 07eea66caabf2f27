// Roll(input [d..], shift, axis): elements move `shift` places along each axis, and those that leave at the end come in
// at the beginning. shift and axis are scalars or vectors of one length; shifts of one axis add up. Every dtype.
#include "ops/roll_ops.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/moving_kernel.h"
#include "ops/kernels/strided_copy.h"

namespace flowlatch {
namespace {

absl::Status NotRollable(const std::string& shape) {
  return absl::InvalidArgumentError(absl::StrCat("input: expected rank >= 1, got shape ", shape));
}

// How far each dimension is rolled, in [0, dimension).
absl::StatusOr<Dims> ReadShifts(const Tensor& input, const Tensor& shift, const Tensor& axis) {
  if (input.rank() == 0) return NotRollable(input.ShapeString());
  if (shift.dims() != axis.dims()) {
    return absl::InvalidArgumentError(
        absl::StrCat("axis: expected the shape of shift, ", shift.ShapeString(), ", got ", axis.ShapeString()));
  }
  ASSIGN_OR_RETURN(const Dims by, ReadIntVectorOrScalar(shift, "shift"));
  ASSIGN_OR_RETURN(const Dims axes, ReadIntVectorOrScalar(axis, "axis"));
  Dims shifts(input.rank(), 0);
  for (size_t i = 0; i < by.size(); ++i) {
    ASSIGN_OR_RETURN(const int at, NormalizeAxis(axes[i], input.rank()));
    const int64_t size = std::max<int64_t>(input.dim(at), 1);
    const int64_t positive = (by[i] % size + size) % size;
    shifts[at] = (shifts[at] + positive) % size;  // no overflow: a dimension with elements is far below the limit
  }
  return shifts;
}

template <typename E>
absl::Status Roll(KernelCall& c) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const Dims shifts, ReadShifts(input, c.input(1), c.input(2)));
  int last = input.rank() - 1;  // the innermost dimension that is rolled
  while (last >= 0 && shifts[last] == 0) --last;
  if (last < 0 || input.num_elements() == 0) {
    c.SetOutput(0, input);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, input.dtype(), input.dims()));
  const absl::Span<const int64_t> dims = input.dims();
  int64_t rows = 1;
  for (int d = 0; d < last; ++d) rows *= dims[d];
  const int64_t row = input.num_elements() / rows;
  const int64_t head = row / dims[last] * shifts[last];  // elements that come in at the beginning
  const E* from = Elements<E>(input);
  E* to = MutableElements<E>(*output);
  RunLoop(c, rows, 5 + 0.1 * static_cast<double>(row * sizeof(E)), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      int64_t source = 0, rest = r, stride = 1;
      for (int d = last - 1; d >= 0; --d) {
        const int64_t at = rest % dims[d] - shifts[d];
        source += (at < 0 ? at + dims[d] : at) * stride;
        rest /= dims[d];
        stride *= dims[d];
      }
      const E* source_row = from + source * row;
      CopyRun(source_row + row - head, to + r * row, head);
      CopyRun(source_row, to + r * row + head, row - head);
    }
  });
  return absl::OkStatus();
}

absl::Status RollShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape input, c.WithRankAtLeast(0, 1));
  for (int i = 1; i < 3; ++i) {
    if (c.input(i).rank() > 1) RETURN_IF_ERROR(c.ExpectVector(i));
  }
  RETURN_IF_ERROR(c.input(1).MergeWith(c.input(2)).status());
  c.SetOutput(0, std::move(input));
  return absl::OkStatus();
}

absl::Status RollGrad(GradContext& c) {
  c.Set(0, c.Op("Roll", {c.grad(), -c.input(1), c.input(2)}));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterRollOps(OpLibrary& library) {
  return library.Add({.signature = TensorFlowSignature("Roll"),
                      .doc = "The input with its elements moved round along some axes",
                      .shape = RollShape,
                      .kernel = MovingKernel([]<typename E>() { return &RunKernel<Roll<E>>; }),
                      .gradient = RollGrad});
}

}  // namespace flowlatch
