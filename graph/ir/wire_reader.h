// WireReader: the fields of an encoded protobuf message, in place, without building the message.
#ifndef FLOWLATCH_GRAPH_IR_WIRE_READER_H_
#define FLOWLATCH_GRAPH_IR_WIRE_READER_H_

#include <cstdint>
#include <limits>
#include <string_view>

namespace flowlatch {

// Accepts what protobuf's own parser accepts. After a false result the reader is of no further use.
//
//   WireReader in(bytes);
//   while (in.NextField()) {
//     if (in.IsBytes(1)) name = in.bytes();
//   }
//   if (!in.ok()) ...
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  // Reads one field with its value. False at the end and for malformed bytes; ok() tells which.
  bool NextField() {
    field_begin_ = at_;
    uint64_t tag;
    if (at_ == end_) return false;
    if (!ReadVarint(&tag) || tag > std::numeric_limits<uint32_t>::max() || tag >> 3 == 0) return Fail();
    tag_ = static_cast<uint32_t>(tag);
    return ReadValue(tag_, 0) || Fail();
  }
  bool ok() const { return ok_; }
  // Whether bytes are missing at the end; otherwise what is not ok() is malformed.
  bool truncated() const { return truncated_; }

  // Whether the field is this one, of wire type "bytes" (or varint); fields of another type count as unknown.
  bool IsBytes(uint32_t number) const { return tag_ == (number << 3 | kBytes); }
  bool IsVarint(uint32_t number) const { return tag_ == (number << 3 | kVarint); }
  std::string_view bytes() const { return bytes_; }
  uint64_t varint() const { return varint_; }
  // The field with its tag.
  std::string_view whole() const { return {field_begin_, static_cast<size_t>(at_ - field_begin_)}; }

 private:
  enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kGroup = 3, kEndGroup = 4, kFixed32 = 5 };
  static constexpr int kMaxDepth = 100;

  bool Fail() {
    ok_ = false;
    return false;
  }

  bool ReadVarint(uint64_t* value) {
    uint64_t result = 0;
    for (int shift = 0; shift < 70 && at_ != end_; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      result |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) {
        *value = result;
        return true;
      }
    }
    truncated_ |= at_ == end_;
    return false;
  }

  bool Advance(uint64_t count) {
    if (count > static_cast<uint64_t>(end_ - at_)) {
      truncated_ = true;
      return false;
    }
    at_ += count;
    return true;
  }

  bool ReadValue(uint32_t tag, int depth) {
    switch (tag & 7) {
      case kVarint:
        return ReadVarint(&varint_);
      case kBytes: {
        uint64_t size;
        if (!ReadVarint(&size)) return false;
        bytes_ = {at_, 0};
        if (!Advance(size)) return false;
        bytes_ = {at_ - size, size};
        return true;
      }
      case kFixed64:
        return Advance(8);
      case kFixed32:
        return Advance(4);
      case kGroup:
        return depth < kMaxDepth && SkipGroup(tag, depth);
      default:
        return false;
    }
  }

  bool SkipGroup(uint32_t start, int depth) {
    uint64_t tag;
    while (ReadVarint(&tag) && tag <= std::numeric_limits<uint32_t>::max() && tag >> 3 != 0) {
      if ((tag & 7) == kEndGroup) return tag >> 3 == start >> 3;
      if (!ReadValue(static_cast<uint32_t>(tag), depth + 1)) return false;
    }
    return false;
  }

  const char* at_;
  const char* end_;
  const char* field_begin_ = nullptr;
  uint32_t tag_ = 0;
  uint64_t varint_ = 0;
  std::string_view bytes_;
  bool ok_ = true;
  bool truncated_ = false;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_IR_WIRE_READER_H_
