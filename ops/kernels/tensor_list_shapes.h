// What shape functions of list ops share. A list's handle data is the dtype and shape of its items.
#ifndef FLOWLATCH_OPS_KERNELS_TENSOR_LIST_SHAPES_H_
#define FLOWLATCH_OPS_KERNELS_TENSOR_LIST_SHAPES_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/schema/shape_context.h"

namespace flowlatch::list_shapes {

// Input i, a vector of dimensions or -1 for any shape. Errors: InvalidArgument for other scalars.
absl::StatusOr<PartialShape> ElementShapeInput(const ShapeContext& c, int i);

// What is known of the items of list input 0. Errors: InvalidArgument when their dtype is not attr element_dtype.
absl::StatusOr<PartialShape> ItemsOfInput(const ShapeContext& c);

// The same, if the op's input i is what the caller expects of the items.
absl::StatusOr<PartialShape> ItemsAsExpected(const ShapeContext& c, int i);

// Output 0 is a scalar list of attr element_dtype with items of this shape.
absl::Status SetList(ShapeContext& c, PartialShape items);

// Output 0 is list input 0 after an item of this shape was put into it.
// Errors: InvalidArgument when the list cannot hold it.
absl::Status SetListWith(ShapeContext& c, const PartialShape& item);

}  // namespace flowlatch::list_shapes

#endif  // FLOWLATCH_OPS_KERNELS_TENSOR_LIST_SHAPES_H_
