// Loops of the binary elementwise ops over whole tensors: choosing a loop by op and dtype, and running it over
// broadcast operands.
#ifndef FLOWLATCH_OPS_KERNELS_BINARY_LOOPS_H_
#define FLOWLATCH_OPS_KERNELS_BINARY_LOOPS_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "graph/tensor/dtype.h"
#include "ops/kernels/binary_functors.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

// rows x columns of x and y, whose row strides and column steps (0 or 1) are in elements; z is contiguous. z may be x
// or y itself where they have the same shape.
struct BinaryBlock {
  const void* x;
  const void* y;
  void* z;
  int64_t rows, columns;
  int64_t x_row_stride, y_row_stride;
  int64_t x_step, y_step;
};

// Computes a block. False when some elements have no result (an integer divided by zero).
using BinaryLoop = bool (*)(const BinaryBlock& block);

// What RunBinary needs to know of an op with its dtype.
struct BinaryKernelInfo {
  BinaryLoop loop = nullptr;
  DType in = DType::kInvalid, out = DType::kInvalid;
  double cost = 1;                     // rough nanoseconds an element
  const char* failure = nullptr;       // the message when `loop` returns false
  std::optional<bool> mismatch_value;  // the result for shapes that do not match; none: they are an error
  bool same_shape = false;             // whether the operands must have one shape, instead of broadcasting
};

// Output 0 = loop(input 0, input 1), broadcast, in place if an input's memory is free.
// Errors: InvalidArgument for shapes that do not match or operands without a result, and those of Tensor::Make.
absl::Status RunBinary(KernelCall& c, const BinaryKernelInfo& info);

// Functors (binary_functors.h) that have loops for each instruction set, with the dtypes they have them for.
#define FLOWLATCH_VECTOR_BINARY_OPS(X)  \
  X(Add, kVectorNumbers)                \
  X(Sub, kVectorNumbers)                \
  X(Mul, kVectorNumbers)                \
  X(Div, kVectorFloats)                 \
  X(RealDiv, kVectorFloats)             \
  X(DivNoNan, kVectorFloats)            \
  X(MulNoNan, kVectorFloats)            \
  X(Xdivy, kVectorFloats)               \
  X(Xlogy, kVectorInFloat)              \
  X(Xlog1py, kVectorInFloat)            \
  X(LeftShift, kIntTypes)               \
  X(RightShift, kIntTypes)              \
  X(Maximum, kVectorNumbers)            \
  X(Minimum, kVectorNumbers)            \
  X(SquaredDifference, kVectorNumbers)  \
  X(Less, kVectorNumbers)               \
  X(LessEqual, kVectorNumbers)          \
  X(Greater, kVectorNumbers)            \
  X(GreaterEqual, kVectorNumbers)       \
  X(Equal, kVectorNumbers)              \
  X(NotEqual, kVectorNumbers)           \
  X(LogicalAnd, DTypeSet{DType::kBool}) \
  X(LogicalOr, DTypeSet{DType::kBool})  \
  X(SqrtGrad, kVectorFloats)            \
  X(RsqrtGrad, kVectorFloats)           \
  X(ReciprocalGrad, kVectorFloats)      \
  X(SigmoidGrad, kVectorFloats)         \
  X(TanhGrad, kVectorFloats)

inline constexpr DTypeSet kVectorFloats = kFloatTypes;
inline constexpr DTypeSet kVectorInFloat = kFloatTypes - DTypeSet{DType::kFloat64};
inline constexpr DTypeSet kVectorNumbers = kRealTypes;

// The dtypes for which FindVectorLoop<Op> has a loop.
template <typename Op>
inline constexpr DTypeSet kVectorTypes{};
#define FLOWLATCH_X(Op, types) \
  template <>                  \
  inline constexpr DTypeSet kVectorTypes<binary::Op> = types;
FLOWLATCH_VECTOR_BINARY_OPS(FLOWLATCH_X)
#undef FLOWLATCH_X

// The loop for this processor's best instruction set; null for dtypes outside kVectorTypes<Op>.
template <typename Op>
BinaryLoop FindVectorLoop(DType) {
  return nullptr;
}
#define FLOWLATCH_X(Op, types) \
  template <>                  \
  BinaryLoop FindVectorLoop<binary::Op>(DType dtype);
FLOWLATCH_VECTOR_BINARY_OPS(FLOWLATCH_X)
#undef FLOWLATCH_X

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_BINARY_LOOPS_H_
