#include "tools/graph_runner/grad.h"

#include <gtest/gtest.h>

#include <string>

#include "graph/build/graph_builder.h"
#include "graph/io/graph_def.h"
#include "ops/default_ops.h"
#include "tools/arrays/files.h"

namespace flowlatch {
namespace {

// x * w^n by a loop, with its trip count and w fixed.
std::string LoopModel() {
  GraphBuilder b(DefaultOps().registry());
  const Output x = b.Placeholder(DType::kFloat64, Shape::Of({2}), "x");
  const Output w = b.Constant(Input({2.0, 3.0}), "w");
  const Outputs r = b.While({0, x}, [&](const Outputs& v) { return v[0] < 3; }, [&](const Outputs& v) { return Outputs{v[0] + 1, v[1] * w}; });
  b.Op("Identity", {r[1]}, {}, "y");
  b.Op("Cast", {r[1]}, {{"DstT", DType::kInt32}}, "whole");
  const std::string path = testing::TempDir() + "/loop.pb";
  EXPECT_TRUE(WriteBytes(path, WriteGraphDef(b.Build().value()).value()).ok());
  return path;
}

TEST(Grad, ThroughALoopAndBack) {
  GradOptions options;
  options.model.path = LoopModel();
  options.of = "y:0";
  options.wrt = {"x:0", "w:0"};
  options.model.inputs = {"x=[1,1]:f64"};
  options.check = true;
  absl::StatusOr<GradReport> report = GradOfModel(options, {.quiet = true});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->y.DebugString(), "float64[2] = [8 27]");
  EXPECT_EQ(report->rows[0].value.DebugString(), "float64[2] = [8 27]");
  EXPECT_EQ(report->rows[1].value.DebugString(), "float64[2] = [12 27]");
  EXPECT_EQ(report->differing, 0);
  EXPECT_EQ(report->rows[1].elements, 2);

  options.second = true;
  report = GradOfModel(options, {.quiet = true});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->differing, 0);
}

TEST(Grad, SaysWhatIsWrong) {
  GradOptions options;
  options.model.path = LoopModel();
  options.of = "whole:0";
  options.wrt = {"w:0"};
  EXPECT_FALSE(GradOfModel(options, {.quiet = true}).ok());
  options.of = "nobody:0";
  EXPECT_EQ(GradOfModel(options, {.quiet = true}).status().code(), absl::StatusCode::kNotFound);
  options.of = "y:0";
  options.stop = {"y:0"};
  const absl::StatusOr<GradReport> report = GradOfModel(options, {.quiet = true});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->rows[0].reason, "'y' (Identity) is in stop_gradients");
}

}  // namespace
}  // namespace flowlatch
