// What the forward loop keeps for the backward loop.
#include <gtest/gtest.h>

#include "graph/build/gradient_builder.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

int Count(const Graph& graph, std::string_view op) {
  int count = 0;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) count += graph.node(id).op() == op;
  return count;
}

// Lists that the gradient of a loop with this body pushes to.
int KeptFor(const std::function<Output(BuiltGraph&, const Output& x, const Output& w)>& body) {
  BuiltGraph t;
  const Output x = t.b.Placeholder(DType::kFloat32, PartialShape::Of({-1}), "x"), w = t.b.Placeholder(DType::kFloat32, PartialShape::Of({-1}), "w");
  const Outputs r = t.b.While({0, x}, [&](const Outputs& v) { return v[0] < 3; }, [&](const Outputs& v) { return Outputs{v[0] + 1, body(t, v[1], w)}; });
  Gradients(t.b, {r[1]}, {x, w});
  EXPECT_TRUE(t.b.ok()) << t.b.status();
  return Count(t.b.graph(), "TensorListPushBack");
}

TEST(LoopGradient, KeepsOnlyWhatItNeeds) {
  // Nothing but the sum's own shapes is needed of x.
  EXPECT_EQ(KeptFor([](BuiltGraph&, const Output& x, const Output&) { return x * 2; }), 0);
  EXPECT_EQ(KeptFor([](BuiltGraph&, const Output& x, const Output& w) { return x * w; }), 1 + KeptFor([](BuiltGraph&, const Output& x, const Output& w) { return x + w; }));
  // The output of tanh, not its input.
  EXPECT_EQ(KeptFor([](BuiltGraph& t, const Output& x, const Output&) { return t.b.Op("Tanh", {x}).output(); }), 1);
}

TEST(LoopGradient, DtypesThatGradientsFlowThrough) {
  EXPECT_TRUE(HasGradient(DType::kBFloat16));
  EXPECT_TRUE(HasGradient(DType::kComplex128));
  EXPECT_TRUE(HasGradient(DType::kResource));
  EXPECT_FALSE(HasGradient(DType::kInt32));
  EXPECT_FALSE(HasGradient(DType::kString));
}

}  // namespace
}  // namespace flowlatch
