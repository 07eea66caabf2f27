#include "graph/passes/lower_control_flow.h"

#include "gmock/gmock.h"
#include "tests/graph/passes/functions_fixture.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr DType kI = DType::kInt32;

class LowerControlFlowTest : public FunctionsTest {
 protected:
  LowerControlFlowTest() {
    for (const std::string name : {"F", "G"}) {
      AddFunction({name,
                   {"a DT_INT32"},
                   {"r DT_INT32", "s DT_INT32"},
                   {std::string("sum FakeAdd a,a ") + kInt},
                   {"r sum:z:0", "s a"}});
    }
    const std::vector<std::string> variables = {"i DT_INT32", "h DT_RESOURCE"};
    AddFunction({"Cond", variables, {"p DT_FLOAT"}, {"f Cast i SrcT=type:DT_INT32;DstT=type:DT_FLOAT"}, {"p f:y:0"}});
    AddFunction({"Body",
                 variables,
                 {"ni DT_INT32", "nh DT_RESOURCE"},
                 {std::string("sum FakeAdd i,i ") + kInt},
                 {"ni sum:z:0", "nh h"}});
    g_.Add("p", "Placeholder", {}, {{"T", DType::kFloat32}}).Add("k", "Placeholder").Const("x", 1).Const("c", 3);
    g_.Add("h", "Placeholder", {}, {{"T", DType::kResource}});
  }
  void AddIf(std::string then_branch = "F") {
    g_.Add("op", "StatelessIf", {"p", "x", "^c"},
           {{"Tcond", DType::kFloat32},
            {"Tin", std::vector<DType>{kI}},
            {"Tout", std::vector<DType>{kI, kI}},
            {"then_branch", FunctionRef{std::move(then_branch), {}}},
            {"else_branch", FunctionRef{"G", {}}}});
    g_.Add("user", "FakeAdd", {"op:0", "op:1"}).Add("after", "FakeNoOp", {"^op"});
  }
  absl::StatusOr<LoweredControlFlow> Run(Lowering how) {
    graph_.emplace(Build());
    std::vector<Lowering> what(graph_->num_nodes(), Lowering::kCopy);
    what[*graph_->FindNode("op")] = how;
    return LowerControlFlow(*graph_, what);
  }
  Graph Lowered(Lowering how = Lowering::kLower) {
    absl::StatusOr<LoweredControlFlow> lowered = Run(how);
    EXPECT_TRUE(lowered.ok()) << lowered.status();
    if (!lowered.ok()) return Graph(ops_.library().registry());
    const auto names = [&](const std::vector<NodeId>& nodes, std::vector<std::string>* out) {
      for (const NodeId id : nodes) out->emplace_back(lowered->rewritten.graph.node(id).name);
    };
    names(lowered->branches, &branches_);
    names(lowered->branches_with_effects, &with_effects_);
    const absl::Status valid = Verify(lowered->rewritten.graph);
    EXPECT_TRUE(valid.ok()) << valid;
    return std::move(lowered->rewritten.graph);
  }

  std::optional<Graph> graph_;
  std::vector<std::string> branches_, with_effects_;
};

TEST_F(LowerControlFlowTest, If) {
  AddIf();
  const Graph graph = Lowered();
  EXPECT_EQ(Describe(graph, "op/selector"), "ToBool(p:0, ^c)");
  EXPECT_EQ(Describe(graph, "op/switch_pred"), "Switch(op/selector:0, op/selector:0)");
  EXPECT_EQ(Describe(graph, "op/pivot_then"), "Identity(op/switch_pred:1)");
  EXPECT_EQ(Describe(graph, "op/pivot_else"), "Identity(op/switch_pred:0)");
  EXPECT_EQ(Describe(graph, "op/switch_0"), "Switch(x:0, op/selector:0)");
  EXPECT_EQ(Describe(graph, "op/then"), "PartitionedCall(op/switch_0:1, ^op/pivot_then)");
  EXPECT_EQ(Describe(graph, "op/else"), "PartitionedCall(op/switch_0:0, ^op/pivot_else)");
  EXPECT_EQ(AttrOf(graph, "op/then", "f").Get<FunctionRef>()->name, "F");
  EXPECT_EQ(AttrOf(graph, "op/else", "f").Get<FunctionRef>()->name, "G");
  EXPECT_EQ(Describe(graph, "op/merge_1"), "Merge(op/then:1, op/else:1)");
  EXPECT_EQ(Describe(graph, "op/branch_executed"), "Merge(op/pivot_then:0, op/pivot_else:0, ^op/then, ^op/else)");
  EXPECT_EQ(Describe(graph, "user"), "FakeAdd(op/merge_0:0, op/merge_1:0)");
  EXPECT_EQ(Describe(graph, "after"), "FakeNoOp(^op/branch_executed)");
  EXPECT_EQ(Describe(graph, "op"), "IdentityN(op/merge_0:0, op/merge_1:0, ^op/branch_executed)");
  EXPECT_THAT(branches_, ElementsAre("op/then", "op/else"));
  EXPECT_THAT(with_effects_, IsEmpty());
}

TEST_F(LowerControlFlowTest, BranchesWithEffectsAreCalledByName) {
  AddIf();
  const Graph graph = Lowered(Lowering::kLowerWithEffects);
  EXPECT_EQ(Describe(graph, "op/then"), "F(op/switch_0:1, ^op/pivot_then)");
  EXPECT_THAT(branches_, IsEmpty());
  EXPECT_THAT(with_effects_, ElementsAre("op/then", "op/else"));
}

TEST_F(LowerControlFlowTest, Case) {
  g_.Add("op", "Case", {"k", "x"},
         {{"Tin", std::vector<DType>{kI}},
          {"Tout", std::vector<DType>{kI, kI}},
          {"branches", std::vector<FunctionRef>{{"F", {}}, {"G", {}}, {"F", {}}}}});
  const Graph graph = Lowered();
  EXPECT_EQ(Describe(graph, "op/selector"), "Identity(k:0)");
  EXPECT_EQ(Describe(graph, "op/switch_0"), "_SwitchN(x:0, op/selector:0)");
  EXPECT_EQ(Describe(graph, "op/pivot_branch2"), "Identity(op/switch_pred:2)");
  EXPECT_EQ(Describe(graph, "op/branch2"), "StatefulPartitionedCall(op/switch_0:2, ^op/pivot_branch2)");
  EXPECT_EQ(Describe(graph, "op/merge_0"), "Merge(op/branch0:0, op/branch1:0, op/branch2:0)");
  EXPECT_THAT(branches_, ElementsAre("op/branch0", "op/branch1", "op/branch2"));
}

TEST_F(LowerControlFlowTest, While) {
  g_.Add("op", "While", {"x", "h", "^c"},
         {{"T", std::vector<DType>{kI, DType::kResource}},
          {"cond", FunctionRef{"Cond", {}}},
          {"body", FunctionRef{"Body", {}}},
          {"parallel_iterations", 7}});
  g_.Add("user", "FakeIdentity", {"op"}).Add("after", "FakeNoOp", {"^op"});
  const Graph graph = Lowered();
  EXPECT_EQ(Describe(graph, "op/LoopControlInputs"), "NoOp(^c)");
  EXPECT_EQ(Describe(graph, "op/enter_0"), "Enter(x:0, ^op/LoopControlInputs)");
  EXPECT_EQ(*AttrOf(graph, "op/enter_0", "frame_name").Get<std::string>(), "op");
  EXPECT_EQ(*AttrOf(graph, "op/enter_0", "parallel_iterations").Get<int64_t>(), 7);
  EXPECT_FALSE(*AttrOf(graph, "op/enter_0", "is_constant").Get<bool>());
  EXPECT_EQ(Describe(graph, "op/merge_0"), "Merge(op/enter_0:0, op/next_0:0)");
  EXPECT_EQ(Describe(graph, "op/cond"), "StatefulPartitionedCall(op/merge_0:0, op/enter_1:0, ^op/merge_0)");
  EXPECT_EQ(Describe(graph, "op/predicate"), "ToBool(op/cond:0)");
  EXPECT_EQ(Describe(graph, "op/LoopCond"), "LoopCond(op/predicate:0)");
  EXPECT_EQ(Describe(graph, "op/switch_0"), "Switch(op/merge_0:0, op/LoopCond:0)");
  EXPECT_EQ(Describe(graph, "op/loop_body_control"), "Identity(op/switch_0:1)");
  EXPECT_EQ(Describe(graph, "op/body"), "StatefulPartitionedCall(op/switch_0:1, op/enter_1:0, ^op/loop_body_control)");
  EXPECT_EQ(Describe(graph, "op/next_0"), "NextIteration(op/body:0, ^op/body)");
  EXPECT_EQ(Describe(graph, "op/exit_0"), "Exit(op/switch_0:0)");
  EXPECT_EQ(Describe(graph, "op/LoopExecuted"), "NoOp(^op/exit_0)");
  // A resource that stays the same is a constant of the loop.
  EXPECT_TRUE(*AttrOf(graph, "op/enter_1", "is_constant").Get<bool>());
  EXPECT_EQ(Describe(graph, "op/merge_1"), "");
  EXPECT_EQ(Describe(graph, "op/constant_1"), "Identity(h:0, ^c)");
  EXPECT_EQ(Describe(graph, "user"), "FakeIdentity(op/exit_0:0)");
  EXPECT_EQ(Describe(graph, "after"), "FakeNoOp(^op/LoopExecuted)");
  EXPECT_EQ(Describe(graph, "op"), "IdentityN(op/exit_0:0, op/constant_1:0, ^op/LoopExecuted)");
}

TEST_F(LowerControlFlowTest, ResourcesOfACalledLoopComeAfterIt) {
  g_.Add("op", "While", {"x", "h"},
         {{"T", std::vector<DType>{kI, DType::kResource}},
          {"cond", FunctionRef{"Cond", {}}},
          {"body", FunctionRef{"Body", {}}}});
  EXPECT_EQ(Describe(Lowered(Lowering::kLowerWithEffects), "op/constant_1"), "Identity(h:0, ^op/LoopExecuted)");
}

TEST_F(LowerControlFlowTest, LoopWithoutVariablesHasItsOwn) {
  AddFunction({"NoCond", {}, {"p DT_INT32"}, {std::string("one FakeConst  ") + kOne}, {"p one:output:0"}});
  AddFunction({"NoBody", {}, {}, {}, {}});
  g_.Add("op", "While", {"^c"},
         {{"T", std::vector<DType>{}}, {"cond", FunctionRef{"NoCond", {}}}, {"body", FunctionRef{"NoBody", {}}}});
  const Graph graph = Lowered();
  EXPECT_EQ(Describe(graph, "op/begin"), "Const(^op/LoopControlInputs)");
  EXPECT_EQ(Describe(graph, "op/next_0"), "NextIteration(op/switch_0:1, ^op/body)");
  EXPECT_EQ(Describe(graph, "op"), "NoOp(^op/LoopExecuted)");
}

TEST_F(LowerControlFlowTest, Errors) {
  AddFunction({"OneResult", {"a DT_INT32"}, {"r DT_INT32"}, {}, {"r a"}});
  AddIf("OneResult");
  const absl::Status status = Run(Lowering::kLower).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "node 'op' (StatelessIf): function 'OneResult': expected 1 results, got 2");
}

TEST_F(LowerControlFlowTest, LoopConditionHasOneResult) {
  g_.Add("op", "StatelessWhile", {"x"},
         {{"T", std::vector<DType>{kI}}, {"cond", FunctionRef{"F", {}}}, {"body", FunctionRef{"F", {}}}});
  const absl::Status status = Run(Lowering::kLower).status();
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("node 'op' (StatelessWhile): function 'F': expected 2 results, got 1"));
}

TEST_F(LowerControlFlowTest, Marks) {
  AddIf();
  Graph graph = Build();
  const Node& op = graph.node(*graph.FindNode("op"));
  EXPECT_FALSE(IsMarkedForLowering(op));
  Node marked = op;
  marked.attrs = op.attrs.With("_lower_using_switch_merge", true);
  EXPECT_TRUE(IsMarkedForLowering(marked));
  marked.attrs = op.attrs.With("_lower_using_switch_merge", 1);
  EXPECT_FALSE(IsMarkedForLowering(marked));
}

}  // namespace
}  // namespace flowlatch
