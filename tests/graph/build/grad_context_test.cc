#include "graph/build/grad_context.h"

#include <gtest/gtest.h>

#include "graph/build/gradients.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

TEST(GradContext, BroadcastsAreSummedBack) {
  BuiltGraph t;
  const Output row = t.b.Placeholder(DType::kFloat32, PartialShape::Of({3}), "row"), any = t.b.Placeholder(DType::kFloat32, {}, "any");
  const std::vector<Grad> grads = Gradients(t.b, {row * any}, {row, any});
  const Tensor two_rows = *Tensor::FromValues<float>(Shape::Of({2, 1}), {10, 20});
  EXPECT_EQ(t.Run({{row, Tensor::Vector<float>({1, 2, 3})}, {any, two_rows}}, {grads[0], grads[1]}), "float32[3] = [30 30 30]; float32[2,1] = [[6] [6]]");
}

TEST(GradContext, SlicesBecomeDense) {
  BuiltGraph t;
  const Output table = t.b.Placeholder(DType::kFloat32, PartialShape::Of({3, 2}), "table");
  const Output rows = t.b.Op("GatherV2", {table, {2, 0, 2}, 0}).output();
  const Grad grad = Gradients(t.b, {rows}, {table})[0];
  ASSERT_NE(grad.slices(), nullptr);
  EXPECT_EQ(t.Run({{table, *Tensor::FromValues<float>(Shape::Of({3, 2}), {1, 2, 3, 4, 5, 6})}}, {grad.slices()->indices, grad.dense()}),
            "int32[3] = [2 0 2]; float32[3,2] = [[1 1] [0 0] [2 2]]");
}

}  // namespace
}  // namespace flowlatch
