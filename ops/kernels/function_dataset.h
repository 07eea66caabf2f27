// What datasets whose elements come from functions have in common.
#ifndef FLOWLATCH_OPS_KERNELS_FUNCTION_DATASET_H_
#define FLOWLATCH_OPS_KERNELS_FUNCTION_DATASET_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ops/kernels/graph_dataset.h"
#include "ops/kernels/iterator_scope.h"

namespace flowlatch {

// A function and what it captured.
struct Closure {
  std::shared_ptr<const DatasetFunction> function;
  Element captured;
};

// The state of nodes that make datasets with a function.
class FunctionDatasetState : public DatasetState {
 public:
  // Reads the node's attrs; `attr` holds the function. Errors: as ElementSpec::Of and DatasetFunction::Of.
  absl::Status Read(const NodeInfo& node, const char* attr);
  // The closure over inputs [first, end). Errors: InvalidArgument when the function takes other dtypes than `args`, then those
  // of the inputs, or gives others than `results`.
  absl::StatusOr<Closure> Close(KernelCall& c, int first, int end, std::vector<DType> args,
                                absl::Span<const DType> results) const;

  std::shared_ptr<const DatasetFunction> function;
};

// A dataset that calls a function on the elements of another one.
class DatasetOfFunction : public DatasetOfInput {
 public:
  const Closure& closure() const { return closure_; }

 protected:
  DatasetOfFunction(ElementSpec spec, DatasetPtr input, Closure closure)
      : DatasetOfInput(std::move(spec), std::move(input)), closure_(std::move(closure)) {
    Holds(closure_.captured);
  }

 private:
  const Closure closure_;
};

// An iterator over a D that is a DatasetOfFunction.
template <typename D>
class IteratorOfFunction : public IteratorOfInput<D> {
 public:
  IteratorOfFunction(const D* dataset, IteratorPtr input, std::shared_ptr<IteratorScope> scope, BoundFunction function)
      : IteratorOfInput<D>(dataset, std::move(input)), scope_(std::move(scope)), function_(std::move(function)) {}

 protected:
  const BoundFunction& function() const { return function_; }
  const std::shared_ptr<IteratorScope>& scope() const { return scope_; }

 private:
  const std::shared_ptr<IteratorScope> scope_;  // has the function's instance
  const BoundFunction function_;
};

// MakeIterator for those: an Iterator(dataset, iterator over the input, scope, function).
template <typename Iterator, typename D>
absl::StatusOr<IteratorPtr> MakeIteratorOfFunction(const D* dataset, const std::shared_ptr<IteratorScope>& scope) {
  absl::StatusOr<IteratorPtr> input = dataset->input().MakeIterator(scope);
  if (!input.ok()) return input.status();
  absl::StatusOr<BoundFunction> function = scope->Bind(dataset->closure().function, dataset->closure().captured);
  if (!function.ok()) return function.status();
  return IteratorPtr(std::make_unique<Iterator>(dataset, *std::move(input), scope, *std::move(function)));
}

// What a call of a predicate says. Errors: InvalidArgument unless it gave a bool scalar; those of the call.
absl::StatusOr<bool> CallPredicate(const BoundFunction& predicate, StepContext& step, const Element& element);

// Whether a function ended the elements with its error, which may be OutOfRange.
inline bool EndsElements(const absl::Status& status) { return absl::IsOutOfRange(status); }

// The same error of what must give as many elements as it gets. Errors: InvalidArgument for OutOfRange.
absl::Status AsErrorOfElement(absl::Status status);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_FUNCTION_DATASET_H_
