// Record files (TFRecord): strings one after another, each with checksums of its length and of its bytes; the whole file may
// be compressed. What is read comes from files and is never trusted.
//
//   u64 length, u32 masked CRC-32C of the length, the bytes, u32 masked CRC-32C of the bytes; all little-endian
#ifndef FLOWLATCH_RUNTIME_DATA_RECORD_FILE_H_
#define FLOWLATCH_RUNTIME_DATA_RECORD_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/checkpoint/file_system.h"
#include "runtime/data/file_bytes.h"

namespace flowlatch {

struct RecordReaderOptions {
  std::optional<Compression> compression;  // nullopt: what the first bytes say
  int64_t max_record_bytes = int64_t{1} << 30;
  int64_t first_offset = 0;  // where a record begins, in the (inflated) bytes: the first one to read
};

// Reads a file from its beginning to its end. Not thread-safe.
class RecordReader {
 public:
  using Options = RecordReaderOptions;
  // Errors: those of FileSystem::Open.
  static absl::StatusOr<std::unique_ptr<RecordReader>> Open(FileSystem& files, const std::string& path, Options options = {});
  ~RecordReader();

  // The next record; false at the end of the file, and then `record` is what it was.
  // Errors, which name the file and the offset of the record in the (inflated) bytes: DataLoss for a wrong checksum, an end
  // inside a record and compressed bytes that are not; ResourceExhausted beyond max_record_bytes. When only a record's bytes
  // are wrong the next call goes on behind it; after all other errors every call gives the same one.
  absl::StatusOr<bool> Next(std::string* record);

  // Where the next record begins, in the (inflated) bytes.
  int64_t offset() const { return offset_; }
  const std::string& path() const { return path_; }
  Compression compression() const { return compression_; }

 private:
  RecordReader(std::string path, std::unique_ptr<FileBytes> bytes, Compression compression, int64_t max_record_bytes);
  absl::Status At(absl::StatusCode code, absl::string_view what) const;
  // Remembers an error from which there is no way on.
  absl::Status Fail(absl::StatusCode code, absl::string_view what);

  const std::string path_;
  const std::unique_ptr<FileBytes> bytes_;
  const Compression compression_;
  const int64_t max_record_bytes_;
  int64_t offset_ = 0;
  absl::Status failure_;
};

// Writes a new file. Not thread-safe. What was not closed may be lost; what was flushed survives the process.
class RecordWriter {
 public:
  // Replaces an existing file. Errors: those of FileSystem::Create.
  static absl::StatusOr<std::unique_ptr<RecordWriter>> Create(FileSystem& files, const std::string& path,
                                                              Compression compression = Compression::kNone);
  ~RecordWriter();

  // Errors of all: those of the file, for good. After Close only Close may be called.
  absl::Status Append(std::string_view record);
  absl::Status Flush();
  absl::Status Close();

 private:
  class Deflater;
  RecordWriter(std::unique_ptr<WritableFile> file, std::unique_ptr<Deflater> deflater);
  absl::Status Write(std::string_view bytes);

  std::unique_ptr<WritableFile> file_;       // null once closed
  const std::unique_ptr<Deflater> deflater_;  // null: as it is
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_DATA_RECORD_FILE_H_
