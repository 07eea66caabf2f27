#include "ops/save_restore_ops.h"

#include "runtime/checkpoint/tensor_bundle.h"
#include "tests/ops/tensors.h"
#include "tests/runtime/checkpoint/temp_directory.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

using testing::HasSubstr;

class SaveRestoreOpsTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(RegisterSaveRestoreOps(library_).ok());
    step_.services().allow_files = true;
  }
  static Tensor Names(std::vector<std::string> names) {
    Tensor t = *Tensor::Make(DType::kString, Shape::FromValid({static_cast<int64_t>(names.size())}));
    for (size_t i = 0; i < names.size(); ++i) t.mutable_data<String>()[i] = std::string_view(names[i]);
    return t;
  }
  absl::Status Save(const std::string& prefix, const Tensor& names, const Tensor& slices,
                    const std::vector<Tensor>& tensors) {
    std::vector<DType> dtypes;
    std::vector<Tensor> inputs = {Tensor::Scalar(std::string_view(prefix)), names, slices};
    for (const Tensor& t : tensors) {
      dtypes.push_back(t.dtype());
      inputs.push_back(t);
    }
    return step_.Run("SaveV2", {{"dtypes", dtypes}}, inputs).status();
  }
  absl::StatusOr<std::vector<Tensor>> Restore(const std::string& prefix, const Tensor& names, const Tensor& slices,
                                              std::vector<DType> dtypes) {
    return step_.Run("RestoreV2", {{"dtypes", dtypes}}, {Tensor::Scalar(std::string_view(prefix)), names, slices});
  }

  const TempDirectory dir_;
  OpLibrary library_;
  ResourceManager resources_;
  StepRunner step_{library_, &resources_};
};

TEST_F(SaveRestoreOpsTest, RestoresWhatWasSaved) {
  const Tensor a = Floats({2, 2}, {1, 2, 3, 4}), s = Strings({1}, {"word"}), n = Longs({}, {5});
  ASSERT_TRUE(Save(dir_.File("m"), Names({"s", "a", "n"}), Names({"", "", ""}), {s, a, n}).ok());
  const auto out = Restore(dir_.File("m"), Names({"a", "n", "s", "a"}), Names({"", "", "", "2 2 1,1:-"}),
                           {DType::kFloat32, DType::kInt64, DType::kString, DType::kFloat32});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(Difference((*out)[0], a), "");
  EXPECT_EQ(Difference((*out)[1], n), "");
  EXPECT_EQ(Difference((*out)[2], s), "");
  EXPECT_EQ(Difference((*out)[3], Floats({1, 2}, {3, 4})), "");
}

TEST_F(SaveRestoreOpsTest, SlicesOfAPartitionedVariable) {
  ASSERT_TRUE(
      Save(dir_.File("m"), Names({"w", "w"}), Names({"3 2,1", "3 0,2"}), {Ints({1}, {3}), Ints({2}, {1, 2})}).ok());
  const auto out = Restore(dir_.File("m"), Names({"w", "w"}), Names({"", "3 1,2"}), {DType::kInt32, DType::kInt32});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(Difference((*out)[0], Ints({3}, {1, 2, 3})), "");
  EXPECT_EQ(Difference((*out)[1], Ints({2}, {2, 3})), "");
}

TEST_F(SaveRestoreOpsTest, FilesMustBeAllowed) {
  ASSERT_TRUE(Save(dir_.File("m"), Names({"x"}), Names({""}), {Floats({}, {1})}).ok());
  step_.services().allow_files = false;
  const absl::Status refused[] = {
      Save(dir_.File("n"), Names({"x"}), Names({""}), {Floats({}, {1})}),
      Restore(dir_.File("m"), Names({"x"}), Names({""}), {DType::kFloat32}).status(),
      step_.Run("MergeV2Checkpoints", {}, {Names({dir_.File("m")}), Tensor::Scalar("n")}).status(),
      step_.Run("Restore", {{"dt", DType::kFloat32}}, {Tensor::Scalar("m"), Tensor::Scalar("x")}).status(),
  };
  for (const absl::Status& status : refused) {
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(status.message()), HasSubstr("--allow-files"));
  }
  EXPECT_THAT(dir_.Names(), testing::ElementsAre("m.data-00000-of-00001", "m.index"));
}

TEST_F(SaveRestoreOpsTest, ErrorsOfSaving) {
  const std::string m = dir_.File("m");
  const Tensor x = Floats({2}, {1, 2});
  ExpectInvalid(Save(m, Names({"x", "y"}), Names({""}), {x}), "tensor_names: expected shape [1], got [2]");
  ExpectInvalid(Save(m, Names({"x"}), Names({}), {x}), "shape_and_slices: expected shape [1], got [0]");
  ExpectInvalid(Save(m, Names({"x"}), Names({"3 0,2:1"}), {x}), "slice");
  ExpectInvalid(Save(m, Names({"x"}), Names({"4 0,3"}), {x}), "expected shape [3], got [2]");
  ExpectInvalid(Save(m, Names({"x", "x"}), Names({"", ""}), {x, x}), "expected a new name, got 'x'");
  ExpectInvalid(Save(m, Names({"h"}), Names({""}), {*Tensor::Make(DType::kResource, Shape())}),
                "dtype that files can hold");
  ExpectInvalid(Save("", Names({"x"}), Names({""}), {x}), "path of a checkpoint");
  ExpectInvalid(step_
                    .Run("SaveV2", {{"dtypes", std::vector<DType>{DType::kFloat32}}},
                         {Names({m, m}), Names({"x"}), Names({""}), x})
                    .status(),
                "prefix: expected a scalar, got shape [2]");
  EXPECT_EQ(Save(dir_.File("no/such/m"), Names({"x"}), Names({""}), {x}).code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(dir_.Names(), testing::IsEmpty()) << "what failed left files";
}

TEST_F(SaveRestoreOpsTest, ErrorsOfRestoring) {
  const std::string m = dir_.File("m");
  ASSERT_TRUE(Save(m, Names({"x"}), Names({""}), {Floats({2}, {1, 2})}).ok());
  EXPECT_EQ(Restore(dir_.File("n"), Names({"x"}), Names({""}), {DType::kFloat32}).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(Restore(m, Names({"y"}), Names({""}), {DType::kFloat32}).status().code(), absl::StatusCode::kNotFound);
  ExpectInvalid(Restore(m, Names({"x"}), Names({""}), {DType::kInt32}).status(), "expected dtype int32, got float32");
  ExpectInvalid(Restore(m, Names({"x"}), Names({"3 0,1"}), {DType::kFloat32}).status(), "expected shape [3], got [2]");
  ExpectInvalid(Restore(m, Names({"x", "x"}), Names({""}), {DType::kFloat32}).status(), "tensor_names");
}

TEST_F(SaveRestoreOpsTest, OldFormat) {
  const std::string v1 = "tests/runtime/checkpoint/golden/v1";
  const auto restored =
      step_.Run("Restore", {{"dt", DType::kInt64}}, {Tensor::Scalar(std::string_view(v1)), Tensor::Scalar("step")});
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_EQ(Difference((*restored)[0], Longs({}, {7})), "");
  const auto slice =
      step_.Run("RestoreSlice", {{"dt", DType::kFloat32}},
                {Tensor::Scalar(std::string_view(v1)), Tensor::Scalar("a"), Tensor::Scalar("2 3 1,1:0,2")});
  ASSERT_TRUE(slice.ok()) << slice.status();
  EXPECT_EQ(Difference((*slice)[0], Floats({1, 2}, {3, 4})), "");
  EXPECT_TRUE(Restore(v1, Names({"a"}), Names({""}), {DType::kFloat32}).ok());
}

TEST_F(SaveRestoreOpsTest, FirstFormatIsWritten) {
  const Tensor path = Tensor::Scalar(std::string_view(dir_.File("m")));
  const AttrMap two = {{"T", std::vector<DType>{DType::kFloat32, DType::kString}}};
  const Tensor x = Floats({2}, {1, 2}), s = Strings({}, {"word"});
  ASSERT_TRUE(step_.Run("Save", two, {path, Names({"x", "s"}), x, s}).ok());
  EXPECT_THAT(dir_.Names(), testing::ElementsAre("m"));
  auto out = Restore(dir_.File("m"), Names({"s", "x"}), Names({"", "2 1,1"}), {DType::kString, DType::kFloat32});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(Difference((*out)[0], s), "");
  EXPECT_EQ(Difference((*out)[1], Floats({1}, {2})), "");

  const AttrMap floats = {{"T", std::vector<DType>{DType::kFloat32, DType::kFloat32}}};
  ASSERT_TRUE(step_.Run("SaveSlices", floats, {path, Names({"w", "w"}), Names({"4 2,2", "4 0,2"}), x, x}).ok());
  out = Restore(dir_.File("m"), Names({"w"}), Names({""}), {DType::kFloat32});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(Difference((*out)[0], Floats({4}, {1, 2, 1, 2})), "");

  // Those with TensorFlow's codes.
  const auto save = [&](const AttrMap& attrs, std::vector<Tensor> inputs) {
    return step_.Run(inputs.size() == 5 ? "SaveSlices" : "Save", attrs, inputs).status();
  };
  ExpectInvalid(save(two, {path, Names({"x"}), x, s}), "tensor_names: expected shape [2], got [1]");
  ExpectInvalid(save(two, {Names({"m", "n"}), Names({"x", "s"}), x, s}), "filename: expected a scalar, got shape [2]");
  const AttrMap one = {{"T", std::vector<DType>{DType::kFloat32}}};
  const auto slices = [&](const char* slice) {
    return step_.Run("SaveSlices", one, {path, Names({"x"}), Names({slice}), x}).status();
  };
  ExpectInvalid(slices("4 0,3"), "expected shape [3], got [2]");
  ExpectInvalid(slices("4 3,2"), "expected a part of shape [4]");
  ExpectInvalid(slices("4 a,2"), "slice");
  ExpectInvalid(step_.Run("SaveSlices", one, {path, Names({"x"}), Names({}), x}).status(), "shapes_and_slices");
  EXPECT_EQ(save({{"T", std::vector<DType>{DType::kBFloat16}}},
                 {path, Names({"x"}), *Tensor::Zeros(DType::kBFloat16, Shape())})
                .code(),
            absl::StatusCode::kUnimplemented);
  EXPECT_EQ(save({{"T", std::vector<DType>{DType::kResource}}},
                 {path, Names({"x"}), *Tensor::Make(DType::kResource, Shape())})
                .code(),
            absl::StatusCode::kUnimplemented);
  const Tensor nowhere = Tensor::Scalar(std::string_view(dir_.File("no/such")));
  EXPECT_EQ(save(two, {nowhere, Names({"x", "s"}), x, s}).code(), absl::StatusCode::kNotFound);
  step_.services().allow_files = false;
  EXPECT_EQ(save(two, {path, Names({"x", "s"}), x, s}).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(dir_.Names(), testing::ElementsAre("m"));
}

TEST_F(SaveRestoreOpsTest, ShardedSave) {
  // As a sharded Saver does it: shards in a directory of their own, then one checkpoint.
  std::vector<std::string> parts;
  for (int i = 0; i < 2; ++i) {
    const auto part =
        step_.Run("ShardedFilename", {},
                  {Tensor::Scalar(std::string_view(dir_.File("m_temp/part"))), Ints({}, {i}), Ints({}, {2})});
    ASSERT_TRUE(part.ok()) << part.status();
    parts.emplace_back((*part)[0].scalar<String>().view());
    ASSERT_TRUE(Save(parts.back(), Names({"x" + std::to_string(i)}), Names({""}), {Ints({}, {i})}).ok());
  }
  EXPECT_EQ(parts[1], dir_.File("m_temp/part-00001-of-00002"));
  ASSERT_TRUE(
      step_.Run("MergeV2Checkpoints", {}, {Names(parts), Tensor::Scalar(std::string_view(dir_.File("m")))}).ok());
  EXPECT_THAT(dir_.Names(), testing::ElementsAre("m.data-00000-of-00002", "m.data-00001-of-00002", "m.index"));
  const auto out = Restore(dir_.File("m"), Names({"x0", "x1"}), Names({"", ""}), {DType::kInt32, DType::kInt32});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[1].scalar<int32_t>(), 1);
  ExpectInvalid(step_.Run("MergeV2Checkpoints", {}, {Tensor::Scalar("m"), Tensor::Scalar("n")}).status(),
                "expected a vector");
}

TEST_F(SaveRestoreOpsTest, ShardedFilespec) {
  OpTester spec(library_, "ShardedFilespec", {});
  ExpectOutput(spec, {Tensor::Scalar("m"), Ints({}, {12})},
               Strings({}, {"m-????"
                            "?-of-00012"}));
  ExpectInvalid(spec, {Tensor::Scalar("m"), Ints({1}, {12})}, "num_shards: expected a scalar, got shape [1]");
}

TEST_F(SaveRestoreOpsTest, ShapeFunctions) {
  const PartialShape unknown, scalar = PartialShape(Shape()), two = PartialShape::Of({2});
  const AttrMap attrs{{"dtypes", std::vector<DType>{DType::kFloat32, DType::kInt32}}};
  const Tensor slices = Names({"", "4 6 0,1:-"});
  const auto shapes = InferShapes(library_, "RestoreV2", attrs, {scalar, two, two}, {nullptr, nullptr, &slices});
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  EXPECT_FALSE((*shapes)[0].has_rank());
  EXPECT_EQ((*shapes)[1].ToString(), "[1,6]");
  EXPECT_TRUE(InferShapes(library_, "RestoreV2", attrs, {unknown, unknown, unknown}).ok());
  EXPECT_FALSE(InferShapes(library_, "RestoreV2", attrs, {scalar, PartialShape::Of({3}), two}).ok());
  EXPECT_FALSE(InferShapes(library_, "SaveV2", attrs, {two, two, two, unknown, unknown}).ok());
  EXPECT_TRUE(InferShapes(library_, "SaveV2", attrs, {scalar, two, two, unknown, unknown}).ok());
  const AttrMap saved{{"T", std::vector<DType>{DType::kFloat32, DType::kInt32}}};
  EXPECT_TRUE(InferShapes(library_, "Save", saved, {scalar, two, unknown, unknown}).ok());
  EXPECT_TRUE(InferShapes(library_, "SaveSlices", saved, {unknown, two, two, unknown, unknown}).ok());
  EXPECT_FALSE(InferShapes(library_, "Save", saved, {scalar, PartialShape::Of({3}), unknown, unknown}).ok());
  EXPECT_FALSE(InferShapes(library_, "SaveSlices", saved, {scalar, two, scalar, unknown, unknown}).ok());
}

}  // namespace
}  // namespace flowlatch
