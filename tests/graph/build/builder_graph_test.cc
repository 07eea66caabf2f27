#include "graph/build/builder_graph.h"

#include <gtest/gtest.h>

#include "ops/default_ops.h"

namespace flowlatch {
namespace {

TEST(BuilderGraph, ContextsAreATree) {
  BuilderGraph g(DefaultOps().registry());
  const ContextId loop = g.Loop("frame", 10, kRootContext, -1);
  const ContextId branch = g.Branch({3, 0}, 1, 2, loop), other = g.Branch({3, 0}, 0, 2, loop);
  const ContextId inner = g.Loop("inner", 10, branch, -1);
  EXPECT_EQ(g.Branch({3, 0}, 1, 2, loop), branch);
  EXPECT_NE(branch, other);
  EXPECT_TRUE(g.Encloses(kRootContext, inner));
  EXPECT_TRUE(g.Encloses(loop, inner));
  EXPECT_TRUE(g.Encloses(inner, inner));
  EXPECT_FALSE(g.Encloses(other, inner));
  EXPECT_FALSE(g.Encloses(inner, loop));
  EXPECT_EQ(g.LoopOf(branch), loop);
  EXPECT_EQ(g.LoopOf(inner), inner);
  EXPECT_EQ(g.LoopOf(kRootContext), -1);
}

TEST(BuilderGraph, FramesAndNamesAreUnique) {
  BuilderGraph g(DefaultOps().registry());
  EXPECT_EQ(g.UniqueFrame("f"), "f");
  EXPECT_EQ(g.UniqueFrame("f"), "f_1");
  EXPECT_EQ(g.UniqueFrame("f"), "f_2");
  EXPECT_EQ(NameHash("a/B"), NameHash("A/b"));
  EXPECT_NE(NameHash("a/b"), NameHash("a_b"));
}

}  // namespace
}  // namespace flowlatch
