#include "ops/dataset_shuffle_ops.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "tests/ops/pipeline.h"
#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

std::string Joined(const std::vector<std::string>& texts) { return absl::StrJoin(texts, " "); }

// As TensorFlow 2.21 has them.
TEST(DatasetShuffleOpsTest, OrdersOfSeeds) {
  struct Case {
    int64_t n, buffer, seed, seed2;
    bool reshuffle;
    const char* expected;
  };
  const Case cases[] = {{10, 4, 1, 2, true, "0 2 1 3 5 8 6 4 7 9"},
                        {10, 4, 1, 2, false, "3 4 1 2 7 0 5 8 9 6"},
                        {10, 100, 7, 0, true, "7 3 9 0 6 1 8 2 5 4"},
                        {10, 100, 7, 0, false, "7 5 4 0 3 6 9 2 8 1"},
                        {20, 5, 0, 9, true, "0 2 4 6 8 3 10 7 1 12 11 13 15 17 5 9 16 19 14 18"},
                        {20, 5, 0, 9, false, "3 2 1 5 8 6 10 9 12 13 7 15 11 0 4 19 17 14 18 16"},
                        {10, 1, 3, 4, true, "0 1 2 3 4 5 6 7 8 9"},
                        {6, -2, 1, 2, true, "4 5 2 0 1 3"},
                        {0, 4, 1, 2, true, ""}};
  for (const Case& c : cases) {
    Pipeline p;
    const std::string shuffled =
        p.Dataset("ShuffleDataset", {p.Range(c.n), p.Number(c.buffer), p.Number(c.seed), p.Number(c.seed2)},
                  {{"reshuffle_each_iteration", c.reshuffle}});
    EXPECT_EQ(Joined(p.Elements(shuffled)), c.expected);
    EXPECT_EQ(p.Cardinality(shuffled), c.n);
  }
}

TEST(DatasetShuffleOpsTest, RoundsAreReshuffled) {
  Pipeline p;
  const std::string four = p.Number(4), one = p.Number(1), two = p.Number(2);
  const std::string generator = p.Add("AnonymousSeedGenerator", {one, two, p.Const(Tensor::Scalar(true))});
  const std::string fixed_generator = p.Add("AnonymousSeedGenerator", {one, two, p.Const(Tensor::Scalar(false))});
  const std::string random_generator = p.Add("AnonymousRandomSeedGenerator", {one, two});
  const std::string dummy = p.Add("DummySeedGenerator", {});
  const std::string rounds = "0 2 1 4 5 3 3 0 2 1 4 5 0 2 3 4 5 1", fixed = "3 4 1 5 0 2 3 4 1 5 0 2 3 4 1 5 0 2";
  const AttrMap keep{{"reshuffle_each_iteration", false}};
  const std::pair<std::string, std::string> cases[] = {
      {p.Dataset("ShuffleDataset", {p.Range(6), four, one, two}), rounds},
      {p.Dataset("ShuffleDataset", {p.Range(6), four, one, two}, keep), fixed},
      {p.Dataset("ShuffleDatasetV3", {p.Range(6), four, one, two, dummy}), rounds},
      {p.Dataset("ShuffleDatasetV3", {p.Range(6), four, one, two, dummy}, keep), fixed},
      {p.Dataset("ShuffleDatasetV3", {p.Range(6), four, p.Number(5), p.Number(6), generator}), rounds},
      {p.Dataset("ShuffleDatasetV2", {p.Range(6), four, generator}), rounds},
      {p.Dataset("ShuffleDatasetV2", {p.Range(6), four, fixed_generator}), fixed},
      {p.Dataset("ShuffleDatasetV2", {p.Range(6), four, random_generator}), rounds},
  };
  for (const auto& [dataset, expected] : cases) EXPECT_EQ(Joined(p.Elements(p.Repeat(dataset, 3))), expected) << dataset;
}

TEST(DatasetShuffleOpsTest, ShuffleAndRepeat) {
  struct Case {
    int64_t n, buffer, count;
    bool reshuffle;
    const char* expected;
  };
  const Case cases[] = {{6, 3, 3, true, "1 3 2 4 5 0 1 3 4 0 2 5 1 3 0 4 5 2"},
                        {6, 3, 3, false, "2 3 0 5 1 4 2 3 0 5 1 4 2 3 0 5 1 4"},
                        {6, 8, 3, true, "4 5 2 0 1 3 1 0 2 3 4 5 4 1 3 0 5 2"},
                        {6, 8, 3, false, "5 1 4 0 3 2 5 1 4 0 3 2 5 1 4 0 3 2"},
                        {2, 20, 9, true, "0 1 1 0 0 1 0 1 0 1 0 1 0 1 1 0 1 0"},
                        {0, 20, -1, true, ""}};
  for (const Case& c : cases) {
    Pipeline p;
    const std::vector<std::string> inputs = {p.Range(c.n), p.Number(c.buffer), p.Number(1), p.Number(2), p.Number(c.count)};
    const AttrMap attrs{{"reshuffle_each_iteration", c.reshuffle}};
    const std::string both = p.Dataset("ShuffleAndRepeatDataset", inputs, attrs);
    EXPECT_EQ(Joined(p.Elements(both)), c.expected);
    EXPECT_EQ(p.Cardinality(both), c.n * std::max<int64_t>(c.count, 0));
    std::vector<std::string> with_generator = inputs;
    with_generator.push_back(p.Add("DummySeedGenerator", {}));
    EXPECT_EQ(Joined(p.Elements(p.Dataset("ShuffleAndRepeatDatasetV2", with_generator, attrs))), c.expected);
  }
}

TEST(DatasetShuffleOpsTest, SeedsOfZeroStandForAny) {
  Pipeline p;
  const std::string any = p.Dataset("ShuffleDataset", {p.Range(60), p.Number(60), p.Number(0), p.Number(0)});
  const std::string rounds = p.Batch(p.Repeat(any, 2), 60);
  const std::string reduced = p.Batch(rounds, 2);
  const auto element = p.Run(p.Add("DatasetToSingleElement", {reduced}, ElementAttrs({DType::kInt64})));
  ASSERT_TRUE(element.ok()) << element.status();
  std::vector<int64_t> first((*element)[0].values<int64_t>().begin(), (*element)[0].values<int64_t>().begin() + 60);
  std::vector<int64_t> second((*element)[0].values<int64_t>().begin() + 60, (*element)[0].values<int64_t>().end());
  EXPECT_NE(first, second);
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  EXPECT_EQ(first, second);
}

TEST(DatasetShuffleOpsTest, ErrorsKeepTheOtherElements) {
  Pipeline p;
  const std::string failing = p.Map(p.Range(5), "FailAtTwo");
  std::vector<std::string> texts =
      p.Elements(p.Dataset("ShuffleDataset", {failing, p.Number(3), p.Number(1), p.Number(2)}));
  ASSERT_EQ(texts.size(), 5u);
  EXPECT_EQ(texts[0], "INVALID_ARGUMENT");
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(Joined(texts), "0 1 3 4 INVALID_ARGUMENT");
}

TEST(DatasetShuffleOpsTest, Errors) {
  Pipeline p;
  const std::string one = p.Number(1);
  for (const int64_t size : {0, -1, -3}) {
    ExpectInvalid(p.Error(p.Dataset("ShuffleDataset", {p.Range(2), p.Number(size), one, one})), "buffer_size: expected a number > 0");
  }
  ExpectInvalid(p.Error(p.Dataset("ShuffleAndRepeatDataset", {p.Range(2), one, one, one, p.Number(0)})), "count: expected a number > 0, or -1");
  ExpectInvalid(p.Error(p.Dataset("ShuffleDatasetV2", {p.Range(2), one, p.Add("DummyMemoryCache", {})})), "expected one of a SeedGenerator");
  const std::string generator = p.Add("AnonymousSeedGenerator", {one, one, p.Const(Tensor::Scalar(true))});
  const std::string deleted = p.Add("DeleteSeedGenerator", {generator, generator + ":1"});
  const std::string deleted2 = p.Add("DeleteRandomSeedGenerator", {generator, generator + ":1"});
  EXPECT_TRUE(p.Start()->Run({}, {}, {deleted, deleted2}).ok());
}

TEST(DatasetShuffleOpsTest, Shapes) {
  OpLibrary library;
  ASSERT_TRUE(RegisterDatasetShuffleOps(library).ok());
  const AttrMap attrs = ElementAttrs({DType::kInt64});
  EXPECT_EQ(InferShapes(library, "ShuffleDataset", attrs, {PartialShape(), Shape(), Shape(), Shape()}).value()[0], Shape());
  ExpectInvalid(InferShapes(library, "ShuffleDataset", attrs, {Shape(), Shape::Of({1}), Shape(), Shape()}).status(), "");
}

}  // namespace
}  // namespace flowlatch
