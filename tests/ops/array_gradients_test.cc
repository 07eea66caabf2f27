// Gradients of ops that move elements, against differences of the function itself, with shapes that are known before
// the run and with shapes that are not.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "graph/build/graph_builder.h"
#include "tests/ops/tensors.h"
#include "tests/testing/built_graph.h"
#include "tools/gradients/check_gradients.h"

namespace flowlatch {
namespace {

using Function = std::function<Output(GraphBuilder&, const Output&)>;

void CheckWith(const std::vector<int64_t>& dims, const PartialShape& known, const Function& f) {
  const Shape shape = *Shape::Make(dims);
  std::vector<double> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(1.0 + 3.0 * static_cast<double>(i));

  BuiltGraph g;
  const Output x = g.b.Placeholder(DType::kFloat64, known, "x");
  const auto added = AddCheckedGradients(g.b, f(g.b, x), {x});
  ASSERT_TRUE(added.ok()) << added.status();
  auto session = g.NewSession();
  ASSERT_TRUE(session.ok()) << session.status();
  const auto checks = CheckGradients(**session, *added, {{x.name(), *Tensor::FromValues<double>(shape, values)}});
  ASSERT_TRUE(checks.ok()) << checks.status();
  const GradientCheck& check = (*checks)[0];
  EXPECT_EQ(check.reason, "");
  EXPECT_EQ(check.elements, shape.num_elements());
  EXPECT_TRUE(check.Agrees(1e-6)) << "element " << check.worst << ": gradient " << check.gradient << ", difference "
                                  << check.difference;
}

void Check(const std::vector<int64_t>& dims, const Function& f) {
  for (const PartialShape& known :
       {PartialShape(*Shape::Make(dims)), PartialShape::UnknownOfRank(static_cast<int>(dims.size())), PartialShape()}) {
    SCOPED_TRACE(known.ToString());
    CheckWith(dims, known, f);
  }
}

TEST(ArrayGradientsTest, GatherAlongAnyAxis) {
  const auto gather = [](const Tensor& indices, int32_t axis, int64_t batch_dims) -> Function {
    return [=](GraphBuilder& b, const Output& x) {
      return b.Op("GatherV2", {x, indices, axis}, {{"batch_dims", batch_dims}}).output();
    };
  };
  Check({3, 2}, gather(Ints({2, 2}, {0, 2, 2, 2}), 0, 0));
  Check({2, 3, 2}, gather(Ints({2}, {2, 0}), 1, 0));
  Check({2, 3}, gather(Ints({2, 2}, {2, 0, 1, 1}), -1, 0));
  Check({2, 3}, gather(Tensor::Scalar(1), 1, 0));
  Check({2, 3, 2}, gather(Ints({2, 2}, {2, 0, 1, 1}), 1, 1));
  Check({2, 2, 3}, gather(Ints({2, 2}, {2, 0, 1, 1}), 2, 1));
  Check({2, 2, 3}, gather(Ints({2, 2, 1}, {2, 0, 1, 1}), 2, -1));
  Check({2, 3}, gather(Ints({0}, {}), 1, 0));
}

TEST(ArrayGradientsTest, JoinsOfGatheredRows) {
  for (const int32_t axis : {0, 1, -1}) {
    Check({3, 2}, [axis](GraphBuilder& b, const Output& x) {
      const Output joined = b.Op("ConcatV2", {x, x * x, axis}).output();
      const Output padded = b.Op("ConcatV2", {joined, joined, 0}).output();
      return b.Op("GatherV2", {padded, {0, 2, 2, 5}, 0}).output();
    });
    Check({3, 2}, [axis](GraphBuilder& b, const Output& x) { return b.Op("Concat", {axis, x, x * x}).output(); });
  }
}

TEST(ArrayGradientsTest, SplitsAndPacks) {
  Check({4, 2}, [](GraphBuilder& b, const Output& x) {
    const Operation parts = b.Op("Split", {0, x}, {{"num_split", 2}});
    return b.Op("Pack", {parts.output(1), parts.output(1) * 2}, {{"axis", -1}}).output();
  });
  Check({2, 3}, [](GraphBuilder& b, const Output& x) {
    return b.Op("SplitV", {x, std::vector<int64_t>{1, 2}, 1}, {{"num_split", 2}}).output(1);
  });
}

TEST(ArrayGradientsTest, SlicesAndPads) {
  Check({3, 4}, [](GraphBuilder& b, const Output& x) { return b.Op("Slice", {x, {1, 0}, {-1, 2}}).output(); });
  Check({3, 4}, [](GraphBuilder& b, const Output& x) {
    return b.Op("StridedSlice", {x, {2, 0}, {0, 4}, {-1, 3}}, {{"begin_mask", 2}}).output();
  });
  Check({2, 2}, [](GraphBuilder& b, const Output& x) {
    return b.Op("PadV2", {x, {{1, 0}, {0, 2}}, b.Constant(2.0)}).output();
  });
  Check({3}, [](GraphBuilder& b, const Output& x) {
    return b.Op("MirrorPad", {x, Ints({1, 2}, {1, 2})}, {{"mode", "REFLECT"}}).output();
  });
  Check({2, 3}, [](GraphBuilder& b, const Output& x) { return b.Op("Tile", {x, {2, 3}}).output(); });
  Check({2, 1}, [](GraphBuilder& b, const Output& x) { return b.Op("BroadcastTo", {x, {3, 2, 3}}).output(); });
}

TEST(ArrayGradientsTest, RearrangesAndSelects) {
  Check({2, 3}, [](GraphBuilder& b, const Output& x) { return b.Op("Transpose", {x, {1, 0}}).output(); });
  Check({2, 4}, [](GraphBuilder& b, const Output& x) { return b.Op("TopKV2", {x, 2}).output(); });
  Check({4}, [](GraphBuilder& b, const Output& x) {
    return b.Op("TopKV2", {x, 3}, {{"index_type", DType::kInt64}}).output();
  });
  Check({2, 2, 2}, [](GraphBuilder& b, const Output& x) {
    return b.Op("GatherNd", {x, Ints({3, 2}, {1, 1, 0, 1, 1, 1})}).output();
  });
  Check({3, 2}, [](GraphBuilder& b, const Output& x) { return b.Op("GatherNd", {x, Ints({2, 1}, {2, 2})}).output(); });
  Check({4, 2}, [](GraphBuilder& b, const Output& x) {
    const Operation parts = b.Op("DynamicPartition", {x, {1, 0, 1, 1}}, {{"num_partitions", 2}});
    return b.Op("DynamicStitch", {{1}, {0, 2, 3}, parts.output(0), parts.output(1) * 3}, {{"N", 2}}).output();
  });
}

TEST(ArrayGradientsTest, ListsAndOptionals) {
  const AttrMap::Entry doubles{"element_dtype", DType::kFloat64};
  Check({3, 2}, [&](GraphBuilder& b, const Output& x) {
    const Output rows = b.Op("TensorListFromTensor", {x, std::vector<int32_t>{2}}).output();
    const Operation popped = b.Op("TensorListPopBack", {rows, std::vector<int32_t>{2}}, {doubles});
    const Output pushed = b.Op("TensorListPushBack", {popped.output(0), popped.output(1) * popped.output(1)}).output();
    const Output set = b.Op("TensorListSetItem", {pushed, 0, popped.output(1) * 5}).output();
    return b.Op("TensorListGather", {set, {2, 0}, std::vector<int32_t>{2}}, {doubles}).output();
  });
  Check({3, 2}, [&](GraphBuilder& b, const Output& x) {
    const Output pieces = b.Op("TensorListSplit", {x, {-1, 2}, std::vector<int64_t>{1, 2}}).output();
    const Output longer = b.Op("TensorListResize", {pieces, 2}).output();
    return b.Op("TensorListConcatV2", {longer, {-1, 2}, std::vector<int64_t>{1, 2}}, {doubles}).output();
  });
  Check({2}, [](GraphBuilder& b, const Output& x) {
    const Output optional = b.Op("OptionalFromValue", {x, 3}).output();
    const Operation parts = b.Op("OptionalGetValue", {optional},
                                 {{"output_types", std::vector<DType>{DType::kFloat64, DType::kInt32}},
                                  {"output_shapes", std::vector<PartialShape>(2)}});
    return parts.output(0) * parts.output(0);
  });
}

}  // namespace
}  // namespace flowlatch
