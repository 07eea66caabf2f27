#include "ops/kernels/window.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/tensor/shape.h"

namespace flowlatch {
namespace {

constexpr int64_t kMax = std::numeric_limits<int32_t>::max();  // of strides, dilations and paddings

// The spatial values of a list over all four dimensions, of which the others must be 1.
absl::StatusOr<std::array<int64_t, 2>> Spatial(absl::Span<const int64_t> list, const WindowAttrs& attrs,
                                               const char* what) {
  if (list.size() != 4) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": expected 4 values, got ", list.size()));
  }
  for (const int64_t v : list) {
    if (v < 1 || v > kMax) {
      return absl::InvalidArgumentError(
          absl::StrCat(what, ": expected values in [1,", kMax, "], got ", DimsToString(list)));
    }
  }
  if (list[0] != 1 || list[attrs.channel_dim()] != 1) {
    return absl::UnimplementedError(
        absl::StrCat(what, ": expected 1 for batch and channels, got ", DimsToString(list)));
  }
  return std::array<int64_t, 2>{list[attrs.spatial_dim(0)], list[attrs.spatial_dim(1)]};
}

absl::Status SetExplicitPaddings(absl::Span<const int64_t> list, WindowAttrs& attrs) {
  if (attrs.padding != Padding::kExplicit) {
    if (list.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError("explicit_paddings: expected none unless padding is EXPLICIT, got some");
  }
  if (list.size() != 8) {
    return absl::InvalidArgumentError(absl::StrCat("explicit_paddings: expected 8 values, got ", list.size()));
  }
  for (const int64_t v : list) {
    if (v < 0 || v > kMax) {
      return absl::InvalidArgumentError(absl::StrCat("explicit_paddings: expected values in [0,", kMax, "], got ", v));
    }
  }
  const int channel = 2 * attrs.channel_dim();
  if (list[0] != 0 || list[1] != 0 || list[channel] != 0 || list[channel + 1] != 0) {
    return absl::InvalidArgumentError("explicit_paddings: expected 0 for batch and channels, got more");
  }
  for (int i = 0; i < 2; ++i) {
    attrs.pad_before[i] = list[2 * attrs.spatial_dim(i)];
    attrs.pad_after[i] = list[2 * attrs.spatial_dim(i) + 1];
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<WindowAttrs> MakeWindowAttrs(absl::Span<const int64_t> strides, const std::string& padding,
                                            absl::Span<const int64_t> explicit_paddings, const std::string& data_format,
                                            absl::Span<const int64_t> dilations) {
  WindowAttrs attrs;
  if (data_format != "NHWC" && data_format != "NCHW") {
    return absl::UnimplementedError(absl::StrCat("data_format: expected NHWC or NCHW, got ", data_format));
  }
  attrs.channels_first = data_format == "NCHW";
  attrs.padding = padding == "SAME" ? Padding::kSame : padding == "VALID" ? Padding::kValid : Padding::kExplicit;
  ASSIGN_OR_RETURN(attrs.strides, Spatial(strides, attrs, "strides"));
  ASSIGN_OR_RETURN(attrs.dilations, Spatial(dilations, attrs, "dilations"));
  RETURN_IF_ERROR(SetExplicitPaddings(explicit_paddings, attrs));
  return attrs;
}

absl::StatusOr<Window> MakeWindow(const WindowAttrs& attrs, int i, int64_t input, int64_t size) {
  Window w{.input = input, .output = -1, .size = size, .stride = attrs.strides[i], .dilation = attrs.dilations[i],
           .pad_before = attrs.pad_before[i]};
  if (input < 0) return w;
  if (attrs.padding == Padding::kSame) w.output = input / w.stride + (input % w.stride != 0);
  if (size < 0) return w;
  // Everything below stays within int64: dilations, strides and paddings are 31 bits, and sizes are checked here.
  const std::optional<int64_t> span = CheckedMul(size - 1, w.dilation);
  const std::optional<int64_t> padded = CheckedAdd(input, w.pad_before + attrs.pad_after[i] + w.stride);
  if (!span.has_value() || !padded.has_value() || *span > std::numeric_limits<int64_t>::max() - kMax - 1) {
    return absl::InvalidArgumentError(absl::StrCat("window: expected a size in int64, got ", size, " over ", input));
  }
  const int64_t covered = *span + 1;
  if (attrs.padding == Padding::kSame) {
    if (w.output == 0) return w;
    const std::optional<int64_t> read = CheckedAdd((w.output - 1) * w.stride, covered);
    if (!read.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat("window: expected a size in int64, got ", size, " over ", input));
    }
    w.pad_before = std::max<int64_t>(0, *read - input) / 2;
    return w;
  }
  w.output = (*padded - covered) / w.stride;
  if (w.output < 0) {
    return absl::InvalidArgumentError(absl::StrCat("window over dimension of size ", input, ": expected at most ",
                                                   *padded - w.stride, " elements (with padding), got ", covered));
  }
  return w;
}

}  // namespace flowlatch
