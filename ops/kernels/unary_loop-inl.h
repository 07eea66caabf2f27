// The loop of a unary functor, in the namespace FLOWLATCH_LOOP_NAMESPACE of the file that includes this; see
// binary_loop-inl.h. No include guard.

#include <cstdint>

#include "ops/kernels/loop_macros.h"
#include "ops/kernels/unary_functors.h"

namespace flowlatch {
namespace FLOWLATCH_LOOP_NAMESPACE {

template <typename Op, typename T>
void RunUnaryLoop(const void* x, void* y, int64_t n) {
  using R = unary::ResultOf<Op, T>;
  const T* in = static_cast<const T*>(x);
  R* out = static_cast<R*>(y);
  FLOWLATCH_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < n; ++i) out[i] = R(Op::template Apply<T>(in[i]));
}

}  // namespace FLOWLATCH_LOOP_NAMESPACE
}  // namespace flowlatch
