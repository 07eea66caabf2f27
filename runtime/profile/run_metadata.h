// Step statistics as TensorFlow's RunMetadata, which TensorBoard and other profilers read.
#ifndef FLOWLATCH_RUNTIME_PROFILE_RUN_METADATA_H_
#define FLOWLATCH_RUNTIME_PROFILE_RUN_METADATA_H_

#include "runtime/profile/step_stats.h"

namespace flowlatch {

namespace proto {
class RunMetadata;  // flowlatch/proto/config.pb.h
}  // namespace proto

// One device, on which each execution of the timeline is a NodeExecStats: times in the step, and the memory of its outputs as
// the node's mean. `metadata` is overwritten.
void StatsToRunMetadata(const StepStats& stats, proto::RunMetadata* metadata);

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_PROFILE_RUN_METADATA_H_
