// Sparse tensors (indices [n, r], values [n], dense_shape [r]) whose entries go elsewhere:
//   SparseReorder: in ascending order of their indices; equal ones keep theirs.
//   SparseReshape: under another dense_shape of as many elements; one dimension may be -1.
//   SparseSlice: those in [start, start + size), moved to the origin; SparseSliceGrad: gradients of its values, 0 for
//     entries that are not in the slice.
//   SparseConcat: N tensors beside each other along concat_dim, in ascending order.
//   SparseSplit: num_split parts along split_dim; the first ones are one longer where it does not come out even.
//   SparseFillEmptyRows: an entry [row, 0..] of default_value for each row without entries; all of them row by row.
//     SparseFillEmptyRowsGrad: gradients of its values and, summed, of the default. RaggedFillEmptyRows and
//     RaggedFillEmptyRowsGrad: the same of entries that know only their row.
#include "ops/sparse_layout_ops.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/combine.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/moving_kernel.h"
#include "ops/kernels/sparse.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

absl::Status ExpectLength(const char* what, int64_t got, int64_t expected) {
  if (got == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected ", expected, " values, got ", got));
}

// ---- SparseReorder

absl::Status SparseReorder(KernelCall& c) {
  ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(c.input(0), c.input(1), c.input(2), "input_"));
  std::vector<int64_t> order = AscendingOrder(sparse.indices);
  if (sparse.rank() == 0) {  // nothing tells them apart
    order.resize(sparse.n);
    std::iota(order.begin(), order.end(), 0);
  }
  if (std::is_sorted(order.begin(), order.end())) {
    c.SetOutput(0, c.input(0));
    c.SetOutput(1, c.input(1));
    return absl::OkStatus();
  }
  IndexRows rows{.rank = sparse.rank(), .numbers = {}};
  rows.numbers.reserve(sparse.indices.numbers.size());
  for (const int64_t i : order) rows.Append(sparse.indices.row(i));
  RETURN_IF_ERROR(SetIndexRows(c, 0, rows, sparse.n));
  return SetPickedValues(c, 1, c.input(1), order);
}

absl::Status SparseReorderShape(ShapeContext& c) {
  RETURN_IF_ERROR(ExpectSparse(c, 0).status());
  c.SetOutput(0, c.input(0));
  c.SetOutput(1, c.input(1));
  return absl::OkStatus();
}

// The order is found again by reordering places in place of values.
absl::Status SparseReorderGrad(GradContext& c) {
  const Output places = c.Op("Range", {0, c.Op("Size", {c.input(1)}), 1});
  const Output order = c.MultiOp("SparseReorder", {c.input(0), places, c.input(2)}).output(1);
  c.Set(1, c.Op("GatherV2", {c.grad(1), c.Op("InvertPermutation", {order}), 0}));
  return absl::OkStatus();
}

// ---- SparseReshape

// `wanted` with its -1 replaced, for `elements` of them.
absl::StatusOr<Dims> ReshapedDims(Dims wanted, int64_t elements) {
  int unknown = -1;
  int64_t known = 1;
  for (int d = 0; d < static_cast<int>(wanted.size()); ++d) {
    if (wanted[d] == -1 && unknown < 0) {
      unknown = d;
      continue;
    }
    const std::optional<int64_t> product = wanted[d] >= 0 ? CheckedMul(known, wanted[d]) : std::nullopt;
    if (!product.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("new_shape: expected dimensions >= 0, at most one -1 and a product that fits int64, got ",
                       wanted[d], " at ", d));
    }
    known = *product;
  }
  if (unknown >= 0 ? known == 0 || elements % known != 0 : known != elements) {
    return absl::InvalidArgumentError(
        absl::StrCat("new_shape: expected one of ", elements, " elements, got ", DimsToString(wanted)));
  }
  if (unknown >= 0) wanted[unknown] = elements / known;
  return wanted;
}

absl::Status SparseReshape(KernelCall& c) {
  ASSIGN_OR_RETURN(const IndexRows rows, ReadIndexRows(c.input(0), "input_"));
  ASSIGN_OR_RETURN(const Dims from, ReadIntVector(c.input(1), "input_shape"));
  ASSIGN_OR_RETURN(Dims wanted, ReadIntVector(c.input(2), "new_shape"));
  ASSIGN_OR_RETURN(const Shape input_shape, Shape::Make(from));
  RETURN_IF_ERROR(ExpectLength("input_shape", static_cast<int64_t>(from.size()), rows.rank));
  ASSIGN_OR_RETURN(const Dims to, ReshapedDims(std::move(wanted), input_shape.num_elements()));
  RETURN_IF_ERROR(Shape::Make(to).status());
  const int64_t n = c.input(0).dim(0);
  RETURN_IF_ERROR(SetInts(c, 1, to));
  if (from == to) {
    c.SetOutput(0, c.input(0));
    return absl::OkStatus();
  }
  IndexRows moved{.rank = static_cast<int>(to.size()), .numbers = {}};
  if (CheckedMul(n, std::max(moved.rank, 1)) == std::nullopt) return absl::InvalidArgumentError("input_indices: too many");
  moved.numbers.resize(n * moved.rank);
  for (int64_t i = 0; i < n; ++i) {
    const absl::Span<const int64_t> index = rows.row(i);
    for (size_t d = 0; d < index.size(); ++d) {
      if (index[d] < 0 || index[d] >= from[d]) {
        return absl::InvalidArgumentError(absl::StrCat("input_indices[", i, ",", d, "]: expected a value in [0,", from[d],
                                                       "), got ", index[d]));
      }
    }
    int64_t place = FlatPlace(index, from);
    for (int d = moved.rank - 1; d >= 0; --d) {
      moved.numbers[i * moved.rank + d] = place % to[d];
      place /= to[d];
    }
  }
  return SetIndexRows(c, 0, moved, n);
}

absl::Status SparseReshapeShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(0, 2));
  RETURN_IF_ERROR(c.ExpectVector(1));
  ASSIGN_OR_RETURN(const PartialShape new_shape, c.WithRank(2, 1));
  const int64_t rank = new_shape.has_rank() ? new_shape.dim(0) : -1;
  c.SetOutput(0, PartialShape::Of({indices.has_rank() ? indices.dim(0) : -1, rank}));
  c.SetOutput(1, PartialShape::Of({rank}));
  return absl::OkStatus();
}

// ---- SparseSlice

absl::Status SparseSlice(KernelCall& c) {
  ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(c.input(0), c.input(1), c.input(2)));
  ASSIGN_OR_RETURN(const Dims start, ReadIntVector(c.input(3), "start"));
  ASSIGN_OR_RETURN(const Dims size, ReadIntVector(c.input(4), "size"));
  const int rank = sparse.rank();
  RETURN_IF_ERROR(ExpectLength("start", static_cast<int64_t>(start.size()), rank));
  RETURN_IF_ERROR(ExpectLength("size", static_cast<int64_t>(size.size()), rank));
  Dims end(rank), dims(rank);
  for (int d = 0; d < rank; ++d) {
    if (size[d] < 0) return absl::InvalidArgumentError(absl::StrCat("size: expected no negative value, got ", size[d]));
    end[d] = CheckedAdd(start[d], size[d]).value_or(std::numeric_limits<int64_t>::max());
    dims[d] = end[d] <= sparse.dims[d] ? size[d] : start[d] < sparse.dims[d] ? sparse.dims[d] - start[d] : 0;
  }
  IndexRows rows{.rank = rank, .numbers = {}};
  std::vector<int64_t> inside;
  for (int64_t i = 0; i < sparse.n; ++i) {
    const int64_t* index = sparse.indices[i];
    int d = 0;
    while (d < rank && index[d] >= start[d] && index[d] < end[d]) ++d;
    if (d < rank) continue;
    inside.push_back(i);
    for (d = 0; d < rank; ++d) rows.numbers.push_back(index[d] - start[d]);
  }
  RETURN_IF_ERROR(SetIndexRows(c, 0, rows, static_cast<int64_t>(inside.size())));
  RETURN_IF_ERROR(SetPickedValues(c, 1, c.input(1), inside));
  return SetInts(c, 2, dims);
}

absl::Status SparseSliceShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const int64_t rank, ExpectSparse(c, 0));
  RETURN_IF_ERROR(c.ExpectVector(3));
  RETURN_IF_ERROR(c.ExpectVector(4));
  SetSparseOutput(c, 0, -1, rank);
  return absl::OkStatus();
}

// The output's entries are the input's that are inside, in their order.
template <typename T>
absl::Status SparseSliceGrad(KernelCall& c) {
  const Tensor& grad = c.input(0);
  ASSIGN_OR_RETURN(const IndexRows from, ReadIndexRows(c.input(1), "input_"));
  ASSIGN_OR_RETURN(const Dims start, ReadIntVector(c.input(2), "input_start"));
  ASSIGN_OR_RETURN(const IndexRows to, ReadIndexRows(c.input(3), "output_"));
  RETURN_IF_ERROR(ExpectLength("input_start", static_cast<int64_t>(start.size()), from.rank));
  RETURN_IF_ERROR(ExpectLength("rows of output_indices", to.rank, from.rank));
  const int64_t n = c.input(1).dim(0), m = c.input(3).dim(0);
  if (!grad.is_vector() || grad.dim(0) != m) {
    return absl::InvalidArgumentError(
        absl::StrCat("backprop_val_grad: expected shape [", m, "], got shape ", grad.ShapeString()));
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, grad.dtype(), {n}));
  int64_t k = 0;
  for (int64_t i = 0; i < n; ++i) {
    bool same = k < m;
    for (int d = 0; same && d < from.rank; ++d) same = from[i][d] == WrapAdd(to[k][d], start[d]);
    output->mutable_data<T>()[i] = same ? grad.data<T>()[k++] : T(0);
  }
  if (k == m) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("output_indices[", k, "]: expected one of input_indices, got another"));
}

absl::Status SparseSliceGradShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectVector(0));
  ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(1, 2));
  c.SetOutput(0, PartialShape::Of({indices.has_rank() ? indices.dim(0) : -1}));
  return absl::OkStatus();
}

absl::Status SliceGradient(GradContext& c) {
  c.Set(1, c.Op("SparseSliceGrad", {c.grad(1), c.input(0), c.input(3), c.output(0)}));
  return absl::OkStatus();
}

// ---- SparseConcat

class AxisState : public KernelState {
 public:
  AxisState(int64_t axis, int64_t parts) : axis(axis), parts(parts) {}
  const int64_t axis, parts;
};

// "" unless a dense tensor of these dimensions has more places than int64 counts.
std::string TooManyPlaces(absl::Span<const int64_t> dims) {
  std::optional<int64_t> places = 1;
  for (const int64_t dim : dims) places = places.has_value() ? CheckedMul(*places, dim) : std::nullopt;
  if (places.has_value() || absl::c_linear_search(dims, 0)) return "";
  return absl::StrCat("dense_shape: expected fewer than 2^63 places, got ", DimsToString(dims));
}

absl::Status SparseConcat(KernelCall& c) {
  const AxisState& state = c.state<AxisState>();
  const int n = static_cast<int>(state.parts);
  IndexRows all;
  Dims dims;
  int axis = 0;
  std::vector<std::pair<int, int64_t>> sources;  // (input, entry)
  for (int k = 0; k < n; ++k) {
    const std::string what = absl::StrCat("input ", k, ": ");
    ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(c.input(k), c.input(n + k), c.input(2 * n + k), what));
    RETURN_IF_ERROR(CheckPlaces(sparse, what));
    if (const std::string places = TooManyPlaces(sparse.dims); !places.empty()) return absl::InternalError(absl::StrCat(what, places));
    if (k == 0) {
      all.rank = sparse.rank();
      dims = sparse.dims;
      ASSIGN_OR_RETURN(axis, NormalizeAxis(state.axis, all.rank, "concat_dim"));
      dims[axis] = 0;
    }
    Dims expected = dims;
    if (sparse.rank() == all.rank) expected[axis] = sparse.dims[axis];
    if (sparse.dims != expected) {
      return absl::InvalidArgumentError(absl::StrCat(what, "expected a shape as input 0 has but for dimension ", axis,
                                                     ", got ", DimsToString(sparse.dims)));
    }
    const size_t first = all.numbers.size() / std::max(all.rank, 1);
    all.numbers.insert(all.numbers.end(), sparse.indices.numbers.begin(), sparse.indices.numbers.end());
    for (int64_t i = 0; i < sparse.n; ++i) {
      int64_t& moved = all.numbers[(first + i) * all.rank + axis];
      moved = WrapAdd(moved, dims[axis]);
      sources.emplace_back(k, i);
    }
    const std::optional<int64_t> sum = CheckedAdd(dims[axis], sparse.dims[axis]);
    if (!sum.has_value()) return absl::InvalidArgumentError("concat_dim: expected a sum that fits int64, got a larger one");
    dims[axis] = *sum;
  }
  const std::vector<int64_t> order = AscendingOrder(all);
  IndexRows sorted{.rank = all.rank, .numbers = {}};
  sorted.numbers.reserve(all.numbers.size());
  for (const int64_t i : order) sorted.Append(all.row(i));
  const int64_t count = static_cast<int64_t>(order.size());
  RETURN_IF_ERROR(SetIndexRows(c, 0, sorted, count));
  ASSIGN_OR_RETURN(Tensor * values, c.AllocateOutput(1, c.input(n).dtype(), {count}));
  WithStorageType(values->dtype(), [&]<typename E>() {
    for (int64_t i = 0; i < count; ++i) {
      const auto [k, entry] = sources[order[i]];
      MutableElements<E>(*values)[i] = Elements<E>(c.input(n + k))[entry];
    }
  });
  return SetInts(c, 2, dims);
}

absl::StatusOr<Kernel> SparseConcatKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const int64_t axis, node.Int("concat_dim"));
  return Kernel{.fn = &RunKernel<SparseConcat>, .state = std::make_shared<AxisState>(axis, node.num_inputs() / 3)};
}

absl::Status SparseConcatShape(ShapeContext& c) {
  const int n = c.num_inputs() / 3;
  int64_t rank = -1, entries = 0;
  for (int k = 0; k < n; ++k) {
    ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(k, 2));
    ASSIGN_OR_RETURN(const PartialShape values, c.WithRank(n + k, 1));
    ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(2 * n + k, 1));
    for (const int64_t got : {indices.has_rank() ? indices.dim(1) : -1, shape.has_rank() ? shape.dim(0) : -1}) {
      if (got < 0) continue;
      if (rank >= 0 && got != rank) {
        return absl::InvalidArgumentError(absl::StrCat("input ", k, ": expected rank ", rank, ", got ", got));
      }
      rank = got;
    }
    const int64_t some = indices.has_rank() ? indices.dim(0) : -1;
    const std::optional<int64_t> sum = entries >= 0 && some >= 0 ? CheckedAdd(entries, some) : std::nullopt;
    entries = sum.value_or(-1);
  }
  SetSparseOutput(c, 0, entries, rank);
  return absl::OkStatus();
}

// ---- SparseSplit

absl::Status SparseSplit(KernelCall& c) {
  const int parts = static_cast<int>(c.state<AxisState>().parts);
  ASSIGN_OR_RETURN(const int64_t split_dim, ReadIntScalar(c.input(0), "split_dim"));
  ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(c.input(1), c.input(2), c.input(3)));
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(split_dim, sparse.rank(), "split_dim"));
  RETURN_IF_ERROR(CheckPlaces(sparse));
  if (const std::string places = TooManyPlaces(sparse.dims); !places.empty()) return absl::InvalidArgumentError(places);
  const int64_t size = sparse.dims[axis];
  if (parts > size) {
    return absl::InvalidArgumentError(absl::StrCat("num_split: expected a value in [1,", size, "], got ", parts));
  }
  const int64_t small = size / parts, larger = size % parts;  // the first `larger` parts have small + 1
  const int64_t boundary = larger * (small + 1);
  std::vector<IndexRows> rows(parts, IndexRows{.rank = sparse.rank(), .numbers = {}});
  std::vector<std::vector<int64_t>> places(parts);
  for (int64_t i = 0; i < sparse.n; ++i) {
    const int64_t at = sparse.indices[i][axis];
    const int64_t part = at < boundary ? at / (small + 1) : larger + (at - boundary) / small;
    places[part].push_back(i);
    rows[part].Append(sparse.indices.row(i));
    rows[part].numbers[rows[part].numbers.size() - sparse.rank() + axis] -=
        part < larger ? part * (small + 1) : boundary + (part - larger) * small;
  }
  Dims dims = sparse.dims;
  for (int k = 0; k < parts; ++k) {
    dims[axis] = small + (k < larger);
    RETURN_IF_ERROR(SetIndexRows(c, k, rows[k], static_cast<int64_t>(places[k].size())));
    RETURN_IF_ERROR(SetPickedValues(c, parts + k, c.input(2), places[k]));
    RETURN_IF_ERROR(SetInts(c, 2 * parts + k, dims));
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> SparseSplitKernel(const NodeInfo& node) {
  return Kernel{.fn = &RunKernel<SparseSplit>, .state = std::make_shared<AxisState>(0, node.num_outputs() / 3)};
}

absl::Status SparseSplitShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  ASSIGN_OR_RETURN(const int64_t rank, ExpectSparse(c, 1));
  const int parts = c.num_outputs() / 3;
  for (int k = 0; k < parts; ++k) {
    c.SetOutput(k, PartialShape::Of({-1, rank}));
    c.SetOutput(parts + k, PartialShape::Of({-1}));
    c.SetOutput(2 * parts + k, PartialShape::Of({rank}));
  }
  return absl::OkStatus();
}

// ---- SparseFillEmptyRows

// Entries that are in rows, row by row, with one for each row that had none.
struct FilledRows {
  std::vector<int64_t> sources;  // the entry that each comes from, -1: the default
  std::vector<int64_t> rows;
  std::vector<bool> empty;       // for each row
  std::vector<int64_t> reverse;  // where each entry went
};

// Errors: InvalidArgument for an entry in no row; ResourceExhausted.
template <typename RowOf>
absl::StatusOr<FilledRows> FillRows(int64_t n, int64_t rows, const RowOf& row_of, const char* what) {
  for (int64_t i = 0; i < n; ++i) {
    if (row_of(i) < 0 || row_of(i) >= rows) {
      return absl::InvalidArgumentError(absl::StrCat(what, "[", i, "]: expected a row in [0,", rows, "), got ", row_of(i)));
    }
  }
  // What the rows take here and in the outputs; asked of the memory that tensors have, which may be limited.
  constexpr int64_t kBytesOfRow = 4 * sizeof(int64_t);
  const std::optional<int64_t> bytes = CheckedMul(rows, kBytesOfRow);
  if (!bytes.has_value() || !Tensor::Make(DType::kUInt8, {*bytes}).ok()) {
    return absl::ResourceExhaustedError(absl::StrCat("rows to fill: expected as many as memory holds, got ", rows));
  }
  FilledRows filled;
  std::vector<int64_t> next(rows + 1);  // where the next entry of a row goes
  for (int64_t i = 0; i < n; ++i) ++next[row_of(i) + 1];
  filled.empty.resize(rows);
  for (int64_t row = 0; row < rows; ++row) {
    filled.empty[row] = next[row + 1] == 0;
    next[row + 1] = next[row] + std::max(next[row + 1], int64_t{1});
  }
  filled.sources.assign(next[rows], -1);
  filled.rows.resize(next[rows]);
  for (int64_t row = 0; row < rows; ++row) std::fill(filled.rows.begin() + next[row], filled.rows.begin() + next[row + 1], row);
  for (int64_t i = 0; i < n; ++i) {
    filled.reverse.push_back(next[row_of(i)]++);
    filled.sources[filled.reverse.back()] = i;
  }
  return filled;
}

// Outputs 1 to 3: values, which rows were empty, the reverse map.
absl::Status SetFilled(KernelCall& c, const FilledRows& filled, const Tensor& values, const Tensor& default_value) {
  const int64_t n = static_cast<int64_t>(filled.sources.size());
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(1, values.dtype(), {n}));
  WithStorageType(values.dtype(), [&]<typename E>() {
    for (int64_t i = 0; i < n; ++i) {
      MutableElements<E>(*output)[i] =
          filled.sources[i] >= 0 ? Elements<E>(values)[filled.sources[i]] : *Elements<E>(default_value);
    }
  });
  ASSIGN_OR_RETURN(Tensor * empty, c.AllocateOutput(2, DType::kBool, {static_cast<int64_t>(filled.empty.size())}));
  std::copy(filled.empty.begin(), filled.empty.end(), empty->mutable_data<bool>());
  return SetInts(c, 3, filled.reverse);
}

absl::Status ExpectDefault(const Tensor& t) {
  if (t.is_scalar()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("default_value: expected a scalar, got shape ", t.ShapeString()));
}

absl::Status SparseFillEmptyRows(KernelCall& c) {
  ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(c.input(0), c.input(1), c.input(2)));
  if (sparse.rank() == 0) return absl::InvalidArgumentError("dense_shape: expected at least 1 dimension, got none");
  RETURN_IF_ERROR(ExpectDefault(c.input(3)));
  ASSIGN_OR_RETURN(const FilledRows filled, FillRows(sparse.n, sparse.dims[0],
                                                     [&](int64_t i) { return sparse.indices[i][0]; }, "indices"));
  IndexRows rows{.rank = sparse.rank(), .numbers = {}};
  for (size_t i = 0; i < filled.sources.size(); ++i) {
    if (filled.sources[i] >= 0) {
      rows.Append(sparse.indices.row(filled.sources[i]));
    } else {
      rows.numbers.push_back(filled.rows[i]);
      rows.numbers.resize(rows.numbers.size() + rows.rank - 1);
    }
  }
  RETURN_IF_ERROR(SetIndexRows(c, 0, rows, static_cast<int64_t>(filled.sources.size())));
  return SetFilled(c, filled, c.input(1), c.input(3));
}

absl::Status RaggedFillEmptyRows(KernelCall& c) {
  ASSIGN_OR_RETURN(const Dims ids, ReadIntVector(c.input(0), "value_rowids"));
  ASSIGN_OR_RETURN(const int64_t rows, ReadIntScalar(c.input(2), "nrows"));
  RETURN_IF_ERROR(ExpectDefault(c.input(3)));
  const int64_t n = static_cast<int64_t>(ids.size());
  if (!c.input(1).is_vector() || c.input(1).dim(0) != n) {
    return absl::InvalidArgumentError(absl::StrCat("values: expected shape [", n, "], got shape ", c.input(1).ShapeString()));
  }
  if (rows < 0) return absl::InvalidArgumentError(absl::StrCat("nrows: expected no negative value, got ", rows));
  ASSIGN_OR_RETURN(const FilledRows filled, FillRows(n, rows, [&](int64_t i) { return ids[i]; }, "value_rowids"));
  RETURN_IF_ERROR(SetInts(c, 0, filled.rows));
  return SetFilled(c, filled, c.input(1), c.input(3));
}

void SetFilledShapes(ShapeContext& c, int64_t entries, int64_t rows) {
  c.SetOutput(1, PartialShape::Of({-1}));
  c.SetOutput(2, PartialShape::Of({rows}));
  c.SetOutput(3, PartialShape::Of({entries}));
}

absl::Status SparseFillShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const int64_t rank, ExpectSparse(c, 0));
  RETURN_IF_ERROR(c.ExpectScalar(3));
  ASSIGN_OR_RETURN(const PartialShape dense, c.InputAsShape(2));
  c.SetOutput(0, PartialShape::Of({-1, rank}));
  SetFilledShapes(c, c.input(0).has_rank() ? c.input(0).dim(0) : -1, dense.has_rank() && dense.rank() > 0 ? dense.dim(0) : -1);
  return absl::OkStatus();
}

absl::Status RaggedFillShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape ids, c.WithRank(0, 1));
  RETURN_IF_ERROR(c.ExpectVector(1));
  RETURN_IF_ERROR(c.ExpectScalar(2));
  RETURN_IF_ERROR(c.ExpectScalar(3));
  ASSIGN_OR_RETURN(const std::optional<int64_t> rows, c.ConstantInt(2));
  c.SetOutput(0, PartialShape::Of({-1}));
  SetFilledShapes(c, ids.has_rank() ? ids.dim(0) : -1, std::max(rows.value_or(-1), int64_t{-1}));
  return absl::OkStatus();
}

template <typename T>
absl::Status FillGrad(KernelCall& c) {
  ASSIGN_OR_RETURN(const Dims reverse, ReadIntVector(c.input(0), "reverse_index_map"));
  const Tensor& grad = c.input(1);
  if (!grad.is_vector()) {
    return absl::InvalidArgumentError(absl::StrCat("grad_values: expected a vector, got shape ", grad.ShapeString()));
  }
  const int64_t n = static_cast<int64_t>(reverse.size()), filled = grad.dim(0);
  std::vector<bool> visited(filled);
  for (int64_t i = 0; i < n; ++i) {
    if (reverse[i] < 0 || reverse[i] >= filled) return IndexOutOfRange("reverse_index_map", i, {&n, 1}, filled, reverse[i]);
    visited[reverse[i]] = true;
  }
  ASSIGN_OR_RETURN(Tensor * values, c.AllocateOutput(0, grad.dtype(), {n}));
  for (int64_t i = 0; i < n; ++i) values->mutable_data<T>()[i] = grad.data<T>()[reverse[i]];
  T sum = T(0);
  for (int64_t i = 0; i < filled; ++i) {
    if (!visited[i]) sum = T(combine::Sum::Apply<combine::Wide<T>>(sum, grad.data<T>()[i]));
  }
  c.SetOutput(1, Tensor::Scalar(sum));
  return absl::OkStatus();
}

absl::Status FillGradShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectVector(0));
  RETURN_IF_ERROR(c.ExpectVector(1));
  c.SetOutput(0, c.input(0).has_rank() ? c.input(0) : PartialShape::UnknownOfRank(1));
  c.SetOutput(1, PartialShape(Shape()));
  return absl::OkStatus();
}

absl::Status FillGradient(GradContext& c) {
  const std::string op = c.op() + "Grad";
  const Operation grads = c.MultiOp(op, {c.output(3), c.grad(1)});
  c.Set(1, grads.output(0));
  c.Set(3, grads.output(1));
  return absl::OkStatus();
}

template <typename Choose>
KernelFactory NumberKernel(Choose choose) {
  return [choose](const NodeInfo& node) -> absl::StatusOr<Kernel> {
    ASSIGN_OR_RETURN(const DType dtype, node.Type("T"));
    const KernelFn fn = DispatchDType<kNumberTypes>(dtype, KernelFn{}, choose);
    if (fn == nullptr) return NoKernelFor(node, dtype);
    return Kernel{.fn = fn};
  };
}

}  // namespace

absl::Status RegisterSparseLayoutOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("SparseReorder"),
                               .doc = "Entries in ascending order of their indices",
                               .shape = SparseReorderShape,
                               .kernel = PlainKernel<SparseReorder>,
                               .gradient = SparseReorderGrad}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("SparseReshape"),
                               .doc = "Indices under another dense shape",
                               .shape = SparseReshapeShape,
                               .kernel = PlainKernel<SparseReshape>}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("SparseSlice"),
                               .doc = "Entries inside a box, moved to the origin",
                               .shape = SparseSliceShape,
                               .kernel = PlainKernel<SparseSlice>,
                               .gradient = SliceGradient}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("SparseSliceGrad"),
                               .doc = "The gradient of SparseSlice's values",
                               .shape = SparseSliceGradShape,
                               .kernel = NumberKernel([]<typename T>() { return &RunKernel<SparseSliceGrad<T>>; }),
                               .dtypes = kNumberTypes}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("SparseConcat"),
                               .doc = "Sparse tensors beside each other along a dimension",
                               .shape = SparseConcatShape,
                               .kernel = SparseConcatKernel,
                               .gradient = gradients::None}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("SparseSplit"),
                               .doc = "Parts of a sparse tensor along a dimension",
                               .shape = SparseSplitShape,
                               .kernel = SparseSplitKernel}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("SparseFillEmptyRows"),
                               .doc = "Entries with a default one in each row that has none",
                               .shape = SparseFillShape,
                               .kernel = PlainKernel<SparseFillEmptyRows>,
                               .gradient = FillGradient}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("RaggedFillEmptyRows"),
                               .doc = "Values with a default one in each row that has none",
                               .shape = RaggedFillShape,
                               .kernel = PlainKernel<RaggedFillEmptyRows>,
                               .gradient = FillGradient}));
  for (const char* op : {"SparseFillEmptyRowsGrad", "RaggedFillEmptyRowsGrad"}) {
    RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature(op),
                                 .doc = "Gradients of the values and of the default value",
                                 .shape = FillGradShape,
                                 .kernel = NumberKernel([]<typename T>() { return &RunKernel<FillGrad<T>>; }),
                                 .dtypes = kNumberTypes}));
  }
  return absl::OkStatus();
}

}  // namespace flowlatch
