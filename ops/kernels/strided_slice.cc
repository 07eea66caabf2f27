#include "ops/kernels/strided_slice.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/slice_copy.h"

namespace flowlatch {
namespace {

bool Bit(int64_t mask, int64_t i) { return i < 64 && ((static_cast<uint64_t>(mask) >> i) & 1) != 0; }

std::optional<int64_t> ValueAt(const std::optional<Dims>& values, int64_t i) {
  if (!values.has_value()) return std::nullopt;
  return (*values)[i];
}

// A position of a range as a number in [low, high]; negative ones count from the end.
int64_t ClampPosition(int64_t position, int64_t dim, int64_t low, int64_t high) {
  return std::clamp(position < 0 ? position + dim : position, low, high);
}

absl::StatusOr<DimSlice> ResolveIndex(std::optional<int64_t> begin, std::optional<int64_t> stride, int64_t dim, int d) {
  if (stride.has_value() && *stride <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("stride of the index of dimension ", d, ": expected 1, got ", *stride));
  }
  if (!begin.has_value() || dim < 0) return DimSlice{0, 1, 1};
  const int64_t index = *begin < 0 ? *begin + dim : *begin;
  if (index < 0 || index >= dim) {
    return absl::InvalidArgumentError(
        absl::StrCat("slice index of dimension ", d, ": expected a value in [", -dim, ",", dim, "), got ", *begin));
  }
  return DimSlice{index, 1, 1};
}

absl::StatusOr<DimSlice> ResolveRange(std::optional<int64_t> begin, std::optional<int64_t> end, bool from_start,
                                      bool to_end, std::optional<int64_t> stride, int64_t dim, int d) {
  if (stride == 0) {
    return absl::InvalidArgumentError(absl::StrCat("strides[", d, "]: expected a value other than 0, got 0"));
  }
  const bool known = dim >= 0 && stride.has_value() && (from_start || begin.has_value()) && (to_end || end.has_value());
  if (!known) return DimSlice{0, 1, -1};
  // The positions before the first and after the last element, seen in the direction of the stride.
  const int64_t low = *stride > 0 ? 0 : -1;
  const int64_t high = *stride > 0 ? dim : dim - 1;
  const int64_t first = from_start ? (*stride > 0 ? low : high) : ClampPosition(*begin, dim, low, high);
  const int64_t last = to_end ? (*stride > 0 ? high : low) : ClampPosition(*end, dim, low, high);
  const int64_t length = last - first;
  if (length == 0 || (length < 0) != (*stride < 0)) return DimSlice{0, 1, 0};
  return DimSlice{first, *stride, length / *stride + (length % *stride != 0 ? 1 : 0)};
}

}  // namespace

absl::StatusOr<ResolvedSlice> ResolveSlice(const SliceMasks& masks, absl::Span<const int64_t> dims,
                                           const SliceEntries& entries) {
  const int rank = static_cast<int>(dims.size());
  int64_t ellipses = 0;
  int64_t named = 0;  // dimensions with an entry of their own
  for (int64_t i = 0; i < entries.count; ++i) {
    if (Bit(masks.ellipsis, i)) {
      ++ellipses;
    } else if (!Bit(masks.new_axis, i)) {
      ++named;
    }
  }
  if (ellipses > 1) {
    return absl::InvalidArgumentError(absl::StrCat("ellipses of a slice: expected at most 1, got ", ellipses));
  }
  if (named > rank) {
    return absl::InvalidArgumentError(absl::StrCat("slice of a tensor of shape ", DimsToString(dims),
                                                   ": expected at most ", rank, " ranges and indices, got ", named));
  }
  ResolvedSlice slice;
  const auto take_whole = [&](int64_t count) {
    for (; count > 0; --count) {
      const int64_t dim = dims[slice.dims.size()];
      slice.dims.push_back({0, 1, dim});
      slice.output.push_back(dim);
    }
  };
  for (int64_t i = 0; i < entries.count; ++i) {
    if (Bit(masks.ellipsis, i)) {
      take_whole(rank - named);
      continue;
    }
    if (Bit(masks.new_axis, i)) {
      slice.output.push_back(1);
      continue;
    }
    const int d = static_cast<int>(slice.dims.size());
    const std::optional<int64_t> stride = ValueAt(entries.strides, i);
    if (Bit(masks.shrink_axis, i)) {
      ASSIGN_OR_RETURN(const DimSlice index, ResolveIndex(ValueAt(entries.begin, i), stride, dims[d], d));
      slice.dims.push_back(index);
    } else {
      ASSIGN_OR_RETURN(const DimSlice range, ResolveRange(ValueAt(entries.begin, i), ValueAt(entries.end, i),
                                                          Bit(masks.begin, i), Bit(masks.end, i), stride, dims[d], d));
      slice.dims.push_back(range);
      slice.output.push_back(range.size);
    }
  }
  take_whole(rank - static_cast<int64_t>(slice.dims.size()));
  return slice;
}

absl::StatusOr<SliceEntries> ReadSliceEntries(const Tensor& begin, const Tensor& end, const Tensor& strides) {
  if (!begin.is_vector() || end.dims() != begin.dims() || strides.dims() != begin.dims()) {
    return absl::InvalidArgumentError(
        absl::StrCat("begin, end and strides: expected vectors of one length, got shapes ", begin.ShapeString(), ", ",
                     end.ShapeString(), " and ", strides.ShapeString()));
  }
  SliceEntries entries{.count = begin.num_elements()};
  ASSIGN_OR_RETURN(entries.begin, ReadIntVector(begin, "begin"));
  ASSIGN_OR_RETURN(entries.end, ReadIntVector(end, "end"));
  ASSIGN_OR_RETURN(entries.strides, ReadIntVector(strides, "strides"));
  return entries;
}

absl::StatusOr<std::optional<SliceEntries>> SliceEntriesOf(const ShapeContext& c, int first) {
  PartialShape length = c.input(first);
  for (int i = first; i < first + 3; ++i) {
    RETURN_IF_ERROR(c.ExpectVector(i));
    ASSIGN_OR_RETURN(length, length.MergeWith(c.input(i)));
  }
  if (!length.fully_defined()) return std::optional<SliceEntries>();
  SliceEntries entries{.count = length.dim(0)};
  const auto read = [&](int input, const char* what, std::optional<Dims>* values) -> absl::Status {
    const Tensor* constant = c.constant(input);
    if (constant == nullptr) return absl::OkStatus();
    ASSIGN_OR_RETURN(*values, ReadIntVector(*constant, what));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(read(first, "begin", &entries.begin));
  RETURN_IF_ERROR(read(first + 1, "end", &entries.end));
  RETURN_IF_ERROR(read(first + 2, "strides", &entries.strides));
  return std::optional<SliceEntries>(std::move(entries));
}

absl::StatusOr<Tensor> BroadcastToSlice(const Tensor& value, const Shape& slice) {
  if (slice.num_elements() == 0) return Tensor::Make(value.dtype(), slice);
  absl::Span<const int64_t> from = value.dims();
  while (from.size() > slice.dims().size() && from[0] == 1) from.remove_prefix(1);
  const absl::StatusOr<Shape> common = BroadcastShapes(from, slice.dims());
  if (!common.ok() || !(*common == slice)) {
    return absl::InvalidArgumentError(
        absl::StrCat("value: expected a shape that broadcasts to ", slice.ToString(), ", got ", value.ShapeString()));
  }
  if (value.num_elements() == slice.num_elements()) return value;
  ASSIGN_OR_RETURN(Tensor whole, Tensor::Make(value.dtype(), slice));
  WithStorageType(value.dtype(), [&]<typename E>() {
    CopyFromView(ViewOfBroadcast(from, slice.dims()), static_cast<const E*>(value.raw_data()),
                 static_cast<E*>(whole.raw_mutable_data()), 0, slice.num_elements());
  });
  return whole;
}

StridedView ViewOfSlice(absl::Span<const DimSlice> slice, absl::Span<const int64_t> dims) {
  const Dims strides = StridesOf(dims);
  StridedView view;
  for (size_t d = 0; d < slice.size(); ++d) {
    view.offset += slice[d].begin * strides[d];
    // A stride as large as it likes to be is fine where it is never taken.
    view.Add(slice[d].size, slice[d].size > 1 ? slice[d].stride * strides[d] : 0);
  }
  return view;
}

}  // namespace flowlatch
