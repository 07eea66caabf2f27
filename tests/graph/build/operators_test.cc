#include <gtest/gtest.h>

#include "graph/build/graph_builder.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

TEST(Operators, AreTheOpsOfTheirDtype) {
  BuiltGraph t;
  const Output f = t.b.Constant(Input(7.0f)), i = t.b.Constant(Input(-7)), d = t.b.Constant(Input(7.0));
  EXPECT_EQ(t.Run({}, {f + 1, 1 - f, f * 2, 2 * f, f / 2, 14 / f, -f}),
            "float32[] = 8; float32[] = -6; float32[] = 14; float32[] = 14; float32[] = 3.5; float32[] = 2; float32[] = -7");
  EXPECT_EQ(t.Run({}, {i + 1, i / 2, i % 4, d / 2}), "int32[] = -6; int32[] = -4; int32[] = 1; float64[] = 3.5");
  EXPECT_EQ(t.Run({}, {f < 8, f <= 7, f > 7, f >= 7}), "bool[] = true; bool[] = true; bool[] = false; bool[] = true");
}

TEST(Operators, ConstantsInPlace) {
  BuiltGraph t;
  const std::vector<float> numbers = {1, 2};
  EXPECT_EQ(t.Run({}, {t.b.Constant(Input({true, false, true})), t.b.Constant(Input({{1, 2}, {3, 4}})), t.b.Constant(Input(numbers)), t.b.Constant(Input("text"))}),
            "bool[3] = [true false true]; int32[2,2] = [[1 2] [3 4]]; float32[2] = [1 2]; string[] = 'text'");
}

TEST(Operators, ValuesKnowWhatTheyAre) {
  BuiltGraph t;
  const Output x = t.b.Placeholder(DType::kFloat32, PartialShape::Of({-1, 2}), "x");
  EXPECT_EQ(x.name(), "x:0");
  EXPECT_EQ(x.dtype(), DType::kFloat32);
  EXPECT_EQ(x.shape().ToString(), "[?,2]");
  EXPECT_FALSE(x.is_ref());
  EXPECT_EQ((x + x).shape().ToString(), "[?,2]");
  const Operation split = t.b.Op("Split", {1, x}, {{"num_split", 2}});
  EXPECT_EQ(split.num_outputs(), 2);
  EXPECT_EQ(split.outputs()[1].shape().ToString(), "[?,1]");
  EXPECT_FALSE(split.outputs()[2]);
  EXPECT_FALSE(Output() + 1);
  EXPECT_EQ(Output().name(), "");
  EXPECT_TRUE(t.b.ok());
}

}  // namespace
}  // namespace flowlatch
