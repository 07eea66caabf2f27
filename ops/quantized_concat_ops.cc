// Joining quantised tensors that each come with the ends of their range.
//   QuantizedConcat(V2): N tensors [d.., k, d..] of quint8, qint8 or qint32 -> [d.., the sum of all k, d..], in a range that holds
//     all of theirs. Of signed integers it is symmetric; of quint8 it begins at the least min, or at 0 with V2.
// Tensors whose range is that of the result are copied, others brought to it.
#include "ops/quantized_concat_ops.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/quantized.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

// Where the inputs are: values [first, first + n), the axis, then n mins and n maxes.
struct Layout {
  Layout(bool is_v2, int num_inputs) : n((num_inputs - 1) / 3), first(is_v2 ? 0 : 1), axis(is_v2 ? n : 0) {}
  int n, first, axis;
};

absl::StatusOr<std::vector<QuantizedRange>> ReadRanges(const KernelCall& c, const Layout& layout) {
  std::vector<QuantizedRange> ranges;
  for (int i = layout.n + 1; i < c.num_inputs(); ++i) {
    if (c.input(i).num_elements() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("ends of ranges: expected one element each, got shape ", c.input(i).ShapeString()));
    }
  }
  for (int i = layout.n + 1; i <= 2 * layout.n; ++i) {
    ranges.push_back({*c.input(i).data<float>(), *c.input(i + layout.n).data<float>()});
  }
  return ranges;
}

template <typename Q>
QuantizedRange CommonRange(const std::vector<QuantizedRange>& ranges, bool is_v2) {
  QuantizedRange common{0, ranges[0].max};
  for (const QuantizedRange& range : ranges) common = {std::min(common.min, range.min), std::max(common.max, range.max)};
  if (std::is_signed_v<StoredAs<Q>>) {
    const float end = std::max(std::fabs(common.min), std::fabs(common.max));
    return {-end, end};
  }
  if (is_v2) common.min = 0;
  return common;
}

template <typename Q, bool kV2>
absl::Status Concat(KernelCall& c) {
  const Layout layout(kV2, c.num_inputs());
  ASSIGN_OR_RETURN(const int64_t axis_value, ReadIntScalar(c.input(layout.axis), "axis"));
  const Tensor& head = c.input(layout.first);
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(axis_value, head.rank()));
  ASSIGN_OR_RETURN(const std::vector<QuantizedRange> ranges, ReadRanges(c, layout));
  Dims dims(head.dims().begin(), head.dims().end());
  dims[axis] = 0;
  for (int i = 0; i < layout.n; ++i) {
    const Tensor& value = c.input(layout.first + i);
    bool fits = value.rank() == head.rank();
    for (int d = 0; fits && d < head.rank(); ++d) fits = d == axis || value.dim(d) == head.dim(d);
    const std::optional<int64_t> size = fits ? CheckedAdd(dims[axis], value.dim(axis)) : std::nullopt;
    if (!size.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat("values[", i, "]: expected shape ", head.ShapeString(),
                                                     " but for dimension ", axis, ", got ", value.ShapeString()));
    }
    dims[axis] = *size;
  }
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, kDTypeOf<Q>, shape));
  const QuantizedRange common = CommonRange<Q>(ranges, kV2);
  SetRange(c, 1, common);
  if (shape.num_elements() == 0) return absl::OkStatus();
  int64_t outer = 1;
  for (int d = 0; d < axis; ++d) outer *= dims[d];
  const int64_t row = shape.num_elements() / outer;
  const ArrayQuantizer<Q> quantize(common);
  Q* column = output->mutable_data<Q>();
  for (int i = 0; i < layout.n; ++i) {
    const Tensor& value = c.input(layout.first + i);
    const int64_t chunk = value.num_elements() / outer;
    const bool is_copy = ranges[i] == common;
    const ArrayDequantizer<Q> dequantize(ranges[i]);
    RunLoop(c, outer, 3.0 * static_cast<double>(chunk), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const Q* from = value.data<Q>() + r * chunk;
        Q* to = column + r * row;
        if (is_copy) std::copy(from, from + chunk, to);
        else std::transform(from, from + chunk, to, [&](Q q) { return Q{quantize(dequantize(q))}; });
      }
    });
    column += chunk;
  }
  return absl::OkStatus();
}

template <bool kV2>
absl::StatusOr<Kernel> ConcatKernel(const NodeInfo& node) {
  constexpr DTypeSet kTypes{DType::kQUInt8, DType::kQInt8, DType::kQInt32};
  const KernelFn fn = DispatchDType<kTypes>(node.output_dtype(0), KernelFn{},
                                            []<typename Q>() -> KernelFn { return &RunKernel<Concat<Q, kV2>>; });
  if (fn == nullptr) return NoKernelFor(node, node.output_dtype(0));
  return Kernel{.fn = fn};
}

template <bool kV2>
absl::Status ConcatShape(ShapeContext& c) {
  const Layout layout(kV2, c.num_inputs());
  RETURN_IF_ERROR(c.ExpectScalar(layout.axis));
  RETURN_IF_ERROR(ExpectRanges(c, layout.n + 1));
  RETURN_IF_ERROR(SetRangeShapes(c));
  ASSIGN_OR_RETURN(const std::optional<int64_t> axis_value, c.ConstantInt(layout.axis));
  PartialShape merged;
  std::optional<int> axis;
  std::optional<int64_t> size = 0;
  for (int i = layout.first; i < layout.first + layout.n; ++i) {
    PartialShape value = c.input(i);
    if (!value.has_rank()) {
      size = std::nullopt;
      continue;
    }
    if (!axis.has_value() && axis_value.has_value()) {
      ASSIGN_OR_RETURN(axis, NormalizeAxis(*axis_value, value.rank()));
    }
    if (!axis.has_value() || (merged.has_rank() && value.rank() != merged.rank())) {
      value = PartialShape::UnknownOfRank(value.rank());
    } else {
      size = size.has_value() && value.has_dim(*axis) ? CheckedAdd(*size, value.dim(*axis)) : std::nullopt;
      Dims dims(value.dims().begin(), value.dims().end());
      dims[*axis] = -1;
      value = PartialShape::FromValid(dims);
    }
    ASSIGN_OR_RETURN(merged, merged.MergeWith(value));
  }
  if (axis.has_value() && size.has_value()) {
    Dims dims(merged.dims().begin(), merged.dims().end());
    dims[*axis] = *size;
    ASSIGN_OR_RETURN(merged, PartialShape::Make(dims));
  }
  c.SetOutput(0, std::move(merged));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterQuantizedConcatOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = TensorFlowSignature("QuantizedConcat"),
      .doc = "Joins integers that stand for different ranges, along an axis",
      .shape = ConcatShape<false>,
      .kernel = ConcatKernel<false>,
  }));
  return library.Add({
      .signature = TensorFlowSignature("QuantizedConcatV2"),
      .doc = "Joins integers that stand for different ranges, along an axis",
      .shape = ConcatShape<true>,
      .kernel = ConcatKernel<true>,
  });
}

}  // namespace flowlatch
