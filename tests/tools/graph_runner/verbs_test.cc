#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ops/default_ops.h"
#include "tools/arrays/files.h"
#include "tools/arrays/npy.h"
#include "tools/arrays/npz.h"
#include "tools/graph_runner/bench.h"
#include "tools/graph_runner/compare.h"
#include "tools/graph_runner/convert.h"
#include "tools/graph_runner/doctor.h"
#include "tools/graph_runner/errors.h"
#include "tools/graph_runner/graph_facts.h"
#include "tools/graph_runner/opened_model.h"
#include "tools/graph_runner/ops.h"
#include "tools/graph_runner/run.h"
#include "tools/graph_runner/show.h"

namespace flowlatch {
namespace {

constexpr char kCollatz[] = "tools/demo_data/collatz.pb";
constexpr char kDigits[] = "tools/demo_data/digits_cnn.pb";

std::string Temporary(const std::string& name) { return testing::TempDir() + "/" + name; }

std::string WriteText(const std::string& name, const std::string& text) {
  EXPECT_TRUE(WriteBytes(Temporary(name), text).ok());
  return Temporary(name);
}

// y = x + 1, an op that cannot run here, and one that can but not for this dtype.
std::string Odd() {
  return WriteText("odd.pbtxt", R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
           attr { key: "shape" value { shape { dim { size: -1 } dim { size: 2 } } } } }
    node { name: "y" op: "Square" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "tpu" op: "TPUReplicatedInput" input: "x" attr { key: "T" value { type: DT_FLOAT } } attr { key: "N" value { i: 1 } } }
    node { name: "log" op: "Log" input: "y" attr { key: "T" value { type: DT_FLOAT } } }
  )");
}

RunVerbOptions RunOf(const std::string& path, std::vector<std::string> inputs, std::vector<std::string> outputs) {
  RunVerbOptions options;
  options.model.path = path;
  options.model.inputs = std::move(inputs);
  options.model.outputs = std::move(outputs);
  options.model.threads = 1;
  return options;
}

TEST(ShowTest, InputsOutputsAndOps) {
  ShowOptions options;
  options.path = kDigits;
  const absl::StatusOr<ShowReport> report = Show(options);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->inputs.size(), 1u);
  EXPECT_EQ(report->inputs[0].name, "images");
  EXPECT_EQ(report->inputs[0].shape.ToString(), "[?,8,8,1]");
  ASSERT_EQ(report->outputs.size(), 2u);
  EXPECT_EQ(report->outputs[0].name, "probabilities");
  EXPECT_EQ(
      report->next[0],
      "graph-runner run tools/demo_data/digits_cnn.pb -i images=zeros:float32[1,8,8,1] -o probabilities -o classes");
  EXPECT_EQ(report->ops[0].first, "Const");
  EXPECT_GT(report->const_elements, 1000);
}

TEST(ShowTest, PivotsOfCondsAreNoOutputs) {
  ShowOptions options;
  options.path = kCollatz;
  const ShowReport report = *Show(options);
  ASSERT_EQ(report.outputs.size(), 2u);
  EXPECT_EQ(report.outputs[0].name, "steps");
  EXPECT_EQ(report.outputs[1].name, "peak");
}

TEST(ShowTest, WhatCannotRunIsListedWhole) {
  ShowOptions options;
  options.path = Odd();
  options.unsupported = true;
  const ShowReport report = *Show(options);
  ASSERT_EQ(report.unsupported->size(), 1u);
  EXPECT_EQ((*report.unsupported)[0].op, "TPUReplicatedInput");
  EXPECT_EQ((*report.unsupported)[0].first_node, "tpu");
  options.path = kCollatz;
  EXPECT_TRUE(Show(options)->unsupported->empty());
}

TEST(ShowTest, Lowered) {
  ShowOptions options;
  options.path = WriteText("call.pbtxt", R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "call" op: "F" input: "x" }
    library { function { signature { name: "F" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } }
                         node_def { name: "n" op: "Neg" input: "a" attr { key: "T" value { type: DT_FLOAT } } }
                         ret { key: "r" value: "n:y:0" } } }
  )");
  options.nodes = "^call/n$";
  EXPECT_TRUE(Show(options)->nodes.empty());
  options.stage = "lowered";
  const ShowReport report = *Show(options);
  ASSERT_EQ(report.nodes.size(), 1u);
  EXPECT_EQ(report.nodes[0].text, "call/n = Neg(call/a) -> float32 {T=float32}");
}

TEST(ShowTest, NodesByPattern) {
  ShowOptions options;
  options.path = Odd();
  options.nodes = "^[ly]";
  const ShowReport report = *Show(options);
  ASSERT_EQ(report.nodes.size(), 2u);
  EXPECT_EQ(report.nodes[1].name, "log");
  EXPECT_EQ(report.nodes[1].text, "log = Log(y) -> float32[?,2] {T=float32}");
  options.nodes = "(";
  EXPECT_EQ(ExitCodeOf(Show(options).status()), ExitCode::kUsage);
}

TEST(ShowTest, OtherLanguages) {
  ShowOptions options;
  options.path = Odd();
  options.format = "dot";
  EXPECT_EQ(ShowAs(options)->substr(0, 7), "digraph");
  options.format = "pbtxt";
  EXPECT_NE(ShowAs(options)->find("op: \"Square\""), std::string::npos);
}

TEST(ShowTest, ErrorsSayWhetherTheFileOrTheModelIsBad) {
  ShowOptions options;
  options.path = Temporary("none.pb");
  EXPECT_EQ(ExitCodeOf(Show(options).status()), ExitCode::kFiles);
  options.path = WriteText("bad.pb", std::string("\x0a\x05\xff\xff", 4));
  EXPECT_EQ(ExitCodeOf(Show(options).status()), ExitCode::kBadModel);
  options.path = kCollatz;
  options.signature = "serving";
  EXPECT_EQ(ExitCodeOf(Show(options).status()), ExitCode::kUsage);
}

TEST(RunTest, ALoopWithACond) {
  RunVerbOptions options = RunOf(kCollatz, {"n=27"}, {"steps", "peak:0"});
  options.stats = true;
  const absl::StatusOr<RunReport> report = RunModel(options, {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->outputs[0].value.scalar<int64_t>(), 111);
  EXPECT_EQ(report->outputs[1].value.scalar<int64_t>(), 9232);
  int64_t iterations = 0;
  for (const FrameStats& frame : report->stats->frames) iterations = std::max(iterations, frame.iterations);
  EXPECT_EQ(iterations, 112);
}

TEST(RunTest, OutputsAreGuessedWhenNoneIsAskedFor) {
  const RunReport report = *RunModel(RunOf(kCollatz, {"n=1"}, {}), {});
  ASSERT_EQ(report.outputs.size(), 2u);
  EXPECT_EQ(report.outputs[0].name, "steps");
}

TEST(RunTest, OutputsGoToFiles) {
  const std::string npy = Temporary("steps.npy"), npz = Temporary("both.npz"), json = Temporary("peak.json");
  RunVerbOptions options = RunOf(kCollatz, {"n=6"}, {"steps=" + npy, "peak=" + json});
  options.outputs_file = npz;
  ASSERT_TRUE(RunModel(options, {}).ok());
  EXPECT_EQ(ParseNpy(*ReadBytes(npy))->scalar<int64_t>(), 8);
  EXPECT_EQ(*ReadBytes(json), "16\n");
  EXPECT_EQ(NpzReader::Open(npz)->Names(), (std::vector<std::string>{"peak", "steps"}));
  options.model.outputs = {"steps=" + Temporary("steps.txt")};
  EXPECT_EQ(ExitCodeOf(RunModel(options, {}).status()), ExitCode::kUsage);
}

TEST(RunTest, Errors) {
  struct Bad {
    std::vector<std::string> inputs, outputs;
    ExitCode code;
    std::string message;
  };
  const Bad cases[] = {
      {{"m=27"}, {"steps"}, ExitCode::kRunError, "did you mean 'n'"},
      {{"n=27"}, {"step"}, ExitCode::kRunError, "did you mean 'steps'"},
      {{"n"}, {"steps"}, ExitCode::kUsage, "expected NAME=VALUE"},
      {{"n=x"}, {"steps"}, ExitCode::kUsage, "input 'x'"},
      {{"n=@none.npy"}, {"steps"}, ExitCode::kFiles, "none.npy"},
      {{"n=27:f32"}, {"steps"}, ExitCode::kRunError, "int64"},
  };
  for (const Bad& bad : cases) {
    const absl::Status status = RunModel(RunOf(kCollatz, bad.inputs, bad.outputs), {}).status();
    EXPECT_EQ(ExitCodeOf(status), bad.code) << status;
    EXPECT_NE(status.message().find(bad.message), std::string::npos) << status;
  }
  EXPECT_EQ(ExitCodeOf(RunModel(RunOf(Odd(), {"x=[[1,2]]"}, {"tpu"}), {}).status()), ExitCode::kBadModel);
}

TEST(RunTest, ALoopThatDoesNotEndIsStopped) {
  const std::string path = WriteText("endless.pbtxt", R"(
    node { name: "zero" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
           attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 0 } } } }
    node { name: "enter" op: "Enter" input: "zero" attr { key: "T" value { type: DT_INT32 } } attr { key: "frame_name" value { s: "f" } } }
    node { name: "merge" op: "Merge" input: "enter" input: "next" attr { key: "T" value { type: DT_INT32 } } attr { key: "N" value { i: 2 } } }
    node { name: "true" op: "Const" input: "^merge" attr { key: "dtype" value { type: DT_BOOL } }
           attr { key: "value" value { tensor { dtype: DT_BOOL tensor_shape { } bool_val: true } } } }
    node { name: "cond" op: "LoopCond" input: "true" }
    node { name: "switch" op: "Switch" input: "merge" input: "cond" attr { key: "T" value { type: DT_INT32 } } }
    node { name: "next" op: "NextIteration" input: "switch:1" attr { key: "T" value { type: DT_INT32 } } }
    node { name: "exit" op: "Exit" input: "switch" attr { key: "T" value { type: DT_INT32 } } }
  )");
  RunVerbOptions options = RunOf(path, {}, {"exit"});
  options.model.timeout = std::chrono::milliseconds(50);
  const absl::Status status = RunModel(options, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(ExitCodeOf(status), ExitCode::kInterrupted);
}

TEST(RunTest, NumericsAreChecked) {
  RunVerbOptions options = RunOf(Odd(), {"x=[[1,0]]"}, {"log"});
  EXPECT_TRUE(RunModel(options, {}).ok());
  options.check_numerics = true;
  const absl::Status status = RunModel(options, {}).status();
  EXPECT_NE(status.message().find("log:0"), std::string::npos) << status;
}

TEST(BenchTest, FiguresAreInOrder) {
  BenchOptions options;
  options.model.path = kCollatz;
  options.model.inputs = {"n=27"};
  options.model.threads = 1;
  options.runs = 20;
  options.concurrency = 2;
  options.csv = Temporary("times.csv");
  const absl::StatusOr<BenchReport> report = Bench(options, {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->runs, 40);
  EXPECT_GT(report->load_ns, 0);
  EXPECT_GT(report->first_run_ns, 0);
  EXPECT_LE(report->min_ns, report->p50_ns);
  EXPECT_LE(report->p50_ns, report->p90_ns);
  EXPECT_LE(report->p90_ns, report->max_ns);
  EXPECT_EQ(report->samples_ns.size(), 40u);
  const std::string csv = *ReadBytes(options.csv);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 41);
  options.warmup = "some";
  EXPECT_EQ(ExitCodeOf(Bench(options, {}).status()), ExitCode::kUsage);
}

TEST(BenchTest, InputsAreInvented) {
  BenchOptions options;
  options.model.path = Odd();
  options.model.outputs = {"y"};
  options.runs = 1;
  const BenchReport report = *Bench(options, {});
  EXPECT_EQ(report.notes, std::vector<std::string>{"input x is zeros:float32[1,2]"});
}

TEST(OpsTest, PatternsAndNearNames) {
  OpsOptions options;
  options.pattern = "^MatMul$";
  const OpsReport report = *ListOps(options);
  ASSERT_EQ(report.ops.size(), 1u);
  EXPECT_NE(report.ops[0].signature.find("transpose_a"), std::string::npos);
  EXPECT_FALSE(report.ops[0].doc.empty());
  options.pattern = "MatMull";
  EXPECT_NE(ListOps(options).status().message().find("did you mean 'MatMul'"), std::string::npos);
  options.pattern = "TPUReplicatedInput";
  EXPECT_NE(ListOps(options).status().message().find("TensorFlow has it"), std::string::npos);
  options.pattern = "";
  EXPECT_EQ(ListOps(options)->ops.size(), DefaultOps().registry().Registered().size());
}

TEST(ConvertTest, ThereAndBack) {
  const auto convert = [](const std::string& from, const std::string& to) {
    ConvertOptions options;
    options.model.path = from;
    options.to = to;
    return Convert(options, {});
  };
  const std::string text = Temporary("collatz.pbtxt"), binary = Temporary("again.pb"), again = Temporary("again.pbtxt");
  ASSERT_TRUE(convert(kCollatz, text).ok());
  ASSERT_TRUE(convert(text, binary).ok());
  ASSERT_TRUE(convert(binary, again).ok());
  EXPECT_EQ(*ReadBytes(text), *ReadBytes(again));
  EXPECT_EQ(RunModel(RunOf(binary, {"n=27"}, {"steps"}), {})->outputs[0].value.scalar<int64_t>(), 111);
  ASSERT_TRUE(convert(kCollatz, Temporary("collatz.meta")).ok());
  const RunVerbOptions run_meta = RunOf(Temporary("collatz.meta"), {"n=27"}, {"steps"});
  EXPECT_EQ(RunModel(run_meta, {})->outputs[0].value.scalar<int64_t>(), 111);
  EXPECT_TRUE(convert(kCollatz, Temporary("collatz.dot")).ok());
  EXPECT_EQ(ExitCodeOf(convert(kCollatz, Temporary("collatz.onnx"))), ExitCode::kUsage);
  EXPECT_EQ(ExitCodeOf(convert(kCollatz, Temporary("no/such/folder.pb"))), ExitCode::kFiles);
}

TEST(CompareTest, ArraysAndModels) {
  NpzWriter a, b;
  ASSERT_TRUE(a.Add("x", Tensor::Scalar(1.f)).ok());
  ASSERT_TRUE(a.Add("y", Tensor::Scalar(1.f)).ok());
  ASSERT_TRUE(b.Add("x", Tensor::Scalar(1.00001f)).ok());
  ASSERT_TRUE(b.Add("z", Tensor::Scalar(1.f)).ok());
  CompareOptions options;
  options.a = Temporary("a.npz");
  options.b = Temporary("b.npz");
  options.rtol = 1e-3;
  ASSERT_TRUE(WriteBytes(options.a, a.Finish()).ok());
  ASSERT_TRUE(WriteBytes(options.b, b.Finish()).ok());
  const CompareReport report = *CompareFiles(options, {});
  EXPECT_EQ(report.rows.size(), 3u);
  EXPECT_EQ(report.differing, 2);

  CompareOptions models;
  models.a = models.b = kCollatz;
  models.model.inputs = {"n=27"};
  const absl::StatusOr<CompareReport> same = CompareFiles(models, {});
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ(same->rows.size(), 2u);
  EXPECT_EQ(same->differing, 0);
  models.b = Temporary("none.npz");
  EXPECT_EQ(ExitCodeOf(CompareFiles(models, {}).status()), ExitCode::kFiles);
}

TEST(DoctorTest, ThisMachineIsWell) {
  for (const DoctorRow& row : Doctor().rows) {
    EXPECT_TRUE(row.ok) << row.topic << ": " << row.finding;
    EXPECT_FALSE(row.finding.empty()) << row.topic;
  }
}

TEST(GraphFactsTest, SpecsOfPorts) {
  EXPECT_EQ(SpecType({"x", DType::kFloat32, PartialShape::Of({-1, 3}), ""}), "float32[1,3]");
  EXPECT_EQ(SpecType({"x", DType::kInt64, PartialShape::Of({}), ""}), "int64[]");
  EXPECT_EQ(SpecType({"x", DType::kInt64, PartialShape(), ""}), "int64[]");
}

TEST(OpenedModelTest, LoadingTellsFilesFromModels) {
  std::vector<std::string> warnings;
  EXPECT_EQ(ExitCodeOf(LoadForTool(Temporary("none.pb"), {}, &warnings).status()), ExitCode::kFiles);
  EXPECT_TRUE(LoadForTool(kCollatz, {}, &warnings).ok());
}

TEST(OpenedModelTest, TheSignatureThatIsMeant) {
  Model model{.kind = ModelKind::kMetaGraph, .graph = Graph(DefaultOps().registry())};
  EXPECT_EQ(DefaultSignature(model), "");
  model.signatures["__saved_model_init_op"];
  EXPECT_EQ(DefaultSignature(model), "");
  model.signatures["predict"];
  EXPECT_EQ(DefaultSignature(model), "predict");
  model.signatures["train"];
  EXPECT_EQ(DefaultSignature(model), "");
  model.signatures["serving_default"];
  EXPECT_EQ(DefaultSignature(model), "serving_default");
}

// A MetaGraph whose signature calls x `number` and y `square`.
TEST(OpenedModelTest, KeysOfSignaturesAreNames) {
  const std::string path = WriteText("signature.meta.pbtxt", R"(
    meta_info_def { tags: "serve" }
    graph_def {
      node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
      node { name: "y" op: "Square" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
    }
    signature_def { key: "serving_default" value {
      inputs { key: "number" value { name: "x:0" dtype: DT_FLOAT tensor_shape { } } }
      outputs { key: "square" value { name: "y:0" dtype: DT_FLOAT tensor_shape { } } }
    } }
  )");
  EXPECT_EQ(RunModel(RunOf(path, {"number=3"}, {"square"}), {})->outputs[0].value.scalar<float>(), 9);
  EXPECT_EQ(RunModel(RunOf(path, {"x=4"}, {}), {})->outputs[0].name, "square");
  EXPECT_EQ(RunModel(RunOf(path, {"numbr=3"}, {}), {}).status().message(),
            "input 'numbr': expected a key of signature 'serving_default' ('number') or a node of the graph");
  RunVerbOptions other = RunOf(path, {"x=4"}, {});
  other.model.signature = "serving_defalt";
  EXPECT_NE(RunModel(other, {}).status().message().find("did you mean 'serving_default'"), std::string::npos);
  ShowOptions show;
  show.path = path;
  EXPECT_EQ(Show(show)->next[0],
            "graph-runner run " + path + " --signature serving_default -i number=zeros:float32[] -o square");
}

}  // namespace
}  // namespace flowlatch
