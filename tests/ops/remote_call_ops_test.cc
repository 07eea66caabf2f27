#include "ops/remote_call_ops.h"

#include "flowlatch/proto/function.pb.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "tests/runtime/exec/plan_runner.h"

namespace flowlatch {
namespace {

// Doubles an int, with or without a kernel that waits.
constexpr char kDouble[] = R"(
  signature { name: "Double" input_arg { name: "x" type: DT_INT32 } output_arg { name: "y" type: DT_INT32 } }
  node_def { name: "sum" op: "FakeAdd" input: "x" input: "x" attr { key: "T" value { type: DT_INT32 } } }
  ret { key: "y" value: "sum:z" })";
constexpr char kDoubleLater[] = R"(
  signature { name: "DoubleLater" input_arg { name: "x" type: DT_INT32 } output_arg { name: "y" type: DT_INT32 } }
  node_def { name: "later" op: "FakeLater" input: "x" attr { key: "T" value { type: DT_INT32 } } }
  node_def { name: "sum" op: "FakeAdd" input: "later:output" input: "x" attr { key: "T" value { type: DT_INT32 } } }
  ret { key: "y" value: "sum:z" })";

constexpr char kOwns[] = R"(
  signature { name: "Owns" input_arg { name: "x" type: DT_INT32 } output_arg { name: "y" type: DT_BOOL } }
  node_def { name: "owns" op: "FakeOwns" input: "x" attr { key: "T" value { type: DT_INT32 } } }
  ret { key: "y" value: "owns:output" })";

class RemoteCallOpsTest : public testing::TestWithParam<const char*> {
 protected:
  RemoteCallOpsTest() : functions_(std::make_shared<FunctionLibrary>(ops_.library().registry())) {
    EXPECT_TRUE(RegisterRemoteCallOps(ops_.library()).ok());
    for (const char* text : {kDouble, kDoubleLater, kOwns}) {
      FunctionDef definition;
      EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &definition));
      EXPECT_TRUE(functions_->Add(std::move(definition)).ok());
    }
  }
  absl::StatusOr<Tensor> Call(const Tensor& target, const std::string& function) {
    TestGraph g(ops_.library().registry());
    g.set_library(functions_);
    g.Add("target", "FakeConst", {}, {{"T", DType::kString}, {"value", target}}).Const("x", 21);
    g.Add("call", "RemoteCall", {"target", "x"},
          {{"Tin", std::vector<DType>{DType::kInt32}},
           {"Tout", std::vector<DType>{DType::kInt32}},
           {"f", FunctionRef{function, {}}}});
    ASSIGN_OR_RETURN(Graph graph, g.Build());
    ASSIGN_OR_RETURN(const std::unique_ptr<PlanRunner> runner,
                     PlanRunner::Make(ops_.library(), std::move(graph), {{}, {"call"}, {}}));
    ASSIGN_OR_RETURN(const std::vector<Tensor> out, runner->Run());
    return out[0];
  }

  FakeOps ops_;
  std::shared_ptr<FunctionLibrary> functions_;
};

INSTANTIATE_TEST_SUITE_P(Functions, RemoteCallOpsTest, testing::Values("Double", "DoubleLater"));

TEST_P(RemoteCallOpsTest, CallsOnTheDeviceThatIsThere) {
  for (const char* name : {"/job:localhost/replica:0/task:0/device:CPU:0", "/device:cpu:0", "/cpu:0", ""}) {
    const absl::StatusOr<Tensor> result = Call(Tensor::Scalar(name), GetParam());
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->scalar<int32_t>(), 42) << name;
  }
}

// What only the call holds may be changed in place by the function.
TEST_P(RemoteCallOpsTest, ArgumentsBelongToTheFunction) {
  for (const bool shared : {false, true}) {
    TestGraph g(ops_.library().registry());
    g.set_library(functions_);
    g.Add("target", "FakeConst", {}, {{"T", DType::kString}, {"value", Tensor::Scalar("/cpu:0")}}).Const("n", 3);
    g.Add("x", "FakeFill", {"n"});
    g.Add("call", "RemoteCall", {"target", "x"},
          {{"Tin", std::vector<DType>{DType::kInt32}},
           {"Tout", std::vector<DType>{DType::kBool}},
           {"f", FunctionRef{"Owns", {}}}});
    absl::StatusOr<Graph> graph = g.Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    StepNames names{{}, {"call"}, {}};
    if (shared) names.fetches.push_back("x");
    const auto runner = PlanRunner::Make(ops_.library(), *std::move(graph), names);
    ASSERT_TRUE(runner.ok()) << runner.status();
    const absl::StatusOr<std::vector<Tensor>> out = (*runner)->Run();
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<bool>(), !shared);
  }
}

TEST_P(RemoteCallOpsTest, RefusesOthers) {
  const auto expect = [&](const absl::Status& status, absl::StatusCode code, const char* text) {
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(text));
  };
  for (const char* name : {"/device:GPU:0", "/device:CPU:1", "/job:worker/device:CPU:0", "nonsense"}) {
    expect(Call(Tensor::Scalar(name), GetParam()).status(), absl::StatusCode::kInvalidArgument,
           "target: expected this process's CPU, got '");
  }
  expect(Call(Tensor::Vector<String>({String("/cpu:0")}), GetParam()).status(), absl::StatusCode::kInvalidArgument,
         "target: expected a scalar, got shape [1]");
  expect(Call(Tensor::Scalar("/cpu:0"), "Another").status(), absl::StatusCode::kNotFound, "Another");
}

}  // namespace
}  // namespace flowlatch
