// One session, many threads.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "graph/schema/shape_context.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"
#include "tests/testing/fake_ops.h"
#include "tests/testing/test_graph.h"

namespace flowlatch {
namespace {

#if defined(FLOWLATCH_SANITIZED)
constexpr int kSteps = 500;
#else
constexpr int kSteps = 100000;
#endif
constexpr int kThreads = 8;

void InThreads(int n, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < n; ++t) threads.emplace_back([&body, t] { body(t); });
  for (std::thread& thread : threads) thread.join();
}

// C1: each thread gets its own answers, from flat plans and loops.
TEST(SessionThreadsTest, ManyStepsAtOnce) {
  FakeOps ops;
  TestGraph g(ops.library().registry());
  g.Add("x", "Placeholder")
      .Add("sum", "FakeAdd", {"x", "x"})
      .Const("zero", 0)
      .CountingLoop("loop", "zero", "x")
      .Add("product", "FakeMul", {"sum", "x"});
  const std::unique_ptr<Session> session = Session::Create(g.Build().value(), ops.library(), {.threads = 2}).value();
  const Callable flat = session->Prepare({"x"}, {"product"}, {}).value();
  const Callable framed = session->Prepare({"x"}, {"loop/exit", "sum"}, {}).value();
  InThreads(kThreads, [&](int t) {
    std::vector<Tensor> out;
    for (int i = 0; i < kSteps; ++i) {
      const int32_t x = t + i % 5;
      if (t % 2 == 0) {
        ASSERT_TRUE(flat.Run({Tensor::Scalar(x)}, &out).ok());
        ASSERT_EQ(out[0].scalar<int32_t>(), 2 * x * x);
      } else {
        ASSERT_TRUE(framed.Run({Tensor::Scalar(x)}, &out).ok());
        ASSERT_EQ(out[0].scalar<int32_t>(), x);
        ASSERT_EQ(out[1].scalar<int32_t>(), 2 * x);
      }
    }
  });
}

// C9: first runs at once use one plan; what they find out about names is the same.
TEST(SessionThreadsTest, ConcurrentFirstRuns) {
  for (int round = 0; round < 20; ++round) {
    FakeOps ops;
    std::atomic<int> kernels{0};
    ASSERT_TRUE(ops.library()
                    .Add({.signature = "FakeStateful() -> (output: int32); stateful",
                          .doc = "fake",
                          .shape = shapes::Scalar,
                          .kernel = [&](const NodeInfo&) -> absl::StatusOr<Kernel> {
                            ++kernels;
                            return Kernel{.fn = [](KernelCall& call) {
                              call.output(0).SetScalar<int32_t>(1);
                              return KernelStatus::kOk;
                            }};
                          }})
                    .ok());
    TestGraph g(ops.library().registry());
    g.Add("s", "FakeStateful").Add("sum", "FakeAdd", {"s", "s"});
    const std::unique_ptr<Session> session = Session::Create(g.Build().value(), ops.library(), {.threads = 1}).value();
    InThreads(4, [&](int) {
      const auto out = session->Run({}, {"sum"}, {});
      ASSERT_TRUE(out.ok()) << out.status();
      EXPECT_EQ((*out)[0].scalar<int32_t>(), 2);
    });
    EXPECT_EQ(kernels, 1);
  }
}

// C7: the graph grows while steps run.
TEST(SessionThreadsTest, ExtendWhileRunning) {
  FakeOps ops;
  TestGraph g(ops.library().registry());
  g.Const("x", 1);
  const std::unique_ptr<Session> session = Session::Create(g.Build().value(), ops.library(), {.threads = 1}).value();
  InThreads(3, [&](int t) {
    for (int i = 0; i < 50; ++i) {
      if (t == 0) {
        TestGraph more(ops.library().registry());
        more.Const(absl::StrCat("k", i), i);
        ASSERT_TRUE(session->Extend(more.Build().value()).ok());
        const auto out = session->Run({}, {absl::StrCat("k", i)}, {});
        ASSERT_TRUE(out.ok()) << out.status();
        EXPECT_EQ((*out)[0].scalar<int32_t>(), i);
      } else {
        const auto out = session->Run({}, {"x"}, {});
        ASSERT_TRUE(out.ok()) << out.status();
        if (t == 2 && i % 10 == 0) session->Trim();
      }
    }
  });
}

// Kernels that wait, in several steps at once, with one pool of one thread: all go on (C19).
TEST(SessionThreadsTest, AsyncKernelsInManySteps) {
  FakeOps ops;
  TestGraph g(ops.library().registry());
  g.Add("x", "Placeholder")
      .Const("zero", 0)
      .CountingLoop("loop", "zero", "x", 4, "late")
      .Add("late", "FakeLater", {"loop/add"});
  const std::unique_ptr<Session> session = Session::Create(g.Build().value(), ops.library(), {.threads = 1}).value();
  InThreads(4, [&](int t) {
    for (int i = 0; i < 20; ++i) {
      const auto out = session->Run({{"x", Tensor::Scalar(t + i)}}, {"loop/exit"}, {});
      ASSERT_TRUE(out.ok()) << out.status();
      EXPECT_EQ((*out)[0].scalar<int32_t>(), t + i);
    }
  });
}

// Steps are cancelled by deadlines and failures while others run on the same session.
TEST(SessionThreadsTest, CancelledStepsLeaveOthersAlone) {
  FakeOps ops;
  TestGraph g(ops.library().registry());
  g.Add("x", "Placeholder")
      .Add("wait", "FakeWait", {"x"})
      .Add("fail", "FakeFail", {"late"})
      .Add("late", "FakeLater", {"x"})
      .Add("ok", "FakeAdd", {"late", "x"});
  const std::unique_ptr<Session> session = Session::Create(g.Build().value(), ops.library(), {.threads = 1}).value();
  const Feeds feeds = {{"x", Tensor::Scalar(1)}};
  InThreads(6, [&](int t) {
    for (int i = 0; i < 30; ++i) {
      if (t % 3 == 0) {
        EXPECT_EQ(session->Run(feeds, {"wait"}, {}, {.timeout = std::chrono::milliseconds(1)}, nullptr).status().code(),
                  absl::StatusCode::kDeadlineExceeded);
      } else if (t % 3 == 1) {
        EXPECT_EQ(session->Run(feeds, {"wait"}, {"fail"}).status().code(), absl::StatusCode::kInternal);
      } else {
        const auto out = session->Run(feeds, {"ok"}, {});
        ASSERT_TRUE(out.ok()) << out.status();
        EXPECT_EQ((*out)[0].scalar<int32_t>(), 2);
      }
    }
  });
}

// Close at any moment: every step ends well or cancelled.
TEST(SessionThreadsTest, CloseAtAnyMoment) {
  for (int round = 0; round < 30; ++round) {
    FakeOps ops;
    TestGraph g(ops.library().registry());
    g.Add("x", "Placeholder").Add("late", "FakeLater", {"x"}).Const("zero", 0).CountingLoop("loop", "zero", "x");
    const std::unique_ptr<Session> session = Session::Create(g.Build().value(), ops.library(), {.threads = 1}).value();
    std::atomic<int> started{0};
    std::thread close([&] {
      while (started < round) std::this_thread::yield();
      EXPECT_TRUE(session->Close().ok());
    });
    InThreads(3, [&](int t) {
      for (int i = 0; i < 20; ++i) {
        ++started;
        const absl::Status status =
            session->Run({{"x", Tensor::Scalar(200)}}, {t == 0 ? "late" : "loop/exit"}, {}).status();
        EXPECT_TRUE(status.ok() || status.code() == absl::StatusCode::kCancelled) << status;
      }
    });
    close.join();
  }
}

}  // namespace
}  // namespace flowlatch
