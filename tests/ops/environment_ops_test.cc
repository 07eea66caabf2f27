#include "ops/environment_ops.h"

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class EnvironmentOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterEnvironmentOps(library_).ok()); }
  OpTester Device(std::vector<std::string> names) { return OpTester(library_, "DeviceIndex", {{"device_names", names}}); }
  OpTester Label(const std::string& label) { return OpTester(library_, "KernelLabel", {{"_kernel", label}}); }

  OpLibrary library_;
};

TEST_F(EnvironmentOpsTest, DeviceIndex) {
  OpTester second = Device({"GPU", "CPU"}), none = Device({"TPU"}), nothing = Device({});
  ExpectOutput(second, {}, Ints({}, {1}));
  ExpectOutput(none, {}, Ints({}, {1}));
  ExpectOutput(nothing, {}, Ints({}, {0}));
}

TEST_F(EnvironmentOpsTest, KernelLabel) {
  OpTester plain(library_, "KernelLabel", {}), unlabelled = Label(""), other = Label("overload_2"), unknown = Label("x");
  ExpectOutput(plain, {}, Tensor::Scalar("My label is: default"));
  ExpectOutput(unlabelled, {}, Tensor::Scalar("My label is: default"));
  ExpectOutput(other, {}, Tensor::Scalar("My label is: overload_2"));
  ExpectInvalid(unknown, {}, "expected a known one, got 'x'");
}

TEST_F(EnvironmentOpsTest, Shapes) {
  EXPECT_EQ((*InferShapes(library_, "KernelLabel", {}, {}))[0], PartialShape(Shape()));
  EXPECT_EQ((*InferShapes(library_, "DeviceIndex", {{"device_names", std::vector<std::string>{}}}, {}))[0],
            PartialShape(Shape()));
}

}  // namespace
}  // namespace flowlatch
