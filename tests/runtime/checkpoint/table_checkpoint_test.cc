#include "runtime/checkpoint/table_checkpoint.h"

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/checkpoint/checkpoint_reader.h"
#include "runtime/checkpoint/table_file.h"
#include "runtime/checkpoint/tensor_bundle.h"
#include "tests/runtime/checkpoint/temp_directory.h"
#include "tests/testing/op_tester.h"

namespace flowlatch {
namespace {

constexpr char kGolden[] = "tests/runtime/checkpoint/golden/v1";

TEST(TableCheckpointTest, HoldsTheSameAsTheSecondFormat) {
  const absl::StatusOr<std::unique_ptr<CheckpointReader>> v1 = CheckpointReader::Open(kGolden);
  ASSERT_TRUE(v1.ok()) << v1.status();
  const std::unique_ptr<CheckpointReader> v2 = *CheckpointReader::Open("tests/runtime/checkpoint/golden/v2");
  EXPECT_EQ((*v1)->tensors().size() + 1, v2->tensors().size()) << "the first format had no bfloat16";
  for (const auto& info : (*v1)->tensors()) {
    const absl::StatusOr<Tensor> got = (*v1)->Read(info.name);
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(Difference(*got, *v2->Read(info.name)), "") << info.name;
  }
  const TensorSlice slice = *TensorSlice::Parse("3,3:1,2");
  EXPECT_EQ(Difference(*(*v1)->ReadSlice("part", slice), *v2->ReadSlice("part", slice)), "");
}

TEST(TableCheckpointTest, PatternsNameShards) {
  const TempDirectory dir;
  const std::string bytes = *ReadFile(FileSystem::Default(), kGolden, 1 << 20);
  TableEntries entries = ParseTable(bytes)->entries;
  // All tensors are described in one file; their elements are in another.
  proto::SavedTensorSlices empty;
  const std::map<std::string, std::string> all(entries.begin(), entries.end());
  std::map<std::string, std::string> described{{"", all.at("")}}, rest = all;
  rest[""] = empty.SerializeAsString();
  ASSERT_TRUE(WriteFileAtomically(FileSystem::Default(), dir.File("m-00000-of-00002"), *BuildTable(described)).ok());
  ASSERT_TRUE(WriteFileAtomically(FileSystem::Default(), dir.File("m-00001-of-00002"), *BuildTable(rest)).ok());
  const absl::StatusOr<std::unique_ptr<CheckpointReader>> reader =
      CheckpointReader::Open(dir.File("m-????"
                                      "?-of-00002"));
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->Read("step")->scalar<int64_t>(), 7);
  EXPECT_EQ(CheckpointReader::Open(dir.File("x-?????")).status().code(), absl::StatusCode::kNotFound);
}

TEST(TableCheckpointTest, WritesTheBytesThatTensorFlowWrote) {
  const TempDirectory dir;
  const std::unique_ptr<CheckpointReader> golden = *CheckpointReader::Open(kGolden);
  const std::unique_ptr<TableCheckpointWriter> writer = *TableCheckpointWriter::Create(dir.File("v1"));
  for (const CheckpointReader::TensorInfo& info : golden->tensors()) {
    for (const TensorSlice& slice : info.slices) {
      ASSERT_TRUE(writer->AddSlice(info.name, info.shape, slice, *golden->ReadSlice(info.name, slice)).ok());
    }
  }
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_EQ(*ReadFile(FileSystem::Default(), dir.File("v1"), 1 << 20),
            *ReadFile(FileSystem::Default(), kGolden, 1 << 20));
}

TEST(TableCheckpointTest, RoundTripsTheDTypesThatItKnows) {
  const TempDirectory dir;
  std::map<std::string, Tensor> tensors;
  const std::unique_ptr<TableCheckpointWriter> writer = *TableCheckpointWriter::Create(dir.File("m"));
  for (int number = 1; number < kNumDTypes; ++number) {
    const DType dtype = *DTypeFromNumber(number);
    Tensor t = *Tensor::Zeros(dtype, Shape::Of({3, 2}));
    if (dtype == DType::kString) {
      t.mutable_data<String>()[1] = std::string(1000, 'l');
    } else if (!IsObjectDType(dtype)) {
      for (int64_t i = 0; i < t.size_bytes(); ++i)
        static_cast<char*>(t.raw_mutable_data())[i] = static_cast<char>(dtype == DType::kBool ? i % 2 : 3 * i + 1);
    }
    const std::string name(DTypeName(dtype));
    const absl::Status added = writer->Add(name, t);
    if (added.ok()) {
      tensors[name] = t;
      tensors[name + "/empty"] = *Tensor::Zeros(dtype, Shape::Of({0, 5}));
      tensors[name + "/scalar"] = *Tensor::Zeros(dtype, Shape());
      ASSERT_TRUE(writer->Add(name + "/empty", tensors[name + "/empty"]).ok());
      ASSERT_TRUE(writer->Add(name + "/scalar", tensors[name + "/scalar"]).ok());
    } else {
      EXPECT_EQ(added.code(), absl::StatusCode::kUnimplemented) << name;
    }
  }
  EXPECT_EQ(tensors.size(), 3u * 16) << "the dtypes that TensorFlow puts into this format";
  ASSERT_TRUE(writer->Finish().ok());
  const std::unique_ptr<CheckpointReader> reader = *CheckpointReader::Open(dir.File("m"));
  EXPECT_EQ(reader->tensors().size(), tensors.size());
  for (const auto& [name, want] : tensors) {
    const absl::StatusOr<Tensor> got = reader->Read(name);
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(got->dims(), want.dims()) << name;
    if (want.dtype() == DType::kString) {
      EXPECT_EQ(Difference(*got, want), "") << name;
    } else {
      EXPECT_EQ(memcmp(got->raw_data(), want.raw_data(), static_cast<size_t>(want.size_bytes())), 0) << name;
    }
  }
}

TEST(TableCheckpointTest, ErrorsOfWriting) {
  const TempDirectory dir;
  const Tensor two = *Tensor::FromValues<float>(Shape::Of({2}), {1, 2}),
               ints = *Tensor::FromValues<int32_t>(Shape::Of({2}), {1, 2});
  const std::unique_ptr<TableCheckpointWriter> writer = *TableCheckpointWriter::Create(dir.File("m"));
  const auto slice = [](const char* text) { return *TensorSlice::Parse(text); };
  ASSERT_TRUE(writer->Add("x", two).ok());
  ASSERT_TRUE(writer->AddSlice("s", Shape::Of({4}), slice("0,2"), two).ok());
  const absl::Status bad[] = {
      writer->Add("x", two),
      writer->AddSlice("s", Shape::Of({4}), slice("0,2"), two),
      writer->AddSlice("s", Shape::Of({4}), slice("2,2"), ints),
      writer->AddSlice("s", Shape::Of({5}), slice("2,2"), two),
      writer->AddSlice("s", Shape::Of({4}), slice("3,2"), two),
      writer->AddSlice("s", Shape::Of({4}), slice("1,3"), two),
      writer->AddSlice("s", Shape::Of({4, 1}), slice("2,2"), two),
      TableCheckpointWriter::Create("").status(),
  };
  for (const absl::Status& status : bad) EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_EQ((*CheckpointReader::Open(dir.File("m")))->tensors().size(), 2u) << "what was refused is not there";
  EXPECT_EQ((*TableCheckpointWriter::Create(dir.File("no/such")))->Finish().code(), absl::StatusCode::kNotFound);
}

TEST(TableCheckpointTest, EveryFlippedByteIsFoundOrHarmless) {
  const TempDirectory dir;
  const std::map<std::string, Tensor> tensors = {
      {"s", Tensor::Vector<String>({String("ab"), String("")})},
      {"w", *Tensor::FromValues<float>(Shape::Of({3}), {1, 2, 3})},
  };
  const std::unique_ptr<TableCheckpointWriter> writer = *TableCheckpointWriter::Create(dir.File("m"));
  for (const auto& [name, tensor] : tensors) ASSERT_TRUE(writer->Add(name, tensor).ok());
  ASSERT_TRUE(writer->Finish().ok());
  const std::string bytes = *ReadFile(FileSystem::Default(), dir.File("m"), 1 << 20);
  int unnoticed = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string broken = bytes;
      broken[i] ^= flip;
      std::ofstream(dir.File("m"), std::ios::binary) << broken;
      const absl::StatusOr<std::unique_ptr<CheckpointReader>> reader = CheckpointReader::Open(dir.File("m"));
      if (!reader.ok()) continue;
      for (const auto& [name, want] : tensors) {
        const absl::StatusOr<Tensor> got = (*reader)->Read(name);
        if (!got.ok()) continue;
        EXPECT_EQ(Difference(*got, want), "") << "byte " << i;
        ++unnoticed;
      }
    }
  }
  EXPECT_LT(unnoticed, 400) << "only the padding at the end may change unnoticed";
}

TEST(TableCheckpointTest, MalformedFiles) {
  const TempDirectory dir;
  const std::string path = dir.File("m");
  proto::SavedTensorSlices description;
  proto::SavedSliceMeta* meta = description.mutable_meta()->add_tensor();
  meta->set_name("w");
  meta->set_type(DT_FLOAT);
  meta->mutable_shape()->add_dim()->set_size(2);
  meta->add_slice()->add_extent();
  const std::string key = SliceKey("w", TensorSlice::Whole(1));
  const auto read = [&](const std::string& stored) -> absl::StatusOr<Tensor> {
    const std::string table = *BuildTable({{"", description.SerializeAsString()}, {key, stored}});
    EXPECT_TRUE(WriteFileAtomically(FileSystem::Default(), path, table).ok());
    absl::StatusOr<std::unique_ptr<CheckpointReader>> reader = CheckpointReader::Open(path);
    if (!reader.ok()) return reader.status();
    return (*reader)->Read("w");
  };
  proto::SavedTensorSlices data;
  data.mutable_data()->mutable_data()->add_float_val(1);
  data.mutable_data()->mutable_data()->add_float_val(2);
  ASSERT_TRUE(read(data.SerializeAsString()).ok());
  EXPECT_EQ(read("\xff\xff").status().code(), absl::StatusCode::kDataLoss) << "garbage";
  proto::SavedTensorSlices ints;
  ints.mutable_data()->mutable_data()->add_int64_val(1);
  EXPECT_EQ(read(ints.SerializeAsString()).status().code(), absl::StatusCode::kDataLoss) << "of another dtype";
  meta->mutable_slice(0)->mutable_extent(0)->set_start(1);
  meta->mutable_slice(0)->mutable_extent(0)->set_length(5);
  EXPECT_EQ(read(data.SerializeAsString()).status().code(), absl::StatusCode::kDataLoss) << "slice outside";
  meta->mutable_slice(0)->mutable_extent(0)->set_start(-1);
  EXPECT_EQ(read(data.SerializeAsString()).status().code(), absl::StatusCode::kDataLoss) << "slice negative";
  meta->clear_slice();
  EXPECT_EQ(read(data.SerializeAsString()).status().code(), absl::StatusCode::kDataLoss) << "no slices";
  meta->add_slice()->add_extent();
  meta->mutable_shape()->mutable_dim(0)->set_size(int64_t{1} << 50);
  EXPECT_EQ(read(data.SerializeAsString()).status().code(), absl::StatusCode::kDataLoss) << "absurd shape";
  meta->mutable_shape()->mutable_dim(0)->set_size(-2);
  EXPECT_EQ(read(data.SerializeAsString()).status().code(), absl::StatusCode::kDataLoss) << "negative shape";
  meta->mutable_shape()->mutable_dim(0)->set_size(2);
  meta->set_type(DT_VARIANT);
  EXPECT_EQ(read(data.SerializeAsString()).status().code(), absl::StatusCode::kInvalidArgument);
  meta->set_type(DT_FLOAT);
  description.mutable_meta()->mutable_versions()->set_min_consumer(5);
  EXPECT_EQ(read(data.SerializeAsString()).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(TableCheckpointReader::Open(dir.File("none")).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace flowlatch
