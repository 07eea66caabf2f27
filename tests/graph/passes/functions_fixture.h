// What tests of the passes over functions share.
#ifndef FLOWLATCH_TESTS_GRAPH_PASSES_FUNCTIONS_FIXTURE_H_
#define FLOWLATCH_TESTS_GRAPH_PASSES_FUNCTIONS_FIXTURE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/fake_ops.h"
#include "tests/testing/test_functions.h"
#include "tests/testing/test_graph.h"

namespace flowlatch {

inline constexpr char kInt[] = "T=type:DT_INT32";
inline constexpr char kOne[] = "T=type:DT_INT32;value=tensor{dtype:DT_INT32,tensor_shape{},int_val:1}";

// "Op(a:0, b:1, ^c)" of a node; "" if there is none.
inline std::string Describe(const Graph& graph, std::string_view name) {
  const std::optional<NodeId> id = graph.FindNode(name);
  if (!id.has_value()) return "";
  std::string text = graph.node(*id).op() + "(";
  const auto add = [&](Port port) {
    if (text.back() != '(') text += ", ";
    text += graph.PortName(port);
  };
  for (const Port port : graph.inputs(*id)) add(port);
  for (const Port port : graph.control_inputs(*id)) add(port);
  return text + ")";
}

inline const Attr& AttrOf(const Graph& graph, std::string_view node, std::string_view attr) {
  return *graph.node(*graph.FindNode(node)).attrs.Find(attr);
}

class FunctionsTest : public testing::Test {
 protected:
  FunctionsTest()
      : g_(ops_.library().registry()), functions_(std::make_shared<FunctionLibrary>(ops_.library().registry())) {
    g_.set_library(functions_);
  }
  void AddFunction(const FunctionText& text) {
    const absl::Status status = functions_->Add(Define(text));
    ASSERT_TRUE(status.ok()) << status;
  }
  Graph Build() {
    absl::StatusOr<Graph> graph = g_.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    return graph.ok() ? *std::move(graph) : Graph(ops_.library().registry());
  }
  static AttrMap CallOf(std::string function, std::vector<DType> in, std::vector<DType> out) {
    return {{"Tin", std::move(in)}, {"Tout", std::move(out)}, {"f", FunctionRef{std::move(function), {}}}};
  }

  FakeOps ops_;
  TestGraph g_;
  std::shared_ptr<FunctionLibrary> functions_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_GRAPH_PASSES_FUNCTIONS_FIXTURE_H_
