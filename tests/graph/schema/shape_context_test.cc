#include "graph/schema/shape_context.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

using ::testing::HasSubstr;

const OpSchema& Op() {
  static const auto* op = new OpSchema(
      OpSchema::Parse("Op(a: int32, b: int32) -> (c: int32, d: int32); n: int = 3; keep: bool; axes: list(int) = [1]")
          .value());
  return *op;
}

class ShapeContextTest : public testing::Test {
 protected:
  ShapeContext Make(std::vector<PartialShape> inputs, std::vector<const Tensor*> constants = {}) {
    constants.resize(inputs.size());
    return ShapeContext(Op(), attrs_, std::move(inputs), std::move(constants), 2);
  }
  static void ExpectInvalid(const absl::Status& status, const std::string& text) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  }
  const AttrMap attrs_{{"keep", true}};
};

TEST_F(ShapeContextTest, Ranks) {
  const ShapeContext c = Make({PartialShape(), PartialShape::Of({2, -1})});
  EXPECT_EQ(c.WithRank(0, 2)->ToString(), "[?,?]");
  EXPECT_EQ(c.WithRank(1, 2)->ToString(), "[2,?]");
  ExpectInvalid(c.WithRank(1, 3).status(), "input 1 of Op: expected rank 3, got shape [2,?]");
  EXPECT_EQ(c.WithRankAtLeast(0, 2)->ToString(), "?");
  EXPECT_EQ(c.WithRankAtLeast(1, 2)->ToString(), "[2,?]");
  ExpectInvalid(c.WithRankAtLeast(1, 3).status(), "expected rank >= 3");
  EXPECT_TRUE(c.ExpectScalar(0).ok());
  ExpectInvalid(c.ExpectVector(1), "expected rank 1");
}

TEST_F(ShapeContextTest, Constants) {
  const Tensor ints = Tensor::Vector<int32_t>({2, -1}), longs = Tensor::Scalar<int64_t>(7),
               floats = Tensor::Scalar(1.f), bad = Tensor::Vector<int32_t>({-2});
  const PartialShape two = PartialShape::Of({2}), scalar = PartialShape::Of({});
  EXPECT_EQ(Make({two}, {&ints}).InputAsShape(0)->ToString(), "[2,?]");
  EXPECT_EQ(Make({two}).InputAsShape(0)->ToString(), "[?,?]");
  EXPECT_EQ(Make({PartialShape::Of({-1})}).InputAsShape(0)->ToString(), "?");
  EXPECT_EQ(Make({PartialShape()}).InputAsShape(0)->ToString(), "?");
  ExpectInvalid(Make({scalar}).InputAsShape(0).status(), "expected rank 1");
  ExpectInvalid(Make({PartialShape::Of({1})}, {&bad}).InputAsShape(0).status(), "expected dimensions >= -1, got -2");
  ExpectInvalid(Make({PartialShape::Of({int64_t{1} << 40})}).InputAsShape(0).status(),
                "expected at most 254 dimensions");
  EXPECT_EQ(Make({scalar}, {&longs}).ConstantInt(0).value(), 7);
  EXPECT_EQ(Make({two}, {&ints}).ConstantInt(0).value(), std::nullopt);
  EXPECT_EQ(Make({scalar}).ConstantInt(0).value(), std::nullopt);
  ExpectInvalid(Make({scalar}, {&floats}).ConstantInt(0).status(), "input 0: expected int32 or int64, got float32");
  EXPECT_EQ(Make({two}, {&ints}).ConstantInts(0).value(), (Dims{2, -1}));
}

TEST_F(ShapeContextTest, Attributes) {
  const ShapeContext c = Make({});
  EXPECT_EQ(c.Int("n").value(), 3);
  EXPECT_EQ(c.Bool("keep").value(), true);
  EXPECT_EQ(c.Ints("axes").value(), (std::vector<int64_t>{1}));
  ExpectInvalid(c.Str("n").status(), "attr 'n' of op Op");
  ExpectInvalid(c.Int("other").status(), "attr 'other' of op Op");
}

TEST_F(ShapeContextTest, SharedFunctions) {
  const struct {
    ShapeFunction function;
    std::vector<PartialShape> inputs;
    std::vector<std::string> outputs;  // empty: an error
  } kCases[] = {
      {shapes::Unknown, {PartialShape::Of({2}), PartialShape()}, {"?", "?"}},
      {shapes::Scalar, {PartialShape::Of({2})}, {"[]", "[]"}},
      {shapes::SameAsInput, {PartialShape::Of({2, -1}), PartialShape()}, {"[2,?]", "[2,?]"}},
      {shapes::MergeOfInputs, {PartialShape::Of({2, -1}), PartialShape::Of({-1, 3})}, {"[2,3]", "?"}},
      {shapes::MergeOfInputs, {PartialShape::Of({2}), PartialShape::Of({3})}, {}},
      {shapes::Broadcast, {PartialShape::Of({2, 1}), PartialShape::Of({3})}, {"[2,3]", "?"}},
      {shapes::Broadcast, {PartialShape::Of({2}), PartialShape::Of({3})}, {}},
      {shapes::NoOutputs, {}, {"?", "?"}},
  };
  for (const auto& c : kCases) {
    ShapeContext context = Make(c.inputs);
    const absl::Status status = c.function(context);
    ASSERT_EQ(status.ok(), !c.outputs.empty()) << status;
    for (size_t i = 0; i < c.outputs.size(); ++i) EXPECT_EQ(context.outputs()[i].ToString(), c.outputs[i]);
  }
}

}  // namespace
}  // namespace flowlatch
