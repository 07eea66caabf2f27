// Kernels that move elements without looking at them: one instance for each storage type (ops/kernels/slice_copy.h).
#ifndef FLOWLATCH_OPS_KERNELS_MOVING_KERNEL_H_
#define FLOWLATCH_OPS_KERNELS_MOVING_KERNEL_H_

#include <cstdint>
#include <memory>
#include <type_traits>

#include "absl/status/statusor.h"
#include "graph/tensor/tensor.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/slice_copy.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

// Decodes what a kernel keeps of its node.
using StateMaker = absl::StatusOr<std::shared_ptr<const KernelState>> (*)(const NodeInfo&);

// Chooses a kernel by the dtype in attr T.
//
//   .kernel = MovingKernel([]<typename E>() { return &RunKernel<ComputeTile<E>>; }),
template <typename Choose>
KernelFactory MovingKernel(Choose choose, StateMaker make_state = nullptr) {
  return [choose, make_state](const NodeInfo& node) -> absl::StatusOr<Kernel> {
    absl::StatusOr<DType> dtype = node.Type("T");
    if (!dtype.ok()) return dtype.status();
    Kernel kernel{.fn = WithStorageType(*dtype, choose)};
    if (make_state != nullptr) {
      absl::StatusOr<std::shared_ptr<const KernelState>> state = make_state(node);
      if (!state.ok()) return state.status();
      kernel.state = *std::move(state);
    }
    return kernel;
  };
}

// The elements of a tensor as their storage type.
template <typename E>
const E* Elements(const Tensor& t) {
  return static_cast<const E*>(t.raw_data());
}
template <typename E>
E* MutableElements(Tensor& t) {
  return static_cast<E*>(t.raw_mutable_data());
}

// Runs body(begin, end) over [0, n) elements that are to be moved, on several threads when that pays.
template <typename E, typename Body>
void ParallelMove(const KernelCall& c, int64_t n, const Body& body) {
  constexpr double kNanosecondsPerElement = std::is_trivially_copyable_v<E> ? 0.1 * sizeof(E) : 20;
  RunLoop(c, n, kNanosecondsPerElement, body);
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_MOVING_KERNEL_H_
