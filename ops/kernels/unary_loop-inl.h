// The loop of a unary functor, in the namespace FLOWLATCH_LOOP_NAMESPACE of the file that includes this; see
// binary_loop-inl.h. No include guard.

#include <cstdint>

#include "ops/kernels/loop_macros.h"
#include "ops/kernels/small_floats.h"
#include "ops/kernels/unary_functors.h"

namespace flowlatch {
namespace FLOWLATCH_LOOP_NAMESPACE {

template <typename Op, typename T>
void RunUnaryLoop(const void* x, void* y, int64_t n) {
  using R = unary::ResultOf<Op, T>;
  using In = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;  // compilers vectorise loops over bytes, not over bool
  const In* in = static_cast<const In*>(x);
  R* out = static_cast<R*>(y);
  if constexpr (kIs16BitFloat<T>) {
    ForEachFloatPiece(n, [&](int64_t begin, int64_t count) {
      float piece[kFloatPiece];
      WidenFloats(in + begin, piece, count);
      if constexpr (std::is_same_v<R, T>) {
        FLOWLATCH_INDEPENDENT_ITERATIONS
        for (int64_t i = 0; i < count; ++i) piece[i] = Op::template Apply<T>(piece[i]);
        NarrowFloats(piece, out + begin, count);
      } else {
        FLOWLATCH_INDEPENDENT_ITERATIONS
        for (int64_t i = 0; i < count; ++i) out[begin + i] = Op::template Apply<T>(piece[i]);
      }
    });
  } else {
    FLOWLATCH_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < n; ++i) out[i] = R(Op::template Apply<In>(in[i]));
  }
}

}  // namespace FLOWLATCH_LOOP_NAMESPACE
}  // namespace flowlatch
