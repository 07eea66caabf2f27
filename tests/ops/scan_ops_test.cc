#include "ops/scan_ops.h"

#include <limits>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class ScanOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterScanOps(library_).ok()); }
  OpTester Op(const std::string& op, DType t, bool exclusive = false, bool reverse = false) {
    return OpTester(library_, op, {{"T", t}, {"Tidx", DType::kInt32}, {"exclusive", exclusive}, {"reverse", reverse}});
  }

  OpLibrary library_;
};

TEST_F(ScanOpsTest, EveryMode) {
  const Tensor x = Ints({3}, {1, 2, 3});
  const struct {
    bool exclusive, reverse;
    Tensor sum, prod;
  } cases[] = {
      {false, false, Ints({3}, {1, 3, 6}), Ints({3}, {1, 2, 6})},
      {false, true, Ints({3}, {6, 5, 3}), Ints({3}, {6, 6, 3})},
      {true, false, Ints({3}, {0, 1, 3}), Ints({3}, {1, 1, 2})},
      {true, true, Ints({3}, {5, 3, 0}), Ints({3}, {6, 3, 1})},
  };
  for (const auto& [exclusive, reverse, sum, prod] : cases) {
    SCOPED_TRACE(testing::Message() << "exclusive " << exclusive << " reverse " << reverse);
    OpTester sums = Op("Cumsum", DType::kInt32, exclusive, reverse), prods = Op("Cumprod", DType::kInt32, exclusive, reverse);
    ExpectOutput(sums, {x, Tensor::Scalar(0)}, sum);
    ExpectOutput(prods, {x, Tensor::Scalar(-1)}, prod);
  }
}

TEST_F(ScanOpsTest, LogSumExp) {
  constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
  const Tensor x = Of<double>({5}, {-1, 0, 2, 1, -kInf});
  const struct {
    bool exclusive, reverse;
    Tensor want;
  } cases[] = {
      {false, false,
       Of<double>({5}, {-1, 0.31326168751822286, 2.1698460195562856, 2.4401896985611953, 2.4401896985611953})},
      {false, true, Of<double>({5}, {2.4401896985611953, 2.407605964444380, 2.313261687518223, 1, -kInf})},
      {true, false, Of<double>({5}, {-kInf, -1, 0.31326168751822286, 2.1698460195562856, 2.4401896985611953})},
      {true, true, Of<double>({5}, {2.407605964444380, 2.313261687518223, 1, -kInf, -kInf})},
  };
  for (const auto& [exclusive, reverse, want] : cases) {
    SCOPED_TRACE(testing::Message() << "exclusive " << exclusive << " reverse " << reverse);
    OpTester op = Op("CumulativeLogsumexp", DType::kFloat64, exclusive, reverse);
    ExpectOutput(op, {x, Tensor::Scalar(0)}, want, 1e-14);
  }
  OpTester op = Op("CumulativeLogsumexp", DType::kFloat64);
  ExpectOutput(op, {Of<double>({4}, {1000, 1000, kInf, kNan}), Tensor::Scalar(0)},
               Of<double>({4}, {1000, 1000.6931471805599, kInf, kNan}), 1e-12);
}

TEST_F(ScanOpsTest, EachDimension) {
  OpTester sum = Op("Cumsum", DType::kFloat32), backwards = Op("Cumsum", DType::kFloat32, true, true);
  const Tensor x = Floats({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  ExpectOutput(sum, {x, Tensor::Scalar(0)}, Floats({2, 2, 2}, {1, 2, 3, 4, 6, 8, 10, 12}));
  ExpectOutput(sum, {x, Tensor::Scalar(1)}, Floats({2, 2, 2}, {1, 2, 4, 6, 5, 6, 12, 14}));
  ExpectOutput(sum, {x, Tensor::Scalar(2)}, Floats({2, 2, 2}, {1, 3, 3, 7, 5, 11, 7, 15}));
  ExpectOutput(backwards, {x, Tensor::Scalar(1)}, Floats({2, 2, 2}, {3, 4, 0, 0, 7, 8, 0, 0}));
  ExpectOutput(sum, {Floats({2, 0}, {}), Tensor::Scalar(1)}, Floats({2, 0}, {}));
}

TEST_F(ScanOpsTest, RunsInTheElementType) {
  OpTester bytes = Op("Cumsum", DType::kUInt8);
  ExpectOutput(bytes, {Of<uint8_t>({2}, {200, 200}), Tensor::Scalar(0)}, Of<uint8_t>({2}, {200, 144}));
  OpTester halves = Op("Cumsum", DType::kFloat16);
  const auto got = halves.Run({Tensor::Vector<Half>(std::vector<Half>(3000, Half(1.0f))), Tensor::Scalar(0)});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(static_cast<float>((*got)[0].data<Half>()[2999]), 2048.0f);
  using C = std::complex<float>;
  OpTester complexes = Op("Cumprod", DType::kComplex64);
  ExpectOutput(complexes, {Of<C>({2}, {C(0, 1), C(0, 1)}), Tensor::Scalar(0)}, Of<C>({2}, {C(0, 1), C(-1, 0)}));
}

TEST_F(ScanOpsTest, ManyColumnsFromSeveralThreads) {
  std::vector<int32_t> values(100 * 999), want(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int32_t>(i % 97);
    want[i] = values[i] + (i >= 999 ? want[i - 999] : 0);
  }
  OpTester sum = Op("Cumsum", DType::kInt32);
  const Shape shape = Shape::Of({100, 999});
  ExpectOutput(sum, {*Tensor::FromValues<int32_t>(shape, values), Tensor::Scalar(0)}, *Tensor::FromValues<int32_t>(shape, want));
}

TEST_F(ScanOpsTest, RejectsAndShape) {
  OpTester sum = Op("Cumsum", DType::kInt32);
  ExpectInvalid(sum, {Ints({1}, {1}), Tensor::Scalar(1)}, "axis: expected a value in [-1,1), got 1");
  ExpectInvalid(sum, {Tensor::Scalar(1), Tensor::Scalar(0)}, "axis: expected a value in [0,0), got 0");
  ExpectInvalid(sum, {Ints({1}, {1}), Ints({1}, {0})}, "axis: expected a scalar");
  const Tensor far = Tensor::Scalar(4);
  const PartialShape input = PartialShape::Of({2, -1}), scalar = PartialShape::Of({});
  EXPECT_EQ((*InferShapes(library_, "Cumsum", {{"T", DType::kInt32}}, {input, scalar}))[0], input);
  EXPECT_EQ((*InferShapes(library_, "Cumsum", {{"T", DType::kInt32}}, {PartialShape(), scalar}))[0], PartialShape());
  ExpectInvalid(InferShapes(library_, "Cumsum", {{"T", DType::kInt32}}, {input, scalar}, {nullptr, &far}).status(), "axis: expected");
}

}  // namespace
}  // namespace flowlatch
