// Chains of nodes that one kernel computes give what the nodes give one by one.
#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/schema/shape_context.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/plan/chain.h"
#include "tests/runtime/exec/plan_runner.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::atomic<int> chains_run{0};
std::vector<std::vector<int64_t>> held_inputs;  // of the chains whose kernels were made

constexpr int32_t kRefusedByChain = 7, kRefusedByAll = 13;

absl::Status Product(KernelCall& c) {
  c.output(0).SetScalar(c.input(0).scalar<int32_t>() * c.input(1).scalar<int32_t>());
  return absl::OkStatus();
}
absl::Status Sum(KernelCall& c) {
  const int32_t bias = c.input(1).scalar<int32_t>();
  if (bias == kRefusedByAll) return absl::InvalidArgumentError("bias: expected another number, got 13");
  c.output(0).SetScalar(c.input(0).scalar<int32_t>() + bias);
  return absl::OkStatus();
}
absl::Status NotBelowZero(KernelCall& c) {
  c.output(0).SetScalar(std::max(c.input(0).scalar<int32_t>(), 0));
  return absl::OkStatus();
}

template <bool kRelu>
absl::Status Chain(KernelCall& c) {
  const int32_t bias = c.input(2).scalar<int32_t>();
  if (bias == kRefusedByChain || bias == kRefusedByAll) return absl::UnimplementedError("refused");
  ++chains_run;
  const int32_t y = c.input(0).scalar<int32_t>() * c.input(1).scalar<int32_t>() + bias;
  c.output(0).SetScalar(kRelu ? std::max(y, 0) : y);
  return absl::OkStatus();
}

absl::StatusOr<Kernel> ProductKernel(const NodeInfo& node) {
  if (!IsChain(node)) return PlainKernel<Product>(node);
  EXPECT_EQ(node.num_inputs(), 3);
  EXPECT_EQ(node.num_outputs(), 1);
  held_inputs.push_back(*node.attrs().Find(kHeldAttr)->Get<std::vector<int64_t>>());
  if (IsChainOf(node, {"Conv2D", "BiasAdd", "Relu"})) return PlainKernel<Chain<true>>(node);
  if (IsChainOf(node, {"Conv2D", "BiasAdd"})) return PlainKernel<Chain<false>>(node);
  return absl::UnimplementedError("no kernel");
}

class ChainRunTest : public testing::Test {
 protected:
  ChainRunTest() : g_(ops_.library().registry()) {
    Add("Conv2D(input: int32, filter: int32) -> (output: int32); data_format: string = \"NHWC\"", ProductKernel);
    Add("BiasAdd(value: int32, bias: int32) -> (output: int32); data_format: string = \"NHWC\"", PlainKernel<Sum>);
    Add("Relu(features: int32) -> (activations: int32)", PlainKernel<NotBelowZero>);
    Add("Const() -> (output: int32)", [](const NodeInfo&) { return Kernel{.fn = &RunKernel<Two>}; });
    chains_run = 0;
    held_inputs.clear();
  }
  static absl::Status Two(KernelCall& c) {
    c.output(0).SetScalar<int32_t>(2);
    return absl::OkStatus();
  }
  void Add(std::string_view signature, KernelFactory kernel) {
    ASSERT_TRUE(ops_.library()
                    .Add({.signature = signature, .doc = "fake", .shape = shapes::Unknown, .kernel = std::move(kernel)})
                    .ok());
  }
  // x * 2 + 3, not below 0.
  TestGraph& Layer() {
    return g_.Const<int32_t>("x", 5)
        .Add("filter", "Const")
        .Add("conv", "Conv2D", {"x", "filter"})
        .Const<int32_t>("b", 3)
        .Add("bias", "BiasAdd", {"conv", "b"})
        .Add("relu", "Relu", {"bias"});
  }
  std::vector<int32_t> Run(const StepNames& names, const std::vector<Tensor>& feeds = {}, bool fuse = true) {
    const auto runner = PlanRunner::Make(ops_.library(), g_.Build().value(), names, /*force_frames=*/false, fuse);
    EXPECT_TRUE(runner.ok()) << runner.status();
    const auto out = (*runner)->Run(feeds);
    EXPECT_TRUE(out.ok()) << out.status();
    std::vector<int32_t> values;
    for (const Tensor& t : *out) values.push_back(t.scalar<int32_t>());
    return values;
  }

  FakeOps ops_;
  TestGraph g_;
};

TEST_F(ChainRunTest, FormsWhereNobodyElseReadsWhatIsInside) {
  Layer();
  const struct {
    std::vector<std::string> feeds, fetches;
    std::vector<int32_t> values;
    int chains;
  } kCases[] = {
      {{}, {"relu"}, {13}, 1},
      {{}, {"bias"}, {13}, 1},               // the shorter one
      {{}, {"relu", "bias"}, {13, 13}, 1},   // also
      {{}, {"relu", "conv"}, {13, 10}, 0},
      {{"conv"}, {"relu"}, {7}, 0},
      {{"bias"}, {"relu", "conv"}, {4, 10}, 0},
      {{"filter"}, {"relu"}, {23}, 1},
  };
  for (const auto& c : kCases) {
    chains_run = 0;
    const std::vector<Tensor> feeds(c.feeds.size(), Tensor::Scalar<int32_t>(4));
    const StepNames names{c.feeds, c.fetches, {}};
    EXPECT_EQ(Run(names, feeds), c.values) << absl::StrJoin(c.fetches, " ");
    EXPECT_EQ(chains_run, c.chains) << absl::StrJoin(c.fetches, " ");
    EXPECT_EQ(Run(names, feeds, /*fuse=*/false), c.values);
    EXPECT_EQ(chains_run, c.chains);
  }
}

TEST_F(ChainRunTest, KnowsWhatStaysWhileHeld) {
  Layer();
  Run({{}, {"relu"}, {}});
  Run({{"filter"}, {"relu"}, {}}, {Tensor::Scalar<int32_t>(4)});
  EXPECT_THAT(held_inputs, ElementsAre(ElementsAre(1), ElementsAre()));
}

TEST_F(ChainRunTest, NodesThatAreReadTwiceOrDisagreeStayApart) {
  const AttrMap first{{"data_format", std::string("NCHW")}};
  g_.Const<int32_t>("x", 5)
      .Add("conv", "Conv2D", {"x", "x"})
      .Add("twice", "BiasAdd", {"conv", "conv"})
      .Add("other", "Conv2D", {"x", "x"}, first)
      .Add("bias", "BiasAdd", {"other", "x"});
  EXPECT_THAT(Run({{}, {"twice", "bias"}, {}}), ElementsAre(50, 30));
  EXPECT_EQ(chains_run, 0);
}

TEST_F(ChainRunTest, WhatIsInBetweenStaysInOrder) {
  // An effect between the nodes is no hindrance, unless it waits for one of them, if only by a node that is left out.
  for (const bool waits : {false, true}) {
    TestGraph g(ops_.library().registry());
    g.Const<int32_t>("x", 5)
        .Add("conv", "Conv2D", {"x", "x"})
        .Add("group", "FakeNoOp", {waits ? "^conv" : "^x"})
        .Add("effect", "FakeCount", {"x", "^group"}, {{"key", absl::StrCat("effect", waits)}})
        .Add("bias", "BiasAdd", {"conv", "effect"});
    const auto runner = PlanRunner::Make(ops_.library(), g.Build().value(), {{}, {"bias"}, {}});
    ASSERT_TRUE(runner.ok()) << runner.status();
    chains_run = 0;
    ASSERT_EQ((*runner)->Run({}).value()[0].scalar<int32_t>(), 30);
    EXPECT_EQ(chains_run, waits ? 0 : 1);
    EXPECT_EQ(ops_.count(absl::StrCat("effect", waits)), 1);
  }
}

TEST_F(ChainRunTest, NodesRunOneByOneWhenTheirKernelFails) {
  Layer();
  const auto runner = PlanRunner::Make(ops_.library(), g_.Build().value(), {{"b"}, {"relu"}, {}});
  ASSERT_TRUE(runner.ok()) << runner.status();
  const auto out = (*runner)->Run({Tensor::Scalar<int32_t>(kRefusedByChain)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<int32_t>(), 17);
  const absl::Status refused = (*runner)->Run({Tensor::Scalar<int32_t>(kRefusedByAll)}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.message(), HasSubstr("node 'bias' (BiasAdd): bias: expected another number"));
  EXPECT_EQ(chains_run, 0);
}

TEST_F(ChainRunTest, AttributesOfAGraphDoNotAskForChains) {
  g_.Const<int32_t>("x", 5).Add("conv", "Conv2D", {"x", "x"},
                                {{kChainAttr, std::vector<std::string>{"Conv2D", "BiasAdd"}}});
  EXPECT_THAT(Run({{}, {"conv"}, {}}), ElementsAre(25));
  EXPECT_TRUE(held_inputs.empty());
}

}  // namespace
}  // namespace flowlatch
