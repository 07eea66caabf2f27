// Flat plans, and that framed plans of the same graphs cannot be told from them (1.7).
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/runtime/exec/plan_runner.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FlatExecutorTest : public testing::TestWithParam<bool> {
 protected:
  FlatExecutorTest() : g_(ops_.library().registry()) {}
  bool framed() const { return GetParam(); }
  absl::StatusOr<std::unique_ptr<PlanRunner>> Make(const StepNames& names) {
    absl::StatusOr<Graph> graph = g_.Build();
    if (!graph.ok()) return graph.status();
    ASSIGN_OR_RETURN(std::unique_ptr<PlanRunner> runner,
                     PlanRunner::Make(ops_.library(), *std::move(graph), names, framed()));
    EXPECT_EQ(runner->plan().flat, !framed());
    return runner;
  }
  absl::StatusOr<std::vector<Tensor>> Run(const StepNames& names, const std::vector<Tensor>& feeds = {}) {
    ASSIGN_OR_RETURN(const std::unique_ptr<PlanRunner> runner, Make(names));
    return runner->Run(feeds);
  }
  template <typename T = int32_t>
  std::vector<T> Values(const StepNames& names, const std::vector<Tensor>& feeds = {}) {
    const absl::StatusOr<std::vector<Tensor>> out = Run(names, feeds);
    EXPECT_TRUE(out.ok()) << out.status();
    std::vector<T> values;
    for (const Tensor& t : out.value_or(std::vector<Tensor>())) values.push_back(t.scalar<T>());
    return values;
  }

  FakeOps ops_;
  TestGraph g_;
};
INSTANTIATE_TEST_SUITE_P(, FlatExecutorTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Framed" : "Flat"; });

TEST_P(FlatExecutorTest, ControlEdgesOrder) {
  g_.Add("first", "FakeCounter")
      .Add("x", "FakeIdentity", {"first"})
      .Add("effect", "FakeEffect", {"^x"}, {{"key", "e"}});
  g_.Add("trigger", "ControlTrigger", {"^effect"}).Const("k", 1, {"^trigger"}).Add("sum", "FakeAdd", {"k", "x"});
  EXPECT_THAT(Values({{}, {"sum"}, {}}), ElementsAre(2));
  EXPECT_EQ(ops_.count("e"), 1);
}

TEST_P(FlatExecutorTest, ManyInputs) {
  std::vector<std::string> inputs;
  for (int i = 0; i < 100; ++i) {
    g_.Const(absl::StrCat("c", i), i).Add(absl::StrCat("x", i), "FakeIdentity", {absl::StrCat("c", i)});
    inputs.push_back(absl::StrCat("x", i));
  }
  inputs.push_back("x0");
  inputs.push_back("x99");
  g_.Add("sum", "FakeSum", inputs).Add("none", "FakeSum").Add("both", "FakeAdd", {"sum", "x99"});
  EXPECT_THAT(Values({{}, {"both", "none", "x64"}, {}}), ElementsAre(4950 + 99 + 99, 0, 64));
}

// Memory goes to the last reader if nobody else can see it.
TEST_P(FlatExecutorTest, WhoMayWrite) {
  g_.Add("n", "Placeholder").Add("fill", "FakeFill", {"n"}).Add("last", "FakeOwns", {"fill"});
  EXPECT_THAT(Values<bool>({{"n"}, {"last"}, {}}, {Tensor::Scalar(100)}), ElementsAre(true));
  g_.Add("id", "FakeIdentity", {"fill"}).Add("through", "FakeOwns", {"id"});
  EXPECT_THAT(Values<bool>({{"n"}, {"through"}, {}}, {Tensor::Scalar(100)}), ElementsAre(true));
  // Fetched, fed, constant, or read by another node that has yet to run: no.
  const auto fetched = Run({{"n"}, {"fill", "last"}, {}}, {Tensor::Scalar(100)});
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  EXPECT_FALSE((*fetched)[1].scalar<bool>());
  EXPECT_THAT(Values<bool>({{"fill"}, {"last"}, {}}, {Tensor::Vector<int32_t>({1, 2})}), ElementsAre(false));
  g_.Add("c", "FakeConst", {}, {{"T", DType::kInt32}, {"value", Tensor::Vector<int32_t>({1, 2})}})
      .Add("constant", "FakeOwns", {"c"});
  EXPECT_THAT(Values<bool>({{}, {"constant"}, {}}), ElementsAre(false));
  g_.Add("two", "FakeTwo", {"fill"}).Add("a", "FakeOwns", {"two:0"}).Add("b", "FakeOwns", {"two:1", "^a"});
  EXPECT_THAT(Values<bool>({{"n"}, {"a", "b"}, {}}, {Tensor::Scalar(100)}), ElementsAre(false, true));
}

TEST_P(FlatExecutorTest, FailuresLeaveNothingBehind) {
  g_.Add("x", "Placeholder")
      .Add("fill", "FakeFill", {"x"})
      .Add("maybe", "FakeFail", {"x"}, {{"when", 3}, {"code", 8}})
      .Add("after", "FakeCount", {"maybe"}, {{"key", "after"}});
  const auto runner = Make({{"x"}, {"fill", "after"}, {}});
  ASSERT_TRUE(runner.ok()) << runner.status();
  for (int i = 0; i < 3; ++i) {
    const absl::Status status = (*runner)->Run({Tensor::Scalar(3)}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    EXPECT_EQ(status.message(), "node 'maybe' (FakeFail): expected to fail, got here");
    const auto out = (*runner)->Run({Tensor::Scalar(4)});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_TRUE((*out)[0].is_sole_owner());
    EXPECT_EQ((*out)[1].scalar<int32_t>(), 4);
  }
  EXPECT_EQ(ops_.count("after"), 3);
}

// C17: what a kernel throws becomes the status of its node, and the next run is fine.
TEST_P(FlatExecutorTest, ExceptionsBecomeErrors) {
  g_.Add("x", "Placeholder").Add("throws", "FakeThrow", {"x"});
  const auto runner = Make({{"x"}, {"throws"}, {}});
  ASSERT_TRUE(runner.ok()) << runner.status();
  const std::pair<absl::StatusCode, const char*> wants[] = {
      {absl::StatusCode::kResourceExhausted, "node 'throws' (FakeThrow): memory: expected enough for the kernel, got none"},
      {absl::StatusCode::kInternal, "node 'throws' (FakeThrow): kernel: expected a status, got the exception 'as it pleases'"},
      {absl::StatusCode::kInternal, "node 'throws' (FakeThrow): kernel: expected a status, got an exception"}};
  for (int round = 0; round < 2; ++round) {
    for (int what = 0; what < 3; ++what) {
      const absl::Status status = (*runner)->Run({Tensor::Scalar(what)}).status();
      EXPECT_EQ(status.code(), wants[what].first) << status;
      EXPECT_EQ(status.message(), wants[what].second);
    }
  }
}

TEST_P(FlatExecutorTest, CancelledBeforeAndDuring) {
  g_.Const("x", 1).Add("y", "FakeIdentity", {"x"});
  const auto runner = Make({{}, {"y"}, {"x"}});
  ASSERT_TRUE(runner.ok()) << runner.status();
  CancellationManager cancellation;
  cancellation.Cancel(absl::AbortedError("by the test"));
  const absl::StatusOr<std::vector<Tensor>> out = (*runner)->Run({}, {.cancellation = &cancellation});
  // Framed plans look after so many nodes and in loops; flat ones before they begin.
  if (!framed()) {
    EXPECT_EQ(out.status().code(), absl::StatusCode::kAborted);
    EXPECT_THAT(std::string(out.status().message()), HasSubstr("by the test"));
  }
  std::string last = "x";
  for (int i = 0; i < 500; ++i) {
    g_.Add(absl::StrCat("n", i), "FakeIdentity", {last});
    last = absl::StrCat("n", i);
  }
  const auto longer = Make({{}, {last}, {}});
  EXPECT_EQ((*longer)->Run({}, {.cancellation = &cancellation}).status().code(), absl::StatusCode::kAborted);
}

// Graphs at random: with feeds, control edges, several outputs, counted nodes; a chance of failure in each.
struct RandomGraph {
  explicit RandomGraph(const OpRegistry& registry, uint32_t seed) : graph(registry), random(seed) {
    for (int i = 0; i < 3; ++i) AddNode("Placeholder", 0, 1);
    const int nodes = 3 + Below(40);
    for (int i = 0; i < nodes; ++i) {
      switch (Below(9)) {
        case 0:
          graph.Const(absl::StrCat("n", num_nodes++), Below(5), Controls());
          ports.push_back(absl::StrCat("n", num_nodes - 1));
          break;
        case 1:
          AddNode("FakeAdd", 2, 1);
          break;
        case 2:
          AddNode("FakeMul", 2, 1);
          break;
        case 3:
          AddNode("FakeTwo", 1, 2);
          break;
        case 4:
          AddNode("FakeSum", Below(5), 1);
          break;
        case 5:
          AddNode("FakeCount", 1, 1, {{"key", absl::StrCat("n", num_nodes)}});
          break;
        case 6:
          AddNode("FakeNoOp", 0, 0);
          break;
        case 7:
          AddNode("FakeIdentity", 1, 1);
          break;
        case 8:
          AddNode("FakeFail", 1, 1, {{"when", 7}, {"key", absl::StrCat("n", num_nodes)}});
          break;
      }
    }
    for (int i = 0; i < 3; ++i) step.feeds.push_back(ports[i]);
    if (Below(2) == 0) step.feeds.push_back(ports[3 + Below(static_cast<int>(ports.size()) - 3)]);
    for (int i = 0; i < 4; ++i) {
      const std::string& port = ports[3 + Below(static_cast<int>(ports.size()) - 3)];
      if (std::find(step.feeds.begin(), step.feeds.end(), port) == step.feeds.end()) step.fetches.push_back(port);
    }
    step.targets.push_back(absl::StrCat("n", 3 + Below(num_nodes - 3)));
  }

  int Below(int n) { return static_cast<int>(random() % n); }
  std::vector<std::string> Controls() {
    std::vector<std::string> controls;
    for (int i = Below(3); i > 0; --i) {
      if (num_nodes > 4) controls.push_back(absl::StrCat("^n", 3 + Below(num_nodes - 4)));
    }
    return controls;
  }
  void AddNode(const std::string& op, int num_inputs, int num_outputs, AttrMap attrs = {}) {
    std::vector<std::string> inputs;
    for (int i = 0; i < num_inputs; ++i) inputs.push_back(ports[Below(static_cast<int>(ports.size()))]);
    const std::vector<std::string> controls = op == "Placeholder" ? std::vector<std::string>() : Controls();
    inputs.insert(inputs.end(), controls.begin(), controls.end());
    const std::string name = absl::StrCat("n", num_nodes++);
    graph.Add(name, op, inputs, std::move(attrs));
    for (int i = 0; i < num_outputs; ++i) ports.push_back(i == 0 ? name : absl::StrCat(name, ":", i));
  }

  TestGraph graph;
  std::minstd_rand random;
  int num_nodes = 0;
  std::vector<std::string> ports;
  StepNames step;
};

TEST(FlatAndFramedTest, Agree) {
  int failures = 0;
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    FakeOps ops[2];
    std::unique_ptr<PlanRunner> runners[2];
    StepNames step;
    for (const bool framed : {false, true}) {
      const RandomGraph random(ops[framed].library().registry(), seed);
      step = random.step;
      absl::StatusOr<Graph> graph = random.graph.Build();
      ASSERT_TRUE(graph.ok()) << graph.status();
      auto runner = PlanRunner::Make(ops[framed].library(), *std::move(graph), step, framed);
      ASSERT_TRUE(runner.ok()) << runner.status();
      runners[framed] = *std::move(runner);
    }
    for (int run = 0; run < 3; ++run) {
      std::vector<Tensor> feeds;
      for (size_t i = 0; i < step.feeds.size(); ++i) feeds.push_back(Tensor::Scalar(static_cast<int32_t>(run + i)));
      const auto flat = runners[0]->Run(feeds), framed = runners[1]->Run(feeds);
      ASSERT_EQ(flat.status().code(), framed.status().code()) << flat.status() << framed.status();
      failures += !flat.ok();
      if (!flat.ok()) continue;  // which node failed first, and what ran before it, is the schedule's choice
      for (size_t i = 0; i < flat->size(); ++i)
        EXPECT_EQ((*flat)[i].scalar<int32_t>(), (*framed)[i].scalar<int32_t>()) << step.fetches[i];
      if (failures > 0) continue;
      for (int i = 0; i < 50; ++i)
        EXPECT_EQ(ops[0].count(absl::StrCat("n", i)), ops[1].count(absl::StrCat("n", i))) << i;
    }
    failures = 0;
  }
}

TEST(FlatPlanTest, SlotsAreUsedAgain) {
  FakeOps ops;
  TestGraph g(ops.library().registry());
  g.Const("n0", 1);
  for (int i = 1; i < 1000; ++i)
    g.Add(absl::StrCat("n", i), "FakeAdd", {absl::StrCat("n", i - 1), absl::StrCat("n", i - 1)});
  const auto runner = PlanRunner::Make(ops.library(), g.Build().value(), {{}, {"n20"}, {"n999"}});
  ASSERT_TRUE(runner.ok()) << runner.status();
  EXPECT_LE((*runner)->plan().num_slots, 4u);
  EXPECT_EQ((*(*runner)->Run())[0].scalar<int32_t>(), 1 << 20);
}

}  // namespace
}  // namespace flowlatch
