#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/runtime/plan/plan_builder_fixture.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

TEST_F(PlanBuilderTest, EqualNodesShareAKernel) {
  const AttrMap attrs{{"T", DType::kInt32}};
  g_.Const("x", 1);
  for (int i = 0; i < 3; ++i)
    g_.Add(absl::StrCat("sum", i), "FakeAdd", {"x", "x"}, attrs).Add(absl::StrCat("counter", i), "FakeCounter");
  EXPECT_TRUE(Build({}, {"sum0", "sum1", "sum2", "counter0", "counter1", "counter2"}).ok());
  std::sort(made_.begin(), made_.end());
  EXPECT_THAT(made_, ElementsAre("counter0", "counter1", "counter2", "sum0", "x"));
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

}  // namespace
}  // namespace flowlatch
