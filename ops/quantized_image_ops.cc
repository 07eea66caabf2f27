// Operations on batches of quantised images [batch, height, width, channels], which come with the ends of their range.
//   QuantizedConv2D: quint8 images, filter [height, width, channels, outputs] of quint8 or qint8 -> qint32. With a qint8
//     filter both ranges are taken to be about zero: integers are multiplied as they are.
//   QuantizedMaxPool, QuantizedAvgPool: quint8 and qint8; means are rounded to nearest, halves to even. The range stays.
//   QuantizedResizeBilinear: quint8 and qint32 (both in integers) and float32. The range stays.
#include "ops/quantized_image_ops.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/conv.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/pool.h"
#include "ops/kernels/quantized.h"
#include "ops/kernels/window.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

struct WindowState final : KernelState {
  WindowAttrs window;
  int64_t height = 1, width = 1;  // of a pool's window
};

// The window attributes of a node (NodeInfo or ShapeContext), whose images have channels last.
template <typename Node>
absl::StatusOr<WindowState> DecodeState(const Node& node) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> strides, node.Ints("strides"));
  ASSIGN_OR_RETURN(const std::string padding, node.Str("padding"));
  const bool has_dilations = node.schema().FindAttr("dilations") != nullptr;
  std::vector<int64_t> dilations{1, 1, 1, 1};
  if (has_dilations) {
    ASSIGN_OR_RETURN(dilations, node.Ints("dilations"));
  }
  WindowState state;
  ASSIGN_OR_RETURN(state.window, MakeWindowAttrs(strides, padding, {}, "NHWC", dilations));
  if (has_dilations) return state;
  ASSIGN_OR_RETURN(const std::vector<int64_t> ksize, node.Ints("ksize"));
  if (ksize.size() != 4) return absl::InvalidArgumentError(absl::StrCat("ksize: expected 4 values, got ", ksize.size()));
  if (ksize[0] != 1 || ksize[3] != 1) {
    return absl::UnimplementedError(absl::StrCat("ksize: expected 1 for batch and channels, got ", DimsToString(ksize)));
  }
  if (ksize[1] < 1 || ksize[2] < 1) {
    return absl::InvalidArgumentError(absl::StrCat("ksize: expected values above 0, got ", DimsToString(ksize)));
  }
  state.height = ksize[1];
  state.width = ksize[2];
  return state;
}

absl::Status CheckImages(absl::Span<const int64_t> dims, const char* what) {
  if (dims.size() == 4) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected 4 dimensions, got shape ", DimsToString(dims)));
}

// ---- Convolution

// Dimensions may be -1 (unknown), so that shape function and kernel judge alike.
absl::StatusOr<ConvShape> PlanConv(const WindowAttrs& window, absl::Span<const int64_t> input,
                                   absl::Span<const int64_t> filter) {
  RETURN_IF_ERROR(CheckImages(input, "input"));
  RETURN_IF_ERROR(CheckImages(filter, "filter"));
  if (filter[0] == 0 || filter[1] == 0 || filter[2] == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("filter: expected a window of at least one element, got shape ", DimsToString(filter)));
  }
  if (input[3] >= 0 && filter[2] >= 0 && input[3] != filter[2]) {
    return absl::InvalidArgumentError(
        absl::StrCat("filter: expected the input's ", input[3], " channels, got ", filter[2]));
  }
  ConvShape shape{.batch = input[0], .channels = input[3], .outputs = filter[3], .height = {}, .width = {}};
  ASSIGN_OR_RETURN(shape.height, MakeWindow(window, 0, input[1], filter[0]));
  ASSIGN_OR_RETURN(shape.width, MakeWindow(window, 1, input[2], filter[1]));
  return shape;
}

Dims OutputOf(const ConvShape& shape) { return {shape.batch, shape.height.output, shape.width.output, shape.outputs}; }

template <typename F>
absl::Status Conv(KernelCall& c) {
  const Tensor &input = c.input(0), &filter = c.input(1);
  ASSIGN_OR_RETURN(const ConvShape shape, PlanConv(c.state<WindowState>().window, input.dims(), filter.dims()));
  ASSIGN_OR_RETURN(const QuantizedRange input_range, ReadRange(c, 2, "input"));
  ASSIGN_OR_RETURN(const QuantizedRange filter_range, ReadRange(c, 4, "filter"));
  constexpr bool kSigned = std::is_same_v<F, QInt8>;
  ASSIGN_OR_RETURN(const Tensor images, ZeroBased<QUInt8>(input, kSigned ? 0 : ZeroOf<QUInt8>(input_range)));
  ASSIGN_OR_RETURN(const Tensor weights, ZeroBased<F>(filter, kSigned ? 0 : ZeroOf<F>(filter_range)));
  ASSIGN_OR_RETURN(Tensor output, Tensor::Make(DType::kInt32, OutputOf(shape)));
  if (output.num_elements() > 0) {
    RETURN_IF_ERROR(ConvForward<int32_t>(c, shape, images.data<int32_t>(), weights.data<int32_t>(),
                                         output.mutable_data<int32_t>()));
  }
  c.SetOutput(0, output.BitcastTo(DType::kQInt32, output.shape()));
  SetRange(c, 1, ProductRange<QUInt8, F>(input_range, filter_range));
  return absl::OkStatus();
}

// ---- Pooling

absl::StatusOr<PoolShape> PlanPool(const WindowState& state, absl::Span<const int64_t> input) {
  RETURN_IF_ERROR(CheckImages(input, "input"));
  PoolShape shape{.batch = input[0], .channels = input[3], .height = {}, .width = {}};
  ASSIGN_OR_RETURN(shape.height, MakeWindow(state.window, 0, input[1], state.height));
  ASSIGN_OR_RETURN(shape.width, MakeWindow(state.window, 1, input[2], state.width));
  return shape;
}

Dims OutputOf(const PoolShape& shape) { return {shape.batch, shape.height.output, shape.width.output, shape.channels}; }

// The rounded mean of each channel of each window.
template <typename T>
void AvgPoolIntegers(const KernelCall& c, const PoolShape& shape, const T* input, T* output) {
  const int64_t rows = shape.height.output;
  RunLoop(c, shape.batch * rows, shape.window_cost() * static_cast<double>(shape.width.output), [&](int64_t begin, int64_t end) {
    std::vector<int32_t> sums(shape.channels);
    for (int64_t r = begin; r < end; ++r) {
      const T* image = input + r / rows * shape.input_image();
      T* result = output + r / rows * shape.output_image();
      ForEachWindow(shape, r % rows, [&](int64_t p, int64_t base, const std::vector<int64_t>& offsets) {
        std::fill(sums.begin(), sums.end(), 0);
        for (const int64_t offset : offsets) {
          for (int64_t k = 0; k < shape.channels; ++k) sums[k] += image[base + offset + k];
        }
        const float count = static_cast<float>(std::max<size_t>(1, offsets.size()));
        for (int64_t k = 0; k < shape.channels; ++k) {
          result[p * shape.channels + k] = static_cast<T>(std::nearbyint(static_cast<float>(sums[k]) / count));
        }
      });
    }
  });
}

template <typename Q, bool kMax>
absl::Status Pool(KernelCall& c) {
  using T = StoredAs<Q>;
  ASSIGN_OR_RETURN(const PoolShape shape, PlanPool(c.state<WindowState>(), c.input(0).dims()));
  ASSIGN_OR_RETURN(const QuantizedRange range, ReadRange(c, 1, "input"));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, kDTypeOf<Q>, OutputOf(shape)));
  SetRange(c, 1, range);
  if (output->num_elements() == 0) return absl::OkStatus();
  const T* from = static_cast<const T*>(c.input(0).raw_data());
  T* to = static_cast<T*>(output->raw_mutable_data());
  if constexpr (kMax) MaxPool<T>(c, shape, from, to);
  else AvgPoolIntegers<T>(c, shape, from, to);
  return absl::OkStatus();
}

// ---- Resizing

struct ResizeState final : KernelState {
  bool align_corners = false, half_pixel_centers = false;
};

// Where an output row or column is between two of the input.
struct Place {
  int64_t low, high;
  float part;  // of the way from low to high
};

std::vector<Place> PlacesOf(const ResizeState& state, int64_t from, int64_t to) {
  const float scale = state.align_corners && to > 1 ? static_cast<float>(from - 1) / static_cast<float>(to - 1)
                                                    : static_cast<float>(from) / static_cast<float>(to);
  std::vector<Place> places(to);
  for (int64_t i = 0; i < to; ++i) {
    const float at = state.half_pixel_centers ? (static_cast<float>(i) + 0.5f) * scale - 0.5f : static_cast<float>(i) * scale;
    const float floor = std::floor(at);
    places[i] = {.low = std::clamp<int64_t>(static_cast<int64_t>(floor), 0, from - 1),
                 .high = std::clamp<int64_t>(static_cast<int64_t>(std::ceil(at)), 0, from - 1),
                 .part = at - floor};
  }
  return places;
}

// Four neighbours and how far a place is from the first of them.
template <typename T>
struct Corners {
  T top_left, top_right, bottom_left, bottom_right;
  float x, y;
};

float Between(const Corners<float>& c) {
  const float top = c.top_left + (c.top_right - c.top_left) * c.x;
  const float bottom = c.bottom_left + (c.bottom_right - c.bottom_left) * c.x;
  return top + (bottom - top) * c.y;
}

// In integers with kBits fractional bits.
template <int kBits, typename Wide>
Wide BetweenIntegers(const Corners<Wide>& c) {
  constexpr Wide kOne = Wide{1} << kBits;
  const Wide x = static_cast<Wide>(c.x * static_cast<float>(kOne)), y = static_cast<Wide>(c.y * static_cast<float>(kOne));
  const Wide top = c.top_left * kOne + (c.top_right - c.top_left) * x;
  const Wide bottom = c.bottom_left * kOne + (c.bottom_right - c.bottom_left) * x;
  return (top + (bottom - top) / kOne * y + kOne / 2) / kOne;
}

QUInt8 Blend(const Corners<QUInt8>& c) {
  return {static_cast<uint8_t>(BetweenIntegers<7, int32_t>(
      {c.top_left.value, c.top_right.value, c.bottom_left.value, c.bottom_right.value, c.x, c.y}))};
}
// Corners are rounded to float first.
QInt32 Blend(const Corners<QInt32>& c) {
  const auto rounded = [](QInt32 q) { return static_cast<int64_t>(static_cast<float>(q.value)); };
  return {static_cast<int32_t>(BetweenIntegers<30, int64_t>(
      {rounded(c.top_left), rounded(c.top_right), rounded(c.bottom_left), rounded(c.bottom_right), c.x, c.y}))};
}
float Blend(const Corners<float>& c) { return Between(c); }

template <typename T>
absl::Status Resize(KernelCall& c) {
  const Tensor& images = c.input(0);
  RETURN_IF_ERROR(CheckImages(images.dims(), "images"));
  ASSIGN_OR_RETURN(const Dims size, ReadIntVector(c.input(1), "size"));
  if (size.size() != 2 || size[0] < 1 || size[1] < 1) {
    return absl::InvalidArgumentError(absl::StrCat("size: expected two positive values, got ", DimsToString(size)));
  }
  const int64_t height = images.dim(1), width = images.dim(2), channels = images.dim(3);
  if (height < 1 || width < 1) {
    return absl::InvalidArgumentError(absl::StrCat("images: expected rows and columns, got shape ", images.ShapeString()));
  }
  ASSIGN_OR_RETURN(const QuantizedRange range, ReadRange(c, 2, "images"));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, kDTypeOf<T>, {images.dim(0), size[0], size[1], channels}));
  SetRange(c, 1, range);
  if (output->num_elements() == 0) return absl::OkStatus();
  const ResizeState& state = c.state<ResizeState>();
  const std::vector<Place> rows = PlacesOf(state, height, size[0]), columns = PlacesOf(state, width, size[1]);
  const T* from = images.data<T>();
  T* to = output->mutable_data<T>();
  const double cost = 5.0 * static_cast<double>(size[1]) * static_cast<double>(channels);
  RunLoop(c, images.dim(0) * size[0], cost, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const T* image = from + r / size[0] * height * width * channels;
      const Place& y = rows[r % size[0]];
      T* result = to + r * size[1] * channels;
      const auto pixel = [&](int64_t row, int64_t column) { return image + (row * width + column) * channels; };
      for (const Place& x : columns) {
        const T *top_left = pixel(y.low, x.low), *top_right = pixel(y.low, x.high);
        const T *bottom_left = pixel(y.high, x.low), *bottom_right = pixel(y.high, x.high);
        for (int64_t k = 0; k < channels; ++k) {
          *result++ = Blend(Corners<T>{top_left[k], top_right[k], bottom_left[k], bottom_right[k], x.part, y.part});
        }
      }
    }
  });
  return absl::OkStatus();
}

// ---- Choice of kernels

absl::StatusOr<Kernel> ConvKernel(const NodeInfo& node) {
  if (node.input_dtype(0) != DType::kQUInt8) return NoKernelFor(node, node.input_dtype(0));
  if (node.output_dtype(0) != DType::kQInt32) return NoKernelFor(node, node.output_dtype(0));
  ASSIGN_OR_RETURN(const WindowState state, DecodeState(node));
  const DType filter = node.input_dtype(1);
  if (filter != DType::kQUInt8 && filter != DType::kQInt8) return NoKernelFor(node, filter);
  return Kernel{.fn = filter == DType::kQUInt8 ? &RunKernel<Conv<QUInt8>> : &RunKernel<Conv<QInt8>>,
                .state = std::make_shared<WindowState>(state)};
}

template <bool kMax>
absl::StatusOr<Kernel> PoolKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const WindowState state, DecodeState(node));
  const DType dtype = node.input_dtype(0);
  if (dtype != DType::kQUInt8 && dtype != DType::kQInt8) return NoKernelFor(node, dtype);
  return Kernel{.fn = dtype == DType::kQUInt8 ? &RunKernel<Pool<QUInt8, kMax>> : &RunKernel<Pool<QInt8, kMax>>,
                .state = std::make_shared<WindowState>(state)};
}

absl::StatusOr<Kernel> ResizeKernel(const NodeInfo& node) {
  constexpr DTypeSet kTypes{DType::kQUInt8, DType::kQInt32, DType::kFloat32};
  auto state = std::make_shared<ResizeState>();
  ASSIGN_OR_RETURN(state->align_corners, node.Bool("align_corners"));
  ASSIGN_OR_RETURN(state->half_pixel_centers, node.Bool("half_pixel_centers"));
  const KernelFn fn = DispatchDType<kTypes>(node.input_dtype(0), KernelFn{},
                                            []<typename T>() -> KernelFn { return &RunKernel<Resize<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::move(state)};
}

// ---- Schemas

absl::Status ConvOutputShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const WindowState state, DecodeState(c));
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  ASSIGN_OR_RETURN(const PartialShape filter, c.WithRank(1, 4));
  RETURN_IF_ERROR(ExpectRanges(c, 2));
  ASSIGN_OR_RETURN(const ConvShape shape, PlanConv(state.window, input.dims(), filter.dims()));
  ASSIGN_OR_RETURN(PartialShape output, PartialShape::Make(OutputOf(shape)));
  c.SetOutput(0, std::move(output));
  return SetRangeShapes(c);
}

absl::Status PoolOutputShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const WindowState state, DecodeState(c));
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  RETURN_IF_ERROR(ExpectRanges(c, 1));
  ASSIGN_OR_RETURN(const PoolShape shape, PlanPool(state, input.dims()));
  ASSIGN_OR_RETURN(PartialShape output, PartialShape::Make(OutputOf(shape)));
  c.SetOutput(0, std::move(output));
  return SetRangeShapes(c);
}

absl::Status ResizeShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape images, c.WithRank(0, 4));
  RETURN_IF_ERROR(c.ExpectVector(1));
  RETURN_IF_ERROR(ExpectRanges(c, 2));
  ASSIGN_OR_RETURN(const std::optional<Dims> size, c.ConstantInts(1));
  if (size.has_value() && (size->size() != 2 || (*size)[0] < 1 || (*size)[1] < 1)) {
    return absl::InvalidArgumentError(absl::StrCat("size: expected two positive values, got ", DimsToString(*size)));
  }
  c.SetOutput(0, PartialShape::Of({images.dim(0), size ? (*size)[0] : -1, size ? (*size)[1] : -1, images.dim(3)}));
  return SetRangeShapes(c);
}

}  // namespace

absl::Status RegisterQuantizedImageOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = TensorFlowSignature("QuantizedConv2D"),
      .doc = "Slides a filter over images, both of integers that stand for ranges",
      .shape = ConvOutputShape,
      .kernel = ConvKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = TensorFlowSignature("QuantizedMaxPool"),
      .doc = "The largest integer of each window of images",
      .shape = PoolOutputShape,
      .kernel = PoolKernel<true>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = TensorFlowSignature("QuantizedAvgPool"),
      .doc = "The mean integer of each window of images",
      .shape = PoolOutputShape,
      .kernel = PoolKernel<false>,
  }));
  return library.Add({
      .signature = TensorFlowSignature("QuantizedResizeBilinear"),
      .doc = "Images of integers that stand for a range, brought to another size",
      .shape = ResizeShape,
      .kernel = ResizeKernel,
  });
}

}  // namespace flowlatch
