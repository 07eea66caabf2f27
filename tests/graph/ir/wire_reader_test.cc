#include "graph/ir/wire_reader.h"

#include <string>
#include <vector>

#include "flowlatch/proto/node_def.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;

enum Outcome { kOk, kTruncated, kMalformed };

Outcome ReadAll(std::string_view bytes) {
  WireReader in(bytes);
  while (in.NextField()) {
  }
  EXPECT_FALSE(in.ok() && in.truncated());
  return in.ok() ? kOk : in.truncated() ? kTruncated : kMalformed;
}

TEST(WireReaderTest, FieldsOfAMessage) {
  NodeDef proto;
  proto.set_name("n");
  proto.set_op("Op");
  proto.add_input("a");
  proto.add_input("");
  const std::string bytes = proto.SerializeAsString();
  WireReader in(bytes);
  std::vector<std::string> seen;
  std::string wholes;
  while (in.NextField()) {
    for (uint32_t number : {1, 2, 3}) {
      if (in.IsBytes(number)) seen.push_back(std::to_string(number) + std::string(in.bytes()));
      EXPECT_FALSE(in.IsVarint(number));
    }
    wholes += in.whole();
  }
  EXPECT_TRUE(in.ok());
  EXPECT_THAT(seen, ElementsAre("1n", "2Op", "3a", "3"));
  EXPECT_EQ(wholes, bytes);
}

TEST(WireReaderTest, Varints) {
  WireReader in(std::string_view("\x08\xac\x02\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 14));
  ASSERT_TRUE(in.NextField());
  EXPECT_TRUE(in.IsVarint(1));
  EXPECT_EQ(in.varint(), 300u);
  ASSERT_TRUE(in.NextField());
  EXPECT_EQ(in.varint(), ~uint64_t{0});
  EXPECT_FALSE(in.NextField());
  EXPECT_TRUE(in.ok());
}

TEST(WireReaderTest, Outcomes) {
  const std::string deep(200, '\x0b');
  const struct {
    std::string_view bytes;
    Outcome want;
  } kCases[] = {
      {"", kOk},
      {"\x0a", kTruncated},  // no length
      {"\x0a\x03"
       "ab",
       kTruncated},                                              // a byte is missing
      {"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", kTruncated},  // nearly 2^63 of them are
      {"\x08\x80", kTruncated},                                  // unfinished varint
      {"\x0d"
       "123",
       kTruncated},
      {"\x09"
       "1234567",
       kTruncated},
      {"\x0b\x08\x01", kTruncated},                                  // open group
      {deep, kMalformed},                                            // nested too deep
      {std::string_view("\x00\x00", 2), kMalformed},                 // field 0
      {std::string_view("\x0f\x00", 2), kMalformed},                 // no such wire type
      {std::string_view("\x0c\x00", 2), kMalformed},                 // end of no group
      {"\x0b\x14", kMalformed},                                      // end of another group
      {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", kMalformed},  // varint too long
      {"\xff\xff\xff\xff\x7f\x01", kMalformed},                      // tag beyond 32 bits
      {"\x0b\x0b\x08\x01\x0c\x0c\x08\x07", kOk},
  };
  for (const auto& c : kCases) EXPECT_EQ(ReadAll(c.bytes), c.want) << testing::PrintToString(std::string(c.bytes));
}

// What protobuf reads we read, and the other way round.
TEST(WireReaderTest, AgreesWithProtobuf) {
  uint32_t random = 1;
  for (int i = 0; i < 20000; ++i) {
    std::string bytes;
    for (int j = 0; j < 12; ++j) {
      random = random * 1664525 + 1013904223;
      bytes.push_back(
          static_cast<char>(random >> (j % 2 == 0 ? 28 : 24)));  // small numbers are likelier to mean something
    }
    NodeDef proto;
    // Fields of NodeDef are strings and messages, whose contents protobuf also looks at: use numbers above them.
    for (size_t j = 0; j < bytes.size(); j += 2) bytes[j] = static_cast<char>((bytes[j] & 0x0f) | 0x48);
    EXPECT_EQ(ReadAll(bytes) == kOk, proto.ParseFromString(bytes)) << testing::PrintToString(bytes);
  }
}

}  // namespace
}  // namespace flowlatch
