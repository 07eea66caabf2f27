#include "runtime/checkpoint/tensor_bundle.h"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <limits>

#include "flowlatch/proto/tensor.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "graph/tensor/tensor_proto.h"
#include "runtime/checkpoint/checkpoint_reader.h"
#include "runtime/checkpoint/table_file.h"
#include "tests/runtime/checkpoint/temp_directory.h"
#include "tests/testing/op_tester.h"

namespace flowlatch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kGolden[] = "tests/runtime/checkpoint/golden/v2";
constexpr int64_t kNoLimit = int64_t{1} << 40;

std::string Bytes(const std::string& path) { return *ReadFile(FileSystem::Default(), path, kNoLimit); }
void Overwrite(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

Tensor Floats(int64_t n, float value) {
  Tensor t = *Tensor::Make(DType::kFloat32, Shape::Of({n}));
  for (float& x : t.mutable_values<float>()) x = value;
  return t;
}

absl::Status Save(const std::string& prefix, const std::map<std::string, Tensor>& tensors,
                  FileSystem& files = FileSystem::Default()) {
  absl::StatusOr<std::unique_ptr<BundleWriter>> writer = BundleWriter::Create(prefix, files);
  if (!writer.ok()) return writer.status();
  for (const auto& [name, tensor] : tensors) {
    if (absl::Status status = (*writer)->Add(name, tensor); !status.ok()) return status;
  }
  return (*writer)->Finish();
}

// The first element of float tensor `name`, or NaN if it cannot be read.
float FirstFloat(const std::string& prefix, const std::string& name) {
  const absl::StatusOr<std::unique_ptr<BundleReader>> reader = BundleReader::Open(prefix);
  if (!reader.ok()) return std::numeric_limits<float>::quiet_NaN();
  const absl::StatusOr<Tensor> tensor = (*reader)->Read(name);
  return tensor.ok() ? tensor->data<float>()[0] : std::numeric_limits<float>::quiet_NaN();
}

std::string EncodedVariant(const std::string& type_name, const std::string& metadata) {
  VariantTensorDataProto proto;
  proto.set_type_name(type_name);
  proto.set_metadata(metadata);
  return proto.SerializeAsString();
}

TEST(TensorBundleTest, RoundTripsEveryDType) {
  const TempDirectory dir;
  std::map<std::string, Tensor> tensors;
  for (int number = 1; number < kNumDTypes; ++number) {
    const DType dtype = *DTypeFromNumber(number);
    if (!CanBeSaved(dtype)) continue;
    const std::string name(DTypeName(dtype));
    Tensor t = *Tensor::Zeros(dtype, Shape::Of({2, 3}));
    if (dtype == DType::kString) {
      t.mutable_data<String>()[1] = "short";
      t.mutable_data<String>()[4] = std::string(1000, 'l');
    } else if (dtype == DType::kVariant) {
      t.mutable_data<Variant>()[1] = Variant(MakeRef<OpaqueVariant>("kind", EncodedVariant("kind", "some")));
      t.mutable_data<Variant>()[4] = Variant(MakeRef<OpaqueVariant>("other", EncodedVariant("other", std::string(1000, 'l'))));
    } else if (dtype != DType::kBool) {
      for (int64_t i = 0; i < t.size_bytes(); ++i)
        static_cast<char*>(t.raw_mutable_data())[i] = static_cast<char>(i + 1);
    }
    tensors[name] = t;
    tensors[name + "/empty"] = *Tensor::Zeros(dtype, Shape::Of({0, 5}));
    tensors[name + "/scalar"] = *Tensor::Zeros(dtype, Shape());
  }
  ASSERT_TRUE(Save(dir.File("m"), tensors).ok());
  const std::unique_ptr<BundleReader> reader = *BundleReader::Open(dir.File("m"));
  EXPECT_EQ(reader->tensors().size(), tensors.size());
  for (const auto& [name, want] : tensors) {
    const absl::StatusOr<Tensor> got = reader->Read(name);
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(got->dtype(), want.dtype());
    EXPECT_EQ(got->dims(), want.dims());
    if (want.dtype() == DType::kString) {
      EXPECT_EQ(Difference(*got, want), "") << name;
    } else if (want.dtype() == DType::kVariant) {
      for (int64_t i = 0; i < want.num_elements(); ++i) {
        const auto *a = got->data<Variant>()[i].As<OpaqueVariant>(), *b = want.data<Variant>()[i].As<OpaqueVariant>();
        ASSERT_EQ(a == nullptr, b == nullptr) << name << i;
        if (a != nullptr) EXPECT_EQ(a->encoded(), b->encoded());
      }
    } else {
      EXPECT_EQ(memcmp(got->raw_data(), want.raw_data(), want.size_bytes()), 0) << name;
    }
  }
}

TEST(TensorBundleTest, TensorsAreSpreadOverShards) {
  const TempDirectory dir;
  {
    const std::unique_ptr<BundleWriter> writer = *BundleWriter::Create(dir.File("m"), FileSystem::Default(), 3);
    for (int i = 0; i < 7; ++i) {
      ASSERT_TRUE(writer->Add("x" + std::to_string(i), Floats(10 * (7 - i), static_cast<float>(i))).ok());
    }
    ASSERT_TRUE(writer->Finish().ok());
  }
  EXPECT_THAT(dir.Names(), ElementsAre("m.data-00000-of-00003", "m.data-00001-of-00003", "m.data-00002-of-00003",
                                       "m.index"));
  for (int shard = 0; shard < 3; ++shard) EXPECT_GT(Bytes(DataPath(dir.File("m"), shard, 3)).size(), 300u);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(FirstFloat(dir.File("m"), "x" + std::to_string(i)), i);
  for (const int shards : {0, -1, BundleWriter::kMaxShards + 1}) {
    EXPECT_EQ(BundleWriter::Create(dir.File("m"), FileSystem::Default(), shards).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(TensorBundleTest, LargeTensorsAreReadInPieces) {
  const TempDirectory dir;
  Tensor t = *Tensor::Make(DType::kInt32, Shape::Of({700001}));
  for (int64_t i = 0; i < t.num_elements(); ++i) t.mutable_data<int32_t>()[i] = static_cast<int32_t>(i * i);
  ASSERT_TRUE(Save(dir.File("m"), {{"large", t}, {"x", Floats(1, 1)}}).ok());
  EXPECT_EQ(Difference(*(*BundleReader::Open(dir.File("m")))->Read("large"), t), "");
}

TEST(TensorBundleTest, ReadsWhatTensorFlowWrote) {
  const std::unique_ptr<BundleReader> reader = *BundleReader::Open(kGolden);
  std::vector<std::string> names;
  for (const auto& info : reader->tensors()) names.push_back(info.name);
  EXPECT_THAT(names, ElementsAre("a", "b", "c", "col", "h", "part", "s", "step", "zero"));
  EXPECT_EQ(Difference(*reader->Read("a"), *Tensor::FromValues<float>(Shape::Of({2, 3}), {0, 1, 2, 3, 4, 5})), "");
  const Tensor strings = *reader->Read("s");
  EXPECT_EQ(Difference(strings, Tensor::Vector<String>({String("x"), String(""), String(std::string(300, 'y'))})), "");
  const Tensor b = *reader->Read("b");
  EXPECT_TRUE(b.data<bool>()[0] && !b.data<bool>()[1]);
  EXPECT_EQ(reader->Read("c")->scalar<std::complex<double>>(), std::complex<double>(1, 2));
  EXPECT_EQ(static_cast<float>(reader->Read("h")->data<BFloat16>()[0]), 1.5f);
  EXPECT_EQ(reader->Read("step")->scalar<int64_t>(), 7);
  EXPECT_EQ(reader->Read("zero")->ShapeString(), "[0,3]");
  EXPECT_EQ(reader->Find("part")->slices.size(), 3u);
  EXPECT_EQ(reader->Read("part")->ShapeString(), "[10,4]");
  EXPECT_EQ(reader->Find("nothing"), nullptr);
}

TEST(TensorBundleTest, WritesTheBytesThatTensorFlowWrote) {
  const TempDirectory dir;
  const std::unique_ptr<BundleReader> golden = *BundleReader::Open(kGolden);
  const std::unique_ptr<BundleWriter> writer = *BundleWriter::Create(dir.File("v2"));
  for (const BundleReader::TensorInfo& info : golden->tensors()) {  // by name, as TensorFlow adds them
    if (info.slices.empty()) {
      ASSERT_TRUE(writer->Add(info.name, *golden->Read(info.name)).ok());
    }
    for (const TensorSlice& slice : info.slices) {
      ASSERT_TRUE(writer->AddSlice(info.name, info.shape, slice, *golden->ReadSlice(info.name, slice)).ok());
    }
  }
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_EQ(Bytes(dir.File("v2.data-00000-of-00001")), Bytes(std::string(kGolden) + ".data-00000-of-00001"));
  EXPECT_EQ(Bytes(dir.File("v2.index")), Bytes(std::string(kGolden) + ".index"));
}

TEST(TensorBundleTest, AllSpellingsOfAPrefix) {
  const TempDirectory dir;
  const std::string prefix = dir.File("model.ckpt-7");
  ASSERT_TRUE(Save(prefix, {{"x", Floats(1, 3)}}).ok());
  for (const char* suffix : {"", ".index", ".data-00000-of-00001"})
    EXPECT_EQ(FirstFloat(prefix + suffix, "x"), 3) << suffix;
  EXPECT_EQ(CheckpointPrefix("a.data-0000x-of-00001"), "a.data-0000x-of-00001");
  // A checkpoint whose prefix is the name of another's file: each has its own.
  const std::string odd = prefix + ".data-00000-of-00001";
  ASSERT_TRUE(Save(odd, {{"x", Floats(1, 4)}}).ok());
  EXPECT_EQ(FirstFloat(odd, "x"), 4);
  EXPECT_EQ(FirstFloat(prefix, "x"), 3);
}

TEST(TensorBundleTest, ErrorsOfReading) {
  const TempDirectory dir;
  EXPECT_EQ(BundleReader::Open(dir.File("none")).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(BundleReader::Open("").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(BundleReader::Open(std::string("a\0b", 3)).status().code(), absl::StatusCode::kInvalidArgument);
  ASSERT_TRUE(Save(dir.File("m"), {{"kernel", Floats(4, 1)}}).ok());
  const std::unique_ptr<BundleReader> reader = *BundleReader::Open(dir.File("m"));
  const absl::Status unknown = reader->Read("kernal").status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(unknown.message()), HasSubstr("did you mean 'kernel'"));
  EXPECT_EQ(reader->ReadSlice("kernel", *TensorSlice::Parse("0,5")).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(reader->ReadSlice("kernel", *TensorSlice::Parse("1,2"))->num_elements(), 2);
}

TEST(TensorBundleTest, ErrorsOfWriting) {
  const TempDirectory dir;
  {
    const std::unique_ptr<BundleWriter> writer = *BundleWriter::Create(dir.File("m"));
    ASSERT_TRUE(writer->Add("x", Floats(1, 1)).ok());
    const absl::Status bad[] = {
        writer->Add("x", Floats(1, 1)),
        writer->Add("", Floats(1, 1)),
        writer->Add(std::string("\0x", 2), Floats(1, 1)),
        writer->Add("handle", *Tensor::Make(DType::kResource, Shape())),
        writer->Add("none", Tensor()),
        writer->AddSlice("s", Shape::Of({4}), *TensorSlice::Parse("0,2"), Floats(3, 1)),
        writer->AddSlice("s", Shape::Of({4}), *TensorSlice::Parse("3,2"), Floats(2, 1)),
        writer->AddSlice("x", Shape::Of({1}), *TensorSlice::Parse("0,1"), Floats(1, 1)),
    };
    for (const absl::Status& status : bad) EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    ASSERT_TRUE(writer->AddSlice("t", Shape::Of({4}), *TensorSlice::Parse("0,2"), Floats(2, 1)).ok());
    EXPECT_FALSE(writer->AddSlice("t", Shape::Of({4}), *TensorSlice::Parse("0,2"), Floats(2, 1)).ok()) << "twice";
    EXPECT_FALSE(writer->AddSlice("t", Shape::Of({5}), *TensorSlice::Parse("2,2"), Floats(2, 1)).ok()) << "other shape";
  }
  EXPECT_THAT(dir.Names(), testing::IsEmpty()) << "an unfinished writer leaves nothing";
  EXPECT_EQ(BundleWriter::Create(dir.File("m/")).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(BundleWriter::Create(dir.File("no/such/m")).status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(Save(dir.File("new/m"), {}).ok());
}

TEST(TensorBundleTest, PartitionedTensors) {
  const TempDirectory dir;
  Tensor whole = *Tensor::Make(DType::kFloat32, Shape::Of({4, 6}));
  for (int64_t i = 0; i < whole.num_elements(); ++i) whole.mutable_data<float>()[i] = static_cast<float>(i);
  const auto part = [&](const char* text) {
    const TensorSlice slice = *TensorSlice::Parse(text)->Within(whole.shape());
    Tensor t = *Tensor::Make(DType::kFloat32, ShapeOfSlice(slice));
    CopyCommonElements(*TensorSlice::Whole(2).Within(whole.shape()), whole, slice, t);
    return t;
  };
  const std::unique_ptr<BundleWriter> writer = *BundleWriter::Create(dir.File("m"));
  for (const char* text : {"0,1:-", "1,3:0,4", "1,3:4,2"}) {
    ASSERT_TRUE(writer->AddSlice("w", whole.shape(), *TensorSlice::Parse(text), part(text)).ok());
  }
  ASSERT_TRUE(writer->AddSlice("hole", Shape::Of({4}), *TensorSlice::Parse("0,2"), Floats(2, 1)).ok());
  ASSERT_TRUE(writer->AddSlice("hole", Shape::Of({4}), *TensorSlice::Parse("1,2"), Floats(2, 1)).ok());
  ASSERT_TRUE(writer->Finish().ok());
  const std::unique_ptr<BundleReader> reader = *BundleReader::Open(dir.File("m"));
  EXPECT_EQ(Difference(*reader->Read("w"), whole), "");
  for (const char* text : {"-:-", "0,1:-", "0,3:2,3", "2,1:5,1", "2,0:-"}) {
    const absl::StatusOr<Tensor> got = reader->ReadSlice("w", *TensorSlice::Parse(text));
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(Difference(*got, part(text)), "") << text;
  }
  EXPECT_EQ(reader->ReadSlice("hole", *TensorSlice::Parse("1,2"))->num_elements(), 2);
  // Slices that overlap can hide a hole by their number of elements, but what was in memory is not shown.
  const absl::StatusOr<Tensor> hole = reader->Read("hole");
  EXPECT_TRUE(!hole.ok() || hole->data<float>()[3] == 0);
}

// ---- Files that are broken

TEST(TensorBundleTest, EveryFlippedBitIsFoundOrHarmless) {
  const TempDirectory dir;
  const std::map<std::string, Tensor> tensors = {{"w", Floats(5, 2)},
                                                 {"s", Tensor::Vector<String>({String("ab"), String("")})},
                                                 {"n", Tensor::Scalar<int64_t>(3)}};
  ASSERT_TRUE(Save(dir.File("m"), tensors).ok());
  const auto all_good = [&]() -> bool {
    const absl::StatusOr<std::unique_ptr<BundleReader>> reader = BundleReader::Open(dir.File("m"));
    if (!reader.ok()) return false;
    bool good = true;
    for (const auto& [name, want] : tensors) {
      const absl::StatusOr<Tensor> got = (*reader)->Read(name);
      if (got.ok()) {
        EXPECT_EQ(Difference(*got, want), "");
      }
      good = good && got.ok();
    }
    return good;
  };
  ASSERT_TRUE(all_good());
  for (const char* name : {"m.index", "m.data-00000-of-00001"}) {
    const std::string bytes = Bytes(dir.File(name));
    int unnoticed = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      for (const char flip : {'\x01', '\x80'}) {
        std::string broken = bytes;
        broken[i] ^= flip;
        Overwrite(dir.File(name), broken);
        unnoticed += all_good();
      }
    }
    EXPECT_LT(unnoticed, 110) << name << ": only what nobody reads at the end of the index may change unnoticed";
    for (size_t n = 0; n < bytes.size(); ++n) {
      Overwrite(dir.File(name), bytes.substr(0, n));
      EXPECT_FALSE(all_good()) << name << " cut to " << n;
    }
    Overwrite(dir.File(name), bytes);
  }
  ASSERT_TRUE(all_good());
}

// Writes an index with right checksums in which `change` has been at work, and a data file of `data_bytes` zeros.
void WriteIndex(const std::string& prefix,
                const std::function<void(proto::BundleHeaderProto&, proto::BundleEntryProto&)>& change,
                int data_bytes = 24) {
  proto::BundleHeaderProto header;
  header.set_num_shards(1);
  header.mutable_version()->set_producer(1);
  proto::BundleEntryProto entry;
  entry.set_dtype(DT_FLOAT);
  entry.mutable_shape()->add_dim()->set_size(6);
  entry.set_size(24);
  change(header, entry);
  const std::string index = *BuildTable({{"", header.SerializeAsString()}, {"w", entry.SerializeAsString()}});
  Overwrite(IndexPath(prefix), index);
  Overwrite(DataPath(prefix, 0, 1), std::string(data_bytes, '\0'));
}

// The code of opening a checkpoint and reading tensor `name`.
absl::StatusCode CodeOfReading(const std::string& prefix, const std::string& name) {
  const absl::StatusOr<std::unique_ptr<BundleReader>> reader = BundleReader::Open(prefix);
  return reader.ok() ? (*reader)->Read(name).status().code() : reader.status().code();
}

TEST(TensorBundleTest, MalformedIndexes) {
  using Header = proto::BundleHeaderProto;
  using Entry = proto::BundleEntryProto;
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  struct Malformed {
    const char* name;
    absl::StatusCode code;
    std::function<void(Header&, Entry&)> change;
  };
  constexpr absl::StatusCode kNotFound = absl::StatusCode::kNotFound, kInvalid = absl::StatusCode::kInvalidArgument,
                             kOutOfRange = absl::StatusCode::kOutOfRange, kDataLoss = absl::StatusCode::kDataLoss;
  const auto add_slice = [](Entry& e, int64_t start, int64_t length) {
    proto::TensorSliceProto::Extent* extent = e.add_slices()->add_extent();
    extent->set_start(start);
    extent->set_length(length);
  };
  const Malformed cases[] = {
      {"no shards", kNotFound, [](Header& h, Entry&) { h.set_num_shards(0); }},
      {"negative shards", kNotFound, [](Header& h, Entry&) { h.set_num_shards(-5); }},
      {"endless shards", kNotFound,
       [](Header& h, Entry&) { h.set_num_shards(std::numeric_limits<int32_t>::max()); }},
      {"big-endian", kInvalid, [](Header& h, Entry&) { h.set_endianness(Header::BIG); }},
      {"version of the future", kInvalid, [](Header& h, Entry&) { h.mutable_version()->set_min_consumer(9); }},
      {"version before all", kInvalid, [](Header& h, Entry&) { h.mutable_version()->set_producer(-1); }},
      {"version that excludes us", kInvalid, [](Header& h, Entry&) { h.mutable_version()->add_bad_consumers(1); }},
      {"shard beyond", kNotFound, [](Header&, Entry& e) { e.set_shard_id(1); }},
      {"shard negative", kNotFound, [](Header&, Entry& e) { e.set_shard_id(-1); }},
      {"offset negative", kInvalid, [](Header&, Entry& e) { e.set_offset(-1); }},
      {"offset overflows", kInvalid, [](Header&, Entry& e) { e.set_offset(kMax - 5); }},
      {"offset beyond the file", kOutOfRange, [](Header&, Entry& e) { e.set_offset(1); }},
      {"offset far beyond the file", kOutOfRange, [](Header&, Entry& e) { e.set_offset(int64_t{1} << 40); }},
      {"size negative", kDataLoss, [](Header&, Entry& e) { e.set_size(-24); }},
      {"size too small", kDataLoss, [](Header&, Entry& e) { e.set_size(20); }},
      {"size too large", kDataLoss, [](Header&, Entry& e) { e.set_size(1000); }},
      {"dimension negative", kDataLoss, [](Header&, Entry& e) { e.mutable_shape()->mutable_dim(0)->set_size(-6); }},
      {"shape absurd", kDataLoss,
       [](Header&, Entry& e) { e.mutable_shape()->mutable_dim(0)->set_size(int64_t{1} << 60); }},
      {"shape overflows", kDataLoss,
       [](Header&, Entry& e) {
         for (int i = 0; i < 3; ++i) e.mutable_shape()->add_dim()->set_size(int64_t{1} << 40);
       }},
      {"unknown rank", kDataLoss,
       [](Header&, Entry& e) {
         e.mutable_shape()->Clear();
         e.mutable_shape()->set_unknown_rank(true);
       }},
      {"no dtype", kInvalid, [](Header&, Entry& e) { e.set_dtype(DT_INVALID); }},
      {"reference dtype", kInvalid, [](Header&, Entry& e) { e.set_dtype(DT_FLOAT_REF); }},
      {"resource dtype", kInvalid, [](Header&, Entry& e) { e.set_dtype(DT_RESOURCE); }},
      {"variants of other bytes", kDataLoss, [](Header&, Entry& e) { e.set_dtype(DT_VARIANT); }},
      {"more variants than bytes", kDataLoss,
       [](Header&, Entry& e) {
         e.set_dtype(DT_VARIANT);
         e.mutable_shape()->mutable_dim(0)->set_size(1 << 30);
       }},
      {"strings of zeros", kDataLoss, [](Header&, Entry& e) { e.set_dtype(DT_STRING); }},
      {"more strings than bytes", kDataLoss,
       [](Header&, Entry& e) {
         e.set_dtype(DT_STRING);
         e.mutable_shape()->mutable_dim(0)->set_size(1 << 30);
       }},
      {"wrong checksum", kDataLoss, [](Header&, Entry& e) { e.set_crc32c(1); }},
      {"slices that are not there", kNotFound,
       [&](Header&, Entry& e) {
         add_slice(e, 0, 3);
         add_slice(e, 3, 3);
       }},
      {"slices with a hole", kInvalid,
       [&](Header&, Entry& e) {
         add_slice(e, 0, 3);
         add_slice(e, 4, 2);
       }},
      {"slices that overlap", kDataLoss,
       [&](Header&, Entry& e) {
         add_slice(e, 0, 4);
         add_slice(e, 1, 5);
       }},
      {"slice without elements", kInvalid, [&](Header&, Entry& e) { add_slice(e, 0, 0); }},
      {"slice negative", kInvalid, [&](Header&, Entry& e) { add_slice(e, -1, 2); }},
      {"slice beyond", kDataLoss, [&](Header&, Entry& e) { add_slice(e, 0, 7); }},
      {"slice of another rank", kDataLoss, [](Header&, Entry& e) { e.add_slices(); }},
  };
  for (const Malformed& malformed : cases) {
    const TempDirectory dir;
    WriteIndex(dir.File("m"), malformed.change);
    EXPECT_EQ(CodeOfReading(dir.File("m"), "w"), malformed.code) << malformed.name;
  }
}

TEST(TensorBundleTest, StringsThatAreCut) {
  const TempDirectory dir;
  ASSERT_TRUE(Save(dir.File("m"), {{"s", Tensor::Vector<String>({String("hello"), String("xy")})}}).ok());
  const std::string data = DataPath(dir.File("m"), 0, 1), bytes = Bytes(data);
  for (size_t n = 0; n < bytes.size(); ++n) {
    Overwrite(data, bytes.substr(0, n));
    EXPECT_EQ(CodeOfReading(dir.File("m"), "s"), absl::StatusCode::kOutOfRange) << n;
  }
  // The entry says too little, and the file ends where it says.
  const auto change_size = [&](int64_t size) {
    TableEntries table = ParseTable(Bytes(dir.File("m.index")))->entries;
    proto::BundleEntryProto entry;
    ASSERT_TRUE(entry.ParseFromString(table[1].second));
    entry.set_size(size);
    table[1].second = entry.SerializeAsString();
    Overwrite(dir.File("m.index"), *BuildTable({table.begin(), table.end()}));
  };
  change_size(2);
  Overwrite(data, bytes.substr(0, 2));
  EXPECT_EQ(CodeOfReading(dir.File("m"), "s"), absl::StatusCode::kOutOfRange);
  Overwrite(data, bytes);
  EXPECT_EQ(CodeOfReading(dir.File("m"), "s"), absl::StatusCode::kOk) << "the lengths say how much there is";
  change_size(1);
  EXPECT_EQ(CodeOfReading(dir.File("m"), "s"), absl::StatusCode::kDataLoss);
  change_size(-1);
  EXPECT_EQ(CodeOfReading(dir.File("m"), "s"), absl::StatusCode::kInvalidArgument);
}

TEST(TensorBundleTest, IndexThatIsNone) {
  const TempDirectory dir;
  Overwrite(dir.File("m.index"), *BuildTable({{"w", "x"}}));
  EXPECT_EQ(BundleReader::Open(dir.File("m")).status().code(), absl::StatusCode::kDataLoss) << "no header";
  Overwrite(dir.File("m.index"), *BuildTable({{"", "\xff\xff"}}));
  EXPECT_EQ(BundleReader::Open(dir.File("m")).status().code(), absl::StatusCode::kDataLoss) << "header is garbage";
  Overwrite(dir.File("m.index"), "");
  EXPECT_EQ(BundleReader::Open(dir.File("m")).status().code(), absl::StatusCode::kDataLoss) << "empty file";
}

TEST(TensorBundleTest, DamageHidesOnlyWhatItHits) {
  const TempDirectory dir;
  ASSERT_TRUE(Save(dir.File("m"), {{"a", Floats(2, 1)}, {"b", Floats(2, 2)}}).ok());
  TableEntries table = ParseTable(Bytes(dir.File("m.index")))->entries;
  table[2].second = "\xff\xff";
  Overwrite(dir.File("m.index"), *BuildTable({table.begin(), table.end()}));
  const std::unique_ptr<BundleReader> reader = *BundleReader::Open(dir.File("m"));
  EXPECT_EQ(reader->Read("a")->data<float>()[1], 1);
  EXPECT_EQ(reader->Read("b").status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(reader->damage().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(MergeBundles({dir.File("m")}, dir.File("merged")).code(), absl::StatusCode::kDataLoss);

  std::map<std::string, Tensor> many;  // more than one block of names
  for (int i = 0; i < 3000; ++i) many.emplace(std::to_string(10000 + i) + std::string(100, 'n'), Floats(1, 3));
  ASSERT_TRUE(Save(dir.File("m"), many).ok());
  std::string bytes = Bytes(dir.File("m.index"));
  ASSERT_GT(bytes.size(), size_t{300} << 10);
  bytes[size_t{300} << 10] ^= 1;
  Overwrite(dir.File("m.index"), bytes);
  const std::unique_ptr<BundleReader> half = *BundleReader::Open(dir.File("m"));
  EXPECT_EQ(half->Read(many.begin()->first)->data<float>()[0], 3);
  const absl::Status missing = half->Read(many.rbegin()->first).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("its index is broken: table file: wrong checksum"));
}

TEST(TensorBundleTest, WhatIsExpected) {
  const TempDirectory dir;
  ASSERT_TRUE(Save(dir.File("m"), {{"a", Floats(2, 1)}}).ok());
  const std::unique_ptr<BundleReader> reader = *BundleReader::Open(dir.File("m"));
  EXPECT_EQ((*reader->Expect("a", DType::kFloat32))->shape, Shape::Of({2}));
  EXPECT_EQ(reader->Expect("a", DType::kInt32).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(reader->Expect("b", DType::kFloat32).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(reader->Expect("", DType::kFloat32).status().code(), absl::StatusCode::kDataLoss) << "the header's name";
}

TEST(TensorBundleTest, BytesThatAreNoBoolsBecomeBools) {
  const TempDirectory dir;
  ASSERT_TRUE(Save(dir.File("m"), {{"b", *Tensor::FromValues<uint8_t>(Shape::Of({3}), {0, 1, 7})}}).ok());
  TableEntries table = ParseTable(Bytes(dir.File("m.index")))->entries;
  proto::BundleEntryProto entry;
  ASSERT_TRUE(entry.ParseFromString(table[1].second));
  entry.set_dtype(DT_BOOL);
  table[1].second = entry.SerializeAsString();
  Overwrite(dir.File("m.index"), *BuildTable({table.begin(), table.end()}));
  const Tensor b = *(*BundleReader::Open(dir.File("m")))->Read("b");
  EXPECT_EQ(memcmp(b.raw_data(), "\x00\x01\x01", 3), 0);
}

TEST(TensorBundleTest, MissingDataFile) {
  const TempDirectory dir;
  ASSERT_TRUE(Save(dir.File("m"), {{"x", Floats(1, 1)}}).ok());
  ASSERT_EQ(unlink(dir.File("m.data-00000-of-00001").c_str()), 0);
  EXPECT_EQ((*BundleReader::Open(dir.File("m")))->Read("x").status().code(), absl::StatusCode::kNotFound);
}

// ---- Replacing checkpoints

TEST(TensorBundleTest, ReplacingAlternatesTheNamesOfDataFiles) {
  const TempDirectory dir;
  for (int version = 1; version <= 4; ++version) {
    ASSERT_TRUE(Save(dir.File("m"), {{"x", Floats(3, static_cast<float>(version))}}).ok());
    EXPECT_EQ(FirstFloat(dir.File("m"), "x"), version);
    if (version % 2 == 1) {
      EXPECT_THAT(dir.Names(), ElementsAre("m.data-00000-of-00001", "m.index"));
    } else {
      EXPECT_THAT(dir.Names(), ElementsAre("m.data-00000-of-00002", "m.data-00001-of-00002", "m.index"));
    }
  }
}

TEST(TensorBundleTest, ReaderKeepsTheCheckpointThatItOpened) {
  const TempDirectory dir;
  ASSERT_TRUE(Save(dir.File("m"), {{"x", Floats(3, 1)}}).ok());
  const std::unique_ptr<BundleReader> reader = *BundleReader::Open(dir.File("m"));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Save(dir.File("m"), {{"x", Floats(3, 2)}}).ok());
  EXPECT_EQ(reader->Read("x")->data<float>()[0], 1);
}

TEST(TensorBundleTest, LeftoversOfDeadWritersGoOthersStay) {
  const TempDirectory dir;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  const std::string dead = ".tempstate-" + std::to_string(child) + "-99-3";
  const std::vector<std::string> gone = {"m.index" + dead, "m.data-00000-of-00001" + dead, "m.data-00002-of-00003",
                                         "n.index" + dead};
  const TemporaryName in_use("m.index");
  const std::vector<std::string> kept = {"m.meta", "m2.data-00000-of-00003",
                                         in_use.name()};
  for (const auto& names : {gone, kept}) {
    for (const std::string& name : names) Overwrite(dir.File(name), "");
  }
  ASSERT_TRUE(Save(dir.File("m"), {{"x", Floats(1, 1)}}).ok());
  std::vector<std::string> want = kept;
  want.insert(want.end(), {"m.data-00000-of-00001", "m.index"});
  EXPECT_THAT(dir.Names(), testing::UnorderedElementsAreArray(want));
}

// ---- Merging

TEST(MergeBundlesTest, ShardsAndSlicesComeTogether) {
  const TempDirectory dir;
  ASSERT_TRUE(Save(dir.File("tmp/part-0"), {}).ok());
  {
    const std::unique_ptr<BundleWriter> writer = *BundleWriter::Create(dir.File("tmp/part-0"));
    ASSERT_TRUE(writer->Add("a", Floats(2, 1)).ok());
    ASSERT_TRUE(writer->AddSlice("w", Shape::Of({4}), *TensorSlice::Parse("0,1"), Floats(1, 7)).ok());
    ASSERT_TRUE(writer->Finish().ok());
  }
  {
    const std::unique_ptr<BundleWriter> writer = *BundleWriter::Create(dir.File("tmp/part-1"));
    ASSERT_TRUE(writer->Add("b", Floats(2, 2)).ok());
    ASSERT_TRUE(writer->AddSlice("w", Shape::Of({4}), *TensorSlice::Parse("1,3"), Floats(3, 8)).ok());
    ASSERT_TRUE(writer->Finish().ok());
  }
  ASSERT_TRUE(MergeBundles({dir.File("tmp/part-0"), dir.File("tmp/part-1")}, dir.File("m")).ok());
  EXPECT_THAT(dir.Names(), ElementsAre("m.data-00000-of-00002", "m.data-00001-of-00002", "m.index"));
  const std::unique_ptr<BundleReader> reader = *BundleReader::Open(dir.File("m"));
  EXPECT_EQ(reader->num_shards(), 2);
  EXPECT_EQ(reader->Read("a")->data<float>()[1], 1);
  EXPECT_EQ(reader->Read("b")->data<float>()[1], 2);
  EXPECT_EQ(Difference(*reader->Read("w"), Tensor::Vector<float>({7, 8, 8, 8})), "");
}

TEST(MergeBundlesTest, Errors) {
  const TempDirectory dir;
  ASSERT_TRUE(Save(dir.File("p"), {{"x", Floats(1, 1)}}).ok());
  ASSERT_TRUE(Save(dir.File("q"), {{"x", Floats(1, 2)}}).ok());
  EXPECT_EQ(MergeBundles({dir.File("p"), dir.File("none")}, dir.File("m")).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(MergeBundles({dir.File("p"), dir.File("q")}, dir.File("m")).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FirstFloat(dir.File("p"), "x"), 1) << "a failed merge moves nothing";
  ASSERT_TRUE(MergeBundles({dir.File("p"), dir.File("none")}, dir.File("m"), {.allow_missing = true}).ok());
  EXPECT_EQ(FirstFloat(dir.File("m"), "x"), 1);
  EXPECT_EQ(BundleReader::Open(dir.File("p")).status().code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(MergeBundles({dir.File("none")}, dir.File("e"), {.allow_missing = true}).ok());
  EXPECT_TRUE((*BundleReader::Open(dir.File("e")))->tensors().empty());
}

TEST(MergeBundlesTest, OntoItselfAndOverAnother) {
  const TempDirectory dir;
  ASSERT_TRUE(Save(dir.File("m"), {{"x", Floats(1, 1)}}).ok());
  ASSERT_TRUE(MergeBundles({dir.File("m")}, dir.File("m")).ok());
  EXPECT_EQ(FirstFloat(dir.File("m"), "x"), 1);
  ASSERT_TRUE(Save(dir.File("p"), {{"x", Floats(1, 5)}}).ok());
  ASSERT_TRUE(MergeBundles({dir.File("p")}, dir.File("m")).ok());
  EXPECT_EQ(FirstFloat(dir.File("m"), "x"), 5);
}

}  // namespace
}  // namespace flowlatch
