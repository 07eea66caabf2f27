#include "graph/schema/attr_proto.h"

#include <string>
#include <vector>

#include "flowlatch/proto/attr_value.pb.h"
#include "flowlatch/proto/op_def.pb.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

using ::testing::HasSubstr;

template <typename Message>
Message Parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

struct KindCase {
  const char* name;
  const char* proto;
  const char* kind;
  const char* want;  // Attr::ToString
};

class KindsTest : public testing::TestWithParam<KindCase> {};

TEST_P(KindsTest, RoundTrip) {
  const auto proto = Parse<AttrValue>(GetParam().proto);
  const absl::StatusOr<Attr> attr = AttrFromProto(proto, GetParam().kind);
  ASSERT_TRUE(attr.ok()) << attr.status();
  EXPECT_EQ(attr->ToString(), GetParam().want);
  EXPECT_EQ(attr->KindName(), GetParam().kind);
  AttrValue again;
  ASSERT_TRUE(AttrToProto(*attr, &again).ok());
  EXPECT_EQ(again.ShortDebugString(), proto.ShortDebugString());
}

INSTANTIATE_TEST_SUITE_P(
    All, KindsTest,
    testing::ValuesIn(std::vector<KindCase>{
        {"None", "", "none", "none"},
        {"Int", "i: -3", "int", "-3"},
        {"Float", "f: 2.5", "float", "2.5"},
        {"Bool", "b: false", "bool", "false"},
        {"String", "s: 'a\\000b'", "string", "\"a\\x00\\x62\""},
        {"Type", "type: DT_HALF", "type", "float16"},
        {"Shape", "shape { dim { size: -1 } dim { size: 2 } }", "shape", "[?,2]"},
        {"ShapeOfUnknownRank", "shape { unknown_rank: true }", "shape", "?"},
        {"ScalarShape", "shape { }", "shape", "[]"},
        {"Tensor", "tensor { dtype: DT_INT32 tensor_shape { } int_val: 5 }", "tensor", "int32[] = 5"},
        {"Func", "func { name: 'f' attr { key: 'T' value { type: DT_INT32 } } }", "func", "f{T=int32}"},
        {"Placeholder", "placeholder: 'T'", "placeholder", "$T"},
        {"Ints", "list { i: 1 i: -2 }", "list(int)", "[1, -2]"},
        {"Floats", "list { f: 1.5 }", "list(float)", "[1.5]"},
        {"Bools", "list { b: true b: false }", "list(bool)", "[true, false]"},
        {"Strings", "list { s: 'a' s: '' }", "list(string)", "[\"a\", \"\"]"},
        {"Types", "list { type: DT_FLOAT type: DT_RESOURCE }", "list(type)", "[float32, resource]"},
        {"Shapes", "list { shape { } shape { unknown_rank: true } }", "list(shape)", "[[], ?]"},
        {"Tensors", "list { tensor { dtype: DT_BOOL tensor_shape { } bool_val: true } }", "list(tensor)",
         "[bool[] = true]"},
        {"Funcs", "list { func { name: 'f' } func { name: 'g' } }", "list(func)", "[f, g]"},
        {"NoInts", "list { }", "list(int)", "[]"},
        {"NoFloats", "list { }", "list(float)", "[]"},
        {"NoBools", "list { }", "list(bool)", "[]"},
        {"NoStrings", "list { }", "list(string)", "[]"},
        {"NoTypes", "list { }", "list(type)", "[]"},
        {"NoShapes", "list { }", "list(shape)", "[]"},
        {"NoTensors", "list { }", "list(tensor)", "[]"},
        {"NoFuncs", "list { }", "list(func)", "[]"},
    }),
    [](const auto& info) { return std::string(info.param.name); });

TEST(AttrProtoTest, Errors) {
  const struct {
    const char* proto;
    const char* kind;
    const char* want;
  } kCases[] = {
      {"type: DT_INVALID", "type", "the number of a dtype, got 0"},
      {"type: DT_FLOAT_REF", "type", "not of a reference to one, got 101"},
      {"type: 999", "", "got 999"},
      {"list { type: DT_INVALID }", "list(type)", "got 0"},
      {"list { i: 1 f: 2 }", "list(int)", "one kind, got 2 kinds"},
      {"shape { dim { size: -2 } }", "shape", "-2"},
      {"list { shape { dim { size: -2 } } }", "list(shape)", "-2"},
      {"tensor { dtype: DT_FLOAT tensor_shape { } string_val: 'a' }", "tensor", "in another"},
      {"list { tensor { dtype: DT_FLOAT_REF } }", "list(tensor)", "got 101"},
      {"func { name: 'f' attr { key: 'T' value { shape { dim { size: -9 } } } } }", "func", "attr 'T'"},
  };
  for (const auto& c : kCases) {
    const absl::Status status = AttrFromProto(Parse<AttrValue>(c.proto), c.kind).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.proto;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.want)) << c.proto;
  }
}

TEST(AttrProtoTest, WithoutASchemaTypesMayBeInvalid) {
  const absl::StatusOr<Attr> attr = AttrFromProto(Parse<AttrValue>("type: DT_INVALID"), "");
  ASSERT_TRUE(attr.ok()) << attr.status();
  EXPECT_EQ(*attr->Get<DType>(), DType::kInvalid);
}

TEST(AttrProtoTest, ErrorsOfSetsNameTheAttr) {
  const auto list = Parse<NameAttrList>("name: 'n' attr { key: 'shape' value { shape { dim { size: -2 } } } }");
  const absl::Status status = AttrsFromProto(list.attr(), nullptr).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("attr 'shape': "));
}

TEST(SchemaFromProtoTest, Signature) {
  const absl::StatusOr<OpSchema> schema = SchemaFromProto(Parse<OpDef>(
      "name: 'F' "
      "input_arg { name: 'x' type_attr: 'T' } input_arg { name: 'rest' type_attr: 'T' number_attr: 'N' } "
      "output_arg { name: 'y' type: DT_INT32 } output_arg { name: 'all' type_list_attr: 'Ts' } "
      "attr { name: 'T' type: 'type' allowed_values { list { type: DT_FLOAT type: DT_INT32 } } } "
      "attr { name: 'N' type: 'int' has_minimum: true minimum: 2 } "
      "attr { name: 'Ts' type: 'list(type)' default_value { list { type: DT_BOOL } } } is_stateful: true"));
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ(schema->ToString(),
            "F(x: T, rest: N * T) -> (y: int32, all: Ts); T: {float32, int32}; N: int >= 2; Ts: list(type) = [bool]; "
            "stateful");
}

TEST(SchemaFromProtoTest, Errors) {
  const struct {
    const char* proto;
    const char* want;
  } kCases[] = {
      {"attr { name: 'T' type: 'type' } attr { name: 'T' type: 'type' }", "attr 'T' is there twice"},
      {"attr { name: 'T' type: 'colour' }", "expected the name of a kind, got 'colour'"},
      {"attr { name: 'T' type: 'list(' }", "the name of a kind"},
      {"attr { name: 'T' type: '' }", "the name of a kind"},
      {"attr { name: 'T' type: 'type' default_value { type: DT_FLOAT_REF } }", "attr 'T'"},
      {"input_arg { name: 'x' type: DT_FLOAT } input_arg { name: 'x' type: DT_FLOAT }", "argument 'x' is there twice"},
      {"input_arg { type: DT_FLOAT }", "expected a name"},
      {"input_arg { name: 'x' }", "one of type, type_attr and type_list_attr"},
      {"input_arg { name: 'x' type: 99 }", "got 99"},
      {"input_arg { name: 'x' type_attr: 'T' }", "expected an attr 'T' of kind type"},
      {"input_arg { name: 'x' type_list_attr: 'T' }", "expected an attr 'T' of kind list(type)"},
      {"output_arg { name: 'x' type: DT_FLOAT number_attr: 'N' }", "expected an attr 'N' of kind int"},
  };
  for (const auto& c : kCases) {
    const absl::Status status = SchemaFromProto(Parse<OpDef>("name: 'F' " + std::string(c.proto))).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.proto;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.want)) << c.proto;
  }
}

}  // namespace
}  // namespace flowlatch
