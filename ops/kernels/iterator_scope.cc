#include "ops/kernels/iterator_scope.h"

#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/ir/function_library.h"
#include "runtime/exec/step_loop.h"

namespace flowlatch {
namespace {

// A step whose asynchronous kernels report to a loop of this thread.
class LoopStep final : public StepContext {
 public:
  LoopStep(const StepServices& services, int call_depth) : StepContext(services, call_depth) {}
  void Fail(uint32_t, absl::Status) override {}  // calls keep their own failures
};

// Runs a body that may wait.
absl::Status CallAndWait(StepContext& step, Callee* callee, absl::Span<Tensor> args, absl::Span<Tensor> results) {
  StepLoop loop;
  StepServices services = step.services();
  services.loop = &loop;
  LoopStep inner(services, step.call_depth());
  absl::Status status;
  bool ended = false;
  callee->Start(inner, args, results, [&](absl::Status end) {
    status = std::move(end);
    ended = true;
  });
  while (!ended) {
    const bool may_expire = services.has_deadline && !services.cancellation->cancelled();
    if (!loop.RunSome(may_expire ? &services.deadline : nullptr)) services.cancellation->Cancel(CheckInterrupted(step));
  }
  return status;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const DatasetFunction>> DatasetFunction::Of(const NodeInfo& node, std::string_view attr) {
  std::shared_ptr<DatasetFunction> made(new DatasetFunction);
  ASSIGN_OR_RETURN(made->function_, node.AttrAs<FunctionRef>(attr));
  if (node.functions() == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("function '", made->function_.name, "': expected a graph with a library, got none"));
  }
  made->table_ = FunctionTable::Like(*node.functions());
  ASSIGN_OR_RETURN(made->callee_, made->table_->resolver().Resolve(made->function_, BodyEffects::kAll));
  return made;
}

absl::Status BoundFunction::Call(StepContext& step, Element element, int num_results, Element* results) const {
  try {
    Element args = std::move(element);
    args.insert(args.end(), captured_.begin(), captured_.end());
    results->clear();
    results->resize(static_cast<size_t>(num_results));
    if (!callee_->is_async()) return callee_->Run(step, absl::MakeSpan(args), absl::MakeSpan(*results));
    return CallAndWait(step, callee_, absl::MakeSpan(args), absl::MakeSpan(*results));
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("call of a function: expected memory for it, got none");
  }
}

absl::StatusOr<BoundFunction> IteratorScope::Bind(const std::shared_ptr<const DatasetFunction>& function,
                                                  Element captured) {
  std::lock_guard<std::mutex> lock(mu_);
  Instance& instance = instances_[function.get()];
  if (instance.callee == nullptr) {
    instance.function = function;
    instance.table = FunctionTable::Like(function->table_->resolver());
    ASSIGN_OR_RETURN(instance.callee, instance.table->resolver().Resolve(function->function_, BodyEffects::kAll));
  }
  return BoundFunction(instance.callee, std::move(captured));
}

}  // namespace flowlatch
