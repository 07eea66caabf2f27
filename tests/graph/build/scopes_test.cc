// What scopes do to the ops made inside: control dependencies, names, devices, colocation, init_scope.
#include <gtest/gtest.h>

#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "graph/build/graph_builder.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

// The names of the nodes that `op` waits for by control edges.
std::string Waits(const Operation& op) {
  const Graph& graph = op.builder()->graph();
  std::string text;
  for (const Port p : graph.control_inputs(op.node())) absl::StrAppend(&text, text.empty() ? "" : " ", std::string(graph.node(p.node).name));
  return text;
}

const std::string& DeviceOf(const Operation& op) { return op.builder()->graph().device_name(op.builder()->node(op)); }

std::string GroupsOf(const Operation& op) {
  const Attr* attr = op.builder()->node(op).attrs.Find("_class");
  std::string text;
  if (attr == nullptr) return text;
  for (const std::string& group : *attr->Get<std::vector<std::string>>()) absl::StrAppend(&text, text.empty() ? "" : " ", group);
  return text;
}

class Scopes : public testing::Test, public BuiltGraph {
 protected:
  using BuiltGraph::Run;  // not the test's own
  Output One(std::string_view name) { return b.Constant(Input(1), name); }
  void TearDown() override { EXPECT_TRUE(b.ok()) << b.status(); }
};

TEST_F(Scopes, AnOpWaitsForWhatIsInForce) {
  const Output a = One("a"), c = One("c");
  auto deps = b.ControlDependencies({a, c});
  EXPECT_EQ(Waits(One("x")), "a c");
}

TEST_F(Scopes, AnOpWhoseInputWaitedDoesNotWaitAgain) {
  const Output a = One("a"), outside = One("outside");
  auto deps = b.ControlDependencies({a});
  const Output x = One("x");
  EXPECT_EQ(Waits(b.Op("Add", {x, outside})), "");
  EXPECT_EQ(Waits(b.Op("Neg", {outside})), "a");
}

TEST_F(Scopes, AnInputIsNotWaitedForOnceMore) {
  const Output a = One("a"), c = One("c");
  auto deps = b.ControlDependencies({a, c});
  EXPECT_EQ(Waits(b.Op("Neg", {a})), "c");
}

TEST_F(Scopes, DominationIsPerScope) {
  const Output a = One("a"), c = One("c");
  auto outer = b.ControlDependencies({a});
  const Output x = One("x");
  auto inner = b.ControlDependencies({c});
  EXPECT_EQ(Waits(b.Op("Neg", {x})), "c");
}

TEST_F(Scopes, AControlInputThatWaitedDoesNotDominate) {
  const Output a = One("a"), outside = One("outside");
  auto deps = b.ControlDependencies({a});
  const Output x = One("x");
  auto inner = b.ControlDependencies({x});
  EXPECT_EQ(Waits(b.Op("Neg", {outside})), "a x");
}

TEST_F(Scopes, NestedDependenciesAddUpEachOnce) {
  const Output a = One("a"), c = One("c");
  auto outer = b.ControlDependencies({a});
  auto inner = b.ControlDependencies({c, a, c});
  EXPECT_EQ(Waits(One("x")), "a c");
}

TEST_F(Scopes, NoOpsToWaitForChangeNothing) {
  const Output a = One("a");
  auto outer = b.ControlDependencies({a});
  auto inner = b.ControlDependencies({});
  EXPECT_EQ(Waits(One("x")), "a");
}

TEST_F(Scopes, NoControlDependenciesStartsAfreshAndEnds) {
  const Output a = One("a"), c = One("c");
  auto outer = b.ControlDependencies({a});
  {
    auto none = b.NoControlDependencies();
    EXPECT_EQ(Waits(One("x")), "");
    auto inner = b.ControlDependencies({c});
    EXPECT_EQ(Waits(One("x")), "c");
  }
  EXPECT_EQ(Waits(One("x")), "a");
}

TEST_F(Scopes, NoControlDependenciesLeavesTheBranch) {
  const Output p = b.Placeholder(DType::kBool, Shape(), "p");
  b.Cond(p, [&] {
    {
      auto none = b.NoControlDependencies();
      EXPECT_EQ(Waits(One("outside")), "");
    }
    const Output inside = One("inside");
    EXPECT_NE(Waits(inside), "");  // the branch's pivot
    return inside;
  }, [&] { return One("other"); });
}

TEST_F(Scopes, AnExceptionEndsAScopeToo) {
  const Output a = One("a"), p = b.Placeholder(DType::kBool, Shape(), "p");
  try {
    b.Cond(p, [&]() -> Output {
      auto name = b.NameScope("inner");
      auto deps = b.ControlDependencies({One("x")});
      auto init = b.InitScope();
      throw std::runtime_error("of the caller");
    }, [&] { return a; });
    ADD_FAILURE() << "expected the caller's exception";
  } catch (const std::runtime_error&) {
  }
  const Output after = One("after");
  EXPECT_EQ(after.name(), "after:0");
  EXPECT_EQ(Waits(after), "");
}

TEST_F(Scopes, WhatExistsAlreadyDoesNotWait) {
  const Output a = One("a"), x = One("x");
  auto deps = b.ControlDependencies({a});
  EXPECT_EQ(Waits(x), "");
  EXPECT_EQ(Waits(b.WithDependencies({}, x)), "a");
}

TEST_F(Scopes, GroupTupleAndWithDependencies) {
  const Output a = One("a"), c = One("c");
  EXPECT_EQ(Waits(b.Group({a, c})), "a c");
  EXPECT_EQ(Waits(b.Group({})), "");
  const Outputs both = b.Tuple({a, Output(), c});
  ASSERT_EQ(both.size(), 3u);
  EXPECT_FALSE(both[1]);
  EXPECT_EQ(Waits(both[0]), "tuple/group_deps");
  EXPECT_EQ(Waits(both[2]), "tuple/group_deps");
  const Output after = b.WithDependencies({a}, c);
  EXPECT_EQ(Waits(after), "a");
  EXPECT_EQ(GroupsOf(after), "loc:@c");
  EXPECT_EQ(Run({}, {both[0], after}), "int32[] = 1; int32[] = 1");
}

TEST_F(Scopes, NamesAreUniqueWhateverTheirCase) {
  EXPECT_EQ(One("a").name(), "a:0");
  EXPECT_EQ(One("a").name(), "a_1:0");
  EXPECT_EQ(One("A").name(), "A_2:0");
  EXPECT_EQ(One("a_1").name(), "a_1_1:0");
  EXPECT_EQ(b.Op("Neg", {One("x")}).name(), "Neg");
}

TEST_F(Scopes, ANameWithASlashIsThatOfAScope) {
  auto step = b.NameScope("step");
  EXPECT_EQ(b.name_scope(), "step/");
  One("x");
  EXPECT_EQ(b.Op("NoOp", {}, {}, b.name_scope()).name(), "step");
  auto root = b.NameScope("");
  EXPECT_EQ(b.name_scope(), "");
  EXPECT_EQ(One("step").name(), "step_1:0");
}

TEST_F(Scopes, NameScopesNestAndAreEnteredAgain) {
  {
    auto a = b.NameScope("a");
    EXPECT_EQ(One("x").name(), "a/x:0");
    auto c = b.NameScope("c");
    EXPECT_EQ(One("x").name(), "a/c/x:0");
    auto root = b.NameScope("");
    EXPECT_EQ(One("x").name(), "x:0");
  }
  {
    auto a = b.NameScope("a");
    EXPECT_EQ(One("x").name(), "a_1/x:0");
  }
  auto again = b.NameScope("a/");
  EXPECT_EQ(One("x").name(), "a/x_1:0");
}

TEST_F(Scopes, DevicesReplaceEachOther) {
  auto outer = b.Device("/cpu:0");
  {
    auto inner = b.Device("/cpu:1");
    EXPECT_EQ(DeviceOf(One("x")), "/cpu:1");
    auto none = b.Device("");
    EXPECT_EQ(DeviceOf(One("x")), "");
  }
  EXPECT_EQ(DeviceOf(One("x")), "/cpu:0");
}

TEST_F(Scopes, ColocationTakesTheTargetsDevice) {
  Output placed;
  {
    auto device = b.Device("/cpu:1");
    placed = One("placed");
  }
  const Output free = One("free");
  auto device = b.Device("/cpu:0");
  {
    auto with = b.ColocateWith(placed);
    EXPECT_EQ(DeviceOf(One("x")), "/cpu:1");
    auto other = b.Device("/cpu:2");
    EXPECT_EQ(DeviceOf(One("x")), "/cpu:1");  // the target's comes first
  }
  {
    auto with = b.ColocateWith(free);
    EXPECT_EQ(DeviceOf(One("x")), "");  // devices around it do not count
    auto other = b.Device("/cpu:2");
    EXPECT_EQ(DeviceOf(One("x")), "/cpu:2");
  }
  EXPECT_EQ(DeviceOf(One("x")), "/cpu:0");
}

TEST_F(Scopes, ColocationIsTheSortedUnion) {
  const Output z = One("z"), a = One("a");
  auto with_z = b.ColocateWith(z);
  auto with_a = b.ColocateWith(a);
  auto with_z_again = b.ColocateWith(z);
  const Output x = One("x");
  EXPECT_EQ(GroupsOf(x), "loc:@a loc:@z");
  auto with_x = b.ColocateWith(x);  // with what x is with
  EXPECT_EQ(GroupsOf(One("y")), "loc:@a loc:@z");
}

// --- init_scope --------------------------------------------------------------------------------------------------------------------

TEST_F(Scopes, InitScopeKeepsNameScopeAndDevice) {
  auto name = b.NameScope("a");
  auto device = b.Device("/cpu:1");
  auto deps = b.ControlDependencies({One("x")});
  {
    auto init = b.InitScope();
    const Output lifted = One("lifted");
    EXPECT_EQ(lifted.name(), "a/lifted:0");
    EXPECT_EQ(DeviceOf(lifted), "/cpu:1");
    EXPECT_EQ(Waits(lifted), "");
    auto again = b.InitScope();
    EXPECT_EQ(One("lifted").name(), "a/lifted_1:0");
  }
  EXPECT_EQ(Waits(One("y")), "a/x");
}

TEST_F(Scopes, InitScopeLiftsOutOfEveryNesting) {
  const Output p = b.Placeholder(DType::kBool, Shape(), "p");
  Outputs lifted;
  const auto lift = [&] {
    auto init = b.InitScope();
    lifted.push_back(One("lifted") + 1);
    EXPECT_EQ(lifted.back().graph(), 0);
    EXPECT_FALSE(b.IsInLoop(lifted.back()));
    return lifted.back();
  };
  const auto below_3 = [](const Outputs& v) { return v[0] < 3; };
  const Outputs r = b.While({0}, below_3, [&](const Outputs& v) {
    return Outputs{v[0] + b.Cond(p, [&] { return lift(); }, [&] { return One("other"); })};
  });
  const Outputs f = b.If(p, [&] { return b.While({0}, below_3, [&](const Outputs& v) { return Outputs{v[0] + lift()}; }); },
                         [&] { return Outputs{One("other")}; });
  const Outputs c = b.Cond(p, [&] { return b.WhileOf({0}, below_3, [&](const Outputs& v) { return Outputs{v[0] + lift()}; }); },
                           [&] { return Outputs{One("other")}; });
  ASSERT_TRUE(b.ok()) << b.status();
  ASSERT_EQ(lifted.size(), 3u);
  EXPECT_EQ(Run({}, lifted), "int32[] = 2; int32[] = 2; int32[] = 2");  // whatever p is
  EXPECT_EQ(Run({{p, Tensor::Scalar(true)}}, {r[0], f[0], c[0]}), "int32[] = 4; int32[] = 4; int32[] = 4");
  EXPECT_EQ(Run({{p, Tensor::Scalar(false)}}, {r[0], f[0], c[0]}), "int32[] = 3; int32[] = 1; int32[] = 1");
}

TEST_F(Scopes, InitScopeLeavesAFunctionsColocationBehind) {
  const Output x = b.Placeholder(DType::kInt32, Shape(), "x");
  b.Function("f", {}, [&](const Outputs&) {
    auto with = b.ColocateWith(x + 1);
    auto init = b.InitScope();
    const Output lifted = One("lifted");
    EXPECT_EQ(GroupsOf(lifted), "");
    return Outputs{lifted};
  });
}

TEST(ScopesAfterAnError, InitScopeEnds) {
  BuiltGraph t;
  const Output p = t.b.Placeholder(DType::kBool, Shape(), "p");
  t.b.Cond(p, [&] {
    auto init = t.b.InitScope();
    t.b.Op("NoSuchOp");
    auto name = t.b.NameScope("more");
    auto device = t.b.Device("/cpu:3");
    return Output();
  }, [&] { return p; });
  EXPECT_EQ(t.b.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(t.b.Build().status(), t.b.status());
}

}  // namespace
}  // namespace flowlatch
