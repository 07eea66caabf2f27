// Crossed features: for each row, every choice of one value from each column, the last column's fastest.
//   Columns are N sparse matrices (indices, values, shape), then dense ones; of strings or int64. The result is sparse:
//     [rows, most crosses of a row].
//   SparseCrossV2: values joined by sep. SparseCrossHashed: their hashes, chained and reduced to num_buckets (or below
//     2^63 - 1 if that is 0); strong_hash takes SipHash with the key salt.
//   SparseCross: joined by "_X_", or with hashed_output hashed from hash_key on.
//   RaggedCross: the same of ragged columns too, in the order that input_order gives them by the letters R, S and D. The
//     result is ragged.
#include "ops/sparse_cross_ops.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/features.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/sparse.h"
#include "ops/kernels/string_hash.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {
namespace {

enum class Form { kV1Strings, kV1Hashes, kV2, kHashed };

class CrossState : public KernelState {
 public:
  Form form = Form::kV2;
  int ragged = 0, sparse = 0, dense = 0;  // columns
  int64_t num_buckets = 0;                // SparseCross, RaggedCross
  uint64_t hash_key = 0;
  std::string order;  // a letter for each column: R, S or D
  DType out_type = DType::kInvalid, split_type = DType::kInvalid;

  int first_sparse() const { return 2 * ragged; }
  int first_dense() const { return first_sparse() + 3 * sparse; }
};

// A value of a column: the element of the values or of the dense matrix.
struct Column {
  const Tensor* values = nullptr;
  bool is_dense = false;
  std::vector<std::vector<int64_t>> rows;  // elements of each row
};

struct Columns {
  std::vector<Column> columns;
  int64_t rows = 0;
};

// Column `number`, the k-th of its kind. Its rows are counted before they are made.
class ColumnReader {
 public:
  ColumnReader(const KernelCall& c, const CrossState& state) : c_(c), state_(state) {}

  absl::Status AddRagged(int k) {
    const Tensor &values = c_.input(k), &splits = c_.input(state_.ragged + k);
    ASSIGN_OR_RETURN(const Dims ends, ReadIntVector(splits, "ragged_row_splits"));
    const int64_t n = values.num_elements();
    if (!values.is_vector() || ends.empty() || ends.front() != 0 || ends.back() != n || !std::is_sorted(ends.begin(), ends.end())) {
      return Error(absl::StrCat("expected a vector and row splits from 0 to its length that do not decrease, got shape ",
                                values.ShapeString(), " and ", DimsToString(ends)));
    }
    ASSIGN_OR_RETURN(Column * column, Add(values, static_cast<int64_t>(ends.size()) - 1));
    for (size_t row = 0; row + 1 < ends.size(); ++row) {
      for (int64_t i = ends[row]; i < ends[row + 1]; ++i) column->rows[row].push_back(i);
    }
    return absl::OkStatus();
  }

  absl::Status AddSparse(int k) {
    const int n = state_.sparse, first = state_.first_sparse() + k;
    const std::string name = Name();
    ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(c_.input(first), c_.input(first + n), c_.input(first + 2 * n), name));
    if (sparse.rank() != 2) return Error(absl::StrCat("expected a matrix, got ", sparse.rank(), " dimensions"));
    RETURN_IF_ERROR(CheckPlaces(sparse, name));
    ASSIGN_OR_RETURN(Column * column, Add(c_.input(first + n), sparse.dims[0]));
    for (int64_t i = 0; i < sparse.n; ++i) column->rows[sparse.indices[i][0]].push_back(i);
    return absl::OkStatus();
  }

  absl::Status AddDense(int k) {
    const Tensor& dense = c_.input(state_.first_dense() + k);
    if (dense.rank() != 2) return Error(absl::StrCat("expected a matrix, got shape ", dense.ShapeString()));
    ASSIGN_OR_RETURN(Column * column, Add(dense, dense.dim(0)));
    column->is_dense = true;
    for (int64_t i = 0; i < dense.num_elements(); ++i) column->rows[i / dense.dim(1)].push_back(i);
    return absl::OkStatus();
  }

  Columns Finish() {
    all_.rows = rows_.value_or(0);
    return std::move(all_);
  }

 private:
  std::string Name() const { return absl::StrCat("column ", all_.columns.size(), ": "); }
  absl::Status Error(const std::string& text) const { return absl::InvalidArgumentError(absl::StrCat(Name(), text)); }

  absl::StatusOr<Column*> Add(const Tensor& values, int64_t rows) {
    if (!rows_.has_value()) rows_ = rows;
    if (*rows_ != rows) return Error(absl::StrCat("expected ", *rows_, " rows as the first has, got ", rows));
    const std::optional<int64_t> bytes = CheckedMul(rows, sizeof(std::vector<int64_t>));
    if (!bytes.has_value() || !Tensor::Make(DType::kUInt8, {*bytes}).ok()) {  // asked of the memory that tensors have
      return absl::ResourceExhaustedError(absl::StrCat("rows to cross: expected as many as memory holds, got ", rows));
    }
    all_.columns.push_back({.values = &values, .is_dense = false, .rows = std::vector<std::vector<int64_t>>(rows)});
    return &all_.columns.back();
  }

  const KernelCall& c_;
  const CrossState& state_;
  Columns all_;
  std::optional<int64_t> rows_;
};

absl::StatusOr<Columns> ReadColumns(const KernelCall& c, const CrossState& state) {
  ColumnReader reader(c, state);
  int ragged = 0, sparse = 0, dense = 0;
  for (const char kind : state.order) {
    RETURN_IF_ERROR(kind == 'R' ? reader.AddRagged(ragged++) : kind == 'S' ? reader.AddSparse(sparse++) : reader.AddDense(dense++));
  }
  return reader.Finish();
}

// Calls each(row, place in the row, elements) for every cross; elements[k] is the element of column k.
template <typename Each>
void ForEachCross(const Columns& all, const Each& each) {
  std::vector<int64_t> elements(all.columns.size());
  std::vector<size_t> at(all.columns.size());
  for (int64_t row = 0; row < all.rows; ++row) {
    const bool none = std::any_of(all.columns.begin(), all.columns.end(), [row](const Column& c) { return c.rows[row].empty(); });
    if (none) continue;
    std::fill(at.begin(), at.end(), 0);
    for (int64_t place = 0;; ++place) {
      for (size_t k = 0; k < at.size(); ++k) elements[k] = all.columns[k].rows[row][at[k]];
      each(row, place, elements);
      size_t k = at.size();
      while (k > 0 && ++at[k - 1] == all.columns[k - 1].rows[row].size()) at[--k] = 0;
      if (k == 0) break;
    }
  }
}

// How many crosses the first rows have, for each number of rows.
absl::StatusOr<std::vector<int64_t>> CountCrosses(const Columns& all) {
  std::vector<int64_t> ends{0};
  for (int64_t row = 0; row < all.rows; ++row) {
    std::optional<int64_t> count = 1;
    for (const Column& column : all.columns) {
      if (count.has_value()) count = CheckedMul(*count, static_cast<int64_t>(column.rows[row].size()));
    }
    const std::optional<int64_t> sum = count.has_value() ? CheckedAdd(ends.back(), *count) : std::nullopt;
    if (!sum.has_value()) return absl::InvalidArgumentError("crosses: expected a number that fits int64, got more");
    ends.push_back(*sum);
  }
  return ends;
}

// The outputs other than the values, and room for these: of a sparse tensor, or for RaggedCross of a ragged one.
absl::StatusOr<Tensor*> SetPlaces(KernelCall& c, const Columns& all) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> ends, CountCrosses(all));
  const int64_t total = ends.back();
  if (c.num_outputs() == 2) {
    RETURN_IF_ERROR(SetSplits(c, 1, c.state<CrossState>().split_type, ends));
    return c.AllocateOutput(0, c.state<CrossState>().out_type, {total});
  }
  int64_t widest = 0;
  for (size_t row = 0; row + 1 < ends.size(); ++row) widest = std::max(widest, ends[row + 1] - ends[row]);
  ASSIGN_OR_RETURN(Tensor * indices, c.AllocateOutput(0, DType::kInt64, {total, 2}));
  int64_t* to = indices->mutable_data<int64_t>();
  ForEachCross(all, [&to](int64_t row, int64_t place, const std::vector<int64_t>&) {
    *to++ = row;
    *to++ = place;
  });
  RETURN_IF_ERROR(SetInts(c, 2, {all.rows, widest}));
  return c.AllocateOutput(1, c.state<CrossState>().out_type, {total});
}

absl::Status SetJoined(KernelCall& c, const Columns& all, std::string_view separator) {
  ASSIGN_OR_RETURN(Tensor * output, SetPlaces(c, all));
  String* to = output->mutable_data<String>();
  ForEachCross(all, [&](int64_t, int64_t, const std::vector<int64_t>& elements) {
    std::string text;
    for (size_t k = 0; k < elements.size(); ++k) {
      const Tensor& values = *all.columns[k].values;
      if (k > 0) text += separator;
      if (values.dtype() == DType::kString) text += values.data<String>()[elements[k]].view();
      else absl::StrAppend(&text, values.data<int64_t>()[elements[k]]);
    }
    *to++ = std::string_view(text);
  });
  return absl::OkStatus();
}

uint64_t ShiftMix(uint64_t x) { return x ^ (x >> 47); }

// The hash of two hashes.
uint64_t ChainHashes(uint64_t a, uint64_t b) {
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995;
  const uint64_t mixed = (a ^ kFactor ^ (ShiftMix(b * kFactor) * kFactor)) * kFactor;
  return ShiftMix(ShiftMix(mixed) * kFactor);
}

struct Hashing {
  std::optional<uint64_t> first;  // what the chain begins with, before the first column
  uint64_t buckets = 0;
  std::optional<SipKey> key;
  bool ints_as_they_are = false;  // SparseCross, RaggedCross
};

uint64_t HashOfElement(const Column& column, int64_t element, const Hashing& hashing) {
  if (column.values->dtype() == DType::kString) {
    const std::string_view s = column.values->data<String>()[element];
    return hashing.key.has_value() ? SipHashOf(*hashing.key, s) : FingerprintOf(s);
  }
  const int64_t* value = column.values->data<int64_t>() + element;
  // TensorFlow hashes the low half of integers, and not at all those of dense columns without a key.
  const std::string_view low_half(reinterpret_cast<const char*>(value), 4);
  if (hashing.ints_as_they_are || (column.is_dense && !hashing.key.has_value())) return static_cast<uint64_t>(*value);
  return hashing.key.has_value() ? SipHashOf(*hashing.key, low_half) : FingerprintOf(low_half);
}

absl::Status SetHashes(KernelCall& c, const Columns& all, const Hashing& hashing) {
  ASSIGN_OR_RETURN(Tensor * output, SetPlaces(c, all));
  int64_t* to = output->mutable_data<int64_t>();
  const uint64_t modulus = hashing.buckets > 0 ? hashing.buckets : static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  ForEachCross(all, [&](int64_t, int64_t, const std::vector<int64_t>& elements) {
    std::optional<uint64_t> hash = hashing.first;
    for (size_t k = 0; k < elements.size(); ++k) {
      const uint64_t next = HashOfElement(all.columns[k], elements[k], hashing);
      hash = hash.has_value() ? ChainHashes(*hash, next) : next;
    }
    *to++ = static_cast<int64_t>(hash.value_or(0) % modulus);
  });
  return absl::OkStatus();
}

absl::StatusOr<Hashing> ReadHashing(const KernelCall& c, int first) {
  ASSIGN_OR_RETURN(const int64_t buckets, ReadIntScalar(c.input(first), "num_buckets"));
  if (buckets < 0) return absl::InvalidArgumentError(absl::StrCat("num_buckets: expected no negative number, got ", buckets));
  if (!c.input(first + 1).is_scalar()) {
    return absl::InvalidArgumentError(absl::StrCat("strong_hash: expected a scalar, got shape ", c.input(first + 1).ShapeString()));
  }
  ASSIGN_OR_RETURN(const Dims salt, ReadIntVector(c.input(first + 2), "salt"));
  if (salt.size() != 2) return absl::InvalidArgumentError(absl::StrCat("salt: expected 2 values, got ", salt.size()));
  Hashing hashing{.first = std::nullopt, .buckets = static_cast<uint64_t>(buckets), .key = std::nullopt};
  if (c.input(first + 1).scalar<bool>()) hashing.key = SipKey{static_cast<uint64_t>(salt[0]), static_cast<uint64_t>(salt[1])};
  return hashing;
}

absl::Status Cross(KernelCall& c) {
  const CrossState& state = c.state<CrossState>();
  ASSIGN_OR_RETURN(const Columns columns, ReadColumns(c, state));
  const int extra = state.first_dense() + state.dense;  // inputs after the columns
  switch (state.form) {
    case Form::kV1Strings:
      return SetJoined(c, columns, "_X_");
    case Form::kV1Hashes:
      return SetHashes(c, columns, {.first = state.hash_key, .buckets = static_cast<uint64_t>(state.num_buckets), .key = std::nullopt, .ints_as_they_are = true});
    case Form::kV2:
      if (!c.input(extra).is_scalar()) {
        return absl::InvalidArgumentError(absl::StrCat("sep: expected a scalar, got shape ", c.input(extra).ShapeString()));
      }
      return SetJoined(c, columns, c.input(extra).scalar<String>());
    case Form::kHashed:
      break;
  }
  ASSIGN_OR_RETURN(const Hashing hashing, ReadHashing(c, extra));
  return SetHashes(c, columns, hashing);
}

// SparseCross and RaggedCross, for which the type of the values decides, as in TensorFlow.
absl::Status ReadHashAttrs(const NodeInfo& node, CrossState& state) {
  ASSIGN_OR_RETURN(bool hashed, node.Bool("hashed_output"));
  if (node.schema().name() == "RaggedCross") hashed = state.out_type == DType::kInt64;
  ASSIGN_OR_RETURN(state.num_buckets, node.Int("num_buckets"));
  ASSIGN_OR_RETURN(const int64_t key, node.Int("hash_key"));
  state.hash_key = static_cast<uint64_t>(key);
  state.form = hashed ? Form::kV1Hashes : Form::kV1Strings;
  if (hashed == (state.out_type == DType::kInt64)) return absl::OkStatus();
  return absl::InvalidArgumentError("type of values: expected int64 with hashed_output and string without, got the other");
}

absl::Status ReadOrder(const NodeInfo& node, CrossState& state) {
  ASSIGN_OR_RETURN(state.order, node.Str("input_order"));
  const auto count = [&state](char kind) { return std::count(state.order.begin(), state.order.end(), kind); };
  const size_t columns = static_cast<size_t>(state.ragged) + state.sparse + state.dense;
  if (count('R') == state.ragged && count('S') == state.sparse && count('D') == state.dense && state.order.size() == columns) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("input_order: expected R, S and D for ", state.ragged, " ragged, ", state.sparse,
                                                 " sparse and ", state.dense, " dense columns, got '", absl::CHexEscape(state.order), "'"));
}

absl::StatusOr<Kernel> CrossKernel(const NodeInfo& node) {
  auto state = std::make_shared<CrossState>();
  const std::string_view op = node.schema().name();
  const bool ragged = op == "RaggedCross";
  ASSIGN_OR_RETURN(const int64_t n, node.Int(ragged ? "Nsparse" : "N"));
  ASSIGN_OR_RETURN(const auto sparse_types, node.AttrAs<std::vector<DType>>(ragged ? "sparse_values_types" : "sparse_types"));
  ASSIGN_OR_RETURN(const auto dense_types, node.AttrAs<std::vector<DType>>("dense_types"));
  if (n != static_cast<int64_t>(sparse_types.size())) {
    return absl::InvalidArgumentError(absl::StrCat("types of sparse values: expected ", n, ", got ", sparse_types.size()));
  }
  state->sparse = static_cast<int>(n);
  state->dense = static_cast<int>(dense_types.size());
  state->order = std::string(state->sparse, 'S') + std::string(state->dense, 'D');
  state->out_type = node.output_dtype(ragged ? 0 : 1);
  state->form = op == "SparseCrossV2" ? Form::kV2 : Form::kHashed;
  if (ragged) {
    ASSIGN_OR_RETURN(const auto ragged_types, node.AttrAs<std::vector<DType>>("ragged_values_types"));
    ASSIGN_OR_RETURN(const auto split_types, node.AttrAs<std::vector<DType>>("ragged_splits_types"));
    if (ragged_types.size() != split_types.size()) {
      return absl::InvalidArgumentError(absl::StrCat("ragged_splits_types: expected ", ragged_types.size(), " types, got ", split_types.size()));
    }
    state->ragged = static_cast<int>(ragged_types.size());
    state->split_type = node.output_dtype(1);
    RETURN_IF_ERROR(ReadOrder(node, *state));
  }
  if (ragged || op == "SparseCross") RETURN_IF_ERROR(ReadHashAttrs(node, *state));
  return Kernel{.fn = &RunKernel<Cross>, .state = std::move(state)};
}

absl::Status CrossShape(ShapeContext& c) {
  SetSparseOutput(c, 0, -1, 2);
  return absl::OkStatus();
}

absl::Status RaggedCrossShape(ShapeContext& c) {
  for (const int i : {0, 1}) c.SetOutput(i, PartialShape::Of({-1}));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterSparseCrossOps(OpLibrary& library) {
  for (const char* op : {"SparseCross", "SparseCrossV2", "SparseCrossHashed"}) {
    RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature(op),
                                 .doc = "Every choice of one value from each column, for each row",
                                 .shape = CrossShape,
                                 .kernel = CrossKernel,
                                 .gradient = gradients::None}));
  }
  return library.Add({.signature = TensorFlowSignature("RaggedCross"),
                      .doc = "Every choice of one value from each column, ragged ones too, for each row",
                      .shape = RaggedCrossShape,
                      .kernel = CrossKernel});
}

}  // namespace flowlatch
