// TensorArray: an array of tensors that belongs to a step; what the loops of older graphs keep their results in.
#ifndef FLOWLATCH_OPS_KERNELS_TENSOR_ARRAY_H_
#define FLOWLATCH_OPS_KERNELS_TENSOR_ARRAY_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/tensor/dtype.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tensor.h"
#include "ops/kernels/item_array.h"
#include "runtime/resource/resource_manager.h"

namespace flowlatch {

// Thread-safe. Each element is written once; those of gradient arrays add up what is written to them. All methods but
// those that say so fail with InvalidArgument once the array is closed.
class TensorArray final : public Resource {
 public:
  struct Options {
    std::string name;  // for messages, and to find the array by
    DType dtype = DType::kInvalid;
    PartialShape element_shape;      // what every element must be compatible with
    bool dynamic_size = false;       // whether writes beyond the end make the array larger
    bool clear_after_read = true;    // elements are read once and dropped
    bool one_element_shape = false;  // the first element says what all others look like
  };

  TensorArray(Options options, bool is_gradient) : options_(std::move(options)), is_gradient_(is_gradient) {}
  // Errors: InvalidArgument for a negative size, ResourceExhausted.
  static absl::StatusOr<RefPtr<TensorArray>> Make(Options options, int64_t size);
  static constexpr char kTypeName[] = "TensorArray";
  std::string TypeName() const override { return kTypeName; }

  const std::string& name() const { return options_.name; }
  DType dtype() const { return options_.dtype; }
  bool dynamic_size();
  absl::StatusOr<int64_t> Size();
  // Errors: InvalidArgument for a bad index, another dtype, an incompatible shape, an element that was read or written
  // before; ResourceExhausted.
  absl::Status Write(int64_t index, Tensor value);
  // Elements of a gradient array that nobody wrote are zeros in the shape of the forward element. Others are zeros if
  // element_shape is complete. Errors: InvalidArgument for a bad index, an element that was cleared or never written.
  absl::StatusOr<Tensor> Read(int64_t index);
  // How many elements the Concat or Pack of all of them takes: in gradient arrays as many as the Split or Unpack whose
  // gradient it is wrote, which the forward array was told by SetSplitSize; else all.
  absl::StatusOr<int64_t> ConcatSize();
  void SetSplitSize(int64_t size);
  // What Gather, Concat and friends know of the elements. Errors: InvalidArgument when it contradicts what is known.
  absl::Status MergeElementShape(const PartialShape& shape);
  // The gradient array of this name, made at the first call with the shapes that the elements have by then, each with
  // `prepended` before it. From now on this array has its size.
  // Errors: InvalidArgument when elements were summed up: they have no gradient.
  absl::StatusOr<RefPtr<TensorArray>> Gradient(std::string_view source, const Dims& prepended);
  // Drops the elements; may be called again.
  void Close();

 private:
  struct Element {
    Tensor value;  // or, if shape_only, a tensor [0, shape..], which needs no memory
    bool shape_only = false;
    bool written = false;
    bool read = false;
    bool cleared = false;

    absl::Span<const int64_t> dims() const { return value.dims().subspan(shape_only ? 1 : 0); }
    absl::Status SetShapeOnly(DType dtype, absl::Span<const int64_t> dims);
  };

  absl::Status CheckOpen() const;
  absl::Status CheckIndex(int64_t index) const;
  absl::Status Fail(int64_t index, const std::string& text) const;
  absl::Status CheckValue(int64_t index, const Tensor& value) const;
  absl::Status AddTo(int64_t index, Element& element, Tensor value);

  Options options_;  // element_shape and dynamic_size are guarded by mu_
  const bool is_gradient_;
  std::mutex mu_;
  bool closed_ = false;  // guarded by mu_, as all that follows
  bool has_sums_ = false;
  int64_t split_size_ = -1;  // of gradient arrays: that of the forward array
  ItemArray<Element> elements_;
  std::map<std::string, RefPtr<TensorArray>, std::less<>> gradients_;  // by source
};

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_TENSOR_ARRAY_H_
