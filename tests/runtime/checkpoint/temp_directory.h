// TempDirectory: a directory of a test's own, removed at its end.
#ifndef FLOWLATCH_TESTS_RUNTIME_CHECKPOINT_TEMP_DIRECTORY_H_
#define FLOWLATCH_TESTS_RUNTIME_CHECKPOINT_TEMP_DIRECTORY_H_

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace flowlatch {

class TempDirectory {
 public:
  TempDirectory() : path_(testing::TempDir() + "/flowlatch-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "cannot create " << path_;
  }
  ~TempDirectory() { std::filesystem::remove_all(path_); }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }
  // Sorted.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::string path_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_RUNTIME_CHECKPOINT_TEMP_DIRECTORY_H_
