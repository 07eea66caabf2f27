#include "graph/passes/graph_rewrite.h"

#include "tests/graph/passes/functions_fixture.h"

namespace flowlatch {
namespace {

class GraphRewriteTest : public FunctionsTest {
 protected:
  static NodeId Id(const Graph& graph, std::string_view name) { return *graph.FindNode(name); }
  // Copies all nodes but `left`, in order; `visit` does what is to be done with those it returns true for.
  template <typename Visit>
  static RewrittenGraph Rewrite(const Graph& graph, const Visit& visit) {
    GraphRewrite rewrite(graph);
    for (NodeId id = 0; id < graph.num_nodes(); ++id) {
      rewrite.Visit(id);
      if (!visit(rewrite, id)) {
        EXPECT_TRUE(rewrite.Copy().ok());
      }
    }
    return std::move(rewrite).Finish();
  }
};

TEST_F(GraphRewriteTest, CopyIsTheSame) {
  g_.Const("a", 1).CountingLoop("loop", "a", "a").Add("sum", "FakeAdd", {"loop/exit", "a", "^loop/enter", "^a"});
  Graph graph = Build();
  graph.producer = 27;
  const RewrittenGraph made = Rewrite(graph, [](GraphRewrite&, NodeId) { return false; });
  ASSERT_EQ(made.graph.num_nodes(), graph.num_nodes());
  EXPECT_EQ(made.graph.producer, 27);
  EXPECT_EQ(made.graph.shared_library(), graph.shared_library());
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    EXPECT_EQ(Describe(made.graph, graph.node(id).name), Describe(graph, graph.node(id).name));
    EXPECT_EQ(made.node_of[id], id);
    EXPECT_EQ(made.stem[id], id);
  }
}

TEST_F(GraphRewriteTest, UsersFollowTheReplacement) {
  // The user stands before what it uses.
  g_.Add("user", "FakeAdd", {"two:0", "two:1", "^two"}).Add("two", "FakeTwo", {"a"}).Const("a", 1);
  const Graph graph = Build();
  const RewrittenGraph made = Rewrite(graph, [&](GraphRewrite& rewrite, NodeId id) {
    if (id != Id(graph, "two")) return false;
    const auto x =
        rewrite.Add("x", "FakeIdentity", {{"T", DType::kInt32}}, {GraphRewrite::Old(graph.inputs(id)[0])}, {});
    const auto y = rewrite.Add("y", "FakeNoOp", {}, {}, {GraphRewrite::New(*x, -1)});
    EXPECT_TRUE(rewrite.Replace({GraphRewrite::New(*x), GraphRewrite::New(*x)}, *y).ok());
    return true;
  });
  EXPECT_EQ(Describe(made.graph, "user"), "FakeAdd(x:0, x:0, ^y)");
  EXPECT_EQ(Describe(made.graph, "x"), "FakeIdentity(a:0)");
  EXPECT_EQ(Describe(made.graph, "two"), "IdentityN(x:0, x:0, ^y)");
  EXPECT_EQ(made.node_of[Id(graph, "two")], Id(made.graph, "two"));
  EXPECT_EQ(made.stem[Id(made.graph, "x")], Id(graph, "two"));
}

TEST_F(GraphRewriteTest, LeftOut) {
  g_.Const("a", 1).Const("b", 2).Add("user", "FakeIdentity", {"b"});
  const Graph graph = Build();
  GraphRewrite rewrite(graph);
  for (const NodeId id : {1, 2}) {
    rewrite.Visit(id);
    ASSERT_TRUE(rewrite.Copy().ok());
  }
  const RewrittenGraph made = std::move(rewrite).Finish();
  EXPECT_EQ(made.graph.num_nodes(), 2);
  EXPECT_EQ(made.node_of[0], -1);
  EXPECT_EQ(Describe(made.graph, "user"), "FakeIdentity(b:0)");
}

TEST_F(GraphRewriteTest, EachIsAwaitedOnce) {
  g_.Const("a", 1).Const("b", 2).Add("user", "FakeNoOp", {"^b", "^a"});
  const Graph graph = Build();
  const RewrittenGraph made = Rewrite(graph, [&](GraphRewrite& rewrite, NodeId id) {
    if (graph.node(id).name == "user") return false;
    // Both become one.
    const auto same = id == 0 ? rewrite.Add("same", "FakeNoOp", {}, {}, {}) : absl::StatusOr<NodeId>(0);
    const auto value =
        rewrite.Add("value", "FakeIdentity", {{"T", DType::kInt32}}, {GraphRewrite::Old(Port{0, 0})}, {});
    EXPECT_TRUE(rewrite.Replace({GraphRewrite::New(*value)}, *same).ok());
    return true;
  });
  EXPECT_EQ(Describe(made.graph, "user"), "FakeNoOp(^same)");
  EXPECT_EQ(Describe(made.graph, "value_1"), "FakeIdentity(value:0)");
}

TEST_F(GraphRewriteTest, UnknownOp) {
  g_.Const("a", 1);
  const Graph graph = Build();
  GraphRewrite rewrite(graph);
  rewrite.Visit(0);
  EXPECT_EQ(rewrite.Add("x", "NoSuchOp", {}, {}, {}).status().code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace flowlatch
