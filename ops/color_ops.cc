// Colours of images. The last dimension of images is the channels; the one of RGB and HSV images is 3.
//   AdjustContrastv2: images [.., height, width, channels], contrast_factor -> each channel of each image, moved away from
//     its mean by the factor
//   AdjustHue: images [.., height, width, 3], delta -> hues turned by delta of a full circle
//   AdjustSaturation: images [.., height, width, 3], scale -> saturations scaled, and kept in [0, 1]
//   RGBToHSV, HSVToRGB: images [.., 3] -> the same; hues are parts of a full circle
// 16-bit floats are computed in float. Values outside [0, 1] are computed like others.
#include "ops/color_ops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/parallel.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kAdjustTypes{DType::kFloat16, DType::kFloat32};
constexpr double kCostPerPixel = 20.0;  // rough nanoseconds

// The type that T is computed in.
template <typename T>
using Wide = std::conditional_t<kIsSmallFloat<T>, float, T>;

// ---- One pixel

template <typename W>
struct Rgb {
  W r, g, b;
};

// Hue as a part of a full circle; chroma is the difference between the largest and the smallest channel, value the largest.
template <typename W>
struct Hcv {
  W h, c, v;
};

template <typename W>
Hcv<W> ToHcv(const Rgb<W>& color) {
  const auto [r, g, b] = color;
  const W v = std::max(r, std::max(g, b)), chroma = v - std::min(r, std::min(g, b));
  W h = 0;
  if (chroma > 0) {
    const W norm = 1 / (6 * chroma);
    if (r == v) {
      h = norm * (g - b);
    } else if (g == v) {
      h = norm * (b - r) + W(2) / W(6);
    } else {
      h = norm * (r - g) + W(4) / W(6);
    }
  }
  return {h < 0 ? h + 1 : h, chroma, v};
}

template <typename W>
Rgb<W> ToRgb(const Hcv<W>& color) {
  const W h = color.h * 6;
  const auto channel = [&](W weight) { return color.v - color.c + color.c * std::clamp(weight, W(0), W(1)); };
  return {channel(std::abs(h - 3) - 1), channel(2 - std::abs(h - 2)), channel(2 - std::abs(h - 4))};
}

template <typename W>
W Saturation(const Hcv<W>& color) {
  return color.v > 0 ? color.c / color.v : W(0);
}

// A hue in [0, 1), whatever the delta.
float TurnHue(float hue, float delta) {
  const float turned = std::fmod(hue + delta, 1.0f);
  return turned < 0 ? turned + 1 : turned;
}

struct TurnedHue {
  float delta;
  Rgb<float> operator()(const Rgb<float>& rgb) const {
    Hcv<float> color = ToHcv(rgb);
    color.h = TurnHue(color.h, delta);
    return ToRgb(color);
  }
};

struct ScaledSaturation {
  float scale;
  Rgb<float> operator()(const Rgb<float>& rgb) const {
    Hcv<float> color = ToHcv(rgb);
    color.c = std::clamp(Saturation(color) * scale, 0.0f, 1.0f) * color.v;
    return ToRgb(color);
  }
};

// ---- Kernels

absl::Status CheckRank(const Tensor& images, int min_rank) {
  if (images.rank() >= min_rank) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("images: expected at least ", min_rank, " dimensions, got shape ", images.ShapeString()));
}

std::string NotThreeChannels(const PartialShape& images) {
  return absl::StrCat("images: expected 3 channels, got shape ", images.ToString());
}

absl::StatusOr<float> ReadFactor(const Tensor& t, const char* what) {
  if (t.rank() == 0) return *t.data<float>();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected a scalar, got shape ", t.ShapeString()));
}

// Output 0 is input 0 with convert(pixel) of each pixel of three T.
template <typename T, typename Convert>
absl::Status ConvertPixels(KernelCall& c, const Convert& convert) {
  const Tensor& images = c.input(0);
  ASSIGN_OR_RETURN(Tensor * output, c.ForwardOrAllocate(0, 0, images.dtype(), images.shape()));
  if (images.num_elements() == 0) return absl::OkStatus();
  const T* from = images.data<T>();
  T* to = output->mutable_data<T>();
  RunLoop(c, images.num_elements() / 3, kCostPerPixel, [=](int64_t begin, int64_t end) {
    for (int64_t i = 3 * begin; i < 3 * end; i += 3) {
      const auto [x, y, z] = convert(static_cast<Wide<T>>(from[i]), static_cast<Wide<T>>(from[i + 1]),
                                     static_cast<Wide<T>>(from[i + 2]));
      to[i] = static_cast<T>(x);
      to[i + 1] = static_cast<T>(y);
      to[i + 2] = static_cast<T>(z);
    }
  });
  return absl::OkStatus();
}

absl::Status CheckPixels(const Tensor& images) {
  RETURN_IF_ERROR(CheckRank(images, 1));
  if (images.dim(images.rank() - 1) == 3) return absl::OkStatus();
  return absl::FailedPreconditionError(NotThreeChannels(images.shape()));
}

template <typename T>
absl::Status RgbToHsv(KernelCall& c) {
  using W = Wide<T>;
  RETURN_IF_ERROR(CheckPixels(c.input(0)));
  return ConvertPixels<T>(c, [](W r, W g, W b) {
    const Hcv<W> color = ToHcv(Rgb<W>{r, g, b});
    return std::array{color.h, Saturation(color), color.v};
  });
}

template <typename T>
absl::Status HsvToRgb(KernelCall& c) {
  using W = Wide<T>;
  RETURN_IF_ERROR(CheckPixels(c.input(0)));
  return ConvertPixels<T>(c, [](W h, W s, W v) { return ToRgb(Hcv<W>{h, s * v, v}); });
}

template <typename T, typename Adjusted>
absl::Status AdjustPixels(KernelCall& c) {
  const Tensor& images = c.input(0);
  RETURN_IF_ERROR(CheckRank(images, 3));
  if (images.dim(images.rank() - 1) != 3) return absl::InvalidArgumentError(NotThreeChannels(images.shape()));
  ASSIGN_OR_RETURN(const float factor, ReadFactor(c.input(1), std::is_same_v<Adjusted, TurnedHue> ? "delta" : "scale"));
  return ConvertPixels<T>(
      c, [adjusted = Adjusted{factor}](float r, float g, float b) { return adjusted(Rgb<float>{r, g, b}); });
}

// The sum of `pixels` pixels, channel by channel, in sums[0 .. channels). Halves are added until one pixel is left: few
// roundings, and TensorFlow's. sums: room for half of the pixels, rounded up.
template <typename T>
void SumPixels(const T* from, int64_t pixels, int64_t channels, float* sums) {
  const auto fold = [&](const auto* values) {
    const int64_t added = pixels / 2 * channels, kept = pixels * channels - added;
    for (int64_t i = 0; i < kept; ++i) {
      const float v = static_cast<float>(values[i]);
      sums[i] = i < added ? v + static_cast<float>(values[kept + i]) : v;
    }
    pixels -= pixels / 2;
  };
  fold(from);
  while (pixels > 1) fold(sums);
}

template <typename T>
absl::Status AdjustContrast(KernelCall& c) {
  const Tensor& images = c.input(0);
  RETURN_IF_ERROR(CheckRank(images, 3));
  ASSIGN_OR_RETURN(const float factor, ReadFactor(c.input(1), "contrast_factor"));
  ASSIGN_OR_RETURN(Tensor * output, c.ForwardOrAllocate(0, 0, images.dtype(), images.shape()));
  if (images.num_elements() == 0) return absl::OkStatus();
  const int64_t channels = images.dim(images.rank() - 1);
  const int64_t pixels = images.dim(images.rank() - 3) * images.dim(images.rank() - 2);
  const int64_t elements = pixels * channels, count = images.num_elements() / elements;
  const int64_t room = (pixels + 1) / 2 * channels;
  ASSIGN_OR_RETURN(Tensor work, Tensor::Make(DType::kFloat32, {count, room}));
  const T* from = images.data<T>();
  T* to = output->mutable_data<T>();
  float* work_sums = work.mutable_data<float>();
  RunLoop(c, count, 3.0 * static_cast<double>(elements), [=](int64_t begin, int64_t end) {
    for (int64_t image = begin; image < end; ++image) {
      const T* x = from + image * elements;
      T* y = to + image * elements;
      float* mean = work_sums + image * room;
      SumPixels(x, pixels, channels, mean);
      for (int64_t k = 0; k < channels; ++k) mean[k] *= 1.0f / static_cast<float>(pixels);
      for (int64_t i = 0; i < elements; i += channels) {
        for (int64_t k = 0; k < channels; ++k) {
          y[i + k] = static_cast<T>((static_cast<float>(x[i + k]) - mean[k]) * factor + mean[k]);
        }
      }
    }
  });
  return absl::OkStatus();
}

template <DTypeSet kTypes, typename Choose>
KernelFactory ColorKernel(Choose choose) {
  return [choose](const NodeInfo& node) -> absl::StatusOr<Kernel> {
    const KernelFn fn = DispatchDType<kTypes>(node.input_dtype(0), KernelFn{}, choose);
    if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
    return Kernel{.fn = fn};
  };
}

// ---- Schemas and gradients

absl::Status AdjustShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape images, c.WithRankAtLeast(0, 3));
  RETURN_IF_ERROR(c.ExpectScalar(1));
  c.SetOutput(0, std::move(images));
  return absl::OkStatus();
}

absl::Status PixelsShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape images, c.WithRankAtLeast(0, 1));
  if (images.has_rank()) {
    Dims dims(images.dims().begin(), images.dims().end());
    if (dims.back() >= 0 && dims.back() != 3) {
      return absl::InvalidArgumentError(NotThreeChannels(images));
    }
    dims.back() = 3;
    images = PartialShape::FromValid(dims);
  }
  c.SetOutput(0, std::move(images));
  return absl::OkStatus();
}

// With M and m the places of the largest and the smallest channel (as ones among zeros) and `opposite` the difference of
// the two channels that the hue of a pixel with that largest channel is made of:
//   dv = M,  ds = (M - m - s M) / v,  dh = (d opposite - (opposite / chroma) (M - m)) / (6 chroma)
absl::Status RgbToHsvGrad(GradContext& c) {
  const Output images = c.input(0), hsv = c.output(0);
  const auto one_hot = [&](const Output& index) {
    return c.Op("OneHot", {index, 3, c.ScalarLike(1, images), c.ScalarLike(0, images)});
  };
  const auto reversed = [&](const Output& x) { return c.Op("ReverseV2", {x, {-1}}); };
  const auto channel = [&](const Output& x, int32_t k) { return c.Op("GatherV2", {x, std::vector<int32_t>{k}, -1}); };
  const auto ratio = [&](const Output& x, const Output& y) { return c.Op("DivNoNan", {x, y}); };
  const Output max = one_hot(c.Op("ArgMax", {images, -1}));                     // of ties the first
  const Output min = reversed(one_hot(c.Op("ArgMin", {reversed(images), -1})));  // and the last
  const Output d_chroma = max - min;
  const Output chroma = c.Op("Sum", {d_chroma * images, -1}, {{"keep_dims", true}});
  const Output red = channel(max, 0), green = channel(max, 1), blue = channel(max, 2);
  const Output d_opposite = c.Op("ConcatV2", {blue - green, red - blue, green - red, -1}, {{"N", 3}});
  const Output opposite = c.Op("Sum", {d_opposite * images, -1}, {{"keep_dims", true}});
  const Output d_hue = ratio(d_opposite - ratio(opposite, chroma) * d_chroma, chroma * c.ScalarLike(6, chroma));
  const Output d_saturation = ratio(d_chroma - channel(hsv, 1) * max, channel(hsv, 2));
  const Output grad = c.grad();
  c.Set(0, channel(grad, 0) * d_hue + channel(grad, 1) * d_saturation + channel(grad, 2) * max);
  return absl::OkStatus();
}

template <typename Adjusted>
absl::Status AddAdjustment(OpLibrary& library, const char* name, std::string_view doc) {
  return library.Add(
      {.signature = TensorFlowSignature(name),
       .doc = doc,
       .shape = AdjustShape,
       .kernel = ColorKernel<kAdjustTypes>([]<typename T>() -> KernelFn { return &RunKernel<AdjustPixels<T, Adjusted>>; }),
       .dtypes = kAdjustTypes});
}

}  // namespace

absl::Status RegisterColorOps(OpLibrary& library) {
  RETURN_IF_ERROR(AddAdjustment<TurnedHue>(library, "AdjustHue", "RGB images with their hues turned by a part of a circle"));
  RETURN_IF_ERROR(AddAdjustment<ScaledSaturation>(library, "AdjustSaturation", "RGB images with scaled saturations"));
  RETURN_IF_ERROR(library.Add({
      .signature = TensorFlowSignature("AdjustContrastv2"),
      .doc = "Images with each channel's distances from its mean scaled",
      .shape = AdjustShape,
      .kernel = ColorKernel<kAdjustTypes>([]<typename T>() -> KernelFn { return &RunKernel<AdjustContrast<T>>; }),
      .dtypes = kAdjustTypes,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = TensorFlowSignature("RGBToHSV"),
      .doc = "Hue, saturation and value of red, green and blue",
      .shape = PixelsShape,
      .kernel = ColorKernel<kFloatTypes>([]<typename T>() -> KernelFn { return &RunKernel<RgbToHsv<T>>; }),
      .dtypes = kFloatTypes,
      .gradient = RgbToHsvGrad,
  }));
  return library.Add({
      .signature = TensorFlowSignature("HSVToRGB"),
      .doc = "Red, green and blue of hue, saturation and value",
      .shape = PixelsShape,
      .kernel = ColorKernel<kFloatTypes>([]<typename T>() -> KernelFn { return &RunKernel<HsvToRgb<T>>; }),
      .dtypes = kFloatTypes,
      .gradient = gradients::None,
  });
}

}  // namespace flowlatch
