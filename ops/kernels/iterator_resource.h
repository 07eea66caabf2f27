// IteratorResource: an iterator over a dataset that steps share.
#ifndef FLOWLATCH_OPS_KERNELS_ITERATOR_RESOURCE_H_
#define FLOWLATCH_OPS_KERNELS_ITERATOR_RESOURCE_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "ops/kernels/graph_dataset.h"
#include "ops/kernels/iterator_scope.h"
#include "runtime/resource/resource_manager.h"

namespace flowlatch {

// Thread-safe: calls take turns.
class IteratorResource final : public Resource {
 public:
  static constexpr char kTypeName[] = "Iterator";

  IteratorResource(ElementSpec spec, std::string name) : spec_(std::move(spec)), name_(std::move(name)) {}
  ~IteratorResource() override { Stop(); }
  std::string TypeName() const override { return kTypeName; }
  const ElementSpec& spec() const { return spec_; }
  const std::string& name() const { return name_; }

  // Begins a dataset; what another one does in the background ends.
  // Errors: InvalidArgument when its elements do not fit the iterator; those of the dataset.
  absl::Status Start(StepContext& step, const DatasetPtr& dataset);
  // The same with the dataset that `make` gives, unless there is one.
  absl::Status StartOnce(StepContext& step, const std::function<absl::StatusOr<DatasetPtr>()>& make);
  // Errors: FailedPrecondition before Start; those of ElementIterator.
  absl::StatusOr<bool> Next(StepContext& step, Element* element);
  // How many elements Next has given since Start. Errors: FailedPrecondition before Start.
  absl::StatusOr<int64_t> Passed(StepContext& step);
  // Begins the dataset anew and passes over elements, which takes as long as getting them. Errors: as Passed and Next.
  absl::Status GoTo(StepContext& step, int64_t passed);
  // Ends what goes on in the background, and forgets the dataset.
  void Stop();

 private:
  struct Run {
    DatasetPtr dataset;
    std::shared_ptr<IteratorScope> scope;
    IteratorPtr iterator;  // goes before its scope
    int64_t passed = 0;
  };
  // Waits until no other call is at work; afterwards this one is.
  class Turn;
  // Errors: FailedPrecondition.
  absl::StatusOr<std::shared_ptr<Run>> Running();
  // Both require that it is the caller's turn.
  absl::Status StartInTurn(StepContext& step, const DatasetPtr& dataset);
  std::shared_ptr<Run> Exchange(std::shared_ptr<Run> run);

  absl::StatusOr<bool> NextInTurn(StepContext& step, Element* element);

  const ElementSpec spec_;
  const std::string name_;
  std::mutex mu_;
  std::condition_variable free_;
  bool busy_ = false;         // guarded by mu_
  std::shared_ptr<Run> run_;  // guarded by mu_; null before Start
};

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_ITERATOR_RESOURCE_H_
