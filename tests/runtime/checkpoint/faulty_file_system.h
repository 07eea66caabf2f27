// FaultyFileSystem: the real file system, of which the Nth call that changes something fails.
#ifndef FLOWLATCH_TESTS_RUNTIME_CHECKPOINT_FAULTY_FILE_SYSTEM_H_
#define FLOWLATCH_TESTS_RUNTIME_CHECKPOINT_FAULTY_FILE_SYSTEM_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/checkpoint/file_system.h"

namespace flowlatch {

// Not thread-safe.
class FaultyFileSystem final : public FileSystem {
 public:
  // `persistent`: all calls after the Nth fail too, as on a disk that is full or gone.
  FaultyFileSystem(int fail_at, bool persistent) : fail_at_(fail_at), persistent_(persistent) {}
  // Whether the run was long enough to meet the fault.
  bool failed() const { return calls_ >= fail_at_; }

  absl::StatusOr<std::unique_ptr<ReadableFile>> Open(const std::string& path) override { return real_.Open(path); }
  absl::StatusOr<std::unique_ptr<WritableFile>> Create(const std::string& path) override {
    if (absl::Status status = Step("create", path); !status.ok()) return status;
    absl::StatusOr<std::unique_ptr<WritableFile>> file = real_.Create(path);
    if (!file.ok()) return file.status();
    return std::make_unique<File>(this, path, *std::move(file));
  }
  absl::Status Rename(const std::string& from, const std::string& to) override {
    absl::Status status = Step("rename", to);
    return status.ok() ? real_.Rename(from, to) : status;
  }
  absl::Status Remove(const std::string& path) override {
    absl::Status status = Step("remove", path);
    return status.ok() ? real_.Remove(path) : status;
  }
  absl::Status CreateDirectory(const std::string& path) override {
    absl::Status status = Step("create directory", path);
    return status.ok() ? real_.CreateDirectory(path) : status;
  }
  absl::Status RemoveDirectory(const std::string& path) override {
    absl::Status status = Step("remove directory", path);
    return status.ok() ? real_.RemoveDirectory(path) : status;
  }
  absl::Status SyncDirectory(const std::string& directory) override {
    absl::Status status = Step("sync", directory);
    return status.ok() ? real_.SyncDirectory(directory) : status;
  }
  absl::StatusOr<std::vector<std::string>> List(const std::string& directory) override { return real_.List(directory); }
  std::unique_ptr<DirectoryLock> LockDirectory(const std::string& directory) override {
    return real_.LockDirectory(directory);
  }

 private:
  class File final : public WritableFile {
   public:
    File(FaultyFileSystem* files, std::string path, std::unique_ptr<WritableFile> real)
        : files_(files), path_(std::move(path)), real_(std::move(real)) {}
    // A failing write leaves half of the bytes.
    absl::Status Append(std::string_view bytes) override {
      absl::Status status = files_->Step("write", path_);
      if (status.ok()) return real_->Append(bytes);
      real_->Append(bytes.substr(0, bytes.size() / 2)).IgnoreError();
      return status;
    }
    absl::Status Sync() override {
      absl::Status status = files_->Step("sync", path_);
      return status.ok() ? real_->Sync() : status;
    }
    absl::Status Close() override {
      absl::Status status = files_->Step("close", path_);
      return status.ok() ? real_->Close() : status;
    }

   private:
    FaultyFileSystem* const files_;
    const std::string path_;
    const std::unique_ptr<WritableFile> real_;
  };

  absl::Status Step(const char* what, const std::string& path) {
    ++calls_;
    if (calls_ != fail_at_ && !(persistent_ && calls_ > fail_at_)) return absl::OkStatus();
    return absl::ResourceExhaustedError("cannot " + std::string(what) + " '" + path + "': no space left");
  }

  FileSystem& real_ = FileSystem::Default();
  const int fail_at_;
  const bool persistent_;
  int calls_ = 0;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_RUNTIME_CHECKPOINT_FAULTY_FILE_SYSTEM_H_
