// Serialized tf.train.Examples as tensors, a column for each key:
//   sparse: the values of all examples as a sparse [examples, longest]
//   dense:  [examples, shape..]; an example without the feature takes the column's default. If the shape's first dimension
//           is unknown, examples are filled with the default to the longest
//   ragged: the values one after the other, and row splits
//   ParseExample: a vector of examples, sparse and dense columns. ParseExampleV2: and ragged ones; a single example, a
//   scalar, gives columns without the first dimension. ParseSingleExample: the same for a scalar alone, keys as attrs.
//   DecodeJSONExample: Examples from JSON to their serialized form.
// Features of another dtype than the column's are errors.
#include "ops/example_ops.h"

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "flowlatch/proto/example.pb.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/examples.h"
#include "ops/kernels/features.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {
namespace {

enum class Form { kV1, kV2, kSingle };

// Attributes of the ops; keys are inputs or, for kSingle, attributes.
struct Columns : KernelState {
  Form form = Form::kV1;
  std::vector<DType> sparse_types, dense_types, ragged_types, split_types;
  std::vector<DenseColumn> dense;
  std::vector<std::string> sparse_keys, dense_keys;  // kSingle

  int num_sparse() const { return static_cast<int>(sparse_types.size()); }
  int num_dense() const { return static_cast<int>(dense_types.size()); }
  int num_ragged() const { return static_cast<int>(ragged_types.size()); }
  // Where the inputs with default values begin.
  int defaults() const { return form == Form::kV1 ? 2 + num_sparse() + num_dense() : form == Form::kV2 ? 5 : 1; }
};

// Works for nodes and shape contexts.
template <typename Attrs>
absl::StatusOr<Columns> ReadColumns(const Attrs& attrs) {
  Columns columns;
  const std::string_view op = attrs.schema().name();
  columns.form = op == "ParseExampleV2" ? Form::kV2 : op == "ParseSingleExample" ? Form::kSingle : Form::kV1;
  ASSIGN_OR_RETURN(columns.sparse_types, attrs.template AttrAs<std::vector<DType>>("sparse_types"));
  ASSIGN_OR_RETURN(columns.dense_types, attrs.template AttrAs<std::vector<DType>>("Tdense"));
  ASSIGN_OR_RETURN(const auto shapes, attrs.template AttrAs<std::vector<PartialShape>>("dense_shapes"));
  if (shapes.size() != columns.dense_types.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("dense_shapes: expected ", columns.dense_types.size(), " shapes, got ", shapes.size()));
  }
  for (const PartialShape& shape : shapes) {
    ASSIGN_OR_RETURN(DenseColumn column, DenseColumn::Of(shape));
    columns.dense.push_back(std::move(column));
  }
  if (columns.form == Form::kV2) {
    ASSIGN_OR_RETURN(columns.ragged_types, attrs.template AttrAs<std::vector<DType>>("ragged_value_types"));
    ASSIGN_OR_RETURN(columns.split_types, attrs.template AttrAs<std::vector<DType>>("ragged_split_types"));
    if (columns.ragged_types.size() != columns.split_types.size()) {
      return absl::InvalidArgumentError(absl::StrCat("ragged_split_types: expected ", columns.ragged_types.size(),
                                                     " types, got ", columns.split_types.size()));
    }
  }
  if (columns.form == Form::kSingle) {
    ASSIGN_OR_RETURN(columns.sparse_keys, attrs.template AttrAs<std::vector<std::string>>("sparse_keys"));
    ASSIGN_OR_RETURN(columns.dense_keys, attrs.template AttrAs<std::vector<std::string>>("dense_keys"));
    if (columns.sparse_keys.size() != columns.sparse_types.size() || columns.dense_keys.size() != columns.dense_types.size()) {
      return absl::InvalidArgumentError("sparse_keys and dense_keys: expected one for each type, got another number");
    }
  }
  const char* counted = columns.form == Form::kV1 ? "Nsparse" : "num_sparse";
  ASSIGN_OR_RETURN(const int64_t num_sparse, attrs.Int(counted));
  if (num_sparse != columns.num_sparse()) {
    return absl::InvalidArgumentError(absl::StrCat(counted, ": expected ", columns.num_sparse(), ", got ", num_sparse));
  }
  return columns;
}

// ---- Keys

struct AllKeys {
  Keys sparse, dense, ragged;
};

absl::StatusOr<AllKeys> ReadKeys(const KernelCall& c, const Columns& columns) {
  AllKeys keys{columns.sparse_keys, columns.dense_keys, {}};
  if (columns.form == Form::kV1) {
    ASSIGN_OR_RETURN(keys.sparse, ReadScalarKeys(c, 2, columns.num_sparse(), "sparse_keys"));
    ASSIGN_OR_RETURN(keys.dense, ReadScalarKeys(c, 2 + columns.num_sparse(), columns.num_dense(), "dense_keys"));
  } else if (columns.form == Form::kV2) {
    ASSIGN_OR_RETURN(keys.sparse, ReadKeyVector(c.input(2), columns.num_sparse(), "sparse_keys"));
    ASSIGN_OR_RETURN(keys.dense, ReadKeyVector(c.input(3), columns.num_dense(), "dense_keys"));
    ASSIGN_OR_RETURN(keys.ragged, ReadKeyVector(c.input(4), columns.num_ragged(), "ragged_keys"));
  }
  return keys;
}

// ---- Examples

absl::StatusOr<FeatureRows> FindColumn(const std::vector<proto::Example>& examples, const std::string& key, DType dtype,
                                       const std::vector<std::string>& names) {
  FeatureRows rows;
  for (size_t i = 0; i < examples.size(); ++i) {
    ASSIGN_OR_RETURN(const proto::Feature* feature, FindFeature(examples[i].features(), key, dtype, names[i]));
    rows.push_back(feature);
  }
  return rows;
}

absl::Status ExpectRank(const Tensor& serialized, Form form) {
  const int rank = serialized.rank();
  const bool fits = form == Form::kV1 ? rank == 1 : form == Form::kV2 ? rank <= 1 : rank == 0;
  if (fits) return absl::OkStatus();
  const char* expected = form == Form::kV1 ? "a vector" : form == Form::kV2 ? "a scalar or a vector" : "a scalar";
  return absl::InvalidArgumentError(absl::StrCat("serialized: expected ", expected, ", got shape ", serialized.ShapeString()));
}

absl::Status ParseExamples(KernelCall& c) {
  const Columns& columns = c.state<Columns>();
  RETURN_IF_ERROR(ExpectRank(c.input(0), columns.form));
  const bool batched = c.input(0).is_vector();
  ASSIGN_OR_RETURN(const AllKeys keys, ReadKeys(c, columns));
  const Tensor& serialized = c.input(0);
  ASSIGN_OR_RETURN(const std::vector<std::string> names,
                   NamesOfExamples(serialized, columns.form == Form::kSingle ? nullptr : &c.input(1)));
  for (int k = 0; k < columns.num_dense(); ++k) {
    RETURN_IF_ERROR(columns.dense[k].CheckDefault(c.input(columns.defaults() + k), keys.dense[k]));
  }
  ASSIGN_OR_RETURN(const std::vector<proto::Example> examples, ParseMessages<proto::Example>(c, serialized, names, "Example"));
  const int num_sparse = columns.num_sparse(), num_dense = columns.num_dense(), num_ragged = columns.num_ragged();
  for (int k = 0; k < num_sparse; ++k) {
    ASSIGN_OR_RETURN(const FeatureRows rows, FindColumn(examples, keys.sparse[k], columns.sparse_types[k], names));
    RETURN_IF_ERROR(SetSparseColumn(c, k, num_sparse, columns.sparse_types[k], rows, batched));
  }
  for (int k = 0; k < num_dense; ++k) {
    ASSIGN_OR_RETURN(const FeatureRows rows, FindColumn(examples, keys.dense[k], columns.dense_types[k], names));
    RETURN_IF_ERROR(SetDenseColumn(c, 3 * num_sparse + k, columns.dense[k], keys.dense[k], c.input(columns.defaults() + k),
                                   rows, batched, names));
  }
  for (int k = 0; k < num_ragged; ++k) {
    ASSIGN_OR_RETURN(const FeatureRows rows, FindColumn(examples, keys.ragged[k], columns.ragged_types[k], names));
    const int values = 3 * num_sparse + num_dense + k;
    RETURN_IF_ERROR(SetRaggedColumn(c, values, values + num_ragged, columns.ragged_types[k], columns.split_types[k], rows, batched));
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> ParseKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(Columns columns, ReadColumns(node));
  return Kernel{.fn = &RunKernel<ParseExamples>, .state = std::make_shared<Columns>(std::move(columns))};
}

absl::Status ParseShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const Columns columns, ReadColumns(c));
  const PartialShape& serialized = c.input(0);
  if (columns.form == Form::kV1) RETURN_IF_ERROR(c.ExpectVector(0));
  if (columns.form == Form::kSingle) RETURN_IF_ERROR(c.ExpectScalar(0));
  if (serialized.has_rank() && serialized.rank() > 1) {
    return absl::InvalidArgumentError(absl::StrCat("serialized: expected a scalar or a vector, got shape ", serialized.ToString()));
  }
  PartialShape batch = serialized;
  if (columns.form == Form::kV1 && !batch.has_rank()) batch = PartialShape::UnknownOfRank(1);
  if (columns.form == Form::kSingle) batch = PartialShape(Shape());
  const int num_sparse = columns.num_sparse(), num_dense = columns.num_dense(), num_ragged = columns.num_ragged();
  const int64_t index_rank = batch.has_rank() ? 1 + batch.rank() : -1;
  for (int k = 0; k < num_sparse; ++k) {
    c.SetOutput(k, PartialShape::Of({-1, index_rank}));
    c.SetOutput(num_sparse + k, PartialShape::Of({-1}));
    c.SetOutput(2 * num_sparse + k, PartialShape::Of({index_rank}));
  }
  for (int k = 0; k < num_dense; ++k) {
    ASSIGN_OR_RETURN(PartialShape dense, batch.Concatenate(columns.dense[k].shape));
    c.SetOutput(3 * num_sparse + k, std::move(dense));
  }
  for (int k = 0; k < num_ragged; ++k) {
    const int values = 3 * num_sparse + num_dense + k;
    c.SetOutput(values, PartialShape::Of({-1}));
    const int64_t n = batch.has_rank() && batch.rank() == 1 && batch.has_dim(0) ? batch.dim(0) + 1 : -1;
    c.SetOutput(values + num_ragged, PartialShape::Of({batch.has_rank() && batch.rank() == 0 ? 0 : n}));
  }
  return absl::OkStatus();
}

// ---- DecodeJSONExample

// Fields keep the order that they have in the text.
absl::Status DecodeJson(KernelCall& c) {
  static google::protobuf::util::TypeResolver* const resolver = google::protobuf::util::NewTypeResolverForDescriptorPool(
      "type.googleapis.com", google::protobuf::DescriptorPool::generated_pool());
  const std::string type = "type.googleapis.com/" + proto::Example::descriptor()->full_name();
  const absl::Span<const String> texts = c.input(0).values<String>();
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kString, c.input(0).dims()));
  for (size_t i = 0; i < texts.size(); ++i) {
    std::string bytes;
    const auto status = google::protobuf::util::JsonToBinaryString(resolver, type, std::string(texts[i].view()), &bytes);
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("json_examples ", i, ": expected an Example in JSON, got: ", std::string(status.message())));
    }
    output->mutable_data<String>()[i] = std::string_view(bytes);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterExampleOps(OpLibrary& library) {
  for (const char* op : {"ParseExample", "ParseExampleV2", "ParseSingleExample"}) {
    RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature(op),
                                 .doc = "The features of serialized Examples as tensors",
                                 .shape = ParseShape,
                                 .kernel = ParseKernel,
                                 .gradient = gradients::None}));
  }
  return library.Add({.signature = TensorFlowSignature("DecodeJSONExample"),
                      .doc = "Serialized Examples from JSON",
                      .shape = shapes::SameAsInput,
                      .kernel = PlainKernel<DecodeJson>,
                      .gradient = gradients::None});
}

}  // namespace flowlatch
