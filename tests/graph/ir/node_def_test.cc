#include "graph/ir/node_def.h"

#include <string>

#include "flowlatch/proto/node_def.pb.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;

std::string Encode(const std::string& text) {
  NodeDef proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return proto.SerializeAsString();
}

TEST(NodeDefsTest, Views) {
  const std::string a = Encode("name: 'a' op: 'Neg' input: ['x:1', '^y'] device: '/cpu:0' attr { key: 'T' value { type: DT_FLOAT } }");
  const std::string b = Encode("name: 'b' op: 'NoOp' input: 'a'");
  NodeDefs defs;
  ASSERT_TRUE(defs.Add(a).ok());
  ASSERT_TRUE(defs.Add(b).ok());
  ASSERT_EQ(defs.nodes().size(), 2u);
  EXPECT_EQ(defs.nodes()[0].name, "a");
  EXPECT_EQ(defs.nodes()[0].op, "Neg");
  EXPECT_EQ(defs.nodes()[0].device, "/cpu:0");
  EXPECT_EQ(defs.nodes()[0].attrs, Encode("attr { key: 'T' value { type: DT_FLOAT } }"));
  EXPECT_THAT(defs.inputs(defs.nodes()[0]), ElementsAre("x:1", "^y"));
  EXPECT_THAT(defs.inputs(defs.nodes()[1]), ElementsAre("a"));
  EXPECT_EQ(defs.num_inputs(), 3);
}

TEST(NodeDefsTest, ErrorsLeaveAViewForTheMessage) {
  NodeDefs defs;
  EXPECT_EQ(defs.Add(Encode("name: 'a' op: 'Neg'") + "\x0a\x05").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(defs.nodes().back().name, "a");
  EXPECT_EQ(defs.Add(Encode("name: 'a' op: 'N\\001'")).code(), absl::StatusCode::kInvalidArgument);
}

TEST(NodeAdderTest, DistinctSetsOfAttributes) {
  const OpRegistry registry;
  Graph graph(registry);
  int rewrites = 0;
  NodeAdder adder(&graph, [&](const OpSchema&, AttrMap attrs) -> absl::StatusOr<AttrMap> {
    ++rewrites;
    return attrs.With("_seen", 1);
  });
  const std::string floats = Encode("attr { key: 'T' value { type: DT_FLOAT } }");
  const std::string ints = Encode("attr { key: 'T' value { type: DT_INT32 } }");
  const OpSchema* neg = adder.FindSchema("Neg");
  ASSERT_NE(neg, nullptr);
  EXPECT_EQ(adder.FindSchema("NoSuchOp"), nullptr);
  for (const auto& [name, attrs] : {std::pair("a", floats), std::pair("b", ints), std::pair("c", floats)}) {
    ASSERT_TRUE(adder.Add({.name = name, .attrs = attrs}, neg).ok());
  }
  EXPECT_EQ(rewrites, 2);
  ASSERT_EQ(adder.distinct().size(), 2u);
  EXPECT_EQ(adder.distinct()[1].node, 1);
  EXPECT_EQ(*graph.node(2).attrs.Find("_seen")->Get<int64_t>(), 1);
  EXPECT_TRUE(graph.node(2).attrs.SharesWith(graph.node(0).attrs));
  EXPECT_EQ(adder.Add({.name = "a", .attrs = floats}, neg).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(adder.Add({.name = "", .attrs = floats}, neg).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(NodeNameTest, Names) {
  for (const char* good : {"a", "A1", ".b", "9", "a/b-c_d.e>f", "a/"}) {
    EXPECT_TRUE(CheckNodeName(good, true).ok()) << good;
  }
  EXPECT_TRUE(CheckNodeName("_a", false).ok());
  EXPECT_FALSE(CheckNodeName("_a", true).ok());
  for (const char* bad : {"", "/a", "-a", ">a", "a b", "a:0", "^a", "a\\b", "\xc3\xa4", "a\n"}) {
    EXPECT_FALSE(CheckNodeName(bad, false).ok()) << bad;
  }
}

TEST(InputNameTest, Forms) {
  const struct {
    const char* text;
    const char* node;
    int index;
  } kCases[] = {
      {"a", "a", 0},         {"a:0", "a", 0},       {"a:12", "a", 12},   {"a/b:3", "a/b", 3},           {"^a", "a", -1},   {"^a:1", "a:1", -1},
      {"", "", 0},           {"^", "", -1},         {":1", ":1", 0},     {"a:", "a:", 0},               {"a:x", "a:x", 0}, {"a:1x", "a:1x", 0},
      {"a:b:2", "a:b", 2},   {"12", "12", 0},       {"a:-1", "a:-1", 0}, {"a:999999999", "a", 999999999}, {"a:1000000000", "a:1000000000", 0},
  };
  for (const auto& c : kCases) {
    const InputName input = ParseInputName(c.text);
    EXPECT_EQ(input.node, c.node) << c.text;
    EXPECT_EQ(input.index, c.index) << c.text;
  }
}

}  // namespace
}  // namespace flowlatch
