// Our messages beside messages that have TensorFlow's package and file names, in one program: a program that linked two
// files of one name would abort before main.

#include <string>

#include "flowlatch/proto/config.pb.h"
#include "flowlatch/proto/event.pb.h"
#include "flowlatch/proto/example.pb.h"
#include "flowlatch/proto/graph.pb.h"
#include "flowlatch/proto/saved_model.pb.h"
#include "flowlatch/proto/saved_tensor_slice.pb.h"
#include "flowlatch/proto/tensor_bundle.pb.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/message.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "tensorflow/core/example/example.pb.h"
#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/protobuf/config.pb.h"
#include "tensorflow/core/protobuf/saved_model.pb.h"
#include "tensorflow/core/protobuf/tensor_bundle.pb.h"
#include "tensorflow/core/util/event.pb.h"
#include "tensorflow/core/util/saved_tensor_slice.pb.h"

namespace flowlatch {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr int kMaxDepth = 7;

// Sets one value of a field: of a repeated field, it adds one.
void SetField(Message* message, const FieldDescriptor* field, int number, int depth);

// Sets every field, of a oneof its last one, to values that differ from one another. Messages deeper than kMaxDepth
// stay empty, since some contain themselves.
int Fill(Message* message, int number, int depth) {
  const Descriptor* descriptor = message->GetDescriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) SetField(message, descriptor->field(i), ++number, depth);
  return number;
}

void SetField(Message* message, const FieldDescriptor* field, int number, int depth) {
  const Reflection* reflection = message->GetReflection();
  const bool repeated = field->is_repeated();
  switch (field->cpp_type()) {
#define FLOWLATCH_SET(TYPE, Type, value)                                                                    \
  case FieldDescriptor::CPPTYPE_##TYPE:                                                                     \
    repeated ? reflection->Add##Type(message, field, value) : reflection->Set##Type(message, field, value); \
    break;
    FLOWLATCH_SET(INT32, Int32, -number)
    FLOWLATCH_SET(INT64, Int64, -(int64_t{1} << 40) * number)
    FLOWLATCH_SET(UINT32, UInt32, number)
    FLOWLATCH_SET(UINT64, UInt64, uint64_t{1} << (number % 64))
    FLOWLATCH_SET(DOUBLE, Double, number / 3.0)
    FLOWLATCH_SET(FLOAT, Float, number / 7.0f)
    FLOWLATCH_SET(BOOL, Bool, true)
    FLOWLATCH_SET(ENUM, EnumValue, field->enum_type()->value(number % field->enum_type()->value_count())->number())
    FLOWLATCH_SET(STRING, String, "s" + std::to_string(number))
#undef FLOWLATCH_SET
    case FieldDescriptor::CPPTYPE_MESSAGE:
      if (depth == kMaxDepth) break;
      Fill(repeated ? reflection->AddMessage(message, field) : reflection->MutableMessage(message, field), number,
           depth + 1);
      break;
  }
}

std::string Bytes(const Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

std::string Text(const Message& message) {
  std::string text;
  google::protobuf::TextFormat::PrintToString(message, &text);
  return text;
}

template <typename Ours, typename Theirs>
void ExpectSame() {
  Ours ours;
  Fill(&ours, 0, 0);
  SCOPED_TRACE(ours.GetTypeName());
  const std::string bytes = Bytes(ours);
  ASSERT_GT(bytes.size(), 10u);

  Theirs theirs;
  ASSERT_TRUE(theirs.ParseFromString(bytes));
  EXPECT_EQ(Bytes(theirs), bytes);

  Ours back;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(Text(theirs), &back));
  EXPECT_EQ(Bytes(back), bytes);
}

TEST(CoexistenceTest, SameBytesAndText) {
  ExpectSame<GraphDef, tensorflow::GraphDef>();
  ExpectSame<proto::SavedModel, tensorflow::SavedModel>();
  ExpectSame<proto::ConfigProto, tensorflow::ConfigProto>();
  ExpectSame<proto::RunMetadata, tensorflow::RunMetadata>();
  ExpectSame<proto::Event, tensorflow::Event>();
  ExpectSame<proto::SequenceExample, tensorflow::SequenceExample>();
  ExpectSame<proto::BundleEntryProto, tensorflow::BundleEntryProto>();
  ExpectSame<proto::SavedTensorSlices, tensorflow::SavedTensorSlices>();
}

TEST(CoexistenceTest, BothAreKnownByTheirOwnNames) {
  const auto* pool = google::protobuf::DescriptorPool::generated_pool();
  const Descriptor* ours = pool->FindMessageTypeByName("flowlatch.GraphDef");
  const Descriptor* theirs = pool->FindMessageTypeByName("tensorflow.GraphDef");
  ASSERT_NE(ours, nullptr);
  ASSERT_NE(theirs, nullptr);
  EXPECT_EQ(ours->file()->name(), "flowlatch/proto/graph.proto");
  EXPECT_EQ(theirs->file()->name(), "tensorflow/core/framework/graph.proto");
}

}  // namespace
}  // namespace flowlatch
