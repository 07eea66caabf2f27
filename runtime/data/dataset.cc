#include "runtime/data/dataset.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

// ---- Arrays

class Arrays final : public SourceDataset {
 public:
  Arrays(std::vector<std::string> columns, std::vector<Tensor> arrays)
      : columns_(std::move(columns)), arrays_(std::move(arrays)), num_rows_(arrays_[0].dim(0)) {}
  const std::vector<std::string>& columns() const override { return columns_; }
  std::optional<int64_t> num_rows() const override { return num_rows_; }
  absl::Status StartEpoch(int64_t) override {
    next_ = 0;
    return absl::OkStatus();
  }
  absl::StatusOr<bool> Next(std::vector<Tensor>* row) override {
    RETURN_IF_ERROR(CheckCancelled());
    if (next_ == num_rows_) return false;
    row->clear();
    for (const Tensor& array : arrays_) {
      const Tensor one = array.Rows(next_, 1);
      ASSIGN_OR_RETURN(Tensor element, one.Reshaped(Shape::FromValid(one.dims().subspan(1))));
      row->push_back(std::move(element));
    }
    ++next_;
    return true;
  }

 private:
  const std::vector<std::string> columns_;
  const std::vector<Tensor> arrays_;
  const int64_t num_rows_;
  int64_t next_ = 0;
};

// ---- Shuffling

// Uniform below `n`, the same everywhere: the standard library's distributions differ.
uint64_t Below(uint64_t n, std::mt19937_64& random) {
  const uint64_t limit = ~uint64_t{0} - ~uint64_t{0} % n;
  uint64_t value = random();
  while (value >= limit) value = random();
  return value % n;
}

class ShuffledRows final : public Dataset {
 public:
  ShuffledRows(std::unique_ptr<Dataset> rows, int64_t buffer_rows, uint64_t seed)
      : rows_(std::move(rows)), buffer_rows_(static_cast<size_t>(buffer_rows)), seed_(seed) {}
  const std::vector<std::string>& columns() const override { return rows_->columns(); }
  std::optional<int64_t> num_rows() const override { return rows_->num_rows(); }
  absl::Status StartEpoch(int64_t epoch) override {
    std::seed_seq seeds{static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32), static_cast<uint32_t>(epoch),
                        static_cast<uint32_t>(static_cast<uint64_t>(epoch) >> 32)};
    random_.seed(seeds);
    buffer_.clear();
    drained_ = false;
    return rows_->StartEpoch(epoch);
  }
  absl::StatusOr<bool> Next(std::vector<Tensor>* row) override {
    while (!drained_ && buffer_.size() < buffer_rows_) {
      std::vector<Tensor> next;
      ASSIGN_OR_RETURN(const bool more, rows_->Next(&next));
      drained_ = !more;
      if (more) buffer_.push_back(std::move(next));
    }
    if (buffer_.empty()) return false;
    std::swap(buffer_[static_cast<size_t>(Below(buffer_.size(), random_))], buffer_.back());
    *row = std::move(buffer_.back());
    buffer_.pop_back();
    return true;
  }
  void Cancel() override { rows_->Cancel(); }

 private:
  const std::unique_ptr<Dataset> rows_;
  const size_t buffer_rows_;
  const uint64_t seed_;
  std::mt19937_64 random_;
  std::vector<std::vector<Tensor>> buffer_;
  bool drained_ = false;
};

// ---- Batches

// Copies the block of `from` that begins at dimension `d` to the corner of the same block of `to`, which is at least as large.
template <typename T>
void CopyCorner(const Tensor& from, int d, const T*& source, T* to, absl::Span<const int64_t> strides) {
  if (d == from.rank()) {
    *to = *source++;
    return;
  }
  for (int64_t i = 0; i < from.dim(d); ++i) CopyCorner(from, d + 1, source, to + i * strides[static_cast<size_t>(d)], strides);
}

// Copies each row to its part of `batch`, whose elements are zeros.
template <typename T>
void CopyRows(absl::Span<const Tensor> rows, const Shape& element, Tensor* batch) {
  std::vector<int64_t> strides(static_cast<size_t>(element.rank()), 1);
  for (size_t d = strides.size(); d-- > 1;) strides[d - 1] = strides[d] * element.dim(static_cast<int>(d));
  T* to = batch->mutable_data<T>();
  for (const Tensor& row : rows) {
    const T* source = row.data<T>();
    if (row.num_elements() == element.num_elements()) {
      std::copy_n(source, element.num_elements(), to);
    } else {
      CopyCorner<T>(row, 0, source, to, strides);
    }
    to += element.num_elements();
  }
}

// The shape that holds each of the rows.
absl::StatusOr<Shape> ShapeOfLargest(absl::Span<const Tensor> rows, bool pad, const std::string& what) {
  const Tensor& first = rows[0];
  std::vector<int64_t> dims(first.dims().begin(), first.dims().end());
  for (const Tensor& row : rows) {
    bool fits = row.dtype() == first.dtype() && row.rank() == first.rank();
    for (int d = 0; fits && d < row.rank(); ++d) {
      fits = pad || row.dim(d) == first.dim(d);
      dims[static_cast<size_t>(d)] = std::max(dims[static_cast<size_t>(d)], row.dim(d));
    }
    if (!fits) {
      return absl::InvalidArgumentError(absl::StrCat(what, ": expected rows of one dtype and shape, got ",
                                                     std::string(DTypeName(first.dtype())), first.ShapeString(), " and ",
                                                     std::string(DTypeName(row.dtype())), row.ShapeString()));
    }
  }
  return Shape::Make(dims);
}

class Batches final : public Dataset {
 public:
  Batches(std::unique_ptr<Dataset> rows, BatchOptions options) : rows_(std::move(rows)), options_(options) {}
  const std::vector<std::string>& columns() const override { return rows_->columns(); }
  std::optional<int64_t> num_rows() const override {
    const std::optional<int64_t> rows = rows_->num_rows();
    if (!rows.has_value()) return rows;
    return *rows / options_.size + (!options_.drop_remainder && *rows % options_.size != 0);
  }
  absl::Status StartEpoch(int64_t epoch) override { return rows_->StartEpoch(epoch); }
  absl::StatusOr<bool> Next(std::vector<Tensor>* batch) override {
    std::vector<std::vector<Tensor>> by_column(columns().size());
    std::vector<Tensor> row;
    int64_t size = 0;
    for (; size < options_.size; ++size) {
      ASSIGN_OR_RETURN(const bool more, rows_->Next(&row));
      if (!more) break;
      for (size_t i = 0; i < row.size(); ++i) by_column[i].push_back(std::move(row[i]));
    }
    if (size == 0 || (options_.drop_remainder && size < options_.size)) return false;
    batch->clear();
    for (size_t i = 0; i < by_column.size(); ++i) {
      ASSIGN_OR_RETURN(Tensor stacked, Stack(by_column[i], options_.pad, absl::StrCat("batch of '", columns()[i], "'")));
      batch->push_back(std::move(stacked));
    }
    return true;
  }
  void Cancel() override { rows_->Cancel(); }

 private:
  const std::unique_ptr<Dataset> rows_;
  const BatchOptions options_;
};

}  // namespace

absl::StatusOr<Tensor> Stack(absl::Span<const Tensor> rows, bool pad, const std::string& what) {
  if (rows.empty()) return absl::InvalidArgumentError(absl::StrCat(what, ": expected rows, got none"));
  ASSIGN_OR_RETURN(const Shape element, ShapeOfLargest(rows, pad, what));
  std::vector<int64_t> dims = {static_cast<int64_t>(rows.size())};
  dims.insert(dims.end(), element.dims().begin(), element.dims().end());
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  ASSIGN_OR_RETURN(Tensor batch, Tensor::Zeros(rows[0].dtype(), shape));
  if (batch.num_elements() == 0) return batch;
  switch (batch.dtype()) {
#define FLOWLATCH_X(enumerator, number, name, type) \
  case DType::enumerator:                           \
    CopyRows<type>(rows, element, &batch);          \
    break;
    FLOWLATCH_DTYPES(FLOWLATCH_X)
#undef FLOWLATCH_X
    case DType::kInvalid:
      break;
  }
  return batch;
}

absl::StatusOr<std::unique_ptr<Dataset>> ArrayDataset(std::vector<std::pair<std::string, Tensor>> arrays) {
  if (arrays.empty()) return absl::InvalidArgumentError("arrays of a dataset: expected at least one, got none");
  std::vector<std::string> columns;
  std::vector<Tensor> tensors;
  for (auto& [name, array] : arrays) {
    if (array.rank() == 0 || array.dim(0) != arrays[0].second.dim(0)) {
      return absl::InvalidArgumentError(absl::StrCat("array '", name, "' of a dataset: expected ",
                                                     array.rank() == 0 || arrays[0].second.rank() == 0
                                                         ? "rows"
                                                         : absl::StrCat(arrays[0].second.dim(0), " rows as in '", arrays[0].first, "'"),
                                                     ", got shape ", array.ShapeString()));
    }
    columns.push_back(name);
    tensors.push_back(array);
  }
  return std::make_unique<Arrays>(std::move(columns), std::move(tensors));
}

std::unique_ptr<Dataset> Shuffled(std::unique_ptr<Dataset> rows, int64_t buffer_rows, uint64_t seed) {
  return std::make_unique<ShuffledRows>(std::move(rows), buffer_rows, seed);
}

std::unique_ptr<Dataset> Batched(std::unique_ptr<Dataset> rows, BatchOptions options) {
  return std::make_unique<Batches>(std::move(rows), options);
}

}  // namespace flowlatch
