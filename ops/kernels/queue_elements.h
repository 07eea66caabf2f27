// Tensors of kernels as elements of queues and back.
#ifndef FLOWLATCH_OPS_KERNELS_QUEUE_ELEMENTS_H_
#define FLOWLATCH_OPS_KERNELS_QUEUE_ELEMENTS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/kernel/kernel.h"
#include "runtime/resource/queue.h"

namespace flowlatch {

// Takes inputs [first, end) as components. Memory that somebody lent to the step is copied: elements outlive it.
// Errors: ResourceExhausted.
absl::StatusOr<QueueElement> TakeComponents(KernelCall& c, int first);

// The element whose components are rows i of these tensors.
QueueElement ElementOfRows(const QueueElement& components, int64_t i);

// Sets the outputs to the components of `elements`, one row for each element. Where the queue knows a dimension in part only,
// rows are as long as the longest, and the others end in zeros (or empty strings). Errors: ResourceExhausted.
absl::Status OutputBatch(KernelCall& c, const QueueSpec& spec, absl::Span<const QueueElement> elements);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_QUEUE_ELEMENTS_H_
