#include "graph/schema/shape_context.h"

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

absl::StatusOr<Dims> IntegersOf(const Tensor& t, int input) {
  Dims dims;
  if (t.dtype() == DType::kInt32) {
    dims.assign(t.values<int32_t>().begin(), t.values<int32_t>().end());
  } else if (t.dtype() == DType::kInt64) {
    dims.assign(t.values<int64_t>().begin(), t.values<int64_t>().end());
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("input ", input, ": expected int32 or int64, got ", std::string(DTypeName(t.dtype()))));
  }
  return dims;
}

}  // namespace

absl::Status ShapeContext::MissingAttr(std::string_view name) const {
  return absl::InvalidArgumentError(absl::StrCat("attr '", absl::string_view(name.data(), name.size()), "' of op ",
                                                 schema_.name(), ": expected a value of the schema's kind, got none"));
}

absl::StatusOr<PartialShape> ShapeContext::WithRank(int i, int rank) const {
  const PartialShape& shape = inputs_[i];
  if (!shape.has_rank()) return PartialShape::UnknownOfRank(rank);
  if (shape.rank() != rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("input ", i, " of ", schema_.name(), ": expected rank ", rank, ", got shape ", shape.ToString()));
  }
  return shape;
}

absl::StatusOr<PartialShape> ShapeContext::WithRankAtLeast(int i, int rank) const {
  const PartialShape& shape = inputs_[i];
  if (shape.has_rank() && shape.rank() < rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("input ", i, " of ", schema_.name(), ": expected rank >= ", rank, ", got shape ", shape.ToString()));
  }
  return shape;
}

absl::StatusOr<std::optional<Dims>> ShapeContext::ConstantInts(int i) const {
  if (constants_[i] == nullptr) return std::optional<Dims>();
  ASSIGN_OR_RETURN(Dims dims, IntegersOf(*constants_[i], i));
  return std::optional<Dims>(std::move(dims));
}

absl::StatusOr<std::optional<int64_t>> ShapeContext::ConstantInt(int i) const {
  ASSIGN_OR_RETURN(const std::optional<Dims> values, ConstantInts(i));
  if (!values.has_value() || values->size() != 1) return std::optional<int64_t>();
  return std::optional<int64_t>((*values)[0]);
}

absl::StatusOr<PartialShape> ShapeContext::InputAsShape(int i) const {
  ASSIGN_OR_RETURN(const PartialShape vector, WithRank(i, 1));
  ASSIGN_OR_RETURN(const std::optional<Dims> values, ConstantInts(i));
  if (values.has_value()) return PartialShape::Make(*values);
  if (!vector.has_dim(0)) return PartialShape();
  if (vector.dim(0) > kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("input ", i, " of ", schema_.name(), ": expected at most ", kMaxRank, " dimensions, got ", vector.dim(0)));
  }
  return PartialShape::UnknownOfRank(static_cast<int>(vector.dim(0)));
}

namespace shapes {

absl::Status Unknown(ShapeContext&) { return absl::OkStatus(); }

absl::Status NoOutputs(ShapeContext&) { return absl::OkStatus(); }

absl::Status Scalar(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.SetOutput(i, Shape());
  return absl::OkStatus();
}

absl::Status SameAsInput(ShapeContext& c) {
  const HandleData* held = c.input_handle(0);
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.SetOutput(i, c.input(0));
    if (held != nullptr) c.SetOutputHandle(i, *held);
  }
  return absl::OkStatus();
}

absl::Status MergeOfInputs(ShapeContext& c) {
  PartialShape merged;
  for (int i = 0; i < c.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(merged, merged.MergeWith(c.input(i)));
  }
  c.SetOutput(0, std::move(merged));
  return absl::OkStatus();
}

absl::Status Broadcast(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape shape, BroadcastPartialShapes(c.input(0), c.input(1)));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

}  // namespace shapes
}  // namespace flowlatch
