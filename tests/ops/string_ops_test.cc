#include "ops/string_ops.h"

#include <limits>
#include <numeric>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

class StringOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterStringOps(library_).ok()); }
  OpTester Op(const std::string& op, AttrMap attrs) { return OpTester(library_, op, std::move(attrs)); }
  OpTester Format(const char* text, std::vector<DType> types, int64_t summarize = 3) {
    return Op("StringFormat", {{"T", types}, {"template", text}, {"placeholder", "{}"}, {"summarize", summarize}});
  }

  OpLibrary library_;
};

Tensor Counting(std::initializer_list<int64_t> dims) {
  const Shape shape = Shape::Of(dims);
  std::vector<int32_t> values(shape.num_elements());
  std::iota(values.begin(), values.end(), 0);
  return *Tensor::FromValues<int32_t>(shape, values);
}

TEST_F(StringOpsTest, FormatShowsEdges) {
  const struct {
    Tensor t;
    int64_t summarize;
    const char* want;
  } cases[] = {
      {Tensor::Scalar(5), 3, "5"},
      {Counting({10}), 3, "[0 1 2 ... 7 8 9]"},
      {Counting({6}), 3, "[0 1 2 3 4 5]"},
      {Counting({3, 4}), 1, "[[0 ... 3]\n ...\n [8 ... 11]]"},
      {Counting({2, 2, 2}), -1, "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]"},
      {Counting({2, 0}), 3, "[\n ...]"},
      {Counting({0}), 3, "[]"},
      {Counting({0, 3}), 3, "[]"},
      {Tensor::Scalar(5), 0, "..."},
      {Strings({2}, {"a\t", "b"}), 3, "[\"a\\t\" \"b\"]"},
      {Of<std::complex<float>>({4}, {{1, 2}, {0, 0}, {0, 0}, {0, 0}}), 3, "[? ? ?...]"},
      {Bools({0}, {}), 3, ""},
  };
  for (const auto& [t, summarize, want] : cases) {
    SCOPED_TRACE(t.DebugString());
    OpTester format = Format("<{}>", {t.dtype()}, summarize);
    ExpectOutput(format, {t}, Tensor::Scalar((std::string("<") + want + ">").c_str()));
  }
}

TEST_F(StringOpsTest, FormatFillsPlaceholders) {
  OpTester two = Format("a {} b {} c", {DType::kInt32, DType::kFloat32});
  ExpectOutput(two, {Tensor::Scalar(1), Tensor::Scalar(0.5f)}, Tensor::Scalar("a 1 b 0.5 c"));
  OpTester none = Format("plain", {});
  ExpectOutput(none, {}, Tensor::Scalar("plain"));
  OpTester few = Format("a {}", {DType::kInt32, DType::kInt32});
  ExpectInvalid(few, {Tensor::Scalar(1), Tensor::Scalar(1)}, "template: expected 2 placeholders '{}', got 1");
}

TEST_F(StringOpsTest, Join) {
  OpTester join = Op("StringJoin", {{"N", 2}, {"separator", "-"}});
  ExpectOutput(join, {Strings({2}, {"a", "b"}), Tensor::Scalar("x")}, Strings({2}, {"a-x", "b-x"}));
  ExpectOutput(join, {Tensor::Scalar("a"), Tensor::Scalar("")}, Tensor::Scalar("a-"));
  ExpectOutput(join, {Tensor::Scalar("a"), Strings({1}, {"x"})}, Strings({1}, {"a-x"}));
  ExpectOutput(join, {Strings({0}, {}), Tensor::Scalar("x")}, Strings({0}, {}));
  ExpectInvalid(join, {Strings({2}, {"a", "b"}), Strings({1}, {"x"})}, "input 1: expected a scalar or shape [2], got shape [1]");
  OpTester nothing = Op("StringJoin", {{"N", 0}});
  ExpectOutput(nothing, {}, Tensor::Scalar(""));
  const auto infer = [&](PartialShape a, PartialShape b) { return (*InferShapes(library_, "StringJoin", {{"N", 2}}, {a, b}))[0]; };
  EXPECT_EQ(infer(PartialShape::Of({2, -1}), PartialShape::Of({-1, 3})), PartialShape::Of({2, 3}));
  EXPECT_EQ(infer(PartialShape::Of({}), PartialShape::Of({-1, 3})), PartialShape::Of({-1, 3}));
  EXPECT_EQ(infer(PartialShape(), PartialShape::Of({2})), PartialShape());
}

TEST_F(StringOpsTest, Length) {
  const Tensor strings = Strings({4}, {"a\xc3\xa9", "", "\xff\xfe", "a\x80" "b"});
  OpTester bytes = Op("StringLength", {}), chars = Op("StringLength", {{"unit", "UTF8_CHAR"}});
  ExpectOutput(bytes, {strings}, Ints({4}, {3, 0, 2, 3}));
  ExpectOutput(chars, {strings}, Ints({4}, {2, 0, 2, 2}));
}

TEST_F(StringOpsTest, Case) {
  OpTester lower = Op("StringLower", {}), upper = Op("StringUpper", {});
  ExpectOutput(lower, {Strings({2}, {"A\xc3\x89" "1", ""})}, Strings({2}, {"a\xc3\x89" "1", ""}));
  ExpectOutput(upper, {Tensor::Scalar("a\xc3\xa9z")}, Tensor::Scalar("A\xc3\xa9Z"));
  OpTester lower8 = Op("StringLower", {{"encoding", "utf-8"}}), upper8 = Op("StringUpper", {{"encoding", "utf-8"}});
  ExpectOutput(lower8, {Tensor::Scalar("A\xc3\x89\xce\xa9")}, Tensor::Scalar("a\xc3\xa9\xcf\x89"));
  ExpectOutput(upper8, {Tensor::Scalar("a\xc3\xa9\xf0\x90\x90\xa8\xff")}, Tensor::Scalar("A\xc3\x89\xf0\x90\x90\x80\xef\xbf\xbd"));
  OpTester odd = Op("StringLower", {{"encoding", "latin-1"}});
  ExpectInvalid(odd, {Tensor::Scalar("a")}, "encoding: expected utf-8 or nothing, got 'latin-1'");
}

TEST_F(StringOpsTest, Substr) {
  OpTester substr = Op("Substr", {{"T", DType::kInt32}});
  const struct {
    const char* s;
    int32_t pos, len;
    const char* want;
  } cases[] = {{"hello", 1, 3, "ell"}, {"hello", -3, 2, "ll"},    {"hello", 5, 1, ""},     {"hello", -5, 2, "he"},
               {"hello", 1, -1, "ello"}, {"hello", 1, 100, "ello"}, {"", 0, 1, ""}};
  for (const auto& [s, pos, len, want] : cases) {
    SCOPED_TRACE(testing::Message() << s << " " << pos << " " << len);
    ExpectOutput(substr, {Tensor::Scalar(s), Tensor::Scalar(pos), Tensor::Scalar(len)}, Tensor::Scalar(want));
  }
  for (const int32_t pos : {6, -6, std::numeric_limits<int32_t>::min()}) {
    ExpectInvalid(substr, {Tensor::Scalar("hello"), Tensor::Scalar(pos), Tensor::Scalar(1)}, "pos: expected a place in the string 'hello'");
  }
  const Tensor words = Strings({2, 1}, {"hello", "world"});
  ExpectOutput(substr, {words, Ints({1, 2}, {1, 2}), Ints({1, 2}, {2, 3})}, Strings({2, 2}, {"el", "llo", "or", "rld"}));
  ExpectOutput(substr, {Tensor::Scalar("hello"), Ints({2}, {1, 2}), Ints({2}, {2, 3})}, Strings({2}, {"el", "llo"}));
  ExpectInvalid(substr, {words, Ints({2}, {1, 2}), Ints({1}, {2})}, "shape");
  ExpectInvalid(substr, {Strings({2}, {"a", "b"}), Ints({3}, {0, 0, 0}), Ints({3}, {1, 1, 1})}, "broadcast");
  const Tensor deep = Strings({1, 1, 1}, {"hello"});
  ExpectOutput(substr, {deep, Tensor::Scalar(1), Tensor::Scalar(2)}, Strings({1, 1, 1}, {"el"}));
  EXPECT_EQ(substr.Run({deep, Ints({2, 1}, {1, 2}), Ints({2, 1}, {1, 2})}).status().code(), absl::StatusCode::kUnimplemented);
  OpTester chars = Op("Substr", {{"T", DType::kInt64}, {"unit", "UTF8_CHAR"}});
  const Tensor text = Tensor::Scalar("a\xc3\xa9\xc3\x9fz");
  const auto at = [](int64_t i) { return Tensor::Scalar(i); };
  ExpectOutput(chars, {text, at(1), at(2)}, Tensor::Scalar("\xc3\xa9\xc3\x9f"));
  ExpectOutput(chars, {text, at(-2), at(5)}, Tensor::Scalar("\xc3\x9fz"));
  ExpectOutput(chars, {text, at(4), at(5)}, Tensor::Scalar(""));
  ExpectInvalid(chars, {text, at(5), at(5)}, "pos: expected a place in the string");
  EXPECT_EQ((*InferShapes(library_, "Substr", {{"T", DType::kInt32}},
                          {PartialShape::Of({2, 1}), PartialShape::Of({-1}), PartialShape::Of({3})}))[0], PartialShape::Of({2, 3}));
}

TEST_F(StringOpsTest, AsString) {
  const struct {
    Tensor x;
    AttrMap attrs;
    const char* want;
  } cases[] = {
      {Tensor::Scalar(-5), {}, "-5"},
      {Tensor::Scalar(1), {{"width", 8}}, "       1"},
      {Tensor::Scalar(-5), {{"width", 8}, {"fill", "0"}}, "-0000005"},
      {Tensor::Scalar(1), {{"width", 8}, {"fill", "-"}}, "1       "},
      {Tensor::Scalar(uint8_t{200}), {}, "200"},
      {Tensor::Scalar(~uint64_t{0}), {}, "18446744073709551615"},
      {Tensor::Scalar(true), {{"width", 8}}, "true"},
      {Tensor::Scalar(1.5f), {}, "1.500000"},
      {Tensor::Scalar(1.5f), {{"precision", 2}}, "1.50"},
      {Tensor::Scalar(1.5f), {{"scientific", true}}, "1.500000e+00"},
      {Tensor::Scalar(0.1), {{"shortest", true}}, "0.1"},
      {Tensor::Scalar(1e20f), {}, "100000002004087734272.000000"},
      {Tensor::Scalar(kNan), {{"width", 8}}, "     nan"},
      {Tensor::Scalar(kInf), {{"width", 8}, {"fill", "+"}}, "    +inf"},
      {Tensor::Scalar(Half(1.5f)), {{"precision", 3}, {"width", 8}, {"fill", " "}}, "   1.500"},
      {Tensor::Scalar(std::complex<float>(1, 2)), {{"precision", 1}}, "(1.0,2.0)"},
      {Tensor::Scalar("s"), {{"width", 4}}, "   s"},
      {Tensor::Scalar("s"), {{"width", 4}, {"fill", "-"}}, "s   "},
  };
  for (const auto& [x, attrs, want] : cases) {
    SCOPED_TRACE(want);
    OpTester as_string = Op("AsString", attrs.With("T", x.dtype()));
    ExpectOutput(as_string, {x}, Tensor::Scalar(want));
  }
  const AttrMap ints{{"T", DType::kInt32}}, floats{{"T", DType::kFloat32}};
  for (const AttrMap& attrs : {ints.With("precision", 2), ints.With("scientific", true), ints.With("fill", "00"),
                               ints.With("fill", "x"), ints.With("width", 1 << 30)}) {
    OpTester bad = Op("AsString", attrs);
    ExpectInvalid(bad, {Tensor::Scalar(1)}, "expected");
  }
  OpTester both = Op("AsString", floats.With("scientific", true).With("shortest", true));
  ExpectInvalid(both, {Tensor::Scalar(1.0f)}, "expected one of them, got both");
}

TEST_F(StringOpsTest, ToNumber) {
  OpTester floats = Op("StringToNumber", {}), doubles = Op("StringToNumber", {{"out_type", DType::kFloat64}});
  ExpectOutput(floats, {Strings({12}, {"1", " 1.5 ", "1e3", "+1", "-0", "nan", "inf", "-Infinity", "0x10", "1e400", ".5", "-0x8"})},
               Floats({12}, {1, 1.5, 1000, 1, -0.0f, kNan, kInf, -kInf, 16, kInf, 0.5, -8}));
  ExpectOutput(doubles, {Strings({2}, {"0.1", "1e-400"})}, Of<double>({2}, {0.1, 0}));
  for (const char* bad : {"", "abc", "1x", "1_0", "1 2", "1e", "0x", "0x-1", "--1"}) {
    ExpectInvalid(floats, {Tensor::Scalar(bad)}, "expected text of a number that fits float32, got '" + std::string(bad) + "'");
  }
  OpTester ints = Op("StringToNumber", {{"out_type", DType::kInt32}}), unsigned_ints = Op("StringToNumber", {{"out_type", DType::kUInt32}});
  ExpectOutput(ints, {Strings({3}, {"2147483647", "-1", " 2\n"})}, Ints({3}, {2147483647, -1, 2}));
  ExpectOutput(unsigned_ints, {Tensor::Scalar("4294967295")}, Tensor::Scalar(4294967295u));
  for (const char* bad : {"1.5", "2147483648", "0x10", "", "nan"}) ExpectInvalid(ints, {Tensor::Scalar(bad)}, "fits int32");
  ExpectInvalid(unsigned_ints, {Tensor::Scalar("-1")}, "fits uint32");
}

}  // namespace
}  // namespace flowlatch
