#include "ops/dilation_ops.h"

#include "tests/ops/matrix_checks.h"
#include "tests/ops/numbers.h"

namespace flowlatch {
namespace {

using List = std::vector<int64_t>;

class DilationOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterDilationOps(library_).ok()); }
  OpTester Op(const char* name, const char* padding, DType dtype = DType::kFloat32, const List& strides = {1, 1, 1, 1}, const List& rates = {1, 1, 1, 1}) {
    return OpTester(library_, name, {{"T", dtype}, {"strides", strides}, {"rates", rates}, {"padding", padding}});
  }
  OpLibrary library_;
  const Tensor filter_ = Floats({2, 2, 1}, {0.4, 0.3, 0.1, 0});
};

// The answers are TensorFlow's.
TEST_F(DilationOpsTest, Dilation2D) {
  OpTester same = Op("Dilation2D", "SAME"), apart = Op("Dilation2D", "VALID", DType::kFloat32, {1, 1, 1, 1}, {1, 3, 3, 1});
  const Tensor x = Floats({1, 3, 3, 1}, {1, 2, 3, 5, 6, 7, 9, 10, 11});
  ExpectOutput(same, {x, filter_}, Floats({1, 3, 3, 1}, {6, 7, 7.1, 10, 11, 11.1, 10.3, 11.3, 11.4}), 1e-6);
  std::vector<double> sixteen(16);
  for (int i = 0; i < 16; ++i) sixteen[i] = i + 1;
  ExpectOutput(apart, {Numbers(DType::kFloat32, {1, 4, 4, 1}, sixteen), filter_}, Floats({1, 1, 1, 1}, {16}));
  for (const DType dtype : DTypesIn(kRealTypes)) {
    OpTester op = Op("Dilation2D", "VALID", dtype);
    ExpectOutput(op, {Numbers(dtype, {1, 1, 3, 2}, {1, 9, 2, 8, 3, 7}), Numbers(dtype, {1, 2, 2}, {1, 2, 2, 1})}, Numbers(dtype, {1, 1, 2, 2}, {4, 11, 5, 10}));
  }
  OpTester bytes = Op("Dilation2D", "VALID", DType::kUInt8), floats = Op("Dilation2D", "VALID");
  ExpectOutput(bytes, {Numbers(DType::kUInt8, {1, 1, 2, 1}, {241, 242}), Numbers(DType::kUInt8, {1, 2, 1}, {1, 20})}, Numbers(DType::kUInt8, {1, 1, 1, 1}, {242}));
  ExpectOutput(floats, {Floats({1, 1, 2, 1}, {NAN, 1}), Floats({1, 2, 1}, {0.4, 0.25})}, Floats({1, 1, 1, 1}, {1.25}));
  ExpectOutput(floats, {Floats({0, 2, 2, 1}, {}), filter_}, Floats({0, 1, 1, 1}, {}));
  ExpectOutput(floats, {Floats({1, 1, 1, 1}, {1}), filter_}, Floats({1, 0, 0, 1}, {}));
}

TEST_F(DilationOpsTest, Backprop) {
  OpTester input = Op("Dilation2DBackpropInput", "VALID"), filter = Op("Dilation2DBackpropFilter", "VALID");
  const Tensor x = Floats({1, 3, 3, 1}, {5, 1, 5, 2, 9, 1, 5, 1, 1}), dy = Floats({1, 2, 2, 1}, {1, 2, 3, 4});
  ExpectOutput(input, {x, filter_, dy}, Floats({1, 3, 3, 1}, {0, 0, 0, 0, 10, 0, 0, 0, 0}));
  ExpectOutput(filter, {x, filter_, dy}, Floats({2, 2, 1}, {4, 3, 2, 1}));
  const Tensor ones = Floats({1, 3, 3, 1}, {1, 1, 1, 1, 1, 1, 1, 1, 1}), none = Floats({2, 2, 1}, {0, 0, 0, 0});
  ExpectOutput(input, {ones, none, dy}, Floats({1, 3, 3, 1}, {1, 2, 0, 3, 4, 0, 0, 0, 0}));  // the first of equal ones
  ExpectOutput(filter, {ones, none, dy}, Floats({2, 2, 1}, {10, 0, 0, 0}));
  ExpectOutput(input, {Floats({0, 3, 3, 1}, {}), filter_, Floats({0, 2, 2, 1}, {})}, Floats({0, 3, 3, 1}, {}));
  ExpectOutput(filter, {Floats({0, 3, 3, 1}, {}), filter_, Floats({0, 2, 2, 1}, {})}, none);
  ExpectInvalid(input, {x, filter_, Floats({1, 1, 2, 1}, {1, 2})}, "out_backprop: expected shape [1,2,2,1], got [1,1,2,1]");
  ExpectInvalid(filter, {x, filter_, Floats({1, 1, 2, 1}, {1, 2})}, "out_backprop: expected shape [1,2,2,1], got [1,1,2,1]");
}

TEST_F(DilationOpsTest, Errors) {
  OpTester op = Op("Dilation2D", "VALID"), zero = Op("Dilation2D", "VALID", DType::kFloat32, {1, 0, 1, 1}), batch = Op("Dilation2D", "VALID", DType::kFloat32, {2, 1, 1, 1});
  const Tensor x = Floats({1, 2, 2, 1}, {1, 2, 3, 4});
  ExpectInvalid(op, {x, Floats({1, 1, 2}, {1, 2})}, "expected one depth");
  ExpectInvalid(op, {Floats({2, 2, 1}, {1, 2, 3, 4}), filter_}, "expected 4 and 3 dimensions");
  ExpectInvalid(op, {x, Floats({2, 1}, {1, 2})}, "expected 4 and 3 dimensions");
  ExpectInvalid(op, {x, Floats({0, 2, 1}, {})}, "filter: expected at least one row and column");
  ExpectInvalid(zero, {x, filter_}, "strides");
  EXPECT_EQ(batch.Run({x, filter_}).status().code(), absl::StatusCode::kUnimplemented);
}

TEST_F(DilationOpsTest, Shapes) {
  const AttrMap attrs{{"T", DType::kFloat32}, {"strides", List{1, 2, 1, 1}}, {"rates", List{1, 1, 2, 1}}, {"padding", "VALID"}};
  EXPECT_EQ((*InferShapes(library_, "Dilation2D", attrs, {PartialShape::Of({-1, 5, 7, -1}), PartialShape::Of({2, 2, 3})}))[0], PartialShape::Of({-1, 2, 5, 3}));
  EXPECT_EQ((*InferShapes(library_, "Dilation2D", attrs, {PartialShape(), PartialShape()}))[0], PartialShape::UnknownOfRank(4));
  EXPECT_FALSE(InferShapes(library_, "Dilation2D", attrs, {PartialShape::Of({1, 5, 7, 1}), PartialShape::Of({2, 2, 3})}).ok());
  EXPECT_EQ((*InferShapes(library_, "Dilation2DBackpropFilter", attrs, {PartialShape(), PartialShape::Of({2, 2, 3}), PartialShape()}))[0], PartialShape::Of({2, 2, 3}));
}

TEST(DilationGradients, AgreeWithDifferences) {
  for (const char* padding : {"SAME", "VALID"}) {
    ExpectGradients({MadeUp<double>({2, 5, 4, 2}), MadeUp<double>({2, 3, 2}, 0, 2)}, [padding](GraphBuilder& g, const Outputs& x) {
      return g.Op("Dilation2D", {x[0], x[1]}, {{"strides", List{1, 2, 1, 1}}, {"rates", List{1, 2, 1, 1}}, {"padding", padding}}).output();
    });
  }
}

}  // namespace
}  // namespace flowlatch
