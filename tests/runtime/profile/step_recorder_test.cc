#include "runtime/profile/step_recorder.h"

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

TEST(StepRecorderTest, CountsAndRemembersWhen) {
  std::vector<std::string> seen;
  StepRecorder recorder([&](std::string_view node, absl::Span<const Tensor>) { seen.emplace_back(node); });
  const int plan = 0;
  StepRecorder::PlanRecord& record = recorder.RecordOf(&plan, "f/", [](StepRecorder::PlanRecord& r) {
    r.nodes.resize(3);
    const char* const names[] = {"never", "a", "b"};
    for (size_t i = 0; i < 3; ++i) {
      r.nodes[i].node = names[i];
      r.nodes[i].op = "Op";
    }
    r.frames.resize(1);
  });
  EXPECT_EQ(&record, &recorder.RecordOf(&plan, "f/", [](StepRecorder::PlanRecord&) { FAIL() << "it is there"; }));
  const std::vector<Tensor> outputs = {Tensor::Vector<float>({1, 2, 3}), Tensor::Dead()};
  recorder.Executed(record.nodes[2], 10, outputs);
  recorder.Executed(record.nodes[1], 20, {});
  recorder.Executed(record.nodes[2], 30, outputs);
  const StepStats stats = recorder.Finish(1000);
  EXPECT_EQ(stats.wall_ns, 1000);
  ASSERT_EQ(stats.nodes.size(), 2);
  EXPECT_EQ(stats.nodes[0].node, "a");
  EXPECT_EQ(stats.nodes[0].dtype, DType::kInvalid);
  EXPECT_EQ(stats.nodes[1].executions, 2);
  EXPECT_EQ(stats.nodes[1].time_ns, 40);
  EXPECT_EQ(stats.nodes[1].dtype, DType::kFloat32);
  EXPECT_EQ(stats.nodes[1].output_bytes, 24);
  ASSERT_EQ(stats.timeline.size(), 3);
  EXPECT_EQ(stats.timeline[0].node, 1);
  EXPECT_EQ(stats.timeline[1].node, 0);
  EXPECT_EQ(stats.timeline[2].time_ns, 30);
  EXPECT_LE(stats.timeline[0].start_ns, stats.timeline[2].start_ns + 30);
  EXPECT_EQ(seen, (std::vector<std::string>{"b", "a", "b"}));
  EXPECT_TRUE(stats.frames.empty());
}

}  // namespace
}  // namespace flowlatch
