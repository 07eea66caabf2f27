#include "ops/dataset_function_ops.h"

#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/ops/pipeline.h"
#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const FunctionRef F(const std::string& name) { return {name, {}}; }

TEST(DatasetFunctionOpsTest, Map) {
  for (const int64_t n : {0, 1, 3, 100}) {
    Pipeline p;
    std::vector<std::string> expected;
    for (int64_t i = 0; i < n; ++i) expected.push_back(absl::StrCat(2 * i));
    EXPECT_EQ(p.Elements(p.Map(p.Range(n), "Double")), expected);
    for (const int64_t calls : {-1, 1, 2, 7}) EXPECT_EQ(p.Elements(p.ParallelMap(p.Range(n), "Double", calls)), expected);
    const std::string v1 = p.Dataset("ParallelMapDataset", {p.Range(n), p.Const(Tensor::Scalar(int32_t{2}))}, {{"f", F("Double")}});
    EXPECT_EQ(p.Elements(v1), expected);
    // Pipelines of stages that work at the same time.
    EXPECT_EQ(p.Elements(p.Prefetch(p.ParallelMap(p.ParallelMap(p.Prefetch(p.Range(n), 3), "FailAtTwo"), "Double"), 2)).size(),
              static_cast<size_t>(n));
  }
}

TEST(DatasetFunctionOpsTest, MapOfWhatItCaptured) {
  Pipeline p;
  const std::string map = p.Dataset("MapDataset", {p.Range(3), p.Number(10)},
                                    {{"f", F("Plus")}, {"Targuments", std::vector<DType>{DType::kInt64}}});
  EXPECT_THAT(p.Elements(map), ElementsAre("10", "11", "12"));
  EXPECT_EQ(p.Cardinality(map), -2);
  const std::string kept = p.Dataset("MapDataset", {p.Range(3)}, {{"f", F("Double")}, {"preserve_cardinality", true}});
  EXPECT_EQ(p.Cardinality(kept), 3);
}

TEST(DatasetFunctionOpsTest, ErrorsAndTheEnd) {
  const std::string e = "INVALID_ARGUMENT";
  for (const bool parallel : {false, true}) {
    Pipeline p;
    const auto map = [&](const char* function, bool keeps_number) {
      const AttrMap attrs{{"f", F(function)}, {"preserve_cardinality", keeps_number}};
      return parallel ? p.Dataset("ParallelMapDatasetV2", {p.Range(5), p.Number(3)}, attrs) : p.Dataset("MapDataset", {p.Range(5)}, attrs);
    };
    EXPECT_THAT(p.Elements(map("FailAtTwo", false)), ElementsAre("0", "1", e, "3", "4"));
    EXPECT_THAT(p.Elements(map("EndAtTwo", false)), ElementsAre("0", "1"));
    EXPECT_THAT(p.Elements(map("EndAtTwo", true)), ElementsAre("0", "1", e, e, e));
  }
}

TEST(DatasetFunctionOpsTest, MapAndBatch) {
  Pipeline p;
  const auto batches = [&](int64_t n, const char* function, int64_t size, bool drop) {
    return p.Dataset("MapAndBatchDataset", {p.Range(n), p.Number(size), p.Number(-1), p.Const(Tensor::Scalar(drop))}, {{"f", F(function)}});
  };
  EXPECT_THAT(p.Elements(batches(5, "Double", 2, false)), ElementsAre("[0 2]", "[4 6]", "[8]"));
  EXPECT_THAT(p.Elements(batches(5, "Double", 2, true)), ElementsAre("[0 2]", "[4 6]"));
  // Unlike Batch, it takes the whole batch with the error.
  EXPECT_THAT(p.Elements(batches(5, "FailAtTwo", 2, false)), ElementsAre("[0 1]", "INVALID_ARGUMENT", "[4]"));
  ExpectInvalid(p.Error(batches(5, "Double", 0, false)), "batch_size");
}

TEST(DatasetFunctionOpsTest, Filters) {
  Pipeline p;
  EXPECT_THAT(p.Elements(p.Dataset("FilterDataset", {p.Range(6)}, {{"predicate", F("IsOdd")}})), ElementsAre("1", "3", "5"));
  EXPECT_THAT(p.Elements(p.Dataset("ParallelFilterDataset", {p.Range(6), p.Number(2)}, {{"predicate", F("IsOdd")}})),
              ElementsAre("1", "3", "5"));
  EXPECT_THAT(p.Elements(p.Dataset("TakeWhileDataset", {p.Repeat(p.Range(6), 2)}, {{"predicate", F("BelowThree")}})),
              ElementsAre("0", "1", "2"));
  EXPECT_EQ(p.Cardinality(p.Dataset("FilterDataset", {p.Range(6)}, {{"predicate", F("IsOdd")}})), -2);
  ExpectInvalid(p.Error(p.Dataset("FilterDataset", {p.Range(6)}, {{"predicate", F("Double")}})), "function 'Double': expected result 0 to be int64, got bool");
  p.Define({"Bools", {"x DT_INT64"}, {"r DT_BOOL"},
            {"v Const  dtype=type:DT_BOOL;value=tensor{dtype:DT_BOOL,tensor_shape{dim{size:1}},bool_val:true}"},
            {"r v:output:0"}});
  EXPECT_THAT(p.Elements(p.Dataset("FilterDataset", {p.Range(1)}, {{"predicate", F("Bools")}})), ElementsAre("INVALID_ARGUMENT"));
}

TEST(DatasetFunctionOpsTest, FlatMap) {
  Pipeline p;
  EXPECT_THAT(p.Elements(p.Dataset("FlatMapDataset", {p.Range(4)}, {{"f", F("Numbers")}})), ElementsAre("0", "0", "1", "0", "1", "2"));
  EXPECT_THAT(p.Elements(p.Dataset("FlatMapDataset", {p.Range(1)}, {{"f", F("Numbers")}})), IsEmpty());
  p.Define({"NoDataset", {"x DT_INT64"}, {"r DT_VARIANT"}, {"o OptionalNone"}, {"r o:optional:0"}});
  EXPECT_THAT(p.Elements(p.Dataset("FlatMapDataset", {p.Range(2)}, {{"f", F("NoDataset")}})),
              ElementsAre("INVALID_ARGUMENT", "INVALID_ARGUMENT"));
  ExpectInvalid(p.Error(p.Dataset("FlatMapDataset", {p.Range(2)}, {{"f", F("Double")}})), "function 'Double': expected result 0 to be int64, got variant");
}

// Orders that TensorFlow has.
TEST(DatasetFunctionOpsTest, Interleave) {
  struct Case {
    int64_t cycle, block;
    const char* expected;
  };
  const Case cases[] = {{2, 1, "1 2 2 3 3 4 3 4 4 4"},
                        {3, 2, "1 2 2 3 3 4 4 3 4 4"},
                        {5, 1, "1 2 3 4 2 3 4 3 4 4"},
                        {int64_t{1} << 60, 1, "1 2 3 4 2 3 4 3 4 4"},
                        {1, 9, "1 2 2 3 3 3 4 4 4 4"}};
  for (const Case& c : cases) {
    Pipeline p;
    const AttrMap f{{"f", F("CopiesOf")}};
    const std::string cycle = p.Number(c.cycle), block = p.Number(c.block), calls = p.Number(2), some = p.Number(3);
    for (const std::string& dataset : {p.Dataset("InterleaveDataset", {p.Range(5), cycle, block}, f),
                                       p.Dataset("ParallelInterleaveDatasetV2", {p.Range(5), cycle, block, calls}, f),
                                       p.Dataset("ParallelInterleaveDatasetV3", {p.Range(5), cycle, block, calls}, f),
                                       p.Dataset("ParallelInterleaveDatasetV4", {p.Range(5), cycle, block, some, some, calls}, f)}) {
      EXPECT_EQ(absl::StrJoin(p.Elements(dataset), " "), c.expected) << dataset;
    }
  }
  Pipeline p;
  const AttrMap f{{"f", F("CopiesOf")}};
  ExpectInvalid(p.Error(p.Dataset("InterleaveDataset", {p.Range(5), p.Number(0), p.Number(1)}, f)), "cycle_length: expected a number > 0");
  ExpectInvalid(p.Error(p.Dataset("InterleaveDataset", {p.Range(5), p.Number(-1), p.Number(1)}, f)), "cycle_length: expected a number > 0");
  ExpectInvalid(p.Error(p.Dataset("InterleaveDataset", {p.Range(5), p.Number(1), p.Number(0)}, f)), "block_length: expected a number > 0");
  ExpectInvalid(p.Error(p.Dataset("ParallelInterleaveDatasetV2", {p.Range(5), p.Number(1), p.Number(1), p.Number(0)}, f)),
                "num_parallel_calls: expected a number > 0, or -1");
  ExpectInvalid(p.Error(p.Dataset("ParallelInterleaveDatasetV4",
                                  {p.Range(5), p.Number(1), p.Number(1), p.Number(-2), p.Number(1), p.Number(1)}, f)),
                "buffer_output_elements: expected a number >= -1");
}

TEST(DatasetFunctionOpsTest, Scan) {
  Pipeline p;
  const AttrMap attrs{{"f", F("RunningSum")}, {"Tstate", std::vector<DType>{DType::kInt64}}};
  const std::string scan = p.Dataset("ScanDataset", {p.Range(5), p.Number(0)}, attrs);
  EXPECT_THAT(p.Elements(scan), ElementsAre("0", "0", "10", "30", "60"));
  EXPECT_EQ(p.Cardinality(scan), -2);
  EXPECT_EQ(p.Cardinality(p.Dataset("ScanDataset", {p.Range(5), p.Number(0)}, attrs.With("preserve_cardinality", true))), 5);
}

TEST(DatasetFunctionOpsTest, Errors) {
  Pipeline p;
  EXPECT_EQ(p.Error(p.Map(p.Range(2), "NoSuch")).code(), absl::StatusCode::kNotFound);
  ExpectInvalid(p.Error(p.Map(p.Range(2), "Plus")), "function 'Plus': expected 2 arguments, got 1");
  ExpectInvalid(p.Error(p.Map(p.Range(2), "Double", {DType::kInt32})), "expected result 0 to be int64, got int32");
  ExpectInvalid(p.Error(p.ParallelMap(p.Range(2), "Double", 0)), "num_parallel_calls: expected a number > 0, or -1, got 0");
}

// A function whose dataset calls the function again, and so on.
TEST(DatasetFunctionOpsTest, EndlessRecursionEnds) {
  Pipeline p;
  p.Define({"Again", {"x DT_INT64"}, {"r DT_VARIANT"},
            {"t TensorDataset x Toutput_types=list{type:DT_INT64};output_shapes=list{shape{}}",
             "d FlatMapDataset t:handle:0 f=func{name:'Again'};Targuments=list{};output_types=list{type:DT_INT64};output_shapes=list{shape{}}"},
            {"r d:handle:0"}});
  const std::vector<std::string> texts = p.Elements(p.Dataset("FlatMapDataset", {p.Range(1)}, {{"f", F("Again")}}), {DType::kInt64}, 1);
  EXPECT_THAT(texts, ElementsAre(::testing::AnyOf("RESOURCE_EXHAUSTED", "INVALID_ARGUMENT")));
}

// A generator in a function goes on from element to element, and begins anew with the iterator.
TEST(DatasetFunctionOpsTest, StateOfFunctions) {
  Pipeline p;
  p.Define({"Random", {"x DT_INT64"}, {"r DT_INT64"},
            {"s Const  dtype=type:DT_INT32;value=tensor{dtype:DT_INT32,tensor_shape{dim{size:0}}}",
             "lo Const  dtype=type:DT_INT64;value=tensor{dtype:DT_INT64,tensor_shape{},int64_val:0}",
             "hi Const  dtype=type:DT_INT64;value=tensor{dtype:DT_INT64,tensor_shape{},int64_val:1000000000}",
             "i RandomUniformInt s:output:0,lo:output:0,hi:output:0 T=type:DT_INT32;Tout=type:DT_INT64;seed=i:1;seed2=i:2"},
            {"r i:output:0"}});
  const std::string random = p.Map(p.Range(2), "Random");
  const std::vector<std::string> twice = p.Elements(p.Repeat(random, 2));
  ASSERT_EQ(twice.size(), 4u);
  EXPECT_NE(twice[0], twice[1]);
  EXPECT_NE(twice[0], twice[2]);  // also from round to round
  const std::vector<std::string> once = p.Elements(random);
  EXPECT_THAT(once, ElementsAre(twice[0], twice[1]));
}

// Functions whose kernels wait: each element is what comes out of a queue.
Pipeline& DefineFromQueue(Pipeline& p) {
  return p.Define({"FromQueue", {"x DT_INT64"}, {"r DT_INT64"},
                   {"q FIFOQueueV2  component_types=list{type:DT_INT64};shapes=list{shape{}};shared_name=s:'q'",
                    "d QueueDequeueV2 q:handle:0 component_types=list{type:DT_INT64}"},
                   {"r d:components:0"}});
}

class WaitingPipeline : public Pipeline {
 public:
  WaitingPipeline() {
    DefineFromQueue(*this);
    const std::string queue = Add("FIFOQueueV2", {},
                                  {{"component_types", std::vector<DType>{DType::kInt64}},
                                   {"shapes", std::vector<PartialShape>{Shape()}},
                                   {"shared_name", "q"}});
    put = Add("QueueEnqueueV2", {queue, Number(7)}, {{"Tcomponents", std::vector<DType>{DType::kInt64}}});
    const std::string it = Add("IteratorV2", {}, ElementAttrs({DType::kInt64}).With("container", "").With("shared_name", ""));
    begin = Add("MakeIterator", {Prefetch(Map(Range(10), "FromQueue"), 2), it});
    begin_parallel = Add("MakeIterator", {Prefetch(ParallelMap(Range(10), "FromQueue"), 2), it});
    next = Add("IteratorGetNext", {it}, ElementAttrs({DType::kInt64}));
  }
  std::string put, begin, begin_parallel, next;
};

TEST(DatasetFunctionOpsTest, WaitingFunctions) {
  for (const int threads : {1, 4}) {
    const WaitingPipeline p;
    const auto session = p.Start({.threads = threads});
    ASSERT_TRUE(session->Run({}, {}, {p.begin}).ok());
    ASSERT_TRUE(session->Run({}, {}, {p.put}).ok());
    const auto element = session->Run({}, {p.next}, {});
    ASSERT_TRUE(element.ok()) << element.status();
    EXPECT_EQ((*element)[0].scalar<int64_t>(), 7);
    // There is no more: a step that waits ends in time, and another one still gets what comes later.
    RunOptions soon;
    soon.timeout = std::chrono::milliseconds(20);
    EXPECT_EQ(session->Run({}, {p.next}, {}, soon, nullptr).status().code(), absl::StatusCode::kDeadlineExceeded);
    ASSERT_TRUE(session->Run({}, {}, {p.put}).ok());
    EXPECT_TRUE(session->Run({}, {p.next}, {}).ok());
  }
}

TEST(DatasetFunctionOpsTest, CloseEndsFunctionsThatWait) {
  for (const int threads : {1, 4}) {
    for (const bool parallel : {false, true}) {
      const WaitingPipeline p;
      const auto session = p.Start({.threads = threads});
      ASSERT_TRUE(session->Run({}, {}, {parallel ? p.begin_parallel : p.begin}).ok());
      std::atomic<bool> ended{false};
      std::thread waits([&] {
        EXPECT_EQ(session->Run({}, {p.next}, {}).status().code(), absl::StatusCode::kCancelled);
        ended = true;
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_FALSE(ended);
      EXPECT_TRUE(session->Close().ok());
      waits.join();
    }
  }
}

}  // namespace
}  // namespace flowlatch
