// Each optimizer against TensorFlow's: all variables by name after five steps, dense and sparse, of both kinds of variables.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "graph/train/optimizer.h"
#include "graph/train/schedules.h"
#include "ops/default_ops.h"
#include "runtime/session/session.h"
#include "tests/graph/train/training.h"

namespace flowlatch {
namespace {

struct Golden {
  std::string name;
  std::vector<std::pair<std::string, std::vector<double>>> variables;
};

const std::vector<Golden>& Goldens() {
  static const auto* goldens = new std::vector<Golden>{
#include "tests/graph/train/optimizer_goldens.inc"
  };
  return *goldens;
}

// The numbers of tools/tensorflow/make_training_goldens.py.
Optimizer Make(GraphBuilder& b, std::string_view name, GraphVariable* global_step) {
  if (name == "GradientDescent") return GradientDescentOptimizer({.learning_rate = 0.05f});
  if (name == "Momentum") return MomentumOptimizer({.learning_rate = 0.02f, .momentum = 0.8f});
  if (name == "MomentumNesterov") return MomentumOptimizer({.learning_rate = 0.02f, .momentum = 0.8f, .use_nesterov = true});
  if (name == "Adam") return AdamOptimizer({.learning_rate = 0.05f, .beta1 = 0.8f, .beta2 = 0.95f, .epsilon = 1e-6f});
  if (name == "RMSProp") return RmsPropOptimizer({.learning_rate = 0.05f, .decay = 0.8f, .momentum = 0.5f, .epsilon = 1e-6f});
  if (name == "RMSPropCentered") return RmsPropOptimizer({.learning_rate = 0.05f, .decay = 0.8f, .momentum = 0.5f, .epsilon = 1e-3f, .centered = true});
  if (name == "Adagrad") return AdagradOptimizer({.learning_rate = 0.1f, .initial_accumulator = 0.2});
  if (name == "AdagradDA") {
    *global_step = MakeGlobalStep(b);
    return AdagradDaOptimizer({.learning_rate = 0.1f, .global_step = *global_step, .l1 = 0.01f, .l2 = 0.02f});
  }
  if (name == "Adadelta") return AdadeltaOptimizer({.learning_rate = 1.0f, .rho = 0.9f, .epsilon = 1e-3f});
  if (name == "Ftrl") return FtrlOptimizer({.learning_rate = 0.1f, .l1 = 0.01f, .l2 = 0.02f});
  if (name == "FtrlShrinkage") {
    return FtrlOptimizer({.learning_rate = 0.1f, .learning_rate_power = -0.6f, .initial_accumulator = 0.3, .l1 = 0.01f, .l2 = 0.02f, .l2_shrinkage = 0.05f});
  }
  if (name == "ProximalGradientDescent") return ProximalGradientDescentOptimizer({.learning_rate = 0.05f, .l1 = 0.1f, .l2 = 0.2f});
  if (name == "ProximalAdagrad") return ProximalAdagradOptimizer({.learning_rate = 0.1f, .initial_accumulator = 0.2, .l1 = 0.1f, .l2 = 0.2f});
  if (name == "AMSGrad") return AmsGradOptimizer({.learning_rate = 0.05f, .beta1 = 0.8f, .beta2 = 0.95f, .epsilon = 1e-6f});
  if (name == "AdaMax") return AdaMaxOptimizer({.learning_rate = 0.05f, .beta1 = 0.8f, .beta2 = 0.95f, .epsilon = 1e-6f});
  if (name == "AddSign") return AddSignOptimizer({.learning_rate = 0.02f, .alpha = 1.5f, .beta = 0.8f, .sign_decay = 0.75f});
  return PowerSignOptimizer({.learning_rate = 0.02f, .base = 2, .beta = 0.8f, .sign_decay = 0.75f});
}

// The optimizer, kind of variables, problem and dtype of a case.
std::vector<std::string> Parts(const Golden& golden) { return absl::StrSplit(golden.name, '/'); }

void TrainAndCompare(const Golden& golden, bool use_ref) {
  const std::vector<std::string> parts = Parts(golden);
  const DType dtype = parts[3] == "float64" ? DType::kFloat64 : DType::kFloat32;
  GraphBuilder b(DefaultOps().registry());
  Problem problem = parts[2] == "dense" ? LineProblem(b, dtype, use_ref) : TableProblem(b, dtype, use_ref);
  GraphVariable global_step;
  Optimizer optimizer = Make(b, parts[0], &global_step);
  const Operation train = optimizer.Minimize(b, problem.loss, {.global_step = global_step});
  const Operation init = VariablesInitializer(b, b.variables());
  ASSERT_TRUE(b.ok()) << b.status();
  const auto session = Session::Create(*b.Snapshot(), DefaultOps(), {.threads = 2});
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_TRUE((*session)->Run({}, {}, {init.name()}).ok());
  for (int step = 0; step < 5; ++step) {
    const absl::Status status = (*session)->Run(problem.feeds(step), {}, {train.name()}).status();
    ASSERT_TRUE(status.ok()) << status;
  }
  EXPECT_EQ(b.variables().size(), golden.variables.size());
  for (const auto& [name, expected] : golden.variables) {
    SCOPED_TRACE(name);
    const auto made = std::find_if(b.variables().begin(), b.variables().end(), [&n = name](const GraphVariable& v) { return v.name() == n; });
    ASSERT_NE(made, b.variables().end());
    const auto value = (*session)->Run({}, {made->snapshot().name()}, {});
    ASSERT_TRUE(value.ok()) << value.status();
    const std::vector<double> numbers = Numbers(value->at(0));
    ASSERT_EQ(numbers.size(), expected.size());
    for (size_t i = 0; i < numbers.size(); ++i) EXPECT_NEAR(numbers[i], expected[i], (dtype == DType::kFloat64 ? 1e-12 : 4e-6) * (1 + std::abs(expected[i]))) << i;
  }
}

class AnOptimizer : public testing::TestWithParam<int> {};

TEST_P(AnOptimizer, TrainsAsInTensorFlow) {
  const Golden& golden = Goldens()[GetParam()];
  TrainAndCompare(golden, Parts(golden)[1] == "ref");
}

INSTANTIATE_TEST_SUITE_P(Goldens, AnOptimizer, testing::Range(0, static_cast<int>(Goldens().size())), [](const auto& info) {
  std::string name = Goldens()[info.param].name;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

// Those that TensorFlow has only as kernels: its numbers were recorded with resource variables.
TEST(Optimizers, TrainReferencesAlike) {
  int number = 0;
  for (const Golden& golden : Goldens()) {
    const std::string name = Parts(golden)[0];
    if (name != "AdaMax" && name != "AddSign" && name != "PowerSign") continue;
    SCOPED_TRACE(golden.name);
    TrainAndCompare(golden, true);
    ++number;
  }
  EXPECT_EQ(number, 6);
}

TEST(Optimizers, OptionsThatCannotBe) {
  struct {
    Optimizer optimizer;
    const char* message;
  } cases[] = {
      {AdagradOptimizer({.initial_accumulator = 0}), "Adagrad: initial_accumulator: expected more than 0, got 0"},
      {ProximalAdagradOptimizer({.initial_accumulator = -1}), "ProximalAdagrad: initial_accumulator: expected more than 0, got -1"},
      {AdagradDaOptimizer({}), "AdagradDA: global_step: expected a variable, got none"},
      {FtrlOptimizer({.initial_accumulator = -0.5}), "Ftrl: initial_accumulator: expected 0 or more, got -0.5"},
      {PowerSignOptimizer({.base = 0}), "PowerSign: base: expected more than 0, got 0"},
  };
  for (auto& [optimizer, message] : cases) {
    GraphBuilder b(DefaultOps().registry());
    const GraphVariable w = b.Variable("w", 1.0f);
    optimizer.Minimize(b, w * w);
    EXPECT_EQ(b.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(absl::StrContains(b.status().message(), message)) << b.status();
  }
}

TEST(Optimizers, AmsGradNeedsResourceVariables) {
  GraphBuilder b(DefaultOps().registry());
  const GraphVariable w = b.Variable("w", 1.0f, {.use_ref = true});
  AmsGradOptimizer().Minimize(b, w * w);
  EXPECT_EQ(b.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_TRUE(absl::StrContains(b.status().message(), "AMSGrad: variable 'w': no op 'ApplyAdamWithAmsgrad' for reference variables")) << b.status();
}

}  // namespace
}  // namespace flowlatch
