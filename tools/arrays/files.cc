#include "tools/arrays/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace flowlatch {
namespace {

absl::Status FileError(int error, std::string_view verb, const std::string& path) {
  return absl::ErrnoToStatus(error, absl::StrCat(std::string(verb), " '", path, "'"));
}

}  // namespace

absl::StatusOr<std::string> ReadBytes(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return FileError(errno, "open", path);
  const absl::Cleanup close_file = [file] { close(file); };
  struct stat info;
  if (fstat(file, &info) != 0) return FileError(errno, "stat", path);
  if (S_ISDIR(info.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat("read '", path, "': expected a file, got a folder"));
  }
  std::string bytes;
  // The size is a hint: pipes have none, and files may grow.
  size_t capacity = info.st_size > 0 ? static_cast<size_t>(info.st_size) + 1 : 64 << 10;
  for (size_t used = 0;;) {
    bytes.resize(capacity);
    const ssize_t n = read(file, bytes.data() + used, capacity - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FileError(errno, "read", path);
    used += static_cast<size_t>(n);
    if (n == 0) {
      bytes.resize(used);
      return bytes;
    }
    if (used == capacity) capacity *= 2;
  }
}

absl::Status WriteBytes(const std::string& path, std::string_view bytes) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return FileError(errno, "create", path);
  int error = 0;
  while (!bytes.empty() && error == 0) {
    const ssize_t n = write(file, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<size_t>(n));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (close(file) != 0 && error == 0) error = errno;
  return error == 0 ? absl::OkStatus() : FileError(error, "write", path);
}

}  // namespace flowlatch
