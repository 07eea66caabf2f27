// Every message, field and enum value of //proto against wire_table.txt, which make_wire_table.py made from TensorFlow.

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/descriptor.pb.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;

// From "message NAME" or "enum NAME" to fields or values.
using Table = std::map<std::string, std::set<std::string>>;

// Fields that are left out on purpose, since their messages are.
const char* const kLeftOut[] = {
    "coordination_config=23:tensorflow.CoordinationServiceConfig",
    "debug_options=6:tensorflow.DebugOptions",
    "rewrite_options=10:tensorflow.RewriterConfig",
    "rpc_options=13:tensorflow.RPCOptions",
};

std::string TensorFlowName(absl::string_view name) {
  if (absl::ConsumePrefix(&name, "flowlatch.proto.") || absl::ConsumePrefix(&name, "flowlatch.")) {
    return absl::StrCat("tensorflow.", name);
  }
  return std::string(name);
}

void AddEnum(const EnumDescriptor& type, Table* table) {
  auto& values = (*table)["enum " + TensorFlowName(type.full_name())];
  for (int i = 0; i < type.value_count(); ++i) {
    values.insert(absl::StrCat(type.value(i)->name(), "=", type.value(i)->number()));
  }
}

std::string FieldType(const FieldDescriptor& field) {
  std::string name = field.message_type() ? TensorFlowName(field.message_type()->full_name())
                     : field.enum_type()  ? TensorFlowName(field.enum_type()->full_name())
                                          : field.type_name();
  if (field.is_repeated()) name += field.is_packed() ? "[packed]" : "[]";
  return name;
}

void AddMessage(const Descriptor& message, Table* table) {
  auto& fields = (*table)["message " + TensorFlowName(message.full_name())];
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    fields.insert(absl::StrCat(field.name(), "=", field.number(), ":", FieldType(field)));
  }
  for (int i = 0; i < message.enum_type_count(); ++i) AddEnum(*message.enum_type(i), table);
  for (int i = 0; i < message.nested_type_count(); ++i) AddMessage(*message.nested_type(i), table);
}

Table OurTable() {
  google::protobuf::FileDescriptorSet files;
  std::ifstream in("tests/proto/descriptors.pb", std::ios::binary);
  EXPECT_TRUE(files.ParseFromIstream(&in));
  google::protobuf::DescriptorPool pool;
  Table table;
  for (const auto& proto : files.file()) {
    const FileDescriptor* file = pool.BuildFile(proto);
    if (file == nullptr || !absl::StartsWith(file->name(), "flowlatch/")) continue;
    for (int i = 0; i < file->enum_type_count(); ++i) AddEnum(*file->enum_type(i), &table);
    for (int i = 0; i < file->message_type_count(); ++i) AddMessage(*file->message_type(i), &table);
  }
  return table;
}

Table TensorFlowTable() {
  std::ifstream in("tests/proto/wire_table.txt");
  Table table;
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    table[words[0] + " " + words[1]] = {words.begin() + 2, words.end()};
  }
  for (auto& [name, fields] : table) {
    for (const char* field : kLeftOut) fields.erase(field);
  }
  return table;
}

TEST(WireTest, EqualsTensorFlow) {
  const Table ours = OurTable(), theirs = TensorFlowTable();
  EXPECT_GT(theirs.size(), 150u);
  for (const auto& [name, fields] : theirs) {
    const auto it = ours.find(name);
    ASSERT_NE(it, ours.end()) << "missing: " << name;
    EXPECT_EQ(it->second, fields) << name;
  }
  for (const auto& [name, fields] : ours) EXPECT_TRUE(theirs.count(name)) << "not in TensorFlow: " << name;
}

}  // namespace
}  // namespace flowlatch
