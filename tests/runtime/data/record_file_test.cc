#include "runtime/data/record_file.h"

#include <cstring>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/checkpoint/crc32c.h"
#include "tests/runtime/checkpoint/faulty_file_system.h"
#include "tests/runtime/checkpoint/temp_directory.h"

namespace flowlatch {
namespace {

using testing::HasSubstr;

constexpr int64_t kNoLimit = int64_t{1} << 40;

class RecordFileTest : public testing::Test {
 protected:
  void Write(const std::vector<std::string>& records, Compression compression = Compression::kNone) {
    const auto writer = RecordWriter::Create(files_, path_, compression);
    ASSERT_TRUE(writer.ok()) << writer.status();
    for (const std::string& record : records) ASSERT_TRUE((*writer)->Append(record).ok());
    ASSERT_TRUE((*writer)->Close().ok());
    EXPECT_TRUE((*writer)->Close().ok()) << "once is enough";
  }
  // All records, and why there are no more of them.
  absl::Status Read(std::vector<std::string>* records, RecordReader::Options options = {}) {
    records->clear();
    const auto reader = RecordReader::Open(files_, path_, options);
    if (!reader.ok()) return reader.status();
    std::string record;
    while (true) {
      const absl::StatusOr<bool> more = (*reader)->Next(&record);
      if (!more.ok()) return more.status();
      if (!*more) return absl::OkStatus();
      records->push_back(record);
    }
  }
  std::string Bytes() const { return *ReadFile(files_, path_, kNoLimit); }
  void SetBytes(const std::string& bytes) { ASSERT_TRUE(WriteFileAtomically(files_, path_, bytes).ok()); }

  FileSystem& files_ = FileSystem::Default();
  const TempDirectory dir_;
  const std::string path_ = dir_.File("data.tfrecord");
};

TEST_F(RecordFileTest, ReadsWhatWasWritten) {
  const std::vector<std::string> cases[] = {
      {}, {""}, {"one", "", "three"}, {std::string(100'000, 'x'), "y", std::string(3'000'000, '\0')}};
  for (const std::vector<std::string>& records : cases) {
    for (const Compression compression : {Compression::kNone, Compression::kGzip, Compression::kZlib}) {
      Write(records, compression);
      std::vector<std::string> got;
      EXPECT_TRUE(Read(&got).ok());
      EXPECT_EQ(got, records) << "told from the bytes, " << static_cast<int>(compression);
      EXPECT_TRUE(Read(&got, {.compression = compression}).ok());
      EXPECT_EQ(got, records);
    }
  }
}

TEST_F(RecordFileTest, LayoutIsTensorFlows) {
  Write({"abc"});
  // As tf.io.TFRecordWriter of TensorFlow 2.21 writes it.
  EXPECT_EQ(Bytes(), std::string("\x03\0\0\0\0\0\0\0\xb0\x99\x49\x0e" "abc" "\x6e\x57\xf1\x21", 19));
}

TEST_F(RecordFileTest, FlushedRecordsCanBeRead) {
  for (const Compression compression : {Compression::kNone, Compression::kGzip}) {
    const auto writer = RecordWriter::Create(files_, path_, compression);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->Append("first").ok());
    EXPECT_EQ(Bytes(), "");
    ASSERT_TRUE((*writer)->Flush().ok());
    const auto reader = RecordReader::Open(files_, path_, {.compression = compression});
    std::string record;
    ASSERT_TRUE((*reader)->Next(&record).ok());
    EXPECT_EQ(record, "first");
  }
}

TEST_F(RecordFileTest, TwoGzipFilesInOne) {
  Write({"a"}, Compression::kGzip);
  const std::string first = Bytes();
  Write({"b"}, Compression::kGzip);
  SetBytes(first + Bytes());
  std::vector<std::string> got;
  EXPECT_TRUE(Read(&got).ok());
  EXPECT_THAT(got, testing::ElementsAre("a", "b"));
}

TEST_F(RecordFileTest, EveryDamagedByteIsSeen) {
  Write({"some bytes", "more"});
  const std::string good = Bytes();
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 0x10;
    SetBytes(bad);
    std::vector<std::string> got;
    const absl::Status status = Read(&got, {.compression = Compression::kNone});
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << i;
    EXPECT_THAT(std::string(status.message()), HasSubstr(path_));
    EXPECT_THAT(std::string(status.message()), HasSubstr(i < 26 ? "record at 0:" : "record at 26:")) << i;
  }
}

TEST_F(RecordFileTest, EveryTruncationIsSeen) {
  for (const Compression compression : {Compression::kNone, Compression::kZlib}) {
    Write({"some bytes", "more"}, compression);
    const std::string good = Bytes();
    for (size_t size = 1; size < good.size(); ++size) {
      SetBytes(good.substr(0, size));
      std::vector<std::string> got;
      const absl::Status status = Read(&got, {.compression = compression});
      const bool whole = compression == Compression::kNone && size == 26;
      EXPECT_EQ(status.code(), whole ? absl::StatusCode::kOk : absl::StatusCode::kDataLoss) << size;
    }
  }
}

TEST_F(RecordFileTest, GoesOnBehindDamagedBytes) {
  Write({"one", "two"});
  std::string bytes = Bytes();
  bytes[13] ^= 1;
  SetBytes(bytes);
  const auto reader = RecordReader::Open(files_, path_);
  std::string record = "as it was";
  EXPECT_EQ((*reader)->Next(&record).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(record, "as it was");
  EXPECT_EQ((*reader)->offset(), 19);
  EXPECT_TRUE(*(*reader)->Next(&record));
  EXPECT_EQ(record, "two");
  EXPECT_FALSE(*(*reader)->Next(&record));
  // After a damaged length there is no way on.
  bytes[0] ^= 1;
  SetBytes(bytes);
  const auto stuck = RecordReader::Open(files_, path_);
  const absl::Status first = (*stuck)->Next(&record).status();
  EXPECT_EQ(first.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ((*stuck)->Next(&record).status(), first);
}

TEST_F(RecordFileTest, LengthsAreNotTrusted) {
  std::string huge(12, '\0');
  const uint64_t length = ~uint64_t{0} - 3;
  std::memcpy(huge.data(), &length, 8);
  uint32_t crc = MaskCrc(Crc32c(huge.substr(0, 8)));
  std::memcpy(huge.data() + 8, &crc, 4);
  SetBytes(huge);
  std::vector<std::string> got;
  EXPECT_EQ(Read(&got).code(), absl::StatusCode::kResourceExhausted);
  Write({"four"});
  EXPECT_EQ(Read(&got, {.max_record_bytes = 3}).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(Read(&got, {.max_record_bytes = 4}).ok());
}

TEST_F(RecordFileTest, GarbageIsNoCompressedFile) {
  std::vector<std::string> got;
  SetBytes("\x1f\x8b garbage behind the magic of gzip");
  EXPECT_THAT(std::string(Read(&got).message()), HasSubstr("compressed bytes"));
  SetBytes("neither");
  EXPECT_EQ(Read(&got).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(RecordReader::Open(files_, dir_.File("none")).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(RecordReader::Open(files_, dir_.path()).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(RecordFileTest, FailingDisksAreReported) {
  for (const Compression compression : {Compression::kNone, Compression::kGzip}) {
    for (int fail_at = 1;; ++fail_at) {
      FaultyFileSystem faulty({.at = fail_at, .persistent = true});
      const auto write = [&]() -> absl::Status {
        const auto writer = RecordWriter::Create(faulty, path_, compression);
        if (!writer.ok()) return writer.status();
        if (absl::Status status = (*writer)->Append("record"); !status.ok()) return status;
        if (absl::Status status = (*writer)->Flush(); !status.ok()) return status;
        return (*writer)->Close();
      };
      const absl::Status status = write();
      EXPECT_EQ(status.ok(), !faulty.failed()) << fail_at << ": " << status;
      if (!faulty.failed()) break;
      EXPECT_THAT(std::string(status.message()), HasSubstr(path_));
    }
  }
}

}  // namespace
}  // namespace flowlatch
