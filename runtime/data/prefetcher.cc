#include "runtime/data/prefetcher.h"

#include <utility>

#include "graph/base/status_macros.h"

namespace flowlatch {

Prefetcher::Prefetcher(std::unique_ptr<Dataset> rows, int ahead) : rows_(std::move(rows)), ahead_(static_cast<size_t>(ahead)) {}

Prefetcher::~Prefetcher() {
  rows_->Cancel();
  Stop();
}

void Prefetcher::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mu_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

absl::Status Prefetcher::StartEpoch(int64_t epoch) {
  Stop();
  ready_.clear();
  end_.reset();
  stop_ = false;
  RETURN_IF_ERROR(rows_->StartEpoch(epoch));
  thread_ = std::thread([this] { Read(); });
  return absl::OkStatus();
}

void Prefetcher::Read() {
  while (true) {
    std::vector<Tensor> row;
    const absl::StatusOr<bool> more = rows_->Next(&row);
    std::unique_lock<std::mutex> lock(mu_);
    const bool ended = !more.ok() || !*more;
    if (ended) {
      end_ = more.status();
    } else {
      ready_.push_back(std::move(row));
    }
    changed_.notify_all();
    if (ended) return;
    changed_.wait(lock, [&] { return stop_ || ready_.size() < ahead_; });
    if (stop_) return;
  }
}

absl::StatusOr<bool> Prefetcher::Next(std::vector<Tensor>* row) {
  std::unique_lock<std::mutex> lock(mu_);
  changed_.wait(lock, [&] { return !ready_.empty() || end_.has_value() || stop_; });
  if (ready_.empty()) {
    if (end_.has_value() && !end_->ok()) return *end_;
    if (end_.has_value()) return false;
    return absl::CancelledError("reading of data: cancelled");
  }
  *row = std::move(ready_.front());
  ready_.pop_front();
  lock.unlock();
  changed_.notify_all();
  return true;
}

void Prefetcher::Cancel() {
  rows_->Cancel();
  {
    const std::lock_guard<std::mutex> lock(mu_);
    stop_ = true;
  }
  changed_.notify_all();
}

}  // namespace flowlatch
