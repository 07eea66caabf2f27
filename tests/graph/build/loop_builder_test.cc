#include "graph/build/loop_builder.h"

#include <gtest/gtest.h>

#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

TEST(LoopBuilder, TakesVariablesBeforeAndAfterThePredicate) {
  BuiltGraph t;
  LoopBuilder loop = LoopBuilder::Begin(&t.b, "frame", 10, std::source_location::current());
  const int i = loop.AddVariable(t.b.Constant(Input(0)), Shape());
  {
    auto inside = loop.Enter();
    loop.SetPredicate(loop.merged(i) < 4);
  }
  // Each iteration adds the counter; the sum comes after everything else is there.
  const int sum = loop.AddVariable(t.b.Constant(Input(100)), Shape());
  {
    auto inside = loop.Enter();
    loop.SetNext(sum, loop.body(sum) + loop.body(i));
    loop.SetNext(i, loop.body(i) + 1);
  }
  EXPECT_EQ(t.Run({}, {loop.exit(i), loop.exit(sum)}), "int32[] = 4; int32[] = 106");

  LoopBuilder again(&t.b, loop.context(), std::source_location::current());
  const int late = again.AddVariable(t.b.Constant(Input(1)), Shape());
  {
    auto inside = again.Enter();
    again.SetNext(late, again.body(late) * 2);
  }
  EXPECT_EQ(t.Run({}, {again.exit(late)}), "int32[] = 16");
}

}  // namespace
}  // namespace flowlatch
