// Pooling of image batches with channels last.
#ifndef FLOWLATCH_OPS_KERNELS_POOL_H_
#define FLOWLATCH_OPS_KERNELS_POOL_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "ops/kernels/window.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

struct PoolShape {
  int64_t batch = 0, channels = 0;
  Window height, width;

  int64_t input_image() const { return height.input * width.input * channels; }
  int64_t output_pixels() const { return height.output * width.output; }
  int64_t output_image() const { return output_pixels() * channels; }
  double window_cost() const {  // rough nanoseconds of one output pixel
    return 10 + 0.1 * static_cast<double>(height.size * width.size) * static_cast<double>(channels);
  }
};

// Offsets (in elements, within the image) of the pixels inside the window of output pixel p, in row-major order.
void PixelsInWindow(const PoolShape& shape, int64_t p, std::vector<int64_t>& offsets);

// Calls f(output pixel, base, offsets) for the windows of output row `row`; base + offsets are the offsets of the pixels
// inside the window, in row-major order.
template <typename F>
void ForEachWindow(const PoolShape& s, int64_t row, const F& f) {
  const int64_t top = row * s.height.stride - s.height.pad_before;
  const bool is_inside = top >= 0 && top + s.height.size <= s.height.input && s.width.size <= s.width.input;
  std::vector<int64_t> whole, clipped;
  for (int64_t y = 0; is_inside && y < s.height.size; ++y) {
    for (int64_t x = 0; x < s.width.size; ++x) whole.push_back((y * s.width.input + x) * s.channels);
  }
  for (int64_t column = 0; column < s.width.output; ++column) {
    const int64_t left = column * s.width.stride - s.width.pad_before, p = row * s.width.output + column;
    if (is_inside && left >= 0 && left + s.width.size <= s.width.input) {
      f(p, (top * s.width.input + left) * s.channels, whole);
    } else {
      PixelsInWindow(s, p, clipped);
      f(p, int64_t{0}, clipped);
    }
  }
}

// The largest element of each channel of each window. NaN loses to everything; nothing but NaN or -infinity gives the
// lowest finite number.
template <typename T>
void MaxPool(const KernelCall& call, const PoolShape& shape, const T* input, T* output);

// The mean of each channel of each window, without what lies outside the image. Floating types.
template <typename T>
void AvgPool(const KernelCall& call, const PoolShape& shape, const T* input, T* output);

// The gradient of MaxPool: input_grad[e] is the sum of the output_grads of the windows whose first largest element is e.
// `finish` is called for each image with its number and its gradients, from several threads, while they are in the cache.
template <typename T>
void MaxPoolGrad(const KernelCall& call, const PoolShape& shape, const T* input, const T* output_grad, T* input_grad,
                 const std::function<void(int64_t, T*)>& finish = nullptr);

// Calls visit(image, output pixel, channel, where) for every element of the output, `where` being the offset in its image
// of the first largest input (the first of all if it is NaN). Images are visited by several threads. Windows that lie
// outside the image are left out.
template <typename T, typename Visit>
void VisitLargest(const KernelCall& call, const PoolShape& shape, const T* input, const Visit& visit) {
  const double cost = 5 * shape.window_cost() * static_cast<double>(shape.output_pixels());
  call.ParallelFor(shape.batch, cost, [&](int64_t begin, int64_t end) {
    std::vector<int64_t> offsets;
    std::vector<T> best(shape.channels);
    std::vector<int64_t> where(shape.channels);
    for (int64_t b = begin; b < end; ++b) {
      const T* image = input + b * shape.input_image();
      for (int64_t p = 0; p < shape.output_pixels(); ++p) {
        PixelsInWindow(shape, p, offsets);
        if (offsets.empty()) continue;
        for (int64_t c = 0; c < shape.channels; ++c) {
          best[c] = image[offsets[0] + c];
          where[c] = offsets[0];
        }
        for (size_t i = 1; i < offsets.size(); ++i) {
          const T* pixel = image + offsets[i];
          for (int64_t c = 0; c < shape.channels; ++c) {
            const bool larger = pixel[c] > best[c];
            best[c] = larger ? pixel[c] : best[c];
            where[c] = larger ? offsets[i] : where[c];
          }
        }
        for (int64_t c = 0; c < shape.channels; ++c) visit(b, p, c, where[c] + c);
      }
    }
  });
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_POOL_H_
