#include "graph/build/structure.h"

#include <gtest/gtest.h>

#include "ops/default_ops.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

// A loop with a cond and a loop in its body, and a cond around a loop.
Graph Nested() {
  BuiltGraph t;
  const Output p = t.b.Placeholder(DType::kBool, Shape(), "p");
  const auto count = [&](const Outputs& v, int n) { return v[0] < n; };
  t.b.While({0, 1.0f}, [&](const Outputs& v) { return count(v, 3); },
            [&](const Outputs& v) {
              const Output chosen = t.b.Cond(p, [&] { return v[1] * 2; }, [&] { return v[1] + 1; });
              const Output inner = t.b.While({0, chosen}, [&](const Outputs& u) { return count(u, 2); }, [&](const Outputs& u) { return Outputs{u[0] + 1, u[1] * v[1]}; })[1];
              return Outputs{v[0] + 1, inner};
            });
  t.b.Cond(p, [&] { return t.b.While({0}, [&](const Outputs& v) { return count(v, 3); }, [&](const Outputs& v) { return Outputs{v[0] + 1}; })[0]; },
           [&] { return t.b.Constant(Input(7)); });
  return t.b.Snapshot().value();
}

TEST(Structure, IsFoundAsItWasBuilt) {
  // The builder that made the graph and one that only sees it agree on which nodes are in loops and in how many.
  GraphBuilder seen(DefaultOps().registry());
  const Graph graph = Nested();
  seen.Import(graph);
  ASSERT_TRUE(seen.ok()) << seen.status();
  BuilderGraph& g = seen.graph_at(0);
  int loops = 0, branches = 0;
  for (const ControlFlowContext& c : g.contexts) {
    loops += c.kind == ControlFlowContext::Kind::kLoop;
    branches += c.kind == ControlFlowContext::Kind::kBranch;
    if (c.kind != ControlFlowContext::Kind::kLoop) continue;
    EXPECT_GE(c.loop_cond, 0);
    for (const LoopVariable& v : c.variables) {
      EXPECT_GE(v.enter, 0);
      EXPECT_GE(v.merge, 0);
      EXPECT_GE(v.loop_switch, 0);
      EXPECT_GE(v.next_iteration, 0);
    }
  }
  EXPECT_EQ(loops, 3);
  EXPECT_GE(branches, 3);
  for (NodeId id = 0; id < g.graph.num_nodes(); ++id) {
    const Node& node = g.graph.node(id);
    const std::string_view op = node.op();
    const bool in_loop = g.LoopOf(g.context[id]) >= 0;
    const bool is_loop_op = op == "Enter" || op == "NextIteration" || op == "LoopCond";
    EXPECT_TRUE(!is_loop_op || in_loop) << node.name;
    EXPECT_FALSE(op == "Placeholder" && in_loop) << node.name;
  }
}

TEST(Structure, IrregularGraphsHaveNone) {
  BuiltGraph t;
  const Output x = t.b.Placeholder(DType::kFloat32, Shape(), "x");
  const Output merged = t.b.Op("Merge", {x, x + 1}).output(0);
  const Graph graph = t.b.Snapshot().value();
  GraphBuilder seen(DefaultOps().registry());
  seen.Import(graph);
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_FALSE(seen.IsInLoop(seen.Find(merged.name())));
}

}  // namespace
}  // namespace flowlatch
