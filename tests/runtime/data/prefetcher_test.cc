#include "runtime/data/prefetcher.h"

#include <chrono>
#include <numeric>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

// 0, 1, 2, ...; fails at `fail_at`, and counts the rows that were taken.
class Counter final : public SourceDataset {
 public:
  Counter(int64_t n, int64_t fail_at, std::atomic<int64_t>* taken) : n_(n), fail_at_(fail_at), taken_(taken) {}
  const std::vector<std::string>& columns() const override { return columns_; }
  std::optional<int64_t> num_rows() const override { return n_; }
  absl::Status StartEpoch(int64_t epoch) override {
    next_ = 0;
    epoch_ = epoch;
    return epoch >= 0 ? absl::OkStatus() : absl::OutOfRangeError("epoch");
  }
  absl::StatusOr<bool> Next(std::vector<Tensor>* row) override {
    if (absl::Status status = CheckCancelled(); !status.ok()) return status;
    if (next_ == fail_at_) return absl::DataLossError("damaged");
    if (next_ == n_) return false;
    row->assign(1, Tensor::Scalar<int64_t>(epoch_ * 1000 + next_++));
    ++*taken_;
    return true;
  }

 private:
  const std::vector<std::string> columns_ = {"n"};
  const int64_t n_, fail_at_;
  std::atomic<int64_t>* const taken_;
  int64_t next_ = 0, epoch_ = 0;
};

class PrefetcherTest : public testing::Test {
 protected:
  std::unique_ptr<Dataset> Numbers(int64_t n, int ahead, int64_t fail_at = -1) {
    return std::make_unique<Prefetcher>(std::make_unique<Counter>(n, fail_at, &taken_), ahead);
  }
  std::atomic<int64_t> taken_{0};
};

TEST_F(PrefetcherTest, SameRowsInOrder) {
  for (const int ahead : {1, 2, 100}) {
    const auto data = Numbers(50, ahead);
    for (const int64_t epoch : {0, 1, 2}) {
      ASSERT_TRUE(data->StartEpoch(epoch).ok());
      std::vector<Tensor> row;
      for (int64_t i = 0; i < 50; ++i) {
        ASSERT_TRUE(*data->Next(&row));
        EXPECT_EQ(row[0].scalar<int64_t>(), epoch * 1000 + i);
      }
      EXPECT_FALSE(*data->Next(&row));
      EXPECT_FALSE(*data->Next(&row));
    }
  }
}

TEST_F(PrefetcherTest, ReadsNoFurtherThanItMay) {
  const auto data = Numbers(1000, 3);
  ASSERT_TRUE(data->StartEpoch(0).ok());
  std::vector<Tensor> row;
  for (int64_t i = 0; i < 20; ++i) {
    ASSERT_TRUE(*data->Next(&row));
    EXPECT_LE(taken_.load(), i + 1 + 3 + 1);
  }
}

TEST_F(PrefetcherTest, AnEpochMayBeginBeforeTheLastOneEnded) {
  const auto data = Numbers(1000, 5);
  std::vector<Tensor> row;
  for (int64_t epoch = 0; epoch < 100; ++epoch) {
    ASSERT_TRUE(data->StartEpoch(epoch).ok());
    ASSERT_TRUE(*data->Next(&row));
    EXPECT_EQ(row[0].scalar<int64_t>(), epoch * 1000);
  }
}

TEST_F(PrefetcherTest, ErrorsComeInTheirPlace) {
  const auto data = Numbers(10, 100, 2);
  ASSERT_TRUE(data->StartEpoch(0).ok());
  std::vector<Tensor> row;
  EXPECT_TRUE(*data->Next(&row));
  EXPECT_TRUE(*data->Next(&row));
  EXPECT_EQ(data->Next(&row).status(), absl::DataLossError("damaged"));
  EXPECT_EQ(data->Next(&row).status(), absl::DataLossError("damaged"));
  EXPECT_EQ(data->StartEpoch(-1).code(), absl::StatusCode::kOutOfRange);
}

TEST_F(PrefetcherTest, EndsAtOnce) {
  for (int i = 0; i < 100; ++i) {
    auto data = Numbers(int64_t{1} << 60, i % 3 + 1);
    if (i % 4 != 0) {
      ASSERT_TRUE(data->StartEpoch(0).ok());
    }
    std::vector<Tensor> row;
    if (i % 4 == 2) {
      ASSERT_TRUE(*data->Next(&row));
    }
    if (i % 4 == 3) data->Cancel();
    data.reset();
  }
}

TEST_F(PrefetcherTest, CancelWakesTheConsumer) {
  auto data = Numbers(int64_t{1} << 60, 1);
  ASSERT_TRUE(data->StartEpoch(0).ok());
  std::thread consumer([&] {
    std::vector<Tensor> row;
    absl::StatusOr<bool> more = true;
    while (more.ok()) more = data->Next(&row);
    EXPECT_EQ(more.status().code(), absl::StatusCode::kCancelled);
  });
  data->Cancel();
  consumer.join();
}

}  // namespace
}  // namespace flowlatch
