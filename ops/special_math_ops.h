// Special functions, elementwise; see ops/special_math_ops.cc.
#ifndef FLOWLATCH_OPS_SPECIAL_MATH_OPS_H_
#define FLOWLATCH_OPS_SPECIAL_MATH_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterSpecialMathOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SPECIAL_MATH_OPS_H_
