// Serialized tf.train.SequenceExamples as tensors: features of the whole sequence (the context), in columns as in
// example_ops.cc, and lists with a feature for each step:
//   sparse: the values of all examples as a sparse [examples, most steps, longest]
//   dense:  [examples, most steps, shape..], zeros after the end of a list; and how many steps each example has
//   ragged: the values one after the other, the steps' row splits and the examples' row splits among the steps
//   ParseSequenceExample: a vector of examples, sparse and dense columns, keys as attrs. ParseSequenceExampleV2: and
//   ragged ones, keys as inputs. ParseSingleSequenceExample: one example, keys as scalar inputs.
// A single example, a scalar, gives tensors without the first dimension. A dense list that is missing is an error unless it
// is said to be empty then.
#include "ops/sequence_example_ops.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "flowlatch/proto/example.pb.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/examples.h"
#include "ops/kernels/features.h"
#include "ops/kernels/moving_kernel.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {
namespace {

using Examples = std::vector<proto::SequenceExample>;

// ---- Attributes

enum class Form { kV1, kV2, kSingle };

struct Columns {
  std::vector<DType> sparse_types, dense_types, ragged_types, split_types;
  std::vector<DenseColumn> dense;

  int num_sparse() const { return static_cast<int>(sparse_types.size()); }
  int num_dense() const { return static_cast<int>(dense_types.size()); }
  int num_ragged() const { return static_cast<int>(ragged_types.size()); }
};

// Which features and lists are wanted.
struct ColumnKeys {
  Keys sparse, dense, ragged;
};

struct SequenceState : KernelState {
  Form form = Form::kV1;
  Columns context, lists;
  ColumnKeys context_keys, list_keys;  // kV1
  Keys may_miss;                       // kV1: dense lists
};

absl::Status ExpectCount(const std::string& what, size_t got, int64_t expected) {
  if (static_cast<int64_t>(got) == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected ", expected, ", got ", got));
}

// `prefix`: "context_" or "feature_list_". Works for nodes and shape contexts.
template <typename Attrs>
absl::StatusOr<Columns> ReadColumns(const Attrs& attrs, Form form, const std::string& prefix) {
  const bool context = prefix == "context_";
  Columns columns;
  const auto types = [&attrs](const std::string& name) { return attrs.template AttrAs<std::vector<DType>>(name); };
  ASSIGN_OR_RETURN(columns.sparse_types, types(prefix + "sparse_types"));
  ASSIGN_OR_RETURN(columns.dense_types, types(context ? "Tcontext_dense" : "feature_list_dense_types"));
  ASSIGN_OR_RETURN(const auto shapes, attrs.template AttrAs<std::vector<PartialShape>>(prefix + "dense_shapes"));
  RETURN_IF_ERROR(ExpectCount(prefix + "dense_shapes", shapes.size(), columns.num_dense()));
  for (const PartialShape& shape : shapes) {
    ASSIGN_OR_RETURN(DenseColumn column, DenseColumn::Of(shape));
    if (column.variable) {
      return absl::InvalidArgumentError(absl::StrCat(prefix, "dense_shapes: expected known shapes, got ", shape.ToString()));
    }
    columns.dense.push_back(std::move(column));
  }
  ASSIGN_OR_RETURN(const int64_t num_sparse, attrs.Int(absl::StrCat("N", prefix, "sparse")));
  RETURN_IF_ERROR(ExpectCount(prefix + "sparse_types", columns.sparse_types.size(), num_sparse));
  if (form != Form::kV2 || !context) {
    ASSIGN_OR_RETURN(const int64_t num_dense, attrs.Int(absl::StrCat("N", prefix, "dense")));
    RETURN_IF_ERROR(ExpectCount(prefix + "dense types", columns.dense_types.size(), num_dense));
  }
  if (form == Form::kV2) {
    ASSIGN_OR_RETURN(columns.ragged_types, types(prefix + "ragged_value_types"));
    ASSIGN_OR_RETURN(columns.split_types, types(prefix + "ragged_split_types"));
    RETURN_IF_ERROR(ExpectCount(prefix + "ragged_split_types", columns.split_types.size(), columns.num_ragged()));
  }
  return columns;
}

template <typename Attrs>
absl::StatusOr<ColumnKeys> ReadKeyAttrs(const Attrs& attrs, const Columns& columns, const std::string& prefix) {
  ColumnKeys keys;
  ASSIGN_OR_RETURN(keys.sparse, attrs.template AttrAs<Keys>(prefix + "sparse_keys"));
  ASSIGN_OR_RETURN(keys.dense, attrs.template AttrAs<Keys>(prefix + "dense_keys"));
  RETURN_IF_ERROR(ExpectCount(prefix + "sparse_keys", keys.sparse.size(), columns.num_sparse()));
  RETURN_IF_ERROR(ExpectCount(prefix + "dense_keys", keys.dense.size(), columns.num_dense()));
  return keys;
}

template <typename Attrs>
absl::StatusOr<SequenceState> ReadState(const Attrs& attrs) {
  SequenceState state;
  const std::string_view op = attrs.schema().name();
  state.form = op == "ParseSequenceExampleV2" ? Form::kV2 : op == "ParseSingleSequenceExample" ? Form::kSingle : Form::kV1;
  ASSIGN_OR_RETURN(state.context, ReadColumns(attrs, state.form, "context_"));
  ASSIGN_OR_RETURN(state.lists, ReadColumns(attrs, state.form, "feature_list_"));
  if (state.form == Form::kV1) {
    ASSIGN_OR_RETURN(state.context_keys, ReadKeyAttrs(attrs, state.context, "context_"));
    ASSIGN_OR_RETURN(state.list_keys, ReadKeyAttrs(attrs, state.lists, "feature_list_"));
    ASSIGN_OR_RETURN(state.may_miss, attrs.template AttrAs<Keys>("feature_list_dense_missing_assumed_empty"));
  }
  return state;
}

// ---- Inputs

struct Wanted {
  ColumnKeys context, lists;
  std::vector<bool> may_miss;  // for each dense list
  int defaults = 0;            // the first input with a default value of the context
};

std::vector<bool> WhichAreIn(const Keys& keys, const Keys& set) {
  std::vector<bool> in;
  for (const std::string& key : keys) in.push_back(std::find(set.begin(), set.end(), key) != set.end());
  return in;
}

absl::StatusOr<Wanted> ReadWanted(const KernelCall& c, const SequenceState& state) {
  const Columns &context = state.context, &lists = state.lists;
  Wanted wanted{.context = state.context_keys, .lists = state.list_keys, .may_miss = {}, .defaults = 2};
  if (state.form == Form::kV1) {
    wanted.may_miss = WhichAreIn(wanted.lists.dense, state.may_miss);
  } else if (state.form == Form::kV2) {
    ASSIGN_OR_RETURN(wanted.context.sparse, ReadKeyVector(c.input(2), context.num_sparse(), "context_sparse_keys"));
    ASSIGN_OR_RETURN(wanted.context.dense, ReadKeyVector(c.input(3), context.num_dense(), "context_dense_keys"));
    ASSIGN_OR_RETURN(wanted.context.ragged, ReadKeyVector(c.input(4), context.num_ragged(), "context_ragged_keys"));
    ASSIGN_OR_RETURN(wanted.lists.sparse, ReadKeyVector(c.input(5), lists.num_sparse(), "feature_list_sparse_keys"));
    ASSIGN_OR_RETURN(wanted.lists.dense, ReadKeyVector(c.input(6), lists.num_dense(), "feature_list_dense_keys"));
    ASSIGN_OR_RETURN(wanted.lists.ragged, ReadKeyVector(c.input(7), lists.num_ragged(), "feature_list_ragged_keys"));
    const Tensor& may_miss = c.input(8);
    if (!may_miss.is_vector() || may_miss.dim(0) != lists.num_dense()) {
      return absl::InvalidArgumentError(absl::StrCat("feature_list_dense_missing_assumed_empty: expected shape [", lists.num_dense(),
                                                     "], got shape ", may_miss.ShapeString()));
    }
    wanted.may_miss.assign(may_miss.data<bool>(), may_miss.data<bool>() + lists.num_dense());
    wanted.defaults = 9;
  } else {
    if (!c.input(1).is_vector()) {
      return absl::InvalidArgumentError(absl::StrCat("feature_list_dense_missing_assumed_empty: expected a vector, got shape ",
                                                     c.input(1).ShapeString()));
    }
    const struct {
      Keys* keys;
      int n;
      const char* what;
    } kinds[] = {{&wanted.context.sparse, context.num_sparse(), "context_sparse_keys"},
                 {&wanted.context.dense, context.num_dense(), "context_dense_keys"},
                 {&wanted.lists.sparse, lists.num_sparse(), "feature_list_sparse_keys"},
                 {&wanted.lists.dense, lists.num_dense(), "feature_list_dense_keys"}};
    int next = 2;
    for (const auto& [keys, n, what] : kinds) {
      ASSIGN_OR_RETURN(*keys, ReadScalarKeys(c, next, n, what));
      next += n;
    }
    ASSIGN_OR_RETURN(const Keys set, ReadKeyVector(c.input(1), static_cast<int>(c.input(1).dim(0)), "missing"));
    wanted.may_miss = WhichAreIn(wanted.lists.dense, set);
    wanted.defaults = next;
  }
  return wanted;
}

// A key names columns of one kind.
absl::Status ExpectOneKind(const ColumnKeys& keys, const char* what) {
  const Keys* kinds[] = {&keys.sparse, &keys.dense, &keys.ragged};
  for (int i = 0; i < 3; ++i) {
    for (int k = i + 1; k < 3; ++k) {
      for (const std::string& key : *kinds[k]) {
        if (std::find(kinds[i]->begin(), kinds[i]->end(), key) == kinds[i]->end()) continue;
        return absl::InvalidArgumentError(absl::StrCat(what, " '", key, "': expected columns of one kind, got two"));
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> ReadNames(const KernelCall& c, Form form) {
  if (form != Form::kSingle) return NamesOfExamples(c.input(0), &c.input(1));
  const Tensor& name = c.input(c.num_inputs() - 1);
  if (!name.is_scalar()) {
    return absl::InvalidArgumentError(absl::StrCat("debug_name: expected a scalar, got shape ", name.ShapeString()));
  }
  return NamesOfExamples(c.input(0), name.scalar<String>().size() == 0 ? nullptr : &name);
}

absl::Status ExpectRank(const Tensor& serialized, Form form) {
  if (serialized.rank() <= (form == Form::kSingle ? 0 : 1)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("serialized: expected ", form == Form::kSingle ? "a scalar" : "a scalar or a vector",
                                                 ", got shape ", serialized.ShapeString()));
}

// ---- Columns

absl::StatusOr<FeatureRows> FindContext(const Examples& examples, const std::string& key, DType dtype, bool dense,
                                        const std::vector<std::string>& names) {
  FeatureRows rows;
  for (size_t i = 0; i < examples.size(); ++i) {
    const proto::Features& features = examples[i].context();
    ASSIGN_OR_RETURN(const proto::Feature* feature, FindFeature(features, key, dtype, names[i]));
    if (feature == nullptr && dense && features.feature().contains(key)) {
      return absl::InvalidArgumentError(absl::StrCat(names[i], "feature '", key, "': expected values, got a feature without any list"));
    }
    rows.push_back(feature);
  }
  return rows;
}

// The steps of all examples, one after the other, and where each example's end.
struct Lists {
  FeatureRows steps;
  std::vector<int64_t> ends{0};

  int64_t size() const { return static_cast<int64_t>(ends.size()) - 1; }
  int64_t longest() const {
    int64_t longest = 0;
    for (int64_t i = 0; i < size(); ++i) longest = std::max(longest, ends[i + 1] - ends[i]);
    return longest;
  }
};

// may_miss: an example without the list has one without steps.
absl::StatusOr<Lists> FindLists(const Examples& examples, const std::string& key, DType dtype, bool may_miss,
                                const std::vector<std::string>& names) {
  Lists lists;
  for (size_t i = 0; i < examples.size(); ++i) {
    const auto& all = examples[i].feature_lists().feature_list();
    const auto found = all.find(key);
    const std::string where = absl::StrCat(names[i], "feature list '", key, "'");
    if (found == all.end() && !may_miss) return absl::InvalidArgumentError(absl::StrCat(where, ": expected it, got none"));
    if (found != all.end()) {
      for (const proto::Feature& step : found->second.feature()) {
        ASSIGN_OR_RETURN(const proto::Feature* feature, TypedFeature(step, dtype, where));
        lists.steps.push_back(feature);
      }
    }
    lists.ends.push_back(static_cast<int64_t>(lists.steps.size()));
  }
  return lists;
}

int64_t SizeOf(const proto::Feature* feature) { return feature != nullptr ? FeatureSize(*feature) : 0; }

// Outputs first, first + step and first + 2 * step: a sparse tensor.
absl::Status SetSparseLists(KernelCall& c, int first, int step, DType dtype, const Lists& lists, bool batched) {
  RETURN_IF_ERROR(SetAllValues(c, first + step, dtype, lists.steps));
  const int64_t n = c.output(first + step).num_elements();
  ASSIGN_OR_RETURN(Tensor * indices, c.AllocateOutput(first, DType::kInt64, {n, batched ? 3 : 2}));
  int64_t* index = indices->mutable_data<int64_t>();
  int64_t widest = 0;
  for (int64_t example = 0; example < lists.size(); ++example) {
    for (int64_t at = lists.ends[example]; at < lists.ends[example + 1]; ++at) {
      const int64_t size = SizeOf(lists.steps[at]);
      widest = std::max(widest, size);
      for (int64_t i = 0; i < size; ++i) {
        if (batched) *index++ = example;
        *index++ = at - lists.ends[example];
        *index++ = i;
      }
    }
  }
  c.SetOutput(first + 2 * step, batched ? Tensor::Vector<int64_t>({lists.size(), lists.longest(), widest})
                                        : Tensor::Vector<int64_t>({lists.longest(), widest}));
  return absl::OkStatus();
}

absl::Status SetDenseLists(KernelCall& c, int output, const DenseColumn& column, DType dtype, const std::string& key,
                           const Lists& lists, bool batched) {
  for (const proto::Feature* step : lists.steps) {
    if (SizeOf(step) == column.stride) continue;
    return absl::InvalidArgumentError(absl::StrCat("feature list '", key, "': expected values of shape ", column.shape.ToString(),
                                                   " in each step, got ", SizeOf(step)));
  }
  Dims dims;
  if (batched) dims.push_back(lists.size());
  dims.push_back(lists.longest());
  dims.insert(dims.end(), column.shape.dims().begin(), column.shape.dims().end());
  ASSIGN_OR_RETURN(Tensor * dense, c.AllocateOutput(output, dtype, dims));
  if (dense->num_elements() == 0) return absl::OkStatus();
  WithStorageType(dtype, [&]<typename E>() { std::fill_n(MutableElements<E>(*dense), dense->num_elements(), E{}); });
  for (int64_t example = 0; example < lists.size(); ++example) {
    const int64_t first = example * lists.longest() - lists.ends[example];  // where step 0 of all would be
    for (int64_t at = lists.ends[example]; at < lists.ends[example + 1]; ++at) {
      if (lists.steps[at] != nullptr) CopyFeature(*lists.steps[at], *dense, (first + at) * column.stride);
    }
  }
  return absl::OkStatus();
}

absl::Status SetLengths(KernelCall& c, int output, const Lists& lists, bool batched) {
  ASSIGN_OR_RETURN(Tensor * lengths, c.AllocateOutput(output, DType::kInt64, batched ? Dims{lists.size()} : Dims{}));
  for (int64_t i = 0; i < lists.size(); ++i) lengths->mutable_data<int64_t>()[i] = lists.ends[i + 1] - lists.ends[i];
  return absl::OkStatus();
}

// Outputs values, outer and inner. Without a batch there are no outer splits.
absl::Status SetRaggedLists(KernelCall& c, int values, int outer, int inner, DType dtype, DType split_type, const Lists& lists,
                            bool batched) {
  RETURN_IF_ERROR(SetRaggedColumn(c, values, inner, dtype, split_type, lists.steps, true));
  return SetSplits(c, outer, split_type, batched ? absl::MakeConstSpan(lists.ends) : absl::Span<const int64_t>());
}

// ---- The ops

// The number of outputs.
absl::StatusOr<int> SetContext(KernelCall& c, const Columns& columns, const ColumnKeys& keys, int defaults, const Examples& examples,
                               const std::vector<std::string>& names, bool batched) {
  const int num_sparse = columns.num_sparse(), num_dense = columns.num_dense(), num_ragged = columns.num_ragged();
  for (int k = 0; k < num_sparse; ++k) {
    ASSIGN_OR_RETURN(const FeatureRows rows, FindContext(examples, keys.sparse[k], columns.sparse_types[k], false, names));
    RETURN_IF_ERROR(SetSparseColumn(c, k, num_sparse, columns.sparse_types[k], rows, batched));
  }
  for (int k = 0; k < num_dense; ++k) {
    ASSIGN_OR_RETURN(const FeatureRows rows, FindContext(examples, keys.dense[k], columns.dense_types[k], true, names));
    RETURN_IF_ERROR(SetDenseColumn(c, 3 * num_sparse + k, columns.dense[k], keys.dense[k], c.input(defaults + k), rows, batched, names));
  }
  const int values = 3 * num_sparse + num_dense;
  for (int k = 0; k < num_ragged; ++k) {
    ASSIGN_OR_RETURN(const FeatureRows rows, FindContext(examples, keys.ragged[k], columns.ragged_types[k], false, names));
    RETURN_IF_ERROR(SetRaggedColumn(c, values + k, values + num_ragged + k, columns.ragged_types[k], columns.split_types[k], rows, batched));
  }
  return values + 2 * num_ragged;
}

// `first`: the first of the outputs.
absl::Status SetFeatureLists(KernelCall& c, int first, Form form, const Columns& columns, const Wanted& wanted, const Examples& examples,
                             const std::vector<std::string>& names, bool batched) {
  const ColumnKeys& keys = wanted.lists;
  const int num_sparse = columns.num_sparse(), num_dense = columns.num_dense(), num_ragged = columns.num_ragged();
  for (int k = 0; k < num_sparse; ++k) {
    ASSIGN_OR_RETURN(const Lists lists, FindLists(examples, keys.sparse[k], columns.sparse_types[k], true, names));
    RETURN_IF_ERROR(SetSparseLists(c, first + k, num_sparse, columns.sparse_types[k], lists, batched));
  }
  const int dense = first + 3 * num_sparse, lengths = dense + num_dense, values = lengths + num_dense;
  for (int k = 0; k < num_dense; ++k) {
    ASSIGN_OR_RETURN(const Lists lists, FindLists(examples, keys.dense[k], columns.dense_types[k], wanted.may_miss[k], names));
    RETURN_IF_ERROR(SetDenseLists(c, dense + k, columns.dense[k], columns.dense_types[k], keys.dense[k], lists, batched));
    if (form != Form::kSingle) RETURN_IF_ERROR(SetLengths(c, lengths + k, lists, batched));
  }
  for (int k = 0; k < num_ragged; ++k) {
    ASSIGN_OR_RETURN(const Lists lists, FindLists(examples, keys.ragged[k], columns.ragged_types[k], true, names));
    RETURN_IF_ERROR(SetRaggedLists(c, values + k, values + num_ragged + k, values + 2 * num_ragged + k, columns.ragged_types[k],
                                   columns.split_types[k], lists, batched));
  }
  return absl::OkStatus();
}

absl::Status ParseSequences(KernelCall& c) {
  const SequenceState& state = c.state<SequenceState>();
  const Tensor& serialized = c.input(0);
  RETURN_IF_ERROR(ExpectRank(serialized, state.form));
  ASSIGN_OR_RETURN(const Wanted wanted, ReadWanted(c, state));
  if (state.form != Form::kSingle) {
    RETURN_IF_ERROR(ExpectOneKind(wanted.context, "context feature"));
    RETURN_IF_ERROR(ExpectOneKind(wanted.lists, "feature list"));
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> names, ReadNames(c, state.form));
  ASSIGN_OR_RETURN(const Examples examples, ParseMessages<proto::SequenceExample>(c, serialized, names, "SequenceExample"));
  const bool batched = serialized.is_vector();
  ASSIGN_OR_RETURN(const int lists, SetContext(c, state.context, wanted.context, wanted.defaults, examples, names, batched));
  return SetFeatureLists(c, lists, state.form, state.lists, wanted, examples, names, batched);
}

absl::StatusOr<Kernel> ParseKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(SequenceState state, ReadState(node));
  return Kernel{.fn = &RunKernel<ParseSequences>, .state = std::make_shared<SequenceState>(std::move(state))};
}

// Adds the shapes of outputs from `next` on.
absl::Status AddShapes(ShapeContext& c, const Columns& columns, const PartialShape& batch, bool lists, bool lengths, int& next) {
  const int64_t index_rank = batch.has_rank() ? 1 + batch.rank() + (lists ? 1 : 0) : -1;
  const auto add = [&](int n, const PartialShape& shape) {
    for (int i = 0; i < n; ++i) c.SetOutput(next++, shape);
  };
  add(columns.num_sparse(), PartialShape::Of({-1, index_rank}));
  add(columns.num_sparse(), PartialShape::Of({-1}));
  add(columns.num_sparse(), PartialShape::Of({index_rank}));
  for (const DenseColumn& column : columns.dense) {
    PartialShape row = column.shape;
    if (lists) {
      ASSIGN_OR_RETURN(row, PartialShape::Of({-1}).Concatenate(row));
    }
    ASSIGN_OR_RETURN(const PartialShape dense, batch.Concatenate(row));
    add(1, dense);
  }
  if (lengths) add(columns.num_dense(), batch);
  add(columns.num_ragged(), PartialShape::Of({-1}));
  const bool scalar = batch.has_rank() && batch.rank() == 0;
  const int64_t splits = scalar ? 0 : batch.has_rank() && batch.has_dim(0) ? batch.dim(0) + 1 : -1;
  add(columns.num_ragged(), PartialShape::Of({splits}));
  if (lists) add(columns.num_ragged(), PartialShape::Of({-1}));
  return absl::OkStatus();
}

absl::Status ParseShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const SequenceState state, ReadState(c));
  PartialShape batch = c.input(0);
  if (state.form == Form::kSingle) {
    RETURN_IF_ERROR(c.ExpectScalar(0));
    batch = PartialShape(Shape());
  }
  if (batch.has_rank() && batch.rank() > 1) {
    return absl::InvalidArgumentError(absl::StrCat("serialized: expected a scalar or a vector, got shape ", batch.ToString()));
  }
  int next = 0;
  RETURN_IF_ERROR(AddShapes(c, state.context, batch, false, false, next));
  return AddShapes(c, state.lists, batch, true, state.form != Form::kSingle, next);
}

}  // namespace

absl::Status RegisterSequenceExampleOps(OpLibrary& library) {
  for (const char* op : {"ParseSequenceExample", "ParseSequenceExampleV2", "ParseSingleSequenceExample"}) {
    RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature(op),
                                 .doc = "The features and feature lists of serialized SequenceExamples as tensors",
                                 .shape = ParseShape,
                                 .kernel = ParseKernel}));
  }
  return absl::OkStatus();
}

}  // namespace flowlatch
