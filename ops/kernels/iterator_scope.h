// IteratorScope: what the iterators of one iterator resource have in common: their instances of functions and their work in
// the background.
#ifndef FLOWLATCH_OPS_KERNELS_ITERATOR_SCOPE_H_
#define FLOWLATCH_OPS_KERNELS_ITERATOR_SCOPE_H_

#include <memory>
#include <mutex>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ops/kernels/graph_dataset.h"
#include "runtime/exec/background_work.h"
#include "runtime/exec/function_table.h"
#include "runtime/kernel/callee.h"

namespace flowlatch {

// A function in an attribute of a node, for calls after the node's plan is gone. Immutable.
class DatasetFunction {
 public:
  // Errors: InvalidArgument without such an attr, NotFound for an unknown function.
  static absl::StatusOr<std::shared_ptr<const DatasetFunction>> Of(const NodeInfo& node, std::string_view attr);

  // Errors: InvalidArgument when it takes or gives other dtypes; kInvalid fits any.
  absl::Status CheckTypes(absl::Span<const DType> args, absl::Span<const DType> results) const {
    return callee_->CheckTypes(args, results);
  }

 private:
  friend class IteratorScope;
  DatasetFunction() = default;

  FunctionRef function_;
  std::unique_ptr<FunctionTable> table_;
  Callee* callee_ = nullptr;  // in table_
};

// A function with what it captured. Thread-safe as a Callee.
class BoundFunction {
 public:
  BoundFunction() = default;
  // `callee` must outlive it.
  BoundFunction(Callee* callee, Element captured) : callee_(callee), captured_(std::move(captured)) {}
  // `element` is taken over; `results` gets `num_results` tensors. The arguments are the element's components, then what was
  // captured. Errors: those of the function.
  absl::Status Call(StepContext& step, Element element, int num_results, Element* results) const;

 private:
  Callee* callee_ = nullptr;
  Element captured_;
};

// Thread-safe. Nodes of a function keep their state (of random generators) within a scope.
class IteratorScope {
 public:
  explicit IteratorScope(std::shared_ptr<BackgroundWork> background) : background_(std::move(background)) {}
  BackgroundWork& background() { return *background_; }
  // Must not outlive the scope.
  absl::StatusOr<BoundFunction> Bind(const std::shared_ptr<const DatasetFunction>& function, Element captured);

 private:
  struct Instance {
    std::shared_ptr<const DatasetFunction> function;  // keeps the key from being used again
    std::unique_ptr<FunctionTable> table;
    Callee* callee = nullptr;  // in `table`
  };

  const std::shared_ptr<BackgroundWork> background_;
  std::mutex mu_;
  absl::flat_hash_map<const DatasetFunction*, Instance> instances_;  // guarded by mu_
};

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_ITERATOR_SCOPE_H_
