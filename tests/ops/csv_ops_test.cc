#include "ops/csv_ops.h"

#include <cmath>
#include <limits>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class CsvOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterCsvOps(library_).ok()); }
  OpTester Op(AttrMap attrs = {}) {
    return OpTester(library_, "DecodeCSV", attrs.With("OUT_TYPE", std::vector<DType>{DType::kInt32, DType::kFloat32, DType::kString}));
  }
  std::vector<Tensor> Inputs(const Tensor& records) {
    return {records, Ints({1}, {9}), Floats({1}, {8}), Strings({1}, {"d"})};
  }

  OpLibrary library_;
};

TEST_F(CsvOpsTest, Fields) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  const struct {
    const char* record;
    int32_t number;
    float real;
    const char* text;
  } cases[] = {
      {"1,2.5,abc", 1, 2.5, "abc"},      {"1,2.5,\"a,b\"", 1, 2.5, "a,b"},     {"1,2.5,\"a\"\"b\"", 1, 2.5, "a\"b"},
      {"1,2.5,", 1, 2.5, "d"},           {",,", 9, 8, "d"},                    {" 1 , 2.5 , x ", 1, 2.5, " x "},
      {"1,2.5,\"a\nb\"", 1, 2.5, "a\nb"}, {"1,1e400,a", 1, inf, "a"},          {"1,nan,a", 1, nan, "a"},
      {"1,2.5,\"\"", 1, 2.5, "d"},       {"\"1\",\"2.5\",\"x\"", 1, 2.5, "x"}, {"+1,0x10,a", 1, 16, "a"},
  };
  OpTester op = Op();
  for (const auto& [record, number, real, text] : cases) {
    SCOPED_TRACE(record);
    ExpectOutputs(op, Inputs(Tensor::Scalar(record)), {Tensor::Scalar(number), Tensor::Scalar(real), Tensor::Scalar(text)});
  }
  ExpectOutputs(op, Inputs(Strings({2, 1}, {"1,2,a", "3,4,b"})), {Ints({2, 1}, {1, 3}), Floats({2, 1}, {2, 4}), Strings({2, 1}, {"a", "b"})});
  ExpectOutputs(op, Inputs(Strings({0}, {})), {Ints({0}, {}), Floats({0}, {}), Strings({0}, {})});
}

TEST_F(CsvOpsTest, Malformed) {
  const struct {
    const char* record;
    const char* error;
  } cases[] = {
      {"1,2.5,a\"b", "no quotes and line breaks in a field without quotes"},
      {"1,2.5,a\n", "no quotes and line breaks"},
      {"1,2.5,a\r\n", "no quotes and line breaks"},
      {"1,2.5,\"a\"b", "each quote in a field with quotes doubled"},
      {"1,2.5,\"a\"\n", "each quote in a field with quotes doubled"},
      {"1,2.5,\"a", "a quote at the end of a field that begins with one"},
      {"1,2.5,\"a\"\"", "a quote at the end of a field that begins with one"},
      {"1,2.5", "record 1: expected 3 fields, got 2"},
      {"1,2,3,4", "record 1: expected 3 fields, got 4"},
      {"", "record 1: expected 3 fields, got 0"},
      {"x,1,1", "record 1: expected a int32 in field 0, got 'x'"},
      {"1.5,1,1", "expected a int32 in field 0"},
      {"2147483648,1,1", "expected a int32 in field 0"},
      {"1,2.5f,1", "expected a float32 in field 1, got '2.5f'"},
  };
  OpTester op = Op();
  for (const auto& [record, error] : cases) {
    SCOPED_TRACE(record);
    ExpectInvalid(op, Inputs(Strings({2}, {"1,2,a", record})), error);
  }
}

TEST_F(CsvOpsTest, Attributes) {
  const std::vector<Tensor> want{Tensor::Scalar(1), Tensor::Scalar(2.0f), Tensor::Scalar("\"a\"")};
  OpTester plain = Op({{"use_quote_delim", false}}), tab = Op({{"field_delim", "\t"}}), line = Op({{"field_delim", "\n"}});
  ExpectOutputs(plain, Inputs(Tensor::Scalar("1,2,\"a\"")), want);
  ExpectInvalid(plain, Inputs(Tensor::Scalar("1,2,a\nb")), "no quotes and line breaks");
  ExpectOutputs(tab, Inputs(Tensor::Scalar("1\t2\t\"\"\"a\"\"\"")), want);
  ExpectOutputs(line, Inputs(Tensor::Scalar("1\n2\n\"\"\"a\"\"\"")), want);
  OpTester na = Op({{"na_value", "NA"}});
  ExpectOutputs(na, Inputs(Strings({2}, {"NA,NA,\"NA\"", ",2,a"})), {Ints({2}, {9, 9}), Floats({2}, {8, 2}), Strings({2}, {"d", "a"})});
  OpTester some = Op({{"select_cols", std::vector<int64_t>{0, 2, 3}}});
  ExpectOutputs(some, Inputs(Strings({2}, {"1,x,2,a,z", "3,y,4,b"})), {Ints({2}, {1, 3}), Floats({2}, {2, 4}), Strings({2}, {"a", "b"})});
  ExpectInvalid(some, Inputs(Tensor::Scalar("1,x,2")), "expected 3 fields, got 2");
  for (const std::vector<int64_t>& columns : {std::vector<int64_t>{0, 2}, {2, 0, 3}, {0, 0, 3}, {-1, 0, 3}}) {
    OpTester bad = Op({{"select_cols", columns}});
    ExpectInvalid(bad, Inputs(Tensor::Scalar("1,x,2,a")), "select_cols: expected ");
  }
  OpTester long_delimiter = Op({{"field_delim", ",,"}}), no_delimiter = Op({{"field_delim", ""}});
  ExpectInvalid(long_delimiter, Inputs(Tensor::Scalar("1")), "field_delim: expected one byte, got ',,'");
  ExpectInvalid(no_delimiter, Inputs(Tensor::Scalar("1")), "field_delim: expected one byte, got ''");
}

TEST_F(CsvOpsTest, Defaults) {
  OpTester op(library_, "DecodeCSV", {{"OUT_TYPE", std::vector<DType>{DType::kInt64, DType::kFloat64}}});
  ExpectOutputs(op, {Tensor::Scalar("9223372036854775807,1.1"), Longs({0}, {}), Of<double>({0}, {})},
                {Tensor::Scalar(std::numeric_limits<int64_t>::max()), Tensor::Scalar(1.1)});
  ExpectOutputs(op, {Tensor::Scalar(","), Tensor::Scalar<int64_t>(5), Of<double>({1}, {6})}, {Tensor::Scalar<int64_t>(5), Tensor::Scalar(6.0)});
  ExpectInvalid(op, {Tensor::Scalar("1,"), Longs({0}, {}), Of<double>({0}, {})}, "record 0: expected field 1, which is required, got none");
  ExpectInvalid(op, {Tensor::Scalar("1,2"), Longs({2}, {1, 2}), Of<double>({0}, {})}, "record_defaults 0: expected at most one value, got shape [2]");
  ExpectInvalid(op, {Tensor::Scalar("1,2"), Longs({1}, {1}), Of<double>({1, 1}, {1})}, "record_defaults 1: expected at most one value");
  const auto shapes = InferShapes(library_, "DecodeCSV", {{"OUT_TYPE", std::vector<DType>{DType::kInt64, DType::kFloat64}}},
                                  {PartialShape::Of({-1, 2}), PartialShape(), PartialShape::Of({-1})});
  EXPECT_EQ((*shapes)[1], PartialShape::Of({-1, 2}));
}

}  // namespace
}  // namespace flowlatch
