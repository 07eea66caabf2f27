#include "ops/stack_ops.h"

#include "tests/ops/tensors.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

// Both generations.
class StackOpsTest : public testing::TestWithParam<bool> {
 protected:
  using Results = absl::StatusOr<std::vector<Tensor>>;

  void SetUp() override { ASSERT_TRUE(RegisterStackOps(library_).ok()); }
  static std::string Name(const std::string& op) { return GetParam() ? op + "V2" : op; }
  Tensor New(DType dtype = DType::kFloat32, int32_t max_size = -1) {
    std::vector<Tensor> inputs;
    if (GetParam()) inputs.push_back(Tensor::Scalar(max_size));
    const Results out = step_.Run(Name("Stack"), {{"elem_type", dtype}, {"stack_name", "s"}}, inputs);
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0] : Tensor();
  }
  Results Push(const Tensor& stack, const Tensor& value) {
    return step_.Run(Name("StackPush"), {{"T", value.dtype()}}, {stack, value});
  }
  Results Pop(const Tensor& stack, DType dtype = DType::kFloat32) {
    return step_.Run(Name("StackPop"), {{"elem_type", dtype}}, {stack});
  }

  OpLibrary library_;
  ResourceManager resources_;
  StepRunner step_{library_, &resources_};
};

INSTANTIATE_TEST_SUITE_P(Generations, StackOpsTest, testing::Bool());

TEST_P(StackOpsTest, LastInFirstOut) {
  const Tensor stack = New(), other = New();
  const Tensor x = Floats({2}, {1, 2}), y = Floats({}, {3});
  const Results pushed = Push(stack, x);
  ASSERT_TRUE(pushed.ok()) << pushed.status();
  EXPECT_EQ(Difference((*pushed)[0], x), "");
  ASSERT_TRUE(Push(stack, y).ok());
  ASSERT_TRUE(Push(other, Floats({}, {9})).ok());  // of one name, but another stack
  EXPECT_EQ(Difference(Pop(stack).value()[0], y), "");
  EXPECT_EQ(Difference(Pop(stack).value()[0], x), "");
  ExpectInvalid(Pop(stack).status(), "': expected a value, got an empty one");
  EXPECT_EQ(Difference(Pop(other).value()[0], Floats({}, {9})), "");
}

TEST_P(StackOpsTest, Errors) {
  const Tensor stack = New();
  ExpectInvalid(Push(stack, Ints({}, {1})).status(), "expected float32, got int32");
  ASSERT_TRUE(Push(stack, Floats({}, {1})).ok());
  ExpectInvalid(Pop(stack, DType::kInt32).status(), "expected float32, got int32");
  ASSERT_TRUE(step_.Run(Name("StackClose"), {}, {stack}).ok());
  ExpectInvalid(Pop(stack).status(), "expected an open one, got a closed one");
  ExpectInvalid(Push(stack, Floats({}, {1})).status(), "got a closed one");
  ASSERT_TRUE(step_.Run(Name("StackClose"), {}, {stack}).ok());
}

TEST_P(StackOpsTest, HandlesOfOtherThings) {
  const Tensor bad = GetParam() ? Tensor::Scalar(ResourceHandle()) : Strings({1}, {"stacks"});
  ExpectInvalid(Pop(bad).status(), GetParam() ? "empty" : "handle: expected two strings, got string[1]");
  if (GetParam()) {
    ExpectInvalid(Pop(Tensor::Make(DType::kResource, {0}).value()).status(),
                  "handle: expected a scalar, got shape [0]");
    ExpectInvalid(step_.Run("StackV2", {{"elem_type", DType::kFloat32}}, {Ints({1}, {1})}).status(),
                  "max_size: expected a scalar");
  } else {
    EXPECT_EQ(Pop(Strings({2}, {"stacks", "another"})).status().code(), absl::StatusCode::kNotFound);
  }
}

TEST_P(StackOpsTest, AStackOfAnotherStepIsGone) {
  const Tensor stack = New();
  StepRunner other(library_, &resources_);
  if (GetParam()) return;  // its handle would keep it alive
  EXPECT_EQ(other.Run("StackPop", {{"elem_type", DType::kFloat32}}, {stack}).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_P(StackOpsTest, MaxSize) {
  if (!GetParam()) return;  // V2 alone has one
  const Tensor stack = New(DType::kFloat32, 1);
  ASSERT_TRUE(Push(stack, Floats({}, {1})).ok());
  ExpectInvalid(Push(stack, Floats({}, {2})).status(), "expected room for a value, got a full one");
}

TEST_P(StackOpsTest, Shapes) {
  EXPECT_EQ(
      InferShapes(library_, Name("StackPush"), {{"T", DType::kFloat32}}, {PartialShape(), PartialShape::Of({-1, 2})})
          .value()[0],
      PartialShape::Of({-1, 2}));
  EXPECT_EQ(InferShapes(library_, Name("StackPop"), {{"elem_type", DType::kFloat32}}, {PartialShape()}).value()[0],
            PartialShape());
}

}  // namespace
}  // namespace flowlatch
