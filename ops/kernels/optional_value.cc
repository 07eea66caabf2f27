#include "ops/kernels/optional_value.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"

namespace flowlatch {

absl::StatusOr<RefPtr<OptionalValue>> OptionalValue::Of(std::vector<Tensor> components) {
  RefPtr<OptionalValue> value = MakeRef<OptionalValue>();
  for (const Tensor& component : components) {
    ASSIGN_OR_RETURN(const int depth, DepthWithPart(component));
    value->depth_ = std::max(value->depth_, depth);
  }
  value->components_ = std::move(components);
  return value;
}

std::string OptionalValue::DebugString() const {
  return has_value() ? absl::StrCat("Optional of ", components_->size(), " tensors") : "Optional without a value";
}

absl::StatusOr<RefPtr<VariantObject>> OptionalValue::ZerosLike() const {
  if (!has_value()) return RefPtr<VariantObject>(MakeRef<OptionalValue>());
  std::vector<Tensor> zeros;
  for (const Tensor& component : *components_) {
    ASSIGN_OR_RETURN(Tensor zero, ZerosLikeTensor(component));
    zeros.push_back(std::move(zero));
  }
  ASSIGN_OR_RETURN(RefPtr<OptionalValue> value, Of(std::move(zeros)));
  return RefPtr<VariantObject>(std::move(value));
}

absl::StatusOr<RefPtr<VariantObject>> OptionalValue::Add(const VariantObject& other) const {
  const auto* addend = dynamic_cast<const OptionalValue*>(&other);
  const auto size = [](const OptionalValue& v) { return v.has_value() ? v.components().size() : 0; };
  if (addend == nullptr || addend->has_value() != has_value() || size(*addend) != size(*this)) {
    return absl::InvalidArgumentError(
        absl::StrCat("sum of optionals: expected an ", DebugString(), ", got ", other.DebugString()));
  }
  if (!has_value()) return RefPtr<VariantObject>(MakeRef<OptionalValue>());
  std::vector<Tensor> sums;
  for (size_t i = 0; i < components_->size(); ++i) {
    Tensor sum = (*components_)[i];
    RETURN_IF_ERROR(AddInto(sum, addend->components()[i]));
    sums.push_back(std::move(sum));
  }
  ASSIGN_OR_RETURN(RefPtr<OptionalValue> value, Of(std::move(sums)));
  return RefPtr<VariantObject>(std::move(value));
}

}  // namespace flowlatch
