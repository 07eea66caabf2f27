#include "graph/schema/op_schema.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

OpSchema Parsed(std::string_view signature) { return OpSchema::Parse(signature).value(); }

const OpSchema& Op() {
  static const auto* op =
      new OpSchema(Parsed("Op(a: N * T, b: Ref(S), c: many) -> (d: many, e: int64, f: T); N: int >= 1; T: {float32, "
                          "int32} = float32; S: type; "
                          "many: list({string, bool}) >= 1; mode: {\"x\", \"y\"} = \"x\"; modes: list({\"x\", \"y\"}) "
                          "= []; rate: float = 0.5"));
  return *op;
}
AttrMap Attrs() { return {{"N", 2}, {"S", DType::kInt8}, {"many", std::vector<DType>{DType::kString, DType::kBool}}}; }

TEST(OpSchemaTest, PortTypes) {
  EXPECT_TRUE(Op().ValidateAttrs(Attrs()).ok());
  const PortType f{DType::kFloat32, false}, i{DType::kInt32, false}, s{DType::kString, false}, b{DType::kBool, false};
  EXPECT_THAT(Op().InputTypes(Attrs()).value(), ElementsAre(f, f, PortType{DType::kInt8, true}, s, b));
  EXPECT_THAT(Op().OutputTypes(Attrs().With("T", DType::kInt32)).value(),
              ElementsAre(s, b, PortType{DType::kInt64, false}, i));
}

TEST(OpSchemaTest, Ranges) {
  EXPECT_EQ(Op().InputRange("a", Attrs()).value(), std::make_pair(0, 2));
  EXPECT_EQ(Op().InputRange("b", Attrs()).value(), std::make_pair(2, 3));
  EXPECT_EQ(Op().InputRange("c", Attrs()).value(), std::make_pair(3, 5));
  EXPECT_EQ(Op().OutputRange("f", Attrs()).value(), std::make_pair(3, 4));
  const absl::Status status = Op().InputRange("d", Attrs()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "argument 'd' of op Op: expected one of a: N * T, b: Ref(S), c: many");
}

TEST(OpSchemaTest, Defaults) {
  EXPECT_EQ(*Op().AttrOrDefault(Attrs(), "mode"), Attr("x"));
  EXPECT_EQ(*Op().AttrOrDefault(Attrs().With("mode", "y"), "mode"), Attr("y"));
  EXPECT_EQ(Op().AttrOrDefault({}, "N"), nullptr);
  EXPECT_EQ(Op().AttrOrDefault({}, "other"), nullptr);
  EXPECT_EQ(Op().FindAttr("other"), nullptr);
}

TEST(OpSchemaTest, Validation) {
  const struct {
    AttrMap attrs;
    const char* message;  // "": fine
  } kCases[] = {
      {Attrs(), ""},
      {Attrs().With("unknown", 1), ""},  // 2.35
      {Attrs().With("T", AttrPlaceholder{"T"}), ""},
      {Attrs().With("modes", std::vector<int64_t>{}), ""},  // an empty list has no kind
      {Attrs().Without("N"), "attr 'N' of op Op: expected a value of kind int, got none"},
      {Attrs().With("N", 0), "attr 'N' of op Op: expected a value >= 1, got 0"},
      {Attrs().With("N", "2"), "expected int, got string"},
      {Attrs().With("N", 2.f), "expected int, got float"},
      {Attrs().With("T", DType::kBool), "attr 'T' of op Op: expected one of float32, int32, got bool"},
      {Attrs().With("many", std::vector<DType>{}), "attr 'many' of op Op: expected a length >= 1, got 0"},
      {Attrs().With("many", std::vector<DType>{DType::kBool, DType::kInt8}), "expected one of string, bool, got int8"},
      {Attrs().With("many", std::vector<int64_t>{1}), "expected list(type), got list(int)"},
      {Attrs().With("mode", "z"), "attr 'mode' of op Op: expected one of 'x', 'y', got 'z'"},
      {Attrs().With("modes", std::vector<std::string>{"x", "z\n"}), "expected one of 'x', 'y', got 'z\\n'"},
  };
  for (const auto& c : kCases) {
    const absl::Status status = Op().ValidateAttrs(c.attrs);
    if (*c.message == '\0') {
      EXPECT_TRUE(status.ok()) << status;
    } else {
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(std::string(status.message()), HasSubstr(c.message));
    }
  }
}

TEST(OpSchemaTest, CountsAreBounded) {
  for (const int64_t n : {int64_t{-1}, (int64_t{1} << 20) + 1, int64_t{1} << 62}) {
    const absl::Status status = Op().InputTypes(Attrs().With("N", n)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr("expected a count of ports from 0 to 1048576"));
  }
  EXPECT_EQ(Op().InputTypes({}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Op().InputTypes(Attrs().With("many", std::vector<int64_t>{1, 2})).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(OpSchemaTest, FromParts) {
  OpSchema::Parts parts;
  parts.name = "f";
  parts.inputs.resize(1);
  parts.inputs[0].name = "x";
  parts.stateful = true;
  const OpSchema schema(std::move(parts));
  EXPECT_TRUE(schema.is_stateful());
  EXPECT_THAT(schema.InputTypes({}).value(), ElementsAre(PortType{DType::kInvalid, false}));
}

}  // namespace
}  // namespace flowlatch
