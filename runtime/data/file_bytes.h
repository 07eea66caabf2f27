// FileBytes: the bytes of a file, one after another, inflated if they are compressed.
#ifndef FLOWLATCH_RUNTIME_DATA_FILE_BYTES_H_
#define FLOWLATCH_RUNTIME_DATA_FILE_BYTES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/checkpoint/file_system.h"

namespace flowlatch {

enum class Compression { kNone, kGzip, kZlib };

// Not thread-safe. Errors of all: those of the file, and DataLoss for compressed bytes that are not, or that end too soon.
class FileBytes {
 public:
  // Errors: those of FileSystem::Open.
  static absl::StatusOr<std::unique_ptr<FileBytes>> Open(FileSystem& files, const std::string& path);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  // Of the file as it lies there.
  int64_t file_size() const;
  // What comes next in the file as it lies there, as far as it is in memory; empty at the end only.
  absl::StatusOr<std::string_view> Peek();
  // From here on the bytes are inflated; several compressed files in a row are one. Once at most.
  absl::Status StartInflating(Compression compression);

  // How many bytes it got: fewer than `size` only at the end.
  absl::StatusOr<size_t> Read(char* out, size_t size);
  // Appends `size` bytes, or those that there are, and takes no memory for others. Gives how many.
  absl::StatusOr<size_t> Append(size_t size, std::string* out);
  // Passes over `size` bytes, or those that there are. Gives how many.
  absl::StatusOr<int64_t> Skip(int64_t size);

 private:
  class Inflater;
  explicit FileBytes(std::unique_ptr<ReadableFile> file);
  absl::Status Fill();
  absl::StatusOr<size_t> Copy(char* out, size_t size);

  const std::unique_ptr<ReadableFile> file_;
  int64_t file_offset_ = 0;  // of what comes after buffer_
  std::string buffer_;
  std::string_view available_;          // the rest of buffer_
  std::unique_ptr<Inflater> inflater_;  // null for bytes as they are
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_DATA_FILE_BYTES_H_
