// The geometry of windows that slide over the two spatial dimensions of an image batch: convolutions and pooling.
#ifndef FLOWLATCH_OPS_KERNELS_WINDOW_H_
#define FLOWLATCH_OPS_KERNELS_WINDOW_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/base/status_macros.h"

namespace flowlatch {

enum class Padding : uint8_t { kValid, kSame, kExplicit };

// What attributes say; index 0 is height, 1 width.
struct WindowAttrs {
  bool channels_first = false;
  Padding padding = Padding::kValid;
  std::array<int64_t, 2> strides{1, 1}, dilations{1, 1}, pad_before{0, 0}, pad_after{0, 0};

  // Where the dimensions of a batch of images are.
  int channel_dim() const { return channels_first ? 1 : 3; }
  int spatial_dim(int i) const { return (channels_first ? 2 : 1) + i; }
};

// Errors: InvalidArgument for lists of another length than 4 (8 for paddings), strides or dilations below 1, and paddings
// that are negative or not asked for; Unimplemented for strides, dilations or paddings of batch or channels.
absl::StatusOr<WindowAttrs> MakeWindowAttrs(absl::Span<const int64_t> strides, const std::string& padding,
                                            absl::Span<const int64_t> explicit_paddings, const std::string& data_format,
                                            absl::Span<const int64_t> dilations);

// The same from the attributes of a node (NodeInfo or ShapeContext); those that its op does not have keep their defaults.
template <typename Node>
absl::StatusOr<WindowAttrs> DecodeWindowAttrs(const Node& node) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> strides, node.Ints("strides"));
  ASSIGN_OR_RETURN(const std::string padding, node.Str("padding"));
  ASSIGN_OR_RETURN(const std::string format, node.Str("data_format"));
  std::vector<int64_t> paddings, dilations{1, 1, 1, 1};
  if (node.schema().FindAttr("explicit_paddings") != nullptr) {
    ASSIGN_OR_RETURN(paddings, node.Ints("explicit_paddings"));
  }
  if (node.schema().FindAttr("dilations") != nullptr) {
    ASSIGN_OR_RETURN(dilations, node.Ints("dilations"));
  }
  return MakeWindowAttrs(strides, padding, paddings, format, dilations);
}

// One spatial dimension: output o reads inputs o * stride - pad_before + k * dilation for k in [0, size).
struct Window {
  int64_t input = 0, output = 0, size = 1, stride = 1, dilation = 1, pad_before = 0;

  int64_t pad_after() const {  // what the last output reads beyond the input; negative when some inputs are not read
    return (output - 1) * stride - pad_before + (size - 1) * dilation + 1 - input;
  }
};

// The window of spatial dimension i; input and size may be -1 (unknown), output is then. Requires: size >= 1 or -1.
// Errors: InvalidArgument when the window does not fit, or for numbers beyond int64.
absl::StatusOr<Window> MakeWindow(const WindowAttrs& attrs, int i, int64_t input, int64_t size);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_WINDOW_H_
