// NumericVariant: what values in variants offer to the ops that gradients make of them, ZerosLike and AddN.
#ifndef FLOWLATCH_OPS_KERNELS_NUMERIC_VARIANT_H_
#define FLOWLATCH_OPS_KERNELS_NUMERIC_VARIANT_H_

#include "absl/status/statusor.h"
#include "graph/tensor/object.h"

namespace flowlatch {

// Base of tensor lists, optionals and the like, whose parts are tensors. Variant::As<NumericVariant>() finds it.
class NumericVariant : public VariantObject {
 public:
  // The same structure with every tensor in it zero. Errors: those of the parts' own ZerosLike.
  virtual absl::StatusOr<RefPtr<VariantObject>> ZerosLike() const = 0;
  // The sums of corresponding parts. Errors: InvalidArgument when `other` is of another kind or structure.
  virtual absl::StatusOr<RefPtr<VariantObject>> Add(const VariantObject& other) const = 0;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_NUMERIC_VARIANT_H_
