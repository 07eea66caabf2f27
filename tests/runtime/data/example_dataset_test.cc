#include "runtime/data/example_dataset.h"

#include <limits>

#include "flowlatch/proto/example.pb.h"
#include "tests/ops/tensors.h"
#include "tests/runtime/checkpoint/temp_directory.h"

namespace flowlatch {
namespace {

std::string SomeExample() {
  proto::Example example;
  auto& features = *example.mutable_features()->mutable_feature();
  for (const float value : {1.5f, 2.0f, 3.0f, 4.0f}) features["floats"].mutable_float_list()->add_value(value);
  for (const int64_t value : {int64_t{7}, int64_t{-1}}) features["ints"].mutable_int64_list()->add_value(value);
  features["label"].mutable_int64_list()->add_value(300);
  features["names"].mutable_bytes_list()->add_value("a");
  features["names"].mutable_bytes_list()->add_value("b");
  features["pixels"].mutable_bytes_list()->add_value(std::string("\x01\x02\x00\xff", 4));
  features["empty"];
  return example.SerializeAsString();
}

absl::StatusOr<Tensor> One(const FeatureSpec& spec) {
  absl::StatusOr<std::vector<Tensor>> row = ParseExample(SomeExample(), ExampleKind::kExample, {spec});
  if (!row.ok()) return row.status();
  return (*row)[0];
}

TEST(ExampleDatasetTest, FeaturesBecomeTensors) {
  const struct {
    FeatureSpec spec;
    Tensor want;
  } cases[] = {
      {{"floats", DType::kFloat32, PartialShape::Of({2, 2})}, Floats({2, 2}, {1.5f, 2, 3, 4})},
      {{"floats", DType::kFloat32, PartialShape::Of({-1, 2})}, Floats({2, 2}, {1.5f, 2, 3, 4})},
      {{"floats", DType::kFloat32, {}}, Floats({4}, {1.5f, 2, 3, 4})},
      {{"floats", DType::kFloat64, PartialShape::Of({-1})}, Of<double>({4}, {1.5, 2, 3, 4})},
      {{"floats", DType::kFloat16, PartialShape::Of({4})}, Of<Half, float>({4}, {1.5f, 2, 3, 4})},
      {{"floats", DType::kBFloat16, PartialShape::Of({4})}, Of<BFloat16, float>({4}, {1.5f, 2, 3, 4})},
      {{"ints", DType::kInt64, PartialShape::Of({2})}, Longs({2}, {7, -1})},
      {{"ints", DType::kInt8, PartialShape::Of({2})}, Of<int8_t>({2}, {7, -1})},
      {{"ints", DType::kFloat32, PartialShape::Of({2})}, Floats({2}, {7, -1})},
      {{"ints", DType::kBool, PartialShape::Of({2})}, Bools({2}, {true, true})},
      {{"label", DType::kInt32, PartialShape::Of({})}, Ints({}, {300})},
      {{"label", DType::kInt32, {}}, Ints({}, {300})},
      {{"label", DType::kInt32, PartialShape::Of({1})}, Ints({1}, {300})},
      {{"names", DType::kString, PartialShape::Of({2})}, Strings({2}, {"a", "b"})},
      {{"pixels", DType::kUInt8, PartialShape::Of({2, 2})}, Of<uint8_t>({2, 2}, {1, 2, 0, 255})},
      {{"pixels", DType::kInt16, PartialShape::Of({-1})}, Of<int16_t>({2}, {0x201, -256})},
      {{"pixels", DType::kBool, PartialShape::Of({4})}, Bools({4}, {true, true, false, true})},
      {{"pixels", DType::kString, {}}, Tensor::Scalar(std::string_view("\x01\x02\x00\xff", 4))},
  };
  for (const auto& c : cases) {
    const absl::StatusOr<Tensor> got = One(c.spec);
    ASSERT_TRUE(got.ok()) << got.status() << " of " << c.spec.key;
    EXPECT_EQ(Difference(*got, c.want), "") << c.spec.key;
  }
}

TEST(ExampleDatasetTest, WhatDoesNotFitIsRefused) {
  const struct {
    FeatureSpec spec;
    const char* error;
  } cases[] = {
      {{"float", DType::kFloat32, {}}, "feature 'float': expected it to be there; did you mean 'floats'"},
      {{"floats", DType::kFloat32, PartialShape::Of({3})}, "expected values for shape [3], got 4 of them"},
      {{"floats", DType::kFloat32, PartialShape::Of({-1, 3})}, "expected values for shape [?,3], got 4 of them"},
      {{"floats", DType::kFloat32, PartialShape::Of({-1, -1})}, "one unknown dimension at most"},
      {{"floats", DType::kFloat32, PartialShape::Of({-1, 0})}, "expected values for shape"},
      {{"floats", DType::kFloat32, PartialShape::Of({1 << 30, 1 << 30, 1 << 30})}, "int64 size"},
      {{"floats", DType::kInt32, {}}, "expected values of int32, got 1.5"},
      {{"floats", DType::kString, {}}, "expected bytes, got a list of floats"},
      {{"floats", DType::kVariant, {}}, "expected a dtype of numbers or string, got variant"},
      {{"label", DType::kInt8, {}}, "expected values of int8, got 300"},
      {{"ints", DType::kUInt32, {}}, "expected values of uint32, got -1"},
      {{"ints", DType::kUInt64, {}}, "expected values of uint64, got -1"},
      {{"names", DType::kInt32, {}}, "one string of int32 elements, got 2 strings"},
      {{"pixels", DType::kInt64, {}}, "one string of int64 elements, got 4 bytes"},
      {{"empty", DType::kInt64, {}}, "feature 'empty': expected a value, got none"},
  };
  for (const auto& c : cases) ExpectInvalid(One(c.spec).status(), c.error);
  ExpectInvalid(ParseExample("\xff\xff", ExampleKind::kExample, {}).status(), "expected a serialized Example");
  ExpectInvalid(ParseExample("\xff\xff", ExampleKind::kSequence, {}).status(), "expected a serialized SequenceExample");
}

TEST(ExampleDatasetTest, Sequences) {
  proto::SequenceExample sequence;
  (*sequence.mutable_context()->mutable_feature())["label"].mutable_int64_list()->add_value(4);
  proto::FeatureList& steps = (*sequence.mutable_feature_lists()->mutable_feature_list())["steps"];
  for (const float value : {1.0f, 2.0f, 3.0f}) {
    proto::FloatList* const list = steps.add_feature()->mutable_float_list();
    list->add_value(value);
    list->add_value(-value);
  }
  (*sequence.mutable_feature_lists()->mutable_feature_list())["none"];
  const std::vector<FeatureSpec> specs = {{"label", DType::kInt64, PartialShape::Of({})},
                                          {"steps", DType::kFloat32, PartialShape::Of({2})},
                                          {"none", DType::kFloat32, PartialShape::Of({2})}};
  const auto row = ParseExample(sequence.SerializeAsString(), ExampleKind::kSequence, specs);
  ASSERT_TRUE(row.ok()) << row.status();
  EXPECT_EQ(Difference((*row)[0], Tensor::Scalar<int64_t>(4)), "");
  EXPECT_EQ(Difference((*row)[1], Floats({3, 2}, {1, -1, 2, -2, 3, -3})), "");
  EXPECT_EQ(Difference((*row)[2], Floats({0, 2}, {})), "");
  steps.add_feature()->mutable_float_list()->add_value(0);
  const FeatureSpec any{"steps", DType::kFloat32, PartialShape::Of({-1})};
  ExpectInvalid(ParseExample(sequence.SerializeAsString(), ExampleKind::kSequence, {any}).status(), "feature list 'steps': expected rows of one");
}

class ExampleFilesTest : public testing::Test {
 protected:
  std::string File(const std::string& name, const std::vector<std::string>& records) {
    const std::string path = dir_.File(name);
    const auto writer = RecordWriter::Create(FileSystem::Default(), path, Compression::kGzip);
    for (const std::string& record : records) EXPECT_TRUE((*writer)->Append(record).ok());
    EXPECT_TRUE((*writer)->Close().ok());
    return path;
  }
  static std::string Number(int64_t n) {
    proto::Example example;
    (*example.mutable_features()->mutable_feature())["n"].mutable_int64_list()->add_value(n);
    return example.SerializeAsString();
  }
  const TempDirectory dir_;
  const std::vector<FeatureSpec> specs_ = {{"n", DType::kInt64, PartialShape::Of({})}};
};

TEST_F(ExampleFilesTest, FilesOneAfterAnother) {
  const auto data = ExampleDataset(FileSystem::Default(), {File("a", {Number(1), Number(2)}), File("b", {}), File("c", {Number(3)})},
                                   ExampleKind::kExample, specs_);
  EXPECT_THAT(data->columns(), testing::ElementsAre("n"));
  EXPECT_EQ(data->num_rows(), std::nullopt);
  for (const int64_t epoch : {0, 1}) {
    ASSERT_TRUE(data->StartEpoch(epoch).ok());
    std::vector<Tensor> row;
    for (const int64_t n : {1, 2, 3}) {
      ASSERT_TRUE(*data->Next(&row));
      EXPECT_EQ(row[0].scalar<int64_t>(), n);
    }
    EXPECT_FALSE(*data->Next(&row));
  }
}

TEST_F(ExampleFilesTest, ErrorsSayWhere) {
  const std::string first = Number(1);
  const auto data = ExampleDataset(FileSystem::Default(), {File("a", {first, "\xff no example"})}, ExampleKind::kExample, specs_);
  ASSERT_TRUE(data->StartEpoch(0).ok());
  std::vector<Tensor> row;
  ASSERT_TRUE(*data->Next(&row));
  ExpectInvalid(data->Next(&row).status(), "record file '" + dir_.File("a") + "', record at " + std::to_string(first.size() + 16) + ": example");
  const auto missing = ExampleDataset(FileSystem::Default(), {dir_.File("none")}, ExampleKind::kExample, specs_);
  ASSERT_TRUE(missing->StartEpoch(0).ok());
  EXPECT_EQ(missing->Next(&row).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace flowlatch
