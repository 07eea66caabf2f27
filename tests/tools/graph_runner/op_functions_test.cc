#include "ops/op_functions.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "ops/default_ops.h"
#include "tests/testing/built_graph.h"
#include "tools/graph_runner/op_functions.h"
#include "tools/graph_runner/ops.h"
#include "tools/graph_runner/text.h"

namespace flowlatch {
namespace {

TEST(OpFunctions, HeaderIsWhatTheRegisteredOpsGive) {
  std::ifstream file("ops/op_functions.h");
  std::stringstream committed;
  committed << file.rdbuf();
  EXPECT_TRUE(committed.str() == OpFunctionsHeader(DefaultOps())) << "ops/op_functions.h is stale: graph-runner ops --cpp > ops/op_functions.h";
}

TEST(OpsPage, IsWhatTheRegisteredOpsGive) {
  std::ifstream file("docs/ops.md");
  std::stringstream committed;
  committed << file.rdbuf();
  OpsOptions options;
  options.markdown = true;
  const auto report = ListOps(options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(committed.str() == OpsText(*report, options, {})) << "docs/ops.md is stale: graph-runner ops --markdown > docs/ops.md";
}

TEST(OpFunctions, TakeConstantsListsAndAttributes) {
  BuiltGraph t;
  const Output x = ops::Reshape(t.b, {1.0f, 2.0f, 3.0f, 4.0f}, {2, 2});
  const Output y = ops::MatMul(t.b, x, {{1.0f, 0.0f}, {0.0f, 2.0f}}, {.transpose_a = true});
  const Output joined = ops::ConcatV2(t.b, {x, y}, 1);
  const ops::TopKV2Outputs top = ops::TopKV2(t.b, joined, 1);
  const Outputs halves = ops::Split(t.b, 1, joined, 2);
  const Output whole = ops::Cast(t.b, top.values, DType::kInt32, {.name = "whole"});
  EXPECT_EQ(whole.name(), "whole:0");
  EXPECT_EQ(t.Run({}, {y, halves[1], top.indices, whole}),
            "float32[2,2] = [[1 6] [2 8]]; float32[2,2] = [[1 6] [2 8]]; int32[2,1] = [[3] [3]]; int32[2,1] = [[6] [8]]");
}

TEST(OpFunctions, ErrorsNameTheCall) {
  BuiltGraph t;
  ops::MatMul(t.b, t.b.Constant(Input({{1.0f}})), t.b.Constant(Input({{1.0, 2.0}})));
  EXPECT_NE(std::string(t.b.status().message()).find("op_functions_test.cc:"), std::string::npos) << t.b.status();
}

}  // namespace
}  // namespace flowlatch
