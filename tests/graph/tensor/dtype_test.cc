#include "graph/tensor/dtype.h"

#include <string>

#include "graph/tensor/object.h"
#include "graph/tensor/string.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

TEST(DTypeTest, NamesAndNumbersComeBack) {
  for (int number = 1; number < kNumDTypes; ++number) {
    const std::optional<DType> dtype = DTypeFromNumber(number);
    ASSERT_TRUE(dtype.has_value()) << number;
    EXPECT_EQ(static_cast<int>(*dtype), number);
    const std::string name(DTypeName(*dtype));
    EXPECT_EQ(ParseDType(name), dtype) << name;
    EXPECT_EQ(ParseDType("DT_" + name), dtype) << name;
    EXPECT_GT(DTypeSize(*dtype), 0u) << name;
  }
  for (const int number : {-1, 0, kNumDTypes, 101, 1 << 30}) EXPECT_EQ(DTypeFromNumber(number), std::nullopt) << number;
}

TEST(DTypeTest, Parse) {
  const std::pair<const char*, DType> kCases[] = {
      {"float", DType::kFloat32}, {"DT_FLOAT", DType::kFloat32}, {"dt_double", DType::kFloat64},
      {"half", DType::kFloat16},  {"DT_HALF", DType::kFloat16},  {"DT_BFLOAT16", DType::kBFloat16},
      {"string", DType::kString}, {"Int64", DType::kInt64},      {"DT_FLOAT8_E5M2", DType::kFloat8E5M2}};
  for (const auto& [text, dtype] : kCases) EXPECT_EQ(ParseDType(text), dtype) << text;
  for (const char* text : {"", "DT_", "DT_INVALID", "invalid", "float_ref", "DT_FLOAT_REF", "int", "float32 "})
    EXPECT_EQ(ParseDType(text), std::nullopt) << text;
}

TEST(DTypeTest, Invalid) {
  EXPECT_EQ(DTypeName(DType::kInvalid), "invalid");
  EXPECT_EQ(DTypeName(static_cast<DType>(200)), "invalid");
  EXPECT_EQ(DTypeSize(DType::kInvalid), 0u);
}

TEST(DTypeTest, SizesAndKinds) {
  const std::pair<DType, size_t> kSizes[] = {{DType::kBool, 1},        {DType::kFloat16, 2},  {DType::kFloat32, 4},
                                             {DType::kComplex128, 16}, {DType::kString, 24},  {DType::kInt4, 1},
                                             {DType::kQInt32, 4},      {DType::kUInt64, 8},   {DType::kFloat8E5M2, 1},
                                             {DType::kInt16, 2},       {DType::kResource, 8}, {DType::kVariant, 8}};
  for (const auto& [dtype, size] : kSizes) EXPECT_EQ(DTypeSize(dtype), size) << DTypeName(dtype);
  for (int number = 1; number < kNumDTypes; ++number) {
    const DType d = static_cast<DType>(number);
    const int kinds =
        IsObjectDType(d) + IsComplex(d) + IsQuantized(d) + IsFloating(d) + IsInteger(d) + (d == DType::kBool);
    EXPECT_EQ(kinds, 1) << DTypeName(d);
  }
  EXPECT_EQ(kDTypeOf<float>, DType::kFloat32);
  EXPECT_EQ(kDTypeOf<char>, DType::kInvalid);
  static_assert(std::is_same_v<CppType<DType::kString>, String>);
}

TEST(DTypeSetTest, Sets) {
  DTypeSet set{DType::kInt32, DType::kFloat4E2M1FN};
  EXPECT_TRUE(set.contains(DType::kFloat4E2M1FN));
  EXPECT_FALSE(set.contains(DType::kFloat32));
  EXPECT_EQ(DTypeSetNames(set), "int32, float4_e2m1fn");
  EXPECT_EQ(set - DTypeSet{DType::kInt32}, DTypeSet{DType::kFloat4E2M1FN});
  set.insert(DType::kFloat32);
  EXPECT_EQ(set, (DTypeSet{DType::kFloat32} | DTypeSet{DType::kInt32, DType::kFloat4E2M1FN}));
  EXPECT_TRUE(DTypeSet().empty());
  EXPECT_FALSE(kRealTypes.contains(DType::kBool));
  EXPECT_TRUE(kNumberTypes.contains(DType::kComplex64));
}

}  // namespace
}  // namespace flowlatch
