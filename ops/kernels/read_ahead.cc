#include "ops/kernels/read_ahead.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

// An element, the end, or an error.
struct Got {
  absl::StatusOr<bool> more = false;
  Element element;
};

// Kept alive by a task as long as it runs.
//
// Who finds nothing ready and nobody at work gets the element itself, so that nobody ever waits for a task that is not
// running yet: pipelines of such iterators need no more than one thread to go on.
class AheadOfUse : public std::enable_shared_from_this<AheadOfUse> {
 public:
  AheadOfUse(IteratorPtr input, size_t ahead, std::shared_ptr<IteratorScope> scope)
      : input_(std::move(input)), ahead_(ahead), scope_(std::move(scope)) {}

  absl::StatusOr<bool> Take(StepContext& step, Element* element) {
    std::unique_lock<std::mutex> lock(mu_);
    while (ready_.empty()) {
      if (ended_) return false;
      if (!getting_) {
        getting_ = true;
        lock.unlock();
        const absl::StatusOr<bool> more = input_->Next(step, element);
        lock.lock();
        getting_ = false;
        if (more.ok() && !*more) ended_ = true;
        if (!ended_) FillLater(lock);
        return more;
      }
      RETURN_IF_ERROR(WaitFor(step, lock, changed_, [this] { return !ready_.empty() || !getting_; }));
    }
    Got got = std::move(ready_.front());
    ready_.pop_front();
    if (ready_.size() <= ahead_ / 2) FillLater(lock);  // in one go, since waking a thread is dear
    *element = std::move(got.element);
    return got.more;
  }
  void Close() {
    std::lock_guard<std::mutex> lock(mu_);
    closed_ = true;
  }

 private:
  // Requires: `lock` is held.
  void FillLater(std::unique_lock<std::mutex>& lock) {
    if (scheduled_ || getting_ || ended_ || scope_->background().stopped()) return;
    scheduled_ = true;
    lock.unlock();
    scope_->background().Schedule([weak = weak_from_this()](StepContext& step) {
      if (const std::shared_ptr<AheadOfUse> self = weak.lock()) self->Fill(step);
    });
    lock.lock();
  }

  void Fill(StepContext& step) {
    std::unique_lock<std::mutex> lock(mu_);
    scheduled_ = false;
    while (!getting_ && !closed_ && !ended_ && ready_.size() < ahead_) {
      getting_ = true;
      lock.unlock();
      Got got;
      got.more = input_->Next(step, &got.element);
      step.services().step_resources->Clear();
      lock.lock();
      getting_ = false;
      const bool stopped = scope_->background().stopped();
      if (!stopped) {
        ended_ = got.more.ok() && !*got.more;
        if (!ended_) ready_.push_back(std::move(got));
      }
      changed_.notify_all();
      if (stopped) return;
    }
  }

  const IteratorPtr input_;  // of whoever set getting_
  const size_t ahead_;
  const std::shared_ptr<IteratorScope> scope_;
  std::mutex mu_;
  std::condition_variable changed_;
  // Guarded by mu_.
  std::deque<Got> ready_;
  bool getting_ = false, scheduled_ = false, ended_ = false, closed_ = false;
};

class AheadIterator final : public ElementIterator {
 public:
  explicit AheadIterator(std::shared_ptr<AheadOfUse> ahead) : ahead_(std::move(ahead)) {}
  ~AheadIterator() override { ahead_->Close(); }

 protected:
  absl::StatusOr<bool> Get(StepContext& step, Element* element) override { return ahead_->Take(step, element); }

 private:
  const std::shared_ptr<AheadOfUse> ahead_;
};

}  // namespace

IteratorPtr ReadAhead(IteratorPtr input, int64_t ahead, const std::shared_ptr<IteratorScope>& scope) {
  if (ahead <= 0 || scope->background().num_threads() == 0) return input;
  return std::make_unique<AheadIterator>(std::make_shared<AheadOfUse>(std::move(input), static_cast<size_t>(ahead), scope));
}

}  // namespace flowlatch
