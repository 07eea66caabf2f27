#include "graph/io/model.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "flowlatch/proto/event.pb.h"
#include "flowlatch/proto/saved_model.pb.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "graph/io/proto_io.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kGraph[] =
    "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } "
    "node { name: 'file' op: 'Placeholder' attr { key: 'dtype' value { type: DT_STRING } } } node { name: 'init' op: "
    "'NoOp' } ";

std::string MetaGraphText(const std::string& more = "") {
  return "meta_info_def { tags: 'serve' tensorflow_version: '2.21.0' } graph_def { " + std::string(kGraph) + "} " +
         more;
}

template <typename Message>
std::string Encode(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message.SerializeAsString();
}

class ModelTest : public testing::Test {
 protected:
  // Writes a file below the test's folder; returns its path.
  std::string Write(const std::string& name, const std::string& content) {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }
  absl::StatusOr<Model> Load(const std::string& path, const LoadOptions& options = {}) {
    return LoadModel(path, registry_, options);
  }
  absl::StatusOr<Model> LoadSavedModel(const std::string& meta_graph, const LoadOptions& options = {}) {
    Write("sm/saved_model.pb",
          Encode<proto::SavedModel>("saved_model_schema_version: 1 meta_graphs { " + meta_graph + " }"));
    return Load((folder_ / "sm").string(), options);
  }
  std::string Error(const absl::StatusOr<Model>& model, absl::StatusCode code) {
    EXPECT_EQ(model.status().code(), code) << model.status();
    return std::string(model.status().message());
  }

  std::filesystem::path NewFolder() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    const std::filesystem::path path =
        std::filesystem::path(testing::TempDir()) / info->test_suite_name() / info->name();
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
    return path;
  }
  OpRegistry registry_;
  std::filesystem::path folder_ = NewFolder();
};

TEST_F(ModelTest, GraphDefs) {
  const std::string bytes = Encode<GraphDef>(kGraph);
  for (const auto& [name, content, kind] : std::vector<std::tuple<std::string, std::string, ModelKind>>{
           {"a.pb", bytes, ModelKind::kGraphDef},
           {"a.pbtxt", kGraph, ModelKind::kGraphDefText},
           {"a.odd", "# a comment\n\n" + std::string(kGraph), ModelKind::kGraphDefText},
           {"a.meta", Encode<proto::MetaGraphDef>(MetaGraphText()), ModelKind::kMetaGraph},
           {"a.unnamed", Encode<proto::MetaGraphDef>(MetaGraphText()), ModelKind::kMetaGraph},
           {"a.meta.txt", MetaGraphText(), ModelKind::kMetaGraphText}}) {
    const auto model = Load(Write(name, content));
    ASSERT_TRUE(model.ok()) << name << ": " << model.status();
    EXPECT_EQ(model->kind, kind) << name;
    EXPECT_EQ(model->graph.num_nodes(), 3) << name;
  }
  EXPECT_EQ(Load(Write("empty.pb", ""))->graph.num_nodes(), 0);
}

TEST_F(ModelTest, MetaGraph) {
  const auto model = Load(Write(
      "m.meta", Encode<proto::MetaGraphDef>(MetaGraphText(
                    "saver_def { filename_tensor_name: 'save/Const:0' save_tensor_name: 'save/control_dependency:0' "
                    "restore_op_name: 'save/restore_all' } "
                    "collection_def { key: 'nodes' value { node_list { value: ['a', 'b'] } } } collection_def { key: "
                    "'bytes' value { bytes_list { value: '\\377' } } } "
                    "collection_def { key: 'ints' value { int64_list { value: [1, 2] } } } collection_def { key: "
                    "'floats' value { float_list { value: 0.5 } } } "
                    "collection_def { key: 'any' value { any_list { value { type_url: 't' value: 'v' } } } } "
                    "collection_def { key: 'none' value { } } "
                    "signature_def { key: 'serve' value { method_name: 'predict' "
                    "  inputs { key: 'in' value { name: 'x:0' dtype: DT_FLOAT tensor_shape { dim { size: -1 } } } } "
                    "  outputs { key: 'sparse' value { coo_sparse { values_tensor_name: 'v:0' indices_tensor_name: "
                    "'i:0' dense_shape_tensor_name: 's:0' } } } "
                    "  outputs { key: 'parts' value { composite_tensor { components { name: 'p:0' } components { name: "
                    "'q:0' } } } } "
                    "  defaults { key: 'in' value { dtype: DT_FLOAT tensor_shape { } float_val: 3 } } } }"))));
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(model->tags, ElementsAre("serve"));
  EXPECT_EQ(model->tensorflow_version, "2.21.0");
  ASSERT_TRUE(model->saver.has_value());
  EXPECT_EQ(model->saver->filename_tensor, "save/Const:0");
  EXPECT_EQ(model->saver->save_tensor, "save/control_dependency:0");
  EXPECT_EQ(model->saver->restore_op, "save/restore_all");
  EXPECT_THAT(model->collections.at("nodes").strings, ElementsAre("a", "b"));
  EXPECT_EQ(model->collections.at("nodes").kind, Collection::Kind::kNodes);
  EXPECT_THAT(model->collections.at("bytes").strings, ElementsAre("\xff"));
  EXPECT_THAT(model->collections.at("ints").ints, ElementsAre(1, 2));
  EXPECT_THAT(model->collections.at("floats").floats, ElementsAre(0.5f));
  EXPECT_THAT(model->collections.at("any").strings, ElementsAre("v"));
  EXPECT_EQ(model->collections.at("none").kind, Collection::Kind::kNone);
  const Signature& signature = model->signatures.at("serve");
  EXPECT_EQ(signature.method_name, "predict");
  EXPECT_EQ(signature.inputs.at("in").name, "x:0");
  EXPECT_EQ(signature.inputs.at("in").dtype, DType::kFloat32);
  EXPECT_EQ(signature.inputs.at("in").shape.ToString(), "[?]");
  EXPECT_THAT(signature.outputs.at("sparse").components, ElementsAre("v:0", "i:0", "s:0"));
  EXPECT_THAT(signature.outputs.at("parts").components, ElementsAre("p:0", "q:0"));
  EXPECT_EQ(signature.defaults.at("in").scalar<float>(), 3);
}

TEST_F(ModelTest, SavedModel) {
  Write("sm/variables/variables.index", "");
  const auto model =
      LoadSavedModel(MetaGraphText("asset_file_def { tensor_info { name: 'file:0' } filename: 'words.txt' } "
                                   "signature_def { key: '__saved_model_init_op' value { outputs { key: "
                                   "'__saved_model_init_op' value { name: 'init' } } } }"));
  ASSERT_TRUE(model.ok()) << model.status();
  const std::string folder = (folder_ / "sm").string();
  EXPECT_EQ(model->kind, ModelKind::kSavedModel);
  EXPECT_EQ(model->variables_prefix, folder + "/variables/variables");
  EXPECT_EQ(model->init_op, "init");
  ASSERT_EQ(model->assets.size(), 1u);
  EXPECT_EQ(model->assets[0].tensor, "file:0");
  EXPECT_EQ(model->assets[0].path, folder + "/assets/words.txt");
}

TEST_F(ModelTest, SavedModelAsText) {
  Write("text/saved_model.pbtxt", "saved_model_schema_version: 1 meta_graphs { " + MetaGraphText() + " }");
  const auto model = Load((folder_ / "text").string());
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->graph.num_nodes(), 3);
  EXPECT_EQ(model->variables_prefix, "");
  EXPECT_EQ(model->init_op, "");
  Write("text/saved_model.pbtxt", "meta_graphs {\n colour: 1 }");
  EXPECT_THAT(Error(Load((folder_ / "text").string()), absl::StatusCode::kInvalidArgument),
              HasSubstr("saved_model.pbtxt: line 2"));
}

TEST_F(ModelTest, Tags) {
  Write("sm/saved_model.pb",
        Encode<proto::SavedModel>(
            "meta_graphs { meta_info_def { tags: 'train' } graph_def { " + std::string(kGraph) +
            "} } "
            "meta_graphs { meta_info_def { tags: 'serve' } graph_def { node { name: 'a' op: 'NoOp' } } } "
            "meta_graphs { meta_info_def { tags: 'serve' tags: 'tpu' } }"));
  const std::string path = (folder_ / "sm").string();
  EXPECT_EQ(Load(path)->graph.num_nodes(), 1);  // {serve} if nothing is asked for
  EXPECT_EQ(Load(path, {.tags = {"train"}})->graph.num_nodes(), 3);
  EXPECT_EQ(Load(path, {.tags = {"tpu", "serve"}})->graph.num_nodes(), 0);
  EXPECT_THAT(Error(Load(path, {.tags = {"tpu"}}), absl::StatusCode::kNotFound),
              HasSubstr("tags: expected {train} or {serve} or {serve, tpu}, got {tpu}"));
}

TEST_F(ModelTest, OldInitOpsAndAssets) {
  for (const char* collection : {"saved_model_main_op", "legacy_init_op"}) {
    const auto model = LoadSavedModel(MetaGraphText("collection_def { key: '" + std::string(collection) +
                                                    "' value { node_list { value: 'init' } } }"));
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_EQ(model->init_op, "init");
  }
  const std::string asset = absl::CEscape(Encode<proto::AssetFileDef>("tensor_info { name: 'file:0' } filename: 'a'"));
  const auto in_collection = [&](const std::string& type, const std::string& value) {
    return LoadSavedModel(
        MetaGraphText("collection_def { key: 'saved_model_assets' value { any_list { value { type_url: '" + type +
                      "' value: '" + value + "' } } } }"));
  };
  const auto model = in_collection("type.googleapis.com/tensorflow.AssetFileDef", asset);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->assets.size(), 1u);
  Error(in_collection("type.googleapis.com/tensorflow.NodeDef", asset), absl::StatusCode::kFailedPrecondition);
  Error(in_collection("type.googleapis.com/tensorflow.AssetFileDef", "\\377"), absl::StatusCode::kFailedPrecondition);
}

TEST_F(ModelTest, MalformedSavedModels) {
  EXPECT_THAT(Error(LoadSavedModel(MetaGraphText("signature_def { key: '__saved_model_init_op' value { } }")),
                    absl::StatusCode::kInvalidArgument),
              HasSubstr("expected an output of the same name"));
  EXPECT_THAT(Error(LoadSavedModel(MetaGraphText(
                        "collection_def { key: 'saved_model_main_op' value { node_list { value: ['a', 'b'] } } }")),
                    absl::StatusCode::kFailedPrecondition),
              HasSubstr("one node, got 2"));
  EXPECT_THAT(Error(LoadSavedModel(MetaGraphText("asset_file_def { tensor_info { name: 'nothing:0' } filename: 'a' }")),
                    absl::StatusCode::kInvalidArgument),
              HasSubstr("asset 'a'"));
  for (const char* name : {"../secret", "/etc/passwd", "a/../../b", "a\\000b"}) {
    Error(LoadSavedModel(
              MetaGraphText("asset_file_def { tensor_info { name: 'file:0' } filename: '" + std::string(name) + "' }")),
          absl::StatusCode::kNotFound);
  }
  const std::string path = (folder_ / "sm").string();
  Write("sm/saved_model.pb", "\x0fgarbage");
  Error(Load(path), absl::StatusCode::kDataLoss);
  const std::string good = Encode<proto::SavedModel>("meta_graphs { " + MetaGraphText() + " }");
  Write("sm/saved_model.pb", good.substr(0, good.size() / 2));
  Error(Load(path), absl::StatusCode::kOutOfRange);
  Write("sm/saved_model.pb", "");
  Error(Load(path), absl::StatusCode::kNotFound);
}

// Each byte of a small SavedModel flipped, and each length.
TEST_F(ModelTest, DamagedSavedModel) {
  const std::string good = Encode<proto::SavedModel>(
      "meta_graphs { " +
      MetaGraphText("asset_file_def { tensor_info { name: 'file:0' } filename: 'a' } signature_def { key: 's' value { "
                    "inputs { key: 'x' value { name: 'x:0' } } } } "
                    "collection_def { key: 'c' value { node_list { value: 'a' } } }") +
      " }");
  const std::string path = (folder_ / "sm").string();
  for (size_t i = 0; i < good.size(); ++i) {
    std::string flipped = good;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x80);
    for (const std::string& content : {good.substr(0, i), flipped}) {
      Write("sm/saved_model.pb", content);
      const auto model = Load(path);
      EXPECT_EQ(model.ok(), model.status().message().empty()) << i;
    }
  }
}

std::string Record(const std::string& data) {
  uint64_t size = data.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + "crc." + data + "crc.";
}

TEST_F(ModelTest, EventFiles) {
  const auto event = [](auto set) {
    proto::Event e;
    e.set_wall_time(1);
    set(&e);
    return Record(e.SerializeAsString());
  };
  const std::string start = event([](proto::Event* e) { e->set_file_version("brain.Event:2"); });
  const std::string graph = event([](proto::Event* e) { e->set_graph_def(Encode<GraphDef>(kGraph)); });
  auto model = Load(Write("events.out.tfevents.1", start + graph));
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->kind, ModelKind::kEvents);
  EXPECT_EQ(model->graph.num_nodes(), 3);
  model = Load(Write("events.2", start + event([](proto::Event* e) {
                                   e->set_meta_graph_def(Encode<proto::MetaGraphDef>(MetaGraphText()));
                                 })));
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(model->tags, ElementsAre("serve"));
  EXPECT_THAT(
      Error(Load(Write("events.3", start + graph.substr(0, graph.size() - 1))), absl::StatusCode::kInvalidArgument),
      HasSubstr("without one"));
}

TEST_F(ModelTest, WhatIsNoModel) {
  using enum absl::StatusCode;
  EXPECT_THAT(Error(Load((folder_ / "nothing").string()), kNotFound), HasSubstr("no such file"));
  Write("ckpt.index", "index");
  EXPECT_THAT(Error(Load((folder_ / "ckpt").string()), kInvalidArgument),
              HasSubstr("got a checkpoint, which has none"));
  EXPECT_THAT(Error(Load((folder_ / "ckpt.index").string()), kInvalidArgument), HasSubstr("part of a checkpoint"));
  EXPECT_THAT(Error(Load(folder_.string()), kInvalidArgument), HasSubstr("expected a folder with saved_model.pb"));
  Write("checkpoint", "model_checkpoint_path: 'ckpt'");
  EXPECT_THAT(Error(Load(folder_.string()), kInvalidArgument), HasSubstr("name one by its prefix"));
  EXPECT_THAT(Error(Load(Write("letter.txt", "Dear reader,")), kInvalidArgument),
              HasSubstr("letter.txt: expected a GraphDef"));
  EXPECT_THAT(Error(Load(Write("noise", "\xff\xfe\x01\x02")), kInvalidArgument),
              HasSubstr("noise: expected a GraphDef"));
}

TEST_F(ModelTest, KindThatTheCallerKnows) {
  const std::string text = Write("a.pb", kGraph);
  EXPECT_TRUE(Load(text).ok());
  Error(Load(text, {.kind = ModelKind::kGraphDef}), absl::StatusCode::kInvalidArgument);
  Error(Load((folder_ / "nothing").string(), {.kind = ModelKind::kGraphDef}), absl::StatusCode::kNotFound);
  Error(Load(folder_.string(), {.kind = ModelKind::kGraphDef}), absl::StatusCode::kUnavailable);
}

TEST_F(ModelTest, LoadGraph) {
  const auto graph = LoadGraph(Write("a.pbtxt", kGraph), registry_);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->num_nodes(), 3);
}

TEST(ModelKindTest, Names) {
  EXPECT_EQ(ModelKindName(ModelKind::kMetaGraphText), "text MetaGraphDef");
  EXPECT_EQ(ModelKindName(ModelKind::kCheckpoint), "checkpoint");
}

}  // namespace
}  // namespace flowlatch
