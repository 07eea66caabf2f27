#include "tools/graph_runner/profile.h"

#include <nlohmann/json.hpp>

#include "flowlatch/proto/config.pb.h"
#include "flowlatch/proto/event.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/data/record_file.h"
#include "tests/runtime/checkpoint/temp_directory.h"
#include "tools/arrays/files.h"

namespace flowlatch {
namespace {

using nlohmann::json;

StepStats SomeStats() {
  StepStats stats;
  stats.wall_ns = 1000;
  stats.nodes = {{.node = "a", .op = "MatMul", .executions = 1, .time_ns = 300, .dtype = DType::kFloat32, .output_bytes = 40},
                 {.node = "b", .op = "MatMul", .executions = 2, .time_ns = 500, .dtype = DType::kInt32, .output_bytes = 8},
                 {.node = "c", .op = "NoOp", .executions = 1, .time_ns = 10}};
  stats.timeline = {{0, 0, 300}, {1, 350, 200}, {1, 600, 300}, {2, 950, 10}};
  return stats;
}

TEST(ProfileTest, Rows) {
  const std::vector<ProfileRow> ops = ProfileRows(SomeStats(), "op");
  ASSERT_EQ(ops.size(), 2u);
  EXPECT_EQ(ops[0].name, "MatMul");
  EXPECT_EQ(ops[0].nodes, 2);
  EXPECT_EQ(ops[0].executions, 3);
  EXPECT_EQ(ops[0].time_ns, 800);
  EXPECT_EQ(ops[0].output_bytes, 48);
  EXPECT_EQ(ops[1].name, "NoOp");
  const std::vector<ProfileRow> nodes = ProfileRows(SomeStats(), "node");
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[0].name, "b");
  EXPECT_EQ(nodes[0].op, "MatMul");
  const std::vector<ProfileRow> types = ProfileRows(SomeStats(), "type");
  ASSERT_EQ(types.size(), 3u);
  EXPECT_EQ(types[0].name, "int32");
  EXPECT_EQ(types[2].name, "none");
}

TEST(ProfileTest, TracesAreJson) {
  const json trace = json::parse(ChromeTrace(SomeStats()));
  ASSERT_EQ(trace["traceEvents"].size(), 5u);
  const json& event = trace["traceEvents"][2];
  EXPECT_EQ(event["ph"], "X");
  EXPECT_EQ(event["name"], "MatMul");
  EXPECT_EQ(event["args"]["node"], "b");
  EXPECT_EQ(event["ts"], 0.35);
  EXPECT_EQ(event["dur"], 0.2);
}

TEST(ProfileTest, AStepOfAModel) {
  const TempDirectory dir;
  ProfileOptions options;
  options.model.path = "tools/demo_data/collatz.pb";
  options.model.inputs = {"n=27"};
  options.model.threads = 1;
  options.top = 2;
  options.trace = dir.File("trace.json");
  options.step_stats = dir.File("stats.pb");
  options.events = dir.File("events");
  GlobalOptions global;
  global.quiet = true;
  const absl::StatusOr<ProfileReport> report = Profile(options, global);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_GT(report->rows.size(), 2u);
  EXPECT_GE(report->rows[0].time_ns, report->rows[1].time_ns);
  EXPECT_EQ(report->files.size(), 3u);
  // A loop of 111 iterations.
  const std::string text = ProfileText(*report, options, global);
  EXPECT_THAT(text, testing::HasSubstr("more (--top)"));
  EXPECT_THAT(text, testing::HasSubstr("Wrote " + dir.File("trace.json")));
  int64_t executions = 0;
  for (const ProfileRow& row : report->rows) executions += row.executions;
  EXPECT_EQ(report->stats.timeline.size(), static_cast<size_t>(executions));
  const json trace = json::parse(*ReadBytes(dir.File("trace.json")));
  EXPECT_EQ(trace["traceEvents"].size(), static_cast<size_t>(executions) + 1);
  proto::RunMetadata metadata;
  ASSERT_TRUE(metadata.ParseFromString(*ReadBytes(dir.File("stats.pb"))));
  EXPECT_EQ(metadata.step_stats().dev_stats(0).node_stats_size(), executions);
  const auto events = RecordReader::Open(FileSystem::Default(), report->files[2]);
  ASSERT_TRUE(events.ok()) << events.status();
  std::string record;
  std::vector<proto::Event> all;
  while (*(*events)->Next(&record)) EXPECT_TRUE(all.emplace_back().ParseFromString(record));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(all[1].has_graph_def());
  EXPECT_TRUE(all[2].has_tagged_run_metadata());
  EXPECT_TRUE(json::accept(ProfileJson(*report)));
}

TEST(ProfileTest, Errors) {
  ProfileOptions options;
  options.model.path = "tools/demo_data/collatz.pb";
  options.model.inputs = {"n=27"};
  options.trace = "/no/such/folder/trace.json";
  EXPECT_EQ(Profile(options, {}).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace flowlatch
