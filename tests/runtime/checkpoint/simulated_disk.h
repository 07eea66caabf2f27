// SimulatedDisk: a file system in memory that knows what a power failure would leave of it.
#ifndef FLOWLATCH_TESTS_RUNTIME_CHECKPOINT_SIMULATED_DISK_H_
#define FLOWLATCH_TESTS_RUNTIME_CHECKPOINT_SIMULATED_DISK_H_

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/checkpoint/file_system.h"

namespace flowlatch {

// Bytes are durable once their file was synced, names once their directory was. Directories are durable at once.
// Not thread-safe.
class SimulatedDisk final : public FileSystem {
 public:
  // The power goes before the Nth change: it and all that follow fail.
  void PowerOffAt(int change) { off_at_ = change; }
  int num_changes() const { return changes_; }

  // The disk after the power came back. Of what was not durable, a random part is there: any of the changes of names,
  // in their order, and of the bytes of a file a random number, some of them as zeros.
  std::unique_ptr<SimulatedDisk> AfterPowerFailure(std::mt19937_64& random) const {
    Directories names = durable_;
    for (const Change& change : pending_) {
      if (random() % 2 == 0) Apply(change, names);
    }
    auto disk = std::make_unique<SimulatedDisk>();
    std::map<const File*, FilePtr> copies;
    for (const auto& [directory, files] : names) {
      for (const auto& [name, file] : files) {
        FilePtr& copy = copies[file.get()];
        if (copy == nullptr) copy = Damaged(*file, random);
        disk->now_[directory][name] = copy;
      }
    }
    disk->durable_ = disk->now_;
    return disk;
  }

  absl::StatusOr<std::unique_ptr<ReadableFile>> Open(const std::string& path) override {
    const FilePtr file = Find(path);
    if (file == nullptr) return NotFound("open", path);
    return std::make_unique<Reader>(path, file);
  }
  absl::StatusOr<std::unique_ptr<WritableFile>> Create(const std::string& path) override {
    if (absl::Status status = Step(path); !status.ok()) return status;
    auto file = std::make_shared<File>();
    Do({{path, file}});
    return std::make_unique<Writer>(this, path, std::move(file));
  }
  absl::Status Rename(const std::string& from, const std::string& to) override {
    if (absl::Status status = Step(to); !status.ok()) return status;
    const FilePtr file = Find(from);
    if (file == nullptr) return NotFound("rename", from);
    Do({{from, nullptr}, {to, file}});
    return absl::OkStatus();
  }
  absl::Status Remove(const std::string& path) override {
    if (absl::Status status = Step(path); !status.ok()) return status;
    if (Find(path) == nullptr) return NotFound("remove", path);
    Do({{path, nullptr}});
    return absl::OkStatus();
  }
  absl::Status CreateDirectory(const std::string& path) override { return Step(path); }
  absl::Status RemoveDirectory(const std::string& path) override { return Step(path); }
  absl::Status SyncDirectory(const std::string& directory) override {
    if (absl::Status status = Step(directory); !status.ok()) return status;
    durable_[directory] = now_[directory];
    for (Change& change : pending_) {
      const auto is_here = [&](const auto& entry) { return DirectoryOf(entry.first) == directory; };
      change.erase(std::remove_if(change.begin(), change.end(), is_here), change.end());
    }
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<std::string>> List(const std::string& directory) override {
    std::vector<std::string> names;
    const auto files = now_.find(directory);
    if (files == now_.end()) return names;
    for (const auto& [name, file] : files->second) names.push_back(name);
    return names;
  }
  std::unique_ptr<DirectoryLock> LockDirectory(const std::string&) override {
    return std::make_unique<DirectoryLock>();
  }

 private:
  struct File {
    std::string bytes;
    size_t num_durable = 0;
  };
  using FilePtr = std::shared_ptr<File>;
  using Directories = std::map<std::string, std::map<std::string, FilePtr>>;
  using Change = std::vector<std::pair<std::string, FilePtr>>;  // path -> file; null: none

  class Reader final : public ReadableFile {
   public:
    Reader(std::string path, FilePtr file) : path_(std::move(path)), file_(std::move(file)) {}
    int64_t size() const override { return static_cast<int64_t>(file_->bytes.size()); }
    absl::Status Read(int64_t offset, int64_t size, char* out) const override {
      if (offset + size > this->size()) return absl::DataLossError("file '" + path_ + "' ends early");
      memcpy(out, file_->bytes.data() + offset, static_cast<size_t>(size));
      return absl::OkStatus();
    }

   private:
    const std::string path_;
    const FilePtr file_;
  };

  class Writer final : public WritableFile {
   public:
    Writer(SimulatedDisk* disk, std::string path, FilePtr file)
        : disk_(disk), path_(std::move(path)), file_(std::move(file)) {}
    absl::Status Append(std::string_view bytes) override {
      absl::Status status = disk_->Step(path_);
      if (status.ok()) file_->bytes.append(bytes);
      return status;
    }
    absl::Status Flush() override { return disk_->Step(path_); }
    absl::Status Sync() override {
      absl::Status status = disk_->Step(path_);
      if (status.ok()) file_->num_durable = file_->bytes.size();
      return status;
    }
    absl::Status Close() override { return disk_->Step(path_); }

   private:
    SimulatedDisk* const disk_;
    const std::string path_;
    const FilePtr file_;
  };

  absl::Status Step(const std::string& path) {
    if (changes_ < off_at_) ++changes_;
    if (changes_ < off_at_) return absl::OkStatus();
    return absl::UnavailableError("the power is off for '" + path + "'");
  }

  static absl::Status NotFound(const char* what, const std::string& path) {
    return absl::NotFoundError(absl::StrCat("cannot ", what, " '", path, "'"));
  }

  static void Apply(const Change& change, Directories& directories) {
    for (const auto& [path, file] : change) {
      auto& files = directories[DirectoryOf(path)];
      if (file != nullptr) {
        files[BaseName(path)] = file;
      } else {
        files.erase(BaseName(path));
      }
    }
  }

  void Do(Change change) {
    Apply(change, now_);
    pending_.push_back(std::move(change));
  }

  FilePtr Find(const std::string& path) const {
    const auto directory = now_.find(DirectoryOf(path));
    if (directory == now_.end()) return nullptr;
    const auto file = directory->second.find(BaseName(path));
    return file != directory->second.end() ? file->second : nullptr;
  }

  static FilePtr Damaged(const File& file, std::mt19937_64& random) {
    auto left = std::make_shared<File>();
    const size_t lost = file.bytes.size() - file.num_durable;
    left->bytes = file.bytes.substr(0, file.num_durable + random() % (lost + 1));
    const size_t unsure = left->bytes.size() - file.num_durable;
    const size_t zeros = random() % 3 == 0 ? random() % (unsure + 1) : 0;
    std::fill_n(left->bytes.end() - static_cast<std::ptrdiff_t>(zeros), zeros, '\0');
    left->num_durable = left->bytes.size();
    return left;
  }

  Directories now_, durable_;
  std::vector<Change> pending_;
  int off_at_ = std::numeric_limits<int>::max();
  int changes_ = 0;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_RUNTIME_CHECKPOINT_SIMULATED_DISK_H_
