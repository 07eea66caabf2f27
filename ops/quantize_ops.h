// QuantizeV2 and Dequantize: float32 to integers that stand for a range, and back.
#ifndef FLOWLATCH_OPS_QUANTIZE_OPS_H_
#define FLOWLATCH_OPS_QUANTIZE_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterQuantizeOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_QUANTIZE_OPS_H_
