#include "tools/corpus/open_model.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ops/default_ops.h"
#include "tools/arrays/files.h"

namespace flowlatch {
namespace {

// A variable that is initialised, saved and restored as TensorFlow's Saver does it.
constexpr char kMetaGraph[] = R"(
  meta_info_def { tags: "serve" }
  saver_def { filename_tensor_name: "prefix:0" save_tensor_name: "saved:0" restore_op_name: "restore" version: V2 }
  graph_def {
    node { name: "v" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { } } }
           attr { key: "shared_name" value { s: "v" } } }
    node { name: "seven" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
           attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 7 } } } }
    node { name: "init" op: "AssignVariableOp" input: "v" input: "seven" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "read" op: "ReadVariableOp" input: "v" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "prefix" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
           attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { } string_val: "model" } } } }
    node { name: "names" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
           attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { dim { size: 1 } } string_val: "v" } } } }
    node { name: "slices" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
           attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { dim { size: 1 } } string_val: "" } } } }
    node { name: "save" op: "SaveV2" input: "prefix" input: "names" input: "slices" input: "read"
           attr { key: "dtypes" value { list { type: DT_FLOAT } } } }
    node { name: "saved" op: "Identity" input: "prefix" input: "^save" attr { key: "T" value { type: DT_STRING } } }
    node { name: "restored" op: "RestoreV2" input: "prefix" input: "names" input: "slices"
           attr { key: "dtypes" value { list { type: DT_FLOAT } } } }
    node { name: "restore" op: "AssignVariableOp" input: "v" input: "restored" attr { key: "dtype" value { type: DT_FLOAT } } }
  }
)";

class OpenModelTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "/model.meta.pbtxt";
    ASSERT_TRUE(WriteBytes(path_, kMetaGraph).ok());
  }
  Model Load() const { return *LoadModel(path_, DefaultOps().registry(), {.kind = ModelKind::kMetaGraphText}); }

  std::string path_;
};

TEST_F(OpenModelTest, VariablesComeBackFromACheckpoint) {
  const std::string prefix = testing::TempDir() + "/checkpoint/model";
  {
    Model model = Load();
    const auto session = *OpenSession(model, DefaultOps(), SessionOptions{.threads = 1, .allow_files = true});
    ASSERT_TRUE(session->Run({}, {}, {"init"}).ok());
    const auto saved = session->Run({{"prefix", Tensor::Scalar(std::string_view(prefix))}}, {"saved"}, {});
    ASSERT_TRUE(saved.ok()) << saved.status();
  }
  Model model = Load();
  const auto session = *OpenSession(model, DefaultOps(), SessionOptions{.threads = 1, .allow_files = true});
  EXPECT_EQ(session->Run({}, {"read"}, {}).status().code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(RestoreCheckpoint(*session, model, prefix).ok());
  EXPECT_EQ((*session->Run({}, {"read"}, {}))[0].scalar<float>(), 7);
  const absl::Status missing = RestoreCheckpoint(*session, model, prefix + "x");
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(missing.message().substr(0, 9), "restore '");
}

TEST_F(OpenModelTest, AModelWithoutASaver) {
  Model model = Load();
  model.saver.reset();
  const auto session = *OpenSession(model, DefaultOps(), SessionOptions{.threads = 1});
  EXPECT_EQ(RestoreCheckpoint(*session, model, "x").message(),
            "restore 'x': expected a model with a saver, got one without");
}

TEST_F(OpenModelTest, TheInitOpRunsUnlessToldNotTo) {
  for (const bool initialize : {true, false}) {
    Model model = Load();
    model.init_op = "init";
    const auto session = *OpenSession(model, DefaultOps(), SessionOptions{.threads = 1}, initialize);
    EXPECT_EQ(session->Run({}, {"read"}, {}).ok(), initialize);
  }
  Model model = Load();
  model.init_op = "nothing";
  EXPECT_EQ(OpenSession(model, DefaultOps(), SessionOptions{.threads = 1}).status().message().substr(0, 9),
            "init op: ");
}

}  // namespace
}  // namespace flowlatch
