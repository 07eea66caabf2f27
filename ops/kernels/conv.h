// Convolutions of image batches, channels last: forward and both gradients, for every dtype, and by oneDNN for float.
//
//   input [batch, height, width, channels], filter [height, width, channels / groups, outputs] (outputs of one group are
//   neighbours), output [batch, height, width, outputs]. A depthwise convolution is one with as many groups as channels.
#ifndef FLOWLATCH_OPS_KERNELS_CONV_H_
#define FLOWLATCH_OPS_KERNELS_CONV_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "graph/tensor/tensor.h"
#include "ops/kernels/window.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

class FilterCache;  // filter_cache.h

struct ConvShape {
  int64_t batch = 0, channels = 0, outputs = 0, groups = 1;
  Window height, width;

  int64_t group_channels() const { return channels / groups; }
  int64_t group_outputs() const { return outputs / groups; }
  int64_t patch_size() const { return height.size * width.size * group_channels(); }
  int64_t input_image() const { return height.input * width.input * channels; }
  int64_t output_image() const { return height.output * width.output * outputs; }
  int64_t filter_size() const { return patch_size() * outputs; }
  double multiplications() const {
    return static_cast<double>(batch * height.output * width.output) * static_cast<double>(filter_size());
  }
};

// The convolution that takes the gradient of the output to that of the input, if there are no strides and groups: its filter
// has the taps in reverse, and channels and outputs exchanged.
inline ConvShape TurnedAround(const ConvShape& s) {
  const auto turn = [](const Window& w) {
    return Window{.input = w.output, .output = w.input, .size = w.size, .stride = 1, .dilation = w.dilation,
                  .pad_before = (w.size - 1) * w.dilation - w.pad_before};
  };
  return {.batch = s.batch, .channels = s.outputs, .outputs = s.channels, .groups = 1, .height = turn(s.height),
          .width = turn(s.width)};
}

// What may be done on the way of a forward convolution.
struct ConvExtras {
  // Called for runs of pixels of the output, from several threads, while they are in the cache: their elements, and how
  // many pixels.
  std::function<void(float*, int64_t)> finish;
  // The tensor of the filter, where packed forms of it may be kept. Null: they are not.
  const Tensor* filter = nullptr;
  FilterCache* cache = nullptr;
};

// All four require that input, filter and output have elements. Errors: ResourceExhausted.

template <typename T>
absl::Status ConvForward(const KernelCall& call, const ConvShape& shape, const T* input, const T* filter, T* output);
absl::Status ConvForward(const KernelCall& call, const ConvShape& shape, const float* input, const float* filter,
                         float* output, const ConvExtras& extras);

// input_grad: of the input's shape.
template <typename T>
absl::Status ConvBackpropInput(const KernelCall& call, const ConvShape& shape, const T* filter, const T* output_grad,
                               T* input_grad);

// filter_grad: of the filter's shape.
template <typename T>
absl::Status ConvBackpropFilter(const KernelCall& call, const ConvShape& shape, const T* input, const T* output_grad,
                                T* filter_grad);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_CONV_H_
