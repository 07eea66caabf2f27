// What a node costs that is written in C++, what its gradient costs, and what a loop costs forward and backward.
//
// BuildChain: us_per_node of binary ops, bytes_per_node. BuildGradients: us_per_op of the forward graph; linear, so the figures of all
// sizes are alike. ForwardAndBackward: ns_per_iteration of a scalar while loop of 1000 iterations with its gradient, one thread.
#include <malloc.h>

#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "graph/build/gradients.h"
#include "ops/default_ops.h"
#include "runtime/session/session.h"

namespace flowlatch {
namespace {

size_t UsedBytes() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

Output Chain(GraphBuilder& b, int64_t length) {
  const Output x = b.Placeholder(DType::kFloat32, Shape::Of({8}), "x");
  const Output w = b.Placeholder(DType::kFloat32, Shape::Of({8}), "w");
  Output y = x;
  for (int64_t i = 0; i < length; ++i) {
    switch (i % 4) {
      case 0: y = y + w; break;
      case 1: y = y * w; break;
      case 2: y = b.Op("Tanh", {y}).output(); break;
      default: y = y - x; break;
    }
  }
  return y;
}

void Rate(benchmark::State& state, const char* name, double per) {
  state.counters[name] =
      benchmark::Counter(static_cast<double>(state.iterations()) * per, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void BuildChain(benchmark::State& state) {
  size_t bytes = 0;
  for (auto _ : state) {
    const size_t before = UsedBytes();
    GraphBuilder b(DefaultOps().registry());
    benchmark::DoNotOptimize(Chain(b, state.range(0)));
    if (!b.ok()) state.SkipWithError(std::string(b.status().message()).c_str());
    bytes = UsedBytes() - before;
  }
  Rate(state, "us_per_node", static_cast<double>(state.range(0)) / 1e6);
  state.counters["bytes_per_node"] = static_cast<double>(bytes) / static_cast<double>(state.range(0));
}
BENCHMARK(BuildChain)->Arg(1000)->Arg(100000)->Arg(1000000)->Unit(benchmark::kMillisecond);

void BuildGradients(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    GraphBuilder b(DefaultOps().registry());
    const Output y = Chain(b, state.range(0));
    const Output x = b.Find("x");
    state.ResumeTiming();
    benchmark::DoNotOptimize(Gradients(b, {y}, {x}));
    if (!b.ok()) state.SkipWithError(std::string(b.status().message()).c_str());
  }
  Rate(state, "us_per_op", static_cast<double>(state.range(0)) / 1e6);
}
BENCHMARK(BuildGradients)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

// x * w^1000 by a loop, and d/dw.
void ForwardAndBackward(benchmark::State& state) {
  GraphBuilder b(DefaultOps().registry());
  const Output x = b.Placeholder(DType::kFloat32, Shape(), "x"), w = b.Placeholder(DType::kFloat32, Shape(), "w");
  const Outputs r = b.While({0, x}, [&](const Outputs& v) { return v[0] < 1000; }, [&](const Outputs& v) { return Outputs{v[0] + 1, v[1] * w}; });
  const Output gradient = Gradients(b, {r[1]}, {w})[0];
  const std::string fetches[] = {r[1].name(), gradient.name()};
  absl::StatusOr<Graph> graph = b.Build();
  if (!graph.ok()) return state.SkipWithError(graph.status().ToString().c_str());
  const auto session = Session::Create(*std::move(graph), DefaultOps(), {.threads = 1}).value();
  const Callable callable = session->Prepare({"x:0", "w:0"}, {fetches[0], fetches[1]}, {}).value();
  const std::vector<Tensor> inputs{Tensor::Scalar(1.0f), Tensor::Scalar(1.001f)};
  std::vector<Tensor> outputs;
  for (auto _ : state) {
    const absl::Status status = callable.Run(inputs, &outputs);
    if (!status.ok()) state.SkipWithError(status.ToString().c_str());
  }
  Rate(state, "ns_per_iteration", 1000 / 1e9);
}
BENCHMARK(ForwardAndBackward)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace flowlatch
