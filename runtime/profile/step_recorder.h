// StepRecorder: counts and times the nodes of one step while it runs, and shows their outputs to an observer.
#ifndef FLOWLATCH_RUNTIME_PROFILE_STEP_RECORDER_H_
#define FLOWLATCH_RUNTIME_PROFILE_STEP_RECORDER_H_

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "graph/tensor/tensor.h"
#include "runtime/profile/step_stats.h"

namespace flowlatch {

// Used by the thread that runs the step; nobody pays for it when no step asks for one.
class StepRecorder {
 public:
  using Observer = std::function<void(std::string_view node, absl::Span<const Tensor> outputs)>;
  explicit StepRecorder(Observer observer) : observer_(std::move(observer)) {}

  // Counters of one plan, called from one place.
  struct PlanRecord {
    std::vector<NodeStats> nodes;    // by instruction
    std::vector<FrameStats> frames;  // by frame
  };
  // The record of a plan under a prefix ("" or "call/"), filled by `describe` when it is new.
  PlanRecord& RecordOf(const void* plan, const std::string& prefix, const std::function<void(PlanRecord&)>& describe) {
    const auto [at, inserted] = records_.try_emplace({plan, prefix});
    if (inserted) {
      describe(at->second);
      order_.push_back(&at->second);
    }
    return at->second;
  }
  void Executed(NodeStats& node, int64_t time_ns, absl::Span<const Tensor> outputs) {
    ++node.executions;
    node.time_ns += time_ns;
    for (const Tensor& output : outputs) {
      if (output.has_value()) node.output_bytes += output.size_bytes();
    }
    if (!outputs.empty() && node.dtype == DType::kInvalid) node.dtype = outputs[0].dtype();
    if (timeline_.size() < kMaxTimeline) timeline_.push_back({&node, NowNs() - time_ns - start_ns_, time_ns});
    if (observer_) observer_(node.node, outputs);
  }
  // Everything that ran, or was dead, in the order in which plans were entered.
  StepStats Finish(int64_t wall_ns) const {
    StepStats stats;
    stats.wall_ns = wall_ns;
    std::map<const NodeStats*, int64_t> places;
    for (const PlanRecord* record : order_) {
      for (const NodeStats& node : record->nodes) {
        if (node.executions + node.dead == 0 || node.op.empty()) continue;
        places[&node] = static_cast<int64_t>(stats.nodes.size());
        stats.nodes.push_back(node);
      }
      for (const FrameStats& frame : record->frames) {
        if (frame.instances > 0) stats.frames.push_back(frame);
      }
    }
    for (const Execution& execution : timeline_) {
      const auto place = places.find(execution.node);
      if (place != places.end()) stats.timeline.push_back({place->second, execution.start_ns, execution.time_ns});
    }
    return stats;
  }
  static int64_t NowNs() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

 private:
  static constexpr size_t kMaxTimeline = 1'000'000;
  struct Execution {
    const NodeStats* node;
    int64_t start_ns, time_ns;
  };

  Observer observer_;
  const int64_t start_ns_ = NowNs();
  std::vector<Execution> timeline_;
  std::map<std::pair<const void*, std::string>, PlanRecord> records_;
  std::vector<const PlanRecord*> order_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_PROFILE_STEP_RECORDER_H_
