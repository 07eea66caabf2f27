// The rules of control flow that can be seen from outside, by their numbers in docs/semantics.md.
#include "runtime/exec/frame_executor.h"

#include <algorithm>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/runtime/exec/plan_runner.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

class FrameExecutorTest : public testing::Test {
 protected:
  FrameExecutorTest() : g_(ops_.library().registry()) {}

  absl::StatusOr<std::unique_ptr<PlanRunner>> Make(const StepNames& names) {
    absl::StatusOr<Graph> graph = g_.Build();
    if (!graph.ok()) return graph.status();
    return PlanRunner::Make(ops_.library(), *std::move(graph), names);
  }
  absl::StatusOr<std::vector<Tensor>> Run(const StepNames& names, const std::vector<Tensor>& feeds = {},
                                          PlanRunner::Options options = {}) {
    ASSIGN_OR_RETURN(const std::unique_ptr<PlanRunner> runner, Make(names));
    return runner->Run(feeds, options);
  }
  // The fetched int32 scalars. A failure shows as a test failure.
  std::vector<int32_t> Ints(const StepNames& names, const std::vector<Tensor>& feeds = {}) {
    const absl::StatusOr<std::vector<Tensor>> out = Run(names, feeds);
    EXPECT_TRUE(out.ok()) << out.status();
    std::vector<int32_t> ints;
    for (const Tensor& t : out.value_or(std::vector<Tensor>())) ints.push_back(t.scalar<int32_t>());
    return ints;
  }
  void ExpectError(const StepNames& names, absl::StatusCode code, const std::string& text,
                   const std::vector<Tensor>& feeds = {}) {
    const absl::Status status = Run(names, feeds).status();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  }
  // A switch of x (7) by the fed predicate, with both sides named.
  void AddSwitch() {
    g_.Const("x", 7).Add("pred", "Placeholder", {}, {{"T", DType::kBool}}).Add("s", "Switch", {"x", "pred"});
    g_.Add("off", "FakeIdentity", {"s:0"}).Add("on", "FakeIdentity", {"s:1"});
  }
  static Tensor True() { return Tensor::Scalar(true); }
  static Tensor False() { return Tensor::Scalar(false); }

  FakeOps ops_;
  TestGraph g_;
};

// --- Roots, order, deadness
// -------------------------------------------------------------------------------------------

TEST_F(FrameExecutorTest, NothingToRunIsFine) {  // 1.1
  g_.Const("x", 1).Add("s", "Switch", {"x", "p"}).Const("p", true);
  EXPECT_TRUE(Run({{}, {}, {"s"}}).ok());
}

TEST_F(FrameExecutorTest, SwitchTakesOneSide) {  // 1.34
  AddSwitch();
  EXPECT_THAT(Ints({{"pred"}, {"on"}, {}}, {True()}), ElementsAre(7));
  EXPECT_THAT(Ints({{"pred"}, {"off"}, {}}, {False()}), ElementsAre(7));
  EXPECT_THAT(Ints({{"pred"}, {"s:0"}, {}}, {False()}), ElementsAre(7));
  ExpectError({{"pred"}, {"off"}, {}}, kInvalid, "fetch 0 'off:0': expected a value, got a dead", {True()});
  ExpectError({{"pred"}, {"x", "on"}, {}}, kInvalid, "fetch 1 'on:0'", {False()});  // 1.39: by position
}

TEST_F(FrameExecutorTest, SwitchWantsAScalarBool) {  // 1.34
  AddSwitch();
  ExpectError({{"pred"}, {"on"}, {}}, kInvalid, "node 's' (Switch): predicate: expected a scalar bool, got bool[2]",
              {Tensor::Vector({true, false})});
}

TEST_F(FrameExecutorTest, OneDeadInputKills) {  // 1.25, 1.26, 1.28
  AddSwitch();
  g_.Add("sum", "FakeAdd", {"x", "off"}).Add("counted", "FakeCount", {"sum"}, {{"key", "counted"}});
  EXPECT_TRUE(Run({{"pred"}, {}, {"counted"}}, {True()}).ok());  // 12.4: a dead target is no error
  EXPECT_EQ(ops_.count("counted"), 0);
  EXPECT_THAT(Ints({{"pred"}, {"counted"}, {}}, {False()}), ElementsAre(14));
  EXPECT_EQ(ops_.count("counted"), 1);
}

TEST_F(FrameExecutorTest, DeadNodesNeverFail) {  // 1.28
  AddSwitch();
  g_.Add("fail", "FakeFail", {"off"}).Add("m", "Merge", {"fail", "on"});
  EXPECT_THAT(Ints({{"pred"}, {"m"}, {}}, {True()}), ElementsAre(7));
  ExpectError({{"pred"}, {"m"}, {}}, absl::StatusCode::kInternal, "node 'fail' (FakeFail)", {False()});
}

TEST_F(FrameExecutorTest, ControlEdgeOfASwitchIsLive) {  // 1.27
  AddSwitch();
  g_.Add("effect", "FakeEffect", {"^s"}, {{"key", "effect"}});
  EXPECT_TRUE(Run({{"pred"}, {}, {"effect"}}, {True()}).ok());
  EXPECT_TRUE(Run({{"pred"}, {}, {"effect"}}, {False()}).ok());
  EXPECT_EQ(ops_.count("effect"), 2);
}

TEST_F(FrameExecutorTest, ControlEdgeOfADeadNodeKills) {  // 1.26, 1.27
  AddSwitch();
  g_.Add("effect", "FakeEffect", {"^on"}, {{"key", "effect"}})
      .Add("after", "FakeEffect", {"^effect"}, {{"key", "after"}});
  EXPECT_TRUE(Run({{"pred"}, {}, {"after"}}, {False()}).ok());
  EXPECT_EQ(ops_.count("after"), 0);
  EXPECT_TRUE(Run({{"pred"}, {}, {"after"}}, {True()}).ok());
  EXPECT_EQ(ops_.count("after"), 1);
}

TEST_F(FrameExecutorTest, ControlTriggerOutlivesDeath) {  // 1.26
  AddSwitch();
  g_.Add("trigger", "ControlTrigger", {"^off", "^on"}).Add("effect", "FakeEffect", {"^trigger"}, {{"key", "effect"}});
  for (const Tensor& pred : {True(), False()}) EXPECT_TRUE(Run({{"pred"}, {}, {"effect"}}, {pred}).ok());
  EXPECT_EQ(ops_.count("effect"), 2);
}

// --- Merge
// ------------------------------------------------------------------------------------------------------------

TEST_F(FrameExecutorTest, MergeTakesTheLiveInput) {  // 1.29, 1.33
  AddSwitch();
  g_.Const("k", 100).Add("sum", "FakeAdd", {"off", "k"}).Add("m", "Merge", {"sum", "on"});
  EXPECT_THAT(Ints({{"pred"}, {"m", "m:1"}, {}}, {False()}), ElementsAre(107, 0));
  EXPECT_THAT(Ints({{"pred"}, {"m", "m:1"}, {}}, {True()}), ElementsAre(7, 1));
}

TEST_F(FrameExecutorTest, MergeOfDeadInputsIsDead) {  // 1.29
  AddSwitch();
  g_.Add("t", "Switch", {"on", "pred"}).Add("m", "Merge", {"off", "t:0"}).Add("n", "Merge", {"m", "x"});
  ExpectError({{"pred"}, {"m"}, {}}, kInvalid, "dead", {True()});
  EXPECT_THAT(Ints({{"pred"}, {"n", "n:1"}, {}}, {True()}), ElementsAre(7, 1));
}

TEST_F(FrameExecutorTest, MergeWaitsForControlInputsDeadOrAlive) {  // 1.29, 1.30
  AddSwitch();
  g_.Add("effect", "FakeEffect", {"^off"}, {{"key", "effect"}})
      .Add("late", "FakeLater", {"x"})
      .Add("mark", "FakeEffect", {"^late"}, {{"key", "mark"}});
  g_.Add("m", "Merge", {"off", "on", "^effect", "^mark"});
  g_.Add("dead", "Merge", {"off", "off", "^mark"});
  EXPECT_THAT(Ints({{"pred"}, {"m", "m:1"}, {}}, {True()}), ElementsAre(7, 1));
  EXPECT_EQ(ops_.count("effect"), 0);
  EXPECT_EQ(ops_.count("mark"), 1);
  EXPECT_THAT(Ints({{"pred"}, {"m", "m:1"}, {}}, {False()}), ElementsAre(7, 0));
  EXPECT_EQ(ops_.count("effect"), 1);
  ExpectError({{"pred"}, {"dead"}, {}}, kInvalid, "dead", {True()});
}

TEST_F(FrameExecutorTest, MergeFiresOnce) {  // 1.32
  g_.Const("a", 1).Const("b", 1).Add("m", "Merge", {"a", "b", "a"}).Add("c", "FakeCount", {"m"}, {{"key", "c"}});
  EXPECT_THAT(Ints({{}, {"c"}, {}}), ElementsAre(1));
  EXPECT_EQ(ops_.count("c"), 1);
}

// A Merge that a dead Enter has made dead stays so, whatever its other inputs bring.
TEST_F(FrameExecutorTest, MergeWithDeadAndLiveEnterFiresOnce) {  // 1.31, 1.32
  AddSwitch();
  const AttrMap frame{{"frame_name", "f"}};
  for (const bool dead_first : {false, true}) {
    TestGraph g = g_;
    g.Add("a", "Enter", {dead_first ? "off" : "x"}, frame).Add("b", "Enter", {dead_first ? "x" : "off"}, frame);
    g.Add("m", "Merge", {"a", "b"}).Add("c", "FakeCount", {"m"}, {{"key", absl::StrCat("c", dead_first)}});
    g.Add("c2", "FakeAdd", {"c", "m:1"}).Add("e", "Exit", {"c2"});
    const auto runner = PlanRunner::Make(ops_.library(), g.Build().value(), {{"pred"}, {}, {"e"}});
    ASSERT_TRUE(runner.ok()) << runner.status();
    EXPECT_TRUE((*runner)->Run({True()}).ok());
    EXPECT_LE(ops_.count(absl::StrCat("c", dead_first)), 1);
  }
}

// --- Loops
// ------------------------------------------------------------------------------------------------------------

TEST_F(FrameExecutorTest, CountingLoop) {  // 1.44, with 1.17 for each parallel_iterations
  for (const int parallel : {1, 2, 10, 32}) {
    for (const int limit : {-3, 0, 1, 2, 1000}) {
      TestGraph g(ops_.library().registry());
      g.Const("zero", 0).Const("limit", limit).CountingLoop("loop", "zero", "limit", parallel);
      const auto runner = PlanRunner::Make(ops_.library(), g.Build().value(), {{}, {"loop/exit"}, {}});
      ASSERT_TRUE(runner.ok()) << runner.status();
      for (int run = 0; run < 3; ++run) {  // memory of earlier runs is used again
        const auto out = (*runner)->Run();
        ASSERT_TRUE(out.ok()) << out.status();
        EXPECT_EQ((*out)[0].scalar<int32_t>(), std::max(limit, 0)) << parallel;
      }
    }
  }
}

// x is switched by the loop's condition, so its body runs once for each iteration; the condition once more (1.36).
TEST_F(FrameExecutorTest, ConditionRunsOnceMoreThanTheBody) {
  g_.Const("zero", 0).Const("limit", 5).CountingLoop("loop", "zero", "limit", 10, "loop/counted");
  g_.Add("loop/counted", "FakeCount", {"loop/add"}, {{"key", "body"}});
  g_.Add("seen", "FakeCount", {"loop/merge"}, {{"key", "condition"}});
  EXPECT_TRUE(Run({{}, {"loop/exit"}, {"seen"}}).ok());
  EXPECT_EQ(ops_.count("body"), 5);
  EXPECT_EQ(ops_.count("condition"), 6);
}

TEST_F(FrameExecutorTest, ValueIndexInLoops) {  // 1.33
  // The sum of the Merge's indices over iterations 0..4 is 4: 0 from Enter, then 1 from NextIteration.
  g_.Const("zero", 0).Const("limit", 4).CountingLoop("loop", "zero", "limit");
  g_.Add("sum/enter", "Enter", {"zero"}, {{"frame_name", "loop"}}).Add("sum/merge", "Merge", {"sum/enter", "sum/next"});
  g_.Add("sum/switch", "Switch", {"sum/merge", "loop/cond"}).Add("index", "FakeIdentity", {"loop/merge:1"});
  g_.Add("sum/add", "FakeAdd", {"sum/switch:1", "index"})
      .Add("sum/next", "NextIteration", {"sum/add"})
      .Add("sum/exit", "Exit", {"sum/switch"});
  EXPECT_THAT(Ints({{}, {"sum/exit", "loop/exit"}, {}}), ElementsAre(3, 4));
}

TEST_F(FrameExecutorTest, OnlyWhatIsFetchedRuns) {  // 1.45
  g_.Const("zero", 0).Const("limit", 3).CountingLoop("loop", "zero", "limit");
  g_.Add("other/enter", "Enter", {"zero"}, {{"frame_name", "loop"}})
      .Add("other/merge", "Merge", {"other/enter", "other/next"});
  g_.Add("other/switch", "Switch", {"other/merge", "loop/cond"})
      .Add("other/count", "FakeCount", {"other/switch:1"}, {{"key", "other"}});
  g_.Add("other/next", "NextIteration", {"other/count"}).Add("other/exit", "Exit", {"other/switch"});
  EXPECT_THAT(Ints({{}, {"loop/exit"}, {}}), ElementsAre(3));
  EXPECT_EQ(ops_.count("other"), 0);
  EXPECT_THAT(Ints({{}, {"other/exit"}, {}}), ElementsAre(0));
  EXPECT_EQ(ops_.count("other"), 3);
}

// Sums `limit` times an invariant that arrives late: the loop starts, waits for it, and goes on (1.14, 1.23c).
TEST_F(FrameExecutorTest, LateInvariants) {
  for (const int parallel : {1, 2, 10, 32}) {
    TestGraph g(ops_.library().registry());
    g.Const("zero", 0)
        .Const("limit", 20)
        .Const("seven", 7)
        .Add("late", "FakeLater", {"seven"})
        .CountingLoop("loop", "zero", "limit", parallel);
    const AttrMap frame{{"frame_name", "loop"}, {"parallel_iterations", parallel}};
    g.Add("inv", "Enter", {"late"}, frame.With("is_constant", true)).Add("sum/enter", "Enter", {"zero"}, frame);
    g.Add("sum/merge", "Merge", {"sum/enter", "sum/next"}).Add("sum/switch", "Switch", {"sum/merge", "loop/cond"});
    g.Add("sum/add", "FakeAdd", {"sum/switch:1", "inv"})
        .Add("sum/next", "NextIteration", {"sum/add"})
        .Add("sum/exit", "Exit", {"sum/switch"});
    g.Add("each", "FakeEffect", {"^inv"},
          {{"key", absl::StrCat("each", parallel)}});  // control edges of invariants count too
    const auto runner = PlanRunner::Make(ops_.library(), g.Build().value(), {{}, {"sum/exit"}, {"each"}});
    ASSERT_TRUE(runner.ok()) << runner.status();
    const auto out = (*runner)->Run();
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<int32_t>(), 140);
    EXPECT_EQ(ops_.count(absl::StrCat("each", parallel)), 21) << parallel;
  }
}

// A slow side of iteration k holds back iteration k + p (1.23a): with p, at most p iterations overlap.
TEST_F(FrameExecutorTest, ParallelIterationsBoundTheOverlap) {
  for (const int parallel : {1, 3}) {
    FakeOps ops;
    TestGraph g(ops.library().registry());
    g.Const("zero", 0).Const("limit", 100).CountingLoop("loop", "zero", "limit", parallel);
    g.Add("begin", "FakeCount", {"loop/body"}, {{"key", "begin"}}).Add("never", "FakeWait", {"begin"});
    const auto runner = PlanRunner::Make(ops.library(), g.Build().value(), {{}, {"loop/exit"}, {"never"}});
    ASSERT_TRUE(runner.ok()) << runner.status();
    CancellationManager cancellation;
    std::thread cancel([&] {
      ops.AwaitWaiting(parallel);
      cancellation.Cancel(absl::CancelledError("enough"));
    });
    EXPECT_EQ((*runner)->Run({}, {.cancellation = &cancellation}).status().code(), absl::StatusCode::kCancelled);
    cancel.join();
    EXPECT_EQ(ops.count("begin"), parallel);
  }
}

// for (i = 0; i < n; ++i) for (j = 0; j < m; ++j) ++sum: the inner loop gets an instance for each outer iteration
// (1.10).
void AddNestedLoops(TestGraph& g, int parallel, const std::string& inner_body = "") {
  const AttrMap outer{{"frame_name", "outer"}, {"parallel_iterations", parallel}};
  g.CountingLoop("outer", "zero", "n", parallel);
  g.Add("m/outer", "Enter", {"m"}, outer.With("is_constant", true));
  g.Add("sum/enter", "Enter", {"zero"}, outer).Add("sum/merge", "Merge", {"sum/enter", "sum/next"});
  g.Add("sum/switch", "Switch", {"sum/merge", "outer/cond"}).Add("sum/body", "FakeIdentity", {"sum/switch:1"});
  g.Const<int32_t>("j0", 0, {"^outer/body"}).CountingLoop("inner", "j0", "m/outer", parallel, inner_body);
  g.Add("sum/add", "FakeAdd", {"sum/body", "inner/exit"})
      .Add("sum/next", "NextIteration", {"sum/add"})
      .Add("sum/exit", "Exit", {"sum/switch"});
}

TEST_F(FrameExecutorTest, NestedLoops) {
  for (const int parallel : {1, 2, 10, 32}) {
    TestGraph g(ops_.library().registry());
    g.Const("zero", 0).Const("n", 30).Add("m", "Placeholder");
    AddNestedLoops(g, parallel);
    const auto runner = PlanRunner::Make(ops_.library(), g.Build().value(), {{"m"}, {"sum/exit", "outer/exit"}, {}});
    ASSERT_TRUE(runner.ok()) << runner.status();
    for (const int32_t m : {0, 1, 17}) {
      const auto out = (*runner)->Run({Tensor::Scalar(m)});
      ASSERT_TRUE(out.ok()) << out.status();
      EXPECT_EQ((*out)[0].scalar<int32_t>(), 30 * m) << parallel;
      EXPECT_EQ((*out)[1].scalar<int32_t>(), 30) << parallel;
    }
  }
}

// Kernels that wait inside both loops: iterations really overlap, and results are the same.
TEST_F(FrameExecutorTest, AsyncKernelsInsideNestedLoops) {
  for (const int parallel : {1, 2, 10, 32}) {
    TestGraph g(ops_.library().registry());
    g.Const("zero", 0).Const("n", 12).Const("m", 9);
    AddNestedLoops(g, parallel, "inner/late");
    g.Add("inner/late", "FakeLater", {"inner/add"});
    const auto runner = PlanRunner::Make(ops_.library(), g.Build().value(), {{}, {"sum/exit"}, {}});
    ASSERT_TRUE(runner.ok()) << runner.status();
    ASSERT_TRUE((*runner)->plan().is_async);
    const auto out = (*runner)->Run();
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<int32_t>(), 108);
  }
}

// A loop on the side that is not taken, and one nested in it, drain with dead Exits (1.16, 1.31, 1.35).
TEST_F(FrameExecutorTest, LoopsInAnUntakenBranch) {
  for (const int parallel : {1, 10}) {
    TestGraph g(ops_.library().registry());
    g.Const("x", 0)
        .Add("pred", "Placeholder", {}, {{"T", DType::kBool}})
        .Add("s", "Switch", {"x", "pred"})
        .Const("k", 4);
    g.Add("zero", "FakeIdentity", {"s:1"})
        .Add("t", "Switch", {"k", "pred"})
        .Add("n", "FakeIdentity", {"t:1"})
        .Add("m", "FakeIdentity", {"t:1"});
    AddNestedLoops(g, parallel);
    g.Add("merged", "Merge", {"s:0", "sum/exit"}).Add("after", "FakeEffect", {"^outer/exit"}, {{"key", "after"}});
    const auto runner =
        PlanRunner::Make(ops_.library(), g.Build().value(), {{"pred"}, {"merged", "merged:1"}, {"after"}});
    ASSERT_TRUE(runner.ok()) << runner.status();
    for (int run = 0; run < 2; ++run) {
      auto out = (*runner)->Run({False()});
      ASSERT_TRUE(out.ok()) << out.status();
      EXPECT_EQ((*out)[0].scalar<int32_t>(), 0);
      EXPECT_EQ((*out)[1].scalar<int32_t>(), 0);
      out = (*runner)->Run({True()});
      ASSERT_TRUE(out.ok()) << out.status();
      EXPECT_EQ((*out)[0].scalar<int32_t>(), 16);
      EXPECT_EQ((*out)[1].scalar<int32_t>(), 1);
    }
  }
  EXPECT_EQ(ops_.count("after"), 4);
}

// A cond in a loop: dead and live sides change with the iteration (1.18: deadness does not cross iterations).
TEST_F(FrameExecutorTest, CondInLoop) {
  g_.Const("zero", 0).Const("limit", 10).Const("half", 5).CountingLoop("loop", "zero", "limit");
  const AttrMap frame{{"frame_name", "loop"}};
  g_.Add("bound", "Enter", {"half"}, frame.With("is_constant", true)).Add("low", "FakeLess", {"loop/body", "bound"});
  g_.Add("sum/enter", "Enter", {"zero"}, frame)
      .Add("sum/merge", "Merge", {"sum/enter", "sum/next"})
      .Add("sum/switch", "Switch", {"sum/merge", "loop/cond"});
  g_.Add("side", "Switch", {"sum/switch:1", "low"}).Add("count", "FakeCount", {"side:1"}, {{"key", "low"}});
  g_.Add("add", "FakeAdd", {"count", "loop/one"})
      .Add("merge", "Merge", {"side:0", "add"})
      .Add("sum/next", "NextIteration", {"merge"});
  g_.Add("sum/exit", "Exit", {"sum/switch"});
  EXPECT_THAT(Ints({{}, {"sum/exit"}, {}}), ElementsAre(5));
  EXPECT_EQ(ops_.count("low"), 5);
}

TEST_F(FrameExecutorTest, FramesWithoutALoop) {  // 1.13, 1.15, 12.2
  g_.Const("x", 3)
      .Add("enter", "Enter", {"x"}, {{"frame_name", "f"}})
      .Add("sum", "FakeAdd", {"enter", "enter"})
      .Add("exit", "Exit", {"sum"});
  EXPECT_THAT(Ints({{}, {"exit", "enter"}, {}}), ElementsAre(6, 3));
  g_.Add("next", "NextIteration", {"exit"});  // in the root frame it passes through
  EXPECT_THAT(Ints({{}, {"next"}, {}}), ElementsAre(6));
}

// An Enter that never fires: the body runs p times and stalls; what was wanted from it never comes (1.5, 1.38).
TEST_F(FrameExecutorTest, LoopThatWaitsForAnEnterThatNeverFires) {
  const AttrMap frame{{"frame_name", "loop"}, {"parallel_iterations", 3}};
  g_.Const("zero", 0).Const("limit", 100).CountingLoop("loop", "zero", "limit", 3, "loop/counted");
  g_.Add("loop/counted", "FakeCount", {"loop/add"}, {{"key", "body"}});
  // The Merge waits for itself, so nothing behind it ever comes.
  g_.Add("stuck", "Merge", {"again"}).Add("again", "NextIteration", {"stuck"}).Add("never", "Enter", {"stuck"}, frame);
  EXPECT_TRUE(Run({{}, {}, {"loop/exit", "never"}}).ok());
  EXPECT_EQ(ops_.count("body"), 3);
  ExpectError({{}, {"loop/exit"}, {"never"}}, kInvalid, "fetch 0 'loop/exit:0': expected a value");
}

// Nodes in a cycle that nothing enters never run, whatever frames they claim.
TEST_F(FrameExecutorTest, CyclesWithoutEntrance) {
  g_.Add("m", "Merge", {"n", "n"})
      .Add("n", "NextIteration", {"m"})
      .Add("e", "Exit", {"m"})
      .Add("sum", "FakeAdd", {"e", "m"});
  g_.Add("enter", "Enter", {"sum"}, {{"frame_name", "f"}}).Add("exit", "Exit", {"enter"});
  EXPECT_TRUE(Run({{}, {}, {"sum", "exit"}}).ok());
  ExpectError({{}, {"sum"}, {}}, kInvalid, "fetch 0 'sum:0'");
}

// An Exit that is not behind a Switch has a value in each iteration, but its frame has one way out.
TEST_F(FrameExecutorTest, ExitThatFiresInEachIteration) {
  g_.Const("zero", 0).Const("limit", 5).CountingLoop("loop", "zero", "limit").Add("leak", "Exit", {"loop/merge"});
  g_.Add("late", "FakeLater", {"zero"}).Add("sum", "FakeAdd", {"leak", "late"});
  ExpectError({{}, {"sum"}, {"loop/exit"}}, kInvalid, "node 'leak' (Exit)");
}

// An Exit that was live once and dead in the last iteration brings its one value.
TEST_F(FrameExecutorTest, ExitThatIsDeadInTheLastIteration) {
  g_.Const("zero", 0).Const("limit", 1).CountingLoop("loop", "zero", "limit").Add("first", "Exit", {"loop/body"});
  g_.Add("late", "FakeLater", {"zero"})
      .Add("sum", "FakeAdd", {"first", "late"})
      .Add("sum2", "FakeAdd", {"sum", "loop/exit"});
  EXPECT_THAT(Ints({{}, {"sum2"}, {}}), ElementsAre(1));
}

TEST_F(FrameExecutorTest, FetchesAndTargetsInsideLoops) {  // 1.42, 12.3
  g_.Const("zero", 0).Const("limit", 3).CountingLoop("loop", "zero", "limit");
  EXPECT_THAT(Ints({{}, {"loop/switch", "loop/enter"}, {}}), ElementsAre(3, 0));
  EXPECT_TRUE(Run({{}, {}, {"loop/add", "loop/cond"}}).ok());
  ExpectError({{}, {"loop/add"}, {}}, kInvalid, "fetch 0 'loop/add:0': expected one value, got one in each iteration");
  ExpectError({{"loop/body"}, {"loop/exit"}, {}}, kInvalid, "expected all inputs from one frame",
              {Tensor::Scalar(1)});  // 1.43
}

// Effects that nothing orders happen as they were written down, from iteration to iteration too: programs were written
// with TensorFlow's schedule in mind.
TEST_F(FrameExecutorTest, UnorderedEffectsHappenInTheOrderOfTheGraph) {
  g_.Const("zero", 0).Const("limit", 4).CountingLoop("loop", "zero", "limit", 10, "plus");
  // counter(k) -> checked: fails unless the k-th count is seen in iteration k - 1.
  g_.Add("count", "FakeCounter", {"^loop/body"})
      .Add("minus", "FakeConst", {"^loop/body"}, {{"T", DType::kInt32}, {"value", Tensor::Scalar(-1)}});
  g_.Add("negative", "FakeMul", {"loop/body", "minus"}).Add("difference", "FakeAdd", {"count", "negative"});
  for (const int wrong : {0, 2, 3, 4, -2}) {
    g_.Add(absl::StrCat("check", wrong), "FakeFail", {"difference"}, {{"when", wrong}, {"key", "check"}});
  }
  g_.Add("plus", "FakeAdd", {"loop/body", "loop/one"});
  const absl::Status status = Run({{}, {"loop/exit"}, {"check0", "check2", "check3", "check4", "check-2"}}).status();
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(ops_.count("check"), 20);
}

// --- Failures
// ---------------------------------------------------------------------------------------------------------

// C10: a failure in one iteration of nested parallel loops frees all, and the next run is fine.
TEST_F(FrameExecutorTest, FailureInsideNestedLoops) {
  for (const bool async : {false, true}) {
    for (const int parallel : {1, 32}) {
      FakeOps ops;
      TestGraph g(ops.library().registry());
      g.Const("zero", 0).Const("n", 6).Add("m", "Placeholder");
      AddNestedLoops(g, parallel, "inner/maybe");
      g.Add("inner/late", async ? "FakeLater" : "FakeIdentity", {"inner/add"});
      g.Add("inner/maybe", "FakeFail", {"inner/late"},
            {{"when", 7}, {"code", static_cast<int>(absl::StatusCode::kDataLoss)}});
      const auto runner = PlanRunner::Make(ops.library(), g.Build().value(), {{"m"}, {"sum/exit", "zero"}, {}});
      ASSERT_TRUE(runner.ok()) << runner.status();
      for (int run = 0; run < 3; ++run) {
        const absl::Status status = (*runner)->Run({Tensor::Scalar(20)}).status();
        EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
        EXPECT_THAT(std::string(status.message()), HasSubstr("node 'inner/maybe' (FakeFail)"));
        const auto out = (*runner)->Run({Tensor::Scalar(6)});
        ASSERT_TRUE(out.ok()) << out.status();
        EXPECT_EQ((*out)[0].scalar<int32_t>(), 36);
      }
    }
  }
}

TEST_F(FrameExecutorTest, ExceptionsOfKernelsThatWaitBecomeErrors) {  // C17
  g_.Const("x", 1).Add("throws", "FakeThrowLater", {"x"});
  ExpectError({{}, {"throws"}, {}}, absl::StatusCode::kInternal, "node 'throws' (FakeThrowLater): kernel: expected a status");
}

// What waits when another node fails is woken, and the failure counts, not the waking.
TEST_F(FrameExecutorTest, FailureWakesWhatWaits) {
  g_.Const("x", 1).Add("wait", "FakeWait", {"x"}).Add("late", "FakeLater", {"x"}).Add("fail", "FakeFail", {"late"});
  g_.Add("after", "FakeEffect", {"^wait"}, {{"key", "after"}});
  ExpectError({{}, {"wait"}, {"fail", "after"}}, absl::StatusCode::kInternal, "node 'fail' (FakeFail)");
  EXPECT_EQ(ops_.count("after"), 0);
}

TEST_F(FrameExecutorTest, InfiniteLoopHasADeadline) {  // C12, 1.19
  g_.Const("zero", 0).Const("big", 1 << 30).Const("minus", -1).CountingLoop("loop", "zero", "big", 10, "loop/body");
  const absl::Status status = Run({{}, {"loop/exit"}, {}}, {}, {.timeout = std::chrono::milliseconds(20)}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
}

TEST_F(FrameExecutorTest, WaitHasADeadline) {
  g_.Const("x", 1).Add("wait", "FakeWait", {"x"});
  const absl::Status status = Run({{}, {"wait"}, {}}, {}, {.timeout = std::chrono::milliseconds(20)}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("node 'wait' (FakeWait)"));
}

TEST_F(FrameExecutorTest, CancelledLoopStops) {  // C11
  g_.Const("zero", 0).Const("big", 1 << 30).CountingLoop("loop", "zero", "big", 10, "loop/body");
  g_.Add("wait", "FakeWait", {"zero"});
  CancellationManager cancellation;
  std::thread cancel([&] {
    ops_.AwaitWaiting(1);
    cancellation.Cancel(absl::CancelledError("enough"));
  });
  const absl::Status status = Run({{}, {"loop/exit"}, {"wait"}}, {}, {.cancellation = &cancellation}).status();
  cancel.join();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
}

// --- Malformed loops
// --------------------------------------------------------------------------------------------------

TEST_F(FrameExecutorTest, FrameErrors) {  // 1.4, 1.5, 12.1, 12.2
  g_.Const("x", 0).Const("limit", 3).CountingLoop("f", "x", "limit").CountingLoop("g", "x", "limit");
  g_.Add("mixed", "FakeAdd", {"f/body", "x"});
  ExpectError({{}, {}, {"mixed"}}, kInvalid,
              "node 'mixed': expected all inputs from one frame, got 'x' from frame '' and 'f/body' from frame 'f'");
  g_.Add("two", "FakeAdd", {"f/body", "g/body"});
  ExpectError({{}, {}, {"two"}}, kInvalid, "'f/body' from frame 'f' and 'g/body' from frame 'g'");
  g_.Add("controlled", "FakeIdentity", {"x", "^f/body"});
  ExpectError({{}, {}, {"controlled"}}, kInvalid, "node 'controlled': expected all inputs from one frame");
  g_.Add("only", "FakeEffect", {"^f/body"}, {{"key", "only"}});  // 3.24: part of the loop
  EXPECT_TRUE(Run({{}, {}, {"only"}}).ok());
  EXPECT_EQ(ops_.count("only"), 3);
  g_.Add("exit", "Exit", {"x"});
  ExpectError({{}, {}, {"exit"}}, kInvalid, "node 'exit' (Exit): expected an Enter before it");
  g_.Add("nameless", "Enter", {"x"}, {{"frame_name", ""}});
  ExpectError({{}, {}, {"nameless"}}, kInvalid, "node 'nameless' (Enter): expected a frame_name");
  g_.Add("none", "Enter", {"x"}, {{"frame_name", "h"}, {"parallel_iterations", 0}});
  ExpectError({{}, {}, {"none"}}, kInvalid, "expected parallel_iterations >= 1, got 0");
  g_.Add("inside", "Enter", {"f/body"}, {{"frame_name", "g"}});
  ExpectError({{}, {}, {"inside", "g/exit"}}, absl::StatusCode::kInternal, "loop 'g': expected one parent frame");
  // All are about what runs: nothing is wrong with the rest of the graph.
  EXPECT_THAT(Ints({{}, {"f/exit"}, {}}), ElementsAre(3));
}

TEST_F(FrameExecutorTest, TwoConditionsInOneFrame) {  // 1.4, 1.5
  g_.Const("x", 0).Const("limit", 3).CountingLoop("f", "x", "limit").Add("again", "LoopCond", {"f/less"});
  ExpectError({{}, {"f/exit"}, {"again"}}, kInvalid, "loop 'f': expected one LoopCond, got 'f/cond' and 'again'");
  g_.Add("LoopCounter/again", "LoopCond", {"f/less"});
  EXPECT_THAT(Ints({{}, {"f/exit"}, {"LoopCounter/again"}}), ElementsAre(3));
  // The same where there is no loop.
  g_.Add("less", "FakeLess", {"x", "limit"}).Add("one", "LoopCond", {"less"}).Add("two", "LoopCond", {"less"});
  EXPECT_TRUE(Run({{}, {}, {"one"}}).ok());
  ExpectError({{}, {}, {"one", "two"}}, kInvalid, "loop '': expected one LoopCond, got 'one' and 'two'");
}

// --- References
// -------------------------------------------------------------------------------------------------------

TEST_F(FrameExecutorTest, ReferencesThroughControlFlow) {  // 1.34
  g_.Const("x", 5).Add("pred", "Placeholder", {}, {{"T", DType::kBool}}).Add("v", "FakeVariable");
  g_.Add("s", "RefSwitch", {"v", "pred"})
      .Add("set", "Assign", {"s:1", "x"})
      .Add("m", "RefMerge", {"s:0", "set"})
      .Add("read", "FakeIdentity", {"m"});
  ExpectError({{"pred"}, {"read"}, {}}, absl::StatusCode::kFailedPrecondition, "uninitialized 'v'", {False()});
  ExpectError({{"pred"}, {"m"}, {}}, absl::StatusCode::kFailedPrecondition, "uninitialized 'v'", {False()});
  EXPECT_THAT(Ints({{"pred"}, {"read", "m", "m:1"}, {}}, {True()}), ElementsAre(5, 5, 1));
  // A Switch that takes values reads the reference.
  g_.Add("t", "Switch", {"v", "pred", "^set"})
      .Add("loop", "RefEnter", {"set"}, {{"frame_name", "f"}})
      .Add("inside", "FakeIdentity", {"loop"});
  g_.Add("out", "RefExit", {"loop"}).Add("read2", "FakeIdentity", {"out"}).Add("late", "FakeLater", {"set"});
  EXPECT_THAT(Ints({{"pred"}, {"t:1", "inside", "read2", "late"}, {}}, {True()}), ElementsAre(5, 5, 5, 5));
}

// A feed that stands for a reference is a plain value; what wants a reference says so.
TEST_F(FrameExecutorTest, FedReferences) {
  g_.Const("x", 5)
      .Const("p", true)
      .Add("v", "FakeVariable")
      .Add("s", "RefSwitch", {"v", "p"})
      .Add("read", "FakeIdentity", {"s:1"});
  g_.Add("plain", "Switch", {"s:1", "p"})
      .Add("later", "FakeLater", {"s:1"})
      .Add("set", "Assign", {"s:1", "x"})
      .Add("id", "RefIdentity", {"v"});
  g_.Add("read2", "FakeIdentity", {"id"});
  EXPECT_THAT(Ints({{"v"}, {"read", "plain:1", "later", "read2"}, {}}, {Tensor::Scalar(9)}), ElementsAre(9, 9, 9, 9));
  ExpectError({{"v"}, {"set"}, {}}, kInvalid, "expected a reference, got a value", {Tensor::Scalar(9)});
}

}  // namespace
}  // namespace flowlatch
