// Strings of one tensor joined.
//   ReduceJoin: over dimensions, the first of them fastest, with separator between; the join of nothing is "".
//   UnsortedSegmentJoin: input [s.., d..], segment_ids [s..], num_segments -> [num_segments, d..]: output row i joins the
//     input rows whose id is i, in their order.
#include "ops/string_join_ops.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {
namespace {

class JoinState : public KernelState {
 public:
  std::string separator;
  bool keep_dims = false;
};

// ---- ReduceJoin

// Which dimensions are joined, in the order of `axes`. Any tensor of them will do.
// Errors: OutOfRange as TensorFlow has it; InvalidArgument for a dimension that comes twice.
absl::StatusOr<std::vector<int>> JoinedDims(const Tensor& axes, int rank) {
  std::vector<int> joined;
  std::vector<bool> seen(rank);
  for (const int32_t axis : axes.values<int32_t>()) {
    if (axis < -rank || axis >= rank) {
      return absl::OutOfRangeError(absl::StrCat("reduction_indices: expected values in [", -rank, ",", rank, "), got ", axis));
    }
    joined.push_back(axis < 0 ? axis + rank : axis);
    if (seen[joined.back()]) {
      return absl::InvalidArgumentError(absl::StrCat("reduction_indices: expected each dimension once, got ", axis, " again"));
    }
    seen[joined.back()] = true;
  }
  return joined;
}

// Offsets of all places in `dims` (of a tensor with these strides), the first of them fastest.
std::vector<int64_t> Offsets(const std::vector<int>& dims, const Shape& shape, const Dims& strides) {
  std::vector<int64_t> offsets{0};
  for (const int d : dims) {
    std::vector<int64_t> more;
    more.reserve(offsets.size() * shape.dim(d));
    for (int64_t i = 0; i < shape.dim(d); ++i) {
      for (const int64_t offset : offsets) more.push_back(offset + i * strides[d]);
    }
    offsets = std::move(more);
  }
  return offsets;
}

absl::Status ReduceJoin(KernelCall& c) {
  const JoinState& state = c.state<JoinState>();
  const Tensor& input = c.input(0);
  const Shape shape = input.shape();
  const int rank = shape.rank();
  ASSIGN_OR_RETURN(const std::vector<int> joined, JoinedDims(c.input(1), rank));
  std::vector<int> kept;  // fastest first
  Dims strides(rank), dims;
  std::vector<bool> is_joined(rank);
  for (const int d : joined) is_joined[d] = true;
  int64_t stride = 1;
  for (int d = rank - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= shape.dim(d);
    if (!is_joined[d]) kept.push_back(d);
  }
  for (int d = 0; d < rank; ++d) {
    if (!is_joined[d] || state.keep_dims) dims.push_back(is_joined[d] ? 1 : shape.dim(d));
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kString, dims));
  if (output->num_elements() == 0 || input.num_elements() == 0) return absl::OkStatus();
  const std::vector<int64_t> firsts = Offsets(kept, shape, strides), parts = Offsets(joined, shape, strides);
  for (size_t i = 0; i < firsts.size(); ++i) {
    std::string text;
    for (size_t k = 0; k < parts.size(); ++k) {
      if (k > 0) text += state.separator;
      text += input.data<String>()[firsts[i] + parts[k]].view();
    }
    output->mutable_data<String>()[i] = std::string_view(text);
  }
  return absl::OkStatus();
}

absl::Status ReduceJoinShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const bool keep_dims, c.Bool("keep_dims"));
  const PartialShape& input = c.input(0);
  if (!input.has_rank()) return absl::OkStatus();
  if (c.constant(1) == nullptr) {
    if (keep_dims) c.SetOutput(0, PartialShape::UnknownOfRank(input.rank()));
    return absl::OkStatus();
  }
  std::vector<bool> joined(input.rank());
  for (const int32_t axis : c.constant(1)->values<int32_t>()) {
    ASSIGN_OR_RETURN(const int d, NormalizeAxis(axis, input.rank(), "reduction_indices"));
    joined[d] = true;
  }
  Dims dims;
  for (int d = 0; d < input.rank(); ++d) {
    if (!joined[d] || keep_dims) dims.push_back(joined[d] ? 1 : input.dim(d));
  }
  ASSIGN_OR_RETURN(PartialShape output, PartialShape::Make(dims));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

// ---- UnsortedSegmentJoin

// Errors: InvalidArgument unless ids, of rank >= 1, is a prefix of input. Dimensions may be -1 (unknown).
absl::Status ExpectPrefix(absl::Span<const int64_t> ids, absl::Span<const int64_t> input) {
  bool prefix = !ids.empty() && ids.size() <= input.size();
  for (size_t d = 0; prefix && d < ids.size(); ++d) prefix = ids[d] == input[d] || ids[d] < 0 || input[d] < 0;
  if (prefix) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("segment_ids: expected a shape that inputs' shape ", DimsToString(input),
                                                 " begins with, got ", DimsToString(ids)));
}

absl::StatusOr<int64_t> ReadSegments(const Tensor& t) {
  ASSIGN_OR_RETURN(const int64_t segments, ReadIntScalar(t, "num_segments"));
  if (segments >= 0) return segments;
  return absl::InvalidArgumentError(absl::StrCat("num_segments: expected no negative value, got ", segments));
}

absl::Status UnsortedSegmentJoin(KernelCall& c) {
  const std::string& separator = c.state<JoinState>().separator;
  const Tensor &input = c.input(0), &ids = c.input(1);
  RETURN_IF_ERROR(ExpectPrefix(ids.dims(), input.dims()));
  ASSIGN_OR_RETURN(const int64_t segments, ReadSegments(c.input(2)));
  ASSIGN_OR_RETURN(const Indices rows, ReadSegmentIds(ids, segments, "segment_ids"));
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0) return IndexOutOfRange("segment_ids", static_cast<int64_t>(i), ids.dims(), segments, rows[i]);
  }
  Dims dims{segments};
  const absl::Span<const int64_t> columns = input.dims().subspan(ids.rank());
  dims.insert(dims.end(), columns.begin(), columns.end());
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kString, dims));
  if (output->num_elements() == 0 || rows.empty()) return absl::OkStatus();
  const int64_t width = output->num_elements() / segments;
  std::vector<std::vector<int64_t>> members(segments);  // input rows of each segment
  for (size_t i = 0; i < rows.size(); ++i) members[rows[i]].push_back(static_cast<int64_t>(i));
  for (int64_t segment = 0; segment < segments; ++segment) {
    if (members[segment].empty()) continue;
    for (int64_t column = 0; column < width; ++column) {
      std::string text;
      for (size_t k = 0; k < members[segment].size(); ++k) {
        if (k > 0) text += separator;
        text += input.data<String>()[members[segment][k] * width + column].view();
      }
      output->mutable_data<String>()[segment * width + column] = std::string_view(text);
    }
  }
  return absl::OkStatus();
}

absl::Status SegmentJoinShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(2));
  int64_t segments = -1;
  if (c.constant(2) != nullptr) {
    ASSIGN_OR_RETURN(segments, ReadSegments(*c.constant(2)));
  }
  const PartialShape &input = c.input(0), &ids = c.input(1);
  if (!ids.has_rank() || !input.has_rank()) return absl::OkStatus();
  RETURN_IF_ERROR(ExpectPrefix(ids.dims(), input.dims()));
  Dims dims{segments};
  dims.insert(dims.end(), input.dims().begin() + ids.rank(), input.dims().end());
  c.SetOutput(0, PartialShape::FromValid(dims));
  return absl::OkStatus();
}

template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> JoinKernel(const NodeInfo& node) {
  auto state = std::make_shared<JoinState>();
  ASSIGN_OR_RETURN(state->separator, node.Str("separator"));
  if (node.schema().FindAttr("keep_dims") != nullptr) {
    ASSIGN_OR_RETURN(state->keep_dims, node.Bool("keep_dims"));
  }
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::move(state)};
}

}  // namespace

absl::Status RegisterStringJoinOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("ReduceJoin"),
                               .doc = "Strings joined over dimensions",
                               .shape = ReduceJoinShape,
                               .kernel = JoinKernel<ReduceJoin>,
                               .gradient = gradients::None}));
  return library.Add({.signature = TensorFlowSignature("UnsortedSegmentJoin"),
                      .doc = "Strings joined in each segment",
                      .shape = SegmentJoinShape,
                      .kernel = JoinKernel<UnsortedSegmentJoin>,
                      .gradient = gradients::None});
}

}  // namespace flowlatch
