// Elementwise ops of two operands: arithmetic, comparison, logic and bits; and AddN.
#ifndef FLOWLATCH_OPS_BINARY_MATH_OPS_H_
#define FLOWLATCH_OPS_BINARY_MATH_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterBinaryMathOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_BINARY_MATH_OPS_H_
