#include "tools/corpus/case.h"

#include <filesystem>
#include <string>

#include "gtest/gtest.h"
#include "tools/arrays/files.h"

namespace flowlatch {
namespace {

// A new folder with this case.json.
std::string Folder(const std::string& name, const std::string& json) {
  const std::string folder = testing::TempDir() + "/" + name;
  std::filesystem::create_directories(folder);
  EXPECT_TRUE(WriteBytes(folder + "/case.json", json).ok());
  return folder;
}

TEST(CaseTest, EverythingThatACaseCanSay) {
  const absl::StatusOr<Case> c = LoadCase(Folder("full", R"({
      "format": 1, "graph": "graph.meta", "graph_kind": "metagraph", "tags": ["serve"],
      "restore": {"prefix": "ckpt", "op": "save/restore_all", "filename_tensor": "save/Const:0"},
      "dirs": ["/tmp/x"], "cwd": "case", "load": "ok", "compare": "shapes", "rtol": 0.1, "atol": 1e-6, "ops": ["Add"],
      "bench": {"measure": "load"},
      "steps": [{"feeds": {"x:0": {"array": "s0/f0", "dtype": "bfloat16"}}, "targets": ["t"], "repeat": true,
                 "fetches": [{"name": "y:0", "dtype": null, "value": null}, {"name": "z:0", "dtype": "string", "value": "s0/o1"}],
                 "error": {"code": "INVALID_ARGUMENT", "contains": "", "optional": true}}]})"));
  ASSERT_TRUE(c.ok()) << c.status();
  EXPECT_EQ(c->graph_kind, GraphKind::kMetaGraph);
  EXPECT_EQ(c->tags, std::vector<std::string>{"serve"});
  EXPECT_EQ(c->restore->op, "save/restore_all");
  EXPECT_EQ(c->empty_folders, std::vector<std::string>{"/tmp/x"});
  EXPECT_TRUE(c->run_in_folder);
  EXPECT_TRUE(c->measures_load);
  EXPECT_FALSE(c->load_error.has_value());
  EXPECT_FALSE(c->is_hostile);
  EXPECT_EQ(c->compare, CompareMode::kShapes);
  ASSERT_EQ(c->steps.size(), 1u);
  const CaseStep& step = c->steps[0];
  EXPECT_EQ(step.feeds[0].name, "x:0");
  EXPECT_EQ(step.feeds[0].dtype, DType::kBFloat16);
  EXPECT_TRUE(step.repeat);
  EXPECT_TRUE(step.error->optional);
  EXPECT_FALSE(step.fetches[0].dtype.has_value());
  EXPECT_FALSE(step.fetches[0].key.has_value());
  EXPECT_EQ(*step.fetches[1].key, "s0/o1");
}

TEST(CaseTest, HostileCases) {
  const absl::StatusOr<Case> c = LoadCase(Folder("hostile", R"({
      "graph": "ckpt", "graph_kind": "checkpoint", "compare": "error", "restore": "ckpt", "load_error": {"code": "ANY"},
      "load_error_optional": true, "load_or_run": true, "probe": [["a/w", "float32"]],
      "tensors": [{"name": "a/w", "dtype": "float32", "value": "t/0"}],
      "steps": [{"feeds": {}, "targets": ["y"], "fetches": [], "error": {"code": "ANY"}, "error_optional": true}]})"));
  ASSERT_TRUE(c.ok()) << c.status();
  EXPECT_TRUE(c->is_hostile);
  EXPECT_TRUE(c->load_error->optional);
  EXPECT_TRUE(c->load_error_may_come_later);
  EXPECT_EQ(c->restore->prefix, "ckpt");
  EXPECT_EQ(c->restore->op, "");
  EXPECT_EQ(c->probes[0].name, "a/w");
  EXPECT_EQ(*c->tensors[0].key, "t/0");
  EXPECT_TRUE(c->steps[0].error->optional);
}

TEST(CaseTest, Gradients) {
  const std::string head =
      R"({"graph": "g", "graph_kind": "graphdef", "steps": [], "gradients": [{"ys": ["y:0"], "xs": ["a:0", "b:0"], )";
  const absl::StatusOr<Case> inside = LoadCase(Folder("inside", head + R"("results": ["g:0", null], "step": 3}]})"));
  ASSERT_TRUE(inside.ok()) << inside.status();
  ASSERT_EQ(inside->gradients.size(), 1u);
  EXPECT_EQ(inside->gradients[0].ys, std::vector<std::string>{"y:0"});
  EXPECT_EQ(inside->gradients[0].step, 3);
  ASSERT_EQ(inside->gradients[0].results.size(), 2u);
  EXPECT_TRUE(inside->gradients[0].results[0].exists);
  EXPECT_FALSE(inside->gradients[0].results[1].exists);
  EXPECT_FALSE(inside->gradients[0].zero_if_unconnected);
  const absl::StatusOr<Case> outside =
      LoadCase(Folder("outside", head + R"("values": ["g0/0", null], "unconnected_gradients": "zero"}]})"));
  ASSERT_TRUE(outside.ok()) << outside.status();
  EXPECT_EQ(outside->gradients[0].results[0].dense.key, "g0/0");
  EXPECT_TRUE(outside->gradients[0].zero_if_unconnected);
}

TEST(CaseTest, MalformedCases) {
  struct Bad {
    const char *name, *json, *message;
  };
  for (const Bad& bad :
       {Bad{"no_json", "{", "expected JSON"}, Bad{"list", "[]", "the document: expected an object"},
        Bad{"kind", R"({"graph_kind": "onnx"})", "graph_kind: expected a kind of file, got 'onnx'"},
        Bad{"compare", R"({"graph_kind": "graphdef", "compare": "bits"})",
            "compare: expected values, shapes, error or none, got 'bits'"},
        Bad{"steps", R"({"graph_kind": "graphdef", "steps": {}})", "steps: expected a list"},
        Bad{"step", R"({"graph_kind": "graphdef", "steps": [1]})", "steps: expected objects"},
        Bad{"dtype", R"({"graph_kind": "graphdef", "steps": [{"feeds": {"x": {"array": "a", "dtype": "f"}}}]})",
            "the name of a dtype, got 'f'"},
        Bad{"rtol", R"({"graph_kind": "graphdef", "rtol": "1"})", "rtol: expected a number"}}) {
    const absl::Status status = LoadCase(Folder(bad.name, bad.json)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad.name;
    EXPECT_NE(status.message().find(bad.message), std::string::npos) << status;
  }
  EXPECT_EQ(LoadCase(testing::TempDir() + "/no_case").status().code(), absl::StatusCode::kNotFound);
}

TEST(CaseTest, CasesAreFoundInNestedFolders) {
  const std::string root = testing::TempDir() + "/tree";
  std::filesystem::create_directories(root);
  Folder("tree/b", "{}");
  Folder("tree/a/deep", "{}");
  EXPECT_EQ(*FindCases(root), (std::vector<std::string>{root + "/a/deep", root + "/b"}));
  EXPECT_EQ(FindCases(root + "/none").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace flowlatch
