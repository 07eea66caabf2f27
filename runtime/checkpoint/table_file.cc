#include "runtime/checkpoint/table_file.h"

#include <snappy.h>

#include <cstdint>
#include <cstring>
#include <limits>
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

// The entries of one block.
class BlockParser {
 public:
  explicit BlockParser(std::string_view block) : rest_(block) {}

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
    value_ = rest_.substr(*own, *size);
    rest_.remove_prefix(*own + *size);
    return absl::OkStatus();
  }
  const std::string& key() const { return key_; }
  std::string_view value() const { return value_; }

 private:
  std::string_view rest_;
  std::string key_;
  std::string_view value_;
};

class TableParser {
 public:
  explicit TableParser(std::string_view file) : file_(file) {}

  absl::StatusOr<Table> Parse() {
    const absl::Status status = ParseBlocks();
    if (!status.ok() && table_.entries.empty()) return status;
    table_.damage.Update(status);
    return std::move(table_);
  }

 private:
  absl::Status ParseBlocks() {
    if (file_.size() < kFooterBytes) return Corrupt("expected at least 48 bytes, got less");
    std::string_view footer = file_.substr(file_.size() - kFooterBytes);
    if (ReadFixed<uint64_t>(footer.data() + kFooterBytes - sizeof kMagic) != kMagic) {
      return Corrupt("expected the magic number at the end, got another");
    }
    RETURN_IF_ERROR(ReadHandle(footer).status());  // of a block of filters and statistics, which tables here lack
    ASSIGN_OR_RETURN(const BlockHandle index, ReadHandle(footer));
    std::string storage;
    ASSIGN_OR_RETURN(const std::string_view index_block, ReadBlock(index, storage));
    BlockParser parser(index_block);
    RETURN_IF_ERROR(parser.Init());
    while (!parser.done()) {
      RETURN_IF_ERROR(parser.Next());
      const absl::Status status = ParseDataBlock(parser.key(), parser.value());
      if (!status.ok() && table_.entries.empty()) return status;
      table_.damage.Update(status);
      Advance(parser.key());
    }
    return absl::OkStatus();
  }

  // Entries whose keys are at most `last_key`, which the index gives for the block.
  absl::Status ParseDataBlock(std::string_view last_key, std::string_view place) {
    ASSIGN_OR_RETURN(const BlockHandle handle, ReadHandle(place));
    std::string storage;
    ASSIGN_OR_RETURN(const std::string_view block, ReadBlock(handle, storage));
    // In order and apart, as writers leave them: so parsing takes no longer than the file is long.
    if (handle.offset < end_of_last_) return Corrupt("expected blocks that do not overlap");
    end_of_last_ = handle.offset + handle.size;
    BlockParser parser(block);
    RETURN_IF_ERROR(parser.Init());
    absl::Status order;
    while (!parser.done()) {
      RETURN_IF_ERROR(parser.Next());
      key_bytes_ += parser.key().size();
      if (key_bytes_ > kMaxKeyBytes) return Corrupt("expected at most 64 MiB of keys");
      if (Advance(parser.key()) && parser.key() <= last_key) {
        table_.entries.emplace_back(parser.key(), std::string(parser.value()));
      } else {
        order = Corrupt("expected keys in ascending order");
      }
    }
    return order;
  }

  // Whether `key` comes after all keys before, those of the index included.
  bool Advance(const std::string& key) {
    if (greatest_.has_value() && key <= *greatest_) return false;
    greatest_ = key;
    return true;
  }

  // The contents of a block: a piece of the file, or `storage` if it is compressed.
  absl::StatusOr<std::string_view> ReadBlock(const BlockHandle& handle, std::string& storage) const {
    RETURN_IF_ERROR(CheckPlace(handle));
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

  absl::Status CheckPlace(const BlockHandle& handle) const {
    const std::string what =
        absl::StrCat("table file: expected a block inside the file, got ", handle.size, " bytes at ", handle.offset);
    constexpr uint64_t kMaxOffset = std::numeric_limits<int64_t>::max();
    if (handle.size > std::numeric_limits<size_t>::max() - kTrailerBytes) return absl::DataLossError(what);
    if (handle.offset > kMaxOffset || handle.size + kTrailerBytes > kMaxOffset - handle.offset) {
      return absl::InvalidArgumentError(what);
    }
    const uint64_t end = handle.offset + handle.size + kTrailerBytes;
    if (end > file_.size()) return absl::OutOfRangeError(what);
    return end <= file_.size() - kFooterBytes ? absl::OkStatus() : absl::DataLossError(what);
  }

  const std::string_view file_;
  uint64_t end_of_last_ = 0;
  size_t key_bytes_ = 0;
  std::optional<std::string> greatest_;
  Table table_;
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

absl::StatusOr<Table> ParseTable(std::string_view file) { return TableParser(file).Parse(); }

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
