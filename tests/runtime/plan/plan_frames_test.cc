#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/runtime/plan/plan_builder_fixture.h"

namespace flowlatch {
namespace {

using PlanFramesTest = PlanBuilderTest;

TEST_F(PlanFramesTest, FramedWhereNeeded) {
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

TEST_F(PlanFramesTest, ParallelIterationsOfTheFirstEnter) {  // 1.6
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

TEST_F(PlanFramesTest, DeepNesting) {
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
