#include "graph/train/save_nodes.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/train/optimizer.h"
#include "ops/default_ops.h"
#include "runtime/session/session.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

std::string Prefix(const char* name) { return absl::StrCat(testing::TempDir(), "/save_nodes_test.", name); }

absl::StatusOr<std::unique_ptr<Session>> FileSession(GraphBuilder& b) {
  absl::StatusOr<Graph> graph = b.Snapshot();
  if (!graph.ok()) return graph.status();
  return Session::Create(*std::move(graph), DefaultOps(), {.threads = 1, .allow_files = true});
}

// Saves in one session, restores in another that never ran an initializer.
TEST(SaveNodes, BringVariablesBack) {
  for (const bool use_ref : {false, true}) {
    SCOPED_TRACE(use_ref);
    BuiltGraph t;
    GraphBuilder& b = t.b;
    const VariableOptions kind{.use_ref = use_ref};
    const GraphVariable w = b.Variable("w", Input({1.0f, 2.0f}), kind), n = b.Variable("n", int64_t{3}, {.trainable = false, .use_ref = use_ref});
    const PartitionedVariable parts = PartitionedVariable::Make(b, "t", Input({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}}), 2, 0, kind);
    const Operation train = MomentumOptimizer({.learning_rate = 1.0f}).Minimize(b, w * 1);
    const SaveNodes nodes = SaveNodes::Make(b, b.variables());
    const Operation init = VariablesInitializer(b, b.variables());
    ASSERT_TRUE(b.ok()) << b.status();
    EXPECT_EQ(nodes.filename.name(), "save/Const:0");
    EXPECT_EQ(nodes.save.name(), "save/control_dependency:0");
    EXPECT_EQ(nodes.restore.name(), "save/restore_all");

    const std::string prefix = Prefix(use_ref ? "ref" : "resource");
    const Feeds feeds{{nodes.filename.name(), Tensor::Scalar(std::string_view(prefix))}};
    const Outputs values{w.snapshot(), n.snapshot(), parts.value()};
    std::vector<std::string> names;
    for (const Output& value : values) names.push_back(value.name());
    ASSERT_TRUE(b.ok()) << b.status();
    for (const std::string& target : {std::string("save"), std::string("restore")}) {
      const auto session = FileSession(b);
      ASSERT_TRUE(session.ok()) << session.status();
      if (target == "save") {
        ASSERT_TRUE((*session)->Run({}, {}, {init.name()}).ok());
        ASSERT_TRUE((*session)->Run({}, {}, {train.name()}).ok());
        const auto saved = (*session)->Run(feeds, {nodes.save.name()}, {});
        ASSERT_TRUE(saved.ok()) << saved.status();
      } else {
        const absl::Status restored = (*session)->Run(feeds, {}, {nodes.restore.name()}).status();
        ASSERT_TRUE(restored.ok()) << restored;
      }
      const auto now = (*session)->Run({}, names, {});
      ASSERT_TRUE(now.ok()) << now.status();
      EXPECT_EQ(now->at(0).DebugString(), "float32[2] = [0 1]");
      EXPECT_EQ(now->at(1).DebugString(), "int64[] = 3");
      EXPECT_EQ(now->at(2).DebugString(), "float32[3,2] = [[1 2] [3 4] [5 6]]");
    }
  }
}

TEST(SaveNodes, ACheckpointOfAnotherShapeIsAnError) {
  const Feeds feeds{{"save/Const:0", Tensor::Scalar(std::string_view(Prefix("shape")))}};
  {
    BuiltGraph t;
    const GraphVariable w = t.b.Variable("w", Zeros({3}));
    const SaveNodes nodes = SaveNodes::Make(t.b, {w});
    const auto session = FileSession(t.b);
    ASSERT_TRUE((*session)->Run({}, {}, {w.initializer().name()}).ok());
    ASSERT_TRUE((*session)->Run(feeds, {nodes.save.name()}, {}).ok());
  }
  BuiltGraph t;
  const SaveNodes nodes = SaveNodes::Make(t.b, {t.b.Variable("w", Zeros({2}))});
  const auto session = FileSession(t.b);
  EXPECT_EQ((*session)->Run(feeds, {}, {nodes.restore.name()}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(SaveNodes, WhatCannotBe) {
  struct {
    void (*make)(GraphBuilder& b);
    const char* message;
  } cases[] = {
      {[](GraphBuilder& b) { SaveNodes::Make(b, {}); }, "save nodes: expected variables, got none"},
      {[](GraphBuilder& b) { SaveNodes::Make(b, {GraphVariable()}); }, "save nodes: expected variables, got an empty one"},
      {[](GraphBuilder& b) {
         const GraphVariable w = b.Variable("w", 1.0f);
         SaveNodes::Make(b, {w, w});
       }, "save nodes: expected each variable once, got 'w' twice"},
  };
  for (const auto& c : cases) {
    BuiltGraph t;
    c.make(t.b);
    EXPECT_EQ(t.b.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(absl::StrContains(t.b.status().message(), c.message)) << t.b.status();
  }
}

}  // namespace
}  // namespace flowlatch
