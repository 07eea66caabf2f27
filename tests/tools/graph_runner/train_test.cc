#include "tools/graph_runner/train.h"

#include <nlohmann/json.hpp>

#include "flowlatch/proto/event.pb.h"
#include "graph/build/gradients.h"
#include "graph/build/graph_builder.h"
#include "graph/io/graph_def.h"
#include "ops/default_ops.h"
#include "runtime/data/record_file.h"
#include "tests/ops/tensors.h"
#include "tests/runtime/checkpoint/temp_directory.h"
#include "tools/arrays/files.h"
#include "tools/arrays/npz.h"
#include "tools/graph_runner/errors.h"
#include "tools/graph_runner/records.h"
#include "tools/graph_runner/training_checkpoints.h"
#include "tools/graph_runner/training_data.h"

namespace flowlatch {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// y = 2 a - b + 1, of pixels a, b and a shift; learnt by steps of descent.
class TrainTest : public testing::Test {
 protected:
  void SetUp() override {
    GraphBuilder b(DefaultOps().registry());
    const Output x = b.Placeholder(DType::kFloat32, PartialShape::Of({-1, 2}), "x");
    const Output y = b.Placeholder(DType::kFloat32, PartialShape::Of({-1}), "y");
    const Output rate = b.Op("PlaceholderWithDefault", {0.1f}, {{"shape", PartialShape::Of({})}}, "rate").output();
    Outputs variables;
    std::vector<Operation> initializers, steps;
    for (const auto& [name, shape] : {std::pair("w", Shape::Of({2, 1})), std::pair("b", Shape())}) {
      variables.push_back(b.Op("VariableV2", {}, {{"shape", PartialShape(shape)}, {"dtype", DType::kFloat32}}, name).output());
      initializers.push_back(b.Op("Assign", {variables.back(), *Tensor::Zeros(DType::kFloat32, shape)}));
    }
    const Output predicted = b.Op("Reshape", {b.Op("MatMul", {x, variables[0]}).output() + variables[1], {-1}}).output();
    const Output loss = b.Op("Mean", {b.Op("SquaredDifference", {predicted, y}).output(), {0}}, {}, "loss").output();
    const std::vector<Grad> grads = Gradients(b, {loss}, variables);
    for (size_t i = 0; i < 2; ++i) steps.push_back(b.Op("ApplyGradientDescent", {variables[i], rate, grads[i]}));
    b.Op("ScalarSummary", {b.Constant("shown"), loss}, {}, "summary");
    b.Group(initializers, "init");
    b.Group(steps, "train");
    const absl::StatusOr<Graph> graph = b.Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    ASSERT_TRUE(WriteBytes(dir_.File("m.pb"), *WriteGraphDef(*graph)).ok());

    std::vector<uint8_t> pixels;
    std::vector<int32_t> targets;
    std::string csv = "a,b,target\n", lines;
    for (int i = 0; i < 50; ++i) {
      const int p = i * 7 % 11, q = i * 5 % 13;
      pixels.insert(pixels.end(), {static_cast<uint8_t>(p), static_cast<uint8_t>(q)});
      targets.push_back(2 * p - q + 10);
      csv += std::to_string(p) + "," + std::to_string(q) + "," + std::to_string(targets.back()) + "\n";
      lines += json({{"pixels", {p, q}}, {"target", targets.back()}}).dump() + "\n";
    }
    NpzWriter npz;
    ASSERT_TRUE(npz.Add("pixels", *Tensor::FromValues<uint8_t>(Shape::Of({50, 2}), pixels)).ok());
    ASSERT_TRUE(npz.Add("target", Tensor::Vector<int32_t>(absl::Span<const int32_t>(targets))).ok());
    ASSERT_TRUE(WriteBytes(dir_.File("d.npz"), npz.Finish()).ok());
    ASSERT_TRUE(WriteBytes(dir_.File("d.csv"), csv).ok());
    ASSERT_TRUE(WriteBytes(dir_.File("lines"), lines).ok());
    RecOptions rec;
    rec.action = "write";
    rec.files = {dir_.File("d.tfrecord")};
    rec.from = dir_.File("lines");
    rec.compression = "gzip";
    ASSERT_TRUE(Records(rec).ok());
  }

  TrainOptions Options(const std::string& data = "d.npz") {
    TrainOptions options;
    options.model.path = dir_.File("m.pb");
    options.model.threads = 1;
    options.data.path = dir_.File(data);
    options.data.feeds = {data == "d.csv" ? "x=a,b/10" : "x=pixels/10", "y=target/10"};
    options.data.batch = 8;
    options.epochs = 20;
    options.train_op = "train";
    options.loss = "loss";
    return options;
  }
  absl::StatusOr<TrainReport> Run(const TrainOptions& options) {
    GlobalOptions quiet;
    quiet.quiet = true;
    return Train(options, quiet);
  }
  void ExpectUsage(const TrainOptions& options, const std::string& text) {
    const absl::Status status = Run(options).status();
    EXPECT_EQ(ExitCodeOf(status), ExitCode::kUsage) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  }

  const TempDirectory dir_;
};

TEST_F(TrainTest, LearnsTheSameFromEveryFormat) {
  std::vector<double> losses;
  for (const char* data : {"d.npz", "d.csv", "d.tfrecord"}) {
    const absl::StatusOr<TrainReport> report = Run(Options(data));
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->steps, 20 * 7);
    EXPECT_EQ(report->rows, 20 * 50);
    ASSERT_EQ(report->epochs.size(), 20u);
    EXPECT_LT(report->epochs.back().means[0], 0.01 * report->epochs[0].means[0]);
    if (losses.empty()) losses = report->losses;
    EXPECT_EQ(report->losses, losses) << data;
  }
  TrainOptions other = Options();
  other.data.seed = 1;
  EXPECT_NE(Run(other)->losses, losses);
}

TEST_F(TrainTest, ReportsForPeopleAndPrograms) {
  TrainOptions options = Options();
  options.data.holdout = 5;
  options.eval = {"loss"};
  options.model.outputs = {"b", "summary"};
  options.model.inputs = {"rate=0.05"};
  options.summary = dir_.File("logs");
  const absl::StatusOr<TrainReport> report = Run(options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->rows, 20 * 40);
  EXPECT_THAT(report->columns, testing::ElementsAre("loss", "b"));
  EXPECT_THAT(report->eval_columns, testing::ElementsAre("loss"));
  EXPECT_EQ(report->epochs[0].means.size(), 2u);
  EXPECT_LT(report->epochs.back().eval_means[0], report->epochs[0].eval_means[0]);
  const std::string text = TrainText(*report, {});
  EXPECT_THAT(text, HasSubstr("100 steps of 8 rows in"));
  EXPECT_THAT(text, HasSubstr("eval loss"));
  EXPECT_THAT(text, HasSubstr("..."));
  EXPECT_THAT(text, HasSubstr("a loss"));
  const json document = json::parse(TrainJson(*report));
  EXPECT_EQ(document["losses"].size(), 100u);
  EXPECT_TRUE(document["epochs"][0]["eval"].contains("loss"));

  int graphs = 0, losses = 0, evals = 0, summaries = 0;
  const auto reader = RecordReader::Open(FileSystem::Default(), report->events);
  ASSERT_TRUE(reader.ok()) << reader.status();
  std::string record;
  while (*(*reader)->Next(&record)) {
    proto::Event event;
    ASSERT_TRUE(event.ParseFromString(record));
    graphs += event.has_graph_def();
    for (const proto::Summary::Value& value : event.summary().value()) {
      losses += value.tag() == "loss";
      evals += value.tag() == "eval/loss";
      summaries += value.tag() == "shown";
    }
  }
  EXPECT_EQ(graphs, 1);
  EXPECT_EQ(losses, 100);
  EXPECT_EQ(evals, 20);
  EXPECT_EQ(summaries, 100);
}

TEST_F(TrainTest, ResumingIsGoingOn) {
  const absl::StatusOr<TrainReport> whole = Run(Options());
  ASSERT_TRUE(whole.ok()) << whole.status();
  TrainOptions options = Options();
  options.checkpoints = dir_.File("ckpt");
  options.save_every = 10;
  options.keep = 2;
  options.max_steps = 45;  // in the middle of an epoch
  const absl::StatusOr<TrainReport> first = Run(options);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->steps, 45);
  EXPECT_EQ(first->checkpoint, dir_.File("ckpt/model-45"));
  ExpectUsage(options, "--resume goes on from it");
  options.max_steps = 0;
  options.resume = true;
  const absl::StatusOr<TrainReport> rest = Run(options);
  ASSERT_TRUE(rest.ok()) << rest.status();
  EXPECT_EQ(rest->restored, dir_.File("ckpt/model-45"));
  EXPECT_EQ(rest->first_step, 45);
  EXPECT_EQ(rest->checkpoint, dir_.File("ckpt/model-140"));
  EXPECT_THAT(TrainText(*rest, {}), HasSubstr("Went on from"));
  std::vector<double> losses = first->losses;
  losses.insert(losses.end(), rest->losses.begin(), rest->losses.end());
  EXPECT_EQ(losses, whole->losses);
  // Nothing is left to do.
  const absl::StatusOr<TrainReport> nothing = Run(options);
  ASSERT_TRUE(nothing.ok()) << nothing.status();
  EXPECT_EQ(nothing->steps, 0);
}

TEST_F(TrainTest, AResumeWithoutCheckpointsBegins) {
  TrainOptions options = Options();
  options.checkpoints = dir_.File("new");
  options.resume = true;
  const absl::StatusOr<TrainReport> report = Run(options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->first_step, 0);
  EXPECT_EQ(report->restored, "");
}

TEST_F(TrainTest, Mistakes) {
  TrainOptions options = Options();
  options.data.feeds = {"z=pixels"};
  ExpectUsage(options, "--feed z=pixels: expected an input of the model, got 'z'");
  options.data.feeds = {"x=pixel"};
  ExpectUsage(options, "--feed x=pixel: expected a column of the data; did you mean 'pixels'");
  options.data.feeds = {"x=pixels", "x=pixels"};
  ExpectUsage(options, "expected one for each input");
  options.data.feeds = {"x=pixels/0"};
  ExpectUsage(options, "a divisor other than zero");
  options.data.feeds = {"x=pixels:what"};
  ExpectUsage(options, "expected a dtype behind ':', got 'what'");
  options.data.feeds = {};
  ExpectUsage(options, "expected NAME=KEY for inputs of the model (x, y");
  options.data.feeds = {"x=target", "y=target"};
  ExpectUsage(options, "input 'x': expected batches of shape [?,2]");
  options = Options();
  options.eval = {"loss"};
  ExpectUsage(options, "--eval: expected --holdout K");
  options = Options();
  options.loss = "w";
  ExpectUsage(options, "summary 'w': expected one number, got float32[2,1]");
  options = Options();
  options.resume = true;
  ExpectUsage(options, "--resume: expected --ckpt DIR");
  options = Options("none.npz");
  EXPECT_EQ(ExitCodeOf(Run(options).status()), ExitCode::kFiles);
  options = Options();
  options.data.path = dir_.path();  // has one record file
  EXPECT_TRUE(Run(options).ok());
}

TEST(TrainingDataTest, ColumnsMayBePatterns) {
  const TempDirectory dir;
  ASSERT_TRUE(WriteBytes(dir.File("d.csv"), "p1,p2,label\n1,2,0\n3,4,1\n5,6,0\n").ok());
  DataOptions options;
  options.path = dir.File("d.csv");
  options.feeds = {"x=p*"};
  options.batch = 2;
  options.shuffle = 0;
  const std::vector<PortReport> inputs = {{"x", DType::kFloat32, PartialShape::Of({-1, 2, 1}), ""},
                                          {"label", DType::kInt64, PartialShape::Of({-1}), ""}};
  const absl::StatusOr<TrainingData> data = OpenTrainingData(options, inputs, Rows::kTraining);
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_THAT(data->inputs, testing::ElementsAre("x", "label"));
  ASSERT_TRUE(data->batches->StartEpoch(0).ok());
  std::vector<Tensor> batch;
  ASSERT_TRUE(*data->batches->Next(&batch));
  EXPECT_EQ(Difference(batch[0], Floats({2, 2, 1}, {1, 2, 3, 4})), "");
  EXPECT_EQ(Difference(batch[1], Longs({2}, {0, 1})), "");
  ASSERT_TRUE(*data->batches->Next(&batch));
  EXPECT_EQ(Difference(batch[0], Floats({1, 2, 1}, {5, 6})), "");
  EXPECT_FALSE(*data->batches->Next(&batch));
}

}  // namespace
}  // namespace flowlatch
