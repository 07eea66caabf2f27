// Queues, barriers and locks of one session that many threads use, through the session alone.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ops/default_ops.h"
#include "runtime/session/session.h"
#include "tests/testing/test_functions.h"
#include "tests/testing/test_graph.h"

namespace flowlatch {
namespace {

using ::testing::HasSubstr;

constexpr DType kI = DType::kInt32;
const std::vector<DType> kOneInt = {kI};
#if defined(FLOWLATCH_SANITIZED)
constexpr int kRounds = 5;
#else
constexpr int kRounds = 40;
#endif

void InThreads(int n, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < n; ++t) threads.emplace_back([&body, t] { body(t); });
  for (std::thread& thread : threads) thread.join();
}

std::string CodeOf(const absl::Status& status) { return absl::StatusCodeToString(status.code()); }

// A graph with a queue `q` of int32 scalars, its ops, and a session in which nothing may hold a thread: its pool has one.
class WaitingThreadsTest : public testing::Test {
 protected:
  void Make(const std::string& op, int64_t capacity, int64_t min_after_dequeue = 0) {
    AttrMap attrs = {{"component_types", kOneInt}, {"shapes", std::vector<PartialShape>{Shape()}}, {"capacity", capacity}};
    if (op == "RandomShuffleQueueV2") attrs = attrs.With("min_after_dequeue", min_after_dequeue);
    TestGraph g(DefaultOps().registry());
    g.Add("q", op, {}, attrs)
        .Add("x", "Placeholder", {}, {{"dtype", kI}})
        .Add("n", "Placeholder", {}, {{"dtype", kI}})
        .Add("put", "QueueEnqueueV2", {"q", "x"}, {{"Tcomponents", kOneInt}})
        .Add("put_many", "QueueEnqueueManyV2", {"q", "x"}, {{"Tcomponents", kOneInt}})
        .Add("take", "QueueDequeueV2", {"q"}, {{"component_types", kOneInt}})
        .Add("take_many", "QueueDequeueManyV2", {"q", "n"}, {{"component_types", kOneInt}})
        .Add("take_up_to", "QueueDequeueUpToV2", {"q", "n"}, {{"component_types", kOneInt}})
        .Add("size", "QueueSizeV2", {"q"})
        .Add("close", "QueueCloseV2", {"q"})
        .Add("cancel", "QueueCloseV2", {"q"}, {{"cancel_pending_enqueues", true}});
    MakeSession(g);
  }
  void MakeSession(const TestGraph& g) { session_ = Session::Create(g.Build().value(), DefaultOps(), {.threads = 1}).value(); }

  absl::Status Put(int32_t x) { return session_->Run({{"x", Tensor::Scalar(x)}}, {}, {"put"}).status(); }
  absl::Status PutMany(const std::vector<int32_t>& x) {
    return session_->Run({{"x", Tensor::Vector<int32_t>(x)}}, {}, {"put_many"}).status();
  }
  absl::StatusOr<std::vector<int32_t>> Take(const std::string& op, int32_t n = 1, const RunOptions& options = {}) {
    const Feeds feeds = op == "take" ? Feeds{} : Feeds{{"n", Tensor::Scalar(n)}};
    absl::StatusOr<std::vector<Tensor>> out = session_->Run(feeds, {op}, {}, options, nullptr);
    if (!out.ok()) return out.status();
    const auto values = (*out)[0].values<int32_t>();
    return std::vector<int32_t>(values.begin(), values.end());
  }
  int32_t Size() { return session_->Run({}, {"size"}, {}).value()[0].scalar<int32_t>(); }
  absl::Status Target(const std::string& name) { return session_->Run({}, {}, {name}).status(); }
  // Returns once the queue has `size` elements.
  void AwaitSize(int32_t size) {
    while (Size() != size) std::this_thread::yield();
  }

  std::unique_ptr<Session> session_;
};

// Threads put in and take out through a small queue, alone and in batches: each element leaves exactly once.
TEST_F(WaitingThreadsTest, EveryElementOnce) {
  for (const char* op : {"FIFOQueueV2", "PaddingFIFOQueueV2", "RandomShuffleQueueV2"}) {
    Make(op, 5);
    constexpr int kEach = 60;
    std::vector<std::atomic<int>> seen(4 * kEach);
    const auto count = [&](const std::vector<int32_t>& taken) {
      for (const int32_t x : taken) ++seen[x];
    };
    InThreads(8, [&](int t) {
      switch (t) {
        case 0:
        case 1:
          for (int i = 0; i < kEach; ++i) ASSERT_TRUE(Put(t * kEach + i).ok());
          break;
        case 2:
        case 3:
          for (int i = 0; i < kEach; i += 10) {
            std::vector<int32_t> batch;
            for (int k = 0; k < 10; ++k) batch.push_back(t * kEach + i + k);
            ASSERT_TRUE(PutMany(batch).ok());
          }
          break;
        case 4:
        case 5:
          for (int i = 0; i < kEach; ++i) count(Take("take").value());
          break;
        default:
          for (int i = 0; i < kEach; i += 4) count(Take(t == 6 ? "take_many" : "take_up_to", 4).value());
      }
    });
    EXPECT_EQ(Size(), 0) << op;
    for (size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], 1) << op << " " << i;
  }
}

TEST_F(WaitingThreadsTest, OrderOfOneProducerIsKept) {
  Make("FIFOQueueV2", 2);
  std::thread producer([&] {
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(Put(i).ok());
  });
  for (int i = 0; i < 200; ++i) EXPECT_EQ(Take("take").value(), std::vector<int32_t>{i});
  producer.join();
}

TEST_F(WaitingThreadsTest, BlockedPutGoesOnAfterATake) {
  Make("FIFOQueueV2", 1);
  ASSERT_TRUE(Put(1).ok());
  std::atomic<bool> done{false};
  std::thread blocked([&] {
    EXPECT_TRUE(PutMany({2, 3}).ok());
    done = true;
  });
  EXPECT_EQ(Take("take").value(), std::vector<int32_t>{1});
  EXPECT_EQ(Take("take").value(), std::vector<int32_t>{2});
  EXPECT_EQ(Take("take").value(), std::vector<int32_t>{3});
  blocked.join();
  EXPECT_TRUE(done);
}

TEST_F(WaitingThreadsTest, CloseEndsBlockedTakes) {
  for (int round = 0; round < kRounds; ++round) {
    Make("FIFOQueueV2", 10);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        const char* const ops[] = {"take", "take_many", "take_up_to", "take"};
        const absl::Status status = Take(ops[t], 3).status();
        EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange) << status;
        EXPECT_THAT(std::string(status.message()), HasSubstr(absl::StrCat("node '", ops[t], "'")));
      });
    }
    EXPECT_TRUE(Target("close").ok());
    for (std::thread& thread : threads) thread.join();
  }
}

// What a batch had taken when the queue was closed is there for others, in order.
TEST_F(WaitingThreadsTest, PartialBatchIsPutBack) {
  Make("FIFOQueueV2", 10);
  std::thread blocked([&] { EXPECT_EQ(Take("take_many", 5).status().code(), absl::StatusCode::kOutOfRange); });
  ASSERT_TRUE(PutMany({1, 2, 3}).ok());
  AwaitSize(0);  // the batch has them
  ASSERT_TRUE(Target("close").ok());
  blocked.join();
  EXPECT_EQ(Take("take").value(), std::vector<int32_t>{1});
  EXPECT_EQ(Take("take_many", 2).value(), (std::vector<int32_t>{2, 3}));
}

TEST_F(WaitingThreadsTest, UpToGivesTheRemainder) {
  Make("FIFOQueueV2", 10);
  std::thread blocked([&] { EXPECT_EQ(Take("take_up_to", 5).value(), (std::vector<int32_t>{1, 2, 3})); });
  ASSERT_TRUE(PutMany({1, 2, 3}).ok());
  AwaitSize(0);
  ASSERT_TRUE(Target("close").ok());
  blocked.join();
  EXPECT_EQ(Take("take_up_to", 5).status().code(), absl::StatusCode::kOutOfRange);
}

TEST_F(WaitingThreadsTest, RandomShuffleKeepsBackUntilClosed) {
  Make("RandomShuffleQueueV2", 10, 3);
  ASSERT_TRUE(PutMany({1, 2, 3, 4}).ok());
  std::vector<int32_t> taken = Take("take").value();
  std::thread blocked([&] {
    for (int i = 0; i < 3; ++i) taken.push_back(Take("take").value()[0]);
  });
  EXPECT_EQ(Size(), 3);
  ASSERT_TRUE(Target("close").ok());
  blocked.join();
  std::sort(taken.begin(), taken.end());
  EXPECT_EQ(taken, (std::vector<int32_t>{1, 2, 3, 4}));
}

TEST_F(WaitingThreadsTest, CloseBehindBlockedPutsOrInsteadOfThem) {
  Make("FIFOQueueV2", 1);
  ASSERT_TRUE(Put(1).ok());
  std::atomic<int> cancelled{0};
  std::vector<std::thread> blocked;
  for (int t = 0; t < 3; ++t) {
    blocked.emplace_back([&] { cancelled += Put(2).code() == absl::StatusCode::kCancelled; });
  }
  ASSERT_TRUE(Target("cancel").ok());
  for (std::thread& thread : blocked) thread.join();
  EXPECT_EQ(cancelled, 3);
  EXPECT_EQ(Put(3).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(Take("take").value(), std::vector<int32_t>{1});
  EXPECT_EQ(Target("close").code(), absl::StatusCode::kCancelled);
}

// Session::Close ends every wait, at any moment; nobody hangs.
TEST_F(WaitingThreadsTest, SessionCloseEndsWaits) {
  for (int round = 0; round < kRounds; ++round) {
    Make("FIFOQueueV2", 1);
    std::atomic<int> started{0};
    std::thread close([&] {
      while (started < 1 + round % 4) std::this_thread::yield();
      EXPECT_TRUE(session_->Close().ok());
    });
    InThreads(4, [&](int t) {
      ++started;
      const absl::Status status = t == 0 ? PutMany({1, 2, 3, 4, 5, 6, 7, 8}) : Take(t == 1 ? "take" : "take_many", 20).status();
      EXPECT_TRUE(status.code() == absl::StatusCode::kCancelled || (t < 2 && status.ok())) << status;
    });
    close.join();
  }
}

TEST_F(WaitingThreadsTest, DeadlinesLeaveTheQueueAlone) {  // 9.13
  Make("FIFOQueueV2", 4);
  InThreads(3, [&](int) {
    for (int i = 0; i < 5; ++i) {
      const absl::Status status = Take("take_many", 3, {.timeout = std::chrono::milliseconds(2)}).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
    }
  });
  ASSERT_TRUE(PutMany({1, 2}).ok());
  EXPECT_EQ(Take("take_many", 3, {.timeout = std::chrono::milliseconds(2)}).status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Take("take_many", 2).value(), (std::vector<int32_t>{1, 2}));  // the late batch gave back what it had
}

// Queue runners: threads fill a queue until they are told to stop, one takes batches, and the last one closes.
TEST_F(WaitingThreadsTest, QueueRunners) {
  Make("FIFOQueueV2", 8);
  const Callable put = session_->Prepare({"x"}, {}, {"put"}).value();
  std::atomic<int32_t> next{0};
  std::atomic<int> running{3};
  std::vector<std::thread> runners;
  for (int t = 0; t < 3; ++t) {
    runners.emplace_back([&] {
      std::vector<Tensor> none;
      for (int32_t i = next++; i < 100; i = next++) ASSERT_TRUE(put.Run({Tensor::Scalar(i)}, &none).ok());
      if (--running == 0) {
        EXPECT_TRUE(Target("close").ok());
      }
    });
  }
  std::vector<int32_t> all;
  for (;;) {
    const absl::StatusOr<std::vector<int32_t>> batch = Take("take_up_to", 7);
    if (!batch.ok()) {
      EXPECT_EQ(CodeOf(batch.status()), "OUT_OF_RANGE");
      break;
    }
    all.insert(all.end(), batch->begin(), batch->end());
  }
  for (std::thread& runner : runners) runner.join();
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), 100u);
  for (int32_t i = 0; i < 100; ++i) EXPECT_EQ(all[i], i);
}

// C19, C21: within one step, with one thread: producers and consumers of the same queue wait for each other. A producer that
// fails ends the consumers.
TEST_F(WaitingThreadsTest, OneThreadIsEnough) {
  AttrMap attrs = {{"component_types", kOneInt}, {"shapes", std::vector<PartialShape>{Shape()}}, {"capacity", int64_t{1}}};
  TestGraph g(DefaultOps().registry());
  g.Add("q", "FIFOQueueV2", {}, attrs);
  std::vector<std::string> takes, puts;
  for (int i = 0; i < 20; ++i) {
    const std::string n = absl::StrCat(i);
    g.Add("take" + n, "QueueDequeueV2", {"q"}, {{"component_types", kOneInt}});
    g.Add("c" + n, "Const", {}, {{"dtype", kI}, {"value", Tensor::Scalar<int32_t>(i)}});
    g.Add("put" + n, "QueueEnqueueV2", {"q", "c" + n}, {{"Tcomponents", kOneInt}});
    takes.push_back("take" + n);
    puts.push_back("put" + n);
  }
  g.Add("unfed", "Placeholder", {"^put0"}, {{"dtype", kI}});
  MakeSession(g);
  for (int round = 0; round < kRounds; ++round) {
    const absl::StatusOr<std::vector<Tensor>> out = session_->Run({}, takes, puts);
    ASSERT_TRUE(out.ok()) << out.status();
    std::vector<int32_t> values;
    for (const Tensor& t : *out) values.push_back(t.scalar<int32_t>());
    std::sort(values.begin(), values.end());
    for (int32_t i = 0; i < 20; ++i) EXPECT_EQ(values[i], i);
  }
  const absl::Status status = session_->Run({}, takes, {"put0", "unfed"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("node 'unfed'"));
}

// A loop over functions whose body waits for what it puts in itself. Waits that end at once do not make the stack grow.
TEST_F(WaitingThreadsTest, LoopOverFunctionsThatWait) {
  auto functions = std::make_shared<FunctionLibrary>(DefaultOps().registry());
  const auto constant = [](const std::string& name, int value) {
    return absl::StrCat(name, " Const  dtype=type:DT_INT32;value=tensor{dtype:DT_INT32,tensor_shape{},int_val:", value, "}");
  };
  const FunctionText below = {"Below",
                              {"i DT_INT32", "q DT_RESOURCE"},
                              {"r DT_BOOL"},
                              {constant("limit", 20000), "less Less i,limit:output:0 T=type:DT_INT32"},
                              {"r less:z:0"}};
  const FunctionText step = {"Step",
                             {"i DT_INT32", "q DT_RESOURCE"},
                             {"r DT_INT32", "p DT_RESOURCE"},
                             {constant("one", 1), "put QueueEnqueueV2 q,i Tcomponents=list{type:DT_INT32}",
                              "take QueueDequeueV2 q,^put component_types=list{type:DT_INT32}",
                              "next AddV2 take:components:0,one:output:0 T=type:DT_INT32"},
                             {"r next:z:0", "p q"}};
  ASSERT_TRUE(functions->Add(Define(below)).ok());
  ASSERT_TRUE(functions->Add(Define(step)).ok());
  TestGraph g(DefaultOps().registry());
  g.set_library(functions);
  g.Add("q", "FIFOQueueV2", {}, {{"component_types", kOneInt}, {"shapes", std::vector<PartialShape>{Shape()}}})
      .Add("zero", "Const", {}, {{"dtype", kI}, {"value", Tensor::Scalar<int32_t>(0)}})
      .Add("loop", "While", {"zero", "q"},
           {{"T", std::vector<DType>{kI, DType::kResource}}, {"cond", FunctionRef{"Below", {}}}, {"body", FunctionRef{"Step", {}}}});
  MakeSession(g);
  const auto out = session_->Run({}, {"loop:0"}, {});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<int32_t>(), 20000);
}

// Barriers: keys of several threads, each taken once with its own values.
TEST_F(WaitingThreadsTest, Barrier) {
  TestGraph g(DefaultOps().registry());
  g.Add("b", "Barrier", {}, {{"component_types", std::vector<DType>{kI, kI}}})
      .Add("keys", "Placeholder", {}, {{"dtype", DType::kString}})
      .Add("x", "Placeholder", {}, {{"dtype", kI}})
      .Add("n", "Placeholder", {}, {{"dtype", kI}})
      .Add("first", "BarrierInsertMany", {"b", "keys", "x"}, {{"T", kI}, {"component_index", int64_t{0}}})
      .Add("second", "BarrierInsertMany", {"b", "keys", "x"}, {{"T", kI}, {"component_index", int64_t{1}}})
      .Add("take", "BarrierTakeMany", {"b", "n"}, {{"component_types", std::vector<DType>{kI, kI}}})
      .Add("close", "BarrierClose", {"b"})
      .Add("cancel", "BarrierClose", {"b"}, {{"cancel_pending_enqueues", true}});
  MakeSession(g);
  constexpr int kKeys = 40;
  std::vector<std::atomic<int>> seen(kKeys);
  const auto insert = [&](const char* op, int key, int32_t value) {
    return session_->Run({{"keys", Tensor::Vector<String>({String(std::string_view(std::to_string(key)))})},
                          {"x", Tensor::Vector<int32_t>({value})}},
                         {}, {op});
  };
  InThreads(4, [&](int t) {
    if (t < 2) {
      for (int k = 0; k < kKeys; ++k) {
        const int key = t == 0 ? k : kKeys - 1 - k;
        ASSERT_TRUE(insert(t == 0 ? "first" : "second", key, t == 0 ? key : -key).ok());
      }
      return;
    }
    for (int i = 0; i < kKeys / 2; i += 5) {
      const auto out = session_->Run({{"n", Tensor::Scalar<int32_t>(5)}}, {"take:1", "take:2", "take:3"}, {});
      ASSERT_TRUE(out.ok()) << out.status();
      for (int k = 0; k < 5; ++k) {
        const int key = std::stoi(std::string((*out)[0].data<String>()[k].view()));
        EXPECT_EQ((*out)[1].data<int32_t>()[k], key);
        EXPECT_EQ((*out)[2].data<int32_t>()[k], -key);
        ++seen[key];
      }
    }
  });
  for (const std::atomic<int>& count : seen) EXPECT_EQ(count, 1);
  // A take that waits ends with the barrier, or with the session.
  std::thread blocked([&] {
    EXPECT_EQ(session_->Run({{"n", Tensor::Scalar<int32_t>(1)}}, {"take:1"}, {}).status().code(), absl::StatusCode::kOutOfRange);
  });
  ASSERT_TRUE(insert("first", 1, 1).ok());
  ASSERT_TRUE(Target("close").ok());
  ASSERT_TRUE(Target("cancel").ok());
  blocked.join();
}

// One lock for many steps: each sees the counter alone.
TEST_F(WaitingThreadsTest, MutexOfManySteps) {
  TestGraph g(DefaultOps().registry());
  g.Add("m", "MutexV2", {}, {{"shared_name", std::string("m")}})
      .Add("lock", "MutexLock", {"m"})
      .Add("v", "VarHandleOp", {}, {{"dtype", kI}, {"shape", PartialShape(Shape())}, {"shared_name", std::string("v")}})
      .Add("zero", "Const", {}, {{"dtype", kI}, {"value", Tensor::Scalar<int32_t>(0)}})
      .Add("one", "Const", {}, {{"dtype", kI}, {"value", Tensor::Scalar<int32_t>(1)}})
      .Add("init", "AssignVariableOp", {"v", "zero"}, {{"dtype", kI}})
      .Add("read", "ReadVariableOp", {"v", "^lock"}, {{"dtype", kI}})
      .Add("sum", "AddV2", {"read", "one"})
      .Add("write", "AssignVariableOp", {"v", "sum"}, {{"dtype", kI}})
      .Add("unlock", "ConsumeMutexLock", {"lock", "^write"})
      .Add("now", "ReadVariableOp", {"v"}, {{"dtype", kI}});
  MakeSession(g);
  ASSERT_TRUE(Target("init").ok());
  InThreads(4, [&](int) {
    for (int i = 0; i < kRounds; ++i) ASSERT_TRUE(Target("unlock").ok());
  });
  EXPECT_EQ(session_->Run({}, {"now"}, {}).value()[0].scalar<int32_t>(), 4 * kRounds);
}

}  // namespace
}  // namespace flowlatch
