#include "ops/dataset_source_ops.h"

#include <cstdint>
#include <limits>

#include "tests/ops/pipeline.h"
#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DatasetSourceOpsTest, Range) {
  struct Case {
    int64_t start, stop, step;
    std::vector<std::string> expected;
  };
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max(), kMin = std::numeric_limits<int64_t>::min();
  const Case cases[] = {{0, 5, 2, {"0", "2", "4"}},
                        {5, 0, -2, {"5", "3", "1"}},
                        {0, 0, 1, {}},
                        {0, 5, -1, {}},
                        {kMax - 2, kMax, 5, {"9223372036854775805"}},
                        {kMin, kMax, kMax, {"-9223372036854775808", "-1", "9223372036854775806"}},
                        {kMax, kMin, kMin, {"9223372036854775807", "-1"}}};
  for (const Case& c : cases) {
    Pipeline p;
    const std::string range = p.Dataset("RangeDataset", {p.Number(c.start), p.Number(c.stop), p.Number(c.step)});
    EXPECT_EQ(p.Elements(range), c.expected) << c.start << " " << c.stop << " " << c.step;
    EXPECT_EQ(p.Cardinality(range), static_cast<int64_t>(c.expected.size()));
  }
  Pipeline p;
  EXPECT_EQ(p.Cardinality(p.Dataset("RangeDataset", {p.Number(kMin), p.Number(kMax), p.Number(1)})), kMax);
}

TEST(DatasetSourceOpsTest, RangeOfOtherDtypes) {
  const std::pair<DType, std::vector<std::string>> cases[] = {
      {DType::kInt8, {"120", "125", "-126", "-121"}},  // it wraps
      {DType::kInt32, {"120", "125", "130", "135"}},
      {DType::kUInt64, {"120", "125", "130", "135"}},
      {DType::kFloat16, {"120", "125", "130", "135"}},
      {DType::kFloat64, {"120", "125", "130", "135"}},
  };
  for (const auto& [dtype, expected] : cases) {
    Pipeline p;
    EXPECT_EQ(p.Elements(p.Dataset("RangeDataset", {p.Number(120), p.Number(140), p.Number(5)}, {}, {dtype}), {dtype}), expected)
        << DTypeName(dtype);
  }
}

TEST(DatasetSourceOpsTest, RangeErrors) {
  Pipeline p;
  ExpectInvalid(p.Error(p.Dataset("RangeDataset", {p.Number(0), p.Number(5), p.Number(0)})), "step: expected a number that is not zero");
  ExpectInvalid(p.Error(p.Dataset("RangeDataset", {p.Number(0), p.Number(5), p.Number(1)}, {}, {DType::kString})), "real numbers");
  ExpectInvalid(p.Error(p.Dataset("RangeDataset", {p.Number(0), p.Number(5), p.Number(1)}, {}, {DType::kInt64, DType::kInt64})),
                "expected one dtype");
}

TEST(DatasetSourceOpsTest, Tensors) {
  Pipeline p;
  const std::vector<DType> dtypes = {DType::kInt32, DType::kString};
  const std::string one = p.Dataset("TensorDataset", {p.Const(Ints({2}, {1, 2})), p.Const(Strings({}, {"a"}))}, {}, dtypes);
  EXPECT_THAT(p.Elements(one, dtypes), ElementsAre("[1 2]|'a'"));
  EXPECT_EQ(p.Cardinality(one), 1);
}

TEST(DatasetSourceOpsTest, Slices) {
  Pipeline p;
  const std::vector<DType> dtypes = {DType::kInt32, DType::kString};
  const std::string rows =
      p.Dataset("TensorSliceDataset", {p.Const(Ints({2, 2}, {1, 2, 3, 4})), p.Const(Strings({2}, {"a", "b"}))}, {}, dtypes);
  EXPECT_THAT(p.Elements(rows, dtypes), ElementsAre("[1 2]|'a'", "[3 4]|'b'"));
  EXPECT_EQ(p.Cardinality(rows), 2);
  const std::string empty = p.Dataset("TensorSliceDataset", {p.Const(Ints({0, 3}, {}))}, {}, {DType::kInt32});
  EXPECT_THAT(p.Elements(empty, {DType::kInt32}), IsEmpty());
}

TEST(DatasetSourceOpsTest, SliceErrors) {
  Pipeline p;
  const std::string three = p.Const(Ints({3}, {1, 2, 3})), two = p.Const(Ints({2}, {1, 2}));
  ExpectInvalid(p.Error(p.Dataset("TensorSliceDataset", {p.Number(1)})), "component 0: expected rows, got a scalar");
  ExpectInvalid(p.Error(p.Dataset("TensorSliceDataset", {three, two}, {}, {DType::kInt32, DType::kInt32})),
                "component 1: expected 3 rows, got shape [2]");
  const AttrMap other_shape{{"Toutput_types", std::vector<DType>{DType::kInt32}},
                            {"output_shapes", std::vector<PartialShape>{Shape::Of({3})}}};
  ExpectInvalid(p.Error(p.Add("TensorSliceDataset", {three}, other_shape)), "expected rows of shape [3]");
  ExpectInvalid(p.Error(p.Add("TensorDataset", {two}, other_shape)), "expected int32[3], got int32[2]");
}

TEST(DatasetSourceOpsTest, SparseRows) {
  const std::vector<DType> dtypes = {DType::kInt64, DType::kInt32, DType::kInt64};
  const auto sparse = [](Pipeline& p, const Tensor& indices, const Tensor& values, const Tensor& shape) {
    return p.Add("SparseTensorSliceDataset", {p.Const(indices), p.Const(values), p.Const(shape)}, {{"Tvalues", values.dtype()}});
  };
  Pipeline p;
  const std::string rows = sparse(p, Longs({3, 2}, {0, 1, 2, 0, 2, 3}), Ints({3}, {5, 6, 7}), Longs({2}, {4, 5}));
  EXPECT_THAT(p.Elements(rows, dtypes), ElementsAre("[[1]]|[5]|[5]", "[]|[]|[5]", "[[0] [3]]|[6 7]|[5]", "[]|[]|[5]"));
  EXPECT_EQ(p.Cardinality(rows), 4);
  EXPECT_THAT(p.Elements(sparse(p, Longs({1, 2}, {7, 1}), Ints({1}, {5}), Longs({2}, {1, 5})), dtypes), ElementsAre("[]|[]|[5]"));
  EXPECT_EQ(p.Elements(sparse(p, Longs({2, 1}, {1, 3}), Ints({2}, {5, 6}), Longs({1}, {4})), dtypes).size(), 4u);

  EXPECT_EQ(p.Error(sparse(p, Longs({2, 2}, {2, 1, 0, 0}), Ints({2}, {5, 6}), Longs({2}, {4, 5}))).code(),
            absl::StatusCode::kUnimplemented);
  ExpectInvalid(p.Error(sparse(p, Longs({1, 2}, {-1, 0}), Ints({1}, {5}), Longs({2}, {4, 5}))), "got -1");
  ExpectInvalid(p.Error(sparse(p, Longs({2}, {1, 0}), Ints({1}, {5}), Longs({2}, {4, 5}))), "indices: expected a matrix");
  ExpectInvalid(p.Error(sparse(p, Longs({1, 2}, {1, 0}), Ints({2}, {5, 6}), Longs({2}, {4, 5}))), "values: expected a vector of 1");
  ExpectInvalid(p.Error(sparse(p, Longs({1, 2}, {1, 0}), Ints({1}, {5}), Longs({3}, {4, 5, 6}))), "dense_shape: expected a vector of 2");
  ExpectInvalid(p.Error(sparse(p, Longs({0, 0}, {}), Ints({0}, {}), Longs({0}, {}))), "dense_shape: expected a vector of 1");
  ExpectInvalid(p.Error(sparse(p, Longs({0, 1}, {}), Ints({0}, {}), Longs({1}, {-4}))), "expected numbers >= 0");
}

TEST(DatasetSourceOpsTest, Shapes) {
  OpLibrary library;
  ASSERT_TRUE(RegisterDatasetSourceOps(library).ok());
  const AttrMap attrs = ElementAttrs({DType::kInt64});
  EXPECT_EQ(InferShapes(library, "RangeDataset", attrs, {Shape(), PartialShape(), Shape()}).value()[0], Shape());
  ExpectInvalid(InferShapes(library, "RangeDataset", attrs, {Shape(), Shape::Of({1}), Shape()}).status(), "");
}

}  // namespace
}  // namespace flowlatch
