#include "runtime/checkpoint/table_checkpoint.h"

#include <fnmatch.h>

#include <complex>
#include <limits>
#include <type_traits>
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
constexpr size_t kMaxSliceBytes = std::numeric_limits<int32_t>::max();  // of a message

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

template <typename T, typename Field>
void AddAll(const Tensor& tensor, Field* field) {
  field->Reserve(static_cast<int>(tensor.num_elements()));
  for (const T& value : tensor.values<T>()) {
    if constexpr (std::is_same_v<T, String>) {
      field->Add(std::string(value.view()));
    } else if constexpr (std::is_same_v<T, Half>) {
      field->Add(value.bits);
    } else if constexpr (requires { value.value; }) {  // quantised
      field->Add(value.value);
    } else if constexpr (requires { value.imag(); }) {
      field->Add(value.real());
      field->Add(value.imag());
    } else {
      field->Add(value);
    }
  }
}

// Adds elements to the field of TensorProto that the format keeps them in. Returns whether it has one.
bool AddValues(const Tensor& tensor, TensorProto* proto) {
  switch (tensor.dtype()) {
#define FLOWLATCH_FIELD(enumerator, T, field)    \
  case DType::enumerator:                        \
    AddAll<T>(tensor, proto->mutable_##field()); \
    return true
    FLOWLATCH_FIELD(kFloat32, float, float_val);
    FLOWLATCH_FIELD(kFloat64, double, double_val);
    FLOWLATCH_FIELD(kFloat16, Half, half_val);
    FLOWLATCH_FIELD(kInt8, int8_t, int_val);
    FLOWLATCH_FIELD(kInt16, int16_t, int_val);
    FLOWLATCH_FIELD(kInt32, int32_t, int_val);
    FLOWLATCH_FIELD(kUInt8, uint8_t, int_val);
    FLOWLATCH_FIELD(kUInt16, uint16_t, int_val);
    FLOWLATCH_FIELD(kQInt8, QInt8, int_val);
    FLOWLATCH_FIELD(kQUInt8, QUInt8, int_val);
    FLOWLATCH_FIELD(kQInt32, QInt32, int_val);
    FLOWLATCH_FIELD(kInt64, int64_t, int64_val);
    FLOWLATCH_FIELD(kBool, bool, bool_val);
    FLOWLATCH_FIELD(kComplex64, std::complex<float>, scomplex_val);
    FLOWLATCH_FIELD(kComplex128, std::complex<double>, dcomplex_val);
    FLOWLATCH_FIELD(kString, String, string_val);
#undef FLOWLATCH_FIELD
    default:
      return false;
  }
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
  if (info.dtype == DType::kVariant) {
    return Error(absl::StatusCode::kInvalidArgument, info, "expected a dtype of the first format, got variant");
  }
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

// ---- TableCheckpointWriter

absl::StatusOr<std::unique_ptr<TableCheckpointWriter>> TableCheckpointWriter::Create(std::string_view path,
                                                                                     FileSystem& files) {
  RETURN_IF_ERROR(CheckCheckpointPath(path));
  return std::unique_ptr<TableCheckpointWriter>(new TableCheckpointWriter(std::string(path), files));
}

absl::Status TableCheckpointWriter::Add(std::string_view name, const Tensor& tensor) {
  return AddSlice(name, tensor.shape(), TensorSlice::Whole(tensor.shape().rank()), tensor);
}

absl::Status TableCheckpointWriter::AddSlice(std::string_view name, const Shape& full_shape, const TensorSlice& slice,
                                             const Tensor& tensor) {
  const auto refuse = [&](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("slice '", slice.ToString(), "' of tensor '", std::string(name), "': ", what));
  };
  ASSIGN_OR_RETURN(const TensorSlice range, slice.Within(full_shape));
  if (tensor.shape() != ShapeOfSlice(range)) {
    return refuse(absl::StrCat("expected shape ", ShapeOfSlice(range).ToString(), ", got ", tensor.ShapeString()));
  }
  const std::string key = SliceKey(name, slice);
  if (entries_.count(key) > 0) return refuse("expected it once, got it twice");
  proto::SavedSliceMeta meta;
  meta.set_name(std::string(name));
  meta.set_type(static_cast<DataType>(tensor.dtype()));
  ShapeToProto(full_shape.dims(), meta.mutable_shape());
  const auto known = places_.find(name);
  if (known != places_.end()) {
    const proto::SavedSliceMeta& other = description_.meta().tensor(known->second);
    if (other.type() != meta.type() || other.shape().SerializeAsString() != meta.shape().SerializeAsString())
      return refuse("expected dtype and shape of its other slices, got others");
  }
  proto::SavedTensorSlices saved;
  saved.mutable_data()->set_name(std::string(name));
  slice.ToProto(saved.mutable_data()->mutable_slice());
  if (!AddValues(tensor, saved.mutable_data()->mutable_data())) {
    return absl::UnimplementedError(absl::StrCat("tensor '", std::string(name),
                                                 "': expected a dtype of the first format, got ",
                                                 std::string(DTypeName(tensor.dtype()))));
  }
  if (saved.ByteSizeLong() > kMaxSliceBytes) return refuse("expected at most 2 GiB, got more");

  entries_[key] = saved.SerializeAsString();
  const int place = known != places_.end() ? known->second : description_.meta().tensor_size();
  if (known == places_.end()) {
    places_.emplace(std::string(name), place);
    *description_.mutable_meta()->add_tensor() = std::move(meta);
  }
  slice.ToProto(description_.mutable_meta()->mutable_tensor(place)->add_slice());
  return absl::OkStatus();
}

absl::Status TableCheckpointWriter::Finish() {
  description_.mutable_meta()->mutable_versions()->set_producer(kVersion);
  entries_[kDescriptionKey] = description_.SerializeAsString();
  ASSIGN_OR_RETURN(const std::string table, BuildTable(entries_));
  return WriteFileAtomically(files_, path_, table);
}

}  // namespace flowlatch
