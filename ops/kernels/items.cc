#include "ops/kernels/items.h"

#include <cstring>

#include "ops/kernels/slice_copy.h"

namespace flowlatch {

absl::StatusOr<Shape> WithFirst(int64_t first, absl::Span<const int64_t> rest) {
  Dims dims = {first};
  dims.insert(dims.end(), rest.begin(), rest.end());
  return Shape::Make(dims);
}

absl::StatusOr<PartialShape> WithoutFirst(const PartialShape& shape, const char* what) {
  if (!shape.has_rank()) return PartialShape();
  if (shape.rank() == 0) return absl::InvalidArgumentError(absl::StrCat(what, ": expected rank >= 1, got a scalar"));
  return PartialShape::FromValid(shape.dims().subspan(1));
}

Tensor RowAsItem(const Tensor& t, int64_t i) {
  const Shape shape = Shape::FromValid(t.dims().subspan(1));
  const Tensor row = t.Rows(i, 1).BitcastTo(t.dtype(), shape);
  if (shape.rank() > 0) return row;
  absl::StatusOr<Tensor> scalar = row.Clone();  // a scalar needs no memory
  return scalar.ok() ? *std::move(scalar) : row;
}

absl::StatusOr<Tensor> RowsAsItem(const Tensor& t, int64_t begin, int64_t count) {
  const Tensor rows = t.Rows(begin, count);
  return count == t.dim(0) ? absl::StatusOr<Tensor>(rows) : rows.Clone();
}

absl::Status CheckLengths(absl::Span<const int64_t> lengths, int64_t rows) {
  int64_t rest = rows;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 0 || lengths[i] > rest) {
      return absl::InvalidArgumentError(absl::StrCat("lengths[", i, "]: expected a value in [0,", rest,
                                                     "], which are left of the tensor, got ", lengths[i]));
    }
    rest -= lengths[i];
  }
  if (rest == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("sum of lengths: expected ", rows, ", got ", rows - rest));
}

void PlaceItem(const Tensor& item, Tensor& output, int64_t begin, int64_t count) {
  const DType dtype = output.dtype();
  if (count == 0 || (!item.has_value() && IsObjectDType(dtype))) return;
  const int64_t size = static_cast<int64_t>(DTypeSize(dtype));
  char* to = static_cast<char*>(output.raw_mutable_data()) + begin * size;
  if (item.has_value()) {
    CopyElements(dtype, item.raw_data(), to, count);
  } else {
    std::memset(to, 0, count * size);
  }
}

}  // namespace flowlatch
