// What a full or failing disk, a lost power supply, a killed process and other writers do to a checkpoint that is being
// saved: there is the old one or the new one, whole.

#include <linux/capability.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/checkpoint/table_checkpoint.h"
#include "runtime/checkpoint/tensor_bundle.h"
#include "tests/runtime/checkpoint/faulty_file_system.h"
#include "tests/runtime/checkpoint/simulated_disk.h"
#include "tests/runtime/checkpoint/temp_directory.h"

namespace flowlatch {
namespace {

using testing::HasSubstr;

constexpr int kNone = -1;
constexpr int kTensors = 3;

// The checkpoint of this version: every element says which it is.
Tensor Values(int version, int64_t n) {
  Tensor t = *Tensor::Make(DType::kInt32, Shape::FromValid({n}));
  for (int32_t& x : t.mutable_values<int32_t>()) x = version;
  return t;
}

absl::Status Save(const std::string& prefix, int version, FileSystem& files, int num_shards = 1) {
  absl::StatusOr<std::unique_ptr<BundleWriter>> writer = BundleWriter::Create(prefix, files, num_shards);
  if (!writer.ok()) return writer.status();
  for (int i = 0; i < kTensors; ++i) {
    absl::Status status = (*writer)->Add(absl::StrCat("x", i), Values(version, 100 * (i + 1)));
    if (!status.ok()) return status;
  }
  return (*writer)->Finish();
}

absl::Status SaveSharded(const std::string& prefix, int version, FileSystem& files) {
  return Save(prefix, version, files, 2);
}

absl::Status SaveFirstFormat(const std::string& path, int version, FileSystem& files) {
  absl::StatusOr<std::unique_ptr<TableCheckpointWriter>> writer = TableCheckpointWriter::Create(path, files);
  if (!writer.ok()) return writer.status();
  for (int i = 0; i < kTensors; ++i) {
    absl::Status status = (*writer)->Add(absl::StrCat("x", i), Values(version, 100 * (i + 1)));
    if (!status.ok()) return status;
  }
  return (*writer)->Finish();
}

// Parts in a directory of their own, then one checkpoint of them, as graphs with a sharded Saver do it.
absl::Status SaveMerged(const std::string& prefix, int version, FileSystem& files) {
  std::vector<std::string> parts;
  for (int i = 0; i < kTensors; ++i) {
    parts.push_back(absl::StrCat(prefix, "_temp/part-", i));
    absl::StatusOr<std::unique_ptr<BundleWriter>> writer = BundleWriter::Create(parts.back(), files);
    if (!writer.ok()) return writer.status();
    absl::Status status = (*writer)->Add(absl::StrCat("x", i), Values(version, 100 * (i + 1)));
    if (status.ok()) status = (*writer)->Finish();
    if (!status.ok()) return status;
  }
  return MergeBundles(parts, prefix, {}, files);
}

// The version of the checkpoint, if it can be read whole; kNone if there is none. Fails the test for a mixture.
int VersionOf(const std::string& prefix, FileSystem& files = FileSystem::Default()) {
  const absl::StatusOr<std::unique_ptr<CheckpointReader>> reader = CheckpointReader::Open(prefix, files);
  if (absl::IsNotFound(reader.status())) return kNone;
  if (!reader.ok()) {
    ADD_FAILURE() << reader.status();
    return kNone;
  }
  std::vector<int> versions;
  for (int i = 0; i < kTensors; ++i) {
    const absl::StatusOr<Tensor> tensor = (*reader)->Read(absl::StrCat("x", i));
    if (!tensor.ok() || tensor->num_elements() != 100 * (i + 1)) {
      ADD_FAILURE() << "x" << i << ": " << tensor.status();
      return kNone;
    }
    for (const int32_t x : tensor->values<int32_t>()) versions.push_back(x);
  }
  EXPECT_EQ(std::count(versions.begin(), versions.end(), versions[0]), static_cast<int64_t>(versions.size()))
      << "of several versions";
  return versions[0];
}

struct Scenario {
  const char* name;
  bool replaces;  // a checkpoint of the same prefix
  absl::Status (*save)(const std::string& prefix, int version, FileSystem& files);
};

absl::Status SavePlain(const std::string& prefix, int version, FileSystem& files) {
  return Save(prefix, version, files);
}

constexpr Scenario kScenarios[] = {
    {"new prefix", false, SavePlain},
    {"over another", true, SavePlain},
    {"shards over others", true, SaveSharded},
    {"parts merged over others", true, SaveMerged},
    {"first format over another", true, SaveFirstFormat},
};

// ---- A disk that fails

TEST(CrashSafetyTest, AFailingDiskLeavesTheOldCheckpointOrTheNew) {
  struct Kind {
    int error;
    Fault::Calls calls;
  };
  const Kind kinds[] = {{ENOSPC, Fault::Calls::kChanges},
                        {EIO, Fault::Calls::kChanges},
                        {EDQUOT, Fault::Calls::kChanges},
                        {EIO, Fault::Calls::kSyncs},
                        {EIO, Fault::Calls::kReads}};
  for (const Scenario& scenario : kScenarios) {
    for (const Kind& kind : kinds) {
      for (const bool persistent : {false, true}) {
        for (int at = 1;; ++at) {
          const std::string where = absl::StrCat(scenario.name, ", ", strerror(kind.error), " at call ", at);
          SimulatedDisk disk;
          if (scenario.replaces) {
            ASSERT_TRUE(scenario.save("dir/m", 1, disk).ok());
          }
          FaultyFileSystem files({.at = at, .persistent = persistent, .error = kind.error, .calls = kind.calls}, disk);
          const absl::Status status = scenario.save("dir/m", 2, files);
          const int version = VersionOf("dir/m", disk);
          if (status.ok()) {
            EXPECT_EQ(version, 2) << where;
          } else {
            EXPECT_TRUE(version == 2 || version == (scenario.replaces ? 1 : kNone)) << where << ": " << version;
            EXPECT_THAT(std::string(status.message()), HasSubstr("'dir")) << where;
            EXPECT_THAT(std::string(status.message()), HasSubstr(strerror(kind.error))) << where;
          }
          // The next save works, and cleans up behind this one.
          ASSERT_TRUE(scenario.save("dir/m", 3, disk).ok()) << where;
          EXPECT_EQ(VersionOf("dir/m", disk), 3) << where;
          const std::vector<std::string> names = *disk.List("dir");
          for (const std::string& name : names) EXPECT_EQ(name.find("temp"), std::string::npos) << where << name;
          EXPECT_LE(names.size(), 5u) << where;
          EXPECT_EQ(disk.List("dir/m_temp")->size(), 0u) << where;
          if (!files.failed()) {
            EXPECT_TRUE(status.ok()) << status;
            break;
          }
        }
      }
    }
  }
}

TEST(CrashSafetyTest, AFailingDiskIsNoOtherCheckpoint) {
  const TempDirectory dir;
  ASSERT_TRUE(Save(dir.File("m"), 1, FileSystem::Default()).ok());
  ASSERT_TRUE(SaveFirstFormat(dir.File("old"), 1, FileSystem::Default()).ok());
  for (const char* name : {"m", "old"}) {
    for (int at = 1;; ++at) {
      FaultyFileSystem files({.at = at, .error = EIO, .calls = Fault::Calls::kReads});
      const absl::StatusOr<std::unique_ptr<CheckpointReader>> reader = CheckpointReader::Open(dir.File(name), files);
      absl::Status status = reader.status();
      for (int i = 0; i < kTensors && status.ok(); ++i) {
        const absl::StatusOr<Tensor> tensor = (*reader)->Read(absl::StrCat("x", i));
        status = tensor.status();
        if (tensor.ok()) {
          EXPECT_EQ(tensor->data<int32_t>()[0], 1);
        }
      }
      if (!files.failed()) break;
      if (!status.ok()) {
        EXPECT_THAT(std::string(status.message()), HasSubstr(strerror(EIO))) << name << at;
      }
    }
  }
}

// The system itself writes less than it was asked to, and then nothing.
TEST(CrashSafetyTest, FilesThatMayNotGrow) {
  const TempDirectory dir;
  ASSERT_TRUE(Save(dir.File("m"), 1, FileSystem::Default()).ok());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {1000, 1000};  // bytes of a file
    setrlimit(RLIMIT_FSIZE, &limit);
    const absl::Status status = Save(dir.File("m"), 2, FileSystem::Default());
    const bool named = std::string(status.message()).find(dir.path()) != std::string::npos &&
                       std::string(status.message()).find(strerror(EFBIG)) != std::string::npos;
    _exit(!status.ok() && named ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(VersionOf(dir.File("m")), 1);
  EXPECT_THAT(dir.Names(), testing::ElementsAre("m.data-00000-of-00001", "m.index"));
}

// ---- Power that fails

TEST(CrashSafetyTest, APowerFailureLeavesTheOldCheckpointOrTheNew) {
  constexpr uint64_t kSeeds = 20;
  for (const Scenario& scenario : kScenarios) {
    bool interrupted = true;
    for (int at = 1; interrupted; ++at) {
      SimulatedDisk disk;
      if (scenario.replaces) {
        ASSERT_TRUE(scenario.save("d/m", 1, disk).ok());
      }
      const int before = disk.num_changes();
      disk.PowerOffAt(before + at);
      const bool saved = scenario.save("d/m", 2, disk).ok();
      interrupted = disk.num_changes() == before + at;
      if (!interrupted) {
        EXPECT_TRUE(saved);
        EXPECT_GT(at, 5);
      }
      for (uint64_t seed = 0; seed < kSeeds; ++seed) {
        std::mt19937_64 random(1000 * static_cast<uint64_t>(at) + seed);
        const std::unique_ptr<SimulatedDisk> left = disk.AfterPowerFailure(random);
        const int version = VersionOf("d/m", *left);
        const std::string where = absl::StrCat(scenario.name, ", change ", at, ", seed ", seed);
        EXPECT_TRUE(version == 2 || (!saved && version == (scenario.replaces ? 1 : kNone))) << where << ": " << version;
        // And saving goes on from there.
        ASSERT_TRUE(scenario.save("d/m", 3, *left).ok()) << where;
        EXPECT_EQ(VersionOf("d/m", *left), 3) << where;
      }
    }
  }
}

// The simulation is worth something: who does not sync loses.
TEST(CrashSafetyTest, WhatWasNotSyncedIsLost) {
  SimulatedDisk disk;
  const std::unique_ptr<WritableFile> file = *disk.Create("d/a");
  ASSERT_TRUE(file->Append("bytes").ok());
  ASSERT_TRUE(file->Close().ok());
  ASSERT_TRUE(disk.Rename("d/a", "d/b").ok());
  int gone = 0, cut = 0, whole = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const std::unique_ptr<SimulatedDisk> left = disk.AfterPowerFailure(random);
    const absl::StatusOr<std::string> bytes = ReadFile(*left, "d/b", 100);
    (bytes.ok() ? (*bytes == "bytes" ? whole : cut) : gone)++;
  }
  EXPECT_GT(gone, 10);
  EXPECT_GT(cut, 10);
  EXPECT_GT(whole, 1);
}

// ---- Processes that are killed

// FLOWLATCH_KILLS, as tools/soak_checkpoints sets it, or 500.
int NumKills() {
  const char* kills = std::getenv("FLOWLATCH_KILLS");
  return kills != nullptr ? std::atoi(kills) : 500;
}

TEST(CrashSafetyTest, AKilledWriterLosesNothing) {
  const TempDirectory dir;
  std::mt19937_64 random(NumKills());
  const int kills_of_each = NumKills() / static_cast<int>(std::size(kScenarios));
  for (const Scenario& scenario : kScenarios) {
    const std::string prefix = dir.File("m");
    ASSERT_TRUE(scenario.save(prefix, 0, FileSystem::Default()).ok());
    int last = 0;
    for (int kill_number = 0; kill_number < kills_of_each; ++kill_number) {
      int reports[2];
      ASSERT_EQ(pipe(reports), 0);
      const pid_t child = fork();
      ASSERT_GE(child, 0);
      if (child == 0) {  // saves versions, and reports each that is saved
        close(reports[0]);
        for (int version = last + 1;; ++version) {
          if (!scenario.save(prefix, version, FileSystem::Default()).ok()) _exit(1);
          if (write(reports[1], &version, sizeof version) != sizeof version) _exit(2);
        }
      }
      close(reports[1]);
      usleep(static_cast<useconds_t>(random() % 12000));
      kill(child, SIGKILL);
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFSIGNALED(status)) << scenario.name << ": a save failed";
      int saved = last;
      while (read(reports[0], &saved, sizeof saved) == sizeof saved) {
      }
      close(reports[0]);
      const int version = VersionOf(prefix);
      ASSERT_TRUE(version == saved || version == saved + 1) << scenario.name << ": " << version << " after " << saved;
      last = version;
    }
    ASSERT_TRUE(scenario.save(prefix, last + 1, FileSystem::Default()).ok());
    for (const std::string& name : dir.Names()) EXPECT_EQ(name.find("temp"), std::string::npos) << name;
    EXPECT_LE(dir.Names().size(), 5u) << scenario.name;
    std::filesystem::remove_all(dir.path());
    std::filesystem::create_directory(dir.path());
  }
}

// ---- Others that write and read

TEST(CrashSafetyTest, WritersAndReadersOfOnePrefix) {
  const TempDirectory dir;
  const std::string prefix = dir.File("m");
  ASSERT_TRUE(Save(prefix, 0, FileSystem::Default()).ok());
  std::vector<pid_t> children;
  for (int writer = 0; writer < 2; ++writer) {
    children.push_back(fork());
    ASSERT_GE(children.back(), 0);
    if (children.back() == 0) {
      for (int i = 0; i < 60; ++i) {
        if (!Save(prefix, 100 * writer + i, FileSystem::Default(), 1 + i % 3).ok()) _exit(1);
      }
      _exit(0);
    }
  }
  std::thread thread([&] {
    for (int i = 0; i < 30; ++i) EXPECT_TRUE(Save(prefix, 1000 + i, FileSystem::Default()).ok());
  });
  for (int i = 0; i < 200; ++i) EXPECT_NE(VersionOf(prefix), kNone);
  thread.join();
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "a save failed";
  }
  EXPECT_NE(VersionOf(prefix), kNone);
  EXPECT_LE(dir.Names().size(), 5u);
}

// ---- Odd places

// The code of saving to `prefix`, in a process of its own that has no privileges.
absl::StatusCode CodeWithoutPrivileges(const std::string& prefix) {
  const pid_t child = fork();
  if (child == 0) {
    __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct none[2] = {};
    if (syscall(SYS_capset, &header, none) != 0) _exit(100);
    _exit(static_cast<int>(Save(prefix, 1, FileSystem::Default()).code()));
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return static_cast<absl::StatusCode>(WEXITSTATUS(status));
}

TEST(CrashSafetyTest, OddPlaces) {
  const TempDirectory dir;
  FileSystem& files = FileSystem::Default();

  ASSERT_TRUE(Save(dir.File("read_only/m"), 1, files).ok());
  ASSERT_EQ(chmod(dir.File("read_only").c_str(), 0555), 0);
  EXPECT_EQ(CodeWithoutPrivileges(dir.File("read_only/m")), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(VersionOf(dir.File("read_only/m")), 1);
  ASSERT_EQ(chmod(dir.File("read_only").c_str(), 0755), 0);

  EXPECT_EQ(Save(dir.File("no/such/m"), 1, files).code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(WriteFileAtomically(files, dir.File("file"), "x").ok());
  EXPECT_EQ(Save(dir.File("file/m"), 1, files).code(), absl::StatusCode::kFailedPrecondition);

  for (const char* name : {"caf\xe9", "a b", "%n%s", "m.index"}) {
    ASSERT_TRUE(Save(dir.File(name), 1, files).ok()) << name;
    ASSERT_TRUE(Save(dir.File(name), 2, files).ok()) << name;
    EXPECT_EQ(VersionOf(dir.File(name)), 2) << name;
  }
  const absl::Status too_long = Save(dir.File(std::string(5000, 'x')), 1, files);
  EXPECT_EQ(too_long.code(), absl::StatusCode::kInvalidArgument) << too_long;
  EXPECT_THAT(std::string(too_long.message()), HasSubstr(strerror(ENAMETOOLONG)));
  const absl::Status too_deep = Save(dir.File(std::string(4100, '/') + "m"), 1, files);
  EXPECT_EQ(too_deep.code(), absl::StatusCode::kInvalidArgument) << too_deep;
}

TEST(CrashSafetyTest, LinksAreReplacedNotFollowed) {
  const TempDirectory dir;
  FileSystem& files = FileSystem::Default();
  ASSERT_TRUE(Save(dir.File("real"), 1, files).ok());
  for (const char* suffix : {".index", ".data-00000-of-00001"}) {
    ASSERT_EQ(symlink(("real" + std::string(suffix)).c_str(), dir.File("link" + std::string(suffix)).c_str()), 0);
  }
  EXPECT_EQ(VersionOf(dir.File("link")), 1);
  ASSERT_TRUE(Save(dir.File("link"), 2, files).ok());
  EXPECT_EQ(VersionOf(dir.File("link")), 2);
  EXPECT_EQ(VersionOf(dir.File("real")), 1);
  // A directory may be a link.
  ASSERT_EQ(symlink(dir.path().c_str(), dir.File("folder").c_str()), 0);
  ASSERT_TRUE(Save(dir.File("folder/real"), 3, files).ok());
  EXPECT_EQ(VersionOf(dir.File("real")), 3);
}

}  // namespace
}  // namespace flowlatch
