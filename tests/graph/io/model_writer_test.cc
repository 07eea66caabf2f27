#include "graph/io/model_writer.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "flowlatch/proto/meta_graph.pb.h"
#include "flowlatch/proto/saved_model.pb.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

constexpr char kMetaGraph[] = R"(
  meta_info_def { tags: 'serve' tags: 'tpu' tensorflow_version: '2.21.0' }
  graph_def {
    node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_STRING } } }
    node { name: 'init' op: 'NoOp' }
    versions { producer: 2000 }
  }
  saver_def { filename_tensor_name: 'x:0' save_tensor_name: 'x:0' restore_op_name: 'init' version: V2 }
  collection_def { key: 'nodes' value { node_list { value: 'x' } } }
  collection_def { key: 'bytes' value { bytes_list { value: '\377' } } }
  collection_def { key: 'ints' value { int64_list { value: [1, 2] } } }
  collection_def { key: 'floats' value { float_list { value: 0.5 } } }
  collection_def { key: 'any' value { any_list { value { type_url: 'type.googleapis.com/t' value: 'v' } } } }
  collection_def { key: 'none' value { } }
  signature_def { key: '__saved_model_init_op' value {
    outputs { key: '__saved_model_init_op' value { name: 'init' tensor_shape { unknown_rank: true } } } } }
  signature_def { key: 'serve' value {
    inputs { key: 'in' value { name: 'x:0' dtype: DT_STRING tensor_shape { dim { size: -1 } } } }
    outputs { key: 'sparse' value { dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 3 } }
      coo_sparse { values_tensor_name: 'v:0' indices_tensor_name: 'i:0' dense_shape_tensor_name: 's:0' } } }
    outputs { key: 'parts' value { tensor_shape { } composite_tensor { type_spec { type_spec_class: OPTIONAL_SPEC }
      components { name: 'x:0' dtype: DT_STRING tensor_shape { unknown_rank: true } } } } }
    method_name: 'predict'
    defaults { key: 'in' value { dtype: DT_STRING tensor_shape { } string_val: 'd' } } } }
  asset_file_def { tensor_info { name: 'x:0' } filename: 'words.txt' })";

class ModelWriterTest : public testing::Test {
 protected:
  absl::StatusOr<Model> Load(const std::string& saved_model) {
    std::ofstream(folder_ / "saved_model.pb", std::ios::binary) << saved_model;
    return LoadModel(folder_.string(), registry_, {});
  }
  Model Original() {
    proto::MetaGraphDef def;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(kMetaGraph, &def));
    proto::SavedModel saved_model;
    *saved_model.add_meta_graphs() = def;
    absl::StatusOr<Model> model = Load(saved_model.SerializeAsString());
    EXPECT_TRUE(model.ok()) << model.status();
    return *std::move(model);
  }

  OpRegistry registry_;
  std::filesystem::path folder_ = [] {
    const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "model_writer_test";
    std::filesystem::create_directories(path);
    return path;
  }();
};

TEST_F(ModelWriterTest, NothingIsLost) {
  const Model model = Original();
  const auto bytes = WriteMetaGraph(model);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  proto::MetaGraphDef written, original;
  ASSERT_TRUE(written.ParseFromString(*bytes));
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(kMetaGraph, &original));
  EXPECT_EQ(written.DebugString(), original.DebugString());
}

TEST_F(ModelWriterTest, SavedModelsReadBack) {
  const auto bytes = WriteSavedModel(Original());
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto again = Load(*bytes);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->init_op, "init");
  EXPECT_EQ(again->assets.at(0).path, (folder_ / "assets/words.txt").string());
  EXPECT_EQ(*WriteSavedModel(*again), *bytes);
}

TEST_F(ModelWriterTest, ComponentsMustExist) {
  Model model = Original();
  model.signatures["serve"].outputs["parts"].components = {"nothing:0"};
  EXPECT_EQ(WriteMetaGraph(model).status().code(), absl::StatusCode::kInvalidArgument);
  model.signatures["serve"].outputs["parts"] = {.components = {"x:0"}, .type_spec = "\xff"};
  EXPECT_EQ(WriteMetaGraph(model).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace flowlatch
