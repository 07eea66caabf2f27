// Reading the small inputs that steer kernels: scalars, vectors of sizes, axes and lists of indices. Every value is
// checked here, so that kernels see only what they may use.
#ifndef FLOWLATCH_OPS_KERNELS_INPUTS_H_
#define FLOWLATCH_OPS_KERNELS_INPUTS_H_

#include <cstdint>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

// The value of an integer scalar of any integer dtype. `what` names it in the error.
// Errors: InvalidArgument for another rank or dtype.
absl::StatusOr<int64_t> ReadIntScalar(const Tensor& t, const char* what);

// The values of an int8, int16, int32 or int64 vector. Errors: InvalidArgument for another rank or dtype.
absl::StatusOr<Dims> ReadIntVector(const Tensor& t, const char* what);

// As ReadIntVector, for inputs in which a scalar stands for a vector of one value.
absl::StatusOr<Dims> ReadIntVectorOrScalar(const Tensor& t, const char* what);

// `axis` in [-rank, rank) as a number in [0, rank). Errors: InvalidArgument outside.
absl::StatusOr<int> NormalizeAxis(int64_t axis, int rank, const char* what = "axis");

// Element `flat` of a tensor with these dimensions as text: "[1,0]", and "" for scalars.
std::string ElementName(int64_t flat, absl::Span<const int64_t> dims);

// "indices[1,0]: expected a value in [0,limit), got 7".
absl::Status IndexOutOfRange(const char* what, int64_t flat, absl::Span<const int64_t> dims, int64_t limit,
                             int64_t got);

using Indices = absl::InlinedVector<int64_t, 32>;

// All elements of an int16, int32 or int64 tensor, each below `limit`. Negative ones are passed on for the kernel to
// skip. The copy also keeps what was checked from changing under the kernel.
// Errors: InvalidArgument for another dtype or a value that is too large.
absl::StatusOr<Indices> ReadSegmentIds(const Tensor& t, int64_t limit, const char* what);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_INPUTS_H_
