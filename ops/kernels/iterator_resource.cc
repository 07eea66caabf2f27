#include "ops/kernels/iterator_resource.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"

namespace flowlatch {

class IteratorResource::Turn {
 public:
  explicit Turn(IteratorResource& iterator) : iterator_(iterator) {}
  ~Turn() {
    if (!taken_) return;
    std::lock_guard<std::mutex> lock(iterator_.mu_);
    iterator_.busy_ = false;
    iterator_.free_.notify_one();
  }
  // Errors: interruptions of the step.
  absl::Status Take(StepContext& step) {
    std::unique_lock<std::mutex> lock(iterator_.mu_);
    while (iterator_.busy_) {
      RETURN_IF_ERROR(WaitFor(step, lock, iterator_.free_, [this] { return !iterator_.busy_; }));
    }
    iterator_.busy_ = taken_ = true;
    return absl::OkStatus();
  }

 private:
  IteratorResource& iterator_;
  bool taken_ = false;
};

absl::StatusOr<std::shared_ptr<IteratorResource::Run>> IteratorResource::Running() {
  std::lock_guard<std::mutex> lock(mu_);
  if (run_ != nullptr) return run_;
  return absl::FailedPreconditionError(
      absl::StrCat("iterator '", name_, "': expected one that was initialized (MakeIterator), got one that was not"));
}

std::shared_ptr<IteratorResource::Run> IteratorResource::Exchange(std::shared_ptr<Run> run) {
  std::lock_guard<std::mutex> lock(mu_);
  run_.swap(run);
  return run;
}

absl::Status IteratorResource::StartInTurn(StepContext& step, const DatasetPtr& dataset) {
  RETURN_IF_ERROR(spec_.CheckFits(dataset->spec(), "dataset"));
  auto run = std::make_shared<Run>();
  run->dataset = dataset;
  run->scope = std::make_shared<IteratorScope>(BackgroundWork::Create(step));
  ASSIGN_OR_RETURN(run->iterator, dataset->MakeIterator(run->scope));
  if (const std::shared_ptr<Run> old = Exchange(std::move(run))) old->scope->background().Stop();
  return absl::OkStatus();
}

absl::Status IteratorResource::Start(StepContext& step, const DatasetPtr& dataset) {
  Turn turn(*this);
  RETURN_IF_ERROR(turn.Take(step));
  return StartInTurn(step, dataset);
}

absl::Status IteratorResource::StartOnce(StepContext& step, const std::function<absl::StatusOr<DatasetPtr>()>& make) {
  Turn turn(*this);
  RETURN_IF_ERROR(turn.Take(step));
  {
    std::lock_guard<std::mutex> lock(mu_);
    if (run_ != nullptr) return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const DatasetPtr dataset, make());
  return StartInTurn(step, dataset);
}

absl::StatusOr<bool> IteratorResource::NextInTurn(StepContext& step, Element* element) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Run> run, Running());
  const absl::StatusOr<bool> more = run->iterator->Next(step, element);
  if (more.ok() && *more) ++run->passed;
  return more;
}

absl::StatusOr<bool> IteratorResource::Next(StepContext& step, Element* element) {
  Turn turn(*this);
  RETURN_IF_ERROR(turn.Take(step));
  return NextInTurn(step, element);
}

absl::StatusOr<int64_t> IteratorResource::Passed(StepContext& step) {
  Turn turn(*this);
  RETURN_IF_ERROR(turn.Take(step));
  ASSIGN_OR_RETURN(const std::shared_ptr<Run> run, Running());
  return run->passed;
}

absl::Status IteratorResource::GoTo(StepContext& step, int64_t passed) {
  Turn turn(*this);
  RETURN_IF_ERROR(turn.Take(step));
  ASSIGN_OR_RETURN(const std::shared_ptr<Run> run, Running());
  RETURN_IF_ERROR(StartInTurn(step, run->dataset));
  Element element;
  for (int64_t i = 0; i < passed; ++i) {
    ASSIGN_OR_RETURN(const bool more, NextInTurn(step, &element));
    if (!more) break;
  }
  return absl::OkStatus();
}

void IteratorResource::Stop() {
  if (const std::shared_ptr<Run> run = Exchange(nullptr)) run->scope->background().Stop();
}

}  // namespace flowlatch
