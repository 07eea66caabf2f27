// PlanRunner: runs plans of test graphs as a session would, flat or in frames.
#ifndef FLOWLATCH_TESTS_RUNTIME_EXEC_PLAN_RUNNER_H_
#define FLOWLATCH_TESTS_RUNTIME_EXEC_PLAN_RUNNER_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/base/status_macros.h"
#include "runtime/exec/executable.h"
#include "runtime/exec/function_table.h"
#include "runtime/exec/step_loop.h"
#include "tests/testing/fake_ops.h"
#include "tests/testing/test_graph.h"

namespace flowlatch {

struct StepNames {
  std::vector<std::string> feeds, fetches, targets;
};

// One plan of one graph. Runs may come from several threads.
class PlanRunner {
 public:
  static absl::StatusOr<std::unique_ptr<PlanRunner>> Make(const OpLibrary& library, Graph graph, const StepNames& names,
                                                          bool force_frames = false, bool fuse = true) {
    std::unique_ptr<PlanRunner> runner(new PlanRunner);
    auto shared = std::make_shared<const Graph>(std::move(graph));
    PlanRequest request;
    for (const std::string& name : names.feeds) {
      ASSIGN_OR_RETURN(const Port port, shared->ParsePort(name));
      request.feeds.push_back(port);
    }
    for (const std::string& name : names.fetches) {
      ASSIGN_OR_RETURN(const Port port, shared->ParsePort(name));
      request.fetches.push_back(port);
    }
    for (const std::string& name : names.targets) request.targets.push_back(shared->FindNode(name).value());
    runner->functions_.emplace(shared->shared_library(), library);
    PlanOptions options;
    options.functions = &runner->functions_->resolver();
    options.make_kernel = [&](const NodeInfo& node) { return runner->functions_->MakeKernel(node); };
    options.force_frames = force_frames;
    options.fuse = fuse;
    ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, Plan::Build(shared, request, options));
    runner->executable_.emplace(std::move(plan));
    return runner;
  }

  const Plan& plan() const { return executable_->plan(); }

  struct Options {
    std::chrono::milliseconds timeout{0};
    CancellationManager* cancellation = nullptr;  // null: one of its own
    StepRecorder* recorder = nullptr;
    int max_call_depth = 1000;
  };
  absl::StatusOr<std::vector<Tensor>> Run(const std::vector<Tensor>& feeds, const Options& options) {
    ResourceManager resources, step_resources;
    CancellationManager own;
    StepLoop loop;
    StepServices services;
    services.resources = &resources;
    services.step_resources = &step_resources;
    services.cancellation = options.cancellation != nullptr ? options.cancellation : &own;
    services.max_call_depth = options.max_call_depth;
    services.recorder = options.recorder;
    services.loop = &loop;
    services.has_deadline = options.timeout.count() > 0;
    if (services.has_deadline) services.deadline = std::chrono::steady_clock::now() + options.timeout;
    std::vector<Tensor> results(plan().fetch_names.size());
    absl::Status status;
    bool ended = false;
    std::vector<Tensor> inputs = feeds;
    executable_->Start(services, 0, "", absl::MakeSpan(inputs), absl::MakeSpan(results), [&](absl::Status end) {
      status = std::move(end);
      ended = true;
    });
    while (!ended) {
      const bool may_expire = services.has_deadline && !services.cancellation->cancelled();
      if (!loop.RunSome(may_expire ? &services.deadline : nullptr))
        services.cancellation->Cancel(absl::DeadlineExceededError("too late"));
    }
    if (!status.ok()) return status;
    return results;
  }
  absl::StatusOr<std::vector<Tensor>> Run(const std::vector<Tensor>& feeds = {}) { return Run(feeds, Options()); }

 private:
  PlanRunner() = default;
  std::optional<FunctionTable> functions_;  // before what points into it
  std::optional<Executable> executable_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_RUNTIME_EXEC_PLAN_RUNNER_H_
