// OptionalValue: some tensors or none, in a variant.
#ifndef FLOWLATCH_OPS_KERNELS_OPTIONAL_VALUE_H_
#define FLOWLATCH_OPS_KERNELS_OPTIONAL_VALUE_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/tensor/tensor.h"
#include "ops/kernels/numeric_variant.h"

namespace flowlatch {

// Immutable. Nothing has nothing for zeros, and two of them add up to nothing.
class OptionalValue final : public NumericVariant {
 public:
  OptionalValue() = default;  // none
  // Errors: InvalidArgument when values would be too deep inside each other.
  static absl::StatusOr<RefPtr<OptionalValue>> Of(std::vector<Tensor> components);

  bool has_value() const { return components_.has_value(); }
  // Requires: has_value().
  const std::vector<Tensor>& components() const { return *components_; }

  std::string TypeName() const override { return "Optional"; }
  std::string DebugString() const override;
  absl::StatusOr<RefPtr<VariantObject>> ZerosLike() const override;
  absl::StatusOr<RefPtr<VariantObject>> Add(const VariantObject& other) const override;
  int depth() const override { return depth_; }

 private:
  std::optional<std::vector<Tensor>> components_;
  int depth_ = 1;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_OPTIONAL_VALUE_H_
