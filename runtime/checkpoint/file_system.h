// FileSystem: the calls that saving and loading make, so that tests can see what a failing disk does.
#ifndef FLOWLATCH_RUNTIME_CHECKPOINT_FILE_SYSTEM_H_
#define FLOWLATCH_RUNTIME_CHECKPOINT_FILE_SYSTEM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace flowlatch {

// Errors of all calls name the path and say what the system said; their codes follow errno: NotFound, PermissionDenied,
// ResourceExhausted (disk full), ...

// A file open for reading at any place. Thread-safe.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  virtual int64_t size() const = 0;
  // Errors: DataLoss when the file ends before `offset` + `size`. Requires: both >= 0.
  virtual absl::Status Read(int64_t offset, int64_t size, char* out) const = 0;
};

// A new file. Closed without Sync it may be lost when the machine fails.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual absl::Status Append(std::string_view bytes) = 0;
  // Hands what was written to the system: others see it, and it outlives this process, but perhaps not the machine.
  virtual absl::Status Flush() = 0;
  // Makes what was written durable. After an error the file counts as lost.
  virtual absl::Status Sync() = 0;
  virtual absl::Status Close() = 0;
};

// Held while a checkpoint is published, so that writers of one directory do not mix their files. Advisory.
class DirectoryLock {
 public:
  virtual ~DirectoryLock() = default;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // The system's own.
  static FileSystem& Default();

  // Errors also: InvalidArgument for what is no regular file.
  virtual absl::StatusOr<std::unique_ptr<ReadableFile>> Open(const std::string& path) = 0;
  // Replaces an existing file; never writes through a link.
  virtual absl::StatusOr<std::unique_ptr<WritableFile>> Create(const std::string& path) = 0;
  // Replaces `to` at once.
  virtual absl::Status Rename(const std::string& from, const std::string& to) = 0;
  virtual absl::Status Remove(const std::string& path) = 0;
  // Durable. OK if it exists; its parent must.
  virtual absl::Status CreateDirectory(const std::string& path) = 0;
  // Errors also: when it is not empty.
  virtual absl::Status RemoveDirectory(const std::string& path) = 0;
  // Makes creations, renames and removals in a directory durable.
  virtual absl::Status SyncDirectory(const std::string& directory) = 0;
  // The names of the files in a directory, sorted.
  virtual absl::StatusOr<std::vector<std::string>> List(const std::string& directory) = 0;
  // Waits for other holders. Where locks do not exist, an empty one.
  virtual std::unique_ptr<DirectoryLock> LockDirectory(const std::string& directory) = 0;
};

// A whole file. Errors also: ResourceExhausted for more than `limit` bytes.
absl::StatusOr<std::string> ReadFile(FileSystem& files, const std::string& path, int64_t limit);

// Replaces a file at once and durably: whoever opens it sees the old bytes or the new ones. Removes abandoned
// temporaries from its directory.
absl::Status WriteFileAtomically(FileSystem& files, const std::string& path, std::string_view bytes);

// A name beside `path` for a file that is not finished; nobody else has it. When this object goes, what is still under
// that name is abandoned.
class TemporaryName {
 public:
  explicit TemporaryName(const std::string& path);
  TemporaryName(TemporaryName&& other) noexcept;
  TemporaryName& operator=(TemporaryName&&) = delete;
  ~TemporaryName();
  const std::string& name() const { return name_; }

 private:
  uint64_t number_;  // 0 when moved from
  std::string name_;
};

// Whether `name` is of the form of a TemporaryName that is gone, or its process is.
bool IsAbandonedTemporary(std::string_view name);
// Those that can be removed. `names`: what List says.
void RemoveAbandonedTemporaries(FileSystem& files, const std::string& directory, const std::vector<std::string>& names);

// "a/b/c" is "a/b" and "c"; a path without a slash is in ".".
std::string DirectoryOf(const std::string& path);
std::string BaseName(const std::string& path);
std::string JoinPath(const std::string& directory, const std::string& name);

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_CHECKPOINT_FILE_SYSTEM_H_
