#include "ops/queue_ops.h"

#include <algorithm>
#include <map>

#include "tests/ops/tensors.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

using Results = absl::StatusOr<std::vector<Tensor>>;
using Started = std::shared_ptr<StepRunner::Started>;

// Both generations of ops.
class QueueOpsTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterQueueOps(library_).ok()); }
  static std::string Name(const std::string& op) { return GetParam() ? op + "V2" : op; }

  Results TryOpen(const std::string& op, std::vector<DType> dtypes, std::vector<PartialShape> shapes = {},
                  std::map<std::string, Attr> more = {}) {
    more.insert({{"component_types", dtypes}, {"shapes", shapes}});
    return step_.Run(Name(op), AttrMap(std::move(more)), {});
  }
  Tensor Open(const std::string& op, std::vector<DType> dtypes, std::vector<PartialShape> shapes = {},
              std::map<std::string, Attr> more = {}) {
    const Results out = TryOpen(op, std::move(dtypes), std::move(shapes), std::move(more));
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0] : Tensor();
  }
  static std::vector<DType> DTypesOf(const std::vector<Tensor>& tensors) {
    std::vector<DType> dtypes;
    for (const Tensor& t : tensors) dtypes.push_back(t.dtype());
    return dtypes;
  }
  Started Start(const std::string& op, const AttrMap& attrs, std::vector<Tensor> inputs) {
    const absl::StatusOr<Started> started = step_.Start(Name(op), attrs, std::move(inputs));
    EXPECT_TRUE(started.ok()) << started.status();
    return started.value_or(nullptr);
  }
  Started Put(const Tensor& queue, const std::vector<Tensor>& components, const std::string& op = "QueueEnqueue") {
    std::vector<Tensor> inputs = {queue};
    inputs.insert(inputs.end(), components.begin(), components.end());
    return Start(op, {{"Tcomponents", DTypesOf(components)}}, inputs);
  }
  Started PutMany(const Tensor& queue, const std::vector<Tensor>& components) {
    return Put(queue, components, "QueueEnqueueMany");
  }
  Started Take(const Tensor& queue, std::vector<DType> dtypes) {
    return Start("QueueDequeue", {{"component_types", dtypes}}, {queue});
  }
  Started TakeMany(const Tensor& queue, int32_t n, std::vector<DType> dtypes, const std::string& op = "QueueDequeueMany") {
    return Start(op, {{"component_types", dtypes}}, {queue, Tensor::Scalar(n)});
  }
  absl::Status Close(const Tensor& queue, bool cancel = false) {
    return step_.Run(Name("QueueClose"), {{"cancel_pending_enqueues", cancel}}, {queue}).status();
  }
  int32_t Size(const Tensor& queue) { return step_.Run(Name("QueueSize"), {}, {queue}).value()[0].scalar<int32_t>(); }
  bool IsClosed(const Tensor& queue) { return step_.Run(Name("QueueIsClosed"), {}, {queue}).value()[0].scalar<bool>(); }

  static void ExpectEnded(const Started& started, const std::vector<Tensor>& want) {
    ASSERT_TRUE(started->ended());
    const Results got = started->outputs();
    ASSERT_TRUE(got.ok()) << got.status();
    ASSERT_EQ(got->size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(Difference((*got)[i], want[i]), "") << "output " << i;
  }
  static void ExpectFailed(const Started& started, absl::StatusCode code, const std::string& text) {
    ASSERT_TRUE(started->ended());
    EXPECT_EQ(started->outputs().status().code(), code) << started->outputs().status();
    EXPECT_THAT(std::string(started->outputs().status().message()), testing::HasSubstr(text));
  }

  OpLibrary library_;
  ResourceManager resources_;
  StepRunner step_{library_, &resources_};
};

INSTANTIATE_TEST_SUITE_P(Generations, QueueOpsTest, testing::Bool());

constexpr DType kF = DType::kFloat32;
constexpr DType kI = DType::kInt32;
constexpr DType kS = DType::kString;

TEST_P(QueueOpsTest, ElementsComeAndGo) {
  const Tensor queue = Open("FIFOQueue", {kF, kS});
  ExpectEnded(Put(queue, {Floats({2}, {1, 2}), Strings({}, {"a"})}), {});
  ExpectEnded(Put(queue, {Floats({}, {3}), Strings({1}, {"b"})}), {});
  EXPECT_EQ(Size(queue), 2);
  EXPECT_FALSE(IsClosed(queue));
  ExpectEnded(Take(queue, {kF, kS}), {Floats({2}, {1, 2}), Strings({}, {"a"})});
  ExpectEnded(Take(queue, {kF, kS}), {Floats({}, {3}), Strings({1}, {"b"})});
  EXPECT_EQ(Size(queue), 0);
}

TEST_P(QueueOpsTest, RowsAndBatches) {
  const Tensor queue = Open("FIFOQueue", {kF, kS}, {Shape::Of({2}), Shape()});
  ExpectEnded(PutMany(queue, {Floats({3, 2}, {1, 2, 3, 4, 5, 6}), Strings({3}, {"a", "b", "c"})}), {});
  ExpectEnded(PutMany(queue, {Floats({0, 2}, {}), Strings({0}, {})}), {});
  EXPECT_EQ(Size(queue), 3);
  ExpectEnded(Take(queue, {kF, kS}), {Floats({2}, {1, 2}), Strings({}, {"a"})});
  ExpectEnded(TakeMany(queue, 2, {kF, kS}), {Floats({2, 2}, {3, 4, 5, 6}), Strings({2}, {"b", "c"})});
  ExpectEnded(TakeMany(queue, 0, {kF, kS}), {Floats({0, 2}, {}), Strings({0}, {})});
}

// Every dtype passes through, alone and in rows.
TEST_P(QueueOpsTest, EveryDType) {
  constexpr DType kAll[] = {
#define FLOWLATCH_X(enumerator, number, name, type) DType::enumerator,
      FLOWLATCH_DTYPES(FLOWLATCH_X)
#undef FLOWLATCH_X
  };
  for (const DType dtype : kAll) {
    const Tensor queue = Open("FIFOQueue", {dtype}, {Shape::Of({2})});
    const Tensor rows = Tensor::Zeros(dtype, Shape::Of({2, 2})).value();
    ExpectEnded(PutMany(queue, {rows}), {});
    ExpectEnded(TakeMany(queue, 2, {dtype}), {rows});
    ExpectEnded(Put(queue, {rows.Rows(0, 1).Reshaped(Shape::Of({2})).value()}), {});
    ASSERT_TRUE(Take(queue, {dtype})->ended()) << std::string(DTypeName(dtype));
  }
}

TEST_P(QueueOpsTest, LargeElements) {
  const Tensor queue = Open("FIFOQueue", {kF}, {Shape::Of({300, 200})});
  Tensor rows = Tensor::Make(kF, Shape::Of({5, 300, 200})).value();
  for (int64_t i = 0; i < rows.num_elements(); ++i) rows.mutable_data<float>()[i] = static_cast<float>(i);
  ExpectEnded(PutMany(queue, {rows}), {});
  ExpectEnded(TakeMany(queue, 5, {kF}), {rows});
}

TEST_P(QueueOpsTest, WaitsForRoomAndForElements) {
  const Tensor queue = Open("FIFOQueue", {kI}, {Shape()}, {{"capacity", int64_t{2}}});
  const Started put = PutMany(queue, {Ints({3}, {1, 2, 3})});
  EXPECT_FALSE(put->ended());
  const Started batch = TakeMany(queue, 4, {kI});
  EXPECT_TRUE(put->ended());
  EXPECT_FALSE(batch->ended());
  const Started next = Take(queue, {kI});
  ExpectEnded(PutMany(queue, {Ints({2}, {4, 5})}), {});
  ExpectEnded(batch, {Ints({4}, {1, 2, 3, 4})});
  ExpectEnded(next, {Ints({}, {5})});
}

TEST_P(QueueOpsTest, Close) {
  const Tensor queue = Open("FIFOQueue", {kI}, {Shape()}, {{"capacity", int64_t{3}}});
  ASSERT_TRUE(PutMany(queue, {Ints({3}, {1, 2, 3})})->ended());
  const Started put = Put(queue, {Ints({}, {4})});
  const Started close = Start("QueueClose", {}, {queue});
  EXPECT_FALSE(close->ended());  // it stands behind the put
  ExpectEnded(Take(queue, {kI}), {Ints({}, {1})});
  ExpectEnded(put, {});
  ExpectEnded(close, {});
  EXPECT_TRUE(IsClosed(queue));
  ExpectFailed(Put(queue, {Ints({}, {5})}), absl::StatusCode::kCancelled, "expected an open one, got one that was closed");
  ExpectFailed(TakeMany(queue, 4, {kI}), absl::StatusCode::kOutOfRange, "expected 4 elements, got 3, and it is closed");
  ExpectEnded(TakeMany(queue, 4, {kI}, "QueueDequeueUpTo"), {Ints({3}, {2, 3, 4})});
  ExpectFailed(TakeMany(queue, 4, {kI}, "QueueDequeueUpTo"), absl::StatusCode::kOutOfRange, "got 0");
  ExpectFailed(Take(queue, {kI}), absl::StatusCode::kOutOfRange, "expected 1 elements, got 0");
  EXPECT_EQ(Close(queue).code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(Close(queue, true).ok());
}

TEST_P(QueueOpsTest, CloseCancelsWhatWaits) {
  const Tensor queue = Open("FIFOQueue", {kI}, {}, {{"capacity", int64_t{1}}});
  ASSERT_TRUE(Put(queue, {Ints({}, {1})})->ended());
  const Started put = Put(queue, {Ints({}, {2})});
  EXPECT_TRUE(Close(queue, true).ok());
  ExpectFailed(put, absl::StatusCode::kCancelled, "closed");
  ExpectEnded(Take(queue, {kI}), {Ints({}, {1})});
}

TEST_P(QueueOpsTest, CancelledSteps) {
  const Tensor queue = Open("FIFOQueue", {kI}, {Shape()});
  const Started batch = TakeMany(queue, 3, {kI});
  ASSERT_TRUE(PutMany(queue, {Ints({2}, {1, 2})})->ended());
  EXPECT_EQ(Size(queue), 0);
  step_.cancellation().Cancel(absl::CancelledError("stop"));
  ExpectFailed(batch, absl::StatusCode::kCancelled, "queue '");
  ExpectFailed(Take(queue, {kI}), absl::StatusCode::kCancelled, "got one that was cancelled");
  EXPECT_EQ(Size(queue), 2);  // what the batch had taken is back
}

TEST_P(QueueOpsTest, PaddingQueue) {
  const Tensor queue = Open("PaddingFIFOQueue", {kF, kS}, {PartialShape::Of({-1, 2}), PartialShape::Of({-1})});
  ExpectEnded(Put(queue, {Floats({1, 2}, {1, 2}), Strings({2}, {"a", "b"})}), {});
  ExpectEnded(Put(queue, {Floats({3, 2}, {3, 4, 5, 6, 7, 8}), Strings({0}, {})}), {});
  ExpectEnded(Put(queue, {Floats({0, 2}, {}), Strings({1}, {"c"})}), {});
  ExpectEnded(PutMany(queue, {Floats({1, 1, 2}, {9, 9}), Strings({1, 1}, {"d"})}), {});
  ExpectEnded(TakeMany(queue, 3, {kF, kS}),
              {Floats({3, 3, 2}, {1, 2, 0, 0, 0, 0, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0}),
               Strings({3, 2}, {"a", "b", "", "", "c", ""})});
  ExpectEnded(Take(queue, {kF, kS}), {Floats({1, 2}, {9, 9}), Strings({1}, {"d"})});  // alone it is as it was
  ExpectEnded(TakeMany(queue, 0, {kF, kS}), {Floats({0, 0, 2}, {}), Strings({0, 0}, {})});
}

TEST_P(QueueOpsTest, PaddingInSeveralDimensions) {
  const Tensor queue = Open("PaddingFIFOQueue", {kI}, {PartialShape::Of({-1, -1, 1})});
  ExpectEnded(Put(queue, {Ints({2, 1, 1}, {1, 2})}), {});
  ExpectEnded(Put(queue, {Ints({1, 3, 1}, {3, 4, 5})}), {});
  ExpectEnded(TakeMany(queue, 2, {kI}), {Ints({2, 2, 3, 1}, {1, 0, 0, 2, 0, 0, 3, 4, 5, 0, 0, 0})});
}

TEST_P(QueueOpsTest, PriorityQueue) {
  const Tensor queue = Open("PriorityQueue", {kS}, {Shape()});
  const std::vector<DType> dtypes = {DType::kInt64, kS};
  ExpectEnded(PutMany(queue, {Longs({4}, {5, 1, 3, 1}), Strings({4}, {"a", "b", "c", "d"})}), {});
  ExpectEnded(Put(queue, {Longs({}, {2}), Strings({}, {"e"})}), {});
  ExpectEnded(Take(queue, dtypes), {Longs({}, {1}), Strings({}, {"b"})});
  ExpectEnded(TakeMany(queue, 4, dtypes), {Longs({4}, {1, 2, 3, 5}), Strings({4}, {"d", "e", "c", "a"})});
  ExpectFailed(Put(queue, {Strings({}, {"e"})}), absl::StatusCode::kInvalidArgument,
               "components: expected int64, string, got string");
  ExpectFailed(Put(queue, {Longs({1}, {2}), Strings({}, {"e"})}), absl::StatusCode::kInvalidArgument,
               "component 0: expected shape [], got [1]");
  // Priorities alone.
  const Tensor bare = Open("PriorityQueue", {}, {});
  ExpectEnded(PutMany(bare, {Longs({3}, {3, 1, 2})}), {});
  ExpectEnded(TakeMany(bare, 3, {DType::kInt64}), {Longs({3}, {1, 2, 3})});
}

TEST_P(QueueOpsTest, RandomShuffleQueue) {
  const auto order = [&](int64_t seed) {
    const Tensor queue = Open("RandomShuffleQueue", {kI}, {Shape()}, {{"seed", seed}, {"min_after_dequeue", int64_t{1}}});
    EXPECT_TRUE(PutMany(queue, {Ints({8}, {0, 1, 2, 3, 4, 5, 6, 7})})->ended());
    EXPECT_TRUE(Close(queue).ok());
    return TakeMany(queue, 8, {kI})->outputs().value()[0];
  };
  const Tensor first = order(7), again = order(7), other = order(8), any = order(0);
  EXPECT_EQ(Difference(first, again), "");
  EXPECT_NE(Difference(first, other), "");
  std::vector<int32_t> sorted(any.values<int32_t>().begin(), any.values<int32_t>().end());
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, (std::vector<int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));

  const Tensor open = Open("RandomShuffleQueue", {kI}, {Shape()}, {{"min_after_dequeue", int64_t{2}}});
  ASSERT_TRUE(PutMany(open, {Ints({3}, {1, 2, 3})})->ended());
  EXPECT_TRUE(Take(open, {kI})->ended());
  const Started waits = Take(open, {kI});
  EXPECT_FALSE(waits->ended());
  EXPECT_TRUE(Close(open).ok());
  EXPECT_TRUE(waits->ended());
}

TEST_P(QueueOpsTest, BadElements) {
  const Tensor queue = Open("FIFOQueue", {kI, kF}, {Shape(), Shape::Of({2})});
  const struct {
    const char* name;
    Started started;
    const char* error;
  } cases[] = {
      {"dtype", Put(queue, {Ints({}, {1}), Ints({2}, {1, 2})}), "components: expected int32, float32, got int32, int32"},
      {"number", Put(queue, {Ints({}, {1})}), "components: expected int32, float32, got int32"},
      {"shape", Put(queue, {Ints({}, {1}), Floats({3}, {1, 2, 3})}), "component 1: expected shape [2], got [3]"},
      {"row", PutMany(queue, {Ints({1}, {1}), Floats({1, 3}, {1, 2, 3})}), "component 1: expected shape [?,2], got [1,3]"},
      {"no rows", PutMany(queue, {Ints({}, {1}), Floats({1, 2}, {1, 2})}), "component 0: expected shape [?], got []"},
      {"rows", PutMany(queue, {Ints({1}, {1}), Floats({2, 2}, {1, 2, 3, 4})}), "component 1: expected 1 rows"},
      {"taken dtype", Take(queue, {kI, kI}), "components: expected int32, float32, got int32, int32"},
      {"negative n", TakeMany(queue, -1, {kI, kF}), "n: expected a number >= 0, got -1"},
      {"no shapes", TakeMany(Open("FIFOQueue", {kI}), 0, {kI}), "got one without"},
      {"n is a vector", Start("QueueDequeueMany", {{"component_types", std::vector<DType>{kI, kF}}}, {queue, Ints({1}, {1})}),
       "n: expected a scalar"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    ExpectFailed(c.started, absl::StatusCode::kInvalidArgument, c.error);
  }
  EXPECT_EQ(Size(queue), 0);
}

TEST_P(QueueOpsTest, BadAttributes) {
  ExpectInvalid(TryOpen("FIFOQueue", {kI}, {PartialShape::Of({-1})}).status(), "expected fully defined ones");
  ExpectInvalid(TryOpen("FIFOQueue", {kI}, {Shape(), Shape()}).status(), "expected 1 or none, got 2");
  ExpectInvalid(TryOpen("PaddingFIFOQueue", {kI}).status(), "expected 1, got 0");
  ExpectInvalid(TryOpen("RandomShuffleQueue", {kI}, {}, {{"min_after_dequeue", int64_t{-1}}}).status(), "min_after_dequeue");
  const Tensor queue = Open("FIFOQueue", {kI});
  ExpectInvalid(step_.Run(Name("QueueDequeue"), {{"component_types", std::vector<DType>{kI}}, {"timeout_ms", int64_t{5}}}, {queue})
                    .status(),
                "timeout_ms: expected -1");
}

TEST_P(QueueOpsTest, QueuesOfOneName) {
  const std::map<std::string, Attr> name = {{"shared_name", std::string("shared")}};
  const Tensor queue = Open("FIFOQueue", {kI}, {Shape()}, name), again = Open("FIFOQueue", {kI}, {Shape()}, name);
  ASSERT_TRUE(Put(queue, {Ints({}, {1})})->ended());
  EXPECT_EQ(Size(again), 1);
  ExpectInvalid(TryOpen("FIFOQueue", {kF}, {Shape()}, name).status(), "component types: expected that of the shared queue");
  ExpectInvalid(TryOpen("RandomShuffleQueue", {kI}, {Shape()}, name).status(), "kind: expected that of the shared queue");
  const Tensor mine = Open("FIFOQueue", {kI}, {Shape()}), yours = Open("FIFOQueue", {kI}, {Shape()});
  ASSERT_TRUE(Put(mine, {Ints({}, {1})})->ended());
  EXPECT_EQ(Size(yours), 0);  // without a name each node has its own
  // Another container, another queue.
  const Tensor far = Open("FIFOQueue", {kI}, {Shape()}, {{"shared_name", std::string("shared")}, {"container", std::string("c")}});
  EXPECT_EQ(Size(far), 0);
}

TEST_P(QueueOpsTest, HandlesOfOtherThings) {
  if (GetParam()) {
    ExpectInvalid(step_.Run("QueueSizeV2", {}, {Tensor::Scalar(ResourceHandle())}).status(), "empty");
    ExpectInvalid(step_.Run("QueueSizeV2", {}, {Tensor::Make(DType::kResource, {0}).value()}).status(),
                  "handle: expected a scalar, got shape [0]");
  } else {
    EXPECT_EQ(step_.Run("QueueSize", {}, {Strings({2}, {"c", "none"})}).status().code(), absl::StatusCode::kNotFound);
    ExpectInvalid(step_.Run("QueueSize", {}, {Strings({1}, {"c"})}).status(), "handle: expected two strings");
  }
}

// Elements outlive the memory that was lent to the step.
TEST_P(QueueOpsTest, BorrowedMemoryIsCopied) {
  const Tensor queue = Open("FIFOQueue", {kF});
  float lent[2] = {1, 2};
  bool released = false;
  {
    const Tensor borrowed = Tensor::Borrow(kF, Shape::Of({2}), lent, [&] { released = true; }).value();
    ASSERT_TRUE(Put(queue, {borrowed})->ended());
    ASSERT_TRUE(PutMany(queue, {borrowed})->ended());
  }
  EXPECT_TRUE(released);
  lent[0] = 7;
  ExpectEnded(Take(queue, {kF}), {Floats({2}, {1, 2})});
  ExpectEnded(Take(queue, {kF}), {Floats({}, {1})});
}

TEST(QueueShapesTest, Shapes) {
  OpLibrary library;
  ASSERT_TRUE(RegisterQueueOps(library).ok());
  const std::vector<DType> one = {kF};
  const AttrMap queue = {{"component_types", one}, {"shapes", std::vector<PartialShape>{Shape::Of({2})}}};
  EXPECT_EQ(InferShapes(library, "FIFOQueueV2", queue, {}).value()[0], Shape());
  EXPECT_EQ(InferShapes(library, "FIFOQueue", queue, {}).value()[0], Shape::Of({2}));
  const AttrMap take = {{"component_types", one}};
  EXPECT_FALSE(InferShapes(library, "QueueDequeueV2", take, {Shape()}).value()[0].has_rank());
  EXPECT_FALSE(InferShapes(library, "QueueDequeueManyV2", take, {Shape(), PartialShape()}).value()[0].has_rank());
  const Tensor minus = Tensor::Scalar(-1);
  ExpectInvalid(InferShapes(library, "QueueDequeueManyV2", take, {Shape(), Shape()}, {nullptr, &minus}).status(),
                "n: expected a number >= 0, got -1");
  ExpectInvalid(InferShapes(library, "QueueDequeueManyV2", take, {Shape(), Shape::Of({1})}).status(), "");
  EXPECT_EQ(InferShapes(library, "QueueSizeV2", {}, {Shape()}).value()[0], Shape());
}

}  // namespace
}  // namespace flowlatch
