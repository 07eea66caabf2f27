#include "graph/ir/node_def.h"

#include "flowlatch/proto/node_def.pb.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "graph/ir/graph.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

NodeDef FromText(const std::string& text) {
  NodeDef proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return proto;
}

TEST(InputNameTest, Forms) {
  const struct {
    const char* text;
    const char* node;
    int32_t index;
  } kCases[] = {{"a", "a", 0},         {"a:0", "a", 0},
                {"a/b:12", "a/b", 12}, {"^a", "a", -1},
                {"^a:1", "a:1", -1},   {"", "", 0},
                {":1", ":1", 0},       {"a:", "a:", 0},
                {"a:x", "a:x", 0},     {"a1", "a1", 0},
                {"a:1:2", "a:1", 2},   {"^", "", -1},
                {"a:-1", "a:-1", 0},   {"a:9999999999", "a:9999999999", 0}};
  for (const auto& c : kCases) {
    const InputName got = ParseInputName(c.text);
    EXPECT_EQ(got.node, c.node) << c.text;
    EXPECT_EQ(got.index, c.index) << c.text;
  }
}

TEST(NodeNameTest, Characters) {
  for (const char* name : {"a", "A0_.-/>", ".a", "0", "a-b"}) EXPECT_TRUE(CheckNodeName(name, true).ok()) << name;
  for (const char* name : {"", "-a", "/a", ">a", "a b", "a:0", "^a", "\xc3\xa4", "a\n"}) {
    for (const bool strict : {false, true}) {
      const absl::Status status = CheckNodeName(name, strict);
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
      EXPECT_THAT(std::string(status.message()), HasSubstr("name: expected"));
    }
  }
  EXPECT_TRUE(CheckNodeName("_a", false).ok());  // 12.16
  EXPECT_FALSE(CheckNodeName("_a", true).ok());
}

TEST(NodeDefsTest, ViewsOfEncodedNodes) {
  const std::string a =
      FromText("name: 'a' op: 'Neg' input: ['x', '^y'] device: '/cpu:0' attr { key: 'T' value { type: DT_FLOAT } }")
          .SerializeAsString();
  const std::string b = FromText("name: 'b' op: 'NoOp'").SerializeAsString();
  NodeDefs defs;
  ASSERT_TRUE(defs.Add(a).ok());
  ASSERT_TRUE(defs.Add(b).ok());
  ASSERT_EQ(defs.nodes().size(), 2u);
  EXPECT_EQ(defs.nodes()[0].name, "a");
  EXPECT_EQ(defs.nodes()[0].device, "/cpu:0");
  EXPECT_THAT(defs.inputs(defs.nodes()[0]), ElementsAre("x", "^y"));
  EXPECT_THAT(defs.inputs(defs.nodes()[1]), ElementsAre());
  EXPECT_EQ(defs.nodes()[1].op, "NoOp");
}

TEST(NodeDefsTest, MalformedBytes) {
  const std::string good =
      FromText("name: 'a' op: 'Neg' input: 'x' attr { key: 'T' value { type: DT_FLOAT } }").SerializeAsString();
  for (size_t size = 0; size <= good.size(); ++size) {
    NodeDefs defs;
    NodeDef proto;
    const std::string_view bytes = std::string_view(good).substr(0, size);
    // Attributes are decoded later, so what protobuf refuses at this point may pass here, but not the other way.
    if (proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      EXPECT_TRUE(defs.Add(bytes).ok()) << size;
    } else {
      defs.Add(bytes).IgnoreError();
    }
  }
  NodeDefs defs;
  EXPECT_EQ(defs.Add("\x0a\x7f").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(defs.Add(FromText("name: 'a' op: 'N\\001'").SerializeAsString()).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(NodeAdderTest, EqualAttributesAreShared) {
  const OpRegistry registry;
  Graph graph(registry);
  NodeDefs defs;
  const std::string neg =
      " op: 'Conv2D' attr { key: 'T' value { type: DT_FLOAT } } attr { key: 'strides' value { list { i: [1, 1, 1, 1] } "
      "} } "
      "attr { key: 'padding' value { s: 'SAME' } }";
  const std::string a = FromText("name: 'a'" + neg).SerializeAsString(),
                    b = FromText("name: 'b'" + neg).SerializeAsString();
  ASSERT_TRUE(defs.Add(a).ok() && defs.Add(b).ok());
  NodeAdder adder(&graph);
  const OpSchema* schema = adder.FindSchema("Conv2D");
  ASSERT_NE(schema, nullptr);
  for (const NodeView& node : defs.nodes()) ASSERT_TRUE(adder.Add(node, schema).ok());
  EXPECT_TRUE(graph.node(0).attrs.SharesWith(graph.node(1).attrs));
  EXPECT_EQ(graph.node(0).types, graph.node(1).types);
  EXPECT_EQ(*graph.node(0).attrs.Find("padding")->Get<std::string>(), "SAME");
  EXPECT_EQ(adder.FindSchema("Nonsense"), nullptr);
  EXPECT_EQ(adder.Add(defs.nodes()[0], schema).status().code(),
            absl::StatusCode::kInvalidArgument);  // the name is taken
}

}  // namespace
}  // namespace flowlatch
