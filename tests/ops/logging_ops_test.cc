#include "ops/logging_ops.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <sstream>

#include "runtime/kernel/step_context.h"
#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

class LoggingOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterLoggingOps(library_).ok()); }

  // What Print logs of one tensor.
  std::string Printed(const Tensor& t, int64_t summarize) {
    OpTester print(library_, "Print",
                   {{"T", DType::kInt32}, {"U", std::vector<DType>{t.dtype()}}, {"summarize", summarize}, {"message", "m: "}});
    const auto got = print.Once().Run({Tensor::Scalar(1), t});
    EXPECT_TRUE(got.ok()) << got.status();
    return print.log();
  }

  OpLibrary library_;
};

Tensor Counting(std::initializer_list<int64_t> dims) {
  const Shape shape = Shape::Of(dims);
  std::vector<int32_t> values(shape.num_elements());
  std::iota(values.begin(), values.end(), 0);
  return *Tensor::FromValues<int32_t>(shape, values);
}

TEST_F(LoggingOpsTest, PrintShowsLeadingElements) {
  const struct {
    Tensor t;
    int64_t summarize;
    const char* want;
  } cases[] = {
      {Counting({10}), 3, "[0 1 2...]"},
      {Counting({3, 4}), 3, "[[0 1 2...]...]"},
      {Counting({4, 2}), 3, "[[0 1][2...]...]"},
      {Counting({7, 1}), 3, "[[0][1][2]...]"},
      {Counting({2, 3, 4}), 3, "[[[0 1 2...]]...]"},
      {Counting({2, 4}), -1, "[[0 1 2 3][4 5 6 7]]"},
      {Counting({2, 2}), 4, "[[0 1][2 3]]"},
      {Tensor::Scalar(5), 3, "[5]"},
      {Counting({0}), 3, "[]"},
      {Counting({2}), 0, "[...]"},
      {Floats({6}, {0.1f, 1e20f, kNan, -kInf, -0.0f, 16777216.0f}), -1, "[0.1 1e+20 nan -inf -0 16777216]"},
      {Of<double>({2}, {0.1, 1.0 / 3}), -1, "[0.1 0.33333333333333331]"},
      {Of<Half, float>({1}, {0.5f}), 3, "[0.5]"},
      {Bools({2}, {true, false}), 3, "[1 0]"},
      {Of<uint8_t>({1}, {200}), 3, "[200]"},
      {Of<std::complex<float>>({1}, {{1, 2}}), 3, "[?]"},
      {Strings({2}, {"a\n\"\x01", "b"}), 3, "[a\\n\\\"\\001 b]"},
  };
  for (const auto& [t, summarize, want] : cases) {
    EXPECT_EQ(Printed(t, summarize), std::string("m: ") + want + "\n") << t.DebugString() << " summarize " << summarize;
  }
}

TEST_F(LoggingOpsTest, PrintPassesItsInputOn) {
  OpTester print(library_, "Print", {{"T", DType::kString}, {"U", std::vector<DType>{DType::kInt32, DType::kInt32}}});
  ExpectOutput(print.Once(), {Strings({2}, {"a", "b"}), Tensor::Scalar(1), Tensor::Scalar(2)}, Strings({2}, {"a", "b"}));
  EXPECT_EQ(print.log(), "[1][2]\n");
}

TEST_F(LoggingOpsTest, PrintCountsItsCalls) {
  const OpSchema* schema = library_.registry().FindRegistered("Print");
  const AttrMap attrs{{"T", DType::kInt32}, {"U", std::vector<DType>{}}, {"message", "x"}, {"first_n", 2}};
  const PortType type{DType::kInt32};
  const absl::StatusOr<Kernel> kernel = library_.MakeKernel(NodeInfo("n", *schema, attrs, {&type, 1}, {&type, 1}));
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  class Step final : public StepContext {
   public:
    using StepContext::StepContext;
    void Fail(uint32_t, absl::Status status) override { ADD_FAILURE() << status; }
  };
  std::string log;
  StepServices services;
  services.log = [&](std::string_view text) { log += text; };
  Step step(services);
  for (int i = 0; i < 4; ++i) {
    Tensor slot = Tensor::Scalar(i), output;
    const uint32_t input = 0;
    KernelCall call(&step, &slot, &input, &output, kernel->state.get(), 1, 1, 0, 0);
    EXPECT_EQ(kernel->fn(call), KernelStatus::kOk);
    EXPECT_EQ(Difference(output, slot), "");
  }
  EXPECT_EQ(log, "x\nx\n");
}

TEST_F(LoggingOpsTest, PrintV2Writes) {
  OpTester print(library_, "PrintV2", {{"output_stream", "stderr"}, {"end", "!"}});
  ExpectOutputs(print.Once(), {Tensor::Scalar("hello")}, {});
  EXPECT_EQ(print.log(), "hello!");
  OpTester log(library_, "PrintV2", {{"output_stream", "log(info)"}, {"end", "!"}});
  ExpectOutputs(log.Once(), {Tensor::Scalar("hello")}, {});
  EXPECT_EQ(log.log(), "hello\n");
  ExpectInvalid(print, {Strings({1}, {"a"})}, "input: expected a scalar, got shape [1]");
  OpTester odd(library_, "PrintV2", {{"output_stream", "nowhere"}});
  ExpectInvalid(odd, {Tensor::Scalar("a")}, "output_stream: expected stdout, stderr");
}

TEST_F(LoggingOpsTest, PrintV2AppendsToFiles) {
  const std::string path = testing::TempDir() + "/logging_ops_test.txt";
  std::filesystem::remove(path);
  const AttrMap attrs{{"output_stream", "file://" + path}};
  OpTester print(library_, "PrintV2", attrs);
  EXPECT_EQ(print.Once().Run({Tensor::Scalar("a")}).status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_FALSE(std::filesystem::exists(path));
  print.AllowFiles();
  ExpectOutputs(print, {Tensor::Scalar("a")}, {});
  ExpectOutputs(print, {Tensor::Scalar("b")}, {});
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "a\nb\n");
  OpTester nowhere(library_, "PrintV2", {{"output_stream", "file:///nowhere/at/all"}});
  EXPECT_EQ(nowhere.Once().AllowFiles().Run({Tensor::Scalar("a")}).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(LoggingOpsTest, AssertFailsWithItsData) {
  OpTester check(library_, "Assert", {{"T", std::vector<DType>{DType::kString, DType::kInt32}}});
  ExpectOutputs(check, {Tensor::Scalar(true), Tensor::Scalar("no"), Counting({5})}, {});
  ExpectInvalid(check, {Tensor::Scalar(false), Tensor::Scalar("no"), Counting({5})}, "assertion failed: [no] [0 1 2...]");
  ExpectInvalid(check, {Bools({1}, {true}), Tensor::Scalar("no"), Counting({5})}, "condition: expected a scalar, got shape [1]");
}

TEST_F(LoggingOpsTest, AbortEndsTheStepOnly) {
  for (const bool quiet : {false, true}) {
    OpTester abort(library_, "Abort", {{"error_msg", "enough"}, {"exit_without_error", quiet}});
    const absl::Status status = abort.Run({}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr("enough"));
  }
}

TEST_F(LoggingOpsTest, NoOp) {
  OpTester nothing(library_, "NoOp", {});
  ExpectOutputs(nothing, {}, {});
}

TEST_F(LoggingOpsTest, Shapes) {
  const AttrMap print{{"T", DType::kInt32}, {"U", std::vector<DType>{}}};
  EXPECT_EQ((*InferShapes(library_, "Print", print, {PartialShape::Of({2, -1})}))[0], PartialShape::Of({2, -1}));
  ExpectInvalid(InferShapes(library_, "PrintV2", {}, {PartialShape::Of({2})}).status(), "rank");
  ExpectInvalid(InferShapes(library_, "Assert", {{"T", std::vector<DType>{DType::kInt32}}},
                            {PartialShape::Of({2}), PartialShape::Of({})}).status(), "rank");
}

}  // namespace
}  // namespace flowlatch
