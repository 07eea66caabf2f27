#include "graph/io/graph_def.h"

#include <string>
#include <vector>

#include "flowlatch/proto/graph.pb.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const OpRegistry& Registry() {
  static const auto* registry = new OpRegistry;  // TensorFlow's signatures are enough
  return *registry;
}

GraphDef Parse(const std::string& text) {
  GraphDef proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return proto;
}

absl::StatusOr<Graph> Read(const std::string& text, const ReadOptions& options = {}) {
  return GraphFromProto(Parse(text), Registry(), options);
}

constexpr char kFloatT[] = "attr { key: 'T' value { type: DT_FLOAT } } ";
// Nodes of one output: a float and an int32 placeholder.
constexpr char kX[] = "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } ";
constexpr char kI[] = "node { name: 'i' op: 'Placeholder' attr { key: 'dtype' value { type: DT_INT32 } } } ";

std::string NodeOf(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                   const std::string& attrs = kFloatT) {
  std::string text = "node { name: '" + name + "' op: '" + op + "' ";
  for (const std::string& input : inputs) text += "input: '" + input + "' ";
  return text + attrs + "} ";
}

TEST(ReadTest, NodesEdgesAttributes) {
  const auto graph =
      Read(NodeOf("y", "AddV2", {"x", "s:1", "^i", "^x", "^i"}) + kX + kI +
           NodeOf("s", "Split", {"i:0", "x"}, std::string(kFloatT) + "attr { key: 'num_split' value { i: 2 } }") +
           "versions { producer: 30 min_consumer: 12 bad_consumers: 5 }");
  ASSERT_TRUE(graph.ok()) << graph.status();
  ASSERT_EQ(graph->num_nodes(), 4);
  EXPECT_EQ(graph->node(0).name, "y");
  EXPECT_EQ(graph->node(0).op(), "AddV2");
  EXPECT_THAT(graph->inputs(0), ElementsAre(Port{1, 0}, Port{3, 1}));
  EXPECT_THAT(graph->control_inputs(0), ElementsAre(Port{2, -1}, Port{1, -1}));
  EXPECT_THAT(graph->inputs(3), ElementsAre(Port{2, 0}, Port{1, 0}));
  EXPECT_EQ(*graph->node(3).attrs.Find("num_split")->Get<int64_t>(), 2);
  EXPECT_EQ(graph->producer, 30);
  EXPECT_EQ(graph->min_consumer, 12);
  EXPECT_THAT(graph->bad_consumers, ElementsAre(5));
}

TEST(ReadTest, Devices) {
  const auto graph = Read(std::string(kX) + "node { name: 'y' op: 'Neg' input: 'x' device: '/cpu:0' " + kFloatT + "}");
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->device_name(graph->node(0)), "");
  EXPECT_EQ(graph->device_name(graph->node(1)), "/cpu:0");
}

TEST(ReadTest, EqualAttributesAreShared) {
  // Map entries have no order on the wire, so try both.
  const auto entry = [](const char* name, DataType type) {
    NodeDef one;
    (*one.mutable_attr())[name].set_type(type);
    return one.SerializeAsString();
  };
  const auto node = [](const char* name, const std::string& attrs) {
    NodeDef proto;
    proto.set_name(name);
    proto.set_op("Cast");
    proto.add_input("x");
    GraphDef graph;
    *graph.add_node() = proto;
    const std::string bytes = proto.SerializeAsString() + attrs;
    return std::string("\x0a") + static_cast<char>(bytes.size()) + bytes;
  };
  const std::string src = entry("SrcT", DT_FLOAT), dst = entry("DstT", DT_INT32);
  const auto graph = ReadGraphDef(
      Parse(kX).SerializeAsString() + node("a", src + dst) + node("b", src + dst) + node("c", dst + src), Registry());
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->node(1).attrs.entries().size(), 2u);
  EXPECT_TRUE(graph->node(1).attrs.SharesWith(graph->node(2).attrs));
  EXPECT_TRUE(graph->node(1).attrs.SharesWith(graph->node(3).attrs));
  EXPECT_EQ(graph->node(1).types, graph->node(3).types);
}

TEST(ReadTest, OfEqualAttributeNamesTheLastCounts) {
  const std::string once = Parse("node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }")
                               .node(0)
                               .SerializeAsString();
  const std::string again =
      Parse("node { attr { key: 'dtype' value { type: DT_INT32 } } }").node(0).SerializeAsString();
  const std::string bytes = once + again;
  const auto graph = ReadGraphDef(std::string("\x0a") + static_cast<char>(bytes.size()) + bytes, Registry());
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->node(0).types->outputs[0].dtype, DType::kInt32);
}

TEST(ReadTest, AttributesInSeveralPieces) {
  const std::string dtype =
      Parse("node { attr { key: 'dtype' value { type: DT_FLOAT } } }").node(0).SerializeAsString();
  const std::string shape = Parse("node { attr { key: 'shape' value { shape { } } } }").node(0).SerializeAsString();
  const std::string names = Parse("node { name: 'x' op: 'Placeholder' }").node(0).SerializeAsString();
  const std::string bytes = dtype + names + shape;
  const auto graph = ReadGraphDef(std::string("\x0a") + static_cast<char>(bytes.size()) + bytes, Registry());
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->node(0).attrs.entries().size(), 2u);
}

TEST(ReadTest, PlaceholdersOfOldGraphsHaveNoShape) {
  const std::string node =
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'shape' value { "
      "shape { } } } } ";
  const auto shape = [&](int producer) {
    const auto graph = Read(node + "versions { producer: " + std::to_string(producer) + " }");
    return graph->node(0).attrs.Find("shape")->ToString();
  };
  EXPECT_EQ(shape(21), "?");
  EXPECT_EQ(shape(22), "[]");
}

TEST(ReadTest, OldVersionField) {
  EXPECT_EQ(Read("version: 7")->producer, 7);
  EXPECT_EQ(Read("version: 7 versions { producer: 8 }")->producer, 8);
}

TEST(ReadTest, UnknownOpsAreOpaque) {
  const auto graph =
      Read(std::string(kX) + NodeOf("u", "Mystery", {"x", "x", "^x"}, "attr { key: 'what' value { s: 'ever' } }") +
           NodeOf("y", "AddV2", {"u:2", "u"}) + NodeOf("end", "Mystery", {"y"}, ""));
  ASSERT_TRUE(graph.ok()) << graph.status();
  const Node& u = graph->node(1);
  EXPECT_TRUE(u.schema->is_opaque());
  EXPECT_EQ(u.types->inputs.size(), 2u);
  EXPECT_EQ(u.num_outputs(), 3);
  EXPECT_EQ(*u.attrs.Find("what")->Get<std::string>(), "ever");
  EXPECT_EQ(graph->node(3).num_outputs(), 0);
  EXPECT_EQ(*WriteGraphDef(*graph), *WriteGraphDef(*GraphFromProto(*GraphToProto(*graph), Registry())));
}

TEST(ReadTest, ReferencesServeAsValuesOnly) {
  const std::string variable =
      "node { name: 'v' op: 'VariableV2' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'shape' value { "
      "shape { } } } } ";
  EXPECT_TRUE(Read(std::string(kX) + variable + NodeOf("a", "Assign", {"v", "x"}) + NodeOf("y", "Neg", {"v"})).ok());
  EXPECT_THAT(std::string(Read(std::string(kX) + NodeOf("a", "Assign", {"x", "x"})).status().message()),
              HasSubstr("float32 reference"));
}

TEST(ReadTest, LoopsCloseThroughNextIteration) {
  const std::string frame = std::string(kFloatT) + "attr { key: 'frame_name' value { s: 'f' } }";
  const std::string n = "attr { key: 'N' value { i: 2 } }";
  EXPECT_TRUE(Read(std::string(kX) + NodeOf("e", "Enter", {"x"}, frame) +
                   NodeOf("m", "Merge", {"e", "n"}, kFloatT + n) + NodeOf("n", "NextIteration", {"m"}))
                  .ok());
}

const char kFunction[] =
    "library { function { signature { name: 'F' input_arg { name: 'a' type: DT_FLOAT } output_arg { name: 'r' type: "
    "DT_FLOAT } } "
    "node_def { name: 'n' op: 'Neg' input: 'a' attr { key: 'T' value { type: DT_FLOAT } } } ret { key: 'r' value: "
    "'n:y:0' } } "
    "gradient { function_name: 'F' gradient_func: 'FGrad' } } ";

std::string CallF() {
  return NodeOf(
      "c", "PartitionedCall", {"x"},
      "attr { key: 'Tin' value { list { type: DT_FLOAT } } } attr { key: 'Tout' value { list { type: DT_FLOAT } } } "
      "attr { key: 'f' value { func { name: 'F' } } }");
}

TEST(ReadTest, Functions) {
  const auto graph = Read(std::string(kX) + NodeOf("y", "F", {"x"}, "") + CallF() + kFunction);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->node(1).schema, graph->library().FindSchema("F"));
  EXPECT_EQ(graph->library().gradients().at("F"), "FGrad");
}

TEST(ReadTest, MalformedFunctionsMatterWhenCalled) {
  std::string bad = kFunction;
  bad.replace(bad.find("n:y:0"), 5, "zz:y:0");
  EXPECT_TRUE(Read(std::string(kX) + bad).ok());
  for (const std::string& call : {NodeOf("y", "F", {"x"}, ""), CallF()}) {
    const absl::Status status = Read(std::string(kX) + call + bad).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr("function 'F': result 'r': 'zz:y:0'"));
  }
  // Through another function.
  const std::string outer =
      "function { signature { name: 'G' input_arg { name: 'a' type: DT_FLOAT } output_arg { name: 'r' type: DT_FLOAT } "
      "} "
      "node_def { name: 'n' op: 'F' input: 'a' } ret { key: 'r' value: 'n:r:0' } } ";
  const auto with_outer = [&](std::string library) { return library.insert(library.find("function"), outer); };
  EXPECT_FALSE(Read(std::string(kX) + NodeOf("y", "G", {"x"}, "") + with_outer(bad)).ok());
  EXPECT_TRUE(Read(std::string(kX) + NodeOf("y", "G", {"x"}, "") + with_outer(kFunction)).ok());
  // A missing function is found out when it is called.
  EXPECT_TRUE(Read(std::string(kX) + CallF()).ok());
}

TEST(ReadTest, FunctionsThatCallThemselvesLoad) {
  EXPECT_TRUE(Read(std::string(kX) + NodeOf("y", "R", {"x"}, "") +
                   "library { function { signature { name: 'R' input_arg { name: 'a' type: DT_FLOAT } output_arg { "
                   "name: 'r' type: DT_FLOAT } } "
                   "node_def { name: 'n' op: 'R' input: 'a' } ret { key: 'r' value: 'n:r:0' } } } ")
                  .ok());
}

// Each call wraps the attribute of the call before in another function.
TEST(ReadTest, FunctionsThatNeverEndUpTheSame) {
  const absl::Status status = Read(
                                  "node { name: 'y' op: 'W' attr { key: 'f' value { func { name: 'g' } } } } "
                                  "library { function { signature { name: 'W' attr { name: 'f' type: 'func' } } "
                                  "node_def { name: 'a' op: 'W' attr { key: 'f' value { func { name: 'g' attr { key: "
                                  "'f' value { placeholder: 'f' } } } } } } "
                                  "node_def { name: 'b' op: 'W' attr { key: 'f' value { func { name: 'h' attr { key: "
                                  "'f' value { placeholder: 'f' } } } } } } } }")
                                  .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("function 'W': attributes: expected at most"));
}

struct ErrorCase {
  const char* name;
  std::string text;
  absl::StatusCode code;
  const char* want;
};

class ErrorsTest : public testing::TestWithParam<ErrorCase> {};

TEST_P(ErrorsTest, Refused) {
  ReadOptions options;
  options.source = "file.pb";
  const absl::Status status = Read(GetParam().text, options).status();
  EXPECT_EQ(status.code(), GetParam().code) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("file.pb: "));
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().want));
}

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
const std::string kMergeN = std::string(kFloatT) + "attr { key: 'N' value { i: 2 } }";

INSTANTIATE_TEST_SUITE_P(
    All, ErrorsTest,
    testing::ValuesIn(std::vector<ErrorCase>{
        {"NoName", NodeOf("", "NoOp", {}, ""), kInvalid, "node 0 '' (NoOp): name: expected"},
        {"NameWithSpace", NodeOf("a b", "NoOp", {}, ""), kInvalid, "got 'a b'"},
        {"NameStartsWithSlash", NodeOf("/a", "NoOp", {}, ""), kInvalid, "got '/a'"},
        {"NameNotAscii", NodeOf("a\\303\\244", "NoOp", {}, ""), kInvalid, "name: expected"},
        {"DuplicateName", NodeOf("a", "NoOp", {}, "") + NodeOf("a", "NoOp", {}, ""), kInvalid,
         "node 1 'a' (NoOp): node 'a': expected a new name"},
        {"NoOp", NodeOf("a", "", {}, ""), absl::StatusCode::kInvalidArgument, "expected an op, got none"},
        {"DeviceNotPrintable", "node { name: 'a' op: 'NoOp' device: '\\001' }", kInvalid, "printable"},
        {"UnknownInput", std::string(kX) + NodeOf("y", "Neg", {"xx"}), kInvalid,
         "node 1 'y' (Neg): input 'xx': expected the name of a node; did you mean 'x'?"},
        {"EmptyInput", std::string(kX) + NodeOf("y", "Neg", {""}), kInvalid, "input ''"},
        {"UnknownControlInput", std::string(kX) + NodeOf("y", "Neg", {"x", "^z"}), kInvalid, "input 'z'"},
        {"ControlInputWithPort", std::string(kX) + NodeOf("y", "Neg", {"x", "^x:0"}), kInvalid, "input 'x:0'"},
        {"ControlInputFirst", std::string(kX) + NodeOf("y", "AddV2", {"x", "^x", "x"}), kInvalid,
         "input 'x': expected control inputs after all others"},
        {"PortPastOutputs", std::string(kX) + NodeOf("y", "Neg", {"x:1"}), kInvalid,
         "expected one of the 1 outputs of node 'x', got 1"},
        {"PortHuge", std::string(kX) + NodeOf("y", "Neg", {"x:99999999999"}), kInvalid, "input 'x:99999999999'"},
        {"PortNegative", std::string(kX) + NodeOf("y", "Neg", {"x:-1"}), kInvalid, "input 'x:-1'"},
        {"NodeWithoutOutputs", NodeOf("n", "NoOp", {}, "") + NodeOf("y", "Neg", {"n"}), kInvalid,
         "one of the 0 outputs"},
        {"TooFewInputs", std::string(kX) + NodeOf("y", "AddV2", {"x"}), kInvalid, "expected 2 inputs, got 1"},
        {"TooManyInputs", std::string(kX) + NodeOf("y", "Neg", {"x", "x"}), kInvalid, "expected 1 inputs, got 2"},
        {"DTypeMismatch", std::string(kX) + kI + NodeOf("y", "AddV2", {"x", "i"}), kInvalid,
         "input 1: expected float32, got int32 from 'i:0'"},
        {"MissingAttr", std::string(kX) + NodeOf("y", "Neg", {"x"}, ""), kInvalid,
         "node 1 'y' (Neg): attr 'T' of op Neg: expected a value of kind type, got none"},
        {"AttrOfAnotherKind", std::string(kX) + NodeOf("y", "Neg", {"x"}, "attr { key: 'T' value { i: 1 } }"), kInvalid,
         "expected type, got int"},
        {"AttrNotAllowed", std::string(kI) + NodeOf("y", "Sqrt", {"i"}, "attr { key: 'T' value { type: DT_INT32 } }"),
         kInvalid, "got int32"},
        {"AttrBelowMinimum",
         std::string(kX) + NodeOf("y", "AddN", {}, std::string(kFloatT) + "attr { key: 'N' value { i: 0 } }"), kInvalid,
         ">= 1, got 0"},
        {"AttrWithoutValue", std::string(kX) + NodeOf("y", "Neg", {"x"}, "attr { key: 'T' value { } }"), kInvalid,
         "got none"},
        {"ReferenceAttr", std::string(kX) + NodeOf("y", "Neg", {"x"}, "attr { key: 'T' value { type: DT_FLOAT_REF } }"),
         kInvalid, "attr 'T': expected the number of a dtype, not of a reference"},
        {"ConstWithoutValue", NodeOf("c", "Const", {}, "attr { key: 'dtype' value { type: DT_FLOAT } }"), kInvalid,
         "attr 'value'"},
        {"ConstMalformed",
         NodeOf("c", "Const", {},
                "attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value { tensor { dtype: DT_FLOAT "
                "tensor_shape { dim { size: -1 } } } } }"),
         kInvalid, "node 0 'c' (Const): attr 'value'"},
        {"NumberOfPortsHuge",
         NodeOf("y", "AddN", {}, std::string(kFloatT) + "attr { key: 'N' value { i: 1099511627776 } }"), kInvalid,
         "1099511627776"},
        {"ColocatedWithUnknown", NodeOf("a", "NoOp", {}, "attr { key: '_class' value { list { s: 'loc:@b' } } }"),
         kInvalid, "attr '_class': input 'b'"},
        {"Cycle", NodeOf("a", "Neg", {"b"}) + NodeOf("b", "Neg", {"a"}), kInvalid, "cycle"},
        {"ControlCycle", NodeOf("a", "NoOp", {"^b"}, "") + NodeOf("b", "NoOp", {"^a"}, ""), kInvalid, "cycle"},
        {"SelfCycle", NodeOf("a", "NoOp", {"^a"}, ""), kInvalid, "cycle"},
        {"MergeCycleWithoutNextIteration",
         std::string(kX) + NodeOf("m", "Merge", {"x", "n"}, kMergeN) + NodeOf("n", "Neg", {"m"}), kInvalid, "cycle"},
        {"ControlCycleThroughNextIteration",
         std::string(kX) + NodeOf("m", "Merge", {"x", "x", "^n"}, kMergeN) + NodeOf("n", "NextIteration", {"m"}),
         kInvalid, "cycle"},
        {"MinConsumerTooHigh", "versions { min_consumer: 999999 }", kInvalid, "at most our version 2474, got 999999"},
        {"BadConsumer", "versions { bad_consumers: 2474 }", kInvalid, "our version 2474 is one of them"},
        {"ProducerNegative", "versions { producer: -1 }", kInvalid, "expected at least 0, got -1"},
        {"DeprecatedOp",
         std::string(kX) +
             NodeOf("y", "BatchNormWithGlobalNormalization", {"x", "x", "x", "x", "x"},
                    std::string(kFloatT) + "attr { key: 'variance_epsilon' value { f: 1 } } attr { key: "
                                           "'scale_after_normalization' value { b: true } }") +
             "versions { producer: 9 }",
         absl::StatusCode::kUnimplemented, "below 9, got 9"},
        {"FunctionNamedAsOp", "library { function { signature { name: 'MatMul' } } }", kInvalid, "got that of an op"},
        {"FunctionTwice",
         "library { function { signature { name: 'F' } } function { signature { name: 'F' control_output: 'c' } } }",
         kInvalid, "that of another function"},
        {"GradientTwice",
         "library { gradient { function_name: 'F' gradient_func: 'G' } gradient { function_name: 'F' gradient_func: "
         "'H' } }",
         kInvalid, "gradient of function 'F'"},
        {"UnknownOpAndAnotherError", NodeOf("a", "MatMull", {}, "") + NodeOf("b", "Neg", {"a"}, ""),
         absl::StatusCode::kNotFound, "node 0 'a' (MatMull): op: expected one that is known; did you mean 'MatMul'"},
        {"FunctionWithUnknownOp",
         std::string(kX) + NodeOf("y", "F", {"x"}, "") +
             "library { function { signature { name: 'F' input_arg { name: 'a' type: DT_FLOAT } } node_def { name: 'n' "
             "op: 'Mystery' } } }",
         absl::StatusCode::kNotFound, "node 0 'n' (Mystery)"},
    }),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ReadTest, WarningsAndStrictness) {
  std::vector<std::string> warnings;
  ReadOptions options;
  options.warnings = &warnings;
  const std::string odd =
      std::string(kX) + NodeOf("y", "Neg", {"x"}, std::string(kFloatT) + "attr { key: 'colour' value { i: 1 } }") +
      NodeOf("z", "Neg", {"x"},
             std::string(kFloatT) + "attr { key: 'colour' value { i: 2 } } attr { key: '_note' value { i: 2 } }");
  auto graph = Read(odd, options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE(graph->node(1).attrs.contains("colour"));
  EXPECT_THAT(warnings, ElementsAre("graph: op Neg has no attr 'colour': ignored"));

  options.strict = true;
  EXPECT_EQ(Read(odd, options).status().code(), kInvalid);
  EXPECT_TRUE(Read(NodeOf("_a", "NoOp", {}, "")).ok());
  EXPECT_EQ(Read(NodeOf("_a", "NoOp", {}, ""), options).status().code(), kInvalid);
  EXPECT_EQ(Read(NodeOf("a", "Mystery", {}, ""), options).status().code(), absl::StatusCode::kNotFound);
}

TEST(ReadTest, DeprecatedOpsOfOlderGraphsWarnOnce) {
  std::vector<std::string> warnings;
  ReadOptions options;
  options.warnings = &warnings;
  const std::string attrs =
      std::string(kFloatT) +
      "attr { key: 'variance_epsilon' value { f: 1 } } attr { key: 'scale_after_normalization' value { b: ";
  const std::string node = "BatchNormWithGlobalNormalization";
  EXPECT_TRUE(Read(std::string(kX) + NodeOf("y", node, {"x", "x", "x", "x", "x"}, attrs + "true } }") +
                       NodeOf("z", node, {"x", "x", "x", "x", "x"}, attrs + "false } }") + "versions { producer: 8 }",
                   options)
                  .ok());
  EXPECT_EQ(warnings.size(), 1u);
}

TEST(ReadTest, NotAGraphDef) {
  for (const std::string& bytes :
       {std::string("hello"),
        std::string("\x0a\x05"
                    "ab"),
        std::string("\x0f\x00", 2), std::string("\x0b\x08\x01"), std::string(64, '\0'), std::string("\x02\x00", 2),
        std::string("\x0a\x02\x0a\x05"), std::string("\x22\x01\xff")}) {
    EXPECT_EQ(ReadGraphDef(bytes, Registry()).status().code(), kInvalid) << testing::PrintToString(bytes);
  }
  EXPECT_TRUE(ReadGraphDef("", Registry()).ok());
  // Unknown fields of each wire type are skipped: a group, a varint, fixed 32 and 64 bits, bytes.
  EXPECT_TRUE(ReadGraphDef(std::string("\x53\x08\x01\x54\x58\x05\x5d"
                                       "1234"
                                       "\x59"
                                       "12345678"
                                       "\x5a\x02"
                                       "ab"),
                           Registry())
                  .ok());
}

TEST(ReadTest, Text) {
  EXPECT_EQ(ReadGraphDefText("node { name: 'a' op: 'NoOp' } # done", Registry())->num_nodes(), 1);
  const absl::Status status = ReadGraphDefText("node {\n  name: 'a'\n  colour: 3\n}", Registry()).status();
  EXPECT_EQ(status.code(), kInvalid);
  EXPECT_THAT(std::string(status.message()), HasSubstr("line 3, column"));
  std::string deep = "node { name: 'a' op: 'NoOp' attr { key: 'f' value { ";
  for (int i = 0; i < 10000; ++i) deep += "func { attr { key: 'f' value { ";
  EXPECT_EQ(ReadGraphDefText(deep, Registry()).status().code(), kInvalid);
}

// One node with every kind of attribute, a function and a gradient.
std::string EveryKind() {
  return std::string(kX) +
         NodeOf(
             "every", "Mystery", {"x", "^x"},
             "device: '/cpu:0' "
             "attr { key: 'none' value { } } attr { key: 'i' value { i: -3 } } attr { key: 'f' value { f: 0.1 } } attr "
             "{ key: 'b' value { b: true } } "
             "attr { key: 's' value { s: '\\000\\377' } } attr { key: 'type' value { type: DT_HALF } } attr { key: "
             "'shape' value { shape { dim { size: -1 } } } } "
             "attr { key: 'tensor' value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: [1, 2] "
             "} } } "
             "attr { key: 'string_tensor' value { tensor { dtype: DT_STRING tensor_shape { } string_val: 'x' } } } "
             "attr { key: 'func' value { func { name: 'F' attr { key: 'T' value { type: DT_INT32 } } } } } attr { key: "
             "'placeholder' value { placeholder: 'T' } } "
             "attr { key: 'is' value { list { i: [1, 2] } } } attr { key: 'fs' value { list { f: 1.5 } } } attr { key: "
             "'bs' value { list { b: [true, false] } } } "
             "attr { key: 'ss' value { list { s: ['a', 'b'] } } } attr { key: 'types' value { list { type: [DT_FLOAT, "
             "DT_INT32] } } } "
             "attr { key: 'shapes' value { list { shape { } shape { unknown_rank: true } } } } "
             "attr { key: 'tensors' value { list { tensor { dtype: DT_INT32 tensor_shape { } int_val: 1 } } } } "
             "attr { key: 'funcs' value { list { func { name: 'F' } } } } attr { key: 'empty' value { list { } } } ") +
         kFunction + "versions { producer: 2000 min_consumer: 3 bad_consumers: [1, 2] }";
}

TEST(WriteTest, FixedPoint) {
  const GraphDef original = Parse(EveryKind());
  const auto graph = GraphFromProto(original, Registry());
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto bytes = WriteGraphDef(*graph);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto again = ReadGraphDef(*bytes, Registry());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*WriteGraphDef(*again), *bytes);
  const auto text = WriteGraphDefText(*graph);
  EXPECT_EQ(*WriteGraphDefText(*ReadGraphDefText(*text, Registry())), *text);

  // Nothing is lost: but for the tensor's form, it is what was read.
  GraphDef written;
  ASSERT_TRUE(written.ParseFromString(*bytes));
  EXPECT_EQ(written.node(1).attr().size(), 20u);
  (*written.mutable_node(1)->mutable_attr())["tensor"] = original.node(1).attr().at("tensor");
  EXPECT_EQ(written.DebugString(), original.DebugString());
}

TEST(WriteTest, DefaultsAreNotAdded) {
  const auto graph = Read(std::string(kX) + kI);
  EXPECT_EQ(GraphToProto(*graph)->node(0).attr().size(), 1u);
}

// Damaged files: each byte flipped in two ways, and each length. What comes out is a graph or an error.
void Damage(const std::string& bytes, bool is_text) {
  const auto read = [&](const std::string& damaged) {
    const auto graph = is_text ? ReadGraphDefText(damaged, Registry()) : ReadGraphDef(damaged, Registry());
    if (graph.ok()) {
      EXPECT_TRUE(WriteGraphDef(*graph).ok());
    } else {
      EXPECT_FALSE(graph.status().message().empty());
    }
  };
  for (size_t i = 0; i < bytes.size(); ++i) {
    read(bytes.substr(0, i));
    for (int mask : {0x01, 0x80}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ mask);
      read(damaged);
    }
  }
}

TEST(DamageTest, EveryKindOfAttribute) {
  const GraphDef graph = Parse(EveryKind());
  Damage(graph.SerializeAsString(), false);
  Damage(graph.DebugString(), true);
}

TEST(DamageTest, Loop) {
  const std::string frame = std::string(kFloatT) + "attr { key: 'frame_name' value { s: 'f' } }";
  const GraphDef graph =
      Parse(std::string(kX) + NodeOf("e", "Enter", {"x"}, frame) + NodeOf("m", "Merge", {"e", "n"}, kMergeN) +
            NodeOf("n", "NextIteration", {"m:0"}) + NodeOf("o", "Exit", {"m", "^x"}));
  Damage(graph.SerializeAsString(), false);
  Damage(graph.DebugString(), true);
}

TEST(DamageTest, Calls) {
  const GraphDef graph = Parse(std::string(kX) + NodeOf("y", "F", {"x"}, "") + CallF() + kFunction);
  Damage(graph.SerializeAsString(), false);
  Damage(graph.DebugString(), true);
}

}  // namespace
}  // namespace flowlatch
