#include "runtime/resource/queue_order.h"

#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace flowlatch {
namespace {

class FifoOrder final : public QueueOrder {
 public:
  int64_t size() const override { return static_cast<int64_t>(elements_.size()); }
  void Push(QueueElement element) override { elements_.push_back(std::move(element)); }
  QueueElement Pop() override {
    QueueElement first = std::move(elements_.front());
    elements_.pop_front();
    return first;
  }
  void PutBack(QueueElement element) override { elements_.push_front(std::move(element)); }

 private:
  std::deque<QueueElement> elements_;
};

class PriorityOrder final : public QueueOrder {
 public:
  int64_t size() const override { return static_cast<int64_t>(elements_.size()); }
  void Push(QueueElement element) override {
    const int64_t priority = element[0].scalar<int64_t>();
    elements_.emplace_hint(elements_.upper_bound(priority), priority, std::move(element));
  }
  QueueElement Pop() override { return std::move(elements_.extract(elements_.begin()).mapped()); }
  void PutBack(QueueElement element) override {
    const int64_t priority = element[0].scalar<int64_t>();
    elements_.emplace_hint(elements_.lower_bound(priority), priority, std::move(element));
  }

 private:
  std::multimap<int64_t, QueueElement> elements_;
};

class RandomOrder final : public QueueOrder {
 public:
  explicit RandomOrder(std::function<uint32_t()> random) : random_(std::move(random)) {}
  int64_t size() const override { return static_cast<int64_t>(elements_.size()); }
  void Push(QueueElement element) override { elements_.push_back(std::move(element)); }
  QueueElement Pop() override {
    std::swap(elements_[random_() % elements_.size()], elements_.back());
    QueueElement chosen = std::move(elements_.back());
    elements_.pop_back();
    return chosen;
  }
  void PutBack(QueueElement element) override { Push(std::move(element)); }

 private:
  std::vector<QueueElement> elements_;
  const std::function<uint32_t()> random_;
};

}  // namespace

std::unique_ptr<QueueOrder> MakeFifoOrder() { return std::make_unique<FifoOrder>(); }
std::unique_ptr<QueueOrder> MakePriorityOrder() { return std::make_unique<PriorityOrder>(); }
std::unique_ptr<QueueOrder> MakeRandomOrder(std::function<uint32_t()> random) {
  return std::make_unique<RandomOrder>(std::move(random));
}

}  // namespace flowlatch
