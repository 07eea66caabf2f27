// The loop of a binary functor, in the namespace FLOWLATCH_LOOP_NAMESPACE of the file that includes this:
// binary_loops.cc compiles it once for each instruction set, op families for the baseline. No include guard for that
// reason.

#include <cstdint>

#include "ops/kernels/binary_functors.h"
#include "ops/kernels/binary_loops.h"
#include "ops/kernels/loop_macros.h"

namespace flowlatch {
namespace FLOWLATCH_LOOP_NAMESPACE {

template <typename Op, typename T>
bool RunBinaryLoop(const BinaryBlock& b) {
  using R = binary::ResultOf<Op, T>;
  bool failed = false;
  for (int64_t row = 0; row < b.rows; ++row) {
    const T* x = static_cast<const T*>(b.x) + row * b.x_row_stride;
    const T* y = static_cast<const T*>(b.y) + row * b.y_row_stride;
    R* z = static_cast<R*>(b.z) + row * b.columns;
    if (b.x_step == b.y_step) {
      FLOWLATCH_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < b.columns; ++i) z[i] = R(binary::ApplyTo<Op, T>(x[i], y[i], failed));
    } else if (b.y_step == 0) {
      const T y0 = *y;
      FLOWLATCH_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < b.columns; ++i) z[i] = R(binary::ApplyTo<Op, T>(x[i], y0, failed));
    } else {
      const T x0 = *x;
      FLOWLATCH_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < b.columns; ++i) z[i] = R(binary::ApplyTo<Op, T>(x0, y[i], failed));
    }
  }
  return !failed;
}

}  // namespace FLOWLATCH_LOOP_NAMESPACE
}  // namespace flowlatch
