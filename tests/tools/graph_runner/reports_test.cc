#include "tools/graph_runner/reports.h"

#include <nlohmann/json.hpp>
#include <string>

#include "gtest/gtest.h"
#include "tools/graph_runner/errors.h"
#include "tools/graph_runner/json.h"
#include "tools/graph_runner/text.h"

namespace flowlatch {
namespace {

TEST(ErrorsTest, TheFirstExitCodeIsKept) {
  const absl::Status status = absl::NotFoundError("x");
  EXPECT_EQ(ExitCodeOf(status), ExitCode::kRunError);
  const absl::Status marked = WithExit(ExitCode::kFiles, status);
  EXPECT_EQ(ExitCodeOf(marked), ExitCode::kFiles);
  EXPECT_EQ(ExitCodeOf(WithExit(ExitCode::kUsage, marked)), ExitCode::kFiles);
  EXPECT_EQ(marked.message(), "x");
  EXPECT_EQ(ExitCodeOf(absl::OkStatus()), ExitCode::kOk);
  EXPECT_EQ(ExitCodeOf(absl::DeadlineExceededError("")), ExitCode::kInterrupted);
  EXPECT_EQ(ExitCodeOf(absl::CancelledError("")), ExitCode::kInterrupted);
  EXPECT_EQ(ExitCodeOf(absl::UnimplementedError("")), ExitCode::kBadModel);
}

TEST(ErrorsTest, Hints) {
  EXPECT_NE(HintFor(absl::UnimplementedError("x")).find("--unsupported"), std::string::npos);
  EXPECT_NE(HintFor(absl::DeadlineExceededError("x")).find("--timeout"), std::string::npos);
  EXPECT_NE(HintFor(absl::FailedPreconditionError("variable is uninitialised")).find("--restore"), std::string::npos);
  EXPECT_EQ(HintFor(absl::InvalidArgumentError("x")), "");
}

TEST(TextTest, Durations) {
  EXPECT_EQ(DurationText(999), "999 ns");
  EXPECT_EQ(DurationText(1250), "1.25 us");
  EXPECT_EQ(DurationText(3.4e6), "3.4 ms");
  EXPECT_EQ(DurationText(2e9), "2 s");
}

TEST(TextTest, TensorsAreShownWholeOrByTheirEdges) {
  EXPECT_EQ(TensorText(Tensor::Scalar(1.5f)), "float32[] 1.5");
  EXPECT_EQ(TensorText(Tensor::Scalar("a\n")), "string[] \"a\\n\"");
  EXPECT_EQ(TensorText(*Tensor::FromValues<int32_t>(Shape::Of({2, 2}), {{1, 2, 3, 4}})),
            "int32[2,2]\n  [[1 2]\n   [3 4]]");
  EXPECT_EQ(TensorText(*Tensor::Make(DType::kFloat32, Shape::Of({0, 3}))), "float32[0,3]\n  []");
  const Tensor longer = *Tensor::Zeros(DType::kInt32, Shape::Of({100}));
  EXPECT_EQ(TensorText(longer), "int32[100] [0 0 0 0 ... 0 0 0 0]");
}

TEST(TextTest, StatsAddUpByOpAndShowFrames) {
  StepStats stats;
  stats.nodes = {{"a", "Add", 10, 1, 3000}, {"b", "Add", 5, 0, 1000}, {"c", "Mul", 1, 0, 6000}};
  stats.frames = {{"", "", 1, 1}, {"loop", "", 1, 11}};
  const std::string text = StatsText(stats, {});
  EXPECT_LT(text.find("Mul"), text.find("Add"));
  EXPECT_NE(text.find("60.0"), std::string::npos);
  EXPECT_NE(text.find("100.0"), std::string::npos);
  EXPECT_NE(text.find("loop   the step        1          11"), std::string::npos) << text;
}

TEST(TextTest, ColourOnlyWhenAskedFor) {
  CompareReport report;
  report.rows = {{"x", "", 0.5, 3}, {"y", "shape: expected [1], got []", 0, 1}};
  report.differing = 1;
  GlobalOptions global;
  EXPECT_EQ(CompareText(report, global),
            "same     x (3 values, largest error 0.5)\ndiffers  y: shape: expected [1], got []\n1 of 2 differ\n");
  global.color = true;
  EXPECT_NE(CompareText(report, global).find("\x1b["), std::string::npos);
}

TEST(TextTest, HistogramCountsEveryRun) {
  BenchReport report;
  for (int i = 0; i < 100; ++i) report.samples_ns.push_back(1000 + i);
  report.samples_ns.push_back(1000000);
  report.runs = 101;
  report.min_ns = 1000;
  const std::string text = BenchText(report, {});
  EXPECT_NE(text.find("slower"), std::string::npos);
  EXPECT_NE(text.find("█"), std::string::npos);
}

TEST(JsonTest, DocumentsAreOneLineAndParse) {
  BenchReport bench;
  bench.load_ns = 1;
  bench.samples_ns = {3};
  const std::string text = BenchJson(bench);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  const auto document = nlohmann::json::parse(text, nullptr, false);
  for (const char* key : {"load_ns", "first_run_ns", "min_ns", "p50_ns", "p90_ns", "runs"})
    EXPECT_TRUE(document.contains(key)) << key;
}

TEST(JsonTest, OutputsCarryValuesOrFiles) {
  RunReport report;
  report.outputs = {{"y", Tensor::Vector<float>({1, 2}), ""}, {"z", Tensor::Scalar(1), "z.npy"}};
  const auto document = nlohmann::json::parse(RunJson(report), nullptr, false);
  EXPECT_EQ(document["outputs"]["y"].dump(), "{\"dtype\":\"float32\",\"shape\":[2],\"value\":[1.0,2.0]}");
  EXPECT_EQ(document["outputs"]["z"].dump(), "{\"dtype\":\"int32\",\"file\":\"z.npy\",\"shape\":[]}");
}

TEST(JsonTest, UnknownDimensionsAreNull) {
  ShowReport report;
  report.inputs = {{"x", DType::kFloat32, PartialShape::Of({-1, 3}), ""}, {"y", DType::kFloat32, PartialShape(), ""}};
  const auto document = nlohmann::json::parse(ShowJson(report), nullptr, false);
  EXPECT_EQ(document["inputs"][0]["shape"].dump(), "[null,3]");
  EXPECT_EQ(document["inputs"][1]["shape"].dump(), "null");
}

TEST(JsonTest, Errors) {
  const auto document = nlohmann::json::parse(ErrorJson(absl::NotFoundError("no \xff"), "look"), nullptr, false);
  EXPECT_EQ(document["error"]["code"], "NOT_FOUND");
  EXPECT_EQ(document["error"]["hint"], "look");
}

}  // namespace
}  // namespace flowlatch
