// Compiled once for each instruction set, as binary_loops.cc.
#include "ops/kernels/unary_loops.h"

#include "runtime/kernel/dispatch.h"

#define HWY_DISABLED_TARGETS (HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/unary_loops.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#undef FLOWLATCH_LOOP_NAMESPACE
#define FLOWLATCH_LOOP_NAMESPACE HWY_NAMESPACE
HWY_BEFORE_NAMESPACE();
#include "ops/kernels/unary_loop-inl.h"

namespace flowlatch {
namespace HWY_NAMESPACE {

#define FLOWLATCH_X(Op, types)                                                                      \
  UnaryLoop Find##Op(DType dtype) {                                                                 \
    return DispatchDType<unary::kVectorTypes<unary::Op>>(                                           \
        dtype, UnaryLoop{}, []<typename T>() -> UnaryLoop { return &RunUnaryLoop<unary::Op, T>; }); \
  }
FLOWLATCH_VECTOR_UNARY_OPS(FLOWLATCH_X)
#undef FLOWLATCH_X

}  // namespace HWY_NAMESPACE
}  // namespace flowlatch
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flowlatch {

#define FLOWLATCH_X(Op, types) HWY_EXPORT(Find##Op);
FLOWLATCH_VECTOR_UNARY_OPS(FLOWLATCH_X)
#undef FLOWLATCH_X

#define FLOWLATCH_X(Op, types)                              \
  template <>                                               \
  UnaryLoop unary::FindVectorLoop<unary::Op>(DType dtype) { \
    return HWY_DYNAMIC_DISPATCH(Find##Op)(dtype);           \
  }
FLOWLATCH_VECTOR_UNARY_OPS(FLOWLATCH_X)
#undef FLOWLATCH_X

}  // namespace flowlatch
#endif  // HWY_ONCE
