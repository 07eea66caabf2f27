#include "runtime/events/event_writer.h"

#include <ctime>
#include <thread>
#include <vector>

#include "flowlatch/proto/config.pb.h"
#include "flowlatch/proto/event.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/data/record_file.h"
#include "tests/runtime/checkpoint/faulty_file_system.h"
#include "tests/runtime/checkpoint/temp_directory.h"

namespace flowlatch {
namespace {

class EventWriterTest : public testing::Test {
 protected:
  std::unique_ptr<EventWriter> Create(EventWriterOptions options = {}) {
    auto writer = EventWriter::Create(FileSystem::Default(), dir_.File("logs/run"), std::move(options));
    EXPECT_TRUE(writer.ok()) << writer.status();
    return *std::move(writer);
  }
  static std::vector<proto::Event> Read(const std::string& path) {
    const auto reader = RecordReader::Open(FileSystem::Default(), path);
    std::vector<proto::Event> events;
    std::string record;
    while (*(*reader)->Next(&record)) {
      events.emplace_back();
      EXPECT_TRUE(events.back().ParseFromString(record));
    }
    return events;
  }
  const TempDirectory dir_;
};

TEST_F(EventWriterTest, WritesEvents) {
  const auto writer = Create({.suffix = ".test"});
  EXPECT_THAT(writer->path(), testing::MatchesRegex(".*/logs/run/events\\.out\\.tfevents\\.[0-9]{10}\\..*\\.test"));
  ASSERT_TRUE(writer->WriteScalar(7, "loss", 2.5f).ok());
  ASSERT_TRUE(writer->WriteGraph(0, "a graph").ok());
  proto::RunMetadata metadata;
  metadata.mutable_step_stats()->add_dev_stats()->set_device("cpu");
  ASSERT_TRUE(writer->WriteRunMetadata(8, "step 8", metadata).ok());
  proto::Event own;
  own.set_wall_time(5);
  ASSERT_TRUE(writer->Write(own).ok());
  ASSERT_TRUE(writer->Close().ok());
  const std::vector<proto::Event> events = Read(writer->path());
  ASSERT_EQ(events.size(), 5);
  EXPECT_EQ(events[0].file_version(), "brain.Event:2");
  EXPECT_NEAR(events[0].wall_time(), static_cast<double>(std::time(nullptr)), 100);
  EXPECT_EQ(events[1].step(), 7);
  EXPECT_EQ(events[1].summary().value(0).tag(), "loss");
  EXPECT_EQ(events[1].summary().value(0).simple_value(), 2.5f);
  EXPECT_EQ(events[2].graph_def(), "a graph");
  EXPECT_EQ(events[3].tagged_run_metadata().tag(), "step 8");
  EXPECT_EQ(events[3].tagged_run_metadata().run_metadata(), metadata.SerializeAsString());
  EXPECT_EQ(events[4].wall_time(), 5);
  EXPECT_EQ(writer->WriteScalar(9, "loss", 1).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(writer->Flush().ok());
  EXPECT_TRUE(writer->Close().ok());
}

TEST_F(EventWriterTest, WaitsNoLongerThanItMay) {
  const auto queue = Create({.max_queue = 2});
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(queue->WriteScalar(i, "x", 0).ok());
  EXPECT_EQ(Read(queue->path()).size(), 1);
  ASSERT_TRUE(queue->WriteScalar(2, "x", 0).ok());
  EXPECT_EQ(Read(queue->path()).size(), 4);
  const auto prompt = Create({.max_queue = 1000, .flush_every = std::chrono::milliseconds(0)});
  ASSERT_TRUE(prompt->WriteScalar(0, "x", 0).ok());
  EXPECT_EQ(Read(prompt->path()).size(), 2);
  const auto flushed = Create();
  ASSERT_TRUE(flushed->WriteScalar(0, "x", 0).ok());
  ASSERT_TRUE(flushed->Flush().ok());
  EXPECT_EQ(Read(flushed->path()).size(), 2);
}

TEST_F(EventWriterTest, ThreadsShareAWriter) {
  std::string path;
  {
    const auto writer = Create();
    path = writer->path();
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 100; ++i) EXPECT_TRUE(writer->WriteScalar(i, std::to_string(t), 0).ok());
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(Read(path).size(), 401);
}

TEST_F(EventWriterTest, Errors) {
  EXPECT_EQ(EventWriter::Create(FileSystem::Default(), "", {}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(EventWriter::Create(FileSystem::Default(), "/dev/null/logs", {}).ok());
  for (int fail_at = 1;; ++fail_at) {
    FaultyFileSystem faulty({.at = fail_at, .persistent = true});
    const auto write = [&]() -> absl::Status {
      const auto writer = EventWriter::Create(faulty, dir_.File("f"), {});
      if (!writer.ok()) return writer.status();
      if (absl::Status status = (*writer)->WriteScalar(1, "x", 1); !status.ok()) return status;
      return (*writer)->Close();
    };
    const absl::Status status = write();
    EXPECT_EQ(status.ok(), !faulty.failed()) << fail_at << ": " << status;
    if (!faulty.failed()) break;
  }
}

}  // namespace
}  // namespace flowlatch
