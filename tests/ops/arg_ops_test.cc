#include "ops/arg_ops.h"

#include <limits>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

class ArgOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterArgOps(library_).ok()); }
  OpTester Op(const std::string& op, DType t, DType output = DType::kInt64) {
    return OpTester(library_, op, {{"T", t}, {"Tidx", DType::kInt32}, {"output_type", output}});
  }

  OpLibrary library_;
};

TEST_F(ArgOpsTest, AlongEachDimension) {
  const Tensor x = Floats({2, 3}, {1, 9, 3, 4, 5, 6});
  OpTester max = Op("ArgMax", DType::kFloat32), min = Op("ArgMin", DType::kFloat32);
  ExpectOutput(max, {x, Tensor::Scalar(0)}, Longs({3}, {1, 0, 1}));
  ExpectOutput(max, {x, Tensor::Scalar(-1)}, Longs({2}, {1, 2}));
  ExpectOutput(min, {x, Tensor::Scalar(0)}, Longs({3}, {0, 1, 0}));
  ExpectOutput(min, {x, Tensor::Scalar(1)}, Longs({2}, {0, 0}));
  ExpectOutput(max, {Floats({0, 3}, {}), Tensor::Scalar(1)}, Longs({0}, {}));
}

TEST_F(ArgOpsTest, TiesAndNan) {
  OpTester max = Op("ArgMax", DType::kFloat32), min = Op("ArgMin", DType::kFloat32);
  const struct {
    Tensor x;
    int64_t max, min;
  } cases[] = {
      {Floats({4}, {1, 3, 3, 1}), 1, 0},
      {Floats({4}, {kNan, 1, 3, 2}), 2, 1},
      {Floats({2}, {kNan, kNan}), 0, 0},
      {Floats({3}, {kNan, -kInf, kInf}), 2, 1},
      {Floats({3}, {-kInf, kNan, -kInf}), 0, 0},
  };
  for (const auto& [x, largest, smallest] : cases) {
    SCOPED_TRACE(x.DebugString());
    ExpectOutput(max, {x, Tensor::Scalar(0)}, Tensor::Scalar(largest));
    ExpectOutput(min, {x, Tensor::Scalar(0)}, Tensor::Scalar(smallest));
  }
}

TEST_F(ArgOpsTest, OtherTypes) {
  OpTester bools = Op("ArgMax", DType::kBool, DType::kInt32);
  ExpectOutput(bools, {Bools({2}, {false, true}), Tensor::Scalar(0)}, Tensor::Scalar(1));
  OpTester halves = Op("ArgMin", DType::kFloat16, DType::kInt32);
  ExpectOutput(halves, {Of<Half, float>({2}, {2, -1}), Tensor::Scalar(0)}, Tensor::Scalar(1));
  OpTester longs = Op("ArgMax", DType::kUInt64, DType::kUInt16);
  ExpectOutput(longs, {Of<uint64_t>({2}, {1, ~uint64_t{0}}), Tensor::Scalar(0)}, Tensor::Scalar(uint16_t{1}));
}

TEST_F(ArgOpsTest, ManyColumns) {
  std::vector<int32_t> values(50 * 3000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i * 7919 % 1000003);
  std::vector<int64_t> want(3000, 0);
  for (int64_t i = 0; i < 50; ++i) {
    for (int64_t j = 0; j < 3000; ++j) {
      if (values[i * 3000 + j] > values[want[j] * 3000 + j]) want[j] = i;
    }
  }
  OpTester max = Op("ArgMax", DType::kInt32);
  ExpectOutput(max, {*Tensor::FromValues<int32_t>(Shape::Of({50, 3000}), values), Tensor::Scalar(0)}, Tensor::Vector<int64_t>(want));
}

TEST_F(ArgOpsTest, Rejects) {
  OpTester max = Op("ArgMax", DType::kFloat32);
  ExpectInvalid(max, {Floats({0, 3}, {}), Tensor::Scalar(0)}, "dimension 0 of input: expected at least one element");
  ExpectInvalid(max, {Floats({2}, {1, 2}), Tensor::Scalar(1)}, "dimension: expected a value in [-1,1), got 1");
  ExpectInvalid(max, {Tensor::Scalar(1.0f), Tensor::Scalar(0)}, "dimension: expected a value in [0,0), got 0");
  ExpectInvalid(max, {Floats({2}, {1, 2}), Ints({1}, {0})}, "dimension: expected a scalar");
  OpTester narrow = Op("ArgMax", DType::kUInt8, DType::kInt16);
  ExpectInvalid(narrow, {*Tensor::Zeros(DType::kUInt8, Shape::Of({40000})), Tensor::Scalar(0)}, "indices that fit int16");
}

TEST_F(ArgOpsTest, Shape) {
  const AttrMap attrs{{"T", DType::kFloat32}};
  const Tensor dimension = Tensor::Scalar(-1);
  const auto infer = [&](PartialShape input, const Tensor* constant) {
    const auto shapes = InferShapes(library_, "ArgMax", attrs, {input, PartialShape::Of({})}, {nullptr, constant});
    EXPECT_TRUE(shapes.ok()) << shapes.status();
    return (*shapes)[0];
  };
  EXPECT_EQ(infer(PartialShape::Of({2, -1, 4}), &dimension), PartialShape::Of({2, -1}));
  EXPECT_EQ(infer(PartialShape::Of({2, -1, 4}), nullptr), PartialShape::UnknownOfRank(2));
  EXPECT_EQ(infer(PartialShape(), &dimension), PartialShape());
}

}  // namespace
}  // namespace flowlatch
