// Prefetcher: reads a dataset ahead of its consumer, on a thread of its own.
#ifndef FLOWLATCH_RUNTIME_DATA_PREFETCHER_H_
#define FLOWLATCH_RUNTIME_DATA_PREFETCHER_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/data/dataset.h"

namespace flowlatch {

// Destroying it, StartEpoch and Cancel stop the thread after the row that it is at. Used by one thread at a time, but for
// Cancel.
class Prefetcher final : public Dataset {
 public:
  // Keeps up to `ahead` rows. Requires: ahead >= 1.
  Prefetcher(std::unique_ptr<Dataset> rows, int ahead);
  ~Prefetcher() override;
  const std::vector<std::string>& columns() const override { return rows_->columns(); }
  std::optional<int64_t> num_rows() const override { return rows_->num_rows(); }
  absl::Status StartEpoch(int64_t epoch) override;
  absl::StatusOr<bool> Next(std::vector<Tensor>* row) override;
  void Cancel() override;

 private:
  void Read();
  void Stop();

  const std::unique_ptr<Dataset> rows_;  // the thread's while there is one
  const size_t ahead_;
  std::thread thread_;
  std::mutex mu_;
  std::condition_variable changed_;
  // Guarded by mu_.
  std::deque<std::vector<Tensor>> ready_;
  std::optional<absl::Status> end_;  // what comes behind ready_: the end of the epoch, or an error
  bool stop_ = false;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_DATA_PREFETCHER_H_
