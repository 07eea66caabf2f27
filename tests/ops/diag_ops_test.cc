#include "ops/diag_ops.h"

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class DiagOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterDiagOps(library_).ok()); }
  OpTester Op(const std::string& name, DType dtype = DType::kInt32) { return OpTester(library_, name, {{"T", dtype}}); }
  OpLibrary library_;
};

TEST_F(DiagOpsTest, ThereAndBack) {
  OpTester diag = Op("Diag"), part = Op("DiagPart");
  const Tensor matrix = Ints({2, 2}, {1, 2, 3, 4});
  const Tensor square = Ints({2, 2, 2, 2}, {1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4});
  ExpectOutput(diag, {matrix}, square);
  ExpectOutput(part, {square}, matrix);
  ExpectOutput(diag, {Ints({3}, {5, 6, 7})}, Ints({3, 3}, {5, 0, 0, 0, 6, 0, 0, 0, 7}));
  ExpectOutput(diag, {Ints({0}, {})}, Ints({0, 0}, {}));
  ExpectOutput(part, {Ints({0, 0}, {})}, Ints({0}, {}));
}

TEST_F(DiagOpsTest, Large) {
  absl::StatusOr<Tensor> x = Tensor::Make(DType::kInt32, {500});
  ASSERT_TRUE(x.ok());
  for (int i = 0; i < 500; ++i) x->mutable_data<int32_t>()[i] = i + 1;
  OpTester diag = Op("Diag");
  const Tensor y = diag.Run({*x}).value()[0];
  for (int i = 0; i < 500; ++i) {
    for (int k = 0; k < 500; ++k) ASSERT_EQ(y.data<int32_t>()[i * 500 + k], i == k ? i + 1 : 0);
  }
}

TEST_F(DiagOpsTest, Errors) {
  OpTester diag = Op("Diag"), part = Op("DiagPart");
  ExpectInvalid(diag, {Tensor::Scalar(1)}, "diagonal: expected at least one dimension, got shape []");
  ExpectInvalid(part, {Tensor::Scalar(1)}, "input: expected dimensions and then the same ones again, got shape []");
  ExpectInvalid(part, {Ints({2, 1}, {1, 2})}, "got shape [2,1]");
  ExpectInvalid(part, {Ints({1, 1, 1}, {1})}, "got shape [1,1,1]");
}

TEST_F(DiagOpsTest, Shapes) {
  const AttrMap attrs{{"T", DType::kInt32}};
  EXPECT_EQ((*InferShapes(library_, "Diag", attrs, {PartialShape::Of({2, -1})}))[0], PartialShape::Of({2, -1, 2, -1}));
  EXPECT_FALSE((*InferShapes(library_, "Diag", attrs, {PartialShape()}))[0].has_rank());
  EXPECT_EQ((*InferShapes(library_, "DiagPart", attrs, {PartialShape::Of({2, -1, -1, 3})}))[0],
            PartialShape::Of({2, 3}));
  EXPECT_FALSE(InferShapes(library_, "DiagPart", attrs, {PartialShape::Of({2, 3})}).ok());
}

}  // namespace
}  // namespace flowlatch
