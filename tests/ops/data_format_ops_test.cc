#include "ops/data_format_ops.h"

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class DataFormatOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterDataFormatOps(library_).ok()); }
  OpTester Op(const char* name, const char* from = "NHWC", const char* to = "NCHW", DType dtype = DType::kInt32) {
    return OpTester(library_, name, {{"T", dtype}, {"src_format", from}, {"dst_format", to}});
  }
  OpLibrary library_;
};

TEST_F(DataFormatOpsTest, DimMap) {
  OpTester op = Op("DataFormatDimMap"), five = Op("DataFormatDimMap", "NDHWC", "NCDHW"), other = Op("DataFormatDimMap", "NHWC", "HWNC");
  OpTester longs = Op("DataFormatDimMap", "NHWC", "NCHW", DType::kInt64);
  ExpectOutput(op, {Ints({8}, {0, 1, 2, 3, -1, -4, 4, -5})}, Ints({8}, {0, 2, 3, 1, 1, 0, 0, 1}));
  ExpectOutput(five, {Ints({5}, {0, 1, 2, 3, 4})}, Ints({5}, {0, 2, 3, 4, 1}));
  ExpectOutput(other, {Ints({2, 2}, {0, 1, 2, 3})}, Ints({2, 2}, {2, 0, 1, 3}));
  ExpectOutput(longs, {Tensor::Scalar(int64_t{3})}, Tensor::Scalar(int64_t{1}));
  ExpectOutput(op, {Ints({0}, {})}, Ints({0}, {}));
}

TEST_F(DataFormatOpsTest, VecPermute) {
  OpTester op = Op("DataFormatVecPermute"), five = Op("DataFormatVecPermute", "NDHWC", "NCDHW"), turned = Op("DataFormatVecPermute", "NHWC", "WHNC");
  ExpectOutput(op, {Ints({4}, {1, 2, 3, 4})}, Ints({4}, {1, 4, 2, 3}));
  ExpectOutput(op, {Ints({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})}, Ints({4, 2}, {1, 2, 7, 8, 3, 4, 5, 6}));
  ExpectOutput(op, {Ints({2}, {7, 8})}, Ints({2}, {7, 8}));
  ExpectOutput(op, {Ints({2, 2}, {1, 2, 3, 4})}, Ints({2, 2}, {1, 2, 3, 4}));
  ExpectOutput(turned, {Ints({2}, {7, 8})}, Ints({2}, {8, 7}));
  ExpectOutput(five, {Ints({5}, {1, 2, 3, 4, 5})}, Ints({5}, {1, 5, 2, 3, 4}));
  ExpectOutput(five, {Ints({3}, {1, 2, 3})}, Ints({3}, {1, 2, 3}));
  for (const Tensor& bad : {Ints({3}, {1, 2, 3}), Ints({0}, {}), Tensor::Scalar(3), Ints({4, 1}, {1, 2, 3, 4}), Ints({1, 1, 1}, {1})}) {
    ExpectInvalid(op, {bad}, "x: expected a value or a pair of values for each dimension");
  }
}

TEST_F(DataFormatOpsTest, FormatsMustBePermutations) {
  for (const char* name : {"DataFormatDimMap", "DataFormatVecPermute"}) {
    for (const auto& [from, to] : {std::pair{"NHWC", "NCDHW"}, {"NHWC", "NCHX"}, {"NHHC", "NHHC"}, {"NHW", "WHN"}, {"", ""}}) {
      OpTester op = Op(name, from, to);
      ExpectInvalid(op, {Ints({4}, {0, 1, 2, 3})}, "expected the same 4 or 5 letters");
    }
  }
}

TEST_F(DataFormatOpsTest, Shapes) {
  EXPECT_EQ((*InferShapes(library_, "DataFormatVecPermute", {}, {PartialShape::Of({4, -1})}))[0], PartialShape::Of({4, -1}));
  EXPECT_EQ((*InferShapes(library_, "DataFormatDimMap", {}, {PartialShape()}))[0], PartialShape());
}

}  // namespace
}  // namespace flowlatch
