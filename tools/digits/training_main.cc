// digits_training: a network for handwritten digits, built with the C++ API and trained by several threads at once, with steps
// that lock the variables and with steps that do not. tools/demo runs it.
//
//   digits_training FOLDER LOGDIR    (FOLDER with digits.npz; events for TensorBoard go to LOGDIR)

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "graph/base/status_macros.h"
#include "graph/build/gradients.h"
#include "graph/build/graph_builder.h"
#include "graph/io/graph_def.h"
#include "ops/default_ops.h"
#include "ops/op_functions.h"
#include "runtime/data/dataset.h"
#include "runtime/data/prefetcher.h"
#include "runtime/events/event_writer.h"
#include "runtime/session/session.h"
#include "tools/arrays/npz.h"
#include "tools/graph_runner/plot.h"
#include "tools/graph_runner/text.h"

namespace flowlatch {
namespace {

constexpr int64_t kSide = 8, kChannels = 16, kWidth = 96, kRounds = 3, kClasses = 10;
constexpr int64_t kBatch = 32, kEpochs = 15;
constexpr int64_t kFifth = 5;  // image i is held back where i % 5 == 4

// ---- Data

struct Digits {
  Tensor images;  // float32 [n,8,8,1], 0 to 1
  Tensor labels;  // int64 [n]
};

// The images that are held back, or the others.
absl::StatusOr<Digits> ReadDigits(const std::string& path, bool held_back) {
  ASSIGN_OR_RETURN(const NpzReader npz, NpzReader::Open(path));
  ASSIGN_OR_RETURN(const Tensor images, npz.ReadAs("images", DType::kUInt8));
  ASSIGN_OR_RETURN(const Tensor labels, npz.ReadAs("labels", DType::kUInt8));
  std::vector<float> pixels;
  std::vector<int64_t> classes;
  for (int64_t i = 0; i < std::min(images.dim(0), labels.dim(0)); ++i) {
    if ((i % kFifth == kFifth - 1) != held_back) continue;
    for (const uint8_t pixel : images.Rows(i, 1).values<uint8_t>()) pixels.push_back(static_cast<float>(pixel) / 16);
    classes.push_back(labels.data<uint8_t>()[i]);
  }
  Digits digits;
  const auto n = static_cast<int64_t>(classes.size());
  ASSIGN_OR_RETURN(digits.images, Tensor::FromValues<float>(Shape::Of({n, kSide, kSide, 1}), pixels));
  digits.labels = Tensor::Vector<int64_t>(absl::Span<const int64_t>(classes));
  return digits;
}

// ---- The graph

// Makes variables of TensorFlow 1, whose steps may lock or not, and Adam's step for each.
class Training {
 public:
  Training(GraphBuilder& b, bool use_locking) : b_(b), use_locking_(use_locking) {}

  // A variable that begins with random values within +-limit.
  Output Variable(const std::string& name, const Shape& shape, double limit) {
    const Output random = ops::RandomUniform(b_, Dims(shape), DType::kFloat32, {.seed = 1, .seed2 = ++seed_});
    variables_.push_back(Assigned(name, shape, (random * 2 - 1) * limit));
    return variables_.back();
  }
  // "init", and "train", which makes a step that lessens the loss.
  void Minimize(const Output& loss) {
    const std::vector<Grad> grads = Gradients(b_, {loss}, variables_);
    const Output beta1_power = Assigned("beta1_power", {}, b_.Constant(0.9f)), beta2_power = Assigned("beta2_power", {}, b_.Constant(0.999f));
    std::vector<Operation> steps;
    for (size_t i = 0; i < variables_.size(); ++i) {
      const std::string name = Operation(variables_[i]).name();
      const Shape shape = *variables_[i].shape().ToShape();
      const Output zeros = ops::Fill(b_, Dims(shape), 0.0f);
      const Output m = Assigned(name + "/m", shape, zeros), v = Assigned(name + "/v", shape, zeros);
      steps.push_back(ops::ApplyAdam(b_, variables_[i], m, v, beta1_power, beta2_power, 2e-3f, 0.9f, 0.999f, 1e-8f, grads[i],
                                     {.use_locking = use_locking_}));
    }
    b_.Group(initializers_, "init");
    const BuilderScope after = b_.ControlDependencies(steps);
    const ops::AssignAttrs locking{.use_locking = use_locking_};
    b_.Group({ops::Assign(b_, beta1_power, beta1_power * 0.9f, locking),
              ops::Assign(b_, beta2_power, beta2_power * 0.999f, locking)},
             "train");
  }

 private:
  Tensor Dims(const Shape& shape) const {
    std::vector<int32_t> dims(shape.dims().begin(), shape.dims().end());
    return Tensor::Vector<int32_t>(absl::Span<const int32_t>(dims));
  }
  Output Assigned(const std::string& name, const Shape& shape, const Output& value) {
    const Output variable = ops::VariableV2(b_, PartialShape(shape), DType::kFloat32, {.name = name});
    initializers_.push_back(ops::Assign(b_, variable, value));
    return variable;
  }

  GraphBuilder& b_;
  const bool use_locking_;
  int64_t seed_ = 0;
  Outputs variables_;
  std::vector<Operation> initializers_;
};

// The network of digits_training.pb, which TensorFlow built: a convolution, a dense layer, three rounds of a while loop with
// weights of their own, and dropout while training.
absl::StatusOr<Graph> BuildGraph(bool use_locking) {
  GraphBuilder b(DefaultOps().registry());
  Training training(b, use_locking);
  const auto glorot = [](int64_t in, int64_t out) { return std::sqrt(6.0 / static_cast<double>(in + out)); };
  const Output images = b.Placeholder(DType::kFloat32, PartialShape::Of({-1, kSide, kSide, 1}), "images");
  const Output labels = b.Placeholder(DType::kInt64, PartialShape::Of({-1}), "labels");
  const Output is_training = ops::PlaceholderWithDefault(b, false, PartialShape::Of({}), "training");

  const Output filter = training.Variable("filter", Shape::Of({3, 3, 1, kChannels}), glorot(9, 9 * kChannels));
  Output x = ops::Relu(b, ops::Conv2D(b, images, filter, {1, 1, 1, 1}, "SAME") + training.Variable("filter_bias", Shape::Of({kChannels}), 0));
  x = ops::MaxPool(b, x, {1, 2, 2, 1}, {1, 2, 2, 1}, "VALID");
  constexpr int64_t kPooled = kSide / 2 * kSide / 2 * kChannels;
  x = ops::Reshape(b, x, {-1, static_cast<int>(kPooled)});
  x = ops::Relu(b, ops::MatMul(b, x, training.Variable("dense", Shape::Of({kPooled, kWidth}), glorot(kPooled, kWidth))) +
                       training.Variable("dense_bias", Shape::Of({kWidth}), 0));
  const Output rounds = training.Variable("rounds", Shape::Of({kRounds, kWidth, kWidth}), 0.09);
  x = b.While({0, x}, [&](const Outputs& v) { return v[0] < static_cast<int>(kRounds); },
              [&](const Outputs& v) {
                return Outputs{v[0] + 1, v[1] + ops::Relu(b, ops::MatMul(b, v[1], ops::GatherV2(b, rounds, v[0], 0)))};
              })[1];
  x = b.Cond(is_training,
             [&] {
               constexpr float kDropped = 0.3f;
               const Output random = ops::RandomUniform(b, ops::Shape(b, x), DType::kFloat32, {.seed = 7});
               return x * ops::Cast(b, random >= kDropped, DType::kFloat32) / (1 - kDropped);
             },
             [&] { return x; });
  const Output logits = ops::MatMul(b, x, training.Variable("out", Shape::Of({kWidth, kClasses}), glorot(kWidth, kClasses))) +
                        training.Variable("out_bias", Shape::Of({kClasses}), 0);
  const Output classes = ops::ArgMax(b, logits, 1, {.name = "classes"});
  const Output loss = ops::Mean(b, ops::SparseSoftmaxCrossEntropyWithLogits(b, logits, labels).loss, {0}, {.name = "loss"});
  ops::Mean(b, ops::Cast(b, ops::Equal(b, classes, labels), DType::kFloat32), {0}, {.name = "accuracy"});
  training.Minimize(loss);
  return b.Build();
}

// ---- Training

struct Run {
  const char* name;
  int threads;
  bool use_locking;
};
constexpr Run kRuns[] = {{"one thread, locked", 1, true},
                         {"one thread, unlocked", 1, false},
                         {"two threads, locked", 2, true},
                         {"two threads, unlocked", 2, false}};

struct Result {
  std::vector<double> losses;  // in the order in which steps began
  double accuracy = 0, seconds = 0;
};

// What the threads of one training share.
class Batches {
 public:
  explicit Batches(std::unique_ptr<Dataset> data) : data_(std::move(data)) {}
  // The next batch and the number of its step; false at the end of the last epoch.
  absl::StatusOr<bool> Next(std::vector<Tensor>* batch, int64_t* step) {
    const std::lock_guard<std::mutex> lock(mu_);
    for (; epoch_ < kEpochs; ++epoch_, started_ = false) {
      if (!started_) RETURN_IF_ERROR(data_->StartEpoch(epoch_));
      started_ = true;
      ASSIGN_OR_RETURN(const bool more, data_->Next(batch));
      if (!more) continue;
      *step = num_steps_++;
      return true;
    }
    return false;
  }

 private:
  std::mutex mu_;
  // Guarded by mu_.
  const std::unique_ptr<Dataset> data_;
  int64_t epoch_ = 0, num_steps_ = 0;
  bool started_ = false;
};

// One thread's part of the training: steps until there are no batches.
absl::Status MakeSteps(const Callable& step, Batches* batches, EventWriter* events, std::vector<double>* losses) {
  std::vector<Tensor> batch, outputs;
  int64_t number = 0;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, batches->Next(&batch, &number));
    if (!more) return absl::OkStatus();
    RETURN_IF_ERROR(step.Run({batch[0], batch[1], Tensor::Scalar(true)}, &outputs));
    const float loss = outputs[0].scalar<float>();
    (*losses)[static_cast<size_t>(number)] = loss;  // nobody else writes this element
    RETURN_IF_ERROR(events->WriteScalar(number, "loss", loss));
  }
}

absl::StatusOr<Result> Train(const Run& run, const Digits& digits, const Digits& held_back, const std::string& logdir) {
  ASSIGN_OR_RETURN(Graph graph, BuildGraph(run.use_locking));
  std::string folder = logdir + "/" + run.name;
  std::replace(folder.begin(), folder.end(), ' ', '_');
  folder.erase(std::remove(folder.begin(), folder.end(), ','), folder.end());
  ASSIGN_OR_RETURN(const std::unique_ptr<EventWriter> events, EventWriter::Create(FileSystem::Default(), folder, {.max_queue = 1000}));
  ASSIGN_OR_RETURN(std::string graph_def, WriteGraphDef(graph));
  RETURN_IF_ERROR(events->WriteGraph(0, std::move(graph_def)));
  // Each step in the thread that asks for it: it is the steps that run side by side.
  ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Create(std::move(graph), DefaultOps(), {.threads = 1}));
  RETURN_IF_ERROR(session->Run({}, {}, {"init"}).status());
  ASSIGN_OR_RETURN(const Callable step, session->Prepare({"images", "labels", "training"}, {"loss"}, {"train"}));
  ASSIGN_OR_RETURN(std::unique_ptr<Dataset> data, ArrayDataset({{"images", digits.images}, {"labels", digits.labels}}));
  data = Batched(Shuffled(std::move(data), digits.labels.dim(0), /*seed=*/1), {.size = kBatch});
  Result result;
  result.losses.resize(static_cast<size_t>(*data->num_rows() * kEpochs));
  Batches batches(std::make_unique<Prefetcher>(std::move(data), /*ahead=*/8));

  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  std::vector<absl::Status> statuses(static_cast<size_t>(run.threads));
  for (absl::Status& status : statuses) {
    threads.emplace_back([&] { status = MakeSteps(step, &batches, events.get(), &result.losses); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const absl::Status& status : statuses) RETURN_IF_ERROR(status);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  ASSIGN_OR_RETURN(const std::vector<Tensor> outputs,
                   session->Run({{"images", held_back.images}, {"labels", held_back.labels}}, {"accuracy"}, {}));
  result.accuracy = outputs[0].scalar<float>();
  RETURN_IF_ERROR(events->WriteScalar(static_cast<int64_t>(result.losses.size()), "accuracy", outputs[0].scalar<float>()));
  RETURN_IF_ERROR(events->Close());
  return result;
}

absl::Status RunAll(const std::string& folder, const std::string& logdir, bool color) {
  ASSIGN_OR_RETURN(const Digits digits, ReadDigits(folder + "/digits.npz", false));
  ASSIGN_OR_RETURN(const Digits held_back, ReadDigits(folder + "/digits.npz", true));
  std::printf("%d images to learn from, %d held back, %d epochs of batches of %d\n\n", static_cast<int>(digits.labels.dim(0)),
              static_cast<int>(held_back.labels.dim(0)), static_cast<int>(kEpochs), static_cast<int>(kBatch));
  std::vector<Curve> curves;
  for (const Run& run : kRuns) {
    ASSIGN_OR_RETURN(Result result, Train(run, digits, held_back, logdir));
    std::printf("%-22s %d steps in %s, %.0f steps/s; it reads %.1f%% of the images held back\n", run.name,
                static_cast<int>(result.losses.size()), DurationText(result.seconds * 1e9).c_str(),
                static_cast<double>(result.losses.size()) / result.seconds, 100 * result.accuracy);
    std::fflush(stdout);
    curves.push_back({run.name, std::move(result.losses)});
  }
  std::printf("\nLoss by step:\n%s", PlotText(curves, {.color = color, .logarithmic = true}).c_str());
  return absl::OkStatus();
}

}  // namespace
}  // namespace flowlatch

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: digits_training FOLDER LOGDIR\n");
    return 2;
  }
  const bool color = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  const absl::Status status = flowlatch::RunAll(argv[1], argv[2], color);
  if (status.ok()) return 0;
  std::fprintf(stderr, "digits_training: %s\n", std::string(status.message()).c_str());
  return 1;
}
