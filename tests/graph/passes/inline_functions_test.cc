#include "graph/passes/inline_functions.h"

#include "gmock/gmock.h"
#include "tests/graph/passes/functions_fixture.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr DType kI = DType::kInt32;

class InlineFunctionsTest : public FunctionsTest {
 protected:
  InlineFunctionsTest() {
    AddFunction({"F",
                 {"a DT_INT32", "b DT_INT32"},
                 {"r DT_INT32", "s DT_INT32"},
                 {std::string("sum FakeAdd a,b ") + kInt, std::string("one FakeConst  ") + kOne,
                  std::string("more FakeAdd sum:z:0,one:output:0 ") + kInt, "kept FakeEffect ^sum key=s:'kept'",
                  "other FakeEffect  key=s:'other'"},
                 {"r more:z:0", "s b"},
                 {"kept"}});
    g_.Const("x", 1).Const("y", 2).Const("c", 3);
  }
  // Treats the node `call` as told and copies the others.
  absl::StatusOr<InlinedFunctions> Run(Inlining how) { return Run(Build(), how); }
  absl::StatusOr<InlinedFunctions> Run(Graph graph, Inlining how) {
    graph_.emplace(std::move(graph));
    std::vector<Inlining> what(graph_->num_nodes(), Inlining::kCopy);
    what[*graph_->FindNode("call")] = how;
    return InlineFunctions(*graph_, what);
  }
  Graph Inlined(Inlining how = Inlining::kInline) {
    absl::StatusOr<InlinedFunctions> inlined = Run(how);
    EXPECT_TRUE(inlined.ok()) << inlined.status();
    if (!inlined.ok()) return Graph(ops_.library().registry());
    effects_.clear();
    for (const NodeId id : inlined->effects) effects_.emplace_back(inlined->rewritten.graph.node(id).name);
    const absl::Status valid = Verify(inlined->rewritten.graph);
    EXPECT_TRUE(valid.ok()) << valid;
    return std::move(inlined->rewritten.graph);
  }

  std::optional<Graph> graph_;
  std::vector<std::string> effects_;
};

TEST_F(InlineFunctionsTest, CallBecomesItsBody) {
  g_.Add("call", "StatefulPartitionedCall", {"x", "y", "^c"}, CallOf("F", {kI, kI}, {kI, kI}));
  g_.Add("user", "FakeAdd", {"call:0", "call:1"}).Add("after", "FakeNoOp", {"^call"});
  const Graph graph = Inlined();
  EXPECT_EQ(Describe(graph, "call/a"), "Identity(x:0, ^c)");
  EXPECT_EQ(Describe(graph, "call/b"), "Identity(y:0, ^c)");
  EXPECT_EQ(Describe(graph, "call/input_control_node"), "NoOp(^c, ^call/a, ^call/b)");
  EXPECT_EQ(Describe(graph, "call/sum"), "FakeAdd(call/a:0, call/b:0)");
  EXPECT_EQ(Describe(graph, "call/one"), "FakeConst(^call/input_control_node)");
  EXPECT_EQ(Describe(graph, "call/more"), "FakeAdd(call/sum:0, call/one:0)");
  EXPECT_EQ(Describe(graph, "call/kept"), "FakeEffect(^call/sum)");
  EXPECT_EQ(Describe(graph, "user"), "FakeAdd(call/more:0, call/b:0)");
  EXPECT_EQ(Describe(graph, "call/output_control_node"), "NoOp(^call/input_control_node, ^call/kept)");
  EXPECT_EQ(Describe(graph, "after"), "FakeNoOp(^call/output_control_node)");
  EXPECT_EQ(Describe(graph, "call"), "IdentityN(call/more:0, call/b:0, ^call/output_control_node)");
  EXPECT_THAT(effects_, ElementsAre("call/kept"));
}

TEST_F(InlineFunctionsTest, CallByNameKeepsAllEffects) {
  g_.Add("call", "F", {"x", "y"});
  const Graph graph = Inlined();
  EXPECT_THAT(effects_, ElementsAre("call/kept", "call/kept", "call/other"));
  EXPECT_EQ(Describe(graph, "call/other"), "FakeEffect(^call/input_control_node)");
  // Who waits for it waits for everything that it does.
  EXPECT_EQ(Describe(graph, "call/output_control_node"),
            "NoOp(^call/input_control_node, ^call/more, ^call/b, ^call/kept, ^call/other)");
}

TEST_F(InlineFunctionsTest, BranchWaitsForItsPivotAlone) {
  g_.Add("call", "PartitionedCall", {"x", "y", "^c"}, CallOf("F", {kI, kI}, {kI, kI}));
  const Graph graph = Inlined(Inlining::kInlineBranch);
  EXPECT_EQ(Describe(graph, "call/input_control_node"), "NoOp(^c)");
  EXPECT_EQ(Describe(graph, "call/a"), "Identity(x:0, ^call/input_control_node)");
  EXPECT_THAT(effects_, IsEmpty());
}

TEST_F(InlineFunctionsTest, NothingToWaitFor) {
  AddFunction({"Constant", {}, {"r DT_INT32"}, {std::string("one FakeConst  ") + kOne}, {"r one:output:0"}});
  g_.Add("call", "PartitionedCall", {}, CallOf("Constant", {}, {kI}));
  const Graph graph = Inlined();
  EXPECT_EQ(Describe(graph, "call/input_control_node"), "");
  EXPECT_EQ(Describe(graph, "call/one"), "FakeConst()");
  EXPECT_EQ(Describe(graph, "call/output_control_node"), "NoOp()");
}

TEST_F(InlineFunctionsTest, FunctionWithoutResults) {
  AddFunction({"Effect", {"a DT_INT32"}, {}, {"e FakeEffect ^a key=s:'e'"}, {}, {"e"}});
  g_.Add("call", "StatefulPartitionedCall", {"x"}, CallOf("Effect", {kI}, {}));
  EXPECT_EQ(Describe(Inlined(), "call"), "NoOp(^call/output_control_node)");
}

TEST_F(InlineFunctionsTest, TakenNamesGetNumbers) {
  g_.Const("call/sum", 4).Const("call/sum_1", 5);
  g_.Add("call", "PartitionedCall", {"x", "y"}, CallOf("F", {kI, kI}, {kI, kI}));
  const Graph graph = Inlined();
  EXPECT_EQ(Describe(graph, "call/sum"), "FakeConst()");
  EXPECT_EQ(Describe(graph, "call/sum_2"), "FakeAdd(call/a:0, call/b:0)");
}

TEST_F(InlineFunctionsTest, FramesAndColocationsGetThePrefix) {
  AddFunction({"Loop",
               {"a DT_INT32"},
               {"r DT_INT32"},
               {"enter Enter a T=type:DT_INT32;frame_name=s:'loop';_class=list{s:'loc:@a',s:'loc:@elsewhere'}",
                std::string("exit Exit enter:output:0 ") + kInt},
               {"r exit:output:0"}});
  g_.Add("call", "PartitionedCall", {"x"}, CallOf("Loop", {kI}, {kI}));
  const Graph graph = Inlined();
  EXPECT_EQ(*AttrOf(graph, "call/enter", "frame_name").Get<std::string>(), "call/loop");
  EXPECT_THAT(*AttrOf(graph, "call/enter", "_class").Get<std::vector<std::string>>(),
              ElementsAre("loc:@call/a", "loc:@elsewhere"));
}

TEST_F(InlineFunctionsTest, ReferenceIsReadWhereTheCallEnds) {
  AddFunction({"ReadsVariable", {}, {"r DT_INT32"}, {"v FakeVariable  T=type:DT_INT32"}, {"r v:ref:0"}});
  g_.Add("call", "PartitionedCall", {}, CallOf("ReadsVariable", {}, {kI})).Add("user", "FakeIdentity", {"call"});
  const Graph graph = Inlined();
  EXPECT_EQ(Describe(graph, "call/result_0"), "Identity(call/v:0)");
  EXPECT_EQ(Describe(graph, "user"), "FakeIdentity(call/result_0:0)");
}

TEST_F(InlineFunctionsTest, Errors) {
  AddFunction({"Broken", {"a DT_INT32"}, {"r DT_INT32"}, {std::string("n FakeAdd a,nobody ") + kInt}, {"r n:z:0"}});
  const struct {
    const char* function;
    std::vector<DType> in, out;
    const char* text;
  } cases[] = {
      {"F", {kI, kI}, {kI}, "node 'call' (PartitionedCall): function 'F': expected 2 results, got 1"},
      {"F", {kI}, {kI, kI}, "node 'call' (PartitionedCall): function 'F': expected 2 arguments, got 1"},
      {"F", {kI, kI}, {kI, DType::kBool}, "function 'F': expected result 1 to be int32, got bool"},
      {"Broken", {kI}, {kI}, "node 'call' (PartitionedCall): function 'Broken': "},
      {"G", {kI}, {kI}, "node 'call' (PartitionedCall): function 'G': not in the graph's library"},
  };
  for (const auto& c : cases) {
    TestGraph g(ops_.library().registry());
    g.set_library(functions_);
    g.Const("x", 1).Const("y", 2);
    std::vector<std::string> inputs = {"x", "y"};
    inputs.resize(c.in.size());
    g.Add("call", "PartitionedCall", inputs, CallOf(c.function, c.in, c.out));
    absl::StatusOr<Graph> graph = g.Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    const absl::Status status = Run(*std::move(graph), Inlining::kInline).status();
    EXPECT_FALSE(status.ok()) << c.text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.text));
  }
}

TEST_F(InlineFunctionsTest, NoInline) {
  AddFunction({"Opaque",
               {},
               {"r DT_INT32"},
               {std::string("one FakeConst  ") + kOne},
               {"r one:output:0"},
               {},
               {"_noinline=b:true"}});
  const Graph graph = Build();
  EXPECT_TRUE(IsNoInline(graph, {"Opaque", {}}));
  EXPECT_FALSE(IsNoInline(graph, {"F", {}}));
  EXPECT_FALSE(IsNoInline(graph, {"Nobody", {}}));
}

}  // namespace
}  // namespace flowlatch
