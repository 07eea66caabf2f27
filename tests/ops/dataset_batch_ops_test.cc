#include "ops/dataset_batch_ops.h"

#include "tests/ops/pipeline.h"
#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;

TEST(DatasetBatchOpsTest, Batches) {
  struct Case {
    int64_t n, size;
    bool drop;
    std::vector<std::string> expected;
  };
  const Case cases[] = {{5, 2, false, {"[0 1]", "[2 3]", "[4]"}}, {5, 2, true, {"[0 1]", "[2 3]"}},
                        {4, 2, false, {"[0 1]", "[2 3]"}},        {2, int64_t{1} << 60, false, {"[0 1]"}},
                        {2, 3, true, {}},                         {0, 3, false, {}}};
  for (const Case& c : cases) {
    Pipeline p;
    const std::string drop = p.Const(Tensor::Scalar(c.drop));
    const std::string batch = p.Dataset("BatchDatasetV2", {p.Range(c.n), p.Number(c.size), drop});
    EXPECT_EQ(p.Elements(batch), c.expected);
    EXPECT_EQ(p.Cardinality(batch), static_cast<int64_t>(c.expected.size()));
    EXPECT_EQ(p.Elements(p.Dataset("ParallelBatchDataset", {p.Range(c.n), p.Number(c.size), p.Number(2), drop})), c.expected);
    if (!c.drop) {
      EXPECT_EQ(p.Elements(p.Dataset("BatchDataset", {p.Range(c.n), p.Number(c.size)})), c.expected);
    }
  }
}

TEST(DatasetBatchOpsTest, BatchesOfComponents) {
  Pipeline p;
  const std::vector<DType> dtypes = {DType::kInt32, DType::kString, DType::kBool, DType::kFloat16};
  const std::string rows = p.Dataset("TensorSliceDataset",
                                     {p.Const(Ints({3, 2}, {1, 2, 3, 4, 5, 6})), p.Const(Strings({3}, {"a", "b", "c"})),
                                      p.Const(Bools({3}, {true, false, true})), p.Const(Of<Half>({3, 0}, {}))},
                                     {}, dtypes);
  const std::string batch =
      p.Dataset("BatchDatasetV2", {rows, p.Number(2), p.Const(Tensor::Scalar(false))}, {}, dtypes);
  EXPECT_THAT(p.Elements(batch, dtypes),
              ElementsAre("[[1 2] [3 4]]|['a' 'b']|[true false]|[]", "[[5 6]]|['c']|[true]|[]"));
}

TEST(DatasetBatchOpsTest, BatchErrors) {
  Pipeline p;
  const std::string e = "INVALID_ARGUMENT";
  ExpectInvalid(p.Error(p.Batch(p.Range(3), 0)), "batch_size: expected a number > 0, got 0");
  ExpectInvalid(p.Error(p.Dataset("BatchDataset", {p.Range(3), p.Number(-1)})), "batch_size");
  EXPECT_THAT(p.Elements(p.Batch(p.Map(p.Range(3), "Vector"), 2)), ElementsAre(e, "[[2 2]]"));
  // What came before an error is lost with it, what comes after is not.
  EXPECT_THAT(p.Elements(p.Batch(p.Map(p.Range(7), "FailAtTwo"), 3)), ElementsAre(e, "[3 4 5]", "[6]"));
  EXPECT_THAT(p.Elements(p.Batch(p.Map(p.Range(5), "FailAtTwo"), 2)), ElementsAre("[0 1]", e, "[3 4]"));
}

std::string Padded(Pipeline& p, const std::string& input, int64_t size, const Tensor& shape, int64_t value, bool drop = false) {
  return p.Dataset("PaddedBatchDatasetV2",
                   {input, p.Number(size), p.Const(shape), p.Number(value), p.Const(Tensor::Scalar(drop))}, {{"N", 1}});
}

TEST(DatasetBatchOpsTest, PaddedBatches) {
  Pipeline p;
  const std::string vectors = p.Map(p.Range(5), "Vector");  // [], [1], [2 2], ..
  EXPECT_THAT(p.Elements(Padded(p, vectors, 2, Longs({1}, {-1}), 0)), ElementsAre("[[0] [1]]", "[[2 2 0] [3 3 3]]", "[[4 4 4 4]]"));
  EXPECT_THAT(p.Elements(Padded(p, vectors, 2, Longs({1}, {4}), -1, true)),
              ElementsAre("[[-1 -1 -1 -1] [1 -1 -1 -1]]", "[[2 2 -1 -1] [3 3 3 -1]]"));
  EXPECT_EQ(p.Cardinality(Padded(p, p.Range(5), 2, Longs({0}, {}), 0)), 3);
  EXPECT_THAT(p.Elements(Padded(p, p.Range(3), 2, Longs({0}, {}), 0)), ElementsAre("[0 1]", "[2]"));
  const std::string v1 = p.Dataset("PaddedBatchDataset", {vectors, p.Number(3), p.Const(Longs({1}, {-1})), p.Number(7)}, {{"N", 1}});
  EXPECT_THAT(p.Elements(v1), ElementsAre("[[7 7] [1 7] [2 2]]", "[[3 3 3 7] [4 4 4 4]]"));
}

TEST(DatasetBatchOpsTest, PaddedBatchesOfComponents) {
  Pipeline p;
  const std::vector<DType> dtypes = {DType::kString, DType::kFloat32};
  const std::string ones = p.Dataset("TensorDataset", {p.Const(Strings({1, 2}, {"a", "b"})), p.Const(Floats({2, 1, 2}, {1, 2, 3, 4}))}, {}, dtypes);
  const std::string twos = p.Dataset("TensorDataset", {p.Const(Strings({2, 1}, {"c", "d"})), p.Const(Floats({1, 1, 1}, {5}))}, {}, dtypes);
  const std::string both = p.Dataset("ConcatenateDataset", {ones, twos}, {}, dtypes);
  const std::string padded =
      p.Dataset("PaddedBatchDatasetV2",
                {both, p.Number(2), p.Const(Longs({2}, {-1, -1})), p.Const(Longs({3}, {2, 1, -1})), p.Const(Tensor::Scalar("x")),
                 p.Const(Tensor::Scalar(9.f)), p.Const(Tensor::Scalar(false))},
                {{"N", 2}}, dtypes);
  EXPECT_THAT(p.Elements(padded, dtypes),
              ElementsAre("[[['a' 'b'] ['x' 'x']] [['c' 'x'] ['d' 'x']]]|[[[[1 2]] [[3 4]]] [[[5 9]] [[9 9]]]]"));
}

TEST(DatasetBatchOpsTest, PaddedBatchErrors) {
  Pipeline p;
  const std::string vectors = p.Map(p.Range(5), "Vector");
  EXPECT_THAT(p.Elements(Padded(p, vectors, 2, Longs({1}, {2}), 0)), ElementsAre("[[0 0] [1 0]]", "DATA_LOSS", "DATA_LOSS"));
  EXPECT_THAT(p.Elements(Padded(p, p.Range(1), 2, Longs({1}, {2}), 0)), ElementsAre("INVALID_ARGUMENT"));
  ExpectInvalid(p.Error(Padded(p, vectors, 2, Longs({1}, {-2}), 0)), "padded_shapes: expected numbers >= -1, got -2");
  ExpectInvalid(p.Error(Padded(p, vectors, 0, Longs({1}, {-1}), 0)), "batch_size");
  const auto with_value = [&](const Tensor& value) {
    return p.Dataset("PaddedBatchDataset", {vectors, p.Number(2), p.Const(Longs({1}, {-1})), p.Const(value)}, {{"N", 1}}, {value.dtype()});
  };
  ExpectInvalid(p.Error(with_value(Longs({1}, {0}))), "padding_values: expected scalars");
  ExpectInvalid(p.Error(with_value(Tensor::Scalar(0))), "padding_values: expected int64 for component 0, got int32");
}

TEST(DatasetBatchOpsTest, Unbatch) {
  Pipeline p;
  const std::vector<DType> dtypes = {DType::kInt32, DType::kInt64};
  const std::string batches = p.Dataset("TensorDataset", {p.Const(Ints({2, 2}, {1, 2, 3, 4})), p.Const(Longs({2}, {5, 6}))}, {}, dtypes);
  EXPECT_THAT(p.Elements(p.Dataset("UnbatchDataset", {p.Dataset("RepeatDataset", {batches, p.Number(2)}, {}, dtypes)}, {}, dtypes), dtypes),
              ElementsAre("[1 2]|5", "[3 4]|6", "[1 2]|5", "[3 4]|6"));
  EXPECT_THAT(p.Elements(p.Dataset("UnbatchDataset", {p.Map(p.Range(3), "Vector")})), ElementsAre("1", "2", "2"));
  EXPECT_EQ(p.Cardinality(p.Dataset("UnbatchDataset", {p.Map(p.Range(3), "Vector")})), -2);
  EXPECT_THAT(p.Elements(p.Dataset("UnbatchDataset", {p.Range(1)})), ElementsAre("INVALID_ARGUMENT"));
  const std::string uneven = p.Dataset("TensorDataset", {p.Const(Ints({2}, {1, 2})), p.Const(Longs({3}, {5, 6, 7}))}, {}, dtypes);
  EXPECT_THAT(p.Elements(p.Dataset("UnbatchDataset", {uneven}, {}, dtypes), dtypes), ElementsAre("INVALID_ARGUMENT"));
}

// Windows of 0 .. n - 1, each as one batch; and how many of them there are said to be.
TEST(DatasetBatchOpsTest, Windows) {
  struct Case {
    int64_t n, size, shift, stride;
    bool drop;
    std::vector<std::string> expected;
  };
  const Case cases[] = {
      {10, 3, 2, 2, false, {"[0 2 4]", "[2 4 6]", "[4 6 8]", "[6 8]", "[8]"}},
      {10, 3, 2, 2, true, {"[0 2 4]", "[2 4 6]", "[4 6 8]"}},
      {10, 2, 5, 1, false, {"[0 1]", "[5 6]"}},
      {11, 2, 5, 1, true, {"[0 1]", "[5 6]"}},
      {7, 3, 3, 1, false, {"[0 1 2]", "[3 4 5]", "[6]"}},
      {4, int64_t{1} << 40, 2, int64_t{1} << 40, false, {"[0]", "[2]"}},
      {0, 3, 1, 1, false, {}},
  };
  for (const Case& c : cases) {
    Pipeline p;
    p.Define({"AsBatch", {"w DT_VARIANT"}, {"r DT_VARIANT"},
              {"n Const  dtype=type:DT_INT64;value=tensor{dtype:DT_INT64,tensor_shape{},int64_val:100}",
               "no Const  dtype=type:DT_BOOL;value=tensor{dtype:DT_BOOL,tensor_shape{},bool_val:false}",
               "b BatchDatasetV2 w,n:output:0,no:output:0 output_types=list{type:DT_INT64};output_shapes=list{shape{unknown_rank:true}}"},
              {"r b:handle:0"}});
    const std::string windows =
        p.Dataset("WindowDataset", {p.Range(c.n), p.Number(c.size), p.Number(c.shift), p.Number(c.stride), p.Const(Tensor::Scalar(c.drop))},
                  {}, {DType::kVariant});
    EXPECT_EQ(p.Elements(p.Dataset("FlatMapDataset", {windows}, {{"f", FunctionRef{"AsBatch", {}}}})), c.expected);
    EXPECT_EQ(p.Cardinality(windows), static_cast<int64_t>(c.expected.size()));
  }
  Pipeline p;
  ExpectInvalid(p.Error(p.Dataset("WindowDataset", {p.Range(3), p.Number(1), p.Number(0), p.Number(1), p.Const(Tensor::Scalar(false))}, {},
                                  {DType::kVariant})),
                "shift: expected a number > 0, got 0");
}

TEST(DatasetBatchOpsTest, Shapes) {
  OpLibrary library;
  ASSERT_TRUE(RegisterDatasetBatchOps(library).ok());
  const AttrMap attrs = ElementAttrs({DType::kInt64});
  EXPECT_EQ(InferShapes(library, "BatchDataset", attrs, {PartialShape(), Shape()}).value()[0], Shape());
  ExpectInvalid(InferShapes(library, "BatchDataset", attrs, {Shape(), Shape::Of({1})}).status(), "");
}

}  // namespace
}  // namespace flowlatch
