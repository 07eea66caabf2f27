#include "ops/segment_ops.h"

#include <limits>
#include <numeric>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

class SegmentOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterSegmentOps(library_).ok()); }
  OpTester Op(const std::string& op, DType t, DType ids = DType::kInt32) {
    return OpTester(library_, "UnsortedSegment" + op, {{"T", t}, {"Tindices", ids}, {"Tnumsegments", DType::kInt32}});
  }

  OpLibrary library_;
};

TEST_F(SegmentOpsTest, CombinesRows) {
  const Tensor data = Floats({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), ids = Ints({4}, {2, 0, -1, 2}), n = Tensor::Scalar(3);
  const float low = std::numeric_limits<float>::lowest();
  const struct {
    const char* op;
    Tensor want;
  } cases[] = {
      {"Sum", Floats({3, 2}, {3, 4, 0, 0, 8, 10})},
      {"Prod", Floats({3, 2}, {3, 4, 1, 1, 7, 16})},
      {"Max", Floats({3, 2}, {3, 4, low, low, 7, 8})},
      {"Min", Floats({3, 2}, {3, 4, -low, -low, 1, 2})},
  };
  for (const auto& [op, want] : cases) {
    SCOPED_TRACE(op);
    OpTester tester = Op(op, DType::kFloat32);
    ExpectOutput(tester, {data, ids, n}, want);
  }
}

TEST_F(SegmentOpsTest, IdsOfSeveralDimensionsAndOfNone) {
  OpTester sum = Op("Sum", DType::kInt32, DType::kInt64);
  ExpectOutput(sum, {Ints({2, 2}, {1, 2, 3, 4}), Longs({2, 2}, {1, 0, 1, 1}), Tensor::Scalar(2)}, Ints({2}, {2, 8}));
  ExpectOutput(sum, {Ints({2}, {1, 2}), Longs({}, {1}), Tensor::Scalar(2)}, Ints({2, 2}, {0, 0, 1, 2}));
  OpTester short_ids = Op("Sum", DType::kInt32, DType::kInt16);
  ExpectOutput(short_ids, {Ints({2}, {1, 2}), Of<int16_t>({2}, {1, 1}), Tensor::Scalar(2)}, Ints({2}, {0, 3}));
}

TEST_F(SegmentOpsTest, ComputesInTheElementType) {
  const Tensor ids = Ints({2}, {0, 0}), two = Tensor::Scalar(2), one = Tensor::Scalar(1);
  OpTester bytes = Op("Sum", DType::kUInt8);
  ExpectOutput(bytes, {Of<uint8_t>({2}, {200, 100}), ids, one}, Of<uint8_t>({1}, {44}));
  using C = std::complex<float>;
  OpTester complexes = Op("Prod", DType::kComplex64);
  ExpectOutput(complexes, {Of<C>({2}, {C(0, 1), C(0, 1)}), ids, one}, Of<C>({1}, {C(-1, 0)}));
  OpTester halves = Op("Max", DType::kFloat16);
  ExpectOutput(halves, {Of<Half, float>({2}, {1, 2}), ids, two}, Of<Half, float>({2}, {2, -65504}));
  OpTester bfloats = Op("Min", DType::kBFloat16);
  ExpectOutput(bfloats, {Of<BFloat16, float>({2}, {1, 2}), ids, two}, Of<BFloat16, float>({2}, {1, 3.3895314e38f}));
  OpTester max = Op("Max", DType::kFloat32);
  ExpectOutput(max, {Floats({2}, {kNan, 2}), ids, one}, Floats({1}, {2}));
  ExpectOutput(max, {Floats({2}, {2, kNan}), ids, one}, Floats({1}, {kNan}));
  ExpectOutput(max, {Floats({1}, {-kInf}), Ints({1}, {0}), one}, Floats({1}, {std::numeric_limits<float>::lowest()}));
}

TEST_F(SegmentOpsTest, ManyRowsFromSeveralThreads) {
  std::vector<int32_t> ids(500), values(500 * 300);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i % 7);
  std::iota(values.begin(), values.end(), 0);
  std::vector<int32_t> want(7 * 300);
  for (int i = 0; i < 500; ++i) {
    for (int k = 0; k < 300; ++k) want[i % 7 * 300 + k] += values[i * 300 + k];
  }
  OpTester sum = Op("Sum", DType::kInt32);
  ExpectOutput(sum, {*Tensor::FromValues<int32_t>(Shape::Of({500, 300}), values), Tensor::Vector<int32_t>(ids), Tensor::Scalar(7)},
               *Tensor::FromValues<int32_t>(Shape::Of({7, 300}), want));
}

TEST_F(SegmentOpsTest, EmptyAndWrong) {
  OpTester sum = Op("Sum", DType::kFloat32);
  const Tensor data = Floats({2}, {1, 2}), ids = Ints({2}, {0, 1});
  ExpectOutput(sum, {Floats({0, 2}, {}), Ints({0}, {}), Tensor::Scalar(1)}, Floats({1, 2}, {0, 0}));
  ExpectOutput(sum, {Floats({2, 0}, {}), Ints({2}, {5, 6}), Tensor::Scalar(2)}, Floats({2, 0}, {}));
  ExpectInvalid(sum, {data, ids, Tensor::Scalar(1)}, "segment_ids[1]: expected a value in [0,1), got 1");
  ExpectInvalid(sum, {data, ids, Tensor::Scalar(0)}, "segment_ids[0]: expected a value in [0,0), got 0");
  ExpectInvalid(sum, {data, ids, Tensor::Scalar(-2)}, "num_segments: expected a value >= 0, got -2");
  ExpectInvalid(sum, {data, ids, Ints({1}, {2})}, "num_segments: expected a scalar, got shape [1]");
  ExpectInvalid(sum, {data, Ints({3}, {0, 0, 0}), Tensor::Scalar(1)}, "shape of segment_ids, [3], got [2]");
  ExpectInvalid(sum, {data, Ints({2, 1}, {0, 0}), Tensor::Scalar(1)}, "shape of segment_ids, [2,1], got [2]");
}

TEST_F(SegmentOpsTest, Shape) {
  const AttrMap attrs{{"T", DType::kFloat32}, {"Tindices", DType::kInt32}, {"Tnumsegments", DType::kInt32}};
  const Tensor n = Tensor::Scalar(5);
  const PartialShape scalar = PartialShape::Of({});
  const auto infer = [&](PartialShape data, PartialShape ids, const Tensor* constant) {
    const auto shapes = InferShapes(library_, "UnsortedSegmentSum", attrs, {data, ids, scalar}, {nullptr, nullptr, constant});
    EXPECT_TRUE(shapes.ok()) << shapes.status();
    return (*shapes)[0];
  };
  EXPECT_EQ(infer(PartialShape::Of({2, 3, 4}), PartialShape::Of({-1, 3}), &n), PartialShape::Of({5, 4}));
  EXPECT_EQ(infer(PartialShape::Of({2, -1}), PartialShape::Of({2}), nullptr), PartialShape::Of({-1, -1}));
  EXPECT_EQ(infer(PartialShape(), PartialShape::Of({2}), &n), PartialShape());
}

TEST_F(SegmentOpsTest, SegmentsInOrder) {
  const Tensor data = Floats({3, 2}, {1, 2, 3, 4, 5, 6}), ids = Ints({3}, {0, 0, 2});
  const struct {
    const char* op;
    Tensor want;
  } cases[] = {
      {"Sum", Floats({3, 2}, {4, 6, 0, 0, 5, 6})},  {"Mean", Floats({3, 2}, {2, 3, 0, 0, 5, 6})},
      {"Prod", Floats({3, 2}, {3, 8, 1, 1, 5, 6})}, {"Max", Floats({3, 2}, {3, 4, 0, 0, 5, 6})},
      {"Min", Floats({3, 2}, {1, 2, 0, 0, 5, 6})},
  };
  for (const auto& [op, want] : cases) {
    SCOPED_TRACE(op);
    const AttrMap attrs{{"T", DType::kFloat32}, {"Tindices", DType::kInt32}};
    OpTester tester(library_, std::string("Segment") + op, attrs);
    ExpectOutput(tester, {data, ids}, want);
    ExpectOutput(tester, {Floats({0, 3}, {}), Ints({0}, {})}, Floats({0, 3}, {}));
    ExpectOutput(tester, {Floats({2, 0}, {}), Ints({2}, {0, 5})}, Floats({6, 0}, {}));
    ExpectInvalid(tester, {data, Ints({3}, {1, 0, 1})}, "segment_ids[1]: expected a value >= 1, got 0");
    ExpectInvalid(tester, {data, Ints({3}, {-1, 0, 1})}, "segment_ids[0]: expected a value >= 0, got -1");
    ExpectInvalid(tester, {data, Ints({2}, {0, 1})}, "segment_ids: expected one id for each row of data");
    ExpectInvalid(tester, {data, Ints({1, 3}, {0, 1, 2})}, "segment_ids: expected one id for each row of data");
    ExpectInvalid(tester, {Tensor::Scalar(1.0f), Ints({1}, {0})}, "segment_ids: expected one id for each row of data");
    const auto shapes = InferShapes(library_, std::string("Segment") + op, attrs, {PartialShape::Of({-1, 4}), PartialShape()});
    EXPECT_EQ((*shapes)[0], PartialShape::Of({-1, 4}));
  }
  OpTester mean(library_, "SegmentMean", {{"T", DType::kInt8}, {"Tindices", DType::kInt64}});
  ExpectOutput(mean, {Of<int8_t>({2}, {100, 100}), Longs({2}, {0, 0})}, Of<int8_t>({1}, {-28}));
  ExpectOutput(mean, {Tensor::Vector<int8_t>(std::vector<int8_t>(256, 0)), Tensor::Vector<int64_t>(std::vector<int64_t>(256, 0))},
               Of<int8_t>({1}, {0}));  // as many rows as wrap to none
  OpTester max(library_, "SegmentMax", {{"T", DType::kFloat32}, {"Tindices", DType::kInt32}});
  ExpectOutput(max, {Floats({4}, {kNan, 1, 1, kNan}), Ints({4}, {0, 0, 1, 1})}, Floats({2}, {1, kNan}));
}

}  // namespace
}  // namespace flowlatch
