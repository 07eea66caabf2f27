#include "ops/kernels/sparse.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/base/status_macros.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/moving_kernel.h"

namespace flowlatch {
namespace {

absl::Status Unfit(std::string_view what, const char* part, const std::string& expected, const Tensor& got) {
  return absl::InvalidArgumentError(absl::StrCat(absl::string_view(what.data(), what.size()), part, ": expected ",
                                                 expected, ", got shape ", got.ShapeString()));
}

}  // namespace

absl::StatusOr<IndexRows> ReadIndexRows(const Tensor& indices, std::string_view what) {
  if (indices.rank() != 2 || indices.dim(1) > kMaxRank) return Unfit(what, "indices", "a matrix of indices", indices);
  IndexRows rows{.rank = static_cast<int>(indices.dim(1)), .numbers = {}};
  if (indices.dtype() == DType::kInt64) {
    rows.numbers.assign(indices.values<int64_t>().begin(), indices.values<int64_t>().end());
  } else if (indices.dtype() == DType::kInt32) {
    rows.numbers.assign(indices.values<int32_t>().begin(), indices.values<int32_t>().end());
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("indices: expected int32 or int64, got ", std::string(DTypeName(indices.dtype()))));
  }
  return rows;
}

absl::StatusOr<SparseInput> ReadSparse(const Tensor& indices, const Tensor& values, const Tensor& dense_shape,
                                       std::string_view what) {
  SparseInput sparse;
  ASSIGN_OR_RETURN(sparse.indices, ReadIndexRows(indices, what));
  sparse.n = indices.dim(0);
  if (!values.is_vector() || values.dim(0) != sparse.n) {
    return Unfit(what, "values", absl::StrCat("shape [", sparse.n, "], one for each index"), values);
  }
  if (!dense_shape.is_vector() || dense_shape.dim(0) != sparse.rank()) {
    return Unfit(what, "shape", absl::StrCat("shape [", sparse.rank(), "], as long as an index"), dense_shape);
  }
  sparse.values = &values;
  ASSIGN_OR_RETURN(sparse.dims, ReadIntVector(dense_shape, "dense_shape"));
  for (const int64_t dim : sparse.dims) {
    if (dim >= 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(absl::string_view(what.data(), what.size()),
                                                   "shape: expected no negative dimension, got ", dim));
  }
  return sparse;
}

absl::Status CheckPlaces(const SparseInput& sparse, std::string_view what) {
  const int rank = sparse.rank();
  for (int64_t i = 0; i < sparse.n; ++i) {
    const int64_t* index = sparse.indices[i];
    for (int d = 0; d < rank; ++d) {
      if (index[d] >= 0 && index[d] < sparse.dims[d]) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          absl::string_view(what.data(), what.size()), "indices[", i, "]: expected a place in shape ",
          DimsToString(sparse.dims), ", got [", absl::StrJoin(sparse.indices.row(i), ","), "]"));
    }
  }
  return absl::OkStatus();
}

absl::Status ExpectEqualDims(const SparseInput& a, const SparseInput& b) {
  if (a.dims == b.dims) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("dense shapes of two sparse tensors: expected the same, got ",
                                                 DimsToString(a.dims), " and ", DimsToString(b.dims)));
}

int CompareIndices(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  for (size_t d = 0; d < a.size() && d < b.size(); ++d) {
    if (a[d] != b[d]) return a[d] < b[d] ? -1 : 1;
  }
  return 0;
}

std::vector<int64_t> AscendingOrder(const IndexRows& rows) {
  const int64_t n = rows.rank > 0 ? static_cast<int64_t>(rows.numbers.size()) / rows.rank : 0;
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  const auto before = [&](int64_t a, int64_t b) { return CompareIndices(rows.row(a), rows.row(b)) < 0; };
  if (!std::is_sorted(order.begin(), order.end(), before)) std::stable_sort(order.begin(), order.end(), before);
  return order;
}

std::vector<EntryGroup> GroupsOf(const IndexRows& rows, int depth) {
  const int64_t n = rows.rank > 0 ? static_cast<int64_t>(rows.numbers.size()) / rows.rank : 0;
  std::vector<EntryGroup> groups;
  for (int64_t i = 0; i < n; ++i) {
    if (i == 0 || CompareIndices(rows.row(i).first(depth), rows.row(i - 1).first(depth)) != 0) groups.push_back({i, i});
    groups.back().end = i + 1;
  }
  return groups;
}

int64_t FlatPlace(absl::Span<const int64_t> index, absl::Span<const int64_t> dims) {
  int64_t place = 0;
  for (size_t d = 0; d < dims.size(); ++d) place = place * dims[d] + index[d];
  return place;
}

absl::Status SetIndexRows(KernelCall& c, int i, const IndexRows& rows, int64_t count) {
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(i, DType::kInt64, {count, rows.rank}));
  std::copy(rows.numbers.begin(), rows.numbers.end(), output->mutable_data<int64_t>());
  return absl::OkStatus();
}

absl::Status SetInts(KernelCall& c, int i, absl::Span<const int64_t> values) {
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(i, DType::kInt64, {static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), output->mutable_data<int64_t>());
  return absl::OkStatus();
}

absl::Status SetPickedValues(KernelCall& c, int i, const Tensor& from, absl::Span<const int64_t> places) {
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(i, from.dtype(), {static_cast<int64_t>(places.size())}));
  WithStorageType(from.dtype(), [&]<typename E>() {
    E* to = MutableElements<E>(*output);
    for (size_t k = 0; k < places.size(); ++k) to[k] = Elements<E>(from)[places[k]];
  });
  return absl::OkStatus();
}

absl::StatusOr<int64_t> ExpectSparse(const ShapeContext& c, int first) {
  ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(first, 2));
  ASSIGN_OR_RETURN(const PartialShape values, c.WithRank(first + 1, 1));
  ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(first + 2, 1));
  const auto merge = [](const PartialShape& a, int i, const PartialShape& b, int k) -> absl::StatusOr<int64_t> {
    const int64_t x = a.has_rank() ? a.dim(i) : -1, y = b.has_rank() ? b.dim(k) : -1;
    if (x >= 0 && y >= 0 && x != y) {
      return absl::InvalidArgumentError(absl::StrCat("parts of a sparse tensor: expected shapes that fit, got ",
                                                     a.ToString(), " and ", b.ToString()));
    }
    return x >= 0 ? x : y;
  };
  RETURN_IF_ERROR(merge(indices, 0, values, 0).status());
  return merge(indices, 1, shape, 0);
}

void SetSparseOutput(ShapeContext& c, int first, int64_t entries, int64_t rank) {
  c.SetOutput(first, PartialShape::Of({entries, rank}));
  c.SetOutput(first + 1, PartialShape::Of({entries}));
  c.SetOutput(first + 2, PartialShape::Of({rank}));
}

}  // namespace flowlatch
