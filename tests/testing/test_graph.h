// TestGraph: builds graphs by name, for tests.
#ifndef FLOWLATCH_TESTS_TESTING_TEST_GRAPH_H_
#define FLOWLATCH_TESTS_TESTING_TEST_GRAPH_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/ir/graph.h"

namespace flowlatch {

// Inputs are "node", "node:1" or "^node" and may name nodes that come later. Attributes that the op needs and nobody
// gives: T is int32, N is the number of data inputs.
//
//   TestGraph g(ops.library().registry());
//   g.Const("a", 1);
//   g.Add("sum", "FakeAdd", {"a", "b:0", "^c"});
//   g.Const("b", 2);
//   absl::StatusOr<Graph> graph = g.Build();
class TestGraph {
 public:
  explicit TestGraph(const OpRegistry& registry) : registry_(registry) {}
  TestGraph& Add(std::string name, std::string op, std::vector<std::string> inputs = {}, AttrMap attrs = {});
  // A FakeConst.
  template <typename T>
  TestGraph& Const(std::string name, T value, std::vector<std::string> controls = {}) {
    return Add(std::move(name), "FakeConst", std::move(controls),
               {{"T", kDTypeOf<T>}, {"value", Tensor::Scalar(value)}});
  }
  // for (i = start; i < limit; ++i). Nodes are <frame>/enter, bound (the limit's Enter), merge, cond, switch, body (i
  // in the body), one, next and exit; `next_input` gives the next i in place of <frame>/add = i + 1.
  TestGraph& CountingLoop(const std::string& frame, const std::string& start, const std::string& limit,
                          int parallel_iterations = 10, const std::string& next_input = "");
  // Functions for the graph to call. Nodes may use a function's name as op.
  void set_library(std::shared_ptr<FunctionLibrary> library) { library_ = std::move(library); }

  // The graph, verified. Errors: those of Verify, NotFound for an unknown op or input.
  absl::StatusOr<Graph> Build() const;

 private:
  struct NodeText {
    std::string name, op;
    std::vector<std::string> inputs;
    AttrMap attrs;
  };
  const OpRegistry& registry_;
  std::shared_ptr<FunctionLibrary> library_;
  std::vector<NodeText> nodes_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_TESTING_TEST_GRAPH_H_
