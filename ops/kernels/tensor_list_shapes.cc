#include "ops/kernels/tensor_list_shapes.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"

namespace flowlatch::list_shapes {

absl::StatusOr<PartialShape> ElementShapeInput(const ShapeContext& c, int i) {
  if (!c.input(i).has_rank()) return PartialShape();
  if (c.input(i).rank() != 0) return c.InputAsShape(i);
  ASSIGN_OR_RETURN(const std::optional<int64_t> value, c.ConstantInt(i));
  if (!value.has_value() || *value == -1) return PartialShape();
  return absl::InvalidArgumentError(absl::StrCat("element_shape: expected -1 or a vector, got ", *value));
}

absl::StatusOr<PartialShape> ItemsOfInput(const ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  const HandleData* items = c.input_handle(0);
  if (items == nullptr) return PartialShape();
  ASSIGN_OR_RETURN(const DType dtype, c.AttrAs<DType>("element_dtype"));
  if (items->dtype != dtype) {
    return absl::InvalidArgumentError(absl::StrCat("list: expected items of ", std::string(DTypeName(dtype)), ", got ",
                                                   std::string(DTypeName(items->dtype))));
  }
  return items->shape;
}

absl::StatusOr<PartialShape> ItemsAsExpected(const ShapeContext& c, int i) {
  ASSIGN_OR_RETURN(const PartialShape items, ItemsOfInput(c));
  ASSIGN_OR_RETURN(const PartialShape expected, ElementShapeInput(c, i));
  return items.MergeWith(expected);
}

absl::Status SetList(ShapeContext& c, PartialShape items) {
  ASSIGN_OR_RETURN(const DType dtype, c.AttrAs<DType>("element_dtype"));
  c.SetOutput(0, Shape());
  c.SetOutputHandle(0, {dtype, std::move(items)});
  return absl::OkStatus();
}

absl::Status SetListWith(ShapeContext& c, const PartialShape& item) {
  ASSIGN_OR_RETURN(PartialShape items, ItemsOfInput(c));
  RETURN_IF_ERROR(items.MergeWith(item).status());
  return SetList(c, std::move(items));
}

}  // namespace flowlatch::list_shapes
