#include "ops/kernels/pool.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "graph/base/checked_math.h"
#include "graph/tensor/dtype.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/pool.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flowlatch {
namespace HWY_NAMESPACE {

// out[c] = reduction of image[offsets[i] + c] over i, begun with `init`, then `finish`.
template <class Reduce, class Finish>
void ReducePixels(const float* image, const int64_t* offsets, int64_t count, int64_t channels, float init, float* out,
                  Reduce reduce, Finish finish) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + lanes <= channels; c += lanes) {
    auto acc = hn::Set(d, init);
    for (int64_t i = 0; i < count; ++i) acc = reduce(acc, hn::LoadU(d, image + offsets[i] + c));
    hn::StoreU(finish(acc), d, out + c);
  }
  if (c == channels) return;
  auto acc = hn::Set(d, init);
  for (int64_t i = 0; i < count; ++i) acc = reduce(acc, LoadFirst(d, image + offsets[i] + c, channels - c, 0.0f));
  StoreFirst(d, finish(acc), out + c, channels - c);
}

void MaxPixels(const float* image, const int64_t* offsets, int64_t count, int64_t channels, float* out) {
  ReducePixels(image, offsets, count, channels, std::numeric_limits<float>::lowest(), out,
               [](auto acc, auto x) { return hn::IfThenElse(hn::Gt(x, acc), x, acc); }, [](auto acc) { return acc; });
}

void MeanPixels(const float* image, const int64_t* offsets, int64_t count, int64_t channels, float* out) {
  const auto divisor = hn::Set(hn::ScalableTag<float>(), static_cast<float>(count));
  ReducePixels(image, offsets, count, channels, 0.0f, out, [](auto acc, auto x) { return hn::Add(acc, x); },
               [divisor](auto acc) { return hn::Div(acc, divisor); });
}

// Adds grad[c] to out[offsets[i] + c], i being the first of the largest image[offsets[i] + c]. With `overwrite` the others
// become 0.
void AddToLargest(const float* image, const int64_t* offsets, int64_t count, int64_t channels, const float* grad,
                  bool overwrite, float* out) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t c = 0; c < channels; c += lanes) {
    const int64_t n = std::min(lanes, channels - c);
    const auto load = [&](const float* x) { return n == lanes ? hn::LoadU(d, x) : LoadFirst(d, x, n, 0.0f); };
    auto largest = load(image + offsets[0] + c);
    auto where = hn::Zero(di);
    for (int64_t i = 1; i < count; ++i) {
      const auto x = load(image + offsets[i] + c);
      const auto larger = hn::Gt(x, largest);
      largest = hn::IfThenElse(larger, x, largest);
      where = hn::IfThenElse(hn::RebindMask(di, larger), hn::Set(di, static_cast<int32_t>(i)), where);
    }
    const auto share = load(grad + c);
    for (int64_t i = 0; i < count; ++i) {
      float* to = out + offsets[i] + c;
      const auto here = hn::RebindMask(d, hn::Eq(where, hn::Set(di, static_cast<int32_t>(i))));
      auto sum = hn::IfThenElseZero(here, share);
      if (!overwrite) sum = hn::Add(load(to), sum);
      n == lanes ? hn::StoreU(sum, d, to) : StoreFirst(d, sum, to, n);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace flowlatch
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flowlatch {

HWY_EXPORT(MaxPixels);
HWY_EXPORT(MeanPixels);
HWY_EXPORT(AddToLargest);

namespace {

template <typename T>
T Lowest() {
  if constexpr (std::is_same_v<T, Half>) return Half(-65504.0f);
  else if constexpr (std::is_same_v<T, BFloat16>) return BFloat16::FromBits(0xff7f);
  else return std::numeric_limits<T>::lowest();
}

template <typename T>
T Plus(T a, T b) {
  if constexpr (std::is_integral_v<T>) return WrapAdd<T>(a, b);
  else return T(a + b);
}

// Runs reduce(image, offsets, out) for every output pixel.
template <typename T, typename Reduce>
void ReduceWindows(const KernelCall& call, const PoolShape& s, const T* input, T* output, const Reduce& reduce) {
  const double cost = s.window_cost() * static_cast<double>(s.width.output);
  call.ParallelFor(s.batch * s.height.output, cost, [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u) {
      const T* image = input + u / s.height.output * s.input_image();
      T* out = output + u / s.height.output * s.output_image();
      ForEachWindow(s, u % s.height.output, [&](int64_t p, int64_t base, const std::vector<int64_t>& offsets) {
        reduce(image + base, offsets, out + p * s.channels);
      });
    }
  });
}

}  // namespace

void PixelsInWindow(const PoolShape& s, int64_t p, std::vector<int64_t>& offsets) {
  const int64_t top = p / s.width.output * s.height.stride - s.height.pad_before;
  const int64_t left = p % s.width.output * s.width.stride - s.width.pad_before;
  const int64_t bottom = std::min(s.height.input, top + s.height.size);
  const int64_t right = std::min(s.width.input, left + s.width.size);
  offsets.clear();
  for (int64_t y = std::max<int64_t>(0, top); y < bottom; ++y) {
    for (int64_t x = std::max<int64_t>(0, left); x < right; ++x) offsets.push_back((y * s.width.input + x) * s.channels);
  }
}

template <typename T>
void MaxPool(const KernelCall& call, const PoolShape& s, const T* input, T* output) {
  ReduceWindows(call, s, input, output, [&s](const T* image, const std::vector<int64_t>& offsets, T* out) {
    if constexpr (std::is_same_v<T, float>) {
      HWY_DYNAMIC_DISPATCH(MaxPixels)(image, offsets.data(), static_cast<int64_t>(offsets.size()), s.channels, out);
    } else {
      std::fill(out, out + s.channels, Lowest<T>());
      for (const int64_t offset : offsets) {
        for (int64_t c = 0; c < s.channels; ++c) out[c] = image[offset + c] > out[c] ? image[offset + c] : out[c];
      }
    }
  });
}

template <typename T>
void AvgPool(const KernelCall& call, const PoolShape& s, const T* input, T* output) {
  ReduceWindows(call, s, input, output, [&s](const T* image, const std::vector<int64_t>& offsets, T* out) {
    if constexpr (std::is_same_v<T, float>) {
      HWY_DYNAMIC_DISPATCH(MeanPixels)(image, offsets.data(), static_cast<int64_t>(offsets.size()), s.channels, out);
    } else {
      using Sum = std::conditional_t<kIsSmallFloat<T>, float, T>;
      for (int64_t c = 0; c < s.channels; ++c) {
        Sum sum = 0;
        for (const int64_t offset : offsets) sum += static_cast<Sum>(image[offset + c]);
        out[c] = T(sum / static_cast<Sum>(offsets.size()));
      }
    }
  });
}

template <typename T>
void MaxPoolGrad(const KernelCall& call, const PoolShape& s, const T* input, const T* output_grad, T* input_grad,
                 const std::function<void(int64_t, T*)>& finish) {
  const auto is_tiled = [](const Window& w) {
    return w.stride == w.size && w.dilation == 1 && w.output * w.stride - w.pad_before >= w.input;
  };
  const bool each_once = is_tiled(s.height) && is_tiled(s.width);  // each pixel is in one window
  const double cost = 2 * s.window_cost() * static_cast<double>(s.output_pixels());
  call.ParallelFor(s.batch, cost, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const T *images = input + b * s.input_image(), *grads = output_grad + b * s.output_image();
      T* grad_image = input_grad + b * s.input_image();
      if (!(std::is_same_v<T, float> && each_once)) std::fill(grad_image, grad_image + s.input_image(), T(0));
      const auto add = [&](int64_t p, int64_t base, const std::vector<int64_t>& offsets) {
        if (offsets.empty()) return;
        const T *image = images + base, *grad = grads + p * s.channels;
        T* out = grad_image + base;
        if constexpr (std::is_same_v<T, float>) {
          HWY_DYNAMIC_DISPATCH(AddToLargest)
          (image, offsets.data(), static_cast<int64_t>(offsets.size()), s.channels, grad, each_once, out);
        } else {
          for (int64_t c = 0; c < s.channels; ++c) {
            int64_t where = offsets[0];
            for (const int64_t offset : offsets) where = image[offset + c] > image[where + c] ? offset : where;
            out[where + c] = Plus(out[where + c], grad[c]);
          }
        }
      };
      for (int64_t row = 0; row < s.height.output; ++row) ForEachWindow(s, row, add);
      if (finish) finish(b, grad_image);
    }
  });
}

#define FLOWLATCH_MAX_POOL(T)                                                       \
  template void MaxPool<T>(const KernelCall&, const PoolShape&, const T*, T*);      \
  template void MaxPoolGrad<T>(const KernelCall&, const PoolShape&, const T*, const T*, T*, \
                               const std::function<void(int64_t, T*)>&);
FLOWLATCH_MAX_POOL(float)
FLOWLATCH_MAX_POOL(double)
FLOWLATCH_MAX_POOL(Half)
FLOWLATCH_MAX_POOL(BFloat16)
FLOWLATCH_MAX_POOL(int8_t)
FLOWLATCH_MAX_POOL(int16_t)
FLOWLATCH_MAX_POOL(int32_t)
FLOWLATCH_MAX_POOL(int64_t)
FLOWLATCH_MAX_POOL(uint8_t)
FLOWLATCH_MAX_POOL(uint16_t)
FLOWLATCH_MAX_POOL(uint32_t)
FLOWLATCH_MAX_POOL(uint64_t)
#undef FLOWLATCH_MAX_POOL
#define FLOWLATCH_AVG_POOL(T) template void AvgPool<T>(const KernelCall&, const PoolShape&, const T*, T*);
FLOWLATCH_AVG_POOL(float)
FLOWLATCH_AVG_POOL(double)
FLOWLATCH_AVG_POOL(Half)
FLOWLATCH_AVG_POOL(BFloat16)
#undef FLOWLATCH_AVG_POOL

}  // namespace flowlatch
#endif  // HWY_ONCE
