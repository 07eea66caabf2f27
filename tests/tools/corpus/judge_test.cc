#include "tools/corpus/judge.h"

#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ops/default_ops.h"
#include "tools/arrays/files.h"
#include "tools/arrays/npz.h"
#include "tools/corpus/own_gradients.h"  // tested through Judge
#include "tools/corpus/replay.h"

namespace flowlatch {
namespace {

// z = x + y; `assertion` checks b; `missing` has an op that nothing here has.
constexpr char kGraph[] = R"(
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "y" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "z" op: "AddV2" input: "x" input: "y" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "bad" op: "Reshape" input: "x" input: "shape" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "shape" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
         attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 7 } } } }
  node { name: "missing" op: "TPUReplicatedInput" input: "x"
         attr { key: "T" value { type: DT_FLOAT } } attr { key: "N" value { i: 1 } } }
)";

class JudgeTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
    NpzWriter arrays;
    ASSERT_TRUE(arrays.Add("x", Tensor::Vector<float>({1, 2})).ok());
    ASSERT_TRUE(arrays.Add("sum", Tensor::Vector<float>({2, 4})).ok());
    ASSERT_TRUE(arrays.Add("ones", Tensor::Vector<float>({1, 1})).ok());
    ASSERT_TRUE(arrays.Add("other", Tensor::Vector<float>({3, 4})).ok());
    ASSERT_TRUE(WriteBytes(folder_ + "/data.npz", arrays.Finish()).ok());
    ASSERT_TRUE(WriteBytes(folder_ + "/graph.pbtxt", kGraph).ok());
    case_.folder = folder_;
    case_.graph = "graph.pbtxt";
    case_.graph_kind = GraphKind::kGraphDefText;
  }

  // A step that feeds x (and y with the same) and fetches `fetch`, whose value is recorded under `key`.
  static CaseStep Step(const std::string& fetch, const std::string& key) {
    CaseStep step;
    step.feeds = {{"x:0", DType::kFloat32, "x"}, {"y", DType::kFloat32, "x"}};
    RecordedTensor recorded{fetch, DType::kFloat32, std::nullopt};
    if (!key.empty()) recorded.key = key;
    step.fetches = {recorded};
    return step;
  }
  static CaseStep Failing(const std::string& fetch, const std::string& code, bool optional = false) {
    CaseStep step = Step(fetch, "");
    step.error = ExpectedError{code, optional};
    return step;
  }
  Verdict Run() const { return Judge(case_, DefaultOps(), SessionOptions{.threads = 1}); }

  std::string folder_;
  Case case_;
};

TEST_F(JudgeTest, RightAndWrongValues) {
  case_.steps = {Step("z:0", "sum")};
  EXPECT_EQ(Run().outcome, Outcome::kPassed) << Run().reason;
  case_.steps = {Step("z:0", "other")};
  EXPECT_EQ(Run().outcome, Outcome::kFailed);
  EXPECT_EQ(Run().reason, "step 0: z:0: 1 of 2 values differ, by up to 1; at [0]: expected 3, got 2");
  case_.compare = CompareMode::kShapes;
  EXPECT_EQ(Run().outcome, Outcome::kPassed);
  case_.compare = CompareMode::kNone;
  EXPECT_EQ(Run().outcome, Outcome::kPassed);
}

TEST_F(JudgeTest, AFetchThatIsFedIsTheFeed) {
  case_.steps = {Step("x:0", "x"), Step("y", "x")};
  EXPECT_EQ(Run().outcome, Outcome::kPassed) << Run().reason;
}

TEST_F(JudgeTest, ExpectedErrors) {
  case_.steps = {Failing("bad:0", "INVALID_ARGUMENT"), Step("z:0", "sum")};
  EXPECT_EQ(Run().outcome, Outcome::kPassed) << Run().reason;
  case_.steps = {Failing("bad:0", "ANY"), Failing("bad:0", "INTERNAL"), Failing("bad:0", "UNKNOWN")};
  EXPECT_EQ(Run().outcome, Outcome::kPassed) << Run().reason;
  case_.steps = {Failing("bad:0", "OUT_OF_RANGE")};
  EXPECT_EQ(Run().outcome, Outcome::kFailed);
  case_.steps = {Failing("z:0", "INVALID_ARGUMENT")};
  EXPECT_EQ(Run().reason, "step 0: ran, expected INVALID_ARGUMENT");
  case_.steps = {Failing("z:0", "INVALID_ARGUMENT", true)};
  EXPECT_EQ(Run().outcome, Outcome::kPassed);
}

TEST_F(JudgeTest, WhatIsMissingIsSkippedAndNamed) {
  case_.ops = {"Placeholder", "TPUReplicatedInput", "function call"};
  case_.steps = {Step("missing:0", "x")};
  const Verdict verdict = Run();
  EXPECT_EQ(verdict.outcome, Outcome::kSkipped);
  EXPECT_EQ(verdict.missing, std::vector<std::string>{"op TPUReplicatedInput"});
  // An error of another kind was expected there, and nobody can tell whether it would have come.
  case_.steps = {Failing("missing:0", "INVALID_ARGUMENT")};
  EXPECT_EQ(Run().outcome, Outcome::kSkipped);
  for (const bool is_hostile : {false, true}) {
    case_.is_hostile = is_hostile;
    for (const char* code : {"ANY", "INTERNAL", "UNIMPLEMENTED"}) {
      case_.steps = {Failing("missing:0", code)};
      EXPECT_EQ(Run().outcome, Outcome::kSkipped) << code;
    }
  }
}

TEST_F(JudgeTest, WhatIsMadeToBreakItsReaderNeedsTheRecordedCodeToo) {
  case_.is_hostile = true;
  case_.ops = {"Placeholder", "Reshape"};
  case_.steps = {Failing("bad:0", "INVALID_ARGUMENT")};
  EXPECT_EQ(Run().outcome, Outcome::kPassed) << Run().reason;
  case_.steps = {Failing("bad:0", "ANY")};
  EXPECT_EQ(Run().outcome, Outcome::kPassed) << Run().reason;
  case_.steps = {Failing("bad:0", "OUT_OF_RANGE")};
  EXPECT_EQ(Run().outcome, Outcome::kFailed);
  case_.steps = {Step("bad:0", "")};
  case_.load_error_may_come_later = true;
  case_.load_error = ExpectedError{"OUT_OF_RANGE", false};
  EXPECT_EQ(Run().outcome, Outcome::kFailed);
  ASSERT_TRUE(WriteBytes(folder_ + "/graph.pbtxt", "node { name: 'x' op: 'NoOp' input: 'nobody' }").ok());
  EXPECT_EQ(Run().outcome, Outcome::kFailed);
  case_.load_error->code = "INVALID_ARGUMENT";
  EXPECT_EQ(Run().outcome, Outcome::kPassed) << Run().reason;
}

TEST_F(JudgeTest, LoadErrors) {
  case_.load_error = ExpectedError{"INVALID_ARGUMENT", false};
  // Nobody here can tell what TensorFlow has against an op that is missing.
  EXPECT_EQ(Run().missing, std::vector<std::string>{"op TPUReplicatedInput"});
  const std::string graph = kGraph;
  ASSERT_TRUE(WriteBytes(folder_ + "/graph.pbtxt", graph.substr(0, graph.find("node { name: \"missing\""))).ok());
  EXPECT_EQ(Run().reason, "loaded, expected INVALID_ARGUMENT");
  case_.load_error->optional = true;
  EXPECT_EQ(Run().outcome, Outcome::kPassed);
  case_.load_error->optional = false;
  case_.load_error_may_come_later = true;
  case_.steps = {Step("bad:0", "")};
  EXPECT_EQ(Run().outcome, Outcome::kPassed) << Run().reason;
  ASSERT_TRUE(WriteBytes(folder_ + "/graph.pbtxt", "node { name: 'x' op: 'NoOp' input: 'nobody' }").ok());
  EXPECT_EQ(Run().outcome, Outcome::kPassed) << Run().reason;
  case_.load_error.reset();
  EXPECT_EQ(Run().outcome, Outcome::kFailed);
  case_.steps = {Failing("x", "INVALID_ARGUMENT")};  // a loader may know before
  EXPECT_EQ(Run().outcome, Outcome::kPassed) << Run().reason;
}

TEST_F(JudgeTest, GradientsAreBuiltAndCompared) {
  case_.steps = {Step("z:0", "sum")};
  case_.gradients.emplace_back();
  case_.gradients[0].ys = {"z:0"};
  case_.gradients[0].xs = {"x:0"};
  case_.gradients[0].step = 0;
  case_.gradients[0].results.emplace_back();
  case_.gradients[0].results[0].exists = true;
  for (const std::string key : {"ones", "other"}) {
    case_.gradients[0].results[0].dense = {key, std::nullopt, key};
    EXPECT_EQ(Run().outcome, key == "ones" ? Outcome::kPassed : Outcome::kFailed) << Run().reason;
  }
}

TEST_F(JudgeTest, FoldersAreEmptiedOnlyAmongTemporaryOnes) {
  case_.empty_folders = {folder_ + "/../" + "emptied"};
  const std::string file = testing::TempDir() + "/emptied/file";
  std::filesystem::create_directories(testing::TempDir() + "/emptied");
  ASSERT_TRUE(WriteBytes(file, "x").ok());
  setenv("TMPDIR", testing::TempDir().c_str(), 1);
  EXPECT_EQ(Run().outcome, Outcome::kPassed) << Run().reason;
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_TRUE(std::filesystem::exists(testing::TempDir() + "/emptied"));
  for (const std::string& folder : {std::string("/"), testing::TempDir() + "/..", std::string("/home")}) {
    case_.empty_folders = {folder};
    EXPECT_EQ(Run().outcome, Outcome::kFailed) << folder;
  }
}

TEST_F(JudgeTest, ArraysThatAreNotThere) {
  case_.steps = {Step("z:0", "nothing")};
  EXPECT_EQ(Run().outcome, Outcome::kFailed);
  EXPECT_NE(Run().reason.find("no array 'nothing'"), std::string::npos);
}

TEST_F(JudgeTest, ReplayPreparesSteps) {
  case_.steps = {Step("z:0", "sum")};
  Replay replay = *Replay::Open(case_);
  ASSERT_TRUE(replay.Load(DefaultOps(), SessionOptions{.threads = 1}).ok());
  const Callable callable = *replay.Prepare(replay.spec().steps[0]);
  std::vector<Tensor> outputs;
  ASSERT_TRUE(callable.Run(*replay.Inputs(replay.spec().steps[0]), &outputs).ok());
  EXPECT_EQ(outputs[0].data<float>()[1], 4);
}

}  // namespace
}  // namespace flowlatch
