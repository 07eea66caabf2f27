#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/plan/plan.h"
#include "tests/testing/fake_ops.h"
#include "tests/testing/test_graph.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PlanBuilderTest : public testing::Test {
 protected:
  PlanBuilderTest() : g_(ops_.library().registry()) {}

  absl::StatusOr<std::shared_ptr<const Plan>> Build(const std::vector<std::string>& feeds,
                                                    const std::vector<std::string>& fetches,
                                                    const std::vector<std::string>& targets = {},
                                                    bool force_frames = false) {
    const auto graph = std::make_shared<const Graph>(g_.Build().value());
    PlanRequest request;
    for (const std::string& name : feeds) request.feeds.push_back(graph->ParsePort(name).value());
    for (const std::string& name : fetches) request.fetches.push_back(graph->ParsePort(name).value());
    for (const std::string& name : targets) request.targets.push_back(graph->FindNode(name).value());
    PlanOptions options;
    options.make_kernel = [this](const NodeInfo& node) {
      made_.emplace_back(node.name());
      return ops_.library().MakeKernel(node);
    };
    options.force_frames = force_frames;
    options.drop_unread = drop_unread_;
    return Plan::Build(graph, request, options);
  }
  std::vector<std::string> Names(const Plan& plan) {
    std::vector<std::string> names;
    for (const Instruction& instruction : plan.instructions) {
      if (instruction.node >= 0) names.emplace_back(plan.graph().node(instruction.node).name);
    }
    return names;
  }

  FakeOps ops_;
  TestGraph g_;
  bool drop_unread_ = false;
  std::vector<std::string> made_;  // nodes whose kernels were asked for
};

TEST_F(PlanBuilderTest, WhatIsNeededInAnOrderThatWorks) {
  g_.Add("sum", "FakeAdd", {"b", "a", "^c"})
      .Const("c", 1)
      .Const("a", 1)
      .Add("b", "FakeIdentity", {"a"})
      .Add("unneeded", "FakeIdentity", {"sum"});
  const auto plan = Build({}, {"sum"}).value();
  EXPECT_TRUE(plan->flat);
  EXPECT_FALSE(plan->is_async);
  EXPECT_THAT(Names(*plan), ElementsAre("a", "b", "c", "sum"));
  EXPECT_EQ(plan->NodeText(3), "node 'sum' (FakeAdd)");
  EXPECT_THAT(plan->fetch_names, ElementsAre("sum:0"));
  EXPECT_THAT(Names(*Build({"b"}, {"sum"}).value()), ElementsAre("a", "c", "sum"));
  EXPECT_THAT(Names(*Build({"b", "a"}, {"sum"}).value()), ElementsAre("c", "sum"));
  EXPECT_THAT(Names(*Build({"a"}, {"b", "a"}, {"a", "c"}).value()), ElementsAre("b", "a", "c"));
}

TEST_F(PlanBuilderTest, OnlyPlaceholdersGiveTheirControlEdgesAway) {  // 2.4
  g_.Add("p", "Placeholder").Const("c", 1).Add("after", "FakeNoOp", {"^p", "^c"});
  for (const bool frames : {false, true}) {
    EXPECT_THAT(Names(*Build({"p", "c"}, {}, {"after"}, frames).value()), ElementsAre("c", "after"));
    EXPECT_THAT(Names(*Build({"c"}, {}, {"after"}, frames).value()), ElementsAre("p", "c", "after"));
  }
}

TEST_F(PlanBuilderTest, FramedWhereNeeded) {
  g_.Const("x", 1)
      .Const("p", true)
      .Add("s", "Switch", {"x", "p"})
      .Add("late", "FakeLater", {"x"})
      .Add("t", "ControlTrigger", {"^x"})
      .Add("l", "LoopCond", {"p"});
  EXPECT_TRUE(Build({}, {"l"}, {"t"}).value()->flat);
  EXPECT_FALSE(Build({}, {"l"}, {"t"}, true).value()->flat);
  const auto control = Build({}, {"s"}).value(), async = Build({}, {"late"}).value();
  EXPECT_TRUE(!control->flat && !control->is_async);
  EXPECT_TRUE(!async->flat && async->is_async);
}

TEST_F(PlanBuilderTest, EqualNodesShareAKernel) {
  const AttrMap attrs{{"T", DType::kInt32}};
  g_.Const("x", 1);
  for (int i = 0; i < 3; ++i)
    g_.Add(absl::StrCat("sum", i), "FakeAdd", {"x", "x"}, attrs).Add(absl::StrCat("counter", i), "FakeCounter");
  EXPECT_TRUE(Build({}, {"sum0", "sum1", "sum2", "counter0", "counter1", "counter2"}).ok());
  std::sort(made_.begin(), made_.end());
  EXPECT_THAT(made_, ElementsAre("counter0", "counter1", "counter2", "sum0", "x"));
}

TEST_F(PlanBuilderTest, ParallelIterationsOfTheFirstEnter) {  // 1.6
  const auto enter = [](int p, bool constant) {
    return AttrMap{{"frame_name", "f"}, {"parallel_iterations", p}, {"is_constant", constant}};
  };
  g_.Const("x", 1)
      .Add("b", "Enter", {"late"}, enter(7, true))
      .Add("a", "Enter", {"x"}, enter(3, false))
      .Add("late", "FakeIdentity", {"x"});
  g_.Add("sum", "FakeAdd", {"a", "b"});
  const auto plan = Build({}, {}, {"sum"}).value();
  ASSERT_EQ(plan->frames.size(), 2u);
  EXPECT_EQ(plan->frames[1].name, "f");
  EXPECT_EQ(plan->frames[1].parallel_iterations, 7);
  EXPECT_EQ(plan->frames[1].num_enters, 2);
}

TEST_F(PlanBuilderTest, WhatOnlyOrdersOthersIsLeftOut) {
  g_.Const("a", 1)
      .Const("b", 2)
      .Add("p", "Placeholder")
      .Add("effect", "FakeCount", {"a"}, {{"key", std::string("effect")}})
      .Add("v", "FakeVariable", {}, {{"T", DType::kInt32}})
      .Add("assign", "Assign", {"v", "b"})
      .Add("counter", "FakeCounter", {"^effect"})
      .Add("unread", "FakeAdd", {"a", "b"})
      .Add("group", "FakeNoOp", {"^unread", "^counter", "^assign"})
      .Add("read", "FakeIdentity", {"b", "^group", "^p"})
      .Add("target", "FakeNoOp", {"^read"});
  drop_unread_ = true;
  EXPECT_THAT(Names(*Build({}, {"read"}, {"target"}).value()),
              ElementsAre("b", "counter", "v", "assign", "p", "read", "target"));
  EXPECT_EQ(Names(*Build({}, {"read"}, {"target"}, true).value()).size(), 11);  // frames keep their control edges
  EXPECT_THAT(Names(*Build({}, {"unread:0"}, {"group"}).value()),
              ElementsAre("a", "b", "unread", "counter", "v", "assign", "group"));
}

TEST_F(PlanBuilderTest, MissingKernelsAreListed) {
  g_.Add("p", "Placeholder", {}, {{"T", DType::kString}});
  std::vector<std::string> names;
  for (int i = 0; i < 25; ++i) {
    names.push_back(absl::StrCat("n", i));
    g_.Add(names.back(), "FakeAdd", {"p", "p"}, {{"T", DType::kString}});
  }
  const absl::Status status = Build({}, {}, names).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("got none for 25:\n  node 'n0': kernel of FakeAdd"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("\n  ..."));
}

TEST_F(PlanBuilderTest, NothingToDo) {
  g_.Add("p", "Placeholder");
  for (const bool frames : {false, true}) EXPECT_THAT(Names(*Build({"p"}, {"p"}, {}, frames).value()), IsEmpty());
}

// Neither long chains nor deep nesting of frames uses up the stack.
TEST_F(PlanBuilderTest, LongChain) {
  g_.Const("n0", 1);
  for (int i = 1; i <= 100000; ++i) g_.Add(absl::StrCat("n", i), "FakeIdentity", {absl::StrCat("n", i - 1)});
  EXPECT_TRUE(Build({}, {"n100000"}).ok());
}

TEST_F(PlanBuilderTest, DeepNesting) {
  g_.Const("e0", 1);
  constexpr int kDepth = 2000;
  for (int i = 1; i <= kDepth; ++i)
    g_.Add(absl::StrCat("e", i), "Enter", {absl::StrCat("e", i - 1)}, {{"frame_name", absl::StrCat("f", i)}});
  const auto plan = Build({}, {absl::StrCat("e", kDepth)});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ((*plan)->frames.size(), kDepth + 1u);
}

}  // namespace
}  // namespace flowlatch
