// Calls of a function on several elements at once.
#ifndef FLOWLATCH_OPS_KERNELS_PARALLEL_MAP_H_
#define FLOWLATCH_OPS_KERNELS_PARALLEL_MAP_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "ops/kernels/graph_dataset.h"
#include "ops/kernels/iterator_scope.h"

namespace flowlatch {

// What is done with each element: replaces it; false at the end of all. Called from several threads.
using ElementFunction = std::function<absl::StatusOr<bool>(StepContext& step, Element* element)>;

// What `function` makes of the elements of `input`, in their order. Up to `calls` of them are dealt with at once, some in the
// background where there are threads for that. Errors of one element are given in its place, and do not keep the others.
// Destroying it does not wait.
IteratorPtr MapInParallel(IteratorPtr input, ElementFunction function, int64_t calls,
                          const std::shared_ptr<IteratorScope>& scope);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_PARALLEL_MAP_H_
