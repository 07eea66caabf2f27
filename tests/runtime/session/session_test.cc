#include "runtime/session/session.h"

#include <dirent.h>
#include <xmmintrin.h>

#include <algorithm>
#include <map>
#include <thread>

#include "absl/strings/str_cat.h"
#include "flowlatch/proto/function.pb.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "graph/base/status_macros.h"
#include "gtest/gtest.h"
#include "tests/testing/fake_ops.h"
#include "tests/testing/test_graph.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kNotFound = absl::StatusCode::kNotFound;

class SessionTest : public testing::Test {
 protected:
  SessionTest() : g_(ops_.library().registry()) {}

  void Start(SessionOptions options = {.threads = 1}) {
    session_ = Session::Create(g_.Build().value(), ops_.library(), std::move(options)).value();
  }
  // Runs in a session of the graph as it is now.
  absl::StatusOr<std::vector<Tensor>> Run(const Feeds& feeds, const std::vector<std::string>& fetches,
                                          const std::vector<std::string>& targets = {}) {
    if (session_ == nullptr) Start();
    return session_->Run(feeds, fetches, targets);
  }
  std::vector<int32_t> Ints(const Feeds& feeds, const std::vector<std::string>& fetches,
                            const std::vector<std::string>& targets = {}) {
    const absl::StatusOr<std::vector<Tensor>> out = Run(feeds, fetches, targets);
    EXPECT_TRUE(out.ok()) << out.status();
    std::vector<int32_t> ints;
    for (const Tensor& t : out.value_or(std::vector<Tensor>())) ints.push_back(t.scalar<int32_t>());
    return ints;
  }
  static void ExpectError(const absl::Status& status, absl::StatusCode code, const std::string& text) {
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  }
  void AddSum() {
    g_.Add("x", "Placeholder")
        .Add("y", "Placeholder")
        .Add("sum", "FakeAdd", {"x", "y"})
        .Add("twice", "FakeTwo", {"sum"});
  }
  static Tensor Int(int32_t x) { return Tensor::Scalar(x); }

  FakeOps ops_;
  TestGraph g_;
  std::unique_ptr<Session> session_;
};

// --- Feeds, fetches, targets (2A)
// -------------------------------------------------------------------------------------

TEST_F(SessionTest, FeedsAndFetches) {
  AddSum();
  EXPECT_THAT(Ints({{"x", Int(1)}, {"y:0", Int(2)}}, {"sum", "twice:1", "sum:0"}), ElementsAre(3, 3, 3));  // 2.11
  EXPECT_THAT(Ints({{"y", Int(1)}, {"x", Int(2)}}, {"twice", "sum"}), ElementsAre(3, 3));
  EXPECT_THAT(Ints({{"sum", Int(5)}}, {"twice"}), ElementsAre(5));
  EXPECT_THAT(Ints({{"sum", Int(5)}, {"x", Int(1)}}, {"twice"}), ElementsAre(5));  // 2.8: a feed that nothing needs
}

TEST_F(SessionTest, NamesAreChecked) {  // 2.1-2.7
  AddSum();
  g_.Add("nothing", "FakeNoOp");
  const Feeds xy = {{"x", Int(1)}, {"y", Int(2)}};
  ExpectError(Run(xy, {}).status(), kInvalid, "expected at least one fetch or target");
  ExpectError(Run({{"x", Int(1)}, {"x:0", Int(1)}}, {"sum"}).status(), kInvalid,
              "feed 'x:0': expected once, got twice");
  ExpectError(Run({{"x", Int(1)}, {"sum:0", Int(1)}}, {"sum"}).status(), kInvalid,
              "'sum:0': expected to be fed or fetched, got both");
  ExpectError(Run({{"xs", Int(1)}}, {"sum"}).status(), kNotFound,
              "feed: node 'xs': not in the graph; did you mean 'x'?");
  ExpectError(Run({{"x:1", Int(1)}}, {"sum"}).status(), kInvalid,
              "feed: output 'x:1': expected one of the 1 outputs of node 'x' (Placeholder), got 1");
  ExpectError(Run(xy, {"summ"}).status(), kNotFound, "fetch: node 'summ': not in the graph; did you mean 'sum'?");
  ExpectError(Run(xy, {"twice:2"}).status(), kInvalid, "fetch: output 'twice:2': expected one of the 2 outputs");
  ExpectError(Run(xy, {"nothing"}).status(), kInvalid, "expected one of the 0 outputs of node 'nothing'");
  ExpectError(Run(xy, {"^sum"}).status(), kNotFound, "'^sum'");
  ExpectError(Run(xy, {}, {"nothin", "sum", "zzzzzz"}).status(), kNotFound,
              "targets: not in the graph: 'nothin'; did you mean 'nothing'?, 'zzzzzz'");
  // The first mistake in TensorFlow's order of checks is told.
  ExpectError(Run({{"x", Int(1)}, {"x", Int(1)}}, {"summ"}, {"zzz"}).status(), kNotFound, "fetch:");
  ExpectError(Run({{"x", Int(1)}, {"x", Int(1)}}, {"x"}, {"zzz"}).status(), kInvalid, "expected once");
  ExpectError(Run({{"x", Int(1)}}, {"x"}, {"zzz"}).status(), kInvalid, "fed or fetched");
}

TEST_F(SessionTest, Targets) {  // 2.6, 2.13
  g_.Const("x", 1)
      .Add("a", "FakeCount", {"x"}, {{"key", "a"}})
      .Add("effect", "FakeEffect", {"^a"}, {{"key", "effect"}});
  EXPECT_THAT(Ints({}, {}, {"effect", "effect", "a:0"}), ElementsAre());
  EXPECT_EQ(ops_.count("a"), 1);
  EXPECT_EQ(ops_.count("effect"), 1);
  EXPECT_THAT(Ints({}, {"x"}, {"a"}), ElementsAre(1));
  EXPECT_EQ(ops_.count("effect"), 1);  // not upstream: not run
}

TEST_F(SessionTest, FeedReplacesOneOutput) {  // 2.4
  g_.Const("x", 1)
      .Add("two", "FakeTwo", {"counted"})
      .Add("counted", "FakeCount", {"x"}, {{"key", "c"}})
      .Add("sum", "FakeAdd", {"two:0", "two:1"});
  EXPECT_THAT(Ints({{"two:1", Int(10)}}, {"sum"}), ElementsAre(11));
  EXPECT_EQ(ops_.count("c"), 1);
  EXPECT_THAT(Ints({{"two:1", Int(10)}, {"two", Int(20)}}, {"sum"}), ElementsAre(30));
  EXPECT_EQ(ops_.count("c"), 1);
  // A target runs though it is fed.
  EXPECT_THAT(Ints({{"two:1", Int(10)}, {"two", Int(20)}}, {"sum"}, {"two"}), ElementsAre(30));
  EXPECT_EQ(ops_.count("c"), 2);
}

TEST_F(SessionTest, ControlEdgesStayOnTheFedNode) {  // 2.4
  g_.Add("p", "Placeholder")
      .Add("f", "FakeIdentity", {"p"})
      .Add("after_f", "FakeNoOp", {"^f"})
      .Add("after_p", "FakeEffect", {"^p"}, {{"key", "p"}});
  ExpectError(Run({{"f", Int(1)}}, {}, {"after_f"}).status(), kInvalid,
              "node 'p' (Placeholder): expected a fed placeholder");
  EXPECT_TRUE(Run({{"p", Int(1)}}, {}, {"after_p"}).ok());
  EXPECT_EQ(ops_.count("p"), 1);
  ExpectError(Run({}, {}, {"after_p"}).status(), kInvalid, "node 'p'");
  ExpectError(Run({{"p", Int(1)}}, {}, {"p"}).status(), kInvalid, "node 'p'");
}

// The same in frames: what is fed is a root there.
TEST_F(SessionTest, FeedsInFramedPlans) {
  g_.Add("p", "Placeholder")
      .Add("late", "FakeLater", {"p"})
      .Add("sum", "FakeAdd", {"late", "p"})
      .Add("after", "FakeEffect", {"^p"}, {{"key", "p"}});
  EXPECT_THAT(Ints({{"p", Int(4)}}, {"sum"}, {"after"}), ElementsAre(8));
  EXPECT_THAT(Ints({{"late", Int(4)}, {"p", Int(1)}}, {"sum"}), ElementsAre(5));
  EXPECT_EQ(ops_.count("p"), 1);
}

TEST_F(SessionTest, FeedDtypes) {  // 2.8
  AddSum();
  ExpectError(Run({{"x", Tensor::Scalar(1.f)}, {"y", Int(1)}}, {"sum"}).status(), kInvalid,
              "feed 'x:0': expected int32, got float32");
  ExpectError(Run({{"sum", Int(1)}, {"y", Tensor()}}, {"twice"}).status(), kInvalid,
              "feed 'y:0': expected int32, got invalid");
  EXPECT_THAT(Ints({{"x", Int(1)}, {"y", Int(1)}}, {"sum"}), ElementsAre(2));
}

// What is fed belongs to the caller: nothing is computed in its memory, and fetches may share it.
TEST_F(SessionTest, FeedsAreNotWritten) {
  g_.Add("x", "Placeholder").Add("id", "FakeIdentity", {"x"}).Add("id2", "FakeIdentity", {"id"});
  const Tensor x = Tensor::Vector<int32_t>({1, 2, 3});
  const auto out = Run({{"x", x}}, {"id2"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE((*out)[0].SharesBufferWith(x));
  EXPECT_THAT(x.values<int32_t>(), ElementsAre(1, 2, 3));
}

TEST_F(SessionTest, MissingKernelsAreListedTogether) {  // 12.11
  g_.Add("x", "Placeholder", {}, {{"T", DType::kString}}).Add("a", "FakeAdd", {"x", "x"}, {{"T", DType::kString}});
  g_.Add("b", "MatMul", {"f", "f"}, {{"T", DType::kFloat32}}).Const("f", 1.f).Add("n", "FakeNoOp", {"^a", "^b"});
  const absl::Status status = Run({}, {}, {"n"}).status();
  ExpectError(status, absl::StatusCode::kUnimplemented, "got none for 2:\n  node 'a': kernel of FakeAdd");
  EXPECT_THAT(std::string(status.message()), HasSubstr("\n  node 'b': op MatMul"));
  EXPECT_TRUE(Run({}, {"f"}).ok());  // only what runs needs kernels
}

TEST_F(SessionTest, OptionsAreChecked) {
  g_.Const("x", 1);
  ExpectError(Session::Create(g_.Build().value(), ops_.library(), {.threads = -1}).status(), kInvalid,
              "threads: expected >= 0, got -1");
}

// --- State, Extend, callables (2B)
// ------------------------------------------------------------------------------------

TEST_F(SessionTest, StatefulKernelsLiveWithTheSession) {  // 2.16
  g_.Add("c", "FakeCounter").Add("d", "FakeCounter").Add("id", "FakeIdentity", {"c"});
  EXPECT_THAT(Ints({}, {"c"}), ElementsAre(1));
  EXPECT_THAT(Ints({}, {"id", "d"}), ElementsAre(2, 1));
  EXPECT_THAT(Ints({}, {"c", "id"}), ElementsAre(3, 3));
  session_->Trim();
  EXPECT_THAT(Ints({}, {"c"}), ElementsAre(4));
  session_ = nullptr;
  EXPECT_THAT(Ints({}, {"c"}), ElementsAre(1));
}

TEST_F(SessionTest, Extend) {  // 2.18
  AddSum();
  Start();
  const Callable sum = session_->Prepare({"x", "y"}, {"sum"}, {}).value();
  TestGraph more(ops_.library().registry());
  more.Const("k", 5).Add("k2", "FakeAdd", {"k", "k"});
  ASSERT_TRUE(session_->Extend(more.Build().value()).ok());
  EXPECT_THAT(Ints({}, {"k2"}), ElementsAre(10));
  std::vector<Tensor> out;
  ASSERT_TRUE(sum.Run({Int(1), Int(2)}, &out).ok());
  EXPECT_EQ(out[0].scalar<int32_t>(), 3);

  TestGraph clash(ops_.library().registry());
  clash.Const("new", 1).Const("k", 6);
  ExpectError(session_->Extend(clash.Build().value()), kInvalid, "node 'k'");
  ExpectError(Run({}, {"new"}).status(), kNotFound, "node 'new'");
  EXPECT_THAT(Ints({}, {"k2"}), ElementsAre(10));
}

// Functions come with the nodes that call them, and outlive the graph they came with.
TEST_F(SessionTest, ExtendByFunctions) {
  g_.Const("x", 4);
  Start();
  {
    auto functions = std::make_shared<FunctionLibrary>(ops_.library().registry());
    FunctionDef twice;
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
        "signature { name: 'Twice' input_arg { name: 'a' type: DT_INT32 } output_arg { name: 'r' type: DT_INT32 } }"
        "node_def { name: 's' op: 'FakeAdd' input: 'a' input: 'a' attr { key: 'T' value { type: DT_INT32 } } } ret { "
        "key: 'r' value: 's:z:0' }",
        &twice));
    ASSERT_TRUE(functions->Add(twice).ok());
    TestGraph more(ops_.library().registry());
    more.set_library(functions);
    more.Const("y", 4).Add("call", "Twice", {"y"}).Add("unknown", "FakeNoOp");
    ASSERT_TRUE(session_->Extend(more.Build().value()).ok());
  }
  EXPECT_THAT(Ints({}, {"call"}), ElementsAre(8));
}

TEST_F(SessionTest, Callables) {  // 2.20
  AddSum();
  Start();
  const absl::StatusOr<Callable> f = session_->Prepare({"x", "y"}, {"sum", "twice"}, {});
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(f->num_nodes(), 2);
  std::vector<Tensor> out = {Int(0), Int(1), Int(2), Int(3)};
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(f->Run({Int(i), Int(2)}, &out).ok());
    ASSERT_EQ(out.size(), 2u);
    EXPECT_EQ(out[0].scalar<int32_t>(), i + 2);
  }
  ExpectError(f->Run({Int(1)}, &out), kInvalid, "feeds: expected 2, got 1");
  ExpectError(f->Run({Int(1), Tensor::Scalar(true)}, &out), kInvalid, "feed 'y:0': expected int32, got bool");
  ExpectError(session_->Prepare({}, {"nope"}, {}).status(), kNotFound, "'nope'");
  const Callable copy = *f;
  session_->Trim();
  ASSERT_TRUE(copy.Run({Int(1), Int(2)}, &out).ok());
}

// --- Errors, cancellation, close (2C, 2D)
// -----------------------------------------------------------------------------

TEST_F(SessionTest, FailuresNameTheirNode) {  // 2.13, 2.29
  g_.Const("x", 1)
      .Add("f", "FakeFail", {"x"}, {{"code", static_cast<int>(absl::StatusCode::kOutOfRange)}})
      .Add("id", "FakeIdentity", {"f"});
  std::vector<Tensor> out = {Int(1)};
  Start();
  const absl::Status status = session_->Prepare({}, {"x", "id"}, {}).value().Run({}, &out);
  ExpectError(status, absl::StatusCode::kOutOfRange, "node 'f' (FakeFail): expected to fail, got here");
  EXPECT_TRUE(out.empty());
  EXPECT_THAT(Ints({}, {"x"}), ElementsAre(1));
}

TEST_F(SessionTest, Deadlines) {  // 2.21
  g_.Const("zero", 0)
      .Const("big", 1 << 30)
      .CountingLoop("loop", "zero", "big", 10, "loop/body")
      .Add("wait", "FakeWait", {"zero"});
  Start({.threads = 1, .timeout = std::chrono::milliseconds(10)});
  for (const char* name : {"loop/exit", "wait"}) {
    EXPECT_EQ(Run({}, {name}).status().code(), absl::StatusCode::kDeadlineExceeded) << name;
    EXPECT_THAT(Ints({}, {"zero"}), ElementsAre(0));  // the next step has time of its own
  }
  EXPECT_EQ(session_->Run({}, {"wait"}, {}, {.timeout = std::chrono::milliseconds(5)}, nullptr).status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST_F(SessionTest, CloseEndsWhatRuns) {  // 2.22, C8, C11
  g_.Const("zero", 0)
      .Const("big", 1 << 30)
      .CountingLoop("loop", "zero", "big", 10, "loop/body")
      .Add("wait", "FakeWait", {"zero"});
  for (const bool destroy : {false, true}) {
    FakeOps ops;
    std::unique_ptr<Session> session = Session::Create(g_.Build().value(), ops_.library(), {.threads = 2}).value();
    const int64_t before = destroy ? 2 : 0;
    absl::Status loop_status, wait_status;
    const std::vector<std::string> loop = {"loop/exit", "wait"}, wait = {"wait"};
    std::thread t1([&] { loop_status = session->Run({}, loop, {}).status(); });
    std::thread t2([&] { wait_status = session->Run({}, wait, {}).status(); });
    ops_.AwaitWaiting(before + 2);
    if (destroy) {
      session->Close().IgnoreError();
    } else {
      EXPECT_TRUE(session->Close().ok());
    }
    t1.join();
    t2.join();
    EXPECT_EQ(loop_status.code(), absl::StatusCode::kCancelled) << loop_status;
    EXPECT_EQ(wait_status.code(), absl::StatusCode::kCancelled) << wait_status;
    EXPECT_THAT(std::string(wait_status.message()), HasSubstr("node 'wait' (FakeWait)"));
    EXPECT_EQ(session->Close().code(), absl::StatusCode::kCancelled);
    EXPECT_EQ(session->Run({}, {"zero"}, {}).status().code(), absl::StatusCode::kCancelled);
    EXPECT_EQ(session->Prepare({}, {"big"}, {}).status().code(), absl::StatusCode::kCancelled);
  }
}

// --- Threads, modes, memory
// -------------------------------------------------------------------------------------------

int ThreadsOfProcess() {
  DIR* dir = opendir("/proc/self/task");
  int count = 0;
  while (const dirent* entry = readdir(dir)) count += entry->d_name[0] != '.';
  closedir(dir);
  return count;
}

TEST_F(SessionTest, OneThreadMeansNoOther) {  // C18
  g_.Const("zero", 0).Const("limit", 100).CountingLoop("loop", "zero", "limit");
  const int before = ThreadsOfProcess();
  EXPECT_THAT(Ints({}, {"loop/exit"}), ElementsAre(100));
  EXPECT_EQ(ThreadsOfProcess(), before);
}

TEST_F(SessionTest, DenormalsAreZeroInStepsOnly) {  // C45
  g_.Add("x", "Placeholder", {}, {{"T", DType::kFloat32}}).Add("y", "Placeholder", {}, {{"T", DType::kFloat32}});
  g_.Add("product", "FakeMul", {"x", "y"}, {{"T", DType::kFloat32}})
      .Add("late", "FakeLater", {"x"}, {{"T", DType::kFloat32}});
  g_.Add("framed", "FakeMul", {"late", "y"}, {{"T", DType::kFloat32}});
  const unsigned int before = _mm_getcsr();
  for (const char* name : {"product", "framed"}) {
    const auto out = Run({{"x", Tensor::Scalar(1.17549435e-38f)}, {"y", Tensor::Scalar(0.5f)}}, {name});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<float>(), 0) << name;
    EXPECT_EQ(_mm_getcsr() & 0xffc0u, before & 0xffc0u);
  }
}

int64_t ResidentPages() {
  FILE* file = std::fopen("/proc/self/statm", "r");
  long size = 0, resident = 0;
  EXPECT_EQ(std::fscanf(file, "%ld %ld", &size, &resident), 2);
  std::fclose(file);
  return resident;
}

TEST_F(SessionTest, MemoryStaysFlatInLongLoops) {  // C15
#if defined(FLOWLATCH_SANITIZED)
  constexpr int kIterations = 20000;
#else
  constexpr int kIterations = 1000000;
#endif
  g_.Const("zero", 0).Add("limit", "Placeholder").CountingLoop("loop", "zero", "limit");
  EXPECT_THAT(Ints({{"limit", Int(1000)}}, {"loop/exit"}), ElementsAre(1000));
  const int64_t before = ResidentPages();
  EXPECT_THAT(Ints({{"limit", Int(kIterations)}}, {"loop/exit"}), ElementsAre(kIterations));
  EXPECT_LT(ResidentPages() - before, 256) << "pages";
}

// --- Statistics
// -------------------------------------------------------------------------------------------------------

TEST_F(SessionTest, StatisticsCountEveryNode) {
  g_.Const("zero", 0)
      .Const("limit", 5)
      .CountingLoop("loop", "zero", "limit")
      .Add("late", "FakeLater", {"loop/exit"})
      .Add("flat", "FakeAdd", {"zero", "limit"});
  Start();
  RunMetadata metadata;
  const auto out = session_->Run({}, {"late"}, {}, {.trace = true}, &metadata);
  ASSERT_TRUE(out.ok()) << out.status();
  std::map<std::string, std::pair<int64_t, int64_t>> counts;
  for (const NodeStats& node : metadata.stats.nodes) counts[node.node] = {node.executions, node.dead};
  const std::map<std::string, std::pair<int64_t, int64_t>> want = {
      {"zero", {1, 0}},       {"limit", {1, 0}},     {"loop/enter", {1, 0}}, {"loop/bound", {1, 0}},
      {"loop/merge", {6, 0}}, {"loop/less", {6, 0}}, {"loop/cond", {6, 0}},  {"loop/switch", {6, 0}},
      {"loop/body", {5, 1}},  {"loop/one", {5, 1}},  {"loop/add", {5, 1}},   {"loop/next", {5, 1}},
      {"loop/exit", {1, 5}},  {"late", {1, 0}}};
  EXPECT_EQ(counts, want);
  ASSERT_EQ(metadata.stats.frames.size(), 2u);
  EXPECT_EQ(metadata.stats.frames[1].name, "loop");
  EXPECT_EQ(metadata.stats.frames[1].iterations, 6);
  EXPECT_EQ(metadata.stats.frames[1].instances, 1);
  EXPECT_GT(metadata.stats.wall_ns, 0);

  ASSERT_TRUE(session_->Run({}, {"flat"}, {}, {.trace = true}, &metadata).ok());
  std::vector<std::string> names;
  for (const NodeStats& node : metadata.stats.nodes) {
    names.push_back(node.node + " " + node.op);
    EXPECT_EQ(node.executions, 1);
  }
  EXPECT_THAT(names, UnorderedElementsAre("zero FakeConst", "limit FakeConst", "flat FakeAdd"));
}

TEST_F(SessionTest, ObserversSeeEveryNode) {
  g_.Add("x", "Placeholder").Add("two", "FakeTwo", {"x"}).Add("late", "FakeLater", {"two:1"});
  Start();
  for (const bool framed : {false, true}) {
    std::vector<std::string> seen;
    RunOptions options;
    options.observer = [&](std::string_view node, absl::Span<const Tensor> outputs) {
      seen.emplace_back(node);
      for (const Tensor& output : outputs) seen.push_back(output.DebugString());
    };
    ASSERT_TRUE(session_->Run({{"x", Int(3)}}, {framed ? "late" : "two"}, {}, options, nullptr).ok());
    std::vector<std::string> want = {"two", "int32[] = 3", "int32[] = 3"};
    if (framed) want.insert(want.end(), {"late", "int32[] = 3"});
    EXPECT_EQ(seen, want);
  }
}

}  // namespace
}  // namespace flowlatch
