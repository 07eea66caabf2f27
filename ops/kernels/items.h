// Items: tensors that lists and tensor arrays hold, as parts of one tensor.
#ifndef FLOWLATCH_OPS_KERNELS_ITEMS_H_
#define FLOWLATCH_OPS_KERNELS_ITEMS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tensor.h"
#include "ops/kernels/parallel.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

// [first, rest..]. Errors: InvalidArgument, as Shape::Make.
absl::StatusOr<Shape> WithFirst(int64_t first, absl::Span<const int64_t> rest);

// The shape of rows of `shape`. Errors: InvalidArgument for a scalar; `what` names it.
absl::StatusOr<PartialShape> WithoutFirst(const PartialShape& shape, const char* what);

// Row i of a tensor of shape [n, ..] as a tensor of its own: shares memory unless it is small. Requires: i < n.
Tensor RowAsItem(const Tensor& t, int64_t i);

// Rows [begin, begin + count), in memory of their own unless they are all. Requires: they are there.
absl::StatusOr<Tensor> RowsAsItem(const Tensor& t, int64_t begin, int64_t count);

// Checks that pieces of these lengths make up a tensor of `rows` rows. Errors: InvalidArgument.
absl::Status CheckLengths(absl::Span<const int64_t> lengths, int64_t rows);

// Writes an item, or zeros if it has no value, to elements [begin, begin + count) of an output of its dtype that is
// new.
void PlaceItem(const Tensor& item, Tensor& output, int64_t begin, int64_t count);

// Output 0 of shape [n, items..] from the items that item(i), -> const Tensor&, gives for i in [0, n). Those without a
// value become zeros. Errors: InvalidArgument when an item has another shape.
template <typename ItemAt>
absl::Status StackItems(KernelCall& c, DType dtype, int64_t n, const Shape& shape, const ItemAt& item) {
  absl::StatusOr<Shape> stacked = WithFirst(n, shape.dims());
  if (!stacked.ok()) return stacked.status();
  for (int64_t i = 0; i < n; ++i) {
    const Tensor& t = item(i);
    if (t.has_value() && t.dims() != shape.dims()) {
      return absl::InvalidArgumentError(
          absl::StrCat("item ", i, " to stack: expected shape ", shape.ToString(), ", got ", t.ShapeString()));
    }
  }
  absl::StatusOr<Tensor*> output = c.AllocateOutput(0, dtype, *stacked);
  if (!output.ok()) return output.status();
  if (stacked->num_elements() == 0) return absl::OkStatus();
  const int64_t count = shape.num_elements();
  const double ns_per_item = 5 + 0.1 * static_cast<double>((*output)->size_bytes() / n);
  RunLoop(c, n, ns_per_item, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) PlaceItem(item(i), **output, i * count, count);
  });
  return absl::OkStatus();
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_ITEMS_H_
