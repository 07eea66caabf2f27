#include "ops/kernels/parallel_map.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

// An element on its way.
struct Item {
  enum class State { kWaits, kRuns, kDone };
  State state = State::kRuns;
  Element element;                       // what came in, until it is done
  absl::StatusOr<bool> result = false;
};
using ItemPtr = std::shared_ptr<Item>;

class Map final : public ElementIterator {
 public:
  Map(IteratorPtr input, ElementFunction function) : input_(std::move(input)), function_(std::move(function)) {}

 protected:
  absl::StatusOr<bool> Get(StepContext& step, Element* element) override {
    if (ended_) return false;
    ASSIGN_OR_RETURN(bool more, input_->Next(step, element));
    if (more) {
      ASSIGN_OR_RETURN(more, function_(step, element));
    }
    ended_ = !more;
    return more;
  }

 private:
  const IteratorPtr input_;
  const ElementFunction function_;
  bool ended_ = false;
};

// Kept alive by its tasks as long as they run. The consumer works as tasks do, and waits only for what a running thread does,
// so it needs none of them to go on.
class Workshop : public std::enable_shared_from_this<Workshop> {
 public:
  Workshop(IteratorPtr input, ElementFunction function, size_t limit, int helpers, std::shared_ptr<IteratorScope> scope)
      : input_(std::move(input)), function_(std::move(function)), limit_(limit), max_helpers_(helpers), scope_(std::move(scope)) {}

  absl::StatusOr<bool> Take(StepContext& step, Element* element) {
    std::unique_lock<std::mutex> lock(mu_);
    for (;;) {
      if (finished_) return false;
      if (!items_.empty() && items_.front()->state == Item::State::kDone) {
        const ItemPtr item = std::move(items_.front());
        items_.pop_front();
        CallHelper();
        finished_ = item->result.ok() && !*item->result;
        *element = std::move(item->element);
        return item->result;
      }
      if (WorkOn(lock, step)) {
        RETURN_IF_ERROR(CheckInterrupted(step));
        continue;
      }
      RETURN_IF_ERROR(WaitFor(step, lock, changed_, [this] {
        return (!items_.empty() && items_.front()->state == Item::State::kDone) || HasWork();
      }));
    }
  }
  void Close() {
    std::lock_guard<std::mutex> lock(mu_);
    closed_ = true;
  }

 private:
  // All but Help require mu_, which is `lock`'s.
  bool CanGetInput() const { return !input_busy_ && !input_ended_ && !finished_ && items_.size() < limit_; }
  bool HasWork() const {
    return CanGetInput() || std::any_of(items_.begin(), items_.end(),
                                        [](const ItemPtr& item) { return item->state == Item::State::kWaits; });
  }

  void CallHelper() {
    if (helpers_ >= max_helpers_ || closed_ || !HasWork() || scope_->background().stopped()) return;
    ++helpers_;
    scope_->background().Schedule([weak = weak_from_this()](StepContext& step) {
      if (const std::shared_ptr<Workshop> self = weak.lock()) self->Help(step);
    });
  }

  void Help(StepContext& step) {
    std::unique_lock<std::mutex> lock(mu_);
    while (!closed_ && !scope_->background().stopped() && WorkOn(lock, step)) step.services().step_resources->Clear();
    --helpers_;
  }

  // Deals with one element. False: there is none to deal with.
  bool WorkOn(std::unique_lock<std::mutex>& lock, StepContext& step) {
    const auto waiting = std::find_if(items_.begin(), items_.end(),
                                      [](const ItemPtr& item) { return item->state == Item::State::kWaits; });
    ItemPtr item;
    if (waiting != items_.end()) {
      item = *waiting;
      item->state = Item::State::kRuns;
    } else if (CanGetInput()) {
      item = GetInput(lock, step);
      if (item == nullptr) return true;
    } else {
      return false;
    }
    CallHelper();
    lock.unlock();
    Element element = item->element;
    absl::StatusOr<bool> result = function_(step, &element);
    lock.lock();
    if (!result.ok() && !CheckInterrupted(step).ok()) {
      item->state = Item::State::kWaits;  // for another step
    } else {
      item->result = std::move(result);
      item->element = std::move(element);
      item->state = Item::State::kDone;
    }
    changed_.notify_all();
    return true;
  }

  // A new item to deal with; null when there is nothing more to do about it.
  ItemPtr GetInput(std::unique_lock<std::mutex>& lock, StepContext& step) {
    input_busy_ = true;
    ItemPtr item = std::make_shared<Item>();
    lock.unlock();
    const absl::StatusOr<bool> more = input_->Next(step, &item->element);
    lock.lock();
    input_busy_ = false;
    changed_.notify_all();
    if (!more.ok() && !CheckInterrupted(step).ok()) return nullptr;
    items_.push_back(item);
    if (more.ok() && *more) return item;
    input_ended_ = more.ok();
    item->result = more;
    item->state = Item::State::kDone;
    return nullptr;
  }

  const IteratorPtr input_;  // of whoever set input_busy_
  const ElementFunction function_;
  const size_t limit_;
  const int max_helpers_;
  const std::shared_ptr<IteratorScope> scope_;
  std::mutex mu_;
  std::condition_variable changed_;
  // Guarded by mu_.
  std::deque<ItemPtr> items_;  // in the order of the input
  int helpers_ = 0;            // tasks that run or are to
  bool input_busy_ = false, input_ended_ = false, finished_ = false, closed_ = false;
};

class ParallelMap final : public ElementIterator {
 public:
  explicit ParallelMap(std::shared_ptr<Workshop> workshop) : workshop_(std::move(workshop)) {}
  ~ParallelMap() override { workshop_->Close(); }

 protected:
  absl::StatusOr<bool> Get(StepContext& step, Element* element) override { return workshop_->Take(step, element); }

 private:
  const std::shared_ptr<Workshop> workshop_;
};

}  // namespace

IteratorPtr MapInParallel(IteratorPtr input, ElementFunction function, int64_t calls,
                          const std::shared_ptr<IteratorScope>& scope) {
  const int64_t threads = scope->background().num_threads();
  if (calls <= 1 || threads == 0) return std::make_unique<Map>(std::move(input), std::move(function));
  const int helpers = static_cast<int>(std::min(calls, threads));
  // Some more items than threads, so that the consumer may be away for a while.
  const size_t limit = static_cast<size_t>(std::max<int64_t>(std::min<int64_t>(calls, 1024), 4 * (threads + 1)));
  return std::make_unique<ParallelMap>(
      std::make_shared<Workshop>(std::move(input), std::move(function), limit, helpers, scope));
}

}  // namespace flowlatch
