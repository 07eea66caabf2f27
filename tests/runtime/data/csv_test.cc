#include "runtime/data/csv.h"

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

TEST(CsvTest, ColumnsHaveTypes) {
  const auto table = ParseCsv("id, size ,name\n1,2.5,a\n-2,3e4,\"b, \"\"c\"\"\"\n", "t.csv");
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_EQ(table->size(), 3);
  EXPECT_EQ((*table)[0].first, "id");
  EXPECT_EQ(Difference((*table)[0].second, Longs({2}, {1, -2})), "");
  EXPECT_EQ((*table)[1].first, "size");
  EXPECT_EQ(Difference((*table)[1].second, Floats({2}, {2.5f, 3e4f})), "");
  EXPECT_EQ((*table)[2].first, "name");
  EXPECT_EQ(Difference((*table)[2].second, Strings({2}, {"a", "b, \"c\""})), "");
}

TEST(CsvTest, LineEndsAndMarks) {
  const Tensor want = Longs({2}, {1, 2});
  for (const char* text : {"x\n1\n2\n", "x\n1\n2", "x\r\n1\r\n2\r\n", "\xef\xbb\xbfx\n1\n2", "\"x\"\r\n\"1\"\r\n2"}) {
    const auto table = ParseCsv(text, "t.csv");
    ASSERT_TRUE(table.ok()) << table.status() << " of " << text;
    EXPECT_EQ((*table)[0].first, "x");
    EXPECT_EQ(Difference((*table)[0].second, want), "") << text;
  }
  const auto lines = ParseCsv("x,y\n\"a\nb\",1\n\nc,2\n", "t.csv");
  ASSERT_TRUE(lines.ok()) << lines.status();
  EXPECT_EQ(Difference((*lines)[0].second, Strings({2}, {"a\nb", "c"})), "") << "an empty line is no row";
}

TEST(CsvTest, ErrorsNameTheLine) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"", "line 1: expected a line of names"},
      {"a,b\n", "expected rows below the names, got none"},
      {"a,a\n1,2\n", "line 1: expected names that differ, got 'a'"},
      {"a,\n1,2\n", "line 1: expected names that differ, got ''"},
      {"a,b\n1,2\n1\n", "line 3: expected 2 fields, got 1"},
      {"a,b\n\"1\n\",2\n1,2,3\n", "line 4: expected 2 fields, got 3"},
      {"a\n\"b\n", "line 2: expected a quote that closes a field"},
      {"a\n\"b\"c\n", "line 2: expected a comma or the end of the line"},
      {"a\nb\"c\n", "line 2: expected quotes around a whole field"},
  };
  for (const auto& c : cases) {
    const absl::Status status = ParseCsv(c.text, "t.csv").status();
    ExpectInvalid(status, c.error);
    ExpectInvalid(status, "file 't.csv'");
  }
}

}  // namespace
}  // namespace flowlatch
