#include "ops/composite_tensor_ops.h"

#include "graph/build/gradients.h"
#include "tests/ops/tensors.h"
#include "tests/testing/built_graph.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

using Results = absl::StatusOr<std::vector<Tensor>>;

const char kRagged[] = "\n\2\10\3";  // {1: {1: 3}}
const char kSparse[] = "\n\2\10\1";

class CompositeTensorOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterCompositeTensorOps(library_).ok()); }
  Results Encode(std::vector<Tensor> components, const std::string& metadata = kRagged) {
    std::vector<DType> dtypes;
    for (const Tensor& t : components) dtypes.push_back(t.dtype());
    return step_.Run("CompositeTensorVariantFromComponents", {{"metadata", metadata}, {"Tcomponents", dtypes}},
                     std::move(components));
  }
  Results Decode(const Tensor& encoded, std::vector<DType> dtypes, const std::string& metadata = kRagged) {
    return step_.Run("CompositeTensorVariantToComponents", {{"metadata", metadata}, {"Tcomponents", dtypes}},
                     {encoded});
  }

  OpLibrary library_;
  ResourceManager resources_;
  StepRunner step_{library_, &resources_};
};

TEST_F(CompositeTensorOpsTest, ThereAndBack) {
  const Tensor values = Floats({3}, {1, 2, 3}), splits = Longs({2}, {0, 3});
  const Results encoded = Encode({values, splits});
  ASSERT_TRUE(encoded.ok()) << encoded.status();
  EXPECT_TRUE((*encoded)[0].is_scalar());
  const Results decoded = Decode((*encoded)[0], {DType::kFloat32, DType::kInt64});
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(Difference((*decoded)[0], values), "");
  EXPECT_EQ(Difference((*decoded)[1], splits), "");
  const Results none = Encode({}, "");
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_TRUE(Decode((*none)[0], {}, "").ok());
}

TEST_F(CompositeTensorOpsTest, Errors) {
  const Tensor encoded = Encode({Ints({1}, {1}), Longs({1}, {2})}).value()[0];
  ExpectInvalid(Decode(encoded, {DType::kFloat32, DType::kInt64}).status(),
                "component 0 of encoded: expected float32, got int32");
  ExpectInvalid(Decode(encoded, {DType::kInt32}).status(), "encoded: expected 1 components, got 2");
  ExpectInvalid(Decode(encoded, {DType::kInt32, DType::kInt64}, kSparse).status(), "expected a tensor of class 1");
  ExpectInvalid(Decode(encoded, {DType::kInt32, DType::kInt64}, "\n\7\10").status(), "metadata");
  ExpectInvalid(Decode(Tensor::Scalar(Variant()), {DType::kInt32}).status(), "expected a scalar composite tensor");
  ExpectInvalid(Decode(Tensor::Make(DType::kVariant, {2}).value(), {DType::kInt32}).status(), "expected a scalar");
  ExpectInvalid(Encode({}, "\xff").status(), "metadata");
}

TEST_F(CompositeTensorOpsTest, Shapes) {
  const AttrMap attrs = {{"metadata", ""}, {"Tcomponents", std::vector<DType>{DType::kFloat32}}};
  EXPECT_EQ(InferShapes(library_, "CompositeTensorVariantFromComponents", attrs, {PartialShape()}).value()[0],
            PartialShape(Shape()));
  EXPECT_EQ(InferShapes(library_, "CompositeTensorVariantToComponents", attrs, {PartialShape()}).value()[0],
            PartialShape());
  ExpectInvalid(InferShapes(library_, "CompositeTensorVariantToComponents", attrs, {PartialShape::Of({2})}).status(),
                "rank");
}

TEST(CompositeTensorGradient, PassesThroughTheComponents) {
  BuiltGraph g;
  const Output x = g.b.Constant(Floats({3}, {1, 2, 3}));
  const AttrMap::Entry metadata = {"metadata", kRagged};
  const AttrMap::Entry dtypes = {"Tcomponents", std::vector<DType>{DType::kFloat32, DType::kInt64}};
  const Output encoded =
      g.b.Op("CompositeTensorVariantFromComponents", {x, g.b.Constant(Longs({2}, {0, 3}))}, {metadata, dtypes})
          .output();
  const Operation decoded = g.b.Op("CompositeTensorVariantToComponents", {encoded}, {metadata, dtypes});
  const Output y = decoded.output(0) * decoded.output(0);
  EXPECT_EQ(g.Run({}, {Gradients(g.b, {y}, {x})[0].dense()}), "float32[3] = [2 4 6]");
}

}  // namespace
}  // namespace flowlatch
