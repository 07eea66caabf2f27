// Elementwise ops of one operand, and the gradients that have their form.
#ifndef FLOWLATCH_OPS_UNARY_MATH_OPS_H_
#define FLOWLATCH_OPS_UNARY_MATH_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterUnaryMathOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_UNARY_MATH_OPS_H_
