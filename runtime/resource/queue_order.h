// QueueOrder: the elements of a queue, and which of them leaves next.
#ifndef FLOWLATCH_RUNTIME_RESOURCE_QUEUE_ORDER_H_
#define FLOWLATCH_RUNTIME_RESOURCE_QUEUE_ORDER_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/container/inlined_vector.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

// One tensor for each component of the queue.
using QueueElement = absl::InlinedVector<Tensor, 1>;

// Not thread-safe: the queue's lock guards it.
class QueueOrder {
 public:
  virtual ~QueueOrder() = default;
  virtual int64_t size() const = 0;
  virtual void Push(QueueElement element) = 0;
  // Requires: size() > 0.
  virtual QueueElement Pop() = 0;
  // Undoes the last Pop that has not been undone.
  virtual void PutBack(QueueElement element) = 0;
};

// First in, first out.
std::unique_ptr<QueueOrder> MakeFifoOrder();
// The element whose first component, an int64 scalar, is least; the oldest of several.
std::unique_ptr<QueueOrder> MakePriorityOrder();
// The element at random() modulo their number; the last one takes its place, as in TensorFlow.
std::unique_ptr<QueueOrder> MakeRandomOrder(std::function<uint32_t()> random);

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_RESOURCE_QUEUE_ORDER_H_
