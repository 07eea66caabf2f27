#include "runtime/checkpoint/saver.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <random>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/runtime/checkpoint/faulty_file_system.h"
#include "tests/runtime/checkpoint/simulated_disk.h"
#include "tests/runtime/checkpoint/temp_directory.h"
#include "tests/runtime/checkpoint/variable_graph.h"

namespace flowlatch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kVariables = 3;

class SaverTest : public testing::Test {
 protected:
  std::unique_ptr<Saver> Make(SaverOptions options = {}) {
    absl::StatusOr<std::unique_ptr<Saver>> saver = Saver::Create(*session_, std::move(options));
    EXPECT_TRUE(saver.ok()) << saver.status();
    return *std::move(saver);
  }
  std::string Save(Saver& saver, const std::string& prefix, int32_t value) {
    SetVariables(*session_, kVariables, value);
    const absl::StatusOr<std::string> path = saver.Save(prefix, value);
    EXPECT_TRUE(path.ok()) << path.status();
    return path.value_or("");
  }
  int32_t Restored(const std::string& path, FileSystem& files = FileSystem::Default()) {
    const std::unique_ptr<Session> session = VariableSession(kVariables);
    const std::unique_ptr<Saver> saver = *Saver::Create(*session, {.files = &files});
    const auto restored = saver->Restore(path);
    EXPECT_TRUE(restored.ok()) << restored.status();
    return ValueOf(*session, kVariables);
  }
  // The names in `directory` that end in ".index", without the ending.
  static std::vector<std::string> Checkpoints(const std::string& directory, FileSystem& files = FileSystem::Default()) {
    std::vector<std::string> found;
    const std::vector<std::string> names = *files.List(directory);
    for (const std::string& name : names) {
      if (name.size() > 6 && name.substr(name.size() - 6) == ".index") found.push_back(name.substr(0, name.size() - 6));
    }
    return found;
  }

  const std::unique_ptr<Session> session_ = VariableSession(kVariables);
  const TempDirectory dir_;
};

TEST_F(SaverTest, SavesAndRestores) {
  const std::unique_ptr<Saver> saver = Make({.num_shards = 2});
  EXPECT_EQ(saver->variables().size(), 3u);
  EXPECT_EQ(Save(*saver, dir_.File("m"), 7), dir_.File("m-7"));
  EXPECT_THAT(dir_.Names(),
              ElementsAre("checkpoint", "m-7.data-00000-of-00002", "m-7.data-00001-of-00002", "m-7.index"));
  EXPECT_EQ(*LatestCheckpoint(dir_.path()), dir_.File("m-7"));
  EXPECT_EQ(Restored(dir_.File("m-7")), 7);
  SetVariables(*session_, kVariables, 8);
  EXPECT_EQ(*saver->Save(dir_.File("m")), dir_.File("m")) << "without a step";
  EXPECT_EQ(Restored(*LatestCheckpoint(dir_.path())), 8);
}

TEST_F(SaverTest, KeepsTheLatest) {
  const std::unique_ptr<Saver> saver = Make({.max_to_keep = 2});
  for (int step = 1; step <= 4; ++step) Save(*saver, dir_.File("m"), step);
  EXPECT_THAT(Checkpoints(dir_.path()), ElementsAre("m-3", "m-4"));
  EXPECT_THAT(dir_.Names(), testing::SizeIs(5));
  Save(*saver, dir_.File("m"), 3);  // again: now it is the latest
  EXPECT_EQ(*LatestCheckpoint(dir_.path()), dir_.File("m-3"));
  EXPECT_THAT(ReadCheckpointState(dir_.path())->all, ElementsAre(dir_.File("m-4"), dir_.File("m-3")));
  // Another saver goes on where this one ended, and leaves what has other names alone.
  const std::unique_ptr<Saver> next = Make({.max_to_keep = 1});
  Save(*next, dir_.File("m-2"), 9);
  Save(*next, dir_.File("n"), 10);
  Save(*next, dir_.File("m"), 11);
  EXPECT_THAT(Checkpoints(dir_.path()), ElementsAre("m-11", "m-2-9", "n-10"));
  EXPECT_EQ(Restored(dir_.File("m-2-9")), 9);
  const std::unique_ptr<Saver> all = Make({.max_to_keep = 0});
  for (int step = 20; step < 30; ++step) Save(*all, dir_.File("m"), step);
  EXPECT_THAT(Checkpoints(dir_.path()), testing::SizeIs(13));
}

TEST_F(SaverTest, InTheDirectoryThatItRunsIn) {
  ASSERT_EQ(chdir(dir_.path().c_str()), 0);
  const std::unique_ptr<Saver> saver = Make({.max_to_keep = 1});
  for (const char* prefix : {"m", "./m", "m"}) {
    for (int step = 1; step <= 2; ++step) Save(*saver, prefix, step);
    EXPECT_THAT(Checkpoints("."), ElementsAre("m-2")) << prefix;
  }
  EXPECT_EQ(Restored(*LatestCheckpoint(".")), 2);
}

TEST_F(SaverTest, KeepsOneInSoManyHours) {
  double hour = 100;
  const std::unique_ptr<Saver> saver =
      Make({.max_to_keep = 1, .keep_every_n_hours = 3, .now = [&] { return 3600 * hour; }});
  for (int step = 0; step < 10; ++step, ++hour) Save(*saver, dir_.File("m"), step);
  EXPECT_THAT(Checkpoints(dir_.path()), ElementsAre("m-3", "m-6", "m-9"));
  EXPECT_THAT(ReadCheckpointState(dir_.path())->all, ElementsAre(dir_.File("m-9")));
}

TEST_F(SaverTest, Errors) {
  EXPECT_EQ(Saver::Create(*session_, {.max_to_keep = -1}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Saver::Create(*session_, {.keep_every_n_hours = -1}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Saver::Create(*VariableSession(0)).status().code(), absl::StatusCode::kInvalidArgument);
  const std::unique_ptr<Saver> saver = Make();
  const absl::Status empty = saver->Save(dir_.File("m")).status();
  EXPECT_EQ(empty.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(empty.message()), HasSubstr("variable 'v0'"));
  EXPECT_THAT(dir_.Names(), testing::IsEmpty());
  EXPECT_EQ(saver->Restore(dir_.File("m")).status().code(), absl::StatusCode::kNotFound);
}

// A variable is saved as it was at one moment, whatever steps do meanwhile.
TEST_F(SaverTest, WhileVariablesChange) {
  const std::unique_ptr<Saver> saver = Make();
  SetVariables(*session_, kVariables, 0);
  std::atomic<bool> stop = false;
  std::thread steps([&] {
    for (int32_t step = 1; !stop; ++step) {
      for (int i = 0; i < kVariables; ++i) {
        const RefPtr<Variable> variable = *session_->resources().Lookup<Variable>("", absl::StrCat("v", i));
        const std::unique_lock<std::shared_mutex> lock(variable->mu);
        ASSERT_TRUE(variable->Unshare(nullptr).ok());
        for (int32_t& x : variable->value.mutable_values<int32_t>()) x = step;
      }
    }
  });
  for (int i = 0; i < 20; ++i) {
    const absl::StatusOr<std::string> path = saver->Save(dir_.File("m"));
    ASSERT_TRUE(path.ok()) << path.status();
    const std::unique_ptr<CheckpointReader> reader = *CheckpointReader::Open(*path);
    for (int v = 0; v < kVariables; ++v) {
      const Tensor values = *reader->Read(absl::StrCat("v", v));
      for (const int32_t x : values.values<int32_t>()) EXPECT_EQ(x, values.data<int32_t>()[0]);
    }
  }
  stop = true;
  steps.join();
}

TEST_F(SaverTest, LatestValid) {
  const std::unique_ptr<Saver> saver = Make();
  EXPECT_EQ(LatestValidCheckpoint(dir_.path()).status().code(), absl::StatusCode::kNotFound);
  for (int step = 8; step <= 11; ++step) Save(*saver, dir_.File("m"), step);
  EXPECT_EQ(*LatestValidCheckpoint(dir_.path()), dir_.File("m-11"));
  FileSystem& files = FileSystem::Default();
  std::string bytes = *ReadFile(files, DataPath(dir_.File("m-11"), 0, 1), 1 << 20);
  bytes[5] ^= 1;
  ASSERT_TRUE(WriteFileAtomically(files, DataPath(dir_.File("m-11"), 0, 1), bytes).ok());
  EXPECT_EQ(*LatestValidCheckpoint(dir_.path()), dir_.File("m-10"));
  ASSERT_TRUE(files.Remove(DataPath(dir_.File("m-10"), 0, 1)).ok());
  EXPECT_EQ(*LatestValidCheckpoint(dir_.path()), dir_.File("m-9"));
  ASSERT_TRUE(WriteFileAtomically(files, dir_.File("checkpoint"), "\xff").ok());
  EXPECT_EQ(*LatestValidCheckpoint(dir_.path()), dir_.File("m-9")) << "by the names of files";
  ASSERT_TRUE(files.Remove(dir_.File("m-9.index")).ok());
  ASSERT_TRUE(WriteFileAtomically(files, dir_.File("m-8.index"), "").ok());
  const absl::Status none = LatestValidCheckpoint(dir_.path()).status();
  EXPECT_EQ(none.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(none.message()), HasSubstr("wrong checksum"));
}

// ---- What never loses a checkpoint, see also crash_safety_test

// A directory with two checkpoints; saving the third removes the first.
class FailingSaverTest : public SaverTest {
 protected:
  absl::Status SaveThird(FileSystem& files) {
    const std::unique_ptr<Saver> saver = Make({.max_to_keep = 2, .files = &files});
    SetVariables(*session_, kVariables, 3);
    return saver->Save("d/m", 3).status();
  }
  void SaveTwo(FileSystem& files) {
    const std::unique_ptr<Saver> saver = Make({.max_to_keep = 2, .files = &files});
    for (int step = 1; step <= 2; ++step) Save(*saver, "d/m", step);
  }
  void ExpectWhole(FileSystem& files, bool saved, const std::string& where) {
    const absl::StatusOr<std::string> latest = LatestCheckpoint("d", files);
    ASSERT_TRUE(latest.ok()) << where << latest.status();
    const int32_t value = Restored(*latest, files);
    EXPECT_TRUE(value == 3 || (!saved && value == 2)) << where << ": " << value;
    EXPECT_EQ(*latest, absl::StrCat("d/m-", value)) << where;
    // All that the state names can be read.
    const CheckpointState state = *ReadCheckpointState("d", files);
    for (const std::string& path : state.all) {
      EXPECT_TRUE(VerifyCheckpoint(path, files).ok()) << where << VerifyCheckpoint(path, files);
    }
    const std::unique_ptr<Saver> saver = Make({.max_to_keep = 2, .files = &files});
    Save(*saver, "d/m", 4);
    EXPECT_EQ(Restored(*LatestCheckpoint("d", files), files), 4) << where;
    const std::vector<std::string> names = *files.List("d");
    for (const std::string& name : names) {
      EXPECT_EQ(name.find("temp"), std::string::npos) << where << name;
      const std::string index = IndexPath(CheckpointPrefix(name));
      EXPECT_TRUE(name == "checkpoint" || std::count(names.begin(), names.end(), index) == 1) << where << name;
    }
  }
};

TEST_F(FailingSaverTest, EveryCallFails) {
  for (const Fault::Calls calls : {Fault::Calls::kChanges, Fault::Calls::kSyncs, Fault::Calls::kReads}) {
    for (const bool persistent : {false, true}) {
      for (int at = 1;; ++at) {
        SimulatedDisk disk;
        SaveTwo(disk);
        FaultyFileSystem files({.at = at, .persistent = persistent, .error = EIO, .calls = calls}, disk);
        const absl::Status status = SaveThird(files);
        ExpectWhole(disk, status.ok(), absl::StrCat("call ", at, ": "));
        if (!status.ok()) {
          EXPECT_THAT(std::string(status.message()), HasSubstr(strerror(EIO)));
          EXPECT_THAT(std::string(status.message()), HasSubstr("'d"));
        }
        if (!files.failed()) break;
      }
    }
  }
}

TEST_F(FailingSaverTest, PowerFails) {
  bool interrupted = true;
  for (int at = 1; interrupted; ++at) {
    SimulatedDisk disk;
    SaveTwo(disk);
    const int before = disk.num_changes();
    disk.PowerOffAt(before + at);
    const bool saved = SaveThird(disk).ok();
    interrupted = disk.num_changes() == before + at;
    EXPECT_TRUE(saved || interrupted);
    for (uint64_t seed = 0; seed < 20; ++seed) {
      std::mt19937_64 random(1000 * static_cast<uint64_t>(at) + seed);
      ExpectWhole(*disk.AfterPowerFailure(random), saved, absl::StrCat("change ", at, ", seed ", seed, ": "));
    }
  }
}

TEST_F(SaverTest, AKilledSaverLosesNothing) {
  const std::unique_ptr<Saver> saver = Make({.max_to_keep = 2});
  std::mt19937_64 random(1);
  int32_t last = 1;
  Save(*saver, dir_.File("m"), last);
  for (int round = 0; round < 50; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int32_t step = last + 1;; ++step) {
        SetVariables(*session_, kVariables, step);
        if (!saver->Save(dir_.File("m"), step).ok()) _exit(1);
      }
    }
    usleep(static_cast<useconds_t>(random() % 20000));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "a save failed";
    const std::string latest = *LatestCheckpoint(dir_.path());
    EXPECT_EQ(*LatestValidCheckpoint(dir_.path()), latest);
    const int32_t value = Restored(latest);
    ASSERT_GE(value, last);
    last = value;
  }
}

}  // namespace
}  // namespace flowlatch
