#include "ops/unicode_ops.h"

#include <string>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

// Bytes that may hold NUL.
Tensor Text(std::initializer_list<std::string_view> strings) {
  std::vector<String> values(strings.begin(), strings.end());
  return Tensor::Vector<String>(absl::MakeConstSpan(values));
}

class UnicodeOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterUnicodeOps(library_).ok()); }
  OpTester Op(const char* op, const char* encoding, AttrMap attrs = {}) {
    return OpTester(library_, op, attrs.With("input_encoding", encoding));
  }

  OpLibrary library_;
};

using namespace std::string_view_literals;

TEST_F(UnicodeOpsTest, DecodeMalformed) {
  const Tensor input = Text({"a\xff" "b", "\xe2\x82"});
  const struct {
    const char* errors;
    Tensor splits, codes, starts;
  } cases[] = {
      {"replace", Longs({3}, {0, 3, 4}), Ints({4}, {97, 65533, 98, 65533}), Longs({4}, {0, 1, 2, 0})},
      {"ignore", Longs({3}, {0, 2, 2}), Ints({2}, {97, 98}), Longs({2}, {0, 2})},
  };
  for (const auto& [errors, splits, codes, starts] : cases) {
    OpTester decode = Op("UnicodeDecode", "UTF-8", {{"errors", errors}}), offsets = Op("UnicodeDecodeWithOffsets", "UTF-8", {{"errors", errors}});
    ExpectOutputs(decode, {input}, {splits, codes});
    ExpectOutputs(offsets, {input}, {splits, codes, starts});
  }
  OpTester strict = Op("UnicodeDecode", "UTF-8", {{"errors", "strict"}, {"replace_control_characters", true}});
  ExpectInvalid(strict, {input}, "input: expected well-formed text");
  ExpectOutputs(strict, {Text({"a\0b\x1f\x7f"sv})}, {Longs({2}, {0, 5}), Ints({5}, {97, 65533, 98, 65533, 127})});
  OpTester control = Op("UnicodeDecodeWithOffsets", "UTF-8", {{"errors", "ignore"}, {"replace_control_characters", true}});
  ExpectOutputs(control, {Text({"a\0b\x1f\x7f"sv})}, {Longs({2}, {0, 3}), Ints({3}, {97, 98, 127}), Longs({3}, {0, 2, 4})});
  OpTester question = Op("UnicodeDecode", "UTF-8", {{"replacement_char", 63}, {"Tsplits", DType::kInt32}});
  ExpectOutputs(question, {input}, {Ints({3}, {0, 3, 4}), Ints({4}, {97, 63, 98, 63})});
}

TEST_F(UnicodeOpsTest, DecodeEncodings) {
  const Tensor input = Text({"\xfe\xff\0a\0b"sv, "\xff\xfe" "a\0\x80"sv, "a\x80\xe9"sv, ""sv});
  const struct {
    const char* encoding;
    Tensor splits, codes;
  } cases[] = {
      {"UTF-16", Longs({5}, {0, 2, 4, 6, 6}), Ints({6}, {97, 98, 97, 65533, 24960, 65533})},
      {"UTF-16-BE", Longs({5}, {0, 3, 6, 8, 8}), Ints({8}, {65279, 97, 98, 65534, 24832, 65533, 24960, 65533})},
      {"UTF-16-LE", Longs({5}, {0, 3, 6, 8, 8}), Ints({8}, {65534, 24832, 25088, 65279, 97, 65533, 32865, 65533})},
      {"UTF-32", Longs({5}, {0, 2, 4, 5, 5}), Ints({5}, {65533, 65533, 65533, 65533, 65533})},
      {"latin1", Longs({5}, {0, 6, 11, 14, 14}), Ints({14}, {254, 255, 0, 97, 0, 98, 255, 254, 97, 0, 128, 97, 128, 233})},
      {"windows-1252", Longs({5}, {0, 6, 11, 14, 14}), Ints({14}, {254, 255, 0, 97, 0, 98, 255, 254, 97, 0, 8364, 97, 8364, 233})},
      {"US-ASCII", Longs({5}, {0, 6, 11, 14, 14}), Ints({14}, {65533, 65533, 0, 97, 0, 98, 65533, 65533, 97, 0, 65533, 97, 65533, 65533})},
      {"shift_jis", Longs({5}, {0, 6, 11, 14, 14}), Ints({14}, {65533, 65533, 0, 97, 0, 98, 65533, 65533, 97, 0, 65533, 97, 65533, 65533})},
  };
  for (const auto& [encoding, splits, codes] : cases) {
    SCOPED_TRACE(encoding);
    OpTester op = Op("UnicodeDecode", encoding);
    ExpectOutputs(op, {input}, {splits, codes});
  }
  OpTester utf16 = Op("UnicodeDecodeWithOffsets", "UTF-16-BE");
  ExpectOutputs(utf16, {Text({"\xd8\0\0a"sv, "\xd8\x3d\xde\0z"sv})},
                {Longs({3}, {0, 2, 4}), Ints({4}, {65533, 97, 0x1f600, 65533}), Longs({4}, {0, 2, 0, 4})});
  OpTester utf8 = Op("UnicodeDecode", "utf8");
  ExpectOutputs(utf8, {Tensor::Scalar("\xf0\x9f\x98\x80")}, {Longs({2}, {0, 1}), Ints({1}, {0x1f600})});
  ExpectOutputs(utf8, {Strings({2, 2}, {"a", "bc", "", "d"})}, {Longs({5}, {0, 1, 3, 3, 4}), Ints({4}, {97, 98, 99, 100})});
  ExpectOutputs(utf8, {Strings({0}, {})}, {Longs({1}, {0}), Ints({0}, {})});
}

TEST_F(UnicodeOpsTest, Transcode) {
  const Tensor input = Text({"a\xff" "b", "\xe2\x82\xac", "\xed\xa0\x80z", "\0\x1f"sv});
  const struct {
    AttrMap attrs;
    Tensor want;
  } cases[] = {
      {{{"output_encoding", "UTF-8"}}, Text({"a\xef\xbf\xbd" "b", "\xe2\x82\xac", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz", "\0\x1f"sv})},
      {{{"output_encoding", "UTF-8"}, {"errors", "ignore"}}, Text({"ab", "\xe2\x82\xac", "z", "\0\x1f"sv})},
      {{{"output_encoding", "UTF-16-BE"}, {"replacement_char", 63}}, Text({"\0a\0?\0b"sv, "\x20\xac", "\0?\0?\0?\0z"sv, "\0\0\0\x1f"sv})},
      {{{"output_encoding", "UTF-32-BE"}, {"errors", "ignore"}, {"replace_control_characters", true}},
       Text({"\0\0\0a\0\0\0b"sv, "\0\0\x20\xac"sv, "\0\0\0z"sv, ""})},
  };
  for (const auto& [attrs, want] : cases) {
    OpTester op = Op("UnicodeTranscode", "UTF-8", attrs);
    ExpectOutput(op, {input}, want);
  }
  OpTester wide = Op("UnicodeTranscode", "UTF-8", {{"output_encoding", "UTF-16-BE"}});
  ExpectOutput(wide, {Text({"\xf0\x9f\x98\x80"})}, Text({"\xd8\x3d\xde\x00"sv}));
  OpTester surrogate = Op("UnicodeTranscode", "UTF-8", {{"output_encoding", "UTF-8"}, {"replacement_char", 0xd800}});
  ExpectOutput(surrogate, {Text({"\xff"})}, Text({"\xef\xbf\xbd"}));
  OpTester strict = Op("UnicodeTranscode", "UTF-8", {{"output_encoding", "UTF-8"}, {"errors", "strict"}, {"replace_control_characters", true}});
  ExpectInvalid(strict, {Text({"\xff"})}, "input: expected well-formed text");
  ExpectInvalid(strict, {Text({"\x1f"})}, "input: expected well-formed text");
  ExpectOutput(strict, {Strings({1, 1}, {"a"})}, Strings({1, 1}, {"a"}));
}

TEST_F(UnicodeOpsTest, AttributesAreChecked) {
  for (const char* encoding : {"bogus", ""}) {
    OpTester op = Op("UnicodeDecode", encoding);
    ExpectInvalid(op, {Tensor::Scalar("a")}, "input_encoding: expected the name of an encoding, got '");
  }
  for (const int64_t code : {-1, 0x110000}) {
    OpTester op = Op("UnicodeDecode", "UTF-8", {{"replacement_char", code}});
    ExpectInvalid(op, {Tensor::Scalar("a")}, "replacement_char: expected a code point, got ");
  }
}

TEST_F(UnicodeOpsTest, Encode) {
  const Tensor codes = Ints({6}, {97, 0xd800, 0x110000, -1, 0xffff, 0x1f600}), splits = Longs({3}, {0, 3, 6});
  const auto encode = [&](const char* encoding, const char* errors) {
    return OpTester(library_, "UnicodeEncode", {{"output_encoding", encoding}, {"errors", errors}});
  };
  OpTester replace = encode("UTF-8", "replace"), ignore = encode("UTF-8", "ignore"), strict = encode("UTF-8", "strict");
  ExpectOutput(replace, {codes, splits}, Text({"a\xef\xbf\xbd\xef\xbf\xbd", "\xef\xbf\xbd\xef\xbf\xbf\xf0\x9f\x98\x80"}));
  ExpectOutput(ignore, {codes, splits}, Text({"a", "\xef\xbf\xbf\xf0\x9f\x98\x80"}));
  ExpectInvalid(strict, {codes, splits}, "input_values[1]: expected a code point, got 55296");
  OpTester utf16 = encode("UTF-16-BE", "strict"), utf32 = encode("UTF-32-BE", "strict");
  const Tensor good = Ints({2}, {97, 0x1f600}), gap = Longs({3}, {0, 0, 2});
  ExpectOutput(utf16, {good, gap}, Text({"", "\0a\xd8=\xde\0"sv}));
  ExpectOutput(utf32, {good, gap}, Text({"", "\0\0\0a\0\x01\xf6\0"sv}));
  ExpectOutput(utf32, {Ints({0}, {}), Longs({1}, {0})}, Strings({0}, {}));
  const Tensor bad_splits[] = {Longs({2}, {1, 2}), Longs({2}, {0, 1}), Longs({2}, {0, 3}), Longs({3}, {0, 2, 1}), Longs({0}, {}),
                               Longs({2}, {-1, 2}), Longs({4}, {0, 2, 1, 2})};
  for (const Tensor& bad : bad_splits) ExpectInvalid(replace, {good, bad}, "input_splits: expected ");
  ExpectInvalid(replace, {Ints({1, 2}, {97, 98}), Longs({2}, {0, 1})}, "");
  const auto shapes = InferShapes(library_, "UnicodeEncode", {{"output_encoding", "UTF-8"}}, {PartialShape(), PartialShape::Of({4})});
  EXPECT_EQ((*shapes)[0], PartialShape::Of({3}));
  EXPECT_EQ((*InferShapes(library_, "UnicodeDecode", {{"input_encoding", "UTF-8"}}, {PartialShape::Of({2, 3})}))[0], PartialShape::Of({7}));
  EXPECT_EQ((*InferShapes(library_, "UnicodeDecode", {{"input_encoding", "UTF-8"}}, {PartialShape()}))[0], PartialShape::Of({-1}));
}

TEST_F(UnicodeOpsTest, Script) {
  OpTester op(library_, "UnicodeScript", {});
  ExpectOutput(op, {Ints({2, 4}, {65, 0x3b1, 0x4e00, -1, 0x110000, 0xd800, 0x30, 0x301})}, Ints({2, 4}, {25, 14, 17, -1, -1, 103, 0, 1}));
}

}  // namespace
}  // namespace flowlatch
