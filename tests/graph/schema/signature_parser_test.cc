#include "graph/schema/signature_parser.h"

#include <string>

#include "gmock/gmock.h"
#include "graph/schema/op_registry.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

using ::testing::HasSubstr;

void ExpectSame(const OpSchema& a, const OpSchema& b) {
  EXPECT_EQ(a.ToString(), b.ToString());
  ASSERT_EQ(a.attrs().size(), b.attrs().size());
  for (size_t i = 0; i < a.attrs().size(); ++i) {
    EXPECT_EQ(a.attrs()[i].kind, b.attrs()[i].kind);
    EXPECT_EQ(a.attrs()[i].default_value, b.attrs()[i].default_value) << a.name() << " " << a.attrs()[i].name;
    EXPECT_EQ(a.attrs()[i].minimum, b.attrs()[i].minimum);
    EXPECT_EQ(a.attrs()[i].allowed_types, b.attrs()[i].allowed_types);
    EXPECT_EQ(a.attrs()[i].allowed_strings, b.attrs()[i].allowed_strings);
  }
  EXPECT_EQ(a.deprecation_text(), b.deprecation_text());
}

TEST(SignatureParserTest, EveryOpOfTensorFlowComesBack) {
  EXPECT_GT(TensorFlowSignatures().size(), 1500u);
  for (const std::string_view signature : TensorFlowSignatures()) {
    const absl::StatusOr<OpSchema> schema = OpSchema::Parse(signature);
    ASSERT_TRUE(schema.ok()) << schema.status();
    const absl::StatusOr<OpSchema> again = OpSchema::Parse(schema->ToString());
    ASSERT_TRUE(again.ok()) << again.status() << "\n" << schema->ToString();
    ExpectSame(*schema, *again);
  }
}

TEST(SignatureParserTest, Parts) {
  const absl::StatusOr<OpSchema> parsed = OpSchema::Parse(
      "Vendor>Op(a: N * T, b: Ref(S), c: list, d: string) -> (e: float32); N: int >= 2 = 3; T: {float32, int32}; S: "
      "type = float64; "
      "list: list(type) >= 1; kinds: list({\"x\", \"y z\"}) = [\"x\"]; f: float = -1.5; shape: shape = [2, ?]; any: "
      "shape = ?; "
      "t: tensor = tensor(uint8, [2], [255, 0]); ts: list(tensor) = [tensor(int16, [], [-300])]; g: func; stateful; "
      "commutative; aggregate; uninitialized_ok; deprecated 12 \"use \\\"other\\\"\"");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const OpSchema& op = *parsed;
  EXPECT_EQ(op.name(), "Vendor>Op");
  ASSERT_EQ(op.inputs().size(), 4u);
  EXPECT_EQ(op.inputs()[0].number_attr, "N");
  EXPECT_EQ(op.inputs()[0].type_attr, "T");
  EXPECT_TRUE(op.inputs()[1].is_ref);
  EXPECT_EQ(op.inputs()[2].type_list_attr, "list");
  EXPECT_EQ(op.inputs()[3].dtype, DType::kString);
  EXPECT_EQ(op.FindAttr("N")->minimum, 2);
  EXPECT_EQ(op.FindAttr("N")->default_value, Attr(3));
  EXPECT_EQ(op.FindAttr("T")->allowed_types, (DTypeSet{DType::kFloat32, DType::kInt32}));
  EXPECT_EQ(op.FindAttr("kinds")->kind, "list(string)");
  EXPECT_EQ(op.FindAttr("kinds")->allowed_strings[1], "y z");
  EXPECT_EQ(op.FindAttr("f")->default_value, Attr(-1.5f));
  EXPECT_EQ(op.FindAttr("shape")->default_value, Attr(PartialShape::Of({2, -1})));
  EXPECT_EQ(op.FindAttr("any")->default_value, Attr(PartialShape()));
  EXPECT_EQ(op.FindAttr("t")->default_value, Attr(Tensor::Vector<uint8_t>({255, 0})));
  EXPECT_EQ(op.FindAttr("g")->default_value, std::nullopt);
  EXPECT_TRUE(op.is_stateful() && op.is_commutative() && op.is_aggregate() && op.allows_uninitialized_input());
  EXPECT_EQ(op.deprecated_since(), 12);
  EXPECT_EQ(op.deprecation_text(), "use \"other\"");
  const absl::StatusOr<OpSchema> again = OpSchema::Parse(op.ToString());
  ASSERT_TRUE(again.ok()) << again.status();
  ExpectSame(op, *again);
}

TEST(SignatureParserTest, Errors) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "expected an op name"},
      {"Op", "expected '('"},
      {"Op()", "expected '->'"},
      {"Op() -> (", "expected ':'"},
      {"Op(a) -> ()", "expected ':'"},
      {"Op(a: ) -> ()", "expected a port 'name: type'"},
      {"Op(a: T) -> ()", "expected a dtype or attr, got 'T'"},
      {"Op(a: N * int32) -> ()", "expected an int attr 'N'"},
      {"Op(a: N * int32) -> (); N: float", "expected an int attr 'N'"},
      {"Op(a: Ref(int32) -> ()", "expected ')'"},
      {"Op() -> () x", "expected ';' or the end"},
      {"Op() -> (); x", "expected an attr 'name: kind' or a flag"},
      {"Op() -> (); x: number", "expected an attr kind"},
      {"Op() -> (); x: list(int", "expected ')'"},
      {"Op() -> (); x: {float33}", "expected a dtype"},
      {"Op() -> (); x: {\"a}", "expected a closing quote"},
      {"Op() -> (); x: int >= y", "expected an integer"},
      {"Op() -> (); x: int = ", "expected an integer"},
      {"Op() -> (); x: int = 99999999999999999999", "expected an integer"},
      {"Op() -> (); x: bool = yes", "expected true or false"},
      {"Op() -> (); x: string = \"\\q\"", "expected a valid escape"},
      {"Op() -> (); x: string = \"\\", "expected a closing quote"},
      {"Op() -> (); x: shape = [2", "expected ']'"},
      {"Op() -> (); x: shape = [-2]", "expected dimensions >= -1"},
      {"Op() -> (); x: list(int) = [1,", "expected an integer"},
      {"Op() -> (); x: tensor = tensor(float32, [], [1])", "expected an integer dtype"},
      {"Op() -> (); x: tensor = tensor(int32, [2], [1])", "expected an element for each place"},
      {"Op() -> (); deprecated x", "expected a version"},
  };
  for (const auto& [text, message] : kCases) {
    const absl::Status status = OpSchema::Parse(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message)) << text;
  }
}

// No cut and no changed character makes it do more than refuse.
TEST(SignatureParserTest, DamagedTexts) {
  const std::string text(TensorFlowSignature("Conv2D"));
  for (size_t i = 0; i < text.size(); ++i) {
    OpSchema::Parse(std::string_view(text).substr(0, i)).status().IgnoreError();
    for (const char c : {'(', ')', '"', '\\', ';', ':', '[', '{', '9', '\0'}) {
      std::string damaged = text;
      damaged[i] = c;
      const absl::StatusOr<OpSchema> schema = OpSchema::Parse(damaged);
      if (!schema.ok()) continue;
      EXPECT_FALSE(schema->name().empty());
    }
  }
}

}  // namespace
}  // namespace flowlatch
