// ReadAhead: an iterator that gets elements before they are asked for.
#ifndef FLOWLATCH_OPS_KERNELS_READ_AHEAD_H_
#define FLOWLATCH_OPS_KERNELS_READ_AHEAD_H_

#include <cstdint>
#include <memory>

#include "ops/kernels/graph_dataset.h"
#include "ops/kernels/iterator_scope.h"

namespace flowlatch {

// The elements of `input`, up to `ahead` of which are got in the background; `input` itself where there are no threads for
// that or `ahead` is 0. Destroying it does not wait: an element that is being got is dropped.
IteratorPtr ReadAhead(IteratorPtr input, int64_t ahead, const std::shared_ptr<IteratorScope>& scope);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_READ_AHEAD_H_
