// Functions and control flow over them.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "graph/build/graph_builder.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

class Functions : public testing::Test, public BuiltGraph {
 protected:
  using BuiltGraph::Run;  // not the test's own
  void TearDown() override { EXPECT_TRUE(b.ok()) << b.status(); }
  Output Read(const Output& v) { return b.Op("ReadVariableOp", {v}, {{"dtype", DType::kFloat32}}).output(); }
  Output Counted(const Output& v, int result) { return b.WithDependencies({b.Op("AssignAddVariableOp", {v, 1.0f})}, b.Constant(Input(result))); }
  const std::string& OpOf(const Outputs& results) { return b.node(results[0]).op(); }
  Output p = b.Placeholder(DType::kBool, Shape(), "p");
};

Output Below3(const Outputs& v) { return v[0] < 3; }

TEST_F(Functions, TheStatelessFormsAreForBodiesWithoutEffects) {
  const Output v = Variable("v", Tensor::Scalar(0.0f)), i = b.Constant(Input(0));
  const auto pure = [&] { return Outputs{b.Constant(Input(1))}; };
  const auto effect = [&] { return Outputs{Counted(v, 1)}; };
  EXPECT_EQ(OpOf(b.If(p, pure, pure)), "StatelessIf");
  EXPECT_EQ(OpOf(b.If(p, pure, effect)), "If");
  EXPECT_EQ(OpOf(b.CaseOf(i, {pure, pure})), "StatelessCase");
  EXPECT_EQ(OpOf(b.CaseOf(i, {effect, pure})), "Case");
  EXPECT_EQ(OpOf(b.WhileOf({0}, Below3, [](const Outputs& x) { return Outputs{x[0] + 1}; })), "StatelessWhile");
  EXPECT_EQ(OpOf(b.WhileOf({0}, Below3, [&](const Outputs& x) { return Outputs{x[0] + Counted(v, 1)}; })), "While");
  EXPECT_EQ(OpOf(b.Call(b.Function("f", {}, [&](const Outputs&) { return pure(); }), {})), "PartitionedCall");
  EXPECT_EQ(OpOf(b.Call(b.Function("g", {}, [&](const Outputs&) { return effect(); }), {})), "StatefulPartitionedCall");
  // Effects of what a body calls are the body's.
  EXPECT_EQ(OpOf(b.If(p, pure, [&] { return b.If(p, pure, effect); })), "If");
}

TEST_F(Functions, ABodysUnusedEffectHappens) {
  const Output v = Variable("v", Tensor::Scalar(0.0f));
  const FunctionValue f = b.Function("f", {}, [&](const Outputs&) {
    b.Op("AssignAddVariableOp", {v, 5.0f});
    return Outputs{b.Constant(Input(1))};
  });
  const Output called = b.Call(f, {})[0];
  auto deps = b.ControlDependencies({called});
  EXPECT_EQ(Run({}, {Read(v)}), "float32[] = 5");
}

TEST_F(Functions, BothBranchesTakeTheUnionOfTheirCaptures) {
  const Output x = b.Placeholder(DType::kInt32, Shape(), "x"), y = b.Placeholder(DType::kInt32, Shape(), "y");
  const Outputs r = b.If(p, [&] { return Outputs{x + x}; }, [&] { return Outputs{x - y}; });
  EXPECT_EQ(b.node(r[0]).num_inputs, 3u);  // p, x, y
  EXPECT_EQ(Run({{p, Tensor::Scalar(true)}, {x, Tensor::Scalar(5)}, {y, Tensor::Scalar(7)}}, {r[0]}), "int32[] = 10");
  EXPECT_EQ(Run({{p, Tensor::Scalar(false)}, {x, Tensor::Scalar(5)}, {y, Tensor::Scalar(7)}}, {r[0]}), "int32[] = -2");
}

TEST_F(Functions, EveryKindOfPredicateChooses) {
  const auto chosen = [&](const Output& predicate) {
    return b.If(predicate, [&] { return Outputs{b.Constant(Input(true))}; }, [&] { return Outputs{b.Constant(Input(false))}; })[0];
  };
  const auto run = [&](const Input& predicate) { return Run({}, {chosen(b.Constant(predicate))}); };
  const std::string yes = "bool[] = true", no = "bool[] = false";
  EXPECT_EQ(run(true), yes);
  EXPECT_EQ(run(-3), yes);
  EXPECT_EQ(run(0.0f), no);
  EXPECT_EQ(run(std::numeric_limits<float>::quiet_NaN()), yes);
  EXPECT_EQ(run("x"), yes);
  EXPECT_EQ(run(""), no);
  EXPECT_EQ(run({0}), yes);  // a tensor that is no scalar: whether it has elements
  EXPECT_EQ(run(std::vector<float>()), no);
}

TEST_F(Functions, OneOpOfALoopMayBeAnyPredicate) {
  const Outputs r = b.WhileOf({3, 0}, [](const Outputs& v) { return v[0]; }, [](const Outputs& v) { return Outputs{v[0] - 1, v[1] + 2}; });
  EXPECT_EQ(Run({}, {r[1]}), "int32[] = 6");
}

TEST_F(Functions, AnIndexOutOfRangeIsTheLast) {
  const Output i = b.Placeholder(DType::kInt32, Shape(), "i");
  const auto give = [&](int n) { return [this, n] { return Outputs{b.Constant(Input(n))}; }; };
  const Outputs r = b.CaseOf(i, {give(10), give(11), give(12)}), s = b.Case(i, {give(10), give(11), give(12)}), one = b.Case(i, {give(10)});
  for (const int n : {-5, -1, 0, 1, 2, 3, 100}) {
    const int want = n == 0 || n == 1 ? 10 + n : 12;
    EXPECT_EQ(Run({{i, Tensor::Scalar(n)}}, {r[0], s[0], one[0]}), absl::StrCat("int32[] = ", want, "; int32[] = ", want, "; int32[] = 10")) << n;
  }
}

TEST_F(Functions, ABodyThatWaitsForAnOutsideValueMakesTheWholeOpWait) {
  const Output v = Variable("v", Tensor::Scalar(0.0f));
  // An outside value, and an outside constant: both are there only after the update.
  for (const bool constant : {false, true}) {
    const Operation update = b.Op("AssignAddVariableOp", {v, 5.0f});
    Output outside;
    {
      auto deps = b.ControlDependencies({update});
      outside = constant ? b.Constant(Input(1)) : b.Op("Identity", {b.Constant(Input(1))}).output();
    }
    const Output r = b.If(p, [&] {
      auto deps = b.ControlDependencies({outside});
      return Outputs{Read(v)};
    }, [&] { return Outputs{b.Constant(Input(0.0f))}; })[0];
    for (int i = 0; i < 10; ++i) EXPECT_EQ(Run({{p, Tensor::Scalar(true)}}, {r}), "float32[] = 5") << constant;
  }
}

TEST_F(Functions, ControlDependenciesAroundAreTheOps) {
  const Operation before = b.Op("NoOp");
  auto deps = b.ControlDependencies({before});
  const Outputs r = b.If(p, [&] { return Outputs{b.Constant(Input(1))}; }, [&] { return Outputs{b.Constant(Input(2))}; });
  EXPECT_EQ(b.node(r[0]).num_controls, 1u);
}

TEST_F(Functions, NamesAreUniqueAmongOpsAndFunctions) {
  const auto one = [&](const Outputs&) { return Outputs{b.Constant(Input(1))}; };
  EXPECT_EQ(b.Function("f", {}, one).name, "f");
  EXPECT_EQ(b.Function("f", {}, one).name, "f_1");
  EXPECT_EQ(b.Function("Add", {}, one).name, "Add_1");
  EXPECT_EQ(b.Function("", {}, one).name, "function");
  EXPECT_EQ(b.Function("a/b", {}, one).name, "a_b");
  EXPECT_EQ(b.Function("a/b", {}, one).name, "a_b_1");
}

TEST_F(Functions, ShapesOfResultsAreKnownOutside) {
  const FunctionValue f = b.Function("f", {{DType::kFloat32, *PartialShape::Make({-1, 3})}}, [&](const Outputs& a) { return Outputs{a[0] * 2, b.Op("Sum", {a[0], 1}).output()}; });
  const Outputs r = b.Call(f, {{{1.0f, 2.0f, 3.0f}}});
  EXPECT_EQ(r[0].shape().ToString() + r[1].shape().ToString(), "[?,3][?]");
  EXPECT_EQ(Run({}, {r[0], r[1]}), "float32[1,3] = [[2 4 6]]; float32[1] = [6]");
  const Output x = b.Placeholder(DType::kInt32, *PartialShape::Make({2, 3})), y = b.Placeholder(DType::kInt32, *PartialShape::Make({2, 4}));
  EXPECT_EQ(b.If(p, [&] { return Outputs{x}; }, [&] { return Outputs{y}; })[0].shape().ToString(), "[2,?]");
}

TEST_F(Functions, FunctionalFormsNestInEveryContext) {
  const Output x = b.Placeholder(DType::kInt32, Shape(), "x");
  const auto inner = [&](const Output& y) { return b.If(p, [&] { return Outputs{x + y}; }, [&] { return Outputs{x - y}; })[0]; };
  const Outputs r = b.While({0, 0}, Below3, [&](const Outputs& v) { return Outputs{v[0] + 1, v[1] + inner(v[0])}; });
  const Outputs f = b.WhileOf({0, 0}, Below3, [&](const Outputs& v) {
    return Outputs{v[0] + 1, v[1] + b.Cond(p, [&] { return inner(v[0]); }, [&] { return x; })};
  });
  EXPECT_EQ(Run({{p, Tensor::Scalar(true)}, {x, Tensor::Scalar(10)}}, {r[1], f[1]}), "int32[] = 33; int32[] = 33");
  EXPECT_EQ(Run({{p, Tensor::Scalar(false)}, {x, Tensor::Scalar(10)}}, {r[1], f[1]}), "int32[] = 27; int32[] = 30");
}

}  // namespace
}  // namespace flowlatch
