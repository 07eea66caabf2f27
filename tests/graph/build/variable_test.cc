#include "graph/build/variable.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

class Variables : public testing::TestWithParam<bool>, public BuiltGraph {
 protected:
  using BuiltGraph::Run;
  VariableOptions Kind() const { return {.use_ref = GetParam()}; }
  GraphVariable Make(std::string_view name, const Initializer& initial) { return b.Variable(name, initial, Kind()); }
  void InitializeAll() { AddInitializer(VariablesInitializer(b, b.variables())); }
  std::string Attr(const GraphVariable& v, const char* name) { return *b.node(v.handle()).attrs.Find(name)->Get<std::string>(); }
};
INSTANTIATE_TEST_SUITE_P(Kinds, Variables, testing::Bool(), [](const auto& info) { return info.param ? "Ref" : "Resource"; });

TEST_P(Variables, SayWhatTheyAre) {
  const GraphVariable w = Make("w", Zeros({2, 3}));
  EXPECT_EQ(w.name(), "w");
  EXPECT_EQ(w.dtype(), DType::kFloat32);
  EXPECT_EQ(w.shape().ToString(), "[2,3]");
  EXPECT_EQ(w.is_ref(), GetParam());
  EXPECT_EQ(w.handle().is_ref(), GetParam());
  EXPECT_EQ(Attr(w, "shared_name"), "w");
  EXPECT_EQ(w.initializer().name(), "w/Assign");
  EXPECT_EQ(w.snapshot().name(), GetParam() ? "w/read:0" : "w/Read/ReadVariableOp:0");
  EXPECT_EQ(w.value().shape().ToString(), "[2,3]");
  EXPECT_TRUE(w.trainable());
  EXPECT_EQ(w.collections(), (std::vector<std::string>{"variables", "trainable_variables"}));
  EXPECT_EQ(b.variables().size(), 1);
  EXPECT_TRUE(b.ok()) << b.status();
}

TEST_P(Variables, AreReadUpdatedAndScattered) {
  const GraphVariable w = Make("w", Input({1.0f, 2.0f, 3.0f}));
  InitializeAll();
  Output value = w.value();
  for (const auto& update : std::initializer_list<std::function<Operation()>>{[&] { return w.AssignAdd(Input({1.0f, 1.0f, 1.0f})); }, [&] { return w.AssignSub(Input({0.5f, 0.5f, 0.5f}), true); },
                                                                              [&] { return w.Scatter("Update", Input({2, 0}), Input({7.0f, 8.0f})); },
                                                                              [&] { return w.Scatter("Add", Input({1}), Input({1.0f})); }}) {
    BuilderScope after = b.ControlDependencies({value});
    const Operation updated = update();
    BuilderScope next = b.ControlDependencies({updated});
    value = w.value_now() + 0;  // a copy: references see later updates too
  }
  EXPECT_EQ(Run({}, {value}), "float32[3] = [8 3.5 7]");
  EXPECT_EQ(Run({}, {w * 2, 2 * w, w - 1, -w, w / w, b.Op("Neg", {w}).output()}),
            "float32[3] = [2 4 6]; float32[3] = [2 4 6]; float32[3] = [0 1 2]; float32[3] = [-1 -2 -3]; float32[3] = [1 1 1]; float32[3] = [-1 -2 -3]");
  EXPECT_EQ(w.Gather({2, 0}).shape().ToString(), "[2]");
  EXPECT_EQ(Run({}, {w.Gather({2, 0})}), "float32[2] = [3 1]");
}

TEST_P(Variables, HaveAValueOrTheirInitialOne) {
  const GraphVariable v = Make("v", 5.0f);
  const Output is = v.IsInitialized(), value = v.InitializedValue();
  EXPECT_EQ(Run({}, {is, value}), "bool[] = false; float32[] = 5");
  AddInitializer(v.Assign(6.0f));
  EXPECT_EQ(Run({}, {is, value}), "bool[] = true; float32[] = 6");
}

TEST_P(Variables, AreLiftedOutOfEverything) {
  const Output p = b.Placeholder(DType::kBool, Shape(), "p"), x = b.Placeholder(DType::kFloat32, Shape(), "x");
  const Output checked = b.Constant(1.0f);
  Output deep;
  {
    BuilderScope after = b.ControlDependencies({checked});
    BuilderScope name = b.NameScope("model");
    deep = b.While({0, x}, [](const Outputs& v) { return v[0] < 3; }, [&](const Outputs& v) {
      return Outputs{v[0] + 1, b.Cond(p, [&] { return v[1] + Make("inner", 2.0f); }, [&] { return v[1]; })};
    })[1];
  }
  const GraphVariable inner = b.variables().at(0);
  EXPECT_EQ(inner.handle().graph(), 0);
  for (const Operation& op : {Operation(inner.handle()), inner.initializer(), Operation(inner.initial_value())}) {
    EXPECT_TRUE(b.graph().control_inputs(op.node()).empty()) << op.name();
    EXPECT_FALSE(b.IsInLoop(op)) << op.name();
  }
  EXPECT_EQ(inner.name(), "model/while/cond/inner");
  InitializeAll();
  EXPECT_EQ(Run({{p, Tensor::Scalar(true)}, {x, Tensor::Scalar(1.0f)}}, {deep}), "float32[] = 7");
  EXPECT_EQ(Run({{p, Tensor::Scalar(false)}, {x, Tensor::Scalar(1.0f)}}, {deep}), "float32[] = 1");
}

TEST_P(Variables, NeverAlias) {
  const GraphVariable first = Make("w", 1.0f), second = Make("w", 2.0f), other = Make("W", 3.0f);
  EXPECT_EQ(second.name(), "w_1");
  EXPECT_NE(Attr(first, "shared_name"), Attr(second, "shared_name"));
  // Nor with one that was made by hand or imported, under another node's name.
  b.Op(GetParam() ? "VariableV2" : "VarHandleOp", {}, {{"dtype", DType::kFloat32}, {"shape", PartialShape(Shape())}, {"shared_name", "v"}}, "mine");
  const GraphVariable v = Make("v", 4.0f);
  EXPECT_EQ(v.name(), "v");
  EXPECT_EQ(Attr(v, "shared_name"), "v_1");
  InitializeAll();
  EXPECT_EQ(Run({}, {first, second, other, v}), "float32[] = 1; float32[] = 2; float32[] = 3; float32[] = 4");
}

TEST_P(Variables, ASharedNameBelongsToOne) {
  VariableOptions options = Kind();
  options.shared_name = "shared";
  options.container = "box";
  const GraphVariable first = b.Variable("a", 1.0f, options);
  EXPECT_EQ(Attr(first, "shared_name"), "shared");
  EXPECT_EQ(Attr(first, "container"), "box");
  options.container = "other";
  b.Variable("b", 1.0f, options);
  EXPECT_TRUE(b.ok()) << b.status();
  b.Variable("c", 1.0f, options);
  EXPECT_EQ(b.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(absl::StrContains(b.status().message(), "variable 'c': shared name 'shared': expected one that no other variable has")) << b.status();
}

TEST_P(Variables, MayChangeTheirShapeIfTheySaySo) {
  VariableOptions options = Kind();
  options.shape = PartialShape::Of({-1});
  const GraphVariable v = b.Variable("v", Zeros({2}), options);
  EXPECT_EQ(v.value().shape().ToString(), "[?]");
  InitializeAll();
  AddInitializer(v.Assign({1.0f, 2.0f, 3.0f}));
  EXPECT_EQ(Run({}, {v.value_now()}), "float32[3] = [1 2 3]");
}

TEST_P(Variables, HaveGradientsAtAllTheirReads) {
  const GraphVariable w = Make("w", Input({1.0f, 2.0f}));
  const GraphVariable unused = Make("unused", 1.0f);
  InitializeAll();
  const Output y = w * w.value_now() + w * 3;
  const std::vector<Grad> grads = Gradients(b, {y}, {w, unused});
  EXPECT_FALSE(grads[1].exists());
  EXPECT_EQ(Run({}, {grads[0]}), "float32[2] = [5 7]");
}

TEST_P(Variables, HaveGradientsInsideOfABranch) {
  const GraphVariable w = Make("w", Input({1.0f, 2.0f}));
  InitializeAll();
  const Output p = b.Placeholder(DType::kBool, Shape(), "p");
  const Output grad = b.Cond(p, [&] { return Gradients(b, {w * w.value_now() + w * 3}, {w})[0].dense(); },
                             [&] { return Gradients(b, {w * w}, {w})[0].dense(); });
  EXPECT_EQ(Run({{p, Tensor::Scalar(true)}}, {grad}), "float32[2] = [5 7]");
  EXPECT_EQ(Run({{p, Tensor::Scalar(false)}}, {grad}), "float32[2] = [2 4]");
}

TEST_P(Variables, OfAnImportedGraph) {
  BuiltGraph inner;
  const GraphVariable saved = inner.b.Variable("w", Input({1.0f, 2.0f}), Kind());
  const Output y = inner.b.Op("Square", {saved}, {}, "y").output();
  ASSERT_TRUE(inner.b.ok()) << inner.b.status();
  const Outputs imported = b.Import(*inner.b.Snapshot(), {.prefix = "net", .return_outputs = {"w:0", y.name()}});
  const GraphVariable w = GraphVariable::Of(imported[0]);
  EXPECT_EQ(w.name(), "net/w");
  EXPECT_EQ(w.dtype(), DType::kFloat32);
  EXPECT_EQ(w.shape().ToString(), "[2]");
  AddInitializer(w.Assign({1.0f, 2.0f}));
  EXPECT_EQ(Run({}, {Gradients(b, {imported[1]}, {w})[0]}), "float32[2] = [2 4]");
}

TEST_P(Variables, InParts) {
  const PartitionedVariable t = PartitionedVariable::Make(b, "t", Input({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}}), 2, 0, Kind());
  ASSERT_EQ(t.parts().size(), 2);
  EXPECT_EQ(t.parts()[0].name(), "t/part_0");
  EXPECT_EQ(t.parts()[0].shape().ToString(), "[2,2]");
  EXPECT_EQ(t.parts()[1].shape().ToString(), "[1,2]");
  EXPECT_EQ(t.parts()[1].part()->whole, "t");
  EXPECT_EQ(t.parts()[1].part()->begin, (std::vector<int64_t>{2, 0}));
  const PartitionedVariable z = PartitionedVariable::Make(b, "z", Ones({2, 3}), 3, 1, Kind());
  InitializeAll();
  const Output loss = t.value() * t;
  EXPECT_EQ(Run({}, {t, z, Gradients(b, {loss}, t.parts())[1]}), "float32[3,2] = [[1 2] [3 4] [5 6]]; float32[2,3] = [[1 1 1] [1 1 1]]; float32[1,2] = [[10 12]]");
  AddInitializer(t.Assign({{0.0f, 1.0f}, {2.0f, 3.0f}, {4.0f, 5.0f}}));
  EXPECT_EQ(Run({}, {t}), "float32[3,2] = [[0 1] [2 3] [4 5]]");
}

TEST_P(Variables, ThatAreEmptyDoNothing) {
  const GraphVariable none;
  EXPECT_FALSE(none);
  EXPECT_FALSE(none.value());
  EXPECT_FALSE(none.Assign(1.0f));
  EXPECT_FALSE(none.Gather(1));
  EXPECT_FALSE(none.InitializedValue());
  EXPECT_FALSE(none + 1);
  EXPECT_FALSE(PartitionedVariable().value());
  EXPECT_TRUE(b.ok()) << b.status();
}

struct Misuse {
  const char* name;
  void (*make)(GraphBuilder& b, const VariableOptions& kind);
  const char* message;
};

Outputs Next(const Outputs& v) { return {v[0] + 1}; }
Output Below3(const Outputs& v) { return v[0] < 3; }

const Misuse kMisuses[] = {
    {"initial value of a loop", [](GraphBuilder& b, const VariableOptions& kind) {
       b.While({0.0f}, Below3, [&](const Outputs& v) { return b.Variable("w", v[0] * 2, kind), Next(v); });
     }, "variable 'w': initial value: expected one from outside of conds, loops and functions, got 'while/Mul:0' from inside of a while loop; give a function that makes it"},
    {"initial value of a branch", [](GraphBuilder& b, const VariableOptions& kind) {
       const Output x = b.Constant(1.0f);
       b.Cond(b.Constant(true), [&] { return b.Variable("w", x + 1, kind), x; }, [&] { return x; });
     }, "from inside of a cond"},
    {"initial value of a function", [](GraphBuilder& b, const VariableOptions& kind) {
       b.Function("f", {{DType::kFloat32, Shape()}}, [&](const Outputs& v) { return b.Variable("w", v[0], kind), v; });
     }, "from inside of a function"},
    {"function that takes a value of a loop", [](GraphBuilder& b, const VariableOptions& kind) {
       b.While({0.0f}, Below3, [&](const Outputs& v) { return b.Variable("w", [&] { return v[0] * 2; }, kind), Next(v); });
     }, "it is inside of a while loop"},
    {"function that gives a value of a loop", [](GraphBuilder& b, const VariableOptions& kind) {
       b.While({0.0f}, Below3, [&](const Outputs& v) { return b.Variable("w", [&] { return v[0]; }, kind), Next(v); });
     }, "variable 'w': initial value: expected one that is made in init_scope, got one from inside of a while loop"},
    {"function that gives nothing", [](GraphBuilder& b, const VariableOptions& kind) { b.Variable("w", [] { return Output(); }, kind); }, "got an empty one"},
    {"shape against the initial value", [](GraphBuilder& b, const VariableOptions& kind) {
       VariableOptions options = kind;
       options.shape = Shape::Of({3});
       b.Variable("w", Zeros({2}), options);
     }, "variable 'w': initial value: expected shape [3], got [2]"},
    {"variable of variables", [](GraphBuilder& b, const VariableOptions& kind) { b.Variable("w", b.Variable("v", 1.0f).handle(), kind); },
     "variable 'w': initial value: expected a dtype that variables have, got resource"},
    {"name", [](GraphBuilder& b, const VariableOptions& kind) { b.Variable("a b", 1.0f, kind); }, "name 'a b"},
    {"value of another dtype", [](GraphBuilder& b, const VariableOptions& kind) { b.Variable("w", 1.0f, kind).Assign(b.Constant(1)); }, "expected float32, got int32"},
    {"value of another shape", [](GraphBuilder& b, const VariableOptions& kind) { b.Variable("w", 1.0f, kind).AssignAdd({1.0f, 2.0f}); },
     "value for variable 'w': expected shape [], got [2]"},
    {"parts along no axis", [](GraphBuilder& b, const VariableOptions& kind) { PartitionedVariable::Make(b, "t", Zeros({2}), 2, 1, kind); }, "variable 't': axis of parts: expected one below 1, got 1"},
    {"too many parts", [](GraphBuilder& b, const VariableOptions& kind) { PartitionedVariable::Make(b, "t", Zeros({2}), 3, 0, kind); }, "variable 't': number of parts: expected 1 to 2, got 3"},
    {"parts of what is unknown", [](GraphBuilder& b, const VariableOptions& kind) { PartitionedVariable::Make(b, "t", b.Placeholder(DType::kFloat32), 1, 0, kind); },
     "variable 't': initial value: expected a known shape to part, got ?"},
    {"handle that is none", [](GraphBuilder& b, const VariableOptions&) { GraphVariable::Of(b.Constant(1)); }, "'Const:0': expected a reference or the resource handle"},
    {"initializer that is none", [](GraphBuilder& b, const VariableOptions& kind) { VariablesInitializer(b, {GraphVariable::Of(b.Variable("w", 1.0f, kind).handle())}); },
     "variable 'w': expected one with an initializer"},
};

TEST_P(Variables, MisuseIsANamedErrorAtTheCall) {
  for (const Misuse& misuse : kMisuses) {
    SCOPED_TRACE(misuse.name);
    BuiltGraph t;
    misuse.make(t.b, Kind());
    EXPECT_EQ(t.b.status().code(), absl::StatusCode::kInvalidArgument) << t.b.status();
    EXPECT_TRUE(absl::StartsWith(t.b.status().message(), "variable_test.cc:")) << t.b.status();
    EXPECT_TRUE(absl::StrContains(t.b.status().message(), misuse.message)) << t.b.status();
  }
}

TEST(VariableReads, AResourceIsReadWhereItIsUsed) {
  BuiltGraph t;
  const GraphVariable v = t.b.Variable("v", 1.0f);
  t.AddInitializer(v.initializer());
  const Operation update = v.Assign(2.0f);
  BuilderScope after = t.b.ControlDependencies({update});
  EXPECT_EQ(t.Run({}, {v + 0}), "float32[] = 2");
}

// The node that was made with a reference variable waits for nothing (semantics.md 7.6).
TEST(VariableReads, AReferenceHasOneReadWithoutDependencies) {
  BuiltGraph t;
  const GraphVariable v = t.b.Variable("v", 1.0f, {.use_ref = true});
  BuilderScope after = t.b.ControlDependencies({v.Assign(2.0f)});
  EXPECT_EQ(v.value(), v.value());
  EXPECT_TRUE(t.b.graph().control_inputs(v.value().port().node).empty());
  EXPECT_EQ(t.b.graph().control_inputs(v.value_now().port().node).size(), 1);
}

TEST(VariableCollections, TrainableOnes) {
  BuiltGraph t;
  const GraphVariable w = t.b.Variable("w", 1.0f), step = t.b.Variable("step", int64_t{0}, {.trainable = false, .collections = {"local"}});
  EXPECT_EQ(TrainableVariables(t.b), std::vector<GraphVariable>{w});
  EXPECT_EQ(step.collections(), std::vector<std::string>{"local"});
}

}  // namespace
}  // namespace flowlatch
