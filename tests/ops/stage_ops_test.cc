#include "ops/stage_ops.h"

#include <thread>

#include "tests/ops/tensors.h"
#include "tests/testing/built_graph.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

using Results = absl::StatusOr<std::vector<Tensor>>;
using Call = std::shared_ptr<StepRunner::Started>;

class StageOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterStageOps(library_).ok()); }
  Call Start(const std::string& op, const AttrMap& attrs, std::vector<Tensor> inputs) {
    const absl::StatusOr<Call> call = step_.Start(op, attrs.With("shared_name", "area"), std::move(inputs));
    EXPECT_TRUE(call.ok()) << call.status();
    return *call;
  }
  // Of a call that ends at once.
  Results Run(const std::string& op, const AttrMap& attrs, std::vector<Tensor> inputs) {
    const Call call = Start(op, attrs, std::move(inputs));
    if (!call->ended()) return absl::InternalError("waits");
    return call->outputs();
  }
  static AttrMap DTypes(std::vector<DType> dtypes) { return {{"dtypes", dtypes}}; }
  static void ExpectValues(const Results& got, const std::vector<Tensor>& want) {
    ASSERT_TRUE(got.ok()) << got.status();
    ASSERT_EQ(got->size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(Difference((*got)[i], want[i]), "");
  }
  int32_t Size(const std::string& op) {
    const Results size = Run(op, DTypes({}), {});
    EXPECT_TRUE(size.ok()) << size.status();
    return size.ok() ? (*size)[0].scalar<int32_t>() : -1;
  }

  OpLibrary library_;
  ResourceManager resources_;
  StepRunner step_{library_, &resources_};
};

// ---- Queues

class StageQueueTest : public StageOpsTest {
 protected:
  static AttrMap Limited(std::vector<DType> dtypes, int64_t capacity, int64_t memory) {
    return {{"dtypes", dtypes}, {"capacity", capacity}, {"memory_limit", memory}};
  }
  const AttrMap float_ = DTypes({DType::kFloat32});
};

TEST_F(StageQueueTest, FirstInFirstOut) {
  const AttrMap both = DTypes({DType::kFloat32, DType::kString});
  for (const float x : {1.0f, 2.0f}) ASSERT_TRUE(Run("Stage", both, {Floats({1}, {x}), Strings({}, {"s"})}).ok());
  EXPECT_EQ(Size("StageSize"), 2);
  ExpectValues(Run("StagePeek", both, {Ints({}, {1})}), {Floats({1}, {2}), Strings({}, {"s"})});
  ExpectValues(Run("Unstage", both, {}), {Floats({1}, {1}), Strings({}, {"s"})});
  ExpectInvalid(Run("Unstage", float_, {}).status(), "staged tensors: expected 1 (dtypes), got 2");
  ExpectInvalid(Run("Unstage", DTypes({DType::kFloat32, DType::kInt32}), {}).status(),
                "staged tensor 1: expected int32, got string");
  EXPECT_EQ(Size("StageSize"), 1);
  ASSERT_TRUE(Run("StageClear", float_, {}).ok());
  EXPECT_EQ(Size("StageSize"), 0);
}

TEST_F(StageQueueTest, WaitsForWhatIsNotThere) {
  const Call take = Start("Unstage", float_, {});
  const Call peek = Start("StagePeek", float_, {Ints({}, {1})});
  EXPECT_FALSE(take->ended());
  ASSERT_TRUE(Run("Stage", float_, {Floats({}, {1})}).ok());
  ASSERT_TRUE(take->ended());
  ExpectValues(take->outputs(), {Floats({}, {1})});
  for (const float x : {2.0f, 3.0f}) ASSERT_TRUE(Run("Stage", float_, {Floats({}, {x})}).ok());
  ASSERT_TRUE(peek->ended());
  ExpectValues(peek->outputs(), {Floats({}, {3})});
  EXPECT_EQ(Size("StageSize"), 2);
}

TEST_F(StageQueueTest, WaitsForRoom) {
  const AttrMap limited = Limited({DType::kFloat32}, 2, 20);
  EXPECT_EQ(Run("Stage", limited, {Floats({6}, {1, 2, 3, 4, 5, 6})}).status().code(),
            absl::StatusCode::kResourceExhausted);
  ASSERT_TRUE(Run("Stage", limited, {Floats({4}, {1, 2, 3, 4})}).ok());
  const Call too_big = Start("Stage", limited, {Floats({2}, {5, 6})});
  EXPECT_FALSE(too_big->ended());
  ASSERT_TRUE(Run("Stage", limited, {Floats({1}, {7})}).ok());
  const Call too_many = Start("Stage", limited, {Floats({}, {8})});
  ExpectValues(Run("Unstage", limited, {}), {Floats({4}, {1, 2, 3, 4})});
  EXPECT_TRUE(too_big->ended());
  EXPECT_FALSE(too_many->ended());
  ASSERT_TRUE(Run("StageClear", limited, {}).ok());
  EXPECT_TRUE(too_many->ended());
  EXPECT_EQ(Size("StageSize"), 1);
}

TEST_F(StageQueueTest, CancellationEndsWaiting) {
  const Call take = Start("Unstage", float_, {});
  step_.cancellation().Cancel(absl::DeadlineExceededError("time is up"));
  ASSERT_TRUE(take->ended());
  EXPECT_EQ(take->outputs().status().code(), absl::StatusCode::kDeadlineExceeded);
  const Call late = Start("Unstage", float_, {});
  ASSERT_TRUE(late->ended());
  EXPECT_EQ(late->outputs().status().code(), absl::StatusCode::kDeadlineExceeded);
  // What was put down afterwards is there for others.
  ASSERT_TRUE(Run("Stage", float_, {Floats({}, {1})}).ok());
  EXPECT_EQ(Size("StageSize"), 1);
}

TEST_F(StageQueueTest, Errors) {
  ExpectInvalid(Run("StagePeek", float_, {Ints({1}, {0})}).status(), "index: expected a scalar");
  ExpectInvalid(Run("StagePeek", float_, {Ints({}, {-1})}).status(), "index: expected a value >= 0, got -1");
}

// ---- Maps

class StageMapTest : public StageOpsTest {
 protected:
  absl::Status Put(int64_t key, const Tensor& indices, std::vector<Tensor> values) {
    std::vector<DType> given;
    std::vector<Tensor> inputs = {Tensor::Scalar(key), indices};
    for (const Tensor& t : values) {
      given.push_back(t.dtype());
      inputs.push_back(t);
    }
    return Run("MapStage", {{"dtypes", dtypes_}, {"fake_dtypes", given}}, inputs).status();
  }
  Results Take(int64_t key, const Tensor& indices, std::vector<DType> dtypes) {
    return Run("MapUnstage", DTypes(std::move(dtypes)), {Tensor::Scalar(key), indices});
  }
  Results Peek(int64_t key, const Tensor& indices, std::vector<DType> dtypes) {
    return Run("OrderedMapPeek", DTypes(std::move(dtypes)), {Tensor::Scalar(key), indices});
  }

  const std::vector<DType> dtypes_ = {DType::kFloat32, DType::kInt32};
  const Tensor all_ = Ints({2}, {0, 1}), first_ = Ints({1}, {0}), second_ = Ints({1}, {1});
};

TEST_F(StageMapTest, TuplesByKey) {
  ASSERT_TRUE(Put(7, all_, {Floats({}, {1}), Ints({}, {2})}).ok());
  ASSERT_TRUE(Put(3, first_, {Floats({}, {3})}).ok());
  EXPECT_EQ(Size("MapSize"), 1);
  EXPECT_EQ(Size("MapIncompleteSize"), 1);
  ASSERT_TRUE(Put(3, second_, {Ints({}, {4})}).ok());
  EXPECT_EQ(Size("MapSize"), 2);
  EXPECT_EQ(Size("MapIncompleteSize"), 0);
  ExpectValues(Peek(3, all_, dtypes_), {Floats({}, {3}), Ints({}, {4})});
  ExpectValues(Run("MapUnstageNoKey", DTypes(dtypes_), {all_}), {Longs({}, {3}), Floats({}, {3}), Ints({}, {4})});
  // Tensors of a key go one by one.
  ExpectValues(Take(7, second_, {DType::kInt32}), {Ints({}, {2})});
  ExpectInvalid(Take(7, all_, dtypes_).status(), "indices of key 7: expected those of tensors that are there, got 1");
  EXPECT_EQ(Size("MapSize"), 1);
  ExpectValues(Take(7, first_, {DType::kFloat32}), {Floats({}, {1})});
  EXPECT_EQ(Size("MapSize"), 0);
}

TEST_F(StageMapTest, ACompleteTupleStays) {
  ASSERT_TRUE(Put(1, all_, {Floats({}, {1}), Ints({}, {2})}).ok());
  ASSERT_TRUE(Put(1, all_, {Floats({}, {3}), Ints({}, {4})}).ok());
  ExpectValues(Peek(1, all_, dtypes_), {Floats({}, {1}), Ints({}, {2})});
  ASSERT_TRUE(Run("MapClear", DTypes(dtypes_), {}).ok());
  EXPECT_EQ(Size("MapSize"), 0);
}

TEST_F(StageMapTest, Waits) {
  const Call take = Start("MapUnstage", DTypes({DType::kInt32}), {Tensor::Scalar<int64_t>(1), second_});
  const Call any = Start("OrderedMapUnstageNoKey", DTypes({DType::kFloat32}), {first_});
  ASSERT_TRUE(Put(1, first_, {Floats({}, {1})}).ok());
  EXPECT_FALSE(take->ended());
  ASSERT_TRUE(Put(1, second_, {Ints({}, {2})}).ok());
  ASSERT_TRUE(take->ended() && any->ended());
  ExpectValues(take->outputs(), {Ints({}, {2})});
  ExpectValues(any->outputs(), {Longs({}, {1}), Floats({}, {1})});

  const AttrMap limited = {{"dtypes", std::vector<DType>{DType::kFloat32}},
                           {"fake_dtypes", std::vector<DType>{DType::kFloat32}},
                           {"capacity", int64_t{1}},
                           {"container", "limited"}};
  const auto put = [&](int64_t key) {
    return Start("MapStage", limited, {Tensor::Scalar(key), first_, Floats({}, {1})});
  };
  EXPECT_TRUE(put(1)->ended());
  const Call waits = put(2);
  EXPECT_FALSE(waits->ended());
  ASSERT_TRUE(Start("MapUnstage", {{"dtypes", std::vector<DType>{DType::kFloat32}}, {"container", "limited"}},
                    {Tensor::Scalar<int64_t>(1), first_})
                  ->ended());
  EXPECT_TRUE(waits->ended());
}

TEST_F(StageMapTest, Errors) {
  const Tensor x = Floats({}, {1}), i = Ints({}, {1});
  ExpectInvalid(Put(1, Ints({2}, {1, 0}), {i, x}), "indices: expected increasing values >= 0, got 0 at 1");
  ExpectInvalid(Put(1, Ints({2}, {0, 0}), {x, x}), "indices: expected increasing");
  ExpectInvalid(Put(1, Ints({1}, {-1}), {x}), "indices: expected increasing");
  ExpectInvalid(Put(1, Ints({1}, {5}), {x}), "indices: expected values in [0,2), got 5");
  ExpectInvalid(Put(1, all_, {x}), "indices: expected 1, got 2");
  ExpectInvalid(Put(1, first_, {i}), "value for index 0: expected float32, got int32");
  ExpectInvalid(Put(1, Ints({}, {0}), {x}), "indices: expected a vector");
  ExpectInvalid(Put(1, Ints({0}, {}), {x}), "indices: expected some, got none");
  ASSERT_TRUE(Put(1, first_, {x}).ok());
  ExpectInvalid(Put(1, first_, {x}), "indices of key 1: expected those of tensors that are missing, got 0");
  ASSERT_TRUE(Put(1, second_, {i}).ok());
  ExpectInvalid(Peek(1, Ints({1}, {7}), {DType::kFloat32}).status(), "got 7");
  ExpectInvalid(Peek(1, all_, {DType::kFloat32}).status(), "staged tensors: expected 1 (dtypes), got 2");
  ExpectInvalid(Peek(1, first_, {DType::kInt32}).status(), "staged tensor 0: expected int32, got float32");
  ExpectInvalid(Run("MapPeek", DTypes(dtypes_), {Longs({1, 1}, {1}), all_}).status(), "key: expected a scalar");
}

// ---- In sessions

TEST(StageSession, StepsHandTensorsOverAndCloseEndsWaiting) {
  BuiltGraph g;
  const AttrMap::Entry dtypes = {"dtypes", std::vector<DType>{DType::kInt32}}, name = {"shared_name", "area"};
  const AttrMap::Entry capacity = {"capacity", int64_t{3}};
  const Output x = g.b.Placeholder(DType::kInt32, PartialShape(Shape()), "x");
  const Operation stage = g.b.Op("Stage", {x}, {name, capacity});
  const Output unstage = g.b.Op("Unstage", {}, {dtypes, name, capacity}).output();
  auto session = g.NewSession();
  ASSERT_TRUE(session.ok()) << session.status();
  constexpr int kThreads = 4, kEach = 25;
  std::vector<std::thread> threads;
  for (int k = 0; k < kThreads; ++k) {
    threads.emplace_back([&, k] {
      for (int i = 0; i < kEach; ++i) {
        const Results put = (*session)->Run({{"x", Tensor::Scalar(k * kEach + i)}}, {}, {stage.name()});
        EXPECT_TRUE(put.ok()) << put.status();
      }
    });
  }
  std::vector<int> seen(kThreads * kEach, 0);
  for (int i = 0; i < kThreads * kEach; ++i) {
    const Results got = (*session)->Run({}, {unstage.name()}, {});
    ASSERT_TRUE(got.ok()) << got.status();
    ++seen[(*got)[0].scalar<int32_t>()];
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(seen, testing::Each(1));

  std::thread waits(
      [&] { EXPECT_EQ((*session)->Run({}, {unstage.name()}, {}).status().code(), absl::StatusCode::kCancelled); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE((*session)->Close().ok());
  waits.join();
}

}  // namespace
}  // namespace flowlatch
