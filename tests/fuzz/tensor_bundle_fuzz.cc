// Any bytes as the index of a checkpoint: an error, or tensors that can be read, or not, and are what they are said to
// be. Random bytes never have the right checksums, so the first byte says how much is made right around the others:
// nothing, the checksums of two blocks, or all of a table but its keys and values.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "flowlatch/proto/tensor_bundle.pb.h"
#include "runtime/checkpoint/crc32c.h"
#include "runtime/checkpoint/table_file.h"
#include "runtime/checkpoint/tensor_bundle.h"
#include "runtime/checkpoint/varint.h"

namespace flowlatch {
namespace {

// Of every data file: one string without bytes, and zeros.
constexpr char kData[64] = {'\0', '\xa6', '\x7b', '\x11', '\x3a'};

class BytesFile final : public ReadableFile {
 public:
  explicit BytesFile(std::string bytes) : bytes_(std::move(bytes)) {}
  int64_t size() const override { return static_cast<int64_t>(bytes_.size()); }
  absl::Status Read(int64_t offset, int64_t size, char* out) const override {
    if (offset < 0 || size < 0 || offset + size > this->size()) __builtin_trap();  // the reader knows the size
    std::copy_n(bytes_.data() + offset, size, out);
    return absl::OkStatus();
  }

 private:
  const std::string bytes_;
};

// Every file is there. What ends in ".index" is the index, all others hold kData.
class BytesFileSystem final : public FileSystem {
 public:
  explicit BytesFileSystem(std::string index) : index_(std::move(index)) {}
  absl::StatusOr<std::unique_ptr<ReadableFile>> Open(const std::string& path) override {
    return std::make_unique<BytesFile>(absl::EndsWith(path, ".index") ? index_ : std::string(kData, sizeof kData));
  }
  absl::StatusOr<std::unique_ptr<WritableFile>> Create(const std::string&) override { return ReadOnly(); }
  absl::Status Rename(const std::string&, const std::string&) override { return ReadOnly(); }
  absl::Status Remove(const std::string&) override { return ReadOnly(); }
  absl::Status CreateDirectory(const std::string&) override { return ReadOnly(); }
  absl::Status RemoveDirectory(const std::string&) override { return ReadOnly(); }
  absl::Status SyncDirectory(const std::string&) override { return ReadOnly(); }
  absl::StatusOr<std::vector<std::string>> List(const std::string&) override { return ReadOnly(); }
  std::unique_ptr<DirectoryLock> LockDirectory(const std::string&) override { return nullptr; }

 private:
  static absl::Status ReadOnly() { return absl::PermissionDeniedError("read-only"); }
  const std::string index_;
};

// The first `bytes[0]` bytes of the rest, which are taken away.
std::string_view TakePiece(std::string_view& bytes) {
  if (bytes.empty()) return {};
  const size_t size = std::min<size_t>(static_cast<uint8_t>(bytes[0]), bytes.size() - 1);
  const std::string_view piece = bytes.substr(1, size);
  bytes.remove_prefix(1 + size);
  return piece;
}

std::string Sealed(std::string_view block) {
  std::string sealed(block);
  sealed.push_back('\0');  // not compressed
  const uint32_t crc = MaskCrc(Crc32c(sealed));
  return sealed.append(reinterpret_cast<const char*>(&crc), sizeof crc);
}

// A file of two blocks: first a piece of the bytes, then, as the index block, the rest of them.
std::string FileOfBlocks(std::string_view bytes) {
  const std::string data = Sealed(TakePiece(bytes)), index = Sealed(bytes);
  std::string footer;
  for (const size_t number : {size_t{0}, size_t{0}, data.size(), bytes.size()}) AppendVarint(number, footer);
  footer.resize(40);
  return data + index + footer + "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
}

// A table of pieces, by turns keys and values; entries get the checksum of the data at their place.
std::string FileOfEntries(std::string_view bytes) {
  std::map<std::string, std::string> entries;
  entries[""] = TakePiece(bytes);
  while (!bytes.empty()) {
    const std::string key(TakePiece(bytes));
    std::string value(TakePiece(bytes));
    proto::BundleEntryProto entry;
    const int64_t size = sizeof kData;
    if (entry.ParseFromString(value) && entry.offset() >= 0 && entry.offset() <= size && entry.size() >= 0 &&
        entry.size() <= size - entry.offset()) {
      entry.set_crc32c(MaskCrc(Crc32c({kData + entry.offset(), static_cast<size_t>(entry.size())})));
      value = entry.SerializeAsString();
    }
    entries.emplace(key, value);
  }
  return BuildTable(entries).value_or("");
}

void CheckTable(const std::string& file) {
  const absl::StatusOr<Table> table = ParseTable(file);
  if (!table.ok()) return;
  // What was found is in order and written so that it is found again.
  const absl::StatusOr<std::string> written = BuildTable({table->entries.begin(), table->entries.end()});
  if (!written.ok()) __builtin_trap();
  const absl::StatusOr<Table> again = ParseTable(*written);
  if (!again.ok() || !again->damage.ok() || again->entries != table->entries) __builtin_trap();
}

void CheckBundle(const std::string& file) {
  BytesFileSystem files(file);
  const absl::StatusOr<std::unique_ptr<BundleReader>> reader = BundleReader::Open("m", files);
  if (!reader.ok()) return;
  for (const CheckpointReader::TensorInfo& info : (*reader)->tensors()) {
    const absl::StatusOr<Tensor> tensor = (*reader)->Read(info.name);
    if (!tensor.ok()) continue;
    if (!info.error.ok() || tensor->dtype() != info.dtype || tensor->shape() != info.shape) __builtin_trap();
    if (!(*reader)->ReadSlice(info.name, TensorSlice::Whole(info.shape.rank())).ok()) __builtin_trap();
  }
  (*reader)->Read("absent").status().IgnoreError();
}

}  // namespace
}  // namespace flowlatch

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string file = data[0] % 3 == 0   ? std::string(bytes)
                           : data[0] % 3 == 1 ? flowlatch::FileOfBlocks(bytes)
                                              : flowlatch::FileOfEntries(bytes);
  flowlatch::CheckTable(file);
  flowlatch::CheckBundle(file);
  return 0;
}
