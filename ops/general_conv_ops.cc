// Conv: a convolution over two or three dimensions, by the kernels of Conv2D and Conv3D.
//   input [batch.., spatial.., channels], or with CHANNELS_FIRST [batch.., channels, spatial..], filter [spatial.., channels /
//     groups, outputs] -> [batch.., spatial.., outputs]. There are batch_dims dimensions of batches; the others count as one.
// strides and dilations have a number for one batch dimension, the spatial ones and the channels.
#include "ops/general_conv_ops.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/window.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

struct ConvAttrs {
  int spatial = 2;
  int batch_dims = 1;
  int64_t groups = 1;
  bool channels_first = false;
  Padding padding = Padding::kValid;
  std::vector<int64_t> strides, dilations;  // of the spatial dimensions
  std::vector<int64_t> paddings;            // before and after each of them

  int rank() const { return batch_dims + spatial + 1; }
  int channel_dim() const { return channels_first ? batch_dims : batch_dims + spatial; }
  int spatial_dim(int i) const { return batch_dims + (channels_first ? 1 : 0) + i; }
};

// The spatial ones of a list for [batch, spatial.., channels], each with `per` numbers; batch and channels must have `rest`.
absl::StatusOr<std::vector<int64_t>> SpatialPart(const std::vector<int64_t>& list, const char* what, const ConvAttrs& attrs, int per, int64_t rest) {
  const int first = (attrs.channels_first ? 2 : 1) * per, n = attrs.spatial * per, size = (attrs.spatial + 2) * per;
  if (static_cast<int>(list.size()) != size) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": expected ", size, " values, got ", list.size()));
  }
  for (int i = 0; i < size; ++i) {
    if ((i >= first && i < first + n) || list[i] == rest) continue;
    return absl::InvalidArgumentError(absl::StrCat(what, "[", i, "] of batch or channels: expected ", rest, ", got ", list[i]));
  }
  return std::vector<int64_t>(list.begin() + first, list.begin() + first + n);
}

// Works for nodes and shape contexts.
template <typename Node>
absl::StatusOr<ConvAttrs> ReadAttrs(const Node& node) {
  ConvAttrs attrs;
  ASSIGN_OR_RETURN(const std::vector<int64_t> strides, node.Ints("strides"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> dilations, node.Ints("dilations"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> paddings, node.Ints("explicit_paddings"));
  ASSIGN_OR_RETURN(const std::string padding, node.Str("padding"));
  ASSIGN_OR_RETURN(const std::string format, node.Str("data_format"));
  ASSIGN_OR_RETURN(const int64_t batch_dims, node.Int("batch_dims"));
  ASSIGN_OR_RETURN(attrs.groups, node.Int("groups"));
  if (strides.size() != 4 && strides.size() != 5) {
    return absl::InvalidArgumentError(absl::StrCat("strides: expected 4 or 5 values, got ", strides.size()));
  }
  if (batch_dims < 0 || batch_dims > kMaxRank) {
    return absl::InvalidArgumentError(absl::StrCat("batch_dims: expected a value in [0,", kMaxRank, "], got ", batch_dims));
  }
  if (attrs.groups < 1) return absl::InvalidArgumentError(absl::StrCat("groups: expected a value >= 1, got ", attrs.groups));
  attrs.spatial = static_cast<int>(strides.size()) - 2;
  attrs.batch_dims = static_cast<int>(batch_dims);
  attrs.channels_first = format == "CHANNELS_FIRST";
  attrs.padding = padding == "SAME" ? Padding::kSame : padding == "EXPLICIT" ? Padding::kExplicit : Padding::kValid;
  ASSIGN_OR_RETURN(attrs.strides, SpatialPart(strides, "strides", attrs, 1, 1));
  attrs.dilations.assign(attrs.spatial, 1);
  if (!dilations.empty()) {
    ASSIGN_OR_RETURN(attrs.dilations, SpatialPart(dilations, "dilations", attrs, 1, 1));
  }
  for (int i = 0; i < attrs.spatial; ++i) {
    if (attrs.strides[i] >= 1 && attrs.dilations[i] >= 1) continue;
    return absl::InvalidArgumentError(absl::StrCat("strides and dilations: expected values >= 1, got ", attrs.strides[i], " and ", attrs.dilations[i]));
  }
  attrs.paddings.assign(2 * attrs.spatial, 0);
  if (attrs.padding == Padding::kExplicit) {
    ASSIGN_OR_RETURN(attrs.paddings, SpatialPart(paddings, "explicit_paddings", attrs, 2, 0));
    for (const int64_t pixels : attrs.paddings) {
      if (pixels < 0) return absl::InvalidArgumentError(absl::StrCat("explicit_paddings: expected values >= 0, got ", pixels));
    }
  } else if (!paddings.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("explicit_paddings: expected none with padding ", padding, ", got ", paddings.size()));
  }
  return attrs;
}

// Dimensions may be -1 (unknown).
absl::Status CheckShapes(const ConvAttrs& attrs, absl::Span<const int64_t> input, absl::Span<const int64_t> filter) {
  if (static_cast<int>(input.size()) != attrs.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("input: expected ", attrs.rank(), " dimensions, got shape ", DimsToString(input)));
  }
  if (static_cast<int>(filter.size()) != attrs.spatial + 2) {
    return absl::InvalidArgumentError(absl::StrCat("filter: expected ", attrs.spatial + 2, " dimensions, got shape ", DimsToString(filter)));
  }
  const int64_t channels = input[attrs.channel_dim()], per_group = filter[attrs.spatial];
  const bool fits = channels < 0 || per_group < 0 || (channels % attrs.groups == 0 && channels / attrs.groups == per_group);
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("filter: expected the ", channels, " channels of the input in ", attrs.groups,
                                                 " groups, got ", per_group, " in each"));
}

// ---- The kernel

struct ConvState : KernelState {
  ConvAttrs attrs;
  Kernel inner;  // of Conv2D or Conv3D
};

// [product, rest..] of [batch.., rest..].
absl::StatusOr<Shape> WithOneBatch(absl::Span<const int64_t> dims, int batch_dims) {
  ASSIGN_OR_RETURN(const Shape batch, Shape::Make(dims.first(batch_dims)));
  Dims flat{batch.num_elements()};
  flat.insert(flat.end(), dims.begin() + batch_dims, dims.end());
  return Shape::Make(flat);
}

absl::StatusOr<Tensor> FlatInput(const KernelCall& c, const ConvAttrs& attrs) {
  const Tensor& input = c.input(0);
  RETURN_IF_ERROR(CheckShapes(attrs, input.dims(), c.input(1).dims()));
  ASSIGN_OR_RETURN(const Shape flat, WithOneBatch(input.dims(), attrs.batch_dims));
  return input.Reshaped(flat);
}

absl::StatusOr<Tensor> WithBatchesOf(const Tensor& input, int batch_dims, const Tensor& output) {
  Dims dims(input.dims().begin(), input.dims().begin() + batch_dims);
  dims.insert(dims.end(), output.dims().begin() + 1, output.dims().end());
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  return output.Reshaped(shape);
}

KernelStatus RunConv(KernelCall& c) {
  const ConvState& state = c.state<ConvState>();
  absl::StatusOr<Tensor> flat = FlatInput(c, state.attrs);
  if (!flat.ok()) return c.Fail(flat.status());
  Tensor inputs[] = {*std::move(flat), c.input(1)}, output;
  const uint32_t slots[] = {0, 1};
  KernelCall inner(&c.step(), inputs, slots, &output, state.inner.state.get(), 2, 1, 0, c.node());
  if (state.inner.fn(inner) != KernelStatus::kOk) return KernelStatus::kError;
  absl::StatusOr<Tensor> result = WithBatchesOf(c.input(0), state.attrs.batch_dims, output);
  if (!result.ok()) return c.Fail(result.status());
  c.SetOutput(0, *std::move(result));
  return KernelStatus::kOk;
}

// The attributes of Conv2D or Conv3D.
AttrMap InnerAttrs(const ConvAttrs& attrs, DType dtype) {
  const auto around = [&attrs](const std::vector<int64_t>& spatial, int per, int64_t rest) {
    std::vector<int64_t> list((attrs.spatial + 2) * per, rest);
    std::copy(spatial.begin(), spatial.end(), list.begin() + (attrs.channels_first ? 2 : 1) * per);
    return list;
  };
  const bool explicit_padding = attrs.padding == Padding::kExplicit;
  const std::string format = attrs.spatial == 2 ? (attrs.channels_first ? "NCHW" : "NHWC") : (attrs.channels_first ? "NCDHW" : "NDHWC");
  const AttrMap all{{"T", dtype},
                    {"strides", around(attrs.strides, 1, 1)},
                    {"dilations", around(attrs.dilations, 1, 1)},
                    {"padding", explicit_padding ? "EXPLICIT" : attrs.padding == Padding::kSame ? "SAME" : "VALID"},
                    {"data_format", format}};
  return explicit_padding ? all.With("explicit_paddings", around(attrs.paddings, 2, 0)) : all;
}

absl::StatusOr<Kernel> ConvKernel(const OpLibrary& library, const NodeInfo& node) {
  auto state = std::make_shared<ConvState>();
  ASSIGN_OR_RETURN(state->attrs, ReadAttrs(node));
  if (state->attrs.spatial == 3 && state->attrs.padding == Padding::kExplicit) {
    return absl::UnimplementedError("padding: expected SAME or VALID for three dimensions, got EXPLICIT");
  }
  const OpSchema* schema = library.registry().Find(state->attrs.spatial == 2 ? "Conv2D" : "Conv3D");
  if (schema == nullptr) return absl::UnimplementedError("Conv: expected the kernels of Conv2D and Conv3D, got none");
  const PortType port{node.input_dtype(0)};
  const AttrMap attrs = InnerAttrs(state->attrs, port.dtype);
  const PortType inputs[] = {port, port}, outputs[] = {port};
  ASSIGN_OR_RETURN(state->inner, library.MakeKernel(NodeInfo(node.name(), *schema, attrs, inputs, outputs)));
  return Kernel{.fn = &RunConv, .state = std::move(state)};
}

// ---- Shapes

absl::Status ConvShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const ConvAttrs attrs, ReadAttrs(c));
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, attrs.rank()));
  ASSIGN_OR_RETURN(const PartialShape filter, c.WithRank(1, attrs.spatial + 2));
  if (!input.has_rank() || !filter.has_rank()) {
    c.SetOutput(0, PartialShape::UnknownOfRank(attrs.rank()));
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(CheckShapes(attrs, input.dims(), filter.dims()));
  Dims output(input.dims().begin(), input.dims().end());
  output[attrs.channel_dim()] = filter.dim(attrs.spatial + 1);
  for (int i = 0; i < attrs.spatial; ++i) {
    if (filter.dim(i) == 0) return absl::InvalidArgumentError(absl::StrCat("filter: expected a window with elements, got shape ", filter.ToString()));
    WindowAttrs window{.padding = attrs.padding};
    window.strides[0] = attrs.strides[i];
    window.dilations[0] = attrs.dilations[i];
    window.pad_before[0] = attrs.paddings[2 * i];
    window.pad_after[0] = attrs.paddings[2 * i + 1];
    ASSIGN_OR_RETURN(const Window placed, MakeWindow(window, 0, input.dim(attrs.spatial_dim(i)), filter.dim(i)));
    output[attrs.spatial_dim(i)] = placed.output;
  }
  ASSIGN_OR_RETURN(PartialShape shape, PartialShape::Make(output));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterGeneralConvOps(OpLibrary& library) {
  return library.Add({.signature = TensorFlowSignature("Conv"),
                      .doc = "Slides a filter over images or volumes",
                      .shape = ConvShape,
                      .kernel = [&library](const NodeInfo& node) { return ConvKernel(library, node); }});
}

}  // namespace flowlatch
