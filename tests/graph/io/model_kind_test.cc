#include "graph/io/model_kind.h"

#include "flowlatch/proto/meta_graph.pb.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

proto::MetaGraphDef MetaGraph() {
  proto::MetaGraphDef meta;
  meta.mutable_meta_info_def()->mutable_stripped_op_list()->add_op()->set_name("NoOp");
  NodeDef* node = meta.mutable_graph_def()->add_node();
  node->set_name("a");
  node->set_op("NoOp");
  return meta;
}

TEST(DetectFileKindTest, Binary) {
  const proto::MetaGraphDef meta = MetaGraph();
  EXPECT_EQ(DetectFileKind("f", meta.SerializeAsString()), ModelKind::kMetaGraph);
  EXPECT_EQ(DetectFileKind("f", meta.graph_def().SerializeAsString()), ModelKind::kGraphDef);
  // Functions alone: a library stands where a MetaGraphDef has its graph.
  GraphDef functions;
  functions.mutable_library()->add_function()->mutable_signature()->set_name("F");
  EXPECT_EQ(DetectFileKind("f", functions.SerializeAsString()), ModelKind::kGraphDef);
  EXPECT_EQ(DetectFileKind("f.meta", proto::MetaGraphDef().SerializeAsString() + "\x0a\x01\x01"),
            ModelKind::kMetaGraph);
  EXPECT_EQ(DetectFileKind("f", std::string(12, '\1') + "\x09\x01\x02\x03\x04\x05\x06\x07\x08\x1a\x0d"
                                                        "brain.Event:2"),
            ModelKind::kEvents);
  EXPECT_EQ(DetectFileKind("f.pb", "\x01\x02\x03\xff"), std::nullopt);
  // A damaged graph is a graph, so that the message says where.
  EXPECT_EQ(DetectFileKind("f", meta.graph_def().SerializeAsString() + "\xff"), ModelKind::kGraphDef);
}

TEST(DetectFileKindTest, Text) {
  EXPECT_EQ(DetectFileKind("f", MetaGraph().DebugString()), ModelKind::kMetaGraphText);
  EXPECT_EQ(DetectFileKind("f.pb", MetaGraph().graph_def().DebugString()), ModelKind::kGraphDefText);
  EXPECT_EQ(DetectFileKind("f", ""), ModelKind::kGraphDefText);
  EXPECT_EQ(DetectFileKind("f", "# only\n  # comments"), ModelKind::kGraphDefText);
  EXPECT_EQ(DetectFileKind("f", "# a\n\tversions { producer: 3 }"), ModelKind::kGraphDefText);
  EXPECT_EQ(DetectFileKind("f", "nodes { }"), std::nullopt);
}

}  // namespace
}  // namespace flowlatch
