#include "ops/kernels/conv.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/tensor/tensor.h"
#include "ops/kernels/gemm.h"
#include "ops/kernels/onednn_conv.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/winograd.h"

namespace flowlatch {
namespace {

template <typename T>
T MultiplyAdd(T a, T b, T sum) {
  if constexpr (std::is_integral_v<T>) return WrapAdd<T>(sum, WrapMul<T>(a, b));
  else return sum + a * b;
}

template <typename T>
T Plus(T a, T b) {
  if constexpr (std::is_integral_v<T>) return WrapAdd<T>(a, b);
  else return T(a + b);
}

// Whether patches are the input itself, so that nothing has to be gathered.
bool IsPointwise(const ConvShape& s) {
  return s.height.size == 1 && s.width.size == 1 && s.height.stride == 1 && s.width.stride == 1 &&
         s.height.pad_before == 0 && s.width.pad_before == 0 && s.height.output == s.height.input &&
         s.width.output == s.width.input && s.groups == 1;
}

// Calls visit(input_offset, patch_offset) for each window element of output (row, column) that lies inside the image, and
// outside(patch_offset) for the others. Offsets are in elements, of group 0's first channel.
template <typename Visit, typename Outside>
void ForEachTap(const ConvShape& s, int64_t row, int64_t column, Visit visit, Outside outside) {
  int64_t patch = 0;
  for (int64_t kh = 0; kh < s.height.size; ++kh) {
    const int64_t y = row * s.height.stride - s.height.pad_before + kh * s.height.dilation;
    for (int64_t kw = 0; kw < s.width.size; ++kw, patch += s.group_channels()) {
      const int64_t x = column * s.width.stride - s.width.pad_before + kw * s.width.dilation;
      if (y >= 0 && y < s.height.input && x >= 0 && x < s.width.input) {
        visit((y * s.width.input + x) * s.channels, patch);
      } else {
        outside(patch);
      }
    }
  }
}

// Rows of `patches` for output pixels [begin, end) of one image: what the windows see of one group.
template <typename T>
void GatherPatches(const ConvShape& s, const T* image, int64_t group, int64_t begin, int64_t end, T* patches) {
  const int64_t count = s.group_channels();
  for (int64_t p = begin; p < end; ++p, patches += s.patch_size()) {
    ForEachTap(
        s, p / s.width.output, p % s.width.output,
        [&](int64_t from, int64_t to) {
          std::memcpy(patches + to, image + from + group * count, count * sizeof(T));
        },
        [&](int64_t to) { std::fill(patches + to, patches + to + count, T(0)); });
  }
}

// Adds patches back to where they came from.
template <typename T>
void ScatterPatches(const ConvShape& s, const T* patches, int64_t group, int64_t begin, int64_t end, T* image) {
  const int64_t count = s.group_channels();
  for (int64_t p = begin; p < end; ++p, patches += s.patch_size()) {
    ForEachTap(
        s, p / s.width.output, p % s.width.output,
        [&](int64_t to, int64_t from) {
          T* pixel = image + to + group * count;
          for (int64_t i = 0; i < count; ++i) pixel[i] = Plus(pixel[i], patches[from + i]);
        },
        [](int64_t) {});
  }
}

// Output pixels of one matrix product: patches that fit the second-level cache, and enough of them for the packing of the
// filter, which every product does by itself, not to show.
template <typename T>
int64_t PixelsPerBlock(const ConvShape& s) {
  constexpr int64_t kBytes = 512 << 10, kEnough = 512;
  const int64_t fit = kBytes / (s.patch_size() * static_cast<int64_t>(sizeof(T)));
  return std::min(std::max(kEnough, fit), s.height.output * s.width.output);
}

// ---- Depthwise: one input channel for each group of outputs

template <typename T>
void DepthwiseRow(const ConvShape& s, const T* image, const T* filter, int64_t row, T* out) {
  const int64_t per_channel = s.group_outputs();
  for (int64_t column = 0; column < s.width.output; ++column, out += s.outputs) {
    std::fill(out, out + s.outputs, T(0));
    ForEachTap(
        s, row, column,
        [&](int64_t from, int64_t tap) {
          const T *pixel = image + from, *weights = filter + tap * s.outputs;
          if (per_channel == 1) {
            for (int64_t i = 0; i < s.outputs; ++i) {
              out[i] = MultiplyAdd(pixel[i], weights[i], out[i]);
            }
          } else {
            for (int64_t i = 0; i < s.outputs; ++i) {
              out[i] = MultiplyAdd(pixel[i / per_channel], weights[i], out[i]);
            }
          }
        },
        [](int64_t) {});
  }
}

template <typename T>
void DepthwiseForward(const KernelCall& call, const ConvShape& s, const T* input, const T* filter, T* output) {
  const int64_t row_size = s.width.output * s.outputs;
  call.ParallelFor(s.batch * s.height.output, static_cast<double>(row_size * s.height.size * s.width.size),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t r = begin; r < end; ++r) {
                       DepthwiseRow(s, input + r / s.height.output * s.input_image(), filter, r % s.height.output,
                                    output + r * row_size);
                     }
                   });
}

template <typename T>
void DepthwiseBackpropInput(const KernelCall& call, const ConvShape& s, const T* filter, const T* output_grad,
                            T* input_grad) {
  const int64_t per_channel = s.group_outputs(), image_size = s.input_image();
  call.ParallelFor(s.batch, s.multiplications() / static_cast<double>(s.batch), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      T* image = input_grad + b * image_size;
      std::fill(image, image + image_size, T(0));
      const T* grad = output_grad + b * s.output_image();
      for (int64_t p = 0; p < s.height.output * s.width.output; ++p, grad += s.outputs) {
        ForEachTap(
            s, p / s.width.output, p % s.width.output,
            [&](int64_t to, int64_t tap) {
              const T* weights = filter + tap * s.outputs;
              for (int64_t c = 0, i = 0; c < s.channels; ++c) {
                T sum = image[to + c];
                for (int64_t m = 0; m < per_channel; ++m, ++i) {
                  sum = MultiplyAdd(grad[i], weights[i], sum);
                }
                image[to + c] = sum;
              }
            },
            [](int64_t) {});
      }
    }
  });
}

template <typename T>
void DepthwiseBackpropFilter(const ConvShape& s, const T* input, const T* output_grad, T* filter_grad) {
  const int64_t per_channel = s.group_outputs();
  std::fill(filter_grad, filter_grad + s.filter_size(), T(0));
  for (int64_t b = 0; b < s.batch; ++b) {
    const T *image = input + b * s.input_image(), *grad = output_grad + b * s.output_image();
    for (int64_t p = 0; p < s.height.output * s.width.output; ++p, grad += s.outputs) {
      ForEachTap(
          s, p / s.width.output, p % s.width.output,
          [&](int64_t from, int64_t tap) {
            T* to = filter_grad + tap * s.outputs;
            const T* pixel = image + from;
            for (int64_t i = 0; i < s.outputs; ++i) {
              const T x = per_channel == 1 ? pixel[i] : pixel[i / per_channel];
              to[i] = MultiplyAdd(x, grad[i], to[i]);
            }
          },
          [](int64_t) {});
    }
  }
}

// ---- The general case: matrix products of patches

// The patches of one block and their product with the filters of one group.
template <typename T>
struct PatchBlock {
  const ConvShape& s;
  const T *image, *filter;
  T *output, *patches;  // output: of the image
  int64_t first, last;  // pixels

  GemmArgs<T> Product(int64_t group) const {
    auto product = GemmArgs<T>::Dense(patches, Op::kNone, filter + group * s.group_outputs(), Op::kNone,
                                      output + first * s.outputs + group * s.group_outputs(), last - first,
                                      s.group_outputs(), s.patch_size());
    product.ldb = product.ldc = s.outputs;
    return product;
  }
};

template <typename T>
absl::Status PatchForward(const KernelCall& call, const ConvShape& s, const T* input, const T* filter, T* output) {
  const int64_t pixels = s.height.output * s.width.output, per_block = PixelsPerBlock<T>(s);
  const int64_t blocks = (pixels + per_block - 1) / per_block, units = s.batch * blocks;
  const auto unit = [&](int64_t u, Tensor& scratch) {
    const int64_t first = u % blocks * per_block;
    return PatchBlock<T>{s, input + u / blocks * s.input_image(), filter, output + u / blocks * s.output_image(),
                         scratch.mutable_data<T>(), first, std::min(pixels, first + per_block)};
  };
  constexpr int64_t kManyUnits = 8;
  if (units < kManyUnits) {  // threads share each product
    ASSIGN_OR_RETURN(Tensor scratch, Tensor::Make(kDTypeOf<T>, {per_block, s.patch_size()}));
    for (int64_t u = 0; u < units; ++u) {
      const PatchBlock<T> block = unit(u, scratch);
      for (int64_t g = 0; g < s.groups; ++g) {
        call.ParallelFor(block.last - block.first, 0.2 * static_cast<double>(s.patch_size()),
                         [&](int64_t begin, int64_t end) {
                           GatherPatches(s, block.image, g, block.first + begin, block.first + end,
                                         block.patches + begin * s.patch_size());
                         });
        RETURN_IF_ERROR(Gemm(call, block.Product(g)));
      }
    }
    return absl::OkStatus();
  }
  std::vector<absl::Status> statuses(units);
  call.ParallelFor(units, GemmCost<T>(per_block, s.outputs, s.patch_size()), [&](int64_t begin, int64_t end) {
    absl::StatusOr<Tensor> scratch = Tensor::Make(kDTypeOf<T>, {per_block, s.patch_size()});
    for (int64_t u = begin; u < end; ++u) {
      statuses[u] = scratch.status();
      if (!scratch.ok()) continue;
      const PatchBlock<T> block = unit(u, *scratch);
      for (int64_t g = 0; g < s.groups && statuses[u].ok(); ++g) {
        GatherPatches(s, block.image, g, block.first, block.last, block.patches);
        statuses[u] = SerialGemm(block.Product(g));
      }
    }
  });
  for (const absl::Status& status : statuses) RETURN_IF_ERROR(status);
  return absl::OkStatus();
}

template <typename T>
absl::Status PatchBackpropInput(const KernelCall& call, const ConvShape& s, const T* filter, const T* output_grad,
                                T* input_grad) {
  const int64_t pixels = s.height.output * s.width.output, per_block = PixelsPerBlock<T>(s);
  const int64_t group_outputs = s.group_outputs();
  std::vector<absl::Status> statuses(s.batch);
  const double cost = GemmCost<T>(pixels, s.outputs, s.patch_size()) + 2 * static_cast<double>(pixels * s.patch_size());
  call.ParallelFor(s.batch, cost, [&](int64_t begin, int64_t end) {
    absl::StatusOr<Tensor> scratch = Tensor::Make(kDTypeOf<T>, {per_block, s.patch_size()});
    for (int64_t b = begin; b < end; ++b) {
      statuses[b] = scratch.status();
      T* image = input_grad + b * s.input_image();
      std::fill(image, image + s.input_image(), T(0));
      for (int64_t g = 0; g < s.groups; ++g) {
        for (int64_t first = 0; first < pixels && statuses[b].ok(); first += per_block) {
          const int64_t last = std::min(pixels, first + per_block);
          T* patches = scratch->template mutable_data<T>();
          auto product = GemmArgs<T>::Dense(output_grad + (b * pixels + first) * s.outputs + g * group_outputs, Op::kNone,
                                            filter + g * group_outputs, Op::kTranspose, patches, last - first,
                                            s.patch_size(), group_outputs);
          product.lda = product.ldb = s.outputs;
          statuses[b] = SerialGemm(product);
          if (statuses[b].ok()) ScatterPatches(s, patches, g, first, last, image);
        }
      }
    }
  });
  for (const absl::Status& status : statuses) RETURN_IF_ERROR(status);
  return absl::OkStatus();
}

template <typename T>
absl::Status PatchBackpropFilter(const KernelCall& call, const ConvShape& s, const T* input, const T* output_grad,
                                 T* filter_grad) {
  const int64_t pixels = s.height.output * s.width.output, per_block = PixelsPerBlock<T>(s);
  const int64_t group_outputs = s.group_outputs();
  ASSIGN_OR_RETURN(Tensor scratch, Tensor::Make(kDTypeOf<T>, {per_block, s.patch_size()}));
  T* patches = scratch.mutable_data<T>();
  for (int64_t b = 0; b < s.batch; ++b) {
    for (int64_t first = 0; first < pixels; first += per_block) {
      const int64_t last = std::min(pixels, first + per_block);
      for (int64_t g = 0; g < s.groups; ++g) {
        GatherPatches(s, input + b * s.input_image(), g, first, last, patches);
        auto product = GemmArgs<T>::Dense(patches, Op::kTranspose,
                                          output_grad + (b * pixels + first) * s.outputs + g * group_outputs, Op::kNone,
                                          filter_grad + g * group_outputs, s.patch_size(), group_outputs, last - first);
        product.ldb = product.ldc = s.outputs;
        product.accumulate = b > 0 || first > 0;
        RETURN_IF_ERROR(Gemm(call, product));
      }
    }
  }
  return absl::OkStatus();
}

// Whether oneDNN is the faster one. It wants filters in a format of its own: with few pixels, turning a large filter into
// it takes longer than it saves. And its calls cost too much for tiny convolutions.
bool PrefersOneDnn(const ConvShape& s) {
  constexpr int64_t kFewPixels = 128, kLargeFilter = 1 << 16;
  constexpr double kTiny = 50e3;
  const int64_t pixels = s.batch * s.height.output * s.width.output;
  return s.multiplications() >= kTiny && (pixels >= kFewPixels || s.filter_size() < kLargeFilter);
}

}  // namespace

namespace {

// Without oneDNN.
template <typename T>
absl::Status OwnForward(const KernelCall& call, const ConvShape& s, const T* input, const T* filter, T* output) {
  if (IsPointwise(s)) {
    return Gemm(call, GemmArgs<T>::Dense(input, Op::kNone, filter, Op::kNone, output,
                                         s.batch * s.height.output * s.width.output, s.outputs, s.channels));
  }
  if (s.groups > 1 && s.group_channels() == 1) {
    DepthwiseForward(call, s, input, filter, output);
    return absl::OkStatus();
  }
  return PatchForward(call, s, input, filter, output);
}

}  // namespace

absl::Status ConvForward(const KernelCall& call, const ConvShape& s, const float* input, const float* filter, float* output,
                         const ConvExtras& extras) {
  if (PrefersWinograd(s)) return WinogradForward(call, s, input, filter, output, extras);
  if (PrefersOneDnn(s)) {
    ASSIGN_OR_RETURN(const bool done, OneDnnConvForward(call, s, input, filter, output, extras));
    if (done) return absl::OkStatus();
  }
  RETURN_IF_ERROR(OwnForward(call, s, input, filter, output));
  if (extras.finish) {
    RunLoop(call, s.batch * s.height.output * s.width.output, 0.2 * static_cast<double>(s.outputs),
            [&](int64_t begin, int64_t end) { extras.finish(output + begin * s.outputs, end - begin); });
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status ConvForward(const KernelCall& call, const ConvShape& s, const T* input, const T* filter, T* output) {
  if constexpr (std::is_same_v<T, float>) return ConvForward(call, s, input, filter, output, ConvExtras());
  else return OwnForward(call, s, input, filter, output);
}

template <typename T>
absl::Status ConvBackpropInput(const KernelCall& call, const ConvShape& s, const T* filter, const T* output_grad,
                               T* input_grad) {
  if constexpr (std::is_same_v<T, float>) {
    if (IsWinograd(s) && PrefersWinograd(TurnedAround(s))) {
      return WinogradBackpropInput(call, s, filter, output_grad, input_grad);
    }
    if (PrefersOneDnn(s)) {
      ASSIGN_OR_RETURN(const bool done, OneDnnConvBackpropInput(call, s, filter, output_grad, input_grad));
      if (done) return absl::OkStatus();
    }
  }
  if (IsPointwise(s)) {
    return Gemm(call, GemmArgs<T>::Dense(output_grad, Op::kNone, filter, Op::kTranspose, input_grad,
                                         s.batch * s.height.output * s.width.output, s.channels, s.outputs));
  }
  if (s.groups > 1 && s.group_channels() == 1) {
    DepthwiseBackpropInput(call, s, filter, output_grad, input_grad);
    return absl::OkStatus();
  }
  return PatchBackpropInput(call, s, filter, output_grad, input_grad);
}

template <typename T>
absl::Status ConvBackpropFilter(const KernelCall& call, const ConvShape& s, const T* input, const T* output_grad,
                                T* filter_grad) {
  if constexpr (std::is_same_v<T, float>) {
    if (PrefersWinogradForFilter(s)) return WinogradBackpropFilter(call, s, input, output_grad, filter_grad);
    if (PrefersOneDnn(s)) {
      ASSIGN_OR_RETURN(const bool done, OneDnnConvBackpropFilter(call, s, input, output_grad, filter_grad));
      if (done) return absl::OkStatus();
    }
  }
  if (IsPointwise(s)) {
    return Gemm(call, GemmArgs<T>::Dense(input, Op::kTranspose, output_grad, Op::kNone, filter_grad, s.channels,
                                         s.outputs, s.batch * s.height.output * s.width.output));
  }
  if (s.groups > 1 && s.group_channels() == 1) {
    DepthwiseBackpropFilter(s, input, output_grad, filter_grad);
    return absl::OkStatus();
  }
  return PatchBackpropFilter(call, s, input, output_grad, filter_grad);
}

#define FLOWLATCH_CONV(T)                                                                                          \
  template absl::Status ConvForward<T>(const KernelCall&, const ConvShape&, const T*, const T*, T*);               \
  template absl::Status ConvBackpropInput<T>(const KernelCall&, const ConvShape&, const T*, const T*, T*);         \
  template absl::Status ConvBackpropFilter<T>(const KernelCall&, const ConvShape&, const T*, const T*, T*);
FLOWLATCH_CONV(float)
FLOWLATCH_CONV(double)
FLOWLATCH_CONV(int32_t)
#undef FLOWLATCH_CONV

}  // namespace flowlatch
