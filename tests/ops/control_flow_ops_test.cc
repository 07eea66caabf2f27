// Shapes, and the kernels that there are; what the ops mean is tested with the frame executor.
#include "ops/control_flow_ops.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/op_tester.h"

namespace flowlatch {
namespace {

using ::testing::HasSubstr;

const AttrMap kInt{{"T", DType::kInt32}};

class ControlFlowOpsTest : public testing::Test {
 protected:
  ControlFlowOpsTest() { EXPECT_TRUE(RegisterControlFlowOps(library_).ok()); }
  std::string Shapes(const std::string& op, const AttrMap& attrs, const std::vector<PartialShape>& inputs) {
    const auto shapes = InferShapes(library_, op, attrs, inputs);
    if (!shapes.ok()) return std::string(shapes.status().message());
    std::string text;
    for (const PartialShape& shape : *shapes) text += shape.ToString() + " ";
    return text;
  }
  void ExpectInvalid(const absl::Status& status, const std::string& text) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  }
  OpLibrary library_;
};

TEST_F(ControlFlowOpsTest, Shapes) {
  const PartialShape some = PartialShape::Of({2, -1}), scalar = PartialShape::Of({}), unknown;
  EXPECT_EQ(Shapes("Switch", kInt, {some, scalar}), "[2,?] [2,?] ");
  EXPECT_THAT(Shapes("Switch", kInt, {some, PartialShape::Of({1})}),
              HasSubstr("input 1 of Switch: expected rank 0, got shape [1]"));
  EXPECT_EQ(Shapes("Merge", kInt.With("N", 2), {PartialShape::Of({2, 3}), PartialShape::Of({2, 4})}),
            "[2,?] [] ");  // 5.8
  EXPECT_EQ(Shapes("Merge", kInt.With("N", 2), {some, scalar}), "? [] ");
  for (const char* op : {"Exit", "NextIteration"}) EXPECT_EQ(Shapes(op, kInt, {some}), "[2,?] ") << op;
  EXPECT_EQ(Shapes("Enter", kInt.With("frame_name", "f"), {unknown}), "? ");
  EXPECT_EQ(Shapes("LoopCond", {}, {unknown}), "[] ");
  EXPECT_EQ(Shapes("ControlTrigger", {}, {}), "");
  EXPECT_EQ(Shapes("RefSelect", kInt.With("N", 2), {scalar, some, PartialShape::Of({2, 3})}), "[2,?] ");
}

TEST_F(ControlFlowOpsTest, TheExecutorIsTheKernel) {
  for (const char* op : {"Exit", "NextIteration"}) {
    EXPECT_EQ(OpTester(library_, op, kInt).Run({Tensor::Scalar(1)}).status().code(), absl::StatusCode::kUnimplemented)
        << op;
  }
}

TEST_F(ControlFlowOpsTest, LoopCond) {
  OpTester tester(library_, "LoopCond", {});
  EXPECT_EQ(Difference(tester.Run({Tensor::Scalar(true)}).value()[0], Tensor::Scalar(true)), "");
  ExpectInvalid(OpTester(library_, "LoopCond", {}).Run({Tensor::Vector({true})}).status(),
                "loop condition: expected a scalar, got shape [1]");
}

TEST_F(ControlFlowOpsTest, RefSelect) {
  OpTester tester(library_, "RefSelect", kInt.With("N", 2));
  for (const int index : {0, 1}) {
    EXPECT_EQ(Difference(tester.Run({Tensor::Scalar(index), Tensor::Scalar(10), Tensor::Scalar(11)}).value()[0],
                         Tensor::Scalar(10 + index)),
              "");
  }
  for (const int index : {-1, 2}) {
    ExpectInvalid(tester.Run({Tensor::Scalar(index), Tensor::Scalar(10), Tensor::Scalar(11)}).status(),
                  "index: expected a value in [0, 2), got");
  }
  ExpectInvalid(tester.Run({Tensor::Vector({1}), Tensor::Scalar(10), Tensor::Scalar(11)}).status(),
                "index: expected a scalar, got shape [1]");
}

}  // namespace
}  // namespace flowlatch
