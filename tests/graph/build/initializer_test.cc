#include "graph/build/initializer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/match.h"
#include "graph/build/variable.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

// The value of a variable that begins so, as text.
std::string First(const Initializer& initial) {
  BuiltGraph t;
  const GraphVariable v = t.b.Variable("v", initial);
  t.AddInitializer(v.initializer());
  return t.b.ok() ? t.Run({}, {v}) : std::string(t.b.status().message());
}

TEST(Initializer, Constants) {
  const std::pair<Initializer, const char*> cases[] = {
      {Zeros({2}), "float32[2] = [0 0]"},
      {Zeros({}, DType::kInt64), "int64[] = 0"},
      {Zeros({2}, DType::kBool), "bool[2] = [false false]"},
      {Zeros({1}, DType::kString), "string[1] = ['']"},
      {Ones({1, 2}, DType::kFloat16), "float16[1,2] = [[1 1]]"},
      {Ones({0, 3}), "float32[0,3] = []"},
      {Constant(0.5, {2}, DType::kFloat64), "float64[2] = [0.5 0.5]"},
      {Constant("a", {2}, DType::kString), "string[2] = ['a' 'a']"},
      {7, "int32[] = 7"},
      {Input({{1.0f, 2.0f}}), "float32[1,2] = [[1 2]]"},
      {Tensor::Vector<int64_t>({1, 2}), "int64[2] = [1 2]"},
  };
  for (const auto& [initial, value] : cases) EXPECT_EQ(First(initial), value);
}

TEST(Initializer, AFunctionIsCalledInInitScope) {
  BuiltGraph t;
  const Output p = t.b.Placeholder(DType::kBool, Shape(), "p");
  GraphVariable v;
  t.b.Cond(p, [&] {
    v = t.b.Variable("v", [&] { return t.b.Constant(2.0f) * 3; });
    return v.value();
  }, [&] { return t.b.Constant(0.0f); });
  t.AddInitializer(v.initializer());
  EXPECT_EQ(t.Run({}, {v.snapshot()}), "float32[] = 6");
  EXPECT_EQ(Operation(v.initial_value()).name(), "cond/v/Initializer/Mul");
}

// Mean, variance and largest magnitude of many numbers.
struct Moments {
  double mean, variance, largest;
};
Moments Draw(const Initializer& initial) {
  BuiltGraph t;
  const GraphVariable v = t.b.Variable("v", initial);
  t.AddInitializer(v.initializer());
  const auto values = t.Values({}, {v});
  if (!values.ok()) return ADD_FAILURE() << values.status(), Moments();
  const auto numbers = values->at(0).values<float>();
  Moments m{0, 0, 0};
  for (const float x : numbers) m.mean += x / static_cast<double>(numbers.size());
  for (const float x : numbers) {
    m.variance += (x - m.mean) * (x - m.mean) / static_cast<double>(numbers.size());
    m.largest = std::max<double>(m.largest, std::abs(x));
  }
  return m;
}

TEST(Initializer, RandomNumbersHaveTheirDistribution) {
  const RandomOptions seeds{.seed = 1, .seed2 = 2};
  struct {
    const char* name;
    Initializer initial;
    double mean, variance, largest;  // largest: 0 for no limit
  } cases[] = {
      {"uniform", RandomUniform({100, 100}, -1, 3, seeds), 1, 16.0 / 12, 3},
      {"normal", RandomNormal({100, 100}, 2, 0.5, seeds), 2, 0.25, 0},
      {"truncated normal", TruncatedNormal({100, 100}, 0, 1, seeds), 0, 0.774, 2},
      {"Glorot uniform", GlorotUniform({100, 200}, seeds), 0, 2.0 / 300, std::sqrt(6.0 / 300)},
      {"Glorot normal", GlorotNormal({100, 200}, seeds), 0, 2.0 / 300, 0},
      {"He uniform", HeUniform({100, 200}, seeds), 0, 2.0 / 100, std::sqrt(6.0 / 100)},
      {"He normal", HeNormal({100, 200}, seeds), 0, 2.0 / 100, 0},
      {"of a convolution", VarianceScaling({3, 3, 16, 32}, {.fan = VarianceScalingOptions::Fan::kOut, .random = seeds}), 0, 1.0 / (9 * 32), 0},
      {"of a vector", VarianceScaling({10000}, {.scale = 10000, .distribution = VarianceScalingOptions::Distribution::kNormal, .random = seeds}), 0, 1, 0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Moments m = Draw(c.initial);
    EXPECT_NEAR(m.mean, c.mean, 0.05 * std::sqrt(c.variance));
    EXPECT_NEAR(m.variance, c.variance, 0.06 * c.variance);
    if (c.largest > 0) {
      EXPECT_LE(m.largest, c.largest * 1.0001);
    }
  }
}

TEST(Initializer, WhatCannotBe) {
  EXPECT_TRUE(absl::StartsWith(First(Zeros({2, -1})), "initializer_test.cc:")) << First(Zeros({2, -1}));
  EXPECT_TRUE(absl::StrContains(First(RandomNormal({int64_t{1} << 40, int64_t{1} << 40})), "initial value: ")) << First(RandomNormal({int64_t{1} << 40, int64_t{1} << 40}));
  EXPECT_TRUE(absl::StrContains(First(Constant(0.5, {2}, DType::kInt32)), "expected values that int32 holds"));
}

}  // namespace
}  // namespace flowlatch
