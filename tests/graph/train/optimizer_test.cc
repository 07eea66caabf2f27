// What all optimizers do: names, order, which variables, errors, where a step may be built.
#include "graph/train/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/train/schedules.h"
#include "tests/graph/train/training.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

// The names of all variables of the builder.
std::string Names(const GraphBuilder& b) {
  std::vector<std::string> names;
  for (const GraphVariable& v : b.variables()) names.push_back(v.name());
  return absl::StrJoin(names, " ");
}

class AStep : public testing::TestWithParam<bool>, public BuiltGraph {
 protected:
  using BuiltGraph::Run;
  GraphVariable Make(std::string_view name, const Initializer& initial) { return b.Variable(name, initial, {.use_ref = GetParam()}); }
  // After `times` runs of `train`, in a new session.
  std::string After(int times, const Operation& train, const Outputs& fetches, const OutputFeeds& feeds = {}) {
    const Operation init = VariablesInitializer(b, b.variables());
    auto session = NewSession();
    if (!session.ok()) return session.status().ToString();
    Feeds named;
    for (const auto& [output, value] : feeds) named.emplace_back(output.name(), value);
    absl::Status status = (*session)->Run({}, {}, {init.name()}).status();
    for (int i = 0; i < times && status.ok(); ++i) status = (*session)->Run(named, {}, {train.name()}).status();
    if (!status.ok()) return status.ToString();
    std::vector<std::string> names;
    for (const Output& fetch : fetches) names.push_back(fetch.name());
    const auto values = (*session)->Run(named, names, {});
    if (!values.ok()) return values.status().ToString();
    std::string text;
    for (const Tensor& value : *values) absl::StrAppend(&text, text.empty() ? "" : "; ", value.DebugString());
    return text;
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, AStep, testing::Bool(), [](const auto& info) { return info.param ? "Ref" : "Resource"; });

TEST_P(AStep, HasTensorFlowsNames) {
  const GraphVariable w = Make("layer/w", 1.0f), v = Make("v", 2.0f), step = MakeGlobalStep(b);
  Optimizer adam = AdamOptimizer();
  const Operation train = adam.Minimize(b, w * v, {.global_step = step});
  EXPECT_EQ(train.name(), "Adam");
  EXPECT_EQ(Names(b), "layer/w v global_step beta1_power beta2_power layer/w/Adam layer/w/Adam_1 v/Adam v/Adam_1");
  EXPECT_EQ(adam.slot(w, "v").name(), "layer/w/Adam_1");
  EXPECT_EQ(adam.slot_names(), (std::vector<std::string>{"m", "v"}));
  EXPECT_EQ(adam.variables().size(), 6);
  EXPECT_FALSE(adam.slot(step, "v"));
  EXPECT_FALSE(adam.slot(w, "u"));
  const std::string apply = absl::StrCat("Adam/update_layer/w/", GetParam() ? "" : "Resource", "ApplyAdam");
  for (const std::string& node : {std::string("Adam/learning_rate"), std::string("Adam/beta1"), std::string("Adam/update"), std::string("layer/w/Adam/Assign"), apply}) {
    EXPECT_TRUE(b.graph().FindNode(node).has_value()) << node;
  }
}

TEST_P(AStep, SlotsAreLikeTheirVariableAndNotTrainable) {
  const GraphVariable w = Make("w", Ones({2, 3}, DType::kFloat64));
  Optimizer momentum = MomentumOptimizer({.name = "Mom"});
  momentum.Minimize(b, b.Op("Sum", {w, {0, 1}}).output());
  const GraphVariable slot = momentum.slot(w, "momentum");
  EXPECT_EQ(slot.name(), "w/Mom");
  EXPECT_EQ(slot.is_ref(), GetParam());
  EXPECT_EQ(slot.dtype(), DType::kFloat64);
  EXPECT_EQ(slot.shape().ToString(), "[2,3]");
  EXPECT_FALSE(slot.trainable());
  EXPECT_EQ(*b.node(slot.handle()).attrs.Find("_class")->Get<std::vector<std::string>>(), std::vector<std::string>{"loc:@w"});
}

TEST_P(AStep, SlotsOfAnUnknownShape) {
  const GraphVariable w = b.Variable("w", Input({1.0f, 2.0f}), {.use_ref = GetParam(), .shape = PartialShape::Of({-1})});
  Optimizer momentum = MomentumOptimizer({.learning_rate = 1.0f, .momentum = 0.5f});
  const Operation train = momentum.Minimize(b, w * 1);
  EXPECT_EQ(After(2, train, {w.snapshot(), momentum.slot(w, "momentum").snapshot()}), "float32[2] = [-1.5 -0.5]; float32[2] = [1.5 1.5]");
}

TEST_P(AStep, CountsGlobalStepsAfterTheUpdates) {
  const GraphVariable w = Make("w", 8.0f), step = Make("step", int64_t{0});
  const Operation train = GradientDescentOptimizer({.learning_rate = 0.25f}).Minimize(b, w * w, {.global_step = step, .name = "train"});
  EXPECT_EQ(train.name(), "train");
  EXPECT_EQ(After(3, train, {w.snapshot(), step.snapshot()}), "float32[] = 1; int64[] = 3");
}

TEST_P(AStep, ARateMayBeAValue) {
  const GraphVariable w = Make("w", 8.0f), step = MakeGlobalStep(b);
  const Output rate = b.Op("Cast", {step.value()}, {{"DstT", DType::kFloat64}}).output() * 0.25;
  const Operation train = GradientDescentOptimizer({.learning_rate = rate}).Minimize(b, w * 1, {.global_step = step});
  EXPECT_EQ(After(3, train, {w.snapshot()}), "float32[] = 7.25");  // 8 - 0 - 0.25 - 0.5
}

TEST_P(AStep, ChangesTheVariablesThatItIsTold) {
  const GraphVariable a = Make("a", 1.0f), c = Make("c", 2.0f), d = b.Variable("d", 3.0f, {.trainable = false, .use_ref = GetParam()});
  const Output loss = a * c * d;
  const Operation all = GradientDescentOptimizer({.learning_rate = 1.0f}).Minimize(b, loss);
  const Operation some = GradientDescentOptimizer({.learning_rate = 1.0f}).Minimize(b, loss, {.variables = {d}});
  const Operation frozen = GradientDescentOptimizer({.learning_rate = 1.0f}).Minimize(b, b.Op("StopGradient", {a}).output() * c, {.variables = {a, c}});
  const Output middle = a * 2;
  const Operation stopped = GradientDescentOptimizer({.learning_rate = 1.0f}).Minimize(b, middle * c, {.stop_gradients = {middle}});
  const Outputs values{a.snapshot(), c.snapshot(), d.snapshot()};
  EXPECT_EQ(After(1, all, values), "float32[] = -5; float32[] = -1; float32[] = 3");
  EXPECT_EQ(After(1, some, values), "float32[] = 1; float32[] = 2; float32[] = 1");
  EXPECT_EQ(After(1, frozen, values), "float32[] = 1; float32[] = 1; float32[] = 3");
  EXPECT_EQ(After(1, stopped, values), "float32[] = 1; float32[] = 0; float32[] = 3");
}

TEST_P(AStep, VariablesWithoutGradientGetNoSlot) {
  const GraphVariable a = Make("a", 1.0f), unused = Make("unused", 2.0f);
  MomentumOptimizer({}).Minimize(b, a * 2);
  EXPECT_EQ(Names(b), "a unused a/Momentum");
}

TEST_P(AStep, GradientsMayBeChanged) {
  const GraphVariable a = Make("a", 1.0f);
  Optimizer descent = GradientDescentOptimizer({.learning_rate = 1.0f});
  std::vector<VariableGradient> grads = descent.ComputeGradients(b, a * 3, {.grad_loss = b.Constant(2.0f)});
  ASSERT_EQ(grads.size(), 1);
  grads[0].gradient = Grad(grads[0].gradient.dense() * 10);
  EXPECT_EQ(After(1, descent.ApplyGradients(b, grads), {a.snapshot()}), "float32[] = -59");
}

// Without a gate, one variable may change before the other's gradient has read it.
TEST_P(AStep, GatesKeepVariablesUntilTheyAreRead) {
  using Gate = MinimizeOptions::Gate;
  const GraphVariable a = Make("a", 1.0f), t = Make("t", Input({{1.0f}, {2.0f}}));
  const Output loss = a * b.Op("Sum", {t.Gather({1, 1}), {0, 1}}).output();
  for (const Gate gate : {Gate::kOp, Gate::kGraph}) {
    const Operation train = GradientDescentOptimizer({.learning_rate = 0.5f}).Minimize(b, loss, {.gate = gate});
    EXPECT_EQ(After(1, train, {a.snapshot(), t.snapshot()}), "float32[] = -1; float32[2,1] = [[1] [1]]");
  }
}

TEST_P(AStep, UseLockingIsOfEveryKernel) {
  for (const bool locking : {false, true}) {
    BuiltGraph t;
    const GraphVariable w = t.b.Variable("w", Ones({3}), {.use_ref = GetParam()});
    const Output loss = t.b.Op("Sum", {w, {0}}).output(), row = w.Gather(1);
    AdamOptimizer({.use_locking = locking}).Minimize(t.b, loss);
    MomentumOptimizer({.use_locking = locking}).Minimize(t.b, loss);
    AdamOptimizer({.use_locking = locking}).Minimize(t.b, row);
    GradientDescentOptimizer({.use_locking = locking}).Minimize(t.b, row);
    ASSERT_TRUE(t.b.ok()) << t.b.status();
    int found = 0;
    for (NodeId id = 0; id < t.b.graph().num_nodes(); ++id) {
      const Node& node = t.b.graph().node(id);
      const Attr* attr = node.attrs.Find("use_locking");
      if (attr == nullptr || absl::EndsWith(std::string(node.name), "/Assign")) continue;  // initializers always lock
      EXPECT_EQ(*attr->Get<bool>(), locking) << node.name;
      ++found;
    }
    EXPECT_GE(found, 2);
  }
}

TEST_P(AStep, AnOptimizerKeepsItsSlotsForFurtherSteps) {
  const GraphVariable a = Make("a", 1.0f);
  Optimizer adam = AdamOptimizer();
  const Operation first = adam.Minimize(b, a * 2), second = adam.Minimize(b, a * 3);
  EXPECT_EQ(Names(b), "a beta1_power beta2_power a/Adam a/Adam_1");
  EXPECT_NE(first.name(), second.name());
  // Another one has slots of its own.
  AdamOptimizer().Minimize(b, a * 2);
  EXPECT_EQ(Names(b), "a beta1_power beta2_power a/Adam a/Adam_1 beta1_power_1 beta2_power_1 a/Adam_2 a/Adam_3");
  EXPECT_TRUE(b.ok()) << b.status();
}

TEST_P(AStep, OfParts) {
  const PartitionedVariable t = PartitionedVariable::Make(b, "t", Input({1.0f, 2.0f, 3.0f}), 2, 0, {.use_ref = GetParam()});
  Optimizer adagrad = AdagradOptimizer({.learning_rate = 1.0f, .initial_accumulator = 3});
  const Operation train = adagrad.Minimize(b, t.value() * 1);
  EXPECT_EQ(adagrad.slot(t.parts()[1], "accumulator").part()->whole, "t/Adagrad");
  EXPECT_EQ(After(1, train, {t.value()}), "float32[3] = [0.5 1.5 2.5]");
}

// Training in a branch: what it needs is made outside.
TEST_P(AStep, InACond) {
  const GraphVariable w = Make("w", 4.0f);
  const Output p = b.Placeholder(DType::kBool, Shape(), "p");
  Optimizer momentum = MomentumOptimizer({.learning_rate = 0.5f, .momentum = 0.5f});
  const Output done = b.Cond(p, [&] { return b.WithDependencies({momentum.Minimize(b, w * 1)}, b.Constant(true)); }, [&] { return b.Constant(false); });
  const Output slot = momentum.slot(w, "momentum").snapshot();
  EXPECT_EQ(After(2, done, {w.snapshot(), slot}, {{p, Tensor::Scalar(true)}}), "float32[] = 2.75; float32[] = 1.5");
  EXPECT_EQ(After(2, done, {w.snapshot(), slot}, {{p, Tensor::Scalar(false)}}), "float32[] = 4; float32[] = 0");
}

struct Misuse {
  const char* name;
  void (*make)(GraphBuilder& b, const GraphVariable& w);
  const char* message;
};

const Misuse kMisuses[] = {
    {"no gradient", [](GraphBuilder& b, const GraphVariable&) { AdamOptimizer().Minimize(b, b.Constant(1.0f)); },
     "Adam: no gradients provided for any variable: 'w': no y depends on 'w:0'"},
    {"a gradient that is stopped", [](GraphBuilder& b, const GraphVariable& w) { AdamOptimizer().Minimize(b, b.Op("StopGradient", {w}, {}, "stop").output() * 2); },
     "no gradients provided for any variable: 'w': no gradient passes through 'stop' (StopGradient)"},
    {"no gradients at all", [](GraphBuilder& b, const GraphVariable&) { AdamOptimizer().ApplyGradients(b, {}); }, "Adam: no variables to optimize"},
    {"an empty variable", [](GraphBuilder& b, const GraphVariable& w) { AdamOptimizer().ApplyGradients(b, {{Grad(w.value()), GraphVariable()}}); },
     "Adam: expected variables, got an empty one"},
    {"loss of integers", [](GraphBuilder& b, const GraphVariable&) { AdamOptimizer().Minimize(b, b.Constant(1)); }, "Adam: loss 'Const:0': expected a float dtype, got int32"},
    {"variables of integers", [](GraphBuilder& b, const GraphVariable&) {
       const GraphVariable i = b.Variable("i", 1);
       AdamOptimizer().Minimize(b, b.Op("Cast", {i}, {{"DstT", DType::kFloat32}}).output(), {.variables = {i}});
     }, "Adam: no gradients provided for any variable: 'i': "},
    {"gradient of an integer", [](GraphBuilder& b, const GraphVariable&) { AdamOptimizer().ApplyGradients(b, {{Grad(b.Constant(1)), b.Variable("i", 1)}}); },
     "Adam: variable 'i': expected a float dtype, got int32"},
    {"no loss", [](GraphBuilder& b, const GraphVariable&) { AdamOptimizer().Minimize(b, Output()); }, "expected outputs of this builder"},
    {"rate that is no number", [](GraphBuilder& b, const GraphVariable& w) { AdamOptimizer({.learning_rate = "fast"}).Minimize(b, w * 1); }, "Adam: learning_rate: expected a float dtype, got string"},
    {"rate of a loop", [](GraphBuilder& b, const GraphVariable& w) {
       Output inside;
       b.While({0.0f}, [](const Outputs& v) { return v[0] < 1; }, [&](const Outputs& v) { return Outputs{inside = v[0] + 1}; });
       AdamOptimizer({.learning_rate = inside}).Minimize(b, w * 1);
     }, "it is inside of a while loop"},
};

TEST_P(AStep, MisuseIsANamedErrorAtTheCall) {
  for (const Misuse& misuse : kMisuses) {
    SCOPED_TRACE(misuse.name);
    BuiltGraph t;
    misuse.make(t.b, t.b.Variable("w", 1.0f, {.use_ref = GetParam()}));
    EXPECT_EQ(t.b.status().code(), absl::StatusCode::kInvalidArgument) << t.b.status();
    EXPECT_TRUE(absl::StartsWith(t.b.status().message(), "optimizer_test.cc:")) << t.b.status();
    EXPECT_TRUE(absl::StrContains(t.b.status().message(), misuse.message)) << t.b.status();
  }
}

TEST(Optimizer, NoVariables) {
  BuiltGraph t;
  t.b.Variable("step", 1.0f, {.trainable = false});
  GradientDescentOptimizer({}).Minimize(t.b, t.b.Constant(1.0f));
  EXPECT_EQ(t.b.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StrContains(t.b.status().message(), "GradientDescent: no variables to optimize")) << t.b.status();
}

TEST(Optimizer, ServesOneBuilder) {
  BuiltGraph t, other;
  Optimizer adam = AdamOptimizer();
  adam.Minimize(t.b, t.b.Variable("w", 1.0f) * 1);
  EXPECT_TRUE(t.b.ok()) << t.b.status();
  adam.Minimize(other.b, other.b.Variable("w", 1.0f) * 1);
  EXPECT_TRUE(absl::StrContains(other.b.status().message(), "Adam: expected the builder of its first step, got another")) << other.b.status();
}

// A loop that trains: the loss and its gradient are built in the body, and each iteration reads what the last one left.
TEST(Optimizer, InALoop) {
  for (const bool functional : {false, true}) {
    BuiltGraph t;
    GraphBuilder& b = t.b;
    const GraphVariable w = b.Variable("w", 8.0f);
    Optimizer adam = AdamOptimizer({.learning_rate = 0.5f});
    Optimizer descent = GradientDescentOptimizer({.learning_rate = 0.25f});
    const auto below = [](const Outputs& v) { return v[0] < 3; };
    const auto body = [&](const Outputs& v) {
      BuilderScope after = b.ControlDependencies({v[0]});
      const Output value = w;
      return Outputs{b.WithDependencies({descent.Minimize(b, value * value)}, v[0]) + 1};
    };
    const Outputs steps = functional ? b.WhileOf({0}, below, body, {.parallel_iterations = 1}) : b.While({0}, below, body, {.parallel_iterations = 1});
    const Operation init = VariablesInitializer(b, b.variables());
    ASSERT_TRUE(b.ok()) << b.status();
    const auto session = t.NewSession();
    ASSERT_TRUE(session.ok()) << session.status();
    ASSERT_TRUE((*session)->Run({}, {}, {init.name()}).ok());
    const auto counted = (*session)->Run({}, {steps[0].name()}, {});
    ASSERT_TRUE(counted.ok()) << counted.status();
    EXPECT_EQ(counted->at(0).DebugString(), "int32[] = 3");
    const auto value = (*session)->Run({}, {w.snapshot().name()}, {});
    EXPECT_EQ(value->at(0).DebugString(), "float32[] = 1");
  }
}

// A small network learns exclusive or from two threads, with and without locks.
TEST(Optimizer, TrainsANetworkFromTwoThreads) {
  for (const bool use_ref : {false, true}) {
    for (const bool locking : {false, true}) {
      SCOPED_TRACE(absl::StrCat("ref ", use_ref, " locking ", locking));
      BuiltGraph t;
      GraphBuilder& b = t.b;
      const VariableOptions kind{.use_ref = use_ref};
      const Output x = b.Constant({{0.0f, 0.0f}, {0.0f, 1.0f}, {1.0f, 0.0f}, {1.0f, 1.0f}}), y = b.Constant({{0.0f}, {1.0f}, {1.0f}, {0.0f}});
      const GraphVariable w1 = b.Variable("w1", GlorotUniform({2, 8}, {.seed = 1, .seed2 = 1}), kind), b1 = b.Variable("b1", Zeros({8}), kind);
      const GraphVariable w2 = b.Variable("w2", GlorotUniform({8, 1}, {.seed = 1, .seed2 = 2}), kind), b2 = b.Variable("b2", Zeros({1}), kind);
      const Output hidden = b.Op("Tanh", {b.Op("MatMul", {x, w1}).output() + b1}).output();
      const Output error = b.Op("MatMul", {hidden, w2}).output() + b2 - y;
      const Output loss = b.Op("Sum", {error * error, {0, 1}}).output();
      const GraphVariable step = MakeGlobalStep(b);
      const Operation train = AdamOptimizer({.learning_rate = 0.03f, .use_locking = locking}).Minimize(b, loss, {.global_step = step});
      const Operation init = VariablesInitializer(b, b.variables());
      ASSERT_TRUE(b.ok()) << b.status();
      const auto session = t.NewSession();
      ASSERT_TRUE(session.ok()) << session.status();
      ASSERT_TRUE((*session)->Run({}, {}, {init.name()}).ok());
      const auto run = [&] {
        for (int i = 0; i < 200; ++i) {
          const absl::Status status = (*session)->Run({}, {}, {train.name()}).status();
          if (!status.ok()) ADD_FAILURE() << status;
        }
      };
      std::thread other(run);
      run();
      other.join();
      const auto end = (*session)->Run({}, {loss.name(), step.snapshot().name()}, {});
      ASSERT_TRUE(end.ok()) << end.status();
      EXPECT_LT(end->at(0).scalar<float>(), 0.05f);
      EXPECT_TRUE(std::isfinite(end->at(0).scalar<float>()));
      EXPECT_EQ(end->at(1).scalar<int64_t>(), 400);
    }
  }
}

}  // namespace
}  // namespace flowlatch
