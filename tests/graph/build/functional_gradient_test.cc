#include "graph/build/functional_gradient.h"

#include <gtest/gtest.h>

#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

TEST(InlineFunctional, KeepsNamesAndValues) {
  BuiltGraph t;
  const Output x = t.b.Placeholder(DType::kFloat32, Shape(), "x"), p = t.b.Placeholder(DType::kBool, Shape(), "p");
  const FunctionValue f = t.b.Function("f", {{DType::kFloat32, Shape()}}, [&](const Outputs& a) { return Outputs{a[0] * x, a[0] + 1}; });
  const Outputs values{t.b.Call(f, {5.0f}, "call")[1], t.b.If(p, [&] { return Outputs{x * 2}; }, [&] { return Outputs{x + 100}; }, "if")[0],
                       t.b.CaseOf(t.b.Constant(Input(1)), {[&] { return Outputs{x}; }, [&] { return Outputs{-x}; }}, "case")[0],
                       t.b.WhileOf({0, 1.0f}, [&](const Outputs& v) { return v[0] < 3; }, [&](const Outputs& v) { return Outputs{v[0] + 1, v[1] * x}; }, {.name = "loop"})[1]};
  const BuiltGraph::OutputFeeds feeds{{x, Tensor::Scalar(2.0f)}, {p, Tensor::Scalar(true)}};
  const std::string called = t.Run(feeds, values);
  EXPECT_EQ(called, "float32[] = 6; float32[] = 4; float32[] = -2; float32[] = 8");
  for (const Output& value : values) {
    const Operation op = value;
    EXPECT_TRUE(IsFunctional(t.b.graph(), op.node())) << op.name();
    InlineFunctional(t.b, op.node(), std::source_location::current());
    EXPECT_FALSE(IsFunctional(t.b.graph(), op.node())) << op.name();
    EXPECT_EQ(t.b.node(op).op(), "IdentityN");
  }
  EXPECT_EQ(t.Run(feeds, values), called);
}

TEST(InlineFunctional, EffectsHappenBeforeTheResults) {
  BuiltGraph t;
  const Output v = t.Variable("v", Tensor::Scalar(1.0f));
  const FunctionValue f = t.b.Function("bump", {}, [&](const Outputs&) {
    t.b.Op("AssignAddVariableOp", {v, 10.0f});
    return Outputs{t.b.Constant(Input(3))};
  });
  const Output result = t.b.Call(f, {}, "call")[0];
  InlineFunctional(t.b, result.port().node, std::source_location::current());
  Output read;
  {
    auto deps = t.b.ControlDependencies({result});
    read = t.b.Op("ReadVariableOp", {v}, {{"dtype", DType::kFloat32}}).output();
  }
  EXPECT_EQ(t.Run({}, {result, read}), "int32[] = 3; float32[] = 11");
}

}  // namespace
}  // namespace flowlatch
