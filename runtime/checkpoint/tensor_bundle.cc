#include "runtime/checkpoint/tensor_bundle.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "flowlatch/proto/tensor.pb.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/tensor/tensor_proto.h"
#include "runtime/checkpoint/crc32c.h"
#include "runtime/checkpoint/table_file.h"
#include "runtime/checkpoint/varint.h"

namespace flowlatch {
namespace {

constexpr char kHeaderKey[] = "";
constexpr int kVersion = 1;
constexpr int64_t kMaxIndexBytes = int64_t{1} << 30;
// Read, checked and copied at a time, so that the bytes are still in the cache for the checksum.
constexpr int64_t kChunkBytes = int64_t{1} << 20;
constexpr uint64_t kMaxVariantBytes = uint64_t{1} << 30;
// How often a checkpoint that is being replaced is opened again.
constexpr int kMaxOpenAttempts = 20;

// Those of a checkpoint that is written.
using NewEntries = std::map<std::string, proto::BundleEntryProto>;

absl::Status Corrupt(std::string_view prefix, std::string_view what) {
  return absl::DataLossError(absl::StrCat("checkpoint '", std::string(prefix), "': ", std::string(what)));
}

bool IsSliceKey(std::string_view key) { return !key.empty() && key[0] == '\0'; }

std::string_view BytesOf(const Tensor& t) {
  return {static_cast<const char*>(t.raw_data()), static_cast<size_t>(t.size_bytes())};
}

// The checksum of a string's length: four bytes of it when they suffice.
uint32_t ExtendCrcByLength(uint32_t crc, uint64_t length) {
  const size_t bytes = length <= 0xffffffffu ? 4 : 8;  // little-endian
  return ExtendCrc32c(crc, {reinterpret_cast<const char*>(&length), bytes});
}

// An index: its header and its entries.
struct Index {
  proto::BundleHeaderProto header;
  BundleReader::Entries entries;
  absl::Status damage;  // the first reason why an entry is missing or an error
};

// The header is the first entry, whatever its key.
absl::StatusOr<Index> ParseEntries(std::string_view prefix, std::string_view bytes) {
  ASSIGN_OR_RETURN(Table table, ParseTable(bytes));
  Index index;
  if (table.entries.empty() || !index.header.ParseFromString(table.entries[0].second)) {
    return Corrupt(prefix, "expected a header in the index, got none");
  }
  RETURN_IF_ERROR(CheckFormatVersion(prefix, index.header.version(), kVersion));
  if (index.header.endianness() != proto::BundleHeaderProto::LITTLE) {
    return absl::InvalidArgumentError(
        absl::StrCat("checkpoint '", std::string(prefix), "': expected little-endian data"));
  }
  index.damage = std::move(table.damage);
  for (auto& [key, value] : table.entries) {
    if (key == kHeaderKey) continue;
    absl::StatusOr<proto::BundleEntryProto> entry = proto::BundleEntryProto();
    if (!entry->ParseFromString(value)) {
      entry = Corrupt(prefix, absl::StrCat("cannot parse the entry of tensor '", key, "'"));
      index.damage.Update(entry.status());
    }
    index.entries.emplace_hint(index.entries.end(), std::move(key), std::move(entry));
  }
  return index;
}

absl::StatusOr<Index> ReadIndex(FileSystem& files, std::string_view prefix) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(files, IndexPath(prefix), kMaxIndexBytes));
  return ParseEntries(prefix, bytes);
}

// Whether an entry's place is a range of bytes that a file may have.
bool HasPlace(const proto::BundleEntryProto& entry) {
  return entry.offset() >= 0 && entry.size() >= 0 && CheckedAdd(entry.offset(), entry.size()).has_value();
}

// Data files of `prefix` among the names in its directory: the number of shards their names speak of, 0 for other
// names.
int ShardsInName(std::string_view name, const std::string& base) {
  const std::string start = base + ".data-";
  int shard = 0, num_shards = 0, end = 0;
  if (name.substr(0, start.size()) != start) return 0;
  const std::string rest(name.substr(start.size()));
  if (std::sscanf(rest.c_str(), "%d-of-%d%n", &shard, &num_shards, &end) != 2) return 0;
  return end == static_cast<int>(rest.size()) ? num_shards : 0;
}

// After a checkpoint of `num_shards` has been published: what its predecessor, and writers that died, have left.
void RemoveLeftovers(FileSystem& files, const std::string& prefix, int num_shards) {
  const std::string directory = DirectoryOf(prefix), base = BaseName(prefix);
  const absl::StatusOr<std::vector<std::string>> names = files.List(directory);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    const int shards = ShardsInName(name, base);
    if (shards > 0 && shards != num_shards) files.Remove(JoinPath(directory, name)).IgnoreError();
  }
  RemoveAbandonedTemporaries(files, directory, *names);
}

absl::Status CreateEmpty(FileSystem& files, const std::string& path) {
  ASSIGN_OR_RETURN(const std::unique_ptr<WritableFile> file, files.Create(path));
  RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

// Whether an index could not be read because there is none, or no whole one.
bool IsNoCheckpoint(const absl::Status& status) {
  return absl::IsNotFound(status) || absl::IsDataLoss(status) || absl::IsOutOfRange(status) ||
         absl::IsInvalidArgument(status);
}

// Makes a checkpoint of finished data files, which are moved, and entries. The index is renamed into place last, which
// is the moment when the new checkpoint replaces the old. Data files carry the number of shards in their names; an
// empty shard is added where they would have the names of the old checkpoint's, so both exist at that moment.
absl::Status Publish(FileSystem& files, const std::string& prefix, const std::vector<std::string>& data,
                     const NewEntries& entries) {
  const std::string directory = DirectoryOf(prefix);
  const std::unique_ptr<DirectoryLock> lock = files.LockDirectory(directory);
  const absl::StatusOr<Index> old = ReadIndex(files, prefix);
  if (!old.ok() && !IsNoCheckpoint(old.status())) return old.status();  // it may be whole, so its names stay taken
  const int needed = static_cast<int>(data.size());
  const int num_shards = old.ok() && old->header.num_shards() == needed ? needed + 1 : needed;
  for (int i = 0; i < needed; ++i) RETURN_IF_ERROR(files.Rename(data[i], DataPath(prefix, i, num_shards)));
  if (num_shards > needed) RETURN_IF_ERROR(CreateEmpty(files, DataPath(prefix, needed, num_shards)));
  RETURN_IF_ERROR(files.SyncDirectory(directory));

  proto::BundleHeaderProto header;
  header.set_num_shards(num_shards);
  header.mutable_version()->set_producer(kVersion);
  std::map<std::string, std::string> table;
  table[kHeaderKey] = header.SerializeAsString();
  for (const auto& [key, entry] : entries) table[key] = entry.SerializeAsString();
  ASSIGN_OR_RETURN(const std::string index, BuildTable(table));
  RETURN_IF_ERROR(WriteFileAtomically(files, IndexPath(prefix), index));
  RemoveLeftovers(files, prefix, num_shards);
  return absl::OkStatus();
}

// The lengths of all strings, their checksum, and the strings.
struct EncodedStrings {
  std::string lengths;
  uint32_t crc = 0;  // of everything
};

EncodedStrings EncodeLengths(absl::Span<const String> strings) {
  EncodedStrings encoded;
  for (const String& s : strings) {
    AppendVarint(s.size(), encoded.lengths);
    encoded.crc = ExtendCrcByLength(encoded.crc, s.size());
  }
  const uint32_t masked = MaskCrc(encoded.crc);
  const std::string_view checksum(reinterpret_cast<const char*>(&masked), sizeof masked);
  encoded.lengths.append(checksum);
  encoded.crc = ExtendCrc32c(encoded.crc, checksum);
  for (const String& s : strings) encoded.crc = ExtendCrc32c(encoded.crc, s.view());
  return encoded;
}

// Reads the strings that begin at `offset` of a file; their lengths come first and say where they end. Returns the
// checksum of all bytes. Errors: OutOfRange when the file ends too early, DataLoss when the lengths are garbage.
// Requires: the file has at least as many bytes from there on as there are strings.
absl::StatusOr<uint32_t> ReadStrings(const ReadableFile& file, int64_t offset, absl::Span<String> strings) {
  constexpr int64_t kMaxVarintBytes = 10;
  const absl::Status too_short = absl::OutOfRangeError("expected strings, got the end of the file");
  const absl::Status garbage = absl::DataLossError("expected the lengths of strings, got garbage");
  uint32_t masked = 0, crc = 0;
  const int64_t left = file.size() - offset;
  const int64_t most = static_cast<int64_t>(strings.size()) * kMaxVarintBytes + int64_t{sizeof masked};
  std::string bytes(static_cast<size_t>(std::min(left, most)), '\0');
  RETURN_IF_ERROR(file.Read(offset, static_cast<int64_t>(bytes.size()), bytes.data()));

  std::string_view rest = bytes;
  std::vector<uint64_t> lengths(strings.size());
  uint64_t total = 0;
  bool fits = true;
  for (uint64_t& length : lengths) {
    const std::optional<uint64_t> read = ReadVarint(rest);
    if (!read.has_value()) return rest.size() < kMaxVarintBytes ? too_short : garbage;
    length = *read;
    crc = ExtendCrcByLength(crc, length);
    fits = fits && length <= static_cast<uint64_t>(left) - total;
    if (fits) total += length;
  }
  if (rest.size() < sizeof masked) return too_short;
  std::memcpy(&masked, rest.data(), sizeof masked);
  if (UnmaskCrc(masked) != crc) return garbage;
  crc = ExtendCrc32c(crc, rest.substr(0, sizeof masked));
  rest.remove_prefix(sizeof masked);

  const int64_t start = offset + static_cast<int64_t>(bytes.size() - rest.size());
  if (!fits || total > static_cast<uint64_t>(file.size() - start)) return too_short;
  bytes.resize(total);
  RETURN_IF_ERROR(file.Read(start, static_cast<int64_t>(total), bytes.data()));
  rest = bytes;
  for (size_t i = 0; i < strings.size(); ++i) {
    strings[i] = rest.substr(0, lengths[i]);
    rest.remove_prefix(lengths[i]);
  }
  return ExtendCrc32c(crc, bytes);
}

// Of each variant its length, itself as a VariantTensorDataProto, and the checksum of all bytes so far.
struct EncodedVariants {
  std::string bytes;
  uint32_t crc = 0;
};

absl::StatusOr<EncodedVariants> EncodeVariants(const Tensor& tensor) {
  TensorProto proto;
  RETURN_IF_ERROR(TensorToProto(tensor, &proto));
  EncodedVariants encoded;
  for (const VariantTensorDataProto& variant : proto.variant_val()) {
    const std::string value = variant.SerializeAsString();
    const uint64_t length = value.size();
    AppendVarint(length, encoded.bytes);
    encoded.bytes += value;
    encoded.crc = ExtendCrc32c(encoded.crc, {reinterpret_cast<const char*>(&length), sizeof length});
    encoded.crc = ExtendCrc32c(encoded.crc, value);
    const uint32_t masked = MaskCrc(encoded.crc);
    const std::string_view checksum(reinterpret_cast<const char*>(&masked), sizeof masked);
    encoded.bytes += checksum;
    encoded.crc = ExtendCrc32c(encoded.crc, checksum);
  }
  return encoded;
}

// Reads the variants that are `bytes` of a file, whose checksum becomes `crc`.
// Errors: OutOfRange when the bytes end too early, DataLoss when they are garbage, those of TensorFromProto.
absl::StatusOr<Tensor> DecodeVariants(std::string_view bytes, const Shape& shape, Allocator* allocator, uint32_t* crc) {
  const absl::Status too_short = absl::OutOfRangeError("expected variants, got the end of their bytes");
  TensorProto proto;
  proto.set_dtype(DT_VARIANT);
  ShapeToProto(shape.dims(), proto.mutable_tensor_shape());
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    const std::optional<uint64_t> length = ReadVarint(bytes);
    uint32_t masked = 0;
    if (!length.has_value() || bytes.size() < sizeof masked || *length > bytes.size() - sizeof masked) return too_short;
    *crc = ExtendCrc32c(*crc, {reinterpret_cast<const char*>(&*length), sizeof *length});
    *crc = ExtendCrc32c(*crc, bytes.substr(0, *length));
    std::memcpy(&masked, bytes.data() + *length, sizeof masked);
    if (UnmaskCrc(masked) != *crc || *length > kMaxVariantBytes ||
        !proto.add_variant_val()->ParseFromArray(bytes.data(), static_cast<int>(*length))) {
      return absl::DataLossError(absl::StrCat("expected variant ", i, ", got garbage"));
    }
    *crc = ExtendCrc32c(*crc, bytes.substr(*length, sizeof masked));
    bytes.remove_prefix(*length + sizeof masked);
  }
  return TensorFromProto(proto, allocator);
}

}  // namespace

// ---- Names of files

std::string IndexPath(std::string_view prefix) { return absl::StrCat(std::string(prefix), ".index"); }

std::string DataPath(std::string_view prefix, int shard, int num_shards) {
  char suffix[64];
  std::snprintf(suffix, sizeof suffix, ".data-%05d-of-%05d", shard, num_shards);
  return std::string(prefix) + suffix;
}

std::string CheckpointPrefix(std::string_view path) {
  const std::string text(path);
  if (absl::EndsWith(text, ".index")) return text.substr(0, text.size() - 6);
  const size_t data = text.rfind(".data-");
  if (data != std::string::npos && ShardsInName(text, text.substr(0, data)) > 0) return text.substr(0, data);
  return text;
}

// ---- BundleReader

absl::StatusOr<std::unique_ptr<BundleReader>> BundleReader::Open(std::string_view path, FileSystem& files) {
  RETURN_IF_ERROR(CheckCheckpointPath(path));
  // A prefix may look like one of the files of another.
  const bool is_prefix = files.Open(IndexPath(path)).ok();
  const std::string prefix = is_prefix ? std::string(path) : CheckpointPrefix(path);
  ASSIGN_OR_RETURN(std::string index, ReadFile(files, IndexPath(prefix), kMaxIndexBytes));
  for (int attempt = 1;; ++attempt) {
    std::unique_ptr<BundleReader> reader(new BundleReader(prefix));
    RETURN_IF_ERROR(reader->ParseIndex(index));
    reader->OpenShards(files);
    // Writers may have replaced the checkpoint meanwhile, even twice, so that data files have the names of old.
    ASSIGN_OR_RETURN(std::string now, ReadFile(files, IndexPath(prefix), kMaxIndexBytes));
    if (now == index || attempt == kMaxOpenAttempts) return reader;
    index = std::move(now);
  }
}

absl::Status BundleReader::ParseIndex(std::string_view bytes) {
  ASSIGN_OR_RETURN(Index index, ParseEntries(path(), bytes));
  num_shards_ = index.header.num_shards();
  std::vector<TensorInfo> tensors;
  for (const auto& [key, entry] : index.entries) {
    if (!IsSliceKey(key)) tensors.push_back(MakeInfo(key, entry));
  }
  entries_ = std::move(index.entries);
  return SetTensors(std::move(tensors), std::move(index.damage));
}

CheckpointReader::TensorInfo BundleReader::MakeInfo(std::string name, const Entry& entry) const {
  TensorInfo info;
  info.name = std::move(name);
  info.error = entry.status();
  if (!entry.ok()) return info;
  info.dtype = DTypeFromNumber(entry->dtype()).value_or(DType::kInvalid);
  absl::StatusOr<Shape> shape = ShapeFromProto(entry->shape());
  if (!shape.ok()) {
    info.error = Corrupt(info, shape.status().message());
    return info;
  }
  info.shape = *std::move(shape);
  for (const proto::TensorSliceProto& proto : entry->slices()) {
    absl::StatusOr<TensorSlice> slice = TensorSlice::FromProto(proto);
    if (slice.ok()) {
      info.slices.push_back(*std::move(slice));
    } else {
      info.error = Error(slice.status().code(), info, slice.status().message());
    }
  }
  return info;
}

void BundleReader::OpenShards(FileSystem& files) {
  for (const auto& [key, entry] : entries_) {
    const bool has_data = entry.ok() && (IsSliceKey(key) || entry->slices_size() == 0);
    if (!has_data || shards_.count(entry->shard_id()) > 0) continue;
    shards_.emplace(entry->shard_id(), files.Open(DataPath(path(), entry->shard_id(), num_shards_)));
  }
}

absl::StatusOr<Tensor> BundleReader::ReadStored(const TensorInfo& info, const std::string& key, const Shape& shape,
                                                Allocator* allocator) const {
  const auto found = entries_.find(key);
  if (found == entries_.end()) {
    return Error(absl::StatusCode::kNotFound, info, "expected all the slices that it is cut into, got fewer");
  }
  RETURN_IF_ERROR(found->second.status());
  const proto::BundleEntryProto& entry = *found->second;
  const DType dtype = info.dtype;
  if (entry.dtype() != static_cast<int>(dtype)) return Corrupt(info, "expected slices of its own dtype, got others");
  // Before memory is asked for: a string or variant takes at least one byte for its length.
  const int64_t n = shape.num_elements();
  const std::optional<int64_t> bytes = CheckedMul(n, static_cast<int64_t>(DTypeSize(dtype)));
  const bool has_objects = dtype == DType::kString || dtype == DType::kVariant;
  const bool fits =
      has_objects ? entry.size() < 0 || n <= entry.size() : bytes.has_value() && *bytes == entry.size();
  if (!fits) {
    return Corrupt(info, absl::StrCat("expected the bytes of ", std::string(DTypeName(dtype)), shape.ToString(),
                                      ", got ", entry.size()));
  }
  const absl::StatusOr<std::unique_ptr<ReadableFile>>& file = shards_.find(entry.shard_id())->second;
  if (!file.ok()) return file.status();
  const std::string place = absl::StrCat("got ", entry.size(), " bytes at ", entry.offset());
  if (!HasPlace(entry)) return Error(absl::StatusCode::kInvalidArgument, info, "expected a place in a file, " + place);
  if (entry.size() > 0 && entry.offset() + entry.size() > (*file)->size()) {
    return Error(absl::StatusCode::kOutOfRange, info,
                 absl::StrCat("expected a longer data file than ", (*file)->size(), " bytes, ", place));
  }
  uint32_t crc = 0;
  if (dtype == DType::kVariant) {
    std::string encoded(static_cast<size_t>(entry.size()), '\0');
    RETURN_IF_ERROR((*file)->Read(entry.offset(), entry.size(), encoded.data()));
    absl::StatusOr<Tensor> variants = DecodeVariants(encoded, shape, allocator, &crc);
    if (!variants.ok()) return Error(variants.status().code(), info, variants.status().message());
    if (MaskCrc(crc) != entry.crc32c()) return Corrupt(info, "wrong checksum");
    return variants;
  }
  ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(dtype, shape, allocator));
  if (dtype == DType::kString) {
    const absl::StatusOr<uint32_t> read = ReadStrings(**file, entry.offset(), tensor.mutable_values<String>());
    if (!read.ok()) return Error(read.status().code(), info, read.status().message());
    crc = *read;
  } else {
    char* out = static_cast<char*>(tensor.raw_mutable_data());
    for (int64_t at = 0; at < entry.size(); at += kChunkBytes) {
      const int64_t chunk = std::min(kChunkBytes, entry.size() - at);
      RETURN_IF_ERROR((*file)->Read(entry.offset() + at, chunk, out + at));
      crc = ExtendCrc32c(crc, {out + at, static_cast<size_t>(chunk)});
    }
  }
  if (MaskCrc(crc) != entry.crc32c()) return Corrupt(info, "wrong checksum");
  if (dtype == DType::kBool) {  // bytes other than 0 and 1 are no bools
    for (uint8_t& b : absl::MakeSpan(static_cast<uint8_t*>(tensor.raw_mutable_data()), static_cast<size_t>(n)))
      b = b != 0;
  }
  return tensor;
}

// ---- BundleWriter

absl::StatusOr<std::unique_ptr<BundleWriter>> BundleWriter::Create(std::string_view prefix, FileSystem& files,
                                                                   int num_shards) {
  RETURN_IF_ERROR(CheckCheckpointPath(prefix));
  if (prefix.back() == '/') {
    return absl::InvalidArgumentError(
        absl::StrCat("prefix of a checkpoint: expected a name after the directory, got '", std::string(prefix), "'"));
  }
  if (num_shards < 1 || num_shards > kMaxShards) {
    return absl::InvalidArgumentError(
        absl::StrCat("shards of a checkpoint: expected 1 to ", kMaxShards, ", got ", num_shards));
  }
  std::unique_ptr<BundleWriter> writer(new BundleWriter(std::string(prefix), files));
  RETURN_IF_ERROR(files.CreateDirectory(DirectoryOf(writer->prefix_)));
  for (int i = 0; i < num_shards; ++i) {
    TemporaryName temporary(DataPath(prefix, i, num_shards));
    ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file, files.Create(temporary.name()));
    writer->shards_.push_back({std::move(temporary), std::move(file)});
  }
  return writer;
}

BundleWriter::~BundleWriter() {
  for (Shard& shard : shards_) {
    shard.file = nullptr;
    files_.Remove(shard.temporary.name()).IgnoreError();
  }
}

absl::StatusOr<proto::BundleEntryProto> BundleWriter::Append(const Tensor& tensor) {
  if (!tensor.has_value() || !CanBeSaved(tensor.dtype())) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a tensor of a dtype that files can hold, got ", std::string(DTypeName(tensor.dtype()))));
  }
  Shard& shard =
      *std::min_element(shards_.begin(), shards_.end(), [](const Shard& a, const Shard& b) { return a.size < b.size; });
  proto::BundleEntryProto entry;
  entry.set_shard_id(static_cast<int>(&shard - shards_.data()));
  entry.set_dtype(static_cast<DataType>(tensor.dtype()));
  ShapeToProto(tensor.dims(), entry.mutable_shape());
  entry.set_offset(shard.size);
  int64_t size = tensor.size_bytes();
  uint32_t crc = 0;
  if (tensor.dtype() == DType::kString) {
    const EncodedStrings encoded = EncodeLengths(tensor.values<String>());
    RETURN_IF_ERROR(shard.file->Append(encoded.lengths));
    size = static_cast<int64_t>(encoded.lengths.size());
    for (const String& s : tensor.values<String>()) {
      RETURN_IF_ERROR(shard.file->Append(s.view()));
      size += static_cast<int64_t>(s.size());
    }
    crc = encoded.crc;
  } else if (tensor.dtype() == DType::kVariant) {
    ASSIGN_OR_RETURN(const EncodedVariants encoded, EncodeVariants(tensor));
    RETURN_IF_ERROR(shard.file->Append(encoded.bytes));
    size = static_cast<int64_t>(encoded.bytes.size());
    crc = encoded.crc;
  } else if (tensor.num_elements() > 0) {
    // Reference variables may change while they are saved: checksum and file must be of the same bytes.
    std::string copy;
    for (std::string_view rest = BytesOf(tensor); !rest.empty(); rest.remove_prefix(copy.size())) {
      copy.assign(rest.substr(0, kChunkBytes));
      crc = ExtendCrc32c(crc, copy);
      RETURN_IF_ERROR(shard.file->Append(copy));
    }
  }
  entry.set_size(size);
  entry.set_crc32c(MaskCrc(crc));
  shard.size += size;
  return entry;
}

absl::Status BundleWriter::Add(std::string_view name, const Tensor& tensor) {
  if (name.empty() || IsSliceKey(name) || entries_.count(std::string(name)) > 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor to save: expected a new name, got '", std::string(name), "'"));
  }
  ASSIGN_OR_RETURN(entries_[std::string(name)], Append(tensor));
  return absl::OkStatus();
}

absl::Status BundleWriter::AddSlice(std::string_view name, const Shape& full_shape, const TensorSlice& slice,
                                    const Tensor& tensor) {
  ASSIGN_OR_RETURN(const TensorSlice range, slice.Within(full_shape));
  if (name.empty() || IsSliceKey(name)) {
    return absl::InvalidArgumentError(absl::StrCat("tensor to save: expected a name, got '", std::string(name), "'"));
  }
  if (tensor.shape() != ShapeOfSlice(range)) {
    return absl::InvalidArgumentError(absl::StrCat("slice '", slice.ToString(), "' of tensor '", std::string(name),
                                                   "': expected shape ", ShapeOfSlice(range).ToString(), ", got ",
                                                   tensor.ShapeString()));
  }
  const std::string key = SliceKey(name, slice);
  proto::BundleEntryProto full;
  full.set_dtype(static_cast<DataType>(tensor.dtype()));
  ShapeToProto(full_shape.dims(), full.mutable_shape());
  const auto known = entries_.find(std::string(name));
  if (known != entries_.end() && (known->second.slices_size() == 0 || known->second.dtype() != full.dtype() ||
                                  known->second.shape().SerializeAsString() != full.shape().SerializeAsString())) {
    return absl::InvalidArgumentError(absl::StrCat("slice of tensor '", std::string(name),
                                                   "': expected dtype and shape of its other slices, got others"));
  }
  if (entries_.count(key) > 0) {
    return absl::InvalidArgumentError(absl::StrCat("slice '", slice.ToString(), "' of tensor '", std::string(name),
                                                   "': expected it once, got it twice"));
  }
  ASSIGN_OR_RETURN(entries_[key], Append(tensor));
  slice.ToProto(entries_.emplace(std::string(name), full).first->second.add_slices());
  return absl::OkStatus();
}

absl::Status BundleWriter::Finish() {
  std::vector<std::string> data;
  for (Shard& shard : shards_) {
    RETURN_IF_ERROR(shard.file->Sync());
    RETURN_IF_ERROR(shard.file->Close());
    data.push_back(shard.temporary.name());
  }
  RETURN_IF_ERROR(Publish(files_, prefix_, data, entries_));
  shards_.clear();
  return absl::OkStatus();
}

// ---- MergeBundles

namespace {

// Slices of one tensor come together; nothing else may be in two bundles.
absl::Status MergeEntry(const std::string& key, proto::BundleEntryProto entry, NewEntries& merged) {
  const auto [known, added] = merged.try_emplace(key, entry);
  if (added) return absl::OkStatus();
  proto::BundleEntryProto& full = known->second;
  if (full.slices_size() == 0 || entry.slices_size() == 0 || full.dtype() != entry.dtype() ||
      full.shape().SerializeAsString() != entry.shape().SerializeAsString()) {
    return absl::InvalidArgumentError(absl::StrCat("checkpoints to merge: expected tensor '",
                                                   IsSliceKey(key) ? "(slice)" : key,
                                                   "' in one of them, got it in two"));
  }
  full.mutable_slices()->MergeFrom(entry.slices());
  return absl::OkStatus();
}

}  // namespace

absl::Status MergeBundles(absl::Span<const std::string> sources, std::string_view destination,
                          const MergeOptions& options, FileSystem& files) {
  RETURN_IF_ERROR(CheckCheckpointPath(destination));
  const std::string target(destination);
  NewEntries merged;
  std::vector<std::string> data, done;
  for (const std::string& source : sources) {
    RETURN_IF_ERROR(CheckCheckpointPath(source));
    absl::StatusOr<Index> index = ReadIndex(files, source);
    if (options.allow_missing && absl::IsNotFound(index.status())) continue;
    RETURN_IF_ERROR(index.status());
    RETURN_IF_ERROR(index->damage);  // so that no entry is an error
    const int first_shard = static_cast<int>(data.size()), num_shards = index->header.num_shards();
    std::set<int> used;
    for (const auto& [key, entry] : index->entries) {
      if (entry->slices_size() == 0) used.insert(entry->shard_id());
    }
    // Shards that hold something, by their place among them.
    std::map<int, int> place;
    for (const int shard : used) {
      place[shard] = static_cast<int>(place.size());
      data.push_back(DataPath(source, shard, num_shards));
      RETURN_IF_ERROR(files.Open(data.back()).status());
    }
    for (auto& [key, entry] : index->entries) {
      const bool has_data = entry->slices_size() == 0;
      entry->set_shard_id(has_data ? first_shard + place[entry->shard_id()] : 0);
      RETURN_IF_ERROR(MergeEntry(key, *std::move(entry), merged));
    }
    done.push_back(source);
  }
  RETURN_IF_ERROR(files.CreateDirectory(DirectoryOf(target)));
  const TemporaryName empty(DataPath(target, 0, 1));
  if (data.empty()) {
    data.push_back(empty.name());
    RETURN_IF_ERROR(CreateEmpty(files, data.back()));
  }
  RETURN_IF_ERROR(Publish(files, target, data, merged));

  for (const std::string& source : done) {
    if (source == target) continue;
    files.Remove(IndexPath(source)).IgnoreError();
    RemoveLeftovers(files, source, 0);
  }
  for (const std::string& source : done) {
    if (options.delete_old_directories && DirectoryOf(source) != DirectoryOf(target)) {
      files.RemoveDirectory(DirectoryOf(source)).IgnoreError();
    }
  }
  return absl::OkStatus();
}

}  // namespace flowlatch
