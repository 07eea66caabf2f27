#include "ops/kernels/queue_elements.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "graph/base/status_macros.h"
#include "ops/kernels/items.h"
#include "ops/kernels/slice_copy.h"
#include "runtime/kernel/step_context.h"

namespace flowlatch {
namespace {

// Copies `from` to the corner of an item with dimensions `dims`, none of which is smaller. Requires: rank >= 1.
void CopyToCorner(const Tensor& from, absl::Span<const int64_t> dims, char* item) {
  if (from.num_elements() == 0) return;
  const int last = from.rank() - 1;
  const int64_t run = from.dim(last), element_size = static_cast<int64_t>(DTypeSize(from.dtype()));
  const char* row = static_cast<const char*>(from.raw_data());
  Dims position(last, 0);
  for (int64_t rows = from.num_elements() / run; rows > 0; --rows, row += run * element_size) {
    int64_t offset = 0;
    for (int k = 0; k < last; ++k) offset = (offset + position[k]) * dims[k + 1];
    CopyElements(from.dtype(), row, item + offset * element_size, run);
    for (int k = last - 1; k >= 0 && ++position[k] == from.dim(k); --k) position[k] = 0;
  }
}

absl::Status OutputComponent(KernelCall& c, int component, DType dtype, const PartialShape& declared,
                             absl::Span<const QueueElement> elements) {
  Dims dims(declared.dims().begin(), declared.dims().end());
  for (int64_t& dim : dims) dim = std::max<int64_t>(dim, 0);
  bool pads = false;
  for (const QueueElement& element : elements) {
    for (size_t k = 0; k < dims.size(); ++k) dims[k] = std::max(dims[k], element[component].dim(static_cast<int>(k)));
  }
  for (const QueueElement& element : elements) pads |= element[component].dims() != absl::MakeConstSpan(dims);
  ASSIGN_OR_RETURN(const Shape shape, WithFirst(static_cast<int64_t>(elements.size()), dims));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(component, dtype, shape));
  if (shape.num_elements() == 0) return absl::OkStatus();
  char* item = static_cast<char*>(output->raw_mutable_data());
  const int64_t item_bytes = output->size_bytes() / shape.dim(0);
  if (pads && !IsObjectDType(dtype)) std::memset(item, 0, output->size_bytes());
  for (const QueueElement& element : elements) {
    const Tensor& value = element[component];
    if (pads) {
      CopyToCorner(value, dims, item);
    } else {
      CopyElements(dtype, value.raw_data(), item, value.num_elements());
    }
    item += item_bytes;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<QueueElement> TakeComponents(KernelCall& c, int first) {
  QueueElement components;
  components.reserve(c.num_inputs() - first);
  for (int i = first; i < c.num_inputs(); ++i) {
    Tensor value = c.TakeInput(i);
    if (ABSL_PREDICT_FALSE(value.is_borrowed())) {
      ASSIGN_OR_RETURN(value, value.Clone(c.step().services().allocator));
    }
    components.push_back(std::move(value));
  }
  return components;
}

QueueElement ElementOfRows(const QueueElement& components, int64_t i) {
  QueueElement element;
  element.reserve(components.size());
  for (const Tensor& component : components) element.push_back(RowAsItem(component, i));
  return element;
}

absl::Status OutputBatch(KernelCall& c, const QueueSpec& spec, absl::Span<const QueueElement> elements) {
  for (size_t i = 0; i < spec.dtypes.size(); ++i) {
    RETURN_IF_ERROR(OutputComponent(c, static_cast<int>(i), spec.dtypes[i], spec.shapes[i], elements));
  }
  return absl::OkStatus();
}

}  // namespace flowlatch
