#include "graph/passes/unused_effects.h"

#include "gmock/gmock.h"
#include "tests/graph/passes/functions_fixture.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;

constexpr DType kI = DType::kInt32;

class UnusedEffectsTest : public FunctionsTest {
 protected:
  // An If whose results are computed from one argument each.
  UnusedParts OfIf(const OpUse& use, const std::string& first_op, std::vector<std::string> control_returns = {}) {
    const std::vector<std::string> args = {"a DT_INT32", "b DT_INT32"}, results = {"r DT_INT32", "s DT_INT32"};
    AddFunction({"Then",
                 args,
                 results,
                 {"first " + first_op + " a " + kInt + ";key=s:'k'", std::string("second Identity b ") + kInt},
                 {"r first:output:0", "s second:output:0"},
                 std::move(control_returns)});
    AddFunction({"Else", args, results, {}, {"r a", "s b"}});
    g_.Add("p", "Placeholder", {}, {{"T", DType::kBool}}).Const("x", 1).Const("y", 2);
    g_.Add("op", "If", {"p", "x", "y"},
           {{"Tcond", DType::kBool},
            {"Tin", std::vector<DType>{kI, kI}},
            {"Tout", std::vector<DType>{kI, kI}},
            {"then_branch", FunctionRef{"Then", {}}},
            {"else_branch", FunctionRef{"Else", {}}}});
    const Graph graph = Build();
    return FindUnusedParts(graph, *graph.FindNode("op"), use);
  }
  // A loop of variables i, x, y: x needs y, and i is what the condition needs.
  UnusedParts OfWhile(const OpUse& use, std::vector<std::string> control_returns = {}) {
    const std::vector<std::string> variables = {"i DT_INT32", "x DT_INT32", "y DT_INT32", "z DT_INT32"};
    AddFunction({"Cond", variables, {"p DT_INT32"}, {}, {"p i"}});
    AddFunction({"Body",
                 variables,
                 {"ni DT_INT32", "nx DT_INT32", "ny DT_INT32", "nz DT_INT32"},
                 {std::string("sum FakeMul x,y ") + kInt, std::string("times FakeMul y,y ") + kInt,
                  std::string("seen FakeEffect ^z key=s:'k'")},
                 {"ni i", "nx sum:z:0", "ny times:z:0", "nz z"},
                 std::move(control_returns)});
    for (const char* name : {"a", "b", "c", "d"}) g_.Const(name, 1);
    g_.Add("op", "While", {"a", "b", "c", "d"},
           {{"T", std::vector<DType>(4, kI)}, {"cond", FunctionRef{"Cond", {}}}, {"body", FunctionRef{"Body", {}}}});
    const Graph graph = Build();
    return FindUnusedParts(graph, *graph.FindNode("op"), use);
  }
};

TEST_F(UnusedEffectsTest, BranchesNeedWhatTheirUsedResultsNeed) {
  const UnusedParts parts = OfIf({{false, true}}, "FakeFail");
  EXPECT_TRUE(parts.matters);  // the first result may fail, and nobody wants it
  EXPECT_THAT(parts.inputs_needed, ElementsAre(true, false, true));
}

TEST_F(UnusedEffectsTest, AllUsed) {
  const UnusedParts parts = OfIf({{true, true}}, "FakeFail");
  EXPECT_FALSE(parts.matters);
  EXPECT_THAT(parts.inputs_needed, ElementsAre(true, true, true));
}

TEST_F(UnusedEffectsTest, WhatCannotBeNoticedDoesNotMatter) { EXPECT_FALSE(OfIf({{false, true}}, "Identity").matters); }

TEST_F(UnusedEffectsTest, AsAWhole) { EXPECT_FALSE(OfIf({{false, false}, false, true}, "FakeFail").matters); }

TEST_F(UnusedEffectsTest, ControlReturnsAreForThoseWhoWait) {
  EXPECT_FALSE(OfIf({{false, true}, true}, "FakeFail", {"first"}).matters);
}

TEST_F(UnusedEffectsTest, ControlReturnsThatNobodyAwaits) {
  EXPECT_TRUE(OfIf({{false, true}, false}, "FakeFail", {"first"}).matters);
}

TEST_F(UnusedEffectsTest, LoopNeedsWhatItsVariablesNeed) {
  const UnusedParts parts = OfWhile({{false, true, false, false}});
  EXPECT_FALSE(parts.matters);
  EXPECT_THAT(parts.inputs_needed, ElementsAre(true, true, true, false));
}

TEST_F(UnusedEffectsTest, LoopWithUnusedVariables) {
  const UnusedParts parts = OfWhile({{false, false, true, false}});
  EXPECT_TRUE(parts.matters);
  EXPECT_THAT(parts.inputs_needed, ElementsAre(true, false, true, false));
}

TEST_F(UnusedEffectsTest, ControlReturnsOfALoopAlwaysRun) {
  const UnusedParts parts = OfWhile({{false, true, false, false}}, {"seen"});
  EXPECT_FALSE(parts.matters);
  EXPECT_THAT(parts.inputs_needed, ElementsAre(true, true, true, true));
}

TEST_F(UnusedEffectsTest, AwaitedLoopNeedsAll) {
  EXPECT_THAT(OfWhile({{false, false, false, false}, true}).inputs_needed, ElementsAre(true, true, true, true));
}

TEST_F(UnusedEffectsTest, FunctionsThatDoNotExistAreLeftToTheirCaller) {
  g_.Add("p", "Placeholder", {}, {{"T", DType::kBool}});
  g_.Add("op", "If", {"p"},
         {{"Tcond", DType::kBool},
          {"Tin", std::vector<DType>{}},
          {"Tout", std::vector<DType>{kI}},
          {"then_branch", FunctionRef{"Nobody", {}}},
          {"else_branch", FunctionRef{"Nobody", {}}}});
  const Graph graph = Build();
  EXPECT_FALSE(FindUnusedParts(graph, *graph.FindNode("op"), {{false}}).matters);
}

TEST_F(UnusedEffectsTest, Unnoticed) {
  g_.Add("one", "Const", {}, {{"dtype", kI}, {"value", Tensor::Scalar(1)}});
  g_.Add("row", "Const", {}, {{"dtype", kI}, {"value", Tensor::Vector<int32_t>({1, 2})}});
  g_.Add("next", "AddV2", {"row", "one"}).Add("sum", "AddV2", {"row", "row"}).Add("div", "Div", {"row", "one"});
  g_.Add("print", "FakeEffect", {}, {{"key", "k"}});
  const Graph graph = Build();
  const auto unnoticed = [&](const char* name) { return IsUnnoticed(graph, *graph.FindNode(name)); };
  EXPECT_TRUE(unnoticed("one"));
  EXPECT_TRUE(unnoticed("next"));
  EXPECT_FALSE(unnoticed("sum"));  // shapes might not fit
  EXPECT_FALSE(unnoticed("div"));
  EXPECT_FALSE(unnoticed("print"));
}

}  // namespace
}  // namespace flowlatch
