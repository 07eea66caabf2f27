#include "runtime/checkpoint/saved_variables.h"

#include <shared_mutex>

#include "flowlatch/proto/variable.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/checkpoint/object_graph.h"
#include "runtime/resource/variable.h"
#include "tests/runtime/checkpoint/temp_directory.h"
#include "tests/runtime/checkpoint/variable_graph.h"
#include "tests/testing/op_tester.h"

namespace flowlatch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kObjects[] = "tests/runtime/checkpoint/golden/objects";
constexpr char kParts[] = "tests/runtime/checkpoint/golden/v2";

std::vector<std::string> Names(const std::vector<SavedVariable>& variables) {
  std::vector<std::string> names;
  for (const SavedVariable& variable : variables) names.push_back(variable.name);
  return names;
}

std::string VariableDef(const std::string& node, const std::string& full_name = "", std::vector<int64_t> shape = {},
                        std::vector<int64_t> offset = {}, std::vector<int64_t> size = {}) {
  proto::VariableDef def;
  def.set_variable_name(node + ":0");
  if (!full_name.empty()) {
    proto::SaveSliceInfoDef* info = def.mutable_save_slice_info_def();
    info->set_full_name(full_name);
    info->mutable_full_shape()->Add(shape.begin(), shape.end());
    info->mutable_var_offset()->Add(offset.begin(), offset.end());
    info->mutable_var_shape()->Add(size.begin(), size.end());
  }
  return def.SerializeAsString();
}

TEST(SavedVariablesTest, OfAGraph) {
  const Graph graph = VariableGraph(R"(
      node { name: "ref" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } }
             attr { key: "shape" value { shape { dim { size: 2 } } } } }
      node { name: "old" op: "Variable" attr { key: "dtype" value { type: DT_INT32 } }
             attr { key: "shape" value { shape { } } } }
      node { name: "handle" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } }
             attr { key: "shape" value { shape { dim { size: 3 } } } } attr { key: "shared_name" value { s: "h" } } }
      node { name: "handle_1" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } }
             attr { key: "shape" value { shape { dim { size: 3 } } } } attr { key: "shared_name" value { s: "h" } } }
      node { name: "anonymous" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } }
             attr { key: "shape" value { shape { } } }
             attr { key: "shared_name" value { s: "cd2c89b7-88b7-44c8-ad83-06c2a9158347" } } }
      node { name: "local" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } }
             attr { key: "shape" value { shape { dim { size: 2 } } } } attr { key: "container" value { s: "c" } } })");
  const std::vector<SavedVariable> all = *SavedVariables(graph);
  EXPECT_THAT(Names(all), ElementsAre("ref", "old", "handle", "local"));
  EXPECT_TRUE(all[0].is_reference);
  EXPECT_EQ(all[0].resource, "ref");
  EXPECT_EQ(all[0].shape.ToString(), "[2]");
  EXPECT_FALSE(all[1].shape.has_rank()) << "[] of the old op stands for an unknown shape";
  EXPECT_EQ(all[1].dtype, DType::kInt32);
  EXPECT_FALSE(all[2].is_reference);
  EXPECT_EQ(all[2].resource, "h");
  EXPECT_EQ(all[3].container, "c");

  Collection locals, globals;
  locals.kind = globals.kind = Collection::Kind::kBytes;
  locals.strings = {VariableDef("local")};
  globals.strings = {VariableDef("ref", "whole", {4}, {2}, {2}), VariableDef("handle")};
  const std::vector<SavedVariable> some = *SavedVariables(graph, {{"variables", globals}, {"local_variables", locals}});
  EXPECT_THAT(Names(some), ElementsAre("whole", "old", "handle"));
  EXPECT_EQ(some[0].slice->shape.ToString(), "[4]");
  EXPECT_EQ(some[0].slice->slice.ToString(), "2,2");

  const std::string bad[] = {"\xff\xff", VariableDef("ref", "whole", {4}, {2}, {3}),
                             VariableDef("ref", "whole", {4}, {2}, {}), VariableDef("ref", "whole", {-4}, {0}, {1})};
  for (const std::string& def : bad) {
    globals.strings = {def};
    EXPECT_EQ(SavedVariables(graph, {{"variables", globals}}).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

class RestoreTest : public testing::Test {
 protected:
  // Of resource variables that may hold anything.
  static SavedVariable Of(const std::string& name, DType dtype = DType::kFloat32, const PartialShape& shape = {}) {
    SavedVariable variable;
    variable.name = variable.node = variable.resource = name;
    variable.dtype = dtype;
    variable.shape = shape;
    return variable;
  }
  absl::StatusOr<std::vector<std::string>> Restore(const std::vector<SavedVariable>& variables, const std::string& path,
                                                   const RestoreOptions& options = {}) {
    const absl::StatusOr<std::unique_ptr<CheckpointReader>> reader = CheckpointReader::Open(path);
    if (!reader.ok()) return reader.status();
    return RestoreVariables(variables, **reader, resources_, options);
  }
  ResourceManager resources_;
};

TEST_F(RestoreTest, ObjectsByTheNamesOfTheirVariablesAndByTheirPlaces) {
  const std::vector<SavedVariable> variables = {Of("hidden/kernel"), Of("layers/1/kernel"), Of("step", DType::kInt64)};
  const auto restored = Restore(variables, kObjects);
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_TRUE(restored->empty());
  EXPECT_EQ(Difference(*SnapshotOf(variables[0], resources_),
                       *Tensor::FromValues<float>(Shape::Of({2, 3}), {0, 1, 2, 3, 4, 5})),
            "");
  EXPECT_EQ(SnapshotOf(variables[1], resources_)->ShapeString(), "[3,1]");
  EXPECT_EQ(SnapshotOf(variables[2], resources_)->scalar<int64_t>(), 5);

  const absl::Status twice = Restore({Of("twin")}, kObjects).status();
  EXPECT_EQ(twice.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(twice.message()), HasSubstr("got several"));
  ASSERT_TRUE(Restore({Of("twin")}, kObjects, {.names = {{"twin", "twins/1"}}}).ok());
  EXPECT_EQ(SnapshotOf(Of("twin"), resources_)->data<float>()[0], 2);

  const absl::Status unknown = Restore({Of("hidden/kernal")}, kObjects).status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(unknown.message()), HasSubstr("did you mean 'hidden/kernel'"));
}

TEST_F(RestoreTest, NamesOfObjects) {
  const std::unique_ptr<CheckpointReader> objects = *CheckpointReader::Open(kObjects);
  const CheckpointNames names = *CheckpointNames::Make(*objects);
  EXPECT_TRUE(names.has_objects());
  EXPECT_EQ(names.VariableName("layers/0/bias/.ATTRIBUTES/VARIABLE_VALUE"), "hidden/bias");
  EXPECT_EQ(names.VariableName("x"), "");
  EXPECT_EQ(*names.Find("layers/0/bias/.ATTRIBUTES/VARIABLE_VALUE"), "layers/0/bias/.ATTRIBUTES/VARIABLE_VALUE");
  const std::unique_ptr<CheckpointReader> plain = *CheckpointReader::Open(kParts);
  EXPECT_FALSE(CheckpointNames::Make(*plain)->has_objects());
  EXPECT_EQ(*CheckpointNames::Make(*plain)->Find("a"), "a");

  const TempDirectory dir;
  const std::unique_ptr<BundleWriter> writer = *BundleWriter::Create(dir.File("m"));
  ASSERT_TRUE(writer->Add("_CHECKPOINTABLE_OBJECT_GRAPH", Tensor::Scalar("\xff\xff")).ok());
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_EQ(CheckpointNames::Make(**CheckpointReader::Open(dir.File("m"))).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST_F(RestoreTest, PartsOfVariables) {
  SavedVariable part = Of("part");
  part.slice = ShapeAndSlice{Shape::Of({10, 4}), *TensorSlice::Parse("4,3:0,4")};
  ASSERT_TRUE(Restore({part}, kParts).ok());
  const Tensor whole = *(*CheckpointReader::Open(kParts))->Read("part");
  EXPECT_EQ(SnapshotOf(part, resources_)->data<float>()[0], whole.data<float>()[16]);
  part.slice->shape = Shape::Of({11, 4});
  EXPECT_EQ(Restore({part}, kParts).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(RestoreTest, AllOrNothing) {
  const SavedVariable a = Of("a", DType::kFloat32, PartialShape::Of({2, 3}));
  const std::vector<SavedVariable> bad = {Of("none"), Of("a", DType::kInt32),
                                          Of("step", DType::kInt64, PartialShape::Of({2}))};
  const absl::StatusCode codes[] = {absl::StatusCode::kNotFound, absl::StatusCode::kInvalidArgument,
                                    absl::StatusCode::kInvalidArgument};
  for (size_t i = 0; i < bad.size(); ++i) {
    EXPECT_EQ(Restore({a, bad[i]}, kParts).status().code(), codes[i]) << i;
    EXPECT_EQ(SnapshotOf(a, resources_).status().code(), absl::StatusCode::kFailedPrecondition) << "it was restored";
  }
  const auto restored = Restore({Of("none"), a, Of("none/too")}, kParts, {.allow_missing = true});
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_THAT(*restored, ElementsAre("none", "none/too"));
  EXPECT_TRUE(SnapshotOf(a, resources_).ok());
  // The session has a variable of this name and another dtype.
  SavedVariable other = Of("step", DType::kInt64);
  other.resource = "a";
  EXPECT_EQ(Restore({other}, kParts).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(SnapshotOf(other, resources_).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(RestoreTest, SnapshotsDoNotChange) {
  SavedVariable reference = Of("a");
  reference.is_reference = true;
  ASSERT_TRUE(Restore({reference}, kParts).ok());
  const Tensor before = *SnapshotOf(reference, resources_);
  const RefPtr<Variable> variable = *resources_.Lookup<Variable>("", "a");
  {
    const std::unique_lock<std::shared_mutex> lock(variable->mu);
    variable->value.mutable_data<float>()[1] = 100;
  }
  EXPECT_EQ(before.data<float>()[1], 1);
  EXPECT_EQ(SnapshotOf(reference, resources_)->data<float>()[1], 100);
}

}  // namespace
}  // namespace flowlatch
