// Calls of functions, on toy ops: semantics.md, 5C.
#include "ops/function_ops.h"

#include <cmath>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/runtime/exec/plan_runner.h"
#include "tests/testing/test_functions.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

constexpr char kInt[] = "T=type:DT_INT32";

class FunctionOpsTest : public testing::Test {
 protected:
  FunctionOpsTest()
      : g_(ops_.library().registry()), functions_(std::make_shared<FunctionLibrary>(ops_.library().registry())) {
    EXPECT_TRUE(RegisterFunctionOps(ops_.library()).ok());
    g_.set_library(functions_);
    // Each function twice: with and without a kernel that waits.
    for (const bool late : {false, true}) {
      const std::string suffix = late ? "Late" : "";
      const std::string pass = late ? "FakeLater" : "FakeIdentity";
      Add({"Double" + suffix,
           {"a DT_INT32"},
           {"r DT_INT32"},
           {"p " + pass + " a " + kInt, absl::StrCat("s FakeAdd p:output:0,p:output:0 ", kInt)},
           {"r s:z:0"}});
      Add({"Squared" + suffix,
           {"a DT_INT32"},
           {"r DT_INT32"},
           {"p " + pass + " a " + kInt, absl::StrCat("s FakeMul p:output:0,p:output:0 ", kInt)},
           {"r s:z:0"}});
      // (i, n) -> i < n, and (i, n) -> (i + i, n)
      Add({"Below" + suffix,
           {"i DT_INT32", "n DT_INT32"},
           {"r DT_BOOL"},
           {"p " + pass + " i " + kInt, absl::StrCat("l FakeLess p:output:0,n ", kInt)},
           {"r l:z:0"}});
      Add({"Twice" + suffix,
           {"i DT_INT32", "n DT_INT32"},
           {"i2 DT_INT32", "n2 DT_INT32"},
           {"c Double" + suffix + " i"},
           {"i2 c:r:0", "n2 n"}});
    }
  }
  void Add(const FunctionText& text) {
    const absl::Status status = functions_->Add(Define(text));
    EXPECT_TRUE(status.ok()) << status;
  }
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
  std::vector<int32_t> Ints(const StepNames& names, const std::vector<Tensor>& feeds = {}) {
    const absl::StatusOr<std::vector<Tensor>> out = Run(names, feeds);
    EXPECT_TRUE(out.ok()) << out.status();
    std::vector<int32_t> ints;
    for (const Tensor& t : out.value_or(std::vector<Tensor>())) ints.push_back(t.scalar<int32_t>());
    return ints;
  }
  void ExpectError(const absl::Status& status, absl::StatusCode code, const std::string& text) {
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  }
  static FunctionRef F(std::string name) { return {std::move(name), {}}; }
  static AttrMap Types(std::vector<DType> in, std::vector<DType> out) {
    return {{"Tin", std::move(in)}, {"Tout", std::move(out)}};
  }
  static AttrMap IntTypes() { return Types({DType::kInt32}, {DType::kInt32}); }

  FakeOps ops_;
  TestGraph g_;
  std::shared_ptr<FunctionLibrary> functions_;
};

TEST_F(FunctionOpsTest, Calls) {
  g_.Add("x", "Placeholder").Add("a", "Double", {"x"}).Add("b", "SquaredLate", {"a"});
  g_.Add("c", "PartitionedCall", {"b"}, IntTypes().With("f", F("DoubleLate")))
      .Add("d", "StatefulPartitionedCall", {"c"}, IntTypes().With("f", F("Squared")));
  EXPECT_THAT(Ints({{"x"}, {"a", "b", "c", "d"}, {}}, {Tensor::Scalar(3)}), ElementsAre(6, 36, 72, 5184));
}

TEST_F(FunctionOpsTest, IfAndCase) {
  for (const std::string late : {"", "Late"}) {
    TestGraph g(ops_.library().registry());
    g.set_library(functions_);
    g.Add("x", "Placeholder").Add("p", "Placeholder", {}, {{"T", DType::kBool}}).Add("i", "Placeholder");
    g.Add("if", "StatelessIf", {"p", "x"},
          IntTypes()
              .With("Tcond", DType::kBool)
              .With("then_branch", F("Double" + late))
              .With("else_branch", F("Squared")));
    g.Add("case", "StatelessCase", {"i", "x"},
          IntTypes().With("branches", std::vector<FunctionRef>{F("Double"), F("Squared" + late)}));
    const auto runner = PlanRunner::Make(ops_.library(), g.Build().value(), {{"x", "p", "i"}, {"if", "case"}, {}});
    ASSERT_TRUE(runner.ok()) << runner.status();
    EXPECT_EQ((*runner)->plan().is_async, !late.empty());
    const struct {
      bool p;
      int32_t i, want_if, want_case;
    } kCases[] = {{true, 0, 10, 10}, {false, 1, 25, 25}, {true, 2, 10, 25}, {true, -1, 10, 25}};  // 5.22
    for (const auto& c : kCases) {
      const auto out = (*runner)->Run({Tensor::Scalar(5), Tensor::Scalar(c.p), Tensor::Scalar(c.i)});
      ASSERT_TRUE(out.ok()) << out.status();
      EXPECT_EQ((*out)[0].scalar<int32_t>(), c.want_if);
      EXPECT_EQ((*out)[1].scalar<int32_t>(), c.want_case);
    }
    ExpectError((*runner)->Run({Tensor::Scalar(5), Tensor::Scalar(true), Tensor::Vector({1, 2})}).status(), kInvalid,
                "node 'case' (StatelessCase): branch index: expected a scalar, got shape [2]");
  }
}

TEST_F(FunctionOpsTest, Conditions) {  // 5.21
  const std::vector<std::pair<Tensor, bool>> kCases = {{Tensor::Scalar(true), true},
                                                       {Tensor::Scalar(false), false},
                                                       {Tensor::Scalar(-2), true},
                                                       {Tensor::Scalar(0), false},
                                                       {Tensor::Scalar(0.5f), true},
                                                       {Tensor::Scalar(-0.0f), false},
                                                       {Tensor::Scalar(NAN), true},
                                                       {Tensor::Scalar("x"), true},
                                                       {Tensor::Scalar(""), false},
                                                       {Tensor::Vector({0}), true},
                                                       {*Tensor::Make(DType::kInt32, {0}), false},
                                                       {Tensor::Scalar(Half(0.f)), false},
                                                       {Tensor::Scalar(uint32_t{3}), true}};
  for (const auto& [condition, taken] : kCases) {
    TestGraph g(ops_.library().registry());
    g.set_library(functions_);
    g.Const("x", 5).Add("p", "Placeholder", {}, {{"T", condition.dtype()}});
    g.Add(
        "if", "StatelessIf", {"p", "x"},
        IntTypes().With("Tcond", condition.dtype()).With("then_branch", F("Double")).With("else_branch", F("Squared")));
    const auto runner = PlanRunner::Make(ops_.library(), g.Build().value(), {{"p"}, {"if"}, {}});
    const auto out = (*runner)->Run({condition});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<int32_t>(), taken ? 10 : 25) << condition.DebugString();
  }
}

TEST_F(FunctionOpsTest, While) {  // 5.23, for every choice of parts that wait
  for (const std::string cond : {"", "Late"}) {
    for (const std::string body : {"", "Late"}) {
      TestGraph g(ops_.library().registry());
      g.set_library(functions_);
      g.Const("one", 1).Add("n", "Placeholder");
      g.Add("w", "StatelessWhile", {"one", "n"},
            {{"T", std::vector<DType>{DType::kInt32, DType::kInt32}},
             {"cond", F("Below" + cond)},
             {"body", F("Twice" + body)}});
      const auto runner = PlanRunner::Make(ops_.library(), g.Build().value(), {{"n"}, {"w", "w:1"}, {}});
      ASSERT_TRUE(runner.ok()) << runner.status();
      EXPECT_EQ((*runner)->plan().is_async, cond == "Late" || body == "Late");
      for (const int32_t n : {1, 2, 1000, 0}) {
        const auto out = (*runner)->Run({Tensor::Scalar(n)});
        ASSERT_TRUE(out.ok()) << out.status();
        EXPECT_EQ((*out)[0].scalar<int32_t>(), n == 1000 ? 1024 : std::max(n, 1)) << cond << body;
        EXPECT_EQ((*out)[1].scalar<int32_t>(), n);
      }
    }
  }
}

TEST_F(FunctionOpsTest, EndlessLoops) {  // neither condition nor body has a node to execute
  Add({"Always", {"b DT_BOOL"}, {"r DT_BOOL"}, {}, {"r b"}});
  Add({"AlwaysLate", {"b DT_BOOL"}, {"r DT_BOOL"}, {"p FakeLater b T=type:DT_BOOL"}, {"r p:output:0"}});
  for (const char* body : {"Always", "AlwaysLate"}) {
    TestGraph g(ops_.library().registry());
    g.set_library(functions_);
    g.Const("yes", true)
        .Add("w", "StatelessWhile", {"yes"},
             {{"T", std::vector<DType>{DType::kBool}}, {"cond", F("Always")}, {"body", F(body)}});
    const auto runner = PlanRunner::Make(ops_.library(), g.Build().value(), {{}, {"w"}, {}});
    ASSERT_TRUE(runner.ok()) << runner.status();
    EXPECT_EQ((*runner)->Run({}, {.timeout = std::chrono::milliseconds(20)}).status().code(),
              absl::StatusCode::kDeadlineExceeded)
        << body;
  }
}

TEST_F(FunctionOpsTest, DtypesAndCountsAreCheckedWhenThePlanIsMade) {  // 5.24
  g_.Const("x", 5).Const("f", 1.5f).Const("p", true);
  g_.Add("result", "PartitionedCall", {"x"}, Types({DType::kInt32}, {DType::kString}).With("f", F("Double")));
  ExpectError(Make({{}, {"result"}, {}}).status(), kInvalid,
              "node 'result' (PartitionedCall): function 'Double': expected result 0 to be int32, got string");
  g_.Add("arg", "PartitionedCall", {"f"}, Types({DType::kFloat32}, {DType::kInt32}).With("f", F("Double")));
  ExpectError(Make({{}, {"arg"}, {}}).status(), kInvalid,
              "function 'Double': expected argument 0 to be int32, got float32");
  g_.Add("more", "PartitionedCall", {"x"},
         Types({DType::kInt32}, {DType::kInt32, DType::kInt32}).With("f", F("Double")));
  ExpectError(Make({{}, {"more"}, {}}).status(), kInvalid, "function 'Double': expected 1 results, got 2");
  g_.Add("if", "StatelessIf", {"p", "x"},
         Types({DType::kInt32}, {DType::kInt32})
             .With("Tcond", DType::kBool)
             .With("then_branch", F("Double"))
             .With("else_branch", F("Below")));
  ExpectError(Make({{}, {"if"}, {}}).status(), kInvalid, "function 'Below': expected 2 arguments, got 1");
  g_.Add("while", "StatelessWhile", {"x"},
         {{"T", std::vector<DType>{DType::kInt32}}, {"cond", F("Double")}, {"body", F("Below")}});
  ExpectError(Make({{}, {"while"}, {}}).status(), kInvalid, "function 'Below': expected 2 arguments, got 1");
  g_.Add("unknown", "PartitionedCall", {"x"}, IntTypes().With("f", F("Doble")));
  ExpectError(Make({{}, {"unknown"}, {}}).status(), kInvalid, "did you mean 'Double'");
  g_.Add("branches", "StatelessIf", {"p", "x"},
         Types({DType::kInt32}, {DType::kInt32})
             .With("Tcond", DType::kBool)
             .With("then_branch", F("Double"))
             .With("else_branch", F("Doble")));
  ExpectError(Make({{}, {"branches"}, {}}).status(), absl::StatusCode::kNotFound, "did you mean 'Double'");
}

TEST_F(FunctionOpsTest, FailuresNameTheirNodes) {
  Add({"Fails", {"a DT_INT32"}, {"r DT_INT32"}, {"inner FakeFail a code=i:11"}, {"r inner:output:0"}});
  Add({"Dead",
       {"a DT_INT32"},
       {"r DT_INT32"},
       {"c FakeLess a,a T=type:DT_INT32", "s Switch a,c:z:0 T=type:DT_INT32"},
       {"r s:output_true:0"}});
  g_.Const("x", 5).Add("call", "Fails", {"x"}).Add("dead", "Dead", {"x"});
  ExpectError(Run({{}, {"call"}, {}}).status(), absl::StatusCode::kOutOfRange,
              "node 'call' (Fails): node 'inner' (FakeFail): expected to fail");
  ExpectError(Run({{}, {"dead"}, {}}).status(), kInvalid,
              "node 'dead' (Dead): fetch 0 's:1': expected a value, got a dead");  // 1.41
}

// f(n) = f(n + n) has no end.
TEST_F(FunctionOpsTest, Recursion) {
  for (const std::string late : {"", "Late"}) {
    const std::string name = "Recursive" + late;
    FunctionDef definition = Define({name,
                                     {"n DT_INT32"},
                                     {"r DT_INT32"},
                                     {"d Double" + late + " n", name + "_again " + name + " d:r:0"},
                                     {"r " + name + "_again:r:0"}});
    ASSERT_TRUE(functions_->Add(definition).ok());
    TestGraph g(ops_.library().registry());
    g.set_library(functions_);
    g.Const("x", 1).Add("call", name, {"x"});
    const auto runner = PlanRunner::Make(ops_.library(), g.Build().value(), {{}, {"call"}, {}});
    ASSERT_TRUE(runner.ok()) << runner.status();
    for (const int depth : {1, 50, 1000}) {
      const absl::Status status = (*runner)->Run({}, {.max_call_depth = depth}).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status.code();
      EXPECT_THAT(std::string(status.message()), HasSubstr(absl::StrCat("expected at most ", depth)));
    }
  }
}

// A function that waits, handed to one that does not look as if it did.
TEST_F(FunctionOpsTest, FunctionsAsAttributes) {
  FunctionDef definition = Define({"Apply", {"a DT_INT32"}, {"r DT_INT32"}, {}, {"r c:output:0"}});
  auto* attr = definition.mutable_signature()->add_attr();
  attr->set_name("g");
  attr->set_type("func");
  NodeDef* call = definition.add_node_def();
  call->set_name("c");
  call->set_op("PartitionedCall");
  call->add_input("a");
  (*call->mutable_attr())["Tin"].mutable_list()->add_type(DT_INT32);
  (*call->mutable_attr())["Tout"].mutable_list()->add_type(DT_INT32);
  (*call->mutable_attr())["f"].set_placeholder("g");
  ASSERT_TRUE(functions_->Add(definition).ok());
  g_.Const("x", 5)
      .Add("now", "Apply", {"x"}, {{"g", F("Squared")}})
      .Add("late", "Apply", {"x"}, {{"g", F("SquaredLate")}});
  g_.Add("twice", "PartitionedCall", {"x"}, IntTypes().With("f", FunctionRef{"Apply", {{"g", F("DoubleLate")}}}));
  EXPECT_THAT(Ints({{}, {"now", "late", "twice"}, {}}), ElementsAre(25, 25, 10));
}

// State lives with the call site (2.16); effects of a body run whether or not a result needs them (5.31).
TEST_F(FunctionOpsTest, StateAndEffects) {
  Add({"Next", {}, {"r DT_INT32"}, {"c FakeCounter", "e FakeEffect  key=s:'effect'"}, {"r c:output:0"}});
  g_.Add("a", "Next").Add("b", "Next");
  const auto runner = Make({{}, {"a", "b"}, {}});
  ASSERT_TRUE(runner.ok()) << runner.status();
  for (const int32_t run : {1, 2, 3}) {
    const auto out = (*runner)->Run();
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<int32_t>(), run);
    EXPECT_EQ((*out)[1].scalar<int32_t>(), run);
  }
  EXPECT_EQ(ops_.count("effect"), 6);
}

// One executable of a shared function, run by several threads at once, waiting or not.
TEST_F(FunctionOpsTest, CalleesServeSeveralThreads) {
  g_.Add("n", "Placeholder").Const("one", 1);
  const AttrMap types{{"T", std::vector<DType>{DType::kInt32, DType::kInt32}}};
  g_.Add("now", "StatelessWhile", {"one", "n"}, types.With("cond", F("Below")).With("body", F("Twice")));
  g_.Add("late", "StatelessWhile", {"one", "n"}, types.With("cond", F("BelowLate")).With("body", F("TwiceLate")));
  const auto runner = Make({{"n"}, {"now", "late"}, {}});
  ASSERT_TRUE(runner.ok()) << runner.status();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const auto out = (*runner)->Run({Tensor::Scalar(1 << t)});
        ASSERT_TRUE(out.ok()) << out.status();
        EXPECT_EQ((*out)[0].scalar<int32_t>(), 1 << t);
        EXPECT_EQ((*out)[1].scalar<int32_t>(), 1 << t);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// What waits in a body is woken when the step is cancelled.
TEST_F(FunctionOpsTest, CancelledInsideACall) {
  Add({"Waits", {"a DT_INT32"}, {"r DT_INT32"}, {absl::StrCat("w FakeWait a ", kInt)}, {"r w:output:0"}});
  g_.Const("x", 1).Add("call", "Waits", {"x"});
  CancellationManager cancellation;
  std::thread cancel([&] {
    ops_.AwaitWaiting(1);
    cancellation.Cancel(absl::CancelledError("enough"));
  });
  ExpectError(Run({{}, {"call"}, {}}, {}, {.cancellation = &cancellation}).status(), absl::StatusCode::kCancelled,
              "node 'call' (Waits): node 'w' (FakeWait)");
  cancel.join();
}

}  // namespace
}  // namespace flowlatch
