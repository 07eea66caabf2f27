// Session: the embedding API. Load a graph, run it from any number of threads.
//
//   ASSIGN_OR_RETURN(Graph graph, LoadGraph("model.pb", DefaultOps().registry()));       // graph/io/model.h
//   ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::Create(std::move(graph), DefaultOps(), {}));
//   ASSIGN_OR_RETURN(std::vector<Tensor> out, session->Run({{"x", x}}, {"y"}, {}));
//
//   ASSIGN_OR_RETURN(Callable f, session->Prepare({"x"}, {"y"}, {}));   // names are looked up once
//   std::vector<Tensor> out;
//   RETURN_IF_ERROR(f.Run({x}, &out));
#ifndef FLOWLATCH_RUNTIME_SESSION_SESSION_H_
#define FLOWLATCH_RUNTIME_SESSION_SESSION_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/ir/graph.h"
#include "graph/passes/expand_functions.h"
#include "graph/tensor/tensor.h"
#include "runtime/kernel/op_library.h"
#include "runtime/profile/step_stats.h"
#include "runtime/resource/resource_manager.h"
#include "runtime/threads/thread_pool.h"

namespace flowlatch {

class PreparedStep;  // runtime/session/session.cc

struct SessionOptions {
  // Threads that may compute at once, the caller included; 1 creates no thread. 0: one for each processor. Kernels split their
  // work by its shape alone, so the results do not depend on this.
  int threads = 0;
  std::shared_ptr<ThreadPool> pool;                // shared with other sessions; `threads` is ignored then
  std::shared_ptr<ResourceManager> resources;      // shared with other sessions; null: own
  Allocator* allocator = nullptr;                  // must outlive the session and its tensors; null: the process's pool
  std::chrono::milliseconds timeout{0};            // of each step; 0: none
  bool allow_files = false;                        // whether ops may read and write files
  bool optimize = true;                            // false: each node of the pruned graph is one dispatched instruction
  FunctionalForm functional = FunctionalForm::kAsMarked;  // how If, Case, While and calls of functions run
  int max_call_depth = 1000;                       // of functions that call functions
  std::function<void(std::string_view)> log;       // what Print and friends write; null: standard error
};

struct RunOptions {
  std::chrono::milliseconds timeout{0};  // 0: the session's
  bool trace = false;                    // fill RunMetadata::stats
  // Called for each executed node, from the thread that ran it; for debugging, slow.
  std::function<void(std::string_view node, absl::Span<const Tensor> outputs)> observer;
};

struct RunMetadata {
  StepStats stats;
};

using Feeds = std::vector<std::pair<std::string, Tensor>>;

// A prepared step: (feeds, fetches, targets) resolved to a plan. Copyable, cheap; must not outlive its session.
class Callable {
 public:
  // `inputs` in the order of the feeds; `outputs` gets the fetches in order. Thread-safe.
  // Errors: InvalidArgument for a wrong count or dtype of inputs, Cancelled after Close, and what the nodes say.
  absl::Status Run(absl::Span<const Tensor> inputs, std::vector<Tensor>* outputs) const;
  absl::Status Run(absl::Span<const Tensor> inputs, std::vector<Tensor>* outputs, const RunOptions& options,
                   RunMetadata* metadata) const;
  // Nodes that a run executes when no control flow skips or repeats them.
  int num_nodes() const;

 private:
  friend class Session;
  class Session* session_ = nullptr;
  std::shared_ptr<PreparedStep> step_;
};

// Thread-safe. Destroying a session closes it and waits for its steps.
class Session {
 public:
  // `library` must outlive the session. The graph was verified when it was read.
  static absl::StatusOr<std::unique_ptr<Session>> Create(Graph graph, const OpLibrary& library, SessionOptions options);
  ~Session();

  // Adds nodes and functions; plans made before stay valid. Errors: InvalidArgument when a name is taken; then no node was
  // added.
  absl::Status Extend(const Graph& more);

  // One step. Names are "node" or "node:1"; targets are nodes that run without giving a value.
  // Errors: InvalidArgument (no fetch and no target, double feeds, fed and fetched, dtypes, dead fetch, a node's own),
  // NotFound (unknown names, with the nearest), Unimplemented (all ops and dtypes without kernels at once),
  // DeadlineExceeded, Cancelled, ResourceExhausted and what nodes return.
  absl::StatusOr<std::vector<Tensor>> Run(const Feeds& feeds, const std::vector<std::string>& fetches,
                                          const std::vector<std::string>& targets);
  absl::StatusOr<std::vector<Tensor>> Run(const Feeds& feeds, const std::vector<std::string>& fetches,
                                          const std::vector<std::string>& targets, const RunOptions& options,
                                          RunMetadata* metadata);
  absl::StatusOr<Callable> Prepare(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
                                   const std::vector<std::string>& targets);

  // Cancels running steps, waits for them, and refuses new ones. Errors: Cancelled when already closed.
  absl::Status Close();
  // Drops cached plans that nobody runs and recycled memory.
  void Trim();
  const Graph& graph() const;  // valid until Extend
  ResourceManager& resources();

 private:
  friend class Callable;
  class Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_SESSION_SESSION_H_
