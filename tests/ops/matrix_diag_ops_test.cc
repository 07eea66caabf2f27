#include "ops/matrix_diag_ops.h"

#include <algorithm>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

constexpr float kPad = 9;

class MatrixDiagOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterMatrixDiagOps(library_).ok()); }
  OpTester Op(const std::string& name, const std::string& align = "", DType dtype = DType::kFloat32) {
    AttrMap attrs = {{"T", dtype}};
    return OpTester(library_, name, align.empty() ? attrs : attrs.With("align", align));
  }
  void ExpectPart(const Tensor& k, const std::string& align, const Tensor& want) {
    SCOPED_TRACE(k.DebugString() + align);
    OpTester part = Op("MatrixDiagPartV3", align);
    ExpectOutput(part, {matrix_, k, Tensor::Scalar(kPad)}, want);
  }

  OpLibrary library_;
  const Tensor matrix_ = Floats({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const Tensor pad_ = Tensor::Scalar(kPad), open_ = Tensor::Scalar(-1);
};

TEST_F(MatrixDiagOpsTest, Part) {
  ExpectPart(Tensor::Scalar(0), "RIGHT_LEFT", Floats({3}, {0, 5, 10}));
  ExpectPart(Tensor::Scalar(1), "RIGHT_LEFT", Floats({3}, {1, 6, 11}));
  ExpectPart(Tensor::Scalar(-1), "RIGHT_LEFT", Floats({2}, {4, 9}));
  ExpectPart(Ints({1}, {3}), "RIGHT_LEFT", Floats({1}, {3}));
  ExpectPart(Ints({2}, {1, 1}), "RIGHT_LEFT", Floats({3}, {1, 6, 11}));
  ExpectPart(Ints({2}, {-2, -1}), "RIGHT_LEFT", Floats({2, 2}, {4, 9, 8, kPad}));
  ExpectPart(Ints({2}, {-1, 2}), "RIGHT_LEFT", Floats({4, 3}, {kPad, 2, 7, 1, 6, 11, 0, 5, 10, 4, 9, kPad}));
  ExpectPart(Ints({2}, {-1, 2}), "LEFT_RIGHT", Floats({4, 3}, {2, 7, kPad, 1, 6, 11, 0, 5, 10, kPad, 4, 9}));
  ExpectPart(Ints({2}, {-1, 2}), "LEFT_LEFT", Floats({4, 3}, {2, 7, kPad, 1, 6, 11, 0, 5, 10, 4, 9, kPad}));
  ExpectPart(Ints({2}, {-1, 2}), "RIGHT_RIGHT", Floats({4, 3}, {kPad, 2, 7, 1, 6, 11, 0, 5, 10, kPad, 4, 9}));
  OpTester v1 = Op("MatrixDiagPart"), v2 = Op("MatrixDiagPartV2"), strings = Op("MatrixDiagPart", "", DType::kString);
  ExpectOutput(v1, {Floats({2, 2, 1}, {1, 2, 3, 4})}, Floats({2, 1}, {1, 3}));
  ExpectOutput(v2, {matrix_, Ints({2}, {1, 2}), pad_}, Floats({2, 3}, {2, 7, kPad, 1, 6, 11}));
  ExpectOutput(strings, {Strings({2, 2}, {"a", "b", "c", "a long string that is stored elsewhere"})},
               Strings({2}, {"a", "a long string that is stored elsewhere"}));
  ExpectOutput(v1, {Floats({0, 3}, {})}, Floats({0}, {}));
  ExpectOutput(v1, {Floats({0, 3, 3}, {})}, Floats({0, 3}, {}));
}

TEST_F(MatrixDiagOpsTest, Diag) {
  const auto expect = [&](const Tensor& diagonal, const Tensor& k, int32_t rows, int32_t cols, const Tensor& want) {
    SCOPED_TRACE(k.DebugString());
    OpTester diag = Op("MatrixDiagV3", "RIGHT_LEFT");
    ExpectOutput(diag, {diagonal, k, Tensor::Scalar(rows), Tensor::Scalar(cols), pad_}, want);
  };
  const Tensor x = Floats({2}, {1, 2});
  expect(x, Tensor::Scalar(1), -1, -1, Floats({3, 3}, {9, 1, 9, 9, 9, 2, 9, 9, 9}));
  expect(x, Tensor::Scalar(1), 2, -1, Floats({2, 3}, {9, 1, 9, 9, 9, 2}));
  expect(x, Tensor::Scalar(-1), -1, 2, Floats({3, 2}, {9, 9, 1, 9, 9, 2}));
  expect(x, Tensor::Scalar(0), 2, 3, Floats({2, 3}, {1, 9, 9, 9, 2, 9}));
  expect(Floats({2, 2}, {1, 2, 3, 4}), Ints({2}, {0, 1}), -1, -1, Floats({2, 2}, {3, 2, 9, 4}));
  expect(Floats({2, 1}, {1, 2}), Tensor::Scalar(0), -1, 2, Floats({2, 1, 2}, {1, 9, 2, 9}));
  expect(Floats({0}, {}), Tensor::Scalar(0), -1, -1, Floats({0, 0}, {}));
  expect(Floats({0}, {}), Tensor::Scalar(2), -1, -1, Floats({2, 2}, {9, 9, 9, 9}));
  OpTester v1 = Op("MatrixDiag"), v2 = Op("MatrixDiagV2");
  ExpectOutput(v1, {x}, Floats({2, 2}, {1, 0, 0, 2}));
  ExpectOutput(v2, {Floats({2, 2}, {1, 2, 3, 4}), Ints({2}, {0, 1}), open_, open_, pad_}, Floats({2, 2}, {3, 1, 9, 4}));
}

TEST_F(MatrixDiagOpsTest, SetDiag) {
  const auto expect = [&](const Tensor& diagonal, const Tensor& k, const char* align, const Tensor& want) {
    SCOPED_TRACE(k.DebugString() + align);
    OpTester set = Op("MatrixSetDiagV3", align);
    ExpectOutput(set, {matrix_, diagonal, k}, want);
  };
  expect(Floats({2}, {-1, -2}), Tensor::Scalar(-1), "RIGHT_LEFT",
         Floats({3, 4}, {0, 1, 2, 3, -1, 5, 6, 7, 8, -2, 10, 11}));
  expect(Floats({2, 3}, {-1, -2, -3, -4, -5, -6}), Ints({2}, {0, 1}), "LEFT_RIGHT",
         Floats({3, 4}, {-4, -1, 2, 3, 4, -5, -2, 7, 8, 9, -6, -3}));
  expect(Floats({2, 2}, {-1, -2, kPad, -3}), Ints({2}, {-2, -1}), "RIGHT_RIGHT",
         Floats({3, 4}, {0, 1, 2, 3, -1, 5, 6, 7, -3, -2, 10, 11}));
  OpTester v1 = Op("MatrixSetDiag"), v2 = Op("MatrixSetDiagV2");
  ExpectOutput(v1, {Floats({2, 1, 2}, {1, 2, 3, 4}), Floats({2, 1}, {8, 9})}, Floats({2, 1, 2}, {8, 2, 9, 4}));
  ExpectOutput(v2, {Floats({1, 2}, {1, 2}), Floats({1}, {8}), Tensor::Scalar(1)}, Floats({1, 2}, {1, 8}));
  ExpectOutput(v1, {Floats({0, 3}, {}), Floats({0}, {})}, Floats({0, 3}, {}));
}

TEST_F(MatrixDiagOpsTest, ManyMatrices) {
  constexpr int64_t kBatch = 3000;
  absl::StatusOr<Tensor> x = Tensor::Make(DType::kInt32, {kBatch, 5});
  ASSERT_TRUE(x.ok());
  for (int64_t i = 0; i < x->num_elements(); ++i) x->mutable_data<int32_t>()[i] = static_cast<int32_t>(i);
  OpTester diag = Op("MatrixDiag", "", DType::kInt32), part = Op("MatrixDiagPart", "", DType::kInt32);
  const Tensor matrices = diag.Run({*x}).value()[0];
  EXPECT_EQ(std::count(matrices.values<int32_t>().begin(), matrices.values<int32_t>().end(), 0), kBatch * 20 + 1);
  ExpectOutput(part, {matrices}, *x);
}

TEST_F(MatrixDiagOpsTest, Errors) {
  OpTester part = Op("MatrixDiagPartV3", "RIGHT_LEFT"), diag = Op("MatrixDiagV3", "RIGHT_LEFT"),
           set = Op("MatrixSetDiagV3", "RIGHT_LEFT"), v1 = Op("MatrixDiag");
  const auto bad_k = [&](const Tensor& k, const char* text) {
    SCOPED_TRACE(text);
    ExpectInvalid(part, {matrix_, k, pad_}, text);
    ExpectInvalid(set, {matrix_, Floats({1}, {1}), k}, text);
  };
  bad_k(Ints({2}, {2, 1}), "k: expected ascending values, got [2,1]");
  bad_k(Ints({3}, {0, 1, 2}), "k: expected one or two values, got 3");
  bad_k(Ints({0}, {}), "k: expected one or two values, got 0");
  bad_k(Ints({1, 1}, {0}), "k: expected a vector");
  bad_k(Tensor::Scalar(4), "k: expected diagonals between -3 and 4 (both excluded), got 4");
  bad_k(Ints({2}, {-3, 0}), "got -3");
  ExpectInvalid(part, {Floats({3}, {1, 2, 3}), Tensor::Scalar(0), pad_}, "input: expected rank >= 2, got shape [3]");
  ExpectInvalid(set, {matrix_, Floats({2}, {1, 2}), Tensor::Scalar(0)}, "diagonal: expected shape [3], got [2]");
  const Tensor x = Floats({2}, {1, 2}), two = Tensor::Scalar(2);
  ExpectInvalid(diag, {x, Tensor::Scalar(0), Tensor::Scalar(1), open_, pad_}, "expected 2 rows or 2 columns");
  ExpectInvalid(diag, {x, Tensor::Scalar(0), Tensor::Scalar(3), Tensor::Scalar(4), pad_}, "got 3 and 4");
  ExpectInvalid(diag, {x, Ints({2}, {0, 1}), open_, open_, pad_}, "diagonal: expected rank >= 2, got shape [2]");
  ExpectInvalid(diag, {Floats({1, 2}, {1, 2}), Ints({2}, {0, 1}), open_, open_, pad_}, "expected 2 diagonals");
  ExpectInvalid(diag, {x, Tensor::Scalar(0), Ints({1}, {2}), two, pad_}, "num_rows: expected a scalar");
  ExpectInvalid(part, {matrix_, two, Floats({0}, {})}, "padding_value: expected a scalar, got shape [0]");
  ExpectInvalid(diag, {x, two, open_, open_, Floats({2}, {1, 2})}, "padding_value: expected a scalar, got shape [2]");
  ExpectInvalid(v1, {Tensor::Scalar(1.0f)}, "diagonal: expected rank >= 1, got shape []");
}

TEST_F(MatrixDiagOpsTest, Shapes) {
  const AttrMap attrs = {{"T", DType::kFloat32}};
  const PartialShape scalar = PartialShape::Of({}), unknown;
  const Tensor band = Ints({2}, {-1, 1}), one = Tensor::Scalar(1), minus = Tensor::Scalar(-1);
  const auto infer = [&](const char* op, std::vector<PartialShape> inputs, std::vector<const Tensor*> constants = {}) {
    return InferShapes(library_, op, attrs, inputs, constants);
  };
  EXPECT_EQ(infer("MatrixDiagPart", {PartialShape::Of({-1, 3, 4})}).value()[0], PartialShape::Of({-1, 3}));
  EXPECT_EQ(infer("MatrixDiagPart", {PartialShape::Of({2, -1, 4})}).value()[0], PartialShape::Of({2, -1}));
  EXPECT_EQ(infer("MatrixDiagPartV3", {PartialShape::Of({2, 3, 4}), unknown, scalar}, {nullptr, &band}).value()[0],
            PartialShape::Of({2, 3, 3}));
  EXPECT_EQ(infer("MatrixDiagPartV3", {PartialShape::Of({2, 3, 4}), unknown, scalar}).value()[0], unknown);
  EXPECT_FALSE(infer("MatrixDiagPart", {PartialShape::Of({3})}).ok());
  EXPECT_EQ(infer("MatrixDiag", {PartialShape::Of({-1, 3})}).value()[0], PartialShape::Of({-1, 3, 3}));
  EXPECT_EQ(
      infer("MatrixDiagV3", {PartialShape::Of({5, 3}), scalar, scalar, scalar, scalar}, {nullptr, &one, &minus, &minus})
          .value()[0],
      PartialShape::Of({5, 4, 4}));
  EXPECT_EQ(
      infer("MatrixDiagV3", {PartialShape::Of({5, 3}), scalar, scalar, scalar, scalar}, {nullptr, &one}).value()[0],
      PartialShape::Of({5, -1, -1}));
  EXPECT_EQ(infer("MatrixSetDiag", {PartialShape::Of({-1, 3, 4}), PartialShape::Of({-1, 3})}).value()[0],
            PartialShape::Of({-1, 3, 4}));
  EXPECT_FALSE(infer("MatrixSetDiag", {PartialShape::Of({2, 3, 4}), PartialShape::Of({3, 3})}).ok());
}

}  // namespace
}  // namespace flowlatch
