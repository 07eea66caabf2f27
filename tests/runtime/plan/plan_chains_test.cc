// How chains lie in a plan; tests/runtime/exec/chain_run_test.cc runs them.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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
          "Relu(features: T) -> (activations: T); T: type; slope: float = 0.25",
          "VariableV2() -> (ref: Ref(T)); T: type; stateful", "Identity(input: T) -> (output: T); T: type",
          "AssignAdd(ref: Ref(T), value: T) -> (output_ref: Ref(T)); T: type; use_locking: bool = false",
          "AssignSub(ref: Ref(T), value: T) -> (output_ref: Ref(T)); T: type; use_locking: bool = false"}) {
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

TEST_F(PlanChainsTest, SiblingsAreLaidOutWithTheirValues) {
  g_.Add("v", "VariableV2")
      .Const("a", 1)
      .Add("add", "AssignAdd", {"v", "a"})
      .Add("w", "VariableV2")
      .Add("b", "Identity", {"w"})
      .Add("sub", "AssignSub", {"v", "b"})
      .Add("again", "AssignAdd", {"v", "a", "^w"});
  const auto plan = Build({}, {}, {"add", "sub", "again"}).value();
  EXPECT_THAT(Names(*plan), ElementsAre("v", "a", "w", "b", "add", "sub", "again"));
  ASSERT_THAT(plan->fused_groups, SizeIs(1));
  const FusedGroup& siblings = plan->fused_groups[0];
  const auto slot_of = [&](int i) { return plan->instructions[i].first_output; };
  EXPECT_EQ(plan->instructions[4].fused, 1u);
  EXPECT_EQ(siblings.num_instructions, 3u);
  EXPECT_THAT(siblings.external_slots, ElementsAre(slot_of(0), slot_of(1), slot_of(3), slot_of(1)));
  EXPECT_THAT(siblings.output_slots, IsEmpty());
  EXPECT_EQ(*attrs_.Find(kChainAttr), Attr(std::vector<std::string>{"AssignAdd", "AssignSub", "AssignAdd"}));
}

TEST_F(PlanChainsTest, SiblingsAreNodesWithoutReadersOrOrder) {
  const AttrMap locked{{"use_locking", true}};
  const auto complex = AttrMap{{"T", DType::kComplex64}};
  g_.Add("v", "VariableV2")
      .Const("a", 1)
      .Add("add", "AssignAdd", {"v", "a"})
      .Add("other", "AssignAdd", {"v", "a"})
      .Add("sub", "AssignSub", {"v", "a"})
      .Add("locked", "AssignAdd", {"v", "a"}, locked)
      .Add("locked_too", "AssignSub", {"v", "a"}, locked)
      .Add("other_variable", "AssignAdd", {"w", "a"})
      .Add("w", "VariableV2")
      .Add("of_reference", "AssignAdd", {"v", "w"})
      .Add("read", "FakeIdentity", {"other"})
      .Add("updated", "AssignAdd", {"other", "a"})
      .Add("after", "AssignAdd", {"v", "a", "^add"})
      .Add("none", "FakeNoOp", {"^add"})
      .Add("after_none", "AssignAdd", {"v", "a", "^none"})
      .Add("waiting", "Identity", {"a", "^add"})
      .Add("after_waiting", "AssignAdd", {"v", "waiting"})
      .Add("computed", "FakeAdd", {"a", "a"})
      .Add("of_computed", "AssignAdd", {"v", "computed"})
      .Add("x", "VariableV2", {}, complex)
      .Add("value", "Identity", {"x"}, complex)
      .Add("x_add", "AssignAdd", {"x", "value"}, complex)
      .Add("value_too", "Identity", {"x"}, complex)
      .Add("x_add_too", "AssignAdd", {"x", "value_too"}, complex);
  const struct {
    std::vector<std::string> fetches, targets;
    size_t groups;
    uint32_t members = 0;  // of the first group
  } kCases[] = {
      {{}, {"add"}, 0},
      {{}, {"add", "other"}, 1, 2},
      {{}, {"add", "other", "sub"}, 1, 3},
      {{}, {"add", "locked"}, 0},
      {{}, {"add", "other", "locked", "locked_too"}, 2, 2},
      {{}, {"add", "other_variable"}, 0},
      {{}, {"add", "of_reference"}, 0},
      {{"other"}, {"add", "sub"}, 1, 2},  // what is fetched comes first
      {{"read"}, {"add", "sub"}, 1, 2},
      {{}, {"add", "read"}, 0},
      {{}, {"add", "updated"}, 0},
      {{}, {"add", "after"}, 0},
      {{}, {"add", "after", "sub"}, 1, 2},
      {{}, {"add", "after_none"}, 0},
      {{}, {"add", "after_waiting"}, 0},
      {{}, {"add", "of_computed"}, 0},  // what is computed in between may read the variable
      {{}, {"computed", "add", "of_computed"}, 1, 2},
      {{}, {"x_add", "x_add_too"}, 0},  // the second value is another than the first
      {{}, {"value_too", "x_add", "x_add_too"}, 1, 2},
  };
  for (const bool drop_unread : {false, true}) {
    drop_unread_ = drop_unread;
    for (const auto& c : kCases) {
      SCOPED_TRACE(absl::StrCat(absl::StrJoin(c.fetches, " "), ", ", absl::StrJoin(c.targets, " ")));
      const auto plan = Build({}, c.fetches, c.targets).value();
      ASSERT_THAT(plan->fused_groups, SizeIs(c.groups));
      if (c.groups > 0) {
        EXPECT_EQ(plan->fused_groups[0].num_instructions, c.members);
      }
    }
  }
  EXPECT_THAT(Build({}, {}, {"add", "other"}, /*force_frames=*/true).value()->fused_groups, IsEmpty());
}

}  // namespace
}  // namespace flowlatch
