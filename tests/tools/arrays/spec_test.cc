#include "tools/arrays/spec.h"

#include <string>

#include "graph/tensor/string.h"
#include "gtest/gtest.h"
#include "tools/arrays/files.h"
#include "tools/arrays/npy.h"
#include "tools/arrays/npz.h"

namespace flowlatch {
namespace {

std::string Describe(std::string_view spec, const PortHint& hint = {}) {
  const absl::StatusOr<Tensor> tensor = ParseSpec(spec, hint, 1);
  return tensor.ok() ? tensor->DebugString() : std::string(tensor.status().message());
}

std::string Write(const std::string& name, std::string_view bytes) {
  const std::string path = testing::TempDir() + "/" + name;
  EXPECT_TRUE(WriteBytes(path, bytes).ok());
  return path;
}

TEST(SpecTest, Literals) {
  EXPECT_EQ(Describe("[[1,2],[3,4]]:f32"), "float32[2,2] = [[1 2] [3 4]]");
  EXPECT_EQ(Describe("27:i64"), "int64[] = 27");
  EXPECT_EQ(Describe("27"), "int32[] = 27");
  EXPECT_EQ(Describe("27", {DType::kFloat64, {}}), "float64[] = 27");
  EXPECT_EQ(Describe("[1,2,3,4]:u8[2,2]"), "uint8[2,2] = [[1 2] [3 4]]");
  EXPECT_EQ(ParseSpec("\"a:b\"", {}, 0)->scalar<String>().view(), "a:b");
  EXPECT_EQ(ParseSpec("plain words", {DType::kString, {}}, 0)->scalar<String>().view(), "plain words");
  EXPECT_EQ(ParseSpec("zeros", {DType::kString, PartialShape::Of({2})}, 0)->ShapeString(), "[2]");
}

TEST(SpecTest, Generated) {
  EXPECT_EQ(Describe("zeros:f32[2]"), "float32[2] = [0 0]");
  EXPECT_EQ(Describe("ones", {DType::kInt64, PartialShape::Of({2})}), "int64[2] = [1 1]");
  EXPECT_EQ(Describe("range:i32[3]"), "int32[3] = [0 1 2]");
  EXPECT_EQ(Describe("zeros", {DType::kFloat32, PartialShape::Of({-1, 2})}),
            "input 'zeros': expected a shape, as in zeros:f32[2,3], since the input has shape [?,2]");
  const Tensor uniform = *ParseSpec("uniform(-1,1):f32[1000]", {}, 3);
  for (const float value : uniform.values<float>()) EXPECT_LE(std::abs(value), 1);
  EXPECT_EQ(ParseSpec("uniform(-1,1):f32[1000]", {}, 3)->data<float>()[0], uniform.data<float>()[0]);
  EXPECT_NE(ParseSpec("uniform(-1,1):f32[1000]", {}, 4)->data<float>()[0], uniform.data<float>()[0]);
  const Tensor integers = *ParseSpec("randint(2,4):i32[100]", {}, 0);
  for (const int32_t value : integers.values<int32_t>()) EXPECT_TRUE(value >= 2 && value <= 4);
  EXPECT_EQ(Describe("uniform(2,1):f32[1]"), "input 'uniform(2,1):f32[1]': expected LOW to be at most HIGH");
  EXPECT_EQ(Describe("zeros:f32[99999999999]"), "input 'zeros:f32[99999999999]': expected at most 2147483648 elements");
}

TEST(SpecTest, Files) {
  const std::string npy = Write("a.npy", *FormatNpy(Tensor::Vector<int32_t>({5, 6})));
  EXPECT_EQ(Describe("@" + npy), "int32[2] = [5 6]");
  NpzWriter writer;
  ASSERT_TRUE(writer.Add("x", Tensor::Scalar(1.5f)).ok());
  ASSERT_TRUE(writer.Add("y", Tensor::Scalar(uint16_t{0x3fc0})).ok());
  const std::string npz = Write("a.npz", writer.Finish());
  EXPECT_EQ(Describe("@" + npz + "[x]"), "float32[] = 1.5");
  EXPECT_EQ(Describe("@" + npz + "[y]", {DType::kBFloat16, {}}), "bfloat16[] = 1.5");
  EXPECT_EQ(Describe("@" + npz),
            "input '@" + npz + "': expected the name of one of its 2 arrays in brackets, as in @file.npz[x]");
  EXPECT_EQ(Describe("@" + Write("a.json", "[1, 2]") + ":f32"), "float32[2] = [1 2]");
  const std::string raw = Write("raw.bin", std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  EXPECT_EQ(Describe("@" + raw + ":f32[1,2]"), "float32[1,2] = [[1 2]]");
  EXPECT_EQ(Describe("@" + raw + ":f32[3]"), "input '@" + raw + ":f32[3]': expected 12 bytes for float32[3], got 8");
  EXPECT_EQ(ParseSpec("@no/such.npy", {}, 0).status().code(), absl::StatusCode::kNotFound);
}

TEST(SpecTest, Errors) {
  EXPECT_EQ(Describe(""), "input '': expected a value");
  EXPECT_EQ(Describe("nonsense"), "input 'nonsense': JSON array: expected JSON, got 'nonsense'");
  EXPECT_EQ(Describe("1:f31"), "input 'f31': expected a dtype such as f32, i64, u8, bf16, bool, str or float32");
  EXPECT_EQ(Describe("1:f32[x]"), "input 'f32[x]': expected a shape such as [2,3]");
  EXPECT_EQ(Describe("__import__('os')"),
            "input '__import__('os')': JSON array: expected JSON, got '__import__('os')'");
}

TEST(SpecTest, Assignments) {
  EXPECT_EQ(*SplitAssignment("x=1"), (std::pair<std::string, std::string>("x", "1")));
  EXPECT_EQ(*SplitAssignment("x:1=a=b"), (std::pair<std::string, std::string>("x:1", "a=b")));
  EXPECT_EQ(*SplitAssignment("a\\=b=1"), (std::pair<std::string, std::string>("a=b", "1")));
  EXPECT_EQ(SplitAssignment("x").status().message(), "argument 'x': expected NAME=VALUE");
  EXPECT_EQ(SplitAssignment("=1").status().message(), "argument '=1': expected NAME=VALUE");
}

TEST(SpecTest, ShortNamesOfDtypes) {
  EXPECT_EQ(ParseShortDType("f32"), DType::kFloat32);
  EXPECT_EQ(ParseShortDType("bf16"), DType::kBFloat16);
  EXPECT_EQ(ParseShortDType("bool"), DType::kBool);
  EXPECT_EQ(ParseShortDType("complex128"), DType::kComplex128);
  EXPECT_EQ(ParseShortDType("f12"), std::nullopt);
}

}  // namespace
}  // namespace flowlatch
