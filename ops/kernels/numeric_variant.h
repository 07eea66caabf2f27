// NumericVariant: what values in variants offer to the ops that gradients make of them, ZerosLike and AddN; and those
// two for any tensor, since the parts of such values are tensors that may hold variants again.
#ifndef FLOWLATCH_OPS_KERNELS_NUMERIC_VARIANT_H_
#define FLOWLATCH_OPS_KERNELS_NUMERIC_VARIANT_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/tensor/object.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

// Base of tensor lists, optionals and the like, whose parts are tensors. Variant::As<NumericVariant>() finds it.
class NumericVariant : public VariantObject {
 public:
  // The same structure with every tensor in it zero. Errors: those of the parts' own ZerosLike.
  virtual absl::StatusOr<RefPtr<VariantObject>> ZerosLike() const = 0;
  // The sums of corresponding parts. Errors: InvalidArgument when `other` is of another kind or structure.
  virtual absl::StatusOr<RefPtr<VariantObject>> Add(const VariantObject& other) const = 0;
  // How many such values are inside each other here, this one included.
  virtual int depth() const { return 1; }
};

// Values inside values are walked by recursion (when they are dropped, too), so nothing deeper than this may be built.
inline constexpr int kMaxVariantDepth = 64;

// The depth that a value with this part has: 1 for parts without variants. Errors: InvalidArgument beyond
// kMaxVariantDepth.
absl::StatusOr<int> DepthWithPart(const Tensor& part);

// Zeros of the tensor's dtype and shape. Errors: InvalidArgument for resources, and for variants that have no zeros.
absl::StatusOr<Tensor> ZerosLikeTensor(const Tensor& t);

// Adds `addend` to `sum`, in its memory if nobody else sees it.
// Errors: InvalidArgument for tensors of different dtypes or shapes, or of a dtype that has no sums.
absl::Status AddInto(Tensor& sum, const Tensor& addend);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_NUMERIC_VARIANT_H_
