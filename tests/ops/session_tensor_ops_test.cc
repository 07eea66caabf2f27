#include "ops/session_tensor_ops.h"

#include "tests/ops/tensors.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

using Results = absl::StatusOr<std::vector<Tensor>>;

class SessionTensorOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterSessionTensorOps(library_).ok()); }
  Results Keep(const Tensor& value, const std::string& op = "GetSessionHandle") {
    return step_.Run(op, {{"T", value.dtype()}}, {value});
  }
  Results Get(const Tensor& handle, DType dtype = DType::kFloat32) {
    return step_.Run("GetSessionTensor", {{"dtype", dtype}}, {handle});
  }
  absl::Status Delete(const Tensor& handle) { return step_.Run("DeleteSessionTensor", {}, {handle}).status(); }

  OpLibrary library_;
  ResourceManager resources_;
  StepRunner step_{library_, &resources_};
};

TEST_F(SessionTensorOpsTest, StayUntilTheyAreDeleted) {
  const Tensor a = Floats({2}, {1, 2}), b = Strings({}, {"text"});
  const Tensor ha = Keep(a).value()[0], hb = Keep(b).value()[0];
  EXPECT_EQ(ha.scalar<String>().view(), "node;0;/job:localhost/replica:0/task:0/device:CPU:0");
  StepRunner later(library_, &resources_);
  EXPECT_EQ(Difference(later.Run("GetSessionTensor", {{"dtype", DType::kFloat32}}, {ha}).value()[0], a), "");
  EXPECT_EQ(Difference(Get(hb, DType::kString).value()[0], b), "");
  ASSERT_TRUE(Delete(ha).ok());
  ExpectInvalid(Get(ha).status(), "handle: expected one of a tensor of this session, got 'node;0;");
  ExpectInvalid(Delete(ha), "handle: expected one of a tensor");
  EXPECT_TRUE(Get(hb, DType::kString).ok());
}

TEST_F(SessionTensorOpsTest, HandlesThatAreResourcesHaveTheName) {
  const Tensor a = Floats({}, {1});
  const Tensor handle = Keep(a, "GetSessionHandleV2").value()[0];
  const std::string name = handle.scalar<ResourceHandle>()->name;
  EXPECT_EQ(Difference(Get(Tensor::Scalar(std::string_view(name))).value()[0], a), "");
}

TEST_F(SessionTensorOpsTest, Errors) {
  const Tensor handle = Keep(Ints({}, {1})).value()[0];
  ExpectInvalid(Get(handle).status(), "expected float32, got int32");
  ExpectInvalid(Get(Strings({1}, {"a"})).status(), "handle: expected a scalar, got shape [1]");
  ExpectInvalid(Get(Strings({0}, {})).status(), "handle: expected a scalar");
  ExpectInvalid(Delete(Strings({0}, {})), "handle: expected a scalar");
  ExpectInvalid(Get(Strings({}, {"a"})).status(), "got 'a'");
}

TEST_F(SessionTensorOpsTest, Shapes) {
  EXPECT_EQ(InferShapes(library_, "GetSessionHandle", {{"T", DType::kFloat32}}, {PartialShape()}).value()[0],
            PartialShape(Shape()));
  EXPECT_EQ(InferShapes(library_, "GetSessionTensor", {{"dtype", DType::kFloat32}}, {PartialShape()}).value()[0],
            PartialShape());
  ExpectInvalid(InferShapes(library_, "DeleteSessionTensor", {}, {PartialShape::Of({1})}).status(), "rank");
}

}  // namespace
}  // namespace flowlatch
