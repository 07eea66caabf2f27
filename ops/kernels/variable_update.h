// Changing the elements of variables: the loops that reference and resource variables share.
#ifndef FLOWLATCH_OPS_KERNELS_VARIABLE_UPDATE_H_
#define FLOWLATCH_OPS_KERNELS_VARIABLE_UPDATE_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/schema/shape_context.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tensor.h"
#include "ops/kernels/inputs.h"
#include "runtime/kernel/kernel.h"
#include "runtime/resource/variable.h"

namespace flowlatch {

enum class Update { kAssign, kAdd, kSub, kMul, kDiv, kMin, kMax };

// target[i] = target[i] (update) source[i * source_step]; source_step is 1, or 0 for one value for all. Elements that
// can be changed without a lock are: racy_access.h.
using UpdateLoop = void (*)(void* target, const void* source, int64_t n, int64_t source_step);

// Null when the update means nothing for the dtype. Integers wrap; the caller keeps zero divisors away from them.
UpdateLoop FindUpdateLoop(Update update, DType dtype);

// The loops of AssignAdd, AssignSub and their like: of the node, or of each of the siblings (runtime/plan/chain.h) that its kernel
// runs together. Errors: Unimplemented when `update` means nothing for the dtype.
using UpdateLoops = absl::InlinedVector<UpdateLoop, 1>;
absl::StatusOr<UpdateLoops> FindUpdateLoops(const NodeInfo& node, Update update, DType dtype);

// Errors: InvalidArgument if an input after the first has another shape than `target`.
absl::Status CheckUpdateShapes(const KernelCall& c, const Tensor& target);

// Updates all elements by input 1 with the first loop, then by input 2 with the second, and so on; with help from the step's
// threads if there are many. Several updates go over pieces that stay in the cache, which changes no number: each element
// depends on the same element of the inputs, even of those that share the memory of the target.
// Requires: the inputs have the dtype and the number of elements of `target`.
void UpdateByInputs(const KernelCall& c, absl::Span<const UpdateLoop> loops, Tensor& target);

// All elements of `indices`, each in [0, limit). Errors: InvalidArgument for another dtype than int32 and int64 or a
// value outside.
absl::StatusOr<Indices> ReadRows(const Tensor& indices, int64_t limit);

// Rows of a variable and the updates to them:
//   target: [n, slice..], indices: [ids..], updates: [ids.., slice..], or a scalar for all elements of all rows.
struct ScatterPlan {
  Indices rows;  // in [0, n), in the order of the updates
  int64_t row_elements = 0;
  int64_t row_step = 0;     // elements from one row of updates to the next; 0 for a scalar
  int64_t source_step = 0;  // 1, or 0 for a scalar
};

// Errors: InvalidArgument for shapes that do not fit, an index outside, or an integer division by zero; so an update is
// applied as a whole or not at all.
absl::StatusOr<ScatterPlan> PlanScatter(Update update, const Tensor& target, const Tensor& indices,
                                        const Tensor& updates);
// In order: of several updates to a row the last assignment wins, and all additions count.
void RunScatter(const ScatterPlan& plan, UpdateLoop loop, Tensor& target, const Tensor& updates);

// Whether the shapes of variable, indices and updates fit. Errors: InvalidArgument.
absl::Status CheckScatterShapes(const PartialShape& target, const PartialShape& indices, const PartialShape& updates);

// Errors: InvalidArgument: "<what>: expected shape <want>, got <got>".
absl::Status ExpectSameShape(const char* what, absl::Span<const int64_t> want, absl::Span<const int64_t> got);

// The variable that input i refers to, or is the handle of. Errors: InvalidArgument for other inputs, NotFound for the
// handle of a variable that does not exist.
absl::StatusOr<RefPtr<Variable>> VariableOfInput(const KernelCall& c, int i);

// `updates` in memory that writing to the variable does not change.
absl::StatusOr<Tensor> ApartFrom(const Variable& variable, const Tensor& updates);

// Input i as a value that a variable may keep: itself when nobody else needs it, else a copy.
absl::StatusOr<Tensor> TakeInput(const KernelCall& c, int i);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_VARIABLE_UPDATE_H_
