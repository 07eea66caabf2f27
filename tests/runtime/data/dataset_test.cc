#include "runtime/data/dataset.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

std::unique_ptr<Dataset> Numbers(int64_t n) {
  std::vector<int64_t> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 0);
  return *ArrayDataset({{"n", Tensor::Vector<int64_t>(absl::Span<const int64_t>(values))}});
}

std::vector<int64_t> Epoch(Dataset& data, int64_t epoch) {
  EXPECT_TRUE(data.StartEpoch(epoch).ok());
  std::vector<int64_t> values;
  std::vector<Tensor> row;
  while (true) {
    const absl::StatusOr<bool> more = data.Next(&row);
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) return values;
    for (const int64_t value : row[0].values<int64_t>()) values.push_back(value);
  }
}

TEST(DatasetTest, RowsOfArrays) {
  const auto data = *ArrayDataset({{"x", Floats({2, 3}, {1, 2, 3, 4, 5, 6})}, {"name", Strings({2}, {"a", "a longer one than fits inline"})}});
  EXPECT_THAT(data->columns(), testing::ElementsAre("x", "name"));
  EXPECT_EQ(data->num_rows(), 2);
  for (const int64_t epoch : {0, 1}) {
    ASSERT_TRUE(data->StartEpoch(epoch).ok());
    std::vector<Tensor> row;
    ASSERT_TRUE(*data->Next(&row));
    EXPECT_EQ(Difference(row[0], Floats({3}, {1, 2, 3})), "");
    EXPECT_EQ(Difference(row[1], Tensor::Scalar("a")), "");
    ASSERT_TRUE(*data->Next(&row));
    EXPECT_EQ(Difference(row[0], Floats({3}, {4, 5, 6})), "");
    EXPECT_EQ(Difference(row[1], Tensor::Scalar("a longer one than fits inline")), "");
    EXPECT_FALSE(*data->Next(&row));
    EXPECT_FALSE(*data->Next(&row));
  }
}

TEST(DatasetTest, ArraysMustFit) {
  ExpectInvalid(ArrayDataset({}).status(), "expected at least one");
  ExpectInvalid(ArrayDataset({{"x", Floats({}, {1})}}).status(), "array 'x' of a dataset: expected rows, got shape []");
  ExpectInvalid(ArrayDataset({{"x", Floats({2}, {1, 2})}, {"y", Floats({1}, {1})}}).status(), "expected 2 rows as in 'x', got shape [1]");
}

TEST(DatasetTest, ShufflingIsSeeded) {
  const auto order = [](int64_t buffer, uint64_t seed, int64_t epoch) { return Epoch(*Shuffled(Numbers(100), buffer, seed), epoch); };
  std::vector<int64_t> sorted = order(1000, 7, 0);
  EXPECT_NE(sorted, Epoch(*Numbers(100), 0));
  EXPECT_EQ(sorted, order(1000, 7, 0)) << "the same seed and epoch";
  EXPECT_NE(sorted, order(1000, 8, 0));
  EXPECT_NE(sorted, order(1000, 7, 1));
  EXPECT_EQ(order(1, 7, 0), Epoch(*Numbers(100), 0)) << "a buffer of one changes nothing";
  for (const int64_t buffer : {1, 10, 100, 1000}) {
    std::vector<int64_t> values = order(buffer, 7, 0);
    for (size_t i = 0; i < values.size(); ++i) EXPECT_LT(values[i], static_cast<int64_t>(i) + buffer);
    std::sort(values.begin(), values.end());
    EXPECT_EQ(values, Epoch(*Numbers(100), 0)) << "each row once";
  }
}

TEST(DatasetTest, ShufflingIsTheSameEverywhere) {
  EXPECT_EQ(Epoch(*Shuffled(Numbers(8), 8, 1), 0), Epoch(*Shuffled(Numbers(8), 8, 1), 0));
  // Every row comes first about as often.
  std::vector<int> first(8);
  const auto data = Shuffled(Numbers(8), 8, 1);
  for (int epoch = 0; epoch < 4000; ++epoch) ++first[static_cast<size_t>(Epoch(*data, epoch)[0])];
  for (const int count : first) EXPECT_NEAR(count, 500, 100);
}

TEST(DatasetTest, Batches) {
  const struct {
    int64_t rows, size;
    bool drop;
    std::vector<int64_t> sizes;
  } cases[] = {{10, 4, false, {4, 4, 2}}, {10, 4, true, {4, 4}}, {8, 4, true, {4, 4}}, {3, 5, false, {3}}, {3, 5, true, {}}, {3, 1, false, {1, 1, 1}}};
  for (const auto& c : cases) {
    const auto data = Batched(Numbers(c.rows), {.size = c.size, .drop_remainder = c.drop});
    EXPECT_EQ(data->num_rows(), static_cast<int64_t>(c.sizes.size()));
    std::vector<int64_t> sizes;
    std::vector<Tensor> batch;
    ASSERT_TRUE(data->StartEpoch(0).ok());
    while (*data->Next(&batch)) sizes.push_back(batch[0].dim(0));
    EXPECT_EQ(sizes, c.sizes);
  }
  EXPECT_EQ(Epoch(*Batched(Numbers(10), {.size = 3}), 0), Epoch(*Numbers(10), 0));
}

TEST(DatasetTest, StackPads) {
  EXPECT_EQ(Difference(*Stack({Floats({2}, {1, 2}), Floats({2}, {3, 4})}, false, "t"), Floats({2, 2}, {1, 2, 3, 4})), "");
  EXPECT_EQ(Difference(*Stack({Ints({2, 1}, {1, 2}), Ints({1, 3}, {3, 4, 5})}, true, "t"),
                       Ints({2, 2, 3}, {1, 0, 0, 2, 0, 0, 3, 4, 5, 0, 0, 0})), "");
  EXPECT_EQ(Difference(*Stack({Strings({1}, {"a"}), Strings({2}, {"b", "c"})}, true, "t"), Strings({2, 2}, {"a", "", "b", "c"})), "");
  EXPECT_EQ(Difference(*Stack({Tensor::Scalar(true), Tensor::Scalar(false)}, false, "t"), Bools({2}, {true, false})), "");
  EXPECT_EQ(Difference(*Stack({Floats({0}, {}), Floats({0}, {})}, false, "t"), Floats({2, 0}, {})), "");
  ExpectInvalid(Stack({Floats({2}, {1, 2}), Floats({1}, {3})}, false, "t").status(), "t: expected rows of one dtype and shape, got float32[2] and float32[1]");
  ExpectInvalid(Stack({Floats({2}, {1, 2}), Floats({}, {3})}, true, "t").status(), "float32[2] and float32[]");
  ExpectInvalid(Stack({Floats({2}, {1, 2}), Ints({2}, {3, 3})}, true, "t").status(), "int32[2]");
  ExpectInvalid(Stack({}, true, "t").status(), "t: expected rows, got none");
}

TEST(DatasetTest, CancelEndsTheChain) {
  const auto data = Batched(Shuffled(Numbers(10), 4, 0), {.size = 2});
  ASSERT_TRUE(data->StartEpoch(0).ok());
  std::vector<Tensor> batch;
  ASSERT_TRUE(*data->Next(&batch));
  data->Cancel();
  EXPECT_EQ(data->Next(&batch).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace flowlatch
