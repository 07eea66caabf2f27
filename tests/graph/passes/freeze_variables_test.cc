#include "graph/passes/freeze_variables.h"

#include "gmock/gmock.h"
#include "graph/io/graph_def.h"
#include "gtest/gtest.h"
#include "tests/testing/fake_ops.h"

namespace flowlatch {
namespace {

using testing::HasSubstr;

class FreezeVariablesTest : public testing::Test {
 protected:
  Graph Read(const std::string& text) {
    absl::StatusOr<Graph> graph = ReadGraphDefText(text, ops_.library().registry());
    EXPECT_TRUE(graph.ok()) << graph.status();
    return *std::move(graph);
  }
  static const Node* Find(const Graph& graph, const std::string& name) {
    const std::optional<NodeId> id = graph.FindNode(name);
    return id.has_value() ? &graph.node(*id) : nullptr;
  }
  static std::string Op(const Graph& graph, const std::string& name) {
    const Node* node = Find(graph, name);
    return node != nullptr ? node->op() : "";
  }
  FakeOps ops_;
};

constexpr char kVariables[] = R"(
  node { name: "r" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape { dim { size: 2 } } } } }
  node { name: "r/read" op: "Identity" input: "r" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "zero" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: 0 } } } }
  node { name: "r/Assign" op: "Assign" input: "r" input: "zero" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "h" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape { dim { size: 2 } } } } attr { key: "shared_name" value { s: "h" } } }
  node { name: "h/copy" op: "Identity" input: "h" attr { key: "T" value { type: DT_RESOURCE } } }
  node { name: "h/read" op: "ReadVariableOp" input: "h/copy" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "h/shape" op: "VariableShape" input: "h" attr { key: "out_type" value { type: DT_INT64 } } }
  node { name: "i" op: "Const" attr { key: "dtype" value { type: DT_INT64 } }
         attr { key: "value" value { tensor { dtype: DT_INT64 tensor_shape { } int64_val: 1 } } } }
  node { name: "row" op: "ResourceGather" input: "h" input: "i" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "Tindices" value { type: DT_INT64 } } }
  node { name: "sum" op: "AddV2" input: "r/read" input: "h/read" input: "^row" input: "^h/shape"
         attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "late" op: "Identity" input: "r/read" input: "^r/Assign" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "set" op: "AssignVariableOp" input: "h" input: "zero" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "after" op: "Identity" input: "zero" input: "^set" attr { key: "T" value { type: DT_FLOAT } } }
)";

TEST_F(FreezeVariablesTest, ReadsBecomeConstants) {
  const Graph graph = Read(kVariables);
  const Tensor r = *Tensor::FromValues<float>(Shape::Of({2}), {1, 2}),
               h = *Tensor::FromValues<float>(Shape::Of({2}), {3, 4});
  const absl::StatusOr<Graph> frozen = FreezeVariables(graph, {*graph.ParsePort("sum")}, {{"r", r}, {"h", h}});
  ASSERT_TRUE(frozen.ok()) << frozen.status();
  EXPECT_EQ(frozen->num_nodes(), 9) << "what the sum needs";
  EXPECT_EQ(Op(*frozen, "r"), "Const");
  EXPECT_EQ(Op(*frozen, "r/read"), "Identity");
  EXPECT_EQ(Op(*frozen, "h"), "Const");
  EXPECT_EQ(Op(*frozen, "h/copy"), "Identity");
  EXPECT_EQ(Op(*frozen, "h/read"), "Identity");
  EXPECT_EQ(Op(*frozen, "h/shape"), "Shape");
  EXPECT_EQ(Op(*frozen, "row"), "Gather");
  EXPECT_EQ(Find(*frozen, "h")->attrs.Find("value")->Get<Tensor>()->data<float>()[1], 4);
  EXPECT_EQ(Find(*frozen, "h/shape")->types->outputs[0].dtype, DType::kInt64);
  EXPECT_TRUE(FreezeVariables(*frozen, {*frozen->ParsePort("sum")}, {}).ok()) << "nothing is left to freeze";
}

TEST_F(FreezeVariablesTest, Errors) {
  const Graph graph = Read(kVariables);
  const Tensor value = *Tensor::FromValues<float>(Shape::Of({2}), {1, 2});
  const absl::Status missing = FreezeVariables(graph, {*graph.ParsePort("sum")}, {{"r", value}}).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("variable 'h'"));
  for (const char* output : {"late", "after"}) {
    const absl::Status changed =
        FreezeVariables(graph, {*graph.ParsePort(output)}, {{"r", value}, {"h", value}}).status();
    EXPECT_EQ(changed.code(), absl::StatusCode::kInvalidArgument) << output;
    EXPECT_THAT(std::string(changed.message()), HasSubstr("only read")) << output;
  }
}

}  // namespace
}  // namespace flowlatch
