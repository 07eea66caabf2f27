#include "tools/corpus/agreement.h"

#include <filesystem>
#include <limits>
#include <string>

#include "graph/schema/shape_context.h"
#include "gtest/gtest.h"
#include "runtime/kernel/op_library.h"
#include "runtime/kernel/step_context.h"
#include "tools/arrays/files.h"

namespace flowlatch {
namespace {

// 0, but `other` when there are several threads.
template <typename T>
absl::Status ZeroOrOther(KernelCall& c, T other) {
  const ThreadPool* pool = c.step().services().pool;
  c.output(0).SetScalar(pool != nullptr && pool->num_threads() > 1 ? other : T(0));
  return absl::OkStatus();
}
absl::Status Numbers(KernelCall& c) { return ZeroOrOther<int32_t>(c, 1); }
absl::Status Signs(KernelCall& c) { return ZeroOrOther<float>(c, -0.0f); }
absl::Status Steady(KernelCall& c) { return ZeroOrOther<float>(c, 0); }
absl::Status Fails(KernelCall& c) {
  const ThreadPool* pool = c.step().services().pool;
  if (pool != nullptr && pool->num_threads() > 1) return absl::InternalError("too many threads");
  return Steady(c);
}

template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> MakeKernel(const NodeInfo&) {
  return Kernel{.fn = &RunKernel<kCompute>};
}

class AgreementTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto add = [&](const char* signature, KernelFactory kernel) {
      ASSERT_TRUE(library_.Add({.signature = signature, .doc = "A test", .shape = shapes::Scalar, .kernel = kernel}).ok());
    };
    add("Numbers() -> (output: int32); stateful", MakeKernel<Numbers>);
    add("Signs() -> (output: float32); stateful", MakeKernel<Signs>);
    add("Steady() -> (output: float32); stateful", MakeKernel<Steady>);
    add("Fails() -> (output: float32); stateful", MakeKernel<Fails>);
    case_.folder = testing::TempDir() + "/agreement";
    case_.graph = "graph.pbtxt";
    case_.graph_kind = GraphKind::kGraphDefText;
    std::filesystem::create_directories(case_.folder);
    std::string graph;
    for (const char* op : {"Numbers", "Signs", "Steady", "Fails"})
      graph += "node { name: '" + std::string(op) + "' op: '" + op + "' }\n";
    ASSERT_TRUE(WriteBytes(case_.folder + "/graph.pbtxt", graph).ok());
  }
  Verdict Run(const std::vector<std::string>& nodes, const std::vector<int>& threads) {
    case_.steps.clear();
    for (const std::string& node : nodes) {
      case_.steps.emplace_back();
      case_.steps.back().fetches = {{node + ":0", std::nullopt, std::nullopt}};
    }
    return JudgeAgreement(case_, library_, {}, threads);
  }

  OpLibrary library_;
  Case case_;
};

TEST_F(AgreementTest, OtherNumbersWithOtherThreads) {
  const Verdict verdict = Run({"Steady", "Numbers"}, {1, 2});
  EXPECT_EQ(verdict.outcome, Outcome::kFailed);
  EXPECT_EQ(verdict.reason, "with 1 and 2 threads: step 1: Numbers:0: 1 of 1 values differ, by up to 1; at []: expected 1, got 0");
}

TEST_F(AgreementTest, EqualNumbersOfOtherBits) {
  EXPECT_EQ(Run({"Signs"}, {1, 1, 8}).reason, "with 1 and 8 threads: step 0: Signs:0: equal values of other bits");
}

TEST_F(AgreementTest, FailuresWithOtherThreads) {
  const Verdict verdict = Run({"Steady", "Fails", "Numbers"}, {1, 2});
  EXPECT_EQ(verdict.outcome, Outcome::kFailed);
  EXPECT_NE(verdict.reason.find("with 1 and 2 threads"), std::string::npos) << verdict.reason;
}

TEST_F(AgreementTest, TheSame) {
  EXPECT_EQ(Run({"Steady"}, {1, 2, 8}).outcome, Outcome::kPassed);
  EXPECT_EQ(Run({"Numbers", "Signs"}, {2, 8}).outcome, Outcome::kPassed);
  EXPECT_EQ(Run({"Fails", "Numbers"}, {2, 3}).outcome, Outcome::kPassed);
}

TEST_F(AgreementTest, WithoutValuesThereIsNothingToSay) {
  case_.compare = CompareMode::kShapes;
  EXPECT_EQ(Run({"Numbers"}, {1, 2}).outcome, Outcome::kSkipped);
}

}  // namespace
}  // namespace flowlatch
