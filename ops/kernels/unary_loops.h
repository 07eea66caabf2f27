// Loops of the unary elementwise ops over whole tensors.
#ifndef FLOWLATCH_OPS_KERNELS_UNARY_LOOPS_H_
#define FLOWLATCH_OPS_KERNELS_UNARY_LOOPS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "graph/tensor/dtype.h"
#include "ops/kernels/unary_functors.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

// y[i] = op(x[i]) for n elements; y may be x itself.
using UnaryLoop = void (*)(const void* x, void* y, int64_t n);

struct UnaryKernelInfo {
  UnaryLoop loop = nullptr;
  DType in = DType::kInvalid, out = DType::kInvalid;
  double cost = 1;  // rough nanoseconds an element
};

// Output 0 = loop(input 0), in place if the input's memory is free. Errors: those of Tensor::Make.
absl::Status RunUnary(KernelCall& c, const UnaryKernelInfo& info);

// Functors (unary_functors.h) that have loops for each instruction set, with the dtypes they have them for.
#define FLOWLATCH_VECTOR_UNARY_OPS(X) \
  X(Neg, kVectorSigned)               \
  X(Abs, kVectorSigned)               \
  X(Sign, kVectorFloats)              \
  X(Square, kVectorSigned)            \
  X(Sqrt, kVectorFloats)              \
  X(Rsqrt, kVectorFloats)             \
  X(Reciprocal, kVectorFloats)        \
  X(Exp, kVectorInFloat)              \
  X(Expm1, kVectorInFloat)            \
  X(Log, kVectorInFloat)              \
  X(Log1p, kVectorInFloat)            \
  X(Tanh, kVectorInFloat)             \
  X(Sigmoid, kVectorInFloat)          \
  X(Atan, kVectorInFloat)             \
  X(Erf, kVectorInFloat)              \
  X(Floor, kVectorFloats)             \
  X(Ceil, kVectorFloats)              \
  X(Round, kVectorFloats)             \
  X(IsNan, kVectorFloats)             \
  X(IsInf, kVectorFloats)             \
  X(IsFinite, kVectorFloats)          \
  X(Invert, kIntTypes)                \
  X(LogicalNot, DTypeSet{DType::kBool})

namespace unary {

inline constexpr DTypeSet kVectorFloats = kFloatTypes;
inline constexpr DTypeSet kVectorInFloat = kFloatTypes - DTypeSet{DType::kFloat64};
inline constexpr DTypeSet kVectorSigned =
    kFloatTypes | DTypeSet{DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64};

// The dtypes for which FindVectorLoop<Op> has a loop.
template <typename Op>
inline constexpr DTypeSet kVectorTypes{};
#define FLOWLATCH_X(Op, types) \
  template <>                  \
  inline constexpr DTypeSet kVectorTypes<Op> = types;
FLOWLATCH_VECTOR_UNARY_OPS(FLOWLATCH_X)
#undef FLOWLATCH_X

// The loop for this processor's best instruction set; null for dtypes outside kVectorTypes<Op>.
template <typename Op>
UnaryLoop FindVectorLoop(DType) {
  return nullptr;
}
#define FLOWLATCH_X(Op, types) \
  template <>                  \
  UnaryLoop FindVectorLoop<Op>(DType dtype);
FLOWLATCH_VECTOR_UNARY_OPS(FLOWLATCH_X)
#undef FLOWLATCH_X

}  // namespace unary
}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_UNARY_LOOPS_H_
