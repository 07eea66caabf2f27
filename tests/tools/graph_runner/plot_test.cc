#include "tools/graph_runner/plot.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

TEST(PlotTest, DrawsFromTheSmallestToTheLargestValue) {
  EXPECT_EQ(PlotText({{"rising", {0, 1, 2, 3}}, {"flat", {1, 1, 1, 1}}}, {.width = 4, .height = 4}),
            "       3 ┤   a\n"
            "       2 ┤  a\n"
            "         │bbbb\n"
            "       0 ┤a\n"
            "         └────\n"
            "          a rising   b flat\n");
}

TEST(PlotTest, LogarithmicAxes) {
  EXPECT_EQ(PlotText({{"x", {100, 10, 1}}}, {.width = 3, .height = 3, .logarithmic = true}),
            "     100 ┤a\n"
            "      10 ┤ a\n"
            "       1 ┤  a\n"
            "         └───\n"
            "          a x\n");
  // Not below zero.
  EXPECT_EQ(PlotText({{"x", {-1, 0}}}, {.width = 2, .height = 2, .logarithmic = true}).substr(0, 15), "       0 ┤ a\n");
}

TEST(PlotTest, ManyValuesAreAveragedFewAreStretched) {
  const std::string many = PlotText({{"x", {0, 2, 4, 6}}}, {.width = 2, .height = 2});
  EXPECT_NE(many.find("       5 ┤ a\n"), std::string::npos) << many;
  const std::string few = PlotText({{"x", {0, 1}}}, {.width = 4, .height = 2});
  EXPECT_NE(few.find("       1 ┤  aa\n       0 ┤aa\n"), std::string::npos) << few;
}

TEST(PlotTest, WhatIsNotFiniteIsLeftOut) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(PlotText({{"x", {nan, inf}}}, {}), "");
  EXPECT_EQ(PlotText({}, {}), "");
  const std::string some = PlotText({{"x", {1, nan, 1}}}, {.width = 3, .height = 1});
  EXPECT_NE(some.find("       1 ┤a a\n"), std::string::npos) << some;
}

TEST(PlotTest, Colours) {
  const std::string text = PlotText({{"x", {1}}}, {.width = 1, .height = 1, .color = true});
  EXPECT_NE(text.find("\x1b[34m●\x1b[0m"), std::string::npos);
}

}  // namespace
}  // namespace flowlatch
