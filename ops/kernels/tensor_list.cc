#include "ops/kernels/tensor_list.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "ops/kernels/inputs.h"

namespace flowlatch {

absl::Status TensorList::CheckItem(DType dtype, const PartialShape& shape) const {
  if (dtype != dtype_) {
    return absl::InvalidArgumentError(absl::StrCat("item of a list: expected ", std::string(DTypeName(dtype_)),
                                                   ", got ", std::string(DTypeName(dtype))));
  }
  if (!shape_.CompatibleWith(shape)) {
    return absl::InvalidArgumentError(
        absl::StrCat("item of a list: expected shape ", shape_.ToString(), ", got ", shape.ToString()));
  }
  return absl::OkStatus();
}

absl::Status TensorList::Deepen(const Tensor& item) {
  if (dtype_ != DType::kVariant) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int depth, DepthWithPart(item));
  depth_ = std::max(depth_, depth);
  return absl::OkStatus();
}

absl::Status TensorList::Set(int64_t i, Tensor item) {
  RETURN_IF_ERROR(Deepen(item));
  items_.At(i) = std::move(item);
  return absl::OkStatus();
}

absl::Status TensorList::Append(Tensor item) {
  RETURN_IF_ERROR(Deepen(item));
  return items_.Append(std::move(item));
}

Tensor TensorList::PopBack() {
  Tensor last = items_.used() == size() ? std::move(items_.At(size() - 1)) : Tensor();
  items_.Resize(size() - 1).IgnoreError();  // shrinking needs no memory
  return last;
}

absl::StatusOr<RefPtr<TensorList>> TensorList::Copy() const {
  RefPtr<TensorList> copy = MakeRef<TensorList>(dtype_, shape_, max_size_);
  copy->depth_ = depth_;
  RETURN_IF_ERROR(copy->items_.Resize(size()));
  for (int64_t i = 0; i < items_.used(); ++i) copy->items_.At(i) = items_[i];
  return copy;
}

std::string TensorList::DebugString() const {
  return absl::StrCat("TensorList of ", size(), " ", std::string(DTypeName(dtype_)), shape_.ToString());
}

absl::StatusOr<RefPtr<VariantObject>> TensorList::ZerosLike() const {
  RefPtr<TensorList> zeros = MakeRef<TensorList>(dtype_, shape_);
  RETURN_IF_ERROR(zeros->Resize(size()));
  for (int64_t i = 0; i < items_.used(); ++i) {
    if (!items_[i].has_value()) continue;
    ASSIGN_OR_RETURN(Tensor zero, ZerosLikeTensor(items_[i]));
    RETURN_IF_ERROR(zeros->Set(i, std::move(zero)));
  }
  return RefPtr<VariantObject>(std::move(zeros));
}

absl::StatusOr<RefPtr<VariantObject>> TensorList::Add(const VariantObject& other) const {
  const auto* list = dynamic_cast<const TensorList*>(&other);
  if (list == nullptr || list->size() != size() || list->dtype() != dtype_) {
    return absl::InvalidArgumentError(
        absl::StrCat("sum of lists: expected a ", DebugString(), ", got a ", other.DebugString()));
  }
  absl::StatusOr<PartialShape> shape = shape_.MergeWith(list->shape());
  if (!shape.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("sum of lists: expected items of shape ", shape_.ToString(), ", got ", list->shape().ToString()));
  }
  RefPtr<TensorList> sums = MakeRef<TensorList>(dtype_, *std::move(shape));
  RETURN_IF_ERROR(sums->Resize(size()));
  for (int64_t i = 0; i < std::max(items_.used(), list->items_.used()); ++i) {
    const Tensor& x = items_[i];
    const Tensor& y = (*list)[i];
    if (!x.has_value() && !y.has_value()) continue;
    Tensor sum = x.has_value() ? x : y;
    if (x.has_value() && y.has_value()) RETURN_IF_ERROR(AddInto(sum, y));
    RETURN_IF_ERROR(sums->Set(i, std::move(sum)));
  }
  return RefPtr<VariantObject>(std::move(sums));
}

absl::StatusOr<TensorList*> ListInput(const KernelCall& c, int i, DType dtype) {
  const Tensor& handle = c.input(i);
  if (!handle.is_scalar()) {
    return absl::InvalidArgumentError(absl::StrCat("list: expected a scalar, got shape ", handle.ShapeString()));
  }
  const Variant& variant = handle.scalar<Variant>();
  TensorList* list = variant.As<TensorList>();
  if (list == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("list: expected a tensor list, got ", variant ? variant.get()->TypeName() : "none"));
  }
  if (dtype != DType::kInvalid && list->dtype() != dtype) {
    return absl::InvalidArgumentError(absl::StrCat("list: expected items of ", std::string(DTypeName(dtype)), ", got ",
                                                   std::string(DTypeName(list->dtype()))));
  }
  return list;
}

absl::StatusOr<TensorList*> ForwardList(KernelCall& c, DType dtype) {
  ASSIGN_OR_RETURN(TensorList * list, ListInput(c, 0, dtype));
  Tensor handle = c.TakeInput(0);
  if (handle.is_sole_owner() && list->unique()) {
    c.SetOutput(0, std::move(handle));
    return list;
  }
  ASSIGN_OR_RETURN(RefPtr<TensorList> copy, list->Copy());
  list = copy.get();
  SetListOutput(c, std::move(copy));
  return list;
}

void SetListOutput(KernelCall& c, RefPtr<TensorList> list) {
  c.SetOutput(0, Tensor::Scalar(Variant(RefPtr<VariantObject>(std::move(list)))));
}

absl::StatusOr<PartialShape> ReadElementShape(const Tensor& t) {
  if (t.is_scalar()) {
    ASSIGN_OR_RETURN(const int64_t value, ReadIntScalar(t, "element_shape"));
    if (value == -1) return PartialShape();
    return absl::InvalidArgumentError(absl::StrCat("element_shape: expected -1 or a vector, got ", value));
  }
  ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(t, "element_shape"));
  return PartialShape::Make(dims);
}

absl::StatusOr<PartialShape> ItemShape(const TensorList& list, const PartialShape& wanted) {
  absl::StatusOr<PartialShape> shape = list.shape().MergeWith(wanted);
  if (shape.ok()) return shape;
  return absl::InvalidArgumentError(
      absl::StrCat("element_shape: expected ", list.shape().ToString(), ", got ", wanted.ToString()));
}

absl::StatusOr<Shape> CommonItemShape(const TensorList& list, PartialShape shape) {
  for (int64_t i = 0; i < list.items().used() && !shape.fully_defined(); ++i) {
    if (!list[i].has_value()) continue;
    absl::StatusOr<PartialShape> merged = shape.MergeWith(list[i].shape());
    if (!merged.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("item ", i, " of a list: expected shape ", shape.ToString(), ", got ", list[i].ShapeString()));
    }
    shape = *std::move(merged);
  }
  const std::optional<Shape> complete = shape.ToShape();
  if (complete.has_value()) return *complete;
  return absl::InvalidArgumentError(
      absl::StrCat("items that were never set: expected a complete element_shape, got ", shape.ToString()));
}

absl::StatusOr<Tensor> ItemOrZeros(const TensorList& list, int64_t i, const Tensor& element_shape) {
  if (list[i].has_value()) return list[i];
  ASSIGN_OR_RETURN(const PartialShape wanted, ReadElementShape(element_shape));
  ASSIGN_OR_RETURN(PartialShape known, ItemShape(list, wanted));
  ASSIGN_OR_RETURN(const Shape shape, CommonItemShape(list, std::move(known)));
  return Tensor::Zeros(list.dtype(), shape);
}

}  // namespace flowlatch
