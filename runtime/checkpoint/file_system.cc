#include "runtime/checkpoint/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <random>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

// Part of the names of files that are not finished.
constexpr char kTemporaryMark[] = ".tempstate-";

absl::Status FromErrno(int error, const char* what, const std::string& path) {
  const std::string text = absl::StrCat("cannot ", what, " '", path, "'");
  if (error == EDQUOT) return absl::ResourceExhaustedError(absl::StrCat(text, ": disk quota exceeded"));
  return absl::ErrnoToStatus(error, text);
}

// The path that the system knows: names may be written as file:// URIs.
const char* Local(const std::string& path) {
  constexpr std::string_view kScheme = "file://";
  return path.c_str() + (path.rfind(kScheme, 0) == 0 ? kScheme.size() : 0);
}

// An open descriptor, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

class PosixReadableFile final : public ReadableFile {
 public:
  PosixReadableFile(int fd, std::string path, int64_t size) : fd_(fd), path_(std::move(path)), size_(size) {}
  int64_t size() const override { return size_; }
  absl::Status Read(int64_t offset, int64_t size, char* out) const override {
    while (size > 0) {
      const ssize_t got = pread(fd_.get(), out, static_cast<size_t>(size), offset);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return FromErrno(errno, "read", path_);
      if (got == 0)
        return absl::DataLossError(absl::StrCat("file '", path_, "': expected ", size, " bytes more at ", offset));
      out += got;
      offset += got;
      size -= got;
    }
    return absl::OkStatus();
  }

 private:
  const Descriptor fd_;
  const std::string path_;
  const int64_t size_;
};

// Small pieces are gathered to save calls.
class PosixWritableFile final : public WritableFile {
 public:
  PosixWritableFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  absl::Status Append(std::string_view bytes) override {
    if (buffer_.size() + bytes.size() <= kBufferBytes) {
      buffer_.append(bytes);
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(Flush());
    if (bytes.size() > kBufferBytes) return Write(bytes);
    buffer_.assign(bytes);
    return absl::OkStatus();
  }
  absl::Status Flush() override {
    RETURN_IF_ERROR(Write(buffer_));
    buffer_.clear();
    return absl::OkStatus();
  }
  absl::Status Sync() override {
    RETURN_IF_ERROR(Flush());
    return fsync(fd_.get()) == 0 ? absl::OkStatus() : FromErrno(errno, "sync", path_);
  }
  absl::Status Close() override {
    RETURN_IF_ERROR(Flush());
    return close(fd_.release()) == 0 || errno == EINTR ? absl::OkStatus() : FromErrno(errno, "close", path_);
  }

 private:
  static constexpr size_t kBufferBytes = 1 << 16;
  absl::Status Write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = write(fd_.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return FromErrno(errno, "write", path_);
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    return absl::OkStatus();
  }

  Descriptor fd_;
  const std::string path_;
  std::string buffer_;
};

class PosixDirectoryLock final : public DirectoryLock {
 public:
  explicit PosixDirectoryLock(int fd) : fd_(fd) {
    while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR) {
    }
  }

 private:
  const Descriptor fd_;  // closing it unlocks
};

class PosixFileSystem final : public FileSystem {
 public:
  absl::StatusOr<std::unique_ptr<ReadableFile>> Open(const std::string& path) override {
    // Not waiting for the other end of a pipe.
    Descriptor fd(open(Local(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd.get() < 0) return FromErrno(errno, "open", path);
    struct stat info;
    if (fstat(fd.get(), &info) != 0) return FromErrno(errno, "open", path);
    if (!S_ISREG(info.st_mode))
      return absl::InvalidArgumentError(absl::StrCat("'", path, "': expected a regular file"));
    return std::make_unique<PosixReadableFile>(fd.release(), path, info.st_size);
  }
  absl::StatusOr<std::unique_ptr<WritableFile>> Create(const std::string& path) override {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    int fd = open(Local(path), kFlags, 0666);
    if (fd < 0 && errno == EEXIST && unlink(Local(path)) == 0) fd = open(Local(path), kFlags, 0666);
    if (fd < 0) return FromErrno(errno, "create", path);
    return std::make_unique<PosixWritableFile>(fd, path);
  }
  absl::Status Rename(const std::string& from, const std::string& to) override {
    return rename(Local(from), Local(to)) == 0 ? absl::OkStatus() : FromErrno(errno, "rename to", to);
  }
  absl::Status Remove(const std::string& path) override {
    return unlink(Local(path)) == 0 ? absl::OkStatus() : FromErrno(errno, "remove", path);
  }
  absl::Status CreateDirectory(const std::string& path) override {
    if (mkdir(Local(path), 0777) != 0) return errno == EEXIST ? absl::OkStatus() : FromErrno(errno, "create", path);
    return SyncDirectory(DirectoryOf(path));
  }
  absl::Status RemoveDirectory(const std::string& path) override {
    return rmdir(Local(path)) == 0 ? absl::OkStatus() : FromErrno(errno, "remove", path);
  }
  absl::Status SyncDirectory(const std::string& directory) override {
    const Descriptor fd(open(Local(directory), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() < 0) return FromErrno(errno, "open", directory);
    // Some file systems know no sync of directories.
    if (fsync(fd.get()) != 0 && errno != EINVAL) return FromErrno(errno, "sync", directory);
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<std::string>> List(const std::string& directory) override {
    DIR* dir = opendir(Local(directory));
    if (dir == nullptr) return FromErrno(errno, "list", directory);
    std::vector<std::string> names;
    while (const dirent* entry = readdir(dir)) names.emplace_back(entry->d_name);
    closedir(dir);
    std::sort(names.begin(), names.end());
    return names;
  }
  std::unique_ptr<DirectoryLock> LockDirectory(const std::string& directory) override {
    return std::make_unique<PosixDirectoryLock>(open(Local(directory), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
};

}  // namespace

FileSystem& FileSystem::Default() {
  static FileSystem* const files = new PosixFileSystem;
  return *files;
}

absl::StatusOr<std::string> ReadFile(FileSystem& files, const std::string& path, int64_t limit) {
  ASSIGN_OR_RETURN(const std::unique_ptr<ReadableFile> file, files.Open(path));
  if (file->size() > limit) {
    return absl::ResourceExhaustedError(
        absl::StrCat("file '", path, "': expected at most ", limit, " bytes, got ", file->size()));
  }
  std::string bytes(static_cast<size_t>(file->size()), '\0');
  RETURN_IF_ERROR(file->Read(0, file->size(), bytes.data()));
  return bytes;
}

namespace {

// Tells this process from one before it that had the same id, as every first process of a container has.
uint32_t ProcessToken() {
  static const uint32_t token = std::random_device()();
  return token;
}

// The numbers of this process's TemporaryNames.
struct NumbersInUse {
  std::mutex mu;
  uint64_t last = 0;
  std::set<uint64_t> numbers;
};
NumbersInUse& InUse() {
  static NumbersInUse* const in_use = new NumbersInUse;
  return *in_use;
}

}  // namespace

absl::Status WriteFileAtomically(FileSystem& files, const std::string& path, std::string_view bytes) {
  const TemporaryName temporary(path);
  const absl::Status status = [&] {
    ASSIGN_OR_RETURN(const std::unique_ptr<WritableFile> file, files.Create(temporary.name()));
    RETURN_IF_ERROR(file->Append(bytes));
    RETURN_IF_ERROR(file->Sync());
    RETURN_IF_ERROR(file->Close());
    return files.Rename(temporary.name(), path);
  }();
  if (!status.ok()) {
    files.Remove(temporary.name()).IgnoreError();
    return status;
  }
  RETURN_IF_ERROR(files.SyncDirectory(DirectoryOf(path)));
  const absl::StatusOr<std::vector<std::string>> names = files.List(DirectoryOf(path));
  if (names.ok()) RemoveAbandonedTemporaries(files, DirectoryOf(path), *names);
  return absl::OkStatus();
}

TemporaryName::TemporaryName(const std::string& path) {
  NumbersInUse& in_use = InUse();
  const std::lock_guard<std::mutex> lock(in_use.mu);
  number_ = ++in_use.last;
  in_use.numbers.insert(number_);
  name_ = absl::StrCat(path, kTemporaryMark, getpid(), "-", ProcessToken(), "-", number_);
}

TemporaryName::TemporaryName(TemporaryName&& other) noexcept
    : number_(std::exchange(other.number_, 0)), name_(std::move(other.name_)) {}

TemporaryName::~TemporaryName() {
  NumbersInUse& in_use = InUse();
  const std::lock_guard<std::mutex> lock(in_use.mu);
  in_use.numbers.erase(number_);
}

bool IsAbandonedTemporary(std::string_view name) {
  const size_t mark = name.rfind(kTemporaryMark);
  if (mark == std::string_view::npos) return false;
  const std::vector<std::string> numbers =
      absl::StrSplit(std::string(name.substr(mark + sizeof kTemporaryMark - 1)), '-');
  int32_t pid = 0;
  uint32_t token = 0;
  uint64_t number = 0;
  if (numbers.size() != 3 || !absl::SimpleAtoi(numbers[0], &pid) || !absl::SimpleAtoi(numbers[1], &token) ||
      !absl::SimpleAtoi(numbers[2], &number)) {
    return false;
  }
  if (pid == getpid() && token != ProcessToken()) return true;
  if (pid == getpid()) {
    NumbersInUse& in_use = InUse();
    const std::lock_guard<std::mutex> lock(in_use.mu);
    return in_use.numbers.count(number) == 0;
  }
  return pid > 0 && kill(pid, 0) != 0 && errno == ESRCH;
}

void RemoveAbandonedTemporaries(FileSystem& files, const std::string& directory,
                                const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (IsAbandonedTemporary(name)) files.Remove(JoinPath(directory, name)).IgnoreError();
  }
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string BaseName(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string JoinPath(const std::string& directory, const std::string& name) {
  return directory.empty() || directory.back() == '/' ? directory + name : absl::StrCat(directory, "/", name);
}

}  // namespace flowlatch
