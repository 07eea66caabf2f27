// QuantizedMatMul, QuantizedAdd, QuantizedRelu and other arithmetic on integers that stand for ranges.
#ifndef FLOWLATCH_OPS_QUANTIZED_MATH_OPS_H_
#define FLOWLATCH_OPS_QUANTIZED_MATH_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterQuantizedMathOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_QUANTIZED_MATH_OPS_H_
