#include "graph/io/dot.h"

#include "gmock/gmock.h"
#include "graph/io/graph_def.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kLoop[] = R"(
  node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
  node { name: 'w/e' op: 'Enter' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } attr { key: 'frame_name' value { s: 'the "loop"' } } }
  node { name: 'w/m' op: 'Merge' input: 'w/e' input: 'w/n' attr { key: 'T' value { type: DT_FLOAT } } attr { key: 'N' value { i: 2 } } }
  node { name: 'w/p' op: 'Const' input: '^w/m' attr { key: 'dtype' value { type: DT_BOOL } }
         attr { key: 'value' value { tensor { dtype: DT_BOOL tensor_shape { } bool_val: true } } } }
  node { name: 'w/s' op: 'Switch' input: 'w/m' input: 'w/p' attr { key: 'T' value { type: DT_FLOAT } } }
  node { name: 'w/n' op: 'NextIteration' input: 'w/s:1' attr { key: 'T' value { type: DT_FLOAT } } }
  node { name: 'out' op: 'Exit' input: 'w/s' attr { key: 'T' value { type: DT_FLOAT } } })";

class DotTest : public testing::Test {
 protected:
  std::string Dot(DotOptions::Clusters clusters) { return GraphToDot(*ReadGraphDefText(kLoop, registry_), {clusters}); }
  OpRegistry registry_;
};

TEST_F(DotTest, Scopes) {
  EXPECT_EQ(Dot(DotOptions::Clusters::kScopes),
            "digraph {\n"
            "  node [shape=box];\n"
            "  n0 [label=\"Placeholder\\nx\", tooltip=\"x\"];\n"
            "  n6 [label=\"Exit\\nout\", tooltip=\"out\"];\n"
            "  subgraph cluster_0 {\n"
            "  label=\"w\";\n"
            "  n1 [label=\"Enter\\ne\", tooltip=\"w/e\"];\n"
            "  n2 [label=\"Merge\\nm\", tooltip=\"w/m\"];\n"
            "  n3 [label=\"Const\\np\", tooltip=\"w/p\"];\n"
            "  n4 [label=\"Switch\\ns\", tooltip=\"w/s\"];\n"
            "  n5 [label=\"NextIteration\\nn\", tooltip=\"w/n\"];\n"
            "  }\n"
            "  n0 -> n1;\n"
            "  n1 -> n2;\n"
            "  n5 -> n2 [constraint=false];\n"
            "  n2 -> n3 [style=dashed];\n"
            "  n2 -> n4;\n"
            "  n3 -> n4;\n"
            "  n4 -> n5 [taillabel=\"1\"];\n"
            "  n4 -> n6;\n"
            "}\n");
}

TEST_F(DotTest, Frames) {
  const std::string dot = Dot(DotOptions::Clusters::kFrames);
  EXPECT_THAT(dot, HasSubstr("label=\"the \\\"loop\\\"\";\n  n1 "));
  const size_t box = dot.find("subgraph"), end = dot.find("  }\n");
  for (const char* inside : {"  n1 [", "  n2 [", "  n3 [", "  n4 [", "  n5 [", "  n6 ["}) {
    EXPECT_GT(dot.find(inside), box) << inside;
    EXPECT_LT(dot.find(inside), end) << inside;
  }
  EXPECT_LT(dot.find("  n0 ["), box);
}

TEST_F(DotTest, NoClusters) { EXPECT_THAT(Dot(DotOptions::Clusters::kNone), Not(HasSubstr("subgraph"))); }

TEST_F(DotTest, NestedScopes) {
  const auto graph = ReadGraphDefText(
      "node { name: 'a/b/n' op: 'NoOp' } node { name: 'a/n' op: 'NoOp' } node { name: 'c/b/n' op: 'NoOp' } node { "
      "name: 'a/b/m' op: 'NoOp' }",
      registry_);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(GraphToDot(*graph),
            "digraph {\n"
            "  node [shape=box];\n"
            "  subgraph cluster_0 {\n"
            "  label=\"a\";\n"
            "  n1 [label=\"NoOp\\nn\", tooltip=\"a/n\"];\n"
            "  subgraph cluster_1 {\n"
            "  label=\"b\";\n"
            "  n0 [label=\"NoOp\\nn\", tooltip=\"a/b/n\"];\n"
            "  n3 [label=\"NoOp\\nm\", tooltip=\"a/b/m\"];\n"
            "  }\n"
            "  }\n"
            "  subgraph cluster_2 {\n"
            "  label=\"c\";\n"
            "  subgraph cluster_3 {\n"
            "  label=\"b\";\n"
            "  n2 [label=\"NoOp\\nn\", tooltip=\"c/b/n\"];\n"
            "  }\n"
            "  }\n"
            "}\n");
}

}  // namespace
}  // namespace flowlatch
