#include "graph/ir/graph.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const AttrMap kFloat{{"T", DType::kFloat32}};

// TensorFlow's signatures are enough: nothing runs here.
class GraphTest : public testing::Test {
 protected:
  GraphTest() : graph_(registry_) {}
  NodeId Add(const std::string& name, const std::string& op, std::vector<Port> inputs = {},
             std::vector<NodeId> controls = {}, AttrMap attrs = kFloat, const std::string& device = "") {
    const absl::StatusOr<NodeId> id = graph_.AddNode(name, registry_.Find(op), std::move(attrs), device);
    EXPECT_TRUE(id.ok()) << id.status();
    graph_.SetInputs(*id, inputs, controls);
    return *id;
  }
  NodeId Placeholder(const std::string& name, DType dtype = DType::kFloat32) {
    return Add(name, "Placeholder", {}, {}, {{"dtype", dtype}});
  }
  void ExpectInvalid(const absl::Status& status, const std::string& text) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  }

  OpRegistry registry_;
  Graph graph_;
};

TEST_F(GraphTest, NodesAndEdges) {
  const NodeId x = Placeholder("x");
  const NodeId y = Add("scope/y", "Neg", {{x, 0}}, {}, kFloat, "/cpu:0");
  const NodeId z = Add("z", "AddV2", {{y, 0}, {x, 0}}, {x, y}, kFloat, "/cpu:0");
  EXPECT_EQ(graph_.num_nodes(), 3);
  EXPECT_EQ(graph_.node(z).name, "z");
  EXPECT_EQ(graph_.node(z).op(), "AddV2");
  EXPECT_EQ(graph_.node(z).num_outputs(), 1);
  EXPECT_THAT(graph_.inputs(z), ElementsAre(Port{y, 0}, Port{x, 0}));
  EXPECT_THAT(graph_.control_inputs(z), ElementsAre(Port{x, -1}, Port{y, -1}));
  EXPECT_EQ(graph_.device_name(graph_.node(x)), "");
  EXPECT_EQ(graph_.device_name(graph_.node(z)), "/cpu:0");
  EXPECT_EQ(graph_.node(y).device, graph_.node(z).device);
  EXPECT_EQ(graph_.FindNode("scope/y"), y);
  EXPECT_EQ(graph_.FindNode("y"), std::nullopt);
  EXPECT_EQ(graph_.PortName({z, 0}), "z:0");
  EXPECT_EQ(graph_.PortName({z, -1}), "^z");
  EXPECT_TRUE(Verify(graph_).ok());
  graph_.SetInputs(z, {{x, 0}, {x, 0}}, {});  // wired anew
  EXPECT_THAT(graph_.inputs(z), ElementsAre(Port{x, 0}, Port{x, 0}));
  EXPECT_THAT(graph_.control_inputs(z), ElementsAre());
}

TEST_F(GraphTest, EqualNodesShareTheirTypes) {
  const NodeId a = Add("a", "Neg"), b = Add("b", "Neg"), c = Add("c", "Neg", {}, {}, {{"T", DType::kInt32}});
  EXPECT_EQ(graph_.node(a).types, graph_.node(b).types);
  EXPECT_NE(graph_.node(a).types, graph_.node(c).types);
  EXPECT_EQ(graph_.node(c).types->outputs[0], (PortType{DType::kInt32, false}));
}

TEST_F(GraphTest, AddErrors) {
  Placeholder("x");
  const absl::Status taken = graph_.AddNode("x", registry_.Find("NoOp"), {}).status();
  EXPECT_EQ(taken.code(), absl::StatusCode::kAlreadyExists) << taken;
  EXPECT_THAT(std::string(taken.message()), HasSubstr("node 'x'"));
  ExpectInvalid(graph_.AddNode("y", registry_.Find("Neg"), {}).status(),
                "attr 'T' of op Neg: expected a value of kind type, got none");
  ExpectInvalid(graph_.AddNode("y", registry_.Find("Neg"), {{"T", DType::kString}}).status(),
                "attr 'T' of op Neg: expected one of");
  ExpectInvalid(graph_.AddNode("y", registry_.Find("Neg"), {{"T", "float"}}).status(), "expected type, got string");
  // What was refused leaves no trace.
  EXPECT_EQ(graph_.FindNode("y"), std::nullopt);
  const NodeId y = Placeholder("y");
  EXPECT_EQ(y, graph_.num_nodes() - 1);
  EXPECT_TRUE(Verify(graph_).ok());
}

TEST_F(GraphTest, ParsePort) {
  const NodeId x = Placeholder("x:1"), unique = Add("a/unique", "Unique", {{x, 0}});
  EXPECT_EQ(graph_.ParsePort("a/unique").value(), (Port{unique, 0}));
  EXPECT_EQ(graph_.ParsePort("a/unique:0").value(), (Port{unique, 0}));
  EXPECT_EQ(graph_.ParsePort("a/unique:1").value(), (Port{unique, 1}));
  for (const char* text : {"a/unique:2", "a/unique:-1", "a/unique:2147483647"}) {
    ExpectInvalid(graph_.ParsePort(text).status(), "expected one of the 2 outputs of node 'a/unique' (Unique)");
  }
  for (const char* text : {"", ":", ":0", "a/unique:", "a/unique:x", "a/unique:99999999999", "a/uniqu", "unique"}) {
    EXPECT_EQ(graph_.ParsePort(text).status().code(), absl::StatusCode::kNotFound) << text;
  }
  EXPECT_THAT(std::string(graph_.ParsePort("unique").status().message()),
              HasSubstr("node 'unique': not in the graph; did you mean 'a/unique'?"));
}

TEST_F(GraphTest, VerifyChecksEachEdge) {
  const NodeId x = Placeholder("x"), i = Placeholder("i", DType::kInt32), n = Add("n", "NoOp", {}, {}, {});
  const NodeId v = Add("v", "VariableV2", {}, {}, {{"dtype", DType::kFloat32}, {"shape", PartialShape()}});
  const NodeId y = Add("y", "AddV2");
  ExpectInvalid(Verify(graph_), "node 'y' (AddV2): expected 2 inputs, got 0");
  graph_.SetInputs(y, {{x, 0}, {x, 0}, {x, 0}}, {});
  ExpectInvalid(Verify(graph_), "expected 2 inputs, got 3");
  graph_.SetInputs(y, {{x, 0}, {i, 0}}, {});
  ExpectInvalid(Verify(graph_), "node 'y' (AddV2): input 1: expected float32, got int32 from 'i:0'");
  graph_.SetInputs(y, {{x, 0}, {x, 1}}, {});
  ExpectInvalid(Verify(graph_), "input 1: expected one of the 1 outputs of node 'x', got 1");
  graph_.SetInputs(y, {{n, 0}, {x, 0}}, {});
  ExpectInvalid(Verify(graph_), "input 0: expected one of the 0 outputs of node 'n', got 0");
  graph_.SetInputs(y, {{x, 0}, {v, 0}}, {n});  // a reference serves as a value
  EXPECT_TRUE(Verify(graph_).ok()) << Verify(graph_);
  const NodeId assign = Add("assign", "Assign", {{v, 0}, {x, 0}});
  EXPECT_TRUE(Verify(graph_).ok()) << Verify(graph_);
  graph_.SetInputs(assign, {{x, 0}, {x, 0}}, {});
  ExpectInvalid(Verify(graph_), "node 'assign' (Assign): input 0: expected float32 reference, got float32 from 'x:0'");
}

// Ops that nobody knows take and give everything.
TEST_F(GraphTest, OpaquePortsFitAnything) {
  const NodeId x = Placeholder("x");
  const NodeId odd = graph_.AddNode("odd", graph_.library().OpaqueSchema("Vendor>Odd", 1, 2), {}).value();
  graph_.SetInputs(odd, {{x, 0}}, {});
  Add("y", "AddV2", {{odd, 0}, {odd, 1}});
  EXPECT_TRUE(Verify(graph_).ok()) << Verify(graph_);
}

TEST_F(GraphTest, TopologicalOrder) {
  const NodeId y = Add("y", "AddV2"), n = Add("n", "NoOp", {}, {}, {}), x = Placeholder("x");
  graph_.SetInputs(y, {{x, 0}, {x, 0}}, {n});
  graph_.SetInputs(n, {}, {x});
  EXPECT_THAT(TopologicalOrder(graph_).value(), ElementsAre(x, n, y));
}

TEST_F(GraphTest, LoopsMayCloseThroughNextIterationOnly) {
  const NodeId x = Placeholder("x");
  const NodeId enter = Add("enter", "Enter", {{x, 0}}, {}, kFloat.With("frame_name", "f"));
  const NodeId merge = Add("merge", "Merge", {}, {}, kFloat.With("N", 2));
  const NodeId body = Add("body", "Neg", {{merge, 0}});
  const NodeId next = Add("next", "NextIteration", {{body, 0}});
  for (const bool swapped : {false, true}) {  // 2.36: the back edge may be either input
    const Port in{enter, 0}, back{next, 0};
    graph_.SetInputs(merge, {swapped ? back : in, swapped ? in : back}, {});
    EXPECT_TRUE(Verify(graph_).ok()) << Verify(graph_);
    EXPECT_THAT(TopologicalOrder(graph_).value(), ElementsAre(x, enter, merge, body, next));
  }
  graph_.SetInputs(merge, {{enter, 0}, {enter, 0}}, {next});
  ExpectInvalid(Verify(graph_), "got 3 nodes in or after one: 'merge', 'body', 'next'");
  graph_.SetInputs(merge, {{enter, 0}, {body, 0}}, {});
  ExpectInvalid(Verify(graph_), "expected no cycle but from NextIteration to Merge");
  const NodeId self = Add("self", "Neg");
  graph_.SetInputs(merge, {{enter, 0}, {next, 0}}, {});
  graph_.SetInputs(self, {{self, 0}}, {});
  ExpectInvalid(Verify(graph_), "got 1 nodes in or after one: 'self'");
}

TEST_F(GraphTest, LongChains) {
  NodeId last = Placeholder("x");
  constexpr int kNodes = 100000;
  for (int i = 0; i < kNodes; ++i) last = Add("n" + std::to_string(i), "Neg", {{last, 0}});
  const auto order = TopologicalOrder(graph_);
  ASSERT_TRUE(order.ok());
  EXPECT_TRUE(std::is_sorted(order->begin(), order->end()));
}

TEST_F(GraphTest, ClonesStandAlone) {
  std::optional<Graph> original(std::in_place, registry_);
  std::swap(*original, graph_);
  const auto add = [&](Graph& g, const std::string& name) {
    return g.AddNode(name, registry_.Find("Neg"), kFloat, "/cpu:0").value();
  };
  const NodeId a = add(*original, "a"), b = add(*original, "b");
  original->SetInputs(b, {{a, 0}}, {a});
  original->producer = 7;
  original->min_consumer = 3;
  original->bad_consumers = {5};
  Graph copy = original->Clone();
  add(copy, "c");
  EXPECT_EQ(original->num_nodes(), 2);
  const FunctionLibrary* library = &original->library();
  original.reset();
  EXPECT_EQ(copy.num_nodes(), 3);
  EXPECT_EQ(copy.FindNode("b"), b);
  EXPECT_EQ(copy.node(a).name, "a");
  EXPECT_EQ(copy.node(a).types, copy.node(copy.FindNode("c").value()).types);
  EXPECT_THAT(copy.node(a).types->inputs, ElementsAre(PortType{DType::kFloat32, false}));
  EXPECT_EQ(copy.device_name(copy.node(b)), "/cpu:0");
  EXPECT_THAT(copy.inputs(b), ElementsAre(Port{a, 0}));
  EXPECT_THAT(copy.control_inputs(b), ElementsAre(Port{a, -1}));
  EXPECT_EQ(copy.producer, 7);
  EXPECT_EQ(copy.min_consumer, 3);
  EXPECT_THAT(copy.bad_consumers, ElementsAre(5));
  EXPECT_EQ(&copy.library(), library);
}

}  // namespace
}  // namespace flowlatch
