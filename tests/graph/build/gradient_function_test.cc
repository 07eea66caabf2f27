#include "graph/build/gradient_function.h"

#include <gtest/gtest.h>

#include "ops/default_ops.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

TEST(GradientFunction, IsBuiltOnceAndCalled) {
  BuiltGraph t;
  const FunctionValue f = t.b.Function("f", {{DType::kFloat32, Shape()}, {DType::kInt32, Shape()}},
                                       [&](const Outputs& a) { return Outputs{a[0] * a[0] * 3, a[1]}; });
  const std::shared_ptr<FunctionLibrary> library = t.b.graph().shared_library();
  const absl::StatusOr<FunctionRef> gradient = GradientFunction(library, DefaultOps().registry(), f.ref());
  ASSERT_TRUE(gradient.ok()) << gradient.status();
  EXPECT_EQ(*gradient, *GradientFunction(library, DefaultOps().registry(), f.ref()));
  // The op does the same.
  const Operation op = t.b.Op("SymbolicGradient", {2.0f, 5, 1.0f, 1}, {{"Tout", std::vector<DType>{DType::kFloat32, DType::kInt32}}, {"f", f.ref()}});
  EXPECT_EQ(t.Run({}, {op.output(0), op.output(1)}), "float32[] = 12; int32[] = 0");
}

TEST(GradientFunction, OfWhatIsNotThere) {
  Graph graph(DefaultOps().registry());
  EXPECT_EQ(GradientFunction(graph.shared_library(), DefaultOps().registry(), {"nobody", {}}).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace flowlatch
