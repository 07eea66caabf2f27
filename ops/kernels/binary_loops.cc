// Compiled once for each instruction set: the loops are plain, the compiler vectorises them for each.
#include "ops/kernels/binary_loops.h"

#include "runtime/kernel/dispatch.h"

// Memory sets the pace here, so AVX-512 would gain nothing.
#define HWY_DISABLED_TARGETS (HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/binary_loops.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#undef FLOWLATCH_LOOP_NAMESPACE
#define FLOWLATCH_LOOP_NAMESPACE HWY_NAMESPACE
HWY_BEFORE_NAMESPACE();
#include "ops/kernels/binary_loop-inl.h"

namespace flowlatch {
namespace HWY_NAMESPACE {

template <typename Op>
BinaryLoop FindLoop(DType dtype) {
  return DispatchDType<kVectorTypes<Op>>(dtype, BinaryLoop{},
                                         []<typename T>() -> BinaryLoop { return &RunBinaryLoop<Op, T>; });
}

#define FLOWLATCH_X(Op, types) \
  BinaryLoop Find##Op(DType dtype) { return FindLoop<binary::Op>(dtype); }
FLOWLATCH_VECTOR_BINARY_OPS(FLOWLATCH_X)
#undef FLOWLATCH_X

}  // namespace HWY_NAMESPACE
}  // namespace flowlatch
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flowlatch {

#define FLOWLATCH_X(Op, types)                         \
  HWY_EXPORT(Find##Op);                                \
  template <>                                          \
  BinaryLoop FindVectorLoop<binary::Op>(DType dtype) { \
    return HWY_DYNAMIC_DISPATCH(Find##Op)(dtype);      \
  }
FLOWLATCH_VECTOR_BINARY_OPS(FLOWLATCH_X)
#undef FLOWLATCH_X

}  // namespace flowlatch
#endif  // HWY_ONCE
