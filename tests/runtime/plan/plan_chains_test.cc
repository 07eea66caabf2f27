// How chains lie in a plan; tests/runtime/exec/chain_run_test.cc runs them.
#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "graph/schema/shape_context.h"
#include "runtime/plan/chain.h"
#include "tests/runtime/plan/plan_builder_fixture.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

absl::Status Nothing(KernelCall&) { return absl::OkStatus(); }

class PlanChainsTest : public PlanBuilderTest {
 protected:
  PlanChainsTest() {
    for (const char* signature :
         {"MaxPoolGrad(orig_input: T, orig_output: T, grad: T) -> (output: T); T: type; data_format: string = \"NHWC\"",
          "ReluGrad(gradients: T, features: T) -> (backprops: T); T: type",
          "BiasAddGrad(out_backprop: T) -> (output: T); T: type; data_format: string = \"NHWC\"",
          "FusedBatchNormV3(x: T, scale: T) -> (y: T, mean: T, variance: T); T: type; epsilon: float = 0.5",
          "Relu(features: T) -> (activations: T); T: type; slope: float = 0.25"}) {
      EXPECT_TRUE(ops_.library()
                      .Add({.signature = signature,
                            .doc = "fake",
                            .shape = shapes::Unknown,
                            .kernel =
                                [this](const NodeInfo& node) {
                                  if (IsChain(node)) attrs_ = node.attrs();
                                  return Kernel{.fn = &RunKernel<Nothing>};
                                }})
                      .ok());
    }
  }
  AttrMap attrs_;  // of the last chain whose kernel was made
};

TEST_F(PlanChainsTest, LaterNodesMoveUpAndTheSlotsAreThoseOfTheNodes) {
  g_.Const("x", 1)
      .Const("dy", 1)
      .Add("pool", "MaxPoolGrad", {"x", "x", "dy"})
      .Add("relu", "ReluGrad", {"pool", "x"})
      .Add("weights", "FakeIdentity", {"relu"})
      .Add("bias", "BiasAddGrad", {"relu"});
  const auto plan = Build({}, {"weights", "bias"}).value();
  EXPECT_THAT(Names(*plan), ElementsAre("x", "dy", "pool", "relu", "bias", "weights"));
  ASSERT_THAT(plan->fused_groups, SizeIs(1));
  const FusedGroup& chain = plan->fused_groups[0];
  const auto slot_of = [&](int i) { return plan->instructions[i].first_output; };
  EXPECT_EQ(plan->instructions[2].fused, 1u);
  EXPECT_EQ(chain.num_instructions, 3u);
  EXPECT_THAT(chain.external_slots, ElementsAre(slot_of(0), slot_of(0), slot_of(1), slot_of(0)));
  EXPECT_THAT(chain.output_slots, ElementsAre(slot_of(3), slot_of(4)));
  EXPECT_EQ(chain.forwardable, 0b0100u);  // x is read three times
  std::vector<uint32_t> release = chain.release, want{slot_of(0), slot_of(1), slot_of(2)};
  std::sort(release.begin(), release.end());
  std::sort(want.begin(), want.end());
  EXPECT_EQ(release, want);
}

TEST_F(PlanChainsTest, AKernelHasTheAttributesOfAllAndOutputsThatOthersRead) {
  g_.Const("x", 1)
      .Add("norm", "FusedBatchNormV3", {"x", "x"})
      .Add("average", "FakeIdentity", {"norm:1"})
      .Add("relu", "Relu", {"norm"});
  const auto plan = Build({}, {"average", "relu"}).value();
  EXPECT_THAT(Names(*plan), ElementsAre("x", "norm", "relu", "average"));
  ASSERT_THAT(plan->fused_groups, SizeIs(1));
  EXPECT_THAT(plan->fused_groups[0].output_slots, SizeIs(3));  // without norm:0
  ASSERT_NE(attrs_.Find("slope"), nullptr);
  EXPECT_EQ(*attrs_.Find("slope"), Attr(0.25f));
  EXPECT_EQ(*attrs_.Find("T"), Attr(DType::kInt32));
  EXPECT_THAT(Build({}, {"norm", "relu"}).value()->fused_groups, IsEmpty());
}

TEST_F(PlanChainsTest, FramesHaveNone) {
  g_.Const("x", 1).Add("norm", "FusedBatchNormV3", {"x", "x"}).Add("relu", "Relu", {"norm"});
  EXPECT_THAT(Build({}, {"relu"}, {}, /*force_frames=*/true).value()->fused_groups, IsEmpty());
}

}  // namespace
}  // namespace flowlatch
