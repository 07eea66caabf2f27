// Bringing batches of images into the form that loops want, channels last and perhaps a wider dtype, and back.
#ifndef FLOWLATCH_OPS_KERNELS_IMAGES_H_
#define FLOWLATCH_OPS_KERNELS_IMAGES_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/base/status_macros.h"
#include "graph/tensor/tensor.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/step_context.h"

namespace flowlatch {

// [count, rows, cols] -> [count, cols, rows], converting elements.
template <typename From, typename To>
void TransposeInner(const From* from, int64_t count, int64_t rows, int64_t cols, To* to) {
  for (int64_t i = 0; i < count; ++i, from += rows * cols, to += rows * cols) {
    for (int64_t c = 0; c < cols; ++c) {
      for (int64_t r = 0; r < rows; ++r) to[c * rows + r] = static_cast<To>(from[r * cols + c]);
    }
  }
}

// The elements of t (of type T) as W, in t's own memory if they are that already.
template <typename T, typename W>
absl::StatusOr<Tensor> ConvertedTo(const Tensor& t) {
  if constexpr (std::is_same_v<T, W>) {
    return t;
  } else {
    ASSIGN_OR_RETURN(Tensor wide, Tensor::Make(kDTypeOf<W>, t.dims()));
    std::copy(t.data<T>(), t.data<T>() + t.num_elements(), wide.mutable_data<W>());
    return wide;
  }
}

// A batch of images (4 dimensions) with channels last; the dimensions of the result mean nothing.
template <typename T, typename W>
absl::StatusOr<Tensor> ChannelsLast(const Tensor& t, bool channels_first) {
  if (!channels_first) return ConvertedTo<T, W>(t);
  ASSIGN_OR_RETURN(Tensor work, Tensor::Make(kDTypeOf<W>, t.dims()));
  TransposeInner(t.data<T>(), t.dim(0), t.dim(1), t.dim(2) * t.dim(3), work.mutable_data<W>());
  return work;
}

// Makes output i a T tensor of shape `dims` from what compute(W* data) writes; if `channels_first`, that is a batch of
// images with channels last.
template <typename T, typename W, typename Compute>
absl::Status ComputeImages(KernelCall& c, int i, absl::Span<const int64_t> dims, bool channels_first,
                           const Compute& compute) {
  ASSIGN_OR_RETURN(Tensor* out, c.AllocateOutput(i, kDTypeOf<T>, dims));
  T* to = out->mutable_data<T>();
  if constexpr (std::is_same_v<T, W>) {
    if (!channels_first) return compute(to);
  }
  ASSIGN_OR_RETURN(Tensor work, Tensor::Make(kDTypeOf<W>, dims));
  W* from = work.mutable_data<W>();
  RETURN_IF_ERROR(compute(from));
  if (channels_first) {
    TransposeInner(from, dims[0], dims[2] * dims[3], dims[1], to);
  } else {
    std::transform(from, from + out->num_elements(), to, [](W v) { return T(v); });
  }
  return absl::OkStatus();
}

inline absl::Status SetZeros(KernelCall& c, int i, DType dtype, const Shape& shape) {
  ASSIGN_OR_RETURN(c.output(i), Tensor::Zeros(dtype, shape, c.step().services().allocator));
  return absl::OkStatus();
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_IMAGES_H_
