#include "ops/dataset_order_ops.h"

#include "tests/ops/pipeline.h"
#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DatasetOrderOpsTest, Counted) {
  struct Case {
    const char* op;
    int64_t n, count;
    std::vector<std::string> expected;
    int64_t cardinality;
  };
  const Case cases[] = {{"RepeatDataset", 2, 2, {"0", "1", "0", "1"}, 4},
                        {"RepeatDataset", 2, 0, {}, 0},
                        {"RepeatDataset", 0, -1, {}, 0},  // nothing to repeat
                        {"RepeatDataset", 0, -5, {}, 0},
                        {"TakeDataset", 3, 2, {"0", "1"}, 2},
                        {"TakeDataset", 3, 9, {"0", "1", "2"}, 3},
                        {"TakeDataset", 3, 0, {}, 0},
                        {"TakeDataset", 3, -5, {"0", "1", "2"}, 3},
                        {"SkipDataset", 3, 2, {"2"}, 1},
                        {"SkipDataset", 3, 0, {"0", "1", "2"}, 3},
                        {"SkipDataset", 3, 9, {}, 0},
                        {"SkipDataset", 3, -5, {}, 0}};
  for (const Case& c : cases) {
    Pipeline p;
    const std::string dataset = p.Dataset(c.op, {p.Range(c.n), p.Number(c.count)});
    EXPECT_EQ(p.Elements(dataset), c.expected) << c.op << " " << c.count;
    EXPECT_EQ(p.Cardinality(dataset), c.cardinality) << c.op << " " << c.count;
  }
}

TEST(DatasetOrderOpsTest, Endless) {
  Pipeline p;
  const std::string endless = p.Repeat(p.Range(2), -1);
  EXPECT_EQ(p.Elements(endless, {DType::kInt64}, 5).size(), 5u);
  EXPECT_EQ(p.Cardinality(endless), -1);
  const std::string some = p.Dataset("TakeDataset", {p.Dataset("SkipDataset", {endless, p.Number(3)}), p.Number(2)});
  EXPECT_THAT(p.Elements(some), ElementsAre("1", "0"));
  EXPECT_EQ(p.Cardinality(some), 2);
}

TEST(DatasetOrderOpsTest, Shards) {
  struct Case {
    int64_t n, num_shards, index;
    bool require_non_empty;
    std::vector<std::string> expected;
  };
  const Case cases[] = {{5, 2, 0, false, {"0", "2", "4"}}, {5, 2, 1, false, {"1", "3"}},
                        {5, 2, 0, true, {"0", "2", "4"}},  {1, 2, 1, true, {}},
                        {3, 5, 1, false, {"1"}},           {3, 5, 1, true, {"INVALID_ARGUMENT"}}};
  for (const Case& c : cases) {
    Pipeline p;
    const std::string shard = p.Dataset("ShardDataset", {p.Range(c.n), p.Number(c.num_shards), p.Number(c.index)},
                                        {{"require_non_empty", c.require_non_empty}});
    EXPECT_EQ(p.Elements(shard), c.expected) << c.n << " " << c.num_shards << " " << c.index;
    EXPECT_EQ(p.Cardinality(shard), c.n / c.num_shards + (c.index < c.n % c.num_shards));
  }
  Pipeline p;
  ExpectInvalid(p.Error(p.Dataset("ShardDataset", {p.Range(3), p.Number(0), p.Number(0)})), "num_shards: expected a number > 0");
  ExpectInvalid(p.Error(p.Dataset("ShardDataset", {p.Range(3), p.Number(2), p.Number(2)})), "index: expected a value in [0,2), got 2");
}

TEST(DatasetOrderOpsTest, ZipAndConcatenate) {
  const std::vector<DType> two = {DType::kInt64, DType::kInt64};
  Pipeline p;
  const std::string zip = p.Dataset("ZipDataset", {p.Range(3), p.Repeat(p.Range(2), 2)}, {}, two);
  EXPECT_THAT(p.Elements(zip, two), ElementsAre("0|0", "1|1", "2|0"));
  EXPECT_EQ(p.Cardinality(zip), 3);
  EXPECT_EQ(p.Cardinality(p.Dataset("ZipDataset", {p.Repeat(p.Range(2), -1), p.Repeat(p.Range(2), -1)}, {}, two)), -1);
  const std::string both = p.Dataset("ConcatenateDataset", {p.Range(2), p.Range(3)});
  EXPECT_THAT(p.Elements(both), ElementsAre("0", "1", "0", "1", "2"));
  EXPECT_EQ(p.Cardinality(both), 5);
  EXPECT_EQ(p.Cardinality(p.Dataset("ConcatenateDataset", {p.Range(2), p.Repeat(p.Range(2), -1)})), -1);
  const std::string floats = p.Dataset("TensorDataset", {p.Const(Tensor::Scalar(1.f))}, {}, {DType::kFloat32});
  ExpectInvalid(p.Error(p.Dataset("ConcatenateDataset", {p.Range(2), floats})), "another_dataset: expected the dtypes of input_dataset");
}

// What TensorFlow's iterators give after an error, which is in the place of element 2.
TEST(DatasetOrderOpsTest, AfterAnError) {
  Pipeline p;
  const std::vector<DType> two = {DType::kInt64, DType::kInt64};
  const auto failing = [&](int64_t n) { return p.Map(p.Range(n), "FailAtTwo"); };
  const std::string e = "INVALID_ARGUMENT";
  EXPECT_THAT(p.Elements(p.Dataset("TakeDataset", {failing(5), p.Number(4)})), ElementsAre("0", "1", e, "3", "4"));
  EXPECT_THAT(p.Elements(p.Dataset("SkipDataset", {failing(5), p.Number(3)})), ElementsAre(e));
  EXPECT_THAT(p.Elements(p.Repeat(failing(3), 2)), ElementsAre("0", "1", e, "0", "1", e));
  EXPECT_THAT(p.Elements(p.Dataset("ShardDataset", {failing(5), p.Number(2), p.Number(0)})), ElementsAre("0", e, "3"));
  EXPECT_THAT(p.Elements(p.Dataset("ZipDataset", {failing(5), p.Range(5)}, {}, two), two), ElementsAre("0|0", "1|1", e, "3|3", "4|4"));
  EXPECT_THAT(p.Elements(p.Dataset("ConcatenateDataset", {failing(3), p.Range(1)})), ElementsAre("0", "1", e, "0"));
  EXPECT_THAT(p.Elements(p.Prefetch(failing(5), 2)), ElementsAre("0", "1", e, "3", "4"));
  const std::string cache = p.Dataset("CacheDataset", {failing(4), p.Const(Tensor::Scalar(""))});
  EXPECT_THAT(p.Elements(p.Repeat(cache, 2)), ElementsAre("0", "1", e, "3", "0", "1", "3"));
}

TEST(DatasetOrderOpsTest, Cache) {
  Pipeline p;
  const std::string no_file = p.Const(Tensor::Scalar(""));
  // Each round of a shuffled dataset is another one, but not of a cached one.
  const std::string shuffled = p.Dataset("ShuffleDataset", {p.Range(8), p.Number(8), p.Number(1), p.Number(2)});
  const std::vector<std::string> rounds = p.Elements(p.Repeat(shuffled, 2));
  EXPECT_NE(std::vector(rounds.begin(), rounds.begin() + 8), std::vector(rounds.begin() + 8, rounds.end()));
  for (const std::string& cache :
       {p.Dataset("CacheDataset", {shuffled, no_file}),
        p.Dataset("CacheDatasetV2", {shuffled, no_file, p.Add("AnonymousMemoryCache", {})}),
        p.Dataset("CacheDatasetV2", {shuffled, no_file, p.Add("DummyMemoryCache", {})})}) {
    EXPECT_EQ(p.Cardinality(cache), 8);
    const std::vector<std::string> same = p.Elements(p.Repeat(cache, 2));
    ASSERT_EQ(same.size(), 16u);
    EXPECT_EQ(std::vector(same.begin(), same.begin() + 8), std::vector(same.begin() + 8, same.end()));
  }
  EXPECT_EQ(p.Error(p.Dataset("CacheDataset", {p.Range(2), p.Const(Tensor::Scalar("file"))})).code(), absl::StatusCode::kUnimplemented);
}

TEST(DatasetOrderOpsTest, CacheThatIsShared) {
  Pipeline p;
  const std::vector<DType> two = {DType::kInt64, DType::kInt64};
  const std::string cache = p.Add("AnonymousMemoryCache", {}), no_file = p.Const(Tensor::Scalar(""));
  // The second dataset finds the elements of the first.
  const std::string first = p.Dataset("CacheDatasetV2", {p.Range(2), no_file, cache});
  const std::string second = p.Dataset("CacheDatasetV2", {p.Range(5), no_file, cache});
  EXPECT_THAT(p.Elements(p.Dataset("ConcatenateDataset", {first, second})), ElementsAre("0", "1", "0", "1"));
  const std::string deleted = p.Add("DeleteMemoryCache", {cache, cache + ":1"});
  EXPECT_TRUE(p.Start()->Run({}, {}, {deleted}).ok());
}

TEST(DatasetOrderOpsTest, Prefetch) {
  Pipeline p;
  for (const int64_t ahead : {-1, 0, 1, 2, 100}) {
    const std::string dataset = p.Prefetch(p.Range(50), ahead);
    EXPECT_EQ(p.Elements(dataset).size(), 50u);
    EXPECT_EQ(p.Cardinality(dataset), 50);
  }
  EXPECT_THAT(p.Elements(p.Prefetch(p.Range(0), 2)), IsEmpty());
  // Each waits for the next.
  std::string deep = p.Range(50);
  for (int i = 0; i < 20; ++i) deep = p.Prefetch(deep, 1 + i % 3);
  const std::vector<std::string> all = p.Elements(deep);
  ASSERT_EQ(all.size(), 50u);
  EXPECT_EQ(all[49], "49");
  ExpectInvalid(p.Error(p.Prefetch(p.Range(2), -2)), "buffer_size: expected a number >= -1, got -2");
}

TEST(DatasetOrderOpsTest, HintsChangeNothing) {
  Pipeline p;
  const std::string none = p.Const(Strings({0}, {}));
  const std::string options = p.Dataset("OptionsDataset", {p.Range(2)}, {{"serialized_options", ""}});
  const std::string model = p.Dataset("ModelDataset", {options});
  const std::string optimized = p.Dataset("OptimizeDatasetV2", {p.Dataset("OptimizeDataset", {model, none}), none, none, none});
  EXPECT_THAT(p.Elements(optimized), ElementsAre("0", "1"));
  ExpectInvalid(p.Error(p.Dataset("ModelDataset", {p.Add("OptionalNone", {})})), "input_dataset: expected a dataset, got Optional");
}

TEST(DatasetOrderOpsTest, Chains) {
  Pipeline p;
  std::string chain = p.Range(2);
  for (int i = 0; i < 240; ++i) chain = p.Repeat(chain, 1);
  EXPECT_THAT(p.Elements(chain), ElementsAre("0", "1"));
  for (int i = 0; i < 20; ++i) chain = p.Repeat(chain, 1);
  ExpectInvalid(p.Error(chain), "expected a chain of at most 250 datasets, got 251");
}

// Ways to look for an element that will never come end with the step.
TEST(DatasetOrderOpsTest, EndlessSearchEndsWithTheStep) {
  for (const int threads : {1, 4}) {
    Pipeline p;
    const std::string endless = p.Repeat(p.Range(2), -1);
    const std::string dataset = p.Prefetch(p.Dataset("SkipDataset", {endless, p.Number(int64_t{1} << 60)}), 2);
    const std::string next = p.Dataset("DatasetToSingleElement", {dataset});
    const auto session = p.Start({.threads = threads, .timeout = std::chrono::milliseconds(50)});
    EXPECT_EQ(session->Run({}, {next}, {}).status().code(), absl::StatusCode::kDeadlineExceeded);
  }
}

TEST(DatasetOrderOpsTest, Shapes) {
  OpLibrary library;
  ASSERT_TRUE(RegisterDatasetOrderOps(library).ok());
  const AttrMap attrs = ElementAttrs({DType::kInt64});
  EXPECT_EQ(InferShapes(library, "TakeDataset", attrs, {PartialShape(), Shape()}).value()[0], Shape());
  ExpectInvalid(InferShapes(library, "TakeDataset", attrs, {Shape(), Shape::Of({1})}).status(), "");
}

}  // namespace
}  // namespace flowlatch
