#include "runtime/checkpoint/table_file.h"

#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <tuple>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leveldb/env.h"
#include "leveldb/options.h"
#include "leveldb/table_builder.h"
#include "runtime/checkpoint/crc32c.h"
#include "runtime/checkpoint/varint.h"

namespace flowlatch {
namespace {

using testing::HasSubstr;

const std::map<std::string, std::string>& Sample() {
  static const auto* sample = new std::map<std::string, std::string>{{"", "header"},
                                                                     {std::string("\0k", 2), "v"},
                                                                     {"apple", ""},
                                                                     {"application", "long value"},
                                                                     {"b", std::string(100, 'x')}};
  return *sample;
}

TableEntries AsEntries(const std::map<std::string, std::string>& m) { return TableEntries(m.begin(), m.end()); }

// All entries of a table that is whole.
absl::StatusOr<TableEntries> ParseWhole(std::string_view file) {
  absl::StatusOr<Table> table = ParseTable(file);
  if (!table.ok()) return table.status();
  if (!table->damage.ok()) return table->damage;
  return table->entries;
}

TEST(TableFileTest, ReadsWhatItWrites) {
  const std::string bytes = *BuildTable(Sample());
  const absl::StatusOr<TableEntries> entries = ParseWhole(bytes);
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_EQ(*entries, AsEntries(Sample()));
  EXPECT_TRUE(ParseWhole(*BuildTable({})).value().empty());
}

TEST(TableFileTest, ManyBlocks) {
  std::map<std::string, std::string> many;
  for (int i = 0; i < 5000; ++i) many["key" + std::to_string(i)] = std::string(200, static_cast<char>(i));
  const absl::StatusOr<TableEntries> entries = ParseWhole(*BuildTable(many));
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_EQ(*entries, AsEntries(many));
}

class StringSink final : public leveldb::WritableFile {
 public:
  leveldb::Status Append(const leveldb::Slice& data) override {
    bytes.append(data.data(), data.size());
    return leveldb::Status::OK();
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }
  std::string bytes;
};

TEST(TableFileTest, ReadsSnappyBlocks) {
  leveldb::Options options;
  options.compression = leveldb::kSnappyCompression;
  StringSink sink;
  leveldb::TableBuilder builder(options, &sink);
  const std::map<std::string, std::string> entries{{"a", std::string(3000, 'a')}, {"b", std::string(3000, 'b')}};
  for (const auto& [key, value] : entries) builder.Add(key, value);
  ASSERT_TRUE(builder.Finish().ok());
  ASSERT_LT(sink.bytes.size(), 2000u) << "expected a compressed table";
  const absl::StatusOr<TableEntries> parsed = ParseWhole(sink.bytes);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, AsEntries(entries));
}

TEST(TableFileTest, EveryFlippedBitIsFoundOrHarmless) {
  const std::string bytes = *BuildTable(Sample());
  int found = 0;
  for (size_t i = 0; i < bytes.size() * 8; ++i) {
    std::string broken = bytes;
    broken[i / 8] ^= static_cast<char>(1 << (i % 8));
    const absl::StatusOr<TableEntries> entries = ParseWhole(broken);
    if (entries.ok()) {
      EXPECT_EQ(*entries, AsEntries(Sample())) << "bit " << i;
    } else {
      ++found;
    }
  }
  EXPECT_GT(found, static_cast<int>(bytes.size()) * 5) << "only the padding of the footer may change unnoticed";
}

TEST(TableFileTest, EveryTruncationIsFound) {
  const std::string bytes = *BuildTable(Sample());
  for (size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_EQ(ParseTable(bytes.substr(0, n)).status().code(), absl::StatusCode::kDataLoss) << n;
  }
}

// Files with right checksums and wrong contents.

std::string Fixed32(uint32_t value) { return std::string(reinterpret_cast<const char*>(&value), sizeof value); }

std::string WithTrailer(std::string block, char type = 0) {
  block.push_back(type);
  return block + Fixed32(MaskCrc(Crc32c(block)));
}

std::string Entry(uint64_t shared, const std::string& key, const std::string& value) {
  std::string entry;
  AppendVarint(shared, entry);
  AppendVarint(key.size(), entry);
  AppendVarint(value.size(), entry);
  return entry + key + value;
}

std::string Handle(uint64_t offset, uint64_t size) {
  std::string handle;
  AppendVarint(offset, handle);
  AppendVarint(size, handle);
  return handle;
}

const std::string kRestarts = Fixed32(0) + Fixed32(1);

std::string File(const std::string& blocks, const std::string& index_handle) {
  std::string footer = Handle(0, 0) + index_handle;
  footer.resize(40);
  const uint64_t magic = 0xdb4775248b80fb57;
  return blocks + footer + std::string(reinterpret_cast<const char*>(&magic), sizeof magic);
}

// A table of one data block at 0 and an index block that holds `handle`.
std::string OneBlock(const std::string& block, std::optional<std::string> handle = std::nullopt, char type = 0) {
  const std::string data = WithTrailer(block, type);
  const std::string index = Entry(0, "z", handle.value_or(Handle(0, block.size()))) + kRestarts;
  return File(data + WithTrailer(index), Handle(data.size(), index.size()));
}

TEST(TableFileTest, HandMadeTableIsRead) {
  const absl::StatusOr<TableEntries> entries =
      ParseWhole(OneBlock(Entry(0, "ab", "1") + Entry(1, "c", "2") + kRestarts));
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_EQ(*entries, (TableEntries{{"ab", "1"}, {"ac", "2"}}));
}

TEST(TableFileTest, MalformedFiles) {
  const std::string good = Entry(0, "a", "1") + kRestarts;
  std::string long_varint(11, '\xff');
  const std::map<std::string, std::string> cases = {
      {"empty file", ""},
      {"wrong magic", std::string(48, 'x')},
      {"index handle is garbage", File(WithTrailer(good), long_varint)},
      {"handle cut short", OneBlock(good, std::string("\x80"))},
      {"no handle", OneBlock(good, std::string())},
      {"block of three bytes", OneBlock("abc")},
      {"more restart points than the block has room", OneBlock(Entry(0, "a", "1") + Fixed32(0) + Fixed32(0xffffffffu))},
      {"restart point beyond the entries", OneBlock(Entry(0, "a", "1") + Fixed32(100) + Fixed32(1))},
      {"shared part longer than the key before", OneBlock(Entry(0, "a", "1") + Entry(2, "b", "2") + kRestarts)},
      {"first key shares", OneBlock(Entry(1, "a", "1") + kRestarts)},
      {"key reaches out of the block", OneBlock(std::string("\x00\x7f\x01", 3) + "a1" + kRestarts)},
      {"value reaches out of the block", OneBlock(std::string("\x00\x01\x7f", 3) + "a1" + kRestarts)},
      {"lengths overflow together",
       OneBlock(std::string("\x00", 1) + std::string(9, '\xff') + "\x01" + "\x01" + "a" + kRestarts)},
      {"keys out of order", OneBlock(Entry(0, "b", "1") + Entry(0, "a", "2") + kRestarts)},
      {"key twice", OneBlock(Entry(0, "a", "1") + Entry(0, "a", "2") + kRestarts)},
      {"unknown compression", OneBlock(good, std::nullopt, 2)},
      {"Snappy of garbage", OneBlock(std::string("\x05garbage that is long enough"), std::nullopt, 1)},
      {"Snappy that claims four gigabytes", OneBlock(std::string("\xff\xff\xff\xff\x0f") + "abc", std::nullopt, 1)},
  };
  for (const auto& [name, bytes] : cases) {
    const absl::Status status = ParseWhole(bytes).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << name << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("table file: ")) << name;
  }
}

TEST(TableFileTest, PlacesThatTheFileOrNoFileHas) {
  const std::string good = Entry(0, "a", "1") + kRestarts;
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  const std::pair<std::pair<uint64_t, uint64_t>, absl::StatusCode> cases[] = {
      {{1000, 10}, absl::StatusCode::kOutOfRange},        {{0, uint64_t{1} << 60}, absl::StatusCode::kOutOfRange},
      {{kMax + 1, 10}, absl::StatusCode::kInvalidArgument}, {{kMax - 5, 10}, absl::StatusCode::kInvalidArgument},
      {{~uint64_t{0} - 4, 8}, absl::StatusCode::kInvalidArgument},
      {{0, ~uint64_t{0}}, absl::StatusCode::kDataLoss},   {{0, good.size() + 5}, absl::StatusCode::kDataLoss},
  };
  for (const auto& [place, code] : cases) {
    const auto& [offset, size] = place;
    EXPECT_EQ(ParseTable(File(WithTrailer(good), Handle(offset, size))).status().code(), code) << offset << "+" << size;
    EXPECT_EQ(ParseTable(OneBlock(good, Handle(offset, size))).status().code(), code) << offset << "+" << size;
  }
}

// A table of two data blocks, whose keys are at most `last_keys`.
std::string TwoBlocks(const std::string& first, const std::string& second,
                      const std::pair<std::string, std::string>& last_keys) {
  const std::string data = WithTrailer(first + kRestarts), more = WithTrailer(second + kRestarts);
  const std::string index = Entry(0, last_keys.first, Handle(0, data.size() - 5)) +
                            Entry(0, last_keys.second, Handle(data.size(), more.size() - 5)) + kRestarts;
  return File(data + more + WithTrailer(index), Handle(data.size() + more.size(), index.size()));
}

TEST(TableFileTest, WhatASearchFindsInDamagedTables) {
  const std::string a = Entry(0, "a", "1"), b = Entry(0, "b", "2"), c = Entry(0, "c", "3"), d = Entry(0, "d", "4");
  const TableEntries ab = {{"a", "1"}, {"b", "2"}}, only_a = {{"a", "1"}};
  const std::string two = TwoBlocks(a + b, c + d, {"b", "e"});
  EXPECT_EQ(*ParseWhole(two), (TableEntries{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}}));
  std::string flipped = two;
  flipped[flipped.find(c)] ^= 1;
  const std::tuple<const char*, std::string, TableEntries> cases[] = {
      {"second block with another checksum", flipped, ab},
      {"entry that shares too much", TwoBlocks(a + Entry(2, "b", "2") + c, d, {"c", "e"}), {{"a", "1"}, {"d", "4"}}},
      {"entries out of order", TwoBlocks(a + c + b, d, {"c", "e"}), {{"a", "1"}, {"c", "3"}, {"d", "4"}}},
      {"key twice", TwoBlocks(a + Entry(0, "a", "2"), d, {"c", "e"}), {{"a", "1"}, {"d", "4"}}},
      {"keys beyond the one of the index", TwoBlocks(a + b, d, {"a", "e"}), {{"a", "1"}, {"d", "4"}}},
      {"blocks out of order", TwoBlocks(c, a + b, {"c", "b"}), {{"c", "3"}}},
      {"blocks that overlap in keys", TwoBlocks(a + b, b + d, {"c", "e"}), {{"a", "1"}, {"b", "2"}, {"d", "4"}}},
  };
  for (const auto& [name, bytes, entries] : cases) {
    const absl::StatusOr<Table> table = ParseTable(bytes);
    ASSERT_TRUE(table.ok()) << name << ": " << table.status();
    EXPECT_EQ(table->entries, entries) << name;
    EXPECT_EQ(table->damage.code(), absl::StatusCode::kDataLoss) << name;
  }
  EXPECT_FALSE(ParseTable(TwoBlocks(Entry(1, "a", "1"), d, {"c", "e"})).ok()) << "nothing before the damage";
}

TEST(TableFileTest, BlocksReadTwiceAreAnError) {
  const std::string block = Fixed32(0);  // no entries, so that order of keys does not tell
  const std::string data = WithTrailer(block);
  const std::string index = Entry(0, "a", Handle(0, block.size())) + Entry(0, "b", Handle(0, block.size())) + kRestarts;
  const absl::Status status = ParseWhole(File(data + WithTrailer(index), Handle(data.size(), index.size()))).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("overlap"));
}

TEST(TableFileTest, KeysThatUnfoldEndlesslyAreAnError) {
  // Each entry of 4 bytes stands for a key of over 100 KB.
  std::string block = Entry(0, std::string(100000, 'k'), "");
  for (int i = 0; i < 2000; ++i) block += Entry(100000 + i, "k", "");
  EXPECT_EQ(ParseWhole(OneBlock(block + kRestarts)).status().code(), absl::StatusCode::kDataLoss);
}

TEST(VarintTest, RoundTripsAndRefusesTooLong) {
  for (const uint64_t value : {uint64_t{0}, uint64_t{127}, uint64_t{128}, uint64_t{1} << 63, ~uint64_t{0}}) {
    std::string bytes;
    AppendVarint(value, bytes);
    std::string_view rest = bytes;
    EXPECT_EQ(ReadVarint(rest), value);
    EXPECT_TRUE(rest.empty());
  }
  for (const std::string& bad :
       {std::string(), std::string("\x80"), std::string(10, '\xff'), std::string(9, '\x80') + "\x02"}) {
    std::string_view rest = bad;
    EXPECT_EQ(ReadVarint(rest), std::nullopt);
  }
}

}  // namespace
}  // namespace flowlatch
