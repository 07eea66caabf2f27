#include "runtime/checkpoint/table_checkpoint.h"

#include <fnmatch.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/tensor/tensor_proto.h"
#include "runtime/checkpoint/table_file.h"

namespace flowlatch {
namespace {

constexpr char kDescriptionKey[] = "";
constexpr int kVersion = 1;
constexpr int64_t kMaxFileBytes = int64_t{2} << 30;

// The files that a name with ? and * stands for.
absl::StatusOr<std::vector<std::string>> MatchingFiles(FileSystem& files, const std::string& path) {
  const std::string directory = DirectoryOf(path), pattern = BaseName(path);
  if (pattern.find_first_of("?*") == std::string::npos) return std::vector<std::string>{path};
  ASSIGN_OR_RETURN(const std::vector<std::string> names, files.List(directory));
  std::vector<std::string> matching;
  for (const std::string& name : names) {
    if (fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE | FNM_PERIOD) == 0)
      matching.push_back(JoinPath(directory, name));
  }
  if (matching.empty()) return absl::NotFoundError(absl::StrCat("no file matches '", path, "'"));
  return matching;
}

}  // namespace

absl::StatusOr<std::unique_ptr<TableCheckpointReader>> TableCheckpointReader::Open(std::string_view path,
                                                                                   FileSystem& files) {
  RETURN_IF_ERROR(CheckCheckpointPath(path));
  std::unique_ptr<TableCheckpointReader> reader(new TableCheckpointReader(std::string(path)));
  ASSIGN_OR_RETURN(const std::vector<std::string> names, MatchingFiles(files, reader->path()));
  TensorMap tensors;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const std::string bytes, ReadFile(files, name, kMaxFileBytes));
    RETURN_IF_ERROR(reader->AddFile(bytes, tensors));
  }
  std::vector<TensorInfo> list;
  for (auto& [name, info] : tensors) list.push_back(std::move(info));
  RETURN_IF_ERROR(reader->SetTensors(std::move(list)));
  return reader;
}

absl::Status TableCheckpointReader::AddFile(std::string_view bytes, TensorMap& tensors) {
  ASSIGN_OR_RETURN(Table parsed, ParseTable(bytes));
  RETURN_IF_ERROR(parsed.damage);
  TableEntries& table = parsed.entries;
  proto::SavedTensorSlices description;
  if (table.empty() || table[0].first != kDescriptionKey || !description.ParseFromString(table[0].second)) {
    return Corrupt("expected a description of the tensors, got none");
  }
  RETURN_IF_ERROR(CheckFormatVersion(path(), description.meta().versions(), kVersion));
  for (const proto::SavedSliceMeta& meta : description.meta().tensor()) RETURN_IF_ERROR(AddTensor(meta, tensors));
  for (size_t i = 1; i < table.size(); ++i) entries_[std::move(table[i].first)] = std::move(table[i].second);
  return absl::OkStatus();
}

absl::Status TableCheckpointReader::AddTensor(const proto::SavedSliceMeta& meta, TensorMap& tensors) const {
  TensorInfo info;
  info.name = meta.name();
  info.dtype = DTypeFromNumber(meta.type()).value_or(DType::kInvalid);
  absl::StatusOr<Shape> shape = ShapeFromProto(meta.shape());
  if (!shape.ok()) return Corrupt(info, shape.status().message());
  info.shape = *std::move(shape);
  TensorInfo& known = tensors.emplace(info.name, info).first->second;  // other files may hold other slices
  if (known.dtype != info.dtype || known.shape != info.shape) {
    return Corrupt(info, "expected one dtype and shape in all files, got several");
  }
  for (const proto::TensorSliceProto& proto : meta.slice()) {
    absl::StatusOr<TensorSlice> slice = TensorSlice::FromProto(proto);
    if (!slice.ok()) return Corrupt(info, slice.status().message());
    known.slices.push_back(*std::move(slice));
  }
  return absl::OkStatus();
}

absl::StatusOr<Tensor> TableCheckpointReader::ReadStored(const TensorInfo& info, const std::string& key,
                                                         const Shape& shape, Allocator* allocator) const {
  const auto entry = entries_.find(key);
  proto::SavedTensorSlices saved;
  if (entry == entries_.end() || !saved.ParseFromString(entry->second)) {
    return Corrupt(info, "expected all the slices that it is cut into, got fewer");
  }
  // Every value takes at least a byte, so an absurd shape costs no memory.
  if (shape.num_elements() > static_cast<int64_t>(entry->second.size()))
    return Corrupt(info, "expected a value for each element, got fewer");
  TensorProto* proto = saved.mutable_data()->mutable_data();
  proto->set_dtype(static_cast<DataType>(info.dtype));
  ShapeToProto(shape.dims(), proto->mutable_tensor_shape());
  absl::StatusOr<Tensor> tensor = TensorFromProto(*proto, allocator);
  if (absl::IsInvalidArgument(tensor.status())) return Corrupt(info, tensor.status().message());
  return tensor;
}

}  // namespace flowlatch
