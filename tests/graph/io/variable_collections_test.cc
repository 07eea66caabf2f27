#include "graph/io/variable_collections.h"

#include <gtest/gtest.h>

#include <fstream>

#include "flowlatch/proto/variable.pb.h"
#include "graph/build/variable.h"
#include "graph/io/model_writer.h"
#include "ops/default_ops.h"

namespace flowlatch {
namespace {

proto::VariableDef Decode(const std::string& bytes) {
  proto::VariableDef def;
  EXPECT_TRUE(def.ParseFromString(bytes));
  return def;
}

// With FLOWLATCH_EXPORT_META_GRAPH set, the MetaGraphDef is written there too: tf.compat.v1.train.import_meta_graph reads it.
TEST(VariableCollections, AreWrittenAndReadBack) {
  GraphBuilder b(DefaultOps().registry());
  b.Variable("w", Zeros({2}));
  b.Variable("r", Zeros({2}), {.trainable = false, .use_ref = true, .collections = {"variables", "global_step"}});
  PartitionedVariable::Make(b, "t", Zeros({3, 4}), 2);
  Model model{.kind = ModelKind::kMetaGraph, .graph = Graph(b.registry()), .collections = VariableCollections(b)};
  absl::StatusOr<Graph> graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  model.graph = *std::move(graph);
  const absl::StatusOr<std::string> bytes = WriteMetaGraph(model);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const char* exported = std::getenv("FLOWLATCH_EXPORT_META_GRAPH");
  const std::string path = exported != nullptr ? exported : testing::TempDir() + "/variables.meta";
  std::ofstream(path, std::ios::binary) << *bytes;

  const absl::StatusOr<Model> read = LoadModel(path, DefaultOps().registry());
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->collections.size(), 3);
  const Collection& variables = read->collections.at("variables");
  EXPECT_EQ(variables.kind, Collection::Kind::kBytes);
  ASSERT_EQ(variables.strings.size(), 4);
  EXPECT_EQ(read->collections.at("trainable_variables").strings.size(), 3);
  EXPECT_EQ(read->collections.at("global_step").strings.size(), 1);

  const proto::VariableDef w = Decode(variables.strings[0]), r = Decode(variables.strings[1]), part = Decode(variables.strings[3]);
  EXPECT_EQ(w.variable_name(), "w:0");
  EXPECT_EQ(w.initializer_name(), "w/Assign");
  EXPECT_EQ(w.snapshot_name(), "w/Read/ReadVariableOp:0");
  EXPECT_EQ(w.initial_value_name(), "w/Initializer/Fill:0");
  EXPECT_TRUE(w.is_resource());
  EXPECT_TRUE(w.trainable());
  EXPECT_EQ(r.snapshot_name(), "r/read:0");
  EXPECT_FALSE(r.is_resource());
  EXPECT_FALSE(r.trainable());
  EXPECT_EQ(part.variable_name(), "t/part_1:0");
  const proto::SaveSliceInfoDef& slice = part.save_slice_info_def();
  EXPECT_EQ(slice.full_name(), "t");
  EXPECT_EQ(slice.full_shape(0), 3);
  EXPECT_EQ(slice.var_offset(0), 2);
  EXPECT_EQ(slice.var_shape(0), 1);
  EXPECT_EQ(slice.var_shape(1), 4);
}

}  // namespace
}  // namespace flowlatch
