#include "graph/base/string_arena.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

TEST(StringArenaTest, StringsStay) {
  StringArena arena;
  std::vector<std::pair<std::string, std::string_view>> kept;
  for (int i = 0; i < 5000; ++i) {
    const std::string text(i % 97 == 0 ? 5000 + i : i % 13, static_cast<char>('a' + i % 26));
    kept.emplace_back(text, arena.Add(text));
  }
  for (const auto& [text, view] : kept) EXPECT_EQ(view, text);
}

}  // namespace
}  // namespace flowlatch
