#include "runtime/data/file_bytes.h"

#include <zlib.h>

#include "gtest/gtest.h"
#include "tests/runtime/checkpoint/temp_directory.h"

namespace flowlatch {
namespace {

class FileBytesTest : public testing::Test {
 protected:
  std::unique_ptr<FileBytes> Open(const std::string& bytes) {
    EXPECT_TRUE(WriteFileAtomically(files_, path_, bytes).ok());
    absl::StatusOr<std::unique_ptr<FileBytes>> opened = FileBytes::Open(files_, path_);
    EXPECT_TRUE(opened.ok()) << opened.status();
    return opened.ok() ? *std::move(opened) : nullptr;
  }
  // The bytes of `text` as zlib packs them.
  static std::string Packed(const std::string& text) {
    std::string out(compressBound(text.size()), '\0');
    uLongf size = out.size();
    EXPECT_EQ(compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(text.data()), text.size()), Z_OK);
    out.resize(size);
    return out;
  }

  FileSystem& files_ = FileSystem::Default();
  const TempDirectory dir_;
  const std::string path_ = dir_.File("bytes");
};

TEST_F(FileBytesTest, ReadsAppendsAndSkips) {
  std::string text;
  for (int i = 0; i < 3'000'000; ++i) text += static_cast<char>('a' + i % 23);
  for (const bool packed : {false, true}) {
    const std::string in_file = packed ? Packed(text) : text;
    const auto bytes = Open(in_file);
    EXPECT_EQ(bytes->file_size(), static_cast<int64_t>(in_file.size()));
    EXPECT_EQ(bytes->Peek()->substr(0, 5), in_file.substr(0, 5));
    if (packed) {
      ASSERT_TRUE(bytes->StartInflating(Compression::kZlib).ok());
    }
    char some[3];
    EXPECT_EQ(*bytes->Read(some, 3), 3u);
    EXPECT_EQ(std::string(some, 3), "abc");
    EXPECT_EQ(*bytes->Skip(1'000'000), 1'000'000);
    std::string rest = "+";
    EXPECT_EQ(*bytes->Append(1'500'000, &rest), 1'500'000u);
    EXPECT_TRUE(rest == "+" + text.substr(1'000'003, 1'500'000));
    rest.clear();
    EXPECT_EQ(*bytes->Append(size_t{1} << 60, &rest), 499'997u);
    EXPECT_TRUE(rest == text.substr(2'500'003));
    EXPECT_EQ(*bytes->Append(1, &rest), 0u);
    EXPECT_EQ(*bytes->Skip(1), 0);
    EXPECT_EQ(*bytes->Read(some, 3), 0u);
  }
}

TEST_F(FileBytesTest, Errors) {
  EXPECT_EQ(FileBytes::Open(files_, dir_.File("missing")).status().code(), absl::StatusCode::kNotFound);
  const std::string packed = Packed("some text that is packed");
  for (const std::string& bad : {std::string("plain text"), packed.substr(0, packed.size() - 3), std::string()}) {
    const auto bytes = Open(bad);
    ASSERT_TRUE(bytes->StartInflating(Compression::kZlib).ok());
    std::string out;
    EXPECT_EQ(bytes->Append(1000, &out).status().code(), absl::StatusCode::kDataLoss);
  }
}

}  // namespace
}  // namespace flowlatch
