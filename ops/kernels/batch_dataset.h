// Batches: elements put together along a new first dimension.
#ifndef FLOWLATCH_OPS_KERNELS_BATCH_DATASET_H_
#define FLOWLATCH_OPS_KERNELS_BATCH_DATASET_H_

#include <cstdint>
#include <vector>

#include "ops/kernels/graph_dataset.h"

namespace flowlatch {

struct Batching {
  int64_t size = 1;
  bool drop_remainder = false;     // leave out a last batch that is smaller
  bool passes_over_error = false;  // a batch with an error takes as many elements as another; else it ends with the error
};

// The value of input `i`. Errors: InvalidArgument unless it is a scalar > 0.
absl::StatusOr<int64_t> ReadBatchSize(const KernelCall& c, int i);

// Requires: batching.size > 0.
RefPtr<GraphDataset> BatchesOf(ElementSpec spec, DatasetPtr input, const Batching& batching);

// The number of batches of `n` elements, which may be infinitely many or unknown.
int64_t NumBatches(int64_t n, int64_t size, bool drop_remainder);

// Up to `batching.size` elements; fewer at the end.
absl::StatusOr<std::vector<Element>> GetBatch(ElementIterator& input, StepContext& step, const Batching& batching);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_BATCH_DATASET_H_
