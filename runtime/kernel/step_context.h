// StepContext: what kernels share during one step: resources, cancellation, per-step containers, function calls.
#ifndef FLOWLATCH_RUNTIME_KERNEL_STEP_CONTEXT_H_
#define FLOWLATCH_RUNTIME_KERNEL_STEP_CONTEXT_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "graph/tensor/tensor.h"
#include "runtime/kernel/kernel.h"
#include "runtime/resource/resource_manager.h"
#include "runtime/threads/cancellation.h"
#include "runtime/threads/thread_pool.h"

namespace flowlatch {

class StepLoop;      // runtime/exec/step_loop.h
class StepRecorder;  // runtime/profile/step_recorder.h

// Set by the session for each step, shared by the step's function calls.
struct StepServices {
  ResourceManager* resources = nullptr;       // the session's variables, queues, ...
  ResourceManager* step_resources = nullptr;  // dropped when the step ends: tensor arrays, stacks, temporaries
  ThreadPool* pool = nullptr;                 // null: only the caller's thread
  CancellationManager* cancellation = nullptr;
  Allocator* allocator = nullptr;  // null: the process's pool
  std::function<void(std::string_view)> log;  // where Print and friends write; null: standard error
  bool allow_files = false;        // whether ops may touch the file system
  int64_t step_id = 0;
  int max_call_depth = 1000;
  bool has_deadline = false;
  std::chrono::steady_clock::time_point deadline;
  StepLoop* loop = nullptr;        // where asynchronous kernels report back; null in plans without them
  StepRecorder* recorder = nullptr;  // null: nobody asked for statistics
};

// One per executor run (a step, or a function call within it). Not thread-safe but for Fail and the services.
class StepContext {
 public:
  explicit StepContext(const StepServices& services, int call_depth = 0) : services_(services), call_depth_(call_depth) {}
  virtual ~StepContext() = default;

  const StepServices& services() const { return services_; }
  // How many function calls this run is inside of.
  int call_depth() const { return call_depth_; }
  ResourceManager& resources() const { return *services_.resources; }

  // Keeps the first failure. `node` is the plan's node number. Thread-safe.
  virtual void Fail(uint32_t node, absl::Status status) = 0;
  // "frame;iteration" of the running node, for per-step names (temporaries). Empty outside loops.
  virtual std::string FrameTag() const { return ""; }

 private:
  const StepServices& services_;
  const int call_depth_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_KERNEL_STEP_CONTEXT_H_
