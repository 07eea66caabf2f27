#include "graph/ir/function_library.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "flowlatch/proto/function.pb.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "graph/ir/graph.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// TensorFlow's signatures are enough for functions: nothing runs here.
class FunctionLibraryTest : public testing::Test {
 protected:
  absl::Status Add(const std::string& text) {
    FunctionDef definition;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &definition)) << text;
    return library_->Add(definition);
  }
  absl::StatusOr<std::shared_ptr<const FunctionBody>> Instantiate(std::string_view name, const AttrMap& attrs = {}) {
    return FunctionLibrary::Instantiate(library_, name, attrs);
  }
  // The message for function F, which is malformed.
  std::string Error(const std::string& text) {
    library_ = std::make_shared<FunctionLibrary>(registry_);
    EXPECT_TRUE(Add(text).ok()) << text;
    const absl::Status status = Instantiate("F").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    return std::string(status.message());
  }

  OpRegistry registry_;
  std::shared_ptr<FunctionLibrary> library_ = std::make_shared<FunctionLibrary>(registry_);
};

constexpr char kSignature[] =
    "signature { name: 'F' input_arg { name: 'a' type: DT_FLOAT } output_arg { name: 'r' type: DT_FLOAT } } ";
constexpr char kNeg[] = "node_def { name: 'n' op: 'Neg' input: 'a' attr { key: 'T' value { type: DT_FLOAT } } } ";
constexpr char kReturn[] = "ret { key: 'r' value: 'n:y:0' } ";

TEST_F(FunctionLibraryTest, Body) {
  ASSERT_TRUE(Add(std::string(kSignature) + kNeg + kReturn).ok());
  const auto body = Instantiate("F");
  ASSERT_TRUE(body.ok()) << body.status();
  const Graph& graph = *(*body)->graph;
  ASSERT_EQ(graph.num_nodes(), 2);
  EXPECT_EQ(graph.node(0).op(), "_Arg");
  EXPECT_EQ(graph.node(0).name, "a");
  EXPECT_EQ(*graph.node(0).attrs.Find("T")->Get<DType>(), DType::kFloat32);
  EXPECT_EQ(*graph.node(0).attrs.Find("index")->Get<int64_t>(), 0);
  EXPECT_EQ(graph.node(1).op(), "Neg");
  EXPECT_THAT(graph.inputs(1), ElementsAre(Port{0, 0}));
  EXPECT_THAT((*body)->args, ElementsAre(0));
  EXPECT_THAT((*body)->returns, ElementsAre(Port{1, 0}));
  EXPECT_THAT((*body)->control_returns, ElementsAre());
}

TEST_F(FunctionLibraryTest, IntegersOnOtherDevicesAreNotHad) {
  ASSERT_TRUE(Add(std::string(kSignature) + kNeg + kReturn + "attr { key: 'experimental_ints_on_device' value { b: true } }").ok());
  EXPECT_EQ(Instantiate("F").status().code(), absl::StatusCode::kUnimplemented);
}

TEST_F(FunctionLibraryTest, SignatureIsASchema) {
  ASSERT_TRUE(Add(std::string(kSignature) + kNeg + kReturn).ok());
  ASSERT_NE(library_->FindSchema("F"), nullptr);
  EXPECT_EQ(library_->FindSchema("F")->ToString(), "F(a: float32) -> (r: float32)");
  EXPECT_EQ(library_->FindSchema("G"), nullptr);
  ASSERT_NE(library_->FindDefinition("F"), nullptr);
  EXPECT_EQ(library_->FindDefinition("F")->node_def_size(), 1);
  EXPECT_THAT(library_->Names(), ElementsAre("F"));
}

TEST_F(FunctionLibraryTest, FormsOfInputs) {
  ASSERT_TRUE(
      Add("signature { name: 'F' input_arg { name: 'xs' type: DT_FLOAT number_attr: 'N' } "
          "input_arg { name: 'y' type: DT_FLOAT } "
          "output_arg { name: 'r' type: DT_FLOAT } output_arg { name: 'parts' type: DT_FLOAT number_attr: 'N' } "
          "attr { name: 'N' type: 'int' } control_output: 'done' } "
          "node_def { name: 'sum' op: 'AddN' input: 'xs' attr { key: 'N' value { placeholder: 'N' } } "
          "  attr { key: 'T' value { type: DT_FLOAT } } } "
          "node_def { name: 'axis' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } "
          "  attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 0 } } } } "
          "node_def { name: 'split' op: 'Split' input: 'axis:output' input: 'xs:1' input: '^y' "
          "  attr { key: 'num_split' value { placeholder: 'N' } } attr { key: 'T' value { type: DT_FLOAT } } } "
          "node_def { name: 'stop' op: 'NoOp' input: '^sum' input: '^sum' } "
          "ret { key: 'r' value: 'sum:sum:0' } ret { key: 'parts' value: 'split:output' } "
          "control_ret { key: 'done' value: 'stop' }")
          .ok());
  const auto body = Instantiate("F", {{"N", 3}});
  ASSERT_TRUE(body.ok()) << body.status();
  const Graph& graph = *(*body)->graph;
  EXPECT_THAT((*body)->args, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(graph.node(1).name, "xs_1");
  EXPECT_EQ(graph.node(3).name, "y");
  const NodeId sum = *graph.FindNode("sum"), axis = *graph.FindNode("axis"), split = *graph.FindNode("split");
  EXPECT_THAT(graph.inputs(sum), ElementsAre(Port{0, 0}, Port{1, 0}, Port{2, 0}));
  EXPECT_THAT(graph.inputs(split), ElementsAre(Port{axis, 0}, Port{1, 0}));
  EXPECT_THAT(graph.control_inputs(split), ElementsAre(Port{3, -1}));
  EXPECT_EQ(graph.control_inputs(*graph.FindNode("stop")).size(), 1u);
  EXPECT_THAT((*body)->returns, ElementsAre(Port{sum, 0}, Port{split, 0}, Port{split, 1}, Port{split, 2}));
  EXPECT_THAT((*body)->control_returns, ElementsAre(*graph.FindNode("stop")));
}

constexpr char kGeneric[] =
    "signature { name: 'G' input_arg { name: 'a' type_attr: 'T' } output_arg { name: 'r' type_attr: 'T' } "
    "attr { name: 'T' type: 'type' } attr { name: 'U' type: 'type' default_value { type: DT_BOOL } } } "
    "node_def { name: 'n' op: 'PartitionedCall' input: 'a' attr { key: 'Tin' value { list { type: DT_FLOAT } } } "
    "attr { key: 'Tout' value { list { type: DT_FLOAT } } } "
    "attr { key: 'f' value { func { name: 'H' attr { key: 'T' value { placeholder: 'U' } } } } } } "
    "node_def { name: 'i' op: 'Identity' input: 'a' attr { key: 'T' value { placeholder: 'T' } } } "
    "ret { key: 'r' value: 'i:output:0' }";

TEST_F(FunctionLibraryTest, AttributesAreSubstituted) {
  ASSERT_TRUE(Add(kGeneric).ok());
  const auto body = Instantiate("G", {{"T", DType::kFloat32}, {"unrelated", 5}});
  ASSERT_TRUE(body.ok()) << body.status();
  const Graph& graph = *(*body)->graph;
  EXPECT_EQ(*graph.node(*graph.FindNode("i")).attrs.Find("T")->Get<DType>(), DType::kFloat32);
  // Also inside the functions that it calls, and by default.
  const auto* called = graph.node(*graph.FindNode("n")).attrs.Find("f")->Get<FunctionRef>();
  EXPECT_EQ(*called->attrs.Find("T")->Get<DType>(), DType::kBool);
}

TEST_F(FunctionLibraryTest, OneBodyForEachSetOfAttributes) {
  ASSERT_TRUE(
      Add("signature { name: 'I' input_arg { name: 'a' type_attr: 'T' } output_arg { name: 'r' type_attr: 'T' } "
          "attr { name: 'T' type: 'type' } } ret { key: 'r' value: 'a' }")
          .ok());
  const auto a = Instantiate("I", {{"T", DType::kFloat32}});
  const auto b = Instantiate("I", {{"T", DType::kInt32}});
  const auto c = Instantiate("I", {{"T", DType::kFloat32}, {"_note", "x"}});
  ASSERT_TRUE(a.ok() && b.ok() && c.ok());
  EXPECT_EQ(a->get(), c->get());
  EXPECT_NE(a->get(), b->get());
}

TEST_F(FunctionLibraryTest, BodyKeepsTheLibraryAlive) {
  ASSERT_TRUE(Add(std::string(kSignature) + kNeg + kReturn).ok());
  auto body = Instantiate("F");
  ASSERT_TRUE(body.ok()) << body.status();
  const std::weak_ptr<FunctionLibrary> watch = library_;
  library_.reset();
  EXPECT_FALSE(watch.expired());
  // The graph's own pointer leads back to the owner.
  auto again = FunctionLibrary::Instantiate((*body)->graph->shared_library(), "F", {});
  ASSERT_TRUE(again.ok()) << again.status();
  body->reset();
  EXPECT_EQ((*again)->graph->num_nodes(), 2);
  again->reset();
  EXPECT_TRUE(watch.expired());
}

TEST_F(FunctionLibraryTest, ManyThreadsGetOneBody) {
  ASSERT_TRUE(Add(std::string(kSignature) + kNeg + kReturn).ok());
  std::vector<std::shared_ptr<const FunctionBody>> bodies(8);
  std::vector<std::thread> threads;
  for (auto& body : bodies) {
    threads.emplace_back([&] {
      auto got = Instantiate("F");
      if (got.ok()) body = *got;
    });
  }
  for (std::thread& t : threads) t.join();
  for (const auto& body : bodies) EXPECT_EQ(body, bodies[0]);
  EXPECT_NE(bodies[0], nullptr);
}

TEST_F(FunctionLibraryTest, ArgumentsKeepWhatIsKnownOfThem) {
  ASSERT_TRUE(
      Add(std::string(kSignature) + kNeg + kReturn +
          "arg_attr { key: 0 value { attr { key: '_output_shapes' value { list { shape { dim { size: 3 } } } } } "
          "attr { key: 'other' value { i: 1 } } } }")
          .ok());
  const auto body = Instantiate("F");
  ASSERT_TRUE(body.ok()) << body.status();
  const AttrMap& attrs = (*body)->graph->node(0).attrs;
  EXPECT_EQ(attrs.Find("_output_shapes")->ToString(), "[[3]]");
  EXPECT_FALSE(attrs.contains("other"));
}

TEST_F(FunctionLibraryTest, MalformedBodies) {
  const std::string signature = kSignature, neg = kNeg, ret = kReturn;
  EXPECT_THAT(Error(signature + neg), HasSubstr("result 'r': expected an entry in ret, got none"));
  EXPECT_THAT(Error(signature + neg + "ret { key: 'r' value: 'zz:y:0' }"), HasSubstr("'zz:y:0': expected"));
  EXPECT_THAT(Error(signature + neg + "ret { key: 'r' value: 'n:z:0' }"), HasSubstr("'n:z:0': expected"));
  EXPECT_THAT(Error(signature + neg + "ret { key: 'r' value: 'n:y:1' }"), HasSubstr("'n:y:1': expected"));
  EXPECT_THAT(Error(signature + neg + "ret { key: 'r' value: 'n:y:x' }"), HasSubstr("'n:y:x': expected"));
  EXPECT_THAT(Error(signature + neg + "ret { key: 'r' value: 'n' }"), HasSubstr("'n': expected"));
  EXPECT_THAT(Error(signature + neg + "ret { key: 'r' value: '' }"), HasSubstr("'': expected"));
  EXPECT_THAT(Error(signature + neg + "ret { key: 'r' value: 'a:1' }"), HasSubstr("'a:1': expected"));
  EXPECT_THAT(Error(signature + neg + neg + ret), HasSubstr("node 1 'n' (Neg): "));
  EXPECT_THAT(Error(signature + "node_def { name: 'a' op: 'NoOp' } ret { key: 'r' value: 'a' }"),
              HasSubstr("that of an argument"));
  EXPECT_THAT(Error(signature + "node_def { name: '' op: 'NoOp' } ret { key: 'r' value: 'a' }"),
              HasSubstr("expected a name"));
  EXPECT_THAT(
      Error(signature + "node_def { name: 'n' op: 'Neg' input: 'zz:y:0' attr { key: 'T' value { type: DT_FLOAT } } }" +
            ret),
      HasSubstr("'zz:y:0'"));
  EXPECT_THAT(Error(signature +
                    "node_def { name: 'n' op: 'Neg' input: '^zz' attr { key: 'T' value { type: DT_FLOAT } } }" + ret),
              HasSubstr("'zz'"));
  EXPECT_THAT(
      Error(signature +
            "node_def { name: 'n' op: 'Neg' input: '^a' input: 'a' attr { key: 'T' value { type: DT_FLOAT } } }" + ret),
      HasSubstr("control inputs after all others"));
  EXPECT_THAT(Error(signature + "node_def { name: 'n' op: 'Neg' input: 'a' }" + ret), HasSubstr("attr 'T'"));
  EXPECT_THAT(
      Error(signature +
            "node_def { name: 'n' op: 'Neg' input: 'a' input: 'a' attr { key: 'T' value { type: DT_FLOAT } } }" + ret),
      HasSubstr("expected 1 inputs, got 2"));
  EXPECT_THAT(
      Error(signature + "node_def { name: 'n' op: 'Neg' input: 'a' attr { key: 'T' value { type: DT_INT32 } } }" + ret),
      HasSubstr("int32"));
  EXPECT_THAT(Error(signature +
                    "node_def { name: 'n' op: 'Neg' input: 'n:y:0' attr { key: 'T' value { type: DT_FLOAT } } }" + ret),
              HasSubstr("cycle"));
  EXPECT_THAT(Error(signature +
                    "node_def { name: 'n' op: 'Neg' input: 'a' attr { key: 'T' value { placeholder: 'T' } } }" + ret),
              HasSubstr("placeholder 'T'"));
  EXPECT_THAT(
      Error("signature { name: 'F' input_arg { name: 'a' type: DT_INT32 } output_arg { name: 'r' type: DT_FLOAT } } "
            "ret { key: 'r' value: 'a' }"),
      HasSubstr("result 'r': expected float32, got int32 from 'a:0'"));
  EXPECT_THAT(Error("signature { name: 'F' control_output: 'c' }"), HasSubstr("control output 'c'"));
  EXPECT_THAT(Error("signature { name: 'F' control_output: 'c' } control_ret { key: 'c' value: 'x' }"),
              HasSubstr("'x'"));
}

TEST_F(FunctionLibraryTest, CallsThatDoNotFit) {
  ASSERT_TRUE(Add(kGeneric).ok());
  EXPECT_EQ(Instantiate("G").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Instantiate("G", {{"T", 3}}).status().code(), absl::StatusCode::kInvalidArgument);
  const absl::Status missing = Instantiate("g").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("did you mean 'G'?"));
}

TEST_F(FunctionLibraryTest, AttributesThatGrowWithoutEnd) {
  ASSERT_TRUE(Add("signature { name: 'W' attr { name: 'f' type: 'func' } }").ok());
  FunctionRef wrapped{"g", {}}, doubled{"g", {}};
  for (int i = 0; i < 30; ++i) doubled = {"g", {{"left", doubled}, {"right", std::vector<FunctionRef>{doubled}}}};
  for (int i = 0; i < 999; ++i) wrapped = {"g", {{"f", wrapped}}};
  EXPECT_TRUE(Instantiate("W", {{"f", wrapped}}).ok());
  EXPECT_EQ(Instantiate("W", {{"f", FunctionRef{"g", {{"f", wrapped}}}}}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Instantiate("W", {{"f", doubled}}).status().code(), absl::StatusCode::kInvalidArgument);
  absl::Status status;
  int bodies = 0;
  for (; status.ok() && bodies < 1000; ++bodies)
    status = Instantiate("W", {{"f", FunctionRef{std::to_string(bodies), {}}}}).status();
  EXPECT_EQ(bodies, 256);
  EXPECT_THAT(std::string(status.message()), HasSubstr("different sets"));
}

TEST_F(FunctionLibraryTest, UnknownOp) {
  ASSERT_TRUE(Add(std::string(kSignature) + "node_def { name: 'n' op: 'NoSuchOp' input: 'a' } " + kReturn).ok());
  const absl::Status status = Instantiate("F").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("node 0 'n' (NoSuchOp)"));
}

TEST_F(FunctionLibraryTest, NamesAreTakenOnce) {
  const std::string text = std::string(kSignature) + kNeg + kReturn;
  ASSERT_TRUE(Add(text).ok());
  EXPECT_TRUE(Add(text).ok());  // the same again says nothing new
  EXPECT_EQ(Add(std::string(kSignature) + "ret { key: 'r' value: 'a' }").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Add("signature { name: 'MatMul' }").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Add("signature { name: 'D' attr { name: 'T' type: 'type' } attr { name: 'T' type: 'type' } }").code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(FunctionLibraryTest, Gradients) {
  EXPECT_TRUE(library_->AddGradient("F", "FGrad").ok());
  EXPECT_TRUE(library_->AddGradient("F", "FGrad").ok());
  EXPECT_EQ(library_->AddGradient("F", "Other").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(library_->gradients().at("F"), "FGrad");
}

TEST_F(FunctionLibraryTest, OpaqueSchemas) {
  const OpSchema* schema = library_->OpaqueSchema("Mystery", 2, 1);
  EXPECT_TRUE(schema->is_opaque());
  EXPECT_EQ(schema->InputTypes({})->size(), 2u);
  EXPECT_EQ((*schema->OutputTypes({}))[0].dtype, DType::kInvalid);
  EXPECT_EQ(library_->OpaqueSchema("Mystery", 2, 1), schema);
  EXPECT_NE(library_->OpaqueSchema("Mystery", 2, 2), schema);
}

}  // namespace
}  // namespace flowlatch
