// What data formats say of dimensions, in another format ("NHWC", "NCHW", "NDHWC", ...: four or five letters).
//   DataFormatDimMap: x, numbers of dimensions in src_format -> their numbers in dst_format; any shape. Numbers count modulo
//     the number of dimensions, so negative ones count from the end
//   DataFormatVecPermute: x [n] or [n, 2], a value or two for each dimension -> the same in the order of dst_format; n may also
//     be without batch and channels
#include "ops/data_format_ops.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

// from[i]: which dimension of the source is dimension i of the destination.
std::vector<int> SourceOf(std::string_view source, std::string_view destination) {
  std::vector<int> from;
  for (const char letter : destination) from.push_back(static_cast<int>(source.find(letter)));
  return from;
}

struct FormatState final : KernelState {
  std::vector<int> from, spatial_from;
};

absl::StatusOr<FormatState> DecodeState(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const std::string source, node.Str("src_format"));
  ASSIGN_OR_RETURN(const std::string destination, node.Str("dst_format"));
  std::string sorted = source;
  std::sort(sorted.begin(), sorted.end());
  const bool distinct = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  if ((source.size() != 4 && source.size() != 5) || !distinct ||
      !std::is_permutation(source.begin(), source.end(), destination.begin(), destination.end())) {
    return absl::InvalidArgumentError(absl::StrCat("src_format and dst_format: expected the same 4 or 5 letters, got '",
                                                   absl::CHexEscape(source), "' and '", absl::CHexEscape(destination), "'"));
  }
  const auto spatial = [](std::string_view format) {
    std::string letters;
    for (const char letter : format) {
      if (letter != 'N' && letter != 'C') letters += letter;
    }
    return letters;
  };
  FormatState state;
  state.from = SourceOf(source, destination);
  state.spatial_from = SourceOf(spatial(source), spatial(destination));
  return state;
}

template <typename T>
absl::Status DimMap(KernelCall& c) {
  const std::vector<int>& from = c.state<FormatState>().from;
  const Tensor& x = c.input(0);
  ASSIGN_OR_RETURN(Tensor* y, c.ForwardOrAllocate(0, 0, x.dtype(), x.shape()));
  std::vector<T> to(from.size());
  for (size_t i = 0; i < from.size(); ++i) to[from[i]] = static_cast<T>(i);
  const T n = static_cast<T>(from.size());
  std::transform(x.data<T>(), x.data<T>() + x.num_elements(), y->mutable_data<T>(), [&](T dim) { return to[(dim % n + n) % n]; });
  return absl::OkStatus();
}

template <typename T>
absl::Status VecPermute(KernelCall& c) {
  const FormatState& state = c.state<FormatState>();
  const Tensor& x = c.input(0);
  const std::vector<int>* from = nullptr;
  if (x.rank() == 1 || (x.rank() == 2 && x.dim(1) == 2)) {
    for (const std::vector<int>* candidate : {&state.from, &state.spatial_from}) {
      if (x.dim(0) == static_cast<int64_t>(candidate->size())) from = candidate;
    }
  }
  if (from == nullptr || from->empty()) {
    return absl::InvalidArgumentError(absl::StrCat("x: expected a value or a pair of values for each dimension, or for each of space, got shape ",
                                                   x.ShapeString()));
  }
  ASSIGN_OR_RETURN(Tensor* y, c.AllocateOutput(0, x.dtype(), x.dims()));
  const int64_t width = x.rank() == 2 ? 2 : 1;
  for (size_t i = 0; i < from->size(); ++i) {
    std::copy_n(x.data<T>() + (*from)[i] * width, width, y->mutable_data<T>() + static_cast<int64_t>(i) * width);
  }
  return absl::OkStatus();
}

template <typename Choose>
KernelFactory FactoryOf(Choose choose) {
  return [choose](const NodeInfo& node) -> absl::StatusOr<Kernel> {
    ASSIGN_OR_RETURN(FormatState state, DecodeState(node));
    const KernelFn fn = DispatchDType<kIndexTypes>(node.input_dtype(0), KernelFn{}, choose);
    if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
    return Kernel{.fn = fn, .state = std::make_shared<FormatState>(std::move(state))};
  };
}

}  // namespace

absl::Status RegisterDataFormatOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("DataFormatDimMap"),
                               .doc = "Numbers of dimensions in another data format",
                               .shape = shapes::SameAsInput,
                               .kernel = FactoryOf([]<typename T>() -> KernelFn { return &RunKernel<DimMap<T>>; }),
                               .dtypes = kIndexTypes,
                               .gradient = gradients::None}));
  return library.Add({.signature = TensorFlowSignature("DataFormatVecPermute"),
                      .doc = "Values of dimensions in the order of another data format",
                      .shape = shapes::SameAsInput,
                      .kernel = FactoryOf([]<typename T>() -> KernelFn { return &RunKernel<VecPermute<T>>; }),
                      .dtypes = kIndexTypes,
                      .gradient = gradients::None});
}

}  // namespace flowlatch
