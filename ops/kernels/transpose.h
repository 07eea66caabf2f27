// Permuting the dimensions of a tensor, at the speed of memory: dimensions that stay together are merged, runs that stay
// contiguous are copied whole, and everything else goes through square tiles that are turned in vector registers.
#ifndef FLOWLATCH_OPS_KERNELS_TRANSPOSE_H_
#define FLOWLATCH_OPS_KERNELS_TRANSPOSE_H_

#include "absl/types/span.h"
#include "graph/tensor/dtype.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

// Output dimension i is dimension perm[i] of the input. `from` and `to` are the elements of input and output.
// Requires: perm is a permutation of the dimensions; no dimension is 0; `from` and `to` do not overlap.
void TransposeElements(const KernelCall& c, DType dtype, absl::Span<const int64_t> input_dims,
                       absl::Span<const int> perm, const void* from, void* to);

// Whether the order of elements in memory stays what it is.
bool IsReshape(absl::Span<const int64_t> input_dims, absl::Span<const int> perm);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_TRANSPOSE_H_
