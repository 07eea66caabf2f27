// What a slice with begin, end, strides and the five masks of StridedSlice means for a tensor of given dimensions.
// Shared by the kernels and the shape functions of all ops that take such a slice.
#ifndef FLOWLATCH_OPS_KERNELS_STRIDED_SLICE_H_
#define FLOWLATCH_OPS_KERNELS_STRIDED_SLICE_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "graph/schema/shape_context.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tensor.h"
#include "ops/kernels/strided_copy.h"

namespace flowlatch {

// One bit per entry of begin, end and strides. Where an entry has several of the last three, the first of them counts.
struct SliceMasks {
  int64_t begin = 0;        // the slice starts at the end where its stride comes from
  int64_t end = 0;          // the slice reaches to the end where its stride goes
  int64_t ellipsis = 0;     // stands for all dimensions that no other entry names; at most one
  int64_t new_axis = 0;     // a dimension of 1 that the input does not have
  int64_t shrink_axis = 0;  // one index, whose dimension disappears

  // From the attributes begin_mask, end_mask, ... of a node or a shape context.
  template <typename Attrs>
  static absl::StatusOr<SliceMasks> FromAttrs(const Attrs& attrs);
};

// The entries of a slice; what is not known before the run is absent.
struct SliceEntries {
  int64_t count = 0;
  std::optional<Dims> begin = std::nullopt, end = std::nullopt, strides = std::nullopt;
};

// Of one dimension of the input.
struct DimSlice {
  int64_t begin;
  int64_t stride;
  int64_t size;  // -1: not known before the run
};

struct ResolvedSlice {
  absl::InlinedVector<DimSlice, 6> dims;
  Dims output;  // -1: not known before the run
};

// Requires: entries that are there have `count` values. dims: -1 where unknown.
// Errors: InvalidArgument for two ellipses, more entries than dimensions, a stride of 0, an index outside its dimension
// or with a stride below 1.
absl::StatusOr<ResolvedSlice> ResolveSlice(const SliceMasks& masks, absl::Span<const int64_t> dims,
                                           const SliceEntries& entries);

// Reads begin, end and strides. Errors: InvalidArgument unless they are vectors of one length.
absl::StatusOr<SliceEntries> ReadSliceEntries(const Tensor& begin, const Tensor& end, const Tensor& strides);
// The same before the run, from inputs `first`, `first + 1`, `first + 2`; nullopt if not even the length is known.
absl::StatusOr<std::optional<SliceEntries>> SliceEntriesOf(const ShapeContext& c, int first);

// `value` with as many elements as a slice of this shape, to which it may broadcast; leading dimensions of 1 may be too
// many. A slice without elements takes any value. Errors: InvalidArgument for a value that does not broadcast.
absl::StatusOr<Tensor> BroadcastToSlice(const Tensor& value, const Shape& slice);

// The slice's places in a tensor of these dimensions. Requires: all sizes are known.
StridedView ViewOfSlice(absl::Span<const DimSlice> slice, absl::Span<const int64_t> dims);

template <typename Attrs>
absl::StatusOr<SliceMasks> SliceMasks::FromAttrs(const Attrs& attrs) {
  SliceMasks masks;
  for (const auto& [name, mask] :
       {std::pair("begin_mask", &masks.begin), std::pair("end_mask", &masks.end),
        std::pair("ellipsis_mask", &masks.ellipsis), std::pair("new_axis_mask", &masks.new_axis),
        std::pair("shrink_axis_mask", &masks.shrink_axis)}) {
    absl::StatusOr<int64_t> value = attrs.Int(name);
    if (!value.ok()) return value.status();
    *mask = *value;
  }
  return masks;
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_STRIDED_SLICE_H_
