#include "runtime/profile/run_metadata.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "flowlatch/proto/config.pb.h"

namespace flowlatch {

void StatsToRunMetadata(const StepStats& stats, proto::RunMetadata* metadata) {
  metadata->Clear();
  proto::DeviceStepStats* const device = metadata->mutable_step_stats()->add_dev_stats();
  device->set_device("/job:localhost/replica:0/task:0/device:CPU:0");
  (*device->mutable_thread_names())[0] = "step";
  for (const NodeExecution& execution : stats.timeline) {
    const NodeStats& node = stats.nodes[static_cast<size_t>(execution.node)];
    proto::NodeExecStats* const out = device->add_node_stats();
    out->set_node_name(node.node);
    out->set_timeline_label(absl::StrCat(node.node, " = ", node.op));
    out->set_scheduled_micros(execution.start_ns / 1000);
    out->set_scheduled_nanos(execution.start_ns);
    out->set_all_start_micros(execution.start_ns / 1000);
    out->set_all_start_nanos(execution.start_ns);
    // Times of less than a microsecond count as one, or TensorBoard takes the node for one that did not run.
    const int64_t micros = std::max<int64_t>(1, execution.time_ns / 1000);
    out->set_op_end_rel_micros(micros);
    out->set_op_end_rel_nanos(execution.time_ns);
    out->set_all_end_rel_micros(micros);
    out->set_all_end_rel_nanos(execution.time_ns);
    if (node.output_bytes == 0) continue;
    proto::AllocatorMemoryUsed* const memory = out->add_memory();
    memory->set_allocator_name("cpu");
    memory->set_total_bytes(node.output_bytes / node.executions);
    memory->set_peak_bytes(node.output_bytes / node.executions);
  }
}

}  // namespace flowlatch
