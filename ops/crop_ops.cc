// Boxes cut out of images and resized.
//   CropAndResize: image [batch, height, width, depth], boxes [n, 4] (y1, x1, y2, x2 in parts of the image; may be flipped),
//     box_ind [n] (the image of each box), crop_size [2] -> float crops [n, crop_size.., depth]. Places outside the image
//     have extrapolation_value; others are interpolated (bilinear) or the nearest pixel's.
//   CropAndResizeGradImage: gradients of crops, boxes, box_ind, image_size [4] -> the gradient of the image
//   CropAndResizeGradBoxes: gradients of crops, image, boxes, box_ind -> the gradient of the boxes, of bilinear crops
#include "ops/crop_ops.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
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

constexpr DTypeSet kImageTypes{DType::kUInt8, DType::kUInt16,  DType::kInt8,    DType::kInt16,  DType::kInt32,
                               DType::kInt64, DType::kFloat16, DType::kFloat32, DType::kFloat64};
constexpr DTypeSet kGradTypes{DType::kFloat16, DType::kFloat32, DType::kFloat64};

struct CropState final : KernelState {
  bool nearest = false;
  float outside = 0;
};

// ---- Inputs

absl::Status CheckImages(absl::Span<const int64_t> dims, const char* what) {
  if (dims.size() == 4 && dims[1] > 0 && dims[2] > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": expected 4 dimensions, with rows and columns, got shape ", DimsToString(dims)));
}

absl::Status CheckBoxes(const Tensor& boxes, const Tensor& box_ind, int64_t batch) {
  if (boxes.rank() != 2 || boxes.dim(1) != 4) {
    return absl::InvalidArgumentError(absl::StrCat("boxes: expected shape [?,4], got ", boxes.ShapeString()));
  }
  const int64_t n = boxes.dim(0);
  if (box_ind.rank() != 1 || box_ind.dim(0) != n) {
    return absl::InvalidArgumentError(absl::StrCat("box_ind: expected shape [", n, "], got ", box_ind.ShapeString()));
  }
  const int32_t* index = box_ind.data<int32_t>();
  for (int64_t i = 0; i < n; ++i) {
    if (index[i] >= 0 && index[i] < batch) continue;
    return absl::OutOfRangeError(IndexOutOfRange("box_ind", i, box_ind.dims(), batch, index[i]).message());
  }
  const float* box = boxes.data<float>();
  for (int64_t i = 0; i < 4 * n; ++i) {
    if (std::isfinite(box[i])) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("boxes", ElementName(i, boxes.dims()), ": expected a finite number, got ", box[i]));
  }
  return absl::OkStatus();
}

// ---- Places of crops in images

// One axis of one box: `size` pixels of the image, of which those from `from` to `to` become `count`.
struct Axis {
  // Where pixel i of the crop is in the image; nullopt outside of it.
  std::optional<float> Position(int64_t i) const {
    const float last = static_cast<float>(size - 1);
    const float at = count > 1 ? from * last + static_cast<float>(i) * ((to - from) * last / static_cast<float>(count - 1))
                               : 0.5f * (from + to) * last;
    if (!(at >= 0 && at <= last)) return std::nullopt;
    return at;
  }
  // The derivative of Position(i) by `to` (and the rest of it by `from`).
  float BySecondCorner(int64_t i) const {
    const float last = static_cast<float>(size - 1);
    return count > 1 ? static_cast<float>(i) * (last / static_cast<float>(count - 1)) : 0.5f * last;
  }
  float ByFirstCorner(int64_t i) const {
    return count > 1 ? static_cast<float>(size - 1) - BySecondCorner(i) : BySecondCorner(i);
  }
  float from, to;
  int64_t size, count;
};

// The pixels on both sides of a place, and how far it is from the first one.
struct Sides {
  explicit Sides(float at)
      : low(static_cast<int64_t>(std::floor(at))), high(static_cast<int64_t>(std::ceil(at))),
        part(at - std::floor(at)) {}
  int64_t low, high;
  float part;
};

int64_t Nearest(float at) { return static_cast<int64_t>(std::round(at)); }

// Calls visit(pixel of the crops, y, x, place in the box) for the places of box i that are in the image, and outside(pixel)
// for the others.
struct Place {
  int64_t row, column;  // of the crop
  float y, x;           // in the image
};
template <typename Visit, typename Outside>
void ForEachPlace(const Axis& rows, const Axis& columns, const Visit& visit, const Outside& outside) {
  for (int64_t row = 0; row < rows.count; ++row) {
    const std::optional<float> y = rows.Position(row);
    for (int64_t column = 0; column < columns.count; ++column) {
      const std::optional<float> x = columns.Position(column);
      if (y.has_value() && x.has_value()) visit(Place{row, column, *y, *x});
      else outside(row, column);
    }
  }
}

// ---- Kernels

template <typename T>
absl::Status CropAndResize(KernelCall& c) {
  const CropState& state = c.state<CropState>();
  const Tensor &image = c.input(0), &boxes = c.input(1), &box_ind = c.input(2);
  RETURN_IF_ERROR(CheckImages(image.dims(), "image"));
  RETURN_IF_ERROR(CheckBoxes(boxes, box_ind, image.dim(0)));
  ASSIGN_OR_RETURN(const Dims size, ReadIntVector(c.input(3), "crop_size"));
  if (size.size() != 2 || size[0] < 1 || size[1] < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("crop_size: expected two positive values, got ", DimsToString(size)));
  }
  const int64_t height = image.dim(1), width = image.dim(2), depth = image.dim(3);
  ASSIGN_OR_RETURN(Tensor * crops, c.AllocateOutput(0, DType::kFloat32, {boxes.dim(0), size[0], size[1], depth}));
  if (crops->num_elements() == 0) return absl::OkStatus();
  const float* box = boxes.data<float>();
  const int32_t* index = box_ind.data<int32_t>();
  float* to = crops->mutable_data<float>();
  const double cost = 5.0 * static_cast<double>(size[0]) * static_cast<double>(size[1]) * static_cast<double>(depth);
  RunLoop(c, boxes.dim(0), cost, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float* b = box + 4 * i;
      const T* from = image.data<T>() + index[i] * height * width * depth;
      const auto crop = [&](int64_t row, int64_t column) { return to + ((i * size[0] + row) * size[1] + column) * depth; };
      const auto pixel = [&](int64_t y, int64_t x) { return from + (y * width + x) * depth; };
      ForEachPlace(
          Axis{b[0], b[2], height, size[0]}, Axis{b[1], b[3], width, size[1]},
          [&](const Place& p) {
            float* result = crop(p.row, p.column);
            if (state.nearest) {
              const T* nearest = pixel(Nearest(p.y), Nearest(p.x));
              for (int64_t k = 0; k < depth; ++k) result[k] = static_cast<float>(nearest[k]);
              return;
            }
            const Sides y(p.y), x(p.x);
            const T *top_left = pixel(y.low, x.low), *top_right = pixel(y.low, x.high);
            const T *bottom_left = pixel(y.high, x.low), *bottom_right = pixel(y.high, x.high);
            const auto between = [](float first, float second, float part) { return first + (second - first) * part; };
            for (int64_t k = 0; k < depth; ++k) {
              result[k] = between(
                  between(static_cast<float>(top_left[k]), static_cast<float>(top_right[k]), x.part),
                  between(static_cast<float>(bottom_left[k]), static_cast<float>(bottom_right[k]), x.part), y.part);
            }
          },
          [&](int64_t row, int64_t column) { std::fill_n(crop(row, column), depth, state.outside); });
    }
  });
  return absl::OkStatus();
}

// One box after the other: several may give to the same pixels.
template <typename T>
absl::Status CropGradImage(KernelCall& c) {
  const Tensor &grads = c.input(0), &boxes = c.input(1), &box_ind = c.input(2);
  RETURN_IF_ERROR(CheckImages(grads.dims(), "grads"));
  ASSIGN_OR_RETURN(const Dims size, ReadIntVector(c.input(3), "image_size"));
  RETURN_IF_ERROR(CheckImages(size, "image_size"));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(size));
  RETURN_IF_ERROR(CheckBoxes(boxes, box_ind, size[0]));
  if (grads.dim(0) != boxes.dim(0) || grads.dim(3) != size[3]) {
    return absl::InvalidArgumentError(absl::StrCat("grads: expected ", boxes.dim(0), " crops of ", size[3],
                                                   " channels, got shape ", grads.ShapeString()));
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, kDTypeOf<T>, shape));
  const int64_t depth = size[3];
  T* to = output->mutable_data<T>();
  std::fill_n(to, output->num_elements(), static_cast<T>(0.0f));
  if (grads.num_elements() == 0 || output->num_elements() == 0) return absl::OkStatus();
  const bool nearest = c.state<CropState>().nearest;
  const int32_t* index = box_ind.data<int32_t>();
  for (int64_t i = 0; i < boxes.dim(0); ++i) {
    const float* b = boxes.data<float>() + 4 * i;
    const Axis rows{b[0], b[2], size[1], grads.dim(1)}, columns{b[1], b[3], size[2], grads.dim(2)};
    ForEachPlace(
        rows, columns,
        [&](const Place& p) {
          const float* grad = grads.data<float>() + ((i * rows.count + p.row) * columns.count + p.column) * depth;
          const auto add = [&](int64_t y, int64_t x, float weight) {
            T* pixel = to + ((index[i] * size[1] + y) * size[2] + x) * depth;
            for (int64_t k = 0; k < depth; ++k) pixel[k] = static_cast<T>(pixel[k] + static_cast<T>(weight * grad[k]));
          };
          if (nearest) return add(Nearest(p.y), Nearest(p.x), 1);
          const Sides y(p.y), x(p.x);
          add(y.low, x.low, (1 - y.part) * (1 - x.part));
          add(y.low, x.high, (1 - y.part) * x.part);
          add(y.high, x.low, y.part * (1 - x.part));
          add(y.high, x.high, y.part * x.part);
        },
        [](int64_t, int64_t) {});
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status CropGradBoxes(KernelCall& c) {
  const Tensor &grads = c.input(0), &image = c.input(1), &boxes = c.input(2), &box_ind = c.input(3);
  RETURN_IF_ERROR(CheckImages(grads.dims(), "grads"));
  RETURN_IF_ERROR(CheckImages(image.dims(), "image"));
  RETURN_IF_ERROR(CheckBoxes(boxes, box_ind, image.dim(0)));
  const int64_t height = image.dim(1), width = image.dim(2), depth = image.dim(3);
  if (grads.dim(0) != boxes.dim(0) || grads.dim(3) != depth) {
    return absl::InvalidArgumentError(absl::StrCat("grads: expected ", boxes.dim(0), " crops of ", depth,
                                                   " channels, got shape ", grads.ShapeString()));
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kFloat32, boxes.shape()));
  float* to = output->mutable_data<float>();
  std::fill_n(to, output->num_elements(), 0.0f);
  if (grads.num_elements() == 0) return absl::OkStatus();
  const int32_t* index = box_ind.data<int32_t>();
  RunLoop(c, boxes.dim(0), 10.0 * static_cast<double>(grads.num_elements() / boxes.dim(0)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float* b = boxes.data<float>() + 4 * i;
      const Axis rows{b[0], b[2], height, grads.dim(1)}, columns{b[1], b[3], width, grads.dim(2)};
      const T* from = image.data<T>() + index[i] * height * width * depth;
      ForEachPlace(
          rows, columns,
          [&](const Place& p) {
            const float* grad = grads.data<float>() + ((i * rows.count + p.row) * columns.count + p.column) * depth;
            const Sides y(p.y), x(p.x);
            const auto pixel = [&](int64_t row, int64_t column, int64_t k) {
              return static_cast<float>(from[(row * width + column) * depth + k]);
            };
            float by_y = 0, by_x = 0;
            for (int64_t k = 0; k < depth; ++k) {
              const float top_left = pixel(y.low, x.low, k), top_right = pixel(y.low, x.high, k);
              const float bottom_left = pixel(y.high, x.low, k), bottom_right = pixel(y.high, x.high, k);
              by_y += grad[k] * ((1 - x.part) * (bottom_left - top_left) + x.part * (bottom_right - top_right));
              by_x += grad[k] * ((1 - y.part) * (top_right - top_left) + y.part * (bottom_right - bottom_left));
            }
            to[4 * i] += by_y * rows.ByFirstCorner(p.row);
            to[4 * i + 1] += by_x * columns.ByFirstCorner(p.column);
            to[4 * i + 2] += by_y * rows.BySecondCorner(p.row);
            to[4 * i + 3] += by_x * columns.BySecondCorner(p.column);
          },
          [](int64_t, int64_t) {});
    }
  });
  return absl::OkStatus();
}

template <DTypeSet kTypes, typename Choose>
KernelFactory CropKernel(Choose choose) {
  return [choose](const NodeInfo& node) -> absl::StatusOr<Kernel> {
    ASSIGN_OR_RETURN(const DType dtype, node.Type("T"));
    const KernelFn fn = DispatchDType<kTypes>(dtype, KernelFn{}, choose);
    if (fn == nullptr) return NoKernelFor(node, dtype);
    auto state = std::make_shared<CropState>();
    ASSIGN_OR_RETURN(const std::string method, node.Str("method"));
    state->nearest = method == "nearest";
    if (node.schema().name() == "CropAndResize") {
      ASSIGN_OR_RETURN(state->outside, node.Float("extrapolation_value"));
    }
    return Kernel{.fn = fn, .state = std::move(state)};
  };
}

// ---- Schemas and gradients

// The boxes' shape, [n, 4], where they are input i and their images input i + 1.
absl::StatusOr<PartialShape> BoxesShape(ShapeContext& c, int i) {
  ASSIGN_OR_RETURN(const PartialShape box_ind, c.WithRank(i + 1, 1));
  return PartialShape::Of({box_ind.dim(0), 4}).MergeWith(c.input(i));
}

absl::Status CropShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape image, c.WithRank(0, 4));
  ASSIGN_OR_RETURN(const PartialShape boxes, BoxesShape(c, 1));
  RETURN_IF_ERROR(c.ExpectVector(3));
  ASSIGN_OR_RETURN(const std::optional<Dims> size, c.ConstantInts(3));
  if (size.has_value() && (size->size() != 2 || (*size)[0] < 1 || (*size)[1] < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("crop_size: expected two positive values, got ", DimsToString(*size)));
  }
  c.SetOutput(0, PartialShape::Of({boxes.dim(0), size ? (*size)[0] : -1, size ? (*size)[1] : -1, image.dim(3)}));
  return absl::OkStatus();
}

absl::Status GradImageShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape size, c.InputAsShape(3));
  ASSIGN_OR_RETURN(PartialShape image, size.MergeWith(PartialShape::UnknownOfRank(4)));
  c.SetOutput(0, std::move(image));
  return absl::OkStatus();
}

absl::Status GradBoxesShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape boxes, BoxesShape(c, 2));
  c.SetOutput(0, std::move(boxes));
  return absl::OkStatus();
}

absl::Status CropGrad(GradContext& c) {
  const DType dtype = c.input_dtype(0);
  if (c.needs(0) && kGradTypes.contains(dtype)) {
    c.Set(0, c.Op("CropAndResizeGradImage", {c.grad(), c.input(1), c.input(2), c.ShapeOfInput(0)},
                  {{"T", dtype}, {"method", c.Str("method")}}));
  }
  if (c.needs(1)) c.Set(1, c.Op("CropAndResizeGradBoxes", {c.grad(), c.input(0), c.input(1), c.input(2)}));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterCropOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = TensorFlowSignature("CropAndResize"),
      .doc = "Boxes cut out of images and brought to one size",
      .shape = CropShape,
      .kernel = CropKernel<kImageTypes>([]<typename T>() -> KernelFn { return &RunKernel<CropAndResize<T>>; }),
      .dtypes = kImageTypes,
      .gradient = CropGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = TensorFlowSignature("CropAndResizeGradImage"),
      .doc = "The gradient of the images that were cropped",
      .shape = GradImageShape,
      .kernel = CropKernel<kGradTypes>([]<typename T>() -> KernelFn { return &RunKernel<CropGradImage<T>>; }),
      .dtypes = kGradTypes,
  }));
  return library.Add({
      .signature = TensorFlowSignature("CropAndResizeGradBoxes"),
      .doc = "The gradient of the boxes that were cropped",
      .shape = GradBoxesShape,
      .kernel = CropKernel<kImageTypes>([]<typename T>() -> KernelFn { return &RunKernel<CropGradBoxes<T>>; }),
      .dtypes = kImageTypes,
  });
}

}  // namespace flowlatch
