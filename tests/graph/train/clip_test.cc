#include "graph/train/clip.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

TEST(Clip, ByValue) {
  BuiltGraph t;
  const Output x = t.b.Constant({-3.0f, 0.5f, 4.0f});
  EXPECT_EQ(t.Run({}, {ClipByValue(t.b, x, -1, 2), ClipByValue(t.b, x, {-4.0f, 1.0f, 0.0f}, 3)}), "float32[3] = [-1 0.5 2]; float32[3] = [-3 1 3]");
}

TEST(Clip, ByNorm) {
  BuiltGraph t;
  const Output x = t.b.Constant({{3.0, 4.0}, {0.0, 0.0}}), unknown = t.b.Placeholder(DType::kFloat64, {}, "x");
  EXPECT_EQ(t.Run({}, {ClipByNorm(t.b, x, 10), ClipByNorm(t.b, x, 2.5), ClipByNorm(t.b, x, 0)}),
            "float64[2,2] = [[3 4] [0 0]]; float64[2,2] = [[1.5 2] [0 0]]; float64[2,2] = [[0 0] [0 0]]");
  const Output rows = t.b.Constant({{3.0, 4.0}, {0.0, 1.0}});
  EXPECT_EQ(t.Run({}, {ClipByNorm(t.b, rows, 2.5, {1})}), "float64[2,2] = [[1.5 2] [0 1]]");
  EXPECT_EQ(t.Run({{unknown, Tensor::Vector<double>({6, 8})}}, {ClipByNorm(t.b, unknown, 5)}), "float64[2] = [3 4]");
  // Zeros have the norm 0, whose root has no slope: the gradient is still a number.
  const Output zeros = t.b.Constant({0.0, 0.0});
  EXPECT_EQ(t.Run({}, {Gradients(t.b, {ClipByNorm(t.b, zeros, 1)}, {zeros})[0]}), "float64[2] = [1 1]");
}

TEST(Clip, ByAverageNorm) {
  BuiltGraph t;
  const Output x = t.b.Constant({6.0, 8.0});
  EXPECT_EQ(t.Run({}, {ClipByAverageNorm(t.b, x, 10), ClipByAverageNorm(t.b, x, 2.5)}), "float64[2] = [6 8]; float64[2] = [3 4]");
}

TEST(Clip, ByGlobalNorm) {
  BuiltGraph t;
  const Output x = t.b.Constant({0.0, 3.0}), y = t.b.Constant({{4.0}});
  const std::vector<Grad> grads{Grad(x), Grad(), Grad(IndexedSlices{y, t.b.Constant({5}), Output()})};
  EXPECT_EQ(t.Run({}, {GlobalNorm(t.b, grads)}), "float64[] = 5");
  const ClippedGradients clipped = ClipByGlobalNorm(t.b, grads, 2.5), as_is = ClipByGlobalNorm(t.b, grads, 10), given = ClipByGlobalNorm(t.b, grads, 2.5, t.b.Constant(10.0));
  ASSERT_TRUE(t.b.ok()) << t.b.status();
  ASSERT_EQ(clipped.grads.size(), 3);
  EXPECT_FALSE(clipped.grads[1].exists());
  EXPECT_EQ(t.Run({}, {clipped.norm, clipped.grads[0].dense(), clipped.grads[2].slices()->values, clipped.grads[2].slices()->indices}),
            "float64[] = 5; float64[2] = [0 1.5]; float64[1,1] = [[2]]; int32[1] = [5]");
  EXPECT_EQ(t.Run({}, {as_is.grads[0].dense(), given.grads[0].dense()}), "float64[2] = [0 3]; float64[2] = [0 0.75]");
}

TEST(Clip, ByAGlobalNormThatIsNoNumber) {
  BuiltGraph t;
  const Output x = t.b.Constant({1.0, 2.0}), infinite = t.b.Constant(1.0) / t.b.Constant(0.0);
  EXPECT_EQ(t.Run({}, {ClipByGlobalNorm(t.b, {Grad(x), Grad(infinite)}, 1).grads[0].dense()}), "float64[2] = [nan nan]");
}

TEST(Clip, BetweenComputingAndApplying) {
  BuiltGraph t;
  const GraphVariable v = t.b.Variable("v", Input({3.0f, 4.0f}));
  Optimizer descent = GradientDescentOptimizer({.learning_rate = 1.0f});
  const auto grads = descent.ComputeGradients(t.b, v * v);  // [6, 8]
  const Operation train = descent.ApplyGradients(t.b, ClipByGlobalNorm(t.b, grads, 5));
  ASSERT_TRUE(t.b.ok()) << t.b.status();
  t.AddInitializer(v.initializer());
  t.AddInitializer(train);
  EXPECT_EQ(t.Run({}, {v.snapshot()}), "float32[2] = [0 0]");
}

TEST(Clip, NothingToClip) {
  BuiltGraph t;
  ClipByGlobalNorm(t.b, {Grad()}, 1);
  EXPECT_TRUE(absl::StrContains(t.b.status().message(), "clip_test.cc:")) << t.b.status();
  EXPECT_TRUE(absl::StrContains(t.b.status().message(), "GlobalNorm: expected at least one gradient that exists, got none")) << t.b.status();
}

}  // namespace
}  // namespace flowlatch
