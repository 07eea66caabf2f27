// Graphs put into the one that is being built.
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "graph/build/graph_builder.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

// x (a placeholder, float32 scalar), y = 2 x.
Graph Doubles() {
  BuiltGraph t;
  const Output x = t.b.Placeholder(DType::kFloat32, Shape(), "x");
  t.b.Op("Mul", {x, 2.0f}, {}, "y");
  return *t.b.Build();
}

// x + 3, counted up in a loop from x (int32); the result is "last".
Graph Loop() {
  BuiltGraph t;
  const Output x = t.b.Placeholder(DType::kInt32, Shape(), "x");
  const Output end = x + 3;
  const Outputs r = t.b.While({x}, [&](const Outputs& v) { return v[0] < end; }, [&](const Outputs& v) { return Outputs{v[0] + 1}; });
  t.b.Op("Identity", {r[0]}, {}, "last");
  return *t.b.Build();
}

TEST(Import, PrefixInputMapAndReturnOutputs) {
  BuiltGraph t;
  const Graph graph = Doubles();
  const Output five = t.b.Constant(Input(5.0f));
  const Outputs a = t.b.Import(graph, {.prefix = "part", .input_map = {{"x:0", five}}, .return_outputs = {"y:0", "x:0", "y"}});
  const Outputs again = t.b.Import(graph, {.prefix = "part", .return_outputs = {"y"}});
  EXPECT_EQ(a[0].name(), "part/y:0");
  EXPECT_EQ(a[1], five);
  EXPECT_EQ(a[2], a[0]);
  EXPECT_EQ(again[0].name(), "part_1/y:0");
  EXPECT_EQ(a[0].shape().ToString(), "[]");
  EXPECT_EQ(t.Run({{t.b.Find("part_1/x"), Tensor::Scalar(1.0f)}}, {a[0], again[0]}), "float32[] = 10; float32[] = 2");
}

TEST(Import, WithoutPrefixNamesStay) {
  BuiltGraph t;
  EXPECT_EQ(t.b.Import(Doubles(), {.return_outputs = {"y"}})[0].name(), "y:0");
  EXPECT_EQ(t.b.Constant(Input(1), "y").name(), "y_1:0");
  EXPECT_TRUE(t.b.ok());
  t.b.Import(Doubles());
  EXPECT_EQ(t.b.status().code(), absl::StatusCode::kAlreadyExists);
}

TEST(Import, IntoANameScope) {
  BuiltGraph t;
  auto scope = t.b.NameScope("a");
  EXPECT_EQ(t.b.Import(Doubles(), {.return_outputs = {"y"}})[0].name(), "a/y:0");
}

TEST(Import, WhatNothingElseStartsWaits) {
  BuiltGraph t;
  const Output a = t.b.Constant(Input(1), "a"), c = t.b.Constant(Input(1), "c"), five = t.b.Constant(Input(5.0f), "five");
  auto deps = t.b.ControlDependencies({a});
  const Outputs y = t.b.Import(Doubles(), {.input_map = {{"x", five}}, .return_outputs = {"y"}, .control_dependencies = {c}});
  const auto waits = [&](const Output& o) {
    std::string text;
    for (const Port p : t.b.graph().control_inputs(o.port().node)) text += std::string(t.b.graph().node(p.node).name) + " ";
    return text;
  };
  EXPECT_EQ(waits(t.b.Find("y/y")), "c a ");  // the constant
  EXPECT_EQ(waits(y[0]), "");                  // through it
  EXPECT_EQ(waits(t.b.Op("Neg", {y[0]}).output()), "");
  const Outputs only_mapped = t.b.Import(Doubles(), {.prefix = "p", .input_map = {{"x", five}, {"y/y", five}}, .return_outputs = {"y"}});
  EXPECT_EQ(waits(only_mapped[0]), "a ");
  EXPECT_EQ(t.Run({}, {y[0], only_mapped[0]}), "float32[] = 10; float32[] = 25");
}

TEST(Import, ControlInputsAreMapped) {
  BuiltGraph inner;
  const Output x = inner.b.Placeholder(DType::kFloat32, Shape(), "x");
  inner.b.WithDependencies({inner.b.Op("NoOp", {}, {}, "before")}, x);
  BuiltGraph t;
  const Output first = t.b.Constant(Input(1), "first"), one = t.b.Constant(Input(1.0f));
  const Outputs y = t.b.Import(*inner.b.Build(), {.prefix = "p", .input_map = {{"^before", first}, {"x", one}}, .return_outputs = {"control_dependency"}});
  ASSERT_TRUE(t.b.ok()) << t.b.status();
  ASSERT_EQ(t.b.node(y[0]).num_controls, 1u);
  EXPECT_EQ(t.b.graph().control_inputs(y[0].port().node)[0].node, first.port().node);
}

TEST(Import, ALoopTwice) {
  BuiltGraph t;
  const Graph graph = Loop();
  const Outputs a = t.b.Import(graph, {.prefix = "a", .return_outputs = {"last", "x"}}), c = t.b.Import(graph, {.prefix = "a", .return_outputs = {"last", "x"}});
  const Outputs d = t.b.Import(graph, {.return_outputs = {"last", "x"}});
  EXPECT_EQ(t.Run({{a[1], Tensor::Scalar(1)}, {c[1], Tensor::Scalar(10)}, {d[1], Tensor::Scalar(100)}}, {a[0], c[0], d[0]}),
            "int32[] = 4; int32[] = 13; int32[] = 103");
}

TEST(Import, ALoopIntoABranch) {
  BuiltGraph t;
  const Graph graph = Loop();
  const Output p = t.b.Placeholder(DType::kBool, Shape(), "p"), x = t.b.Placeholder(DType::kInt32, Shape(), "n");
  const auto part = [&](const Output& from) { return t.b.Import(graph, {.prefix = "part", .input_map = {{"x", from}}, .return_outputs = {"last"}})[0]; };
  const Output y = t.b.Cond(p, [&] { return part(x); }, [&] { return part(t.b.Constant(Input(50))); });
  ASSERT_TRUE(t.b.ok()) << t.b.status();
  EXPECT_EQ(t.Run({{p, Tensor::Scalar(true)}, {x, Tensor::Scalar(1)}}, {y}), "int32[] = 4");
  EXPECT_EQ(t.Run({{p, Tensor::Scalar(false)}, {x, Tensor::Scalar(1)}}, {y}), "int32[] = 53");
}

TEST(Import, ALoopIntoALoop) {
  BuiltGraph t;
  const Graph graph = Loop();
  const Output x = t.b.Placeholder(DType::kInt32, Shape(), "n");
  // The inner loop starts from a value that is the same in each iteration, and from one that is not.
  const Outputs r = t.b.While({0, 0, 0}, [](const Outputs& v) { return v[0] < 4; }, [&](const Outputs& v) {
    const Outputs same = t.b.Import(graph, {.prefix = "same", .input_map = {{"x", x}}, .return_outputs = {"last"}});
    const Outputs other = t.b.Import(graph, {.prefix = "other", .input_map = {{"x", v[0]}}, .return_outputs = {"last"}});
    return Outputs{v[0] + 1, v[1] + same[0], v[2] + other[0]};
  }, {.shape_invariants = {Shape(), {}, {}}});
  ASSERT_TRUE(t.b.ok()) << t.b.status();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(t.Run({{x, Tensor::Scalar(7)}}, {r[0], r[1], r[2]}), "int32[] = 4; int32[] = 40; int32[] = 18");
}

TEST(Import, ConstantsIntoALoopRunOnceAnIteration) {
  BuiltGraph inner;
  inner.b.Constant(Input(5), "five");
  const Graph graph = *inner.b.Build();
  BuiltGraph t;
  const Outputs r = t.b.While({0, 0}, [](const Outputs& v) { return v[0] < 3; }, [&](const Outputs& v) {
    return Outputs{v[0] + 1, t.b.Import(graph, {.prefix = "p", .return_outputs = {"five"}})[0]};
  });
  EXPECT_EQ(t.Run({}, {r[0], r[1]}), "int32[] = 3; int32[] = 5");
}

TEST(Import, FunctionsComeAlong) {
  BuiltGraph inner;
  const Output x = inner.b.Placeholder(DType::kInt32, Shape(), "x");
  const FunctionValue f = inner.b.Function("f", {{DType::kInt32, Shape()}}, [](const Outputs& a) { return Outputs{a[0] + 1}; });
  inner.b.Call(f, {x}, "called");
  inner.b.WhileOf({x}, [](const Outputs& v) { return v[0] < 9; }, [&](const Outputs& v) { return inner.b.Call(f, {v[0]}); }, {.name = "loop"});
  const Graph graph = *inner.b.Build();
  BuiltGraph t;
  const Output n = t.b.Constant(Input(3));
  const Outputs a = t.b.Import(graph, {.prefix = "a", .input_map = {{"x", n}}, .return_outputs = {"called", "loop"}});
  const Outputs c = t.b.Import(graph, {.prefix = "c", .input_map = {{"x", a[0]}}, .return_outputs = {"called"}});
  ASSERT_TRUE(t.b.ok()) << t.b.status();
  EXPECT_EQ(t.Run({}, {a[0], a[1], c[0]}), "int32[] = 4; int32[] = 9; int32[] = 5");
}

TEST(Import, DifferentFunctionsOfOneNameAreAnError) {
  const auto with_f = [](int n) {
    BuiltGraph t;
    t.b.Function("f", {}, [&](const Outputs&) { return Outputs{t.b.Constant(Input(n))}; });
    return *t.b.Build();
  };
  BuiltGraph t;
  t.b.Import(with_f(1));
  EXPECT_TRUE(t.b.ok());
  t.b.Import(with_f(2));
  EXPECT_FALSE(t.b.ok());
  EXPECT_TRUE(absl::StrContains(t.b.status().message(), "'f'")) << t.b.status();
}

TEST(Import, WhatDoesNotFitIsAnError) {
  const Graph graph = Doubles();
  const auto error = [&](const std::function<ImportOptions(BuiltGraph&)>& options) {
    BuiltGraph t;
    t.b.Import(graph, options(t));
    EXPECT_TRUE(absl::StartsWith(t.b.status().message(), "import_test.cc:")) << t.b.status();
    return t.b.status().ToString();
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return absl::StrContains(text, part) ? testing::AssertionSuccess() : testing::AssertionFailure() << text;
  };
  EXPECT_TRUE(has(error([](BuiltGraph& t) { return ImportOptions{.input_map = {{"z", t.b.Constant(Input(1.0f))}}}; }), "Import: input_map: "));
  EXPECT_TRUE(has(error([](BuiltGraph& t) { return ImportOptions{.input_map = {{"^z", t.b.Constant(Input(1.0f))}}}; }), "input_map '^z': no such node"));
  EXPECT_TRUE(has(error([](BuiltGraph&) { return ImportOptions{.input_map = {{"^x", Output()}}}; }), "input_map '^x': expected an output"));
  EXPECT_TRUE(has(error([](BuiltGraph&) { return ImportOptions{.input_map = {{"x", Output()}}}; }), "input_map 'x': expected an output"));
  EXPECT_TRUE(has(error([](BuiltGraph& t) { return ImportOptions{.input_map = {{"x", t.b.Constant(Input(1), "i")}}}; }), "input_map 'x': expected float32, got int32 from 'i:0'"));
  EXPECT_TRUE(has(error([](BuiltGraph&) { return ImportOptions{.return_outputs = {"z"}}; }), "Import: return_outputs: "));
  EXPECT_TRUE(has(error([](BuiltGraph&) { return ImportOptions{.return_outputs = {"y:3"}}; }), "Import: return_outputs: "));
  EXPECT_TRUE(has(error([](BuiltGraph&) { return ImportOptions{.control_dependencies = {Operation()}}; }), "control dependency: expected an operation"));
}

}  // namespace
}  // namespace flowlatch
