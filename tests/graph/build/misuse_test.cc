// What cannot work is a named error at the call, with its place; nothing aborts.
#include <gtest/gtest.h>

#include <thread>

#include "absl/strings/match.h"
#include "graph/build/graph_builder.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

using absl::StatusCode;

struct Misuse {
  const char* name;
  void (*make)(BuiltGraph& t);
  StatusCode code;
  const char* message;  // a part of it
};

Output Bool(BuiltGraph& t) { return t.b.Placeholder(DType::kBool, Shape(), "p"); }
Output Float(BuiltGraph& t) { return t.b.Placeholder(DType::kFloat32, Shape(), "x"); }
Output Below3(const Outputs& v) { return v[0] < 3; }
Outputs Next(const Outputs& v) { return {v[0] + 1}; }
// A value of a loop's body.
Output InLoop(BuiltGraph& t) {
  Output inside;
  t.b.While({0}, Below3, [&](const Outputs& v) { return Outputs{inside = v[0] + 1}; });
  return inside;
}
Output InFunction(BuiltGraph& t) {
  Output inside;
  t.b.Function("f", {{DType::kFloat32, Shape()}}, [&](const Outputs& a) { return Outputs{inside = a[0] + 1}; });
  return inside;
}

const Misuse kMisuses[] = {
    // Ops
    {"unknown op", [](BuiltGraph& t) { t.b.Op("MatMulx", {Float(t)}); }, StatusCode::kNotFound, "op 'MatMulx': neither an op nor a function of the graph; did you mean"},
    {"too few inputs", [](BuiltGraph& t) { t.b.Op("Sub", {Float(t)}); }, StatusCode::kInvalidArgument, "Sub: expected 2 inputs (x, y), got 1"},
    {"dtypes that differ", [](BuiltGraph& t) { Float(t) + t.b.Placeholder(DType::kInt32, Shape(), "i"); }, StatusCode::kInvalidArgument,
     "AddV2: input 'y' from 'i:0' (int32): expected float32 as input 'x' from 'x:0' (float32) says; a Cast to float32 makes them fit"},
    {"dtype of one input", [](BuiltGraph& t) { t.b.Op("LogicalNot", {Float(t)}); }, StatusCode::kInvalidArgument,
     "LogicalNot: input 'x' from 'x:0' (float32): expected bool; a Cast to bool makes it fit"},
    {"dtype that an op does not take", [](BuiltGraph& t) { Bool(t) * Bool(t); }, StatusCode::kInvalidArgument, "'T'"},
    {"attribute against inputs", [](BuiltGraph& t) { t.b.Op("Neg", {Float(t)}, {{"T", DType::kInt32}}); }, StatusCode::kInvalidArgument, "attribute 'T' says"},
    {"missing attribute", [](BuiltGraph& t) { t.b.Op("Cast", {Float(t)}); }, StatusCode::kInvalidArgument, "DstT"},
    {"attribute of another kind", [](BuiltGraph& t) { t.b.Op("Cast", {Float(t)}, {{"DstT", int64_t{3}}}); }, StatusCode::kInvalidArgument, "DstT"},
    {"lists whose lengths nothing tells", [](BuiltGraph& t) { t.b.Op("ConcatV2", {Float(t)}); }, StatusCode::kInvalidArgument, ""},
    {"shapes that never work", [](BuiltGraph& t) { t.b.Op("MatMul", {Float(t), Float(t)}); }, StatusCode::kInvalidArgument, "node 'MatMul' (MatMul): "},
    {"name", [](BuiltGraph& t) { t.b.Op("Neg", {Float(t)}, {}, "a b"); }, StatusCode::kInvalidArgument, "name 'a b': expected letters"},
    {"value for a reference", [](BuiltGraph& t) { t.b.Op("Assign", {Float(t), 1.0f}); }, StatusCode::kInvalidArgument, "Assign: input 0 from 'x:0': expected a reference to a variable, got a value"},
    {"empty input", [](BuiltGraph& t) { t.b.Op("Neg", {Output()}); }, StatusCode::kInvalidArgument, "Neg: expected outputs of this builder as inputs, got an empty one"},
    {"input of another builder", [](BuiltGraph& t) { t.b.Op("Neg", {BuiltGraph().b.Constant(Input(1))}); }, StatusCode::kInvalidArgument, "got one of another builder"},
    {"operator of one value", [](BuiltGraph& t) { -Bool(t); }, StatusCode::kInvalidArgument, "'T'"},
    {"operator after a number", [](BuiltGraph& t) { 2 * Bool(t); }, StatusCode::kInvalidArgument, ""},
    // Constants
    {"fraction for an integer", [](BuiltGraph& t) { t.b.Placeholder(DType::kInt32) + 2.5; }, StatusCode::kInvalidArgument, "constant float64[] = 2.5: expected values that int32 holds"},
    {"number too large", [](BuiltGraph& t) { t.b.Placeholder(DType::kInt8) + 300; }, StatusCode::kInvalidArgument, "expected values that int8 holds"},
    {"negative for unsigned", [](BuiltGraph& t) { t.b.Placeholder(DType::kUInt8) + -1; }, StatusCode::kInvalidArgument, "expected values that uint8 holds"},
    {"number for text", [](BuiltGraph& t) { t.b.Op("StringLower", {1}); }, StatusCode::kInvalidArgument, "expected string, got int32"},
    {"ragged rows", [](BuiltGraph& t) { t.b.Constant(Input({{1, 2}, {3}})); }, StatusCode::kInvalidArgument, "nested constant: expected rows of equal length"},
    {"ragged blocks", [](BuiltGraph& t) { t.b.Constant(Input({{{1}, {2}}, {{3}}})); }, StatusCode::kInvalidArgument, "nested constant: expected blocks of equal length"},
    {"no tensor", [](BuiltGraph& t) { t.b.Constant(Input(Tensor())); }, StatusCode::kInvalidArgument, "Const: expected a tensor, got an empty one"},
    {"empty constant", [](BuiltGraph& t) { t.b.Constant(Output()); }, StatusCode::kInvalidArgument, "got an empty one"},
    // Scopes
    {"control dependency on nothing", [](BuiltGraph& t) { auto deps = t.b.ControlDependencies({Operation()}); }, StatusCode::kInvalidArgument, "control dependency: expected an operation, got an empty one"},
    {"control dependency of another builder", [](BuiltGraph& t) {
       BuiltGraph other;
       auto deps = t.b.ControlDependencies({other.b.Constant(Input(1))});
     }, StatusCode::kInvalidArgument, "got one of another function or builder"},
    {"waiting for what is in a loop", [](BuiltGraph& t) { t.b.Group({InLoop(t)}); }, StatusCode::kInvalidArgument, "it is inside of a while loop; wait for one of the loop's results"},
    {"waiting for what is in a function", [](BuiltGraph& t) { t.b.Group({InFunction(t)}); }, StatusCode::kInvalidArgument, "return it from the function to use it here"},
    {"a body waiting for an op without outputs", [](BuiltGraph& t) {
       const Operation outside = t.b.Group({});
       t.b.If(Bool(t), [&] { return Outputs{t.b.WithDependencies({outside}, t.b.Constant(Input(1)))}; }, [&] { return Outputs{t.b.Constant(Input(1))}; });
     }, StatusCode::kInvalidArgument, "make the call of the function wait for it instead"},
    {"name of a scope", [](BuiltGraph& t) { auto scope = t.b.NameScope("a b"); }, StatusCode::kInvalidArgument, "name 'a b': expected letters"},
    {"colocation with nothing", [](BuiltGraph& t) { auto with = t.b.ColocateWith(Operation()); }, StatusCode::kInvalidArgument, "ColocateWith: expected an operation of this graph"},
    {"inside of nothing", [](BuiltGraph& t) { auto inside = t.b.Inside(Operation()); }, StatusCode::kInvalidArgument, "Inside: expected an operation of this graph"},
    {"tuple of nothing", [](BuiltGraph& t) { t.b.Tuple({Output()}); }, StatusCode::kInvalidArgument, "Tuple: expected at least one value"},
    {"shape of nothing", [](BuiltGraph& t) { t.b.SetShape(Output(), Shape()); }, StatusCode::kInvalidArgument, "SetShape"},
    {"shape that contradicts", [](BuiltGraph& t) { t.b.SetShape(Float(t), *PartialShape::Make({2})); }, StatusCode::kInvalidArgument, "shape of 'x:0': expected [], got [2]"},
    {"name that nobody has", [](BuiltGraph& t) { Float(t); t.b.Find("xx"); }, StatusCode::kNotFound, "xx"},
    // Crossing contexts
    {"loop's value outside", [](BuiltGraph& t) { InLoop(t) + 1; }, StatusCode::kInvalidArgument, "it is inside of a while loop; make it a loop variable to use its last value"},
    {"loop's value in another loop", [](BuiltGraph& t) {
       const Output inside = InLoop(t);
       t.b.While({0}, Below3, [&](const Outputs& v) { return Outputs{v[0] + inside}; });
     }, StatusCode::kInvalidArgument, "they are in different while loops"},
    {"loop's value in init_scope", [](BuiltGraph& t) {
       t.b.While({0}, Below3, [&](const Outputs& v) {
         auto init = t.b.InitScope();
         return Outputs{v[0] + 1};
       });
     }, StatusCode::kInvalidArgument, "it is inside of a while loop; make it a loop variable"},
    {"function's value in init_scope", [](BuiltGraph& t) {
       t.b.Function("f", {{DType::kFloat32, Shape()}}, [&](const Outputs& a) {
         auto init = t.b.InitScope();
         return Outputs{a[0] + 1};
       });
     }, StatusCode::kInvalidArgument, "got one from inside a function"},
    {"function's value outside", [](BuiltGraph& t) { InFunction(t) + 1; }, StatusCode::kInvalidArgument, "return it from the function to use it here"},
    {"function's value in another", [](BuiltGraph& t) {
       const Output inside = InFunction(t);
       t.b.Function("g", {}, [&](const Outputs&) { return Outputs{inside + 1}; });
     }, StatusCode::kInvalidArgument, "return it from the function to use it here"},
    // Cond
    {"predicate that is no bool", [](BuiltGraph& t) { const Output x = Float(t); t.b.Cond(x, [&] { return x; }, [&] { return x; }); }, StatusCode::kInvalidArgument,
     "Cond: predicate: expected a bool scalar of this builder, got float32[]"},
    {"predicate that is no scalar", [](BuiltGraph& t) { const Output x = t.b.Constant(Input({true, false})); t.b.Cond(x, [&] { return x; }, [&] { return x; }); },
     StatusCode::kInvalidArgument, "got bool[2]"},
    {"no predicate", [](BuiltGraph& t) { const Output x = Float(t); t.b.Cond(Output(), [&] { return x; }, [&] { return x; }); }, StatusCode::kInvalidArgument, "got none"},
    {"branch that is no function", [](BuiltGraph& t) { t.b.Cond(Bool(t), std::function<Output()>(), std::function<Output()>()); }, StatusCode::kInvalidArgument,
     "Cond: expected a function for each branch, got none"},
    {"branch without outputs", [](BuiltGraph& t) { t.b.Cond(Bool(t), [&] { return Outputs(); }, [&] { return Outputs(); }); }, StatusCode::kInvalidArgument,
     "then branch: expected at least one output, got none"},
    {"branch with an empty output", [](BuiltGraph& t) { t.b.Cond(Bool(t), [&] { return Output(); }, [&] { return Output(); }); }, StatusCode::kInvalidArgument,
     "then branch: expected outputs of this builder, got an empty one"},
    {"branches of different counts", [](BuiltGraph& t) { const Output p = Bool(t); t.b.Cond(p, [&] { return Outputs{p, p}; }, [&] { return Outputs{p}; }); },
     StatusCode::kInvalidArgument, "expected outputs of the same dtypes from both branches, got (bool, bool) and (bool)"},
    {"branches of different dtypes", [](BuiltGraph& t) { const Output p = Bool(t); t.b.Cond(p, [&] { return p; }, [&] { return t.b.Constant(Input(1)); }); },
     StatusCode::kInvalidArgument, "got (bool) and (int32)"},
    // Case
    {"case without branches", [](BuiltGraph& t) { t.b.Case(t.b.Constant(Input(0)), {}); }, StatusCode::kInvalidArgument, "Case: expected an int32 scalar and at least one branch"},
    {"case of a float", [](BuiltGraph& t) { t.b.Case(Float(t), {[&] { return Outputs{Float(t)}; }}); }, StatusCode::kInvalidArgument, "got float32[] and 1 branches"},
    {"case of a vector", [](BuiltGraph& t) { t.b.Case(t.b.Constant(Input({0, 1})), {[&] { return Outputs{Float(t)}; }}); }, StatusCode::kInvalidArgument, "got int32[2]"},
    {"functional case of a vector", [](BuiltGraph& t) { t.b.CaseOf(t.b.Constant(Input({0, 1})), {[&] { return Outputs{t.b.Constant(Input(1))}; }}); },
     StatusCode::kInvalidArgument, "Case"},
    {"functional case without branches", [](BuiltGraph& t) { t.b.CaseOf(t.b.Constant(Input(0)), {}); }, StatusCode::kInvalidArgument, "Case: expected at least one branch, got none"},
    {"functional branches of different dtypes", [](BuiltGraph& t) { t.b.If(Bool(t), [&] { return Outputs{t.b.Constant(Input(1))}; }, [&] { return Outputs{t.b.Constant(Input(1.0f))}; }); },
     StatusCode::kInvalidArgument, "If: expected outputs of the same dtypes from all branches"},
    {"functional branch with an empty output", [](BuiltGraph& t) { t.b.If(Bool(t), [] { return Outputs{Output()}; }, [] { return Outputs{Output()}; }); },
     StatusCode::kInvalidArgument, "result 0: expected an output of this builder, got an empty one"},
    {"functional branch that is no function", [](BuiltGraph& t) { t.b.If(Bool(t), nullptr, nullptr); }, StatusCode::kInvalidArgument, "If: expected a function for each branch"},
    // While
    {"loop without variables", [](BuiltGraph& t) { t.b.While({}, Below3, Next); }, StatusCode::kInvalidArgument, "While: expected at least one loop variable, got none"},
    {"loop without functions", [](BuiltGraph& t) { t.b.While({0}, nullptr, nullptr); }, StatusCode::kInvalidArgument, "While: expected a predicate and a body, got none"},
    {"parallel_iterations", [](BuiltGraph& t) { t.b.While({0}, Below3, Next, {.parallel_iterations = 0}); }, StatusCode::kInvalidArgument, "parallel_iterations: expected at least 1, got 0"},
    {"empty initial value", [](BuiltGraph& t) { t.b.While({Output()}, Below3, Next); }, StatusCode::kInvalidArgument, "initial: expected an output of this builder, got an empty one"},
    {"predicate of numbers", [](BuiltGraph& t) { t.b.While({0}, [](const Outputs& v) { return v[0]; }, Next); }, StatusCode::kInvalidArgument, "predicate: expected a bool scalar, got int32[]"},
    {"no loop predicate", [](BuiltGraph& t) { t.b.While({0}, [](const Outputs&) { return Output(); }, Next); }, StatusCode::kInvalidArgument, "predicate: expected a bool scalar, got none"},
    {"body of another count", [](BuiltGraph& t) { t.b.While({0, 1}, Below3, Next); }, StatusCode::kInvalidArgument, "body: expected 2 values, one for each variable, got 1"},
    {"body of another dtype", [](BuiltGraph& t) { t.b.While({0}, Below3, [&](const Outputs& v) { return Outputs{v[0] < 1}; }); }, StatusCode::kInvalidArgument,
     "body: variable 0: expected int32 as its initial value, got bool"},
    {"body with an empty output", [](BuiltGraph& t) { t.b.While({0}, Below3, [](const Outputs&) { return Outputs{Output()}; }); }, StatusCode::kInvalidArgument, "variable 0: expected an output"},
    {"initial shape against its invariant", [](BuiltGraph& t) { t.b.While({0}, Below3, Next, {.shape_invariants = {*PartialShape::Make({2})}}); }, StatusCode::kInvalidArgument,
     "variable 0: expected an initial shape that fits its invariant [2], got []"},
    {"invariants of another count", [](BuiltGraph& t) { t.b.While({0}, Below3, Next, {.shape_invariants = {Shape(), Shape()}}); }, StatusCode::kInvalidArgument, "shape_invariants: expected 1"},
    {"shape that grows", [](BuiltGraph& t) {
       t.b.While({0, {1}}, Below3, [&](const Outputs& v) { return Outputs{v[0] + 1, t.b.Op("ConcatV2", {v[1], v[1], 0}).output()}; });
     }, StatusCode::kInvalidArgument, "variable 1 enters the loop with shape [1] but has shape [2] after one iteration; shape_invariants can allow that"},
    {"maximum_iterations that is no scalar", [](BuiltGraph& t) { t.b.While({0}, Below3, Next, {.maximum_iterations = Input({1, 2})}); }, StatusCode::kInvalidArgument, "maximum_iterations: expected a scalar, got shape [2]"},
    {"maximum_iterations of another dtype", [](BuiltGraph& t) { t.b.While({0}, Below3, Next, {.maximum_iterations = Input(Float(t))}); }, StatusCode::kInvalidArgument,
     "maximum_iterations: expected int32, got float32 from 'x:0'"},
    {"functional loop without variables", [](BuiltGraph& t) { t.b.WhileOf({}, Below3, Next); }, StatusCode::kInvalidArgument, "While: expected at least one loop variable, got none"},
    {"functional loop without functions", [](BuiltGraph& t) { t.b.WhileOf({0}, nullptr, nullptr); }, StatusCode::kInvalidArgument, "While: expected a predicate and a body, got none"},
    {"functional body of another count", [](BuiltGraph& t) { t.b.WhileOf({0, 1}, Below3, Next); }, StatusCode::kInvalidArgument, "body: expected 2 values, one for each variable, got 1"},
    {"functional body of another dtype", [](BuiltGraph& t) { t.b.WhileOf({0}, Below3, [&](const Outputs& v) { return Outputs{v[0] < 1}; }); }, StatusCode::kInvalidArgument,
     "body: variable 0: expected int32 as its initial value, got bool"},
    {"functional maximum_iterations that is no scalar", [](BuiltGraph& t) { t.b.WhileOf({0}, Below3, Next, {.maximum_iterations = Input({1, 2})}); }, StatusCode::kInvalidArgument,
     "maximum_iterations: expected a scalar, got shape [2]"},
    {"no functional predicate", [](BuiltGraph& t) { t.b.WhileOf({0}, [](const Outputs&) { return Output(); }, Next); }, StatusCode::kInvalidArgument, "expected an output of this builder"},
    // Functions
    {"function without body", [](BuiltGraph& t) { t.b.Function("f", {}, nullptr); }, StatusCode::kInvalidArgument, "function: expected a body, got none"},
    {"argument without dtype", [](BuiltGraph& t) { t.b.Function("f", {{DType::kInvalid, Shape()}}, [](const Outputs& a) { return a; }); }, StatusCode::kInvalidArgument, ""},
    {"call of nothing", [](BuiltGraph& t) { t.b.Call({}, {}); }, StatusCode::kInvalidArgument, "Call: expected a function, got an empty one"},
    {"call with too few arguments", [](BuiltGraph& t) {
       const FunctionValue f = t.b.Function("f", {{DType::kFloat32, Shape()}}, [](const Outputs& a) { return Outputs{a[0] + 1}; });
       t.b.Call(f, {});
     }, StatusCode::kInvalidArgument, "Call: function 'f': expected 1 arguments, got 0"},
    {"call with another dtype", [](BuiltGraph& t) {
       const FunctionValue f = t.b.Function("f", {{DType::kInt32, Shape()}}, [](const Outputs& a) { return Outputs{a[0] + 1}; });
       t.b.Call(f, {Float(t)});
     }, StatusCode::kInvalidArgument, "expected int32; a Cast to int32 makes it fit"},
    {"call of another builder's function", [](BuiltGraph& t) {
       BuiltGraph other;
       t.b.Call(other.b.Function("f", {}, [&](const Outputs&) { return Outputs{other.b.Constant(Input(1))}; }), {});
     }, StatusCode::kNotFound, "Call: function 'f': not one of this builder"},
    // Elements
    {"elements of nothing", [](BuiltGraph& t) { t.b.MapFn({}, [](const Outputs& e) { return e; }); }, StatusCode::kInvalidArgument, "MapFn: expected at least one tensor of elements"},
    {"elements of a scalar", [](BuiltGraph& t) { t.b.MapFn({Float(t)}, [](const Outputs& e) { return e; }); }, StatusCode::kInvalidArgument, "MapFn: elements 'x:0': expected at least one dimension"},
    {"elements of different counts", [](BuiltGraph& t) {
       t.b.MapFn({t.b.Constant(Input({1, 2, 3})), t.b.Constant(Input({1, 2}))}, [](const Outputs& e) { return e; });
     }, StatusCode::kInvalidArgument, "expected 3 as before, got 2"},
    {"empty elements", [](BuiltGraph& t) { t.b.MapFn({Output()}, [](const Outputs& e) { return e; }); }, StatusCode::kInvalidArgument, "got an empty one"},
    {"accumulators of another count", [](BuiltGraph& t) {
       t.b.Foldl({t.b.Constant(Input({1, 2}))}, {0}, [](const Outputs&, const Outputs&) { return Outputs(); });
     }, StatusCode::kInvalidArgument, "Foldl: expected 1 accumulators, got 0"},
    {"accumulator of another dtype", [](BuiltGraph& t) {
       t.b.Scan({t.b.Constant(Input({1, 2}))}, {0.0f}, [](const Outputs&, const Outputs& e) { return e; });
     }, StatusCode::kInvalidArgument, "Scan: accumulator 0: expected float32[] as its initial value, got int32[]"},
    {"map that gives nothing", [](BuiltGraph& t) { t.b.MapFn({t.b.Constant(Input({1}))}, [](const Outputs&) { return Outputs{Output()}; }); }, StatusCode::kInvalidArgument,
     "MapFn: expected outputs of this builder, got an empty one"},
    {"range of floats", [](BuiltGraph& t) { t.b.ForRange(0, Float(t), {0}, [](const Output&, const Outputs& v) { return v; }); }, StatusCode::kInvalidArgument,
     "end: expected int32, got float32"},
};

TEST(Misuse, IsANamedErrorAtTheCall) {
  for (const Misuse& misuse : kMisuses) {
    SCOPED_TRACE(misuse.name);
    BuiltGraph t;
    misuse.make(t);
    const absl::Status status = t.b.status();
    EXPECT_EQ(status.code(), misuse.code) << status;
    EXPECT_TRUE(absl::StartsWith(status.message(), "misuse_test.cc:")) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), misuse.message)) << status;
    EXPECT_EQ(t.b.Build().status(), status);
  }
}

TEST(Misuse, TheFirstErrorStays) {
  BuiltGraph t;
  const Output bad = t.b.Op("NoSuchOp").output();
  const absl::Status first = t.b.status();
  EXPECT_FALSE(bad);
  // Whatever follows does nothing.
  const Output x = t.b.Constant(Input(1));
  EXPECT_FALSE(x);
  EXPECT_FALSE(bad + 1);
  EXPECT_FALSE(-bad);
  EXPECT_TRUE(t.b.Cond(bad, [&] { return Outputs{x}; }, [&] { return Outputs{x}; }).empty());
  EXPECT_TRUE(t.b.While({bad}, Below3, Next).empty());
  EXPECT_TRUE(t.b.If(bad, [&] { return Outputs{x}; }, [&] { return Outputs{x}; }).empty());
  EXPECT_TRUE(t.b.MapFn({bad}, [](const Outputs& e) { return e; }).empty());
  EXPECT_FALSE(t.b.Function("f", {}, [&](const Outputs&) { return Outputs{x}; }));
  EXPECT_FALSE(t.b.Group({bad}));
  EXPECT_FALSE(t.b.Tuple({bad, x})[1]);
  EXPECT_FALSE(t.b.Import(Graph(t.b.registry()), {.return_outputs = {"x"}})[0]);
  auto deps = t.b.ControlDependencies({bad});
  auto with = t.b.ColocateWith(bad);
  auto init = t.b.InitScope();
  auto name = t.b.NameScope("bad name");
  EXPECT_EQ(t.b.status(), first);
  EXPECT_EQ(t.b.Build().status(), first);
}

TEST(Misuse, WhatIsEmptyHasNoNameDtypeOrShape) {
  BuiltGraph t, other;
  for (const Output& x : {Output(), other.b.Constant(Input(1))}) {
    EXPECT_EQ(t.b.dtype(x), DType::kInvalid);
    EXPECT_FALSE(t.b.shape(x).has_rank());
    EXPECT_EQ(t.b.ConstantValue(x), nullptr);
    EXPECT_EQ(t.b.node(x).num_outputs(), 0);
    EXPECT_EQ(t.b.node(x).op(), "");
    EXPECT_FALSE(t.b.IsInLoop(x));
  }
  EXPECT_EQ(Output().name(), "");
  EXPECT_EQ(Operation().name(), "");
  EXPECT_EQ(Operation().num_outputs(), 0);
  EXPECT_FALSE(Output().is_ref());
  EXPECT_TRUE(t.b.ok());
}

TEST(Misuse, AfterBuildEverythingIsRefused) {
  BuiltGraph t;
  const Output x = t.b.Constant(Input({1, 2}), "x");
  ASSERT_TRUE(t.b.Build().ok());
  EXPECT_EQ(x.name(), "");
  EXPECT_EQ(x.dtype(), DType::kInvalid);
  EXPECT_FALSE(x.shape().has_rank());
  EXPECT_FALSE(x.is_ref());
  EXPECT_EQ(Operation(x).num_outputs(), 0);
  EXPECT_FALSE(x / 2);
  EXPECT_FALSE(-x);
  EXPECT_FALSE(t.b.Find("x"));
  auto deps = t.b.ControlDependencies({x});
  EXPECT_TRUE(t.b.While({x}, Below3, Next).empty());
  EXPECT_EQ(t.b.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_TRUE(absl::StrContains(t.b.status().message(), "its graph was taken by Build"));
  EXPECT_EQ(t.b.Build().status().code(), StatusCode::kFailedPrecondition);
}

TEST(Misuse, BuildInsideOfAnythingIsRefused) {
  BuiltGraph t;
  const Output p = Bool(t);
  const auto refused = [&] {
    const absl::Status status = t.b.Build().status();
    EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
    EXPECT_TRUE(absl::StrContains(status.message(), "outside of branches, loops and functions")) << status;
    return Outputs{t.b.Constant(Input(1))};
  };
  t.b.Cond(p, refused, refused);
  t.b.If(p, refused, refused);
  t.b.While({0}, Below3, [&](const Outputs&) { return refused(); });
  EXPECT_TRUE(t.b.Build().ok());
}

TEST(Misuse, CallsFromAnotherThreadDoNothing) {
  BuiltGraph t;
  t.b.Constant(Input(1));
  const int nodes = t.b.graph().num_nodes();
  std::thread([&] {
    auto name = t.b.NameScope("other");
    auto device = t.b.Device("/cpu:1");
    auto none = t.b.NoControlDependencies();
    auto init = t.b.InitScope();
    EXPECT_FALSE(t.b.Constant(Input(2)));
    t.b.Fail(absl::InternalError("of another thread"));
    EXPECT_EQ(t.b.Build().status().code(), StatusCode::kFailedPrecondition);
  }).join();
  EXPECT_EQ(t.b.graph().num_nodes(), nodes);
  const absl::Status status = t.b.Build().status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_TRUE(absl::StrContains(status.message(), "got one from another thread")) << status;
}

}  // namespace
}  // namespace flowlatch
