#include "tools/arrays/npz.h"

#include <string>
#include <vector>

#include "graph/tensor/string.h"
#include "gtest/gtest.h"
#include "tools/arrays/files.h"

namespace flowlatch {
namespace {

// Written by NumPy, deflated (savez_compressed) and stored (savez).
constexpr char kDeflated[] = "tests/tools/arrays/testdata/numpy.npz";
constexpr char kStored[] = "tests/tools/arrays/testdata/stored.npz";

TEST(NpzTest, ReadsWhatNumpyWrites) {
  const NpzReader npz = *NpzReader::Open(kDeflated);
  EXPECT_EQ(npz.Names(), (std::vector<std::string>{"big_endian", "complex", "empty", "flags", "fortran", "half", "raw",
                                                   "scalar", "text"}));
  const Tensor fortran = *npz.Read("fortran");
  EXPECT_EQ(fortran.ShapeString(), "[2,3]");
  for (int i = 0; i < 6; ++i) EXPECT_EQ(fortran.data<float>()[i], i);
  EXPECT_EQ(npz.Read("big_endian")->data<int16_t>()[2], 300);
  EXPECT_EQ(npz.Read("big_endian")->data<int16_t>()[1], -2);
  EXPECT_EQ(npz.Read("complex")->data<std::complex<float>>()[0], std::complex<float>(1, 2));
  EXPECT_EQ(npz.Read("empty")->ShapeString(), "[0,3]");
  EXPECT_EQ(npz.Read("flags")->data<bool>()[1], false);
  EXPECT_EQ(static_cast<float>(npz.Read("half")->data<Half>()[1]), -2);
  EXPECT_EQ(npz.Read("raw")->data<String>()[0].view(), "ab");
  EXPECT_EQ(npz.Read("scalar")->scalar<uint8_t>(), 7);
  EXPECT_EQ(npz.Read("text")->data<String>()[0].view(), "gr\xc3\xbcn");
  EXPECT_EQ(NpzReader::Open(kStored)->Read("a")->data<int32_t>()[3], 3);
}

TEST(NpzTest, WhatIsWrittenIsReadBack) {
  NpzWriter writer;
  ASSERT_TRUE(writer.Add("x:0", Tensor::Vector<float>({1, 2})).ok());
  const Tensor words =
      *Tensor::FromValues<String>(Shape::Of({1, 2}), {{String(std::string_view("a\0b", 3)), String("")}});
  ASSERT_TRUE(writer.Add("words", words).ok());
  EXPECT_EQ(writer.Add("x:0", Tensor::Scalar(1.f)).code(), absl::StatusCode::kAlreadyExists);
  const NpzReader npz = *NpzReader::Parse(writer.Finish());
  EXPECT_EQ(npz.Names(), (std::vector<std::string>{"words", "x:0"}));
  EXPECT_TRUE(npz.Contains("words"));
  EXPECT_FALSE(npz.Contains("word"));
  EXPECT_EQ(npz.Read("x:0")->data<float>()[1], 2);
  const Tensor read = *npz.Read("words");
  EXPECT_EQ(read.ShapeString(), "[1,2]");
  EXPECT_EQ(read.data<String>()[0].view(), std::string_view("a\0b", 3));
  EXPECT_EQ(npz.Read("word").status().message(), "npz file: no array 'word'; did you mean 'words'?");
  EXPECT_EQ(npz.ReadAs("x:0", DType::kInt32).status().message(), "'x:0': array: expected int32, got float32");
}

TEST(NpzTest, AnEmptyArchiveHasNoArrays) { EXPECT_TRUE(NpzReader::Parse(NpzWriter().Finish())->Names().empty()); }

TEST(NpzTest, StringsWithBadOffsets) {
  for (const std::vector<int64_t>& offsets :
       std::vector<std::vector<int64_t>>{{0, 3, 2}, {-1, 0, 1}, {0, 1, 9}, {0, 1}}) {
    NpzWriter writer;
    ASSERT_TRUE(writer.Add("s.bytes", Tensor::Vector<uint8_t>({1, 2, 3})).ok());
    ASSERT_TRUE(writer.Add("s.offsets", Tensor::Vector<int64_t>(offsets)).ok());
    ASSERT_TRUE(writer.Add("s.shape", Tensor::Vector<int64_t>({2})).ok());
    EXPECT_EQ(NpzReader::Parse(writer.Finish())->Read("s").status().code(), absl::StatusCode::kInvalidArgument);
  }
}

// Every byte of a small archive set to other values, and every prefix: an answer, whatever it is.
TEST(NpzTest, DamagedArchives) {
  const std::string whole = *ReadBytes(kDeflated);
  const auto read_all = [](std::string bytes) {
    const absl::StatusOr<NpzReader> npz = NpzReader::Parse(std::move(bytes));
    if (!npz.ok()) return false;
    bool ok = true;
    for (const std::string& name : npz->Names()) ok &= npz->Read(name).ok();
    return ok;
  };
  ASSERT_TRUE(read_all(whole));
  int refused = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const int change : {1, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      refused += !read_all(std::move(damaged));
    }
  }
  EXPECT_GT(refused, static_cast<int>(whole.size()));
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(read_all(whole.substr(0, size))) << size;
}

// A member that says it unfolds to more than its bytes can.
TEST(NpzTest, SizesAreNotBelieved) {
  std::string bytes = *ReadBytes(kDeflated);
  const size_t entry = bytes.find("PK\x01\x02");
  ASSERT_NE(entry, std::string::npos);
  bytes.replace(entry + 24, 4, "\xff\xff\xff\x7f");
  const NpzReader npz = *NpzReader::Parse(bytes);
  int refused = 0;
  for (const std::string& name : npz.Names())
    refused += npz.Read(name).status().code() == absl::StatusCode::kInvalidArgument;
  EXPECT_EQ(refused, 1);
}

TEST(FilesTest, ErrorsNameThePath) {
  EXPECT_EQ(ReadBytes("no/such/file").status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(ReadBytes("no/such/file").status().message().find("no/such/file"), std::string::npos);
  EXPECT_EQ(ReadBytes("/").status().message(), "read '/': expected a file, got a folder");
  EXPECT_EQ(WriteBytes("no/such/file", "x").code(), absl::StatusCode::kNotFound);
  const std::string path = testing::TempDir() + "/bytes";
  ASSERT_TRUE(WriteBytes(path, std::string("a\0b", 3)).ok());
  EXPECT_EQ(*ReadBytes(path), std::string("a\0b", 3));
}

}  // namespace
}  // namespace flowlatch
