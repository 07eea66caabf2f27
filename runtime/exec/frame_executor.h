// The executor of framed plans: frames, iterations and dead values as in semantics.md, section 1.
#ifndef FLOWLATCH_RUNTIME_EXEC_FRAME_EXECUTOR_H_
#define FLOWLATCH_RUNTIME_EXEC_FRAME_EXECUTOR_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/kernel/step_context.h"
#include "runtime/plan/plan.h"

namespace flowlatch {

class FrameMemory;  // iterations and frames of finished runs, kept for the next one

struct FrameMemoryDeleter {
  void operator()(FrameMemory* memory) const;
};
std::unique_ptr<FrameMemory, FrameMemoryDeleter> MakeFrameMemory(const Plan& plan);

// Starts a run of `plan`. `feeds` are taken over when their nodes run; `results` gets the fetches; both must stay until
// `done`. Nodes run in the calling thread until only kernels that wait are left; they report to services.loop, whose thread
// then goes on. Without such kernels `done` was called when this returns. At most one run may use `memory` at a time.
void StartFrames(const Plan& plan, const StepServices& services, int call_depth, const std::string& prefix, FrameMemory& memory,
                 absl::Span<Tensor> feeds, absl::Span<Tensor> results, Done done);

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_EXEC_FRAME_EXECUTOR_H_
