// Updates to slices of a tensor at places that index vectors name: what ScatterNd, TensorScatter* and the scatters to
// variables share.
#ifndef FLOWLATCH_OPS_KERNELS_SCATTER_ND_H_
#define FLOWLATCH_OPS_KERNELS_SCATTER_ND_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tensor.h"
#include "ops/kernels/variable_update.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

// Where slices go: slice i to elements [offset, offset + slice) of the target, -1: nowhere.
struct Places {
  Tensor offsets;  // int64 [n]
  int64_t slice = 0;
};

// The offset of an index, one coordinate for each of `limits`, in slices of `slice` elements; -1 outside.
template <typename Index>
int64_t PlaceOf(const Index* index, absl::Span<const int64_t> limits, int64_t slice) {
  int64_t position = 0;
  for (size_t d = 0; d < limits.size(); ++d) {
    const int64_t coordinate = static_cast<int64_t>(index[d]);
    if (coordinate < 0 || coordinate >= limits[d]) return -1;
    position = position * limits[d] + coordinate;
  }
  return position * slice;
}

// "indices[1]: expected a place in shape [2,3], got [2,0]".
absl::Status OutOfPlace(const char* what, int64_t i, absl::Span<const int64_t> places, absl::Span<const int64_t> got,
                        absl::Span<const int64_t> target);

// indices: [n.., depth], updates: [n.., slice..], target: [places.., slice..] with `depth` dimensions of places.
// Errors: InvalidArgument for updates of another shape than indices and target want.
absl::Status CheckScatterNdShapes(const PartialShape& target, const PartialShape& indices, const PartialShape& updates);

// The places of all updates. skip_bad: those outside the target are left out, else they are errors.
// Errors: InvalidArgument for shapes that do not fit, an index dtype other than int16, int32, int64 and uint16, and a
// place outside.
absl::StatusOr<Places> FindPlaces(const Shape& target, const Tensor& indices, const Tensor& updates, bool skip_bad);

// As FindUpdateLoop; bools and strings add up too: to whether any is true, and one after another.
UpdateLoop FindPlaceLoop(Update update, DType dtype);

// In order. Requires: places found for the target's shape, and updates of its dtype.
void UpdatePlaces(UpdateLoop loop, const Places& places, const Tensor& updates, Tensor& target);

// From attr bad_indices_policy. Errors: InvalidArgument for another value than DEFAULT, ERROR and IGNORE.
absl::StatusOr<bool> SkipsBadIndices(const NodeInfo& node);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_SCATTER_ND_H_
