// TensorMap: the value of a tensor map, in a variant. Maps have value semantics: whoever changes one that others see
// copies it first, which shares the memory of its tensors.
#ifndef FLOWLATCH_OPS_KERNELS_TENSOR_MAP_H_
#define FLOWLATCH_OPS_KERNELS_TENSOR_MAP_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/tensor/tensor.h"
#include "ops/kernels/numeric_variant.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

// By dtype, shape and bits: an order without a meaning.
struct TensorLess {
  bool operator()(const Tensor& a, const Tensor& b) const;
};

// Keys are tensors of any dtype but resource and variant; values are tensors.
class TensorMap final : public NumericVariant {
 public:
  using Entries = std::map<Tensor, Tensor, TensorLess>;

  const Entries& entries() const { return entries_; }
  int64_t size() const { return static_cast<int64_t>(entries_.size()); }
  const Tensor* Find(const Tensor& key) const;  // null: not there
  // Errors: InvalidArgument for a key that cannot be one, or values that are too deep inside each other.
  absl::Status Insert(Tensor key, Tensor value);
  bool Erase(const Tensor& key) { return entries_.erase(key) > 0; }

  RefPtr<TensorMap> Copy() const;
  std::string TypeName() const override { return "TensorMap"; }
  std::string DebugString() const override;
  absl::StatusOr<RefPtr<VariantObject>> ZerosLike() const override;
  // Values of keys that both have are added, the others are taken over.
  absl::StatusOr<RefPtr<VariantObject>> Add(const VariantObject& other) const override;
  int depth() const override { return depth_; }

 private:
  Entries entries_;
  int depth_ = 1;  // of the deepest value that ever was here, and one
};

// The map in input 0. Errors: InvalidArgument for anything else.
absl::StatusOr<TensorMap*> MapInput(const KernelCall& c);

// Makes output 0 the map of input 0, for the kernel to change: the very map if nobody else sees it, else a copy.
// Errors: as MapInput.
absl::StatusOr<TensorMap*> ForwardMap(KernelCall& c);

void SetMapOutput(KernelCall& c, RefPtr<TensorMap> map);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_TENSOR_MAP_H_
