#include "runtime/exec/function_table.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "flowlatch/proto/function.pb.h"
#include "graph/build/gradient_function.h"
#include "graph/base/status_macros.h"
#include "graph/passes/inline_functions.h"
#include "runtime/exec/executable.h"

namespace flowlatch {
namespace {

std::string KeyOf(const FunctionRef& function, BodyEffects effects) {
  return absl::StrCat(static_cast<int>(effects), Attr(function).ToString());
}

class CallState final : public KernelState {
 public:
  explicit CallState(Callee* callee) : callee(callee) {}
  Callee* const callee;
};

absl::InlinedVector<Tensor, 8> TakeInputs(KernelCall& call) {
  absl::InlinedVector<Tensor, 8> args(call.num_inputs());
  for (int i = 0; i < call.num_inputs(); ++i) args[i] = call.TakeInput(i);
  return args;
}

absl::Status Call(KernelCall& call) {
  absl::InlinedVector<Tensor, 8> args = TakeInputs(call);
  const absl::Span<Tensor> results =
      call.num_outputs() > 0 ? absl::MakeSpan(&call.output(0), call.num_outputs()) : absl::Span<Tensor>();
  for (Tensor& result : results) result.Clear();
  return call.state<CallState>().callee->Run(call.step(), absl::MakeSpan(args), results);
}

void CallAsync(KernelCall& call, Done done) {
  auto args = std::make_shared<absl::InlinedVector<Tensor, 8>>(TakeInputs(call));
  const absl::Span<Tensor> results =
      call.num_outputs() > 0 ? absl::MakeSpan(&call.output(0), call.num_outputs()) : absl::Span<Tensor>();
  call.state<CallState>().callee->Start(
      call.step(), absl::MakeSpan(*args), results,
      [args, done = std::move(done)](absl::Status status) { done(std::move(status)); });
}

// The functions in an attribute, and in the attributes of those: a function may be handed on to one that calls it.
void CollectCalls(const NameAttrList& function, std::vector<std::string>* functions);
void CollectCalls(const AttrValue& attr, std::vector<std::string>* functions) {
  if (attr.has_func()) CollectCalls(attr.func(), functions);
  for (const NameAttrList& f : attr.list().func()) CollectCalls(f, functions);
}
void CollectCalls(const NameAttrList& function, std::vector<std::string>* functions) {
  functions->push_back(function.name());
  for (const auto& [name, attr] : function.attr()) CollectCalls(attr, functions);
}
void CollectCalls(const FunctionRef& function, std::vector<std::string>* functions) {
  functions->push_back(function.name);
  for (const auto& [name, attr] : function.attrs.entries()) {
    if (const auto* f = attr.Get<FunctionRef>()) CollectCalls(*f, functions);
    if (const auto* list = attr.Get<std::vector<FunctionRef>>()) {
      for (const FunctionRef& f : *list) CollectCalls(f, functions);
    }
  }
}

bool MayWait(const OpLibrary& ops, const OpSchema& schema) { return ops.MayWait(schema); }

bool HasState(const OpLibrary&, const OpSchema& schema) {
  if (!schema.is_stateful()) return false;
  for (const AttrSpec& attr : schema.attrs()) {
    if (attr.kind == "func" || attr.kind == "list(func)") return false;  // only as stateful as what it calls
  }
  return true;
}

absl::Status CheckDTypes(const std::string& function, const char* what, const std::vector<PortType>& want,
                         absl::Span<const DType> got) {
  if (want.size() != got.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("function '", function, "': expected ", want.size(), " ", what, "s, got ", got.size()));
  }
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i] == want[i].dtype || got[i] == DType::kInvalid) continue;
    return absl::InvalidArgumentError(absl::StrCat("function '", function, "': expected ", what, " ", i, " to be ",
                                                   std::string(DTypeName(want[i].dtype)), ", got ",
                                                   std::string(DTypeName(got[i]))));
  }
  return absl::OkStatus();
}

}  // namespace

Kernel MakeCallKernel(Callee* callee) {
  auto state = std::make_shared<CallState>(callee);
  if (callee->is_async()) return Kernel{.async_fn = &CallAsync, .state = std::move(state)};
  return Kernel{.fn = &RunKernel<Call>, .state = std::move(state)};
}

// One function at one call site, or at all when it is shared.
class FunctionCallee final : public Callee {
 public:
  FunctionCallee(FunctionTable& table, FunctionRef function, BodyEffects effects, FunctionCallee* caller, bool is_async);

  bool is_async() const override { return is_async_; }
  absl::Status CheckTypes(absl::Span<const DType> args, absl::Span<const DType> results) const override;
  absl::Status Run(StepContext& caller, absl::Span<Tensor> args, absl::Span<Tensor> results) override {
    RETURN_IF_ERROR(Prepare(caller, args, results));
    return executable_->Run(caller.services(), caller.call_depth() + 1, prefix_, args, results);
  }
  void Start(StepContext& caller, absl::Span<Tensor> args, absl::Span<Tensor> results, Done done) override {
    if (absl::Status status = Prepare(caller, args, results); !status.ok()) {
      done(std::move(status));
      return;
    }
    executable_->Start(caller.services(), caller.call_depth() + 1, prefix_, args, results, std::move(done));
  }
  const FunctionRef& function() const { return function_; }
  BodyEffects effects() const { return effects_; }
  FunctionCallee* caller() const { return caller_; }

 private:
  absl::Status Prepare(StepContext& caller, absl::Span<Tensor> args, absl::Span<Tensor> results);
  absl::Status BuildExecutable();

  FunctionTable& table_;
  const FunctionRef function_;
  const BodyEffects effects_;
  FunctionCallee* const caller_;  // null: called from the main graph, or shared
  const bool is_async_;
  const std::string prefix_;
  std::unique_ptr<CalleeResolver> resolver_;
  std::once_flag built_;
  absl::Status build_status_;
  std::shared_ptr<const FunctionBody> body_;
  std::unique_ptr<Executable> executable_;
};

class FunctionTable::SiteResolver final : public CalleeResolver {
 public:
  SiteResolver(FunctionTable& table, FunctionCallee* caller) : table_(table), caller_(caller) {}
  absl::StatusOr<Callee*> Resolve(const FunctionRef& function, BodyEffects effects) override {
    return table_.Resolve(function, effects, caller_);
  }
  absl::StatusOr<Callee*> ResolveGradient(const FunctionRef& function) override {
    ASSIGN_OR_RETURN(const FunctionRef gradient, GradientFunction(table_.functions_, table_.ops_.registry(), function));
    return table_.Resolve(gradient, BodyEffects::kControlReturns, caller_);
  }
  const FunctionTable& table() const { return table_; }

 private:
  FunctionTable& table_;
  FunctionCallee* const caller_;
};

FunctionCallee::FunctionCallee(FunctionTable& table, FunctionRef function, BodyEffects effects, FunctionCallee* caller,
                               bool is_async)
    : table_(table),
      function_(std::move(function)),
      effects_(effects),
      caller_(caller),
      is_async_(is_async),
      prefix_(absl::StrCat(function_.name, "/")),
      resolver_(std::make_unique<FunctionTable::SiteResolver>(table, this)) {}

absl::Status FunctionCallee::CheckTypes(absl::Span<const DType> args, absl::Span<const DType> results) const {
  const OpSchema& schema = *table_.functions_->FindSchema(function_.name);
  RETURN_IF_ERROR(schema.ValidateAttrs(function_.attrs));
  ASSIGN_OR_RETURN(const std::vector<PortType> inputs, schema.InputTypes(function_.attrs));
  ASSIGN_OR_RETURN(const std::vector<PortType> outputs, schema.OutputTypes(function_.attrs));
  RETURN_IF_ERROR(CheckDTypes(function_.name, "argument", inputs, args));
  return CheckDTypes(function_.name, "result", outputs, results);
}

absl::Status FunctionCallee::Prepare(StepContext& caller, absl::Span<Tensor> args, absl::Span<Tensor> results) {
  if (caller.call_depth() >= caller.services().max_call_depth) {
    return absl::InvalidArgumentError(absl::StrCat("calls of functions: expected at most ",
                                                   caller.services().max_call_depth,
                                                   " inside one another, got one more ('", function_.name, "')"));
  }
  std::call_once(built_, [this] { build_status_ = BuildExecutable(); });
  if (!build_status_.ok()) return absl::Status(build_status_.code(), std::string(build_status_.message()));
  const Plan& plan = executable_->plan();
  if (args.size() != plan.feed_dtypes.size() || results.size() != plan.fetch_names.size()) {
    return absl::InvalidArgumentError(absl::StrCat("function '", function_.name, "': expected ",
                                                   plan.feed_dtypes.size(), " arguments and ", plan.fetch_names.size(),
                                                   " results, got ", args.size(), " and ", results.size()));
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].dtype() != plan.feed_dtypes[i]) {
      return absl::InvalidArgumentError(absl::StrCat("function '", function_.name, "': expected argument ", i,
                                                     " to be ", std::string(DTypeName(plan.feed_dtypes[i])), ", got ",
                                                     std::string(DTypeName(args[i].dtype()))));
    }
  }
  return absl::OkStatus();
}

absl::Status FunctionCallee::BuildExecutable() {
  ASSIGN_OR_RETURN(body_, FunctionLibrary::Instantiate(table_.functions_, function_.name, function_.attrs));
  PlanRequest request;
  for (const NodeId arg : body_->args) request.feeds.push_back({arg, 0});
  request.fetches = body_->returns;
  request.targets = EffectNodes(*body_, effects_);  // they run whether or not a result needs them (5.31)
  PlanOptions options;
  options.functions = resolver_.get();
  options.make_kernel = [this](const NodeInfo& node) { return table_.MakeKernel(node); };
  options.functional = table_.form_;
  const std::shared_ptr<const Graph> graph(body_, body_->graph.get());
  ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, Plan::Build(graph, request, options));
  if (plan->is_async && !is_async_) {
    return absl::InternalError(absl::StrCat(
        "function '", function_.name, "': expected no kernels that wait, got one of an op that says it has none"));
  }
  executable_ = std::make_unique<Executable>(std::move(plan));
  return absl::OkStatus();
}

FunctionTable::FunctionTable(std::shared_ptr<FunctionLibrary> functions, const OpLibrary& ops, FunctionalForm form)
    : functions_(std::move(functions)),
      ops_(ops),
      form_(form),
      main_resolver_(std::make_unique<SiteResolver>(*this, nullptr)),
      may_wait_{&MayWait, {}},
      has_state_{&HasState, {}} {}

FunctionTable::~FunctionTable() = default;

std::unique_ptr<FunctionTable> FunctionTable::Like(CalleeResolver& resolver) {
  const FunctionTable& table = static_cast<SiteResolver&>(resolver).table();
  return std::make_unique<FunctionTable>(table.functions_, table.ops_, table.form_);
}

CalleeResolver& FunctionTable::resolver() { return *main_resolver_; }

absl::StatusOr<Kernel> FunctionTable::MakeKernel(const NodeInfo& node) const {
  if (node.schema().is_opaque() || functions_->FindSchema(node.schema().name()) != &node.schema())
    return ops_.MakeKernel(node);
  ASSIGN_OR_RETURN(Callee * callee,
                   node.functions()->Resolve({node.schema().name(), node.attrs()}, BodyEffects::kAll));
  return MakeCallKernel(callee);
}

bool FunctionTable::Has(NodeProperty& property, const FunctionRef& function) {
  std::vector<std::string> todo, without;
  CollectCalls(function, &todo);
  absl::flat_hash_set<std::string> seen(todo.begin(), todo.end());
  while (!todo.empty()) {
    const std::string name = std::move(todo.back());
    todo.pop_back();
    const FunctionDef* definition = property.without.contains(name) ? nullptr : functions_->FindDefinition(name);
    if (definition == nullptr) continue;
    std::vector<std::string> calls;
    for (const auto& attr : definition->signature().attr()) CollectCalls(attr.default_value(), &calls);
    for (const NodeDef& node : definition->node_def()) {
      if (functions_->FindDefinition(node.op()) != nullptr) {
        calls.push_back(node.op());
      } else if (const OpSchema* schema = ops_.registry().FindRegistered(node.op());
                 schema != nullptr && property.test(ops_, *schema)) {
        return true;
      }
      for (const auto& [key, attr] : node.attr()) CollectCalls(attr, &calls);
    }
    without.push_back(name);
    for (std::string& call : calls) {
      if (seen.insert(call).second) todo.push_back(std::move(call));
    }
  }
  // Neither have those that it calls.
  property.without.insert(without.begin(), without.end());
  return false;
}

absl::StatusOr<Callee*> FunctionTable::Resolve(const FunctionRef& function, BodyEffects effects,
                                               FunctionCallee* caller) {
  if (functions_->FindDefinition(function.name) == nullptr) {
    // Instantiate knows the nearest names.
    return FunctionLibrary::Instantiate(functions_, function.name, function.attrs).status();
  }
  if (effects == BodyEffects::kMarked)
    effects = form_ == FunctionalForm::kCalled ? BodyEffects::kAll : BodyEffects::kControlReturns;
  for (FunctionCallee* outer = caller; outer != nullptr; outer = outer->caller()) {
    if (outer->function() == function && outer->effects() == effects) return outer;
  }
  std::lock_guard<std::mutex> lock(mu_);
  const bool is_async = Has(may_wait_, function), has_state = Has(has_state_, function);
  FunctionCallee** shared = has_state ? nullptr : &shared_[KeyOf(function, effects)];
  if (shared != nullptr && *shared != nullptr) return *shared;
  callees_.push_back(
      std::make_unique<FunctionCallee>(*this, function, effects, has_state ? caller : nullptr, is_async));
  if (shared != nullptr) *shared = callees_.back().get();
  return callees_.back().get();
}

}  // namespace flowlatch
