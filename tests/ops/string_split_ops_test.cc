#include "ops/string_split_ops.h"

#include "tests/ops/sparse_tensors.h"

namespace flowlatch {
namespace {

class StringSplitOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterStringSplitOps(library_).ok()); }
  // The pieces of each row: "a|b;;c". Fails the test unless the parts fit each other.
  std::string Split(const std::string& op, AttrMap attrs, const Tensor& input, const char* separator) {
    OpTester tester(library_, op, std::move(attrs));
    const auto out = tester.Run({input, Tensor::Scalar(separator)});
    if (!out.ok()) return std::string(absl::StatusCodeToString(out.status().code()));
    std::string text;
    int64_t row = 0, widest = 0;
    for (int64_t i = 0; i < (*out)[1].num_elements(); ++i) {
      const int64_t* index = (*out)[0].data<int64_t>() + 2 * i;
      for (; row < index[0]; ++row) text += ";";
      if (index[1] > 0) text += "|";
      widest = std::max(widest, index[1] + 1);
      text += (*out)[1].data<String>()[i].view();
    }
    EXPECT_EQ(Difference((*out)[2], Longs({2}, {input.num_elements(), widest})), "");
    return text;
  }

  OpLibrary library_;
};

TEST_F(StringSplitOpsTest, Strip) {
  OpTester op(library_, "StringStrip", {});
  ExpectOutput(op, {Strings({2, 2}, {" a b \t\n\v\f\r", "\xa0x", "", " \n"})}, Strings({2, 2}, {"a b", "\xa0x", "", ""}));
  ExpectOutput(op, {Tensor::Scalar("x")}, Tensor::Scalar("x"));
}

TEST_F(StringSplitOpsTest, SplitAtBytes) {
  const Tensor input = Strings({4}, {"a b  c", "", "x,y;z", " "});
  const struct {
    const char* delimiter;
    bool skip_empty;
    const char* want;
  } cases[] = {
      {" ", true, "a|b|c;;x,y;z"},        {" ", false, "a|b||c;;x,y;z;|"},      {"", true, "a| |b| | |c;;x|,|y|;|z; "},
      {",;", true, "a b  c;;x|y|z; "},    {",;", false, "a b  c;;x|y|z; "},
  };
  for (const auto& [delimiter, skip_empty, want] : cases) {
    SCOPED_TRACE(testing::Message() << "'" << delimiter << "' " << skip_empty);
    EXPECT_EQ(Split("StringSplit", {{"skip_empty", skip_empty}}, input, delimiter), want);
  }
  EXPECT_EQ(Split("StringSplit", {}, Strings({0}, {}), " "), "");
  OpTester op(library_, "StringSplit", {});
  ExpectInvalid(op, {Tensor::Scalar("a"), Tensor::Scalar(" ")}, "input: expected a vector, got shape []");
  ExpectInvalid(op, {Strings({1}, {"a"}), Strings({1}, {" "})}, "delimiter: expected a scalar, got shape [1]");
}

TEST_F(StringSplitOpsTest, SplitAtSeparators) {
  const Tensor input = Strings({4}, {"a b  c", "", "x,y,z", " a<>b<><>c<> "});
  const struct {
    const char* separator;
    int64_t most;
    const char* want;
  } cases[] = {
      {"", -1, "a|b|c;;x,y,z;a<>b<><>c<>"},
      {" ", -1, "a|b||c;;x,y,z;|a<>b<><>c<>|"},
      {"", 1, "a|b  c;;x,y,z|;a<>b<><>c<>|"},
      {",", 1, "a b  c;;x|y,z; a<>b<><>c<> "},
      {"<>", -1, "a b  c;;x,y,z; a|b||c| "},
      {",", 0, "a b  c;;x,y,z; a<>b<><>c<> "},
      {"", 0, "a b  c;;x,y,z; a<>b<><>c<> "},
      {",", -5, "a b  c;;x|y|z; a<>b<><>c<> "},
  };
  for (const auto& [separator, most, want] : cases) {
    SCOPED_TRACE(testing::Message() << "'" << separator << "' " << most);
    EXPECT_EQ(Split("StringSplitV2", {{"maxsplit", most}}, input, separator), want);
  }
  OpTester op(library_, "StringSplitV2", {});
  ExpectInvalid(op, {Strings({1}, {"a"}), Strings({1}, {" "})}, "sep: expected a scalar, got shape [1]");
  const auto shapes = InferShapes(library_, "StringSplitV2", {}, {PartialShape(), PartialShape()});
  EXPECT_EQ((*shapes)[0], PartialShape::Of({-1, 2}));
  EXPECT_EQ((*shapes)[1], PartialShape::Of({-1}));
  EXPECT_EQ((*shapes)[2], PartialShape::Of({2}));
  ExpectInvalid(InferShapes(library_, "StringSplitV2", {}, {PartialShape::Of({}), PartialShape()}).status(), "");
}

AttrMap NGramAttrs(std::vector<int64_t> widths, int64_t pad_width, bool preserve_short = false) {
  return {{"separator", "|"}, {"ngram_widths", std::move(widths)}, {"left_pad", "L"}, {"right_pad", "R"},
          {"pad_width", pad_width}, {"preserve_short_sequences", preserve_short}};
}

TEST_F(StringSplitOpsTest, NGrams) {
  const Tensor data = Strings({5}, {"a", "b", "c", "d", "e"}), splits = Longs({5}, {0, 3, 4, 4, 5});
  const struct {
    AttrMap attrs;
    Tensor ngrams, splits;
  } cases[] = {
      {NGramAttrs({2}, -1), Strings({9}, {"L|a", "a|b", "b|c", "c|R", "L|d", "d|R", "L|R", "L|e", "e|R"}), Longs({5}, {0, 4, 6, 7, 9})},
      {NGramAttrs({2}, 10), Strings({9}, {"L|a", "a|b", "b|c", "c|R", "L|d", "d|R", "L|R", "L|e", "e|R"}), Longs({5}, {0, 4, 6, 7, 9})},
      {NGramAttrs({2}, 0), Strings({2}, {"a|b", "b|c"}), Longs({5}, {0, 2, 2, 2, 2})},
      {NGramAttrs({2, 3}, 0, true), Strings({5}, {"a|b", "b|c", "a|b|c", "d", "e"}), Longs({5}, {0, 3, 4, 4, 5})},
      {NGramAttrs({4}, 1, true), Strings({4}, {"L|a|b|c", "a|b|c|R", "L|d|R", "L|e|R"}), Longs({5}, {0, 2, 3, 3, 4})},
      {NGramAttrs({5, 2}, 1, true),
       Strings({10}, {"L|a|b|c|R", "L|a", "a|b", "b|c", "c|R", "L|d", "d|R", "L|R", "L|e", "e|R"}), Longs({5}, {0, 5, 7, 8, 10})},
      {NGramAttrs({1}, -1), data, splits},
      {NGramAttrs({}, -1), Strings({0}, {}), Longs({5}, {0, 0, 0, 0, 0})},
  };
  for (const auto& [attrs, ngrams, out_splits] : cases) {
    OpTester op(library_, "StringNGrams", attrs);
    ExpectOutputs(op, {data, splits}, {ngrams, out_splits});
  }
  OpTester narrow(library_, "StringNGrams", NGramAttrs({2}, 0).With("Tsplits", DType::kInt32));
  ExpectOutputs(narrow, {data, Ints({2}, {0, 5})}, {Strings({4}, {"a|b", "b|c", "c|d", "d|e"}), Ints({2}, {0, 4})});
  ExpectOutputs(narrow, {Strings({0}, {}), Ints({0}, {})}, {Strings({0}, {}), Ints({0}, {})});
  ExpectOutputs(narrow, {Strings({0}, {}), Ints({1}, {0})}, {Strings({0}, {}), Ints({1}, {0})});
}

TEST_F(StringSplitOpsTest, NGramErrors) {
  const Tensor data = Strings({5}, {"a", "b", "c", "d", "e"});
  OpTester op(library_, "StringNGrams", NGramAttrs({2}, -1));
  const struct {
    Tensor splits;
    const char* error;
  } cases[] = {
      {Longs({3}, {1, 3, 5}), "data_splits: expected 0 first and 5 last, got 1 and 5"},
      {Longs({2}, {0, 6}), "data_splits: expected 0 first and 5 last, got 0 and 6"},
      {Longs({4}, {0, 3, 2, 5}), "data_splits: expected values that do not decrease, got 3 before 2"},
      {Longs({3}, {0, 9, 5}), "data_splits: expected values that do not decrease, got 9 before 5"},
      {Longs({1, 2}, {0, 5}), "data_splits"},
  };
  for (const auto& [splits, error] : cases) ExpectInvalid(op, {data, splits}, error);
  ExpectInvalid(op, {Tensor::Scalar("a"), Longs({2}, {0, 1})}, "data");
  OpTester zero(library_, "StringNGrams", NGramAttrs({0}, -1));
  ExpectInvalid(zero, {data, Longs({2}, {0, 5})}, "ngram_widths: expected values in [1,");
  const auto shapes = InferShapes(library_, "StringNGrams", NGramAttrs({2}, -1), {PartialShape(), PartialShape::Of({4})});
  EXPECT_EQ((*shapes)[0], PartialShape::Of({-1}));
  EXPECT_EQ((*shapes)[1], PartialShape::Of({4}));
}

}  // namespace
}  // namespace flowlatch
