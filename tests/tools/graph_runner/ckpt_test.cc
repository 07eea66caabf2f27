#include "tools/graph_runner/ckpt.h"

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/checkpoint/checkpoint_state.h"
#include "runtime/checkpoint/tensor_bundle.h"
#include "tools/arrays/npz.h"
#include "tools/graph_runner/convert.h"
#include "tools/graph_runner/errors.h"
#include "tools/graph_runner/json.h"
#include "tools/graph_runner/run.h"
#include "tools/graph_runner/text.h"

namespace flowlatch {
namespace {

using testing::HasSubstr;

class CkptTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "/ckpt_test";
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  std::string File(const std::string& name) const { return path_ + "/" + name; }
  void Write(const std::string& name, const std::map<std::string, Tensor>& tensors) {
    const std::unique_ptr<BundleWriter> writer = *BundleWriter::Create(File(name));
    for (const auto& [key, tensor] : tensors) ASSERT_TRUE(writer->Add(key, tensor).ok());
    ASSERT_TRUE(writer->Finish().ok());
  }
  void WritePart(const std::string& name, const char* slice, const Tensor& part) {
    const std::unique_ptr<BundleWriter> writer = *BundleWriter::Create(File(name));
    ASSERT_TRUE(writer->AddSlice("p", Shape::Of({4}), *TensorSlice::Parse(slice), part).ok());
    ASSERT_TRUE(writer->Finish().ok());
  }
  CkptOptions Options(CkptAction action, std::vector<std::string> names) const {
    CkptOptions options;
    options.action = action;
    for (const std::string& name : names) options.paths.push_back(File(name));
    return options;
  }
  static Tensor Floats(std::initializer_list<float> values) { return Tensor::Vector<float>(values); }

  std::string path_;
};

TEST_F(CkptTest, LsAndCat) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  Write("m", {{"a", Floats({1, kNan, -3})},
              {"b/s", Tensor::Scalar("word")},
              {"z", *Tensor::Zeros(DType::kInt32, Shape::Of({0}))}});
  CkptOptions options = Options(CkptAction::kLs, {"m"});
  absl::StatusOr<CkptReport> report = InspectCheckpoint(options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->rows.size(), 3u);
  EXPECT_EQ(report->num_elements, 4);
  EXPECT_THAT(CkptText(*report, {}), HasSubstr("a    float32[3]"));
  options.stats = true;
  report = InspectCheckpoint(options);
  EXPECT_EQ(report->rows[0].stats->num_nan, 1);
  EXPECT_EQ(report->rows[0].stats->min, -3);
  EXPECT_EQ(report->rows[0].stats->mean, -1);
  EXPECT_THAT(CkptText(*report, {}), HasSubstr("-3 to 1, mean -1, 1 NaN"));
  EXPECT_THAT(CkptJson(*report), HasSubstr(R"("nan":1)"));
  options.filter = "^b/";
  EXPECT_EQ(InspectCheckpoint(options)->rows.size(), 1u);
  options.filter = "(";
  EXPECT_EQ(ExitCodeOf(InspectCheckpoint(options).status()), ExitCode::kUsage);

  CkptOptions cat = Options(CkptAction::kCat, {"m.index"});
  cat.names = {"b/s"};
  report = InspectCheckpoint(cat);
  EXPECT_THAT(CkptText(*report, {.quiet = true}), testing::Eq("b/s: string[] \"word\"\n"));
  cat.names = {"b/t"};
  const absl::Status unknown = InspectCheckpoint(cat).status();
  EXPECT_EQ(ExitCodeOf(unknown), ExitCode::kUsage);
  EXPECT_THAT(std::string(unknown.message()), HasSubstr("did you mean 'b/s'"));
  EXPECT_EQ(ExitCodeOf(InspectCheckpoint(Options(CkptAction::kLs, {"none"})).status()), ExitCode::kFiles);
}

TEST_F(CkptTest, ADirectoryStandsForItsLatest) {
  EXPECT_EQ(ExitCodeOf(ResolveCheckpoint(path_).status()), ExitCode::kFiles);
  Write("m-1", {{"a", Floats({1})}});
  ASSERT_TRUE(WriteCheckpointState(path_, {File("m-1"), {File("m-1")}}).ok());
  EXPECT_EQ(*ResolveCheckpoint(path_), File("m-1"));
  EXPECT_EQ(InspectCheckpoint(Options(CkptAction::kLs, {""}))->rows.size(), 1u);
}

TEST_F(CkptTest, VerifyNamesWhatIsBroken) {
  Write("m", {{"a", Floats({1, 2})}, {"b", Floats({3})}});
  const CkptOptions options = Options(CkptAction::kVerify, {"m"});
  absl::StatusOr<CkptReport> report = InspectCheckpoint(options);
  EXPECT_EQ(report->num_bad, 0);
  EXPECT_THAT(CkptText(*report, {}), HasSubstr("2 tensors, 3 elements, all checksums right"));
  std::string bytes = *ReadFile(FileSystem::Default(), DataPath(File("m"), 0, 1), 100);
  bytes[9] ^= 1;
  ASSERT_TRUE(WriteFileAtomically(FileSystem::Default(), DataPath(File("m"), 0, 1), bytes).ok());
  report = InspectCheckpoint(options);
  EXPECT_EQ(report->num_bad, 1);
  EXPECT_EQ(report->rows[0].problem, "");
  EXPECT_THAT(report->rows[1].problem, HasSubstr("wrong checksum"));
  EXPECT_THAT(CkptText(*report, {}), HasSubstr("broken: 1 of 2 tensors"));
  std::string index = *ReadFile(FileSystem::Default(), File("m.index"), 1000);
  index[10] ^= 1;
  ASSERT_TRUE(WriteFileAtomically(FileSystem::Default(), File("m.index"), index).ok());
  const absl::StatusOr<CkptReport> damaged = InspectCheckpoint(options);
  EXPECT_TRUE(!damaged.ok() || damaged->num_bad > 0);
}

TEST_F(CkptTest, Diff) {
  Write("m", {{"a", Floats({1, 2})}, {"b", Floats({3})}, {"c", Floats({0})}});
  Write("n", {{"a", Floats({1, 2.5})}, {"b", Floats({3})}, {"d", Floats({0})}});
  CkptOptions options = Options(CkptAction::kDiff, {"m", "n"});
  absl::StatusOr<CompareReport> report = DiffCheckpoints(options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->rows.size(), 4u);
  EXPECT_EQ(report->differing, 3);
  EXPECT_EQ(report->rows[2].reason, "only in " + File("m"));
  options.atol = 1;
  options.filter = "[ab]";
  EXPECT_EQ(DiffCheckpoints(options)->differing, 0);
}

TEST_F(CkptTest, MergeKeepsItsSources) {
  Write("m", {{"a", Floats({1})}});
  Write("n", {{"b", Floats({2})}});
  WritePart("p", "0,1", Floats({7}));
  WritePart("q", "1,3", Floats({8, 9, 10}));
  CkptOptions options = Options(CkptAction::kMerge, {"m", "n", "p", "q"});
  options.to = File("all");
  options.shards = 2;
  const absl::Status status = MergeCheckpoints(options);
  ASSERT_TRUE(status.ok()) << status;
  const std::unique_ptr<BundleReader> all = *BundleReader::Open(File("all"));
  EXPECT_EQ(all->num_shards(), 2);
  EXPECT_EQ(all->Read("b")->data<float>()[0], 2);
  EXPECT_EQ(all->Read("p")->data<float>()[3], 10);
  for (const char* source : {"m", "n", "p", "q"}) EXPECT_TRUE(BundleReader::Open(File(source)).ok()) << source;
  options.paths.push_back(File("m"));
  EXPECT_EQ(MergeCheckpoints(options).code(), absl::StatusCode::kInvalidArgument) << "a is in two";
  options.to = File("no/such/all");
  options.paths.pop_back();
  EXPECT_EQ(ExitCodeOf(MergeCheckpoints(options)), ExitCode::kFiles);
}

TEST_F(CkptTest, ToNpz) {
  Write("m", {{"a/b", Floats({1, 2})}, {"c", Floats({3})}});
  CkptOptions options = Options(CkptAction::kToNpz, {"m"});
  options.to = File("m.npz");
  options.filter = "a";
  ASSERT_TRUE(CheckpointToNpz(options).ok());
  const NpzReader npz = *NpzReader::Open(File("m.npz"));
  EXPECT_THAT(npz.Names(), testing::ElementsAre("a/b"));
  EXPECT_EQ(npz.Read("a/b")->data<float>()[1], 2);
}

// ---- What other verbs do with checkpoints

class VariablesTest : public CkptTest {
 protected:
  void SetUp() override {
    CkptTest::SetUp();
    std::ofstream(File("g.pbtxt")) << R"(
      node { name: "v" op: "VariableV2" attr { key: "dtype" value { type: DT_INT32 } }
             attr { key: "shape" value { shape { } } } }
      node { name: "ten" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
             attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 10 } } } }
      node { name: "init" op: "Assign" input: "v" input: "ten" attr { key: "T" value { type: DT_INT32 } } }
      node { name: "one" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
             attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 1 } } } }
      node { name: "count" op: "AssignAdd" input: "v" input: "one" attr { key: "T" value { type: DT_INT32 } } }
      node { name: "twice" op: "AddV2" input: "v" input: "v" attr { key: "T" value { type: DT_INT32 } } }
    )";
  }
  RunVerbOptions Run(const std::string& output) const {
    RunVerbOptions options;
    options.model.path = File("g.pbtxt");
    options.model.outputs = {output};
    return options;
  }
  absl::Status Write(ConvertOptions options, const std::string& to) const {
    options.to = File(to);
    return Convert(options, {.quiet = true});
  }
};

TEST_F(VariablesTest, RunSavesAndGoesOn) {
  RunVerbOptions options = Run("count");
  options.steps = 5;
  options.save = File("m");
  ASSERT_TRUE(RunModel(options, {}).ok());
  EXPECT_EQ(*LatestCheckpoint(path_), File("m"));
  options.model.restore = path_;  // the latest in it
  ASSERT_TRUE(RunModel(options, {}).ok());
  EXPECT_EQ((*BundleReader::Open(File("m")))->Read("v")->scalar<int32_t>(), 20);
  options.save = File("no/such/m");
  EXPECT_EQ(ExitCodeOf(RunModel(options, {}).status()), ExitCode::kFiles);
  options.model.restore = File("none");
  EXPECT_EQ(RunModel(options, {}).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(VariablesTest, ConvertFreezes) {
  CkptTest::Write("m", {{"v", Tensor::Scalar<int32_t>(21)}});
  ConvertOptions options;
  options.model.path = File("g.pbtxt");
  options.model.restore = File("m");
  options.model.outputs = {"twice"};
  options.freeze = true;
  const absl::Status status = Write(options, "frozen.pb");
  ASSERT_TRUE(status.ok()) << status;
  RunVerbOptions run = Run("twice");
  run.model.path = File("frozen.pb");
  EXPECT_EQ(RunModel(run, {})->outputs[0].value.scalar<int32_t>(), 42);
  EXPECT_EQ(ExitCodeOf(Write(options, "frozen.meta")), ExitCode::kUsage);
  options.model.outputs = {"count"};
  EXPECT_EQ(Write(options, "frozen.pb").code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(VariablesTest, ConvertWritesSavedModels) {
  ConvertOptions options;
  options.model.path = File("g.pbtxt");
  const absl::Status status = Write(options, "saved/");
  ASSERT_TRUE(status.ok()) << status;
  RunVerbOptions run = Run("twice");
  run.model.path = File("saved");
  const absl::StatusOr<RunReport> report = RunModel(run, {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->outputs[0].value.scalar<int32_t>(), 20) << "the init op had run";
  EXPECT_EQ(Write(options, "saved/").code(), absl::StatusCode::kAlreadyExists);

  // And freezes one with its own variables.
  options.model.path = File("saved");
  options.model.outputs = {"twice"};
  options.freeze = true;
  ASSERT_TRUE(Write(options, "frozen.pb").ok());
  run.model.path = File("frozen.pb");
  EXPECT_EQ(RunModel(run, {})->outputs[0].value.scalar<int32_t>(), 20);
}

}  // namespace
}  // namespace flowlatch
