#include "graph/tensor/tensor_proto.h"

#include <limits>
#include <string>
#include <vector>

#include "flowlatch/proto/tensor.pb.h"
#include "flowlatch/proto/tensor_shape.pb.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

using ::testing::HasSubstr;

TensorProto Parse(const std::string& text) {
  TensorProto proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return proto;
}

std::string ShapeText(const std::vector<int64_t>& dims) {
  std::string text = "tensor_shape {";
  for (int64_t dim : dims) text += " dim { size: " + std::to_string(dim) + " }";
  return text + " } ";
}

struct ValueCase {
  const char* name;
  std::string proto;
  const char* want;  // DebugString
};

class ValuesTest : public testing::TestWithParam<ValueCase> {};

TEST_P(ValuesTest, Read) {
  const absl::StatusOr<Tensor> tensor = TensorFromProto(Parse(GetParam().proto));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(tensor->DebugString(), GetParam().want);
}

// Writing and reading again gives the same, and writing that again the same bytes.
TEST_P(ValuesTest, RoundTrip) {
  const absl::StatusOr<Tensor> tensor = TensorFromProto(Parse(GetParam().proto));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  TensorProto proto, again;
  ASSERT_TRUE(TensorToProto(*tensor, &proto).ok());
  const absl::StatusOr<Tensor> read = TensorFromProto(proto);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->DebugString(), GetParam().want);
  ASSERT_TRUE(TensorToProto(*read, &again).ok());
  EXPECT_EQ(again.SerializeAsString(), proto.SerializeAsString());
}

const std::string kVector2 = ShapeText({2}), kVector3 = ShapeText({3}), kScalar = ShapeText({});

INSTANTIATE_TEST_SUITE_P(
    All, ValuesTest,
    testing::ValuesIn(std::vector<ValueCase>{
        {"Float", "dtype: DT_FLOAT " + kVector2 + "float_val: [1.5, -2]", "float32[2] = [1.5 -2]"},
        {"Double", "dtype: DT_DOUBLE " + kVector2 + "double_val: [1.5, -2]", "float64[2] = [1.5 -2]"},
        {"Int8", "dtype: DT_INT8 " + kVector2 + "int_val: [-128, 127]", "int8[2] = [-128 127]"},
        {"UInt8", "dtype: DT_UINT8 " + kVector2 + "int_val: [0, 255]", "uint8[2] = [0 255]"},
        {"Int16", "dtype: DT_INT16 " + kVector2 + "int_val: [-5, 6]", "int16[2] = [-5 6]"},
        {"UInt16", "dtype: DT_UINT16 " + kVector2 + "int_val: [5, 65535]", "uint16[2] = [5 65535]"},
        {"Int32", "dtype: DT_INT32 " + kVector2 + "int_val: [-5, 6]", "int32[2] = [-5 6]"},
        {"UInt32", "dtype: DT_UINT32 " + kVector2 + "uint32_val: [5, 4294967295]", "uint32[2] = [5 4294967295]"},
        {"Int64", "dtype: DT_INT64 " + kVector2 + "int64_val: [-5, 6]", "int64[2] = [-5 6]"},
        {"UInt64", "dtype: DT_UINT64 " + kVector2 + "uint64_val: [5, 18446744073709551615]",
         "uint64[2] = [5 18446744073709551615]"},
        {"Bool", "dtype: DT_BOOL " + kVector2 + "bool_val: [true, false]", "bool[2] = [true false]"},
        {"Half", "dtype: DT_HALF " + kVector2 + "half_val: [15360, 49152]", "float16[2] = [1 -2]"},
        {"BFloat16", "dtype: DT_BFLOAT16 " + kVector2 + "half_val: [16256, 49152]", "bfloat16[2] = [1 -2]"},
        {"Complex64", "dtype: DT_COMPLEX64 " + kVector2 + "scomplex_val: [1, 2, 3, -4]", "complex64[2] = [1+2j 3-4j]"},
        {"Complex128", "dtype: DT_COMPLEX128 " + kVector2 + "dcomplex_val: [1, 2, 3, -4]",
         "complex128[2] = [1+2j 3-4j]"},
        {"String", "dtype: DT_STRING " + kVector2 + "string_val: ['a', 'a string of more than twenty-two bytes']",
         "string[2] = ['a' 'a string of more than twenty-two bytes']"},
        {"Float8", "dtype: DT_FLOAT8_E5M2 " + kVector2 + "float8_val: '\\074\\274'", "float8_e5m2[2] = [1 -1]"},
        {"Int4", "dtype: DT_INT4 " + kVector2 + "int_val: [-8, 7]", "int4[2] = [-8 7]"},
        {"UInt4", "dtype: DT_UINT4 " + kVector2 + "int_val: [0, 15]", "uint4[2] = [0 15]"},
        {"Int2", "dtype: DT_INT2 " + kVector2 + "int_val: [-2, 1]", "int2[2] = [-2 1]"},
        {"UInt2", "dtype: DT_UINT2 " + kVector2 + "int_val: [0, 3]", "uint2[2] = [0 3]"},
        {"QInt8", "dtype: DT_QINT8 " + kVector2 + "int_val: [-5, 6]", "qint8[2] = [-5 6]"},
        {"QUInt8", "dtype: DT_QUINT8 " + kVector2 + "int_val: [5, 250]", "quint8[2] = [5 250]"},
        {"QInt16", "dtype: DT_QINT16 " + kVector2 + "int_val: [-5, 6]", "qint16[2] = [-5 6]"},
        {"QUInt16", "dtype: DT_QUINT16 " + kVector2 + "int_val: [5, 65530]", "quint16[2] = [5 65530]"},
        {"QInt32", "dtype: DT_QINT32 " + kVector2 + "int_val: [-5, 6]", "qint32[2] = [-5 6]"},
        {"FloatContent", "dtype: DT_FLOAT " + kVector2 + "tensor_content: '\\000\\000\\300\\077\\000\\000\\000\\300'",
         "float32[2] = [1.5 -2]"},
        {"BoolContent", "dtype: DT_BOOL " + kVector2 + "tensor_content: '\\007\\000'", "bool[2] = [true false]"},
        {"Int4Content", "dtype: DT_INT4 " + kVector2 + "tensor_content: '\\017\\007'", "int4[2] = [-1 7]"},
        {"Float4Content", "dtype: DT_FLOAT4_E2M1FN " + kVector2 + "tensor_content: '\\002\\012'",
         "float4_e2m1fn[2] = [1 -1]"},
        {"StringContent", "dtype: DT_STRING " + kVector2 + "tensor_content: '\\001\\002abc'", "string[2] = ['a' 'bc']"},
        {"Scalar", "dtype: DT_INT32 " + kScalar + "int_val: 7", "int32[] = 7"},
        {"OneValueForAll", "dtype: DT_INT32 " + kVector3 + "int_val: 7", "int32[3] = [7 7 7]"},
        {"LastValueRepeated", "dtype: DT_INT32 " + kVector3 + "int_val: [7, 8]", "int32[3] = [7 8 8]"},
        {"LastStringRepeated", "dtype: DT_STRING " + kVector3 + "string_val: ['a', 'b']", "string[3] = ['a' 'b' 'b']"},
        {"NoValues", "dtype: DT_FLOAT " + kVector2, "float32[2] = [0 0]"},
        {"NoQuantisedValues", "dtype: DT_QUINT8 " + kVector2, "quint8[2] = [0 0]"},
        {"NoStrings", "dtype: DT_STRING " + kVector2, "string[2] = ['' '']"},
        {"TooManyValues", "dtype: DT_INT32 " + kScalar + "int_val: [7, 8]", "int32[] = 7"},
        {"LoneRealPart", "dtype: DT_COMPLEX64 " + kVector2 + "scomplex_val: [1, 2, 3]", "complex64[2] = [1+2j 1+2j]"},
        {"NoElements", "dtype: DT_FLOAT " + ShapeText({2, 0, 3}), "float32[2,0,3] = []"},
        {"Rank2", "dtype: DT_INT32 " + ShapeText({2, 2}) + "int_val: [1, 2, 3, 4]", "int32[2,2] = [[1 2] [3 4]]"},
    }),
    [](const auto& info) { return std::string(info.param.name); });

struct ErrorCase {
  const char* name;
  std::string proto;
  const char* want;
};

class ErrorsTest : public testing::TestWithParam<ErrorCase> {};

TEST_P(ErrorsTest, InvalidArgument) {
  const absl::Status status = TensorFromProto(Parse(GetParam().proto)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(
    All, ErrorsTest,
    testing::ValuesIn(std::vector<ErrorCase>{
        {"NoDType", ShapeText({0}), "got 0"},
        {"ReferenceDType", "dtype: DT_FLOAT_REF " + kScalar, "got 101"},
        {"UnknownDType", "dtype: 999 " + kScalar, "got 999"},
        {"UnknownRank", "dtype: DT_FLOAT tensor_shape { unknown_rank: true }", "expected a known rank"},
        {"UnknownDimension", "dtype: DT_FLOAT " + ShapeText({-1}), "-1"},
        {"NegativeDimension", "dtype: DT_FLOAT " + ShapeText({-2}), "-2"},
        {"TooManyElements", "dtype: DT_FLOAT " + ShapeText({int64_t{1} << 62, 4}), "shape"},
        {"TooManyBytes", "dtype: DT_FLOAT " + ShapeText({int64_t{1} << 62}), "int64"},
        {"RankTooLarge", "dtype: DT_FLOAT " + ShapeText(std::vector<int64_t>(255, 1)),
         "at most 254 dimensions, got 255"},
        {"ContentTooShort", "dtype: DT_FLOAT " + kVector2 + "tensor_content: 'abcdefg'",
         "expected 8 bytes of tensor_content, got 7"},
        {"ContentTooLong", "dtype: DT_FLOAT " + kVector2 + "tensor_content: 'abcdefghi'",
         "expected 8 bytes of tensor_content, got 9"},
        {"ContentForHugeShape", "dtype: DT_FLOAT " + ShapeText({int64_t{1} << 61}) + "tensor_content: 'abcd'",
         "more than 2^63"},
        {"StringLengthsMissing", "dtype: DT_STRING " + kVector2 + "tensor_content: '\\001'",
         "a length for each element"},
        {"StringTooShort", "dtype: DT_STRING " + kVector2 + "tensor_content: '\\001\\005abc'", "got fewer"},
        {"StringTooLong", "dtype: DT_STRING " + kVector2 + "tensor_content: '\\001\\001abc'", "got more"},
        {"StringLengthUnfinished", "dtype: DT_STRING " + kVector2 + "tensor_content: '\\377\\377'", "got its end"},
        {"StringLengthHuge",
         "dtype: DT_STRING " + kScalar + "tensor_content: '\\377\\377\\377\\377\\377\\377\\377\\377\\177a'",
         "got fewer"},
        {"HandleGarbled", "dtype: DT_RESOURCE " + kScalar + "tensor_content: '\\002\\377\\377'", "encoded messages"},
        {"FieldOfAnotherDType", "dtype: DT_HALF " + kVector2 + "string_val: 'a'", "in another"},
        {"StringsInIntField", "dtype: DT_STRING " + kVector2 + "int_val: 1", "in another"},
    }),
    [](const auto& info) { return std::string(info.param.name); });

TEST(TensorProtoTest, EqualElementsAreWrittenOnce) {
  TensorProto proto;
  ASSERT_TRUE(
      TensorToProto(*TensorFromProto(Parse("dtype: DT_FLOAT " + ShapeText({1000}) + "float_val: 3")), &proto).ok());
  EXPECT_EQ(proto.float_val_size(), 1);
  EXPECT_TRUE(proto.tensor_content().empty());
  // Equal by bits: -0 and 0 are not.
  ASSERT_TRUE(TensorToProto(Tensor::Vector({0.0f, -0.0f}), &proto).ok());
  EXPECT_EQ(proto.tensor_content().size(), 8u);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  ASSERT_TRUE(TensorToProto(Tensor::Vector({nan, nan}), &proto).ok());
  EXPECT_EQ(proto.float_val_size(), 1);
}

TEST(TensorProtoTest, WritingOverwrites) {
  TensorProto proto = Parse("dtype: DT_STRING " + kScalar + "string_val: 'old' version_number: 3");
  ASSERT_TRUE(TensorToProto(Tensor::Scalar(int32_t{5}), &proto).ok());
  EXPECT_EQ(proto.ShortDebugString(), "dtype: DT_INT32 tensor_shape { } int_val: 5");
}

TEST(TensorProtoTest, HandlesAreKeys) {
  const absl::StatusOr<Tensor> tensor = TensorFromProto(
      Parse("dtype: DT_RESOURCE " + kVector2 +
            "resource_handle_val { container: 'c' name: 'v' maybe_type_name: 'Var' } resource_handle_val {}"));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  const absl::Span<const ResourceHandle> handles = tensor->values<ResourceHandle>();
  ASSERT_TRUE(handles[0]);
  EXPECT_EQ(handles[0]->container, "c");
  EXPECT_EQ(handles[0]->name, "v");
  EXPECT_EQ(handles[0]->type_name, "Var");
  EXPECT_FALSE(handles[1]);
  TensorProto again;
  ASSERT_TRUE(TensorToProto(*tensor, &again).ok());
  EXPECT_EQ(again.resource_handle_val(0).name(), "v");
  EXPECT_EQ(again.resource_handle_val_size(), 2);
}

TEST(TensorProtoTest, UnknownVariantsStayAsTheyAre) {
  const TensorProto proto = Parse("dtype: DT_VARIANT " + kVector2 +
                                  "variant_val { type_name: 'mine' metadata: 'm' tensors { dtype: DT_INT32 "
                                  "tensor_shape {} int_val: 3 } } variant_val {}");
  const absl::StatusOr<Tensor> tensor = TensorFromProto(proto);
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  const absl::Span<const Variant> variants = tensor->values<Variant>();
  ASSERT_TRUE(variants[0]);
  EXPECT_EQ(variants[0].get()->TypeName(), "mine");
  EXPECT_FALSE(variants[1]);
  TensorProto again;
  ASSERT_TRUE(TensorToProto(*tensor, &again).ok());
  EXPECT_EQ(again.SerializeAsString(), proto.SerializeAsString());
}

class RuntimeVariant final : public VariantObject {
 public:
  std::string TypeName() const override { return "a queue"; }
};

TEST(TensorProtoTest, WhatCannotBeWritten) {
  TensorProto proto;
  EXPECT_EQ(TensorToProto(Tensor(), &proto).code(), absl::StatusCode::kInvalidArgument);
  const absl::Status status = TensorToProto(Tensor::Scalar(Variant(MakeRef<RuntimeVariant>())), &proto);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("a queue"));
}

TEST(TensorProtoTest, WithoutMemory) {
  class NoMemory final : public Allocator {
    void* Allocate(size_t) override { return nullptr; }
    void Free(void*, size_t) override {}
  } none;
  EXPECT_EQ(TensorFromProto(Parse("dtype: DT_FLOAT " + ShapeText({1000}) + "float_val: 3"), &none).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(ShapeProtoTest, PartialShapes) {
  for (const PartialShape& shape : {PartialShape(), PartialShape::Of({}), PartialShape::Of({-1, 3, 0})}) {
    TensorShapeProto proto;
    ShapeToProto(shape, &proto);
    const absl::StatusOr<PartialShape> again = PartialShapeFromProto(proto);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*again, shape) << shape.ToString();
  }
}

TEST(ShapeProtoTest, Errors) {
  const auto error = [](const char* text) {
    TensorShapeProto proto;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
    return PartialShapeFromProto(proto).status();
  };
  for (const char* text : {"dim { size: -2 }", "unknown_rank: true dim { size: 2 }",
                           "dim { size: 4611686018427387904 } dim { size: 4611686018427387904 }"}) {
    EXPECT_EQ(error(text).code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_TRUE(error("dim { size: 4611686018427387904 } dim { size: -1 }").ok());
}

}  // namespace
}  // namespace flowlatch
