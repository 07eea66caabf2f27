// Convolution and pooling of volumes: windows that slide over three dimensions.
//   Conv3D: input [batch, depth, height, width, channels] (NDHWC) or [batch, channels, depth, height, width] (NCDHW),
//     filter [depth, height, width, channels / groups, outputs] -> [batch, .., outputs]
//   Conv3DBackpropInputV2, Conv3DBackpropFilterV2: gradients of Conv3D's input and filter
//   AvgPool3D, MaxPool3D: the mean or the largest element of each window; what lies outside does not count
//   AvgPool3DGrad: shape of the input, gradients of the output -> gradients of the input
//   MaxPool3DGrad: input, output, gradients of the output -> gradients of the input; the first largest element of a
//   window gets all MaxPool3DGradGrad: input, output, gradients of MaxPool3DGrad's output -> gradients of its gradients
// Padding SAME or VALID. half and bfloat16 are computed in float. All are sums over pairs of an output and an input
// position.
#include "ops/volume_ops.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/window.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr int kRank = 5;

// ---- Geometry

class VolumeState final : public KernelState {
 public:
  bool channels_first = false;
  bool same = false;
  std::array<int64_t, 3> strides{1, 1, 1}, dilations{1, 1, 1}, ksize{1, 1, 1};

  int channel_dim() const { return channels_first ? 1 : 4; }
  int spatial_dim(int i) const { return (channels_first ? 2 : 1) + i; }
};

template <typename Node>
absl::StatusOr<std::array<int64_t, 3>> SpatialAttr(const Node& node, const VolumeState& state, const char* name) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  ASSIGN_OR_RETURN(const std::vector<int64_t> list, node.Ints(name));
  if (list.size() != kRank)
    return absl::InvalidArgumentError(absl::StrCat(name, ": expected 5 values, got ", list.size()));
  for (const int64_t v : list) {
    if (v < 1 || v > kMax) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": expected values in [1,", kMax, "], got ", DimsToString(list)));
    }
  }
  if (list[0] != 1 || list[state.channel_dim()] != 1) {
    return absl::UnimplementedError(
        absl::StrCat(name, ": expected 1 for batch and channels, got ", DimsToString(list)));
  }
  return std::array<int64_t, 3>{list[state.spatial_dim(0)], list[state.spatial_dim(1)], list[state.spatial_dim(2)]};
}

// Node: NodeInfo or ShapeContext.
template <typename Node>
absl::StatusOr<VolumeState> DecodeState(const Node& node) {
  VolumeState state;
  ASSIGN_OR_RETURN(const std::string format, node.Str("data_format"));
  ASSIGN_OR_RETURN(const std::string padding, node.Str("padding"));
  state.channels_first = format == "NCDHW";
  state.same = padding == "SAME";
  ASSIGN_OR_RETURN(state.strides, SpatialAttr(node, state, "strides"));
  if (node.schema().FindAttr("dilations") != nullptr) {
    ASSIGN_OR_RETURN(state.dilations, SpatialAttr(node, state, "dilations"));
  }
  if (node.schema().FindAttr("ksize") != nullptr) {
    ASSIGN_OR_RETURN(state.ksize, SpatialAttr(node, state, "ksize"));
  }
  return state;
}

// Input and output volumes with the windows between them; dimensions are -1 where unknown.
struct Volumes {
  int64_t batch = -1, channels = -1, outputs = -1;
  std::array<Window, 3> windows;
  bool channels_first = false;

  Dims Arrange(int64_t last, const std::array<int64_t, 3>& space) const {
    return channels_first ? Dims{batch, last, space[0], space[1], space[2]}
                          : Dims{batch, space[0], space[1], space[2], last};
  }
  Dims InputDims() const { return Arrange(channels, {windows[0].input, windows[1].input, windows[2].input}); }
  Dims OutputDims() const { return Arrange(outputs, {windows[0].output, windows[1].output, windows[2].output}); }
};

absl::Status CheckRank(absl::Span<const int64_t> dims, const char* what) {
  if (dims.size() == kRank) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected 5 dimensions, got shape ", DimsToString(dims)));
}

// `sizes`: of the window, -1 where unknown.
absl::StatusOr<Volumes> PlanWindows(const VolumeState& state, absl::Span<const int64_t> input,
                                    const std::array<int64_t, 3>& sizes) {
  RETURN_IF_ERROR(CheckRank(input, "input"));
  Volumes v{.batch = input[0],
            .channels = input[state.channel_dim()],
            .outputs = input[state.channel_dim()],
            .windows = {},
            .channels_first = state.channels_first};
  for (int i = 0; i < 3; ++i) {
    WindowAttrs attrs{.padding = state.same ? Padding::kSame : Padding::kValid};
    attrs.strides[0] = state.strides[i];
    attrs.dilations[0] = state.dilations[i];
    ASSIGN_OR_RETURN(v.windows[i], MakeWindow(attrs, 0, input[state.spatial_dim(i)], sizes[i]));
  }
  return v;
}

absl::StatusOr<Volumes> PlanConv(const VolumeState& state, absl::Span<const int64_t> input,
                                 absl::Span<const int64_t> filter) {
  RETURN_IF_ERROR(CheckRank(filter, "filter"));
  if (filter[0] == 0 || filter[1] == 0 || filter[2] == 0 || filter[3] == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("filter: expected a window of at least one element, got shape ", DimsToString(filter)));
  }
  ASSIGN_OR_RETURN(Volumes v, PlanWindows(state, input, {filter[0], filter[1], filter[2]}));
  v.outputs = filter[4];
  if (v.channels < 0 || filter[3] < 0) return v;
  const int64_t groups = v.channels / filter[3];
  if (v.channels == 0 || v.channels % filter[3] != 0 || (v.outputs >= 0 && v.outputs % groups != 0)) {
    return absl::InvalidArgumentError(absl::StrCat("filter: expected channels that divide the input's ", v.channels,
                                                   " and outputs for each group of them, got shape ",
                                                   DimsToString(filter)));
  }
  return v;
}

absl::Status ExpectShape(const Tensor& t, absl::Span<const int64_t> want, const char* what) {
  if (t.dims() == want) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": expected shape ", DimsToString(want), ", got ", t.ShapeString()));
}

// Elements of a volume by position, whatever the order of its dimensions.
struct Layout {
  int64_t batch_stride, channel_stride;
  std::array<int64_t, 3> strides;

  Layout(const Volumes& v, int64_t channels, const std::array<int64_t, 3>& space) {
    const int64_t places = space[0] * space[1] * space[2];
    const int64_t inner = v.channels_first ? 1 : channels;
    channel_stride = v.channels_first ? places : 1;
    batch_stride = places * channels;
    strides = {space[1] * space[2] * inner, space[2] * inner, inner};
  }
  static Layout OfInput(const Volumes& v) {
    return Layout(v, v.channels, {v.windows[0].input, v.windows[1].input, v.windows[2].input});
  }
  static Layout OfOutput(const Volumes& v) {
    return Layout(v, v.outputs, {v.windows[0].output, v.windows[1].output, v.windows[2].output});
  }
  int64_t At(const std::array<int64_t, 3>& p) const {
    return p[0] * strides[0] + p[1] * strides[1] + p[2] * strides[2];
  }
};

using Position = std::array<int64_t, 3>;

// Calls body(output position, window position, input position) for the windows of all outputs; positions outside of the
// input are left out. begin(output position) comes before a window, end(output position) after.
template <typename Begin, typename Body, typename End>
void ForEachWindow(const std::array<Window, 3>& w, const Begin& begin, const Body& body, const End& end) {
  Position o, first, last;  // of an output, and its window's elements that are inside of the input
  const auto enter = [&](int d) {
    const int64_t start = o[d] * w[d].stride - w[d].pad_before;
    first[d] = start < 0 ? (-start + w[d].dilation - 1) / w[d].dilation : 0;
    last[d] = start < w[d].input ? std::min(w[d].size, (w[d].input - 1 - start) / w[d].dilation + 1) : 0;
  };
  const auto window = [&] {
    Position k, p;
    const auto place = [&](int d) { p[d] = o[d] * w[d].stride - w[d].pad_before + k[d] * w[d].dilation; };
    for (k[0] = first[0]; k[0] < last[0]; ++k[0]) {
      place(0);
      for (k[1] = first[1]; k[1] < last[1]; ++k[1]) {
        place(1);
        for (k[2] = first[2]; k[2] < last[2]; ++k[2]) {
          place(2);
          body(o, k, p);
        }
      }
    }
  };
  for (o[0] = 0; o[0] < w[0].output; ++o[0]) {
    enter(0);
    for (o[1] = 0; o[1] < w[1].output; ++o[1]) {
      enter(1);
      for (o[2] = 0; o[2] < w[2].output; ++o[2]) {
        enter(2);
        begin(o);
        window();
        end(o);
      }
    }
  }
}

template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

double WindowCost(const Volumes& v) {
  double cost = 1;
  for (const Window& w : v.windows)
    cost *= static_cast<double>(w.output) * static_cast<double>(std::min(w.size, w.input));
  return cost;
}

// ---- Conv3D

enum class Role { kForward, kInput, kFilter };

// Each element of the filter joins an input and an output position; what is unknown of the three is summed from the
// other two. Images, or for the filter its output channels, are divided among threads.
template <Role kRole, typename T>
absl::Status Conv(KernelCall& c) {
  using W = Wide<T>;
  const VolumeState& state = c.state<VolumeState>();
  // The shape of the input or filter where it is only given as sizes.
  Dims input_dims, filter_dims;
  if constexpr (kRole == Role::kInput) {
    ASSIGN_OR_RETURN(input_dims, ReadIntVector(c.input(0), "input_sizes"));
  } else {
    input_dims.assign(c.input(0).dims().begin(), c.input(0).dims().end());
  }
  if constexpr (kRole == Role::kFilter) {
    ASSIGN_OR_RETURN(filter_dims, ReadIntVector(c.input(1), "filter_sizes"));
  } else {
    filter_dims.assign(c.input(1).dims().begin(), c.input(1).dims().end());
  }
  RETURN_IF_ERROR(Shape::Make(input_dims).status());
  RETURN_IF_ERROR(Shape::Make(filter_dims).status());
  ASSIGN_OR_RETURN(const Volumes v, PlanConv(state, input_dims, filter_dims));
  if constexpr (kRole != Role::kForward) RETURN_IF_ERROR(ExpectShape(c.input(2), v.OutputDims(), "out_backprop"));
  ASSIGN_OR_RETURN(Tensor * result, c.AllocateOutput(0, kDTypeOf<T>,
                                                     kRole == Role::kForward ? v.OutputDims()
                                                     : kRole == Role::kInput ? input_dims
                                                                             : filter_dims));
  if (result->num_elements() == 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(Tensor sums, Tensor::Zeros(kDTypeOf<W>, result->shape()));
  W* to = sums.template mutable_data<W>();
  const T* x = kRole == Role::kInput ? nullptr : c.input(0).template data<T>();
  const T* f = kRole == Role::kFilter ? nullptr : c.input(1).template data<T>();
  const T* y = kRole == Role::kForward ? nullptr : c.input(2).template data<T>();
  const Layout in = Layout::OfInput(v), out = Layout::OfOutput(v);
  const int64_t filter_channels = filter_dims[3], per_group = v.outputs / (v.channels / filter_channels);
  const auto run = [&](int64_t b, int64_t first, int64_t last) {  // outputs [first, last) of image b
    const auto nothing = [](const Position&) {};
    ForEachWindow(
        v.windows, nothing,
        [&](const Position& o, const Position& k, const Position& p) {
          const int64_t in_at = b * in.batch_stride + in.At(p), out_at = b * out.batch_stride + out.At(o);
          const int64_t element = (k[0] * filter_dims[1] + k[1]) * filter_dims[2] + k[2];
          for (int64_t n = 0; n < filter_channels; ++n) {
            const int64_t filter_at = (element * filter_channels + n) * v.outputs;
            for (int64_t m = first; m < last; ++m) {
              const int64_t i = in_at + (m / per_group * filter_channels + n) * in.channel_stride,
                            j = out_at + m * out.channel_stride;
              if constexpr (kRole == Role::kForward) to[j] += static_cast<W>(x[i]) * static_cast<W>(f[filter_at + m]);
              if constexpr (kRole == Role::kInput) to[i] += static_cast<W>(y[j]) * static_cast<W>(f[filter_at + m]);
              if constexpr (kRole == Role::kFilter) to[filter_at + m] += static_cast<W>(x[i]) * static_cast<W>(y[j]);
            }
          }
        },
        nothing);
  };
  const double cost = WindowCost(v) * static_cast<double>(filter_channels);
  if constexpr (kRole == Role::kFilter) {
    RunLoop(c, v.outputs, cost * static_cast<double>(v.batch), [&](int64_t begin, int64_t end) {
      for (int64_t b = 0; b < v.batch; ++b) run(b, begin, end);
    });
  } else {
    RunLoop(c, v.batch, cost * static_cast<double>(v.outputs), [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) run(b, 0, v.outputs);
    });
  }
  std::transform(to, to + sums.num_elements(), result->template mutable_data<T>(),
                 [](W value) { return static_cast<T>(value); });
  return absl::OkStatus();
}

// ---- Pooling

enum class Pool { kAverage, kAverageGrad, kMax, kMaxGrad, kMaxGradGrad };

constexpr bool IsMax(Pool pool) { return pool == Pool::kMax || pool == Pool::kMaxGrad || pool == Pool::kMaxGradGrad; }
// Whether the result has the shape of the input.
constexpr bool IsOfInput(Pool pool) { return pool == Pool::kAverageGrad || pool == Pool::kMaxGrad; }

// Images are divided among threads.
template <Pool kPool, typename T>
absl::Status PoolVolumes(KernelCall& c) {
  using W = Wide<T>;
  const VolumeState& state = c.state<VolumeState>();
  Dims input_dims;
  if constexpr (kPool == Pool::kAverageGrad) {
    ASSIGN_OR_RETURN(input_dims, ReadIntVector(c.input(0), "orig_input_shape"));
    RETURN_IF_ERROR(Shape::Make(input_dims).status());
  } else {
    input_dims.assign(c.input(0).dims().begin(), c.input(0).dims().end());
  }
  ASSIGN_OR_RETURN(const Volumes v, PlanWindows(state, input_dims, state.ksize));
  if constexpr (kPool == Pool::kAverageGrad) RETURN_IF_ERROR(ExpectShape(c.input(1), v.OutputDims(), "grad"));
  if constexpr (kPool == Pool::kMaxGrad || kPool == Pool::kMaxGradGrad) {
    RETURN_IF_ERROR(ExpectShape(c.input(1), v.OutputDims(), "orig_output"));
    RETURN_IF_ERROR(ExpectShape(c.input(2), kPool == Pool::kMaxGrad ? v.OutputDims() : input_dims, "grad"));
  }
  ASSIGN_OR_RETURN(Tensor * result, c.AllocateOutput(0, kDTypeOf<T>, IsOfInput(kPool) ? input_dims : v.OutputDims()));
  if (result->num_elements() == 0) return absl::OkStatus();
  const T* x = kPool == Pool::kAverageGrad ? nullptr : c.input(0).template data<T>();
  const T* dy = kPool == Pool::kAverageGrad           ? c.input(1).template data<T>()
                : IsMax(kPool) && kPool != Pool::kMax ? c.input(2).template data<T>()
                                                      : nullptr;
  Tensor sums;  // of gradients; other results are written once
  if constexpr (IsOfInput(kPool)) {
    ASSIGN_OR_RETURN(sums, Tensor::Zeros(kDTypeOf<W>, result->shape()));
  }
  W* sum = IsOfInput(kPool) ? sums.template mutable_data<W>() : nullptr;
  T* to = result->template mutable_data<T>();
  const Layout in = Layout::OfInput(v), out = Layout::OfOutput(v);
  RunLoop(c, v.batch, WindowCost(v) * static_cast<double>(v.channels), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * v.channels; i < end * v.channels; ++i) {
      const int64_t b = i / v.channels, channel = i % v.channels;
      const int64_t in_base = b * in.batch_stride + channel * in.channel_stride,
                    out_base = b * out.batch_stride + channel * out.channel_stride;
      W total = 0;
      int64_t count = 0, largest = -1;
      const auto start = [&](const Position& o) {
        total = 0;
        count = 0;
        largest = -1;
        if constexpr (kPool == Pool::kAverageGrad) {  // how many elements share the gradient
          count = 1;
          for (int d = 0; d < 3; ++d) {
            const Window& w = v.windows[d];
            const int64_t first = o[d] * w.stride - w.pad_before;
            count *= std::min(first + w.size, w.input) - std::max<int64_t>(first, 0);
          }
          total = static_cast<W>(dy[out_base + out.At(o)]) / static_cast<W>(count);
        }
      };
      const auto visit = [&](const Position&, const Position&, const Position& p) {
        const int64_t at = in_base + in.At(p);
        if constexpr (kPool == Pool::kAverage) {
          total += static_cast<W>(x[at]);
          ++count;
        } else if constexpr (kPool == Pool::kAverageGrad) {
          sum[at] += total;
        } else if (largest < 0 || x[at] > x[largest]) {
          largest = at;
        }
      };
      const auto finish = [&](const Position& o) {
        const int64_t at = out_base + out.At(o);
        if constexpr (kPool == Pool::kAverage) {
          to[at] = static_cast<T>(total / static_cast<W>(count));
        } else if constexpr (IsMax(kPool)) {
          if (largest < 0) return;  // a window without elements, which the windows' shapes rule out
          if constexpr (kPool == Pool::kMax) to[at] = x[largest];
          if constexpr (kPool == Pool::kMaxGrad) sum[largest] += static_cast<W>(dy[at]);
          if constexpr (kPool == Pool::kMaxGradGrad) to[at] = dy[largest];
        }
      };
      ForEachWindow(v.windows, start, visit, finish);
    }
  });
  if constexpr (IsOfInput(kPool))
    std::transform(sum, sum + sums.num_elements(), to, [](W value) { return static_cast<T>(value); });
  return absl::OkStatus();
}

// ---- Schemas

template <DTypeSet kTypes, typename Choose>
KernelFactory VolumeKernel(Choose choose) {
  return [choose](const NodeInfo& node) -> absl::StatusOr<Kernel> {
    ASSIGN_OR_RETURN(VolumeState state, DecodeState(node));
    if (node.schema().FindAttr("TInput") != nullptr && node.input_dtype(0) != node.output_dtype(0)) {
      return NoKernelFor(node, node.input_dtype(0));
    }
    const KernelFn fn = DispatchDType<kTypes>(node.output_dtype(0), KernelFn{}, choose);
    if (fn == nullptr) return NoKernelFor(node, node.output_dtype(0));
    return Kernel{.fn = fn, .state = std::make_shared<VolumeState>(state)};
  };
}

// Five dimensions, -1 where unknown.
Dims FiveDims(const PartialShape& shape) {
  return shape.has_rank() ? Dims(shape.dims().begin(), shape.dims().end()) : Dims(kRank, -1);
}

absl::Status SetDims(ShapeContext& c, const Dims& dims) {
  ASSIGN_OR_RETURN(PartialShape shape, PartialShape::Make(dims));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status ConvShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const VolumeState state, DecodeState(c));
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, kRank));
  ASSIGN_OR_RETURN(const PartialShape filter, c.WithRank(1, kRank));
  ASSIGN_OR_RETURN(const Volumes v, PlanConv(state, FiveDims(input), FiveDims(filter)));
  return SetDims(c, v.OutputDims());
}

absl::Status PoolShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const VolumeState state, DecodeState(c));
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, kRank));
  ASSIGN_OR_RETURN(const Volumes v, PlanWindows(state, FiveDims(input), state.ksize));
  return SetDims(c, v.OutputDims());
}

// The shape that input kInput holds as a vector.
template <int kInput>
absl::Status ShapeInInput(ShapeContext& c) {
  RETURN_IF_ERROR(DecodeState(c).status());
  RETURN_IF_ERROR(c.ExpectVector(kInput));
  ASSIGN_OR_RETURN(PartialShape shape, c.InputAsShape(kInput));
  ASSIGN_OR_RETURN(shape, shape.MergeWith(PartialShape::UnknownOfRank(kRank)));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

template <int kInput>
absl::Status ShapeOfVolume(ShapeContext& c) {
  RETURN_IF_ERROR(DecodeState(c).status());
  ASSIGN_OR_RETURN(PartialShape shape, c.WithRank(kInput, kRank));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

// ---- Gradients

std::vector<AttrMap::Entry> VolumeAttrs(GradContext& c) {
  return c.CopyAttrs({"ksize", "strides", "padding", "data_format", "dilations"});
}

Output ConvInputGrad(GradContext& c, int input, const Output& filter, const Output& grad) {
  return c.Op("Conv3DBackpropInputV2", {c.ShapeOfInput(input), filter, grad}, VolumeAttrs(c));
}
Output ConvFilterGrad(GradContext& c, const Output& input, int filter, const Output& grad) {
  return c.Op("Conv3DBackpropFilterV2", {input, c.ShapeOfInput(filter), grad}, VolumeAttrs(c));
}

absl::Status ConvGrad(GradContext& c) {
  if (c.needs(0)) c.Set(0, ConvInputGrad(c, 0, c.input(1), c.grad()));
  if (c.needs(1)) c.Set(1, ConvFilterGrad(c, c.input(0), 1, c.grad()));
  return absl::OkStatus();
}

absl::Status ConvInputGradGrad(GradContext& c) {
  if (c.needs(1)) c.Set(1, ConvFilterGrad(c, c.grad(), 1, c.input(2)));
  if (c.needs(2)) c.Set(2, c.Op("Conv3D", {c.grad(), c.input(1)}, VolumeAttrs(c)));
  return absl::OkStatus();
}

absl::Status ConvFilterGradGrad(GradContext& c) {
  if (c.needs(0)) c.Set(0, ConvInputGrad(c, 0, c.grad(), c.input(2)));
  if (c.needs(2)) c.Set(2, c.Op("Conv3D", {c.input(0), c.grad()}, VolumeAttrs(c)));
  return absl::OkStatus();
}

absl::Status AveragePoolGrad(GradContext& c) {
  c.Set(0, c.Op("AvgPool3DGrad", {c.ShapeOfInput(0), c.grad()}, VolumeAttrs(c)));
  return absl::OkStatus();
}

absl::Status AveragePoolGradGrad(GradContext& c) {
  c.Set(1, c.Op("AvgPool3D", {c.grad()}, VolumeAttrs(c)));
  return absl::OkStatus();
}

absl::Status MaxPoolGradient(GradContext& c) {
  c.Set(0, c.Op("MaxPool3DGrad", {c.input(0), c.output(0), c.grad()}, VolumeAttrs(c)));
  return absl::OkStatus();
}

// Where the largest element stands does not change with small changes of the input.
template <const char* kOther>
absl::Status MaxPoolTransposed(GradContext& c) {
  for (const int i : {0, 1}) {
    if (c.needs(i)) c.Set(i, ZerosLikeInput(c, i));
  }
  if (c.needs(2)) c.Set(2, c.Op(kOther, {c.input(0), c.input(1), c.grad()}, VolumeAttrs(c)));
  return absl::OkStatus();
}
constexpr char kMaxGrad[] = "MaxPool3DGrad";
constexpr char kMaxGradGrad[] = "MaxPool3DGradGrad";

}  // namespace

absl::Status RegisterVolumeOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel,
                       DTypeSet dtypes, GradFunction gradient) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .dtypes = dtypes,
                        .gradient = gradient});
  };
#define FLOWLATCH_KERNEL(function, kind, types) \
  VolumeKernel<types>([]<typename T>() -> KernelFn { return &RunKernel<function<kind, T>>; }), types
  RETURN_IF_ERROR(add("Conv3D", "The filter's products with all windows of the input", ConvShape,
                      FLOWLATCH_KERNEL(Conv, Role::kForward, kFloatTypes), ConvGrad));
  RETURN_IF_ERROR(add("Conv3DBackpropInputV2", "The gradient of Conv3D's input", ShapeInInput<0>,
                      FLOWLATCH_KERNEL(Conv, Role::kInput, kFloatTypes), ConvInputGradGrad));
  RETURN_IF_ERROR(add("Conv3DBackpropFilterV2", "The gradient of Conv3D's filter", ShapeInInput<1>,
                      FLOWLATCH_KERNEL(Conv, Role::kFilter, kFloatTypes), ConvFilterGradGrad));
  RETURN_IF_ERROR(add("AvgPool3D", "The mean of each window", PoolShape,
                      FLOWLATCH_KERNEL(PoolVolumes, Pool::kAverage, kFloatTypes), AveragePoolGrad));
  RETURN_IF_ERROR(add("AvgPool3DGrad", "The gradient of AvgPool3D's input", ShapeInInput<0>,
                      FLOWLATCH_KERNEL(PoolVolumes, Pool::kAverageGrad, kFloatTypes), AveragePoolGradGrad));
  RETURN_IF_ERROR(add("MaxPool3D", "The largest element of each window", PoolShape,
                      FLOWLATCH_KERNEL(PoolVolumes, Pool::kMax, kFloatTypes), MaxPoolGradient));
  RETURN_IF_ERROR(add(kMaxGrad, "The gradient of MaxPool3D's input", ShapeOfVolume<0>,
                      FLOWLATCH_KERNEL(PoolVolumes, Pool::kMaxGrad, kFloatTypes), MaxPoolTransposed<kMaxGradGrad>));
  return add(kMaxGradGrad, "The gradient of MaxPool3DGrad's gradients", ShapeOfVolume<1>,
             FLOWLATCH_KERNEL(PoolVolumes, Pool::kMaxGradGrad, kRealTypes), MaxPoolTransposed<kMaxGrad>);
#undef FLOWLATCH_KERNEL
}

}  // namespace flowlatch
