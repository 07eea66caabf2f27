// The loop of a binary functor, in the namespace FLOWLATCH_LOOP_NAMESPACE of the file that includes this:
// binary_loops.cc compiles it once for each instruction set, op families for the baseline. No include guard for that
// reason.

#include <cstdint>

#include "ops/kernels/binary_functors.h"
#include "ops/kernels/binary_loops.h"
#include "ops/kernels/loop_macros.h"
#include "ops/kernels/small_floats.h"

namespace flowlatch {
namespace FLOWLATCH_LOOP_NAMESPACE {

// z[i] = x[i * x_step] op y[i * y_step], of operands of type T or Wide<T>.
template <typename Op, typename T, typename Operand, typename R>
void RunRow(const Operand* x, const Operand* y, R* z, int64_t n, int64_t x_step, int64_t y_step, bool& failed) {
  if (x_step == y_step) {
    FLOWLATCH_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < n; ++i) z[i] = R(binary::ApplyTo<Op, T>(x[i], y[i], failed));
  } else if (y_step == 0) {
    const Operand y0 = *y;
    FLOWLATCH_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < n; ++i) z[i] = R(binary::ApplyTo<Op, T>(x[i], y0, failed));
  } else {
    const Operand x0 = *x;
    FLOWLATCH_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < n; ++i) z[i] = R(binary::ApplyTo<Op, T>(x0, y[i], failed));
  }
}

// The same of 16-bit floats, piece by piece in float.
template <typename Op, typename T, typename R>
void RunRowInFloat(const T* x, const T* y, R* z, int64_t n, int64_t x_step, int64_t y_step, bool& failed) {
  ForEachFloatPiece(n, [&](int64_t begin, int64_t count) {
    float x_piece[kFloatPiece], y_piece[kFloatPiece];
    WidenFloats(x + begin * x_step, x_piece, x_step == 0 ? 1 : count);
    WidenFloats(y + begin * y_step, y_piece, y_step == 0 ? 1 : count);
    if constexpr (std::is_same_v<R, T>) {
      float* const result = x_step == 0 ? y_piece : x_piece;
      RunRow<Op, T>(x_piece, y_piece, result, count, x_step, y_step, failed);
      NarrowFloats(result, z + begin, count);
    } else {
      RunRow<Op, T>(x_piece, y_piece, z + begin, count, x_step, y_step, failed);
    }
  });
}

template <typename Op, typename T>
bool RunBinaryLoop(const BinaryBlock& b) {
  using R = binary::ResultOf<Op, T>;
  bool failed = false;
  for (int64_t row = 0; row < b.rows; ++row) {
    const T* x = static_cast<const T*>(b.x) + row * b.x_row_stride;
    const T* y = static_cast<const T*>(b.y) + row * b.y_row_stride;
    R* z = static_cast<R*>(b.z) + row * b.columns;
    if constexpr (kIs16BitFloat<T>) {
      RunRowInFloat<Op>(x, y, z, b.columns, b.x_step, b.y_step, failed);
    } else {
      RunRow<Op, T>(x, y, z, b.columns, b.x_step, b.y_step, failed);
    }
  }
  return !failed;
}

}  // namespace FLOWLATCH_LOOP_NAMESPACE
}  // namespace flowlatch
