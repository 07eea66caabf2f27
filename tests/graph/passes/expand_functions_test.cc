#include "graph/passes/expand_functions.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/graph/passes/functions_fixture.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;

constexpr DType kI = DType::kInt32;

class ExpandFunctionsTest : public FunctionsTest {
 protected:
  ExpandFunctionsTest() {
    AddFunction({"Double", {"a DT_INT32"}, {"r DT_INT32"}, {std::string("sum FakeAdd a,a ") + kInt}, {"r sum:z:0"}});
    AddFunction({"Quiet", {"a DT_INT32"}, {"r DT_INT32", "s DT_INT32"}, {}, {"r a", "s a"}});
    AddFunction({"Loud",
                 {"a DT_INT32"},
                 {"r DT_INT32", "s DT_INT32"},
                 {"loud FakeFail a key=s:'loud'"},
                 {"r loud:output:0", "s a"}});
    g_.Add("p", "Placeholder", {}, {{"T", DType::kBool}}).Const("x", 1);
  }
  void AddIf(const std::string& name, const std::string& then_branch, bool marked = true) {
    AttrMap attrs{{"Tcond", DType::kBool},
                  {"Tin", std::vector<DType>{kI}},
                  {"Tout", std::vector<DType>{kI, kI}},
                  {"then_branch", FunctionRef{then_branch, {}}},
                  {"else_branch", FunctionRef{"Quiet", {}}}};
    g_.Add(name, "StatelessIf", {"p", "x"}, marked ? attrs.With("_lower_using_switch_merge", true) : attrs);
  }
  // The graph for a step, or an empty one if there is nothing to do.
  Graph Expanded(FunctionalForm form, std::vector<std::string> fetches, std::vector<std::string> feeds = {},
                 std::vector<std::string> targets = {}) {
    const Graph graph = Build();
    StepPorts step;
    for (const std::string& name : fetches) step.fetches.push_back(*graph.ParsePort(name));
    for (const std::string& name : feeds) step.feeds.push_back(*graph.ParsePort(name));
    for (const std::string& name : targets) step.targets.push_back(*graph.FindNode(name));
    absl::StatusOr<std::optional<ExpandedFunctions>> expanded = ExpandFunctions(graph, step, form);
    EXPECT_TRUE(expanded.ok()) << expanded.status();
    if (!expanded.ok() || !expanded->has_value()) return Graph(ops_.library().registry());
    ExpandedFunctions& made = **expanded;
    EXPECT_TRUE(Verify(made.graph).ok());
    for (size_t i = 0; i < step.feeds.size(); ++i)
      EXPECT_EQ(made.graph.PortName(made.step.feeds[i]), graph.PortName(step.feeds[i]));
    for (size_t i = 0; i < step.fetches.size(); ++i)
      EXPECT_EQ(made.graph.PortName(made.step.fetches[i]), graph.PortName(step.fetches[i]));
    targets_.clear();
    for (const NodeId id : made.step.targets) targets_.emplace_back(made.graph.node(id).name);
    return std::move(made.graph);
  }
  static int Count(const Graph& graph, std::string_view op) {
    int count = 0;
    for (NodeId id = 0; id < graph.num_nodes(); ++id) count += graph.node(id).op() == op;
    return count;
  }

  std::vector<std::string> targets_;
};

TEST_F(ExpandFunctionsTest, CalledFormChangesNothing) {
  AddIf("if", "Loud");
  EXPECT_EQ(Expanded(FunctionalForm::kCalled, {"if:1"}).num_nodes(), 0);
}

TEST_F(ExpandFunctionsTest, MarkedOpsAreLoweredWhereItCanBeNoticed) {
  AddIf("loud", "Loud");
  AddIf("quiet", "Quiet");
  AddIf("unmarked", "Loud", false);
  for (const char* op : {"loud", "quiet", "unmarked"})
    g_.Add(absl::StrCat(op, "/second"), "FakeIdentity", {absl::StrCat(op, ":1")});
  const Graph graph = Expanded(FunctionalForm::kAsMarked, {"loud/second", "quiet/second", "unmarked/second"});
  EXPECT_EQ(Describe(graph, "loud/second"), "FakeIdentity(loud/merge_1:0)");
  EXPECT_EQ(Describe(graph, "quiet/second"), "FakeIdentity(quiet:1)");
  EXPECT_EQ(Describe(graph, "unmarked/second"), "FakeIdentity(unmarked:1)");
  EXPECT_EQ(Count(graph, "PartitionedCall"), 0);  // branches are inlined
}

TEST_F(ExpandFunctionsTest, NothingToNotice) {
  AddIf("loud", "Loud");
  EXPECT_EQ(Expanded(FunctionalForm::kAsMarked, {"loud:1"}).num_nodes(), 0);  // fetched as a whole
  g_.Add("first", "FakeIdentity", {"loud"}).Add("second", "FakeIdentity", {"loud:1"});
  EXPECT_EQ(Expanded(FunctionalForm::kAsMarked, {"first", "second"}).num_nodes(), 0);
  EXPECT_EQ(Expanded(FunctionalForm::kAsMarked, {"x"}).num_nodes(), 0);  // the step does not need it
}

TEST_F(ExpandFunctionsTest, InputsThatNobodyNeeds) {
  AddFunction({"Second", {"a DT_INT32", "b DT_INT32"}, {"r DT_INT32", "s DT_INT32"}, {}, {"r a", "s b"}});
  g_.Add("unfed", "Placeholder");
  const AttrMap attrs{{"Tcond", DType::kBool},
                      {"Tin", std::vector<DType>{kI, kI}},
                      {"Tout", std::vector<DType>{kI, kI}},
                      {"then_branch", FunctionRef{"Second", {}}},
                      {"else_branch", FunctionRef{"Second", {}}},
                      {"_lower_using_switch_merge", true}};
  g_.Add("if", "StatelessIf", {"p", "unfed", "x"}, attrs).Add("second", "FakeIdentity", {"if:1"});
  EXPECT_EQ(Describe(Expanded(FunctionalForm::kAsMarked, {"second"}), "second"), "FakeIdentity(if/merge_1:0)");
  // With a value for it nobody can tell.
  EXPECT_EQ(Expanded(FunctionalForm::kAsMarked, {"second"}, {"unfed"}).num_nodes(), 0);
}

TEST_F(ExpandFunctionsTest, LoweredFormLeavesNoCalls) {
  AddFunction(
      {"Nested",
       {"p DT_BOOL", "a DT_INT32"},
       {"r DT_INT32"},
       {std::string(
            "if StatelessIf p,a Tcond=type:DT_BOOL;Tin=list{type:DT_INT32};Tout=list{type:DT_INT32,type:DT_INT32};"
            "then_branch=func{name:'Loud'};else_branch=func{name:'Quiet'}"),
        "call Double if:output:0"},
       {"r call:r:0"}});
  g_.Add("call", "PartitionedCall", {"p", "x"}, CallOf("Nested", {DType::kBool, kI}, {kI}));
  const Graph graph = Expanded(FunctionalForm::kLowered, {"call"}, {"p"});
  for (const char* op : {"PartitionedCall", "StatelessIf", "Double", "Loud", "Quiet"})
    EXPECT_EQ(Count(graph, op), 0) << op;
  EXPECT_EQ(Describe(graph, "call/call/sum"), "FakeAdd(call/call/a:0, call/call/a:0)");
  EXPECT_EQ(Describe(graph, "call/if/then/loud"), "FakeFail(call/if/then/a:0)");
}

TEST_F(ExpandFunctionsTest, EffectsOfCallsBecomeTargets) {
  AddFunction({"Effects",
               {"a DT_INT32"},
               {"r DT_INT32"},
               {"kept FakeEffect ^a key=s:'kept'", "other FakeEffect ^a key=s:'other'"},
               {"r a"},
               {"kept"}});
  g_.Add("call", "StatefulPartitionedCall", {"x"}, CallOf("Effects", {kI}, {kI})).Add("user", "FakeIdentity", {"call"});
  Expanded(FunctionalForm::kLowered, {"user"});
  EXPECT_THAT(targets_, ElementsAre("call/kept"));
}

TEST_F(ExpandFunctionsTest, RecursionStaysACall) {
  AddFunction({"Forever",
               {"a DT_INT32"},
               {"r DT_INT32"},
               {std::string("sum FakeAdd a,a ") + kInt, "again Forever sum:z:0"},
               {"r again:r:0"}});
  g_.Add("call", "Forever", {"x"});
  const Graph graph = Expanded(FunctionalForm::kLowered, {"call"});
  EXPECT_EQ(Count(graph, "FakeAdd"), 1);
  EXPECT_EQ(Describe(graph, "call/again"), "Forever(call/sum:0)");
}

TEST_F(ExpandFunctionsTest, GraphsDoNotGrowWithoutBounds) {
  // 2^40 additions in 40 functions.
  AddFunction({"F0", {"a DT_INT32"}, {"r DT_INT32"}, {std::string("sum FakeAdd a,a ") + kInt}, {"r sum:z:0"}});
  for (int i = 1; i <= 40; ++i) {
    const std::string inner = absl::StrCat("F", i - 1);
    AddFunction({absl::StrCat("F", i),
                 {"a DT_INT32"},
                 {"r DT_INT32"},
                 {"one " + inner + " a", "two " + inner + " one:r:0"},
                 {"r two:r:0"}});
  }
  g_.Add("call", "F40", {"x"});
  const Graph graph = Expanded(FunctionalForm::kLowered, {"call"});
  EXPECT_GT(graph.num_nodes(), 1000);
  EXPECT_LT(graph.num_nodes(), 1 << 18);
}

TEST_F(ExpandFunctionsTest, DeepNestingEndsInACall) {
  AddFunction({"D0", {"a DT_INT32"}, {"r DT_INT32"}, {std::string("sum FakeAdd a,a ") + kInt}, {"r sum:z:0"}});
  for (int i = 1; i <= 200; ++i) {
    AddFunction(
        {absl::StrCat("D", i), {"a DT_INT32"}, {"r DT_INT32"}, {absl::StrCat("in D", i - 1, " a")}, {"r in:r:0"}});
  }
  g_.Add("call", "D200", {"x"}).Add("user", "FakeIdentity", {"call"});
  const Graph graph = Expanded(FunctionalForm::kLowered, {"user"});
  EXPECT_EQ(Count(graph, "FakeAdd"), 0);
  EXPECT_EQ(Count(graph, "D136"), 1);  // 64 levels below the first
}

TEST_F(ExpandFunctionsTest, NoInlineStaysACall) {
  AddFunction({"Closed", {"a DT_INT32"}, {"r DT_INT32"}, {}, {"r a"}, {}, {"_noinline=b:true"}});
  g_.Add("call", "PartitionedCall", {"x"}, CallOf("Closed", {kI}, {kI}));
  EXPECT_EQ(Expanded(FunctionalForm::kLowered, {"call"}).num_nodes(), 0);
}

TEST_F(ExpandFunctionsTest, FedCallsStay) {
  AddIf("if", "Loud");
  g_.Add("second", "FakeAdd", {"if:1", "if:0"});
  EXPECT_EQ(Expanded(FunctionalForm::kLowered, {"second"}, {"if:1"}).num_nodes(), 0);
}

TEST_F(ExpandFunctionsTest, OnlyWhatTheStepNeeds) {
  AddIf("if", "Loud");
  g_.Add("second", "FakeIdentity", {"if:1"}).Const("elsewhere", 1);
  const Graph graph = Expanded(FunctionalForm::kAsMarked, {"second"}, {"p"}, {"x"});
  EXPECT_EQ(Describe(graph, "elsewhere"), "");
  EXPECT_EQ(Describe(graph, "x"), "FakeConst()");
}

}  // namespace
}  // namespace flowlatch
