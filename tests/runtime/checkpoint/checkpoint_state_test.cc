#include "runtime/checkpoint/checkpoint_state.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/checkpoint/tensor_bundle.h"
#include "tests/runtime/checkpoint/temp_directory.h"

namespace flowlatch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void WriteText(const TempDirectory& dir, const std::string& text) {
  ASSERT_TRUE(WriteFileAtomically(FileSystem::Default(), dir.File("checkpoint"), text).ok());
}

TEST(CheckpointStateTest, RoundTripsRelativeToItsDirectory) {
  const TempDirectory dir;
  const CheckpointState state{dir.File("m-2"), {"/elsewhere/m-1", dir.File("m-2")}};
  ASSERT_TRUE(WriteCheckpointState(dir.path(), state).ok());
  EXPECT_EQ(*ReadFile(FileSystem::Default(), dir.File("checkpoint"), 1000),
            "model_checkpoint_path: \"m-2\"\nall_model_checkpoint_paths: \"/elsewhere/m-1\"\n"
            "all_model_checkpoint_paths: \"m-2\"\n");
  const CheckpointState read = *ReadCheckpointState(dir.path());
  EXPECT_EQ(read.latest, dir.File("m-2"));
  EXPECT_THAT(read.all, ElementsAre("/elsewhere/m-1", dir.File("m-2")));
}

TEST(CheckpointStateTest, LatestCheckpointMustExist) {
  const TempDirectory dir;
  EXPECT_EQ(LatestCheckpoint(dir.path()).status().code(), absl::StatusCode::kNotFound);
  WriteText(dir, "model_checkpoint_path: \"m\"\nall_model_checkpoint_timestamps: 1.5\nlast_preserved_timestamp: 2\n");
  EXPECT_EQ(LatestCheckpoint(dir.path()).status().code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE((*BundleWriter::Create(dir.File("m")))->Finish().ok());
  EXPECT_EQ(*LatestCheckpoint(dir.path()), dir.File("m"));
}

TEST(CheckpointStateTest, OtherTextIsDataLoss) {
  const TempDirectory dir;
  for (const char* text : {"", "nonsense", "model_checkpoint_path: 5", "model_checkpoint_path: \"\"", "\xff\xfe"}) {
    WriteText(dir, text);
    const absl::Status status = LatestCheckpoint(dir.path()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(dir.File("checkpoint")));
  }
}

}  // namespace
}  // namespace flowlatch
