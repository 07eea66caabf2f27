#include "runtime/kernel/kernel.h"

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "runtime/kernel/step_context.h"

namespace flowlatch {

absl::Status NodeInfo::MissingAttr(std::string_view attr) const {
  return absl::InvalidArgumentError(absl::StrCat("attr '", absl::string_view(attr.data(), attr.size()), "' of op ",
                                                 schema_.name(), ": expected a value of the schema's kind, got none"));
}

absl::StatusOr<Tensor*> KernelCall::AllocateOutput(int i, DType dtype, const Shape& shape) {
  ASSIGN_OR_RETURN(outputs_[i], Tensor::Make(dtype, shape, step_->services().allocator));
  return &outputs_[i];
}

absl::StatusOr<Tensor*> KernelCall::AllocateOutput(int i, DType dtype, absl::Span<const int64_t> dims) {
  ASSIGN_OR_RETURN(outputs_[i], Tensor::Make(dtype, dims, step_->services().allocator));
  return &outputs_[i];
}

absl::StatusOr<Tensor*> KernelCall::ForwardOrAllocate(int i, int in, DType dtype, const Shape& shape) {
  const Tensor& from = input(in);
  if (CanForward(in) && from.dtype() == dtype && from.dims() == shape.dims()) {
    outputs_[i] = from;
    return &outputs_[i];
  }
  return AllocateOutput(i, dtype, shape);
}

void KernelCall::ParallelFor(int64_t n, double cost_per_item, const std::function<void(int64_t, int64_t)>& body) const {
  ThreadPool* pool = step_->services().pool;
  if (pool == nullptr || n <= 1) {
    if (n > 0) body(0, n);
    return;
  }
  pool->ParallelFor(n, cost_per_item, body);
}

KernelStatus KernelCall::Fail(absl::Status status) {
  step_->Fail(node_, std::move(status));
  return KernelStatus::kError;
}

}  // namespace flowlatch
