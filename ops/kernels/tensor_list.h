// TensorList: the value of a tensor list, in a variant. Lists have value semantics: whoever changes one that others see
// copies it first, which shares the items' memory.
#ifndef FLOWLATCH_OPS_KERNELS_TENSOR_LIST_H_
#define FLOWLATCH_OPS_KERNELS_TENSOR_LIST_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/tensor/dtype.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tensor.h"
#include "ops/kernels/item_array.h"
#include "ops/kernels/numeric_variant.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

// Items without a value are those that nobody set; they read as zeros where a shape for them is known.
class TensorList final : public NumericVariant {
 public:
  TensorList(DType dtype, PartialShape shape, int64_t max_size = -1)
      : dtype_(dtype), shape_(std::move(shape)), max_size_(max_size) {}

  DType dtype() const { return dtype_; }
  // What every item's shape must be compatible with.
  const PartialShape& shape() const { return shape_; }
  int64_t max_size() const { return max_size_; }  // of lists that grow by one; -1: any
  int64_t size() const { return items_.size(); }
  const Tensor& operator[](int64_t i) const { return items_[i]; }
  const ItemArray<Tensor>& items() const { return items_; }

  // Errors: InvalidArgument for another dtype or a shape that is not compatible.
  absl::Status CheckItem(DType dtype, const PartialShape& shape) const;
  // The next three check nothing but memory and depth. Errors: ResourceExhausted, InvalidArgument.
  absl::Status Set(int64_t i, Tensor item);
  absl::Status Append(Tensor item);
  absl::Status Resize(int64_t size) { return items_.Resize(size); }
  // Requires: a list that is not empty.
  Tensor PopBack();

  absl::StatusOr<RefPtr<TensorList>> Copy() const;
  std::string TypeName() const override { return "TensorList"; }
  std::string DebugString() const override;
  absl::StatusOr<RefPtr<VariantObject>> ZerosLike() const override;
  absl::StatusOr<RefPtr<VariantObject>> Add(const VariantObject& other) const override;
  int depth() const override { return depth_; }

 private:
  absl::Status Deepen(const Tensor& item);

  const DType dtype_;
  const PartialShape shape_;
  const int64_t max_size_;
  int depth_ = 1;  // of the deepest item that ever was here, and one
  ItemArray<Tensor> items_;
};

// ---- Lists in kernels

// The list in input i. Errors: InvalidArgument for anything else, or a list of another dtype (kInvalid: of any).
absl::StatusOr<TensorList*> ListInput(const KernelCall& c, int i, DType dtype);

// Makes output 0 the list of input 0, for the kernel to change: the very list if nobody else sees it, else a copy.
// Errors: as ListInput, ResourceExhausted.
absl::StatusOr<TensorList*> ForwardList(KernelCall& c, DType dtype);

void SetListOutput(KernelCall& c, RefPtr<TensorList> list);

// A vector of dimensions, or the scalar -1 for any shape. Errors: InvalidArgument.
absl::StatusOr<PartialShape> ReadElementShape(const Tensor& t);

// What is known of the shapes of the list's items when somebody expects them to be `wanted`.
// Errors: InvalidArgument when that cannot be.
absl::StatusOr<PartialShape> ItemShape(const TensorList& list, const PartialShape& wanted);

// `shape`, completed by the shapes of the items that are set. Errors: InvalidArgument when they do not say all.
absl::StatusOr<Shape> CommonItemShape(const TensorList& list, PartialShape shape);

// Item i, or if it has no value zeros of the shape that `element_shape`, the list and its other items give it.
// Errors: InvalidArgument when they do not say all.
absl::StatusOr<Tensor> ItemOrZeros(const TensorList& list, int64_t i, const Tensor& element_shape);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_TENSOR_LIST_H_
