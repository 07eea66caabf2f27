#include "tools/arrays/json_array.h"

#include <complex>
#include <nlohmann/json.hpp>
#include <string>

#include "graph/tensor/string.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

TEST(JsonArrayTest, DtypesAreGuessedFromValues) {
  struct Case {
    const char* text;
    DType dtype;
    const char* shape;
  };
  for (const Case& c : {Case{"3", DType::kInt32, "[]"}, Case{"[1, 3000000000]", DType::kInt64, "[2]"},
                        Case{"[[1, 2.5]]", DType::kFloat32, "[1,2]"}, Case{"true", DType::kBool, "[]"},
                        Case{"[\"a\"]", DType::kString, "[1]"}, Case{"[]", DType::kFloat32, "[0]"},
                        Case{"[[], []]", DType::kFloat32, "[2,0]"}}) {
    const absl::StatusOr<Tensor> tensor = TensorFromJson(c.text, std::nullopt);
    ASSERT_TRUE(tensor.ok()) << c.text << tensor.status();
    EXPECT_EQ(tensor->dtype(), c.dtype) << c.text;
    EXPECT_EQ(tensor->ShapeString(), c.shape) << c.text;
  }
}

TEST(JsonArrayTest, EveryDtypeThatJsonCanHoldComesBack) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16, DType::kInt8,
                            DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8, DType::kUInt16, DType::kUInt32,
                            DType::kUInt64, DType::kQInt8, DType::kQUInt8, DType::kInt4}) {
    const absl::StatusOr<Tensor> tensor = TensorFromJson("[[1, 2], [3, 4]]", dtype);
    ASSERT_TRUE(tensor.ok()) << DTypeName(dtype) << tensor.status();
    EXPECT_EQ(tensor->dtype(), dtype);
    const std::string text = TensorToJson(*tensor).dump();
    EXPECT_EQ(text, IsFloating(dtype) ? "[[1.0,2.0],[3.0,4.0]]" : "[[1,2],[3,4]]") << DTypeName(dtype);
  }
}

TEST(JsonArrayTest, NumbersThatJsonLacks) {
  const Tensor tensor = *TensorFromJson("[\"NaN\", \"Infinity\", \"-Infinity\", 0.1]", DType::kFloat32);
  EXPECT_TRUE(std::isnan(tensor.data<float>()[0]));
  EXPECT_EQ(TensorToJson(tensor).dump(), "[\"NaN\",\"Infinity\",\"-Infinity\",0.1]");
  const Tensor complex = *TensorFromJson("[[1, -2], [3, 0]]", DType::kComplex64);
  EXPECT_EQ(complex.ShapeString(), "[2]");
  EXPECT_EQ(TensorToJson(complex).dump(), "[[1.0,-2.0],[3.0,0.0]]");
}

TEST(JsonArrayTest, StringsKeepTheirBytes) {
  const Tensor tensor = Tensor::Vector<String>({String("\xff\x00"), String("gr\xc3\xbcn")});
  const nlohmann::json json = TensorToJson(tensor);
  EXPECT_EQ(json.dump(), "[{\"b64\":\"/w==\"},\"gr\xc3\xbcn\"]");
  EXPECT_EQ(TensorFromJsonValue(json, std::nullopt)->data<String>()[0].view(), "\xff");
}

TEST(JsonArrayTest, Errors) {
  struct Case {
    std::string text;
    std::optional<DType> dtype;
    std::string message;
  };
  const Case cases[] = {
      {"[1, ", std::nullopt, "JSON array: expected JSON, got '[1, '"},
      {"[[1], [2, 3]]", std::nullopt, "JSON array: expected lists of the same length everywhere, got array"},
      {"[1, [2]]", std::nullopt, "JSON array: expected lists of the same depth everywhere, got array"},
      {"[300]", DType::kUInt8, "JSON array: expected an integer of uint8, got 300"},
      {"[1.5]", DType::kInt32, "JSON array: expected an integer of int32, got 1.5"},
      {"[-1]", DType::kUInt64, "JSON array: expected an integer of uint64, got -1"},
      {"[1]", DType::kBool, "JSON array: expected true or false, got 1"},
      {"[\"x\"]", DType::kFloat32, "JSON array: expected a number, \"NaN\", \"Infinity\" or \"-Infinity\", got \"x\""},
      {"[1]", DType::kString, "JSON array: expected a string or {\"b64\": \"...\"}, got 1"},
      {"1", DType::kVariant, "JSON array: expected numbers, booleans or strings, got dtype variant"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(std::string(TensorFromJson(c.text, c.dtype).status().message()), c.message) << c.text;
  }
}

TEST(JsonArrayTest, DeepNestsAreRefusedWithoutRecursion) {
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  EXPECT_FALSE(TensorFromJson(deep, std::nullopt).ok());
  EXPECT_FALSE(TensorFromJson("[1," + deep + "]", std::nullopt).ok());
}

}  // namespace
}  // namespace flowlatch
