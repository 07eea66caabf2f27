// What a node, a loop iteration and a call cost. Compare figures of one run only: machines are shared and noisy.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "ops/default_ops.h"
#include "runtime/session/session.h"

namespace flowlatch {
namespace {

// Adds nodes by name; a mistake in a benchmark ends the program.
class Nodes {
 public:
  Nodes() : graph_(DefaultOps().registry()) {}
  NodeId Add(const std::string& op, const AttrMap& attrs, std::vector<Port> inputs, std::vector<NodeId> controls = {}) {
    const NodeId id = graph_.AddNode(absl::StrCat(op, "_", graph_.num_nodes()), graph_.registry().Find(op), attrs).value();
    graph_.SetInputs(id, inputs, controls);
    return id;
  }
  template <typename T>
  NodeId Constant(T value, std::vector<NodeId> controls = {}) {
    return Add("Const", {{"dtype", kDTypeOf<T>}, {"value", Tensor::Scalar(value)}}, {}, std::move(controls));
  }
  NodeId Placeholder(DType dtype) { return Add("Placeholder", {{"dtype", dtype}}, {}); }
  void SetInputs(NodeId id, std::vector<Port> inputs) { graph_.SetInputs(id, inputs, {}); }
  std::string Name(NodeId id) const { return std::string(graph_.node(id).name); }
  std::unique_ptr<Session> Start() { return Session::Create(std::move(graph_), DefaultOps(), {.threads = 1}).value(); }

 private:
  Graph graph_;
};

const AttrMap kFloat = {{"T", DType::kFloat32}};
const AttrMap kInt = {{"T", DType::kInt32}};

void RunCallable(benchmark::State& state, Session& session, const std::vector<std::string>& feeds, const std::vector<Tensor>& inputs,
                 const std::vector<std::string>& fetches, const std::vector<std::string>& targets, int64_t items) {
  const Callable call = session.Prepare(feeds, fetches, targets).value();
  std::vector<Tensor> outputs;
  for (auto _ : state) {
    const absl::Status status = call.Run(inputs, &outputs);
    if (!status.ok()) {
      state.SkipWithError(status.ToString().c_str());
      break;
    }
  }
  state.SetItemsProcessed(state.iterations() * items);
}

void NullChain(benchmark::State& state) {
  Nodes nodes;
  NodeId last = nodes.Add("NoOp", {}, {});
  for (int i = 1; i < 10000; ++i) last = nodes.Add("NoOp", {}, {}, {last});
  const std::string target = nodes.Name(last);
  RunCallable(state, *nodes.Start(), {}, {}, {}, {target}, 10000);
}
BENCHMARK(NullChain);

void ScalarChain(benchmark::State& state) {
  Nodes nodes;
  const NodeId x = nodes.Placeholder(DType::kFloat32);
  Port last{x, 0};
  for (int i = 0; i < 5000; ++i) {
    last = {nodes.Add("Mul", kFloat, {last, {x, 0}}), 0};
    last = {nodes.Add("Sub", kFloat, {last, {x, 0}}), 0};
  }
  const std::string feed = nodes.Name(x), fetch = nodes.Name(last.node);
  RunCallable(state, *nodes.Start(), {feed}, {Tensor::Scalar(0.5f)}, {fetch}, {}, 10000);
}
BENCHMARK(ScalarChain);

void AddTwoScalars(benchmark::State& state) {
  Nodes nodes;
  const NodeId x = nodes.Placeholder(DType::kFloat32), y = nodes.Placeholder(DType::kFloat32);
  const NodeId sum = nodes.Add("AddV2", kFloat, {{x, 0}, {y, 0}});
  const std::vector<std::string> feeds = {nodes.Name(x), nodes.Name(y)};
  const std::string fetch = nodes.Name(sum);
  RunCallable(state, *nodes.Start(), feeds, {Tensor::Scalar(1.f), Tensor::Scalar(2.f)}, {fetch}, {}, 1);
}
BENCHMARK(AddTwoScalars);

void AddTwoScalarsByName(benchmark::State& state) {
  Nodes nodes;
  const NodeId x = nodes.Placeholder(DType::kFloat32), y = nodes.Placeholder(DType::kFloat32);
  const NodeId sum = nodes.Add("AddV2", kFloat, {{x, 0}, {y, 0}});
  const Feeds feeds = {{nodes.Name(x), Tensor::Scalar(1.f)}, {nodes.Name(y), Tensor::Scalar(2.f)}};
  const std::vector<std::string> fetches = {nodes.Name(sum)};
  const std::unique_ptr<Session> session = nodes.Start();
  for (auto _ : state) {
    const auto out = session->Run(feeds, fetches, {});
    if (!out.ok()) state.SkipWithError(out.status().ToString().c_str());
  }
}
BENCHMARK(AddTwoScalarsByName);

AttrMap EnterAttrs(const std::string& frame, bool constant) {
  return {{"T", DType::kInt32}, {"frame_name", frame}, {"is_constant", constant}, {"parallel_iterations", 10}};
}

// for (i = start; i < limit; ++i): returns the Exit of i.
NodeId CountingLoop(Nodes& nodes, const std::string& frame, Port start, Port limit) {
  const NodeId enter = nodes.Add("Enter", EnterAttrs(frame, false), {start});
  const NodeId bound = nodes.Add("Enter", EnterAttrs(frame, true), {limit});
  const NodeId merge = nodes.Add("Merge", {{"T", DType::kInt32}, {"N", 2}}, {{enter, 0}, {enter, 0}});
  const NodeId less = nodes.Add("Less", kInt, {{merge, 0}, {bound, 0}});
  const NodeId condition = nodes.Add("LoopCond", {}, {{less, 0}});
  const NodeId sw = nodes.Add("Switch", kInt, {{merge, 0}, {condition, 0}});
  const NodeId body = nodes.Add("Identity", kInt, {{sw, 1}});
  const NodeId one = nodes.Constant<int32_t>(1, {body});
  const NodeId add = nodes.Add("AddV2", kInt, {{body, 0}, {one, 0}});
  const NodeId next = nodes.Add("NextIteration", kInt, {{add, 0}});
  nodes.SetInputs(merge, {{enter, 0}, {next, 0}});
  return nodes.Add("Exit", kInt, {{sw, 0}});
}

void WhileCounter(benchmark::State& state) {
  constexpr int kIterations = 10000;
  Nodes nodes;
  const NodeId zero = nodes.Constant<int32_t>(0), limit = nodes.Placeholder(DType::kInt32);
  const NodeId exit = CountingLoop(nodes, "loop", {zero, 0}, {limit, 0});
  const std::string feed = nodes.Name(limit), fetch = nodes.Name(exit);
  RunCallable(state, *nodes.Start(), {feed}, {Tensor::Scalar<int32_t>(kIterations)}, {fetch}, {}, kIterations);
}
BENCHMARK(WhileCounter);

}  // namespace
}  // namespace flowlatch
