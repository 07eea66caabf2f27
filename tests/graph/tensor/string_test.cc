#include "graph/tensor/string.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

// Lengths on both sides of what fits into the element itself.
std::vector<std::string> Samples() {
  std::vector<std::string> samples;
  for (const size_t size : {0, 1, 21, 22, 23, 24, 63, 64, 1000}) samples.emplace_back(size, 'a' + size % 26);
  samples.emplace_back("with\0zero", 9);
  return samples;
}

TEST(StringTest, Values) {
  for (const std::string& a : Samples()) {
    const String s(a);
    EXPECT_EQ(s.view(), a);
    EXPECT_EQ(s.size(), a.size());
    EXPECT_EQ(s.data()[s.size()], '\0');
    const String copy(s);
    EXPECT_EQ(copy, s);
    String moved(copy);
    const String target(std::move(moved));
    EXPECT_EQ(target.view(), a);
    EXPECT_EQ(moved.view(), "");
  }
}

TEST(StringTest, AssignmentsBetweenAllLengths) {
  for (const std::string& a : Samples()) {
    for (const std::string& b : Samples()) {
      String x(a), y(b), z(a);
      x = y;
      EXPECT_EQ(x.view(), b);
      EXPECT_EQ(y.view(), b);
      z = std::move(x);
      EXPECT_EQ(z.view(), b);
      z = std::string_view(a);
      EXPECT_EQ(z.view(), a);
      z = z.view().substr(z.size() / 2);  // a part of itself
      EXPECT_EQ(z.view(), a.substr(a.size() / 2));
      String& self = z;
      z = self;
      EXPECT_EQ(z.view(), a.substr(a.size() / 2));
      EXPECT_EQ(String(a) < String(b), a < b);
    }
  }
}

}  // namespace
}  // namespace flowlatch
