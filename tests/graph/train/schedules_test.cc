// Learning rates against TensorFlow's.
#include "graph/train/schedules.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "absl/strings/match.h"
#include "tests/graph/train/training.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

using Make = std::function<Output(GraphBuilder& b, const Output& step)>;

// The numbers of tools/tensorflow/make_training_goldens.py.
const std::map<std::string, Make>& Schedules() {
  static const auto* schedules = new std::map<std::string, Make>{
      {"exponential", [](auto& b, auto& s) { return ExponentialDecay(b, 0.1f, s, {.decay_steps = 4, .decay_rate = 0.5}); }},
      {"exponential staircase", [](auto& b, auto& s) { return ExponentialDecay(b, 0.1f, s, {.decay_steps = 4, .decay_rate = 0.5, .staircase = true}); }},
      {"natural exp", [](auto& b, auto& s) { return NaturalExpDecay(b, 0.1f, s, {.decay_steps = 4, .decay_rate = 0.5}); }},
      {"natural exp staircase", [](auto& b, auto& s) { return NaturalExpDecay(b, 0.1f, s, {.decay_steps = 4, .decay_rate = 0.5, .staircase = true}); }},
      {"inverse time", [](auto& b, auto& s) { return InverseTimeDecay(b, 0.1f, s, {.decay_steps = 4, .decay_rate = 0.5}); }},
      {"inverse time staircase", [](auto& b, auto& s) { return InverseTimeDecay(b, 0.1f, s, {.decay_steps = 4, .decay_rate = 0.5, .staircase = true}); }},
      {"piecewise constant", [](auto& b, auto& s) { return PiecewiseConstant(b, s, {2, 5}, {0.1, 0.05, 0.01}); }},
      {"polynomial", [](auto& b, auto& s) { return PolynomialDecay(b, 0.1f, s, {.decay_steps = 6, .end_rate = 0.01, .power = 2}); }},
      {"polynomial cycle", [](auto& b, auto& s) { return PolynomialDecay(b, 0.1f, s, {.decay_steps = 4, .end_rate = 0.01, .cycle = true}); }},
      {"cosine", [](auto& b, auto& s) { return CosineDecay(b, 0.1f, s, {.decay_steps = 6, .alpha = 0.1}); }},
      {"cosine restarts", [](auto& b, auto& s) { return CosineDecayRestarts(b, 0.1f, s, {.first_decay_steps = 3, .height_factor = 0.5, .alpha = 0.1}); }},
      {"cosine restarts of one length",
       [](auto& b, auto& s) { return CosineDecayRestarts(b, 0.1f, s, {.first_decay_steps = 3, .length_factor = 1, .height_factor = 0.5, .alpha = 0.1}); }},
      {"linear cosine", [](auto& b, auto& s) { return LinearCosineDecay(b, 0.1f, s, {.decay_steps = 6, .num_periods = 1.5, .alpha = 0.1, .beta = 0.01}); }},
  };
  return *schedules;
}

const std::vector<std::pair<std::string, std::vector<double>>> kGoldens = {
#include "tests/graph/train/schedule_goldens.inc"
};

TEST(Schedules, AreTensorFlows) {
  EXPECT_EQ(kGoldens.size(), Schedules().size());
  for (const auto& [name, rates] : kGoldens) {
    SCOPED_TRACE(name);
    BuiltGraph t;
    const Output step = t.b.Placeholder(DType::kInt64, Shape(), "step");
    const Output rate = Schedules().at(name)(t.b, step);
    ASSERT_TRUE(t.b.ok()) << t.b.status();
    EXPECT_EQ(rate.dtype(), DType::kFloat32);
    for (size_t k = 0; k < rates.size(); ++k) {
      const auto value = t.Values({{step, Tensor::Scalar(static_cast<int64_t>(k))}}, {rate});
      ASSERT_TRUE(value.ok()) << value.status();
      EXPECT_TRUE(value->at(0).is_scalar());
      EXPECT_NEAR(value->at(0).scalar<float>(), rates[k], 1e-7) << k;
    }
  }
}

TEST(Schedules, WarmUpLeadsToAnother) {
  BuiltGraph t;
  const Output step = t.b.Placeholder(DType::kInt32, Shape(), "step");
  const Output rate = WarmUp(t.b, PiecewiseConstant(t.b, step, {5}, {0.5, 0.25}), step, {.warmup_steps = 4, .start_rate = 0.1});
  const std::pair<int, float> rates[] = {{0, 0.1f}, {1, 0.2f}, {4, 0.5f}, {5, 0.5f}, {6, 0.25f}};
  for (const auto& [k, expected] : rates) {
    const auto value = t.Values({{step, Tensor::Scalar(k)}}, {rate});
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_NEAR(value->at(0).scalar<float>(), expected, 1e-7) << k;
  }
}

TEST(Schedules, TakeTheDtypeOfTheRate) {
  BuiltGraph t;
  const GraphVariable step = MakeGlobalStep(t.b);
  EXPECT_EQ(step.name(), "global_step");
  EXPECT_EQ(step.dtype(), DType::kInt64);
  EXPECT_FALSE(step.trainable());
  t.AddInitializer(step.initializer());
  t.AddInitializer(step.Assign(int64_t{2}));
  EXPECT_EQ(t.Run({}, {ExponentialDecay(t.b, t.b.Constant(1.0), step, {.decay_steps = 1, .decay_rate = 0.5})}), "float64[] = 0.25");
}

TEST(Schedules, WhatCannotBe) {
  const std::pair<Make, const char*> cases[] = {
      {[](auto& b, auto& s) { return ExponentialDecay(b, 0.1f, s, {.decay_steps = 0}); }, "decay_steps: expected more than 0, got 0"},
      {[](auto& b, auto& s) { return NaturalExpDecay(b, 0.1f, s, {.decay_steps = -1}); }, "decay_steps: expected more than 0, got -1"},
      {[](auto& b, auto& s) { return InverseTimeDecay(b, 0.1f, s, {.decay_steps = 0}); }, "decay_steps: expected more than 0"},
      {[](auto& b, auto& s) { return PolynomialDecay(b, 0.1f, s, {.decay_steps = 0}); }, "decay_steps: expected more than 0"},
      {[](auto& b, auto& s) { return CosineDecay(b, 0.1f, s, {.decay_steps = 0}); }, "decay_steps: expected more than 0"},
      {[](auto& b, auto& s) { return LinearCosineDecay(b, 0.1f, s, {.decay_steps = 0}); }, "decay_steps: expected more than 0"},
      {[](auto& b, auto& s) { return CosineDecayRestarts(b, 0.1f, s, {.first_decay_steps = 0}); }, "first_decay_steps: expected more than 0"},
      {[](auto& b, auto& s) { return CosineDecayRestarts(b, 0.1f, s, {.length_factor = 0.5}); }, "length_factor: expected 1 or more, got 0.5"},
      {[](auto& b, auto& s) { return WarmUp(b, 0.1f, s, {.warmup_steps = 0}); }, "warmup_steps: expected more than 0"},
      {[](auto& b, auto& s) { return PiecewiseConstant(b, s, {1, 1}, {1, 2, 3}); }, "expected boundaries that rise and one value more, got 2 boundaries and 3 values"},
      {[](auto& b, auto& s) { return PiecewiseConstant(b, s, {1}, {1}); }, "got 1 boundaries and 1 values"},
      {[](auto& b, auto& s) { return ExponentialDecay(b, b.Constant(1), s, {}); }, "learning rate: expected a float dtype, got int32"},
  };
  for (const auto& [make, message] : cases) {
    BuiltGraph t;
    make(t.b, t.b.Placeholder(DType::kInt64, Shape(), "step"));
    EXPECT_EQ(t.b.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(absl::StartsWith(t.b.status().message(), "schedules_test.cc:")) << t.b.status();
    EXPECT_TRUE(absl::StrContains(t.b.status().message(), message)) << t.b.status();
  }
}

}  // namespace
}  // namespace flowlatch
