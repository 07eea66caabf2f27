#include "graph/base/near_names.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

std::string Hint(std::string_view wanted, const std::vector<std::string>& candidates) {
  NearNames near(wanted);
  for (const std::string& candidate : candidates) near.Consider(candidate);
  return near.Hint();
}

TEST(NearNamesTest, Hints) {
  const struct {
    const char* what;
    std::string wanted;
    std::vector<std::string> candidates;
    std::string hint;
  } kCases[] = {
      {"nothing to choose from", "a", {}, ""},
      {"nothing near", "abcdef", {"uvwxyz", "a"}, ""},
      {"one letter more", "sum", {"summ", "other"}, "; did you mean 'summ'?"},
      {"a letter less, and one changed", "MatMul", {"MatMu", "MatMal"}, "; did you mean 'MatMu', 'MatMal'?"},
      {"the nearest first",
       "dense/kernel",
       {"dense/kernels", "dense/kernel", "dence/kernels"},
       "; did you mean 'dense/kernel', 'dense/kernels', 'dence/kernels'?"},
      {"three at most", "aaaa", {"aaab", "aaac", "aaad", "aaae"}, "; did you mean 'aaab', 'aaac', 'aaad'?"},
      {"the same last part",
       "logits",
       {"model/head/logits", "model/head/other"},
       "; did you mean 'model/head/logits'?"},
      {"an empty name", "", {"a", "abc"}, "; did you mean 'a'?"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Hint(c.wanted, c.candidates), c.hint) << c.what;
}

TEST(NearNamesTest, LongNamesAreComparedByTheirEnds) {
  const std::string start(100000, 'x');
  EXPECT_EQ(Hint(start + "/name", {start + start + "/name"}), "; did you mean '" + start + start + "/name'?");
}

}  // namespace
}  // namespace flowlatch
