#include "runtime/checkpoint/file_system.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/runtime/checkpoint/faulty_file_system.h"
#include "tests/runtime/checkpoint/temp_directory.h"

namespace flowlatch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kNoLimit = int64_t{1} << 40;

TEST(FileSystemTest, WritesReadsAndLists) {
  const TempDirectory dir;
  FileSystem& files = FileSystem::Default();
  const std::string large(300000, 'x');
  absl::StatusOr<std::unique_ptr<WritableFile>> file = files.Create(dir.File("a"));
  ASSERT_TRUE(file.ok()) << file.status();
  for (const std::string& piece : {std::string("one "), large, std::string(" two")})
    ASSERT_TRUE((*file)->Append(piece).ok());
  ASSERT_TRUE((*file)->Sync().ok());
  ASSERT_TRUE((*file)->Close().ok());
  EXPECT_EQ(*ReadFile(files, dir.File("a"), kNoLimit), "one " + large + " two");
  EXPECT_THAT(dir.Names(), ElementsAre("a"));
  EXPECT_EQ(ReadFile(files, dir.File("a"), 100).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(FileSystemTest, PathsMayBeFileUris) {
  const TempDirectory dir;
  FileSystem& files = FileSystem::Default();
  ASSERT_TRUE(WriteFileAtomically(files, "file://" + dir.File("a"), "text").ok());
  EXPECT_EQ(*ReadFile(files, "file://" + dir.File("a"), kNoLimit), "text");
  EXPECT_THAT(dir.Names(), ElementsAre("a"));
}

TEST(FileSystemTest, ErrorsNameThePathAndFollowTheSystem) {
  const TempDirectory dir;
  FileSystem& files = FileSystem::Default();
  const absl::Status missing = files.Open(dir.File("none")).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.message()), HasSubstr(dir.File("none")));
  EXPECT_EQ(files.Open(dir.path()).status().code(), absl::StatusCode::kInvalidArgument) << "a directory";
  ASSERT_EQ(mkfifo(dir.File("pipe").c_str(), 0600), 0);
  EXPECT_EQ(files.Open(dir.File("pipe")).status().code(), absl::StatusCode::kInvalidArgument) << "must not wait";
  EXPECT_EQ(files.Create(dir.File("none/x")).status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(files.Create(dir.File(std::string(300, 'n'))).ok());
  EXPECT_EQ(files.Remove(dir.File("none")).code(), absl::StatusCode::kNotFound);
}

TEST(FileSystemTest, ReadBeyondTheEndIsDataLoss) {
  const TempDirectory dir;
  ASSERT_TRUE(WriteFileAtomically(FileSystem::Default(), dir.File("a"), "12345").ok());
  const std::unique_ptr<ReadableFile> file = *FileSystem::Default().Open(dir.File("a"));
  char buffer[8];
  EXPECT_TRUE(file->Read(2, 3, buffer).ok());
  EXPECT_EQ(file->Read(2, 4, buffer).code(), absl::StatusCode::kDataLoss);
}

TEST(FileSystemTest, CreateNeverWritesThroughALink) {
  const TempDirectory dir;
  FileSystem& files = FileSystem::Default();
  ASSERT_TRUE(WriteFileAtomically(files, dir.File("target"), "precious").ok());
  ASSERT_EQ(symlink(dir.File("target").c_str(), dir.File("link").c_str()), 0);
  const std::unique_ptr<WritableFile> file = *files.Create(dir.File("link"));
  ASSERT_TRUE(file->Append("x").ok());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(*ReadFile(files, dir.File("target"), kNoLimit), "precious");
  EXPECT_EQ(*ReadFile(files, dir.File("link"), kNoLimit), "x");
}

TEST(FileSystemTest, FailedAtomicWriteLeavesTheOldFile) {
  const TempDirectory dir;
  ASSERT_TRUE(WriteFileAtomically(FileSystem::Default(), dir.File("a"), "old").ok());
  for (int fail_at = 1;; ++fail_at) {
    FaultyFileSystem files({.at = fail_at});
    const absl::Status status = WriteFileAtomically(files, dir.File("a"), "new");
    const std::string now = *ReadFile(FileSystem::Default(), dir.File("a"), kNoLimit);
    if (!files.failed()) {
      EXPECT_TRUE(status.ok());
      EXPECT_EQ(now, "new");
      EXPECT_GT(fail_at, 4);
      break;
    }
    EXPECT_FALSE(status.ok());
    EXPECT_TRUE(now == "old" || now == "new") << now;
    EXPECT_THAT(dir.Names(), ElementsAre("a"));
  }
}

TEST(FileSystemTest, TemporariesOfDeadProcessesAreAbandoned) {
  std::string released;
  {
    const TemporaryName name("a");
    EXPECT_FALSE(IsAbandonedTemporary(name.name()));
    EXPECT_NE(TemporaryName("a").name(), name.name());
    released = name.name();
  }
  EXPECT_TRUE(IsAbandonedTemporary(released)) << "what could not be removed";
  TemporaryName moved("a");
  const TemporaryName in_use(std::move(moved));
  const std::string& own = in_use.name();
  EXPECT_FALSE(IsAbandonedTemporary(own));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  const std::string dead = "a.tempstate-" + std::to_string(child) + "-7-0";
  EXPECT_TRUE(IsAbandonedTemporary(dead));
  for (const char* name : {"a", "a.tempstate-", "a.tempstate-x-1-1", "a.tempstate-1-1", "a.tempstate--1-1-1",
                           "a.tempstate-0-0-0", "a.tempstate-1-1-1-1"}) {
    EXPECT_FALSE(IsAbandonedTemporary(name)) << name;
  }
  // Of a process before this one that had its id: the number between id and count differs.
  const size_t begin = own.find('-', own.find('-') + 1) + 1;
  std::string other = own;
  other[begin] = other[begin] == '1' ? '2' : '1';
  EXPECT_TRUE(IsAbandonedTemporary(other)) << other;

  const TempDirectory dir;
  for (const std::string& name : {dead, "b" + dead, own, std::string("b")}) {
    ASSERT_TRUE((*FileSystem::Default().Create(dir.File(name)))->Close().ok());
  }
  ASSERT_TRUE(WriteFileAtomically(FileSystem::Default(), dir.File("a"), "x").ok());
  EXPECT_THAT(dir.Names(), ElementsAre("a", own, "b"));
}

TEST(PathTest, PartsOfPaths) {
  EXPECT_EQ(DirectoryOf("a/b/c"), "a/b");
  EXPECT_EQ(DirectoryOf("/a"), "/");
  EXPECT_EQ(DirectoryOf("a"), ".");
  EXPECT_EQ(BaseName("a/b"), "b");
  EXPECT_EQ(BaseName("b"), "b");
  EXPECT_EQ(JoinPath("a", "b"), "a/b");
  EXPECT_EQ(JoinPath("/", "b"), "/b");
}

}  // namespace
}  // namespace flowlatch
