// Saving tensors to checkpoints and reading them back (runtime/checkpoint).
//   SaveV2(prefix, tensor_names [n], shape_and_slices [n], n tensors): one checkpoint, complete or not at all.
//   Save(filename, tensor_names [n], n tensors), SaveSlices (with shapes_and_slices [n]): one file of the first format.
//   RestoreV2(prefix, tensor_names [n], shape_and_slices [n]) -> n tensors, of either format.
//   MergeV2Checkpoints(checkpoint_prefixes [n], destination_prefix): one of several, whose files are moved.
//   Restore, RestoreSlice(file_pattern, tensor_name): one tensor; the pattern may name the shards of an old checkpoint.
//   ShardedFilename, ShardedFilespec: names like "m-00001-of-00004" and "m-?????-of-00004".
// A shape_and_slice is "" for the whole tensor or, as in "4 10 0,2:-", the whole shape and the part that is meant.
// All but the last two touch files, which a session must allow.
#include "ops/save_restore_ops.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/file_access.h"
#include "runtime/checkpoint/checkpoint_reader.h"
#include "runtime/checkpoint/table_checkpoint.h"
#include "runtime/checkpoint/tensor_bundle.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"
#include "runtime/kernel/step_context.h"

namespace flowlatch {
namespace {

absl::StatusOr<std::string> ReadString(const Tensor& t, const char* what) {
  if (t.is_scalar()) return std::string(t.scalar<String>().view());
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected a scalar, got shape ", t.ShapeString()));
}

absl::StatusOr<absl::Span<const String>> ReadStrings(const Tensor& t, const char* what, int n) {
  if (t.is_vector() && t.dim(0) == n) return t.values<String>();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected shape [", n, "], got ", t.ShapeString()));
}

// ---- SaveV2, Save, SaveSlices

template <typename Writer>
absl::Status SaveTensor(Writer& writer, std::string_view name, std::string_view shape_and_slice,
                        const Tensor& tensor) {
  ASSIGN_OR_RETURN(const std::optional<ShapeAndSlice> slice, ParseShapeAndSlice(shape_and_slice));
  return slice.has_value() ? writer.AddSlice(name, slice->shape, slice->slice, tensor) : writer.Add(name, tensor);
}

absl::Status Save(KernelCall& c) {
  RETURN_IF_ERROR(CheckFilesAllowed(c));
  const int n = c.num_inputs() - 3;
  ASSIGN_OR_RETURN(const std::string prefix, ReadString(c.input(0), "prefix"));
  ASSIGN_OR_RETURN(const absl::Span<const String> names, ReadStrings(c.input(1), "tensor_names", n));
  ASSIGN_OR_RETURN(const absl::Span<const String> slices, ReadStrings(c.input(2), "shape_and_slices", n));
  // By name, as TensorFlow does, so that the files have the same bytes.
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return names[a] < names[b]; });
  ASSIGN_OR_RETURN(const std::unique_ptr<BundleWriter> writer, BundleWriter::Create(prefix));
  for (const int i : order) RETURN_IF_ERROR(SaveTensor(*writer, names[i].view(), slices[i].view(), c.input(3 + i)));
  return writer->Finish();
}

template <bool kSliced>
absl::Status SaveTable(KernelCall& c) {
  RETURN_IF_ERROR(CheckFilesAllowed(c));
  constexpr int kFirst = kSliced ? 3 : 2;
  const int n = c.num_inputs() - kFirst;
  ASSIGN_OR_RETURN(const std::string filename, ReadString(c.input(0), "filename"));
  ASSIGN_OR_RETURN(const absl::Span<const String> names, ReadStrings(c.input(1), "tensor_names", n));
  absl::Span<const String> slices;
  if constexpr (kSliced) {
    ASSIGN_OR_RETURN(slices, ReadStrings(c.input(2), "shapes_and_slices", n));
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<TableCheckpointWriter> writer, TableCheckpointWriter::Create(filename));
  for (int i = 0; i < n; ++i) {
    const std::string_view slice = kSliced ? slices[i].view() : std::string_view();
    RETURN_IF_ERROR(SaveTensor(*writer, names[i].view(), slice, c.input(kFirst + i)));
  }
  return writer->Finish();
}

// A scalar, then `lists` vectors of n elements.
absl::Status CheckListShapes(ShapeContext& c, int n, int lists = 2) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  for (int i = 1; i <= lists; ++i) {
    ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(i, 1));
    RETURN_IF_ERROR(shape.MergeWith(PartialShape::Of({n})).status());
  }
  return absl::OkStatus();
}

absl::Status SaveShape(ShapeContext& c) { return CheckListShapes(c, c.num_inputs() - 3); }
absl::Status SaveUnslicedShape(ShapeContext& c) { return CheckListShapes(c, c.num_inputs() - 2, 1); }

// ---- RestoreV2, Restore, RestoreSlice

absl::StatusOr<Tensor> RestoreTensor(const KernelCall& c, const CheckpointReader& reader, std::string_view name,
                                     std::string_view shape_and_slice, DType dtype) {
  ASSIGN_OR_RETURN(const std::optional<ShapeAndSlice> slice, ParseShapeAndSlice(shape_and_slice));
  ASSIGN_OR_RETURN(const CheckpointReader::TensorInfo* info, reader.Expect(name, dtype));
  Allocator* allocator = c.step().services().allocator;
  if (!slice.has_value()) return reader.Read(name, allocator);
  if (info->shape != slice->shape) {
    return absl::InvalidArgumentError(absl::StrCat("tensor '", info->name, "' in checkpoint '", reader.path(),
                                                   "': expected shape ", slice->shape.ToString(), ", got ",
                                                   info->shape.ToString()));
  }
  return reader.ReadSlice(name, slice->slice, allocator);
}

class RestoreState : public KernelState {
 public:
  std::vector<DType> dtypes;
};

absl::Status RestoreAll(KernelCall& c) {
  RETURN_IF_ERROR(CheckFilesAllowed(c));
  const std::vector<DType>& dtypes = c.state<RestoreState>().dtypes;
  const int n = c.num_outputs();
  ASSIGN_OR_RETURN(const std::string prefix, ReadString(c.input(0), "prefix"));
  ASSIGN_OR_RETURN(const absl::Span<const String> names, ReadStrings(c.input(1), "tensor_names", n));
  ASSIGN_OR_RETURN(const absl::Span<const String> slices, ReadStrings(c.input(2), "shape_and_slices", n));
  ASSIGN_OR_RETURN(const std::unique_ptr<CheckpointReader> reader, CheckpointReader::Open(prefix));
  for (int i = 0; i < n; ++i) {
    ASSIGN_OR_RETURN(c.output(i), RestoreTensor(c, *reader, names[i].view(), slices[i].view(), dtypes[i]));
  }
  return absl::OkStatus();
}

// Restore has no third input.
absl::Status RestoreOne(KernelCall& c) {
  RETURN_IF_ERROR(CheckFilesAllowed(c));
  ASSIGN_OR_RETURN(const std::string pattern, ReadString(c.input(0), "file_pattern"));
  ASSIGN_OR_RETURN(const std::string name, ReadString(c.input(1), "tensor_name"));
  std::string slice;
  if (c.num_inputs() == 3) {
    ASSIGN_OR_RETURN(slice, ReadString(c.input(2), "shape_and_slice"));
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<CheckpointReader> reader, CheckpointReader::Open(pattern));
  ASSIGN_OR_RETURN(c.output(0), RestoreTensor(c, *reader, name, slice, c.state<RestoreState>().dtypes[0]));
  return absl::OkStatus();
}

template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> RestoreKernel(const NodeInfo& node) {
  auto state = std::make_shared<RestoreState>();
  for (int i = 0; i < node.num_outputs(); ++i) state->dtypes.push_back(node.output_dtype(i));
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::move(state)};
}

absl::Status SetSliceShape(ShapeContext& c, int output, std::string_view shape_and_slice) {
  ASSIGN_OR_RETURN(const std::optional<ShapeAndSlice> slice, ParseShapeAndSlice(shape_and_slice));
  if (slice.has_value()) c.SetOutput(output, ShapeOfSlice(slice->slice));
  return absl::OkStatus();
}

absl::Status RestoreAllShape(ShapeContext& c) {
  RETURN_IF_ERROR(CheckListShapes(c, c.num_outputs()));
  const Tensor* slices = c.constant(2);
  if (slices == nullptr || slices->dtype() != DType::kString) return absl::OkStatus();
  for (int i = 0; i < c.num_outputs(); ++i) RETURN_IF_ERROR(SetSliceShape(c, i, slices->data<String>()[i].view()));
  return absl::OkStatus();
}

absl::Status RestoreOneShape(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) RETURN_IF_ERROR(c.ExpectScalar(i));
  const Tensor* slice = c.num_inputs() == 3 ? c.constant(2) : nullptr;
  if (slice == nullptr || slice->dtype() != DType::kString) return absl::OkStatus();
  return SetSliceShape(c, 0, slice->scalar<String>().view());
}

// ---- MergeV2Checkpoints

class MergeState : public KernelState {
 public:
  MergeOptions options;
};

absl::Status Merge(KernelCall& c) {
  RETURN_IF_ERROR(CheckFilesAllowed(c));
  if (!c.input(0).is_vector()) {
    return absl::InvalidArgumentError(
        absl::StrCat("checkpoint_prefixes: expected a vector, got shape ", c.input(0).ShapeString()));
  }
  ASSIGN_OR_RETURN(const std::string destination, ReadString(c.input(1), "destination_prefix"));
  std::vector<std::string> sources;
  for (const String& source : c.input(0).values<String>()) sources.emplace_back(source.view());
  return MergeBundles(sources, destination, c.state<MergeState>().options);
}

absl::StatusOr<Kernel> MergeKernel(const NodeInfo& node) {
  auto state = std::make_shared<MergeState>();
  ASSIGN_OR_RETURN(state->options.delete_old_directories, node.Bool("delete_old_dirs"));
  ASSIGN_OR_RETURN(state->options.allow_missing, node.Bool("allow_missing_files"));
  return Kernel{.fn = &RunKernel<Merge>, .state = std::move(state)};
}

absl::Status MergeShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectVector(0));
  return c.ExpectScalar(1);
}

// ---- ShardedFilename, ShardedFilespec

absl::StatusOr<int32_t> ReadInt(const Tensor& t, const char* what) {
  if (t.is_scalar()) return t.scalar<int32_t>();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected a scalar, got shape ", t.ShapeString()));
}

std::string FiveDigits(int32_t number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%05d", number);
  return digits;
}

absl::Status ShardedFilename(KernelCall& c) {
  ASSIGN_OR_RETURN(const std::string base, ReadString(c.input(0), "basename"));
  ASSIGN_OR_RETURN(const int32_t shard, ReadInt(c.input(1), "shard"));
  ASSIGN_OR_RETURN(const int32_t num_shards, ReadInt(c.input(2), "num_shards"));
  const std::string name = absl::StrCat(base, "-", FiveDigits(shard), "-of-", FiveDigits(num_shards));
  c.SetOutput(0, Tensor::Scalar(std::string_view(name)));
  return absl::OkStatus();
}

absl::Status ShardedFilespec(KernelCall& c) {
  ASSIGN_OR_RETURN(const std::string base, ReadString(c.input(0), "basename"));
  ASSIGN_OR_RETURN(const int32_t num_shards, ReadInt(c.input(1), "num_shards"));
  const std::string pattern = absl::StrCat(base, "-", std::string(5, '?'), "-of-", FiveDigits(num_shards));
  c.SetOutput(0, Tensor::Scalar(std::string_view(pattern)));
  return absl::OkStatus();
}

absl::Status AllScalars(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) RETURN_IF_ERROR(c.ExpectScalar(i));
  return shapes::Scalar(c);
}

}  // namespace

absl::Status RegisterSaveRestoreOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "SaveV2(prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes) -> (); "
                   "dtypes: list(type) >= 1; stateful",
      .doc = "Writes tensors to a checkpoint",
      .shape = SaveShape,
      .kernel = PlainKernel<Save>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Save(filename: string, tensor_names: string, data: T) -> (); T: list(type) >= 1; stateful",
      .doc = "Writes tensors to a checkpoint of the first format",
      .shape = SaveUnslicedShape,
      .kernel = PlainKernel<SaveTable<false>>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "SaveSlices(filename: string, tensor_names: string, shapes_and_slices: string, data: T) -> (); "
                   "T: list(type) >= 1; stateful",
      .doc = "Writes tensors and parts of tensors to a checkpoint of the first format",
      .shape = SaveShape,
      .kernel = PlainKernel<SaveTable<true>>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "RestoreV2(prefix: string, tensor_names: string, shape_and_slices: string) -> (tensors: dtypes); "
                   "dtypes: list(type) >= 1; stateful",
      .doc = "Reads tensors from a checkpoint",
      .shape = RestoreAllShape,
      .kernel = RestoreKernel<RestoreAll>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Restore(file_pattern: string, tensor_name: string) -> (tensor: dt); dt: type; "
                   "preferred_shard: int = -1; stateful",
      .doc = "Reads a tensor from a checkpoint",
      .shape = RestoreOneShape,
      .kernel = RestoreKernel<RestoreOne>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "RestoreSlice(file_pattern: string, tensor_name: string, shape_and_slice: string) -> (tensor: dt); "
                   "dt: type; preferred_shard: int = -1; stateful",
      .doc = "Reads a part of a tensor from a checkpoint",
      .shape = RestoreOneShape,
      .kernel = RestoreKernel<RestoreOne>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "MergeV2Checkpoints(checkpoint_prefixes: string, destination_prefix: string) -> (); "
                   "delete_old_dirs: bool = true; allow_missing_files: bool = false; stateful",
      .doc = "Makes one checkpoint of several",
      .shape = MergeShape,
      .kernel = MergeKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "ShardedFilename(basename: string, shard: int32, num_shards: int32) -> (filename: string)",
      .doc = "The name of one shard of a file",
      .shape = AllScalars,
      .kernel = PlainKernel<ShardedFilename>,
  }));
  return library.Add({
      .signature = "ShardedFilespec(basename: string, num_shards: int32) -> (filename: string)",
      .doc = "A pattern for the names of all shards of a file",
      .shape = AllScalars,
      .kernel = PlainKernel<ShardedFilespec>,
  });
}

}  // namespace flowlatch
