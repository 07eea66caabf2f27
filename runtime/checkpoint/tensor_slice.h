// TensorSlice: the part of a partitioned variable that one tensor of a checkpoint holds.
#ifndef FLOWLATCH_RUNTIME_CHECKPOINT_TENSOR_SLICE_H_
#define FLOWLATCH_RUNTIME_CHECKPOINT_TENSOR_SLICE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "flowlatch/proto/tensor_slice.pb.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

// One range per dimension; a length of -1 stands for the whole dimension.
struct TensorSlice {
  struct Range {
    int64_t start = 0;
    int64_t length = -1;
    bool operator==(const Range&) const = default;
  };
  absl::InlinedVector<Range, 4> ranges;

  bool operator==(const TensorSlice&) const = default;
  static TensorSlice Whole(int rank);
  // From "-:0,5": whole dimensions and start,length. Errors: InvalidArgument.
  static absl::StatusOr<TensorSlice> Parse(std::string_view text);
  // Errors: InvalidArgument for negative numbers.
  static absl::StatusOr<TensorSlice> FromProto(const proto::TensorSliceProto& proto);
  void ToProto(proto::TensorSliceProto* proto) const;
  std::string ToString() const;

  // The same slice of a tensor of this shape, with all lengths. Errors: InvalidArgument when it does not fit inside.
  absl::StatusOr<TensorSlice> Within(const Shape& shape) const;
};

// What SaveV2 and RestoreV2 call shape_and_slice: "4 10 -:0,5" is a slice of a [4,10]; nullopt for "", the whole
// tensor.
struct ShapeAndSlice {
  Shape shape;
  TensorSlice slice;  // with all lengths
};
absl::StatusOr<std::optional<ShapeAndSlice>> ParseShapeAndSlice(std::string_view text);

// The shape of a slice with all lengths.
Shape ShapeOfSlice(const TensorSlice& slice);

// The key under which checkpoints keep a slice of tensor `name`. It begins with a NUL, as no name does.
std::string SliceKey(std::string_view name, const TensorSlice& slice);

// How many elements two slices (with all lengths) of one tensor have in common.
int64_t NumCommonElements(const TensorSlice& a, const TensorSlice& b);

// Copies what two slices (with all lengths) of one tensor have in common from one to the other; returns the number of
// elements. Requires: tensors of the slices' shapes and of one dtype.
int64_t CopyCommonElements(const TensorSlice& from_slice, const Tensor& from, const TensorSlice& to_slice, Tensor& to);

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_CHECKPOINT_TENSOR_SLICE_H_
