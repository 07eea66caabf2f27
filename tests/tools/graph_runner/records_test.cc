#include "tools/graph_runner/records.h"

#include <nlohmann/json.hpp>

#include "flowlatch/proto/event.pb.h"
#include "flowlatch/proto/example.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/data/record_file.h"
#include "tests/runtime/checkpoint/temp_directory.h"
#include "tools/arrays/files.h"
#include "tools/graph_runner/errors.h"

namespace flowlatch {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr char kLines[] =
    "{\"floats\":[1.5,2.0],\"ints\":[1,-2],\"name\":[\"a\"]}\n"
    "{\"bytes\":[{\"b64\":\"//4=\"}],\"none\":[]}\n";

class RecordsTest : public testing::Test {
 protected:
  RecOptions Options(const std::string& action, const std::string& as = "auto") {
    RecOptions options;
    options.action = action;
    options.files = {path_};
    options.as = as;
    return options;
  }
  void Write(const std::vector<std::string>& records) {
    const auto writer = RecordWriter::Create(FileSystem::Default(), path_);
    for (const std::string& record : records) ASSERT_TRUE((*writer)->Append(record).ok());
    ASSERT_TRUE((*writer)->Close().ok());
  }
  const TempDirectory dir_;
  const std::string path_ = dir_.File("data.tfrecord");
};

TEST_F(RecordsTest, LinesBecomeExamplesAndBack) {
  ASSERT_TRUE(WriteBytes(dir_.File("lines"), kLines).ok());
  for (const char* compression : {"none", "gzip", "zlib"}) {
    RecOptions write = Options("write");
    write.from = dir_.File("lines");
    write.compression = compression;
    const absl::StatusOr<RecordsReport> written = Records(write);
    ASSERT_TRUE(written.ok()) << written.status();
    EXPECT_EQ(written->files[0].records, 2);
    const absl::StatusOr<RecordsReport> read = Records(Options("cat"));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(RecordsText(*read, {}), kLines) << compression;
  }
}

TEST_F(RecordsTest, ListsWhatIsThere) {
  Write({*ExampleFromJson(R"({"x": [1, 2, 3], "name": "text"})"), *ExampleFromJson(R"({"x": [1.0, 2, 3, 4, 5, 6, 7, 8, 9]})")});
  const absl::StatusOr<RecordsReport> report = Records(Options("ls"));
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->files[0].listed.size(), 2u);
  EXPECT_EQ(report->files[0].listed[0].text, "name=\"text\" x=int64[1 2 3]");
  EXPECT_EQ(report->files[0].listed[1].text, "x=float[1 2 3 4 5 6 7 8 ...] (9)");
  EXPECT_EQ(report->files[0].listed[1].offset, report->files[0].listed[0].bytes + 16);
  EXPECT_TRUE(json::accept(RecordsJson(*report)));
  RecOptions first = Options("ls");
  first.first = 1;
  EXPECT_EQ(Records(first)->files[0].listed.size(), 1u);
}

TEST_F(RecordsTest, EventsAndOtherBytes) {
  proto::Event version, scalar, graph;
  version.set_file_version("brain.Event:2");
  scalar.set_step(7);
  scalar.mutable_summary()->add_value()->set_tag("loss");
  scalar.mutable_summary()->mutable_value(0)->set_simple_value(2.5f);
  graph.set_graph_def("1234");
  Write({version.SerializeAsString(), scalar.SerializeAsString(), graph.SerializeAsString()});
  const RecordFileReport events = Records(Options("ls", "event"))->files[0];
  EXPECT_EQ(events.listed[0].text, "step 0 version brain.Event:2");
  EXPECT_EQ(events.listed[1].text, "step 7 loss=2.5");
  EXPECT_EQ(events.listed[2].text, "step 0 graph of 4 bytes");
  EXPECT_EQ(json::parse(events.listed[1].json)["summary"]["loss"], 2.5);
  Write({"\xff\xfe", std::string(100, 'x')});
  const RecordFileReport raw = Records(Options("cat"))->files[0];
  EXPECT_EQ(raw.listed[0].json, "{\"b64\":\"//4=\"}");
  EXPECT_THAT(raw.listed[1].text, HasSubstr("...\" (100 bytes)"));
}

TEST_F(RecordsTest, Sequences) {
  proto::SequenceExample sequence;
  (*sequence.mutable_context()->mutable_feature())["label"].mutable_int64_list()->add_value(1);
  (*sequence.mutable_feature_lists()->mutable_feature_list())["steps"].add_feature()->mutable_float_list()->add_value(0.5f);
  Write({sequence.SerializeAsString()});
  EXPECT_EQ(Records(Options("ls"))->files[0].listed[0].text, "label=int64[1] steps=1 steps of float[0.5]");
}

TEST_F(RecordsTest, VerifyFindsDamage) {
  Write({"one", "two", "three"});
  EXPECT_TRUE(Records(Options("verify"))->files[0].damage.empty());
  std::string bytes = *ReadBytes(path_);
  bytes[13] ^= 1;
  bytes.resize(bytes.size() - 1);
  ASSERT_TRUE(WriteBytes(path_, bytes).ok());
  const absl::StatusOr<RecordsReport> report = Records(Options("verify"));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->files[0].records, 1);
  ASSERT_EQ(report->files[0].damage.size(), 2u);
  EXPECT_THAT(report->files[0].damage[0], HasSubstr("record at 0: expected 3 bytes with the right checksum"));
  EXPECT_THAT(report->files[0].damage[1], HasSubstr("record at 38: expected 5 bytes and a checksum, got 8 bytes"));
  EXPECT_EQ(Records(Options("cat", "raw")).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(RecordsTest, Errors) {
  const char* const lines[] = {"[1]", "{", R"({"x": [1, "a"]})", R"({"x": [null]})", R"({"x": {"b64": "!"}})", R"({"x": [[1]]})"};
  for (const char* line : lines) {
    EXPECT_EQ(ExampleFromJson(line).status().code(), absl::StatusCode::kInvalidArgument) << line;
    ASSERT_TRUE(WriteBytes(dir_.File("lines"), std::string("\n") + line).ok());
    RecOptions write = Options("write");
    write.from = dir_.File("lines");
    EXPECT_THAT(std::string(Records(write).status().message()), HasSubstr("line 2:")) << line;
  }
  EXPECT_EQ(ExitCodeOf(Records(Options("write")).status()), ExitCode::kUsage);
  EXPECT_EQ(ExitCodeOf(Records(Options("ls")).status()), ExitCode::kFiles);
  Write({"\xff"});
  EXPECT_EQ(ExitCodeOf(Records(Options("ls", "example")).status()), ExitCode::kBadModel);
}

}  // namespace
}  // namespace flowlatch
