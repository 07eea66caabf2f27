// Writing asynchronous kernels as functions that return what kept them from starting.
#ifndef FLOWLATCH_OPS_KERNELS_ASYNC_KERNEL_H_
#define FLOWLATCH_OPS_KERNELS_ASYNC_KERNEL_H_

#include <utility>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

// Turns `absl::Status Start(KernelCall&, Done&)` into an AsyncKernelFn. Start either takes `done` and returns OK, or returns
// an error and leaves it.
template <absl::Status (*kStart)(KernelCall&, Done&)>
void RunAsyncKernel(KernelCall& call, Done done) {
  absl::Status status = kStart(call, done);
  if (ABSL_PREDICT_FALSE(!status.ok())) done(std::move(status));
}

// All outputs, which lie next to each other.
inline absl::Span<Tensor> Outputs(KernelCall& call) {
  return call.num_outputs() > 0 ? absl::MakeSpan(&call.output(0), call.num_outputs()) : absl::Span<Tensor>();
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_ASYNC_KERNEL_H_
