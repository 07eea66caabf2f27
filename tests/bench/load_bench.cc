// What loading costs a node: bytes to Graph, and all the way to the first answer. Linear, so the figures of both sizes
// are alike.
#include <malloc.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "graph/io/graph_def.h"
#include "ops/default_ops.h"
#include "runtime/session/session.h"

namespace flowlatch {
namespace {

// A placeholder and `num_nodes` binary ops under it, each of which takes the last node and an earlier one.
std::string GraphBytes(int num_nodes) {
  Graph graph(DefaultOps().registry());
  graph.producer = kGraphVersion;
  const OpRegistry& registry = graph.registry();
  const NodeId x =
      graph.AddNode("x", registry.Find("Placeholder"), {{"dtype", DType::kFloat32}, {"shape", PartialShape::Of({})}})
          .value();
  const OpSchema* ops[] = {registry.Find("AddV2"), registry.Find("Maximum"), registry.Find("Minimum"),
                           registry.Find("Sub")};
  for (int i = 0; i < num_nodes; ++i) {
    const NodeId id =
        graph.AddNode(absl::StrCat("scope_", i % 100, "/node_", i), ops[i % 4], {{"T", DType::kFloat32}}).value();
    graph.SetInputs(id, {{i == 0 ? x : id - 1, 0}, {static_cast<NodeId>(i * int64_t{7919} % (i + 1)), 0}}, {});
  }
  return WriteGraphDef(graph).value();
}

void PerNode(benchmark::State& state) {
  state.counters["us_per_node"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(state.range(0)) / 1e6,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void ReadGraph(benchmark::State& state) {
  const std::string bytes = GraphBytes(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    const Graph graph = ReadGraphDef(bytes, DefaultOps().registry()).value();
    benchmark::DoNotOptimize(graph.num_nodes());
  }
  PerNode(state);
  const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  const Graph graph = ReadGraphDef(bytes, DefaultOps().registry()).value();
  state.counters["bytes_per_node"] =
      static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd - before) / static_cast<double>(state.range(0));
}
BENCHMARK(ReadGraph)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

void LoadAndRun(benchmark::State& state) {
  const std::string bytes = GraphBytes(static_cast<int>(state.range(0)));
  const std::string last = absl::StrCat("scope_", (state.range(0) - 1) % 100, "/node_", state.range(0) - 1);
  for (auto _ : state) {
    Graph graph = ReadGraphDef(bytes, DefaultOps().registry()).value();
    const auto session = Session::Create(std::move(graph), DefaultOps(), {.threads = 1}).value();
    benchmark::DoNotOptimize(session->Run({{"x", Tensor::Scalar(1.0f)}}, {last}, {}).value());
  }
  PerNode(state);
}
BENCHMARK(LoadAndRun)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

void WriteGraph(benchmark::State& state) {
  const Graph graph = ReadGraphDef(GraphBytes(static_cast<int>(state.range(0))), DefaultOps().registry()).value();
  for (auto _ : state) benchmark::DoNotOptimize(WriteGraphDef(graph).value());
  PerNode(state);
}
BENCHMARK(WriteGraph)->Arg(100000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace flowlatch
