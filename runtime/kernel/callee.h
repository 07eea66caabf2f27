// Callee: a function of the graph's library as something that a kernel can run.
#ifndef FLOWLATCH_RUNTIME_KERNEL_CALLEE_H_
#define FLOWLATCH_RUNTIME_KERNEL_CALLEE_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/schema/attr.h"
#include "graph/tensor/tensor.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

class StepContext;
enum class BodyEffects;  // graph/ir/function_library.h

// Thread-safe. Bound to one call site of one plan, which owns it.
class Callee {
 public:
  virtual ~Callee() = default;
  // Whether the body, or what it calls, has kernels that may wait. Then only Start may be used.
  virtual bool is_async() const = 0;
  // Checks, while a plan is made, that the function takes and gives these dtypes; kInvalid fits any.
  // Errors: InvalidArgument.
  virtual absl::Status CheckTypes(absl::Span<const DType> args, absl::Span<const DType> results) const = 0;
  // Runs the body in this thread. `args` are taken over; `results` must have the function's number of results.
  // Errors: InvalidArgument when arguments do not fit the function, a result is dead, or calls are too deep in one
  // another; and what the body says.
  virtual absl::Status Run(StepContext& caller, absl::Span<Tensor> args, absl::Span<Tensor> results) = 0;
  // The same without waiting: `done` is called when `results` are set, from a thread that runs the step.
  virtual void Start(StepContext& caller, absl::Span<Tensor> args, absl::Span<Tensor> results, Done done) = 0;
};

// Finds functions while a plan is made.
class CalleeResolver {
 public:
  virtual ~CalleeResolver() = default;
  // The callee lives as long as the plan. Errors: NotFound for an unknown function, with the nearest names.
  virtual absl::StatusOr<Callee*> Resolve(const FunctionRef& function, BodyEffects effects) = 0;
  // The function that takes the arguments of `function` and the gradients of its results, and gives those of its arguments.
  // Errors: also those of building it.
  virtual absl::StatusOr<Callee*> ResolveGradient(const FunctionRef& function) = 0;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_KERNEL_CALLEE_H_
