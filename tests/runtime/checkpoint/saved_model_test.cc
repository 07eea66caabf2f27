#include "runtime/checkpoint/saved_model.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ops/default_ops.h"
#include "runtime/checkpoint/save_nodes.h"
#include "runtime/checkpoint/saved_variables.h"
#include "runtime/checkpoint/saver.h"
#include "runtime/checkpoint/tensor_bundle.h"
#include "tests/runtime/checkpoint/temp_directory.h"
#include "tests/testing/op_tester.h"

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

class SavedModelTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = dir_.File("model.meta.pbtxt");
    ASSERT_TRUE(WriteFileAtomically(FileSystem::Default(), path_, kMetaGraph).ok());
  }
  Model Load() const { return *LoadModel(path_, DefaultOps().registry(), {.kind = ModelKind::kMetaGraphText}); }

  const TempDirectory dir_;
  std::string path_;
};

TEST_F(SavedModelTest, VariablesComeBackFromACheckpoint) {
  const std::string prefix = dir_.File("checkpoint/model");
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

TEST_F(SavedModelTest, AModelWithoutASaverIsRestoredByNames) {
  Model model = Load();
  model.saver.reset();
  const auto session = *OpenSession(model, DefaultOps(), SessionOptions{.threads = 1});
  EXPECT_EQ(RestoreCheckpoint(*session, model, dir_.File("x")).code(), absl::StatusCode::kNotFound);
  const std::unique_ptr<BundleWriter> writer = *BundleWriter::Create(dir_.File("x"));
  ASSERT_TRUE(writer->Add("v", Tensor::Scalar<float>(5)).ok());
  ASSERT_TRUE(writer->Finish().ok());
  ASSERT_TRUE(RestoreCheckpoint(*session, model, dir_.File("x")).ok());
  EXPECT_EQ((*session->Run({}, {"read"}, {}))[0].scalar<float>(), 5);
}

TEST_F(SavedModelTest, TheInitOpRunsUnlessToldNotTo) {
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

// ---- Writing

// Variables of both kinds, a part of a partitioned one, and a file that the init op reads.
constexpr char kVariables[] = R"(
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { } } } }
  node { name: "r" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape { dim { size: 2 } } } } }
  node { name: "h" op: "VarHandleOp" attr { key: "dtype" value { type: DT_STRING } }
         attr { key: "shape" value { shape { } } } attr { key: "shared_name" value { s: "h" } } }
  node { name: "read" op: "ReadVariableOp" input: "h" attr { key: "dtype" value { type: DT_STRING } } }
  node { name: "y" op: "Mul" input: "x" input: "r" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "asset" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
         attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { } string_val: "?" } } } }
  node { name: "main" op: "AssignVariableOp" input: "h" input: "asset" attr { key: "dtype" value { type: DT_STRING } } }
)";

class SaveSavedModelTest : public SavedModelTest {
 protected:
  static Model Describe() {
    Model model{.graph = Graph(DefaultOps().registry())};
    Signature& signature = model.signatures["serving_default"];
    signature.method_name = "tensorflow/serving/predict";
    signature.inputs["in"] = {.name = "x:0", .dtype = DType::kFloat32, .shape = PartialShape(Shape())};
    signature.outputs["out"] = {.name = "y:0", .dtype = DType::kFloat32, .shape = PartialShape::Of({2})};
    signature.outputs["text"] = {.name = "read:0", .dtype = DType::kString, .shape = PartialShape(Shape())};
    return model;
  }
  static std::unique_ptr<Session> Variables(const char* graph = kVariables) {
    auto session = *Session::Create(*ReadGraphDefText(graph, DefaultOps().registry()), DefaultOps(), {.threads = 1});
    const auto saved = *SavedVariables(session->graph());
    const TempDirectory dir;
    const std::unique_ptr<BundleWriter> writer = *BundleWriter::Create(dir.File("m"));
    EXPECT_TRUE(writer->Add("r", *Tensor::FromValues<float>(Shape::Of({2}), {3, -4})).ok());
    EXPECT_TRUE(writer->Add("h", Tensor::Scalar("word")).ok());
    EXPECT_TRUE(writer->Finish().ok());
    EXPECT_TRUE(RestoreVariables(saved, **CheckpointReader::Open(dir.File("m")), session->resources()).ok());
    return session;
  }
};

TEST_F(SaveSavedModelTest, ComesBackWithVariablesAndSignatures) {
  const std::unique_ptr<Session> session = Variables();
  const absl::Status status = SaveSavedModel(dir_.File("s"), Describe(), *session);
  ASSERT_TRUE(status.ok()) << status;
  const absl::StatusOr<LoadedModel> loaded = LoadSavedModel(dir_.File("s"), DefaultOps());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(loaded->model.tags, testing::ElementsAre("serve"));
  const SignatureCall call = *PrepareSignature(*loaded->session, loaded->model, "serving_default");
  const auto outputs = call.Run({{"in", Tensor::Scalar<float>(2)}});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_EQ(Difference(outputs->at("out"), *Tensor::FromValues<float>(Shape::Of({2}), {6, -8})), "");
  EXPECT_EQ(Difference(outputs->at("text"), Tensor::Scalar("word")), "");

  EXPECT_EQ(call.Run({}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(call.Run({{"in", Tensor::Scalar<float>(2)}, {"on", Tensor::Scalar<float>(2)}}).status().code(),
            absl::StatusCode::kInvalidArgument);
  const absl::Status unknown = PrepareSignature(*loaded->session, loaded->model, "serving_defalt").status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(unknown.message()), testing::HasSubstr("did you mean 'serving_default'"));
  EXPECT_EQ(SaveSavedModel(dir_.File("s"), Describe(), *session).code(), absl::StatusCode::kAlreadyExists);

  // Again, now by the nodes that the first one added.
  LoadedModel again = *LoadSavedModel(dir_.File("s"), DefaultOps());
  ASSERT_TRUE(SaveSavedModel(dir_.File("t"), std::move(again.model), *again.session).ok());
  const LoadedModel twice = *LoadSavedModel(dir_.File("t"), DefaultOps());
  EXPECT_EQ((*twice.session->Run({}, {"r"}, {}))[0].data<float>()[1], -4);
}

TEST_F(SaveSavedModelTest, DefaultsOfInputs) {
  Model model = Describe();
  model.signatures["serving_default"].defaults["in"] = Tensor::Scalar<float>(10);
  ASSERT_TRUE(SaveSavedModel(dir_.File("s"), std::move(model), *Variables()).ok());
  const LoadedModel loaded = *LoadSavedModel(dir_.File("s"), DefaultOps());
  const auto outputs = PrepareSignature(*loaded.session, loaded.model, "serving_default")->Run({});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_EQ(outputs->at("out").data<float>()[0], 30);
}

TEST_F(SaveSavedModelTest, AssetsAndInitOp) {
  ASSERT_TRUE(WriteFileAtomically(FileSystem::Default(), dir_.File("words.txt"), "a b").ok());
  Model model = Describe();
  model.assets = {{"asset:0", dir_.File("words.txt"), ""}};
  model.init_op = "main";
  model.tags = {"serve", "cpu"};
  ASSERT_TRUE(SaveSavedModel(dir_.File("s"), std::move(model), *Variables()).ok());
  EXPECT_EQ(*ReadFile(FileSystem::Default(), dir_.File("s/assets/words.txt"), 100), "a b");
  const absl::StatusOr<LoadedModel> loaded = LoadSavedModel(dir_.File("s"), DefaultOps());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->model.init_op, "main");
  const std::string words = dir_.File("s/assets/words.txt");
  EXPECT_EQ(Difference((*loaded->session->Run({}, {"read"}, {}))[0], Tensor::Scalar(std::string_view(words))), "")
      << "the init op ran with the place of the file";
}

TEST_F(SaveSavedModelTest, Errors) {
  const std::unique_ptr<Session> session = Variables();
  Model model = Describe();
  model.assets = {{"asset:0", dir_.File("none"), ""}};
  EXPECT_EQ(SaveSavedModel(dir_.File("a"), std::move(model), *session).code(), absl::StatusCode::kNotFound);
  for (const char* name : {"../x", "..", "a/b"}) {
    model = Describe();
    model.assets = {{"asset:0", path_, name}};
    EXPECT_EQ(SaveSavedModel(dir_.File("a"), std::move(model), *session).code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_FALSE(FileSystem::Default().Open(dir_.File("a/saved_model.pb")).ok()) << "what failed is no SavedModel";
  EXPECT_EQ(SaveSavedModel(dir_.File("no/such"), Describe(), *session).code(), absl::StatusCode::kNotFound);
  const auto empty =
      *Session::Create(*ReadGraphDefText(kVariables, DefaultOps().registry()), DefaultOps(), {.threads = 1});
  EXPECT_EQ(SaveSavedModel(dir_.File("b"), Describe(), *empty).code(), absl::StatusCode::kFailedPrecondition);

  model = Describe();
  model.signatures["serving_default"].outputs["out"] = {.components = {"x:0", "x:0", "x:0"}, .dtype = DType::kFloat32};
  EXPECT_EQ(PrepareSignature(*session, model, "serving_default").status().code(), absl::StatusCode::kUnimplemented);
}

TEST_F(SaveSavedModelTest, WithoutVariables) {
  const auto session = *Session::Create(*ReadGraphDefText(R"(node { name: "x" op: "NoOp" })", DefaultOps().registry()),
                                        DefaultOps(), {.threads = 1});
  ASSERT_TRUE(SaveSavedModel(dir_.File("s"), Model{.graph = Graph(DefaultOps().registry())}, *session).ok());
  EXPECT_TRUE(LoadSavedModel(dir_.File("s"), DefaultOps()).ok());
}

TEST(SaveNodesTest, PartsAndTakenNames) {
  const TempDirectory dir;
  Graph graph = *ReadGraphDefText(R"(
      node { name: "save/Const" op: "NoOp" }
      node { name: "w/part_1" op: "VariableV2" attr { key: "dtype" value { type: DT_INT32 } }
             attr { key: "shape" value { shape { dim { size: 2 } } } } })",
                                  DefaultOps().registry());
  std::vector<SavedVariable> variables = *SavedVariables(graph);
  variables[0].name = "w";
  variables[0].slice = ShapeAndSlice{Shape::Of({3}), *TensorSlice::Parse("1,2")};
  const SaverNames names = *AddSaveNodes(variables, graph);
  EXPECT_EQ(names.restore_op, "save_1/restore_all");
  ASSERT_TRUE(Verify(graph).ok());
  const std::unique_ptr<BundleWriter> writer = *BundleWriter::Create(dir.File("m"));
  ASSERT_TRUE(writer->Add("w", *Tensor::FromValues<int32_t>(Shape::Of({3}), {7, 8, 9})).ok());
  ASSERT_TRUE(writer->Finish().ok());
  const auto session = *Session::Create(std::move(graph), DefaultOps(), {.threads = 1, .allow_files = true});
  const auto feed = [&](const std::string& prefix) -> Feeds {
    return {{names.filename_tensor, Tensor::Scalar(std::string_view(prefix))}};
  };
  ASSERT_TRUE(session->Run(feed(dir.File("m")), {}, {names.restore_op}).ok());
  const Tensor part = *Tensor::FromValues<int32_t>(Shape::Of({2}), {8, 9});
  EXPECT_EQ(Difference((*session->Run({}, {"w/part_1"}, {}))[0], part), "");
  const auto saved = session->Run(feed(dir.File("n")), {names.save_tensor}, {});
  ASSERT_TRUE(saved.ok()) << saved.status();
  EXPECT_EQ(Difference(*(*CheckpointReader::Open(dir.File("n")))->ReadSlice("w", *TensorSlice::Parse("1,2")), part),
            "");
  variables[0].node = "none";
  Graph other(DefaultOps().registry());
  EXPECT_EQ(AddSaveNodes(variables, other).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace flowlatch
