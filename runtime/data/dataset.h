// Dataset: rows of tensors, one after another, epoch by epoch, and what training does with them: shuffling, batches, reading
// ahead (prefetcher.h).
//
//   ASSIGN_OR_RETURN(std::unique_ptr<Dataset> data, ArrayDataset({{"x", images}, {"y", labels}}));
//   data = Batched(Shuffled(std::move(data), 10'000, /*seed=*/1), {.size = 32});
//   std::vector<Tensor> batch;
//   for (int epoch = 0; epoch < 10; ++epoch) {
//     RETURN_IF_ERROR(data->StartEpoch(epoch));
//     while (true) {
//       ASSIGN_OR_RETURN(const bool more, data->Next(&batch));
//       if (!more) break;
//       ...
#ifndef FLOWLATCH_RUNTIME_DATA_DATASET_H_
#define FLOWLATCH_RUNTIME_DATA_DATASET_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

// The same epoch of the same dataset is the same rows in the same order, on any machine. Used by one thread at a time, but
// for Cancel.
class Dataset {
 public:
  virtual ~Dataset() = default;

  // The name of each tensor of a row.
  virtual const std::vector<std::string>& columns() const = 0;
  // Rows of an epoch, if that is known without reading them.
  virtual std::optional<int64_t> num_rows() const = 0;
  // Goes to the first row of epoch 0, 1, ... Must be called before the first Next.
  virtual absl::Status StartEpoch(int64_t epoch) = 0;
  // The next row; false at the end of the epoch. Errors: Cancelled, and those of where the rows come from.
  virtual absl::StatusOr<bool> Next(std::vector<Tensor>* row) = 0;
  // Makes Next fail from now on, a running one after a row at the latest. From any thread.
  virtual void Cancel() = 0;
};

// Tensors put together along a new first dimension; `pad`: those of different sizes are filled up with zeros (or "") to the
// largest. `what`: of errors. Errors: InvalidArgument for tensors of different dtypes or ranks, and without `pad` of different
// sizes, and when there are none; those of Tensor::Make.
absl::StatusOr<Tensor> Stack(absl::Span<const Tensor> rows, bool pad, const std::string& what);

// A dataset that begins a chain of them.
class SourceDataset : public Dataset {
 public:
  void Cancel() override { cancelled_.store(true, std::memory_order_relaxed); }

 protected:
  absl::Status CheckCancelled() const {
    return cancelled_.load(std::memory_order_relaxed) ? absl::CancelledError("reading of data: cancelled") : absl::OkStatus();
  }

 private:
  std::atomic<bool> cancelled_{false};
};

// Row i is element i of dimension 0 of each array. Errors: InvalidArgument without arrays, for scalars, and for arrays of
// different lengths.
absl::StatusOr<std::unique_ptr<Dataset>> ArrayDataset(std::vector<std::pair<std::string, Tensor>> arrays);

// In an order that (seed, epoch) choose: each row is drawn from the next `buffer_rows` ones, so that a buffer of the size of
// the data gives every order the same chance. Requires: buffer_rows >= 1.
std::unique_ptr<Dataset> Shuffled(std::unique_ptr<Dataset> rows, int64_t buffer_rows, uint64_t seed);

struct BatchOptions {
  int64_t size = 1;
  bool drop_remainder = false;  // the rows at the end that make no whole batch
  bool pad = false;             // rows of different sizes are filled up with zeros (or "") to the largest of the batch
};

// Rows put together by Stack. Requires: size >= 1.
std::unique_ptr<Dataset> Batched(std::unique_ptr<Dataset> rows, BatchOptions options);

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_DATA_DATASET_H_
