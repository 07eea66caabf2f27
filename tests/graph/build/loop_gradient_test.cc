// What the forward loop keeps for the backward loop.
#include <gtest/gtest.h>

#include "graph/build/gradient_builder.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

int Count(const Graph& graph, std::string_view op) {
  int count = 0;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) count += graph.node(id).op() == op;
  return count;
}

// Lists that the gradient of a loop with this body pushes to.
int KeptFor(const std::function<Output(BuiltGraph&, const Output& x, const Output& w)>& body) {
  BuiltGraph t;
  const Output x = t.b.Placeholder(DType::kFloat32, PartialShape::Of({-1}), "x"), w = t.b.Placeholder(DType::kFloat32, PartialShape::Of({-1}), "w");
  const Outputs r = t.b.While({0, x}, [&](const Outputs& v) { return v[0] < 3; }, [&](const Outputs& v) { return Outputs{v[0] + 1, body(t, v[1], w)}; });
  Gradients(t.b, {r[1]}, {x, w});
  EXPECT_TRUE(t.b.ok()) << t.b.status();
  return Count(t.b.graph(), "TensorListPushBack");
}

TEST(LoopGradient, KeepsOnlyWhatItNeeds) {
  // Nothing but the sum's own shapes is needed of x.
  EXPECT_EQ(KeptFor([](BuiltGraph&, const Output& x, const Output&) { return x * 2; }), 0);
  EXPECT_EQ(KeptFor([](BuiltGraph&, const Output& x, const Output& w) { return x * w; }), 1 + KeptFor([](BuiltGraph&, const Output& x, const Output& w) { return x + w; }));
  // The output of tanh, not its input.
  EXPECT_EQ(KeptFor([](BuiltGraph& t, const Output& x, const Output&) { return t.b.Op("Tanh", {x}).output(); }), 1);
}

// Rows that iterations gather from a table that is the same in all: the gradient is of those rows, the last iteration's first.
TEST(LoopGradient, RowsOfAnInvariantStayRows) {
  for (const bool is_variable : {false, true}) {
    BuiltGraph t;
    const Output n = t.b.Placeholder(DType::kInt32, Shape(), "n");
    const Tensor first = *Tensor::FromValues<float>(Shape::Of({3, 2}), {1, 2, 3, 4, 5, 6});
    const Output table = is_variable ? t.Variable("table", first) : t.b.Constant(first);
    const Output sum = t.b.While({0, 0.0f}, [&](const Outputs& v) { return v[0] < n; }, [&](const Outputs& v) {
      const Output ids = t.b.Op("Pack", {v[0], 2}).output();
      const Output rows = is_variable ? t.b.Op("ResourceGather", {table, ids}, {{"dtype", DType::kFloat32}}).output() : t.b.Op("GatherV2", {table, ids, 0}).output();
      t.b.SetShape(rows, Shape::Of({2, 2}));
      return Outputs{v[0] + 1, v[1] + t.b.Op("Sum", {rows * rows, {0, 1}}).output()};
    })[1];
    const Grad grad = Gradients(t.b, {sum}, {table})[0];
    ASSERT_TRUE(t.b.ok()) << t.b.status();
    ASSERT_NE(grad.slices(), nullptr);
    const Outputs fetches{grad.slices()->values, grad.slices()->indices, grad.slices()->dense_shape, grad.dense()};
    EXPECT_EQ(t.Run({{n, Tensor::Scalar(2)}}, fetches),
              "float32[4,2] = [[6 8] [10 12] [2 4] [10 12]]; int32[4] = [1 2 0 2]; int64[2] = [3 2]; float32[3,2] = [[2 4] [6 8] [20 24]]");
    EXPECT_EQ(t.Run({{n, Tensor::Scalar(0)}}, {fetches[0], fetches[1], fetches[3]}), "float32[0,2] = []; int32[0] = []; float32[3,2] = [[0 0] [0 0] [0 0]]");
    // And once more.
    const Output second = Gradients(t.b, {t.b.Op("Sum", {grad.dense(), {0, 1}}).output()}, {table})[0];
    EXPECT_EQ(t.Run({{n, Tensor::Scalar(2)}}, {second}), "float32[3,2] = [[2 2] [2 2] [4 4]]");
  }
}

// Rows of unknown size are added up in each iteration.
TEST(LoopGradient, RowsOfUnknownSizeOfAnInvariant) {
  BuiltGraph t;
  const Output table = t.b.Placeholder(DType::kFloat32, PartialShape::Of({-1, -1}), "table");
  const Output sum = t.b.While({0, 0.0f}, [](const Outputs& v) { return v[0] < 2; }, [&](const Outputs& v) {
    return Outputs{v[0] + 1, v[1] + t.b.Op("Sum", {t.b.Op("GatherV2", {table, v[0], 0}), {0}}).output()};
  })[1];
  EXPECT_EQ(t.Run({{table, *Tensor::FromValues<float>(Shape::Of({3, 1}), {1, 2, 3})}}, {Gradients(t.b, {sum}, {table})[0]}), "float32[3,1] = [[1] [1] [0]]");
}

TEST(LoopGradient, DtypesThatGradientsFlowThrough) {
  EXPECT_TRUE(HasGradient(DType::kBFloat16));
  EXPECT_TRUE(HasGradient(DType::kComplex128));
  EXPECT_TRUE(HasGradient(DType::kResource));
  EXPECT_FALSE(HasGradient(DType::kInt32));
  EXPECT_FALSE(HasGradient(DType::kString));
}

}  // namespace
}  // namespace flowlatch
