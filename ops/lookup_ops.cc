// Lookup tables, which live as long as the session.
//   HashTable:                  filled once, by InitializeTable, InitializeTableFromTextFile or LookupTableImport
//   MutableHashTable, MutableHashTableOfTensors: values are elements, or vectors
//   MutableDenseHashTable:      keys may be vectors too; empty_key and deleted_key are no keys
//   Anonymous..:                a new table each time, which lives as long as its handles
//   LookupTableFind, Insert, Remove, Size, Export, Import: see LookupTable
// Tables are shared under their shared_name (with use_node_name_sharing under the node's name); without one they are
// the node's own. V2 handles are resources, others references to strings. Keys are int32, int64 or string; values
// anything.
#include "ops/lookup_ops.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/file_access.h"
#include "ops/kernels/lookup_table.h"
#include "ops/kernels/resource_names.h"
#include "ops/kernels/vocabulary.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

// ---- Making tables

class TableState : public KernelState {
 public:
  TableType type;
  ResourceName name;  // of tables with a name, as what follows
  Tensor handle;
  int64_t num_buckets = 0;  // of dense tables, as what follows
  float max_load = 0;
};

using Table = absl::StatusOr<RefPtr<LookupTable>>;
using TableMaker = Table (*)(const KernelCall&, const TableState&, std::string name);

Table MakeStatic(const KernelCall&, const TableState& state, std::string name) {
  return MakeStaticTable(std::move(name), state.type);
}

Table MakeMutable(const KernelCall&, const TableState& state, std::string name) {
  return MakeMutableTable(std::move(name), state.type);
}

Table MakeDense(const KernelCall& c, const TableState& state, std::string name) {
  DenseTableOptions options;
  ASSIGN_OR_RETURN(options.empty_key, c.input(0).Clone());  // feeds may be lent
  if (c.num_inputs() > 1) {
    ASSIGN_OR_RETURN(options.deleted_key, c.input(1).Clone());
  }
  options.num_buckets = state.num_buckets;
  options.max_load = state.max_load;
  return MakeDenseTable(std::move(name), state.type, std::move(options));
}

template <TableMaker kMake>
absl::Status NamedTable(KernelCall& c) {
  const TableState& state = c.state<TableState>();
  ASSIGN_OR_RETURN(const RefPtr<LookupTable> table,
                   c.step().resources().LookupOrCreate<LookupTable>(state.name.container, state.name.name,
                                                                    [&] { return kMake(c, state, state.name.name); }));
  const TableType& type = table->type();
  if (type.key_dtype != state.type.key_dtype || type.value_dtype != state.type.value_dtype) {
    return absl::InvalidArgumentError(
        absl::StrCat("table '", table->name(), "': expected ", std::string(DTypeName(type.key_dtype)), " -> ",
                     std::string(DTypeName(type.value_dtype)), ", got ", std::string(DTypeName(state.type.key_dtype)),
                     " -> ", std::string(DTypeName(state.type.value_dtype))));
  }
  c.SetOutput(0, state.handle);
  return absl::OkStatus();
}

template <TableMaker kMake>
absl::Status AnonymousTable(KernelCall& c) {
  const std::string name = UniqueName("anonymous");
  ASSIGN_OR_RETURN(RefPtr<LookupTable> table, kMake(c, c.state<TableState>(), name));
  c.SetOutput(0, OwningHandle(RefPtr<const RefCounted>(std::move(table)), LookupTable::kTypeName, name));
  return absl::OkStatus();
}

template <TableMaker kMake>
absl::StatusOr<Kernel> TableKernel(const NodeInfo& node) {
  auto state = std::make_shared<TableState>();
  ASSIGN_OR_RETURN(state->type.key_dtype, node.Type("key_dtype"));
  ASSIGN_OR_RETURN(state->type.value_dtype, node.Type("value_dtype"));
  if (node.schema().FindAttr("value_shape") != nullptr) {
    ASSIGN_OR_RETURN(const PartialShape shape, node.AttrAs<PartialShape>("value_shape"));
    if (!shape.fully_defined() || (kMake == MakeMutable && shape.rank() != 1)) {
      return absl::InvalidArgumentError(absl::StrCat("value_shape: expected a vector, got shape ", shape.ToString()));
    }
    state->type.value_shape = *shape.ToShape();
  }
  if constexpr (kMake == MakeDense) {
    ASSIGN_OR_RETURN(state->num_buckets, node.Int("initial_num_buckets"));
    ASSIGN_OR_RETURN(state->max_load, node.Float("max_load_factor"));
  }
  if (node.schema().FindAttr("shared_name") == nullptr) {
    return Kernel{.fn = &RunKernel<AnonymousTable<kMake>>, .state = std::move(state)};
  }
  ASSIGN_OR_RETURN(const bool shares_node_name, node.Bool("use_node_name_sharing"));
  ASSIGN_OR_RETURN(state->name, ResourceNameOf(node, shares_node_name));
  ASSIGN_OR_RETURN(state->handle, MakeHandle(node, state->name, LookupTable::kTypeName));
  return Kernel{.fn = &RunKernel<NamedTable<kMake>>, .state = std::move(state)};
}

// ---- Using them

absl::StatusOr<RefPtr<LookupTable>> TableInput(const KernelCall& c) { return FindResource<LookupTable>(c, 0); }

absl::Status Find(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<LookupTable> table, TableInput(c));
  ASSIGN_OR_RETURN(c.output(0), table->Find(c.input(1), c.input(2), c.step().services().allocator));
  return absl::OkStatus();
}

absl::Status Insert(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<LookupTable> table, TableInput(c));
  return table->Insert(c.input(1), c.input(2));
}

absl::Status Remove(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<LookupTable> table, TableInput(c));
  return table->Remove(c.input(1));
}

absl::Status Size(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<LookupTable> table, TableInput(c));
  c.output(0).SetScalar<int64_t>(table->size());
  return absl::OkStatus();
}

absl::Status Import(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<LookupTable> table, TableInput(c));
  return table->Import(c.input(1), c.input(2));
}

class ExportState : public KernelState {
 public:
  ExportState(DType keys, DType values) : keys(keys), values(values) {}
  const DType keys, values;
};

absl::Status Export(KernelCall& c) {
  const ExportState& state = c.state<ExportState>();
  ASSIGN_OR_RETURN(const RefPtr<LookupTable> table, TableInput(c));
  if (table->type().key_dtype != state.keys || table->type().value_dtype != state.values) {
    return absl::InvalidArgumentError(
        absl::StrCat("table '", table->name(), "': expected ", std::string(DTypeName(state.keys)), " -> ",
                     std::string(DTypeName(state.values)), ", got ", std::string(DTypeName(table->type().key_dtype)),
                     " -> ", std::string(DTypeName(table->type().value_dtype))));
  }
  ASSIGN_OR_RETURN(TableEntries entries, table->Export(c.step().services().allocator));
  c.SetOutput(0, std::move(entries.keys));
  c.SetOutput(1, std::move(entries.values));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> ExportKernel(const NodeInfo& node) {
  return Kernel{.fn = &RunKernel<Export>,
                .state = std::make_shared<ExportState>(node.output_dtype(0), node.output_dtype(1))};
}

// ---- Filling static ones

absl::Status Initialize(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<LookupTable> table, TableInput(c));
  const Tensor& keys = c.input(1);
  const Tensor& values = c.input(2);
  if (!keys.is_vector() || keys.dims() != values.dims()) {
    return absl::InvalidArgumentError(absl::StrCat("keys and values: expected vectors of one length, got shapes ",
                                                   keys.ShapeString(), " and ", values.ShapeString()));
  }
  return table->Initialize(keys, values);
}

class VocabularyState : public KernelState {
 public:
  VocabularyFormat format;
};

absl::Status InitializeFromFile(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<LookupTable> table, TableInput(c));
  const Tensor& path = c.input(1);
  if (!path.is_scalar() || path.scalar<String>().size() == 0) {
    return absl::InvalidArgumentError(absl::StrCat("filename: expected a name, got ", path.DebugString()));
  }
  RETURN_IF_ERROR(CheckFilesAllowed(c));
  RETURN_IF_ERROR(table->CheckStatic());
  ASSIGN_OR_RETURN(const TableEntries entries, ReadVocabulary(std::string(path.scalar<String>().view()),
                                                              c.state<VocabularyState>().format, table->type()));
  return table->Initialize(entries.keys, entries.values);
}

absl::StatusOr<Kernel> InitializeFromFileKernel(const NodeInfo& node) {
  auto state = std::make_shared<VocabularyState>();
  ASSIGN_OR_RETURN(state->format.key_index, node.Int("key_index"));
  ASSIGN_OR_RETURN(state->format.value_index, node.Int("value_index"));
  ASSIGN_OR_RETURN(state->format.size, node.Int("vocab_size"));
  ASSIGN_OR_RETURN(state->format.offset, node.Int("offset"));
  ASSIGN_OR_RETURN(const std::string delimiter, node.Str("delimiter"));
  if (delimiter.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("delimiter: expected one character, got '", delimiter, "'"));
  }
  state->format.delimiter = delimiter[0];
  return Kernel{.fn = &RunKernel<InitializeFromFile>, .state = std::move(state)};
}

// ---- Shapes. Handles of tables whose keys are scalars know dtype and shape of the values.

absl::Status TableShape(ShapeContext& c) {
  if (c.schema().FindAttr("initial_num_buckets") != nullptr) return shapes::Scalar(c);
  HandleData values;
  ASSIGN_OR_RETURN(values.dtype, c.AttrAs<DType>("value_dtype"));
  values.shape = PartialShape(Shape());
  if (c.schema().FindAttr("value_shape") != nullptr) {
    ASSIGN_OR_RETURN(values.shape, c.AttrAs<PartialShape>("value_shape"));
  }
  c.SetOutputHandle(0, std::move(values));
  return shapes::Scalar(c);
}

absl::Status FindShape(ShapeContext& c) {
  const HandleData* values = c.input_handle(0);
  if (values == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(PartialShape shape, c.input(1).Concatenate(values->shape));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status ExportShape(ShapeContext& c) {
  const HandleData* values = c.input_handle(0);
  if (values == nullptr) return absl::OkStatus();
  c.SetOutput(0, PartialShape::UnknownOfRank(1));
  ASSIGN_OR_RETURN(PartialShape shape, PartialShape::UnknownOfRank(1).Concatenate(values->shape));
  c.SetOutput(1, std::move(shape));
  return absl::OkStatus();
}

absl::Status InitializeShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectVector(1));
  return c.input(1).MergeWith(c.input(2)).status();
}

absl::Status InitializeFromFileShape(ShapeContext& c) { return c.ExpectScalar(1); }

}  // namespace

absl::Status RegisterLookupOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .gradient = gradients::None});
  };
  const auto add_both = [&](const std::string& name, std::string_view doc, ShapeFunction shape,
                            const KernelFactory& kernel) -> absl::Status {
    RETURN_IF_ERROR(add(name, doc, shape, kernel));
    return add(name + "V2", doc, shape, kernel);
  };
  // Of a table: Name, NameV2 and AnonymousName. Handles that are references are vectors.
  const auto add_table = [&](const std::string& name, std::string_view doc,
                             const KernelFactory& kernel) -> absl::Status {
    for (const std::string& op : {name, name + "V2", "Anonymous" + name}) {
      RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature(op),
                                   .doc = doc,
                                   .shape = op == name ? shapes::Unknown : TableShape,
                                   .kernel = kernel,
                                   .dtypes = kTableKeyTypes,
                                   .type_attr = "key_dtype",
                                   .gradient = gradients::None}));
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(add_table("HashTable", "A table that is filled once", TableKernel<MakeStatic>));
  RETURN_IF_ERROR(add_table("MutableHashTable", "A table whose values are elements", TableKernel<MakeMutable>));
  RETURN_IF_ERROR(add_table("MutableHashTableOfTensors", "A table whose values are vectors", TableKernel<MakeMutable>));
  RETURN_IF_ERROR(add_table("MutableDenseHashTable", "A table whose keys and values are elements or vectors",
                            TableKernel<MakeDense>));
  RETURN_IF_ERROR(add_both("LookupTableFind", "The values of keys, or default values", FindShape, PlainKernel<Find>));
  RETURN_IF_ERROR(add_both("LookupTableInsert", "Sets the values of keys", shapes::NoOutputs, PlainKernel<Insert>));
  RETURN_IF_ERROR(add("LookupTableRemoveV2", "Drops keys and their values", shapes::NoOutputs, PlainKernel<Remove>));
  RETURN_IF_ERROR(add_both("LookupTableSize", "The number of keys", shapes::Scalar, PlainKernel<Size>));
  RETURN_IF_ERROR(add_both("LookupTableExport", "All keys and their values", ExportShape, ExportKernel));
  RETURN_IF_ERROR(
      add_both("LookupTableImport", "Replaces all keys and values", shapes::NoOutputs, PlainKernel<Import>));
  RETURN_IF_ERROR(
      add_both("InitializeTable", "Fills a table from two vectors", InitializeShape, PlainKernel<Initialize>));
  return add_both("InitializeTableFromTextFile", "Fills a table from the lines of a text file", InitializeFromFileShape,
                  InitializeFromFileKernel);
}

}  // namespace flowlatch
