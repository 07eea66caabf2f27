#include "graph/train/slots.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

TEST(Slots, AreNamedAfterTheirVariableWhereverTheyAreMade) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  const std::source_location at = std::source_location::current();
  GraphVariable w;
  {
    BuilderScope layer = b.NameScope("layer");
    w = b.Variable("w", Ones({2}));
  }
  BuilderScope scope = b.NameScope("train");
  GraphVariable first, second;
  b.Cond(b.Constant(true), [&] {
    first = MakeSlot(b, w, "Slot", 0.5, at);
    second = MakeSlot(b, w, "Slot", b.Constant(7.0f), at);
    return b.Constant(1);
  }, [&] { return b.Constant(2); });
  EXPECT_EQ(first.name(), "layer/w/Slot");
  // A value of the branch is none for a variable.
  EXPECT_TRUE(absl::StrContains(b.status().message(), "variable 'layer/w/Slot_1': initial value: expected one from outside")) << b.status();
}

TEST(Slots, NeedAKnownShapeOrAnInitialValue) {
  BuiltGraph t;
  const Output handle = t.b.Op("VarHandleOp", {}, {{"dtype", DType::kFloat32}, {"shape", PartialShape::Of({-1})}, {"shared_name", "w"}}, "w").output();
  const GraphVariable w = GraphVariable::Of(handle);
  EXPECT_FALSE(MakeSlot(t.b, w, "Slot", 0.0, std::source_location::current()));
  EXPECT_TRUE(absl::StrContains(t.b.status().message(), "variable 'w': expected a known shape or an initial value, got [?]")) << t.b.status();
}

TEST(Slots, APlaceBesideTheVariable) {
  BuiltGraph t;
  const GraphVariable w = t.b.Variable("w", 1.0f);
  const auto groups = [&](const Output& x) { return t.b.node(x).attrs.Find("_class") != nullptr; };
  {
    const std::optional<BuilderScope> place = WithVariable(t.b, w, std::source_location::current());
    EXPECT_TRUE(groups(t.b.Constant(1)));
  }
  // A function's nodes cannot be beside what is outside of it.
  t.b.Function("f", {}, [&](const Outputs&) {
    const std::optional<BuilderScope> place = WithVariable(t.b, w, std::source_location::current());
    const Output x = t.b.Constant(1);
    EXPECT_FALSE(groups(x));
    return Outputs{x};
  });
  EXPECT_TRUE(t.b.ok()) << t.b.status();
}

}  // namespace
}  // namespace flowlatch
