// Windows of images and volumes, laid side by side.
//   ExtractImagePatches: images [batch, height, width, channels] -> [batch, rows, columns, ky * kx * channels]: the
//     elements of each window, rates[i] apart
//   ExtractVolumePatches: input [batch, depth, height, width, channels] -> [batch, .., kz * ky * kx * channels]
// Padding SAME or VALID; what lies outside is 0. All dtypes of the signatures.
#include "ops/patch_ops.h"

#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/window.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

// Images are volumes with a window of 1 over depth.
struct PatchState final : KernelState {
  int axes = 2;  // of the input's own: 2 or 3, the last ones of the arrays
  Padding padding = Padding::kValid;
  std::array<int64_t, 3> sizes{1, 1, 1}, strides{1, 1, 1}, rates{1, 1, 1};
};

// The values over space of a list over all dimensions.
template <typename Node>
absl::Status DecodeSizes(const Node& node, const char* name, int axes, std::array<int64_t, 3>& sizes) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> list, node.Ints(name));
  if (static_cast<int>(list.size()) != axes + 2) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": expected ", axes + 2, " values, got ", list.size()));
  }
  if (list.front() != 1 || list.back() != 1) {
    return absl::UnimplementedError(
        absl::StrCat(name, ": expected 1 for batch and channels, got ", DimsToString(list)));
  }
  for (int i = 0; i < axes; ++i) {
    const int64_t size = list[i + 1];
    if (size < 1 || size > std::numeric_limits<int32_t>::max()) {
      return absl::OutOfRangeError(absl::StrCat(name, ": expected values in [1,2^31), got ", DimsToString(list)));
    }
    sizes[3 - axes + i] = size;
  }
  return absl::OkStatus();
}

// Node: NodeInfo or ShapeContext.
template <typename Node>
absl::StatusOr<PatchState> DecodeState(const Node& node) {
  PatchState state;
  state.axes = node.schema().name() == "ExtractVolumePatches" ? 3 : 2;
  ASSIGN_OR_RETURN(const std::string padding, node.Str("padding"));
  if (padding == "SAME") state.padding = Padding::kSame;
  RETURN_IF_ERROR(DecodeSizes(node, "ksizes", state.axes, state.sizes));
  RETURN_IF_ERROR(DecodeSizes(node, "strides", state.axes, state.strides));
  if (state.axes == 2) RETURN_IF_ERROR(DecodeSizes(node, "rates", state.axes, state.rates));
  return state;
}

struct PatchPlan {
  std::array<Window, 3> windows;
  Dims output;
};

// Dimensions may be -1 (unknown). Requires: `input` has state.axes + 2 dimensions.
absl::StatusOr<PatchPlan> PlanPatches(const PatchState& state, absl::Span<const int64_t> input) {
  PatchPlan plan;
  plan.output.push_back(input.front());
  std::optional<int64_t> depth = input.back();
  for (int i = 0; i < 3; ++i) {
    WindowAttrs attrs{.padding = state.padding};
    attrs.strides[0] = state.strides[i];
    attrs.dilations[0] = state.rates[i];
    const int at = i - (3 - state.axes);
    ASSIGN_OR_RETURN(plan.windows[i], MakeWindow(attrs, 0, at < 0 ? 1 : input[at + 1], state.sizes[i]));
    if (at >= 0) plan.output.push_back(plan.windows[i].output);
    if (depth.has_value() && *depth >= 0) depth = CheckedMul(*depth, state.sizes[i]);
  }
  if (!depth.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("ksizes: expected patches of a size in int64, got input ", DimsToString(input)));
  }
  plan.output.push_back(*depth);
  return plan;
}

// Copies windows pixel by pixel; a pixel is all channels of one place.
void CopyPatch(const std::array<Window, 3>& w, const std::array<int64_t, 3>& position, const char* item, int64_t pixel,
               char* to) {
  const auto input_of = [&](int axis, int64_t k) {
    const int64_t at = position[axis] * w[axis].stride - w[axis].pad_before + k * w[axis].dilation;
    return at >= 0 && at < w[axis].input ? at : -1;
  };
  for (int64_t z = 0; z < w[0].size; ++z) {
    const int64_t in_z = input_of(0, z);
    for (int64_t y = 0; y < w[1].size; ++y) {
      const int64_t in_y = input_of(1, y);
      for (int64_t x = 0; x < w[2].size; ++x, to += pixel) {
        const int64_t in_x = input_of(2, x);
        if (in_z < 0 || in_y < 0 || in_x < 0) {
          std::memset(to, 0, pixel);
        } else {
          std::memcpy(to, item + ((in_z * w[1].input + in_y) * w[2].input + in_x) * pixel, pixel);
        }
      }
    }
  }
}

absl::Status ExtractPatches(KernelCall& c) {
  const PatchState& state = c.state<PatchState>();
  const Tensor& input = c.input(0);
  if (input.rank() != state.axes + 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("input: expected ", state.axes + 2, " dimensions, got shape ", input.ShapeString()));
  }
  ASSIGN_OR_RETURN(const PatchPlan plan, PlanPatches(state, input.dims()));
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, input.dtype(), plan.output));
  if (output->num_elements() == 0) return absl::OkStatus();
  const std::array<Window, 3>& w = plan.windows;
  const int64_t element = static_cast<int64_t>(DTypeSize(input.dtype()));
  const int64_t pixel = input.dim(input.rank() - 1) * element;
  const int64_t item = input.size_bytes() / input.dim(0), patch = plan.output.back() * element;
  const int64_t per_item = w[0].output * w[1].output * w[2].output;
  const char* from = static_cast<const char*>(input.raw_data());
  char* to = static_cast<char*>(output->raw_mutable_data());
  c.ParallelFor(input.dim(0) * per_item, 20 + static_cast<double>(patch), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t at = i % per_item;
      const std::array<int64_t, 3> position{at / (w[1].output * w[2].output), at / w[2].output % w[1].output,
                                            at % w[2].output};
      CopyPatch(w, position, from + i / per_item * item, pixel, to + i * patch);
    }
  });
  return absl::OkStatus();
}

// The same patches of the numbers of the input's elements, from 1 on, say where each element of a patch came from.
absl::Status PatchGrad(GradContext& c) {
  const Output shape = c.ShapeOfInput(0, DType::kInt64);
  const Output count = c.Op("Prod", {shape, 0});
  const Output numbers = c.Op("Reshape", {c.Op("Range", {int64_t{1}, count + 1, int64_t{1}}), shape});
  const bool images = c.op() == "ExtractImagePatches";
  const Output places = c.Op(
      c.op(), {numbers},
      images ? c.CopyAttrs({"ksizes", "strides", "rates", "padding"}) : c.CopyAttrs({"ksizes", "strides", "padding"}));
  const Output sums = c.Op("UnsortedSegmentSum", {c.grad(), places - 1, count});  // -1, what lies outside, is left out
  c.Set(0, c.Op("Reshape", {sums, shape}));
  return absl::OkStatus();
}

absl::Status PatchShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PatchState state, DecodeState(c));
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, state.axes + 2));
  ASSIGN_OR_RETURN(const PatchPlan plan, PlanPatches(state, input.dims()));
  ASSIGN_OR_RETURN(PartialShape output, PartialShape::Make(plan.output));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> PatchKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const PatchState state, DecodeState(node));
  return Kernel{.fn = &RunKernel<ExtractPatches>, .state = std::make_shared<PatchState>(state)};
}

}  // namespace

absl::Status RegisterPatchOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("ExtractImagePatches"),
                               .doc = "Windows of images as channels",
                               .shape = PatchShape,
                               .kernel = PatchKernel,
                               .gradient = PatchGrad}));
  return library.Add({.signature = TensorFlowSignature("ExtractVolumePatches"),
                      .doc = "Windows of volumes as channels",
                      .shape = PatchShape,
                      .kernel = PatchKernel,
                      .gradient = PatchGrad});
}

}  // namespace flowlatch
