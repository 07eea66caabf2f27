// Running the loop of a kernel, from several threads where that pays.
#ifndef FLOWLATCH_OPS_KERNELS_PARALLEL_H_
#define FLOWLATCH_OPS_KERNELS_PARALLEL_H_

#include <cstdint>
#include <functional>

#include "runtime/kernel/kernel.h"

namespace flowlatch {

// As KernelCall::ParallelFor, without its overhead for small loops: they run here and allocate nothing.
// `cost_per_item`: rough nanoseconds.
template <typename Body>
void RunLoop(const KernelCall& c, int64_t n, double cost_per_item, const Body& body) {
  constexpr double kSmallNs = 10000;
  if (static_cast<double>(n) * cost_per_item < kSmallNs) {
    if (n > 0) body(int64_t{0}, n);
  } else {
    c.ParallelFor(n, cost_per_item, std::cref(body));
  }
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_PARALLEL_H_
