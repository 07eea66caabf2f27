// Combining the rows of a tensor by the segment that each belongs to.
//   UnsortedSegment*: data [ids.., row..], segment_ids [ids..], num_segments: scalar -> [num_segments, row..].
//     Rows with a negative id are dropped; an id >= num_segments is an error unless the output has no elements. Segments
//     without rows are 0 (Sum), 1 (Prod), the lowest (Max) or the highest (Min) finite number.
//   Segment*: data [n, row..], segment_ids [n], which never decrease -> [last id + 1, row..].
//     Segments without rows are 0, and 1 for Prod.
// Rows combine in order, in the element type; integers wrap.
#include "ops/segment_ops.h"

#include <algorithm>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/combine.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

// Max and Min of segments start from finite numbers and forget a NaN when a number follows.
struct SegmentMax {
  template <typename T>
  static T Identity() { return std::numeric_limits<T>::lowest(); }
  template <typename T>
  static T Apply(T a, T b) { return a > b ? a : b; }
};

struct SegmentMin {
  template <typename T>
  static T Identity() { return std::numeric_limits<T>::max(); }
  template <typename T>
  static T Apply(T a, T b) { return a < b ? a : b; }
};

constexpr float kLargestHalf = 65504.0f;
constexpr float kLargestBFloat16 = 3.3895313892515355e38f;

// What segments of element type T start from. The finite limits of the small formats are their own, not float's.
template <typename Op, typename T>
T Start() {
  if constexpr (kIsSmallFloat<T>) {
    const float largest = std::is_same_v<T, Half> ? kLargestHalf : kLargestBFloat16;
    return T(std::clamp(Op::template Identity<float>(), -largest, largest));
  } else {
    return Op::template Identity<T>();
  }
}

// `data` and `ids` may have unknown dimensions (-1). The dimensions of a row.
absl::StatusOr<absl::Span<const int64_t>> RowDims(absl::Span<const int64_t> data, absl::Span<const int64_t> ids) {
  bool is_prefix = ids.size() <= data.size();
  for (size_t i = 0; is_prefix && i < ids.size(); ++i) {
    is_prefix = data[i] == ids[i] || data[i] < 0 || ids[i] < 0;
  }
  if (!is_prefix) {
    return absl::InvalidArgumentError(absl::StrCat("data: expected a shape that starts with the shape of segment_ids, ",
                                                   DimsToString(ids), ", got ", DimsToString(data)));
  }
  return data.subspan(ids.size());
}

absl::Status CheckNumSegments(int64_t n) {
  if (n >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("num_segments: expected a value >= 0, got ", n));
}

absl::Status SegmentShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(2));
  ASSIGN_OR_RETURN(const std::optional<int64_t> n, c.ConstantInt(2));
  if (n.has_value()) RETURN_IF_ERROR(CheckNumSegments(*n));
  if (!c.input(0).has_rank() || !c.input(1).has_rank()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const absl::Span<const int64_t> row, RowDims(c.input(0).dims(), c.input(1).dims()));
  Dims dims(row.begin(), row.end());
  dims.insert(dims.begin(), n.value_or(-1));
  ASSIGN_OR_RETURN(PartialShape output, PartialShape::Make(dims));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

template <typename Op, typename T>
absl::Status CombineSegments(KernelCall& c) {
  const Tensor& data = c.input(0);
  ASSIGN_OR_RETURN(const absl::Span<const int64_t> row, RowDims(data.dims(), c.input(1).dims()));
  ASSIGN_OR_RETURN(const int64_t num_segments, ReadIntScalar(c.input(2), "num_segments"));
  RETURN_IF_ERROR(CheckNumSegments(num_segments));
  Dims dims(row.begin(), row.end());
  dims.insert(dims.begin(), num_segments);
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, data.dtype(), dims));
  // Ids do not matter where there is nothing to write, but a row without a segment has nowhere to go.
  if (output->num_elements() == 0 && num_segments > 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Indices ids, ReadSegmentIds(c.input(1), num_segments, "segment_ids"));
  if (output->num_elements() == 0) return absl::OkStatus();
  const int64_t columns = output->num_elements() / num_segments;
  const T* from = data.data<T>();
  T* to = output->mutable_data<T>();
  // Threads share the columns: rows of one segment must combine in order.
  const double cost = 0.5 * static_cast<double>(ids.size() + num_segments);
  RunLoop(c, columns, cost, [&](int64_t begin, int64_t end) {
    for (int64_t s = 0; s < num_segments; ++s) std::fill(to + s * columns + begin, to + s * columns + end, Start<Op, T>());
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] < 0) continue;
      const T* row_from = from + static_cast<int64_t>(i) * columns;
      T* row_to = to + ids[i] * columns;
      for (int64_t k = begin; k < end; ++k) {
        row_to[k] = T(Op::template Apply<combine::Wide<T>>(row_to[k], row_from[k]));
      }
    }
  });
  return absl::OkStatus();
}

// ---- Segments in order

struct SegmentSum : combine::Sum {
  template <typename T>
  static T Finish(T total, int64_t) { return total; }
};
struct SegmentProd : combine::Prod {
  template <typename T>
  static T Finish(T total, int64_t) { return total; }
};
struct SegmentMean : combine::Sum {
  template <typename T>
  static T Finish(T total, int64_t count) {
    if constexpr (std::is_unsigned_v<T>) return static_cast<T>(uint64_t{total} / static_cast<uint64_t>(count));
    else if constexpr (std::is_integral_v<T>) return static_cast<T>(int64_t{total} / count);  // count may not fit T
    else return T(total / static_cast<combine::Wide<T>>(count));
  }
};
struct SortedMax : SegmentMax {
  template <typename T>
  static T Finish(T total, int64_t) { return total; }
};
struct SortedMin : SegmentMin {
  template <typename T>
  static T Finish(T total, int64_t) { return total; }
};

// Dimensions may be -1 (unknown).
absl::Status CheckSortedShapes(absl::Span<const int64_t> data, absl::Span<const int64_t> ids) {
  if (data.empty() || ids.size() != 1 || (data[0] >= 0 && ids[0] >= 0 && data[0] != ids[0])) {
    return absl::InvalidArgumentError(absl::StrCat("segment_ids: expected one id for each row of data, of shape ",
                                                   DimsToString(data), ", got shape ", DimsToString(ids)));
  }
  return absl::OkStatus();
}

absl::Status SortedSegmentShape(ShapeContext& c) {
  if (!c.input(0).has_rank()) return absl::OkStatus();
  if (c.input(1).has_rank()) RETURN_IF_ERROR(CheckSortedShapes(c.input(0).dims(), c.input(1).dims()));
  if (c.input(0).rank() == 0) return absl::OkStatus();
  Dims dims(c.input(0).dims().begin(), c.input(0).dims().end());
  dims[0] = -1;
  c.SetOutput(0, PartialShape::FromValid(dims));
  return absl::OkStatus();
}

absl::StatusOr<Indices> ReadSortedIds(const Tensor& t) {
  ASSIGN_OR_RETURN(Indices ids, ReadSegmentIds(t, std::numeric_limits<int64_t>::max(), "segment_ids"));
  int64_t least = 0;
  for (size_t i = 0; i < ids.size(); least = ids[i++]) {
    if (ids[i] >= least) continue;
    return absl::InvalidArgumentError(absl::StrCat("segment_ids[", i, "]: expected a value >= ", least, ", got ", ids[i]));
  }
  return ids;
}

template <typename Op, typename T>
absl::Status CombineSortedSegments(KernelCall& c) {
  using W = combine::Wide<T>;
  const Tensor& data = c.input(0);
  RETURN_IF_ERROR(CheckSortedShapes(data.dims(), c.input(1).dims()));
  ASSIGN_OR_RETURN(const Indices ids, ReadSortedIds(c.input(1)));
  Dims dims(data.dims().begin(), data.dims().end());
  dims[0] = ids.empty() ? 0 : ids.back() + 1;
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, data.dtype(), dims));
  if (output->num_elements() == 0) return absl::OkStatus();
  const int64_t n = static_cast<int64_t>(ids.size()), columns = data.num_elements() / n;
  const T* from = data.data<T>();
  T* to = output->mutable_data<T>();
  const T empty = std::is_base_of_v<combine::Prod, Op> ? T(W(1)) : T(W(0));
  RunLoop(c, columns, static_cast<double>(n), [&](int64_t begin, int64_t end) {
    int64_t next = 0;  // segments below it are done
    for (int64_t first = 0, last = 0; first < n; first = last) {
      for (; next < ids[first]; ++next) std::fill(to + next * columns + begin, to + next * columns + end, empty);
      T* row = to + next++ * columns;
      std::copy(from + first * columns + begin, from + first * columns + end, row + begin);
      for (last = first + 1; last < n && ids[last] == ids[first]; ++last) {
        const T* x = from + last * columns;
        for (int64_t k = begin; k < end; ++k) row[k] = T(Op::template Apply<W>(row[k], x[k]));
      }
      for (int64_t k = begin; k < end; ++k) row[k] = Op::Finish(row[k], last - first);
    }
  });
  return absl::OkStatus();
}

template <typename Op, DTypeSet kTypes>
absl::StatusOr<Kernel> SortedSegmentKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kTypes>(node.input_dtype(0), KernelFn{},
                                            []<typename T>() { return &RunKernel<CombineSortedSegments<Op, T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

template <typename Op, DTypeSet kTypes>
absl::StatusOr<Kernel> SegmentKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kTypes>(node.input_dtype(0), KernelFn{},
                                            []<typename T>() { return &RunKernel<CombineSegments<Op, T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

// ---- Gradients

bool IsSorted(GradContext& c) { return absl::StartsWith(c.op(), "Segment"); }

// For each row of data its segment's row of another tensor: zeros where the id is negative, which unsorted ops drop.
class SegmentRows {
 public:
  explicit SegmentRows(GradContext& c) : c_(c), ids_(c.input(1)) {
    if (IsSorted(c)) return;
    kept_ = ids_ >= 0;
    ids_ = c.Op("Maximum", {ids_, c.ScalarLike(0, ids_)});
  }

  Output Of(const Output& rows) const {
    const Output gathered = c_.Op("GatherV2", {rows, ids_, 0});
    return kept_ ? c_.Op("SelectV2", {KeptLike(gathered), gathered, c_.ScalarLike(0, gathered)}) : gathered;
  }

  // `chosen`, a condition for each element, without dropped elements.
  Output Kept(const Output& chosen) const { return kept_ ? c_.Op("LogicalAnd", {chosen, KeptLike(chosen)}) : chosen; }

 private:
  // With as many dimensions as `x`, so that it broadcasts with it.
  Output KeptLike(const Output& x) const {
    if (kept_.shape().has_rank() && kept_.shape().rank() == x.shape().rank()) return kept_;
    const Output more = c_.Op("ExpandDims", {c_.Op("Rank", {x}) - c_.Op("Rank", {kept_}), 0});
    const Output ones = c_.Op("Fill", {more, int32_t{1}});
    return c_.Op("Reshape", {kept_, c_.Op("ConcatV2", {ShapeOf(c_, kept_), ones, 0})});
  }

  GradContext& c_;
  Output ids_;   // none is negative
  Output kept_;  // a condition for each id; empty where all are kept
};

// Segments of `data` reduced by the op's sorted or unsorted form.
Output ReduceSegments(GradContext& c, absl::string_view how, const Output& data) {
  if (IsSorted(c)) return c.Op(absl::StrCat("Segment", how), {data, c.input(1)});
  return c.Op(absl::StrCat("UnsortedSegment", how), {data, c.input(1), c.input(2)});
}

absl::Status SegmentSumGrad(GradContext& c) {
  c.Set(0, SegmentRows(c).Of(c.grad()));
  return absl::OkStatus();
}

absl::Status SegmentMeanGrad(GradContext& c) {
  const Output ones = c.Op("Fill", {c.ShapeOfInput(0), c.ScalarLike(1, c.grad())});
  c.Set(0, SegmentRows(c).Of(c.grad() / ReduceSegments(c, "Sum", ones)));
  return absl::OkStatus();
}

// Max, Min: the elements that equal the segment's result share its gradient.
absl::Status SegmentExtremeGrad(GradContext& c) {
  const SegmentRows rows(c);
  const Output chosen = rows.Kept(c.Op("Equal", {c.input(0), rows.Of(c.output(0))}));
  const Output count = ReduceSegments(c, "Sum", c.Op("Cast", {chosen}, {{"DstT", c.input_dtype(0)}}));
  const Output shares = rows.Of(c.grad() / count);
  c.Set(0, c.Op("SelectV2", {chosen, shares, c.ScalarLike(0, shares)}));
  return absl::OkStatus();
}

// The product of a segment's other elements: its product divided by the element, or where that is the segment's only
// zero, the product of those that are not. Two zeros leave nothing.
absl::Status SegmentProdGrad(GradContext& c) {
  const SegmentRows rows(c);
  const Output x = c.input(0);
  const Output is_zero = c.Op("Equal", {x, c.ScalarLike(0, x)});
  const Output zeros = ReduceSegments(c, "Sum", c.Op("Cast", {is_zero}, {{"DstT", DType::kInt32}}));
  const Output grad = c.Op("SelectV2", {zeros > 1, c.ScalarLike(0, c.grad()), c.grad()});
  const Output nonzero = c.Op("SelectV2", {is_zero, c.ScalarLike(1, x), x});
  const Output others =
      c.Op("SelectV2", {is_zero, rows.Of(ReduceSegments(c, "Prod", nonzero)), rows.Of(c.output(0)) / nonzero});
  c.Set(0, rows.Of(grad) * others);
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterSegmentOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "SegmentSum(data: T, segment_ids: Tindices) -> (output: T); T: {float32, float64, int32, uint8, "
                   "int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
                   "complex128, float16, uint32, uint64}; Tindices: {int32, int64}",
      .doc = "sums of the rows of each segment, in order",
      .shape = SortedSegmentShape,
      .kernel = SortedSegmentKernel<SegmentSum, kNumberTypes>,
      .dtypes = kNumberTypes,
      .gradient = SegmentSumGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "SegmentMean(data: T, segment_ids: Tindices) -> (output: T); T: {float32, float64, int32, uint8, "
                   "int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
                   "complex128, float16, uint32, uint64}; Tindices: {int32, int64}",
      .doc = "means of the rows of each segment, in order",
      .shape = SortedSegmentShape,
      .kernel = SortedSegmentKernel<SegmentMean, kNumberTypes>,
      .dtypes = kNumberTypes,
      .gradient = SegmentMeanGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "SegmentProd(data: T, segment_ids: Tindices) -> (output: T); T: {float32, float64, int32, uint8, "
                   "int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
                   "complex128, float16, uint32, uint64}; Tindices: {int32, int64}",
      .doc = "products of the rows of each segment, in order",
      .shape = SortedSegmentShape,
      .kernel = SortedSegmentKernel<SegmentProd, kNumberTypes>,
      .dtypes = kNumberTypes,
      .gradient = SegmentProdGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "SegmentMax(data: T, segment_ids: Tindices) -> (output: T); T: {float32, float64, int32, uint8, "
                   "int16, int8, int64, bfloat16, uint16, float16, uint32, uint64}; Tindices: {int32, int64}",
      .doc = "largest values in the rows of each segment, in order",
      .shape = SortedSegmentShape,
      .kernel = SortedSegmentKernel<SortedMax, kRealTypes>,
      .dtypes = kRealTypes,
      .gradient = SegmentExtremeGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "SegmentMin(data: T, segment_ids: Tindices) -> (output: T); T: {float32, float64, int32, uint8, "
                   "int16, int8, int64, bfloat16, uint16, float16, uint32, uint64}; Tindices: {int32, int64}",
      .doc = "smallest values in the rows of each segment, in order",
      .shape = SortedSegmentShape,
      .kernel = SortedSegmentKernel<SortedMin, kRealTypes>,
      .dtypes = kRealTypes,
      .gradient = SegmentExtremeGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "UnsortedSegmentSum(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T); "
          "T: {float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
          "qint16, quint16, uint16, complex128, float16, uint32, uint64}; Tindices: {int16, int32, int64}; "
          "Tnumsegments: {int32, int64} = int32",
      .doc = "sums of the rows of each segment",
      .shape = SegmentShape,
      .kernel = SegmentKernel<combine::Sum, kNumberTypes>,
      .dtypes = kNumberTypes,
      .gradient = SegmentSumGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "UnsortedSegmentProd(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T); "
          "T: {float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
          "qint16, quint16, uint16, complex128, float16, uint32, uint64}; Tindices: {int32, int64}; "
          "Tnumsegments: {int32, int64} = int32",
      .doc = "products of the rows of each segment",
      .shape = SegmentShape,
      .kernel = SegmentKernel<combine::Prod, kNumberTypes>,
      .dtypes = kNumberTypes,
      .gradient = SegmentProdGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "UnsortedSegmentMax(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T); "
          "T: {float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64}; "
          "Tindices: {int32, int64}; Tnumsegments: {int32, int64} = int32",
      .doc = "largest values in the rows of each segment",
      .shape = SegmentShape,
      .kernel = SegmentKernel<SegmentMax, kRealTypes>,
      .dtypes = kRealTypes,
      .gradient = SegmentExtremeGrad,
  }));
  return library.Add({
      .signature =
          "UnsortedSegmentMin(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T); "
          "T: {float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64}; "
          "Tindices: {int32, int64}; Tnumsegments: {int32, int64} = int32",
      .doc = "smallest values in the rows of each segment",
      .shape = SegmentShape,
      .kernel = SegmentKernel<SegmentMin, kRealTypes>,
      .dtypes = kRealTypes,
      .gradient = SegmentExtremeGrad,
  });
}

}  // namespace flowlatch
