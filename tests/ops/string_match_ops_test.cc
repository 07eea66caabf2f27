#include "ops/string_match_ops.h"

#include "ops/kernels/string_hash.h"
#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class StringMatchOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterStringMatchOps(library_).ok()); }
  OpTester Tester(const std::string& op, AttrMap attrs = {}) { return OpTester(library_, op, std::move(attrs)); }

  OpLibrary library_;
  // Of every length class: shorter than a word, a word, more, and long.
  const Tensor strings_ =
      Of<String, std::string>({9}, {"", "a", "ab", "abcdefg", "abcdefgh", "abcdefghi", "a longer string than sixteen",
                                    std::string(100, 'x'), std::string(1000, 'y')});
};

constexpr int64_t kMany = int64_t{1} << 62;

// The numbers are TensorFlow's.
TEST_F(StringMatchOpsTest, HashBuckets) {
  OpTester fast = Tester("StringToHashBucketFast", {{"num_buckets", kMany}});
  ExpectOutput(fast, {strings_},
               Longs({9}, {1936946117179621455, 3694432073954588131, 3066228220894225694, 4341691227789030229,
                           4533385575889643785, 3687479239766293058, 1817207342043146779, 1978794067220662815,
                           3760325276695583553}));
  OpTester strong =
      Tester("StringToHashBucketStrong", {{"num_buckets", kMany}, {"key", std::vector<int64_t>{123, -456}}});
  ExpectOutput(
      strong, {strings_},
      Longs({9}, {139821925654099718, 3586765532990731589, 88903477832041694, 4349005829653461476, 163446701585130535,
                  1227882374690957076, 4201843504668642923, 2845362951444956094, 1514163452838670072}));
  OpTester old = Tester("StringToHashBucket", {{"num_buckets", kMany}});
  ExpectOutput(old, {strings_},
               Longs({9}, {105434511174508091, 2996632905371535868, 3579204183985781795, 2960345911509200448,
                           3429851175771700306, 2154505082538699157, 3532847154426977547, 1482511825497849095,
                           3423100813574640288}));
  OpTester few =
      Tester("StringToHashBucketStrong", {{"num_buckets", int64_t{10}}, {"key", std::vector<int64_t>{0, 1}}});
  ExpectOutput(few, {strings_}, Longs({9}, {0, 2, 1, 7, 2, 8, 5, 9, 0}));
}

TEST_F(StringMatchOpsTest, HashBucketsOfAnyShape) {
  OpTester one = Tester("StringToHashBucketFast", {{"num_buckets", int64_t{1}}});
  ExpectOutput(one, {Strings({}, {"a"})}, Longs({}, {0}));
  ExpectOutput(one, {Strings({2, 1}, {"a", "b"})}, Longs({2, 1}, {0, 0}));
  ExpectOutput(one, {Strings({0, 3}, {})}, Longs({0, 3}, {}));
  const Tensor many = Tensor::Make(DType::kString, {20000}).value();
  ExpectOutput(one, {many}, Tensor::Zeros(DType::kInt64, Shape::Of({20000})).value());
}

TEST_F(StringMatchOpsTest, HashBucketErrors) {
  OpTester none = Tester("StringToHashBucketFast", {{"num_buckets", int64_t{0}}});
  ExpectInvalid(none, {strings_}, "num_buckets");
  OpTester short_key =
      Tester("StringToHashBucketStrong", {{"num_buckets", int64_t{3}}, {"key", std::vector<int64_t>{1}}});
  ExpectInvalid(short_key, {strings_}, "key: expected 2 numbers, got 1");
}

// The test vectors of SipHash's authors: key 00 01 .. 0f, messages 00 01 ...
TEST(StringHash, SipHash) {
  const SipKey key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
  std::string message;
  EXPECT_EQ(SipHashOf(key, message), 0x726fdb47dd0e0e31u);
  for (char c = 0; c < 15; ++c) message.push_back(c);
  EXPECT_EQ(SipHashOf(key, message), 0xa129ca6149be45e5u);
}

TEST_F(StringMatchOpsTest, FullMatch) {
  const Tensor input = Strings({2, 2}, {"abcd", "", "xabcd", "abc\n"});
  const Tensor want = Bools({2, 2}, {true, false, false, false});
  OpTester fixed = Tester("StaticRegexFullMatch", {{"pattern", "a.*"}});
  ExpectOutput(fixed, {input}, want);
  OpTester given = Tester("RegexFullMatch");
  ExpectOutput(given, {input, Strings({}, {"a.*"})}, want);
  ExpectOutput(given, {input, Strings({}, {""})}, Bools({2, 2}, {false, true, false, false}));
  ExpectOutput(given, {Strings({}, {"\xc3\xa9"}), Strings({}, {"."})}, Bools({}, {true}));  // one character
  ExpectOutput(given, {Strings({}, {"\xff"}), Strings({}, {".*"})}, Bools({}, {false}));    // no character
  ExpectOutput(given, {Strings({0}, {}), Strings({}, {"."})}, Bools({0}, {}));
}

TEST_F(StringMatchOpsTest, Replace) {
  struct Case {
    const char *input, *pattern, *rewrite;
    bool global;
    const char* want;
  };
  for (const Case& k :
       {Case{"a.b.c", "\\.", "<\\0>", true, "a<.>b<.>c"}, Case{"a.b.c", "\\.", "<\\0>", false, "a<.>b.c"},
        Case{"abcabc", "(b)(c)", "\\2\\1", true, "acbacb"}, Case{"abc", "b*", "-", false, "-abc"},
        Case{"a1", "", "x", true, "xax1x"}, Case{"abc", ".", "\\1", true, "abc"},  // there is no such group
        Case{"", "^$", "empty", true, "empty"},
        Case{"\xff"
             "a",
             "a", "b", true,
             "\xff"
             "b"}}) {
    const Tensor input = Strings({1}, {k.input}), want = Strings({1}, {k.want});
    OpTester fixed =
        Tester("StaticRegexReplace", {{"pattern", k.pattern}, {"rewrite", k.rewrite}, {"replace_global", k.global}});
    ExpectOutput(fixed, {input}, want);
    OpTester given = Tester("RegexReplace", {{"replace_global", k.global}});
    ExpectOutput(given, {input, Strings({}, {k.pattern}), Strings({}, {k.rewrite})}, want);
  }
}

TEST_F(StringMatchOpsTest, RegexErrors) {
  const Tensor x = Strings({1}, {"x"}), one = Strings({1}, {"x"}), dot = Strings({}, {"."});
  OpTester match = Tester("RegexFullMatch"), replace = Tester("RegexReplace");
  ExpectInvalid(match, {x, Strings({}, {"A["})}, "pattern: expected a regular expression, got 'A['");
  ExpectInvalid(match, {x, one}, "pattern: expected a scalar, got shape [1]");
  ExpectInvalid(replace, {x, Strings({}, {"("}), dot}, "pattern");
  ExpectInvalid(replace, {x, dot, one}, "rewrite: expected a scalar, got shape [1]");
  OpTester fixed = Tester("StaticRegexFullMatch", {{"pattern", "A["}});
  ExpectInvalid(fixed, {x}, "pattern");
}

TEST_F(StringMatchOpsTest, Shapes) {
  const PartialShape partly = PartialShape::Of({-1, 2});
  EXPECT_EQ(InferShapes(library_, "RegexFullMatch", {}, {partly, PartialShape()}).value()[0], partly);
  EXPECT_EQ(InferShapes(library_, "StringToHashBucketFast", {{"num_buckets", kMany}}, {PartialShape()}).value()[0],
            PartialShape());
  ExpectInvalid(InferShapes(library_, "RegexReplace", {}, {partly, partly, PartialShape()}).status(), "rank");
}

}  // namespace
}  // namespace flowlatch
