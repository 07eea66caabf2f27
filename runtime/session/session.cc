#include "runtime/session/session.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "absl/container/inlined_vector.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "flowlatch/proto/function.pb.h"
#include "graph/base/near_names.h"
#include "graph/base/status_macros.h"
#include "runtime/exec/background_work.h"
#include "runtime/exec/executable.h"
#include "runtime/exec/function_table.h"
#include "runtime/exec/step_loop.h"
#include "runtime/kernel/step_context.h"
#include "runtime/plan/chain.h"
#include "runtime/profile/step_recorder.h"
#include "runtime/threads/float_mode.h"

namespace flowlatch {
namespace {

absl::Status Closed() { return absl::CancelledError("session: expected an open one, got one that was closed"); }

}  // namespace

// One (feeds, fetches, targets) made executable, with the functions that it calls.
class PreparedStep {
 public:
  PreparedStep(std::shared_ptr<FunctionLibrary> library, const OpLibrary& ops, FunctionalForm form)
      : functions(std::move(library), ops, form) {}
  FunctionTable functions;
  std::optional<Executable> executable;
};

class Session::Impl {
 public:
  Impl(Graph graph, const OpLibrary& library, SessionOptions options)
      : ops_(library), options_(std::move(options)), graph_(std::make_shared<const Graph>(std::move(graph))) {
    if (options_.pool == nullptr) options_.pool = std::make_shared<ThreadPool>(options_.threads);
    if (options_.resources == nullptr) options_.resources = std::make_shared<ResourceManager>();
  }
  ~Impl() { Close().IgnoreError(); }

  absl::Status Extend(const Graph& more);
  absl::StatusOr<std::shared_ptr<PreparedStep>> Prepare(const std::vector<std::string>& feeds,
                                                        const std::vector<std::string>& fetches,
                                                        const std::vector<std::string>& targets);
  absl::StatusOr<std::vector<Tensor>> Run(const Feeds& feeds, const std::vector<std::string>& fetches,
                                          const std::vector<std::string>& targets, const RunOptions& options,
                                          RunMetadata* metadata);
  absl::Status RunStep(PreparedStep& prepared, absl::Span<const Tensor> inputs, std::vector<Tensor>* outputs,
                       const RunOptions* options, RunMetadata* metadata);
  absl::Status Close();
  void Trim();
  const Graph& graph() const {
    std::shared_lock<std::shared_mutex> lock(mu_);
    return *graph_;
  }
  ResourceManager& resources() { return *options_.resources; }

 private:
  // What a running step needs; kept for the next one.
  struct Step {
    StepServices services;
    ResourceManager resources;
    std::optional<CancellationManager> cancellation;
  };
  absl::StatusOr<Step*> BeginStep();
  void EndStep(Step* step);

  std::shared_ptr<const Graph> CurrentGraph() const {
    std::shared_lock<std::shared_mutex> lock(mu_);
    return graph_;
  }
  absl::StatusOr<PlanRequest> Resolve(const Graph& graph, const std::vector<std::string>& feeds,
                                      const std::vector<std::string>& fetches,
                                      const std::vector<std::string>& targets) const;
  absl::StatusOr<std::shared_ptr<PreparedStep>> Build(const std::vector<std::string>& feeds,
                                                      const std::vector<std::string>& fetches,
                                                      const std::vector<std::string>& targets);
  // Stateful kernels exist once for each node of the session (2.16).
  absl::StatusOr<Kernel> MakeKernel(const NodeInfo& node, const FunctionTable& functions);

  const OpLibrary& ops_;
  SessionOptions options_;

  mutable std::shared_mutex mu_;
  std::shared_ptr<const Graph> graph_;                                        // guarded by mu_
  absl::flat_hash_map<std::string, std::shared_ptr<PreparedStep>> prepared_;  // guarded by mu_

  std::mutex kernels_mu_;
  std::map<std::string, Kernel, std::less<>> stateful_kernels_;  // guarded by kernels_mu_

  std::mutex steps_mu_;
  std::condition_variable step_ended_;
  std::vector<std::unique_ptr<Step>> steps_;  // all; guarded by steps_mu_ as what follows
  std::vector<Step*> idle_steps_;
  int64_t next_step_id_ = 1;
  bool closed_ = false;
};

absl::Status Session::Impl::Extend(const Graph& more) {
  std::unique_lock<std::shared_mutex> lock(mu_);
  Graph extended = graph_->Clone();
  FunctionLibrary& library = extended.library();
  for (const std::string& name : more.library().Names())
    RETURN_IF_ERROR(library.Add(*more.library().FindDefinition(name)));
  for (const auto& [function, gradient] : more.library().gradients())
    RETURN_IF_ERROR(library.AddGradient(function, gradient));
  const int offset = extended.num_nodes();
  for (NodeId id = 0; id < more.num_nodes(); ++id) {
    const Node& node = more.node(id);
    // Schemas of the other graph's library go with it.
    const OpSchema* schema = extended.registry().Find(node.op());
    if (schema == nullptr) schema = library.FindSchema(node.op());
    if (schema == nullptr)
      schema = library.OpaqueSchema(node.op(), static_cast<int>(node.num_inputs), node.num_outputs());
    const absl::Status status = extended.AddNode(node.name, schema, node.attrs, more.device_name(node)).status();
    if (absl::IsAlreadyExists(status)) return absl::InvalidArgumentError(status.message());
    RETURN_IF_ERROR(status);
  }
  for (NodeId id = 0; id < more.num_nodes(); ++id) {
    std::vector<Port> data;
    std::vector<NodeId> controls;
    for (const Port port : more.inputs(id)) data.push_back({port.node + offset, port.index});
    for (const Port port : more.control_inputs(id)) controls.push_back(port.node + offset);
    extended.SetInputs(id + offset, data, controls);
  }
  RETURN_IF_ERROR(Verify(extended));
  graph_ = std::make_shared<const Graph>(std::move(extended));
  prepared_.clear();  // callables keep theirs; names are looked up in the new graph
  return absl::OkStatus();
}

absl::StatusOr<PlanRequest> Session::Impl::Resolve(const Graph& graph, const std::vector<std::string>& feeds,
                                                   const std::vector<std::string>& fetches,
                                                   const std::vector<std::string>& targets) const {
  if (fetches.empty() && targets.empty()) {
    return absl::InvalidArgumentError("step: expected at least one fetch or target, got none");
  }
  PlanRequest request;
  for (const std::string& name : feeds) {
    absl::StatusOr<Port> port = graph.ParsePort(name);
    if (!port.ok()) return absl::Status(port.status().code(), absl::StrCat("feed: ", port.status().message()));
    request.feeds.push_back(*port);
  }
  for (const std::string& name : fetches) {
    absl::StatusOr<Port> port = graph.ParsePort(name);
    if (!port.ok()) return absl::Status(port.status().code(), absl::StrCat("fetch: ", port.status().message()));
    request.fetches.push_back(*port);
  }
  absl::flat_hash_set<Port> fed;
  for (const Port port : request.feeds) {
    if (!fed.insert(port).second)
      return absl::InvalidArgumentError(absl::StrCat("feed '", graph.PortName(port), "': expected once, got twice"));
  }
  for (const Port port : request.fetches) {
    if (fed.contains(port)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", graph.PortName(port), "': expected to be fed or fetched, got both"));
    }
  }
  std::string unknown;
  for (const std::string& name : targets) {
    std::optional<NodeId> node = graph.FindNode(name);
    if (!node.has_value()) {
      // A target may be given as one of its outputs.
      const size_t colon = name.rfind(':');
      if (colon != std::string::npos) node = graph.FindNode(std::string_view(name).substr(0, colon));
    }
    if (node.has_value()) {
      request.targets.push_back(*node);
      continue;
    }
    NearNames near(name);
    for (NodeId id = 0; id < graph.num_nodes(); ++id) near.Consider(graph.node(id).name);
    absl::StrAppend(&unknown, unknown.empty() ? "'" : ", '", name, "'", near.Hint());
  }
  if (!unknown.empty()) return absl::NotFoundError(absl::StrCat("targets: not in the graph: ", unknown));
  return request;
}

absl::StatusOr<Kernel> Session::Impl::MakeKernel(const NodeInfo& node, const FunctionTable& functions) {
  // Calls and chains belong to their plan, whatever they call.
  const bool is_call =
      std::any_of(node.schema().attrs().begin(), node.schema().attrs().end(),
                  [](const AttrSpec& attr) { return attr.kind == "func" || attr.kind == "list(func)"; });
  if (!node.schema().is_stateful() || is_call || IsChain(node) ||
      ops_.registry().FindRegistered(node.schema().name()) != &node.schema()) {
    return functions.MakeKernel(node);
  }
  std::lock_guard<std::mutex> lock(kernels_mu_);
  const auto at = stateful_kernels_.find(node.name());
  if (at != stateful_kernels_.end()) return at->second;
  ASSIGN_OR_RETURN(Kernel kernel, functions.MakeKernel(node));
  stateful_kernels_.emplace(std::string(node.name()), kernel);
  return kernel;
}

absl::StatusOr<std::shared_ptr<PreparedStep>> Session::Impl::Build(const std::vector<std::string>& feeds,
                                                                   const std::vector<std::string>& fetches,
                                                                   const std::vector<std::string>& targets) {
  const std::shared_ptr<const Graph> graph = CurrentGraph();
  ASSIGN_OR_RETURN(const PlanRequest request, Resolve(*graph, feeds, fetches, targets));
  auto prepared = std::make_shared<PreparedStep>(graph->shared_library(), ops_, options_.functional);
  PlanOptions options;
  options.functions = &prepared->functions.resolver();
  options.make_kernel = [&](const NodeInfo& node) { return MakeKernel(node, prepared->functions); };
  options.fuse = options.drop_unread = options_.optimize;
  options.functional = options_.functional;
  ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, Plan::Build(graph, request, options));
  prepared->executable.emplace(std::move(plan));
  return prepared;
}

absl::StatusOr<std::shared_ptr<PreparedStep>> Session::Impl::Prepare(const std::vector<std::string>& feeds,
                                                                     const std::vector<std::string>& fetches,
                                                                     const std::vector<std::string>& targets) {
  // Names hold no NUL, so the key is unambiguous.
  std::string key;
  for (const std::vector<std::string>* names : {&feeds, &fetches, &targets}) {
    for (const std::string& name : *names) key.append(name).push_back('\0');
    key.push_back('\0');
  }
  {
    std::shared_lock<std::shared_mutex> lock(mu_);
    const auto at = prepared_.find(key);
    if (at != prepared_.end()) return at->second;
  }
  {
    std::lock_guard<std::mutex> lock(steps_mu_);
    if (closed_) return Closed();
  }
  ASSIGN_OR_RETURN(std::shared_ptr<PreparedStep> prepared, Build(feeds, fetches, targets));
  // Several threads may build the same step at once; all use the one that was first.
  std::unique_lock<std::shared_mutex> lock(mu_);
  return prepared_.emplace(std::move(key), std::move(prepared)).first->second;
}

absl::StatusOr<Session::Impl::Step*> Session::Impl::BeginStep() {
  std::lock_guard<std::mutex> lock(steps_mu_);
  if (closed_) return Closed();
  Step* step;
  if (!idle_steps_.empty()) {
    step = idle_steps_.back();
    idle_steps_.pop_back();
  } else {
    steps_.push_back(std::make_unique<Step>());
    step = steps_.back().get();
    step->cancellation.emplace();
    step->services.resources = options_.resources.get();
    step->services.step_resources = &step->resources;
    step->services.pool = options_.pool->num_threads() > 1 ? options_.pool.get() : nullptr;
    step->services.cancellation = &*step->cancellation;
    step->services.allocator = options_.allocator;
    step->services.log = options_.log;
    step->services.allow_files = options_.allow_files;
    step->services.max_call_depth = options_.max_call_depth;
  }
  step->services.step_id = next_step_id_++;
  return step;
}

void Session::Impl::EndStep(Step* step) {
  step->resources.Clear();
  std::lock_guard<std::mutex> lock(steps_mu_);
  // Close may still be cancelling this step; nothing runs on it again then.
  if (!closed_ && step->cancellation->cancelled()) {
    step->cancellation.emplace();
    step->services.cancellation = &*step->cancellation;
  }
  idle_steps_.push_back(step);
  if (closed_) step_ended_.notify_all();
}

absl::Status Session::Impl::RunStep(PreparedStep& prepared, absl::Span<const Tensor> inputs,
                                    std::vector<Tensor>* outputs, const RunOptions* options, RunMetadata* metadata) {
  Executable& executable = *prepared.executable;
  const Plan& plan = executable.plan();
  if (inputs.size() != plan.feed_dtypes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("feeds: expected ", plan.feed_dtypes.size(), ", got ", inputs.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (ABSL_PREDICT_FALSE(inputs[i].dtype() != plan.feed_dtypes[i])) {
      return absl::InvalidArgumentError(absl::StrCat("feed '", plan.feed_names[i], "': expected ",
                                                     std::string(DTypeName(plan.feed_dtypes[i])), ", got ",
                                                     std::string(DTypeName(inputs[i].dtype()))));
    }
  }
  outputs->resize(plan.fetch_names.size());
  for (Tensor& output : *outputs) output.Clear();
  ASSIGN_OR_RETURN(Step* const step, BeginStep());

  StepServices& services = step->services;
  const std::chrono::milliseconds timeout =
      options != nullptr && options->timeout.count() > 0 ? options->timeout : options_.timeout;
  services.has_deadline = timeout.count() > 0;
  if (services.has_deadline) services.deadline = std::chrono::steady_clock::now() + timeout;
  std::optional<StepRecorder> recorder;
  const bool recorded = options != nullptr && ((options->trace && metadata != nullptr) || options->observer);
  if (ABSL_PREDICT_FALSE(recorded)) recorder.emplace(options->observer);
  services.recorder = recorded ? &*recorder : nullptr;
  const int64_t start_ns = recorded ? StepRecorder::NowNs() : 0;

  static const std::string no_prefix;
  std::optional<FloatMode> mode(std::in_place);
  absl::Status status;
  absl::InlinedVector<Tensor, 4> feeds(inputs.begin(), inputs.end());  // the caller keeps its own
  if (!plan.is_async) {
    status = executable.Run(services, 0, no_prefix, absl::MakeSpan(feeds), absl::MakeSpan(*outputs));
  } else {
    StepLoop loop;
    services.loop = &loop;
    bool ended = false;
    executable.Start(services, 0, no_prefix, absl::MakeSpan(feeds), absl::MakeSpan(*outputs), [&](absl::Status end) {
      status = std::move(end);
      ended = true;
    });
    while (!ended) {
      const bool may_expire = services.has_deadline && !step->cancellation->cancelled();
      if (!loop.RunSome(may_expire ? &services.deadline : nullptr)) {
        step->cancellation->Cancel(
            absl::DeadlineExceededError("step: expected to end before its deadline, got interrupted"));
      }
    }
    services.loop = nullptr;
  }
  mode.reset();
  // A wait that was cancelled reports so; why it was cancelled says more.
  if (status.code() == absl::StatusCode::kCancelled &&
      step->cancellation->status().code() == absl::StatusCode::kDeadlineExceeded) {
    status = absl::DeadlineExceededError(status.message());
  }
  if (metadata != nullptr && recorder.has_value()) metadata->stats = recorder->Finish(StepRecorder::NowNs() - start_ns);
  EndStep(step);
  if (!status.ok()) outputs->clear();
  return status;
}

absl::StatusOr<std::vector<Tensor>> Session::Impl::Run(const Feeds& feeds, const std::vector<std::string>& fetches,
                                                       const std::vector<std::string>& targets,
                                                       const RunOptions& options, RunMetadata* metadata) {
  std::vector<std::string> names;
  std::vector<Tensor> inputs;
  names.reserve(feeds.size());
  inputs.reserve(feeds.size());
  for (const auto& [name, tensor] : feeds) {
    names.push_back(name);
    inputs.push_back(tensor);
  }
  ASSIGN_OR_RETURN(const std::shared_ptr<PreparedStep> prepared, Prepare(names, fetches, targets));
  std::vector<Tensor> outputs;
  RETURN_IF_ERROR(RunStep(*prepared, inputs, &outputs, &options, metadata));
  return outputs;
}

absl::Status Session::Impl::Close() {
  std::unique_lock<std::mutex> lock(steps_mu_);
  if (closed_) return Closed();
  closed_ = true;
  // Cancelling runs callbacks, which may end steps; steps stay in memory until the session goes.
  std::vector<Step*> running;
  for (const std::unique_ptr<Step>& step : steps_) {
    if (std::find(idle_steps_.begin(), idle_steps_.end(), step.get()) == idle_steps_.end())
      running.push_back(step.get());
  }
  lock.unlock();
  for (Step* step : running) step->cancellation->Cancel(absl::CancelledError("session was closed"));
  lock.lock();
  step_ended_.wait(lock, [this] { return idle_steps_.size() == steps_.size(); });
  lock.unlock();  // no more steps are added
  for (const std::unique_ptr<Step>& step : steps_) BackgroundWork::StopAllOf(step->services);
  return absl::OkStatus();
}

void Session::Impl::Trim() {
  {
    std::unique_lock<std::shared_mutex> lock(mu_);
    for (auto it = prepared_.begin(); it != prepared_.end();) {
      it->second->executable->Trim();
      if (it->second.use_count() == 1) {
        prepared_.erase(it++);
      } else {
        ++it;
      }
    }
  }
  PoolAllocator::Get().Trim();
}

absl::Status Callable::Run(absl::Span<const Tensor> inputs, std::vector<Tensor>* outputs) const {
  return session_->impl_->RunStep(*step_, inputs, outputs, nullptr, nullptr);
}

absl::Status Callable::Run(absl::Span<const Tensor> inputs, std::vector<Tensor>* outputs, const RunOptions& options,
                           RunMetadata* metadata) const {
  return session_->impl_->RunStep(*step_, inputs, outputs, &options, metadata);
}

int Callable::num_nodes() const {
  int count = 0;
  for (const Instruction& instruction : step_->executable->plan().instructions) count += instruction.node >= 0;
  return count;
}

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::~Session() = default;

absl::StatusOr<std::unique_ptr<Session>> Session::Create(Graph graph, const OpLibrary& library,
                                                         SessionOptions options) {
  if (options.threads < 0)
    return absl::InvalidArgumentError(absl::StrCat("threads: expected >= 0, got ", options.threads));
  return std::unique_ptr<Session>(new Session(std::make_unique<Impl>(std::move(graph), library, std::move(options))));
}

absl::Status Session::Extend(const Graph& more) { return impl_->Extend(more); }

absl::StatusOr<std::vector<Tensor>> Session::Run(const Feeds& feeds, const std::vector<std::string>& fetches,
                                                 const std::vector<std::string>& targets) {
  return impl_->Run(feeds, fetches, targets, RunOptions(), nullptr);
}

absl::StatusOr<std::vector<Tensor>> Session::Run(const Feeds& feeds, const std::vector<std::string>& fetches,
                                                 const std::vector<std::string>& targets, const RunOptions& options,
                                                 RunMetadata* metadata) {
  return impl_->Run(feeds, fetches, targets, options, metadata);
}

absl::StatusOr<Callable> Session::Prepare(const std::vector<std::string>& feeds,
                                          const std::vector<std::string>& fetches,
                                          const std::vector<std::string>& targets) {
  Callable callable;
  callable.session_ = this;
  ASSIGN_OR_RETURN(callable.step_, impl_->Prepare(feeds, fetches, targets));
  return callable;
}

absl::Status Session::Close() { return impl_->Close(); }
void Session::Trim() { impl_->Trim(); }
const Graph& Session::graph() const { return impl_->graph(); }
ResourceManager& Session::resources() { return impl_->resources(); }

}  // namespace flowlatch
