#include "graph/passes/infer_shapes.h"

#include <gtest/gtest.h>

#include "graph/schema/shape_context.h"
#include "runtime/kernel/op_library.h"
#include "tests/testing/test_graph.h"

namespace flowlatch {
namespace {

absl::Status Nothing(KernelCall&) { return absl::OkStatus(); }

// Its output has the shape that its input names.
absl::Status ShapeFromInput(ShapeContext& c) {
  absl::StatusOr<PartialShape> shape = c.InputAsShape(0);
  if (!shape.ok()) return shape.status();
  c.SetOutput(0, *std::move(shape));
  return absl::OkStatus();
}

absl::Status ConstShape(ShapeContext& c) {
  c.SetOutput(0, c.AttrAs<Tensor>("value")->shape());
  return absl::OkStatus();
}

class InferShapesTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto add = [this](std::string_view signature, ShapeFunction shape) {
      ASSERT_TRUE(library_.Add({.signature = signature, .doc = "For a test", .shape = shape, .kernel = PlainKernel<Nothing>}).ok());
    };
    add("Const() -> (output: dtype); value: tensor; dtype: type", ConstShape);
    add("Make(dims: int32) -> (y: float32)", ShapeFromInput);
    add("Add(x: float32, y: float32) -> (z: float32)", shapes::Broadcast);
    add("Merge(inputs: N * T) -> (output: T, value_index: int32); T: type; N: int >= 1", shapes::MergeOfInputs);
    add("NextIteration(data: T) -> (output: T); T: type", shapes::SameAsInput);
  }
  static AttrMap Value(std::initializer_list<int32_t> values) {
    return {{"dtype", DType::kInt32}, {"value", Tensor::Vector<int32_t>(values)}};
  }
  absl::StatusOr<PartialShape> ShapeOf(const TestGraph& nodes, const std::string& name) {
    absl::StatusOr<Graph> graph = nodes.Build();
    if (!graph.ok()) return graph.status();
    absl::StatusOr<ShapeTable> shapes = InferShapes(*graph);
    if (!shapes.ok()) return shapes.status();
    return (*shapes)[*graph->FindNode(name)][0];
  }
  OpLibrary library_;
};

TEST_F(InferShapesTest, ConstantsTellShapes) {
  TestGraph g(library_.registry());
  g.Add("dims", "Const", {}, Value({2, 3})).Add("x", "Make", {"dims"}).Add("row", "Const", {}, Value({3}));
  g.Add("y", "Make", {"row"}).Add("z", "Add", {"x", "y"});
  EXPECT_EQ(*ShapeOf(g, "z"), PartialShape::Of({2, 3}));
}

TEST_F(InferShapesTest, WhatALoopCarriesIsUnknown) {
  TestGraph g(library_.registry());
  g.Add("dims", "Const", {}, Value({2})).Add("x", "Make", {"dims"});
  const AttrMap floats = {{"T", DType::kFloat32}};
  g.Add("merge", "Merge", {"x", "next"}, floats.With("N", 2)).Add("sum", "Add", {"merge", "x"}).Add("next", "NextIteration", {"sum"}, floats);
  EXPECT_EQ(*ShapeOf(g, "x"), PartialShape::Of({2}));
  EXPECT_TRUE(ShapeOf(g, "sum").ok());
}

TEST_F(InferShapesTest, TheNodeThatCannotWorkIsNamed) {
  TestGraph g(library_.registry());
  g.Add("two", "Const", {}, Value({2})).Add("three", "Const", {}, Value({3})).Add("x", "Make", {"two"}).Add("y", "Make", {"three"});
  g.Add("bad", "Add", {"x", "y"});
  const absl::Status status = ShapeOf(g, "bad").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("node 'bad' (Add)"), absl::string_view::npos) << status;
}

TEST_F(InferShapesTest, DeclaredShapesAddWhatTheyKnow) {
  const auto declare = [](const PartialShape& shape) { return AttrMap{{"_output_shapes", std::vector<PartialShape>{shape}}}; };
  TestGraph g(library_.registry());
  g.Add("dims", "Placeholder", {}, {{"dtype", DType::kInt32}}).Add("x", "Make", {"dims"}, declare(PartialShape::Of({-1, 7})));
  EXPECT_EQ(*ShapeOf(g, "x"), PartialShape::Of({-1, 7}));
  TestGraph wrong(library_.registry());
  wrong.Add("dims", "Const", {}, Value({2})).Add("x", "Make", {"dims"}, declare(PartialShape::Of({3})));
  const absl::Status status = ShapeOf(wrong, "x").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("_output_shapes of output 0: expected [2], got [3]"), absl::string_view::npos) << status;
}

}  // namespace
}  // namespace flowlatch
