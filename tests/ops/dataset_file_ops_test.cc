#include "ops/dataset_file_ops.h"

#include <zlib.h>

#include <fstream>
#include <string>
#include <vector>

#include "runtime/data/record_file.h"
#include "tests/ops/pipeline.h"
#include "tests/ops/tensors.h"
#include "tests/runtime/checkpoint/temp_directory.h"

namespace flowlatch {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DatasetFileOpsTest : public testing::Test {
 protected:
  using Texts = std::vector<std::string>;

  std::string File(const std::string& name, const std::string& bytes) {
    const std::string path = dir_.File(name);
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string GzipFile(const std::string& name, const std::string& bytes) {
    const std::string path = dir_.File(name);
    const gzFile file = gzopen(path.c_str(), "wb");
    EXPECT_EQ(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())), static_cast<int>(bytes.size()));
    EXPECT_EQ(gzclose(file), Z_OK);
    return path;
  }
  std::string RecordFile(const std::string& name, const Texts& records, Compression compression = Compression::kNone) {
    const auto writer = RecordWriter::Create(FileSystem::Default(), dir_.File(name), compression);
    for (const std::string& record : records) EXPECT_TRUE((*writer)->Append(record).ok());
    EXPECT_TRUE((*writer)->Close().ok());
    return dir_.File(name);
  }
  static std::string Names(Pipeline& p, const Texts& paths) {
    return p.Const(Tensor::Vector<String>(std::vector<String>(paths.begin(), paths.end())));
  }
  static std::string Text(Pipeline& p, const char* text) { return p.Const(Tensor::Scalar(text)); }
  static std::string LineDataset(Pipeline& p, const Texts& paths, const char* compression = "", int64_t buffer = 0) {
    return p.Add("TextLineDataset", {Names(p, paths), Text(p, compression), p.Number(buffer)});
  }
  static std::string RecordDataset(Pipeline& p, const Texts& paths, const char* compression = "") {
    return p.Add("TFRecordDataset", {Names(p, paths), Text(p, compression), p.Number(0)});
  }
  static std::string FixedDataset(Pipeline& p, const Texts& paths, int64_t header, int64_t record, int64_t footer,
                                  const char* compression = nullptr) {
    Texts inputs = {Names(p, paths), p.Number(header), p.Number(record), p.Number(footer), p.Number(0)};
    if (compression != nullptr) inputs.push_back(Text(p, compression));
    return p.Add(compression != nullptr ? "FixedLengthRecordDatasetV2" : "FixedLengthRecordDataset", inputs);
  }
  static Texts Strings(Pipeline& p, const std::string& dataset, int max = 100) {
    return p.Elements(dataset, {DType::kString}, max);
  }

  const TempDirectory dir_;
};

TEST_F(DatasetFileOpsTest, Lines) {
  const std::string a = File("a", "one\r\ntwo\n\nfour"), none = File("none", ""), b = File("b", "x\n");
  Pipeline p;
  const std::string lines = LineDataset(p, {a, none, b});
  EXPECT_THAT(Strings(p, lines), ElementsAre("'one'", "'two'", "''", "'four'", "'x'"));
  EXPECT_EQ(p.Cardinality(lines), -2);
  EXPECT_THAT(Strings(p, LineDataset(p, {})), IsEmpty());
  EXPECT_THAT(Strings(p, LineDataset(p, {File("c", "a\rb\r\n\r\nx\r")})), ElementsAre("'ab'", "''", "'x'"));
  EXPECT_THAT(Strings(p, LineDataset(p, {GzipFile("g", "one\ntwo\n")}, "GZIP")), ElementsAre("'one'", "'two'"));
  const std::string scalar = p.Add("TextLineDataset", {Text(p, b.c_str()), Text(p, ""), p.Number(0)});
  EXPECT_THAT(Strings(p, scalar), ElementsAre("'x'"));
  // Longer than a buffer, with an end at its border.
  const std::string most(65535, 'm'), more(200000, 'n');
  const Texts got = Strings(p, LineDataset(p, {File("long", most + "\n" + more + "\nz")}));
  EXPECT_EQ(got.size(), 3u);
  EXPECT_EQ(got.back(), "'z'");
}

TEST_F(DatasetFileOpsTest, RecordsOfOneLength) {
  const std::string f = File("f", "HHaabbccF"), z = GzipFile("z", "HHaabbccF");
  Pipeline p;
  EXPECT_THAT(Strings(p, FixedDataset(p, {f, f}, 2, 2, 1)), ElementsAre("'aa'", "'bb'", "'cc'", "'aa'", "'bb'", "'cc'"));
  EXPECT_THAT(Strings(p, FixedDataset(p, {f}, 0, 3, 0, "")), ElementsAre("'HHa'", "'abb'", "'ccF'"));
  EXPECT_THAT(Strings(p, FixedDataset(p, {z}, 2, 2, 1, "GZIP")), ElementsAre("'aa'", "'bb'", "'cc'"));
  EXPECT_THAT(Strings(p, FixedDataset(p, {File("none", "")}, 0, 2, 0)), IsEmpty());
  // A file that does not fit is never passed; when that shows at its end, it is.
  EXPECT_THAT(Strings(p, FixedDataset(p, {f, f}, 2, 2, 2), 3), Each("INVALID_ARGUMENT"));
  EXPECT_THAT(Strings(p, FixedDataset(p, {f}, 9, 2, 9), 3), Each("INVALID_ARGUMENT"));
  EXPECT_THAT(Strings(p, FixedDataset(p, {z, z}, 2, 2, 2, "GZIP")),
              ElementsAre("'aa'", "'bb'", "DATA_LOSS", "'aa'", "'bb'", "DATA_LOSS"));
  EXPECT_THAT(Strings(p, FixedDataset(p, {z}, 100, 2, 2, "GZIP")), ElementsAre("DATA_LOSS"));
  EXPECT_THAT(Strings(p, FixedDataset(p, {z}, 2, int64_t{1} << 62, 2, "GZIP")), ElementsAre("RESOURCE_EXHAUSTED"));
}

TEST_F(DatasetFileOpsTest, Records) {
  const std::string r = RecordFile("r", {"r0", "r1", ""}), text = File("t", "no records, but text"),
                    z = RecordFile("z", {"zip"}, Compression::kZlib);
  Pipeline p;
  EXPECT_THAT(Strings(p, RecordDataset(p, {r, r})), ElementsAre("'r0'", "'r1'", "''", "'r0'", "'r1'", "''"));
  EXPECT_THAT(Strings(p, RecordDataset(p, {r}, "other")), ElementsAre("'r0'", "'r1'", "''"));
  EXPECT_THAT(Strings(p, RecordDataset(p, {z}, "ZLIB")), ElementsAre("'zip'"));
  EXPECT_THAT(Strings(p, RecordDataset(p, {text, r})), ElementsAre("DATA_LOSS", "'r0'", "'r1'", "''"));
  EXPECT_THAT(Strings(p, RecordDataset(p, {r}, "GZIP")), ElementsAre("DATA_LOSS"));
  const auto from = [&](const Tensor& offsets) {
    return p.Add("TFRecordDatasetV2", {Names(p, {r, r}), Text(p, ""), p.Number(0), p.Const(offsets)});
  };
  EXPECT_THAT(Strings(p, from(Longs({2}, {18, 36}))), ElementsAre("'r1'", "''", "''"));
  EXPECT_THAT(Strings(p, from(Longs({2}, {1000, 3}))), ElementsAre("DATA_LOSS"));
  ExpectInvalid(p.Error(from(Longs({1}, {0}))), "byte_offsets: expected one for each of 2 files, got shape [1]");
  ExpectInvalid(p.Error(from(Longs({2}, {0, -1}))), "byte_offsets: expected numbers >= 0, got -1");
}

TEST_F(DatasetFileOpsTest, Errors) {
  const std::string b = File("b", "x\n"), missing = dir_.File("missing");
  Pipeline p;
  for (const std::string& dataset : {LineDataset(p, {missing, b}), RecordDataset(p, {missing, b}), FixedDataset(p, {missing, b}, 0, 2, 0)}) {
    EXPECT_THAT(Strings(p, dataset, 3), ElementsAre("NOT_FOUND", "NOT_FOUND", "NOT_FOUND"));
  }
  EXPECT_THAT(Strings(p, LineDataset(p, {std::string("b\0", 2)}), 1), ElementsAre("NOT_FOUND"));
  EXPECT_THAT(Strings(p, LineDataset(p, {b}, "GZIP"), 2), ElementsAre("DATA_LOSS", "DATA_LOSS"));
  ExpectInvalid(p.Error(LineDataset(p, {b}, "zlib")), "compression_type: expected '', 'GZIP' or 'ZLIB', got 'zlib'");
  ExpectInvalid(p.Error(LineDataset(p, {b}, "", -1)), "buffer_size: expected a number >= 0, got -1");
  ExpectInvalid(p.Error(FixedDataset(p, {b}, -1, 2, 0)), "header_bytes: expected a number >= 0");
  ExpectInvalid(p.Error(FixedDataset(p, {b}, 0, 0, 0)), "record_bytes: expected a number >= 1");
  ExpectInvalid(p.Error(FixedDataset(p, {b}, 0, 2, -1)), "footer_bytes: expected a number >= 0");
  ExpectInvalid(p.Error(FixedDataset(p, {b}, 0, 2, 0, "X")), "compression_type");
  EXPECT_EQ(p.Run(LineDataset(p, {b})).status().code(), absl::StatusCode::kFailedPrecondition) << "files are not allowed";
  Pipeline matrix;
  const std::string names = matrix.Const(flowlatch::Strings({1, 1}, {b.c_str()}));
  EXPECT_FALSE(matrix.Error(matrix.Add("TextLineDataset", {names, Text(matrix, ""), matrix.Number(0)})).ok());
}

}  // namespace
}  // namespace flowlatch
