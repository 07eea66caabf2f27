// What a process holds after many sessions, and after inputs of many shapes.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "graph/build/initializer.h"
#include "graph/io/graph_def.h"
#include "graph/train/optimizer.h"
#include "gtest/gtest.h"
#include "ops/default_ops.h"
#include "ops/op_functions.h"
#include "runtime/session/session.h"

namespace flowlatch {
namespace {

#if defined(FLOWLATCH_SANITIZED)
constexpr int kSessions = 30, kBatches = 30;
constexpr bool kCounts = false;  // a sanitizer keeps what was freed; LeakSanitizer counts instead
#else
constexpr int kSessions = 10000, kBatches = 1000;
constexpr bool kCounts = true;
#endif

int64_t ResidentBytes() {
  FILE* file = std::fopen("/proc/self/statm", "r");
  long size = 0, resident = 0;
  EXPECT_EQ(std::fscanf(file, "%ld %ld", &size, &resident), 2);
  std::fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

template <typename T>
Tensor Filled(const Shape& shape, T value) {
  Tensor t = *Tensor::Make(kDTypeOf<T>, shape);
  for (T& x : t.mutable_values<T>()) x = value;
  return t;
}

// Trains a convolution and a layer of weights on pictures of any number, counts steps in a queue and in a loop.
std::string TrainingGraph() {
  GraphBuilder b(DefaultOps().registry());
  const Output images = b.Placeholder(DType::kFloat32, PartialShape::Of({-1, 8, 8, 3}), "images");
  const Output labels = b.Placeholder(DType::kInt32, PartialShape::Of({-1}), "labels");
  const GraphVariable filter = b.Variable("filter", Filled(Shape::Of({3, 3, 3, 8}), 0.1f));
  const GraphVariable weights = b.Variable("weights", Filled(Shape::Of({128, 10}), 0.01f));
  const Output conv = ops::Relu(b, ops::Conv2D(b, images, filter, {1, 1, 1, 1}, "SAME"));
  const Output pooled = ops::MaxPool(b, conv, {1, 2, 2, 1}, {1, 2, 2, 1}, "VALID");
  const Output logits = ops::MatMul(b, ops::Reshape(b, pooled, Tensor::Vector<int32_t>({-1, 128})), weights);
  const Output losses = ops::SparseSoftmaxCrossEntropyWithLogits(b, logits, labels).loss;
  const Output loss = ops::Mean(b, losses, 0);
  AdamOptimizer({.learning_rate = 1e-3f}).Minimize(b, loss, {.name = "train"});
  VariablesInitializer(b, b.variables(), "init");
  const Output queue = ops::FIFOQueueV2(b, {DType::kFloat32}, {.capacity = 4});
  BuilderScope after = b.ControlDependencies({ops::QueueEnqueueV2(b, queue, {loss})});
  const Output dequeued = ops::QueueDequeueV2(b, queue, {DType::kFloat32})[0];
  b.While({0, dequeued}, [&](const Outputs& x) { return x[0] < 5; },
          [&](const Outputs& x) { return Outputs{x[0] + 1, x[1] * 0.5f}; }, {.name = "loop"});
  const absl::StatusOr<Graph> graph = b.Snapshot();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *WriteGraphDef(*graph);
}

class MemoryTest : public testing::Test {
 protected:
  std::unique_ptr<Session> Open() const {
    absl::StatusOr<Graph> graph = ReadGraphDef(graph_def_, DefaultOps().registry());
    EXPECT_TRUE(graph.ok()) << graph.status();
    absl::StatusOr<std::unique_ptr<Session>> session = Session::Create(*std::move(graph), DefaultOps(), {.threads = 2});
    EXPECT_TRUE(session.ok()) << session.status();
    EXPECT_TRUE((*session)->Run({}, {}, {"init"}).ok());
    return *std::move(session);
  }
  static absl::Status Step(Session& session, int batch, int label = 3) {
    return session
        .Run({{"images", Filled(Shape::Of({batch, 8, 8, 3}), 0.5f)}, {"labels", Filled(Shape::Of({batch}), label)}},
             {"loop/Exit_1"}, {"train"})
        .status();
  }

  const std::string graph_def_ = TrainingGraph();
};

TEST_F(MemoryTest, StaysFlatOverSessionsThatComeAndGo) {
  const auto come_and_go = [&] {
    const std::unique_ptr<Session> session = Open();
    ASSERT_TRUE(Step(*session, 2).ok()) << Step(*session, 2);
    EXPECT_EQ(Step(*session, 2, /*label=*/-7).code(), absl::StatusCode::kInvalidArgument);
  };
  for (int i = 0; i < kSessions / 10; ++i) come_and_go();
  const int64_t before = ResidentBytes();
  for (int i = 0; i < kSessions; ++i) come_and_go();
  if (!kCounts) return;
  EXPECT_LT((ResidentBytes() - before) / kSessions, 100) << "bytes a session";
}

TEST_F(MemoryTest, StaysFlatOverInputsOfManyShapes) {
  const std::unique_ptr<Session> session = Open();
  std::mt19937 random(1);
  const auto run = [&](int n) {
    for (int i = 0; i < n; ++i) {
      const absl::Status status = Step(*session, 1 + static_cast<int>(random() % 256));
      ASSERT_TRUE(status.ok()) << status;
    }
  };
  ASSERT_TRUE(Step(*session, 256).ok());
  run(kBatches / 10);
  const int64_t before = ResidentBytes();
  run(kBatches);
  if (!kCounts) return;
  EXPECT_LT(ResidentBytes() - before, 16 << 20) << "bytes";
}

}  // namespace
}  // namespace flowlatch
