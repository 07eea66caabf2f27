#include "runtime/resource/queue.h"

#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

QueueElement Element(int32_t value) { return {Tensor::Scalar(value)}; }

// Requests of one thread, which writes down in which order they end.
class QueueTest : public testing::Test {
 protected:
  void Make(int64_t capacity, QueueSpec::Kind kind = QueueSpec::Kind::kFifo, int64_t min_after_dequeue = 0) {
    QueueSpec spec;
    spec.kind = kind;
    spec.dtypes = {DType::kInt32};
    spec.shapes = {PartialShape(Shape())};
    spec.capacity = capacity;
    spec.min_after_dequeue = min_after_dequeue;
    queue_ = Queue::Make(spec, "q", std::mt19937(1)).value();
  }
  // What it reports is written down as "name", or "name CODE".
  Queue::Done Ends(const std::string& name) {
    return [this, name](const absl::Status& status) {
      last_ = status;
      ended_.push_back(status.ok() ? name : absl::StrCat(name, " ", absl::StatusCodeToString(status.code())));
    };
  }
  void Put(int32_t value) { queue_->Enqueue(Element(value), step_, Ends(absl::StrCat("put ", value))); }
  void PutMany(std::vector<int32_t> values, CancellationManager* step = nullptr) {
    const auto n = static_cast<int64_t>(values.size());
    const std::string name = absl::StrCat("put many ", n);
    queue_->EnqueueMany(n, [values](int64_t i) { return Element(values[i]); }, step != nullptr ? *step : step_, Ends(name));
  }
  // Reports what was taken: "take 3".
  void Take(CancellationManager* step = nullptr) {
    slots_.push_back(std::make_unique<Tensor>());
    Tensor* slot = slots_.back().get();
    queue_->Dequeue(absl::MakeSpan(slot, 1), step != nullptr ? *step : step_, [this, slot](const absl::Status& status) {
      Ends(status.ok() ? absl::StrCat("take ", slot->scalar<int32_t>()) : "take")(status);
    });
  }
  // "take 3,4".
  void TakeMany(int64_t n, bool may_be_short = false, CancellationManager* step = nullptr) {
    queue_->DequeueMany(n, may_be_short, step != nullptr ? *step : step_,
                        [this](absl::StatusOr<std::vector<QueueElement>> elements) {
                          std::string name = "take many";
                          for (size_t i = 0; elements.ok() && i < elements->size(); ++i) {
                            absl::StrAppend(&name, i == 0 ? " " : ",", (*elements)[i][0].scalar<int32_t>());
                          }
                          Ends(name)(elements.status());
                        });
  }
  void Close(bool cancel = false) { queue_->Close(cancel, step_, Ends(cancel ? "close all" : "close")); }
  // What has ended since the last call.
  std::vector<std::string> Ended() { return std::exchange(ended_, {}); }

  CancellationManager step_;
  RefPtr<Queue> queue_;
  std::vector<std::unique_ptr<Tensor>> slots_;
  std::vector<std::string> ended_;
  absl::Status last_;
};

TEST_F(QueueTest, WhatCanEndEndsAtOnce) {
  Make(2);
  Put(1);
  Put(2);
  Take();
  PutMany({});
  TakeMany(0);
  Take();
  EXPECT_THAT(Ended(), ElementsAre("put 1", "put 2", "take 1", "put many 0", "take many", "take 2"));
}

TEST_F(QueueTest, PutWaitsForRoom) {
  Make(1);
  Put(1);
  Put(2);
  Put(3);
  EXPECT_THAT(Ended(), ElementsAre("put 1"));
  EXPECT_EQ(queue_->size(), 1);
  Take();
  EXPECT_THAT(Ended(), ElementsAre("take 1", "put 2"));
  TakeMany(2);
  EXPECT_THAT(Ended(), ElementsAre("put 3", "take many 2,3"));
}

TEST_F(QueueTest, TakeWaitsForAnElement) {
  Make(10);
  Take();
  Take();
  EXPECT_THAT(Ended(), IsEmpty());
  Put(1);
  EXPECT_THAT(Ended(), ElementsAre("put 1", "take 1"));
  PutMany({2, 3});
  EXPECT_THAT(Ended(), ElementsAre("put many 2", "take 2"));
  EXPECT_EQ(queue_->size(), 1);
}

TEST_F(QueueTest, ManyPassThroughASmallQueue) {
  Make(2);
  PutMany({1, 2, 3, 4, 5});
  EXPECT_EQ(queue_->size(), 2);
  TakeMany(4);
  EXPECT_THAT(Ended(), ElementsAre("take many 1,2,3,4", "put many 5"));
  EXPECT_EQ(queue_->size(), 1);
}

// 9.8: a request that cannot go on holds up those behind it, also those that could.
TEST_F(QueueTest, TheFirstInLineHoldsUpTheOthers) {
  Make(10);
  TakeMany(3);
  Take();
  PutMany({1, 2});
  EXPECT_THAT(Ended(), ElementsAre("put many 2"));
  EXPECT_EQ(queue_->size(), 0);  // the batch took them as they came
  PutMany({3, 4});
  EXPECT_THAT(Ended(), ElementsAre("put many 2", "take many 1,2,3", "take 4"));
}

TEST_F(QueueTest, ManyKeepTheirPlaceWhileTheyPutIn) {
  Make(2);
  PutMany({1, 2, 3});
  Put(4);
  Take();
  Take();
  Take();
  Take();
  EXPECT_THAT(Ended(), ElementsAre("take 1", "put many 3", "take 2", "put 4", "take 3", "take 4"));
}

TEST_F(QueueTest, CapacityOfZeroWaitsForEver) {
  Make(0);
  Put(1);
  Take();
  EXPECT_THAT(Ended(), IsEmpty());
  Close(true);
  EXPECT_THAT(Ended(), ElementsAre("put 1 CANCELLED", "take OUT_OF_RANGE", "close all"));
}

TEST_F(QueueTest, ClosedQueueGivesWhatItHas) {
  Make(10);
  PutMany({1, 2, 3});
  Close();
  EXPECT_TRUE(queue_->is_closed());
  Put(4);
  EXPECT_THAT(std::string(last_.message()), HasSubstr("queue 'q': expected an open one, got one that was closed"));
  PutMany({});
  Take();
  TakeMany(3);
  EXPECT_THAT(std::string(last_.message()), HasSubstr("queue 'q': expected 3 elements, got 2, and it is closed"));
  TakeMany(3, true);
  TakeMany(3, true);
  Take();
  TakeMany(0);
  EXPECT_THAT(Ended(), ElementsAre("put many 3", "close", "put 4 CANCELLED", "put many 0", "take 1", "take many OUT_OF_RANGE",
                                   "take many 2,3", "take many OUT_OF_RANGE", "take OUT_OF_RANGE", "take many"));
}

TEST_F(QueueTest, CloseStandsBehindThoseWhoPutIn) {  // 9.12
  Make(1);
  PutMany({1, 2});
  Close();
  Put(3);
  EXPECT_FALSE(queue_->is_closed());
  Take();
  EXPECT_THAT(Ended(), ElementsAre("take 1", "put many 2", "close", "put 3 CANCELLED"));
  Take();
  Take();
  EXPECT_THAT(Ended(), ElementsAre("take 2", "take OUT_OF_RANGE"));
}

TEST_F(QueueTest, CloseTwice) {  // 12.6
  Make(1);
  Close();
  Close();
  Close(true);
  Close(true);
  EXPECT_THAT(Ended(), ElementsAre("close", "close CANCELLED", "close all", "close all"));
}

TEST_F(QueueTest, CloseCancelsThoseWhoPutIn) {
  Make(1);
  PutMany({1, 2});
  Close();
  Put(3);
  Close(true);
  EXPECT_THAT(Ended(), ElementsAre("put many 2 CANCELLED", "close CANCELLED", "put 3 CANCELLED", "close all"));
  Take();
  EXPECT_THAT(Ended(), ElementsAre("take 1"));  // what was put in stays
}

TEST_F(QueueTest, CloseEndsThoseWhoTake) {
  Make(10);
  TakeMany(3);
  TakeMany(2, true);
  Take();
  PutMany({1, 2});
  Ended();
  Close();
  // The first gives back what it had, in order; the next take it.
  EXPECT_THAT(Ended(), ElementsAre("close", "take many OUT_OF_RANGE", "take many 1,2", "take OUT_OF_RANGE"));
}

TEST_F(QueueTest, BatchOfAClosedQueueIsPutBack) {
  Make(10);
  PutMany({1, 2});
  TakeMany(3);
  Ended();
  EXPECT_EQ(queue_->size(), 0);
  Close();
  EXPECT_THAT(Ended(), ElementsAre("close", "take many OUT_OF_RANGE"));
  EXPECT_EQ(queue_->size(), 2);
  Take();
  Take();
  EXPECT_THAT(Ended(), ElementsAre("take 1", "take 2"));
}

TEST_F(QueueTest, CancelledRequestsLeaveTheirLine) {
  Make(10);
  CancellationManager other;
  TakeMany(3, false, &other);
  TakeMany(2);
  PutMany({1, 2});
  EXPECT_EQ(queue_->size(), 0);
  other.Cancel(absl::DeadlineExceededError("late"));
  // What the cancelled batch had goes to the next.
  EXPECT_THAT(Ended(), ElementsAre("put many 2", "take many CANCELLED", "take many 1,2"));
  Take(&other);
  PutMany({7}, &other);
  EXPECT_THAT(Ended(), ElementsAre("take CANCELLED", "put many 1 CANCELLED"));
  EXPECT_EQ(queue_->size(), 0);
}

TEST_F(QueueTest, CancelledManyLeaveWhatTheyPutIn) {  // 9.9
  Make(2);
  CancellationManager other;
  PutMany({1, 2, 3}, &other);
  Put(4);
  other.Cancel(absl::CancelledError());
  EXPECT_THAT(Ended(), ElementsAre("put many 3 CANCELLED"));
  TakeMany(3);
  EXPECT_THAT(Ended(), ElementsAre("put 4", "take many 1,2,4"));
}

// Requests of one step that are cancelled together, some of which end because others were.
TEST_F(QueueTest, CancelOfManyAtOnce) {
  Make(1);
  CancellationManager other;
  for (int i = 0; i < 5; ++i) PutMany({1, 2, 3}, &other);
  Put(4);
  other.Cancel(absl::CancelledError());
  Take();
  Take();
  EXPECT_THAT(Ended(), ElementsAre("put many 3 CANCELLED", "put many 3 CANCELLED", "put many 3 CANCELLED",
                                   "put many 3 CANCELLED", "put many 3 CANCELLED", "take 1", "put 4", "take 4"));
}

TEST_F(QueueTest, PriorityQueue) {
  QueueSpec spec;
  spec.kind = QueueSpec::Kind::kPriority;
  spec.dtypes = {DType::kInt64, DType::kInt32};
  queue_ = Queue::Make(spec, "q").value();
  for (const auto& [priority, value] : std::vector<std::pair<int64_t, int32_t>>{{3, 30}, {1, 10}, {2, 20}}) {
    queue_->Enqueue({Tensor::Scalar(priority), Tensor::Scalar(value)}, step_, Ends("put"));
  }
  std::vector<Tensor> taken(2);
  queue_->Dequeue(absl::MakeSpan(taken), step_, Ends("take"));
  EXPECT_EQ(taken[0].scalar<int64_t>(), 1);
  EXPECT_EQ(taken[1].scalar<int32_t>(), 10);
  // A priority is a scalar even where no shapes were given.
  EXPECT_TRUE(queue_->CheckElement({Tensor::Scalar<int64_t>(1), Tensor::Vector<int32_t>({1})}).ok());
  EXPECT_THAT(std::string(queue_->CheckElement({Tensor::Vector<int64_t>({1}), Tensor::Scalar(1)}).message()),
              HasSubstr("component 0: expected shape [], got [1]"));
}

TEST_F(QueueTest, RandomShuffleQueueKeepsElementsBackUntilItIsClosed) {
  Make(10, QueueSpec::Kind::kRandomShuffle, 2);
  PutMany({1, 2, 3, 4});
  Take();
  Take();
  Take();
  EXPECT_EQ(Ended().size(), 3u);
  EXPECT_EQ(queue_->size(), 2);
  Put(5);
  EXPECT_EQ(Ended().size(), 2u);
  EXPECT_EQ(queue_->size(), 2);
  TakeMany(3, true);
  EXPECT_THAT(Ended(), IsEmpty());
  Close();
  EXPECT_EQ(Ended().size(), 2u);
  EXPECT_EQ(queue_->size(), 0);
}

TEST(QueueSpecTest, Checks) {
  const struct {
    const char* name;
    QueueSpec spec;
    const char* error;
  } cases[] = {
      {"shapes for some", {.dtypes = {DType::kInt32, DType::kInt32}, .shapes = {Shape()}}, "shapes: expected 2 or none, got 1"},
      {"shape in part", {.dtypes = {DType::kInt32}, .shapes = {PartialShape::Of({-1})}},
       "shapes: expected fully defined ones, got [?]"},
      {"padding without shapes", {.kind = QueueSpec::Kind::kPaddingFifo, .dtypes = {DType::kInt32}, .shapes = {}},
       "shapes: expected 1, got 0"},
      {"padding of unknown rank",
       {.kind = QueueSpec::Kind::kPaddingFifo, .dtypes = {DType::kInt32}, .shapes = {PartialShape()}},
       "shapes: expected known ranks, got ?"},
      {"priority without priority", {.kind = QueueSpec::Kind::kPriority, .dtypes = {DType::kInt32}, .shapes = {}},
       "component 0 of a priority queue: expected int64"},
      {"keeps too much",
       {.kind = QueueSpec::Kind::kRandomShuffle, .dtypes = {DType::kInt32}, .shapes = {}, .capacity = 3, .min_after_dequeue = 3},
       "min_after_dequeue: expected a value in [0,3), the capacity, got 3"},
      {"keeps less than nothing",
       {.kind = QueueSpec::Kind::kRandomShuffle, .dtypes = {DType::kInt32}, .shapes = {}, .min_after_dequeue = -1}, "got -1"},
  };
  for (const auto& c : cases) {
    const absl::Status status = Queue::Validate(c.spec);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.name;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.error)) << c.name;
  }
}

TEST(QueueSpecTest, QueuesOfOneNameMustAgree) {
  const QueueSpec base = {.kind = QueueSpec::Kind::kRandomShuffle,
                          .dtypes = {DType::kInt32},
                          .shapes = {Shape::Of({2})},
                          .capacity = 5,
                          .min_after_dequeue = 1,
                          .seed = 3,
                          .seed2 = 4};
  const RefPtr<Queue> queue = Queue::Make(base, "q", std::mt19937(1)).value();
  EXPECT_TRUE(queue->CheckSpec(base).ok());
  const auto expect = [&](const char* text, const std::function<void(QueueSpec&)>& change) {
    QueueSpec other = base;
    change(other);
    const absl::Status status = queue->CheckSpec(other);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(absl::StrCat("queue 'q': ", text)));
  };
  expect("kind: expected that of the shared queue, a random shuffle queue, got a FIFO queue",
         [](QueueSpec& s) { s.kind = QueueSpec::Kind::kFifo; });
  expect("capacity: expected that of the shared queue, 5, got 6", [](QueueSpec& s) { s.capacity = 6; });
  expect("component types: expected that of the shared queue, int32, got int32, float32",
         [](QueueSpec& s) { s.dtypes.push_back(DType::kFloat32); });
  expect("component shapes: expected that of the shared queue, [2], got any", [](QueueSpec& s) { s.shapes.clear(); });
  expect("min_after_dequeue: expected that of the shared queue, 1, got 2", [](QueueSpec& s) { s.min_after_dequeue = 2; });
  expect("seeds: expected that of the shared queue, 3 and 4, got 3 and 5", [](QueueSpec& s) { s.seed2 = 5; });
  QueueSpec open = base, wide = base;
  open.capacity = -1;
  wide.capacity = -5;
  EXPECT_TRUE(Queue::Make(open, "q", std::mt19937(1)).value()->CheckSpec(wide).ok());  // both have no limit
}

TEST(QueueSpecTest, ChecksOfElements) {
  const RefPtr<Queue> queue = Queue::Make({.kind = QueueSpec::Kind::kPaddingFifo,
                                           .dtypes = {DType::kInt32, DType::kFloat32},
                                           .shapes = {Shape(), PartialShape::Of({-1, 2})}},
                                          "q")
                                  .value();
  const auto floats = [](std::initializer_list<int64_t> dims) { return Tensor::Zeros(DType::kFloat32, Shape::Of(dims)).value(); };
  const auto ints = [](std::initializer_list<int64_t> dims) { return Tensor::Zeros(DType::kInt32, Shape::Of(dims)).value(); };
  EXPECT_TRUE(queue->CheckDTypes({DType::kInt32, DType::kFloat32}).ok());
  EXPECT_THAT(std::string(queue->CheckDTypes({DType::kInt32}).message()),
              HasSubstr("components: expected int32, float32, got int32"));
  EXPECT_TRUE(queue->CheckElement({ints({}), floats({0, 2})}).ok());
  EXPECT_THAT(std::string(queue->CheckElement({ints({}), floats({1, 3})}).message()),
              HasSubstr("component 1: expected shape [?,2], got [1,3]"));
  EXPECT_EQ(queue->CheckElements({ints({3}), floats({3, 5, 2})}).value(), 3);
  EXPECT_THAT(std::string(queue->CheckElements({ints({3}), floats({3, 2})}).status().message()),
              HasSubstr("component 1: expected shape [?,?,2], got [3,2]"));
  EXPECT_THAT(std::string(queue->CheckElements({ints({3}), floats({2, 5, 2})}).status().message()),
              HasSubstr("component 1: expected 3 rows, as component 0, got 2"));
  EXPECT_TRUE(queue->CheckBatches().ok());
  const RefPtr<Queue> any = Queue::Make({.dtypes = {DType::kInt32}, .shapes = {}}, "q").value();
  EXPECT_TRUE(any->CheckElement({ints({1, 2, 3})}).ok());
  EXPECT_THAT(std::string(any->CheckElements({ints({})}).status().message()),
              HasSubstr("component 0: expected shape [?,..], got []"));
  EXPECT_EQ(any->CheckBatches().code(), absl::StatusCode::kInvalidArgument);
}

// Threads put in and take out, some of which are cancelled; each element leaves once, and nobody is forgotten.
TEST(QueueThreadsTest, EveryElementOnce) {
  constexpr int kThreads = 4;
  constexpr int32_t kEach = 400;
  const RefPtr<Queue> queue = Queue::Make({.dtypes = {DType::kInt32}, .shapes = {Shape()}, .capacity = 3}, "q").value();
  std::vector<std::atomic<int>> seen(kThreads * kEach);
  std::vector<std::thread> producers, consumers;
  for (int t = 0; t < kThreads; ++t) {
    producers.emplace_back([&, t] {
      CancellationManager step;
      std::atomic<int32_t> put{0};
      for (int32_t i = 0; i < kEach; ++i) {
        queue->Enqueue(Element(t * kEach + i), step, [&](const absl::Status& status) {
          EXPECT_TRUE(status.ok()) << status;
          ++put;
        });
      }
      while (put < kEach) std::this_thread::yield();
    });
    consumers.emplace_back([&, t] {
      std::atomic<bool> open{true};
      while (open) {
        CancellationManager step;
        std::atomic<bool> ended{false};
        queue->DequeueMany(1 + t, true, step, [&](const absl::StatusOr<std::vector<QueueElement>>& elements) {
          if (elements.ok()) {
            for (const QueueElement& element : *elements) ++seen[element[0].scalar<int32_t>()];
          } else {
            open = elements.status().code() == absl::StatusCode::kCancelled;
          }
          ended = true;
        });
        if (t % 2 == 1) step.Cancel(absl::CancelledError());
        while (!ended) std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : producers) thread.join();
  CancellationManager step;
  queue->Close(false, step, [](const absl::Status& status) { EXPECT_TRUE(status.ok()) << status; });
  for (std::thread& thread : consumers) thread.join();
  EXPECT_EQ(queue->size(), 0);
  for (const std::atomic<int>& count : seen) EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace flowlatch
