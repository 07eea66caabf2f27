#include "graph/train/moving_average.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "tests/graph/train/training.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

struct Golden {
  std::string name;
  std::vector<std::pair<std::string, std::vector<double>>> variables;
};

const std::vector<Golden> kGoldens = {
#include "tests/graph/train/moving_average_goldens.inc"
};

// A variable that goes up by [1, -2] before each update, and a value fed as [k, 3].
TEST(MovingAverage, IsTensorFlows) {
  for (const bool use_ref : {false, true}) {
    for (const Golden& golden : kGoldens) {
      SCOPED_TRACE(golden.name + (use_ref ? " of references" : ""));
      BuiltGraph t;
      GraphBuilder& b = t.b;
      const GraphVariable w = b.Variable("w", Input({1.0f, 2.0f}), {.use_ref = use_ref});
      const Output x = b.Placeholder(DType::kFloat32, Shape::Of({2}), "x"), count = b.Placeholder(DType::kInt64, Shape(), "count");
      const Output value = b.Op("Identity", {x}, {}, "value").output();
      MovingAverageOptions options{.decay = 0.9f, .zero_debias = golden.name == "zero_debias"};
      if (golden.name == "num_updates") options.num_updates = count;
      ExponentialMovingAverage averages(options);
      const Operation moved = w.AssignAdd({1.0f, -2.0f});
      Operation update;
      {
        BuilderScope after = b.ControlDependencies({moved});
        update = averages.Apply(b, {w}, {value});
      }
      EXPECT_EQ(update.name(), "ExponentialMovingAverage");
      EXPECT_EQ(averages.average(w).name(), "w/ExponentialMovingAverage");
      EXPECT_EQ(averages.average(w).is_ref(), use_ref);
      EXPECT_EQ(averages.average(value).name(), "value/ExponentialMovingAverage");
      const Operation init = VariablesInitializer(b, b.variables());
      ASSERT_TRUE(b.ok()) << b.status();
      const auto session = t.NewSession();
      ASSERT_TRUE(session.ok()) << session.status();
      ASSERT_TRUE((*session)->Run({}, {}, {init.name()}).ok());
      for (int k = 0; k < 5; ++k) {
        const absl::Status status = (*session)->Run({{"x", Tensor::Vector<float>({static_cast<float>(k), 3})}, {"count", Tensor::Scalar(int64_t{k})}}, {}, {update.name()}).status();
        ASSERT_TRUE(status.ok()) << status;
      }
      EXPECT_EQ(b.variables().size(), golden.variables.size());
      for (const auto& [name, expected] : golden.variables) {
        const auto made = std::find_if(b.variables().begin(), b.variables().end(), [&n = name](const GraphVariable& v) { return v.name() == n; });
        ASSERT_NE(made, b.variables().end()) << name;
        EXPECT_FALSE(made->trainable() && name != "w");
        const auto result = (*session)->Run({}, {made->snapshot().name()}, {});
        ASSERT_TRUE(result.ok()) << result.status();
        const std::vector<double> numbers = Numbers(result->at(0));
        ASSERT_EQ(numbers.size(), expected.size());
        for (size_t i = 0; i < numbers.size(); ++i) EXPECT_NEAR(numbers[i], expected[i], 1e-6 * (1 + std::abs(expected[i]))) << name << " " << i;
      }
    }
  }
}

TEST(MovingAverage, IsKeptForFurtherUpdates) {
  BuiltGraph t;
  const GraphVariable w = t.b.Variable("w", 1.0f);
  ExponentialMovingAverage averages;
  averages.Apply(t.b, {w});
  averages.Apply(t.b, {w});
  EXPECT_EQ(t.b.variables().size(), 2);
  EXPECT_FALSE(ExponentialMovingAverage().average(w));
}

TEST(MovingAverage, InALoop) {
  BuiltGraph t;
  const GraphVariable w = t.b.Variable("w", 8.0f);
  ExponentialMovingAverage averages({.decay = 0.5f});
  const Output n = t.b.While({0}, [](const Outputs& v) { return v[0] < 2; }, [&](const Outputs& v) {
    BuilderScope after = t.b.ControlDependencies({v[0]});
    BuilderScope moved = t.b.ControlDependencies({w.Assign(0.0f)});
    return Outputs{t.b.WithDependencies({averages.Apply(t.b, {w})}, v[0]) + 1};
  }, {.parallel_iterations = 1})[0];
  t.AddInitializer(VariablesInitializer(t.b, t.b.variables()));
  t.AddInitializer(n);
  EXPECT_EQ(t.Run({}, {averages.average(w).snapshot()}), "float32[] = 2");
}

TEST(MovingAverage, WhatCannotBe) {
  struct {
    void (*make)(GraphBuilder& b);
    const char* message;
  } cases[] = {
      {[](GraphBuilder& b) { ExponentialMovingAverage().Apply(b, {b.Variable("i", 1)}); }, "moving average of 'i': expected a float dtype, got int32"},
      {[](GraphBuilder& b) { ExponentialMovingAverage().Apply(b, {}, {b.Constant(1)}); }, "moving average of 'Const:0': expected a float dtype, got int32"},
      {[](GraphBuilder& b) { ExponentialMovingAverage().Apply(b, {}, {b.Placeholder(DType::kFloat32, {}, "x")}); }, "moving average of 'x:0': expected a known shape, got ?"},
  };
  for (const auto& c : cases) {
    BuiltGraph t;
    c.make(t.b);
    EXPECT_EQ(t.b.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(absl::StrContains(t.b.status().message(), c.message)) << t.b.status();
  }
}

}  // namespace
}  // namespace flowlatch
