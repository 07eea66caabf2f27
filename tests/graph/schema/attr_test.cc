#include "graph/schema/attr.h"

#include <cmath>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

TEST(AttrTest, KindsAndTexts) {
  const struct {
    Attr attr;
    const char* kind;
    const char* text;
  } kCases[] = {
      {Attr(), "none", "none"},
      {3, "int", "3"},
      {int64_t{-9223372036854775807}, "int", "-9223372036854775807"},
      {1.f, "float", "1.0"},
      {0.1f, "float", "0.1"},
      {16777217.f, "float", "16777216.0"},
      {1.17549435e-38f, "float", "1.17549435e-38"},
      {INFINITY, "float", "inf"},
      {true, "bool", "true"},
      {"a\"\n", "string", "\"a\\\"\\n\""},
      {std::string(), "string", "\"\""},
      {DType::kFloat32, "type", "float32"},
      {PartialShape::Of({2, -1}), "shape", "[2,?]"},
      {PartialShape(), "shape", "?"},
      {Tensor::Scalar(1), "tensor", "int32[] = 1"},
      {FunctionRef{"f", {}}, "func", "f"},
      {FunctionRef{"f", {{"T", DType::kInt32}, {"n", 2}}}, "func", "f{T=int32, n=2}"},
      {std::vector<int64_t>{1, 2}, "list(int)", "[1, 2]"},
      {std::vector<float>{}, "list(float)", "[]"},
      {std::vector<bool>{true, false}, "list(bool)", "[true, false]"},
      {std::vector<std::string>{"a", ""}, "list(string)", "[\"a\", \"\"]"},
      {std::vector<DType>{DType::kInt8}, "list(type)", "[int8]"},
      {std::vector<PartialShape>{PartialShape()}, "list(shape)", "[?]"},
      {std::vector<FunctionRef>{{"f", {}}, {"g", {}}}, "list(func)", "[f, g]"},
      {AttrPlaceholder{"T"}, "placeholder", "$T"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(c.attr.KindName(), c.kind);
    EXPECT_EQ(c.attr.ToString(), c.text);
    for (const auto& other : kCases) EXPECT_EQ(c.attr == other.attr, &c == &other) << c.text << " and " << other.text;
  }
}

TEST(AttrTest, Get) {
  const Attr attr(3);
  EXPECT_EQ(*attr.Get<int64_t>(), 3);
  EXPECT_EQ(attr.Get<float>(), nullptr);
  EXPECT_EQ(*Attr("x").Get<std::string>(), "x");
  EXPECT_EQ(*Attr(std::string_view("x")).Get<std::string>(), "x");
}

TEST(AttrTest, EqualityIsByBits) {
  EXPECT_EQ(Attr(NAN), Attr(NAN));
  EXPECT_FALSE(Attr(0.f) == Attr(-0.f));
  EXPECT_EQ(Attr(std::vector<float>{NAN}), Attr(std::vector<float>{NAN}));
  EXPECT_EQ(Attr(Tensor::Vector<int32_t>({1, 2})), Attr(Tensor::Vector<int32_t>({1, 2})));
  EXPECT_FALSE(Attr(Tensor::Vector<int32_t>({1, 2})) ==
               Attr(*Tensor::Vector<int32_t>({1, 2}).Reshaped(Shape::Of({2, 1}))));
  EXPECT_FALSE(Attr(Tensor::Scalar(1)) == Attr(Tensor::Scalar(1u)));
  EXPECT_EQ(Attr(Tensor::Scalar("a")), Attr(Tensor::Scalar("a")));
  EXPECT_FALSE(Attr(std::vector<int64_t>{}) == Attr(std::vector<float>{}));
}

TEST(AttrMapTest, SortedAndShared) {
  const AttrMap empty, map{{"b", 2}, {"a", 1}, {"c", 3}, {"b", 4}};
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(empty.Find("a"), nullptr);
  ASSERT_EQ(map.entries().size(), 3u);
  EXPECT_EQ(map.entries()[0].first, "a");
  EXPECT_EQ(*map.Find("b")->Get<int64_t>(), 4);  // the last one counts
  EXPECT_EQ(map.Find("ab"), nullptr);
  const AttrMap copy = map;
  EXPECT_TRUE(copy.SharesWith(map));
  EXPECT_EQ(copy, map);
}

TEST(AttrMapTest, WithAndWithout) {
  const AttrMap map{{"b", 2}};
  const AttrMap more = map.With("a", 1).With("c", 3).With("b", 5);
  EXPECT_EQ(more, (AttrMap{{"a", 1}, {"b", 5}, {"c", 3}}));
  EXPECT_EQ(map, (AttrMap{{"b", 2}}));
  EXPECT_EQ(more.Without("b"), (AttrMap{{"a", 1}, {"c", 3}}));
  EXPECT_TRUE(more.Without("x").SharesWith(more));
  EXPECT_TRUE(map.Without("b").empty());
  EXPECT_EQ(map.Without("b"), AttrMap());
}

}  // namespace
}  // namespace flowlatch
