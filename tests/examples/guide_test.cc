// The listings of docs/guide.md, run. What stands between `// [guide]` and `// [end]` is in the guide word for word, in the
// same order; //tests/examples:guide_listings_test checks that.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "tests/testing/built_graph.h"

// [guide]
#include "graph/build/critical_section.h"
#include "graph/build/gradients.h"
#include "graph/build/graph_builder.h"
#include "graph/build/variable.h"
#include "graph/io/graph_def.h"
#include "graph/train/clip.h"
#include "graph/train/moving_average.h"
#include "graph/train/optimizer.h"
#include "graph/train/save_nodes.h"
#include "graph/train/schedules.h"
#include "ops/default_ops.h"
#include "ops/op_functions.h"
#include "runtime/session/session.h"

using namespace flowlatch;

absl::StatusOr<Tensor> TwiceAndOne(const Tensor& value) {
  GraphBuilder b(DefaultOps().registry());
  const Output x = b.Placeholder(DType::kFloat32, Shape::Of({3}), "x");
  const Output y = ops::Identity(b, x * 2 + 1, "y");

  absl::StatusOr<Graph> graph = b.Build();
  if (!graph.ok()) return graph.status();
  absl::StatusOr<std::unique_ptr<Session>> session = Session::Create(*std::move(graph), DefaultOps(), {.threads = 1});
  if (!session.ok()) return session.status();
  absl::StatusOr<std::vector<Tensor>> outputs = (*session)->Run({{"x", value}}, {"y"}, {});
  if (!outputs.ok()) return outputs.status();
  return outputs->at(0);
}
// [end]

namespace {

// The builder's error without its place, "guide_test.cc:12: ".
std::string Message(const GraphBuilder& b) {
  const std::string text(b.status().message());
  EXPECT_TRUE(text.starts_with("guide_test.cc:")) << text;
  return text.substr(std::min(text.size(), text.find(": ") + 2));
}

TEST(Guide, Program) {
  const absl::StatusOr<Tensor> y = TwiceAndOne(Tensor::Vector<float>({1, 2, 3}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->DebugString(), "float32[3] = [3 5 7]");
}

TEST(Guide, Ops) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  // [guide]
  const Output x = b.Placeholder(DType::kFloat32, Shape::Of({2, 2}), "x");
  const Output product = ops::MatMul(b, x, {{1.0f, 2.0f}, {3.0f, 4.0f}}, {.transpose_b = true});
  const ops::TopKV2Outputs top = ops::TopKV2(b, product, 1);
  const Output joined = ops::ConcatV2(b, {product, top.values}, 1);      // a list of inputs
  const Output same = b.Op("ConcatV2", {product, top.values, 1}).output();  // by name: lists stand one after another
  const Output whole = b.Op("Cast", {joined}, {{"DstT", DType::kInt32}}, "whole").output();
  // [end]
  const Output loss = ops::Sum(b, joined - same, {0, 1});
  EXPECT_EQ(t.Run({{x, *Tensor::FromValues<float>(Shape::Of({2, 2}), {1, 0, 0, 1})}}, {whole, loss, top.indices}),
            "int32[2,3] = [[1 3 3] [2 4 4]]; float32[] = 0; int32[2,1] = [[1] [1]]");
}

TEST(Guide, Operators) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  // [guide]
  const Output half = b.Placeholder(DType::kFloat16, Shape(), "half");
  const Output y = 1 - half * 2.5;                        // numbers take the dtype of the other side: float16
  const Output in_range = ops::LogicalAnd(b, half > 0, half < 1);
  const Output three = b.Constant(3), row = b.Constant({1.0, 2.0});  // an int32 scalar, float64[2]
  const Output third = row / 3, floor = three / 2;        // RealDiv for floats; integers are rounded down
  // [end]
  EXPECT_EQ(t.Run({{half, Tensor::Scalar(Half(0.5f))}}, {y, in_range, third * 3, floor}),
            "float16[] = -0.25; bool[] = true; float64[2] = [1 2]; int32[] = 1");
}

TEST(Guide, Scopes) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  const Output x = b.Placeholder(DType::kFloat32, Shape(), "x");
  // [guide]
  Output hidden, again;
  {
    BuilderScope layer = b.NameScope("layer");
    BuilderScope device = b.Device("/cpu:0");
    hidden = ops::Tanh(b, x, "act");     // layer/act
    again = ops::Tanh(b, hidden, "act");  // layer/act_1
  }
  {
    BuilderScope same = b.NameScope("layer/");  // the same scope; without the slash it would be layer_1
    BuilderScope place = b.ColocateWith(hidden);
    again = ops::Identity(b, again, "out");  // layer/out, wherever layer/act is
  }
  // [end]
  EXPECT_EQ(again.name(), "layer/out:0");
  EXPECT_EQ(t.Run({{x, Tensor::Scalar(0.0f)}}, {again}), "float32[] = 0");
}

TEST(Guide, ControlDependencies) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  const Output x = b.Placeholder(DType::kFloat32, Shape(), "x");
  // [guide]
  const Operation checked = ops::Assert(b, x > 0, {"expected x above 0", x});
  Output unguarded = ops::Sqrt(b, x), guarded;
  {
    BuilderScope after = b.ControlDependencies({checked});
    guarded = ops::Sqrt(b, x);  // waits for the Assert
    guarded = guarded + 1;      // gets no edge of its own: its input has waited
  }
  const Output also_guarded = b.WithDependencies({checked}, unguarded);
  // [end]
  const BuiltGraph::OutputFeeds nine = {{x, Tensor::Scalar(9.0f)}}, below = {{x, Tensor::Scalar(-4.0f)}};
  EXPECT_EQ(t.Run(nine, {guarded, also_guarded}), "float32[] = 4; float32[] = 3");
  EXPECT_NE(t.Run(below, {unguarded}).find("nan"), std::string::npos);
  EXPECT_NE(t.Run(below, {guarded}).find("expected x above 0"), std::string::npos);
  EXPECT_NE(t.Run(below, {also_guarded}).find("expected x above 0"), std::string::npos);
  EXPECT_EQ(b.node(guarded).num_controls, 0u);
}

TEST(Guide, Conds) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  const Output x = b.Placeholder(DType::kFloat32, Shape(), "x");
  // [guide]
  const Output magnitude = b.Cond(x < 0, [&] { return -x; }, [&] { return x; });

  const Output choice = b.Placeholder(DType::kInt32, Shape(), "choice");
  const Outputs chosen = b.Case(choice, {[&] { return Outputs{x + 1}; },
                                         [&] { return Outputs{x * 2}; },
                                         [&] { return Outputs{ops::Square(b, x)}; }});  // the last one for 2 and beyond
  // [end]
  EXPECT_EQ(t.Run({{x, Tensor::Scalar(-3.0f)}, {choice, Tensor::Scalar(1)}}, {magnitude, chosen[0]}),
            "float32[] = 3; float32[] = -6");
  EXPECT_EQ(t.Run({{x, Tensor::Scalar(3.0f)}, {choice, Tensor::Scalar(7)}}, {magnitude, chosen[0]}),
            "float32[] = 3; float32[] = 9");
}

TEST(Guide, WhatABranchHolds) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  const Output x = b.Placeholder(DType::kFloat32, Shape(), "x");
  const Output counter = t.Variable("counter", Tensor::Scalar(0.0f));
  // [guide]
  const Operation always = ops::AssignAddVariableOp(b, counter, 1.0f);  // made outside: not part of a branch
  const auto count_ten = [&] {
    const Operation add = ops::AssignAddVariableOp(b, counter, 10.0f);  // made inside: runs if the branch does
    return b.WithDependencies({add}, x);
  };
  const Output y = b.Cond(x > 0, count_ten, [&] { return b.WithDependencies({always}, x); });
  // [end]
  Output read;
  {
    BuilderScope after = b.ControlDependencies({y, always});
    read = ops::ReadVariableOp(b, counter, DType::kFloat32);
  }
  EXPECT_EQ(t.Run({{x, Tensor::Scalar(-1.0f)}}, {read}), "float32[] = 1");
  EXPECT_EQ(t.Run({{x, Tensor::Scalar(1.0f)}}, {read}), "float32[] = 11");
}

TEST(Guide, While) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  // [guide]
  const Output n = b.Placeholder(DType::kInt32, Shape(), "n");
  const Output factor = b.Placeholder(DType::kFloat32, Shape(), "factor");
  const Outputs power = b.While(
      {0, 1.0f},                                                             // i, power
      [&](const Outputs& v) { return v[0] < n; },
      [&](const Outputs& v) { return Outputs{v[0] + 1, v[1] * factor}; },  // n and factor enter by themselves
      {.parallel_iterations = 1, .maximum_iterations = 100});

  const Outputs grown = b.While(
      {b.Constant({1})}, [&](const Outputs& v) { return ops::Size(b, v[0]) < n; },
      [&](const Outputs& v) { return Outputs{ops::ConcatV2(b, {v[0], v[0]}, 0)}; },
      {.shape_invariants = {*PartialShape::Make({-1})}});  // its shape changes
  // [end]
  EXPECT_EQ(t.Run({{n, Tensor::Scalar(3)}, {factor, Tensor::Scalar(2.0f)}}, {power[1], grown[0]}),
            "float32[] = 8; int32[4] = [1 1 1 1]");
}

TEST(Guide, OverFunctions) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  const Output x = b.Placeholder(DType::kFloat32, Shape(), "x");
  // [guide]
  const Outputs r = b.WhileOf({0, x}, [&](const Outputs& v) { return v[0] < 10; },
                              [&](const Outputs& v) {
                                const Output next = b.If(v[1] > 100, [&] { return Outputs{v[1]}; },
                                                         [&] { return Outputs{v[1] * 2}; })[0];
                                return Outputs{v[0] + 1, next};
                              });
  const Output odd = b.CaseOf(r[0] % 2, {[&] { return Outputs{b.Constant("even")}; },
                                         [&] { return Outputs{b.Constant("odd")}; }})[0];
  // [end]
  EXPECT_EQ(t.Run({{x, Tensor::Scalar(3.0f)}}, {r[1], odd}), "float32[] = 192; string[] = 'even'");
}

TEST(Guide, Elements) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  // [guide]
  const Output rows = b.Constant({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}});
  const auto add = [](const Outputs& acc, const Outputs& e) { return Outputs{acc[0] + e[0]}; };
  const Output norms = b.MapFn({rows}, [&](const Outputs& e) { return Outputs{ops::Sum(b, e[0] * e[0], {0})}; })[0];
  const Output total = b.Foldl({norms}, {0.0f}, add)[0];
  const Output running = b.Scan({norms}, {0.0f}, add)[0];
  const Output sum = b.ForRange(0, 4, {0}, [](const Output& i, const Outputs& v) { return Outputs{v[0] + i}; })[0];
  // [end]
  EXPECT_EQ(t.Run({}, {norms, total, running, sum}),
            "float32[3] = [5 25 61]; float32[] = 91; float32[3] = [5 30 91]; int32[] = 6");
}

TEST(Guide, Functions) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  // [guide]
  const Output scale = b.Placeholder(DType::kFloat32, Shape(), "scale");
  const FunctionValue scaled = b.Function("scaled", {{DType::kFloat32, Shape()}},
                                          [&](const Outputs& args) { return Outputs{args[0] * scale}; });
  const Output twice = b.Call(scaled, {b.Call(scaled, {5.0f})[0]})[0];  // scaled.captures holds `scale`
  // [end]
  ASSERT_EQ(scaled.captures.size(), 1u);
  EXPECT_EQ(t.Run({{scale, Tensor::Scalar(3.0f)}}, {twice}), "float32[] = 45");
}

TEST(Guide, Variables) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  const Output x = b.Placeholder(DType::kFloat32, Shape(), "x");
  // [guide]
  const GraphVariable total = b.Variable("total", 0.0f);
  const GraphVariable table = b.Variable("table", TruncatedNormal({100, 8}, 0, 0.1), {.trainable = false});
  const GraphVariable scale = b.Variable("scale", [&] { return ops::Sqrt(b, 2.0f); });
  const Operation add = total.AssignAdd(x);
  Output scaled;
  {
    BuilderScope after = b.ControlDependencies({add});
    scaled = total * scale;  // reads `total` here, after the addition
  }
  const Output rows = table.Gather({3, 1});
  const PartitionedVariable large = PartitionedVariable::Make(b, "large", Zeros({10, 4}), 3);  // of 4, 3 and 3 rows
  const Operation init = VariablesInitializer(b, b.variables());  // run it once in each session
  // [end]
  t.AddInitializer(init);
  const auto values = t.Values({{x, Tensor::Scalar(2.0f)}}, {scaled, rows, large});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_NEAR(values->at(0).scalar<float>(), 2 * std::sqrt(2.0f), 1e-6);
  EXPECT_EQ(values->at(1).ShapeString(), "[2,8]");
  EXPECT_EQ(large.parts()[0].shape().ToString(), "[4,4]");
  EXPECT_EQ(values->at(2).ShapeString(), "[10,4]");
}

// [guide]
// A layer. Its weight is made once for the whole graph, wherever the layer is called.
Output Model(GraphBuilder& b, const Output& x, const std::string& name) {
  const GraphVariable weight = b.Variable(name, GlorotUniform({4, 3}));
  return ops::Tanh(b, ops::MatMul(b, x, weight));
}
// [end]

TEST(Guide, InitScope) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  // [guide]
  const Output x = b.Placeholder(DType::kFloat32, Shape::Of({1, 4}), "x");
  const Output training = b.Placeholder(DType::kBool, Shape(), "training");
  const Operation checked = ops::Assert(b, ops::All(b, ops::IsFinite(b, x), {0, 1}), {x});
  Output guarded, chosen, called, looped;
  {
    BuilderScope after = b.ControlDependencies({checked});
    guarded = Model(b, x, "a");
    chosen = b.Cond(training, [&] { return Model(b, x, "b"); },
                    [&] { return ops::Slice(b, x, {0, 0}, {1, 3}); });
  }
  const FunctionValue model = b.Function("model", {{DType::kFloat32, x.shape()}}, [&](const Outputs& args) {
    return Outputs{Model(b, args[0], "c")};
  });
  called = b.Call(model, {x})[0];
  looped = b.While({0, called}, [&](const Outputs& v) { return v[0] < 2; }, [&](const Outputs& v) {
    return Outputs{v[0] + 1, v[1] + Model(b, x, "d")};
  })[1];
  const Operation init = VariablesInitializer(b, b.variables());  // of four: it needs no feed, no predicate and no call
  // [end]
  t.AddInitializer(init);
  const Tensor ones = *Tensor::FromValues<float>(Shape::Of({1, 4}), {1, 1, 1, 1});
  const auto values = t.Values({{x, ones}, {training, Tensor::Scalar(true)}}, {guarded, chosen, called, looped});
  ASSERT_EQ(b.variables().size(), 4u);
  ASSERT_TRUE(values.ok()) << values.status();
  for (const Tensor& value : *values) EXPECT_EQ(value.ShapeString(), "[1,3]");
  const auto other = t.Values({{x, ones}, {training, Tensor::Scalar(false)}}, {chosen});
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(other->at(0).DebugString(), "float32[1,3] = [[1 1 1]]");
}

TEST(Guide, VariableInABranch) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  const Output p = b.Placeholder(DType::kBool, Shape(), "p");
  // [guide]
  Operation init;
  const Output y = b.Cond(p, [&] {
    const Output v = ops::VarHandleOp(b, DType::kFloat32, Shape(), {.shared_name = "v"});
    init = ops::AssignVariableOp(b, v, 1.0f);  // of the branch: it needs p, and does nothing unless p holds
    return ops::ReadVariableOp(b, v, DType::kFloat32);
  }, [&] { return b.Constant(0.0f); });
  // [end]
  const auto session = *t.NewSession();
  EXPECT_FALSE(session->Run({}, {}, {init.name()}).ok());
  EXPECT_TRUE(session->Run({{"p", Tensor::Scalar(false)}}, {}, {init.name()}).ok());
  EXPECT_FALSE(session->Run({{"p", Tensor::Scalar(true)}}, {y.name()}, {}).ok());
  EXPECT_TRUE(session->Run({{"p", Tensor::Scalar(true)}}, {}, {init.name()}).ok());
  EXPECT_TRUE(session->Run({{"p", Tensor::Scalar(true)}}, {y.name()}, {}).ok());
}

TEST(Guide, VariableInALoop) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  // [guide]
  Output v;
  b.While({0}, [&](const Outputs& i) { return i[0] < 3; }, [&](const Outputs& i) {
    v = ops::VarHandleOp(b, DType::kFloat32, Shape(), {.shared_name = "v"});
    const Operation init = ops::AssignVariableOp(b, v, 1.0f);  // starts afresh in each iteration
    return Outputs{b.WithDependencies({init}, i[0]) + 1};
  });
  ops::ReadVariableOp(b, v, DType::kFloat32, "read");
  // guide_test.cc:N: cannot use 'while/VarHandleOp:0' as input of 'read': it is inside of a while loop; make it a loop
  // variable to use its last value
  // [end]
  EXPECT_EQ(Message(b),
            "cannot use 'while/VarHandleOp:0' as input of 'read': it is inside of a while loop; make it a loop variable to "
            "use its last value");
}

TEST(Guide, VariableInAFunction) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  // [guide]
  Operation init;
  b.Function("f", {}, [&](const Outputs&) {
    const Output v = ops::VarHandleOp(b, DType::kFloat32, Shape(), {.shared_name = "v"});
    init = ops::AssignVariableOp(b, v, 1.0f, {.name = "v_init"});  // each call of f starts it afresh
    return Outputs{ops::ReadVariableOp(b, v, DType::kFloat32)};
  });
  b.Group({init});
  // guide_test.cc:N: control dependency on 'v_init': expected an operation of this graph, got one of another function or
  // builder; make the call of the function wait for it instead
  // [end]
  EXPECT_EQ(Message(b),
            "control dependency on 'v_init': expected an operation of this graph, got one of another function or builder; "
            "make the call of the function wait for it instead");
}

TEST(Guide, InitialValueFromALoop) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  // [guide]
  b.While({0, 1.0f}, [&](const Outputs& v) { return v[0] < 3; }, [&](const Outputs& v) {
    const Output doubled = v[1] * 2;
    {
      BuilderScope init = b.InitScope();
      const Output w = ops::VarHandleOp(b, DType::kFloat32, Shape(), {.shared_name = "w", .name = "w"});
      ops::AssignVariableOp(b, w, doubled, {.name = "w/init"});
    }
    return Outputs{v[0] + 1, doubled};
  });
  // guide_test.cc:N: cannot use 'while/Mul:0' as input of 'while/w/init': it is inside of a while loop; ...
  // [end]
  EXPECT_EQ(Message(b),
            "cannot use 'while/Mul:0' as input of 'while/w/init': it is inside of a while loop; make it a loop variable to "
            "use its last value");
}

TEST(Guide, InitialValueFromABranch) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  const Output p = b.Placeholder(DType::kBool, Shape(), "p");
  // [guide]
  Operation init;
  b.Cond(p, [&] {
    const Output inside = b.Constant(1.0f) + 1;
    BuilderScope lifted = b.InitScope();
    const Output w = ops::VarHandleOp(b, DType::kFloat32, Shape(), {.shared_name = "w", .name = "w"});
    init = ops::AssignVariableOp(b, w, inside);  // no error, yet w gets no value unless p holds
    return b.Constant(1);
  }, [&] { return b.Constant(0); });
  // [end]
  ASSERT_TRUE(b.ok()) << b.status();
  const Output read = ops::ReadVariableOp(b, b.Find("cond/w"), DType::kFloat32);
  for (const bool holds : {false, true}) {
    const auto session = *t.NewSession();
    EXPECT_TRUE(session->Run({{"p", Tensor::Scalar(holds)}}, {}, {init.name()}).ok());
    EXPECT_EQ(session->Run({}, {read.name()}, {}).ok(), holds);
  }
}

TEST(Guide, InitialValueFromAFunction) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  // [guide]
  b.Function("g", {{DType::kFloat32, Shape()}}, [&](const Outputs& args) {
    BuilderScope lifted = b.InitScope();
    return Outputs{ops::Identity(b, args[0], "lifted")};
  });
  // guide_test.cc:N: 'arg0:0': expected a value of this graph or one around it, got one from inside a function; ...
  // [end]
  EXPECT_EQ(Message(b),
            "'arg0:0': expected a value of this graph or one around it, got one from inside a function; return it from the "
            "function to use it here");
}

TEST(Guide, Queues) {
  BuiltGraph g;
  GraphBuilder& b = g.b;
  // [guide]
  const std::vector<DType> types = {DType::kFloat32};
  const Operation queue = b.Op("FIFOQueueV2", {}, {{"component_types", types},
                                                   {"shapes", std::vector<PartialShape>{Shape()}},
                                                   {"capacity", int64_t{100}}}, "queue");
  const Output x = b.Placeholder(DType::kFloat32, Shape(), "x");
  b.Op("QueueEnqueueV2", {queue, x}, {}, "put");
  b.Op("QueueDequeueUpToV2", {queue, 8}, {{"component_types", types}}, "batch");
  b.Op("QueueCloseV2", {queue}, {}, "close");
  // [end]
  const std::unique_ptr<Session> session = g.NewSession().value();
  std::thread producer([&] {
    for (int i = 0; i < 11; ++i) {
      EXPECT_TRUE(session->Run({{"x", Tensor::Scalar(static_cast<float>(i))}}, {}, {"put"}).ok());
    }
    EXPECT_TRUE(session->Run({}, {}, {"close"}).ok());
  });
  EXPECT_EQ(session->Run({}, {"batch"}, {}).value()[0].num_elements(), 8);
  EXPECT_EQ(session->Run({}, {"batch"}, {}).value()[0].num_elements(), 3);
  EXPECT_EQ(session->Run({}, {"batch"}, {}).status().code(), absl::StatusCode::kOutOfRange);
  producer.join();
}

TEST(Guide, CriticalSections) {
  BuiltGraph g;
  GraphBuilder& b = g.b;
  const Output counter = g.Variable("v", Tensor::Scalar<int32_t>(0));
  // [guide]
  CriticalSection section(b, "counter");
  const Output ticket = section.Execute([&] {
    const Output now = ops::ReadVariableOp(b, counter, DType::kInt32);
    BuilderScope after = b.ControlDependencies({now});
    ops::AssignAddVariableOp(b, counter, 1);
    return now;
  });
  // [end]
  const std::unique_ptr<Session> session = g.NewSession().value();
  std::vector<std::thread> threads;
  std::vector<int32_t> tickets(40);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        tickets[10 * t + i] = session->Run({}, {ticket.name()}, {}).value()[0].scalar<int32_t>();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::sort(tickets.begin(), tickets.end());
  for (int32_t i = 0; i < 40; ++i) EXPECT_EQ(tickets[i], i);
}

TEST(Guide, Gradients) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  // [guide]
  const Output x = b.Placeholder(DType::kFloat32, Shape(), "x");
  const Output unused = b.Placeholder(DType::kFloat32, Shape(), "unused");
  const Output y = x * x * x;
  const std::vector<Grad> first = Gradients(b, {y}, {x, unused});
  const Output dx = first[0];                                 // 3 x^2
  const std::string why = first[1].reason();                  // no y depends on 'unused:0'
  const Output second = Gradients(b, {dx}, {x})[0];           // 6 x
  const Output third = Gradients(b, {second}, {x})[0];        // 6
  const Output scaled = Gradients(b, {y}, {x}, {.grad_ys = {b.Constant(0.5f)}})[0];
  const Output zero = Gradients(b, {y}, {unused}, {.unconnected = GradientOptions::Unconnected::kZero})[0];
  // [end]
  EXPECT_EQ(why, "no y depends on 'unused:0'");
  EXPECT_FALSE(first[1].exists());
  EXPECT_EQ(t.Run({{x, Tensor::Scalar(2.0f)}, {unused, Tensor::Scalar(0.0f)}}, {dx, second, third, scaled, zero}),
            "float32[] = 12; float32[] = 12; float32[] = 6; float32[] = 6; float32[] = 0");
}

TEST(Guide, GradientsThroughLoops) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  // [guide]
  const Output x = b.Placeholder(DType::kFloat64, Shape(), "x");
  const Output n = b.Placeholder(DType::kInt32, Shape(), "n");
  const Output y = b.While({0, x}, [&](const Outputs& v) { return v[0] < n; },
                           [&](const Outputs& v) {
                             const Output even = ops::Equal(b, v[0] % 2, 0);
                             const Output next = b.Cond(even, [&] { return v[1] * x; }, [&] { return v[1] * v[1]; });
                             return Outputs{v[0] + 1, next};
                           })[1];
  const Output dy = Gradients(b, {y}, {x})[0];    // for n = 2: y = x^4, dy = 4 x^3
  const Output d2y = Gradients(b, {dy}, {x})[0];  // 12 x^2
  // [end]
  EXPECT_EQ(t.Run({{x, Tensor::Scalar(2.0)}, {n, Tensor::Scalar(2)}}, {y, dy, d2y}),
            "float64[] = 16; float64[] = 32; float64[] = 48");
}

TEST(Guide, SparseGradients) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  // [guide]
  const Output table = b.Placeholder(DType::kFloat32, Shape::Of({1000, 2}), "table");
  const Output rows = ops::GatherV2(b, table, {7, 9, 7}, 0);
  const Grad grad = Gradients(b, {rows * 3}, {table})[0];
  const Output values = grad.slices()->values, indices = grad.slices()->indices;  // 3 rows, to be added at 7, 9 and 7
  const Output dense = grad;                                                      // all 1000 rows
  // [end]
  EXPECT_EQ(t.Run({{table, *Tensor::Zeros(DType::kFloat32, Shape::Of({1000, 2}))}},
                  {values, indices, ops::Slice(b, dense, {7, 0}, {3, 1})}),
            "float32[3,2] = [[3 3] [3 3] [3 3]]; int32[3] = [7 9 7]; float32[3,1] = [[6] [0] [3]]");
}

TEST(Guide, Freezing) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  const Output x = b.Placeholder(DType::kFloat32, Shape(), "x");
  const Output w1 = b.Placeholder(DType::kFloat32, Shape(), "w1"), w2 = b.Placeholder(DType::kFloat32, Shape(), "w2");
  // [guide]
  const Output features = x * w1;
  const Output loss = ops::Square(b, features * w2);
  // For one call: nothing flows past the node that makes `features`.
  const std::vector<Grad> grads = Gradients(b, {loss}, {w1, w2}, {.stop_gradients = {features}});
  // In the graph, for every call.
  const Output frozen = ops::StopGradient(b, features, "frozen");
  const std::vector<Grad> head = Gradients(b, {ops::Square(b, frozen * w2)}, {w1, w2});
  // grads[0] and head[0] do not exist: "no gradient passes through 'frozen' (StopGradient)"
  // [end]
  EXPECT_FALSE(grads[0].exists());
  EXPECT_FALSE(grads[0].reason().empty());
  EXPECT_TRUE(Gradients(b, {loss}, {features}, {.stop_gradients = {features}})[0].exists());
  EXPECT_EQ(head[0].reason(), "no gradient passes through 'frozen' (StopGradient)");
  EXPECT_EQ(t.Run({{x, Tensor::Scalar(2.0f)}, {w1, Tensor::Scalar(3.0f)}, {w2, Tensor::Scalar(1.0f)}}, {grads[1], head[1]}),
            "float32[] = 72; float32[] = 72");
}

// [guide]
// Finds w and b of w x + b by steps of descent.
absl::StatusOr<std::vector<Tensor>> FitLine(const Tensor& xs, const Tensor& ys, int steps) {
  GraphBuilder g(DefaultOps().registry());
  const Output x = g.Placeholder(DType::kFloat32, {}, "x"), y = g.Placeholder(DType::kFloat32, {}, "y");
  const GraphVariable w = g.Variable("w", 0.0f), b = g.Variable("b", 0.0f);
  const Output loss = ops::Mean(g, ops::Square(g, x * w + b - y), {0});
  GradientDescentOptimizer({.learning_rate = 0.1f}).Minimize(g, loss, {.name = "train"});
  VariablesInitializer(g, g.variables(), "init");

  absl::StatusOr<Graph> graph = g.Build();
  if (!graph.ok()) return graph.status();
  absl::StatusOr<std::unique_ptr<Session>> session = Session::Create(*std::move(graph), DefaultOps(), {});
  if (!session.ok()) return session.status();
  if (absl::Status status = (*session)->Run({}, {}, {"init"}).status(); !status.ok()) return status;
  absl::StatusOr<Callable> train = (*session)->Prepare({"x", "y"}, {}, {"train"});  // names are looked up once
  if (!train.ok()) return train.status();
  std::vector<Tensor> none;
  for (int i = 0; i < steps; ++i) {
    if (absl::Status status = train->Run({xs, ys}, &none); !status.ok()) return status;
  }
  return (*session)->Run({}, {"w/Read/ReadVariableOp", "b/Read/ReadVariableOp"}, {});
}
// [end]

TEST(Guide, Training) {
  const auto line = FitLine(Tensor::Vector<float>({0, 1, 2, 3}), Tensor::Vector<float>({1, 3, 5, 7}), 500);
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_NEAR(line->at(0).scalar<float>(), 2, 1e-3);
  EXPECT_NEAR(line->at(1).scalar<float>(), 1, 1e-3);
}

TEST(Guide, TrainingInDetail) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  const GraphVariable w = b.Variable("w", Ones({2}));
  const Output loss = ops::Sum(b, w * w, {0});
  // [guide]
  const GraphVariable step = MakeGlobalStep(b);
  const Output rate = WarmUp(b, CosineDecay(b, 0.1f, step, {.decay_steps = 1000}), step, {.warmup_steps = 100});
  Optimizer adam = AdamOptimizer({.learning_rate = rate, .use_locking = true});
  const std::vector<VariableGradient> gradients = ClipByGlobalNorm(b, adam.ComputeGradients(b, loss), 5);
  const Operation updated = adam.ApplyGradients(b, gradients, {.global_step = step});

  ExponentialMovingAverage averages({.decay = 0.99f, .num_updates = step});
  Operation train;
  {
    BuilderScope after = b.ControlDependencies({updated});
    train = averages.Apply(b, {w});  // after the step
  }
  const Output smooth = averages.average(w), second_moment = adam.slot(w, "v");
  // [end]
  const Operation init = VariablesInitializer(b, b.variables());
  ASSERT_TRUE(b.ok()) << b.status();
  const auto session = *t.NewSession();
  ASSERT_TRUE(session->Run({}, {}, {init.name()}).ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(session->Run({}, {}, {train.name()}).ok());
  const auto values = session->Run({}, {w.snapshot().name(), smooth.name(), second_moment.name(), step.snapshot().name()}, {});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_LT(values->at(0).data<float>()[0], values->at(1).data<float>()[0]);
  EXPECT_LT(values->at(1).data<float>()[0], 1);
  EXPECT_GT(values->at(2).data<float>()[0], 0);
  EXPECT_EQ(values->at(3).scalar<int64_t>(), 3);
}

TEST(Guide, FreezingVariables) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  // [guide]
  const GraphVariable body = b.Variable("body", 2.0f), head = b.Variable("head", 3.0f);
  const GraphVariable fixed = b.Variable("fixed", 1.0f, {.trainable = false});
  const Output features = body * fixed, loss = features * head;
  Optimizer descent = GradientDescentOptimizer({.learning_rate = 1.0f});
  const Operation all = descent.Minimize(b, loss);                                        // body and head
  const Operation of_list = descent.Minimize(b, loss, {.variables = {head}});             // head
  const Operation stopped = descent.Minimize(b, loss, {.stop_gradients = {features}});    // head: nothing flows past features
  // [end]
  t.AddInitializer(VariablesInitializer(b, b.variables()));
  const Outputs values{body.snapshot(), head.snapshot()};
  EXPECT_EQ(t.Run({}, values), "float32[] = 2; float32[] = 3");
  for (const auto& [train, result] : {std::pair(all, "float32[] = -1; float32[] = 1"), {of_list, "float32[] = 2; float32[] = 1"}, {stopped, "float32[] = 2; float32[] = 1"}}) {
    const auto session = *t.NewSession();
    ASSERT_TRUE(session->Run({}, {}, {train.name()}).ok());
    const auto after = session->Run({}, {body.snapshot().name(), head.snapshot().name()}, {});
    EXPECT_EQ(after->at(0).DebugString() + "; " + after->at(1).DebugString(), result);
  }
}

TEST(Guide, Saving) {
  GraphBuilder b(DefaultOps().registry());
  b.Placeholder(DType::kFloat32, Shape(), "x");
  // [guide]
  const absl::StatusOr<Graph> graph = b.Snapshot();  // a verified copy; the builder goes on, with Build it would be done
  const absl::StatusOr<std::string> bytes = graph.ok() ? WriteGraphDef(*graph) : graph.status();
  // [end]
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_TRUE(ReadGraphDef(*bytes, DefaultOps().registry()).ok());
}

TEST(Guide, SavingVariables) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  const GraphVariable w = b.Variable("w", 1.0f);
  // [guide]
  const SaveNodes nodes = SaveNodes::Make(b, b.variables());
  // [end]
  const std::string prefix = testing::TempDir() + "/guide_test";
  const auto session = *Session::Create(*b.Snapshot(), DefaultOps(), {.threads = 1, .allow_files = true});
  ASSERT_TRUE(session->Run({}, {}, {w.initializer().name()}).ok());
  // [guide]
  const Feeds file = {{nodes.filename.name(), Tensor::Scalar(std::string_view(prefix))}};
  const absl::Status saved = session->Run(file, {nodes.save.name()}, {}).status();  // writes a checkpoint
  const absl::Status restored = session->Run(file, {}, {nodes.restore.name()}).status();
  // [end]
  EXPECT_TRUE(saved.ok()) << saved;
  EXPECT_TRUE(restored.ok()) << restored;
}

TEST(Guide, Importing) {
  BuiltGraph t;
  GraphBuilder& b = t.b;
  const Output x = b.Placeholder(DType::kFloat32, Shape(), "x");
  GraphBuilder other(DefaultOps().registry());
  ops::Square(other, other.Placeholder(DType::kFloat32, Shape(), "input"), "output");
  const absl::StatusOr<Graph> graph = other.Build();
  ASSERT_TRUE(graph.ok());
  // [guide]
  const Outputs imported = b.Import(*graph, {.prefix = "net",
                                             .input_map = {{"input:0", x + 1}},
                                             .return_outputs = {"output:0"}});
  const Output slope = Gradients(b, {imported[0]}, {x})[0];
  // [end]
  EXPECT_EQ(t.Run({{x, Tensor::Scalar(2.0f)}}, {imported[0], slope}), "float32[] = 9; float32[] = 6");
}

TEST(Guide, Errors) {
  GraphBuilder b(DefaultOps().registry());
  // [guide]
  const Output x = b.Placeholder(DType::kFloat32, Shape::Of({2, 3}), "x");
  const Output wrong = ops::MatMul(b, x, x);  // the builder keeps this error, with this line
  const Output after = ops::Tanh(b, wrong);   // does nothing
  const absl::Status status = b.Build().status();
  // [end]
  EXPECT_FALSE(wrong);
  EXPECT_FALSE(after);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(std::string(status.message()).starts_with("guide_test.cc:")) << status;
  EXPECT_NE(status.message().find("MatMul"), std::string::npos) << status;
}

TEST(Guide, Threads) {
  GraphBuilder b(DefaultOps().registry());
  std::thread([&] { b.Constant(1); }).join();
  EXPECT_EQ(b.Build().status().message(),
            "builder: expected calls from the thread that made it, got one from another thread");
}

}  // namespace
