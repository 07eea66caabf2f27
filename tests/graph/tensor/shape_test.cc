#include "graph/tensor/shape.h"

#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

void ExpectInvalid(const absl::Status& status, const std::string& text) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(text));
}

TEST(ShapeTest, Make) {
  const struct {
    Dims dims;
    int64_t elements;
    const char* text;
  } kCases[] = {{{}, 1, "[]"},
                {{0}, 0, "[0]"},
                {{2, 3}, 6, "[2,3]"},
                {{int64_t{1} << 40, 0}, 0, "[1099511627776,0]"},
                {{kMax, 1}, kMax, "[9223372036854775807,1]"},
                {{1, 2, 3, 4, 5, 6, 7}, 5040, "[1,2,3,4,5,6,7]"}};
  for (const auto& c : kCases) {
    const absl::StatusOr<Shape> shape = Shape::Make(c.dims);
    ASSERT_TRUE(shape.ok()) << shape.status();
    EXPECT_EQ(shape->num_elements(), c.elements);
    EXPECT_EQ(shape->ToString(), c.text);
    EXPECT_EQ(shape->rank(), static_cast<int>(c.dims.size()));
    EXPECT_EQ(*shape, Shape::FromValid(c.dims));
  }
  EXPECT_EQ(Shape().num_elements(), 1);
  EXPECT_NE(Shape::Of({2, 3}), Shape::Of({3, 2}));
}

TEST(ShapeTest, MakeErrors) {
  ExpectInvalid(Shape::Make({2, -1}).status(), "shape: expected dimensions >= 0, got -1");
  ExpectInvalid(Shape::Make({int64_t{1} << 32, int64_t{1} << 31}).status(),
                "expected an element count that fits int64");
  ExpectInvalid(Shape::Make({int64_t{1} << 62, 4, 0}).status(), "expected an element count");  // not hidden by the zero
  ExpectInvalid(Shape::Make(std::vector<int64_t>(255, 1)).status(), "expected at most 254 dimensions, got 255");
  EXPECT_TRUE(Shape::Make(std::vector<int64_t>(254, 1)).ok());
}

TEST(PartialShapeTest, WhatIsKnown) {
  const PartialShape unknown, some = PartialShape::Of({2, -1}), all = Shape::Of({2, 3});
  EXPECT_FALSE(unknown.has_rank());
  EXPECT_EQ(unknown.rank(), -1);
  EXPECT_EQ(unknown.ToString(), "?");
  EXPECT_EQ(some.ToString(), "[2,?]");
  EXPECT_TRUE(some.has_dim(0) && !some.has_dim(1));
  EXPECT_FALSE(some.fully_defined());
  EXPECT_EQ(some.ToShape(), std::nullopt);
  EXPECT_EQ(all.ToShape(), Shape::Of({2, 3}));
  EXPECT_EQ(PartialShape::UnknownOfRank(2), PartialShape::Of({-1, -1}));
  EXPECT_NE(PartialShape(), PartialShape::Of({}));
  ExpectInvalid(PartialShape::Make({-2}).status(), "expected dimensions >= -1, got -2");
  ExpectInvalid(PartialShape::Make({int64_t{1} << 62, 4}).status(), "element count");
  ExpectInvalid(PartialShape::Make(std::vector<int64_t>(255, -1)).status(), "at most 254");
}

PartialShape Parse(const std::string& text) {
  if (text == "?") return PartialShape();
  std::vector<int64_t> dims;
  for (const char c : text) {
    if (c == '?') dims.push_back(-1);
    if (c >= '0' && c <= '9') dims.push_back(c - '0');
  }
  return PartialShape::FromValid(dims);
}

TEST(PartialShapeTest, MergeAndJoin) {
  const struct {
    const char *a, *b, *merged, *joined;  // merged "": they disagree
  } kCases[] = {{"?", "?", "?", "?"},
                {"?", "[2]", "[2]", "?"},
                {"[]", "[]", "[]", "[]"},
                {"[?,3]", "[2,?]", "[2,3]", "[?,?]"},
                {"[2,3]", "[2,4]", "", "[2,?]"},
                {"[2]", "[2,1]", "", "?"},
                {"[0]", "[?]", "[0]", "[?]"},
                {"[2,3]", "[2,3]", "[2,3]", "[2,3]"}};
  for (const auto& c : kCases) {
    for (const bool swapped : {false, true}) {
      const PartialShape a = Parse(swapped ? c.b : c.a), b = Parse(swapped ? c.a : c.b);
      const absl::StatusOr<PartialShape> merged = a.MergeWith(b);
      EXPECT_EQ(a.CompatibleWith(b), merged.ok());
      if (*c.merged == '\0') {
        ExpectInvalid(merged.status(), "shapes: expected to agree, got " + a.ToString() + " and " + b.ToString());
      } else {
        ASSERT_TRUE(merged.ok()) << merged.status();
        EXPECT_EQ(merged->ToString(), c.merged);
      }
      EXPECT_EQ(a.JoinWith(b).ToString(), c.joined);
    }
  }
}

TEST(PartialShapeTest, AtLeastAsSpecific) {
  EXPECT_TRUE(Parse("[2,3]").IsAtLeastAsSpecificAs(Parse("[2,?]")));
  EXPECT_TRUE(Parse("[2]").IsAtLeastAsSpecificAs(Parse("?")));
  EXPECT_FALSE(Parse("?").IsAtLeastAsSpecificAs(Parse("[?]")));
  EXPECT_FALSE(Parse("[?]").IsAtLeastAsSpecificAs(Parse("[2]")));
  EXPECT_FALSE(Parse("[2,2]").IsAtLeastAsSpecificAs(Parse("[2]")));
}

TEST(PartialShapeTest, Concatenate) {
  EXPECT_EQ(Parse("[2,?]").Concatenate(Parse("[3]"))->ToString(), "[2,?,3]");
  EXPECT_EQ(Parse("[2]").Concatenate(Parse("?"))->ToString(), "?");
  ExpectInvalid(PartialShape::UnknownOfRank(200).Concatenate(PartialShape::UnknownOfRank(55)).status(), "at most 254");
}

TEST(BroadcastTest, Shapes) {
  const struct {
    const char *a, *b, *result;  // "": they do not match
  } kCases[] = {{"[]", "[]", "[]"},
                {"[]", "[2,3]", "[2,3]"},
                {"[3]", "[2,3]", "[2,3]"},
                {"[2,1]", "[1,3]", "[2,3]"},
                {"[2,1,3]", "[4,1]", "[2,4,3]"},
                {"[0]", "[1]", "[0]"},
                {"[0]", "[2]", ""},
                {"[2]", "[3]", ""},
                {"?", "[2]", "?"},
                {"[?]", "[1]", "[?]"},
                {"[?]", "[3]", "[3]"},
                {"[?]", "[?]", "[?]"},
                {"[?,2]", "[3,1,2]", "[3,?,2]"},
                {"[?]", "[0]", "[0]"}};
  for (const auto& c : kCases) {
    for (const bool swapped : {false, true}) {
      const PartialShape a = Parse(swapped ? c.b : c.a), b = Parse(swapped ? c.a : c.b);
      const absl::StatusOr<PartialShape> partial = BroadcastPartialShapes(a, b);
      if (*c.result == '\0') {
        ExpectInvalid(partial.status(), "expected to broadcast, got incompatible");
      } else {
        ASSERT_TRUE(partial.ok()) << partial.status();
        EXPECT_EQ(partial->ToString(), c.result) << c.a << c.b;
      }
      if (!a.fully_defined() || !b.fully_defined()) continue;
      const absl::StatusOr<Shape> shape = BroadcastShapes(a.dims(), b.dims());
      ASSERT_EQ(shape.ok(), partial.ok());
      if (shape.ok()) EXPECT_EQ(shape->ToString(), c.result);
    }
  }
  ExpectInvalid(BroadcastShapes({int64_t{1} << 40, 1}, {int64_t{1} << 40}).status(), "element count");
}

}  // namespace
}  // namespace flowlatch
