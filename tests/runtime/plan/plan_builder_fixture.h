// What tests of plans share.
#ifndef FLOWLATCH_TESTS_RUNTIME_PLAN_PLAN_BUILDER_FIXTURE_H_
#define FLOWLATCH_TESTS_RUNTIME_PLAN_PLAN_BUILDER_FIXTURE_H_

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/plan/plan.h"
#include "tests/testing/fake_ops.h"
#include "tests/testing/test_graph.h"

namespace flowlatch {

class PlanBuilderTest : public testing::Test {
 protected:
  PlanBuilderTest() : g_(ops_.library().registry()) {}

  absl::StatusOr<std::shared_ptr<const Plan>> Build(const std::vector<std::string>& feeds,
                                                    const std::vector<std::string>& fetches,
                                                    const std::vector<std::string>& targets = {},
                                                    bool force_frames = false) {
    const auto graph = std::make_shared<const Graph>(g_.Build().value());
    PlanRequest request;
    for (const std::string& name : feeds) request.feeds.push_back(graph->ParsePort(name).value());
    for (const std::string& name : fetches) request.fetches.push_back(graph->ParsePort(name).value());
    for (const std::string& name : targets) request.targets.push_back(graph->FindNode(name).value());
    PlanOptions options;
    options.make_kernel = [this](const NodeInfo& node) {
      made_.emplace_back(node.name());
      return ops_.library().MakeKernel(node);
    };
    options.force_frames = force_frames;
    options.drop_unread = drop_unread_;
    return Plan::Build(graph, request, options);
  }
  std::vector<std::string> Names(const Plan& plan) {
    std::vector<std::string> names;
    for (const Instruction& instruction : plan.instructions) {
      if (instruction.node >= 0) names.emplace_back(plan.graph().node(instruction.node).name);
    }
    return names;
  }

  FakeOps ops_;
  TestGraph g_;
  bool drop_unread_ = false;
  std::vector<std::string> made_;  // nodes whose kernels were asked for
};

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_RUNTIME_PLAN_PLAN_BUILDER_FIXTURE_H_
