// What both executors do for a run: references, interruptions, the first failure.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/runtime/exec/plan_runner.h"

namespace flowlatch {
namespace {

using ::testing::HasSubstr;

class RunContextTest : public testing::TestWithParam<bool> {
 protected:
  RunContextTest() : g_(ops_.library().registry()) { g_.Add("v", "FakeVariable").Const("one", 1).Const("two", 2); }
  absl::StatusOr<std::vector<Tensor>> Run(const StepNames& names, const std::vector<Tensor>& feeds = {}) {
    absl::StatusOr<Graph> graph = g_.Build();
    if (!graph.ok()) return graph.status();
    ASSIGN_OR_RETURN(const std::unique_ptr<PlanRunner> runner,
                     PlanRunner::Make(ops_.library(), *std::move(graph), names, GetParam()));
    return runner->Run(feeds);
  }
  void ExpectInts(const StepNames& names, const std::vector<int32_t>& want, const std::vector<Tensor>& feeds = {}) {
    const auto out = Run(names, feeds);
    ASSERT_TRUE(out.ok()) << out.status();
    for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ((*out)[i].scalar<int32_t>(), want[i]) << names.fetches[i];
  }
  void ExpectError(const StepNames& names, absl::StatusCode code, const std::string& text,
                   const std::vector<Tensor>& feeds = {}) {
    const absl::Status status = Run(names, feeds).status();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  }

  FakeOps ops_;
  TestGraph g_;
};
INSTANTIATE_TEST_SUITE_P(, RunContextTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Framed" : "Flat"; });

TEST_P(RunContextTest, ReferencesAreReadWhenTheirReaderRuns) {  // 7.3
  g_.Add("set1", "Assign", {"v", "one"})
      .Add("read1", "FakeAdd", {"v", "one", "^set1"})
      .Add("set2", "Assign", {"v", "two", "^read1"});
  g_.Add("read2", "FakeAdd", {"v", "v", "^set2"});
  ExpectInts({{}, {"read1", "read2", "set2"}, {}}, {2, 4, 2});
  g_.Add("id", "RefIdentity", {"set2"}).Add("value", "FakeIdentity", {"id"});
  ExpectInts({{}, {"value", "id"}, {}}, {2, 2});
}

TEST_P(RunContextTest, Uninitialized) {
  g_.Add("read", "FakeAdd", {"one", "v"}).Add("id", "RefIdentity", {"v"});
  ExpectError({{}, {"read"}, {}}, absl::StatusCode::kFailedPrecondition,
              "node 'read' (FakeAdd): input 1: expected an initialized variable, got uninitialized 'v'");
  ExpectError({{}, {"id"}, {}}, absl::StatusCode::kFailedPrecondition,
              "fetch 0 'id:0': expected an initialized variable, got uninitialized 'v'");
  EXPECT_TRUE(Run({{}, {}, {"id"}}).ok());
}

TEST_P(RunContextTest, FedReferencesAreValues) {
  g_.Add("read", "FakeAdd", {"one", "v"})
      .Add("id", "RefIdentity", {"v"})
      .Add("read2", "FakeAdd", {"id", "id"})
      .Add("set", "Assign", {"v", "one"});
  ExpectInts({{"v"}, {"read", "read2", "id"}, {}}, {6, 10, 5}, {Tensor::Scalar(5)});
  ExpectError({{"v"}, {"set"}, {}}, absl::StatusCode::kInvalidArgument, "expected a reference, got a value",
              {Tensor::Scalar(5)});
}

// A kernel that reports success without an output is wrong, but its caller gets an error, not a tensor without a value.
TEST_P(RunContextTest, OutputsThatNobodySet) {
  g_.Add("f", "FakeFail", {"one"}, {{"code", 0}});
  ExpectError({{}, {"f"}, {}}, GetParam() ? absl::StatusCode::kInvalidArgument : absl::StatusCode::kInternal,
              "fetch 0 'f:0': expected a value");
}

}  // namespace
}  // namespace flowlatch
