#include "ops/summary_ops.h"

#include <vector>

#include "flowlatch/proto/event.pb.h"
#include "flowlatch/proto/graph.pb.h"
#include "flowlatch/proto/summary.pb.h"
#include "runtime/data/record_file.h"
#include "tests/ops/tensors.h"
#include "tests/runtime/checkpoint/temp_directory.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

class SummaryOpsTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(RegisterSummaryOps(library_).ok());
    step_.services().allow_files = true;
  }

  // The message that an op gives for inputs, which it must give in every mode.
  proto::Summary Summarize(const std::string& op, const AttrMap& attrs, const std::vector<Tensor>& inputs) {
    OpTester tester(library_, op, attrs);
    const auto out = tester.Run(inputs);
    EXPECT_TRUE(out.ok()) << out.status();
    proto::Summary summary;
    EXPECT_TRUE(out.ok() && summary.ParseFromString(std::string((*out)[0].scalar<String>().view())));
    return summary;
  }
  void ExpectRefused(const std::string& op, const AttrMap& attrs, const std::vector<Tensor>& inputs, const std::string& text) {
    OpTester tester(library_, op, attrs);
    ExpectInvalid(tester, inputs, text);
  }

  Tensor Handle() { return (*step_.Run("SummaryWriter", {{"shared_name", "w"}}, {}))[0]; }
  absl::Status Create(int max_queue = 10) {
    return step_.Run("CreateSummaryFileWriter", {},
                     {Handle(), Folder(), Tensor::Scalar(max_queue), Tensor::Scalar(1'000'000), Tensor::Scalar(".s")})
        .status();
  }
  Tensor Folder() const { return Tensor::Scalar(std::string_view(dir_.path())); }
  absl::Status Write(const std::string& op, const AttrMap& attrs, std::vector<Tensor> arguments) {
    arguments.insert(arguments.begin(), Handle());
    return step_.Run(op, attrs, std::move(arguments)).status();
  }
  // What is in the one file, without the event that begins it.
  std::vector<proto::Event> Events() {
    EXPECT_TRUE(Write("FlushSummaryWriter", {}, {}).ok());
    return EventsInFile();
  }
  std::vector<proto::Event> EventsInFile() {
    std::vector<proto::Event> events;
    const std::vector<std::string> names = dir_.Names();
    EXPECT_EQ(names.size(), 1);
    const auto reader = RecordReader::Open(FileSystem::Default(), dir_.File(names[0]));
    std::string record;
    while (*(*reader)->Next(&record)) {
      events.emplace_back();
      EXPECT_TRUE(events.back().ParseFromString(record));
    }
    EXPECT_EQ(events[0].file_version(), "brain.Event:2");
    events.erase(events.begin());
    return events;
  }

  const TempDirectory dir_;
  OpLibrary library_;
  ResourceManager resources_;
  StepRunner step_{library_, &resources_};
  const Tensor step7_ = Tensor::Scalar<int64_t>(7);
  const Tensor tag_ = Tensor::Scalar("t");
};

TEST_F(SummaryOpsTest, ScalarSummary) {
  const proto::Summary two = Summarize("ScalarSummary", {{"T", DType::kFloat32}}, {Strings({2}, {"a", "b"}), Floats({2}, {1.5f, 2.5f})});
  ASSERT_EQ(two.value_size(), 2);
  EXPECT_EQ(two.value(0).tag(), "a");
  EXPECT_EQ(two.value(1).tag(), "b");
  EXPECT_EQ(two.value(1).simple_value(), 2.5f);
  EXPECT_EQ(Summarize("ScalarSummary", {{"T", DType::kInt64}}, {tag_, Longs({}, {3})}).value(0).simple_value(), 3);
  EXPECT_EQ(Summarize("ScalarSummary", {{"T", DType::kFloat32}}, {Strings({0}, {}), Floats({0}, {})}).value_size(), 0);
  ExpectRefused("ScalarSummary", {{"T", DType::kFloat32}}, {Strings({2}, {"a", "b"}), Floats({1}, {1})}, "expected one shape, got [2] and [1]");
  ExpectRefused("ScalarSummary", {{"T", DType::kFloat32}}, {Strings({1}, {"a"}), Floats({}, {1})}, "[1] and []");
}

TEST_F(SummaryOpsTest, OtherSummaries) {
  EXPECT_EQ(Summarize("HistogramSummary", {{"T", DType::kFloat32}}, {tag_, Floats({3}, {1, 2, 3})}).value(0).histo().sum(), 6);
  const Tensor images = *Tensor::Zeros(DType::kFloat32, Shape::Of({4, 2, 2, 3}));
  EXPECT_EQ(Summarize("ImageSummary", {{"T", DType::kFloat32}}, {tag_, images}).value_size(), 3);
  EXPECT_EQ(Summarize("ImageSummary", {{"T", DType::kFloat32}, {"max_images", 1}}, {tag_, images}).value(0).tag(), "t/image");
  const Tensor sounds = Floats({2, 2}, {0, 1, 0, -1});
  EXPECT_EQ(Summarize("AudioSummary", {{"sample_rate", 8.0f}}, {tag_, sounds}).value(0).audio().sample_rate(), 8);
  EXPECT_EQ(Summarize("AudioSummaryV2", {}, {tag_, sounds, Floats({1}, {16})}).value(1).audio().sample_rate(), 16);
  const proto::Summary plain = Summarize("TensorSummary", {{"T", DType::kInt32}}, {Ints({1, 2}, {1, 2})});
  EXPECT_FALSE(plain.value(0).node_name().empty());
  EXPECT_FALSE(plain.value(0).has_metadata());
  EXPECT_EQ(plain.value(0).tensor().tensor_shape().dim(1).size(), 2);
  proto::SummaryMetadata metadata;
  metadata.mutable_plugin_data()->set_plugin_name("text");
  const proto::Summary text = Summarize("TensorSummaryV2", {{"T", DType::kString}},
                                        {tag_, Strings({2}, {"a", "b"}), Tensor::Scalar(std::string_view(metadata.SerializeAsString()))});
  EXPECT_EQ(text.value(0).metadata().plugin_data().plugin_name(), "text");
  EXPECT_EQ(text.value(0).tensor().string_val(1), "b");
}

TEST_F(SummaryOpsTest, ArgumentsAreScalars) {
  const Tensor tags = Strings({1}, {"t"});
  const std::string text = "tag: expected a scalar, got shape [1]";
  ExpectRefused("HistogramSummary", {{"T", DType::kFloat32}}, {tags, Floats({1}, {1})}, text);
  ExpectRefused("ImageSummary", {{"T", DType::kFloat32}}, {tags, Floats({1, 1, 1, 1}, {1})}, text);
  ExpectRefused("AudioSummaryV2", {}, {tags, Floats({1, 1}, {1}), Floats({}, {8})}, text);
  ExpectRefused("AudioSummaryV2", {}, {tag_, Floats({1, 1}, {1}), Floats({2}, {8, 8})}, "sample_rate: expected one element, got shape [2]");
  ExpectRefused("AudioSummaryV2", {}, {tag_, Floats({1, 1}, {1}), Floats({0}, {})}, "sample_rate: expected one element, got shape [0]");
  ExpectRefused("TensorSummaryV2", {{"T", DType::kFloat32}}, {tags, Floats({1}, {1}), Tensor::Scalar("")}, text);
  ExpectRefused("TensorSummaryV2", {{"T", DType::kFloat32}}, {tag_, Floats({1}, {1}), tags}, "serialized_summary_metadata");
}

TEST_F(SummaryOpsTest, MergeSummary) {
  const auto scalar = [](const char* tag) {
    proto::Summary summary;
    summary.add_value()->set_tag(tag);
    return std::string(summary.SerializeAsString());
  };
  const Tensor a = Tensor::Scalar(std::string_view(scalar("a"))), b = Tensor::Scalar(std::string_view(scalar("b")));
  const proto::Summary merged = Summarize("MergeSummary", {{"N", 3}}, {a, Strings({2}, {"", ""}), b});
  ASSERT_EQ(merged.value_size(), 2);
  EXPECT_EQ(merged.value(1).tag(), "b");
  ExpectRefused("MergeSummary", {{"N", 2}}, {a, a}, "inputs[1]: expected tags that differ, got 'a' again");
  ExpectRefused("MergeSummary", {{"N", 1}}, {Tensor::Scalar("\xff")}, "inputs[0]: expected a serialized Summary");
}

TEST_F(SummaryOpsTest, WritersWriteEvents) {
  ASSERT_TRUE(Create().ok());
  ASSERT_TRUE(Create().ok()) << "it is there: nothing happens";
  proto::Summary raw;
  raw.add_value()->set_tag("r");
  const Tensor serialized = Tensor::Scalar(std::string_view(raw.SerializeAsString()));
  GraphDef graph;
  graph.add_node()->set_name("n");
  proto::Event event;
  event.set_step(3);
  event.set_wall_time(5);
  const Tensor image = *Tensor::Zeros(DType::kFloat32, Shape::Of({1, 2, 2, 1}));
  ASSERT_TRUE(Write("WriteScalarSummary", {{"T", DType::kFloat32}}, {step7_, tag_, Floats({}, {2.5f})}).ok());
  ASSERT_TRUE(Write("WriteHistogramSummary", {{"T", DType::kBool}}, {step7_, tag_, Bools({2}, {true, false})}).ok());
  ASSERT_TRUE(Write("WriteImageSummary", {{"T", DType::kFloat32}}, {step7_, tag_, image, Of<uint8_t>({1}, {0})}).ok());
  ASSERT_TRUE(Write("WriteAudioSummary", {}, {step7_, tag_, Floats({1, 2}, {0, 1}), Floats({}, {8})}).ok());
  ASSERT_TRUE(Write("WriteSummary", {{"T", DType::kInt32}}, {step7_, Ints({2}, {1, 2}), tag_, Tensor::Scalar("")}).ok());
  ASSERT_TRUE(Write("WriteRawProtoSummary", {}, {step7_, serialized}).ok());
  ASSERT_TRUE(Write("WriteGraphSummary", {}, {step7_, Tensor::Scalar(std::string_view(graph.SerializeAsString()))}).ok());
  ASSERT_TRUE(Write("ImportEvent", {}, {Tensor::Scalar(std::string_view(event.SerializeAsString()))}).ok());
  const std::vector<proto::Event> events = Events();
  ASSERT_EQ(events.size(), 8);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(events[static_cast<size_t>(i)].step(), 7);
  EXPECT_EQ(events[0].summary().value(0).simple_value(), 2.5f);
  EXPECT_EQ(events[1].summary().value(0).histo().sum(), 1);
  EXPECT_EQ(events[2].summary().value(0).image().width(), 2);
  EXPECT_EQ(events[3].summary().value(0).audio().length_frames(), 2);
  EXPECT_EQ(events[4].summary().value(0).tensor().tensor_shape().dim(0).size(), 2);
  EXPECT_EQ(events[5].summary().value(0).tag(), "r");
  EXPECT_EQ(events[6].graph_def(), graph.SerializeAsString());
  EXPECT_EQ(events[7].wall_time(), 5);
  EXPECT_EQ(events[7].step(), 3);
}

TEST_F(SummaryOpsTest, QueuesAreWrittenWhenFull) {
  ASSERT_TRUE(Create(/*max_queue=*/1).ok());
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(EventsInFile().empty());
    ASSERT_TRUE(Write("WriteScalarSummary", {{"T", DType::kInt32}}, {step7_, tag_, Tensor::Scalar(i)}).ok());
  }
  EXPECT_EQ(EventsInFile().size(), 2);
}

TEST_F(SummaryOpsTest, ClosedWritersAreGone) {
  const std::pair<const char*, std::vector<Tensor>> ops[] = {{"WriteScalarSummary", {step7_, tag_, Tensor::Scalar(1)}}, {"FlushSummaryWriter", {}},
                                                             {"CloseSummaryWriter", {}}};
  ASSERT_TRUE(Create().ok());
  ASSERT_TRUE(Write("WriteScalarSummary", {{"T", DType::kInt32}}, {step7_, tag_, Tensor::Scalar(1)}).ok());
  ASSERT_TRUE(Write("CloseSummaryWriter", {}, {}).ok());
  EXPECT_EQ(EventsInFile().size(), 1);
  for (const auto& [op, inputs] : ops) {
    const AttrMap attrs = inputs.empty() ? AttrMap{} : AttrMap{{"T", DType::kInt32}};
    EXPECT_EQ(Write(op, attrs, inputs).code(), absl::StatusCode::kNotFound) << op;
  }
}

TEST_F(SummaryOpsTest, FilesMustBeAllowed) {
  step_.services().allow_files = false;
  EXPECT_EQ(Create().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(dir_.Names(), testing::IsEmpty());
}

TEST_F(SummaryOpsTest, ErrorsOfWriters) {
  const Tensor one = Tensor::Scalar(1), ones = Ints({1}, {1}), suffix = Tensor::Scalar("");
  const auto create = [&](const Tensor& folder, const Tensor& queue, const Tensor& millis, const Tensor& suffix) {
    return Write("CreateSummaryFileWriter", {}, {folder, queue, millis, suffix});
  };
  ExpectInvalid(create(Strings({1}, {"x"}), one, one, suffix), "logdir: expected a scalar, got shape [1]");
  ExpectInvalid(create(Folder(), ones, one, suffix), "max_queue: expected a scalar, got shape [1]");
  ExpectInvalid(create(Folder(), one, ones, suffix), "flush_millis: expected a scalar, got shape [1]");
  ExpectInvalid(create(Folder(), one, one, Strings({0}, {})), "filename_suffix: expected a scalar, got shape [0]");
  ExpectInvalid(create(Folder(), one, one, Tensor::Scalar("/../x")), "filename_suffix: expected a part of a file's name");
  ExpectInvalid(create(Tensor::Scalar(""), one, one, suffix), "folder of events: expected a name");
  ExpectInvalid(step_.Run("FlushSummaryWriter", {}, {*Tensor::Make(DType::kResource, Shape::Of({0}))}).status(), "writer: expected one handle, got shape [0]");
  ExpectInvalid(step_.Run("FlushSummaryWriter", {}, {*Tensor::Make(DType::kResource, Shape())}).status(), "handle");
  ASSERT_TRUE(Create().ok());
  const AttrMap ints{{"T", DType::kInt32}};
  ExpectInvalid(Write("WriteScalarSummary", ints, {Longs({1}, {7}), tag_, one}), "step: expected a scalar, got shape [1]");
  ExpectInvalid(Write("WriteScalarSummary", ints, {step7_, Strings({1}, {"t"}), one}), "tag: expected a scalar");
  ExpectInvalid(Write("WriteScalarSummary", ints, {step7_, tag_, Ints({2}, {1, 2})}), "expected one number, got int32[2]");
  ExpectInvalid(Write("WriteSummary", ints, {step7_, one, tag_, Tensor::Scalar("\xff")}), "SummaryMetadata");
  const absl::Status damaged[] = {Write("WriteRawProtoSummary", {}, {step7_, Tensor::Scalar("\xff")}),
                                  Write("WriteGraphSummary", {}, {step7_, Tensor::Scalar("\xff")}),
                                  Write("ImportEvent", {}, {Tensor::Scalar("\xff")})};
  for (const absl::Status& status : damaged) EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  EXPECT_TRUE(Events().empty()) << "what failed wrote nothing";
}

TEST_F(SummaryOpsTest, HandlesAreKeys) {
  const Tensor named = (*step_.Run("SummaryWriter", {{"shared_name", "w"}, {"container", "c"}}, {}))[0];
  EXPECT_EQ(named.scalar<ResourceHandle>()->container, "c");
  EXPECT_EQ(named.scalar<ResourceHandle>()->name, "w");
  EXPECT_EQ((*step_.Run("SummaryWriter", {}, {}, "of the node"))[0].scalar<ResourceHandle>()->name, "of the node");
}

TEST_F(SummaryOpsTest, Shapes) {
  const PartialShape unknown, known = PartialShape::Of({2, -1});
  for (const PartialShape& shape : {unknown, known}) {
    EXPECT_EQ((*InferShapes(library_, "ScalarSummary", {{"T", DType::kFloat32}}, {shape, shape}))[0], PartialShape::Of({}));
    EXPECT_EQ((*InferShapes(library_, "MergeSummary", {{"N", 1}}, {shape}))[0], PartialShape::Of({}));
  }
  EXPECT_EQ((*InferShapes(library_, "SummaryWriter", {}, {}))[0], PartialShape::Of({}));
}

}  // namespace
}  // namespace flowlatch
