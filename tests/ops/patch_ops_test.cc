#include "ops/patch_ops.h"

#include "tests/ops/matrix_checks.h"
#include "tests/ops/numbers.h"

namespace flowlatch {
namespace {

using List = std::vector<int64_t>;

class PatchOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterPatchOps(library_).ok()); }
  OpTester Images(const List& ksizes, const List& strides, const List& rates, const char* padding, DType dtype = DType::kFloat32) {
    return OpTester(library_, "ExtractImagePatches", {{"T", dtype}, {"ksizes", ksizes}, {"strides", strides}, {"rates", rates}, {"padding", padding}});
  }
  OpTester Volumes(const List& ksizes, const List& strides, const char* padding) {
    return OpTester(library_, "ExtractVolumePatches", {{"T", DType::kFloat32}, {"ksizes", ksizes}, {"strides", strides}, {"padding", padding}});
  }
  OpLibrary library_;
};

TEST_F(PatchOpsTest, Images) {
  const List one{1, 1, 1, 1}, two{1, 2, 2, 1};
  std::vector<double> sixteen(16);
  for (int i = 0; i < 16; ++i) sixteen[i] = i + 1;
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kInt8, DType::kInt64, DType::kComplex128}) {
    OpTester op = Images(two, two, one, "VALID", dtype);
    ExpectOutput(op, {Numbers(dtype, {1, 4, 4, 1}, sixteen)}, Numbers(dtype, {1, 2, 2, 4}, {1, 2, 5, 6, 3, 4, 7, 8, 9, 10, 13, 14, 11, 12, 15, 16}));
  }
  OpTester apart = Images(two, {1, 3, 3, 1}, two, "SAME"), same = Images(two, two, one, "SAME"), wide = Images({1, 5, 5, 1}, two, one, "VALID");
  const Tensor nine = Floats({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  ExpectOutput(apart, {nine}, Floats({1, 1, 1, 4}, {1, 3, 7, 9}));
  ExpectOutput(same, {nine}, Floats({1, 2, 2, 4}, {1, 2, 4, 5, 3, 0, 6, 0, 7, 8, 0, 0, 9, 0, 0, 0}));
  ExpectOutput(same, {Floats({2, 1, 1, 2}, {1, 2, 3, 4})}, Floats({2, 1, 1, 8}, {1, 2, 0, 0, 0, 0, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0}));
  ExpectOutput(wide, {Numbers(DType::kFloat32, {1, 4, 4, 1}, sixteen)}, Floats({1, 0, 0, 25}, {}));
  ExpectOutput(same, {Floats({0, 3, 3, 1}, {})}, Floats({0, 2, 2, 4}, {}));
  ExpectOutput(same, {Floats({1, 3, 3, 0}, {})}, Floats({1, 2, 2, 0}, {}));
  ExpectOutput(same, {Floats({1, 0, 3, 1}, {})}, Floats({1, 0, 2, 4}, {}));
}

TEST_F(PatchOpsTest, Volumes) {
  const List one{1, 1, 1, 1, 1};
  OpTester op = Volumes({1, 1, 2, 2, 1}, one, "SAME"), whole = Volumes({1, 2, 2, 2, 1}, one, "VALID");
  const Tensor x = Floats({1, 2, 2, 2, 1}, {1, 2, 3, 4, 5, 6, 7, 8});
  ExpectOutput(op, {x}, Floats({1, 2, 2, 2, 4}, {1, 2, 3, 4, 2, 0, 4, 0, 3, 4, 0, 0, 4, 0, 0, 0, 5, 6, 7, 8, 6, 0, 8, 0, 7, 8, 0, 0, 8, 0, 0, 0}));
  ExpectOutput(whole, {x}, Floats({1, 1, 1, 1, 8}, {1, 2, 3, 4, 5, 6, 7, 8}));
  ExpectInvalid(whole, {Floats({2, 2, 2, 1}, {1, 2, 3, 4, 5, 6, 7, 8})}, "input: expected 5 dimensions, got shape [2,2,2,1]");
}

TEST_F(PatchOpsTest, Errors) {
  const List one{1, 1, 1, 1}, two{1, 2, 2, 1};
  const Tensor x = Floats({1, 2, 2, 1}, {1, 2, 3, 4});
  OpTester batch = Images({2, 2, 2, 1}, one, one, "VALID"), zero = Images(two, {1, 0, 1, 1}, one, "VALID");
  OpTester few = Images({1, 2, 2}, one, one, "VALID"), op = Images(two, one, one, "VALID");
  EXPECT_EQ(batch.Run({x}).status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(zero.Run({x}).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_FALSE(few.Run({x}).ok());
  ExpectInvalid(op, {Floats({1, 2, 2}, {1, 2, 3, 4})}, "input: expected 4 dimensions");
  const int64_t big = (int64_t{1} << 31) - 1;
  OpTester huge = Images({1, big, big, 1}, one, one, "SAME");
  EXPECT_FALSE(huge.Run({Floats({1, 1, 1, 4}, {1, 2, 3, 4})}).ok());
}

TEST_F(PatchOpsTest, Shapes) {
  const AttrMap attrs{{"T", DType::kFloat32}, {"ksizes", List{1, 2, 3, 1}}, {"strides", List{1, 2, 2, 1}}, {"rates", List{1, 1, 1, 1}}, {"padding", "SAME"}};
  EXPECT_EQ((*InferShapes(library_, "ExtractImagePatches", attrs, {PartialShape::Of({-1, 5, -1, 2})}))[0], PartialShape::Of({-1, 3, -1, 12}));
  EXPECT_EQ((*InferShapes(library_, "ExtractImagePatches", attrs, {PartialShape()}))[0], PartialShape::UnknownOfRank(4));
  EXPECT_FALSE(InferShapes(library_, "ExtractImagePatches", attrs, {PartialShape::Of({1, 2, 3})}).ok());
}

TEST(PatchGradients, AgreeWithDifferences) {
  for (const char* padding : {"SAME", "VALID"}) {
    ExpectGradients({MadeUp<double>({2, 4, 5, 2})}, [padding](GraphBuilder& g, const Outputs& x) {
      return g.Op("ExtractImagePatches", {x[0]}, {{"ksizes", List{1, 2, 3, 1}}, {"strides", List{1, 1, 2, 1}}, {"rates", List{1, 2, 1, 1}}, {"padding", padding}}).output();
    });
    ExpectGradients({MadeUp<double>({1, 2, 3, 3, 2})}, [padding](GraphBuilder& g, const Outputs& x) {
      return g.Op("ExtractVolumePatches", {x[0]}, {{"ksizes", List{1, 2, 2, 2, 1}}, {"strides", List{1, 1, 1, 2, 1}}, {"padding", padding}}).output();
    });
  }
}

}  // namespace
}  // namespace flowlatch
