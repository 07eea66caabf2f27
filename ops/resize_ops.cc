// Images of another size.
//   ResizeBilinear, ResizeBicubic: images [batch, height, width, channels] of numbers, size [2] -> float32
//     [batch, size.., channels]
//   ResizeArea: the same; each place is the mean of what it covers of the image
//   ResizeNearestNeighbor: the same, of the images' dtype
//   ResizeBilinearGrad, ResizeBicubicGrad: gradients of the result, the images -> gradients of the images
//   ResizeNearestNeighborGrad: gradients of the result, the images' size -> gradients of the images
// All but ResizeArea are one thing: along both axes, each place of the result is a weighted sum of a few places of the
// image (1, 2 or 4), and the gradient spreads each place of the result with the same weights. align_corners: the centres
// of the corners' pixels stay where they are; half_pixel_centers: pixels are areas, not points.
#include "ops/resize_ops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

enum class Method { kNearest, kBilinear, kBicubic };

class ResizeState final : public KernelState {
 public:
  bool align_corners = false, half_pixel_centers = false;
};

absl::StatusOr<std::shared_ptr<const KernelState>> MakeState(const NodeInfo& node) {
  auto state = std::make_shared<ResizeState>();
  ASSIGN_OR_RETURN(state->align_corners, node.Bool("align_corners"));
  if (node.schema().name() != "ResizeArea") {
    ASSIGN_OR_RETURN(state->half_pixel_centers, node.Bool("half_pixel_centers"));
  }
  if (state->align_corners && state->half_pixel_centers) {
    return absl::InvalidArgumentError("half_pixel_centers: expected false with align_corners, got true");
  }
  return state;
}

// ---- Which places of the image make one place of the result

template <int kCount>
struct Sources {
  std::array<int64_t, kCount> at;
  std::array<float, kCount> weight;
};

constexpr int CountOf(Method method) { return method == Method::kNearest ? 1 : method == Method::kBilinear ? 2 : 4; }

// One axis: `from` pixels of the image become `to`.
struct Axis {
  Axis(const ResizeState& state, int64_t from, int64_t to)
      : from(from),
        to(to),
        align_corners(state.align_corners),
        half_pixel_centers(state.half_pixel_centers),
        scale(Scale()) {}
  float Scale() const {
    return align_corners && to > 1 ? static_cast<float>(from - 1) / static_cast<float>(to - 1)
                                   : static_cast<float>(from) / static_cast<float>(to);
  }
  // Where pixel i of the result is in the image.
  float Position(int64_t i) const {
    return half_pixel_centers ? (static_cast<float>(i) + 0.5f) * scale - 0.5f : static_cast<float>(i) * scale;
  }
  int64_t Clamp(int64_t i) const { return std::clamp<int64_t>(i, 0, from - 1); }

  const int64_t from, to;
  const bool align_corners, half_pixel_centers;
  const float scale;
};

Sources<1> NearestSource(const Axis& axis, int64_t i) {
  const float at = (static_cast<float>(i) + (axis.half_pixel_centers ? 0.5f : 0.0f)) * axis.scale;
  return {{axis.Clamp(static_cast<int64_t>(axis.align_corners ? std::round(at) : std::floor(at)))}, {1.0f}};
}

Sources<2> BilinearSources(const Axis& axis, int64_t i) {
  const float at = axis.Position(i), below = std::floor(at), part = at - below;
  return {{std::max<int64_t>(static_cast<int64_t>(below), 0),
           std::min<int64_t>(static_cast<int64_t>(std::ceil(at)), axis.from - 1)},
          {1.0f - part, part}};
}

// The cubic convolution kernel at distance x from a place's neighbours: near ones (0 <= x <= 1) and far ones (at 1 +
// x).
float CubicNear(float a, float x) { return ((a + 2) * x - (a + 3)) * x * x + 1; }
float CubicFar(float a, float x) { return ((a * (x + 1) - 5 * a) * (x + 1) + 8 * a) * (x + 1) - 4 * a; }

Sources<4> BicubicSources(const Axis& axis, int64_t i) {
  constexpr float kSteps = 1024;  // positions between pixels are rounded to such a part
  const float a = axis.half_pixel_centers ? -0.5f : -0.75f;
  const float at = axis.Position(i), below = std::floor(at);
  const float part = std::nearbyint((at - below) * kSteps) / kSteps, rest = 1 - part;
  Sources<4> sources{{}, {CubicFar(a, part), CubicNear(a, part), CubicNear(a, rest), CubicFar(a, rest)}};
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    const int64_t place = static_cast<int64_t>(below) - 1 + k;
    sources.at[k] = axis.Clamp(place);
    if (axis.half_pixel_centers && sources.at[k] != place) sources.weight[k] = 0;
    sum += sources.weight[k];
  }
  // What lies outside does not count; the rest is scaled up.
  if (axis.half_pixel_centers && std::abs(sum) >= 1000 * std::numeric_limits<float>::min()) {
    for (float& weight : sources.weight) weight *= 1.0f / sum;
  }
  return sources;
}

template <Method kMethod>
Sources<CountOf(kMethod)> SourcesOf(const Axis& axis, int64_t i) {
  if constexpr (kMethod == Method::kNearest) return NearestSource(axis, i);
  if constexpr (kMethod == Method::kBilinear) return BilinearSources(axis, i);
  if constexpr (kMethod == Method::kBicubic) return BicubicSources(axis, i);
}

// The sources of all places along an axis. Errors: as Tensor::Make.
template <Method kMethod>
class SourceTable {
 public:
  using Entry = Sources<CountOf(kMethod)>;
  static absl::StatusOr<SourceTable> Make(const Axis& axis) {
    ASSIGN_OR_RETURN(Tensor memory, Tensor::Make(DType::kUInt8, {axis.to, static_cast<int64_t>(sizeof(Entry))}));
    Entry* entries = static_cast<Entry*>(memory.raw_mutable_data());
    for (int64_t i = 0; i < axis.to; ++i) new (entries + i) Entry(SourcesOf<kMethod>(axis, i));
    return SourceTable(std::move(memory));
  }
  const Entry& operator[](int64_t i) const { return static_cast<const Entry*>(memory_.raw_data())[i]; }

 private:
  explicit SourceTable(Tensor memory) : memory_(std::move(memory)) {}
  Tensor memory_;
};

// ---- Kernels

absl::Status CheckImages(absl::Span<const int64_t> dims, const char* what) {
  if (dims.size() != 4)
    return absl::InvalidArgumentError(absl::StrCat(what, ": expected 4 dimensions, got shape ", DimsToString(dims)));
  for (int d = 1; d < 4; ++d) {
    if (dims[d] < 1)
      return absl::InvalidArgumentError(
          absl::StrCat(what, ": expected pixels and channels, got shape ", DimsToString(dims)));
  }
  return absl::OkStatus();
}

absl::StatusOr<Dims> ReadSize(const Tensor& size) {
  ASSIGN_OR_RETURN(const Dims values, ReadIntVector(size, "size"));
  if (values.size() != 2 || values[0] < 1 || values[1] < 1) {
    return absl::InvalidArgumentError(absl::StrCat("size: expected two positive values, got ", DimsToString(values)));
  }
  return values;
}

// Sums of four are grouped as the sums along a column, then along the row; of two, as steps from one to the other.
template <Method kMethod, typename T, typename Weights>
float Combine(const Weights& weight, const T& value) {
  if constexpr (kMethod == Method::kBilinear) {
    return value(0) + (value(1) - value(0)) * weight[1];
  } else {
    float sum = value(0) * weight[0];
    for (int k = 1; k < CountOf(kMethod); ++k) sum += value(k) * weight[k];
    return sum;
  }
}

template <Method kMethod, typename T>
absl::Status Resize(KernelCall& c) {
  using Out = std::conditional_t<kMethod == Method::kNearest, T, float>;
  const Tensor& images = c.input(0);
  RETURN_IF_ERROR(CheckImages(images.dims(), "images"));
  ASSIGN_OR_RETURN(const Dims size, ReadSize(c.input(1)));
  const int64_t height = images.dim(1), width = images.dim(2), channels = images.dim(3);
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, kDTypeOf<Out>, {images.dim(0), size[0], size[1], channels}));
  if (output->num_elements() == 0) return absl::OkStatus();
  const ResizeState& state = c.state<ResizeState>();
  const Axis vertical(state, height, size[0]);
  ASSIGN_OR_RETURN(const SourceTable<kMethod> columns, SourceTable<kMethod>::Make(Axis(state, width, size[1])));
  const T* from = images.data<T>();
  Out* to = output->mutable_data<Out>();
  constexpr int kCount = CountOf(kMethod);
  RunLoop(c, images.dim(0) * size[0], static_cast<double>(size[1] * channels * kCount * kCount),
          [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
              const auto y = SourcesOf<kMethod>(vertical, row % size[0]);
              const T* image = from + row / size[0] * height * width * channels;
              Out* result = to + row * size[1] * channels;
              for (int64_t column = 0; column < size[1]; ++column, result += channels) {
                const auto& x = columns[column];
                for (int64_t k = 0; k < channels; ++k) {
                  const auto pixel = [&](int i, int j) { return image[(y.at[i] * width + x.at[j]) * channels + k]; };
                  if constexpr (kMethod == Method::kNearest) {
                    result[k] = pixel(0, 0);
                  } else if constexpr (kMethod == Method::kBilinear) {
                    result[k] = Combine<kMethod>(y.weight, [&](int i) {
                      return Combine<kMethod>(x.weight, [&](int j) { return static_cast<float>(pixel(i, j)); });
                    });
                  } else {
                    result[k] = Combine<kMethod>(x.weight, [&](int j) {
                      return Combine<kMethod>(y.weight, [&](int i) { return static_cast<float>(pixel(i, j)); });
                    });
                  }
                }
              }
            }
          });
  return absl::OkStatus();
}

// Images of gradients, each on one thread: places of the image get parts of many places of the result.
template <Method kMethod, typename T>
absl::Status ResizeGrad(KernelCall& c) {
  using Grad = std::conditional_t<kMethod == Method::kNearest, T, float>;
  const Tensor& grads = c.input(0);
  RETURN_IF_ERROR(CheckImages(grads.dims(), "grads"));
  Dims size;
  if constexpr (kMethod == Method::kNearest) {
    ASSIGN_OR_RETURN(size, ReadSize(c.input(1)));
  } else {
    const Tensor& images = c.input(1);
    RETURN_IF_ERROR(CheckImages(images.dims(), "original_image"));
    if (images.dim(0) != grads.dim(0) || images.dim(3) != grads.dim(3)) {
      return absl::InvalidArgumentError(absl::StrCat("grads: expected the batch and channels of images of shape ",
                                                     images.ShapeString(), ", got shape ", grads.ShapeString()));
    }
    size = {images.dim(1), images.dim(2)};
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, kDTypeOf<T>, {grads.dim(0), size[0], size[1], grads.dim(3)}));
  if (output->num_elements() == 0) return absl::OkStatus();
  // The output's shape was made, so that its numbers are small enough to be multiplied.
  const int64_t height = grads.dim(1), width = grads.dim(2), channels = grads.dim(3), image_elements = size[0] * size[1] * channels;
  const ResizeState& state = c.state<ResizeState>();
  const Axis vertical(state, size[0], height);
  ASSIGN_OR_RETURN(const SourceTable<kMethod> columns, SourceTable<kMethod>::Make(Axis(state, size[1], width)));
  const Grad* from = grads.data<Grad>();
  T* to = output->mutable_data<T>();
  std::fill_n(to, output->num_elements(), static_cast<T>(0.0f));
  constexpr int kCount = CountOf(kMethod);
  RunLoop(c, grads.dim(0), static_cast<double>(height * width * channels * kCount * kCount),
          [&](int64_t begin, int64_t end) {
            for (int64_t b = begin; b < end; ++b) {
              T* image = to + b * image_elements;
              const Grad* grad = from + b * height * width * channels;
              for (int64_t row = 0; row < height; ++row) {
                const auto y = SourcesOf<kMethod>(vertical, row);
                for (int64_t column = 0; column < width; ++column, grad += channels) {
                  const auto& x = columns[column];
                  for (int i = 0; i < kCount; ++i) {
                    for (int j = 0; j < kCount; ++j) {
                      T* place = image + (y.at[i] * size[1] + x.at[j]) * channels;
                      const float weight = y.weight[i] * x.weight[j];
                      for (int64_t k = 0; k < channels; ++k) {
                        if constexpr (kMethod == Method::kNearest) {
                          place[k] = static_cast<T>(place[k] + grad[k]);
                        } else {
                          place[k] = static_cast<T>(place[k] + static_cast<T>(grad[k] * weight));
                        }
                      }
                    }
                  }
                }
              }
            }
          });
  return absl::OkStatus();
}

// The pixels of an image that pixel i of the result covers, along one axis, and how much of each. A pixel past the end is
// the last one's neighbour of the same value.
struct Cover {
  Cover(const Axis& axis, int64_t i)
      : from(static_cast<float>(i) * axis.scale),
        to(static_cast<float>(i + 1) * axis.scale),
        scale(axis.scale),
        begin(static_cast<int64_t>(std::floor(from))),
        end(static_cast<int64_t>(std::ceil(to))) {}
  float Weight(int64_t pixel) const {
    const float first = static_cast<float>(pixel), past = static_cast<float>(pixel + 1);
    if (first < from) return past > to ? scale : past - from;
    return past > to ? to - first : 1.0f;
  }
  float from, to, scale;
  int64_t begin, end;
};

template <typename T>
absl::Status ResizeArea(KernelCall& c) {
  const Tensor& images = c.input(0);
  RETURN_IF_ERROR(CheckImages(images.dims(), "images"));
  ASSIGN_OR_RETURN(const Dims size, ReadSize(c.input(1)));
  const int64_t height = images.dim(1), width = images.dim(2), channels = images.dim(3);
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kFloat32, {images.dim(0), size[0], size[1], channels}));
  if (output->num_elements() == 0) return absl::OkStatus();
  const Axis rows(c.state<ResizeState>(), height, size[0]), columns(c.state<ResizeState>(), width, size[1]);
  const float part = 1.0f / (rows.scale * columns.scale);
  const T* from = images.data<T>();
  float* to = output->mutable_data<float>();
  const double cost = static_cast<double>(size[1] * channels) * (1 + rows.scale) * (1 + columns.scale);
  RunLoop(c, images.dim(0) * size[0], cost, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const Cover y(rows, row % size[0]);
      const T* image = from + row / size[0] * height * width * channels;
      float* result = to + row * size[1] * channels;
      for (int64_t column = 0; column < size[1]; ++column, result += channels) {
        const Cover x(columns, column);
        for (int64_t k = 0; k < channels; ++k) {
          float sum = 0;
          for (int64_t i = y.begin; i < y.end; ++i) {
            float sum_of_row = 0;
            for (int64_t j = x.begin; j < x.end; ++j) {
              const T pixel = image[(rows.Clamp(i) * width + columns.Clamp(j)) * channels + k];
              sum_of_row += static_cast<float>(pixel) * x.Weight(j);
            }
            sum += sum_of_row * y.Weight(i);
          }
          result[k] = sum * part;
        }
      }
    }
  });
  return absl::OkStatus();
}

template <DTypeSet kTypes, typename Choose>
KernelFactory ResizeKernel(Choose choose) {
  return [choose](const NodeInfo& node) -> absl::StatusOr<Kernel> {
    ASSIGN_OR_RETURN(const DType dtype, node.Type("T"));
    const KernelFn fn = DispatchDType<kTypes>(dtype, KernelFn{}, choose);
    if (fn == nullptr) return NoKernelFor(node, dtype);
    ASSIGN_OR_RETURN(std::shared_ptr<const KernelState> state, MakeState(node));
    return Kernel{.fn = fn, .state = std::move(state)};
  };
}

// ---- Schemas and gradients

// [batch, size.., channels] of the images in input 0, where input 1 is the size.
absl::Status ResizeShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape images, c.WithRank(0, 4));
  RETURN_IF_ERROR(c.ExpectVector(1));
  ASSIGN_OR_RETURN(const std::optional<Dims> size, c.ConstantInts(1));
  if (size.has_value() && (size->size() != 2 || (*size)[0] < 1 || (*size)[1] < 1)) {
    return absl::InvalidArgumentError(absl::StrCat("size: expected two positive values, got ", DimsToString(*size)));
  }
  const auto dim = [&](int d) { return images.has_rank() ? images.dim(d) : int64_t{-1}; };
  ASSIGN_OR_RETURN(PartialShape resized, PartialShape::Make(Dims{dim(0), size.has_value() ? (*size)[0] : -1,
                                                                 size.has_value() ? (*size)[1] : -1, dim(3)}));
  c.SetOutput(0, std::move(resized));
  return absl::OkStatus();
}

absl::Status ResizeGradShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.WithRank(0, 4).status());
  ASSIGN_OR_RETURN(PartialShape images, c.WithRank(1, 4));
  c.SetOutput(0, std::move(images));
  return absl::OkStatus();
}

template <const char* kGrad, bool kAllFloats>
absl::Status ImagesGrad(GradContext& c) {
  const DType dtype = c.input_dtype(0);
  if (!kAllFloats && dtype != DType::kFloat32 && dtype != DType::kFloat64) return absl::OkStatus();
  c.Set(0, c.Op(kGrad, {c.grad(), c.input(0)}, c.CopyAttrs({"align_corners", "half_pixel_centers"})));
  return absl::OkStatus();
}
constexpr char kBilinearGrad[] = "ResizeBilinearGrad";
constexpr char kBicubicGrad[] = "ResizeBicubicGrad";

absl::Status NearestGrad(GradContext& c) {
  const Output size = c.Op("StridedSlice", {c.ShapeOfInput(0), {1}, {3}, {1}});
  c.Set(0, c.Op("ResizeNearestNeighborGrad", {c.grad(), size}, c.CopyAttrs({"align_corners", "half_pixel_centers"})));
  return absl::OkStatus();
}

constexpr DTypeSet kImageTypes =
    kFloatTypes | DTypeSet{DType::kInt8, DType::kUInt8, DType::kInt16, DType::kUInt16, DType::kInt32, DType::kInt64};
constexpr DTypeSet kNearestGradTypes = kFloatTypes | DTypeSet{DType::kInt8, DType::kUInt8, DType::kInt32};
constexpr DTypeSet kCubicGradTypes{DType::kFloat32, DType::kFloat64};

template <Method kMethod, DTypeSet kTypes, DTypeSet kGradTypes>
absl::Status AddMethod(OpLibrary& library, const std::string& name, std::string_view doc, ShapeFunction grad_shape,
                       GradFunction gradient) {
  RETURN_IF_ERROR(library.Add(
      {.signature = TensorFlowSignature(name),
       .doc = doc,
       .shape = ResizeShape,
       .kernel = ResizeKernel<kTypes>([]<typename T>() -> KernelFn { return &RunKernel<Resize<kMethod, T>>; }),
       .dtypes = kTypes,
       .gradient = gradient}));
  return library.Add(
      {.signature = TensorFlowSignature(name + "Grad"),
       .doc = "The gradient of the images that were resized",
       .shape = grad_shape,
       .kernel = ResizeKernel<kGradTypes>([]<typename T>() -> KernelFn { return &RunKernel<ResizeGrad<kMethod, T>>; }),
       .dtypes = kGradTypes,
       .gradient = gradients::None});
}

}  // namespace

absl::Status RegisterResizeOps(OpLibrary& library) {
  RETURN_IF_ERROR((AddMethod<Method::kNearest, kImageTypes, kNearestGradTypes>(
      library, "ResizeNearestNeighbor", "Images of another size, of the nearest pixels", ResizeShape, NearestGrad)));
  RETURN_IF_ERROR((AddMethod<Method::kBilinear, kImageTypes, kFloatTypes>(
      library, "ResizeBilinear", "Images of another size, interpolated between two pixels along each axis",
      ResizeGradShape, ImagesGrad<kBilinearGrad, true>)));
  RETURN_IF_ERROR(library.Add(
      {.signature = TensorFlowSignature("ResizeArea"),
       .doc = "Images of another size, of the means of the areas that become pixels",
       .shape = ResizeShape,
       .kernel = ResizeKernel<kImageTypes>([]<typename T>() -> KernelFn { return &RunKernel<ResizeArea<T>>; }),
       .dtypes = kImageTypes}));
  return AddMethod<Method::kBicubic, kImageTypes, kCubicGradTypes>(
      library, "ResizeBicubic", "Images of another size, interpolated between four pixels along each axis",
      ResizeGradShape, ImagesGrad<kBicubicGrad, false>);
}

}  // namespace flowlatch
