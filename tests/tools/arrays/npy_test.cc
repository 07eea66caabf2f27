#include "tools/arrays/npy.h"

#include <string>

#include "graph/tensor/string.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

std::string Npy(const std::string& header, const std::string& data) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes.push_back(static_cast<char>(header.size()));
  bytes.push_back('\0');
  return bytes + header + data;
}

TEST(NpyTest, WhatIsWrittenIsReadBack) {
  const Tensor matrix = *Tensor::FromValues<float>(Shape::Of({2, 3}), {{1, 2, 3, 4, 5, 6}});
  const std::string bytes = *FormatNpy(matrix);
  EXPECT_EQ(bytes.size() % 64, 24u);  // 24 bytes of data behind a header of whole lines
  const Tensor read = *ParseNpy(bytes);
  EXPECT_EQ(read.dtype(), DType::kFloat32);
  EXPECT_EQ(read.ShapeString(), "[2,3]");
  EXPECT_EQ(read.data<float>()[5], 6);
  EXPECT_EQ(ParseNpy(*FormatNpy(Tensor::Scalar(int64_t{7})))->scalar<int64_t>(), 7);
  EXPECT_EQ(ParseNpy(*FormatNpy(Tensor::Vector<bool>({true, false})))->data<bool>()[0], true);
}

TEST(NpyTest, StringsAreAsWideAsTheLongest) {
  const Tensor words = Tensor::Vector<String>({String("a"), String("bcd")});
  const Tensor read = *ParseNpy(*FormatNpy(words));
  ASSERT_EQ(read.num_elements(), 2);
  EXPECT_EQ(read.data<String>()[0].view(), "a");
  EXPECT_EQ(read.data<String>()[1].view(), "bcd");
}

TEST(NpyTest, CarriersStandForWhatNumpyHasNot) {
  Tensor bf16 = *Tensor::Make(DType::kBFloat16, Shape::Of({1}));
  bf16.mutable_data<BFloat16>()[0] = BFloat16(1.5f);
  const Tensor carrier = *ParseNpy(*FormatNpy(bf16));
  EXPECT_EQ(carrier.dtype(), DType::kUInt16);
  EXPECT_EQ(static_cast<float>(FromCarrier(carrier, DType::kBFloat16)->data<BFloat16>()[0]), 1.5f);
  EXPECT_EQ(FromCarrier(carrier, DType::kFloat32).status().message(), "array: expected float32, got uint16");
  const Tensor bytes = Tensor::Vector<int8_t>({-8, 7});
  EXPECT_EQ(static_cast<int>(FromCarrier(bytes, DType::kInt4)->data<Int4>()[0]), -8);
  EXPECT_EQ(FromCarrier(Tensor::Vector<int8_t>({8}), DType::kInt4).status().message(),
            "array: expected values of int4, got 8");
}

TEST(NpyTest, MalformedFiles) {
  const std::string four(4, '\0');
  struct Case {
    std::string bytes, message;
  };
  const Case cases[] = {
      {"", "npy file: expected to begin with \\x93NUMPY and a version"},
      {Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", four),
       "npy data of <f4[2]: expected 8 bytes, got 4"},
      {Npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", four),
       "npy header: expected descr to be a number (<f4), bool (|b1), bytes (|S) or text (<U), got '|O', a pickled "
       "object, which is never read"},
      {Npy("{'descr': '<O8', 'fortran_order': False, 'shape': (1,), }", four),
       "npy header: expected descr to be a number (<f4), bool (|b1), bytes (|S) or text (<U), got '<O8', a pickled "
       "object, which is never read"},
      {Npy("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }", four),
       "npy header: expected True or False, got 'Maybe, 'shape': (1,)'"},
      {Npy("{'descr': '<f4', 'shape': (1,), }", four),
       "npy header: expected descr, fortran_order and shape, got fewer keys"},
      {Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", four),
       "npy header: expected a dimension, got '-1,), }'"},
      {Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", four), ""},
      {Npy("{'descr': '|S0', 'fortran_order': False, 'shape': (1000000000000,), }", ""), ""},
  };
  for (const Case& c : cases) {
    const absl::Status status = ParseNpy(c.bytes).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.bytes;
    if (c.message.empty()) continue;
    EXPECT_EQ(std::string(status.message()), c.message);
  }
}

TEST(NpyTest, NoPrefixOfAFileIsAFile) {
  const std::string bytes = *FormatNpy(Tensor::Vector<int32_t>({1, 2, 3}));
  for (size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(ParseNpy(bytes.substr(0, size)).ok()) << size;
}

}  // namespace
}  // namespace flowlatch
