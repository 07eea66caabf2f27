// Ragged tensors whose rows go elsewhere. Row splits of a dimension say where the rows of the items below it end.
//   RaggedTensorToTensor(shape, values [n, d..], default_value, partitions..): a dense tensor [rows, longest.., d..], in
//     which default_value (of d.., or what broadcasts to it) fills rows up. Dimensions that shape knows, which is -1 or has
//     one number for each, cut rows or make them longer.
//     row_partition_types: ROW_SPLITS, or FIRST_DIM_SIZE, a number of rows, before VALUE_ROWIDS, the row of each item.
//   RaggedGather(splits.., values, indices): the rows at indices, one more ragged tensor for each dimension of indices.
#include "ops/ragged_layout_ops.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/broadcast.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/moving_kernel.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {
namespace {

// ---- RaggedTensorToTensor

enum class Partition { kRowSplits, kValueRowIds };

class PartitionState : public KernelState {
 public:
  bool has_first_size = false;
  std::vector<Partition> ragged;  // of the dimensions after the first

  int first_input() const { return 3 + (has_first_size ? 1 : 0); }  // of the partitions of `ragged`
};

// Works for nodes and shape contexts.
template <typename Attrs>
absl::StatusOr<PartitionState> ReadPartitions(const Attrs& attrs) {
  PartitionState state;
  ASSIGN_OR_RETURN(const auto types, attrs.template AttrAs<std::vector<std::string>>("row_partition_types"));
  if (static_cast<int>(types.size()) != attrs.num_inputs() - 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("row_partition_types: expected ", attrs.num_inputs() - 3, " types, got ", types.size()));
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (i == 0 && types[i] == "FIRST_DIM_SIZE") state.has_first_size = true;
    else if (types[i] == "ROW_SPLITS") state.ragged.push_back(Partition::kRowSplits);
    else if (types[i] == "VALUE_ROWIDS" && i > 0) state.ragged.push_back(Partition::kValueRowIds);
    else {
      return absl::InvalidArgumentError(absl::StrCat("row_partition_types[", i, "]: expected ",
                                                     i == 0 ? "FIRST_DIM_SIZE" : "VALUE_ROWIDS", " or ROW_SPLITS, got '", types[i], "'"));
    }
  }
  return state;
}

// What `shape` and the values say of the output's dimensions.
absl::StatusOr<PartialShape> OutputDims(int ragged_rank, const PartialShape& shape, const PartialShape& values) {
  if (!values.has_rank()) return shape;
  if (values.rank() == 0) return absl::InvalidArgumentError("values: expected at least 1 dimension, got shape []");
  Dims dims(ragged_rank + 1, -1);
  dims.insert(dims.end(), values.dims().begin() + 1, values.dims().end());
  ASSIGN_OR_RETURN(const PartialShape all, PartialShape::Make(dims));
  const absl::StatusOr<PartialShape> merged = all.MergeWith(shape);
  if (merged.ok()) return merged;
  return absl::InvalidArgumentError(absl::StrCat("shape: expected one that fits ", all.ToString(), ", got ", shape.ToString()));
}

// default_value must have fewer dimensions than values and broadcast to its items; a dimension other than 1 must moreover
// be that of the items counted from the first, as TensorFlow has it.
absl::Status CheckDefault(const PartialShape& value, const PartialShape& values) {
  if (!value.has_rank() || !values.has_rank()) return absl::OkStatus();
  bool fits = value.rank() < values.rank();
  for (int i = 0; fits && i < value.rank(); ++i) {
    for (const int k : {i + 1, values.rank() - value.rank() + i}) {
      fits = fits && (value.dim(i) == 1 || !value.has_dim(i) || !values.has_dim(k) || value.dim(i) == values.dim(k));
    }
  }
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("default_value: expected a shape that broadcasts to items of values ",
                                                 values.ToString(), ", got ", value.ToString()));
}

// The shape input: -1, or a vector.
absl::StatusOr<PartialShape> ReadShape(const Tensor& shape) {
  if (!shape.is_scalar()) {
    ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(shape, "shape"));
    return PartialShape::Make(dims);
  }
  ASSIGN_OR_RETURN(const int64_t value, ReadIntScalar(shape, "shape"));
  if (value == -1) return PartialShape();
  return absl::InvalidArgumentError(absl::StrCat("shape: expected a vector or the scalar -1, got the scalar ", value));
}

// A partition as how many items each row has; rows at the end may be missing.
struct RowItems {
  Partition kind = Partition::kRowSplits;
  Dims numbers;  // splits, or the row of each item
  int64_t items = 0;

  int64_t Longest() const {
    int64_t longest = 0;
    if (kind == Partition::kRowSplits) {
      for (size_t i = 1; i < numbers.size(); ++i) longest = std::max(longest, numbers[i] - numbers[i - 1]);
      return longest;
    }
    for (size_t i = 0, first = 0; i < numbers.size(); ++i) {
      if (numbers[i] != numbers[first]) first = i;
      longest = std::max(longest, static_cast<int64_t>(i - first) + 1);
    }
    return longest;
  }
};

absl::StatusOr<RowItems> ReadRowItems(const Tensor& t, Partition kind) {
  RowItems rows{.kind = kind, .numbers = {}};
  const char* what = kind == Partition::kRowSplits ? "row splits" : "row ids of values";
  ASSIGN_OR_RETURN(rows.numbers, ReadIntVector(t, what));
  const bool splits = kind == Partition::kRowSplits;
  const bool begins = !splits || (!rows.numbers.empty() && rows.numbers.front() == 0);
  if (!begins || !std::is_sorted(rows.numbers.begin(), rows.numbers.end())) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": expected values ", splits ? "from 0 on " : "", "that do not decrease, got ",
                                                   DimsToString(rows.numbers)));
  }
  rows.items = splits ? rows.numbers.back() : static_cast<int64_t>(rows.numbers.size());
  return rows;
}

// Places in the output of the first items of a dimension, counted in its elements; -1: not in it. Other items are not in it.
using Places = std::vector<int64_t>;

// The places of the first `count` items, when those of their rows are known, and rows have room for `width` items.
absl::StatusOr<Places> PlacesOfItems(const RowItems& rows, int64_t num_rows, const Places& row_places, int64_t width, int64_t count) {
  Places places(std::min(rows.items, count), -1);
  const auto place = [&](int64_t item, int64_t row, int64_t column) {
    if (row < static_cast<int64_t>(row_places.size()) && row_places[row] >= 0 && column < width) {
      places[item] = row_places[row] * width + column;
    }
  };
  const int64_t placed = static_cast<int64_t>(places.size());
  if (rows.kind == Partition::kRowSplits) {
    const int64_t got = static_cast<int64_t>(rows.numbers.size()) - 1;
    if (got > num_rows) return absl::InvalidArgumentError(absl::StrCat("row splits: expected those of ", num_rows, " rows, got ", got));
    for (int64_t row = 0; row < got; ++row) {
      const int64_t begin = rows.numbers[row], end = std::min(rows.numbers[row + 1], placed);
      for (int64_t i = begin; i < end; ++i) place(i, row, i - begin);
    }
    return places;
  }
  for (int64_t i = 0; i < rows.items; ++i) {
    const int64_t row = rows.numbers[i];
    if (row < 0 || row >= num_rows) return IndexOutOfRange("row ids of values", i, {rows.items}, num_rows, row);
  }
  for (int64_t i = 0, first = 0; i < placed; ++i) {
    if (rows.numbers[i] != rows.numbers[first]) first = i;
    place(i, rows.numbers[i], i - first);
  }
  return places;
}

absl::StatusOr<int64_t> FirstSize(const Tensor& t) {
  if (t.num_elements() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("first dimension: expected one number, got shape ", t.ShapeString()));
  }
  const int64_t size = t.dtype() == DType::kInt64 ? t.data<int64_t>()[0] : t.data<int32_t>()[0];
  if (size >= 0) return size;
  return absl::InvalidArgumentError(absl::StrCat("first dimension: expected a size of at least 0, got ", size));
}

// How many items of dimension d anything belongs to.
int64_t ItemsInUse(const std::vector<RowItems>& partitions, size_t d, int64_t num_values) {
  if (d == partitions.size()) return num_values;
  const Dims& below = partitions[d].numbers;
  if (partitions[d].kind == Partition::kRowSplits) return static_cast<int64_t>(below.size()) - 1;
  return below.empty() ? 0 : std::min(below.back(), std::numeric_limits<int64_t>::max() - 1) + 1;
}

// The place of each of the values. dims: of the output, which has elements.
absl::StatusOr<Places> PlacesOfValues(const std::vector<RowItems>& partitions, int64_t num_rows, absl::Span<const int64_t> dims,
                                      int64_t num_values) {
  Places places(std::min({num_rows, dims[0], ItemsInUse(partitions, 0, num_values)}));
  std::iota(places.begin(), places.end(), 0);
  for (size_t d = 0; d < partitions.size(); ++d) {
    const int64_t count = ItemsInUse(partitions, d + 1, num_values);
    ASSIGN_OR_RETURN(places, PlacesOfItems(partitions[d], num_rows, places, dims[d + 1], count));
    num_rows = partitions[d].items;
  }
  return places;
}

// Sets elements [begin, end) of the output to those of the default value, which is repeated over items.
template <typename E>
void FillWithDefault(const Tensor& value, absl::Span<const int64_t> item, E* to, int64_t begin, int64_t end) {
  if (value.num_elements() == 1) {
    std::fill(to + begin, to + end, Elements<E>(value)[0]);
    return;
  }
  const int64_t size = Shape::FromValid(item).num_elements();
  Dims dims{(end + size - 1) / size};  // items that the range reaches into
  dims.insert(dims.end(), item.begin(), item.end());
  const E* from = Elements<E>(value);
  ForEachBlock(PlanBroadcast({value.dims()}, dims), begin, end, [&](const BroadcastBlock& b) {
    E* out = to + b.out_offset;
    for (int64_t row = 0; row < b.rows; ++row) {
      const E* in = from + b.offset[0] + row * b.row_stride[0];
      for (int64_t i = 0; i < b.columns; ++i) *out++ = in[i * b.column_step[0]];
    }
  });
}

absl::Status RaggedToTensor(KernelCall& c) {
  const auto& state = c.state<PartitionState>();
  const Tensor &values = c.input(1), &default_value = c.input(2);
  const int ragged_rank = static_cast<int>(state.ragged.size());
  ASSIGN_OR_RETURN(const PartialShape shape, ReadShape(c.input(0)));
  ASSIGN_OR_RETURN(const PartialShape known, OutputDims(ragged_rank, shape, values.shape()));
  RETURN_IF_ERROR(CheckDefault(default_value.shape(), values.shape()));
  std::vector<RowItems> partitions;
  for (int d = 0; d < ragged_rank; ++d) {
    ASSIGN_OR_RETURN(RowItems rows, ReadRowItems(c.input(state.first_input() + d), state.ragged[d]));
    partitions.push_back(std::move(rows));
  }
  int64_t num_rows;
  if (state.has_first_size) {
    ASSIGN_OR_RETURN(num_rows, FirstSize(c.input(3)));
  } else {
    num_rows = static_cast<int64_t>(partitions[0].numbers.size()) - 1;
  }
  Dims dims(known.dims().begin(), known.dims().end());
  if (dims[0] < 0) dims[0] = num_rows;
  for (int d = 0; d < ragged_rank; ++d) {
    if (dims[d + 1] < 0) dims[d + 1] = partitions[d].Longest();
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, values.dtype(), dims));
  const int64_t n = output->num_elements();
  if (n == 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Places places, PlacesOfValues(partitions, num_rows, dims, values.dim(0)));
  const absl::Span<const int64_t> item = values.dims().subspan(1);
  const int64_t size = Shape::FromValid(item).num_elements();
  WithStorageType(values.dtype(), [&]<typename E>() {
    E* const to = MutableElements<E>(*output);
    ParallelMove<E>(c, n, [&](int64_t begin, int64_t end) { FillWithDefault<E>(default_value, item, to, begin, end); });
    ParallelMove<E>(c, static_cast<int64_t>(places.size()), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (places[i] >= 0) std::copy_n(Elements<E>(values) + i * size, size, to + places[i] * size);
      }
    });
  });
  return absl::OkStatus();
}

absl::StatusOr<Kernel> RaggedToTensorKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(PartitionState state, ReadPartitions(node));
  return Kernel{.fn = &RunKernel<RaggedToTensor>, .state = std::make_shared<PartitionState>(std::move(state))};
}

absl::Status RaggedToTensorShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartitionState state, ReadPartitions(c));
  PartialShape shape;
  if (c.input(0).has_rank() && c.input(0).rank() > 0) {
    ASSIGN_OR_RETURN(shape, c.InputAsShape(0));
  } else if (c.constant(0) != nullptr) {
    ASSIGN_OR_RETURN(shape, ReadShape(*c.constant(0)));
  }
  ASSIGN_OR_RETURN(PartialShape output, OutputDims(static_cast<int>(state.ragged.size()), shape, c.input(1)));
  RETURN_IF_ERROR(CheckDefault(c.input(2), c.input(1)));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

// Which of the values each place of the output shows is found by making a tensor of their numbers; -1 where it shows none.
absl::Status RaggedToTensorGrad(GradContext& c) {
  const auto& types = c.attr<std::vector<std::string>>("row_partition_types");
  const int64_t placing = 1 + static_cast<int64_t>(types.size()) - (types[0] == "FIRST_DIM_SIZE" ? 1 : 0);
  const Output values_shape = c.ShapeOfInput(1), count = c.Op("GatherV2", {values_shape, 0, 0});
  std::vector<Input> inputs{c.Op("Slice", {ShapeOf(c, c.grad()), {0}, std::vector<int64_t>{placing}}), c.Op("Range", {0, count, 1}), -1};
  for (int i = 3; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
  const Output shown = c.Op("RaggedTensorToTensor", inputs, c.CopyAttrs({"row_partition_types", "num_row_partition_tensors"}));
  if (c.needs(1)) {
    const Output at = c.Op("Where", {c.Op("GreaterEqual", {shown, 0})});
    c.Set(1, IndexedSlices{c.Op("GatherNd", {c.grad(), at}), c.Op("GatherNd", {shown, at}), values_shape});
  }
  if (c.needs(2)) {
    const Output at = c.Op("Where", {c.Op("Less", {shown, 0})});
    c.Set(2, SumToShapeOf(c, c.Op("GatherNd", {c.grad(), at}), 2));
  }
  return absl::OkStatus();
}

// ---- RaggedGather

absl::StatusOr<Dims> ReadSplits(const Tensor& t, int64_t most) {
  ASSIGN_OR_RETURN(Dims splits, ReadIntVector(t, "params_nested_splits"));
  if (!splits.empty() && splits.front() >= 0 && splits.back() <= most && std::is_sorted(splits.begin(), splits.end())) return splits;
  return absl::InvalidArgumentError(
      absl::StrCat("params_nested_splits: expected values in [0,", most, "] that do not decrease, got ", DimsToString(splits)));
}

// Items [begin, end) of a dimension.
struct ItemRange {
  int64_t begin = 0, end = 0;
};

// Output i: the ends of rows whose lengths next() gives, one after the other. Errors: InvalidArgument beyond Split.
template <typename Split, typename Next>
absl::Status SetRowEnds(KernelCall& c, int i, int64_t rows, const Next& next) {
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(i, kDTypeOf<Split>, {rows + 1}));
  Split* ends = output->mutable_data<Split>();
  int64_t end = 0;
  for (int64_t row = 0; row <= rows; ++row) {
    if (row > 0) {
      const std::optional<int64_t> sum = CheckedAdd(end, next());
      if (!sum.has_value() || *sum > std::numeric_limits<Split>::max()) {
        return absl::InvalidArgumentError("indices: expected as many items as Tsplits can count, got more");
      }
      end = *sum;
    }
    ends[row] = static_cast<Split>(end);
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> CountItems(absl::Span<const ItemRange> ranges) {
  int64_t total = 0;
  for (const ItemRange& range : ranges) {
    const std::optional<int64_t> sum = CheckedAdd(total, range.end - range.begin);
    if (!sum.has_value()) return absl::InvalidArgumentError("indices: expected items that int64 can count, got more");
    total = *sum;
  }
  return total;
}

// The indices as ranges of one row.
template <typename Index>
absl::StatusOr<std::vector<ItemRange>> ReadRows(const Tensor& indices, int64_t rows) {
  std::vector<ItemRange> ranges;
  ranges.reserve(indices.num_elements());
  for (const Index index : indices.values<Index>()) {
    if (index < 0 || index >= rows) {
      return IndexOutOfRange("indices", static_cast<int64_t>(ranges.size()), indices.dims(), rows, index);
    }
    ranges.push_back({index, int64_t{index} + 1});
  }
  return ranges;
}

template <typename Split>
absl::Status RaggedGather(KernelCall& c) {
  const int params_rank = c.num_inputs() - 2;
  const Tensor &values = c.input(params_rank), &indices = c.input(params_rank + 1);
  if (values.rank() < 1) return absl::InvalidArgumentError("params_dense_values: expected at least 1 dimension, got shape []");
  if (c.num_outputs() - 1 != indices.rank() + params_rank - 1) {
    return absl::InvalidArgumentError(absl::StrCat("OUTPUT_RAGGED_RANK: expected ", indices.rank() + params_rank - 1,
                                                   " for indices of shape ", indices.ShapeString(), ", got ", c.num_outputs() - 1));
  }
  std::vector<Dims> splits(params_rank);
  int64_t below = values.dim(0);
  for (int d = params_rank - 1; d >= 0; --d) {
    ASSIGN_OR_RETURN(splits[d], ReadSplits(c.input(d), below));
    below = static_cast<int64_t>(splits[d].size()) - 1;
  }
  std::vector<ItemRange> ranges;
  if (indices.dtype() == DType::kInt64) {
    ASSIGN_OR_RETURN(ranges, ReadRows<int64_t>(indices, below));
  } else {
    ASSIGN_OR_RETURN(ranges, ReadRows<int32_t>(indices, below));
  }
  int output = 0;
  int64_t rows = 1;  // of the indices, down to a dimension
  for (int d = 0; d + 1 < indices.rank(); ++d) {
    ASSIGN_OR_RETURN(const Shape above, Shape::Make({rows, indices.dim(d)}));
    rows = above.num_elements();
    RETURN_IF_ERROR(SetRowEnds<Split>(c, output++, rows, [&] { return indices.dim(d + 1); }));
  }
  for (int d = 0; d < params_rank; ++d) {
    if (d > 0 || !indices.is_scalar()) {
      ASSIGN_OR_RETURN(const int64_t count, CountItems(ranges));
      size_t range = 0;
      int64_t row = ranges.empty() ? 0 : ranges[0].begin;
      RETURN_IF_ERROR(SetRowEnds<Split>(c, output++, count, [&] {
        while (row == ranges[range].end) row = ranges[++range].begin;
        ++row;
        return splits[d][row] - splits[d][row - 1];
      }));
    }
    for (ItemRange& range : ranges) range = {splits[d][range.begin], splits[d][range.end]};
  }
  ASSIGN_OR_RETURN(const int64_t count, CountItems(ranges));
  Dims dims(values.dims().begin(), values.dims().end());
  dims[0] = count;
  ASSIGN_OR_RETURN(Tensor * gathered, c.AllocateOutput(output, values.dtype(), dims));
  if (gathered->num_elements() == 0) return absl::OkStatus();
  const int64_t size = values.num_elements() / values.dim(0);
  WithStorageType(values.dtype(), [&]<typename E>() {
    E* to = MutableElements<E>(*gathered);
    for (const ItemRange& range : ranges) {
      to = std::copy(Elements<E>(values) + range.begin * size, Elements<E>(values) + range.end * size, to);
    }
  });
  return absl::OkStatus();
}

absl::StatusOr<Kernel> RaggedGatherKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const DType splits, node.Type("Tsplits"));
  return Kernel{.fn = splits == DType::kInt64 ? &RunKernel<RaggedGather<int64_t>> : &RunKernel<RaggedGather<int32_t>>};
}

absl::Status RaggedGatherShape(ShapeContext& c) {
  const int params_rank = c.num_inputs() - 2, output_rank = c.num_outputs() - 1;
  for (int d = 0; d < params_rank; ++d) RETURN_IF_ERROR(c.ExpectVector(d));
  if (output_rank < params_rank - 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("OUTPUT_RAGGED_RANK: expected at least ", params_rank - 1, ", got ", output_rank));
  }
  RETURN_IF_ERROR(c.WithRank(params_rank + 1, output_rank - params_rank + 1).status());
  ASSIGN_OR_RETURN(const PartialShape values, c.WithRankAtLeast(params_rank, 1));
  for (int i = 0; i < output_rank; ++i) c.SetOutput(i, PartialShape::Of({-1}));
  if (!values.has_rank()) return absl::OkStatus();
  Dims dims(values.dims().begin(), values.dims().end());
  dims[0] = -1;
  c.SetOutput(output_rank, PartialShape::FromValid(dims));
  return absl::OkStatus();
}

// The gathered values' numbers are ranges, one for each index.
absl::Status RaggedGatherGrad(GradContext& c) {
  const int params_rank = c.num_inputs() - 2;
  Output ends = c.input(0);  // of the outermost rows, among the values
  for (int d = 1; d < params_rank; ++d) ends = c.Op("GatherV2", {c.input(d), ends, 0});
  const Output rows = c.Op("Reshape", {c.input(params_rank + 1), {-1}});
  const Output begin = c.Op("GatherV2", {ends, rows, 0});
  const Output end = c.Op("GatherV2", {ends, c.Op("AddV2", {rows, 1}), 0});
  const Output taken = c.MultiOp("RaggedRange", {begin, end, c.ScalarLike(1, begin)}).output(1);
  c.Set(params_rank, IndexedSlices{c.grad(c.num_outputs() - 1), taken, c.ShapeOfInput(params_rank)});
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterRaggedLayoutOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("RaggedTensorToTensor"),
                               .doc = "A ragged tensor as a dense one, filled up with a default value",
                               .shape = RaggedToTensorShape,
                               .kernel = RaggedToTensorKernel,
                               .gradient = RaggedToTensorGrad}));
  return library.Add({.signature = TensorFlowSignature("RaggedGather"),
                      .doc = "The rows of a ragged tensor at indices",
                      .shape = RaggedGatherShape,
                      .kernel = RaggedGatherKernel,
                      .gradient = RaggedGatherGrad});
}

}  // namespace flowlatch
