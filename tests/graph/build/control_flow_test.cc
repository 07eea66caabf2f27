#include <gtest/gtest.h>

#include <map>

#include "absl/strings/str_cat.h"
#include "graph/build/graph_builder.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

TEST(Cond, RunsTheChosenBranch) {
  BuiltGraph t;
  const Output p = t.b.Placeholder(DType::kBool, Shape(), "p");
  const Output x = t.b.Placeholder(DType::kFloat32, Shape(), "x");
  const Output y = t.b.Cond(p, [&] { return x * 2; }, [&] { return x + 100; });
  EXPECT_EQ(t.Run({{p, Tensor::Scalar(true)}, {x, Tensor::Scalar(3.0f)}}, {y}), "float32[] = 6");
  EXPECT_EQ(t.Run({{p, Tensor::Scalar(false)}, {x, Tensor::Scalar(3.0f)}}, {y}), "float32[] = 103");
}

TEST(Cond, BranchMayGiveAnOutsideValueOrAConstant) {
  BuiltGraph t;
  const Output p = t.b.Placeholder(DType::kBool, Shape(), "p");
  const Output x = t.b.Placeholder(DType::kInt32, Shape(), "x");
  const Output y = t.b.Cond(p, [&] { return x; }, [&] { return t.b.Constant(Input(7)); });
  EXPECT_EQ(t.Run({{p, Tensor::Scalar(true)}, {x, Tensor::Scalar(3)}}, {y}), "int32[] = 3");
  EXPECT_EQ(t.Run({{p, Tensor::Scalar(false)}, {x, Tensor::Scalar(3)}}, {y}), "int32[] = 7");
}

TEST(Cond, Nests) {
  for (const bool outer : {false, true}) {
    for (const bool inner : {false, true}) {
      BuiltGraph t;
      const Output p = t.b.Placeholder(DType::kBool, Shape(), "p"), q = t.b.Placeholder(DType::kBool, Shape(), "q");
      const Output x = t.b.Constant(Input(10));
      const Output y = t.b.Cond(
          p, [&] { return t.b.Cond(q, [&] { return x + 1; }, [&] { return x + 2; }); },
          [&] { return t.b.Cond(q, [&] { return x + 3; }, [&] { return x + 4; }); });
      const int want = 10 + (outer ? (inner ? 1 : 2) : (inner ? 3 : 4));
      EXPECT_EQ(t.Run({{p, Tensor::Scalar(outer)}, {q, Tensor::Scalar(inner)}}, {y}), "int32[] = " + std::to_string(want));
    }
  }
}

TEST(Cond, EffectsOfTheOtherBranchDoNotHappen) {
  BuiltGraph t;
  const Output p = t.b.Placeholder(DType::kBool, Shape(), "p");
  const Output v = t.Variable("v", Tensor::Scalar(1.0f));
  const auto add = [&](float by) {
    return [&t, v, by] {
      const Operation update = t.b.Op("AssignAddVariableOp", {v, by});
      return t.b.WithDependencies({update}, t.b.Constant(Input(true)));
    };
  };
  const Output done = t.b.Cond(p, std::function<Output()>(add(10)), std::function<Output()>(add(100)));
  Output read;
  {
    auto deps = t.b.ControlDependencies({done});
    read = t.b.Op("ReadVariableOp", {v}, {{"dtype", DType::kFloat32}}).output();
  }
  EXPECT_EQ(t.Run({{p, Tensor::Scalar(true)}}, {read}), "float32[] = 11");
  EXPECT_EQ(t.Run({{p, Tensor::Scalar(false)}}, {read}), "float32[] = 101");
}

TEST(Case, ChoosesAndTakesTheLastWhenOutOfRange) {
  for (const auto& [index, want] : std::map<int, int>{{0, 100}, {1, 101}, {2, 102}, {3, 103}, {4, 103}, {-1, 103}}) {
    BuiltGraph t;
    const Output i = t.b.Placeholder(DType::kInt32, Shape(), "i");
    const Output x = t.b.Constant(Input(100));
    std::vector<std::function<Outputs()>> branches;
    for (int k = 0; k < 4; ++k) branches.push_back([x, k] { return Outputs{x + k}; });
    const Outputs v1 = t.b.Case(i, branches), v2 = t.b.CaseOf(i, branches);
    EXPECT_EQ(t.Run({{i, Tensor::Scalar(index)}}, {v1[0], v2[0]}), absl::StrCat("int32[] = ", want, "; int32[] = ", want)) << index;
  }
}

TEST(While, CountsAndCaptures) {
  BuiltGraph t;
  const Output limit = t.b.Placeholder(DType::kInt32, Shape(), "n");
  const Output step = t.b.Constant(Input(3));
  const Outputs r = t.b.While({0, 1}, [&](const Outputs& v) { return v[0] < limit; }, [&](const Outputs& v) { return Outputs{v[0] + 1, v[1] + step}; });
  EXPECT_EQ(t.Run({{limit, Tensor::Scalar(5)}}, {r[0], r[1]}), "int32[] = 5; int32[] = 16");
  EXPECT_EQ(t.Run({{limit, Tensor::Scalar(0)}}, {r[0], r[1]}), "int32[] = 0; int32[] = 1");
}

TEST(While, NestsWithCondInside) {
  BuiltGraph t;
  const Output n = t.b.Placeholder(DType::kInt32, Shape(), "n");
  // sum over i < n of sum over j < i of (j even ? j : -1)
  const Outputs r = t.b.While({0, 0}, [&](const Outputs& v) { return v[0] < n; },
                              [&](const Outputs& v) {
                                const Outputs inner = t.b.While(
                                    {0, v[1]}, [&](const Outputs& w) { return w[0] < v[0]; },
                                    [&](const Outputs& w) {
                                      const Output even = t.b.Op("Equal", {w[0] % 2, 0}).output();
                                      const Output add = t.b.Cond(even, [&] { return w[0]; }, [&] { return t.b.Constant(Input(-1)); });
                                      return Outputs{w[0] + 1, w[1] + add};
                                    });
                                return Outputs{v[0] + 1, inner[1]};
                              });
  int want = 0;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < i; ++j) want += j % 2 == 0 ? j : -1;
  }
  EXPECT_EQ(t.Run({{n, Tensor::Scalar(6)}}, {r[1]}), "int32[] = " + std::to_string(want));
}

TEST(While, MaximumIterations) {
  BuiltGraph t;
  const auto cond = [&](const Outputs& v) { return v[0] < 100; };
  const auto body = [&](const Outputs& v) { return Outputs{v[0] + 1}; };
  const Outputs v1 = t.b.While({0}, cond, body, {.maximum_iterations = Input(7)});
  const Outputs v2 = t.b.WhileOf({0}, cond, body, {.maximum_iterations = Input(7)});
  EXPECT_EQ(t.Run({}, {v1[0], v2[0]}), "int32[] = 7; int32[] = 7");
}

TEST(While, EffectsInTheBodyHappenOnceAnIteration) {
  BuiltGraph t;
  const Output v = t.Variable("v", Tensor::Scalar(0.0f));
  const Outputs r = t.b.While({0}, [&](const Outputs& i) { return i[0] < 5; },
                              [&](const Outputs& i) {
                                // Neither the constant nor the update has an input that the loop makes.
                                const Operation update = t.b.Op("AssignAddVariableOp", {v, 1.0f});
                                return Outputs{t.b.WithDependencies({update}, i[0]) + 1};
                              });
  Output read;
  {
    auto deps = t.b.ControlDependencies({r[0]});
    read = t.b.Op("ReadVariableOp", {v}, {{"dtype", DType::kFloat32}}).output();
  }
  EXPECT_EQ(t.Run({}, {read}), "float32[] = 5");
}

TEST(While, KeepsControlDependenciesOnOutsideOpsWithoutOutputs) {
  BuiltGraph t;
  const Output v = t.Variable("v", Tensor::Scalar(0.0f));
  const Operation set = t.b.Op("AssignVariableOp", {v, 40.0f});
  const Outputs r = t.b.While({0, 0.0f}, [&](const Outputs& i) { return i[0] < 2; },
                              [&](const Outputs& i) {
                                auto deps = t.b.ControlDependencies({set});
                                const Output read = t.b.Op("ReadVariableOp", {v}, {{"dtype", DType::kFloat32}}).output();
                                return Outputs{i[0] + 1, i[1] + read};
                              });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(t.Run({}, {r[1]}), "float32[] = 80");
}

TEST(WhileOf, IsWhile) {
  BuiltGraph t;
  const Output limit = t.b.Placeholder(DType::kInt32, Shape(), "n");
  const Output x = t.b.Placeholder(DType::kFloat32, Shape(), "x");
  const Outputs r = t.b.WhileOf({0, 1.0f}, [&](const Outputs& v) { return v[0] < limit; }, [&](const Outputs& v) { return Outputs{v[0] + 1, v[1] * x}; });
  EXPECT_EQ(t.Run({{limit, Tensor::Scalar(5)}, {x, Tensor::Scalar(2.0f)}}, {r[0], r[1]}), "int32[] = 5; float32[] = 32");
}

TEST(If, TakesEveryKindOfPredicate) {
  BuiltGraph t;
  const auto choose = [&](const Output& p) {
    return t.b.If(p, [&] { return Outputs{t.b.Constant(Input(1))}; }, [&] { return Outputs{t.b.Constant(Input(0))}; })[0];
  };
  EXPECT_EQ(t.Run({}, {choose(t.b.Constant(Input(true))), choose(t.b.Constant(Input(0.0f))), choose(t.b.Constant(Input("text"))), choose(t.b.Constant(Input({0})))}),
            "int32[] = 1; int32[] = 0; int32[] = 1; int32[] = 1");
}

TEST(Function, IsCalledWithCaptures) {
  BuiltGraph t;
  const Output x = t.b.Placeholder(DType::kFloat32, Shape(), "x");
  const FunctionValue f = t.b.Function("affine", {{DType::kFloat32, Shape()}}, [&](const Outputs& a) { return Outputs{a[0] * x + 1}; });
  ASSERT_EQ(f.captures.size(), 1u);
  const Outputs r = t.b.Call(f, {5.0f}), twice = t.b.Call(f, {r[0]});
  EXPECT_EQ(t.Run({{x, Tensor::Scalar(2.0f)}}, {r[0], twice[0]}), "float32[] = 11; float32[] = 23");
}

TEST(Function, NestsAndCapturesThroughLevels) {
  BuiltGraph t;
  const Output x = t.b.Placeholder(DType::kFloat32, Shape(), "x");
  const FunctionValue f = t.b.Function("outer", {}, [&](const Outputs&) {
    const FunctionValue g = t.b.Function("inner", {}, [&](const Outputs&) { return Outputs{x * 3}; });
    return Outputs{t.b.Call(g, {})[0] + 1};
  });
  EXPECT_EQ(t.Run({{x, Tensor::Scalar(2.0f)}}, {t.b.Call(f, {})[0]}), "float32[] = 7");
}

TEST(InitScope, LiftsOutOfEverything) {
  BuiltGraph t;
  const Output p = t.b.Placeholder(DType::kBool, Shape(), "p");
  const Operation never = t.b.Op("Assert", {t.b.Constant(Input(false)), t.b.Constant(Input("reached"))});
  Output lifted_in_cond, lifted_in_function, lifted_in_while;
  {
    auto deps = t.b.ControlDependencies({never});
    {
      auto init = t.b.InitScope();
      EXPECT_EQ(t.b.node(t.b.Constant(Input(1))).num_controls, 0u);
    }
    t.b.Cond(p, [&] {
      auto init = t.b.InitScope();
      lifted_in_cond = t.b.Constant(Input(2)) + 1;
      return lifted_in_cond;
    }, [&] { return t.b.Constant(Input(0)); });
    t.b.While({0}, [&](const Outputs& v) { return v[0] < 3; }, [&](const Outputs& v) {
      {
        auto init = t.b.InitScope();
        lifted_in_while = t.b.Constant(Input(5)) + 1;
      }
      return Outputs{v[0] + 1};
    });
    t.b.Function("f", {}, [&](const Outputs&) {
      {
        auto init = t.b.InitScope();
        lifted_in_function = t.b.Constant(Input(3)) + 1;
      }
      return Outputs{lifted_in_function + 1};
    });
    EXPECT_EQ(t.b.node(t.b.Constant(Input(9))).num_controls, 1u);  // back in force
  }
  EXPECT_EQ(t.Run({}, {lifted_in_cond, lifted_in_while, lifted_in_function}), "int32[] = 3; int32[] = 6; int32[] = 4");
}

TEST(Elements, MapFoldScan) {
  BuiltGraph t;
  const Output x = t.b.Constant(Input({1.0f, 2.0f, 3.0f}));
  const Outputs mapped = t.b.MapFn({x}, [&](const Outputs& e) { return Outputs{e[0] * e[0]}; });
  const auto add = [](const Outputs& acc, const Outputs& e) { return Outputs{acc[0] + e[0]}; };
  const Outputs folded = t.b.Foldl({x}, {10.0f}, add), scanned = t.b.Scan({x}, {10.0f}, add);
  EXPECT_EQ(t.Run({}, {mapped[0], folded[0], scanned[0]}), "float32[3] = [1 4 9]; float32[] = 16; float32[3] = [11 13 16]");
  EXPECT_EQ(mapped[0].shape().ToString(), "[3]");
  const Outputs sum = t.b.ForRange(0, 4, {0}, [&](const Output& i, const Outputs& v) { return Outputs{v[0] + i}; });
  EXPECT_EQ(t.Run({}, {sum[0]}), "int32[] = 6");
}

}  // namespace
}  // namespace flowlatch
