// FaultyFileSystem: a file system of which the Nth call fails.
#ifndef FLOWLATCH_TESTS_RUNTIME_CHECKPOINT_FAULTY_FILE_SYSTEM_H_
#define FLOWLATCH_TESTS_RUNTIME_CHECKPOINT_FAULTY_FILE_SYSTEM_H_

#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/checkpoint/file_system.h"

namespace flowlatch {

struct Fault {
  enum class Calls { kChanges, kSyncs, kReads };  // those that count, and of which one fails
  int at = 1;
  bool persistent = false;  // all calls after the Nth fail too, as on a disk that is full or gone
  int error = ENOSPC;
  Calls calls = Calls::kChanges;  // syncs are changes too
};

// Not thread-safe.
class FaultyFileSystem final : public FileSystem {
 public:
  explicit FaultyFileSystem(const Fault& fault, FileSystem& real = FileSystem::Default())
      : fault_(fault), real_(real) {}
  // Whether the run was long enough to meet the fault.
  bool failed() const { return calls_ >= fault_.at; }

  absl::StatusOr<std::unique_ptr<ReadableFile>> Open(const std::string& path) override {
    if (absl::Status status = Step(Fault::Calls::kReads, "open", path); !status.ok()) return status;
    absl::StatusOr<std::unique_ptr<ReadableFile>> file = real_.Open(path);
    if (!file.ok()) return file.status();
    return std::make_unique<Reader>(this, path, *std::move(file));
  }
  absl::StatusOr<std::unique_ptr<WritableFile>> Create(const std::string& path) override {
    if (absl::Status status = Step(Fault::Calls::kChanges, "create", path); !status.ok()) return status;
    absl::StatusOr<std::unique_ptr<WritableFile>> file = real_.Create(path);
    if (!file.ok()) return file.status();
    return std::make_unique<Writer>(this, path, *std::move(file));
  }
  absl::Status Rename(const std::string& from, const std::string& to) override {
    absl::Status status = Step(Fault::Calls::kChanges, "rename to", to);
    return status.ok() ? real_.Rename(from, to) : status;
  }
  absl::Status Remove(const std::string& path) override {
    absl::Status status = Step(Fault::Calls::kChanges, "remove", path);
    return status.ok() ? real_.Remove(path) : status;
  }
  absl::Status CreateDirectory(const std::string& path) override {
    absl::Status status = Step(Fault::Calls::kChanges, "create", path);
    return status.ok() ? real_.CreateDirectory(path) : status;
  }
  absl::Status RemoveDirectory(const std::string& path) override {
    absl::Status status = Step(Fault::Calls::kChanges, "remove", path);
    return status.ok() ? real_.RemoveDirectory(path) : status;
  }
  absl::Status SyncDirectory(const std::string& directory) override {
    absl::Status status = Step(Fault::Calls::kSyncs, "sync", directory);
    return status.ok() ? real_.SyncDirectory(directory) : status;
  }
  absl::StatusOr<std::vector<std::string>> List(const std::string& directory) override {
    absl::Status status = Step(Fault::Calls::kReads, "list", directory);
    if (!status.ok()) return status;
    return real_.List(directory);
  }
  std::unique_ptr<DirectoryLock> LockDirectory(const std::string& directory) override {
    return real_.LockDirectory(directory);
  }

 private:
  class Reader final : public ReadableFile {
   public:
    Reader(FaultyFileSystem* files, std::string path, std::unique_ptr<ReadableFile> real)
        : files_(files), path_(std::move(path)), real_(std::move(real)) {}
    int64_t size() const override { return real_->size(); }
    absl::Status Read(int64_t offset, int64_t size, char* out) const override {
      absl::Status status = files_->Step(Fault::Calls::kReads, "read", path_);
      return status.ok() ? real_->Read(offset, size, out) : status;
    }

   private:
    FaultyFileSystem* const files_;
    const std::string path_;
    const std::unique_ptr<ReadableFile> real_;
  };

  class Writer final : public WritableFile {
   public:
    Writer(FaultyFileSystem* files, std::string path, std::unique_ptr<WritableFile> real)
        : files_(files), path_(std::move(path)), real_(std::move(real)) {}
    // A failing write is a short one: half of the bytes are there.
    absl::Status Append(std::string_view bytes) override {
      absl::Status status = files_->Step(Fault::Calls::kChanges, "write", path_);
      if (status.ok()) return real_->Append(bytes);
      real_->Append(bytes.substr(0, bytes.size() / 2)).IgnoreError();
      return status;
    }
    absl::Status Flush() override {
      absl::Status status = files_->Step(Fault::Calls::kChanges, "flush", path_);
      return status.ok() ? real_->Flush() : status;
    }
    absl::Status Sync() override {
      absl::Status status = files_->Step(Fault::Calls::kSyncs, "sync", path_);
      return status.ok() ? real_->Sync() : status;
    }
    absl::Status Close() override {
      absl::Status status = files_->Step(Fault::Calls::kChanges, "close", path_);
      return status.ok() ? real_->Close() : status;
    }

   private:
    FaultyFileSystem* const files_;
    const std::string path_;
    const std::unique_ptr<WritableFile> real_;
  };

  absl::Status Step(Fault::Calls kind, const char* what, const std::string& path) {
    const bool counts =
        kind == fault_.calls || (kind == Fault::Calls::kSyncs && fault_.calls == Fault::Calls::kChanges);
    if (!counts) return absl::OkStatus();
    ++calls_;
    if (calls_ != fault_.at && !(fault_.persistent && calls_ > fault_.at)) return absl::OkStatus();
    return absl::ErrnoToStatus(fault_.error, "cannot " + std::string(what) + " '" + path + "'");
  }

  const Fault fault_;
  FileSystem& real_;
  int calls_ = 0;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_RUNTIME_CHECKPOINT_FAULTY_FILE_SYSTEM_H_
