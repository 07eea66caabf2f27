// The gradient of a function of a library, as another function of it.
#ifndef FLOWLATCH_GRAPH_BUILD_GRADIENT_FUNCTION_H_
#define FLOWLATCH_GRAPH_BUILD_GRADIENT_FUNCTION_H_

#include <memory>

#include "absl/status/statusor.h"
#include "graph/ir/graph.h"

namespace flowlatch {

// A function that takes what `function` takes and the gradients of its results, and gives the gradients of its arguments, zeros where
// there is none. The one that the library names for `function`, or one that is built and added to the library, once for each set of
// attributes. Thread-safe as the library is.
// Errors: NotFound for an unknown function; those of Gradients.
absl::StatusOr<FunctionRef> GradientFunction(const std::shared_ptr<FunctionLibrary>& library, const OpRegistry& registry, const FunctionRef& function);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_BUILD_GRADIENT_FUNCTION_H_
