// ImageProjectiveTransformV2, V3: images seen through a projection.
//   images [batch, height, width, channels], transforms [batch or 1, 8], output_shape [2] -> [batch, output_shape.., channels].
//   Place (x, y) of the output shows the image at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k), k = c0 x + c1 y + 1, for
//   the transform a0 a1 a2 b0 b1 b2 c0 c1: its nearest pixel, or four pixels mixed (BILINEAR).
//   fill_mode says what is outside the image: CONSTANT: fill_value (0 for V2), REFLECT: dcba|abcd|dcba, WRAP:
//   abcd|abcd|abcd, NEAREST: aaaa|abcd|dddd. Where k is 0 there is fill_value.
#include "ops/image_transform_ops.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/cast.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kImageTypes{DType::kUInt8,    DType::kInt32,   DType::kInt64,  DType::kFloat16,
                               DType::kBFloat16, DType::kFloat32, DType::kFloat64};

enum class Fill { kConstant, kReflect, kWrap, kNearest };

struct TransformState final : KernelState {
  Fill fill = Fill::kConstant;
  bool bilinear = false;
};

// ---- Places

// A coordinate as one inside [0, length), if the mode has one; NaN stays NaN. In float, as TensorFlow computes it.
float Inside(float x, Fill fill, float length) {
  const float last = length - 1;
  switch (fill) {
    case Fill::kConstant: return x;
    case Fill::kReflect:
      if (x < 0 && length > 1) {
        x += 2 * length * std::trunc(-x / (2 * length));
        x = x < -length ? x + 2 * length : -x - 1;
      } else if (x > last && length > 1) {
        x -= 2 * length * std::trunc(x / (2 * length));
        if (x >= length) x = 2 * length - x - 1;
      }
      break;
    case Fill::kWrap:
      if (x < 0 && length > 1) x += length * (std::trunc(-x / last) + 1);
      else if (x > last && length > 1) x -= length * std::trunc(x / last);
      break;
    case Fill::kNearest: break;
  }
  return x < 0 ? 0 : x > last ? last : x;
}

template <typename T>
struct Image {
  const T* pixels;
  int64_t height, width, channels;
  T outside;

  // Null outside. The coordinates are whole numbers, or NaN or infinite.
  const T* at(float y, float x) const {
    constexpr float kMost = 0x1p62f;
    if (!(y >= 0 && y < kMost && x >= 0 && x < kMost)) return nullptr;
    const int64_t row = static_cast<int64_t>(y), column = static_cast<int64_t>(x);
    return row < height && column < width ? pixels + (row * width + column) * channels : nullptr;
  }
};

struct Place {
  float x = 0, y = 0;
  bool exists = false;
};

Place PlaceOf(const float* transform, int64_t x, int64_t y, Fill fill, int64_t height, int64_t width) {
  const float fx = static_cast<float>(x), fy = static_cast<float>(y);
  const float k = transform[6] * fx + transform[7] * fy + 1.0f;
  if (k == 0) return {};
  const float to_x = (transform[0] * fx + transform[1] * fy + transform[2]) / k;
  const float to_y = (transform[3] * fx + transform[4] * fy + transform[5]) / k;
  return {Inside(to_x, fill, static_cast<float>(width)), Inside(to_y, fill, static_cast<float>(height)), true};
}

template <typename T>
void ShowNearest(const Image<T>& image, const Place& place, T* to) {
  const T* from = place.exists ? image.at(std::round(place.y), std::round(place.x)) : nullptr;
  if (from != nullptr) std::copy_n(from, image.channels, to);
  else std::fill_n(to, image.channels, image.outside);
}

template <typename T>
void ShowMixed(const Image<T>& image, const Place& place, float* to) {
  const float outside = static_cast<float>(image.outside);
  if (!place.exists) {
    std::fill_n(to, image.channels, outside);
    return;
  }
  const float top = std::floor(place.y), left = std::floor(place.x);
  const float bottom = top + 1, right = left + 1;
  const T* const pixels[2][2] = {{image.at(top, left), image.at(top, right)}, {image.at(bottom, left), image.at(bottom, right)}};
  for (int64_t channel = 0; channel < image.channels; ++channel) {
    const auto value = [&](const T* pixel) { return pixel != nullptr ? static_cast<float>(pixel[channel]) : outside; };
    const auto mixed = [&](int row) { return (right - place.x) * value(pixels[row][0]) + (place.x - left) * value(pixels[row][1]); };
    to[channel] = (bottom - place.y) * mixed(0) + (place.y - top) * mixed(1);
  }
}

// ---- The kernel

absl::Status CheckInputs(const KernelCall& c) {
  const Tensor &images = c.input(0), &transforms = c.input(1);
  if (images.rank() != 4) {
    return absl::InvalidArgumentError(absl::StrCat("images: expected 4 dimensions, got shape ", images.ShapeString()));
  }
  if (transforms.rank() != 2 || transforms.dim(1) != 8 || (transforms.dim(0) != images.dim(0) && transforms.dim(0) != 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("transforms: expected shape [", images.dim(0), ",8] or [1,8], got ", transforms.ShapeString()));
  }
  if (c.num_inputs() == 4 && !c.input(3).is_scalar()) {
    return absl::InvalidArgumentError(absl::StrCat("fill_value: expected a scalar, got shape ", c.input(3).ShapeString()));
  }
  return absl::OkStatus();
}

// [height, width], both positive.
absl::StatusOr<Dims> ReadOutputShape(const Tensor& t) {
  ASSIGN_OR_RETURN(const Dims size, ReadIntVector(t, "output_shape"));
  if (size.size() == 2 && size[0] > 0 && size[1] > 0) return size;
  return absl::InvalidArgumentError(absl::StrCat("output_shape: expected 2 values > 0, got ", DimsToString(size)));
}

template <typename T>
absl::Status Transform(KernelCall& c) {
  const auto& state = c.state<TransformState>();
  RETURN_IF_ERROR(CheckInputs(c));
  ASSIGN_OR_RETURN(const Dims size, ReadOutputShape(c.input(2)));
  const Tensor &images = c.input(0), &transforms = c.input(1);
  const int64_t height = images.dim(1), width = images.dim(2), channels = images.dim(3), rows = size[0], columns = size[1];
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, images.dtype(), {images.dim(0), rows, columns, channels}));
  if (output->num_elements() == 0) return absl::OkStatus();
  const CastPath from_float = FindCast(DType::kFloat32, kDTypeOf<T>, false);  // none for float32 itself
  T outside = T(0);
  if (c.num_inputs() == 4) {
    if constexpr (std::is_same_v<T, float>) outside = c.input(3).scalar<float>();
    else from_float.Run(c.input(3).raw_data(), &outside, 1);
  }
  T* const to = output->mutable_data<T>();
  const int64_t row_size = columns * channels;
  RunLoop(c, images.dim(0) * rows, 10.0 * static_cast<double>(row_size), [&](int64_t begin, int64_t end) {
    std::vector<float> mixed(state.bilinear && !std::is_same_v<T, float> ? row_size : 0);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t batch = i / rows, y = i % rows;
      const Image<T> image{images.data<T>() + batch * height * width * channels, height, width, channels, outside};
      const float* const transform = transforms.data<float>() + (transforms.dim(0) == 1 ? 0 : batch * 8);
      T* const row = to + i * row_size;
      for (int64_t x = 0; x < columns; ++x) {
        const Place place = PlaceOf(transform, x, y, state.fill, height, width);
        if (!state.bilinear) ShowNearest(image, place, row + x * channels);
        else if constexpr (std::is_same_v<T, float>) ShowMixed(image, place, row + x * channels);
        else ShowMixed(image, place, mixed.data() + x * channels);
      }
      if (!mixed.empty()) from_float.Run(mixed.data(), row, row_size);
    }
  });
  return absl::OkStatus();
}

absl::StatusOr<Kernel> TransformKernel(const NodeInfo& node) {
  auto state = std::make_shared<TransformState>();
  ASSIGN_OR_RETURN(const std::string interpolation, node.Str("interpolation"));
  ASSIGN_OR_RETURN(const std::string mode, node.Str("fill_mode"));
  state->bilinear = interpolation == "BILINEAR";
  if (!state->bilinear && interpolation != "NEAREST") {
    return absl::InvalidArgumentError(absl::StrCat("interpolation: expected NEAREST or BILINEAR, got '", interpolation, "'"));
  }
  if (mode == "REFLECT") state->fill = Fill::kReflect;
  else if (mode == "WRAP") state->fill = Fill::kWrap;
  else if (mode == "NEAREST") state->fill = Fill::kNearest;
  else if (mode != "CONSTANT") {
    return absl::InvalidArgumentError(absl::StrCat("fill_mode: expected CONSTANT, REFLECT, WRAP or NEAREST, got '", mode, "'"));
  }
  const KernelFn fn = DispatchDType<kImageTypes>(node.input_dtype(0), KernelFn{},
                                                 []<typename T>() -> KernelFn { return &RunKernel<Transform<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::move(state)};
}

absl::Status TransformShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape images, c.WithRank(0, 4));
  ASSIGN_OR_RETURN(const PartialShape transforms, c.WithRank(1, 2));
  RETURN_IF_ERROR(transforms.MergeWith(PartialShape::Of({-1, 8})).status());
  if (c.num_inputs() == 4) RETURN_IF_ERROR(c.ExpectScalar(3));
  ASSIGN_OR_RETURN(PartialShape size, c.InputAsShape(2));
  if (!size.has_rank()) size = PartialShape::UnknownOfRank(2);
  if (size.rank() != 2) return absl::InvalidArgumentError(absl::StrCat("output_shape: expected 2 values, got ", size.rank()));
  const bool known = images.has_rank();
  c.SetOutput(0, PartialShape::Of({known ? images.dim(0) : -1, size.dim(0), size.dim(1), known ? images.dim(3) : -1}));
  return absl::OkStatus();
}

// Gradients go the inverse way, seen as images themselves.
absl::Status TransformGrad(GradContext& c) {
  if (!c.needs(0)) return absl::OkStatus();
  const Output transforms = c.input(1);
  const Output ones = c.Op("OnesLike", {c.Op("Slice", {transforms, {0, 0}, {-1, 1}})});
  const Output matrices = c.Op("Reshape", {c.Op("ConcatV2", {transforms, ones, 1}), {-1, 3, 3}});
  const Output inverse = c.Op("Reshape", {c.Op("MatrixInverse", {matrices}), {-1, 9}});
  const Output scaled = c.Op("Slice", {inverse, {0, 0}, {-1, 8}}) / c.Op("Slice", {inverse, {0, 8}, {-1, 1}});
  const Output size = c.Op("Slice", {c.ShapeOfInput(0), {1}, {2}});
  c.Set(0, c.Op("ImageProjectiveTransformV2", {c.grad(), scaled, size}, c.CopyAttrs({"interpolation", "fill_mode"})));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterImageTransformOps(OpLibrary& library) {
  for (const char* op : {"ImageProjectiveTransformV2", "ImageProjectiveTransformV3"}) {
    RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature(op),
                                 .doc = "Images seen through projections",
                                 .shape = TransformShape,
                                 .kernel = TransformKernel,
                                 .dtypes = kImageTypes,
                                 .type_attr = "dtype",
                                 .gradient = TransformGrad}));
  }
  return absl::OkStatus();
}

}  // namespace flowlatch
