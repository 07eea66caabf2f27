// What TensorBoard shows (runtime/events), as serialized Summary messages or written to event files.
//   ScalarSummary(tags, values of one shape), HistogramSummary, ImageSummary, AudioSummary(V2), TensorSummary(V2): a summary.
//   MergeSummary: the values of several; a tag may come once.
//   SummaryWriter: the handle of (container, shared_name or the node's name), whether or not the writer exists yet.
//   CreateSummaryFileWriter: makes it, with a file in logdir that the session must allow; nothing happens if there is one.
//   Write*Summary, ImportEvent: events at a step, by a writer; NotFound if there is none.
//   FlushSummaryWriter, CloseSummaryWriter: what was written is in the file then; a closed writer is gone.
// Tags and all other arguments but the values are scalars. What is malformed is InvalidArgument in a summary, and DataLoss in
// what WriteRawProtoSummary, WriteGraphSummary and ImportEvent pass on.
#include "ops/summary_ops.h"

#include <chrono>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "flowlatch/proto/event.pb.h"
#include "flowlatch/proto/graph.pb.h"
#include "flowlatch/proto/summary.pb.h"
#include "graph/base/status_macros.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/file_access.h"
#include "runtime/events/event_writer.h"
#include "runtime/events/summaries.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"
#include "runtime/kernel/step_context.h"
#include "runtime/resource/resource_manager.h"

namespace flowlatch {
namespace {

absl::Status NotScalar(const char* what, const Tensor& t) {
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected a scalar, got shape ", t.ShapeString()));
}

template <typename T>
absl::StatusOr<T> ScalarInput(const KernelCall& c, int i, const char* what) {
  if (!c.input(i).is_scalar()) return NotScalar(what, c.input(i));
  return c.input(i).scalar<T>();
}

absl::StatusOr<std::string> StringInput(const KernelCall& c, int i, const char* what) {
  if (!c.input(i).is_scalar()) return NotScalar(what, c.input(i));
  return std::string(c.input(i).scalar<String>().view());
}

bool Parse(std::string_view bytes, google::protobuf::MessageLite* message) {
  return bytes.size() <= static_cast<size_t>(std::numeric_limits<int>::max()) &&
         message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

// A rate may also be a tensor of one element.
absl::StatusOr<float> RateInput(const KernelCall& c, int i) {
  if (c.input(i).num_elements() == 1) return c.input(i).scalar<float>();
  return absl::InvalidArgumentError(absl::StrCat("sample_rate: expected one element, got shape ", c.input(i).ShapeString()));
}

// Attributes of the ops of images and sounds.
class MediaState : public KernelState {
 public:
  int64_t max_outputs = 0;
  float sample_rate = 0;
  Tensor bad_color;
};

// ---- Summaries as strings

absl::Status SetSummary(KernelCall& c, const proto::Summary& summary) {
  c.SetOutput(0, Tensor::Scalar(std::string_view(summary.SerializeAsString())));
  return absl::OkStatus();
}

absl::Status ScalarSummary(KernelCall& c) {
  const Tensor &tags = c.input(0), &values = c.input(1);
  if (tags.dims() != values.dims()) {
    return absl::InvalidArgumentError(absl::StrCat("tags and values: expected one shape, got ", tags.ShapeString(), " and ", values.ShapeString()));
  }
  ASSIGN_OR_RETURN(const Tensor flat, values.Reshaped(Shape::Of({values.num_elements()})));
  proto::Summary summary;
  for (int64_t i = 0; i < tags.num_elements(); ++i) {
    RETURN_IF_ERROR(AddScalar(std::string(tags.data<String>()[i].view()), flat.Rows(i, 1), &summary));
  }
  return SetSummary(c, summary);
}

absl::Status HistogramSummary(KernelCall& c) {
  ASSIGN_OR_RETURN(const std::string tag, StringInput(c, 0, "tag"));
  proto::Summary summary;
  RETURN_IF_ERROR(AddHistogram(tag, c.input(1), &summary));
  return SetSummary(c, summary);
}

absl::Status ImageSummary(KernelCall& c) {
  ASSIGN_OR_RETURN(const std::string tag, StringInput(c, 0, "tag"));
  const MediaState& state = c.state<MediaState>();
  proto::Summary summary;
  RETURN_IF_ERROR(AddImages(tag, c.input(1), state.max_outputs, state.bad_color, &summary));
  return SetSummary(c, summary);
}

absl::StatusOr<Kernel> ImageKernel(const NodeInfo& node) {
  auto state = std::make_shared<MediaState>();
  ASSIGN_OR_RETURN(state->max_outputs, node.Int("max_images"));
  ASSIGN_OR_RETURN(state->bad_color, node.AttrAs<Tensor>("bad_color"));
  return Kernel{.fn = &RunKernel<ImageSummary>, .state = std::move(state)};
}

// AudioSummary has its rate in an attribute.
absl::Status AudioSummary(KernelCall& c) {
  ASSIGN_OR_RETURN(const std::string tag, StringInput(c, 0, "tag"));
  const MediaState& state = c.state<MediaState>();
  float sample_rate = state.sample_rate;
  if (c.num_inputs() == 3) {
    ASSIGN_OR_RETURN(sample_rate, RateInput(c, 2));
  }
  proto::Summary summary;
  RETURN_IF_ERROR(AddAudio(tag, c.input(1), sample_rate, state.max_outputs, &summary));
  return SetSummary(c, summary);
}

template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> AudioKernel(const NodeInfo& node) {
  auto state = std::make_shared<MediaState>();
  ASSIGN_OR_RETURN(state->max_outputs, node.Int("max_outputs"));
  if (node.schema().FindAttr("sample_rate") != nullptr) {
    ASSIGN_OR_RETURN(state->sample_rate, node.Float("sample_rate"));
  }
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::move(state)};
}

absl::Status TensorSummaryV2(KernelCall& c) {
  ASSIGN_OR_RETURN(const std::string tag, StringInput(c, 0, "tag"));
  ASSIGN_OR_RETURN(const std::string metadata, StringInput(c, 2, "serialized_summary_metadata"));
  proto::Summary summary;
  RETURN_IF_ERROR(AddTensor(tag, c.input(1), metadata, &summary));
  return SetSummary(c, summary);
}

// TensorSummary has no tag: the node's name stands for it.
class NameState : public KernelState {
 public:
  explicit NameState(std::string_view name) : name(name) {}
  const std::string name;
};

absl::Status TensorSummary(KernelCall& c) {
  proto::Summary summary;
  RETURN_IF_ERROR(AddTensor("", c.input(0), "", &summary));
  proto::Summary::Value* const value = summary.mutable_value(0);
  value->clear_metadata();
  value->set_node_name(c.state<NameState>().name);
  return SetSummary(c, summary);
}

absl::StatusOr<Kernel> TensorSummaryKernel(const NodeInfo& node) {
  return Kernel{.fn = &RunKernel<TensorSummary>, .state = std::make_shared<NameState>(node.name())};
}

absl::Status MergeSummary(KernelCall& c) {
  proto::Summary merged;
  std::set<std::string> tags;
  for (int i = 0; i < c.num_inputs(); ++i) {
    for (const String& serialized : c.input(i).values<String>()) {
      proto::Summary summary;
      if (!Parse(serialized.view(), &summary)) {
        return absl::InvalidArgumentError(absl::StrCat("inputs[", i, "]: expected a serialized Summary, got ", serialized.size(), " other bytes"));
      }
      for (proto::Summary::Value& value : *summary.mutable_value()) {
        if (!value.tag().empty() && !tags.insert(value.tag()).second) {
          return absl::InvalidArgumentError(absl::StrCat("inputs[", i, "]: expected tags that differ, got '", value.tag(), "' again"));
        }
        *merged.add_value() = std::move(value);
      }
    }
  }
  return SetSummary(c, merged);
}

// ---- Writers

class SummaryFileWriter final : public Resource {
 public:
  explicit SummaryFileWriter(std::unique_ptr<EventWriter> events) : events(std::move(events)) {}
  std::string TypeName() const override { return "SummaryWriterInterface"; }
  const std::unique_ptr<EventWriter> events;
};

class WriterHandleState : public KernelState {
 public:
  explicit WriterHandleState(Tensor handle) : handle(std::move(handle)) {}
  const Tensor handle;
};

absl::Status WriterHandle(KernelCall& c) {
  c.SetOutput(0, c.state<WriterHandleState>().handle);
  return absl::OkStatus();
}

absl::StatusOr<Kernel> WriterHandleKernel(const NodeInfo& node) {
  RefPtr<ResourceKey> key = MakeRef<ResourceKey>();
  ASSIGN_OR_RETURN(key->container, node.Str("container"));
  ASSIGN_OR_RETURN(key->name, node.Str("shared_name"));
  if (key->name.empty()) key->name = std::string(node.name());
  key->type_name = "SummaryWriterInterface";
  return Kernel{.fn = &RunKernel<WriterHandle>,
                .state = std::make_shared<WriterHandleState>(Tensor::Scalar(ResourceHandle(std::move(key))))};
}

absl::StatusOr<const ResourceHandle*> HandleInput(const KernelCall& c) {
  if (c.input(0).num_elements() == 1) return c.input(0).data<ResourceHandle>();
  return absl::InvalidArgumentError(absl::StrCat("writer: expected one handle, got shape ", c.input(0).ShapeString()));
}

absl::StatusOr<RefPtr<SummaryFileWriter>> WriterInput(const KernelCall& c) {
  ASSIGN_OR_RETURN(const ResourceHandle* handle, HandleInput(c));
  return c.step().resources().Lookup<SummaryFileWriter>(*handle);
}

absl::Status CreateWriter(KernelCall& c) {
  ASSIGN_OR_RETURN(const ResourceHandle* handle, HandleInput(c));
  ASSIGN_OR_RETURN(const std::string folder, StringInput(c, 1, "logdir"));
  EventWriterOptions options;
  ASSIGN_OR_RETURN(options.max_queue, ScalarInput<int32_t>(c, 2, "max_queue"));
  ASSIGN_OR_RETURN(const int32_t flush_millis, ScalarInput<int32_t>(c, 3, "flush_millis"));
  ASSIGN_OR_RETURN(options.suffix, StringInput(c, 4, "filename_suffix"));
  options.flush_every = std::chrono::milliseconds(flush_millis);
  RETURN_IF_ERROR(CheckFilesAllowed(c));
  if (!*handle) return absl::InvalidArgumentError("writer: expected a handle, got an empty one");
  if (options.suffix.find('/') != std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat("filename_suffix: expected a part of a file's name, got '", options.suffix, "'"));
  }
  return c.step().resources()
      .LookupOrCreate<SummaryFileWriter>((*handle)->container, (*handle)->name, [&]() -> absl::StatusOr<RefPtr<SummaryFileWriter>> {
        ASSIGN_OR_RETURN(std::unique_ptr<EventWriter> events, EventWriter::Create(FileSystem::Default(), folder, options));
        return MakeRef<SummaryFileWriter>(std::move(events));
      })
      .status();
}

absl::Status FlushWriter(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<SummaryFileWriter> writer, WriterInput(c));
  return writer->events->Flush();
}

absl::Status CloseWriter(KernelCall& c) {
  ASSIGN_OR_RETURN(const ResourceHandle* handle, HandleInput(c));
  ASSIGN_OR_RETURN(const RefPtr<SummaryFileWriter> writer, WriterInput(c));
  RETURN_IF_ERROR(c.step().resources().Delete(*handle));
  return writer->events->Close();
}

// An event at the step of input 1 with what `fill(tag, summary)` puts into its summary; the tag is input `tag_input`.
template <typename Fill>
absl::Status WriteTagged(KernelCall& c, int tag_input, const Fill& fill) {
  ASSIGN_OR_RETURN(const RefPtr<SummaryFileWriter> writer, WriterInput(c));
  ASSIGN_OR_RETURN(const int64_t step, ScalarInput<int64_t>(c, 1, "step"));
  ASSIGN_OR_RETURN(const std::string tag, StringInput(c, tag_input, "tag"));
  proto::Summary summary;
  RETURN_IF_ERROR(fill(tag, &summary));
  return writer->events->WriteSummary(step, std::move(summary));
}

absl::Status WriteScalar(KernelCall& c) {
  return WriteTagged(c, 2, [&](const std::string& tag, proto::Summary* s) { return AddScalar(tag, c.input(3), s); });
}

absl::Status WriteHistogram(KernelCall& c) {
  return WriteTagged(c, 2, [&](const std::string& tag, proto::Summary* s) { return AddHistogram(tag, c.input(3), s); });
}

absl::Status WriteImage(KernelCall& c) {
  return WriteTagged(c, 2, [&](const std::string& tag, proto::Summary* s) {
    return AddImages(tag, c.input(3), c.state<MediaState>().max_outputs, c.input(4), s);
  });
}

absl::StatusOr<Kernel> WriteImageKernel(const NodeInfo& node) {
  auto state = std::make_shared<MediaState>();
  ASSIGN_OR_RETURN(state->max_outputs, node.Int("max_images"));
  return Kernel{.fn = &RunKernel<WriteImage>, .state = std::move(state)};
}

absl::Status WriteAudio(KernelCall& c) {
  return WriteTagged(c, 2, [&](const std::string& tag, proto::Summary* s) -> absl::Status {
    ASSIGN_OR_RETURN(const float sample_rate, RateInput(c, 4));
    return AddAudio(tag, c.input(3), sample_rate, c.state<MediaState>().max_outputs, s);
  });
}

absl::Status WriteTensor(KernelCall& c) {
  return WriteTagged(c, 3, [&](const std::string& tag, proto::Summary* s) -> absl::Status {
    ASSIGN_OR_RETURN(const std::string metadata, StringInput(c, 4, "summary_metadata"));
    return AddTensor(tag, c.input(2), metadata, s);
  });
}

absl::Status Malformed(const char* what, std::string_view message) {
  return absl::DataLossError(absl::StrCat(what, ": expected a serialized ", std::string(message), ", got other bytes"));
}

absl::Status WriteRawProto(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<SummaryFileWriter> writer, WriterInput(c));
  ASSIGN_OR_RETURN(const int64_t step, ScalarInput<int64_t>(c, 1, "step"));
  proto::Summary all;
  for (const String& serialized : c.input(2).values<String>()) {
    proto::Summary summary;
    if (!Parse(serialized.view(), &summary)) return Malformed("tensor", "Summary");
    all.MergeFrom(summary);
  }
  return writer->events->WriteSummary(step, std::move(all));
}

absl::Status WriteGraph(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<SummaryFileWriter> writer, WriterInput(c));
  ASSIGN_OR_RETURN(const int64_t step, ScalarInput<int64_t>(c, 1, "step"));
  ASSIGN_OR_RETURN(std::string graph, StringInput(c, 2, "tensor"));
  GraphDef parsed;
  if (!Parse(graph, &parsed)) return Malformed("tensor", "GraphDef");
  return writer->events->WriteGraph(step, std::move(graph));
}

absl::Status ImportEvent(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<SummaryFileWriter> writer, WriterInput(c));
  ASSIGN_OR_RETURN(const std::string serialized, StringInput(c, 1, "event"));
  proto::Event event;
  if (!Parse(serialized, &event)) return Malformed("event", "Event");
  return writer->events->Write(std::move(event));
}

// ---- Registration

constexpr DTypeSet kRealNumbers = {DType::kFloat32, DType::kFloat64, DType::kInt32,    DType::kUInt8,   DType::kInt16,  DType::kInt8,
                                   DType::kInt64,   DType::kBFloat16, DType::kUInt16, DType::kFloat16, DType::kUInt32, DType::kUInt64};

absl::Status AddSummaries(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "ScalarSummary(tags: string, values: T) -> (summary: string); T: {float32, float64, int32, uint8, int16, "
                   "int8, int64, bfloat16, uint16, float16, uint32, uint64}",
      .doc = "A summary of numbers, each with a tag",
      .shape = shapes::Scalar,
      .kernel = PlainKernel<ScalarSummary>,
      .dtypes = kRealNumbers,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "HistogramSummary(tag: string, values: T) -> (summary: string); T: {float32, float64, int32, uint8, int16, "
                   "int8, int64, bfloat16, uint16, float16, uint32, uint64} = float32",
      .doc = "A summary of how values are distributed",
      .shape = shapes::Scalar,
      .kernel = PlainKernel<HistogramSummary>,
      .dtypes = kRealNumbers,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "ImageSummary(tag: string, tensor: T) -> (summary: string); max_images: int >= 1 = 3; "
                   "T: {uint8, float32, float16, float64} = float32; "
                   "bad_color: tensor = tensor(uint8, [4], [255, 0, 0, 255])",
      .doc = "A summary of images",
      .shape = shapes::Scalar,
      .kernel = ImageKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "AudioSummary(tag: string, tensor: float32) -> (summary: string); sample_rate: float; "
                   "max_outputs: int >= 1 = 3; deprecated 15 \"Use AudioSummaryV2.\"",
      .doc = "A summary of sounds",
      .shape = shapes::Scalar,
      .kernel = AudioKernel<AudioSummary>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "AudioSummaryV2(tag: string, tensor: float32, sample_rate: float32) -> (summary: string); "
                   "max_outputs: int >= 1 = 3",
      .doc = "A summary of sounds",
      .shape = shapes::Scalar,
      .kernel = AudioKernel<AudioSummary>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "TensorSummary(tensor: T) -> (summary: string); T: type; description: string = \"\"; "
                   "labels: list(string) = []; display_name: string = \"\"",
      .doc = "A summary of a tensor as it is, under the node's name",
      .shape = shapes::Scalar,
      .kernel = TensorSummaryKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "TensorSummaryV2(tag: string, tensor: T, serialized_summary_metadata: string) -> (summary: string); T: type",
      .doc = "A summary of a tensor as it is, with metadata for a plugin of TensorBoard",
      .shape = shapes::Scalar,
      .kernel = PlainKernel<TensorSummaryV2>,
  }));
  return library.Add({
      .signature = "MergeSummary(inputs: N * string) -> (summary: string); N: int >= 1",
      .doc = "One summary of several",
      .shape = shapes::Scalar,
      .kernel = PlainKernel<MergeSummary>,
  });
}

absl::Status AddWriters(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "SummaryWriter() -> (writer: resource); shared_name: string = \"\"; container: string = \"\"; stateful",
      .doc = "The handle of a writer of events",
      .shape = shapes::Scalar,
      .kernel = WriterHandleKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "CreateSummaryFileWriter(writer: resource, logdir: string, max_queue: int32, flush_millis: int32, "
                   "filename_suffix: string) -> (); stateful",
      .doc = "Opens an event file in a folder, unless the writer has one",
      .shape = shapes::NoOutputs,
      .kernel = PlainKernel<CreateWriter>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "FlushSummaryWriter(writer: resource) -> (); stateful",
      .doc = "Brings what was written to the file",
      .shape = shapes::NoOutputs,
      .kernel = PlainKernel<FlushWriter>,
  }));
  return library.Add({
      .signature = "CloseSummaryWriter(writer: resource) -> (); stateful",
      .doc = "Closes a writer's file and forgets the writer",
      .shape = shapes::NoOutputs,
      .kernel = PlainKernel<CloseWriter>,
  });
}

absl::Status AddWrites(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "WriteScalarSummary(writer: resource, step: int64, tag: string, value: T) -> (); T: {float32, float64, "
                   "int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64}; stateful",
      .doc = "Writes a number",
      .shape = shapes::NoOutputs,
      .kernel = PlainKernel<WriteScalar>,
      .dtypes = kRealNumbers,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "WriteHistogramSummary(writer: resource, step: int64, tag: string, values: T) -> (); T: {float32, float64, "
                   "int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64, bool} = float32; stateful",
      .doc = "Writes how values are distributed",
      .shape = shapes::NoOutputs,
      .kernel = PlainKernel<WriteHistogram>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "WriteImageSummary(writer: resource, step: int64, tag: string, tensor: T, bad_color: uint8) -> (); "
                   "max_images: int >= 1 = 3; T: {uint8, float64, float32, float16} = float32; stateful",
      .doc = "Writes images",
      .shape = shapes::NoOutputs,
      .kernel = WriteImageKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "WriteAudioSummary(writer: resource, step: int64, tag: string, tensor: float32, sample_rate: float32) -> (); "
                   "max_outputs: int >= 1 = 3; stateful",
      .doc = "Writes sounds",
      .shape = shapes::NoOutputs,
      .kernel = AudioKernel<WriteAudio>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "WriteSummary(writer: resource, step: int64, tensor: T, tag: string, summary_metadata: string) -> (); "
                   "T: type; stateful",
      .doc = "Writes a tensor as it is",
      .shape = shapes::NoOutputs,
      .kernel = PlainKernel<WriteTensor>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "WriteRawProtoSummary(writer: resource, step: int64, tensor: string) -> (); stateful",
      .doc = "Writes serialized summaries as one event",
      .shape = shapes::NoOutputs,
      .kernel = PlainKernel<WriteRawProto>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "WriteGraphSummary(writer: resource, step: int64, tensor: string) -> (); stateful",
      .doc = "Writes a serialized GraphDef",
      .shape = shapes::NoOutputs,
      .kernel = PlainKernel<WriteGraph>,
  }));
  return library.Add({
      .signature = "ImportEvent(writer: resource, event: string) -> (); stateful",
      .doc = "Writes a serialized event",
      .shape = shapes::NoOutputs,
      .kernel = PlainKernel<ImportEvent>,
  });
}

}  // namespace

absl::Status RegisterSummaryOps(OpLibrary& library) {
  RETURN_IF_ERROR(AddSummaries(library));
  RETURN_IF_ERROR(AddWriters(library));
  return AddWrites(library);
}

}  // namespace flowlatch
