// How values and control dependencies get into branches and loops, and what comes out.
#include <gtest/gtest.h>

#include <map>

#include "absl/strings/str_cat.h"
#include "graph/build/graph_builder.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

class Contexts : public testing::Test, public BuiltGraph {
 protected:
  using BuiltGraph::Run;  // not the test's own
  void TearDown() override { EXPECT_TRUE(b.ok()) << b.status(); }

  int Count(std::string_view op) const {
    int count = 0;
    for (NodeId id = 0; id < b.graph().num_nodes(); ++id) count += b.graph().node(id).op() == op;
    return count;
  }
  // The ops of the nodes that `op` waits for by control edges.
  std::string Waits(const Operation& op) const {
    std::string text;
    for (const Port p : b.graph().control_inputs(op.node())) absl::StrAppend(&text, text.empty() ? "" : " ", b.graph().node(p.node).op());
    return text;
  }
  Node InputOf(const Operation& op, int i) const { return b.graph().node(b.graph().inputs(op.node())[i].node); }
  // An op with an effect and no outputs: v += 1.
  Operation Count1(const Output& v) { return b.Op("AssignAddVariableOp", {v, 1.0f}); }
  Output Read(const Output& v, const Operation& after) {
    auto deps = b.ControlDependencies({after});
    return b.Op("ReadVariableOp", {v}, {{"dtype", DType::kFloat32}}).output();
  }
  Output p = b.Placeholder(DType::kBool, Shape(), "p");
  Output x = b.Placeholder(DType::kInt32, Shape(), "x");
};

Output Below3(const Outputs& v) { return v[0] < 3; }

TEST_F(Contexts, OneSwitchForEachValueAndBranch) {
  b.Cond(p, [&] { return x * x + x; }, [&] { return -x - x; });
  int of_x = 0;
  for (NodeId id = 0; id < b.graph().num_nodes(); ++id) of_x += b.graph().node(id).op() == "Switch" && b.graph().inputs(id)[0] == x.port();
  EXPECT_EQ(of_x, 2);
}

TEST_F(Contexts, AnOpOfABranchWithInputsNeedsNoPivot) {
  b.Cond(p, [&] {
    const Output y = -x;
    EXPECT_EQ(InputOf(y, 0).op(), "Switch");
    EXPECT_EQ(Waits(y), "");
    EXPECT_EQ(Waits(b.Constant(Input(1))), "Identity");  // the pivot
    EXPECT_EQ(Waits(b.WithDependencies({y}, y)), "");
    auto deps = b.ControlDependencies({y});
    EXPECT_EQ(Waits(b.Op("NoOp")), "Neg");  // starts with what is in the branch
    return y;
  }, [&] { return x; });
}

TEST_F(Contexts, ABranchKeepsControlEdgesFromOutside) {
  const Operation outside = b.Op("NoOp", {}, {}, "outside");
  b.Cond(p, [&] {
    auto deps = b.ControlDependencies({outside});
    EXPECT_EQ(Waits(b.Constant(Input(1))), "NoOp Identity");
    return x;
  }, [&] { return x; });
}

TEST_F(Contexts, WhatABranchUsesFromOutsideRunsWhateverIsChosen) {
  const Output v = Variable("v", Tensor::Scalar(0.0f));
  const Operation outside = Count1(v);
  const Output y = b.Cond(p, [&] { return b.WithDependencies({outside}, x); }, [&] { return x; });
  EXPECT_EQ(Run({{p, Tensor::Scalar(false)}, {x, Tensor::Scalar(1)}}, {y, Read(v, outside)}), "int32[] = 1; float32[] = 1");
}

TEST_F(Contexts, ThePredicateAndSoTheCondWaits) {
  const Output v = Variable("v", Tensor::Scalar(0.0f));
  const Operation before = Count1(v);
  auto deps = b.ControlDependencies({before});
  const Output y = b.Cond(p, [&] { return b.Op("ReadVariableOp", {v}, {{"dtype", DType::kFloat32}}).output(); }, [&] { return b.Constant(Input(-1.0f)); });
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Run({{p, Tensor::Scalar(true)}}, {y}), "float32[] = 1");
}

TEST_F(Contexts, ABranchesValueMayBeUsedOutsideAndIsDeadIfItDidNotRun) {
  Output inside;
  b.Cond(p, [&] { return inside = x + 1; }, [&] { return x; });
  const Output outside = inside * 2;
  EXPECT_EQ(Run({{p, Tensor::Scalar(true)}, {x, Tensor::Scalar(1)}}, {outside}), "int32[] = 4");
  EXPECT_NE(Run({{p, Tensor::Scalar(false)}, {x, Tensor::Scalar(1)}}, {outside}).find("INVALID_ARGUMENT"), std::string::npos);
}

TEST_F(Contexts, ShapesOfBranchesAreJoined) {
  const auto shaped = [&](std::vector<int64_t> dims) { return b.Placeholder(DType::kFloat32, *PartialShape::Make(dims)); };
  const auto joined = [&](const Output& s, const Output& t) { return b.Cond(p, [&] { return s; }, [&] { return t; }).shape().ToString(); };
  EXPECT_EQ(joined(shaped({2, 3}), shaped({2, 3})), "[2,3]");
  EXPECT_EQ(joined(shaped({2, 3}), shaped({2, 4})), "[2,?]");
  EXPECT_EQ(joined(shaped({2, 3}), shaped({2})), PartialShape().ToString());
}

TEST_F(Contexts, APredicateReadFromAReferenceIsCopiedOnce) {
  Output v = b.Op("VariableV2", {}, {{"dtype", DType::kBool}, {"shape", PartialShape(Shape())}}, "v").output();
  const Operation init = b.Op("Assign", {v, true}, {}, "init");
  ASSERT_TRUE(b.ok()) << b.status();
  // The branch changes the variable; all the Switches must still agree.
  const Outputs y = b.Cond(v, [&] {
    const Operation change = b.Op("Assign", {v, false});
    return Outputs{b.WithDependencies({change}, x), x + 1};
  }, [&] { return Outputs{x - 1, x - 2}; });
  for (int i = 0; i < 10; ++i) {
    auto session = NewSession();
    ASSERT_TRUE(session.ok()) << session.status();
    ASSERT_TRUE((*session)->Run({}, {}, {init.name()}).ok());
    const auto values = (*session)->Run({{x.name(), Tensor::Scalar(5)}}, {y[0].name(), y[1].name()}, {});
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_EQ((*values)[0].DebugString() + (*values)[1].DebugString(), "int32[] = 5int32[] = 6");
  }
}

TEST_F(Contexts, OneConstantEnterForEachValueOfALoop) {
  b.While({0}, [&](const Outputs& v) { return v[0] < x; }, [&](const Outputs& v) { return Outputs{v[0] + x * x}; });
  int of_x = 0;
  for (NodeId id = 0; id < b.graph().num_nodes(); ++id) of_x += b.graph().node(id).op() == "Enter" && b.graph().inputs(id)[0] == x.port();
  EXPECT_EQ(of_x, 1);
}

TEST_F(Contexts, WhatNothingOfALoopStartsWaitsForThePivot) {
  b.While({0}, [&](const Outputs& v) {
    EXPECT_EQ(Waits(b.Constant(Input(1))), "Merge");  // the predicate's pivot
    return v[0] < 3;
  }, [&](const Outputs& v) {
    EXPECT_EQ(Waits(b.Constant(Input(1))), "Identity");
    EXPECT_EQ(Waits(x + x), "Identity");  // all inputs are there from the start
    EXPECT_EQ(Waits(v[0] + x), "");
    return Outputs{v[0] + 1};
  });
}

TEST_F(Contexts, ALoopWaitsForControlDependenciesAroundIt) {
  const Output v = Variable("v", Tensor::Scalar(0.0f));
  const Operation before = Count1(v);
  auto deps = b.ControlDependencies({before});
  const Outputs r = b.While({0, 0.0f}, Below3, [&](const Outputs& i) {
    return Outputs{i[0] + 1, i[1] + b.Op("ReadVariableOp", {v}, {{"dtype", DType::kFloat32}}).output()};
  });
  for (NodeId id = 0; id < b.graph().num_nodes(); ++id) {
    const Node& node = b.graph().node(id);
    if (node.op() == "Enter" && !*node.attrs.Find("is_constant")->Get<bool>()) EXPECT_EQ(Waits(Operation(&b, 0, id)), "AssignAddVariableOp");
  }
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Run({}, {r[1]}), "float32[] = 3");
}

TEST_F(Contexts, ABranchInALoopWaitsForWhatIsOutsideOfTheLoop) {
  const Output v = Variable("v", Tensor::Scalar(0.0f));
  const Operation before = Count1(v);
  const Outputs r = b.While({0, 0.0f}, Below3, [&](const Outputs& i) {
    return Outputs{i[0] + 1, i[1] + b.Cond(p, [&] {
      auto deps = b.ControlDependencies({before});
      return b.Op("ReadVariableOp", {v}, {{"dtype", DType::kFloat32}}).output();
    }, [&] { return b.Constant(Input(10.0f)); })};
  });
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Run({{p, Tensor::Scalar(true)}}, {r[1]}), "float32[] = 3");
  EXPECT_EQ(Run({{p, Tensor::Scalar(false)}}, {r[1]}), "float32[] = 30");
}

TEST_F(Contexts, AnInnerLoopThatStartsFromOutsideValuesRunsOnceAnIteration) {
  const Output v = Variable("v", Tensor::Scalar(0.0f));
  const Outputs r = b.While({0}, Below3, [&](const Outputs& i) {
    const Outputs inner = b.While({x}, [&](const Outputs& w) { return w[0] < 2; }, [&](const Outputs& w) {
      return Outputs{b.WithDependencies({Count1(v)}, w[0]) + 1};
    });
    return Outputs{b.WithDependencies({inner[0]}, i[0]) + 1};
  });
  EXPECT_EQ(Run({{x, Tensor::Scalar(0)}}, {Read(v, r[0])}), "float32[] = 6");
}

TEST_F(Contexts, LoopsNestThreeDeepAndUseAllThatIsAround) {
  const Outputs r = b.While({0, 0}, Below3, [&](const Outputs& u) {
    const Outputs s = b.While({0, u[1]}, Below3, [&](const Outputs& v) {
      const Outputs t = b.While({0, v[1]}, Below3, [&](const Outputs& w) { return Outputs{w[0] + 1, w[1] + x + u[0] * 100 + v[0] * 10 + w[0]}; });
      return Outputs{v[0] + 1, t[1]};
    });
    return Outputs{u[0] + 1, s[1]};
  });
  EXPECT_EQ(Run({{x, Tensor::Scalar(1)}}, {r[1]}), absl::StrCat("int32[] = ", 27 + 27 * 100 + 27 * 10 + 27));
}

TEST_F(Contexts, ALoopInABranchDoesNotRunIfTheBranchDoesNot) {
  const Output v = Variable("v", Tensor::Scalar(0.0f));
  const Outputs r = b.Cond(p, [&] {
    return b.While({0}, Below3, [&](const Outputs& i) { return Outputs{b.WithDependencies({Count1(v)}, i[0]) + 1}; });
  }, [&] { return Outputs{x}; });
  const Output read = Read(v, r[0]);
  EXPECT_EQ(Run({{p, Tensor::Scalar(true)}, {x, Tensor::Scalar(1)}}, {read}), "float32[] = 3");
  EXPECT_EQ(Run({{p, Tensor::Scalar(false)}, {x, Tensor::Scalar(1)}}, {read}), "float32[] = 0");
}

// --- While -----------------------------------------------------------------------------------------------------------------------

TEST_F(Contexts, ALoopMayRunNotAtAll) {
  const auto never = [&](const Outputs& v) { return v[0] < 0; };
  const auto fails = [&](const Outputs& v) { return Outputs{b.Op("CheckNumerics", {b.Op("Cast", {v[0]}, {{"DstT", DType::kFloat32}})}, {{"message", "ran"}}).output() < 0.0f}; };
  const auto body = [&](const Outputs& v) { return Outputs{b.Op("Cast", {fails(v)[0]}, {{"DstT", DType::kInt32}}).output()}; };
  EXPECT_EQ(Run({}, {b.While({7}, never, body)[0], b.WhileOf({7}, never, body)[0]}), "int32[] = 7; int32[] = 7");
}

TEST_F(Contexts, MaximumIterationsBelowOneMeansNone) {
  const auto always = [&](const Outputs&) { return b.Constant(Input(true)); };
  const auto next = [](const Outputs& v) { return Outputs{v[0] + 1}; };
  const Output limit = b.Placeholder(DType::kInt32, Shape(), "limit");
  const Outputs r = b.While({5}, always, next, {.maximum_iterations = limit}), f = b.WhileOf({5}, always, next, {.maximum_iterations = limit});
  for (const auto& [n, want] : std::map<int, int>{{-1, 5}, {0, 5}, {1, 6}, {4, 9}}) {
    EXPECT_EQ(Run({{limit, Tensor::Scalar(n)}}, {r[0], f[0]}), absl::StrCat("int32[] = ", want, "; int32[] = ", want));
  }
}

TEST_F(Contexts, ShapeInvariantsAllowGrowth) {
  const auto grow = [&](const Outputs& v) { return Outputs{v[0] + 1, b.Op("ConcatV2", {v[1], v[1], 0}).output()}; };
  const WhileOptions options{.shape_invariants = {Shape(), *PartialShape::Make({-1})}};
  const Outputs r = b.While({0, {1}}, Below3, grow, options), f = b.WhileOf({0, {1}}, Below3, grow, options);
  EXPECT_EQ(r[1].shape().ToString(), "[?]");
  EXPECT_EQ(f[1].shape().ToString(), "[?]");
  EXPECT_EQ(Run({}, {r[1], f[1]}), "int32[8] = [1 1 1 1 1 1 1 1]; int32[8] = [1 1 1 1 1 1 1 1]");
}

TEST_F(Contexts, AVariableMayIgnoreWhatItWas) {
  EXPECT_EQ(Run({{x, Tensor::Scalar(4)}}, {b.While({0, 1}, Below3, [&](const Outputs& v) { return Outputs{v[0] + 1, x}; })[1]}), "int32[] = 4");
}

// --- Literals ----------------------------------------------------------------------------------------------------------------------

TEST_F(Contexts, LiteralsTakeEveryDtype) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64,
                            DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64, DType::kComplex64, DType::kComplex128}) {
    const Output y = b.Constant(Input(3), dtype) * 2, left = 2 * b.Constant(Input(3), dtype);
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_EQ(Run({}, {b.Op("Cast", {y}, {{"DstT", DType::kInt32}}).output(), b.Op("Cast", {left}, {{"DstT", DType::kInt32}}).output()}),
              "int32[] = 6; int32[] = 6")
        << DTypeName(dtype);
  }
}

TEST_F(Contexts, LiteralsAreNestedLists) {
  EXPECT_EQ(Run({}, {b.Constant(Input({{1, 2}, {3, 4}})), b.Constant(Input({{{1.5f}, {2.5f}}})), b.Constant(Input({1, 2}), DType::kFloat32), b.Constant(Input("text")),
                     b.Constant(Input(std::vector<int64_t>()))}),
            "int32[2,2] = [[1 2] [3 4]]; float32[1,2,1] = [[[1.5] [2.5]]]; float32[2] = [1 2]; string[] = 'text'; int64[0] = []");
}

// --- Elements ----------------------------------------------------------------------------------------------------------------------

TEST_F(Contexts, ElementsMayBeNone) {
  const Output none = b.Placeholder(DType::kFloat32, *PartialShape::Make({-1, 2}), "none");
  const auto add = [](const Outputs& acc, const Outputs& e) { return Outputs{acc[0] + e[0]}; };
  const Tensor empty = *Tensor::Make(DType::kFloat32, *Shape::Make({0, 2}));
  const Outputs mapped = b.MapFn({none}, [](const Outputs& e) { return Outputs{e[0] * 2, e[0] + 1}; });
  const Output folded = b.Foldl({none}, {{1.0f, 2.0f}}, add)[0], scanned = b.Scan({none}, {{1.0f, 2.0f}}, add)[0];
  ASSERT_EQ(mapped.size(), 2u);
  EXPECT_EQ(mapped[0].shape().ToString(), "[?,2]");
  EXPECT_EQ(Run({{none, empty}}, {mapped[0], mapped[1], folded, scanned}), "float32[0,2] = []; float32[0,2] = []; float32[2] = [1 2]; float32[0,2] = []");
  const Output some = b.Constant(Input({{1.0f, 2.0f}, {3.0f, 4.0f}}));
  EXPECT_EQ(Run({{none, *Values({}, {some})->begin()}}, {mapped[0], mapped[1], folded, scanned}),
            "float32[2,2] = [[2 4] [6 8]]; float32[2,2] = [[2 3] [4 5]]; float32[2] = [5 8]; float32[2,2] = [[2 4] [5 8]]");
}

TEST_F(Contexts, ElementsOfUnknownRank) {
  const Output any = b.Placeholder(DType::kInt32, PartialShape(), "any");
  const Output mapped = b.MapFn({any}, [](const Outputs& e) { return Outputs{e[0] + 1}; })[0];
  EXPECT_EQ(Run({{any, *Values({}, {b.Constant(Input({{1, 2}, {3, 4}}))})->begin()}}, {mapped}), "int32[2,2] = [[2 3] [4 5]]");
}

TEST_F(Contexts, SeveralTensorsOfElementsGoTogether) {
  const Outputs r = b.MapFn({b.Constant(Input({1, 2})), b.Constant(Input({0.5f, 1.5f}))}, [&](const Outputs& e) {
    return Outputs{b.Op("Cast", {e[0]}, {{"DstT", DType::kFloat32}}).output() * e[1]};
  });
  EXPECT_EQ(Run({}, {r[0]}), "float32[2] = [0.5 3]");
}

TEST_F(Contexts, RangesMayBeEmptyOrBackwards) {
  const auto sum = [](const Output& i, const Outputs& v) { return Outputs{v[0] + i}; };
  EXPECT_EQ(Run({}, {b.ForRange(2, 2, {9}, sum)[0], b.ForRange(3, 1, {9}, sum)[0], b.ForRange(-2, 2, {9}, sum)[0]}), "int32[] = 9; int32[] = 9; int32[] = 7");
}

}  // namespace
}  // namespace flowlatch
