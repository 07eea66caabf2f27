#include "ops/decode_ops.h"

#include <zlib.h>

#include <complex>
#include <string>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

using namespace std::string_view_literals;

Tensor Text(std::initializer_list<std::string_view> strings) {
  std::vector<String> values(strings.begin(), strings.end());
  return Tensor::Vector<String>(absl::MakeConstSpan(values));
}

class DecodeOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterDecodeOps(library_).ok()); }
  OpTester Raw(DType dtype, bool little = true) {
    return OpTester(library_, "DecodeRaw", {{"out_type", dtype}, {"little_endian", little}});
  }
  OpTester Padded(DType dtype, bool little = true) {
    return OpTester(library_, "DecodePaddedRaw", {{"out_type", dtype}, {"little_endian", little}});
  }

  OpLibrary library_;
};

TEST_F(DecodeOpsTest, Raw) {
  const Tensor bytes = Text({"\x01\x02\x03\x04\x05\x06\x07\x08"});
  const struct {
    Tensor little, big;
  } cases[] = {
      {Of<uint8_t>({1, 8}, {1, 2, 3, 4, 5, 6, 7, 8}), Of<uint8_t>({1, 8}, {1, 2, 3, 4, 5, 6, 7, 8})},
      {Of<int16_t>({1, 4}, {513, 1027, 1541, 2055}), Of<int16_t>({1, 4}, {258, 772, 1286, 1800})},
      {Of<uint16_t>({1, 4}, {513, 1027, 1541, 2055}), Of<uint16_t>({1, 4}, {258, 772, 1286, 1800})},
      {Ints({1, 2}, {0x04030201, 0x08070605}), Ints({1, 2}, {0x01020304, 0x05060708})},
      {Longs({1, 1}, {0x0807060504030201}), Longs({1, 1}, {0x0102030405060708})},
      {Bools({1, 8}, {true, true, true, true, true, true, true, true}), Bools({1, 8}, {true, true, true, true, true, true, true, true})},
  };
  for (const auto& [little, big] : cases) {
    OpTester op = Raw(little.dtype()), swapped = Raw(big.dtype(), false);
    ExpectOutput(op, {bytes}, little);
    ExpectOutput(swapped, {bytes}, big);
  }
  OpTester complex = Raw(DType::kComplex64, false), bools = Raw(DType::kBool), half = Raw(DType::kFloat16);
  ExpectOutput(complex, {Text({"\x3f\x80\0\0\x40\0\0\0"sv})}, Of<std::complex<float>>({1, 1}, {{1, 2}}));
  ExpectOutput(bools, {Tensor::Scalar(String("\x05\0"sv))}, Bools({2}, {true, false}));
  ExpectOutput(half, {Text({"\0\x3c"sv})}, Of<Half, float>({1, 1}, {1}));
}

TEST_F(DecodeOpsTest, RawShapes) {
  OpTester op = Raw(DType::kInt16);
  ExpectOutput(op, {Strings({2}, {"", ""})}, Of<int16_t>({2, 0}, {}));
  ExpectOutput(op, {Strings({0, 2}, {})}, Of<int16_t>({0, 2, 0}, {}));
  ExpectInvalid(op, {Strings({2}, {"ab", "a"})}, "bytes: expected strings of one length, got 2 and at 1 1");
  ExpectInvalid(op, {Strings({1}, {"abc"})}, "bytes: expected a multiple of 2 bytes for int16, got 3");
  EXPECT_EQ((*InferShapes(library_, "DecodeRaw", {{"out_type", DType::kInt16}}, {PartialShape::Of({3, -1})}))[0], PartialShape::Of({3, -1, -1}));
  EXPECT_EQ((*InferShapes(library_, "DecodeRaw", {{"out_type", DType::kInt16}}, {PartialShape()}))[0], PartialShape());
}

TEST_F(DecodeOpsTest, PaddedRaw) {
  OpTester op = Padded(DType::kUInt16), big = Padded(DType::kUInt16, false), bytes = Padded(DType::kUInt8);
  const Tensor four = Tensor::Scalar(4);
  ExpectOutput(op, {Text({"\x01\x02\x03", "abcdef"}), four}, Of<uint16_t>({2, 2}, {513, 3, 25185, 25699}));
  ExpectOutput(big, {Text({"\x01\x02\x03\x04", "ab"}), four}, Of<uint16_t>({2, 2}, {258, 772, 24930, 0}));
  ExpectOutput(bytes, {Tensor::Scalar("a"), four}, Of<uint8_t>({4}, {97, 0, 0, 0}));
  ExpectOutput(op, {Strings({0}, {}), four}, Of<uint16_t>({0, 2}, {}));
  for (const int32_t length : {0, -2, 5}) {
    ExpectInvalid(op, {Strings({0}, {}), Tensor::Scalar(length)}, "fixed_length: expected a positive multiple of 2 bytes");
  }
  ExpectInvalid(op, {Strings({1}, {"a"}), Ints({1}, {4})}, "");
  const AttrMap attrs{{"out_type", DType::kUInt16}};
  EXPECT_EQ((*InferShapes(library_, "DecodePaddedRaw", attrs, {PartialShape::Of({3}), PartialShape()}, {nullptr, &four}))[0], PartialShape::Of({3, 2}));
  EXPECT_EQ((*InferShapes(library_, "DecodePaddedRaw", attrs, {PartialShape::Of({3}), PartialShape()}))[0], PartialShape::Of({3, -1}));
}

std::string Compress(std::string_view text, int window_bits) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(text.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST_F(DecodeOpsTest, Compressed) {
  const std::string large(100000, 'x'), zlib = Compress("hello", MAX_WBITS), gzip = Compress("hello", MAX_WBITS + 16);
  OpTester z(library_, "DecodeCompressed", {{"compression_type", "ZLIB"}}), g(library_, "DecodeCompressed", {{"compression_type", "GZIP"}});
  OpTester none(library_, "DecodeCompressed", {}), bad(library_, "DecodeCompressed", {{"compression_type", "BZIP"}});
  ExpectOutput(z, {Text({zlib, Compress(large, MAX_WBITS), zlib.substr(0, zlib.size() - 3), zlib + "abc", ""})},
               Text({"hello", large, "hello", "hello", ""}));
  ExpectOutput(g, {Text({gzip, gzip + Compress(large, MAX_WBITS + 16)})}, Text({"hello", "hello" + large}));
  ExpectOutput(none, {Text({zlib})}, Text({zlib}));
  EXPECT_EQ(z.Run({Tensor::Scalar("xxxx")}).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(z.Run({Text({gzip})}).status().code(), absl::StatusCode::kDataLoss);
  ExpectInvalid(bad, {Tensor::Scalar("")}, "compression_type: expected ZLIB, GZIP or nothing, got 'BZIP'");
}

}  // namespace
}  // namespace flowlatch
