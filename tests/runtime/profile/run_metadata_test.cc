#include "runtime/profile/run_metadata.h"

#include "flowlatch/proto/config.pb.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

TEST(RunMetadataTest, EachExecutionIsANodeOfTheDevice) {
  StepStats stats;
  stats.nodes = {{.node = "a", .op = "MatMul", .executions = 2, .time_ns = 5300, .dtype = DType::kFloat32, .output_bytes = 800},
                 {.node = "b", .op = "NoOp", .executions = 1, .time_ns = 20}};
  stats.timeline = {{0, 1500, 5000}, {1, 7000, 20}, {0, 8000, 300}};
  proto::RunMetadata metadata;
  metadata.add_partition_graphs();
  StatsToRunMetadata(stats, &metadata);
  EXPECT_EQ(metadata.partition_graphs_size(), 0);
  ASSERT_EQ(metadata.step_stats().dev_stats_size(), 1);
  const auto& nodes = metadata.step_stats().dev_stats(0).node_stats();
  ASSERT_EQ(nodes.size(), 3);
  EXPECT_EQ(nodes[0].node_name(), "a");
  EXPECT_EQ(nodes[0].timeline_label(), "a = MatMul");
  EXPECT_EQ(nodes[0].all_start_micros(), 1);
  EXPECT_EQ(nodes[0].all_start_nanos(), 1500);
  EXPECT_EQ(nodes[0].op_end_rel_micros(), 5);
  EXPECT_EQ(nodes[0].memory(0).total_bytes(), 400);
  EXPECT_EQ(nodes[1].node_name(), "b");
  EXPECT_EQ(nodes[1].all_end_rel_micros(), 1);
  EXPECT_EQ(nodes[1].all_end_rel_nanos(), 20);
  EXPECT_EQ(nodes[1].memory_size(), 0);
}

TEST(RunMetadataTest, AnEmptyStep) {
  proto::RunMetadata metadata;
  StatsToRunMetadata({}, &metadata);
  EXPECT_EQ(metadata.step_stats().dev_stats(0).node_stats_size(), 0);
}

}  // namespace
}  // namespace flowlatch
