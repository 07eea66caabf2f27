#include "runtime/checkpoint/table_file.h"

#include <snappy.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "leveldb/env.h"
#include "leveldb/options.h"
#include "leveldb/table_builder.h"
#include "runtime/checkpoint/crc32c.h"
#include "runtime/checkpoint/varint.h"

namespace flowlatch {
namespace {

constexpr size_t kFooterBytes = 48;
constexpr uint64_t kMagic = 0xdb4775248b80fb57;
constexpr size_t kTrailerBytes = 5;        // compression type and masked checksum after each block
constexpr size_t kBlockBytes = 256 << 10;  // TensorFlow's, so that the same entries give the same bytes
// Keys share prefixes, so a small file could stand for endless keys. Real ones are far below this.
constexpr size_t kMaxKeyBytes = size_t{64} << 20;
// No Snappy stream grows by more than this when it is decompressed.
constexpr size_t kMaxSnappyGrowth = 24;

absl::Status Corrupt(std::string_view what) {
  return absl::DataLossError(absl::StrCat("table file: ", std::string(what)));
}

template <typename T>
T ReadFixed(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

struct BlockHandle {
  uint64_t offset = 0;
  uint64_t size = 0;
};

absl::StatusOr<BlockHandle> ReadHandle(std::string_view& bytes) {
  const std::optional<uint64_t> offset = ReadVarint(bytes), size = ReadVarint(bytes);
  if (!offset.has_value() || !size.has_value()) return Corrupt("expected the place of a block, got garbage");
  return BlockHandle{*offset, *size};
}

// Entries of one block, all of which must come after the key `after`, if there is one.
class BlockParser {
 public:
  BlockParser(std::string_view block, std::optional<std::string> after) : rest_(block), after_(std::move(after)) {}

  // Finds the part of the block that holds entries, before the restart points.
  absl::Status Init() {
    if (rest_.size() < sizeof(uint32_t)) return Corrupt("expected a block of at least 4 bytes, got less");
    const uint64_t restarts = ReadFixed<uint32_t>(rest_.data() + rest_.size() - sizeof(uint32_t));
    if (restarts > rest_.size() / sizeof(uint32_t) - 1) return Corrupt("expected restart points inside the block");
    rest_.remove_suffix((restarts + 1) * sizeof(uint32_t));
    const char* points = rest_.data() + rest_.size();
    for (uint64_t i = 0; i < restarts; ++i) {
      if (ReadFixed<uint32_t>(points + i * sizeof(uint32_t)) > rest_.size()) {
        return Corrupt("expected restart points among the entries");
      }
    }
    return absl::OkStatus();
  }
  bool done() const { return rest_.empty(); }

  absl::Status Next() {
    const std::optional<uint64_t> shared = ReadVarint(rest_), own = ReadVarint(rest_), size = ReadVarint(rest_);
    if (!shared || !own || !size || *shared > key_.size() || *own > rest_.size() || *size > rest_.size() - *own) {
      return Corrupt("expected an entry inside its block, got one that reaches out of it");
    }
    key_.resize(*shared);
    key_.append(rest_.substr(0, *own));
    if (after_.has_value() && key_ <= *after_) return Corrupt("expected keys in ascending order");
    after_ = key_;
    value_ = rest_.substr(*own, *size);
    rest_.remove_prefix(*own + *size);
    return absl::OkStatus();
  }
  const std::string& key() const { return key_; }
  std::string_view value() const { return value_; }

 private:
  std::string_view rest_;
  std::optional<std::string> after_;
  std::string key_;
  std::string_view value_;
};

class TableParser {
 public:
  explicit TableParser(std::string_view file) : file_(file) {}

  absl::StatusOr<TableEntries> Parse() {
    if (file_.size() < kFooterBytes) return Corrupt("expected at least 48 bytes, got less");
    std::string_view footer = file_.substr(file_.size() - kFooterBytes);
    if (ReadFixed<uint64_t>(footer.data() + kFooterBytes - sizeof kMagic) != kMagic) {
      return Corrupt("expected the magic number at the end, got another");
    }
    RETURN_IF_ERROR(ReadHandle(footer).status());  // of a block of filters and statistics, which tables here lack
    ASSIGN_OR_RETURN(const BlockHandle index, ReadHandle(footer));
    ASSIGN_OR_RETURN(const std::string_view index_block, ReadBlock(index, index_storage_));
    BlockParser parser(index_block, std::nullopt);
    RETURN_IF_ERROR(parser.Init());
    while (!parser.done()) {
      RETURN_IF_ERROR(parser.Next());
      std::string_view value = parser.value();
      ASSIGN_OR_RETURN(const BlockHandle handle, ReadHandle(value));
      // In order and apart, as writers leave them: so parsing takes no longer than the file is long.
      if (handle.offset < end_of_last_) return Corrupt("expected blocks that do not overlap");
      RETURN_IF_ERROR(ParseDataBlock(handle));
      end_of_last_ = handle.offset + handle.size;
    }
    return std::move(entries_);
  }

 private:
  absl::Status ParseDataBlock(const BlockHandle& handle) {
    std::string storage;
    ASSIGN_OR_RETURN(const std::string_view block, ReadBlock(handle, storage));
    BlockParser parser(block, entries_.empty() ? std::nullopt : std::optional<std::string>(entries_.back().first));
    RETURN_IF_ERROR(parser.Init());
    while (!parser.done()) {
      RETURN_IF_ERROR(parser.Next());
      key_bytes_ += parser.key().size();
      if (key_bytes_ > kMaxKeyBytes) return Corrupt("expected at most 64 MiB of keys");
      entries_.emplace_back(parser.key(), std::string(parser.value()));
    }
    return absl::OkStatus();
  }

  // The contents of a block: a piece of the file, or `storage` if it is compressed.
  absl::StatusOr<std::string_view> ReadBlock(const BlockHandle& handle, std::string& storage) const {
    const size_t limit = file_.size() - kFooterBytes;
    if (handle.offset > limit || limit - handle.offset < kTrailerBytes ||
        handle.size > limit - handle.offset - kTrailerBytes) {
      return Corrupt(absl::StrCat("expected a block inside the file, got ", handle.size, " bytes at ", handle.offset));
    }
    const std::string_view block = file_.substr(handle.offset, handle.size);
    const char* trailer = block.data() + block.size();
    const uint32_t crc = UnmaskCrc(ReadFixed<uint32_t>(trailer + 1));
    if (ExtendCrc32c(Crc32c(block), {trailer, 1}) != crc) {
      return Corrupt(absl::StrCat("wrong checksum of the block at ", handle.offset));
    }
    if (trailer[0] == 0) return block;
    size_t size = 0;
    if (trailer[0] != 1 || !snappy::GetUncompressedLength(block.data(), block.size(), &size) ||
        size / kMaxSnappyGrowth > block.size()) {
      return Corrupt(absl::StrCat("expected a plain or Snappy block at ", handle.offset));
    }
    storage.resize(size);
    if (!snappy::RawUncompress(block.data(), block.size(), storage.data())) {
      return Corrupt(absl::StrCat("cannot decompress the block at ", handle.offset));
    }
    return std::string_view(storage);
  }

  const std::string_view file_;
  std::string index_storage_;
  uint64_t end_of_last_ = 0;
  size_t key_bytes_ = 0;
  TableEntries entries_;
};

class StringFile final : public leveldb::WritableFile {
 public:
  explicit StringFile(std::string* out) : out_(out) {}
  leveldb::Status Append(const leveldb::Slice& data) override {
    out_->append(data.data(), data.size());
    return leveldb::Status::OK();
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }

 private:
  std::string* const out_;
};

}  // namespace

absl::StatusOr<TableEntries> ParseTable(std::string_view file) { return TableParser(file).Parse(); }

absl::StatusOr<std::string> BuildTable(const std::map<std::string, std::string>& entries) {
  leveldb::Options options;
  options.compression = leveldb::kNoCompression;
  options.block_size = kBlockBytes;
  std::string bytes;
  StringFile file(&bytes);
  leveldb::TableBuilder builder(options, &file);
  for (const auto& [key, value] : entries) builder.Add(key, value);
  const leveldb::Status status = builder.Finish();
  if (!status.ok()) return absl::InternalError(absl::StrCat("cannot build a table: ", status.ToString()));
  return bytes;
}

}  // namespace flowlatch
