#include "ops/kernels/accumulator.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "ops/kernels/items.h"
#include "ops/kernels/numeric_variant.h"
#include "ops/kernels/slice_copy.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/step_context.h"

namespace flowlatch {
namespace {

// Elements [begin, begin + n) of t, divided by `count`. Requires: a dtype of kAccumulatorTypes.
void Divide(Tensor& t, int64_t begin, int64_t n, int64_t count) {
  DispatchDType<kAccumulatorTypes>(t.dtype(), 0, [&]<typename T>() {
    using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const Wide divisor = static_cast<Wide>(static_cast<T>(static_cast<Wide>(count)));
    T* const x = t.mutable_data<T>() + begin;
    for (int64_t i = 0; i < n; ++i) x[i] = static_cast<T>(static_cast<Wide>(x[i]) / divisor);
    return 0;
  });
}

// Adds n elements of y, from y_begin on, to those of x. Requires: a dtype of kAccumulatorTypes.
void AddRow(Tensor& x, int64_t x_begin, const Tensor& y, int64_t y_begin, int64_t n) {
  DispatchDType<kAccumulatorTypes>(x.dtype(), 0, [&]<typename T>() {
    using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    T* const to = x.mutable_data<T>() + x_begin;
    const T* const from = y.data<T>() + y_begin;
    for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(static_cast<Wide>(to[i]) + static_cast<Wide>(from[i]));
    return 0;
  });
}

void CopyRow(const Tensor& from, int64_t from_begin, Tensor& to, int64_t to_begin, int64_t n) {
  const int64_t size = static_cast<int64_t>(DTypeSize(from.dtype()));
  CopyElements(from.dtype(), static_cast<const char*>(from.raw_data()) + from_begin * size,
               static_cast<char*>(to.raw_mutable_data()) + to_begin * size, n);
}

}  // namespace

// ---- Accumulator

int64_t Accumulator::num_accumulated() {
  std::lock_guard<std::mutex> lock(mu());
  return count_;
}

void Accumulator::SetStep(int64_t step) {
  std::lock_guard<std::mutex> lock(mu());
  step_ = step;
}

absl::Status Accumulator::Apply(int64_t step, const std::function<absl::Status()>& add) {
  return RunNow([&]() -> absl::Status {
    if (step < step_) return absl::OkStatus();
    RETURN_IF_ERROR(add());
    ++count_;
    return absl::OkStatus();
  });
}

void Accumulator::Take(KernelCall& c, int64_t num_required, Done done) {
  Run(
      *c.step().services().cancellation,
      [this, &c, num_required]() -> std::optional<absl::Status> {
        if (count_ < num_required) return std::nullopt;
        RETURN_IF_ERROR(TakeLocked(c));
        count_ = 0;
        ++step_;
        return absl::OkStatus();
      },
      std::move(done));
}

absl::Status Accumulator::Mismatch(const std::string& want, const std::string& got) {
  return absl::InvalidArgumentError(absl::StrCat("gradient: expected ", want, ", got ", got));
}

// ---- Dense

absl::Status DenseAccumulator::Add(int64_t step, Tensor gradient) {
  return Apply(step, [&]() -> absl::Status {
    if (!type().shape.CompatibleWith(gradient.shape())) {
      return Mismatch(absl::StrCat("shape ", type().shape.ToString()), gradient.ShapeString());
    }
    if (count() == 0) {
      sum_ = std::move(gradient);
      return absl::OkStatus();
    }
    if (gradient.dims() != sum_.dims())
      return Mismatch(absl::StrCat("shape ", sum_.ShapeString()), gradient.ShapeString());
    return AddInto(sum_, gradient);
  });
}

absl::Status DenseAccumulator::TakeLocked(KernelCall& c) {
  if (type().mean && count() > 1) {
    if (!sum_.is_sole_owner()) {
      ASSIGN_OR_RETURN(sum_, sum_.Clone());
    }
    Divide(sum_, 0, sum_.num_elements(), count());
  }
  c.SetOutput(0, std::move(sum_));
  return absl::OkStatus();
}

// ---- Sparse

absl::Status SparseAccumulator::Check(const Tensor& indices, const Tensor& values,
                                      const std::optional<Dims>& shape) const {
  if (!indices.is_vector()) return Mismatch("a vector of indices", absl::StrCat("shape ", indices.ShapeString()));
  if (values.rank() == 0) return Mismatch("rows of values", "a scalar");
  if (values.dim(0) != indices.dim(0)) {
    return Mismatch(absl::StrCat(indices.dim(0), " rows of values"), absl::StrCat("shape ", values.ShapeString()));
  }
  const PartialShape& want = type().shape;
  if (want.has_rank() && want.rank() > 0) {
    if (shape.has_value() && !want.CompatibleWith(PartialShape::FromValid(*shape))) {
      return Mismatch(absl::StrCat("shape ", want.ToString()), DimsToString(*shape));
    }
    const PartialShape rows = PartialShape::FromValid(want.dims().subspan(1));
    if (!rows.CompatibleWith(PartialShape::FromValid(values.dims().subspan(1)))) {
      return Mismatch(absl::StrCat("rows of shape ", rows.ToString()),
                      absl::StrCat("values of ", values.ShapeString()));
    }
    for (const int64_t i : indices.values<int64_t>()) {
      if (want.has_dim(0) && i >= want.dim(0)) {
        return Mismatch(absl::StrCat("indices below ", want.dim(0)), absl::StrCat(i));
      }
    }
  }
  if (count() > 0 && values.dims().subspan(1) != values_.dims().subspan(1)) {
    return Mismatch(absl::StrCat("rows as in ", values_.ShapeString()),
                    absl::StrCat("values of ", values.ShapeString()));
  }
  return absl::OkStatus();
}

absl::Status SparseAccumulator::Add(int64_t step, const Tensor& indices, Tensor values,
                                    const std::optional<Dims>& shape) {
  return Apply(step, [&]() -> absl::Status {
    RETURN_IF_ERROR(Check(indices, values, shape));
    if (count() > 0) return Merge(indices, values);
    const absl::Span<const int64_t> rows = indices.values<int64_t>();
    indices_.assign(rows.begin(), rows.end());
    counts_.assign(rows.size(), 1);
    values_ = std::move(values);
    return absl::OkStatus();
  });
}

absl::Status SparseAccumulator::Merge(const Tensor& indices, const Tensor& values) {
  struct Row {
    int64_t index = 0, count = 0;
    int64_t old_row = -1, new_row = -1;  // -1: none
  };
  const absl::Span<const int64_t> added = indices.values<int64_t>();
  std::vector<Row> rows;
  rows.reserve(indices_.size() + added.size());
  for (size_t i = 0, j = 0; i < indices_.size() || j < added.size();) {
    Row row;
    const bool takes_old = j == added.size() || (i < indices_.size() && indices_[i] <= added[j]);
    const bool takes_new = i == indices_.size() || (j < added.size() && added[j] <= indices_[i]);
    if (takes_old) {
      row = {indices_[i], counts_[i], static_cast<int64_t>(i), -1};
    }
    if (takes_new) {
      row.index = added[j];
      row.new_row = static_cast<int64_t>(j);
      ++row.count;
    }
    i += takes_old;
    j += takes_new;
    rows.push_back(row);
  }
  ASSIGN_OR_RETURN(const Shape shape, WithFirst(static_cast<int64_t>(rows.size()), values.dims().subspan(1)));
  ASSIGN_OR_RETURN(Tensor merged, Tensor::Make(values.dtype(), shape));
  const int64_t n = rows.empty() ? 0 : shape.num_elements() / shape.dim(0);
  indices_.clear();
  counts_.clear();
  for (size_t k = 0; k < rows.size(); ++k) {
    const Row& row = rows[k];
    const int64_t begin = static_cast<int64_t>(k) * n;
    if (row.old_row >= 0) CopyRow(values_, row.old_row * n, merged, begin, n);
    if (row.old_row < 0) CopyRow(values, row.new_row * n, merged, begin, n);
    if (row.old_row >= 0 && row.new_row >= 0) AddRow(merged, begin, values, row.new_row * n, n);
    indices_.push_back(row.index);
    counts_.push_back(row.count);
  }
  values_ = std::move(merged);
  return absl::OkStatus();
}

absl::Status SparseAccumulator::TakeLocked(KernelCall& c) {
  ASSIGN_OR_RETURN(Tensor indices,
                   Tensor::FromValues<int64_t>(Shape::Of({static_cast<int64_t>(indices_.size())}), indices_));
  if (type().mean && count() > 1) {
    if (!values_.is_sole_owner()) {
      ASSIGN_OR_RETURN(values_, values_.Clone());
    }
    const int64_t n = indices_.empty() ? 0 : values_.num_elements() / values_.dim(0);
    for (size_t k = 0; k < counts_.size(); ++k) Divide(values_, static_cast<int64_t>(k) * n, n, counts_[k]);
  }
  Dims dims(values_.dims().begin(), values_.dims().end());
  dims[0] = type().shape.has_rank() && type().shape.rank() > 0 ? type().shape.dim(0) : -1;
  ASSIGN_OR_RETURN(Tensor shape, Tensor::FromValues<int64_t>(Shape::Of({static_cast<int64_t>(dims.size())}), dims));
  c.SetOutput(0, std::move(indices));
  c.SetOutput(1, std::move(values_));
  c.SetOutput(2, std::move(shape));
  indices_.clear();
  counts_.clear();
  return absl::OkStatus();
}

}  // namespace flowlatch
